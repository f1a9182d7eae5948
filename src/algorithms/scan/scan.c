/* SPDX-License-Identifier: Apache-2.0
 *
 * Scan and reduce.
 */
#include "runtime/internal.h"

#include <string.h>

/* Outputs from here on are larger than the caches that matter, and are written past them. */
enum { STREAM_BYTES = 8 << 20 };

/* Sums in a wider type than the elements', in the order of their kernels. */
static const struct { iw_type in, sum; } mixed[] = {
  { IW_U8, IW_U32 }, { IW_U8, IW_U64 }, { IW_I32, IW_I64 }, { IW_U32, IW_U64 }, { IW_F32, IW_F64 },
};
enum { MIXED = sizeof mixed / sizeof *mixed };

/* Which of them it is; MIXED: none. */
static unsigned mixed_of(iw_type in_type, iw_type type)
{
  unsigned k = 0;
  while (k < MIXED && (mixed[k].in != in_type || mixed[k].sum != type))
    k++;
  return k;
}

/* What stands for nothing in front of the first element. */
static iw_word neutral(iw_op op, iw_type type)
{
  switch (type) {
  case IW_I32: return (iw_word){ .i32 = op == IW_SUM ? 0 : op == IW_MIN ? INT32_MAX : INT32_MIN };
  case IW_U32: return (iw_word){ .u32 = op == IW_MIN ? UINT32_MAX : 0 };
  case IW_I64: return (iw_word){ .i64 = op == IW_SUM ? 0 : op == IW_MIN ? INT64_MAX : INT64_MIN };
  case IW_U64: return (iw_word){ .u64 = op == IW_MIN ? UINT64_MAX : 0 };
  case IW_F32: return (iw_word){ .u32 = op == IW_SUM ? 0x80000000u : op == IW_MIN ? 0x7f800000u : 0xff800000u };
  default:
    return (iw_word){ .u64 = op == IW_SUM ? 0x8000000000000000u : op == IW_MIN ? 0x7ff0000000000000u
                                                                               : 0xfff0000000000000u };
  }
}

/* One element; NaN in its one pattern. */
static iw_word word_of(iw_type type, const void *element)
{
  iw_word word = { .u64 = 0 };
  memcpy(&word, element, iw_type_size(type));
  if (type == IW_F32 && (word.u32 & 0x7fffffffu) > 0x7f800000u)
    word.u32 = 0x7fc00000u;
  if (type == IW_F64 && (word.u64 & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
    word.u64 = 0x7ff8000000000000u;
  return word;
}

/* What stands in front of element 0, and what an exclusive scan stores there; or where kernels read the one that is both. */
typedef struct front { iw_word init, first; const void *at; } front;

/* Without an init: a sum of nothing is +0. */
static front without_init(iw_op op, iw_type type)
{
  const iw_word none = neutral(op, type);
  return (front){ none, op == IW_SUM ? (iw_word){ .u64 = 0 } : none, NULL };
}

static iw_array init_array(const void *init, iw_type type)
{
  return (iw_array){ "init", init, init ? iw_type_size(type) : 0, IW_READ, NULL };
}

/* Of the host's memory init is taken now; in the device's it may not be known yet, and kernels read it. out: what they write
 * before all have read it, or NULL. */
static iw_status take_init(iw_context *context, iw_type type, const iw_array *init, const iw_array *out, front *f)
{
  int there;
  if (!init->at)
    return IW_OK;
  IW_TRY(iw_on_device(context, init, &there));
  if (!there) {
    f->init = f->first = word_of(type, init->at);
    return IW_OK;
  }
  f->at = init->at;
  IW_TRY(iw_check_array("init", init->at, 1, init->bytes));
  return out ? iw_check_apart("init", init->at, init->bytes, out->name, out->at, out->bytes) : IW_OK;
}

static size_t tiles_of(size_t n)
{
  return iw_ceil_div(n, IW_SCAN_TILE);
}

/* One word for each tile and group of a 4-byte type, two of an 8-byte one. */
size_t iw_scan_words_needed(size_t n, iw_type type)
{
  return (tiles_of(n) + iw_ceil_div(tiles_of(n), IW_SCAN_GROUP_TILES)) * (iw_type_size(type) / 4);
}

/* Completes the arguments of a scan or a reduction, and launches it: for n = 0 of one tile without elements. */
static iw_status run(iw_context *context, const iw_kernel *kernel, iw_type type, size_t n, iw_scan_args *args)
{
  void *tickets;
  args->n = n;
  args->tiles = iw_max(tiles_of(n), 1);
  IW_TRY(iw_scan_words(context, iw_scan_words_needed(n, type), &tickets, &args->tile_words));
  args->tickets = tickets;
  args->group_words = args->tile_words + args->tiles * (iw_type_size(type) / 4);
  const size_t bytes = n * iw_type_size(type);
  const size_t worthwhile = bytes < context->worth ? 1 : bytes / context->worth; /* a division takes long, in a small call */
  const size_t wave = (size_t)context->processors * kernel->per_processor;
  /* A device with less shared memory has code that parks less. */
  return context->ops->launch(context, kernel, iw_min(iw_min(args->tiles, worthwhile), wave), kernel->block,
                              iw_min(kernel->shared, context->shared_room), args);
}

static iw_status scan_by(iw_context *context, const iw_kernel *kernel, const void *in, iw_type type, void *out, size_t n,
                         const front *f, int exclusive)
{
  return n == 0 ? IW_OK : run(context, kernel, type, n, &(iw_scan_args){
    .in = in, .out = out, .init = f->init, .first = f->first, .init_at = f->at,
    .exclusive = (uint32_t)exclusive, .stream = n * iw_type_size(type) >= STREAM_BYTES,
  });
}

static iw_status scan(iw_context *context, iw_op op, iw_type in_type, const void *in, iw_type type, void *out, size_t n,
                      const front *f, int exclusive)
{
  const iw_kernel *kernel;
  IW_TRY(iw_own_kernel(context, in_type == type ? IW_KERNEL_OF_OP(scan, op, type)
                                                : IW_KERNEL_OF_MIXED(scan, mixed_of(in_type, type)), &kernel));
  return scan_by(context, kernel, in, type, out, n, f, exclusive);
}

iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n)
{
  const front none = without_init(IW_SUM, IW_U64);
  return scan(context, IW_SUM, IW_U64, words, IW_U64, words, n, &none, 1);
}

/* Whether elements of in_type can be taken together by op in type. */
static iw_status check_operation(iw_op op, iw_type in_type, iw_type type)
{
  IW_TRY(iw_check_op(op));
  if (in_type == type)
    return iw_check_type(type, IW_I32);
  IW_TRY(iw_check_type(in_type, IW_U8));
  IW_TRY(iw_check_type(type, IW_I32));
  if (op == IW_SUM && mixed_of(in_type, type) < MIXED)
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "op %s of %s in %s is not possible: where types differ, there are sums of u8 in u32 "
                 "and u64, i32 in i64, u32 in u64 and f32 in f64", op == IW_SUM ? "sum" : op == IW_MIN ? "min" : "max",
                 iw_type_name(in_type), iw_type_name(type));
}

static iw_status checked_scan(iw_context *context, iw_op op, iw_type in_type, const void *in, iw_type type, void *out,
                              size_t n, const void *init, int exclusive)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(check_operation(op, in_type, type));
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type);
  IW_TRY(iw_check_array("in", in, n, in_size));
  IW_TRY(iw_check_array("out", out, n, size));
  if (in_type == type)
    IW_TRY(iw_check_apart_or_equal("in", in, n * size, "out", out, n * size));
  else
    IW_TRY(iw_check_apart("in", in, n * in_size, "out", out, n * size));
  iw_array arrays[] = { { "in", in, n * in_size, IW_READ, NULL }, { "out", out, n * size, IW_WRITE, NULL },
                        init_array(init, type) };
  front f = without_init(op, type);
  IW_TRY(iw_choose(&context, arrays, 3));
  IW_TRY(take_init(context, type, &arrays[2], &arrays[1], &f));
  IW_TRY(iw_stage_on(context, arrays, 2));
  return iw_unstage(context, arrays, 2, scan(context, op, in_type, arrays[0].here, type, arrays[1].here, n, &f, exclusive));
}

iw_status iw_inclusive_scan_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t n,
                                const void *init)
{
  return checked_scan(context, op, type, in, type, out, n, init, 0);
}

iw_status iw_exclusive_scan_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t n,
                                const void *init)
{
  return checked_scan(context, op, type, in, type, out, n, init, 1);
}

iw_status iw_inclusive_scan_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in, iw_type out_type,
                                   void *out, size_t n, const void *init)
{
  return checked_scan(context, op, in_type, in, out_type, out, n, init, 0);
}

iw_status iw_exclusive_scan_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in, iw_type out_type,
                                   void *out, size_t n, const void *init)
{
  return checked_scan(context, op, in_type, in, out_type, out, n, init, 1);
}

/* A reduction on its way: of what came before this piece, and of it. */
typedef struct reducing {
  iw_context *context;
  const iw_kernel *kernel;
  size_t in_size;
  iw_type type;
  front front;
  void *result;
} reducing;

static iw_status reduce_piece(void *job, const void *piece, size_t at, size_t bytes)
{
  const reducing *r = job;
  return run(r->context, r->kernel, r->type, iw_elements(bytes, r->in_size), &(iw_scan_args){
    .in = piece, .init = r->front.init, .init_at = at ? r->result : r->front.at, .result = r->result,
  });
}

/* What a call gives where there is nothing to reduce. */
static iw_status give(iw_context *context, const iw_array *to, const void *value)
{
  int reached;
  IW_TRY(iw_reached(context, to, &reached));
  if (reached)
    return context->ops->upload(context, (void *)(uintptr_t)to->at, value, to->bytes);
  memcpy((void *)(uintptr_t)to->at, value, to->bytes);
  return IW_OK;
}

/* arrays: in, of elements of in_size, the result, and init. none: without an init. */
static iw_status reduce_by(iw_context *context, const iw_kernel *kernel, const iw_array arrays[3], size_t in_size, iw_type type,
                           front none)
{
  const size_t size = iw_type_size(type);
  void *const result = (void *)(uintptr_t)arrays[1].at;
  reducing job = { context, kernel, in_size, type, none, result };
  IW_TRY(take_init(context, type, &arrays[2], NULL, &job.front)); /* the result is written last */
  if (arrays[0].bytes == 0 && !job.front.at)
    return give(context, &arrays[1], &job.front.first);
  int reached;
  IW_TRY(iw_reached(context, &arrays[1], &reached));
  if (!reached)
    IW_TRY(iw_scratch(context, size, &job.result));
  IW_TRY(arrays[0].bytes ? iw_pieces(context, &arrays[0], IW_SCAN_GROUP * in_size, reduce_piece, &job)
                         : reduce_piece(&job, NULL, 0, 0));
  return reached ? IW_OK : context->ops->copy(context, result, job.result, size);
}

iw_status iw_reduce_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n, iw_type type,
                           const void *init, void *result)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(check_operation(op, in_type, type));
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type);
  IW_TRY(iw_check_array("in", in, n, in_size));
  IW_TRY(iw_check_pointer("result", result));
  IW_TRY(iw_check_array("result", result, 1, size));
  const iw_array arrays[] = { { "in", in, n * in_size, IW_READ, NULL }, { "result", result, size, IW_WRITE, NULL },
                              init_array(init, type) };
  IW_TRY(iw_choose(&context, arrays, 3));
  const iw_kernel *kernel;
  IW_TRY(iw_own_kernel(context, in_type == type ? IW_KERNEL_OF_OP(reduce, op, type)
                                                : IW_KERNEL_OF_MIXED(reduce, mixed_of(in_type, type)), &kernel));
  return reduce_by(context, kernel, arrays, in_size, type, without_init(op, type));
}

iw_status iw_reduce_any(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, const void *init,
                        void *result)
{
  return iw_reduce_as_any(context, op, type, in, n, type, init, result);
}

/* A search on its way: a minimum or maximum so far, and where it is first. */
typedef struct searching { reducing reduction; iw_kernel_id first; iw_found *found; } searching;

static iw_status search_piece(void *job, const void *piece, size_t at, size_t bytes)
{
  const searching *s = job;
  const reducing *r = &s->reduction;
  const size_t size = iw_type_size(r->type), n = bytes / size;
  iw_scan_args reduction = { .in = piece, .init = r->front.init, .init_at = at ? r->result : NULL, .result = r->result };
  IW_TRY(run(r->context, r->kernel, r->type, n, &reduction));
  return iw_run(r->context, s->first, 1, 0, &(iw_first_args){
    .in = piece, .n = n, .tile_words = reduction.tile_words, .group_words = reduction.group_words,
    .result = r->result, .found = s->found, .at = at / size,
  });
}

static iw_status search(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, size_t *index, void *value)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_I32));
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_array("in", in, n, size));
  IW_TRY(iw_check_pointer("index", index));
  IW_TRY(iw_check_array("index", index, 1, sizeof *index));
  IW_TRY(iw_check_array("value", value, value != NULL, size));
  const iw_array arrays[] = { { "in", in, n * size, IW_READ, NULL }, { "index", index, sizeof *index, IW_WRITE, NULL },
                              { "value", value, value ? size : 0, IW_WRITE, NULL } };
  IW_TRY(iw_choose(&context, arrays, 3));
  if (n == 0) {
    const front none = without_init(op, type);
    IW_TRY(give(context, &arrays[1], &n));
    return value ? give(context, &arrays[2], &none.first) : IW_OK;
  }
  for (unsigned i = 1; i < 3; i++) {
    int reached;
    IW_TRY(iw_reached(context, &arrays[i], &reached));
  }
  size_t used = 0;
  const size_t at_result = iw_carve(&used, 1, size), at_found = iw_carve(&used, 1, sizeof(iw_found));
  void *scratch;
  IW_TRY(iw_scratch(context, used, &scratch));
  const iw_kernel *kernel;
  IW_TRY(iw_own_kernel(context, IW_KERNEL_OF_OP(reduce, op, type), &kernel));
  searching job = {
    { context, kernel, size, type, without_init(op, type), (char *)scratch + at_result },
    IW_KERNEL_OF(first, type), (iw_found *)(void *)((char *)scratch + at_found),
  };
  IW_TRY(iw_pieces(context, &arrays[0], IW_SCAN_GROUP * size, search_piece, &job));
  if (value)
    IW_TRY(context->ops->copy(context, value, &job.found->value, size));
  return context->ops->copy(context, index, &job.found->index, sizeof *index);
}

iw_status iw_argmin_any(iw_context *context, iw_type type, const void *in, size_t n, size_t *index, void *value)
{
  return search(context, IW_MIN, type, in, n, index, value);
}

iw_status iw_argmax_any(iw_context *context, iw_type type, const void *in, size_t n, size_t *index, void *value)
{
  return search(context, IW_MAX, type, in, n, index, value);
}

/* ---- By an operator of the user's -------------------------------------------------------------------------------- */

/* That it was made for this library, with a kernel that takes a scan's arguments. */
static iw_status check_operator(const iw_operator *op)
{
  IW_TRY(iw_check_pointer("op", op));
  if (op->size != sizeof *op)
    return iw_fail(IW_ERROR_MISMATCH, "the operator was built with another version of isowarp's headers: it has %zu bytes, "
                   "this library's %zu", op->size, sizeof *op);
  const iw_kernel *const kernels[] = { op->scan, op->reduce };
  for (unsigned i = 0; i < 2; i++) {
    IW_TRY(iw_check_kernel(kernels[i]));
    if (kernels[i]->args != sizeof(iw_scan_args))
      return iw_fail(IW_ERROR_MISMATCH, "kernel %s of operator %s takes arguments of %zu bytes: this library's scans have %zu",
                     kernels[i]->name, op->name, kernels[i]->args, sizeof(iw_scan_args));
  }
  return IW_OK;
}

static front without_init_by(const iw_operator *op)
{
  const char *const neutral = op->neutral;
  return (front){ word_of(op->type, neutral), word_of(op->type, neutral + iw_type_size(op->type)), NULL };
}

static iw_status scan_with(iw_context *context, const iw_operator *op, const void *in, void *out, size_t n, const void *init,
                           int exclusive)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(check_operator(op));
  const size_t in_bytes = n * op->element, size = iw_type_size(op->type);
  IW_TRY(iw_check_array("in", in, n, op->element));
  IW_TRY(iw_check_array("out", out, n, size));
  if (op->element == size)
    IW_TRY(iw_check_apart_or_equal("in", in, in_bytes, "out", out, n * size));
  else
    IW_TRY(iw_check_apart("in", in, in_bytes, "out", out, n * size));
  iw_array arrays[] = { { "in", in, in_bytes, IW_READ, NULL }, { "out", out, n * size, IW_WRITE, NULL },
                        init_array(init, op->type) };
  front f = without_init_by(op);
  IW_TRY(iw_choose_for(&context, op->scan, arrays, 3));
  IW_TRY(take_init(context, op->type, &arrays[2], &arrays[1], &f));
  IW_TRY(iw_stage_on(context, arrays, 2));
  return iw_unstage(context, arrays, 2,
                    scan_by(context, op->scan, arrays[0].here, op->type, arrays[1].here, n, &f, exclusive));
}

iw_status iw_inclusive_scan_with(iw_context *context, const iw_operator *op, const void *in, void *out, size_t n,
                                 const void *init)
{
  return scan_with(context, op, in, out, n, init, 0);
}

iw_status iw_exclusive_scan_with(iw_context *context, const iw_operator *op, const void *in, void *out, size_t n,
                                 const void *init)
{
  return scan_with(context, op, in, out, n, init, 1);
}

iw_status iw_reduce_with(iw_context *context, const iw_operator *op, const void *in, size_t n, const void *init, void *result)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(check_operator(op));
  const size_t size = iw_type_size(op->type);
  IW_TRY(iw_check_array("in", in, n, op->element));
  IW_TRY(iw_check_pointer("result", result));
  IW_TRY(iw_check_array("result", result, 1, size));
  const iw_array arrays[] = { { "in", in, n * op->element, IW_READ, NULL }, { "result", result, size, IW_WRITE, NULL },
                              init_array(init, op->type) };
  IW_TRY(iw_choose_for(&context, op->reduce, arrays, 3));
  return reduce_by(context, op->reduce, arrays, op->element, op->type, without_init_by(op));
}

/* ---- Segments ---------------------------------------------------------------------------------------------------- */

/* What says where they begin: flags, keys, or the columns of a matrix. */
typedef struct heading {
  iw_kernel_id kernel;
  const char *name;
  const void *at;
  size_t size;    /* of one */
  size_t columns;
} heading;

/* Makes the heads of n elements, in scratch. */
static iw_status make_heads(iw_context *context, const heading *by, iw_type type, const void *here, size_t n, uint32_t **heads)
{
  const size_t chunks = tiles_of(n) * (IW_SCAN_TILE / IW_BITS_CHUNK);
  void *memory;
  IW_TRY(iw_scratch(context, chunks * (IW_BITS_CHUNK / 8), &memory));
  *heads = memory;
  /* As many threads as the scan will have: a team that changes its size is made anew. */
  const size_t worthwhile = iw_max(n * iw_type_size(type) / context->worth, 1);
  return iw_run(context, by->kernel, iw_min(iw_ceil_div(chunks, IW_BITS_WARPS), worthwhile), 0, &(iw_bits_args){
    .in = here, .n = n, .columns = by->columns, .chunks = chunks, .bits = *heads, .heads = 1,
  });
}

static iw_status scan_segments(iw_context *context, iw_op op, iw_type type, const void *in, const heading *by, const void *here,
                               void *out, size_t n, const front *f, int exclusive)
{
  uint32_t *heads;
  if (n == 0)
    return IW_OK;
  const iw_kernel *kernel;
  IW_TRY(iw_own_kernel(context, IW_KERNEL_OF_OP(segmented, op, type), &kernel));
  IW_TRY(make_heads(context, by, type, here, n, &heads));
  return run(context, kernel, type, n, &(iw_scan_args){
    .in = in, .out = out, .init = f->init, .heads = heads, .first = f->first,
    .exclusive = (uint32_t)exclusive, .stream = n * iw_type_size(type) >= STREAM_BYTES,
  });
}

static iw_status checked_segments(iw_context *context, iw_op op, iw_type type, const void *in, const heading *by, void *out,
                                  size_t n, const void *init, int exclusive)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(check_operation(op, type, type));
  const size_t size = iw_type_size(type);
  const unsigned count = by->size ? 3 : 2;
  IW_TRY(iw_check_array("in", in, n, size));
  IW_TRY(iw_check_array("out", out, n, size));
  IW_TRY(iw_check_apart_or_equal("in", in, n * size, "out", out, n * size));
  if (by->size) {
    IW_TRY(iw_check_array(by->name, by->at, n, by->size));
    IW_TRY(iw_check_apart(by->name, by->at, n * by->size, "out", out, n * size));
  }
  iw_array arrays[] = {
    { "in", in, n * size, IW_READ, NULL }, { "out", out, n * size, IW_WRITE, NULL },
    { by->name, by->at, n * by->size, IW_READ, NULL }, init_array(init, type),
  };
  front f = without_init(op, type);
  IW_TRY(iw_choose(&context, arrays, 4));
  IW_TRY(take_init(context, type, &arrays[3], &arrays[1], &f));
  if (f.at) { /* every row wants it, so it is no place in memory */
    iw_word init_there;
    IW_TRY(context->ops->copy(context, &init_there, f.at, size));
    f.init = f.first = word_of(type, &init_there);
  }
  IW_TRY(iw_stage_on(context, arrays, count));
  return iw_unstage(context, arrays, count, scan_segments(context, op, type, arrays[0].here, by, arrays[2].here,
                                                          arrays[1].here, n, &f, exclusive));
}

iw_status iw_inclusive_scan_segments_any(iw_context *context, iw_op op, iw_type type, const void *in, const uint8_t *flags,
                                         void *out, size_t n, const void *init)
{
  const heading by = { .kernel = IW_K_bits_flags, .name = "flags", .at = flags, .size = 1 };
  return checked_segments(context, op, type, in, &by, out, n, init, 0);
}

iw_status iw_exclusive_scan_segments_any(iw_context *context, iw_op op, iw_type type, const void *in, const uint8_t *flags,
                                         void *out, size_t n, const void *init)
{
  const heading by = { .kernel = IW_K_bits_flags, .name = "flags", .at = flags, .size = 1 };
  return checked_segments(context, op, type, in, &by, out, n, init, 1);
}

static iw_status by_key(iw_context *context, iw_op op, iw_type type, const void *in, iw_type key_type, const void *keys,
                        void *out, size_t n, const void *init, int exclusive)
{
  if (key_type != IW_I32 && key_type != IW_U32 && key_type != IW_I64 && key_type != IW_U64)
    return iw_fail(IW_ERROR_INVALID, "key_type is %s (%d), but keys are i32 u32 i64 u64", iw_type_name(key_type),
                   (int)key_type);
  const size_t size = iw_type_size(key_type);
  const heading by = { .kernel = size == 4 ? IW_K_heads_keys_32 : IW_K_heads_keys_64, .name = "keys", .at = keys,
                       .size = size };
  return checked_segments(context, op, type, in, &by, out, n, init, exclusive);
}

iw_status iw_inclusive_scan_by_key_any(iw_context *context, iw_op op, iw_type type, const void *in, iw_type key_type,
                                       const void *keys, void *out, size_t n, const void *init)
{
  return by_key(context, op, type, in, key_type, keys, out, n, init, 0);
}

iw_status iw_exclusive_scan_by_key_any(iw_context *context, iw_op op, iw_type type, const void *in, iw_type key_type,
                                       const void *keys, void *out, size_t n, const void *init)
{
  return by_key(context, op, type, in, key_type, keys, out, n, init, 1);
}

static iw_status rows_of(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t rows, size_t columns,
                         const void *init, int exclusive)
{
  const heading by = { .kernel = IW_K_heads_rows, .columns = columns };
  if (columns && rows > SIZE_MAX / columns)
    return iw_fail(IW_ERROR_INVALID, "a matrix cannot have %zu rows of %zu columns: at most %zu elements", rows, columns,
                   (size_t)PTRDIFF_MAX);
  return checked_segments(context, op, type, in, &by, out, rows * columns, init, exclusive);
}

iw_status iw_inclusive_scan_rows_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t rows,
                                     size_t columns, const void *init)
{
  return rows_of(context, op, type, in, out, rows, columns, init, 0);
}

iw_status iw_exclusive_scan_rows_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t rows,
                                     size_t columns, const void *init)
{
  return rows_of(context, op, type, in, out, rows, columns, init, 1);
}
