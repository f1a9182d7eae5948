/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the example kernels, for `isowarp demo`.
 */
#ifndef EXAMPLES_DEMO_H
#define EXAMPLES_DEMO_H

#include <stdio.h>
#include <isowarp.h>

/* Runs the demo with this name, or all demos if name is NULL, and writes one line `name: values` per result
 * to out. warp_size: 8, 16, 32 or 64, or 0 for 32; a demo that needs another size uses that, and on a CUDA
 * context it is always 32. Returns 0 if all values are right, 1 if a value is wrong or a kernel could not
 * run (out has a line about it), and 2 if there is no demo with this name. */
int isowarp_demo_run(iw_context *context, const char *name, unsigned warp_size, FILE *out);

/* The name of demo i; NULL after the last one. */
const char *isowarp_demo_name(unsigned i);

#endif
