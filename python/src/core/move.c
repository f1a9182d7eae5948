/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select, unique, multisplit, sort, top-k, n-th elements, and calls on sorted arrays. */
#include "histogram.h"

#include <isowarp.h>
#include <string.h>

enum { TEST_COMPARE, TEST_FLAGS, TEST_BIN }; /* kinds of a test */
enum { BUCKETS_BINS, BUCKETS_PIVOT, BUCKETS_BITS };

/* What a call moves: its test or buckets, and payloads. */
typedef struct moved {
  iw_test test;
  iw_buckets buckets;
  union {
    float f32;
    double f64;
  } constant; /* of the test, if it is a Python float */
  iw_histogram_spec spec;
  iw_payload payloads[IW_MAX_PAYLOADS];
  size_t payload_count;
} moved;

/* A buffer of one element or, for f32 and f64, a Python float. */
static const void *constant_of(call *c, PyObject *object, iw_type type, moved *m)
{
  if ((type != IW_F32 && type != IW_F64) || !PyFloat_Check(object))
    return in_of(c, object, iw_type_size(type));
  if (type == IW_F32)
    m->constant.f32 = (float)PyFloat_AsDouble(object);
  else
    m->constant.f64 = PyFloat_AsDouble(object);
  return &m->constant;
}

/* (TEST_COMPARE, comparison, constant), (TEST_FLAGS, flags, None) or (TEST_BIN, spec, bin) */
static void take_test(call *c, iw_type type, size_t n, moved *m)
{
  PyObject *const tuple = take(c), *const kind = member_of(c, tuple, 0),
                  *const first = member_of(c, tuple, 1), *const second = member_of(c, tuple, 2);
  m->test = (iw_test){ .size = sizeof m->test, .type = type };
  if (c->failed)
    return;
  switch (size_of(c, kind)) {
  case TEST_COMPARE:
    m->test.compare = (iw_compare)size_of(c, first);
    m->test.constant = constant_of(c, second, type, m);
    break;
  case TEST_FLAGS: m->test.flags = in_of(c, first, n); break;
  default:
    m->spec = spec_of(c, first, type);
    m->test.bins = &m->spec;
    m->test.bin = size_of(c, second);
  }
}

/* (BUCKETS_BINS, spec, None), (BUCKETS_PIVOT, pivot, None) or (BUCKETS_BITS, bit, bits). Returns the number
 * of buckets. */
static size_t take_buckets(call *c, iw_type type, moved *m)
{
  PyObject *const tuple = take(c), *const kind = member_of(c, tuple, 0),
                  *const first = member_of(c, tuple, 1), *const second = member_of(c, tuple, 2);
  m->buckets = (iw_buckets){ .size = sizeof m->buckets, .type = type };
  if (c->failed)
    return 0;
  switch (size_of(c, kind)) {
  case BUCKETS_BINS:
    m->spec = spec_of(c, first, type);
    m->buckets.bins = &m->spec;
    return m->spec.bins;
  case BUCKETS_PIVOT: m->buckets.pivot = in_of(c, first, iw_type_size(type)); return 3;
  default:
    m->buckets.bit = (unsigned)size_of(c, first);
    m->buckets.bits = (unsigned)size_of(c, second);
    return m->buckets.bits <= 16 ? (size_t)1 << m->buckets.bits : 0;
  }
}

/* A tuple of (in or None, out, rest or None, width); or None. */
static void take_payloads(call *c, size_t n, moved *m)
{
  PyObject *const all = take(c);
  m->payload_count = 0;
  if (c->failed || all == Py_None)
    return;
  const Py_ssize_t count = PyTuple_Size(all);
  if (count < 0 || count > IW_MAX_PAYLOADS) {
    PyErr_Format(PyExc_ValueError, "payloads: %zd arrays; at most %d can be moved", count,
                 (int)IW_MAX_PAYLOADS);
    c->failed = 1;
    return;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *const one = member_of(c, all, i);
    const size_t width = size_of(c, member_of(c, one, 3)), bytes = bytes_of(c, n, width);
    m->payloads[i] = (iw_payload){ .size = sizeof m->payloads[i],
                                   .in = in_of(c, member_of(c, one, 0), bytes),
                                   .out = out_of(c, member_of(c, one, 1), bytes),
                                   .rest = out_of(c, member_of(c, one, 2), bytes),
                                   .width = width };
  }
  m->payload_count = (size_t)count;
}

static PyObject *call_count(call *c, iw_status status, const size_t *n)
{
  return call_end(c, status) ? PyLong_FromSize_t(*n) : NULL;
}

/* partition(type, n, in, test, front, rest, payloads) -> count; with payloads front and rest are not used.
 * rest: None: front has 2 * n elements, of which the last n are the rest. */
static PyObject *py_partition(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 7);
  moved m;
  size_t selected = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const in = take_in(&c, bytes);
  take_test(&c, type, n, &m);
  PyObject *const first = take(&c), *const second = take(&c);
  char *const front = out_of(&c, first, second == Py_None ? bytes_of(&c, 2, bytes) : bytes);
  void *const rest = second != Py_None ? out_of(&c, second, bytes) : front != NULL ? front + bytes : NULL;
  take_payloads(&c, n, &m);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_status status = m.payload_count
      ? iw_partition(context, &m.test, in, n, NULL, &selected,
                     IW_OPTIONS(iw_move_options, .payloads = m.payloads, .payload_count = m.payload_count))
      : iw_partition(context, &m.test, in, n, front, &selected, IW_OPTIONS(iw_move_options, .rest = rest));
  return call_count(&c, status, &selected);
}

/* select(type, n, in, test, out, payloads) -> count */
static PyObject *py_select(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  moved m;
  size_t selected = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const in = take_in(&c, bytes);
  take_test(&c, type, n, &m);
  void *const out = take_out(&c, bytes);
  take_payloads(&c, n, &m);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_status status = m.payload_count
      ? iw_select_if(context, &m.test, in, n, NULL, &selected,
                     IW_OPTIONS(iw_move_options, .payloads = m.payloads, .payload_count = m.payload_count))
      : iw_select_if(context, &m.test, in, n, out, &selected, NULL);
  return call_count(&c, status, &selected);
}

/* compressed(condition, array, empty) -> the elements whose condition is true. None unless the array has one
 * dimension and few elements, is ready for the library or has times, and as many booleans are given. empty:
 * numpy.empty. */
static PyObject *py_compressed(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  enum { MOST = 1024 }; /* elements whose array may keep more memory than is used */
  (void)self;
  call c = call_of(args, count, 3);
  const void *flags = NULL, *in = NULL;
  size_t n = 0, flag_count = 0, selected = 0;
  PyObject *time_dtype = NULL;
  const iw_type flag_type = ready_vector(&c, take(&c), &flags, &flag_count);
  PyObject *const array = take(&c), *const empty = take(&c);
  const iw_type type = flag_type == IW_BOOL && flag_count <= MOST ? ordered_vector(&c, array, &in, &n, &time_dtype) : 0;
  if (c.failed || type == 0 || n != flag_count) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const Py_ssize_t shape = (Py_ssize_t)n;
  PyObject *const made = array_of_shape(empty, dtype_of_type(type), &shape, 1);
  c.failed |= made == NULL;
  void *const out = made != NULL ? out_of(&c, made, bytes_of(&c, n, iw_type_size(type))) : NULL;
  const iw_test test = { .size = sizeof test, .type = type, .flags = flags };
  iw_context *const context = call_begin(&c);
  Py_XINCREF(time_dtype);
  PyObject *const found = context != NULL && call_end(&c, iw_select_if(context, &test, in, n, out, &selected, NULL))
      ? PySequence_GetSlice(made, 0, (Py_ssize_t)selected) : NULL;
  PyObject *const result = found != NULL ? result_of(found, time_dtype, 0) : NULL;
  Py_XDECREF(found);
  Py_XDECREF(time_dtype);
  Py_XDECREF(made);
  return result;
}

/* unique(type, n, in, out, payloads) -> count */
static PyObject *py_unique(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  moved m;
  size_t runs = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const in = take_in(&c, bytes);
  void *const out = take_out(&c, bytes);
  take_payloads(&c, n, &m);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_count(
      &c, iw_unique(context, type, in, n, out, &runs,
                    IW_OPTIONS(iw_move_options, .payloads = m.payloads, .payload_count = m.payload_count)),
      &runs);
}

/* run_lengths(type, n, in, values or None, lengths) -> count; lengths are 64-bit integers. */
static PyObject *py_run_lengths(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  size_t runs = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const in = take_in(&c, bytes);
  void *const values = take_out(&c, bytes), *const lengths = take_out(&c, bytes_of(&c, n, 8));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_count(&c, iw_run_lengths(context, type, in, n, values, (iw_indices){ lengths, 8 }, &runs), &runs);
}

/* multisplit(type, n, in, buckets, out, offsets, payloads); with payloads out is not used. */
static PyObject *py_multisplit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 7);
  moved m;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), bytes = bytes_of(&c, n, iw_type_size(type));
  const void *const in = take_in(&c, bytes);
  const size_t buckets = take_buckets(&c, type, &m);
  void *const out = take_out(&c, bytes);
  size_t *const offsets = take_out(&c, bytes_of(&c, buckets + 1, sizeof(size_t)));
  take_payloads(&c, n, &m);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c,
                   m.payload_count ? iw_multisplit(context, &m.buckets, in, n, NULL, offsets,
                                                   IW_OPTIONS(iw_move_options, .payloads = m.payloads, .payload_count = m.payload_count))
                                   : iw_multisplit(context, &m.buckets, in, n, out, offsets, NULL));
}

/* ---- Rows whose elements are apart ---- */

enum { SIDE = 16 }; /* of a square that stays in the first-level cache */

/* to[j * to_step + i] = from[i * from_step + j] of a matrix of rows and columns. */
static inline void transpose_square(char *to, size_t to_step, const char *from, size_t from_step, size_t rows, size_t columns, size_t size)
{
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      memcpy(to + (j * to_step + i) * size, from + (i * from_step + j) * size, size);
}

static inline void transpose(char *to, size_t to_step, const char *from, size_t from_step, size_t rows, size_t columns, size_t size)
{
  for (size_t r = 0; r < rows; r += SIDE)
    for (size_t k = 0; k < columns; k += SIDE) {
      char *const square = to + (k * to_step + r) * size;
      const char *const of = from + (r * from_step + k) * size;
      const size_t height = rows - r < SIDE ? rows - r : SIDE, width = columns - k < SIDE ? columns - k : SIDE;
      if (height == SIDE && width == SIDE) /* known to the compiler */
        transpose_square(square, to_step, of, from_step, SIDE, SIDE, size);
      else
        transpose_square(square, to_step, of, from_step, height, width, size);
    }
}

static void transpose_elements(char *to, size_t to_step, const char *from, size_t from_step, size_t rows, size_t columns, size_t size)
{
  switch (size) { /* of a known size a copy is a move of a register */
  case 1: transpose(to, to_step, from, from_step, rows, columns, 1); break;
  case 2: transpose(to, to_step, from, from_step, rows, columns, 2); break;
  case 4: transpose(to, to_step, from, from_step, rows, columns, 4); break;
  default: transpose(to, to_step, from, from_step, rows, columns, 8);
  }
}

void open_columns(call *c, columns_call *k)
{
  enum { BLOCK = 1 << 15, LEAST_WIDTH = 16 }; /* elements of a block, that caches hold; columns of it, for whole cache lines */
  const size_t matrix = bytes_of(c, k->rows, k->columns), width = BLOCK / k->rows > LEAST_WIDTH ? BLOCK / k->rows : LEAST_WIDTH;
  k->matrices = matrix != 0 && BLOCK / matrix > 1 ? BLOCK / matrix : 1;
  k->width = k->matrices > 1 || width > k->columns ? k->columns : width;
  const size_t block = k->matrices * k->rows * k->width, places = block < k->n ? block : k->n;
  k->scratch = scratch_of(c, bytes_of(c, places, k->in_size));
  k->made = scratch_of(c, bytes_of(c, places, k->out_size));
  need_host(c);
}

iw_status along_columns(iw_context *context, const columns_call *k)
{
  const size_t matrix = k->rows * k->columns;
  iw_status status = IW_OK;
  for (size_t first = 0; first < k->n && status == IW_OK; first += k->matrices * matrix)
    for (size_t column = 0, width; column < k->columns && status == IW_OK; column += width) {
      const size_t rest = (k->n - first) / matrix, matrices = rest < k->matrices ? rest : k->matrices;
      width = k->columns - column < k->width ? k->columns - column : k->width;
      for (size_t m = 0; m < matrices; m++)
        transpose_elements(k->scratch + m * matrix * k->in_size, k->rows, k->in + (first + m * matrix + column) * k->in_size, k->columns, k->rows,
                           width, k->in_size);
      status = k->function(context, k->scratch, matrices * k->rows * width, k->made, k->about);
      for (size_t m = 0; m < matrices && status == IW_OK; m++)
        transpose_elements(k->out + (first + m * matrix + column) * k->out_size, k->columns, k->made + m * matrix * k->out_size, k->rows, width,
                           k->rows, k->out_size);
    }
  return status;
}

/* How rows are sorted: their elements, or indices within them. */
typedef struct sort_of_rows {
  iw_type type;
  const iw_sort_options *options;
  int makes_indices;
} sort_of_rows;

static iw_status sort_rows(iw_context *context, const void *in, size_t n, void *out, const void *about)
{
  const sort_of_rows *const s = about;
  iw_sort_options options = *s->options;
  const iw_payload index = { .size = sizeof index, .out = out, .width = 8 };
  options.payloads = &index;
  options.payload_count = s->makes_indices;
  const iw_status status = iw_sort(context, s->type, in, n, s->makes_indices ? NULL : out, &options);
  if (s->makes_indices && status == IW_OK)
    within_rows(out, n, options.segments->columns);
  return status;
}

/* sort(type, n, in, columns, step, out or None, payloads, descending): of the whole, or of rows of `columns`
 * elements if that is not 0. The elements of a row are `step` apart, and if that is not 1, they are in host
 * memory, and there is out or one payload, which gets indices. A payload without an array that is moved gets
 * indices, of host memory those within the rows. */
static PyObject *py_sort(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  moved m;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c), size = iw_type_size(type), bytes = bytes_of(&c, n, size);
  const void *const in = take_in(&c, bytes);
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = take_size(&c) };
  const size_t step = take_size(&c);
  void *const out = take_out(&c, bytes);
  take_payloads(&c, n, &m);
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c), .segments = rows.columns ? &rows : NULL,
                                    .payloads = m.payloads, .payload_count = m.payload_count };
  const sort_of_rows by_rows = { type, &options, out == NULL && m.payload_count == 1 };
  columns_call apart = { .in = in, .out = by_rows.makes_indices ? m.payloads[0].out : out, .n = n, .rows = rows.columns, .columns = step,
                         .in_size = size, .out_size = by_rows.makes_indices ? 8 : size, .function = sort_rows, .about = &by_rows };
  const int is_apart = step > 1 && rows.columns != 0 && apart.out != NULL;
  if (is_apart)
    open_columns(&c, &apart);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  if (is_apart)
    return call_none(&c, along_columns(context, &apart));
  const iw_status status = iw_sort(context, type, in, n, out, &options);
  for (size_t p = 0; p < m.payload_count && rows.columns && status == IW_OK && c.memory_count == 0; p++)
    if (m.payloads[p].in == NULL)
      within_rows(m.payloads[p].out, n, rows.columns);
  return call_none(&c, status);
}

/* A copy of floats in which all zeros are -0, or +0. */
static const void *with_zeros(call *c, iw_type type, const void *values, size_t n, int negative)
{
  void *const made = scratch_of(c, n * iw_type_size(type));
  const float sign = negative ? -1 : 1;
  if (made == NULL)
    return NULL;
  if (type == IW_F64)
    for (size_t i = 0; i < n; i++) /* -0 + 0 is +0 */
      ((double *)made)[i] = sign * (sign * ((const double *)values)[i] + 0.0);
  else if (type == IW_F32)
    for (size_t i = 0; i < n; i++)
      ((float *)made)[i] = sign * (sign * ((const float *)values)[i] + 0.0f);
  else
    for (size_t i = 0; i < n; i++) {
      const uint16_t bits = ((const uint16_t *)values)[i];
      ((uint16_t *)made)[i] = bits & 0x7fff ? bits : negative ? 0x8000 : 0;
    }
  return made;
}

/* bounds(upper, type, n, sorted, count, values, descending, indices); indices are 64-bit integers. Floats
 * in host memory are searched as if zeros of both signs were equal. */
static PyObject *py_bounds(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  const int upper = take_int(&c);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const sorted = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const size_t searched = take_size(&c);
  const void *values = take_in(&c, bytes_of(&c, searched, iw_type_size(type)));
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c) };
  void *const indices = take_out(&c, bytes_of(&c, searched, 8));
  if (is_float_type(type) && c.memory_count == 0 && !c.failed) /* the zero that comes first in order, or last */
    values = with_zeros(&c, type, values, searched, upper == options.descending);
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, iw_bounds(context, upper ? IW_UPPER_BOUND : IW_LOWER_BOUND, type, (iw_elements){ sorted, n },
                                 (iw_elements){ values, searched }, iw_indices_u64(indices), &options));
}

/* Takes a Python number that is an f64 or, if it fits, an i64; returns its type, or 0. */
static iw_type take_number(PyObject *given, double *to)
{
  int overflow = 0;
  if (PyFloat_Check(given)) {
    *to = PyFloat_AsDouble(given);
    return IW_F64;
  }
  if (!PyLong_CheckExact(given))
    return 0;
  const int64_t integer = PyLong_AsLongLongAndOverflow(given, &overflow);
  memcpy(to, &integer, sizeof integer);
  return overflow ? 0 : IW_I64;
}

/* Values that are compared like values of another type: each the least element of the type that is not
 * below it or, if not `up`, the greatest one that is not above it. NULL without an exception: that takes
 * more than this, as of integers beyond the floats that hold all of them; _sorted.py can. */
static const void *values_as(call *c, iw_type type, iw_type from, const void *values, size_t n, int up)
{
  const size_t size = iw_type_size(type), from_size = iw_type_size(from);
  const double most = type == IW_F32 ? 0x1p24 : 0x1p53; /* up to which floats hold all integers */
  if (type == from)
    return values;
  if (!is_plain_type(type) || !is_plain_type(from))
    return NULL;
  char *const made = scratch_of(c, n * size);
  for (size_t i = 0; i < n && made != NULL; i++) {
    plain_number x = number_in(from, (const char *)values + i * from_size);
    if (is_float_type(type)) {
      const double f64 = double_of(x);
      const float f32 = (float)f64;
      if ((x.kind != 'f' && fabs(f64) >= most) || (type == IW_F32 && (double)f32 != f64))
        return NULL;
      memcpy(made + i * size, type == IW_F32 ? (const void *)&f32 : (const void *)&f64, size);
      continue;
    }
    if (x.kind == 'f') {
      const double whole = up ? ceil(x.f64) : floor(x.f64);
      if (!(fabs(whole) < 0x1p63))
        return NULL;
      x = (plain_number){ .kind = 'i', .i64 = (int64_t)whole };
    }
    const int bits = 8 * (int)size - is_signed_type(type); /* of the magnitude */
    const uint64_t greatest = type == IW_BOOL ? 1 : UINT64_MAX >> (64 - bits);
    const int is_negative = x.kind == 'i' && x.i64 < 0;
    if (is_negative ? !is_signed_type(type) || ~x.u64 > greatest : x.u64 > greatest)
      return NULL;
    memcpy(made + i * size, &x.u64, size);
  }
  return made;
}

/* searched(sorted, values, upper, descending, empty, int64) -> for each value an index as bounds() has it, an
 * array of the shape of values, which may be a Python number. None unless the first array has one dimension,
 * both are ready for the library, and values_as() gives the values. empty: numpy.empty. */
static PyObject *py_searched(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const void *sorted = NULL;
  const Py_buffer *view = NULL;
  size_t n = 0;
  double number = 0; /* or an i64 in its place */
  PyObject *time_dtype, *given_dtype = NULL;
  const iw_type type = ordered_vector(&c, take(&c), &sorted, &n, &time_dtype);
  PyObject *const given = take(&c);
  const iw_type number_type = type != 0 ? take_number(given, &number) : 0;
  const int is_number = number_type != 0;
  const iw_type from = is_number || type == 0 ? number_type : ready_order(&c, given, 0, &view, &given_dtype);
  const int upper = take_int(&c);
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c) };
  PyObject *const empty = take(&c), *const dtype = take(&c);
  const int is_ready = !c.failed && from != 0 && is_same_time(time_dtype, given_dtype) && (is_number || given_dtype != NULL || view->ndim != 0);
  const size_t searched = is_ready && !is_number ? (size_t)view->len / iw_type_size(from) : 1;
  const void *values = is_ready ? values_as(&c, type, from, is_number ? &number : view->buf, searched, upper == options.descending) : NULL;
  if (c.failed || values == NULL) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  if (is_float_type(type))
    values = with_zeros(&c, type, values, searched, upper == options.descending);
  PyObject *const made = array_of_shape(empty, dtype, is_number ? NULL : view->shape, is_number ? 0 : view->ndim);
  c.failed |= made == NULL;
  void *const indices = made != NULL ? out_of(&c, made, bytes_of(&c, searched, 8)) : NULL;
  iw_context *const context = call_begin(&c);
  if (context != NULL
      && call_end(&c, iw_bounds(context, upper ? IW_UPPER_BOUND : IW_LOWER_BOUND, type, (iw_elements){ sorted, n },
                                (iw_elements){ values, searched }, iw_indices_u64(indices), &options)))
    return made;
  Py_XDECREF(made);
  return NULL;
}

/* top_k(type, rows, columns, in, k, largest, values or None, indices or None): of each row; indices are
 * 64-bit integers. */
static PyObject *py_top_k(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  const iw_type type = take_type(&c);
  const size_t rows = take_size(&c), columns = take_size(&c), size = iw_type_size(type);
  const void *const in = take_in(&c, bytes_of(&c, bytes_of(&c, rows, columns), size));
  const size_t k = take_size(&c), made = bytes_of(&c, rows, k);
  const int largest = take_int(&c);
  void *const values = take_out(&c, bytes_of(&c, made, size)), *const indices = take_out(&c, bytes_of(&c, made, 8));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_segments of_rows = { .size = sizeof of_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  const iw_payload permutation = { .size = sizeof permutation, .out = indices, .width = sizeof(uint64_t) };
  const iw_sort_options options = { .size = sizeof options, .descending = largest, .segments = rows == 1 ? NULL : &of_rows,
                                    .payloads = &permutation, .payload_count = indices != NULL };
  return call_none(&c, iw_top_k(context, type, in, rows * columns, k, values, &options));
}

/* nth(type, n, in, nth, value) -> index */
static PyObject *py_nth(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  uint64_t index = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const size_t nth = take_size(&c);
  void *const value = take_out(&c, iw_type_size(type));
  iw_context *const context = call_begin(&c);
  if (context == NULL || !call_end(&c, iw_nth_element(context, type, in, n, nth, value, &index)))
    return NULL;
  return PyLong_FromUnsignedLongLong(index);
}

/* nth_of(array, nth, empty) -> the element that nth() finds, a scalar. None if the array is not one of one
 * dimension that is ready for the library or has times, or nth is no index of it. empty: numpy.empty. */
static PyObject *py_nth_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  const void *in = NULL;
  size_t n = 0;
  PyObject *time_dtype;
  const iw_type type = ordered_vector(&c, take(&c), &in, &n, &time_dtype);
  const Py_ssize_t given = c.failed ? 0 : PyLong_AsSsize_t(take(&c)), nth = given < 0 ? given + (Py_ssize_t)n : given;
  PyObject *const empty = take(&c);
  const int is_number = c.failed || !(given == -1 && PyErr_Occurred());
  if (c.failed || !is_number || type == 0 || nth < 0 || (size_t)nth >= n) {
    if (!is_number)
      PyErr_Clear(); /* no index */
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  PyObject *const made = array_of_shape(empty, dtype_of_type(type), NULL, 0);
  c.failed |= made == NULL;
  void *const value = made != NULL ? out_of(&c, made, iw_type_size(type)) : NULL;
  iw_context *const context = call_begin(&c);
  if (context != NULL)
    return call_result(&c, iw_nth_element(context, type, in, n, (size_t)nth, value, NULL), made, time_dtype, 1);
  Py_XDECREF(made);
  return NULL;
}

/* merged(a, b, descending, empty) -> two sorted arrays as one. None unless both have one dimension, are
 * ready for the library or have times, and are of one type. empty: numpy.empty. */
static PyObject *py_merged(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  const void *a = NULL, *b = NULL;
  size_t a_count = 0, b_count = 0;
  PyObject *time_dtype, *other_dtype = NULL;
  const iw_type type = ordered_vector(&c, take(&c), &a, &a_count, &time_dtype);
  PyObject *const other = take(&c);
  const int is_same = type != 0 && ordered_vector(&c, other, &b, &b_count, &other_dtype) == type && is_same_time(time_dtype, other_dtype);
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c) };
  PyObject *const empty = take(&c);
  if (c.failed || !is_same) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const Py_ssize_t n = (Py_ssize_t)(a_count + b_count);
  PyObject *const made = array_of_shape(empty, dtype_of_type(type), &n, 1);
  c.failed |= made == NULL;
  void *const out = made != NULL ? out_of(&c, made, bytes_of(&c, (size_t)n, iw_type_size(type))) : NULL;
  iw_context *const context = call_begin(&c);
  if (context != NULL)
    return call_result(&c,
                       iw_merge(context, type, (iw_elements){ a, a_count }, (iw_elements){ b, b_count }, out, iw_indices_u64(NULL),
                                &options),
                       made, time_dtype, 0);
  Py_XDECREF(made);
  return NULL;
}

/* merge(type, count of a, a, count of b, b, descending, out, indices or None); indices are 64-bit
 * integers. */
static PyObject *py_merge(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  const iw_type type = take_type(&c);
  const size_t size = iw_type_size(type), a_count = take_size(&c);
  const void *const a = take_in(&c, bytes_of(&c, a_count, size));
  const size_t b_count = take_size(&c);
  const void *const b = take_in(&c, bytes_of(&c, b_count, size));
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c) };
  void *const out = take_out(&c, bytes_of(&c, a_count + b_count, size));
  void *const indices = take_out(&c, bytes_of(&c, a_count + b_count, 8));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, iw_merge(context, type, (iw_elements){ a, a_count }, (iw_elements){ b, b_count }, out,
                                iw_indices_u64(indices), &options));
}

/* sorted_until(type, n, in, descending) -> index */
static PyObject *py_sorted_until(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  uint64_t until = 0;
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const iw_sort_options options = { .size = sizeof options, .descending = take_int(&c) };
  iw_context *const context = call_begin(&c);
  return context ? call_count(&c, iw_is_sorted_until(context, type, in, n, &until, &options), &until) : NULL;
}

PyMethodDef move_functions[] = { FAST(partition), FAST(select), FAST(compressed), FAST(unique), FAST(run_lengths), FAST(multisplit), FAST(sort),
                                 FAST(bounds), FAST(searched), FAST(top_k),  FAST(nth),    FAST(nth_of), FAST(merge), FAST(merged),      FAST(sorted_until),
                                 { NULL, NULL, 0, NULL } };
