/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: rows from and to memory, and operators on rows that are parameters.
 * Included by rows.h.
 */
IW_FN ROW_TYPE(pending) FN(row_issue)(IW_AT_PARAMETERS_, const SCALAR *p, int64_t valid, SCALAR absent)
{ return IW_PASTE(FN(row_load), _)(IW_AT_, p, valid, absent); }
IW_FN ROW_TYPE(pending) FN(row_reissue)(IW_AT_PARAMETERS_, const SCALAR *p, int64_t valid, SCALAR absent)
{ return IW_PASTE(FN(row_load), _)(IW_AT_, p, valid, absent); }

IW_FN void FN(row_store_shared)(IW_AT_PARAMETERS_, SCALAR *p, ROW x)
{
  const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, 16, 0, 1, iw_pred_(IW_ALL_LANES_, 0, 0), x.owner,
                                        sizeof *p, x.undefined);
  if (m == IW_ALL_LANES_) memcpy(p, x.e, sizeof x.e);
  else IW_EACH_LANE_(l) if (m >> l & 1) memcpy(p + l * (unsigned)ROW_VECTORS, x.e + l * (unsigned)ROW_VECTORS, 16);
}
IW_FN ROW FN(row_load_shared)(IW_AT_PARAMETERS_, const SCALAR *p)
{
  ROW x;
  x.owner = iw_self_();
  iw_row_load_parts_(IW_AT_, x.e, p, 16, sizeof *p, ROW_VECTORS, x.undefined);
  return x;
}

IW_FN void FN(row_store)(IW_AT_PARAMETERS_, SCALAR *p, ROW x, int64_t valid, int stream)
{
  (void)stream;
  for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = SFN(canonical)(x.e[i]);
  if (iw_row_is_whole_(p, ROW_LENGTH, valid)) { FN(row_store_shared)(IW_AT_, p, x); return; }
  EACH_VECTOR(v) {
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, sizeof *p, v, ROW_VECTORS,
                                          FN(row_valid)(v, valid), x.owner, sizeof *p, x.undefined + v);
    IW_EACH_LANE_(l) if (m >> l & 1) p[l * (unsigned)ROW_VECTORS + (unsigned)v] = x.e[l * (unsigned)ROW_VECTORS + (unsigned)v];
  }
}

/* Inverts in each element the bits that are set in `bits`. */
IW_FN ROW FN(row_flip_bits)(ROW x, SCALAR bits)
{ for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = SFN(flip_bits)(x.e[i], bits); return x; }

IW_FN SCALAR FN(row_last)(const iw_site *site, ROW x)
{
  iw_use_(site, x.undefined[ROW_VECTORS - 1] & (uint64_t)1 << (IW_WARP_SIZE - 1), x.owner, "the row's last element");
  iw_count_(site, IW_SIM_SHUFFLE, sizeof(SCALAR) / 4);
  return x.e[ROW_LENGTH - 1];
}
IW_FN ROW FN(row_splat)(SCALAR a)
{
  ROW x;
  for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = a;
  EACH_VECTOR(v) x.undefined[v] = 0;
  x.owner = 0;
  return x;
}

/* All elements moved up by one, `first` in front. */
IW_FN ROW FN(row_shift)(ROW x, SCALAR first)
{
  ROW r;
  iw_count_(NULL, IW_SIM_SHUFFLE, sizeof(SCALAR) / 4);
  r.e[0] = first;
  memcpy(r.e + 1, x.e, (ROW_LENGTH - 1) * sizeof *x.e);
  r.undefined[0] = x.undefined[ROW_VECTORS - 1] << 1 & IW_ALL_LANES_;
  for (int v = 1; v < ROW_VECTORS; v++) r.undefined[v] = x.undefined[v - 1];
  r.owner = x.owner;
  return r;
}

/* Lane l's part of a row is 16 bytes at p + 16 * part.e[l]. */
IW_FN ROW FN(row_gather)(IW_AT_PARAMETERS_, const SCALAR *p, iw_u32 part)
{
  ROW x;
  uint64_t undefined;
  const iw_pred all = iw_pred_(IW_ALL_LANES_, 0, 0);
  const uint64_t m = iw_loads_(IW_AT_, p, 16, part.e, NULL, part.undefined, part.owner, all, &undefined);
  x.owner = iw_self_();
  EACH_VECTOR(v) x.undefined[v] = undefined;
  IW_EACH_LANE_(l) {
    SCALAR *const to = x.e + l * (unsigned)ROW_VECTORS;
    if (m >> l & 1) memcpy(to, (const char *)p + (size_t)part.e[l] * 16, 16);
    else memset(to, 0, 16);
  }
  return x;
}
IW_FN void FN(row_scatter)(IW_AT_PARAMETERS_, SCALAR *p, iw_u32 part, ROW x, iw_pred some)
{
  for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = SFN(canonical)(x.e[i]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, 16, part.e, NULL, part.undefined,
                                part.owner | x.owner, x.e, IW_PASTE(FN(row_undefined), _)(&x), some);
  IW_EACH_LANE_(l) if (m >> l & 1) memcpy((char *)p + (size_t)part.e[l] * 16, x.e + l * (unsigned)ROW_VECTORS, 16);
}

/* Element e is lane e % W of a[e / W], for a warp size of W. */
IW_FN ROW FN(row_of_lanes)(SCALAR *scratch, const LANES *a)
{
  ROW x;
  (void)scratch;
  x.owner = a[0].owner;
  EACH_VECTOR(v) x.undefined[v] = 0;
  for (unsigned i = 0; i < ROW_LENGTH; i++) {
    const LANES *const from = a + i / IW_WARP_SIZE;
    x.e[i] = from->e[i % IW_WARP_SIZE];
    x.undefined[i % ROW_VECTORS] |= (from->undefined >> i % IW_WARP_SIZE & 1) << i / ROW_VECTORS;
    x.owner |= from->owner;
  }
  return x;
}
IW_FN void FN(row_to_lanes)(SCALAR *scratch, ROW x, LANES *a)
{
  (void)scratch;
  EACH_VECTOR(v) { a[v].undefined = 0; a[v].owner = x.owner; }
  for (unsigned i = 0; i < ROW_LENGTH; i++) {
    a[i / IW_WARP_SIZE].e[i % IW_WARP_SIZE] = x.e[i];
    a[i / IW_WARP_SIZE].undefined |= (uint64_t)IW_PASTE(FN(row_undefined_at), _)(&x, (int)i) << i % IW_WARP_SIZE;
  }
}

/* Sets vector v. */
IW_FN void IW_PASTE(FN(row_set_vector), _)(ROW *x, int v, LANES a)
{
  IW_EACH_LANE_(l) x->e[l * (unsigned)ROW_VECTORS + (unsigned)v] = a.e[l];
  x->undefined[v] = a.undefined;
  x->owner |= a.owner;
}

/* The rest takes an operator on lane values. First: left op each element. */
IW_FN ROW IW_PASTE(FN(row_by), _)(LANES (*op)(LANES, LANES), SCALAR left, ROW x)
{
  const LANES l = FN(splat)(left);
  EACH_VECTOR(v) IW_PASTE(FN(row_set_vector), _)(&x, v, op(l, FN(row_vector)(x, v)));
  return x;
}
/* The first `levels` levels of the tree over a row: first in each lane's part, then over the lanes. */
IW_FN ROW IW_PASTE(FN(row_block_prefix_by), _)(LANES (*op)(LANES, LANES), ROW x, int levels)
{
  LANES a[ROW_VECTORS];
  int d = 1;
  EACH_VECTOR(v) a[v] = FN(row_vector)(x, v);
  for (; levels && d < ROW_VECTORS; d *= 2, levels--)
    EACH_VECTOR(v) if (v & d) a[v] = op(a[(v & ~(2 * d - 1)) + d - 1], a[v]);
  for (int b = 0; b < levels && b < IW_LOG_WARP; b++) {
    const LANES left = IW_PASTE(FN(left_sibling), _)(a[ROW_VECTORS - 1], b);
    EACH_VECTOR(v) a[v] = FN(select)(iw_right_siblings_(b), op(left, a[v]), a[v]);
  }
  EACH_VECTOR(v) IW_PASTE(FN(row_set_vector), _)(&x, v, a[v]);
  return x;
}
IW_FN ROW IW_PASTE(FN(row_inclusive_prefix_by), _)(LANES (*op)(LANES, LANES), ROW x)
{ return IW_PASTE(FN(row_block_prefix_by), _)(op, x, IW_LOG_WARP + 2); }
