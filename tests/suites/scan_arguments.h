/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of a scan or a reduction as one value, for suites that choose them at random.
 */
#ifndef TESTS_SCAN_ARGUMENTS_H
#define TESTS_SCAN_ARGUMENTS_H

#include <isowarp.h>
#include <isowarp/peers.h>

static inline iw_status scan_by(iw_context *context, int exclusive, iw_op op, iw_type type, const void *in, size_t n, void *out,
                                const iw_scan_options *options)
{
  return exclusive ? iw_exclusive_scan(context, op, type, in, n, out, options)
                   : iw_inclusive_scan(context, op, type, in, n, out, options);
}

typedef struct scan_arguments {
  iw_op op;
  iw_type in_type, type;
  int exclusive;
  const void *init;
  const iw_segments *segments;
} scan_arguments;
static inline iw_scan_options scan_options_of(const scan_arguments *a)
{
  return (iw_scan_options){ .size = sizeof(iw_scan_options), .init = a->init, .out_type = a->type, .segments = a->segments };
}
static inline iw_status scan_with(iw_context *context, const scan_arguments *a, const void *in, size_t n, void *out)
{
  const iw_scan_options options = scan_options_of(a);
  return scan_by(context, a->exclusive, a->op, a->in_type, in, n, out, &options);
}
static inline iw_status reduce_with(iw_context *context, const scan_arguments *a, const void *in, size_t n, void *results)
{
  const iw_scan_options options = scan_options_of(a);
  return iw_reduce(context, a->op, a->in_type, in, n, results, &options);
}
static inline iw_status reduce_by_key_with(iw_context *context, const scan_arguments *a, const void *in, size_t n, void *run_keys,
                                           void *results, size_t *count)
{
  iw_scan_options options = scan_options_of(a);
  options.run_keys = run_keys;
  options.run_count = count;
  return iw_reduce(context, a->op, a->in_type, in, n, results, &options);
}
static inline iw_status distributed_scan_with(iw_distributed *handle, const scan_arguments *a, const void *in, size_t n, void *out)
{
  const iw_scan_options options = scan_options_of(a);
  return a->exclusive ? iw_distributed_exclusive_scan(handle, a->op, a->in_type, in, n, out, &options)
                      : iw_distributed_inclusive_scan(handle, a->op, a->in_type, in, n, out, &options);
}
static inline iw_status distributed_reduce_with(iw_distributed *handle, const scan_arguments *a, const void *in, size_t n,
                                                void *results)
{
  const iw_scan_options options = scan_options_of(a);
  return iw_distributed_reduce(handle, a->op, a->in_type, in, n, results, &options);
}
/* total: the runs on all ranks. */
static inline iw_status distributed_reduce_by_key(iw_distributed *handle, const scan_arguments *a, const void *in, size_t n,
                                                  void *run_keys, void *results, size_t *count, uint64_t *total)
{
  iw_scan_options options = scan_options_of(a);
  uint64_t begin;
  options.run_keys = run_keys;
  options.run_count = count;
  const iw_status status = iw_distributed_reduce(handle, a->op, a->in_type, in, n, results, &options);
  return status == IW_OK ? iw_distributed_extent(handle, *count, &begin, total) : status;
}

#endif
