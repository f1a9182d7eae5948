/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums of distributed arrays. An unrounded sum is an integer of 2176 bits. The all-reduce adds its
 * halves of 32 bits in words of 64, which overflow only past 2^32 ranks, and carries are propagated
 * afterwards. Algorithms layer.
 */
#include "algorithms/distributed/exact.h"
#include "algorithms/exact_sum/exact_sum.h"

#include <stdlib.h>

/* A sum on the way: its halves, the lowest first, and the number of ranks that have added a NaN, +inf,
 * -inf. */
enum {
  NUMBER_WORDS = sizeof ((iw_exact_sum *)0)->words / sizeof(uint64_t), HALVES = 2 * NUMBER_WORDS,
  NONFINITE = 3,
  SUM_WORDS = HALVES + NONFINITE,
  SUMS_AT_A_TIME = 1024
};

static void split_sum(const iw_exact_sum *sum, uint64_t *words)
{
  for (unsigned k = 0; k < HALVES; k++)
    words[k] = (uint32_t)(sum->words[k / 2] >> 32 * (k % 2));
  for (unsigned k = 0; k < NONFINITE; k++)
    words[HALVES + k] = sum->nonfinite >> k & 1;
}

static void join_sum(const uint64_t *words, iw_exact_sum *sum)
{
  uint64_t carry = 0;
  *sum = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
  for (unsigned k = 0; k < HALVES; k++) {
    const uint64_t half = words[k] + carry;
    sum->words[k / 2] |= (uint64_t)(uint32_t)half << 32 * (k % 2);
    carry = half >> 32;
  }
  for (unsigned k = 0; k < NONFINITE; k++)
    sum->nonfinite |= words[HALVES + k] ? 1u << k : 0;
}

iw_status iw_exact_reserve(iw_step *step)
{
  void *memory;
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, SUMS_AT_A_TIME * SUM_WORDS * sizeof(uint64_t), &memory));
  return iw_all_reduce_reserve(step, SUMS_AT_A_TIME * SUM_WORDS);
}

iw_status iw_exact_all_reduce(iw_step *step, iw_exact_sum *sums, size_t count)
{
  uint64_t *const words = step->handle->slots[IW_SLOT_WORDS].memory;
  for (size_t at = 0; at < count; at += SUMS_AT_A_TIME) {
    const size_t here = iw_min(count - at, SUMS_AT_A_TIME);
    for (size_t k = 0; k < here; k++)
      split_sum(&sums[at + k], words + k * SUM_WORDS);
    IW_TRY(iw_all_reduce(step, words, here * SUM_WORDS));
    for (size_t k = 0; k < here; k++)
      join_sum(words + k * SUM_WORDS, &sums[at + k]);
  }
  return IW_OK;
}

void iw_exact_add_float(iw_exact_sum *sum, iw_type type, const void *value)
{
  enum { MANTISSA = 52, LARGEST_EXPONENT = 0x7ff };
  float narrow;
  uint64_t bits, words[1 + NONFINITE] = { 0 };
  double x;
  memcpy(&x, value, type == IW_F64 ? sizeof x : 0);
  if (type == IW_F32) {
    memcpy(&narrow, value, sizeof narrow);
    x = (double)narrow; /* exact */
  }
  memcpy(&bits, &x, sizeof bits);
  const unsigned exponent = (unsigned)(bits >> MANTISSA) & LARGEST_EXPONENT;
  const uint64_t one = (uint64_t)1 << MANTISSA, fraction = bits & (one - 1);
  const uint64_t mantissa = exponent ? fraction | one : fraction;
  if (exponent == LARGEST_EXPONENT)
    words[fraction ? 1 : bits >> 63 ? 3 : 2] = 1;
  else
    words[0] = bits >> 63 ? 0 - mantissa : mantissa;
  iw_add_exact_words(sum, words, 1, 1, exponent && exponent != LARGEST_EXPONENT ? exponent - 1 : 0);
}

/* ---- Public calls ----------------------------------------------------------------------------------- */

static iw_status check_result(iw_type result_type, const void *result, const char *name, const void *in,
                              size_t bytes)
{
  const size_t size = iw_type_size(result_type);
  IW_TRY(iw_check_named_type("result_type", result_type, IW_FLOAT_TYPES));
  IW_TRY(iw_check_single("result", result, size));
  return iw_check_no_overlap(name, in, bytes, "result", result, size);
}

static iw_status finish(iw_step *step, iw_exact_sum *sum, iw_type result_type, void *result)
{
  iw_scalar_bits rounded = { .u64 = 0 };
  iw_step_word(step, "result_type", IW_WORD_TYPE, result_type);
  IW_STEP(step, iw_exact_reserve(step));
  IW_TRY(iw_agree(step));
  IW_TRY(iw_exact_all_reduce(step, sum, 1));
  IW_STEP(step, iw_exact_sum_round(sum, result_type, &rounded));
  IW_STEP(step, iw_memory_copy(step->handle->context, result, &rounded, iw_type_size(result_type)));
  return iw_finish(step);
}

iw_status iw_distributed_sum_exact(iw_distributed *handle, iw_type type, const void *in, size_t n,
                                   iw_type result_type, void *result)
{
  iw_step step;
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_sum_exact"));
  iw_step_word(&step, "type", IW_WORD_TYPE, type);
  IW_STEP(&step, iw_exact_sum_add(handle->context, type, in, n, &sum));
  IW_STEP(&step, check_result(result_type, result, "in", in, n * iw_type_size(type)));
  return finish(&step, &sum, result_type, result);
}

iw_status iw_distributed_dot_exact(iw_distributed *handle, iw_type type, const void *a, const void *b,
                                   size_t n, iw_type result_type,
                                   void *result)
{
  iw_step step;
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_dot_exact"));
  iw_step_word(&step, "type", IW_WORD_TYPE, type);
  IW_STEP(&step, iw_exact_sum_add_products(handle->context, type, a, b, n, &sum));
  IW_STEP(&step, check_result(result_type, result, "a", a, n * iw_type_size(type)));
  IW_STEP(&step, check_result(result_type, result, "b", b, n * iw_type_size(type)));
  return finish(&step, &sum, result_type, result);
}

static iw_status check_sums(const iw_exact_sum *sums, size_t count)
{
  IW_TRY(iw_check_array("sums", sums, count, _Alignof(iw_exact_sum)));
  if (count > PTRDIFF_MAX / sizeof *sums)
    return iw_fail(IW_ERROR_INVALID, "count is %zu; valid are at most %zu sums", count,
                   PTRDIFF_MAX / sizeof *sums);
  for (size_t k = 0; k < count; k++) {
    char format[40] = "", nonfinite[40] = "";
    if (sums[k].format != IW_EXACT_SUM_FORMAT || sums[k].nonfinite) { /* the names are for messages */
      iw_format(format, sizeof format, "sums[%zu].format", k);
      iw_format(nonfinite, sizeof nonfinite, "sums[%zu].nonfinite", k);
    }
    IW_TRY(iw_check_exact_sum("sums", format, nonfinite, &sums[k]));
  }
  return IW_OK;
}

iw_status iw_distributed_exact_sums_merge(iw_distributed *handle, iw_exact_sum *sums, size_t count)
{
  iw_step step;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_exact_sums_merge"));
  IW_STEP(&step, check_sums(sums, count));
  IW_STEP(&step, iw_exact_reserve(&step));
  iw_step_word(&step, "count", IW_WORD_NUMBER, count);
  IW_TRY(iw_agree(&step));
  IW_TRY(iw_exact_all_reduce(&step, sums, count));
  return iw_finish(&step);
}
