// gpu.h - what all programs for devices share, above the device interface: counted blocks of device memory in free lists,
// transfers, launches, the failure word.
//
// The device interface (device_*.h) is: dev_mem; dev_open, dev_close (also after a dev_open that failed), dev_enter, dev_leave, dev_list, dev_error;
// dev_sync, dev_alloc, dev_free, dev_read, dev_write, dev_copy, dev_launch, dev_shared; where a device has it, dev_begin_read.
// The program supplies raido_kernel_names, raido_kernel_count, raido_texts.
//
// Every kernel of a program in which some check can fail takes the failure word: -1, or the number of the check that failed
// first, with up to 8 arguments after it. A kernel that finds it set does nothing; the host looks at it when it reads. Where
// kernels trace, the values follow it (words.h), in the order in which threads come to them.

struct raido_memory {
  i64 references;
  size_t bytes;
  int size_class, held, lasts;         // held, lasts: as in raido_block
  int borrowed;                        // the memory belongs to the user
  dev_mem device;
  struct raido_memory *next;           // in a free list
  struct raido_memory *before, *after; // in the list of all blocks
};

struct raido_device {
  struct raido_memory *free[RAIDO_SIZE_CLASSES], *all;
  size_t live, peak;                   // bytes
  dev_mem failure;
  struct raido_memory tickets, states, locks;   // as many as `bytes` has room for
  i64 marks;                           // of launches in the states
  int open;                            // the device can be used
  int unchecked;                       // a kernel that can fail ran since the failure word was read
  struct dev dev;
};

#ifndef RAIDO_MAIL_BYTES                 // the emulator reads at once
#define RAIDO_MAIL_BYTES 0
#define dev_begin_read(d, mail, m, at, n) NULL
#endif
#ifndef dev_reused                       // of the emulator
#define dev_reused(d, m) ((void)0)
#define raido_device_read_result raido_device_read
#endif
RAIDO_FN int raido_device_failed(struct raido_worker *w, const char *what) {
  return raido_refuse(w, "%s: %s", what, dev_error(&w->context->device->dev));
}

// What follows measures `name` while profiling, up to raido_measured.
RAIDO_INLINE i64 raido_measure(struct raido_worker *w) {
  if (!w->context->profiling) return 0;
  dev_sync(&w->context->device->dev);
  return raido_nanoseconds();
}
RAIDO_FN void raido_measured(struct raido_worker *w, i64 start, struct raido_event what) {
  struct raido_context *c = w->context;
  if (start == 0) return;
  dev_sync(&c->device->dev);
  what.duration = raido_nanoseconds() - start;
  what.place = w->place;
  raido_note_event(c, &what);
}

// OpenCL: the command queue.
RAIDO_FN void *raido_device_queue(struct raido_context *c) { return c->device == NULL ? NULL : dev_queue(&c->device->dev); }

// The thread that works with the context now.
RAIDO_FN void raido_device_enter(struct raido_context *c) { if (c->device != NULL && c->device->open) dev_enter(&c->device->dev); }
RAIDO_FN void raido_device_leave(struct raido_context *c) { if (c->device != NULL && c->device->open) dev_leave(&c->device->dev); }

RAIDO_FN void raido_device_forget(struct raido_device *d, struct raido_memory *m) {
  if (m->before != NULL) m->before->after = m->after; else d->all = m->after;
  if (m->after != NULL) m->after->before = m->before;
  d->live -= m->bytes;
  if (!m->borrowed) dev_free(&d->dev, m->device);
  free(m);
}

RAIDO_FN void raido_device_empty_lists(struct raido_device *d) {
  for (int k = 0; k < RAIDO_SIZE_CLASSES; k++)
    while (d->free[k] != NULL) {
      struct raido_memory *m = d->free[k];
      d->free[k] = m->next;
      raido_device_forget(d, m);
    }
}

RAIDO_FN struct raido_memory *raido_device_adopt(struct raido_device *d, struct raido_memory *m, size_t bytes) {
  m->references = 1;
  m->bytes = bytes;
  m->after = d->all;
  if (d->all != NULL) d->all->before = m;
  d->all = m;
  d->live += bytes;
  if (d->live > d->peak) d->peak = d->live;
  return m;
}

RAIDO_FN struct raido_memory *raido_device_alloc(struct raido_worker *w, i64 bytes) {
  struct raido_device *d = w->context->device;
  if (bytes < 0) {
    raido_fail(w, "Negative allocation of %" PRId64 " bytes attempted in device space.", bytes);
    return NULL;
  }
  if (bytes > INT64_MAX / 4) {
    raido_lack_memory(w, "Failed to allocate memory in space 'device'.\nAttempted allocation: more bytes than can be counted");
    return NULL;
  }
  size_t rounded;
  int size_class = raido_size_class((size_t)bytes, &rounded);
#ifdef RAIDO_EXACT_BLOCKS
  rounded = (size_t)bytes;
#endif
  struct raido_memory *m = d->free[size_class];
  if (m != NULL) {
    d->free[size_class] = m->next;
    m->references = 1;
    m->held = 0;
    dev_reused(&d->dev, m->device);
    return m;
  }
  m = calloc(1, sizeof *m);
  for (int again = 0; m != NULL; again++) {
    int allowed = w->context->limit == 0 || d->live + rounded <= w->context->limit;
    if (allowed && dev_alloc(&d->dev, rounded, &m->device) == 0) break;
    if (again == 0) { raido_device_empty_lists(d); continue; }
    free(m);
    m = NULL;
  }
  if (m == NULL) {
    raido_lack_memory(w, "Failed to allocate memory in space 'device'.\nAttempted allocation: %12" PRId64 " bytes\nCurrently allocated:  %12zu bytes",
                      bytes, d->live);
    return NULL;
  }
  m->size_class = size_class;
  return raido_device_adopt(d, m, rounded);
}

// A block around memory of the user.
RAIDO_FN struct raido_memory *raido_device_borrow(struct raido_worker *w, dev_mem device) {
  struct raido_memory *m = calloc(1, sizeof *m);
  if (m == NULL) {
    raido_lack_memory(w, "Error: out of memory.");
    return NULL;
  }
  m->device = device;
  m->borrowed = 1;
  m->held = 1;
  return raido_device_adopt(w->context->device, m, 0);
}

RAIDO_INLINE void raido_device_retain(struct raido_worker *w, struct raido_memory *m) { (void)w; if (m != NULL) m->references++; }

RAIDO_FN void raido_device_release(struct raido_worker *w, struct raido_memory *m) {
  struct raido_device *d = w->context->device;
  if (m == NULL || --m->references > 0) return;
#ifdef RAIDO_EXACT_BLOCKS
  raido_device_forget(d, m);
#else
  if (m->borrowed) { raido_device_forget(d, m); return; }
  m->next = d->free[m->size_class];
  d->free[m->size_class] = m;
#endif
}

// As raido_reclaim and raido_hold_all.
RAIDO_FN void raido_device_reclaim(struct raido_context *c) {
  for (struct raido_memory *m = c->device->all, *after; m != NULL; m = after) {
    after = m->after;
    if (m->references == 0) continue;
    m->references = m->held > 0 ? m->held : 1;
    if (m->held == 0) raido_device_release(&c->main, m);
  }
}
RAIDO_FN void raido_device_hold_all(struct raido_context *c) {
  for (struct raido_memory *m = c->device->all; m != NULL; m = m->after) {
    m->held = (int)m->references;
    m->lasts = m->held > 0;
  }
}

// The words of the failure word, its arguments and what is said of traced values; all of it with those.
enum { RAIDO_FAILURE_WORDS = RAIDO_TRACE_ROOM > 0 ? 11 : 9, RAIDO_TRACE_WORDS = RAIDO_FAILURE_WORDS + 2 * RAIDO_TRACE_ROOM };

RAIDO_FN int raido_print_traces(struct raido_worker *w, i64 count) {
  struct raido_device *d = w->context->device;
  FILE *log = w->context->log;
  i64 n = count < RAIDO_TRACE_ROOM ? count : RAIDO_TRACE_ROOM, none = 0;
  if (count == 0) return 0;
  i64 *values = malloc((size_t)n * 2 * sizeof *values);
  if (values == NULL) return raido_lack_memory(w, "out of memory");
  int failed = dev_read(&d->dev, values, d->failure, 11 * sizeof *values, (size_t)n * 2 * sizeof *values) != 0 ||
               dev_write(&d->dev, d->failure, 9 * sizeof none, &none, sizeof none) != 0;
  for (i64 k = 0; k < n && !failed; k++) {
    i64 bits = values[2 * k + 1];
    f64 real;
    memcpy(&real, &bits, sizeof real);
    fputs(raido_texts[values[2 * k] / 8], log);
    switch (values[2 * k] % 8) {
      case 0: fprintf(log, "%" PRId64 "\n", bits); break;
      case 1: fprintf(log, "%" PRIu64 "\n", (u64)bits); break;
      case 2: fprintf(log, "%.17g\n", real); break;
      case 3: fprintf(log, "%.9g\n", real); break;
      default: fprintf(log, "%s\n", bits ? "true" : "false");
    }
  }
  if (count > n) fprintf(log, "%" PRId64 " more traced values are left out.\n", count - n);
  free(values);
  return failed ? raido_device_failed(w, "reading traced values") : 0;
}

// Waits for the device and reports the check that failed there, if any. What is read with it is there after one wait, too.
RAIDO_FN int raido_device_sync(struct raido_worker *w) {
  struct raido_device *d = w->context->device;
  i64 failure[RAIDO_FAILURE_WORDS];
  const void *mail = d->unchecked ? dev_begin_read(&d->dev, 0, d->failure, 0, sizeof failure) : NULL;
  if (dev_sync(&d->dev) != 0) return raido_device_failed(w, "device");
  if (!d->unchecked) return 0;
  d->unchecked = 0;
  if (mail != NULL) memcpy(failure, mail, sizeof failure);
  else if (dev_read(&d->dev, failure, d->failure, 0, sizeof failure) != 0) return raido_device_failed(w, "reading the failure word");
  if (RAIDO_TRACE_ROOM > 0 && raido_print_traces(w, failure[RAIDO_FAILURE_WORDS - 2]) != 0) return 1;
  if (failure[0] < 0) return 0;
  i64 none = -1;
  if (dev_write(&d->dev, d->failure, 0, &none, sizeof none) != 0) return raido_device_failed(w, "clearing the failure word");
  const char *text = raido_texts[failure[0]];
  if (text == NULL) return raido_fail(w, "a check failed");
  if (strncmp(text, "Error: ", 7) == 0) text += 7;
  return raido_check_failed(w, text, 8, failure + 1);
}

// Bytes at a place in bytes.
RAIDO_FN int raido_device_get(struct raido_worker *w, void *to, struct raido_memory *m, i64 at, i64 bytes) {
  const void *mail = bytes > 0 && bytes <= RAIDO_MAIL_BYTES && !w->context->profiling ? dev_begin_read(&w->context->device->dev, 1, m->device, at, (size_t)bytes) : NULL;
  if (raido_device_sync(w) != 0) return 1;
  if (mail != NULL) memcpy(to, mail, (size_t)bytes);
  if (bytes == 0 || mail != NULL) return 0;
  i64 start = raido_measure(w);
  if (dev_read(&w->context->device->dev, to, m->device, at, (size_t)bytes) != 0) return raido_device_failed(w, "reading from the device");
  raido_measured(w, start, (struct raido_event){.name = bytes > 8 ? "copy_dev_to_host" : "copy_scalar_from_dev", .bytes = bytes});
  return 0;
}
RAIDO_FN int raido_device_put(struct raido_worker *w, struct raido_memory *m, i64 at, const void *from, i64 bytes) {
  if (bytes == 0) return 0;
  i64 start = raido_measure(w);
  if (dev_write(&w->context->device->dev, m->device, at, from, (size_t)bytes) != 0) return raido_device_failed(w, "writing to the device");
  raido_measured(w, start, (struct raido_event){.name = bytes > 8 ? "copy_host_to_dev" : "copy_scalar_to_dev", .bytes = bytes});
  return 0;
}
// Single elements.
RAIDO_FN int raido_device_read(struct raido_worker *w, void *to, struct raido_memory *m, i64 index, size_t size) {
  return raido_device_get(w, to, m, index * (i64)size, (i64)size);
}
RAIDO_FN int raido_device_write(struct raido_worker *w, struct raido_memory *m, i64 index, const void *from, size_t size) {
  return raido_device_put(w, m, index * (i64)size, from, (i64)size);
}
RAIDO_FN int raido_device_upload(struct raido_worker *w, struct raido_memory *m, const void *from, i64 count, size_t size) {
  return raido_device_put(w, m, 0, from, count * (i64)size);
}
RAIDO_FN int raido_device_copy(struct raido_worker *w, struct raido_memory *to, i64 to_at, struct raido_memory *from, i64 from_at, i64 count, size_t size) {
  if (count <= 0) return 0;
  i64 start = raido_measure(w);
  if (dev_copy(&w->context->device->dev, to->device, to_at * (i64)size, from->device, from_at * (i64)size, (size_t)count * size) != 0)
    return raido_device_failed(w, "copying on the device");
  raido_measured(w, start, (struct raido_event){.name = "copy_dev_to_dev", .bytes = count * (i64)size});
  return 0;
}

RAIDO_FN int raido_launch(struct raido_worker *w, int kernel, i64 threads, void **args, size_t *sizes, int n, i64 shared) {
  struct raido_device *d = w->context->device;
  if (threads <= 0) return 0;
  if (RAIDO_CAN_FAIL) d->unchecked = 1;
  int size = raido_block_threads(w->context->config);
  i64 blocks = (threads + size - 1) / size, start = raido_measure(w);
  if (w->context->logging) fprintf(w->context->log, "launch %s: %" PRId64 " threads\n", raido_kernel_names[kernel], threads);
  if (dev_launch(&d->dev, kernel, blocks, size, args, sizes, n, (size_t)shared) != 0) return raido_device_failed(w, raido_kernel_names[kernel]);
  raido_measured(w, start, (struct raido_event){.name = raido_kernel_names[kernel], .is_kernel = 1, .blocks = blocks, .block_size = size});
  if (w->context->debugging) return raido_device_sync(w);
  return 0;
}

// A collective kernel over rows of so many parts: a power of two lanes for each row where a block has several rows, else a row has
// whole blocks. A block has so many rows `beside` each other, if there are.
RAIDO_FN void raido_grid_of_rows(struct raido_worker *w, i64 rows, i64 parts, i64 beside, i64 *lanes, i64 *blocks, i64 *threads, i64 *finish) {
  i64 size = raido_block_threads(w->context->config);
  while (beside / 2 >= rows && beside > 1) beside /= 2;
  *lanes = 1;
  while (*lanes < parts && *lanes * 2 * beside <= size) *lanes *= 2;
  if (*lanes < parts && beside <= 1) *lanes = size;
  *blocks = parts <= *lanes ? 1 : (parts + *lanes - 1) / *lanes;
  i64 rows_of_block = size / *lanes;
  *threads = (rows + rows_of_block - 1) / rows_of_block * *blocks * size;
  *finish = *blocks > 1 && !RAIDO_ORDERS_BLOCKS ? rows * size : 0;
}

// Arrays that the threads of a kernel update: cells, bytes of one, updates of each point. A block may have copies of it in its shared memory,
// from `at` times 8 bytes on.
struct raido_copies { i64 cells, bytes, updates, at, count; };

RAIDO_INLINE i64 raido_words_of_copies(const struct raido_copies *c) { return (c->cells * c->bytes * c->count + 7) / 8; }

// A grid of as many threads as fill the device, or one for each point if there are fewer or no array has copies. It has them if they fit, and
// if adding them to the array takes `gain` times fewer updates of memory. Neighbouring threads update different copies, as many as `each` bytes a
// thread have room for.
RAIDO_FN void raido_grid_of_updates(struct raido_worker *w, i64 points, i64 full, i64 gain, i64 each, struct raido_copies *c, int n, i64 *threads, i64 *shared) {
  i64 size = raido_block_threads(w->context->config), all = points / size + (points % size != 0), most = full / size > 1 ? full / size : 1;
  i64 blocks = all < most ? all : most, room = dev_shared(&w->context->device->dev) / 8, used = 0, at = 0;
  for (int k = 0; k < n; k++) {
    int pays = blocks > 0 && c[k].cells > 0 && c[k].cells <= points * c[k].updates / (gain * blocks);
    if (!pays || c[k].cells > room * 8 / c[k].bytes || used + raido_words_of_copies(&c[k]) > room) continue;
    used += raido_words_of_copies(&c[k]);
    c[k].at = 0;
  }
  for (int k = 0; k < n; k++)
    while (c[k].at == 0 && c[k].count < 32) {
      i64 more = raido_words_of_copies(&c[k]);
      if ((used + more) * 8 > each * size || used + more > room || c[k].cells * c[k].count * 2 > points / blocks * c[k].updates / gain) break;
      used += more;
      c[k].count *= 2;
    }
  for (int k = 0; k < n; k++)
    if (c[k].at == 0) {
      c[k].at = at;
      at += raido_words_of_copies(&c[k]);
    }
  *threads = (at > 0 ? blocks : all) * size;
  *shared = at > 0 ? 8 * at : 8;
}

// Tiles of a scan: blocks that wait for others, if the device promises that these run. Else the launches are: totals of all tiles, then one
// block for what is reached with each, then the tiles again.
RAIDO_FN void raido_grid_of_tiles(struct raido_worker *w, i64 points, i64 items, i64 *tiles, i64 *together, i64 *apart, i64 *one) {
  i64 size = raido_block_threads(w->context->config), each = size * items;
  *tiles = points / each + (points % each != 0);
  int waits = RAIDO_ORDERS_BLOCKS || *tiles < 2;
  *together = waits ? *tiles * size : 0;
  *apart = waits ? 0 : *tiles * size;
  *one = waits ? 0 : size;
}

// At least so many words of 0, which are not among the blocks of the program; no memory where none are needed.
RAIDO_FN struct raido_memory *raido_zeros(struct raido_worker *w, struct raido_memory *m, i64 count) {
  struct raido_device *d = w->context->device;
  size_t bytes = (size_t)count * sizeof(i32);
  if (m->bytes >= bytes) return m;
  if (m->bytes > 0) dev_free(&d->dev, m->device);
  m->bytes = 0;
  char *zeros = calloc(bytes, 1);
  int failed = zeros == NULL || dev_alloc(&d->dev, bytes, &m->device) != 0;
  if (failed && zeros != NULL) {
    raido_device_empty_lists(d);
    failed = dev_alloc(&d->dev, bytes, &m->device) != 0;
  }
  if (!failed && dev_write(&d->dev, m->device, 0, zeros, bytes) == 0) m->bytes = bytes;
  else if (!failed) dev_free(&d->dev, m->device);
  free(zeros);
  if (m->bytes > 0) return m;
  raido_lack_memory(w, "Failed to allocate memory in space 'device'.");
  return NULL;
}
RAIDO_FN struct raido_memory *raido_locks(struct raido_worker *w, i64 count) { return raido_zeros(w, &w->context->device->locks, count); }
RAIDO_FN struct raido_memory *raido_tickets(struct raido_worker *w, i64 count) {
  return raido_zeros(w, &w->context->device->tickets, RAIDO_ORDERS_BLOCKS ? count : 0);
}
// A counter and the states of so many tiles, which are marked with the launches that made them: nobody has to clear them.
RAIDO_FN struct raido_memory *raido_states(struct raido_worker *w, i64 tiles, i64 *launch) {
  struct raido_device *d = w->context->device;
  if (d->marks == INT32_MAX / 4) {
    if (d->states.bytes > 0) dev_free(&d->dev, d->states.device);
    d->states.bytes = 0;
    d->marks = 0;
  }
  *launch = ++d->marks;
  return raido_zeros(w, &d->states, tiles < 2 || !RAIDO_ORDERS_BLOCKS ? 0 : tiles + 1);
}

// The program's kernels as one text; NULL if there is no memory.
RAIDO_FN char *raido_joined_source(void) {
  size_t size = 1, at = 0;
  for (int k = 0; raido_kernel_source[k] != NULL; k++) size += strlen(raido_kernel_source[k]);
  char *text = malloc(size);
  for (int k = 0; text != NULL && raido_kernel_source[k] != NULL; k++) {
    size_t n = strlen(raido_kernel_source[k]);
    memcpy(text + at, raido_kernel_source[k], n);
    at += n;
  }
  if (text != NULL) text[at] = 0;
  return text;
}

RAIDO_FN int raido_device_start(struct raido_context *c) {
  struct raido_device *d = calloc(1, sizeof *d);
  if (d == NULL) return raido_lack_memory(&c->main, "out of memory");
  c->device = d;
  char *joined = c->config->texts[RAIDO_TEXT_SOURCE] == NULL ? raido_joined_source() : NULL;
  const char *source = joined != NULL ? joined : c->config->texts[RAIDO_TEXT_SOURCE];
  if (source == NULL) return raido_lack_memory(&c->main, "out of memory");
  int failed = dev_open(&d->dev, c->config, source);
  free(joined);
  if (failed) {
    raido_refuse(&c->main, "%s", dev_error(&d->dev));
    dev_close(&d->dev);
    return 1;
  }
  d->open = 1;
  i64 none[RAIDO_FAILURE_WORDS] = {-1, 0};
  if (RAIDO_TRACE_ROOM > 0) none[RAIDO_FAILURE_WORDS - 1] = RAIDO_TRACE_ROOM;
  if (dev_alloc(&d->dev, RAIDO_TRACE_WORDS * sizeof none[0], &d->failure) != 0 || dev_write(&d->dev, d->failure, 0, none, sizeof none) != 0)
    return raido_device_failed(&c->main, "device");
  return 0;
}

RAIDO_FN void raido_device_stop(struct raido_context *c) {
  struct raido_device *d = c->device;
  if (d == NULL) return;
  if (d->open) {
    raido_device_enter(c);
    if (RAIDO_TRACE_ROOM > 0) raido_device_sync(&c->main);
    while (d->all != NULL) raido_device_forget(d, d->all);
    if (d->failure) dev_free(&d->dev, d->failure);
    if (d->tickets.bytes > 0) dev_free(&d->dev, d->tickets.device);
    if (d->states.bytes > 0) dev_free(&d->dev, d->states.device);
    if (d->locks.bytes > 0) dev_free(&d->dev, d->locks.device);
    raido_device_leave(c);
    dev_close(&d->dev);
  }
  free(d);
  c->device = NULL;
}
