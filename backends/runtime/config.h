// config.h - what the user chooses before a context is made, and the numbers that can be set: those of `#[param(name)]`, and
// limits of the compiler's choices.
//
// The generated program before it supplies the table `raido_params` and its length RAIDO_PARAMS. Only these numbers may change while
// a context uses the configuration. All texts are copies.

struct raido_setting {
  int set;                             // else the program has a value of its own
  i64 value;
};

enum { RAIDO_TEXT_DEVICE, RAIDO_TEXT_PLATFORM, RAIDO_TEXT_SOURCE, RAIDO_TEXT_BINARY, RAIDO_TEXT_DUMP_BINARY, RAIDO_TEXT_CACHE, RAIDO_TEXT_CPU, RAIDO_TEXTS };

#ifndef RAIDO_SETTINGS
#define RAIDO_SETTINGS (RAIDO_PARAMS + 1)
#endif
struct raido_config {
  int debugging, logging, profiling;
  int in_use;                          // by a context
  int num_threads;                     // less than 1: one for each processor
  int block_size;                      // of kernels; 0: the device's own
  i64 mem_limit;                       // bytes; 0: none
  char *texts[RAIDO_TEXTS];
  char **build_options;
  int build_option_count;
  void *queue;                         // OpenCL: the command queue to use
  int count;                           // emulator: print the counts at the end
  int counts, sample;                  // emulator: count what each kernel does; in so many blocks of a launch, 0: all
  struct raido_setting settings[RAIDO_SETTINGS];
};

#ifdef RAIDO_DEVICE
#if defined(RAIDO_TSAN) || defined(RAIDO_ASAN)             // the emulator under a sanitizer
enum { RAIDO_BLOCK_SIZE = 64 };
#else
enum { RAIDO_BLOCK_SIZE = 256 };
#endif
enum { RAIDO_LEAST_BLOCK = 32 };       // costs::gpu::least_block
// Of each block of each launch.
RAIDO_FN int raido_block_threads(const struct raido_config *cfg) {
  int size = cfg->block_size > 0 ? cfg->block_size : RAIDO_BLOCK_SIZE;
  return size < RAIDO_LEAST_BLOCK ? RAIDO_LEAST_BLOCK : size;
}
#endif

RAIDO_INLINE i64 raido_tuned(struct raido_worker *w, int k, i64 fallback) {
  const struct raido_setting *s = &w->context->config->settings[k];
  return __atomic_load_n(&s->set, __ATOMIC_ACQUIRE) ? __atomic_load_n(&s->value, __ATOMIC_RELAXED) : fallback;
}

RAIDO_FN struct raido_config *raido_config_new(void) { return calloc(1, sizeof(struct raido_config)); }

RAIDO_FN void raido_config_free(struct raido_config *cfg) {
  if (cfg == NULL) return;
  for (int k = 0; k < RAIDO_TEXTS; k++) free(cfg->texts[k]);
  for (int k = 0; k < cfg->build_option_count; k++) free(cfg->build_options[k]);
  free(cfg->build_options);
  free(cfg);
}

RAIDO_FN char *raido_copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}

// Zero, or nonzero if there is no memory.
RAIDO_FN int raido_config_text(struct raido_config *cfg, int which, const char *text) {
  char *copy = text == NULL ? NULL : raido_copy_text(text);
  if (text != NULL && copy == NULL) return 1;
  free(cfg->texts[which]);
  cfg->texts[which] = copy;
  return 0;
}

RAIDO_FN int raido_config_build_option(struct raido_config *cfg, const char *option) {
  char **more = realloc(cfg->build_options, ((size_t)cfg->build_option_count + 1) * sizeof *more), *copy;
  if (more == NULL) return 1;
  cfg->build_options = more;
  copy = raido_copy_text(option);
  if (copy == NULL) return 1;
  more[cfg->build_option_count++] = copy;
  return 0;
}

// For a limit 0 means the compiler's own value. Nonzero if there is no such number.
RAIDO_FN int raido_config_param(struct raido_config *cfg, const char *name, i64 value) {
#ifdef RAIDO_DEVICE
  // What existing programs set; only the size of blocks means something here.
  static const char *const known[] = {"default_thread_block_size", "default_group_size", "default_grid_size", "default_num_groups",
                                      "default_threshold", "default_tile_size", "default_reg_tile_size", "default_registers",
                                      "default_cache", "default_shared_memory"};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    if (strcmp(known[k], name) != 0) continue;
    if (k < 2 && !cfg->in_use) cfg->block_size = value > 0 && value <= 1024 ? (int)value : 0;
    return 0;
  }
#endif
  for (int k = 0; k < RAIDO_PARAMS; k++) {
    if (strcmp(raido_params[k].name, name) != 0) continue;
    __atomic_store_n(&cfg->settings[k].value, value, __ATOMIC_RELAXED);                        // other threads may run the program
    __atomic_store_n(&cfg->settings[k].set, value != 0 || strcmp(raido_params[k].kind, "custom") == 0, __ATOMIC_RELEASE);
    return 0;
  }
  return 1;
}

// The bytes of a file with a zero after them; NULL if it cannot be read.
RAIDO_FN char *raido_whole_file(const char *name, size_t *size) {
  FILE *f = fopen(name, "rb");
  if (f == NULL) return NULL;
  size_t room = 65536;
  char *text = malloc(room);
  *size = 0;
  while (text != NULL) {
    *size += fread(text + *size, 1, room - *size - 1, f);
    if (*size < room - 1) break;
    room *= 2;
    char *more = realloc(text, room);
    if (more == NULL) free(text);
    text = more;
  }
  fclose(f);
  if (text != NULL) text[*size] = 0;
  return text;
}

// Removes a file that was written in part; devices and pipes stay.
RAIDO_FN void raido_remove_partial(const char *name) {
  struct stat s;
  if (lstat(name, &s) == 0 && S_ISREG(s.st_mode)) remove(name);
}

// A file that holds all of it, or none; a device, a pipe or a link is written as it is. Nonzero if that fails.
RAIDO_FN int raido_write_file(const char *name, const void *bytes, size_t size) {
  struct stat s;
  int special = lstat(name, &s) == 0 && !S_ISREG(s.st_mode);
  size_t n = strlen(name) + 8;
  char *other = malloc(n);
  if (other == NULL) return 1;
  snprintf(other, n, special ? "%s" : "%s.new", name);
  FILE *f = fopen(other, "wb");
  int lost = f == NULL || fwrite(bytes, 1, size, f) != size;
  if (f != NULL) lost |= fclose(f) != 0;
  if (!special) {
    lost = lost || rename(other, name) != 0;
    if (lost) remove(other);
  }
  free(other);
  return lost;
}

// What a file of compiled kernels belongs to.
RAIDO_FN u64 raido_hash(u64 hash, const char *text) {
  for (; *text != 0; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return hash;
}

// Compiled kernels that are kept from one run to the next: a number that says what they were made of, and the code.
RAIDO_FN char *raido_cached(const struct raido_config *cfg, u64 key, size_t *size) {
  if (cfg->texts[RAIDO_TEXT_CACHE] == NULL) return NULL;
  char *bytes = raido_whole_file(cfg->texts[RAIDO_TEXT_CACHE], size);
  if (bytes == NULL) return NULL;
  if (*size <= sizeof key || memcmp(bytes, &key, sizeof key) != 0) {
    free(bytes);
    return NULL;
  }
  *size -= sizeof key;
  memmove(bytes, bytes + sizeof key, *size + 1);
  return bytes;
}
RAIDO_FN void raido_keep_cached(const struct raido_config *cfg, u64 key, const char *bytes, size_t size) {
  char *all = cfg->texts[RAIDO_TEXT_CACHE] == NULL ? NULL : malloc(size + sizeof key);
  if (all == NULL) return;
  memcpy(all, &key, sizeof key);
  memcpy(all + sizeof key, bytes, size);
  raido_write_file(cfg->texts[RAIDO_TEXT_CACHE], all, size + sizeof key);
  free(all);
}
