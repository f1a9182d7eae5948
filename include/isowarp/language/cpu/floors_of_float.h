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
 * without a comparison. There, a register or two are enough for both, as a row needs the others. */
#ifdef IWV_HAS_FLOORS
typedef struct { iwv_u32 most; REGISTER distances[2]; } FN(floors);
IW_FN void FN(floors_open)(FN(floors) *s) { s->most = iwv_set1_u32(0); VFN(distances_open)(s->distances); }

/* Register by register, so that none is spilled. */
IW_FN iw_u32 FN(floors_add)(FN(floors) *s, LANES a)
{
  enum { EACH_ = sizeof(LANES) > sizeof(iw_u32) ? 2 : 1 };
  iw_u32 b;
  IW_EACH(u32, i) {
    b.r[i] = VFN(floors)(s->distances, a.r[EACH_ * i], a.r[EACH_ * i + EACH_ - 1]);
    s->most = iwv_max_u32(s->most, b.r[i]);
  }
  return b;
}

IW_FN int FN(floors_unambiguous)(const FN(floors) *s, uint32_t count, SCALAR tau)
{
  iw_u32 most;
  LANES least;
  IW_EACH(u32, i) most.r[i] = s->most;
  EACH(i) least.r[i] = VFN(distances_least)(s->distances);
  return iw_and_pred(iw_lt_u32(most, iw_splat_u32(count)), FN(gt)(least, FN(splat)(tau))).m == IW_ALL_LANES;
}
#else
typedef struct { iw_u32 most; LANES least; } FN(floors);
IW_FN void FN(floors_open)(FN(floors) *s) { s->most = iw_splat_u32(0); s->least = FN(splat)(1); }

IW_FN iw_u32 FN(floors_add)(FN(floors) *s, LANES a)
{
  LANES past;
  const iw_u32 b = FN(floor_index)(a, &past);
  const SCALAR range = (SCALAR)((uint64_t)1 << IW_PASTE(IW_FLOOR_RANGE_LOG_, T));
  const iw_pred known = FN(lt)(FN(abs)(a), FN(splat)(range));
  s->most = iw_max_u32(s->most, iw_select_u32(known, b, iw_splat_u32(UINT32_MAX)));
  s->least = FN(select)(FN(lt)(FN(abs)(past), s->least), FN(abs)(past), s->least);
  return b;
}

IW_FN int FN(floors_unambiguous)(const FN(floors) *s, uint32_t count, SCALAR tau)
{
  return iw_and_pred(iw_lt_u32(s->most, iw_splat_u32(count)), FN(gt)(s->least, FN(splat)(tau))).m == IW_ALL_LANES;
}
#endif

/* The nearest integer, modulo 2^32; either one half way between two. At least 2^22 (f64: 2^31 - 1) for a
 * NaN or out of range. */
#ifndef IWV_HAS_FLOORS
IW_FN iw_u32 FN(nearest_index)(LANES a)
{
  const iw_i32 b = IW_PASTE(FN(convert), _i32)(FN(floor)(FN(add)(a, FN(splat)((SCALAR)0.5))));
  return iw_select_u32(FN(eq)(a, a), iw_convert_i32_u32(b), iw_splat_u32(UINT32_MAX));
}
#endif
