/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_WARP_SCAN_H
#define EXAMPLES_WARP_SCAN_H

#include <stddef.h>

typedef struct warp_scan_args {
  const float *in;
  float *out;
  size_t n;
} warp_scan_args;

#endif
