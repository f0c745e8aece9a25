/* copies.c - every copy of copies.h against two loops: each size of an element, rows and columns around the length of a line, results
 * that begin inside a line or lie apart, whole and by columns. What is large begins at 64 bytes here, so lines are streamed too. */
#define RAIDO_STREAMED 64
#include "backends/runtime/context.h"
#include "backends/runtime/copies.h"

enum { SIDE = 150, ROW = 192, BEFORE = 3 };

static unsigned char from[SIDE * ROW * 8] __attribute__((aligned(64))), to[SIDE * ROW * 8] __attribute__((aligned(64))), wanted[SIDE * ROW * 8];
static int failed;

static void check(i64 size, i64 rows, i64 columns, i64 to_row, i64 from_row, i64 start, i64 j0, i64 j1) {
  memset(to, 0, sizeof to);
  memset(wanted, 0, sizeof wanted);
  for (i64 i = 0; i < rows; i++)
    for (i64 j = j0; j < j1; j++) memcpy(wanted + (start + i * to_row + j) * size, from + (BEFORE + j * from_row + i) * size, (size_t)size);
  void *a = to + start * size, *b = from + BEFORE * size;
  if (size == 1) raido_transpose_1(a, to_row, b, from_row, rows, columns, j0, j1);
  if (size == 2) raido_transpose_2(a, to_row, b, from_row, rows, columns, j0, j1);
  if (size == 4) raido_transpose_4(a, to_row, b, from_row, rows, columns, j0, j1);
  if (size == 8) raido_transpose_8(a, to_row, b, from_row, rows, columns, j0, j1);
  if (memcmp(to, wanted, sizeof to) == 0) return;
  printf("size %d, %d rows, %d columns, %d..%d, rows %d and %d apart, from %d: wrong\n", (int)size, (int)rows, (int)columns, (int)j0, (int)j1,
         (int)to_row, (int)from_row, (int)start);
  failed = 1;
}

int main(void) {
  static const i64 sides[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130};
  enum { N = sizeof sides / sizeof *sides };
  for (size_t k = 0; k < sizeof from; k++) from[k] = (unsigned char)(k * 167 + k / 251);
  for (i64 size = 1; size <= 8; size *= 2)
    for (int r = 0; r < N; r++)
      for (int c = 0; c < N; c++)
        for (i64 start = 0; start < 20; start += 9) {
          i64 rows = sides[r], columns = sides[c];
          check(size, rows, columns, 128 + columns / 128 * 64, rows + 1, start, 0, columns);
          check(size, rows, columns, columns, rows, start, 0, columns);
          check(size, rows, columns, ROW, ROW - 50, start, columns / 3, columns - columns / 5);
        }
  return failed;
}
