/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of exact sums: exact_sum_T adds n elements to the words of a sum, and with DOT exact_dot_f32
 * adds products of two elements, which are exact in a double. exact_add.h says how. The last block of the
 * last launch of a sum rounds it (exact_round.h). Kernel template.
 *
 * A warp takes chunks of CHUNK elements. The chunk's largest and, for sums of f32, smallest exponent
 * say what has to be done:
 *   - f32 elements go to the folds that hold them whole, one fold for each 38 bits below the top. The last
 *     of these folds takes one addition, each fold before it three.
 *   - f64 and products go through as many folds as they need, up to four: 152 bits below the top.
 *   - What is left then, NaN, infinities and doubles near overflow are added to the words by atomics.
 *
 * Parameters, of which FROM is undefined at the end:
 *             T    f32 or f64
 *             FROM if defined, the type of the elements, f16 or bf16, which are converted to T (f32)
 *             DOT  if defined, products of elements of in and of other, of f32
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/exact_sum/exact_add.h"
#include "algorithms/exact_sum/exact_round.h"
#include "algorithms/exact_sum/tuning.h"

#ifdef FROM
#define T_FROM IW_JOIN(T, IW_JOIN(from, FROM))
#else
#define T_FROM T
#endif
#ifdef DOT
#define FN(name) IW_JOIN(IW_JOIN(exact_dot, name), T_FROM)
#define KERNEL IW_JOIN(exact_dot, T_FROM)
#else
#define FN(name) IW_JOIN(IW_JOIN(exact_sum, name), T_FROM)
#define KERNEL IW_JOIN(exact_sum, T_FROM)
#endif

#ifndef IW_EXACT_SUM_KERNEL_H
#define IW_EXACT_SUM_KERNEL_H
enum {
  EXACT_SLACK_F32 = 8,   /* the largest exponent of a chunk may be so far below the top */
  EXACT_SLACK_F64 = 12,
  EXACT_DIRECT_F32 = 14  /* exponents below the top whose elements fold 0 holds: 38 - 24 */
};
/* How many folds hold f32 of less than 2^top whole. smallest: of their magnitudes without 0, less 1. Fold i
 * holds those whose exponents are up to EXACT_DIRECT_F32 below its own top; subnormal ones have the least
 * exponent of normal ones. */
IW_FN int exact_folds_f32(int top, uint32_t smallest)
{
  const int field = (int)((smallest + 1) >> 23), below = top + 126 - (field < 1 ? 1 : field);
  return smallest == UINT32_MAX || below <= EXACT_DIRECT_F32 ? 1
    : 2 + (below - EXACT_DIRECT_F32 - 1) / EXACT_FOLD_BITS;
}
/* The type whose lanes hold the bits of an element. */
#define BITS_f32 u32
#define BITS_f64 u64
#define IS_F32_f32 1
#define IS_F32_f64 0
#define AS_DOUBLE_f32(x) iw_to_f64(iw_from_bits_f32(x))
#define AS_DOUBLE_f64(x) iw_from_bits_f64(x)
#endif

#define BITS IW_PASTE(BITS_, T)
#define BIT_LANES IW_PASTE(iw_, BITS)
#define OF_BITS(name) IW_JOIN(name, BITS)
#define AS_DOUBLE(x) IW_PASTE(AS_DOUBLE_, T)(x)
#ifdef DOT
#define VECTORS EXACT_GROUP /* of two arrays */
#else
#define VECTORS EXACT_VECTORS((int)sizeof(SCALAR))
#endif
#define CHUNK (VECTORS * 32) /* elements */
#define ROWS (CHUNK / IW_ROW(BITS))
#define ROW_VECTORS (IW_ROW(BITS) / 32)

/* Loads the bits of a chunk; elements from `valid` on are +0. */
#ifdef FROM
IW_FN void FN(load)(const iw_exact_add_args *args, const void *in, uint64_t at, int64_t valid, BIT_LANES *x)
{
  const IW_PASTE(iws_, FROM) *const first = (const IW_PASTE(iws_, FROM) *)in + at;
  IW_PASTE(iw_row_, IW_PASTE(T_FROM, _pending)) rows[ROWS];
  IW_UNROLL_ROWS for (int r = 0; r < ROWS; r++)
    rows[r] = EXACT_PREFETCHES(args) ? IW_JOIN(iw_row_issue, T_FROM)(first + r * IW_ROW(T), valid - r * IW_ROW(T), 0)
                                     : IW_JOIN(iw_row_reissue, T_FROM)(first + r * IW_ROW(T), valid - r * IW_ROW(T), 0);
  IW_UNROLL_ROWS for (int r = 0; r < ROWS; r++) {
    const IW_PASTE(iw_row_, T) row = IW_JOIN(iw_row_wait, T_FROM)(rows[r]);
    IW_EACH_VECTOR(T, v) x[r * ROW_VECTORS + v] = OF_T(iw_as_bits)(OF_T(iw_row_vector)(row, v));
  }
}
#else
IW_FN void FN(load)(const iw_exact_add_args *args, const void *in, uint64_t at, int64_t valid, BIT_LANES *x)
{
  const IW_PASTE(iws_, BITS) *const first = (const IW_PASTE(iws_, BITS) *)in + at;
  IW_PASTE(iw_row_, IW_PASTE(BITS, _pending)) rows[ROWS];
  IW_UNROLL_ROWS for (int r = 0; r < ROWS; r++)
    rows[r] = EXACT_PREFETCHES(args) ? OF_BITS(iw_row_issue)(first + r * IW_ROW(BITS), valid - r * IW_ROW(BITS), 0)
                                     : OF_BITS(iw_row_reissue)(first + r * IW_ROW(BITS), valid - r * IW_ROW(BITS), 0);
  IW_UNROLL_ROWS for (int r = 0; r < ROWS; r++) {
    const IW_PASTE(iw_row_, BITS) row = OF_BITS(iw_row_wait)(rows[r]);
    IW_EACH_VECTOR(BITS, v) x[r * ROW_VECTORS + v] = OF_BITS(iw_row_vector)(row, v);
  }
}
#endif

#if defined(DOT)
IW_FN void FN(add_chunk)(const iw_block *block, const iw_exact_add_args *args, uint64_t *words,
                         exact_state *state, uint64_t at)
{
  const int64_t valid = (int64_t)(args->n - at);
  BIT_LANES a[VECTORS], b[VECTORS];
  iw_f64 x[VECTORS];
  FN(load)(args, args->in, at, valid, a);
  FN(load)(args, args->other, at, valid, b);
  IW_UNROLL_ROWS for (int v = 0; v < VECTORS; v++) x[v] = iw_mul(AS_DOUBLE(a[v]), AS_DOUBLE(b[v]));
  exact_add_doubles(block, words, state, x, exact_largest(x), EXACT_SLACK_F64);
}
#elif IW_PASTE(IS_F32_, T)
/* Adds a chunk to the first folds, which hold it whole. Their number is a constant, so that they stay in
 * registers. */
IW_FN void FN(add_whole)(exact_state *state, const BIT_LANES *in, int folds)
{
  iw_f64 fold[EXACT_FOLDS];
  IW_UNROLL for (int i = 0; i < folds; i++) fold[i] = state->fold[i];
  IW_UNROLL_ROWS for (int v = 0; v < VECTORS; v++) {
    iw_f64 x = AS_DOUBLE(in[v]);
    IW_UNROLL for (int i = 0; i < folds - 1; i++) x = exact_fold(&fold[i], x);
    fold[folds - 1] = iw_add(fold[folds - 1], x);
  }
  IW_UNROLL for (int i = 0; i < folds; i++) state->fold[i] = fold[i];
}

IW_FN void FN(add_chunk)(const iw_block *block, const iw_exact_add_args *args, uint64_t *words,
                         exact_state *state, uint64_t at)
{
  const iw_u32 magnitude_bits = iw_splat(0x7fffffffu);
  iw_u32 largest = iw_splat(0u), smallest = iw_splat(UINT32_MAX); /* smallest: minus 1, so that 0 is the largest */
  BIT_LANES in[VECTORS];
  FN(load)(args, args->in, at, (int64_t)(args->n - at), in);
  IW_UNROLL_ROWS for (int v = 0; v < VECTORS; v++) {
    const iw_u32 magnitude = iw_and(in[v], magnitude_bits);
    largest = iw_max(largest, magnitude);
    smallest = iw_min(smallest, iw_sub(magnitude, iw_splat(1u)));
  }
  const int field = (int)(iw_warp_max(largest) >> 23);
  if (field < 255) {
    exact_make_room(block, words, state, field - 126, EXACT_SLACK_F32, VECTORS);
    const int folds = exact_folds_f32(state->top, iw_warp_min(smallest));
    if (folds <= EXACT_FOLDS) {
      if (folds == 1) FN(add_whole)(state, in, 1);
      else if (folds == 2) FN(add_whole)(state, in, 2);
      else if (folds == 3) FN(add_whole)(state, in, 3);
      else FN(add_whole)(state, in, EXACT_FOLDS);
      state->folds = state->folds < folds ? folds : state->folds;
      return;
    }
    state->additions -= VECTORS; /* they are made below */
  }
  IW_NO_UNROLL for (int first = 0; first < VECTORS; first += EXACT_GROUP) {
    iw_f64 x[EXACT_GROUP];
    IW_UNROLL_ROWS for (int v = 0; v < EXACT_GROUP; v++) x[v] = AS_DOUBLE(in[v]);
    exact_add_doubles(block, words, state, x, exact_largest(x), EXACT_SLACK_F32);
    IW_UNROLL_ROWS for (int v = EXACT_GROUP; v < VECTORS; v++) in[v - EXACT_GROUP] = in[v]; /* in registers still */
  }
}
#else
IW_FN void FN(add_chunk)(const iw_block *block, const iw_exact_add_args *args, uint64_t *words,
                         exact_state *state, uint64_t at)
{
  iw_u32 largest = iw_splat(0u);
  BIT_LANES in[VECTORS];
  iw_f64 x[VECTORS];
  static_assert((int)VECTORS == (int)EXACT_GROUP, "a chunk of f64 is one group");
  FN(load)(args, args->in, at, (int64_t)(args->n - at), in);
  IW_UNROLL_ROWS for (int v = 0; v < VECTORS; v++) {
    largest = iw_max(largest, iw_and(iw_to_u32(iw_shr(in[v], iw_splat((uint64_t)32))), iw_splat(0x7fffffffu)));
    x[v] = AS_DOUBLE(in[v]);
  }
  exact_add_doubles(block, words, state, x, iw_warp_max(largest), EXACT_SLACK_F64);
}
#endif

/* A block has consecutive chunks, and its warps take them in turn. A block that has all elements of a sum
 * needs no words of other blocks. */
IW_KERNEL_SIZED(KERNEL, exact_shared, iw_exact_add_args, EXACT_WARPS * 32, EXACT_BLOCKS)
{
  /* Fewer than 2^36 elements are fewer than 2^32 chunks, and 32 bits are divided much faster on a GPU. */
  const uint32_t chunks = (uint32_t)((args->n + CHUNK - 1) / CHUNK);
  const uint32_t index = (uint32_t)block->index, blocks = (uint32_t)block->blocks;
  const uint32_t each = chunks / blocks, more = chunks % blocks;
  const uint32_t first = index * each + (index < more ? index : more), end = first + each + (index < more);
  IW_PHASE(warp) {
    for (uint32_t w = warp * IW_WARP_SIZE; w < IW_EXACT_WORDS; w += block->threads)
      iw_store(shared->words + w, iw_splat((uint64_t)0), iw_lanes_below((int64_t)IW_EXACT_WORDS - w));
  }
  IW_PHASE(warp) {
    exact_state state;
    exact_begin(&state);
    for (uint32_t chunk = first + warp; chunk < end; chunk += block->warps)
      FN(add_chunk)(block, args, shared->words, &state, (uint64_t)chunk * CHUNK);
    exact_flush(block, shared->words, &state);
  }
  const int is_alone = args->is_whole && block->blocks == 1;
  int is_last = is_alone;
  if (!is_alone) {
    IW_PHASE(warp) {
      for (uint32_t w = warp * IW_WARP_SIZE; w < IW_EXACT_WORDS; w += block->threads) {
        const iw_u64 sum = iw_load(shared->words + w, iw_lanes_below((int64_t)IW_EXACT_WORDS - w));
        iw_global_add_noreturn(args->words + w, iw_lane(), sum, iw_ne(sum, iw_splat((uint64_t)0)));
      }
    }
    is_last = args->result && iw_is_last_block(args->blocks_done);
  }
  if (is_last) IW_PHASE(warp) {
    if (warp == 0) exact_finish(is_alone ? shared->words : args->words, args->format, args->result);
  }
}

#undef FN
#undef KERNEL
#undef T_FROM
#undef BITS
#undef BIT_LANES
#undef OF_BITS
#undef AS_DOUBLE
#undef ROWS
#undef VECTORS
#undef CHUNK
#undef ROW_VECTORS
#undef FROM
