// native.h - what the hand-written derivatives share: the portable input generator, the check quantities, the command line.
//
//     PROGRAM objective|jacobian RUNS SIZE...      checks itself on small cases, then prints microseconds, one line for each run
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
inline double uniform(uint64_t s, uint64_t i) { return double(mix(s + (i + 1) * 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53; }
inline double normal(uint64_t s, uint64_t i) {
  return std::sqrt(-2 * std::log(1 - uniform(s, 2 * i))) * std::cos(2 * M_PI * uniform(s, 2 * i + 1));
}

// Arrays begin at the start of a vector register's worth of memory.
template <class T> struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U> Aligned(const Aligned<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64))); }
  void deallocate(T* p, size_t) { ::operator delete(p, std::align_val_t(64)); }
  bool operator==(const Aligned&) const { return true; }
};
template <class T> using array = std::vector<T, Aligned<T>>;
using numbers = array<double>;

template <class F> numbers filled(size_t n, F element) {
  numbers out(n);
  for (size_t i = 0; i < n; i++) out[i] = element(i);
  return out;
}

inline double contract(const numbers& y) {
  double s = 0;
  for (size_t j = 0; j < y.size(); j++) s += y[j] / double(1 + j);
  return s;
}

// The value, and the derivative in the directions 1 and cos i, against what they ought to be.
inline void check(const char* name, double value, const numbers& gradient, double f, double ones, double cosines) {
  double d1 = 0, dc = 0;
  for (size_t i = 0; i < gradient.size(); i++) {
    d1 += gradient[i];
    dc += gradient[i] * std::cos(double(i));
  }
  auto far = [](double a, double b) { return !(std::fabs(a - b) <= 1e-9 * std::fmax(1, std::fabs(a) + std::fabs(b))); };
  if (far(value, f) || far(d1, ones) || far(dc, cosines)) {
    std::fprintf(stderr, "%s: %.15g %.12g %.12g instead of %.15g %.12g %.12g\n", name, value, d1, dc, f, ones, cosines);
    std::exit(1);
  }
}

inline size_t size_argument(int argc, char** argv, int i) {
  if (i + 3 < argc) return std::strtoull(argv[i + 3], nullptr, 10);
  std::fprintf(stderr, "usage: %s objective|jacobian RUNS SIZE...\n", argv[0]);
  std::exit(1);
}

// Runs once unwatched, then as often as asked.
template <class F, class G> void time_as_asked(char** argv, F objective, G jacobian) {
  bool derivative = std::strcmp(argv[1], "jacobian") == 0;
  int runs = std::atoi(argv[2]);
  for (int r = -1; r < runs; r++) {
    auto start = std::chrono::steady_clock::now();
    if (derivative) jacobian();
    else objective();
    std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
    if (r >= 0) std::printf("%.2f\n", passed.count());
  }
}
