/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: the kernels of partition, select, unique and run lengths.
 */
#include "algorithms/partition/partition_instances.h"
