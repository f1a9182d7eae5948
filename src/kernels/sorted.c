/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: the kernels on sorted arrays.
 */
#include "algorithms/sorted/bounds_kernel.h"
#include "algorithms/sorted/descents_kernel.h"
#include "algorithms/sorted/merge_kernel.h"
