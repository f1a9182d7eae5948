/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, f32 or f64: floors, nearest integers and edges. Included by floors.h.
 */
IW_FN iw_u32 FN(floor_index)(LANES a, LANES *past)
{
  const SCALAR units = IW_PASTE(IW_FLOOR_UNITS_, T);
  iw_u32 r;
  IW_EACH_LANE_(l) {
    const SCALAR sum = a.e[l] + units, distance = a.e[l] - (sum - units);
    const uint32_t below = SFN(raw)(distance) >> (8 * sizeof distance - 1) ? UINT32_MAX : 0;
    past->e[l] = distance;
    r.e[l] = (uint32_t)SFN(raw)(sum) - IW_PASTE(IW_FLOOR_ZERO_, T) + below;
  }
  r.undefined = past->undefined = a.undefined;
  r.owner = past->owner = a.owner;
  return r;
}

/* Over many floats: the largest floor, and the least distance from an integer. A float out of range, or a
 * NaN, makes the set ambiguous. */
typedef struct { iw_u32 most; LANES least; } FN(floors);
IW_FN void FN(floors_open)(FN(floors) *s) { s->most = iw_splat_u32(0); s->least = FN(splat)(1); }
IW_FN iw_u32 FN(floors_add)(FN(floors) *s, LANES a)
{
  LANES past;
  const iw_u32 floor = FN(floor_index)(a, &past);
  IW_EACH_LANE_(l) {
    const SCALAR distance = SFN(abs)(past.e[l]);
    s->most.e[l] = SFN(abs)(a.e[l]) < IW_PASTE(IW_FLOOR_RANGE_, T) ? iws_max_u32(s->most.e[l], floor.e[l]) : UINT32_MAX;
    s->least.e[l] = distance < s->least.e[l] ? distance : s->least.e[l];
  }
  s->most.undefined |= a.undefined;
  s->most.owner |= a.owner;
  return floor;
}
IW_FN int FN(floors_unambiguous)(const iw_site *site, const FN(floors) *s, uint32_t count, SCALAR tau)
{
  int all = 1;
  iw_use_(site, s->most.undefined, s->most.owner, "the vote");
  IW_EACH_LANE_(l) all &= s->most.e[l] < count && s->least.e[l] > tau;
  return all;
}

/* The nearest integer, either of two, modulo 2^32; UINT32_MAX for a NaN or a float out of range. */
IW_FN iw_u32 FN(nearest_index)(LANES a)
{
  iw_u32 r;
  IW_EACH_LANE_(l) {
    const int in_range = SFN(abs)(a.e[l]) < IW_PASTE(IW_FLOOR_RANGE_, T);
    r.e[l] = in_range ? (uint32_t)IW_PASTE(SFN(convert), _i32)(SFN(floor)(SFN(add)(a.e[l], (SCALAR)0.5))) : UINT32_MAX;
  }
  r.undefined = a.undefined;
  r.owner = a.owner;
  return r;
}

/* Evenly spaced edges: edge k is k * step + first in f64, rounded to the type. */
typedef struct { double first, step; } FN(edges);
IW_FN void FN(edges_open)(FN(edges) *e, uint32_t count, double first, double step)
{ (void)count; e->first = first; e->step = step; }
IW_FN LANES FN(edges_at)(const FN(edges) *e, iw_u32 k)
{
  LANES r;
  IW_EACH_LANE_(l) {
    const double scaled = (double)(int32_t)k.e[l] * e->step;
    r.e[l] = (SCALAR)(scaled + e->first);
  }
  r.undefined = k.undefined;
  r.owner = k.owner;
  return r;
}
