// scans.h - scans in vectors of 32 bytes, for the version of the program that follows (versions.h). Processors with vectors of 16 bytes gain nothing
// by them. The vectors are those of GCC and Clang. A bool is an element with all bits set or none.
//
// LEFTb_g: each element of an odd group of g becomes the last one of the group before it. RIGHTb_g takes odd groups from r, and others
// from e. LASTb: all become the last one. b: bytes of an element.
#undef RAIDO_SCAN_VECTORS
#if defined(__GNUC__) && defined(__has_builtin) && RAIDO_VECTOR_BYTES >= 32
#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_convertvector)
#define RAIDO_SCAN_VECTORS 1
#endif
#endif
#if RAIDO_SCAN_VECTORS && !defined(RAIDO_LAST8)
#define RAIDO_VECTOR_TYPE(T) typedef T raido_v##T __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
RAIDO_VECTOR_TYPE(i32) RAIDO_VECTOR_TYPE(u32) RAIDO_VECTOR_TYPE(f32) RAIDO_VECTOR_TYPE(i64) RAIDO_VECTOR_TYPE(u64) RAIDO_VECTOR_TYPE(f64)
typedef u8 raido_bools8 __attribute__((vector_size(4), aligned(1), may_alias));
typedef u8 raido_bools4 __attribute__((vector_size(8), aligned(1), may_alias));
#define RAIDO_VECTOR_AT(T, p, i) (*(T *)((p) + (i)))
#define RAIDO_GET_i32(p, i) RAIDO_VECTOR_AT(raido_vi32, p, i)
#define RAIDO_GET_u32(p, i) RAIDO_VECTOR_AT(raido_vu32, p, i)
#define RAIDO_GET_f32(p, i) RAIDO_VECTOR_AT(raido_vf32, p, i)
#define RAIDO_GET_i64(p, i) RAIDO_VECTOR_AT(raido_vi64, p, i)
#define RAIDO_GET_u64(p, i) RAIDO_VECTOR_AT(raido_vu64, p, i)
#define RAIDO_GET_f64(p, i) RAIDO_VECTOR_AT(raido_vf64, p, i)
#define RAIDO_GET_bool8(p, i) (-__builtin_convertvector(RAIDO_VECTOR_AT(raido_bools8, p, i), raido_vi64))
#define RAIDO_GET_bool4(p, i) (-__builtin_convertvector(RAIDO_VECTOR_AT(raido_bools4, p, i), raido_vi32))
#define RAIDO_SET_i32(p, i, v) (RAIDO_GET_i32(p, i) = (v))
#define RAIDO_SET_u32(p, i, v) (RAIDO_GET_u32(p, i) = (v))
#define RAIDO_SET_f32(p, i, v) (RAIDO_GET_f32(p, i) = (v))
#define RAIDO_SET_i64(p, i, v) (RAIDO_GET_i64(p, i) = (v))
#define RAIDO_SET_u64(p, i, v) (RAIDO_GET_u64(p, i) = (v))
#define RAIDO_SET_f64(p, i, v) (RAIDO_GET_f64(p, i) = (v))
#define RAIDO_SET_bool8(p, i, v) (RAIDO_VECTOR_AT(raido_bools8, p, i) = __builtin_convertvector(-(v), raido_bools8))
#define RAIDO_SET_bool4(p, i, v) (RAIDO_VECTOR_AT(raido_bools4, p, i) = __builtin_convertvector(-(v), raido_bools4))
#define RAIDO_LEFT8_1(e) __builtin_shufflevector(e, e, 0, 0, 2, 2)
#define RAIDO_LEFT8_2(e) __builtin_shufflevector(e, e, 1, 1, 1, 1)
#define RAIDO_RIGHT8_1(e, r) __builtin_shufflevector(e, r, 0, 5, 2, 7)
#define RAIDO_RIGHT8_2(e, r) __builtin_shufflevector(e, r, 0, 1, 6, 7)
#define RAIDO_LAST8(e) __builtin_shufflevector(e, e, 3, 3, 3, 3)
#define RAIDO_LEFT4_1(e) __builtin_shufflevector(e, e, 0, 0, 2, 2, 4, 4, 6, 6)
#define RAIDO_LEFT4_2(e) __builtin_shufflevector(e, e, 1, 1, 1, 1, 5, 5, 5, 5)
#define RAIDO_LEFT4_4(e) __builtin_shufflevector(e, e, 3, 3, 3, 3, 3, 3, 3, 3)
#define RAIDO_RIGHT4_1(e, r) __builtin_shufflevector(e, r, 0, 9, 2, 11, 4, 13, 6, 15)
#define RAIDO_RIGHT4_2(e, r) __builtin_shufflevector(e, r, 0, 1, 10, 11, 4, 5, 14, 15)
#define RAIDO_RIGHT4_4(e, r) __builtin_shufflevector(e, r, 0, 1, 2, 3, 12, 13, 14, 15)
#define RAIDO_LAST4(e) __builtin_shufflevector(e, e, 7, 7, 7, 7, 7, 7, 7, 7)
RAIDO_INLINE raido_vi64 raido_select8(raido_vi64 m, raido_vi64 x, raido_vi64 y) { return (x & m) | (y & ~m); }
RAIDO_INLINE raido_vi32 raido_select4(raido_vi32 m, raido_vi32 x, raido_vi32 y) { return (x & m) | (y & ~m); }
#define RAIDO_SELECT_VECTOR8(T, m, x, y) ((T)raido_select8(m, (raido_vi64)(x), (raido_vi64)(y)))
#define RAIDO_SELECT_VECTOR4(T, m, x, y) ((T)raido_select4(m, (raido_vi32)(x), (raido_vi32)(y)))
#define RAIDO_GREATER_VECTOR8(T, x, y) RAIDO_SELECT_VECTOR8(T, (x) > (y), x, y)
#define RAIDO_LESSER_VECTOR8(T, x, y) RAIDO_SELECT_VECTOR8(T, (x) < (y), x, y)
#define RAIDO_GREATER_VECTOR4(T, x, y) RAIDO_SELECT_VECTOR4(T, (x) > (y), x, y)
#define RAIDO_LESSER_VECTOR4(T, x, y) RAIDO_SELECT_VECTOR4(T, (x) < (y), x, y)
// Of a number and what is none the number, as in scalars.h. An instruction gives y if one of them is none.
#if defined(__AVX__)
#include <immintrin.h>
RAIDO_INLINE raido_vf64 raido_greater_f64(raido_vf64 x, raido_vf64 y) {
  return (raido_vf64)_mm256_blendv_pd(_mm256_max_pd((__m256d)x, (__m256d)y), (__m256d)x, (__m256d)(y != y));
}
RAIDO_INLINE raido_vf64 raido_lesser_f64(raido_vf64 x, raido_vf64 y) {
  return (raido_vf64)_mm256_blendv_pd(_mm256_min_pd((__m256d)x, (__m256d)y), (__m256d)x, (__m256d)(y != y));
}
RAIDO_INLINE raido_vf32 raido_greater_f32(raido_vf32 x, raido_vf32 y) {
  return (raido_vf32)_mm256_blendv_ps(_mm256_max_ps((__m256)x, (__m256)y), (__m256)x, (__m256)(y != y));
}
RAIDO_INLINE raido_vf32 raido_lesser_f32(raido_vf32 x, raido_vf32 y) {
  return (raido_vf32)_mm256_blendv_ps(_mm256_min_ps((__m256)x, (__m256)y), (__m256)x, (__m256)(y != y));
}
#else
RAIDO_INLINE raido_vf64 raido_greater_f64(raido_vf64 x, raido_vf64 y) { return RAIDO_SELECT_VECTOR8(raido_vf64, (x > y) | (y != y), x, y); }
RAIDO_INLINE raido_vf64 raido_lesser_f64(raido_vf64 x, raido_vf64 y) { return RAIDO_SELECT_VECTOR8(raido_vf64, (x < y) | (y != y), x, y); }
RAIDO_INLINE raido_vf32 raido_greater_f32(raido_vf32 x, raido_vf32 y) { return RAIDO_SELECT_VECTOR4(raido_vf32, (x > y) | (y != y), x, y); }
RAIDO_INLINE raido_vf32 raido_lesser_f32(raido_vf32 x, raido_vf32 y) { return RAIDO_SELECT_VECTOR4(raido_vf32, (x < y) | (y != y), x, y); }
#endif
#endif
