/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the schedule rows_by_lanes.h, included once for each width of keys: T is u8, u16, u32 or u64. The
 * keys of rows from element `first` on are copied to shared memory, where item i of all lanes is side by
 * side, and back.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)
#define ITEM IW_PASTE(iws_, IW_PASTE(IW_LANES_FOR_, T))

/* Each lane has a run of a row; where the last one of a row is shorter, its items are 0 behind its end. */
IW_FN void FN(rows_in)(const iw_block_sort_args *args, ITEM *items, uint64_t first, uint32_t rows)
{
  const uint32_t columns = (uint32_t)args->columns, run = (uint32_t)args->run;
  const SCALAR *in = (const SCALAR *)args->keys + first;
  for (uint32_t r = 0, lane = 0; r < rows; r++, in += columns)
    for (uint32_t begin = 0; begin < columns; begin += run, lane++) {
      const SCALAR *const end = in + (columns - begin < run ? columns : begin + run);
      ITEM *item = items + lane, *const behind = item + run * IW_WARP_SIZE;
      for (const SCALAR *key = in + begin; key < end; key++, item += IW_WARP_SIZE) *item = *key;
      for (; item < behind; item += IW_WARP_SIZE) *item = 0;
    }
}

/* Of rows of one run each. */
IW_FN void FN(rows_out)(const iw_block_sort_args *args, const ITEM *items, uint64_t first, uint32_t rows)
{
  const uint32_t columns = (uint32_t)args->columns;
  SCALAR *out = (SCALAR *)args->arrays[0].out + first;
  for (uint32_t r = 0; r < rows; r++) {
    const ITEM *item = items + r;
    for (SCALAR *const end = out + columns; out < end; out++, item += IW_WARP_SIZE) *out = (SCALAR)*item;
  }
}

IW_FN void FN(row_out)(const iw_block_sort_args *args, const ITEM *row, uint64_t first)
{
  SCALAR *const out = (SCALAR *)args->arrays[0].out + first;
  for (uint32_t i = 0; i < (uint32_t)args->columns; i++) out[i] = (SCALAR)row[i];
}

#undef FN
#undef ITEM
