/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders and groups of whole arrays in host memory: what takes several calls of the library is
 * one call from Python, which for arrays of few elements takes longer than all of them. */
#include "core.h"

#include <isowarp.h>
#include <math.h>
#include <string.h>

/* A sort of whole elements, in segments if there are any. */
static iw_status sort_with(iw_context *context, iw_type type, const iw_segments *segments, const void *in, size_t n, void *out,
                           const iw_payload *payloads, size_t count)
{
  const iw_sort_options options = { .size = sizeof options, .segments = segments, .payloads = payloads, .payload_count = count };
  return iw_sort(context, type, in, n, out, &options);
}

/* Whether an element of a float type of `size` bytes is NaN: of bf16 and f16 by their exponents. */
static int is_nan(iw_type type, const void *element)
{
  uint16_t bits;
  float f32;
  double f64;
  switch (type) {
  case IW_F64: memcpy(&f64, element, sizeof f64); return f64 != f64;
  case IW_F32: memcpy(&f32, element, sizeof f32); return f32 != f32;
  case IW_F16: memcpy(&bits, element, sizeof bits); return (bits & 0x7fff) > 0x7c00;
  case IW_BF16: memcpy(&bits, element, sizeof bits); return (bits & 0x7fff) > 0x7f80;
  default: return 0;
  }
}

/* Whether an element of a float type is 0, of either sign. */
static int is_zero(iw_type type, const void *element)
{
  uint64_t bits = 0; /* of a narrower type in the lower bytes: all targets are little-endian */
  memcpy(&bits, element, iw_type_size(type));
  return bits << (65 - 8 * iw_type_size(type)) == 0;
}

/* ---- Truth ---- */

/* truth(n, bytes, all): whether any of n bytes is not 0, or all are not. */
static PyObject *py_truth(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  const size_t n = take_size(&c);
  const char *const bytes = take_in(&c, n);
  const int all = take_int(&c);
  if (c.failed)
    return call_refuse(&c);
  PyThreadState *const thread = PyEval_SaveThread();
  const int found = all ? n == 0 || memchr(bytes, 0, n) == NULL
                        : n > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, n - 1) != 0);
  PyEval_RestoreThread(thread);
  call_refuse(&c);
  return PyBool_FromLong(found);
}

/* ---- Elements at places of the sorted ones ---- */

/* to[i] = from[i * step] */
static inline void gather(char *to, const char *from, size_t step, size_t n, size_t size)
{
  for (size_t i = 0; i < n; i++)
    memcpy(to + i * size, from + i * step * size, size);
}

static void gather_elements(char *to, const char *from, size_t step, size_t n, size_t size)
{
  switch (size) { /* of a known size a copy is a move of a register */
  case 1: gather(to, from, step, n, 1); break;
  case 2: gather(to, from, step, n, 2); break;
  case 4: gather(to, from, step, n, 4); break;
  default: gather(to, from, step, n, 8);
  }
}

/* places(type, rows, columns, in, number, places, values, indices or None): of each row of a matrix the
 * elements that a sort moves to some places, and their indices in the row: matrices of a row for each
 * place. Places and indices are 64-bit integers. */
static PyObject *py_places(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  enum { MOST_SORTED = 4096 }; /* elements of a row; the n-th element of a longer one is not found by a sort of all */
  (void)self;
  call c = call_of(args, count, 8);
  const iw_type type = take_type(&c);
  const size_t rows = take_size(&c), columns = take_size(&c), size = iw_type_size(type);
  const size_t n = bytes_of(&c, rows, columns), bytes = bytes_of(&c, n, size);
  const char *const in = take_in(&c, bytes);
  const size_t number = take_size(&c), made = bytes_of(&c, number, rows);
  const int64_t *const places = take_in(&c, bytes_of(&c, number, sizeof *places));
  char *const values = take_out(&c, bytes_of(&c, made, size));
  uint64_t *const indices = take_out(&c, bytes_of(&c, made, sizeof *indices));
  const int sorts = columns <= MOST_SORTED;
  char *const sorted = sorts ? scratch_of(&c, bytes) : NULL;
  uint64_t *const order = sorts && indices != NULL ? scratch_of(&c, bytes_of(&c, n, sizeof *order)) : NULL;
  for (size_t p = 0; p < number && !c.failed; p++)
    if (places[p] < 0 || (size_t)places[p] >= columns) {
      PyErr_Format(PyExc_ValueError, "%lld is no place of %zu elements", (long long)places[p], columns);
      c.failed = 1;
    }
  iw_context *const context = host_call_begin(&c);
  if (context == NULL)
    return NULL;
  iw_status status = IW_OK;
  if (sorts) {
    const iw_segments by_rows = { .size = sizeof by_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    const iw_payload index = { .size = sizeof index, .out = order, .width = sizeof *order };
    status = sort_with(context, type, &by_rows, in, n, sorted, &index, order != NULL);
  }
  for (size_t p = 0; p < number && status == IW_OK; p++) {
    const size_t place = (size_t)places[p];
    for (size_t r = 0; r < rows && !sorts && status == IW_OK; r++) {
      size_t index;
      status = iw_nth_element(context, type, in + r * columns * size, columns, place, values + (p * rows + r) * size,
                              &index);
      if (indices != NULL)
        indices[p * rows + r] = index;
    }
    if (sorts)
      gather_elements(values + p * rows * size, sorted + place * size, columns, rows, size);
    for (size_t r = 0; r < rows && order != NULL; r++) /* the library's are those of the whole array */
      indices[p * rows + r] = order[r * columns + place] % columns;
  }
  return call_none(&c, status);
}

/* ---- Orders ---- */

void within_rows(uint64_t *indices, size_t n, size_t columns)
{
  for (size_t first = 0, i = 0; first < n; first += columns)
    for (; i < first + columns; i++)
      indices[i] -= first;
}

PyObject *array_of_shape(PyObject *empty, PyObject *dtype, const Py_ssize_t *shape, int ndim)
{
  PyObject *const tuple = PyTuple_New(ndim);
  for (int i = 0; i < ndim && tuple != NULL; i++)
    PyTuple_SetItem(tuple, i, PyLong_FromSsize_t(shape[i]));
  PyObject *const made = tuple != NULL ? PyObject_CallFunctionObjArgs(empty, tuple, dtype, NULL) : NULL;
  Py_XDECREF(tuple);
  return made;
}

/* An array of 64-bit integers by empty(n, dtype). */
static PyObject *array_from(PyObject *empty, PyObject *dtype, const uint64_t *values, size_t n)
{
  Py_buffer view;
  PyObject *const made = PyObject_CallFunction(empty, "nO", (Py_ssize_t)n, dtype);
  if (made == NULL || PyObject_GetBuffer(made, &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0) {
    Py_XDECREF(made);
    return NULL;
  }
  memcpy(view.buf, values, n * sizeof *values);
  PyBuffer_Release(&view);
  return made;
}

/* nonzero(array, empty, int64) -> the indices, 64-bit integers, of the elements that are not 0. None if
 * the array is not one of one dimension that is ready for the library. empty: numpy.empty. */
static PyObject *py_nonzero(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  enum { MOST_FEW = 512 };
  (void)self;
  call c = call_of(args, count, 3);
  const uint64_t zero = 0;
  uint64_t few[MOST_FEW];
  const void *in = NULL;
  size_t n = 0, found = 0;
  const iw_type type = ready_vector(&c, take(&c), &in, &n);
  PyObject *const empty = take(&c), *const dtype = take(&c);
  if (type == 0) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  PyObject *const made = n > MOST_FEW ? PyObject_CallFunction(empty, "nO", (Py_ssize_t)n, dtype) : NULL;
  c.failed |= n > MOST_FEW && made == NULL;
  const iw_payload index = { .size = sizeof index, .out = made != NULL ? out_of(&c, made, bytes_of(&c, n, 8)) : few, .width = 8 };
  const iw_test test = { .size = sizeof test, .type = type, .compare = IW_NOT_EQUAL, .constant = &zero };
  iw_context *const context = call_begin(&c);
  const int is_well = context != NULL &&
                      call_end(&c, iw_select_if(context, &test, in, n, NULL, &found,
                                                IW_OPTIONS(iw_move_options, .payloads = &index, .payload_count = 1)));
  const int is_copied = made == NULL || 2 * found < n; /* else they keep no more memory than they take */
  PyObject *const indices = !is_well ? NULL : is_copied ? array_from(empty, dtype, index.out, found)
                                                        : PySequence_GetSlice(made, 0, (Py_ssize_t)found);
  Py_XDECREF(made);
  return indices;
}

/* Finds the elements with the bits of *element: indices of the first `most` ones. Returns their number. */
static inline size_t find_equal(const char *in, size_t n, const void *element, size_t size, uint64_t *found, size_t most)
{
  enum { BLOCK = 64 }; /* elements that are compared without a branch */
  size_t number = 0;
  for (size_t first = 0; first < n; first += BLOCK) {
    const size_t end = n - first < BLOCK ? n : first + BLOCK;
    size_t equal = 0;
    for (size_t i = first; i < end; i++)
      equal += memcmp(in + i * size, element, size) == 0;
    for (size_t i = first; i < end && equal != 0; i++)
      if (memcmp(in + i * size, element, size) == 0) {
        if (number < most)
          found[number] = i;
        number++;
        equal--;
      }
  }
  return number;
}

static size_t find_equal_elements(const void *in, size_t n, const void *element, size_t size, uint64_t *found, size_t most)
{
  switch (size) { /* of a known size a comparison is one of registers */
  case 1: return find_equal(in, n, element, 1, found, most);
  case 2: return find_equal(in, n, element, 2, found, most);
  case 4: return find_equal(in, n, element, 4, found, most);
  default: return find_equal(in, n, element, 8, found, most);
  }
}

/* The first of some rising indices that is not below `index`. */
static size_t place_of_index(const uint64_t *indices, size_t count, uint64_t index)
{
  size_t first = 0;
  while (first < count) {
    const size_t middle = (first + count) / 2;
    if (indices[middle] < index)
      first = middle + 1;
    else
      count = middle;
  }
  return first;
}

/* The most elements that are few. */
enum { MOST_EQUAL = 64 };

/* The indices of the elements below *pivot, then those of its equals, which are few, and then those of the
 * others, all in their order. The pivot is no zero of floats, whose signs a comparison does not tell apart,
 * and no NaN. rest: as many places as indices has. IW_ERROR_MISMATCH: the equals are no longer these. */
static iw_status divide_by_pivot(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, const uint64_t *equal,
                                 size_t number, uint64_t *indices, uint64_t *rest)
{
  size_t below = 0, from = 0;
  const iw_test test = { .size = sizeof test, .type = type, .compare = IW_LESS, .constant = pivot };
  const iw_payload index = { .size = sizeof index, .out = indices, .rest = rest, .width = 8 };
  const iw_status status =
      iw_partition(context, &test, in, n, NULL, &below, IW_OPTIONS(iw_move_options, .payloads = &index, .payload_count = 1));
  if (status != IW_OK)
    return status;
  size_t places[MOST_EQUAL + 1];
  places[number] = n - below;
  for (size_t k = number; k-- > 0;) {
    places[k] = place_of_index(rest, n - below, equal[k]);
    if (places[k] >= places[k + 1] || rest[places[k]] != equal[k])
      return IW_ERROR_MISMATCH; /* another thread has written to the array since the equals were found */
  }
  memcpy(indices + below, equal, number * sizeof *equal);
  uint64_t *to = indices + below + number;
  for (size_t k = 0; k <= number; k++) { /* the others between two of them */
    const size_t end = places[k];
    memcpy(to, rest + from, (end - from) * sizeof *rest);
    to += end - from;
    from = end + 1;
  }
  return IW_OK;
}

/* Makes the indices of an argpartition by element nth of the sorted ones. rest: as many places, or NULL. */
static iw_status partition_at(iw_context *context, iw_type type, const void *in, size_t n, size_t nth, uint64_t *indices, uint64_t *rest)
{
  uint64_t pivot = 0, equal[MOST_EQUAL];
  size_t offsets[4];
  const iw_payload index = { .size = sizeof index, .out = indices, .width = 8 };
  const iw_buckets buckets = { .size = sizeof buckets, .type = type, .pivot = &pivot };
  const iw_status status = iw_nth_element(context, type, in, n, nth, &pivot, NULL);
  if (status != IW_OK)
    return status;
  if (is_nan(type, &pivot))
    return sort_with(context, type, NULL, in, n, NULL, &index, 1);
  if (rest != NULL && type != IW_BOOL && !(is_float_type(type) && is_zero(type, &pivot))) {
    const size_t number = find_equal_elements(in, n, &pivot, iw_type_size(type), equal, MOST_EQUAL);
    const iw_status divided =
        number <= MOST_EQUAL ? divide_by_pivot(context, type, in, n, &pivot, equal, number, indices, rest) : IW_ERROR_MISMATCH;
    if (divided != IW_ERROR_MISMATCH)
      return divided;
  }
  return iw_multisplit(context, &buckets, in, n, NULL, offsets,
                       IW_OPTIONS(iw_move_options, .payloads = &index, .payload_count = 1));
}

/* An element as an integer of the same order. NaN is above all numbers; zeros are equal, or -0 is first. */
static inline int64_t order_of(iw_type type, const char *element, int are_zeros_equal)
{
  uint64_t bits = 0; /* of a narrower type in the lower bytes: all targets are little-endian */
  float f32;
  double f64;
  switch (type) {
  case IW_F64:
    memcpy(&f64, element, 8);
    f64 += are_zeros_equal ? 0.0 : -0.0; /* -0 becomes +0, or stays */
    memcpy(&bits, &f64, 8);
    return f64 != f64 ? INT64_MAX : (int64_t)bits ^ ((int64_t)bits >> 63 & INT64_MAX);
  case IW_F32:
    memcpy(&f32, element, 4);
    f32 += are_zeros_equal ? 0.0f : -0.0f;
    memcpy(&bits, &f32, 4);
    return f32 != f32 ? INT64_MAX : (int32_t)bits ^ ((int32_t)bits >> 31 & INT32_MAX);
  case IW_F16: case IW_BF16:
    memcpy(&bits, element, 2);
    return is_nan(type, &bits) ? INT64_MAX : bits & 0x8000 ? -(int64_t)(bits & 0x7fff) - !are_zeros_equal : (int64_t)bits;
  case IW_I8: return *(const int8_t *)element;
  case IW_I16: memcpy(&bits, element, 2); return (int16_t)bits;
  case IW_U16: memcpy(&bits, element, 2); return (int64_t)bits;
  case IW_I32: memcpy(&bits, element, 4); return (int32_t)bits;
  case IW_U32: memcpy(&bits, element, 4); return (int64_t)bits;
  case IW_I64: memcpy(&bits, element, 8); return (int64_t)bits;
  case IW_U64: memcpy(&bits, element, 8); return (int64_t)(bits ^ (uint64_t)1 << 63);
  default: return *(const uint8_t *)element;
  }
}

/* For each row the indices of its elements below sorted[nth], of its equals, and of the others. Only if
 * another thread writes to the row meanwhile, there are more or fewer of them than in the sorted row. Rows in
 * which sorted[nth] is NaN are left out; returns their number. */
static inline size_t divide_rows(iw_type type, size_t size, const char *in, const char *sorted, size_t n, size_t columns, size_t nth,
                                 uint64_t *indices)
{
  size_t left_out = 0;
  for (size_t first = 0; first < n; first += columns, in += columns * size, sorted += columns * size, indices += columns) {
    const int64_t pivot = order_of(type, sorted + nth * size, 1);
    size_t below = 0, equal = nth, above = nth + 1;
    if (is_nan(type, sorted + nth * size)) {
      left_out++;
      continue;
    }
    while (equal > 0 && order_of(type, sorted + (equal - 1) * size, 1) == pivot)
      equal--;
    while (above < columns && order_of(type, sorted + above * size, 1) == pivot)
      above++;
    for (size_t i = 0; i < columns; i++) {
      const int64_t order = order_of(type, in + i * size, 1);
      const size_t is_below = order < pivot, is_above = order > pivot;
      const size_t to = equal ^ ((equal ^ below) & (0 - is_below)) ^ ((equal ^ above) & (0 - is_above)); /* without a branch */
      indices[to < columns ? to : columns - 1] = i;
      below += is_below;
      above += is_above;
      equal += 1 - is_below - is_above;
    }
  }
  return left_out;
}

/* divide_rows() of a type, which is known where rows are divided. */
static size_t divide_rows_of(iw_type type, const char *in, const char *sorted, size_t n, size_t columns, size_t nth, uint64_t *indices)
{
  switch (type) {
#define CASE(NAME, size) case IW_##NAME: return divide_rows(IW_##NAME, size, in, sorted, n, columns, nth, indices);
  CASE(F64, 8) CASE(F32, 4) CASE(F16, 2) CASE(BF16, 2) CASE(I8, 1) CASE(I16, 2) CASE(U16, 2) CASE(I32, 4) CASE(U32, 4) CASE(I64, 8) CASE(U64, 8)
#undef CASE
  default: return divide_rows(IW_U8, 1, in, sorted, n, columns, nth, indices);
  }
}

/* Makes the indices of an argpartition of each row. A block of rows is sorted at a time, whose elements stay
 * in a cache: sorted has as many places as a block, a multiple of columns. */
static iw_status partition_rows(iw_context *context, iw_type type, const char *in, size_t n, size_t columns, size_t nth, char *sorted,
                                size_t block, uint64_t *indices)
{
  const size_t size = iw_type_size(type);
  const iw_segments by_rows = { .size = sizeof by_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  iw_status status = IW_OK;
  for (size_t first = 0, count; first < n && status == IW_OK; first += count) {
    count = n - first < block ? n - first : block;
    status = sort_with(context, type, &by_rows, in + first * size, count, sorted, NULL, 0);
    if (status != IW_OK || divide_rows_of(type, in + first * size, sorted, count, columns, nth, indices + first) == 0)
      continue;
    for (size_t row = 0; row < count && status == IW_OK; row += columns)
      if (is_nan(type, sorted + (row + nth) * size)) {
        const iw_payload index = { .size = sizeof index, .out = indices + first + row, .width = 8 };
        status = sort_with(context, type, NULL, in + (first + row) * size, columns, NULL, &index, 1);
      }
  }
  return status;
}

/* An argpartition of rows. Those that take less time one by one have no place for sorted ones. */
typedef struct row_partition {
  iw_type type;
  size_t columns, nth, block;
  char *sorted;
  uint64_t *rest;
} row_partition;

static iw_status partition_all_rows(iw_context *context, const void *in, size_t n, void *out, const void *about)
{
  const row_partition *const p = about;
  uint64_t *const indices = out;
  iw_status status = IW_OK;
  if (p->sorted != NULL)
    return partition_rows(context, p->type, in, n, p->columns, p->nth, p->sorted, p->block, indices);
  for (size_t first = 0; first < n && status == IW_OK; first += p->columns)
    status = partition_at(context, p->type, (const char *)in + first * iw_type_size(p->type), p->columns, p->nth, indices + first, p->rest);
  return status;
}

/* argpartition(array, kth, empty, int64, axis) -> the indices along an axis, 64-bit integers, of the elements
 * below that at place kth of the sorted ones, of its equals, and of the others, each in their order; all
 * sorted if that element is NaN. None if the array is not one with elements that is ready for the library, or
 * kth is no place of the axis. empty: numpy.empty. */
static PyObject *py_argpartition(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  enum { MOST_SPLIT = 256, MOST_SORTED = 4096 }; /* for which a multisplit, or a sort of rows, takes less time */
  enum { BLOCK_BYTES = 1 << 20 };
  (void)self;
  call c = call_of(args, count, 5);
  const Py_buffer *view = NULL;
  PyObject *time_dtype;
  const iw_type type = ready_order(&c, take(&c), 0, &view, &time_dtype);
  const Py_ssize_t kth = c.failed ? 0 : PyLong_AsSsize_t(take(&c));
  const int is_number = !(kth == -1 && PyErr_Occurred());
  PyObject *const empty = take(&c), *const dtype = take(&c);
  const int given = is_number ? take_int(&c) : 0, axis = type != 0 && given < 0 ? given + view->ndim : given;
  const int is_ready = type != 0 && view->len > 0 && axis >= 0 && axis < view->ndim;
  const Py_ssize_t columns = is_ready ? view->shape[axis] : 0;
  if (!is_number || kth < -columns || kth >= columns) {
    if (!c.failed)
      PyErr_Clear();
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const size_t n = (size_t)view->len / iw_type_size(type), nth = (size_t)(kth < 0 ? kth + columns : kth);
  const int sorts = view->ndim > 1 && columns <= MOST_SORTED;
  PyObject *const made = array_of_shape(empty, dtype, view->shape, view->ndim);
  c.failed |= made == NULL;
  uint64_t *const indices = made != NULL ? out_of(&c, made, bytes_of(&c, n, 8)) : NULL;
  const size_t size = iw_type_size(type), most = BLOCK_BYTES / size / (size_t)columns * (size_t)columns;
  row_partition rows = { .type = type, .columns = (size_t)columns, .nth = nth, .block = n < most ? n : most };
  rows.sorted = sorts ? scratch_of(&c, bytes_of(&c, rows.block, size)) : NULL;
  rows.rest = !sorts && columns > MOST_SPLIT ? scratch_of(&c, bytes_of(&c, (size_t)columns, 8)) : NULL;
  columns_call apart = { .in = view->buf, .out = (char *)indices, .n = n, .rows = (size_t)columns, .columns = 1, .in_size = size, .out_size = 8,
                         .function = partition_all_rows, .about = &rows };
  for (int d = axis + 1; d < view->ndim; d++)
    apart.columns *= (size_t)view->shape[d];
  if (apart.columns > 1)
    open_columns(&c, &apart);
  iw_context *const context = host_call_begin(&c);
  if (context != NULL &&
      call_end(&c, apart.columns > 1 ? along_columns(context, &apart) : partition_all_rows(context, view->buf, n, indices, &rows)))
    return made;
  Py_XDECREF(made);
  return NULL;
}

/* sorted(array, descending, empty, int64 or None) -> a sorted copy along the last axis, or the indices
 * along it that sort. None if the array is not one with an axis that is ready for the library. empty:
 * numpy.empty. */
static PyObject *py_sorted(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  const Py_buffer *view;
  PyObject *time_dtype;
  const iw_type type = ready_order(&c, take(&c), 0, &view, &time_dtype);
  const int descending = take_int(&c);
  PyObject *const empty = take(&c), *const dtype = take(&c);
  const int makes_indices = dtype != Py_None;
  if (c.failed || type == 0 || view->ndim == 0) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const size_t n = (size_t)view->len / iw_type_size(type), columns = view->ndim > 1 ? (size_t)view->shape[view->ndim - 1] : 0;
  const void *const in = view->buf;
  PyObject *const made = array_of_shape(empty, makes_indices ? dtype : dtype_of_type(type), view->shape, view->ndim);
  c.failed |= made == NULL;
  void *const out = made != NULL ? out_of(&c, made, makes_indices ? bytes_of(&c, n, 8) : (size_t)view->len) : NULL;
  iw_context *const context = call_begin(&c);
  if (context == NULL) {
    Py_XDECREF(made);
    return NULL;
  }
  const iw_segments by_rows = { .size = sizeof by_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  const iw_payload index = { .size = sizeof index, .out = out, .width = 8 };
  const iw_sort_options options = { .size = sizeof options, .descending = descending, .segments = columns != 0 ? &by_rows : NULL,
                                    .payloads = &index, .payload_count = makes_indices };
  const iw_status status = n != 0 ? iw_sort(context, type, in, n, makes_indices ? NULL : out, &options) : IW_OK;
  if (makes_indices && columns != 0 && status == IW_OK)
    within_rows(out, n, columns);
  return call_result(&c, status, made, makes_indices ? NULL : time_dtype, 0);
}

/* The mean of two elements as numpy.mean makes it, but without overflow; two of a float type are numbers. */
static double mean_of_two(iw_type type, const void *a, const void *b)
{
  int64_t i64[2];
  uint64_t u64[2] = { 0, 0 };
  const size_t size = iw_type_size(type);
  if (type == IW_F32) {
    float x, y;
    memcpy(&x, a, size);
    memcpy(&y, b, size);
    const float mean = (x + y) * 0.5f;
    return isinf(mean) && isfinite(x) && isfinite(y) ? x * 0.5f + y * 0.5f : mean;
  }
  if (type == IW_F64) {
    double x, y;
    memcpy(&x, a, size);
    memcpy(&y, b, size);
    const double mean = (x + y) * 0.5;
    return isinf(mean) && isfinite(x) && isfinite(y) ? x * 0.5 + y * 0.5 : mean;
  }
  memcpy(&u64[0], a, size);
  memcpy(&u64[1], b, size);
  if (type == IW_U8 || type == IW_U16 || type == IW_U32 || type == IW_U64)
    return ((double)u64[0] + (double)u64[1]) / 2;
  for (int k = 0; k < 2; k++) /* extends the sign */
    i64[k] = (int64_t)(u64[k] << (64 - 8 * size)) >> (64 - 8 * size);
  return ((double)i64[0] + (double)i64[1]) / 2;
}

/* median(array, float64, float32) -> the median of all elements of a ready array of these types or
 * integers, by the class that is given for it. None for other arrays, and for one without elements. */
static PyObject *py_median(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  const Py_buffer *view;
  const iw_type type = ready_array(&c, take(&c), &view);
  PyObject *const wide = take(&c), *const narrow = take(&c);
  if (c.failed || type == 0 || view->len == 0 || type == IW_BOOL || type == IW_F16 || type == IW_BF16) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const size_t n = (size_t)view->len / iw_type_size(type);
  const void *const in = view->buf;
  uint64_t middle[2] = { 0, 0 }, greatest = 0;
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  iw_status status = iw_nth_element(context, type, in, n, (n - 1) / 2, &middle[0], NULL);
  if (status == IW_OK && n % 2 == 0)
    status = iw_nth_element(context, type, in, n, n / 2, &middle[1], NULL);
  if (status == IW_OK && is_float_type(type)) /* NaN if there is one */
    status = iw_reduce(context, IW_MAX, type, in, n, &greatest, NULL);
  if (!call_end(&c, status))
    return NULL;
  const double made = is_nan(type, &greatest) ? NAN : mean_of_two(type, &middle[0], n % 2 ? &middle[0] : &middle[1]);
  return PyObject_CallFunction(type == IW_F32 ? narrow : wide, "d", made + 0.0); /* a zero is +0, as numpy.mean's */
}

/* to[i] = from[order[i]] */
static inline void permute(char *to, const char *from, const uint64_t *order, size_t n, size_t size)
{
  for (size_t i = 0; i < n; i++)
    memcpy(to + i * size, from + order[i] * size, size);
}

static void permute_elements(char *to, const char *from, const uint64_t *order, size_t n, size_t size)
{
  switch (size) {
  case 1: permute(to, from, order, n, 1); break;
  case 2: permute(to, from, order, n, 2); break;
  case 4: permute(to, from, order, n, 4); break;
  default: permute(to, from, order, n, 8);
  }
}

enum { MOST_KEYS = MOST_BUFFERS - 1 };

/* The keys of a lexsort, and what they have in common. */
typedef struct lexsort_keys {
  Py_ssize_t number;
  iw_type types[MOST_KEYS];
  const void *in[MOST_KEYS];
  const Py_ssize_t *shape;
  int ndim;
} lexsort_keys;

/* Takes a tuple or a list of ready arrays, or a ready array of keys. Returns 0 for other keys. */
static int take_keys(call *c, PyObject *keys, lexsort_keys *k)
{
  const int is_list = PyList_Check(keys);
  const Py_buffer *view;
  PyObject *time_dtype;
  k->number = 0;
  if (!is_list && !PyTuple_Check(keys)) {
    const iw_type type = ready_order(c, keys, 0, &view, &time_dtype);
    if (type == 0 || view->ndim < 2 || view->shape[0] < 1 || view->shape[0] > MOST_KEYS)
      return 0;
    k->shape = view->shape + 1;
    k->ndim = view->ndim - 1;
    for (; k->number < view->shape[0]; k->number++) {
      k->types[k->number] = type;
      k->in[k->number] = (const char *)view->buf + k->number * (view->len / view->shape[0]);
    }
    return 1;
  }
  const Py_ssize_t number = is_list ? PyList_Size(keys) : PyTuple_Size(keys);
  for (; k->number < number; k->number++) {
    const Py_ssize_t i = k->number;
    if (i == MOST_KEYS || (k->types[i] = ready_order(c, is_list ? PyList_GetItem(keys, i) : PyTuple_GetItem(keys, i), 0, &view, &time_dtype)) == 0)
      return 0;
    if (i == 0) {
      k->shape = view->shape;
      k->ndim = view->ndim;
    }
    if (k->ndim == 0 || view->ndim != k->ndim || memcmp(view->shape, k->shape, (size_t)k->ndim * sizeof *k->shape) != 0)
      return 0;
    k->in[i] = view->buf;
  }
  return number > 0;
}

enum { FEW_LEXSORTED = 16, FEW_KEYS = 4 };

/* A lexsort of rows of few elements by few keys: by insertion, the last key first. */
static void lexsort_few(const lexsort_keys *k, size_t n, size_t columns, uint64_t *indices)
{
  int64_t orders[FEW_LEXSORTED][FEW_KEYS];
  for (size_t first = 0; first < n; first += columns, indices += columns)
    for (size_t c = 0; c < columns; c++) {
      size_t at = c;
      for (Py_ssize_t i = 0; i < k->number; i++) {
        const iw_type type = k->types[k->number - 1 - i];
        orders[c][i] = order_of(type, (const char *)k->in[k->number - 1 - i] + (first + c) * iw_type_size(type), 0);
      }
      for (; at > 0; at--) {
        const int64_t *const before = orders[indices[at - 1]];
        Py_ssize_t i = 0;
        while (i < k->number - 1 && orders[c][i] == before[i])
          i++;
        if (orders[c][i] >= before[i])
          break;
        indices[at] = indices[at - 1];
      }
      indices[at] = c;
    }
}

/* lexsort(keys, empty, int64) -> the indices, 64-bit integers, that sort by the last key, its equals by the
 * one before, and so on, along the last axis, and have the shape of a key. None if the keys are not 1 to
 * MOST_KEYS arrays of one shape that are ready for the library. keys: a tuple, a list, or an array whose
 * first axis has them; empty: numpy.empty. */
static PyObject *py_lexsort(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  PyObject *const keys = take(&c), *const empty = take(&c), *const dtype = take(&c);
  lexsort_keys k;
  if (c.failed || !take_keys(&c, keys, &k)) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  const Py_ssize_t number = k.number;
  const size_t columns = k.ndim > 1 ? (size_t)k.shape[k.ndim - 1] : 0;
  size_t n = 1;
  for (int i = 0; i < k.ndim; i++)
    n *= (size_t)k.shape[i];
  PyObject *const made = array_of_shape(empty, dtype, k.shape, k.ndim);
  c.failed |= made == NULL;
  const size_t bytes = bytes_of(&c, n, 8);
  uint64_t *const out = out_of(&c, made, bytes);
  uint64_t *const other = number > 1 ? scratch_of(&c, bytes) : NULL;
  char *const moved = number > 1 ? scratch_of(&c, bytes) : NULL;
  iw_context *const context = host_call_begin(&c);
  if (context == NULL) {
    Py_XDECREF(made);
    return NULL;
  }
  const size_t row = columns != 0 ? columns : n;
  if (row <= FEW_LEXSORTED && number <= FEW_KEYS) {
    lexsort_few(&k, n, row, out);
    if (call_end(&c, IW_OK))
      return made;
    Py_DECREF(made);
    return NULL;
  }
  /* Each sort moves the indices between two arrays, the last one into the result. */
  iw_payload index = { .size = sizeof index, .out = number % 2 ? out : other, .width = sizeof *out };
  const iw_segments by_rows = { .size = sizeof by_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  const iw_segments *const segments = columns != 0 ? &by_rows : NULL;
  iw_status status = sort_with(context, k.types[0], segments, k.in[0], n, NULL, &index, 1);
  for (Py_ssize_t i = 1; i < number && status == IW_OK; i++) {
    index.in = index.out;
    index.out = index.in == out ? other : out;
    permute_elements(moved, k.in[i], index.in, n, iw_type_size(k.types[i]));
    status = sort_with(context, k.types[i], segments, moved, n, NULL, &index, 1);
  }
  if (columns != 0 && status == IW_OK)
    within_rows(out, n, columns);
  if (!call_end(&c, status)) {
    Py_DECREF(made);
    return NULL;
  }
  return made;
}

/* ---- Groups of equal elements ---- */

/* What is made of a sorted copy of an array, in which zeros are +0 and NaNs have the same bits. */
typedef struct grouping {
  iw_type type;
  size_t n;
  const void *in;
  void *keys, *sorted; /* scratch; keys: of floats */
  void *values;        /* n: the different elements come first */
  uint64_t *lengths;   /* n: and how often each occurs */
  size_t count;
} grouping;

static grouping take_grouping(call *c)
{
  grouping g = { .type = take_type(c) };
  g.n = take_size(c);
  const size_t bytes = bytes_of(c, g.n, iw_type_size(g.type));
  g.in = take_in(c, bytes);
  g.values = take_out(c, bytes);
  g.lengths = take_out(c, bytes_of(c, g.n, 8));
  if (g.lengths == NULL)
    g.lengths = scratch_of(c, bytes_of(c, g.n, 8));
  g.keys = is_float_type(g.type) ? scratch_of(c, bytes) : NULL;
  g.sorted = scratch_of(c, bytes);
  return g;
}

/* payload: what is moved along, or NULL. */
static iw_status find_groups(iw_context *context, grouping *g, const iw_payload *payload)
{
  iw_status status = IW_OK;
  const void *in = g->in;
  if (g->keys != NULL) {
    status = iw_keys_by_value(context, g->type, g->in, g->n, g->keys);
    in = g->keys;
  }
  if (status == IW_OK)
    status = sort_with(context, g->type, NULL, in, g->n, g->sorted, payload, payload != NULL);
  if (status == IW_OK)
    status = iw_run_lengths(context, g->type, g->sorted, g->n, g->values, (iw_indices){ g->lengths, 8 }, &g->count);
  return status;
}

/* Makes each NaN, which are the last group, a group. */
static void divide_nan(grouping *g)
{
  const size_t size = iw_type_size(g->type);
  if (g->count == 0 || !is_nan(g->type, (char *)g->values + (g->count - 1) * size))
    return;
  const size_t first = g->count - 1, number = (size_t)g->lengths[first];
  for (size_t k = first; k < first + number; k++) {
    memcpy((char *)g->values + k * size, (char *)g->values + first * size, size);
    g->lengths[k] = 1;
  }
  g->count = first + number;
}

/* distinct(type, n, in, values, counts or None, equal_nan, first indices or None, inverse or None) ->
 * number of values; the others are 64-bit integers. */
static PyObject *py_distinct(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 8);
  grouping g = take_grouping(&c);
  const int equal_nan = take_int(&c);
  uint64_t *const first = take_out(&c, bytes_of(&c, g.n, 8)), *const inverse = take_out(&c, bytes_of(&c, g.n, 8));
  const int needs_order = first != NULL || inverse != NULL;
  uint64_t *const order = needs_order ? scratch_of(&c, bytes_of(&c, g.n, 8)) : NULL;
  const iw_payload index = { .size = sizeof index, .out = order, .width = 8 };
  iw_context *const context = host_call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_status status = find_groups(context, &g, needs_order ? &index : NULL);
  if (status == IW_OK && !equal_nan)
    divide_nan(&g);
  for (size_t k = 0, at = 0; k < g.count && status == IW_OK && needs_order; k++) {
    if (first != NULL)
      first[k] = order[at];
    for (const size_t end = at + (size_t)g.lengths[k]; at < end; at++)
      if (inverse != NULL)
        inverse[order[at]] = k;
  }
  return call_end(&c, status) ? PyLong_FromSize_t(g.count) : NULL;
}

/* grouped(key type, n, keys, different keys, None, width of values, values, moved values, offsets) ->
 * number of keys: the values of each key behind one another, in their order, and where each begins: n + 1
 * 64-bit integers. */
static PyObject *py_grouped(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 9);
  grouping g = take_grouping(&c);
  const size_t width = take_size(&c), bytes = bytes_of(&c, g.n, width);
  const iw_payload values = { .size = sizeof values, .in = take_in(&c, bytes), .out = take_out(&c, bytes), .width = width };
  uint64_t *const offsets = take_out(&c, bytes_of(&c, g.n + 1, 8));
  iw_context *const context = host_call_begin(&c);
  if (context == NULL)
    return NULL;
  const iw_status status = find_groups(context, &g, &values);
  offsets[0] = 0;
  for (size_t k = 0; k < g.count && status == IW_OK; k++)
    offsets[k + 1] = offsets[k] + g.lengths[k];
  return call_end(&c, status) ? PyLong_FromSize_t(g.count) : NULL;
}

PyMethodDef whole_functions[] = { FAST(truth),   FAST(places),   FAST(nonzero), FAST(argpartition), FAST(sorted), FAST(median),
                                  FAST(lexsort), FAST(distinct), FAST(grouped), { NULL, NULL, 0, NULL } };
