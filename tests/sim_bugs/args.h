/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of all kernels of tests/sim_bugs/.
 */
#ifndef TESTS_SIM_BUGS_ARGS_H
#define TESTS_SIM_BUGS_ARGS_H

#include <isowarp/descriptor.h>

typedef struct bug_args {
  const uint32_t *in;   /* n elements below 32, unless the case says otherwise */
  uint32_t *out;        /* the results */
  uint32_t *scratch;
  size_t n;
  uint64_t *slots;
  iw_tickets *tickets;
  uint32_t *counter;    /* of iw_is_last_block() */
} bug_args;

#endif
