// device_cuda.h - the device interface over the CUDA driver and NVRTC, whose libraries are opened at run time. Kernels are
// compiled straight to the machine code of the device.

#include <dlfcn.h>

typedef u64 dev_mem;

struct dev {
  void *driver, *compiler, *context, *module;
  void **kernels;
  int device;
  char error[512];
  int (*Init)(unsigned);
  int (*DeviceGetCount)(int *);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetName)(char *, int, int);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*DevicePrimaryCtxRetain)(void **, int);
  int (*CtxSetCurrent)(void *);
  int (*CtxSynchronize)(void);
  int (*ModuleLoadData)(void **, const void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*ModuleUnload)(void *);
  int (*MemAlloc)(u64 *, size_t);
  int (*MemFree)(u64);
  int (*MemcpyDtoH)(void *, u64, size_t);
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
  RAIDO_CU(CtxSetCurrent, "cuCtxSetCurrent"); RAIDO_CU(CtxSynchronize, "cuCtxSynchronize"); RAIDO_CU(ModuleLoadData, "cuModuleLoadData");
  RAIDO_CU(ModuleGetFunction, "cuModuleGetFunction"); RAIDO_CU(ModuleUnload, "cuModuleUnload"); RAIDO_CU(MemAlloc, "cuMemAlloc_v2");
  RAIDO_CU(MemFree, "cuMemFree_v2"); RAIDO_CU(MemcpyDtoH, "cuMemcpyDtoH_v2"); RAIDO_CU(MemcpyHtoD, "cuMemcpyHtoD_v2");
  RAIDO_CU(MemcpyDtoD, "cuMemcpyDtoD_v2"); RAIDO_CU(LaunchKernel, "cuLaunchKernel");
#undef RAIDO_CU
#define RAIDO_RTC(name) if (dev_symbol(d, d->compiler, "nvrtc" #name, &d->name) != 0) return 1
  RAIDO_RTC(CreateProgram); RAIDO_RTC(CompileProgram); RAIDO_RTC(GetProgramLogSize); RAIDO_RTC(GetProgramLog); RAIDO_RTC(GetCUBINSize);
  RAIDO_RTC(GetCUBIN); RAIDO_RTC(DestroyProgram);
#undef RAIDO_RTC
  return 0;
}

RAIDO_FN int dev_capability(struct dev *d, int device) {
  int major = 0, minor = 0;
  d->DeviceGetAttribute(&major, 75, device);
  d->DeviceGetAttribute(&minor, 76, device);
  return 10 * major + minor;
}

// The device asked for, or the one of highest compute capability.
RAIDO_FN int dev_choose(struct dev *d, struct dev_options *o) {
  int count = 0, best = -1, best_capability = -1;
  int skip = o->device != NULL && o->device[0] == '#' ? atoi(o->device + 1) : 0;
  const char *wanted = o->device;
  if (wanted != NULL && wanted[0] == '#') wanted += 1 + strspn(wanted + 1, "0123456789");
  if (wanted != NULL) wanted += strspn(wanted, " ");
  if (dev_check(d, d->Init(0), "cuInit") || dev_check(d, d->DeviceGetCount(&count), "cuDeviceGetCount")) return 1;
  for (int k = 0; k < count; k++) {
    char name[256] = "";
    int device;
    if (d->DeviceGet(&device, k) != 0) continue;
    d->DeviceGetName(name, sizeof name, device);
    int capability = dev_capability(d, device);
    if (o->list) { printf("#%d: %s (compute capability %d.%d)\n", k, name, capability / 10, capability % 10); continue; }
    if (wanted != NULL) {
      if (strstr(name, wanted) == NULL || skip-- != 0) continue;
      best = device;
      break;
    }
    if (capability > best_capability) { best = device; best_capability = capability; }
  }
  if (o->list) exit(0);
  d->device = best;
  if (best < 0) snprintf(d->error, sizeof d->error, "CUDA: no device%s%s", o->device != NULL ? " matches " : "", o->device != NULL ? o->device : "");
  return best < 0;
}

RAIDO_FN int dev_build(struct dev *d, struct dev_options *o) {
  void *program = NULL;
  char arch[64];
  const char *options[RAIDO_BUILD_OPTIONS + 4];
  int n = 0;
  snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d", dev_capability(d, d->device));
  options[n++] = arch;
  options[n++] = "--std=c++17";
  options[n++] = "-diag-suppress=177";
  if (RAIDO_STRICT_FP) options[n++] = "-fmad=false";
  for (int k = 0; k < o->build_option_count; k++) options[n++] = o->build_options[k];
  if (dev_check(d, d->CreateProgram(&program, o->source, "kernels.cu", 0, NULL, NULL), "nvrtcCreateProgram")) return 1;
  int code = d->CompileProgram(program, n, options);
  size_t size = 0;
  if (code != 0) {
    d->GetProgramLogSize(program, &size);
    char *text = calloc(1, size + 1);
    if (text != NULL) { d->GetProgramLog(program, text); fprintf(stderr, "%s\n", text); free(text); }
    d->DestroyProgram(&program);
    return dev_check(d, code, "nvrtcCompileProgram");
  }
  d->GetCUBINSize(program, &size);
  char *cubin = malloc(size + 1);
  if (cubin == NULL) return dev_check(d, 2, "malloc");
  d->GetCUBIN(program, cubin);
  d->DestroyProgram(&program);
  code = d->ModuleLoadData(&d->module, cubin);
  free(cubin);
  if (dev_check(d, code, "cuModuleLoadData")) return 1;
  d->kernels = calloc((size_t)raido_kernel_count + 1, sizeof *d->kernels);
  if (d->kernels == NULL) return dev_check(d, 2, "calloc");
  for (int k = 0; k < raido_kernel_count; k++)
    if (dev_check(d, d->ModuleGetFunction(&d->kernels[k], d->module, raido_kernel_names[k]), raido_kernel_names[k])) return 1;
  return 0;
}

RAIDO_FN int dev_open(struct dev *d, struct dev_options *o, FILE *log) {
  (void)log;
  if (dev_load(d) != 0 || dev_choose(d, o) != 0) return 1;
  if (dev_check(d, d->DevicePrimaryCtxRetain(&d->context, d->device), "cuDevicePrimaryCtxRetain")) return 1;
  if (dev_check(d, d->CtxSetCurrent(d->context), "cuCtxSetCurrent")) return 1;
  return dev_build(d, o);
}
RAIDO_FN void dev_close(struct dev *d) {
  d->CtxSynchronize();
  d->ModuleUnload(d->module);
  d->DevicePrimaryCtxRelease(d->device);
  free(d->kernels);
}
RAIDO_FN int dev_sync(struct dev *d) { return dev_check(d, d->CtxSynchronize(), "cuCtxSynchronize"); }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) { return dev_check(d, d->MemAlloc(out, n), "cuMemAlloc"); }
RAIDO_FN int dev_free(struct dev *d, dev_mem m) { return dev_check(d, d->MemFree(m), "cuMemFree"); }
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
  return dev_check(d, d->MemcpyDtoH(to, m + (u64)at, n), "cuMemcpyDtoH");
}
RAIDO_FN int dev_write(struct dev *d, dev_mem m, i64 at, const void *from, size_t n) {
  return dev_check(d, d->MemcpyHtoD(m + (u64)at, from, n), "cuMemcpyHtoD");
}
RAIDO_FN int dev_copy(struct dev *d, dev_mem to, i64 to_at, dev_mem from, i64 from_at, size_t n) {
  return dev_check(d, d->MemcpyDtoD(to + (u64)to_at, from + (u64)from_at, n), "cuMemcpyDtoD");
}
RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n) {
  (void)sizes;
  (void)n;
  if (blocks > 2147483647) {
    snprintf(d->error, sizeof d->error, "CUDA: a launch of %" PRId64 " blocks", blocks);
    return 1;
  }
  return dev_check(d, d->LaunchKernel(d->kernels[kernel], (unsigned)blocks, 1, 1, (unsigned)block_size, 1, 1, 0, NULL, args, NULL), "cuLaunchKernel");
}
