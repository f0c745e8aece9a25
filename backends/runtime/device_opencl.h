// device_opencl.h - the device interface over OpenCL 1.2, whose library is opened at run time.

#include <dlfcn.h>

typedef void *dev_mem;
#define RAIDO_MAIL_BYTES 128

struct dev {
  void *library, *platform, *device, *context, *queue, *program;
  void **kernels;
  char error[512], mail[2 * RAIDO_MAIL_BYTES];   // mail: what reads bring that are waited for later
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
  int (*GetProgramInfo)(void *, u32, size_t, void *, size_t *);
  int (*GetKernelWorkGroupInfo)(void *, void *, u32, size_t, void *, size_t *);
  void *(*CreateProgramWithBinary)(void *, u32, void *const *, const size_t *, const unsigned char **, int *, int *);
  int (*GetCommandQueueInfo)(void *, u32, size_t, void *, size_t *);
  int (*RetainCommandQueue)(void *);
  int (*RetainContext)(void *);
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
  RAIDO_CL(GetProgramInfo); RAIDO_CL(CreateProgramWithBinary); RAIDO_CL(GetCommandQueueInfo); RAIDO_CL(RetainCommandQueue);
  RAIDO_CL(RetainContext); RAIDO_CL(GetKernelWorkGroupInfo);
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

// With `list`: prints all devices.
RAIDO_FN int dev_choose(struct dev *d, const struct raido_config *cfg, FILE *list) {
  void *platforms[16], *devices[16];
  const char *wanted = cfg->texts[RAIDO_TEXT_DEVICE], *wanted_platform = cfg->texts[RAIDO_TEXT_PLATFORM];
  u32 platform_count = 0, device_count = 0;
  int skip = wanted != NULL && wanted[0] == '#' ? atoi(wanted + 1) : 0, found = 0, number = 0;
  int platform_skip = wanted_platform != NULL && wanted_platform[0] == '#' ? atoi(wanted_platform + 1) : 0;
  d->GetPlatformIDs(16, platforms, &platform_count);
  if (platform_count > 16) platform_count = 16;
  for (u32 p = 0; p < platform_count; p++) {
    char platform_name[256] = "", name[256] = "";
    d->GetPlatformInfo(platforms[p], 0x0902, sizeof platform_name, platform_name, NULL);
    if (list == NULL && !dev_matches(platform_name, wanted_platform, &platform_skip)) continue;
    device_count = 0;
    d->GetDeviceIDs(platforms[p], 0xffffffffu, 16, devices, &device_count);
    if (device_count > 16) device_count = 16;
    for (u32 k = 0; k < device_count; k++) {
      d->GetDeviceInfo(devices[k], 0x102b, sizeof name, name, NULL);
      if (list != NULL) { fprintf(list, "#%d: %s (%s)\n", number++, name, platform_name); continue; }
      if (found || !dev_matches(name, wanted, &skip)) continue;
      d->platform = platforms[p];
      d->device = devices[k];
      found = 1;
    }
  }
  if (!found && list == NULL) snprintf(d->error, sizeof d->error, "OpenCL: no device%s%s", wanted != NULL ? " matches " : "", wanted != NULL ? wanted : "");
  return !found;
}

RAIDO_FN void dev_list(struct dev *d, const struct raido_config *cfg) {
  if (dev_load(d) == 0) dev_choose(d, cfg, stdout);
  else printf("%s\n", d->error);
}

// The program as the device has it; NULL after a failure.
RAIDO_FN char *dev_binary(struct dev *d, size_t *size) {
  unsigned char *bytes = NULL;
  if (dev_check(d, d->GetProgramInfo(d->program, 0x1165, sizeof *size, size, NULL), "clGetProgramInfo")) return NULL;
  bytes = malloc(*size + 1);
  if (bytes == NULL) { dev_check(d, -6, "malloc"); return NULL; }
  if (dev_check(d, d->GetProgramInfo(d->program, 0x1166, sizeof bytes, &bytes, NULL), "clGetProgramInfo")) { free(bytes); return NULL; }
  return (char *)bytes;
}

// Options for arithmetic that rounds as the program says. Quotients of f32 need not be exact otherwise, where a device can have them so.
RAIDO_FN const char *dev_strictness(struct dev *d) {
  u64 single = 0;
  if (!RAIDO_STRICT_FP) return "";
  d->GetDeviceInfo(d->device, 0x101b, sizeof single, &single, NULL);
  return single & 128 ? " -DRAIDO_STRICT_FP -cl-fp32-correctly-rounded-divide-sqrt" : " -DRAIDO_STRICT_FP";
}

RAIDO_FN int dev_build(struct dev *d, const struct raido_config *cfg, const char *source) {
  char flags[2048] = "-cl-std=CL1.2", name[256] = "";
  const char *given = cfg->texts[RAIDO_TEXT_BINARY], *dump = cfg->texts[RAIDO_TEXT_DUMP_BINARY];
  for (int k = 0; k < cfg->build_option_count; k++)
    if (strlen(flags) + strlen(cfg->build_options[k]) + 2 < sizeof flags) { strcat(flags, " "); strcat(flags, cfg->build_options[k]); }
  snprintf(flags + strlen(flags), sizeof flags - strlen(flags), " -DBLOCK_THREADS=%d%s", raido_block_threads(cfg), dev_strictness(d));
  d->GetDeviceInfo(d->device, 0x102b, sizeof name, name, NULL);
  u64 key = raido_hash(raido_hash(raido_hash(UINT64_C(14695981039346656037), source), flags), name);
  size_t size = 0;
  char *binary = given != NULL ? raido_whole_file(given, &size) : raido_cached(cfg, key, &size);
  if (given != NULL && binary == NULL) {
    snprintf(d->error, sizeof d->error, "OpenCL: %.400s cannot be read", given);
    return 1;
  }
  int code, from_binary = binary != NULL;
  if (from_binary) {
    const unsigned char *bytes = (const unsigned char *)binary;
    d->program = d->CreateProgramWithBinary(d->context, 1, &d->device, &size, &bytes, NULL, &code);
  } else {
    d->program = d->CreateProgramWithSource(d->context, 1, &source, NULL, &code);
  }
  free(binary);
  if (dev_check(d, code, "clCreateProgram")) return 1;
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
  if (dump != NULL || (!from_binary && cfg->texts[RAIDO_TEXT_CACHE] != NULL)) {
    binary = dev_binary(d, &size);
    if (binary == NULL) return 1;
    if (dump == NULL) raido_keep_cached(cfg, key, binary, size);
    int lost = dump != NULL && raido_write_file(dump, binary, size) != 0;
    free(binary);
    if (lost) return dev_check(d, 1, "writing the program");
  }
  d->kernels = calloc((size_t)raido_kernel_count + 1, sizeof *d->kernels);
  if (d->kernels == NULL) return dev_check(d, -6, "calloc");
  for (int k = 0; k < raido_kernel_count; k++) {
    d->kernels[k] = d->CreateKernel(d->program, raido_kernel_names[k], &code);
    if (dev_check(d, code, raido_kernel_names[k])) return 1;
    size_t threads[3] = {0};                             // of a block, which the code has as a constant
    if (given == NULL) continue;
    if (dev_check(d, d->GetKernelWorkGroupInfo(d->kernels[k], d->device, 0x11b1, sizeof threads, threads, NULL), "clGetKernelWorkGroupInfo")) return 1;
    if (threads[0] == (size_t)raido_block_threads(cfg)) continue;
    snprintf(d->error, sizeof d->error, "OpenCL: %.400s has code for blocks of %d threads, but these have %d", given, (int)threads[0], raido_block_threads(cfg));
    return 1;
  }
  return 0;
}

RAIDO_FN void dev_enter(struct dev *d) { (void)d; }
RAIDO_FN void dev_leave(struct dev *d) { (void)d; }

// The user's queue, its context and its device.
RAIDO_FN int dev_take_queue(struct dev *d, void *queue) {
  if (dev_check(d, d->GetCommandQueueInfo(queue, 0x1090, sizeof d->context, &d->context, NULL), "clGetCommandQueueInfo") ||
      dev_check(d, d->GetCommandQueueInfo(queue, 0x1091, sizeof d->device, &d->device, NULL), "clGetCommandQueueInfo")) {
    d->context = NULL;
    return 1;
  }
  d->RetainContext(d->context);
  d->RetainCommandQueue(queue);
  d->queue = queue;
  return 0;
}

RAIDO_FN int dev_open(struct dev *d, const struct raido_config *cfg, const char *source) {
  int code;
  if (dev_load(d) != 0) return 1;
  if (cfg->queue != NULL) return dev_take_queue(d, cfg->queue) || dev_build(d, cfg, source);
  if (dev_choose(d, cfg, NULL) != 0) return 1;
  d->context = d->CreateContext(NULL, 1, &d->device, NULL, NULL, &code);
  if (dev_check(d, code, "clCreateContext")) return 1;
  d->queue = d->CreateCommandQueue(d->context, d->device, 0, &code);
  if (dev_check(d, code, "clCreateCommandQueue")) return 1;
  return dev_build(d, cfg, source);
}
RAIDO_FN void dev_close(struct dev *d) {
  if (d->queue != NULL) d->Finish(d->queue);
  for (int k = 0; d->kernels != NULL && k < raido_kernel_count; k++)
    if (d->kernels[k] != NULL) d->ReleaseKernel(d->kernels[k]);
  free(d->kernels);
  if (d->program != NULL) d->ReleaseProgram(d->program);
  if (d->queue != NULL) d->ReleaseCommandQueue(d->queue);
  if (d->context != NULL) d->ReleaseContext(d->context);
}
RAIDO_FN void *dev_queue(struct dev *d) { return d->queue; }
RAIDO_FN int dev_sync(struct dev *d) { return dev_check(d, d->Finish(d->queue), "clFinish"); }
RAIDO_FN int dev_alloc(struct dev *d, size_t n, dev_mem *out) {
  int code;
  char first = 0;
  *out = d->CreateBuffer(d->context, 1, n, NULL, &code);
  if (dev_check(d, code, "clCreateBuffer")) return 1;
  // A driver may look for room only when the buffer is first used, and that should not be by a kernel.
  if (!dev_check(d, d->EnqueueWriteBuffer(d->queue, *out, 1, 0, sizeof first, &first, 0, NULL, NULL), "clEnqueueWriteBuffer")) return 0;
  d->ReleaseMemObject(*out);
  return 1;
}
RAIDO_FN int dev_number(struct dev *d) { (void)d; return 0; }
RAIDO_FN int dev_free(struct dev *d, dev_mem m) { return dev_check(d, d->ReleaseMemObject(m), "clReleaseMemObject"); }
RAIDO_FN int dev_read(struct dev *d, void *to, dev_mem m, i64 at, size_t n) {
  return dev_check(d, d->EnqueueReadBuffer(d->queue, m, 1, (size_t)at, n, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}
// Where the bytes are after the next dev_sync, in place number 0 or 1; NULL: they have to be read otherwise.
RAIDO_FN const void *dev_begin_read(struct dev *d, int mail, dev_mem m, i64 at, size_t n) {
  char *to = d->mail + mail * RAIDO_MAIL_BYTES;
  return n <= RAIDO_MAIL_BYTES && d->EnqueueReadBuffer(d->queue, m, 0, (size_t)at, n, to, 0, NULL, NULL) == 0 ? to : NULL;
}
RAIDO_FN int dev_write(struct dev *d, dev_mem m, i64 at, const void *from, size_t n) {
  return dev_check(d, d->EnqueueWriteBuffer(d->queue, m, 1, (size_t)at, n, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
}
RAIDO_FN int dev_copy(struct dev *d, dev_mem to, i64 to_at, dev_mem from, i64 from_at, size_t n) {
  return dev_check(d, d->EnqueueCopyBuffer(d->queue, from, to, (size_t)from_at, (size_t)to_at, n, 0, NULL, NULL), "clEnqueueCopyBuffer");
}
// Bytes of a block.
RAIDO_FN i64 dev_shared(struct dev *d) {
  u64 bytes = 0;
  return d->GetDeviceInfo(d->device, 0x1023, sizeof bytes, &bytes, NULL) == 0 ? (i64)(bytes < (48 << 10) ? bytes : 48 << 10) : 0;
}
RAIDO_FN int dev_launch(struct dev *d, int kernel, i64 blocks, int block_size, void **args, size_t *sizes, int n, size_t shared) {
  size_t global = (size_t)blocks * (size_t)block_size, local = (size_t)block_size;
  for (int k = 0; k < n; k++)
    if (dev_check(d, d->SetKernelArg(d->kernels[kernel], (u32)k, sizes[k], args[k]), "clSetKernelArg")) return 1;
  if (shared > 0 && dev_check(d, d->SetKernelArg(d->kernels[kernel], (u32)n, shared, NULL), "clSetKernelArg")) return 1;
  return dev_check(d, d->EnqueueNDRangeKernel(d->queue, d->kernels[kernel], 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}
