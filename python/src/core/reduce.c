/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans, reductions and exact sums. */
#include "core.h"
#include <isowarp.h>

/* A tuple (kind, array or None, its type, columns or count), or None: NULL. */
static const iw_segments *segments_of(call *c, PyObject *tuple, size_t n, iw_segments *s)
{
  if (c->failed || tuple == Py_None)
    return NULL;
  *s = (iw_segments){ .size = sizeof *s, .kind = (iw_segments_kind)size_of(c, member_of(c, tuple, 0)) };
  PyObject *const array = member_of(c, tuple, 1);
  const int has_type = s->kind == IW_SEGMENTS_KEYS || s->kind == IW_SEGMENTS_OFFSETS;
  const iw_type type = has_type ? type_of(c, member_of(c, tuple, 2)) : 0;
  const size_t number = size_of(c, member_of(c, tuple, 3));
  switch (s->kind) {
  case IW_SEGMENTS_FLAGS: s->flags = in_of(c, array, n); break;
  case IW_SEGMENTS_KEYS:
    s->keys = in_of(c, array, bytes_of(c, n, iw_type_size(type)));
    s->key_type = type;
    break;
  case IW_SEGMENTS_ROWS:
  case IW_SEGMENTS_COLUMNS: s->columns = number; break;
  case IW_SEGMENTS_OFFSETS:
    s->offsets = in_of(c, array, bytes_of(c, number + 1, iw_type_size(type)));
    s->offset_type = type;
    s->count = number;
    break;
  }
  return s;
}

/* The first arguments of the next three functions: op, the types of elements and of results, whether a scan
 * is exclusive, n, init and segments. */
typedef struct scan_arguments {
  iw_op op;
  iw_type in_type, type;
  int exclusive;
  size_t n;
  iw_segments segments;
  iw_scan_options options;
} scan_arguments;

static void take_scan(call *c, scan_arguments *a)
{
  a->op = take_op(c);
  a->in_type = take_type(c);
  a->type = take_type(c);
  a->exclusive = take_int(c);
  a->n = take_size(c);
  a->segments = (iw_segments){ .size = sizeof a->segments };
  a->options = (iw_scan_options){ .size = sizeof a->options, .out_type = a->type };
  a->options.init = take_in(c, c->failed ? 0 : iw_type_size(a->type));
  a->options.segments = segments_of(c, take(c), a->n, &a->segments);
}

/* scan(op, in_type, type, exclusive, n, init, segments, in, out) */
static PyObject *py_scan(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 9);
  scan_arguments a;
  take_scan(&c, &a);
  const void *const in = take_in(&c, bytes_of(&c, a.n, iw_type_size(a.in_type)));
  void *const out = take_out(&c, bytes_of(&c, a.n, iw_type_size(a.type)));
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, (a.exclusive ? iw_exclusive_scan : iw_inclusive_scan)(context, a.op, a.in_type, in, a.n, out,
                                                                                       &a.options)) : NULL;
}

static iw_status scan_rows(iw_context *context, const void *in, size_t n, void *out, const void *about)
{
  const scan_arguments *const a = about;
  return (a->exclusive ? iw_exclusive_scan : iw_inclusive_scan)(context, a->op, a->in_type, in, n, out, &a->options);
}

/* scan_apart(op, type, type, exclusive, n, init, segments, in, out, step): of rows whose elements are `step`
 * apart, in host memory. */
static PyObject *py_scan_apart(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 10);
  scan_arguments a;
  take_scan(&c, &a);
  const size_t size = iw_type_size(a.type), bytes = bytes_of(&c, a.n, size);
  columns_call k = { .in = take_in(&c, bytes), .out = take_out(&c, bytes), .n = a.n, .rows = a.segments.columns, .columns = take_size(&c),
                     .in_size = size, .out_size = size, .function = scan_rows, .about = &a };
  if (!c.failed && (a.in_type != a.type || a.options.segments == NULL || k.rows == 0 || k.columns == 0)) {
    PyErr_SetString(PyExc_ValueError, "rows of elements of the results' type are needed");
    c.failed = 1;
  }
  if (!c.failed)
    open_columns(&c, &k);
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, along_columns(context, &k)) : NULL;
}

/* How many results a reduction writes. */
static size_t results_of(const iw_segments *s, size_t n)
{
  if (s == NULL)
    return 1;
  switch (s->kind) {
  case IW_SEGMENTS_ROWS: return s->columns ? n / s->columns : 0;
  case IW_SEGMENTS_COLUMNS: return s->columns;
  case IW_SEGMENTS_OFFSETS: return s->count;
  case IW_SEGMENTS_FLAGS:
  case IW_SEGMENTS_KEYS: break;
  }
  return 0; /* not accepted */
}

/* reduce(op, in_type, type, 0, n, init, segments, in, result) */
static PyObject *py_reduce(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 9);
  scan_arguments a;
  take_scan(&c, &a);
  const void *const in = take_in(&c, bytes_of(&c, a.n, iw_type_size(a.in_type)));
  void *const out = take_out(&c, bytes_of(&c, results_of(a.options.segments, a.n), iw_type_size(a.type)));
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, iw_reduce(context, a.op, a.in_type, in, a.n, out, &a.options)) : NULL;
}

/* reduce_by_key(op, in_type, type, 0, n, init, segments, in, unique keys or None, results) -> count */
static PyObject *py_reduce_by_key(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 10);
  size_t runs = 0;
  scan_arguments a;
  take_scan(&c, &a);
  const void *const in = take_in(&c, bytes_of(&c, a.n, iw_type_size(a.in_type)));
  a.options.run_keys = take_out(&c, bytes_of(&c, a.n, iw_type_size(a.segments.key_type)));
  a.options.run_count = &runs;
  void *const out = take_out(&c, bytes_of(&c, a.n, iw_type_size(a.type)));
  iw_context *const context = call_begin(&c);
  if (context == NULL || !call_end(&c, iw_reduce(context, a.op, a.in_type, in, a.n, out, &a.options)))
    return NULL;
  return PyLong_FromSize_t(runs);
}

/* arg(largest, type, n, segments or None, in, indices, values or None); indices are 64-bit integers. */
static PyObject *py_arg(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 7);
  const int largest = take_int(&c);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  iw_segments given;
  const iw_segments *const segments = segments_of(&c, take(&c), n, &given);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const size_t results = results_of(segments, n);
  size_t *const indices = take_out(&c, bytes_of(&c, results, sizeof(size_t)));
  void *const values = take_out(&c, bytes_of(&c, results, iw_type_size(type)));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, (largest ? iw_argmax : iw_argmin)(context, type, in, n, indices, values,
                                                         IW_OPTIONS(iw_scan_options, .segments = segments)));
}

/* arg_of(array, largest, empty, int64) -> the index that arg() finds in all elements, a scalar. None if the
 * array is not one with elements that is ready for the library or has times. empty: numpy.empty. */
static PyObject *py_arg_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  PyObject *const array = take(&c), *time_dtype;
  const Py_buffer *view;
  const int largest = take_int(&c);
  const iw_type type = ready_order(&c, array, !largest, &view, &time_dtype);
  PyObject *const empty = take(&c), *const dtype = take(&c);
  if (c.failed || type == 0 || view->len == 0) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const size_t n = (size_t)view->len / iw_type_size(type);
  const void *const in = view->buf;
  PyObject *const made = array_of_shape(empty, dtype, NULL, 0);
  c.failed |= made == NULL;
  size_t *const index = made != NULL ? out_of(&c, made, sizeof *index) : NULL;
  iw_context *const context = call_begin(&c);
  if (context != NULL)
    return call_result(&c, (largest ? iw_argmax : iw_argmin)(context, type, in, n, index, NULL, NULL), made, NULL, 1);
  Py_XDECREF(made);
  return NULL;
}

/* arg_by_key(largest, type, n, segments, in, unique keys or None, indices, values or None) -> count */
static PyObject *py_arg_by_key(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  const int largest = take_int(&c);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  size_t runs = 0;
  iw_segments segments = { .size = sizeof segments };
  segments_of(&c, take(&c), n, &segments);
  const void *const in = take_in(&c, bytes);
  void *const keys = take_out(&c, bytes_of(&c, n, iw_type_size(segments.key_type)));
  size_t *const indices = take_out(&c, bytes_of(&c, n, sizeof(size_t)));
  void *const values = take_out(&c, bytes);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_status status = (largest ? iw_argmax : iw_argmin)(
    context, type, in, n, indices, values,
    IW_OPTIONS(iw_scan_options, .segments = &segments, .run_keys = keys, .run_count = &runs));
  return call_end(&c, status) ? PyLong_FromSize_t(runs) : NULL;
}

/* sum_exact(type, result_type, rows, columns, in, out) */
static PyObject *py_sum_exact(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const iw_type type = take_type(&c), result_type = take_type(&c);
  const size_t rows = take_size(&c), columns = take_size(&c), result_size = iw_type_size(result_type);
  const size_t row_bytes = bytes_of(&c, columns, iw_type_size(type));
  const char *const in = take_in(&c, bytes_of(&c, rows, row_bytes));
  char *const out = take_out(&c, bytes_of(&c, rows, result_size));
  iw_context *const context = call_begin(&c);
  iw_status status = IW_OK;
  if (context == NULL)
    return NULL;
  for (size_t i = 0; i < rows && status == IW_OK; i++)
    status = iw_sum_exact(context, type, in + i * row_bytes, columns, result_type, out + i * result_size);
  return call_none(&c, status);
}

/* dot_exact(type, result_type, n, a, b, out) */
static PyObject *py_dot_exact(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const iw_type type = take_type(&c), result_type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const a = take_in(&c, bytes), *const b = take_in(&c, bytes);
  void *const out = take_out(&c, iw_type_size(result_type));
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, iw_dot_exact(context, type, a, b, n, result_type, out)) : NULL;
}

/* exact_add(state, type, n, in, other factors or None) */
static PyObject *py_exact_add(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  iw_exact_sum *const sum = take_out(&c, sizeof *sum);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const a = take_in(&c, bytes);
  PyObject *const other = take(&c);
  const int is_product = other != Py_None;
  const void *const b = in_of(&c, other, bytes);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c,
                   is_product ? iw_exact_sum_add_products(context, type, a, b, n, sum)
                              : iw_exact_sum_add(context, type, a, n, sum));
}

/* exact_merge(state, other) */
static PyObject *py_exact_merge(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 2);
  iw_exact_sum *const sum = take_out(&c, sizeof *sum);
  const iw_exact_sum *const other = take_in(&c, sizeof *other);
  return call_begin(&c) ? call_none(&c, iw_exact_sum_merge(sum, other)) : NULL;
}

/* exact_round(state, type, result) */
static PyObject *py_exact_round(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  const iw_exact_sum *const sum = take_in(&c, sizeof *sum);
  const iw_type type = take_type(&c);
  void *const out = take_out(&c, iw_type_size(type));
  return call_begin(&c) ? call_none(&c, iw_exact_sum_round(sum, type, out)) : NULL;
}

PyMethodDef reduce_functions[] = {
  FAST(scan),      FAST(scan_apart), FAST(reduce),    FAST(reduce_by_key), FAST(arg), FAST(arg_of),         FAST(arg_by_key),
  FAST(sum_exact), FAST(dot_exact), FAST(exact_add),     FAST(exact_merge), FAST(exact_round),
  { NULL, NULL, 0, NULL }
};
