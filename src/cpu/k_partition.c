/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/partition/instances.h"
