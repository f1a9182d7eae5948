/* SPDX-License-Identifier: Apache-2.0
 *
 * Cooperative groups: thread blocks, tiles of a warp, coalesced threads, the grid.
 */
#ifndef ISOWARP_CUDA_COOPERATIVE_GROUPS_H
#define ISOWARP_CUDA_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"

#define IW_GROUP IW_OP inline
namespace cooperative_groups {

namespace iw {
inline unsigned thread_of_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned block_of_grid() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
inline IW_QUIET unsigned vote(unsigned mask, int p, void *pc)
{
  unsigned r;
  iw_simt_warp(IW_SIMT_BALLOT, mask, &p, sizeof p, 0, &r, pc);
  return r;
}
inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
}

class thread_block {
public:
  static constexpr unsigned iw_block = 1;
  IW_GROUP void sync() const { iw_simt_barrier(IW_SIMT_PLAIN, 0, IW_PC); }
  static IW_GROUP void sync_static() { iw_simt_barrier(IW_SIMT_PLAIN, 0, IW_PC); }
  unsigned thread_rank() const { return iw::thread_of_block(); }
  unsigned size() const { return iw::threads_of_block(); }
  unsigned num_threads() const { return size(); }
  dim3 group_index() const { return blockIdx; }
  dim3 thread_index() const { return threadIdx; }
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
  bool is_valid() const { return true; }
};
inline thread_block this_thread_block() { return {}; }
/* Memory that tiles of more than a warp need elsewhere. */
template <unsigned Threads = 1024> struct block_tile_memory {};
template <unsigned Threads> thread_block this_thread_block(block_tile_memory<Threads> &) { return {}; }

class grid_group {
public:
  IW_GROUP void sync() const { iw_simt_grid_barrier(IW_PC); }
  unsigned long long thread_rank() const { return (unsigned long long)iw::block_of_grid() * iw::threads_of_block() + iw::thread_of_block(); }
  unsigned long long size() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * iw::threads_of_block(); }
  unsigned long long num_threads() const { return size(); }
  unsigned block_rank() const { return iw::block_of_grid(); }
  unsigned num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
  dim3 group_dim() const { return gridDim; }
  dim3 dim_blocks() const { return gridDim; }
  dim3 block_index() const { return blockIdx; }
  bool is_valid() const { return true; }
};
inline grid_group this_grid() { return {}; }

/* Lanes of a warp: a tile has `size` neighbours, coalesced threads those of a mask. */
class iw_lanes {
protected:
  unsigned mask, first, count;
  unsigned lane_of(unsigned rank) const
  {
    unsigned m = mask;
    for (; rank > 0; rank--)
      m &= m - 1;
    return m ? (unsigned)__builtin_ctz(m) : iw_simt_lane();
  }
  /* Bits of lanes as bits of ranks. */
  unsigned packed(unsigned lanes) const
  {
    unsigned r = 0, k = 0;
    for (unsigned m = mask; m; m &= m - 1, k++)
      r |= (lanes >> __builtin_ctz(m) & 1) << k;
    return r;
  }
  template <class T> static IW_QUIET T shuffle(unsigned mask, const T &v, unsigned from, void *pc)
  {
    T r = v, mine = v;
    iw_simt_warp(IW_SIMT_SHUFFLE, mask, &mine, sizeof mine, from, &r, pc);
    return r;
  }
public:
  iw_lanes(unsigned mask, unsigned count) : mask(mask), first(0), count(count) {}
  unsigned iw_mask() const { return mask; }
  unsigned thread_rank() const { return (unsigned)__builtin_popcount(mask & ((1u << iw_simt_lane()) - 1)); }
  unsigned size() const { return count; }
  unsigned num_threads() const { return count; }
  bool is_valid() const { return true; }
  IW_OP void sync() const { iw_simt_warp(IW_SIMT_SYNC, mask, 0, 0, 0, 0, IW_PC); }
  IW_OP int any(int p) const { return iw::vote(mask, p, IW_PC) != 0; }
  IW_OP int all(int p) const { return iw::vote(mask, !p, IW_PC) == 0; }
  IW_OP unsigned ballot(int p) const { return packed(iw::vote(mask, p, IW_PC)); }
  template <class T> IW_OP T shfl(T v, unsigned from) const { return shuffle(mask, v, lane_of(from % count), IW_PC); }
  template <class T> IW_OP T shfl_down(T v, unsigned delta) const
  {
    const unsigned rank = thread_rank();
    return shuffle(mask, v, lane_of(rank + delta < count ? rank + delta : rank), IW_PC);
  }
  template <class T> IW_OP T shfl_up(T v, unsigned delta) const
  {
    const unsigned rank = thread_rank();
    return shuffle(mask, v, lane_of(rank >= delta ? rank - delta : rank), IW_PC);
  }
  template <class T> IW_OP T shfl_xor(T v, unsigned with) const { return shuffle(mask, v, lane_of((thread_rank() ^ with) % count), IW_PC); }
  template <class T> IW_OP unsigned match_any(T v) const
  {
    unsigned present;
    return packed(iw_simt::equal_lanes(mask, v, &present, IW_PC));
  }
};

template <unsigned Size, class Parent = void> class thread_block_tile : public iw_lanes {
public:
  thread_block_tile() : iw_lanes((unsigned)((1ull << Size) - 1) << iw_simt_lane() / Size * Size, Size) {}
  template <class Other> thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
  unsigned meta_group_rank() const { return iw::thread_of_block() / Size; }
  unsigned meta_group_size() const { return (iw::threads_of_block() + Size - 1) / Size; }
};
template <unsigned Size, class G> thread_block_tile<Size, G> tiled_partition(const G &) { return {}; }

class coalesced_group : public iw_lanes {
public:
  explicit coalesced_group(unsigned mask) : iw_lanes(mask, (unsigned)__builtin_popcount(mask)) {}
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }
};
IW_GROUP coalesced_group coalesced_threads() { return coalesced_group(iw_simt_active_mask(IW_PC)); }
template <class G> IW_OP coalesced_group binary_partition(const G &g, bool p)
{
  const unsigned r = iw::vote(g.iw_mask(), p, IW_PC);
  return coalesced_group(p ? r : g.iw_mask() & ~r);
}
template <class G, class T> IW_OP coalesced_group labeled_partition(const G &g, T label)
{
  unsigned present;
  return coalesced_group(iw_simt::equal_lanes(g.iw_mask(), label, &present, IW_PC));
}
/* A group whose size is known when it runs. */
class thread_group {
  unsigned mask;              /* 0: the block */
public:
  thread_group(const thread_block &) : mask(0) {}
  thread_group(const iw_lanes &g) : mask(g.iw_mask()) {}
  IW_GROUP void sync() const
  {
    if (mask)
      iw_simt_warp(IW_SIMT_SYNC, mask, 0, 0, 0, 0, IW_PC);
    else
      iw_simt_barrier(IW_SIMT_PLAIN, 0, IW_PC);
  }
  unsigned size() const { return mask ? (unsigned)__builtin_popcount(mask) : iw::threads_of_block(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return mask ? (unsigned)__builtin_popcount(mask & ((1u << iw_simt_lane()) - 1)) : iw::thread_of_block(); }
};
inline thread_group tiled_partition(const thread_group &, unsigned size)
{
  return iw_lanes((unsigned)((1ull << size) - 1) << iw_simt_lane() / size * size, size);
}

template <class G> IW_OP inline void sync(const G &g) { g.sync(); }
IW_GROUP void sync(const thread_block &) { iw_simt_barrier(IW_SIMT_PLAIN, 0, IW_PC); }
IW_GROUP void sync(const grid_group &) { iw_simt_grid_barrier(IW_PC); }

/* ---- Reductions and scans of a tile ---- */

#define IW_FUNCTION(name, expression) \
  template <class T = void> struct name { template <class U> U operator()(U a, U b) const { return expression; } };
IW_FUNCTION(plus, a + b) IW_FUNCTION(less, b < a ? b : a) IW_FUNCTION(greater, b > a ? b : a)
IW_FUNCTION(bit_and, a & b) IW_FUNCTION(bit_or, a | b) IW_FUNCTION(bit_xor, a ^ b)
#undef IW_FUNCTION
template <class G, class T, class F> IW_OP T reduce(const G &g, T v, F f) { return iw_simt::reduce(g.iw_mask(), v, f, IW_PC); }
#define IW_SCAN(name, of) \
  template <class G, class T, class F> IW_OP T name(const G &g, T v, F f) \
  { return iw_simt::reduce(g.iw_mask(), v, f, IW_PC, (unsigned)of); } \
  template <class G, class T> IW_OP T name(const G &g, T v) \
  { return iw_simt::reduce(g.iw_mask(), v, plus<T>(), IW_PC, (unsigned)of); }
IW_SCAN(inclusive_scan, ((2ull << iw_simt_lane()) - 1)) IW_SCAN(exclusive_scan, ((1ull << iw_simt_lane()) - 1))
#undef IW_SCAN

}
#undef IW_GROUP

#endif
