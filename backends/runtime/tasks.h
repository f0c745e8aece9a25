// tasks.h - a pool of threads that share the chunks of parallel loops. A join waits only for chunks that were claimed.
//
// A loop occupies a slot. The slot's ticket holds a generation, the number of chunks and the next free chunk in one
// word; whoever advances it by compare-and-swap has claimed that chunk of that generation, and only then reads what
// the loop is. So the caller, who claims chunks like everybody else, need not know who is looking: when no chunk is
// left it waits for those that were claimed, and a thread that the operating system does not run costs nothing.
// The partition of a loop depends on its size only, never on the number of threads, so results do not either.

typedef int (*raido_chunk)(struct raido_worker *w, void *captures, i64 first, i64 last);

// What is known of a parallel loop in the program: the picoseconds that one of its iterations takes, how often it ran on the spot.
struct raido_site { i64 cost; u32 runs; };

enum { RAIDO_SLOTS = 64, RAIDO_CHUNKS = 64, RAIDO_MAX_THREADS = 256 };

struct raido_slot {
  u64 ticket;          // generation << 16 | chunks << 8 | next
  u32 busy, done;
  raido_chunk run;
  void *captures;
  i64 first, n;        // the iterations first .. first + n - 1
  i64 grain;           // chunks are whole multiples of it, but for the last one
  u32 failed;          // lowest chunk that failed, or RAIDO_CHUNKS
  char *error;
  pthread_mutex_t lock;  // guards failed, error
  char padding[64];
};

struct raido_pool {
  struct raido_slot slots[RAIDO_SLOTS];
  struct raido_worker workers[RAIDO_MAX_THREADS];   // 0 is unused: the caller has its own
  pthread_t threads[RAIDO_MAX_THREADS];
  int count;           // threads, the caller included
  u32 stop, sleeping, posted;
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

#define RAIDO_LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define RAIDO_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

// memory[index] := value, as one step: of the stores of several threads to one cell, any stays.
#define ATOMIC_STORE(T, memory, index, value)                             \
  do {                                                                    \
    T stored_ = (value);                                                  \
    __atomic_store((memory) + (index), &stored_, __ATOMIC_RELAXED);       \
  } while (0)

// memory[index] := op(memory[index], value), as one step.
#define ATOMIC_UPDATE(T, op, memory, index, value)                                                              \
  do {                                                                                                          \
    T *cell_ = (memory) + (index), old_, new_;                                                                  \
    __atomic_load(cell_, &old_, __ATOMIC_RELAXED);                                                              \
    do new_ = op(old_, value);                                                                                  \
    while (!__atomic_compare_exchange(cell_, &old_, &new_, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));             \
  } while (0)
#define ATOMIC_UPDATE_HALF(op, memory, index, value)                                                            \
  do {                                                                                                          \
    f16 *cell_ = (memory) + (index), old_, new_;                                                                \
    __atomic_load(cell_, &old_, __ATOMIC_RELAXED);                                                              \
    do new_ = raido_f32_to_f16(op(raido_f16_to_f32(old_), value));                                              \
    while (!__atomic_compare_exchange(cell_, &old_, &new_, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));             \
  } while (0)

RAIDO_INLINE i64 raido_threads(struct raido_worker *w) { return w->context->pool == NULL ? 1 : w->context->pool->count; }

RAIDO_INLINE void raido_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

RAIDO_FN void raido_run_chunk(struct raido_worker *w, struct raido_slot *s, u32 chunk, u32 chunks) {
  i64 grains = (s->n + s->grain - 1) / s->grain, each = grains / chunks, rest = grains % chunks;
  i64 begin = each * chunk + (chunk < rest ? chunk : rest), end = begin + each + (chunk < rest);
  i64 first = s->first + begin * s->grain, last = end == grains ? s->first + s->n : s->first + end * s->grain;
  int place = w->place;
  if (chunk < RAIDO_LOAD(&s->failed) && s->run(w, s->captures, first, last) != 0) {
    pthread_mutex_lock(&s->lock);
    if (chunk < s->failed) {
      raido_free_error(s->error);
      s->error = w->error;
      RAIDO_STORE(&s->failed, chunk);
    } else {
      raido_free_error(w->error);
    }
    w->error = NULL;
    pthread_mutex_unlock(&s->lock);
  }
  RAIDO_MARK(place);
  __atomic_add_fetch(&s->done, 1, __ATOMIC_ACQ_REL);
}

// Claims and runs chunks of a slot until none is left. Only chunks of `generation`, unless that is 0. How many ran.
RAIDO_FN u32 raido_help(struct raido_worker *w, struct raido_slot *s, u64 generation) {
  u32 ran = 0;
  for (;;) {
    u64 t = RAIDO_LOAD(&s->ticket);
    u32 next = t & 255, chunks = (t >> 8) & 255;
    if (next >= chunks || (generation != 0 && t >> 16 != generation)) return ran;
    if (!__atomic_compare_exchange_n(&s->ticket, &t, t + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    raido_run_chunk(w, s, next, chunks);
    ran++;
  }
}

RAIDO_FN void *raido_thread(void *argument) {
  struct raido_worker *w = argument;
  struct raido_pool *p = w->context->pool;
  i64 idle_since = raido_nanoseconds();
  w->stack = raido_stack_end();
  raido_flush_subnormals();
  while (!RAIDO_LOAD(&p->stop)) {
    u32 posted = RAIDO_LOAD(&p->posted);
    u32 any = 0;
    for (int k = 0; k < RAIDO_SLOTS; k++) {
      u64 t = RAIDO_LOAD(&p->slots[k].ticket);
      if ((t & 255) < ((t >> 8) & 255)) any |= raido_help(w, &p->slots[k], 0);
    }
    if (any) { idle_since = raido_nanoseconds(); continue; }
    for (int k = 0; k < 32; k++) raido_pause();
    if (raido_nanoseconds() - idle_since < 100000) continue;
    pthread_mutex_lock(&p->lock);
    __atomic_add_fetch(&p->sleeping, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&p->posted, __ATOMIC_SEQ_CST) == posted && !RAIDO_LOAD(&p->stop)) pthread_cond_wait(&p->wake, &p->lock);
    __atomic_sub_fetch(&p->sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&p->lock);
    idle_since = raido_nanoseconds();
  }
  return NULL;
}

RAIDO_FN struct raido_slot *raido_free_slot(struct raido_pool *p) {
  for (int k = 0; k < RAIDO_SLOTS; k++) {
    u32 no = 0;
    if (__atomic_load_n(&p->slots[k].busy, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&p->slots[k].busy, &no, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return &p->slots[k];
  }
  return NULL;
}

// Later samples count for a quarter.
RAIDO_FN void raido_note_cost(struct raido_site *site, i64 nanoseconds, double iterations) {
  double spent = (double)nanoseconds * 1000.0 / iterations;
  i64 known = __atomic_load_n(&site->cost, __ATOMIC_RELAXED), sample = spent < 1 ? 1 : spent > 1e15 ? (i64)1e15 : (i64)spent;
  __atomic_store_n(&site->cost, known == 0 ? sample : known / 4 * 3 + sample / 4 + 1, __ATOMIC_RELAXED);
}

RAIDO_FN int raido_share(struct raido_worker *w, struct raido_slot *s, struct raido_site *site, raido_chunk run, void *captures, i64 first, i64 n, i64 grain) {
  struct raido_pool *p = w->context->pool;
  i64 grains = (n + grain - 1) / grain, start = raido_nanoseconds();
  u32 chunks = grains < RAIDO_CHUNKS ? (u32)grains : (u32)RAIDO_CHUNKS;
  u64 generation = (RAIDO_LOAD(&s->ticket) >> 16) + 1;
  s->run = run;
  s->captures = captures;
  s->first = first;
  s->n = n;
  s->grain = grain;
  s->error = NULL;
  RAIDO_STORE(&s->failed, (u32)RAIDO_CHUNKS);
  RAIDO_STORE(&s->done, 0u);
  RAIDO_STORE(&s->ticket, generation << 16 | (u64)chunks << 8);
  __atomic_add_fetch(&p->posted, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&p->sleeping, __ATOMIC_SEQ_CST) > 0) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
  }
  u32 own = raido_help(w, s, generation);
  if (own > 0) raido_note_cost(site, raido_nanoseconds() - start, (double)n * own / chunks);
  for (int spins = 0; RAIDO_LOAD(&s->done) < chunks; spins++) {
    if (spins < 1000) raido_pause(); else sched_yield();
  }
  char *error = s->error;
  int failed = RAIDO_LOAD(&s->failed) < RAIDO_CHUNKS;
  RAIDO_STORE(&s->busy, 0u);
  if (failed) {
    if (w->error == NULL) w->error = error; else raido_free_error(error);
  }
  return failed;
}

// Every 16th run is measured, and the first: small loops take as long as a look at the clock.
RAIDO_FN int raido_on_the_spot(struct raido_worker *w, struct raido_site *site, raido_chunk run, void *captures, i64 n) {
  if (__atomic_fetch_add(&site->runs, 1, __ATOMIC_RELAXED) % 16 != 0) return run(w, captures, 0, n);
  i64 start = raido_nanoseconds();
  int failed = run(w, captures, 0, n);
  raido_note_cost(site, raido_nanoseconds() - start, (double)n);
  return failed;
}

// Runs the iterations 0..n-1. The first run of a site measures the first 64th of the range. Later runs are samples, too, since the first
// one finds cold caches. A loop expected to take less than 10 microseconds runs on the spot; less than
// 50, if a thread would have to be woken. `grain`: iterations that are faster together.
RAIDO_FN int raido_parallel_for(struct raido_worker *w, struct raido_site *site, raido_chunk run, void *captures, i64 n, i64 grain) {
  struct raido_pool *p = w->context->pool;
  i64 first = 0;
  if (n <= 0) return 0;
  if (p == NULL || p->count < 2) return run(w, captures, 0, n);
  if (__atomic_load_n(&site->cost, __ATOMIC_RELAXED) == 0) {
    first = (n / 64 + grain) / grain * grain;
    if (first > n) first = n;
    __atomic_store_n(&site->runs, 0, __ATOMIC_RELAXED);
    if (raido_on_the_spot(w, site, run, captures, first) != 0) return 1;
    if (first == n) return 0;
  }
  double least = __atomic_load_n(&p->sleeping, __ATOMIC_RELAXED) > 0 ? 5e7 : 1e7;
  if (n - first > grain && (double)__atomic_load_n(&site->cost, __ATOMIC_RELAXED) * (double)(n - first) > least) {
    struct raido_slot *s = raido_free_slot(p);
    if (s != NULL) return raido_share(w, s, site, run, captures, first, n - first, grain);
  }
  if (first > 0) return run(w, captures, first, n);
  return raido_on_the_spot(w, site, run, captures, n);
}

RAIDO_FN int raido_pool_start(struct raido_context *c) {
  int count = c->num_threads;
  if (count < 1) count = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (count > RAIDO_MAX_THREADS) count = RAIDO_MAX_THREADS;
  struct raido_pool *p = calloc(1, sizeof *p);
  if (p == NULL) return raido_lack_memory(&c->main, "out of memory");
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  for (int k = 0; k < RAIDO_SLOTS; k++) pthread_mutex_init(&p->slots[k].lock, NULL);
  c->pool = p;
  c->main.alone = count < 2;
  p->count = 1;
  for (int k = 1; k < count; k++) {
    p->workers[k].context = c;
    p->workers[k].number = k;
    if (pthread_create(&p->threads[k], NULL, raido_thread, &p->workers[k]) != 0) break;
    p->count = k + 1;
  }
  return 0;
}

RAIDO_FN void raido_pool_stop(struct raido_context *c) {
  struct raido_pool *p = c->pool;
  if (p == NULL) return;
  pthread_mutex_lock(&p->lock);
  RAIDO_STORE(&p->stop, 1u);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int k = 1; k < p->count; k++) {
    pthread_join(p->threads[k], NULL);
    raido_free_error(p->workers[k].error);
  }
  for (int k = 0; k < RAIDO_SLOTS; k++) pthread_mutex_destroy(&p->slots[k].lock);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  free(p);
  c->pool = NULL;
}
