#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutates the GPU's kernel templates, and reports which mutants the simulated GPU finds.

tests/scripts/mutations.sh [BUILD_DIR] [PATTERN]      doc/simulator.md has the last result

Each mutant changes one place of one header: a barrier, a publish, poll or ticket, the bound of a predicate or loop, an
atomic, or a loop that clears. Its build units are compiled against the changed header and linked in front of the library's
own kernels, and `isowarp verify` runs. PATTERN, a regular expression, selects mutants by "file:line kind: change".

Environment: MUTATIONS_JOBS (2) at a time; MUTATIONS_TARGETS ("sim"; "cpu", "sim cpu") runs the same mutants on the CPU
backend: the GPU's schedule with its tuning numbers, generic lanes, four threads that share each block. MUTATIONS_LIST=1 only lists them.
MUTATIONS_SAMPLE=60: a random sample of so many, the same every time. MUTATIONS_OUT names a file for one line a mutant;
mutants that are in it already are not run again. MUTATIONS_SECONDS=450: no mutant begins later than that; run the script
again, with the same MUTATIONS_OUT, for the others. MUTATIONS_CONTROL=1: headers without a change, which have to survive.
"""
import concurrent.futures, glob, os, random, re, subprocess, sys, tempfile, threading, time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else 'build')
PATTERN = re.compile(sys.argv[2] if len(sys.argv) > 2 else '')
CC = os.environ.get('MUTATIONS_CC', 'gcc').split()
JOBS = int(os.environ.get('MUTATIONS_JOBS', '2'))
TIMEOUT = 90 # seconds for one run of verify; unmutated runs take at most 20

# ---- Which units a header is part of, and the cases of `isowarp verify` that run them: cheap ones first.
# ----
SCANS = [('scan_sum', ['clusive/sum/i32', 'clusive/sum/f64', '@unaligned']), ('segmented', ['segments/sum/u32', 'segments/sum/f64']),
         ('reduce', ['reduce/sum/f64', 'reduce/min/i32', 'argmin/u32'])]
COUNTS = [('partition', ['partition/u32', 'sides/u32', 'select/f64', 'flags/i32', 'payloads/u8',
                           'payloads/u64', 'chosen/u32', 'unique/u32', 'run-lengths/u64', 'run-lengths/f32', '@lengths', '@unaligned', '@narrow'])]
SPLITS = [('multisplit', ['multisplit/u8', 'multisplit/u16', 'multisplit/i32/wide/33', 'multisplit/u64/near', 'three/i32/small', 'sort/u32', '@bits'])]
RUNS = [('reduce_segments_sum', ['reduce-by-key/sum'])]
SEGMENTS = [('reduce_segments_sum', ['reduce-segments/sum/f32', 'reduce-segments/sum/u64', 'reduce-segments/sum/bf16', 'reduce-by-key/sum/f32'])]
ROWS = [('histogram_rows_32', ['histogram/f32', '@spill', '@claimed', '@unaligned']), ('histogram_rows_narrow', ['histogram/u8'])]
ND = [('nd', ['weighted/u16', 'weighted/f32', 'pairs/u32', 'rows/u32', 'channels/', '@channels'])]
# Calls of tests/suites/sim_calls.h, which reach what the cases of verify do not: '@name' among the cases.
CALLS = r'''
#include "sim_calls.h"
int main(int argc, char **argv)
{
  const char *const name = argc > 1 ? argv[1] : "", *wrong = "error: no such call";
  for (unsigned k = 0; k < SIM_CALLS; k++)
    if (!strcmp(name, sim_calls[k].name))
      wrong = sim_calls[k].call();
  if (wrong)
    printf("%s %s\n", name, wrong);
  return wrong != NULL;
}
'''
UNITS = {
  'scan/scan_kernel.h': SCANS, 'scan/agent_pipelined.h': SCANS, 'scan/agent_reduce.h': SCANS, 'common/order1.h': SCANS,
  'common/tile_state.h': SCANS + COUNTS, 'common/look_back.h': COUNTS + SPLITS, 'reduce_segments/runs_in_tiles.h': RUNS, 'reduce_segments/runs_waiting.h': RUNS,
  'reduce_segments/run_heads.h': RUNS,
  'scan/agent_waiting.h': SCANS, 'common/key_heads.h': [('segmented', ['segments/'])] + RUNS,
  'common/flag_bits.h': [('segmented', ['chosen/u8'])], 'scan/segment_heads.h': [('segmented', ['chosen/u8'])],
  'partition/partition_kernel.h': COUNTS, 'partition/agent_staged.h': COUNTS, 'partition/agent_waiting.h': COUNTS, 'partition/run_lengths_kernel.h': COUNTS,
  'partition/range_flags_kernel.h': COUNTS,
  'multisplit/ranked_tiles.h': SPLITS, 'multisplit/ranked_tiles_move.h': SPLITS, 'multisplit/radix_split_kernel.h': SPLITS,
  'multisplit/bucket_offsets_kernel.h': SPLITS,
  'multisplit/onesweep.h': SPLITS, 'multisplit/digit_plan.h': SPLITS, 'reduce_segments/rows_in_lanes.h': SEGMENTS,
  'common/bucket_ids_kernel.h': [('histogram_small', ['multisplit/f32', 'weighted/i32'])],
  'histogram/shared_atomics.h': ROWS, 'histogram/shared_counters.h': ROWS, 'histogram/write_counts.h': ROWS + [('histogram_small', ['histogram/u16', 'histogram/i32'])],
  'histogram/bin_partition.h': [('histogram_partition', ['@bins'])],
  'histogram/bin_partition_count.h': [('histogram_partition', ['@bins'])],
  'histogram/small_n.h': [('histogram_small', ['histogram/f32', 'histogram/u32'])],
  'binning/value_range.h': [('value_range', ['range/'])],
  'histogram/exact_sums.h': ND, 'histogram/accumulate_weights.h': ND, 'histogram/ravel_bins.h': ND, 'histogram/deinterleave.h': ND,
}
# Schedules and devices of the simulator, until one finds the mutant. One multiprocessor: blocks process
# several tiles.
SETTINGS = [
  ('one processor', {'ISOWARP_SIM_PROCESSORS': '1'}),
  ('as shipped', {}),
  ('descending, 2 resident', {'ISOWARP_SIM_PROCESSORS': '1', 'ISOWARP_SIM_SCHEDULE': 'descending', 'ISOWARP_SIM_RESIDENT': '2'}),
  ('random', {'ISOWARP_SIM_PROCESSORS': '1', 'ISOWARP_SIM_SCHEDULE': 'random'}),
  ('adversarial', {'ISOWARP_SIM_PROCESSORS': '1', 'ISOWARP_SIM_SCHEDULE': 'adversarial'}),
]

# ---- Mutations ----
def closing(text, at):
  """The index of the parenthesis that closes the one at `at`."""
  depth = 0
  for i in range(at, len(text)):
    depth += (text[i] == '(') - (text[i] == ')')
    if depth == 0: return i
  return -1

def arguments(text, at):
  """The arguments of the call whose parenthesis is at `at`, and the index of its closing one."""
  end, parts, depth, begin = closing(text, at), [], 0, at + 1
  for i in range(at + 1, end):
    depth += (text[i] in '([{') - (text[i] in ')]}')
    if text[i] == ',' and depth == 0: parts.append(text[begin:i].strip()); begin = i + 1
  return parts + [text[begin:end].strip()], end

ALL = 'iw_lanes_below(IW_WARP_SIZE)'
STATUSES = {'TILE_AGGREGATE': 'TILE_INCLUSIVE', 'TILE_INCLUSIVE': 'TILE_AGGREGATE'}
# Changes of single places, which no rule makes: header, kind, what, text, replacement.
SINGLE = [
  ('scan/agent_pipelined.h', 'publish', 'tickets_open: tile of the block index', 'uint32_t tile = first * TICKET_TILES', 'uint32_t tile = (uint32_t)block->index * TICKET_TILES'),
  ('scan/agent_pipelined.h', 'publish', 'early ticket replaced by a stride', 'requests_ticket ? iw_ticket_request(args->tickets) : 0', 'requests_ticket ? (uint32_t)(tile / TICKET_TILES + block->blocks) : 0'),
  ('scan/agent_pipelined.h', 'publish', 'late ticket replaced by a stride', 'iw_ticket_post(iw_ticket_request(args->tickets));', 'iw_ticket_post((uint32_t)(tile / TICKET_TILES + block->blocks));'),
  ('scan/agent_pipelined.h', 'publish', 'group aggregate before the inclusive group', 'if (finishing && ends && warp == 0) FN(publish_inclusive_group)(args, shared, round, &carry, last);\n      const uint32_t warp_tile = tile + warp, in_row = (uint32_t)FN(tile_in_row)(round.place, warp_tile);\n      const int ends_row = HAS_ROWS ? round.place.at + TILE >= round.place.end : warp_tile + 1 >= none;\n      if (loading && (int)warp < TILES && ends_group(in_row) && !ends_row)\n        FN(publish_group_aggregate)(args, shared, round, warp);', 'const uint32_t warp_tile = tile + warp, in_row = (uint32_t)FN(tile_in_row)(round.place, warp_tile);\n      const int ends_row = HAS_ROWS ? round.place.at + TILE >= round.place.end : warp_tile + 1 >= none;\n      if (loading && (int)warp < TILES && ends_group(in_row) && !ends_row)\n        FN(publish_group_aggregate)(args, shared, round, warp);\n      if (finishing && ends && warp == 0) FN(publish_inclusive_group)(args, shared, round, &carry, last);'),
  ('scan/agent_pipelined.h', 'publish', 'the look-back before the publication', 'if (loading && (int)warp < TILES && tile + warp < none) FN(publish_tile)(FN(heads_of_stage)(shared, round.stage, warp * TILE), shared, round, warp);\n      if (finishing) FN(look_back)(args, shared, round, warp);', 'if (finishing) FN(look_back)(args, shared, round, warp);\n      if (loading && (int)warp < TILES && tile + warp < none) FN(publish_tile)(FN(heads_of_stage)(shared, round.stage, warp * TILE), shared, round, warp);'),
  ('scan/agent_pipelined.h', 'publish', 'the ticket is requested before the tile is published, by its publisher', 'warp == (WARPS - 1) / 2;', 'warp == 0;'),
  ('scan/agent_pipelined.h', 'publish', 'no wait for tiles', 'for (unsigned spins = 0; !FN(try_fold_tiles)(look_back, tile - before, before, &prefix, has_head);)\n    iw_pause(&spins);', '(void)FN(try_fold_tiles)(look_back, tile - before, before, &prefix, has_head);'),
  ('scan/agent_pipelined.h', 'publish', 'the inclusive group also of tiles that end no group', 'finishing && ends && warp == 0', 'finishing && warp == 0'),
  ('scan/scan_kernel.h', 'publish', 'states are folded whether or not they are there', 'return 0;\n  *prefix = FOLD', '{}\n  *prefix = FOLD'),
  ('common/tile_state.h', 'publish', 'every tile counts as published', 'return iw_all(iw_or_pred(iw_not_pred(in_range), valid));', '(void)valid; (void)in_range; return 1;'),
  ('common/tile_state.h', 'publish', 'one published tile suffices', 'return iw_all(iw_or_pred(iw_not_pred(in_range), valid));', 'return iw_any(iw_or_pred(iw_not_pred(in_range), valid));'),
  ('common/tile_state.h', 'publish', 'lane 0 decides', 'have_status(look_back, states->flag, TILE_AGGREGATE)', 'have_status(look_back, iw_broadcast_u32(states->flag, 0), TILE_AGGREGATE)'),
  ('common/tile_state.h', 'publish', 'inclusive tiles do not count', 'iw_pred_of(*heads));', 'iw_lanes_below(0));'),
  ('common/tile_state.h', 'publish', 'an aggregate counts as inclusive', 'iw_ballot(have_status(look_back, states.flag, TILE_INCLUSIVE))', 'iw_ballot(iw_ge_u32(states.flag, iw_splat_u32(tile_flag(look_back, TILE_AGGREGATE))))'),
  ('common/tile_state.h', 'publish', 'the groups after the inclusive one are not waited for', '(valid_lanes & needed_lanes) == needed_lanes', '1'),
  ('common/tile_state.h', 'publish', 'the nearest group is not waited for', '0xffffffffu & ~', '0x7fffffffu & ~'),
  ('common/tile_state.h', 'publish', 'flags of earlier launches count', 'have_status(look_back, states->flag, TILE_AGGREGATE)', 'iw_le_u32(iw_splat_u32(1), states->flag)'),
  ('common/look_back.h', 'publish', 'flags of all launches are equal', 'look_back->epoch * 4', '4'),
  ('common/look_back.h', 'publish', 'aggregate and inclusive are exchanged', 'is_inclusive ? TILE_INCLUSIVE : TILE_AGGREGATE', 'is_inclusive ? TILE_AGGREGATE : TILE_INCLUSIVE'),
  ('common/look_back.h', 'publish', 'the tile before the last one ends the group', '== LOOK_BACK_GROUP_TILES - 1', '== LOOK_BACK_GROUP_TILES - 2'),
  ('common/look_back.h', 'publish', 'the aggregate of the first group is not inclusive', 'group ? status : TILE_INCLUSIVE', 'status'),
  ('common/look_back.h', 'publish', 'every aggregate of a group is inclusive', 'group ? status : TILE_INCLUSIVE', 'TILE_INCLUSIVE'),
  ('common/look_back.h', 'publish', 'digits: one lane suffices for an aggregate', 'if (!inclusive && !iw_all(', 'if (!inclusive && !iw_any('),
  ('common/look_back.h', 'publish', 'digits: one lane suffices for an inclusive prefix', 'const int inclusive = iw_all(', 'const int inclusive = iw_any('),
  ('common/look_back.h', 'publish', 'digits: no wait for tiles', 'if (!inclusive && !iw_all(', 'if (0 && !iw_all('),
  ('common/look_back.h', 'publish', 'digits: the look-back goes past an inclusive prefix', 'if (inclusive) return sum;', 'if (inclusive && tile - b <= 1) return sum;'),
  ('common/look_back.h', 'predicate', 'digits: the tile itself is waited for', '(tile - 1 - b) * digits', '(tile - b) * digits'),
  ('common/tile_state.h', 'publish', 'the first inclusive group', 'iw_highest(inclusive_lanes)', 'iw_lowest(inclusive_lanes)'),
  ('common/look_back.h', 'publish', 'no wait for tiles', 'for (unsigned spins = 0; !try_load_tile_states_u32(look_back, tile - before, before, 0, &states, &heads);)\n    iw_pause(&spins);', '(void)try_load_tile_states_u32(look_back, tile - before, before, 0, &states, &heads);'),
  ('common/look_back.h', 'predicate', 'one group is counted twice', 'iw_lanes_below(inclusive_lane)', 'iw_lanes_below(inclusive_lane + 1)'),
  ('common/look_back.h', 'predicate', 'group 0 looks back', 'if (group == 0) return 0;', ''),
  ('common/look_back.h', 'predicate', 'the tile itself is waited for', 'tile - before, before, 0', 'tile - before, before + 1, 0'),
  ('partition/agent_staged.h', 'publish', 'tile of the block index', 'uint64_t tile = first,', 'uint64_t tile = (uint64_t)block->index,'),
  ('partition/agent_staged.h', 'publish', 'ticket replaced by a stride', 'iw_ticket_post(iw_ticket_request(move->tickets))', 'iw_ticket_post((uint32_t)(tile + block->blocks))'),
  ('partition/agent_staged.h', 'publish', 'the look-back before the publication', 'if (r->loading && warp == 0) {', 'if (r->finishing && warp == 0) (void)wait_tile_counts(look_back, r->done + 1);\n  if (r->loading && warp == 0) {'),
  ('partition/agent_staged.h', 'publish', 'the group also of tiles that end no group', 'if (HAS_GROUPS && ends_group(done) && warp == 0)', 'if (HAS_GROUPS && warp == 0)'),
  ('partition/agent_staged.h', 'publish', 'every warp publishes the group', 'if (HAS_GROUPS && ends_group(done) && warp == 0)', 'if (HAS_GROUPS && ends_group(done))'),
  ('partition/agent_staged.h', 'publish', 'every warp publishes the tile', 'if (r->loading && warp == 0) {', 'if (r->loading) {'),
  ('partition/agent_staged.h', 'predicate', 'the rest of a partial tile is a whole one', '(unsigned)(valid < TILE ? valid : TILE) - count', '(unsigned)TILE - count'),
  ('partition/agent_staged.h', 'predicate', 'CHUNK', 'left >= CHUNK &&', 'left >= CHUNK - 1 &&'),
  ('partition/agent_staged.h', 'predicate', 'whole rows without alignment', 'left >= CHUNK && FN(can_vectorize)(args, at)', 'left >= CHUNK'),
  ('partition/agent_staged.h', 'predicate', 'IW_FULL_ROW for a partial chunk', 'else FN(flag_rows)(args, at, left, wants', 'else FN(flag_rows)(args, at, IW_FULL_ROW, wants'),
  ('partition/agent_staged.h', 'predicate', 'a chunk behind the end is packed', 'if (warp_offset < in_tile)', 'if (warp_offset <= in_tile)'),
  ('partition/run_lengths_kernel.h', 'predicate', 'the last chunk is a whole one', 'left < IW_RUN_LENGTHS_CHUNK ? count : from + IW_RUN_LENGTHS_CHUNK', 'from + IW_RUN_LENGTHS_CHUNK'),
  ('partition/run_lengths_kernel.h', 'predicate', 'the begin of the next chunk is read in the launch that overwrites it', '(SCALAR)iw_get_u64(args->next + chunk)', 'end < count ? OF_T(iw_get)(runs + end) : (SCALAR)args->n'),
  ('scan/agent_pipelined.h', 'predicate', 'CHUNK of a load', 'SCAN_FULL_ROW_LOOPS && valid >= CHUNK && iw_row_can_vectorize((const ELEMENT *)args->in + at)', 'SCAN_FULL_ROW_LOOPS && valid >= CHUNK - 1 && iw_row_can_vectorize((const ELEMENT *)args->in + at)'),
  ('scan/agent_pipelined.h', 'predicate', 'CHUNK of a store', 'valid >= CHUNK && FN(can_vectorize_outputs)(args, at)', 'valid >= CHUNK - 1 && FN(can_vectorize_outputs)(args, at)'),
  ('scan/agent_pipelined.h', 'predicate', 'whole rows without alignment: load', '&& iw_row_can_vectorize((const ELEMENT *)args->in + at)', ''),
  ('scan/agent_pipelined.h', 'predicate', 'whole rows without alignment: store', '&& FN(can_vectorize_outputs)(args, at)', ''),
  ('scan/agent_pipelined.h', 'predicate', 'IW_FULL_ROW for a partial chunk: load', 'else FN(load_rows)(args, at, valid,', 'else FN(load_rows)(args, at, IW_FULL_ROW,'),
  ('scan/agent_pipelined.h', 'predicate', 'IW_FULL_ROW for a partial chunk: store', '} else FN(finish_rows)(args, &carry, at, begin, valid,', '} else FN(finish_rows)(args, &carry, at, begin, IW_FULL_ROW,'),
  ('scan/agent_pipelined.h', 'predicate', 'a prefetch beyond the end', 'ahead + CHUNK <= args->n', 'ahead <= args->n'),
  ('scan/agent_pipelined.h', 'predicate', 'tiles behind the last one are published', '(int)warp < TILES && tile + warp < none)', '(int)warp < TILES)'),
  ('scan/agent_pipelined.h', 'predicate', 'the number of rows is rounded down', '(left + ROW_ELEMENTS - 1) / ROW_ELEMENTS', 'left / ROW_ELEMENTS'),
  ('scan/agent_pipelined.h', 'predicate', 'a buffer of the wrong round', '(rounds + STAGE_BUFFERS - SCAN_PIPELINE_DEPTH) % STAGE_BUFFERS', '(rounds + 1) % STAGE_BUFFERS'),
  ('scan/agent_pipelined.h', 'predicate', 'the prefixes of the wrong round', '(rounds + 1) % PIPELINE_STAGES', 'rounds % PIPELINE_STAGES'),
  ('common/flag_bits.h', 'predicate', 'elements beyond the last', 'iw_lanes_below(left_ - 32 * k)', 'iw_lanes_below(32)'),
  ('scan/agent_reduce.h', 'publish', 'the last block waits for no tile', '!iw_all(iw_or_pred(iw_not_pred(some), have_status(look_back, states[k].flag, TILE_AGGREGATE)))', '0'),
  ('scan/agent_reduce.h', 'publish', 'the last block waits for no place', 'wait_tile_states_u32(&of_places, at, count).value', 'iw_poll_u32(of_places.tile_states, (int64_t)at, 0, (int)count).value'),
  ('scan/agent_reduce.h', 'predicate', 'the last element is left out', 'valid > t * TILE + PLACE_OF_OWN_ROW(r) ? valid - t * TILE - PLACE_OF_OWN_ROW(r) : 0', 'valid > t * TILE + PLACE_OF_OWN_ROW(r) + 1 ? valid - t * TILE - PLACE_OF_OWN_ROW(r) - 1 : 0'),
  ('common/bucket_ids_kernel.h', 'predicate', 'the last chunk is a whole one', 'first + IW_BUCKET_IDS_CHUNK < to->n ? first + IW_BUCKET_IDS_CHUNK : to->n', 'first + IW_BUCKET_IDS_CHUNK'),
  ('multisplit/radix_split_kernel.h', 'predicate', 'no limit of a part', 'return at < args->n ? at : args->n;', 'return at;'),
  ('multisplit/ranked_tiles.h', 'predicate', 'every tile is a whole one', '(int32_t)(left < size ? left : size)', '(int32_t)size'),
  ('multisplit/ranked_tiles.h', 'barrier', 'the groups of digits are summed and scanned in one phase', '  }\n  if (finds_nan) stages_keys = !iw_posted_u32();\n  IW_PHASE(warp) { multisplit_scan_group', '  multisplit_scan_group'),
  ('multisplit/ranked_tiles.h', 'predicate', 'keys are staged as ranks though one is a NaN', 'stages_keys = !iw_posted_u32()', '(void)iw_posted_u32()'),
  ('reduce_segments/run_heads.h', 'predicate', 'element 0 is no head', 'if (!from) before[r] = ~before[r];', ''),
  ('histogram/shared_counters.h', 'predicate', 'counts of entries that are no outputs', 'iw_and_pred(some, iw_lt(entry, iw_splat(to->outputs)))', 'some'),
  ('histogram/shared_counters.h', 'predicate', 'no entry is an outlier', 'iw_and_pred(some, iw_ge(entry, iw_splat(to->bins)))', 'iw_lanes_below(0)'),
  ('histogram/shared_atomics.h', 'predicate', 'the last span is a whole one', 'first + args->span < args->n ? first + args->span : args->n', 'first + args->span'),
  ('histogram/shared_atomics.h', 'predicate', 'whole rows without alignment', '&& iw_row_can_vectorize(args->samples)', ''),
  ('histogram/shared_atomics.h', 'predicate', 'the partial row is a whole one', '(end - at) / step * step : at', '(end - at + step - 1) / step * step : at'),
  ('histogram/shared_counters.h', 'predicate', 'no limit before 16-bit counters are spilled', 'if (!iw_any(iw_ne(iw_and(any, large), none))) continue;', 'continue;'),
  ('histogram/shared_counters.h', 'atomics', 'the owner is read without atomics', 'iw_gather_relaxed_u32(owners', 'iw_gather_u32(owners'),
  ('histogram/shared_counters.h', 'atomics', 'the owner is claimed without atomics', 'iw_shared_compare_exchange(owners, place, none, own, free)', '({ const iw_u32 old_ = iw_gather_u32(owners, place, free); iw_scatter_u32(owners, place, own, iw_and_pred(free, iw_eq(old_, none))); old_; })'),
  ('histogram/shared_counters.h', 'atomics', 'the heavy hitter is forgotten', 'heavy->run = iw_splat(0u);\n}', '}'),
  ('binning/value_range.h', 'predicate', 'no limit of a chunk', 'at < (c + 1) * chunk && at < args->n', 'at < (c + 1) * chunk'),
  ('histogram/ravel_bins.h', 'predicate', 'the last part is a whole one', 'part + IW_RAVEL_BLOCK_COLUMNS < args->columns ? part + IW_RAVEL_BLOCK_COLUMNS\n        : args->columns', 'part + IW_RAVEL_BLOCK_COLUMNS'),
  ('histogram/deinterleave.h', 'predicate', 'no limit of a chunk', 'at < first + IW_DEINTERLEAVE_CHUNK && at < n', 'at < first + IW_DEINTERLEAVE_CHUNK'),
  ('common/order1.h', 'predicate', 'IW_FULL_ROW: loads', 'pending.part[p] = OF_T_FROM(iw_row_issue)(in + p * IW_ROW(T), PART_VALID(valid, p),', 'pending.part[p] = OF_T_FROM(iw_row_issue)(in + p * IW_ROW(T), IW_FULL_ROW,'),
  ('common/order1.h', 'predicate', 'IW_FULL_ROW: stores', 'TWIDDLE_PART(args, x.part[p]), PART_VALID(valid, p),', 'TWIDDLE_PART(args, x.part[p]), IW_FULL_ROW,'),
  ('common/order1.h', 'predicate', 'each part has all elements', '#define PART_VALID(valid, p) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (p) * IW_ROW(T))', '#define PART_VALID(valid, p) (valid)'),
  ('common/order1.h', 'predicate', 'each row has all elements', '#define ROW_VALID(valid, r) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (r) * ROW_ELEMENTS)', '#define ROW_VALID(valid, r) (valid)'),
]
# What the place of an atomic becomes: a load, an addition and a store.
PLAIN = '''
#define MUTANT_PLAIN_FAR_(p, i, v, s) iw_scatter_far(p, iw_to_u64(i), iw_add(iw_gather_far(p, iw_to_u64(i), s), v), s)
#define MUTANT_PLAIN_(p, i, v, s) ({ const __typeof__(iw_gather(p, i, s)) old_ = iw_gather(p, i, s); iw_scatter(p, i, iw_add(old_, v), s); old_; })
#define MUTANT_PLAIN_COUNT_(p, i, s) iw_scatter(p, i, iw_add(iw_gather(p, i, s), iw_splat(1u)), s)
#define MUTANT_PLAIN_MAX_(p, i, v, s) iw_scatter(p, i, v, s)
'''
ATOMICS = {'iw_global_add_noreturn': 'MUTANT_PLAIN_FAR_', 'iw_global_add': '(void)MUTANT_PLAIN_', 'iw_shared_add': 'MUTANT_PLAIN_',
           'iw_count': 'MUTANT_PLAIN_COUNT_', 'iw_global_max': 'MUTANT_PLAIN_MAX_'}

def code_of(text):
  """The text with comments and #define lines blanked, of the same length."""
  blank = lambda m: re.sub(r'[^\n]', ' ', m.group())
  text = re.sub(r'/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)
  return re.sub(r'^#define (?:[^\n]*\\\n)*[^\n]*', blank, text, flags=re.M)

def mutants_of(header):
  """(kind, what, begin, end, replacement) for each place of a header."""
  text = open(f'{SOURCE}/src/algorithms/{header}').read()
  code = code_of(text)
  found = []
  add = lambda kind, what, begin, end, new: found.append((kind, what, begin, end, new))
  for m in re.finditer(r'IW_PHASE\(warp\)', code):
    add('barrier', 'no barrier at the end of the phase', m.start(), m.end(), 'IW_WARPS(warp)')
  for m in re.finditer(r'(?<!void )\b(OF_T\(publish_(tile|group)\)|publish_(tile|group|digit)_\w+)(?=\()', code):
    add('publish', 'removed', m.start(), m.start(), 'if (0) ')
    end = closing(code, m.end())
    for f in re.finditer(r'TILE_(AGGREGATE|INCLUSIVE)', code[m.end():end]):
      add('publish', f'{f.group()} becomes {STATUSES[f.group()]}', m.end() + f.start(), m.end() + f.end(), STATUSES[f.group()])
    for f in re.finditer(r'tile_status(?=\()', code[m.end():end]):
      begin, status_end = m.end() + f.end(), closing(code, m.end() + f.end())
      add('publish', 'the other status', begin, status_end + 1, f'(!{code[begin:status_end + 1]})')
  for m in re.finditer(r'iw_tickets_close\(args->tickets\);', code):
    add('publish', 'tickets are not closed', m.start(), m.end(), '')
  for m in re.finditer(r'iw_lanes_below(?=\()', code):
    args, end = arguments(code, m.end())
    if args[0] in ('IW_WARP_SIZE', '0', '1') or re.fullmatch(r'(all|count) > 0', args[0]): continue
    add('predicate', f'all lanes for iw_lanes_below({re.sub(chr(10) + " *", " ", args[0])})', m.start(), end + 1, ALL)
  for m in re.finditer(r'(iw_\w+|OF_T\(iw_\w+\)|FN\(iw_\w+\))(?=\()', code):
    name = re.sub(r'^(OF_T|FN)\((\w+)\)$', r'\2', m.group())
    if not re.match(r'iw_(load|store|gather|scatter|shared_add|global_add|ballot)', name): continue
    args, end = arguments(code, m.end())
    if args[-1] in ('some', 'valid', 'inner', 'in_bins', 'there', 'finite', 'special'):
      add('predicate', f'{name}: all lanes for {args[-1]}', end - len(args[-1]), end, ALL)
  for m in re.finditer(r'ISSUE_ROW\(', code):
    args, end = arguments(code, m.end() - 1)
    if args[-1] == 'valid': add('predicate', 'ISSUE_ROW: IW_FULL_ROW for valid', end - 5, end, 'IW_FULL_ROW')
  for m in re.finditer(r'FN\(iw_row_valid\)\(v, [^()]*\)', code):
    add('predicate', 'all lanes for iw_row_valid', m.start(), m.end(), ALL)
  for m in re.finditer(r'\bfor \(', code):
    if re.search(r'IW_UNROLL(_ROWS)?\s*$', code[:m.start()]): continue
    header_text = code[m.end():closing(code, m.end() - 1)]
    for c in re.finditer(r'(?<=[\w\]]) < (?=[\w(])', header_text):
      if header_text[:c.start()].count(';') == 1:
        add('predicate', f'< of a loop becomes <=: {header_text[:c.start()].split(";")[1].strip()} <', m.end() + c.start(), m.end() + c.end(), ' <= ')
  for m in re.finditer(r'\b(?:iw_global_add_noreturn|iw_global_add|iw_shared_add|iw_count|iw_global_max)(?=\()', code):
    args, end = arguments(code, m.end())
    add('atomics', f'{m.group()}: load and store', m.start(), end + 1, f'{ATOMICS[m.group()]}({", ".join(args)})')
  for m in re.finditer(r'^ *(?:if \([^;]*\) )?(?:IW_PHASE\(warp\) \{ )?((?:\w*clear\w*)\([^;]*\);)', code, flags=re.M):
    add('atomics', 'not cleared', m.start(1), m.end(1), ';')
  for m in re.finditer(r'iw_store\([^;]*iw_splat\(0u\)[^;]*;', code):
    add('atomics', 'not cleared', m.start(), m.end(), ';')
  for name, kind, what, old, new in SINGLE:
    if name == header:
      at = text.find(old)
      if at < 0: sys.exit(f'{header}: no such text: {old}')
      add(kind, what, at, at + len(old), new)
  result = []
  for kind, what, begin, end, new in sorted(found, key=lambda f: (f[2], f[3])):
    line = text.count('\n', 0, begin) + 1
    old = text[begin:end]
    lost = old.count('\n') - new.count('\n')
    mutated = text[:begin] + new + '\n' * max(lost, 0) + text[end:]
    if kind == 'atomics' and 'MUTANT_' in new: mutated = PLAIN.replace('\n', ' \n').strip() + '\n' + f'#line 1\n' + mutated
    result.append((header, line, kind, re.sub(r'\s+', ' ', what), mutated))
  return result

# ---- Building and running ----
COMMON = ['-DHAVE_CONFIG_H', '-D_POSIX_C_SOURCE=200809L', '-DIW_API=', '-DIW_KERNEL_PREFIX=iw_k_', '-std=gnu11',
          '-ffp-contract=off', '-w', '-g1', '-fopenmp']
# Of the program: empty in a build without them.
OPTIONAL_LIBRARIES = ' '.join(re.findall(r'^(?:CAIRO|LIBZIP)_LIBS = (.*)', open(f'{BUILD}/Makefile').read(), flags=re.M)).split()
INCLUDES = ['-I', BUILD, '-I', f'{SOURCE}/include', '-I', f'{BUILD}/include', '-I', f'{SOURCE}/src']
# sim: the compiler checks the indices of C arrays, whose traps are findings (doc/simulator.md).
TARGETS = {
  'sim': ['-DIW_SIM', '-fsanitize=bounds', '-fsanitize-undefined-trap-on-error', '-DIW_KERNEL_SUFFIX=_sim'],
  'cpu': ['-DIW_LANES_GENERIC', '-DIW_GPU_SCHEDULES', '-DIW_KERNEL_SUFFIX=_generic', '-DIW_CPU_SET'],
}
CPU_UNITS = ('scan_sum', 'reduce', 'segmented', 'partition', 'multisplit', 'nd', 'histogram_small', 'value_range')
CPU_ARGUMENTS = ['--backend', 'cpu', '--isa', 'generic', '--blocks', 'team', '--threads', '4']

def run(command, environment={}, timeout=None):
  """Exit status and output; status 'timeout' if it takes too long."""
  try:
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, env={**os.environ, **environment})
    return p.returncode, p.stdout.decode(errors='replace')
  except subprocess.TimeoutExpired as e:
    return 'timeout', (e.stdout or b'').decode(errors='replace')

def compile_unit(work, unit, target, overlay):
  source = f'{BUILD}/src/kernels/{unit}.c'
  out = f'{work}/{unit}.{target}.o'
  front = ['-I', overlay] if overlay else []
  status, output = run([*CC, *COMMON, '-O1', *front, *INCLUDES, *TARGETS[target], '-x', 'c', '-c', '-o', out, source])
  return (out if status == 0 else None), output

def link(work, objects, target, name, tool):
  library = glob.glob(f'{BUILD}/.libs/libwhole.a')
  program = f'{work}/{name}.{target}'
  extra = [backend_of_cpu] if target == 'cpu' else []
  # The archive repeats objects: the first definition of a symbol counts.
  status, output = run([*CC, '-o', program, *tool, *objects, *extra, '-Wl,-z,muldefs', *library, *OPTIONAL_LIBRARIES, '-fopenmp', '-lm', '-lpthread', '-ldl'])
  if status: sys.exit(output)
  return program

def objects_of_program():
  """Those of the folders of its sources; other programs have some of them, too, with their names in front."""
  objects = [o for folder in ('tools', 'tools/*', 'examples') for place in ('', '/.libs') for o in glob.glob(f'{BUILD}/{folder}{place}/*.o')]
  return [o for o in objects if not os.path.basename(o).startswith('tests_')]

def link_both(work, objects, target, filters, name):
  """The program isowarp, and the one that makes the calls, if cases need it."""
  isowarp = link(work, objects, target, name, objects_of_program())
  calls = any(f.startswith('@') for f in filters)
  return isowarp, link(work, objects, target, f'{name}.calls', [calls_main[target]]) if calls else None

def verify(programs, target, filters, environment):
  """The worst exit status, and the output of all."""
  commands = [[programs[1], f[1:]] for f in filters if f.startswith('@')]
  cases = [f for f in filters if not f.startswith('@')]
  if cases: commands.insert(0, [programs[0], 'verify', *cases, *(['--backend', 'sim'] if target == 'sim' else CPU_ARGUMENTS)])
  worst, all_output = 0, ''
  for command in commands:
    status, output = run(command, environment, TIMEOUT)
    all_output += output
    if status == 'timeout': return status, all_output
    worst = min(worst, status) if status < 0 or worst < 0 else max(worst, status)
  return worst, all_output

baselines = {}
def find_baseline(target, filters):
  """The lines of the unmutated program, of which only others count. On the simulated GPU all of them are right: see controls."""
  if target == 'sim': return
  baselines[target, str(filters)] = set(verify(unmutated[target], target, filters, SETTINGS[0][1])[1].splitlines())

def classify(status, output, expected, header, line):
  """(class, detail), or None if nothing differs."""
  if status == 'timeout': return 'timeout', ''
  wrong = ''
  for l in output.splitlines():
    if l in expected or ' digests equal' in l: continue
    m = re.search(r' error: (\w+): (.*)', l)
    if m and m.group(1) in ('bounds', 'undefined', 'race', 'slots', 'barrier', 'divergence', 'ownership', 'phase', 'overflow', 'progress'):
      near = [int(n) for n in re.findall(re.escape(os.path.basename(header)) + r':(\d+)', m.group(2))]
      distance = min((abs(n - line) for n in near), default=None)
      return m.group(1), f'{"at the place" if distance == 0 else f"{distance} lines away" if distance is not None else "in another file"}: {m.group(2)[:150]}'
    if not wrong and (' differs from ' in l or ' error: ' in l): wrong = l
  if wrong: return 'wrong bits' if ' differs from ' in wrong else 'error', wrong[:120]
  if isinstance(status, int) and status < 0: return 'crash', f'signal {-status}'
  return ('crash', f'status {status}') if status not in (0, 1) else None

def judge(mutant, target):
  header, line, kind, what, text = mutant
  with tempfile.TemporaryDirectory() as work:
    overlay = f'{work}/overlay'
    for place in (f'{overlay}/isowarp/algorithms/{header}', f'{overlay}/algorithms/{header}'):
      os.makedirs(os.path.dirname(place))
      open(place, 'w').write(text)
    objects, ran = [], []
    for unit, filters in UNITS[header]:
      if target == 'cpu' and unit not in CPU_UNITS: continue
      compiled, output = compile_unit(work, unit, target, overlay)
      if not compiled:
        return 'does not compile', next((l for l in output.splitlines() if 'error' in l), '')[:150]
      objects.append(compiled)
      ran.append((link_both(work, objects + others[target, unit], target, filters, unit), filters))
      found = try_setting(ran[-1:], target, SETTINGS[0], header, line)
      if found: return found
    if not ran: return 'no such schedule', ''
    for setting in SETTINGS[1:] if target == 'sim' else SETTINGS[:1] * 2:
      found = try_setting(ran, target, setting, header, line)
      if found: return found
  return 'survived', ''

def try_setting(ran, target, setting, header, line):
  for program, filters in ran:
    found = classify(*verify(program, target, filters, setting[1]), baselines.get((target, str(filters)), set()), header, line)
    if found: return (found[0], f'[{setting[0]}] {found[1]}' if target == 'sim' else found[1])
  return None

if os.environ.get('MUTATIONS_CONTROL'):
  mutants = [(header, 1, 'control', 'no change', open(f'{SOURCE}/src/algorithms/{header}').read()) for header in UNITS]
else: mutants = [m for header in UNITS for m in mutants_of(header)]
name_of = lambda m: f'{m[0]}:{m[1]} {m[2]}: {m[3]}'
mutants = [m for m in mutants if PATTERN.search(name_of(m))]
if os.environ.get('MUTATIONS_SAMPLE'):
  mutants = random.Random(1).sample(mutants, min(int(os.environ['MUTATIONS_SAMPLE']), len(mutants)))
if os.environ.get('MUTATIONS_LIST'):
  for m in mutants: print(name_of(m))
  print(f'{len(mutants)} mutants')
  sys.exit()

work = tempfile.TemporaryDirectory()
unmutated, others, calls_main, backend_of_cpu = {}, {}, {}, None
targets = os.environ.get('MUTATIONS_TARGETS', 'sim').split()
for target in targets:
  units = sorted({u for h in UNITS for u, _ in UNITS[h] if target == 'sim' or u in CPU_UNITS})
  if target == 'cpu':
    # The record of the CPU says which agents it has: here the staged one of partition and the pipelined one of scans.
    source = open(f'{SOURCE}/src/cpu/backend.c').read()
    open(f'{work.name}/backend.c', 'w').write(source.replace('.partition_rereads = 1', '.partition_rereads = 0, .scan_pipelines = 1'))
    backend_of_cpu = f'{work.name}/backend.o'
    status, output = run([*CC, *COMMON, *INCLUDES, '-c', '-o', backend_of_cpu, f'{work.name}/backend.c'])
    if status: sys.exit(output)
  built = {}
  if target == 'sim': built = dict.fromkeys(units) # the library has them
  else:
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
      for unit, (built[unit], output) in zip(units, pool.map(lambda unit: compile_unit(work.name, unit, target, None), units)):
        if not built[unit]: sys.exit(output)
  for unit in units: others[target, unit] = [] if target == 'sim' else [o for u, o in built.items() if u != unit]
  calls_main[target] = f'{work.name}/calls.{target}.o'
  open(f'{work.name}/calls.c', 'w').write(CALLS)
  options = '.backend = IW_BACKEND_SIM' if target == 'sim' else '.backend = IW_BACKEND_CPU, .isa = "generic", .threads = 4, .blocks = IW_BLOCKS_TEAM'
  status, output = run([*CC, *COMMON, *INCLUDES, '-I', f'{SOURCE}/tests/suites', f'-DSIM_CALLS_OPTIONS={options}', '-O1', '-c', '-o', calls_main[target], f'{work.name}/calls.c'])
  if status: sys.exit(output)
  unmutated[target] = link_both(work.name, [o for o in built.values() if o], target, ['@'], 'unmutated')

started = time.monotonic()
last = float(os.environ.get('MUTATIONS_SECONDS', 'inf'))
results = {}
def task(mutant):
  if time.monotonic() - started > last: return
  results[mutant] = [judge(mutant, t) for t in targets]
  line = name_of(mutant) + ' -> ' + ' | '.join(f'{t}: {r[0]} {r[1]}' for t, r in zip(targets, results[mutant]))
  print(line, flush=True)
  if out: out.write(line + '\n'); out.flush()
out = None
if os.environ.get('MUTATIONS_OUT'):
  out = open(os.environ['MUTATIONS_OUT'], 'a+')
  out.seek(0)
  known = {line.partition(' -> ')[0]: line.rstrip().partition(' -> ')[2] for line in out}
  for mutant in mutants:
    parts = dict(p.partition(': ')[::2] for p in known.get(name_of(mutant), '').split(' | '))
    if all(t in parts for t in targets): results[mutant] = [re.match(r'(does not compile|no such schedule|wrong bits|\w+) ?(.*)', parts[t]).groups() for t in targets]
with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
  for target in targets:
    cases = {str(f): f for h in UNITS for u, f in UNITS[h] if target == 'sim' or u in CPU_UNITS}
    list(pool.map(lambda f: find_baseline(target, f), cases.values()))
  list(pool.map(task, [m for m in mutants if m not in results]))

for t, target in enumerate(targets):
  print(f'\n{target}')
  for kind in ('control', 'barrier', 'publish', 'predicate', 'atomics', ''):
    counts = {}
    for mutant, result in results.items():
      if kind in ('', mutant[2]): counts[result[t][0]] = counts.get(result[t][0], 0) + 1
    if kind and not counts: continue
    valid = sum(n for c, n in counts.items() if c not in ('does not compile', 'no such schedule'))
    found = valid - counts.get('survived', 0)
    print(f'{kind or "all":10} {valid:4} mutants, {found:4} found ({100 * found / max(valid, 1):.1f}%): '
          + ', '.join(f'{c} {n}' for c, n in sorted(counts.items(), key=lambda c: -c[1])))
