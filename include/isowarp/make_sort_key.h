/* SPDX-License-Identifier: Apache-2.0
 *
 * Sort by a key function of yours: makes a kernel that writes keys from the library's template and a lane
 * function that you write in the kernel language.
 *
 *   #include <isowarp/operators.h>
 *
 *   IW_FN iw_f32 magnitude(iw_f32 x) { return iw_abs(x); }
 *   IW_TRANSFORM(magnitude, f32, f32)
 *   #define IW_SORT_KEY magnitude
 *   #define IW_SORT_KEY_TYPE f32
 *   #include <isowarp/make_sort_key.h>                         // iw_sort_key magnitude_key
 *
 * and, in a file that includes <isowarp/sorts.h>,
 *
 *   extern const iw_sort_key magnitude_key;
 *   const iw_sort_options options = { .size = sizeof options, .key = &magnitude_key };
 *   iw_sort(context, IW_F32, in, n, out, &options);
 *
 * This header may be included several times. Before each time define
 *   IW_SORT_KEY       NAME of an IW_TRANSFORM(NAME, T, S): elements of type S have keys of type T
 *   IW_SORT_KEY_TYPE  T: f32 f64 i32 u32 i64 u64
 * It undefines both. It defines the global `const iw_sort_key NAME_key` of the kernel sort_keys_NAME;
 * IW_KERNEL_PREFIX and IW_KERNEL_SUFFIX are put around both names. The template needs warps of 32 lanes, not
 * another -DIW_WARP_SIZE. Put keys into a file of their own, as the template defines short macros (T, BY,
 * LANES, SCALAR, OF_… and others).
 */
#ifndef IW_SORT_KEY
#error "define IW_SORT_KEY, as <isowarp/make_sort_key.h> says"
#endif
#ifndef IW_SORT_KEY_TYPE
#error "define IW_SORT_KEY_TYPE, as <isowarp/make_sort_key.h> says"
#endif

#include <isowarp/sorts.h>
#include <isowarp/algorithms/common/names.h>

#define T IW_SORT_KEY_TYPE
#define BY IW_SORT_KEY
#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/algorithms/sort/sort_keys_kernel.h>
#include <isowarp/language/cpu/diagnostics_end.h>

IW_EXTERN_CONST iw_sort_key IW_KERNEL_NAME(IW_JOIN(BY, key));
const iw_sort_key IW_KERNEL_NAME(IW_JOIN(BY, key)) = {
  sizeof(iw_sort_key), IW_STRING(BY), &IW_KERNEL_NAME(IW_JOIN(sort_keys, BY)), (iw_type)IW_JOIN(iw_in_type, BY),
  IW_PASTE(IW_TYPE_OF_, IW_SORT_KEY_TYPE),
};

#undef BY
#undef T
#undef IW_SORT_KEY_TYPE
#undef IW_SORT_KEY
