/* SPDX-License-Identifier: Apache-2.0
 *
 * Short names for the CPU's templates (*_of_type.h, *_of_operator.h), which are included once per element
 * type T, or once per type and operator OP. Included by cpu.h and primitives.h in front of the templates;
 * names_end.h behind them restores whatever the program had defined under these names. Knows nothing of the
 * functions that the templates define.
 */
#pragma push_macro("IW_TEMPLATE")
#pragma push_macro("IW_TYPE_SET")
#pragma push_macro("T")
#pragma push_macro("OP")
#pragma push_macro("FN")
#pragma push_macro("VFN")
#pragma push_macro("SFN")
#pragma push_macro("OP_FN")
#pragma push_macro("OP_LANES")
#pragma push_macro("OP_REGISTERS")
#pragma push_macro("OP_SCALARS")
#pragma push_macro("LANES")
#pragma push_macro("SCALAR")
#pragma push_macro("REGISTER")
#pragma push_macro("VL")
#pragma push_macro("VECTORS")
#pragma push_macro("PADDED")
#pragma push_macro("EACH")
#pragma push_macro("SOME")
#pragma push_macro("ROW")
#pragma push_macro("ROW_TYPE")
#pragma push_macro("ROW_LENGTH")
#pragma push_macro("ROW_VECTORS")
#pragma push_macro("EACH_VECTOR")
#undef IW_TEMPLATE
#undef IW_TYPE_SET
#undef T
#undef OP
#undef FN
#undef VFN
#undef SFN
#undef OP_FN
#undef OP_LANES
#undef OP_REGISTERS
#undef OP_SCALARS
#undef LANES
#undef SCALAR
#undef REGISTER
#undef VL
#undef VECTORS
#undef PADDED
#undef EACH
#undef SOME
#undef ROW
#undef ROW_TYPE
#undef ROW_LENGTH
#undef ROW_VECTORS
#undef EACH_VECTOR

/* Functions: FN(add) is iw_add_f32, of lanes; VFN(add) iwv_add_f32, of one register; SFN(add)
 * iws_add_f32, of one scalar. */
#define FN(name) IW_PASTE(iw_##name##_, T)
#define VFN(name) IW_PASTE(iwv_##name##_, T)
#define SFN(name) IW_PASTE(iws_##name##_, T)
/* OP_FN(level) is iw_level_sum_f32; the operator itself is iw_sum_f32, iwv_sum_f32 and iws_sum_f32. */
#define OP_FN(name) IW_PASTE(IW_PASTE(IW_PASTE(iw_##name##_, OP), _), T)
#define OP_LANES IW_PASTE(IW_PASTE(IW_PASTE(iw_, OP), _), T)
#define OP_REGISTERS IW_PASTE(IW_PASTE(IW_PASTE(iwv_, OP), _), T)
#define OP_SCALARS IW_PASTE(IW_PASTE(IW_PASTE(iws_, OP), _), T)
/* Types: a lane value, a scalar, a SIMD register. */
#define LANES IW_PASTE(iw_, T)
#define SCALAR IW_PASTE(iws_, T)
#define REGISTER IW_PASTE(iwv_, T)
/* Lanes of a register; registers of a lane value; lanes of these registers, which are more than the
 * warp's if that is smaller than a register. */
#define VL IW_PASTE(IW_VL_, T)
#define VECTORS (IW_WARP_SIZE > VL ? IW_WARP_SIZE / VL : 1)
#define PADDED (VECTORS * VL)
#define EACH(i) IW_UNROLL for (int i = 0; i < VECTORS; i++)
/* The part of predicate p that belongs to register i, in the form that masked instructions take. */
#define SOME(p, i) IW_PASTE(IW_SOME_, T)(p, i)
/* Rows: ROW is iw_row_f32, ROW_TYPE(heads) iw_row_f32_heads; ROW_LENGTH elements in ROW_VECTORS vectors
 * of a warp's lanes. */
#define ROW IW_PASTE(iw_row_, T)
#define ROW_TYPE(name) IW_PASTE(IW_PASTE(iw_row_, T), _##name)
#define ROW_LENGTH (ROW_VECTORS * IW_WARP_SIZE)
#define ROW_VECTORS ((int)(16 / sizeof(SCALAR)))
#define EACH_VECTOR(v) IW_UNROLL for (int v = 0; v < ROW_VECTORS; v++)
