/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, f32 or f64: the integers below many numbers, with one check for all of them that every
 * one is in range and unambiguous, that is, farther than tau from any integer. Included by floors.h.
 */
#ifndef IWV_HAS_FLOOR_INDEX
IW_FN iw_u32 FN(floor_index)(LANES a, LANES *past)
{
  *past = FN(sub)(a, FN(floor)(FN(add)(a, FN(splat)((SCALAR)0.5))));
  return iw_convert_i32_u32(IW_PASTE(FN(convert), _i32)(FN(floor)(a)));
}
#endif

/* most: the largest integer so far; least: the smallest distance from the nearest integer so far. A
 * number that is out of range, or a NaN, has UINT32_MAX below it, which the instructions of x86 give
 * without a comparison. There, both are folded in the first register, as a row needs the other
 * registers. */
typedef struct { iw_u32 most; LANES least; } FN(floors);
IW_FN void FN(floors_open)(FN(floors) *s) { s->most = iw_splat_u32(0); s->least = FN(splat)(1); }

IW_FN iw_u32 FN(floors_add)(FN(floors) *s, LANES a)
{
  LANES past;
  const iw_u32 b = FN(floor_index)(a, &past);
#ifdef IWV_HAS_MIN_DISTANCE
  IW_EACH(u32, i) s->most.r[0] = iwv_max_u32(s->most.r[0], b.r[i]);
  EACH(i) s->least.r[0] = VFN(min_distance)(s->least.r[0], a.r[i]);
#else
  const SCALAR range = (SCALAR)((uint64_t)1 << IW_PASTE(IW_FLOOR_RANGE_LOG_, T));
  const iw_pred known = FN(lt)(FN(abs)(a), FN(splat)(range));
  s->most = iw_max_u32(s->most, iw_select_u32(known, b, iw_splat_u32(UINT32_MAX)));
  s->least = FN(select)(FN(lt)(FN(abs)(past), s->least), FN(abs)(past), s->least);
#endif
  return b;
}

IW_FN int FN(floors_unambiguous)(const FN(floors) *s, uint32_t count, SCALAR tau)
{
  iw_u32 most = s->most;
  LANES least = s->least;
#ifdef IWV_HAS_MIN_DISTANCE
  IW_EACH(u32, i) most.r[i] = most.r[0];
  EACH(i) least.r[i] = least.r[0];
#endif
  return iw_and_pred(iw_lt_u32(most, iw_splat_u32(count)), FN(gt)(least, FN(splat)(tau))).m == IW_ALL_LANES;
}

/* The nearest integer, modulo 2^32; either one half way between two. At least 2^22 (f64: 2^31 - 1) for a
 * NaN or out of range. */
#ifndef IWV_HAS_MIN_DISTANCE
IW_FN iw_u32 FN(nearest_index)(LANES a)
{
  const iw_i32 b = IW_PASTE(FN(convert), _i32)(FN(floor)(FN(add)(a, FN(splat)((SCALAR)0.5))));
  return iw_select_u32(FN(eq)(a, a), iw_convert_i32_u32(b), iw_splat_u32(UINT32_MAX));
}
#endif
