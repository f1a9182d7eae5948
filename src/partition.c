/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract: mark the elements, scan how many are marked in each chunk, move them.
 */
#include "internal.h"

#include <string.h>

/* What to divide, and by what. */
enum { IN, FLAGS, OUT, COUNT, ARRAYS };
typedef struct division {
  iw_context *context;
  iw_type type;
  const void *in;
  size_t n;
  const uint8_t *flags;           /* or NULL */
  const iw_histogram_plan *plan;  /* or NULL */
  iw_kernel_id kernel;            /* that marks */
  iw_mark_args mark;              /* its pivot or bin */
  int others;                     /* wanted behind the marked ones */
  void *out;
  size_t *count;
} division;

/* Where both sides are wanted, all of out is written, and it can be checked at once. */
static iw_status check(const division *d)
{
  const size_t size = iw_type_size(d->type), bytes = d->n * size;
  IW_TRY(iw_check_context(d->context));
  IW_TRY(iw_check_type(d->type, IW_I32));
  IW_TRY(iw_check_array("in", d->in, d->n, size));
  IW_TRY(iw_check_pointer("count", d->count));
  if (d->flags || d->kernel == IW_K_mark_flags) {
    IW_TRY(iw_check_array("flags", d->flags, d->n, 1));
    IW_TRY(iw_check_apart("in", d->in, bytes, "flags", d->flags, d->n));
  }
  if (d->others)
    IW_TRY(iw_check_array("out", d->out, d->n, size));
  if (d->others && d->flags)
    IW_TRY(iw_check_apart("flags", d->flags, d->n, "out", d->out, bytes));
  return d->others || d->in == d->out ? iw_check_in_place(d->context, d->in, d->out, bytes) : IW_OK;
}

/* Where only the marked ones are, out is as large as they are many. */
static iw_status check_selected(const division *d, size_t count)
{
  const size_t size = iw_type_size(d->type);
  IW_TRY(iw_check_array("out", d->out, count, size));
  IW_TRY(iw_check_apart_or_equal("in", d->in, d->n * size, "out", d->out, count * size));
  return iw_check_apart("flags", d->flags, d->flags ? d->n : 0, "out", d->out, count * size);
}

static iw_status divide_staged(division *d, iw_array *arrays, int count_is_here)
{
  iw_context *const context = d->context;
  const size_t size = iw_type_size(d->type), n = d->n, chunks = iw_ceil_div(n, IW_MARK_CHUNK);
  const int in_place = arrays[IN].here == arrays[OUT].here;
  size_t used = 0;
  void *scratch;
  const size_t at_copy = iw_carve(&used, in_place ? n : 0, size);
  const size_t at_tables = iw_carve(&used, d->plan ? iw_binning_bytes(context, d->plan) : 0, 1);
  const size_t at_masks = iw_carve(&used, chunks, IW_MARK_CHUNK / 8);
  const size_t at_counts = iw_carve(&used, chunks + 1, sizeof(uint64_t));
  IW_TRY(iw_scratch(context, used, &scratch));
  char *const base = scratch;

  const void *in = arrays[IN].here;
  if (n && in_place) {
    IW_TRY(context->ops->copy(context, base + at_copy, in, n * size));
    in = base + at_copy;
  }
  iw_mark_args mark = d->mark;
  mark.in = d->flags ? arrays[FLAGS].here : in;
  mark.n = n;
  mark.masks = (uint32_t *)(base + at_masks);
  mark.counts = (uint64_t *)(base + at_counts);
  if (d->plan)
    IW_TRY(iw_binning_place(context, d->plan, base + at_tables, &mark.binning));
  IW_TRY(iw_run(context, d->kernel, iw_ceil_div(chunks + 1, IW_MARK_WARPS), IW_MARK_WARPS * 32, &mark));
  IW_TRY(iw_offsets(context, mark.counts, chunks + 1));

  uint64_t total = n;
  if (!count_is_here || arrays[OUT].here != d->out) { /* the host wants to know */
    IW_TRY(context->ops->copy(context, &total, mark.counts + chunks, sizeof total));
    if (!d->others) {
      IW_TRY(check_selected(d, (size_t)total));
      arrays[OUT].bytes = (size_t)total * size;
    }
  }
  const iw_place_args place = {
    .in = in, .n = n, .masks = mark.masks, .offsets = mark.counts, .out = arrays[OUT].here,
    .others = (uint32_t)d->others,
  };
  IW_TRY(iw_run(context, size == 4 ? IW_K_place_32 : IW_K_place_64, iw_ceil_div(chunks, IW_MARK_WARPS),
                IW_MARK_WARPS * 32, &place));
  if (count_is_here)
    return context->ops->copy(context, d->count, mark.counts + chunks, sizeof total);
  *d->count = (size_t)total;
  return IW_OK;
}

static iw_status divide(division *d)
{
  const size_t bytes = d->n * iw_type_size(d->type);
  iw_array arrays[ARRAYS] = {
    [IN] = { "in", d->in, bytes, IW_READ, NULL }, [FLAGS] = { "flags", d->flags, d->flags ? d->n : 0, IW_READ, NULL },
    [OUT] = { "out", d->out, bytes, IW_WRITE, NULL }, [COUNT] = { "count", d->count, sizeof *d->count, IW_WRITE, NULL },
  };
  int count_is_here;
  IW_TRY(iw_choose(&d->context, arrays, ARRAYS));
  IW_TRY(iw_reached(d->context, &arrays[COUNT], &count_is_here));
  count_is_here &= d->context->backend == IW_BACKEND_CUDA;
  if (count_is_here && !d->others)
    IW_TRY(check_selected(d, d->n));
  IW_TRY(iw_stage(&d->context, arrays, COUNT));
  return iw_unstage(d->context, arrays, COUNT, divide_staged(d, arrays, count_is_here));
}

iw_status iw_partition_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                           size_t *count)
{
  division d = {
    .context = context, .type = type, .in = in, .n = n, .kernel = IW_KERNEL_OF(mark_less, type), .others = 1,
    .out = out, .count = count,
  };
  IW_TRY(check(&d));
  IW_TRY(iw_check_pointer("pivot", pivot));
  memcpy(&d.mark.pivot, pivot, iw_type_size(type));
  return divide(&d);
}

static iw_status by_flags(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n, int others,
                          void *out, size_t *count)
{
  division d = {
    .context = context, .type = type, .in = in, .n = n, .flags = flags, .kernel = IW_K_mark_flags, .others = others,
    .out = out, .count = count,
  };
  IW_TRY(check(&d));
  return divide(&d);
}

iw_status iw_partition_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                                 void *out, size_t *count)
{
  return by_flags(context, type, in, flags, n, 1, out, count);
}

iw_status iw_select_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                              void *out, size_t *count)
{
  return by_flags(context, type, in, flags, n, 0, out, count);
}

/* By a plan, or where there is none by one of the spec. */
static iw_status extract(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_plan *plan,
                         const iw_histogram_spec *spec, size_t bin, void *out, size_t *count)
{
  iw_histogram_plan own;
  division d = {
    .context = context, .type = type, .in = in, .n = n, .plan = plan ? plan : &own,
    .kernel = IW_KERNEL_OF(mark_bin, type), .out = out, .count = count,
  };
  IW_TRY(check(&d));
  IW_TRY(plan ? iw_check_plan(plan, type) : iw_check_spec(type, spec));
  const size_t bins = plan ? plan->spec.bins : spec->bins;
  if (bin >= bins)
    return iw_fail(IW_ERROR_INVALID, "bin is %zu; there are bins 0 to %zu", bin, bins - 1);
  d.mark.bin = (uint32_t)bin;
  if (plan)
    return divide(&d);
  IW_TRY(iw_plan_for(context, type, in, n, spec, &own));
  const iw_status status = divide(&d);
  iw_plan_drop(&own);
  return status;
}

iw_status iw_extract_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_spec *spec,
                         size_t bin, void *out, size_t *count)
{
  return extract(context, type, in, n, NULL, spec, bin, out, count);
}

iw_status iw_extract_planned_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in, size_t n,
                                 size_t bin, void *out, size_t *count)
{
  IW_TRY(iw_check_pointer("plan", plan));
  return extract(context, type, in, n, plan, NULL, bin, out, count);
}
