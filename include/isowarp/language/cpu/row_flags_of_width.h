/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8, u16, u32 or u64: views of rows, flag sets, and moving flagged elements. Elements are
 * bits to be moved, so T names their width only. Included by row_flags.h.
 */
/* A row of memory that does not change while it is used; or, if p is NULL, of first, first + 1, … (u32
 * and u64). Vectors are loaded when they are used. */
typedef struct { const SCALAR *p; int64_t valid; uint64_t first; } ROW_TYPE(view);
IW_FN ROW_TYPE(view) FN(row_view)(const SCALAR *p, int64_t valid) {
    ROW_TYPE(view) x = { p, valid, 0 }; return x; }
IW_FN LANES FN(row_view_vector)(ROW_TYPE(view) x, int v)
{
  if (sizeof(SCALAR) >= 4 && !x.p) return IW_PASTE(FN(row_iota_vector), _)(x.first, v);
  return FN(load)(x.p + v * IW_WARP_SIZE,
                  x.valid >= ROW_LENGTH ? iw_pred_of(IW_ALL_LANES)
                      : iw_lanes_below(x.valid - v * IW_WARP_SIZE));
}

/* A row's flags: a bit per element, the lanes of a vector in one word. */
typedef struct { iw_bits m[ROW_VECTORS]; } ROW_TYPE(flags);

/* The flags of a row at `at`, a multiple of its length, of which `each` elements, 1 or 2, share a bit, and
 * `valid` elements exist. For warps of 32 lanes. */
IW_FN ROW_TYPE(flags) FN(row_load_flags)(const uint32_t *bits, size_t at, int each, int64_t valid)
{
  ROW_TYPE(flags) m;
  EACH_VECTOR(v) {
    const size_t i = at + (size_t)v * IW_WARP_SIZE;
    m.m[v] = (int64_t)v * IW_WARP_SIZE >= valid ? 0
      : each == 1 ? bits[i / 32] : iws_duplicate_bits(bits[i / 64] >> i / 2 % 32 & 0xffff);
  }
  return m;
}

typedef struct { ROW_TYPE(flags) m[IW_FLAG_SET_ROWS]; } ROW_TYPE(flag_set);

IW_FN void FN(row_set_flags)(ROW_TYPE(flag_set) *flags, int k, ROW_TYPE(flags) m) { flags->m[k] = m; }

/* Leaves the flags of the first `valid` elements, inverted if `others`. */
IW_FN void FN(row_restrict_flags)(ROW_TYPE(flag_set) *flags, int rows, int others, int64_t valid)
{
  for (int k = 0; k < rows; k++) EACH_VECTOR(v) {
    const iw_bits set = flags->m[k].m[v] ^ (others ? IW_ALL_LANES : 0);
    flags->m[k].m[v] = set & iw_lanes_below(valid - k * ROW_LENGTH - v * IW_WARP_SIZE).m;
  }
}

IW_FN void FN(row_count_flags)(iw_count_accumulator *accumulator, const ROW_TYPE(flag_set) *flags, int rows)
{ for (int k = 0; k < rows; k++) EACH_VECTOR(v) accumulator->n += iw_popcount(flags->m[k].m[v]); }

/* Packs the flagged elements of rows to p[front] …, and the others to p[rest] … if `both`; returns the
 * number of flagged ones. Each row is packed into a buffer first, as compaction overwrites what is behind
 * its result. */
IW_NOINLINE_FN unsigned FN(row_compact)(SCALAR *p, unsigned front, unsigned rest, int both,
                                        const ROW_TYPE(view) *x, int rows,
                                        const ROW_TYPE(flag_set) *flags)
{
  SCALAR flagged[ROW_LENGTH + IW_PADDED(u32)], others[ROW_LENGTH + IW_PADDED(u32)];
  unsigned count = 0;
  for (int i = 0; i < rows; i++) {
    unsigned k = 0;
    EACH_VECTOR(v)
      k += FN(compact_both)(flagged + k, others + ((unsigned)v * IW_WARP_SIZE - k),
                            FN(row_view_vector)(x[i], v),
                            iw_pred_of(flags->m[i].m[v]), iw_pred_of(IW_ALL_LANES));
    memcpy(p + front, flagged, k * sizeof *p);
    if (both) memcpy(p + rest, others, (ROW_LENGTH - k) * sizeof *p);
    front += k;
    rest += ROW_LENGTH - k;
    count += k;
  }
  return count;
}

/* Moves `count` packed elements from shared to global memory: all of them, or as many as fill whole cache
 * lines there. Returns how many were moved; the rest is then at the front of `staged`. */
IW_FN unsigned FN(flush)(SCALAR *out, SCALAR *staged, unsigned count, int all, int stream)
{
  const unsigned bytes = count * (unsigned)sizeof *out;
  char *const to = (char *)out, *const from = (char *)staged;
  if (stream && !all && (uintptr_t)to % IW_LINE == 0)
    return iw_stream_whole_lines_(to, from, bytes) / (unsigned)sizeof *out;
  return iw_flush_bytes_(to, from, bytes, all, stream) / (unsigned)sizeof *out;
}

/* All warps of a block together move `count` elements: this warp's share. */
IW_FN void FN(block_store)(SCALAR *to, const SCALAR *from, unsigned count, unsigned warp, unsigned warps)
{
  const unsigned first = (unsigned)((uint64_t)count * warp / warps),
      end = (unsigned)((uint64_t)count * (warp + 1) / warps);
  memcpy(to + first, from + first, (end - first) * sizeof *to);
}
