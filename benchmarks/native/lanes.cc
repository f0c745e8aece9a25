// lanes.cc - two programs of primitives/lanes.fut by hand: many iterations side by side in vectors of eight f64, four vectors at once.
//
//     lanes mandelbrot|polynomials RUNS SIZE [DEGREE]
#include <algorithm>

#include "native.h"

namespace {

using Vector = double __attribute__((vector_size(64)));
using Mask = int64_t __attribute__((vector_size(64)));
constexpr size_t width = 8, groups = 4;

// All lanes are written: a sum with a vector of zeros would be taken.
Vector all(double x) { return Vector{x, x, x, x, x, x, x, x}; }
bool any(Mask m) {
  int64_t some = 0;
  for (size_t l = 0; l < width; l++) some |= m[l];
  return some != 0;
}

// n is a multiple of 32.
void mandelbrot(size_t n, array<int32_t>& out) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j += width * groups) {
      Vector cx[groups], x[groups] = {}, y[groups] = {}, cy = all(-1.5 + 3 * double(i) / double(n));
      Mask k[groups] = {}, on[groups];
      for (size_t g = 0; g < groups; g++) {
        on[g] = Mask{} == Mask{};
        for (size_t l = 0; l < width; l++) cx[g][l] = -2 + 3 * double(j + g * width + l) / double(n);
      }
      for (;;) {
        Mask some{};
        for (size_t g = 0; g < groups; g++) {
          on[g] &= (k[g] < 256) & (x[g] * x[g] + y[g] * y[g] < all(4));
          some |= on[g];
        }
        if (!any(some)) break;
        for (size_t g = 0; g < groups; g++) {
          Vector next = x[g] * x[g] - y[g] * y[g] + cx[g];
          y[g] = on[g] ? all(2) * x[g] * y[g] + cy : y[g];
          x[g] = on[g] ? next : x[g];
          k[g] -= on[g];
        }
      }
      for (size_t g = 0; g < groups; g++)
        for (size_t l = 0; l < width; l++) out[i * n + j + g * width + l] = int32_t(k[g][l]);
    }
}

// The number of elements is a multiple of 32.
void polynomials(const numbers& coefficients, const numbers& xs, numbers& out) {
  for (size_t i = 0; i < xs.size(); i += width * groups) {
    Vector x[groups], a[groups] = {};
    std::memcpy(x, &xs[i], sizeof x);
    for (double c : coefficients)
      for (size_t g = 0; g < groups; g++) a[g] = a[g] * x[g] + all(c);
    std::memcpy(&out[i], a, sizeof a);
  }
}

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "lanes: %s is wrong\n", what);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s mandelbrot|polynomials RUNS SIZE [DEGREE]\n", argv[0]);
    return 1;
  }
  array<int32_t> small(32 * 32);
  mandelbrot(32, small);
  expect(small[0] == 1 && small[16 * 32 + 22] == 256, "mandelbrot");
  numbers one(32, 2.0), value(32);
  polynomials({1, 2, 3}, one, value);
  expect(value[31] == 11, "polynomials");

  bool fractal = std::strcmp(argv[1], "mandelbrot") == 0;
  size_t n = std::strtoull(argv[3], nullptr, 10) / 32 * 32;
  array<int32_t> escapes(fractal ? n * n : 0);
  numbers coefficients = filled(argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 200, [](size_t i) { return uniform(1, i); });
  numbers xs = filled(fractal ? 0 : n, [](size_t i) { return uniform(2, i); }), values(xs.size());
  for (int r = -1, runs = std::atoi(argv[2]); r < runs; r++) {
    auto start = std::chrono::steady_clock::now();
    fractal ? mandelbrot(n, escapes) : polynomials(coefficients, xs, values);
    std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
    if (r >= 0) std::printf("%.2f\n", passed.count());
  }
}
