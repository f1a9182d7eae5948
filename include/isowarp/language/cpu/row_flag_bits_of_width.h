/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u32 or u64: flags that come from predicates and bytes and go to bit arrays, and rows of
 * consecutive integers. Included by row_flags.h.
 */
IW_FN ROW_TYPE(view) FN(row_iota)(uint64_t first) { ROW_TYPE(view) x = { 0, 0, first }; return x; }
IW_FN void FN(row_set_vector_flags)(ROW_TYPE(flag_set) *flags, int k, int v, iw_pred p) {
    flags->m[k].m[v] = p.m; }

IW_FN void FN(row_store_flags)(uint32_t *bits, size_t at, ROW_TYPE(flag_set) flags, int rows)
{
  for (int k = 0; k < rows; k++)
    EACH_VECTOR(v) bits[at / 32 + (size_t)(k * ROW_VECTORS + v)] = (uint32_t)flags.m[k].m[v];
}

/* Flags that are bytes in memory, set if not 0. */
typedef struct { const uint8_t *p; int64_t valid; } ROW_TYPE(flags_pending);
IW_FN ROW_TYPE(flags_pending) FN(row_issue_flags)(const uint8_t *p, int64_t valid)
{ ROW_TYPE(flags_pending) f = { p, valid }; return f; }
IW_FN ROW_TYPE(flags) FN(row_wait_flags)(ROW_TYPE(flags_pending) f)
{
  ROW_TYPE(flags) m;
  EACH_VECTOR(v)
    m.m[v] = (iw_bits)iw_ballot_u8(f.p + v * IW_WARP_SIZE, iw_lanes_below(f.valid - v * IW_WARP_SIZE));
  return m;
}
