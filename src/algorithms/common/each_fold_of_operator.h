/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes each_fold.h for each fold of the operator of OPERATOR_ROW, IW_FOLDS_OF_… of operations.h, but for
 * the folds of IW_WIDENING_SUMS.
 */
#ifndef OPERATOR_FOLD
#define OPERATOR_FOLD(form, ...) OPERATOR_FOLD_(form, __VA_ARGS__)
#define OPERATOR_FOLD_(form, ...) OPERATOR_##form(__VA_ARGS__)
#define OPERATOR_integer(op, sets, letter, floats, twiddles, bits) op, letter##bits, letter##bits, IW_PLAIN_##sets
#define OPERATOR_narrow_integer(op, sets, letter, floats, twiddles, from) op, letter##32, from, IW_NARROW_##sets
#define OPERATOR_float(op, sets, letter, floats, twiddles, t) op, t, t, IW_PLAIN_##sets
#define OPERATOR_narrow_float(op, sets, letter, floats, twiddles, from) op, f32, from, IW_NARROW_##sets
#define OPERATOR_has_floats(op, sets, letter, floats, twiddles) floats
#endif
#define FOLD_ROW OPERATOR_FOLD(integer, OPERATOR_ROW, 32)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(integer, OPERATOR_ROW, 64)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(narrow_integer, OPERATOR_ROW, u8)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(narrow_integer, OPERATOR_ROW, u16)
#include "algorithms/common/each_fold.h"
#if OPERATOR_FOLD(has_floats, OPERATOR_ROW)
#define FOLD_ROW OPERATOR_FOLD(float, OPERATOR_ROW, f32)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(float, OPERATOR_ROW, f64)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(narrow_float, OPERATOR_ROW, f16)
#include "algorithms/common/each_fold.h"
#define FOLD_ROW OPERATOR_FOLD(narrow_float, OPERATOR_ROW, bf16)
#include "algorithms/common/each_fold.h"
#endif
#undef OPERATOR_ROW
