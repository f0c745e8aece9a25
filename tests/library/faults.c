// faults.c - all.fut's library when memory runs out: the N-th request fails, for every N up to what a run needs. Each call must either
// do its work or fail with an error; after it nothing is lost and the same calls succeed. Linked with --wrap for the functions below. What
// the program asks the driver of a device for counts, too: dlsym gives it functions that fail.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "all.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
void __wrap_free(void *p);

static long requests, failing, live;         // failing: the number of the request that fails, and those after it if it is negative
static int refused(void) {
  long n = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return failing > 0 ? n == failing : failing < 0 && n >= -failing;
}
static void *counted(void *p) {
  if (p != NULL) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  return p;
}
void *__wrap_malloc(size_t n) { return refused() ? NULL : counted(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return refused() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_realloc(void *p, size_t n) {
  if (refused()) return NULL;
  return p == NULL ? counted(__real_realloc(p, n)) : __real_realloc(p, n);
}
int __wrap_posix_memalign(void **p, size_t align, size_t n) {
  if (refused()) return ENOMEM;
  int code = __real_posix_memalign(p, align, n);
  if (code == 0) counted(*p);
  return code;
}
void __wrap_free(void *p) {
  if (p != NULL) __atomic_add_fetch(&live, -1, __ATOMIC_RELAXED);
  __real_free(p);
}

#ifdef FUTHARK_BACKEND_opencl
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

static void *(*create_buffer)(void *context, uint64_t flags, size_t n, void *host, int *code);
static int (*release_buffer)(void *buffer);
static int (*write_buffer)(void *queue, void *buffer, uint32_t blocking, size_t at, size_t n, const void *from, uint32_t count, const void *events, void *event);
static int (*run_kernel)(void *queue, void *kernel, uint32_t d, const size_t *from, const size_t *global, const size_t *local, uint32_t count, const void *events, void *event);
static long buffers, late;                             // late: the number of the buffer for which there is no room when it is used
static void *unfit;
static void *create_or_refuse(void *context, uint64_t flags, size_t n, void *host, int *code) {
  if (!refused()) {
    void *buffer = counted(create_buffer(context, flags, n, host, code));
    if (++buffers == late) unfit = buffer;
    return buffer;
  }
  *code = -4;                                          // CL_MEM_OBJECT_ALLOCATION_FAILURE
  return NULL;
}
static int write_or_refuse(void *queue, void *buffer, uint32_t blocking, size_t at, size_t n, const void *from, uint32_t count, const void *events, void *event) {
  return buffer == unfit ? -4 : write_buffer(queue, buffer, blocking, at, n, from, count, events, event);
}
static int run_or_refuse(void *queue, void *kernel, uint32_t d, const size_t *from, const size_t *global, const size_t *local, uint32_t count, const void *events, void *event) {
  return unfit != NULL ? -4 : run_kernel(queue, kernel, d, from, global, local, count, events, event);
}
static int release(void *buffer) {
  if (buffer == unfit) unfit = NULL;
  __atomic_add_fetch(&live, -1, __ATOMIC_RELAXED);
  return release_buffer(buffer);
}
void *__wrap_dlsym(void *library, const char *name) {
  void *real = __real_dlsym(library, name);
  void *(*create)(void *, uint64_t, size_t, void *, int *) = create_or_refuse;
  int (*give_back)(void *) = release;
  int (*write)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, const void *, void *) = write_or_refuse;
  int (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, const void *, void *) = run_or_refuse;
  if (strcmp(name, "clCreateBuffer") == 0) {
    memcpy(&create_buffer, &real, sizeof real);
    memcpy(&real, &create, sizeof real);
  } else if (strcmp(name, "clReleaseMemObject") == 0) {
    memcpy(&release_buffer, &real, sizeof real);
    memcpy(&real, &give_back, sizeof real);
  } else if (strcmp(name, "clEnqueueWriteBuffer") == 0) {
    memcpy(&write_buffer, &real, sizeof real);
    memcpy(&real, &write, sizeof real);
  } else if (strcmp(name, "clEnqueueNDRangeKernel") == 0) {
    memcpy(&run_kernel, &real, sizeof real);
    memcpy(&real, &launch, sizeof real);
  }
  return real;
}
#endif

static int mistakes;
static void require(int holds, const char *what, long n) {
  if (holds || mistakes++ > 10) return;
  fprintf(stderr, "faults: request %ld: %s\n", n, what);
}

// Everything that a small program does. True if all of it worked; whatever happened, it frees what it got.
static int session(struct futhark_context *ctx) {
  int ok = 1;
  int64_t xs[] = {3, 1, 2}, x = 0;
  int32_t total = 0;
  double area = 0;
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, xs, 3), *b = NULL, *c = NULL;
  struct futhark_opaque_tup2_arr1d_i64_arr1d_i64 *pair = NULL;
  struct futhark_opaque_arr1d_point *ps = NULL, *qs = NULL, *again = NULL;
  struct futhark_opaque_point *p = NULL;
  struct futhark_i32_1d *field = NULL;
  struct futhark_f32_1d *weights = NULL;
  struct futhark_opaque_shape *s = NULL;
  struct futhark_u8_1d *name = NULL;
  void *bytes = NULL;
  size_t n = 0;
  ok = ok && a != NULL && futhark_entry_i64s(ctx, &b, a) == 0 && futhark_entry_both(ctx, &pair, b) == 0;
  ok = ok && futhark_project_opaque_tup2_arr1d_i64_arr1d_i64_1(ctx, &c, pair) == 0 && futhark_index_i64_1d(ctx, &x, c, 0) == 0 && x == 2;
  ok = ok && futhark_entry_big(ctx, &x, 50) == 0 && x == 1225;
  ok = ok && futhark_entry_points(ctx, &ps, 4) == 0 && futhark_index_opaque_arr1d_point(ctx, &p, ps, 3) == 0;
  ok = ok && futhark_set_opaque_arr1d_point(ctx, ps, p, 0) == 0 && futhark_entry_total(ctx, &total, ps) == 0 && total == 9;
  ok = ok && futhark_project_opaque_arr1d_point_x(ctx, &field, ps) == 0 && futhark_project_opaque_arr1d_point_w(ctx, &weights, ps) == 0;
  ok = ok && futhark_zip_opaque_arr1d_point(ctx, &qs, weights, field) == 0;
  ok = ok && futhark_store_opaque_arr1d_point(ctx, qs, &bytes, &n) == 0 && (again = futhark_restore_opaque_arr1d_point(ctx, bytes)) != NULL;
  ok = ok && (name = futhark_new_u8_1d(ctx, (const uint8_t *)"abc", 3)) != NULL && futhark_new_opaque_shape_named(ctx, &s, 1, name) == 0;
  ok = ok && futhark_entry_area(ctx, &area, s) == 0 && area == 4;
  free(bytes);
  if (a) futhark_free_i64_1d(ctx, a);
  if (b) futhark_free_i64_1d(ctx, b);
  if (c) futhark_free_i64_1d(ctx, c);
  if (pair) futhark_free_opaque_tup2_arr1d_i64_arr1d_i64(ctx, pair);
  if (ps) futhark_free_opaque_arr1d_point(ctx, ps);
  if (qs) futhark_free_opaque_arr1d_point(ctx, qs);
  if (again) futhark_free_opaque_arr1d_point(ctx, again);
  if (p) futhark_free_opaque_point(ctx, p);
  if (field) futhark_free_i32_1d(ctx, field);
  if (weights) futhark_free_f32_1d(ctx, weights);
  if (s) futhark_free_opaque_shape(ctx, s);
  if (name) futhark_free_u8_1d(ctx, name);
  return ok;
}

// Calls with the request number n failing; how many requests there were. 0: none failed.
static int attempt(long n, int all_after) {
  long before = live;
  struct futhark_context_config *cfg = futhark_context_config_new();
#ifdef FUTHARK_BACKEND_multicore
  if (cfg != NULL) futhark_context_config_set_num_threads(cfg, 2);
#endif
  struct futhark_context *ctx = cfg == NULL ? NULL : futhark_context_new(cfg);
  char *error = ctx == NULL ? NULL : futhark_context_get_error(ctx);
  int started = ctx != NULL && error == NULL;
  free(error);
  if (started) {
    require(session(ctx), "a session without a fault fails", 0);     // what is made once in a context
    futhark_context_clear_caches(ctx);
    long empty = live;
    requests = 0;
    failing = all_after ? -n : n;
    int ok = session(ctx);
    int reached = requests >= n;
    failing = 0;
    error = futhark_context_get_error(ctx);
    if (reached && !ok) require(error != NULL && error[0] != 0, "no error", n);
    if (!reached) require(ok && error == NULL, "a session without a fault fails", n);
    free(error);
    require(futhark_context_clear_caches(ctx) == 0, "an error is left", n);
    require(live == empty, "memory is lost", n);
    require(session(ctx) && futhark_context_get_error(ctx) == NULL, "the context cannot be used", n);
    futhark_context_free(ctx);
    futhark_context_config_free(cfg);
    require(live == before, "memory is lost at the end", n);
    return reached;
  }
  require(0, "no context", n);
  return 0;
}

// The same while the context is made.
static int attempt_start(long n) {
  long before = live;
  requests = 0;
  failing = n;
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = cfg == NULL ? NULL : futhark_context_new(cfg);
  int reached = requests >= n;
  failing = 0;
  if (ctx != NULL) {
    char *error = futhark_context_get_error(ctx);
    if (error != NULL) {                                 // nothing can be done with it, and nothing crashes
      int64_t x;
      require(futhark_entry_big(ctx, &x, 5) != 0 && futhark_new_i64_1d(ctx, &x, 1) == NULL, "a context that was not made works", n);
      free(futhark_context_get_error(ctx));
    } else {
      require(session(ctx), "the context cannot be used", n);
    }
    free(error);
    futhark_context_free(ctx);
  }
  if (cfg != NULL) futhark_context_config_free(cfg);
  require(live == before, "memory is lost", n);
  return reached;
}

#ifdef FUTHARK_BACKEND_opencl
// A driver may find only when a buffer is used that there is no room for it. Another is asked for then, so each session works.
static void try_late_refusals(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  require(session(ctx), "a session without a fault fails", 0);
  for (long n = 1, reached = 1; reached; n++) {
    futhark_context_clear_caches(ctx);
    buffers = 0;
    late = n;
    require(session(ctx), "a buffer is not asked for again", n);
    free(futhark_context_get_error(ctx));
    reached = buffers >= n;
    late = 0;
    unfit = NULL;
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}
#endif

int main(void) {
  attempt(1000000, 0);                                   // what is made once in a process
  long n = 1, m = 1, k = 1;
  while (attempt(n, 0)) n++;
  while (attempt(m, 1)) m++;
  while (attempt_start(k)) k++;
#ifdef FUTHARK_BACKEND_opencl
  try_late_refusals();
#endif
  if (mistakes == 0) printf("faults: ok, %ld, %ld and %ld requests\n", n - 1, m - 1, k - 1);
  return mistakes != 0;
}
