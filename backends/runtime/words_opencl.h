// words_opencl.h - the vocabulary of kernels in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define KERNEL __kernel void
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ID() ((i64)get_local_id(0))
#define BLOCK_ID() ((i64)get_group_id(0))
#define BLOCK_SIZE() ((i64)get_local_size(0))
#define GLOBAL_ID() ((i64)get_global_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SHARED(T, name, n) __local T name[n]
#define RAIDO_UNROLLED _Pragma("unroll")
#define RAIDO_ORDERS_BLOCKS 0
#ifndef BLOCK_LIMIT
#define BLOCK_LIMIT 256
#endif
#define RAIDO_INLINE static inline
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;
typedef double f64;
typedef u16 f16;
typedef u32 uint32_t;
typedef u64 uint64_t;
typedef i32 int32_t;
typedef i64 int64_t;
#define INT64_C(x) x##L
#define UINT64_C(x) x##UL
#define INT64_MIN LONG_MIN
#define RAIDO_INFINITY INFINITY
#define RAIDO_NAN NAN
RAIDO_INLINE u32 raido_to_bits_f32(f32 x) { return as_uint(x); }
RAIDO_INLINE u64 raido_to_bits_f64(f64 x) { return as_ulong(x); }
RAIDO_INLINE f32 raido_from_bits_f32(u32 x) { return as_float(x); }
RAIDO_INLINE f64 raido_from_bits_f64(u64 x) { return as_double(x); }
RAIDO_INLINE i64 raido_peek_64(volatile __global i64 *p) { return *p; }
RAIDO_INLINE i32 raido_peek_32(volatile __global i32 *p) { return *p; }
RAIDO_INLINE i64 raido_cas_64(volatile __global i64 *p, i64 expected, i64 value) { return atom_cmpxchg(p, expected, value); }
RAIDO_INLINE i32 raido_cas_32(volatile __global i32 *p, i32 expected, i32 value) { return atomic_cmpxchg(p, expected, value); }

// OpenCL 1.2 does not promise that one block ever sees what another has written.
RAIDO_INLINE bool raido_last_block(__global i32 *tickets, i64 at, i64 count) {
  (void)tickets, (void)at, (void)count;
  return false;
}

// Nor does a block of a scan wait for another: an earlier launch has found what the scan reaches with each tile.
RAIDO_INLINE i64 raido_next_tile(__global i32 *states, i64 tiles) {
  (void)states, (void)tiles;
  return BLOCK_ID();
}
