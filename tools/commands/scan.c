/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp scan and reduce. Long inputs are processed in parts of whole groups of order 1, each with the
 * result of the part before as init: this gives the bits of one call, and neither the input, which is
 * mapped, nor the output need fit into memory. Segmented scans are one call. With --mpi the ranks share
 * each part. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums and products of integers are wide, as NumPy's, so that three times 2147483647 is not 2147483645. */
iw_type result_type(const settings *s, iw_type type)
{
  if (s->keep_type || (s->op != IW_SUM && s->op != IW_PRODUCT))
    return type;
  switch (type) {
  case IW_I8: case IW_I16: case IW_I32: return IW_I64;
  case IW_U8: case IW_BOOL: case IW_U16: case IW_U32: return IW_U64;
  default: return type;
  }
}

static int is_bitwise(iw_op op)
{
  enum { INTEGERS = 1, BOOLS = 2, FLOATS = 4 };
#define IS_BITWISE(NAME, name, takes, result) || (op == IW_##NAME && !((takes) & FLOATS))
  return 0 IW_BUILTIN_OPERATORS(IS_BITWISE);
#undef IS_BITWISE
}

void check_op(const settings *s, iw_type type)
{
  if (is_float(type) && is_bitwise(s->op))
    fail("--op %s: is for integers and bool, but the elements are %s", s->op_name, iw_type_name(type));
  if (type == IW_BOOL && s->keep_type && (s->op == IW_SUM || s->op == IW_PRODUCT))
    fail("--keep-type: the %s of bool has another type than bool", s->op_name);
}

static void widen(iw_type from, const void *in, size_t n, uint64_t *out)
{
#define WIDEN(type) for (size_t i = 0; i < n; i++) out[i] = (uint64_t)((const type *)in)[i]
  switch (from) {
  case IW_I8: WIDEN(int8_t); break;
  case IW_I16: WIDEN(int16_t); break;
  case IW_I32: WIDEN(int32_t); break;
  case IW_U16: WIDEN(uint16_t); break;
  case IW_U32: WIDEN(uint32_t); break;
  default: WIDEN(uint8_t); /* u8 and bool */
  }
#undef WIDEN
}

const void *elements(const array *in, iw_type type, size_t first, size_t n)
{
  static uint64_t *wide;
  static size_t capacity;
  const void *const x = element_at(in->type, in->data, first);
  if (type == in->type)
    return x;
  if (n > capacity)
    wide = need_more(wide, capacity = n, sizeof *wide);
  widen(in->type, x, n, wide);
  return wide;
}

/* Elements that are processed at a time, of `left`. Sums and products of f16 and bf16 are rounded, so that
 * a next part could not continue from them. */
static size_t next_part(iw_op op, iw_type type, size_t left)
{
  const int rounds = (op == IW_SUM || op == IW_PRODUCT) && is_half(type);
  return rounds || left < PART ? left : PART;
}

/* The same for parts that all ranks share. */
static size_t next_shared_part(iw_op op, iw_type type, size_t left)
{
  return next_part(op, type, left) == left || left / PART < ranks_count() ? left
                                                                          : (size_t)PART * ranks_count();
}

/* Scans this rank's part of n elements, which all ranks share. */
static void scan_shared(const settings *s, iw_type type, const array *in, size_t first, size_t n, void *out,
                        const void *init)
{
  size_t begin, end;
  ranks_range(n, &begin, &end);
  const void *const x = elements(in, type, first + begin, end - begin);
  ranks_agree();
  must(s->exclusive
           ? iw_distributed_exclusive_scan(ranks_handle(), s->op, type, x, end - begin, out,
                                           IW_OPTIONS(iw_scan_options, .init = init))
           : iw_distributed_inclusive_scan(ranks_handle(), s->op, type, x, end - begin, out,
                                           IW_OPTIONS(iw_scan_options, .init = init)));
}

/* Scans in parts that all ranks share; returns the seconds of the library's calls. */
static double scan_parts_shared(const settings *s, iw_type type, const array *in, const void *init)
{
  const size_t most = next_shared_part(s->op, type, in->n);
  size_t begin, end;
  double seconds = 0;
  value carry[2];
  ranks_range(most, &begin, &end);
  parts *const out = parts_open(s, type, in->n, end - begin);
  for (size_t done = 0, n; done < in->n; done += n) {
    n = next_shared_part(s->op, type, in->n - done);
    ranks_range(n, &begin, &end);
    const int more = done + n < in->n;
    const double start = seconds_now();
    scan_shared(s, type, in, done, n, parts_buffer(out), init);
    if (more) /* a reduction is the last output of the inclusive scan */
      must(iw_distributed_reduce(ranks_handle(), s->op, type, elements(in, type, done + begin, end - begin),
                                 end - begin, &carry[1], IW_OPTIONS(iw_scan_options, .init = init)));
    seconds += seconds_now() - start;
    carry[0] = carry[1];
    init = &carry[0];
    parts_write(out, &(piece){ done + begin, 0, end - begin }, 1, more);
    progress("scanning", "elements", done + n, in->n);
  }
  progress_end();
  parts_close(out, in->n);
  return seconds;
}

/* Scans part by part and writes the outputs; returns the seconds of the library's calls. */
static double scan_parts(const settings *s, iw_type type, iw_context *context, const array *in,
                         const void *init)
{
  const size_t size = iw_type_size(type), most = next_part(s->op, type, in->n);
  parts *const out = parts_open(s, type, in->n, most + 1);
  double seconds = 0;
  value carry;
  for (size_t done = 0, n; done == 0 || done < in->n; done += n) {
    char *const y = parts_buffer(out);
    n = next_part(s->op, type, in->n - done);
    const int more = done + n < in->n;
    read_ahead(in, done + n, PART);
    const double start = seconds_now();
    const void *const x = elements(in, type, done, n + (size_t)more);
    if (s->exclusive) /* the output of one more element is the next part's init */
      must(iw_exclusive_scan(context, s->op, type, x, n + (size_t)more, y,
                             IW_OPTIONS(iw_scan_options, .init = init)));
    else
      must(iw_inclusive_scan(context, s->op, type, x, n, y, IW_OPTIONS(iw_scan_options, .init = init)));
    seconds += seconds_now() - start;
    if (more)
      init = memcpy(&carry, y + (s->exclusive ? n : n - 1) * size, size);
    plot_add(type, y, done, n);
    parts_write(out, &(piece){ done, 0, n }, 1, more);
    progress("scanning", "elements", done + n, in->n);
    if (in->n == 0)
      break;
  }
  progress_end();
  parts_close(out, in->n);
  return seconds;
}

static iw_status scan_segments(iw_context *context, iw_op op, int exclusive, const array *in,
                               const iw_segments *segments, void *out, const void *init)
{
  return (exclusive ? iw_exclusive_scan : iw_inclusive_scan)(
    context, op, in->type, in->data, in->n, out, IW_OPTIONS(iw_scan_options, .init = init, .segments = segments));
}

/* The segments by flags or keys. */
static void set_segments(const settings *s, iw_context *context, array *by, iw_segments *segments)
{
  if (s->flags != NULL) {
    segments->kind = IW_SEGMENTS_FLAGS;
    segments->flags = by->data;
    return;
  }
  if (s->by_value)
    keys_by_value(context, by);
  segments->kind = IW_SEGMENTS_KEYS;
  segments->keys = by->data;
  segments->key_type = by->type;
}

/* Scans the segments that the options describe. flags_or_keys: those of the elements, if there are any. */
static void scan_by_options(const settings *s, iw_type type, iw_context *context, const array *in, array *flags_or_keys,
                            char *out, const void *init)
{
  const array x = { type, in->n, elements(in, type, 0, in->n), NULL };
  array by = { 0 };
  iw_segments segments = { .size = sizeof segments };
  if (s->flags != NULL || s->keys != NULL) {
    set_segments(s, context, flags_or_keys, &segments);
  } else if (s->offsets_file != NULL) {
    reading reading = { .type = IW_U64, .dialect = s->input.dialect };
    by = read_array(s->offsets_file, &reading);
    if (by.n == 0 || (by.type != IW_U64 && by.type != IW_U32))
      fail("--offsets: %s has %zu offsets of %s; 1 or more of u64 or u32 are needed", s->offsets_file, by.n,
           iw_type_name(by.type));
    segments.kind = IW_SEGMENTS_OFFSETS;
    segments.offsets = by.data;
    segments.offset_type = by.type;
    segments.count = by.n - 1;
    if (in->n > 0) /* elements in no segment stay as they are */
      memcpy(out, x.data, in->n * iw_type_size(type));
  } else {
    const size_t rows = in->n / s->row_length;
    if (rows * s->row_length != in->n)
      fail("--row-length: %zu elements are not a multiple of %zu", in->n, s->row_length);
    segments.kind = IW_SEGMENTS_ROWS;
    segments.columns = s->row_length;
  }
  must(scan_segments(context, s->op, s->exclusive, &x, &segments, out, init));
  free(by.owned);
}

/* Scans this rank's part, by flags or keys, and writes it; returns the seconds of the library's call. */
static double scan_segments_shared(const settings *s, iw_type type, iw_context *context, const array *in, array *by,
                                   const void *init)
{
  size_t begin, end;
  iw_segments segments = { .size = sizeof segments };
  set_segments(s, context, by, &segments);
  ranks_range(in->n, &begin, &end);
  if (s->flags != NULL)
    segments.flags += begin;
  else
    segments.keys = element_at(by->type, by->data, begin);
  const void *const x = elements(in, type, begin, end - begin);
  parts *const out = parts_open(s, type, in->n, end - begin);
  ranks_agree();
  const double start = seconds_now();
  must((s->exclusive ? iw_distributed_exclusive_scan : iw_distributed_inclusive_scan)(
    ranks_handle(), s->op, type, x, end - begin, parts_buffer(out),
    IW_OPTIONS(iw_scan_options, .init = init, .segments = &segments)));
  const double seconds = seconds_now() - start;
  parts_write(out, &(piece){ begin, 0, end - begin }, 1, 0);
  parts_close(out, in->n);
  return seconds;
}

int run_scan(const settings *s)
{
  const int by_segments = s->flags != NULL || s->keys != NULL || s->has_row_length ||
                          s->offsets_file != NULL;
  beside by = s->flags != NULL ? (beside){ .option = "--flags", .name = s->flags, .things = "flags", .kind = FLAGS }
                               : (beside){ .option = "--keys", .name = s->keys, .things = "keys", .kind = KEYS, .integers = COMPARED };
  array in = read_beside(s, &by);
  const iw_type type = result_type(s, in.type);
  check_op(s, in.type);
  iw_context *context = open_context(s);
  value init;
  if (s->init != NULL)
    init = parse_argument(type, s->init, "--init");
  const void *const from = s->init ? &init : NULL;
  if (s->plot != NULL)
    plot_begin(s->plot, in.n);
  if (!by_segments) {
    const double seconds = ranks_are_open() ? scan_parts_shared(s, type, &in, from)
                                            : scan_parts(s, type, context, &in, from);
    print_stats(s, in.n, in.type, seconds);
  } else if (ranks_are_open()) {
    print_stats(s, in.n, in.type, scan_segments_shared(s, type, context, &in, &by.values, from));
  } else {
    parts *const out = parts_open(s, type, in.n, in.n);
    double start = seconds_now();
    scan_by_options(s, type, context, &in, &by.values, parts_buffer(out), from);
    print_stats(s, in.n, in.type, seconds_now() - start);
    plot_add(type, parts_buffer(out), 0, in.n);
    parts_write(out, &(piece){ 0, 0, in.n }, 1, 0);
    parts_close(out, in.n);
  }
  plot_end(s->exclusive ? "exclusive scan" : "inclusive scan");
  free(by.values.owned);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

/* Writes the index of the first minimum or maximum, and the element to standard error. */
static int find_index(const settings *s, iw_context *context, const array *in)
{
  size_t index;
  uint64_t written;
  value found;
  char text[NUMBER_CHARS];
  if (in->n == 0)
    fail("there are no elements, so there is no %s", s->op == IW_MIN ? "minimum" : "maximum");
  double start = seconds_now();
  if (ranks_are_open()) {
    size_t begin, end;
    ranks_range(in->n, &begin, &end);
    ranks_agree();
    must((s->op == IW_MIN ? iw_distributed_argmin : iw_distributed_argmax)(
      ranks_handle(), in->type, element_at(in->type, in->data, begin), end - begin, &written, &found, NULL));
  } else {
    must((s->op == IW_MIN ? iw_argmin : iw_argmax)(context, in->type, in->data, in->n, &index, &found, NULL));
    written = index;
  }
  print_stats(s, in->n, in->type, seconds_now() - start);
  const int length = format_value(in->type, &found, text);
  if (s->json)
    json_reduction(s->op_name, in->type, in->n, in->type, &found, &written);
  else {
    note("element %llu is %.*s", (unsigned long long)written, length, text);
    write_array(s, IW_U64, &written, 1);
  }
  free(in->owned);
  close_context();
  return STATUS_GOOD;
}

void reduce_parts(iw_context *context, iw_op op, iw_type type, const array *in, const void *init,
                  void *result)
{
  value carry;
  for (size_t done = 0, n; done == 0 || done < in->n; done += n) {
    size_t begin, end;
    n = (ranks_are_open() ? next_shared_part : next_part)(op, type, in->n - done);
    ranks_range(n, &begin, &end);
    read_ahead(in, done + n + begin, end - begin);
    const void *const x = elements(in, type, done + begin, end - begin);
    ranks_agree();
    must(ranks_are_open() ? iw_distributed_reduce(ranks_handle(), op, type, x, end - begin, result,
                                                  IW_OPTIONS(iw_scan_options, .init = init))
                          : iw_reduce(context, op, type, x, n, result, IW_OPTIONS(iw_scan_options, .init = init)));
    init = memcpy(&carry, result, iw_type_size(type));
    progress("reducing", "elements", done + n, in->n);
    if (in->n == 0)
      break;
  }
  progress_end();
}

int run_reduce(const settings *s)
{
  if (s->columns != NULL || s->group_by != NULL || s->csv)
    return run_reduce_groups(s);
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  value result, init;

  if (s->find_index)
    return find_index(s, context, &in);
  const iw_type type = result_type(s, in.type);
  check_op(s, in.type);
  if (s->init != NULL)
    init = parse_argument(type, s->init, "--init");
  double start = seconds_now();
  reduce_parts(context, s->op, type, &in, s->init ? &init : NULL, &result);
  print_stats(s, in.n, in.type, seconds_now() - start);
  if (s->json)
    json_reduction(s->op_name, in.type, in.n, type, &result, NULL);
  else
    write_array(s, type, &result, 1);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}
