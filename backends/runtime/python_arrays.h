// python_arrays.h - the arrays of numbers that Python passes: buffers, DLPack, the CUDA array interface, arrays of NumPy, lists.
//
// Each becomes a view of memory that is lent until the call ends, and the view becomes the elements of a leaf: the memory itself, or a copy.

// Memory of the caller that is used until the call ends.
struct raido_py_lent {
  struct raido_py_lent *next;
  Py_buffer view;                               // its layout, also where it is no buffer of Python; view.obj is then NULL
  Py_ssize_t extents[2 * RAIDO_MAX_RANK];       // shape and strides of the view then
  struct raido_dl_managed *tensor;
  PyObject *owner;
  void *bytes;                                  // allocated for the call
};
struct raido_py_maker {
  struct raido_py_context *owner;
  struct raido_object *object;                  // what is being made
  const char *kept;                             // for each leaf of it `-`, if the result cannot keep it; NULL: it can keep all
  int consumed;
  struct raido_py_lent **lent;
  char where[200];                              // the argument, and the place in it
};

RAIDO_FN int raido_py_wrong(const struct raido_py_maker *m, PyObject *kind, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
RAIDO_FN int raido_py_wrong(const struct raido_py_maker *m, PyObject *kind, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  PyErr_Format(kind, "argument `%s`: %s", m->where, text);
  return 1;
}
// The name of the type of a value, cut off where it does not fit.
struct raido_py_name { char text[120]; };
RAIDO_FN struct raido_py_name raido_py_type_name(PyObject *x) {
  struct raido_py_name out = {"a value"};
  PyObject *type = PyObject_Type(x), *name = type == NULL ? NULL : PyObject_GetAttrString(type, "__name__");
  const char *text = name == NULL ? NULL : PyUnicode_AsUTF8AndSize(name, NULL);
  if (text != NULL) snprintf(out.text, sizeof out.text, "%s", text);
  Py_DecRef(name);
  Py_DecRef(type);
  PyErr_Clear();
  return out;
}
RAIDO_FN int raido_py_expected(const struct raido_py_maker *m, const char *what, PyObject *x) {
  return raido_py_wrong(m, PyExc_TypeError, "expected %.200s, got %s", what, raido_py_type_name(x).text);
}

RAIDO_FN int raido_py_is(PyObject *x, PyTypeObject *type) { return PyObject_IsInstance(x, (PyObject *)type) == 1; }

RAIDO_FN int raido_py_integer(const struct raido_py_maker *m, enum raido_type t, PyObject *x, void *to) {
  PyObject *index = PyNumber_Index(x);
  if (index == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return 1;
    PyErr_Clear();
    return raido_py_expected(m, raido_types[t].name, x);
  }
  int bits = 8 * raido_types[t].bytes, fits;
  u64 value = t <= RAIDO_I64 ? (u64)PyLong_AsLongLong(index) : PyLong_AsUnsignedLongLong(index);
  fits = PyErr_Occurred() == NULL;
  PyErr_Clear();
  Py_DecRef(index);
  if (bits < 64) fits = fits && (t <= RAIDO_I64 ? (i64)value >= -((i64)1 << (bits - 1)) && (i64)value < (i64)1 << (bits - 1) : value < (u64)1 << bits);
  if (!fits) return raido_py_wrong(m, PyExc_OverflowError, "the number does not fit into %s", raido_types[t].name);
  switch (bits) {
    case 8: { u8 v = (u8)value; memcpy(to, &v, 1); break; }
    case 16: { u16 v = (u16)value; memcpy(to, &v, 2); break; }
    case 32: { u32 v = (u32)value; memcpy(to, &v, 4); break; }
    default: memcpy(to, &value, 8);
  }
  return 0;
}

RAIDO_FN int raido_py_scalar(const struct raido_py_maker *m, enum raido_type t, PyObject *x, void *to) {
  if (t < RAIDO_F16) return raido_py_integer(m, t, x, to);
  if (t == RAIDO_BOOL) {
    // True, False, and what NumPy and others have for them; 0 and 1 are integers.
    int known = raido_py_is(x, &PyBool_Type) || PyObject_HasAttrString(x, "dtype"), value = known ? PyObject_IsTrue(x) : -1;
    if (value < 0) {
      PyErr_Clear();
      return raido_py_expected(m, "bool", x);
    }
    *(unsigned char *)to = (unsigned char)value;
    return 0;
  }
  double value = PyFloat_AsDouble(x);
  if (value == -1 && PyErr_Occurred() != NULL) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return 1;
    PyErr_Clear();
    return raido_py_expected(m, raido_types[t].name, x);
  }
  if (t == RAIDO_F64) memcpy(to, &value, sizeof value);
  if (t == RAIDO_F32) { f32 v = (f32)value; memcpy(to, &v, sizeof v); }
  if (t == RAIDO_F16) { f16 v = raido_f32_to_f16(raido_odd_f32(value)); memcpy(to, &v, sizeof v); }
  return 0;
}

RAIDO_FN struct raido_py_lent *raido_py_lend(struct raido_py_maker *m) {
  struct raido_py_lent *l = calloc(1, sizeof *l);
  if (l == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  l->next = *m->lent;
  *m->lent = l;
  return l;
}
RAIDO_FN void raido_py_return(struct raido_py_lent *l) {
  while (l != NULL) {
    struct raido_py_lent *next = l->next;
    if (l->view.obj != NULL) PyBuffer_Release(&l->view);
    if (l->tensor != NULL && l->tensor->deleter != NULL) l->tensor->deleter(l->tensor);
    Py_DecRef(l->owner);
    free(l->bytes);
    free(l);
    l = next;
  }
}

// What the elements of a buffer are: i, u, f or b; > if they have the other byte order; 0 if they are nothing that we have.
RAIDO_FN char raido_py_kind(const Py_buffer *v) {
  const char *f = v->format == NULL ? "B" : v->format;
  const u16 one = 1;
  int little = *(const unsigned char *)&one;
  if (*f == '>' || *f == '!' || *f == '<') {
    if ((*f == '<') != little && v->itemsize > 1) return '>';
    f++;
  } else if (*f == '@' || *f == '=') {
    f++;
  }
  if (f[0] == 0 || f[1] != 0) return 0;
  if (strchr("bhilqn", *f) != NULL) return 'i';
  if (strchr("BHILQN", *f) != NULL) return 'u';
  if (strchr("efd", *f) != NULL) return 'f';
  return *f == '?' ? 'b' : 0;
}
RAIDO_INLINE char raido_py_kind_of(enum raido_type t) { return t == RAIDO_BOOL ? 'b' : t >= RAIDO_F16 ? 'f' : t >= RAIDO_U8 ? 'u' : 'i'; }

RAIDO_FN int raido_py_fits(const struct raido_py_maker *m, int type, const Py_buffer *v, char kind) {
  const struct raido_type_info *t = &raido_interface[type];
  enum raido_type elem = t->leaves[0].type;
  char got[32] = "other values";
  if (kind == '>') return raido_py_wrong(m, PyExc_TypeError, "expected %s, got an array whose numbers have the other byte order", t->name);
  if (kind == 'b') snprintf(got, sizeof got, "bool");
  else if (kind != 0) snprintf(got, sizeof got, "%c%d", kind, 8 * (int)v->itemsize);
  if (kind != raido_py_kind_of(elem) || v->itemsize != raido_types[elem].bytes)
    return raido_py_wrong(m, PyExc_TypeError, "expected %s, got an array of %s", t->name, got);
  if (v->ndim != t->rank) return raido_py_wrong(m, PyExc_ValueError, "expected %s, got an array of %d dimension%s", t->name, v->ndim, v->ndim == 1 ? "" : "s");
  return 0;
}

// A block of its own for a leaf, with the same elements.
RAIDO_FN int raido_py_duplicate(struct raido_context *c, struct raido_value *v) {
  i64 bytes = raido_value_bytes(v);
  void *from = v->data;
  v->data = raido_data_new(&c->main, bytes);
  return v->data == NULL || raido_data_copy(&c->main, v->data, 0, from, 0, bytes) != 0;
}

// The leaf gets the elements of the view, which is the last one lent: the memory itself or a copy. The memory is the device's or the host's.
RAIDO_FN int raido_py_place(struct raido_py_maker *m, int leaf, const Py_buffer *view, int on_device) {
  struct raido_context *c = m->owner->context;
  struct raido_value *v = &m->object->leaves[leaf];
  static char nothing[64];
  for (int d = 0; d < v->rank; d++) v->shape[d] = view->shape[d];
  i64 bytes = raido_value_bytes(v);
  int shared = !m->consumed && m->kept != NULL && m->kept[leaf] == '-';
  char *from = bytes > 0 ? view->buf : nothing;
  if (!PyBuffer_IsContiguous(view, 'C')) {
    if (on_device) return raido_py_wrong(m, PyExc_ValueError, "an array on the device must be contiguous");
    from = (*m->lent)->bytes = malloc((size_t)bytes + 1);
    if (from == NULL || PyBuffer_ToContiguous(from, view, bytes, 'C') != 0) {
      if (PyErr_Occurred() == NULL) PyErr_NoMemory();
      return 1;
    }
  }
#ifndef RAIDO_DEVICE
  if (shared && (uintptr_t)from % (uintptr_t)view->itemsize == 0) {
    v->data = from;
    v->borrowed = 1;
    return 0;
  }
#endif
  PyThreadState *state = raido_py_enter(c);
  int failed;
#ifdef RAIDO_DEVICE
  if (on_device) {
    struct raido_memory *borrowed = bytes > 0 ? raido_device_borrow(&c->main, (dev_mem)(uintptr_t)from) : raido_data_new(&c->main, 0);
    v->data = borrowed;
    failed = borrowed == NULL;
    if (!failed && !shared) {
      failed = raido_py_duplicate(c, v) != 0;
      raido_data_drop(&c->main, borrowed);
    }
  } else
#endif
  {
    v->data = raido_data_new(&c->main, bytes);
    failed = v->data == NULL || raido_data_write(&c->main, v->data, 0, from, bytes) != 0;
  }
  char *error = failed ? raido_py_take_error(c) : NULL;
  raido_py_leave(c, state);
  if (failed) raido_py_raise(error);
  return failed;
}

// A buffer of Python.
RAIDO_FN int raido_py_buffer(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
  struct raido_py_lent *l = raido_py_lend(m);
  if (l == NULL) return 1;
  if (PyObject_GetBuffer(x, &l->view, PyBUF_FULL_RO) != 0) {
    l->view.obj = NULL;
    return 1;
  }
  return raido_py_fits(m, type, &l->view, raido_py_kind(&l->view)) || raido_py_place(m, leaf, &l->view, 0);
}

// Of another library: its capsule is ours then.
RAIDO_FN int raido_py_dlpack(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
  struct raido_py_lent *l = raido_py_lend(m);
  if (l == NULL) return 1;
  PyObject *method = PyObject_GetAttrString(x, "__dlpack_device__"), *device = method == NULL ? NULL : PyObject_CallObject(method, NULL);
  PyObject *kind = device == NULL ? NULL : PySequence_GetItem(device, 0);
  long long number = kind == NULL ? -1 : PyLong_AsLongLong(kind);
  Py_DecRef(kind);
  Py_DecRef(device);
  Py_DecRef(method);
  if (PyErr_Occurred() != NULL) return 1;
  int on_device = number == RAIDO_PY_DEVICE && RAIDO_PY_DEVICE != RAIDO_PY_HOST;
  if (number != RAIDO_PY_HOST && !on_device) return raido_py_wrong(m, PyExc_TypeError, "the array lies on a device that the program does not use");
  method = PyObject_GetAttrString(x, "__dlpack__");
  PyObject *none = method == NULL ? NULL : PyTuple_New(0), *words = none == NULL ? NULL : PyDict_New(), *stream = PyLong_FromLongLong(1);
  if (words != NULL && on_device && RAIDO_PY_DEVICE == RAIDO_PY_CUDA) PyDict_SetItemString(words, "stream", stream);   // the default one
  PyObject *capsule = words == NULL ? NULL : PyObject_Call(method, none, words);
  Py_DecRef(stream);
  Py_DecRef(words);
  Py_DecRef(none);
  Py_DecRef(method);
  struct raido_dl_managed *t = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "dltensor");
  if (t != NULL && PyCapsule_SetName(capsule, "used_dltensor") == 0) l->tensor = t;
  l->owner = capsule;
  if (l->tensor == NULL) return 1;
  Py_buffer *v = &l->view;
  if (t->tensor.rank > RAIDO_MAX_RANK) return raido_py_wrong(m, PyExc_ValueError, "the array has too many dimensions");
  v->buf = (char *)t->tensor.data + t->tensor.offset;
  v->itemsize = (t->tensor.bits + 7) / 8;
  v->len = v->itemsize;
  v->ndim = t->tensor.rank;
  v->shape = l->extents;
  v->strides = l->extents + RAIDO_MAX_RANK;
  for (int d = v->ndim; d-- > 0;) {
    v->shape[d] = (Py_ssize_t)t->tensor.shape[d];
    v->strides[d] = t->tensor.strides != NULL ? (Py_ssize_t)t->tensor.strides[d] * v->itemsize : v->len;
    v->len *= v->shape[d];
  }
  static const char kinds[] = {'i', 'u', 'f', 0, 0, 0, 'b'};
  char elements = t->tensor.lanes != 1 || t->tensor.code >= sizeof kinds ? 0 : kinds[t->tensor.code];
  return raido_py_fits(m, type, v, elements) || raido_py_place(m, leaf, v, on_device);
}

#if defined(RAIDO_DEVICE) && RAIDO_PY_DEVICE == RAIDO_PY_CUDA
// The CUDA array interface: a dictionary.
RAIDO_FN int raido_py_cuda_array(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
  struct raido_py_lent *l = raido_py_lend(m);
  if (l == NULL) return 1;
  l->owner = PyObject_GetAttrString(x, "__cuda_array_interface__");
  if (l->owner == NULL) return 1;
  PyObject *shape = PyDict_GetItemString(l->owner, "shape"), *elements = PyDict_GetItemString(l->owner, "typestr");   // borrowed references
  PyObject *data = PyDict_GetItemString(l->owner, "data"), *strides = PyDict_GetItemString(l->owner, "strides");
  PyObject *stream = PyDict_GetItemString(l->owner, "stream");
  const char *text = elements == NULL ? NULL : PyUnicode_AsUTF8AndSize(elements, NULL);
  Py_ssize_t rank = shape == NULL ? -1 : PyTuple_Size(shape);
  PyObject *address = data == NULL ? NULL : PyTuple_GetItem(data, 0);
  if (text == NULL || strlen(text) < 3 || address == NULL || rank < 0 || rank > RAIDO_MAX_RANK) {
    PyErr_Clear();
    return raido_py_wrong(m, PyExc_TypeError, "its __cuda_array_interface__ makes no sense");
  }
  Py_buffer *v = &l->view;
  v->buf = PyLong_AsVoidPtr(address);
  v->itemsize = atoi(text + 2);
  v->len = v->itemsize;
  v->ndim = (int)rank;
  v->shape = l->extents;
  v->strides = l->extents + RAIDO_MAX_RANK;
  for (int d = v->ndim; d-- > 0;) {
    v->shape[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape, d));
    v->strides[d] = strides != NULL && strides != Py_None ? PyLong_AsSsize_t(PyTuple_GetItem(strides, d)) : v->len;
    v->len *= v->shape[d];
  }
  if (PyErr_Occurred() != NULL) return 1;
  if (stream != NULL && stream != Py_None) {         // who wrote it may not have ended
    struct raido_context *c = m->owner->context;
    PyThreadState *state = raido_py_enter(c);
    int failed = raido_sync(c) != 0;
    char *error = failed ? raido_py_take_error(c) : NULL;
    raido_py_leave(c, state);
    if (failed) {
      raido_py_raise(error);
      return 1;
    }
  }
  return raido_py_fits(m, type, v, text[0] == '>' ? '>' : text[1]) || raido_py_place(m, leaf, v, 1);
}
#endif

// NumPy's function, or NULL without an error if there is no NumPy.
RAIDO_FN PyObject *raido_py_numpy(const char *function) {
  if (!raido_py.looked_for_numpy) {
    raido_py.numpy = PyImport_ImportModule("numpy");
    if (raido_py.numpy == NULL) {
      if (!PyErr_ExceptionMatches(PyExc_ImportError)) return NULL;
      PyErr_Clear();
    }
    raido_py.looked_for_numpy = 1;
  }
  return raido_py.numpy == NULL ? NULL : PyObject_GetAttrString(raido_py.numpy, function);
}

// What only says how it becomes an array of NumPy.
RAIDO_FN int raido_py_through_numpy(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
  PyObject *asarray = PyObject_HasAttrString(x, "__array__") ? raido_py_numpy("asarray") : NULL;
  if (asarray == NULL) return PyErr_Occurred() != NULL ? 1 : raido_py_expected(m, raido_interface[type].name, x);
  PyObject *array = PyObject_CallFunctionObjArgs(asarray, x, NULL);
  Py_DecRef(asarray);
  int failed = array == NULL || raido_py_buffer(m, type, leaf, array);
  Py_DecRef(array);
  return failed;
}

RAIDO_FN int raido_py_is_list(PyObject *x) { return raido_py_is(x, &PyList_Type) || raido_py_is(x, &PyTuple_Type); }

// The numbers of a list, or of lists of lists, whose lengths are in the view.
RAIDO_FN int raido_py_numbers(struct raido_py_maker *m, int type, const Py_buffer *view, int depth, char **to, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  if (depth == t->rank) {
    if (raido_py_scalar(m, t->leaves[0].type, x, *to) != 0) return 1;
    *to += view->itemsize;
    return 0;
  }
  if (!raido_py_is_list(x) || PySequence_Size(x) != view->shape[depth]) return raido_py_wrong(m, PyExc_ValueError, "expected %s, and the lists do not make one", t->name);
  for (Py_ssize_t k = 0; k < view->shape[depth]; k++) {
    PyObject *item = PySequence_GetItem(x, k);
    int failed = item == NULL || raido_py_numbers(m, type, view, depth + 1, to, item);
    Py_DecRef(item);
    if (failed) return 1;
  }
  return 0;
}
RAIDO_FN int raido_py_lists(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_py_lent *l = raido_py_lend(m);
  if (l == NULL) return 1;
  Py_buffer *v = &l->view;
  v->itemsize = raido_types[t->leaves[0].type].bytes;
  v->ndim = t->rank;
  v->shape = l->extents;
  v->strides = l->extents + RAIDO_MAX_RANK;
  v->len = v->itemsize;
  PyObject *first = x;
  Py_IncRef(first);
  for (int d = 0; d < t->rank; d++) {
    v->shape[d] = first != NULL && raido_py_is_list(first) ? PySequence_Size(first) : 0;
    PyObject *inner = v->shape[d] > 0 ? PySequence_GetItem(first, 0) : NULL;
    Py_DecRef(first);
    first = inner;
    v->len *= v->shape[d];
  }
  Py_DecRef(first);
  for (Py_ssize_t d = t->rank, stride = v->itemsize; d-- > 0; stride *= v->shape[d]) v->strides[d] = stride;
  char *bytes = malloc((size_t)v->len + 1), *to = bytes;
  if (bytes == NULL) {
    PyErr_NoMemory();
    return 1;
  }
  v->buf = l->bytes = bytes;
  return raido_py_numbers(m, type, v, 0, &to, x) || raido_py_place(m, leaf, v, 0);
}

RAIDO_FN int raido_py_array(struct raido_py_maker *m, int type, int leaf, PyObject *x) {
#ifdef RAIDO_DEVICE
  if (raido_py_is(x, (PyTypeObject *)raido_py.array) && ((struct raido_py_value *)x)->owner == m->owner) {
    struct raido_py_value *value = (struct raido_py_value *)x;
    struct raido_object *o = value->handle->object;
    const struct raido_type_info *t = &raido_interface[type];
    if (o->type != type) return raido_py_wrong(m, raido_type_of(o)->rank == t->rank ? PyExc_TypeError : PyExc_ValueError, "expected %s, got an array of type %s", t->name, raido_type_of(o)->name);
    struct raido_context *c = m->owner->context;
    PyThreadState *state = raido_py_enter(c);
    struct raido_value v = o->leaves[0];
    int failed = 0;
    if (!m->consumed && m->kept != NULL && m->kept[leaf] == '-') raido_data_hold(&c->main, v.data);
    else failed = raido_py_duplicate(c, &v);
    m->object->leaves[leaf] = v;
    char *error = failed ? raido_py_take_error(c) : NULL;
    raido_py_leave(c, state);
    if (failed) raido_py_raise(error);
    return failed;
  }
#if RAIDO_PY_DEVICE == RAIDO_PY_CUDA
  if (PyObject_HasAttrString(x, "__cuda_array_interface__")) return raido_py_cuda_array(m, type, leaf, x);
#endif
  if (raido_py_is(x, (PyTypeObject *)raido_py.array)) return raido_py_wrong(m, PyExc_ValueError, "the array belongs to another context");
#endif
  if (PyObject_CheckBuffer(x)) return raido_py_buffer(m, type, leaf, x);
  if (PyObject_HasAttrString(x, "__dlpack__") && PyObject_HasAttrString(x, "__dlpack_device__")) return raido_py_dlpack(m, type, leaf, x);
  return raido_py_is_list(x) ? raido_py_lists(m, type, leaf, x) : raido_py_through_numpy(m, type, leaf, x);
}
