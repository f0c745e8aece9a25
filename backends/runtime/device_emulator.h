// device_emulator.h - the device interface over blocks that run on the CPU (device_fibers.h). It counts launches, copies and bytes, and prints
// them on standard error at the end; of a counted program (device_counts.h) more is known, and printed instead.

RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n, size_t shared) {
  (void)sizes;
  (void)n;
  if (kernel >= raido_kernel_count) return 1;
  d->kernels++;
  d->threads += blocks * block_size;
  d->kernel = kernel;
  d->args = args;
  d->shared = shared;
  d->block_size = block_size;
#ifdef RAIDO_EMULATED
  if (d->counts) return raido_counted_launch(d, kernel, blocks, args, n);
#endif
  raido_run_blocks(d, 0, blocks);
  return 0;
}

RAIDO_FN i64 dev_shared(struct dev *d) { (void)d; return RAIDO_SHARED_BYTES - 64; }   // beside poisoned bytes
RAIDO_FN const char *dev_error(struct dev *d) { (void)d; return "out of memory"; }
RAIDO_FN void dev_enter(struct dev *d) { (void)d; }
RAIDO_FN void dev_leave(struct dev *d) { (void)d; }
RAIDO_FN void dev_list(struct dev *d, const struct raido_config *cfg) {
  (void)d;
  (void)cfg;
  puts("#0: emulator");
}
RAIDO_FN int dev_open(struct dev *d, const struct raido_config *cfg, const char *source) {
  (void)source;
  d->quiet = !cfg->count || cfg->counts;
#ifdef RAIDO_EMULATED
  d->counted = cfg->counts;
  raido_counts.sample = cfg->sample;
  if (d->counted) raido_counts_open();
#endif
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->work, NULL);
  pthread_cond_init(&d->finished, NULL);
  for (; d->count < RAIDO_EMULATORS; d->count++) {
    struct raido_emulator *e = &d->emulators[d->count];
    e->device = d;
    e->running = -1;
    if (pthread_create(&e->thread, NULL, raido_emulate, e) != 0) break;
  }
  return d->count == 0;
}
RAIDO_FN void dev_close(struct dev *d) {
  pthread_mutex_lock(&d->lock);
  d->stop = 1;
  pthread_cond_broadcast(&d->work);
  pthread_mutex_unlock(&d->lock);
  for (int k = 0; k < d->count; k++) pthread_join(d->emulators[k].thread, NULL);
  pthread_cond_destroy(&d->finished);
  pthread_cond_destroy(&d->work);
  pthread_mutex_destroy(&d->lock);
#ifdef RAIDO_EMULATED
  if (d->counted) raido_counts_close();
#endif
  if (d->quiet) return;
  fprintf(stderr,
          "kernels %" PRId64 "\nthreads %" PRId64 "\ncopies %" PRId64 "\ncopied_bytes %" PRId64 "\nreads %" PRId64 "\nread_bytes %" PRId64
          "\nwrites %" PRId64 "\nwritten_bytes %" PRId64 "\nallocations %" PRId64 "\nallocated_bytes %" PRId64 "\natomics %" PRId64 "\n",
          d->kernels, d->threads, d->copies, d->bytes, d->reads, d->read_bytes, d->writes, d->written_bytes, d->allocations, d->allocated,
          raido_atomics);
}
RAIDO_FN void *dev_queue(struct dev *d) { (void)d; return NULL; }
RAIDO_FN int dev_sync(struct dev *d) { (void)d; return 0; }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) {
  size_t words = (n + 3) / 4 * 4;        // a byte is updated through the word that holds it
#ifdef RAIDO_EMULATED
  *out = d->counted ? raido_counts_alloc(words) : malloc(words);
#else
  *out = malloc(words);
#endif
  d->allocations++;
  d->allocated += (i64)n;
  if (*out == NULL) return 1;
#ifdef RAIDO_EXACT_BLOCKS
  memset(*out, 255, words);              // who reads what nobody has written finds -1, or not a number
#endif
  return 0;
}
RAIDO_FN int dev_number(struct dev *d) { (void)d; return 0; }
RAIDO_FN int dev_free(struct dev *d, dev_mem m) {
#ifdef RAIDO_EMULATED
  if (d->counted) { raido_counts_free(m); return 0; }
#endif
  (void)d;
  free(m);
  return 0;
}
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
#ifdef RAIDO_EMULATED
  if (d->counts && !raido_counts.reads_result && raido_needs(raido_allocation_of(m))) return 1;
#endif
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
#ifdef RAIDO_EMULATED
  if (d->counts) raido_lacks_too(raido_allocation_of(to), raido_allocation_of(from), -1);
#endif
  d->copies++;
  d->bytes += (i64)n;
  return 0;
}

#ifdef RAIDO_EMULATED

// ---- counted runs (main.h) ----

// The host's part of a run.
#define RAIDO_HOST_COUNTS(X) X(copies, d->copies) X(copied_bytes, d->bytes) X(reads, d->reads) X(read_bytes, d->read_bytes) \
  X(writes, d->writes) X(written_bytes, d->written_bytes) X(allocations, d->allocations) X(allocated_bytes, d->allocated)
enum { RAIDO_HOST_COUNT = 8 };

RAIDO_FN void raido_host_counts(const struct dev *d, i64 *to) {
#define RAIDO_ONE(name, value) *to++ = value;
  RAIDO_HOST_COUNTS(RAIDO_ONE)
#undef RAIDO_ONE
}

// From here on everything counts, and what memory has is complete.
RAIDO_FN void raido_counts_begin(struct dev *d) {
  if (!d->counted) return;
  raido_host_counts(d, d->before);
  for (size_t k = 0; k < raido_counts.count; k++) raido_lacks_nothing(raido_counts.allocations[k].at);
  for (int k = 0; k < raido_kernel_count; k++) {
    int complete = raido_counts.kernels[k].complete;
    raido_counts.kernels[k] = (struct raido_kernel_counts){.complete = complete};
  }
  raido_counts.again = 0;
  d->counts = 1;
}
// Whether the run has to begin again.
RAIDO_FN int raido_counts_end(struct dev *d) {
  d->counts = d->skips = d->alone = 0;
  return raido_counts.again;
}

static const char *const raido_counter_names[] = {
#define RAIDO_ONE(name) #name,
  RAIDO_COUNTERS(RAIDO_ONE) RAIDO_OPERATION_KINDS(RAIDO_ONE)
#undef RAIDO_ONE
};
static const char *const raido_host_names[] = {
#define RAIDO_ONE(name, value) #name,
  RAIDO_HOST_COUNTS(RAIDO_ONE)
#undef RAIDO_ONE
};

RAIDO_FN void raido_write_counts(const struct dev *d, FILE *f, const char *entry) {
  i64 now[RAIDO_HOST_COUNT];
  raido_host_counts(d, now);
  fprintf(f, "{\"entry\": \"%s\", \"sample\": %d,\n \"host\": {", entry, raido_counts.sample);
  for (int k = 0; k < RAIDO_HOST_COUNT; k++) fprintf(f, "%s\"%s\": %" PRId64, k == 0 ? "" : ", ", raido_host_names[k], now[k] - d->before[k]);
  fprintf(f, "},\n \"kernels\": [");
  const char *comma = "\n";
  for (int k = 0; k < raido_kernel_count; k++) {
    const struct raido_kernel_counts *c = &raido_counts.kernels[k];
    if (c->launches == 0) continue;
    fprintf(f, "%s  {\"name\": \"%s\", \"launches\": %" PRId64 ", \"blocks\": %" PRId64 ", \"block_size\": %" PRId64 ", \"threads\": %" PRId64
            ", \"counted_blocks\": %" PRId64 ", \"uneven\": %s, \"needed_read_bytes\": %" PRId64 ", \"needed_written_bytes\": %" PRId64
            ", \"longest_requests\": %" PRId64 ", \"longest_issued\": %" PRId64,
            comma, raido_kernel_names[k], c->launches, c->blocks, c->block_size, c->threads, c->counted, c->uneven ? "true" : "false",
            c->needed_read, c->needed_written, c->longest_requests, c->longest_issued);
    for (int j = 0; j < RAIDO_ISSUED; j++)
      if (j != RAIDO_C_fresh_read_bytes && j != RAIDO_C_fresh_written_bytes) fprintf(f, ", \"%s\": %" PRId64, raido_counter_names[j], c->sums[j]);
    for (int j = 0; j < RAIDO_KIND_COUNT; j++) fprintf(f, ", \"%s_issued\": %" PRId64, raido_counter_names[RAIDO_OPERATIONS + j], c->sums[RAIDO_ISSUED + j]);
    fprintf(f, "}");
    comma = ",\n";
  }
  fprintf(f, "\n ]}\n");
}

RAIDO_FN void raido_print_moved(const char *what, i64 sectors, i64 requests, i64 needed) {
  if (requests == 0 && needed == 0) return;
  fprintf(stderr, "  %-12s%" PRId64 " sectors of %d bytes in %" PRId64 " accesses of warps; needed: %" PRId64 " bytes", what, sectors, RAIDO_SECTOR, requests, needed);
  if (needed > 0) fprintf(stderr, " (%.2f times that)", (f64)sectors * RAIDO_SECTOR / (f64)needed);
  fprintf(stderr, "\n");
}

RAIDO_FN void raido_print_counts(const struct dev *d) {
  i64 now[RAIDO_HOST_COUNT];
  raido_host_counts(d, now);
  if (raido_counts.sample > 0)
    fprintf(stderr, "counts from a sample of %d blocks of each launch; there are no results\n", raido_counts.sample);
  fprintf(stderr, "host\n");
  for (int k = 0; k < RAIDO_HOST_COUNT; k += 2)
    fprintf(stderr, "  %-12s%" PRId64 ", %" PRId64 " bytes\n", raido_host_names[k], now[k] - d->before[k], now[k + 1] - d->before[k + 1]);
  for (int k = 0; k < raido_kernel_count; k++) {
    const struct raido_kernel_counts *c = &raido_counts.kernels[k];
    const i64 *n = c->sums;
    if (c->launches == 0) continue;
    fprintf(stderr, "%s: %" PRId64 " launch%s, %" PRId64 " block%s of %" PRId64 " threads", raido_kernel_names[k], c->launches, c->launches == 1 ? "" : "es",
            c->blocks, c->blocks == 1 ? "" : "s", c->block_size);
    if (c->counted < c->blocks) fprintf(stderr, ", %" PRId64 " counted%s", c->counted, c->uneven ? "; these differ" : "");
    fprintf(stderr, "\n");
    raido_print_moved("read", n[RAIDO_C_read_sectors], n[RAIDO_C_read_requests], c->needed_read);
    if (n[RAIDO_C_read_sectors] > 0) fprintf(stderr, "  %-12s%" PRId64 " sectors that the cache of a block lacks\n", "fetched", n[RAIDO_C_fetched_sectors]);
    raido_print_moved("written", n[RAIDO_C_write_sectors], n[RAIDO_C_write_requests], c->needed_written);
    if (n[RAIDO_C_atomic_requests] > 0)
      fprintf(stderr, "  %-12s%" PRId64 " updates in %" PRId64 " accesses of warps, %" PRId64 " rounds where lanes meet, %" PRId64 " sectors\n", "atomics",
              n[RAIDO_C_atomic_updates], n[RAIDO_C_atomic_requests], n[RAIDO_C_atomic_rounds], n[RAIDO_C_atomic_sectors]);
    if (n[RAIDO_C_shared_requests] > 0)
      fprintf(stderr, "  %-12s%" PRId64 " accesses of warps, %" PRId64 " atomic updates, %" PRId64 " conflicts\n", "shared", n[RAIDO_C_shared_requests],
              n[RAIDO_C_shared_updates], n[RAIDO_C_shared_conflicts]);
    if (n[RAIDO_C_private_accesses] > 0) fprintf(stderr, "  %-12s%" PRId64 " accesses of threads to their own arrays\n", "private", n[RAIDO_C_private_accesses]);
    fprintf(stderr, "  %-12s%" PRId64 ", %" PRId64 " divergent; %" PRId64 " barriers\n", "branches", n[RAIDO_C_branches], n[RAIDO_C_divergent_branches], n[RAIDO_C_barriers]);
    fprintf(stderr, "  %-12s", "operations");
    i64 all = 0, slots = 0;
    for (int j = 0; j < RAIDO_KIND_COUNT; j++) {
      all += n[RAIDO_OPERATIONS + j];
      slots += n[RAIDO_ISSUED + j] * RAIDO_LANES;
      if (n[RAIDO_OPERATIONS + j] > 0) fprintf(stderr, "%" PRId64 " %s, ", n[RAIDO_OPERATIONS + j], raido_counter_names[RAIDO_OPERATIONS + j]);
    }
    fprintf(stderr, "%.1f %% of the lanes busy\n", slots > 0 ? 100.0 * (f64)all / (f64)slots : 0.0);
  }
}

#define dev_reused(d, m) do { if ((d)->counted) raido_lacks_nothing(m); } while (0)
RAIDO_INLINE int raido_result_read(int failed) { raido_counts.reads_result = 0; return failed; }
#define raido_device_read_result(...) (raido_counts.reads_result = 1, raido_result_read(raido_device_read(__VA_ARGS__)))

#endif
