/* SPDX-License-Identifier: Apache-2.0
 *
 * Silences, until diagnostics_end.h, the warnings that the headers between them would give on a user's line:
 * that vector arguments of inline functions have another ABI without AVX (they are never passed between
 * objects), that clang did not unroll a loop whose length is not a constant, and that an instance of a
 * template does not use a parameter.
 */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang diagnostic ignored "-Wunused-parameter"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
