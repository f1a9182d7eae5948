/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own tests of partition (template partition_kernel.h): whether elements, which come as bits,
 * are in a range of values with both ends included. partition.c maps every comparison with a constant, and
 * every histogram bin, to such a range or to its complement
 * (doc/design/partition.md#comparisons-are-ranges). No NaN is in any range. An integer is in a range if its
 * distance from the lower end, which wraps, is at most the range's width, so one unsigned comparison serves
 * signed and unsigned integers.
 */
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/partition/args.h>

#ifndef IW_PARTITION_IN_RANGE_H
#define IW_PARTITION_IN_RANGE_H

#define IN_RANGE_INTEGER(t) \
IW_FN iw_pred iw_test_##t(const iw_partition_args *args, iw_##t x) \
{ return iw_le_##t(iw_sub_##t(x, iw_splat_##t(args->lo.t)), iw_splat_##t(args->hi.t - args->lo.t)); }
#define IN_RANGE_FLOAT(t, u) \
IW_FN iw_pred iw_test_##t(const iw_partition_args *args, iw_##u bits) \
{ const iw_##t x = iw_from_bits_##t(bits); \
  return iw_and_pred(iw_ge_##t(x, iw_splat_##t(args->lo.t)), iw_le_##t(x, iw_splat_##t(args->hi.t))); }
IN_RANGE_INTEGER(u32)
IN_RANGE_INTEGER(u64)
IN_RANGE_FLOAT(f32, u32)
IN_RANGE_FLOAT(f64, u64)
#undef IN_RANGE_INTEGER
#undef IN_RANGE_FLOAT
#endif
