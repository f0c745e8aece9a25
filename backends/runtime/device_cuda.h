// device_cuda.h - the device interface over the CUDA driver and NVRTC, whose libraries are opened at run time. Kernels are
// compiled straight to the machine code of the device.

#include <dlfcn.h>

typedef u64 dev_mem;
#define RAIDO_MAIL_BYTES 128

struct dev {
  void *driver, *compiler, *context, *module;
  void **kernels;
  char *mail;                            // two times RAIDO_MAIL_BYTES of the host's, which the device can write
  int device;
  char error[512];
  int (*Init)(unsigned);
  int (*DeviceGetCount)(int *);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetName)(char *, int, int);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*DevicePrimaryCtxRetain)(void **, int);
  int (*CtxPushCurrent)(void *);
  int (*CtxPopCurrent)(void **);
  int (*CtxSynchronize)(void);
  int (*ModuleLoadData)(void **, const void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*FuncGetAttribute)(int *, int, void *);
  int (*ModuleUnload)(void *);
  int (*MemAlloc)(u64 *, size_t);
  int (*MemFree)(u64);
  int (*MemcpyDtoH)(void *, u64, size_t);
  int (*MemcpyDtoHAsync)(void *, u64, size_t, void *);
  int (*MemHostAlloc)(void **, size_t, unsigned);
  int (*MemFreeHost)(void *);
  int (*MemcpyHtoD)(u64, const void *, size_t);
  int (*MemcpyDtoD)(u64, u64, size_t);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  int (*DevicePrimaryCtxRelease)(int);
  int (*CreateProgram)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*CompileProgram)(void *, int, const char *const *);
  int (*GetProgramLogSize)(void *, size_t *);
  int (*GetProgramLog)(void *, char *);
  int (*GetCUBINSize)(void *, size_t *);
  int (*GetCUBIN)(void *, char *);
  int (*GetPTXSize)(void *, size_t *);
  int (*GetPTX)(void *, char *);
  int (*DestroyProgram)(void **);
};

RAIDO_FN const char *dev_error(struct dev *d) { return d->error; }

RAIDO_FN int dev_check(struct dev *d, int code, const char *what) {
  if (code != 0) snprintf(d->error, sizeof d->error, "CUDA: %s failed with code %d", what, code);
  return code != 0;
}

// dlsym gives an object pointer; the bytes of a function pointer are the same.
RAIDO_FN int dev_symbol(struct dev *d, void *library, const char *name, void *slot) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    snprintf(d->error, sizeof d->error, "CUDA: the library has no %s", name);
    return 1;
  }
  memcpy(slot, &symbol, sizeof symbol);
  return 0;
}

RAIDO_FN void *dev_nvrtc(void) {
  const char *names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  const char *home = getenv("CUDA_HOME");
  char path[1024];
  for (int place = 0; place < 3; place++)
    for (int k = 0; k < 3; k++) {
      if (place == 0 && home == NULL) continue;
      if (place == 0) snprintf(path, sizeof path, "%s/lib64/%s", home, names[k]);
      else snprintf(path, sizeof path, "%s%s", place == 1 ? "/usr/local/cuda/lib64/" : "", names[k]);
      void *library = dlopen(path, RTLD_NOW);
      if (library != NULL) return library;
    }
  return NULL;
}

RAIDO_FN int dev_load(struct dev *d) {
  d->driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (d->driver == NULL) {
    snprintf(d->error, sizeof d->error, "CUDA: no CUDA driver (libcuda.so.1)");
    return 1;
  }
  d->compiler = dev_nvrtc();
  if (d->compiler == NULL) {
    snprintf(d->error, sizeof d->error, "CUDA: libnvrtc is not installed; set CUDA_HOME");
    return 1;
  }
#define RAIDO_CU(name, symbol) if (dev_symbol(d, d->driver, symbol, &d->name) != 0) return 1
  RAIDO_CU(Init, "cuInit"); RAIDO_CU(DeviceGetCount, "cuDeviceGetCount"); RAIDO_CU(DeviceGet, "cuDeviceGet");
  RAIDO_CU(DeviceGetName, "cuDeviceGetName"); RAIDO_CU(DeviceGetAttribute, "cuDeviceGetAttribute");
  RAIDO_CU(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"); RAIDO_CU(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  RAIDO_CU(CtxPushCurrent, "cuCtxPushCurrent_v2"); RAIDO_CU(CtxPopCurrent, "cuCtxPopCurrent_v2"); RAIDO_CU(CtxSynchronize, "cuCtxSynchronize"); RAIDO_CU(ModuleLoadData, "cuModuleLoadData");
  RAIDO_CU(ModuleGetFunction, "cuModuleGetFunction"); RAIDO_CU(ModuleUnload, "cuModuleUnload"); RAIDO_CU(FuncGetAttribute, "cuFuncGetAttribute"); RAIDO_CU(MemAlloc, "cuMemAlloc_v2");
  RAIDO_CU(MemFree, "cuMemFree_v2"); RAIDO_CU(MemcpyDtoH, "cuMemcpyDtoH_v2"); RAIDO_CU(MemcpyHtoD, "cuMemcpyHtoD_v2");
  RAIDO_CU(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2"); RAIDO_CU(MemHostAlloc, "cuMemHostAlloc"); RAIDO_CU(MemFreeHost, "cuMemFreeHost");
  RAIDO_CU(MemcpyDtoD, "cuMemcpyDtoD_v2"); RAIDO_CU(LaunchKernel, "cuLaunchKernel");
#undef RAIDO_CU
#define RAIDO_RTC(name) if (dev_symbol(d, d->compiler, "nvrtc" #name, &d->name) != 0) return 1
  RAIDO_RTC(CreateProgram); RAIDO_RTC(CompileProgram); RAIDO_RTC(GetProgramLogSize); RAIDO_RTC(GetProgramLog); RAIDO_RTC(GetCUBINSize);
  RAIDO_RTC(GetCUBIN); RAIDO_RTC(GetPTXSize); RAIDO_RTC(GetPTX); RAIDO_RTC(DestroyProgram);
#undef RAIDO_RTC
  return 0;
}

RAIDO_FN int dev_capability(struct dev *d, int device) {
  int major = 0, minor = 0;
  d->DeviceGetAttribute(&major, 75, device);
  d->DeviceGetAttribute(&minor, 76, device);
  return 10 * major + minor;
}

// The device asked for, or the one of highest compute capability. With `list`: prints them all.
RAIDO_FN int dev_choose(struct dev *d, const char *wanted, FILE *list) {
  int count = 0, best = -1, best_capability = -1;
  const char *asked = wanted;
  int skip = wanted != NULL && wanted[0] == '#' ? atoi(wanted + 1) : 0;
  if (wanted != NULL && wanted[0] == '#') wanted += 1 + strspn(wanted + 1, "0123456789");
  if (wanted != NULL) wanted += strspn(wanted, " ");
  if (dev_check(d, d->Init(0), "cuInit") || dev_check(d, d->DeviceGetCount(&count), "cuDeviceGetCount")) return 1;
  for (int k = 0; k < count; k++) {
    char name[256] = "";
    int device;
    if (d->DeviceGet(&device, k) != 0) continue;
    d->DeviceGetName(name, sizeof name, device);
    int capability = dev_capability(d, device);
    if (list != NULL) { fprintf(list, "#%d: %s (compute capability %d.%d)\n", k, name, capability / 10, capability % 10); continue; }
    if (wanted != NULL) {
      if (strstr(name, wanted) == NULL || skip-- != 0) continue;
      best = device;
      break;
    }
    if (capability > best_capability) { best = device; best_capability = capability; }
  }
  d->device = best;
  if (best < 0 && list == NULL) snprintf(d->error, sizeof d->error, "CUDA: no device%s%s", asked != NULL ? " matches " : "", asked != NULL ? asked : "");
  return best < 0;
}

RAIDO_FN void dev_list(struct dev *d, const struct raido_config *cfg) {
  (void)cfg;
  if (dev_load(d) == 0) dev_choose(d, NULL, stdout);
  else printf("%s\n", d->error);
}

RAIDO_FN void dev_complain(struct dev *d, void *program) {
  size_t size = 0;
  d->GetProgramLogSize(program, &size);
  char *text = calloc(1, size + 1);
  if (text == NULL) return;
  d->GetProgramLog(program, text);
  fprintf(stderr, "%s\n", text);
  free(text);
}

// The option that says how many threads each block has.
RAIDO_FN const char *dev_block_threads(const struct raido_config *cfg, char text[32]) {
  snprintf(text, 32, "-DBLOCK_THREADS=%d", raido_block_threads(cfg));
  return text;
}
// The machine code of the kernels; NULL after a failure.
RAIDO_FN char *dev_compile(struct dev *d, const struct raido_config *cfg, const char *source, const char *arch, size_t *size) {
  void *program = NULL;
  int n = 0;
  char threads[32];
  const char **options = calloc((size_t)cfg->build_option_count + 6, sizeof *options);
  if (options == NULL) { dev_check(d, 2, "calloc"); return NULL; }
  options[n++] = arch;
  options[n++] = "--std=c++17";
  options[n++] = "-diag-suppress=177";
  if (RAIDO_STRICT_FP) options[n++] = "-fmad=false", options[n++] = "-DRAIDO_STRICT_FP";
  options[n++] = dev_block_threads(cfg, threads);
  for (int k = 0; k < cfg->build_option_count; k++) options[n++] = cfg->build_options[k];
  int code = d->CreateProgram(&program, source, "kernels.cu", 0, NULL, NULL);
  if (dev_check(d, code, "nvrtcCreateProgram")) { free(options); return NULL; }
  code = d->CompileProgram(program, n, options);
  free(options);
  char *cubin = NULL, *ptx = NULL;
  if (dev_check(d, code, "nvrtcCompileProgram")) dev_complain(d, program);
  else if (!dev_check(d, d->GetCUBINSize(program, size), "nvrtcGetCUBINSize")) cubin = malloc(*size + 1);
  if (cubin != NULL) d->GetCUBIN(program, cubin);
  if (cubin != NULL && cfg->texts[RAIDO_TEXT_DUMP_BINARY] != NULL) {
    size_t n_ptx = 0;
    if (d->GetPTXSize(program, &n_ptx) == 0) ptx = malloc(n_ptx + 1);
    if (ptx == NULL || d->GetPTX(program, ptx) != 0 || raido_write_file(cfg->texts[RAIDO_TEXT_DUMP_BINARY], ptx, strlen(ptx)) != 0) {
      dev_check(d, 1, "writing the PTX code");
      free(cubin);
      cubin = NULL;
    }
    free(ptx);
  }
  d->DestroyProgram(&program);
  return cubin;
}

RAIDO_FN int dev_build(struct dev *d, const struct raido_config *cfg, const char *source) {
  char arch[64];
  size_t size = 0;
  snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d", dev_capability(d, d->device));
  u64 key = raido_hash(raido_hash(raido_hash(UINT64_C(14695981039346656037), source), arch), RAIDO_STRICT_FP ? "strict" : "");
  char threads[32];
  key = raido_hash(key, dev_block_threads(cfg, threads));
  for (int k = 0; k < cfg->build_option_count; k++) key = raido_hash(key, cfg->build_options[k]);
  const char *given = cfg->texts[RAIDO_TEXT_BINARY];
  char *code = given != NULL ? raido_whole_file(given, &size) : cfg->texts[RAIDO_TEXT_DUMP_BINARY] != NULL ? NULL : raido_cached(cfg, key, &size);
  if (given != NULL && code == NULL) {
    snprintf(d->error, sizeof d->error, "CUDA: %.400s cannot be read", given);
    return 1;
  }
  if (code == NULL) {
    code = dev_compile(d, cfg, source, arch, &size);
    if (code == NULL) return d->error[0] != 0 ? 1 : dev_check(d, 2, "malloc");
    raido_keep_cached(cfg, key, code, size);
  }
  int failed = dev_check(d, d->ModuleLoadData(&d->module, code), "cuModuleLoadData");
  free(code);
  if (failed) return 1;
  d->kernels = calloc((size_t)raido_kernel_count + 1, sizeof *d->kernels);
  if (d->kernels == NULL) return dev_check(d, 2, "calloc");
  for (int k = 0; k < raido_kernel_count; k++) {
    int most = 0;                                          // threads of a block, which the code has as a constant
    if (dev_check(d, d->ModuleGetFunction(&d->kernels[k], d->module, raido_kernel_names[k]), raido_kernel_names[k])) return 1;
    if (given == NULL) continue;
    if (dev_check(d, d->FuncGetAttribute(&most, 0, d->kernels[k]), "cuFuncGetAttribute")) return 1;
    if (most == raido_block_threads(cfg)) continue;
    snprintf(d->error, sizeof d->error, "CUDA: %.400s has code for blocks of %d threads, but these have %d", given, most, raido_block_threads(cfg));
    return 1;
  }
  return 0;
}

RAIDO_FN void dev_enter(struct dev *d) { d->CtxPushCurrent(d->context); }
RAIDO_FN void dev_leave(struct dev *d) {
  void *context;
  d->CtxPopCurrent(&context);
}
// Where it succeeds, the thread has entered.
RAIDO_FN int dev_open(struct dev *d, const struct raido_config *cfg, const char *source) {
  if (dev_load(d) != 0 || dev_choose(d, cfg->texts[RAIDO_TEXT_DEVICE], NULL) != 0) return 1;
  void *context;
  if (dev_check(d, d->DevicePrimaryCtxRetain(&context, d->device), "cuDevicePrimaryCtxRetain")) return 1;
  d->context = context;
  if (dev_check(d, d->CtxPushCurrent(d->context), "cuCtxPushCurrent")) return 1;
  void *mail = NULL;
  if (!dev_check(d, d->MemHostAlloc(&mail, 2 * RAIDO_MAIL_BYTES, 0), "cuMemHostAlloc")) d->mail = mail;
  if (mail != NULL && dev_build(d, cfg, source) == 0) return 0;
  dev_leave(d);
  return 1;
}
RAIDO_FN void dev_close(struct dev *d) {
  free(d->kernels);
  if (d->context != NULL) {
    dev_enter(d);
    d->CtxSynchronize();
    if (d->module != NULL) d->ModuleUnload(d->module);
    if (d->mail != NULL) d->MemFreeHost(d->mail);
    dev_leave(d);
    d->DevicePrimaryCtxRelease(d->device);
  }
}
RAIDO_FN void *dev_queue(struct dev *d) { (void)d; return NULL; }
RAIDO_FN int dev_sync(struct dev *d) { return dev_check(d, d->CtxSynchronize(), "cuCtxSynchronize"); }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) { return dev_check(d, d->MemAlloc(out, n), "cuMemAlloc"); }
// Its number among those of its kind.
RAIDO_FN int dev_number(struct dev *d) { return d->device; }
RAIDO_FN int dev_free(struct dev *d, dev_mem m) { return dev_check(d, d->MemFree(m), "cuMemFree"); }
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
  return dev_check(d, d->MemcpyDtoH(to, m + (u64)at, n), "cuMemcpyDtoH");
}
// Where the bytes are after the next dev_sync, in place number 0 or 1; NULL: they have to be read otherwise.
RAIDO_FN const void *dev_begin_read(struct dev *d, int mail, dev_mem m, i64 at, size_t n) {
  char *to = d->mail + mail * RAIDO_MAIL_BYTES;
  return n <= RAIDO_MAIL_BYTES && d->MemcpyDtoHAsync(to, m + (u64)at, n, NULL) == 0 ? to : NULL;
}
RAIDO_FN int dev_write(struct dev *d, dev_mem m, i64 at, const void *from, size_t n) {
  return dev_check(d, d->MemcpyHtoD(m + (u64)at, from, n), "cuMemcpyHtoD");
}
RAIDO_FN int dev_copy(struct dev *d, dev_mem to, i64 to_at, dev_mem from, i64 from_at, size_t n) {
  return dev_check(d, d->MemcpyDtoD(to + (u64)to_at, from + (u64)from_at, n), "cuMemcpyDtoD");
}
// Bytes of a block: what every device has without being asked.
RAIDO_FN i64 dev_shared(struct dev *d) {
  int bytes = 0;
  return d->DeviceGetAttribute(&bytes, 8, d->device) == 0 ? bytes : 0;
}
RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n, size_t shared) {
  (void)sizes;
  (void)n;
  if (blocks > 2147483647) {
    snprintf(d->error, sizeof d->error, "CUDA: a launch of %" PRId64 " blocks", blocks);
    return 1;
  }
  return dev_check(d, d->LaunchKernel(d->kernels[kernel], (unsigned)blocks, 1, 1, (unsigned)block_size, 1, 1, (unsigned)shared, NULL, args, NULL), "cuLaunchKernel");
}
