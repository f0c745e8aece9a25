// errors.h - failures of a running program: stored in the worker as a code and a text, the first one wins.

enum { RAIDO_SUCCESS = 0, RAIDO_REFUSED = 1, RAIDO_PROGRAM_ERROR = 2, RAIDO_OUT_OF_MEMORY = 3 };

// What is stored when there is no memory for the text. The first byte says that nobody frees it: each object of a program has its own.
static char raido_no_memory[] = "\203Error: out of memory";

RAIDO_INLINE int raido_error_code(const char *error) { return error[0] & 0x7f; }
RAIDO_INLINE const char *raido_error_text(const char *error) { return error + 1; }
RAIDO_INLINE void raido_free_error(char *error) { if (error == NULL || (error[0] & 0x80) == 0) free(error); }

RAIDO_FN int raido_vfail(struct raido_worker *w, int code, const char *format, va_list args) __attribute__((format(printf, 3, 0), cold));
RAIDO_FN int raido_fail(struct raido_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
RAIDO_FN int raido_refuse(struct raido_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
RAIDO_FN int raido_lack_memory(struct raido_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

RAIDO_FN int raido_vfail(struct raido_worker *w, int code, const char *format, va_list args) {
  w->fresh = w->error == NULL;
  if (!w->fresh) return 1;
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  w->error = malloc((size_t)n + 2);
  if (w->error == NULL) {
    w->error = raido_no_memory;
    return 1;
  }
  w->error[0] = (char)code;
  vsnprintf(w->error + 1, (size_t)n + 1, format, args);
  return 1;
}
#define RAIDO_FAIL_AS(code)                   \
  va_list args;                               \
  va_start(args, format);                     \
  raido_vfail(w, code, format, args);         \
  va_end(args);                               \
  return 1
// The program failed; the caller asked for what cannot be; memory is used up.
RAIDO_FN int raido_fail(struct raido_worker *w, const char *format, ...) { RAIDO_FAIL_AS(RAIDO_PROGRAM_ERROR); }
RAIDO_FN int raido_refuse(struct raido_worker *w, const char *format, ...) { RAIDO_FAIL_AS(RAIDO_REFUSED); }
RAIDO_FN int raido_lack_memory(struct raido_worker *w, const char *format, ...) { RAIDO_FAIL_AS(RAIDO_OUT_OF_MEMORY); }

// An allocation failed, here in the program: its message, if it is the one that counts, ends with the list of places.
RAIDO_FN int raido_no_room(struct raido_worker *w, const char *places) __attribute__((cold));

RAIDO_FN int raido_no_room(struct raido_worker *w, const char *places) {
  if (!w->fresh || w->error == NULL || (w->error[0] & 0x80) != 0) return 1;
  size_t n = strlen(w->error), more = strlen(places) + 1;
  char *longer = realloc(w->error, n + more);
  if (longer == NULL) return 1;
  memcpy(longer + n, places, more);
  w->error = longer;
  return 1;
}

// A failed check: `text` has `{}` where the arguments go, and ends with the list of places.
RAIDO_FN int raido_check_failed(struct raido_worker *w, const char *text, int n, const i64 *args) __attribute__((cold));

RAIDO_FN int raido_check_failed(struct raido_worker *w, const char *text, int n, const i64 *args) {
  size_t size = strlen(text) + 24 * (size_t)n + 1, at = 0;
  char *out = malloc(size);
  if (out == NULL) return raido_lack_memory(w, "out of memory");
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

// How far recursive functions may go down on the stack of this thread. A quarter of what it has now is left for what they call.
RAIDO_FN const char *raido_stack_end(void) {
  static __thread const char *end;
  if (end == NULL) {
    char *here = __builtin_frame_address(0);
    void *low = here - ((size_t)8 << 20);
#ifdef __linux__
    pthread_attr_t own;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &own) == 0) {
      pthread_attr_getstack(&own, &low, &size);
      pthread_attr_destroy(&own);
    }
#endif
    size_t quarter = (size_t)(here - (char *)low) / 4, most = (size_t)2 << 20;
    end = (const char *)low + (quarter < most ? quarter : most);
  }
  return end;
}

// At the start of a recursive function: the stack may not be used up.
#define RAIDO_ENTER(w)                                                              \
  do {                                                                              \
    char here_;                                                                     \
    if (RAIDO_UNLIKELY((const char *)&here_ < (w)->stack)) return raido_fail(w, "Error: Stack overflow."), 1; \
  } while (0)

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
