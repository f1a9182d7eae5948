/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the schedule buckets_by_lanes.h, included once for each width of elements: T is u8, u16, u32, u64
 * or u128.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)

/* Moves elements from their places `from` to `at` and the following. Of an array without input these are
 * their places. */
IW_NOINLINE_FN void FN(take)(const iw_move_array *moved, uint64_t at, const uint32_t *from, uint64_t count)
{
  const SCALAR *const in = (const SCALAR *)moved->in;
  SCALAR *const out = (SCALAR *)moved->out + at;
  if (in) for (uint64_t i = 0; i < count; i++) out[i] = in[from[i]];
  else if (sizeof(SCALAR) == 8) for (uint64_t i = 0; i < count; i++) ((uint64_t *)(void *)out)[i] = from[i];
  else memcpy(out, from, count * sizeof *from);
}

#undef FN
