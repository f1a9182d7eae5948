/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEXT once for each of the eight types T of samples: u8, u16 and the six types that are scanned.
 */
#define T u8
#include TEXT
#undef T
#define T u16
#include TEXT
#undef T
#include "algorithms/common/for_each_type.h"
