/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator: the tree over a row. Included by
 * row_operators.h.
 */
/* left op each element. */
IW_FN ROW OP_FN(row)(SCALAR left, ROW x)
{
  const LANES l = FN(splat)(left);
  EACH_VECTOR(v) EACH(i) x.v[v].r[i] = OP_REGISTERS(l.r[i], x.v[v].r[i]);
  return x;
}

IW_FN REGISTER OP_FN(row_broadcast_last)(LANES a)
{ return IW_WARP_SIZE < VL ? VFN(set1)(FN(last)(a)) : VFN(broadcast_last)(a.r[VECTORS - 1]); }

/* The tree over a row: within each vector, then over the vectors. */
IW_FN ROW OP_FN(row_inclusive_prefix)(ROW x)
{
  EACH_VECTOR(v) IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[v] = OP_FN(level)(x.v[v], b);
  IW_UNROLL for (int d = 1; d < ROW_VECTORS; d *= 2) EACH_VECTOR(v) if (v & d) {
    const REGISTER left = OP_FN(row_broadcast_last)(x.v[(v & ~(2 * d - 1)) + d - 1]);
    EACH(i) x.v[v].r[i] = OP_REGISTERS(left, x.v[v].r[i]);
  }
  return x;
}

/* The last element of that tree alone: neighbours are combined pair by pair, in half as many registers
 * each time. step: see iwv_evens_T. */
IW_FN REGISTER OP_FN(row_combine_pairs)(int step, REGISTER a, REGISTER b)
{ return OP_REGISTERS(VFN(evens)(step, a, b), VFN(odds)(step, a, b)); }
IW_FN SCALAR OP_FN(row_reduce)(ROW x)
{
  REGISTER a[ROW_VECTORS * VECTORS];
  SCALAR e[VL];
  int step = 0;
  if (IW_WARP_SIZE < VL) return FN(row_last)(OP_FN(row_inclusive_prefix)(x));
  EACH_VECTOR(v) EACH(i) a[v * VECTORS + i] = x.v[v].r[i];
  IW_UNROLL for (int k = ROW_VECTORS * VECTORS / 2; k > 0; k /= 2, step++)
    IW_UNROLL for (int i = 0; i < k; i++) a[i] = OP_FN(row_combine_pairs)(step, a[2 * i], a[2 * i + 1]);
  IW_UNROLL for (int k = VL; k > 1; k /= 2, step++) a[0] = OP_FN(row_combine_pairs)(step, a[0], a[0]);
  VFN(store)(e, a[0]);
  return e[0];
}
