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
static PyObject *device_array, *make_ready;
static PyObject *dtype_name, *flags_name, *num_name, *copy_name;

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

/* arrays_are(ndarray, codes, DeviceArray, make_ready): what array_in() compares with. Once, when the package
 * is imported. codes: a dictionary from dtypes to iw_types, which may get more. */
static PyObject *py_arrays_are(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  if (c.failed)
    return NULL;
  ndarray = (PyTypeObject *)Py_NewRef(take(&c));
  codes = Py_NewRef(take(&c));
  device_array = Py_NewRef(take(&c));
  make_ready = Py_NewRef(take(&c));
  dtype_name = PyUnicode_InternFromString("dtype");
  flags_name = PyUnicode_InternFromString("flags");
  num_name = PyUnicode_InternFromString("num");
  copy_name = PyUnicode_InternFromString("copy");
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
    if (copy != NULL || PyErr_Occurred())
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

PyMethodDef array_functions[] = { FAST(arrays_are), FAST(bfloat16_is), FAST(array_in), FAST(mask_in),
                                  { NULL, NULL, 0, NULL } };
