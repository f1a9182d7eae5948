/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the library know of each other. Nothing here is visible outside it.
 */
#ifndef IW_INTERNAL_H
#define IW_INTERNAL_H

#include <isowarp.h>
#include <isowarp/descriptor.h>

#include "algorithms/common/args.h"
#include "algorithms/histogram/args.h"
#include "algorithms/common/kernel_list.h"
#include "runtime/arithmetic.h"
#include "runtime/check.h"
#include "runtime/context.h"
#include "runtime/fp_environment.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

/* The built-in operators in the order of their kernels in each family. */
typedef enum iw_builtin_op { IW_BUILTIN_SUM, IW_BUILTIN_MIN, IW_BUILTIN_MAX, IW_BUILTIN_OPS } iw_builtin_op;

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_KERNEL_LIST(IW_ID)
#undef IW_ID
  IW_KERNEL_COUNT
} iw_kernel_id;

/* The kernels of one family stand in the order of their types, IW_I32 … IW_F64 (families that take all eight: IW_U8 …),
 * and those that have operators in the order of these. */
#define IW_KERNEL_OF(stem, type) ((iw_kernel_id)(IW_K_##stem##_i32 + ((type) - IW_I32)))
#define IW_KERNEL_OF_OP(stem, op, type) ((iw_kernel_id)(IW_K_##stem##_sum_i32 + 6 * (op) + ((type) - IW_I32)))
/* The kth sum in a wider type. */
#define IW_KERNEL_OF_MIXED(stem, k) ((iw_kernel_id)(IW_K_##stem##_sum_u32_from_u8 + (k)))

/* ---- Bins -------------------------------------------------------------------------------------------------------- */

/* The rule of a spec, worked out on the host. After it was made nothing of it changes, but that a persistent one keeps its
 * tables on each device that it ran on, in a list that only grows. */
struct iw_histogram_plan {
  iw_type type;
  iw_histogram_spec spec; /* but for what it points to */
  iw_binning binning;     /* edges and map still NULL */
  void *edges;            /* e(0) … e(bins-1), as the kernels want them; NULL for a map */
  size_t edges_bytes;
  uint32_t map[256];      /* of u8 samples: bins: below, bins + 1: above or none */
  int persistent;            /* else it serves one call, and its tables are in scratch there */
  struct iw_device_table { struct iw_device_table *next; const iw_backend_ops *ops; int device_index; void *memory; } *device_tables;
  size_t sampled;         /* samples of the data that were looked at … */
  double top_bin_share;         /* … and the share of them that the largest bin has */
};

/* Everything about a spec that can be wrong without looking at the data. */
iw_status iw_check_spec(iw_type type, const iw_histogram_spec *spec);
/* The spec that has a checked spec's policy, flags and number of bins: its plan's if it holds one. */
static inline const iw_histogram_spec *iw_spec_of(const iw_histogram_spec *spec)
{
  return spec->plan ? &spec->plan->spec : spec;
}
/* Whether the spec asks for the range of the data. */
int iw_spec_is_automatic(const iw_histogram_spec *spec);
/* Makes the plan of a checked spec that is not automatic. Drop it. */
iw_status iw_plan_make(iw_type type, const iw_histogram_spec *spec, iw_histogram_plan *plan);
/* The same for a checked spec that may have an automatic range. */
iw_status iw_plan_resolve(iw_context *context, iw_type type, const void *samples, size_t n, const iw_histogram_spec *spec,
                      iw_histogram_plan *plan);
void iw_plan_release(iw_histogram_plan *plan);
/* Bytes of scratch that iw_binning_upload needs. */
size_t iw_binning_scratch_bytes(const iw_context *context, const iw_histogram_plan *plan);
/* The binning that a kernel gets, its tables where the context's kernels reach them; memory: of that many bytes. */
iw_status iw_binning_upload(iw_context *context, const iw_histogram_plan *plan, void *memory, iw_binning *binning);
/* Counters that a histogram of this spec has: bins, or bins + 2. */
static inline size_t iw_outputs(const iw_histogram_spec *spec)
{
  return spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
}
/* A caller's plan, for elements of this type. */
iw_status iw_check_plan(const iw_histogram_plan *plan, iw_type type);

/* Sets words where kernels run to 0. */
iw_status iw_clear(iw_context *context, void *words, size_t n);

/* ---- Inside operations ------------------------------------------------------------------------------------------- */

/* A histogram by a plan: checked arguments that kernels reach. */
iw_status iw_histogram_run_plan(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n, void *counts);

/* Adds what a histogram by the plan has to its 64-bit outputs, by its policy, where kernels run; memory: so many bytes. */
size_t iw_histogram_accumulate_scratch_bytes(iw_context *context, const iw_histogram_plan *plan, size_t n);
iw_status iw_histogram_accumulate(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n, void *memory,
                   uint64_t *counts);
/* Adds to counts how often 0 … bins - 1 are among the numbers, where kernels run; memory: so many bytes. */
size_t iw_count_bin_indices_scratch_bytes(iw_context *context, size_t n, size_t bins);
iw_status iw_count_bin_indices(iw_context *context, const uint32_t *numbers, size_t n, size_t bins, void *memory, uint64_t *counts);

/* The bin numbers of samples, where kernels run, as numbers of so many bytes (1, 2 or 4); what is greater than last counts as it,
 * and sets *clamped, if that is not NULL. */
iw_status iw_compute_bin_indices(iw_context *context, iw_type type, const iw_binning *binning, const void *samples, size_t n, void *numbers,
                    size_t bytes, uint32_t last, uint32_t *clamped);

/* words(i) = words(0) + … + words(i-1), where kernels run. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n);

/* A partition into the elements that are less than the pivot, equal to it, and the others, if it is a small plain call: then
 * *status is its status, offsets has 4 elements, and the result is 1. Else 0, and nothing was checked or done. */
int iw_partition_three_small(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                             size_t *offsets, iw_status *status);
/* The plan of its two bins: less, and equal. It uses edges, and owns nothing. */
void iw_plan_of_pivot(iw_type type, const void *pivot, iw_scalar_bits edges[2], iw_histogram_plan *plan);

/* What tells an element's bucket: bits of a word of 1, 2, 4 or 8 bytes, (word >> shift) & mask, with the least mask 2^b - 1 that
 * has all buckets, of which it is one. Keys themselves, where a range of their bits decides. */
typedef struct iw_bucket_keys { const void *at; unsigned bytes, shift; } iw_bucket_keys;
/* Splits n elements stably into buckets, 1 or more: moves arrays, at most IW_MAX_MOVED - 1 of them, and writes where each
 * bucket begins, and n: buckets + 1 offsets. All where kernels run, and none in place; memory: so many bytes. */
size_t iw_multisplit_scratch_bytes(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const iw_move_array *moved,
                      size_t count);
iw_status iw_multisplit_by_keys(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const iw_move_array *moved,
                   size_t count, void *memory, uint64_t *offsets);
/* The same of at most IW_MULTISPLIT_TILE elements that are numbers, as many buckets as some bits tell apart, at most 8 of them, and
 * nothing else to move: by one launch, without memory. */
iw_status iw_multisplit_small(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const void *in, void *out,
                       uint64_t *offsets);

#endif
