// copies.h - copies whose elements lie beside each other along one dimension where they are read and along another where they are written.
//
// If a loop follows the order of one side, each element costs the other side a whole line of the cache. Rows that lie a power of two apart
// share places in the cache, so their lines evict each other. Therefore the copy goes in small blocks: both sides of a block stay in the
// first cache. A large result does not stay in any cache. It is written in whole lines by streaming stores, which do not read them before.
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { RAIDO_LINE = 64, RAIDO_BLOCK = 16 };                // bytes; rows of a block
#ifndef RAIDO_STREAMED
#define RAIDO_STREAMED (4 << 20)                          // bytes of a result that is large: twice a second-level cache
#endif

// Rows i0 .. i1-1 and columns j0 .. j1-1 of: to[i * to_row + j] = from[j * from_row + i].
RAIDO_INLINE __attribute__((always_inline)) void raido_copy_blocks(char *to, i64 to_row, const char *from, i64 from_row, i64 i0, i64 i1, i64 j0,
                                                                   i64 j1, const i64 size) {
  for (i64 j = j0; j < j1; j += RAIDO_LINE)
    for (i64 i = i0; i < i1; i += RAIDO_BLOCK) {
      i64 last = i1 - i < RAIDO_BLOCK ? i1 : i + RAIDO_BLOCK, end = j1 - j < RAIDO_LINE ? j1 : j + RAIDO_LINE;
      for (i64 r = i; r < last; r++)
        for (i64 c = j; c < end; c++) memcpy(to + (r * to_row + c) * size, from + (c * from_row + r) * size, (size_t)size);
    }
}

#ifdef __SSE2__
// The same for whole lines: j0 begins one, and their number of elements divides i1 - i0 and j1 - j0.
RAIDO_INLINE __attribute__((always_inline)) void raido_stream_lines(char *to, i64 to_row, const char *from, i64 from_row, i64 i0, i64 i1, i64 j0,
                                                                    i64 j1, const i64 size) {
  const i64 n = RAIDO_LINE / size;
  for (i64 j = j0; j < j1; j += n)
    for (i64 i = i0; i < i1; i += n) {
      char lines[RAIDO_LINE * RAIDO_LINE] __attribute__((aligned(64)));
      for (i64 c = 0; c < n; c++)
        for (i64 r = 0; r < n; r++) memcpy(lines + (r * n + c) * size, from + ((j + c) * from_row + i + r) * size, (size_t)size);
      for (i64 r = 0; r < n; r++) {
        __m128i *line = (__m128i *)(void *)(to + ((i + r) * to_row + j) * size);
        for (i64 k = 0; k < 4; k++) _mm_stream_si128(line + k, ((const __m128i *)(const void *)(lines + r * RAIDO_LINE))[k]);
      }
    }
  _mm_sfence();
}
#endif

// Columns j0 .. j1-1, of a result of rows * columns elements.
RAIDO_INLINE __attribute__((always_inline)) void raido_transpose(void *result, i64 to_row, const void *source, i64 from_row, i64 rows, i64 columns,
                                                                 i64 j0, i64 j1, const i64 size) {
  char *to = (char *)result;
  const char *from = (const char *)source;
#ifdef __SSE2__
  const i64 n = RAIDO_LINE / size;
  if (rows * columns >= RAIDO_STREAMED / size && to_row % n == 0) {
    i64 past = (i64)((uintptr_t)(to + j0 * size) % RAIDO_LINE / (uintptr_t)size), first = past == 0 ? j0 : j0 + n - past;
    if (first > j1) first = j1;
    i64 whole = rows - rows % n, last = j1 - (j1 - first) % n;
    raido_copy_blocks(to, to_row, from, from_row, 0, whole, j0, first, size);
    raido_stream_lines(to, to_row, from, from_row, 0, whole, first, last, size);
    raido_copy_blocks(to, to_row, from, from_row, 0, whole, last, j1, size);
    raido_copy_blocks(to, to_row, from, from_row, whole, rows, j0, j1, size);
    return;
  }
#endif
  (void)columns;
  raido_copy_blocks(to, to_row, from, from_row, 0, rows, j0, j1, size);
}
#define RAIDO_TRANSPOSE(size)                                                                                                              \
  RAIDO_FN void raido_transpose_##size(void *to, i64 to_row, const void *from, i64 from_row, i64 rows, i64 columns, i64 j0, i64 j1) { \
    raido_transpose(to, to_row, from, from_row, rows, columns, j0, j1, size);                                                              \
  }
RAIDO_TRANSPOSE(1)
RAIDO_TRANSPOSE(2)
RAIDO_TRANSPOSE(4)
RAIDO_TRANSPOSE(8)
