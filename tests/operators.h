/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators, load transforms, predicates and rules of a user's: tests/operators.c has them as lane functions, once for each instruction set and by
 * nvcc, tests/check_operators.c as plain C.
 */
#ifndef TESTS_OPERATORS_H
#define TESTS_OPERATORS_H

#include <isowarp/descriptor.h>

#define FOR_OPERATORS(X, suffix) \
  X(affine_u32##suffix) X(newest_i64##suffix) X(total_f32_from_narrowed##suffix) X(sum_f64_from_squared##suffix) \
  X(sum_u32_from_vowel##suffix)

#define FOR_PREDICATES(X, suffix) \
  X(is_odd_predicate##suffix) X(is_not_positive_predicate##suffix) X(is_picked_predicate##suffix)

#define FOR_RULES(X, suffix) \
  X(last_digit_rule##suffix) X(letter_rule##suffix) X(eighth_rule##suffix) X(exponent_rule##suffix) X(hashed_rule##suffix)

#define OPERATOR_DECLARED(name) extern const iw_operator name;
FOR_OPERATORS(OPERATOR_DECLARED, _generic)
FOR_OPERATORS(OPERATOR_DECLARED, _sse4)
FOR_OPERATORS(OPERATOR_DECLARED, _avx2)
FOR_OPERATORS(OPERATOR_DECLARED, _avx512)
FOR_OPERATORS(OPERATOR_DECLARED, _neon)
FOR_OPERATORS(OPERATOR_DECLARED, _cuda)

#define PREDICATE_DECLARED(name) extern const iw_predicate name;
FOR_PREDICATES(PREDICATE_DECLARED, _generic)
FOR_PREDICATES(PREDICATE_DECLARED, _sse4)
FOR_PREDICATES(PREDICATE_DECLARED, _avx2)
FOR_PREDICATES(PREDICATE_DECLARED, _avx512)
FOR_PREDICATES(PREDICATE_DECLARED, _neon)
FOR_PREDICATES(PREDICATE_DECLARED, _cuda)
FOR_PREDICATES(PREDICATE_DECLARED, _gpu_schedule) /* generic, with a GPU's tuning numbers */

#define RULE_DECLARED(name) extern const iw_bucket_rule name;
FOR_RULES(RULE_DECLARED, _generic)
FOR_RULES(RULE_DECLARED, _sse4)
FOR_RULES(RULE_DECLARED, _avx2)
FOR_RULES(RULE_DECLARED, _avx512)
FOR_RULES(RULE_DECLARED, _neon)
FOR_RULES(RULE_DECLARED, _cuda)

#endif
