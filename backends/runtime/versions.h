// versions.h - the functions of the program in several versions, for what processors have beyond the least of their architecture; a
// context chooses the best that its processor has, or the one that its configuration names (docs/decisions/033-versions-for-processors.md).
//
// The file includes itself once for each version, or the driver makes an object of each, so that several C compilers run at once: with
// -DRAIDO_OBJECT=1 one that has everything but the other versions, with 2 or 3 one that has nothing but `avx2` or `avx512`.
// The file that is included skips everything up to the functions of the program, and all after them; the
// names of these functions are macros that end them with the name of the version. `raido_code` is the table of those that are called
// from outside. What the functions call of the runtime is inlined into them, or is not worth a version.

// Is this a file of its own, is there a compiler that knows of versions, and did nobody choose instructions or do without optimisation?
#if defined(__FILE_NAME__)
#define RAIDO_THIS_FILE __FILE_NAME__
#else
#define RAIDO_THIS_FILE __FILE__
#endif
#if !defined(RAIDO_ONE_VERSION) && defined(RAIDO_WHOLE_FILE) && !defined(RAIDO_DEVICE) && defined(__x86_64__) && !defined(__SSE3__) && defined(__OPTIMIZE__) && defined(__has_include)
#if (defined(__clang__) && __clang_major__ >= 9) || (!defined(__clang__) && !defined(__INTEL_COMPILER) && __GNUC__ >= 8)
#if __has_include(RAIDO_THIS_FILE)
#ifdef RAIDO_TWO_VERSIONS
#define RAIDO_VERSIONS 2
#else
#define RAIDO_VERSIONS 3
#endif
#endif
#endif
#endif

#define RAIDO_PASTE(name, version) name##_##version
#define RAIDO_PASTE_VALUES(name, version) RAIDO_PASTE(name, version)
#define RAIDO_IN_VERSION(name) RAIDO_PASTE_VALUES(name, RAIDO_VERSION)
#ifdef __clang__
#define RAIDO_BEGIN_TARGET(set) RAIDO_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define RAIDO_END_TARGET RAIDO_PRAGMA(clang attribute pop)
#else
#define RAIDO_BEGIN_TARGET(set) RAIDO_PRAGMA(GCC push_options) RAIDO_PRAGMA(GCC target(set))
#define RAIDO_END_TARGET RAIDO_PRAGMA(GCC pop_options)
#endif

#ifdef RAIDO_OBJECT
#define RAIDO_EVERYWHERE extern __attribute__((visibility("hidden")))
#define RAIDO_CODE
#else
#define RAIDO_OBJECT 0
#define RAIDO_EVERYWHERE static
#define RAIDO_CODE static
#endif
#ifdef RAIDO_VERSIONS
#if RAIDO_VERSIONS > 2
RAIDO_EVERYWHERE const struct raido_code raido_code_avx512;
#endif
RAIDO_EVERYWHERE const struct raido_code raido_code_avx2;
#endif
static const struct raido_code raido_code_baseline;

// The versions, the best first, and whether this processor has what each wants.
struct raido_version { const struct raido_code *code; int works; };
enum { RAIDO_VERSION_COUNT =
#ifdef RAIDO_VERSIONS
  RAIDO_VERSIONS
#else
  1
#endif
};
RAIDO_FN void raido_find_versions(struct raido_version *v) {
#ifdef RAIDO_VERSIONS
  __builtin_cpu_init();
  int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#if RAIDO_VERSIONS > 2
  int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  *v++ = (struct raido_version){&raido_code_avx512, avx512};
#endif
  *v++ = (struct raido_version){&raido_code_avx2, avx2};
#endif
  *v = (struct raido_version){&raido_code_baseline, 1};
}

// What the configuration says counts more than the environment, which means nothing to a program of one version. Nonzero if the version
// that is named does not exist.
RAIDO_FN int raido_choose_code(struct raido_context *c) {
  const char *wanted = c->config->texts[RAIDO_TEXT_CPU];
  if (wanted == NULL && RAIDO_VERSION_COUNT > 1) wanted = getenv("RAIDO_CPU");
  struct raido_version versions[RAIDO_VERSION_COUNT];
  char names[64] = "";
  raido_find_versions(versions);
  for (int k = 0; k < RAIDO_VERSION_COUNT; k++) {
    const struct raido_version *v = &versions[k];
    if (!v->works) continue;
    if (c->code == NULL && (wanted == NULL || strcmp(wanted, v->code->name) == 0)) c->code = v->code;
    strcat(strcat(names, names[0] != 0 ? ", " : ""), v->code->name);
  }
  if (c->code == NULL) return raido_refuse(&c->main, "The program has no version `%s` for this processor. It has: %s.", wanted, names);
  if (c->logging && RAIDO_VERSION_COUNT > 1) fprintf(c->log, "version %s\n", c->code->name);
  return 0;
}

#ifdef RAIDO_VERSIONS
#define RAIDO_INCLUDES_ITSELF
#if RAIDO_VERSIONS > 2 && (RAIDO_OBJECT == 0 || RAIDO_OBJECT == 3)
#define RAIDO_VERSION avx512
#define RAIDO_VERSION_NAME "avx512"
#define RAIDO_VECTOR_BYTES 64
RAIDO_BEGIN_TARGET("avx2,fma,bmi,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")
#include RAIDO_THIS_FILE
RAIDO_END_TARGET
#undef RAIDO_VERSION
#undef RAIDO_VERSION_NAME
#undef RAIDO_VECTOR_BYTES
#endif
#if RAIDO_OBJECT == 0 || RAIDO_OBJECT == 2
#define RAIDO_VERSION avx2
#define RAIDO_VERSION_NAME "avx2"
#define RAIDO_VECTOR_BYTES 32
RAIDO_BEGIN_TARGET("avx2,fma,bmi,bmi2,popcnt")
#include RAIDO_THIS_FILE
RAIDO_END_TARGET
#undef RAIDO_VERSION
#undef RAIDO_VERSION_NAME
#undef RAIDO_VECTOR_BYTES
#endif
#undef RAIDO_INCLUDES_ITSELF
#endif
#undef RAIDO_CODE
#define RAIDO_CODE static
#define RAIDO_VERSION baseline
#ifdef RAIDO_VERSIONS
#define RAIDO_VERSION_NAME "baseline"
#else
#define RAIDO_VERSION_NAME "single"
#endif
#if defined(__AVX512F__)
#define RAIDO_VECTOR_BYTES 64
#elif defined(__AVX__)
#define RAIDO_VECTOR_BYTES 32
#else
#define RAIDO_VECTOR_BYTES 16
#endif
