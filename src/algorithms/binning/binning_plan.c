/* SPDX-License-Identifier: Apache-2.0
 *
 * The edges of histogram bins, and the plan: the rule (iw_binning) by which bin_index.h decides a sample's
 * bin. Here the rule is proven, there it is applied. Host side of the algorithm layer; knows no schedule.
 *
 *   check_…       what a spec has to satisfy
 *   fill_edges    all edges of a spec
 *   choose_rule   the scale, the offset and the error bound tau of the guess (error_bound.h); bisection
 *                 where tau would be too large
 *   …_upload      the tables of a plan in memory that kernels reach
 */
#include "algorithms/binning/cells.h"
#include "algorithms/binning/binning.h"
#include "algorithms/binning/sample_values.h"
#include "runtime/check.h"
#include "runtime/context.h"
#include "runtime/fp_environment.h"
#include "runtime/memory.h"

#include <isowarp/language/scalar.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Even edges of floats ---- */

typedef struct even { double lo, hi, step; size_t bins; iw_type type; } even;

/* x in the precision of a float type. */
static double rounded(iw_type type, double x)
{
  return !is_float(type) || type == IW_F64 ? x : type == IW_F32 ? (double)(float)x : iw_half_value(type, iw_half_of(type, x));
}

static even even_range_of(iw_type type, const iw_histogram_spec *spec)
{
  const double lo = real_at(type, spec->lo, 0), hi = real_at(type, spec->hi, 0);
  return (even){ lo, hi, (hi - lo) / (double)spec->bins, spec->bins, type };
}

static double even_edge(const even *range, size_t k)
{
  const double e = (double)k * range->step + range->lo;
  return k == 0 ? range->lo : k == range->bins ? range->hi : rounded(range->type, e);
}

/* 2^k, of a k of normal numbers; ldexp() takes 2 ns of a small call. */
static double power_of_two(int k)
{
  return (iw_scalar_bits){ .u64 = (uint64_t)(k + 1023) << 52 }.f64;
}

/* Whether the step is so much larger than what rounding does to an edge that all edges increase. An edge is
 * rounded in its type, by epsilon/2 of it at most, after a product and a sum in f64; and the last one may
 * differ from bins * step + lo by DBL_EPSILON of the range. Twice the sum of these for two neighbours is
 * asked for. */
static int step_exceeds_rounding(const even *range)
{
  const iw_float_facts of = iw_facts_of(range->type).of;
  /* Of the type: 1 is followed by 1 + epsilon; below `least` edges are subnormal. */
  const double epsilon = power_of_two(-of.fraction), least = power_of_two(of.smallest + of.fraction);
  return range->step > (2 * epsilon + 8 * DBL_EPSILON) * (fabs(range->lo) + fabs(range->hi)) && range->step > least;
}

static iw_status check_even(iw_type type, const iw_histogram_spec *spec)
{
  const even range = even_range_of(type, spec);
  if (!isfinite(range.step))
    return iw_fail(IW_ERROR_INVALID,
                   "spec->lo and spec->hi give the range [%.17g, %.17g), which is wider than %.17g",
                   range.lo, range.hi, DBL_MAX);
  if (step_exceeds_rounding(&range))
    return IW_OK;
  for (size_t k = 0; k < range.bins; k++)
    if (!(even_edge(&range, k) < even_edge(&range, k + 1)))
      return iw_fail(IW_ERROR_INVALID,
                     "spec->bins is %zu: too many bins for [%.17g, %.17g), as edges %zu and %zu are both "
                     "%.17g (%s)",
                     range.bins, range.lo, range.hi, k, k + 1, even_edge(&range, k), iw_type_name(type));
  return IW_OK;
}

/* ---- Checks ---- */

int iw_spec_is_automatic(const iw_histogram_spec *spec)
{
  return spec->kind == IW_HISTOGRAM_EVEN && !spec->lo && !spec->hi;
}

static iw_status check_map(iw_type type, const iw_histogram_spec *spec)
{
  if (type != IW_U8)
    return iw_fail(IW_ERROR_INVALID, "type is %s, and a map is for u8", iw_type_name(type));
  if (spec->policy == IW_POLICY_CLAMP)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->policy is %d, but a map has no order by which to clamp; valid are %d and %d",
                   (int)spec->policy, (int)IW_POLICY_DROP, (int)IW_POLICY_COUNT);
  IW_TRY(iw_check_array("spec->map", spec->map, 256, sizeof *spec->map));
  for (unsigned v = 0; v < 256; v++)
    if (spec->map[v] >= spec->bins && spec->map[v] != IW_MAP_NONE)
      return iw_fail(IW_ERROR_INVALID,
                     "spec->map[%u] is %u; valid are numbers below %zu bins, and IW_MAP_NONE", v,
                     (unsigned)spec->map[v], spec->bins);
  return IW_OK;
}

/* e(bins) of even bins of integers: hi, or one more if hi is in the last bin like all other values of it. */
static int128 integer_end(iw_type type, const iw_histogram_spec *spec)
{
  const int128 lo = integer_at(type, spec->lo, 0), hi = integer_at(type, spec->hi, 0);
  const int bin_of_each = spec->flags & IW_HIST_CLOSED_TOP && hi - lo + 1 == (int128)spec->bins;
  return hi + (bin_of_each || spec->flags & IW_HIST_HI_INCLUDED);
}

static iw_status check_range(iw_type type, const iw_histogram_spec *spec)
{
  if (iw_spec_is_automatic(spec))
    return spec->flags & IW_HIST_HI_INCLUDED
      ? iw_fail(IW_ERROR_INVALID,
                "spec->flags is 0x%x, but IW_HIST_HI_INCLUDED needs spec->hi; an automatic range is closed "
                "on top anyway, and ranges of rows do without it",
                spec->flags) : IW_OK;
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_single(spec->lo ? "spec->lo" : "spec->lo (but not spec->hi)", spec->lo, size));
  IW_TRY(iw_check_single(spec->hi ? "spec->hi" : "spec->hi (but not spec->lo)", spec->hi, size));
  if (is_float(type)) {
    const double lo = real_at(type, spec->lo, 0), hi = real_at(type, spec->hi, 0);
    if (!isfinite(lo) || !isfinite(hi))
      return iw_fail(IW_ERROR_INVALID,
                     "spec->lo and spec->hi give the range [%.17g, %.17g), which has a NaN or an infinity",
                     lo, hi);
    if (lo >= hi)
      return iw_fail(IW_ERROR_INVALID, "spec->lo and spec->hi give the range [%.17g, %.17g), which is "
                     "empty: lo must be below hi", lo, hi);
    return check_even(type, spec);
  }
  const int128 lo = integer_at(type, spec->lo, 0);
  const int128 hi = integer_end(type, spec);
  if (lo >= hi)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->lo and spec->hi give the range [%s, %s), which is empty: lo must be below hi",
                   format_integer(lo).s, format_integer(hi).s);
  if (hi - lo < (int128)spec->bins) {
    const int closed = (spec->flags & IW_HIST_CLOSED_TOP) != 0 && hi == integer_at(type, spec->hi, 0);
    return iw_fail(IW_ERROR_INVALID,
                   "spec->bins is %zu, but each bin of integers needs a value of its own, and [%s, %s%c has %s: give at most "
                   "as many bins, or a wider range",
                   spec->bins, format_integer(lo).s, format_integer(hi).s, closed ? ']' : ')',
                   format_integer(hi - lo + closed).s);
  }
  return IW_OK;
}

/* Edges have to be finite and strictly increasing. */
static iw_status check_edges(iw_type type, const void *edges, size_t bins)
{
  for (size_t k = 0; k <= bins; k++) {
    if (is_float(type)) {
      const double e = real_at(type, edges, k);
      if (!isfinite(e))
        return iw_fail(IW_ERROR_INVALID, "spec->edges: edge %zu is %g; edges must be finite", k, e);
      if (k && !(real_at(type, edges, k - 1) < e))
        return iw_fail(IW_ERROR_INVALID,
                       "spec->edges: edge %zu is %.17g and edge %zu is %.17g; edges must increase", k - 1,
                       real_at(type, edges, k - 1), k, e);
    }
    else if (k && integer_at(type, edges, k - 1) >= integer_at(type, edges, k))
      return iw_fail(IW_ERROR_INVALID,
                     "spec->edges: edge %zu is %s and edge %zu is %s; edges must increase", k - 1,
                     format_integer(integer_at(type, edges, k - 1)).s, k,
                     format_integer(integer_at(type, edges, k)).s);
  }
  return IW_OK;
}

static IW_NOINLINE iw_status check_spec(iw_type type, const iw_histogram_spec *spec)
{
  enum { KNOWN = IW_HIST_CLOSED_TOP | IW_HIST_ACCUMULATE | IW_HIST_HI_INCLUDED };
  IW_TRY(iw_check_enum("spec->kind", (int)spec->kind, "iw_histogram_kind", IW_HISTOGRAM_MAP));
  const size_t most = spec->kind == IW_HISTOGRAM_MAP ? IW_MAP_NONE : 0x7fffffff;
  if (spec->bins < 1 || spec->bins > most)
    return iw_fail(IW_ERROR_INVALID, "spec->bins is %zu; valid are 1 to %zu", spec->bins, most);
  IW_TRY(iw_check_enum("spec->policy", (int)spec->policy, "iw_policy", IW_POLICY_COUNT));
  if (spec->flags & ~(unsigned)KNOWN)
    return iw_fail(IW_ERROR_INVALID, "spec->flags is 0x%x, with unknown bits 0x%x; known are 0x%x",
                   spec->flags, spec->flags & ~(unsigned)KNOWN, (unsigned)KNOWN);
  if (is_float(type) && spec->flags & IW_HIST_HI_INCLUDED)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->flags is 0x%x, but IW_HIST_HI_INCLUDED is for integers; for %s use "
                   "IW_HIST_CLOSED_TOP",
                   spec->flags, iw_type_name(type));
  if (spec->counter_width && spec->counter_width != sizeof(uint32_t) && spec->counter_width != sizeof(uint64_t))
    return iw_fail(IW_ERROR_INVALID, "spec->counter_width is %zu; valid are 4, 8 and 0", spec->counter_width);
  if (spec->kind == IW_HISTOGRAM_MAP)
    return check_map(type, spec);
  if (spec->kind == IW_HISTOGRAM_EVEN)
    return check_range(type, spec);
  IW_TRY(iw_check_array("spec->edges", spec->edges, spec->bins + 1, iw_type_size(type)));
  return check_edges(type, spec->edges, spec->bins);
}

static IW_NOINLINE iw_status fail_plan(const char *plan_name, const iw_histogram_plan *plan, const char *type_name,
                                       iw_type type)
{
  IW_TRY(iw_check_pointer(plan_name, plan));
  IW_TRY(iw_check_named_type(type_name, type, IW_ALL_TYPES));
  return iw_fail(IW_ERROR_INVALID, "%s is %s, but %s was made for %s", type_name, iw_type_name(type), plan_name,
                 iw_type_name(plan->type));
}

iw_status iw_check_plan(const char *plan_name, const iw_histogram_plan *plan, const char *type_name, iw_type type)
{
  return plan && plan->type == type ? IW_OK : fail_plan(plan_name, plan, type_name, type);
}

/* Checks a spec that holds a plan. */
static iw_status check_spec_of_plan(iw_type type, const iw_histogram_spec *spec)
{
  if ((int)spec->type || spec->kind || spec->bins || spec->lo || spec->hi || spec->edges || spec->map || spec->policy
      || spec->flags || spec->counter_width)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->plan is not NULL, so its other members have to be 0: type is %d, kind %d, bins %zu, "
                   "lo %p, hi %p, edges %p, map %p, policy %d, flags 0x%x, counter_width %zu", (int)spec->type, (int)spec->kind,
                   spec->bins, spec->lo, spec->hi, spec->edges, (const void *)spec->map, (int)spec->policy, spec->flags,
                   spec->counter_width);
  return iw_check_plan("spec->plan", spec->plan, "type", type);
}

iw_status iw_check_spec(iw_type type, const iw_histogram_spec *spec)
{
  iw_fp_env callers;
  IW_TRY(iw_check_pointer("spec", spec));
  IW_TRY(iw_check_struct("spec->size", spec, "iw_histogram_spec", sizeof *spec));
  if (spec->plan)
    return check_spec_of_plan(type, spec);
  IW_TRY(iw_check_named_type("spec->type", spec->type, IW_ALL_TYPES));
  if (spec->type != type)
    return iw_fail(IW_ERROR_INVALID, "spec->type is %s, but the elements are of %s", iw_type_name(spec->type), iw_type_name(type));
  iw_fp_env_set_default(&callers);
  const iw_status status = check_spec(type, spec);
  iw_fp_env_restore(&callers);
  return status;
}

iw_status iw_check_spec_of_call(const iw_histogram_spec *spec, iw_type *type)
{
  IW_TRY(iw_check_pointer("spec", spec));
  IW_TRY(iw_check_struct("spec->size", spec, "iw_histogram_spec", sizeof *spec));
  *type = spec->plan ? spec->plan->type : spec->type;
  return iw_check_spec(*type, spec);
}

/* ---- Edges ---- */

/* even_edge() of each k. */
static void fill_float_edges(iw_type type, const even *range, void *edges)
{
  const int64_t bins = (int64_t)range->bins;
#define IW_STORE(T) do { \
    T *e = edges; \
    for (int64_t k = 1; k < bins; k++) \
      e[k] = (T)((double)k * range->step + range->lo); \
    e[0] = (T)range->lo; \
    e[bins] = (T)range->hi; \
  } while (0)
  if (type == IW_F32)
    IW_STORE(float);
  else if (type == IW_F64)
    IW_STORE(double);
  else
    for (size_t k = 0; k <= range->bins; k++)
      store_real(type, edges, k, even_edge(range, k));
#undef IW_STORE
}

/* Writes edge(0) … edge(bins) of the sample type. If edge(bins) is one more than the type's last value, 1 of
 * bool, that value is written in its place. */
static void fill_even_edges(iw_type type, const iw_histogram_spec *spec, void *edges)
{
  const size_t bins = spec->bins;
  if (is_float(type)) {
    const even range = even_range_of(type, spec);
    fill_float_edges(type, &range, edges);
    return;
  }
  /* lo + ceil(k*range/bins) = lo + k*(range/bins) + ceil(k*(range%bins)/bins). The last term is one more
   * than that of the edge before where k*(range%bins) passes a multiple of bins; `slack` is its distance
   * from the next one. */
  const int128 lo = integer_at(type, spec->lo, 0);
  const int128 hi = integer_end(type, spec);
  const uint64_t quotient = (uint64_t)((hi - lo) / (int128)bins);
  const uint64_t rest = (uint64_t)((hi - lo) % (int128)bins);
#define IW_STORE(T) do { \
    T *e = edges; \
    uint64_t edge = (uint64_t)lo, slack = 0; \
    for (size_t k = 0; k < bins; k++) { \
      const int passes = slack < rest; \
      e[k] = (T)edge; \
      edge += quotient + (uint64_t)passes; \
      slack += (passes ? bins : 0) - rest; \
    } \
    e[bins] = (int128)(T)(uint64_t)hi == hi ? (T)(uint64_t)hi : (T)(uint64_t)(hi - 1); \
  } while (0)
  switch (type) {
  case IW_U8: case IW_BOOL: IW_STORE(uint8_t); break;
  case IW_I8: IW_STORE(int8_t); break;
  case IW_U16: IW_STORE(uint16_t); break;
  case IW_I16: IW_STORE(int16_t); break;
  case IW_I32: IW_STORE(int32_t); break;
  case IW_U32: IW_STORE(uint32_t); break;
  case IW_I64: IW_STORE(int64_t); break;
  case IW_U64: IW_STORE(uint64_t); break;
  default: break; /* floats */
  }
#undef IW_STORE
  if (type == IW_BOOL && hi == 2 && integer_at(type, spec->hi, 0) == 1)
    ((uint8_t *)edges)[bins] = 1;
}

/* Computes or copies all bins + 1 edges of a checked spec that has a range. */
static IW_NOINLINE void fill_edges(iw_type type, const iw_histogram_spec *spec, void *edges)
{
  if (spec->kind == IW_HISTOGRAM_EVEN)
    fill_even_edges(type, spec, edges);
  else
    memmove(edges, spec->edges, (spec->bins + 1) * iw_type_size(type));
}

/* ---- The plan ---- */

/* The largest float below x, which is finite. */
static float next_below_f32(float x)
{
  iw_scalar_bits w = { .f32 = x };
  if (x == 0)
    w.u32 = 0x80000001u;
  else
    w.u32 += x > 0 ? ~(uint32_t)0 : 1;
  return w.f32;
}

static double next_below_f64(double x)
{
  iw_scalar_bits w = { .f64 = x };
  if (x == 0)
    w.u64 = 0x8000000000000001u;
  else
    w.u64 += x > 0 ? ~(uint64_t)0 : 1;
  return w.f64;
}

/* The next value below x, by the bits of f16 or bf16. */
static uint16_t next_below_half(uint16_t x)
{
  return (uint16_t)((x & 0x7fff) == 0 ? 0x8001 : x & 0x8000 ? x + 1 : x - 1);
}
static float next_below_f16(float x) { return iws_widen_f16(next_below_half(iws_narrow_f16(x))); }
static float next_below_bf16(float x) { return iws_widen_bf16(next_below_half(iws_narrow_bf16(x))); }

#define KEY f32
#define VALUE float
#define REAL float
#define LOWEST -FLT_MAX
#define HIGHEST FLT_MAX
#define BELOW(x) next_below_f32(x)
#define ABOVE(x) -next_below_f32(-(x))
#include "algorithms/binning/error_bound.h"
#define KEY f64
#define VALUE double
#define REAL double
#define LOWEST -DBL_MAX
#define HIGHEST DBL_MAX
#define BELOW(x) next_below_f64(x)
#define ABOVE(x) -next_below_f64(-(x))
#include "algorithms/binning/error_bound.h"
/* The keys of f16 and bf16 are f32, but no sample lies between two neighbours of the narrow type. */
#define KEY f16
#define VALUE float
#define REAL float
#define LOWEST -65504.0f
#define HIGHEST 65504.0f
#define BELOW(x) next_below_f16(x)
#define ABOVE(x) -next_below_f16(-(x))
#include "algorithms/binning/error_bound.h"
#define KEY bf16
#define VALUE float
#define REAL float
#define LOWEST -0x1.fep127f
#define HIGHEST 0x1.fep127f
#define BELOW(x) next_below_bf16(x)
#define ABOVE(x) -next_below_bf16(-(x))
#include "algorithms/binning/error_bound.h"
#define KEY i32
#define VALUE int32_t
#define REAL double
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define BELOW(x) (x) - 1
#define ABOVE(x) (x) + 1
#include "algorithms/binning/error_bound.h"
#define KEY u32
#define VALUE uint32_t
#define REAL double
#define LOWEST 0
#define HIGHEST UINT32_MAX
#define BELOW(x) (x) - 1
#define ABOVE(x) (x) + 1
#include "algorithms/binning/error_bound.h"
#define KEY i64
#define VALUE int64_t
#define REAL double
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define BELOW(x) (x) - 1
#define ABOVE(x) (x) + 1
#include "algorithms/binning/error_bound.h"
#define KEY u64
#define VALUE uint64_t
#define REAL double
#define LOWEST 0
#define HIGHEST UINT64_MAX
#define BELOW(x) (x) - 1
#define ABOVE(x) (x) + 1
#include "algorithms/binning/error_bound.h"

/* Chooses IW_BINNING_GUESS if a tau below 1/4 can be proven, else IW_BINNING_SEARCH. edges: bins + 1 of the
 * KEY type, `key`. n: as for iw_plan_make(); for few samples the search takes less time than the proof. */
static void choose_rule(iw_type type, iw_type key, const void *edges, size_t n, iw_binning *binning)
{
  enum { BINS_FOR_A_SEARCH = 64 }; /* tuning: what a search takes, in bins of a proof */
  const size_t bins = binning->bins;
  const iw_scalar_bits top = binning->top;
  while ((size_t)1 << binning->steps < bins)
    binning->steps++;
  binning->mode = IW_BINNING_SEARCH;
  if (n < bins / BINS_FOR_A_SEARCH)
    return;
  double lo, hi, shift = 0;
  if (is_float(key)) {
    lo = real_at(key, edges, 0);
    hi = real_at(key, edges, bins);
  }
  else { /* edge(k) is k*range/bins rounded up, and that is a multiple of 1/bins: stay half of it away */
    lo = (double)integer_at(key, edges, 0);
    hi = (double)integer_at(key, edges, bins);
    shift = 0.5 / (double)bins;
  }
  double scale = (double)bins / (hi - lo), offset = (shift - lo) * scale, tau = 1;
  scale = rounded(key, scale); /* GUESS of a float is its KEY type, and of integers f64 */
  offset = rounded(key, offset);
  switch (type) {
  case IW_U16: case IW_I16: case IW_I32: tau = error_bound_i32(edges, bins, top.i32, scale, offset); break;
  case IW_U32: tau = error_bound_u32(edges, bins, top.u32, scale, offset); break;
  case IW_I64: tau = error_bound_i64(edges, bins, top.i64, scale, offset); break;
  case IW_U64: tau = error_bound_u64(edges, bins, top.u64, scale, offset); break;
  case IW_F32: tau = error_bound_f32(edges, bins, top.f32, (float)scale, (float)offset); break;
  case IW_F64: tau = error_bound_f64(edges, bins, top.f64, scale, offset); break;
  case IW_F16: tau = error_bound_f16(edges, bins, top.f32, (float)scale, (float)offset); break;
  case IW_BF16: tau = error_bound_bf16(edges, bins, top.f32, (float)scale, (float)offset); break;
  default: break; /* types of 1 byte are looked up */
  }
  tau *= tau > 0 ? 1.01 : 1;
  /* guesses in f32 have floors up to 2^22 only (language/cuda/floors.h) */
  const int floors = key != IW_F32 || bins <= 1u << 22;
  if (!(floors && isfinite(scale) && scale > 0 && isfinite(offset) && tau < 0.25))
    return;
  binning->mode = IW_BINNING_GUESS;
  binning->scale = scale;
  binning->offset = offset;
  binning->tau = tau;
}

/* The largest sample that is in a bin. */
static iw_scalar_bits largest_in_range(iw_type type, const void *edges, const iw_histogram_spec *spec)
{
  const int closed = (spec->flags & (IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED)) != 0;
  const void *hi = (const char *)edges + spec->bins * iw_type_size(type);
  iw_scalar_bits top = { 0 };
  memcpy(&top, spec->kind == IW_HISTOGRAM_EVEN ? spec->hi : hi, iw_type_size(type));
  if (!closed)
    switch (iw_type_size(type)) {
    case 1: top.u8--; break;
    case 2: top.u16 = is_float(type) ? next_below_half(top.u16) : (uint16_t)(top.u16 - 1); break;
    case 4: if (is_float(type)) top.f32 = next_below_f32(top.f32); else top.u32--; break;
    default: if (is_float(type)) top.f64 = next_below_f64(top.f64); else top.u64--;
    }
  return top;
}

/* The bin of each byte, of a type of 1 byte. Outliers keep indices of their own, whatever the policy is. */
static void map_bytes(iw_type type, const void *edges, size_t bins, int top, uint32_t *map)
{
  const int lowest = type == IW_I8 ? INT8_MIN : 0;
  size_t k = 0;
  for (int v = lowest; v < lowest + 256; v++) {
    while (k + 1 < bins && v >= integer_at(type, edges, k + 1))
      k++;
    map[(uint8_t)v] = (uint32_t)(v < integer_at(type, edges, 0) ? bins : v > top ? bins + 1 : k);
  }
}

/* The type in which samples are compared with edges: KEY_T of sample_types.h. Bytes are looked up. */
static iw_type key_type(iw_type type)
{
  return iw_type_size(type) != 2 ? type : is_float(type) ? IW_F32 : IW_I32;
}

/* Stores a value of a type whose key_type() is another one as keys[k]. */
static void store_key(iw_type type, const void *value, void *keys, size_t k)
{
  if (is_float(type))
    ((float *)keys)[k] = (float)real_at(type, value, 0);
  else
    ((int32_t *)keys)[k] = (int32_t)integer_at(type, value, 0);
}

/* Adds a table of cells to a plan that serves many calls and would search among all edges. */
static iw_status add_cells(iw_type key, iw_histogram_plan *plan)
{
  iw_binning *const rule = &plan->binning;
  if (rule->mode != IW_BINNING_SEARCH || !plan->owns_edges || !iw_choose_cells(key, plan->edges, rule))
    return IW_OK;
  plan->cells_at = (rule->bins + (size_t)1) * iw_type_size(key);
  plan->edges_bytes = plan->cells_at + rule->cells * sizeof(uint32_t);
  void *const larger = realloc(plan->edges, plan->edges_bytes);
  if (!larger)
    return iw_fail(IW_ERROR_MEMORY, "no memory for a table of %zu bytes", plan->edges_bytes);
  plan->edges = larger;
  iw_write_cells(key, larger, rule, (uint32_t *)((char *)larger + plan->cells_at));
  return IW_OK;
}

static iw_status plan_edges(iw_context *context, iw_type type, const iw_histogram_spec *spec, size_t n,
                            iw_histogram_plan *plan)
{
  const iw_type key = key_type(type);
  const size_t bins = spec->bins, size = iw_type_size(type), widest = iw_type_size(key);
  const size_t bytes = (bins + 1) * widest; /* bins < 2^31 */
  void *edges = NULL;
  if (!context)
    edges = malloc(bytes);
  if (context ? iw_edges_memory(context, bytes, &edges) != IW_OK : !edges)
    return iw_fail(IW_ERROR_MEMORY, "no memory for %zu edges of %zu bytes", bins + 1, widest);
  plan->edges = edges;
  plan->owns_edges = !context;
  fill_edges(type, spec, edges);
  iw_scalar_bits top = largest_in_range(type, edges, spec);
  if (size == 1) {
    map_bytes(type, edges, bins, (int)integer_at(type, &top, 0), plan->map);
    plan->binning.mode = IW_BINNING_MAP;
    return IW_OK;
  }
  if (key != type) {
    const iw_scalar_bits last = top;
    for (size_t k = bins + 1; k-- > 0;) {
      iw_scalar_bits edge;
      memcpy(&edge, (const char *)edges + k * size, size);
      store_key(type, &edge, edges, k);
    }
    store_key(type, &last, &top, 0);
  }
  memcpy(&plan->binning.bottom, edges, widest);
  plan->binning.top = top;
  plan->edges_bytes = bins * widest;
  if ((type == IW_F32 || type == IW_F64) && spec->kind == IW_HISTOGRAM_EVEN) { /* EVEN_T of sample_types.h */
    const even range = even_range_of(type, spec);
    const double last = (double)bins * range.step + range.lo;
    plan->binning.even = rounded(type, last) == range.hi ? 2 : 1;
    plan->binning.step = range.step;
    plan->binning.first = range.lo;
  }
  choose_rule(type, key, edges, n, &plan->binning);
  return add_cells(key, plan);
}

/* Needs the default floating-point environment: round to nearest, subnormals kept. */
static IW_NOINLINE iw_status plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec, size_t n,
                                       iw_histogram_plan *plan)
{
  plan->binning.bins = (uint32_t)spec->bins;
  plan->binning.clamp = spec->policy == IW_POLICY_CLAMP;
  if (spec->kind != IW_HISTOGRAM_MAP)
    return plan_edges(context, type, spec, n, plan);
  plan->binning.mode = IW_BINNING_MAP;
  for (unsigned v = 0; v < 256; v++)
    plan->map[v] = spec->map[v] == IW_MAP_NONE ? (uint32_t)spec->bins + 1 : spec->map[v];
  return IW_OK;
}

iw_status iw_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec, size_t n,
                       iw_histogram_plan *plan)
{
  iw_fp_env callers;
  memset(plan, 0, sizeof *plan);
  plan->type = type;
  plan->spec = *spec;
  plan->spec.size = sizeof plan->spec;
  plan->spec.lo = plan->spec.hi = plan->spec.edges = NULL; /* the caller may free them */
  plan->spec.map = NULL;
  iw_fp_env_set_default(&callers);
  const iw_status status = plan_make(context, type, spec, n, plan);
  iw_fp_env_restore(&callers);
  if (status != IW_OK)
    iw_plan_release(plan);
  return status;
}

int iw_plan_single_values(iw_type type, const iw_histogram_spec *spec, iw_histogram_plan *plan)
{
  enum { LARGEST_BITS = 51 }; /* of lo and hi, so that the guess x - lo + 1/2 is exact */
  const int128 limit = (int128)1 << LARGEST_BITS;
  if (is_float(type) || iw_type_size(type) == 1 || spec->kind != IW_HISTOGRAM_EVEN || iw_spec_is_automatic(spec)
      || (spec->flags & (IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED)) == IW_HIST_CLOSED_TOP)
    return 0;
  const int128 lo = integer_at(type, spec->lo, 0);
  const int128 hi = integer_at(type, spec->hi, 0) + !!(spec->flags & IW_HIST_HI_INCLUDED);
  if (hi - lo != (int128)spec->bins || lo < -limit || hi > limit)
    return 0;
  *plan = (iw_histogram_plan){ .type = type, .spec = *spec, .binning = {
    .mode = IW_BINNING_GUESS, .bins = (uint32_t)spec->bins, .clamp = spec->policy == IW_POLICY_CLAMP,
    .scale = 1, .offset = 0.5 - (double)lo,
  } };
  plan->spec.size = sizeof plan->spec;
  plan->spec.lo = plan->spec.hi = NULL;
  plan->binning.bottom.u64 = (uint64_t)lo; /* the lower half is that of a key of 4 bytes */
  plan->binning.top.u64 = (uint64_t)(hi - 1);
  return 1;
}

iw_status iw_plan_resolve(iw_context *context, iw_type type, const void *samples, size_t n,
                          const iw_histogram_spec *spec, iw_histogram_plan *plan)
{
  if (!iw_spec_is_automatic(spec))
    return iw_plan_make(context, type, spec, n, plan);
  iw_scalar_bits lo = { 0 }, hi = { 0 };
  iw_histogram_spec ranged = *spec;
  ranged.size = sizeof ranged;
  IW_TRY(iw_find_automatic_range(context, type, samples, n, &lo, &hi));
  ranged.lo = &lo;
  ranged.hi = &hi;
  ranged.flags |= IW_HIST_CLOSED_TOP;
  IW_TRY(iw_check_spec(type, &ranged));
  if (n == 0) { /* no sample needs a bin, so edges need no memory */
    *plan = (iw_histogram_plan){
      .type = type, .spec = ranged, .binning = { .mode = IW_BINNING_MAP, .bins = (uint32_t)spec->bins },
    };
    plan->spec.lo = plan->spec.hi = NULL;
    return IW_OK;
  }
  return iw_plan_make(context, type, &ranged, n, plan);
}

iw_status iw_fail_named(iw_status status, const char *name)
{
  char message[384];
  if (status == IW_OK || !strcmp(name, "spec"))
    return status;
  iw_format(message, sizeof message, "%s", iw_message());
  return iw_fail(status, "%s: %s", name, message);
}

iw_status iw_call_plan_make(const char *name, const iw_histogram_spec *spec, iw_call_plan *plan)
{
  iw_type type;
  *plan = (iw_call_plan){ NULL, NULL };
  IW_TRY(iw_fail_named(iw_check_spec_of_call(spec, &type), name));
  plan->plan = spec->plan;
  if (plan->plan)
    return IW_OK;
  if (iw_spec_is_automatic(spec))
    return iw_fail_named(iw_fail(IW_ERROR_INVALID, "spec->lo and spec->hi are NULL, an automatic range, which this call does not "
                                 "have: iw_histogram_range() finds the range of the data"), name);
  plan->made = malloc(sizeof *plan->made);
  if (!plan->made)
    return iw_fail(IW_ERROR_MEMORY, "no memory for a plan of %zu bytes", sizeof *plan->made);
  const iw_status status = iw_plan_make(NULL, type, spec, SIZE_MAX, plan->made);
  plan->made->persistent = 1; /* its tables are not in scratch, where the call has its own */
  plan->plan = plan->made;
  return status;
}

void iw_call_plan_release(iw_call_plan *plan)
{
  if (plan->made)
    iw_plan_release(plan->made);
  free(plan->made);
}

void iw_plan_release(iw_histogram_plan *plan)
{
  while (plan->device_tables) {
    struct iw_device_table *const next = plan->device_tables->next;
    plan->device_tables->ops->release(NULL, plan->device_tables->memory);
    free(plan->device_tables);
    plan->device_tables = next;
  }
  if (plan->owns_edges)
    free(plan->edges);
  plan->edges = NULL;
}

/* ---- Tables in memory that kernels reach ---- */

static const void *table_of(const iw_histogram_plan *plan, size_t *bytes)
{
  const int is_map = plan->binning.mode == IW_BINNING_MAP;
  *bytes = is_map ? sizeof plan->map : plan->edges_bytes;
  return is_map ? (const void *)plan->map : plan->edges;
}

static struct iw_device_table *device_table_of(struct iw_device_table *list, const iw_context *context)
{
  while (list && (list->device_index != context->device_index || list->ops != context->ops))
    list = list->next;
  return list;
}

/* The plan's own copy of its table on the context's device, made by the first call there. Several threads
 * may be the first: each makes a copy, and the compare-and-swap links one of them to the plan. */
static iw_status table_upload_once(iw_context *context, const iw_histogram_plan *plan, void **memory)
{
  struct iw_device_table **const list = &((iw_histogram_plan *)(uintptr_t)plan)->device_tables;
  struct iw_device_table *first = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  struct iw_device_table *found = device_table_of(first, context), *mine = NULL;
  if (!found) {
    size_t bytes;
    const void *const table = table_of(plan, &bytes);
    mine = malloc(sizeof *mine);
    if (!mine)
      return iw_fail(IW_ERROR_MEMORY, "no memory for %zu bytes of a plan", sizeof *mine);
    *mine = (struct iw_device_table){ .device_index = context->device_index, .ops = context->ops };
    iw_status status = context->ops->allocate(context, bytes, &mine->memory);
    if (status == IW_OK && (status = context->ops->copy(context, mine->memory, table, bytes)) != IW_OK)
      context->ops->release(context, mine->memory);
    if (status != IW_OK) {
      free(mine);
      return status;
    }
  }
  while (!found) {
    mine->next = first;
    if (__atomic_compare_exchange_n(list, &first, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      *memory = mine->memory;
      return IW_OK;
    }
    found = device_table_of(first, context);
  }
  if (mine) { /* another thread has linked its copy */
    context->ops->release(context, mine->memory);
    free(mine);
  }
  *memory = found->memory;
  return IW_OK;
}

size_t iw_binning_scratch_bytes(const iw_context *context, const iw_histogram_plan *plan)
{
  size_t bytes;
  table_of(plan, &bytes);
  return context->device.reads_host_memory || plan->persistent ? 0 : bytes;
}

iw_status iw_binning_upload(iw_context *context, const iw_histogram_plan *plan, void *memory,
                            iw_binning *binning)
{
  size_t bytes;
  const void *table = table_of(plan, &bytes);
  *binning = plan->binning;
  if (!context->device.reads_host_memory) {
    if (plan->persistent)
      IW_TRY(table_upload_once(context, plan, &memory));
    else
      IW_TRY(context->ops->upload(context, memory, table, bytes));
    table = table ? memory : NULL; /* the plan of samples that are bin indices has none */
  }
  if (binning->mode == IW_BINNING_MAP)
    binning->map = table;
  else
    binning->edges = table;
  if (binning->cells)
    binning->map = (const uint32_t *)(const void *)((const char *)table + plan->cells_at);
  return IW_OK;
}

iw_status iw_histogram_edges(const iw_histogram_spec *spec, void *edges)
{
  iw_type type;
  IW_TRY(iw_check_spec_of_call(spec, &type));
  if (spec->kind == IW_HISTOGRAM_MAP)
    return iw_fail(IW_ERROR_INVALID, "spec->kind is %d, a map, which has no edges", (int)spec->kind);
  if (spec->plan)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->plan is not NULL, but only the spec that a plan was made of gives its edges");
  if (iw_spec_is_automatic(spec))
    return iw_fail(IW_ERROR_INVALID,
                   "spec->lo and spec->hi are NULL; iw_histogram_range() finds the range of the data");
  IW_TRY(iw_check_array("edges", edges, spec->bins + 1, iw_type_size(type)));
  iw_fp_env callers;
  iw_fp_env_set_default(&callers);
  fill_edges(type, spec, edges);
  iw_fp_env_restore(&callers);
  return IW_OK;
}
