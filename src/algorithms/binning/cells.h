/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of cells of a plan whose edges no formula finds. Algorithms layer; not installed.
 */
#ifndef IW_BINNING_CELLS_H
#define IW_BINNING_CELLS_H

#include "algorithms/binning/args.h"

#include <isowarp.h>

/* Chooses the cells in which edges 1 … bins - 1 are found by the fewest comparisons, and sets the rule's
 * members for them. edges: of the KEY type, `key`. Returns 0, and sets nothing, if a bisection is as
 * fast. */
int iw_choose_cells(iw_type key, const void *edges, iw_binning *rule);
/* Writes the table of the rule's cells. */
void iw_write_cells(iw_type key, const void *edges, const iw_binning *rule, uint32_t *table);

#endif
