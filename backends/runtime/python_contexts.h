// python_contexts.h - the type of contexts: calls of entry points, stored values, settings, reports.

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
  if (strcmp(name, "cpu") == 0) return raido_py_text_setting(cfg, RAIDO_TEXT_CPU, value);
  if (strcmp(name, "params") == 0) {
    Py_ssize_t at = 0;
    PyObject *key, *number;
    if (!raido_py_is(value, &PyDict_Type)) return PyErr_Format(PyExc_TypeError, "params is a dictionary") == NULL;
    while (PyDict_Next(value, &at, &key, &number)) if (raido_py_param(cfg, key, number) != 0) return 1;
    return 0;
  }
  int logging = strcmp(name, "logging") == 0, threads = strcmp(name, "num_threads") == 0;
  if (logging || strcmp(name, "profiling") == 0) {
    int flag = PyObject_IsTrue(value);
    *(logging ? &cfg->logging : &cfg->profiling) = flag;
    return flag < 0;
  }
  if (!threads && strcmp(name, "mem_limit") != 0) return PyErr_Format(PyExc_TypeError, "a context has no such setting: %s", name) == NULL;
  long long number = PyLong_AsLongLong(value);
  if (PyErr_Occurred() != NULL) return 1;
  if (number < 0 || (threads && number > 65536)) return PyErr_Format(PyExc_ValueError, "%s cannot be %lld", name, number) == NULL;
  if (threads) cfg->num_threads = (int)number;
  else cfg->mem_limit = number;
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
  return n == 0;
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
