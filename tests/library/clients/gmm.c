// gmm.c - the library in C. Every client does the same. It computes the value and the gradient at one place, whose numbers are sines
// of 1, 2, .. Beside the gradient's derivative along the cosines it computes a difference quotient of the value. And it makes a call
// that fails.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gmm.h"

enum { K = 2, D = 3, T = 3, N = 5 };

static struct futhark_context *ctx;

static void check(int failed) {
  if (!failed) return;
  char *error = futhark_context_get_error(ctx);
  fprintf(stderr, "%s\n", error);
  free(error);
  exit(1);
}

static struct futhark_opaque_parameters *make(const double *p) {
  struct futhark_f64_1d *alpha = futhark_new_f64_1d(ctx, p, K);
  struct futhark_f64_2d *mu = futhark_new_f64_2d(ctx, p + K, K, D), *q = futhark_new_f64_2d(ctx, p + K + K * D, K, D);
  struct futhark_f64_2d *l = futhark_new_f64_2d(ctx, p + K + 2 * K * D, K, T);
  struct futhark_opaque_parameters *out;
  check(futhark_new_opaque_parameters(ctx, &out, alpha, l, mu, q));
  check(futhark_free_f64_1d(ctx, alpha) | futhark_free_f64_2d(ctx, mu) | futhark_free_f64_2d(ctx, q) | futhark_free_f64_2d(ctx, l));
  return out;
}

static double value(const struct futhark_f64_2d *x, const double *p) {
  struct futhark_opaque_parameters *at = make(p);
  double out;
  check(futhark_entry_value(ctx, &out, x, at));
  check(futhark_free_opaque_parameters(ctx, at));
  return out;
}

int main(void) {
  enum { P = K + 2 * K * D + K * T };
  struct futhark_context_config *cfg = futhark_context_config_new();
  ctx = futhark_context_new(cfg);
  double p[P], up[P], down[P], g[P], points[N * D], along = 0;
  for (int k = 0; k < P; k++) p[k] = sin(k + 1);
  for (int k = 0; k < N * D; k++) points[k] = sin(P + k + 1);
  struct futhark_f64_2d *x = futhark_new_f64_2d(ctx, points, N, D);

  struct futhark_opaque_parameters *at = make(p), *gradient;
  check(futhark_entry_value_gradient(ctx, &gradient, x, at));
  struct futhark_f64_1d *alpha;
  struct futhark_f64_2d *mu, *q, *l;
  check(futhark_project_opaque_parameters_alpha(ctx, &alpha, gradient) | futhark_project_opaque_parameters_mu(ctx, &mu, gradient));
  check(futhark_project_opaque_parameters_q(ctx, &q, gradient) | futhark_project_opaque_parameters_l(ctx, &l, gradient));
  check(futhark_values_f64_1d(ctx, alpha, g) | futhark_values_f64_2d(ctx, mu, g + K));
  check(futhark_values_f64_2d(ctx, q, g + K + K * D) | futhark_values_f64_2d(ctx, l, g + K + 2 * K * D) | futhark_context_sync(ctx));

  const double h = 1e-6;
  for (int k = 0; k < P; k++) {
    up[k] = p[k] + h * cos(k + 1);
    down[k] = p[k] - h * cos(k + 1);
    along += g[k] * cos(k + 1);
  }
  printf("value %.9f, along %.6f %.6f\n", value(x, p), along, (value(x, up) - value(x, down)) / (2 * h));

  struct futhark_f64_2d *narrow = futhark_new_f64_2d(ctx, points, N, 1);
  double none;
  if (futhark_entry_value(ctx, &none, narrow, at) == 0) return 1;
  char *error = futhark_context_get_error(ctx);
  printf("%s", error);
  free(error);

  check(futhark_free_f64_2d(ctx, narrow) | futhark_free_f64_2d(ctx, x) | futhark_free_f64_1d(ctx, alpha) | futhark_free_f64_2d(ctx, mu));
  check(futhark_free_f64_2d(ctx, q) | futhark_free_f64_2d(ctx, l) | futhark_free_opaque_parameters(ctx, at) | futhark_free_opaque_parameters(ctx, gradient));
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
