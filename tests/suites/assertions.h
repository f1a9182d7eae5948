/* SPDX-License-Identifier: Apache-2.0
 *
 * Check's assertions, at a cost that allows one for each element. Included by the suites in place of
 * <check.h>.
 *
 * Check writes a record to a file for every assertion that holds, so that it can name the last one before a
 * crash. That takes longer than most of what is asserted. Here only a failed assertion writes a record. MUST
 * (reference.h) and launches of kernels (check_language.c) call mark_point() first, so that a crash in the
 * library is still located.
 */
#ifndef TESTS_ASSERTIONS_H
#define TESTS_ASSERTIONS_H

#ifdef WITHOUT_CHECK /* programs that are no suites: a failed assertion ends them */
#include <stdio.h>
#include <stdlib.h>
#define ck_assert_msg(expr, ...) \
  ((expr) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #expr), \
                       fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort()))
#define ck_assert(expr) ck_assert_msg(expr, "an assertion")
#define ck_assert_ptr_nonnull(pointer) ck_assert((pointer) != NULL)
#define ck_assert_uint_gt(a, b) ck_assert((a) > (b))
#define ck_assert_uint_eq(a, b) ck_assert((a) == (b))
#define ck_abort_msg(...) ck_assert_msg(0, __VA_ARGS__)
#define mark_point() ((void)0)

#else
#include <check.h>

/* Check's other assertions expand to this one. */
#undef ck_assert_msg
#define ck_assert_msg(expr, ...) \
  ((expr) ? (void)0 : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", __VA_ARGS__))
#endif

#endif
