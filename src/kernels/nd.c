/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/histogram/nd_instances.h"
