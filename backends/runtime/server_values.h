// server_values.h - the commands of a server that take values apart and make them: arrays, records, sums.

// ---- Commands: arrays ----

RAIDO_FN struct raido_object *raido_array_variable(struct raido_server *s, const char *name) {
  struct raido_object *o = raido_value_of(s, name);
  if (o != NULL && !raido_is_kind(raido_type_of(o), RAIDO_ARRAY)) return NULL;
  return o;
}
RAIDO_FN void raido_do_shape(struct raido_server *s) {
  struct raido_object *o = raido_array_variable(s, s->words[1]);
  for (int d = 0; o != NULL && d < raido_type_of(o)->rank; d++) printf("%" PRId64 "\n", raido_shape(o)[d]);
}

// The numbers from word `first` on, each at least 0 and less than its limit, if there is one.
RAIDO_FN int raido_numbers(struct raido_server *s, size_t first, int n, const i64 *limits, i64 *out, const char *wrong) {
  for (int d = 0; d < n; d++) {
    const char *word = s->words[first + (size_t)d];
    if (raido_number(word, &out[d]) && word[strspn(word, "0123456789")] == 0 && (limits == NULL || out[d] < limits[d])) continue;
    raido_failure(wrong, word, d + 1);
    return 0;
  }
  return 1;
}
RAIDO_FN int raido_index_count(struct raido_server *s, const struct raido_object *a, size_t given) {
  int rank = raido_type_of(a)->rank;
  (void)s;
  if (given == (size_t)rank) return 1;
  raido_failure("%d indices expected but %zu values provided.", rank, given);
  return 0;
}
#define RAIDO_WRONG_INDEX "Invalid index `%s` on dimension %d."
#define RAIDO_WRONG_SIZE "Invalid size `%s` of dimension %d."

RAIDO_FN void raido_do_index(struct raido_server *s) {
  i64 at[RAIDO_MAX_RANK];
  if (!raido_are_new(s, 1, 1, 1)) return;
  struct raido_object *a = raido_array_variable(s, s->words[2]);
  if (a == NULL || !raido_index_count(s, a, s->count - 3)) return;
  if (!raido_numbers(s, 3, raido_type_of(a)->rank, raido_shape(a), at, RAIDO_WRONG_INDEX)) return;
  union raido_result r;
  int failed = raido_index(s->c, &r, a, at);
  raido_define_result(s, s->words[1], raido_type_of(a)->elem, failed, &r);
}

RAIDO_FN void raido_do_set(struct raido_server *s) {
  i64 at[RAIDO_MAX_RANK];
  struct raido_object *a = raido_value_of(s, s->words[1]), *v = a == NULL ? NULL : raido_value_of(s, s->words[2]);
  if (v == NULL || raido_array_variable(s, s->words[1]) == NULL || !raido_index_count(s, a, s->count - 3)) return;
  int elem = raido_type_of(a)->elem;
  if (v->type != elem) { raido_failure("Type mismatch: expected element of type %s, got %s", raido_interface[elem].name, raido_type_of(v)->name); return; }
  if (!raido_numbers(s, 3, raido_type_of(a)->rank, raido_shape(a), at, RAIDO_WRONG_INDEX)) return;
  if (raido_set(s->c, a, raido_unboxed(v), at) != 0) raido_context_failure(s);
}

RAIDO_FN void raido_do_new_array(struct raido_server *s) {
  i64 extents[RAIDO_MAX_RANK], n = 1;
  if (!raido_are_new(s, 1, 1, 1)) return;
  int type = raido_find_type_of(s->words[2], RAIDO_ARRAY);
  if (type < 0) return;
  const struct raido_type_info *t = &raido_interface[type];
  size_t first = 3 + (size_t)t->rank;
  if (s->count < first) { raido_failure("Insufficient command args."); return; }
  if (!raido_numbers(s, 3, t->rank, NULL, extents, RAIDO_WRONG_SIZE)) return;
  for (int d = 0; d < t->rank; d++) n = raido_size(n, extents[d]);
  size_t given = s->count - first;
  if ((i64)given != n) { raido_failure("Expected %" PRId64 " values, but got %zu.", n, given); return; }
  const void **values = raido_operands(s, first, given, NULL, NULL, t->elem, "Value");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_array_of(s->c, &r, type, values, extents);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}

// ---- Commands: records and sums ----

RAIDO_FN void raido_make_record(struct raido_server *s, int type, const char *parts) {
  const struct raido_type_info *t = &raido_interface[type];
  size_t given = s->count - 3;
  if (given != (size_t)t->part_count) { raido_failure("%d %s expected but %zu values provided.", t->part_count, parts, given); return; }
  const void **values = raido_operands(s, 3, given, t->parts, NULL, 0, "Field");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_record(s->c, &r, type, values);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}
RAIDO_FN void raido_do_new(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type_of(s->words[2], RAIDO_RECORD) : -1;
  if (type >= 0) raido_make_record(s, type, "fields");
}
RAIDO_FN void raido_do_zip(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type_of(s->words[2], RAIDO_ARRAY) : -1;
  if (type < 0) return;
  if (raido_interface[raido_interface[type].elem].kind != RAIDO_RECORD) raido_failure("Cannot zip this array type");
  else raido_make_record(s, type, "arrays");
}
RAIDO_FN void raido_do_unzip(struct raido_server *s) {
  struct raido_object *a = raido_value_of(s, s->words[1]);
  if (a == NULL) return;
  const struct raido_type_info *t = raido_type_of(a);
  size_t given = s->count - 2;
  if (t->kind != RAIDO_ARRAY || raido_interface[t->elem].kind != RAIDO_RECORD) { raido_failure("Cannot unzip this array type"); return; }
  if (given != (size_t)t->part_count) { raido_failure("%d arrays expected but %zu values provided.", t->part_count, given); return; }
  if (!raido_are_new(s, 2, given, 1)) return;
  for (int k = 0; k < t->part_count; k++) {
    union raido_result r;
    int failed = raido_project(s->c, &r, a, k);
    if (failed) raido_context_failure(s);
    if (!failed) failed = raido_define(s, s->words[2 + k], r.object);
    if (!failed) continue;
    for (int j = 0; j < k; j++) raido_undefine(s, s->words[2 + j]);
    return;
  }
}
RAIDO_FN void raido_do_project(struct raido_server *s) {
  struct raido_object *o = raido_value_of(s, s->words[2]);
  if (o == NULL) return;
  const struct raido_type_info *t = raido_type_of(o);
  int k = 0;
  if (!raido_is_kind(t, RAIDO_RECORD)) return;
  while (k < t->part_count && strcmp(t->parts[k].name, s->words[3]) != 0) k++;
  if (k == t->part_count) { raido_failure("No such field"); return; }
  if (!raido_are_new(s, 1, 1, 1)) return;
  union raido_result r;
  int failed = raido_project(s->c, &r, o, k);
  raido_define_result(s, s->words[1], t->parts[k].type, failed, &r);
}

RAIDO_FN void raido_do_variant(struct raido_server *s) {
  struct raido_object *o = raido_value_of(s, s->words[1]);
  if (o == NULL) return;
  if (raido_is_kind(raido_type_of(o), RAIDO_SUM)) puts(raido_type_of(o)->variants[raido_variant_of(o)].name);
}
RAIDO_FN void raido_do_construct(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type(s->words[2]) : -1, k = 0;
  if (type < 0) return;
  const struct raido_type_info *t = &raido_interface[type];
  if (!raido_is_kind(t, RAIDO_SUM)) return;
  while (k < t->variant_count && strcmp(t->variants[k].name, s->words[3]) != 0) k++;
  if (k == t->variant_count) { raido_failure("No such variant"); return; }
  size_t given = s->count - 4;
  if (given != (size_t)t->variants[k].count) { raido_failure("%d values expected but %zu values provided.", t->variants[k].count, given); return; }
  const void **values = raido_operands(s, 4, given, NULL, t->variants[k].types, 0, "Value");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_construct(s->c, &r, type, k, values);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}
RAIDO_FN void raido_do_destruct(struct raido_server *s) {
  struct raido_object *o = raido_value_of(s, s->words[1]);
  if (o == NULL) return;
  if (!raido_is_kind(raido_type_of(o), RAIDO_SUM)) return;
  int variant = raido_variant_of(o), failed = 0;
  const struct raido_variant *v = &raido_type_of(o)->variants[variant];
  size_t given = s->count - 2;
  if (given != (size_t)v->count) { raido_failure("%d variables expected but %zu variables provided.  %s", v->count, given, v->name); return; }
  if (!raido_are_new(s, 2, given, 1)) return;
  union raido_result *r = calloc(given + 1, sizeof *r);
  void **outs = calloc(given + 1, sizeof *outs);
  failed = r == NULL || outs == NULL;
  for (size_t k = 0; k < given && !failed; k++) outs[k] = &r[k];
  if (!failed) failed = raido_destruct(s->c, outs, o, variant);
  if (failed) raido_context_failure(s);
  size_t done = 0;
  for (; done < given && !failed; done++) {
    struct raido_object *part = raido_boxed(s, v->types[done], &r[done]);
    if (part == NULL) raido_context_failure(s);
    failed = part == NULL || raido_define(s, s->words[2 + done], part) != 0;
  }
  if (failed && done > 0) {
    for (size_t k = done; k < given; k++) if (!raido_is_primitive(v->types[k])) raido_free(s->c, r[k].object);
    for (size_t k = 0; k + 1 < done; k++) raido_undefine(s, s->words[2 + k]);
  }
  free(r);
  free(outs);
}
