/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts that are compiled once for each type T (f32, i64, …) and operator OP (sum, min, max) spell the names that depend on
 * them with these.
 */
#ifndef ISOWARP_TEXT_TYPED_H
#define ISOWARP_TEXT_TYPED_H

#include <isowarp/operators.h>
#include <isowarp/algorithms/common/installed_args.h>

#define IW_JOIN_(a, b) a##_##b
#define IW_JOIN(a, b) IW_JOIN_(a, b)
#define OF_T(name) IW_JOIN(name, T)                /* OF_T(iw_load)       iw_load_f32 */
#define OF_OP(name) IW_JOIN(IW_JOIN(name, OP), T)  /* OF_OP(iw_row_inclusive_prefix)  iw_row_inclusive_prefix_sum_f32 */
#define LANES IW_PASTE(iw_, T)                     /*                     iw_f32 */
#define SCALAR IW_PASTE(iws_, T)                   /*                     float */

#ifndef IW_PASTE
#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#endif

/* What a user's kernel says of itself to the library: a type of elements, and a name. */
#define IW_STRING_(name) #name
#define IW_STRING(name) IW_STRING_(name)

#if IW_WARP_SIZE != 32
#error "the library's texts have warps of 32 lanes"
#endif

#endif
