/* SPDX-License-Identifier: Apache-2.0
 *
 * Bins as the Python files describe them. */
#ifndef ISOWARP_PYTHON_HISTOGRAM_H
#define ISOWARP_PYTHON_HISTOGRAM_H

#include "core.h"

/* The spec of a tuple (bins, lo, hi, edges, policy, flags), of which lo and hi or edges are None. Edges are
 * of `type`. */
iw_histogram_spec spec_of(call *c, PyObject *tuple, iw_type type);
/* Counters that a histogram of this spec writes. */
size_t outputs_of(const iw_histogram_spec *spec);

#endif
