/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language, common to all targets: collectives of a warp and of a block, and tickets, written over
 * the lanes of the target. Sums follow the binary tree by thread index, so that their bits depend neither
 * on the warp size nor on the target. Knows nothing of how a target holds lanes.
 *
 * What depends on the operator is a macro of (op, t), because a user's IW_OPERATOR makes it for an operator
 * of his own.
 */
#ifndef ISOWARP_LANGUAGE_WARP_H
#define ISOWARP_LANGUAGE_WARP_H

/* Lane l holds first + l. */
IW_FN iw_u32 iw_iota_u32(uint64_t first) { return iw_add_u32(iw_splat_u32((uint32_t)first), iw_lane()); }
IW_FN iw_u64 iw_iota_u64(uint64_t first)
{ return iw_add_u64(iw_splat_u64(first), iw_convert_u32_u64(iw_lane())); }

/* The first element of an exclusive scan: +0 for a sum. The identity inside is -0, which must not show. */
#define IW_SCAN_INITIAL(t) \
IW_FN iws_##t iw_scan_initial_sum_##t(void) { return 0; } \
IW_FN iws_##t iw_scan_initial_min_##t(void) { return iws_identity_min_##t(); } \
IW_FN iws_##t iw_scan_initial_max_##t(void) { return iws_identity_max_##t(); }
IW_TYPES(IW_SCAN_INITIAL)

/* iw_shift: all lanes moved up by one; lane 0 gets `first`. */
#define IW_BROADCAST(t) \
IW_FN iw_##t iw_broadcast_##t(iw_##t a, unsigned lane) { return iw_splat_##t(iw_at_##t(a, lane)); } \
IW_FN iw_##t iw_shift_##t(iw_##t a, iws_##t first) \
{ return iw_select_##t(iw_lanes_below(1), iw_splat_##t(first), iw_shuffle_up_##t(a, 1, IW_WARP_SIZE)); }
IW_TYPES(IW_BROADCAST)

#define IW_WARP_SCAN(op, t) \
IW_FN iw_##t iw_inclusive_prefix_##op##_##t(iw_##t a) \
{ IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) a = iw_level_##op##_##t(a, b); return a; } \
IW_FN iw_##t iw_exclusive_prefix_##op##_##t(iw_##t a) \
{ return iw_shift_##t(iw_inclusive_prefix_##op##_##t(a), iw_scan_initial_##op##_##t()); }

/* ---- Collectives of the block ---- */

/* The value of a lane that may be no thread of the block. The simulator reports such lanes where a kernel
 * reads them. */
#ifndef IW_AT_ANY_
#define IW_AT_ANY_(t, a, lane) iw_at_##t(a, lane)
#define IW_LAST_ANY_(t, a) iw_last_##t(a)
#endif
/* A thread that all warps have to agree on; where it can be checked. */
#ifndef IW_CHECK_THREAD_
#define IW_CHECK_THREAD_(block, thread) ((void)0)
#endif

/* One aggregate per warp lies in block memory; a warp loads them in chunks of its own size. With 32
 * lanes or more a block's warps fit one chunk. */
enum { IW_AGGREGATE_CHUNKS = IW_MAX_WARPS > IW_WARP_SIZE ? IW_MAX_WARPS / IW_WARP_SIZE : 1 };

/* Lane l: the aggregate of warp chunk * IW_WARP_SIZE + l, or the identity if the block has fewer warps. */
#define IW_BLOCK_AGGREGATES(op, t) \
IW_FN iw_##t iw_block_aggregates_##op##_##t(const iw_block *block, const uint64_t *aggregates, unsigned chunk) \
{ \
  const iw_pred some = iw_lanes_below((int64_t)block->warps - (int64_t)chunk * IW_WARP_SIZE); \
  return iw_select_##t(some, iw_load_##t((const iws_##t *)aggregates + chunk * IW_WARP_SIZE, some), \
                       iw_splat_##t(iws_identity_##op##_##t())); \
}

/* Threads that the block does not have count as the identity. */
#define IW_BLOCK_REDUCE(op, t) \
IW_FN iws_##t iw_block_##op##_##t(iw_block *block, IW_SRC(iw_##t) a) \
{ \
  uint64_t *const aggregates = iw_warp_aggregates_(block); \
  IW_PHASE(warp) { \
    const iw_pred absent = iw_not_pred(iw_active_(block, warp)); \
    iw_##t x = IW_MY(a); \
    if (iw_wanted_by_lane_(absent)) x = iw_select_##t(absent, iw_splat_##t(iws_identity_##op##_##t()), x); \
    iw_set_raw_##t((iws_##t *)aggregates + warp, iw_warp_##op##_##t(x)); \
  } \
  return IW_REDUCE_AGGREGATES_(op, t, block, (const iws_##t *)aggregates); \
}

/* Each warp scans its own lanes, then takes in its left siblings in the tree over the warps, level by
 * level: within a chunk by the levels of a warp's scan, over the chunks by scalars. */
#define IW_BLOCK_INCLUSIVE(op, t) \
IW_FN void iw_block_inclusive_prefix_##op##_##t(iw_block *block, IW_DST(iw_##t) to, IW_SRC(iw_##t) a) \
{ \
  uint64_t *const aggregates = iw_warp_aggregates_(block); \
  IW_PHASE(warp) { \
    IW_MY(to) = iw_inclusive_prefix_##op##_##t( \
      iw_select_##t(iw_active_(block, warp), IW_MY(a), iw_splat_##t(iws_identity_##op##_##t()))); \
    iw_set_##t((iws_##t *)aggregates + warp, IW_LAST_ANY_(t, IW_MY(to))); \
  } \
  IW_PHASE(warp) { \
    const unsigned chunk = warp / IW_WARP_SIZE, j = warp % IW_WARP_SIZE; \
    iw_##t x = IW_MY(to), left = iw_block_aggregates_##op##_##t(block, aggregates, chunk); \
    IW_UNROLL for (unsigned b = 0; b < IW_LOG_WARP; b++) { \
      const iws_##t sibling = IW_AT_ANY_(t, left, iws_left_sibling_last(j, b)); \
      if (j >> b & 1) x = iw_##op##_##t(iw_splat_##t(sibling), x); \
      left = iw_level_##op##_##t(left, (int)b); \
    } \
    if (IW_AGGREGATE_CHUNKS > 1) { \
      iws_##t of[IW_AGGREGATE_CHUNKS]; \
      for (unsigned c = 0; c < IW_AGGREGATE_CHUNKS; c++) \
        of[c] = iw_warp_##op##_##t(iw_block_aggregates_##op##_##t(block, aggregates, c)); \
      for (unsigned b = 0; 1u << b < IW_AGGREGATE_CHUNKS; b++) { \
        if (chunk >> b & 1) x = iw_##op##_##t(iw_splat_##t(of[iws_left_sibling_last(chunk, b)]), x); \
        for (unsigned c = 0; c < IW_AGGREGATE_CHUNKS; c++) \
          if (c >> b & 1) of[c] = iws_##op##_##t(of[iws_left_sibling_last(c, b)], of[c]); \
      } \
    } \
    IW_MY(to) = x; \
  } \
}

#define IW_BLOCK_EXCLUSIVE(op, t) \
IW_FN void iw_block_exclusive_prefix_##op##_##t(iw_block *block, IW_DST(iw_##t) to, IW_SRC(iw_##t) a) \
{ \
  iw_block_inclusive_prefix_##op##_##t(block, to, a); \
  uint64_t *const ends = iw_warp_aggregates_(block); \
  IW_PHASE(warp) { iw_set_##t((iws_##t *)ends + warp, IW_LAST_ANY_(t, IW_MY(to))); } \
  IW_PHASE(warp) { \
    IW_MY(to) = iw_shift_##t(IW_MY(to), warp ? iw_get_##t((const iws_##t *)ends + warp - 1) : iw_scan_initial_##op##_##t()); \
  } \
}

#define IW_BLOCK(op, t) IW_BLOCK_AGGREGATES(op, t) IW_BLOCK_REDUCE(op, t) IW_BLOCK_INCLUSIVE(op, t) IW_BLOCK_EXCLUSIVE(op, t)

#define IW_BLOCK_BROADCAST(t) \
IW_FN iws_##t iw_block_broadcast_##t(iw_block *block, IW_SRC(iw_##t) a, unsigned thread) \
{ \
  uint64_t *const word = iw_warp_aggregates_(block); \
  IW_CHECK_THREAD_(block, thread); \
  IW_PHASE(warp) { \
    if (warp == thread / IW_WARP_SIZE) iw_set_raw_##t((iws_##t *)word, iw_at_##t(IW_MY(a), thread % IW_WARP_SIZE)); \
  } \
  return iw_get_##t((const iws_##t *)word); \
}

#define IW_COLLECTIVES(t) \
  IW_WARP_SCAN(sum, t) IW_WARP_SCAN(min, t) IW_WARP_SCAN(max, t) \
  IW_BLOCK(sum, t) IW_BLOCK(min, t) IW_BLOCK(max, t) IW_BLOCK_BROADCAST(t)
IW_TYPES(IW_COLLECTIVES)

/* The integer of these bits. */
#define IW_FROM_BITS(t, u) IW_FN iw_##t iw_from_bits_##t(iw_##u a) { iw_##t b; memcpy(&b, &a, sizeof b); return b; }
IW_FROM_BITS(i32, u32) IW_FROM_BITS(u32, u32) IW_FROM_BITS(i64, u64) IW_FROM_BITS(u64, u64)

/* ---- Tickets ---- */

/* Tickets are relaxed: they order no other access (doc/memory-model.md). Each of these but request and
 * post has one barrier of the block, which orders what the block itself did. */

IW_FN uint32_t iw_ticket_next_(iw_block *block, iw_tickets *tickets)
{
  IW_ONCE_(block, iw_fetch_add_relaxed_(block, &tickets->next, 1));
  iw_barrier_(block);
  return (uint32_t)iw_once_end_(block);
}

/* The same in three steps, so that the atomic's latency is hidden: one warp requests a ticket and posts
 * it in the same phase; after the phase the block receives it. */
IW_FN uint32_t iw_ticket_request(iw_tickets *tickets) { return iw_ticket_request_in(&tickets->next); }
IW_FN void iw_ticket_post_(const iw_block *block, uint32_t ticket)
{ iw_set_raw_u64(iw_once_(block), ticket); }
IW_FN uint32_t iw_ticket_receive_(iw_block *block) { return (uint32_t)iw_once_end_(block); }

/* Epochs are 1 … 2^30 - 1, so that a flag (epoch * 4 + a state of 1 … 3) fits 32 bits and is never 0. */
IW_FN uint32_t iw_epoch_(const iw_tickets *tickets)
{ return iw_load_relaxed_(&tickets->epoch) % ((1u << 30) - 1) + 1; }

/* The epoch; *first is the block's first ticket. Both take one access to memory. */
IW_FN uint32_t iw_tickets_open_(iw_block *block, iw_tickets *tickets, uint32_t *first)
{
  IW_ONCE_(block, (uint64_t)iw_epoch_(tickets) << 32 | iw_fetch_add_relaxed_(block, &tickets->next, 1));
  iw_barrier_(block);
  const uint64_t both = iw_once_end_(block);
  *first = iw_uniform_((uint32_t)both);
  return (uint32_t)(both >> 32);
}
IW_FN uint32_t iw_tickets_epoch_(iw_block *block, iw_tickets *tickets)
{
  IW_ONCE_(block, iw_epoch_(tickets));
  iw_barrier_(block);
  return (uint32_t)iw_once_end_(block);
}

/* In place of open and close, in a phase, by one warp of each block: a request, and behind other work the
 * epoch of the launch. The last block that arrives (*is_last) makes the next launch's epoch, since no block
 * reads it later. All other blocks run by then, so it may wait for them. `epoch` and `arrived` are one word
 * of 8 bytes, the second one of the tickets, so that one access does both. */
IW_FN iw_u64 iw_tickets_arrive_request_(const iw_block *block, iw_tickets *tickets)
{
  return iw_global_add_u64(block, (uint64_t *)(void *)tickets, iw_splat_u32(1), iw_splat_u64((uint64_t)1 << 32),
                           iw_lanes_below(1));
}
IW_FN uint32_t iw_tickets_arrive_(const iw_block *block, iw_tickets *tickets, iw_u64 requested, int *is_last)
{
  const uint64_t was = iw_at_u64(requested, 0);
  *is_last = (was >> 32) + 1 == block->blocks;
  if (*is_last) (void)iw_global_exchange_u64(block, (uint64_t *)(void *)tickets, iw_splat_u32(1),
                                             iw_splat_u64((uint32_t)(was + 1)), iw_lanes_below(1));
  return (uint32_t)was % ((1u << 30) - 1) + 1;
}

/* Whether all other blocks have called it before. In that block everything is visible that the others
 * did in phases that had ended before they called. *closed is 0 before the launch, and after it. */
IW_FN int iw_is_last_block_(iw_block *block, uint32_t *closed)
{
  IW_ONCE_(block, (uint64_t)iw_increment_acq_rel_(block, closed) + 1 == block->blocks);
  iw_barrier_(block);
  const int last = iw_once_end_(block) != 0;
  if (last && iw_once_begin_(block)) iw_store_relaxed_(closed, 0);
  return last;
}

/* The last block to close makes the tickets ready for the next launch. */
IW_FN void iw_tickets_close_(iw_block *block, iw_tickets *tickets)
{
  if (iw_once_begin_(block) && (uint64_t)iw_fetch_add_relaxed_(block, &tickets->closed, 1) + 1 == block->blocks) {
    iw_store_relaxed_(&tickets->next, 0);
    iw_store_relaxed_(&tickets->closed, 0);
    iw_store_relaxed_(&tickets->epoch, iw_load_relaxed_(&tickets->epoch) + 1);
  }
}

#endif
