/* SPDX-License-Identifier: Apache-2.0
 *
 * Short names for the templates of this folder, which are written once for scalars and once for the
 * registers of a CPU: IW_MATH_FORM is iws_ or iwv_. names_end.h gives the program's own macros of these
 * names back. For scalars a mask is an int, for registers what their comparisons give.
 */
#pragma push_macro("FN")
#pragma push_macro("F64")
#pragma push_macro("U64")
#pragma push_macro("MASK")
#pragma push_macro("K")
#pragma push_macro("W")
#pragma push_macro("ADD")
#pragma push_macro("SUB")
#pragma push_macro("MUL")
#pragma push_macro("DIV")
#pragma push_macro("ABS")
#pragma push_macro("RINT")
#pragma push_macro("LT")
#pragma push_macro("LE")
#pragma push_macro("EQ")
#pragma push_macro("SELECT")
#pragma push_macro("SELECT_BITS")
#pragma push_macro("AND")
#pragma push_macro("OR")
#pragma push_macro("XOR")
#pragma push_macro("SHL")
#pragma push_macro("SHR")
#pragma push_macro("PLUS")
#pragma push_macro("MINUS")
#pragma push_macro("TIMES")
#pragma push_macro("BITS")
#pragma push_macro("FLOAT")
#pragma push_macro("POLYNOMIAL")
#pragma push_macro("POLYNOMIAL_FIRST")
#pragma push_macro("POLYNOMIAL_STEP")
#undef FN
#undef F64
#undef U64
#undef MASK
#undef K
#undef W
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ABS
#undef RINT
#undef LT
#undef LE
#undef EQ
#undef SELECT
#undef SELECT_BITS
#undef AND
#undef OR
#undef XOR
#undef SHL
#undef SHR
#undef PLUS
#undef MINUS
#undef TIMES
#undef BITS
#undef FLOAT
#undef POLYNOMIAL
#undef POLYNOMIAL_FIRST
#undef POLYNOMIAL_STEP

/* FN(exp_f64) is iws_exp_f64 or iwv_exp_f64. */
#define FN(name) IW_PASTE(IW_MATH_FORM, name)
#define F64 FN(f64)
#define U64 FN(u64)
#define MASK FN(mask_)
/* Constants, of f64 and of 64 bits. */
#define K(c) FN(set1_f64)(c)
#define W(c) FN(set1_u64)(c)
#define ADD(a, b) FN(add_f64)(a, b)
#define SUB(a, b) FN(sub_f64)(a, b)
#define MUL(a, b) FN(mul_f64)(a, b)
#define DIV(a, b) FN(div_f64)(a, b)
#define ABS(a) FN(abs_f64)(a)
#define RINT(a) FN(rint_f64)(a)
#define LT(a, b) FN(lt_f64)(a, b)
#define LE(a, b) FN(le_f64)(a, b)
#define EQ(a, b) FN(eq_f64)(a, b)
#define SELECT(mask, a, b) FN(select_f64)(mask, a, b)
#define SELECT_BITS(mask, a, b) FN(select_u64)(mask, a, b)
/* Of words of 64 bits. */
#define AND(a, b) FN(and_u64)(a, b)
#define OR(a, b) FN(or_u64)(a, b)
#define XOR(a, b) FN(xor_u64)(a, b)
#define SHL(a, n) FN(shl_u64)(a, n)
#define SHR(a, n) FN(shr_u64)(a, n)
#define PLUS(a, b) FN(add_u64)(a, b)
#define MINUS(a, b) FN(sub_u64)(a, b)
#define TIMES(a, b) FN(mul_u64)(a, b)
/* The bits of a float, NaNs as they are, and back. */
#define BITS(a) FN(raw_f64)(a)
#define FLOAT(a) FN(from_raw_f64)(a)
/* p = the polynomial NAME of coefficients.h at x, which is a variable, by Horner's rule. */
#define POLYNOMIAL(p, x, NAME) F64 p; { const F64 at_ = x; F64 sum_; \
  IW_PASTE(IW_POLYNOMIAL_, NAME)(POLYNOMIAL_FIRST, POLYNOMIAL_STEP) p = sum_; }
#define POLYNOMIAL_FIRST(c) sum_ = K(c);
#define POLYNOMIAL_STEP(c) sum_ = ADD(MUL(sum_, at_), K(c));
