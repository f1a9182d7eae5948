/* SPDX-License-Identifier: Apache-2.0
 *
 * The groups of order 1 of a distributed array, which begin at multiples of 2^17 of its global indices. A
 * group belongs to the rank on which it begins. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_GROUPS_H
#define IW_ALGORITHMS_DISTRIBUTED_GROUPS_H

#include "algorithms/distributed/distributed.h"
#include "algorithms/scan/operation.h"

/* A rank's part is [head][body][tail]: the head belongs to a group of a rank before; the body has whole
 * groups, and the array's last one; the tail is the beginning of a group whose other elements are on later
 * ranks. */
typedef struct iw_groups {
  size_t head, body, tail;
  size_t received;          /* elements of the tail's group that other ranks sent; 0: there is no tail */
  uint64_t first, own, all; /* this rank's groups, and their first aggregate's index among those of all */
  void *tail_in, *tail_out; /* the tail and what was received, and their outputs */
  const char *aggregates;   /* of all groups, in host memory, of type `wide` */
  iw_type wide;
  iw_exchange forth, back;  /* of heads to the owners of their groups, and of their outputs */
} iw_groups;

/* Reserves what the next function needs, to be agreed on. out: where outputs of heads will be received;
 * NULL: there are none. */
iw_status iw_groups_reserve(iw_step *step, const iw_scan_spec *spec, const iw_operation *operation,
                            const void *in, void *out,
                            size_t n, iw_groups *groups);
/* Sends heads to the owners of their groups, reduces this rank's groups and gathers the aggregates of all.
 * handle->from has the parts of all ranks, whose begins decide where groups begin: there may be gaps in
 * front of multiples of 2^17. Has an agreement, and returns an error on all ranks or on none. in: the n
 * elements of this rank's part. */
iw_status iw_groups_reduce(iw_step *step, const iw_scan_spec *spec, const void *in, iw_groups *groups);
/* The parts of iw_groups_reduce, for calls that reduce groups in another way. iw_groups_send cuts, sends
 * heads and puts this rank's tail in front of what was received, by elements of `size` bytes: the elements,
 * or what belongs to them, through `forth`. iw_reduce_groups reduces groups of an array that begins with
 * one. iw_groups_memory sets *own to memory for the aggregates of this rank, and reserves what
 * iw_groups_gather needs, which has an agreement. */
iw_status iw_groups_send(iw_step *step, const void *in, size_t size, iw_exchange *forth, iw_groups *groups);
iw_status iw_reduce_groups(iw_context *context, const iw_scan_spec *spec, iw_type wide, const char *in,
                           size_t n, char *results);
iw_status iw_groups_memory(iw_step *step, iw_groups *groups, void **own);
iw_status iw_groups_gather(iw_step *step, const void *own, iw_groups *groups);
/* Returns init combined with `count` aggregates from number `first` on, from left to right, of type
 * `wide`. */
iw_scalar_bits iw_fold_groups(const iw_groups *groups, iw_builtin_op op, iw_scalar_bits init, uint64_t first,
                              uint64_t count);
/* The groups of a rank's part. */
uint64_t iw_groups_of(const iw_range *part);
/* Sends the outputs of heads back to their ranks. size: of an output. */
iw_status iw_groups_send_back(iw_step *step, size_t size, const iw_groups *groups);

#endif
