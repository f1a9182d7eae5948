/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEXT once for each of the eight types that a histogram takes.
 */
#define T u8
#include TEXT
#undef T
#define T u16
#include TEXT
#undef T
#include "algorithms/common/for_each_type.h"
