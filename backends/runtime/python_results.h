// python_results.h - the objects of the program as values of Python.

RAIDO_FN int raido_py_shared(const void *data) {
#ifdef RAIDO_DEVICE
  return ((const struct raido_memory *)data)->references > 1;
#else
  return raido_header((void *)(uintptr_t)data)->references > 1;
#endif
}

// Arrays that Python will see get blocks of their own.
RAIDO_FN int raido_py_own(struct raido_context *c, struct raido_object *o, int type, const int *at) {
  const struct raido_type_info *t = &raido_interface[type];
  if (t->kind == RAIDO_ARRAY && raido_is_primitive(t->elem)) {
    struct raido_value *v = &o->leaves[at[0]];
    void *before = v->data;
    if (!raido_py_shared(before)) return 0;
    int failed = raido_py_duplicate(c, v);
    raido_data_drop(&c->main, before);
    return failed;
  }
  for (int k = 0; k < t->part_count; k++)
    if (raido_py_own(c, o, t->parts[k].type, at + t->parts[k].leaf) != 0) return 1;
  if (t->kind != RAIDO_SUM) return 0;
  const struct raido_variant *v = &t->variants[t->variant_count > 1 ? o->leaves[at[0]].scalar[0] : 0];
  const int *slot = v->slots;
  for (int k = 0; k < v->count; k++) {
    int n = raido_interface[v->types[k]].leaf_count, places[RAIDO_LEAVES];
    for (int j = 0; j < n; j++) places[j] = at[*slot++];
    if (raido_py_own(c, o, v->types[k], places) != 0) return 1;
  }
  return 0;
}

// An Array or an Opaque that takes leaves away from the object.
RAIDO_FN PyObject *raido_py_value(struct raido_py_context *owner, struct raido_object *o, int type, const int *at) {
  const struct raido_type_info *t = &raido_interface[type];
  int array = t->kind == RAIDO_ARRAY && raido_is_primitive(t->elem), n = t->leaf_count;
  struct raido_py_value *x = (struct raido_py_value *)PyType_GenericAlloc((PyTypeObject *)(array ? raido_py.array : raido_py.opaque), 0);
  if (x == NULL) return NULL;
  x->handle = calloc(1, sizeof *x->handle);
  struct raido_object *own = calloc(1, sizeof *own + (size_t)n * sizeof own->leaves[0]);
  if (x->handle == NULL || own == NULL) {
    free(own);
    free(x->handle);
    x->handle = NULL;
    Py_DecRef((PyObject *)x);
    return PyErr_NoMemory();
  }
  own->type = type;
  for (int k = 0; k < t->leaf_count; k++) {
    own->leaves[k] = o->leaves[at[k]];
    o->leaves[at[k]].data = NULL;
  }
  x->handle->object = own;
  x->owner = owner;
  Py_IncRef((PyObject *)owner);
  return (PyObject *)x;
}

RAIDO_FN PyObject *raido_py_number(enum raido_type t, const void *p) {
  switch (t) {
    case RAIDO_I8: return PyLong_FromLongLong(*(const signed char *)p);
    case RAIDO_I16: { i16 v; memcpy(&v, p, sizeof v); return PyLong_FromLongLong(v); }
    case RAIDO_I32: { i32 v; memcpy(&v, p, sizeof v); return PyLong_FromLongLong(v); }
    case RAIDO_I64: { i64 v; memcpy(&v, p, sizeof v); return PyLong_FromLongLong(v); }
    case RAIDO_U8: return PyLong_FromLongLong(*(const unsigned char *)p);
    case RAIDO_U16: { u16 v; memcpy(&v, p, sizeof v); return PyLong_FromLongLong(v); }
    case RAIDO_U32: { u32 v; memcpy(&v, p, sizeof v); return PyLong_FromLongLong(v); }
    case RAIDO_U64: { u64 v; memcpy(&v, p, sizeof v); return PyLong_FromUnsignedLongLong(v); }
    case RAIDO_F16: { f16 v; memcpy(&v, p, sizeof v); return PyFloat_FromDouble((double)raido_f16_to_f32(v)); }
    case RAIDO_F32: { f32 v; memcpy(&v, p, sizeof v); return PyFloat_FromDouble((double)v); }
    case RAIDO_F64: { f64 v; memcpy(&v, p, sizeof v); return PyFloat_FromDouble(v); }
    case RAIDO_BOOL: return PyBool_FromLong(*(const unsigned char *)p);
  }
  return NULL;
}

RAIDO_FN PyObject *raido_py_from(struct raido_py_context *owner, struct raido_object *o, int type, const int *at);

// Of a class that takes the values; without a class the tuple. Takes the tuple.
RAIDO_FN PyObject *raido_py_instance(PyObject *class, PyObject *values) {
  if (class == NULL || values == NULL) return values;
  PyObject *out = PyObject_CallObject(class, values);
  Py_DecRef(values);
  return out;
}

RAIDO_FN PyObject *raido_py_from(struct raido_py_context *owner, struct raido_object *o, int type, const int *at) {
  const struct raido_type_info *t = &raido_interface[type];
  if (t->kind == RAIDO_PRIMITIVE) return raido_py_number(t->leaves[0].type, o->leaves[at[0]].scalar);
  if (t->kind == RAIDO_RECORD || t->part_count > 0) {
    PyObject *fields = PyTuple_New(t->part_count);
    for (int k = 0; k < t->part_count && fields != NULL; k++) {
      PyObject *field = raido_py_from(owner, o, t->parts[k].type, at + t->parts[k].leaf);
      if (field != NULL && PyTuple_SetItem(fields, k, field) == 0) continue;
      Py_DecRef(fields);
      return NULL;
    }
    return raido_py_instance(raido_py.classes[type], fields);
  }
  if (t->kind == RAIDO_SUM) {
    int variant = t->variant_count > 1 ? o->leaves[at[0]].scalar[0] : 0;
    const struct raido_variant *v = &t->variants[variant];
    const int *slot = v->slots;
    PyObject *values = PyTuple_New(v->count);
    for (int k = 0; k < v->count && values != NULL; k++) {
      int n = raido_interface[v->types[k]].leaf_count, places[RAIDO_LEAVES];
      for (int j = 0; j < n; j++) places[j] = at[*slot++];
      PyObject *value = raido_py_from(owner, o, v->types[k], places);
      if (value != NULL && PyTuple_SetItem(values, k, value) == 0) continue;
      Py_DecRef(values);
      return NULL;
    }
    return raido_py_instance(PyTuple_GetItem(raido_py.classes[type], variant), values);
  }
  PyObject *value = raido_py_value(owner, o, type, at);
#ifndef RAIDO_DEVICE
  if (value != NULL && t->kind == RAIDO_ARRAY && raido_is_primitive(t->elem)) {
    PyObject *asarray = raido_py_numpy("asarray");
    if (asarray != NULL) {
      PyObject *array = PyObject_CallFunctionObjArgs(asarray, value, NULL);
      Py_DecRef(asarray);
      Py_DecRef(value);
      return array;
    }
    if (PyErr_Occurred() != NULL) {
      Py_DecRef(value);
      return NULL;
    }
  }
#endif
  return value;
}

// All of an object, which is used up.
RAIDO_FN PyObject *raido_py_result(struct raido_py_context *owner, struct raido_object *o) {
  int n = raido_type_of(o)->leaf_count;
  PyObject *out = raido_py_from(owner, o, o->type, raido_py.all);
  int left = 0;
  for (int k = 0; k < n; k++) left |= o->leaves[k].rank > 0 && o->leaves[k].data != NULL;
  if (!left) {
    free(o);
    return out;
  }
  PyThreadState *state = raido_py_enter(owner->context);
  raido_object_free(owner->context, o);
  raido_py_leave(owner->context, state);
  return out;
}
