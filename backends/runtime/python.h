// python.h - a program as an extension module of Python.
//
// The module has a type of contexts, whose method `call` runs an entry point, and two types of values. An Array is an array of numbers
// in a block of the program; an Opaque is a value that Python cannot look into. All else becomes values of Python: records and sums of
// the classes that the package sets for their types.
//
// An array of the caller is read where it lies under three conditions: it lies as C has it, the parameter does not consume it, and the
// result cannot keep it. Otherwise it is copied. An Array in a result is the only one that has its block, so Python may write to it: a
// block that something else has too, a top-level value for example, is copied.
//
// A thread that waits for the lock of a context does not hold the interpreter's. No thread waits for the interpreter's while it holds
// the lock of a context. A value that goes away while its context runs is freed later.

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
