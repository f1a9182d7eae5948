/* SPDX-License-Identifier: Apache-2.0
 *
 * Check's assertions, at a cost that allows one for each element. Included by the suites in place of <check.h>.
 *
 * Check writes a record to a file for every assertion that holds, so that it can name the last one before a
 * crash. That takes longer than most of what is asserted. Here only a failed assertion writes a record. MUST
 * (reference.h) and launches of kernels (check_language.c) call mark_point() first, so that a crash in the
 * library is still located.
 */
#ifndef TESTS_ASSERTIONS_H
#define TESTS_ASSERTIONS_H

#include <check.h>

/* Check's other assertions expand to this one. */
#undef ck_assert_msg
#define ck_assert_msg(expr, ...) \
  ((expr) ? (void)0 : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", __VA_ARGS__))

#endif
