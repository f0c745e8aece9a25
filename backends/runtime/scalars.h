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
  if (fabs(x) < 9223372036854775808.0) return (i64)x;
  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) return (i64)(u64)x;
  return x == -9223372036854775808.0 ? INT64_MIN : 0;
}

// Division by a number that all iterations of a loop for vectors have in common: a product with the inverse. AVX-512 only, since it converts
// between integers of 64 bits and floats. First rounded down, by n, which is 0 < n <= 2^63, and 1 where a check has failed.
//
// `less` is less than 1 / n by more than what roundings add. So the first quotient is nowhere too large, and the rest not larger than x: nothing
// overflows. The rest is less than 2^14 n and divided once more. The addend makes that number positive, so that the conversion rounds down, and
// rounds what is next to an integer to it: the quotient may be too large by one, but not too small.
struct raido_divisor { u64 n, negative, some; f64 inverse, less; };      // masks: it is less than 0, it is not 0
RAIDO_INLINE struct raido_divisor raido_divisor_u64(u64 y) {
  struct raido_divisor d = {y == 0 ? 1 : y, 0, y == 0 ? 0 : ~(u64)0, 0, 0};
  d.inverse = 1 / (f64)d.n;
  d.less = d.inverse * (1 - 0x1p-50);
  return d;
}
RAIDO_INLINE struct raido_divisor raido_divisor_i64(i64 y) {
  struct raido_divisor d = raido_divisor_u64(y < 0 ? 0 - (u64)y : (u64)y);
  d.negative = y < 0 ? ~(u64)0 : 0;
  return d;
}
RAIDO_INLINE u64 raido_divide_i64(i64 x, struct raido_divisor d, u64 *rest) {
  u64 first = (u64)(i64)((f64)x * d.less), r = (u64)x - first * d.n;
  u64 second = (u64)(i64)((f64)(i64)r * d.inverse + 0x1p20), close = r + (d.n << 20) - second * d.n, below = (u64)((i64)close >> 63);
  *rest = close + (d.n & below);
  return first + second - (1 << 20) + below;
}
// Of numbers of 32 bits, whose first quotient is exact enough.
RAIDO_INLINE u64 raido_divide_short(i64 x, struct raido_divisor d, u64 *rest) {
  u64 q = (u64)(i64)((f64)x * d.inverse + 0x1p34) - ((u64)1 << 34), r = (u64)x - q * d.n, below = (u64)((i64)r >> 63);
  *rest = r + (d.n & below);
  return q + below;
}
#define RAIDO_VECTOR_DIVISION(NAME) \
  RAIDO_INLINE i64 raido_vector_mod_##NAME(i64 x, struct raido_divisor d) { \
    u64 r; \
    (void)raido_divide_##NAME(x, d, &r); \
    return (i64)(r - (r != 0 ? d.n & d.negative : 0)); \
  } \
  RAIDO_INLINE i64 raido_vector_div_##NAME(i64 x, struct raido_divisor d) { \
    u64 r, q = raido_divide_##NAME(x, d, &r); \
    return (i64)(((q ^ d.negative) + (r == 0 ? d.negative & 1 : 0)) & d.some); \
  } \
  RAIDO_INLINE i64 raido_vector_rem_##NAME(i64 x, struct raido_divisor d) { \
    u64 r; \
    (void)raido_divide_##NAME(x, d, &r); \
    return (i64)(x < 0 && r != 0 ? r - d.n : r); \
  } \
  RAIDO_INLINE i64 raido_vector_quot_##NAME(i64 x, struct raido_divisor d) { \
    u64 r, q = raido_divide_##NAME(x, d, &r), towards_0 = q + (x < 0 && r != 0 ? 1 : 0); \
    return (i64)(((towards_0 ^ d.negative) - d.negative) & d.some); \
  }
RAIDO_VECTOR_DIVISION(i64)
RAIDO_VECTOR_DIVISION(short)
#undef RAIDO_VECTOR_DIVISION
RAIDO_INLINE u64 raido_divide_u64(u64 x, struct raido_divisor d, u64 *rest) {
  u64 first = (u64)((f64)x * d.less), r = x - first * d.n, second = (u64)((f64)r * d.less), close = r - second * d.n;
  *rest = close >= d.n ? close - d.n : close;
  return first + second + (close >= d.n ? 1 : 0);
}
RAIDO_INLINE u64 raido_vector_mod_u64(u64 x, struct raido_divisor d) {
  u64 r;
  (void)raido_divide_u64(x, d, &r);
  return r;
}
RAIDO_INLINE u64 raido_vector_div_u64(u64 x, struct raido_divisor d) {
  u64 r;
  return raido_divide_u64(x, d, &r) & d.some;
}
#define raido_vector_rem_u64 raido_vector_mod_u64
#define raido_vector_quot_u64 raido_vector_div_u64

// In loops for vectors, whose instructions convert 64 bits from AVX-512 on only. Each half of an integer becomes a float by its place among the
// bits, with an exponent of its own; the last addition rounds. The way back takes the whole number apart.
#ifdef __x86_64__
RAIDO_INLINE f64 raido_halves_to_f64(u64 high, u64 low, f64 both) {
  return (raido_from_bits_f64(high ^ 0x4530000000000000) - both) + raido_from_bits_f64(low ^ 0x4330000000000000);
}
RAIDO_INLINE f64 raido_vector_f64_i64(i64 x) { return raido_halves_to_f64((u64)x >> 32 ^ 0x80000000, x & 0xffffffff, 0x1.00000801p84); }
RAIDO_INLINE f64 raido_vector_f64_u64(u64 x) { return raido_halves_to_f64(x >> 32, x & 0xffffffff, 0x1.00000001p84); }
// A number beyond 2^53 is rounded twice on its way to 24 bits. To get it right, its last bit stays for all that follow.
RAIDO_INLINE u64 raido_sticky(u64 x, int large) {
  u64 lost = large ? 2047 : 0;
  return (((x & lost) + lost) | x) & ~lost;
}
RAIDO_INLINE f32 raido_vector_f32_i64(i64 x) { return (f32)raido_vector_f64_i64((i64)raido_sticky((u64)x, ((u64)x + ((u64)1 << 53)) >> 54 != 0)); }
RAIDO_INLINE f32 raido_vector_f32_u64(u64 x) { return (f32)raido_vector_f64_u64(raido_sticky(x, x >> 53 != 0)); }
RAIDO_INLINE i64 raido_vector_i64_f64(f64 x) {
  f64 whole = trunc(x), high = floor(whole * 0x1p-32), low = whole - high * 0x1p32;
  u64 bits = raido_to_bits_f64(high + 0x1.8p52) << 32 | (raido_to_bits_f64(low + 0x1p52) & 0xffffffff);
  return x >= -0x1p63 && x < 0x1p64 ? (i64)bits : 0;
}
// AVX-512 has an instruction for this. A number that fits into a u64 only is converted with 2^64 taken away, which is exact. C compilers make branches of
// choices, and then no vectors. So these are masks.
RAIDO_INLINE f64 raido_only_if_f64(int holds, f64 x) { return raido_from_bits_f64(raido_to_bits_f64(x) & (0 - (u64)holds)); }
RAIDO_INLINE f32 raido_only_if_f32(int holds, f32 x) { return raido_from_bits_f32(raido_to_bits_f32(x) & (0 - (u32)holds)); }
RAIDO_INLINE i64 raido_signed_i64_f64(f64 x) {
  return (i64)raido_only_if_f64((x >= -0x1p63) & (x < 0x1p64), x - raido_only_if_f64(x >= 0x1p63, 0x1p64));
}
RAIDO_INLINE i64 raido_signed_i64_f32(f32 x) {
  return (i64)raido_only_if_f32((x >= -0x1p63f) & (x < 0x1p64f), x - raido_only_if_f32(x >= 0x1p63f, 0x1p64f));
}
// The low 32 bits. The nearest multiple of 2^32 is taken away, which is exact: at least the bits before 2^32 cancel, and numbers of less than 2^31
// stay as they are. What is left lies from -2^31 to 2^31. The instruction gives -2^31 for 2^31, which has the same 32 bits. Numbers that no integer of
// 64 bits holds give 0. An f32 of that size has low bits of 0 anyway.
RAIDO_INLINE i32 raido_vector_i32_f32(f32 x) {
  f32 finite = raido_only_if_f32(fabsf(x) < INFINITY, x);
  return (i32)(finite - rintf(finite * 0x1p-32f) * 0x1p32f);
}
RAIDO_INLINE i32 raido_vector_i32_f64(f64 x) {
  f64 whole = trunc(raido_only_if_f64((x >= -0x1p63) & (x < 0x1p64), x));
  return (i32)(whole - rint(whole * 0x1p-32) * 0x1p32);
}
#define RAIDO_WIDEST(vector, scalar) (RAIDO_VECTOR_BYTES == 64 ? (vector) : (scalar))
#define RAIDO_F64_I64(x) (RAIDO_VECTOR_BYTES < 64 ? raido_vector_f64_i64(x) : (f64)(x))
#define RAIDO_F64_U64(x) (RAIDO_VECTOR_BYTES < 64 ? raido_vector_f64_u64(x) : (f64)(x))
#define RAIDO_F32_I64(x) (RAIDO_VECTOR_BYTES == 32 ? raido_vector_f32_i64(x) : (f32)(x))
#define RAIDO_F32_U64(x) (RAIDO_VECTOR_BYTES == 32 ? raido_vector_f32_u64(x) : (f32)(x))
#define RAIDO_I64_F64(x) (RAIDO_VECTOR_BYTES == 64 ? raido_signed_i64_f64(x) : RAIDO_VECTOR_BYTES == 32 ? raido_vector_i64_f64(x) : raido_integer_part(x))
#define RAIDO_I64_F32(x) (RAIDO_VECTOR_BYTES == 64 ? raido_signed_i64_f32(x) : RAIDO_I64_F64(x))
#define RAIDO_I32_F64(x) (RAIDO_VECTOR_BYTES > 16 ? raido_vector_i32_f64(x) : (i32)raido_integer_part(x))
#define RAIDO_I32_F32(x) (RAIDO_VECTOR_BYTES > 16 ? raido_vector_i32_f32(x) : (i32)raido_integer_part(x))
#else
#define RAIDO_WIDEST(vector, scalar) (scalar)
#define RAIDO_F64_I64(x) ((f64)(x))
#define RAIDO_F64_U64(x) ((f64)(x))
#define RAIDO_F32_I64(x) ((f32)(x))
#define RAIDO_F32_U64(x) ((f32)(x))
#define RAIDO_I64_F64(x) raido_integer_part(x)
#define RAIDO_I64_F32(x) raido_integer_part(x)
#define RAIDO_I32_F64(x) ((i32)raido_integer_part(x))
#define RAIDO_I32_F32(x) ((i32)raido_integer_part(x))
#endif

// Vector functions compute an exponential that is too small one by one, as those of distant points and of masked logits are. Such lanes compute that
// of 0 and take 0 by a mask: GCC would make branches of choices, and compute the function of all lanes before it chooses. Those that are too large
// stay, since they are rare and two masks more take a fifth of the time.
#ifdef RAIDO_FLUSH_SUBNORMALS                      // the least results are the normal ones
#define RAIDO_LEAST_EXP_F64 (-708.3964185322641)
#define RAIDO_LEAST_EXP_F32 (-87.33654f)
#else
#define RAIDO_LEAST_EXP_F64 (-745.1332191019412)
#define RAIDO_LEAST_EXP_F32 (-103.97208f)
#endif
#ifdef RAIDO_VECTOR1
RAIDO_INLINE f64 raido_bounded_exp_f64(f64 x) {
  const u64 vanishes = -(u64)(x < RAIDO_LEAST_EXP_F64);
  const f64 y = exp(raido_from_bits_f64(raido_to_bits_f64(x) & ~vanishes));
  return raido_from_bits_f64(raido_to_bits_f64(y) & ~vanishes);
}
RAIDO_INLINE f32 raido_bounded_exp_f32(f32 x) {
  const u32 vanishes = -(u32)(x < RAIDO_LEAST_EXP_F32);
  const f32 y = expf(raido_from_bits_f32(raido_to_bits_f32(x) & ~vanishes));
  return raido_from_bits_f32(raido_to_bits_f32(y) & ~vanishes);
}
#else
#define raido_bounded_exp_f64(x) exp(x)
#define raido_bounded_exp_f32(x) expf(x)
#endif

// Vector powers of negative numbers are computed one by one. In loops for vectors the sign is set afterwards: an odd power of a negative number is
// negative, and one that is no whole number is none.
#if defined(RAIDO_VECTOR1) && __GLIBC_PREREQ(2, 22)
RAIDO_INLINE f64 raido_signed_pow_f64(f64 x, f64 y) {
  f64 r = pow(fabs(x), y), whole = rint(y), half = y * 0.5;
  u64 sign = whole == y && rint(half) != half ? raido_to_bits_f64(x) & (u64)1 << 63 : 0;
  return x < 0.0 && x > -INFINITY && whole != y ? NAN : raido_from_bits_f64(raido_to_bits_f64(r) ^ sign);
}
RAIDO_INLINE f32 raido_signed_pow_f32(f32 x, f32 y) {
  f32 r = powf(fabsf(x), y), whole = rintf(y), half = y * 0.5f;
  u32 sign = whole == y && rintf(half) != half ? raido_to_bits_f32(x) & (u32)1 << 31 : 0;
  return x < 0.0f && x > -INFINITY && whole != y ? NAN : raido_from_bits_f32(raido_to_bits_f32(r) ^ sign);
}
#define raido_pow_f64(x, y) (RAIDO_VECTOR_BYTES > 16 ? raido_signed_pow_f64(x, y) : pow_f64(x, y))
#define raido_pow_f32(x, y) (RAIDO_VECTOR_BYTES > 16 ? raido_signed_pow_f32(x, y) : pow_f32(x, y))
#else
#define raido_pow_f64(x, y) pow_f64(x, y)
#define raido_pow_f32(x, y) pow_f32(x, y)
#endif

#define RAIDO_INFINITY INFINITY
#define RAIDO_NAN NAN
#define RAIDO_MAX(T) RAIDO_MAX_##T
#define RAIDO_MAX_f32 3.40282346638528859811704183484516925e+38f
#define RAIDO_MAX_f64 1.79769313486231570814527423731704357e+308
