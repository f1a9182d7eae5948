/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: the segment heads of a row, and selection by them. Included by
 * row_segments.h.
 */
/* m[v]: the lanes whose element v is a head. A lane's heads are defined or not together. */
typedef struct { uint64_t m[ROW_VECTORS]; uint64_t undefined; uint32_t owner; } ROW_TYPE(heads);

IW_FN ROW_TYPE(heads) FN(row_heads)(IW_AT_PARAMETERS_, const uint32_t *bits, size_t at)
{
  ROW_TYPE(heads) h;
  uint32_t of[IW_WARP_SIZE];
  iw_row_load_bits_(IW_AT_, bits, at, ROW_VECTORS, 1, IW_FULL_ROW, of, &h.undefined);
  EACH_VECTOR(v) {
    h.m[v] = 0;
    IW_EACH_LANE_(l) h.m[v] |= (uint64_t)(of[l] >> v & 1) << l;
  }
  h.owner = iw_self_();
  return h;
}
IW_FN int FN(row_has_head)(const iw_site *site, ROW_TYPE(heads) h)
{
  uint64_t any = 0;
  iw_use_(site, h.undefined, h.owner, "the vote");
  iw_count_(site, IW_SIM_VOTE, 1);
  EACH_VECTOR(v) any |= h.m[v];
  return any != 0;
}
/* Whether element i is a head. */
IW_FN int IW_PASTE(FN(row_head_at), _)(const ROW_TYPE(heads) *h, int i)
{ return (int)(h->m[i % ROW_VECTORS] >> i / ROW_VECTORS & 1); }

/* The elements in front of the first head. They are not known from the first lane on whose heads are
 * undefined. */
IW_FN ROW_TYPE(heads) FN(row_carry_in)(ROW_TYPE(heads) h)
{
  uint64_t heads = 0;
  iw_count_(NULL, IW_SIM_VOTE, 1);
  EACH_VECTOR(v) heads |= h.m[v] & ~h.undefined;
  const uint64_t up_to = heads ? heads ^ (heads - 1) : IW_ALL_LANES_; /* the first lane that has a head, and those below */
  int open = 1;
  h.undefined = h.undefined ? ~((h.undefined & -h.undefined) - 1) & up_to : 0;
  for (int i = 0; i < ROW_LENGTH; i++) {
    open &= !IW_PASTE(FN(row_head_at), _)(&h, i);
    h.m[i % ROW_VECTORS] &= ~((uint64_t)1 << i / ROW_VECTORS);
    h.m[i % ROW_VECTORS] |= (uint64_t)open << i / ROW_VECTORS;
  }
  return h;
}

/* a at the heads, else b. */
IW_FN ROW FN(row_select)(ROW_TYPE(heads) h, ROW a, ROW b)
{
  for (int i = 0; i < ROW_LENGTH; i++) a.e[i] = IW_PASTE(FN(row_head_at), _)(&h, i) ? a.e[i] : b.e[i];
  EACH_VECTOR(v) a.undefined[v] = h.undefined | (h.m[v] & a.undefined[v]) | (~h.m[v] & b.undefined[v]);
  a.owner |= b.owner | h.owner;
  return a;
}
