/* SPDX-License-Identifier: Apache-2.0 */
#error "isowarp: the simulated GPU cannot run Thrust"
