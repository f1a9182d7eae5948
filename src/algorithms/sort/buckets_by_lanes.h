/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule of block_sort for CPUs, for keys of 4 or 8 bytes that are in order by their upper bits; part of
 * the template block_sort_kernel.h, included once for each width: T is u32 or u64. A block is one warp and
 * has a chunk. A bucket is the keys of equal upper bits. If it is too long to be sorted in the first-level
 * cache, it is split by digits of 8 bits into buckets of the next level. Short buckets are joined to rows,
 * which are sorted by lanes (rows_by_lanes.h). Keys of equal ranks are only moved, and splits are stable, so
 * that NaNs keep their order.
 *
 * Keys that have other arrays move with their indices. Rows of these, and of keys of 8 bytes where lanes are
 * few, are packed: an item of 4 bytes has the upper bits of a key's distance to the row's least one, and the
 * key's place in the row. So items differ, and are in the stable order of the keys but where upper bits are
 * equal; there places are inserted one by one, or, if they are many, get items anew.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)
#define FLOAT IW_PASTE(iws_, IW_PASTE(DIVISION_FLOAT_, T))
/* IS_PACKED: whether rows are packed. LANES_OF_LINE: the lanes of a line, of items or of keys. MOST_ROW:
 * keys that are sorted without a split, which would take longer than the levels of merges that it saves. */
#define IS_PACKED(args) ((args)->indices[0] || (sizeof(SCALAR) == 8 && BLOCK_SORT_PACKS_KEYS))
#define LANES_OF_LINE(args) (IW_BLOCK_SORT_LINE_BYTES / (IS_PACKED(args) ? 4 : (uint32_t)sizeof(SCALAR)))
#define MOST_ROW(args) (BLOCK_SORT_KEYS_OF_LANE * LANES_OF_LINE(args))

/* The ranks of the keys from `at` on, and which of them are there. */
IW_FN LANES FN(ranks_at)(const iw_block_sort_args *args, const SCALAR *keys, uint64_t at, uint64_t end, iw_pred *some)
{
  *some = iw_lanes_below((int64_t)(end - at));
  return OF_T(iw_total_rank)(&args->order, OF_T(iw_load)(keys + at, *some));
}

/* The end of the bucket of the key before `at` in order by upper bits; at most `end`. */
IW_FN uint64_t FN(upper_end)(const iw_block_sort_args *args, uint64_t at, uint64_t end)
{
  const LANES upper = iw_splat((SCALAR)args->upper);
  const SCALAR *const keys = (const SCALAR *)args->keys;
  iw_pred some;
  const LANES before = iw_broadcast(FN(ranks_at)(args, keys, at - 1, at, &some), 0);
  for (; at < end; at += IW_WARP_SIZE) {
    const LANES rank = FN(ranks_at)(args, keys, at, end, &some);
    const iw_pred same = OF_T(iw_eq)(OF_T(iw_and)(OF_T(iw_xor)(rank, before), upper), iw_splat((SCALAR)0));
    const iw_mask others = iw_ballot(some) & ~iw_ballot(same);
    if (others) return at + iw_lowest(others);
  }
  return end;
}

/* Of a rank that is no NaN's. Some numbers are no rank: then this value has another one. */
IW_FN FLOAT FN(value_of)(const iw_block_sort_args *args, SCALAR rank)
{
  const SCALAR bits = rank ^ (SCALAR)args->order.flip;
  return OF_T(division_float_of)(iw_total_rank(&args->order, bits) == rank ? bits : rank ^ (SCALAR)args->order.negative_flip);
}

/* The division of keys of ranks least … most by at most 2^bits digits. */
IW_FN iw_division FN(division_of)(const iw_block_sort_args *args, SCALAR least, SCALAR most, unsigned bits)
{
  const uint64_t range = most - least;
  const unsigned range_bits = 64 - (unsigned)__builtin_clzll(range);
  iw_division d = { .least = least, .most = most, .shift = range_bits > bits ? range_bits - bits : 0 };
  d.last = (uint32_t)(range >> d.shift);
  if (!args->order.infinity) return d;
  const FLOAT first = FN(value_of)(args, least), last = FN(value_of)(args, most);
  const int ascends = args->order.nan != 0;
  const FLOAT length = ascends ? first - last : last - first, scale = (FLOAT)(1u << bits) / length;
  const SCALAR bits_of_first = OF_T(division_bits_of)(first), bits_of_last = OF_T(division_bits_of)(last);
  if (iw_total_rank(&args->order, bits_of_first) != least || iw_total_rank(&args->order, bits_of_last) != most) return d;
  if (!(length - length == 0 && scale - scale == 0)) return d; /* not finite */
  d.base = ascends ? bits_of_last : bits_of_first;
  d.scale = OF_T(division_bits_of)(scale);
  d.flip = ascends ? (1u << bits) - 1 : 0;
  return d;
}

/* Counts digits, and sets *ends to where each ends, and b->counters to where it begins. Returns the
 * greatest count. */
IW_NOINLINE_FN uint32_t FN(count_digits)(const iw_block *block, const iw_block_sort_args *args, block_sort_buckets *b, const iw_division *d, const SCALAR *keys,
                         uint64_t count, uint32_t *ends)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  iw_u32 greatest = iw_splat_u32(0);
  uint32_t sum = 0, digits[IW_DIGIT_BATCH];
  for (uint32_t k = 0; k <= d->last; k += IW_WARP_SIZE)
    for (int r = 0; r < IW_COUNT_REPLICAS; r++) iw_store_u32(b->counters[r] + k, iw_splat_u32(0), all);
  for (uint64_t i = 0, some; i < count; i += some) {
    some = count - i < IW_DIGIT_BATCH ? count - i : IW_DIGIT_BATCH;
    OF_T(division_store)(&args->order, d, keys + i, some, digits);
    digit_batch_count(digits, some, b->counters[0], IW_RADIX_DIGITS);
  }
  for (uint32_t k = 0; k <= d->last; k += IW_WARP_SIZE) {
    iw_u32 counted = iw_load_u32(b->counters[0] + k, all);
    for (int r = 1; r < IW_COUNT_REPLICAS; r++) counted = iw_add_u32(counted, iw_load_u32(b->counters[r] + k, all));
    const iw_u32 through = iw_add_u32(iw_inclusive_prefix_sum_u32(counted), iw_splat_u32(sum));
    greatest = iw_max_u32(greatest, counted);
    iw_store_u32(ends + k, through, all);
    iw_store_u32(b->counters[0] + k, iw_sub_u32(through, counted), all);
    sum = iw_at_u32(through, IW_WARP_SIZE - 1);
  }
  return iw_warp_max_u32(greatest);
}

/* Moves the keys of a level from `at` on, and their indices, to where the counters of their digits point in
 * the next level. */
IW_NOINLINE_FN void FN(move_digits)(const iw_block_sort_args *args, block_sort_buckets *b, const iw_division *d, uint64_t at, uint64_t count)
{
  const block_sort_level *const to = &b->levels[b->depth], *const from = to - 1;
  const SCALAR *const keys = (const SCALAR *)from->keys + (at - from->origin);
  SCALAR *const out = (SCALAR *)to->keys + (at - to->origin);
  uint32_t *const indices = to->indices ? to->indices + (at - to->origin) : NULL;
  uint32_t digits[IW_DIGIT_BATCH], places[IW_DIGIT_BATCH];
  for (uint64_t i = 0, some; i < count; i += some) {
    some = count - i < IW_DIGIT_BATCH ? count - i : IW_DIGIT_BATCH;
    OF_T(division_store)(&args->order, d, keys + i, some, digits);
    if (indices && !from->indices)
      for (uint64_t k = 0; k < some; k += IW_WARP_SIZE) iw_store_u32(places + k, iw_iota_u32((uint32_t)(at + i + k)), iw_lanes_below(IW_WARP_SIZE));
    OF_T(digit_batch_scatter)(out, indices, b->counters[0], keys + i,
                              !indices ? NULL : from->indices ? from->indices + (at - from->origin) + i : places, digits, some,
                              count * sizeof(SCALAR), 1);
  }
}

/* Moves keys in order. */
IW_FN void FN(copy)(SCALAR *out, const SCALAR *in, uint64_t count)
{
  for (uint64_t i = 0; i < count && in != out; i += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(count - i));
    OF_T(iw_store)(out + i, OF_T(iw_load)(in + i, some), some);
  }
}

/* Opens the level of the keys at … end-1, of another level, that are about to be split: in shared memory if
 * they fit it and no other level's do, else in the output or the spare array, where the places of keys that
 * have moved are free. */
IW_FN block_sort_level *FN(open_level)(const iw_block_sort_args *args, block_sort_shared *shared, uint64_t at, uint64_t end)
{
  block_sort_buckets *const b = block_sort_buckets_of(shared);
  const block_sort_level *const from = &b->levels[b->depth];
  block_sort_level *const l = &b->levels[b->depth + 1];
  const size_t bytes = sizeof(SCALAR) + (args->indices[0] ? sizeof(uint32_t) : 0);
  const int is_local = !b->local_depth && (end - at) * bytes <= sizeof b->local;
  l->begin = l->at = at;
  l->end = end;
  l->digit = 0;
  l->origin = is_local ? at : 0;
  l->keys = is_local ? b->local : from->keys == args->arrays[0].out ? args->spare : args->arrays[0].out;
  l->indices = !args->indices[0] ? NULL : is_local ? (uint32_t *)(void *)((SCALAR *)(void *)b->local + (end - at))
                                                   : args->indices[l->keys == args->spare];
  b->local_depth = is_local ? b->depth + 1 : b->local_depth;
  b->depth++;
  return l;
}

/* The division d, which is by at most 2^bits digits, by another way than ranks. */
IW_FN iw_division FN(division_by)(const iw_division *d, uint32_t way, unsigned bits)
{
  iw_division other = *d;
  other.way = way;
  other.last = way == IW_BY_VALUE ? (1u << bits) - 1 : IW_RADIX_DIGITS - 1;
  if (way == IW_BY_LOGARITHM) other.shift = sizeof(SCALAR) == 8 ? 52 - 2 : 23 - 3; /* 64 or 32 exponents are 256 digits */
  return other;
}

/* Chooses the way by which the most frequent digit of a sample has fewest keys: of floats by values, if that
 * is possible, or ranks; of integers by ranks, if that is good enough, or logarithms. */
IW_FN void FN(choose_way)(const iw_block *block, const iw_block_sort_args *args, block_sort_buckets *b, iw_division *d, const SCALAR *keys,
                          uint64_t count, unsigned bits)
{
  enum { SAMPLED = 128, ENOUGH = SAMPLED / 8 };
  SCALAR sample[SAMPLED];
  uint32_t ends[IW_RADIX_DIGITS];
  for (uint32_t k = 0; k < SAMPLED; k++) sample[k] = keys[k * (count / SAMPLED)];
  const uint32_t by_rank = FN(count_digits)(block, args, b, d, sample, SAMPLED, ends);
  const int is_float = args->order.infinity != 0;
  if (is_float ? !d->scale : by_rank <= ENOUGH) return;
  const iw_division other = FN(division_by)(d, is_float ? IW_BY_VALUE : IW_BY_LOGARITHM, bits);
  if (FN(count_digits)(block, args, b, &other, sample, SAMPLED, ends) < (is_float ? by_rank : by_rank / 4 * 3)) *d = other;
}

/* Sets d->longest to the keys of a sorted sample in the longest digit in which keys differ. Returns the sum
 * of the squares of the lengths of such digits, of which a long one is a part even if it is shorter by
 * chance than those of other ways. */
IW_FN uint64_t FN(measure_digits)(const iw_block *block, const iw_block_sort_args *args, block_sort_buckets *b, iw_division *d)
{
  const SCALAR *const keys = (const SCALAR *)args->keys;
  uint32_t ends[IW_RADIX_DIGITS];
  uint64_t squares = 0;
  d->longest = 0;
  FN(count_digits)(block, args, b, d, keys, args->n, ends);
  for (uint32_t k = 0, begin = 0; k <= d->last; begin = ends[k++]) {
    const uint32_t length = ends[k] - begin;
    if (!length || iw_total_rank(&args->order, keys[begin]) == iw_total_rank(&args->order, keys[ends[k] - 1])) continue;
    d->longest = length > d->longest ? length : d->longest;
    squares += (uint64_t)length * length;
  }
  return squares;
}

/* Sets *division to the way by which digits of a sorted sample are shortest. Its range is that of the
 * sample, but for infinities and NaNs. */
IW_NOINLINE_FN void FN(choose_division)(const iw_block *block, const iw_block_sort_args *args, block_sort_buckets *b)
{
  enum { BITS = 8 };
  const SCALAR *const keys = (const SCALAR *)args->keys;
  const uint64_t below_sign = args->order.sign - 1, infinity = args->order.infinity;
  uint64_t first = 0, last = args->n - 1;
  while (infinity && first < last && (keys[first] & below_sign) >= infinity) first++;
  while (infinity && first < last && (keys[last] & below_sign) >= infinity) last--;
  const SCALAR least = (SCALAR)iw_total_rank(&args->order, keys[first]), most = (SCALAR)iw_total_rank(&args->order, keys[last]);
  args->division->longest = (uint32_t)args->n;
  if (least == most) return;
  iw_division d = FN(division_of)(args, least, most, BITS);
  d.clamps = 1;
  const uint64_t by_rank = FN(measure_digits)(block, args, b, &d);
  if (!infinity || d.scale) {
    iw_division other = FN(division_by)(&d, infinity ? IW_BY_VALUE : IW_BY_LOGARITHM, BITS);
    if (FN(measure_digits)(block, args, b, &other) < (infinity ? by_rank : by_rank / 2)) d = other;
  }
  *args->division = d;
}

/* Sets *first and *last to the least and the greatest rank of keys. Of keys of 8 bytes only the upper halves
 * are looked at where these differ, and there are no NaNs, whose halves may be an infinity's; then *first may
 * be less, and *last more. */
IW_NOINLINE_FN void FN(range)(const iw_block *block, const iw_block_sort_args *args, const SCALAR *keys, uint64_t count, SCALAR *first, SCALAR *last)
{
  enum { HALF = sizeof(SCALAR) == 8 ? 32 : 0 };
  const iw_total_order *const o = &args->order;
  const iw_total_order upper = { o->flip >> HALF, o->negative_flip >> HALF, o->infinity >> HALF, o->sign >> HALF, o->nan >> HALF };
  const uint32_t ends[2] = { (uint32_t)iw_total_rank(&upper, upper.infinity), (uint32_t)iw_total_rank(&upper, upper.infinity | upper.sign) };
  iw_u32 low = iw_splat_u32(~0u), high = iw_splat_u32(0);
  LANES least = iw_splat((SCALAR)~(SCALAR)0), most = iw_splat((SCALAR)0);
  iw_pred some;
  uint64_t i = 0;
  for (; i + IW_WARP_SIZE <= count; i += IW_WARP_SIZE) {
    const iw_u32 rank = iw_total_rank_u32(&upper, iw_to_u32(OF_T(iw_shr)(OF_T(iw_load)(keys + i, iw_lanes_below(IW_WARP_SIZE)), iw_splat((SCALAR)HALF))));
    low = iw_min_u32(low, rank);
    high = iw_max_u32(high, rank);
  }
  if (i < count) {
    some = iw_lanes_below((int64_t)(count - i));
    const iw_u32 rank = iw_total_rank_u32(&upper, iw_to_u32(OF_T(iw_shr)(OF_T(iw_load)(keys + i, some), iw_splat((SCALAR)HALF))));
    low = iw_select_u32(some, iw_min_u32(low, rank), low);
    high = iw_select_u32(some, iw_max_u32(high, rank), high);
  }
  const uint32_t from = iw_warp_min_u32(low), to = iw_warp_max_u32(high);
  const int has_ends = o->infinity && (from <= (ends[0] < ends[1] ? ends[0] : ends[1]) || to >= (ends[0] < ends[1] ? ends[1] : ends[0]));
  *first = (SCALAR)from << HALF;
  *last = ((SCALAR)to << HALF) | (((SCALAR)1 << HALF) - 1);
  if (!HALF || (from != to && !has_ends)) return;
  for (i = 0; i < count; i += IW_WARP_SIZE) {
    const LANES rank = FN(ranks_at)(args, keys, i, count, &some);
    least = OF_T(iw_select)(some, OF_T(iw_min)(least, rank), least);
    most = OF_T(iw_select)(some, OF_T(iw_max)(most, rank), most);
  }
  *first = iw_warp_min(least);
  *last = iw_warp_max(most);
}

/* ---- Packed rows ------------------------------------------------------------------------------------- */

/* How many lower bits of distances up to `range` are left out of items that have a place of `bits` bits. */
IW_FN unsigned FN(left_out)(uint64_t range, unsigned bits)
{
  const unsigned range_bits = range ? 64 - (unsigned)__builtin_clzll(range) : 0;
  return range_bits + bits > 32 ? range_bits + bits - 32 : 0;
}

/* Packs a row. Returns how many lower bits of an item are the key's place; sets *is_exact to whether the
 * others have all of the distance. */
IW_NOINLINE_FN unsigned FN(pack)(const iw_block *block, const iw_block_sort_args *args, const SCALAR *keys, uint32_t count, uint32_t *items, int *is_exact)
{
  SCALAR first, last;
  iw_pred some;
  FN(range)(block, args, keys, count, &first, &last);
  const unsigned bits = count > 1 ? 32 - (unsigned)__builtin_clz(count - 1) : 0, shift = FN(left_out)(last - first, bits);
  *is_exact = !shift;
  for (uint32_t i = 0; i < count; i += IW_WARP_SIZE) {
    const LANES distance = OF_T(iw_sub)(FN(ranks_at)(args, keys, i, count, &some), iw_splat(first));
    const iw_u32 upper = iw_to_u32(OF_T(iw_shr)(distance, iw_splat((SCALAR)shift)));
    iw_store_u32(items + i, iw_or_u32(iw_shl_u32(upper, iw_splat_u32(bits)), iw_iota_u32(i)), some);
  }
  return bits;
}

/* The first of the sorted items from `at` on that has the upper bits of the next one; `count`: none. */
IW_FN uint32_t FN(next_tie)(const uint32_t *items, uint32_t at, uint32_t count, unsigned bits)
{
  for (; at + 1 < count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)count - 1 - at);
    const iw_u32 differ = iw_xor_u32(iw_load_u32(items + at, some), iw_load_u32(items + at + 1, some));
    const iw_mask ties = iw_ballot(some) & iw_ballot(iw_eq_u32(iw_shr_u32(differ, iw_splat_u32(bits)), iw_splat_u32(0)));
    if (ties) return at + iw_lowest(ties);
  }
  return count;
}

/* Sorts items of rows that begin at g->begins; the group has what open_group() says of runs. */
IW_FN void FN(sort_items)(block_sort_shared *shared, uint32_t *items, const block_sort_group *g)
{
  iw_block_sort_args of_items;
  of_items.keys = of_items.arrays[0].out = items;
  of_items.key_bytes = 4;
  of_items.order = (iw_total_order){ .flip = 0 };
  block_sort_group_u32(&of_items, (uint32_t *)shared->memory, g);
}

/* Puts the item of index i in order among those from `begin` on, whose upper bits are equal. */
IW_FN void FN(insert)(const iw_block_sort_args *args, const SCALAR *keys, uint32_t *items, uint32_t begin, uint32_t i, uint32_t mask)
{
  const uint32_t item = items[i];
  const uint64_t rank = iw_total_rank(&args->order, keys[item & mask]);
  uint32_t to = begin, end = i;
  if (iw_total_rank(&args->order, keys[items[i - 1] & mask]) <= rank) return;
  while (to < end) {
    const uint32_t middle = to + (end - to) / 2;
    if (iw_total_rank(&args->order, keys[items[middle] & mask]) <= rank) to = middle + 1;
    else end = middle;
  }
  memmove(items + to + 1, items + to, (i - to) * sizeof *items);
  items[to] = item;
}

/* Puts sorted items in order where their upper bits are equal. Few are inserted, with a search. Many get the
 * upper bits of the distances to the least one of them, and are sorted again: their places ascend before, and
 * each time 19 bits of the distances or more are decided. */
IW_NOINLINE_FN void FN(sort_ties)(const iw_block_sort_args *args, block_sort_shared *shared, const SCALAR *keys, uint32_t *items, uint32_t count,
                                  unsigned bits)
{
  enum { FEW = 32 };
  const uint32_t mask = (1u << bits) - 1;
  static_assert(BLOCK_SORT_KEYS_OF_LANE * IW_BLOCK_SORT_LINE_BYTES / 4 <= 1 << 13, "a place has at most 13 bits");
  for (uint32_t begin = 0, end; (begin = FN(next_tie)(items, begin, count, bits)) < count; begin = end) {
    for (end = begin + 2; end < count && !((items[end] ^ items[begin]) >> bits);) end++;
    if (end - begin <= FEW) {
      for (uint32_t i = begin + 1; i < end; i++) FN(insert)(args, keys, items, begin, i, mask);
      continue;
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = begin; i < end; i++) {
      const uint64_t rank = iw_total_rank(&args->order, keys[items[i] & mask]);
      least = rank < least ? rank : least;
      most = rank > most ? rank : most;
    }
    if (least == most) continue;
    const unsigned shift = FN(left_out)(most - least, bits);
    for (uint32_t i = begin; i < end; i++) {
      const uint32_t place = items[i] & mask;
      items[i] = (uint32_t)((iw_total_rank(&args->order, keys[place]) - least) >> shift) << bits | place;
    }
    block_sort_group g = { .runs = 1, .rows = 1 };
    g.begins[1] = end - begin;
    block_sort_divide(&g, IW_BLOCK_SORT_LINE_BYTES / 4, end - begin);
    FN(sort_items)(shared, items + begin, &g);
    if (shift) FN(sort_ties)(args, shared, keys, items + begin, end - begin, bits);
  }
}

/* Stores the keys of a row from `at` on in the order of items, and other arrays. indices: of these keys, or
 * NULL. */
IW_NOINLINE_FN void FN(unpack)(const iw_block_sort_args *args, const SCALAR *keys, const uint32_t *indices, uint64_t at, uint32_t *items, uint32_t count,
                               unsigned bits)
{
  const uint32_t mask = (1u << bits) - 1;
  SCALAR *const out = (SCALAR *)args->arrays[0].out + at;
  if (args->arrays[0].width)
    for (uint32_t i = 0; i < count; i++) out[i] = keys[items[i] & mask];
  if (!args->indices[0]) return;
  for (uint32_t i = 0; i < count; i++) items[i] = indices ? indices[items[i] & mask] : (uint32_t)at + (items[i] & mask);
  block_sort_take(args, at, items, count);
}

/* Sorts a group of rows of a level, which are packed. */
IW_NOINLINE_FN void FN(packed_group)(const iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared, const block_sort_level *l)
{
  block_sort_buckets *const b = block_sort_buckets_of(shared);
  block_sort_group g = shared->group;
  const uint64_t at = g.begins[0], count = g.begins[g.rows] - at;
  const SCALAR *keys = (const SCALAR *)l->keys + (at - l->origin);
  unsigned bits[IW_BLOCK_SORT_LINE_BYTES / 4];
  int is_exact[IW_BLOCK_SORT_LINE_BYTES / 4];
  if (l->keys == args->arrays[0].out) {
    memcpy(b->staged, keys, count * sizeof *keys);
    keys = (const SCALAR *)(const void *)b->staged;
  }
  for (uint32_t r = 0; r <= g.rows; r++) g.begins[r] -= at;
  for (uint32_t r = 0; r < g.rows; r++)
    bits[r] = FN(pack)(block, args, keys + g.begins[r], (uint32_t)(g.begins[r + 1] - g.begins[r]), b->items + g.begins[r], is_exact + r);
  g.origin = 0;
  FN(sort_items)(shared, b->items, &g);
  for (uint32_t r = 0; r < g.rows; r++) {
    const uint64_t begin = g.begins[r];
    const uint32_t length = (uint32_t)(g.begins[r + 1] - begin);
    uint32_t *const items = b->items + begin;
    if (!is_exact[r]) FN(sort_ties)(args, shared, keys + begin, items, length, bits[r]);
    FN(unpack)(args, keys + begin, l->indices ? l->indices + (at + begin - l->origin) : NULL, at + begin, items, length, bits[r]);
  }
}

/* Moves keys of equal ranks of a level to the output, and other arrays. */
IW_NOINLINE_FN void FN(move_equal)(const iw_block_sort_args *args, block_sort_buckets *b, uint64_t at, uint64_t end)
{
  const block_sort_level *const l = &b->levels[b->depth];
  if (args->arrays[0].width) FN(copy)((SCALAR *)args->arrays[0].out + at, (const SCALAR *)l->keys + (at - l->origin), end - at);
  while (args->indices[0] && at < end) {
    const uint64_t count = end - at < BLOCK_SORT_PACKED ? end - at : BLOCK_SORT_PACKED;
    for (uint32_t i = 0; i < count && !l->indices; i++) b->items[i] = (uint32_t)at + i;
    block_sort_take(args, at, l->indices ? l->indices + (at - l->origin) : b->items, count);
    at += count;
  }
}

/* Splits the keys at … end-1 of a level into the next one, or, if their ranks are equal, moves them to the
 * output. */
IW_NOINLINE_FN void FN(split)(const iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared, uint64_t at, uint64_t end)
{
  enum { MEAN_BUCKET = 16, LEAST_SAMPLED = 2048 };
  block_sort_buckets *const b = block_sort_buckets_of(shared);
  const uint64_t count = end - at;
  const SCALAR *const in = (const SCALAR *)b->levels[b->depth].keys + (at - b->levels[b->depth].origin);
  SCALAR first, last;
  FN(range)(block, args, in, count, &first, &last);
  if (first == last) {
    FN(move_equal)(args, b, at, end);
    return;
  }
  unsigned bits = 1;
  while (bits < 8 && (uint64_t)MEAN_BUCKET << bits < count) bits++;
  iw_division d = FN(division_of)(args, first, last, bits);
  const int may_try = b->depth < BLOCK_SORT_TRIES && count >= LEAST_SAMPLED;
  block_sort_level *const l = FN(open_level)(args, shared, at, end);
  if (may_try) FN(choose_way)(block, args, b, &d, in, count, bits);
  FN(count_digits)(block, args, b, &d, in, count, l->ends);
  FN(move_digits)(args, b, &d, at, count);
}

/* The end of the bucket of the level that begins at `at`. *digit: that of a bucket before, or of this one,
 * then of this one. */
IW_FN uint64_t FN(bucket_end)(const iw_block_sort_args *args, const block_sort_buckets *b, uint64_t at, uint32_t *digit)
{
  const block_sort_level *const l = &b->levels[b->depth];
  if (!b->depth && !args->offsets_of_buckets) return args->upper ? FN(upper_end)(args, at + 1, l->end) : l->end;
  while (l->begin + l->ends[*digit] <= at) ++*digit;
  return l->begin + l->ends[*digit];
}

/* The end of a row of whole buckets from `at` on; `at` if a long bucket begins there. */
IW_FN uint64_t FN(row_end)(const iw_block_sort_args *args, const block_sort_buckets *b, uint64_t at, uint32_t *digit)
{
  enum { LEAST_ROW = 192, MOST_JOINED = 512 };
  const uint64_t begin = at, end = b->levels[b->depth].end;
  while (at < end && at - begin < LEAST_ROW) {
    const uint64_t to = FN(bucket_end)(args, b, at, digit);
    if (to - begin > (at == begin ? MOST_ROW(args) : MOST_JOINED)) break;
    at = to;
  }
  return at;
}

/* Makes a group of at most `most` rows, the first of which decides how many lanes a row has. Leaves the
 * level behind them. */
IW_FN void FN(open_group)(const iw_block_sort_args *args, block_sort_buckets *b, block_sort_group *g, uint32_t most)
{
  enum { MOST_OF_FIRST = 512 }; /* others may be longer, up to BLOCK_SORT_MOST_RUN */
  block_sort_level *const l = &b->levels[b->depth];
  const uint32_t lanes = LANES_OF_LINE(args);
  uint64_t longest = 0;
  uint32_t rows = 0, digit = l->digit;
  g->begins[0] = l->at;
  g->runs = 1;
  while (rows < most && (rows + 1) * g->runs <= lanes) {
    const uint64_t end = FN(row_end)(args, b, l->at, &digit), length = end - l->at;
    while (!rows && length > (uint64_t)MOST_OF_FIRST * g->runs) g->runs *= 2;
    if (!length || length > (uint64_t)BLOCK_SORT_MOST_RUN * g->runs) break;
    longest = length > longest ? length : longest;
    g->begins[++rows] = l->at = end;
    l->digit = digit;
  }
  g->rows = rows;
  block_sort_divide(g, lanes, longest);
}

/* Sorts the next group of rows of a chunk; g->rows 0: there is none. If the one row of a group has a NaN,
 * it is not sorted, but in the output. */
IW_FN void FN(next_group)(const iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared)
{
  block_sort_buckets *const b = block_sort_buckets_of(shared);
  block_sort_group *const g = &shared->group;
  for (;;) {
    block_sort_level *const l = &b->levels[b->depth];
    uint32_t digit = l->digit;
    g->rows = 0;
    if (l->at == l->end) {
      if (!b->depth) return;
      if (b->local_depth == b->depth--) b->local_depth = 0;
      continue;
    }
    const uint64_t to = FN(bucket_end)(args, b, l->at, &digit);
    if (to - l->at > (uint64_t)(l->at < b->one_by_one ? BLOCK_SORT_CAPACITY : MOST_ROW(args))) {
      const uint64_t at = l->at;
      l->at = to;
      FN(split)(block, args, shared, at, to);
      continue;
    }
    FN(open_group)(args, b, g, l->at < b->one_by_one ? 1 : LANES_OF_LINE(args));
    if (IS_PACKED(args)) {
      FN(packed_group)(block, args, shared, l);
      g->is_sorted = 1;
      return;
    }
    iw_block_sort_args from = *args;
    from.keys = l->keys;
    g->origin = l->origin;
    g->is_sorted = (uint32_t)FN(group)(&from, (SCALAR *)shared->memory, g);
    if (g->is_sorted) return;
    if (g->rows == 1 && l->at - g->begins[0] <= BLOCK_SORT_CAPACITY) {
      FN(copy)((SCALAR *)args->arrays[0].out + g->begins[0], (const SCALAR *)l->keys + (g->begins[0] - l->origin), l->at - g->begins[0]);
      return;
    }
    b->one_by_one = l->at;
    l->at = g->begins[0];
    l->digit = digit;
  }
}

#undef FN
#undef IS_PACKED
#undef FLOAT
#undef MOST_ROW
#undef LANES_OF_LINE
