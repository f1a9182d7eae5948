/* SPDX-License-Identifier: Apache-2.0
 *
 * The write-combining schedule of multisplit_move, for CPUs; part of the template radix_split_kernel.h. A
 * block is a thread with one warp and moves a chunk. It appends each element to the write-combining buffer
 * of its digit; a full buffer is flushed as whole cache lines, with streaming stores if the outputs are
 * larger than the caches (doc/design/sort.md#the-split-on-cpus; the technique is known from radix
 * partitioning in databases, for example Wassenberg and Sanders 2011). A chunk has two parts. If one digit
 * has more than 1/MULTISPLIT_SKEW_LIMIT of the elements, consecutive elements wait for the same buffer
 * position; both parts are then moved at the same time, with buffers of their own. If the host sets
 * args->unbuffered, elements are scattered without buffers.
 *
 * Of a short array, several threads would write most lines. There, a first launch moves elements within their
 * chunks (args->within_chunks), and in a second one each thread copies all of a part of the outputs
 * (args->gathers).
 */
static_assert(MULTISPLIT_WARPS == 1, "write-combining buffers are one warp's");
static_assert((int)IW_RADIX_DIGITS <= (int)IW_MAX_WRITE_BUFFERS, "each digit has a buffer");

typedef struct {
  iw_write_buffers buffers[MULTISPLIT_PARTS];
  uint64_t indices[IW_DIGIT_BATCH];                         /* elements of an array that is generated */
  uint64_t bases[MULTISPLIT_PARTS * IW_RADIX_DIGITS];       /* output position of each part's first element of each digit */
  uint32_t counters[MULTISPLIT_COUNT_TABLES * IW_RADIX_DIGITS];
} multisplit_shared;

/* A batch's elements from `at` on, of `width` bytes. in NULL: their indices. */
IW_NOINLINE_FN const void *multisplit_batch_of(multisplit_shared *shared, const void *in, uint64_t at, size_t width)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  if (in) return (const char *)in + at * width;
  for (uint64_t k = 0; k < IW_DIGIT_BATCH; k += IW_WARP_SIZE)
    if (width == 8) iw_store(shared->indices + k, iw_iota_u64(at + k), all);
    else iw_store_u32((uint32_t *)shared->indices + k, iw_iota_u32((uint32_t)(at + k)), all);
  return shared->indices;
}

/* For each width of elements: multisplit_move_array_T. */
#define IW_TYPE_SET (IW_SET_OF_WIDTHS | IW_SET_u128)
#define IW_TEMPLATE "algorithms/multisplit/write_buffers_move.h"
#include <isowarp/language/for_each_type.h>

/* The output positions of a chunk's first elements of the 32 digits from d on. *sum: the elements of lower
 * digits, to which those of these are added. */
IW_FN iw_u64 multisplit_chunk_positions(const iw_radix_args *args, uint64_t chunk, uint32_t d, uint64_t *sum)
{
  const uint32_t *const counts = args->chunk_counts + d;
  iw_u64 before = iw_splat((uint64_t)0);
  uint64_t c = 0;
  for (; c < chunk; c++) before = iw_add(before, iw_to_u64(iw_load(counts + c * IW_RADIX_DIGITS, iw_lanes_below(IW_WARP_SIZE))));
  iw_u64 all = before;
  for (; c < args->chunks; c++) all = iw_add(all, iw_to_u64(iw_load(counts + c * IW_RADIX_DIGITS, iw_lanes_below(IW_WARP_SIZE))));
  const iw_u64 through = iw_inclusive_prefix_sum_u64(all);
  const iw_u64 position = iw_add(iw_add(iw_sub(through, all), before), iw_splat(*sum));
  *sum += iw_at_u64(through, IW_WARP_SIZE - 1);
  return position;
}

/* Computes the bases. Returns how many elements the most frequent digit has in the first part. first: the
 * chunk's first element. */
IW_FN uint64_t multisplit_load_bases(const iw_block *block, const iw_radix_args *args, multisplit_shared *shared, uint64_t first)
{
  uint64_t sum = 0, most = 0;
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    iw_u64 position, in_first;
    if (args->within_chunks) {
      const iw_u32 of_first = multisplit_part_counts(args, shared->counters, 0, d);
      const iw_u32 count = args->parts == 1 ? of_first : iw_add(of_first, multisplit_part_counts(args, shared->counters, 1, d));
      const iw_u32 through = iw_inclusive_prefix_sum_u32(count);
      position = iw_add(iw_to_u64(iw_sub(through, count)), iw_splat(sum));
      if (args->chunks > 1) {
        multisplit_store_counts(args, block->index, d, count);
        iw_store(args->part_prefixes + block->index * IW_RADIX_DIGITS + d, iw_to_u32(position), all);
        position = iw_add(position, iw_splat(first));
      }
      in_first = iw_to_u64(of_first);
      sum += iw_at_u32(through, IW_WARP_SIZE - 1);
    } else {
      position = multisplit_chunk_positions(args, block->index, d, &sum);
      in_first = iw_to_u64(iw_load(args->part_prefixes + (block->index * 2 + 1) * IW_RADIX_DIGITS + d, all));
    }
    iw_store(shared->bases + d, position, all);
    if (args->parts > 1) {
      const uint64_t here = iw_warp_max_u64(in_first);
      most = here > most ? here : most;
      iw_store(shared->bases + IW_RADIX_DIGITS + d, iw_add(position, in_first), all);
    }
    if (block->index == 0 && args->offsets) multisplit_store_offsets(args, d, position);
  }
  return most;
}

/* Copies `bytes` bytes. Whole vectors may write behind them, up to `most` bytes in all. */
IW_FN void multisplit_copy_run(char *to, const char *from, uint64_t bytes, uint64_t most)
{
  enum { VECTOR_BYTES = 32 };
  uint64_t k = 0;
  for (; k < bytes && k + VECTOR_BYTES <= most; k += VECTOR_BYTES) memcpy(to + k, from + k, VECTOR_BYTES);
  if (k < bytes) memcpy(to + k, from + k, bytes - k);
}

/* Copies a block's part of the outputs from all chunks, whose elements are in the order of their digits: for
 * each digit a run of each chunk. What is copied behind a run is overwritten by the next ones. */
IW_FN void multisplit_gather(const iw_block *block, const iw_radix_args *args, multisplit_shared *shared)
{
  const uint64_t at = block->index * args->part, end = multisplit_clamp(args, at + args->part);
  uint64_t sum = 0;
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) {
    const iw_u64 position = multisplit_chunk_positions(args, 0, d, &sum);
    iw_store(shared->bases + d, position, iw_lanes_below(IW_WARP_SIZE));
    if (block->index == 0 && args->offsets) multisplit_store_offsets(args, d, position);
  }
  uint32_t d = 0;
  while (d < args->mask && shared->bases[d + 1] <= at) d++;
  for (uint64_t position = shared->bases[d]; position < end; d++)
    for (uint64_t c = 0; c < args->chunks; c++) {
      const uint64_t k = c * IW_RADIX_DIGITS + d, next = position + args->chunk_counts[k];
      const uint64_t to = position < at ? at : position, last = next < end ? next : end;
      const uint64_t from = c * args->part + args->part_prefixes[k] + (to - position);
      const uint64_t most = end - to < args->n - from ? end - to : args->n - from;
      position = next;
      for (uint32_t m = 0; m < args->array_count && to < last; m++) {
        const iw_move_array *const moved = args->arrays + m;
        multisplit_copy_run((char *)moved->out + to * moved->width, (const char *)moved->in + from * moved->width,
                            (last - to) * moved->width, most * moved->width);
      }
    }
}

IW_KERNEL_NO_SPECIALIZATION(multisplit_move, multisplit_shared, iw_radix_args, MULTISPLIT_WARPS * 32, MULTISPLIT_BLOCKS)
{
  if (!multisplit_runs(args)) return;
  if (args->gathers) {
    IW_PHASE(warp) { multisplit_gather(block, args, shared); }
    return;
  }
  if (args->within_chunks) {
    IW_PHASE(warp) { multisplit_clear_counters(block, args, warp, shared->counters); }
    IW_PHASE(warp) { multisplit_count_chunk(block, args, warp, block->index, shared->counters); }
  }
  IW_PHASE(warp) {
    const uint64_t first = block->index * args->parts * args->part;
    const uint64_t at = multisplit_clamp(args, first), middle = multisplit_clamp(args, first + args->part);
    const uint64_t end = multisplit_clamp(args, first + args->parts * args->part);
    const int two_streams = multisplit_load_bases(block, args, shared, at) > (middle - at) / MULTISPLIT_SKEW_LIMIT;
    for (uint32_t m = 0; m < args->array_count; m++) {
      const iw_move_array *const moved = args->arrays + m;
      /* An array of 4 bytes is scattered with the one before it. */
      const iw_move_array *const other = args->unbuffered && moved->in && m + 1 < args->array_count && moved[1].width == 4 ? moved + 1 : NULL;
      m += other != NULL;
      switch (moved->width) {
      case 1: multisplit_move_array_u8(args, shared, moved, other, at, middle, end, two_streams); break;
      case 2: multisplit_move_array_u16(args, shared, moved, other, at, middle, end, two_streams); break;
      case 4: multisplit_move_array_u32(args, shared, moved, other, at, middle, end, two_streams); break;
      case 8: multisplit_move_array_u64(args, shared, moved, other, at, middle, end, two_streams); break;
      default: multisplit_move_array_u128(args, shared, moved, other, at, middle, end, two_streams); break;
      }
    }
  }
}
