// device_fibers.h - the emulator: a device whose kernels run on the CPU as C (words_fibers.h), and which counts everything.
// At the end the counts are printed on standard error.
//
// A few threads of the operating system take blocks in order. Each runs one block at a time: it lets
// every fiber of the block run until it ends or waits at a barrier; when all wait at the same one, all go on. If some
// have ended, or wait elsewhere, the kernel is wrong: message and exit code 70. If nothing moves for RAIDO_PATIENCE
// seconds, some thread waits for another one of its block, which no device promises to run: message and exit code 71.
//
// Under a sanitizer every array has a block of its exact size, filled with ones, and goes back at once.

#ifndef RAIDO_PATIENCE
#define RAIDO_PATIENCE 120
#endif
#if defined(RAIDO_TSAN) || defined(RAIDO_ASAN)
#define RAIDO_EXACT_BLOCKS 1
#define RAIDO_BLOCK_SIZE 64
#endif

typedef char *dev_mem;

enum { RAIDO_EMULATORS = 4 };

struct raido_emulator {                  // a thread of the operating system
  struct dev *device;
  pthread_t thread;
  struct raido_emulated_block block;
  u64 switches;                          // to fibers, so far
  i64 running;                           // the thread of the kernel that has the processor, or -1
};

struct dev {
  int quiet;                             // the counts are not printed
  i64 kernels, threads, copies, bytes, reads, read_bytes, writes, written_bytes, allocations, allocated;
  // The launch that is running.
  int kernel;
  void **args;
  i64 blocks, block_size, next;          // next: the first block that nobody has taken
  char start, end;                       // places that order the fibers with the host
  pthread_mutex_t lock;
  pthread_cond_t work, finished;
  u64 launch;                            // its number
  int busy, stop, count;
  struct raido_emulator emulators[RAIDO_EMULATORS];
};

// ---- blocks ----

RAIDO_UNSEEN void raido_fiber_main(void) {
  struct raido_emulated_block *b = raido_here;
  struct dev *d = b->device;
#ifdef RAIDO_ASAN
  __sanitizer_finish_switch_fiber(NULL, &b->stack, &b->stack_size);
#endif
  (void)b;
  __tsan_acquire(&d->start);
  raido_kernel_calls[d->kernel](d->args);
  __tsan_release(&d->end);
  raido_give_way(RAIDO_ENDED);
  abort();
}

RAIDO_FN size_t raido_block_bytes(i64 block_size) {
  return 16 + RAIDO_SHARED_BYTES + 4080 + (size_t)block_size * RAIDO_STACK_BYTES;   // stacks begin at a page
}

RAIDO_FN void raido_map_block(struct raido_emulated_block *b) {
  b->memory = mmap(NULL, raido_block_bytes(b->size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->memory == MAP_FAILED) raido_panic("emulator", "out of memory");
#ifndef RAIDO_TSAN                       // too dear for every block
  for (i64 k = 0; k < b->size; k++)      // a page that nobody may touch ends each stack
    if (mprotect(b->memory + raido_block_bytes(k), 4096, PROT_NONE) != 0) raido_panic("emulator", "out of memory");
#endif
}

RAIDO_UNSEEN void raido_begin_block(struct raido_emulated_block *b) {
#ifdef RAIDO_TSAN
  raido_map_block(b);
  b->thread = __tsan_get_current_fiber();
#endif
  __asan_unpoison_memory_region(b->memory, raido_block_bytes(b->size));
  __asan_poison_memory_region(b->memory + 16, RAIDO_SHARED_BYTES);
  for (i64 k = 0; k < b->size; k++) {
    struct raido_fiber *f = &b->fibers[k];
    f->state = RAIDO_READY;
    f->barriers = 0;
    f->shared = 0;
    f->fake_stack = NULL;
    raido_prepare(&f->registers, b->memory + raido_block_bytes(k) + 4096, RAIDO_STACK_BYTES - 4096, raido_fiber_main);
#ifdef RAIDO_TSAN
    f->thread = __tsan_create_fiber(0);
#endif
  }
}

RAIDO_UNSEEN void raido_end_block(struct raido_emulated_block *b) {
#ifdef RAIDO_TSAN
  for (i64 k = 0; k < b->size; k++) __tsan_destroy_fiber(b->fibers[k].thread);
  munmap(b->memory, raido_block_bytes(b->size));
#else
  (void)b;
#endif
}

RAIDO_UNSEEN void raido_resume(struct raido_emulator *e, struct raido_fiber *f) {
  struct raido_emulated_block *b = &e->block;
  b->current = f;
  __atomic_store_n(&e->running, b->number * b->size + (f - b->fibers), __ATOMIC_RELAXED);
  __atomic_add_fetch(&e->switches, 1, __ATOMIC_RELAXED);
#ifdef RAIDO_ASAN
  char *stack = b->memory + raido_block_bytes(f - b->fibers) + 4096;
  __sanitizer_start_switch_fiber(&b->fake_stack, stack, RAIDO_STACK_BYTES - 4096);
#endif
#ifdef RAIDO_TSAN
  __tsan_switch_to_fiber(f->thread, 1);
#endif
  raido_switch(&b->scheduler, &f->registers);
#ifdef RAIDO_ASAN
  __sanitizer_finish_switch_fiber(b->fake_stack, NULL, NULL);
#endif
}

RAIDO_UNSEEN void raido_diverged(struct raido_emulated_block *b, struct raido_fiber *waiting, struct raido_fiber *other) {
  const char *kernel = raido_kernel_names[b->device->kernel];
  i64 first = waiting - b->fibers, second = other - b->fibers;
  flockfile(stderr);                     // another block may fail too: only the first one speaks
  fprintf(stderr, "emulator: barrier divergence in %s, block %" PRId64 ": thread %" PRId64 " waits at line %d, thread %" PRId64,
          kernel, b->number, first, waiting->line, second);
  if (other->state == RAIDO_ENDED) fprintf(stderr, " has ended\n");
  else fprintf(stderr, " at line %d\n", other->line);
  _exit(70);
}

RAIDO_UNSEEN void raido_run_block(struct raido_emulator *e) {
  struct raido_emulated_block *b = &e->block;
  raido_begin_block(b);
  for (int waiting = 1; waiting;) {
    for (i64 k = 0; k < b->size; k++) raido_resume(e, &b->fibers[k]);
    struct raido_fiber *one = NULL;
    for (i64 k = 0; k < b->size; k++)
      if (b->fibers[k].state == RAIDO_WAITING) one = &b->fibers[k];
    waiting = one != NULL;
    for (i64 k = 0; k < b->size && waiting; k++)
      if (b->fibers[k].state == RAIDO_ENDED || b->fibers[k].line != one->line) raido_diverged(b, one, &b->fibers[k]);
  }
  raido_end_block(b);
}

// ---- launches ----

RAIDO_FN void *raido_emulate(void *argument) {
  struct raido_emulator *e = argument;
  struct dev *d = e->device;
  struct raido_emulated_block *b = &e->block;
  u64 done = 0;
  raido_here = b;
  b->device = d;
  for (;;) {
    pthread_mutex_lock(&d->lock);
    while (d->launch == done && !d->stop) pthread_cond_wait(&d->work, &d->lock);
    if (d->stop) break;
    done = d->launch;
    pthread_mutex_unlock(&d->lock);
    while ((b->number = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->blocks) {
      if (b->fibers == NULL) {           // block sizes do not change
        b->size = d->block_size;
        b->fibers = calloc((size_t)b->size, sizeof *b->fibers);
        if (b->fibers == NULL) raido_panic("emulator", "out of memory");
#ifndef RAIDO_TSAN
        raido_map_block(b);
#endif
      }
      raido_run_block(e);
    }
    __atomic_store_n(&e->running, -1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&d->lock);
    if (--d->busy == 0) pthread_cond_signal(&d->finished);
    pthread_mutex_unlock(&d->lock);
  }
  pthread_mutex_unlock(&d->lock);
  if (b->fibers != NULL) {
#ifndef RAIDO_TSAN
    __asan_unpoison_memory_region(b->memory, raido_block_bytes(b->size));
    munmap(b->memory, raido_block_bytes(b->size));
#endif
    free(b->fibers);
  }
  return NULL;
}

RAIDO_FN void raido_stuck(struct dev *d) {
  fprintf(stderr, "emulator: deadlock in %s: nothing has moved for %d seconds; running:", raido_kernel_names[d->kernel], RAIDO_PATIENCE);
  for (int k = 0; k < d->count; k++) {
    i64 thread = __atomic_load_n(&d->emulators[k].running, __ATOMIC_RELAXED);
    if (thread >= 0) fprintf(stderr, " thread %" PRId64 " of block %" PRId64, thread % d->block_size, thread / d->block_size);
  }
  fprintf(stderr, "\n");
  _exit(71);
}

// Waits for the end of the launch with the lock held.
RAIDO_FN void raido_await(struct dev *d) {
  u64 before = 0;
  int still = 0;
  while (d->busy > 0) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec++;
    if (pthread_cond_timedwait(&d->finished, &d->lock, &t) != ETIMEDOUT) continue;
    u64 now = 0;
    for (int k = 0; k < d->count; k++) now += __atomic_load_n(&d->emulators[k].switches, __ATOMIC_RELAXED);
    still = now == before ? still + 1 : 0;
    before = now;
    if (still >= RAIDO_PATIENCE) raido_stuck(d);
  }
}

RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n) {
  (void)sizes;
  (void)n;
  if (kernel >= raido_kernel_count) return 1;
  d->kernels++;
  d->threads += blocks * block_size;
  pthread_mutex_lock(&d->lock);
  d->kernel = kernel;
  d->args = args;
  d->blocks = blocks;
  d->block_size = block_size;
  d->next = 0;
  d->launch++;
  d->busy = d->count;
  __tsan_release(&d->start);
  pthread_cond_broadcast(&d->work);
  raido_await(d);
  pthread_mutex_unlock(&d->lock);
  __tsan_acquire(&d->end);
  return 0;
}

// ---- the rest of the interface ----

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
  d->quiet = !cfg->count;
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
  *out = malloc(words);
  d->allocations++;
  d->allocated += (i64)n;
  if (*out == NULL) return 1;
#ifdef RAIDO_EXACT_BLOCKS
  memset(*out, 255, words);              // who reads what nobody has written finds -1, or not a number
#endif
  return 0;
}
RAIDO_FN int dev_number(struct dev *d) { (void)d; return 0; }
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
