/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: rows in segments. The first element of a segment
 * is its head. Mirrors language/cuda/row_segments.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_ROW_SEGMENTS_H
#define ISOWARP_LANGUAGE_SIM_ROW_SEGMENTS_H

#include <isowarp/language/sim/rows.h>

/* A lane's bits of a bit array, one for each of the elements of its part, from bit `at` on, of which `each`
 * elements share one: lane l has bits[l]. A lane's bits are in one word. */
IW_FN void iw_row_load_bits_(IW_AT_PARAMETERS_, const uint32_t *p, size_t at, unsigned vectors, unsigned each, int64_t valid,
                             uint32_t *bits, uint64_t *undefined)
{
  uint64_t index[IW_WARP_SIZE];
  uint64_t some = 0;
  IW_EACH_LANE_(l) {
    index[l] = (at + l * vectors) / each / 32;
    some |= (uint64_t)((int64_t)(l * vectors) < valid) << l;
  }
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, index, 0, 0, iw_pred_(some, 0, 0), undefined);
  IW_EACH_LANE_(l) {
    const uint32_t word = m >> l & 1 ? p[index[l]] >> (at + l * vectors) / each % 32 : 0;
    bits[l] = (each == 1 ? word : iws_duplicate_bits(word & 0xffff)) & ((1u << vectors) - 1);
  }
}

#define IW_TEMPLATE <isowarp/language/sim/row_segments_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_OPERATOR_TEMPLATE <isowarp/language/sim/row_segments_of_operator.h>
#include <isowarp/language/for_each_operator.h>

#endif
