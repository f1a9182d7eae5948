/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices that can be simulated. The first is the default.
 */
#ifndef IW_SIM_PROFILES_H
#define IW_SIM_PROFILES_H

#include "sim/sim.h"

/* Sources: CUDA C++ Programming Guide, "Compute Capabilities"; NVIDIA's data sheets (the A100 is that of 40
 * GB); the A100 white paper for its L2 cache, 5120 bytes a clock. */
static const sim_profile profiles[] = {
  { "h200", "NVIDIA H200", 90, 132, 227 << 10, 228 << 10, 2048, 32, 1.98e9, 4.8e12, 0 },
  { "a100", "NVIDIA A100", 80, 108, 163 << 10, 164 << 10, 2048, 32, 1.41e9, 1.555e12, 5120 * 1.41e9 },
  { "l4", "NVIDIA L4", 89, 58, 99 << 10, 100 << 10, 1536, 24, 2.04e9, 3.0e11, 0 },
  { "t4", "NVIDIA T4", 75, 40, 64 << 10, 64 << 10, 1024, 16, 1.59e9, 3.2e11, 0 },
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

#endif
