// device_opencl.h - the device interface over OpenCL 1.2, whose library is opened at run time.

#include <dlfcn.h>

typedef void *dev_mem;

struct dev {
  void *library, *platform, *device, *context, *queue, *program;
  void **kernels;
  char error[512];
  int (*GetPlatformIDs)(u32, void **, u32 *);
  int (*GetPlatformInfo)(void *, u32, size_t, void *, size_t *);
  int (*GetDeviceIDs)(void *, u64, u32, void **, u32 *);
  int (*GetDeviceInfo)(void *, u32, size_t, void *, size_t *);
  void *(*CreateContext)(const intptr_t *, u32, void *const *, void *, void *, int *);
  void *(*CreateCommandQueue)(void *, void *, u64, int *);
  void *(*CreateProgramWithSource)(void *, u32, const char **, const size_t *, int *);
  int (*BuildProgram)(void *, u32, void *const *, const char *, void *, void *);
  int (*GetProgramBuildInfo)(void *, void *, u32, size_t, void *, size_t *);
  void *(*CreateKernel)(void *, const char *, int *);
  int (*SetKernelArg)(void *, u32, size_t, const void *);
  void *(*CreateBuffer)(void *, u64, size_t, void *, int *);
  int (*ReleaseMemObject)(void *);
  int (*EnqueueReadBuffer)(void *, void *, u32, size_t, size_t, void *, u32, void *, void *);
  int (*EnqueueWriteBuffer)(void *, void *, u32, size_t, size_t, const void *, u32, void *, void *);
  int (*EnqueueCopyBuffer)(void *, void *, void *, size_t, size_t, size_t, u32, void *, void *);
  int (*EnqueueNDRangeKernel)(void *, void *, u32, const size_t *, const size_t *, const size_t *, u32, void *, void *);
  int (*Finish)(void *);
  int (*ReleaseKernel)(void *);
  int (*ReleaseProgram)(void *);
  int (*ReleaseCommandQueue)(void *);
  int (*ReleaseContext)(void *);
};

RAIDO_FN const char *dev_error(struct dev *d) { return d->error; }

RAIDO_FN int dev_check(struct dev *d, int code, const char *what) {
  if (code != 0) snprintf(d->error, sizeof d->error, "OpenCL: %s failed with code %d", what, code);
  return code != 0;
}

// dlsym gives an object pointer; the bytes of a function pointer are the same.
RAIDO_FN int dev_symbol(struct dev *d, const char *name, void *slot) {
  void *symbol = dlsym(d->library, name);
  if (symbol == NULL) {
    snprintf(d->error, sizeof d->error, "OpenCL: the library has no %s", name);
    return 1;
  }
  memcpy(slot, &symbol, sizeof symbol);
  return 0;
}

RAIDO_FN int dev_load(struct dev *d) {
  const char *names[] = {"libOpenCL.so.1", "libOpenCL.so"};
  for (int k = 0; k < 2 && d->library == NULL; k++) d->library = dlopen(names[k], RTLD_NOW);
  if (d->library == NULL) {
    snprintf(d->error, sizeof d->error, "OpenCL: libOpenCL.so.1 is not installed");
    return 1;
  }
#define RAIDO_CL(name) if (dev_symbol(d, "cl" #name, &d->name) != 0) return 1
  RAIDO_CL(GetPlatformIDs); RAIDO_CL(GetPlatformInfo); RAIDO_CL(GetDeviceIDs); RAIDO_CL(GetDeviceInfo); RAIDO_CL(CreateContext);
  RAIDO_CL(CreateCommandQueue); RAIDO_CL(CreateProgramWithSource); RAIDO_CL(BuildProgram); RAIDO_CL(GetProgramBuildInfo);
  RAIDO_CL(CreateKernel); RAIDO_CL(SetKernelArg); RAIDO_CL(CreateBuffer); RAIDO_CL(ReleaseMemObject); RAIDO_CL(EnqueueReadBuffer);
  RAIDO_CL(EnqueueWriteBuffer); RAIDO_CL(EnqueueCopyBuffer); RAIDO_CL(EnqueueNDRangeKernel); RAIDO_CL(Finish); RAIDO_CL(ReleaseKernel);
  RAIDO_CL(ReleaseProgram); RAIDO_CL(ReleaseCommandQueue); RAIDO_CL(ReleaseContext);
#undef RAIDO_CL
  return 0;
}

// `wanted`: part of a name, "#k", or "#k part"; counts down in `skip`.
RAIDO_FN int dev_matches(const char *name, const char *wanted, int *skip) {
  if (wanted == NULL) return 1;
  if (wanted[0] == '#') wanted += 1 + strspn(wanted + 1, "0123456789");
  wanted += strspn(wanted, " ");
  if (strstr(name, wanted) == NULL) return 0;
  return (*skip)-- == 0;
}

RAIDO_FN int dev_choose(struct dev *d, struct dev_options *o) {
  void *platforms[16], *devices[16];
  u32 platform_count = 0, device_count = 0;
  int skip = o->device != NULL && o->device[0] == '#' ? atoi(o->device + 1) : 0, found = 0, number = 0;
  int platform_skip = o->platform != NULL && o->platform[0] == '#' ? atoi(o->platform + 1) : 0;
  d->GetPlatformIDs(16, platforms, &platform_count);
  if (platform_count > 16) platform_count = 16;
  for (u32 p = 0; p < platform_count; p++) {
    char platform_name[256] = "", name[256] = "";
    d->GetPlatformInfo(platforms[p], 0x0902, sizeof platform_name, platform_name, NULL);
    if (!dev_matches(platform_name, o->platform, &platform_skip) && !o->list) continue;
    device_count = 0;
    d->GetDeviceIDs(platforms[p], 0xffffffffu, 16, devices, &device_count);
    if (device_count > 16) device_count = 16;
    for (u32 k = 0; k < device_count; k++) {
      d->GetDeviceInfo(devices[k], 0x102b, sizeof name, name, NULL);
      if (o->list) { printf("#%d: %s (%s)\n", number++, name, platform_name); continue; }
      if (found || !dev_matches(name, o->device, &skip)) continue;
      d->platform = platforms[p];
      d->device = devices[k];
      found = 1;
    }
  }
  if (o->list) exit(0);
  if (!found) snprintf(d->error, sizeof d->error, "OpenCL: no device%s%s", o->device != NULL ? " matches " : "", o->device != NULL ? o->device : "");
  return !found;
}

RAIDO_FN int dev_build(struct dev *d, struct dev_options *o) {
  char flags[2048] = "-cl-std=CL1.2";
  for (int k = 0; k < o->build_option_count; k++)
    if (strlen(flags) + strlen(o->build_options[k]) + 2 < sizeof flags) { strcat(flags, " "); strcat(flags, o->build_options[k]); }
  int code;
  d->program = d->CreateProgramWithSource(d->context, 1, &o->source, NULL, &code);
  if (dev_check(d, code, "clCreateProgramWithSource")) return 1;
  code = d->BuildProgram(d->program, 1, &d->device, flags, NULL, NULL);
  if (code != 0) {
    size_t n = 0;
    d->GetProgramBuildInfo(d->program, d->device, 0x1183, 0, NULL, &n);
    char *text = calloc(1, n + 1);
    if (text != NULL) {
      d->GetProgramBuildInfo(d->program, d->device, 0x1183, n, text, NULL);
      fprintf(stderr, "%s\n", text);
      free(text);
    }
    return dev_check(d, code, "clBuildProgram");
  }
  d->kernels = calloc((size_t)raido_kernel_count + 1, sizeof *d->kernels);
  if (d->kernels == NULL) return dev_check(d, -6, "calloc");
  for (int k = 0; k < raido_kernel_count; k++) {
    d->kernels[k] = d->CreateKernel(d->program, raido_kernel_names[k], &code);
    if (dev_check(d, code, raido_kernel_names[k])) return 1;
  }
  return 0;
}

RAIDO_FN int dev_open(struct dev *d, struct dev_options *o, FILE *log) {
  int code;
  (void)log;
  if (dev_load(d) != 0 || dev_choose(d, o) != 0) return 1;
  d->context = d->CreateContext(NULL, 1, &d->device, NULL, NULL, &code);
  if (dev_check(d, code, "clCreateContext")) return 1;
  d->queue = d->CreateCommandQueue(d->context, d->device, 0, &code);
  if (dev_check(d, code, "clCreateCommandQueue")) return 1;
  return dev_build(d, o);
}
RAIDO_FN void dev_close(struct dev *d) {
  d->Finish(d->queue);
  for (int k = 0; k < raido_kernel_count; k++) d->ReleaseKernel(d->kernels[k]);
  free(d->kernels);
  d->ReleaseProgram(d->program);
  d->ReleaseCommandQueue(d->queue);
  d->ReleaseContext(d->context);
}
RAIDO_FN int dev_sync(struct dev *d) { return dev_check(d, d->Finish(d->queue), "clFinish"); }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) {
  int code;
  *out = d->CreateBuffer(d->context, 1, n, NULL, &code);
  return dev_check(d, code, "clCreateBuffer");
}
RAIDO_FN int dev_free(struct dev *d, dev_mem m) { return dev_check(d, d->ReleaseMemObject(m), "clReleaseMemObject"); }
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
  return dev_check(d, d->EnqueueReadBuffer(d->queue, m, 1, (size_t)at, n, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}
RAIDO_FN int dev_write(struct dev *d, dev_mem m, i64 at, const void *from, size_t n) {
  return dev_check(d, d->EnqueueWriteBuffer(d->queue, m, 1, (size_t)at, n, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
}
RAIDO_FN int dev_copy(struct dev *d, dev_mem to, i64 to_at, dev_mem from, i64 from_at, size_t n) {
  return dev_check(d, d->EnqueueCopyBuffer(d->queue, from, to, (size_t)from_at, (size_t)to_at, n, 0, NULL, NULL), "clEnqueueCopyBuffer");
}
RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n) {
  size_t global = (size_t)blocks * (size_t)block_size, local = (size_t)block_size;
  for (int k = 0; k < n; k++)
    if (dev_check(d, d->SetKernelArg(d->kernels[kernel], (u32)k, sizes[k], args[k]), "clSetKernelArg")) return 1;
  return dev_check(d, d->EnqueueNDRangeKernel(d->queue, d->kernels[kernel], 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}
