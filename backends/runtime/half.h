// half.h - f16: two bytes of storage, arithmetic in f32 rounded after every operation.

typedef u16 f16;

RAIDO_INLINE f32 raido_f16_to_f32(f16 h) {
  u32 sign = (u32)(h >> 15) << 31, exponent = (h >> 10) & 31, fraction = h & 1023u, bits;
  f32 r;
  if (exponent == 31) {
    bits = sign | 0x7f800000u | (fraction << 13);
  } else if (exponent != 0) {
    bits = sign | ((exponent + 112) << 23) | (fraction << 13);
  } else {
    r = (f32)fraction * (1.0f / 16777216.0f);
    return sign ? -r : r;
  }
  memcpy(&r, &bits, sizeof r);
  return r;
}

// Rounds to the nearest f16, ties to even.
RAIDO_INLINE f16 raido_f32_to_f16(f32 x) {
  u32 bits;
  memcpy(&bits, &x, sizeof bits);
  u32 sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (f16)(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  if (rest >= 0x47800000u) return (f16)(sign | 0x7c00u);
  if (rest < 0x38800000u) {  // below the smallest normal: units of 2^-24
    f32 magnitude = fabsf(x) * 16777216.0f;
    return (f16)(sign | (u32)nearbyintf(magnitude));
  }
  u32 rounded = rest + 0xfffu + ((rest >> 13) & 1u);
  return (f16)(sign | ((rounded - 0x38000000u) >> 13));
}

RAIDO_INLINE f32 raido_round_f16(f32 x) { return raido_f16_to_f32(raido_f32_to_f16(x)); }
