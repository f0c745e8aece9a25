// words.h - what the three vocabularies have in common: halves, conversions, atomic updates by compare-and-swap, the
// failure word.

#ifndef RAIDO_HOST_SCALARS
#define RAIDO_MAX(T) RAIDO_MAX_##T
#define RAIDO_MAX_f32 3.40282346638528859811704183484516925e+38f
#define RAIDO_MAX_f64 1.79769313486231570814527423731704357e+308

RAIDO_INLINE f32 raido_f16_to_f32(f16 h) {
  u32 sign = (u32)(h >> 15) << 31, exponent = (h >> 10) & 31, fraction = h & 1023u;
  if (exponent == 31) return raido_from_bits_f32(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return raido_from_bits_f32(sign | ((exponent + 112) << 23) | (fraction << 13));
  f32 r = (f32)fraction * (1.0f / 16777216.0f);
  return sign ? -r : r;
}
RAIDO_INLINE f16 raido_f32_to_f16(f32 x) {
  u32 bits = raido_to_bits_f32(x), sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (f16)(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  if (rest >= 0x47800000u) return (f16)(sign | 0x7c00u);
  if (rest < 0x38800000u) return (f16)(sign | (u32)rint(fabs(x) * 16777216.0f));
  u32 rounded = rest + 0xfffu + ((rest >> 13) & 1u);
  return (f16)(sign | ((rounded - 0x38000000u) >> 13));
}
RAIDO_INLINE f32 raido_odd_f32(f64 x) {
  u64 bits = raido_to_bits_f64(x), rest = bits & 0x1fffffffu;
  return (f32)raido_from_bits_f64((bits ^ rest) | ((u64)(rest != 0) << 29));
}
RAIDO_INLINE f32 raido_round_f16(f32 x) { return raido_f16_to_f32(raido_f32_to_f16(x)); }
RAIDO_INLINE f32 raido_fma_f16(f32 x, f32 y, f32 z) {             // as in half.h
  f32 product = x * y, sum = product + z, added = sum - product, lost = (product - (sum - added)) + (z - added);
  u32 bits = raido_to_bits_f32(sum);
  if ((lost > 0.0f || lost < 0.0f) && (bits & 1u) == 0) sum = raido_from_bits_f32((lost > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1);
  return raido_round_f16(sum);
}
RAIDO_INLINE i64 raido_integer_part(f64 x) {
  if (!(x > -18446744073709551616.0 && x < 18446744073709551616.0)) return 0;
  if (x >= -9223372036854775808.0 && x < 9223372036854775808.0) return (i64)x;
  return x > 0 ? (i64)(u64)x : 0;
}
#endif

#ifndef SETTLE
#define SETTLE(x) ((void)0)
#endif

#if RAIDO_HAS_TENSORS
// Products of panels in shared memory by the units of a warp that multiply matrices: 16 rows in two groups, 64 columns, 8 points. Lane `l` reads
// row l / 4 of each group and column l / 4 of each eight, at points l % 4 and l % 4 + 4. It has the sums of these rows and of columns
// 2 * (l % 4) and 2 * (l % 4) + 1 of each eight, in this order: by eight columns, by group, by column. The rows of a group are in
// another order at each point: lanes meet in no bank, here and where they store rows (translate_device_tiles.cc).
RAIDO_INLINE i64 raido_row_place(i64 group, i64 k) {
  i64 lane = LOCAL_ID() % 32, row = lane / 4, at = k + lane % 4;
  return group * 72 + at * 8 + (row ^ (at / 2 % 2 * 4) ^ (at / 4 * 2));
}
RAIDO_INLINE i64 raido_column_place(i64 column, i64 k) {
  i64 lane = LOCAL_ID() % 32;
  return (k + lane % 4) * 68 + column + lane / 4;
}
// Of the lane's row in the first group: at its first point and at the other one; of its first column.
RAIDO_INLINE void raido_tile_places(i32 *places, i64 first_row) {
  places[0] = (i32)raido_row_place(first_row / 8, 0);
  places[1] = (i32)raido_row_place(first_row / 8, 4);
  places[2] = (i32)raido_column_place(0, 0);
  RAIDO_UNROLLED
  for (int k = 0; k < 3; k++) SETTLE(places[k]);
}
RAIDO_INLINE void raido_multiply_tiles(f64 *sums, const f64 *rows, const f64 *columns, const i32 *places, i64 first_row, i64 count) {
  i64 group = first_row / 8;
#ifdef RAIDO_MULTIPLY_MATRICES
  if (count == 8) {
    f64 a[4];
    RAIDO_UNROLLED
    for (int j = 0; j < 4; j++) a[j] = rows[places[j / 2] + j % 2 * 72];
    RAIDO_UNROLLED
    for (int c = 0; c < 8; c++) {
      f64 b[2] = {columns[places[2] + 8 * c], columns[places[2] + 8 * c + 4 * 68]};
      RAIDO_MULTIPLY_MATRICES(sums + 4 * c, a, b);
    }
    return;
  }
#endif
  (void)places;
  i64 lane = LOCAL_ID() % 32, row = lane / 4, pair = lane % 4 * 2;
  for (i64 k = 0; k < count; k++) {
    const f64 *a = rows + group * 72 + k * 8 + (row ^ (k / 2 % 2 * 4) ^ (k / 4 * 2)), *b = columns + k * 68 + pair;
    RAIDO_UNROLLED
    for (int s = 0; s < 32; s++) sums[s] += a[s / 2 % 2 * 72] * b[s / 4 * 8 + s % 2];
  }
}
#endif

#ifndef ATOMIC_STORE   // on a device a store of one scalar is one step already
#define ATOMIC_STORE(T, memory, index, value) ((memory)[index] = (value))
#endif
// memory[index] := op(memory[index], value), as one step; memory of the device or of the block. S below: GLOBAL or LOCAL.
#define ATOMIC_UPDATE(T, op, memory, index, value) ATOMIC_UPDATE_##T(op, GLOBAL, memory, index, value)
#define SHARED_UPDATE(T, op, memory, index, value) ATOMIC_UPDATE_##T(op, LOCAL, memory, index, value)
// The same for add, min, max, and, or, xor of integers of 32 and 64 bits, and add of f32 and f64: what devices may do at once.
#ifndef NATIVE_UPDATE
#define NATIVE_UPDATE(T, op, S, memory, index, value) ATOMIC_UPDATE_##T(op##_##T, S, memory, index, value)
#endif
#ifndef RAIDO_PEEK
#define RAIDO_PEEK(cell) (*(cell))
#define RAIDO_CAS_64 raido_cas_64
#define RAIDO_CAS_32 raido_cas_32
#endif
#define RAIDO_ID(x) (x)
#define RAIDO_BITS_F64(x) raido_from_bits_f64((u64)(x))
#define RAIDO_BITS_F32(x) raido_from_bits_f32((u32)(x))
#define RAIDO_U64(x) ((u64)(x))
#define RAIDO_U32(x) ((u32)(x))

// memory[index] := new, as one step, where statements between these make `new` from ATOMIC_OLD:
//   ATOMIC_CELL(T, S, memory, index); do { .. ATOMIC_OLD(T) .. ATOMIC_SWAP(T, new); } while (ATOMIC_AGAIN);
#define ATOMIC_CELL(T, S, memory, index) ATOMIC_CELL_##T(S, memory, index)
#define ATOMIC_OLD(T) ATOMIC_OLD_##T
#define ATOMIC_SWAP(T, new) ATOMIC_SWAP_##T(new)
#define ATOMIC_AGAIN (seen_ != old_)
#define ATOMIC_CELL_64(S, memory, index)                          \
  volatile S i64 *cell_ = (volatile S i64 *)((memory) + (index)); \
  i64 seen_ = RAIDO_PEEK(cell_), old_
#define ATOMIC_CELL_32(S, memory, index)                          \
  volatile S i32 *cell_ = (volatile S i32 *)((memory) + (index)); \
  i32 seen_ = RAIDO_PEEK(cell_), old_
#define ATOMIC_SWAP_64(bits) (old_ = seen_, seen_ = RAIDO_CAS_64(cell_, old_, (i64)(bits)))
#define ATOMIC_SWAP_32(bits) (old_ = seen_, seen_ = RAIDO_CAS_32(cell_, old_, (i32)(bits)))
#define ATOMIC_CELL_i64 ATOMIC_CELL_64
#define ATOMIC_CELL_u64 ATOMIC_CELL_64
#define ATOMIC_CELL_f64 ATOMIC_CELL_64
#define ATOMIC_CELL_i32 ATOMIC_CELL_32
#define ATOMIC_CELL_u32 ATOMIC_CELL_32
#define ATOMIC_CELL_f32 ATOMIC_CELL_32
#define ATOMIC_OLD_i64 seen_
#define ATOMIC_OLD_u64 RAIDO_U64(seen_)
#define ATOMIC_OLD_f64 RAIDO_BITS_F64(seen_)
#define ATOMIC_OLD_i32 seen_
#define ATOMIC_OLD_u32 RAIDO_U32(seen_)
#define ATOMIC_OLD_f32 RAIDO_BITS_F32(seen_)
#define ATOMIC_SWAP_i64(new) ATOMIC_SWAP_64(new)
#define ATOMIC_SWAP_u64(new) ATOMIC_SWAP_64(new)
#define ATOMIC_SWAP_f64(new) ATOMIC_SWAP_64(raido_to_bits_f64(new))
#define ATOMIC_SWAP_i32(new) ATOMIC_SWAP_32(new)
#define ATOMIC_SWAP_u32(new) ATOMIC_SWAP_32(new)
#define ATOMIC_SWAP_f32(new) ATOMIC_SWAP_32(raido_to_bits_f32(new))

#define ATOMIC_UPDATE_WORD(T, op, S, memory, index, value)  \
  do {                                                      \
    ATOMIC_CELL(T, S, memory, index);                       \
    do ATOMIC_SWAP(T, op(ATOMIC_OLD(T), value));            \
    while (ATOMIC_AGAIN);                                   \
  } while (0)
// Smaller cells: the word that holds the cell is swapped.
#define ATOMIC_UPDATE_SMALL(op, S, memory, index, value, TYPE, BITS, MASK, FROM, TO)                           \
  do {                                                                                                         \
    u64 at_ = (u64)((memory) + (index));                                                                       \
    volatile S i32 *cell_ = (volatile S i32 *)(at_ & ~(u64)3);                                                 \
    u32 shift_ = (u32)(at_ & 3) * 8;                                                                           \
    i32 old_ = RAIDO_PEEK(cell_), seen_, new_;                                                                 \
    for (;;) {                                                                                                 \
      TYPE now_ = (TYPE)(((u32)old_ >> shift_) & MASK);                                                        \
      new_ = (i32)(((u32)old_ & ~((u32)MASK << shift_)) | (((u32)TO(op(FROM(now_), value)) & MASK) << shift_)); \
      seen_ = RAIDO_CAS_32(cell_, old_, new_);                                                                 \
      if (seen_ == old_) break;                                                                                \
      old_ = seen_;                                                                                            \
    }                                                                                                          \
  } while (0)
#define ATOMIC_UPDATE_i64(op, S, m, i, v) ATOMIC_UPDATE_WORD(i64, op, S, m, i, v)
#define ATOMIC_UPDATE_u64(op, S, m, i, v) ATOMIC_UPDATE_WORD(u64, op, S, m, i, v)
#define ATOMIC_UPDATE_f64(op, S, m, i, v) ATOMIC_UPDATE_WORD(f64, op, S, m, i, v)
#define ATOMIC_UPDATE_i32(op, S, m, i, v) ATOMIC_UPDATE_WORD(i32, op, S, m, i, v)
#define ATOMIC_UPDATE_u32(op, S, m, i, v) ATOMIC_UPDATE_WORD(u32, op, S, m, i, v)
#define ATOMIC_UPDATE_f32(op, S, m, i, v) ATOMIC_UPDATE_WORD(f32, op, S, m, i, v)
#define ATOMIC_UPDATE_i8(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, i8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u8(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, u8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_bool(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, u8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_i16(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, i16, 16, 65535u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u16(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, u16, 16, 65535u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_f16(op, S, m, i, v) ATOMIC_UPDATE_SMALL(op, S, m, i, v, u16, 16, 65535u, raido_f16_to_f32, raido_f32_to_f16)

// LOCKED(S, locks, place) { .. } UNLOCKED: no two threads at once. Threads of a warp may go on together only, so whoever waits ends the iteration.
#ifndef RAIDO_TRY_LOCK
#define RAIDO_TRY_LOCK(lock) (RAIDO_CAS_32(lock, 0, 1) == 0)
#endif
#define LOCKED(S, locks, place)                                   \
  {                                                               \
    volatile S i32 *lock_ = (volatile S i32 *)((locks) + (place)); \
    bool waits_ = true;                                           \
    do {                                                          \
      if (RAIDO_TRY_LOCK(lock_)) {                                \
        RAIDO_FENCE();
#define UNLOCKED          \
        RAIDO_FENCE();    \
        RAIDO_OPEN(lock_); \
        waits_ = false;   \
      }                   \
    } while (waits_);     \
  }

// A traced value: the failure word is followed by 8 arguments, the number of traced values, how many there is room for, and two words of each.
RAIDO_INLINE void raido_trace(volatile GLOBAL i64 *failure, i64 what, i64 bits) {
  i64 at = raido_peek_64(failure + 9), seen;
  while ((seen = raido_cas_64(failure + 9, at, at + 1)) != at) at = seen;
  if (at >= failure[10]) return;
  failure[11 + 2 * at] = what;
  failure[12 + 2 * at] = bits;
}

// True where some check has failed in a kernel before this one, and perhaps in this one. All threads look at the same word, so they may
// see it as it was when the kernel began: it then stays in the caches near to them.
#define RAIDO_FAILED(failure) (raido_seen_64(failure) >= 0)
// True for the first check that fails: its number is then in the failure word, and its arguments may follow.
#define RAIDO_FAIL_FIRST(failure, check) (raido_cas_64((failure), -1, (check)) == -1)
