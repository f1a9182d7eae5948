/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: the segment heads of a row, and selection by them. Included by
 * row_segments.h.
 */
#define ROW_WORDS ((ROW_LENGTH + 63) / 64)
#define EACH_WORD(w) IW_UNROLL for (int w = 0; w < ROW_WORDS; w++)

typedef struct { uint64_t m[ROW_WORDS]; } ROW_TYPE(heads);

/* Bits at … of a bit array; `at` is a multiple of the row's length. */
IW_FN ROW_TYPE(heads) FN(row_heads)(const uint32_t *bits, size_t at)
{
  ROW_TYPE(heads) h;
  const uint32_t *const p = bits + at / 32;
  if (ROW_LENGTH < 64) h.m[0] = p[0] >> at % 32 & (((uint64_t)1 << (ROW_LENGTH & 63)) - 1);
  else EACH_WORD(w) h.m[w] = p[2 * w] | (uint64_t)p[2 * w + 1] << 32;
  return h;
}

IW_FN int FN(row_has_head)(ROW_TYPE(heads) h)
{
  uint64_t any = 0;
  EACH_WORD(w) any |= h.m[w];
  return any != 0;
}

/* The elements in front of the first head: those that take a carry-in. */
IW_FN ROW_TYPE(heads) FN(row_carry_in)(ROW_TYPE(heads) h)
{
  uint64_t open = UINT64_MAX;
  EACH_WORD(w) { const uint64_t m = h.m[w]; h.m[w] = (m - 1) & ~m & open; open = m ? 0 : open; }
  return h;
}

/* The elements in front of the last head. */
IW_FN ROW_TYPE(heads) FN(row_before_last_head)(ROW_TYPE(heads) h)
{
  uint64_t past = 0;
  IW_UNROLL for (int w = ROW_WORDS - 1; w >= 0; w--) {
    const uint64_t m = h.m[w];
    h.m[w] = past | (m ? ((uint64_t)1 << iw_highest(m)) - 1 : 0);
    past = m ? UINT64_MAX : past;
  }
  return h;
}

/* Register i of vector v from a where `words` has a bit set, else from b. `first` is that register's
 * first element. */
IW_FN REGISTER FN(row_blend)(const uint64_t *words, int first, REGISTER a, REGISTER b)
{ return VFN(blend)(VFN(mask_from_word)(words[first / 64], first % 64), a, b); }

IW_FN ROW FN(row_select)(ROW_TYPE(heads) h, ROW a, ROW b)
{
  EACH_VECTOR(v) EACH(i)
    a.v[v].r[i] = FN(row_blend)(h.m, v * IW_WARP_SIZE + i * VL, a.v[v].r[i], b.v[v].r[i]);
  return a;
}

/* The last lane of the register that contains the element, in every lane. */
IW_FN REGISTER FN(row_broadcast_last)(ROW x, int element)
{
  const LANES a = x.v[element / IW_WARP_SIZE];
  return IW_WARP_SIZE < VL ? VFN(set1)(FN(last)(a)) : VFN(broadcast_last)(a.r[element % IW_WARP_SIZE / VL]);
}

#undef ROW_WORDS
#undef EACH_WORD
