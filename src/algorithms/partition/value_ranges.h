/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons with a constant, and histogram bins, as ranges of a type's values with both ends included
 * (doc/design/partition.md#comparisons-are-ranges). Part of partition.c; knows types and plans, not kernels.
 */
#ifndef IW_PARTITION_VALUE_RANGES_H
#define IW_PARTITION_VALUE_RANGES_H

#include "algorithms/binning/binning.h"
#include "algorithms/common/args.h"
#include "algorithms/common/half.h"
#include "runtime/check.h"
#include "runtime/type_facts.h"

#include <string.h>

/* How a type's values map to ranks: 0 is the lowest value, -inf of floats. -0 and +0 have the same rank;
 * NaN has none. */
typedef struct value_order {
  unsigned bits;
  int floats, negatives;    /* whether the type is a float; whether it has negative values */
  uint64_t infinity;        /* the bits of +inf, or 0 */
} value_order;

static inline __attribute__((always_inline)) value_order order_of(iw_type type)
{
  const iw_type_facts facts = iw_facts_of(type);
  return (value_order){ facts.bits, facts.is_float, facts.is_signed, facts.of.infinity };
}

static inline uint64_t bits_mask(unsigned bits)
{
  return ~(uint64_t)0 >> (64 - bits);
}

static inline uint64_t bits_of(const value_order *o, iw_scalar_bits word)
{
  return o->bits == 8 ? word.u8 : o->bits == 16 ? word.u16 : o->bits == 32 ? word.u32 : word.u64;
}

static inline uint64_t bits_at(const value_order *o, const void *element)
{
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (o->bits) { /* memcpy() of an unknown size would be a call */
  case 8: return *(const uint8_t *)element;
  case 16: memcpy(&two, element, sizeof two); return two;
  case 32: memcpy(&four, element, sizeof four); return four;
  default: memcpy(&eight, element, sizeof eight); return eight;
  }
}

static inline int is_nan(const value_order *o, uint64_t bits)
{
  return o->floats && (bits & bits_mask(o->bits - 1)) > o->infinity;
}

static inline uint64_t highest_rank(const value_order *o)
{
  return o->floats ? 2 * o->infinity : bits_mask(o->bits);
}

static inline uint64_t rank_of(const value_order *o, uint64_t bits)
{
  const uint64_t sign = (uint64_t)1 << (o->bits - 1);
  if (!o->floats)
    return o->negatives ? bits ^ sign : bits;
  return bits & sign ? o->infinity - (bits ^ sign) : o->infinity + bits;
}

static inline iw_scalar_bits value_at_rank(const value_order *o, uint64_t rank)
{
  const uint64_t sign = (uint64_t)1 << (o->bits - 1), zero = o->infinity;
  const uint64_t bits = o->floats ? rank < zero ? sign | (zero - rank) : rank - zero : o->negatives ? rank ^ sign : rank;
  return o->bits == 8 ? (iw_scalar_bits){ .u8 = (uint8_t)bits } : o->bits == 16 ? (iw_scalar_bits){ .u16 = (uint16_t)bits }
    : o->bits == 32 ? (iw_scalar_bits){ .u32 = (uint32_t)bits } : (iw_scalar_bits){ .u64 = bits };
}

/* Selected are the values lo … hi, or with `inverted` all others. */
typedef struct range { iw_scalar_bits lo, hi; int inverted; } range;

/* The order of a type of 1 or 2 bytes, as kernels have it; and a range as ranks, for their unsigned
 * comparison. Of wider types both are unspecified. */
static inline iw_narrow_order narrow_order_of(const value_order *o)
{
  const uint32_t sign = (uint32_t)((uint64_t)1 << (o->bits - 1));
  return (iw_narrow_order){ .flip = o->negatives && !o->floats ? sign : 0, .infinity = (uint32_t)o->infinity };
}

typedef struct rank_range { uint32_t lo, hi; } rank_range;
static inline rank_range ranks_of_range(const value_order *o, const range *r)
{
  const uint32_t lo = (uint32_t)rank_of(o, bits_of(o, r->lo)), hi = (uint32_t)rank_of(o, bits_of(o, r->hi));
  /* Floats with lo > hi: no element's rank is IW_NARROW_NAN. */
  return lo > hi && o->floats ? (rank_range){ IW_NARROW_NAN, IW_NARROW_NAN } : (rank_range){ lo, hi };
}

static inline __attribute__((always_inline)) void range_of_ordered(range *r, value_order o, iw_compare compare, const void *constant)
{
  const uint64_t bits = bits_at(&o, constant), rank = rank_of(&o, bits), highest = highest_rank(&o);
  const int less = compare == IW_LESS || compare == IW_LESS_EQUAL;
  const int greater = compare == IW_GREATER || compare == IW_GREATER_EQUAL;
  uint64_t lo = less ? 0 : rank + (compare == IW_GREATER), hi = greater ? highest : rank - (compare == IW_LESS);
  int inverted = compare == IW_NOT_EQUAL;
  if (is_nan(&o, bits) || (compare == IW_LESS && rank == 0) || (compare == IW_GREATER && rank == highest)) {
    lo = o.floats ? highest : 0; /* nothing: for floats lo > hi; for integers, whose ranges wrap, the complement of all values */
    hi = highest - lo;
    inverted ^= !o.floats;
  }
  r->lo = value_at_rank(&o, lo);
  r->hi = value_at_rank(&o, hi);
  r->inverted = inverted;
}

/* One copy of the code for each type, as constants halve the time of small calls in here. */
static void range_of(range *r, iw_type type, iw_compare compare, const void *constant)
{
  switch (type) {
#define IN(NAME, name, C, kind) case IW_##NAME: range_of_ordered(r, order_of(IW_##NAME), compare, constant); break;
  IW_ELEMENT_TYPES(IN)
#undef IN
  }
}

/* A value of a plan's KEY type as one of the samples' type: edge k, and other values by k = 0. */
static iw_scalar_bits value_of_key(iw_type type, const void *keys, size_t k)
{
  iw_scalar_bits value = { .u64 = 0 };
  const size_t size = iw_type_size(type);
  if (size == 2)
    value.u16 = iw_facts_of(type).is_float ? iw_half_of(type, (double)((const float *)keys)[k]) : (uint16_t)((const int32_t *)keys)[k];
  else if (size > 2) /* types of 1 byte have no edges */
    memcpy(&value, (const char *)keys + k * size, size);
  return value;
}

/* The range of a bin of a type of 1 byte, none of which is empty, without clamping. */
static range range_of_byte_bin(const value_order *o, const iw_histogram_plan *plan, size_t bin)
{
  uint64_t first = highest_rank(o), last = 0;
  for (uint64_t rank = 0; rank <= highest_rank(o); rank++)
    if (plan->map[value_at_rank(o, rank).u8] == bin) {
      first = rank < first ? rank : first;
      last = rank;
    }
  return (range){ value_at_rank(o, first), value_at_rank(o, last), 0 };
}

/* The range of a bin of a plan without a map. With clamping, the first and the last bin extend to the ends
 * of the type. */
static range range_of_bin(iw_type type, const iw_histogram_plan *plan, size_t bin)
{
  const value_order o = order_of(type);
  const int first = bin == 0, last = bin + 1 == plan->binning.bins, clamp = plan->binning.clamp != 0;
  range r;
  if (iw_type_size(type) == 1)
    r = range_of_byte_bin(&o, plan, bin);
  else {
    r = (range){ first ? value_of_key(type, &plan->binning.bottom, 0) : value_of_key(type, plan->edges, bin),
                 last ? value_of_key(type, &plan->binning.top, 0) : value_of_key(type, plan->edges, bin + 1), 0 };
    if (!last)
      r.hi = value_at_rank(&o, rank_of(&o, bits_of(&o, r.hi)) - 1);
  }
  if (first && clamp)
    r.lo = value_at_rank(&o, 0);
  if (last && clamp)
    r.hi = value_at_rank(&o, highest_rank(&o));
  return r;
}


#endif
