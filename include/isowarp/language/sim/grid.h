/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: what blocks of one launch say to each other: tickets, the last
 * block, and tile states by publish and poll. Mirrors language/cuda/grid.h. What orders what is in
 * doc/memory-model.md.
 */
#ifndef ISOWARP_LANGUAGE_SIM_GRID_H
#define ISOWARP_LANGUAGE_SIM_GRID_H

#include <isowarp/language/sim/block.h>

/* ---- Words that blocks share ---- */

IW_FN uint32_t iw_fetch_add_relaxed_(const iw_site *site, const iw_block *block, uint32_t *p, uint32_t v)
{ (void)block; return iw_sim_fetch_add(site, p, v); }
IW_FN void iw_store_relaxed_(const iw_site *site, uint32_t *p, uint32_t v) { iw_sim_store_word(site, p, v); }
IW_FN uint32_t iw_load_relaxed_(const iw_site *site, const uint32_t *p) { return iw_sim_load_word(site, p); }
IW_FN uint32_t iw_increment_acq_rel_(const iw_site *site, const iw_block *block, uint32_t *p)
{ (void)block; return iw_sim_increment_acq_rel(site, p); }
IW_FN uint32_t iw_ticket_request_in(const iw_site *site, uint32_t *p) { return iw_sim_fetch_add(site, p, 1); }

IW_FN void iw_pause(const iw_site *site, unsigned *spins) { ++*spins; iw_sim_wait(site); }

/* ---- Tile states ---- */

/* A slot is one word, flag and value, for 4-byte types, and two words for 8-byte types, each with the flag
 * and half of the value. */
#define IW_TEMPLATE <isowarp/language/sim/publish_of_type.h>
#include <isowarp/language/for_each_type.h>

#endif
