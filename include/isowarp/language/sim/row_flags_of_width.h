/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8, u16, u32 or u64: views of rows, flag sets, and moving flagged elements. Included by
 * row_flags.h.
 */
/* m[v]: the lanes whose element v is flagged. */
typedef struct { uint64_t m[ROW_VECTORS], undefined[ROW_VECTORS]; uint32_t owner; } ROW_TYPE(flags);
typedef struct { ROW_TYPE(flags) row[IW_FLAG_SET_ROWS]; } ROW_TYPE(flag_set);

/* The flags of the row at element `at`, a multiple of the row's length, from packed bits; each bit holds
 * for `each` (1 or 2) elements, of which `valid` exist. */
IW_FN ROW_TYPE(flags) FN(row_load_flags)(IW_AT_PARAMETERS_, const uint32_t *bits, size_t at, int each, int64_t valid)
{
  ROW_TYPE(flags) m;
  uint32_t of[IW_WARP_SIZE];
  uint64_t undefined;
  iw_row_load_bits_(IW_AT_, bits, at, ROW_VECTORS, (unsigned)each, valid, of, &undefined);
  EACH_VECTOR(v) {
    m.m[v] = 0;
    IW_EACH_LANE_(l) m.m[v] |= (uint64_t)(of[l] >> v & 1) << l;
    m.undefined[v] = undefined;
  }
  m.owner = iw_self_();
  return m;
}
IW_FN void FN(row_set_flags)(ROW_TYPE(flag_set) *set, int row, ROW_TYPE(flags) m) { set->row[row] = m; }

/* Keeps the flags of the first `valid` elements of so many rows; with `others`, those of the elements that
 * were not flagged. */
IW_FN void FN(row_restrict_flags)(ROW_TYPE(flag_set) *set, int rows, int others, int64_t valid)
{
  for (int k = 0; k < rows; k++) EACH_VECTOR(v) {
    const uint64_t some = FN(row_valid)(v, valid == IW_FULL_ROW ? valid : valid - k * ROW_LENGTH).m;
    set->row[k].m[v] = (set->row[k].m[v] ^ (others ? IW_ALL_LANES_ : 0)) & some;
    set->row[k].undefined[v] &= some;
  }
}
IW_FN void FN(row_count_flags)(iw_count_accumulator *count, const ROW_TYPE(flag_set) *set, int rows)
{
  for (int k = 0; k < rows; k++) {
    EACH_VECTOR(v) {
      count->n += iw_popcount(set->row[k].m[v]);
      count->undefined |= set->row[k].undefined[v];
    }
    count->owner |= set->row[k].owner;
  }
}

typedef ROW ROW_TYPE(view);
IW_FN ROW_TYPE(view) FN(row_view)(IW_AT_PARAMETERS_, const SCALAR *p, int64_t valid)
{ return IW_PASTE(FN(row_load), _)(IW_AT_, p, valid, 0); }
IW_FN LANES FN(row_view_vector)(ROW_TYPE(view) x, int v) { return FN(row_vector)(x, v); }

/* Packs the flagged elements of rows to p[front] and following places, and the others to p[rest] and
 * following ones; those of 4 and 8 bytes only if `both`. One store for each element of a lane's part. */
IW_FN unsigned FN(row_compact)(IW_AT_PARAMETERS_, SCALAR *p, unsigned front, unsigned rest, int both, const ROW_TYPE(view) *x,
                               int rows, const ROW_TYPE(flag_set) *set)
{
  unsigned all = 0;
  uint64_t undefined = 0;
  uint32_t owner = 0;
  for (int k = 0; k < rows; k++) {
    EACH_VECTOR(v) undefined |= set->row[k].undefined[v];
    owner |= set->row[k].owner;
  }
  iw_use_(site, undefined, owner, "the number of elements");
  /* Sums over the lanes and their last one: of each row, or of eight rows in two words. */
  iw_count_(site, IW_SIM_SHUFFLE, sizeof *p < 4 ? (unsigned)rows * (IW_LOG_WARP + 1) : 2 * (IW_LOG_WARP + 1));
  for (int k = 0; k < rows; k++) {
    uint32_t to[ROW_VECTORS][IW_WARP_SIZE];
    const uint64_t *const m = set->row[k].m;
    unsigned others = rest + (unsigned)(k * ROW_LENGTH) - all;
    IW_EACH_LANE_(l) EACH_VECTOR(v) to[v][l] = m[v] >> l & 1 ? front + all++ : others++;
    EACH_VECTOR(v) {
      SCALAR values[IW_WARP_SIZE];
      IW_EACH_LANE_(l) values[l] = x[k].e[l * (unsigned)ROW_VECTORS + (unsigned)v];
      const uint64_t stored = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, sizeof *p, to[v], NULL, 0, x[k].owner,
                                         values, x[k].undefined[v],
                                         iw_pred_(sizeof *p < 4 || both ? IW_ALL_LANES_ : m[v], 0, 0));
      IW_EACH_LANE_(l) if (stored >> l & 1) p[to[v][l]] = values[l];
    }
  }
  return all;
}

/* Moves all `count` packed elements from shared to global memory. */
IW_FN unsigned FN(flush)(IW_AT_PARAMETERS_, SCALAR *out, SCALAR *staged, unsigned count, int whole, int stream)
{
  (void)whole;
  (void)stream;
  for (unsigned i = 0; i < count; i += IW_WARP_SIZE) {
    SCALAR x[IW_WARP_SIZE];
    uint64_t undefined;
    const iw_pred some = iw_lanes_below((int64_t)count - i);
    uint64_t m = iw_access_strided_(site, SIZE_MAX, IW_SIM_LOAD, staged, sizeof *staged, i, 1, some, 0, sizeof *staged, &undefined);
    IW_EACH_LANE_(l) x[l] = m >> l & 1 ? staged[i + l] : 0;
    m = iw_access_strided_(IW_AT_, IW_SIM_STORE, out, sizeof *out, i, 1, some, 0, sizeof *out, &undefined);
    IW_EACH_LANE_(l) if (m >> l & 1) out[i + l] = x[l];
  }
  return count;
}

/* Moves elements i + j * step + lane for j below `batch`: all loads, then all stores. */
IW_FN void IW_PASTE(FN(block_store_batch), _)(IW_AT_PARAMETERS_, SCALAR *to, const SCALAR *from, int i, int step, int batch,
                                              uint64_t lanes)
{
  SCALAR x[4][IW_WARP_SIZE];
  uint64_t undefined[4];
  for (int j = 0, at = i; j < batch; j++, at += step) {
    const iw_pred some = iw_pred_(lanes & ~iw_lanes_below(-(int64_t)at).m, 0, 0);
    const uint64_t m = iw_access_strided_(site, SIZE_MAX, IW_SIM_LOAD, from, sizeof *from, at, 1, some, 0, sizeof *from, &undefined[j]);
    IW_EACH_LANE_(l) x[j][l] = m >> l & 1 ? from[at + (int)l] : 0;
  }
  for (int j = 0, at = i; j < batch; j++, at += step) {
    const iw_pred some = iw_pred_(lanes & ~iw_lanes_below(-(int64_t)at).m, 0, 0);
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, to, sizeof *to, at, 1, some, 0, sizeof *to, &undefined[j]);
    IW_EACH_LANE_(l) if (m >> l & 1) to[at + (int)l] = x[j][l];
  }
}
/* The warps of a block take turns in lines of 128 bytes of the destination (32 elements where these are
 * narrower), so that each store of a warp is one line, or a part of one at the ends. Four elements of a
 * lane are moved at once while it has as many, then one at a time. */
IW_FN void FN(block_store)(IW_AT_PARAMETERS_, SCALAR *to, const SCALAR *from, unsigned count, unsigned warp, unsigned warps)
{
  enum { LINE = sizeof *to < 4 ? 32 : 128 / sizeof *to, AHEAD = 4 };
  const int step = (int)warps * IW_WARP_SIZE, end = (int)count;
  int i = (int)(warp * IW_WARP_SIZE) - (int)((uintptr_t)to / sizeof *to % LINE);
  uint64_t many;
  while ((many = iw_lanes_below((int64_t)end - i - (AHEAD - 1) * step).m) != 0) {
    IW_PASTE(FN(block_store_batch), _)(IW_AT_, to, from, i, step, AHEAD, many);
    if (many != IW_ALL_LANES_) break;
    i += AHEAD * step;
  }
  for (; i < end; i += step)
    IW_PASTE(FN(block_store_batch), _)(IW_AT_, to, from, i, step, 1, iw_lanes_below((int64_t)end - i).m & ~many);
}
