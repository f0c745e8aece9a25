/* counts.c - kernels in the words of counted kernels, each with the counts that it must have.
 *   counts [SAMPLE]    SAMPLE: so many blocks of each launch run, at least 4 */
#include "backends/runtime/context.h"
#include "backends/runtime/errors.h"
#include "backends/runtime/memory.h"
#include "backends/runtime/half.h"
#include "backends/runtime/scalars.h"
#define RAIDO_HOST_SCALARS 1
#define RAIDO_EMULATED 1
#define RAIDO_ORDERS_BLOCKS 1
#include "backends/runtime/words_fibers.h"
#include "backends/runtime/words.h"
#include "backends/runtime/words_counts.h"
RAIDO_INLINE i64 add_i64(i64 x, i64 y) { return (i64)((u64)x + (u64)y); }

KERNEL neighbours(i64 n, i64 *xs, i64 *ys) {
  i64 i = GLOBAL_ID();
  RAN(OP(i64_add, 1));
  if (BRANCH(i < n)) {
    RAN(OP(i64_mul, 1));
    i64 x = LOAD(xs, i);
    STORE(ys, i, 2 * x);
  }
}
KERNEL apart(i64 n, i64 *xs, i64 *ys) {
  i64 i = GLOBAL_ID();
  if (BRANCH(4 * i < n)) {
    i64 x = LOAD(xs, 4 * i);
    STORE(ys, i, x);
  }
}
/* A thread goes l % 4 + 1 times through a loop, and in iteration j j times through an inner one: in lockstep 4 iterations with
   0 + 1 + 2 + 3 inner ones, whoever takes part. */
KERNEL loops(i64 n, i64 *xs, i64 *ys) {
  i64 l = LOCAL_ID();
  (void)n;
  for (i64 j = 0; j < l % 4 + 1; j++) {
    ITERATION(0, OP(i64_add, 1));
    for (i64 k = 0; k < j; k++) {
      ITERATION(1, OP(i64_mul, 1));
      STORE(ys, GLOBAL_ID(), LOAD(xs, GLOBAL_ID()));
    }
    LOOP_END(1);
  }
  LOOP_END(0);
}
/* A transpose in shared memory: down a column all lanes are in one bank. */
KERNEL banks(i64 n, i64 *xs, i64 *ys) {
  SHARED(i32, cells, 32 * 32);
  i64 l = LOCAL_ID();
  (void)n;
  (void)xs;
  STORE(cells, l, (i32)l);
  BARRIER();
  if (BRANCH(l < 32)) {
    i32 x = LOAD(cells, 32 * l);
    STORE(ys, 32 * BLOCK_ID() + l, x);
  }
  BARRIER();
}
KERNEL one_cell(i64 n, i64 *xs, i64 *ys) {
  (void)n;
  (void)xs;
  UPDATES(ys, LOCAL_ID() % 2);
  ATOMIC_UPDATE(i64, add_i64, ys, LOCAL_ID() % 2, 1);
}
/* Returns in the middle of a loop; a loop that most do not enter. */
KERNEL leaves(i64 n, i64 *xs, i64 *ys) {
  for (i64 j = 0; j < n; j++) {
    ITERATION(0, 0);
    if (BRANCH(LOCAL_ID() == j)) return;
    i64 x = LOAD(xs, LOCAL_ID());
    if (BRANCH(x < 0)) return;
  }
  LOOP_END(0);
  for (i64 j = 40; j < LOCAL_ID(); j++) {
    ITERATION(1, 0);
    STORE(ys, LOCAL_ID(), j);
  }
  LOOP_END(1);
}

/* The last block to come adds a one for each: blocks come in order. */
KERNEL last_block(i64 n, i64 *xs, i64 *ys) {
  if (BRANCH(LOCAL_ID() == 0)) {
    UPDATES(ys, 0);
    i64 before = __atomic_fetch_add(&ys[0], 1, __ATOMIC_ACQ_REL);
    if (BRANCH(before % n == n - 1)) {
      for (i64 j = 0; j < n; j++) {
        ITERATION(0, 0);
        STORE(xs, j, 0);
      }
      LOOP_END(0);
    }
  }
  BARRIER();
}

#define KERNELS(X) X(neighbours) X(apart) X(loops) X(banks) X(one_cell) X(leaves) X(last_block)
#define CALL(name) static void call_##name(void **args) { name(*(i64 *)args[0], (i64 *)*(char **)args[1], (i64 *)*(char **)args[2]); }
KERNELS(CALL)
#define POINTER(name) call_##name,
#define NAME(name) #name,
static void (*const raido_kernel_calls[])(void **) = {KERNELS(POINTER) NULL};
static void (*const raido_counted_kernel_calls[])(void **) = {KERNELS(POINTER) NULL};
static const char *const raido_kernel_names[] = {KERNELS(NAME) NULL};
static const char *const raido_kernel_uses[] = {"-rw", "-rw", "-rw", "-rw", "-rw", "-rw", "-wB", NULL};
static const int raido_kernel_count = sizeof raido_kernel_names / sizeof raido_kernel_names[0] - 1;
static const struct raido_param raido_params[] = {{NULL, NULL}};
#define RAIDO_PARAMS 0
#define RAIDO_DEVICE 1
#include "backends/runtime/config.h"
#include "backends/runtime/device_fibers.h"
#include "backends/runtime/device_counts.h"
#include "backends/runtime/device_samples.h"
#include "backends/runtime/device_emulator.h"

static int failures;
static struct dev device;

static struct raido_kernel_counts run(const char *name, i64 blocks, i64 n) {
  static dev_mem xs, ys;
  i64 cells = 1 << 20;
  int kernel = 0;
  while (strcmp(raido_kernel_names[kernel], name) != 0) kernel++;
  if (xs == NULL) {
    if (dev_alloc(&device, (size_t)cells * 8, &xs) != 0 || dev_alloc(&device, (size_t)cells * 8, &ys) != 0) exit(1);
    memset(xs, 0, (size_t)cells * 8);
  }
  void *args[] = {&n, &xs, &ys};
  size_t sizes[] = {8, 8, 8};
  raido_counts_begin(&device);
  if (dev_launch(&device, kernel, blocks, 64, args, sizes, 3, 0) != 0 || raido_counts_end(&device) != 0) exit(1);
  return raido_counts.kernels[kernel];
}
static void expect(const char *what, i64 found, i64 expected) {
  if (found == expected) return;
  printf("%s: %" PRId64 ", not %" PRId64 "\n", what, found, expected);
  failures++;
}
#define EXPECT(k, field, expected) expect(#k " " #field, (k).field, expected)
#define COUNT(k, counter, expected) expect(#k " " #counter, (k).sums[RAIDO_C_##counter], expected)

static void all(i64 sample) {
  struct raido_kernel_counts neighbours = run("neighbours", 100, 6301), apart = run("apart", 4, 1024), loops = run("loops", 2, 0);
  struct raido_kernel_counts banks = run("banks", 3, 0), one_cell = run("one_cell", 2, 0), leaves = run("leaves", 1, 3);
  struct raido_kernel_counts last_block = run("last_block", 100, 100);
  /* 6301 = 98 * 64 + 29: block 98 has one warp of 29 lanes, block 99 none. */
  COUNT(neighbours, read_requests, 197);
  COUNT(neighbours, read_sectors, 98 * 16 + 8);
  COUNT(neighbours, write_sectors, 98 * 16 + 8);
  COUNT(neighbours, fetched_sectors, 98 * 16 + 8);
  COUNT(loops, fetched_sectors, 2 * 16);
  COUNT(neighbours, divergent_branches, 1);
  EXPECT(neighbours, needed_read, 6301 * 8);
  EXPECT(neighbours, needed_written, 6301 * 8);
  EXPECT(neighbours, uneven, 0);
  expect("neighbours: products", neighbours.sums[RAIDO_OPERATIONS + RAIDO_OP_i64_mul], 6301);
  expect("neighbours: products of warps", neighbours.sums[RAIDO_ISSUED + RAIDO_OP_i64_mul], 197);
  expect("neighbours: a sample", neighbours.counted < 40, sample > 0);
  COUNT(apart, read_sectors, 256);
  COUNT(apart, write_sectors, 64);
  EXPECT(apart, needed_read, 256 * 8);
  EXPECT(apart, needed_written, 256 * 8);
  expect("loops: iterations of warps", loops.sums[RAIDO_ISSUED + RAIDO_OP_i64_add], 2 * 2 * 4);
  expect("loops: iterations", loops.sums[RAIDO_OPERATIONS + RAIDO_OP_i64_add], 2 * 16 * (1 + 2 + 3 + 4));
  expect("loops: inner iterations of warps", loops.sums[RAIDO_ISSUED + RAIDO_OP_i64_mul], 2 * 2 * 6);
  COUNT(loops, read_requests, 2 * 2 * 6);
  COUNT(loops, write_requests, 2 * 2 * 6);
  COUNT(banks, barriers, 6);
  COUNT(banks, shared_requests, 3 * 3);
  COUNT(banks, shared_conflicts, 3 * 31);
  COUNT(banks, shared_wavefronts, 3 * (2 + 32));
  COUNT(banks, divergent_branches, 0);
  COUNT(one_cell, atomic_requests, 4);
  COUNT(one_cell, atomic_updates, 128);
  COUNT(one_cell, atomic_rounds, 4 * 16);
  COUNT(one_cell, atomic_sectors, 4);
  EXPECT(last_block, counted, 100);
  COUNT(last_block, write_requests, 100);
  COUNT(last_block, atomic_requests, 100);
  COUNT(last_block, barriers, 100);
  COUNT(leaves, read_requests, 6);
  COUNT(leaves, read_sectors, 3 * 16);                     /* lanes 0, 1 and 2 leave one after the other */
  COUNT(leaves, write_requests, 23);                       /* lanes 41 to 63 */
}

int main(int argc, char **argv) {
  struct raido_config config = {.counts = 1, .sample = argc > 1 ? atoi(argv[1]) : 0};
  if (dev_open(&device, &config, "") != 0) return 1;
  all(config.sample);
  dev_close(&device);
  puts(failures == 0 ? "counts: ok" : "counts: wrong");
  return failures != 0;
}
