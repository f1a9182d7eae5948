/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u32 or u64: flags that come from predicates and bytes and go to bit arrays, and rows of
 * consecutive integers. Included by row_flags.h.
 */
IW_FN ROW_TYPE(view) FN(row_iota)(uint64_t first)
{
  ROW x;
  for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = (SCALAR)(first + (unsigned)i);
  EACH_VECTOR(v) x.undefined[v] = 0;
  x.owner = 0;
  return x;
}

IW_FN void FN(row_set_vector_flags)(ROW_TYPE(flag_set) *set, int row, int v, iw_pred p)
{
  ROW_TYPE(flags) *const f = &set->row[row];
  f->m[v] = p.m;
  f->undefined[v] = p.undefined;
  f->owner = v ? f->owner | p.owner : p.owner;
}

/* Packs the places of the flagged elements, the first of which is `first`, to p[front] and following
 * places. */
IW_FN unsigned FN(row_compact_places)(IW_AT_PARAMETERS_, uint16_t *p, unsigned front, unsigned first, int rows,
                                      const ROW_TYPE(flag_set) *set)
{
  unsigned all = 0;
  iw_count_(site, IW_SIM_SHUFFLE, 2 * (IW_LOG_WARP + 1));
  for (int k = 0; k < rows; k++) {
    const ROW_TYPE(flags) *const f = &set->row[k];
    uint32_t to[ROW_VECTORS][IW_WARP_SIZE];
    EACH_VECTOR(v) iw_use_(site, f->undefined[v], f->owner, "the number of elements");
    IW_EACH_LANE_(l) EACH_VECTOR(v) to[v][l] = f->m[v] >> l & 1 ? front + all++ : 0;
    EACH_VECTOR(v) {
      uint16_t places[IW_WARP_SIZE];
      IW_EACH_LANE_(l) places[l] = (uint16_t)(first + (unsigned)(k * ROW_LENGTH) + l * (unsigned)ROW_VECTORS + (unsigned)v);
      const uint64_t stored = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, sizeof *p, to[v], NULL, 0, f->owner, places, 0,
                                         iw_pred_(f->m[v], 0, 0));
      IW_EACH_LANE_(l) if (stored >> l & 1) p[to[v][l]] = places[l];
    }
  }
  return all;
}

/* Lane l: the place behind its last flagged element, or 0 if it has none. */
IW_FN iw_u32 FN(row_last_flags)(const ROW_TYPE(flag_set) *set, int rows)
{
  iw_u32 r = { .undefined = 0, .owner = 0 };
  IW_EACH_LANE_(l) r.e[l] = 0;
  for (int k = 0; k < rows; k++) {
    EACH_VECTOR(v) {
      IW_EACH_LANE_(l) if (set->row[k].m[v] >> l & 1)
        r.e[l] = (uint32_t)(k * ROW_LENGTH) + l * (uint32_t)ROW_VECTORS + (uint32_t)v + 1;
      r.undefined |= set->row[k].undefined[v];
    }
    r.owner |= set->row[k].owner;
  }
  return r;
}

/* Eight neighbouring lanes exchange flags, so that lane k of them has all of row k next to each other: as
 * many bytes as a lane's part has elements. */
IW_FN void FN(row_store_flags)(IW_AT_PARAMETERS_, uint32_t *bits, size_t at, ROW_TYPE(flag_set) set, int rows)
{
  uint64_t index[IW_WARP_SIZE], undefined = 0, some = 0;
  uint32_t part[IW_WARP_SIZE], owner = 0;
  iw_count_(site, IW_SIM_SHUFFLE, 3);
  for (int k = 0; k < rows; k++) owner |= set.row[k].owner;
  IW_EACH_LANE_(l) {
    const int k = l % 8;
    index[l] = (at + (size_t)k * ROW_LENGTH) / (8 * ROW_VECTORS) + l / 8;
    part[l] = 0;
    if (k >= rows) continue;
    some |= (uint64_t)1 << l;
    for (unsigned j = 0; j < 8; j++) EACH_VECTOR(v) {
      const unsigned from = l / 8 * 8 + j;
      part[l] |= (uint32_t)(set.row[k].m[v] >> from & 1) << (j * ROW_VECTORS + (unsigned)v);
      undefined |= (set.row[k].undefined[v] >> from & 1) << l;
    }
  }
  const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, bits, ROW_VECTORS, NULL, index, 0, owner, NULL, undefined,
                                iw_pred_(some, 0, 0));
  IW_EACH_LANE_(l) if (m >> l & 1) memcpy((char *)bits + index[l] * ROW_VECTORS, &part[l], ROW_VECTORS);
}

/* Flags from bytes that are not 0. */
typedef struct { uint8_t e[ROW_LENGTH]; uint64_t undefined[ROW_VECTORS]; uint32_t owner; } ROW_TYPE(flags_pending);
IW_FN ROW_TYPE(flags_pending) FN(row_issue_flags)(IW_AT_PARAMETERS_, const uint8_t *p, int64_t valid)
{
  ROW_TYPE(flags_pending) f;
  f.owner = iw_self_();
  if (valid >= ROW_LENGTH && IW_ALIGNED_(p, ROW_VECTORS))
    iw_row_load_parts_(IW_AT_, f.e, p, ROW_VECTORS, 1, ROW_VECTORS, f.undefined);
  else {
    memset(f.e, 0, sizeof f.e);
    iw_row_load_elements_(IW_AT_, f.e, p, 1, ROW_VECTORS, valid, f.undefined);
  }
  return f;
}
IW_FN ROW_TYPE(flags) FN(row_wait_flags)(ROW_TYPE(flags_pending) f)
{
  ROW_TYPE(flags) m;
  EACH_VECTOR(v) {
    m.m[v] = 0;
    IW_EACH_LANE_(l) m.m[v] |= (uint64_t)(f.e[l * (unsigned)ROW_VECTORS + (unsigned)v] != 0) << l;
    m.undefined[v] = f.undefined[v];
  }
  m.owner = f.owner;
  return m;
}
