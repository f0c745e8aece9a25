// python_module.h - the module: its functions and types.

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
  {Py_tp_doc, "Context(*, num_threads, mem_limit, params, device, cache, cpu, profiling, logging): a program that is ready to run."}, {0, NULL}};

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
