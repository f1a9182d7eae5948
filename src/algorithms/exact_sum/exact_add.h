/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernels of exact sums share: how a warp adds doubles exactly (doc/exact.md). Kernel template text
 * without a type parameter, for exact_sum_kernel.h.
 *
 * A warp has for each lane a few sums in doubles, the folds. Fold i begins at sigma(i) = 1.5 * 2^k(i) and
 * stays in the binade of sigma(i), so that its last bit has a fixed weight, 2^(k(i) - 52). Adding x to it
 * rounds x to a multiple of that weight, and what is cut off, which is a double, goes to the next fold. So
 * nothing is lost, as in Rump, Ogita and Oishi 2008, "Accurate floating-point summation", and in Ahrens,
 * Demmel and Nguyen 2020, "Algorithms for efficient reproducible floating point summation", where folds are
 * bins at fixed places and what is behind the last one is dropped. Here the folds follow the data, and what
 * is behind the last one is added to the words of the sum one by one.
 *
 * With |x| < 2^top(i) and at most 512 additions to each of 32 lanes, k(i) = top(i) + 14 keeps each fold in
 * its binade, and lets the folds of all lanes be added up exactly in 53 bits: their sum is below 2^(top +
 * 14) and a multiple of 2^(top - 38). What is cut off is at most 2^(top(i) - 39), so that top(i + 1) =
 * top(i) - 38.
 */
#ifndef IW_EXACT_SUM_EXACT_ADD_H
#define IW_EXACT_SUM_EXACT_ADD_H

#include <assert.h>
#include "algorithms/common/exact_digits.h"
#include "algorithms/exact_sum/args.h"
#include "algorithms/exact_sum/tuning.h"

/* Long code, which CPUs have once. On a GPU arrays of lanes that are passed by reference are registers only
 * if the function is inlined. */
#ifdef IW_GPU_SCHEDULES
#define EXACT_ADD_FN IW_FN
#else
#define EXACT_ADD_FN IW_NOINLINE_FN
#endif

enum {
  EXACT_FOLDS = 4,
  EXACT_GROUP = 8,             /* doubles of each lane that are added by folds at a time */
  EXACT_FOLD_BITS = 38,        /* of which one addition keeps as many */
  EXACT_HEADROOM = 14,         /* log2 of the additions to a fold of a warp */
  EXACT_ADDITIONS = 1 << (EXACT_HEADROOM - 5), /* to each lane, of 32 */
  EXACT_MIN_EXPONENT = -1022,  /* of normal doubles: the last bit is that of subnormal ones then */
  EXACT_LARGE_FIELD = 2030     /* the exponent field from which doubles are not added to folds */
};

static_assert(EXACT_FOLD_BITS + EXACT_HEADROOM == 52, "the folds of all lanes are added up in 53 bits");

/* The words of the block, in its shared memory. */
typedef struct { uint64_t words[IW_EXACT_WORDS]; } exact_shared;

/* The folds of a warp. */
typedef struct {
  iw_f64 fold[EXACT_FOLDS];
  int top;                     /* what is added to fold 0 is less than 2^top */
  int folds;                   /* how many have been added to since they were empty */
  int additions;               /* to each of them, at most */
} exact_state;

/* sigma(i) in every lane. */
IW_FN iw_f64 exact_sigma(int top, int i)
{
  const int wanted = top + EXACT_HEADROOM - i * EXACT_FOLD_BITS;
  const int exponent = wanted < EXACT_MIN_EXPONENT ? EXACT_MIN_EXPONENT : wanted;
  return iw_from_bits_f64(iw_splat((uint64_t)(exponent + 1023) << 52 | (uint64_t)1 << 51));
}

/* Adds to words of the block. A GPU has no addition of 64 bits in shared memory, but a loop of
 * compare-and-exchange, which takes long where warps meet: two of 32 bits, of which the first gives the
 * carry, and the second is 0 for most numbers. */
IW_FN void exact_add_words(const iw_block *block, uint64_t *words, iw_u32 index, iw_u64 value, iw_pred some)
{
  if (!EXACT_HALVES) {
    iw_shared_add(words, index, value, some);
    return;
  }
  uint32_t *const halves = (uint32_t *)words;
  const iw_u32 low = iw_to_u32(value), place = iw_add(index, index), before = iw_shared_add(halves, place, low, some);
  const iw_u32 carry = iw_select(iw_lt(iw_add(before, low), low), iw_splat(1u), iw_splat(0u));
  const iw_u32 high = iw_add(iw_to_u32(iw_shr(value, iw_splat((uint64_t)32))), carry);
  iw_shared_add(halves, iw_add(place, iw_splat(1u)), high, iw_and_pred(some, iw_ne(high, iw_splat(0u))));
}

/* Adds a double of each lane of `some` to the words. */
IW_NOINLINE_FN void exact_add_lanes(const iw_block *block, uint64_t *words, iw_f64 x, iw_pred some)
{
  const float_parts p = decompose_f64(iw_as_bits(x));
  const float_digits digits = split_digits(p);
  const iw_pred finite = iw_and_pred(some, iw_not_pred(p.special));
  IW_UNROLL for (int k = 0; k < 3; k++)
    exact_add_words(block, words, iw_add(digits.word, iw_splat((uint32_t)k)), digits.values[k],
                    iw_and_pred(finite, iw_ne(digits.values[k], iw_splat((uint64_t)0))));
  exact_add_words(block, words, iw_add(nonfinite_word(p), iw_splat((uint32_t)IW_DIGITS_F64)), iw_splat((uint64_t)1),
                  iw_and_pred(some, p.special));
}

/* Adds those of a group that are not 0 to the words. On a GPU by a rolled loop, as its code is long and few
 * elements need it. The loop has a copy in local memory, so that the group is in registers. */
EXACT_ADD_FN void exact_add_each(const iw_block *block, uint64_t *words, const iw_f64 *x)
{
  iw_f64 copy[EXACT_GROUP];
  if (EXACT_ROLLED) IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) copy[v] = x[v];
  const iw_f64 *const each = EXACT_ROLLED ? copy : x;
  IW_NO_UNROLL for (int v = 0; v < EXACT_GROUP; v++) {
    const iw_pred some = iw_ne(each[v], iw_splat(0.0));
    if (iw_any(some)) exact_add_lanes(block, words, each[v], some);
  }
}

/* Adds the sum of all lanes to the words. It is a double and finite, and uniform arithmetic takes its bits
 * apart, because on a CPU that of lanes would do the same 32 times. */
IW_FN void exact_add_fold(const iw_block *block, uint64_t *words, iw_f64 x)
{
  uint64_t digits[3];
  const uint32_t word = split_float(64, 52, iw_at(iw_as_bits(iw_splat(iw_warp_sum(x))), 0), digits);
  if (EXACT_HALVES) {
    const iw_u64 others = iw_select(iw_lanes_below(2), iw_splat(digits[1]), iw_splat(digits[2]));
    exact_add_words(block, words, iw_iota_u32(word), iw_select(iw_lanes_below(1), iw_splat(digits[0]), others),
                    iw_lanes_below(3));
  } else
    IW_UNROLL for (uint32_t k = 0; k < 3; k++) iw_shared_add(words, word + k, iw_splat(digits[k]), iw_lanes_below(1));
}

/* Empties the folds into the words. If the loop is rolled, it takes the first of them and moves the others
 * on. */
IW_NOINLINE_FN void exact_flush(const iw_block *block, uint64_t *words, exact_state *state)
{
  IW_NO_UNROLL for (int i = 0; i < EXACT_FOLDS; i++) {
    const int at = EXACT_ROLLED ? 0 : i;
    const iw_f64 sigma = exact_sigma(state->top, i);
    if (i < state->folds) exact_add_fold(block, words, iw_sub(state->fold[at], sigma));
    else if (!EXACT_ROLLED) break;
    if (EXACT_ROLLED) IW_UNROLL_ROWS for (int k = 1; k < EXACT_FOLDS; k++) state->fold[k - 1] = state->fold[k];
    state->fold[EXACT_ROLLED ? EXACT_FOLDS - 1 : i] = sigma;
  }
  state->folds = state->additions = 0;
}

IW_FN void exact_begin(exact_state *state)
{
  state->top = 0;
  state->folds = state->additions = 0;
  IW_UNROLL_ROWS for (int i = 0; i < EXACT_FOLDS; i++) state->fold[i] = exact_sigma(0, i);
}

/* Makes room for `additions` of numbers below 2^top, of which the largest is not below 2^(top - 1). Folds
 * that are much larger would keep too few bits of them, so they are lowered too: by more than `slack`
 * exponents. */
IW_FN void exact_make_room(const iw_block *block, uint64_t *words, exact_state *state, int top, int slack,
                           int additions)
{
  const int fits = top <= state->top && top >= state->top - slack;
  if (fits && state->additions + additions <= EXACT_ADDITIONS) {
    state->additions += additions;
    return;
  }
  exact_flush(block, words, state);
  state->additions = additions;
  if (fits) return;
  state->top = top + 1;
  IW_UNROLL_ROWS for (int i = 0; i < EXACT_FOLDS; i++) state->fold[i] = exact_sigma(state->top, i);
}

/* Adds x to a fold. Returns what is cut off. */
IW_FN iw_f64 exact_fold(iw_f64 *fold, iw_f64 x)
{
  const iw_f64 before = *fold;
  *fold = iw_add(before, x);
  return iw_sub(x, iw_sub(*fold, before));
}

/* Adds the group x to a fold, and leaves in x what is cut off. */
IW_FN void exact_fold_group(iw_f64 *to, iw_f64 *x)
{
  iw_f64 fold = *to;
  IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) x[v] = exact_fold(&fold, x[v]);
  *to = fold;
}

/* The same. Returns whether anything is cut off: the sum of the magnitudes is 0 only if nothing is. */
IW_FN int exact_fold_group_rest(iw_f64 *to, iw_f64 *x)
{
  iw_f64 fold = *to, left = iw_splat(0.0);
  IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) {
    x[v] = exact_fold(&fold, x[v]);
    left = iw_add(left, iw_abs(x[v]));
  }
  *to = fold;
  return iw_any(iw_gt(left, iw_splat(0.0)));
}

/* Adds the group x to as many folds as it needs, and what is left to the words. It most likely needs all
 * folds that are in use, so whether anything is left is tested from the last of these on. */
IW_FN void exact_add_folds(const iw_block *block, uint64_t *words, exact_state *state, iw_f64 *x)
{
  IW_UNROLL_ROWS for (int i = 0; i < EXACT_FOLDS; i++)
    if (state->folds > i + 1)
      exact_fold_group(&state->fold[i], x);
    else {
      state->folds = i + 1;
      if (!exact_fold_group_rest(&state->fold[i], x)) return;
    }
  exact_add_each(block, words, x);
}

/* The upper half of the bits of a double without its sign: its exponent field is in front. */
IW_FN iw_u32 exact_magnitude(iw_f64 x)
{
  return iw_and(iw_to_u32(iw_shr(iw_as_bits(x), iw_splat((uint64_t)32))), iw_splat(0x7fffffffu));
}

/* The largest of the magnitudes of EXACT_GROUP doubles of each lane. */
EXACT_ADD_FN uint32_t exact_largest(const iw_f64 *x)
{
  iw_u32 largest = iw_splat(0u);
  IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) largest = iw_max(largest, exact_magnitude(x[v]));
  return iw_warp_max(largest);
}

/* Adds EXACT_GROUP doubles of each lane, of any size. largest: of their magnitudes; slack: as for
 * exact_make_room. */
EXACT_ADD_FN void exact_add_doubles(const iw_block *block, uint64_t *words, exact_state *state, iw_f64 *x,
                                    uint32_t largest, int slack)
{
  const iw_u32 limit = iw_splat((uint32_t)EXACT_LARGE_FIELD << 20);
  if (largest >> 20 >= EXACT_LARGE_FIELD) {
    iw_f64 those[EXACT_GROUP];
    IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) {
      const iw_pred large = iw_ge(exact_magnitude(x[v]), limit);
      those[v] = iw_select(large, x[v], iw_splat(0.0));
      x[v] = iw_select(large, iw_splat(0.0), x[v]);
    }
    exact_add_each(block, words, those);
    largest = exact_largest(x);
  }
  exact_make_room(block, words, state, (int)(largest >> 20) + EXACT_MIN_EXPONENT, slack, EXACT_GROUP);
  exact_add_folds(block, words, state, x);
}

#endif
