/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of write_buffers.h, included once for each width of elements: T is u8, u16, u32, u64 or u128.
 */
#define FN(name) IW_JOIN(IW_JOIN(multisplit, name), T)

/* Appends the elements at … end-1 to the buffers of their digits. in NULL: their indices. */
IW_NOINLINE_FN void FN(append_stream)(const iw_radix_args *args, multisplit_shared *shared, iw_write_buffers *buffers,
                                      const SCALAR *in, uint64_t at, uint64_t end)
{
  for (; at < end; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at));
    const SCALAR *const from = in ? in + at : (const SCALAR *)multisplit_make_indices(shared, at, sizeof(SCALAR));
    if (in) iw_prefetch((const char *)from + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
    OF_T(iw_write_buffer_append)(buffers, from, multisplit_load_digits(args, at, some), some);
  }
}

/* Appends whole warps of two streams alternately: the elements from `first` on and, no more of them, from
 * `second` to end-1. Returns how many elements of each it appended. */
IW_NOINLINE_FN uint64_t FN(append_two_streams)(const iw_radix_args *args, multisplit_shared *shared, const SCALAR *in,
                                               uint64_t first, uint64_t second, uint64_t end)
{
  const iw_pred whole = iw_lanes_below(IW_WARP_SIZE);
  const uint64_t begin = second;
  for (; second + IW_WARP_SIZE <= end; first += IW_WARP_SIZE, second += IW_WARP_SIZE) {
    iw_prefetch((const char *)(in + first) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
    iw_prefetch((const char *)(in + second) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(SCALAR));
    OF_T(iw_write_buffer_append_both)(shared->buffers, in + first, multisplit_load_digits(args, first, whole),
                                      shared->buffers + 1, in + second, multisplit_load_digits(args, second, whole));
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
  for (; at < end; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at));
    const SCALAR *const from = moved->in ? (const SCALAR *)moved->in + at
                                         : (const SCALAR *)multisplit_make_indices(shared, at, sizeof(SCALAR));
    const iw_u32 digit = multisplit_load_digits(args, at, some);
    if (other) OF_T(scatter_with_indices)((SCALAR *)moved->out, (uint32_t *)other->out, shared->counters, from,
      other->in ? (const uint32_t *)other->in + at : (const uint32_t *)multisplit_make_indices(shared, at, sizeof(uint32_t)), digit, some);
    else OF_T(iw_scatter_ranked)((SCALAR *)moved->out, shared->counters, from, digit, some);
  }
}

/* Moves an array's elements of a chunk, and those of `other` as above. */
IW_FN void FN(move_array)(const iw_radix_args *args, multisplit_shared *shared, const iw_move_array *moved, const iw_move_array *other,
                          uint64_t at, uint64_t middle, uint64_t end, int two_streams)
{
  if (args->unbuffered) FN(move_unbuffered)(args, shared, moved, other, at, end);
  else FN(move_buffered)(args, shared, moved, at, middle, end, two_streams && moved->in);
}

#undef FN
