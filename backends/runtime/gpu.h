// gpu.h - what all programs for devices share, above the device interface: counted blocks of device memory in free lists,
// transfers, launches, the failure word.
//
// The device interface (device_*.h) is: dev_mem, dev_open, dev_close, dev_sync, dev_alloc, dev_free, dev_read, dev_write,
// dev_copy, dev_launch, dev_error. The program supplies raido_kernel_names, raido_kernel_count, raido_texts.
//
// Every kernel of a program in which some check can fail takes the failure word: -1, or the number of the check that failed
// first, with up to 8 arguments after it. A kernel that finds it set does nothing; the host looks at it when it reads. Where
// kernels trace, the values follow it (words.h), in the order in which threads come to them.

struct raido_memory {
  i64 references;
  size_t bytes;
  int size_class;
  dev_mem device;
  struct raido_memory *next;           // in a free list
  struct raido_memory *after;          // in the list of all blocks
};

struct raido_device {
  struct raido_memory *free[RAIDO_SIZE_CLASSES], *all;
  dev_mem failure;
  int unchecked;                       // a kernel that can fail ran since the failure word was read
  struct dev_options options;
  struct dev dev;
};

#ifndef RAIDO_BLOCK_SIZE
#define RAIDO_BLOCK_SIZE 256
#endif

RAIDO_FN int raido_device_failed(struct raido_worker *w, const char *what) {
  return raido_fail(w, "%s: %s", what, dev_error(&w->context->device->dev));
}

RAIDO_FN struct raido_memory *raido_device_alloc(struct raido_worker *w, i64 bytes) {
  struct raido_device *d = w->context->device;
  if (bytes < 0) {
    raido_fail(w, "Negative allocation of %" PRId64 " bytes attempted in device space.", bytes);
    return NULL;
  }
  if (bytes > INT64_MAX / 4) {
    raido_fail(w, "Failed to allocate memory in space 'device'.\nAttempted allocation: more bytes than can be counted");
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
    return m;
  }
  m = calloc(1, sizeof *m);
  if (m == NULL || dev_alloc(&d->dev, rounded, &m->device) != 0) {
    free(m);
    raido_fail(w, "Failed to allocate memory in space 'device'.\nAttempted allocation: %12" PRId64 " bytes", bytes);
    return NULL;
  }
  m->references = 1;
  m->bytes = rounded;
  m->size_class = size_class;
  m->after = d->all;
  d->all = m;
  return m;
}

RAIDO_INLINE void raido_device_retain(struct raido_memory *m) { if (m != NULL) m->references++; }

RAIDO_FN void raido_device_release(struct raido_worker *w, struct raido_memory *m) {
  if (m == NULL || --m->references > 0) return;
#ifdef RAIDO_EXACT_BLOCKS
  dev_free(&w->context->device->dev, m->device);
  m->device = NULL;
  return;
#endif
  m->next = w->context->device->free[m->size_class];
  w->context->device->free[m->size_class] = m;
}

// The words of the failure word, its arguments and what is said of traced values; all of it with those.
enum { RAIDO_FAILURE_WORDS = RAIDO_TRACE_ROOM > 0 ? 11 : 9, RAIDO_TRACE_WORDS = RAIDO_FAILURE_WORDS + 2 * RAIDO_TRACE_ROOM };

RAIDO_FN int raido_print_traces(struct raido_worker *w, i64 count) {
  struct raido_device *d = w->context->device;
  FILE *log = w->context->log;
  i64 n = count < RAIDO_TRACE_ROOM ? count : RAIDO_TRACE_ROOM, none = 0;
  if (count == 0) return 0;
  i64 *values = malloc((size_t)n * 2 * sizeof *values);
  if (values == NULL) return raido_fail(w, "out of memory");
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

// Waits for the device and reports the check that failed there, if any.
RAIDO_FN int raido_device_sync(struct raido_worker *w) {
  struct raido_device *d = w->context->device;
  if (dev_sync(&d->dev) != 0) return raido_device_failed(w, "device");
  if (!d->unchecked) return 0;
  i64 failure[RAIDO_FAILURE_WORDS];
  d->unchecked = 0;
  if (dev_read(&d->dev, failure, d->failure, 0, sizeof failure) != 0) return raido_device_failed(w, "reading the failure word");
  if (RAIDO_TRACE_ROOM > 0 && raido_print_traces(w, failure[RAIDO_FAILURE_WORDS - 2]) != 0) return 1;
  if (failure[0] < 0) return 0;
  i64 none = -1;
  if (dev_write(&d->dev, d->failure, 0, &none, sizeof none) != 0) return raido_device_failed(w, "clearing the failure word");
  const char *text = raido_texts[failure[0]];
  if (text == NULL) return raido_fail(w, "a check failed");
  if (strncmp(text, "Error: ", 7) == 0) text += 7;
  return raido_check_failed(w, text, 8, failure + 1);
}

RAIDO_FN int raido_device_read(struct raido_worker *w, void *to, struct raido_memory *m, i64 index, size_t size) {
  if (raido_device_sync(w) != 0) return 1;
  if (dev_read(&w->context->device->dev, to, m->device, index * (i64)size, size) != 0) return raido_device_failed(w, "reading from the device");
  return 0;
}
RAIDO_FN int raido_device_write(struct raido_worker *w, struct raido_memory *m, i64 index, const void *from, size_t size) {
  if (dev_write(&w->context->device->dev, m->device, index * (i64)size, from, size) != 0) return raido_device_failed(w, "writing to the device");
  return 0;
}
RAIDO_FN int raido_device_upload(struct raido_worker *w, struct raido_memory *m, const void *from, i64 count, size_t size) {
  if (count == 0) return 0;
  if (dev_write(&w->context->device->dev, m->device, 0, from, (size_t)count * size) != 0) return raido_device_failed(w, "writing to the device");
  return 0;
}
RAIDO_FN int raido_device_copy(struct raido_worker *w, struct raido_memory *to, i64 to_at, struct raido_memory *from, i64 from_at, i64 count, size_t size) {
  if (count <= 0) return 0;
  if (dev_copy(&w->context->device->dev, to->device, to_at * (i64)size, from->device, from_at * (i64)size, (size_t)count * size) != 0)
    return raido_device_failed(w, "copying on the device");
  return 0;
}

// An argument's array on the device.
RAIDO_FN struct raido_memory *raido_device_take(struct raido_worker *w, const struct raido_value *v) {
  i64 bytes = raido_volume(v) * raido_types[v->type].bytes;
  struct raido_memory *m = raido_device_alloc(w, bytes);
  if (m != NULL && bytes > 0 && raido_device_write(w, m, 0, v->data, (size_t)bytes) != 0) return NULL;
  return m;
}
// A result's array on the host; `v` has its type and shape.
RAIDO_FN int raido_device_give(struct raido_worker *w, struct raido_memory *m, struct raido_value *v) {
  i64 bytes = raido_volume(v) * raido_types[v->type].bytes;
  v->data = raido_alloc(w, bytes);
  if (v->data == NULL) return 1;
  if (bytes > 0 && raido_device_read(w, v->data, m, 0, (size_t)bytes) != 0) return 1;
  raido_device_release(w, m);
  return 0;
}

RAIDO_FN int raido_launch(struct raido_worker *w, int kernel, i64 threads, void **args, size_t *sizes, int n) {
  struct raido_device *d = w->context->device;
  if (threads <= 0) return 0;
  if (RAIDO_CAN_FAIL) d->unchecked = 1;
  if (w->context->logging) fprintf(w->context->log, "launch %s: %" PRId64 " threads\n", raido_kernel_names[kernel], threads);
  if (dev_launch(&d->dev, kernel, (threads + RAIDO_BLOCK_SIZE - 1) / RAIDO_BLOCK_SIZE, RAIDO_BLOCK_SIZE, args, sizes, n) != 0)
    return raido_device_failed(w, raido_kernel_names[kernel]);
  if (w->context->debugging) return raido_device_sync(w);
  return 0;
}

RAIDO_FN char *raido_whole_file(const char *name) {
  FILE *f = fopen(name, "rb");
  if (f == NULL) return NULL;
  size_t size = 0, room = 65536;
  char *text = malloc(room);
  while (text != NULL) {
    size += fread(text + size, 1, room - size - 1, f);
    if (size < room - 1) break;
    room *= 2;
    char *more = realloc(text, room);
    if (more == NULL) free(text);
    text = more;
  }
  fclose(f);
  if (text != NULL) text[size] = 0;
  return text;
}

RAIDO_FN struct raido_device *raido_device_of(struct raido_context *c) {
  if (c->device == NULL) c->device = calloc(1, sizeof *c->device);
  if (c->device == NULL) raido_panic(c->program, "out of memory");
  return c->device;
}

RAIDO_FN int raido_device_option(struct raido_context *c, int which, const char *value) {
  struct dev_options *o = &raido_device_of(c)->options;
  switch (which - RAIDO_DEVICE_OPTIONS) {
    case 3: o->list = 1; break;
    case 4: {
      FILE *f = fopen(value, "w");
      if (f == NULL) return raido_fail(&c->main, "Cannot open %s: %s", value, strerror(errno));
      for (int k = 0; raido_kernel_source[k] != NULL; k++) fputs(raido_kernel_source[k], f);
      int lost = ferror(f);
      if (fclose(f) != 0 || lost) return raido_fail(&c->main, "Cannot write %s: %s", value, strerror(errno));
      exit(0);
    }
    case 5:
      o->source = raido_whole_file(value);
      if (o->source == NULL) return raido_fail(&c->main, "Cannot open %s: %s", value, strerror(errno));
      break;
    case 6:
      if (o->build_option_count < RAIDO_BUILD_OPTIONS) o->build_options[o->build_option_count++] = value;
      break;
    default:
      if (which == 'd') o->device = value;
      else if (which == 'p') o->platform = value;
  }
  return 0;
}

RAIDO_FN int raido_device_start(struct raido_context *c) {
  struct raido_device *d = raido_device_of(c);
  char *joined = NULL;
  if (d->options.source == NULL) {
    size_t size = 1;
    for (int k = 0; raido_kernel_source[k] != NULL; k++) size += strlen(raido_kernel_source[k]);
    joined = calloc(1, size);
    if (joined == NULL) return raido_fail(&c->main, "out of memory");
    for (int k = 0; raido_kernel_source[k] != NULL; k++) strcat(joined, raido_kernel_source[k]);
    d->options.source = joined;
  }
  int failed = dev_open(&d->dev, &d->options, c->logging ? c->log : NULL);
  free(joined);
  if (failed) return raido_fail(&c->main, "%s", dev_error(&d->dev));
  i64 none[RAIDO_FAILURE_WORDS] = {-1, 0};
  if (RAIDO_TRACE_ROOM > 0) none[RAIDO_FAILURE_WORDS - 1] = RAIDO_TRACE_ROOM;
  if (dev_alloc(&d->dev, RAIDO_TRACE_WORDS * sizeof none[0], &d->failure) != 0 || dev_write(&d->dev, d->failure, 0, none, sizeof none) != 0)
    return raido_device_failed(&c->main, "device");
  return 0;
}

RAIDO_FN void raido_device_stop(struct raido_context *c) {
  struct raido_device *d = c->device;
  if (RAIDO_TRACE_ROOM > 0) raido_device_sync(&c->main);
  while (d->all != NULL) {
    struct raido_memory *m = d->all;
    d->all = m->after;
    dev_free(&d->dev, m->device);
    free(m);
  }
  dev_free(&d->dev, d->failure);
  dev_close(&d->dev);
  free(d);
  c->device = NULL;
}
