/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: flags of the elements of rows, counting flagged
 * elements, and packing them apart from the others in shared memory. Mirrors language/cuda/row_flags.h. May
 * change with the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_ROW_FLAGS_H
#define ISOWARP_LANGUAGE_SIM_ROW_FLAGS_H

#include <isowarp/language/sim/atomics.h>
#include <isowarp/language/sim/row_segments.h>

/* n: of all lanes. */
typedef struct { unsigned n; uint64_t undefined; uint32_t owner; } iw_count_accumulator;
IW_FN unsigned iw_count_total(const iw_site *site, iw_count_accumulator count)
{ iw_use_(site, count.undefined, count.owner, "the count"); iw_count_(site, IW_SIM_REDUCE, 1); return count.n; }

#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE <isowarp/language/sim/row_flags_of_width.h>
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE <isowarp/language/sim/row_flag_bits_of_width.h>
#include <isowarp/language/for_each_type.h>

#endif
