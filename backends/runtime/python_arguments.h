// python_arguments.h - the values of Python as objects of the program: numbers, arrays, records, sums, opaque values, lists of them.
//
// An object is made leaf by leaf. A message names the argument and the place in it.

RAIDO_FN int raido_py_fill(struct raido_py_maker *m, int type, const int *at, PyObject *x);

// Adds a step to the place that messages name; the length before it.
RAIDO_FN size_t raido_py_step(struct raido_py_maker *m, const char *name) {
  size_t n = strlen(m->where);
  snprintf(m->where + n, sizeof m->where - n, ".%s", name);
  return n;
}

// A record, or an array of records as a record of arrays: a value of its class, or a dictionary. Tuples of the program are tuples.
RAIDO_FN int raido_py_record(struct raido_py_maker *m, int type, const int *at, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  int by_name = raido_py_is(x, &PyDict_Type);
  PyObject *class = raido_py.classes[type];
  if (!by_name && !raido_py_is(x, class == NULL ? &PyTuple_Type : (PyTypeObject *)class)) return raido_py_expected(m, t->name, x);
  Py_ssize_t n = by_name ? PyDict_Size(x) : PySequence_Size(x);
  if (n != t->part_count) return raido_py_wrong(m, PyExc_TypeError, "expected %s, which has %d fields, got %d", t->name, t->part_count, (int)n);
  for (int k = 0; k < t->part_count; k++) {
    size_t before = raido_py_step(m, t->parts[k].name);
    PyObject *field;
    if (by_name) {
      field = PyDict_GetItemString(x, t->parts[k].name);
      Py_IncRef(field);
      if (field == NULL && PyErr_Occurred() == NULL) return raido_py_wrong(m, PyExc_TypeError, "there is no such field");
    } else {
      field = PySequence_GetItem(x, k);
    }
    int failed = field == NULL || raido_py_fill(m, t->parts[k].type, at + t->parts[k].leaf, field);
    Py_DecRef(field);
    if (failed) return 1;
    m->where[before] = 0;
  }
  for (int k = 1; k < t->leaf_count && t->rank > 0; k++)
    for (int d = 0; d < t->rank; d++)
      if (m->object->leaves[at[k]].shape[d] != m->object->leaves[at[0]].shape[d]) return raido_py_wrong(m, PyExc_ValueError, "the arrays of the fields have different shapes");
  return 0;
}

RAIDO_FN int raido_py_sum(struct raido_py_maker *m, int type, const int *at, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  PyObject *classes = raido_py.classes[type];
  int variant = 0;
  while (variant < t->variant_count && PyObject_IsInstance(x, PyTuple_GetItem(classes, variant)) != 1) variant++;
  if (variant == t->variant_count) return raido_py_expected(m, t->name, x);
  const struct raido_variant *v = &t->variants[variant];
  if (t->variant_count > 1) m->object->leaves[at[0]].scalar[0] = (unsigned char)variant;
  const int *slot = v->slots;
  for (int k = 0; k < v->count; k++) {
    int n = raido_interface[v->types[k]].leaf_count, places[RAIDO_LEAVES];
    for (int j = 0; j < n; j++) places[j] = at[slot[j]];
    size_t before = raido_py_step(m, v->name);
    PyObject *item = PySequence_GetItem(x, k);
    int failed = item == NULL || raido_py_fill(m, v->types[k], places, item);
    Py_DecRef(item);
    if (failed) return 1;
    m->where[before] = 0;
    slot += n;
  }
  struct raido_context *c = m->owner->context;              // what the other variants have
  PyThreadState *state = raido_py_enter(c);
  int failed = 0;
  for (int k = 0; k < t->leaf_count && !failed; k++) {
    struct raido_value *leaf = &m->object->leaves[at[k]];
    if (leaf->rank == 0 || leaf->data != NULL) continue;
    leaf->data = raido_data_new(&c->main, 0);
    failed = leaf->data == NULL;
  }
  char *error = failed ? raido_py_take_error(c) : NULL;
  raido_py_leave(c, state);
  if (failed) raido_py_raise(error);
  return failed;
}

RAIDO_FN int raido_py_opaque(struct raido_py_maker *m, int type, const int *at, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_py_value *value = (struct raido_py_value *)x;
  if (!raido_py_is(x, (PyTypeObject *)raido_py.opaque)) return raido_py_expected(m, t->name, x);
  struct raido_object *o = value->handle->object;
  if (o->type != type) return raido_py_wrong(m, PyExc_TypeError, "expected %s, got a value of type %s", t->name, raido_type_of(o)->name);
  if (value->owner != m->owner) return raido_py_wrong(m, PyExc_ValueError, "the value belongs to another context");
  struct raido_context *c = m->owner->context;
  PyThreadState *state = raido_py_enter(c);
  int failed = 0;
  for (int k = 0; k < t->leaf_count && !failed; k++) {
    struct raido_value v = o->leaves[k];
    if (v.rank > 0 && m->consumed) failed = raido_py_duplicate(c, &v);
    else if (v.rank > 0) raido_data_hold(&c->main, v.data);
    m->object->leaves[at[k]] = v;
  }
  char *error = failed ? raido_py_take_error(c) : NULL;
  raido_py_leave(c, state);
  if (failed) raido_py_raise(error);
  return failed;
}

// The objects of a list of lists, in row major order; the extents are those of the first ones.
struct raido_py_list { struct raido_object **items; i64 count, room, extents[RAIDO_MAX_RANK]; };

RAIDO_FN struct raido_object *raido_py_make(struct raido_py_context *owner, int type, PyObject *x, const char *kept, int consumed, const char *where,
                                            struct raido_py_lent **lent);

RAIDO_FN int raido_py_collect(struct raido_py_maker *m, int type, PyObject *x, int depth, struct raido_py_list *list) {
  const struct raido_type_info *t = &raido_interface[type];
  if (depth == t->rank) {
    if (list->count == list->room) {
      i64 room = 2 * list->room + 16;
      struct raido_object **more = realloc(list->items, (size_t)room * sizeof *more);
      if (more == NULL) { PyErr_NoMemory(); return 1; }
      list->items = more;
      list->room = room;
    }
    struct raido_object *o = raido_py_make(m->owner, t->elem, x, NULL, 0, m->where, m->lent);
    if (o != NULL) list->items[list->count++] = o;
    return o == NULL;
  }
  if (!raido_py_is_list(x)) return raido_py_expected(m, t->name, x);
  i64 n = PySequence_Size(x);
  if (list->extents[depth] < 0) list->extents[depth] = n;
  if (list->extents[depth] != n) return raido_py_wrong(m, PyExc_ValueError, "expected %s, and the lists do not make one", t->name);
  for (i64 k = 0; k < n; k++) {
    PyObject *item = PySequence_GetItem(x, (Py_ssize_t)k);
    int failed = item == NULL || raido_py_collect(m, type, item, depth + 1, list);
    Py_DecRef(item);
    if (failed) return 1;
  }
  return 0;
}

// An array whose elements are neither numbers nor records: an Opaque, or a list.
RAIDO_FN int raido_py_list_of(struct raido_py_maker *m, int type, const int *at, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  if (raido_py_is(x, (PyTypeObject *)raido_py.opaque)) return raido_py_opaque(m, type, at, x);
  struct raido_py_list list = {NULL, 0, 0, {0}};
  struct raido_context *c = m->owner->context;
  struct raido_object *array = NULL;
  for (int d = 0; d < t->rank; d++) list.extents[d] = -1;
  int failed = raido_py_collect(m, type, x, 0, &list);
  for (int d = 0; d < t->rank; d++) if (list.extents[d] < 0) list.extents[d] = 0;
  PyThreadState *state = PyEval_SaveThread();
  int refused = !failed && raido_array_of(c, &array, type, (const void *const *)list.items, list.extents) != 0;
  raido_enter(c);
  for (i64 k = 0; k < list.count; k++) raido_object_free(c, list.items[k]);
  char *error = refused ? raido_py_take_error(c) : NULL;
  raido_py_leave(c, state);
  free(list.items);
  if (refused) raido_py_raise(error);
  if (array == NULL) return 1;
  for (int k = 0; k < t->leaf_count; k++) m->object->leaves[at[k]] = array->leaves[k];
  free(array);
  return 0;
}

// Leaves of the object that is being made: those with the numbers `at`.
RAIDO_FN int raido_py_fill(struct raido_py_maker *m, int type, const int *at, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  switch (t->kind) {
    case RAIDO_PRIMITIVE: return raido_py_scalar(m, t->leaves[0].type, x, m->object->leaves[at[0]].scalar);
    case RAIDO_RECORD: return raido_py_record(m, type, at, x);
    case RAIDO_SUM: return raido_py_sum(m, type, at, x);
    case RAIDO_OPAQUE: return raido_py_opaque(m, type, at, x);
    case RAIDO_ARRAY: break;
  }
  if (raido_is_primitive(t->elem)) return raido_py_array(m, type, at[0], x);
  return t->part_count > 0 ? raido_py_record(m, type, at, x) : raido_py_list_of(m, type, at, x);
}

RAIDO_FN struct raido_object *raido_py_make(struct raido_py_context *owner, int type, PyObject *x, const char *kept, int consumed, const char *where,
                                            struct raido_py_lent **lent) {
  struct raido_context *c = owner->context;
  struct raido_py_maker m = {owner, NULL, kept, consumed, lent, {0}};
  snprintf(m.where, sizeof m.where, "%s", where);
  PyThreadState *state = raido_py_enter(c);
  m.object = raido_object_new(c, type);
  char *error = m.object == NULL ? raido_py_take_error(c) : NULL;
  raido_py_leave(c, state);
  if (m.object == NULL) return raido_py_raise(error);
  if (raido_py_fill(&m, type, raido_py.all, x) == 0) return m.object;
  state = raido_py_enter(c);
  raido_object_free(c, m.object);
  raido_py_leave(c, state);
  return NULL;
}
