/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the four integer types, and OP, which is add, exchange, min or max: one operation
 * of a warp's lanes, in ascending order. Included by atomics_of_integer.h.
 */

IW_FN LANES OP_FN(global)(const iw_block *block, SCALAR *p, iw_u32 index, LANES value, iw_pred some)
{
  SCALAR x[PADDED], old[PADDED] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  (void)block;
  FN(to_array)(x, value);
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m);
  old[l] = OP_FN(fetch)(p + at[l], x[l]); }
  return FN(from_array)(old);
}

IW_FN LANES OP_FN(shared)(const iw_block *block, SCALAR *p, iw_u32 index, LANES value, iw_pred some)
{
  SCALAR x[PADDED], old[PADDED] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  FN(to_array)(x, value);
  iw_to_array_u32(at, index);
  if (block->is_team)
    for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m);
    old[l] = OP_FN(fetch)(p + at[l], x[l]); }
  else if (some.m == IW_ALL_LANES) {
    __asm__("" : "+m"(x), "+m"(at)); /* or gcc takes each lane from its register (doc/design/cpu.md#indices-of-lanes) */
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) {
      old[l] = p[at[l]];
      p[at[l]] = OP_FN(after)(old[l], x[l]);
    }
  }
  else for (iw_bits m = some.m; m; m &= m - 1) {
    const unsigned l = iw_lowest(m);
    old[l] = p[at[l]];
    p[at[l]] = OP_FN(after)(old[l], x[l]);
  }
  return FN(from_array)(old);
}

