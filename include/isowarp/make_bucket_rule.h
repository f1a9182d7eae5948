/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisplit by a bucket rule of yours: makes a kernel that writes bucket ids from the library's template
 * and a lane function that you write in the kernel language.
 *
 *   #include <isowarp/operators.h>
 *
 *   IW_FN iw_u32 last_digit(iw_u32 x) { return iw_rem(x, iw_splat(10u)); }
 *   IW_BUCKET(last_digit, u32)
 *   #define IW_MULTISPLIT_BUCKET last_digit
 *   #define IW_MULTISPLIT_TYPE u32
 *   #include <isowarp/make_bucket_rule.h>                       // iw_bucket_rule last_digit_rule
 *
 * and, in a file that includes <isowarp.h>,
 *
 *   extern const iw_bucket_rule last_digit_rule;
 *   const iw_buckets digits = { .size = sizeof digits, .type = IW_U32, .rule = &last_digit_rule, .count = 10 };
 *   iw_multisplit(context, &digits, in, n, out, offsets, NULL);
 *
 * This header may be included several times. Before each time define
 *   IW_MULTISPLIT_BUCKET  NAME of an IW_BUCKET(NAME, T)
 *   IW_MULTISPLIT_TYPE    T: u8 u16 f32 f64 i32 u32 i64 u64
 * It undefines both. It defines the global `const iw_bucket_rule NAME_rule` of the kernel bucket_ids_NAME;
 * IW_KERNEL_PREFIX and IW_KERNEL_SUFFIX are put around both names. The template needs warps of 32 lanes, not
 * another -DIW_WARP_SIZE. Put rules into a file of their own, as the template defines short macros (T, BY,
 * ARGS, FN, LANES, SCALAR, OF_… and others).
 */
#ifndef IW_MULTISPLIT_BUCKET
#error "define IW_MULTISPLIT_BUCKET, as <isowarp/make_bucket_rule.h> says"
#endif
#ifndef IW_MULTISPLIT_TYPE
#error "define IW_MULTISPLIT_TYPE, as <isowarp/make_bucket_rule.h> says"
#endif

#include <isowarp/moves.h>
#include <isowarp/algorithms/common/names.h>

#define T IW_MULTISPLIT_TYPE
#define BY IW_MULTISPLIT_BUCKET
#define ARGS iw_bucket_ids_args
#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/algorithms/common/bucket_ids_kernel.h>
#include <isowarp/language/cpu/diagnostics_end.h>

IW_EXTERN_CONST iw_bucket_rule IW_KERNEL_NAME(IW_JOIN(BY, rule));
const iw_bucket_rule IW_KERNEL_NAME(IW_JOIN(BY, rule)) = {
  sizeof(iw_bucket_rule), IW_STRING(BY), &IW_KERNEL_NAME(IW_JOIN(bucket_ids, BY)), IW_PASTE(IW_TYPE_OF_, IW_MULTISPLIT_TYPE),
};

#undef ARGS
#undef BY
#undef T
#undef IW_MULTISPLIT_TYPE
#undef IW_MULTISPLIT_BUCKET
