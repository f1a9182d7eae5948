/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each of the eight types T of samples: u8, u16 and the six types that are scanned.
 */
#define T u8
#include TEMPLATE
#undef T
#define T u16
#include TEMPLATE
#undef T
#include "algorithms/common/for_each_type.h"
