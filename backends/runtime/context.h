// context.h - what a running program owns: contexts, which share nothing, and the workers of each (one per thread).
//
// Every generated function takes the worker that runs it. A worker has its own free lists and its own error text, so
// neither needs a lock; the context has what all workers share. A function that fails returns nonzero after storing
// the message in its worker, and every caller passes the failure on.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// How a small loop lies in the lines of the code cache can be a third of its time. It lies elsewhere after every change of the
// code before it. So functions begin at 64 bytes, and loops, too, where that takes fewer than 33.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("align-functions=64", "align-loops=33")
#endif
// Who compiles a library may not have our options: loops are for vectors only with -fopenmp-simd, and these two matter as much.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif

// Functions that the C library also has for several numbers at once: a loop over neighbouring elements may call those, which are right
// to 4 units in the last place, where the others are to 1. Those that give 10 for the cube root of 1000 only nearly are left out.
#if !defined(RAIDO_STRICT_MATH) && defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus) && defined(__x86_64__) && defined(__GLIBC__)
#define RAIDO_VECTOR1(f) __attribute__((simd("notinbranch"))) double f(double);
#define RAIDO_VECTOR2(f) __attribute__((simd("notinbranch"))) double f(double, double);
#define RAIDO_VECTOR1F(f) __attribute__((simd("notinbranch"))) float f(float);
#define RAIDO_VECTOR2F(f) __attribute__((simd("notinbranch"))) float f(float, float);
#if __GLIBC_PREREQ(2, 22)
RAIDO_VECTOR1(exp) RAIDO_VECTOR1(log) RAIDO_VECTOR1(sin) RAIDO_VECTOR1(cos) RAIDO_VECTOR2(pow)
RAIDO_VECTOR1F(expf) RAIDO_VECTOR1F(logf) RAIDO_VECTOR1F(sinf) RAIDO_VECTOR1F(cosf) RAIDO_VECTOR2F(powf)
#endif
#if __GLIBC_PREREQ(2, 35)
RAIDO_VECTOR1(tan) RAIDO_VECTOR1(asin) RAIDO_VECTOR1(acos) RAIDO_VECTOR1(atan) RAIDO_VECTOR2(atan2)
RAIDO_VECTOR1(sinh) RAIDO_VECTOR1(cosh) RAIDO_VECTOR1(tanh) RAIDO_VECTOR1(asinh) RAIDO_VECTOR1(acosh) RAIDO_VECTOR1(atanh)
RAIDO_VECTOR1(exp2) RAIDO_VECTOR1(expm1) RAIDO_VECTOR1(log2) RAIDO_VECTOR1(log1p) RAIDO_VECTOR1(erf) RAIDO_VECTOR1(erfc)
RAIDO_VECTOR1F(tanf) RAIDO_VECTOR1F(asinf) RAIDO_VECTOR1F(acosf) RAIDO_VECTOR1F(atanf) RAIDO_VECTOR2F(atan2f)
RAIDO_VECTOR1F(sinhf) RAIDO_VECTOR1F(coshf) RAIDO_VECTOR1F(tanhf) RAIDO_VECTOR1F(asinhf) RAIDO_VECTOR1F(acoshf) RAIDO_VECTOR1F(atanhf)
RAIDO_VECTOR1F(exp2f) RAIDO_VECTOR1F(expm1f) RAIDO_VECTOR1F(log2f) RAIDO_VECTOR1F(log1pf) RAIDO_VECTOR1F(erff) RAIDO_VECTOR1F(erfcf)
#endif
#endif

// GCC makes one call of a sine and a cosine of the same number, which has no vectors. In loops for vectors the cosine has a name of its own.
#if defined(RAIDO_VECTOR1) && __GLIBC_PREREQ(2, 22)
__attribute__((simd("notinbranch"), const)) double raido_cos_f64(double) __asm__("cos");
__attribute__((simd("notinbranch"), const)) float raido_cos_f32(float) __asm__("cosf");
#else
#define raido_cos_f64(x) cos_f64(x)
#define raido_cos_f32(x) cos_f32(x)
#endif

#define RAIDO_FN static __attribute__((unused))
#define RAIDO_INLINE static inline __attribute__((unused))
#define RAIDO_CALLED static __attribute__((unused, noinline))   // programs have it in many places, and none where a call matters
// A large function. GCC took six times as long where it knew the sizes that callers give, and wrote out all loops over them.
#if defined(__has_attribute) && __has_attribute(noipa)
#define RAIDO_LONE static __attribute__((noipa))
#else
#define RAIDO_LONE static __attribute__((noinline))
#endif
#define RAIDO_LIKELY(x) __builtin_expect(!!(x), 1)
#define RAIDO_UNLIKELY(x) __builtin_expect(!!(x), 0)
// The loop that follows adds to variables in any order, or takes their minimum or maximum; its iterations have no other effect.
#define RAIDO_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"          // a sum that it cannot vectorise is no mistake
#endif
#define RAIDO_SIMD(...) RAIDO_PRAGMA(omp simd __VA_ARGS__)
#if defined(__GNUC__) && !defined(__clang__)
#define RAIDO_SIMD_EXTREMA(...) RAIDO_SIMD(__VA_ARGS__)
#else
#define RAIDO_SIMD_EXTREMA(...)                           // clang begins a maximum at the least finite number, not at -inf
#endif
// No iteration of the loop that follows touches an element that another one stores.
#ifdef __clang__
#define RAIDO_APART RAIDO_PRAGMA(clang loop vectorize(assume_safety))
#elif defined(__GNUC__)
#define RAIDO_APART RAIDO_PRAGMA(GCC ivdep)
#else
#define RAIDO_APART
#endif
// The loop that follows is written out: the C compiler knows how often it runs.
#ifdef __clang__
#define RAIDO_UNROLLED RAIDO_PRAGMA(clang loop unroll(full))
#elif defined(__GNUC__)
#define RAIDO_UNROLLED RAIDO_PRAGMA(GCC unroll 64)
#else
#define RAIDO_UNROLLED
#endif
#define RAIDO_SCALAR __asm__ volatile("")                 // the loop around is not for vectors
// The same where there were loads under masks: fewer than four iterations are left. GCC would write vectors for any number of them.
#define RAIDO_SCALAR_FEW if (RAIDO_VECTOR_BYTES >= 32) RAIDO_SCALAR
// Sums in any order: GCC gets vectors, and after them the rest, which is short. Others make better vectors of the sum than of these.
#if defined(__GNUC__) && !defined(__clang__)
#define RAIDO_SUM_VECTORS 1
#define RAIDO_SIMD_REST(...)
#define RAIDO_SCALAR_REST RAIDO_SCALAR
#else
#define RAIDO_SUM_VECTORS 0
#define RAIDO_SIMD_REST(...) RAIDO_SIMD(__VA_ARGS__)
#define RAIDO_SCALAR_REST
#endif

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

// Where a counter begins. If GCC knew the constant, it would compute functions of it before the loop, and those of the next iteration at
// the end of each. It makes no vectors of such a loop if its body has a branch, as minima have.
RAIDO_INLINE i64 raido_begin(i64 i) {
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("" : "+r"(i));
#endif
  return i;
}

// A constant that GCC does not know, for a loop whose functions may be given it (Writer::met_by_functions).
#if defined(__GNUC__) && !defined(__clang__)
#define RAIDO_HIDE(x) __asm__("" : "+m"(x))
#else
#define RAIDO_HIDE(x) ((void)(x))
#endif
// An integer stays in a general register here (VectorLoop::general).
#if defined(__GNUC__) && !defined(__clang__)
#define RAIDO_GENERAL(x) __asm__("" : "+r"(x))
#else
#define RAIDO_GENERAL(x) ((void)(x))
#endif
RAIDO_INLINE f64 raido_hidden_f64(f64 x) { RAIDO_HIDE(x); return x; }
RAIDO_INLINE f32 raido_hidden_f32(f32 x) { RAIDO_HIDE(x); return x; }

// A result between zero and the least normal float becomes zero in the thread that asks for it (decision 031). Returns the mode before,
// which has to come back before numbers are read or printed, and before the caller of a library goes on.
#if defined(RAIDO_FLUSH_SUBNORMALS) && defined(__SSE2__)
RAIDO_INLINE u64 raido_mode(void) { return __builtin_ia32_stmxcsr(); }
RAIDO_INLINE void raido_set_mode(u64 mode) { __builtin_ia32_ldmxcsr((u32)mode); }
enum { RAIDO_FLUSH = 0x8000 };
#elif defined(RAIDO_FLUSH_SUBNORMALS) && defined(__aarch64__)
RAIDO_INLINE u64 raido_mode(void) { u64 mode; __asm__ volatile("mrs %0, fpcr" : "=r"(mode)); return mode; }
RAIDO_INLINE void raido_set_mode(u64 mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
enum { RAIDO_FLUSH = 1 << 24 };                            // of operands, too
#else
RAIDO_INLINE u64 raido_mode(void) { return 0; }
RAIDO_INLINE void raido_set_mode(u64 mode) { (void)mode; }
enum { RAIDO_FLUSH = 0 };
#endif
RAIDO_INLINE u64 raido_flush_subnormals(void) {
  u64 before = raido_mode();
  raido_set_mode(before | RAIDO_FLUSH);
  return before;
}

enum { RAIDO_SIZE_CLASSES = 224 };           // of blocks up to INT64_MAX / 4 bytes: raido_size_class

struct raido_block;
struct raido_context;
struct raido_pool;
struct raido_code;
struct raido_constants;
struct raido_device;

struct raido_config;

// Something that took time: on a device, or at a place of the program as samples say.
struct raido_event {
  struct raido_event *next;
  const char *name;      // a kernel, a kind of copy, or of what stands at the place
  int is_kernel, place;
  i64 duration, blocks, block_size, bytes, samples;       // duration: nanoseconds
};

struct raido_param {
  const char *name, *kind;
};

// What runs from here on comes from this place.
#define RAIDO_MARK(number) __atomic_store_n(&w->place, number, __ATOMIC_RELAXED)

struct raido_worker {
  struct raido_context *context;
  int number;
  int alone;                                      // the context has no other thread
  const char *stack;                              // the end that recursive functions leave free (raido_stack_end)
  int place;                                      // of the program, that it is at (raido_places)
  char *error;                                    // the first failure of this worker: its code, then its text; or NULL
  struct raido_block *free[RAIDO_SIZE_CLASSES];   // blocks to be used again, by size class
  size_t cached;                                  // bytes in `free`
  int fresh;                                      // the last failure is the one that `error` tells of
};

struct raido_context {
  const char *program;   // how messages name it
  const struct raido_code *code;                  // the version of its functions that runs
  struct raido_config *config;
  int debugging, logging, profiling;
  int num_threads;
  int started;           // the top-level values are there
  FILE *log;
  pthread_mutex_t use;   // held by the call from outside that is running
  pthread_mutex_t lock;  // guards `blocks`, `live`, `peak`
  struct raido_block *blocks;
  size_t live, peak;     // bytes obtained from the system: now, at most
  size_t limit;          // of `live`; 0: none
  struct raido_worker main;
  struct raido_pool *pool;
  struct raido_constants *constants;  // top-level values of the program; its layout is the program's own
  struct raido_device *device;
  struct raido_event *events, **last_event;       // what was measured while profiling
  struct raido_profiler *profiler;
};
