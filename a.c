
/* ---- context.h ---- */

// context.h - what a running program owns: the context (one per program) and its workers (one per thread).
//
// Every generated function takes the worker that runs it. A worker has its own free lists and its own error text, so
// neither needs a lock; the context has what all workers share. A function that fails returns nonzero after storing
// the message in its worker, and every caller passes the failure on.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
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
#include <time.h>
#include <unistd.h>

#define RAIDO_FN static __attribute__((unused))
#define RAIDO_INLINE static inline __attribute__((unused))
#define RAIDO_LIKELY(x) __builtin_expect(!!(x), 1)
#define RAIDO_UNLIKELY(x) __builtin_expect(!!(x), 0)

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

enum { RAIDO_SIZE_CLASSES = 192 };

struct raido_block;
struct raido_context;
struct raido_pool;
struct raido_constants;
struct raido_device;

struct raido_worker {
  struct raido_context *context;
  int number;
  char *error;                                    // the first failure of this worker, or NULL
  struct raido_block *free[RAIDO_SIZE_CLASSES];   // blocks to be used again, by size class
  size_t cached;                                  // bytes in `free`
};

struct raido_context {
  const char *program;   // how messages name it
  int debugging, logging, profiling;
  int num_threads;
  FILE *log;
  pthread_mutex_t lock;  // guards `blocks`, `live`, `peak`
  struct raido_block *blocks;
  size_t live, peak;     // bytes obtained from the system: now, at most
  struct raido_worker main;
  struct raido_pool *pool;
  struct raido_constants *constants;  // top-level values of the program; its layout is the program's own
  struct raido_device *device;
  i64 started, stopped;  // of the run being measured; a device sets them, without its transfers
};

/* ---- errors.h ---- */

// errors.h - failures of a running program: stored in the worker as text, the first one wins.

RAIDO_FN int raido_fail(struct raido_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

RAIDO_FN int raido_fail(struct raido_worker *w, const char *format, ...) {
  if (w->error == NULL) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    w->error = malloc((size_t)n + 1);
    if (w->error != NULL) {
      va_start(args, format);
      vsnprintf(w->error, (size_t)n + 1, format, args);
      va_end(args);
    }
  }
  return 1;
}

// A failed check: `text` has `{}` where the arguments go, and ends with the list of places.
RAIDO_FN int raido_check_failed(struct raido_worker *w, const char *text, int n, const i64 *args) __attribute__((cold));

RAIDO_FN int raido_check_failed(struct raido_worker *w, const char *text, int n, const i64 *args) {
  size_t size = strlen(text) + 24 * (size_t)n + 1, at = 0;
  char *out = malloc(size);
  if (out == NULL) return raido_fail(w, "out of memory");
  int used = 0;
  while (*text != 0) {
    if (text[0] == '{' && text[1] == '}' && used < n) {
      at += (size_t)snprintf(out + at, size - at, "%" PRId64, args[used++]);
      text += 2;
    } else {
      out[at++] = *text++;
    }
  }
  out[at] = 0;
  raido_fail(w, "%s", out);
  free(out);
  return 1;
}

// Ends the process with a message; only for executables.
RAIDO_FN void raido_panic(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn, cold));

RAIDO_FN void raido_panic(const char *program, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fprintf(stderr, "%s: ", program);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  exit(1);
}

/* ---- memory.h ---- */

// memory.h - blocks of memory with reference counts, kept in free lists by size class.
//
// A block is named by the address of its data; its header lies before it. Sizes are rounded up to four classes per
// power of two, so a block fits any later request of its class and at most a fifth is wasted. A worker keeps what it
// releases and serves itself from there first. When what is kept exceeds a quarter of the peak plus 64 MiB, blocks go
// back to the system.

#ifdef RAIDO_THREADS
#define RAIDO_COUNT(op, place) __atomic_##op##_fetch(place, 1, __ATOMIC_ACQ_REL)
#else
#define RAIDO_COUNT(op, place) raido_##op(place)
RAIDO_INLINE i64 raido_add(i64 *p) { return ++*p; }
RAIDO_INLINE i64 raido_sub(i64 *p) { return --*p; }
#endif

struct raido_block {
  i64 references;
  size_t bytes;               // of data
  int size_class;
  struct raido_block *next;   // in a free list
  struct raido_block *before, *after;  // in the list of all blocks
};

enum { RAIDO_HEADER = 64 };

RAIDO_INLINE struct raido_block *raido_header(void *data) { return (struct raido_block *)((char *)data - RAIDO_HEADER); }

// The product of sizes, or -1 if one is negative, or INT64_MAX if it does not fit.
RAIDO_INLINE i64 raido_size(i64 x, i64 y) {
  i64 r;
  if (x < 0 || y < 0) return -1;
  return __builtin_mul_overflow(x, y, &r) ? INT64_MAX : r;
}

RAIDO_INLINE i64 raido_at_least_0(i64 x) { return x < 0 ? 0 : x; }

RAIDO_INLINE int raido_size_class(size_t bytes, size_t *rounded) {
  if (bytes < 64) bytes = 64;
  int top = 63 - __builtin_clzll((unsigned long long)(bytes - 1) | 32);   // 2^top < bytes <= 2^(top+1), top >= 5
  size_t step = (size_t)1 << (top - 2);
  size_t quarter = (bytes - ((size_t)1 << top) + step - 1) / step;        // 1..4
  *rounded = ((size_t)1 << top) + quarter * step;
  return (top - 5) * 4 + (int)quarter - 1;
}

RAIDO_FN void raido_forget(struct raido_context *c, struct raido_block *b) {
  if (b->before != NULL) b->before->after = b->after; else c->blocks = b->after;
  if (b->after != NULL) b->after->before = b->before;
  c->live -= b->bytes;
}

RAIDO_FN void *raido_alloc_slow(struct raido_worker *w, i64 bytes, size_t rounded, int size_class) {
  struct raido_context *c = w->context;
  struct raido_block *b = NULL;
  if (posix_memalign((void **)&b, 64, rounded + RAIDO_HEADER) != 0) {
    raido_fail(w, "Error: out of memory: %" PRId64 " bytes could not be allocated.", bytes);
    return NULL;
  }
  b->references = 1;
  b->bytes = rounded;
  b->size_class = size_class;
  b->before = NULL;
  pthread_mutex_lock(&c->lock);
  b->after = c->blocks;
  if (c->blocks != NULL) c->blocks->before = b;
  c->blocks = b;
  c->live += rounded;
  if (c->live > c->peak) c->peak = c->live;
  pthread_mutex_unlock(&c->lock);
  return (char *)b + RAIDO_HEADER;
}

// A block of at least `bytes` bytes with one reference; NULL after a failure.
RAIDO_FN void *raido_alloc(struct raido_worker *w, i64 bytes) {
  if (RAIDO_UNLIKELY(bytes < 0)) {
    raido_fail(w, "Negative allocation of %" PRId64 " bytes attempted in default space.", bytes);
    return NULL;
  }
  if (RAIDO_UNLIKELY(bytes > INT64_MAX / 4)) {
    raido_fail(w, "Error: out of memory: the size of an array does not fit.");
    return NULL;
  }
  size_t rounded;
  int size_class = raido_size_class((size_t)bytes, &rounded);
  struct raido_block *b = w->free[size_class];
  if (b != NULL) {
    w->free[size_class] = b->next;
    w->cached -= b->bytes;
    b->references = 1;
    return (char *)b + RAIDO_HEADER;
  }
  return raido_alloc_slow(w, bytes, rounded, size_class);
}

RAIDO_INLINE void raido_retain(void *data) {
  if (data != NULL) RAIDO_COUNT(add, &raido_header(data)->references);
}

RAIDO_FN void raido_release_last(struct raido_worker *w, struct raido_block *b) {
  struct raido_context *c = w->context;
  if (w->cached > c->peak / 4 + ((size_t)64 << 20)) {
    pthread_mutex_lock(&c->lock);
    raido_forget(c, b);
    pthread_mutex_unlock(&c->lock);
    free(b);
    return;
  }
  b->next = w->free[b->size_class];
  w->free[b->size_class] = b;
  w->cached += b->bytes;
}

RAIDO_INLINE void raido_release(struct raido_worker *w, void *data) {
  if (data != NULL && RAIDO_COUNT(sub, &raido_header(data)->references) == 0) raido_release_last(w, raido_header(data));
}

RAIDO_FN void raido_free_all(struct raido_context *c) {
  while (c->blocks != NULL) {
    struct raido_block *b = c->blocks;
    c->blocks = b->after;
    free(b);
  }
  memset(c->main.free, 0, sizeof c->main.free);
  c->main.cached = 0;
  c->live = 0;
}

/* ---- half.h ---- */

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

/* ---- scalars.h ---- */

// scalars.h - bits of floats, and floats to integers (towards zero, modulo 2^64, as the constant folder has it).

RAIDO_INLINE u32 raido_to_bits_f32(f32 x) { u32 r; memcpy(&r, &x, 4); return r; }
RAIDO_INLINE u64 raido_to_bits_f64(f64 x) { u64 r; memcpy(&r, &x, 8); return r; }
RAIDO_INLINE f32 raido_from_bits_f32(u32 x) { f32 r; memcpy(&r, &x, 4); return r; }
RAIDO_INLINE f64 raido_from_bits_f64(u64 x) { f64 r; memcpy(&r, &x, 8); return r; }

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

/* ---- timing.h ---- */

// timing.h - the wall clock.

RAIDO_FN i64 raido_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (i64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- values.h ---- */

// values.h - values of the outside world: reading them as text or binary data, printing them, the data format of both.
//
// The reader knows the expected type. It decides per value: after blanks, a byte `b` starts binary data, all else is
// text. Elements are read into a growing buffer, since the extents of a text array are known only at its end.

enum raido_type { RAIDO_I8, RAIDO_I16, RAIDO_I32, RAIDO_I64, RAIDO_U8, RAIDO_U16, RAIDO_U32, RAIDO_U64,
                  RAIDO_F16, RAIDO_F32, RAIDO_F64, RAIDO_BOOL };
enum { RAIDO_MAX_RANK = 32 };

static const struct { const char *name; int bytes; } raido_types[] = {
  {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8},
  {"f16", 2}, {"f32", 4}, {"f64", 8}, {"bool", 1}};

struct raido_value {
  enum raido_type type;
  int rank;
  i64 shape[RAIDO_MAX_RANK];
  void *data;               // rank > 0: a block
  unsigned char scalar[8];  // rank 0
};

RAIDO_INLINE i64 raido_volume(const struct raido_value *v) {
  i64 n = 1;
  for (int k = 0; k < v->rank; k++) n *= v->shape[k];
  return n;
}

// ---- Entry points ----

struct raido_external {
  const char *opaque;      // the C type of a value without external form, or NULL
  enum raido_type type;
  int rank;
};

struct raido_entry {
  const char *name;
  int inputs, outputs;
  const struct raido_external *input, *output;
  int (*run)(struct raido_worker *w, const struct raido_value *in, struct raido_value *out);
};

// ---- Input ----

struct raido_input { FILE *file; int have; size_t at, end; char buffer[65536]; };

RAIDO_FN int raido_peek(struct raido_input *in) {
  if (in->at == in->end) {
    in->at = 0;
    in->end = fread(in->buffer, 1, sizeof in->buffer, in->file);
    if (in->end == 0) return EOF;
  }
  return (unsigned char)in->buffer[in->at];
}

RAIDO_FN int raido_next(struct raido_input *in) {
  int c = raido_peek(in);
  if (c != EOF) in->at++;
  return c;
}

RAIDO_FN size_t raido_take(struct raido_input *in, void *to, size_t n) {
  size_t got = 0;
  while (got < n && raido_peek(in) != EOF) {
    size_t part = in->end - in->at < n - got ? in->end - in->at : n - got;
    memcpy((char *)to + got, in->buffer + in->at, part);
    in->at += part;
    got += part;
  }
  return got;
}

RAIDO_INLINE int raido_is_blank(int c) { return c == ' ' || (c >= 9 && c <= 13); }

RAIDO_FN void raido_skip_blanks(struct raido_input *in) {
  while (raido_is_blank(raido_peek(in))) raido_next(in);
}

RAIDO_INLINE int raido_is_token(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+' || c == '_';
}

enum { RAIDO_TOKEN = 400 };

// The next token without underscores; empty at the end of the input. Comments run from `--` to the end of the line.
RAIDO_FN void raido_token(struct raido_input *in, char *token) {
  for (;;) {
    raido_skip_blanks(in);
    int n = 0, c = raido_peek(in), comment = 0;
    if (c == EOF) { token[0] = 0; return; }
    if (!raido_is_token(c)) { token[0] = (char)raido_next(in); token[1] = 0; return; }
    while (raido_is_token(c = raido_peek(in))) {
      raido_next(in);
      if (n == 1 && c == '-' && token[0] == '-') { comment = 1; break; }
      if (c != '_' && n < RAIDO_TOKEN - 1) token[n++] = (char)c;
    }
    token[n] = 0;
    if (!comment) return;
    while ((c = raido_next(in)) != '\n' && c != EOF) {}
  }
}

RAIDO_FN int raido_strip_suffix(char *token, const char *suffix) {
  size_t n = strlen(token), m = strlen(suffix);
  if (n <= m || strcmp(token + n - m, suffix) != 0) return 0;
  token[n - m] = 0;
  return 1;
}

RAIDO_FN int raido_scan_integer(char *t, enum raido_type type, void *out) {
  int negative = 0, base = 10, digits = 0;
  raido_strip_suffix(t, raido_types[type].name);
  if (*t == '-' || *t == '+') negative = *t++ == '-';
  if (t[0] == '0' && (t[1] == 'x' || t[1] == 'X')) { base = 16; t += 2; }
  else if (t[0] == '0' && (t[1] == 'b' || t[1] == 'B')) { base = 2; t += 2; }
  u64 value = 0;
  int over = 0;
  for (; *t != 0; t++, digits++) {
    int d = *t >= '0' && *t <= '9' ? *t - '0' : *t >= 'a' && *t <= 'f' ? *t - 'a' + 10 : *t >= 'A' && *t <= 'F' ? *t - 'A' + 10 : 99;
    if (d >= base) return 0;
    if (__builtin_mul_overflow(value, (u64)base, &value)) over = 1;
    if (__builtin_add_overflow(value, (u64)d, &value)) over = 1;
  }
  if (digits == 0) return 0;
  if (type == RAIDO_U64) {
    value = over ? UINT64_MAX : negative ? 0 - value : value;
  } else {
    u64 limit = (u64)INT64_MAX + (negative ? 1 : 0);
    if (over || value > limit) value = limit;
    if (negative) value = 0 - value;
  }
  switch (raido_types[type].bytes) {
    case 1: { u8 x = (u8)value; memcpy(out, &x, 1); break; }
    case 2: { u16 x = (u16)value; memcpy(out, &x, 2); break; }
    case 4: { u32 x = (u32)value; memcpy(out, &x, 4); break; }
    default: memcpy(out, &value, 8);
  }
  return 1;
}

RAIDO_FN int raido_scan_float(char *t, enum raido_type type, void *out) {
  const char *name = raido_types[type].name;
  double value;
  char special[16];
  snprintf(special, sizeof special, "-%s.inf", name);
  if (strcmp(t, special) == 0) value = -INFINITY;
  else if (strcmp(t, special + 1) == 0) value = INFINITY;
  else if (strncmp(t, name, 3) == 0 && strcmp(t + 3, ".nan") == 0) value = NAN;
  else {
    int hexadecimal = strpbrk(t, "xX") != NULL && strpbrk(t, "pP") == NULL;
    if (!hexadecimal) raido_strip_suffix(t, name);
    char *end;
    if (*t == 0) return 0;
    value = type == RAIDO_F64 ? strtod(t, &end) : (double)strtof(t, &end);
    if (*end != 0) return 0;
  }
  if (type == RAIDO_F64) memcpy(out, &value, 8);
  else if (type == RAIDO_F32) { f32 x = (f32)value; memcpy(out, &x, 4); }
  else { f16 x = raido_f32_to_f16((f32)value); memcpy(out, &x, 2); }
  return 1;
}

RAIDO_FN int raido_scan(char *token, enum raido_type type, void *out) {
  if (type == RAIDO_BOOL) {
    u8 x = strcmp(token, "true") == 0;
    memcpy(out, &x, 1);
    return x || strcmp(token, "false") == 0;
  }
  return type >= RAIDO_F16 ? raido_scan_float(token, type, out) : raido_scan_integer(token, type, out);
}

struct raido_buffer { char *data; size_t used, size; };

RAIDO_FN char *raido_grow(struct raido_buffer *b, size_t n) {
  if (b->used + n > b->size) {
    b->size = 2 * b->size + n + 1024;
    char *data = realloc(b->data, b->size);
    if (data == NULL) return NULL;
    b->data = data;
  }
  b->used += n;
  return b->data + b->used - n;
}

// Reads a text array whose first token is in `token`; depth is the number of brackets already open.
RAIDO_FN int raido_read_rows(struct raido_input *in, char *token, struct raido_value *v, int depth, int *known, struct raido_buffer *b) {
  i64 n = 0;
  if (strcmp(token, "[") != 0) return 0;
  raido_token(in, token);
  while (strcmp(token, "]") != 0) {
    if (n > 0) {
      if (strcmp(token, ",") != 0) return 0;
      raido_token(in, token);
      if (strcmp(token, "]") == 0) break;
    }
    if (depth + 1 < v->rank) {
      if (!raido_read_rows(in, token, v, depth + 1, known, b)) return 0;
    } else {
      char *out = raido_grow(b, (size_t)raido_types[v->type].bytes);
      if (out == NULL || !raido_scan(token, v->type, out)) return 0;
    }
    n++;
    raido_token(in, token);
  }
  if (n == 0 && depth + 1 < v->rank) return 0;  // extents of the rows are unknown: `empty(..)` says them
  if (!known[depth]) { known[depth] = 1; v->shape[depth] = n; }
  return v->shape[depth] == n;
}

RAIDO_FN int raido_read_empty(struct raido_input *in, char *token, struct raido_value *v) {
  int zero = 0;
  raido_token(in, token);
  if (strcmp(token, "(") != 0) return 0;
  for (int k = 0; k < v->rank; k++) {
    raido_token(in, token);
    if (strcmp(token, "[") != 0) return 0;
    raido_token(in, token);
    char *end;
    v->shape[k] = strtoll(token, &end, 10);
    if (*token < '0' || *token > '9' || *end != 0) return 0;
    zero |= v->shape[k] == 0;
    raido_token(in, token);
    if (strcmp(token, "]") != 0) return 0;
  }
  raido_token(in, token);
  if (strcmp(token, raido_types[v->type].name) != 0) return 0;
  raido_token(in, token);
  return strcmp(token, ")") == 0 && zero;
}

RAIDO_FN int raido_read_text(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  char token[RAIDO_TOKEN];
  raido_token(in, token);
  if (v->rank == 0) return raido_scan(token, v->type, v->scalar);
  struct raido_buffer b = {NULL, 0, 0};
  int known[RAIDO_MAX_RANK] = {0};
  int ok = strcmp(token, "empty") == 0 ? raido_read_empty(in, token, v) : raido_read_rows(in, token, v, 0, known, &b);
  if (ok) {
    v->data = raido_alloc(w, (i64)b.used);
    ok = v->data != NULL;
    if (ok && b.used > 0) memcpy(v->data, b.data, b.used);
  }
  free(b.data);
  return ok;
}

RAIDO_FN int raido_read_binary(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  const char *program = w->context->program;
  unsigned char head[2];
  char name[5] = {0};
  raido_next(in);
  if (raido_take(in, head, 1) != 1) raido_panic(program, "binary-input: could not read version.");
  if (head[0] != 2) raido_panic(program, "binary-input: File uses version %d, but I only understand version 2.", head[0]);
  if (raido_take(in, head + 1, 1) != 1) raido_panic(program, "binary-input: could not read rank.");
  if (raido_take(in, name, 4) != 4) raido_panic(program, "binary-input: could not read type.");
  const char *trimmed = name + strspn(name, " ");
  int type = 0, rank = head[1], count = (int)(sizeof raido_types / sizeof raido_types[0]);
  while (type < count && strcmp(trimmed, raido_types[type].name) != 0) type++;
  if (type == count) raido_panic(program, "binary-input: Did not recognize the type '%s'.", name);
  if (v->rank == 0 && rank != 0)
    raido_panic(program, "binary-input: Expected scalar (0 dimensions), but got array with %d dimensions.", rank);
  if (v->rank != rank)
    raido_panic(program, "binary-input: Expected %d dimensions, but got array with %d dimensions.", v->rank, rank);
  if (type != (int)v->type && rank == 0)
    raido_panic(program, "binary-input: Expected scalar of type %s but got scalar of type %s.", raido_types[v->type].name, trimmed);
  if (type != (int)v->type)
    raido_panic(program, "binary-input: Expected %dD-array with element type '%s' but got %dD-array with element type '%s'.", v->rank,
                raido_types[v->type].name, rank, trimmed);
  size_t bytes = (size_t)raido_types[type].bytes;
  if (rank == 0) {
    if (raido_take(in, v->scalar, bytes) != bytes) return 0;
    if (type == RAIDO_BOOL) v->scalar[0] = v->scalar[0] != 0;
    return 1;
  }
  i64 n = 1;
  for (int k = 0; k < rank; k++) {
    if (raido_take(in, &v->shape[k], 8) != 8) raido_panic(program, "binary-input: Couldn't get dims.");
    if (v->shape[k] < 0) raido_panic(program, "binary-input: Failed to allocate array of size %" PRId64 ".", v->shape[k]);
    n = raido_size(n, v->shape[k]);
  }
  v->data = raido_alloc(w, raido_size(n, (i64)bytes));
  if (v->data == NULL) raido_panic(program, "binary-input: Failed to allocate array of size %" PRId64 ".", n);
  size_t got = raido_take(in, v->data, (size_t)n * bytes);
  if (got != (size_t)n * bytes)
    raido_panic(program, "binary-input: tried to read %" PRId64 " elements of an array, but only got %" PRId64 " elements.", n, (i64)(got / bytes));
  if (type == RAIDO_BOOL)
    for (i64 i = 0; i < n; i++) ((u8 *)v->data)[i] = ((u8 *)v->data)[i] != 0;
  return 1;
}

// Reads a value of v's type and rank; 0 if the input is not one.
RAIDO_FN int raido_read(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  raido_skip_blanks(in);
  return raido_peek(in) == 'b' ? raido_read_binary(w, in, v) : raido_read_text(w, in, v);
}

// ---- Output ----

RAIDO_FN void raido_print_float(FILE *out, double x, int digits, const char *name) {
  if (isnan(x)) fprintf(out, "%s.nan", name);
  else if (isinf(x)) fprintf(out, "%s%s.inf", x < 0 ? "-" : "", name);
  else fprintf(out, "%.*g%s", digits, x, name);
}

RAIDO_FN void raido_print_scalar(FILE *out, enum raido_type type, const void *p) {
  i64 i = 0;
  u64 u = 0;
  switch (type) {
    case RAIDO_I8: i = *(const i8 *)p; break;
    case RAIDO_I16: { i16 x; memcpy(&x, p, 2); i = x; break; }
    case RAIDO_I32: { i32 x; memcpy(&x, p, 4); i = x; break; }
    case RAIDO_I64: memcpy(&i, p, 8); break;
    case RAIDO_U8: u = *(const u8 *)p; break;
    case RAIDO_U16: { u16 x; memcpy(&x, p, 2); u = x; break; }
    case RAIDO_U32: { u32 x; memcpy(&x, p, 4); u = x; break; }
    case RAIDO_U64: memcpy(&u, p, 8); break;
    case RAIDO_F16: { f16 x; memcpy(&x, p, 2); raido_print_float(out, (double)raido_f16_to_f32(x), 9, "f16"); return; }
    case RAIDO_F32: { f32 x; memcpy(&x, p, 4); raido_print_float(out, (double)x, 9, "f32"); return; }
    case RAIDO_F64: { f64 x; memcpy(&x, p, 8); raido_print_float(out, x, 17, "f64"); return; }
    case RAIDO_BOOL: fputs(*(const u8 *)p ? "true" : "false", out); return;
  }
  if (type <= RAIDO_I64) fprintf(out, "%" PRId64 "%s", i, raido_types[type].name);
  else fprintf(out, "%" PRIu64 "%s", u, raido_types[type].name);
}

RAIDO_FN const char *raido_print_rows(FILE *out, const struct raido_value *v, int depth, const char *p) {
  if (depth == v->rank) {
    raido_print_scalar(out, v->type, p);
    return p + raido_types[v->type].bytes;
  }
  fputc('[', out);
  for (i64 i = 0; i < v->shape[depth]; i++) {
    if (i > 0) fputs(", ", out);
    p = raido_print_rows(out, v, depth + 1, p);
  }
  fputc(']', out);
  return p;
}

RAIDO_FN void raido_print_text(FILE *out, const struct raido_value *v) {
  if (v->rank == 0) { raido_print_scalar(out, v->type, v->scalar); return; }
  if (raido_volume(v) != 0) { raido_print_rows(out, v, 0, v->data); return; }
  fputs("empty(", out);
  for (int k = 0; k < v->rank; k++) fprintf(out, "[%" PRId64 "]", v->shape[k]);
  fprintf(out, "%s)", raido_types[v->type].name);
}

RAIDO_FN void raido_print_binary(FILE *out, const struct raido_value *v) {
  fputc('b', out);
  fputc(2, out);
  fputc(v->rank, out);
  fprintf(out, "%4s", raido_types[v->type].name);
  fwrite(v->shape, 8, (size_t)v->rank, out);
  size_t bytes = (size_t)raido_types[v->type].bytes;
  if (v->rank == 0) fwrite(v->scalar, 1, bytes, out);
  else fwrite(v->data, bytes, (size_t)raido_volume(v), out);
}

#define RAIDO_FUN RAIDO_INLINE

/* ---- scalar_helpers.h ---- */

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
  double sum = 0.0, fact = 1.0, sign = (m & 1) ? 1.0 : -1.0, term, power;
  const double pi = 3.14159265358979323846;
  int k, j;
  if (x <= 0.0 && m == 0) return raido_polygamma(0, 1.0 - x) - pi * raido_cospi(x) / raido_sinpi(x);
  if (x <= 0.0 && m == 1) {
    double s = raido_sinpi(x);
    return pi * pi / (s * s) - raido_polygamma(1, 1.0 - x);
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
    return sum;
  }
  /* (-1)^(m+1) [ (m-1)!/x^m + m!/(2 x^(m+1)) + sum_k B_2k (2k+m-1)! / ((2k)! x^(2k+m)) ] */
  power = 1.0;
  for (j = 0; j < m; j++) power *= x;
  sum += sign * (fact / m / power + fact / (2.0 * power * x));
  for (k = 1, term = fact / m / power; k <= 10; k++) {
    for (j = 0; j < 2; j++) term *= (2.0 * (k - 1) + m + j) / (2.0 * (k - 1) + 1 + j) / x;
    sum += sign * b[k - 1] * term;
  }
  return sum;
}
#endif

RAIDO_INLINE i64 add_i64(i64 x, i64 y) { return (i64)((u64)x + (u64)y); }

/* ---- program ---- */

struct raido_constants {
  char none;
};


static int f_main(struct raido_worker *w, i64 d0_0, f64 *xs_mem_0, i64 offset_0, f64 **out_0);
static int constants(struct raido_worker *w);

static int f_main(struct raido_worker *w, i64 d0_0, f64 *xs_mem_0, i64 offset_0, f64 **out_0) {
  (void)w;
  f64 *adj_mem_0 = raido_alloc(w, raido_size(d0_0, 8));
  if (RAIDO_UNLIKELY(adj_mem_0 == NULL)) return 1;
  for (i64 i_0 = 0; i_0 < d0_0; i_0++) {
    f64 xs_0 = xs_mem_0[add_i64(offset_0, i_0)];
    f64 add_0 = (xs_0 + xs_0);
    adj_mem_0[i_0] = add_0;
  }
  *out_0 = adj_mem_0;
  return 0;
}

static int constants(struct raido_worker *w) {
  (void)w;
  return 0;
}

static const struct raido_external in_main[] = {{NULL, RAIDO_F64, 1}, {NULL, RAIDO_I8, 0}};
static const struct raido_external out_main[] = {{NULL, RAIDO_F64, 1}, {NULL, RAIDO_I8, 0}};
static int entry_main(struct raido_worker *w, const struct raido_value *in, struct raido_value *out) {
  (void)in;
  (void)out;
  i64 n0 = in[0].shape[0];
  f64 *r0;
  if (f_main(w, n0, in[0].data, 0, &r0) != 0) return 1;
  out[0].type = RAIDO_F64;
  out[0].rank = 1;
  out[0].shape[0] = n0;
  out[0].data = r0;
  return 0;
}

static const struct raido_entry raido_entries[] = {
  {"main", 1, 1, in_main, out_main, entry_main},
  {NULL, 0, 0, NULL, NULL, NULL}};
static const int raido_entry_count = 1;

RAIDO_FN int raido_program_start(struct raido_context *c) {
  c->constants = calloc(1, sizeof *c->constants);
  if (c->constants == NULL) return raido_fail(&c->main, "out of memory");
  return constants(&c->main);
}

RAIDO_FN void raido_program_stop(struct raido_context *c) {
  free(c->constants);
}

/* ---- main.h ---- */

// main.h - an executable: options, arguments from standard input, runs, results on standard output.
//
// The generated program before it supplies `raido_entries` (sorted by name), their number `raido_entry_count`,
// raido_program_start and raido_program_stop.

struct raido_options {
  const char *entry, *runtime_file;
  int runs, measured_runs, binary, print;
};

#ifdef RAIDO_DEVICE
RAIDO_FN int raido_device_option(struct raido_context *c, int which, const char *value);
#endif

enum { RAIDO_PRINT_PARAMS = 256, RAIDO_PARAM, RAIDO_TUNING, RAIDO_CACHE, RAIDO_NUM_THREADS };

static const struct option raido_long_options[] = {
  {"help", no_argument, NULL, 'h'},
  {"entry-point", required_argument, NULL, 'e'},
  {"write-runtime-to", required_argument, NULL, 't'},
  {"runs", required_argument, NULL, 'r'},
  {"binary-output", no_argument, NULL, 'b'},
  {"no-print-result", no_argument, NULL, 'n'},
  {"debugging", no_argument, NULL, 'D'},
  {"log", no_argument, NULL, 'L'},
  {"profile", no_argument, NULL, 'P'},
  {"print-params", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"print-sizes", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"param", required_argument, NULL, RAIDO_PARAM},
  {"size", required_argument, NULL, RAIDO_PARAM},
  {"tuning", required_argument, NULL, RAIDO_TUNING},
  {"cache-file", required_argument, NULL, RAIDO_CACHE},
#ifdef RAIDO_THREADS
  {"num-threads", required_argument, NULL, RAIDO_NUM_THREADS},
#endif
#ifdef RAIDO_DEVICE
  {"device", required_argument, NULL, 'd'},
  {"platform", required_argument, NULL, 'p'},
  {"default-thread-block-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS},
  {"default-group-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS},
  {"default-grid-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-num-groups", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-num-thread-blocks", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-tile-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-reg-tile-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-registers", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-cache", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-threshold", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"unified-memory", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"list-devices", no_argument, NULL, RAIDO_DEVICE_OPTIONS + 3},
  {"dump-cuda", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 4},
  {"dump-opencl", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 4},
  {"load-cuda", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 5},
  {"load-opencl", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 5},
  {"nvrtc-option", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 6},
  {"build-option", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 6},
#endif
  {NULL, 0, NULL, 0}};

static const char raido_option_help[] =
  "  -h/--help                     print this and exit\n"
  "  -e/--entry-point NAME         run this entry point (default: main)\n"
  "  -t/--write-runtime-to FILE    write the time of each run to FILE, in microseconds\n"
  "  -r/--runs N                   N measured runs after one that is not measured\n"
  "  -b/--binary-output            print results in the binary format\n"
  "  -n/--no-print-result          do not print results\n"
  "  -D/--debugging                log and profile\n"
  "  -L/--log                      log on standard error\n"
  "  -P/--profile                  profile\n"
  "  --print-params                print the tuning parameters and exit\n"
  "  --param NAME=INT              set a tuning parameter\n"
  "  --tuning FILE                 read tuning parameters from FILE\n"
  "  --cache-file FILE             keep compiled GPU code in FILE\n"
#ifdef RAIDO_THREADS
  "  --num-threads N               use N threads (default: one for each processor)\n"
#endif
#ifdef RAIDO_DEVICE
  "  -d/--device NAME              use the device whose name contains NAME; #k: the k-th device\n"
  "  -p/--platform NAME            OpenCL: use the platform whose name contains NAME\n"
  "  --default-thread-block-size N threads in a block\n"
  "  --list-devices                print the devices and exit\n"
  "  --dump-cuda, --dump-opencl FILE   write the kernels' source to FILE and exit\n"
  "  --load-cuda, --load-opencl FILE   use FILE as the kernels' source\n"
  "  --nvrtc-option, --build-option OPT  give OPT to the compiler of the kernels\n"
#endif
  ;

RAIDO_FN void raido_tuning_file(const char *program, const char *name) {
  FILE *f = fopen(name, "r");
  if (f == NULL) raido_panic(program, "When loading tuning file '%s': Cannot open file: %s", name, strerror(errno));
  char line[512];
  for (int number = 1; fgets(line, sizeof line, f) != NULL; number++) {
    line[strcspn(line, "\r\n")] = 0;
    if (line[strspn(line, " \t")] == 0 || strncmp(line, "--", 2) == 0) continue;
    if (strchr(line, '=') == NULL)
      raido_panic(program, "When loading tuning file '%s': Invalid line %d (must be of form 'name=int').", name, number);
    fprintf(stderr, "%s: tuning file '%s': unknown name on line %d is left out: %s\n", program, name, number, line);
  }
  fclose(f);
}

RAIDO_FN void raido_parse_options(struct raido_context *c, int argc, char **argv, struct raido_options *o) {
  const char *program = c->program;
  int which;
  opterr = 0;
#ifdef RAIDO_DEVICE
  const char *letters = ":he:t:r:bnDLPd:p:";
#else
  const char *letters = ":he:t:r:bnDLP";
#endif
  while ((which = getopt_long(argc, argv, letters, raido_long_options, NULL)) != -1) {
    switch (which) {
      case 'h': printf("Usage: %s [OPTION]...\nOptions:\n%s", program, raido_option_help); exit(0);
      case 'e': o->entry = optarg; break;
      case 't': {
        o->runtime_file = optarg;
        FILE *f = fopen(optarg, "w");
        if (f == NULL) raido_panic(program, "Cannot open %s: %s", optarg, strerror(errno));
        fclose(f);
        break;
      }
      case 'r':
        o->runs = o->measured_runs = atoi(optarg);
        if (o->runs <= 0) raido_panic(program, "Need a positive number of runs, not %s", optarg);
        o->runs++;
        break;
      case 'b': o->binary = 1; break;
      case 'n': o->print = 0; break;
      case 'D': c->debugging = c->logging = c->profiling = 1; break;
      case 'L': c->logging = 1; break;
      case 'P': c->profiling = 1; break;
      case RAIDO_PRINT_PARAMS: exit(0);
      case RAIDO_PARAM: {
        char *equals = strchr(optarg, '=');
        if (equals == NULL) raido_panic(program, "Invalid argument for --parameter option: %s", optarg);
        *equals = 0;
        raido_panic(program, "Unknown tuning parameter: %s", optarg);
      }
      case RAIDO_TUNING: raido_tuning_file(program, optarg); break;
      case RAIDO_CACHE: break;
      case RAIDO_NUM_THREADS: c->num_threads = atoi(optarg); break;
      case ':': fprintf(stderr, "%s: Missing argument for option %s\n", program, argv[optind - 1]); exit(255);
      case '?':
        fprintf(stderr, "Usage: %s [OPTIONS]...\nOptions:\n%s\n", program, raido_option_help);
        raido_panic(program, "Unknown option: %s", argv[optind - 1]);
      default:
#ifdef RAIDO_DEVICE
        if (raido_device_option(c, which, optarg) != 0) raido_panic(program, "%s", c->main.error);
#endif
        break;
    }
  }
  if (optind < argc) raido_panic(program, "Excess non-option: %s", argv[optind]);
}

RAIDO_FN const struct raido_entry *raido_find_entry(const char *name) {
  for (int k = 0; k < raido_entry_count; k++)
    if (strcmp(raido_entries[k].name, name) == 0) return &raido_entries[k];
  fprintf(stderr, "No entry point '%s'.  Select another with --entry-point.  Options are:\n", name);
  for (int k = 0; k < raido_entry_count; k++) fprintf(stderr, "%s\n", raido_entries[k].name);
  exit(1);
}

RAIDO_FN void raido_read_arguments(struct raido_context *c, const struct raido_entry *e, struct raido_value *in) {
  struct raido_input *input = calloc(1, sizeof *input);
  if (input == NULL) raido_panic(c->program, "out of memory");
  input->file = stdin;
  if (isatty(0) && e->inputs > 0) fprintf(stderr, "Reading input from the terminal; end it with ^D.\n");
  for (int k = 0; k < e->inputs; k++) {
    const struct raido_external *x = &e->input[k];
    if (x->opaque != NULL) raido_panic(c->program, "Cannot read input #%d of type %s", k, x->opaque);
    in[k].type = x->type;
    in[k].rank = x->rank;
    errno = 0;
    if (raido_read(&c->main, input, &in[k])) continue;
    char type[2 * RAIDO_MAX_RANK + 8] = "";
    for (int d = 0; d < x->rank; d++) strcat(type, "[]");
    strcat(type, raido_types[x->type].name);
    if (x->rank > 0) raido_panic(c->program, "Cannot read input #%d of type %s (errno: %s).", k, type, strerror(errno));
    raido_panic(c->program, "Error when reading input #%d of type %s (errno: %s).", k, type, strerror(errno));
  }
  char token[RAIDO_TOKEN];
  raido_token(input, token);
  if (token[0] != 0) raido_panic(c->program, "Expected EOF on stdin after reading input for \"%s\".", e->name);
  free(input);
}

RAIDO_FN void raido_copy_arguments(struct raido_context *c, const struct raido_entry *e, const struct raido_value *in,
                                   struct raido_value *copy) {
  for (int k = 0; k < e->inputs; k++) {
    copy[k] = in[k];
    if (in[k].rank == 0) continue;
    i64 bytes = raido_volume(&in[k]) * raido_types[in[k].type].bytes;
    copy[k].data = raido_alloc(&c->main, bytes);
    if (copy[k].data == NULL) raido_panic(c->program, "%s", c->main.error);
    if (bytes > 0) memcpy(copy[k].data, in[k].data, (size_t)bytes);
  }
}

RAIDO_FN void raido_release_values(struct raido_context *c, struct raido_value *v, int n) {
  for (int k = 0; k < n; k++)
    if (v[k].rank > 0) raido_release(&c->main, v[k].data);
}

RAIDO_FN int raido_print_results(const struct raido_entry *e, const struct raido_value *out, const struct raido_options *o) {
  for (int k = 0; k < e->outputs; k++) {
    if (e->output[k].opaque != NULL) {
      fflush(stdout);
      fprintf(stderr, "Values of type \"%s\" have no external representation.\n", e->output[k].opaque);
      return 1;
    }
    if (o->binary) raido_print_binary(stdout, &out[k]); else raido_print_text(stdout, &out[k]);
    fputc('\n', stdout);
  }
  if (e->outputs == 0) fputc('\n', stdout);
  return fflush(stdout) != 0;
}

int main(int argc, char **argv) {
  static struct raido_context context;
  struct raido_context *c = &context;
  struct raido_options options = {"main", NULL, 1, 1, 0, 1};
  c->program = argv[0] != NULL ? argv[0] : "program";
  c->log = stderr;
  c->main.context = c;
  pthread_mutex_init(&c->lock, NULL);
  raido_parse_options(c, argc, argv, &options);
  if (raido_program_start(c) != 0) raido_panic(c->program, "%s", c->main.error);
  const struct raido_entry *e = raido_find_entry(options.entry);
  struct raido_value *values = calloc((size_t)(2 * e->inputs + e->outputs) + 1, sizeof *values);
  if (values == NULL) raido_panic(c->program, "out of memory");
  struct raido_value *in = values, *copy = in + e->inputs, *out = copy + e->inputs;
  raido_read_arguments(c, e, in);
  for (int run = 0; run < options.runs; run++) {
    raido_copy_arguments(c, e, in, copy);
    if (run > 0) raido_release_values(c, out, e->outputs);
    c->started = raido_nanoseconds();
    c->stopped = 0;
    if (e->run(&c->main, copy, out) != 0) raido_panic(c->program, "%s", c->main.error);
    i64 spent = (c->stopped != 0 ? c->stopped : raido_nanoseconds()) - c->started;
    raido_release_values(c, copy, e->inputs);
    if (options.runtime_file != NULL && run >= options.runs - options.measured_runs) {
      FILE *f = fopen(options.runtime_file, "a");
      if (f == NULL) raido_panic(c->program, "Cannot open %s: %s", options.runtime_file, strerror(errno));
      fprintf(f, "%" PRId64 "\n", (spent + 500) / 1000);
      fclose(f);
    }
  }
  int failed = options.print ? raido_print_results(e, out, &options) : 0;
  raido_release_values(c, out, e->outputs);
  raido_release_values(c, in, e->inputs);
  raido_program_stop(c);
  raido_free_all(c);
  pthread_mutex_destroy(&c->lock);
  free(values);
  return failed;
}
