/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: N-D and weighted histograms.
 */
#include "algorithms/histogram/nd_instances.h"
