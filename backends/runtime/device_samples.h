// device_samples.h - launches of a counted program (device_counts.h): of all blocks, or of a sample.
//
// With a sample of n blocks a launch of more runs only n of them, from the first to the last. Where two neighbours of the sample do
// different work, further blocks run: halfway between them, until it is known where the work changes. Those between two blocks do what these
// do. What such a launch writes is not what the program computes. Memory that lacks values knows which kernels they are to come from. If
// such values decide what is done next, the run stops. These kernels are noted as those that have to run all blocks, and the entry point is
// called again. Of these launches a larger sample is counted, and the other blocks run as they are.
#ifdef RAIDO_EMULATED

// The arrays that a launch has, each once.
RAIDO_FN int raido_arrays_of(int kernel, void **args, int n, struct raido_allocation **arrays, char *uses) {
  int found = 0;
  for (int k = 0; k < n && raido_kernel_uses[kernel][k] != 0; k++) {
    char use = raido_kernel_uses[kernel][k];
    struct raido_allocation *a = use == '-' || use == 'T' ? NULL : raido_allocation_of(*(char **)args[k]);
    if (a == NULL) continue;
    int j = 0;
    while (j < found && arrays[j] != a) j++;
    if (j == found) { arrays[found] = a; uses[found++] = 0; }
    int bits = (use == 'n' ? 0 : strchr("rR", use) != NULL ? 1 : strchr("wW", use) != NULL ? 2 : 3) | (use >= 'A' && use <= 'Z' ? 4 : 0);
    uses[j] = (char)(uses[j] | bits);                      // 1: read, 2: written, 4: steers
  }
  return found;
}

// Before a launch in a sampled run: whether blocks can be left out; -1: the launch needs what has been left out.
RAIDO_FN int raido_may_skip(int kernel, i64 blocks, struct raido_allocation **arrays, const char *uses, int n) {
  int skip = blocks > raido_counts.sample && !raido_counts.kernels[kernel].complete && strchr(raido_kernel_uses[kernel], 'T') == NULL;
  for (int k = 0; k < n; k++) {
    if ((uses[k] & 4) == 0) continue;
    if (raido_needs(arrays[k])) return -1;
    if ((uses[k] & 2) != 0) skip = 0;                      // it waits for what others of its blocks write
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      if ((uses[k] & 2) != 0) raido_lacks_too(arrays[k], (uses[j] & 1) != 0 && arrays[j] != arrays[k] ? arrays[j] : NULL, skip ? kernel : -1);
  return skip;
}

// ---- samples ----

RAIDO_FN int raido_differ(const struct raido_sampled_block *a, const struct raido_sampled_block *b) {
  i64 more = a->work > b->work ? a->work : b->work, less = a->work + b->work - more;
  return more - less > more / 20;
}
RAIDO_FN int raido_in_order(const void *a, const void *b) {
  i64 x = ((const struct raido_sampled_block *)a)->number, y = ((const struct raido_sampled_block *)b)->number;
  return (x > y) - (x < y);
}

// The bytes of each array that have been touched, and all of them.
struct raido_touched { i64 all_read, all_written, read[256], written[256]; };

// A launch on its way: what its first block touched, and all that were counted.
struct raido_measured_launch {
  struct dev *dev;
  int arrays;
  struct raido_allocation *array[256];
  char uses[256];
  struct raido_touched first, end;
};

RAIDO_FN void raido_touch(struct raido_measured_launch *l, struct raido_touched *to) {
  to->all_read = to->all_written = 0;
  for (int t = 0; t < l->dev->count; t++) {
    const struct raido_counting *c = l->dev->emulators[t].block.counting;
    if (c == NULL) continue;
    to->all_read += c->sums[RAIDO_C_fresh_read_bytes];
    to->all_written += c->sums[RAIDO_C_fresh_written_bytes];
  }
  for (int k = 0; k < l->arrays; k++) {
    to->read[k] = raido_bits(raido_counts.read, l->array[k]);
    to->written[k] = raido_bits(raido_counts.written, l->array[k]);
  }
}

// Runs the sample of a launch. The number of blocks that were counted.
RAIDO_FN i64 raido_run_sample(struct raido_measured_launch *l, i64 blocks) {
  struct raido_sampled_block *list = raido_counts.blocks;
  struct dev *d = l->dev;
  i64 n = raido_counts.sample, from = n, room = RAIDO_REFINED * n;
  for (i64 k = 0; k < n; k++) list[k].number = k * (blocks - 1) / (n - 1);
  raido_run_blocks(d, 0, 1);
  raido_touch(l, &l->first);
  raido_run_blocks(d, 1, n);
  do {
    qsort(list, (size_t)n, sizeof *list, raido_in_order);
    from = n;
    for (i64 k = 0; k + 1 < from && n < room; k++)
      if (list[k + 1].number - list[k].number > 1 && raido_differ(&list[k], &list[k + 1])) list[n++].number = (list[k].number + list[k + 1].number) / 2;
    raido_run_blocks(d, from, n);
  } while (from < n);
  return n;
}

// Runs all blocks, and counts a sample that is known before.
RAIDO_FN i64 raido_run_around_sample(struct raido_measured_launch *l, i64 blocks) {
  i64 n = RAIDO_REFINED * raido_counts.sample;
  for (i64 k = 0; k < n; k++) raido_counts.blocks[k].number = k * (blocks - 1) / (n - 1);
  l->dev->partly = blocks;
  raido_run_blocks(l->dev, 0, 1);
  raido_touch(l, &l->first);
  raido_run_blocks(l->dev, 1, blocks);
  l->dev->partly = 0;
  return n;
}

// What all blocks do.
RAIDO_FN void raido_add_sample(struct raido_kernel_counts *k, i64 n) {
  const struct raido_sampled_block *list = raido_counts.blocks;
  f64 sums[RAIDO_COUNTER_COUNT] = {0};
  for (i64 i = 0; i < n; i++) {
    for (int j = 0; j < RAIDO_COUNTER_COUNT; j++) k->sums[j] += list[i].counts[j];
    f64 between = i + 1 < n ? (f64)(list[i + 1].number - list[i].number - 1) / 2 : 0;
    if (between == 0) continue;
    k->uneven |= raido_differ(&list[i], &list[i + 1]);
    for (int j = 0; j < RAIDO_COUNTER_COUNT; j++) sums[j] += between * (f64)(list[i].counts[j] + list[i + 1].counts[j]);
  }
  for (int j = 0; j < RAIDO_COUNTER_COUNT; j++) k->sums[j] += (i64)(sums[j] + 0.5);
}

// The bytes of an array that all blocks touch: those of the first block may be what all of them read, the others grow as all fresh bytes do.
RAIDO_FN i64 raido_grown(i64 end, i64 first, f64 growth, size_t limit) {
  f64 all = (f64)end + (f64)(end - first) * growth + 0.5;
  return all < (f64)limit ? (i64)all : (i64)limit;
}
RAIDO_FN f64 raido_growth(i64 all, i64 end, i64 first) { return end > first ? (f64)(all - end) / (f64)(end - first) : 0; }

RAIDO_FN int raido_counted_launch(struct dev *d, int kernel, i64 blocks, void **args, int n) {
  struct raido_kernel_counts *k = &raido_counts.kernels[kernel];
  struct raido_measured_launch l = {.dev = d};
  if (n > 256) raido_panic("emulator", "a kernel of %d parameters", n);
  l.arrays = raido_arrays_of(kernel, args, n, l.array, l.uses);
  int whole = 0;                                           // blocks look at what others write: one after the other, so that counts are the same each time
  for (int j = 0; j < l.arrays; j++) whole |= (l.uses[j] & 6) == 6;
  d->alone = whole;
  int sampled = raido_counts.sample > 0 && blocks > RAIDO_REFINED * raido_counts.sample && !whole, skips = raido_counts.sample > 0 ? raido_may_skip(kernel, blocks, l.array, l.uses, l.arrays) : 0;
  if (skips < 0) return 1;
  d->skips = skips;
  for (int j = 0; j < l.arrays; j++) {
    raido_no_bits(raido_counts.read, l.array[j]);
    raido_no_bits(raido_counts.written, l.array[j]);
  }
  i64 read = k->sums[RAIDO_C_fresh_read_bytes], written = k->sums[RAIDO_C_fresh_written_bytes], counted = blocks, requests = 0, issued = 0;
  sampled |= skips;
  d->alone |= sampled;                                     // so that it is the same block each time that touches a byte first
  if (skips) counted = raido_run_sample(&l, blocks);
  else if (sampled) counted = raido_run_around_sample(&l, blocks);
  else raido_run_blocks(d, 0, blocks);
  raido_touch(&l, &l.end);
  if (sampled) raido_add_sample(k, counted);
  for (int t = 0; t < d->count; t++) {
    struct raido_counting *c = d->emulators[t].block.counting;
    if (c == NULL) continue;
    for (int j = 0; j < RAIDO_COUNTER_COUNT && !sampled; j++) k->sums[j] += c->sums[j];
    memset(c->sums, 0, sizeof c->sums);
    if (c->longest_requests > requests) requests = c->longest_requests;
    if (c->longest_issued > issued) issued = c->longest_issued;
    c->longest_requests = c->longest_issued = 0;
  }
  f64 reads = 0, writes = 0;
  if (sampled) {
    reads = raido_growth(k->sums[RAIDO_C_fresh_read_bytes] - read, l.end.all_read, l.first.all_read);
    writes = raido_growth(k->sums[RAIDO_C_fresh_written_bytes] - written, l.end.all_written, l.first.all_written);
  }
  for (int j = 0; j < l.arrays; j++) {
    k->needed_read += raido_grown(l.end.read[j], l.first.read[j], reads, l.array[j]->size);
    k->needed_written += raido_grown(l.end.written[j], l.first.written[j], writes, l.array[j]->size);
  }
  k->longest_requests += requests;
  k->longest_issued += issued;
  k->launches++;
  k->blocks += blocks;
  k->counted += counted;
  k->threads += blocks * d->block_size;
  k->block_size = d->block_size;
  return 0;
}

#endif
