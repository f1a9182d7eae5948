/* SPDX-License-Identifier: Apache-2.0
 *
 * The one way from a Python object to an array that the library takes. array_in() looks at an array once:
 * its type, element type, order, alignment, byte order and, of booleans, the bytes. What is ready is
 * returned as it is, and of an array that lacks order or alignment alone NumPy's copy. All else goes to
 * _made_ready() of _arrays.py, which knows NumPy and makes a copy. No other place asks these questions. */
#include "core.h"

enum {
  TYPES = IW_BF16 + 1,
  C_ORDER_AND_ALIGNED = 0x101 /* NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, of ndarray.flags.num */
};

static PyTypeObject *ndarray;
/* In the machine's byte order, by their iw_type; bfloat16 is NULL until it is seen. */
static PyObject *dtypes[TYPES];
static PyObject *codes; /* dtype -> iw_type, by which equal dtypes that are other objects are found, too */
static PyObject *device_array, *make_ready, *times_error;
static PyTypeObject *time_classes[2], *time_scalars[2]; /* datetime64 and timedelta64: of dtypes of any unit, and of scalars */
static PyObject *dtype_name, *flags_name, *num_name, *copy_name, *view_name, *struct_name;

/* bfloat16_is(dtype): of the package ml_dtypes, when one is seen. */
static PyObject *py_bfloat16_is(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 1);
  PyObject *const dtype = take(&c);
  if (c.failed)
    return NULL;
  if (dtypes[IW_BF16] == NULL)
    dtypes[IW_BF16] = Py_NewRef(dtype);
  Py_RETURN_NONE;
}

/* arrays_are(ndarray, codes, DeviceArray, make_ready, datetime64, its class of dtypes, timedelta64, its
 * class of dtypes, error): what array_in() compares with. Once, when the package is imported. codes: a
 * dictionary from dtypes to iw_types, which may get more. error: the class of the exception for times. */
static PyObject *py_arrays_are(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 9);
  if (c.failed)
    return NULL;
  ndarray = (PyTypeObject *)Py_NewRef(take(&c));
  codes = Py_NewRef(take(&c));
  device_array = Py_NewRef(take(&c));
  make_ready = Py_NewRef(take(&c));
  for (int i = 0; i < 2; i++) {
    time_scalars[i] = (PyTypeObject *)Py_NewRef(take(&c));
    time_classes[i] = (PyTypeObject *)Py_NewRef(take(&c));
  }
  times_error = Py_NewRef(take(&c));
  dtype_name = PyUnicode_InternFromString("dtype");
  flags_name = PyUnicode_InternFromString("flags");
  num_name = PyUnicode_InternFromString("num");
  copy_name = PyUnicode_InternFromString("copy");
  view_name = PyUnicode_InternFromString("view");
  struct_name = PyUnicode_InternFromString("__array_struct__");
  PyObject *dtype, *code;
  for (Py_ssize_t at = 0; PyDict_Next(codes, &at, &dtype, &code);) {
    const long i = PyLong_AsLong(code);
    if (i >= 0 && i < TYPES)
      dtypes[i] = Py_NewRef(dtype);
  }
  if (PyErr_Occurred())
    return NULL;
  Py_RETURN_NONE;
}

PyObject *dtype_of_type(iw_type type)
{
  return dtypes[type];
}

/* The iw_type of one of the dtypes themselves, or -1. */
static int type_of_known(PyObject *dtype)
{
  for (int i = 0; i < TYPES; i++)
    if (dtypes[i] == dtype)
      return i;
  return -1;
}

int type_of_dtype(PyObject *dtype)
{
  const int known = type_of_known(dtype);
  PyObject *const code = known < 0 ? PyDict_GetItemWithError(codes, dtype) : NULL;
  return code != NULL ? (int)PyLong_AsLong(code) : known;
}

static int is_time_dtype(PyObject *dtype)
{
  return Py_TYPE(dtype) == time_classes[0] || Py_TYPE(dtype) == time_classes[1];
}

/* Whether all bytes are 0 or 1, as those that NumPy writes. A view of other memory may have any. -1: an
 * exception. */
static int has_bool_bytes(PyObject *array)
{
  enum { MUCH = 65536, LINE = 64 };
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_SIMPLE) != 0)
    return -1;
  const unsigned char *const bytes = view.buf;
  /* One of each byte of a line, so that several loads are under way. */
  unsigned char bits = 0, lines[LINE] = { 0 };
  Py_ssize_t i = 0;
  PyThreadState *const thread = view.len > MUCH ? PyEval_SaveThread() : NULL;
  for (; i + LINE <= view.len; i += LINE)
    for (int k = 0; k < LINE; k++)
      lines[k] |= bytes[i + k];
  for (; i < view.len; i++)
    bits |= bytes[i];
  for (int k = 0; k < LINE; k++)
    bits |= lines[k];
  if (thread != NULL)
    PyEval_RestoreThread(thread);
  PyBuffer_Release(&view);
  return bits <= 1;
}

/* The iw_type of an ndarray that is in C order and aligned, and whose dtype is one of the known ones,
 * which may then be compared by `is`; of another one 0. any_bool: whatever the bytes of booleans are. -1:
 * an exception. */
static int ready_type(PyObject *array, int any_bool)
{
  PyObject *const dtype = PyObject_GetAttr(array, dtype_name);
  if (dtype == NULL)
    return -1;
  const int type = type_of_known(dtype);
  Py_DECREF(dtype);
  if (type <= 0)
    return 0;
  PyObject *const flags = PyObject_GetAttr(array, flags_name);
  PyObject *const num = flags != NULL ? PyObject_GetAttr(flags, num_name) : NULL;
  const long bits = num != NULL ? PyLong_AsLong(num) : 0;
  Py_XDECREF(num);
  Py_XDECREF(flags);
  if (num == NULL)
    return -1;
  if ((bits & C_ORDER_AND_ALIGNED) != C_ORDER_AND_ALIGNED)
    return 0;
  const int has_bytes = type == IW_BOOL && !any_bool ? has_bool_bytes(array) : 1;
  return has_bytes > 0 ? type : has_bytes;
}

/* A copy in C order of an ndarray that is not ready. NULL without an exception: that copy may not be ready,
 * either. */
static PyObject *ready_copy(PyObject *array, int any_bool)
{
  PyObject *const dtype = PyObject_GetAttr(array, dtype_name);
  const int type = dtype != NULL ? type_of_known(dtype) : -1;
  Py_XDECREF(dtype);
  return type > 0 && (type != IW_BOOL || any_bool) ? PyObject_CallMethodObjArgs(array, copy_name, NULL) : NULL;
}

iw_type ready_array(call *c, PyObject *object, const Py_buffer **view)
{
  *view = NULL;
  if (c->failed || Py_TYPE(object) != ndarray)
    return 0;
  int type = ready_type(object, 0);
  PyObject *const copy = type == 0 ? ready_copy(object, 0) : NULL;
  if (copy != NULL)
    type = ready_type(copy, 0);
  c->failed |= type < 0 || (copy == NULL && PyErr_Occurred() != NULL);
  if (type > 0 && !c->failed)
    *view = view_of(c, copy != NULL ? copy : object); /* which keeps the copy */
  Py_XDECREF(copy);
  return *view != NULL ? (iw_type)type : 0;
}

iw_type ready_vector(call *c, PyObject *object, const void **data, size_t *n)
{
  const Py_buffer *view;
  const iw_type type = ready_array(c, object, &view);
  if (type == 0 || view->ndim != 1)
    return 0;
  *data = view->buf;
  *n = (size_t)view->shape[0];
  return type;
}

/* Raises times_error(dtype, name), which makes its message only if it is asked for it, for an ndarray of
 * times. The functions that take times catch it. */
static int is_refused_time(PyObject *array, PyObject *name)
{
  PyObject *const dtype = PyObject_GetAttr(array, dtype_name);
  const int is_time = dtype != NULL && is_time_dtype(dtype);
  PyObject *const about = is_time ? PyTuple_Pack(2, dtype, name) : NULL;
  if (about != NULL)
    PyErr_SetObject(times_error, about);
  Py_XDECREF(about);
  Py_XDECREF(dtype);
  return is_time || PyErr_Occurred() != NULL;
}

static PyObject *array_of_library(PyObject *const *args, Py_ssize_t count, int any_bool)
{
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "2 arguments are needed, not %zd", count);
  if ((PyObject *)Py_TYPE(args[0]) == device_array)
    return Py_NewRef(args[0]);
  if (Py_TYPE(args[0]) == ndarray) {
    const int type = ready_type(args[0], any_bool);
    if (type != 0)
      return type > 0 ? Py_NewRef(args[0]) : NULL;
    PyObject *const copy = ready_copy(args[0], any_bool);
    if (copy != NULL || PyErr_Occurred() || is_refused_time(args[0], args[1]))
      return copy;
  }
  return PyObject_CallFunctionObjArgs(make_ready, args[0], args[1], NULL);
}

/* array_in(a, name): a itself if it is ready for the library, else what it is made to. name: for errors. */
static PyObject *py_array_in(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  return array_of_library(args, count, 0);
}

/* mask_in(a, name): the same for an array of which only matters what is not 0. */
static PyObject *py_mask_in(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  return array_of_library(args, count, 1);
}

/* ---- Times ---- */

/* What is taken from the bits of times so that they are in NumPy's order as unsigned integers: NaT, the
 * least int64, becomes the last one. */
static const uint64_t NAT_IS_LAST = ((uint64_t)1 << 63) + 1;

/* What ndarray.__array_struct__ has a capsule of: NumPy's array interface, version 3. The buffer protocol
 * has no format for times. */
typedef struct array_interface {
  int two, ndim;
  char kind;
  int itemsize, flags;
  Py_ssize_t *shape, *strides;
  void *data;
  PyObject *about;
} array_interface;

/* to[i] = from[i] + summand, modulo 2^64; to may be from. */
static void add_to_all(uint64_t *to, const uint64_t *from, size_t n, uint64_t summand)
{
  enum { MANY = 8192 };
  PyThreadState *const thread = n > MANY ? PyEval_SaveThread() : NULL;
  for (size_t i = 0; i < n; i++)
    to[i] = from[i] + summand;
  if (thread != NULL)
    PyEval_RestoreThread(thread);
}

/* What NumPy says of the times of an ndarray or of a scalar or, if they lack order or alignment alone, of a
 * copy: a capsule, which keeps them. NULL, without an exception, for times in another byte order and for all
 * else. */
static PyObject *capsule_of_times(PyObject *object)
{
  enum { NATIVE = 0x200 };
  PyObject *const capsule = PyObject_GetAttr(object, struct_name);
  const array_interface *const times = capsule != NULL ? PyCapsule_GetPointer(capsule, NULL) : NULL;
  const int is_known = times != NULL && (times->kind == 'M' || times->kind == 'm') && (times->flags & NATIVE);
  if (is_known && (~times->flags & C_ORDER_AND_ALIGNED) == 0)
    return capsule;
  Py_XDECREF(capsule);
  PyObject *const copy = is_known ? PyObject_CallMethodObjArgs(object, copy_name, NULL) : NULL;
  PyObject *const of_copy = copy != NULL ? PyObject_GetAttr(copy, struct_name) : NULL;
  Py_XDECREF(copy);
  return of_copy;
}

/* What a capsule of times has. */
static const array_interface *times_in(PyObject *capsule)
{
  return capsule != NULL ? PyCapsule_GetPointer(capsule, NULL) : NULL;
}

static size_t elements_of(const array_interface *times)
{
  size_t n = 1;
  for (int i = 0; i < times->ndim; i++)
    n *= (size_t)times->shape[i];
  return n;
}

static int is_array_or_time(PyObject *object)
{
  return Py_TYPE(object) == ndarray || Py_TYPE(object) == time_scalars[0] || Py_TYPE(object) == time_scalars[1];
}

/* Makes times of an array of ranks, which is in C order and is written to. */
static PyObject *times_of_array(PyObject *ranks, PyObject *dtype, uint64_t base)
{
  Py_buffer view;
  if (PyObject_GetBuffer(ranks, &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0)
    return NULL;
  add_to_all(view.buf, view.buf, (size_t)view.len / sizeof base, base);
  PyBuffer_Release(&view);
  return PyObject_CallMethodObjArgs(ranks, view_name, dtype, NULL);
}

iw_type ready_order(call *c, PyObject *object, int nat_is_least, const Py_buffer **view, PyObject **time_dtype)
{
  *time_dtype = NULL;
  const iw_type type = ready_array(c, object, view);
  if (type != 0 || c->failed || !is_array_or_time(object) || c->buffer_count == MOST_BUFFERS)
    return type;
  PyObject *const dtype = PyObject_GetAttr(object, dtype_name);
  PyObject *const capsule = dtype != NULL && is_time_dtype(dtype) ? capsule_of_times(object) : NULL;
  const array_interface *const times = times_in(capsule);
  uint64_t *ranks = NULL;
  if (times != NULL) {
    const size_t n = elements_of(times);
    /* The shape and the dtype are kept as long as the view: another thread may give the object others. */
    PyObject *const kept = PyTuple_Pack(2, capsule, dtype);
    ranks = kept != NULL ? scratch_of(c, n * sizeof *ranks) : NULL;
    if (ranks == NULL)
      Py_XDECREF(kept);
    else {
      add_to_all(ranks, times->data, n, (uint64_t)nat_is_least - NAT_IS_LAST);
      c->buffers[c->buffer_count] = (Py_buffer){ .buf = ranks, .obj = kept, .len = (Py_ssize_t)(n * sizeof *ranks),
                                                 .itemsize = sizeof *ranks, .readonly = 1, .ndim = times->ndim, .shape = times->shape };
      *view = &c->buffers[c->buffer_count++];
      c->bytes += n * sizeof *ranks;
      *time_dtype = dtype;
    }
  }
  c->failed |= PyErr_Occurred() != NULL;
  Py_XDECREF(capsule);
  Py_XDECREF(dtype);
  return ranks != NULL ? IW_U64 : 0;
}

iw_type ordered_vector(call *c, PyObject *object, const void **data, size_t *n, PyObject **time_dtype)
{
  const Py_buffer *view;
  const iw_type type = ready_order(c, object, 0, &view, time_dtype);
  if (type == 0 || view->ndim != 1)
    return 0;
  *data = view->buf;
  *n = (size_t)view->shape[0];
  return type;
}

int is_same_time(PyObject *a, PyObject *b)
{
  const int is_same = a == b || (a != NULL && b != NULL && PyObject_RichCompareBool(a, b, Py_EQ) == 1);
  if (!is_same && a != NULL && b != NULL)
    PyErr_Clear();
  return is_same;
}

/* The element of an array without dimensions, which is given up. */
static PyObject *scalar_of(PyObject *array)
{
  PyObject *const none = array != NULL ? PyTuple_New(0) : NULL, *const scalar = none != NULL ? PyObject_GetItem(array, none) : NULL;
  Py_XDECREF(none);
  Py_XDECREF(array);
  return scalar;
}

PyObject *result_of(PyObject *made, PyObject *time_dtype, int is_scalar)
{
  PyObject *const times = time_dtype != NULL ? times_of_array(made, time_dtype, NAT_IS_LAST) : Py_NewRef(made);
  return is_scalar ? scalar_of(times) : times;
}

/* ranks_of(array, base, empty) -> a new array of unsigned 64-bit integers in the order of times, the bits of
 * each less base. None if the object is no ndarray of times in the machine's byte order. empty: numpy.empty.
 * */
static PyObject *py_ranks_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  PyObject *const array = take(&c);
  const uint64_t base = take_size(&c);
  PyObject *const empty = take(&c);
  if (c.failed)
    return NULL;
  if (Py_TYPE(array) != ndarray)
    Py_RETURN_NONE;
  PyObject *const capsule = capsule_of_times(array);
  const array_interface *const times = times_in(capsule);
  if (times == NULL)
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
  PyObject *ranks = array_of_shape(empty, dtypes[IW_U64], times->shape, times->ndim);
  if (ranks != NULL) {
    uint64_t *const to = out_of(&c, ranks, elements_of(times) * sizeof *to);
    if (!c.failed)
      add_to_all(to, times->data, elements_of(times), 0 - base);
    else
      Py_CLEAR(ranks);
    call_refuse(&c);
  }
  Py_XDECREF(capsule);
  return ranks;
}

/* The time of one rank, a scalar. */
static PyObject *time_of_scalar(PyObject *rank, PyObject *dtype, uint64_t base, PyObject *empty)
{
  PyObject *const made = array_of_shape(empty, dtypes[IW_U64], NULL, 0), *const none = PyTuple_New(0);
  const int is_set = made != NULL && none != NULL && PyObject_SetItem(made, none, rank) == 0;
  PyObject *const time = is_set ? scalar_of(times_of_array(made, dtype, base)) : NULL;
  Py_XDECREF(none);
  Py_XDECREF(made);
  return time;
}

/* times_of(ranks, dtype, base, empty) -> the times that ranks_of() made ranks of: an array of an array,
 * which has to be in C order and is written to, a scalar of a scalar, and of a tuple one with the times of
 * its first member. */
static PyObject *py_times_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  PyObject *const given = take(&c), *const dtype = take(&c);
  const uint64_t base = take_size(&c);
  PyObject *const empty = take(&c), *const ranks = !c.failed && PyTuple_Check(given) ? member_of(&c, given, 0) : given;
  if (c.failed)
    return NULL;
  PyObject *const times = Py_TYPE(ranks) == ndarray ? times_of_array(ranks, dtype, base) : time_of_scalar(ranks, dtype, base, empty);
  if (times == NULL || ranks == given)
    return times;
  PyObject *const all = PyTuple_New(PyTuple_Size(given));
  for (Py_ssize_t i = 1; all != NULL && i < PyTuple_Size(given); i++)
    PyTuple_SetItem(all, i, Py_NewRef(PyTuple_GetItem(given, i)));
  if (all != NULL)
    PyTuple_SetItem(all, 0, times);
  else
    Py_DECREF(times);
  return all;
}

PyMethodDef array_functions[] = { FAST(arrays_are), FAST(bfloat16_is), FAST(array_in), FAST(mask_in), FAST(ranks_of), FAST(times_of),
                                  { NULL, NULL, 0, NULL } };
