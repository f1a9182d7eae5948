/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp._core: what the files of the extension share. Each function takes positional arguments that the
 * Python files of the package have checked; here only what memory safety needs is checked again. No NumPy
 * header is used: arrays come by the buffer protocol, or as the type Memory. */
#ifndef ISOWARP_PYTHON_CORE_H
#define ISOWARP_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#ifndef Py_GIL_DISABLED /* free-threaded builds of Python before 3.15 have no limited API */
#define Py_LIMITED_API 0x030b0000
#endif
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <isowarp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* ---- context.c ---- */

/* What the simulated GPU found, as copies. */
typedef struct finding {
  char *check, *message, *file, *other_file; /* the last two may be NULL */
  int is_error, line, other_line;
  uint64_t count, seed;
} finding;

/* A context of the library that any thread may use: the lock makes them take turns. Counted, because results
 * in device memory are freed through the context that they were allocated in, whichever thread frees them.
 */
typedef struct locked_context {
  iw_context *iw;
  pthread_mutex_t lock;
  atomic_size_t references;
  iw_backend backend; /* of the options that it was opened with */
  int device;
  finding *findings; /* since the last take_findings(), under the lock */
  size_t finding_count;
} locked_context;

/* The calling thread's context for host memory, or for a CUDA device (device >= 0); opened at first use.
 * NULL with a Python exception. Borrowed: the thread keeps it. */
locked_context *thread_context(int device);
void context_keep(locked_context *c);
/* The context of an argument: a Context, or None for the thread's. NULL with an exception. */
locked_context *context_argument(PyObject *object);
void context_release(locked_context *c);
/* A list of tuples of the findings, which are removed. Called with the GIL, without the lock. */
PyObject *take_findings(locked_context *c);

/* ---- memory.c ---- */

enum { ON_HOST = -1, ON_SIMULATED = -2 }; /* instead of a CUDA device's id */

/* Memory of a device, or of another library by DLPack. */
typedef struct memory {
  PyObject_HEAD void *pointer;
  size_t bytes;
  locked_context *home; /* it was allocated there, and is freed there; NULL: the owner's */
  PyObject *owner;      /* a Python object that keeps it, or NULL */
  int device;
  uintptr_t stream; /* a cudaStream_t on which it was written; 0: the own one of its context */
  int read_only;    /* its owner says so: no call writes to it */
} memory;

int is_memory(PyObject *object);
PyObject *memory_new(void *pointer, size_t bytes, locked_context *home, PyObject *owner, int device,
                     uintptr_t stream, int read_only);

/* ---- array.c ---- */

/* The iw_type of a NumPy dtype, or -1 (with an exception if it cannot be compared). */
int type_of_dtype(PyObject *dtype);
/* The dtype of elements that ready_array() has seen; borrowed. */
PyObject *dtype_of_type(iw_type type);

/* ---- call.c ---- */

enum { MOST_BUFFERS = 40, MOST_SCRATCH = MOST_BUFFERS + 4 };

/* One call from Python: its arguments are taken one after the other. After the first one that is wrong an
 * exception is set, `failed` is 1, and all that follow are 0 or NULL. */
typedef struct call {
  PyObject *const *args;
  Py_ssize_t count, next;
  int failed;
  size_t bytes; /* of all arrays in host memory */
  Py_buffer buffers[MOST_BUFFERS];
  int buffer_count;
  memory *memories[MOST_BUFFERS];
  int memory_count;
  void *scratch[MOST_SCRATCH];
  int scratch_count;
  locked_context *in; /* where it runs, between call_begin() and call_end() */
  PyThreadState *thread;   /* NULL: the call keeps the GIL */
} call;

call call_of(PyObject *const *args, Py_ssize_t count, Py_ssize_t expected);
PyObject *take(call *c);
size_t take_size(call *c);
int take_int(call *c);
/* An iw_type, as its number or as a NumPy dtype. */
iw_type take_type(call *c);
iw_type type_of(call *c, PyObject *object);
int is_float_type(iw_type type);
int is_signed_type(iw_type type); /* of integers */

/* A number of a type that C has: all but floats of 2 bytes. */
typedef struct plain_number {
  char kind; /* i, u or f, as NumPy's kinds */
  union {
    int64_t i64;
    uint64_t u64;
    double f64;
  };
} plain_number;

int is_plain_type(iw_type type);
plain_number number_in(iw_type type, const void *element);
double double_of(plain_number x); /* rounded once */
iw_op take_op(call *c);
/* An array of at least `bytes` bytes; None is NULL. */
const void *take_in(call *c, size_t bytes);
void *take_out(call *c, size_t bytes);
const void *in_of(call *c, PyObject *object, size_t bytes);
void *out_of(call *c, PyObject *object, size_t bytes);
/* An array in host memory with its shape; borrowed. NULL after a failure. */
const Py_buffer *view_of(call *c, PyObject *object);
/* Fails unless all arrays so far are in host memory, where the caller reads and writes them itself. */
void need_host(call *c);
/* Memory until the call ends. */
void *scratch_of(call *c, size_t bytes);
/* n * size, or an exception. */
size_t bytes_of(call *c, size_t n, size_t size);
/* Member i of a tuple; borrowed. */
PyObject *member_of(call *c, PyObject *tuple, Py_ssize_t i);
size_t size_of(call *c, PyObject *number);

/* Chooses the context, leaves the GIL and locks the context. A call on few bytes of host memory keeps the
 * GIL, unless it has to wait for the context: to leave it takes as long as the call. Returns NULL after a
 * failure. */
iw_context *call_begin(call *c);
/* The same for a call that reads and writes its arrays itself. */
iw_context *host_call_begin(call *c);
/* As call_begin() in a given context, and always without the GIL. */
iw_context *call_begin_in(call *c, locked_context *in);
/* The opposite; raises for a status that is not IW_OK. Gives back the arguments. Returns whether all is
 * well. */
int call_end(call *c, iw_status status);
/* The same; result_of() what it made, which is given up, if all is well. */
PyObject *call_result(call *c, iw_status status, PyObject *made, PyObject *time_dtype, int is_scalar);
/* None if all is well. */
PyObject *call_none(call *c, iw_status status);
/* Gives back the arguments of a call that has not begun; returns NULL. */
PyObject *call_refuse(call *c);

/* An ndarray that array_in() would return as it is, or as a copy in C order: its type, and its elements and
 * shape; borrowed. 0 for any other object, and after a failure. (array.c) */
iw_type ready_array(call *c, PyObject *object, const Py_buffer **view);
/* The same for a function that compares or moves elements: also an ndarray or a scalar of times in the
 * machine's byte order. Its elements are unsigned 64-bit integers of the same order then, NaT the last one
 * or, if nat_is_least, the first, in scratch, and *time_dtype is its dtype, which the call keeps until its
 * end; else NULL. */
iw_type ready_order(call *c, PyObject *object, int nat_is_least, const Py_buffer **view, PyObject **time_dtype);
/* The same of one dimension, with NaT last: its elements, their number and type. */
iw_type ordered_vector(call *c, PyObject *object, const void **data, size_t *n, PyObject **time_dtype);
/* A new array as a result: of such integers, where time_dtype is not NULL, the times, in the same memory;
 * and of one element the scalar, if is_scalar. NULL with an exception. */
PyObject *result_of(PyObject *made, PyObject *time_dtype, int is_scalar);
/* Whether two of these dtypes, or NULL, are equal. */
int is_same_time(PyObject *a, PyObject *b);
/* The same of one dimension: its elements, their number and type. */
iw_type ready_vector(call *c, PyObject *object, const void **data, size_t *n);

/* ---- move.c ---- */

/* A function of rows of a contiguous array: its results are as many. */
typedef iw_status (*rows_function)(iw_context *context, const void *in, size_t n, void *out, const void *about);

/* A function of rows whose elements are `columns` apart: n elements, of matrices of rows x columns, of which
 * each column is a row to the function. */
typedef struct columns_call {
  const char *in;
  char *out;                 /* may be `in` */
  size_t n, rows, columns, in_size, out_size;
  rows_function function;
  const void *about;         /* for the function */
  size_t matrices, width;    /* of a block: whole matrices, or one and so many columns of it */
  char *scratch, *made;      /* a block's rows, and the results */
} columns_call;

/* Sets the last four members; arrays have to be in host memory. */
void open_columns(call *c, columns_call *k);
/* Calls the function for a block at a time, which caches hold, so that no other copy goes to memory. */
iw_status along_columns(iw_context *context, const columns_call *k);

/* ---- whole.c ---- */

/* Makes indices of the whole array those within the rows. */
void within_rows(uint64_t *indices, size_t n, size_t columns);
/* The array empty(shape, dtype), by numpy.empty. */
PyObject *array_of_shape(PyObject *empty, PyObject *dtype, const Py_ssize_t *shape, int ndim);

/* ---- module.c ---- */

extern PyObject *error_class, *finding_error_class; /* isowarp.Error, isowarp.FindingError */
extern PyTypeObject *memory_type, *context_type, *kernel_type;
extern PyType_Spec memory_spec, context_spec, kernel_spec;
extern PyMethodDef array_functions[], context_functions[], memory_functions[], kernel_functions[],
    reduce_functions[], move_functions[], histogram_functions[], whole_functions[], statistics_functions[];

typedef PyObject *(*fast_function)(PyObject *, PyObject *const *, Py_ssize_t);
#define FAST(name) { #name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL }

#endif
