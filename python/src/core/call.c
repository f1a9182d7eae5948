/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of a call, and the frame around each call of the library: the GIL is released, the context
 * locked, and the stream set to that of the arrays. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

call call_of(PyObject *const *args, Py_ssize_t count, Py_ssize_t expected)
{
  call c;
  c.args = args;
  c.count = count;
  c.next = 0;
  c.failed = count != expected;
  c.bytes = 0;
  c.buffer_count = c.memory_count = c.scratch_count = 0;
  c.in = NULL;
  c.thread = NULL;
  if (c.failed)
    PyErr_Format(PyExc_TypeError, "%zd arguments are needed, not %zd", expected, count);
  return c;
}

PyObject *take(call *c)
{
  return c->failed ? Py_None : c->args[c->next++];
}

size_t size_of(call *c, PyObject *number)
{
  if (c->failed)
    return 0;
  const size_t size = PyLong_AsSize_t(number);
  c->failed = size == (size_t)-1 && PyErr_Occurred() != NULL;
  return c->failed ? 0 : size;
}

size_t take_size(call *c)
{
  return size_of(c, take(c));
}

int take_int(call *c)
{
  if (c->failed)
    return 0;
  const long value = PyLong_AsLong(take(c));
  c->failed = value == -1 && PyErr_Occurred() != NULL;
  return c->failed ? 0 : (int)value;
}

iw_type type_of(call *c, PyObject *object)
{
  if (c->failed)
    return 0;
  const int type = PyLong_Check(object) ? (int)PyLong_AsLong(object) : type_of_dtype(object);
  if (iw_type_size((iw_type)type) == 0) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "elements of type %S are not supported", object);
    c->failed = 1;
  }
  return (iw_type)type;
}

iw_type take_type(call *c)
{
  return type_of(c, take(c));
}

int is_float_type(iw_type type)
{
  return type == IW_F16 || type == IW_BF16 || type == IW_F32 || type == IW_F64;
}

int is_signed_type(iw_type type)
{
  return type == IW_I8 || type == IW_I16 || type == IW_I32 || type == IW_I64;
}

int is_plain_type(iw_type type)
{
  return type != IW_F16 && type != IW_BF16;
}

plain_number number_in(iw_type type, const void *element)
{
  const size_t size = iw_type_size(type);
  plain_number x = { .kind = type == IW_F32 || type == IW_F64 ? 'f' : is_signed_type(type) ? 'i' : 'u', .u64 = 0 };
  if (type == IW_F32) {
    float f32;
    memcpy(&f32, element, size);
    x.f64 = f32;
    return x;
  }
  memcpy(&x.u64, element, size); /* of a narrower type its lower bytes: all targets are little-endian */
  if (x.kind == 'i') /* extends the sign */
    x.i64 = (int64_t)(x.u64 << (64 - 8 * size)) >> (64 - 8 * size);
  return x;
}

double double_of(plain_number x)
{
  return x.kind == 'f' ? x.f64 : x.kind == 'i' ? (double)x.i64 : (double)x.u64;
}

iw_op take_op(call *c)
{
#define OPERATOR(NAME, name, takes, result) IW_##NAME,
  static const iw_op ops[] = { IW_BUILTIN_OPERATORS(OPERATOR) };
#undef OPERATOR
  const size_t op = take_size(c);
  if (!c->failed && op >= sizeof ops / sizeof *ops) {
    PyErr_SetString(PyExc_ValueError, "no such operator");
    c->failed = 1;
  }
  return c->failed ? NULL : ops[op];
}

size_t bytes_of(call *c, size_t n, size_t size)
{
  if (!c->failed && size != 0 && n > PY_SSIZE_T_MAX / size) {
    PyErr_NoMemory();
    c->failed = 1;
  }
  return c->failed ? 0 : n * size;
}

PyObject *member_of(call *c, PyObject *tuple, Py_ssize_t i)
{
  PyObject *const member = c->failed ? NULL : PyTuple_GetItem(tuple, i);
  c->failed |= member == NULL;
  return c->failed ? Py_None : member;
}

static void *array_of(call *c, PyObject *object, size_t bytes, int flags)
{
  size_t has;
  void *data;
  if (c->failed || object == Py_None)
    return NULL;
  if (c->buffer_count == MOST_BUFFERS || c->memory_count == MOST_BUFFERS) {
    PyErr_SetString(PyExc_ValueError, "too many arrays");
    c->failed = 1;
    return NULL;
  }
  if (is_memory(object)) {
    memory *const m = (memory *)object;
    if (m->read_only && (flags & PyBUF_WRITABLE)) {
      PyErr_SetString(PyExc_ValueError, "out: the array is read-only");
      c->failed = 1;
      return NULL;
    }
    c->memories[c->memory_count++] = m;
    has = m->bytes;
    data = m->pointer;
  } else {
    Py_buffer *const view = &c->buffers[c->buffer_count];
    if (PyObject_GetBuffer(object, view, flags) != 0) {
      c->failed = 1;
      return NULL;
    }
    c->buffer_count++;
    has = (size_t)view->len;
    c->bytes += has;
    data = view->buf;
  }
  if (has < bytes) {
    PyErr_Format(PyExc_ValueError, "an array has %zu bytes, but %zu are needed", has, bytes);
    c->failed = 1;
  }
  return data;
}

void *scratch_of(call *c, size_t bytes)
{
  if (c->failed)
    return NULL;
  void *const made = c->scratch_count < MOST_SCRATCH ? malloc(bytes + 1) : NULL;
  if (made == NULL) {
    PyErr_NoMemory();
    c->failed = 1;
  } else
    c->scratch[c->scratch_count++] = made;
  return made;
}

const void *in_of(call *c, PyObject *object, size_t bytes)
{
  return array_of(c, object, bytes, PyBUF_SIMPLE);
}

void *out_of(call *c, PyObject *object, size_t bytes)
{
  return array_of(c, object, bytes, PyBUF_SIMPLE | PyBUF_WRITABLE);
}

const Py_buffer *view_of(call *c, PyObject *object)
{
  array_of(c, object, 0, PyBUF_ND);
  return c->failed ? NULL : &c->buffers[c->buffer_count - 1];
}

const void *take_in(call *c, size_t bytes)
{
  return in_of(c, take(c), bytes);
}

void need_host(call *c)
{
  for (int i = 0; i < c->memory_count && !c->failed; i++)
    if (c->memories[i]->device != ON_HOST) {
      PyErr_SetString(PyExc_ValueError, "the arrays have to be in host memory");
      c->failed = 1;
    }
}

void *take_out(call *c, size_t bytes)
{
  return out_of(c, take(c), bytes);
}

/* Waits for work on the own stream of another context than the one that the call runs in. */
static int wait_for_others(const call *c, const locked_context *in)
{
  iw_status status = IW_OK;
  for (int i = 0; i < c->memory_count && status == IW_OK; i++) {
    locked_context *const home = c->memories[i]->home;
    if (home == NULL || home == in || c->memories[i]->device < 0 || c->memories[i]->stream != 0)
      continue;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&home->lock);
    status = iw_context_synchronize(home->iw);
    pthread_mutex_unlock(&home->lock);
    Py_END_ALLOW_THREADS
  }
  if (status != IW_OK)
    PyErr_SetString(error_class, iw_message());
  return status == IW_OK;
}

/* The context of the arrays: that of the device memory among them, else the thread's. */
static locked_context *choose_context(const call *c)
{
  const memory *found = NULL;
  for (int i = 0; i < c->memory_count; i++) {
    const memory *const m = c->memories[i];
    if (m->device == ON_HOST)
      continue;
    if (found != NULL &&
        (found->device != m->device || (m->device == ON_SIMULATED && found->home != m->home))) {
      PyErr_SetString(PyExc_ValueError, "the arrays are on different devices");
      return NULL;
    }
    found = m;
  }
  if (found == NULL)
    return thread_context(-1);
  locked_context *const in = found->home ? found->home : thread_context(found->device);
  return in != NULL && wait_for_others(c, in) ? in : NULL;
}

/* Makes the call run on the stream of its device arrays, behind what is queued on the streams of all of
 * them: work of a new stream waits for the old one (iw_context_set_stream). */
static iw_status visit_streams(call *c)
{
  uintptr_t current = 0;
  for (int i = 0; i < c->memory_count && c->in->backend == IW_BACKEND_CUDA; i++) {
    const uintptr_t stream = c->memories[i]->device >= 0 ? c->memories[i]->stream : current;
    if (stream != current && iw_context_set_stream(c->in->iw, (void *)stream) != IW_OK)
      return IW_ERROR_LAUNCH;
    current = stream;
  }
  return IW_OK;
}

/* The other way round: every stream waits for the work, and the context keeps none that its owner may
 * destroy. */
static iw_status leave_streams(call *c)
{
  iw_status status = IW_OK;
  int has_left = 0;
  for (int i = c->memory_count; i-- > 0 && c->in->backend == IW_BACKEND_CUDA;)
    if (c->memories[i]->device >= 0 && c->memories[i]->stream != 0 && status == IW_OK) {
      status = iw_context_set_stream(c->in->iw, (void *)c->memories[i]->stream);
      has_left = 1;
    }
  if (has_left && status == IW_OK)
    status = iw_context_set_stream(c->in->iw, NULL);
  return status;
}

static iw_context *begin_in(call *c, locked_context *in, int may_keep_gil)
{
  if (c->failed || in == NULL) {
    call_refuse(c);
    return NULL;
  }
  c->in = in;
  context_keep(in); /* the thread may be given another one meanwhile */
  if (!may_keep_gil || in->backend != IW_BACKEND_CPU || pthread_mutex_trylock(&in->lock) != 0) {
    c->thread = PyEval_SaveThread();
    pthread_mutex_lock(&in->lock);
  }
  if (c->memory_count > 0 && visit_streams(c) != IW_OK) {
    call_end(c, IW_ERROR_LAUNCH);
    return NULL;
  }
  return in->iw;
}

iw_context *call_begin_in(call *c, locked_context *in)
{
  return begin_in(c, in, 0);
}

iw_context *call_begin(call *c)
{
  enum { MOST_WITH_GIL = 16384 }; /* bytes, which the slowest calls take some 20 us for */
  return begin_in(c, c->failed ? NULL : choose_context(c), c->bytes <= MOST_WITH_GIL && c->memory_count == 0);
}

iw_context *host_call_begin(call *c)
{
  need_host(c);
  return call_begin(c);
}

static void release_arguments(call *c)
{
  for (int i = 0; i < c->buffer_count; i++)
    PyBuffer_Release(&c->buffers[i]);
  for (int i = 0; i < c->scratch_count; i++)
    free(c->scratch[i]);
  c->buffer_count = c->scratch_count = 0;
}

static PyObject *class_of(iw_status status)
{
  switch (status) {
  case IW_ERROR_OVERFLOW: return PyExc_OverflowError;
  case IW_ERROR_INVALID:
  case IW_ERROR_OVERLAP: return PyExc_ValueError;
  case IW_ERROR_MEMORY: return PyExc_MemoryError;
  case IW_ERROR_FINDING: return finding_error_class;
  case IW_OK:
  case IW_ERROR_UNAVAILABLE:
  case IW_ERROR_MISMATCH:
  case IW_ERROR_LAUNCH:
  case IW_ERROR_PEER: break;
  }
  return error_class;
}

/* The library's message with the names that Python's callers know: members of C structs are arguments there,
 * and operators strings. */
static void say_in_python(char *to, size_t size, const char *from)
{
  static const struct {
    const char *c, *python;
  } names[] = { { "spec->lo and spec->hi give the range", "range:" },
                { "spec->edges", "bins" },
                { "spec->in_type", "the type of the elements" },
                { "spec->type", "dtype" },
                { "segments->columns", "the length of a row" },
                { "spec->", "" },
                { "segments->", "" },
                { "options->", "" },
                { "buckets->", "" },
                { "test->", "" },
                { "IW_PRODUCT", "prod" },
#define OPERATOR(NAME, name, takes, result) { "IW_" #NAME, #name },
                IW_BUILTIN_OPERATORS(OPERATOR) };
#undef OPERATOR
  enum { NAMES = sizeof names / sizeof *names };
  size_t used = 0;
  while (*from != '\0' && used + 1 < size) {
    size_t i = 0;
    while (i < NAMES && strncmp(from, names[i].c, strlen(names[i].c)) != 0)
      i++;
    if (i == NAMES)
      to[used++] = *from++;
    else {
      from += strlen(names[i].c);
      used += (size_t)snprintf(to + used, size - used, "%s", names[i].python);
    }
  }
  to[used < size ? used : size - 1] = '\0';
}

int call_end(call *c, iw_status status)
{
  char message[1024] = "";
  if (status == IW_OK && c->memory_count > 0)
    status = leave_streams(c);
  if (status != IW_OK)
    say_in_python(message, sizeof message, iw_message());
  pthread_mutex_unlock(&c->in->lock);
  if (c->thread != NULL)
    PyEval_RestoreThread(c->thread);
  release_arguments(c);
  if (status == IW_ERROR_FINDING) {
    PyObject *const findings = take_findings(c->in);
    PyObject *const error =
        findings ? PyObject_CallFunction(class_of(status), "sO", message, findings) : NULL;
    if (error != NULL)
      PyErr_SetObject(class_of(status), error);
    Py_XDECREF(error);
    Py_XDECREF(findings);
  } else if (status != IW_OK)
    PyErr_SetString(class_of(status), message);
  context_release(c->in);
  return status == IW_OK;
}

PyObject *call_result(call *c, iw_status status, PyObject *made, PyObject *time_dtype, int is_scalar)
{
  Py_XINCREF(time_dtype);
  PyObject *const result = call_end(c, status) ? result_of(made, time_dtype, is_scalar) : NULL;
  Py_XDECREF(time_dtype);
  Py_DECREF(made);
  return result;
}

PyObject *call_none(call *c, iw_status status)
{
  if (!call_end(c, status))
    return NULL;
  Py_RETURN_NONE;
}

PyObject *call_refuse(call *c)
{
  release_arguments(c);
  return NULL;
}
