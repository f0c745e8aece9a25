// all.c - what the functions of all.fut's library do: values in and out, sharing, errors. The script run.py compiles it for each
// backend. It writes a test of every type and entry point into round_trips.h.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "all.h"

static int mistakes;
#define CHECK(x) check((x) != 0, #x, __LINE__)
static int check(int holds, const char *what, int line) {
  if (!holds && mistakes++ < 20) fprintf(stderr, "all.c:%d: %s\n", line, what);
  return holds;
}

// The error of the last call, which is fetched and so cleared; it must begin so.
static void check_error(struct futhark_context *ctx, const char *wanted, int line) {
  char *text = futhark_context_get_error(ctx), *again = futhark_context_get_error(ctx);
  if (text == NULL || strncmp(text, wanted, strlen(wanted)) != 0) {
    mistakes++;
    fprintf(stderr, "all.c:%d: error: %s\n", line, text == NULL ? "(none)" : text);
  }
  check(again == NULL, "one error", line);
  free(text);
  free(again);
}
#define CHECK_ERROR(text) check_error(ctx, text, __LINE__)

#include "round_trips.h"

static struct futhark_i64_1d *numbers(struct futhark_context *ctx, int64_t n) {
  int64_t *xs = malloc((size_t)(n + 1) * sizeof *xs);
  for (int64_t i = 0; i < n; i++) xs[i] = i;
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, xs, n);
  free(xs);
  return a;
}
static int64_t element(struct futhark_context *ctx, struct futhark_i64_1d *a, int64_t i) {
  int64_t x = -1;
  CHECK(futhark_index_i64_1d(ctx, &x, a, i) == 0);
  return x;
}

static void arrays(struct futhark_context *ctx) {
  int16_t m[] = {1, 2, 3, 4, 5, 6}, t[6];
  struct futhark_i16_2d *a = futhark_new_i16_2d(ctx, m, 2, 3), *b;
  CHECK(futhark_entry_i16s(ctx, &b, a) == 0 && futhark_shape_i16_2d(ctx, b)[0] == 3 && futhark_shape_i16_2d(ctx, b)[1] == 2);
  CHECK(futhark_values_i16_2d(ctx, b, t) == 0 && futhark_context_sync(ctx) == 0 && t[0] == 1 && t[1] == 4 && t[5] == 6);
  int16_t x;
  CHECK(futhark_index_i16_2d(ctx, &x, b, 2, 1) == 0 && x == 6);
  CHECK(futhark_index_i16_2d(ctx, &x, b, 3, 0) == 1);
  CHECK_ERROR("Index out of bounds.");
  CHECK(futhark_index_i16_2d(ctx, &x, b, 0, -1) != 0);
  CHECK_ERROR("Index out of bounds.");
  futhark_free_i16_2d(ctx, a);
  futhark_free_i16_2d(ctx, b);
  CHECK(futhark_new_i16_2d(ctx, m, -1, 3) == NULL);
  CHECK_ERROR("An array cannot have a negative extent.");
  CHECK(futhark_new_i16_2d(ctx, m, INT64_MAX, 3) == NULL);
  CHECK_ERROR("Error: out of memory");
  CHECK(futhark_new_i16_2d(ctx, NULL, 2, 3) == NULL && futhark_new_raw_i16_2d(ctx, 0, 2, 3) == NULL);
  CHECK_ERROR("An array that is not empty needs data.");
  a = futhark_new_i16_2d(ctx, NULL, 0, 3);
  CHECK(a != NULL && futhark_entry_i16s(ctx, &b, a) == 0 && futhark_shape_i16_2d(ctx, b)[0] == 3);
  futhark_free_i16_2d(ctx, a);
  futhark_free_i16_2d(ctx, b);
}

static void scalars(struct futhark_context *ctx) {
  struct futhark_opaque_tup6_i8_u16_f16_f32_f64_bool *r;
  CHECK(futhark_entry_scalars(ctx, &r, 127, 65535, 0x3c00, 1.5f, 2.5, false) == 0);
  int8_t a; uint16_t b, c; float d; double e; bool f;
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_0(ctx, &a, r) == 0 && a == -128);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_1(ctx, &b, r) == 0 && b == 0);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_2(ctx, &c, r) == 0 && c == 0x4000);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_3(ctx, &d, r) == 0 && d == 3.0f);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_4(ctx, &e, r) == 0 && e == 5.0);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_5(ctx, &f, r) == 0 && f);
  futhark_free_opaque_tup6_i8_u16_f16_f32_f64_bool(ctx, r);
  CHECK(futhark_new_opaque_tup6_i8_u16_f16_f32_f64_bool(ctx, &r, 1, 2, 3, 4, 5, true) == 0);
  CHECK(futhark_project_opaque_tup6_i8_u16_f16_f32_f64_bool_4(ctx, &e, r) == 0 && e == 5.0);
  futhark_free_opaque_tup6_i8_u16_f16_f32_f64_bool(ctx, r);
  CHECK(futhark_entry_half(ctx, &c, 0x4000) == 0 && c == 0x3c00);
  int32_t answer = 0;
  CHECK(futhark_entry_answer(ctx, &answer) == 0 && answer == 42);
  struct futhark_opaque_unit *u;
  CHECK(futhark_entry_unit(ctx, &u, 1) == 0);
  void *bytes = NULL;
  size_t n;
  CHECK(futhark_store_opaque_unit(ctx, u, &bytes, &n) == 0 && n == 8 && memcmp(bytes, "b\2\0bool", 8) == 0);
  free(bytes);
  futhark_free_opaque_unit(ctx, u);
  CHECK(futhark_new_opaque_unit(ctx, &u) == 0);
  futhark_free_opaque_unit(ctx, u);
}

static void sharing(struct futhark_context *ctx) {
  struct futhark_i64_1d *a = numbers(ctx, 5), *b, *c, *d;
  CHECK(futhark_entry_same(ctx, &b, a) == 0);
  futhark_free_i64_1d(ctx, a);
  CHECK(element(ctx, b, 4) == 4);
  struct futhark_opaque_tup2_arr1d_i64_arr1d_i64 *two, *again;
  CHECK(futhark_entry_both(ctx, &two, b) == 0);
  CHECK(futhark_project_opaque_tup2_arr1d_i64_arr1d_i64_0(ctx, &c, two) == 0 && futhark_project_opaque_tup2_arr1d_i64_arr1d_i64_1(ctx, &d, two) == 0);
  CHECK(futhark_new_opaque_tup2_arr1d_i64_arr1d_i64(ctx, &again, c, d) == 0);
  futhark_free_opaque_tup2_arr1d_i64_arr1d_i64(ctx, two);
  futhark_free_i64_1d(ctx, b);
  CHECK(element(ctx, c, 3) == 3 && element(ctx, d, 2) == 2);
  futhark_free_i64_1d(ctx, c);
  futhark_free_opaque_tup2_arr1d_i64_arr1d_i64(ctx, again);
  CHECK(element(ctx, d, 1) == 1);
  a = numbers(ctx, 5);                                  // what is consumed is another argument, too
  CHECK(futhark_entry_add_reversed(ctx, &b, a, a) == 0);
  for (int64_t k = 0; k < 5; k++) CHECK(element(ctx, b, k) == 4);
  futhark_free_i64_1d(ctx, a);
  futhark_free_i64_1d(ctx, b);
  CHECK(futhark_entry_update(ctx, &a, d) == 0 && element(ctx, a, 0) == 100);
  futhark_free_i64_1d(ctx, d);
  CHECK(element(ctx, a, 1) == 1);
  futhark_free_i64_1d(ctx, a);
  CHECK(futhark_free_i64_1d(ctx, NULL) == 0);
}

// A result may be overwritten without harm to the program and to other results. What a call consumes is overwritten where it lies.
static void apart(struct futhark_context *ctx) {
  for (int k = 0; k < 4; k++)
    for (int again = 0; again < 2; again++) {
      struct futhark_i64_1d *a = NULL, *b = NULL;
      int64_t x;
      CHECK(k == 0 ? futhark_entry_top_level(ctx, &a) == 0 : k == 1 ? futhark_entry_copied(ctx, &a, 0) == 0 :
            k == 2 ? futhark_entry_branched(ctx, &a, true) == 0 : futhark_entry_literal(ctx, &a, 0) == 0);
      CHECK(element(ctx, a, 0) == 0);
      CHECK(futhark_entry_update(ctx, &b, a) == 0 && element(ctx, b, 0) == 100);
      CHECK(futhark_values_raw_i64_1d(ctx, a) == futhark_values_raw_i64_1d(ctx, b));
      CHECK(futhark_entry_squares_and(ctx, &x, 7) == 0 && x == 37);
      futhark_free_i64_1d(ctx, a);
      futhark_free_i64_1d(ctx, b);
    }
  int32_t cells[12] = {0};
  struct futhark_i32_3d *cube = futhark_new_i32_3d(ctx, cells, 2, 3, 2), *changed;
  CHECK(futhark_entry_update_cube(ctx, &changed, cube) == 0 && futhark_index_i32_3d(ctx, cells, changed, 1, 0, 1) == 0 && cells[0] == 100);
  CHECK(futhark_values_raw_i32_3d(ctx, cube) == futhark_values_raw_i32_3d(ctx, changed));
  futhark_free_i32_3d(ctx, cube);
  futhark_free_i32_3d(ctx, changed);
  struct futhark_opaque_tup2_arr1d_i64_arr1d_i64 *twins;
  struct futhark_i64_1d *one, *other, *b;
  CHECK(futhark_entry_twins(ctx, &twins, 5) == 0 && futhark_project_opaque_tup2_arr1d_i64_arr1d_i64_0(ctx, &one, twins) == 0 &&
        futhark_project_opaque_tup2_arr1d_i64_arr1d_i64_1(ctx, &other, twins) == 0);
  CHECK(futhark_entry_update(ctx, &b, one) == 0 && element(ctx, b, 0) == 100 && element(ctx, other, 0) == 5);
  futhark_free_opaque_tup2_arr1d_i64_arr1d_i64(ctx, twins);
  futhark_free_i64_1d(ctx, one);
  futhark_free_i64_1d(ctx, other);
  futhark_free_i64_1d(ctx, b);
}

// Who has no memory, and does not look, passes NULL on.
#define NO_VALUE "A value is NULL."
static void nothing(struct futhark_context *ctx) {
  struct futhark_i64_1d *a = numbers(ctx, 2), *b = NULL;
  struct futhark_opaque_point *p;
  struct futhark_opaque_arr1d_point *ps;
  int64_t x, xs[2];
  int32_t i;
  double area;
  void *bytes = NULL;
  size_t n = 1;
  CHECK(futhark_entry_at(ctx, &x, NULL, 0) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_entry_area(ctx, &area, NULL) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_values_i64_1d(ctx, NULL, xs) == 1 && futhark_index_i64_1d(ctx, &x, NULL, 0) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_shape_i64_1d(ctx, NULL) == NULL && !futhark_values_raw_i64_1d(ctx, NULL));
  CHECK(futhark_project_opaque_point_x(ctx, &i, NULL) == 1 && futhark_store_opaque_point(ctx, NULL, &bytes, &n) == 1 && bytes == NULL && n == 0);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_new_opaque_tup2_arr1d_i64_arr1d_i64(ctx, &(struct futhark_opaque_tup2_arr1d_i64_arr1d_i64 *){NULL}, a, b) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &ps, NULL, NULL) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_new_opaque_arr1d_point(ctx, &ps, (struct futhark_opaque_point *[]){NULL}, 1) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_entry_points(ctx, &ps, 2) == 0 && futhark_set_opaque_arr1d_point(ctx, ps, NULL, 0) == 1 && futhark_index_opaque_arr1d_point(ctx, &p, NULL, 0) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_restore_opaque_point(ctx, NULL) == NULL && futhark_variant_opaque_shape(ctx, NULL) == -1 && futhark_destruct_opaque_shape_circle(ctx, &area, NULL) == 1);
  CHECK_ERROR(NO_VALUE);
  CHECK(futhark_context_new(NULL) == NULL);
  futhark_context_config_free(NULL);
  futhark_free_i64_1d(ctx, a);
  futhark_free_opaque_arr1d_point(ctx, ps);
}

#if defined(FUTHARK_BACKEND_c) || defined(FUTHARK_BACKEND_multicore)
static void borrowed(struct futhark_context *ctx) {
  int64_t xs[] = {1, 2, 3}, y;
  struct futhark_i64_1d *a = futhark_new_raw_i64_1d(ctx, (unsigned char *)xs, 3), *b;
  CHECK(futhark_values_raw_i64_1d(ctx, a) == (unsigned char *)xs);
  xs[1] = 20;
  CHECK(element(ctx, a, 1) == 20);
  CHECK(futhark_entry_at(ctx, &y, a, 1) == 0 && y == 20);
  CHECK(futhark_entry_same(ctx, &b, a) == 0);
  futhark_free_i64_1d(ctx, a);
  xs[0] = 10;
  CHECK(element(ctx, b, 0) == 1 && xs[2] == 3);
  CHECK(futhark_values_raw_i64_1d(ctx, b) != NULL);
  futhark_free_i64_1d(ctx, b);
  a = futhark_new_raw_i64_1d(ctx, (unsigned char *)xs, 3);
  CHECK(futhark_entry_update(ctx, &b, a) == 0 && element(ctx, b, 0) == 100);
  futhark_free_i64_1d(ctx, a);
  xs[1] = 5;
  CHECK(element(ctx, b, 1) == 20);
  futhark_free_i64_1d(ctx, b);
}
#else
static void borrowed(struct futhark_context *ctx) {
  struct futhark_i64_1d *a = numbers(ctx, 3), *b = futhark_new_raw_i64_1d(ctx, futhark_values_raw_i64_1d(ctx, a), 3), *c;
  CHECK(element(ctx, b, 2) == 2);
  CHECK(futhark_entry_i64s(ctx, &c, b) == 0 && element(ctx, c, 0) == 2);
  futhark_free_i64_1d(ctx, b);
  CHECK(element(ctx, a, 1) == 1);
  futhark_free_i64_1d(ctx, c);
  b = futhark_new_raw_i64_1d(ctx, futhark_values_raw_i64_1d(ctx, a), 3);
  CHECK(futhark_entry_update(ctx, &c, b) == 0 && element(ctx, a, 0) == 0);
  futhark_free_i64_1d(ctx, b);
  futhark_free_i64_1d(ctx, a);
  CHECK(element(ctx, c, 0) == 100 && element(ctx, c, 2) == 2);
  futhark_free_i64_1d(ctx, c);
}
#endif

static void records(struct futhark_context *ctx) {
  struct futhark_opaque_point *p, *q, *r;
  int32_t x;
  float w;
  CHECK(futhark_entry_make(ctx, &p, 7, 1.5f) == 0);
  CHECK(futhark_project_opaque_point_x(ctx, &x, p) == 0 && x == 7 && futhark_project_opaque_point_w(ctx, &w, p) == 0 && w == 1.5f);
  CHECK(futhark_new_opaque_point(ctx, &q, 2.5f, 9) == 0);
  struct futhark_opaque_point *both[] = {p, q};
  struct futhark_opaque_arr1d_point *ps, *qs;
  CHECK(futhark_new_opaque_arr1d_point(ctx, &ps, both, 2) == 0 && futhark_shape_opaque_arr1d_point(ctx, ps)[0] == 2);
  CHECK(futhark_entry_total(ctx, &x, ps) == 0 && x == 16);
  CHECK(futhark_set_opaque_arr1d_point(ctx, ps, q, 0) == 0 && futhark_entry_total(ctx, &x, ps) == 0 && x == 18);
  CHECK(futhark_set_opaque_arr1d_point(ctx, ps, q, 2) != 0);
  CHECK_ERROR("Index out of bounds.");
  CHECK(futhark_index_opaque_arr1d_point(ctx, &r, ps, 1) == 0 && futhark_project_opaque_point_w(ctx, &w, r) == 0 && w == 2.5f);
  CHECK(futhark_index_opaque_arr1d_point(ctx, &r, ps, -1) != 0);
  CHECK_ERROR("Index out of bounds.");
  struct futhark_f32_1d *ws;
  struct futhark_i32_1d *xs, *short_one;
  CHECK(futhark_project_opaque_arr1d_point_w(ctx, &ws, ps) == 0 && futhark_project_opaque_arr1d_point_x(ctx, &xs, ps) == 0);
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &qs, ws, xs) == 0 && futhark_entry_total(ctx, &x, qs) == 0 && x == 18);
  short_one = futhark_new_i32_1d(ctx, &x, 1);
  struct futhark_opaque_arr1d_point *none = NULL;
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &none, ws, short_one) != 0 && none == NULL);
  CHECK_ERROR("Cannot zip arrays with different shapes.");
  void *bytes = NULL;
  size_t n, m;
  CHECK(futhark_store_opaque_arr1d_point(ctx, ps, NULL, &n) == 0 && n == 46);
  CHECK(futhark_store_opaque_arr1d_point(ctx, ps, &bytes, &m) == 0 && m == n);
  futhark_free_opaque_arr1d_point(ctx, qs);
  qs = futhark_restore_opaque_arr1d_point(ctx, bytes);
  CHECK(qs != NULL && futhark_entry_total(ctx, &x, qs) == 0 && x == 18);
  ((char *)bytes)[2] = 7;
  CHECK(futhark_restore_opaque_arr1d_point(ctx, bytes) == NULL && futhark_context_get_error(ctx) == NULL);
  free(bytes);
  struct futhark_opaque_arr2d_point *grid;
  CHECK(futhark_entry_grid(ctx, &grid, 2, 3) == 0 && futhark_shape_opaque_arr2d_point(ctx, grid)[1] == 3);
  struct futhark_opaque_point *corner;
  CHECK(futhark_index_opaque_arr2d_point(ctx, &corner, grid, 1, 2) == 0 && futhark_project_opaque_point_x(ctx, &x, corner) == 0 && x == 5);
  CHECK(futhark_set_opaque_arr2d_point(ctx, grid, q, 0, 0) == 0 && futhark_entry_weights(ctx, &w, grid) == 0 && w == 2.5f);
  float xs32[] = {1, 2, 3};
  struct futhark_f32_1d *row = futhark_new_f32_1d(ctx, xs32, 3);
  struct futhark_opaque_tup2_i32_arr1d_f32 *inner;
  struct futhark_opaque_tup2_point_tup2_i32_arr1d_f32 *outer;
  CHECK(futhark_new_opaque_tup2_i32_arr1d_f32(ctx, &inner, 5, row) == 0);
  CHECK(futhark_new_opaque_tup2_point_tup2_i32_arr1d_f32(ctx, &outer, p, inner) == 0);
  futhark_free_opaque_tup2_i32_arr1d_f32(ctx, inner);
  CHECK(futhark_project_opaque_tup2_point_tup2_i32_arr1d_f32_1(ctx, &inner, outer) == 0);
  futhark_free_f32_1d(ctx, row);
  CHECK(futhark_project_opaque_tup2_i32_arr1d_f32_1(ctx, &row, inner) == 0 && futhark_shape_f32_1d(ctx, row)[0] == 3);
  futhark_free_f32_1d(ctx, row);
  futhark_free_opaque_tup2_i32_arr1d_f32(ctx, inner);
  futhark_free_opaque_tup2_point_tup2_i32_arr1d_f32(ctx, outer);
  futhark_free_opaque_point(ctx, corner);
  futhark_free_opaque_arr2d_point(ctx, grid);
  futhark_free_f32_1d(ctx, ws);
  futhark_free_i32_1d(ctx, xs);
  futhark_free_i32_1d(ctx, short_one);
  futhark_free_opaque_arr1d_point(ctx, ps);
  futhark_free_opaque_arr1d_point(ctx, qs);
  futhark_free_opaque_point(ctx, p);
  futhark_free_opaque_point(ctx, q);
  futhark_free_opaque_point(ctx, r);
}

// Elements that are arrays themselves have one shape.
static void inner_shapes(struct futhark_context *ctx) {
  double xs[] = {1, 2, 3, 4};
  struct futhark_f64_1d *three = futhark_new_f64_1d(ctx, xs, 3), *four = futhark_new_f64_1d(ctx, xs, 4), *first;
  struct futhark_opaque_tup2_vector_vector *good, *bad, *got;
  struct futhark_opaque_arr1d_tup2_vector_vector *vs = NULL;
  CHECK(futhark_new_opaque_tup2_vector_vector(ctx, &good, three, three) == 0 && futhark_new_opaque_tup2_vector_vector(ctx, &bad, four, three) == 0);
  struct futhark_opaque_tup2_vector_vector *elems[] = {good, bad};
  CHECK(futhark_new_opaque_arr1d_tup2_vector_vector(ctx, &vs, elems, 2) != 0 && vs == NULL);
  CHECK_ERROR("Cannot make an array of elements with different shapes.");
  CHECK(futhark_entry_vectors(ctx, &vs, three, three) == 0);
  CHECK(futhark_set_opaque_arr1d_tup2_vector_vector(ctx, vs, bad, 0) != 0);
  CHECK_ERROR("The element has another shape");
  CHECK(futhark_index_opaque_arr1d_tup2_vector_vector(ctx, &got, vs, 1) == 0);
  CHECK(futhark_project_opaque_tup2_vector_vector_0(ctx, &first, got) == 0 && futhark_shape_f64_1d(ctx, first)[0] == 3);
  struct futhark_opaque_arr1d_tup2_vector_vector *none;
  CHECK(futhark_entry_vectors(ctx, &none, four, three) == 1);
  CHECK_ERROR("Error: entry point arguments have invalid sizes.\n");
  futhark_free_f64_1d(ctx, first);
  futhark_free_opaque_tup2_vector_vector(ctx, got);
  futhark_free_opaque_arr1d_tup2_vector_vector(ctx, vs);
  futhark_free_opaque_tup2_vector_vector(ctx, good);
  futhark_free_opaque_tup2_vector_vector(ctx, bad);
  futhark_free_f64_1d(ctx, three);
  futhark_free_f64_1d(ctx, four);
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_shape *s;
  double r;
  int32_t i;
  CHECK(futhark_new_opaque_shape_circle(ctx, &s, 2) == 0 && futhark_variant_opaque_shape(ctx, s) == 0);
  CHECK(futhark_entry_area(ctx, &r, s) == 0 && r == 12);
  CHECK(futhark_destruct_opaque_shape_circle(ctx, &r, s) == 0 && r == 2);
  CHECK(futhark_destruct_opaque_shape_empty(ctx, s) != 0);
  CHECK_ERROR("The value is not of the variant empty.");
  futhark_free_opaque_shape(ctx, s);
  CHECK(futhark_new_opaque_shape_empty(ctx, &s) == 0 && futhark_variant_opaque_shape(ctx, s) == 1);
  CHECK(futhark_destruct_opaque_shape_empty(ctx, s) == 0 && futhark_entry_area(ctx, &r, s) == 0 && r == 0);
  futhark_free_opaque_shape(ctx, s);
  uint8_t text[] = {'a', 'b', 'c'};
  struct futhark_u8_1d *name = futhark_new_u8_1d(ctx, text, 3), *got;
  CHECK(futhark_new_opaque_shape_named(ctx, &s, 4, name) == 0 && futhark_variant_opaque_shape(ctx, s) == 2);
  futhark_free_u8_1d(ctx, name);
  CHECK(futhark_entry_area(ctx, &r, s) == 0 && r == 7);
  CHECK(futhark_destruct_opaque_shape_named(ctx, &i, &got, s) == 0 && i == 4 && futhark_shape_u8_1d(ctx, got)[0] == 3);
  futhark_free_u8_1d(ctx, got);
  void *bytes = NULL;
  size_t n;
  CHECK(futhark_store_opaque_shape(ctx, s, &bytes, &n) == 0);
  futhark_free_opaque_shape(ctx, s);
  s = futhark_restore_opaque_shape(ctx, bytes);
  CHECK(s != NULL && futhark_entry_area(ctx, &r, s) == 0 && r == 7);
  ((char *)bytes)[7] = 9;
  CHECK(futhark_restore_opaque_shape(ctx, bytes) == NULL);
  free(bytes);
  futhark_free_opaque_shape(ctx, s);
  double coordinates[] = {1, 2};
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, coordinates, 2);
  struct futhark_opaque_arr1d_tup2_f64_f64 *corners, *same;
  CHECK(futhark_zip_opaque_arr1d_tup2_f64_f64(ctx, &corners, xs, xs) == 0);
  CHECK(futhark_new_opaque_shape_polygon(ctx, &s, corners) == 0 && futhark_entry_area(ctx, &r, s) == 0 && r == 2);
  CHECK(futhark_destruct_opaque_shape_polygon(ctx, &same, s) == 0 && futhark_shape_opaque_arr1d_tup2_f64_f64(ctx, same)[0] == 2);
  futhark_free_opaque_arr1d_tup2_f64_f64(ctx, same);
  futhark_free_opaque_arr1d_tup2_f64_f64(ctx, corners);
  futhark_free_f64_1d(ctx, xs);
  bytes = NULL;
  CHECK(futhark_store_opaque_shape(ctx, s, &bytes, &n) == 0);
  futhark_free_opaque_shape(ctx, s);
  s = futhark_restore_opaque_shape(ctx, bytes);
  CHECK(s != NULL && futhark_entry_area(ctx, &r, s) == 0 && r == 2);
  futhark_free_opaque_shape(ctx, s);
  ((char *)bytes)[n - 3 * 8] = 1;                               // the last leaf: the second coordinates, which are two
  CHECK(futhark_restore_opaque_shape(ctx, bytes) == NULL);
  free(bytes);
  struct futhark_opaque_arr1d_mark *marks;
  struct futhark_opaque_mark *mark;
  CHECK(futhark_entry_shapes(ctx, &marks, 4) == 0 && futhark_shape_opaque_arr1d_mark(ctx, marks)[0] == 4);
  CHECK(futhark_index_opaque_arr1d_mark(ctx, &mark, marks, 2) == 0 && futhark_variant_opaque_mark(ctx, mark) == 0);
  CHECK(futhark_destruct_opaque_mark_circle(ctx, &r, mark) == 0 && r == 2);
  CHECK(futhark_set_opaque_arr1d_mark(ctx, marks, mark, 1) == 0);
  struct futhark_opaque_mark *twice[] = {mark, mark};
  struct futhark_opaque_arr1d_mark *pair;
  CHECK(futhark_new_opaque_arr1d_mark(ctx, &pair, twice, 2) == 0);
  futhark_free_opaque_arr1d_mark(ctx, pair);
  futhark_free_opaque_mark(ctx, mark);
  futhark_free_opaque_arr1d_mark(ctx, marks);
}

static void failures(struct futhark_context *ctx) {
  struct futhark_i64_1d *a = numbers(ctx, 4), *b = NULL;
  int64_t x = 5;
  for (int round = 0; round < 3; round++) {
    CHECK(futhark_entry_at(ctx, &x, a, 4) == FUTHARK_PROGRAM_ERROR && x == 5);
    CHECK(futhark_context_clear_caches(ctx) != 0);
    CHECK(futhark_entry_at(ctx, &x, a, 3) == 0 && x == 3 && futhark_context_sync(ctx) == 0);   // the error is still there
    char *text = futhark_context_get_error(ctx);
    CHECK(text != NULL && strstr(text, "Index [4] out of bounds for array of shape [4].\n\nBacktrace:\n-> #0  ") != NULL && text[strlen(text) - 1] == '\n');
    free(text);
    CHECK(futhark_context_get_error(ctx) == NULL && futhark_context_clear_caches(ctx) == 0);
    CHECK(futhark_entry_late(ctx, &b, 1000, 900) == FUTHARK_PROGRAM_ERROR && b == NULL);
    free(futhark_context_get_error(ctx));
    CHECK(futhark_entry_late(ctx, &b, 100, -1) == 0 && element(ctx, b, 99) == 4950);
    futhark_free_i64_1d(ctx, b);
    b = NULL;
    CHECK(futhark_entry_big(ctx, &x, INT64_C(1) << 58) == FUTHARK_OUT_OF_MEMORY);
    char *memory = futhark_context_get_error(ctx);
    CHECK(memory != NULL);
    free(memory);
    CHECK(futhark_entry_big(ctx, &x, 10) == 0 && x == 45);
    x = 5;
  }
  double xs[] = {1, 2};
  struct futhark_f64_1d *u = futhark_new_f64_1d(ctx, xs, 2), *v = futhark_new_f64_1d(ctx, xs, 1);
  double d;
  CHECK(futhark_entry_dot(ctx, &d, u, v) == 1);
  CHECK_ERROR("Error: entry point arguments have invalid sizes.\n");
  CHECK(futhark_entry_dot(ctx, &d, u, u) == 0 && d == 5);
  futhark_free_f64_1d(ctx, u);
  futhark_free_f64_1d(ctx, v);
  futhark_free_i64_1d(ctx, a);
}

static struct futhark_context_config *config(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_debugging(cfg, 0);
  futhark_context_config_set_profiling(cfg, 0);
  futhark_context_config_set_logging(cfg, 0);
  futhark_context_config_set_cache_file(cfg, NULL);
#ifdef FUTHARK_BACKEND_multicore
  futhark_context_config_set_num_threads(cfg, 3);
#endif
  return cfg;
}

static void settings(struct futhark_context_config *cfg, struct futhark_context *ctx) {
  int64_t x;
  CHECK(futhark_context_new(cfg) == NULL);                      // it is in use
  char *none = futhark_context_get_error(NULL);
  CHECK(none != NULL && strncmp(none, "There is no context", 19) == 0);
  free(none);
  futhark_context_free(NULL);
  CHECK(futhark_entry_scaled(ctx, &x, 2) == 0 && x == 32);
  CHECK(futhark_context_config_set_tuning_param(cfg, "factor", 9) == 0 && futhark_entry_scaled(ctx, &x, 2) == 0 && x == 18);
  CHECK(futhark_context_config_set_size(cfg, "factor", 0) == 0 && futhark_entry_scaled(ctx, &x, 2) == 0 && x == 0);
  CHECK(futhark_context_config_set_tuning_param(cfg, "nosuch", 1) != 0);
  int known = 0;
  for (int k = 0; k < futhark_get_tuning_param_count(); k++)
    known |= strcmp(futhark_get_tuning_param_name(k), "factor") == 0 && strcmp(futhark_get_tuning_param_class(k), "custom") == 0;
  CHECK(known);
  FILE *log = tmpfile();
  char text[64] = "";
  bool yes;
  futhark_context_set_logging_file(ctx, log);
  CHECK(futhark_entry_loud(ctx, &yes, 7) == 0 && yes);
  rewind(log);
  CHECK(fgets(text, sizeof text, log) != NULL && strcmp(text, "heard: 7\n") == 0);
  fclose(log);
  futhark_context_set_logging_file(ctx, stderr);
  futhark_context_pause_profiling(ctx);
  futhark_context_unpause_profiling(ctx);
  char *report = futhark_context_report(ctx);
  CHECK(report != NULL && strncmp(report, "{\"memory\":{", 11) == 0 && strstr(report, "\"events\":[") != NULL);
  free(report);
}

static void everything(struct futhark_context *ctx) {
  round_trips(ctx);
  arrays(ctx);
  scalars(ctx);
  sharing(ctx);
  apart(ctx);
  nothing(ctx);
  borrowed(ctx);
  records(ctx);
  inner_shapes(ctx);
  sums(ctx);
  failures(ctx);
}

// A context with a configuration works; both are gone afterwards.
static void works(struct futhark_context_config *cfg) {
  struct futhark_context *ctx = futhark_context_new(cfg);
  char *error = futhark_context_get_error(ctx);
  int64_t x = 0;
  if (!CHECK(ctx != NULL && error == NULL)) fprintf(stderr, "%s\n", error);
  CHECK(futhark_entry_big(ctx, &x, 1000) == 0 && x == 499500);
  free(error);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

// What only some backends have.
static void of_backends(void) {
#if defined(FUTHARK_BACKEND_c) || defined(FUTHARK_BACKEND_multicore)
  struct futhark_context_config *cfg = config();
  futhark_context_config_set_cpu(cfg, "nosuch");
  struct futhark_context *ctx = futhark_context_new(cfg);
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL && strstr(error, "nosuch") != NULL);
  free(error);
  futhark_context_free(ctx);
  futhark_context_config_set_cpu(cfg, NULL);
  works(cfg);
#else
  struct futhark_context_config *cfg = config();
  futhark_context_config_set_device(cfg, "no such device");
  struct futhark_context *ctx = futhark_context_new(cfg);
  char *error = futhark_context_get_error(ctx);
#ifndef RAIDO_EMULATED_TEST
  CHECK(error != NULL);
#endif
  free(error);
  futhark_context_free(ctx);
  futhark_context_config_set_device(cfg, "#0");
  futhark_context_config_set_unified_memory(cfg, 2);
  futhark_context_config_set_default_thread_block_size(cfg, 64);
  futhark_context_config_set_default_group_size(cfg, 128);
  futhark_context_config_set_default_grid_size(cfg, 16);
  futhark_context_config_set_default_num_groups(cfg, 16);
  futhark_context_config_set_default_tile_size(cfg, 16);
  futhark_context_config_set_default_reg_tile_size(cfg, 2);
  futhark_context_config_set_default_registers(cfg, 1024);
  futhark_context_config_set_default_cache(cfg, 1024);
  futhark_context_config_set_default_threshold(cfg, 1000);
  const char *text = futhark_context_config_get_program(cfg);
  CHECK(text != NULL);
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  futhark_context_config_set_program(cfg, copy);
  CHECK(strcmp(futhark_context_config_get_program(cfg), copy) == 0);
  free(copy);
  works(cfg);
#endif
#if defined(FUTHARK_BACKEND_cuda)
  cfg = config();
  futhark_context_config_add_nvrtc_option(cfg, "-lineinfo");
  futhark_context_config_dump_ptx_to(cfg, NULL);
  futhark_context_config_load_ptx_from(cfg, NULL);
  works(cfg);
#endif
#if defined(FUTHARK_BACKEND_opencl) && !defined(RAIDO_EMULATED_TEST)
  cfg = config();
  futhark_context_config_set_platform(cfg, "");
  futhark_context_config_add_build_option(cfg, "-cl-opt-disable");
  futhark_context_config_list_devices(cfg);
  CHECK(freopen("/dev/null", "r", stdin) != NULL);
  futhark_context_config_select_device_interactively(cfg);      // nobody answers
  futhark_context_config_dump_binary_to(cfg, "kernels");
  ctx = futhark_context_new(cfg);
  error = futhark_context_get_error(ctx);
  CHECK(error == NULL);
  free(error);
  struct futhark_context_config *other = config();
  futhark_context_config_set_command_queue(other, futhark_context_get_command_queue(ctx));
  futhark_context_config_load_binary_from(other, "kernels");
  works(other);
  int64_t x;
  CHECK(futhark_entry_big(ctx, &x, 10) == 0 && x == 45);        // its queue is still its own
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
#endif
}

struct shared { struct futhark_context_config *cfg; struct futhark_context *ctx; FILE *log; };
static void *work(void *argument) {
  struct shared *s = argument;
  struct futhark_context *ctx = s->ctx;
  for (int round = 0; round < 3; round++) {
    struct futhark_i64_1d *a = numbers(ctx, 1000), *b;
    CHECK(futhark_entry_i64s(ctx, &b, a) == 0 && element(ctx, b, 0) == 999);
    futhark_free_i64_1d(ctx, a);
    futhark_free_i64_1d(ctx, b);
    struct futhark_opaque_arr1d_point *ps;
    int32_t x;
    CHECK(futhark_entry_points(ctx, &ps, 100) == 0 && futhark_entry_total(ctx, &x, ps) == 0 && x == 4950);
    futhark_free_opaque_arr1d_point(ctx, ps);
  }
  for (int round = 0; round < 300; round++) {
    bool yes;
    int64_t y;
    futhark_context_set_logging_file(ctx, s->log);
    CHECK(futhark_entry_loud(ctx, &yes, 7) == 0 && yes);
    CHECK(futhark_context_config_set_tuning_param(s->cfg, "factor", 5) == 0 && futhark_entry_scaled(ctx, &y, 2) == 0 && y == 10);
  }
  return NULL;
}

// Threads with less stack than others have.
static void *descend(void *argument) {
  struct futhark_context *ctx = argument;
  int64_t x;
  CHECK(futhark_entry_counted(ctx, &x, 100) == 0 && x == 100);
  CHECK(futhark_entry_counted(ctx, &x, 1000000000) == FUTHARK_PROGRAM_ERROR);
  CHECK_ERROR("Error: Stack overflow.");
  return NULL;
}
static void stacks(struct futhark_context *ctx) {
  for (size_t size = 128 << 10; size <= 512 << 10; size *= 2) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, size) == 0 && pthread_create(&thread, &attributes, descend, ctx) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
  }
}

int main(void) {
  struct futhark_context_config *cfg[2] = {config(), config()};
  struct futhark_context *ctx[2];
  for (int k = 0; k < 2; k++) {
    ctx[k] = futhark_context_new(cfg[k]);
    char *error = futhark_context_get_error(ctx[k]);
    if (!CHECK(ctx[k] != NULL && error == NULL)) fprintf(stderr, "%s\n", error);
  }
  everything(ctx[0]);
  everything(ctx[1]);
  settings(cfg[0], ctx[0]);
  of_backends();
  stacks(ctx[0]);
  FILE *log = tmpfile();
  struct shared shared[2] = {{cfg[0], ctx[0], log}, {cfg[1], ctx[1], log}};
  pthread_t threads[8];
  for (int k = 0; k < 8; k++) CHECK(pthread_create(&threads[k], NULL, work, &shared[k % 2]) == 0);
  for (int k = 0; k < 8; k++) pthread_join(threads[k], NULL);
  fclose(log);
  for (int k = 0; k < 2; k++) {
    CHECK(futhark_context_sync(ctx[k]) == 0 && futhark_context_clear_caches(ctx[k]) == 0);
    futhark_context_free(ctx[k]);
  }
  ctx[0] = futhark_context_new(cfg[0]);                         // a configuration can be used again
  struct futhark_context_config *limited = config();
  futhark_context_config_set_mem_limit(limited, 1 << 20);
  ctx[1] = futhark_context_new(limited);
  int64_t x;
  CHECK(futhark_entry_big(ctx[1], &x, 1 << 20) == FUTHARK_OUT_OF_MEMORY && futhark_entry_big(ctx[0], &x, 1 << 20) == 0);
  free(futhark_context_get_error(ctx[1]));
  CHECK(futhark_entry_big(ctx[1], &x, 1 << 10) == 0);
  futhark_context_free(ctx[0]);
  futhark_context_free(ctx[1]);
  futhark_context_config_free(limited);
  futhark_context_config_free(cfg[0]);
  futhark_context_config_free(cfg[1]);
  if (mistakes == 0) puts("library: ok");
  return mistakes != 0;
}
