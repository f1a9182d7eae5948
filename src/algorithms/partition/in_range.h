/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether elements, which come as bits, are in a range, both ends included. Any comparison with a constant is one, or what is
 * not in one, and so is a bin. No NaN is in any. An integer is in it if its distance from the least one, which wraps, is small.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef IW_PARTITION_IN_RANGE_H
#define IW_PARTITION_IN_RANGE_H

#define IN_RANGE_INTEGER(t) \
IW_FN iw_pred iw_test_##t(const iw_partition_args *args, iw_##t x) \
{ return iw_le_##t(iw_sub_##t(x, iw_splat_##t(args->lo.t)), iw_splat_##t(args->hi.t - args->lo.t)); }
#define IN_RANGE_FLOAT(t, u) \
IW_FN iw_pred iw_test_##t(const iw_partition_args *args, iw_##u bits) \
{ const iw_##t x = iw_from_bits_##t(bits); \
  return iw_and_pred(iw_ge_##t(x, iw_splat_##t(args->lo.t)), iw_le_##t(x, iw_splat_##t(args->hi.t))); }
IN_RANGE_INTEGER(u32) IN_RANGE_INTEGER(u64) IN_RANGE_FLOAT(f32, u32) IN_RANGE_FLOAT(f64, u64)
#endif
