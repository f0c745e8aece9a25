/* scalar_helpers.h - what the value column of scalar_ops.def calls beyond the C library: integer powers, high
 * products, bit counts, sin(pi x), the polygamma functions. C99 that is also C++, CUDA and OpenCL C: it is compiled
 * into the constant folder and copied into every generated program that needs it.
 *
 * RAIDO_FUN qualifies each function (static inline, __device__, ..). Types are those of <stdint.h>. */
#ifndef RAIDO_FUN
#define RAIDO_FUN static inline
#endif

/* x to the power y modulo 2^64, by squaring. */
RAIDO_FUN uint64_t raido_ipow(uint64_t x, uint64_t y) {
  uint64_t r = 1;
  for (; y != 0; y >>= 1, x *= x)
    if (y & 1) r *= x;
  return r;
}
RAIDO_FUN uint64_t raido_mul_hi_64(uint64_t x, uint64_t y) {
  uint64_t xl = x & 0xffffffffu, xh = x >> 32, yl = y & 0xffffffffu, yh = y >> 32;
  uint64_t mid = xh * yl + ((xl * yl) >> 32), low = (mid & 0xffffffffu) + xl * yh;
  return xh * yh + (mid >> 32) + (low >> 32);
}
/* The upper half of the double-width product of two numbers of `width` bits. */
RAIDO_FUN uint64_t raido_mul_hi_u(uint64_t x, uint64_t y, int width) {
  return width == 64 ? raido_mul_hi_64(x, y) : (x * y) >> width;
}
RAIDO_FUN int64_t raido_mul_hi_s(int64_t x, int64_t y, int width) {
  if (width < 64) return (x * y) >> width;
  return (int64_t)(raido_mul_hi_64((uint64_t)x, (uint64_t)y) - (x < 0 ? (uint64_t)y : 0) - (y < 0 ? (uint64_t)x : 0));
}
RAIDO_FUN int32_t raido_popc(uint64_t x) {
  int32_t n = 0;
  for (; x != 0; x &= x - 1) n++;
  return n;
}
/* Leading zeros of a 64-bit number; 64 for 0. */
RAIDO_FUN int32_t raido_clz(uint64_t x) {
  int32_t n = 0, step = 32;
  if (x == 0) return 64;
  for (; step > 0; step >>= 1)
    if ((x >> (64 - step)) == 0) { n += step; x <<= step; }
  return n;
}
/* Trailing zeros of a number that is not 0. */
RAIDO_FUN int32_t raido_ctz(uint64_t x) {
  int32_t n = 0;
  for (; (x & 1) == 0; x >>= 1) n++;
  return n;
}
#ifndef RAIDO_NO_F64
/* sin(pi x) and cos(pi x), exact at multiples of 1/2: the argument is reduced before it meets pi. */
RAIDO_FUN double raido_sinpi(double x) {
  double a = fmod(fabs(x), 2.0), s = x < 0 ? -1.0 : 1.0;
  if (a >= 1.0) { a -= 1.0; s = -s; }
  if (a > 0.5) a = 1.0 - a;
  return a == 0.0 ? s * 0.0 : s * (a <= 0.25 ? sin(3.14159265358979323846 * a) : cos(3.14159265358979323846 * (0.5 - a)));
}
RAIDO_FUN double raido_cospi(double x) {
  double a = fmod(fabs(x), 2.0), s = 1.0;
  if (a > 1.0) a = 2.0 - a;
  if (a > 0.5) { a = 1.0 - a; s = -1.0; }
  return a == 0.5 ? 0.0 : s * (a <= 0.25 ? cos(3.14159265358979323846 * a) : sin(3.14159265358979323846 * (0.5 - a)));
}
/* The m-th derivative of the digamma function (m >= 0): recurrence up to x >= 15, then the asymptotic series; for
 * negative x the reflection formula when m is 0 or 1, else the recurrence alone. */
RAIDO_FUN double raido_polygamma(int m, double x) {
  const double b[10] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510,
                        43867.0 / 798, -174611.0 / 330};
  double sum = 0.0, fact = 1.0, sign = (m & 1) ? 1.0 : -1.0, reflected = 0.0, sense = 1.0, term, power;
  const double pi = 3.14159265358979323846;
  int k, j;
  if (x <= 0.0 && m <= 1) {                                 /* not by a call of itself: OpenCL C has no recursion */
    const double s = raido_sinpi(x);
    reflected = m == 0 ? -pi * raido_cospi(x) / s : pi * pi / (s * s);
    if (m == 1) sense = -1.0;
    x = 1.0 - x;
  }
  for (k = 2; k <= m; k++) fact *= k;                       /* m! */
  for (; x < 15.0; x += 1.0) {                              /* polygamma(m,x) = polygamma(m,x+1) - (-1)^m m! / x^(m+1) */
    power = 1.0;
    for (j = 0; j <= m; j++) power *= x;
    sum += sign * fact / power;
  }
  if (m == 0) {
    power = 1.0 / (x * x);
    sum += log(x) - 0.5 / x;
    for (k = 0, term = power; k < 10; k++, term *= power) sum -= b[k] * term / (2.0 * (k + 1));
    return reflected + sense * sum;
  }
  /* (-1)^(m+1) [ (m-1)!/x^m + m!/(2 x^(m+1)) + sum_k B_2k (2k+m-1)! / ((2k)! x^(2k+m)) ] */
  power = 1.0;
  for (j = 0; j < m; j++) power *= x;
  sum += sign * (fact / m / power + fact / (2.0 * power * x));
  for (k = 1, term = fact / m / power; k <= 10; k++) {
    for (j = 0; j < 2; j++) term *= (2.0 * (k - 1) + m + j) / (2.0 * (k - 1) + 1 + j) / x;
    sum += sign * b[k - 1] * term;
  }
  return reflected + sense * sum;
}
#endif
