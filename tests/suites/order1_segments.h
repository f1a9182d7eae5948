/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of order 1 in segments, for one type T and under one NAME: the lines of doc/order1.md.
 * order1.h stands before it, for the sizes. init is ABSENT where there is none.
 */
#define ABSENT ((T)-0.0)
#define PAIR_(name) name##_pair
#define PAIR_OF(name) PAIR_(name)
#define PAIR PAIR_OF(NAME)
#define PLUS_(name) name##_plus
#define PLUS_OF(name) PLUS_(name)
#define PLUS PLUS_OF(NAME)
typedef struct { int head; T value; } PAIR;

static inline PAIR PLUS(PAIR a, PAIR b)
{
  return (PAIR){ a.head || b.head, b.head ? b.value : a.value + b.value };
}

static inline void NAME(const T *in, const unsigned char *heads, T *out, size_t n, T init)
{
  const PAIR absent = { 0, ABSENT };
  PAIR p = absent, f = absent, e = absent, x[ROW];  /* the folds: over groups, tiles, rows */
  for (size_t start = 0; start < n; start += ROW) {
    if (start % TILE == 0)  { f = PLUS(f, e); e = absent; }
    if (start % GROUP == 0) { p = PLUS(p, f); f = absent; }
    for (size_t i = 0; i < ROW; i++)
      x[i] = start + i >= n ? absent
           : start + i == 0 || heads[start + i] ? (PAIR){ 1, init + in[start + i] } : (PAIR){ 0, in[start + i] };
    for (size_t half = 1; half < ROW; half *= 2)
      for (size_t i = 0; i < ROW; i++)
        if (i & half)
          x[i] = PLUS(x[(i & -half) - 1], x[i]);
    for (size_t i = 0; i < ROW && start + i < n; i++)
      out[start + i] = PLUS(p, PLUS(f, PLUS(e, x[i]))).value;
    e = PLUS(e, x[ROW - 1]);
  }
}
#undef ABSENT
#undef PAIR_
#undef PAIR_OF
#undef PAIR
#undef PLUS_
#undef PLUS_OF
#undef PLUS
#undef NAME
#undef T
