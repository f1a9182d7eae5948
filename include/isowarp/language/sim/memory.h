/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: loads and stores of lanes. Mirrors language/cuda/memory.h. What they
 * order is in doc/memory-model.md. The simulator checks each access before it is performed; lanes for which
 * it is not within bounds do not perform it, and load 0.
 */
#ifndef ISOWARP_LANGUAGE_SIM_MEMORY_H
#define ISOWARP_LANGUAGE_SIM_MEMORY_H

#include <isowarp/language/sim/shuffles.h>

/* The parameters that IW_SITE_AT_ gives an operation on memory. */
#define IW_AT_PARAMETERS_ const iw_site *site, size_t extent
#define IW_AT_ site, extent

/* One access of a warp. Elements are at p + first + stride * lane, or at p[index]. */
IW_FN uint64_t iw_access_(IW_AT_PARAMETERS_, unsigned kind, const void *p, unsigned size, const uint32_t *index_32,
                          const uint64_t *index_64, uint64_t lanes, uint64_t undefined, uint32_t owner, const void *values,
                          uint64_t values_undefined, uint64_t *got_undefined)
{
  iw_sim_access a;
  a.site = site; a.extent = extent; a.base = p; a.index_32 = index_32; a.index_64 = index_64;
  a.first = 0; a.stride = 1; a.size = size; a.kind = kind; a.lanes = lanes; a.undefined = undefined;
  a.values_undefined = values_undefined; a.values = values; a.owner = owner;
  a.element_undefined = NULL; a.element_size = size;
  return iw_sim_access_memory(&a, got_undefined);
}
/* An access of lanes at p + first + stride * lane, each of `size` bytes that are elements of
 * `element_size`. undefined[v]: the lanes whose element v is undefined; a load sets it. */
IW_FN uint64_t iw_access_strided_(IW_AT_PARAMETERS_, unsigned kind, const void *p, unsigned size, int64_t first,
                                  int64_t stride, iw_pred some, uint32_t owner, unsigned element_size, uint64_t *undefined)
{
  iw_sim_access a;
  uint64_t any = 0;
  const unsigned elements = size / element_size;
  if (kind & IW_SIM_LOAD) for (unsigned v = 0; v < elements; v++) undefined[v] = 0;
  if (!iw_sim_self->checks) return some.m;
  if (kind & IW_SIM_STORE) for (unsigned v = 0; v < elements; v++) any |= undefined[v];
  a.site = site; a.extent = extent; a.base = p; a.index_32 = NULL; a.index_64 = NULL;
  a.first = first; a.stride = stride; a.size = size; a.kind = kind; a.lanes = some.m; a.undefined = some.undefined;
  a.values_undefined = any & some.m; a.values = NULL; a.owner = owner | some.owner;
  a.element_undefined = elements > 1 ? undefined : NULL; a.element_size = element_size;
  const uint64_t m = iw_sim_access_memory(&a, &any);
  if ((kind & IW_SIM_LOAD) && elements == 1) *undefined = any;
  return m;
}
/* The lanes of a load at p[lane], p[index_32] or p[index_64]. */
IW_FN uint64_t iw_loads_(IW_AT_PARAMETERS_, const void *p, unsigned size, const uint32_t *index_32, const uint64_t *index_64,
                         uint64_t index_undefined, uint32_t owner, iw_pred some, uint64_t *undefined)
{
  *undefined = 0;
  if (!iw_sim_self->checks) return some.m;
  return iw_access_(IW_AT_, IW_SIM_LOAD, p, size, index_32, index_64, some.m,
                    some.undefined | (index_undefined & some.m), owner | some.owner, NULL, 0, undefined);
}
/* The same of a store. */
IW_FN uint64_t iw_stores_(IW_AT_PARAMETERS_, unsigned kind, const void *p, unsigned size, const uint32_t *index_32,
                          const uint64_t *index_64, uint64_t index_undefined, uint32_t owner, const void *values,
                          uint64_t values_undefined, iw_pred some)
{
  uint64_t unused;
  if (!iw_sim_self->checks) return some.m;
  return iw_access_(IW_AT_, kind, p, size, index_32, index_64, some.m,
                    some.undefined | (index_undefined & some.m), owner | some.owner, values,
                    values_undefined & some.m, &unused);
}

/* Of a scatter of lanes: those of no warp are the same constant. */
#define IW_SCATTER_KIND_(a) (IW_SIM_STORE | ((a).owner ? IW_SIM_OF_LANES : 0))
#define IW_TEMPLATE <isowarp/language/sim/memory_of_type.h>
#include <isowarp/language/for_each_type.h>

/* Elements of 1 and 2 bytes, in lanes of 4. */
#define IW_TYPE_SET IW_SET_OF_NARROW
#define IW_TEMPLATE <isowarp/language/sim/memory_of_narrow.h>
#include <isowarp/language/for_each_type.h>

/* The lanes of `some` whose byte is not 0. */
IW_FN iw_mask iw_ballot_u8(IW_AT_PARAMETERS_, const uint8_t *p, iw_pred some)
{
  uint64_t undefined, m = 0;
  const uint64_t lanes = iw_loads_(IW_AT_, p, 1, NULL, NULL, 0, 0, some, &undefined);
  iw_use_(site, undefined, 0, "the vote");
  iw_count_(site, IW_SIM_VOTE, 1);
  IW_EACH_LANE_(l) if (lanes >> l & 1) m |= (uint64_t)(p[l] != 0) << l;
  return m;
}

/* On other targets iw_compact may overwrite a warp's elements behind the n that it packs: they are
 * undefined here. */
IW_FN void iw_clobber_(IW_AT_PARAMETERS_, void *p, unsigned size, unsigned n)
{
  uint32_t behind[IW_WARP_SIZE];
  if (!iw_checks_() || size < 4) return;
  IW_EACH_LANE_(l) behind[l] = n + l;
  uint64_t unused, m = iw_access_(IW_AT_, IW_SIM_STORE | IW_SIM_NOT_COUNTED, p, size, behind, NULL, IW_ALL_LANES_, 0, 0, NULL, ~(uint64_t)0, &unused);
  IW_EACH_LANE_(l) if (m >> l & 1) memset((char *)p + size * behind[l], 0xa5, size);
}

/* Packs the chosen lanes from p on; returns their number. */
#define IW_COMPACT(t, lanes_) \
  IW_FN unsigned iw_compact_##t(IW_AT_PARAMETERS_, iws_##t *p, iw_##lanes_ a, iw_pred some) \
  { \
    uint32_t to[IW_WARP_SIZE]; \
    iws_##t values[IW_WARP_SIZE]; \
    unsigned n = 0; \
    iw_use_(site, some.undefined, some.owner, "the number of elements"); \
    iw_count_(site, IW_SIM_VOTE, 1); \
    IW_EACH_LANE_(l) { to[l] = n; n += (unsigned)(some.m >> l & 1); values[l] = (iws_##t)a.e[l]; } \
    const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE, p, sizeof *p, to, NULL, 0, a.owner, values, a.undefined, some); \
    IW_EACH_LANE_(l) if (m >> l & 1) p[to[l]] = values[l]; \
    iw_clobber_(IW_AT_, p, sizeof *p, n); \
    return n; \
  }
IW_COMPACT(u8, u32) IW_COMPACT(u16, u32) IW_COMPACT(u32, u32) IW_COMPACT(u64, u64)

/* Packs the chosen lanes from p on and the other lanes of `some` from q on; returns the number of the
 * former. */
#define IW_COMPACT_BOTH(t, lanes_) \
  IW_FN unsigned iw_compact_both_##t(IW_AT_PARAMETERS_, iws_##t *p, iws_##t *q, iw_##lanes_ a, iw_pred chosen, iw_pred some) \
  { \
    const unsigned n = iw_compact_##t(IW_AT_, p, a, iw_and_pred(chosen, some)); \
    iw_compact_##t(site, SIZE_MAX, q, a, iw_and_pred(iw_not_pred(chosen), some)); \
    return n; \
  }
IW_COMPACT_BOTH(u8, u32) IW_COMPACT_BOTH(u16, u32) IW_COMPACT_BOTH(u32, u32) IW_COMPACT_BOTH(u64, u64)

/* A hint only. */
IW_FN void iw_prefetch(const void *p, size_t bytes) { (void)p; (void)bytes; }

#endif
