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
RAIDO_INLINE f32 raido_round_f16(f32 x) { return raido_f16_to_f32(raido_f32_to_f16(x)); }
RAIDO_INLINE i64 raido_integer_part(f64 x) {
  if (!(x > -18446744073709551616.0 && x < 18446744073709551616.0)) return 0;
  if (x >= -9223372036854775808.0 && x < 9223372036854775808.0) return (i64)x;
  return x > 0 ? (i64)(u64)x : 0;
}
#endif

#ifndef ATOMIC_STORE   // on a device a store of one scalar is one step already
#define ATOMIC_STORE(T, memory, index, value) ((memory)[index] = (value))
#endif
#define RAIDO_ID(x) (x)
#define ATOMIC_UPDATE(T, op, memory, index, value) ATOMIC_UPDATE_##T(op, memory, index, value)
#define ATOMIC_UPDATE_64(op, memory, index, value, FROM, TO)                     \
  do {                                                                           \
    volatile GLOBAL i64 *cell_ = (volatile GLOBAL i64 *)((memory) + (index));    \
    i64 old_ = raido_peek_64(cell_), seen_;                                      \
    for (;;) {                                                                   \
      seen_ = raido_cas_64(cell_, old_, (i64)TO(op(FROM(old_), value)));         \
      if (seen_ == old_) break;                                                  \
      old_ = seen_;                                                              \
    }                                                                            \
  } while (0)
#define ATOMIC_UPDATE_32(op, memory, index, value, FROM, TO)                     \
  do {                                                                           \
    volatile GLOBAL i32 *cell_ = (volatile GLOBAL i32 *)((memory) + (index));    \
    i32 old_ = raido_peek_32(cell_), seen_;                                      \
    for (;;) {                                                                   \
      seen_ = raido_cas_32(cell_, old_, (i32)TO(op(FROM(old_), value)));         \
      if (seen_ == old_) break;                                                  \
      old_ = seen_;                                                              \
    }                                                                            \
  } while (0)
// Smaller cells: the word that holds the cell is swapped.
#define ATOMIC_UPDATE_SMALL(op, memory, index, value, TYPE, BITS, MASK, FROM, TO)                              \
  do {                                                                                                         \
    u64 at_ = (u64)((memory) + (index));                                                                       \
    volatile GLOBAL i32 *cell_ = (volatile GLOBAL i32 *)(at_ & ~(u64)3);                                       \
    u32 shift_ = (u32)(at_ & 3) * 8;                                                                           \
    i32 old_ = raido_peek_32(cell_), seen_, new_;                                                              \
    for (;;) {                                                                                                 \
      TYPE now_ = (TYPE)(((u32)old_ >> shift_) & MASK);                                                        \
      new_ = (i32)(((u32)old_ & ~((u32)MASK << shift_)) | (((u32)TO(op(FROM(now_), value)) & MASK) << shift_)); \
      seen_ = raido_cas_32(cell_, old_, new_);                                                                 \
      if (seen_ == old_) break;                                                                                \
      old_ = seen_;                                                                                            \
    }                                                                                                          \
  } while (0)
#define RAIDO_BITS_F64(x) raido_from_bits_f64((u64)(x))
#define RAIDO_BITS_F32(x) raido_from_bits_f32((u32)(x))
#define RAIDO_U64(x) ((u64)(x))
#define RAIDO_U32(x) ((u32)(x))
#define ATOMIC_UPDATE_i64(op, m, i, v) ATOMIC_UPDATE_64(op, m, i, v, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u64(op, m, i, v) ATOMIC_UPDATE_64(op, m, i, v, RAIDO_U64, RAIDO_ID)
#define ATOMIC_UPDATE_f64(op, m, i, v) ATOMIC_UPDATE_64(op, m, i, v, RAIDO_BITS_F64, raido_to_bits_f64)
#define ATOMIC_UPDATE_i32(op, m, i, v) ATOMIC_UPDATE_32(op, m, i, v, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u32(op, m, i, v) ATOMIC_UPDATE_32(op, m, i, v, RAIDO_U32, RAIDO_ID)
#define ATOMIC_UPDATE_f32(op, m, i, v) ATOMIC_UPDATE_32(op, m, i, v, RAIDO_BITS_F32, raido_to_bits_f32)
#define ATOMIC_UPDATE_i8(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, i8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u8(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, u8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_bool(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, u8, 8, 255u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_i16(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, i16, 16, 65535u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_u16(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, u16, 16, 65535u, RAIDO_ID, RAIDO_ID)
#define ATOMIC_UPDATE_f16(op, m, i, v) ATOMIC_UPDATE_SMALL(op, m, i, v, u16, 16, 65535u, raido_f16_to_f32, raido_f32_to_f16)

// A traced value: the failure word is followed by 8 arguments, the number of traced values, how many there is room for, and two words of each.
RAIDO_INLINE void raido_trace(volatile GLOBAL i64 *failure, i64 what, i64 bits) {
  i64 at = raido_peek_64(failure + 9), seen;
  while ((seen = raido_cas_64(failure + 9, at, at + 1)) != at) at = seen;
  if (at >= failure[10]) return;
  failure[11 + 2 * at] = what;
  failure[12 + 2 * at] = bits;
}

// True where some check has failed.
#define RAIDO_FAILED(failure) (raido_peek_64(failure) >= 0)
// True for the first check that fails: its number is then in the failure word, and its arguments may follow.
#define RAIDO_FAIL_FIRST(failure, check) (raido_cas_64((failure), -1, (check)) == -1)
