// digits.h - numbers as text. Floats are what `%.17g` and `%.9g` print, to the last digit, several times as fast as the C library does it.

enum { RAIDO_SCALAR_TEXT = 48 };                 // more than the longest number takes, with its type

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 raido_u128;

// The first decimal digits of m * 2^e, as a whole number; `power` becomes the exponent of the first digit. The digits after them are rounded, to even
// at a tie. All arithmetic is exact. 0 for numbers that are so large or so small that it would not be.
RAIDO_FN u64 raido_decimal(u64 m, int e, int digits, int *power) {
  static const u64 fives[] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
                              30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
                              2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625, 7450580596923828125};
  u64 limit = 1;
  for (int k = 0; k < digits; k++) limit *= 10;
  // 78913 / 2^18 is the logarithm of two. The exponent of the first digit is this one or the next.
  for (int p = (63 - __builtin_clzll(m) + e) * 78913 >> 18;; p++) {
    int k = digits - 1 - p, s = -(e + k), round;   // the number times 10^k is m * 5^k / 2^s
    if (k < 0 || k > 54) return 0;
    raido_u128 five = (raido_u128)fives[k > 27 ? 27 : k] * (k > 27 ? fives[k - 27] : 1);
    raido_u128 low = (raido_u128)m * (u64)five, high = (raido_u128)m * (u64)(five >> 64) + (u64)(low >> 64);
    u64 rest = (u64)low, whole;                    // the product is high * 2^64 + rest
    if (s <= 0) {
      whole = rest << -s;
      round = 0;
    } else if (s <= 64) {
      whole = (u64)(s < 64 ? high << (64 - s) | rest >> s : high);
      rest <<= 64 - s;
      round = rest > UINT64_C(1) << 63 || (rest == UINT64_C(1) << 63 && (whole & 1));
    } else {
      raido_u128 half = (raido_u128)1 << (s - 65), above = high & (2 * half - 1);
      whole = (u64)(high >> (s - 64));
      round = above > half || (above == half && (rest > 0 || (whole & 1)));
    }
    if (whole >= limit) continue;
    whole += (u64)round;
    *power = whole == limit ? p + 1 : p;
    return whole == limit ? whole / 10 : whole;
  }
}
#endif

// Writes the float to `to`, with so many digits and this name of its type, and returns the end.
RAIDO_FN char *raido_float_text(char *to, f64 x, int digits, const char *name) {
  u64 bits, whole = 0;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff), power = 0;
  if (exponent == 0x7ff) {
    if (bits << 12 != 0) return to + sprintf(to, "%s.nan", name);
    return to + sprintf(to, "%s%s.inf", bits >> 63 ? "-" : "", name);
  }
#ifdef __SIZEOF_INT128__
  u64 m = bits << 12 >> 12;
  if (exponent > 0) whole = raido_decimal(m | UINT64_C(1) << 52, exponent - 1075, digits, &power);   // subnormal numbers are too small anyway
#endif
  if (bits << 1 == 0) {
    if (bits != 0) *to++ = '-';
    *to++ = '0';
  } else if (whole == 0) {
    to += sprintf(to, "%.*g", digits, x);
  } else {
    char text[24];
    for (int k = digits - 1; k >= 0; k--, whole /= 10) text[k] = (char)('0' + whole % 10);
    int used = digits, before = power < -4 || power >= digits ? 1 : power + 1;   // digits before the point
    while (used > 1 && text[used - 1] == '0') used--;
    if (bits >> 63) *to++ = '-';
    if (before <= 0) {
      *to++ = '0';
      *to++ = '.';
      for (; before < 0; before++) *to++ = '0';
      memcpy(to, text, (size_t)used);
      to += used;
    } else {
      memcpy(to, text, (size_t)before);
      to += before;
      if (used > before) {
        *to++ = '.';
        memcpy(to, text + before, (size_t)(used - before));
        to += used - before;
      }
      if (before != power + 1) to += sprintf(to, "e%c%02d", power < 0 ? '-' : '+', power < 0 ? -power : power);
    }
  }
  memcpy(to, name, 3);
  return to + 3;
}

RAIDO_FN char *raido_integer_text(char *to, u64 magnitude, int negative, const char *name) {
  char text[RAIDO_SCALAR_TEXT], *end = text + sizeof text, *p = end;
  size_t n = strlen(name);
  memcpy(p -= n, name, n);
  do *--p = (char)('0' + magnitude % 10); while ((magnitude /= 10) != 0);
  if (negative) *--p = '-';
  memcpy(to, p, (size_t)(end - p));
  return to + (end - p);
}
