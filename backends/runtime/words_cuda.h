// words_cuda.h - the vocabulary of kernels in CUDA C++.
// So that a block has registers for all its threads; and of a DENSE_KERNEL, which computes more than it reads, two blocks.
#define KERNEL extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
#define DENSE_KERNEL extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, BLOCK_THREADS > 256 ? 1 : 2)
#define GLOBAL
#define LOCAL
#define LOCAL_ID() raido_local_id()
#define BLOCK_ID() ((i64)blockIdx.x)
#define BLOCK_SIZE() ((i64)BLOCK_THREADS)
#define GLOBAL_ID() (blockIdx.x * BLOCK_SIZE() + threadIdx.x)
#define BARRIER() __syncthreads()
#define RAIDO_UNROLLED _Pragma("unroll")
#define SETTLE(x) asm volatile("" : "+r"(x))                       // of 32 bits
#define SHARED(T, name, n) __shared__ __align__(16) T name[n]       // so that vectors of it can be read
#define DYNAMIC_PARAMETER
#define DYNAMIC_SHARED extern __shared__ i64 dynamic_[]
#define RAIDO_ORDERS_BLOCKS 1
#ifdef RAIDO_STRICT_FP                                              // which wants products to be rounded before they are added
#define RAIDO_HAS_TENSORS 0
#else
#define RAIDO_HAS_TENSORS (__CUDA_ARCH__ >= 800)
#endif
#ifndef BLOCK_THREADS                                               // in each block of each launch
#define BLOCK_THREADS 256
#endif
#define RAIDO_INLINE static __device__ inline
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef u16 f16;
typedef u32 uint32_t;
typedef u64 uint64_t;
typedef i32 int32_t;
typedef i64 int64_t;
// The compiler computes with few bits where it knows how large the number is.
RAIDO_INLINE i64 raido_local_id(void) {
  __builtin_assume(threadIdx.x < BLOCK_THREADS);
  return threadIdx.x;
}
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
#define INT64_MIN (-9223372036854775807LL - 1)
#define RAIDO_INFINITY __int_as_float(0x7f800000)
#define RAIDO_NAN __int_as_float(0x7fffffff)
RAIDO_INLINE u32 raido_to_bits_f32(f32 x) { return (u32)__float_as_int(x); }
RAIDO_INLINE u64 raido_to_bits_f64(f64 x) { return (u64)__double_as_longlong(x); }
RAIDO_INLINE f32 raido_from_bits_f32(u32 x) { return __int_as_float((int)x); }
RAIDO_INLINE f64 raido_from_bits_f64(u64 x) { return __longlong_as_double((i64)x); }
RAIDO_INLINE i64 raido_peek_64(volatile i64 *p) { return *p; }
RAIDO_INLINE i64 raido_seen_64(const i64 *p) { return *p; }
RAIDO_INLINE i32 raido_peek_32(volatile i32 *p) { return *p; }
RAIDO_INLINE i64 raido_cas_64(volatile i64 *p, i64 expected, i64 value) {
  return (i64)atomicCAS((unsigned long long *)p, (unsigned long long)expected, (unsigned long long)value);
}
RAIDO_INLINE i32 raido_cas_32(volatile i32 *p, i32 expected, i32 value) { return atomicCAS((int *)p, expected, value); }

#define RAIDO_FENCE() __threadfence()
#define RAIDO_OPEN(lock) atomicExch((int *)(lock), 0)

// Updates without an answer. In memory of the device atomicAdd takes subnormal f32 for 0, which strict arithmetic does not allow.
#define NATIVE_UPDATE(T, op, S, memory, index, value) raido_atomic_##op((memory) + (index), (T)(value))
#define RAIDO_NATIVE(op, f, T, C) RAIDO_INLINE void raido_atomic_##op(T *p, T v) { f((C *)p, (C)v); }
#define RAIDO_NATIVES(op, f, WIDE) RAIDO_NATIVE(op, f, i32, i32) RAIDO_NATIVE(op, f, u32, u32) RAIDO_NATIVE(op, f, u64, u64) RAIDO_NATIVE(op, f, i64, WIDE)
RAIDO_NATIVES(add, atomicAdd, u64)
RAIDO_NATIVES(min, atomicMin, i64)
RAIDO_NATIVES(max, atomicMax, i64)
RAIDO_NATIVES(and, atomicAnd, u64)
RAIDO_NATIVES(or, atomicOr, u64)
RAIDO_NATIVES(xor, atomicXor, u64)
RAIDO_NATIVE(add, atomicAdd, f64, f64)
RAIDO_INLINE void raido_atomic_add(f32 *p, f32 v) {
#ifdef RAIDO_STRICT_FP
  i32 old, seen = raido_peek_32((i32 *)p);
  do {
    old = seen;
    seen = raido_cas_32((i32 *)p, old, (i32)raido_to_bits_f32(raido_from_bits_f32((u32)old) + v));
  } while (seen != old);
#else
  atomicAdd(p, v);
#endif
}

// sums[0 .. 3] += a * b, of 16 rows and 8 columns at 8 points. A thread has two rows of its warp's a[16][8], at two points. Of b[8][8] it has one
// column at two points, of the sums two rows and two columns.
#if __CUDA_ARCH__ >= 900
RAIDO_INLINE void raido_multiply_matrices(f64 *sums, const f64 *a, const f64 *b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#define RAIDO_MULTIPLY_MATRICES raido_multiply_matrices
#elif __CUDA_ARCH__ >= 800
RAIDO_INLINE void raido_multiply_matrices(f64 *sums, const f64 *a, const f64 *b) {
#pragma unroll
  for (int k = 0; k < 2; k++)
#pragma unroll
    for (int group = 0; group < 2; group++)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(sums[2 * group]), "+d"(sums[2 * group + 1]) : "d"(a[2 * k + group]), "d"(b[k]));
}
#define RAIDO_MULTIPLY_MATRICES raido_multiply_matrices
#endif

// Before the first thread counts its block, it makes what the block has written visible to all. In the last block it then sees
// what all blocks have written; the barrier passes that on to its block.
RAIDO_INLINE bool raido_last_block(i32 *tickets, i64 at, i64 count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(tickets + at, 1) == count - 1;
    if (last) tickets[at] = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Scans by tiles. states[0] counts the tiles that blocks have taken; a block takes the next one when it starts, so it waits only for
// blocks that run or have ended. The last to take one sets the counter back. states[1 + t] says what there is of tile t: 2 * launch - 1
// its total, 2 * launch also what the scan has reached with it.
RAIDO_INLINE i64 raido_next_tile(i32 *states, i64 tiles) {
  __shared__ i64 tile;
  if (tiles < 2) return 0;
  if (threadIdx.x == 0) {
    tile = atomicAdd(states, 1);
    if (tile == tiles - 1) states[0] = 0;
  }
  __syncthreads();
  return tile;
}
// By the thread that has written what is published.
RAIDO_INLINE void raido_publish(i32 *states, i64 tile, i64 launch, bool reached) {
  __threadfence();
  *(volatile i32 *)(states + 1 + tile) = (i32)(2 * launch - !reached);
}
// The first warp waits for tiles before `end`, the nearest first: until the scan has reached one, or for as many as the block has threads.
// The block may then read what they have published. All threads get twice the first tile that is needed, plus 1 if the scan has reached it.
// One look goes far, since what is reached goes on by one look at a time.
RAIDO_INLINE i64 raido_look_back(i32 *states, i64 launch, i64 end) {
  __shared__ i64 found;
  if (threadIdx.x < 32) {
    const i32 total = (i32)(2 * launch - 1), reached = total + 1;
    i32 seen[BLOCK_THREADS / 32];
    i64 last = end - 1 - threadIdx.x, from = 0;
#pragma unroll
    for (int j = 0; j < BLOCK_THREADS / 32; j++) seen[j] = last < 32 * j ? total : raido_peek_32(states + 1 + last - 32 * j);
#pragma unroll
    for (int j = 0; j < BLOCK_THREADS / 32; j++) {
      while (seen[j] - total < 0) seen[j] = raido_peek_32(states + 1 + last - 32 * j);
      unsigned known = __ballot_sync(0xffffffffu, seen[j] == reached);
      from = known != 0 ? 2 * (end - 32 * j - __ffs(known)) + 1 : 2 * (end - 32 * j - 32);
      if (known != 0) break;
    }
    __threadfence();
    if (threadIdx.x == 0) found = from;
  }
  __syncthreads();
  return found;
}
