/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms. */
#include "histogram.h"

#include <isowarp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

iw_histogram_spec spec_of(call *c, PyObject *tuple, iw_type type)
{
  iw_histogram_spec s = { .size = sizeof s, .type = type };
  const size_t size = iw_type_size(type);
  s.bins = size_of(c, member_of(c, tuple, 0));
  s.lo = in_of(c, member_of(c, tuple, 1), size);
  s.hi = in_of(c, member_of(c, tuple, 2), size);
  s.edges = in_of(c, member_of(c, tuple, 3), bytes_of(c, s.bins + 1, size));
  s.kind = s.edges ? IW_HISTOGRAM_EDGES : IW_HISTOGRAM_EVEN;
  s.policy = (iw_policy)size_of(c, member_of(c, tuple, 4));
  s.flags = (unsigned)size_of(c, member_of(c, tuple, 5));
  return s;
}

size_t outputs_of(const iw_histogram_spec *s)
{
  return s->bins + (s->policy == IW_POLICY_COUNT ? 2 : 0);
}

/* histogram(type, n, in, spec, counts) */
static PyObject *py_histogram(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const iw_histogram_spec spec = spec_of(&c, take(&c), type);
  void *const counts = take_out(&c, bytes_of(&c, outputs_of(&spec), sizeof(uint64_t)));
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, iw_histogram(context, &spec, in, n, counts, NULL)) : NULL;
}

/* histogram_even(n, in, bins, first, last, counts, edges): even bins of 64-bit floats; first is None: their
 * range. */
static PyObject *py_histogram_even(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 7);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, sizeof(double)));
  const size_t bins = take_size(&c);
  PyObject *const first = take(&c), *const last = take(&c);
  double lo = 0, hi = 0;
  if (!c.failed && first != Py_None) {
    lo = PyFloat_AsDouble(first);
    hi = PyErr_Occurred() ? 0 : PyFloat_AsDouble(last);
    c.failed = PyErr_Occurred() != NULL;
  }
  void *const counts = take_out(&c, bytes_of(&c, bins, sizeof(uint64_t)));
  void *const edges = take_out(&c, bytes_of(&c, bins + 1, sizeof(double)));
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F64,
                                   .kind = IW_HISTOGRAM_EVEN,
                                   .bins = bins,
                                   .lo = &lo,
                                   .hi = &hi,
                                   .flags = IW_HIST_CLOSED_TOP };
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  iw_status status = first == Py_None ? iw_histogram_range(context, IW_F64, in, 1, n, &lo, &hi) : IW_OK;
  lo += 0.0; /* NumPy's first edge is not -0 */
  if (status == IW_OK)
    status = iw_histogram(context, &spec, in, n, counts, NULL);
  if (status == IW_OK)
    status = iw_histogram_edges(&spec, edges);
  return call_none(&c, status);
}

/* ---- Counts of values ---- */

static inline uint64_t element_in(const char *in, size_t i, size_t size)
{
  uint64_t element = 0; /* of a narrower type its lower bytes: all targets of the library are little-endian */
  memcpy(&element, in + i * size, size);
  return element;
}

static inline uint64_t greatest_in(const char *in, size_t n, size_t size)
{
  uint64_t greatest = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t element = element_in(in, i, size);
    greatest = element > greatest ? element : greatest;
  }
  return greatest;
}

/* Elements beyond the counters, which only another thread can have written meanwhile, are not counted. */
static inline void count_in(const char *in, size_t n, size_t size, uint64_t *counts, size_t length)
{
  for (size_t i = 0; i < n; i++) {
    const uint64_t element = element_in(in, i, size);
    if (element < length)
      counts[element]++;
  }
}

enum { MOST_COUNTED = INT32_MAX /* counters */, FEW_COUNTED = 2048 /* elements with the GIL */ };

/* What the library counts: many elements of few values, on more threads than two. On one thread a counter at
 * an element's own place takes less time than the library's private counters, and than bins that are compared
 * with edges (doc/design/numbers.md#counts-of-values). */
static int is_for_library(size_t n, uint64_t values)
{
  enum { MANY = 1 << 16, PER_VALUE = 16, FEW_THREADS = 2 };
  if (n < MANY || n / PER_VALUE < values)
    return 0;
  iw_context_info info = { .size = sizeof info };
  locked_context *const in = thread_context(-1);
  if (in == NULL || iw_context_get_info(in->iw, &info) != IW_OK) {
    PyErr_Clear(); /* the library's call says what is wrong */
    return 1;
  }
  return info.backend != IW_BACKEND_CPU || info.threads > FEW_THREADS;
}

/* A sum of weights: first + second and a rest whose magnitude is at most `error`, but for the rounding of
 * that. */
typedef struct near_sum {
  double first, second, error;
} near_sum;

/* Adds x, and returns what rounding has lost (TwoSum; Knuth, The Art of Computer Programming, volume 2,
 * section 4.2.2). */
static inline double add_exactly(double *sum, double x)
{
  const double before = *sum, made = before + x, part = made - before;
  *sum = made;
  return (before - (made - part)) + (x - part);
}

static inline void weigh_in(const char *in, size_t n, size_t size, const double *weights, near_sum *sums, size_t length)
{
  enum { AHEAD = 16, CACHED = 1 << 14 }; /* elements; sums that caches hold */
  const size_t ahead = length > CACHED && n > AHEAD ? n - AHEAD : 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t element = element_in(in, i, size);
    if (i < ahead)
      __builtin_prefetch(&sums[element_in(in, i + AHEAD, size)], 1); /* of any address */
    if (element < length) {
      near_sum *const s = &sums[element];
      const double lost = add_exactly(&s->first, weights[i]);
      s->error += fabs(add_exactly(&s->second, lost));
    }
  }
}

/* Rounds sums once; returns whether it is certain to which numbers they are rounded, and all are finite. */
static int round_sums(const near_sum *sums, size_t length, double *out)
{
  int is_certain = 1;
  for (size_t k = 0; k < length; k++) {
    double sum = sums[k].first;
    const double rest = add_exactly(&sum, sums[k].second);
    const double error = sums[k].error != 0 ? sums[k].error * 1.0625 + fabs(rest) * 0x1p-50 : 0;
    is_certain &= sum + (rest + error) == sum && sum + (rest - error) == sum;
    out[k] = sum;
  }
  return is_certain;
}

/* Sums weights of each value into out by a sum at the element's own place, which takes less time than exact
 * sums where there are few elements or many values. Returns whether the sums are certain. */
static int weigh_directly(const char *in, size_t n, size_t size, const double *weights, size_t length, double *out)
{
  enum { FEW = 16384, MANY_VALUES = 64, VALUES_OF_ELEMENT = 4, ON_STACK = 256 };
  near_sum few[ON_STACK], *sums = few;
  if ((n > FEW && length < MANY_VALUES) || length / VALUES_OF_ELEMENT > n)
    return 0;
  if (length > ON_STACK)
    sums = calloc(length, sizeof *sums);
  else
    memset(few, 0, length * sizeof *few);
  if (sums == NULL)
    return 0;
  switch (size) {
  case 1: weigh_in(in, n, 1, weights, sums, length); break;
  case 2: weigh_in(in, n, 2, weights, sums, length); break;
  case 4: weigh_in(in, n, 4, weights, sums, length); break;
  default: weigh_in(in, n, 8, weights, sums, length);
  }
  const int is_certain = round_sums(sums, length, out);
  if (sums != few)
    free(sums);
  return is_certain;
}

/* Sums of weights, 64-bit floats, of each value up to the greatest element, into an array that zeros(length,
 * dtype) makes. They are exact and rounded once. */
static PyObject *weigh_values(call *c, iw_type type, const void *in, const void *weights, size_t n, uint64_t greatest, size_t length,
                              PyObject *zeros, PyObject *dtype)
{
  const uint64_t lo = 0, hi = greatest != 0 ? greatest : 1; /* of a narrower type in the lower bytes */
  const iw_histogram_spec spec = { .size = sizeof spec, .type = type, .kind = IW_HISTOGRAM_EVEN, .bins = (size_t)greatest + 1,
                                   .lo = &lo, .hi = &hi, .policy = IW_POLICY_DROP,
                                   .flags = greatest != 0 ? IW_HIST_HI_INCLUDED : 0 };
  PyObject *const made = PyObject_CallFunction(zeros, "nO", (Py_ssize_t)length, dtype);
  double *const sums = made != NULL ? out_of(c, made, bytes_of(c, length, sizeof *sums)) : NULL;
  c->failed |= sums == NULL;
  PyThreadState *const thread = n > FEW_COUNTED ? PyEval_SaveThread() : NULL;
  const int is_done = sums != NULL && weigh_directly(in, n, iw_type_size(type), weights, (size_t)greatest + 1, sums);
  if (thread != NULL)
    PyEval_RestoreThread(thread);
  if (is_done) {
    call_refuse(c);
    return made;
  }
  const iw_histogram_options options = { .size = sizeof options, .weight_type = IW_F64, .weights = weights };
  iw_context *const context = call_begin(c);
  if (context != NULL && call_end(c, iw_histogram(context, &spec, in, n, sums, &options)))
    return made;
  Py_XDECREF(made);
  return NULL;
}

/* Weights as 64-bit floats; NULL without an exception where NumPy converts more quickly. */
static const double *weights_of(call *c, iw_type type, const void *weights, size_t n)
{
  if (type == IW_F64)
    return weights;
  if (type == 0 || !is_plain_type(type) || n > FEW_COUNTED)
    return NULL;
  double *const made = scratch_of(c, n * sizeof *made);
  for (size_t i = 0; i < n && made != NULL; i++)
    made[i] = double_of(number_in(type, (const char *)weights + i * iw_type_size(type)));
  return made;
}

/* bincount(array, least length, zeros, dtype, weights or None) -> counts, or sums of weights, 64-bit
 * floats; or the greatest element: if the library counts more quickly, and if it is none that is counted.
 * Elements are taken as unsigned: negative ones are greater than all others. None if the array is not one
 * of integers and of one dimension that is ready for the library, or the weights are not as many numbers
 * that weights_of() takes. zeros(length, dtype) makes the result. */
static PyObject *py_bincount(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  const void *data = NULL;
  size_t n = 0;
  const iw_type type = ready_vector(&c, take(&c), &data, &n);
  const size_t size = iw_type_size(type), least = take_size(&c);
  const char *const in = data;
  PyObject *const zeros = take(&c), *const dtype = take(&c);
  PyObject *const given = take(&c);
  const void *weights = NULL;
  size_t weight_count = n;
  const int is_weighed = given != Py_None;
  const iw_type weight_type = is_weighed ? ready_vector(&c, given, &weights, &weight_count) : IW_F64;
  if (is_weighed && weight_count == n)
    weights = weights_of(&c, weight_type, weights, n);
  need_host(&c);
  if (c.failed || type == 0 || type == IW_BOOL || is_float_type(type) || weight_count != n || (is_weighed && (weights == NULL || n == 0))) {
    call_refuse(&c);
    return c.failed ? NULL : Py_NewRef(Py_None);
  }
  uint64_t greatest = 0;
  PyThreadState *thread = n > FEW_COUNTED ? PyEval_SaveThread() : NULL;
  switch (size) { /* of a known size a load is one instruction */
  case 1: greatest = greatest_in(in, n, 1); break;
  case 2: greatest = greatest_in(in, n, 2); break;
  case 4: greatest = greatest_in(in, n, 4); break;
  default: greatest = greatest_in(in, n, 8);
  }
  if (thread != NULL)
    PyEval_RestoreThread(thread);
  const int is_negative = is_signed_type(type) && greatest >> (8 * size - 1);
  if (is_negative || greatest >= MOST_COUNTED || (!is_weighed && is_for_library(n, greatest))) {
    call_refuse(&c);
    return PyLong_FromUnsignedLongLong(greatest);
  }
  const size_t needed = n == 0 ? 0 : (size_t)greatest + 1, length = needed > least ? needed : least;
  if (is_weighed)
    return weigh_values(&c, type, in, weights, n, greatest, length, zeros, dtype);
  PyObject *const made = PyObject_CallFunction(zeros, "nO", (Py_ssize_t)length, dtype);
  uint64_t *const counts = made != NULL ? out_of(&c, made, bytes_of(&c, length, sizeof *counts)) : NULL;
  if (counts != NULL) {
    thread = n > FEW_COUNTED ? PyEval_SaveThread() : NULL;
    switch (size) {
    case 1: count_in(in, n, 1, counts, length); break;
    case 2: count_in(in, n, 2, counts, length); break;
    case 4: count_in(in, n, 4, counts, length); break;
    default: count_in(in, n, 8, counts, length);
    }
    if (thread != NULL)
      PyEval_RestoreThread(thread);
  }
  call_refuse(&c);
  if (counts == NULL)
    Py_XDECREF(made);
  return counts != NULL ? made : NULL;
}

static size_t size_of_sum(iw_type weight_type)
{
  return weight_type == IW_F32 ? 4 : 8;
}

/* histogram_weighted(type, n, in, spec, weight_type, weights, sums) */
static PyObject *py_histogram_weighted(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 7);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const iw_histogram_spec spec = spec_of(&c, take(&c), type);
  const iw_type weight_type = take_type(&c);
  const void *const weights = take_in(&c, bytes_of(&c, n, iw_type_size(weight_type)));
  void *const sums = take_out(&c, bytes_of(&c, outputs_of(&spec), size_of_sum(weight_type)));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, iw_histogram(context, &spec, in, n, sums,
                                    IW_OPTIONS(iw_histogram_options, .weight_type = weight_type, .weights = weights)));
}

/* histogram_nd(n, ((type, in, spec), ...), weight type or None, weights, counts or sums) */
static PyObject *py_histogram_nd(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  const size_t n = take_size(&c);
  PyObject *const given = take(&c);
  const Py_ssize_t dimensions = c.failed ? 0 : PyTuple_Size(given);
  iw_histogram_axis axes[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_spec specs[IW_MAX_HISTOGRAM_AXES];
  size_t total = 1;
  if (!c.failed && (dimensions < 1 || dimensions > IW_MAX_HISTOGRAM_AXES)) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_ValueError, "%zd axes; 1 to %d can be counted", dimensions, IW_MAX_HISTOGRAM_AXES);
    c.failed = 1;
  }
  for (Py_ssize_t i = 0; i < dimensions && !c.failed; i++) {
    PyObject *const axis = member_of(&c, given, i);
    const iw_type type = type_of(&c, member_of(&c, axis, 0));
    axes[i] = (iw_histogram_axis){ .size = sizeof axes[i], .spec = &specs[i] };
    axes[i].samples = in_of(&c, member_of(&c, axis, 1), bytes_of(&c, n, iw_type_size(type)));
    specs[i] = spec_of(&c, member_of(&c, axis, 2), type);
    total = bytes_of(&c, total, outputs_of(&specs[i]));
  }
  PyObject *const named = take(&c);
  const int weighted = !c.failed && named != Py_None;
  iw_histogram_options options = { .size = sizeof options, .weight_type = weighted ? type_of(&c, named) : (iw_type)0 };
  options.weights = take_in(&c, weighted ? bytes_of(&c, n, iw_type_size(options.weight_type)) : 0);
  void *const out = take_out(&c, bytes_of(&c, total, weighted ? size_of_sum(options.weight_type) : 8));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  options.weights = weighted ? options.weights : NULL;
  return call_none(&c, iw_histogram_nd(context, axes, (unsigned)dimensions, n, out, &options));
}

/* digitize(type, n, in, spec, index_type, indices) */
static PyObject *py_digitize(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const iw_type type = take_type(&c);
  const size_t n = take_size(&c);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const iw_histogram_spec spec = spec_of(&c, take(&c), type);
  const iw_type index_type = take_type(&c);
  void *const indices = take_out(&c, bytes_of(&c, n, iw_type_size(index_type)));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, iw_digitize(context, &spec, in, n,
                                   (iw_indices){ indices, (unsigned)iw_type_size(index_type) }));
}

/* transformed_edges(type, lo, hi, bins, power, edges); power is 0 for a logarithmic axis. */
static PyObject *py_transformed_edges(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const iw_type type = take_type(&c);
  const void *const lo = take_in(&c, iw_type_size(type)), *const hi = take_in(&c, iw_type_size(type));
  const size_t bins = take_size(&c);
  PyObject *const given = take(&c);
  double power = 0;
  if (!c.failed) {
    power = PyFloat_AsDouble(given);
    c.failed = PyErr_Occurred() != NULL;
  }
  void *const edges = take_out(&c, bytes_of(&c, bins + 1, iw_type_size(type)));
  if (call_begin(&c) == NULL)
    return NULL;
  return call_none(&c, iw_histogram_power_edges(type, lo, hi, bins, power, edges));
}

/* histogram_rows(type, rows, columns, in, spec, counts) */
static PyObject *py_histogram_rows(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const iw_type type = take_type(&c);
  const size_t rows = take_size(&c), columns = take_size(&c), n = bytes_of(&c, rows, columns);
  const void *const in = take_in(&c, bytes_of(&c, n, iw_type_size(type)));
  const iw_histogram_spec spec = spec_of(&c, take(&c), type);
  void *const counts = take_out(&c, bytes_of(&c, bytes_of(&c, rows, outputs_of(&spec)), 8));
  iw_context *const context = call_begin(&c);
  if (context == NULL)
    return NULL;
  return call_none(&c, iw_histogram_rows(context, &spec, in, rows, columns, counts, NULL));
}

PyMethodDef histogram_functions[] = { FAST(histogram), FAST(bincount),     FAST(histogram_even), FAST(histogram_weighted),
                                      FAST(histogram_nd),  FAST(histogram_rows), FAST(digitize),
                                      FAST(transformed_edges), { NULL, NULL, 0, NULL } };
