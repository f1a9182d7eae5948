/* SPDX-License-Identifier: Apache-2.0
 *
 * What only the library's own kernel templates use, and templates for users' operators, predicates and rules. May change in any
 * release.
 */
#ifndef ISOWARP_PRIMITIVES_H
#define ISOWARP_PRIMITIVES_H

#include <isowarp/kernel.h>
#ifdef __CUDACC__
#include <isowarp/language/cuda/primitives.h>
#else
#include <isowarp/language/cpu/primitives.h>
#endif

#endif
