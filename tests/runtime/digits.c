/* digits.c - floats as text against `%.17g` and `%.9g` of the C library: bits by chance, numbers of the sizes that data have, short decimals,
 * ties, the neighbours of powers of ten, and what is no number. With an argument so many millions of each. */
#include "backends/runtime/context.h"
#include "backends/runtime/digits.h"

static u64 state = 88172645463325252u;
static int wrong;

static u64 chance(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void check(f64 x, int digits) {
  char got[RAIDO_SCALAR_TEXT], wanted[RAIDO_SCALAR_TEXT];
  *raido_float_text(got, x, digits, "f64") = 0;
  if (isnan(x)) snprintf(wanted, sizeof wanted, "f64.nan");
  else if (isinf(x)) snprintf(wanted, sizeof wanted, "%sf64.inf", x < 0 ? "-" : "");
  else snprintf(wanted, sizeof wanted, "%.*gf64", digits, x);
  if (strcmp(got, wanted) == 0 || wrong++ > 20) return;
  printf("%.*g: %s instead of %s\n", digits, x, got, wanted);
}

static void both(f64 x) {
  check(x, 17);
  check((f64)(f32)x, 9);
}

static void around(f64 x) {
  both(x);
  both(-x);
  both(nextafter(x, INFINITY));
  both(nextafter(x, 0));
  both((f64)nextafterf((f32)x, INFINITY));
  both((f64)nextafterf((f32)x, 0));
}

static f64 of_bits(u64 bits) {
  f64 x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static f64 of_bits_f32(u64 bits) {
  u32 low = (u32)bits;
  f32 x;
  memcpy(&x, &low, sizeof x);
  return (f64)x;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? 1000000 * atol(argv[1]) : 100000;
  static const f64 corners[] = {0, 1, 0.1, 0.5, 0.25, 1e-4, 9.9999999999999995e-05, 9.99999999999999999e16, 123456789, 999999999.5, 9999999995.0, DBL_MAX, DBL_MIN,
                                FLT_MAX, FLT_MIN, 5e-324, 1.4e-45, 9007199254740993.0, 1.00000762939453125, 0.3, 2.5, 1e22, 1e23, INFINITY};
  for (size_t k = 0; k < sizeof corners / sizeof *corners; k++) around(corners[k]);
  both((f64)NAN);
  f64 power = 1e-320;
  for (int k = -320; k < 308; k++, power *= 10) around(power);
  for (int k = -1074; k < 1024; k++) around(ldexp(1, k));
  for (long k = 0; k < count; k++) {
    u64 r = chance();
    check(of_bits(r), 17);
    check(of_bits_f32(r), 9);
    both((f64)(r >> 11) * 0x1p-53);                            /* from 0 to 1 */
    both(((f64)(r >> 11) * 0x1p-53 - 0.5) * pow(10, (f64)(int)(chance() % 40) - 20));
    both((f64)(i64)(r % 2000001 - 1000000) / 1000);            /* short decimals */
    both((f64)(i64)r);
    both(ldexp((f64)(r >> 34 | 1), -(int)(r % 60)));           /* few bits: ties */
  }
  printf("%d of %ld numbers are wrong\n", wrong, 12 * count);
  return wrong != 0;
}
