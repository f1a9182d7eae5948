/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel language: one text for the lanes of a GPU and for the SIMD registers of a CPU
 * =======================================================================================
 *
 * A kernel is written once, in C, over warps of lanes. A C compiler builds it for the CPU, where a warp is a struct of SIMD
 * registers and a block a team of threads; nvcc builds the same text for CUDA. It gives the same bits on both.
 *
 *   #include <isowarp/kernel.h>
 *
 *   typedef struct { const float *in; float *out; size_t n; } scale_args;
 *   typedef struct { int unused; } scale_shared;
 *
 *   IW_KERNEL(scale_by_mean, scale_shared, scale_args)           // a block takes block->threads elements, or what is left
 *   {
 *     const size_t start = block->index * block->threads, left = args->n - start;
 *     const size_t count = left < block->threads ? left : block->threads;
 *     IW_VAR(iw_f32, x);                                         // one lane value per warp, alive across barriers
 *     IW_PHASE(warp) {                                           // runs for every warp, then the block meets
 *       const size_t at = warp * IW_WARP_SIZE;
 *       const iw_pred some = iw_lanes_below((int64_t)count - (int64_t)at); // the lanes that have an element
 *       IW_MY(x) = iw_load(args->in + start + at, some);
 *     }
 *     const float total = iw_block_sum(x);                       // a collective: a statement between phases
 *     IW_PHASE(warp) {
 *       const size_t at = warp * IW_WARP_SIZE;
 *       const iw_pred some = iw_lanes_below((int64_t)count - (int64_t)at);
 *       const iw_f32 mean = iw_div(iw_splat(total), iw_splat((float)count));
 *       iw_store(args->out + start + at, iw_div(IW_MY(x), mean), some);
 *     }
 *   }
 *
 * Build it with `cc $(pkg-config --cflags isowarp)`, and for a GPU with
 * `nvcc -x cu -std=c++17 --fmad=false $(pkg-config --cflags-only-I isowarp)`; run it with
 *
 *   iw_launch(context, &IW_KERNEL_NAME(scale_by_mean), blocks, threads, &(scale_args){ in, out, n }, sizeof(scale_args));
 *
 * The kernel is the global `const iw_kernel scale_by_mean`; from another file say `extern const iw_kernel scale_by_mean;`.
 * -DIW_KERNEL_SUFFIX=_avx2 appends to the names, so that one program can hold several builds of a file, as _cpu and _cuda;
 * -DIW_KERNEL_PREFIX=my_ stands before them. A context says which one it takes by the device that it runs on.
 * -DIW_WARP_SIZE=8 (16, 32, 64) sets the lanes of a warp on the CPU: 32 unless given, as on CUDA. A text that silently needs
 * 32 shows it at the others. -DIW_LANES_GENERIC builds plain C; otherwise the compiler's flags (-mavx2, -march=…) choose.
 *
 * The contract of a text
 * ----------------------
 * 1. Outside phases stands pure code on uniform values only: no memory access, no side effect, no float arithmetic that
 *    reaches a result. What must happen once goes through iw_ticket_next and the like.
 * 2. A phase is left at its end only: no break, return or goto out of it.
 * 3. Lanes diverge by predicates: loads, stores and atomics take one, values go through iw_select. There is no `if` on lanes
 *    (on the CPU it does not compile). An `if` on uniform values is fine; collectives of the block stand where all of the
 *    block's threads come by, collectives of a warp in a phase where the whole warp comes by.
 * 4. Sums over lanes and blocks follow the binary tree by thread index, so their bits do not depend on the warp size.
 * 5. Nothing is left open: see "What operations mean".
 * 6. Collectives of the block may follow each other directly.
 * 7. Between blocks, wait only for smaller tickets, and publish before waiting. The block's index says nothing about order.
 * 8. A text does not ask which target it is on.
 * IW_WARPS(warp) { … } is a phase without the barrier, for work that no other warp has to see before the next one.
 * Memory written in one phase is seen by the whole block in the next; within a phase, by the warp that wrote it.
 *
 * Values
 * ------
 *   iw_f32 iw_f64 iw_i32 iw_u32 iw_i64 iw_u64   lane values: one number per lane
 *   iw_pred                                     a predicate per lane
 *   float, uint32_t, size_t, …                  uniform values: the same for the warp, or outside phases for the block
 * In scope in a kernel: block->index, block->blocks (the grid), block->threads, block->warps; shared, args; IW_WARP_SIZE;
 * in a phase the warp's index, under the name you give.
 *   IW_VAR(type, x)            declares a variable of each warp that lives across phases; IW_VAR_ARRAY(type, x, n) n of them
 *   IW_MY(x)                   this warp's, in a phase whose warp is called `warp`
 *   IW_FN                      for functions of your own: IW_FN iw_f32 square(iw_f32 x) { return iw_mul(x, x); }
 *                              one that uses the block or its collectives has a parameter `iw_block *block`
 *
 * Every operation has a name with its type (iw_add_f32) and one without (iw_add) that takes the type from its arguments.
 * T stands for a lane type, t for its scalar (float, double, int32_t, …).
 *
 * Lanes
 *   T iw_splat(t)              the uniform value in every lane     t iw_at(T, lane)      one lane's value, uniform
 *   iw_u32 iw_lane()           0 … IW_WARP_SIZE-1                  t iw_last(T)          the last lane's
 *   iw_add iw_sub iw_mul iw_div iw_min iw_max iw_neg               iw_abs (signed and floats), iw_floor (floats)
 *   iw_rem iw_and iw_or iw_xor iw_not iw_shl iw_shr                integers
 *   iw_eq iw_ne iw_lt iw_le iw_gt iw_ge                            give an iw_pred
 *   iw_select(p, a, b)         a where p, else b                   iw_to_f32 … iw_to_u64(a)   conversion
 *   iw_u32 iw_to_index(a, last)                                    floats: iw_min(iw_to_u32(a), last), for a uniform last that
 *                                                                  is less than 2^31; cheaper than these on some targets
 *   iw_u32 iw_floor_index(a, &past)   floats less than 2^22 from 0 (f64: 2^31): the integer below, modulo 2^32, and in past,
 *                              of a's type, how far a is past the nearest one, less than 0 before it
 *   iw_floors_f32 s (f64)      of many floats: iw_floors_open_f32(&s) begins; iw_floors_add_f32(&s, a) is iw_floor_index of any a;
 *                              iw_floors_unambiguous_f32(&s, count, tau), uniform: whether for all lanes and all a that were added the
 *                              integer below is one of 0 … count - 1, and a farther than tau, less than 1/2, from any integer;
 *                              where not, what iw_floors_add gave is open. count: at most 2^22 (f64: 2^31 - 1)
 *   iw_u32 iw_nearest_index_f32(a) (f64)   the nearest integer, of two either one, modulo 2^32; of NaNs, and of a that is as far
 *                              from 0 as iw_floor_index does not know, one that is 2^22 (f64: 2^31 - 1) or more
 *   iw_edges_f32 e (f64)       even numbers: iw_edges_open_f32(&e, count, first, step) begins; iw_edges_at_f32(&e, k) is
 *                              k * step + first in f64, as f32, for k less than count, no more than that for count itself, and
 *                              open for others. step: more than 0
 *   iw_and_pred(p, q) iw_or_pred(p, q) iw_not_pred(p)                     and, or, not of predicates
 *   iw_lanes_below(n)          the first n lanes (n int64_t, may be negative or large)
 *   iw_active(warp)            the lanes that the block has: all but in the last warp of a block that is not full
 *   iw_as_bits(a), iw_from_bits_f32(a), iw_from_bits_i64(a), …   a float's bits as an integer; bits (iw_u32, iw_u64) as a value
 *
 * Memory (pointers are uniform)
 *   T iw_load(p, some)         lane l gets p[l] where `some`, else 0, and touches nothing there
 *   iw_store(p, a, some)       p[l] = lane l
 *   iw_gather(p, i, some)      p[i] with i an iw_u32; iw_gather_far with an iw_u64       iw_scatter, iw_scatter_far likewise
 *   iw_load_u8, iw_store_u8, iw_gather_u8, and u16: bytes and 16-bit words in iw_u32 lanes
 *   iw_mask iw_ballot_u8(p, some)   the lanes of `some` whose byte is not 0: uint8_t *p
 *   iw_prefetch(p, bytes)           a hint: this warp, or another, will soon read them
 *   t iw_get(p)                one value, uniform                   iw_set(p, v)   *p = v, once per warp
 *   iw_compact(p, a, some)     u32 and u64: the chosen lanes packed from p on; returns their number (uniform). Up to
 *                              IW_WARP_SIZE elements behind them may be overwritten: leave room
 *   iw_compact_both(p, q, a, chosen, some)  the same, and the others of `some` packed from q on; all that is chosen is in `some`
 *   shared-> and global memory are accessed alike. Several warps that write one place in one phase need atomics. What shared
 *   memory holds when a block starts is open
 *
 * Atomics on i32 u32 i64 u64 in shared (iw_shared_…) or global memory (iw_global_…): element i of p, i an iw_u32
 *   iw_shared_add(p, i, v, some) … _min, _max, _exchange; _compare_exchange(p, i, expected, v, some): return the old values
 *   iw_global_add_noreturn(p, i, v, some)        u64: iw_global_add where nobody asks for the old values
 *   iw_count(counters, i, some)          adds 1 to uint32_t counters in shared memory; iw_count_per_lane(counters, i, some) to each
 *                                        lane's own, counters[i * IW_WARP_SIZE + lane]; iw_count_u16(counters, i, some) to
 *                                        counters of 16 bits, two a word, which must not overflow
 *   iw_private_histogram c               a warp's way to count whole rows of numbers in counters that its block has in shared memory:
 *     iw_private_histogram_begin(&c, counters, own, tables, map, n, hot) begins, for about n numbers; there are `tables` tables of own
 *     counters, a power of two of them, all 0 when the block's first warp begins. map: for bytes, when own is 256, 256 numbers
 *     by which they will be told apart in the end: those of equal numbers may be counted as one another. Else NULL. hot: 0 if
 *     it is known that no number is much more frequent than others
 *     iw_private_histogram_set_vector(&c, v, i)   vector v of a row, the last time that it is said; iw_private_histogram_add_row(&c, v, inside) counts all v of
 *                              them: numbers less than own, and if `inside`, which is cheaper, less than own - 3
 *     iw_private_histogram_add_row_u8(&c, row) a whole row of bytes
 *     iw_private_histogram_end(&c)       ends. What was counted stands in the tables, and is what they add up to
 *   iw_u32 iw_rank_in(counters, i, some) each lane's rank among the lanes with its i, plus the counter, which then counts
 *                                        them; for counters that one warp alone uses. Stable: ranks ascend with the lanes
 *   iw_append(p, counters, i, a, some)   u32 and u64: the lane's a to p[its rank in the counters], which then count it
 *
 * The warp
 *   iw_mask iw_ballot(p)       bit l = lane l's; iw_popcount(mask), iw_pred_of(mask), and of a mask
 *                              that is not 0 iw_highest(mask), iw_lowest(mask)
 *   if (iw_wanted(p)) { … }    a body that only the lanes of p need: the others may run it or not, so all that it changes goes
 *                              through p, and no collective stands in it. Saves work that is rarely wanted
 *   int iw_any(p), iw_all(p)   unsigned iw_popcount_of(p)          iw_u32 iw_rank(p): how many of p are in lower lanes
 *   T iw_shuffle(a, i, width), iw_shuffle_up(a, delta, width), _down(a, delta, width), _xor(a, mask, width): as CUDA's
 *     __shfl_sync and its kin, for a width of any power of two up to IW_WARP_SIZE: up and down keep the own value where the
 *     source would be outside the segment, an index wraps in the segment
 *   T iw_broadcast(a, lane)    T iw_shift(a, first): all lanes moved up by one
 *   t iw_warp_sum(a), iw_warp_min(a), iw_warp_max(a)               uniform
 *   t iw_fold_sum(first, a, &before), and _min, _max: first + lane 0 + lane 1 + …, from the left; before: a T, what each lane
 *     has in front
 *   t iw_fold_segments_sum(first, a, heads, &before), and _min, _max: the same, begun anew at the lanes of the mask `heads`
 *   T iw_inclusive_prefix_sum(a), iw_exclusive_prefix_sum(a), and _min, _max; in front of an exclusive sum stands +0, of a
 *     min or max the type's largest or lowest value
 *   iw_u64 iw_match(a, some)   integers: the mask of the lanes in `some` that hold the lane's own value
 *
 * The block (between phases; a and to are IW_VARs; threads that the block does not have take no part)
 *   t iw_block_sum(a), iw_block_min(a), iw_block_max(a)            for every thread
 *   t iw_block_broadcast(a, thread)                                the value of that thread, any of 0 … block->threads-1
 *   iw_block_inclusive_prefix_sum(to, a), iw_block_exclusive_prefix_sum(to, a), and _min, _max; to may be a
 *
 * Between blocks
 *   iw_tickets                 a struct in global memory, zeroed once, of one launch at a time; host code has it from
 *                              <isowarp/descriptor.h>
 *   uint32_t iw_tickets_open(tickets, &first)           begins: an epoch, new in every launch, and the block's first ticket
 *   uint32_t iw_tickets_epoch(tickets)                  begins without one
 *   uint32_t iw_ticket_request(tickets), iw_ticket_post(asked)   in a phase, one warp asks for the block's next ticket and later brings it: the
 *                                               answer takes its time. uint32_t iw_ticket_receive(): it, after that phase
 *   uint32_t iw_ticket_next(tickets)                 another ticket. Blocks get 0, 1, 2, … in the order in which they ask. Like
 *                                               open and epoch it is a barrier too
 *   iw_tickets_close(tickets)                           ends. Every block opens and closes once
 *   int iw_is_last_block(closed)                      a barrier too: whether all other blocks came by before, and then what they
 *                                               did in global memory is seen. uint32_t *closed is 0 before and after
 *   iw_publish(slots, i, flag, v)               makes v known as slot i. slots: uint64_t, one per slot of a 4-byte type, two
 *                                               of an 8-byte one; flag: epoch * 4 + 1 … 3
 *   iw_poll_f32(slots, base, first, end) …      an iw_polled_f32: lanes first … end-1 read slot base + lane into .flag and
 *                                               .value; others have 0, and where nothing was published yet .flag is another
 *   iw_pause(&spins)                            between two looks: gives the core away after some
 *
 * Rows, for bandwidth: 16 bytes a lane, IW_ROW(f32) consecutive elements. Which element is in which lane is the target's.
 * What a row writes is seen in the next phase, and in the same one by unparking the same row.
 *   iw_row_f32_pending c = iw_row_issue_f32(p, valid, absent)      a row on its way; elements from `valid` on are `absent`
 *   iw_row_f32 r = iw_row_wait_f32(c)                            IW_EACH_VECTOR(f32, v): iw_row_vector_f32(r, v) are its
 *   iw_row_store_f32(p, r, valid, stream)                          lanes, iw_row_valid_f32(v, valid) those below `valid`
 *   iw_row_reissue_f32(p, valid, absent)                             the same as fetch, of what was fetched a short time ago:
 *                              what follows is not read ahead
 *   int iw_row_can_vectorize(p)         whether rows at p are moved at full speed; only then `valid` may be IW_FULL_ROW, for a whole row
 *   iw_row_store_shared_f32(shared, r), iw_row_load_shared_f32(shared)          a row in shared memory, 16-byte aligned
 *   iw_row_inclusive_prefix_sum_f32(r) inclusive scan, iw_row_sum_f32(v, r) = v + each, iw_row_last_f32(r), iw_row_shift_f32(r, first),
 *   iw_row_reduce_sum_f32(r) = the last of its tree; and _min, _max
 *   iw_row_splat_f32(v)        v in every element
 * A row in segments: nothing in front of a segment's first element, its head, is added to what is behind it
 *   iw_row_f32_heads h = iw_row_heads_f32(bits, at)   the heads of a row: bits at, at + 1, … of uint32_t bits[]; at is a
 *                              multiple of IW_ROW(f32). int iw_row_has_head_f32(h): whether there are any
 *   iw_row_segmented_prefix_sum_f32(r, h) inclusive scan by the same tree, in each segment; iw_row_last_segment_reduce_sum_f32(r, h) = the
 *                              last of it; iw_row_carry_in_sum_f32(v, r, h) = v + each in front of the first head; and _min, _max
 *   iw_row_select_f32(h, a, b) a at the heads, else b
 * Marks of a row of u32 or u64, to move some of its elements apart from the others
 *   iw_row_u32_flag_set: the marks of IW_FLAG_SET_ROWS rows; iw_row_set_vector_flags_u32(&kept, k, v, p)   marks the lanes p of vector v of row k, once
 *                              each, ascending; or iw_row_set_flags_u32(&kept, k, m) the row, by iw_row_u32_flags m
 *   iw_row_restrict_flags_u32(&kept, rows, others, valid)   then leaves those of the first `valid` elements of so many rows, or of the
 *                              others among them
 *   iw_row_u32_flags_pending f = iw_row_issue_flags_u32(p, valid), m = iw_row_wait_flags_u32(f)   marks: bytes at p that are not 0
 *   iw_row_count_flags_u32(&tally, &kept, rows)   adds them to an iw_count_accumulator, { 0 } at first; uint32_t iw_count_total(tally) is their number
 *   iw_row_u32_view x = iw_row_view_u32(p, valid)   a row whose memory stays as it is while x is used, 0 past the valid
 *                              elements; iw_row_view_vector_u32(x, v): its vectors
 *   iw_row_store_flags_u32(bits, at, kept, rows)   those of so many rows to bits at, at + 1, … of uint32_t bits[];
 *   m = iw_row_load_flags_u32(bits, at, each)   and back, for `each` elements (1 or 2) a bit: element i has bit i/each
 *   iw_row_iota_u32(first)  a row of first, first + 1, … as if it had been read; iw_iota_u32(first): a warp's lanes
 *   What moves marked elements takes rows of u8 and u16 too, whose lanes are iw_u32
 *   unsigned iw_row_compact_u32(p, front, rest, both, x, rows, &kept)   marked elements of rows x[0], x[1], … to shared memory from
 *                              p[front] on, the others, if both are wanted, from p[rest] on; gives how many are marked
 *   unsigned iw_flush_u32(out, p, count, all, stream)   moves elements that a warp has packed from shared to global memory, all
 *                              of them or as many as make whole lines there; gives their number, the rest begins at p then
 *   iw_block_store_u32(to, p, count, warp, warps)   all warps of a block together move so many elements from shared memory to global
 *                              memory that this launch does not read
 * To split elements among many places: T is u8, u16, u32 or u64, in iw_u32 where it is narrow, and u128, bits of 16 bytes, where
 * elements go from memory to memory
 *   iw_count_replicated(counters, each, i, some)   iw_count in IW_COUNT_REPLICAS tables, `each` counters apart, or in one where it is 0: for
 *                              counters of which the sum over the tables is wanted
 *   iw_rank_digits_in(counters, words, shift, mask, ranks, n)   iw_rank_in by (word >> shift) & mask, 8 bits at most, of n lane values,
 *                              a multiple of 8, one after the other; rank k is half k % 2 of ranks[k / 2]
 *   iw_bitfield_extract(a, at, bits)     bits of each iw_u32 lane, from bit `at` on
 *   iw_scatter_bits_T(p, i, a, some), iw_scatter_bits_far_T   iw_scatter, iw_scatter_far of what is not looked at before the next phase;
 *                              iw_gather_far_u8, _u16
 *   iw_write_buffers piles             in shared memory, of one warp: at most IW_MAX_WRITE_BUFFERS piles that grow in global memory
 *   iw_write_buffers_open_T(&piles, p, places, count, stream)   pile d begins at p[places[d]]; iw_write_buffers_close_T(&piles, count) ends all
 *   iw_write_buffer_append_T(&piles, in, i, some)   lane l's element in[l] onto pile i, in the order of the lanes; iw_write_buffer_append_both_T(&piles, in, i,
 *                              &more, more_in, j) does so for two at a time, all lanes of each
 *   iw_scatter_ranked_T(p, counters, in, i, some)   in[l] to p[its rank in the counters], which then count it
 *   iw_row_issue_u8(p, valid), iw_row_wait_u8, iw_row_vector_u8, iw_row_valid_u8: 16 bytes a lane as iw_u32; u16 likewise
 *   iw_row_f64_from_f32_pending c = iw_row_issue_f64_from_f32(p, valid, absent)   an iw_row_f64 whose elements are float
 *   iw_row_f64 r = iw_row_wait_f64_from_f32(c)                in memory; u32 and u64 from u8, u64 from u32, i64 from i32
 *
 * Operators and loads of your own, at file scope. Both are made of lane functions: what a lane gives depends on that lane
 * alone, so there is no iw_lane, shuffle or collective in them.
 *   IW_OPERATOR(OP, T, identity)  of your IW_FN iw_T iw_OP_T(iw_T a, iw_T b): the names above that have sum, min and max in
 *                              them for OP too, with their type: iw_warp_OP_T, iw_fold_OP_T, iw_inclusive_prefix_OP_T,
 *                              iw_block_OP_T(block, a), iw_row_inclusive_prefix_OP_T … and iws_OP_T, of two scalars. T is any of the six. a
 *                              stands in front of b: OP need not commute, but any grouping of operands must mean the same to
 *                              you. identity: a constant that changes no bit on either side (of a sum of floats -0.0), and
 *                              stands in front of an exclusive prefix. OP is a name that the language does not have
 *   IW_TRANSFORM(NAME, T, S)   of your IW_FN iw_T NAME(iw_S x): rows of T whose elements in memory are S, by
 *                              iw_row_issue_T_from_NAME and iw_row_wait_T_from_NAME. S is any of the six, or u8 or u16, which
 *                              come in iw_u32
 *   IW_PREDICATE(NAME, T)      of your IW_FN iw_pred NAME(iw_T x): a test of elements of T, any of the six
 *   IW_BUCKET(NAME, T)         of your IW_FN iw_u32 NAME(iw_T x): the number of the bucket of an element of T, any of the six, or
 *                              of u8 or u16, which come in iw_u32
 * <isowarp/scan.h> makes the library's scan and reduce of them, <isowarp/partition.h> its partition and select, and
 * <isowarp/multisplit.h> its multisplit.
 *
 * What operations mean
 * --------------------
 * Floats round to nearest, once an operation, never fused; subnormals are kept. Integers wrap. x / 0 is 0 and x % 0 is 0 for
 * integers, INT_MIN / -1 is INT_MIN. A shift by the width or more gives 0, a right shift of a negative number -1. Float to
 * integer truncates and saturates, NaN gives 0. min and max let NaN through and order -0 before +0.
 * A NaN has no payload that a text could see: stores, iw_set and iw_as_bits write 0x7fc00000 or 0x7ff8000000000000, whatever
 * NaN it was, so results with NaN are equal everywhere. To move bits unchanged, load and store them as integers.
 */
#ifndef ISOWARP_KERNEL_H
#define ISOWARP_KERNEL_H

/* Compilers may fuse a*b + c unless told not to; results would then depend on the target. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC optimize("fp-contract=off")
#endif
#ifdef __FAST_MATH__
#error "isowarp's kernels need IEEE arithmetic: do not build them with -ffast-math"
#endif

#include <stddef.h>
#include <stdint.h>
#include <isowarp.h>

/* The VMs are made by macros, whose bodies stand on one line. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#endif
#include <isowarp/language/scalar.h>
#ifdef __CUDACC__
#include <isowarp/language/cuda/cuda.h>
#else
#include <isowarp/language/cpu/cpu.h>
#endif
#include <isowarp/primitives.h>
#include <isowarp/language/warp.h>
#include <isowarp/language/untyped.h>
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

IW_FN int iw_any(iw_pred p) { return iw_ballot(p) != 0; }
IW_FN int iw_all(iw_pred p) { return iw_ballot(p) == iw_ballot(iw_lanes_below(IW_WARP_SIZE)); }
IW_FN unsigned iw_popcount_of(iw_pred p) { return iw_popcount(iw_ballot(p)); }

/* A kernel for blocks of any size; and one whose block has this many threads, `blocks_per_processor` of which should fit a GPU's
 * multiprocessor at a time. */
#define IW_KERNEL(name, shared_type, args_type) IW_KERNEL_SIZED(name, shared_type, args_type, 0, 1)

#endif
