/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans, samples, counters and weights of random histograms, for check_nd.c and check_histograms.c.
 */
#ifndef TESTS_BINNED_H
#define TESTS_BINNED_H

#include "reference.h"
#include "reference_sums.h"

enum { TYPES = IW_BF16 + 1 };

/* ---- Plans and samples ------------------------------------------------------------------------------- */

/* A plan of some bins and all that its definition needs. */
typedef struct binned {
  iw_type type;
  iw_histogram_spec spec;
  word lo, hi;
  edges e;
  size_t outputs;
  iw_histogram_plan *plan;
  iw_histogram_spec planned; /* the spec that is the plan */
} binned;

static inline void binned_make(binned *b, iw_type type, size_t bins, const setting *at)
{
  *b = (binned){ .type = type };
  const size_t most = type == IW_I8 ? 200 : iw_type_size(type) == 1 ? 217 : type == IW_F16 ? 500 : type == IW_BF16 ? 60 : bins;
  bins = bins > most ? most : bins; /* not more than there are values */
  b->spec = (iw_histogram_spec){ .size = sizeof b->spec, .type = type, .bins = bins, .lo = &b->lo, .hi = &b->hi };
  if (type == IW_F32)
    b->lo.f32 = 0.1f, b->hi.f32 = 0.9f;
  else if (type == IW_F64)
    b->lo.f64 = -0.25, b->hi.f64 = 0.7;
  else if (is_half(type))
    b->lo.u16 = half_of(type, 0.1), b->hi.u16 = half_of(type, 0.9);
  else
    put(type, &b->lo, 0, (word){ .u64 = type == IW_I8 ? (uint64_t)-100 : type == IW_BOOL ? 0 : 3 }),
        put(type, &b->hi, 0, (word){ .u64 = type == IW_I8 ? 100 : iw_type_size(type) == 1 ? 220 : 900 });
  b->spec.policy = (iw_policy)random_below(3);
  b->spec.flags = (unsigned)random_below(4);
  b->e = edges_of(type, &b->spec);
  b->outputs = bins + (b->spec.policy == IW_POLICY_COUNT ? 2 : 0);
  MUST(at, plan_of(at->context, type, &b->spec, NULL, 0, &b->plan));
  b->planned = iw_spec_of_plan(b->plan);
}

static inline void binned_flags(binned *b, unsigned flags, size_t counter_width, const setting *at)
{
  iw_histogram_plan_free(b->plan);
  b->spec.flags = flags;
  b->spec.counter_width = counter_width;
  edges_free(&b->e);
  b->e = edges_of(b->type, &b->spec);
  MUST(at, plan_of(at->context, b->type, &b->spec, NULL, 0, &b->plan));
  b->planned = iw_spec_of_plan(b->plan);
}

static inline void binned_free(binned *b)
{
  iw_histogram_plan_free(b->plan);
  edges_free(&b->e);
}

/* The output that sample i is counted in; at least outputs: none. */
static inline size_t place_of(const binned *b, const void *samples, size_t i)
{
  const size_t place = bin_by_policy(b->type, samples, i, &b->spec, &b->e);
  return place == b->spec.bins + NOT_A_NUMBER ? SIZE_MAX : place;
}

static inline array samples_new(iw_type type, size_t n)
{
  array a = array_new(iw_type_size(type), n);
  for (size_t i = 0; i < n; i++)
    put(type, a.data, i, random_word(type, random_below(8) ? UNIT : SPECIAL));
  return a;
}

/* Counters as a spec has them, what they hold at first, and what they should hold afterwards. */
typedef struct counters { array found, right; size_t n, size; int narrow; } counters;

static inline size_t random_counter_width(void) { return (size_t[]){ 0, 4, 8 }[random_below(3)]; }

static inline counters counters_new(size_t n, const iw_histogram_spec *spec)
{
  const int narrow = spec->counter_width == 4;
  counters c = { .n = n, .size = narrow ? 4 : 8, .narrow = narrow };
  c.found = array_new(c.size, n);
  c.right = array_new(c.size, n);
  for (size_t k = 0; k < n; k++) {
    const uint64_t before = random_below(1000);
    put(narrow ? IW_U32 : IW_U64, c.found.data, k, (word){ .u64 = before });
    put(narrow ? IW_U32 : IW_U64, c.right.data, k, (word){ .u64 = spec->flags & IW_HIST_ACCUMULATE ? before : 0 });
  }
  return c;
}

static inline void count_one(counters *c, size_t k)
{
  if (k < c->n && c->narrow)
    ((uint32_t *)c->right.data)[k]++;
  else if (k < c->n)
    ((uint64_t *)c->right.data)[k]++;
}

static inline void counters_check(counters *c, const setting *at, const char *what)
{
  SAME(at, what, c->right.data, c->found.data, c->n, c->size);
  ck_assert_msg(array_intact(&c->found, c->found.bytes), "%s wrote outside its counters", what);
  array_free(&c->found);
  array_free(&c->right);
}

static inline size_t some_n(unsigned round)
{
  return round % 4 == 0 ? (size_t)random_below(70) : round % 4 == 1 ? random_size(3000) : random_size(40000);
}

/* Weights that are hard on sums. */
static inline array weights_new(iw_type type, size_t n, unsigned round)
{
  array a = array_new(iw_type_size(type), n);
  for (size_t i = 0; i < n; i++) {
    word w = random_word(type, round % 3 == 0 ? WIDE : round % 3 == 1 ? TINY : UNIT);
    if (is_float(type) && round % 6 == 2) /* neighbours cancel, all but a little */
      w = i % 2 ? (word){ .u64 = 0 } : random_word(type, WIDE);
    if (is_float(type) && i % 2 && round % 6 == 2) {
      memcpy(&w, (char *)a.data + (i - 1) * a.size, a.size);
      if (type == IW_F32)
        w.u32 ^= 0x80000000u;
      else
        w.u64 ^= 0x8000000000000000u;
    }
    if (is_float(type) && round % 7 == 3) { /* the ends of the exponents */
      const int high = random_below(4) == 0;
      w.f64 = ldexp(random_unit() - 0.5, high ? 1023 : -1060 + (int)random_below(30));
      if (type == IW_F32)
        w.f32 = ldexpf((float)random_unit() - 0.5f, high ? 127 : -145 + (int)random_below(10));
    }
    if (is_float(type) && round % 7 == 4 && random_below(n / 3 + 2) == 0) /* a few infinities and NaN */
      w = random_word(type, SPECIAL);
    put(type, a.data, i, w);
  }
  return a;
}

static inline iw_type sum_type(iw_type weight)
{
  return weight == IW_I32 ? IW_I64 : weight == IW_U32 ? IW_U64 : weight;
}

#endif
