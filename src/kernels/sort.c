/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of the sort are those of the radix split (multisplit.c). */
#include "algorithms/sort/survey_kernel.h"
#include "algorithms/sort/segment_ids_kernel.h"
#include "algorithms/sort/segment_lists_kernel.h"
#include "algorithms/sort/block_sort_kernel.h"
