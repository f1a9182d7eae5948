/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of the kernels whose counts are known: one struct for all, so that one table of cases runs
 * them.
 */
#ifndef TESTS_COUNTERS_ARGS_H
#define TESTS_COUNTERS_ARGS_H

#include <isowarp/descriptor.h>

typedef struct counter_args {
  const uint32_t *index;      /* of each lane: which element it accesses */
  const uint32_t *in;
  uint32_t *out;              /* what keeps the compiler from removing a load */
  uint64_t *words;            /* counters; tile states */
  iw_tickets *tickets;
  uint32_t lanes;             /* the lanes that take part, as a mask */
  uint32_t n;
} counter_args;

#endif
