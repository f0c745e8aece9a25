// product.cc - contractions of primitives/product.fut by hand: panels that fit the caches, tiles of sums in registers. And by a BLAS, if the
// machine has one: it is loaded when it is asked for.
//
//     product nn|nt|tn|tt|single|min_plus|batched|adjoint RUNS SIZE [blas]        square matrices; `batched`: 1000 of them
#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "native.h"

namespace {

#ifdef __AVX512F__
constexpr size_t bytes = 64, rows = 8, vectors = 3;
#else
constexpr size_t bytes = 32, rows = 6, vectors = 2;
#endif
constexpr size_t depth = 256, width_bytes = 3072;

// A matrix, or one that is turned.
template <class T> struct View {
  const T* at;
  size_t row, column;                                     // steps
  T operator()(size_t i, size_t j) const { return at[i * row + j * column]; }
};

template <bool min_plus, class V> inline void add(V& sum, V x, V y) {
  V z = min_plus ? x + y : x * y;
  sum = min_plus ? (z < sum ? z : sum) : sum + z;
}

// c = a b, n by n. Whole tiles only: the last ones lie over the ones before.
template <class T, bool min_plus = false> void product(size_t n, View<T> a, View<T> b, T* c) {
  typedef T V __attribute__((vector_size(bytes)));
  constexpr size_t lanes = bytes / sizeof(T), tile = lanes * vectors, block = width_bytes / sizeof(T) / tile * tile;
  if (n < rows || n < tile) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        T s = min_plus ? T(1e30) : T(0);
        for (size_t k = 0; k < n; k++) s = min_plus ? std::min(s, a(i, k) + b(k, j)) : s + a(i, k) * b(k, j);
        c[i * n + j] = s;
      }
    return;
  }
  array<T> panels(depth * (block + tile)), left(depth * rows);
  for (size_t j0 = 0; j0 < n; j0 += block)
    for (size_t k0 = 0; k0 < n; k0 += depth) {
      const size_t count = std::min(depth, n - k0), columns = std::min(block, n - j0);
      auto first = [&](size_t p) { return std::min(j0 + p * tile, n - tile); };
      const size_t tiles = (columns + tile - 1) / tile;
      for (size_t p = 0; p < tiles; p++)
        for (size_t k = 0; k < count; k++)
          for (size_t l = 0; l < tile; l++) panels[(p * count + k) * tile + l] = b(k0 + k, first(p) + l);
      for (size_t i0 = 0; i0 < n; i0 += rows) {
        const size_t i = std::min(i0, n - rows);
        for (size_t k = 0; k < count; k++)
          for (size_t r = 0; r < rows; r++) left[k * rows + r] = a(i + r, k0 + k);
        for (size_t p = 0; p < tiles; p++) {
          V sums[rows][vectors];
          const V* panel = reinterpret_cast<const V*>(&panels[p * count * tile]);
          T* out = c + i * n + first(p);
          for (size_t r = 0; r < rows; r++)
            for (size_t v = 0; v < vectors; v++) sums[r][v] = V{} + (min_plus ? T(1e30) : T(0));
          for (size_t k = 0; k < count; k++)
#pragma GCC unroll 8
            for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 3
              for (size_t v = 0; v < vectors; v++) add<min_plus>(sums[r][v], V{} + left[k * rows + r], panel[k * vectors + v]);
          for (size_t r = i0 - i; r < rows; r++)
            for (size_t l = j0 + p * tile - first(p); l < tile; l++) {
              T x = sums[r][l / lanes][l % lanes], &to = out[r * n + l];
              to = k0 == 0 ? x : min_plus ? std::min(to, x) : to + x;
            }
        }
      }
    }
}

void* blas(const char* name) {
  for (const char* library : {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so", "libblis.so", "libblas.so.3"})
    if (void* open = dlopen(library, RTLD_NOW))
      if (void* found = dlsym(open, name)) return found;
  std::exit(2);
}
template <class T> using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

template <class T> struct Case {
  size_t n, batch;
  array<T> a, b, d, c, c2;
  Case(size_t n, size_t batch) : n(n), batch(batch) {
    for (size_t k = 0; k < batch * n * n; k++) {
      a.push_back(T(uniform(1, k)));
      b.push_back(T(uniform(2, k)));
      d.push_back(T(uniform(3, k)));
    }
    c.resize(batch * n * n);
    c2.resize(n * n);
  }
  View<T> of(const array<T>& x, bool turned, size_t g = 0) const { return {&x[g * n * n], turned ? 1 : n, turned ? n : 1}; }
  template <bool min_plus> void by_hand(const std::string& what) {
    if (what == "adjoint") {
      product<T>(n, of(d, false), of(b, true), c.data());
      product<T>(n, of(a, true), of(d, false), c2.data());
      return;
    }
    for (size_t g = 0; g < batch; g++) product<T, min_plus>(n, of(a, what[0] == 't', g), of(b, what.size() == 2 && what[1] == 't', g), &c[g * n * n]);
  }
  void by_blas(const std::string& what, Gemm<T> gemm) {
    const int no = 111, yes = 112, m = int(n);
    auto call = [&](const T* x, bool tx, const T* y, bool ty, T* z) { gemm(101, tx ? yes : no, ty ? yes : no, m, m, m, 1, x, m, y, m, 0, z, m); };
    if (what == "adjoint") {
      call(d.data(), false, b.data(), true, c.data());
      call(a.data(), true, d.data(), false, c2.data());
      return;
    }
    for (size_t g = 0; g < batch; g++) call(&a[g * n * n], what[0] == 't', &b[g * n * n], what.size() == 2 && what[1] == 't', &c[g * n * n]);
  }
  // Some cells, one sum after the other.
  void verify(const std::string& what, bool min_plus) const {
    bool adjoint = what == "adjoint";
    auto x = adjoint ? of(d, false) : of(a, what[0] == 't'), y = adjoint ? of(b, true) : of(b, what.size() == 2 && what[1] == 't');
    for (size_t i = 0; i < n; i += 1 + n / 7)
      for (size_t j = 0; j < n; j += 1 + n / 5) {
        double s = min_plus ? 1e30 : 0;
        for (size_t k = 0; k < n; k++) s = min_plus ? std::min(s, double(x(i, k) + y(k, j))) : s + double(x(i, k)) * double(y(k, j));
        if (!(std::fabs(s - double(c[i * n + j])) <= 1e-4 * std::fabs(s))) {
          std::fprintf(stderr, "%s: %g instead of %g\n", what.c_str(), double(c[i * n + j]), s);
          std::exit(1);
        }
      }
  }
};

template <class T> void run(char** argv, size_t n, bool with_blas, const char* name) {
  std::string what = argv[1];
  const bool min_plus = what == "min_plus";
  Case<T> it(n, what == "batched" ? 1000 : 1);
  Gemm<T> gemm = with_blas ? reinterpret_cast<Gemm<T>>(blas(name)) : nullptr;
  auto once = [&] {
    if (with_blas) it.by_blas(what, gemm);
    else if (min_plus) it.template by_hand<true>(what);
    else it.template by_hand<false>(what);
  };
  once();
  it.verify(what, min_plus);
  time_as_asked(argv, once, once);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s nn|nt|tn|tt|single|min_plus|batched|adjoint RUNS SIZE [blas]\n", argv[0]);
    return 1;
  }
  const size_t n = std::strtoull(argv[3], nullptr, 10);
  const bool with_blas = argc > 4;
  if (with_blas && std::string(argv[1]) == "min_plus") return 2;
  if (std::string(argv[1]) == "single") run<float>(argv, n, with_blas, "cblas_sgemm");
  else run<double>(argv, n, with_blas, "cblas_dgemm");
}
