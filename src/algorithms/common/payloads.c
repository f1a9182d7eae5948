/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of payloads (payloads.h). Algorithms layer; knows no algorithm and no kernel.
 */
#include "algorithms/common/payloads.h"

const char *const iw_moved_names[IW_MOVED_NAMES] = {
  "in", "out",
  "payloads[0].in", "payloads[0].out", "payloads[1].in", "payloads[1].out", "payloads[2].in", "payloads[2].out",
  "payloads[3].in", "payloads[3].out", "payloads[4].in", "payloads[4].out", "payloads[5].in", "payloads[5].out",
  "payloads[6].in", "payloads[6].out", "payloads[7].in", "payloads[7].out",
};

/* A payload's values are aligned to their width, those of 16 bytes to 8. */
static iw_status check_values(const char *name, const void *array, size_t n, size_t width)
{
  return width == 16 && n <= SIZE_MAX / 2 ? iw_check_array(name, array, 2 * n, 8) : iw_check_array(name, array, n, width);
}

iw_status iw_check_payloads(const iw_payload *payloads, size_t count, size_t n)
{
  for (size_t i = 0; i < count; i++) {
    const iw_payload *const p = &payloads[i];
    const size_t width = p->width;
    if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].width is %zu; valid are 1, 2, 4, 8 and 16", i, width);
    if (p->rest)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].rest is %p; valid is NULL, as this call has one output of each array", i, p->rest);
    if (p->in)
      IW_TRY(check_values(iw_moved_names[2 + 2 * i], p->in, n, width));
    else if (n && width != 4 && width != 8)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].width is %zu, and payloads[%zu].in is NULL: indices have 4 or 8 bytes", i,
                     width, i);
    else if (width == 4 && n > (size_t)UINT32_MAX + 1)
      return iw_fail(IW_ERROR_OVERFLOW, "payloads[%zu].width is 4 and n is %zu: indices of 32 bits number at most 4294967296 elements",
                     i, n);
    IW_TRY(check_values(iw_moved_names[3 + 2 * i], p->out, n, width));
  }
  return IW_OK;
}

iw_status iw_check_moved_overlaps(const iw_array *arrays, unsigned count, size_t *in_place)
{
  *in_place = 0;
  for (unsigned b = 0; b < count; b++)
    for (unsigned a = 0; arrays[b].access & IW_WRITE && a < count; a++)
      if (!(arrays[a].access & IW_WRITE) && a + 1 == b && arrays[a].at == arrays[b].at)
        *in_place += iw_bytes_of(&arrays[b]);
      else if (!(arrays[a].access & IW_WRITE) || a < b)
        IW_TRY(iw_check_no_overlap(arrays[a].name, arrays[a].at, iw_bytes_of(&arrays[a]), arrays[b].name, arrays[b].at, iw_bytes_of(&arrays[b])));
  return IW_OK;
}
