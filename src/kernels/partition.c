/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/partition/partition_instances.h"
