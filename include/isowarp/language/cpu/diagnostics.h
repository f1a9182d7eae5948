/* SPDX-License-Identifier: Apache-2.0
 *
 * Silences, until diagnostics_end.h, the warnings that the headers between them would give on a user's line:
 * that vector arguments of inline functions have another ABI without AVX (they are never passed between
 * objects), and that clang did not unroll a loop whose length is not a constant.
 */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
