// device_counts.h - what the counted kernels of the emulator do, exactly: it puts the notes of the lanes of a warp together in lockstep
// (words_counts.h), and counts what the warp does at once.
//
// Memory of the device lies in one arena. Beside it are two bits for each byte, read and written by the launch that is running: their
// number is what the launch must move at least.
#ifdef RAIDO_EMULATED
RAIDO_OPTIMISED

#define RAIDO_COUNTERS(X)                                                                                             \
  X(read_requests) X(read_sectors) X(fetched_sectors) X(write_requests) X(write_sectors)                              \
  X(shared_requests) X(shared_updates) X(shared_wavefronts) X(shared_conflicts) X(private_accesses)                                     \
  X(atomic_requests) X(atomic_updates) X(atomic_rounds) X(atomic_sectors)                                             \
  X(branches) X(divergent_branches) X(barriers) X(fresh_read_bytes) X(fresh_written_bytes)
#define RAIDO_COUNTER_ENUM(name) RAIDO_C_##name,
enum raido_counter {
  RAIDO_COUNTERS(RAIDO_COUNTER_ENUM) RAIDO_OPERATIONS,
  RAIDO_ISSUED = RAIDO_OPERATIONS + RAIDO_KIND_COUNT,      // by warps
  RAIDO_COUNTER_COUNT = RAIDO_ISSUED + RAIDO_KIND_COUNT
};
// fresh: bytes that no counted block of the launch touched before. fetched: sectors that were read and are not in the block's share of the
// cache beside it. The share has 64 bytes for each thread (a device with 2048 threads has 128 KiB there, or more) and four ways. This is a
// model: on a device warps take turns, here each runs as far as it can.
enum { RAIDO_CACHED = 2, RAIDO_WAYS = 4 };                 // sectors for each thread
enum { RAIDO_LANES = 32, RAIDO_SECTOR = 32, RAIDO_BANKS = 32, RAIDO_LEVELS = 64 };
static const size_t raido_arena_bytes = (size_t)1 << 36;

struct raido_level { u32 lanes; int loop; };               // the lanes that are in a loop
struct raido_warp {
  struct raido_fiber *first;
  int depth, released;
  i64 requests, issued;
  struct raido_level levels[RAIDO_LEVELS];                 // level 0: no loop
};

// Of one thread of the operating system, since the launch began.
struct raido_counting {
  i64 block[RAIDO_COUNTER_COUNT], sums[RAIDO_COUNTER_COUNT];
  i64 longest_requests, longest_issued;                    // of a warp
  struct raido_warp *warps;
  u64 *cache;                                              // sectors by sets
  u64 sets, turn;
};

// One block of a sample.
struct raido_sampled_block { i64 number, work, counts[RAIDO_COUNTER_COUNT]; };
enum { RAIDO_REFINED = 8 };                                // times a sample is what is counted at most

struct raido_kernel_counts {
  i64 launches, blocks, block_size, threads, counted, needed_read, needed_written, longest_requests, longest_issued;
  int uneven, complete;
  i64 sums[RAIDO_COUNTER_COUNT];
};

struct raido_allocation { char *at; size_t size; unsigned char *lacks; };   // lacks: by kernel, or NULL

static struct {
  int on, again, sample;                                   // again: the run has stopped
  int reads_result;                                        // what the host reads now is only a result
  char *arena, *read, *written;
  size_t used, count, room;
  struct raido_allocation *allocations;
  struct raido_kernel_counts *kernels;
  struct raido_sampled_block *blocks;                      // of the launch that is running
} raido_counts;

// ---- memory ----

RAIDO_FN void raido_counts_open(void) {
  size_t bytes[] = {raido_arena_bytes, raido_arena_bytes / 8, raido_arena_bytes / 8};
  char **at[] = {&raido_counts.arena, &raido_counts.read, &raido_counts.written};
  for (int k = 0; k < 3; k++) {
    *at[k] = mmap(NULL, bytes[k], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*at[k] == MAP_FAILED) raido_panic("emulator", "counting needs %zu GiB of addresses", raido_arena_bytes >> 30);
  }
  raido_counts.kernels = calloc((size_t)raido_kernel_count + 1, sizeof *raido_counts.kernels);
  raido_counts.blocks = calloc((size_t)(RAIDO_REFINED * raido_counts.sample + 1), sizeof *raido_counts.blocks);
  if (raido_counts.kernels == NULL || raido_counts.blocks == NULL) raido_panic("emulator", "out of memory");
}
RAIDO_FN void raido_counts_close(void) {
  munmap(raido_counts.arena, raido_arena_bytes);
  munmap(raido_counts.read, raido_arena_bytes / 8);
  munmap(raido_counts.written, raido_arena_bytes / 8);
  for (size_t k = 0; k < raido_counts.count; k++) free(raido_counts.allocations[k].lacks);
  free(raido_counts.allocations);
  free(raido_counts.kernels);
  free(raido_counts.blocks);
}

RAIDO_FN char *raido_counts_alloc(size_t n) {
  size_t size = (n + 255) / 256 * 256;
  if (raido_counts.used + size + 256 > raido_arena_bytes) return NULL;
  if (raido_counts.count == raido_counts.room) {
    size_t room = 2 * raido_counts.room + 64;
    struct raido_allocation *more = realloc(raido_counts.allocations, room * sizeof *more);
    if (more == NULL) return NULL;
    raido_counts.allocations = more;
    raido_counts.room = room;
  }
  char *at = raido_counts.arena + raido_counts.used;
  raido_counts.used += size + 256;                         // one array's end is not the beginning of the next
  raido_counts.allocations[raido_counts.count++] = (struct raido_allocation){at, size, NULL};
  return at;
}
RAIDO_FN struct raido_allocation *raido_allocation_of(const char *at) {
  for (size_t k = 0; k < raido_counts.count; k++)
    if (raido_counts.allocations[k].at == at) return &raido_counts.allocations[k];
  return NULL;
}
RAIDO_FN void raido_lacks_nothing(char *at) {
  struct raido_allocation *a = raido_allocation_of(at);
  if (a == NULL) return;
  free(a->lacks);
  a->lacks = NULL;
}
RAIDO_FN void raido_counts_free(char *at) {
  raido_lacks_nothing(at);
  struct raido_allocation *a = raido_allocation_of(at);
  if (a == NULL) return;
  madvise(a->at, a->size, MADV_DONTNEED);
  *a = raido_counts.allocations[--raido_counts.count];
}
// `to` lacks what `from` lacks, and what comes from `kernel` if that is one.
RAIDO_FN void raido_lacks_too(struct raido_allocation *to, const struct raido_allocation *from, int kernel) {
  const unsigned char *lacks = from == NULL ? NULL : from->lacks;
  if (to == NULL || (lacks == NULL && kernel < 0)) return;
  if (to->lacks == NULL) to->lacks = calloc((size_t)raido_kernel_count, 1);
  if (to->lacks == NULL) raido_panic("emulator", "out of memory");
  for (int k = 0; k < raido_kernel_count && lacks != NULL; k++) to->lacks[k] |= lacks[k];
  if (kernel >= 0) to->lacks[kernel] = 1;
}
// True, and a reason to begin again, where memory lacks values.
RAIDO_FN int raido_needs(const struct raido_allocation *a) {
  if (a == NULL || a->lacks == NULL) return 0;
  for (int k = 0; k < raido_kernel_count; k++) raido_counts.kernels[k].complete |= a->lacks[k];
  return raido_counts.again = 1;
}

RAIDO_FN i64 raido_bits(const char *shadow, const struct raido_allocation *a) {
  const u64 *words = (const u64 *)(shadow + (a->at - raido_counts.arena) / 8);
  i64 bits = 0;
  for (size_t k = 0; k < a->size / 64; k++)
    if (words[k] != 0) bits += __builtin_popcountll(words[k]);
  return bits;
}
RAIDO_FN void raido_no_bits(char *shadow, const struct raido_allocation *a) {
  char *at = shadow + (a->at - raido_counts.arena) / 8, *end = at + a->size / 8;
  char *first = (char *)(((uintptr_t)at + 4095) & ~(uintptr_t)4095), *last = (char *)((uintptr_t)end & ~(uintptr_t)4095);
  if (last <= first + 65536) { memset(at, 0, (size_t)(end - at)); return; }
  memset(at, 0, (size_t)(first - at));
  memset(last, 0, (size_t)(end - last));
  madvise(first, (size_t)(last - first), MADV_DONTNEED);
}

// ---- what a warp does at once ----

// The number of bytes that are touched for the first time.
RAIDO_UNSEEN int raido_mark(char *shadow, u64 sector, u32 bytes) {
  u64 number = sector - (u64)(uintptr_t)raido_counts.arena / RAIDO_SECTOR;
  if (number >= raido_arena_bytes / RAIDO_SECTOR) return 0;
  u32 *at = (u32 *)shadow + number;
  if ((__atomic_load_n(at, __ATOMIC_RELAXED) & bytes) == bytes) return 0;
  return __builtin_popcount(bytes & ~__atomic_fetch_or(at, bytes, __ATOMIC_RELAXED));
}

RAIDO_UNSEEN int raido_most_at_one_place(const u64 *at, int n) {
  int most = 0;
  for (int k = 0; k < n; k++) {
    int same = 0;
    for (int j = 0; j < n; j++) same += at[j] == at[k];
    if (same > most) most = same;
  }
  return most;
}

RAIDO_UNSEEN int raido_is_fetched(struct raido_counting *c, u64 sector) {
  u64 *set = &c->cache[(sector * UINT64_C(0x9E3779B97F4A7C15) >> 32) % c->sets * RAIDO_WAYS];
  for (int k = 0; k < RAIDO_WAYS; k++)
    if (set[k] == sector) return 0;
  set[c->turn++ % RAIDO_WAYS] = sector;
  return 1;
}

RAIDO_UNSEEN void raido_hear_global(struct raido_counting *counting, const u64 *at, int n, int size, int kind) {
  i64 *c = counting->block;
  u64 sectors[2 * RAIDO_LANES];
  u32 bytes[2 * RAIDO_LANES];
  unsigned char places[4 * RAIDO_LANES] = {0};             // of the sectors found, plus 1, by the sector's last bits or after that
  int found = 0;
  for (int k = 0; k < n; k++)
    for (u64 from = at[k], end = from + (u64)size, next; from < end; from = next) {
      u64 sector = from / RAIDO_SECTOR;
      next = (sector + 1) * RAIDO_SECTOR < end ? (sector + 1) * RAIDO_SECTOR : end;
      u32 mask = (u32)((((u64)1 << (next - from)) - 1) << (from % RAIDO_SECTOR));
      u64 place = sector;
      while (places[place % sizeof places] != 0 && sectors[places[place % sizeof places] - 1] != sector) place++;
      unsigned char *j = &places[place % sizeof places];
      if (*j != 0) { bytes[*j - 1] |= mask; continue; }
      if (found == 2 * RAIDO_LANES) raido_panic("emulator", "an access of %d bytes", size);
      sectors[found] = sector;
      bytes[found] = mask;
      *j = (unsigned char)++found;
    }
  for (int k = 0; k < found; k++) {
    if (kind != RAIDO_WRITE) c[RAIDO_C_fresh_read_bytes] += raido_mark(raido_counts.read, sectors[k], bytes[k]);
    if (kind != RAIDO_READ) c[RAIDO_C_fresh_written_bytes] += raido_mark(raido_counts.written, sectors[k], bytes[k]);
    if (kind == RAIDO_READ) c[RAIDO_C_fetched_sectors] += raido_is_fetched(counting, sectors[k] - (u64)(uintptr_t)raido_counts.arena / RAIDO_SECTOR + 1);
  }
  c[kind == RAIDO_READ ? RAIDO_C_read_sectors : kind == RAIDO_WRITE ? RAIDO_C_write_sectors : RAIDO_C_atomic_sectors] += found;
}

// Whether lanes with numbers that differ in this bit read the same, for all lanes from `from` on.
RAIDO_UNSEEN int raido_in_pairs(const u64 *at, int from, int n, int bit) {
  for (int k = from; k < from + n; k++) if (at[k] != at[k ^ bit]) return 0;
  return 1;
}
// Shared memory serves one word of each bank at a time, and as many bytes at once as all banks have. Wider accesses come in halves of a
// warp, or quarters; two of them are one where neighbouring lanes, or lanes two apart, read the same. Others have measured that; nobody here has.
RAIDO_UNSEEN void raido_hear_shared(i64 *c, const u64 *at, int n, int size) {
  int words = size < 4 ? 1 : size / 4, lanes = RAIDO_BANKS / words;
  for (int from = 0, step; from < n; from += step) {
    u64 seen[2 * RAIDO_BANKS];
    int in_bank[RAIDO_BANKS] = {0}, found = 0, most = 0;
    int both = words > 1 && n == RAIDO_LANES && from % (2 * lanes) == 0 && (raido_in_pairs(at, from, 2 * lanes, 1) || raido_in_pairs(at, from, 2 * lanes, 2));
    step = both ? 2 * lanes : lanes;
    for (int k = from; k < n && k < from + step; k++)
      for (int j = 0; j < words; j++) {
        u64 word = at[k] / 4 + (u64)j;
        int known = 0;
        for (int i = 0; i < found; i++) known |= seen[i] == word;
        if (known) continue;
        seen[found++] = word;
        if (++in_bank[word % RAIDO_BANKS] > most) most = in_bank[word % RAIDO_BANKS];
      }
    c[RAIDO_C_shared_wavefronts] += most;
    c[RAIDO_C_shared_conflicts] += most - 1;
  }
}

RAIDO_UNSEEN void raido_hear_access(struct raido_emulated_block *b, struct raido_warp *w, const u64 *at, int n, int size, int kind) {
  i64 *c = b->counting->block;
  u64 own = at[0] - (u64)(uintptr_t)b->memory;
  int shared = own < RAIDO_BLOCK_WORDS + RAIDO_SHARED_BYTES;
  if (!shared && own < (u64)b->bytes) { c[RAIDO_C_private_accesses] += n; return; }
  if (!shared) w->requests++;
  if (kind == RAIDO_UPDATE && shared) {                    // lanes that meet at a cell take turns, too
    int most = raido_most_at_one_place(at, n);
    c[RAIDO_C_shared_requests]++;
    c[RAIDO_C_shared_updates] += n;
    c[RAIDO_C_shared_wavefronts] += most - 1;
    c[RAIDO_C_shared_conflicts] += most - 1;
  } else if (kind == RAIDO_UPDATE) {
    c[RAIDO_C_atomic_requests]++;
    c[RAIDO_C_atomic_updates] += n;
    c[RAIDO_C_atomic_rounds] += raido_most_at_one_place(at, n);
  } else {
    c[shared ? RAIDO_C_shared_requests : kind == RAIDO_READ ? RAIDO_C_read_requests : RAIDO_C_write_requests]++;
  }
  if (shared) raido_hear_shared(c, at, n, size); else raido_hear_global(b->counting, at, n, size, kind);
}

RAIDO_UNSEEN void raido_hear_operations(i64 *c, struct raido_warp *w, const struct raido_note *note, int lanes) {
  const u16 *ran = (const u16 *)(uintptr_t)note->value;
  for (int k = 0; k < RAIDO_KIND_COUNT; k++)
    if (ran[k] != 0) {
      c[RAIDO_OPERATIONS + k] += (i64)ran[k] * lanes;
      c[RAIDO_ISSUED + k] += ran[k];
      w->issued += ran[k];
    }
}

// ---- lockstep ----

// What the lane does next; NULL: it has ended.
RAIDO_UNSEEN const struct raido_note *raido_next_note(struct raido_emulator *e, struct raido_fiber *f) {
  while (f->heard == f->noted) {
    if (f->state == RAIDO_ENDED) return NULL;
    f->heard = f->noted = 0;
    raido_resume(e, f);
  }
  return &f->notes[f->heard];
}

RAIDO_UNSEEN void raido_heard(struct raido_warp *w, u32 lanes) {
  for (; lanes != 0; lanes &= lanes - 1) w->first[__builtin_ctz(lanes)].heard++;
}

// The lanes `group` are at the same line, which comes before those of all other lanes of the level.
RAIDO_UNSEEN void raido_hear(struct raido_emulated_block *b, struct raido_warp *w, u32 group, u32 others) {
  i64 *c = b->counting->block;
  struct raido_fiber *one = &w->first[__builtin_ctz(group)];
  const struct raido_note note = one->notes[one->heard];
  int n = 0, taken = 0;
  u64 at[RAIDO_LANES];
  switch (note.kind) {
    case RAIDO_READ: case RAIDO_WRITE: case RAIDO_UPDATE:
      for (u32 rest = group; rest != 0; rest &= rest - 1) {
        struct raido_fiber *f = &w->first[__builtin_ctz(rest)];
        at[n++] = f->notes[f->heard].value;
      }
      raido_hear_access(b, w, at, n, (int)note.number, note.kind);
      break;
    case RAIDO_BRANCHES:
      for (u32 rest = group; rest != 0; rest &= rest - 1, n++) {
        struct raido_fiber *f = &w->first[__builtin_ctz(rest)];
        taken += (int)f->notes[f->heard].value;
      }
      c[RAIDO_C_branches]++;
      c[RAIDO_C_divergent_branches] += taken > 0 && taken < n;
      break;
    case RAIDO_RAN: raido_hear_operations(c, w, &note, __builtin_popcount(group)); break;
    case RAIDO_NOTE_BARRIER: c[RAIDO_C_barriers] += w == b->counting->warps; break;
    case RAIDO_ITERATION:                                  // the first one of a loop
      if (++w->depth == RAIDO_LEVELS) raido_panic("emulator", "more than %d loops in each other", RAIDO_LEVELS);
      w->levels[w->depth] = (struct raido_level){group, (int)note.number};
      for (u32 rest = others; rest != 0; rest &= rest - 1) {   // lanes that do not enter it
        struct raido_fiber *f = &w->first[__builtin_ctz(rest)];
        taken |= f->heard < f->noted && f->notes[f->heard].kind == RAIDO_LOOP_END && f->notes[f->heard].number == note.number;
      }
      c[RAIDO_C_branches]++;
      c[RAIDO_C_divergent_branches] += taken;
      raido_hear_operations(c, w, &note, __builtin_popcount(group));
      break;
    default: break;                                        // the end of a loop that had no iteration
  }
  raido_heard(w, group);
}

// All lanes of the level are at the end of an iteration, or have left the loop.
RAIDO_UNSEEN void raido_iterate(struct raido_emulated_block *b, struct raido_warp *w, u32 again, u32 left) {
  i64 *c = b->counting->block;
  raido_heard(w, left);
  w->levels[w->depth].lanes = again;
  c[RAIDO_C_branches]++;
  c[RAIDO_C_divergent_branches] += again != 0 && left != 0;
  if (again == 0) { w->depth--; return; }
  struct raido_fiber *one = &w->first[__builtin_ctz(again)];
  raido_hear_operations(c, w, &one->notes[one->heard], __builtin_popcount(again));
  raido_heard(w, again);
}

// Runs the lanes of a warp until all have ended or some wait at a barrier that has not let them go.
RAIDO_UNSEEN void raido_run_warp(struct raido_emulator *e, struct raido_warp *w) {
  for (;;) {
    struct raido_level *level = &w->levels[w->depth];
    u32 group = 0, again = 0, left = 0, waits = 0, line = UINT32_MAX;
    for (u32 rest = level->lanes; rest != 0; rest &= rest - 1) {
      u32 lane = (u32)__builtin_ctz(rest), bit = (u32)1 << lane;
      const struct raido_note *note = raido_next_note(e, &w->first[lane]);
      if (note == NULL) { level->lanes &= ~bit; continue; }
      if (w->depth > 0 && (int)note->number == level->loop && (note->kind == RAIDO_ITERATION || note->kind == RAIDO_LOOP_END)) {
        if (note->kind == RAIDO_ITERATION) again |= bit; else left |= bit;
        continue;
      }
      if (note->kind == RAIDO_NOTE_BARRIER) { waits |= bit; continue; }   // for all others, wherever it stands
      if (note->line < line) { line = note->line; group = bit; }
      else if (note->line == line) group |= bit;
    }
    if (group == 0 && waits != 0) {
      if (!w->released) return;
      w->released = 0;
      group = waits;
    }
    if (group == 0 && w->depth == 0) return;
    if (group == 0) { raido_iterate(&e->block, w, again, left); continue; }
    raido_hear(&e->block, w, group, level->lanes & ~group);
  }
}

// ---- blocks and launches ----

RAIDO_UNSEEN void raido_run_counted_block(struct raido_emulator *e) {
  struct raido_emulated_block *b = &e->block;
  struct raido_counting *c = b->counting;
  i64 warps = (b->size + RAIDO_LANES - 1) / RAIDO_LANES;
  memset(c->block, 0, sizeof c->block);
  memset(c->cache, 0, c->sets * RAIDO_WAYS * sizeof *c->cache);
  c->turn = 0;
  raido_begin_block(b);
  for (i64 k = 0; k < warps; k++) {
    i64 lanes = b->size - k * RAIDO_LANES;
    struct raido_warp *w = &c->warps[k];
    w->first = &b->fibers[k * RAIDO_LANES];
    w->depth = w->released = 0;
    w->requests = w->issued = 0;
    w->levels[0].lanes = lanes >= RAIDO_LANES ? UINT32_MAX : ((u32)1 << lanes) - 1;
  }
  do {
    for (i64 k = 0; k < warps; k++) raido_run_warp(e, &c->warps[k]);
    for (i64 k = 0; k < b->size; k++)                      // lanes that a barrier in a branch has left alone
      while (b->fibers[k].state == RAIDO_READY) {
        b->fibers[k].heard = b->fibers[k].noted = 0;
        raido_resume(e, &b->fibers[k]);
      }
    for (i64 k = 0; k < warps; k++) c->warps[k].released = 1;
  } while (raido_all_wait(b));
  raido_end_block(b);
  i64 work = 0;
  for (i64 k = 0; k < warps; k++) {
    if (c->warps[k].requests > c->longest_requests) c->longest_requests = c->warps[k].requests;
    if (c->warps[k].issued > c->longest_issued) c->longest_issued = c->warps[k].issued;
    work += c->warps[k].requests + c->warps[k].issued;
  }
  for (int k = 0; k < RAIDO_COUNTER_COUNT; k++) c->sums[k] += c->block[k];
  if (!b->device->skips && !b->device->partly) return;
  struct raido_sampled_block *one = &raido_counts.blocks[b->position];
  one->work = work;
  memcpy(one->counts, c->block, sizeof c->block);
}

RAIDO_FN i64 raido_number_in_sample(i64 position) { return raido_counts.blocks[position].number; }
// Where all blocks run: the place of one in the sample, or -1.
RAIDO_FN i64 raido_position_in_sample(i64 number, i64 blocks) {
  i64 n = RAIDO_REFINED * raido_counts.sample, k = (number * (n - 1) + blocks - 2) / (blocks - 1);
  return k * (blocks - 1) / (n - 1) == number ? k : -1;
}

RAIDO_FN struct raido_counting *raido_counting_new(struct raido_emulated_block *b) {
  struct raido_counting *c = calloc(1, sizeof *c);
  b->notes = calloc((size_t)b->size * RAIDO_NOTES, sizeof *b->notes);
  if (c != NULL) c->warps = calloc((size_t)(b->size + RAIDO_LANES - 1) / RAIDO_LANES, sizeof *c->warps);
  if (c != NULL) c->sets = (u64)(b->size * RAIDO_CACHED + RAIDO_WAYS - 1) / RAIDO_WAYS;
  if (c != NULL) c->cache = calloc(c->sets * RAIDO_WAYS, sizeof *c->cache);
  return c == NULL || b->notes == NULL || c->warps == NULL || c->cache == NULL ? NULL : c;
}
RAIDO_FN void raido_counting_free(struct raido_emulated_block *b) {
  if (b->counting != NULL) free(b->counting->warps);
  if (b->counting != NULL) free(b->counting->cache);
  free(b->counting);
  free(b->notes);
}

RAIDO_AS_BEFORE
#endif
