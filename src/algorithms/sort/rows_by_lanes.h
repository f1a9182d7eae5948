/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule of block_sort for CPUs, for rows of keys alone; part of the template block_sort_kernel.h,
 * included once for each width of ranks: T is u32 or u64. A block is one warp.
 *   1. A row is one run, or a power of two of them, of which the last ones may be empty. As many runs are
 *      sorted at a time as a cache line has ranks. The line of item i in shared memory has that item of each
 *      run; a run's place in it is its lane.
 *   2. A network of minima and maxima sorts all runs at once, without a branch that depends on a key: 16 items
 *      at a time in registers, and then Batcher's bitonic merges, several levels of which stay in registers.
 *      All comparators of a merge move the smaller item down, as the upper half is taken from its end. So
 *      items behind the last one would never move, and any number of items is sorted.
 *   3. Runs of a row are merged by more of Batcher's levels, the first of which compare lanes.
 *   4. Ranks are turned back into keys. All NaNs have one rank, which does not give their bits back. If one of
 *      the rows that are sorted at a time has a NaN, merge_in_turn.h sorts them, or, where rows are too long
 *      for it, the host by passes.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)
#define LANES_OF_LINE ((int)(IW_BLOCK_SORT_LINE_BYTES / sizeof(SCALAR)))
#define REGISTER_LANES IW_PASTE(IW_VL_, T)
#define REGISTERS_OF_LINE (LANES_OF_LINE / REGISTER_LANES)
/* Ranks in lanes are XORed with BIAS and compared as signed numbers: for lanes of 8 bytes many instruction
 * sets have that comparison only. */
#define BIAS ((SCALAR)1 << (8 * sizeof(SCALAR) - 1))
#define GREATEST ((SCALAR)~(SCALAR)0 ^ BIAS)
#define SIGNED IW_PASTE(BLOCK_SORT_SIGNED_, T)
#define RANKS IW_PASTE(iwv_, SIGNED)
#define OF_RANKS(name) IW_JOIN(IW_PASTE(iwv_, name), SIGNED)
#define ELEMENT IW_PASTE(iws_, SIGNED)
#define SOME_LANES(n) IW_PASTE(IW_SOME_, SIGNED)(iw_lanes_below(n), 0)
#define EACH_LANE(l) for (int l = 0; l < LANES_OF_LINE; l++)
/* The registers of so many lines that have one of the first lanes. */
#define EACH_REGISTER(i, lines, lanes) \
  for (uint32_t i = 0; i < (lines) * LANES_OF_LINE; i += REGISTER_LANES) if (i % LANES_OF_LINE < (lanes))

#ifndef IW_ROWS_BY_LANES_H
#define IW_ROWS_BY_LANES_H
#define BLOCK_SORT_SIGNED_u32 i32
#define BLOCK_SORT_SIGNED_u64 i64
enum { LINES_OF_BLOCK = 256 };
#endif

IW_FN RANKS FN(load_item)(const SCALAR *p) { return OF_RANKS(load)((const ELEMENT *)p); }
IW_FN void FN(store_item)(SCALAR *p, RANKS a) { OF_RANKS(store)((ELEMENT *)p, a); }
IW_FN RANKS FN(load_some)(const SCALAR *p, int count) { return OF_RANKS(load_masked)((const ELEMENT *)p, SOME_LANES(count)); }
IW_FN void FN(store_some)(SCALAR *p, int count, RANKS a) { OF_RANKS(store_masked)((ELEMENT *)p, SOME_LANES(count), a); }

/* ---- Keys into ranks, and back ----------------------------------------------------------------------- */

/* How keys become ranks: their bits are XORed with flip, and with change, too, if the sign bit is set
 * (total_order.h). Narrow keys are in the upper bits. */
typedef struct { RANKS flip, change, infinity, magnitude, zero; } FN(flips);

IW_FN RANKS FN(set1)(SCALAR x) { return OF_RANKS(set1)((ELEMENT)x); }

IW_FN FN(flips) FN(flips_of)(const iw_block_sort_args *args)
{
  const unsigned shift = 8 * ((unsigned)sizeof(SCALAR) - args->key_bytes);
  const iw_total_order order = args->order;
  FN(flips) f;
  f.flip = FN(set1)((SCALAR)order.flip << shift ^ BIAS);
  f.change = FN(set1)((SCALAR)(order.flip ^ order.negative_flip) << shift);
  f.infinity = FN(set1)((SCALAR)order.infinity << shift);
  f.magnitude = FN(set1)(order.infinity ? (SCALAR)(order.sign - 1) << shift : 0);
  f.zero = FN(set1)(0);
  return f;
}

IW_FN RANKS FN(change)(const FN(flips) *f, RANKS key)
{
  return OF_RANKS(xor)(key, OF_RANKS(select)(OF_RANKS(lt)(key, f->zero), f->change, f->zero));
}

/* The sign bit of *nans is set if a key is a NaN: then infinity minus its magnitude is negative. */
IW_FN RANKS FN(rank_of)(const FN(flips) *f, RANKS key, RANKS *nans)
{
  *nans = OF_RANKS(or)(*nans, OF_RANKS(sub)(f->infinity, OF_RANKS(and)(key, f->magnitude)));
  return OF_RANKS(xor)(FN(change)(f, key), f->flip);
}

/* Of a rank that is no NaN's. No change is one of the sign bit. */
IW_FN RANKS FN(key_of)(const FN(flips) *f, RANKS rank)
{
  return FN(change)(f, OF_RANKS(xor)(rank, f->flip));
}

/* ---- Rows into lanes, and back ----------------------------------------------------------------------- */

/* Transposes a square of keys of the width of ranks, which become ranks: from the runs `of` REGISTER_LANES
 * lanes, from key i of each on, to items. is_whole: no run ends before. The place of the outputs is
 * prefetched. */
IW_FN void FN(load_square)(const iw_block_sort_args *args, SCALAR *items, uint64_t origin, const block_sort_run *of, uint32_t i,
                           const int is_whole, const FN(flips) *f, RANKS *nans)
{
  RANKS r[REGISTER_LANES];
  IW_UNROLL for (int k = 0; k < REGISTER_LANES; k++) {
    const SCALAR *const from = (const SCALAR *)args->keys + (of[k].first - origin) + i;
    __builtin_prefetch((const SCALAR *)args->arrays[0].out + of[k].first + i, 1);
    r[k] = FN(rank_of)(f, is_whole ? FN(load_item)(from) : FN(load_some)(from, (int)of[k].length - (int)i), nans);
  }
  OF_RANKS(transpose)(r);
  IW_UNROLL for (int k = 0; k < REGISTER_LANES; k++) FN(store_item)(items + k * LANES_OF_LINE, r[k]);
}

/* The runs of a register's lanes, and the length of the shortest one. Lanes that are not in use have the
 * last run. */
IW_FN uint32_t FN(open_runs)(const block_sort_group *g, uint32_t lane, block_sort_run *of)
{
  uint32_t shortest = g->run;
  for (uint32_t k = 0; k < REGISTER_LANES; k++) {
    of[k] = block_sort_run_of(g, lane + k < g->lanes ? lane + k : g->lanes - 1);
    if (of[k].length < shortest) shortest = of[k].length;
  }
  return shortest;
}

/* Sets the sign bit of *nans as rank_of. Behind the end of a run its items are
 * unspecified. */
IW_FN void FN(load_runs)(const iw_block_sort_args *args, SCALAR *items, const block_sort_group *g, const FN(flips) *f, RANKS *nans)
{
  const uint32_t run = g->run, lanes = g->lanes;
  for (uint32_t lane = 0; lane < lanes; lane += REGISTER_LANES) {
    block_sort_run of[REGISTER_LANES];
    const uint32_t shortest = FN(open_runs)(g, lane, of);
    uint32_t i = 0;
    for (; i + REGISTER_LANES <= shortest; i += REGISTER_LANES)
      FN(load_square)(args, items + i * LANES_OF_LINE + lane, g->origin, of, i, 1, f, nans);
    for (; i < run; i += REGISTER_LANES) FN(load_square)(args, items + i * LANES_OF_LINE + lane, g->origin, of, i, 0, f, nans);
  }
}

/* The other way round. keys: of each lane, or 0 if that differs. */
IW_FN void FN(store_square)(const SCALAR *items, SCALAR *out, const block_sort_run *of, uint32_t i, int keys, const int is_whole, const FN(flips) *f)
{
  RANKS r[REGISTER_LANES];
  IW_UNROLL for (int k = 0; k < REGISTER_LANES; k++) r[k] = FN(key_of)(f, FN(load_item)(items + k * LANES_OF_LINE));
  OF_RANKS(transpose)(r);
  IW_UNROLL for (int k = 0; k < REGISTER_LANES; k++) {
    if (is_whole) FN(store_item)(out + of[k].first + i, r[k]);
    else if (keys) FN(store_some)(out + of[k].first + i, keys, r[k]);
    else if (i < of[k].length) FN(store_some)(out + of[k].first + i, (int)(of[k].length - i), r[k]);
  }
}

IW_FN void FN(store_runs)(const iw_block_sort_args *args, const SCALAR *items, const block_sort_group *g, const FN(flips) *f)
{
  SCALAR *const out = (SCALAR *)args->arrays[0].out;
  const uint32_t run = g->run, lanes = g->lanes;
  for (uint32_t lane = 0; lane < lanes; lane += REGISTER_LANES) {
    block_sort_run of[REGISTER_LANES];
    uint32_t shortest = FN(open_runs)(g, lane, of), i = 0;
    for (uint32_t k = lanes - lane; k < REGISTER_LANES; k++) of[k].length = shortest = 0;
    for (; i + REGISTER_LANES <= shortest; i += REGISTER_LANES) FN(store_square)(items + i * LANES_OF_LINE + lane, out, of, i, 0, 1, f);
    for (; i < run; i += REGISTER_LANES) FN(store_square)(items + i * LANES_OF_LINE + lane, out, of, i, shortest == run ? (int)(run - i) : 0, 0, f);
  }
}

/* Gives items behind the end of runs the greatest rank, up to the item `lines`, which all lanes lack. */
IW_FN void FN(fill_up)(const block_sort_group *g, SCALAR *items, uint32_t lines)
{
  const uint32_t run = g->run;
  for (uint32_t lane = 0; lane < g->lanes; lane++)
    for (uint32_t i = block_sort_run_of(g, lane).length; i < run; i++) items[i * LANES_OF_LINE + lane] = GREATEST;
  for (uint32_t i = run; i <= lines; i++) EACH_LANE(l) items[i * LANES_OF_LINE + (uint32_t)l] = GREATEST;
}

/* ---- The network, on one register of each line ------------------------------------------------------- */

/* Moves the smaller one of two items of each lane to a, and the other one to b. Where a maximum takes longer
 * than a ternary operation, or than two of bits, it is what remains of both without the minimum. */
IW_FN void FN(exchange)(RANKS *a, RANKS *b)
{
  enum { BY_BITS = sizeof(SCALAR) == 8 || sizeof(RANKS) == 64 };
  const RANKS least = OF_RANKS(min)(*a, *b);
  *b = BY_BITS ? OF_RANKS(xor)(OF_RANKS(xor)(*a, *b), least) : OF_RANKS(max)(*a, *b);
  *a = least;
}

/* A level of comparators in registers: those at this distance. */
#define LEVEL(distance) IW_UNROLL for (int k = 0; k < count / 2; k++) \
  { const int i = k / (distance) * 2 * (distance) + k % (distance); FN(exchange)(r + i, r + i + (distance)); }
#define LOAD_ITEMS RANKS r[16]; IW_UNROLL for (int i = 0; i < count; i++) \
  r[i] = i < used ? FN(load_item)(items + i * LANES_OF_LINE) : FN(set1)(GREATEST);
#define STORE_ITEMS IW_UNROLL for (int i = 0; i < count; i++) if (i < used) FN(store_item)(items + i * LANES_OF_LINE, r[i]);

/* Sorts `used` items, at most count, which is 8 or 16: Green's network of 60 comparators (Knuth, The Art of
 * Computer Programming, volume 3, section 5.3.4), and one of 19. */
IW_FN void FN(sort_few)(SCALAR *items, const int count, int used)
{
  static const uint8_t of_16[][2] = {
    { 5, 10 }, { 6, 9 }, { 3, 12 }, { 13, 14 }, { 4, 8 }, { 7, 11 }, { 1, 2 }, { 1, 4 }, { 7, 13 }, { 2, 8 },
    { 11, 14 }, { 2, 4 }, { 5, 6 }, { 9, 10 }, { 11, 13 }, { 3, 8 }, { 7, 12 }, { 6, 8 }, { 10, 12 }, { 3, 5 },
    { 7, 9 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 }, { 11, 12 }, { 6, 7 }, { 8, 9 }
  }, of_8[][2] = { { 3, 5 }, { 2, 4 }, { 1, 4 }, { 3, 6 }, { 1, 2 }, { 3, 4 }, { 5, 6 } };
  LOAD_ITEMS
  IW_UNROLL for (int distance = 1; distance < count; distance *= 2) LEVEL(distance)
  if (count == 16) IW_UNROLL for (int k = 0; k < 28; k++) FN(exchange)(r + of_16[k][0], r + of_16[k][1]);
  else IW_UNROLL for (int k = 0; k < 7; k++) FN(exchange)(r + of_8[k][0], r + of_8[k][1]);
  STORE_ITEMS
}

/* The last levels of a merge: of 8 or 16 items. */
IW_FN void FN(merge_few)(SCALAR *items, const int count)
{
  const int used = count;
  LOAD_ITEMS
  IW_UNROLL for (int distance = count / 2; distance; distance /= 2) LEVEL(distance)
  STORE_ITEMS
}

/* Levels of a merge on `count` items, from a on and `step` apart. In the first levels of a merge the upper
 * half of these is taken from its end: the last one is `last`. The item of index `lines` stands for all
 * items behind, if there are some, and keeps the greatest rank. */
IW_FN void FN(merge_items)(SCALAR *items, uint32_t a, uint32_t step, uint32_t last, uint32_t lines, const int is_first, const int count)
{
  SCALAR *at[8];
  RANKS r[8];
  IW_UNROLL for (int k = 0; k < count; k++) {
    const uint32_t i = is_first && k >= count / 2 ? last - (uint32_t)(count - 1 - k) * step : a + (uint32_t)k * step;
    at[k] = items + (i < lines ? i : lines) * LANES_OF_LINE;
    r[k] = FN(load_item)(at[k]);
  }
  if (is_first) IW_UNROLL for (int k = 0; k < count / 2; k++) FN(exchange)(r + k, r + count - 1 - k);
  IW_UNROLL for (int distance = is_first ? count / 4 : count / 2; distance; distance /= 2) LEVEL(distance)
  IW_UNROLL for (int k = 0; k < count; k++) FN(store_item)(at[k], r[k]);
}

/* Levels of all merges of `size` items: as many as registers of `count` items have. */
IW_FN void FN(merge_levels)(SCALAR *items, uint32_t lines, uint32_t size, const int is_first, const int count)
{
  const uint32_t step = size / (uint32_t)count;
  for (uint32_t begin = 0; begin + (is_first ? size / 2 : step) < lines; begin += size)
    for (uint32_t a = begin; a < begin + step && a + step < lines; a++) {
      const uint32_t last = is_first ? 2 * begin + size - 1 - a : a + (uint32_t)(count - 1) * step;
      if (last < lines) FN(merge_items)(items, a, step, last, UINT32_MAX, is_first, count);
      else FN(merge_items)(items, a, step, last, lines, is_first, count);
    }
}

/* The levels of merges of `size` items that are left for parts of so many. Each part is in the block of lines
 * that is given, or there are no more lines behind. */
IW_FN void FN(merge_parts)(SCALAR *items, uint32_t lines, uint32_t part, uint32_t size)
{
  for (; part > 16; part /= part == 32 ? 4 : 8) {
    if (part == 32 && part == size) FN(merge_levels)(items, lines, part, 1, 4);
    else if (part == 32) FN(merge_levels)(items, lines, part, 0, 4);
    else if (part == size) FN(merge_levels)(items, lines, part, 1, 8);
    else FN(merge_levels)(items, lines, part, 0, 8);
  }
  const uint32_t by_16 = part == 16 ? lines / 16 * 16 : 0;
  for (uint32_t i = 0; i < by_16; i += 16) FN(merge_few)(items + i * LANES_OF_LINE, 16);
  for (uint32_t i = by_16; i < lines; i += 8) FN(merge_few)(items + i * LANES_OF_LINE, 8);
}

#define EACH_BLOCK(begin, length) \
  for (uint32_t begin = 0, length; length = lines - begin < LINES_OF_BLOCK ? lines - begin : LINES_OF_BLOCK, begin < lines; begin += LINES_OF_BLOCK)

/* Sorts as many items as `lines`, a multiple of 8: levels of parts that stay in the first-level cache are
 * done block by block. */
IW_NOINLINE_FN void FN(sort_register)(SCALAR *items, uint32_t lines)
{
  const uint32_t whole = lines / 16 * 16;
  for (uint32_t i = 0; i < whole; i += 16) FN(sort_few)(items + i * LANES_OF_LINE, 16, 16);
  if (whole < lines) FN(sort_few)(items + whole * LANES_OF_LINE, 8, 8);
  EACH_BLOCK(begin, length)
    for (uint32_t size = 32; size / 2 < length && size <= LINES_OF_BLOCK; size *= 2)
      FN(merge_parts)(items + begin * LANES_OF_LINE, length, size, size);
  for (uint32_t size = 2 * LINES_OF_BLOCK; size / 2 < lines; size *= 2) {
    uint32_t part = size;
    for (; part > LINES_OF_BLOCK; part /= 8) {
      if (part == size) FN(merge_levels)(items, lines, part, 1, 8);
      else FN(merge_levels)(items, lines, part, 0, 8);
    }
    EACH_BLOCK(begin, length) FN(merge_parts)(items + begin * LANES_OF_LINE, length, part, size);
  }
}

/* ---- Merges of lanes --------------------------------------------------------------------------------- */

/* Lane l of the registers a, of a line, has to be compared with lane l ^ x of the registers b. The smaller
 * item moves to the one of both lanes whose bit `upper` is not set in a; uppers has the sign bit set in a
 * register's lanes with this bit. */
IW_FN void FN(exchange_lanes)(RANKS *a, RANKS *b, uint32_t x, uint32_t upper, RANKS uppers)
{
  const RANKS zero = FN(set1)(0);
  const int within = (int)(x % REGISTER_LANES);
  IW_UNROLL for (uint32_t k = 0; k < REGISTERS_OF_LINE; k++) {
    RANKS *const other = b + (k ^ x / REGISTER_LANES);
    RANKS low = a[k], high = within ? OF_RANKS(swap_lanes)(*other, within) : *other;
    if (a == b && !within && k & upper / REGISTER_LANES) continue; /* its other register has done it */
    FN(exchange)(&low, &high);
    if (upper < REGISTER_LANES) {
      const RANKS least = low;
      low = OF_RANKS(select)(OF_RANKS(lt)(uppers, zero), high, least);
      high = OF_RANKS(select)(OF_RANKS(lt)(uppers, zero), least, high);
    } else if (k & upper / REGISTER_LANES) {
      const RANKS least = low;
      low = high;
      high = least;
    }
    a[k] = low;
    if (a != b || !within) *other = within ? OF_RANKS(swap_lanes)(high, within) : high;
  }
}

/* Levels of the merge of each two neighbours of `half` lanes that compare lanes: the second neighbour is
 * taken from its end, and then each lane has items that a merge within it sorts. */
IW_FN void FN(merge_across)(SCALAR *items, uint32_t lines, uint32_t half)
{
  SCALAR bits[5][REGISTER_LANES];
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t l = 0; l < REGISTER_LANES; l++) bits[k][l] = l >> k & 1 ? (SCALAR)1 << (8 * sizeof(SCALAR) - 1) : 0;
  for (uint32_t i = 0; i < lines / 2; i++) {
    SCALAR *const at[2] = { items + i * LANES_OF_LINE, items + (lines - 1 - i) * LANES_OF_LINE };
    RANKS r[2][REGISTERS_OF_LINE];
    for (int e = 0; e < 2; e++)
      IW_UNROLL for (int k = 0; k < REGISTERS_OF_LINE; k++) r[e][k] = FN(load_item)(at[e] + k * REGISTER_LANES);
    FN(exchange_lanes)(r[0], r[1], 2 * half - 1, half, FN(load_item)(bits[__builtin_ctz(half)]));
    for (uint32_t d = half / 2; d; d /= 2)
      for (int e = 0; e < 2; e++) FN(exchange_lanes)(r[e], r[e], d, d, FN(load_item)(bits[__builtin_ctz(d)]));
    for (int e = 0; e < 2; e++)
      IW_UNROLL for (int k = 0; k < REGISTERS_OF_LINE; k++) FN(store_item)(at[e] + k * REGISTER_LANES, r[e][k]);
  }
}

/* The levels of a merge within lanes, of so many items: 5 to 8 times a power of two. */
IW_FN void FN(merge_within)(SCALAR *items, uint32_t lines)
{
  uint32_t part = lines;
  for (; part > 32; part /= 8) FN(merge_levels)(items, lines, part, 0, 8);
  if (part > 16) FN(merge_levels)(items, lines, part, 0, 4), part /= 4;
  else if (part > 8) FN(merge_levels)(items, lines, part, 0, 2), part /= 2;
  for (uint32_t i = 0; i < lines; i += part) {
    if (part == 8) FN(merge_few)(items + i * LANES_OF_LINE, 8);
    else FN(sort_few)(items + i * LANES_OF_LINE, 8, (int)part);
  }
}

/* Merges the runs of each row, which are sorted. */
IW_NOINLINE_FN void FN(merge_runs)(SCALAR *items, uint32_t lines, uint32_t runs, uint32_t lanes)
{
  for (uint32_t half = 1; half < runs; half *= 2) {
    FN(merge_across)(items, lines, half);
    for (uint32_t lane = 0; lane < lanes; lane += REGISTER_LANES) {
      uint32_t part = lines;
      for (; part > LINES_OF_BLOCK; part /= 8) FN(merge_levels)(items + lane, lines, part, 0, 8);
      for (uint32_t i = 0; i < lines; i += part) FN(merge_within)(items + i * LANES_OF_LINE + lane, part);
    }
  }
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* Sorts a group of rows, unless one has a NaN. Returns whether they are sorted. */
IW_NOINLINE_FN int FN(group)(const iw_block_sort_args *args, SCALAR *items, const block_sort_group *g)
{
  const uint32_t run = g->run, lanes = g->lanes, lines = (run + 7) / 8 * 8;
  const FN(flips) f = FN(flips_of)(args);
  SCALAR below[REGISTER_LANES], nans = 0;
  RANKS any = f.zero;
  if (args->key_bytes == sizeof(SCALAR)) {
    FN(load_runs)(args, items, g, &f, &any);
  } else {
    if (args->key_bytes == 2) block_sort_load_runs_u16(args, (void *)items, g);
    else block_sort_load_runs_u8(args, (void *)items, g);
    EACH_REGISTER(i, run, lanes) FN(store_item)(items + i, FN(rank_of)(&f, FN(load_item)(items + i), &any));
  }
  FN(store_item)(below, any);
  for (int l = 0; l < REGISTER_LANES; l++) nans |= below[l];
  if (nans >> (8 * sizeof(SCALAR) - 1)) return 0;
  FN(fill_up)(g, items, lines);
  for (uint32_t lane = 0; lane < lanes; lane += REGISTER_LANES) FN(sort_register)(items + lane, lines);
  if (g->runs > 1) FN(merge_runs)(items, lines, g->runs, lanes);
  if (args->key_bytes == sizeof(SCALAR)) {
    FN(store_runs)(args, items, g, &f);
    return 1;
  }
  EACH_REGISTER(i, run, lanes) FN(store_item)(items + i, FN(key_of)(&f, FN(load_item)(items + i)));
  if (args->key_bytes == 2) block_sort_store_runs_u16(args, (const void *)items, g);
  else block_sort_store_runs_u8(args, (const void *)items, g);
  return 1;
}

#undef FN
#undef LANES_OF_LINE
#undef REGISTER_LANES
#undef REGISTERS_OF_LINE
#undef BIAS
#undef GREATEST
#undef SIGNED
#undef RANKS
#undef OF_RANKS
#undef SOME_LANES
#undef ELEMENT
#undef EACH_LANE
#undef EACH_REGISTER
#undef LEVEL
#undef LOAD_ITEMS
#undef STORE_ITEMS
#undef EACH_BLOCK
