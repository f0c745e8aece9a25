// scalars.h - bits of floats, and floats to integers (towards zero, modulo 2^64, as the constant folder has it). Some functions
// are better than in the C library. Minimum and maximum are an instruction and a test (of a NaN and x: x), without the test if
// the second is known to be a number. The logarithm of gamma needs no global variable for its sign.

RAIDO_INLINE u32 raido_to_bits_f32(f32 x) { u32 r; memcpy(&r, &x, 4); return r; }
RAIDO_INLINE u64 raido_to_bits_f64(f64 x) { u64 r; memcpy(&r, &x, 8); return r; }
RAIDO_INLINE f32 raido_from_bits_f32(u32 x) { f32 r; memcpy(&r, &x, 4); return r; }
RAIDO_INLINE f64 raido_from_bits_f64(u64 x) { f64 r; memcpy(&r, &x, 8); return r; }

RAIDO_INLINE f64 raido_fmin(f64 x, f64 y) { f64 r = x < y ? x : y; return y != y ? x : r; }
RAIDO_INLINE f64 raido_fmax(f64 x, f64 y) { f64 r = x > y ? x : y; return y != y ? x : r; }
RAIDO_INLINE f32 raido_fminf(f32 x, f32 y) { f32 r = x < y ? x : y; return y != y ? x : r; }
RAIDO_INLINE f32 raido_fmaxf(f32 x, f32 y) { f32 r = x > y ? x : y; return y != y ? x : r; }
RAIDO_INLINE f64 raido_min_number(f64 x, f64 y) { return x < y ? x : y; }
RAIDO_INLINE f64 raido_max_number(f64 x, f64 y) { return x > y ? x : y; }
RAIDO_INLINE f32 raido_min_numberf(f32 x, f32 y) { return x < y ? x : y; }
RAIDO_INLINE f32 raido_max_numberf(f32 x, f32 y) { return x > y ? x : y; }
RAIDO_INLINE f64 raido_lgamma(f64 x) { int sign; return lgamma_r(x, &sign); }
RAIDO_INLINE f32 raido_lgammaf(f32 x) { int sign; return lgammaf_r(x, &sign); }

RAIDO_INLINE i64 raido_integer_part(f64 x) {
  if (!(x > -18446744073709551616.0 && x < 18446744073709551616.0)) return 0;
  if (x >= -9223372036854775808.0 && x < 9223372036854775808.0) return (i64)x;
  return x > 0 ? (i64)(u64)x : 0;
}

#define RAIDO_INFINITY INFINITY
#define RAIDO_NAN NAN
#define RAIDO_MAX(T) RAIDO_MAX_##T
#define RAIDO_MAX_f32 3.40282346638528859811704183484516925e+38f
#define RAIDO_MAX_f64 1.79769313486231570814527423731704357e+308
