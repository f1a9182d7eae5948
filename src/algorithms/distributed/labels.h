/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags or keys of a rank's elements, and the heads of segments that they describe. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_LABELS_H
#define IW_ALGORITHMS_DISTRIBUTED_LABELS_H

#include "algorithms/distributed/distributed.h"

typedef struct iw_labels {
  const void *at;   /* flags, or keys of key_type */
  size_t size;      /* of one */
  iw_type key_type;
  int is_flags;
} iw_labels;

/* The first and the last head of n elements; n if there is none. */
typedef struct iw_heads { size_t first, last; } iw_heads;

/* Sets own words `first` and `last` to the labels of this rank's first and last elements. Own word 0 is n. */
iw_status iw_read_labels(iw_step *step, const iw_labels *labels, size_t n, unsigned first, unsigned last);
/* After an agreement with these words: whether this rank's first element is a head. */
int iw_begins_segment(const iw_step *step, const iw_labels *labels, unsigned first, unsigned last);
/* Finds the heads of n elements. is_head: whether the first element is one. */
iw_status iw_find_heads(iw_step *step, const iw_labels *labels, size_t n, int is_head, iw_heads *heads);

#endif
