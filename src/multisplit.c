/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisplit: a stable radix sort by bin number, least digit first, in which each pass works the number out anew.
 */
#include "internal.h"

#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "offsets are counted in words of 64 bits");

/* The offsets of the bins: their counts, scanned. */
static iw_status find_offsets(iw_context *context, const iw_histogram_plan *plan, const void *in, size_t n, size_t *offsets)
{
  static const uint64_t none = 0;
  const size_t bins = plan->spec.bins;
  iw_histogram_spec counted = plan->spec;
  counted.flags &= ~(unsigned)(IW_HIST_ACCUMULATE | IW_HIST_COUNTERS_32);
  counted.policy = counted.policy == IW_POLICY_CLAMP ? IW_POLICY_CLAMP : IW_POLICY_DROP;
  counted.strategy = IW_STRATEGY_AUTO;
  IW_TRY(iw_histogram_planned(context, plan, &counted, in, n, offsets, NULL));
  IW_TRY(context->ops->upload(context, offsets + bins, &none, sizeof none));
  return iw_offsets(context, (uint64_t *)offsets, bins + 1);
}

/* Bytes of counters that a block has for so many digits. */
static size_t shared_of(size_t digits)
{
  return IW_SPLIT_WARPS * digits * sizeof(uint32_t);
}

static iw_status split(iw_context *context, const iw_histogram_plan *plan, const void *in, size_t n, void *out,
                       size_t *offsets)
{
  const iw_type type = plan->type;
  const size_t size = iw_type_size(type);
  const uint64_t last = plan->binning.bins; /* the number of what is in no bin */
  unsigned bits = 1, most = IW_SPLIT_BITS;
  while (last >> bits)
    bits++;
  while (shared_of((size_t)1 << most) > context->shared_room)
    most--;
  const unsigned passes = (bits + most - 1) / most, digit = (bits + passes - 1) / passes;
  const size_t digits = passes > 1 ? (size_t)1 << digit : (size_t)last + 1;
  /* Long enough that a chunk's own counters are few beside its elements. */
  const size_t chunk = iw_max(1 << 14, 16 * iw_ceil_div(digits, 32) * 32), chunks = iw_ceil_div(n, chunk);
  const size_t grid = iw_ceil_div(chunks, IW_SPLIT_WARPS), shared = shared_of(digits);
  if (passes > 1 || n == 0)
    IW_TRY(find_offsets(context, plan, in, n, offsets));
  size_t used = 0;
  void *scratch;
  const size_t at_tables = iw_carve(&used, iw_binning_bytes(context, plan), 1);
  const size_t at_counts = iw_carve(&used, digits * chunks, sizeof(uint64_t));
  const size_t at_other = iw_carve(&used, passes > 1 ? n : 0, size);
  IW_TRY(iw_scratch(context, used, &scratch));
  char *const base = scratch;

  iw_split_args args = {
    .in = in, .n = n, .chunk = chunk, .chunks = chunks, .counts = (uint64_t *)(base + at_counts),
    .offsets = (uint64_t *)offsets, .mask = ((uint32_t)1 << digit) - 1, .digits = (uint32_t)digits,
  };
  IW_TRY(iw_binning_place(context, plan, base + at_tables, &args.binning));
  for (unsigned pass = 0; pass < passes; pass++) {
    args.shift = pass * digit;
    args.out = (passes - pass) % 2 ? out : base + at_other; /* the last pass writes to out */
    IW_TRY(iw_run_shared(context, IW_KERNEL_OF(split_tally, type), grid, 32 * IW_SPLIT_WARPS, shared, &args));
    IW_TRY(iw_offsets(context, args.counts, digits * chunks));
    IW_TRY(iw_run_shared(context, IW_KERNEL_OF(split_place, type), grid, 32 * IW_SPLIT_WARPS, shared, &args));
    args.in = args.out;
  }
  return passes > 1 || n == 0 ? IW_OK : iw_run(context, IW_K_split_offsets, iw_ceil_div(digits, 256), 256, &args);
}

static iw_status check_arrays(iw_type type, const void *in, size_t n, const void *out, const size_t *offsets, size_t count)
{
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_array("offsets", offsets, count, sizeof *offsets));
  IW_TRY(iw_check_apart("in", in, n * size, "out", out, n * size));
  IW_TRY(iw_check_apart("in", in, n * size, "offsets", offsets, count * sizeof *offsets));
  return iw_check_apart("out", out, n * size, "offsets", offsets, count * sizeof *offsets);
}

/* By a plan, or where there is none by one of the spec. */
static iw_status multisplit(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_plan *plan,
                            const iw_histogram_spec *spec, void *out, size_t *offsets)
{
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_I32));
  IW_TRY(iw_check_array("in", in, n, size));
  IW_TRY(iw_check_array("out", out, n, size));
  IW_TRY(plan ? iw_check_plan(plan, type) : iw_check_spec(type, spec));
  const size_t places = (plan ? plan->spec.bins : spec->bins) + 1;
  IW_TRY(check_arrays(type, in, n, out, offsets, places));

  iw_array arrays[] = {
    { "in", in, n * size, IW_READ, NULL }, { "out", out, n * size, IW_WRITE, NULL },
    { "offsets", offsets, places * sizeof *offsets, IW_WRITE, NULL },
  };
  IW_TRY(iw_stage(&context, arrays, 3));
  iw_histogram_plan own;
  if (!plan)
    IW_TRY(iw_plan_for(context, type, arrays[0].here, n, spec, &own));
  const iw_status status = split(context, plan ? plan : &own, arrays[0].here, n, arrays[1].here, arrays[2].here);
  if (!plan)
    iw_plan_drop(&own);
  return iw_unstage(context, arrays, 3, status);
}

iw_status iw_multisplit_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_spec *spec,
                            void *out, size_t *offsets)
{
  return multisplit(context, type, in, n, NULL, spec, out, offsets);
}

iw_status iw_multisplit_planned_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in, size_t n,
                                    void *out, size_t *offsets)
{
  IW_TRY(iw_check_pointer("plan", plan));
  return multisplit(context, type, in, n, plan, NULL, out, offsets);
}

/* ---- Three ways -------------------------------------------------------------------------------------------------- */

/* The lowest value of a type; with highest, the other end. */
static iw_word end_of(iw_type type, int highest)
{
  switch (type) {
  case IW_I32: return (iw_word){ .i32 = highest ? INT32_MAX : INT32_MIN };
  case IW_U32: return (iw_word){ .u32 = highest ? UINT32_MAX : 0 };
  case IW_I64: return (iw_word){ .i64 = highest ? INT64_MAX : INT64_MIN };
  case IW_U64: return (iw_word){ .u64 = highest ? UINT64_MAX : 0 };
  case IW_F32: return (iw_word){ .u32 = highest ? 0x7f800000u : 0xff800000u };
  default: return (iw_word){ .u64 = highest ? 0x7ff0000000000000u : 0xfff0000000000000u };
  }
}

static int is_nan(iw_type type, iw_word word)
{
  return type == IW_F32 ? (word.u32 & 0x7fffffffu) > 0x7f800000u
    : type == IW_F64 && (word.u64 & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

/* Two bins, what is less than the pivot and what equals it; what is in none comes last. In no bin of a NaN is anything. */
iw_status iw_partition_three_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                                 size_t *offsets)
{
  static const uint64_t zeros[3] = { 0 };
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_I32));
  IW_TRY(iw_check_array("in", in, n, size));
  IW_TRY(iw_check_array("out", out, n, size));
  IW_TRY(iw_check_pointer("pivot", pivot));
  IW_TRY(check_arrays(type, in, n, out, offsets, 3));
  iw_word middle = { .u64 = 0 };
  memcpy(&middle, pivot, size);
  const int nan = is_nan(type, middle);
  const iw_word lowest = end_of(type, 0);
  char edges[2 * sizeof(iw_word)];
  memcpy(edges, &lowest, size);
  memcpy(edges + size, nan ? &lowest : &middle, size);
  const iw_histogram_plan plan = {
    .type = type, .spec = { .size = sizeof plan.spec, .kind = IW_HISTOGRAM_EDGES, .bins = 2 },
    .binning = { .mode = IW_BINNING_SEARCH, .bins = 2, .steps = 1, .bottom = nan ? end_of(type, 1) : lowest,
                 .top = nan ? lowest : middle },
    .edges = edges, .edges_bytes = 2 * size,
  };
  iw_array arrays[] = {
    { "in", in, n * size, IW_READ, NULL }, { "out", out, n * size, IW_WRITE, NULL },
    { "offsets", offsets, 3 * sizeof *offsets, IW_WRITE, NULL },
  };
  IW_TRY(iw_stage(&context, arrays, 3));
  return iw_unstage(context, arrays, 3,
                    n ? split(context, &plan, arrays[0].here, n, arrays[1].here, arrays[2].here)
                      : context->ops->upload(context, arrays[2].here, zeros, sizeof zeros));
}
