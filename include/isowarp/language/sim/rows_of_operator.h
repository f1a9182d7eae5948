/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator: the tree over a row. A lane's part is
 * a subtree of the tree over the row's elements. Included by rows.h.
 */
#define ROW_LEVELS (sizeof(SCALAR) == 4 ? IW_LOG_WARP + 2 : IW_LOG_WARP + 1)
/* left op each element. */
IW_FN ROW OP_FN(row)(SCALAR left, ROW x)
{ for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = OP_SCALARS(left, x.e[i]); return x; }

/* The first `levels` levels: an element is combined of all elements in front of it in its block of
 * 2^levels. */
IW_FN ROW OP_FN(row_block_prefix)(ROW x, int levels)
{
  const int length = 1 << levels < ROW_LENGTH ? 1 << levels : ROW_LENGTH;
  for (int d = ROW_VECTORS; d < length; d *= 2) iw_count_(NULL, IW_SIM_SHUFFLE, (unsigned)(sizeof(SCALAR) / 4));
  for (int d = 1; d < length; d *= 2)
    for (int first = d; first < ROW_LENGTH; first += 2 * d)
      for (int i = first; i < first + d; i++) x.e[i] = OP_SCALARS(x.e[first - 1], x.e[i]);
  if (IW_PASTE(FN(row_undefined), _)(&x)) {
    int any = 0;
    for (int i = 0; i < ROW_LENGTH; i++) {
      any = IW_PASTE(FN(row_undefined_at), _)(&x, i) || (any && i % length);
      x.undefined[i % ROW_VECTORS] |= (uint64_t)any << i / ROW_VECTORS;
    }
  }
  return x;
}
IW_FN ROW OP_FN(row_inclusive_prefix)(ROW x) { return OP_FN(row_block_prefix)(x, ROW_LEVELS); }

/* The last element of that scan alone. */
IW_FN SCALAR OP_FN(row_reduce)(const iw_site *site, ROW x)
{
  iw_use_(site, IW_PASTE(FN(row_undefined), _)(&x), x.owner, "the reduction");
  iw_count_(site, IW_SIM_SHUFFLE, IW_LOG_WARP * (unsigned)(sizeof(SCALAR) / 4));
  for (int n = ROW_LENGTH / 2; n > 0; n /= 2)
    for (int i = 0; i < n; i++) x.e[i] = OP_SCALARS(x.e[2 * i], x.e[2 * i + 1]);
  return x.e[0];
}
#undef ROW_LEVELS
