/* SPDX-License-Identifier: Apache-2.0
 *
 * The public calls of exact sums (isowarp/exact.h): they check, stage and launch, and merge and round
 * unrounded sums on the host. Algorithms layer; knows no backend and no schedule.
 *
 * There is one schedule, exact_sum_kernel.h: each warp adds to a few doubles of its own without rounding,
 * and empties them into integers (doc/design/numbers.md#exact-sums).
 */
#include "algorithms/exact_sum/exact_sum.h"
#include "algorithms/common/args.h"
#include "algorithms/common/clear.h"
#include "algorithms/common/kernel_ids.h"
#include "algorithms/exact_sum/args.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"
#include "runtime/type_facts.h"

#include <string.h>

enum {
  MIN_BYTES_PER_BLOCK = 1 << 16, /* where a device has any */
  CHUNK_BYTES = 2048             /* of lanes, which a warp takes at a time; of products half of that */
};
enum { NUMBER_WORDS = sizeof ((iw_exact_sum *)0)->words / sizeof(uint64_t), NONFINITE_FLAGS = 7 };
_Static_assert(NUMBER_WORDS * 64 <= (int)IW_DIGITS_F64 * (int)IW_DIGIT_BITS, "the digits hold a whole sum");

/* What is added: elements, or products if other is not NULL; names: of the arrays. */
typedef struct addends {
  iw_type type;
  const void *in, *other;
  size_t n;
  const char *in_name, *other_name;
} addends;

static iw_float_format format_of(iw_type type)
{
  const iw_type_facts facts = iw_facts_of(type);
  return (iw_float_format){ facts.bits, (uint32_t)facts.of.fraction, (uint32_t)(1074 + facts.of.smallest) };
}

static iw_status check_float(const char *name, iw_type type)
{
  return iw_check_named_type(name, type, IW_FLOAT_TYPES);
}

/* The arrays of a call: what is added, and what is written. */
enum { IN, OTHER, RESULT, ARRAYS };

/* Checks what is added, and lists its arrays. */
static iw_status check_addends(const iw_context *context, const addends *what, iw_array arrays[ARRAYS])
{
  const size_t size = iw_type_size(what->type);
  IW_TRY(iw_check_context(context));
  IW_TRY(check_float("type", what->type));
  if (what->other_name && what->type == IW_F64)
    return iw_fail(IW_ERROR_INVALID, "type is f64; products are summed exactly of f32, f16 and bf16 only");
  arrays[IN] = (iw_array){ what->in_name, what->in, what->n, size, IW_READ, NULL };
  arrays[OTHER] = (iw_array){ what->other_name, what->other, what->other_name ? what->n : 0, size, IW_READ, NULL };
  IW_TRY(iw_check_each_array(arrays, RESULT));
  if (what->n >> IW_MAX_WEIGHTS_LOG2)
    return iw_fail(IW_ERROR_INVALID, "n is %zu; valid are numbers below 2^%d", what->n, IW_MAX_WEIGHTS_LOG2);
  return IW_OK;
}

iw_status iw_check_exact_sum(const char *name, const char *format_name, const char *nonfinite_name,
                             const iw_exact_sum *sum)
{
  IW_TRY(iw_check_single(name, sum, _Alignof(iw_exact_sum)));
  if (sum->format != IW_EXACT_SUM_FORMAT)
    return iw_fail(IW_ERROR_INVALID, "%s is %lu; this library knows %d (IW_EXACT_SUM_EMPTY)", format_name,
                   (unsigned long)sum->format, IW_EXACT_SUM_FORMAT);
  if (sum->nonfinite > NONFINITE_FLAGS)
    return iw_fail(IW_ERROR_INVALID, "%s is %lu; valid are 0 to %d", nonfinite_name, (unsigned long)sum->nonfinite,
                   NONFINITE_FLAGS);
  return IW_OK;
}

/* ---- Numbers on the host ---- */

/* number += value * 2^place, value in two's complement. */
static void add_at(uint64_t *number, uint64_t value, unsigned place)
{
  const uint64_t sign = value >> 63 ? UINT64_MAX : 0;
  const unsigned shift = place % 64;
  uint64_t carry = 0, below = 0;
  for (unsigned k = place / 64; k < NUMBER_WORDS; k++) {
    const uint64_t here = k == place / 64 ? value : sign;
    const uint64_t shifted = shift ? here << shift | below >> (64 - shift) : here;
    const uint64_t sum = number[k] + shifted, all = sum + carry;
    carry = (sum < shifted) | (all < carry);
    number[k] = all;
    below = here;
  }
}

void iw_add_exact_words(iw_exact_sum *sum, const uint64_t *words, size_t stride, unsigned digits, unsigned unit)
{
  for (unsigned k = 0; k < digits; k++)
    if (words[k * stride])
      add_at(sum->words, words[k * stride], unit + k * IW_DIGIT_BITS);
  for (unsigned k = 0; k < IW_NONFINITE_WORDS; k++)
    sum->nonfinite |= words[(digits + k) * stride] ? 1u << k : 0;
}

/* The words of kernels (exact_number.h) from a sum. */
static void words_of(const iw_exact_sum *sum, uint64_t *words)
{
  const uint64_t sign = sum->words[NUMBER_WORDS - 1] >> 63 ? UINT64_MAX : 0;
  for (unsigned k = 0; k < IW_DIGITS_F64; k++) {
    const unsigned place = k * IW_DIGIT_BITS, word = place / 64, shift = place % 64;
    const uint64_t low = word < NUMBER_WORDS ? sum->words[word] : sign;
    const uint64_t high = word + 1 < NUMBER_WORDS ? sum->words[word + 1] : sign;
    const uint64_t bits = shift ? low >> shift | high << (64 - shift) : low;
    words[k] = k + 1 < IW_DIGITS_F64 ? bits & IW_DIGIT_MASK : (bits & IW_DIGIT_MASK) | (sign & ~(uint64_t)IW_DIGIT_MASK);
  }
  for (unsigned k = 0; k < IW_NONFINITE_WORDS; k++)
    words[IW_DIGITS_F64 + k] = sum->nonfinite >> k & 1;
}

iw_status iw_exact_sum_merge(iw_exact_sum *sum, const iw_exact_sum *other)
{
  IW_TRY(iw_check_exact_sum("sum", "sum->format", "sum->nonfinite", sum));
  IW_TRY(iw_check_exact_sum("other", "other->format", "other->nonfinite", other));
  const iw_exact_sum added = *other;
  uint64_t carry = 0;
  for (unsigned k = 0; k < NUMBER_WORDS; k++) {
    const uint64_t part = sum->words[k] + added.words[k], all = part + carry;
    carry = (part < added.words[k]) | (all < carry);
    sum->words[k] = all;
  }
  sum->nonfinite |= added.nonfinite;
  return IW_OK;
}

iw_status iw_exact_sum_round(const iw_exact_sum *sum, iw_type type, void *result)
{
  uint64_t words[IW_EXACT_WORDS];
  IW_TRY(iw_check_exact_sum("sum", "sum->format", "sum->nonfinite", sum));
  IW_TRY(check_float("type", type));
  IW_TRY(iw_check_single("result", result, iw_type_size(type)));
  IW_TRY(iw_check_no_overlap("sum", sum, sizeof *sum, "result", result, iw_type_size(type)));
  words_of(sum, words);
  const iw_scalar_bits bits = { .u64 = round_sum(IW_DIGITS_F64, format_of(type), words) };
  memcpy(result, &bits, iw_type_size(type));
  return IW_OK;
}

/* ---- Kernels ---- */

/* A call's sum on the device, and what is added to it piece by piece. */
typedef struct exact_job {
  iw_context *context;
  iw_type type;
  const void *other;
  size_t bytes;           /* of all pieces */
  uint64_t *words;        /* in scratch, for more than one piece */
  void *result;
  iw_float_format format; /* of the result; bits = 0: words */
} exact_job;

static iw_kernel_id kernel_of(iw_type type, int products)
{
  return type == IW_F64 ? IW_K_exact_sum_f64
    : type == IW_F32 ? products ? IW_K_exact_dot_f32 : IW_K_exact_sum_f32
    : type == IW_F16 ? products ? IW_K_exact_dot_f32_from_f16 : IW_K_exact_sum_f32_from_f16
    : products ? IW_K_exact_dot_f32_from_bf16 : IW_K_exact_sum_f32_from_bf16;
}

/* Blocks for n elements: a chunk for each warp at least. */
static size_t grid_of(iw_context *context, iw_kernel_id id, size_t n, size_t size, int products, size_t bytes)
{
  const iw_kernel *const kernel = context->ops->kernel(context, id);
  const size_t chunks = iw_ceil_div(n * iw_max(size, sizeof(float)), products ? CHUNK_BYTES / 2 : CHUNK_BYTES);
  const size_t grain = iw_min(context->device.min_bytes_per_block, MIN_BYTES_PER_BLOCK);
  const size_t most = iw_min(iw_max(bytes / grain, 1), iw_blocks_per_wave(context, id));
  return iw_max(iw_min(iw_ceil_div(chunks, kernel ? kernel->block / 32 : 1), most), 1);
}

/* One launch. A sum in one launch needs no words that are cleared before it: the context's are 0 between
 * calls. */
static iw_status add_piece(void *job, const void *piece, size_t at, size_t bytes)
{
  const exact_job *const j = job;
  const iw_kernel_id kernel = kernel_of(j->type, j->other != NULL);
  const size_t size = iw_type_size(j->type), n = iw_element_count(bytes, size);
  iw_exact_add_args args = {
    .in = piece, .other = j->other ? (const char *)j->other + at : NULL, .n = n,
    .result = at + bytes == j->bytes ? j->result : NULL, .format = j->format, .is_whole = bytes == j->bytes,
    .prefetches = (uint32_t)j->context->device.prefetches,
  };
  IW_TRY(iw_zeroed_counters(j->context, &args.blocks_done, &args.words));
  if (!args.is_whole)
    args.words = j->words;
  if (!args.is_whole && !at)
    IW_TRY(iw_clear(j->context, args.words, IW_EXACT_WORDS));
  return iw_launch_by_id(j->context, kernel, grid_of(j->context, kernel, n, size, j->other != NULL, bytes), 0, &args);
}

/* Adds up, then rounds to the result, or adds to *sum, which is not NULL. Products are staged whole. */
static iw_status sum_up(iw_context *context, const addends *what, iw_array arrays[ARRAYS], iw_type result_type, iw_exact_sum *sum)
{
  const int products = what->other_name && what->n;
  int accessible = 0;
  iw_layout layout;
  void *scratch;
  IW_TRY(iw_select_context(&context, arrays, sum ? RESULT : ARRAYS));
  if (!sum)
    IW_TRY(iw_is_accessible(context, &arrays[RESULT], &accessible));
  if (products)
    IW_TRY(iw_stage_on(context, arrays, RESULT));
  exact_job job = { .context = context, .type = what->type, .bytes = iw_bytes_of(&arrays[IN]) };
  iw_layout_begin(&layout, context);
  const size_t at_words = iw_layout_add(&layout, "words of the sum", IW_EXACT_WORDS, sizeof(uint64_t));
  const size_t at_result = iw_layout_add(&layout, "result", IW_EXACT_WORDS, sizeof(uint64_t));
  iw_status status = iw_scratch(context, &layout, &scratch);
  if (status == IW_OK) {
    job.words = (uint64_t *)(void *)((char *)scratch + at_words);
    job.result = accessible ? (void *)(uintptr_t)arrays[RESULT].at : (char *)scratch + at_result;
    job.format = sum ? (iw_float_format){ 0, 0, 0 } : format_of(result_type);
    job.other = products ? arrays[OTHER].kernel_ptr : NULL;
    status = products ? add_piece(&job, arrays[IN].kernel_ptr, 0, job.bytes)
      : !what->n ? add_piece(&job, NULL, 0, 0)
      : iw_for_each_piece(context, &arrays[IN], iw_type_size(what->type), add_piece, &job);
  }
  if (products)
    status = iw_unstage(context, arrays, RESULT, status);
  IW_TRY(status);
  if (sum) {
    uint64_t words[IW_EXACT_WORDS];
    IW_TRY(context->ops->copy(context, words, job.result, sizeof words));
    iw_add_exact_words(sum, words, 1, IW_DIGITS_F64, 0);
    return IW_OK;
  }
  return accessible ? IW_OK : context->ops->copy(context, (void *)(uintptr_t)arrays[RESULT].at, job.result,
                                                 iw_bytes_of(&arrays[RESULT]));
}

static iw_status sum_to_result(iw_context *context, const addends *what, iw_type result_type, void *result)
{
  iw_array arrays[ARRAYS];
  IW_TRY(check_addends(context, what, arrays));
  IW_TRY(check_float("result_type", result_type));
  arrays[RESULT] = (iw_array){ "result", result, 1, iw_type_size(result_type), IW_WRITE | IW_SINGLE, NULL };
  IW_TRY(iw_check_arrays(arrays, ARRAYS));
  return sum_up(context, what, arrays, result_type, NULL);
}

static iw_status sum_to_sum(iw_context *context, const addends *what, iw_exact_sum *sum)
{
  iw_array arrays[ARRAYS];
  IW_TRY(check_addends(context, what, arrays));
  IW_TRY(iw_check_exact_sum("sum", "sum->format", "sum->nonfinite", sum));
  arrays[RESULT] = (iw_array){ "sum", sum, sizeof *sum / _Alignof(iw_exact_sum), _Alignof(iw_exact_sum), IW_WRITE, NULL };
  IW_TRY(iw_check_arrays(arrays, ARRAYS));
  return sum_up(context, what, arrays, IW_F64, sum);
}

iw_status iw_sum_exact(iw_context *context, iw_type type, const void *in, size_t n, iw_type result_type,
                       void *result)
{
  return sum_to_result(context, &(addends){ type, in, NULL, n, "in", NULL }, result_type, result);
}

iw_status iw_dot_exact(iw_context *context, iw_type type, const void *a, const void *b, size_t n,
                       iw_type result_type, void *result)
{
  return sum_to_result(context, &(addends){ type, a, b, n, "a", "b" }, result_type, result);
}

iw_status iw_exact_sum_add(iw_context *context, iw_type type, const void *in, size_t n, iw_exact_sum *sum)
{
  return sum_to_sum(context, &(addends){ type, in, NULL, n, "in", NULL }, sum);
}

iw_status iw_exact_sum_add_products(iw_context *context, iw_type type, const void *a, const void *b, size_t n,
                                    iw_exact_sum *sum)
{
  return sum_to_sum(context, &(addends){ type, a, b, n, "a", "b" }, sum);
}
