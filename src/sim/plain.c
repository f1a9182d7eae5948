/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain C of kernels that the compiler has instrumented (-DIW_SIM_HOOKS,
 * include/isowarp/language/sim/hooks.h). The warp performs it as a whole, so it counts as an access of its
 * first lane; what is in registers, on the stack and of the host is none of the device's. Backend layer.
 */
#include "sim/fiber.h"
#include "sim/sim.h"

/* ---- Accesses ------------------------------------------------------------------------------------------ */

/* Whether an access is to memory that the checks know; arguments may be read. */
static int is_of_device(const sim_warp *warp, uintptr_t at, unsigned kind)
{
  const sim_block *const block = warp->block;
  const sim_launch *const launch = block->launch;
  if (iw_sim_fiber_has(warp->fiber, at)) /* as most are */
    return 0;
  if (launch->args && at - (uintptr_t)launch->args < launch->kernel->args)
    return kind != IW_SIM_LOAD;
  return at - (uintptr_t)block->shared_mapping < SIM_SHARED ||
         iw_sim_memory_find(launch->state, (const void *)at) != NULL;
}

void iw_sim_plain(const void *memory, size_t bytes, unsigned kind, int is_range, const void *pc)
{
  enum { NULL_PAGE = 4096 };
  sim_warp *const self = sim_self();
  const uintptr_t at = (uintptr_t)memory;
  if (!self || !(self->self.checks & SIM_CHECK_ALL) || !bytes ||
      (at >= NULL_PAGE && !is_of_device(self, at, kind)))
    return;
  const iw_site *const site = iw_sim_make_site((uintptr_t)pc - 1, iw_sim_plain_operation, NULL);
  if (!site)
    return;
  if (at < NULL_PAGE) {
    self->last = site; /* for the finding about the signal that follows */
    return;
  }
  if (bytes <= 8 && !is_range) {
    (void)iw_sim_check_plain(self, site, at, (unsigned)bytes, kind, 0);
    return;
  }
  int defined = is_range || kind != IW_SIM_LOAD; /* a struct may be copied before it is whole */
  for (size_t done = 0; done < bytes; ) { /* in aligned pieces */
    unsigned piece = is_range ? 8 : 4;
    while ((at + done) % piece || done + piece > bytes)
      piece /= 2;
    defined |= iw_sim_check_plain(self, site, at + done, piece, kind, 1);
    done += piece;
  }
  if (!defined) /* a vector or a wide number of which no part is */
    (void)iw_sim_check_plain(self, site, at, 4, kind, 0);
}

void iw_sim_wrong_index(const void *about, uintptr_t index)
{
  sim_warp *const self = sim_self();
  if (!self || !(self->self.checks & SIM_CHECK_BOUNDS))
    return;
  sim_state *const state = self->block->launch->state;
  const sim_index i = iw_sim_index(about, index);
  const iw_site *const site = iw_sim_make_site((uintptr_t)about, iw_sim_plain_operation, &i);
  if (!site || iw_sim_finding_again(state, SIM_BOUNDS, site, NULL, 0))
    return;
  iw_sim_found(state, SIM_BOUNDS, site, NULL, "block %zu warp %u uses the index %s of %s", self->block->index,
               self->index, i.number, i.array);
}
