// words_c.h - the vocabulary of kernels in C: the tracing device runs them on the CPU, one thread after the other.
#define KERNEL static void
#define GLOBAL
#define GLOBAL_ID() raido_global_id
static i64 raido_global_id;
static i64 raido_atomics;
RAIDO_INLINE i64 raido_cas_64(volatile i64 *p, i64 expected, i64 value) {
  i64 old = *p;
  if (old == expected) { *p = value; raido_atomics++; }
  return old;
}
RAIDO_INLINE i32 raido_cas_32(volatile i32 *p, i32 expected, i32 value) {
  i32 old = *p;
  if (old == expected) { *p = value; raido_atomics++; }
  return old;
}
