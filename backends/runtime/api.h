// api.h - what the outside may do with objects, for all types: make them, look into them, take them apart, put them together, store
// them. The functions of a library and the commands of a server are one call each.
//
// A value is passed as a pointer: to the number, if its type is a scalar, otherwise the object. Where a value goes, the place of the
// number or of the pointer to the object is passed. All functions but those that only look at an object take the context's lock.

#define RAIDO_API(c)                              \
  int failed = raido_enter(c);                    \
  if (failed) { raido_leave(c); return failed; }
#define RAIDO_API_ON(c, object)                   \
  RAIDO_API(c);                                   \
  if (raido_missing(c, object)) { raido_leave(c); return RAIDO_REFUSED; }
#define RAIDO_API_END(c)                          \
  if (failed) failed = raido_api_code(c);         \
  raido_leave(c);                                 \
  return failed

RAIDO_INLINE int raido_api_code(struct raido_context *c) { return c->main.error == NULL ? RAIDO_REFUSED : raido_error_code(c->main.error); }

RAIDO_INLINE int raido_is_primitive(int type) { return raido_interface[type].kind == RAIDO_PRIMITIVE; }

// Hands an object out.
RAIDO_FN void raido_give(void *out, struct raido_object *o) {
  if (raido_is_primitive(o->type)) {
    memcpy(out, o->leaves[0].scalar, (size_t)raido_types[o->leaves[0].type].bytes);
    free(o);
  } else {
    memcpy(out, &o, sizeof o);
  }
}

// The leaves `first`, .. of `o` become those of the value.
RAIDO_FN int raido_take_value(struct raido_context *c, struct raido_object *o, int first, int type, const void *value) {
  const struct raido_type_info *t = &raido_interface[type];
  if (t->kind == RAIDO_PRIMITIVE) {
    memcpy(o->leaves[first].scalar, value, (size_t)raido_types[o->leaves[first].type].bytes);
    return 0;
  }
  const struct raido_object *from = value;
  for (int k = 0; k < t->leaf_count; k++)
    if (raido_leaf_alias(c, &o->leaves[first + k], &from->leaves[k]) != 0) return 1;
  return 0;
}

// ---- Arrays of numbers ----

// The bytes of an array of these extents; less than zero, and an error, if there is no such array.
RAIDO_FN i64 raido_extents(struct raido_context *c, struct raido_value *v, const i64 *extents) {
  i64 n = 1;
  for (int d = 0; d < v->rank; d++) {
    v->shape[d] = extents[d];
    n = raido_size(n, extents[d]);
  }
  n = raido_size(n, raido_types[v->type].bytes);
  if (n < 0) raido_refuse(&c->main, "An array cannot have a negative extent.");
  if (n == INT64_MAX) raido_lack_memory(&c->main, "Error: out of memory: the size of an array does not fit.");
  return n == INT64_MAX ? -1 : n;
}

#define RAIDO_NO_DATA "An array that is not empty needs data."

RAIDO_FN int raido_array_fill(struct raido_context *c, struct raido_object *a, const void *data, const i64 *extents) {
  struct raido_value *v = &a->leaves[0];
  i64 bytes = raido_extents(c, v, extents);
  if (bytes < 0) return 1;
  if (data == NULL && bytes > 0) return raido_refuse(&c->main, RAIDO_NO_DATA);
  v->data = raido_data_new(&c->main, bytes);
  return v->data == NULL || raido_data_write(&c->main, v->data, 0, data, bytes) != 0;
}

RAIDO_FN struct raido_object *raido_array_new(struct raido_context *c, int type, const void *data, const i64 *extents) {
  struct raido_object *a = NULL;
  if (raido_enter(c) == 0) {
    a = raido_object_new(c, type);
    if (a != NULL && raido_array_fill(c, a, data, extents) != 0) {
      raido_object_free(c, a);
      a = NULL;
    }
  }
  raido_leave(c);
  return a;
}

#ifdef RAIDO_DEVICE
typedef dev_mem raido_raw;
#else
typedef void *raido_raw;
#endif

// The array is where `raw` says, and stays the user's.
RAIDO_FN struct raido_object *raido_array_borrow(struct raido_context *c, int type, raido_raw raw, const i64 *extents) {
  struct raido_object *a = NULL;
  if (raido_enter(c) == 0) {
    a = raido_object_new(c, type);
    i64 bytes = a == NULL ? -1 : raido_extents(c, &a->leaves[0], extents);
    if (bytes > 0 && !raw) {
      raido_refuse(&c->main, RAIDO_NO_DATA);
    } else if (bytes >= 0) {
#ifdef RAIDO_DEVICE
      a->leaves[0].data = raido_device_borrow(&c->main, raw);
#else
      static char nothing;
      a->leaves[0].data = raw != NULL ? raw : &nothing;
#endif
      a->leaves[0].borrowed = 1;
    }
    if (a != NULL && a->leaves[0].data == NULL) {
      raido_object_free(c, a);
      a = NULL;
    }
  }
  raido_leave(c);
  return a;
}

RAIDO_FN raido_raw raido_array_raw(struct raido_context *c, const struct raido_object *a) {
  (void)c;
  if (a == NULL) return 0;
#ifdef RAIDO_DEVICE
  return ((struct raido_memory *)a->leaves[0].data)->device;
#else
  return a->leaves[0].data;
#endif
}

RAIDO_FN int raido_array_values(struct raido_context *c, const struct raido_object *a, void *to) {
  RAIDO_API_ON(c, a);
  failed = raido_data_read(&c->main, to, a->leaves[0].data, 0, raido_value_bytes(&a->leaves[0]));
  RAIDO_API_END(c);
}

// ---- All objects ----

RAIDO_FN int raido_free(struct raido_context *c, struct raido_object *o) {
  if (o == NULL) return 0;
  raido_enter(c);                                    // also if the context could not be made
  raido_object_free(c, o);
  raido_leave(c);
  return 0;
}

RAIDO_INLINE const i64 *raido_shape(const struct raido_object *a) { return a == NULL ? NULL : a->leaves[0].shape; }

// The position of an element among the elements, or -1 and an error.
RAIDO_FN i64 raido_element(struct raido_context *c, const struct raido_object *a, const i64 *at) {
  i64 k = 0;
  for (int d = 0; d < raido_type_of(a)->rank; d++) {
    if (at[d] < 0 || at[d] >= a->leaves[0].shape[d]) {
      raido_refuse(&c->main, "Index out of bounds.");
      return -1;
    }
    k = k * a->leaves[0].shape[d] + at[d];
  }
  return k;
}

// The bytes of what an element has in a leaf of the array.
RAIDO_FN i64 raido_inner_bytes(const struct raido_value *v, int rank) {
  i64 bytes = raido_types[v->type].bytes;
  for (int d = rank; d < v->rank; d++) bytes *= v->shape[d];
  return bytes;
}

RAIDO_FN int raido_index(struct raido_context *c, void *out, const struct raido_object *a, const i64 *at) {
  RAIDO_API_ON(c, a);
  const struct raido_type_info *t = raido_type_of(a);
  i64 k = raido_element(c, a, at);
  struct raido_object *o = k < 0 ? NULL : raido_object_new(c, t->elem);
  failed = o == NULL;
  for (int j = 0; j < t->leaf_count && !failed; j++) {
    const struct raido_value *from = &a->leaves[j];
    struct raido_value *to = &o->leaves[j];
    i64 bytes = raido_inner_bytes(from, t->rank);
    if (to->rank == 0) {
      failed = raido_data_read(&c->main, to->scalar, from->data, k * bytes, bytes);
      continue;
    }
    for (int d = 0; d < to->rank; d++) to->shape[d] = from->shape[t->rank + d];
    to->data = raido_data_new(&c->main, bytes);
    failed = to->data == NULL || raido_data_copy(&c->main, to->data, 0, from->data, k * bytes, bytes) != 0;
  }
  if (!failed) raido_give(out, o);
  else raido_object_free(c, o);
  RAIDO_API_END(c);
}

RAIDO_FN int raido_store_element(struct raido_context *c, struct raido_object *a, i64 k, const void *value) {
  const struct raido_type_info *t = raido_type_of(a);
  const struct raido_object *o = value;
  if (raido_is_primitive(t->elem)) {
    i64 bytes = raido_inner_bytes(&a->leaves[0], t->rank);
    return raido_data_write(&c->main, a->leaves[0].data, k * bytes, value, bytes);
  }
  for (int j = 0; j < t->leaf_count; j++) {
    const struct raido_value *from = &o->leaves[j], *to = &a->leaves[j];
    i64 bytes = raido_inner_bytes(to, t->rank);
    int failed = from->rank == 0 ? raido_data_write(&c->main, to->data, k * bytes, from->scalar, bytes)
                                 : raido_data_copy(&c->main, to->data, k * bytes, from->data, 0, bytes);
    if (failed) return failed;
  }
  return 0;
}

// Whether the element fits between the others.
RAIDO_FN int raido_element_fits(const struct raido_object *a, const void *value) {
  const struct raido_type_info *t = raido_type_of(a);
  const struct raido_object *o = value;
  for (int j = 0; j < t->leaf_count && !raido_is_primitive(t->elem); j++)
    for (int d = 0; d < o->leaves[j].rank; d++)
      if (o->leaves[j].shape[d] != a->leaves[j].shape[t->rank + d]) return 0;
  return 1;
}

RAIDO_FN int raido_set(struct raido_context *c, struct raido_object *a, const void *value, const i64 *at) {
  RAIDO_API_ON(c, a);
  i64 k = raido_missing(c, value) ? -1 : raido_element(c, a, at);
  failed = k < 0;
  if (!failed && !raido_element_fits(a, value)) failed = raido_refuse(&c->main, "The element has another shape than those of the array.");
  if (!failed) failed = raido_store_element(c, a, k, value);
  RAIDO_API_END(c);
}

// An array of the elements, in row major order.
RAIDO_FN int raido_array_of(struct raido_context *c, void *out, int type, const void *const *elems, const i64 *extents) {
  RAIDO_API(c);
  const struct raido_type_info *t = &raido_interface[type];
  i64 n = 1;
  for (int d = 0; d < t->rank; d++) n = raido_size(n, extents[d]);
  if (n < 0) failed = raido_refuse(&c->main, "An array cannot have a negative extent.");
  for (i64 k = 0; k < n && !failed; k++) failed = raido_missing(c, elems[k]);
  struct raido_object *a = failed ? NULL : raido_object_new(c, type);
  failed = a == NULL;
  if (!failed) for (int d = 0; d < t->rank; d++) a->leaves[0].shape[d] = extents[d];
  for (int j = 0; j < t->leaf_count && !failed; j++) {
    struct raido_value *v = &a->leaves[j];
    i64 shape[RAIDO_MAX_RANK];
    for (int d = 0; d < v->rank; d++)
      shape[d] = d < t->rank ? extents[d] : n > 0 ? ((const struct raido_object *)elems[0])->leaves[j].shape[d - t->rank] : 0;
    i64 bytes = raido_extents(c, v, shape);
    v->data = bytes < 0 ? NULL : raido_data_new(&c->main, bytes);
    failed = v->data == NULL;
  }
  for (i64 k = 0; k < n && !failed; k++) {
    if (!raido_element_fits(a, elems[k])) failed = raido_refuse(&c->main, "Cannot make an array of elements with different shapes.");
    else failed = raido_store_element(c, a, k, elems[k]);
  }
  if (!failed) raido_give(out, a);
  else raido_object_free(c, a);
  RAIDO_API_END(c);
}

// ---- Records, arrays of records, sums ----

// A field of a record, or the array of that field.
RAIDO_FN int raido_project(struct raido_context *c, void *out, const struct raido_object *o, int part) {
  RAIDO_API_ON(c, o);
  const struct raido_part *p = &raido_type_of(o)->parts[part];
  struct raido_object *r = raido_object_new(c, p->type);
  failed = r == NULL;
  for (int k = 0; k < raido_interface[p->type].leaf_count && !failed; k++) failed = raido_leaf_alias(c, &r->leaves[k], &o->leaves[p->leaf + k]);
  if (!failed) raido_give(out, r);
  else raido_object_free(c, r);
  RAIDO_API_END(c);
}

// A record of its fields, or an array of records of the arrays of the fields.
RAIDO_FN int raido_record(struct raido_context *c, void *out, int type, const void *const *values) {
  RAIDO_API(c);
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_object *r = NULL;
  for (int k = 0; k < t->part_count && !failed; k++) failed = raido_missing(c, values[k]);
  for (int k = 0; k < t->part_count && !failed; k++)
    for (int d = 0; d < t->rank && !failed; d++)
      if (raido_shape(values[k])[d] != raido_shape(values[0])[d]) failed = raido_refuse(&c->main, "Cannot zip arrays with different shapes.");
  if (!failed) {
    r = raido_object_new(c, type);
    failed = r == NULL;
  }
  for (int k = 0; k < t->part_count && !failed; k++) failed = raido_take_value(c, r, t->parts[k].leaf, t->parts[k].type, values[k]);
  if (!failed) raido_give(out, r);
  else raido_object_free(c, r);
  RAIDO_API_END(c);
}

RAIDO_FN int raido_variant_of(const struct raido_object *o) {
  if (o == NULL) return -1;
  return raido_type_of(o)->variant_count > 1 ? (signed char)o->leaves[0].scalar[0] : 0;
}

RAIDO_FN int raido_construct(struct raido_context *c, void *out, int type, int variant, const void *const *values) {
  RAIDO_API(c);
  const struct raido_type_info *t = &raido_interface[type];
  const struct raido_variant *v = &t->variants[variant];
  const int *slot = v->slots;
  for (int k = 0; k < v->count && !failed; k++) failed = raido_missing(c, values[k]);
  struct raido_object *o = failed ? NULL : raido_object_new(c, type);
  failed = o == NULL;
  if (!failed && t->variant_count > 1) o->leaves[0].scalar[0] = (unsigned char)variant;
  for (int k = 0; k < v->count && !failed; k++) {
    struct raido_object *part = raido_object_new(c, v->types[k]);
    failed = part == NULL || raido_take_value(c, part, 0, v->types[k], values[k]) != 0;
    for (int j = 0; j < raido_interface[v->types[k]].leaf_count && !failed; j++) o->leaves[*slot++] = part->leaves[j];
    if (failed) raido_object_free(c, part);
    else free(part);
  }
  for (int k = 0; k < t->leaf_count && !failed; k++)   // what the other variants have
    if (o->leaves[k].rank > 0 && o->leaves[k].data == NULL) {
      o->leaves[k].data = raido_data_new(&c->main, 0);
      failed = o->leaves[k].data == NULL;
    }
  if (!failed) raido_give(out, o);
  else raido_object_free(c, o);
  RAIDO_API_END(c);
}

RAIDO_FN int raido_destruct(struct raido_context *c, void *const *outs, const struct raido_object *o, int variant) {
  RAIDO_API_ON(c, o);
  const struct raido_variant *v = &raido_type_of(o)->variants[variant];
  const int *slot = v->slots;
  struct raido_object **parts = NULL;
  if (raido_variant_of(o) != variant) failed = raido_refuse(&c->main, "The value is not of the variant %s.", v->name);
  if (!failed) {
    parts = calloc((size_t)v->count + 1, sizeof *parts);
    if (parts == NULL) failed = raido_lack_memory(&c->main, "Error: out of memory.");
  }
  for (int k = 0; k < v->count && !failed; k++) {
    parts[k] = raido_object_new(c, v->types[k]);
    failed = parts[k] == NULL;
    for (int j = 0; j < raido_interface[v->types[k]].leaf_count && !failed; j++) failed = raido_leaf_alias(c, &parts[k]->leaves[j], &o->leaves[*slot++]);
  }
  for (int k = 0; parts != NULL && k < v->count; k++) {
    if (!failed) raido_give(outs[k], parts[k]);
    else raido_object_free(c, parts[k]);
  }
  free(parts);
  RAIDO_API_END(c);
}

// ---- Bytes ----

// The leaves of an object in the binary data format, one after the other.
enum { RAIDO_DATA_HEAD = 7 };

RAIDO_FN size_t raido_stored_bytes(const struct raido_object *o) {
  size_t n = 0;
  for (int k = 0; k < raido_type_of(o)->leaf_count; k++)
    n += RAIDO_DATA_HEAD + 8 * (size_t)o->leaves[k].rank + (size_t)raido_value_bytes(&o->leaves[k]);
  return n;
}

RAIDO_FN void raido_data_head(char *p, enum raido_type type, int rank) {
  char name[8];
  snprintf(name, sizeof name, "%4s", raido_types[type].name);
  p[0] = 'b';
  p[1] = 2;
  p[2] = (char)rank;
  memcpy(p + 3, name, 4);
}

RAIDO_FN int raido_store_bytes(struct raido_context *c, const struct raido_object *o, char *p) {
  const struct raido_type_info *t = raido_type_of(o);
  for (int k = 0; k < t->leaf_count; k++) {
    const struct raido_value *v = &o->leaves[k];
    i64 bytes = raido_value_bytes(v);
    raido_data_head(p, v->type, v->rank);
    p += RAIDO_DATA_HEAD;
    memcpy(p, v->shape, 8 * (size_t)v->rank);
    p += 8 * v->rank;
    if (v->rank == 0) memcpy(p, v->scalar, (size_t)bytes);
    else if (raido_data_read(&c->main, p, v->data, 0, bytes) != 0) return 1;
    p += bytes;
  }
  return 0;
}

// *n: how many bytes. With p: into *p, which is allocated if it is NULL.
RAIDO_FN int raido_store(struct raido_context *c, const struct raido_object *o, void **p, size_t *n) {
  *n = o == NULL ? 0 : raido_stored_bytes(o);
  if (p == NULL && o != NULL) return 0;
  RAIDO_API_ON(c, o);
  void *bytes = *p != NULL ? *p : malloc(*n);
  if (bytes == NULL) failed = raido_lack_memory(&c->main, "Error: out of memory.");
  else failed = raido_store_bytes(c, o, bytes);
  if (failed && *p == NULL) free(bytes);
  if (!failed) *p = bytes;
  RAIDO_API_END(c);
}

// Whether the leaves `at` can be a value of the type inside of `depth` dimensions: the leaves of an array have one shape, also within
// records, and the tag of a sum is that of a variant.
RAIDO_FN int raido_leaves_fit(const struct raido_value *leaves, const int *at, int type, int depth) {
  const struct raido_type_info *t = &raido_interface[type];
  int fit = 1;
  if (t->kind == RAIDO_ARRAY) {
    for (int k = 1; k < t->leaf_count; k++)
      for (int d = depth; d < depth + t->rank; d++) fit = fit && leaves[at[k]].shape[d] == leaves[at[0]].shape[d];
    return fit && raido_leaves_fit(leaves, at, t->elem, depth + t->rank);
  }
  if (t->kind == RAIDO_RECORD)
    for (int k = 0; k < t->part_count; k++) fit = fit && raido_leaves_fit(leaves, at + t->parts[k].leaf, t->parts[k].type, depth);
  if (t->kind == RAIDO_SUM && depth == 0) {
    int variant = t->variant_count > 1 ? (signed char)leaves[at[0]].scalar[0] : 0;
    if (variant < 0 || variant >= t->variant_count) return 0;
    const struct raido_variant *v = &t->variants[variant];
    const int *slot = v->slots;
    for (int k = 0; k < v->count; k++) {
      int held[RAIDO_LEAVES] = {0};
      for (int j = 0; j < raido_interface[v->types[k]].leaf_count; j++) held[j] = at[*slot++];
      fit = fit && raido_leaves_fit(leaves, held, v->types[k], depth);
    }
  }
  return fit;
}
RAIDO_FN int raido_consistent(const struct raido_object *o) {
  int all[RAIDO_LEAVES] = {0};
  for (int k = 0; k < raido_type_of(o)->leaf_count; k++) all[k] = k;
  return raido_leaves_fit(o->leaves, all, o->type, 0);
}

RAIDO_FN int raido_restore_leaf(struct raido_context *c, struct raido_value *v, const char **p) {
  char head[RAIDO_DATA_HEAD];
  raido_data_head(head, v->type, v->rank);
  if (memcmp(*p, head, RAIDO_DATA_HEAD) != 0) return 1;
  *p += RAIDO_DATA_HEAD;
  i64 n = 1;
  for (int d = 0; d < v->rank; d++, *p += 8) {
    memcpy(&v->shape[d], *p, 8);
    n = raido_size(n, v->shape[d]);
  }
  n = raido_size(n, raido_types[v->type].bytes);
  if (n < 0 || n > INT64_MAX / 4) return 1;
  if (v->rank == 0) {
    memcpy(v->scalar, *p, (size_t)n);
    if (v->type == RAIDO_BOOL) v->scalar[0] = v->scalar[0] != 0;
  } else {
    v->data = raido_data_new(&c->main, n);
    if (v->data == NULL || raido_data_write(&c->main, v->data, 0, *p, n) != 0) return 1;
  }
  *p += n;
  return 0;
}

RAIDO_FN struct raido_object *raido_restore(struct raido_context *c, int type, const void *p) {
  const char *at = p;
  struct raido_object *o = NULL;
  if (raido_enter(c) == 0) {
    o = raido_object_new(c, type);
    int failed = o == NULL || p == NULL;
    for (int k = 0; k < raido_interface[type].leaf_count && !failed; k++) failed = raido_restore_leaf(c, &o->leaves[k], &at);
    if (o != NULL && (failed || !raido_consistent(o))) {
      raido_object_free(c, o);
      o = NULL;
    }
  }
  raido_leave(c);
  return o;
}

// ---- Entry points ----

RAIDO_FN int raido_entry_call(struct raido_context *c, int entry, void *out, const void *const *in) {
  RAIDO_API(c);
  struct raido_object *result = NULL;
  failed = raido_call(c, &raido_entries[entry], in, &result);
  if (!failed) raido_give(out, result);
  raido_leave(c);
  return failed;
}

// The same, each component of the result in a place of its own.
RAIDO_FN int raido_entry_spread(struct raido_context *c, int entry, void *const *outs, const void *const *in) {
  struct raido_object *result = NULL;
  int failed = raido_entry_call(c, entry, &result, in);
  if (failed) return failed;
  const struct raido_type_info *t = raido_type_of(result);
  int k = 0;
  union { struct raido_object *object; char bytes[8]; } part[RAIDO_OUTPUTS];
  for (; k < t->part_count && !failed; k++) failed = raido_project(c, &part[k], result, k);
  for (int j = 0; j < k; j++) {
    int primitive = raido_is_primitive(t->parts[j].type);
    if (!failed) memcpy(outs[j], &part[j], primitive ? (size_t)raido_types[t->parts[j].type].bytes : sizeof part[j].object);
    else if (j + 1 < k && !primitive) raido_free(c, part[j].object);
  }
  raido_free(c, result);
  return failed;
}

// ---- Contexts ----

RAIDO_FN int raido_context_sync(struct raido_context *c) {
  RAIDO_API(c);
  failed = raido_sync(c);
  RAIDO_API_END(c);
}

// A call that writes into the old one is over when this returns.
RAIDO_FN void raido_set_log(struct raido_context *c, FILE *log) {
  pthread_mutex_lock(&c->use);
  c->log = log;
  pthread_mutex_unlock(&c->use);
}

// Nonzero if an error is pending.
RAIDO_FN int raido_clear_caches(struct raido_context *c) {
  int failed = raido_enter(c);
  if (!failed) {
    raido_empty_lists(&c->main);
#ifdef RAIDO_THREADS
    for (int k = 1; k < c->pool->count; k++) raido_empty_lists(&c->pool->workers[k]);
#endif
    c->peak = c->live;
#ifdef RAIDO_DEVICE
    raido_device_empty_lists(c->device);
    c->device->peak = c->device->live;
#endif
    failed = c->main.error != NULL;
  }
  raido_leave(c);
  return failed != 0;
}

// The text of the pending error, to be freed by the caller; NULL if there is none. That of a failed program ends with a newline.
RAIDO_FN char *raido_get_error(struct raido_context *c) {
  if (c == NULL) return raido_copy_text("There is no context: no memory is left, or there is no configuration, or it is in use.");
  pthread_mutex_lock(&c->use);
  char *error = c->main.error, *text = NULL;
  if (error != NULL) {
    size_t n = strlen(raido_error_text(error));
    text = malloc(n + 2);
    if (text != NULL) {
      memcpy(text, raido_error_text(error), n + 1);
      if (raido_error_code(error) == RAIDO_PROGRAM_ERROR && (n == 0 || text[n - 1] != '\n')) memcpy(text + n, "\n", 2);
    }
    raido_free_error(error);
    c->main.error = NULL;
  }
  pthread_mutex_unlock(&c->use);
  return text;
}

RAIDO_FN void raido_report_text(struct raido_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
RAIDO_FN void raido_report_text(struct raido_buffer *b, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char *to = raido_grow(b, (size_t)n);
  if (to != NULL) memcpy(to, text, (size_t)n);
  else b->failed = 1;
}

RAIDO_FN void raido_report_quoted(struct raido_buffer *b, const char *text) {
  raido_report_text(b, "\"");
  for (; *text != 0; text++)
    if (*text == '"' || *text == '\\') raido_report_text(b, "\\%c", *text);
    else if ((unsigned char)*text < 32) raido_report_text(b, "\\u%04x", *text);
    else raido_report_text(b, "%c", *text);
  raido_report_text(b, "\"");
}

// What was measured, and the most memory that was in use, as JSON; empties the list of events. NULL if there is no memory.
RAIDO_FN char *raido_report(struct raido_context *c) {
  struct raido_buffer b = {NULL, 0, 0, 0};
  if (raido_enter(c) != 0) { raido_leave(c); return NULL; }
  raido_sync(c);
#ifdef RAIDO_PROFILED
  raido_note_samples(c);
#endif
#ifdef RAIDO_DEVICE
  raido_report_text(&b, "{\"memory\":{\"space 'device'\": %zu, \"default space\": %zu},\"events\":[", c->device->peak, c->peak);
#else
  raido_report_text(&b, "{\"memory\":{\"default space\": %zu},\"events\":[", c->peak);
#endif
#ifdef RAIDO_PROFILED
  for (struct raido_event *e = c->events, *next; e != NULL; e = next) {
    next = e->next;
    raido_report_text(&b, "{\"name\":\"%s\",\"provenance\":", e->name);
    raido_report_quoted(&b, raido_places[e->place]);
    raido_report_text(&b, ",\"duration\":%" PRId64 ".%03d,\"details\":{", e->duration / 1000, (int)(e->duration % 1000));
    if (e->is_kernel)
      raido_report_text(&b, "\"kernel\":\"%s\",\"grid\":[%" PRId64 ",1,1],\"block\":[%" PRId64 ",1,1],\"shared memory\":0", e->name, e->blocks, e->block_size);
    else
      raido_report_text(&b, "\"%s\":%" PRId64, e->samples > 0 ? "samples" : "bytes", e->samples > 0 ? e->samples : e->bytes);
    raido_report_text(&b, "}}%s", next != NULL ? "," : "");
    free(e);
  }
  c->events = NULL;
  c->last_event = &c->events;
#endif
  raido_report_text(&b, "]}");
  char *end = raido_grow(&b, 1);
  if (end != NULL) *end = 0;
  if (end == NULL || b.failed) {
    free(b.data);
    b.data = NULL;
  }
  raido_leave(c);
  return b.data;
}
