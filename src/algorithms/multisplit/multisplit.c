/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of multisplit: checks, bucket ids by histogram bins, a pivot or a user's rule
 * (bucket_ids_kernel.h), and the stable radix split by bucket id (radix_split.c), which knows no rule
 * (doc/design/sort.md#bucket-rules). If buckets are a range of key bits, the elements themselves are the
 * keys. Layer: public entry; it must not know how a backend launches or what a device is, but by the device
 * record.
 *
 * radix_split_kernel.h counts digits and moves elements, a pass for up to 8 bits of the ids. Its schedules:
 *
 *   ranked_tiles.h     GPU: a block ranks a tile by digit, reorders it in shared memory and stores runs of
 *                      digits
 *   write_buffers.h    CPU: a thread has a write-combining buffer for each bucket
 *   onesweep.h         GPU, sorts: a pass reads its keys once, as digits of all passes were counted before
 */
#include "algorithms/binning/binning.h"
#include "algorithms/common/clear.h"
#include "algorithms/common/payloads.h"
#include "algorithms/multisplit/radix_split.h"
#include "algorithms/partition/partition.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

enum { MAX_KEY_BITS = 16, MAX_BUCKETS = 0x7fffffff };

/* A call: what is split, by which buckets, and where to. */
typedef struct job {
  iw_context *context;
  iw_type type;
  const void *in;
  size_t n;
  const iw_histogram_plan *plan;  /* one of plan, spec, pivot, kernel and bits is given */
  const iw_histogram_spec *spec;
  const void *pivot;
  const iw_kernel *kernel;
  unsigned bits;
  unsigned bit;
  size_t buckets;
  void *out;
  const iw_payload *payloads;
  size_t count;
  size_t element_payload;         /* the payload that moves the elements; NO_PAYLOAD: none */
  size_t *offsets;
} job;

#define NO_PAYLOAD SIZE_MAX

/* The arrays of a call: elements and payloads, each followed by its output, and the offsets. */
enum { ARRAYS = 2 * (IW_MAX_PAYLOADS + 1) + 1 };
_Static_assert((int)ARRAYS <= (int)IW_MAX_ARRAYS, "a call can stage them all");
_Static_assert((int)IW_MAX_MOVED >= IW_MAX_PAYLOADS + 2, "elements, payloads, and bucket ids between passes move together");

static inline iw_array offsets_of(const job *j)
{
  return (iw_array){ "offsets", j->offsets, j->buckets + 1, sizeof *j->offsets, IW_WRITE, NULL };
}
/* Lists the arrays of a call, the last of which is the offsets. */
static inline unsigned list_arrays(const job *j, iw_array *arrays)
{
  const unsigned k = iw_list_moved(j->type, j->in, j->out, j->n, j->payloads, j->count, arrays);
  arrays[k] = offsets_of(j);
  return k + 1;
}

/* Lets the arrays of the elements be those of the payload that moves them. */
static void move_elements_as(size_t payload, iw_array *arrays)
{
  iw_array *const of_payload = &arrays[2 + 2 * payload];
  arrays[1] = of_payload[1];
  for (unsigned k = 0; k < 2; k++)
    of_payload[k] = (iw_array){ of_payload[k].name, NULL, 0, 1, of_payload[k].access, NULL };
}

/* ---- Checks ------------------------------------------------------------------------------------------ */

/* Checks the listed arrays. An output may be its own input if reserved scratch holds copies of all such. */
static iw_status check_arrays(const job *j, iw_array *arrays, unsigned count)
{
  size_t in_place = 0;
  IW_TRY(iw_check_each_array(arrays, 2));
  IW_TRY(iw_check_payloads(j->payloads, j->count, j->n, arrays));
  IW_TRY(iw_check_each_array(&arrays[count - 1], 1));
  if (j->element_payload != NO_PAYLOAD)
    move_elements_as(j->element_payload, arrays);
  IW_TRY(iw_check_arrays(arrays, count));
  for (unsigned k = 0; k + 1 < count; k += 2)
    in_place += arrays[k].at == arrays[k + 1].at ? iw_bytes_of(&arrays[k]) : 0;
  if (in_place > j->context->reserved)
    return iw_fail(IW_ERROR_OVERLAP, "in and out are the same for arrays of %zu bytes, which works only after "
                   "iw_context_reserve() of as much; it was given %zu", in_place, j->context->reserved);
  return IW_OK;
}

static iw_status check_rule(iw_type type, const iw_bucket_rule *rule)
{
  if (rule->size != sizeof *rule)
    return iw_fail(IW_ERROR_MISMATCH, "the rule was built with another version of isowarp's headers: it has %zu bytes, this "
                   "library's %zu", rule->size, sizeof *rule);
  IW_TRY(iw_check_kernel(rule->bucket_id));
  if (rule->bucket_id->args != sizeof(iw_bucket_ids_args))
    return iw_fail(IW_ERROR_MISMATCH, "kernel %s of rule %s takes arguments of %zu bytes: this library's rules have %zu",
                   rule->bucket_id->name, rule->name, rule->bucket_id->args, sizeof(iw_bucket_ids_args));
  if (rule->type != type)
    return iw_fail(IW_ERROR_INVALID, "buckets->type is %s, but rule %s is for %s", iw_type_name(type), rule->name,
                   iw_type_name(rule->type));
  return IW_OK;
}

/* Makes j split by what buckets say, which are a struct of the right size. */
static iw_status apply_buckets(const iw_buckets *b, job *j)
{
  const int given = (b->bins != NULL) + (b->pivot != NULL) + (b->bits != 0) + (b->rule != NULL);
  if (given != 1)
    return iw_fail(IW_ERROR_INVALID, "buckets has %d of bins, pivot, bits and rule set; valid is exactly one",
                   given);
  IW_TRY(iw_check_named_type("buckets->type", b->type, IW_ALL_TYPES));
  if (!b->rule && b->count)
    return iw_fail(IW_ERROR_INVALID, "buckets->count is %zu; valid is 0 where there is no rule", b->count);
  if (b->bins) {
    IW_TRY(iw_fail_named(iw_check_spec(j->type, b->bins), "buckets->bins"));
    j->plan = b->bins->plan;
    j->spec = j->plan ? NULL : b->bins;
    j->buckets = iw_spec_of(b->bins)->bins;
  } else if (b->pivot) {
    IW_TRY(iw_check_single("buckets->pivot", b->pivot, iw_type_size(j->type)));
    j->pivot = b->pivot;
    j->buckets = 3;
  } else if (b->rule) {
    IW_TRY(check_rule(j->type, b->rule));
    if (b->count < 1 || b->count > MAX_BUCKETS)
      return iw_fail(IW_ERROR_INVALID, "buckets->count is %zu; valid are 1 to %d", b->count, MAX_BUCKETS);
    j->kernel = b->rule->bucket_id;
    j->buckets = b->count;
  } else {
    const unsigned all = 8 * (unsigned)iw_type_size(j->type);
    if (b->bit >= all)
      return iw_fail(IW_ERROR_INVALID, "buckets->bit is %u; valid are 0 to %u for %s", b->bit, all - 1, iw_type_name(j->type));
    if (b->bits > MAX_KEY_BITS || b->bits > all - b->bit)
      return iw_fail(IW_ERROR_INVALID, "buckets->bits is %u; valid are 1 to %u for %s from bit %u on", b->bits,
                     (unsigned)iw_min(MAX_KEY_BITS, all - b->bit), iw_type_name(j->type), b->bit);
    j->bit = b->bit;
    j->bits = b->bits;
    j->buckets = (size_t)1 << b->bits;
  }
  return IW_OK;
}

/* ---- The split --------------------------------------------------------------------------------------- */

/* Whether elements may be in no bin of a plan: they need one more bucket
 * (doc/design/sort.md#elements-in-no-bin). */
static int has_outside_bucket(const iw_histogram_plan *plan)
{
  const iw_scalar_bits bottom = plan->binning.bottom, top = plan->binning.top;
  const int clamp = plan->binning.clamp != 0;
  switch (plan->type) {
  case IW_I32: return !clamp && (bottom.i32 != INT32_MIN || top.i32 != INT32_MAX);
  case IW_U32: return !clamp && (bottom.u32 != 0 || top.u32 != UINT32_MAX);
  case IW_I64: return !clamp && (bottom.i64 != INT64_MIN || top.i64 != INT64_MAX);
  case IW_U64: return !clamp && (bottom.u64 != 0 || top.u64 != UINT64_MAX);
  case IW_U16: return !clamp && (bottom.i32 != 0 || top.i32 != UINT16_MAX); /* of the KEY type */
  case IW_I16: return !clamp && (bottom.i32 != INT16_MIN || top.i32 != INT16_MAX);
  case IW_U8: case IW_I8: case IW_BOOL:
    for (unsigned v = 0; v < 256; v++)
      if (plan->map[v] >= plan->binning.bins)
        return !clamp;
    return 0;
  default: break; /* floats: NaN */
  }
  return 1;
}

static unsigned bucket_id_bytes(size_t buckets)
{
  return buckets <= 1 << 8 ? 1 : buckets <= 1 << 16 ? 2 : 4;
}

/* Writes bucket ids by a user's rule. */
static iw_status bucket_ids_by_rule(iw_context *context, const iw_kernel *kernel, const void *in, size_t n, void *ids, unsigned id_bytes,
                           uint32_t max_id)
{
  return context->ops->launch(context, kernel, iw_ceil_div(n, IW_BUCKET_IDS_CHUNK * 8), 256, kernel->shared, &(iw_bucket_ids_args){
    .in = in, .n = n, .ids = ids, .id_bytes = id_bytes, .max_id = max_id,
  });
}

/* Writes bucket ids of elements of 1 or 2 bytes by a pivot. */
static iw_status bucket_ids_by_pivot(const job *j, const void *in, void *ids)
{
  const size_t n = j->n;
  iw_pivot_ids_args args = { .to = { .in = in, .n = n, .ids = ids, .id_bytes = 1, .max_id = 2 } };
  const uint32_t rank = iw_rank_of_narrow(j->type, j->pivot, &args.order);
  const int is_nan = rank == IW_NARROW_NAN; /* to which no element compares less or equal */
  args.equal = is_nan ? 0 : rank;
  args.greater = is_nan ? 0 : rank + 1;
  return iw_launch_by_id(j->context, iw_type_size(j->type) == 1 ? IW_K_bucket_ids_pivot_8 : IW_K_bucket_ids_pivot_16,
                         iw_ceil_div(n, IW_BUCKET_IDS_CHUNK * 8), 256, &args);
}

/* Writes bucket ids by a plan: a bucket for each bin, and one more for elements in no bin. If that one more
 * makes ids wider, a CPU first tries without it and looks whether any element is in no bin
 * (doc/design/sort.md#elements-in-no-bin). *buckets: with the one more at first, then as many as there
 * are. */
static iw_status bucket_ids_by_plan(iw_context *context, const iw_histogram_plan *plan, void *tables, const void *in, size_t n,
                             void *ids, size_t *buckets)
{
  const size_t bins = plan->binning.bins;
  iw_binning binning;
  IW_TRY(iw_binning_upload(context, plan, tables, &binning));
  if (context->device.reads_host_memory && bucket_id_bytes(bins) < bucket_id_bytes(*buckets)) {
    uint32_t clamped = 0;
    IW_TRY(iw_compute_bin_indices(context, plan->type, &binning, in, n, ids, bucket_id_bytes(bins), (uint32_t)(bins - 1), &clamped));
    if (!clamped) {
      *buckets = bins;
      return IW_OK;
    }
  }
  return iw_compute_bin_indices(context, plan->type, &binning, in, n, ids, bucket_id_bytes(*buckets), (uint32_t)(*buckets - 1), NULL);
}

static iw_bucket_keys keys_of_bucket_ids(size_t buckets, const void *at)
{
  return (iw_bucket_keys){ at, bucket_id_bytes(buckets), 0 };
}

/* Splits the staged arrays, by `plan` if it is not NULL, else by the rule, the pivot or the key bits. */
static iw_status split(const job *j, const iw_histogram_plan *plan, const iw_array *arrays, unsigned array_count)
{
  iw_context *const context = j->context;
  const size_t n = j->n;
  size_t buckets = j->buckets + (plan && !j->pivot && has_outside_bucket(plan)); /* a pivot's third bucket is what is outside */
  uint64_t *const offsets = arrays[array_count - 1].kernel_ptr;
  if (n == 0)
    return iw_clear(context, offsets, j->buckets + 1);
  iw_move_array moved[IW_MAX_MOVED];
  size_t at_copy[IW_MAX_MOVED], count = 0;
  iw_layout layout;
  void *scratch;
  iw_layout_begin(&layout, context);
  for (unsigned k = 0; k + 1 < array_count; k += 2)
    if (arrays[k + 1].at) {
      const iw_array *const in = &arrays[k], *const out = &arrays[k + 1];
      const size_t width = k ? j->payloads[k / 2 - 1].width : iw_type_size(j->type);
      at_copy[count] = iw_layout_add(&layout, "a copy of an array in place", in->kernel_ptr == out->kernel_ptr ? n : 0, width);
      moved[count++] = (iw_move_array){ in->kernel_ptr, out->kernel_ptr, width };
    }
  const void *const in = arrays[0].kernel_ptr;
  iw_bucket_keys numbers = j->bits ? (iw_bucket_keys){ in, (unsigned)iw_type_size(j->type), j->bit } : keys_of_bucket_ids(buckets, NULL);
  const iw_bucket_keys fewer = keys_of_bucket_ids(j->buckets, NULL);
  const size_t at_tables = iw_layout_add(&layout, "tables", plan ? iw_binning_scratch_bytes(context, plan) : 0, 1);
  const size_t at_bucket_ids = iw_layout_add(&layout, "bucket ids", j->bits ? 0 : n, numbers.bytes);
  const size_t at_offsets = iw_layout_add(&layout, "offsets", buckets > j->buckets ? buckets + 1 : 0, sizeof *offsets);
  const size_t most = iw_multisplit_scratch_bytes(context, &numbers, buckets, n, moved, count);
  const size_t least = buckets > j->buckets ? iw_multisplit_scratch_bytes(context, &fewer, j->buckets, n, moved, count) : 0;
  const size_t at_memory = iw_layout_add(&layout, "scratch of the split", iw_max(most, least), 1);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;

  if (plan)
    IW_TRY(bucket_ids_by_plan(context, plan, base + at_tables, in, n, base + at_bucket_ids, &buckets));
  else if (j->kernel)
    IW_TRY(bucket_ids_by_rule(context, j->kernel, in, n, base + at_bucket_ids, numbers.bytes, (uint32_t)(buckets - 1)));
  else if (j->pivot)
    IW_TRY(bucket_ids_by_pivot(j, in, base + at_bucket_ids));
  if (!j->bits)
    numbers = keys_of_bucket_ids(buckets, base + at_bucket_ids);
  for (size_t i = 0; i < count; i++)
    if (moved[i].in == moved[i].out) {
      moved[i].in = base + at_copy[i];
      IW_TRY(context->ops->copy(context, base + at_copy[i], moved[i].out, n * moved[i].width));
      if (moved[i].out == numbers.at)
        numbers.at = moved[i].in;
    }
  if (buckets == j->buckets)
    return iw_multisplit_by_keys(context, &numbers, buckets, n, moved, count, base + at_memory, offsets);
  uint64_t *const more = (uint64_t *)(void *)(base + at_offsets);
  IW_TRY(iw_multisplit_by_keys(context, &numbers, buckets, n, moved, count, base + at_memory, more));
  return context->ops->copy(context, offsets, more, buckets * sizeof *offsets);
}

static iw_status run(job *j, iw_array *arrays, unsigned count)
{
  IW_TRY(check_arrays(j, arrays, count));
  IW_TRY(j->kernel ? iw_select_context_for_kernel(&j->context, j->kernel, arrays, count) : iw_select_context(&j->context, arrays, count));
  IW_TRY(iw_stage_on(j->context, arrays, count));
  iw_histogram_plan own;
  iw_scalar_bits edges[2];
  if (j->spec)
    IW_TRY(iw_plan_resolve(j->context, j->type, arrays[0].kernel_ptr, j->n, j->spec, &own));
  const int pivot_bins = j->pivot && iw_type_size(j->type) >= 4;
  if (pivot_bins)
    iw_plan_of_pivot(j->type, j->pivot, edges, &own);
  const iw_status status = split(j, j->spec || pivot_bins ? &own : j->plan, arrays, count);
  if (j->spec)
    iw_plan_release(&own);
  return iw_unstage(j->context, arrays, count, status);
}

/* Whether a call takes the small-n path: one tile of elements by at most 8 key bits, no payloads, all in
 * host memory, and no error. run() handles everything else and reports errors, but takes longer
 * (doc/design/cpu.md#small-calls). */
static IW_NOINLINE int is_small(const job *j)
{
  iw_array arrays[3];
  if (!j->bits || j->bits > 8 || !j->context->device.reads_host_memory || j->context->device_ops || j->n - 1 >= IW_MULTISPLIT_TILE)
    return 0;
  arrays[iw_list_elements(j->type, j->in, j->out, j->n, arrays)] = offsets_of(j);
  arrays[1].access &= ~(unsigned)IW_OPTIONAL;
  return iw_are_apart(arrays, 3);
}

/* Reads a call's options into j. */
static iw_status read_options(const iw_move_options *options, job *j, iw_payload copies[IW_MAX_PAYLOADS])
{
  IW_TRY(iw_read_payloads(options, copies));
  if (options->rest)
    return iw_fail(IW_ERROR_INVALID, "options->rest is %p; valid is NULL, as a multisplit has one output of each array", options->rest);
  j->payloads = copies;
  j->count = options->payload_count;
  for (size_t p = 0; p < j->count && j->in && !j->out; p++)
    if (copies[p].in == j->in && copies[p].width == iw_type_size(j->type)) {
      j->element_payload = p;
      break;
    }
  return IW_OK;
}

/* ---- The call ---------------------------------------------------------------------------------------- */

iw_status iw_multisplit(iw_context *context, const iw_buckets *buckets, const void *in, size_t n, void *out, size_t *offsets,
                        const iw_move_options *options)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("buckets", buckets));
  IW_TRY(iw_check_struct("buckets->size", buckets, "iw_buckets", sizeof *buckets));
  const iw_type type = buckets->type;
  job j = { .context = context, .type = type, .in = in, .n = n, .out = out, .element_payload = NO_PAYLOAD, .offsets = offsets };
  iw_array arrays[ARRAYS];
  iw_payload copies[IW_MAX_PAYLOADS];
  iw_status status;
  IW_TRY(apply_buckets(buckets, &j));
  if (options) {
    IW_TRY(read_options(options, &j, copies));
    return run(&j, arrays, list_arrays(&j, arrays));
  }
  if (j.pivot && iw_partition_three_small(context, type, in, n, j.pivot, out, offsets, &status))
    return status;
  if (is_small(&j))
    return iw_multisplit_small(context, &(iw_bucket_keys){ in, (unsigned)iw_type_size(type), j.bit }, j.buckets, n, in, out,
                        (uint64_t *)(void *)offsets);
  const unsigned count = list_arrays(&j, arrays);
  arrays[1].access &= ~(unsigned)IW_OPTIONAL;
  return run(&j, arrays, count);
}
