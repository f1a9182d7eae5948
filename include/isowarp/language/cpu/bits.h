/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit counts of lane values on the CPU. Part of cpu.h, after lanes.h; knows nothing of memory or blocks.
 */
#ifndef ISOWARP_LANGUAGE_CPU_BITS_H
#define ISOWARP_LANGUAGE_CPU_BITS_H

#endif
