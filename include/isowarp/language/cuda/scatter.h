/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: what splits elements among many places: ranks by digit,
 * scatter without the warp's barrier, ranked scatter and write-combining buffers. On a GPU the L2 cache
 * combines writes, so a buffer here is only the position where its next element goes. Mirrors
 * language/cpu/scatter.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_SCATTER_H
#define ISOWARP_LANGUAGE_CUDA_SCATTER_H

#include <isowarp/language/cuda/atomics.h>

typedef struct { uint64_t half[2]; } iws_u128;
#define IW_MOVED(X) X(u8) X(u16) X(u32) X(u64) X(u128)

/* One table is enough: the hardware adds up lanes that have the same index. */
#define IW_COUNT_REPLICAS 1
IW_FN void iw_count_replicated_in(const iw_block *, uint32_t *counters, unsigned, iw_u32 index, iw_pred some)
{ if (iw_value_(some)) atomicAdd(counters + iw_value_(index), 1u); }

/* `bits` bits of each lane, from bit `at` on. Volatile, so that packed values stay packed until they are
 * used. */
IW_FN iw_u32 iw_bitfield_extract(iw_u32 a, unsigned at, unsigned bits)
{
  unsigned b;
  asm volatile("bfe.u32 %0,%1,%2,%3;" : "=r"(b) : "r"(iw_value_(a)), "r"(at), "r"(bits));
  return IW_LANE_(u32, b);
}

/* ---- Ranks by digit ---- */

/* Lanes with equal digits are found by ballots. If at most IW_RANK_MAX_VARYING_BITS bits differ somewhere in
 * the values, there is one for each of these bits, for IW_RANK_BATCH values at a time; else each value has
 * eight. */
enum { IW_RANK_BATCH = 16, IW_RANK_MAX_VARYING_BITS = 5 };

IW_FN unsigned iw_warp_or_(unsigned a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(IW_FULL_MASK_, a);
#else
  IW_UNROLL for (int d = 1; d < 32; d *= 2) a |= __shfl_xor_sync(IW_FULL_MASK_, a, d);
  return a;
#endif
}

/* The lanes that agree with this one in the bit. By predicates: for `set ? lanes : ~lanes` the compiler
 * builds words. */
IW_FN unsigned iw_match_bit_(unsigned word, unsigned bit)
{
  unsigned lanes;
  asm volatile("{ .reg .pred p; and.b32 %0,%1,%2; setp.ne.u32 p,%0,0; vote.sync.ballot.b32 %0,p,0xffffffff; @!p not.b32 %0,%0; }"
               : "=r"(lanes) : "r"(word), "r"(bit));
  return lanes;
}

/* 0xffffffff as a number that ptxas does not know: it inverts by a multiplication and an addition with it
 * (iw_match_digit_). */
IW_FN unsigned iw_all_ones_(unsigned any)
{
  unsigned ones;
  asm volatile("{ .reg .pred p; setp.eq.u32 p,%1,%1; vote.sync.ballot.b32 %0,p,0xffffffff; }" : "=r"(ones) : "r"(any));
  return ones;
}

/* The lanes that have this lane's digit, of 8 bits, as two masks: those that agree in the first seven
 * bits, and in the last one. iw_rank_one_ combines both with a third mask by one logic operation of three
 * operands. Ballots are inverted by multiplications, as ranking waits for the pipeline of logic
 * operations: with logic operations multisplit_move takes 11% longer on an H100. With one statement for
 * each bit ptxas moves seven bits to predicates by one instruction, R2P. */
typedef struct { unsigned seven, last; } iw_matched_;
IW_FN iw_matched_ iw_match_digit_(unsigned digit, unsigned ones)
{
  unsigned x[8];
  iw_matched_ same;
  IW_UNROLL for (unsigned b = 0; b < 8; b++)
    asm volatile("{ .reg .pred p; and.b32 %0,%1,%2; setp.ne.u32 p,%0,0; vote.sync.ballot.b32 %0,p,0xffffffff; @!p mad.lo.u32 %0,%0,%3,%3; }"
                 : "=&r"(x[b]) : "r"(digit), "r"(1u << b), "r"(ones));
  asm("lop3.b32 %0,%1,%2,%3,0x80; lop3.b32 %0,%0,%4,%5,0x80; lop3.b32 %0,%0,%6,%7,0x80;"
      : "=&r"(same.seven) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]));
  same.last = x[7];
  return same;
}

/* A counter in shared memory, at this address. */
IW_FN unsigned iw_shared_load_(uint32_t address)
{
  unsigned value;
  asm volatile("ld.shared.u32 %0,[%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

/* same: the lanes with this lane's counter, which was `first`. The last of them updates it. upto: this lane
 * and those before. */
IW_FN unsigned iw_rank_one_(uint32_t address, unsigned first, iw_matched_ same, unsigned upto)
{
  unsigned before, after = same.seven & same.last & ~upto; /* nvcc makes one operation of this and of p below */
  asm("lop3.b32 %0,%1,%2,%3,0x80;" : "=r"(before) : "r"(same.seven), "r"(same.last), "r"(upto));
  const unsigned next = first + (unsigned)__popc(before);
  __syncwarp();
  asm volatile("{ .reg .pred p; setp.eq.u32 p,%0,0; @p st.shared.u32 [%1],%2; }" :: "r"(after), "r"(address), "r"(next) : "memory");
  __syncwarp();
  return next - 1;
}

/* iw_rank_in by (word >> shift) & mask, a digit of at most 8 bits, of `count` lane values one after the
 * other. The time does not depend on how the digits are distributed. */
IW_FN void iw_rank_digits_in(uint32_t *counters, const iw_u32 *words, unsigned shift, uint32_t mask,
    iw_u32 *ranks, int count)
{
  const unsigned one = __shfl_sync(IW_FULL_MASK_, iw_value_(words[0]), 0), upto = (2u << iw_lane_()) - 1;
  const uint32_t base = iw_shared_address_(counters);
  unsigned vary = 0;
  IW_UNROLL for (int k = 0; k < count; k++) vary |= iw_value_(words[k]) ^ one;
  vary = iw_warp_or_(vary) & mask << shift;
  __syncwarp();                                /* orders what the lanes did to the counters before */
#define IW_DIGIT_(k) (iw_value_(words[k]) >> shift & mask)
  if (__popc(vary) > IW_RANK_MAX_VARYING_BITS) {
    const unsigned ones = iw_all_ones_(one);
    unsigned digit = IW_DIGIT_(0);
    iw_matched_ same = iw_match_digit_(digit, ones);
    IW_UNROLL for (int k = 0; k < count; k++) { /* matches an item while the counter of the one before is loaded */
      const uint32_t address = base + 4 * digit;
      const unsigned first = iw_shared_load_(address);
      const iw_matched_ own = same;
      if (k + 1 < count) same = iw_match_digit_(digit = IW_DIGIT_(k + 1), ones);
      ranks[k] = IW_LANE_(u32, iw_rank_one_(address, first, own, upto));
    }
  } else
    IW_UNROLL for (int k = 0; k < count; k += IW_RANK_BATCH) {
      unsigned same[IW_RANK_BATCH];
      const int batch = count - k < IW_RANK_BATCH ? count - k : IW_RANK_BATCH;
      IW_UNROLL for (int i = 0; i < batch; i++) same[i] = IW_FULL_MASK_;
      for (unsigned rest = vary; rest; rest &= rest - 1)
        IW_UNROLL for (int i = 0; i < batch; i++)
          same[i] &= iw_match_bit_(iw_value_(words[k + i]), rest & (0 - rest));
      IW_UNROLL for (int i = 0; i < batch; i++) {
        const uint32_t address = base + 4 * IW_DIGIT_(k + i);
        const iw_matched_ own = { same[i], IW_FULL_MASK_ };
        ranks[k + i] = IW_LANE_(u32, iw_rank_one_(address, iw_shared_load_(address), own, upto));
      }
    }
#undef IW_DIGIT_
}

/* ---- Scatter without the warp's barrier: no lane may read what was written before the phase ends ---- */

#define IW_SCATTER_BITS(t, l) \
  IW_FN void iw_scatter_bits_##t(iws_##t *p, iw_u32 index, iw_##l a, iw_pred some) \
  { if (iw_value_(some)) p[iw_value_(index)] = (iws_##t)iw_value_(a); } \
  IW_FN void iw_scatter_bits_far_##t(iws_##t *p, iw_u64 index, iw_##l a, iw_pred some) \
  { if (iw_value_(some)) __stcs(p + iw_value_(index), (iws_##t)iw_value_(a)); }
/* iw_scatter_bits to shared memory. nvcc would compute the address anew in a branch around each store. */
#define IW_HAS_SCATTER_BITS_SHARED
IW_FN void iw_scatter_bits_shared_u16(uint16_t *p, iw_u32 index, iw_u32 a, iw_pred some)
{
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q st.shared.u16 [%1], %2; }"
               :: "r"((unsigned)iw_value_(some)), "r"(iw_shared_address_(p) + 2 * iw_value_(index)),
               "h"((unsigned short)iw_value_(a)) : "memory");
}

IW_SCATTER_BITS(u8, u32) IW_SCATTER_BITS(u16, u32) IW_SCATTER_BITS(u32, u32) IW_SCATTER_BITS(u64, u64)

/* ---- Write-combining buffers and ranked scatter ---- */

enum { IW_MAX_WRITE_BUFFERS = 256 };
typedef struct { uint64_t to[IW_MAX_WRITE_BUFFERS]; void *out; } iw_write_buffers;   /* to: where the next element goes */

/* Where this lane's element goes; advances the positions. Stable: positions ascend with the lanes. */
IW_FN uint64_t iw_write_buffer_position_(uint64_t *to, iw_u32 index, iw_pred some)
{
  const unsigned same = __match_any_sync(IW_FULL_MASK_, iw_value_(index))
      & __ballot_sync(IW_FULL_MASK_, iw_value_(some));
  const unsigned below = (unsigned)__popc(same & iw_lanes_below_mask_());
  const uint64_t first = iw_value_(some) ? to[iw_value_(index)] : 0;
  __syncwarp();
  if (iw_value_(some) && below == 0) to[iw_value_(index)] = first + (unsigned)__popc(same);
  __syncwarp();
  return first + below;
}

template <class S>
IW_FN void iw_write_buffers_open_(iw_write_buffers *buffers, S *out, const uint64_t *places, unsigned count)
{
  if (iw_lane_() == 0) buffers->out = out;
  for (unsigned d = iw_lane_(); d < count; d += 32) buffers->to[d] = places[d];
  __syncwarp();
}

template <class S>
IW_FN void iw_write_buffer_append_(iw_write_buffers *buffers, const S *in, iw_u32 index, iw_pred some)
{
  const uint64_t place = iw_write_buffer_position_(buffers->to, index, some);
  if (iw_value_(some)) ((S *)buffers->out)[place] = in[iw_lane_()];
}

template <class S>
IW_FN void iw_scatter_ranked_(S *out, uint32_t *counters, const S *in, iw_u32 index, iw_pred some)
{
  const iw_u32 at = iw_rank_in(counters, index, some);
  if (iw_value_(some)) out[iw_value_(at)] = in[iw_lane_()];
}

#define IW_WRITE_BUFFER_OF(t) \
  IW_FN void iw_write_buffers_open_##t(iw_write_buffers *buffers, iws_##t *out, const uint64_t *places, \
      unsigned count, int) \
  { iw_write_buffers_open_<iws_##t>(buffers, out, places, count); } \
  IW_FN void iw_write_buffer_append_##t(iw_write_buffers *buffers, const iws_##t *in, iw_u32 index, \
      iw_pred some) \
  { iw_write_buffer_append_<iws_##t>(buffers, in, index, some); } \
  IW_FN void iw_write_buffer_append_both_##t(iw_write_buffers *p, const iws_##t *in_p, iw_u32 index_p, \
                                             iw_write_buffers *q, const iws_##t *in_q, iw_u32 index_q) \
  { \
    iw_write_buffer_append_<iws_##t>(p, in_p, index_p, IW_LANE_(pred, true)); \
    iw_write_buffer_append_<iws_##t>(q, in_q, index_q, IW_LANE_(pred, true)); \
  } \
  IW_FN void iw_write_buffers_close_##t(iw_write_buffers *, unsigned) { __syncwarp(); } \
  IW_FN void iw_scatter_ranked_##t(iws_##t *out, uint32_t *counters, const iws_##t *in, iw_u32 index, \
      iw_pred some) \
  { iw_scatter_ranked_<iws_##t>(out, counters, in, index, some); }
IW_MOVED(IW_WRITE_BUFFER_OF)

#endif
