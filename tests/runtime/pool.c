/* pool.c - the pool of threads: every iteration runs once, nested loops finish, the failure of the lowest chunk wins.
 * Built with and without the thread sanitizer by pool.py. */
#include "backends/runtime/context.h"
#define RAIDO_THREADS 1
#include "backends/runtime/errors.h"
#include "backends/runtime/memory.h"
#include "backends/runtime/timing.h"
#include "backends/runtime/tasks.h"

struct table { i64 n, *cells; };

static struct raido_site site_of(i64 cost) {
  struct raido_site site = {cost, 0};
  return site;
}

static int count(struct raido_worker *w, void *captures, i64 first, i64 last) {
  struct table *t = captures;
  (void)w;
  for (i64 i = first; i < last; i++) t->cells[i]++;
  return 0;
}

static int nested(struct raido_worker *w, void *captures, i64 first, i64 last) {
  struct table *t = captures;
  for (i64 i = first; i < last; i++) {
    struct table row = {t->n, t->cells + i * t->n};
    struct raido_site site = site_of(1000000000);       /* pretends to be dear, so that it is shared */
    void *block = raido_alloc(w, 100 + i);
    if (block == NULL || raido_parallel_for(w, &site, count, &row, t->n, 1) != 0) return 1;
    raido_release(w, block);
  }
  return 0;
}

static int in_groups(struct raido_worker *w, void *captures, i64 first, i64 last) {
  struct table *t = captures;
  if (first % 32 != 0 || (last % 32 != 0 && last != t->n)) return raido_fail(w, "%" PRId64 " .. %" PRId64, first, last);
  return count(w, captures, first, last);
}

static int failing(struct raido_worker *w, void *captures, i64 first, i64 last) {
  (void)captures;
  for (i64 i = first; i < last; i++)
    if (i >= 300) return raido_fail(w, "%" PRId64, i);
  return 0;
}

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "pool: %s\n", what);
  exit(1);
}

int main(void) {
  static struct raido_context context;
  struct raido_context *c = &context;
  c->num_threads = 4;
  c->main.context = c;
  c->main.stack = (const char *)&c;
  pthread_mutex_init(&c->lock, NULL);
  require(raido_pool_start(c) == 0, "does not start");
  enum { N = 1000, ROWS = 100 };
  static i64 cells[N * ROWS];
  struct table flat = {N, cells}, rows = {N, cells};
  for (int round = 0; round < 200; round++) {
    struct raido_site site = site_of(1000000000);
    require(raido_parallel_for(&c->main, &site, count, &flat, N, 1) == 0, "a loop fails");
  }
  for (i64 i = 0; i < N; i++) require(cells[i] == 200, "an iteration did not run once");
  memset(cells, 0, sizeof cells);
  struct raido_site site = site_of(0);
  i64 runs = 0;
  for (i64 n = 1; n <= N; n += 37, runs++) {
    struct table part = {n, cells};
    site = site_of(n % 2 == 0 ? 0 : 1000000000);                 /* with and without a first part that is measured */
    require(raido_parallel_for(&c->main, &site, in_groups, &part, n, 32) == 0, "a chunk is no multiple of the grain");
  }
  require(cells[0] == runs && cells[N - 1] == 1, "an iteration of a group did not run once");
  site = site_of(1000000000);
  for (int round = 0; round < 50; round++) require(raido_parallel_for(&c->main, &site, count, &flat, 64, 1) == 0, "a loop fails");
  require(site.cost < 1000000000, "the cost of a shared loop is not measured");
  memset(cells, 0, sizeof cells);
  site = site_of(1000000000);
  require(raido_parallel_for(&c->main, &site, nested, &rows, ROWS, 1) == 0, "a nested loop fails");
  for (i64 i = 0; i < N * ROWS; i++) require(cells[i] == 1, "a nested iteration did not run once");
  for (int round = 0; round < 100; round++) {
    site = site_of(1000000000);
    require(raido_parallel_for(&c->main, &site, failing, NULL, N, 1) != 0, "a failure is lost");
    require(c->main.error != NULL && strcmp(raido_error_text(c->main.error), "300") == 0, "another failure than the lowest wins");
    raido_free_error(c->main.error);
    c->main.error = NULL;
  }
  raido_pool_stop(c);
  raido_free_all(c);
  pthread_mutex_destroy(&c->lock);
  puts("pool: ok");
  return 0;
}
