/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE for the fold of FOLD_ROW (operations.h) if its set is one of FOLD_SETS. Parameters of
 * the template:
 *   OP, T          the combine function, and the type in which it combines
 *   FROM           defined if elements in memory have another type
 *   NARROW         defined if outputs may be of that type too
 *   TWIDDLE_BITS   defined if the fold twiddles bits (scan/args.h)
 *   MINIMUM        defined for the minimum of the kernel language
 *   OF_LANES       defined if OP is one of IW_FOR_LANE_OPERATORS
 *   FOLD_NAME      OP_T, or OP_T_from_FROM
 */
#ifndef FOLD_FIELD
#define FOLD_FIELD(field, row) FOLD_FIELD_(field, row)
#define FOLD_FIELD_(field, ...) FOLD_##field(__VA_ARGS__)
#define FOLD_op(op, t, from, set) op
#define FOLD_t(op, t, from, set) t
#define FOLD_from(op, t, from, set) from
#define FOLD_set(op, t, from, set) set
#define FOLD_twiddles(op, t, from, set) FOLD_TWIDDLES(IW_FOLDS_OF_##op)
#define FOLD_TWIDDLES(...) FOLD_TWIDDLES_(__VA_ARGS__)
#define FOLD_TWIDDLES_(op, sets, letter, floats, twiddles) twiddles
#define FOLD_plain_name(op, t, from, set) op##_##t
#define FOLD_from_name(op, t, from, set) op##_##t##_from_##from
#endif

#if FOLD_FIELD(set, FOLD_ROW) & (FOLD_SETS)
#define OP FOLD_FIELD(op, FOLD_ROW)
#define T FOLD_FIELD(t, FOLD_ROW)
#if FOLD_FIELD(set, FOLD_ROW) & IW_PLAIN
#define FOLD_NAME FOLD_FIELD(plain_name, FOLD_ROW)
#else
#define FOLD_NAME FOLD_FIELD(from_name, FOLD_ROW)
#define FROM FOLD_FIELD(from, FOLD_ROW)
#endif
#if FOLD_FIELD(set, FOLD_ROW) & IW_NARROW
#define NARROW
#endif
#if FOLD_FIELD(twiddles, FOLD_ROW)
#define TWIDDLE_BITS
#endif
#if FOLD_FIELD(set, FOLD_ROW) & IW_MINIMA
#define MINIMUM
#endif
#if FOLD_FIELD(set, FOLD_ROW) & IW_BY_LANES
#define OF_LANES
#endif

#include TEMPLATE

#undef OP
#undef T
#undef FROM
#undef NARROW
#undef TWIDDLE_BITS
#undef MINIMUM
#undef OF_LANES
#undef FOLD_NAME
#endif

#undef FOLD_ROW
