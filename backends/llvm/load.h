// load.h - brings the program at the end of this very executable into memory (image.h). After the table raido_symbols.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

// What the code calls: a function of the table, or one for several numbers at once from the vector library of the C library.
RAIDO_FN uintptr_t raido_address_of(const char *program, const char *name) {
  for (const struct raido_symbol *s = raido_symbols; s->name != NULL; s++)
    if (strcmp(s->name, name) == 0) return (uintptr_t)s->function;
  void *found = NULL, *library = strncmp(name, "_ZGV", 4) == 0 ? dlopen("libmvec.so.1", RTLD_NOW) : NULL;
  if (library != NULL) found = dlsym(library, name);
  if (found == NULL) raido_panic(program, "The code of the program calls `%s`, which is not here.", name);
  return (uintptr_t)found;
}

RAIDO_FN const struct raido_program *raido_load(const char *program) {
  struct raido_image image;
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  off_t end = file < 0 ? -1 : lseek(file, -(off_t)sizeof image, SEEK_END);
  if (end < 0 || read(file, &image, sizeof image) != (ssize_t)sizeof image || memcmp(image.mark, RAIDO_IMAGE_MARK, sizeof image.mark) != 0)
    raido_panic(program, "The executable has no program in it.");
  size_t more = (size_t)((uint64_t)end - image.start - image.stored);
  char *at = mmap(NULL, image.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *rest = malloc(more + 1);
  if (at == MAP_FAILED || rest == NULL) raido_panic(program, "out of memory");
  if (mmap(at, image.stored, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, (off_t)image.start) == MAP_FAILED ||
      pread(file, rest, more, (off_t)(image.start + image.stored)) != (ssize_t)more)
    raido_panic(program, "Cannot read the program: %s", strerror(errno));
  close(file);
  uintptr_t *slot = (uintptr_t *)(void *)(at + image.slots);
  for (const char *name = rest + image.imports, *last = name + image.import_bytes; name < last; name += strlen(name) + 1)
    *slot++ = raido_address_of(program, name);
  for (uint64_t k = 0; k < image.fixup_count; k++) {
    uint64_t place, word;
    memcpy(&place, rest + image.fixups + 8 * k, 8);
    memcpy(&word, at + place, 8);
    word += (uintptr_t)at;
    memcpy(at + place, &word, 8);
  }
  free(rest);
  if (mprotect(at, image.code, PROT_READ | PROT_EXEC) != 0) raido_panic(program, "Cannot run the program: %s", strerror(errno));
  return (const struct raido_program *)(const void *)(at + image.program);
}
