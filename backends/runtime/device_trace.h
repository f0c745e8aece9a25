// device_trace.h - the tracing device: kernels run on the CPU, one thread after the other, and everything is counted.
// At the end the counts are printed on standard error.

typedef char *dev_mem;

struct dev { i64 kernels, threads, copies, bytes, reads, read_bytes, writes, written_bytes, allocations, allocated; };

RAIDO_FN const char *dev_error(struct dev *d) { (void)d; return "out of memory"; }
RAIDO_FN int dev_open(struct dev *d, struct dev_options *o, FILE *log) { (void)d; (void)o; (void)log; return 0; }
RAIDO_FN void dev_close(struct dev *d) {
  fprintf(stderr,
          "kernels %" PRId64 "\nthreads %" PRId64 "\ncopies %" PRId64 "\ncopied_bytes %" PRId64 "\nreads %" PRId64 "\nread_bytes %" PRId64
          "\nwrites %" PRId64 "\nwritten_bytes %" PRId64 "\nallocations %" PRId64 "\nallocated_bytes %" PRId64 "\natomics %" PRId64 "\n",
          d->kernels, d->threads, d->copies, d->bytes, d->reads, d->read_bytes, d->writes, d->written_bytes, d->allocations, d->allocated,
          raido_atomics);
}
RAIDO_FN int dev_sync(struct dev *d) { (void)d; return 0; }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) {
  *out = malloc(n);
  d->allocations++;
  d->allocated += (i64)n;
  return *out == NULL;
}
RAIDO_FN int dev_free(struct dev *d, dev_mem m) { (void)d; free(m); return 0; }
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
  memcpy(to, m + at, n);
  d->reads++;
  d->read_bytes += (i64)n;
  return 0;
}
RAIDO_FN int dev_write(struct dev *d, dev_mem m, i64 at, const void *from, size_t n) {
  memcpy(m + at, from, n);
  d->writes++;
  d->written_bytes += (i64)n;
  return 0;
}
RAIDO_FN int dev_copy(struct dev *d, dev_mem to, i64 to_at, dev_mem from, i64 from_at, size_t n) {
  memmove(to + to_at, from + from_at, n);
  d->copies++;
  d->bytes += (i64)n;
  return 0;
}
RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n) {
  (void)sizes;
  (void)n;
  if (kernel >= raido_kernel_count) return 1;
  d->kernels++;
  d->threads += blocks * block_size;
  for (raido_global_id = 0; raido_global_id < blocks * block_size; raido_global_id++) raido_kernel_calls[kernel](args);
  return 0;
}
