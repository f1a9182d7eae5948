/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, a type of 1 or 2 bytes, whose lanes have 4: rows that stay in memory, and are loaded
 * vector by vector when they are used. Included by rows.h.
 */
typedef struct { const SCALAR *p; int64_t valid; } ROW;
typedef ROW ROW_TYPE(pending);

IW_FN ROW_TYPE(pending) FN(row_issue)(const SCALAR *p, int64_t valid) { ROW c = { p, valid }; return c; }
IW_FN ROW FN(row_wait)(ROW_TYPE(pending) c)
{
  if (c.valid >= ROW_LENGTH)
    IW_UNROLL for (int i = 0; i < 16 * IW_WARP_SIZE;
                   i += 64) __builtin_prefetch((const char *)c.p + IW_PREFETCH_DISTANCE + i);
  return c;
}
IW_FN LANES FN(row_vector)(ROW x, int v)
{ return FN(load)(x.p + v * IW_WARP_SIZE, iw_lanes_below(x.valid - v * IW_WARP_SIZE)); }
IW_FN iw_pred FN(row_valid)(int v, int64_t valid) { return iw_lanes_below(valid - v * IW_WARP_SIZE); }
