/* SPDX-License-Identifier: Apache-2.0
 *
 * How many elements each rank has: iw_distributed_extent, iw_distributed_share and iw_distributed_balance.
 * Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"

#include <inttypes.h>

iw_status iw_distributed_extent(iw_distributed *handle, size_t n, uint64_t *begin, uint64_t *total)
{
  iw_step step;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_extent"));
  IW_STEP(&step, iw_check_single("begin", begin, sizeof *begin));
  IW_STEP(&step, iw_check_single("total", total, sizeof *total));
  IW_STEP(&step, iw_check_no_overlap("begin", begin, sizeof *begin, "total", total, sizeof *total));
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  *total = iw_ranges_of(&step, 0, handle->from);
  *begin = handle->from[handle->peers.rank].begin;
  return IW_OK;
}

uint64_t iw_distributed_share(uint64_t total, unsigned rank, unsigned count)
{
  return rank < count ? total / count + (rank < total % count) : 0;
}

iw_status iw_distributed_balance(iw_distributed *handle, iw_type type, const void *in, size_t n, void *out,
                                 size_t out_n)
{
  iw_step step;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_balance"));
  const size_t size = iw_type_size(type);
  IW_STEP(&step, iw_check_type(type, IW_ALL_TYPES));
  IW_STEP(&step, iw_check_array("in", in, n, size));
  IW_STEP(&step, iw_check_array("out", out, out_n, size));
  IW_STEP(&step, iw_check_no_overlap("in", in, n * size, "out", out, out_n * size));
  IW_STEP(&step, iw_step_select(&step, in, n * size, out, out_n * size));
  iw_exchange exchange = { .send = in, .receive = out, .send_bytes = n * size,
                           .receive_bytes = out_n * size };
  IW_STEP(&step, iw_exchange_reserve(&step, &exchange));
  iw_step_word(&step, "type", IW_WORD_TYPE, type);
  step.record.own[0] = n;
  step.record.own[1] = out_n;
  IW_TRY(iw_agree(&step));
  const uint64_t all_in = iw_ranges_of(&step, 0, handle->from), all_out = iw_ranges_of(&step, 1, handle->to);
  if (all_in != all_out) /* on all ranks */
    return iw_fail(IW_ERROR_INVALID,
                   "the sum of out_n over all ranks is %" PRIu64 ", but that of n is %" PRIu64, all_out,
                   all_in);
  iw_plan_moves(handle, size, 0);
  IW_TRY(iw_exchange_run(&step, &exchange, 1));
  return iw_finish(&step);
}
