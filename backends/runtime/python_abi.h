// python_abi.h - what an extension module uses of Python: the stable ABI of version 3.11, the first whose stable ABI has buffers.
//
// Declared here, a module needs no header of Python and is the same file for every version from 3.11 on. With RAIDO_PYTHON_HEADER
// the declarations are Python's own; the tests compile a module with them, so ours agree.
#ifdef RAIDO_PYTHON_HEADER
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#else
typedef intptr_t Py_ssize_t;
typedef struct _typeobject PyTypeObject;
typedef struct _ts PyThreadState;
typedef enum { PyGILState_LOCKED, PyGILState_UNLOCKED } PyGILState_STATE;
typedef struct { Py_ssize_t ob_refcnt; PyTypeObject *ob_type; } PyObject;
#define PyObject_HEAD PyObject ob_base;
typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef PyObject *(*getter)(PyObject *, void *);
typedef int (*setter)(PyObject *, PyObject *, void *);
typedef void (*PyCapsule_Destructor)(PyObject *);
typedef struct { const char *ml_name; PyCFunction ml_meth; int ml_flags; const char *ml_doc; } PyMethodDef;
typedef struct { const char *name; getter get; setter set; const char *doc; void *closure; } PyGetSetDef;
typedef struct { int slot; void *pfunc; } PyType_Slot;
typedef struct { const char *name; int basicsize, itemsize; unsigned int flags; PyType_Slot *slots; } PyType_Spec;
typedef struct { PyObject ob_base; PyObject *(*m_init)(void); Py_ssize_t m_index; PyObject *m_copy; } PyModuleDef_Base;
typedef struct {
  PyModuleDef_Base m_base;
  const char *m_name, *m_doc;
  Py_ssize_t m_size;
  PyMethodDef *m_methods;
  void *m_slots, *m_traverse, *m_clear, *m_free;
} PyModuleDef;
#define PyModuleDef_HEAD_INIT {{1, NULL}, NULL, 0, NULL}
#define PyModule_Create(def) PyModule_Create2(def, 3)
enum { METH_VARARGS = 1, METH_KEYWORDS = 2, METH_NOARGS = 4, METH_O = 8, METH_FASTCALL = 128 };
enum { Py_bf_getbuffer = 1, Py_bf_releasebuffer = 2, Py_sq_item = 44, Py_sq_length = 45, Py_tp_dealloc = 52, Py_tp_doc = 56, Py_tp_methods = 64,
       Py_tp_new = 65, Py_tp_repr = 66, Py_tp_getset = 73, Py_tp_free = 74, Py_mp_subscript = 5 };
enum { Py_TPFLAGS_DEFAULT = 0 };
#define Py_TPFLAGS_DISALLOW_INSTANTIATION (1UL << 7)
#define Py_TPFLAGS_BASETYPE (1UL << 10)
enum { PyBUF_WRITABLE = 1, PyBUF_FORMAT = 4, PyBUF_ND = 8, PyBUF_STRIDES = 16 | 8, PyBUF_FULL_RO = 0x100 | 16 | 8 | 4 };
extern PyObject *PyExc_BufferError, *PyExc_ImportError, *PyExc_IndexError, *PyExc_MemoryError, *PyExc_OverflowError, *PyExc_RuntimeError,
    *PyExc_TypeError, *PyExc_ValueError;
extern PyObject _Py_NoneStruct;
#define Py_None (&_Py_NoneStruct)
extern PyTypeObject PyBool_Type, PyDict_Type, PyTuple_Type, PyList_Type;
extern void Py_IncRef(PyObject *);
extern void Py_DecRef(PyObject *);
extern int Py_IsInitialized(void);
extern PyObject *PyBool_FromLong(long);
extern int PyBuffer_IsContiguous(const Py_buffer *, char);
extern void PyBuffer_Release(Py_buffer *);
extern int PyBuffer_ToContiguous(void *, const Py_buffer *, Py_ssize_t, char);
extern int PyBytes_AsStringAndSize(PyObject *, char **, Py_ssize_t *);
extern PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
extern char *PyBytes_AsString(PyObject *);
extern PyObject *PyCapsule_New(void *, const char *, PyCapsule_Destructor);
extern void *PyCapsule_GetPointer(PyObject *, const char *);
extern int PyCapsule_IsValid(PyObject *, const char *);
extern int PyCapsule_SetName(PyObject *, const char *);
extern PyObject *PyDict_New(void);
extern int PyDict_SetItemString(PyObject *, const char *, PyObject *);
extern int PyDict_Next(PyObject *, Py_ssize_t *, PyObject **, PyObject **);
extern Py_ssize_t PyDict_Size(PyObject *);
extern PyObject *PyDict_GetItemString(PyObject *, const char *);
extern void PyErr_Clear(void);
extern int PyErr_ExceptionMatches(PyObject *);
extern void PyErr_Fetch(PyObject **, PyObject **, PyObject **);
extern PyObject *PyErr_Format(PyObject *, const char *, ...);
extern PyObject *PyErr_NewExceptionWithDoc(const char *, const char *, PyObject *, PyObject *);
extern PyObject *PyErr_NoMemory(void);
extern PyObject *PyErr_Occurred(void);
extern void PyErr_Restore(PyObject *, PyObject *, PyObject *);
extern void PyErr_SetString(PyObject *, const char *);
extern void PyEval_RestoreThread(PyThreadState *);
extern PyThreadState *PyEval_SaveThread(void);
extern double PyFloat_AsDouble(PyObject *);
extern PyObject *PyFloat_FromDouble(double);
extern PyGILState_STATE PyGILState_Ensure(void);
extern void PyGILState_Release(PyGILState_STATE);
extern PyObject *PyImport_ImportModule(const char *);
extern long long PyLong_AsLongLong(PyObject *);
extern Py_ssize_t PyLong_AsSsize_t(PyObject *);
extern unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
extern void *PyLong_AsVoidPtr(PyObject *);
extern PyObject *PyLong_FromLongLong(long long);
extern PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
extern PyObject *PyList_New(Py_ssize_t);
extern int PyList_SetItem(PyObject *, Py_ssize_t, PyObject *);
extern int PyModule_AddObjectRef(PyObject *, const char *, PyObject *);
extern PyObject *PyModule_Create2(PyModuleDef *, int);
extern PyObject *PyNumber_Index(PyObject *);
extern PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *);
extern PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
extern PyObject *PyObject_CallObject(PyObject *, PyObject *);
extern int PyObject_CheckBuffer(PyObject *);
extern PyObject *PyObject_GetAttrString(PyObject *, const char *);
extern int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
extern int PyObject_HasAttrString(PyObject *, const char *);
extern int PyObject_IsInstance(PyObject *, PyObject *);
extern int PyObject_IsTrue(PyObject *);
extern PyObject *PyObject_Type(PyObject *);
extern int PySequence_Check(PyObject *);
extern PyObject *PySequence_GetItem(PyObject *, Py_ssize_t);
extern Py_ssize_t PySequence_Size(PyObject *);
extern PyObject *PySequence_Tuple(PyObject *);
extern PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
extern PyObject *PyTuple_New(Py_ssize_t);
extern int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
extern Py_ssize_t PyTuple_Size(PyObject *);
extern PyObject *PyType_FromSpec(PyType_Spec *);
extern PyObject *PyType_GenericAlloc(PyTypeObject *, Py_ssize_t);
extern void *PyType_GetSlot(PyTypeObject *, int);
extern const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);
extern PyObject *PyUnicode_FromFormat(const char *, ...);
extern PyObject *PyUnicode_FromString(const char *);
#endif
