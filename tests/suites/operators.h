/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators, load transforms, predicates, rules and sort keys of a user's: tests/suites/operators.c has
 * them as lane functions, once for each instruction set and by nvcc, tests/suites/check_operators.c as
 * plain C. Needs config.h in front.
 */
#ifndef TESTS_OPERATORS_H
#define TESTS_OPERATORS_H

#include <isowarp/descriptor.h>
#include <isowarp.h>

#define FOR_OPERATORS(X, suffix) \
  X(affine_u32##suffix) X(newest_i64##suffix) X(total_f32_from_narrowed##suffix) X(sum_f64_from_squared##suffix) \
  X(sum_u32_from_vowel##suffix) X(sum_f32_from_doubled##suffix)

#define FOR_PREDICATES(X, suffix) \
  X(is_odd_predicate##suffix) X(is_not_positive_predicate##suffix) X(is_picked_predicate##suffix)

#define FOR_RULES(X, suffix) \
  X(last_digit_rule##suffix) X(letter_rule##suffix) X(eighth_rule##suffix) X(exponent_rule##suffix) X(hashed_rule##suffix)

#define FOR_KEYS(X, suffix) X(remainder_of_10_key##suffix) X(magnitude_key##suffix) X(reversed_key##suffix)

/* What the builds of all sets define. */
#define DECLARE_OPERATOR(name) extern const iw_operator name;
#define DECLARE_PREDICATE(name) extern const iw_predicate name;
#define DECLARE_RULE(name) extern const iw_bucket_rule name;
#define DECLARE_KEY(name) extern const iw_sort_key name;
#define DECLARE_BUILD(isa) \
  FOR_OPERATORS(DECLARE_OPERATOR, _##isa) FOR_PREDICATES(DECLARE_PREDICATE, _##isa) FOR_RULES(DECLARE_RULE, _##isa) \
  FOR_KEYS(DECLARE_KEY, _##isa)
IW_FOR_ISAS(DECLARE_BUILD)
DECLARE_BUILD(sim)
DECLARE_BUILD(cuda)

#endif
