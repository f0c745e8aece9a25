// gmm.cc - the library in C++: values are freed by their owners, failures are exceptions. What it does: gmm.c.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gmm.h"

namespace {

constexpr int K = 2, D = 3, T = 3, N = 5, P = K + 2 * K * D + K * T;

struct Context {
  futhark_context_config* cfg = futhark_context_config_new();
  futhark_context* ctx = futhark_context_new(cfg);
  ~Context() {
    futhark_context_free(ctx);
    futhark_context_config_free(cfg);
  }
  void check(int failed) const {
    if (!failed) return;
    char* text = futhark_context_get_error(ctx);
    std::string error = text ? text : "";
    free(text);
    throw std::runtime_error(error);
  }
};
const Context context;

template <class T, int (*release)(futhark_context*, T*)> struct Release {
  void operator()(T* x) const { release(context.ctx, x); }
};
using Vector = std::unique_ptr<futhark_f64_1d, Release<futhark_f64_1d, futhark_free_f64_1d>>;
using Matrix = std::unique_ptr<futhark_f64_2d, Release<futhark_f64_2d, futhark_free_f64_2d>>;
using Parameters = std::unique_ptr<futhark_opaque_parameters, Release<futhark_opaque_parameters, futhark_free_opaque_parameters>>;

Matrix matrix(const double* p, int rows, int columns) { return Matrix(futhark_new_f64_2d(context.ctx, p, rows, columns)); }

Parameters make(const std::vector<double>& p) {
  Vector alpha(futhark_new_f64_1d(context.ctx, p.data(), K));
  Matrix mu = matrix(p.data() + K, K, D), q = matrix(p.data() + K + K * D, K, D), l = matrix(p.data() + K + 2 * K * D, K, T);
  futhark_opaque_parameters* out;
  context.check(futhark_new_opaque_parameters(context.ctx, &out, alpha.get(), l.get(), mu.get(), q.get()));
  return Parameters(out);
}

double value(const Matrix& x, const std::vector<double>& p) {
  double out;
  context.check(futhark_entry_value(context.ctx, &out, x.get(), make(p).get()));
  return out;
}

// A field of the gradient, added to the list.
template <class Owner, class Project, class Values> void append(std::vector<double>& to, int count, const Parameters& from, Project project, Values values) {
  typename Owner::pointer field;
  context.check(project(context.ctx, &field, from.get()));
  Owner owner(field);
  to.resize(to.size() + count);
  context.check(values(context.ctx, field, to.data() + to.size() - count));
  context.check(futhark_context_sync(context.ctx));
}

}  // namespace

int main() {
  std::vector<double> p(P), up(P), down(P), g, points(N * D);
  for (int k = 0; k < P; k++) p[k] = std::sin(k + 1);
  for (int k = 0; k < N * D; k++) points[k] = std::sin(P + k + 1);
  Matrix x = matrix(points.data(), N, D);

  futhark_opaque_parameters* out;
  context.check(futhark_entry_value_gradient(context.ctx, &out, x.get(), make(p).get()));
  Parameters gradient(out);
  append<Vector>(g, K, gradient, futhark_project_opaque_parameters_alpha, futhark_values_f64_1d);
  append<Matrix>(g, K * D, gradient, futhark_project_opaque_parameters_mu, futhark_values_f64_2d);
  append<Matrix>(g, K * D, gradient, futhark_project_opaque_parameters_q, futhark_values_f64_2d);
  append<Matrix>(g, K * T, gradient, futhark_project_opaque_parameters_l, futhark_values_f64_2d);

  const double h = 1e-6;
  double along = 0;
  for (int k = 0; k < P; k++) {
    up[k] = p[k] + h * std::cos(k + 1);
    down[k] = p[k] - h * std::cos(k + 1);
    along += g[k] * std::cos(k + 1);
  }
  std::printf("value %.9f, along %.6f %.6f\n", value(x, p), along, (value(x, up) - value(x, down)) / (2 * h));
  try {
    value(matrix(points.data(), N, 1), p);
    return 1;
  } catch (const std::runtime_error& error) {
    std::printf("%s", error.what());
  }
}
