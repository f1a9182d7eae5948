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

iw_status iw_read_payloads(const iw_move_options *options, iw_payload copies[IW_MAX_PAYLOADS])
{
  IW_TRY(iw_check_struct("options->size", options, "iw_move_options", sizeof *options));
  if (options->payload_count > IW_MAX_PAYLOADS)
    return iw_fail(IW_ERROR_INVALID, "options->payload_count is %zu; valid are 0 to %d", options->payload_count, (int)IW_MAX_PAYLOADS);
  return options->payload_count ? iw_copy_payloads(options->payloads, options->payload_count, copies) : IW_OK;
}

iw_status iw_check_payloads(const iw_payload *payloads, size_t count, size_t n, const iw_array *arrays)
{
  for (size_t i = 0; i < count; i++) {
    const iw_payload *const p = &payloads[i];
    const size_t width = p->width;
    if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].width is %zu; valid are 1, 2, 4, 8 and 16", i, width);
    if (p->rest)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].rest is %p; valid is NULL, as this call has one output of each array", i, p->rest);
    IW_TRY(iw_check_each_array(&arrays[2 + 2 * i], 1));
    if (!p->in && n && width != 4 && width != 8)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].width is %zu, and payloads[%zu].in is NULL: indices have 4 or 8 bytes", i,
                     width, i);
    if (!p->in && width == 4 && n > (size_t)UINT32_MAX + 1)
      return iw_fail(IW_ERROR_OVERFLOW, "payloads[%zu].width is 4 and n is %zu: indices of 32 bits number at most 4294967296 elements",
                     i, n);
    IW_TRY(iw_check_each_array(&arrays[3 + 2 * i], 1));
  }
  return IW_OK;
}
