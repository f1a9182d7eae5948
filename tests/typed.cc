/* SPDX-License-Identifier: Apache-2.0
 *
 * The typed calls in C++: overloads, for each type. Prints what is wrong; exit status 1 then.
 */
#include <isowarp.h>

#include <cstdio>

static int failures;

static void expect(bool right, const char *what, const char *type)
{
  if (right)
    return;
  std::printf("%s of %s is wrong: %s\n", what, type, iw_message());
  failures++;
}

template <class T> static void check(iw_context *c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, lo = 0, hi = 10;
  const uint8_t flags[8] = { 1, 0, 255, 0, 128, 0, 0, 2 };
  const uint32_t keys[8] = { 7, 7, 7, 0, 0, 0, 0, 0 };
  T out[8], total;
  size_t count, offsets[3];
  uint64_t counts[2], pairs[4];
  iw_histogram_spec s = iw_histogram_spec();
  s.size = sizeof s;
  s.bins = 2;
  s.lo = &lo;
  s.hi = &hi;
  expect(!iw_inclusive_scan(c, IW_SUM, in, out, 8) && out[2] == 12 && out[7] == 40, "iw_inclusive_scan", type);
  expect(!iw_exclusive_scan(c, IW_MAX, in, out, 8) && out[1] == 1 && out[7] == 9, "iw_exclusive_scan", type);
  expect(!iw_inclusive_scan_segments(c, IW_SUM, in, flags, out, 8) && out[1] == 10 && out[2] == 2 && out[6] == 14,
         "iw_inclusive_scan_segments", type);
  expect(!iw_exclusive_scan_segments(c, IW_SUM, in, flags, out, 8) && out[1] == 1 && out[2] == 0 && out[6] == 10,
         "iw_exclusive_scan_segments", type);
  expect(!iw_inclusive_scan_by_key(c, IW_MAX, in, keys, out, 8) && out[2] == 9 && out[3] == 8 && out[7] == 8,
         "iw_inclusive_scan_by_key", type);
  expect(!iw_exclusive_scan_by_key(c, IW_SUM, in, keys, out, 8) && out[2] == 10 && out[3] == 0 && out[4] == 8,
         "iw_exclusive_scan_by_key", type);
  expect(!iw_inclusive_scan_rows(c, IW_SUM, in, out, 2, 4) && out[3] == 20 && out[4] == 3 && out[7] == 20,
         "iw_inclusive_scan_rows", type);
  expect(!iw_exclusive_scan_rows(c, IW_SUM, in, out, 4, 2) && out[1] == 1 && out[2] == 0 && out[7] == 4,
         "iw_exclusive_scan_rows", type);
  expect(!iw_reduce(c, IW_MIN, in, 8, &total) && total == 1, "iw_reduce", type);
  expect(!iw_argmin(c, in, 8, &count) && in[count] == 1, "iw_argmin", type);
  expect(!iw_argmax(c, in, 8, &count) && in[count] == 9, "iw_argmax", type);
  expect(!iw_histogram(c, in, 8, &s, counts) && counts[0] == 4 && counts[1] == 4, "iw_histogram", type);
  expect(!iw_partition(c, in, 8, 5, out, &count) && count == 4 && out[3] == 4 && out[4] == 9, "iw_partition", type);
  expect(!iw_partition_flags(c, in, flags, 8, out, &count) && count == 4 && out[3] == 6 && out[4] == 9,
         "iw_partition_flags", type);
  expect(!iw_select_flags(c, in, flags, 8, out, &count) && count == 4 && out[2] == 3 && out[3] == 6,
         "iw_select_flags", type);
  expect(!iw_extract(c, in, 8, &s, 1, out, &count) && count == 4 && out[0] == 9 && out[3] == 6, "iw_extract", type);
  expect(!iw_multisplit(c, in, 8, &s, out, offsets) && offsets[1] == 4 && offsets[2] == 8 && out[0] == 1 && out[7] == 6,
         "iw_multisplit", type);
  iw_histogram_plan *plan;
  expect(!iw_histogram_plan_make(c, isowarp_detail::type_of<T>::value, &s, in, 3, &plan), "iw_histogram_plan_make", type);
  expect(!iw_histogram_plan_run(c, plan, in, 8, counts) && counts[0] == 4 && counts[1] == 4, "iw_histogram_plan_run", type);
  expect(!iw_extract_planned(c, plan, in, 8, 0, out, &count) && count == 4 && out[0] == 1, "iw_extract_planned", type);
  expect(!iw_multisplit_planned(c, plan, in, 8, out, offsets) && offsets[1] == 4 && out[4] == 9, "iw_multisplit_planned", type);
  const iw_buckets by_plan = { sizeof by_plan, plan, 0, 0, 0, 0 };
  const uint8_t letters[9] = "abcdefgh";
  uint8_t sorted[8];
  uint32_t order[8];
  expect(!iw_multisplit_by(c, in, 8, &by_plan, out, offsets) && offsets[1] == 4 && out[4] == 9, "iw_multisplit_by", type);
  expect(!iw_multisplit_pairs(c, in, letters, 8, &by_plan, out, sorted, offsets) && out[4] == 9 && sorted[0] == 'a' && sorted[4] == 'b',
         "iw_multisplit_pairs", type);
  expect(!iw_multisplit_order(c, in, 8, &by_plan, order, offsets) && order[0] == 0 && order[4] == 1, "iw_multisplit_order", type);
  expect(!iw_histogram_weighted(c, plan, in, keys, 8, counts) && counts[0] == 14 && counts[1] == 7, "iw_histogram_weighted", type);
  expect(!iw_histogram_pairs(c, plan, in, plan, in, 8, pairs) && pairs[0] == 4 && pairs[3] == 4, "iw_histogram_pairs", type);
  expect(!iw_histogram_rows(c, plan, in, 2, 4, pairs) && pairs[0] == 2 && pairs[3] == 2, "iw_histogram_rows", type);
  iw_histogram_plan_free(plan);
}

template <class S, class T> static void check_mixed(iw_context *c, const char *types)
{
  const S in[4] = { 1, 9, 2, 8 };
  T out[4], total;
  expect(!iw_inclusive_scan_as(c, IW_SUM, in, out, 4) && out[0] == 1 && out[3] == 20, "iw_inclusive_scan_as", types);
  expect(!iw_exclusive_scan_as(c, IW_SUM, in, out, 4) && out[0] == 0 && out[3] == 12, "iw_exclusive_scan_as", types);
  expect(!iw_reduce_as(c, IW_SUM, in, 4, &total) && total == 20, "iw_reduce_as", types);
}

template <class T> static void check_narrow(iw_context *c, const char *type)
{
  const T samples[3] = { 1, 2, 250 }, lo = 0, hi = 4;
  uint64_t counts[2];
  iw_histogram_spec s = iw_histogram_spec();
  s.size = sizeof s;
  s.bins = 2;
  s.lo = &lo;
  s.hi = &hi;
  expect(!iw_histogram(c, samples, 3, &s, counts) && counts[0] == 1 && counts[1] == 1, "iw_histogram", type);
}

int main()
{
  iw_context *c;
  if (iw_context_open(&c, 0)) {
    std::printf("no context: %s\n", iw_message());
    return 1;
  }
  check_narrow<uint8_t>(c, "u8");
  check_narrow<uint16_t>(c, "u16");
  check<int32_t>(c, "i32");
  check<uint32_t>(c, "u32");
  check<int64_t>(c, "i64");
  check<uint64_t>(c, "u64");
  check<float>(c, "f32");
  check<double>(c, "f64");
  check_mixed<uint8_t, uint32_t>(c, "u8 in u32");
  check_mixed<uint8_t, uint64_t>(c, "u8 in u64");
  check_mixed<int32_t, int64_t>(c, "i32 in i64");
  check_mixed<uint32_t, uint64_t>(c, "u32 in u64");
  check_mixed<float, double>(c, "f32 in f64");
  check_mixed<float, float>(c, "f32 in f32");
  iw_context_close(c);
  return failures != 0;
}
