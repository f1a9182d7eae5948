/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/sorted/bounds_kernel.h"
#include "algorithms/sorted/decode_kernel.h"
#include "algorithms/sorted/descents_kernel.h"
#include "algorithms/sort/merge_kernel.h"
