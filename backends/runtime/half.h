// half.h - f16: two bytes of storage, arithmetic in f32 rounded after every operation. There are no branches, so loops are vectors.

typedef u16 f16;

RAIDO_INLINE f32 raido_f16_to_f32(f16 h) {
  u32 exponent = (h >> 10) & 31, fraction = h & 1023u, bits;
  f32 small = (f32)(i32)fraction * (1.0f / 16777216.0f), r;          // below the smallest normal: units of 2^-24
  memcpy(&bits, &small, sizeof bits);
  u32 normal = ((exponent + 112) << 23) | (fraction << 13), special = 0x7f800000u | (fraction << 13);
  bits = exponent == 0 ? bits : exponent == 31 ? special : normal;
  bits |= (u32)(h >> 15) << 31;
  memcpy(&r, &bits, sizeof r);
  return r;
}

// Rounds to the nearest f16, ties to even. Floats from 1/2 to 1 are units of 2^-24 apart, so adding 1/2 rounds a small number.
RAIDO_INLINE f16 raido_f32_to_f16(f32 x) {
  u32 bits, small;
  memcpy(&bits, &x, sizeof bits);
  f32 units = fabsf(x) + 0.5f;
  memcpy(&small, &units, sizeof small);
  u32 sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  u32 normal = (rest + 0xfffu + ((rest >> 13) & 1u) - 0x38000000u) >> 13, nan = 0x7e00u | ((rest >> 13) & 0x3ffu);
  u32 half = rest < 0x38800000u ? small - 0x3f000000u : normal;
  half = rest >= 0x47800000u ? 0x7c00u : half;
  half = rest > 0x7f800000u ? nan : half;
  return (f16)(sign | half);
}

// An f64 with the bits of an f32, the last one set if any was cut off. So what is rounded to an f16 then is rounded once.
RAIDO_INLINE f32 raido_odd_f32(f64 x) {
  u64 bits;
  memcpy(&bits, &x, sizeof bits);
  u64 rest = bits & 0x1fffffffu;
  bits = (bits ^ rest) | ((u64)(rest != 0) << 29);
  memcpy(&x, &bits, sizeof x);
  return (f32)x;
}

// The same as a conversion there and back.
RAIDO_INLINE f32 raido_round_f16(f32 x) {
  u32 bits, small;
  memcpy(&bits, &x, sizeof bits);
  f32 units = (fabsf(x) + 0.5f) - 0.5f, r;
  memcpy(&small, &units, sizeof small);
  u32 sign = bits & 0x80000000u, rest = bits & 0x7fffffffu;
  u32 rounded = (rest + 0xfffu + ((rest >> 13) & 1u)) & ~0x1fffu;
  rounded = rest < 0x38800000u ? small : rounded;
  rounded = rounded >= 0x47800000u ? 0x7f800000u : rounded;
  rounded = rest > 0x7f800000u ? 0x7fc00000u | (rest & 0x7fe000u) : rounded;
  rounded |= sign;
  memcpy(&r, &rounded, sizeof r);
  return r;
}

// x * y + z of halves, rounded once: the product is exact, and the sum has its last bit set if anything was cut off.
RAIDO_INLINE f32 raido_fma_f16(f32 x, f32 y, f32 z) {
  f32 product = x * y, sum = product + z, added = sum - product, lost = (product - (sum - added)) + (z - added);
  u32 bits;
  memcpy(&bits, &sum, sizeof bits);
  u32 even = ~bits & 1u, away = even & (u32)((lost > 0.0f && sum > 0.0f) || (lost < 0.0f && sum < 0.0f));
  u32 toward = even & (u32)((lost > 0.0f && sum < 0.0f) || (lost < 0.0f && sum > 0.0f));
  bits += away - toward;
  memcpy(&sum, &bits, sizeof sum);
  return raido_round_f16(sum);
}
