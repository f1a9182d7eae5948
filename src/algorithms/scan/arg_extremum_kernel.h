/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel of argmin and argmax on CPUs: the index of the first element that equals a minimum or maximum.
 * It runs after the reduction that gave the value, and uses the states that the reduction has published: the
 * first group whose inclusive prefix equals the value contains the element, then the first tile of that
 * group whose aggregate does, and that tile is searched. One block of one warp: a thread's warps would
 * search one after the other, and mostly in vain.
 *
 * Parameters: OP, the minimum; T, the type in which elements are combined, with twiddled bits (scan/args.h);
 * FROM, if defined, their type in memory. The including file undefines them. Makes the kernel arg_OP_T, with
 * _from_FROM behind it if FROM is defined.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef ISOWARP_ARG_EXTREMUM_KERNEL_H
#define ISOWARP_ARG_EXTREMUM_KERNEL_H
static const uint64_t NOT_FOUND = ~(uint64_t)0;

/* Elements as bits, every NaN as the canonical one: a NaN equals a NaN, and -0 differs from +0. */
#define BITS_i32(a) (a)
#define BITS_i64(a) (a)
#define BITS_f32(a) iw_as_bits_f32(a)
#define BITS_f64(a) iw_as_bits_f64(a)
#define EQUAL_BITS(a, b) iw_eq(IW_JOIN(BITS, T)(a), IW_JOIN(BITS, T)(b))
#endif

#ifdef FROM
#define T_FROM IW_JOIN(T, IW_JOIN(from, FROM))
#define LOAD(at, some) TWIDDLED(IW_JOIN(iw_convert, IW_JOIN(IW_PASTE(IW_LANES_FOR_, FROM), T))( \
  IW_JOIN(iw_load, FROM)((const IW_PASTE(iws_, FROM) *)args->in + (at), some)))
#else
#define T_FROM T
#define LOAD(at, some) TWIDDLED(OF_T(iw_load)((const SCALAR *)args->in + (at), some))
#endif
#define KERNEL IW_JOIN(arg, IW_JOIN(OP, T_FROM))
#define FN(name) IW_JOIN(name, T_FROM)
#define TWIDDLED(x) OF_T(iw_flip_bits)(x, OF_T(iw_splat)(args->twiddle.T))
/* The result of the reduction, as its elements are combined. */
#define BEST TWIDDLED(OF_T(iw_splat)(OF_T(iw_get)((const SCALAR *)args->result)))

/* The element index of the first lane in `some` that equals best, where lane 0 is element `at`; NOT_FOUND if
 * there is none. */
IW_FN uint64_t FN(first_match)(LANES x, LANES best, uint64_t at, iw_pred some)
{
  const iw_mask found = iw_ballot(iw_and_pred(some, EQUAL_BITS(x, best)));
  return found ? at + iw_lowest(found) : NOT_FOUND;
}

/* The same for published states from index `at` on, of which there are `count` in all. */
IW_FN uint64_t FN(first_match_state)(const uint64_t *states, LANES best, uint64_t at, uint64_t count)
{
  const int some = (int)(count - at < 32 ? count - at : 32);
  return FN(first_match)(OF_T(iw_poll)(states, (int64_t)at, 0, some).value, best, at,
                           iw_lanes_below(some));
}

/* Skips elements from `at` on, several vectors at a time, while none of them equals best. */
IW_FN uint64_t FN(skip)(const iw_arg_extremum_args *args, LANES best, uint64_t at, uint64_t end)
{
  enum { VECTORS = 4 };
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  for (; end - at >= VECTORS * IW_WARP_SIZE; at += VECTORS * IW_WARP_SIZE) {
    iw_pred any = iw_lanes_below(0);
    IW_UNROLL for (int v = 0; v < VECTORS; v++) any = iw_or_pred(any, EQUAL_BITS(LOAD(at + (uint64_t)v * IW_WARP_SIZE, all), best));
    if (iw_any(any)) break;
  }
  return at;
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL, iw_no_shared, iw_arg_extremum_args, IW_WARP_SIZE, 1)
{
  const uint64_t tiles = (args->n + IW_SCAN_TILE - 1) / IW_SCAN_TILE;
  const uint64_t groups = (tiles + IW_SCAN_GROUP_TILES - 1) / IW_SCAN_GROUP_TILES;
  IW_PHASE(warp) {
    const LANES best = BEST;
    uint64_t group = NOT_FOUND, tile = NOT_FOUND, index = NOT_FOUND;
    for (uint64_t g = 0; g < groups && group == NOT_FOUND; g += IW_WARP_SIZE)
      group = FN(first_match_state)(args->group_states, best, g, groups);
    if (group != NOT_FOUND) tile = FN(first_match_state)(args->tile_states, best, group * IW_SCAN_GROUP_TILES, tiles);
    if (tile != NOT_FOUND) {
      const uint64_t start = tile * IW_SCAN_TILE;
      const uint64_t end = args->n - start < IW_SCAN_TILE ? args->n : start + IW_SCAN_TILE;
      for (uint64_t at = FN(skip)(args, best, start, end); at < end && index == NOT_FOUND; at += IW_WARP_SIZE) {
        const iw_pred some = iw_lanes_below((int64_t)(end - at));
        index = FN(first_match)(LOAD(at, some), best, at, some);
      }
    }
    if (index != NOT_FOUND) {
      const SCALAR result = OF_T(iw_get)((const SCALAR *)args->result);
      int was_found = 0; /* an equal value, in an earlier piece */
      if (args->piece_begin)
        was_found = iw_all(EQUAL_BITS(OF_T(iw_splat)(OF_T(iw_get)(&args->found->value.T)), OF_T(iw_splat)(result)));
      if (!was_found) {
        iw_set_u64(&args->found->index, args->piece_begin + index);
        OF_T(iw_set)(&args->found->value.T, result);
      }
    }
  }
}

#undef T_FROM
#undef KERNEL
#undef FN
#undef TWIDDLED
#undef LOAD
#undef BEST
