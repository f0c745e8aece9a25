// memory.h - blocks of memory with reference counts, kept in free lists by size class.
//
// A block is named by the address of its data; its header lies before it. Sizes are rounded up to four classes per
// power of two. So a block fits any later request of its class, and at most a fifth is wasted. A worker keeps what it
// releases and serves itself from there first. When what is kept exceeds a quarter of the peak plus 64 MiB, blocks go
// back to the system.
//
// A call that fails does not release its blocks. The references of the outside are counted apart (`held`): after a failure
// raido_reclaim frees every block that the outside does not hold.

// Adds to a number of references, as one step where there is more than one thread.
RAIDO_INLINE i64 raido_count(struct raido_worker *w, i64 *references, i64 more) {
  if (w->alone) return *references += more;
  return __atomic_add_fetch(references, more, __ATOMIC_ACQ_REL);
}

struct raido_block {
  i64 references;
  size_t bytes;               // of data
  int size_class, held;       // held: the references that values of the outside and top-level values have
  int lasts;                  // a top-level value lies here
  struct raido_block *next;   // in a free list
  struct raido_block *before, *after;  // in the list of all blocks
};

enum { RAIDO_HEADER = 64 };

RAIDO_INLINE struct raido_block *raido_header(void *data) { return (struct raido_block *)((char *)data - RAIDO_HEADER); }

// The product of sizes, or -1 if one is negative, or INT64_MAX if it does not fit.
RAIDO_INLINE i64 raido_size(i64 x, i64 y) {
  i64 r;
  if (x < 0 || y < 0) return -1;
  return __builtin_mul_overflow(x, y, &r) ? INT64_MAX : r;
}

// The product of two factors of an allocation. Sizes are not negative, and too large a product is INT64_MAX. But a size may be a product that
// the program has made of any numbers; of negative ones it is what the program made of them.
RAIDO_CALLED i64 raido_product(i64 x, i64 y) {
  i64 r;
  return __builtin_mul_overflow(x, y, &r) && x > 0 && y > 0 ? INT64_MAX : (i64)((u64)x * (u64)y);
}

RAIDO_INLINE i64 raido_at_least_0(i64 x) { return x < 0 ? 0 : x; }

RAIDO_INLINE int raido_size_class(size_t bytes, size_t *rounded) {
  if (bytes < 64) bytes = 64;
  int top = 63 - __builtin_clzll((unsigned long long)(bytes - 1) | 32);   // 2^top < bytes <= 2^(top+1), top >= 5
  size_t step = (size_t)1 << (top - 2);
  size_t quarter = (bytes - ((size_t)1 << top) + step - 1) / step;        // 1..4
  *rounded = ((size_t)1 << top) + quarter * step;
  return (top - 5) * 4 + (int)quarter - 1;
}

RAIDO_FN void raido_forget(struct raido_context *c, struct raido_block *b) {
  if (b->before != NULL) b->before->after = b->after; else c->blocks = b->after;
  if (b->after != NULL) b->after->before = b->before;
  __atomic_store_n(&c->live, c->live - b->bytes, __ATOMIC_RELAXED);
}

// Gives the blocks in the worker's free lists back to the system.
RAIDO_FN void raido_empty_lists(struct raido_worker *w) {
  struct raido_context *c = w->context;
  pthread_mutex_lock(&c->lock);
  for (int k = 0; k < RAIDO_SIZE_CLASSES; k++)
    while (w->free[k] != NULL) {
      struct raido_block *b = w->free[k];
      w->free[k] = b->next;
      raido_forget(c, b);
      free(b);
    }
  pthread_mutex_unlock(&c->lock);
  w->cached = 0;
}

// Memory from the system; NULL if there is none. Large blocks ask for pages of 2 MiB, since a page fault for each 4 KiB takes longer than many
// programs need to fill them.
RAIDO_FN void *raido_obtain(size_t bytes) {
  const size_t huge = (size_t)2 << 20;
  void *place = NULL;
  if (posix_memalign(&place, bytes < 2 * huge ? 64 : huge, bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
  if (bytes >= 2 * huge) (void)madvise(place, bytes / huge * huge, MADV_HUGEPAGE);   // no matter if the system has none
#endif
  return place;
}

RAIDO_CALLED void *raido_alloc_slow(struct raido_worker *w, i64 bytes, size_t rounded, int size_class) {
  struct raido_context *c = w->context;
  struct raido_block *b = NULL;
  for (int again = 0;; again++) {
    int allowed = c->limit == 0 || __atomic_load_n(&c->live, __ATOMIC_RELAXED) + rounded <= c->limit;
    if (allowed && (b = raido_obtain(rounded + RAIDO_HEADER)) != NULL) break;
    if (again == 0) { raido_empty_lists(w); continue; }
    if (allowed) raido_lack_memory(w, "Error: out of memory: %" PRId64 " bytes could not be allocated.", bytes);
    else raido_lack_memory(w, "Error: out of memory: %" PRId64 " bytes do not fit into the limit of %zu bytes, of which %zu are in use.", bytes,
                           c->limit, __atomic_load_n(&c->live, __ATOMIC_RELAXED));
    return NULL;
  }
  b->references = 1;
  b->held = 0;
  b->lasts = 0;
  b->bytes = rounded;
  b->size_class = size_class;
  b->before = NULL;
  pthread_mutex_lock(&c->lock);
  b->after = c->blocks;
  if (c->blocks != NULL) c->blocks->before = b;
  c->blocks = b;
  __atomic_store_n(&c->live, c->live + rounded, __ATOMIC_RELAXED);   // raido_alloc_slow reads it without the lock
  if (c->live > c->peak) __atomic_store_n(&c->peak, c->live, __ATOMIC_RELAXED);   // read by raido_release_last without the lock
  pthread_mutex_unlock(&c->lock);
  return (char *)b + RAIDO_HEADER;
}

// A block of at least `bytes` bytes with one reference; NULL after a failure.
RAIDO_FN void *raido_alloc(struct raido_worker *w, i64 bytes) {
  if (RAIDO_UNLIKELY(bytes < 0)) {
    raido_fail(w, "Negative allocation of %" PRId64 " bytes attempted in default space.", bytes);
    return NULL;
  }
  if (RAIDO_UNLIKELY(bytes > INT64_MAX / 4)) {
    raido_lack_memory(w, "Error: out of memory: the size of an array does not fit.");
    return NULL;
  }
  size_t rounded;
  int size_class = raido_size_class((size_t)bytes, &rounded);
  struct raido_block *b = w->free[size_class];
  if (b != NULL) {
    w->free[size_class] = b->next;
    w->cached -= b->bytes;
    b->references = 1;
    b->held = 0;
    return (char *)b + RAIDO_HEADER;
  }
  return raido_alloc_slow(w, bytes, rounded, size_class);
}

RAIDO_CALLED void raido_retain(struct raido_worker *w, void *data) {
  if (data != NULL) raido_count(w, &raido_header(data)->references, 1);
}

RAIDO_CALLED void raido_release_last(struct raido_worker *w, struct raido_block *b) {
  struct raido_context *c = w->context;
  if (w->cached > __atomic_load_n(&c->peak, __ATOMIC_RELAXED) / 4 + ((size_t)64 << 20)) {
    pthread_mutex_lock(&c->lock);
    raido_forget(c, b);
    pthread_mutex_unlock(&c->lock);
    free(b);
    return;
  }
  b->next = w->free[b->size_class];
  w->free[b->size_class] = b;
  w->cached += b->bytes;
}

RAIDO_CALLED void raido_release(struct raido_worker *w, void *data) {
  if (data != NULL && raido_count(w, &raido_header(data)->references, -1) == 0) raido_release_last(w, raido_header(data));
}

// After a failure, when nothing runs: a block has only the references that are held, and is free without one.
RAIDO_FN void raido_reclaim(struct raido_context *c) {
  for (struct raido_block *b = c->blocks, *after; b != NULL; b = after) {
    after = b->after;
    if (b->references == 0) continue;                // in a free list
    b->references = b->held;
    if (b->held == 0) raido_release_last(&c->main, b);
  }
}

// When the top-level values are there, before anything else is allocated: all that has a reference is held.
RAIDO_FN void raido_hold_all(struct raido_context *c) {
  for (struct raido_block *b = c->blocks; b != NULL; b = b->after) {
    b->held = (int)b->references;
    b->lasts = b->held > 0;
  }
}

RAIDO_FN void raido_free_all(struct raido_context *c) {
  while (c->blocks != NULL) {
    struct raido_block *b = c->blocks;
    c->blocks = b->after;
    free(b);
  }
}
