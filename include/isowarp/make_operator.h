/* SPDX-License-Identifier: Apache-2.0
 *
 * Scan and reduce by an operator of yours, and by a transform of yours that is applied to elements as they
 * are loaded: makes kernels from the library's templates and lane functions that you write in the kernel
 * language. They run in one pass over memory and combine in summation order 1.
 *
 *   #include <isowarp/operators.h>
 *
 *   IW_FN iw_u32 iw_last_set_u32(iw_u32 a, iw_u32 b) { return iw_select(iw_ne(b, iw_splat(0u)), b, a); }
 *   IW_OPERATOR(last_set, u32, 0)                         // each element, or the last one that is not 0
 *   #define IW_SCAN_OPERATOR last_set
 *   #define IW_SCAN_TYPE u32
 *   #include <isowarp/make_operator.h>                             // iw_operator last_set_u32
 *
 *   IW_FN iw_f64 squared(iw_f32 x) { const iw_f64 wide = iw_to_f64(x); return iw_mul(wide, wide); }
 *   IW_TRANSFORM(squared, f64, f32)
 *   #define IW_SCAN_OPERATOR sum
 *   #define IW_SCAN_TYPE f64
 *   #define IW_SCAN_TRANSFORM squared
 *   #include <isowarp/make_operator.h>                             // iw_operator sum_f64_from_squared
 *
 * and, in a file that includes <isowarp.h>,
 *
 *   extern const iw_operator last_set_u32;
 *   iw_inclusive_scan(context, &last_set_u32, IW_U32, in, n, out, NULL);
 *
 * This header may be included several times. Before each time define
 *   IW_SCAN_OPERATOR   OP of an IW_OPERATOR(OP, T, identity), or sum, min or max
 *   IW_SCAN_TYPE       T: f32 f64 i32 u32 i64 u64, the type of operands and outputs
 *   IW_SCAN_TRANSFORM  optional: NAME of an IW_TRANSFORM(NAME, T, S), which converts elements of type S in
 *                      memory to T
 *   IW_SCAN_SEGMENTS   optional: if it is defined, segments can be reduced and scanned by the operator too
 *                      (<isowarp/scans.h>), which takes six more kernels and five times the time to
 *                      compile
 * It undefines all of them. It defines the global `const iw_operator OP_T`, or OP_T_from_NAME, of the
 * kernels scan_OP_T and reduce_OP_T, and with IW_SCAN_SEGMENTS reduce_segments_OP_T, reduce_tiles_OP_T,
 * fold_tiles_OP_T, reduce_columns_OP_T, scan_segments_OP_T and scan_long_rows_OP_T; IW_KERNEL_PREFIX and
 * IW_KERNEL_SUFFIX are put around all of these names. The template needs warps of 32 lanes, not another
 * -DIW_WARP_SIZE. Put operators into a file of their own, as the template defines short macros (T, OP, FROM,
 * REDUCE, LANES, SCALAR, ROW, TILE, TILES, CHUNK, TILE_AGGREGATE, TILE_INCLUSIVE, STORES, OF_…, SCAN_… and
 * others) and, with IW_SCAN_SEGMENTS, functions (tiles_of, segment_count, list_segment and others).
 */
#ifndef IW_SCAN_OPERATOR
#error "define IW_SCAN_OPERATOR, as <isowarp/make_operator.h> says"
#endif
#ifndef IW_SCAN_TYPE
#error "define IW_SCAN_TYPE, as <isowarp/make_operator.h> says"
#endif

#include <isowarp/scans.h>
#include <isowarp/algorithms/common/names.h>

#ifndef ISOWARP_SCAN_H
#define ISOWARP_SCAN_H
#define IW_NEUTRAL_BUILT_IN(t, least, greatest, zero) \
  IW_IDENTITY_INITIAL(sum, t, zero, 0) IW_IDENTITY_INITIAL(min, t, greatest, greatest) IW_IDENTITY_INITIAL(max, t, least, least)
IW_NEUTRAL_BUILT_IN(i32, INT32_MIN, INT32_MAX, 0) IW_NEUTRAL_BUILT_IN(u32, 0, UINT32_MAX, 0)
IW_NEUTRAL_BUILT_IN(i64, INT64_MIN, INT64_MAX, 0) IW_NEUTRAL_BUILT_IN(u64, 0, UINT64_MAX, 0)
IW_NEUTRAL_BUILT_IN(f32, -__builtin_inff(), __builtin_inff(), -0.0f)
IW_NEUTRAL_BUILT_IN(f64, -__builtin_inf(), __builtin_inf(), -0.0)
#endif

#define OP IW_SCAN_OPERATOR
#define T IW_SCAN_TYPE
#ifdef IW_SCAN_TRANSFORM
#define FROM IW_SCAN_TRANSFORM
#define IW_SCAN_NAME IW_JOIN(OP, IW_JOIN(T, IW_JOIN(from, FROM)))
#define IW_SCAN_IN_TYPE (iw_type)IW_PASTE(iw_in_type_, FROM)
#else
#define IW_SCAN_NAME IW_JOIN(OP, T)
#define IW_SCAN_IN_TYPE IW_PASTE(IW_TYPE_OF_, T)
#endif

#include <isowarp/language/cpu/diagnostics.h>
#define OF_USER
#define ALSO_SHORT
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef ALSO_SHORT
#define REDUCE
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef REDUCE
#ifdef IW_SCAN_SEGMENTS
#define OF_LANES
#include <isowarp/algorithms/reduce_segments/reduce_segments_kernel.h>
#define OFFSETS_ONLY
#include <isowarp/algorithms/scan/scan_rows_kernel.h>
#undef OFFSETS_ONLY
#undef OF_LANES
#define LONG_ROWS
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef LONG_ROWS
#endif
#undef OF_USER
#include <isowarp/language/cpu/diagnostics_end.h>

IW_EXTERN_CONST iw_operator IW_KERNEL_NAME(IW_SCAN_NAME);
const iw_operator IW_KERNEL_NAME(IW_SCAN_NAME) = {
  sizeof(iw_operator), IW_STRING(IW_SCAN_NAME),
  &IW_KERNEL_NAME(IW_JOIN(scan, IW_SCAN_NAME)), &IW_KERNEL_NAME(IW_JOIN(reduce, IW_SCAN_NAME)),
  IW_SCAN_IN_TYPE, IW_PASTE(IW_TYPE_OF_, T), OF_OP(iw_identity_initial),
#ifdef IW_SCAN_SEGMENTS
  &IW_KERNEL_NAME(IW_JOIN(reduce_segments, IW_SCAN_NAME)), &IW_KERNEL_NAME(IW_JOIN(reduce_tiles, IW_SCAN_NAME)),
  &IW_KERNEL_NAME(IW_JOIN(fold_tiles, IW_SCAN_NAME)), &IW_KERNEL_NAME(IW_JOIN(reduce_columns, IW_SCAN_NAME)),
  &IW_KERNEL_NAME(IW_JOIN(scan_segments, IW_SCAN_NAME)), &IW_KERNEL_NAME(IW_JOIN(scan_long_rows, IW_SCAN_NAME)),
#else
  NULL, NULL, NULL, NULL, NULL, NULL,
#endif
};

#undef IW_SCAN_NAME
#undef IW_SCAN_IN_TYPE
#undef FROM
#undef T
#undef OP
#undef IW_SCAN_SEGMENTS
#undef IW_SCAN_TRANSFORM
#undef IW_SCAN_TYPE
#undef IW_SCAN_OPERATOR
