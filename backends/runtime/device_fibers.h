// device_fibers.h - blocks of kernels that run on the CPU as C (words_fibers.h). device_counts.h counts what they do, device_emulator.h is
// the device around them.
//
// A few threads of the operating system take blocks in order. Each runs one block at a time: it lets
// every fiber of the block run until it ends or waits at a barrier; when all wait at the same one, all go on. If some
// have ended, or wait elsewhere, the kernel is wrong: message and exit code 70. If nothing moves for RAIDO_PATIENCE
// seconds, some thread waits for another one of its block, which no device promises to run: message and exit code 71.
//
// Under a sanitizer every array has a block of its exact size, filled with ones, and goes back at once.
RAIDO_OPTIMISED

#ifndef RAIDO_PATIENCE
#define RAIDO_PATIENCE 120
#endif
#if defined(RAIDO_TSAN) || defined(RAIDO_ASAN)
#define RAIDO_EXACT_BLOCKS 1
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
  size_t shared;
  i64 blocks, block_size, next;          // next: the first block that nobody has taken
  int counted, counts, skips;            // memory is that of a counted program; blocks are counted now; only a sample of them runs
  int alone;                             // one thread takes all blocks
  i64 partly;                            // how many blocks run if only a sample of them is counted; else 0
  i64 before[8];                         // what the host had done
  char start, end;                       // places that order the fibers with the host
  pthread_mutex_t lock;
  pthread_cond_t work, finished;
  u64 launch;                            // its number
  int busy, stop, count;
  struct raido_emulator emulators[RAIDO_EMULATORS];
};

#ifdef RAIDO_EMULATED
RAIDO_UNSEEN void raido_run_counted_block(struct raido_emulator *e);
RAIDO_FN struct raido_counting *raido_counting_new(struct raido_emulated_block *b);
RAIDO_FN void raido_counting_free(struct raido_emulated_block *b);
RAIDO_FN i64 raido_number_in_sample(i64 position);
RAIDO_FN i64 raido_position_in_sample(i64 number, i64 blocks);
#endif

// ---- blocks ----

RAIDO_UNSEEN size_t raido_dynamic_bytes(void) { return raido_here->device->shared; }
RAIDO_UNSEEN bool raido_skips_blocks(void) { return raido_here->device->skips; }

RAIDO_UNSEEN void raido_fiber_main(void) {
  struct raido_emulated_block *b = raido_here;
  struct dev *d = b->device;
#ifdef RAIDO_ASAN
  __sanitizer_finish_switch_fiber(NULL, &b->stack, &b->stack_size);
#endif
  (void)b;
  __tsan_acquire(&d->start);
#ifdef RAIDO_EMULATED
  (b->counted ? raido_counted_kernel_calls : raido_kernel_calls)[d->kernel](d->args);
#else
  raido_kernel_calls[d->kernel](d->args);
#endif
  __tsan_release(&d->end);
  raido_give_way(RAIDO_ENDED);
  abort();
}

RAIDO_FN size_t raido_block_bytes(i64 block_size) {
  return RAIDO_SHARED_BYTES + 4096 + (size_t)block_size * RAIDO_STACK_BYTES;   // stacks begin at a page
}

RAIDO_FN void raido_map_block(struct raido_emulated_block *b) {
  b->bytes = raido_block_bytes(b->size);
  b->memory = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
  __asan_poison_memory_region(b->memory + RAIDO_BLOCK_WORDS, RAIDO_SHARED_BYTES);
  for (i64 k = 0; k < b->size; k++) {
    struct raido_fiber *f = &b->fibers[k];
    f->state = RAIDO_READY;
    f->barriers = 0;
    f->shared = 0;
    f->fake_stack = NULL;
    f->notes = b->counted ? b->notes + k * RAIDO_NOTES : NULL;
    f->noted = f->heard = 0;
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

// Whether all fibers wait at the same barrier; else all have ended.
RAIDO_UNSEEN int raido_all_wait(struct raido_emulated_block *b) {
  struct raido_fiber *one = NULL;
  for (i64 k = 0; k < b->size; k++)
    if (b->fibers[k].state == RAIDO_WAITING) one = &b->fibers[k];
  for (i64 k = 0; k < b->size && one != NULL; k++)
    if (b->fibers[k].state == RAIDO_ENDED || b->fibers[k].line != one->line) raido_diverged(b, one, &b->fibers[k]);
  return one != NULL;
}

RAIDO_UNSEEN void raido_run_block(struct raido_emulator *e) {
  struct raido_emulated_block *b = &e->block;
  raido_begin_block(b);
  do {
    for (i64 k = 0; k < b->size; k++) raido_resume(e, &b->fibers[k]);
  } while (raido_all_wait(b));
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
    while ((!d->alone || e == d->emulators) && (b->number = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->blocks) {
      if (b->fibers == NULL) {           // block sizes do not change
        b->size = d->block_size;
        b->fibers = calloc((size_t)b->size, sizeof *b->fibers);
        if (b->fibers == NULL) raido_panic("emulator", "out of memory");
#ifndef RAIDO_TSAN
        raido_map_block(b);
#endif
      }
#ifdef RAIDO_EMULATED
      b->position = d->partly ? raido_position_in_sample(b->number, d->partly) : b->number;
      if (d->skips) b->number = raido_number_in_sample(b->position);
      b->counted = d->counts && b->position >= 0;
      if (b->counted && b->counting == NULL && (b->counting = raido_counting_new(b)) == NULL) raido_panic("emulator", "out of memory");
      if (b->counted) { raido_run_counted_block(e); continue; }
#endif
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
#ifdef RAIDO_EMULATED
  raido_counting_free(b);
#endif
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

// Blocks `from` to `end` of the launch, or of the sample of it.
RAIDO_FN void raido_run_blocks(struct dev *d, i64 from, i64 end) {
  pthread_mutex_lock(&d->lock);
  d->blocks = end;
  d->next = from;
  d->launch++;
  d->busy = d->count;
  __tsan_release(&d->start);
  pthread_cond_broadcast(&d->work);
  raido_await(d);
  pthread_mutex_unlock(&d->lock);
  __tsan_acquire(&d->end);
}
RAIDO_AS_BEFORE
