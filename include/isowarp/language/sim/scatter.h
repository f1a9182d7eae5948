/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: what splits elements among many places: ranks by
 * digit, scatter without the warp's barrier, ranked scatter and write-combining buffers. As on a GPU, a
 * buffer is only the position where its next element goes. Mirrors language/cuda/scatter.h. May change with
 * the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_SCATTER_H
#define ISOWARP_LANGUAGE_SIM_SCATTER_H

#include <isowarp/language/sim/atomics.h>

typedef struct { uint64_t half[2]; } iws_u128;
#define IW_MOVED(X) X(u8) X(u16) X(u32) X(u64) X(u128)

/* One table is enough: a GPU adds up lanes that have the same index. */
#define IW_COUNT_REPLICAS 1
IW_FN void iw_count_replicated_in(IW_AT_PARAMETERS_, const iw_block *block, uint32_t *counters, unsigned each, iw_u32 index,
                                  iw_pred some)
{ (void)each; (iw_count_in)(IW_AT_, block, counters, index, some); }

/* `bits` bits of each lane, from bit `at` on. */
IW_FN iw_u32 iw_bitfield_extract(iw_u32 a, unsigned at, unsigned bits)
{
  IW_EACH_LANE_(l) a.e[l] = at < 32 ? a.e[l] >> at & (bits < 32 ? (1u << bits) - 1 : UINT32_MAX) : 0;
  return a;
}

/* What a GPU does to find lanes with equal digits: language/cuda/scatter.h, iw_rank_digits_in(). A ballot
 * for each value and bit of the digit; if few bits vary, of those alone. */
IW_FN void iw_count_ranks_(const iw_site *site, const iw_u32 *words, unsigned shift, uint32_t mask, int count)
{
  uint32_t vary = 0;
  if (!(iw_sim_self->checks & IW_SIM_COUNTS)) return;
  for (int k = 0; k < count; k++) IW_EACH_LANE_(l) vary |= words[k].e[l] ^ words[0].e[0];
  const unsigned bits = (unsigned)__builtin_popcount(vary & mask << shift);
  iw_count_(site, IW_SIM_SHUFFLE, 1);
  iw_count_(site, IW_SIM_REDUCE, 1);
  iw_count_(site, IW_SIM_VOTE, (unsigned)count * (bits > 5 ? 8 : bits));
}
/* iw_rank_in by (word >> shift) & mask, a digit of at most 8 bits, of `count` lane values one after the
 * other. */
IW_FN void iw_rank_digits_in(IW_AT_PARAMETERS_, uint32_t *counters, const iw_u32 *words, unsigned shift, uint32_t mask,
                             iw_u32 *ranks, int count)
{
  const iw_pred all = iw_pred_(IW_ALL_LANES_, 0, 0);
  iw_count_ranks_(site, words, shift, mask, count);
  for (int k = 0; k < count; k++) {
    uint32_t digit[IW_WARP_SIZE];
    uint64_t undefined;
    IW_EACH_LANE_(l) digit[l] = words[k].e[l] >> shift & mask;
    const uint64_t m = iw_loads_(IW_AT_, counters, sizeof *counters, digit, NULL, words[k].undefined, words[k].owner, all, &undefined);
    (void)iw_stores_(IW_AT_, IW_SIM_STORE, counters, sizeof *counters, digit, NULL, words[k].undefined, words[k].owner, NULL,
                     undefined, iw_leaders_(digit, all, 1));
    IW_EACH_LANE_(l) ranks[k].e[l] = m >> l & 1 ? counters[digit[l]]++ : 0;
    ranks[k].undefined = undefined;
    ranks[k].owner = iw_self_();
  }
}

/* ---- Scatter without the warp's barrier: no lane may read what was written before the phase ends ---- */

#define IW_SCATTER_BITS_OF_(name, t, l, index_32, index_64, index_type) \
IW_FN void iw_scatter_bits_##name(IW_AT_PARAMETERS_, iws_##t *p, iw_##index_type index, iw_##l a, iw_pred some) \
{ \
  iws_##t values[IW_WARP_SIZE]; \
  IW_EACH_LANE_(k) values[k] = (iws_##t)a.e[k]; \
  const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, sizeof *p, index_32, index_64, index.undefined, \
                                a.owner | index.owner, values, a.undefined, some); \
  IW_EACH_LANE_(k) if (m >> k & 1) p[index.e[k]] = values[k]; \
}
#define IW_SCATTER_BITS(t, l) \
  IW_SCATTER_BITS_OF_(t, t, l, index.e, NULL, u32) IW_SCATTER_BITS_OF_(far_##t, t, l, NULL, index.e, u64)
IW_SCATTER_BITS(u8, u32) IW_SCATTER_BITS(u16, u32) IW_SCATTER_BITS(u32, u32) IW_SCATTER_BITS(u64, u64)

/* ---- Write-combining buffers and ranked scatter ---- */

enum { IW_MAX_WRITE_BUFFERS = 256 };
typedef struct { uint64_t to[IW_MAX_WRITE_BUFFERS]; void *out; } iw_write_buffers;   /* to: where the next element goes */

IW_FN void iw_write_buffers_open_(const iw_site *site, iw_write_buffers *buffers, void *out, const uint64_t *places, unsigned count)
{
  uint64_t undefined = 0;
  if (iw_access_strided_(site, sizeof buffers->out, IW_SIM_STORE, &buffers->out, sizeof out, 0, 1, iw_pred_(1, 0, 0), 0,
                         sizeof out, &undefined)) buffers->out = out;
  for (unsigned d = 0; d < count; d += IW_WARP_SIZE) {
    uint64_t x[IW_WARP_SIZE];
    const iw_pred some = iw_lanes_below((int64_t)count - d);
    uint64_t m = iw_access_strided_(site, SIZE_MAX, IW_SIM_LOAD, places, 8, d, 1, some, 0, 8, &undefined);
    IW_EACH_LANE_(l) x[l] = m >> l & 1 ? places[d + l] : 0;
    m = iw_access_strided_(site, sizeof buffers->to, IW_SIM_STORE, buffers->to, 8, d, 1, some, 0, 8, &undefined);
    IW_EACH_LANE_(l) if (m >> l & 1) buffers->to[d + l] = x[l];
  }
}
/* Where the lanes' elements go; advances the positions. Stable: positions ascend with the lanes. */
IW_FN iw_u64 iw_write_buffer_position_(const iw_site *site, uint64_t *to, iw_u32 index, iw_pred some)
{
  enum { BYTES = IW_MAX_WRITE_BUFFERS * sizeof *to };
  iw_u64 r;
  iw_count_(site, IW_SIM_VOTE, 1);
  iw_count_(site, IW_SIM_MATCH, 1);
  const uint64_t m = iw_loads_(site, BYTES, to, sizeof *to, index.e, NULL, index.undefined, index.owner, some, &r.undefined);
  (void)iw_stores_(site, BYTES, IW_SIM_STORE, to, sizeof *to, index.e, NULL, index.undefined, index.owner, NULL, r.undefined,
                   iw_leaders_(index.e, some, 0));
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? to[index.e[l]]++ : 0;
  r.owner = iw_self_();
  return r;
}
IW_FN void *iw_write_buffers_out_(const iw_site *site, const iw_write_buffers *buffers)
{
  uint64_t undefined;
  const uint64_t m = iw_access_strided_(site, sizeof buffers->out, IW_SIM_LOAD, &buffers->out, sizeof buffers->out, 0, 0,
                                        iw_pred_(IW_ALL_LANES_, 0, 0), 0, sizeof buffers->out, &undefined);
  iw_use_(site, undefined, 0, "the address");
  return m ? buffers->out : NULL;
}

#define IW_TYPE_SET (IW_SET_OF_WIDTHS | IW_SET_u128)
#define IW_TEMPLATE <isowarp/language/sim/scatter_of_width.h>
#include <isowarp/language/for_each_type.h>

#endif
