/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: rows in registers, from and to memory, and operators on rows that
 * are parameters. Included by rows.h.
 */
typedef struct { LANES v[ROW_VECTORS]; } ROW;
/* A load that was issued; `again`: of memory that was read a short time ago, so that nothing is
 * prefetched. */
typedef struct { const SCALAR *p; int64_t valid; SCALAR absent; int again; } ROW_TYPE(pending);

IW_FN ROW_TYPE(pending) FN(row_issue)(const SCALAR *p, int64_t valid, SCALAR absent)
{ ROW_TYPE(pending) c = { p, valid, absent, 0 }; return c; }
IW_FN ROW_TYPE(pending) FN(row_reissue)(const SCALAR *p, int64_t valid, SCALAR absent)
{ ROW_TYPE(pending) c = { p, valid, absent, 1 }; return c; }

/* The first `valid` elements from p on, then `absent`, as a whole row in e. Only the last row of an array
 * needs it, so it is one function and not code of every load. */
IW_NOINLINE_FN void FN(row_pad)(SCALAR *e, const SCALAR *p, int64_t valid, SCALAR absent)
{
#ifdef IWV_HAS_MASKED_LOADS
  if (IW_WARP_SIZE >= VL) {
    for (int i = 0; i < ROW_LENGTH; i += VL) {
      const iw_pred some = iw_lanes_below(valid - i);
      REGISTER x = VFN(set1)(absent);
      if (valid - i >= VL) x = VFN(load)(p + i);
      else if (valid - i > 0) x = VFN(select)(SOME(some, 0), VFN(load_masked)(p + i, SOME(some, 0)), x);
      VFN(store)(e + i, x);
    }
    return;
  }
#endif
  IW_UNROLL for (int i = 0; i < ROW_LENGTH; i += VL) VFN(store)(e + i, VFN(set1)(absent));
  if (valid > 0) memcpy(e, p, (size_t)valid * sizeof(SCALAR));
}

IW_FN ROW FN(row_wait)(ROW_TYPE(pending) c)
{
  ROW x;
  SCALAR e[ROW_LENGTH + PADDED];
  if (c.valid < ROW_LENGTH) {
    FN(row_pad)(e, c.p, c.valid, c.absent);
    c.p = e;
  } else if (!c.again) IW_UNROLL for (int i = 0; i < 16 * IW_WARP_SIZE; i += 64)
    __builtin_prefetch((const char *)c.p + IW_PREFETCH_DISTANCE + i);
  EACH_VECTOR(v) x.v[v] = FN(load)(c.p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES));
  return x;
}

IW_FN void FN(row_store_shared)(SCALAR *p, ROW x)
{
  EACH_VECTOR(v) {
    if (IW_WARP_SIZE >= VL) FN(to_array)(p + v * IW_WARP_SIZE, x.v[v]);
    else VFN(store_masked)(p + v * IW_WARP_SIZE, SOME(iw_pred_of(IW_ALL_LANES), 0), x.v[v].r[0]);
  }
}
IW_FN ROW FN(row_load_shared)(const SCALAR *p)
{ ROW x; EACH_VECTOR(v) x.v[v] = FN(load)(p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES)); return x; }

IW_FN ROW FN(row_canonical)(ROW x)
{
  REGISTER a[ROW_VECTORS * VECTORS];
  EACH_VECTOR(v) EACH(i) a[v * VECTORS + i] = x.v[v].r[i];
  if (VFN(may_have_nan)(a, ROW_VECTORS * VECTORS)) EACH_VECTOR(v) x.v[v] = FN(canonical)(x.v[v]);
  return x;
}

/* Makes the NaNs of `count` elements canonical, whole registers. */
IW_NOINLINE_FN void FN(make_canonical)(SCALAR *p, int count)
{
  for (int i = 0; i < count; i += VL) {
    const REGISTER a = VFN(load)(p + i);
    VFN(store)(p + i, VFN(canonical)(a));
  }
}

/* Stores the first `valid` elements, fewer than a row's. One function and not code of every store, as
 * row_pad. */
IW_NOINLINE_FN void FN(row_store_part)(SCALAR *p, const ROW *x, int64_t valid)
{
  SCALAR e[ROW_LENGTH + PADDED];
  if (IW_WARP_SIZE < VL) {
    FN(row_store_shared)(e, *x);
    memcpy(p, e, (size_t)valid * sizeof(SCALAR));
    return;
  }
  EACH_VECTOR(v) EACH(i) {
    const int64_t left = valid - (v * IW_WARP_SIZE + i * VL);
    SCALAR *const to = p + v * IW_WARP_SIZE + i * VL;
    if (left >= VL) VFN(store)(to, x->v[v].r[i]);
    else if (left > 0) VFN(store_masked)(to, SOME(iw_lanes_below(left), 0), x->v[v].r[i]);
  }
}

/* stream: bypasses the caches, if p is aligned to a cache line. */
IW_FN void FN(row_store)(SCALAR *p, ROW x, int64_t valid, int stream)
{
  if (valid <= 0) return;
  x = FN(row_canonical)(x);
  if (valid < ROW_LENGTH) {
    FN(row_store_part)(p, &x, valid);
    return;
  }
  if (IW_WARP_SIZE >= VL && stream && ((uintptr_t)p & 63) == 0) {
    EACH_VECTOR(v) EACH(i) VFN(stream)(p + v * IW_WARP_SIZE + i * VL, x.v[v].r[i]);
    return;
  }
  FN(row_store_shared)(p, x);
}

/* Inverts in each element the bits that are set in `bits`. */
IW_FN ROW FN(row_flip_bits)(ROW x, SCALAR bits)
{
  const REGISTER b = VFN(set1)(bits);
  const SCALAR none = 0;
  /* One branch is cheaper than an instruction for each register, but with registers of 64 bytes, of which a
   * row has few: there it gains by floats only, whose minimum takes several instructions. */
  if (((SCALAR)0.5 > 0 || sizeof(REGISTER) < 64) && memcmp(&bits, &none, sizeof bits) == 0) return x;
  EACH_VECTOR(v) EACH(i) x.v[v].r[i] = VFN(flip_bits)(x.v[v].r[i], b);
  return x;
}

IW_FN LANES FN(row_vector)(ROW x, int v) { return x.v[v]; }
/* The vectors of a row are its elements in order. */
IW_FN ROW FN(row_of_lanes)(SCALAR *scratch, const LANES *a)
{ ROW x; (void)scratch; EACH_VECTOR(v) x.v[v] = a[v]; return x; }
IW_FN void FN(row_to_lanes)(SCALAR *scratch, ROW x, LANES *a) { (void)scratch; EACH_VECTOR(v) a[v] = x.v[v]; }
IW_FN SCALAR FN(row_last)(ROW x) { return FN(last)(x.v[ROW_VECTORS - 1]); }
IW_FN ROW FN(row_splat)(SCALAR a) { ROW x; EACH_VECTOR(v) x.v[v] = FN(splat)(a); return x; }
IW_FN iw_pred FN(row_valid)(int v, int64_t valid) { return iw_lanes_below(valid - v * IW_WARP_SIZE); }

/* All elements moved up by one, `first` in front. */
IW_FN ROW FN(row_shift)(ROW x, SCALAR first)
{
  SCALAR e[ROW_LENGTH + PADDED + 1];
  if (IW_WARP_SIZE < VL) { e[0] = first; FN(row_store_shared)(e + 1, x); return FN(row_load_shared)(e); }
  REGISTER left = VFN(set1)(first);
  EACH_VECTOR(v) EACH(i) { const REGISTER a = x.v[v].r[i]; x.v[v].r[i] = VFN(shift_in)(left, a); left = a; }
  return x;
}

/* The rest takes an operator on lane values. First: left op each element. */
IW_OPERATOR_FN ROW IW_PASTE(FN(row_by), _)(LANES (*op)(LANES, LANES), SCALAR left, ROW x)
{
  const LANES l = FN(splat)(left);
  EACH_VECTOR(v) x.v[v] = op(l, x.v[v]);
  return x;
}

/* The tree over a row: within each vector, then over the vectors. */
IW_OPERATOR_FN ROW IW_PASTE(FN(row_inclusive_prefix_by), _)(LANES (*op)(LANES, LANES), ROW x)
{
  EACH_VECTOR(v) IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[v] = IW_PASTE(FN(level_by), _)(op,
      x.v[v], b);
  IW_UNROLL for (int d = 1; d < ROW_VECTORS; d *= 2) EACH_VECTOR(v) if (v & d)
    x.v[v] = op(FN(splat)(FN(last)(x.v[(v & ~(2 * d - 1)) + d - 1])), x.v[v]);
  return x;
}

/* Of the lanes of a followed by those of b, the first or the second of every pair. */
IW_FN LANES IW_PASTE(FN(even_or_odd), _)(int step, LANES a, LANES b, int second)
{
  REGISTER x[2 * VECTORS];
  LANES c;
  EACH(i) { x[i] = a.r[i]; x[VECTORS + i] = b.r[i]; }
  EACH(i) c.r[i] = second ? VFN(odds)(step, x[2 * i], x[2 * i + 1])
      : VFN(evens)(step, x[2 * i], x[2 * i + 1]);
  return c;
}
IW_OPERATOR_FN LANES IW_PASTE(FN(combine_pairs_by), _)(LANES (*op)(LANES, LANES), int step, LANES a, LANES b)
{ return op(IW_PASTE(FN(even_or_odd), _)(step, a, b, 0), IW_PASTE(FN(even_or_odd), _)(step, a, b, 1)); }

/* The last element of that tree alone: neighbours are combined pair by pair, in half as many vectors each
 * time. */
IW_OPERATOR_FN SCALAR IW_PASTE(FN(row_reduce_by), _)(LANES (*op)(LANES, LANES), ROW x)
{
  int step = 0;
  if (IW_WARP_SIZE < VL) return FN(row_last)(IW_PASTE(FN(row_inclusive_prefix_by), _)(op, x));
  IW_UNROLL for (int k = ROW_VECTORS / 2; k > 0; k /= 2, step++)
    IW_UNROLL for (int v = 0; v < k; v++) x.v[v] = IW_PASTE(FN(combine_pairs_by), _)(op, step, x.v[2 * v],
        x.v[2 * v + 1]);
  IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[0] = IW_PASTE(FN(combine_pairs_by), _)(op, step + b,
      x.v[0], x.v[0]);
  return FN(at)(x.v[0], 0);
}
