/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that are distributed over ranks, which are processes or threads with a context each: scan,
 * reduce, histogram, partition, select, multisplit and sort of the whole array. The bits are those of one
 * machine, for any number of ranks and any cut of the array (doc/distributed.md). The rules of isowarp.h
 * hold, and those below.
 *
 * The library does not communicate by itself: it calls the three functions of an iw_peers.
 * <isowarp/threads.h> has them for ranks that are threads of one process, <isowarp/mpi.h> for MPI and
 * <isowarp/nccl.h> for NCCL.
 *
 * Rules that hold for every distributed call
 * ------------------------------------------
 * Arrays. Each rank passes its part of the array, of any length; n is the length of that part and may be 0.
 *   The whole array is the parts in the order of ranks, and "global" counts and indices refer to it.
 * Ranks. All ranks make the same calls in the same order: each call waits for the others. Arguments named
 *   as "of this rank", arrays, their lengths and results may differ between ranks. All other arguments are
 *   equal on all ranks, as values: of init, of edges, of flags and so on, not of addresses.
 * Errors. Every call begins with an all-gather of its arguments and of each rank's own checks. If a rank's
 *   check or allocation fails, or its kernel, no rank waits for ever: that rank returns its error, and all
 *   others return IW_ERROR_PEER with a message that names the rank and its reason. Arguments that differ
 *   are IW_ERROR_MISMATCH on all ranks, with a message that names the argument, two ranks and their values.
 *   In both cases arrays are unchanged if the reason was an argument, and the ranks can go on with their
 *   next call. If a function of the iw_peers fails, the call returns its status; whether other ranks return
 *   depends on the adapter; and later calls with the handle are IW_ERROR_PEER. A rank that passes NULL as
 *   the handle cannot take part: it alone returns, and the others wait.
 * Memory. As for the context: arrays are in host or, on CUDA, in device memory. If the peers cannot reach
 *   the memory of an array, the library stages what it sends and receives. Results named as "in host
 *   memory" are.
 * Streams. Every distributed call waits until its work is done. None can be captured in a CUDA graph.
 * Operators. The built-in ones. A user's operator is IW_ERROR_INVALID; a user's predicate or bucket rule is
 *   accepted.
 */
#ifndef ISOWARP_PEERS_H
#define ISOWARP_PEERS_H

#include <isowarp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Peers: what an adapter implements ---------------------------------------------------------------- */
/* What the functions of an iw_peers can do. */
enum {
  IW_PEERS_HOST = 1,   /* send and receive may be in host memory */
  IW_PEERS_DEVICE = 2, /* they may be in memory of the context's device */
  IW_PEERS_STREAM = 4  /* with device memory the functions work in the order of `stream`, and may return
                          before they are done. Without this flag the library synchronizes the stream
                          before each call and passes NULL, and what was received is complete on return */
};
/* What a rank sends and receives in an all-to-all. Each of the four arrays has messages * count sizes, of
 * which many may be 0: number m * count + r is of message m to or from rank r. */
typedef struct iw_all_to_all {
  unsigned messages;     /* that a rank may have for another one, at least 1 and equal on all ranks */
  const void *send;
  const size_t *send_bytes, *send_offsets;
  void *receive;
  const size_t *receive_bytes, *receive_offsets;
} iw_all_to_all;
/* A rank and its way to the others. Each function is a collective: all ranks call the same ones in the same
 * order, from one thread at a time. self is the member `self`. Sizes and offsets are in bytes, of 64 bits
 * on all 64-bit machines: a rank may send more than 2^31 bytes. Arrays of sizes are in host memory and are
 * read before the function returns. send and receive do not overlap, are both in host memory or both in
 * device memory, in the same one on all ranks, and may be NULL if they have no bytes; host memory that was
 * received is complete on return. stream is NULL with host memory. Each function returns IW_OK, or a status
 * and sets no message: the library adds the function's name and describe()'s text. */
typedef struct iw_peers {
  size_t size;           /* sizeof(iw_peers) */
  void *self;            /* passed to the functions; the library does not touch it */
  unsigned rank, count;  /* this rank, from 0, and the number of ranks, at least 1 */
  unsigned flags;        /* IW_PEERS_HOST, IW_PEERS_DEVICE or both, and IW_PEERS_STREAM */
  /* All-gather: receive = the bytes of rank 0, of rank 1, … one behind the other, on all ranks. bytes:
   * `count` sizes, equal on all ranks; bytes[rank] is that of send. */
  iw_status (*all_gather)(void *self, const void *send, void *receive, const size_t *bytes, void *stream);
  /* All-reduce: values[i] = the sum of all ranks' values[i], modulo 2^64. n is equal on all ranks. */
  iw_status (*all_reduce_u64)(void *self, uint64_t *values, size_t n, void *stream);
  /* All-to-all: for each message of rank r to this rank, the bytes of x->receive from the message's
   * receive_offsets on = those of rank r's x->send from its send_offsets on. receive_bytes says how many
   * rank r sends. A rank may send to itself. Messages in receive do not overlap. */
  iw_status (*all_to_all)(void *self, const iw_all_to_all *x, void *stream);
  /* Says why a function has failed, for iw_message(): a clause such as "MPI_Allgatherv: no memory", which
   * the library copies. NULL: no reason is known. */
  const char *(*describe)(void *self);
} iw_peers;

/* ---- Handles ------------------------------------------------------------------------------------------ */
/* A rank: its context and its peers. */
typedef struct iw_distributed iw_distributed;

/* Opens a handle; a distributed call. context: of this rank; it is used by one thread at a time, and is
 * closed after the handle. peers: of this rank; copied. Contexts may be of different backends. Result:
 * *handle, NULL on failure. If a rank has no memory for its handle, all return an error; but without
 * IW_PEERS_HOST a rank whose device has not 64 bytes cannot take part: it alone returns. Memory, until it
 * is closed: 128 KiB, 1432 bytes for each rank, and what its calls have needed most. */
IW_API iw_status iw_distributed_open(iw_context *context, const iw_peers *peers, iw_distributed **handle);
/* Closes a handle; not a distributed call. NULL is allowed. */
IW_API void iw_distributed_close(iw_distributed *handle);

/* Results in host memory: *begin, the global index of this rank's first element, and *total, the length of
 * the whole array. */
IW_API iw_status iw_distributed_extent(iw_distributed *handle, size_t n, uint64_t *begin, uint64_t *total);
/* Returns the length of a rank's part if `total` elements are distributed evenly: the first total % count
 * ranks have one more than the others. Not a distributed call; 0 if rank >= count. */
IW_API uint64_t iw_distributed_share(uint64_t total, unsigned rank, unsigned count);
/* Balance: moves the elements of the whole array, in order, to parts of other lengths: out_n, of this rank.
 * The sum of out_n over all ranks is that of n, else IW_ERROR_INVALID. in and out do not overlap. Network:
 * each element that changes its rank, once. */
IW_API iw_status iw_distributed_balance(iw_distributed *handle, iw_type type, const void *in, size_t n,
    void *out, size_t out_n);

/* ---- Scan and reduce (all types) ---------------------------------------------------------------------- */
/* Inclusive scan of the whole array, as iw_inclusive_scan; out is distributed like in. out may equal in.
 * options: init is one element in host or device memory, the same on all ranks. Segments by flags and
 * keys may extend over several ranks; flags or keys are of this rank's elements, and element 0 of the
 * whole array is a head. Other segments are IW_ERROR_INVALID. Reads in twice. Network: for sums and
 * products of floats 4 bytes (f64: 8) to every rank for each 2^17 elements of the whole array; if a
 * rank's part does not begin at a multiple of 2^17, less than 2^17 elements to a rank before, and as many
 * outputs back; for other operations 8 bytes for each rank; with segments of floats, flags or keys are
 * sent with elements. Memory: these, and for floats 2^17 elements and outputs; with segments at most 64 MiB
 * more. */
IW_API iw_status iw_distributed_inclusive_scan(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n,
    void *out, const iw_scan_options *options);
/* Exclusive scan of the whole array: out[0] of the first element is init. Else as
 * iw_distributed_inclusive_scan. */
IW_API iw_status iw_distributed_exclusive_scan(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n,
    void *out, const iw_scan_options *options);
/* Reduction of the whole array, as iw_reduce. results: one element in host or device memory, the same on
 * all ranks. Network and memory as iw_distributed_inclusive_scan without outputs. One pass.
 * Segments by keys and flags, which are runs that may extend over several ranks: the key and the result
 * of a run are on the rank where it begins. run_keys and results have room for n elements, of which
 * *run_count are written: the runs that begin on this rank, in host memory (iw_distributed_extent gives
 * their number on all ranks). Network: for each run that extends over ranks what a reduction of it takes.
 * Memory: at most 64 MiB. Other segments are IW_ERROR_INVALID. */
IW_API iw_status iw_distributed_reduce(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n,
    void *results, const iw_scan_options *options);

/* The first minimum (maximum) of the whole array, as iw_argmin (iw_argmax). Results, the same on all ranks:
 * *indices, a global index, in host memory; *values (NULL: not wanted) in host or device memory. Network:
 * 16 bytes for each rank.
 * options: segments by keys and flags, as in iw_distributed_reduce: indices and values (NULL: not wanted)
 * have room for n elements, and those of a run are on the rank where it begins. Its index counts from the
 * run's first element, on whatever rank the minimum is. Other segments are IW_ERROR_INVALID. */
IW_API iw_status iw_distributed_argmin(iw_distributed *handle, iw_type type, const void *in, size_t n,
    uint64_t *indices, void *values, const iw_scan_options *options);
IW_API iw_status iw_distributed_argmax(iw_distributed *handle, iw_type type, const void *in, size_t n,
    uint64_t *indices, void *values, const iw_scan_options *options);

/* ---- Exact sums --------------------------------------------------------------------------------------- */
/* Exact sum of the whole array, and exact dot product of two that are distributed alike, as iw_sum_exact
 * and iw_dot_exact. result: one element in host or device memory, the same on all ranks. Network: an
 * all-reduce of 568 bytes. */
IW_API iw_status iw_distributed_sum_exact(iw_distributed *handle, iw_type type, const void *in, size_t n,
                                          iw_type result_type, void *result);
IW_API iw_status iw_distributed_dot_exact(iw_distributed *handle, iw_type type, const void *a, const void
    *b, size_t n, iw_type result_type, void *result);
/* Merges unrounded sums: sums[i] = the sum of all ranks' sums[i], on all ranks, for any sums that
 * iw_exact_sum_add and the calls like it have made. sums: in host memory, `count` of them. Network: an
 * all-reduce of 568 bytes for each. */
IW_API iw_status iw_distributed_exact_sums_merge(iw_distributed *handle, iw_exact_sum *sums, size_t count);

/* ---- Histogram (all types) ---------------------------------------------------------------------------- */
/* Histogram of the whole array, as iw_histogram. counts: in host or device memory, the same on all ranks;
 * with IW_HIST_ACCUMULATE each rank adds the counts of the whole array to what its own counts hold. The
 * report is of the whole array, and may be wanted on some ranks only. Weights are distributed like samples;
 * no exact sums (iw_distributed_exact_sums_merge). spec->plan: of this rank; its bins, policy, flags and
 * counter_width are equal on all ranks. Network: an all-reduce of 8 bytes for each counter and each sum of
 * integers, of 568 for each sum of floats. Memory: 8 bytes for each counter and each sum of integers, 16 if
 * they are added to; for each sum of floats 856 bytes of host memory, and what exact sums of iw_histogram
 * need. */
IW_API iw_status iw_distributed_histogram(iw_distributed *handle, const iw_histogram_spec *spec,
    const void *samples, size_t n, void *counts, const iw_histogram_options *options);
/* The automatic range of the whole array, as iw_histogram_range. lo and hi: one element each, in host
 * memory, the same on all ranks. Network: 16 bytes for each rank. */
IW_API iw_status iw_distributed_histogram_range(iw_distributed *handle, iw_type type, const void *samples,
    size_t n, void *lo, void *hi);

/* ---- Partition, select, multisplit (all types) -------------------------------------------------------- */
/* options: payloads, but no rest: a distributed call has one output of each array. Each payload is
 * distributed like in. The permutation that a payload without in becomes has global indices; width 4: at
 * most 2^32 elements in the whole array, else IW_ERROR_OVERFLOW. The number of payloads and their widths, in
 * order, are equal on all ranks. out may be NULL with payloads, and in of a payload, on all ranks that have
 * elements or on none, else IW_ERROR_MISMATCH. */

/* Partition of the whole array: [selected elements][others], each stable; out is distributed like in, and
 * does not overlap it. test->flags: n bytes, of this rank; not NULL if n is 0. Result in host memory:
 * *count, the number of selected elements of the whole array. Network: 8 bytes to every rank for each
 * piece of the longest part, and each element and value that changes its rank once. Memory: buffers for a
 * piece of all that moves, of 32 MiB, or, if the peers reach device memory, of 1/128 of the device's
 * memory but at least 256 MiB; for a permutation at most as much more; the context's scratch for a partition
 * of as much, and of types of 1 and 2 bytes a byte for each element of a piece; and 72 bytes and 48 for each
 * rank. If the longest part has several pieces, all parts are read once more behind their first pieces, to
 * count. */
IW_API iw_status iw_distributed_partition(iw_distributed *handle, const iw_test *test, const void *in,
    size_t n, void *out, uint64_t *count, const iw_move_options *options);
/* Select: out = the selected elements of this rank, which stay there; the whole output is these in the
 * order of ranks (iw_distributed_balance makes their parts equal). out has room for n elements and may
 * equal in, as in iw_select_if. Result in host memory: *count, the selected elements of this rank
 * (iw_distributed_extent gives those of all ranks). Memory: of a permutation n indices. */
IW_API iw_status iw_distributed_select_if(iw_distributed *handle, const iw_test *test, const void *in,
    size_t n, void *out, size_t *count, const iw_move_options *options);
/* Multisplit of the whole array, as iw_multisplit; out is distributed like in, and does not overlap it.
 * offsets, in host memory: one element more than there are buckets, global indices, the same on all ranks.
 * Network: 8 bytes to every rank for each bucket and rank, and each element and value that changes its rank
 * once. Memory: with at most 32 buckets for each rank that there is, a piece as of a partition, and of the
 * elements as much more if out is NULL; scratch of the context for a multisplit of as much, and 16 bytes for
 * each bucket and rank; the 8 bytes are sent for each piece of the longest part then. With more buckets all
 * elements and values of this rank instead of a piece, and 8 bytes for each bucket and rank: their elements
 * of a piece would need too many messages. */
IW_API iw_status iw_distributed_multisplit(iw_distributed *handle, const iw_buckets *buckets, const void *in,
    size_t n, void *out, uint64_t *offsets, const iw_move_options *options);

/* ---- Sort (all types) --------------------------------------------------------------------------------- */
/* Stable sort of the whole array, as iw_sort: equal elements keep the order of the whole array. out is
 * distributed like in, and may equal it. options: payloads, whose widths and permutations are as above, but
 * no key and no segments. Splitters are exact, so parts have their lengths whatever the elements are.
 * Network: each element and value that changes its rank, once; 16 bytes to every rank for each rank and each
 * other one; and, for each 4 bits that are compared, an all-reduce of 120 bytes for each rank. Memory: n
 * elements, and n values of each payload, which the sorts of this rank's elements have as scratch, so that
 * it is no more than iw_sort needs; n elements more if out is NULL; 248 bytes for each rank and 16 for each
 * two. */
IW_API iw_status iw_distributed_sort(iw_distributed *handle, iw_type type, const void *in, size_t n, void *out,
    const iw_sort_options *options);

#ifdef __cplusplus
}
#endif

#endif
