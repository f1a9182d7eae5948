/* SPDX-License-Identifier: Apache-2.0
 *
 * Primitives of the kernel language that the library's own kernel templates use. They may change with any
 * release: kernels of your own are written with <isowarp/kernel.h>, which this header includes.
 *
 * T is a lane type, t its scalar; names are shown for one type. "stream" is a hint to write past the caches.
 * `valid` counts the elements that exist, from the first of the row on.
 *
 * Indices of floats
 *   iw_u32 iw_to_index(a, last)           iw_min(iw_to_u32(a), last) for a uniform last below 2^31; cheaper
 *                                         on some targets
 *   iw_u32 iw_floor_index(a, &past)       floor(a) modulo 2^32 for 0 <= a < 2^22 (f64: 2^31); past: the
 *                                         signed distance of a from its nearest integer. NaN for NaN; other
 *                                         a are unspecified
 *   iw_floors_f32 s                       floors of many floats: iw_floors_open_f32(&s) begins,
 *                                         iw_floors_add_f32(&s, a) is iw_floor_index of any a
 *   int iw_floors_unambiguous_f32(&s, count, tau)   whether for all lanes and all a added so far the floor
 *                                         is in 0 ... count-1 and a is farther than tau (below 1/2) from
 *                                         any integer. If not, what iw_floors_add gave is unspecified.
 *                                         count: at most 2^22 (f64: 2^31 - 1)
 *   iw_u32 iw_nearest_index_f32(a)        the nearest integer (either one at a tie) modulo 2^32; for NaN and
 *                                         a beyond the range of iw_floor_index some value of at least 2^22
 *                                         (f64: 2^31 - 1)
 *   iw_edges_f32 e                        even edges: iw_edges_open_f32(&e, count, first, step), step above
 *                                         0, begins; iw_edges_at_f32(&e, k) is k * step + first computed in
 *                                         f64, for k < count; no larger than that for k == count;
 *                                         unspecified beyond
 *   T iw_canonical(a)                     NaN replaced by the canonical NaN
 *   T iw_flip_bits_T(a, b)                a with the bits inverted that are set in b
 *   iw_u32 iw_raw_bits(a)                 iw_as_bits of an a that is no NaN (f64: an iw_u64); of a NaN
 *                                         unspecified
 *   iw_u32 iw_bitfield_extract(a, at, bits)   bits (below 32) of each lane from bit `at` on
 *
 * Memory
 *   iw_mask iw_ballot_u8(p, some)         the lanes of `some` whose byte p[l] is not 0
 *   unsigned iw_compact_both(p, q, a, chosen, some)   iw_compact of the chosen lanes to p, of the others of
 *                                         `some` to q
 *   iw_u32 iw_gather_relaxed_u32(p, i, some)   iw_gather by relaxed atomic loads: other lanes may change p[i] by
 *                                         atomics in the same phase
 *   iw_scatter_bits_u8(p, i, a, some), iw_scatter_bits_far_u8; u16 u32 u64   scatters of bits that no lane
 *                                         reads in the same phase, or before the warp's next iw_store
 *   iw_opaque(p)                          p, to global memory, as the compiler must take it: it forms no other
 *                                         address from what was added to p before
 *   iw_set_raw_u32(p, v)                  iw_set of bits: a NaN is stored as it is
 *   t iw_fold_segments_sum(first, a, heads, &before), and _min _max   iw_fold_sum that starts anew at the
 *                                         lanes of the mask `heads`
 *
 * Counters (uint32_t, in shared memory)
 *   iw_count(counters, i, some)           adds 1 to counters[i]
 *   iw_count_per_lane(counters, i, some)  adds 1 to counters[i * IW_WARP_SIZE + lane]
 *   iw_count_u16(counters, i, some)       counters of 16 bits, two to a word, that must not overflow
 *   iw_count_replicated(counters, each, i, some)   in one of IW_COUNT_REPLICAS tables that are `each`
 *                                         counters apart, or in one table if `each` is 0; the sum over the
 *                                         tables is the count
 *   iw_global_add_noreturn(p, i, v, some) iw_global_add on u64 without the old value
 *   iw_add_exclusive_u32(block, p, i, v, some), iw_add_exclusive_u64   iw_global_add where no other warp uses the
 *                                         places
 *   iw_u32 iw_rank_in(counters, i, some)  the counter of the lane's i plus the lane's rank among the lanes
 *                                         with that i; then adds their number to the counter. Stable. The
 *                                         counters belong to one warp
 *   iw_rank_digits_in(counters, words, shift, mask, ranks, n)   iw_rank_in by (word >> shift) & mask (at
 *                                         most 8 bits) of n lane values
 *   iw_append(p, counters, i, a, some)    u32, u64: iw_scatter to p by iw_rank_in
 *   iw_scatter_ranked_T(p, counters, in, i, some)   the same for in[l] of lane l, from memory to memory; T:
 *                                         u8 u16 u32 u64 u128
 *
 * Private histogram: a warp counts whole rows of bin indices in counters that its block has in shared memory
 *   iw_private_histogram_begin(&c, counters, own, tables, map, n, hot)   begins, for about n indices:
 *                                         `tables` (a power of two) tables of `own` counters, all 0 when
 *                                         the block's first warp begins. map: NULL, or for bytes and own ==
 *                                         256 the class of each byte, of which only the total is needed.
 *                                         hot: 0 if no index is known to be much more frequent than others
 *   iw_private_histogram_set_vector(&c, v, i)   vector v of the row; the last call for a v wins
 *   iw_private_histogram_add_row(&c, v, inside)   counts the first v vectors, indices below own; `inside`
 *                                         promises below own - 3, which is cheaper
 *   int iw_private_histogram_waits(&c)    0 if iw_private_histogram_count_waiting has nothing to do until the
 *                                         next row was added
 *   iw_private_histogram_count_waiting(&c)   may count a vector of the row before: between the vectors of a
 *                                         row, additions to memory and arithmetic overlap
 *   iw_private_histogram_add_row_u8(&c, row)   counts a row of bytes
 *   iw_private_histogram_end(&c)          ends; the sum over the tables is the histogram
 *
 * Rows: IW_ROW(f32) consecutive elements, 16 bytes for each lane. Which lane has which element depends on
 * the target. What a row store writes is seen in the next phase, and in the same phase by loading the same
 * row from shared memory
 *   iw_row_f32_pending c = iw_row_issue_f32(p, valid, absent)   issues the load; elements from `valid` on
 *                                         are `absent`. iw_row_reissue_f32: of a row read a short time ago,
 *                                         without prefetch of what follows
 *   iw_row_f32 r = iw_row_wait_f32(c)     waits for it. Types of 1 and 2 bytes: iw_row_issue_u8(p, valid), of
 *                                         the lanes that iw_load_u8 gives
 *   IW_EACH_VECTOR(f32, v) { }            for each vector v of a row: iw_row_vector_f32(r, v) are its lanes,
 *                                         iw_row_valid_f32(v, valid) the lanes below `valid`
 *   iw_row_store_f32(p, r, valid, stream)
 *   int iw_row_can_vectorize(p)           whether rows at p move at full speed; only then may `valid` be
 *                                         IW_FULL_ROW
 *   iw_row_store_shared_f32(s, r), iw_row_load_shared_f32(s)   a row staged in shared memory, 16-byte
 *                                         aligned
 *   iw_row_f32 r = iw_row_gather_f32(p, i)   on GPUs: lane l's part of the row is i[l] * 16 bytes from p on, aligned;
 *                                         iw_row_scatter_f32(p, i, r, some) stores it
 *   iw_row_f32 r = iw_row_of_lanes_f32(s, a)   the row whose element e is lane e % 32 of a[e / 32]; s: a row of shared
 *                                         memory for the warp alone. iw_row_to_lanes_f32(s, r, a): back
 *   iw_row_inclusive_prefix_sum_f32(r), iw_row_reduce_sum_f32(r), iw_row_sum_f32(v, r) (v + each element),
 *                                         and _min _max
 *   iw_row_block_prefix_sum_f32(r, levels)   iw_row_inclusive_prefix_sum within blocks of 2^levels elements
 *   iw_row_reduce_first_sum_f32(p, valid, flip)   on CPUs: iw_row_reduce_sum of the first `valid` elements at p, 1
 *                                         … a row's, with the bits of flip inverted
 *   iw_row_last_f32(r), iw_row_shift_f32(r, first), iw_row_splat_f32(v), iw_row_iota_u32(first)
 *   iw_row_flip_bits_f32(r, bits)         inverts in each element the bits that are set in `bits`
 *   iw_row_f64_from_f32_pending c = iw_row_issue_f64_from_f32(p, valid, absent),
 *   iw_row_f64 r = iw_row_wait_f64_from_f32(c)   a row of elements that are narrower in memory; also u32 and
 *                                         u64 from u8, u64 from u32, i64 from i32, T from an IW_TRANSFORM
 *
 * Rows in segments: a head is the first element of a segment, and prefixes start anew at it
 *   iw_row_f32_heads h = iw_row_heads_f32(bits, at)   heads are bits at, at + 1, ... of uint32_t bits[]; at:
 *                                         a multiple of IW_ROW(f32)
 *   int iw_row_has_head_f32(h)
 *   iw_row_segmented_prefix_sum_f32(r, h) inclusive scan by the tree within each segment;
 *                                         iw_row_last_segment_reduce_sum_f32(r, h) is its last element;
 *                                         iw_row_carry_in_sum_f32(v, r, h) is v + each element in front of
 *                                         the first head
 *   iw_row_select_f32(h, a, b)            a at the heads, else b
 *
 * Flags of rows, to move some elements apart from the others (u8 u16 u32 u64; lanes of the narrow ones are
 * iw_u32)
 *   iw_row_u32_flag_set s                 flags of IW_FLAG_SET_ROWS rows
 *   iw_row_set_vector_flags_u32(&s, k, v, p)   sets the flags of vector v of row k; called once for each
 *                                         vector, in ascending order
 *   iw_row_set_flags_u32(&s, k, m)        instead sets the flags of the whole row k, from an
 *                                         iw_row_u32_flags m
 *   iw_row_u32_flags_pending f = iw_row_issue_flags_u32(p, valid), m = iw_row_wait_flags_u32(f)   m: the
 *                                         bytes at p that are not 0
 *   iw_row_restrict_flags_u32(&s, rows, others, valid)   keeps the flags, or if `others` the inverted flags,
 *                                         of the first `valid` elements of so many rows
 *   iw_row_count_flags_u32(&a, &s, rows)  adds their number to an iw_count_accumulator, { 0 } at first;
 *                                         iw_count_total(a) is the total
 *   iw_row_store_flags_u32(bits, at, s, rows), m = iw_row_load_flags_u32(bits, at, each, valid)   flags as
 *                                         bits of uint32_t bits[], each for 1 or 2 elements, of which `valid` exist
 *   iw_row_u32_view x = iw_row_view_u32(p, valid)   a row in memory that does not change while x is used, 0
 *                                         from `valid` on; iw_row_view_vector_u32(x, v): its vectors
 *   unsigned iw_row_compact_u32(p, front, rest, both, x, rows, &s)   packs flagged elements of rows x[0],
 *                                         x[1], ... to shared memory from p[front] on, and if `both` the
 *                                         others from p[rest] on; returns the number of flagged ones
 *   unsigned iw_row_compact_places_u32(p, front, first, rows, &s), iw_u32 iw_row_last_flags_u32(&s, rows)   on GPUs: packs the
 *                                         places of flagged elements, counted from `first`, to uint16_t p[front] …;
 *                                         lane l: the place behind its last flagged element, or 0
 *   unsigned iw_flush_u32(out, p, count, all, stream)   moves packed elements of a warp from shared to
 *                                         global memory: all, or as many as fill whole lines there; returns
 *                                         their number, and the rest then begins at p
 *   iw_block_store_u32(to, p, count, warp, warps)   all warps together copy from shared memory to global
 *                                         memory that this launch does not read
 *
 * Write-combining buffers: a warp appends elements to many places in global memory (T: u8 u16 u32 u64 u128)
 *   iw_write_buffers b                    in shared memory; at most IW_MAX_WRITE_BUFFERS buffers
 *   iw_write_buffers_open_T(&b, p, places, count, stream)   buffer d begins at p[places[d]];
 *                                         iw_write_buffers_close_T(&b, count) flushes all
 *   iw_write_buffer_append_T(&b, in, i, some)   lane l's element in[l] to buffer i, in the order of the
 *                                         lanes
 *   iw_write_buffer_append_both_T(&b, in, i, &b2, in2, i2)   all lanes of two at a time
 *
 * Kernels
 *   IW_KERNEL_NO_SPECIALIZATION           IW_KERNEL_SIZED without a second compilation for blocks that one
 *                                         CPU thread runs
 *   IW_KERNEL_OVERLAPPED                  likewise, of a kernel whose blocks may run while the launch before
 *                                         it ends; other kernels wait for its end as they begin
 *   iw_wait_for_previous_launch()         between phases, by every block of such a kernel: waits until all
 *                                         that the launch before it wrote is visible. Before it a block may
 *                                         read what launches before that one wrote, and writes nothing to
 *                                         global memory. Of CPUs and the simulated GPU, where launches do not
 *                                         overlap, it is nothing, so only a GPU shows that it is missing
 *   iw_begin_next_launch()                between phases, after that wait: blocks of the next launch may
 *                                         begin when every block has called this or ended. They take places
 *                                         on the multiprocessors
 */
#ifndef ISOWARP_PRIMITIVES_H
#define ISOWARP_PRIMITIVES_H

#include <isowarp/kernel.h>
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#endif
#ifdef IW_SIM
#include <isowarp/language/sim/primitives.h>
#elif defined(__CUDACC__)
#include <isowarp/language/cuda/primitives.h>
#else
#include <isowarp/language/cpu/primitives.h>
#endif
#include <isowarp/language/untyped_primitives.h>
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

#endif
