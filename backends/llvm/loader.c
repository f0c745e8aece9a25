// loader.c - the runtime of programs whose code was made by LLVM: compiled with the compiler, for all programs. An executable is this file's
// and, after it, the program (image.h). The image is mapped, the addresses in it are made right, and the runtime goes on as in every
// other program. With RAIDO_SERVER it is that of servers.
//
// What the runtime knows of a program when it is compiled is asked of `raido_program` here, whose layout is that of entry.cc.
struct raido_program;
static const struct raido_program *raido_program;

#define RAIDO_LOADED 1
#define RAIDO_MAX_RANK 32
#define RAIDO_INPUTS 256
#define RAIDO_INPUT_LEAVES 1024
#define RAIDO_LEAVES 1024
#define RAIDO_OUTPUTS 1024
#define RAIDO_SETTINGS 4097
#define RAIDO_RUNS                       // as many as follow
#define RAIDO_TYPES (raido_program->types)
#define RAIDO_ENTRIES (raido_program->entries)
#define RAIDO_PARAMS (raido_program->params)
#define raido_interface (raido_program->interface)
#define raido_entries (raido_program->entry)
#define raido_params (raido_program->param)
#define RAIDO_PROFILED (raido_program->places > 0)
#define RAIDO_SAMPLES ((int)raido_program->places)
#define raido_places (raido_program->place)
#define raido_place_kinds (raido_program->place_kind)
#define RAIDO_FLUSH_SUBNORMALS 1
#ifndef RAIDO_SERVER
#define RAIDO_EXECUTABLE 1
#endif

#include "backends/runtime/context.h"
#include <stddef.h>
struct raido_type_info;
struct raido_entry;
struct raido_program {
  int types, entries, params, flush;
  const struct raido_type_info *interface;
  const struct raido_entry *entry;
  const struct raido_param *param;
  const struct raido_code *code;
  void (*refresh)(struct raido_worker *w);
  i64 constants;                         // bytes of the top-level values
  i64 places;                            // of its source, that it says it is at; none: it was compiled without --profile
  const char *const *place, *const *place_kind;
};
// Whether subnormals are flushed is a matter of the program.
RAIDO_INLINE u64 raido_flush_if_wanted(void) { return raido_program->flush ? raido_flush_subnormals() : raido_mode(); }
#define raido_flush_subnormals raido_flush_if_wanted

#include "backends/runtime/errors.h"
#include "backends/runtime/memory.h"
#include "backends/runtime/half.h"
#include "backends/runtime/scalars.h"
#include "backends/runtime/timing.h"
#include "backends/runtime/digits.h"
#include "backends/runtime/values.h"
#define RAIDO_FUN RAIDO_INLINE
#include "compiler/ir/scalar_helpers.h"
#include "backends/runtime/config.h"
#include "backends/runtime/profile.h"
#include "backends/runtime/copies.h"
#include "backends/runtime/objects.h"

RAIDO_FN int raido_program_start(struct raido_context *c) {
  c->constants = calloc(1, (size_t)raido_program->constants + 1);
  if (c->constants == NULL) return raido_lack_memory(&c->main, "out of memory");
  c->code = raido_program->code;
  const char *wanted = c->config->texts[RAIDO_TEXT_CPU];
  if (wanted != NULL && strcmp(wanted, c->code->name) != 0)
    return raido_refuse(&c->main, "The program has no version `%s` for this processor. It has: %s.", wanted, c->code->name);
  return c->code->start(&c->main);
}
RAIDO_FN void raido_program_stop(struct raido_context *c) { free(c->constants); }
RAIDO_FN void raido_program_refresh(struct raido_context *c) { raido_program->refresh(&c->main); }

// What the code of programs calls.
static void *constants_of(struct raido_worker *w) { return w->context->constants; }
static int log_text(struct raido_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int log_text(struct raido_worker *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vfprintf(w->context->log, format, args);
  va_end(args);
  return n;
}
static double polygamma_at(double m, double x) { return raido_polygamma((int)m, x); }
static f32 nextafter_f16(f32 x, f32 y) {              // the neighbour among halves
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return raido_f16_to_f32((f16)(y < 0.0f ? 0x8001 : 1));
  return raido_f16_to_f32((f16)(raido_f32_to_f16(x) + ((y > x) == (x > 0.0f) ? 1 : -1)));
}
_Static_assert(offsetof(struct raido_worker, stack) == 16, "print.cc: enter()");
_Static_assert(offsetof(struct raido_worker, place) == 24, "print.cc: Mark");
_Static_assert(offsetof(struct raido_value, shape) == 16 && offsetof(struct raido_value, data) == 272, "entry.cc");
_Static_assert(offsetof(struct raido_value, scalar) == 280 && sizeof(struct raido_value) == 288, "entry.cc");

#include "backends/llvm/image.h"
static const struct raido_symbol { const char *name; void (*function)(void); } raido_symbols[] = {
#define F(name) {#name, (void (*)(void))name},
#define M1(name) {#name, (void (*)(void))(double (*)(double))name}, {#name "f", (void (*)(void))(float (*)(float))name##f},
#define M2(name) {#name, (void (*)(void))(double (*)(double, double))name}, {#name "f", (void (*)(void))(float (*)(float, float))name##f},
  F(raido_alloc) F(raido_fail) F(raido_ipow) F(raido_no_room) F(raido_product) F(raido_release) F(raido_retain) F(raido_tuned) F(raido_wrong_size)
  F(raido_f16_to_f32) F(raido_f32_to_f16) F(raido_odd_f32) F(raido_round_f16) F(raido_fma_f16) F(raido_sinpi) F(raido_cospi) F(raido_lgamma) F(raido_lgammaf)
  F(raido_transpose_1) F(raido_transpose_2) F(raido_transpose_4) F(raido_transpose_8)
  {"raido_constants_of", (void (*)(void))constants_of}, {"raido_log", (void (*)(void))log_text},
  {"raido_polygamma_at", (void (*)(void))polygamma_at}, {"raido_nextafter_f16", (void (*)(void))nextafter_f16},
  M1(acos) M1(acosh) M1(asin) M1(asinh) M1(atan) M1(atanh) M1(cbrt) M1(ceil) M1(cos) M1(cosh) M1(erf) M1(erfc) M1(exp) M1(exp2) M1(expm1)
  M1(fabs) M1(floor) M1(log) M1(log10) M1(log1p) M1(log2) M1(nearbyint) M1(rint) M1(round) M1(sin) M1(sinh) M1(sqrt) M1(tan) M1(tanh)
  M1(tgamma) M1(trunc) M2(atan2) M2(copysign) M2(fmax) M2(fmin) M2(fmod) M2(hypot) M2(nextafter) M2(pow) F(fma) F(fmaf) F(ldexp) F(ldexpf)
  M1(exp10) F(sincos) F(sincosf) F(memcpy) F(memmove) F(memset) F(memcmp)
  {NULL, NULL}};
#include "backends/llvm/load.h"

#ifdef RAIDO_SERVER
#include "backends/runtime/api.h"
#include "backends/runtime/options.h"
#include "backends/runtime/server_variables.h"
#include "backends/runtime/server_commands.h"
#include "backends/runtime/server_values.h"
#include "backends/runtime/server.h"
#else
#include "backends/runtime/options.h"
#include "backends/runtime/main.h"
#endif
// Before the main of the runtime.
__attribute__((constructor)) static void load(int argc, char **argv) { raido_program = raido_load(argc > 0 ? argv[0] : "program"); }
