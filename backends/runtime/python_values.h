// python_values.h - the types Array and Opaque: what Python may do with a value that the program holds.

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
