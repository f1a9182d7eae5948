/* SPDX-License-Identifier: Apache-2.0
 *
 * Name macros of the kernel templates: a template that is compiled once per element type T (f32, i64, …) and
 * operator OP (sum, min, max or a user's) spells the names of the kernel language that depend on them with
 * these macros. They expand T and OP where they are used, so that this file is included once while T and OP
 * change. Part of every kernel template; it knows no algorithm.
 */
#ifndef ISOWARP_ALGORITHMS_NAMES_H
#define ISOWARP_ALGORITHMS_NAMES_H

#include <isowarp/operators.h>
#include <isowarp/algorithms/common/installed_args.h>

#define IW_JOIN_(a, b) a##_##b
#define IW_JOIN(a, b) IW_JOIN_(a, b)
#define OF_T(name) IW_JOIN(name, T)                /* OF_T(iw_load)         iw_load_f32 */
#define OF_OP(name) IW_JOIN(IW_JOIN(name, OP), T)  /* OF_OP(iw_row_reduce)  iw_row_reduce_sum_f32 */
#define LANES IW_PASTE(iw_, T)                     /*                       iw_f32: a lane value */
#define SCALAR IW_PASTE(iws_, T)                   /*                       float: one element */

#ifndef IW_PASTE
#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#endif

/* A name as a string: for the descriptors of users' operators, predicates and bucket rules. */
#define IW_STRING_(name) #name
#define IW_STRING(name) IW_STRING_(name)

#if IW_WARP_SIZE != 32
#error "isowarp's kernel templates need warps of 32 lanes: leave out -DIW_WARP_SIZE"
#endif

#endif
