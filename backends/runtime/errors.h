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

// At the start of a recursive function: the stack may not be used up.
#define RAIDO_STACK ((i64)6 << 20)
#define RAIDO_ENTER(w)                                                              \
  do {                                                                              \
    char here_;                                                                     \
    if (RAIDO_UNLIKELY((w)->stack - (const char *)&here_ > RAIDO_STACK)) return raido_fail(w, "Error: Stack overflow."); \
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
