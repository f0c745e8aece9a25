// fuzz_runtime.c - a generated program reads any bytes: data (text and binary), lines of the server, tuning files. PROGRAM is its C file.
//
// The bytes up to the first zero that begins a line are standard input; those after it are what every file holds that the program opens. Where
// it would end the process, the next input begins. Nothing is written to the disk. With TUNING the bytes are a tuning file.
#define _GNU_SOURCE                              // as the program says before its first header
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf next_input;
static FILE *fuzz_input, *others[64];
static const uint8_t *file_bytes;
static size_t file_size, other_count;

static FILE *opened(const char *name, const char *mode) {
  (void)name;
  FILE *f = mode[0] == 'r' && file_size > 0 ? fmemopen((void *)(uintptr_t)file_bytes, file_size, "r") : tmpfile();
  if (f != NULL && other_count < 64) others[other_count++] = f;
  return f;
}
static int closed(FILE *f) {
  for (size_t k = 0; k < other_count; k++)
    if (others[k] == f) others[k] = others[--other_count];
  return fclose(f);
}

// Memory that the program has when it would end is freed then.
struct block {
  struct block *before, *after;
  void *raw;
  size_t size;
};
static struct block all = {&all, &all, NULL, 0};
static void *reserved(size_t align, size_t n) {
  void *raw = n > (size_t)1 << 31 ? NULL : malloc(n + align + sizeof(struct block));
  if (raw == NULL) return NULL;
  uintptr_t at = ((uintptr_t)raw + sizeof(struct block) + align - 1) / align * align;
  struct block *b = (struct block *)at - 1;
  *b = (struct block){&all, all.after, raw, n};
  all.after->before = b;
  all.after = b;
  return (void *)at;
}
static void given_back(void *p) {
  if (p == NULL) return;
  struct block *b = (struct block *)p - 1;
  b->before->after = b->after;
  b->after->before = b->before;
  free(b->raw);
}
static void *reserved_zero(size_t n, size_t size) {
  void *p = size > 0 && n > SIZE_MAX / size ? NULL : reserved(32, n * size);
  return p == NULL ? NULL : memset(p, 0, n * size);
}
static void *reserved_again(void *old, size_t n) {
  void *p = reserved(32, n);
  if (p == NULL || old == NULL) return p;
  size_t size = ((struct block *)old - 1)->size;
  memcpy(p, old, size < n ? size : n);
  given_back(old);
  return p;
}
static int reserved_at(void **p, size_t align, size_t n) { return (*p = reserved(align < 32 ? 32 : align, n)) == NULL ? 12 : 0; }
// getline of a line that belongs to this allocator.
static ssize_t next_line(char **line, size_t *room, FILE *f) {
  char *own = NULL;
  ssize_t n = getline(&own, &(size_t){0}, f);
  if (n >= 0) {
    *room = (size_t)n + 1;
    *line = reserved_again(*line, *room);
    memcpy(*line, own, *room);
  }
  free(own);
  return n;
}

static void ended(int code) __attribute__((noreturn));
static void ended(int code) {
  (void)code;
  longjmp(next_input, 1);
}

#define main program_main
#define malloc(n) reserved(32, n)
#define calloc reserved_zero
#define realloc reserved_again
#define posix_memalign reserved_at
#define free given_back
#define getline next_line
#define exit ended
#define fopen opened
#define fclose closed
#undef stdin
#define stdin fuzz_input
#include PROGRAM
#undef fclose
#undef free

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t n = 0;
  while (n < size && !(data[n] == 0 && (n == 0 || data[n - 1] == '\n'))) n++;
  file_bytes = n < size ? data + n + 1 : (const uint8_t *)"";
  file_size = n < size ? size - n - 1 : 0;
  fuzz_input = n > 0 ? fmemopen((void *)(uintptr_t)data, n, "r") : tmpfile();
  if (fuzz_input == NULL) return 0;
  optind = 0;                                          // getopt begins anew
#ifdef TUNING
  file_bytes = data;
  file_size = size;
  char *argv[] = {"program", "--tuning", "file", "--print-params", NULL};
  if (setjmp(next_input) == 0) program_main(4, argv);
#elif defined RAIDO_EXECUTABLE
  static const char *const entries[] = {"numbers", "floats", "arrays", "deep"};
  char entry[16];
  snprintf(entry, sizeof entry, "%s", entries[size % 4]);
  char *argv[] = {"program", "-e", entry, "--mem-limit", "100000000", NULL};
  if (setjmp(next_input) == 0) program_main(5, argv);
#else
  char *argv[] = {"program", "--mem-limit", "100000000", NULL};
  if (setjmp(next_input) == 0) program_main(3, argv);
#endif
  while (other_count > 0) fclose(others[--other_count]);
  fclose(fuzz_input);
  while (all.after != &all) given_back(all.after + 1);
  return 0;
}
