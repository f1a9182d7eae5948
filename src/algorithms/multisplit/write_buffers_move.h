/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of write_buffers.h, included once for each width of elements: T is u8, u16, u32, u64 or u128.
 */
#define FN(name) IW_JOIN(IW_JOIN(multisplit, name), T)

/* Appends the elements at … end-1 to the buffers of their digits. in NULL: their indices. */
IW_NOINLINE_FN void FN(append_stream)(const iw_radix_args *args, multisplit_shared *shared, iw_write_buffers *buffers,
                                      const SCALAR *in, uint64_t at, uint64_t end)
{
  uint32_t digits[IW_DIGIT_BATCH];
  for (uint64_t count; at < end; at += count) {
    count = multisplit_store_digits(args, at, end, digits);
    const SCALAR *const from = (const SCALAR *)multisplit_batch_of(shared, in, at, sizeof(SCALAR));
    for (uint64_t k = 0; k < count; k += IW_WARP_SIZE) {
      if (in) iw_prefetch((const char *)(from + k) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
      OF_T(iw_write_buffer_append)(buffers, from + k, iw_load(digits + k, iw_lanes_below(IW_WARP_SIZE)), iw_lanes_below((int64_t)(count - k)));
    }
  }
}

/* Appends whole warps of two streams alternately: the elements from `first` on and, no more of them, from
 * `second` to end-1. Returns how many elements of each it appended. */
IW_NOINLINE_FN uint64_t FN(append_two_streams)(const iw_radix_args *args, multisplit_shared *shared, const SCALAR *in,
                                               uint64_t first, uint64_t second, uint64_t end)
{
  const iw_pred whole = iw_lanes_below(IW_WARP_SIZE);
  const uint64_t begin = second;
  uint32_t digits[IW_DIGIT_BATCH], second_digits[IW_DIGIT_BATCH];
  while (second + IW_WARP_SIZE <= end) {
    const uint64_t count = multisplit_store_digits(args, second, end, second_digits) / IW_WARP_SIZE * IW_WARP_SIZE;
    multisplit_store_digits(args, first, first + count, digits);
    for (uint64_t k = 0; k < count; k += IW_WARP_SIZE, first += IW_WARP_SIZE, second += IW_WARP_SIZE) {
      iw_prefetch((const char *)(in + first) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
      iw_prefetch((const char *)(in + second) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
      OF_T(iw_write_buffer_append_both)(shared->buffers, in + first, iw_load(digits + k, whole),
                                        shared->buffers + 1, in + second, iw_load(second_digits + k, whole));
    }
  }
  return second - begin;
}

/* Moves the elements at … end-1 through the buffers; two_streams: the parts at … middle-1 and middle …
 * end-1 at the same time. */
IW_FN void FN(move_buffered)(const iw_radix_args *args, multisplit_shared *shared, const iw_move_array *moved, uint64_t at,
                             uint64_t middle, uint64_t end, int two_streams)
{
  const SCALAR *const in = (const SCALAR *)moved->in;
  SCALAR *const out = (SCALAR *)moved->out;
  iw_write_buffers *const one = shared->buffers, *const other = shared->buffers + 1;
  const uint32_t digits = args->mask + 1;
  OF_T(iw_write_buffers_open)(one, out, shared->bases, digits, (int)args->nontemporal);
  if (two_streams) {
    OF_T(iw_write_buffers_open)(other, out, shared->bases + IW_RADIX_DIGITS, digits, (int)args->nontemporal);
    const uint64_t appended = FN(append_two_streams)(args, shared, in, at, middle, end);
    FN(append_stream)(args, shared, other, in, middle + appended, end);
    OF_T(iw_write_buffers_close)(other, digits);
    at += appended;
    end = middle;
  }
  FN(append_stream)(args, shared, one, in, at, end);
  OF_T(iw_write_buffers_close)(one, digits);
}

/* Moves the elements at … end-1 without buffers: each digit's next output position is a counter. other: NULL,
 * or an array of 4 bytes that moves too. */
IW_NOINLINE_FN void FN(move_unbuffered)(const iw_radix_args *args, multisplit_shared *shared, const iw_move_array *moved,
                                        const iw_move_array *other, uint64_t at, uint64_t end)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE)
    iw_store(shared->counters + d, iw_to_u32(iw_load(shared->bases + d, all)), all);
  uint32_t digits[IW_DIGIT_BATCH];
  for (uint64_t count; at < end; at += count) {
    count = multisplit_store_digits(args, at, end, digits);
    IW_JOIN(digit_batch_scatter, T)((SCALAR *)moved->out, other ? (uint32_t *)other->out : NULL, shared->counters,
      (const SCALAR *)multisplit_batch_of(shared, moved->in, at, sizeof(SCALAR)),
      other ? (const uint32_t *)multisplit_batch_of(shared, other->in, at, sizeof(uint32_t)) : NULL, digits, count, args->n * sizeof(SCALAR),
      (int)args->prefetches);
  }
}

/* Whether buckets begin in so few of the 64 sets of the first-level cache that scattered lines evict each
 * other, as where all buckets have one power of two elements (doc/design/sort.md#the-split-on-cpus). */
IW_FN int FN(evicts)(const iw_radix_args *args, const multisplit_shared *shared)
{
  enum { MOST_IN_A_SET = 32 };
  iw_mask sets = 0;
  unsigned buckets = 0; /* that are not empty */
  for (uint32_t d = 0; d <= args->mask; d++) {
    buckets += d == args->mask || shared->bases[d] != shared->bases[d + 1];
    sets |= (iw_mask)1 << shared->bases[d] * sizeof(SCALAR) / 64 % 64;
  }
  return buckets > MOST_IN_A_SET * iw_popcount(sets);
}

/* Moves an array's elements of a chunk. other: NULL, or an array that moves too; then without buffers. */
IW_FN void FN(move_array)(const iw_radix_args *args, multisplit_shared *shared, const iw_move_array *moved, const iw_move_array *other,
                          uint64_t at, uint64_t middle, uint64_t end, int two_streams)
{
  if (other || (args->unbuffered && !FN(evicts)(args, shared))) FN(move_unbuffered)(args, shared, moved, other, at, end);
  else FN(move_buffered)(args, shared, moved, at, middle, end, two_streams && moved->in);
}

#undef FN
