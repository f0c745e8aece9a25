// words_opencl.h - the vocabulary of kernels in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef RAIDO_STRICT_FP                 // else products need not be rounded before they are added
#pragma OPENCL FP_CONTRACT OFF
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(BLOCK_THREADS, 1, 1))) void
#define DENSE_KERNEL KERNEL
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ID() ((i64)get_local_id(0))
#define BLOCK_ID() ((i64)get_group_id(0))
#define BLOCK_SIZE() ((i64)BLOCK_THREADS)
#define GLOBAL_ID() ((i64)get_global_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SHARED(T, name, n) __local T name[n]
#define DYNAMIC_PARAMETER , __local i64 *dynamic_
#define DYNAMIC_SHARED (void)dynamic_
#define RAIDO_UNROLLED _Pragma("unroll")
#define RAIDO_ORDERS_BLOCKS 0
#define RAIDO_HAS_TENSORS 0
#ifndef BLOCK_THREADS                  // in each block of each launch
#define BLOCK_THREADS 256
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
RAIDO_INLINE i64 raido_seen_64(const __global i64 *p) { return *p; }
RAIDO_INLINE i32 raido_peek_32(volatile __global i32 *p) { return *p; }
RAIDO_INLINE i64 raido_cas_64(volatile __global i64 *p, i64 expected, i64 value) { return atom_cmpxchg(p, expected, value); }
RAIDO_INLINE i32 raido_cas_32(volatile __global i32 *p, i32 expected, i32 value) { return atomic_cmpxchg(p, expected, value); }

// For memory of the device and of the block.
#define RAIDO_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define RAIDO_OPEN(lock) atomic_xchg(lock, 0)
#define RAIDO_PEEK(cell) (*(cell))
#define RAIDO_CAS_64 atom_cmpxchg
#define RAIDO_CAS_32 atomic_cmpxchg
// The operation is part of longer names at once, since min and max may be macros.
#define NATIVE_UPDATE(T, op, S, memory, index, value) NATIVE_UPDATE_##T(atomic_##op, atom_##op, op##_##T, S, memory, index, value)
#define NATIVE_UPDATE_i32(of_32, of_64, op, S, m, i, v) ((void)of_32((volatile S i32 *)(m) + (i), v))
#define NATIVE_UPDATE_u32(of_32, of_64, op, S, m, i, v) ((void)of_32((volatile S u32 *)(m) + (i), v))
#define NATIVE_UPDATE_f32(of_32, of_64, op, S, m, i, v) ATOMIC_UPDATE_f32(op, S, m, i, v)
#define NATIVE_UPDATE_f64(of_32, of_64, op, S, m, i, v) ATOMIC_UPDATE_f64(op, S, m, i, v)
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define NATIVE_UPDATE_i64(of_32, of_64, op, S, m, i, v) ((void)of_64((volatile S i64 *)(m) + (i), v))
#define NATIVE_UPDATE_u64(of_32, of_64, op, S, m, i, v) ((void)of_64((volatile S u64 *)(m) + (i), v))
#else
#define NATIVE_UPDATE_i64(of_32, of_64, op, S, m, i, v) ATOMIC_UPDATE_i64(op, S, m, i, v)
#define NATIVE_UPDATE_u64(of_32, of_64, op, S, m, i, v) ATOMIC_UPDATE_u64(op, S, m, i, v)
#endif

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
