/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: shuffles, and folds by an operator on scalars. Included by
 * shuffles.h.
 */
/* The instructions that move a lane value: 32 bits each. */
#define COUNT_MOVES(site, times) iw_count_(site, IW_SIM_SHUFFLE, (times) * (unsigned)(sizeof(SCALAR) / 4))
#define EACH_SOURCE(source) \
  IW_EACH_LANE_(l) { \
    const unsigned from = (source) & (IW_WARP_SIZE - 1); \
    r.e[l] = a.e[from]; \
    r.undefined |= (a.undefined >> from & 1) << l; \
  } \
  if (iw_sim_self->checks & IW_SIM_TRACES) { \
    unsigned char sources[IW_WARP_SIZE]; \
    IW_EACH_LANE_(l) sources[l] = (unsigned char)((source) & (IW_WARP_SIZE - 1)); \
    iw_sim_trace_shuffle(SHUFFLE_SITE, sizeof(SCALAR), r.e, r.undefined, sources); \
  }
#define SHUFFLE_SITE site

/* A lane whose index is undefined gets an undefined value. */
IW_FN LANES FN(shuffle)(const iw_site *site, LANES a, iw_u32 index, unsigned width)
{
  LANES r;
  r.undefined = index.undefined;
  r.owner = a.owner | index.owner;
  iw_check_width_(site, width); COUNT_MOVES(site, 1);
  EACH_SOURCE(iws_source_index(l, index.e[l], width))
  return r;
}
IW_FN LANES FN(shuffle_up)(const iw_site *site, LANES a, unsigned delta, unsigned width)
{ LANES r; r.undefined = 0; r.owner = a.owner; iw_check_width_(site, width); COUNT_MOVES(site, 1); EACH_SOURCE(iws_source_up(l, delta, width)) return r; }
IW_FN LANES FN(shuffle_down)(const iw_site *site, LANES a, unsigned delta, unsigned width)
{ LANES r; r.undefined = 0; r.owner = a.owner; iw_check_width_(site, width); COUNT_MOVES(site, 1); EACH_SOURCE(iws_source_down(l, delta, width)) return r; }
IW_FN LANES FN(shuffle_xor)(const iw_site *site, LANES a, unsigned mask, unsigned width)
{ LANES r; r.undefined = 0; r.owner = a.owner; iw_check_width_(site, width); COUNT_MOVES(site, 1);
  EACH_SOURCE(iws_source_xor(l, mask, width, IW_WARP_SIZE)) return r; }

/* In a warp that is not full too: behind a prefix of what is the identity in lanes that are no threads
 * stands the total. */
IW_FN SCALAR FN(last)(const iw_site *site, LANES a)
{ iw_use_(site, a.undefined >> (IW_WARP_SIZE - 1) & 1, a.owner, "the last lane's value"); COUNT_MOVES(site, 1); return a.e[IW_WARP_SIZE - 1]; }

#undef SHUFFLE_SITE
#define SHUFFLE_SITE NULL
/* The last lane of each lane's left sibling in the tree over lanes; of left siblings it is not used. */
IW_FN LANES IW_PASTE(FN(left_sibling), _)(LANES a, int level)
{ LANES r; r.undefined = 0; r.owner = a.owner; COUNT_MOVES(NULL, 1); EACH_SOURCE(iws_left_sibling_last(l, (unsigned)level)) return r; }

/* first op lane 0 op lane 1 ..., from the left, starting anew at the lanes of `heads`; *before: what stands
 * in front of each lane. */
IW_FN SCALAR IW_PASTE(FN(fold_by), _)(SCALAR (*op)(SCALAR, SCALAR), SCALAR first, LANES a, uint64_t heads, LANES *before)
{
  LANES r;
  r.undefined = 0;
  r.owner = a.owner;
  COUNT_MOVES(NULL, IW_WARP_SIZE);
  IW_EACH_LANE_(l) {
    r.e[l] = first;
    first = heads >> l & 1 ? a.e[l] : op(first, a.e[l]);
  }
  *before = r;
  return first;
}
#undef COUNT_MOVES
#undef EACH_SOURCE
#undef SHUFFLE_SITE
