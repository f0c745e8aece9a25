// tiles.h - the size of the tiles of contractions, for the version of the program that follows (versions.h), and their vectors.
//
// A tile's sums fill the vector registers but for a few: 24 of 32, or 12 of 16 with fused operations. A vector of sums takes one
// operation for each number of its row. More columns than rows: numbers of columns are read by the vector, those of rows one by one.
#undef RAIDO_TILE_ROWS
#undef RAIDO_TILE_VECTORS
#if RAIDO_VECTOR_BYTES == 64 || defined(__aarch64__)
#define RAIDO_TILE_ROWS 8
#define RAIDO_TILE_VECTORS 3
#elif RAIDO_VECTOR_BYTES == 32
#define RAIDO_TILE_ROWS 6
#define RAIDO_TILE_VECTORS 2
#else
#define RAIDO_TILE_ROWS 2
#define RAIDO_TILE_VECTORS 4
#endif

// Vectors that stay in registers: gcc keeps an array of numbers in memory that a loop has vector code for. What is done with them is a
// loop over the elements of a copy, which no compiler leaves there. Where there are no vectors, a struct is as right.
#ifndef RAIDO_VECTORS
#ifdef __GNUC__
#define RAIDO_VECTORS(T, name, lanes, size) typedef T name##_vector __attribute__((vector_size((lanes) * sizeof(T)))); name##_vector name size
#else
#define RAIDO_VECTORS(T, name, lanes, size) typedef struct { T at[lanes]; } name##_vector; name##_vector name size
#endif
#define RAIDO_GET_VECTOR(vector, array) memcpy(array, &(vector), sizeof(vector))
#define RAIDO_SET_VECTOR(vector, array) memcpy(&(vector), array, sizeof(vector))
#endif
