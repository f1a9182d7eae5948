/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms over bin numbers: channels apart, axes joined, weights added up. Sums of floats are exact, whatever the order in
 * which they are made, and round_sum once (doc/weights.md).
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

/* ---- Before: samples and numbers ---- */

#define DEINTERLEAVE(t, lanes) \
IW_KERNEL(deinterleave_##t, iw_no_shared, iw_deinterleave_args) \
{ \
  IW_PHASE(warp) { \
    const uint64_t first = (block->index * block->warps + warp) * 1024; \
    const iws_##t *const in = (const iws_##t *)args->in; \
    iws_##t *const out = (iws_##t *)args->out; \
    const iw_u32 step = iw_mul(iw_lane(), iw_splat((uint32_t)args->channels)); \
    for (uint64_t at = first; at < first + 1024 && at < args->n; at += IW_WARP_SIZE) { \
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at)); \
      for (uint64_t c = 0; c < args->channels; c++) { \
        const lanes x = iw_gather_##t(in + at * args->channels + c, step, some); \
        iw_store_##t(out + c * args->n + at, x, some); \
      } \
    } \
  } \
}
DEINTERLEAVE(u32, iw_u32) DEINTERLEAVE(u64, iw_u64)

/* Narrow elements come by whole words: one for all channels of a lane where they fill it, or the one that has the element. The
 * last may be cut off, and so are those of arrays that are not aligned: these come one by one. */
#define DEINTERLEAVE_NARROW(t, per_log2) \
IW_KERNEL(deinterleave_##t, iw_no_shared, iw_deinterleave_args) \
{ \
  IW_PHASE(warp) { \
    enum { PER = 1 << (per_log2) }; \
    const uint64_t first = (block->index * block->warps + warp) * 1024, channels = args->channels, n = args->n; \
    const uint32_t *const words = (const uint32_t *)args->in; \
    const iws_##t *const in = (const iws_##t *)args->in; \
    iws_##t *const out = (iws_##t *)args->out; \
    const iw_u32 step = iw_mul(iw_lane(), iw_splat((uint32_t)channels)), low = iw_splat(PER - 1u); \
    const uint64_t whole = (uintptr_t)in % sizeof *words ? 0 : n * channels / PER * PER; \
    for (uint64_t at = first; at < first + 1024 && at < n; at += IW_WARP_SIZE) { \
      const iw_pred some = iw_lanes_below((int64_t)(n - at)); \
      const uint64_t here = at * channels; \
      if (here + IW_WARP_SIZE * channels > whole) { \
        for (uint64_t c = 0; c < channels; c++) iw_store_##t(out + c * n + at, iw_gather_##t(in + here + c, step, some), some); \
      } else if (channels == PER) { \
        const iw_u32 x = iw_load(words + at, some); \
        for (uint64_t c = 0; c < channels; c++) \
          iw_store_##t(out + c * n + at, iw_shr(x, iw_splat((uint32_t)(c * 8 * sizeof *in))), some); \
      } else \
        for (uint64_t c = 0; c < channels; c++) { \
          const iw_u32 e = iw_add(step, iw_splat((uint32_t)c)); \
          const iw_u32 word = iw_gather(words + here / PER, iw_shr(e, iw_splat((uint32_t)(per_log2))), some); \
          const iw_u32 x = iw_shr(word, iw_mul(iw_and(e, low), iw_splat((uint32_t)(8 * sizeof *in)))); \
          iw_store_##t(out + c * n + at, x, some); \
        } \
    } \
  } \
}
DEINTERLEAVE_NARROW(u8, 2) DEINTERLEAVE_NARROW(u16, 1)

enum { AXIS_DROP, AXIS_CLAMP, AXIS_COUNT }; /* as iw_policy */

/* Places on an axis; one past the last for none. */
IW_FN iw_u32 axis_coordinate(const iw_axis *axis, iw_u32 number)
{
  const iw_u32 bins = iw_splat(axis->bins), none = iw_splat(axis->outputs), last = iw_splat(axis->bins - 1);
  const iw_pred below = iw_eq(number, bins), above = iw_eq(number, iw_splat(axis->bins + 1));
  if (axis->policy == AXIS_CLAMP) number = iw_select(below, iw_splat(0u), iw_select(above, last, number));
  return iw_min(number, none);
}

IW_KERNEL(ravel_bins, iw_no_shared, iw_ravel_args)
{
  IW_PHASE(warp) {
    const iw_axis x_axis = args->x_axis, y_axis = args->y_axis;
    const uint64_t row = block->index / args->parts, part = block->index % args->parts * IW_RAVEL_BLOCK_COLUMNS;
    const uint64_t end = part + IW_RAVEL_BLOCK_COLUMNS < args->columns ? part + IW_RAVEL_BLOCK_COLUMNS : args->columns;
    const iw_u32 base = iw_splat((uint32_t)row * args->row_outputs), none = iw_splat(args->none);
    for (uint64_t at = part + warp * IW_WARP_SIZE; at < end; at += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const uint64_t from = row * args->columns + at;
      iw_u32 place = axis_coordinate(&x_axis, iw_load(args->x + from, some));
      iw_pred there = iw_lt_u32(place, iw_splat(x_axis.outputs));
      if (args->y) {
        const iw_u32 y = axis_coordinate(&y_axis, iw_load(args->y + from, some));
        there = iw_and_pred(there, iw_lt_u32(y, iw_splat(y_axis.outputs)));
        place = iw_add(iw_mul(place, iw_splat(y_axis.outputs)), y);
      }
      iw_store(args->out + from, iw_select(there, iw_add(base, place), none), some);
    }
  }
}

/* ---- Weights ---- */

/* Adds to a word of each lane's entry. */
IW_FN void add_to_word(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, iw_u32 index, iw_u64 value, iw_pred some)
{
  if (args->privatised) iw_shared_add(sums, index, value, some);
  else iw_global_add(sums, index, value, some);
}

/* What a float is: mantissa * 2^place in units of the smallest subnormal number, less than 2^53. */
typedef struct float_parts { iw_u64 mantissa; iw_u32 place; iw_pred negative, special, nan; } float_parts;

IW_FN float_parts decompose_f32(iw_u32 bits)
{
  const iw_u32 field = iw_and(iw_shr(bits, iw_splat(23u)), iw_splat(255u)), rest = iw_and(bits, iw_splat(0x7fffffu));
  const iw_pred normal = iw_gt(field, iw_splat(0u));
  float_parts p;
  p.mantissa = iw_to_u64(iw_select(normal, iw_or(rest, iw_splat(0x800000u)), rest));
  p.place = iw_select(normal, iw_sub(field, iw_splat(1u)), iw_splat(0u));
  p.negative = iw_gt(bits, iw_splat(0x7fffffffu));
  p.special = iw_eq(field, iw_splat(255u));
  p.nan = iw_and_pred(p.special, iw_gt(rest, iw_splat(0u)));
  return p;
}

IW_FN float_parts decompose_f64(iw_u64 bits)
{
  const iw_u32 field = iw_to_u32(iw_and(iw_shr(bits, iw_splat((uint64_t)52)), iw_splat((uint64_t)2047)));
  const iw_u64 one = iw_splat((uint64_t)1 << 52), rest = iw_and(bits, iw_splat(((uint64_t)1 << 52) - 1));
  const iw_pred normal = iw_gt(field, iw_splat(0u));
  float_parts p;
  p.mantissa = iw_select(normal, iw_or(rest, one), rest);
  p.place = iw_select(normal, iw_sub(field, iw_splat(1u)), iw_splat(0u));
  p.negative = iw_gt(bits, iw_splat(UINT64_MAX >> 1));
  p.special = iw_eq(field, iw_splat(2047u));
  p.nan = iw_and_pred(p.special, iw_gt(rest, iw_splat((uint64_t)0)));
  return p;
}

/* Three digits from the mantissa's halves; the last one of an f32 is 0. */
IW_FN void add_float(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, iw_u32 number, float_parts p, iw_pred some)
{
  const iw_u64 low = iw_splat(((uint64_t)1 << IW_DIGIT_BITS) - 1), bits = iw_splat((uint64_t)IW_DIGIT_BITS), nothing_ = iw_splat((uint64_t)0);
  const iw_u32 entries = iw_splat(args->entries);
  const iw_u32 digit = iw_shr(iw_mul(p.place, iw_splat(2521u)), iw_splat(16u)); /* place / 26, for all that there are */
  const iw_u64 shift = iw_to_u64(iw_sub(p.place, iw_mul(digit, iw_splat((uint32_t)IW_DIGIT_BITS))));
  const iw_u64 a = iw_shl(iw_and(p.mantissa, low), shift), b = iw_shl(iw_shr(p.mantissa, bits), shift);
  const iw_u64 digits[3] = { iw_and(a, low), iw_add(iw_shr(a, bits), iw_and(b, low)), iw_shr(b, bits) };
  const iw_pred finite = iw_and_pred(some, iw_not_pred(p.special));
  iw_u32 index = iw_add(iw_mul(digit, entries), number);
  IW_UNROLL for (int k = 0; k < 3; k++) {
    const iw_u64 value = iw_select(p.negative, iw_sub(nothing_, digits[k]), digits[k]);
    add_to_word(block, args, sums, index, value, iw_and_pred(finite, iw_gt(digits[k], nothing_)));
    index = iw_add(index, entries);
  }
  const iw_pred special = iw_and_pred(some, p.special);
  if (iw_any(special)) {
    const iw_u32 which = iw_select(p.nan, iw_splat(0u), iw_select(p.negative, iw_splat(2u), iw_splat(1u)));
    const iw_u32 word = iw_add(which, iw_splat(args->digits));
    add_to_word(block, args, sums, iw_add(iw_mul(word, entries), number), iw_splat((uint64_t)1), special);
  }
}

#define ADD_FLOAT(t) add_float(block, args, sums, number, decompose_##t(x), some)
#define ADD_INTEGER(t) add_to_word(block, args, sums, number, iw_to_u64(x), some)
#define ACCUMULATE_WEIGHTS(t, bits, add) \
IW_KERNEL(accumulate_weights_##t, iw_no_shared, iw_accumulate_weights_args) \
{ \
  IW_PHASE(warp) { \
    const uint64_t copy = args->privatised ? block->index : 0; \
    uint64_t *const sums = args->sums + copy * args->words * args->entries; \
    const iws_##bits *const weights = (const iws_##bits *)args->weights; \
    const uint64_t step = block->blocks * block->warps * IW_WARP_SIZE; \
    for (uint64_t at = (block->index * block->warps + warp) * IW_WARP_SIZE; at < args->n; at += step) { \
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at)); \
      const iw_u32 number = iw_load(args->bin_indices + at, some); \
      const iw_##bits x = iw_load(weights + at, some); \
      add(t); \
    } \
  } \
}
ACCUMULATE_WEIGHTS(i32, i32, ADD_INTEGER) ACCUMULATE_WEIGHTS(u32, u32, ADD_INTEGER) ACCUMULATE_WEIGHTS(u64, u64, ADD_INTEGER)
ACCUMULATE_WEIGHTS(f32, u32, ADD_FLOAT) ACCUMULATE_WEIGHTS(f64, u64, ADD_FLOAT)

/* ---- Sums: a warp an entry ---- */

enum { MAX_DIGITS = IW_DIGITS_F64, DIGIT_MASK = (1 << IW_DIGIT_BITS) - 1 };

/* All copies of a word of an entry. */
IW_FN uint64_t sum_of_word(const iw_write_sums_args *args, uint32_t word, uint64_t entry)
{
  uint64_t sum = 0;
  for (uint64_t c = 0; c < args->copies; c++)
    sum += iw_get(args->sums + (c * args->words + word) * args->entries + entry);
  return sum;
}

IW_FN void add_entry(const iw_write_sums_args *args, uint64_t entry, uint64_t *words)
{
  for (uint32_t w = 0; w < args->words; w++) words[w] += sum_of_word(args, w, entry);
}

/* One float more, of which only the bits are seen. */
IW_FN void add_float_bits(const iw_write_sums_args *args, uint64_t bits, uint64_t *words)
{
  const uint32_t size = args->mantissa == 23 ? 32 : 64, last = args->mantissa == 23 ? 255 : 2047;
  const uint64_t one = (uint64_t)1 << args->mantissa, rest = bits & (one - 1), negative = bits >> (size - 1);
  const uint32_t field = (uint32_t)(bits >> args->mantissa) & last, place = field ? field - 1 : 0;
  const uint64_t mantissa = field ? rest | one : rest;
  if (field == last) { words[args->digits + (rest ? 0 : negative ? 2 : 1)]++; return; }
  const uint64_t a = (mantissa & DIGIT_MASK) << place % IW_DIGIT_BITS, b = (mantissa >> IW_DIGIT_BITS) << place % IW_DIGIT_BITS;
  const uint64_t digits[3] = { a & DIGIT_MASK, (a >> IW_DIGIT_BITS) + (b & DIGIT_MASK), b >> IW_DIGIT_BITS };
  for (uint32_t k = 0; k < 3; k++)
    if (digits[k]) words[place / IW_DIGIT_BITS + k] += negative ? 0 - digits[k] : digits[k];
}

/* Rounds to nearest, ties to even. An exact 0 is +0. */
IW_FN uint64_t round_sum(const iw_write_sums_args *args, uint64_t *words)
{
  const uint32_t digits = args->digits, mantissa = args->mantissa, size = mantissa == 23 ? 32 : 64;
  const uint64_t infinity = (mantissa == 23 ? (uint64_t)255 : (uint64_t)2047) << mantissa, minus = (uint64_t)1 << (size - 1);
  if (words[digits] || (words[digits + 1] && words[digits + 2])) return infinity | (uint64_t)1 << (mantissa - 1);
  if (words[digits + 1]) return infinity;
  if (words[digits + 2]) return minus | infinity;
  uint64_t carry = 0;
  for (uint32_t k = 0; k < digits; k++) { /* two's complement: what is carried keeps its sign */
    const uint64_t all = words[k] + carry;
    words[k] = all & DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS | (all >> 63 ? ~(UINT64_MAX >> IW_DIGIT_BITS) : 0);
  }
  const uint64_t negative = carry >> 63;
  carry = 1;
  for (uint32_t k = 0; negative && k < digits; k++) {
    const uint64_t all = (~words[k] & DIGIT_MASK) + carry;
    words[k] = all & DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS;
  }
  uint32_t top = digits;
  while (top && !words[top - 1]) top--;
  if (!top) return 0;
  /* The sum is less than 2^highest, and the last bit that is kept is worth 2^last. */
  const uint32_t highest = (top - 1) * IW_DIGIT_BITS + iw_highest(words[top - 1]) + 1;
  const uint32_t last = highest > mantissa + 1 ? highest - (mantissa + 1) : 0;
  uint64_t kept = 0, half = 0, below = 0;
  for (uint32_t k = 0; k < top; k++) {
    const uint32_t place = k * IW_DIGIT_BITS;
    if (place >= last) kept |= words[k] << (place - last);
    else if (last - place < IW_DIGIT_BITS) kept |= words[k] >> (last - place);
    if (place < last) { /* the bits from place to last - 1 */
      const uint32_t cut = last - place < IW_DIGIT_BITS ? last - place : IW_DIGIT_BITS;
      const uint64_t lost = words[k] & (((uint64_t)1 << cut) - 1);
      if (cut == last - place) {
        half = lost >> (cut - 1);
        below |= lost & (((uint64_t)1 << (cut - 1)) - 1);
      } else
        below |= lost;
    }
  }
  kept += half & (below || kept & 1 ? 1 : 0);
  /* With its leading bit, a mantissa makes the exponent one more than `last`, as it should be; a carry of it too. */
  const uint64_t bits = ((uint64_t)(last < 4095 ? last : 4095) << mantissa) + kept;
  return (last >= 2047 || bits > infinity ? infinity : bits) | (negative ? minus : 0);
}

IW_KERNEL(write_sums, iw_no_shared, iw_write_sums_args)
{
  IW_PHASE(warp) {
    const uint64_t warps = block->blocks * block->warps;
    for (uint64_t entry = block->index * block->warps + warp; entry < args->outputs; entry += warps) {
      uint64_t words[MAX_DIGITS + IW_NONFINITE_WORDS] = { 0 };
      add_entry(args, entry, words);
      if (args->clamp && entry == 0) add_entry(args, args->bins, words);
      if (args->clamp && entry == args->bins - 1) add_entry(args, (uint64_t)args->bins + 1, words);
      if (!args->mantissa) {
        uint64_t *const out = (uint64_t *)args->out + entry;
        iw_set(out, words[0] + (args->accumulate ? iw_get((const uint64_t *)out) : 0));
      } else if (args->mantissa == 23) {
        uint32_t *const out = (uint32_t *)args->out + entry;
        if (args->accumulate) add_float_bits(args, iw_get((const uint32_t *)out), words);
        iw_set(out, (uint32_t)round_sum(args, words));
      } else {
        uint64_t *const out = (uint64_t *)args->out + entry;
        if (args->accumulate) add_float_bits(args, iw_get((const uint64_t *)out), words);
        iw_set(out, round_sum(args, words));
      }
    }
  }
}
