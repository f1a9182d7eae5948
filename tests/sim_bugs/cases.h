/* SPDX-License-Identifier: Apache-2.0
 *
 * The planted bugs of tests/sim_bugs/: how their kernels are launched, what the twins compute, and what the simulator
 * has to find. X(name, findings, members of bug_case): `findings` are the kinds, one of which has to come, at one of
 * the lines that are marked with the name. "" : the kernel is right at that warp size. "result": nothing is found, but
 * the result is wrong.
 *
 * Unless it is said otherwise there are 4 blocks of 64 threads, and 256 elements, in[i] = (7 i + i / 32 + 3) mod 32; out and
 * scratch are cleared.
 */
#ifndef TESTS_SIM_BUGS_CASES_H
#define TESTS_SIM_BUGS_CASES_H

#include "args.h"
#include <isowarp.h>

enum { OUT_UNSET = 1, SCRATCH_UNSET = 2,     /* the host does not clear the array */
       IN_ON_HOST = 4, SCRATCH_FREED = 8, COUNTER_DIRTY = 16,  /* the host's mistakes, with the bug only */
       TWIN_ONLY = 32,                       /* a kernel without a bug */
       ANY_SCHEDULE = 64,                    /* some schedules show it; at most 64 are tried */
       BOUND_OF_MEMBER = 128,                /* of a shared struct, plus a variable: clang does not tell its size */
       SLOTS_UNSET = 256 };                  /* the host does not clear the tile states, with the bug only */

typedef struct bug_host {
  size_t n, ins, outs, scratches;
  size_t grid;
  unsigned block;
  uint32_t *in, *out, *scratch; /* what the arrays hold before the launch */
} bug_host;

typedef struct bug_case {
  const char *name, *file, *findings;
  const iw_kernel *bug, *fixed;
  size_t grid, n, ins, outs, scratches, slots;
  unsigned block, launches, flags;
  void (*fill)(bug_host *);
  void (*expect)(const bug_host *, uint32_t *out);
} bug_case;

#define BOUNDS_CASES(X) \
  X(one_past_end, "bounds", .grid = 3, .n = 150, .outs = 150, .expect = plus_1) \
  X(right_neighbour, "bounds", .outs = 256, .expect = plus_next) \
  X(left_neighbour, "bounds", .outs = 256, .expect = plus_previous) \
  X(index_wraps, "bounds", .outs = 256, .expect = plus_previous) \
  X(bin_n, "bounds", .grid = 1, .block = 256, .outs = 8, .fill = with_32, .expect = histogram) \
  X(global_bin_n, "bounds", .outs = 8, .fill = with_32, .expect = histogram) \
  X(tile_too_small, "bounds", .grid = 1, .block = 256, .outs = 256, .flags = BOUND_OF_MEMBER, .expect = plus_1) \
  X(compact_without_slack, "bounds", .grid = 1, .block = 32, .n = 32, .outs = 16, .expect = odd_ones) \
  X(misaligned_words, "bounds", .n = 256, .ins = 257, .outs = 256, .expect = next_plus_1) \
  X(permutation_from_1, "bounds", .n = 250, .outs = 250, .fill = permutation, .expect = inverse) \
  X(sum_before_first, "bounds", .outs = 256, .scratches = 4, .fill = hundreds, .expect = plus_block_before) \
  X(sums_from_1, "bounds", .outs = 4, .expect = block_sums) \
  X(table_end, "bounds", .outs = 256, .expect = weights) \
  X(slots_too_small, "bounds", .outs = 4, .slots = 4, .expect = block_sums) \
  X(wanted_is_no_mask, "bounds", .grid = 3, .n = 150, .outs = 150, .expect = plus_1) \
  X(into_another_array, "bounds", .outs = 256, .scratches = 256, .expect = plus_1) \
  X(no_comparison_with_n, "bounds", .grid = 5, .outs = 256, .expect = plus_1) \
  X(host_memory, "bounds", .outs = 256, .flags = IN_ON_HOST, .expect = plus_1) \
  X(freed_memory, "bounds", .outs = 256, .scratches = 256, .flags = SCRATCH_FREED, .expect = ones)

#define UNDEFINED_CASES(X) \
  X(bins_not_cleared, "undefined", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(result_not_cleared, "undefined", .grid = 1, .block = 256, .outs = 8, .flags = OUT_UNSET, .expect = histogram) \
  X(sum_of_unset_warps, "undefined", .grid = 2, .block = 128, .n = 160, .outs = 2, .expect = block_sums) \
  X(absent_threads, "undefined divergence", .grid = 2, .block = 48, .n = 96, .outs = 2, .scratches = 96, .expect = threads) \
  X(unset_variable, "undefined", .grid = 1, .n = 200, .outs = 1, .expect = total) \
  X(unset_lanes_stored, "undefined", .outs = 256, .expect = plus_1) \
  X(unset_predicate, "undefined", .outs = 256, .expect = plus_1) \
  X(ticket_before_post, "undefined", .outs = 256, .expect = plus_1) \
  X(posted_twice, "undefined", .outs = 256, .expect = plus_1) \
  X(behind_the_packed, "undefined", .grid = 1, .block = 32, .n = 32, .outs = 32, .expect = odd_ones_and_99) \
  X(tile_partly_set, "undefined", .grid = 2, .block = 128, .n = 200, .outs = 2, .expect = block_sums) \
  X(flag_never_cleared, "undefined", .outs = 4, .flags = OUT_UNSET, .expect = zeros) \
  X(unset_index, "undefined", .grid = 1, .n = 64, .outs = 64, .expect = reversed) \
  X(result_partly_set, "undefined", .outs = 256, .flags = OUT_UNSET, .expect = odd_or_0) \
  X(scratch_not_set, "undefined", .outs = 256, .scratches = 256, .flags = SCRATCH_UNSET, .expect = plus_1)

#define PLAIN_C_CASES(X) \
  X(divides_by_0, "undefined", .grid = 5, .outs = 256, .expect = plus_1) \
  X(reads_null, "bounds", .outs = 256, .expect = plus_1) \
  X(past_a_local_array, "bounds", .outs = 256, .expect = plus_1)

#define SHARED_RACE_CASES(X) \
  X(reversal, "race", .grid = 2, .block = 128, .outs = 256, .expect = reversed) \
  X(warps_for_phase, "race", .grid = 2, .block = 128, .outs = 256, .expect = reversed) \
  X(scan_in_place, "race", .grid = 1, .block = 128, .n = 128, .outs = 128, .expect = scan) \
  X(merge_too_early, "race", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(clear_and_count, "race", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(plain_increment, "race", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(next_tile, "race", .grid = 1, .block = 128, .outs = 256, .expect = rotated) \
  X(warp_edge, "race", .grid = 2, .block = 128, .outs = 256, .expect = plus_next_of_block) \
  X(tree_in_one_phase, "race", .grid = 2, .block = 128, .outs = 2, .expect = block_sums) \
  X(last_warp_wins, "race", .grid = 2, .block = 128, .outs = 2, .fill = decreasing, .expect = block_maxima) \
  X(compare_then_set, "race", .grid = 2, .block = 128, .outs = 2, .expect = block_maxima) \
  X(initialised_by_all, "race", .outs = 256, .expect = plus_1) \
  X(atomic_and_plain, "race", .outs = 4, .expect = block_sums) \
  X(atomic_read_back, "race", .grid = 1, .block = 32, .n = 32, .outs = 8, .expect = histogram) \
  X(two_lanes_one_place, "race", .grid = 1, .n = 32, .outs = 8, .expect = bin_maxima) \
  X(scatter_and_read, "race", .outs = 256, .expect = reversed) \
  X(two_posts, "race", .grid = 1, .n = 64, .outs = 1, .fill = first_warp_small, .expect = maximum_of_first_32) \
  X(post_and_ticket, "race", .grid = 1, .n = 64, .outs = 1, .expect = seven) \
  X(compact_over_neighbour, "race", .grid = 2, .block = 128, .outs = 192, .expect = odd_ones) \
  X(index_without_warp, "race", .grid = 1, .block = 128, .n = 128, .outs = 128, .expect = plus_1) \
  X(global_within_block, "race", .grid = 2, .block = 128, .outs = 256, .scratches = 256, .expect = reversed) \
  X(word_for_byte, "race", .grid = 1, .outs = 1, .expect = two_bytes)

#define GLOBAL_RACE_CASES(X) \
  X(scan_in_one_launch, "race", .outs = 4, .scratches = 4, .slots = 4, .expect = prefixes) \
  X(merge_while_counting, "race", .outs = 8, .scratches = 32, .expect = histogram) \
  X(cleared_by_one_block, "race", .outs = 8, .expect = histogram) \
  X(publish_as_fence, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(poll_without_acquire, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(release_before_phase_end, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(acquired_by_one_warp, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(ticket_as_order, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(plain_flag, "race", .outs = 256, .scratches = 256, .slots = 4, .expect = plus_tile_before) \
  X(last_index, "race", .outs = 1, .scratches = 4, .expect = total) \
  X(write_after_last, "race", .outs = 1, .scratches = 4, .expect = total) \
  X(last_by_atomic, "race", .outs = 1, .scratches = 4, .expect = total) \
  X(plain_read_of_slot, "slots race", .outs = 4, .slots = 4, .expect = odd_numbers) \
  X(plain_clear_of_slot, "slots race", .outs = 4, .slots = 4, .expect = odd_numbers) \
  X(two_publishers, "slots", .outs = 4, .slots = 4, .expect = one_to_n) \
  X(flag_without_epoch, "slots", .outs = 4, .slots = 4, .launches = 2, .expect = odd_numbers) \
  X(flag_0, "slots", .outs = 4, .slots = 4, .expect = one_to_n) \
  X(flags_descend, "slots", .outs = 4, .slots = 4, .expect = one_to_n) \
  X(slot_not_cleared, "undefined", .outs = 4, .slots = 4, .flags = SLOTS_UNSET, .expect = one_to_n) \
  X(slots_not_cleared, "undefined", .outs = 4, .slots = 4, .flags = SLOTS_UNSET | ANY_SCHEDULE, .expect = one_to_n) \
  X(global_atomic_and_plain, "race", .outs = 1, .scratches = 1, .expect = total) \
  X(stencil_in_place, "race", .outs = 256, .fill = in_to_out, .expect = plus_next) \
  X(blocks_overlap, "race", .outs = 256, .expect = plus_1) \
  X(scope_too_small, "race bounds", .outs = 8, .expect = histogram) \
  X(lock, "race", .outs = 1, .expect = total) \
  X(two_widths, "race", .outs = 1, .slots = 2, .expect = total)

#define DIVERGENCE_CASES(X) \
  X(warp_decides_for_block, "barrier", .outs = 4, .fill = one_big, .expect = first_block) \
  X(different_phases, "barrier", .outs = 256, .expect = plus_1) \
  X(unequal_loops, "barrier", .outs = 256, .expect = twos) \
  X(early_return, "barrier", .grid = 2, .block = 128, .n = 160, .outs = 2, .expect = block_sums) \
  X(sum_in_a_local, "race barrier", .grid = 2, .block = 128, .outs = 2, .scratches = 8, .expect = block_sums) \
  X(unequal_arguments, "barrier race", .outs = 256, .expect = first_of_block) \
  X(variable_of_another_warp, "ownership", .grid = 1, .n = 64, .outs = 64, .expect = plus_1) \
  X(absent_lane, "divergence", .grid = 1, .block = 32, .n = 32, .outs = 32, .expect = last_of_block) \
  X(absent_thread, "divergence undefined", .outs = 256, .expect = last_of_block) \
  X(lane_of_partial_warp, "divergence undefined", .grid = 2, .block = 48, .n = 96, .outs = 96, .expect = last_of_warp_plus_1) \
  X(width_24, "divergence", .grid = 1, .block = 32, .n = 32, .outs = 32, .expect = pairs_swapped) \
  X(atomic_between_phases, "phase", .outs = 1, .expect = total) \
  X(store_between_phases, "phase race", .outs = 4, .expect = block_sums) \
  X(get_between_phases, "phase race", .outs = 256, .expect = fives) \
  X(unequal_threads, "barrier", .outs = 256, .expect = first_of_block) \
  X(thread_behind_block, "divergence", .outs = 256, .expect = last_of_block)
/* A compiler that optimises for the CPU rejects these. */
#define PHASE_LEFT_CASES(X) \
  X(phase_left_by_break, "phase", .n = 96, .grid = 2, .outs = 96, .expect = plus_1) \
  X(phase_left_by_return, "phase", .n = 96, .grid = 2, .outs = 96, .expect = plus_1)

#define PROGRESS_CASES(X) \
  X(index_as_order, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = prefixes) \
  X(waits_for_larger, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = suffixes) \
  X(waits_before_publish, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = pair_sums) \
  X(exchange, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = pair_sums) \
  X(first_waits_for_all, "progress", .outs = 1, .slots = 5, .flags = ANY_SCHEDULE, .expect = total) \
  X(barrier_of_grid, "progress", .outs = 1, .scratches = 2, .flags = ANY_SCHEDULE, .expect = total) \
  X(last_not_published, "progress", .outs = 1, .slots = 5, .flags = ANY_SCHEDULE, .expect = total) \
  X(empty_not_published, "progress", .n = 100, .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = prefixes) \
  X(wrong_flag, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = prefixes) \
  X(wrong_slot, "progress", .outs = 4, .slots = 5, .flags = ANY_SCHEDULE, .expect = prefixes) \
  X(lock_not_released, "progress", .outs = 1, .scratches = 2, .flags = ANY_SCHEDULE, .expect = total) \
  X(not_closed, "progress phase slots", .outs = 256, .launches = 2, .expect = plus_1) \
  X(not_closed_by_all, "progress phase slots", .n = 100, .outs = 100, .launches = 2, .expect = plus_1) \
  X(counted_by_some, "progress phase slots", .n = 100, .outs = 1, .scratches = 4, .launches = 2, .expect = total) \
  X(dirty_counter, "progress race undefined", .outs = 1, .scratches = 4, .flags = COUNTER_DIRTY | SCRATCH_UNSET, .expect = total)

#define ATOMICS_CASES(X) \
  X(add_without_atomic, "race", .outs = 8, .expect = histogram) \
  X(lost_update, "race", .outs = 1, .expect = total) \
  X(set_without_atomic, "race", .outs = 1, .expect = ones) \
  X(plain_guard, "race", .outs = 1, .expect = maximum) \
  X(guard_then_set, "race", .outs = 1, .expect = maximum) \
  X(guard_missing, "race", .outs = 1, .fill = increasing, .expect = maximum) \
  X(worklist, "race", .outs = 256, .scratches = 1, .expect = half_ones) \
  X(plain_read, "race", .outs = 256, .scratches = 1, .expect = zeros) \
  X(min_without_atomic, "race", .outs = 8, .fill = out_99, .expect = bin_minima) \
  X(reset_without_atomic, "race", .outs = 256, .scratches = 1, .expect = plus_1) \
  X(lost_in_warp, "race", .grid = 1, .block = 32, .n = 32, .outs = 8, .expect = histogram) \
  X(lost_bytes, "race", .grid = 1, .block = 32, .n = 32, .outs = 8, .expect = histogram)

#define PRIMITIVES_CASES(X) \
  X(full_row_of_part, "bounds", .grid = 1, .block = 32, .n = 200, .outs = 200, .expect = copied) \
  X(misaligned_row, "bounds", .grid = 1, .n = 128, .outs = 128, .expect = copied) \
  X(staged_row_by_element, "race", .grid = 1, .block = 32, .n = 128, .outs = 128, .expect = all_reversed) \
  X(scatter_bits_read_back, "race", .grid = 1, .block = 32, .n = 32, .outs = 32, .expect = all_reversed) \
  X(ranks_of_two_warps, "race", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(count_u16_overflow, "overflow", .grid = 1, .block = 1024, .outs = 1, .expect = count_64512)

/* findings: at 8 lanes, and at 64. */
#define WARP_SIZE_CASES(X) \
  X(warps_of_32, "bounds", "", .grid = 1, .block = 256, .outs = 1, .flags = BOUND_OF_MEMBER, .expect = block_sums) \
  X(threads_by_32, "result", "undefined", .grid = 1, .block = 256, .outs = 1, .expect = block_sums) \
  X(pieces_of_32, "bounds undefined", "race", .grid = 1, .block = 256, .outs = 256, .expect = reversed) \
  X(cleared_by_one_warp, "undefined", "", .grid = 1, .block = 256, .outs = 32, .expect = histogram_32) \
  X(lane_31, "divergence", "result", .grid = 1, .block = 256, .outs = 1, .expect = total) \
  X(warp_synchronous, "race", "", .grid = 1, .block = 32, .n = 32, .outs = 32, .expect = reversed)

#define CLEAN_CASES(X) \
  X(neighbouring_bytes, "", .grid = 2, .n = 12, .outs = 3, .expect = bytes) \
  X(equal_values, "", .grid = 1, .n = 32, .outs = 8, .expect = one_to_n) \
  X(own_stores, "", .outs = 256, .expect = reversed_by_32) \
  X(wanted, "", .outs = 256, .expect = odd_is_16) \
  X(past_the_end, "", .grid = 3, .n = 150, .outs = 150, .expect = plus_1) \
  X(unset_and_unused, "", .grid = 2, .block = 128, .n = 160, .outs = 160, .expect = plus_1) \
  X(copy_of_unset, "", .grid = 2, .block = 128, .n = 160, .outs = 160, .scratches = 256, .flags = SCRATCH_UNSET, .expect = plus_1) \
  X(atomics_only, "", .grid = 2, .block = 128, .outs = 8, .expect = histogram) \
  X(look_back, "", .outs = 4, .slots = 4, .launches = 2, .expect = prefixes) \
  X(wrapped_hash, "", .n = 200, .outs = 200, .expect = ones) \
  X(shuffle_edges, "", .grid = 3, .n = 150, .outs = 150, .expect = plus_1) \
  X(gives_up, "", .outs = 256, .scratches = 1, .expect = plus_1) \
  X(butterfly_of_part, "", .grid = 1, .block = 40, .n = 40, .outs = 40, .expect = sums_of_32) \
  X(flags_set_by_several, "", .grid = 1, .block = 32, .n = 32, .outs = 8, .expect = ones)

/* ---- What the arrays hold ---- */

static void with_32(bug_host *h) { for (size_t i = 5; i < h->n; i += 50) h->in[i] = 32; }
static void permutation(bug_host *h) { for (size_t i = 0; i < h->n; i++) h->in[i] = (uint32_t)(7 * i % h->n + 1); }
static void hundreds(bug_host *h) { for (size_t i = 0; i < h->scratches; i++) h->scratch[i] = (uint32_t)(100 * (i + 1)); }
static void in_to_out(bug_host *h) { for (size_t i = 0; i < h->outs; i++) h->out[i] = h->in[i]; }
static void one_big(bug_host *h) { h->in[3] = 2000; }
static void increasing(bug_host *h) { for (size_t i = 0; i < h->n; i++) h->in[i] = (uint32_t)i; }
static void decreasing(bug_host *h) { for (size_t i = 0; i < h->n; i++) h->in[i] = (uint32_t)(h->n - i); }
static void first_warp_small(bug_host *h) { for (size_t i = 0; i < 32; i++) h->in[i] /= 2; }
static void out_99(bug_host *h) { for (size_t i = 0; i < h->outs; i++) h->out[i] = 99; }

/* ---- What the twins compute ---- */

#define EACH(...) { for (size_t i = 0; i < h->outs; i++) { __VA_ARGS__; } }
#define EACH_ELEMENT(...) { for (size_t i = 0; i < h->n; i++) { __VA_ARGS__; } }
static uint32_t value(const bug_host *h, size_t i) { return i < h->n ? h->in[i] : 0; }
static void plus_1(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) + 1)
static void plus_next(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) + value(h, i + 1))
static void plus_previous(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) + (i ? value(h, i - 1) : 0))
static void plus_next_of_block(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i) + ((i + 1) % h->block ? value(h, i + 1) : 0))
static void plus_tile_before(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i) + (i < h->block ? 0 : value(h, i - h->block)))
static void plus_block_before(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i) + (i < h->block ? 0 : h->scratch[i / h->block - 1]))
static void next_plus_1(const bug_host *h, uint32_t *out) EACH(out[i] = h->in[i + 1] + 1)
static void copied(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i))
static void inverse(const bug_host *h, uint32_t *out) EACH(out[h->in[i] - 1] = (uint32_t)i)
static void histogram(const bug_host *h, uint32_t *out)
EACH_ELEMENT(out[h->in[i] / 4 < 8 ? h->in[i] / 4 : 7]++)
static void histogram_32(const bug_host *h, uint32_t *out) EACH_ELEMENT(out[h->in[i]]++)
static void block_sums(const bug_host *h, uint32_t *out) EACH_ELEMENT(out[i / h->block] += h->in[i])
static void block_maxima(const bug_host *h, uint32_t *out)
EACH_ELEMENT(if (out[i / h->block] < h->in[i]) out[i / h->block] = h->in[i])
static void bin_maxima(const bug_host *h, uint32_t *out)
EACH_ELEMENT(if (out[h->in[i] / 4] < h->in[i]) out[h->in[i] / 4] = h->in[i])
static void bin_minima(const bug_host *h, uint32_t *out)
{ out_99(&(bug_host){ .outs = h->outs, .out = out }); EACH_ELEMENT(if (out[h->in[i] / 4] > h->in[i]) out[h->in[i] / 4] = h->in[i]) }
static void total(const bug_host *h, uint32_t *out) EACH_ELEMENT(out[0] += h->in[i])
static void sums_of_32(const bug_host *h, uint32_t *out)
EACH(out[i] = 0; for (size_t k = i / 32 * 32; k < h->n && k / 32 == i / 32; k++) out[i] += h->in[k])
static void maximum(const bug_host *h, uint32_t *out) EACH_ELEMENT(if (out[0] < h->in[i]) out[0] = h->in[i])
static void maximum_of_first_32(const bug_host *h, uint32_t *out)
EACH_ELEMENT(if (i < 32 && out[0] < h->in[i]) out[0] = h->in[i])
static void prefixes(const bug_host *h, uint32_t *out) EACH(for (size_t k = 0; k < (i + 1) * h->block; k++) out[i] += value(h, k))
static void suffixes(const bug_host *h, uint32_t *out) EACH(for (size_t k = i * h->block; k < h->n; k++) out[i] += h->in[k])
static void pair_sums(const bug_host *h, uint32_t *out)
EACH(for (size_t k = 0; k < 2 * h->block; k++) out[i] += value(h, i / 2 * 2 * h->block + k))
static void scan(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) + (i ? out[i - 1] : 0))
static void reversed(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i / h->block * h->block + h->block - 1 - i % h->block))
static void all_reversed(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, h->n - 1 - i))
static void reversed_by_32(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i ^ 31))
static void rotated(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i / h->block * h->block + (i + 1) % h->block))
static void pairs_swapped(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i ^ 1))
static void first_of_block(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i / h->block * h->block))
static void last_of_block(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i / h->block * h->block + h->block - 1))
static void last_of_warp_plus_1(const bug_host *h, uint32_t *out)
EACH(out[i] = value(h, i / h->block * h->block + (i % h->block < 32 ? 31 : h->block - 1)) + 1)
static void odd_ones(const bug_host *h, uint32_t *out)
{ size_t k = 0; EACH_ELEMENT(if (h->in[i] % 2) out[k++] = h->in[i]) }
static void odd_ones_and_99(const bug_host *h, uint32_t *out) { EACH(out[i] = 99) odd_ones(h, out); }
static void odd_or_0(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) % 2 ? value(h, i) : 0)
static void odd_is_16(const bug_host *h, uint32_t *out) EACH(out[i] = value(h, i) % 2 ? 16 : 0)
static void half_ones(const bug_host *h, uint32_t *out) EACH(out[i] = i < h->n / 2)
static void weights(const bug_host *h, uint32_t *out)
EACH(out[i] = (const uint32_t[]){ 1, 10, 100, 1000 }[value(h, i) % 4])
static void bytes(const bug_host *h, uint32_t *out) EACH_ELEMENT(((uint8_t *)out)[i] = (uint8_t)h->in[i])
static void threads(const bug_host *h, uint32_t *out) EACH(out[i] = h->block)
static void one_to_n(const bug_host *h, uint32_t *out) EACH(out[i] = (uint32_t)i + 1)
static void odd_numbers(const bug_host *h, uint32_t *out) EACH(out[i] = 2 * (uint32_t)i + 1)
static void first_block(const bug_host *h, uint32_t *out) EACH(out[i] = i == 0)
static void zeros(const bug_host *h, uint32_t *out) EACH(out[i] = 0)
static void ones(const bug_host *h, uint32_t *out) EACH(out[i] = 1)
static void twos(const bug_host *h, uint32_t *out) EACH(out[i] = 2)
static void fives(const bug_host *h, uint32_t *out) EACH(out[i] = 5)
static void seven(const bug_host *h, uint32_t *out) EACH(out[i] = 7)
static void two_bytes(const bug_host *h, uint32_t *out) EACH(out[i] = 0x0201)
static void count_64512(const bug_host *h, uint32_t *out) EACH(out[i] = 63 * 1024)
#undef EACH
#undef EACH_ELEMENT

#endif
