/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads of runs, and the list of runs that the single pass of a reduction by key (runs_in_tiles.h) leaves to
 * reduce_segments. Depends on no element type.
 *
 * A listed run is two words: the index of its first element with its length in the upper 16 bits, and the
 * index of the run. The length is 0 if the run leaves its tile. It then ends where the next run begins,
 * which the tile descriptions tell. The description of a tile is one word: the number of runs that begin
 * before the tile, and in the lower 16 bits the place of the tile's first head, which is unspecified if the
 * tile has none. One more description, behind those of the tiles, has the number of all runs.
 */
#ifndef ISOWARP_RUN_HEADS_H
#define ISOWARP_RUN_HEADS_H

#include <isowarp/primitives.h>
#include "algorithms/common/key_heads.h"
#include "algorithms/common/look_back.h"
#include "algorithms/reduce_segments/args.h"

#ifdef IW_HAS_SCATTER_BITS_SHARED
#define STORE_PLACES iw_scatter_bits_shared_u16
#else
#define STORE_PLACES iw_scatter_bits_u16
#endif

enum { RUN_LENGTH_AT = 48, RUN_HEAD_BITS = 16 }; /* so n is below 2^48 */
enum { RUN_LEAVES = UINT16_MAX };                /* stands for the end in its tile of a run that leaves it */

/* Lists heads by rows of the kernel language, whose lanes have consecutive keys: fewer instructions than
 * words of 32 keys take (doc/design/segments.md#runs-by-key). The loads of `rows` rows, a literal, are
 * issued before the first is waited for, and keys stay in the caches, as they are read again to be moved;
 * for a row that does not exist a key that does is read. There are `left` elements from `at` on. whole, a
 * literal: they are `rows` rows, or a multiple of that, and aligned. last: NULL, or as in list_heads, whose
 * parameters the others are. */
enum { MOST_LIST_ROWS = 4 };
#define DEFINE_LIST_HEADS(T) \
IW_FN uint32_t list_heads_by_rows_##T(const iws_##T *keys, uint64_t at, uint32_t left, uint32_t place, uint16_t *begins, uint32_t *last, \
                                      const int rows, const int whole) \
{ \
  const iw_u32 lower_bits = iw_sub_u32(iw_shl_u32(iw_splat_u32(1), iw_lane()), iw_splat_u32(1)); \
  uint32_t count = 0; \
  IW_NO_UNROLL for (uint32_t first = 0; first < left; first += (uint32_t)rows * IW_ROW(T)) { \
    iw_row_##T##_pending pending[MOST_LIST_ROWS]; \
    iws_##T before[MOST_LIST_ROWS]; \
    IW_UNROLL for (int r = 0; r < rows; r++) { \
      const uint32_t row = first + (uint32_t)(r * IW_ROW(T)); \
      const uint64_t from = at + (whole || row < left ? row : 0); \
      pending[r] = iw_row_reissue_##T(keys + from, whole ? IW_FULL_ROW : row < left ? (int64_t)(left - row) : 0, 0); \
      before[r] = iw_get_##T(keys + (from ? from - 1 : 0)); \
      if (!from) before[r] = ~before[r]; \
    } \
    IW_UNROLL for (int r = 0; r < rows; r++) { \
      const uint32_t row = first + (uint32_t)(r * IW_ROW(T)); \
      if (!whole && row >= left) break; \
      const iw_row_##T x = iw_row_wait_##T(pending[r]), y = iw_row_shift_##T(x, before[r]); \
      const iw_u32 own = iw_add_u32(iw_mul_u32(iw_lane(), iw_splat_u32(IW_ROW_VECTORS(T))), iw_splat_u32(row)); \
      iw_pred is_head[IW_ROW_VECTORS(T)]; \
      iw_u32 rank = iw_splat_u32(count); \
      uint32_t last_end = 0; \
      IW_EACH_VECTOR(T, v) { \
        is_head[v] = iw_ne_##T(iw_row_vector_##T(x, v), iw_row_vector_##T(y, v)); \
        if (!whole) is_head[v] = iw_and_pred(is_head[v], iw_lt_u32(iw_add_u32(own, iw_splat_u32((uint32_t)v)), iw_splat_u32(left))); \
        const uint32_t heads = (uint32_t)iw_ballot(is_head[v]); \
        rank = iw_add_u32(rank, iw_popcount_u32(iw_and_u32(iw_splat_u32(heads), lower_bits))); \
        count += iw_popcount(heads); \
        const uint32_t end = last && heads ? row + iw_highest(heads) * IW_ROW_VECTORS(T) + (uint32_t)v + 1 : 0; \
        last_end = end > last_end ? end : last_end; \
      } \
      IW_EACH_VECTOR(T, v) { \
        STORE_PLACES(begins, rank, iw_add_u32(own, iw_splat_u32(place + (uint32_t)v)), is_head[v]); \
        rank = iw_select_u32(is_head[v], iw_add_u32(rank, iw_splat_u32(1)), rank); \
      } \
      if (last_end) *last = place + last_end - 1; \
    } \
  } \
  return count; \
}
DEFINE_LIST_HEADS(u32)
DEFINE_LIST_HEADS(u64)
#undef DEFINE_LIST_HEADS

/* Stores the places of the heads among the 32 * words elements from `at` on, of n in all, to `begins`; the
 * place of element `at` is `place`. Returns their number, and if last is not NULL, in *last the place of the
 * last one, if there is one. key_bytes 0: keys are flags. Keys of 4 and 8 bytes are listed by rows: if rows,
 * a literal, is not 0, only where all elements are there, as `whole` says, and keys are aligned; words and
 * `at` are then multiples of that many rows. */
IW_FN uint32_t list_heads(const void *keys, uint32_t key_bytes, uint64_t at, uint64_t n, unsigned words, uint32_t place,
                          uint16_t *begins, uint32_t *last, const int rows, int whole)
{
  const uint32_t elements = at >= n ? 0 : n - at < 32 * words ? (uint32_t)(n - at) : 32 * words;
#define BY_ROWS(T) do { \
    if (!rows) return list_heads_by_rows_##T((const iws_##T *)keys, at, elements, place, begins, last, LIST_ROWS, 0); \
    if (whole && iw_row_can_vectorize((const iws_##T *)keys)) \
      return list_heads_by_rows_##T((const iws_##T *)keys, at, 32 * words, place, begins, last, rows, 1); \
  } while (0)
  enum { LIST_ROWS = 3 };
  if (key_bytes == 4) BY_ROWS(u32);
  if (key_bytes == 8) BY_ROWS(u64);
#undef BY_ROWS
  const iw_u32 left = iw_splat_u32(elements);
  const iw_u32 own_bit = iw_shl_u32(iw_splat_u32(1), iw_lane()), lower_bits = iw_sub_u32(own_bit, iw_splat_u32(1));
  uint32_t count = 0;
  IW_NO_UNROLL for (unsigned w = 0; w < words; w += HEAD_WORDS_AT_ONCE) {
    uint32_t heads[HEAD_WORDS_AT_ONCE];
    make_head_words(keys, key_bytes, at, 32 * w, left, heads);
    IW_UNROLL for (unsigned k = 0; k < HEAD_WORDS_AT_ONCE; k++) {
      const iw_u32 word = iw_splat_u32(heads[k]), rank = iw_popcount_u32(iw_and_u32(word, lower_bits));
      STORE_PLACES(begins, iw_add_u32(rank, iw_splat_u32(count)), iw_iota_u32(place + 32 * (w + k)),
                   iw_ne_u32(iw_and_u32(word, own_bit), iw_splat_u32(0)));
      count += iw_popcount(heads[k]);
      if (last && heads[k]) *last = place + 32 * (w + k) + iw_highest(heads[k]);
    }
  }
  return count;
}

/* A warp: the heads among elements first … first + elements - 1, of n in all. */
IW_RARE_FN tile_heads count_heads(const iw_reduce_segments_args *args, uint64_t first, uint64_t elements)
{
  tile_heads heads = { 0, 0 };
  for (uint64_t at = first; at < first + elements && at < args->n; at += 32 * HEAD_WORDS_AT_ONCE) {
    const uint64_t left = (first + elements < args->n ? first + elements : args->n) - at;
    uint32_t words[HEAD_WORDS_AT_ONCE];
    make_head_words(args->keys, args->key_bytes, at, 0, iw_splat_u32(left < UINT32_MAX ? (uint32_t)left : UINT32_MAX), words);
    IW_UNROLL for (unsigned k = 0; k < HEAD_WORDS_AT_ONCE; k++) {
      heads.count += iw_popcount(words[k]);
      if (words[k]) heads.last = at + 32 * k + iw_highest(words[k]) + 1;
    }
  }
  return heads;
}

/* Writes the keys of `count` runs from run k on. begins: the places of their first elements from element
 * `first` on. */
IW_FN void move_run_keys(const iw_reduce_segments_args *args, uint64_t first, const uint16_t *begins, uint32_t count, uint64_t k)
{
  enum { AT_ONCE = 4 };
#define MOVE(t) do { \
    const IW_PASTE(iws_, t) *const from = iw_opaque((const IW_PASTE(iws_, t) *)args->keys + first); \
    IW_PASTE(iws_, t) *const to = iw_opaque((IW_PASTE(iws_, t) *)args->unique_keys + k); \
    IW_NO_UNROLL for (uint32_t r = 0; r < count; r += 32 * AT_ONCE) { \
      IW_PASTE(iw_, LANES_OF_##t) x[AT_ONCE]; \
      IW_UNROLL for (unsigned i = 0; i < AT_ONCE; i++) { \
        const iw_pred some = iw_lt_u32(iw_iota_u32(r + 32 * i), iw_splat_u32(count)); \
        x[i] = IW_PASTE(iw_gather_, t)(from, iw_load_u16(begins + r + 32 * i, some), some); \
      } \
      IW_UNROLL for (unsigned i = 0; i < AT_ONCE; i++) { \
        const iw_u32 place = iw_iota_u32(r + 32 * i); \
        IW_PASTE(iw_scatter_bits_, t)(to, place, x[i], iw_lt_u32(place, iw_splat_u32(count))); \
      } \
    } \
  } while (0)
#define LANES_OF_u8 u32
#define LANES_OF_u16 u32
#define LANES_OF_u32 u32
#define LANES_OF_u64 u64
  if (args->key_bytes == 4) MOVE(u32);
  else if (args->key_bytes == 8) MOVE(u64);
  else if (args->key_bytes == 2) MOVE(u16);
  else MOVE(u8);
#undef MOVE
#undef LANES_OF_u8
#undef LANES_OF_u16
#undef LANES_OF_u32
#undef LANES_OF_u64
}

/* Takes places in the list for `count` runs. Returns the first. */
IW_FN uint64_t take_list_places(iw_block *block, const iw_reduce_segments_args *args, uint64_t count)
{
  return iw_at_u64(iw_global_add(args->listed, 2, iw_splat_u64(count), iw_lanes_below(1)), 0);
}

/* Lists the runs k + l of the lanes l of `listed`, which begin at `begin`, from `place` on. length: 0 if it
 * is not known. */
IW_FN void list_runs(const iw_reduce_segments_args *args, uint64_t place, uint64_t k, iw_u64 begin, iw_u64 length, iw_pred listed)
{
  const iw_u64 word = iw_shl_u64(iw_add_u64(iw_splat_u64(place), iw_convert_u32_u64(iw_rank(listed))), iw_splat_u64(1));
  iw_scatter_bits_far_u64(args->runs, word, iw_or_u64(begin, iw_shl_u64(length, iw_splat_u64(RUN_LENGTH_AT))), listed);
  iw_scatter_bits_far_u64(args->runs, iw_or_u64(word, iw_splat_u64(1)), iw_iota_u64(k), listed);
}

/* Lane l: the end of run k[l], the last one that begins in tile[l]. Looks for the first tile behind it that
 * has a head: in steps that double, then by bisection. */
IW_FN iw_u64 end_of_runs(const iw_reduce_segments_args *args, uint64_t tile_elements, iw_u64 k, iw_u64 tile, iw_pred some)
{
  const uint64_t tiles = (args->n + tile_elements - 1) / tile_elements, head_mask = ((uint64_t)1 << RUN_HEAD_BITS) - 1;
  const iw_u64 after = iw_add_u64(k, iw_splat_u64(1));
  uint64_t step = 1;
  int doubles = 1;
  iw_pred behind = some;
  /* tile has no head of a later run that is beyond `tile`; it moves on while the tiles up to tile + step
   * have none either. */
  IW_NO_UNROLL for (; step; step = doubles ? 2 * step : step / 2) {
    const iw_u64 probe = iw_add_u64(tile, iw_splat_u64(step));
    const iw_pred there = iw_and_pred(some, iw_lt_u64(probe, iw_splat_u64(tiles)));
    const iw_u64 begun = iw_shr_u64(iw_gather_far_u64(args->tile_runs + 1, probe, there), iw_splat_u64(RUN_HEAD_BITS));
    behind = iw_and_pred(there, iw_le_u64(begun, after));
    tile = iw_select_u64(behind, probe, tile);
    if (doubles) doubles = iw_any(behind);
  }
  const iw_u64 next = iw_add_u64(tile, iw_splat_u64(1));
  const iw_pred there = iw_and_pred(some, iw_lt_u64(next, iw_splat_u64(tiles)));
  const iw_u64 head = iw_and_u64(iw_gather_far_u64(args->tile_runs, next, there), iw_splat_u64(head_mask));
  return iw_select_u64(there, iw_add_u64(iw_mul_u64(next, iw_splat_u64(tile_elements)), head), iw_splat_u64(args->n));
}

/* Lane l, for the lanes of `some`: begin, end and index of listed run first + l. */
IW_NOINLINE_FN void bounds_of_listed_runs(const iw_reduce_segments_args *args, uint64_t tile_elements, uint64_t first,
                                          iw_pred some, iw_u64 *begin, iw_u64 *end, iw_u64 *k)
{
  const iw_u64 place = iw_shl_u64(iw_iota_u64(first), iw_splat_u64(1)), none = iw_splat_u64(0);
  const iw_u64 word = iw_gather_far_u64(args->runs, place, some);
  *k = iw_gather_far_u64(args->runs, iw_or_u64(place, iw_splat_u64(1)), some);
  *begin = iw_and_u64(word, iw_splat_u64(((uint64_t)1 << RUN_LENGTH_AT) - 1));
  const iw_u64 length = iw_shr_u64(word, iw_splat_u64(RUN_LENGTH_AT));
  *end = iw_add_u64(*begin, length);
  const iw_pred open = iw_and_pred(some, iw_eq_u64(length, none));
  if (iw_any(open)) {
    const iw_u64 tile = iw_shr_u64(*begin, iw_splat_u64(iw_lowest(tile_elements)));
    *end = iw_select_u64(open, end_of_runs(args, tile_elements, *k, tile, open), *end);
  }
}

#endif
