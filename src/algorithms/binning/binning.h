/* SPDX-License-Identifier: Apache-2.0
 *
 * Bins: their specs, their edges, and plans, which decide the bin of a sample. For histograms, and for
 * partition and multisplit by bins. Algorithms layer; not installed. Knows no counters.
 */
#ifndef IW_ALGORITHMS_BINNING_H
#define IW_ALGORITHMS_BINNING_H

#include "algorithms/binning/args.h"
#include "algorithms/common/kernel_ids.h"
#include "runtime/staging.h"

/* A plan's table on one device. */
typedef struct iw_device_table {
  struct iw_device_table *next;
  const iw_backend_ops *ops;
  int device_index;
  void *memory;
} iw_device_table;

/* A spec worked out on the host. It is immutable, except that a persistent plan adds its table to
 * device_tables on the first run on each device, in a list that only grows, so that any number of threads
 * may use the plan. */
struct iw_histogram_plan {
  iw_type type;
  iw_histogram_spec spec;       /* the pointers in it are not used */
  iw_binning binning;           /* edges and map are NULL: they depend on the device */
  void *edges;                  /* e(0) … e(bins-1) in the form that kernels read; NULL for a map */
  size_t edges_bytes, cells_at; /* of the edges and the table of cells behind them; where the table begins */
  int owns_edges;               /* 0: they are in a context's memory */
  uint32_t map[256];            /* samples of 1 byte: bin index; bins: below, bins + 1: above, or no bin */
  int persistent;               /* 0: serves one call, and its tables are in scratch */
  iw_device_table *device_tables;
  size_t sampled;               /* samples that iw_histogram_plan_make() looked at */
  double top_bin_share;         /* share of them in the most frequent bin */
};

/* Checks everything about a spec of elements of this type that does not depend on the data. */
iw_status iw_check_spec(iw_type type, const iw_histogram_spec *spec);
/* The same for a call whose type is the spec's, which it writes to *type. */
iw_status iw_check_spec_of_call(const iw_histogram_spec *spec, iw_type *type);
/* The spec that has policy, flags and number of bins: the plan's if the checked spec holds a plan. */
static inline const iw_histogram_spec *iw_spec_of(const iw_histogram_spec *spec)
{
  return spec->plan ? &spec->plan->spec : spec;
}
/* Whether the spec asks for the range of the data. */
int iw_spec_is_automatic(const iw_histogram_spec *spec);
/* Checks a caller's plan for elements of this type; with the names of both parameters. */
iw_status iw_check_plan(const char *plan_name, const iw_histogram_plan *plan, const char *type_name, iw_type type);

/* The least and the greatest of n samples, n > 0; if one is NaN both are. */
iw_status iw_find_value_range(iw_context *context, iw_type type, const void *samples, size_t n, iw_scalar_bits *least,
                              iw_scalar_bits *greatest);
/* Makes them the automatic range of n samples, n = 0 included. */
iw_status iw_automatic_range(iw_type type, size_t n, iw_scalar_bits *lo, iw_scalar_bits *hi);
/* Both, of checked samples. */
iw_status iw_find_automatic_range(iw_context *context, iw_type type, const void *samples, size_t n, iw_scalar_bits *lo,
                                  iw_scalar_bits *hi);

/* What the check of a spec said, with the name that the caller has for it in front, if that is not "spec".
 * IW_OK stays IW_OK. */
iw_status iw_fail_named(iw_status status, const char *name);

/* Makes the plan of a checked spec without an automatic range. Release it with iw_plan_release(). context:
 * NULL, or one whose memory holds the edges, which then serve until the context's next plan. n: the samples
 * that it will serve, or SIZE_MAX if that is not known; a plan for few samples is made faster and serves
 * more slowly. */
iw_status iw_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec, size_t n, iw_histogram_plan *plan);
/* Makes a plan without edges, for small n, and returns 1 if each bin is one integer; else returns 0. There is
 * nothing to release. Where bins are many and samples few, the edges take much longer than the count. */
int iw_plan_single_values(iw_type type, const iw_histogram_spec *spec, iw_histogram_plan *plan);
/* The plan of a call that takes specs: the spec's own, or one that is made for the call, as there is then. */
typedef struct iw_call_plan { const iw_histogram_plan *plan; iw_histogram_plan *made; } iw_call_plan;
/* Checks a spec, which has no automatic range, and sets *plan. name: of the spec, in front of what is said
 * of its members. Release it after a failure, too, if it was { NULL, NULL } before. */
iw_status iw_call_plan_make(const char *name, const iw_histogram_spec *spec, iw_call_plan *plan);
void iw_call_plan_release(iw_call_plan *plan);
/* Makes the plan of a checked spec for a call; an automatic range is that of the n samples. */
iw_status iw_plan_resolve(iw_context *context, iw_type type, const void *samples, size_t n, const iw_histogram_spec *spec,
                          iw_histogram_plan *plan);
void iw_plan_release(iw_histogram_plan *plan);

/* Fills in the binning that a kernel takes, with tables that the context's kernels can access. memory: the
 * bytes of scratch that iw_binning_scratch_bytes() says. */
size_t iw_binning_scratch_bytes(const iw_context *context, const iw_histogram_plan *plan);
iw_status iw_binning_upload(iw_context *context, const iw_histogram_plan *plan, void *memory, iw_binning *binning);

/* The outputs of a spec: its bins, and two more with policy COUNT. */
static inline size_t iw_outputs(const iw_histogram_spec *spec)
{
  return spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
}

/* Writes the bin index of each sample, of `bytes` bytes (1, 2 or 4). Indices above `last` become `last`;
 * then *clamped is set to 1, if clamped is not NULL. */
iw_status iw_compute_bin_indices(iw_context *context, iw_type type, const iw_binning *binning, const void *samples,
                                 size_t n, void *bin_indices, size_t bytes, uint32_t last, uint32_t *clamped);

#endif
