/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel language: one source file for CUDA and for the SIMD registers of a CPU
 * =================================================================================
 *
 * A kernel is a C function over warps of lanes. A C compiler builds it for the CPU, where a warp is a set of
 * SIMD registers and a block is run by one thread or by a team. nvcc builds the same file for CUDA. Both
 * give the same bits.
 *
 *   #include <isowarp/kernel.h>
 *
 *   typedef struct { const float *in; float *out; size_t n; } divide_args;
 *
 *   IW_KERNEL(divide_by_mean, iw_no_shared, divide_args)    // each block divides its elements by their mean
 *   {
 *     IW_VAR(iw_f32, x);                                    // a lane value of each warp, kept across phases
 *     IW_VAR(iw_f32, one);
 *     IW_PHASE(warp) {                                      // runs for every warp; then a barrier
 *       const iw_span here = iw_elements(warp, args->n);    // which of the n elements this warp has
 *       IW_MY(x) = iw_load(args->in + here.first, here.valid);
 *       IW_MY(one) = iw_select(here.valid, iw_splat(1.0f), 0);
 *     }
 *     const float sum = iw_block_sum(x);                    // collectives of the block stand between phases
 *     const float count = iw_block_sum(one);
 *     IW_PHASE(warp) {
 *       const iw_span here = iw_elements(warp, args->n);
 *       const iw_f32 mean = iw_div(iw_splat(sum), count);
 *       iw_store(args->out + here.first, iw_div(IW_MY(x), mean), here.valid);
 *     }
 *   }
 *
 * The file defines the global `const iw_kernel divide_by_mean`. Build it with `cc -O2 -c $(pkg-config
 * --cflags isowarp)`, which adds -ffp-contract=off and -Wno-psabi, and for CUDA with `nvcc -x cu -c
 * -std=c++17 --fmad=false $(pkg-config --cflags-only-I isowarp)`. Builds for SSE4, AVX2 and NEON need SIMDe.
 * The host launches it on arrays that its context can access. Here each thread has at most one element, so
 * the grid has at least n threads:
 *
 *   extern const iw_kernel divide_by_mean;
 *   const divide_args args = { in, out, n };
 *   iw_launch(context, &divide_by_mean, blocks, threads, &args, sizeof args);
 *
 * A block that has more elements than threads loops over them inside a phase. Here each thread sums up its
 * elements of an array p of m elements; a lane without an element adds 0:
 *
 *   IW_PHASE(warp) {
 *     IW_MY(x) = iw_splat(0.0f);
 *     for (size_t start = 0; start < m; start += block->threads) {
 *       const iw_span here = iw_elements_from(warp, start, m);
 *       IW_MY(x) = iw_add(IW_MY(x), iw_load(p + here.first, here.valid));
 *     }
 *   }
 *
 * Compile-time options
 *   -DIW_KERNEL_SUFFIX=_cuda   is appended to the names of the file's kernels, -DIW_KERNEL_PREFIX=my_ stands
 *                              in front of them. One program can hold several builds of a file; it launches
 *                              the one for its context's backend
 *   -DIW_WARP_SIZE=8           lanes of a warp on the CPU: 8, 16, 32 (the default; the size on CUDA) or 64
 *   -DIW_LANES_GENERIC         plain C. Otherwise -mavx2, -march=native and the like choose the registers.
 *                              iw_launch then needs a machine and a library with that instruction set
 *                              (iw_isa_available), else it fails with IW_ERROR_MISMATCH
 *
 * Lane values and uniform values
 * ------------------------------
 *   iw_f32 iw_f64 iw_i32 iw_u32 iw_i64 iw_u64   lane values: a number in each lane
 *   iw_pred                                     predicate: a truth value in each lane
 *   float, uint32_t, size_t, int, ...           uniform values: one for the warp, or for the block
 *   iw_mask                                     uniform, 64 bits: lane l of a predicate is bit l
 * In scope in a kernel: args and shared (pointers to the structs), block->index and block->blocks (size_t:
 * this block's index in the grid, and the number of blocks), block->threads and block->warps (unsigned: of
 * each block), IW_WARP_SIZE, and in a phase the index of the warp in its block (unsigned), under the name
 * that you give to IW_PHASE. Call it `warp`: IW_MY refers to it by that name.
 *
 * Contract
 * --------
 *  1. All access to memory that a launch writes, all atomics and all side effects stand in phases. Between
 *     phases stand uniform C code, collectives of the block and other phases. Between phases, iw_get reads
 *     memory that no block of the launch writes, and iw_block_get reads memory that is written. Float
 *     arithmetic whose result is stored uses lanes (iw_div(iw_splat(sum), n), not sum / n), as only
 *     operations on lanes are guaranteed to give the same bits on every target.
 *  2. A phase runs to its closing brace: no break, return or goto out of it. `continue` ends it for this
 *     warp. Loops inside a phase may use break. Phases do not nest, and no collective of the block stands in
 *     one.
 *  3. Control flow is uniform: `if` and loop conditions are uniform values. Lanes differ by predicates, which
 *     loads, stores and atomics take; iw_select chooses between two values. Phases and collectives of the
 *     block may stand in loops and branches that all threads of the block take alike. `if (warp == 0) { }`
 *     in a phase lets one warp run the body.
 *  4. The end of a phase is a barrier: what was written in shared or global memory is seen by the whole
 *     block. Within a phase a warp sees its own stores, but a load sees what an atomic of another lane
 *     wrote only in a later phase. Warps that write the same place in one phase use atomics.
 *     doc/memory-model.md says what other blocks see, and when; a kernel that is right by that page is
 *     right on all targets.
 *  5. Blocks start in any order, whatever their block->index, and may run one after the other. A block
 *     that waits for another waits only for one with a smaller ticket (see "Between blocks"), and publishes
 *     what others wait for before it waits.
 *  6. A kernel gives the same bits for every warp size and target if its lanes exchange values only by sums,
 *     minima and maxima of the block, by atomics on integers and through memory. A sum of the block adds
 *     by a binary tree over the index of the thread, neighbours first: ((0 + 1) + (2 + 3)) + ...; threads
 *     that do not exist are left out. A sum of floats therefore depends on the number of threads.
 *  7. A kernel does not ask which target it runs on.
 *
 * Limits
 *   blocks          1 to 1024 threads; the last warp need not be full. Its lanes beyond block->threads are
 *                   not in iw_active. Collectives of the block ignore them; those of the warp do not, and
 *                   a shuffle may take what the kernel computes there. Without an element: the identity, as
 *                   iw_select(here.valid, x, -INFINITY) for a maximum (<math.h>); a load gives it 0
 *   shared memory   `shared` points to one struct per block, 64-byte aligned; its content is unspecified
 *                   when the block starts. On CUDA at most what the device grants a block (46 KiB are always
 *                   there, 224 KiB on an H200), else iw_launch fails with IW_ERROR_LAUNCH. On the CPU it
 *                   should fit the caches
 *   IW_VAR          holds lane values, predicates, structs and arrays of them, or a uniform value for each
 *                   warp; unspecified until assigned. It is a register on CUDA. On the CPU each variable of
 *                   32-bit lanes takes 4 KiB of stack: keep the sum of a kernel's variables below 256 KiB
 *   args            less than 4 KiB; the struct is copied at the launch
 *   tables          IW_TABLE(float, weights, 3) = { 1, 2, 1 }; at file scope, read by iw_get and iw_gather.
 *                   Other file-scope data does not exist on CUDA
 *
 * Operations
 * ----------
 * T is a lane type (iw_f32) and t its scalar (float). Every operation has a name with its type (iw_add_f32)
 * and one without (iw_add), which takes the type from the pointer, or without a pointer from operand a,
 * which is lanes. Operand b, and a value for memory, may be scalars: iw_add(x, 1), iw_lt(i, n),
 * iw_store(p, 0, some); but iw_sub(iw_splat(1.0f), x), not iw_sub(1, x). C converts them to the lane's type,
 * so a size_t loses its upper half in 32-bit lanes. Lane types do not mix, and lanes of integers take no
 * float. Pointers are uniform.
 *
 *   Kernels
 *   IW_KERNEL(name, shared, args) { }     a kernel for blocks of any size; shared and args are types (shared:
 *                                         iw_no_shared if it needs none)
 *   IW_KERNEL_SIZED(name, shared, args, threads, k)   for blocks of `threads`, k of which share a GPU's
 *                                         multiprocessor
 *   IW_PHASE(warp) { }                    runs for each warp of the block, then a barrier
 *   IW_WARPS(warp) { }                    the same without the barrier. What a warp wrote in it, other warps
 *                                         see after the next barrier
 *   IW_VAR(type, x), IW_VAR_ARRAY(type, x, n)   a variable, an array of n, of each warp; declared outside of
 *                                         phases
 *   IW_MY(x)                              this warp's variable, in a phase whose warp is called `warp`
 *   IW_FN                                 stands before functions of your own: IW_FN iw_f32 square(iw_f32 x)
 *                                         { ... } With a parameter `iw_block *block` they may use what needs
 *                                         the block
 *
 *   Elements and predicates
 *   iw_span iw_elements(warp, n)          thread i of the grid has element i of n: .valid is the predicate
 *                                         of the warp's lanes that have one, .count their number, .first the
 *                                         element of lane 0 (n if count is 0)
 *   iw_span iw_elements_from(warp, start, n)   the same where thread i of the block has element start + i
 *   iw_pred iw_lanes_within(first, n)     lanes l with first + l < n; both size_t, any values
 *   iw_pred iw_lanes_below(n)             lanes l < n; int64_t, may be negative or large
 *   iw_pred iw_active(warp)               lanes that are threads of the block
 *   iw_and iw_or iw_not                   of predicates, as of integers; typed: iw_and_pred, iw_or_pred,
 *                                         iw_not_pred
 *   iw_eq iw_ne iw_lt iw_le iw_gt iw_ge(a, b)   comparisons
 *   T iw_select(p, a, b)                  a where p, else b
 *   if (iw_wanted(p)) { }                 skips the body if p is false in all lanes, as iw_any(p) does. The
 *                                         branch is uniform: else all lanes run the body, which may contain
 *                                         any operation of a warp. Pass p to its stores and atomics
 *
 *   Lanes
 *   T iw_splat(t), iw_splat_f32(t) ...    a uniform value in every lane: iw_splat(1) is an iw_i32,
 *                                         iw_splat(1.0f) and iw_splat_f32(1) an iw_f32
 *   iw_u32 iw_lane()                      0 ... IW_WARP_SIZE-1
 *   iw_u32 iw_iota_u32(first), iw_iota_u64   first + lane
 *   iw_add iw_sub iw_mul iw_div iw_min iw_max(a, b), iw_neg(a)
 *   iw_rem iw_and iw_or iw_xor iw_shl iw_shr(a, b), iw_not(a)   integers
 *   iw_abs(a)                             floats, i32, i64
 *   iw_floor iw_ceil iw_trunc iw_rint(a)  floats: an integer below, above, towards 0, nearest (ties to even); a
 *                                         result 0 has the sign of a
 *   iw_sqrt(a), iw_fma(a, b, c)           floats, rounded once: root; a * b + c, exact by software where the
 *                                         processor has no such instruction (slow: SSE4, generic)
 *   iw_u32 iw_popcount iw_clz iw_ctz(a)   u32, u64; leading and trailing zeros of 0 are the width
 *   iw_to_f32 ... iw_to_u64(a)            conversion of the value
 *   iw_as_bits(a)                         the bits of a float as iw_u32 or iw_u64; back by iw_from_bits_f32,
 *                                         iw_from_bits_f64
 *
 *   Memory (element i of p, i from 0)
 *   T iw_load(p, some)                    lane l gets p[l] where `some`, else 0; other elements are not
 *                                         touched
 *   iw_store(p, a, some)                  p[l] = a
 *   T iw_gather(p, i, some)               p[i], i an iw_u32; iw_gather_far: i an iw_u64
 *   iw_scatter(p, i, a, some)             p[i] = a; iw_scatter_far. If several lanes have the same i, it is
 *                                         unspecified whose value stays
 *   iw_load_u8 iw_store_u8 iw_gather_u8 iw_gather_far_u8 iw_scatter_u8 iw_scatter_far_u8, and _u16   elements
 *                                         of 1 and 2 bytes as iw_u32; _i8 and _i16 as iw_i32; stores drop
 *                                         upper bits. _f16 and _bf16 (uint16_t in memory) as iw_f32; stores
 *                                         round to nearest, ties to even
 *   unsigned iw_compact(p, a, some)       u32, u64: stores the values of the lanes of `some` to p[0], p[1],
 *                                         ... in the order of the lanes; returns their number. Up to
 *                                         IW_WARP_SIZE elements behind them may be overwritten
 *   t iw_get(p), iw_set(p, v)             one uniform value, read or written once for the warp
 *   iw_prefetch(p, bytes)                 a hint that a warp will soon read `bytes` bytes from p on
 *
 *   Atomics (i32 u32 i64 u64; return the old value, 0 outside of `some`)
 *   T iw_shared_add(p, i, a, some), and _min _max _exchange   p[i] in shared memory, i an iw_u32 or a scalar
 *   T iw_shared_compare_exchange(p, i, expected, a, some)     writes a where p[i] is `expected`
 *   iw_global_add ... iw_global_compare_exchange               the same in global memory
 *
 *   The warp
 *   iw_any(p), iw_all(p), unsigned iw_popcount_of(p)          of all IW_WARP_SIZE lanes
 *   iw_mask iw_ballot(p), iw_pred iw_pred_of(mask)            predicate to mask, and back
 *   unsigned iw_popcount(mask), iw_highest(mask), iw_lowest(mask)   number of bits; index of a bit of a mask
 *                                         that is not 0
 *   iw_u32 iw_rank(p)                     the number of lower lanes in which p is true
 *   iw_u64 iw_match(a, some)              integers: the mask of the lanes of `some` with the lane's own
 *                                         value; 0 outside of it
 *   t iw_at(a, lane), iw_last(a)          the value of one lane
 *   T iw_broadcast(a, lane)               that value in every lane
 *   T iw_shift(a, first)                  lane l gets lane l-1's value, lane 0 the uniform `first`
 *   T iw_shuffle(a, i, width), iw_shuffle_up iw_shuffle_down(a, delta, width), iw_shuffle_xor(a, mask,
 *                                         width) as CUDA's __shfl_sync, __shfl_up_sync, ...; width: a power
 *                                         of two up to IW_WARP_SIZE
 *   t iw_warp_sum iw_warp_min iw_warp_max(a)                  over all lanes
 *   T iw_inclusive_prefix_sum iw_exclusive_prefix_sum(a), and _min _max. Lane 0 of an exclusive sum is +0,
 *                                         of a minimum the type's largest value, of a maximum its lowest
 *   t iw_fold_sum(first, a, &before), and _min _max   first + lane 0 + lane 1 + ..., from the left; T
 *                                         before: each lane's prefix
 *
 *   The block (between phases; a, p and to are IW_VARs of lane values or predicates)
 *   t iw_block_sum iw_block_min iw_block_max(a)
 *   iw_block_any(p), iw_block_all(p), unsigned iw_block_count(p)   over the block's threads
 *   t iw_block_broadcast(a, thread)       the value of that thread; uniform, 0 ... block->threads-1
 *   iw_block_inclusive_prefix_sum(to, a), iw_block_exclusive_prefix_sum(to, a), and _min _max: written to
 *                                         the variable `to`, which may be the variable a
 *   iw_post_f32(v) ... iw_post_u64(v)     in a phase, by one warp: posts a uniform value for the block
 *   t iw_posted_f32() ...                 receives the value; called once, directly after that phase
 *   t iw_block_get(p)                     *p as it is after the phases so far; uniform. It contains a barrier
 *
 *   Between blocks (slots, tickets and counters: global memory, zeroed once, used by one launch at a time;
 *   calls that are not marked "in a phase" or "by one warp" stand between phases)
 *   uint32_t iw_tickets_open(tickets, &first)   begins: the epoch of the launch, 1 ... 2^30-1, and the
 *                                         block's first ticket. iw_tickets *tickets; the host has the type
 *                                         from <isowarp/descriptor.h>
 *   uint32_t iw_tickets_epoch(tickets)    begins without a ticket
 *   uint32_t iw_ticket_next(tickets)      the next ticket. Blocks get 0, 1, 2, ... in the order in which
 *                                         they request them
 *   iw_tickets_close(tickets)             ends. Every block opens and closes once
 *   iw_ticket_post(iw_ticket_request(tickets))   in a phase, by one warp: requests the next ticket early, to
 *                                         hide the latency. The phase has no iw_post then
 *   uint32_t iw_ticket_receive()          receives that ticket; called once, directly after that phase
 *   int iw_is_last_block(counter)         whether all other blocks have made this call before; the block for
 *                                         which it is true sees what they wrote in ended phases. uint32_t
 *                                         *counter is 0 before and after the launch
 *   iw_publish(slots, i, flag, v)         in a phase, by one warp: writes flag and v to slot i together.
 *                                         uint64_t *slots: one for each 4-byte value, two for an 8-byte
 *                                         one; flag: epoch * 4 + 1, 2 or 3. The epoch tells the flags of
 *                                         different launches apart, so slots are not cleared in between
 *   iw_publish_lanes_f32(slots, base, count, flag, v) ...   in a phase, by one warp: lanes 0 ... count-1
 *                                         publish flag and their v in slot base + lane
 *   iw_polled_f32 iw_poll_f32(slots, base, first, end) ...   in a phase: lanes first ... end-1 read slot
 *                                         base + lane into .flag and .value; other lanes get 0. Repeat
 *                                         until .flag is the one expected
 *   iw_publish, iw_publish_lanes and iw_poll order no other access. To hand over data in memory:
 *   iw_publish_release(slots, i, flag, v), iw_poll_acquire_f32(slots, base, first, end) ...   likewise, each
 *                                         with a fence: a warp that reads the flag then sees all that the
 *                                         publishing warp did before it, and all that the publishing
 *                                         block did in phases that had ended
 *   iw_pause(&spins)                      between two polls: lets other threads run. spins is an unsigned, 0
 *                                         before the first poll
 *
 * Semantics
 * ---------
 * Floats round to nearest once per operation, are never fused, and keep subnormals. Integers wrap. Division
 * of integers truncates as C's does: iw_div(-7, 2) is -3, and iw_rem(-7, 2) is -1, which has the sign of
 * the dividend; the quotient is not floored as by // of Python and NVIDIA Warp. For integers x / 0 and x %
 * 0 are 0, INT_MIN / -1 is INT_MIN, INT_MIN % -1 is 0. A shift by the width or more gives 0, of a negative
 * number to the right -1. A conversion from float to integer truncates and saturates; NaN gives 0. iw_min
 * and iw_max return NaN if an operand is NaN, and order -0 before +0. Stores, iw_set and iw_as_bits write
 * every NaN as 0x7fc00000 or 0x7ff8000000000000, so results with NaN are equal everywhere; to move bits
 * unchanged, load and store them as integers. A root of a negative number is NaN, of -0 it is -0.
 *
 * Errors: the compiler rejects `if`, `+` and `&&` on lanes, mixed lane types, a phase or collective of the
 * block in a phase, and, in C for the CPU from -O1 on, a phase left early (the simulated GPU finds it when it
 * happens). It does not reject other breaches of the contract, such as a store between phases. nvcc's lanes
 * are scalars, so it accepts all of these but collectives in a phase; -DIW_CHECK_LANES, for checking only,
 * rejects them too. gcc prints less with -ftrack-macro-expansion=0. In its messages
 *   argument 1 of iw_scalar_operand_f32   operand b is neither lanes of a's type nor a scalar
 *   iw_inside_a_phase, argument 2 of iw_block_collective   a collective of the block stands in a phase
 *   `_Generic` selector (clang: controlling expression) of type float   operand a, or the first value of
 *                                         iw_select, is a scalar; of type `iw_f32 *`: an IW_VAR without IW_MY
 *   'warp' undeclared                     IW_MY outside of phases, or in one that names its warp otherwise
 *   used struct type value                a condition is lanes: take iw_any, iw_wanted, iw_select or iw_and
 *
 * <isowarp/operators.h> has operators, predicates and bucket rules of your own for the library's scan,
 * partition and multisplit. <isowarp/math.h> has exp, log, pow, sin and others. <isowarp/primitives.h> has
 * what the library's own templates use besides; it may change with any release.
 */
#ifndef ISOWARP_KERNEL_H
#define ISOWARP_KERNEL_H

/* A compiler may fuse a * b + c unless told not to. Results would then depend on the target. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#ifdef __FAST_MATH__
#error "isowarp's kernels need IEEE arithmetic: do not build them with -ffast-math"
#endif

#include <stddef.h>
#include <stdint.h>
#include <isowarp/context.h> /* not all of isowarp.h: a call that is added there recompiles no kernel */

/* The lanes are made by macros whose bodies stand on one line. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#endif
#include <isowarp/language/scalar.h>
#ifdef IW_SIM
#include <isowarp/language/sim/runtime.h>
#else /* operations have no place in the source */
#define IW_SITE_(operation, arguments)
#define IW_SITE_AT_(operation, arguments, p)
#define IW_NOTE_(operation, arguments)
#endif
#include <isowarp/language/phase.h>
#ifdef IW_SIM
#include <isowarp/language/sim/sim.h>
#elif defined(__CUDACC__)
#include <isowarp/language/cuda/cuda.h>
#include <isowarp/language/cuda/bits.h>
#else
#include <isowarp/language/cpu/cpu.h>
#include <isowarp/language/cpu/bits.h>
#endif
#include <isowarp/language/warp.h>
#include <isowarp/language/uniform.h>
#include <isowarp/language/untyped.h>
#ifdef IW_SIM
#include <isowarp/language/sim/sites_of_collectives.h>
#endif
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

/* Targets on which a kernel template takes its GPU schedule. */
#if defined(__CUDACC__) || defined(IW_SIM)
#define IW_GPU_SCHEDULES
#endif

/* A constant array at file scope that kernels read: IW_TABLE(float, weights, 3) = { 1, 2, 1 }; */
#ifdef __CUDACC__
#define IW_TABLE(type, name, count) static __device__ const type name[count]
#elif defined(IW_SIM) && !defined(__ELF__) /* Mach-O; the simulator finds the section's bounds */
#define IW_TABLE(type, name, count) __attribute__((unused, section("__DATA,iw_tables"))) static const type name[count]
#elif defined(IW_SIM)
#define IW_TABLE(type, name, count) __attribute__((unused, section("iw_tables"))) static const type name[count]
#else
#define IW_TABLE(type, name, count) __attribute__((unused)) static const type name[count]
#endif

/* gcc decodes the pragma's options for each function that follows, so it stands behind the language's own,
 * of which none multiplies floats and adds them. IW_FP_CONTRACT_OFF: the command line has
 * -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(IW_FP_CONTRACT_OFF)
#pragma GCC optimize("fp-contract=off")
#endif
#ifndef __CUDACC__
/* 1 if the compiler fused a * a - c in this object: (1 + 2^-12)^2 minus its rounded self is not 0 then. */
__attribute__((unused)) static int iw_contracted_(void)
{
  volatile float v = 1.000244140625f, w = v * v;
#ifndef IW_SIM
  const iw_f32 a = iw_splat_f32(v), c = iw_splat_f32(w);
  if (iw_at_f32(iw_sub_f32(iw_mul_f32(a, a), c), 0) != 0) return 1;
#endif
  return v * v - w != 0;
}
#endif

/* A kernel for blocks of any size. */
#define IW_KERNEL(name, shared_type, args_type) IW_KERNEL_SIZED(name, shared_type, args_type, 0, 1)

#endif
