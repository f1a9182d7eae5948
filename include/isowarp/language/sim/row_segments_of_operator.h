/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator: segmented scan and reduction of a row,
 * by the same tree as without segments. Included by row_segments.h.
 */
/* At the level of sibling blocks of d elements, an element takes its left sibling's last one unless there
 * is a head between the two. head: where the element's segment begins, -1 in front of the row. */
IW_FN ROW OP_FN(row_segmented_prefix)(ROW x, ROW_TYPE(heads) h)
{
  int head[ROW_LENGTH];
  iw_count_(NULL, IW_SIM_VOTE, 1);
  iw_count_(NULL, IW_SIM_SHUFFLE, IW_LOG_WARP * (unsigned)(sizeof(SCALAR) / 4));
  for (int i = 0, last = -1; i < ROW_LENGTH; i++) head[i] = last = IW_PASTE(FN(row_head_at), _)(&h, i) ? i : last;
  for (int d = 1; d < ROW_LENGTH; d *= 2)
    for (int first = d; first < ROW_LENGTH; first += 2 * d)
      for (int i = first; i < first + d && head[i] < first; i++) x.e[i] = OP_SCALARS(x.e[first - 1], x.e[i]);
  x.owner |= h.owner;
  if (h.undefined || IW_PASTE(FN(row_undefined), _)(&x)) {
    int any = 0;
    for (int i = 0; i < ROW_LENGTH; i++) {
      const int known = !(h.undefined >> i / ROW_VECTORS & 1);
      if (known && head[i] == i) any = 0;
      any |= !known || IW_PASTE(FN(row_undefined_at), _)(&x, i);
      x.undefined[i % ROW_VECTORS] |= (uint64_t)any << i / ROW_VECTORS;
    }
  }
  return x;
}

/* The last element of that scan. */
IW_FN SCALAR OP_FN(row_last_segment_reduce)(const iw_site *site, ROW x, ROW_TYPE(heads) h)
{ return FN(row_last)(site, OP_FN(row_segmented_prefix)(x, h)); }

/* left op each element in front of the first head; the others stay. */
IW_FN ROW OP_FN(row_carry_in)(SCALAR left, ROW x, ROW_TYPE(heads) h)
{ return FN(row_select)(FN(row_carry_in)(h), OP_FN(row)(left, x), x); }
