/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the schedule rows_by_lanes.h, included once for each width of keys that is less than that of their
 * ranks: T is u8 or u16. Keys are copied to the upper bits of items in shared memory one by one, and back.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)
#define SHIFT (32 - 8 * (int)sizeof(SCALAR))

IW_FN void FN(load_runs)(const iw_block_sort_args *args, uint32_t *items, const block_sort_group *g)
{
  for (uint32_t lane = 0; lane < IW_BLOCK_SORT_LINE_BYTES / 4; lane++) { /* lanes that are not in use have keys, too */
    const block_sort_run of = block_sort_run_of(g, lane < g->lanes ? lane : g->lanes - 1);
    const SCALAR *const in = (const SCALAR *)args->keys + of.first;
    for (uint32_t i = 0; i < g->run; i++) items[i * IW_BLOCK_SORT_LINE_BYTES / 4 + lane] = i < of.length ? (uint32_t)in[i] << SHIFT : 0;
  }
}

IW_FN void FN(store_runs)(const iw_block_sort_args *args, const uint32_t *items, const block_sort_group *g)
{
  for (uint32_t lane = 0; lane < g->lanes; lane++) {
    const block_sort_run of = block_sort_run_of(g, lane);
    SCALAR *const out = (SCALAR *)args->arrays[0].out + of.first;
    for (uint32_t i = 0; i < of.length; i++) out[i] = (SCALAR)(items[i * IW_BLOCK_SORT_LINE_BYTES / 4 + lane] >> SHIFT);
  }
}

#undef FN
#undef SHIFT
