/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a module of sets of kernels. It is compiled for each module.
 */
#include <config.h>
#include "runtime/kernel_sets.h"

IW_DEFINE_LINKED_SETS(sets)
const iw_kernel_module iw_kernel_module_here = { PACKAGE_VERSION, sets };
