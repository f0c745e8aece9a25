/* kernels.c - the kernels of kernels.h, on the emulator or, with RAIDO_ON_OPENCL or RAIDO_ON_CUDA, on a device.
 *   kernels all [SOURCE...]    runs the correct ones and checks what they compute; SOURCE: the text of the kernels
 *   kernels NAME               runs one that has a fault, which sanitizers.py expects to be found */
#include "backends/runtime/context.h"
#include "backends/runtime/errors.h"
#include "backends/runtime/memory.h"
#include "backends/runtime/half.h"
#include "backends/runtime/scalars.h"
#define RAIDO_HOST_SCALARS 1
#define RAIDO_PATIENCE 20    // seconds: the report of a sanitizer takes some on a busy machine
#define RAIDO_STRICT_FP 0
#ifdef RAIDO_ON_OPENCL
#define RAIDO_ORDERS_BLOCKS 0
#else
#define RAIDO_ORDERS_BLOCKS 1
#endif

#if !defined(RAIDO_ON_OPENCL) && !defined(RAIDO_ON_CUDA)
#include "backends/runtime/words_fibers.h"
#include "backends/runtime/words.h"
#include "tests/runtime/kernels.h"
#define MEMORY(k) ((void *)*(char **)args[k])
#define NUMBER(k) (*(i64 *)args[k])
static void call_block_sum(void **args) { block_sum(NUMBER(0), MEMORY(1), MEMORY(2)); }
static void call_out_of_bounds(void **args) { out_of_bounds(MEMORY(0), NUMBER(1)); }
#define ONE(name) static void call_##name(void **args) { name(MEMORY(0)); }
ONE(chain) ONE(count_bytes) ONE(gathered) ONE(missing_barrier) ONE(race_between_blocks) ONE(plain_beside_atomic) ONE(out_of_shared)
ONE(early_end) ONE(two_barriers) ONE(waits_inside)
static void (*const raido_kernel_calls[])(void **) = {
  call_block_sum, call_count_bytes, call_gathered, call_chain, call_missing_barrier, call_race_between_blocks, call_plain_beside_atomic,
  call_out_of_bounds, call_out_of_shared, call_early_end, call_two_barriers, call_waits_inside};
#endif
static const char *const raido_kernel_names[] = {
  "block_sum", "count_bytes", "gathered", "chain", "missing_barrier", "race_between_blocks", "plain_beside_atomic",
  "out_of_bounds", "out_of_shared", "early_end", "two_barriers", "waits_inside"};
static const int raido_kernel_count = sizeof raido_kernel_names / sizeof raido_kernel_names[0];
static const struct raido_param raido_params[] = {{NULL, NULL}};
#define RAIDO_PARAMS 0
#define RAIDO_DEVICE 1
#include "backends/runtime/config.h"
#if defined(RAIDO_ON_OPENCL)
#include "backends/runtime/device_opencl.h"
#elif defined(RAIDO_ON_CUDA)
#include "backends/runtime/device_cuda.h"
#else
#include "backends/runtime/device_fibers.h"
#include "backends/runtime/device_emulator.h"
#endif

static struct dev device;

static void fatal(const char *what) { fprintf(stderr, "kernels: %s\n", what); exit(1); }

static int number_of(const char *name) {
  for (int k = 0; k < raido_kernel_count; k++)
    if (strcmp(raido_kernel_names[k], name) == 0) return k;
  fatal("no such kernel");
  return -1;
}

/* The files, one after the other. */
static const char *text_of(char **files) {
  static char text[1 << 16];
  size_t size = 0;
  for (; *files != NULL; files++) {
    FILE *f = fopen(*files, "rb");
    if (f == NULL) fatal(*files);
    size += fread(text + size, 1, sizeof text - 1 - size, f);
    fclose(f);
  }
  return text;
}

static dev_mem cells(i64 n, i64 first) {
  dev_mem m;
  if (dev_alloc(&device, (size_t)n * 8, &m) != 0) fatal("out of memory");
  for (i64 k = 0; k < n; k++) {
    i64 value = first * k;
    dev_write(&device, m, 8 * k, &value, 8);
  }
  return m;
}

static i64 cell(dev_mem m, i64 k) {
  i64 value;
  dev_read(&device, &value, m, 8 * k, 8);
  return value;
}

static void launch(const char *name, i64 blocks, int n, void *first, void *second, void *third) {
  void *args[] = {first, second, third};
  size_t sizes[] = {8, 8, 8};               /* numbers and pointers */
  if (dev_launch(&device, number_of(name), blocks, 64, args, sizes, n, 0) != 0) fatal(dev_error(&device));
  if (dev_sync(&device) != 0) fatal(dev_error(&device));
}

static void all(void) {
  i64 n = 1000, blocks = (n + 63) / 64;
  dev_mem xs = cells(n, 1), total = cells(1, 0), flags = cells(40, 0), bytes;
  for (int round = 1; round <= 3; round++) {
    launch("block_sum", blocks, 3, &n, &xs, &total);
    if (cell(total, 0) != round * n * (n - 1) / 2) fatal("block_sum: another sum");
  }
#ifndef RAIDO_ON_OPENCL                     /* which promises nothing about the order of blocks */
  launch("chain", 40, 1, &flags, NULL, NULL);
  for (int k = 0; k < 40; k++) if (cell(flags, k) != 1) fatal("chain: a flag is missing");
#endif
  u8 counts[5] = {0};
  dev_alloc(&device, 5, &bytes);
  dev_write(&device, bytes, 0, counts, 5);
  launch("count_bytes", 5, 1, &bytes, NULL, NULL);
  dev_read(&device, counts, bytes, 0, 5);
  for (int k = 0; k < 5; k++) if (counts[k] != 64) fatal("count_bytes: another count");
  // 3 blocks of 64 threads: what each adds of the sum, the greatest number, and so on.
  dev_mem cells;
  i64 now[5] = {0}, want[5] = {3 * 2016, 3 * 63, 0, 3 * 3 * 64, 3 * (32 - 56 * 1000 + 64 * 1000000)};
  dev_alloc(&device, sizeof now, &cells);
  dev_write(&device, cells, 0, now, sizeof now);
  launch("gathered", 3, 1, &cells, NULL, NULL);
  dev_read(&device, now, cells, 0, sizeof now);
  for (int k = 0; k < 5; k++) if (now[k] != want[k]) fatal("gathered: another value");
  dev_free(&device, cells);
  dev_free(&device, xs);
  dev_free(&device, total);
  dev_free(&device, flags);
  dev_free(&device, bytes);
}

int main(int argc, char **argv) {
  struct raido_config config = {.count = 1, .block_size = 64};
  if (argc < 2) fatal("usage: kernels all|KERNEL [SOURCE...]");
  if (dev_open(&device, &config, text_of(argv + 2)) != 0) fatal(dev_error(&device));
  if (strcmp(argv[1], "all") == 0) {
    all();
  } else {
    i64 n = 2 * 64 - 1;                     /* the last thread of two blocks is one too many */
    int bounds = strcmp(argv[1], "out_of_bounds") == 0;
    dev_mem out = cells(bounds ? n : 2 * 64, 0);
    launch(argv[1], 2, 1 + bounds, &out, &n, NULL);
    dev_free(&device, out);
  }
  dev_close(&device);
  puts("kernels: ok");
  return 0;
}
