/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: per-warp variables, and what the block's collectives of
 * language/warp.h need. Each warp runs the whole kernel with a stack of its own, and waits for the others at
 * the end of a phase. Mirrors language/cuda/block.h. Knows nothing of other blocks.
 */
#ifndef ISOWARP_LANGUAGE_SIM_BLOCK_H
#define ISOWARP_LANGUAGE_SIM_BLOCK_H

#include <isowarp/language/sim/atomics.h>

/* The block keeps the variables of all its warps, so that what a warp reads of another one is found. */
#define IW_VAR(type, x) \
  type *const x = (type *)iw_sim_variable(block, IW_SITE_OF_("IW_VAR", #x ", " #type), sizeof(type))
#define IW_VAR_ARRAY(type, x, n) \
  type (*const x)[n] = (type (*)[n])iw_sim_variable(block, IW_SITE_OF_("IW_VAR_ARRAY", #x), sizeof(type[n]))
#define IW_MY(x) ((x)[warp])
#define IW_DST(type) type *
#define IW_SRC(type) const type *

/* The threads that the block has: all but in its last warp, if that is not full. */
IW_FN iw_pred iw_active_(const iw_block *block, unsigned warp)
{ return iw_lanes_below((int64_t)block->threads - (int64_t)warp * IW_WARP_SIZE); }

IW_FN void iw_barrier_(const iw_site *site, const iw_block *block) { iw_sim_barrier(block, site); }

/* IW_ONCE_ evaluates an expression on warp 0 of the block and keeps the result for all, who get it from
 * iw_once_end_ after a barrier. Two words take turns, so that the next use needs no barrier of its own. */
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? iw_once_set_(block, expr) : (void)0)
IW_FN int iw_once_begin_(const iw_block *block) { return block->first_warp == 0; }
IW_FN uint64_t *iw_once_(const iw_block *block) { return &block->memory->broadcast[block->parity & 1]; }
IW_FN void iw_once_set_(const iw_block *block, uint64_t v)
{
  uint64_t undefined;
  if (!iw_sim_self->checks ||
      iw_access_(iw_sim_self->collective, SIZE_MAX, IW_SIM_STORE | IW_SIM_INTERNAL, iw_once_(block), sizeof v, NULL, NULL, 1, 0,
                 0, NULL, 0, &undefined))
    *iw_once_(block) = v;
}
IW_FN uint32_t iw_uniform_(uint32_t v) { return v; }
IW_FN uint64_t iw_once_end_(iw_block *block)
{
  const uint64_t *const word = &block->memory->broadcast[block->parity++ & 1];
  uint64_t undefined = 0;
  if (iw_sim_self->checks)
    (void)iw_access_(iw_sim_self->collective, SIZE_MAX, IW_SIM_LOAD | IW_SIM_INTERNAL, word, sizeof *word, NULL, NULL, 1, 0, 0,
                     NULL, 0, &undefined);
  iw_use_(iw_sim_self->collective, undefined, 0, "the received value");
  return *word;
}

/* One word per warp for the next collective; two sets take turns as above. */
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block) { return block->memory->warp_aggregates[block->parity++ & 1]; }
/* The value of a lane that may be no thread of the block. */
#define IW_AT_ANY_(t, a, lane) iw_at_any_##t(a, lane)
/* A thread that all warps have to agree on, and the block has to have. */
#define IW_CHECK_THREAD_(block, thread) \
  (iw_sim_uniform(block, iw_sim_self->collective, thread), \
   (thread) < (block)->threads ? (void)0 : iw_sim_absent_lane(iw_sim_self->collective, thread))
#define IW_LAST_ANY_(t, a) iw_at_any_##t(a, IW_WARP_SIZE - 1)
/* A GPU's warp loads them and reduces them by shuffles. */
IW_FN void iw_count_aggregates_(const iw_block *block, const void *aggregates, unsigned size)
{
  iw_sim_access a = { .site = iw_sim_self->collective, .extent = SIZE_MAX, .base = aggregates, .stride = 1, .size = size,
    .kind = IW_SIM_LOAD | IW_SIM_INTERNAL, .lanes = iw_lanes_below(block->warps).m };
  if (!(iw_sim_self->checks & IW_SIM_COUNTS)) return;
  iw_sim_count_memory(&a);
  iw_count_(a.site, IW_SIM_SHUFFLE, IW_LOG_WARP * (size / 4));
}
/* The tree over the warps' aggregates. */
#define IW_REDUCE_AGGREGATES_(op, t, block, aggregates) \
  iw_reduce_aggregates_##t##_(iws_##op##_##t, iws_identity_##op##_##t(), block, aggregates)
#define IW_REDUCE_AGGREGATES_OF_(t) \
IW_FN iws_##t iw_reduce_aggregates_##t##_(iws_##t (*op)(iws_##t, iws_##t), iws_##t identity, const iw_block *block, \
                                          const void *aggregates) \
{ \
  iws_##t v[IW_MAX_WARPS]; \
  unsigned n = 1; \
  iw_count_aggregates_(block, aggregates, sizeof *v); \
  memcpy(v, aggregates, block->warps * sizeof *v); \
  while (n < block->warps) n *= 2; \
  for (unsigned w = block->warps; w < n; w++) v[w] = identity; \
  for (; n > 1; n /= 2) \
    for (unsigned w = 0; w < n / 2; w++) v[w] = op(v[2 * w], v[2 * w + 1]); \
  return v[0]; \
}
IW_TYPES(IW_REDUCE_AGGREGATES_OF_)

#endif
