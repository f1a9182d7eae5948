/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule of block_sort for CPUs, for rows of keys alone; part of the template block_sort_kernel.h,
 * included once for each width of ranks: T is u32 or u64. A block is one warp.
 *   1. A row is one run, or a power of two of them. Each lane sorts a run. Ranks go to shared memory, item i of
 *      all lanes side by side, so that whole vectors are loaded.
 *   2. A network of minima and maxima sorts them, without a branch that depends on a key: Batcher's merge
 *      exchange (Knuth, The Art of Computer Programming, volume 3, section 5.2.2, algorithm M).
 *   3. Runs of a row are merged as in merge_in_turn.h, but without indices.
 *   4. Ranks are turned back into keys. The rank of a NaN cannot be, so rows are left to merge_in_turn.h if
 *      one of them has a NaN.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)

#ifndef IW_ROWS_BY_LANES_H
#define IW_ROWS_BY_LANES_H
IW_FN void block_sort_stage_rows_u32(const iw_block_sort_args *args, uint32_t *items, uint64_t first, uint32_t rows)
{
  if (args->key_bytes == 4) block_sort_rows_in_u32(args, items, first, rows);
  else if (args->key_bytes == 2) block_sort_rows_in_u16(args, items, first, rows);
  else block_sort_rows_in_u8(args, items, first, rows);
}

IW_FN void block_sort_unstage_rows_u32(const iw_block_sort_args *args, const uint32_t *items, uint64_t first, uint32_t rows)
{
  if (args->key_bytes == 4) block_sort_rows_out_u32(args, items, first, rows);
  else if (args->key_bytes == 2) block_sort_rows_out_u16(args, items, first, rows);
  else block_sort_rows_out_u8(args, items, first, rows);
}

IW_FN void block_sort_unstage_row_u32(const iw_block_sort_args *args, const uint32_t *row, uint64_t first)
{
  if (args->key_bytes == 4) block_sort_row_out_u32(args, row, first);
  else if (args->key_bytes == 2) block_sort_row_out_u16(args, row, first);
  else block_sort_row_out_u8(args, row, first);
}

IW_FN void block_sort_stage_rows_u64(const iw_block_sort_args *args, uint64_t *items, uint64_t first, uint32_t rows)
{
  block_sort_rows_in_u64(args, items, first, rows);
}

IW_FN void block_sort_unstage_rows_u64(const iw_block_sort_args *args, const uint64_t *items, uint64_t first, uint32_t rows)
{
  block_sort_rows_out_u64(args, items, first, rows);
}

IW_FN void block_sort_unstage_row_u64(const iw_block_sort_args *args, const uint64_t *row, uint64_t first)
{
  block_sort_row_out_u64(args, row, first);
}

/* What ranks in lanes are XORed with, and their comparison then: registers of 8-byte lanes often have
 * that of signed numbers only. */
enum { BLOCK_SORT_BIAS_u32 = 0 };
#define BLOCK_SORT_BIAS_u64 ((uint64_t)1 << 63)
IW_FN int block_sort_exceeds_u32(uint32_t a, uint32_t b) { return a > b; }
IW_FN int block_sort_exceeds_u64(uint64_t a, uint64_t b) { return (int64_t)a > (int64_t)b; }
#endif

/* Loops over the lanes are plain ones, which compilers turn into one register after the other. With
 * whole warps of the language, two of which exceed the registers of some targets, a network takes twice
 * as long. */
#define BIAS IW_PASTE(BLOCK_SORT_BIAS_, T)
#define EACH_LANE(l) for (int l = 0; l < IW_WARP_SIZE; l++)

/* How keys become ranks: their bits are XORed with flip, and with change, too, if the sign bit is set
 * (total_order.h). A copy, since stores of items may change the arguments as far as a compiler knows. */
typedef struct { SCALAR flip, change, infinity, magnitude; unsigned sign_at; } FN(flips);

IW_FN FN(flips) FN(flips_of)(const iw_block_sort_args *args)
{
  FN(flips) f;
  f.flip = (SCALAR)args->order.flip;
  f.change = f.flip ^ (SCALAR)args->order.negative_flip;
  f.infinity = (SCALAR)args->order.infinity;
  f.magnitude = f.infinity ? (SCALAR)(args->order.sign - 1) : 0;
  f.sign_at = 8 * args->key_bytes - 1;
  return f;
}

IW_FN SCALAR FN(rank_of)(FN(flips) f, SCALAR key)
{
  return key ^ ((SCALAR)(0 - (key >> f.sign_at & 1)) & f.change) ^ f.flip;
}

/* Of a rank that is no NaN's. */
IW_FN SCALAR FN(key_of)(FN(flips) f, SCALAR rank)
{
  const SCALAR key = rank ^ f.flip; /* but for the change, which keeps the sign bit */
  return key ^ ((SCALAR)(0 - (key >> f.sign_at & 1)) & f.change);
}

/* Turns a key of each lane into its rank. The highest bit of below is set if a key is a NaN: then
 * infinity minus its magnitude is negative. */
IW_FN void FN(rank_keys)(FN(flips) f, SCALAR *restrict keys, SCALAR *restrict below)
{
  EACH_LANE(l) {
    const SCALAR key = keys[l];
    below[l] |= f.infinity - (key & f.magnitude);
    keys[l] = FN(rank_of)(f, key) ^ BIAS;
  }
}

/* The other way round. */
IW_FN void FN(keys_of_ranks)(FN(flips) f, SCALAR *ranks)
{
  EACH_LANE(l) ranks[l] = FN(key_of)(f, ranks[l] ^ BIAS);
}

/* Turns keys in shared memory into ranks. Returns whether one of the lanes in use has a NaN. */
IW_FN int FN(rank_all)(const iw_block_sort_args *args, SCALAR *items, uint32_t lanes)
{
  const FN(flips) f = FN(flips_of)(args);
  const uint32_t run = (uint32_t)args->run;
  SCALAR below[IW_WARP_SIZE] = { 0 }, nans = 0;
  for (uint32_t i = 0; i < run; i++) FN(rank_keys)(f, items + i * IW_WARP_SIZE, below);
  for (uint32_t l = 0; l < lanes; l++) nans |= below[l];
  return (int)(nans >> (8 * sizeof(SCALAR) - 1));
}

/* Gives the last run of each row the greatest rank behind its end, where it is shorter than others. */
IW_FN void FN(fill_up)(const iw_block_sort_args *args, SCALAR *items, uint32_t runs, uint32_t rows)
{
  const uint32_t run = (uint32_t)args->run;
  for (uint32_t i = (uint32_t)args->columns - (runs - 1) * run; i < run; i++)
    for (uint32_t r = 1; r <= rows; r++) items[i * IW_WARP_SIZE + r * runs - 1] = (SCALAR)~(SCALAR)0 ^ BIAS;
}

/* Moves the smaller one of two items of each lane to a, and the other one to b. */
IW_FN void FN(exchange)(SCALAR *restrict a, SCALAR *restrict b)
{
  EACH_LANE(l) {
    const SCALAR x = a[l], y = b[l];
    a[l] = FN(exceeds)(x, y) ? y : x;
    b[l] = FN(exceeds)(x, y) ? x : y;
  }
}

/* Exchanges the items i and i + distance of each i whose bit p, a power of 2, is that of `begin`, from
 * there on. */
IW_FN void FN(exchange_all)(SCALAR *items, uint32_t n, uint32_t p, uint32_t begin, uint32_t distance)
{
  for (uint32_t first = begin; first + distance < n; first += 2 * p) {
    const uint32_t end = first + p + distance < n ? first + p : n - distance;
    for (uint32_t i = first; i < end; i++)
      FN(exchange)(items + i * IW_WARP_SIZE, items + (i + distance) * IW_WARP_SIZE);
  }
}

/* Algorithm M, with its variables' names. */
IW_FN void FN(merge_exchange)(SCALAR *items, uint32_t n)
{
  uint32_t top = 1;
  while (2 * top < n) top *= 2;
  for (uint32_t p = n > 1 ? top : 0; p; p /= 2) {
    FN(exchange_all)(items, n, p, 0, p);
    for (uint32_t q = top; q > p; q /= 2) FN(exchange_all)(items, n, p, p, q - p);
  }
}

/* Merges the runs of a row, which are in the lanes from `lane` on, and stores its keys. memory: twice
 * the row. */
IW_FN void FN(merge_runs)(const iw_block_sort_args *args, const SCALAR *items, uint32_t lane, SCALAR *memory, uint64_t first)
{
  const uint32_t run = (uint32_t)args->run, columns = (uint32_t)args->columns;
  FN(half) from = { memory, NULL }, into = { memory + columns, NULL };
  for (uint32_t begin = 0; begin < columns; begin += run, lane++)
    for (uint32_t i = 0; i < run && begin + i < columns; i++) from.ranks[begin + i] = items[i * IW_WARP_SIZE + lane] ^ BIAS;
  for (uint32_t length = run; length < columns; length *= 2) {
    for (uint32_t at = 0; at < columns; at += 2 * length) {
      const uint32_t middle = at + length < columns ? at + length : columns;
      FN(merge_two)(from, at, middle, middle + length < columns ? middle + length : columns, into);
    }
    const FN(half) merged = into;
    into = from;
    from = merged;
  }
  const FN(flips) f = FN(flips_of)(args);
  for (uint32_t i = 0; i < columns; i++) from.ranks[i] = FN(key_of)(f, from.ranks[i]);
  FN(unstage_row)(args, from.ranks, first);
}

/* Sorts rows, whose runs are at most as many as lanes, unless one has a NaN. *is_sorted, in shared
 * memory: whether it has sorted them. */
IW_FN void FN(rows)(iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared, uint64_t first, uint32_t rows,
                    uint32_t *is_sorted)
{
  SCALAR *const items = (SCALAR *)shared->memory;
  const uint32_t columns = (uint32_t)args->columns, run = (uint32_t)args->run, runs = (columns + run - 1) / run;
  IW_PHASE(warp) {
    (void)warp;
    FN(stage_rows)(args, items, first * columns, rows);
    const int sorted = !FN(rank_all)(args, items, rows * runs);
    if (sorted) {
      FN(fill_up)(args, items, runs, rows);
      FN(merge_exchange)(items, run);
    }
    if (sorted && runs == 1) {
      const FN(flips) f = FN(flips_of)(args);
      for (uint32_t i = 0; i < run; i++) FN(keys_of_ranks)(f, items + i * IW_WARP_SIZE);
      FN(unstage_rows)(args, items, first * columns, rows);
    } else if (sorted) {
      for (uint32_t r = 0; r < rows; r++)
        FN(merge_runs)(args, items, r * runs, items + run * IW_WARP_SIZE, (first + r) * columns);
    }
    *is_sorted = (uint32_t)sorted;
  }
}

#undef FN
#undef BIAS
#undef EACH_LANE
