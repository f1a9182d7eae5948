/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of order 1, for one type T and under one NAME: the lines of doc/order1.md. Sizes are
 * elements. A product, if PRODUCT is defined; else a sum.
 */
#ifndef TESTS_ORDER1_H
#define TESTS_ORDER1_H
enum { ROW = 128, TILE = 32 * ROW, GROUP = 32 * TILE };
#endif

#ifdef PRODUCT
#define ABSENT ((T)1)
#define PLUS(a, b) ((a) * (b))
#else
#define ABSENT ((T)-0.0)
#define PLUS(a, b) ((a) + (b))
#endif
static inline void NAME(const T *in, T *out, size_t n, T init)
{
  T p = init, f = ABSENT, e = ABSENT, x[ROW];   /* the folds: over groups, tiles, rows */
  for (size_t start = 0; start < n; start += ROW) {
    if (start % TILE == 0)  { f = PLUS(f, e); e = ABSENT; }
    if (start % GROUP == 0) { p = PLUS(p, f); f = ABSENT; }
    for (size_t i = 0; i < ROW; i++)
      x[i] = start + i < n ? in[start + i] : ABSENT;
    for (size_t half = 1; half < ROW; half *= 2)
      for (size_t i = 0; i < ROW; i++)
        if (i & half)
          x[i] = PLUS(x[(i & -half) - 1], x[i]);
    for (size_t i = 0; i < ROW && start + i < n; i++)
      out[start + i] = PLUS(p, PLUS(f, PLUS(e, x[i])));
    e = PLUS(e, x[ROW - 1]);
  }
}
#undef ABSENT
#undef PLUS
#undef PRODUCT
#undef NAME
#undef T
