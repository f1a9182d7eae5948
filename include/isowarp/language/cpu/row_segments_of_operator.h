/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator: segmented scan and reduction of a row,
 * by the same tree as without segments. Included by row_segments.h.
 */
#define ROW_WORDS ((ROW_LENGTH + 63) / 64)
#define EACH_WORD(w) IW_UNROLL for (int w = 0; w < ROW_WORDS; w++)

/* At the level of sibling blocks of d elements, an element takes its left sibling's last one unless there
 * is a head between the two. odd: the elements of right siblings. seen: the elements that have a head
 * between their block's first element and themselves, themselves included. */
IW_FN ROW OP_FN(row_segmented_prefix)(ROW x, ROW_TYPE(heads) h)
{
  uint64_t seen[ROW_WORDS];
  if (!FN(row_has_head)(h)) return OP_FN(row_inclusive_prefix)(x);
  EACH_WORD(w) seen[w] = h.m[w];
  IW_UNROLL for (int b = 0; 1 << b < ROW_LENGTH; b++) {
    const int d = 1 << b;
    const uint64_t odd = d < 64 ? UINT64_MAX / (((uint64_t)1 << (d & 63)) + 1) << (d & 63) : UINT64_MAX;
    uint64_t open[ROW_WORDS];
    EACH_WORD(w) open[w] = ~seen[w] & odd;
    EACH_VECTOR(v) EACH(i) {
      const REGISTER a = x.v[v].r[i];
      const int first = v * IW_WARP_SIZE + i * VL;
      if (d < (IW_WARP_SIZE < VL ? IW_WARP_SIZE : VL))
        x.v[v].r[i] = FN(row_blend)(open, first, OP_REGISTERS(VFN(left_sibling)(b, a), a), a);
      else if (first & d)
        x.v[v].r[i] = FN(row_blend)(open, first, OP_REGISTERS(FN(row_broadcast_last)(x, (first & -d) - 1),
                                                              a), a);
    }
    EACH_WORD(w) {
      if (d < 64) {
        const uint64_t end = seen[w] & odd >> 1 & ~odd;
        seen[w] |= (end << 1 << (d & 63)) - (end << 1);
      } else if (w & d / 64) seen[w] |= -(seen[(w & -(d / 64)) - 1] >> 63);
    }
  }
  return x;
}

/* The last element of that scan alone: everything in front of the last head is replaced by the identity. */
IW_FN SCALAR OP_FN(row_last_segment_reduce)(ROW x, ROW_TYPE(heads) h)
{
  const ROW identity = FN(row_splat)(IW_PASTE(IW_PASTE(IW_PASTE(iws_identity_, OP), _), T)());
  return OP_FN(row_reduce)(FN(row_select)(FN(row_before_last_head)(h), identity, x));
}

/* left op each element in front of the first head. */
IW_FN ROW OP_FN(row_carry_in)(SCALAR left, ROW x, ROW_TYPE(heads) h)
{
  if (!FN(row_has_head)(h)) return OP_FN(row)(left, x);
  return FN(row_select)(FN(row_carry_in)(h), OP_FN(row)(left, x), x);
}

#undef ROW_WORDS
#undef EACH_WORD
