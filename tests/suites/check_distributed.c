/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, with ranks that are threads: every call has the bits of the call of one machine for
 * any number of ranks and any cut. Faults of one rank make all ranks return. A test that hangs is ended by
 * its time limit.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <config.h>
#include "allocator.h"
#include <isowarp.h>
#include <isowarp/threads.h>
#include "reference.h"

enum { MOST_RANKS = 16 };

/* ---- Cuts -------------------------------------------------------------------------------------------- */

enum { EVEN, RANDOM, WITH_EMPTY, ONE_ELEMENT, ON_GROUPS, NEAR_GROUPS, ONE_RANK, CUTS };

/* Sets begins[0 … ranks] for n elements. */
static void cut_array(int how, size_t n, unsigned ranks, size_t *begins)
{
  begins[0] = 0;
  for (unsigned r = 1; r < ranks; r++)
    switch (how) {
    case EVEN: begins[r] = begins[r - 1] + (size_t)iw_distributed_share(n, r - 1, ranks); break;
    case RANDOM: begins[r] = (size_t)random_below(n + 1); break;
    case WITH_EMPTY: begins[r] = r % 2 ? begins[r - 1] : (size_t)random_below(n + 1); break;
    case ONE_ELEMENT: begins[r] = r < n ? r : n; break;
    case ON_GROUPS: begins[r] = (size_t)random_below(n / GROUP + 1) * GROUP; break;
    case NEAR_GROUPS: begins[r] = (size_t)random_below(n / GROUP + 1) * GROUP + (size_t)random_below(3); break;
    default: begins[r] = r <= ranks / 2 ? 0 : n; break;
    }
  begins[ranks] = n;
  for (unsigned i = 1; i < ranks; i++) { /* ascending, and at most n */
    for (unsigned k = i; k > 1 && begins[k] < begins[k - 1]; k--) {
      const size_t swapped = begins[k];
      begins[k] = begins[k - 1];
      begins[k - 1] = swapped;
    }
  }
  for (unsigned r = 1; r < ranks; r++)
    begins[r] = begins[r] < n ? begins[r] : n;
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

enum { SCAN, REDUCE, ARG, SUM_EXACT, DOT_EXACT, MERGE, HISTOGRAM, WEIGHTED, RANGE, PARTITION, SELECT, MULTISPLIT, BALANCE, BY_KEY, ARG_RUNS,
       SCAN_RUNS, SORT };
/* The elements; or of payloads the permutation without them, values with them, and the permutation with the
 * elements as another payload. */
enum { ELEMENTS, INDICES, VALUES, BOTH, MOVES };

/* A call, and the outputs of one machine. Every rank has the same small outputs, and its part of the large
 * one. */
typedef struct call {
  int kind, variant;
  iw_op op;
  iw_type in_type, type;   /* of elements, and of outputs */
  int exclusive;
  const word *init;
  size_t n;
  const void *in;
  const void *weights;     /* of type `type` */
  const uint8_t *flags;    /* BY_KEY: of runs, or keys of u8 */
  iw_histogram_spec spec;
  const word *constant;
  iw_buckets buckets;
  int moves;               /* PARTITION, SELECT, MULTISPLIT: what `out` gets */
  unsigned char *expected, *out;           /* n * size bytes */
  unsigned char *small_expected, *small;   /* `small_bytes`, and of each rank */
  size_t size, small_bytes;
} call;

/* A rank's part of the arrays, in its memory. */
typedef struct part { size_t begin, n; const void *in, *weights; const uint8_t *flags; void *out, *small, *work; } part;

static iw_status make_plan(iw_context *c, const call *call, iw_histogram_plan **plan)
{
  return plan_of(c, call->in_type, &call->spec, NULL, 0, plan);
}

/* The part of this rank in an output of `all` elements, if it has the places of its input. */
static size_t share_of(const part *p, uint64_t all)
{
  return all < p->begin ? 0 : all - p->begin < p->n ? (size_t)(all - p->begin) : p->n;
}

/* The results of runs (variant 0), their results by flags (1), or their keys (2), which are balanced: then
 * they have known places. */
static iw_status reduce_runs(const call *k, iw_context *c, iw_distributed *d, const part *p)
{
  const iw_segments segments = k->variant == 1 ? by_flags(p->flags) : by_keys(IW_U8, p->flags);
  const scan_arguments spec = {
    .op = k->op, .in_type = k->in_type, .type = k->type, .init = k->init, .segments = &segments,
  };
  uint64_t *const total = p->small;
  size_t count = 0;
  void *const other = malloc(8 * p->n + 8), *const results = k->variant == 2 ? other : d ? p->work : p->out;
  void *const keys = k->variant == 1 ? NULL : k->variant == 0 ? other : d ? p->work : p->out;
  iw_status status = d ? distributed_reduce_by_key(d, &spec, p->in, p->n, keys, results, &count, total)
                       : reduce_by_key_with(c, &spec, p->in, p->n, keys, results, &count);
  if (!d)
    *total = count;
  else if (status == IW_OK)
    status = iw_distributed_balance(d, k->variant == 2 ? IW_U8 : k->type, p->work, count, p->out, share_of(p, *total));
  free(other);
  return status;
}

/* The first minima (variant 0) or maxima of runs: their indices, or from variant 4 on their values; by flags
 * from variant 2 on. */
static iw_status find_in_runs(const call *k, iw_context *c, iw_distributed *d, const part *p)
{
  const int is_max = k->variant % 2, has_flags = k->variant / 2 % 2, has_values = k->variant >= 4;
  const iw_segments segments = has_flags ? by_flags(p->flags) : by_keys(IW_U8, p->flags);
  uint64_t *const total = p->small, begin;
  size_t count = 0;
  void *const other = malloc(8 * p->n + 8), *const to = d ? p->work : p->out;
  const iw_scan_options o = { .size = sizeof o, .segments = &segments, .run_count = &count };
  void *const indices = has_values ? other : to, *const values = has_values ? to : k->variant ? NULL : other;
  iw_status status = d ? (is_max ? iw_distributed_argmax : iw_distributed_argmin)(d, k->in_type, p->in, p->n, indices, values, &o)
                       : (is_max ? iw_argmax : iw_argmin)(c, k->in_type, p->in, p->n, indices, values, &o);
  *total = count;
  if (d && status == IW_OK)
    status = iw_distributed_extent(d, count, &begin, total);
  if (d && status == IW_OK)
    status = iw_distributed_balance(d, has_values ? k->in_type : IW_U64, to, count, p->out, share_of(p, *total));
  free(other);
  return status;
}

/* A partition, a select or a multisplit with payloads. What is selected is balanced. */
static iw_status move_with_payloads(const call *k, iw_context *c, iw_distributed *d, const part *p, const iw_test *test)
{
  const int selects = k->kind == SELECT;
  void *const other = malloc(8 * p->n + 8), *const to = selects && d ? p->work : p->out;
  const iw_payload payloads[] = { payload_of(p->in, other, NULL, iw_type_size(k->in_type)),
                                  payload_of(k->moves == VALUES ? p->weights : NULL, to, NULL, k->size) };
  const iw_move_options o = { .size = sizeof o, .payloads = payloads + (k->moves != BOTH), .payload_count = 1 + (k->moves == BOTH) };
  void *const out = k->moves == VALUES ? other : NULL;
  iw_test memory;
  iw_buckets buckets;
  iw_histogram_spec spec;
  uint64_t *const counts = p->small;
  size_t kept = 0;
  iw_status status;
  if (k->kind == MULTISPLIT)
    status = d ? distributed_multisplit_of(d, k->in_type, &k->buckets, p->in, p->n, out, counts, &o)
               : iw_multisplit(c, typed_buckets(k->in_type, &k->buckets, &buckets, &spec), p->in, p->n, out, (size_t *)counts, &o);
  else if (!d)
    status = (selects ? iw_select_if : iw_partition)(c, typed_test(k->in_type, test, &memory, &spec), p->in, p->n, out, (size_t *)counts, &o);
  else if (selects)
    status = distributed_select_of(d, k->in_type, test, p->in, p->n, out, &kept, counts, &o);
  else
    status = distributed_partition_of(d, k->in_type, test, p->in, p->n, out, counts, &o);
  if (status == IW_OK && selects && d)
    status = iw_distributed_balance(d, k->size == 8 ? IW_U64 : IW_U32, to, kept, p->out, share_of(p, counts[0]));
  free(other);
  return status;
}

/* Sorts: elements (variant 0), in place and descending (2); global indices (1), by some bits (4); values of
 * 8 bytes, descending (3). */
static iw_status sort_part(const call *k, iw_context *c, iw_distributed *d, const part *p)
{
  const int by_bits = k->variant == 4, is_payload = k->variant % 2 || by_bits;
  const iw_sort_options o = { .size = sizeof o, .descending = k->variant == 2 || k->variant == 3, .begin_bit = by_bits, .end_bit = by_bits * 6 };
  const iw_payload payload = { .size = sizeof payload, .in = k->variant == 3 ? p->weights : NULL, .out = p->out, .width = k->size };
  const void *const in = k->variant == 2 ? p->out : p->in;
  iw_status status = k->variant == 2 ? iw_memory_copy(c, p->out, p->in, p->n * k->size) : IW_OK;
  if (status != IW_OK)
    return status;
  if (is_payload)
    return d ? distributed_sort_payloads(d, k->in_type, in, p->n, k->variant == 3 ? p->work : NULL, &payload, 1, &o)
             : sort_payloads(c, k->in_type, in, p->n, NULL, &payload, 1, &o);
  return d ? iw_distributed_sort(d, k->in_type, in, p->n, p->out, &o) : iw_sort(c, k->in_type, in, p->n, p->out, &o);
}

/* Makes the call on one machine (d NULL) or as a rank. small is in host memory. */
static iw_status make_call(const call *k, iw_context *c, iw_distributed *d, const part *p)
{
  const scan_arguments scan = {
    .op = k->op, .in_type = k->in_type, .type = k->type, .exclusive = k->exclusive, .init = k->init,
  };
  iw_test test = { .size = sizeof test, .compare = IW_LESS };
  test.constant = k->variant == 0 ? k->constant : NULL;
  test.flags = k->variant == 1 && p->n ? p->flags : NULL;
  test.bins = k->variant == 2 ? &k->spec : NULL;
  test.bin = 1;
  uint64_t *const counts = p->small;
  size_t kept = 0;
  iw_histogram_report report = { .size = sizeof report };
  iw_histogram_plan *plan = NULL;
  iw_status status = IW_OK;
  if (k->moves)
    return move_with_payloads(k, c, d, p, &test);
  switch (k->kind) {
  case SCAN:
    if (k->in_type == k->type && k->variant)
      return !d ? k->exclusive ? iw_exclusive_scan(c, k->op, k->type, p->in, p->n, p->out,
                                                   IW_OPTIONS(iw_scan_options, .init = k->init))
                               : iw_inclusive_scan(c, k->op, k->type, p->in, p->n, p->out,
                                                   IW_OPTIONS(iw_scan_options, .init = k->init))
        : k->exclusive ? iw_distributed_exclusive_scan(d, k->op, k->type, p->in, p->n, p->out,
                                                       IW_OPTIONS(iw_scan_options, .init = k->init))
                       : iw_distributed_inclusive_scan(d, k->op, k->type, p->in, p->n, p->out,
                                                       IW_OPTIONS(iw_scan_options, .init = k->init));
    return d ? distributed_scan_with(d, &scan, p->in, p->n, p->out) : scan_with(c, &scan, p->in, p->n, p->out);
  case REDUCE:
    if (k->in_type == k->type && k->variant)
      return d ? iw_distributed_reduce(d, k->op, k->type, p->in, p->n, p->small,
                                       IW_OPTIONS(iw_scan_options, .init = k->init))
               : iw_reduce(c, k->op, k->type, p->in, p->n, p->small, IW_OPTIONS(iw_scan_options, .init = k->init));
    return d ? distributed_reduce_with(d, &scan, p->in, p->n, p->small) : reduce_with(c, &scan, p->in, p->n, p->small);
  case ARG:
    return !d ? k->variant ? iw_argmax(c, k->in_type, p->in, p->n, &kept, counts + 1, NULL) : iw_argmin(c,
                                                                                                        k->in_type,
                                                                                                        p->in,
                                                                                                        p->n,
                                                                                                        &kept,
                                                                                                        counts + 1,
                                                                                                        NULL)
      : k->variant ? iw_distributed_argmax(d, k->in_type, p->in, p->n, counts, counts + 1, NULL)
                   : iw_distributed_argmin(d, k->in_type, p->in, p->n, counts, counts + 1, NULL);
  case SUM_EXACT:
    return d ? iw_distributed_sum_exact(d, k->in_type, p->in, p->n, k->type, p->small)
             : iw_sum_exact(c, k->in_type, p->in, p->n, k->type, p->small);
  case DOT_EXACT:
    return d ? iw_distributed_dot_exact(d, k->in_type, p->in, p->weights, p->n, k->type, p->small)
             : iw_dot_exact(c, k->in_type, p->in, p->weights, p->n, k->type, p->small);
  case MERGE:
    *(iw_exact_sum *)p->small = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
    status = iw_exact_sum_add(c, k->in_type, p->in, p->n, p->small);
    return status == IW_OK && d ? iw_distributed_exact_sums_merge(d, p->small, 1) : status;
  case HISTOGRAM: {
    iw_histogram_spec spec = k->spec;
    if (k->variant) {
      status = make_plan(c, k, &plan);
      spec = iw_spec_of_plan(plan);
    }
    if (status == IW_OK)
      status = d ? distributed_histogram_of(d, k->in_type, &spec, p->in, p->n, counts + 3, &report)
                 : histogram_of(c, k->in_type, &spec, p->in, p->n, counts + 3, &report);
    memcpy(counts, &report.underflow, 3 * sizeof *counts);
    iw_histogram_plan_free(plan);
    return status;
  }
  case WEIGHTED:
    status = make_plan(c, k, &plan);
    if (status == IW_OK)
      status = d ? distributed_weighted_histogram(d,
                                                     IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                                     p->in, k->type, p->weights, p->n, p->small)
                 : weighted_histogram(c,
                                         IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                         p->in, k->type, p->weights, p->n, p->small);
    iw_histogram_plan_free(plan);
    return status;
  case RANGE:
    return d ? iw_distributed_histogram_range(d, k->in_type, p->in, p->n, counts, counts + 1)
             : iw_histogram_range(c, k->in_type, p->in, 1, p->n, counts, counts + 1);
  case PARTITION:
    return d ? distributed_partition_of(d, k->in_type, &test, p->in, p->n, p->out, counts, NULL)
             : partition_of(c, k->in_type, &test, p->in, p->n, p->out, NULL, counts);
  case SELECT: /* balanced, so that the output has known places */
    if (!d)
      return select_of(c, k->in_type, &test, p->in, p->n, p->out, counts);
    status = distributed_select_of(d, k->in_type, &test, p->in, p->n, p->work, &kept, counts, NULL);
    return status != IW_OK ? status : iw_distributed_balance(d, k->in_type, p->work, kept, p->out,
                                                                       share_of(p, counts[0]));
  case MULTISPLIT:
    return d ? distributed_multisplit_of(d, k->in_type, &k->buckets, p->in, p->n, p->out, counts, NULL)
             : multisplit_of(c, k->in_type, &k->buckets, p->in, p->n, p->out, counts);
  case BY_KEY:
    return reduce_runs(k, c, d, p);
  case ARG_RUNS:
    return find_in_runs(k, c, d, p);
  case SORT:
    return sort_part(k, c, d, p);
  case SCAN_RUNS: {
    const iw_segments segments = k->variant % 2 ? by_flags(p->flags) : by_keys(IW_U8, p->flags);
    scan_arguments spec = scan;
    spec.segments = &segments;
    const int in_place = k->variant > 1; /* scan the copy that out is */
    if (in_place)
      status = iw_memory_copy(c, p->out, p->in, p->n * iw_type_size(k->type));
    if (status != IW_OK)
      return status;
    return d ? distributed_scan_with(d, &spec, in_place ? p->out : p->in, p->n, p->out)
             : scan_with(c, &spec, in_place ? p->out : p->in, p->n, p->out);
  }
  default:
    return d ? iw_distributed_balance(d, k->in_type, p->in, p->n, p->out, p->n) : iw_memory_copy(c, p->out, p->in, p->n * k->size);
  }
}

static void *new_bytes(size_t bytes)
{
  void *const made = aligned_alloc(64, (bytes + 127) / 64 * 64);
  ck_assert_ptr_nonnull(made);
  memset(made, 0, (bytes + 127) / 64 * 64);
  return made;
}

static iw_context *cpu_context(void)
{
  iw_context *c;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  ck_assert_msg(iw_context_open(&c, &o) == IW_OK, "%s", iw_message());
  return c;
}

/* Makes the call on one machine. */
static void expect(call *k, iw_context *c)
{
  const int moves = k->kind >= PARTITION;
  k->size = k->kind == BY_KEY && k->variant == 2 ? 1 : iw_type_size(k->kind == SCAN || k->kind == BY_KEY ? k->type : k->in_type);
  if (k->moves)
    k->size = k->moves == VALUES ? iw_type_size(k->type) : k->moves == INDICES ? 8 : 4;
  if (k->kind == ARG_RUNS)
    k->size = k->variant < 4 ? 8 : iw_type_size(k->in_type);
  if (k->kind == SORT)
    k->size = k->variant == 4 ? 4 : k->variant % 2 ? 8 : iw_type_size(k->in_type);
  k->small_bytes = (k->small_bytes + 63) / 64 * 64;
  k->expected = new_bytes(k->n * k->size);
  k->out = new_bytes(k->n * k->size);
  k->small_expected = new_bytes(k->small_bytes);
  k->small = new_bytes(k->small_bytes * MOST_RANKS);
  const part all = {
    .n = k->n, .in = k->in, .weights = k->weights, .flags = k->flags, .out = moves || k->kind == SCAN ? k->expected : NULL,
    .small = k->small_expected,
  };
  ck_assert_msg(make_call(k, c, NULL, &all) == IW_OK, "%s", iw_message());
  if (k->kind == ARG) { /* an index of one machine is a size_t */
    size_t index = 0;
    ck_assert((k->variant ? iw_argmax : iw_argmin)(c, k->in_type, k->in, k->n, &index, NULL, NULL) == IW_OK);
    ((uint64_t *)k->small_expected)[0] = index;
  }
}

static void release(call *k)
{
  free(k->expected);
  free(k->out);
  free(k->small_expected);
  free(k->small);
}

/* ---- Running ranks ----------------------------------------------------------------------------------- */

/* Calls that ranks make one after the other, all with the same cut for equal n. */
typedef struct calls {
  call *at;
  unsigned count, ranks;
  int cut;
  size_t (*begins)[MOST_RANKS + 1]; /* of each call */
  iw_backend backend;
  unsigned flags;                  /* of the peers */
} calls;

/* Peers that reach device memory only, as those of NCCL: host copies of what the threads exchange. */
typedef struct device_peers {
  iw_peers threads;
  iw_context *context;
  void *send, *receive;
  size_t sent_bytes;
  const part *host_arrays; /* of the current call, or NULL: they are in device memory */
} device_peers;
static iw_status copy_all(iw_context *c, void *to, const void *from, size_t bytes)
{
  return bytes ? iw_memory_copy(c, to, from, bytes) : IW_OK;
}
static size_t end_of(const size_t *bytes, const size_t *offsets, unsigned count)
{
  size_t end = 0;
  for (unsigned r = 0; r < count; r++) {
    const size_t here = (offsets ? offsets[r] : end) + bytes[r];
    end = bytes[r] && here > end ? here : end;
  }
  return end;
}
static iw_status device_gather(void *self, const void *send, void *receive, const size_t *bytes, void *stream)
{
  device_peers *const p = self;
  allocator_is_exempt++;
  const size_t all = end_of(bytes, NULL, p->threads.count);
  void *const own = new_bytes(bytes[p->threads.rank]), *const gathered = new_bytes(all);
  iw_status status = copy_all(p->context, own, send, bytes[p->threads.rank]);
  if (status == IW_OK)
    status = p->threads.all_gather(p->threads.self, own, gathered, bytes, stream);
  if (status == IW_OK)
    status = copy_all(p->context, receive, gathered, all);
  free(own);
  free(gathered);
  allocator_is_exempt--;
  return status;
}
static iw_status device_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  device_peers *const p = self;
  allocator_is_exempt++;
  uint64_t *const own = new_bytes(n * sizeof *own);
  iw_status status = copy_all(p->context, own, values, n * sizeof *own);
  if (status == IW_OK)
    status = p->threads.all_reduce_u64(p->threads.self, own, n, stream);
  if (status == IW_OK)
    status = copy_all(p->context, values, own, n * sizeof *own);
  free(own);
  allocator_is_exempt--;
  return status;
}
static iw_status device_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  device_peers *const p = self;
  allocator_is_exempt++;
  const unsigned all = x->messages * p->threads.count;
  char *const out = new_bytes(end_of(x->send_bytes, x->send_offsets, all)), *const in = new_bytes(end_of(x->receive_bytes, x->receive_offsets, all));
  iw_all_to_all on_host = *x;
  iw_status status = IW_OK;
  on_host.send = out;
  on_host.receive = in;
  for (unsigned k = 0; k < all && status == IW_OK; k++)
    status = copy_all(p->context, out + x->send_offsets[k], (const char *)x->send + x->send_offsets[k], x->send_bytes[k]);
  if (status == IW_OK)
    status = p->threads.all_to_all(p->threads.self, &on_host, stream);
  for (unsigned k = 0; k < all && status == IW_OK; k++)
    status = copy_all(p->context, (char *)x->receive + x->receive_offsets[k], in + x->receive_offsets[k], x->receive_bytes[k]);
  free(out);
  free(in);
  allocator_is_exempt--;
  return status;
}

static iw_peers peers_on_device(device_peers *device)
{
  iw_peers made = device->threads;
  made.self = device;
  made.flags = IW_PEERS_DEVICE;
  made.all_gather = device_gather;
  made.all_reduce_u64 = device_reduce;
  made.all_to_all = device_all_to_all;
  made.describe = NULL;
  return made;
}

/* Peers that send host memory and device memory by different ways, which do not meet: records go by the
 * threads' peers, and arrays in device memory by these functions. */
static iw_status split_gather(void *self, const void *send, void *receive, const size_t *bytes, void *stream)
{
  device_peers *const p = self;
  return p->threads.all_gather(p->threads.self, send, receive, bytes, stream);
}

static iw_status split_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  device_peers *const p = self;
  return p->threads.all_reduce_u64(p->threads.self, values, n, stream);
}

static iw_status split_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  const device_peers *const p = self;
  const part *const host = p->host_arrays;
  const unsigned all = x->messages * p->threads.count;
  if (host && ((x->send == host->in && end_of(x->send_bytes, x->send_offsets, all) > 0) ||
               (x->receive == host->out && end_of(x->receive_bytes, x->receive_offsets, all) > 0)))
    return IW_ERROR_INVALID; /* others send device memory */
  return device_all_to_all(self, x, stream);
}

/* This rank's part of a call; on a device in memory that is freed by free_part(). */
static iw_status part_of(const call *k, const size_t *begins, unsigned rank, iw_context *c, int on_device, part *p)
{
  const size_t begin = begins[rank], n = begins[rank + 1] - begin, in_size = iw_type_size(k->in_type), weight = iw_type_size(k->type);
  iw_status status = IW_OK;
  *p = (part){
    .begin = begin, .n = n, .in = (const char *)k->in + begin * in_size,
    .weights = k->weights ? (const char *)k->weights + begin * weight : NULL, .flags = k->flags ? k->flags + begin : NULL,
    .out = k->out + begin * k->size, .small = k->small + rank * k->small_bytes, .work = NULL,
  };
  if (!on_device) {
    p->work = malloc(n * 8 + 64);
    return IW_OK;
  }
  const struct { const void **at; size_t bytes; } inputs[] = {
    { &p->in, n * in_size }, { &p->weights, k->weights ? n * weight : 0 }, { (const void **)&p->flags, k->flags ? n : 0 },
  };
  for (unsigned i = 0; i < 3 && status == IW_OK; i++) {
    void *made = NULL;
    status = iw_memory_allocate(c, inputs[i].bytes, &made);
    if (status == IW_OK)
      status = copy_all(c, made, *inputs[i].at, inputs[i].bytes);
    if (inputs[i].bytes)
      *inputs[i].at = made;
  }
  if (status == IW_OK)
    status = iw_memory_allocate(c, n * k->size + 64, &p->out);
  return status == IW_OK ? iw_memory_allocate(c, n * 8 + 64, &p->work) : status;
}

static iw_status finish_part(const call *k, unsigned rank, const size_t *begins, iw_context *c, int on_device, part *p)
{
  if (!on_device) {
    free(p->work);
    return IW_OK;
  }
  const int moves = k->kind >= PARTITION || k->kind == SCAN; /* has an output of the parts' lengths */
  size_t n = p->n;
  if (k->kind == SELECT || k->kind == BY_KEY || k->kind == ARG_RUNS)
    n = share_of(p, *(const uint64_t *)p->small);
  const iw_status status = moves ? copy_all(c, k->out + begins[rank] * k->size, p->out, n * k->size) : IW_OK;
  iw_memory_free(c, p->out);
  iw_memory_free(c, p->work);
  return status;
}

static iw_status run_calls(const iw_peers *peers, void *job)
{
  const calls *const all = job;
  const int on_device = all->backend != IW_BACKEND_CPU;
  iw_context *c;
  iw_distributed *d;
  const iw_context_options o = { .size = sizeof o, .backend = all->backend, .threads = 1 + peers->rank % 2 };

  if (iw_context_open(&c, &o) != IW_OK)
    return IW_ERROR_UNAVAILABLE;
  device_peers device = { .threads = *peers, .context = c };
  iw_peers used = *peers;
  if (all->flags == IW_PEERS_DEVICE)
    used = peers_on_device(&device);
  else if (all->flags) {
    used.self = &device;
    used.flags = all->flags;
    used.all_gather = split_gather;
    used.all_reduce_u64 = split_reduce;
    used.all_to_all = split_all_to_all;
    used.describe = NULL;
  }
  iw_status status = iw_distributed_open(c, &used, &d);
  for (unsigned i = 0; i < all->count && status == IW_OK; i++) {
    part p;
    const int there = on_device && peers->rank % 3 != 2; /* some ranks have host arrays */
    status = part_of(&all->at[i], all->begins[i], peers->rank, c, there, &p);
    device.host_arrays = there ? NULL : &p;
    if (status == IW_OK)
      status = make_call(&all->at[i], c, d, &p);
    if (status == IW_OK)
      status = finish_part(&all->at[i], peers->rank, all->begins[i], c, there, &p);
  }
  iw_distributed_close(d);
  if (status == IW_OK)
    iw_context_close(c);
  return status;
}

/* Compares the outputs of all ranks with those of one machine. */
static void compare(const call *k, const calls *all)
{
  const char *const names[] = { "scan", "reduce", "arg", "sum exact", "dot exact", "merge", "histogram", "weighted", "range", "partition",
                                "select", "multisplit", "balance", "by key", "arg of runs", "scan of runs", "sort" };
  size_t n = k->kind == SCAN || k->kind >= PARTITION ? k->n : 0;
  if (k->kind == SELECT || k->kind == BY_KEY || k->kind == ARG_RUNS)
    n = (size_t)*(const uint64_t *)k->small_expected;
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(!memcmp(k->expected + i * k->size, k->out + i * k->size, k->size),
                  "%s, op %u, %s to %s, variant %d, n %zu, %u ranks, cut %d: element %zu differs; seed %" PRIu64, names[k->kind],
                  (unsigned)(uintptr_t)k->op, iw_type_name(k->in_type), iw_type_name(k->type), k->variant, k->n, all->ranks, all->cut, i,
                  test_seed());
  for (unsigned r = 0; r < all->ranks; r++)
    ck_assert_msg(!memcmp(k->small_expected, k->small + r * k->small_bytes, k->small_bytes),
                  "%s, op %u, %s to %s, variant %d, n %zu, %u ranks, cut %d: the results of rank %u differ; seed %" PRIu64, names[k->kind],
                  (unsigned)(uintptr_t)k->op, iw_type_name(k->in_type), iw_type_name(k->type), k->variant, k->n, all->ranks, all->cut, r,
                  test_seed());
  memset(k->out, 0xee, k->n * k->size);
  memset(k->small, 0, all->ranks * k->small_bytes);
}

/* Makes all calls with a number of ranks and a cut. */
static void run_ranks(call *at, unsigned count, unsigned ranks, int how, iw_backend backend, unsigned flags)
{
  size_t (*const begins)[MOST_RANKS + 1] = calloc(count, sizeof *begins);
  for (unsigned i = 0; i < count; i++)
    if (i && at[i].n == at[i - 1].n)
      memcpy(begins[i], begins[i - 1], sizeof begins[i]);
    else
      cut_array(how, at[i].n, ranks, begins[i]);
  calls all = { at, count, ranks, how, begins, backend, flags };
  ck_assert_msg(iw_threads_run(ranks, run_calls, &all) == IW_OK, "%u ranks, cut %d: %s", ranks, how, iw_message());
  for (unsigned i = 0; i < count; i++)
    compare(&at[i], &all);
  free(begins);
}

static const unsigned rank_counts[] = { 1, 2, 3, 5, 8, 16 };
enum { RANK_COUNTS = 6 };

/* All numbers of ranks and cuts. Each has one of `every` calls, others in turn: waiting threads take most
 * of the time. With ISOWARP_TEST_BRIEF a sixth of them, but every call has one number of ranks and cut. */
static void run_all_cuts(const call *at, unsigned count, unsigned every, unsigned turn)
{
  if (getenv("ISOWARP_TEST_BRIEF"))
    every = 6 * every < RANK_COUNTS * CUTS ? 6 * every : RANK_COUNTS * CUTS;
  call *const some = new_bytes(count * sizeof *some);
  for (unsigned k = 0; k < RANK_COUNTS; k++)
    for (int how = 0; how < CUTS; how++) {
      unsigned used = 0;
      for (unsigned i = turn++ % every; i < count; i += every)
        some[used++] = at[i];
      run_ranks(some, used, rank_counts[k], how, IW_BACKEND_CPU, 0);
    }
  free(some);
}

/* ---- Scan and reduce --------------------------------------------------------------------------------- */

/* Elements near 1 or of all sizes, so that products stay finite and sums depend on the order. */
static void *elements(iw_type type, size_t n, int for_products)
{
  void *const made = new_bytes(n * iw_type_size(type));
  for (size_t i = 0; i < n; i++) {
    word w = random_word(type, for_products ? UNIT : WIDE);
    if (for_products && type == IW_F32)
      w.f32 = 1 + (w.f32 - 0.5f) / 64;
    if (for_products && type == IW_F64)
      w.f64 = 1 + (w.f64 - 0.5) / 64;
    if (for_products && is_half(type))
      w.u16 = half_of(type, 1 + (random_unit() - 0.5) / 8);
    put(type, made, i, w);
  }
  return made;
}

/* The scans and reductions of a type. */
static unsigned add_scans(call *at, iw_op op, iw_type in_type, iw_type type, size_t n, const void *in, const word *init)
{
  unsigned count = 0;
  for (int form = 0; form < 4; form++)
    at[count++] = (call){ .kind = SCAN, .variant = form != 2, .op = op, .in_type = in_type, .type = type, .exclusive = form % 2,
                          .init = form / 2 ? init : NULL, .n = n, .in = in };
  for (int form = 0; form < 2; form++)
    at[count++] = (call){ .kind = REDUCE, .variant = form, .op = op, .in_type = in_type, .type = type, .init = form ? init : NULL, .n = n,
                          .in = in, .small_bytes = 8 };
  return count;
}

/* Types whose sums and products depend on the order, over several groups. */
static const struct { iw_type in, out; } ordered[] = {
  { IW_F32, IW_F32 }, { IW_F64, IW_F64 }, { IW_F16, IW_F16 }, { IW_BF16, IW_BF16 }, { IW_F16, IW_F32 }, { IW_BF16, IW_F32 }, { IW_F32, IW_F64 },
};
enum { ORDERED = sizeof ordered / sizeof *ordered };

START_TEST(order_1)
{
  static const size_t sizes[] = { 0, 1, 300, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP + 12345 };
  const iw_type in_type = ordered[_i].in, type = ordered[_i].out;
  const int brief = getenv("ISOWARP_TEST_BRIEF") != NULL;
  iw_context *const c = cpu_context();
  start_random(100 + (uint64_t)_i);
  call at[14 * 6];
  word inits[2];
  void *inputs[14];
  unsigned count = 0, used = 0;
  for (unsigned product = 0; product < 1u + (in_type == type); product++)
    for (unsigned s = brief ? 4 : 0; s < 7; s++) {
      inits[product] = random_word(type, UNIT);
      inputs[used] = elements(in_type, sizes[s], (int)product);
      count += add_scans(at + count, product ? IW_PRODUCT : IW_SUM, in_type, type, sizes[s], inputs[used++], &inits[product]);
    }
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_all_cuts(at, count, 5, (unsigned)_i);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  while (used)
    free(inputs[--used]);
  iw_context_close(c);
}
END_TEST

/* The other operations, and sums of integers. */
START_TEST(associative)
{
  static const size_t sizes[] = { 0, 1, 20, 5000 };
  const iw_type type = (iw_type)_i;
  iw_context *const c = cpu_context();
  start_random(200 + (uint64_t)_i);
  static call at[4 * (ALL_OPS + 3) * 8];
  void *inputs[4];
  word init;
  unsigned count = 0;
  for (unsigned s = 0; s < 4; s++) {
    inputs[s] = new_bytes(sizes[s] * iw_type_size(type));
    fill(type, inputs[s], sizes[s], SPECIAL);
    init = random_word(type, SPECIAL);
    for (unsigned o = 0; o < ALL_OPS; o++) {
      const iw_op op = op_at(o);
      if (!has_operation(op, type))
        continue;
      count += add_scans(at + count, op, type, type, sizes[s], inputs[s], &init);
    }
    static const iw_type wider[][2] = { { IW_U8, IW_U32 }, { IW_BOOL, IW_U64 }, { IW_I8, IW_I32 }, { IW_U16, IW_U64 }, { IW_I16, IW_I64 },
                                        { IW_I32, IW_I64 }, { IW_U32, IW_U64 } };
    for (unsigned w = 0; w < 7; w++)
      if (wider[w][0] == type)
        count += add_scans(at + count, IW_SUM, type, wider[w][1], sizes[s], inputs[s], NULL);
    for (int max = 0; max < 2; max++)
      at[count++] = (call){ .kind = ARG, .variant = max, .in_type = type, .type = type, .n = sizes[s], .in = inputs[s], .small_bytes = 16 };
    at[count++] = (call){ .kind = BALANCE, .in_type = type, .type = type, .n = sizes[s], .in = inputs[s] };
  }
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_all_cuts(at, count, 9, (unsigned)_i);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  for (unsigned s = 0; s < 4; s++)
    free(inputs[s]);
  iw_context_close(c);
}
END_TEST

/* ---- Exact sums, histograms, moves ------------------------------------------------------------------- */

enum { MOST_OUTPUTS = 300 };

/* The calls of exact sums, histograms, partition, select and multisplit of a type. */
typedef struct inputs { void *in, *weights[6]; uint8_t *flags; word lo, hi, constant; size_t bins; } inputs;
static const iw_type weight_types[6] = { IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64 };

static word number(iw_type type, double x)
{
  word w = { .u64 = (uint64_t)(int64_t)x };
  if (type == IW_F32)
    w.f32 = (float)x;
  if (type == IW_F64)
    w.f64 = x;
  if (is_half(type))
    w.u16 = half_of(type, x);
  return w;
}

static void make_inputs(iw_type type, size_t n, inputs *in)
{
  in->in = new_bytes(n * iw_type_size(type));
  for (size_t i = 0; i < n; i++)
    put(type, in->in, i, number(type, type == IW_BOOL ? (double)random_below(2) : (double)random_below(110)));
  in->flags = new_bytes(n);
  for (size_t i = 0; i < n; i++)
    in->flags[i] = random_below(3) == 0;
  for (unsigned w = 0; w < 6; w++) {
    in->weights[w] = new_bytes(n * 8);
    fill(weight_types[w], in->weights[w], n, WIDE);
  }
  in->bins = type == IW_BOOL ? 1 : 30;
  in->lo = number(type, type == IW_BOOL ? 0 : 7);
  in->hi = number(type, type == IW_BOOL ? 1 : 97);
  in->constant = number(type, type == IW_BOOL ? 1 : 40);
}

static void free_inputs(inputs *in)
{
  free(in->in);
  free(in->flags);
  for (unsigned w = 0; w < 6; w++)
    free(in->weights[w]);
}

static unsigned add_others(call *at, iw_type type, size_t n, const inputs *in)
{
  unsigned count = 0;
  const size_t bins = in->bins;
  const iw_histogram_spec even = { .size = sizeof even, .bins = bins, .lo = &in->lo, .hi = &in->hi };
  /* The range of few integers has few bins. */
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = type == IW_F32 || type == IW_F64 || n > 1000 ? bins : 1 };
  if (is_float(type)) {
    static const iw_type results[] = { IW_F64, IW_F32, IW_F16 };
    for (unsigned k = 0; k < 3; k++)
      at[count++] = (call){ .kind = SUM_EXACT, .in_type = type, .type = results[k], .n = n, .in = in->in, .small_bytes = 8 };
    at[count++] = (call){ .kind = MERGE, .in_type = type, .type = type, .n = n, .in = in->in, .small_bytes = sizeof(iw_exact_sum) };
    if (type == IW_F32)
      at[count++] = (call){ .kind = DOT_EXACT, .in_type = type, .type = type, .n = n, .in = in->in, .weights = in->weights[4], .small_bytes = 8 };
  }
  for (int variant = 0; variant < 5; variant++) {
    call *const k = &at[count++];
    *k = (call){ .kind = HISTOGRAM, .variant = variant == 3, .in_type = type, .type = type, .n = n, .in = in->in, .spec = even };
    if (variant == 1)
      k->spec = automatic;
    k->spec.policy = variant == 2 ? IW_POLICY_COUNT : variant == 3 ? IW_POLICY_CLAMP : IW_POLICY_DROP;
    k->spec.flags = variant >= 3 ? IW_HIST_ACCUMULATE : 0;
    k->spec.counter_width = variant == 4 ? 4 : 0;
    k->small_bytes = (3 + bins + 2) * 8;
  }
  for (unsigned w = 0; w < 6; w++) {
    at[count] = (call){ .kind = WEIGHTED, .in_type = type, .type = weight_types[w], .n = n, .in = in->in, .weights = in->weights[w],
                        .spec = even, .small_bytes = (bins + 2) * 8 };
    at[count].spec.flags = w % 2 ? IW_HIST_ACCUMULATE : 0;
    at[count++].spec.policy = w % 2 ? IW_POLICY_COUNT : IW_POLICY_DROP;
  }
  at[count++] = (call){ .kind = RANGE, .in_type = type, .type = type, .n = n, .in = in->in, .small_bytes = 16 };
  const unsigned first_moved = count;
  for (int kind = PARTITION; kind <= SELECT; kind++)
    for (int variant = 0; variant < 4; variant++) {
      call *const k = &at[count++];
      *k = (call){ .kind = kind, .variant = variant < 3 ? variant : 2, .in_type = type, .type = type, .n = n, .in = in->in, .flags = in->flags,
                   .constant = &in->constant, .spec = variant < 3 ? even : automatic, .small_bytes = 8 };
      if (variant >= 2 && k->spec.bins == 1)
        count--;
    }
  for (int variant = 0; variant < 4; variant++) {
    call *const k = &at[count++];
    *k = (call){ .kind = MULTISPLIT, .in_type = type, .type = type, .n = n, .in = in->in, .spec = variant == 0 ? even : automatic,
                 .small_bytes = (MOST_OUTPUTS + 1) * 8 };
    k->buckets = (iw_buckets){ .size = sizeof k->buckets, .pivot = variant == 2 ? &in->constant : NULL };
    if (variant < 2)
      k->buckets.bins = &k->spec;
    if (variant == 3)
      k->buckets.bits = 3;
  }
  /* The same with payloads: each kind of test and of buckets, with one kind of them. */
  const unsigned end = count;
  for (unsigned i = first_moved; i < end; i++) {
    at[count] = at[i];
    at[count].type = i % 2 ? IW_U32 : IW_I64;
    at[count].weights = in->weights[i % 2 ? 1 : 2];
    at[count].moves = 1 + (int)(i % (MOVES - 1));
    if (at[count].buckets.bins)
      at[count].buckets.bins = &at[count].spec;
    count++;
  }
  return count;
}

START_TEST(others)
{
  static const size_t sizes[] = { 0, 1, 15, 4000 };
  const iw_type type = (iw_type)_i;
  iw_context *const c = cpu_context();
  start_random(300 + (uint64_t)_i);
  static call at[4 * 64];
  inputs in[4];
  unsigned count = 0;
  for (unsigned s = 0; s < 4; s++) {
    make_inputs(type, sizes[s], &in[s]);
    count += add_others(at + count, type, sizes[s], &in[s]);
  }
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_all_cuts(at, count, 9, (unsigned)_i);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  for (unsigned s = 0; s < 4; s++)
    free_inputs(&in[s]);
  iw_context_close(c);
}
END_TEST

/* ---- Sorts ------------------------------------------------------------------------------------------- */

static unsigned add_sorts(call *at, iw_type type, size_t n, const void *in, const void *values)
{
  unsigned count = 0;
  for (int variant = 0; variant < (is_float(type) ? 4 : 5); variant++)
    at[count++] = (call){ .kind = SORT, .variant = variant, .in_type = type, .type = IW_U64, .n = n, .in = in, .weights = values };
  return count;
}

/* Elements of all values, few values, one value, and sorted the other way round. */
START_TEST(sorts)
{
  enum { N = 3000, SIZES = 4, FORMS = 4 };
  static const size_t sizes[SIZES] = { N, 0, 1, 23 };
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  iw_context *const c = cpu_context();
  start_random(500 + (uint64_t)_i);
  static call at[SIZES * FORMS * 5];
  char *ins[FORMS];
  uint64_t *const values = new_bytes(N * sizeof *values);
  unsigned count = 0;
  fill(IW_U64, values, N, WIDE);
  for (int form = 0; form < FORMS; form++) {
    ins[form] = new_bytes(N * size);
    fill(type, ins[form], N, form == 1 ? TINY : SPECIAL);
    for (size_t i = 0; i < N && form == 2; i++)
      put(type, ins[form], i, number(type, 1));
    if (form == 3)
      ck_assert(iw_sort(c, type, ins[form], N, ins[form], &(iw_sort_options){ .size = sizeof(iw_sort_options), .descending = 1 }) == IW_OK);
    for (int s = 0; s < SIZES; s++)
      count += add_sorts(at + count, type, sizes[s], ins[form], values);
  }
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_all_cuts(at, count, 9, (unsigned)_i);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  for (int form = 0; form < FORMS; form++)
    free(ins[form]);
  free(values);
  iw_context_close(c);
}
END_TEST

/* ---- Runs -------------------------------------------------------------------------------------------- */

/* Flags or keys of runs whose lengths are about `mean` on average; 0: one run. */
static uint8_t *runs_of(size_t n, size_t mean)
{
  uint8_t *const made = new_bytes(n), key = 1;
  for (size_t i = 0; i < n; i++)
    made[i] = mean && random_below(mean) == 0 ? key ^= 3 : 0;
  return made;
}
static uint8_t *keys_of(const uint8_t *flags, size_t n)
{
  uint8_t *const made = new_bytes(n), key = 0;
  for (size_t i = 0; i < n; i++)
    made[i] = flags[i] ? ++key : key;
  return made;
}

/* Runs that cross ranks: short ones, some of several groups, and one of all elements. */
START_TEST(runs)
{
  static const struct { size_t n, mean; } shapes[] = { { 0, 1 }, { 1, 1 }, { 40, 3 }, { 3000, 40 }, { 3000, 0 }, { 3 * GROUP + 999, 60000 },
                                                       { 2 * GROUP + 9, 0 } };
  static const struct { iw_op op; iw_type in, out; } kinds[] = {
    { IW_SUM, IW_F32, IW_F32 }, { IW_SUM, IW_F64, IW_F64 }, { IW_SUM, IW_BF16, IW_BF16 }, { IW_SUM, IW_F16, IW_F32 },
    { IW_SUM, IW_I32, IW_I64 }, { IW_MIN, IW_F32, IW_F32 }, { IW_MAX, IW_I8, IW_I8 }, { IW_SUM, IW_U16, IW_U16 },
    { IW_PRODUCT, IW_F32, IW_F32 }, { IW_XOR, IW_U32, IW_U32 },
  };
  enum { SHAPES_OF_RUNS = 7 };
  iw_context *const c = cpu_context();
  start_random(350 + (uint64_t)_i);
  call at[SHAPES_OF_RUNS * 22];
  void *inputs[3 * SHAPES_OF_RUNS];
  word init = random_word(kinds[_i].out, UNIT);
  unsigned count = 0;
  for (unsigned s = 0; s < SHAPES_OF_RUNS; s++) {
    const size_t n = shapes[s].n;
    void *const in = inputs[3 * s] = elements(kinds[_i].in, n, kinds[_i].op == IW_PRODUCT);
    uint8_t *const flags = inputs[3 * s + 1] = runs_of(n, shapes[s].mean), *const keys = inputs[3 * s + 2] = keys_of(flags, n);
    for (int variant = 0; variant < 3; variant++)
      for (int with_init = 0; with_init < 2; with_init++)
        at[count++] = (call){ .kind = BY_KEY, .variant = variant, .op = kinds[_i].op, .in_type = kinds[_i].in, .type = kinds[_i].out,
                              .init = with_init ? &init : NULL, .n = n, .in = in, .flags = variant == 1 ? flags : keys, .small_bytes = 8 };
    for (int variant = 0; variant < 8 && kinds[_i].op == IW_MIN; variant++)
      at[count++] = (call){ .kind = ARG_RUNS, .variant = variant, .in_type = kinds[_i].in, .type = kinds[_i].in, .n = n, .in = in,
                            .flags = variant / 2 % 2 ? flags : keys, .small_bytes = 8 };
    for (int variant = 0; variant < 4 && kinds[_i].in == kinds[_i].out && op_index(kinds[_i].op) < SEGMENT_OPS; variant++)
      for (int with_init = 0; with_init < 2; with_init++)
        at[count++] = (call){ .kind = SCAN_RUNS, .variant = variant, .op = kinds[_i].op, .in_type = kinds[_i].in, .type = kinds[_i].out,
                              .exclusive = (variant / 2 + with_init) % 2, .init = with_init ? &init : NULL, .n = n, .in = in,
                              .flags = variant % 2 ? flags : keys };
  }
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_all_cuts(at, count, 7, (unsigned)_i);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  for (unsigned i = 0; i < 3 * SHAPES_OF_RUNS; i++)
    free(inputs[i]);
  iw_context_close(c);
}
END_TEST

/* ---- Devices ----------------------------------------------------------------------------------------- */

/* On simulated GPUs: peers that reach host memory only, device memory only, and both. */
START_TEST(devices)
{
  static const unsigned flags_of_peers[] = { 0, IW_PEERS_DEVICE, IW_PEERS_HOST | IW_PEERS_DEVICE };
  static call at[256];
  enum { N = GROUP + 700, FEW = 3000, LONG = 40000 }; /* of 8-byte keys a rank has more than one tile */
  iw_context *const c = cpu_context();
  start_random(400);
  unsigned count = 0;
  word init = random_word(IW_F32, UNIT);
  void *const floats = elements(IW_F32, N, 0);
  count += add_scans(at, IW_SUM, IW_F32, IW_F32, N, floats, &init);
  inputs in;
  make_inputs(IW_F32, FEW, &in);
  count += add_others(at + count, IW_F32, FEW, &in);
  count += add_scans(at + count, IW_MAX, IW_F32, IW_F32, FEW, floats, &init);
  uint8_t *const flags = runs_of(N, 700), *const keys = keys_of(flags, N);
  for (int variant = 0; variant < 3; variant++)
    at[count++] = (call){ .kind = BY_KEY, .variant = variant, .op = IW_SUM, .in_type = IW_F32, .type = IW_F32, .init = &init, .n = FEW,
                          .in = floats, .flags = variant == 1 ? flags : keys, .small_bytes = 8 };
  for (int variant = 0; variant < 8; variant += 3)
    at[count++] = (call){ .kind = ARG_RUNS, .variant = variant, .in_type = IW_F32, .type = IW_F32, .n = FEW, .in = floats,
                          .flags = variant / 2 % 2 ? flags : keys, .small_bytes = 8 };
  for (int variant = 0; variant < 4; variant++)
    at[count++] = (call){ .kind = SCAN_RUNS, .variant = variant, .op = IW_SUM, .in_type = IW_F32, .type = IW_F32, .exclusive = variant == 2,
                          .n = variant ? FEW : N, .in = floats, .flags = variant % 2 ? flags : keys };
  count += add_sorts(at + count, IW_F32, FEW, floats, in.weights[0]);
  uint64_t *const longs = new_bytes(LONG * sizeof *longs);
  for (size_t i = 0; i < LONG; i++)
    longs[i] = random_bits();
  count += add_sorts(at + count, IW_U64, LONG, longs, longs);
  for (unsigned i = 0; i < count; i++)
    expect(&at[i], c);
  run_ranks(at, count, 3, RANDOM, IW_BACKEND_SIM, flags_of_peers[_i]);
  run_ranks(at + 6, count - 10, 5, WITH_EMPTY, IW_BACKEND_SIM, flags_of_peers[_i]);
  for (unsigned i = 0; i < count; i++)
    release(&at[i]);
  free(longs);
  free(floats);
  free(flags);
  free(keys);
  free_inputs(&in);
  iw_context_close(c);
}
END_TEST

/* ---- Piece by piece ---------------------------------------------------------------------------------- */

/* Parts of a piece and a bit, of two pieces, and of few elements. */
enum { PIECE_BYTES = 1 << 25, PIECE_N = PIECE_BYTES / 8, PIECE_RANKS = 3, PIECES_N = 3 * PIECE_N + 8 };
static const size_t piece_begins[PIECE_RANKS + 1] = { 0, PIECE_N + 7, PIECES_N - 3, PIECES_N };
enum { BY_FLAGS, BY_BUCKETS, BY_MANY_BUCKETS, BY_ORDER, FLAGS_TO_INDICES, BUCKETS_TO_INDICES, SPLITS };
enum { KEY_BIT = 40, KEYS = 5 };
typedef struct in_pieces { int how; const uint64_t *in; const uint8_t *flags; uint64_t *out, count[PIECE_RANKS]; } in_pieces;

static iw_status pieces_main(const iw_peers *peers, void *job)
{
  in_pieces *const p = job;
  const size_t begin = piece_begins[peers->rank], n = piece_begins[peers->rank + 1] - begin;
  const iw_test test = { .size = sizeof test, .flags = p->flags + begin };
  const iw_buckets buckets = { .size = sizeof buckets, .bit = KEY_BIT, .bits = p->how == BY_MANY_BUCKETS ? 7 : 3 };
  const iw_payload permutation = payload_of(NULL, p->out + begin, NULL, 8);
  const iw_move_options o = { .size = sizeof o, .payloads = &permutation, .payload_count = 1 };
  const int to_indices = p->how >= FLAGS_TO_INDICES;
  uint64_t offsets[129], *const out = to_indices ? NULL : p->out + begin;
  iw_context *const c = cpu_context();
  iw_distributed *d;
  iw_status status = iw_distributed_open(c, peers, &d);
  if (status != IW_OK)
    return status;
  switch (p->how) {
  case BY_FLAGS: case FLAGS_TO_INDICES:
    status = distributed_partition_of(d, IW_U64, &test, to_indices ? NULL : p->in + begin, n, out, &p->count[peers->rank],
                                      to_indices ? &o : NULL);
    break;
  case BY_ORDER: status = iw_distributed_sort(d, IW_U64, p->in + begin, n, p->out + begin, NULL); break;
  default:
    status = distributed_multisplit_of(d, IW_U64, &buckets, p->in + begin, n, out, offsets, to_indices ? &o : NULL);
    p->count[peers->rank] = offsets[1];
    if (offsets[0] != 0 || offsets[KEYS] != PIECES_N)
      status = status == IW_OK ? IW_ERROR_MISMATCH : status;
  }
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

/* What all ranks need beyond the arrays: a piece for each of two ranks, or with many buckets and in a sort
 * the elements of the parts. */
START_TEST(pieces)
{
  if (getenv("ISOWARP_TEST_BRIEF"))
    return;
  static const long most[SPLITS] = { 2L * PIECE_BYTES, 2L * PIECE_BYTES, 8L * PIECES_N, 8L * PIECES_N, 2L * PIECE_BYTES, 4L * PIECE_BYTES };
  const int is_by_flags = _i == BY_FLAGS || _i == FLAGS_TO_INDICES;
  uint64_t *const in = new_bytes(PIECES_N * sizeof *in), *const expected = new_bytes(PIECES_N * sizeof *in);
  uint8_t *const flags = new_bytes(PIECES_N);
  in_pieces p = { .how = _i, .in = in, .flags = flags, .out = new_bytes(PIECES_N * sizeof *in) };
  size_t counts[KEYS] = { 0 }, to[KEYS] = { 0 };
  start_random(700);
  for (size_t i = 0; i < PIECES_N; i++) {
    const uint64_t key = random_below(KEYS) * random_below(2); /* most often 0 */
    in[i] = key << KEY_BIT | i; /* the elements ascend in each bucket, so a sort has the same output */
    flags[i] = key == 0;
    counts[key]++;
  }
  if (is_by_flags) { /* two sides */
    to[1] = counts[0];
    for (unsigned k = 1; k < KEYS; k++)
      to[k] = to[1];
  } else
    for (unsigned k = 1; k < KEYS; k++)
      to[k] = to[k - 1] + counts[k - 1];
  for (size_t i = 0; i < PIECES_N; i++)
    expected[to[is_by_flags ? !flags[i] : in[i] >> KEY_BIT]++] = _i >= FLAGS_TO_INDICES ? i : in[i];
  const long before = allocator.bytes;
  allocator.most_bytes = before;
  ck_assert_msg(iw_threads_run(PIECE_RANKS, pieces_main, &p) == IW_OK, "%s", iw_message());
  ck_assert_int_le(allocator.most_bytes - before, most[_i] + most[_i] / 8);
  for (unsigned r = 0; r < PIECE_RANKS && _i != BY_ORDER; r++)
    ck_assert_uint_eq(p.count[r], counts[0]);
  ck_assert_msg(!memcmp(p.out, expected, PIECES_N * sizeof *in), "seed %" PRIu64, test_seed());
  free(in);
  free(expected);
  free(flags);
  free(p.out);
}
END_TEST

/* Pieces in device memory, of which the next one is split into another buffer while one is sent: parts of
 * three pieces and a bit, of one, and of none. */
enum { DEVICE_PIECE_N = PIECE_BYTES / 2 / 2 / 4, DEVICE_PIECES_N = 4 * DEVICE_PIECE_N + 8 };
static const size_t device_piece_begins[PIECE_RANKS + 1] = { 0, 3 * DEVICE_PIECE_N + 1000, DEVICE_PIECES_N, DEVICE_PIECES_N };
typedef struct on_device { const uint32_t *in; uint32_t *out; int splits; } on_device;

static iw_status device_pieces_main(const iw_peers *threads, void *job)
{
  on_device *const p = job;
  const size_t begin = device_piece_begins[threads->rank], n = device_piece_begins[threads->rank + 1] - begin;
  const uint32_t pivot = 3;
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = &pivot };
  const iw_buckets buckets = { .size = sizeof buckets, .bits = 3 };
  uint64_t count, offsets[9];
  iw_context *c;
  iw_distributed *d = NULL;
  void *in = NULL, *out = NULL;
  iw_status status = iw_context_open(&c, &(iw_context_options){ .size = sizeof(iw_context_options), .backend = IW_BACKEND_SIM });
  if (status != IW_OK)
    return status;
  device_peers device = { .threads = *threads, .context = c };
  const iw_peers peers = peers_on_device(&device);
  status = iw_distributed_open(c, &peers, &d);
  if (status == IW_OK)
    status = iw_memory_allocate(c, 4 * n, &in);
  if (status == IW_OK)
    status = iw_memory_allocate(c, 4 * n, &out);
  if (status == IW_OK)
    status = iw_memory_copy(c, in, p->in + begin, 4 * n);
  if (status == IW_OK)
    status = p->splits ? distributed_multisplit_of(d, IW_U32, &buckets, in, n, out, offsets, NULL)
                       : distributed_partition_of(d, IW_U32, &test, in, n, out, &count, NULL);
  if (status == IW_OK)
    status = iw_memory_copy(c, p->out + begin, out, 4 * n);
  iw_memory_free(c, in);
  iw_memory_free(c, out);
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

START_TEST(device_pieces)
{
  if (getenv("ISOWARP_TEST_BRIEF") || getenv("ISOWARP_TEST_NO_SIM"))
    return;
  uint32_t *const in = new_bytes(DEVICE_PIECES_N * sizeof *in), *const expected = new_bytes(DEVICE_PIECES_N * sizeof *in);
  on_device p = { .in = in, .out = new_bytes(DEVICE_PIECES_N * sizeof *in), .splits = _i };
  size_t at = 0;
  start_random(701);
  for (size_t i = 0; i < DEVICE_PIECES_N; i++)
    in[i] = (uint32_t)(random_below(8) * random_below(2) + 8 * i); /* in the low bits most often 0 */
  for (unsigned side = 0; side < 8; side++)
    for (size_t i = 0; i < DEVICE_PIECES_N; i++)
      if (_i ? in[i] % 8 == side : side < 2 && (in[i] < 3) == (side == 0))
        expected[at++] = in[i];
  ck_assert_msg(iw_threads_run(PIECE_RANKS, device_pieces_main, &p) == IW_OK, "%s", iw_message());
  ck_assert_msg(!memcmp(p.out, expected, DEVICE_PIECES_N * sizeof *in), "seed %" PRIu64, test_seed());
  free(in);
  free(expected);
  free(p.out);
}
END_TEST

/* ---- Long runs --------------------------------------------------------------------------------------- */

/* Heads of rank 1's part at the limits of the windows in which they are looked for, from its begin and from
 * its end; the run of its first element begins on rank 0. */
enum { WINDOW = 1 << 14, LONG_N = 9 * WINDOW + 5, SHORT_N = 3 };
static const size_t long_heads[] = { 0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW - 1, 3 * WINDOW, 3 * WINDOW + 1, LONG_N - 3 * WINDOW - 1,
                                     LONG_N - 3 * WINDOW, LONG_N - WINDOW - 1, LONG_N - WINDOW, LONG_N - 1 };
typedef struct long_runs { size_t first, last; int by_flags; uint64_t sums[2][4]; size_t counts[2]; } long_runs;

static iw_status long_runs_main(const iw_peers *peers, void *job)
{
  long_runs *const p = job;
  const unsigned me = peers->rank;
  const size_t n = me ? LONG_N : SHORT_N;
  uint32_t *const keys = new_bytes(n * sizeof *keys);
  uint64_t *const ones = new_bytes(n * sizeof *ones), *const sums = new_bytes(n * sizeof *sums);
  uint8_t *const flags = new_bytes(n);
  for (size_t i = 0; i < n; i++) {
    flags[i] = me ? i == p->first || i == p->last : i == 0;
    keys[i] = me ? 7u + (p->first && i >= p->first) + (p->last && i >= p->last) : 7;
    ones[i] = 1;
  }
  iw_context *const c = cpu_context();
  iw_distributed *d;
  iw_status status = iw_distributed_open(c, peers, &d);
  iw_segments segments = { .size = sizeof segments, .kind = p->by_flags ? IW_SEGMENTS_FLAGS : IW_SEGMENTS_KEYS };
  if (p->by_flags)
    segments.flags = flags;
  else {
    segments.keys = keys;
    segments.key_type = IW_U32;
  }
  size_t count = n;
  const iw_scan_options o = { .size = sizeof o, .segments = &segments, .run_count = &count };
  if (status == IW_OK)
    status = iw_distributed_reduce(d, IW_SUM, IW_U64, ones, n, sums, &o);
  p->counts[me] = count;
  for (size_t i = 0; i < count && i < 4 && status == IW_OK; i++)
    p->sums[me][i] = sums[i];
  iw_distributed_close(d);
  iw_context_close(c);
  free(keys);
  free(ones);
  free(sums);
  free(flags);
  return status;
}

START_TEST(long_runs_of_ranks)
{
  enum { PLACES = sizeof long_heads / sizeof *long_heads };
  for (size_t a = 0; a < PLACES; a++)
    for (size_t b = a; b < PLACES; b++) {
      /* By keys a head at 0 is none: the key is that of rank 0. */
      long_runs p = { .first = long_heads[a], .last = long_heads[b], .by_flags = _i };
      const size_t heads[2] = { p.first, p.last };
      uint64_t expected[2] = { 0, 0 }, enters = LONG_N;
      size_t count = 0;
      for (size_t k = 0; k < 2; k++)
        if ((_i || heads[k]) && (k == 0 || heads[k] != heads[0])) {
          if (count == 0)
            enters = heads[k];
          else
            expected[0] = heads[1] - heads[0];
          expected[count++] = LONG_N - heads[k];
        }
      ck_assert_msg(iw_threads_run(2, long_runs_main, &p) == IW_OK, "%s", iw_message());
      ck_assert_uint_eq(p.counts[0], 1);
      ck_assert_uint_eq(p.sums[0][0], SHORT_N + enters);
      ck_assert_uint_eq(p.counts[1], count);
      for (size_t k = 0; k < count; k++)
        ck_assert_uint_eq(p.sums[1][k], expected[k]);
    }
}
END_TEST

/* ---- Random calls ------------------------------------------------------------------------------------ */

enum { RANDOM_CASES = 150, RANDOM_CALLS = 16, MOST_RANDOM = 512 };

/* Bins and constants of any size. */
static void make_random_inputs(iw_type type, size_t n, inputs *in)
{
  make_inputs(type, n, in);
  if (type == IW_BOOL)
    return;
  const uint64_t lo = random_below(60), width = 1 + random_below(60);
  in->lo = number(type, (double)lo);
  in->hi = number(type, (double)(lo + width));
  in->bins = 1 + (size_t)random_below(type == IW_F32 || type == IW_F64 ? MOST_OUTPUTS - 2 : width);
  in->constant = number(type, (double)random_below(120));
}

/* All calls that there are for these elements. wide: of all values; near_1: for products; keys: of runs. */
static unsigned add_all(call *at, iw_type type, size_t n, const inputs *in, void *const wide, void *const near_1, const word *init,
                        const uint8_t *flags, const uint8_t *keys)
{
  unsigned count = add_others(at, type, n, in);
  count += add_sorts(at + count, type, n, random_below(2) ? in->in : wide, in->weights[0]);
  at[count++] = (call){ .kind = BALANCE, .in_type = type, .type = type, .n = n, .in = wide };
  for (int max = 0; max < 2; max++)
    at[count++] = (call){ .kind = ARG, .variant = max, .in_type = type, .type = type, .n = n, .in = wide, .small_bytes = 16 };
  for (int variant = 0; variant < 8; variant++)
    at[count++] = (call){ .kind = ARG_RUNS, .variant = variant, .in_type = type, .type = type, .n = n, .in = variant % 3 ? wide : in->in,
                          .flags = variant / 2 % 2 ? flags : keys, .small_bytes = 8 };
  for (unsigned o = 0; o < ALL_OPS; o++) {
    const iw_op op = op_at(o);
    if (!has_operation(op, type))
      continue;
    const void *const values = op == IW_PRODUCT ? near_1 : wide;
    count += add_scans(at + count, op, type, type, n, values, init);
    for (int variant = 0; variant < 4 && o < SEGMENT_OPS; variant++)
      at[count++] = (call){ .kind = variant < 3 ? BY_KEY : SCAN_RUNS, .variant = variant % 3, .op = op, .in_type = type, .type = type,
                            .init = random_below(2) ? init : NULL, .exclusive = (int)random_below(2), .n = n, .in = values,
                            .flags = variant == 1 ? flags : keys, .small_bytes = 8 };
  }
  for (unsigned k = 0; k < ORDERED; k++)
    if (ordered[k].in == type && ordered[k].out != type)
      count += add_scans(at + count, IW_SUM, type, ordered[k].out, n, wide, NULL);
  return count;
}

/* Some of all calls, of a type, a size, a number of ranks and a cut that are random; one in six on
 * simulated devices. */
START_TEST(random_calls)
{
  static call all[MOST_RANDOM];
  start_random(1000 + (uint64_t)_i);
  iw_context *const c = cpu_context();
  const int on_device = random_below(6) == 0 && !is_machine_only();
  const iw_type type = (iw_type)(IW_U8 + random_below(IW_BF16));
  const size_t n = random_size(on_device ? 2000 : random_below(4) ? 6000 : 3 * GROUP);
  const word init = random_word(type, UNIT);
  inputs in;
  make_random_inputs(type, n, &in);
  void *const wide = elements(type, n, 0), *const near_1 = elements(type, n, 1);
  uint8_t *const flags = runs_of(n, 1 + random_size(n)), *const keys = keys_of(flags, n);
  const unsigned count = add_all(all, type, n, &in, wide, near_1, &init, flags, keys);
  ck_assert_uint_le(count, MOST_RANDOM);
  call at[RANDOM_CALLS];
  for (unsigned i = 0; i < RANDOM_CALLS; i++) {
    at[i] = all[random_below(count)];
    expect(&at[i], c);
  }
  static const unsigned flags_of_peers[] = { 0, IW_PEERS_DEVICE, IW_PEERS_HOST | IW_PEERS_DEVICE };
  run_ranks(at, RANDOM_CALLS, 1 + (unsigned)random_below(on_device ? 4 : MOST_RANKS), (int)random_below(CUTS),
            on_device ? IW_BACKEND_SIM : IW_BACKEND_CPU, on_device ? flags_of_peers[random_below(3)] : 0);
  for (unsigned i = 0; i < RANDOM_CALLS; i++)
    release(&at[i]);
  free(wide);
  free(near_1);
  free(flags);
  free(keys);
  free_inputs(&in);
  iw_context_close(c);
}
END_TEST

/* ---- Faults ------------------------------------------------------------------------------------------ */

enum { FAULT_RANKS = 4, FAULT_N = 500 };

/* What a rank does in a test of faults, and what came of it. */
typedef struct faults {
  int which;                   /* the fault */
  unsigned rank;               /* the rank that has it */
  iw_status status[FAULT_RANKS], after[FAULT_RANKS];
  char message[FAULT_RANKS][512];
  uint32_t refused;
  int is_over;
  int on_device;               /* peers reach device memory only */
} faults;

static float fault_in[FAULT_RANKS][FAULT_N], fault_out[FAULT_RANKS][FAULT_N];

static iw_context *rank_contexts[FAULT_RANKS];

static iw_status sum_scan(iw_distributed *d, unsigned rank)
{
  return iw_distributed_inclusive_scan(d, IW_SUM, IW_F32, fault_in[rank], FAULT_N, fault_out[rank], NULL);
}

/* Arguments that are wrong on one rank, which returns its own error. */
enum { NULL_IN, BAD_TYPE, BAD_OP, OVERLAP, NULL_RESULT, BAD_BINS, BAD_TEST, BAD_BUCKETS, BAD_SUM, BAD_BALANCE, SEGMENTS, USERS_OP, NO_KEYS, SMALL_OPTIONS,
       NO_INDEX, NO_PLAN, NO_KEPT, NO_LO, BAD_SORT, BAD_WIDTH, REST, MOVED_WIDTH, NO_OUT, FIND_INIT, FIND_ROWS, NO_INDICES, MOVED_OVERLAP, EXACT_SUMS, WRONG };
static iw_status wrong_call(int which, iw_distributed *d, unsigned rank, int is_wrong)
{
  float *const in = fault_in[rank], *const out = fault_out[rank];
  const float lo = 0, hi = 1, constant = 0.5f;
  double result;
  uint64_t counts[9], count;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = is_wrong ? 0 : 4, .lo = &lo, .hi = &hi };
  const iw_test test = { .size = sizeof test, .compare = is_wrong ? (iw_compare)9 : IW_LESS, .constant = &constant };
  const iw_test less = { .size = sizeof less, .compare = IW_LESS, .constant = &constant };
  const iw_histogram_spec even = { .size = sizeof even, .bins = 4, .lo = &lo, .hi = &hi };
  const iw_buckets buckets = { .size = sizeof buckets, .bits = is_wrong ? 17 : 3 };
  const iw_segments rows = by_rows(5), keys = by_keys(IW_F32, in);
  const scan_arguments whole = { .op = IW_SUM, .in_type = IW_F32, .type = IW_F32 };
  scan_arguments by_rows_of_5 = whole, runs = whole;
  const iw_scan_options small = { .size = 8 };
  const iw_buckets split = { .size = sizeof split, .bits = 3 };
  iw_payload payload = { .size = sizeof payload, .in = in, .out = out, .width = 4 };
  iw_move_options moved = { .size = sizeof moved, .payloads = &payload, .payload_count = 1 };
  uint64_t indices[FAULT_N];
  size_t kept;
  by_rows_of_5.segments = &rows;
  runs.segments = &keys;
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  switch (which) {
  case NULL_IN: return iw_distributed_inclusive_scan(d, IW_SUM, IW_F32, is_wrong ? NULL : in, FAULT_N, out, NULL);
  case BAD_TYPE: return iw_distributed_exclusive_scan(d, IW_SUM, is_wrong ? (iw_type)77 : IW_F32, in, FAULT_N, out, NULL);
  case BAD_OP: return iw_distributed_reduce(d, is_wrong ? (iw_op)99 : IW_MIN, IW_F32, in, FAULT_N, &result, NULL);
  case OVERLAP: return iw_distributed_inclusive_scan(d, IW_SUM, IW_F32, in, FAULT_N - 1, is_wrong ? in + 1 : out, NULL);
  case NULL_RESULT: return iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, is_wrong ? NULL : &result, NULL);
  case BAD_BINS: return distributed_histogram_of(d, IW_F32, &spec, in, FAULT_N, counts, NULL);
  case BAD_TEST: return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, out, &count, NULL);
  case BAD_BUCKETS: return distributed_multisplit_of(d, IW_F32, &buckets, in, FAULT_N, out, counts, NULL);
  case BAD_SUM: sum.format = is_wrong ? 9 : sum.format; return iw_distributed_exact_sums_merge(d, &sum, 1);
  case SEGMENTS: return distributed_scan_with(d, is_wrong ? &by_rows_of_5 : &runs, in, FAULT_N, out);
  case USERS_OP: return iw_distributed_reduce(d, is_wrong ? NULL : IW_MIN, IW_F32, in, FAULT_N, &result, NULL);
  case NO_KEYS: return distributed_reduce_by_key(d, is_wrong ? &whole : &runs, in, FAULT_N, NULL, out, &kept, &count);
  case SMALL_OPTIONS: return iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, &result, is_wrong ? &small : NULL);
  case NO_INDEX: return iw_distributed_argmax(d, IW_F32, in, FAULT_N, is_wrong ? NULL : &count, NULL, NULL);
  case NO_PLAN: {
    iw_histogram_plan *plan = NULL;
    iw_status status = plan_of(rank_contexts[rank], IW_F32, &even, NULL, 0, &plan);
    if (status == IW_OK)
      status = distributed_weighted_histogram(d,
                                                 IW_OPTIONS(iw_histogram_spec, .plan = is_wrong ? NULL : plan),
                                                 in, IW_F32, in, FAULT_N, counts);
    iw_histogram_plan_free(plan);
    return status;
  }
  case NO_KEPT: return distributed_select_of(d, IW_F32, &less, in, FAULT_N, out, is_wrong ? NULL : &kept, &count, NULL);
  case REST: moved.rest = is_wrong ? out : NULL; return distributed_partition_of(d, IW_F32, &less, in, FAULT_N, NULL, &count, &moved);
  case MOVED_WIDTH: payload.width = is_wrong ? 3 : 4; return distributed_multisplit_of(d, IW_F32, &split, in, FAULT_N, NULL, counts, &moved);
  case NO_OUT: return distributed_partition_of(d, IW_F32, &less, in, FAULT_N, is_wrong ? NULL : out, &count, NULL);
  case FIND_INIT: return iw_distributed_argmin(d, IW_F32, in, FAULT_N, &count, NULL, IW_OPTIONS(iw_scan_options, .init = is_wrong ? &lo : NULL));
  case FIND_ROWS:
    return iw_distributed_argmax(d, IW_F32, in, FAULT_N, indices, NULL, IW_OPTIONS(iw_scan_options, .segments = is_wrong ? &rows : &keys, .run_count = &kept));
  case NO_INDICES:
    return iw_distributed_argmin(d, IW_F32, in, FAULT_N, is_wrong ? NULL : indices, NULL, IW_OPTIONS(iw_scan_options, .segments = &keys, .run_count = &kept));
  case MOVED_OVERLAP: payload.out = is_wrong ? in : out; return distributed_select_of(d, IW_F32, &less, in, FAULT_N, NULL, &kept, &count, &moved);
  case BAD_SORT: return iw_distributed_sort(d, IW_F32, in, FAULT_N, is_wrong ? NULL : out, NULL);
  case BAD_WIDTH:
    return distributed_sort_payloads(d, IW_F32, in, FAULT_N, NULL, &(iw_payload){ .size = sizeof(iw_payload), .in = in, .out = out, .width = is_wrong ? 3 : 4 }, 1, NULL);
  case EXACT_SUMS:
    return iw_distributed_histogram(d, IW_OPTIONS(iw_histogram_spec, .type = IW_F32, .bins = 4, .lo = &lo, .hi = &hi), in, FAULT_N,
                                    is_wrong ? NULL : counts, IW_OPTIONS(iw_histogram_options, .weight_type = IW_F32, .weights = in,
                                                                         .exact_sums = is_wrong ? &sum : NULL));
  case NO_LO: return iw_distributed_histogram_range(d, IW_F32, in, FAULT_N, is_wrong ? NULL : &result, counts);
  default: return iw_distributed_balance(d, IW_F32, in, FAULT_N, is_wrong ? in : out, FAULT_N);
  }
}

/* Arguments that differ between ranks: all return IW_ERROR_MISMATCH. */
enum { OTHER_TYPE, OTHER_OP, OTHER_INIT, NO_INIT, OTHER_CALL, OTHER_BINS, OTHER_RANGE, OTHER_FLAGS, OTHER_COUNTERS, OTHER_CONSTANT, OTHER_BUCKETS,
       OTHER_COUNT, OTHER_ORDER, OTHER_WIDTH, OTHER_MOVED, OTHER_OUT, OTHER_PERMUTATION, OTHER_SORTED, OTHER_SEGMENTS, OTHER_WEIGHTS, OTHERS };
static const char *const differing[OTHERS] = { "type is f32", "op is 1", "init is", "whether there is an init", "different calls",
                                               "bins is 4 on rank 0 and 3", "hi is", "flags is", "bytes of a counter is 8 on rank 0 and 4", "constant is", "bit is", "count is",
                                               "options->descending is", "the number and widths of payloads of rank", "the number and widths of payloads of rank",
                                               "out is NULL on rank", "payloads[0].in is NULL on rank", "payloads[0].in is NULL on rank",
                                               "whether there are segments is", "options->weight_type is" };
static iw_status other_call(int which, iw_distributed *d, unsigned rank, int is_other)
{
  float *const in = fault_in[rank], *const out = fault_out[rank];
  const float lo = 0, hi = is_other && which == OTHER_RANGE ? 2 : 1, constant = is_other && which == OTHER_CONSTANT ? 0.25f : 0.5f;
  const float init = is_other ? 3 : 4;
  double result;
  uint64_t counts[9], count;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = is_other && which == OTHER_BINS ? 3 : 4, .lo = &lo, .hi = &hi,
                                   .flags = is_other && which == OTHER_FLAGS ? IW_HIST_CLOSED_TOP : 0,
                                   .counter_width = is_other && which == OTHER_COUNTERS ? 4 : 0 };
  const iw_histogram_spec typed = { .size = sizeof typed, .type = IW_F32, .bins = 4, .lo = &lo, .hi = &hi };
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = &constant };
  const iw_buckets buckets = { .size = sizeof buckets, .bit = is_other && which == OTHER_BUCKETS ? 3 : 2, .bits = 3 };
  iw_exact_sum sums[2] = { IW_EXACT_SUM_EMPTY, IW_EXACT_SUM_EMPTY };
  iw_payload payload = { .size = sizeof payload, .out = out, .width = 4 };
  iw_move_options moved = { .size = sizeof moved, .payloads = &payload, .payload_count = 1 };
  float other[FAULT_N];
  uint64_t indices[FAULT_N];
  size_t kept;
  static const uint8_t none[FAULT_N];
  const iw_segments flags = by_flags(none);
  switch (which) {
  case OTHER_TYPE: return iw_distributed_inclusive_scan(d, IW_SUM, is_other ? IW_I32 : IW_F32, in, FAULT_N, out, NULL);
  case OTHER_OP: return iw_distributed_inclusive_scan(d, is_other ? IW_MIN : IW_SUM, IW_F32, in, FAULT_N, out, NULL);
  case OTHER_INIT: return iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, &result,
                                                IW_OPTIONS(iw_scan_options, .init = &init));
  case NO_INIT: return iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, &result,
                                             IW_OPTIONS(iw_scan_options, .init = is_other ? NULL : &init));
  case OTHER_CALL:
    return is_other ? iw_distributed_argmin(d, IW_F32, in, FAULT_N, &count, NULL, NULL)
                    : iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, &result, NULL);
  case OTHER_BINS: case OTHER_RANGE: case OTHER_FLAGS: case OTHER_COUNTERS:
    return distributed_histogram_of(d, IW_F32, &spec, in, FAULT_N, counts, NULL);
  case OTHER_CONSTANT: return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, out, &count, NULL);
  case OTHER_ORDER:
    return iw_distributed_sort(d, IW_F32, in, FAULT_N, out, &(iw_sort_options){ .size = sizeof(iw_sort_options), .descending = is_other });
  case OTHER_WIDTH:
    return distributed_sort_payloads(d, IW_F32, in, FAULT_N, NULL, &(iw_payload){ .size = sizeof(iw_payload), .in = in, .out = out, .width = is_other ? 2 : 4 }, 1, NULL);
  case OTHER_MOVED: moved.payload_count = !is_other; return distributed_multisplit_of(d, IW_F32, &buckets, in, FAULT_N, other, counts, &moved);
  case OTHER_OUT: return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, is_other ? NULL : other, &count, &moved);
  case OTHER_PERMUTATION:
    payload.in = is_other ? NULL : in;
    return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, other, &count, &moved);
  case OTHER_SORTED:
    payload.in = is_other ? NULL : in;
    return distributed_sort_payloads(d, IW_F32, in, FAULT_N, other, &payload, 1, NULL);
  case OTHER_SEGMENTS:
    return iw_distributed_argmin(d, IW_F32, in, FAULT_N, indices, NULL,
                                 is_other ? NULL : IW_OPTIONS(iw_scan_options, .segments = &flags, .run_count = &kept));
  case OTHER_WEIGHTS: return is_other ? distributed_histogram_of(d, IW_F32, &spec, in, FAULT_N, counts, NULL)
                                      : distributed_weighted_histogram(d, &typed, in, IW_F32, in, FAULT_N, counts);
  case OTHER_BUCKETS: return distributed_multisplit_of(d, IW_F32, &buckets, in, FAULT_N, out, counts, NULL);
  default: return iw_distributed_exact_sums_merge(d, sums, is_other ? 2 : 1);
  }
}

static void set_up_rank(unsigned rank, iw_context **c)
{
  for (unsigned i = 0; i < FAULT_N; i++) {
    fault_in[rank][i] = (float)(i % 7) / 8;
    fault_out[rank][i] = -1;
  }
  *c = rank_contexts[rank] = cpu_context();
}

static void keep(faults *f, unsigned rank, iw_status status)
{
  f->status[rank] = status;
  snprintf(f->message[rank], sizeof f->message[rank], "%s", iw_message());
}

/* The ranks go on after the fault. */
static iw_status arguments_main(const iw_peers *peers, void *job)
{
  faults *const f = job;
  iw_context *c;
  iw_distributed *d;
  const unsigned rank = peers->rank;
  const int is_it = rank == f->rank;
  set_up_rank(rank, &c);
  if (iw_distributed_open(c, peers, &d) != IW_OK)
    return IW_ERROR_UNAVAILABLE;
  keep(f, rank, f->which < WRONG ? wrong_call(f->which, d, rank, is_it) : other_call(f->which - WRONG, d, rank, is_it));
  for (unsigned i = 0; i < FAULT_N; i++)
    if (fault_out[rank][i] != -1)
      f->is_over = 1; /* an output has changed */
  f->after[rank] = sum_scan(d, rank);
  iw_distributed_close(d);
  iw_context_close(c);
  return IW_OK;
}

START_TEST(arguments)
{
  for (unsigned rank = 0; rank < FAULT_RANKS; rank++) {
    faults f = { .which = _i, .rank = rank };
    char named[16];
    if (_i >= WRONG && rank == 0) /* who is other is a question of the majority */
      continue;
    snprintf(named, sizeof named, "rank %u", rank);
    ck_assert_msg(iw_threads_run(FAULT_RANKS, arguments_main, &f) == IW_OK, "%s", iw_message());
    ck_assert_msg(!f.is_over, "fault %d: an output has changed", _i);
    for (unsigned r = 0; r < FAULT_RANKS; r++) {
      const iw_status wanted = _i >= WRONG ? IW_ERROR_MISMATCH : r != rank ? IW_ERROR_PEER : _i == OVERLAP || _i == BAD_BALANCE || _i == MOVED_OVERLAP
        ? IW_ERROR_OVERLAP : IW_ERROR_INVALID;
      ck_assert_msg(f.status[r] == wanted, "fault %d on rank %u: rank %u returns %s, %s", _i, rank, r, iw_status_name(f.status[r]),
                    f.message[r]);
      ck_assert_msg(r == rank || strstr(f.message[r], named), "fault %d on rank %u: rank %u says %s", _i, rank, r, f.message[r]);
      ck_assert_msg(_i < WRONG || strstr(f.message[r], differing[_i - WRONG]), "fault %d: rank %u says %s", _i, r, f.message[r]);
      ck_assert_msg(f.after[r] == IW_OK, "fault %d on rank %u: rank %u cannot go on", _i, rank, r);
    }
  }
}
END_TEST

/* A call of each kind, to refuse its allocations. */
enum { FAULT_CALLS = 15 };
static iw_status fault_call(int which, iw_distributed *d, unsigned rank, uint64_t *out)
{
  float *const in = fault_in[rank];
  const float lo = 0, hi = 1, constant = 0.5f;
  size_t kept;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &lo, .hi = &hi }, automatic = { .size = sizeof spec, .bins = 4 };
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = &constant };
  const iw_buckets buckets = { .size = sizeof buckets, .bins = &automatic };
  const iw_segments keys = by_keys(IW_F32, in);
  const scan_arguments runs = { .op = IW_SUM, .in_type = IW_F32, .type = IW_F32, .segments = &keys };
  const scan_arguments product = { .op = IW_PRODUCT, .in_type = IW_F32, .type = IW_F32 };
  static const uint8_t none[FAULT_N];
  const iw_segments one_run = by_flags(none);
  const iw_payload permutation = { .size = sizeof permutation, .out = out + 6, .width = 4 };
  const iw_move_options moved = { .size = sizeof moved, .payloads = &permutation, .payload_count = 1 };
  memset(out, 0, FAULT_N * sizeof *out);
  switch (which) {
  case 0: return iw_distributed_inclusive_scan(d, IW_SUM, IW_F32, in, FAULT_N, out, NULL);
  case 1: return iw_distributed_reduce(d, IW_MAX, IW_F32, in, FAULT_N, out, NULL);
  case 2: return iw_distributed_argmin(d, IW_F32, in, FAULT_N, out, out + 1, NULL);
  case 3: return iw_distributed_sum_exact(d, IW_F32, in, FAULT_N, IW_F64, out);
  case 4: return distributed_histogram_of(d, IW_F32, &spec, in, FAULT_N, out, NULL);
  case 5: return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, out + 1, out, NULL);
  case 6: return distributed_select_of(d, IW_F32, &test, in, FAULT_N, out + 1, &kept, out, NULL);
  case 7: return distributed_multisplit_of(d, IW_F32, &buckets, in, FAULT_N, out + 6, out, NULL);
  case 8:
    return iw_distributed_reduce(d, IW_SUM, IW_F32, in, FAULT_N, out + 2,
                                 IW_OPTIONS(iw_scan_options, .segments = &keys, .run_count = &kept));
  case 9: return distributed_scan_with(d, &product, in, FAULT_N, out);
  case 10:
    return distributed_sort_payloads(d, IW_F32, in, FAULT_N, NULL, &(iw_payload){ .size = sizeof(iw_payload), .out = out, .width = 4 }, 1, NULL);
  case 11: return distributed_partition_of(d, IW_F32, &test, in, FAULT_N, NULL, out, &moved);
  case 12: return distributed_multisplit_of(d, IW_F32, &buckets, in, FAULT_N, NULL, out, &moved);
  case 13:
    return iw_distributed_argmin(d, IW_F32, in, FAULT_N, out, NULL,
                                 IW_OPTIONS(iw_scan_options, .segments = &one_run, .run_count = &kept));
  default: return distributed_scan_with(d, &runs, in, FAULT_N, out);
  }
}

/* All ranks wait for each other by an all-reduce of nothing. */
static iw_status meet_all(const iw_peers *peers)
{
  uint64_t nothing = 0;
  return peers->all_reduce_u64(peers->self, &nothing, 1, NULL);
}

static iw_status memory_main(const iw_peers *peers, void *job)
{
  faults *const f = job;
  const unsigned rank = peers->rank;
  static uint64_t right[FAULT_RANKS][FAULT_N], out[FAULT_RANKS][FAULT_N];
  for (uint32_t at = 0; !f->is_over; at++) { /* allocation `at` of a new handle and context is refused; none for 0 */
    iw_context *c;
    iw_distributed *d = NULL;
    set_up_rank(rank, &c);
    if (f->on_device) {
      iw_context_close(c);
      if (iw_context_open(&c, &(iw_context_options){ .size = sizeof(iw_context_options), .backend = IW_BACKEND_SIM }) != IW_OK)
        return IW_ERROR_UNAVAILABLE;
    }
    device_peers device = { .threads = *peers, .context = c };
    const iw_peers used = f->on_device ? peers_on_device(&device) : *peers;
    if (meet_all(peers) != IW_OK)
      return IW_ERROR_PEER;
    if (rank == 0 && at)
      arm(at);
    if (meet_all(peers) != IW_OK)
      return IW_ERROR_PEER;
    allocator_spares = f->on_device ? 2 : 0; /* 64 bytes of the simulated device, without which a rank cannot take part */
    iw_status status = iw_distributed_open(c, &used, &d);
    if (status == IW_OK)
      status = fault_call(f->which, d, rank, at ? out[rank] : right[rank]);
    keep(f, rank, status);
    if (meet_all(peers) != IW_OK)
      return IW_ERROR_PEER;
    disarm();
    const int failed = status != IW_OK, met = at && allocator.refused;
    /* All ranks fail or none does; the right result, then and in a second call. */
    uint64_t failures[2] = { (uint64_t)failed, 0 };
    if (!failed && at && memcmp(out[rank], right[rank], sizeof right[rank]))
      failures[1] = 1;
    if (failed && d) {
      if (fault_call(f->which, d, rank, out[rank]) != IW_OK || memcmp(out[rank], right[rank], sizeof right[rank]))
        failures[1] = 1;
    }
    iw_distributed_close(d);
    iw_context_close(c);
    if (peers->all_reduce_u64(peers->self, failures, 2, NULL) != IW_OK)
      return IW_ERROR_PEER;
    if (rank == 0) {
      f->refused += (uint32_t)met;
      f->is_over = failures[1] ? 3 : failures[0] % FAULT_RANKS ? 2 : at && !met ? 1 : at > 500 ? 4 : 0;
    }
    if (meet_all(peers) != IW_OK)
      return IW_ERROR_PEER;
  }
  return IW_OK;
}

static void check_memory(faults *f)
{
  if (!allocator_is_used()) {
    printf("# skipped: allocations cannot be refused here\n");
    return;
  }
  ck_assert_msg(iw_threads_run(FAULT_RANKS, memory_main, f) == IW_OK, "%s", iw_message());
  ck_assert_msg(f->is_over == 1, "call %d: %s", f->which, f->is_over == 3 ? "another result" : f->is_over == 2 ? "some ranks fail" : "too many");
  ck_assert_msg(f->refused > 8, "call %d: %u allocations were refused", f->which, f->refused);
}

START_TEST(memory)
{
  check_memory(&(faults){ .which = _i });
}
END_TEST

/* An exact sum needs more memory for what its peers exchange than an agreement, which needs what there was
 * before if it gets none. */
START_TEST(device_memory)
{
  check_memory(&(faults){ .which = 3, .on_device = 1 });
}
END_TEST

/* Peers whose function fails on one rank at its k-th call: no rank hangs, because the group is abandoned. */
typedef struct failing_peers { iw_peers threads; unsigned calls, fails_at; } failing_peers;
static int fails_now(failing_peers *p) { return ++p->calls == p->fails_at; }
static iw_status failing_gather(void *self, const void *send, void *receive, const size_t *bytes, void *stream)
{
  failing_peers *const p = self;
  return fails_now(p) ? IW_ERROR_LAUNCH : p->threads.all_gather(p->threads.self, send, receive, bytes, stream);
}
static iw_status failing_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  failing_peers *const p = self;
  return fails_now(p) ? IW_ERROR_LAUNCH : p->threads.all_reduce_u64(p->threads.self, values, n, stream);
}
static iw_status failing_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  failing_peers *const p = self;
  return fails_now(p) ? IW_ERROR_LAUNCH : p->threads.all_to_all(p->threads.self, x, stream);
}
static const char *failing_reason(void *self) { (void)self; return "the cable is out"; }

static iw_status failing_main(const iw_peers *peers, void *job)
{
  faults *const f = job;
  failing_peers failing = { *peers, 0, peers->rank == f->rank ? (unsigned)f->which : 0 };
  iw_peers used = *peers;
  iw_context *c;
  iw_distributed *d = NULL;
  used.self = &failing;
  used.all_gather = failing_gather;
  used.all_reduce_u64 = failing_reduce;
  used.all_to_all = failing_all_to_all;
  used.describe = failing_reason;
  set_up_rank(peers->rank, &c);
  iw_status status = iw_distributed_open(c, &used, &d);
  if (status == IW_OK)
    status = sum_scan(d, peers->rank);
  keep(f, peers->rank, status);
  if (status != IW_OK && d && (sum_scan(d, peers->rank) != IW_ERROR_PEER || !strstr(iw_message(), "earlier call")))
    f->is_over = 1;
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

START_TEST(peers_fail)
{
  unsigned met = 0;
  for (int at = 1; at < 40; at++) {
    faults f = { .which = at, .rank = (unsigned)at % FAULT_RANKS };
    const iw_status status = iw_threads_run(FAULT_RANKS, failing_main, &f);
    ck_assert(!f.is_over);
    if (status == IW_OK)
      break;
    met++;
    ck_assert_int_eq(status, IW_ERROR_LAUNCH);
    ck_assert_int_eq(f.status[f.rank], IW_ERROR_LAUNCH);
    ck_assert_msg(strstr(f.message[f.rank], "the cable is out") != NULL, "%s", f.message[f.rank]);
  }
  ck_assert_uint_gt(met, 6);
  ck_assert_uint_lt(met, 39);
}
END_TEST

/* Ranks that are threads compare what they say of an all-to-all: the number of messages, and their bytes. No
 * byte of the other rank is written then. */
static iw_status disagree_main(const iw_peers *peers, void *job)
{
  const size_t bytes[4] = { 1, 1, 1, 1 }, fewer[4] = { 1, 0, 1, 1 }, offsets[4] = { 0, 1, 2, 3 };
  const int differ_in_messages = *(const int *)job;
  char receive[5] = "----";
  iw_all_to_all x = { .messages = 1, .send = "sent", .send_bytes = bytes, .send_offsets = offsets, .receive = receive,
                      .receive_bytes = bytes, .receive_offsets = offsets };
  if (differ_in_messages)
    x.messages = 1 + peers->rank;
  else if (peers->rank == 0)
    x.receive_bytes = fewer;
  const iw_status status = peers->all_to_all(peers->self, &x, NULL);
  if (!differ_in_messages && peers->rank == 1)
    return status;
  const char *const reason = peers->describe(peers->self);
  return status == IW_ERROR_MISMATCH && receive[1 - peers->rank] == '-' && receive[3 - peers->rank] == '-'
    && !strcmp(reason, !differ_in_messages ? "rank 1 has 1 bytes of an all-to-all where rank 0 has 0"
               : peers->rank == 0 ? "rank 1 has 2 messages of an all-to-all where rank 0 has 1"
                                  : "rank 0 has 1 messages of an all-to-all where rank 1 has 2") ? IW_OK : IW_ERROR_LAUNCH;
}

START_TEST(threads_disagree)
{
  ck_assert_int_eq(iw_threads_run(2, disagree_main, &_i), IW_OK);
}
END_TEST

/* ---- Threads and handles ----------------------------------------------------------------------------- */

static iw_status fails_alone(const iw_peers *peers, void *job)
{
  (void)job;
  if (peers->rank == 2)
    return iw_distributed_open(NULL, NULL, NULL);
  return meet_all(peers);
}

START_TEST(handles)
{
  iw_threads *group;
  iw_peers peers;
  iw_distributed *d = (iw_distributed *)1;
  iw_context *const c = cpu_context();
  uint64_t begin, total;
  REFUSED(iw_threads_open(2, NULL), IW_ERROR_INVALID, "group is NULL");
  REFUSED(iw_threads_open(0, &group), IW_ERROR_INVALID, "count is 0");
  REFUSED(iw_threads_open(4097, &group), IW_ERROR_INVALID, "count is 4097");
  ck_assert_ptr_null(group);
  REFUSED(iw_threads_run(2, NULL, NULL), IW_ERROR_INVALID, "rank_main is NULL");
  REFUSED(iw_threads_run(3, fails_alone, NULL), IW_ERROR_INVALID, "handle is NULL"); /* the others do not hang */
  ck_assert(iw_threads_open(1, &group) == IW_OK);
  REFUSED(iw_threads_peers(group, 1, &peers), IW_ERROR_INVALID, "rank is 1");
  REFUSED(iw_threads_peers(group, 0, NULL), IW_ERROR_INVALID, "peers is NULL");
  ck_assert(iw_threads_peers(group, 0, &peers) == IW_OK);
  REFUSED(iw_distributed_open(c, NULL, &d), IW_ERROR_INVALID, "peers is NULL");
  ck_assert_ptr_null(d);
  REFUSED(iw_distributed_open(NULL, &peers, &d), IW_ERROR_INVALID, "context is NULL");
  iw_peers bad = peers;
  bad.size = 8;
  REFUSED(iw_distributed_open(c, &bad, &d), IW_ERROR_INVALID, "peers->size is 8");
  bad = peers;
  bad.rank = 1;
  REFUSED(iw_distributed_open(c, &bad, &d), IW_ERROR_INVALID, "peers->rank is 1");
  bad = peers;
  bad.flags = IW_PEERS_STREAM;
  REFUSED(iw_distributed_open(c, &bad, &d), IW_ERROR_INVALID, "peers->flags is 0x4");
  bad.flags = IW_PEERS_DEVICE;
  REFUSED(iw_distributed_open(c, &bad, &d), IW_ERROR_INVALID, "no device");
  bad = peers;
  bad.all_to_all = NULL;
  REFUSED(iw_distributed_open(c, &bad, &d), IW_ERROR_INVALID, "peers->all_to_all is NULL");
  REFUSED(iw_distributed_extent(NULL, 1, &begin, &total), IW_ERROR_INVALID, "handle is NULL");
  ck_assert(iw_distributed_open(c, &peers, &d) == IW_OK);
  ck_assert(iw_distributed_extent(d, 7, &begin, &total) == IW_OK && begin == 0 && total == 7);
  REFUSED(iw_distributed_extent(d, 7, NULL, &total), IW_ERROR_INVALID, "begin is NULL");
  float in[4] = { 0 }, out[4];
  REFUSED(iw_distributed_balance(d, IW_F32, in, 4, out, 3), IW_ERROR_INVALID, "the sum of out_n over all ranks is 3");
  iw_distributed_close(d);
  iw_distributed_close(NULL);
  iw_threads_abandon(group);
  REFUSED(iw_distributed_open(c, &peers, &d), IW_ERROR_PEER, "abandoned");
  iw_threads_close(group);
  iw_threads_close(NULL);
  iw_context_close(c);
  ck_assert(iw_distributed_share(10, 0, 3) == 4 && iw_distributed_share(10, 1, 3) == 3 && iw_distributed_share(10, 2, 3) == 3);
  ck_assert(iw_distributed_share(10, 3, 3) == 0);
}
END_TEST

/* ---- Traffic ----------------------------------------------------------------------------------------- */

/* Peers that count what a rank sends to others. */
typedef struct counting_peers { iw_peers threads; uint64_t gathers, gathered, reduces, reduced, exchanges, sent; } counting_peers;
static iw_status counting_gather(void *self, const void *send, void *receive, const size_t *bytes, void *stream)
{
  counting_peers *const p = self;
  p->gathers++;
  for (unsigned r = 0; r < p->threads.count; r++)
    p->gathered += bytes[r];
  return p->threads.all_gather(p->threads.self, send, receive, bytes, stream);
}
static iw_status counting_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  counting_peers *const p = self;
  p->reduces++;
  p->reduced += 8 * n;
  return p->threads.all_reduce_u64(p->threads.self, values, n, stream);
}
static iw_status counting_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  counting_peers *const p = self;
  p->exchanges++;
  for (unsigned k = 0; k < x->messages * p->threads.count; k++)
    p->sent += k % p->threads.count == p->threads.rank ? 0 : x->send_bytes[k];
  return p->threads.all_to_all(p->threads.self, x, stream);
}

static iw_peers peers_that_count(counting_peers *counting, const iw_peers *peers)
{
  iw_peers used = *peers;
  *counting = (counting_peers){ .threads = *peers };
  used.self = counting;
  used.all_gather = counting_gather;
  used.all_reduce_u64 = counting_reduce;
  used.all_to_all = counting_all_to_all;
  used.describe = NULL;
  return used;
}

/* Each allocation of one rank in a partition of several pieces is refused in turn: also one when the
 * others have agreed on where elements go. All ranks return: all with an error, or with the right result, if
 * the allocation was not needed. A rank that could not split a piece sends none of it. */
enum { REFUSED_N = PIECE_BYTES / 2 / 16 + 1000, REFUSED_RANKS = 2 };
typedef struct refused_pieces { const uint64_t *in; uint64_t *out, *indices, sent[REFUSED_RANKS]; unsigned refused_rank; } refused_pieces;

static iw_status refused_main(const iw_peers *peers, void *job)
{
  refused_pieces *const p = job;
  const size_t begin = peers->rank * REFUSED_N;
  const uint64_t pivot = UINT64_C(1) << 63;
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = &pivot };
  const iw_payload permutation = payload_of(NULL, p->indices + begin, NULL, 8);
  const iw_move_options o = { .size = sizeof o, .payloads = &permutation, .payload_count = 1 };
  const iw_context_options one = { .size = sizeof one, .backend = IW_BACKEND_CPU, .threads = 1 };
  uint64_t count;
  iw_context *c = NULL;
  iw_distributed *d = NULL;
  counting_peers counting;
  const iw_peers used = peers_that_count(&counting, peers);
  allocator_is_exempt += peers->rank != p->refused_rank;
  iw_status status = iw_context_open(&c, &one);
  if (status == IW_OK)
    status = iw_distributed_open(c, &used, &d);
  if (status == IW_OK)
    status = distributed_partition_of(d, IW_U64, &test, p->in + begin, REFUSED_N, p->out + begin, &count, &o);
  allocator_is_exempt -= peers->rank != p->refused_rank;
  p->sent[peers->rank] = counting.sent;
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

START_TEST(refused_in_pieces)
{
  if (getenv("ISOWARP_TEST_BRIEF") || !allocator_is_used())
    return;
  const size_t n = REFUSED_RANKS * REFUSED_N;
  uint64_t *const in = new_bytes(n * sizeof *in);
  refused_pieces p = { .in = in, .out = new_bytes(n * sizeof *in), .indices = new_bytes(n * sizeof *in), .refused_rank = (unsigned)_i };
  start_random(703);
  for (size_t i = 0; i < n; i++)
    in[i] = random_below(2) << 63 | i;
  uint64_t all[REFUSED_RANKS];
  ck_assert_msg(iw_threads_run(REFUSED_RANKS, refused_main, &p) == IW_OK, "%s", iw_message());
  memcpy(all, p.sent, sizeof all);
  for (uint32_t at = 1, is_over = 0; !is_over; at++) {
    memset(p.sent, 0, sizeof p.sent);
    memset(p.out, 0, n * sizeof *in);
    memset(p.indices, 0, n * sizeof *in);
    arm(at);
    const iw_status status = iw_threads_run(REFUSED_RANKS, refused_main, &p);
    disarm();
    is_over = !allocator.refused;
    ck_assert_uint_lt(at, 1000);
    ck_assert_msg(status == IW_OK || !is_over, "%s", iw_message());
    for (unsigned r = 0; r < REFUSED_RANKS; r++)
      ck_assert_uint_le(p.sent[r], all[r]);
    size_t to = 0;
    for (size_t side = 0; side < 2 && status == IW_OK; side++)
      for (size_t i = 0; i < n; i++)
        if (in[i] >> 63 == side) {
          ck_assert_msg(p.out[to] == in[i] && p.indices[to] == i, "allocation %u was refused", at);
          to++;
        }
  }
  free(in);
  free(p.out);
  free(p.indices);
}
END_TEST

enum { TRAFFIC_RANKS = 4, RECORD_BYTES = 176, TRAFFIC_N = 2 * GROUP };
static float traffic_in[TRAFFIC_RANKS * TRAFFIC_N], traffic_out[TRAFFIC_RANKS * TRAFFIC_N];
typedef struct traffic { size_t shift; counting_peers scan[TRAFFIC_RANKS], histogram[TRAFFIC_RANKS], partition[TRAFFIC_RANKS]; } traffic;

static iw_status traffic_main(const iw_peers *peers, void *job)
{
  traffic *const t = job;
  const unsigned rank = peers->rank;
  const size_t begin = rank * TRAFFIC_N + (rank ? t->shift : 0);
  const size_t n = (rank + 1 < TRAFFIC_RANKS ? (rank + 1) * TRAFFIC_N + t->shift : TRAFFIC_RANKS * TRAFFIC_N) - begin;
  counting_peers counting;
  const iw_peers used = peers_that_count(&counting, peers);
  iw_context *const c = cpu_context();
  iw_distributed *d = NULL;
  const float lo = 0, hi = 1, constant = 0.5f;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 1000, .lo = &lo, .hi = &hi };
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = &constant };
  uint64_t counts[1000], count;
  float *const in = traffic_in + begin, *const out = traffic_out + begin;
  iw_status status = iw_distributed_open(c, &used, &d);
  counting = (counting_peers){ .threads = *peers };
  if (status == IW_OK)
    status = iw_distributed_inclusive_scan(d, IW_SUM, IW_F32, in, n, out, NULL);
  t->scan[rank] = counting;
  counting = (counting_peers){ .threads = *peers };
  if (status == IW_OK)
    status = distributed_histogram_of(d, IW_F32, &spec, in, n, counts, NULL);
  t->histogram[rank] = counting;
  counting = (counting_peers){ .threads = *peers };
  if (status == IW_OK)
    status = distributed_partition_of(d, IW_F32, &test, in, n, out, &count, NULL);
  t->partition[rank] = counting;
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

/* doc/distributed.md says what each call sends. */
START_TEST(network)
{
  static traffic t;
  start_random(500);
  fill(IW_F32, traffic_in, TRAFFIC_RANKS * TRAFFIC_N, UNIT);
  for (size_t shift = 0; shift < 1000; shift += 999) {
    t = (traffic){ .shift = shift };
    ck_assert_msg(iw_threads_run(TRAFFIC_RANKS, traffic_main, &t) == IW_OK, "%s", iw_message());
    for (unsigned r = 0; r < TRAFFIC_RANKS; r++) {
      const counting_peers *const scan = &t.scan[r], *const histogram = &t.histogram[r], *const partition = &t.partition[r];
      ck_assert_uint_eq(scan->gathers, 3); /* the second agreement carries the aggregates */
      ck_assert_uint_eq(scan->gathered, 3 * TRAFFIC_RANKS * RECORD_BYTES + 2 * TRAFFIC_RANKS * sizeof(float));
      ck_assert_uint_eq(scan->exchanges, shift ? 2 : 0);
      const size_t head = shift && r ? GROUP - shift : 0, received = shift && r + 1 < TRAFFIC_RANKS ? GROUP - shift : 0;
      ck_assert_uint_eq(scan->sent, (head + received) * sizeof(float));
      ck_assert_uint_eq(scan->reduced, 0);
      ck_assert_uint_eq(histogram->gathered, 2 * TRAFFIC_RANKS * RECORD_BYTES);
      ck_assert_uint_eq(histogram->reduced, 8 * (1000 + 4)); /* with the report and the number of failed ranks */
      ck_assert_uint_eq(histogram->exchanges, 0);
      ck_assert_uint_eq(partition->gathered, 3 * TRAFFIC_RANKS * RECORD_BYTES + 8 * TRAFFIC_RANKS);
      ck_assert_uint_eq(partition->exchanges, 1);
      ck_assert_uint_le(partition->sent, (TRAFFIC_N + 1000) * sizeof(float));
    }
  }
}
END_TEST

/* The collectives of each call: those of fault_call(), whose parts are off the borders of groups, and
 * others. */
enum { SPLIT_BITS = 13, SPLIT_BUCKETS = 1 << SPLIT_BITS, MANY_BUCKETS = FAULT_CALLS, WEIGHTED_SUMS, WEIGHTED_FLOATS, BALANCED, EXTENT,
       COUNTED_CALLS };
static const struct { const char *name; uint64_t gathers, reduces, exchanges; } collectives_of[COUNTED_CALLS] = {
  { "scan of floats", 3, 0, 2 }, { "reduce of maxima", 2, 0, 0 }, { "argmin", 2, 0, 0 }, { "exact sum", 2, 1, 0 },
  { "histogram", 2, 1, 0 }, { "partition", 3, 0, 1 }, { "select and extent", 3, 0, 0 }, { "multisplit", 3, 0, 1 },
  { "reduce by key, no run on two ranks", 3, 0, 0 }, { "product scan of floats", 3, 0, 2 }, { "sort of f32 and a payload", 4, 8, 2 }, { "partition of a payload", 3, 0, 1 },
  { "multisplit and a payload", 3, 0, 2 }, { "argmin of runs", 3, 0, 0 }, { "scan of segments of floats", 3, 0, 3 },
  { "multisplit whose counts exceed an agreement", 4, 0, 1 }, { "weighted histogram of integers", 3, 1, 0 },
  { "weighted histogram of floats", 3, 1, 0 }, { "balance", 2, 0, 1 }, { "extent", 1, 0, 0 },
};

/* A multisplit of all ranks' elements by their low bits: offsets and elements are those of one machine. */
static iw_status split_many(iw_distributed *d, unsigned rank)
{
  static uint32_t all[FAULT_RANKS * FAULT_N], expected[FAULT_RANKS * FAULT_N];
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const iw_buckets buckets = { .size = sizeof buckets, .bits = SPLIT_BITS, .bit = 18 }; /* exponents and mantissas */
  uint32_t *const out = malloc(FAULT_N * sizeof *out);
  uint64_t *const offsets = malloc(2 * (SPLIT_BUCKETS + 1) * sizeof *offsets);
  iw_status status = distributed_multisplit_of(d, IW_U32, &buckets, fault_in[rank], FAULT_N, out, offsets, NULL);
  iw_context *const c = cpu_context();
  pthread_mutex_lock(&lock);
  memcpy(all, fault_in, sizeof all);
  if (status == IW_OK)
    status = multisplit_of(c, IW_U32, &buckets, all, FAULT_RANKS * FAULT_N, expected,
                           (size_t *)offsets + SPLIT_BUCKETS + 1);
  if (status == IW_OK && (memcmp(out, expected + rank * FAULT_N, FAULT_N * sizeof *out)
                          || memcmp(offsets, offsets + SPLIT_BUCKETS + 1, (SPLIT_BUCKETS + 1) * sizeof *offsets)))
    status = IW_ERROR_INVALID;
  pthread_mutex_unlock(&lock);
  iw_context_close(c);
  free(out);
  free(offsets);
  return status;
}

static iw_status weighted(iw_context *c, iw_distributed *d, unsigned rank, iw_type weight_type)
{
  const float lo = 0, hi = 1;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &lo, .hi = &hi };
  iw_histogram_plan *plan = NULL;
  uint64_t sums[4];
  iw_status status = plan_of(c, IW_F32, &spec, NULL, 0, &plan);
  if (status == IW_OK)
    status = distributed_weighted_histogram(d,
                                               IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                               fault_in[rank], weight_type, fault_in[rank], FAULT_N, sums);
  iw_histogram_plan_free(plan);
  return status;
}

static iw_status counted_call(int which, iw_context *c, iw_distributed *d, unsigned rank)
{
  static uint64_t out[FAULT_RANKS][FAULT_N];
  uint64_t begin, total;
  switch (which) {
  case MANY_BUCKETS: return split_many(d, rank);
  case WEIGHTED_SUMS: return weighted(c, d, rank, IW_U32);
  case WEIGHTED_FLOATS: return weighted(c, d, rank, IW_F32);
  case BALANCED: return iw_distributed_balance(d, IW_F32, fault_in[rank], FAULT_N, out[rank], FAULT_N);
  case EXTENT: return iw_distributed_extent(d, FAULT_N, &begin, &total);
  default: return fault_call(which, d, rank, out[rank]);
  }
}

typedef struct collectives { int which; counting_peers of[FAULT_RANKS]; } collectives;
static iw_status collectives_main(const iw_peers *peers, void *job)
{
  collectives *const all = job;
  const unsigned rank = peers->rank;
  counting_peers counting;
  const iw_peers used = peers_that_count(&counting, peers);
  iw_context *c;
  iw_distributed *d = NULL;
  set_up_rank(rank, &c);
  iw_status status = iw_distributed_open(c, &used, &d);
  counting = (counting_peers){ .threads = *peers };
  if (status == IW_OK)
    status = counted_call(all->which, c, d, rank);
  all->of[rank] = counting;
  iw_distributed_close(d);
  iw_context_close(c);
  return status;
}

/* The table of doc/distributed.md. */
START_TEST(collectives_per_call)
{
  static collectives all;
  all = (collectives){ .which = _i };
  const char *const name = collectives_of[_i].name;
  ck_assert_msg(iw_threads_run(FAULT_RANKS, collectives_main, &all) == IW_OK, "%s: %s", name, iw_message());
  for (unsigned r = 0; r < FAULT_RANKS; r++) {
    const counting_peers *const p = &all.of[r];
    ck_assert_msg(p->gathers == collectives_of[_i].gathers && p->reduces == collectives_of[_i].reduces
                  && p->exchanges == collectives_of[_i].exchanges, "%s, rank %u: %u all-gathers, %u all-reduces, %u all-to-alls", name, r,
                  (unsigned)p->gathers, (unsigned)p->reduces, (unsigned)p->exchanges);
  }
}
END_TEST

/* The scheme in two levels (doc/distributed.md): ranks in blocks, each with a leader, which gets the
 * block's aggregates and the prefix of the leader before. Each rank gets the prefix that a fold of all
 * aggregates gives; counts messages and words. */
typedef struct levels { size_t messages, most_received, steps; } levels;
static levels two_levels(unsigned ranks, unsigned block, unsigned groups, const float *aggregates, const float *prefixes)
{
  levels l = { 0, 0, 0 };
  float passed = -0.0f;
  for (unsigned leader = 0; leader < ranks; leader += block) {
    const unsigned end = leader + block < ranks ? leader + block : ranks;
    size_t received = leader ? 1 : 0; /* the prefix, from the leader before */
    l.messages += received;
    l.steps += received;
    for (unsigned r = leader; r < end; r++) {
      received += r > leader ? groups : 0;
      l.messages += r > leader ? 2 : 0; /* its aggregates to the leader, its prefix back */
      ck_assert(!memcmp(&passed, &prefixes[r], sizeof passed));
      for (unsigned g = 0; g < groups; g++)
        passed += aggregates[r * groups + g];
    }
    l.most_received = received > l.most_received ? received : l.most_received;
  }
  return l;
}

START_TEST(levels_of_ranks)
{
  enum { RANKS = 1024, BLOCK = 32, GROUPS = 64 };
  static float aggregates[RANKS * GROUPS], prefixes[RANKS];
  float fold = -0.0f;
  start_random(501);
  fill(IW_F32, aggregates, RANKS * GROUPS, WIDE);
  for (unsigned r = 0; r < RANKS; r++) {
    prefixes[r] = fold;
    for (unsigned g = 0; g < GROUPS; g++)
      fold += aggregates[r * GROUPS + g];
  }
  const levels l = two_levels(RANKS, BLOCK, GROUPS, aggregates, prefixes);
  ck_assert_uint_eq(l.messages, 2 * (RANKS - RANKS / BLOCK) + RANKS / BLOCK - 1);
  ck_assert_uint_eq(l.most_received, (BLOCK - 1) * GROUPS + 1); /* words; by an all-gather (RANKS - 1) * GROUPS */
  ck_assert_uint_eq(l.steps, RANKS / BLOCK - 1);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("distributed");
  TCase *c = new_case(suite, "scan and reduce");
  tcase_add_loop_test(c, order_1, 0, ORDERED);
  tcase_add_loop_test(c, associative, IW_U8, IW_BF16 + 1);
  c = new_case(suite, "others");
  tcase_add_loop_test(c, others, IW_U8, IW_BF16 + 1);
  tcase_add_loop_test(c, sorts, IW_U8, IW_BF16 + 1);
  tcase_add_loop_test(c, runs, 0, 10);
  if (!is_machine_only())
    tcase_add_loop_test(c, devices, 0, 3);
  c = new_case(suite, "pieces");
  tcase_add_loop_test(c, pieces, 0, SPLITS);
  tcase_add_loop_test(c, device_pieces, 0, 2);
  tcase_add_loop_test(c, refused_in_pieces, 0, REFUSED_RANKS);
  tcase_add_loop_test(c, long_runs_of_ranks, 0, 2);
  c = new_case(suite, "random");
  tcase_add_loop_test(c, random_calls, 0, getenv("ISOWARP_TEST_BRIEF") ? RANDOM_CASES / 10 : RANDOM_CASES);
  c = new_case(suite, "faults");
  tcase_set_timeout(c, 120); /* for a rank that hangs */
  tcase_add_loop_test(c, arguments, 0, WRONG + OTHERS);
  tcase_add_loop_test(c, memory, 0, FAULT_CALLS);
  tcase_add_test(c, peers_fail);
  tcase_add_test(c, handles);
  tcase_add_loop_test(c, threads_disagree, 0, 2);
  if (!is_machine_only()) {
    c = new_case(suite, "faults of devices");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, device_memory);
  }
  c = new_case(suite, "traffic");
  tcase_add_test(c, network);
  tcase_add_loop_test(c, collectives_per_call, 0, COUNTED_CALLS);
  tcase_add_test(c, levels_of_ranks);
  return run_suite(suite);
}
