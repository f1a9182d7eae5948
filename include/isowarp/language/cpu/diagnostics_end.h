/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends what diagnostics.h begins.
 */
#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
