/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library's own kernel templates use besides the language's core: floors and edges, rows,
 * segments, flags and packing, private counters, ranked scatter and write-combining buffers. It may change
 * with every version of the library.
 */
#ifndef ISOWARP_PRIMITIVES_H
#define ISOWARP_PRIMITIVES_H

#include <isowarp/kernel.h>
#ifdef __CUDACC__
#include <isowarp/language/cuda/primitives.h>
#endif

#endif
