/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/exact_sum/instances.h"
