#include <stdio.h>
#include <stdlib.h>

#include "stats.h"

static void stop_on_error(struct futhark_context *ctx) {
  char *error = futhark_context_get_error(ctx);
  if (error == NULL) return;
  fprintf(stderr, "%s", error);
  exit(1);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  stop_on_error(ctx);

  double data[] = {2, 4, 4, 4, 5, 5, 7, 9}, mean, spread, slopes[8];
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, data, 8), *ds;
  struct futhark_opaque_summary *s;
  if (futhark_entry_summarise(ctx, &s, xs) != 0) stop_on_error(ctx);
  futhark_project_opaque_summary_mean(ctx, &mean, s);
  futhark_project_opaque_summary_spread(ctx, &spread, s);

  if (futhark_entry_slopes(ctx, &ds, xs) != 0) stop_on_error(ctx);
  futhark_values_f64_1d(ctx, ds, slopes);
  futhark_context_sync(ctx);
  printf("mean %g, spread %g, slope %g\n", mean, spread, slopes[0]);

  futhark_free_opaque_summary(ctx, s);
  futhark_free_f64_1d(ctx, xs);
  futhark_free_f64_1d(ctx, ds);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
