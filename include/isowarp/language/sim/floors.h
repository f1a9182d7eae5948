/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: floor of a float as an index with its distance
 * from the nearest integer, nearest integers, and evenly spaced bin edges. Mirrors language/cuda/floors.h.
 * May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_FLOORS_H
#define ISOWARP_LANGUAGE_SIM_FLOORS_H

#include <isowarp/language/sim/conversions.h>

/* A float whose last bit is worth 1 is added: the sum is rounded to an integer, which stands in its low
 * bits. */
#define IW_FLOOR_UNITS_f32 12582912.0f
#define IW_FLOOR_UNITS_f64 6755399441055744.0
/* What the low bits are of the sum with 0. */
#define IW_FLOOR_ZERO_f32 0x4b400000u
#define IW_FLOOR_ZERO_f64 0u
/* From here on a float counts as the largest floor of all. */
#define IW_FLOOR_RANGE_f32 4194304.0f
#define IW_FLOOR_RANGE_f64 2147483648.0

#define IW_TYPE_SET IW_SET_OF_FLOATS
#define IW_TEMPLATE <isowarp/language/sim/floors_of_float.h>
#include <isowarp/language/for_each_type.h>

#endif
