// python.h - a program as an extension module of Python.
//
// The module has a type of contexts, whose method `call` runs an entry point, and two types of values. An Array is an array of numbers
// in a block of the program; an Opaque is a value that Python cannot look into. All else becomes values of Python: records and sums of
// the classes that the package sets for their types.
//
// An array of the caller is read where it lies, if it lies as C has it, the parameter does not consume it, and the result cannot keep it.
// Otherwise it is copied. An Array in a result is the only one that has its block, so Python may write to it: a block that something else
// has too, a top-level value for example, is copied.
//
// A thread that waits for the lock of a context does not have the interpreter's, and nobody waits for the interpreter's with the lock
// of a context. A value that goes away while its context runs is freed later.

struct raido_py_handle { struct raido_py_handle *next; struct raido_object *object; };
struct raido_py_context {
  PyObject_HEAD
  struct raido_config *config;
  struct raido_context *context;
  struct raido_py_handle *dropped;              // to be freed
};
struct raido_py_value {
  PyObject_HEAD
  struct raido_py_context *owner;
  struct raido_py_handle *handle;
};
static struct {
  PyObject *context, *array, *opaque, *error, *numpy, *classes[RAIDO_TYPES];
  int looked_for_numpy, all[RAIDO_LEAVES];      // all: the numbers of leaves in order
} raido_py;

// ---- Locks and errors ----

RAIDO_FN PyThreadState *raido_py_enter(struct raido_context *c) {
  PyThreadState *state = PyEval_SaveThread();
  raido_enter(c);
  return state;
}
RAIDO_FN void raido_py_leave(struct raido_context *c, PyThreadState *state) {
  raido_leave(c);
  PyEval_RestoreThread(state);
}

RAIDO_FN char *raido_py_take_error(struct raido_context *c) {
  char *error = c->main.error;
  c->main.error = NULL;
  return error;
}

RAIDO_FN void *raido_py_raise(char *error) {
  if (error == NULL) return PyErr_NoMemory();
  int code = raido_error_code(error);
  PyObject *kind = code == RAIDO_PROGRAM_ERROR ? raido_py.error : code == RAIDO_OUT_OF_MEMORY ? PyExc_MemoryError : PyExc_ValueError;
  const char *text = raido_error_text(error);
  int n = (int)strlen(text);
  while (n > 0 && text[n - 1] == '\n') n--;
  char *trimmed = malloc((size_t)n + 1);
  if (trimmed == NULL) {
    PyErr_NoMemory();
  } else {
    memcpy(trimmed, text, (size_t)n);
    trimmed[n] = 0;
    PyErr_SetString(kind, strncmp(trimmed, "Error: ", 7) == 0 ? trimmed + 7 : trimmed);
    free(trimmed);
  }
  raido_free_error(error);
  return NULL;
}

// Frees what was dropped, unless the context runs: then whoever runs it does so at the end.
RAIDO_FN void raido_py_drain(struct raido_py_context *x) {
  struct raido_context *c = x->context;
  if (x->dropped == NULL || pthread_mutex_trylock(&c->use) != 0) return;
#ifdef RAIDO_DEVICE
  raido_device_enter(c);
#endif
  while (x->dropped != NULL) {
    struct raido_py_handle *h = x->dropped;
    x->dropped = h->next;
    raido_object_free(c, h->object);
    free(h);
  }
  raido_leave(c);
}

// ---- DLPack (version 0.x, which every library reads) ----

struct raido_dl_tensor {
  void *data;
  i32 device_type, device;
  i32 rank;
  u8 code, bits;
  u16 lanes;
  i64 *shape, *strides;
  u64 offset;
};
struct raido_dl_managed {
  struct raido_dl_tensor tensor;
  void *manager;
  void (*deleter)(struct raido_dl_managed *);
};
#define RAIDO_PY_HOST 1
#define RAIDO_PY_CUDA 2

// ---- Arguments ----

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
  if (t == RAIDO_F16) { f16 v = raido_f32_to_f16((f32)value); memcpy(to, &v, sizeof v); }
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
  if (t->leaf_count == 0 && m->object->type == type) m->object->leaves[0] = o->leaves[0];     // its shape
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
  if (t->leaf_count == 0 && m->object->type == type) m->object->leaves[0] = array->leaves[0];
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
  return t->part_count > 0 && t->leaf_count > 0 ? raido_py_record(m, type, at, x) : raido_py_list_of(m, type, at, x);
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

// ---- Results ----

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
  int array = t->kind == RAIDO_ARRAY && raido_is_primitive(t->elem), n = t->leaf_count > 0 ? t->leaf_count : 1;
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
  if (t->leaf_count == 0 && o->type == type) own->leaves[0] = o->leaves[0];       // the shape
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
  if (t->kind == RAIDO_RECORD || (t->part_count > 0 && t->leaf_count > 0)) {
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

// ---- Contexts ----

// call(number of an entry point, its arguments)
RAIDO_FN PyObject *raido_py_call(PyObject *self, PyObject *const *args, Py_ssize_t n) {
  struct raido_py_context *x = (struct raido_py_context *)self;
  struct raido_context *c = x->context;
  long long number = n > 0 ? PyLong_AsLongLong(args[0]) : -1;
  if (number < 0 || number >= RAIDO_ENTRIES) return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ValueError, "there is no such entry point");
  const struct raido_entry *e = &raido_entries[number];
  if (n - 1 != e->input_count) return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, got %d", e->name, e->input_count, (int)n - 1);

  struct raido_object *objects[RAIDO_INPUTS] = {NULL}, *result = NULL;
  unsigned char scalars[RAIDO_INPUTS][8];
  const void *in[RAIDO_INPUTS];
  struct raido_py_lent *lent = NULL;
  const char *kept = e->kept;
  int failed = 0;
  for (int k = 0; k < e->input_count && !failed; k++) {
    const struct raido_input_info *input = &e->inputs[k];
    if (raido_is_primitive(input->type)) {
      struct raido_py_maker m = {x, NULL, NULL, 0, NULL, {0}};
      snprintf(m.where, sizeof m.where, "%s", input->name);
      failed = raido_py_scalar(&m, raido_interface[input->type].leaves[0].type, args[k + 1], scalars[k]);
      in[k] = scalars[k];
    } else {
      objects[k] = raido_py_make(x, input->type, args[k + 1], kept, input->consumed, input->name, &lent);
      failed = objects[k] == NULL;
      in[k] = objects[k];
    }
    kept += raido_interface[input->type].leaf_count;
  }
  PyObject *type = NULL, *value = NULL, *trace = NULL;
  if (failed) PyErr_Fetch(&type, &value, &trace);

  char *error = NULL;
  PyThreadState *state = raido_py_enter(c);
  if (!failed && raido_call(c, e, in, &result) == 0) {
    for (int k = 0; k < e->input_count; k++) raido_object_free(c, objects[k]);
    if (raido_py_own(c, result, result->type, raido_py.all) != 0) {
      raido_object_free(c, result);
      result = NULL;
    }
  } else {
    for (int k = 0; k < e->input_count; k++) raido_object_free(c, objects[k]);
  }
  if (!failed && result == NULL) error = raido_py_take_error(c);
  raido_py_leave(c, state);
  raido_py_return(lent);
  raido_py_drain(x);
  if (failed) {
    PyErr_Restore(type, value, trace);
    return NULL;
  }
  return result == NULL ? raido_py_raise(error) : raido_py_result(x, result);
}

RAIDO_FN int raido_py_text_setting(struct raido_config *cfg, int which, PyObject *value) {
  const char *text = value == Py_None ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
  if (value != Py_None && text == NULL) return 1;
  if (raido_config_text(cfg, which, text) == 0) return 0;
  PyErr_NoMemory();
  return 1;
}

RAIDO_FN int raido_py_param(struct raido_config *cfg, PyObject *name, PyObject *value) {
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  long long number = text == NULL ? 0 : PyLong_AsLongLong(value);
  if (PyErr_Occurred() != NULL) return 1;
  if (raido_config_param(cfg, text, number) == 0) return 0;
  PyErr_Format(PyExc_ValueError, "the program has no parameter `%s`", text);
  return 1;
}

RAIDO_FN int raido_py_setting(struct raido_config *cfg, const char *name, PyObject *value) {
  if (strcmp(name, "device") == 0) return raido_py_text_setting(cfg, RAIDO_TEXT_DEVICE, value);
  if (strcmp(name, "cache") == 0) return raido_py_text_setting(cfg, RAIDO_TEXT_CACHE, value);
  if (strcmp(name, "params") == 0) {
    Py_ssize_t at = 0;
    PyObject *key, *number;
    if (!raido_py_is(value, &PyDict_Type)) return PyErr_Format(PyExc_TypeError, "params is a dictionary") == NULL;
    while (PyDict_Next(value, &at, &key, &number)) if (raido_py_param(cfg, key, number) != 0) return 1;
    return 0;
  }
  int flag = strcmp(name, "logging") == 0 || strcmp(name, "profiling") == 0;
  long long number = flag ? PyObject_IsTrue(value) : PyLong_AsLongLong(value);
  if (PyErr_Occurred() != NULL) return 1;
  if (strcmp(name, "logging") == 0) cfg->logging = (int)number;
  else if (strcmp(name, "profiling") == 0) cfg->profiling = (int)number;
  else if (strcmp(name, "num_threads") == 0 && number >= 0 && number <= 65536) cfg->num_threads = (int)number;
  else if (strcmp(name, "mem_limit") == 0 && number >= 0) cfg->mem_limit = number;
  else return PyErr_Format(PyExc_TypeError, "a context has no such setting: %s", name) == NULL;
  return 0;
}

RAIDO_FN PyObject *raido_py_context_new(PyTypeObject *type, PyObject *args, PyObject *words) {
  if (PyTuple_Size(args) != 0) return PyErr_Format(PyExc_TypeError, "the settings of a context have names");
  struct raido_py_context *x = (struct raido_py_context *)PyType_GenericAlloc(type, 0);
  if (x == NULL) return NULL;
  x->config = raido_config_new();
  Py_ssize_t at = 0;
  PyObject *key, *value;
  int failed = x->config == NULL;
  if (failed) PyErr_NoMemory();
  while (!failed && words != NULL && PyDict_Next(words, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    failed = name == NULL || raido_py_setting(x->config, name, value) != 0;
  }
  if (!failed) {
    PyThreadState *state = PyEval_SaveThread();
    x->context = raido_context_new(x->config, "program");
    PyEval_RestoreThread(state);
    if (x->context == NULL) {
      PyErr_NoMemory();
      failed = 1;
    } else if (!x->context->started) {
      raido_py_raise(raido_py_take_error(x->context));
      failed = 1;
    }
  }
  if (!failed) return (PyObject *)x;
  Py_DecRef((PyObject *)x);
  return NULL;
}

RAIDO_FN void raido_py_free_instance(PyObject *self) {
  PyObject *type = PyObject_Type(self);
  void *slot = PyType_GetSlot((PyTypeObject *)type, Py_tp_free);
  void (*release)(void *);
  memcpy(&release, &slot, sizeof release);
  release(self);
  Py_DecRef(type);
  Py_DecRef(type);                                  // that of the instance
}

RAIDO_FN void raido_py_context_dealloc(PyObject *self) {
  struct raido_py_context *x = (struct raido_py_context *)self;
  if (x->context != NULL) {
    raido_py_drain(x);
    raido_context_free(x->context);
  }
  raido_config_free(x->config);
  raido_py_free_instance(self);
}

RAIDO_FN PyObject *raido_py_set_param(PyObject *self, PyObject *const *args, Py_ssize_t n) {
  struct raido_py_context *x = (struct raido_py_context *)self;
  if (n != 2) return PyErr_Format(PyExc_TypeError, "set_param takes a name and a number");
  const char *text = PyUnicode_AsUTF8AndSize(args[0], NULL);
  long long number = text == NULL ? 0 : PyLong_AsLongLong(args[1]);
  if (PyErr_Occurred() != NULL) return NULL;
  PyThreadState *state = raido_py_enter(x->context);
  int unknown = raido_config_param(x->config, text, number);
  raido_py_leave(x->context, state);
  if (unknown) return PyErr_Format(PyExc_ValueError, "the program has no parameter `%s`", text);
  Py_IncRef(Py_None);
  return Py_None;
}

RAIDO_FN PyObject *raido_py_report(PyObject *self, PyObject *none) {
  (void)none;
  PyThreadState *state = PyEval_SaveThread();
  char *text = raido_report(((struct raido_py_context *)self)->context);
  PyEval_RestoreThread(state);
  if (text == NULL) return PyErr_NoMemory();
  PyObject *out = PyUnicode_FromString(text);
  free(text);
  return out;
}

RAIDO_FN PyObject *raido_py_clear(PyObject *self, PyObject *none) {
  (void)none;
  PyThreadState *state = PyEval_SaveThread();
  raido_clear_caches(((struct raido_py_context *)self)->context);
  PyEval_RestoreThread(state);
  Py_IncRef(Py_None);
  return Py_None;
}

// Whether the bytes are those of a stored value of the type: raido_restore knows no end.
RAIDO_FN int raido_py_restorable(int type, const char *p, Py_ssize_t n) {
  const struct raido_type_info *t = &raido_interface[type];
  for (int k = 0; k < t->leaf_count; k++) {
    i64 head = RAIDO_DATA_HEAD + 8 * (i64)t->leaves[k].rank, bytes = raido_types[t->leaves[k].type].bytes;
    if (n < head) return 0;
    for (int d = 0; d < t->leaves[k].rank; d++) {
      i64 extent;
      memcpy(&extent, p + RAIDO_DATA_HEAD + 8 * d, 8);
      bytes = raido_size(bytes, extent);
    }
    if (bytes < 0 || bytes > n - head) return 0;
    p += head + bytes;
    n -= head + bytes;
  }
  return t->leaf_count == 0 || n == 0;
}

// restore(type, bytes): what Opaque.store gave.
RAIDO_FN PyObject *raido_py_restore(PyObject *self, PyObject *const *args, Py_ssize_t n) {
  struct raido_py_context *x = (struct raido_py_context *)self;
  const char *text = n == 2 ? PyUnicode_AsUTF8AndSize(args[0], NULL) : NULL;
  char *bytes;
  Py_ssize_t size;
  if (n == 2 && text == NULL) return NULL;
  if (n != 2) return PyErr_Format(PyExc_TypeError, "restore takes a type and bytes");
  if (PyBytes_AsStringAndSize(args[1], &bytes, &size) != 0) return NULL;
  for (int k = 0; k < RAIDO_TYPES; k++) {
    if (strcmp(raido_interface[k].name, text) != 0) continue;
    if (!raido_py_restorable(k, bytes, size)) return PyErr_Format(PyExc_ValueError, "the bytes are not a stored value of type %s", text);
    PyThreadState *state = PyEval_SaveThread();
    struct raido_object *o = raido_restore(x->context, k, bytes);
    raido_enter(x->context);
    char *error = o == NULL ? raido_py_take_error(x->context) : NULL;
    raido_py_leave(x->context, state);
    if (o == NULL && error == NULL) return PyErr_Format(PyExc_ValueError, "the bytes are not a stored value of type %s", text);
    return o == NULL ? raido_py_raise(error) : raido_py_result(x, o);
  }
  return PyErr_Format(PyExc_ValueError, "the program has no type %s", text);
}

// ---- Values ----

RAIDO_FN void raido_py_value_dealloc(PyObject *self) {
  struct raido_py_value *x = (struct raido_py_value *)self;
  struct raido_py_context *owner = x->owner;
  if (x->handle != NULL) {
    x->handle->next = owner->dropped;
    owner->dropped = x->handle;
    raido_py_drain(owner);
    Py_DecRef((PyObject *)owner);
  }
  raido_py_free_instance(self);
}

RAIDO_FN struct raido_object *raido_py_object(PyObject *self) { return ((struct raido_py_value *)self)->handle->object; }

RAIDO_FN PyObject *raido_py_shape(PyObject *self, void *none) {
  (void)none;
  const struct raido_object *o = raido_py_object(self);
  int rank = raido_type_of(o)->rank;
  PyObject *shape = PyTuple_New(rank);
  for (int d = 0; d < rank && shape != NULL; d++) PyTuple_SetItem(shape, d, PyLong_FromLongLong(o->leaves[0].shape[d]));
  return shape;
}
RAIDO_FN PyObject *raido_py_type(PyObject *self, void *none) {
  (void)none;
  return PyUnicode_FromString(raido_type_of(raido_py_object(self))->name);
}
RAIDO_FN Py_ssize_t raido_py_length(PyObject *self) {
  const struct raido_object *o = raido_py_object(self);
  if (raido_type_of(o)->rank > 0) return (Py_ssize_t)o->leaves[0].shape[0];
  PyErr_Format(PyExc_TypeError, "a value of type %s has no length", raido_type_of(o)->name);
  return -1;
}
RAIDO_FN PyObject *raido_py_value_repr(PyObject *self) {
  const struct raido_object *o = raido_py_object(self);
  PyObject *shape = raido_py_shape(self, NULL), *out;
  if (shape == NULL) return NULL;
  out = raido_type_of(o)->rank > 0 ? PyUnicode_FromFormat("<%s of shape %R>", raido_type_of(o)->name, shape) : PyUnicode_FromFormat("<%s>", raido_type_of(o)->name);
  Py_DecRef(shape);
  return out;
}

// An element of an Opaque array.
RAIDO_FN PyObject *raido_py_subscript(PyObject *self, PyObject *key) {
  struct raido_py_value *x = (struct raido_py_value *)self;
  struct raido_object *o = x->handle->object, *element = NULL;
  const struct raido_type_info *t = raido_type_of(o);
  i64 at[RAIDO_MAX_RANK];
  int tuple = raido_py_is(key, &PyTuple_Type);
  if (t->rank == 0 || (tuple ? PyTuple_Size(key) : 1) != t->rank) return PyErr_Format(PyExc_TypeError, "a value of type %s takes %d indices", t->name, t->rank);
  for (int d = 0; d < t->rank; d++) {
    PyObject *index = PyNumber_Index(tuple ? PyTuple_GetItem(key, d) : key);
    if (index == NULL) return NULL;
    at[d] = PyLong_AsLongLong(index);
    Py_DecRef(index);
    if (PyErr_Occurred() != NULL) return NULL;
    if (at[d] < 0) at[d] += o->leaves[0].shape[d];
    if (at[d] < 0 || at[d] >= o->leaves[0].shape[d]) return PyErr_Format(PyExc_IndexError, "index out of bounds");
  }
  PyThreadState *state = PyEval_SaveThread();
  int failed = raido_index(x->owner->context, &element, o, at);
  raido_enter(x->owner->context);
  char *error = failed ? raido_py_take_error(x->owner->context) : NULL;
  raido_py_leave(x->owner->context, state);
  return failed ? raido_py_raise(error) : raido_py_result(x->owner, element);
}

// For loops.
RAIDO_FN PyObject *raido_py_item(PyObject *self, Py_ssize_t k) {
  PyObject *key = PyLong_FromLongLong(k), *out = key == NULL ? NULL : raido_py_subscript(self, key);
  Py_DecRef(key);
  return out;
}

RAIDO_FN PyObject *raido_py_store(PyObject *self, PyObject *none) {
  (void)none;
  struct raido_py_value *x = (struct raido_py_value *)self;
  void *bytes = NULL;
  size_t n;
  PyThreadState *state = PyEval_SaveThread();
  int failed = raido_store(x->owner->context, x->handle->object, &bytes, &n);
  raido_enter(x->owner->context);
  char *error = failed ? raido_py_take_error(x->owner->context) : NULL;
  raido_py_leave(x->owner->context, state);
  if (failed) return raido_py_raise(error);
  PyObject *out = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
  free(bytes);
  return out;
}

RAIDO_FN void *raido_py_address(const struct raido_object *o) {
#ifdef RAIDO_DEVICE
  return (void *)(uintptr_t)((struct raido_memory *)o->leaves[0].data)->device;
#else
  return o->leaves[0].data;
#endif
}

#ifndef RAIDO_DEVICE
static char *const raido_py_formats[] = {"b", "h", "i", sizeof(long) == 8 ? "l" : "q", "B", "H", "I", sizeof(long) == 8 ? "L" : "Q", "e", "f", "d", "?"};

RAIDO_FN int raido_py_getbuffer(PyObject *self, Py_buffer *view, int flags) {
  struct raido_object *o = raido_py_object(self);
  struct raido_value *v = &o->leaves[0];
  i64 stride = raido_types[v->type].bytes;
  view->buf = v->data;
  view->obj = self;
  view->len = raido_value_bytes(v);
  view->itemsize = raido_types[v->type].bytes;
  view->readonly = 0;
  view->ndim = v->rank;
  view->format = (flags & PyBUF_FORMAT) ? raido_py_formats[v->type] : NULL;
  view->shape = NULL;
  view->strides = NULL;
  view->suboffsets = NULL;
  view->internal = calloc(2 * (size_t)v->rank, sizeof(Py_ssize_t));
  if (view->internal == NULL) {
    view->obj = NULL;
    PyErr_NoMemory();
    return -1;
  }
  Py_ssize_t *extents = view->internal;
  for (int d = v->rank; d-- > 0; stride *= v->shape[d]) {
    extents[d] = (Py_ssize_t)v->shape[d];
    extents[v->rank + d] = (Py_ssize_t)stride;
  }
  if (flags & PyBUF_ND) view->shape = extents;
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = extents + v->rank;
  Py_IncRef(self);
  return 0;
}
RAIDO_FN void raido_py_releasebuffer(PyObject *self, Py_buffer *view) {
  (void)self;
  free(view->internal);
}
#endif

RAIDO_FN void raido_py_dl_delete(struct raido_dl_managed *t) {
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DecRef(t->manager);
    PyGILState_Release(state);
  }
  free(t);
}
RAIDO_FN void raido_py_capsule_end(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;              // whoever took it frees it
  raido_py_dl_delete(PyCapsule_GetPointer(capsule, "dltensor"));
}

RAIDO_FN PyObject *raido_py_dl_device(PyObject *self, PyObject *none) {
  (void)none, (void)self;
  PyObject *out = PyTuple_New(2);
  if (out == NULL) return NULL;
  PyTuple_SetItem(out, 0, PyLong_FromLongLong(RAIDO_PY_DEVICE));
#ifdef RAIDO_DEVICE
  PyTuple_SetItem(out, 1, PyLong_FromLongLong(dev_number(&((struct raido_py_value *)self)->owner->context->device->dev)));
#else
  PyTuple_SetItem(out, 1, PyLong_FromLongLong(0));
#endif
  return out;
}

// __dlpack__(*, stream, max_version, dl_device, copy). A call waits for its end, so no stream has to wait for another.
RAIDO_FN PyObject *raido_py_dl_export(PyObject *self, PyObject *args, PyObject *words) {
  static const u8 codes[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 6};
  if (PyTuple_Size(args) > 0) return PyErr_Format(PyExc_TypeError, "__dlpack__ takes no arguments without names");
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (words != NULL && PyDict_Next(words, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (name == NULL) return NULL;
    if (value == Py_None || strcmp(name, "stream") == 0 || strcmp(name, "max_version") == 0) continue;
    if (strcmp(name, "copy") == 0 && PyObject_IsTrue(value) == 0) continue;
    if (strcmp(name, "dl_device") == 0) {
      PyObject *kind = PySequence_GetItem(value, 0);
      long long number = kind == NULL ? -1 : PyLong_AsLongLong(kind);
      Py_DecRef(kind);
      if (number == RAIDO_PY_DEVICE) continue;
      PyErr_Clear();
    }
    return PyErr_Format(PyExc_BufferError, "the memory of the array can only be shared as it is");
  }
  struct raido_value *v = &raido_py_object(self)->leaves[0];
  struct raido_dl_managed *t = calloc(1, sizeof *t);
  if (t == NULL) return PyErr_NoMemory();
  PyObject *device = raido_py_dl_device(self, NULL);
  if (device == NULL) {
    free(t);
    return NULL;
  }
  t->tensor.data = raido_py_address(raido_py_object(self));
  t->tensor.device_type = RAIDO_PY_DEVICE;
  t->tensor.device = (i32)PyLong_AsLongLong(PyTuple_GetItem(device, 1));
  Py_DecRef(device);
  t->tensor.rank = v->rank;
  t->tensor.code = codes[v->type];
  t->tensor.bits = (u8)(8 * raido_types[v->type].bytes);
  t->tensor.lanes = 1;
  t->tensor.shape = v->shape;
  t->manager = self;
  t->deleter = raido_py_dl_delete;
  PyObject *capsule = PyCapsule_New(t, "dltensor", raido_py_capsule_end);
  if (capsule == NULL) free(t);
  else Py_IncRef(self);
  return capsule;
}

// The elements of an array are copied to the host.
RAIDO_FN int raido_py_fetch(struct raido_py_value *x, void *to) {
  PyThreadState *state = PyEval_SaveThread();
  int failed = raido_array_values(x->owner->context, x->handle->object, to);
  raido_enter(x->owner->context);
  char *error = failed ? raido_py_take_error(x->owner->context) : NULL;
  raido_py_leave(x->owner->context, state);
  if (failed) raido_py_raise(error);
  return failed;
}

RAIDO_FN PyObject *raido_py_nested(const struct raido_value *v, int depth, const char **from) {
  if (depth == v->rank) {
    const char *p = *from;
    *from += raido_types[v->type].bytes;
    return raido_py_number(v->type, p);
  }
  PyObject *list = PyList_New((Py_ssize_t)v->shape[depth]);
  for (i64 k = 0; k < v->shape[depth] && list != NULL; k++) {
    PyObject *item = raido_py_nested(v, depth + 1, from);
    if (item != NULL && PyList_SetItem(list, (Py_ssize_t)k, item) == 0) continue;
    Py_DecRef(list);
    return NULL;
  }
  return list;
}
RAIDO_FN PyObject *raido_py_tolist(PyObject *self, PyObject *none) {
  (void)none;
  const struct raido_value *v = &raido_py_object(self)->leaves[0];
  char *bytes = malloc((size_t)raido_value_bytes(v) + 1);
  const char *at = bytes;
  if (bytes == NULL) return PyErr_NoMemory();
  PyObject *out = raido_py_fetch((struct raido_py_value *)self, bytes) == 0 ? raido_py_nested(v, 0, &at) : NULL;
  free(bytes);
  return out;
}

// An array of NumPy: of the host, the memory itself; of a device, a copy.
RAIDO_FN PyObject *raido_py_to_numpy(PyObject *self, PyObject *none) {
  (void)none;
#ifndef RAIDO_DEVICE
  PyObject *asarray = raido_py_numpy("asarray");
  if (asarray == NULL) return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ImportError, "NumPy is not installed");
  PyObject *array = PyObject_CallFunctionObjArgs(asarray, self, NULL);
  Py_DecRef(asarray);
  return array;
#else
  static const char *const raido_py_dtypes[] = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "bool"};
  struct raido_py_value *x = (struct raido_py_value *)self;
  struct raido_object *o = x->handle->object;
  PyObject *empty = raido_py_numpy("empty");
  if (empty == NULL) return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ImportError, "NumPy is not installed");
  PyObject *shape = raido_py_shape(self, NULL), *dtype = PyUnicode_FromString(raido_py_dtypes[o->leaves[0].type]);
  PyObject *array = shape == NULL || dtype == NULL ? NULL : PyObject_CallFunctionObjArgs(empty, shape, dtype, NULL);
  Py_DecRef(dtype);
  Py_DecRef(shape);
  Py_DecRef(empty);
  Py_buffer view;
  if (array == NULL) return NULL;
  if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) != 0) {
    Py_DecRef(array);
    return NULL;
  }
  int failed = raido_py_fetch(x, view.buf);
  PyBuffer_Release(&view);
  if (!failed) return array;
  Py_DecRef(array);
  return NULL;
#endif
}

// __array__(dtype, copy): NumPy converts it further itself.
RAIDO_FN PyObject *raido_py_as_array(PyObject *self, PyObject *args, PyObject *words) {
  PyObject *array = raido_py_to_numpy(self, NULL), *dtype = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : NULL;
  if (dtype == NULL && words != NULL) dtype = PyDict_GetItemString(words, "dtype");
  if (array == NULL || dtype == NULL || dtype == Py_None) return array;
  PyObject *convert = PyObject_GetAttrString(array, "astype"), *out = convert == NULL ? NULL : PyObject_CallFunctionObjArgs(convert, dtype, NULL);
  Py_DecRef(convert);
  Py_DecRef(array);
  return out;
}

#if RAIDO_PY_DEVICE == RAIDO_PY_CUDA
RAIDO_FN PyObject *raido_py_cuda_interface(PyObject *self, void *none) {
  (void)none;
  struct raido_object *o = raido_py_object(self);
  enum raido_type t = o->leaves[0].type;
  PyObject *out = PyDict_New(), *shape = raido_py_shape(self, NULL), *data = PyTuple_New(2), *version = PyLong_FromLongLong(3);
  PyObject *elements = PyUnicode_FromFormat("%s%c%d", raido_types[t].bytes == 1 ? "|" : "<", raido_py_kind_of(t), raido_types[t].bytes);
  if (data != NULL) {
    PyTuple_SetItem(data, 0, PyLong_FromUnsignedLongLong((u64)(raido_value_bytes(&o->leaves[0]) > 0 ? (uintptr_t)raido_py_address(o) : 0)));
    PyTuple_SetItem(data, 1, PyBool_FromLong(0));
  }
  if (out != NULL && shape != NULL && data != NULL && version != NULL && elements != NULL) {
    PyDict_SetItemString(out, "shape", shape);
    PyDict_SetItemString(out, "typestr", elements);
    PyDict_SetItemString(out, "data", data);
    PyDict_SetItemString(out, "version", version);
  }
  Py_DecRef(elements);
  Py_DecRef(version);
  Py_DecRef(data);
  Py_DecRef(shape);
  if (PyErr_Occurred() == NULL) return out;
  Py_DecRef(out);
  return NULL;
}
#endif

// ---- The module ----

// set_class(number of a type, the class of its values, or the tuple of the classes of its variants)
RAIDO_FN PyObject *raido_py_set_class(PyObject *module, PyObject *const *args, Py_ssize_t n) {
  (void)module;
  long long number = n == 2 ? PyLong_AsLongLong(args[0]) : -1;
  if (number < 0 || number >= RAIDO_TYPES) return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ValueError, "there is no such type");
  Py_IncRef(args[1]);
  Py_DecRef(raido_py.classes[number]);
  raido_py.classes[number] = args[1];
  Py_IncRef(Py_None);
  return Py_None;
}

#define RAIDO_PY_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef raido_py_context_methods[] = {
  {"call", RAIDO_PY_FUNCTION(raido_py_call), METH_FASTCALL, "call(number, *arguments): run an entry point"},
  {"set_param", RAIDO_PY_FUNCTION(raido_py_set_param), METH_FASTCALL, "set_param(name, number): set a parameter from the next call on"},
  {"report", raido_py_report, METH_NOARGS, "What was measured, as JSON."},
  {"clear_caches", raido_py_clear, METH_NOARGS, "Give memory that is kept for later calls back to the system."},
  {"restore", RAIDO_PY_FUNCTION(raido_py_restore), METH_FASTCALL, "restore(type, bytes): the value that Opaque.store wrote"},
  {NULL, NULL, 0, NULL}};
static PyType_Slot raido_py_context_slots[] = {
  {Py_tp_new, (void *)raido_py_context_new}, {Py_tp_dealloc, (void *)raido_py_context_dealloc}, {Py_tp_methods, raido_py_context_methods},
  {Py_tp_doc, "Context(*, num_threads, mem_limit, params, device, cache, profiling, logging): a program that is ready to run."}, {0, NULL}};

static PyMethodDef raido_py_array_methods[] = {
  {"tolist", raido_py_tolist, METH_NOARGS, "The numbers, in lists of lists."},
  {"numpy", raido_py_to_numpy, METH_NOARGS, "An array of NumPy; of a device, a copy."},
  {"__array__", RAIDO_PY_FUNCTION(raido_py_as_array), METH_VARARGS | METH_KEYWORDS, NULL},
  {"__dlpack__", RAIDO_PY_FUNCTION(raido_py_dl_export), METH_VARARGS | METH_KEYWORDS, NULL},
  {"__dlpack_device__", raido_py_dl_device, METH_NOARGS, NULL},
  {NULL, NULL, 0, NULL}};
static PyGetSetDef raido_py_array_members[] = {
  {"shape", raido_py_shape, NULL, "The extents.", NULL},
  {"type", raido_py_type, NULL, "The type as the program writes it.", NULL},
#if RAIDO_PY_DEVICE == RAIDO_PY_CUDA
  {"__cuda_array_interface__", raido_py_cuda_interface, NULL, NULL, NULL},
#endif
  {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot raido_py_array_slots[] = {
  {Py_tp_dealloc, (void *)raido_py_value_dealloc}, {Py_tp_methods, raido_py_array_methods}, {Py_tp_getset, raido_py_array_members},
  {Py_tp_repr, (void *)raido_py_value_repr}, {Py_sq_length, (void *)raido_py_length},
#ifndef RAIDO_DEVICE
  {Py_bf_getbuffer, (void *)raido_py_getbuffer}, {Py_bf_releasebuffer, (void *)raido_py_releasebuffer},
#endif
  {Py_tp_doc, "An array of numbers in memory of the program."}, {0, NULL}};

static PyMethodDef raido_py_opaque_methods[] = {
  {"store", raido_py_store, METH_NOARGS, "The value as bytes, for Context.restore."},
  {NULL, NULL, 0, NULL}};
static PyGetSetDef raido_py_opaque_members[] = {
  {"shape", raido_py_shape, NULL, "The extents of an array.", NULL},
  {"type", raido_py_type, NULL, "The type as the program writes it.", NULL},
  {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot raido_py_opaque_slots[] = {
  {Py_tp_dealloc, (void *)raido_py_value_dealloc}, {Py_tp_methods, raido_py_opaque_methods}, {Py_tp_getset, raido_py_opaque_members},
  {Py_tp_repr, (void *)raido_py_value_repr}, {Py_sq_length, (void *)raido_py_length}, {Py_sq_item, (void *)raido_py_item}, {Py_mp_subscript, (void *)raido_py_subscript},
  {Py_tp_doc, "A value of the program that Python cannot look into."}, {0, NULL}};

static PyMethodDef raido_py_functions[] = {
  {"set_class", RAIDO_PY_FUNCTION(raido_py_set_class), METH_FASTCALL, "set_class(type, class): what values of this type become"},
  {NULL, NULL, 0, NULL}};
static PyModuleDef raido_py_module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, raido_py_functions, NULL, NULL, NULL, NULL};

__attribute__((visibility("default"))) PyObject *PyInit__native(void);
PyObject *PyInit__native(void) {
  PyType_Spec context = {RAIDO_PY_PACKAGE ".Context", sizeof(struct raido_py_context), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, raido_py_context_slots};
  PyType_Spec array = {RAIDO_PY_PACKAGE ".Array", sizeof(struct raido_py_value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, raido_py_array_slots};
  PyType_Spec opaque = {RAIDO_PY_PACKAGE ".Opaque", sizeof(struct raido_py_value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, raido_py_opaque_slots};
  PyObject *m = PyModule_Create(&raido_py_module);
  for (int k = 0; k < RAIDO_LEAVES; k++) raido_py.all[k] = k;
  raido_py.context = PyType_FromSpec(&context);
  raido_py.array = PyType_FromSpec(&array);
  raido_py.opaque = PyType_FromSpec(&opaque);
  raido_py.error = PyErr_NewExceptionWithDoc(RAIDO_PY_PACKAGE ".Error", "The program failed: an assertion, a bound, a conversion.", PyExc_RuntimeError, NULL);
  if (m != NULL && raido_py.context != NULL && raido_py.array != NULL && raido_py.opaque != NULL && raido_py.error != NULL &&
      PyModule_AddObjectRef(m, "Context", raido_py.context) == 0 && PyModule_AddObjectRef(m, "Array", raido_py.array) == 0 &&
      PyModule_AddObjectRef(m, "Opaque", raido_py.opaque) == 0 && PyModule_AddObjectRef(m, "Error", raido_py.error) == 0)
    return m;
  Py_DecRef(m);
  return NULL;
}
