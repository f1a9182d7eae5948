/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of kernels.c: which elements the lanes access, and what has to be counted. X(name, kernel,
 * pattern, a, b, lanes, n, grid, threads, expected...). The counts are computed by hand from the
 * definitions in doc/counters.md; `H` in a comment: an H200 counted the same (doc/counters.md).
 *
 * Kernels of accesses load the indices of the lanes that take part first: one load, one request, 4 sectors,
 * one tag. What they load they store: one store, 4 sectors, one tag (8 and 2 for elements of 8 bytes).
 */
#ifndef TESTS_COUNTERS_CASES_H
#define TESTS_COUNTERS_CASES_H

#include <stdint.h>

/* Which element lane l accesses. */
typedef enum pattern {
  STRIDE,                     /* a * l + b */
  MODULO,                     /* l mod a */
  HALVES,                     /* two half warps, each in a bank of its own: 16 * (l mod 16) + l / 16 */
  WOVEN,                      /* half warps that conflict, warps that do not: 16 * (l mod 2) + l / 2 */
  MIXED                       /* lanes 0 ... 3: 0; 4, 5: 1; 6, 7: 33 */
} pattern;

static inline uint32_t index_of(pattern p, uint32_t a, uint32_t b, uint32_t l)
{
  switch (p) {
    case STRIDE: return a * l + b;
    case MODULO: return l % a;
    case HALVES: return 16 * (l % 16) + l / 16;
    case WOVEN: return 16 * (l % 2) + l / 2;
    default: return l < 4 ? 0 : l < 6 ? 1 : 33;
  }
}

/* Metrics. */
#define I_LD    "smsp__inst_executed_op_global_ld.sum"
#define I_ST    "smsp__inst_executed_op_global_st.sum"
#define I_ATOM  "sass__inst_executed_per_opcode.ATOMG"
#define I_RED   "smsp__inst_executed_op_global_red.sum"
#define I_LDS   "smsp__inst_executed_op_shared_ld.sum"
#define I_STS   "smsp__inst_executed_op_shared_st.sum"
#define I_ATOMS "smsp__inst_executed_op_shared_atom.sum"
#define I_BAR   "sass__inst_executed_per_opcode.BAR"
#define I_SHFL  "sass__inst_executed_per_opcode.SHFL"
#define I_VOTE  "sass__inst_executed_per_opcode.VOTE"
#define I_MATCH "sass__inst_executed_per_opcode.MATCH"
#define T_ALL   "thread_inst_executed"
#define T_TRUE  "thread_inst_executed_true"
#define R_LD    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define R_ST    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
#define R_ATOM  "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"
#define R_RED   "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"
#define S_LD    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define S_ST    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
#define S_ATOM  "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"
#define S_RED   "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"
#define TAGS    "memory_l1_tag_requests_global"
#define SECTORS "memory_l2_theoretical_sectors_global"
#define IDEAL   "memory_l2_theoretical_sectors_global_ideal"
#define WAVES   "memory_l1_wavefronts_shared"
#define W_IDEAL "memory_l1_wavefronts_shared_ideal"
#define ROUNDS  "isowarp__atomic_rounds_shared"
#define G_ROUNDS "isowarp__atomic_rounds_global"
#define B_READ  "isowarp__bytes_read"
#define B_WRITE "isowarp__bytes_written"

#define ALL 0xffffffffu

/* Of a load by `sectors` sectors, of which `ideal` are the least, and `tags` lines. */
#define LOADS(sectors, ideal, tags) { I_LD, 2 }, { I_ST, 1 }, { R_LD, 2 }, { R_ST, 1 }, { S_LD, 4 + (sectors) }, { S_ST, 4 }, \
  { SECTORS, 8 + (sectors) }, { IDEAL, 8 + (ideal) }, { TAGS, 2 + (tags) }, { I_BAR, 1 }, { WAVES, 0 }
#define STORES(sectors, ideal, tags) { I_LD, 1 }, { I_ST, 1 }, { R_LD, 1 }, { R_ST, 1 }, { S_LD, 4 }, { S_ST, sectors }, \
  { SECTORS, 4 + (sectors) }, { IDEAL, 4 + (ideal) }, { TAGS, 1 + (tags) }
/* Of a load from shared memory, after a store of 32 elements without conflicts. */
#define SHARED_LOADS(waves, ideal, fill) { I_LD, 1 }, { I_STS, 1 }, { I_LDS, 1 }, { I_ST, 1 }, { I_BAR, 1 }, \
  { WAVES, (fill) + (waves) }, { W_IDEAL, (fill) + (ideal) }
/* Of an atomic in shared memory: the counters are cleared before it and loaded after it by one wavefront
 * each. */
#define SHARED_ATOMICS(waves, rounds) { I_ATOMS, 1 }, { I_STS, 1 }, { I_LDS, 1 }, { WAVES, 2 + (waves) }, { ROUNDS, rounds }
#define SHARED_ATOMICS_RESULT(waves, rounds) { I_ATOMS, 1 }, { I_STS, 1 }, { I_LDS, 0 }, { WAVES, 1 + (waves) }, { ROUNDS, rounds }
#define REDS(sectors, rounds) { I_RED, 1 }, { I_ATOM, 0 }, { R_RED, 1 }, { S_RED, sectors }, { G_ROUNDS, rounds }

#define COUNTER_CASES(X) \
  X(load_stride_1, gather_u32, STRIDE, 1, 0, ALL, 0, 1, 32, LOADS(4, 4, 1), { T_ALL, 96 }, { T_TRUE, 96 }, { B_READ, 256 }, { B_WRITE, 128 }) /* H */ \
  X(load_stride_2, gather_u32, STRIDE, 2, 0, ALL, 0, 1, 32, LOADS(8, 4, 2)) /* H */ \
  X(load_stride_3, gather_u32, STRIDE, 3, 0, ALL, 0, 1, 32, LOADS(12, 4, 3)) /* H */ \
  X(load_stride_8, gather_u32, STRIDE, 8, 0, ALL, 0, 1, 32, LOADS(32, 4, 8)) /* H */ \
  X(load_stride_32, gather_u32, STRIDE, 32, 0, ALL, 0, 1, 32, LOADS(32, 4, 32), { B_READ, 128 + 1024 }) /* H */ \
  X(load_from_1, gather_u32, STRIDE, 1, 1, ALL, 0, 1, 32, LOADS(5, 4, 2)) /* H */ \
  X(load_odd_lanes, gather_u32, STRIDE, 1, 0, 0xaaaaaaaau, 0, 1, 32, { S_LD, 8 }, { IDEAL, 2 + 2 + 4 }, { TAGS, 3 }, { T_ALL, 96 }, { T_TRUE, 64 }) /* H */ \
  X(load_5_lanes, gather_u32, STRIDE, 1, 0, 31, 0, 1, 32, { S_LD, 2 }, { IDEAL, 6 }, { TAGS, 3 }, { T_TRUE, 42 }) /* H */ \
  X(load_one_address, gather_u32, STRIDE, 0, 0, ALL, 0, 1, 32, LOADS(1, 1, 1)) /* H */ \
  X(load_no_lane, gather_u32, STRIDE, 1, 0, 0, 0, 1, 32, { I_LD, 2 }, { R_LD, 0 }, { S_LD, 0 }, { TAGS, 1 }, { T_TRUE, 32 }) /* H */ \
  X(red_no_lane, global_add_noreturn, STRIDE, 1, 0, 0, 0, 1, 32, { I_RED, 0 }) \
  X(load_64_stride_1, gather_u64, STRIDE, 1, 0, ALL, 0, 1, 32, { S_LD, 4 + 8 }, { TAGS, 1 + 2 + 2 }, { IDEAL, 4 + 8 + 8 }) /* H */ \
  X(load_64_stride_3, gather_u64, STRIDE, 3, 0, ALL, 0, 1, 32, { S_LD, 4 + 24 }, { TAGS, 1 + 6 + 2 }, { IDEAL, 4 + 8 + 8 }) /* H */ \
  X(load_bytes, gather_u8, STRIDE, 1, 0, ALL, 0, 1, 32, LOADS(1, 1, 1)) /* H */ \
  X(load_half_warp, load_half, STRIDE, 1, 0, ALL, 16, 1, 32, { I_LD, 1 }, { I_ST, 1 }, { S_LD, 2 }, { S_ST, 2 }, { T_TRUE, 32 }, { T_ALL, 64 }) \
  X(store_stride_1, scatter_u32, STRIDE, 1, 0, ALL, 0, 1, 32, STORES(4, 4, 1)) /* H */ \
  X(store_stride_8, scatter_u32, STRIDE, 8, 0, ALL, 0, 1, 32, STORES(32, 4, 8)) /* H */ \
  X(store_stride_33, scatter_u32, STRIDE, 33, 0, ALL, 0, 1, 32, STORES(32, 4, 32)) /* H */ \
  X(store_64_stride_2, scatter_u64, STRIDE, 2, 0, ALL, 0, 1, 32, STORES(16, 8, 4)) \
  X(row, row_copy, STRIDE, 1, 0, ALL, 0, 1, 32, { I_LD, 1 }, { I_ST, 1 }, { S_LD, 16 }, { S_ST, 16 }, { TAGS, 8 }, { IDEAL, 32 }) /* H */ \
  X(row_of_100, row_copy_partial, STRIDE, 1, 0, ALL, 100, 1, 32, { I_LD, 4 }, { I_ST, 4 }, { S_LD, 4 * 13 }, { S_ST, 4 * 13 }, \
    { TAGS, 32 }, { T_TRUE, 200 }, { T_ALL, 256 }) \
  X(uniform_load, uniform, STRIDE, 1, 0, ALL, 0, 1, 32, { I_LD, 1 }, { S_LD, 1 }, { S_ST, 1 }, { T_TRUE, 33 }) \
  X(shared_stride_0, shared_gather_u32, STRIDE, 0, 0, ALL, 0, 1, 32, SHARED_LOADS(1, 1, 1)) /* H */ \
  X(shared_stride_1, shared_gather_u32, STRIDE, 1, 0, ALL, 0, 1, 32, SHARED_LOADS(1, 1, 1)) /* H */ \
  X(shared_stride_2, shared_gather_u32, STRIDE, 2, 0, ALL, 0, 1, 32, SHARED_LOADS(2, 1, 1)) /* H */ \
  X(shared_stride_3, shared_gather_u32, STRIDE, 3, 0, ALL, 0, 1, 32, SHARED_LOADS(1, 1, 1)) /* H */ \
  X(shared_stride_16, shared_gather_u32, STRIDE, 16, 0, ALL, 0, 1, 32, SHARED_LOADS(16, 1, 1)) /* H */ \
  X(shared_stride_32, shared_gather_u32, STRIDE, 32, 0, ALL, 0, 1, 32, SHARED_LOADS(32, 1, 1)) /* H */ \
  X(shared_stride_33, shared_gather_u32, STRIDE, 33, 0, ALL, 0, 1, 32, SHARED_LOADS(1, 1, 1)) /* H */ \
  X(shared_32_half, shared_gather_u32, STRIDE, 32, 0, 0xffff, 0, 1, 32, SHARED_LOADS(16, 1, 1)) \
  X(shared_64_stride_0, shared_gather_u64, STRIDE, 0, 0, ALL, 0, 1, 32, SHARED_LOADS(1, 1, 2)) /* H */ \
  X(shared_64_stride_1, shared_gather_u64, STRIDE, 1, 0, ALL, 0, 1, 32, SHARED_LOADS(2, 2, 2)) /* H */ \
  X(shared_64_stride_2, shared_gather_u64, STRIDE, 2, 0, ALL, 0, 1, 32, SHARED_LOADS(4, 2, 2)) /* H */ \
  X(shared_64_stride_16, shared_gather_u64, STRIDE, 16, 0, ALL, 0, 1, 32, SHARED_LOADS(32, 2, 2)) /* H */ \
  X(shared_64_halves, shared_gather_u64, HALVES, 0, 0, ALL, 0, 1, 32, SHARED_LOADS(32, 2, 2)) /* H */ \
  X(shared_64_woven, shared_gather_u64, WOVEN, 0, 0, ALL, 0, 1, 32, SHARED_LOADS(4, 2, 2)) /* H */ \
  X(shared_64_half_warp, shared_gather_u64, STRIDE, 1, 0, 0xffff, 0, 1, 32, SHARED_LOADS(1, 1, 2)) /* H */ \
  X(shared_64_even_lanes, shared_gather_u64, STRIDE, 1, 0, 0x55555555u, 0, 1, 32, SHARED_LOADS(2, 1, 2)) /* H */ \
  X(shared_store_stride_4, shared_scatter_u32, STRIDE, 4, 0, ALL, 0, 1, 32, { I_STS, 1 }, { I_LDS, 1 }, { WAVES, 4 + 1 }, { W_IDEAL, 2 }) /* H */ \
  X(shared_rows, shared_row, STRIDE, 1, 0, ALL, 0, 1, 32, { I_STS, 1 }, { I_LDS, 1 }, { WAVES, 8 }, { W_IDEAL, 8 }, { I_BAR, 2 }) /* H */ \
  X(count_one_address, count_in, MODULO, 1, 0, ALL, 0, 1, 32, SHARED_ATOMICS(1, 1)) /* H */ \
  X(count_4_addresses, count_in, MODULO, 4, 0, ALL, 0, 1, 32, SHARED_ATOMICS(1, 1)) /* H */ \
  X(count_32_addresses, count_in, MODULO, 32, 0, ALL, 0, 1, 32, SHARED_ATOMICS(1, 1)) /* H */ \
  X(count_one_bank, count_in, STRIDE, 32, 0, ALL, 0, 1, 32, SHARED_ATOMICS(32, 1)) \
  X(count_u16_4, count_u16_in, MODULO, 8, 0, ALL, 0, 1, 32, SHARED_ATOMICS(8, 8)) \
  X(add_one_4, shared_add_one, MODULO, 4, 0, ALL, 0, 1, 32, SHARED_ATOMICS(1, 1)) /* H */ \
  X(add_two_1, shared_add_two, MODULO, 1, 0, ALL, 0, 1, 32, SHARED_ATOMICS(32, 32)) \
  X(add_two_4, shared_add_two, MODULO, 4, 0, ALL, 0, 1, 32, SHARED_ATOMICS(8, 8)) /* H */ \
  X(add_two_32, shared_add_two, MODULO, 32, 0, ALL, 0, 1, 32, SHARED_ATOMICS(1, 1)) /* H */ \
  X(add_two_one_bank, shared_add_two, STRIDE, 32, 0, ALL, 0, 1, 32, SHARED_ATOMICS(32, 1)) /* H */ \
  X(add_two_mixed, shared_add_two, MIXED, 0, 0, 0xff, 0, 1, 32, SHARED_ATOMICS(4, 4)) /* H */ \
  X(add_result_4, shared_add_result, MODULO, 4, 0, ALL, 0, 1, 32, SHARED_ATOMICS_RESULT(8, 8)) /* H */ \
  X(add_result_32, shared_add_result, MODULO, 32, 0, ALL, 0, 1, 32, SHARED_ATOMICS_RESULT(1, 1)) /* H */ \
  X(exchange_64_1, shared_exchange_u64, MODULO, 1, 0, ALL, 0, 1, 32, { I_ATOMS, 1 }, { I_LDS, 0 }, { WAVES, 2 + 32 }, { W_IDEAL, 2 + 2 }) /* H */ \
  X(exchange_64_32, shared_exchange_u64, MODULO, 32, 0, ALL, 0, 1, 32, { I_ATOMS, 1 }, { I_LDS, 0 }, { WAVES, 2 + 2 }, { W_IDEAL, 2 + 2 }) /* H */ \
  X(add_64_4, shared_add_u64, MODULO, 4, 0, ALL, 0, 1, 32, { I_ATOMS, 8 }, { I_LDS, 8 + 1 }, { ROUNDS, 8 }, { WAVES, 4 + 36 }, { W_IDEAL, 4 + 36 }) /* H */ \
  X(add_64_32, shared_add_u64, MODULO, 32, 0, ALL, 0, 1, 32, { I_ATOMS, 1 }, { I_LDS, 1 + 1 }, { ROUNDS, 1 }, { WAVES, 4 + 6 }, { W_IDEAL, 4 + 6 }) /* H */ \
  X(red_1, global_add_u32, MODULO, 1, 0, ALL, 0, 1, 32, REDS(32, 32), { TAGS, 2 }) \
  X(red_2, global_add_u32, MODULO, 2, 0, ALL, 0, 1, 32, REDS(16, 16), { TAGS, 2 }) /* H */ \
  X(red_8, global_add_u32, MODULO, 8, 0, ALL, 0, 1, 32, REDS(4, 4), { TAGS, 2 }) /* H */ \
  X(red_32, global_add_u32, MODULO, 32, 0, ALL, 0, 1, 32, REDS(4, 1), { TAGS, 2 }, { SECTORS, 8 }) /* H */ \
  X(red_mixed, global_add_u32, MIXED, 0, 0, 0xff, 0, 1, 32, REDS(6, 4), { TAGS, 3 }, { SECTORS, 1 + 2 }, { T_TRUE, 8 + 8 }, { B_READ, 96 }, { B_WRITE, 64 }) \
  X(red_64_32, global_add_noreturn, MODULO, 32, 0, ALL, 0, 1, 32, REDS(8, 1), { TAGS, 3 }) /* H */ \
  X(atom_1, global_add_result, MODULO, 1, 0, ALL, 0, 1, 32, { I_ATOM, 1 }, { I_RED, 0 }, { R_ATOM, 1 }, { S_ATOM, 32 }, { G_ROUNDS, 32 }) \
  X(atom_32, global_add_result, MODULO, 32, 0, ALL, 0, 1, 32, { I_ATOM, 1 }, { I_RED, 0 }, { R_ATOM, 1 }, { S_ATOM, 4 }, { G_ROUNDS, 1 }) \
  X(shuffle_twice, shuffles, STRIDE, 1, 0, ALL, 0, 1, 32, { I_SHFL, 2 }) \
  X(sum_of_u64, warp_sum_u64, STRIDE, 1, 0, ALL, 0, 1, 32, { I_SHFL, 10 }) \
  X(vote, votes, STRIDE, 1, 0, ALL, 0, 1, 32, { I_VOTE, 1 }) \
  X(rank, ranks, MODULO, 4, 0, ALL, 0, 1, 32, { I_VOTE, 1 }, { I_MATCH, 1 }, { I_LDS, 1 }, { I_STS, 2 }, { T_TRUE, 32 + 32 + 32 + 4 + 32 }) \
  X(all, all_lanes, STRIDE, 1, 0, ALL, 0, 1, 32, { I_LD, 1 }) \
  X(prefix, warp_prefix, STRIDE, 1, 0, ALL, 0, 1, 32, { I_SHFL, 6 }) \
  X(folded, fold, STRIDE, 1, 0, ALL, 0, 1, 32, { I_SHFL, 32 }) \
  X(row_prefix, row_scan, STRIDE, 1, 0, ALL, 0, 1, 32, { I_SHFL, 5 }) \
  X(block_prefix_64, block_prefix, STRIDE, 1, 0, ALL, 0, 1, 64, { I_STS, 2 }, { I_LDS, 2 }, { I_BAR, 4 * 2 }) \
  X(barriers_1, barriers, STRIDE, 1, 0, ALL, 0, 1, 32, { I_BAR, 2 }, { I_ST, 2 }, { T_TRUE, 2 }) \
  X(barriers_64, barriers, STRIDE, 1, 0, ALL, 0, 3, 256, { I_BAR, 2 * 8 * 3 }, { I_ST, 2 * 8 * 3 }) \
  X(block_sum_64, block_sum, STRIDE, 1, 0, ALL, 0, 1, 64, { I_BAR, 3 * 2 }, { I_SHFL, 10 * 2 }, { I_STS, 2 }, { I_LDS, 2 }, { WAVES, 4 }) \
  X(publish_and_poll, publish_poll, STRIDE, 1, 0, ALL, 7, 1, 32, { I_ST, 2 }, { I_LD, 1 }, { S_LD, 1 }, { S_ST, 5 }, { T_TRUE, 34 }) \
  X(one_element, strided_loads, STRIDE, 1, 0, ALL, 0, 64, 128, { I_LD, 256 }, { S_LD, 256 }, { TAGS, 512 }, { B_READ, 32 }, { B_WRITE, 256 * 128 }) \
  X(bad_stride, strided_loads, STRIDE, 1, 0, ALL, 16, 64, 128, { I_LD, 256 }, { S_LD, 256 * 32 }, { IDEAL, 256 * 8 }, { TAGS, 256 * 17 }, \
    { B_READ, 256 * 32 * 32 }, { B_WRITE, 256 * 128 }) \
  X(bad_transpose, transpose, STRIDE, 1, 0, ALL, 4, 16, 256, { I_LD, 512 }, { I_STS, 512 }, { I_LDS, 512 }, { WAVES, 512 + 512 * 32 }, \
    { W_IDEAL, 1024 }, { S_LD, 2048 }, { S_ST, 2048 }, { I_BAR, 16 * 8 * 2 })

#endif
