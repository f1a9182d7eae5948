/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisplit: a stable radix sort by bin number, least digit first, in which each pass works the number out anew.
 */
#include "internal.h"

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
  IW_TRY(iw_check_array("offsets", offsets, places, sizeof *offsets));
  IW_TRY(iw_check_apart("in", in, n * size, "out", out, n * size));
  IW_TRY(iw_check_apart("in", in, n * size, "offsets", offsets, places * sizeof *offsets));
  IW_TRY(iw_check_apart("out", out, n * size, "offsets", offsets, places * sizeof *offsets));

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
