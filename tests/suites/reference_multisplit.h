/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of a multisplit: from the bucket id of each element it computes outputs, offsets and the
 * permutation, and compares a call's elements, payloads of every width and permutation with them.
 */
#ifndef TESTS_REFERENCE_MULTISPLIT_H
#define TESTS_REFERENCE_MULTISPLIT_H

#include "reference.h"

/* n elements and their bucket ids; an id that is not below `buckets` means no bucket. */
typedef struct splitting {
  iw_type type;
  size_t n, size, buckets;
  array in, out;
  size_t *bucket_ids, *offsets, *permutation; /* permutation[to]: the index in `in` of the element that goes to `to` */
} splitting;

static inline splitting splitting_new(iw_type type, size_t n, size_t buckets)
{
  const size_t size = iw_type_size(type);
  return (splitting){ type, n, size, buckets, array_new(size, n), array_new(size, n),
                     malloc((n + 1) * sizeof(size_t)),
                      calloc(buckets + 2, sizeof(size_t)), malloc((n + 1) * sizeof(size_t)) };
}

static inline void splitting_free(splitting *s)
{
  array_free(&s->in);
  array_free(&s->out);
  free(s->bucket_ids);
  free(s->offsets);
  free(s->permutation);
}

/* Computes out, offsets and permutation from in and bucket_ids. */
static inline void splitting_compute(splitting *s)
{
  size_t *const next = malloc((s->buckets + 1) * sizeof *next);
  for (size_t i = 0; i < s->n; i++)
    s->offsets[(s->bucket_ids[i] < s->buckets ? s->bucket_ids[i] : s->buckets) + 1]++;
  for (size_t k = 0; k <= s->buckets; k++)
    s->offsets[k + 1] += s->offsets[k];
  memcpy(next, s->offsets, (s->buckets + 1) * sizeof *next);
  for (size_t i = 0; i < s->n; i++) {
    const size_t to = next[s->bucket_ids[i] < s->buckets ? s->bucket_ids[i] : s->buckets]++;
    s->permutation[to] = i;
    memcpy((char *)s->out.data + to * s->size, (const char *)s->in.data + i * s->size, s->size);
  }
  free(next);
}

/* ---- Bins ---- */

/* The most bins that the range of range_for() has values for. */
static inline size_t most_bins(iw_type type)
{
  return iw_type_size(type) == 1 ? 200 : type == IW_F16 ? 1000 : type == IW_BF16 ? 500 : iw_type_size(type) == 2 ? 50000 : SIZE_MAX;
}

/* A range in which there can be that many bins, some samples outside it. */
static inline void range_for(iw_type type, size_t bins, word *lo, word *hi)
{
  *lo = *hi = (word){ .u64 = 0 };
  switch (type) {
  case IW_F32: lo->f32 = -1, hi->f32 = (float)bins / 7; break;
  case IW_F64: lo->f64 = -0.3, hi->f64 = 0.7; break;
  case IW_I32: lo->i32 = -50, hi->i32 = (int32_t)(bins * 3); break;
  case IW_I64: lo->i64 = INT64_MIN, hi->i64 = INT64_MAX; break;
  case IW_I8: lo->i8 = -100, hi->i8 = 120; break;
  case IW_I16: lo->i16 = -30000, hi->i16 = 25000; break;
  case IW_U16: lo->u16 = 1, hi->u16 = 60000; break;
  case IW_F16: case IW_BF16: lo->u16 = half_of(type, -1), hi->u16 = half_of(type, 1); break;
  case IW_U32: lo->u32 = 5, hi->u32 = (uint32_t)bins + 7; break;
  default: lo->u64 = 1, hi->u64 = UINT64_MAX; break;
  }
}

/* Samples mostly in the range, all kinds of others among them. */
static inline void fill_for(iw_type type, void *samples, size_t n, const edges *e)
{
  for (size_t i = 0; i < n; i++) {
    word w = random_word(type, (int)random_below(3));
    const double share = random_unit() * 1.05 - 0.02;
    if (random_below(8)) {
      if (type == IW_F32)
        w.f32 = (float)(e->f[0] + share * (e->f[e->bins] - e->f[0]));
      else if (type == IW_F64)
        w.f64 = e->f[0] + share * (e->f[e->bins] - e->f[0]);
      else if (is_half(type))
        w.u16 = half_of(type, e->f[0] + share * (e->f[e->bins] - e->f[0]));
      else
        w.u64 = (uint64_t)(e->i[0] + (wide)(random_unit() * (double)(e->i[e->bins] - e->i[0])));
    }
    put(type, samples, i, w);
  }
}

/* Elements by the bins of a spec. */
static inline void splitting_by_bins(splitting *s, const iw_histogram_spec *spec)
{
  edges e = edges_of(s->type, spec);
  for (size_t i = 0; i < s->n; i++)
    s->bucket_ids[i] = bin_by_policy(s->type, s->in.data, i, spec, &e);
  edges_free(&e);
  splitting_compute(s);
}

/* ---- A call ---- */

/* What a payload is, and what should become of it. width 4 and 8 without elements: the permutation. */
typedef struct moved { size_t width; array in, out, right; int indices, in_place; } moved;

static inline moved moved_new(const splitting *s, size_t width, int indices, int in_place)
{
  moved m = { width, array_new(width, s->n), array_new(width, s->n), array_new(width, s->n), indices,
             in_place };
  unsigned char *const in = m.in.data, *const right = m.right.data;
  for (size_t i = 0; i < s->n * width; i++)
    in[i] = (unsigned char)random_bits();
  for (size_t i = 0; i < s->n; i++)
    if (!indices)
      memcpy(right + i * width, in + s->permutation[i] * width, width);
    else if (width == 4)
      ((uint32_t *)m.right.data)[i] = (uint32_t)s->permutation[i];
    else
      ((uint64_t *)m.right.data)[i] = s->permutation[i];
  if (in_place)
    memcpy(m.out.data, in, s->n * width);
  return m;
}

static inline void moved_free(moved *m)
{
  array_free(&m->in);
  array_free(&m->out);
  array_free(&m->right);
}

/* One call by `how`. round: what moves, and what of it in place. */
static inline void check_multisplit(const setting *at, const splitting *s, const iw_buckets *how,
                                    const char *name, unsigned round)
{
  static const size_t widths[] = { 1, 2, 4, 8, 16 };
  const int all = round % 8 == 7, alone = round % 8 == 5, order = round % 8 == 6,
      in_place = round / 8 % 3 == 2;
  const size_t count = all ? 7 : alone ? 0 : 1;
  const int wanted = !order && round / 8 % 4 != 3;
  moved payloads[7];
  iw_payload given[7];
  size_t reserve = wanted && in_place ? s->n * s->size : 0;
  for (size_t i = 0; i < count; i++) {
    const int indices = order || i >= 5, own = in_place && !indices && i % 2 == 0;
    const size_t width = indices ? (i + round / 8) % 2 ? 8 : 4 : widths[all ? i : round % 8];
    payloads[i] = moved_new(s, width, indices, own);
    given[i] = payload_of(indices ? NULL : own ? payloads[i].out.data : payloads[i].in.data,
                          payloads[i].out.data, NULL, width);
    reserve += own ? s->n * width : 0;
  }
  array out = array_new(s->size, wanted ? s->n : 0), offsets = array_new(sizeof(size_t), s->buckets + 1);
  if (wanted && in_place)
    memcpy(out.data, s->in.data, s->n * s->size);
  char what[160];
  snprintf(what, sizeof what, "multisplit of %zu %s into %zu by %s (round %u)", s->n, iw_type_name(s->type),
           s->buckets, name,
           round);
  if (reserve)
    MUST(at, iw_context_reserve(at->context, reserve));
  MUST(at, multisplit_with(at->context, s->type, wanted && in_place ? out.data : s->in.data, s->n, how,
                           wanted ? out.data : NULL, count ? given : NULL, count, offsets.data));
  SAME(at, what, s->offsets, offsets.data, s->buckets + 1, sizeof(size_t));
  SAME(at, what, s->out.data, out.data, wanted ? s->n : 0, s->size);
  ck_assert_msg(array_intact(&out, out.bytes) && array_intact(&offsets, offsets.bytes),
                "%s wrote outside its outputs", what);
  for (size_t i = 0; i < count; i++) {
    snprintf(what, sizeof what, "payload %zu, of %zu bytes, with %zu %s by %s into %zu (round %u)", i,
             payloads[i].width, s->n,
             iw_type_name(s->type), name, s->buckets, round);
    const size_t halves = payloads[i].width == 16 ? 2 : 1;
    SAME(at, what, payloads[i].right.data, payloads[i].out.data, s->n * halves, payloads[i].width / halves);
    ck_assert_msg(array_intact(&payloads[i].out, payloads[i].out.bytes), "%s wrote outside its output",
                  what);
    moved_free(&payloads[i]);
  }
  array_free(&out);
  array_free(&offsets);
}

#endif
