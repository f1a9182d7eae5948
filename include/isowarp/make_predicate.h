/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition and select by a predicate of yours: makes a kernel from the library's template and a lane
 * function that you write in the kernel language.
 *
 *   #include <isowarp/operators.h>
 *
 *   IW_FN iw_pred is_odd(iw_u32 x) { return iw_eq(iw_and(x, iw_splat(1u)), iw_splat(1u)); }
 *   IW_PREDICATE(is_odd, u32)
 *   #define IW_PARTITION_PREDICATE is_odd
 *   #define IW_PARTITION_TYPE u32
 *   #include <isowarp/make_predicate.h>                        // iw_predicate is_odd_predicate
 *
 * and, in a file that includes <isowarp.h>,
 *
 *   extern const iw_predicate is_odd_predicate;
 *   const iw_test is_odd = { .size = sizeof is_odd, .type = IW_U32, .predicate = &is_odd_predicate };
 *   iw_partition(context, &is_odd, in, n, out, &count, NULL);
 *
 * This header may be included several times. Before each time define
 *   IW_PARTITION_PREDICATE  NAME of an IW_PREDICATE(NAME, T)
 *   IW_PARTITION_TYPE       T: f32 f64 i32 u32 i64 u64
 * It undefines both. It defines the global `const iw_predicate NAME_predicate` of the kernel partition_NAME;
 * IW_KERNEL_PREFIX and IW_KERNEL_SUFFIX are put around both names. The template needs warps of 32 lanes, not
 * another -DIW_WARP_SIZE. Put predicates into a file of their own, as the template defines short macros (T,
 * BY, BYTE_FLAGS, BIT_FLAGS, FN, LANES, SCALAR, TILE, CHUNK, OF_… and others) and functions partition_….
 */
#ifndef IW_PARTITION_PREDICATE
#error "define IW_PARTITION_PREDICATE, as <isowarp/make_predicate.h> says"
#endif
#ifndef IW_PARTITION_TYPE
#error "define IW_PARTITION_TYPE, as <isowarp/make_predicate.h> says"
#endif

#include <isowarp/moves.h>
#include <isowarp/algorithms/common/names.h>

#define T IW_PASTE(IW_BITS_, IW_PARTITION_TYPE)
#define BY IW_PARTITION_PREDICATE
#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/algorithms/partition/partition_kernel.h>
#include <isowarp/language/cpu/diagnostics_end.h>

IW_EXTERN_CONST iw_predicate IW_KERNEL_NAME(IW_JOIN(IW_PARTITION_PREDICATE, predicate));
const iw_predicate IW_KERNEL_NAME(IW_JOIN(IW_PARTITION_PREDICATE, predicate)) = {
  sizeof(iw_predicate), IW_STRING(IW_PARTITION_PREDICATE), &IW_KERNEL_NAME(IW_JOIN(partition, IW_PARTITION_PREDICATE)),
  IW_PASTE(IW_TYPE_OF_, IW_PARTITION_TYPE), PARTITION_REREAD,
};

#undef T
#undef IW_PARTITION_TYPE
#undef IW_PARTITION_PREDICATE
