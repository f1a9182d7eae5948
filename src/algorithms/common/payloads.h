/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of payloads that calls move stably to one output each: multisplit and sort. Algorithms layer; knows
 * no algorithm and no kernel.
 */
#ifndef IW_ALGORITHMS_PAYLOADS_H
#define IW_ALGORITHMS_PAYLOADS_H

#include "runtime/check.h"
#include "runtime/staging.h"

/* "in", "out", "payloads[0].in", "payloads[0].out", … */
enum { IW_MOVED_NAMES = 2 * (IW_MAX_PAYLOADS + 1) };
extern const char *const iw_moved_names[IW_MOVED_NAMES];

/* An array of n values of `width` bytes. Values of 16 bytes are aligned to 8, as they move in halves. */
static inline iw_array iw_values(const char *name, const void *at, size_t n, size_t width, unsigned access)
{
  const int halves = width == 16 && n <= SIZE_MAX / 2;
  return (iw_array){ name, at, halves ? 2 * n : n, halves ? 8 : width, access, NULL };
}

/* Lists the elements of a call and its payloads, each followed by its output, and returns how many arrays
 * these are. The output of the elements may be NULL, as may be payloads: indices. */
enum { IW_MOVED_OUT = IW_WRITE | IW_IN_PLACE };
static inline IW_INLINED unsigned iw_list_elements(iw_type type, const void *in, void *out, size_t n, iw_array *arrays)
{
  arrays[0] = (iw_array){ iw_moved_names[0], in, n, iw_type_size(type), IW_READ, NULL };
  arrays[1] = (iw_array){ iw_moved_names[1], out, n, iw_type_size(type), IW_MOVED_OUT | IW_OPTIONAL, NULL };
  return 2;
}
static inline unsigned iw_list_moved(iw_type type, const void *in, void *out, size_t n, const iw_payload *payloads, size_t count,
                                     iw_array *arrays)
{
  unsigned k = iw_list_elements(type, in, out, n, arrays);
  for (size_t i = 0; i < count; i++, k += 2) {
    arrays[k] = iw_values(iw_moved_names[k], payloads[i].in, n, payloads[i].width, IW_READ | IW_OPTIONAL);
    arrays[k + 1] = iw_values(iw_moved_names[k + 1], payloads[i].out, n, payloads[i].width, IW_MOVED_OUT);
  }
  return k;
}

/* Checks the options of a call that moves payloads, and copies these. */
iw_status iw_read_payloads(const iw_move_options *options, iw_payload copies[IW_MAX_PAYLOADS]);
/* Checks each payload of a listed call by itself: its width, that it has no rest, and its arrays. */
iw_status iw_check_payloads(const iw_payload *payloads, size_t count, size_t n, const iw_array *arrays);

#endif
