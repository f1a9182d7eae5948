/* SPDX-License-Identifier: Apache-2.0
 *
 * The example kernels at work: what `isowarp demo` runs.
 */
#ifndef EXAMPLES_DEMO_H
#define EXAMPLES_DEMO_H

#include <stdio.h>
#include <isowarp.h>

/* Runs the demo of this name, or all for NULL, with warps of 8, 16, 32 or 64 lanes; 0 stands for 32, and a demo
 * that needs another size takes it. On a CUDA context every warp has 32. Writes one line `name: values` a result to
 * out. Returns 0; 1 if a value is not what it must be or a kernel could not run, which then has a line too; 2 if there
 * is no demo of this name. */
int isowarp_demo_run(iw_context *context, const char *name, unsigned warp_size, FILE *out);

/* The names, from 0 on; NULL past the last. */
const char *isowarp_demo_name(unsigned i);

#endif
