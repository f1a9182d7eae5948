/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the kernels of one type T with scalar S; U is the unsigned integer of its size. Included once
 * for each type.
 */
#define BITS (sizeof(S) * 8)
#define FN(name) PASTE(name, T)
#define KERNEL(name) PASTE(LANGUAGE_##name, T)
#if IS_FLOAT
#define LOWEST (-(S)INFINITY)
#define HIGHEST ((S)INFINITY)
#elif IS_SIGNED
#define LOWEST ((S)((U)1 << (BITS - 1)))
#define HIGHEST ((S)~LOWEST)
#else
#define LOWEST ((S)0)
#define HIGHEST ((S)~(S)0)
#endif

/* ---- Definitions ---- */

static void FN(put)(S *p, S v)
{
#if IS_FLOAT
  const U nan = CANONICAL;
  if (isnan(v)) {
    memcpy(p, &nan, sizeof nan);
    return;
  }
#endif
  *p = v;
}

typedef S (*FN(operation))(S, S);
#if IS_FLOAT
static S FN(sum)(S a, S b) { return a + b; }
static S FN(least)(S a, S b) { return isnan(a) ? a : isnan(b) ? b : a == b ? signbit(a) ? a : b : a < b ? a : b; }
static S FN(greatest)(S a, S b) { return isnan(a) ? a : isnan(b) ? b : a == b ? signbit(a) ? b : a : a > b ? a : b; }
#else
static S FN(sum)(S a, S b) { return (S)((U)a + (U)b); }
static S FN(least)(S a, S b) { return b < a ? b : a; }
static S FN(greatest)(S a, S b) { return b > a ? b : a; }
#endif
static const FN(operation) FN(operations)[] = { FN(sum), FN(least), FN(greatest) };
static const S FN(fronts)[] = { 0, HIGHEST, LOWEST };

/* The binary tree by index: at each level the right half of a block takes the end of the left half. */
static void FN(tree)(S *x, size_t n, FN(operation) op)
{
  for (size_t half = 1; half < n; half *= 2)
    for (size_t i = 0; i < n; i++)
      if (i & half)
        x[i] = op(x[i / (2 * half) * (2 * half) + half - 1], x[i]);
}

/* ---- Values ---- */

static S FN(special)(uint64_t k)
{
#if IS_FLOAT
  const size_t floats = sizeof special_floats / sizeof special_floats[0], nans = sizeof FN(nans) / sizeof FN(nans)[0];
  S v;
  if ((k %= floats + nans) < floats)
    return (S)special_floats[k];
  memcpy(&v, &FN(nans)[k - floats], sizeof v);
  return v;
#else
  return (S)special_ints[k % (sizeof special_ints / sizeof special_ints[0])];
#endif
}

static S FN(value)(int kind)
{
  const uint64_t r = random_bits();
  switch (kind) {
  case SPECIAL: return FN(special)(r);
  case LOWEST_ONLY: return LOWEST;
  case HIGHEST_ONLY: return HIGHEST;
#if IS_FLOAT
  case MINUS_ZERO: return (S)-0.0;
  case MIXED:
    if (r % 8 == 0)
      return (S)-0.0;
    if (r % 301 == 0) {
      S v;
      memcpy(&v, &FN(nans)[r / 301 % 5], sizeof v);
      return v;
    }
    if (r % 401 == 0)
      return r >> 63 ? LOWEST : HIGHEST;
    /* fall through */
  default: return (S)(ldexp(1 + (double)(r >> 12) / (double)P(52), (int)(random_bits() % 81) - 40) * (r & 1 ? -1 : 1));
#else
  case MINUS_ZERO: return 0;
  default: return (S)(r >> random_bits() % BITS);
#endif
  }
}

static void FN(values)(S *a, size_t n, int kind)
{
  for (size_t e = 0; e < n; e++) {
    const S v = FN(value)(kind);
    memcpy(a + e, &v, sizeof v);
  }
}

static S *FN(array)(size_t n, int kind)
{
  S *const a = guarded(n * sizeof *a, 0);
  FN(values)(a, n, kind);
  return a;
}

/* All pairs of special values as far as they go, then mixed ones. */
static void FN(pairs)(S *a, S *b, size_t n)
{
  const size_t floats = sizeof special_floats / sizeof special_floats[0] + 5; /* and five NaN */
  const size_t k = IS_FLOAT ? floats : sizeof special_ints / sizeof special_ints[0];
  for (size_t e = 0; e < n; e++) {
    const uint64_t r = n < k * k ? random_bits() % (k * k) : e;
    const S x = r < k * k ? FN(special)(r % k) : FN(value)(MIXED);
    const S y = r < k * k ? FN(special)(r / k) : FN(value)(MIXED);
    memcpy(a + e, &x, sizeof x);
    memcpy(b + e, &y, sizeof y);
  }
}

/* ---- Lane by lane ---- */

static S FN(quotient)(S a, S b)
{
#if IS_FLOAT
  return a / b;
#elif IS_SIGNED
  return b == 0 ? 0 : a == LOWEST && b == -1 ? LOWEST : a / b;
#else
  return b == 0 ? 0 : a / b;
#endif
}

static void FN(want_numbers)(const S *a, const S *b, const uint32_t *chosen, size_t n)
{
  for (size_t e = 0; e < n; e++) {
    const S x = a[e], y = b[e];
#if IS_FLOAT
    const S difference = x - y, product = x * y;
    S minus;
    U bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= (U)1 << (BITS - 1);
    memcpy(&minus, &bits, sizeof bits);
#else
    const S difference = (S)((U)x - (U)y), product = (S)((U)x * (U)y), minus = (S)(0 - (U)x);
#endif
    FN(put)(WANT(S, 0) + e, FN(sum)(x, y));
    FN(put)(WANT(S, 1) + e, difference);
    FN(put)(WANT(S, 2) + e, product);
    FN(put)(WANT(S, 3) + e, FN(quotient)(x, y));
    FN(put)(WANT(S, 4) + e, FN(least)(x, y));
    FN(put)(WANT(S, 5) + e, FN(greatest)(x, y));
    FN(put)(WANT(S, 6) + e, minus);
    FN(put)(WANT(S, 7) + e, chosen[e] & 1 ? x : y);
    WANT(uint32_t, 8)[e] = (x == y ? 1 : 2) | (x < y ? 4 : 0) | (x <= y ? 8 : 0) | (x > y ? 16 : 0) | (x >= y ? 32 : 0);
    FN(put)(WANT(S, 9) + e, a[0]);
  }
}

TEST_OF(numbers)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, MIXED), *const b = FN(array)(n, MIXED);
    uint32_t *const chosen = random_words(n);
    FN(pairs)(a, b, n);
    outputs(10, n, 0);
    FN(want_numbers)(a, b, chosen, n);
    EACH_BUILD(i)
      run(i, KERNEL(numbers), blocks_for(n, block), block,
          &(language_args){ .a = a, .b = b, .chosen = chosen, .n = n });
    release();
  }
}
END_TEST

/* Scalar operands, which are what C converts them to. */
TEST_OF(scalars)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, MIXED), *const b = FN(array)(n, MIXED);
    uint32_t *const chosen = random_words(n), *const index = permutation(n);
    FN(pairs)(a, b, n);
    outputs(17, n, 0);
    for (size_t e = 0; e < n; e++) {
      const S x = a[e], s = b[0];
      const int p = chosen[e] & 1;
#if IS_FLOAT
      const S product = x * 3, difference = x - 3;
#else
      const S product = (S)((U)x * 3), difference = (S)((U)x - 3);
      const S zero = 0; /* compilers warn that no unsigned number is less than the literal */
      const int negative = x < zero;
      WANT(S, 11)[e] = x % (S)7;
      WANT(S, 12)[e] = (S)((U)x & 0x55);
      WANT(S, 13)[e] = (S)((U)x | (U)s);
      WANT(S, 14)[e] = (S)~(U)x;
      WANT(S, 15)[e] = (S)((U)x << 3);
      WANT(S, 16)[e] = negative && IS_SIGNED ? (S)~(~(U)x >> 3) : (S)((U)x >> 3);
#endif
      FN(put)(WANT(S, 0) + e, FN(sum)(x, (S)-3));
      FN(put)(WANT(S, 1) + e, difference);
      FN(put)(WANT(S, 2) + e, product);
      FN(put)(WANT(S, 3) + e, FN(quotient)(x, (S)3));
      FN(put)(WANT(S, 4) + e, FN(least)(x, s));
      FN(put)(WANT(S, 5) + e, FN(greatest)(x, s));
      FN(put)(WANT(S, 6) + e, p ? x : (S)7);
      WANT(uint32_t, 7)[e] = (x == s ? 1 : 2) | (x < s ? 4 : 0) | (x <= s ? 8 : 0) | (x > s ? 16 : 0) | (x >= s ? 32 : 0);
      if (p) {
        WANT(S, 8)[e] = 5;
        WANT(S, 9)[index[e]] = 9;
        FN(put)(WANT(S, 10) + index[e], s);
      }
    }
    EACH_BUILD(i)
      run(i, KERNEL(scalars), blocks_for(n, block), block,
          &(language_args){ .a = a, .b = b, .chosen = chosen, .index = index, .n = n });
    release();
  }
}
END_TEST

/* Element l of a warp, or 0 where the warp has none. */
static S FN(lane_of)(const build *b, const S *a, size_t n, unsigned block, size_t block_index, unsigned w, unsigned l)
{
  const warp_place p = place(b, n, block, block_index, w);
  return l < p.count ? a[p.first + l] : 0;
}

TEST_OF(uniform)
{
  EACH_BUILD(i) EACH_BLOCK(block) {
    const size_t n = elements_for(block), warps = blocks_for(block, i->warp);
    S *const a = FN(array)(n, MIXED), *const b = FN(array)(2, MIXED);
    const uint32_t thread = (uint32_t)(random_bits() % 1000);
    outputs(6, n, 0);
    for (size_t e = 0; e < n; e++) {
      const size_t at = e / block;
      FN(put)(WANT(S, 0) + e, b[0]);
      for (unsigned r = 0; r < 3; r++)
        FN(put)(WANT(S, 1 + r) + e, FN(lane_of)(i, a, n, block, at, (unsigned)((thread + r) % warps), r));
      FN(put)(WANT(S, 4) + e, FN(lane_of)(i, a, n, block, at, (unsigned)(thread % warps), i->warp - 1));
      FN(put)(WANT(S, 5) + e, b[1]);
    }
    run(i, KERNEL(uniform), blocks_for(n, block), block, &(language_args){ .a = a, .b = b, .n = n, .thread = thread });
    release();
  }
}
END_TEST

#if IS_FLOAT
#define TO_INT(type, v, least, above, greatest) \
  (isnan(v) ? 0 : trunc((double)(v)) >= above ? greatest : trunc((double)(v)) <= least ? (type)least \
   : (type)trunc((double)(v)))
#define TO_FLOAT(type, v, digits) ((type)(v))
#else
#define TO_INT(type, v, least, above, greatest) ((type)(v))
#define TO_FLOAT(type, v, digits) ((type)FN(nearest)(v, digits))
static double FN(nearest)(S v, int digits)
{
#if IS_SIGNED
  if (v < 0)
    return -rounded((uint64_t)0 - (uint64_t)(int64_t)v, digits);
#endif
  return rounded((uint64_t)v, digits);
}
#endif
TEST_OF(conversions)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, FINITE), *const b = FN(array)(n, FINITE);
    FN(pairs)(a, b, n / 2);
    outputs(6, n, 0);
    for (size_t e = 0; e < n; e++) {
      put_f32(WANT(float, 0) + e, TO_FLOAT(float, a[e], 24));
      put_f64(WANT(double, 1) + e, TO_FLOAT(double, a[e], 53));
      WANT(int32_t, 2)[e] = TO_INT(int32_t, a[e], -0x1p31, 0x1p31, INT32_MAX);
      WANT(uint32_t, 3)[e] = TO_INT(uint32_t, a[e], 0.0, 0x1p32, UINT32_MAX);
      WANT(int64_t, 4)[e] = TO_INT(int64_t, a[e], -0x1p63, 0x1p63, INT64_MAX);
      WANT(uint64_t, 5)[e] = TO_INT(uint64_t, a[e], 0.0, 0x1p64, UINT64_MAX);
    }
    EACH_BUILD(i)
      run(i, KERNEL(convert), blocks_for(n, block), block, &(language_args){ .a = a, .n = n });
    release();
  }
}
END_TEST
#undef TO_INT
#undef TO_FLOAT

#if IS_FLOAT
TEST_OF(floats)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, MIXED), *const b = FN(array)(n, MIXED);
    FN(pairs)(a, b, n);
    outputs(11, n, 0);
    for (size_t e = 0; e < n; e++) {
      const S x = a[e], y = b[e], product = x * y;
      U bits;
      memcpy(&bits, a + e, sizeof bits);
      FN(put)(WANT(S, 0) + e, (S)floor((double)x));
      FN(put)(WANT(S, 1) + e, signbit(x) ? -x : x);
      FN(put)((S *)WANT(U, 2) + e, x);
      FN(put)(WANT(S, 3) + e, x);
      WANT(U, 4)[e] = bits;
      FN(put)(WANT(S, 5) + e, product + x);
      FN(put)(WANT(S, 6) + e, x - product);
      FN(put)((S *)WANT(U, 7) + e, -x);
      WANT(uint32_t, 8)[e] = x >= 250 ? 250 : x > 0 ? (uint32_t)x : 0;
      WANT(uint32_t, 9)[e] = x >= (S)INT32_MAX ? INT32_MAX : x > 0 ? (uint32_t)x : 0;
      WANT(U, 10)[e] = x == x ? bits : 0;
    }
    EACH_BUILD(i)
      run(i, KERNEL(floats), blocks_for(n, block), block, &(language_args){ .a = a, .b = b, .n = n });
    release();
  }
}
END_TEST

/* Of numbers half way between integers the nearest is open, and so is what -0 is. */
TEST_OF(floor)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    const int most = sizeof(S) == 4 ? 22 : 31;
    S *const a = guarded(n * sizeof *a, 0);
    outputs(2, n, 0);
    for (size_t e = 0; e < n; e++) {
      S x = (S)ldexp((double)(int64_t)random_bits(), most - 63 - (int)(random_bits() % 60));
      if (e % 4 == 0 || fabs((double)x - rint((double)x)) > 0.49 || fabs((double)x) >= ldexp(1, most))
        x = (S)rint((double)x / 2);
      a[e] = x == 0 ? 0 : x;
      WANT(uint32_t, 0)[e] = (uint32_t)(int64_t)floor((double)x);
      WANT(S, 1)[e] = a[e] - (S)rint((double)x);
    }
    EACH_BUILD(i)
      run(i, KERNEL(floor), blocks_for(n, block), block, &(language_args){ .a = a, .n = n });
    release();
  }
}
END_TEST

/* Most numbers of a warp are sure; some warps have one that is not. Of those whose nearest integer is too
 * large for an index, the test's kernel keeps what is above 22 bits: something. */
TEST_OF(guesses)
{
  static const double odd[] = {
    -0.25, 1000.75, -HUGE_VAL, HUGE_VAL, (double)NAN, 1e30, -1e30, 5e9, 17.0625, 0.0, 1000.0, 16.875, 999.9, 0.126 };
  enum { ODD_ONES = sizeof odd / sizeof *odd };
  EACH_BUILD(i) EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const x[2] = { guarded(n * sizeof(S), 0), guarded(n * sizeof(S), 0) };
    uint32_t *const index = random_words(n);
    outputs(5, n, 0);
    for (size_t e = 0; e < n; e++) {
      index[e] %= 33;
      for (int k = 0; k < 2; k++)
        x[k][e] = (S)((double)(random_bits() % 1000) + 0.1875 + (double)(random_bits() % 256) / 1024);
      if (random_bits() % 32 == 0) x[random_bits() % 2][e] = (S)odd[random_bits() % ODD_ONES];
      WANT(S, 3)[e] = (S)(125 * index[e] * (0.1 / 3) + 0.1);
      WANT(S, 4)[e] = (S)((index[e] < 31 ? index[e] : 31) * (0.1 / 3) + 0.1);
    }
    EACH_WARP(i, w, n, block) {
      int sure = 1;
      for (size_t e = w.first; e < w.first + w.count; e++)
        for (int k = 0; k < 2; k++) {
          const double v = (double)x[k][e];
          sure &= v >= 0 && v < 1000 && fabs(v - rint(v)) > 0.125;
        }
      for (size_t e = w.first; e < w.first + w.count; e++) {
        const double v = (double)x[0][e];
        WANT(uint32_t, 0)[e] = (uint32_t)sure;
        WANT(uint32_t, 1)[e] = sure ? (uint32_t)x[0][e] + ((uint32_t)x[1][e] << 16) : 0;
        WANT(uint32_t, 2)[e] = fabs(v) < (sizeof(S) == 4 ? 0x1p22 : 0x7fffffff) ? (uint32_t)(int32_t)rint(v) : 0;
      }
    }
    EACH_WAY(way, 5) {
      launch(i, KERNEL(guesses), way, blocks_for(n, block), block,
             &(language_args){ .a = x[0], .b = x[1], .index = index, .n = n });
      for (size_t e = 0; e < n; e++)
        if (!(fabs((double)x[0][e]) < (sizeof(S) == 4 ? 0x1p22 : 0x7fffffff))) {
          ck_assert_uint_ne(GOT(uint32_t, 2)[e], 0);
          GOT(uint32_t, 2)[e] = 0;
        }
      compare(i, KERNEL(guesses), way, block);
    }
    release();
  }
}
END_TEST
#else
TEST_OF(integers)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, MIXED), *const b = FN(array)(n, MIXED);
    FN(pairs)(a, b, n);
    outputs(7, n, 0);
    for (size_t e = 0; e < n; e++) {
      const S x = a[e], y = b[e];
      const S zero = 0; /* compilers warn that no unsigned number is less than the literal */
      const int negative = x < zero;
      const U u = (U)x, by = (U)y;
      WANT(S, 0)[e] = y == 0 ? 0 : (S)(u - (U)FN(quotient)(x, y) * by);
      WANT(S, 1)[e] = (S)(u & by);
      WANT(S, 2)[e] = (S)(u | by);
      WANT(S, 3)[e] = (S)(u ^ by);
      WANT(S, 4)[e] = (S)(~u);
      WANT(S, 5)[e] = by < BITS ? (S)(u << by) : 0;
      WANT(S, 6)[e] = by >= BITS ? (S)(negative ? -1 : 0) : negative ? (S)~(~u >> by) : (S)(u >> by);
    }
    EACH_BUILD(i)
      run(i, KERNEL(integers), blocks_for(n, block), block, &(language_args){ .a = a, .b = b, .n = n });
    release();
  }
}
END_TEST

#if IS_SIGNED
TEST_OF(abs)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, SPECIAL);
    outputs(1, n, 0);
    for (size_t e = 0; e < n; e++)
      WANT(S, 0)[e] = a[e] < 0 ? (S)(0 - (U)a[e]) : a[e];
    EACH_BUILD(i)
      run(i, KERNEL(abs), blocks_for(n, block), block, &(language_args){ .a = a, .n = n });
    release();
  }
}
END_TEST
#endif
#endif

/* ---- Memory ---- */

/* Arrays begin or end where memory does, off the alignment of vectors; some lanes stand before the first
 * element. */
TEST_OF(memory)
{
  EACH_BUILD(i) EACH_BLOCK(block) for (int at_front = 0; at_front < 2; at_front++) {
    const size_t n = block < 64 ? elements_for(block) : 2 * block + 5, shift = at_front ? sizeof(S) : 0;
    const unsigned skew = at_front ? (unsigned)(random_bits() % 70) : 0;
    S *const a = guarded(n * sizeof *a, at_front);
    uint32_t *const chosen = random_words(n), *const index = permutation(n);
    FN(values)(a, n, SPECIAL);
    const size_t grid = blocks_for(n + skew, block), warps = grid * blocks_for(block, i->warp);
    outputs(8, n + warps, shift);
    for (size_t e = 0; e < n; e++) {
      const int p = chosen[e] & 1;
      if (p) {
        FN(put)(WANT(S, 0) + e, a[e]);
        FN(put)(WANT(S, 4) + index[e], a[e]);
        FN(put)(WANT(S, 5) + index[e], a[e]);
      }
      FN(put)(WANT(S, 1) + e, p ? a[e] : 0);
      FN(put)(WANT(S, 2) + e, p ? a[index[e]] : 0);
      FN(put)(WANT(S, 3) + e, p ? a[index[e]] : 0);
      FN(put)(WANT(S, 7) + e, a[e]);
    }
    for (size_t w = 0; w < warps; w++)
      FN(put)(WANT(S, 6) + w, a[w % n]);
    run(i, KERNEL(memory), grid, block,
        &(language_args){ .a = a, .chosen = chosen, .index = index, .n = n, .skew = skew });
    release();
  }
}
END_TEST

/* Where so much memory cannot be had there is nothing to see. */
TEST_OF(far)
{
  const unsigned block = 100;
  const size_t n = 150, before = (size_t)P(32), bytes = (before + 2 * n) * sizeof(S);
  S *const all = far_memory(bytes);
  if (all == NULL)
    return;
  S *const a = FN(array)(n, FINITE), *const old = FN(array)(n, FINITE), *const scattered = guarded(n * sizeof(S), 0);
  uint32_t *const index = random_words(n);
  outputs(1, n, 0);
  for (size_t e = 0; e < n; e++) {
    index[e] = (uint32_t)(n - 1 - e);
    WANT(S, 0)[e] = old[n - 1 - e];
  }
  ck_assert(iw_memory_copy(contexts[0], all + before, old, n * sizeof(S)) == IW_OK);
  EACH_BUILD(i) {
    memset(scattered, CANARY, n * sizeof(S));
    ck_assert(iw_memory_copy(contexts[0], all + before + n, scattered, n * sizeof(S)) == IW_OK);
    run(i, KERNEL(far), blocks_for(n, block), block,
        &(language_args){ .a = a, .index = index, .n = n, .scratch = all });
    ck_assert(iw_memory_copy(contexts[0], scattered, all + before + n, n * sizeof(S)) == IW_OK);
    for (size_t e = 0; e < n; e++)
      ck_assert_msg(memcmp(&scattered[e], &a[n - 1 - e], sizeof *a) == 0,
                    "%s, warps of %u: scattered element %zu", i->isa, i->warp, e);
  }
  far_release(all, bytes);
  release();
}
END_TEST

#ifdef IS_COMPACT
TEST_OF(bits)
{
  EACH_BLOCK(block) {
    const size_t n = elements_for(block);
    S *const a = FN(array)(n, MIXED);
    outputs(3, n, 0);
    for (size_t e = 0; e < n; e++) {
      uint32_t count = 0, high = 0, low = 0;
      if (e % 7 == 0)
        a[e] = e % 2 ? 0 : (S)P(random_bits() % BITS);
      for (unsigned k = 0; k < BITS; k++)
        count += (uint32_t)(a[e] >> k & 1);
      while (high < BITS && !(a[e] >> (BITS - 1 - high) & 1))
        high++;
      while (low < BITS && !(a[e] >> low & 1))
        low++;
      WANT(uint32_t, 0)[e] = count;
      WANT(uint32_t, 1)[e] = high;
      WANT(uint32_t, 2)[e] = low;
    }
    EACH_BUILD(i)
      run(i, KERNEL(bits), blocks_for(n, block), block, &(language_args){ .a = a, .n = n });
    release();
  }
}
END_TEST

TEST_OF(compact)
{
  EACH_BUILD(i) EACH_BLOCK(block) for (int data = 0; data < 3; data++) { /* random, all lanes, no lane */
    const size_t n = block < 64 ? elements_for(block) : block + block / 2;
    const size_t warps = blocks_for(n, block) * blocks_for(block, i->warp);
    S *const a = FN(array)(n, FINITE), *const room = guarded(warps * 512 * sizeof *room, 0);
    uint32_t *const chosen = random_words(n), *const index = random_words(n);
    outputs(5, warps * 256, 0);
    for (size_t e = 0; e < n && data; e++)
      chosen[e] = data == 1;
    EACH_WARP(i, w, n, block) {
      uint32_t count = 0;
      for (size_t e = w.first; e < w.first + w.count; e++)
        if (chosen[e] & 1)
          WANT(S, 0)[w.index * 64 + count++] = a[e];
      WANT(uint32_t, 1)[w.index] = WANT(uint32_t, 4)[w.index] = count;
      uint32_t behind = 0;
      for (uint32_t p = 2; p--; )
        for (size_t e = w.first; e < w.first + w.count; e++)
          if ((chosen[e] & 1) == p)
            WANT(S, 3)[w.index * 64 + behind++] = a[e];
      size_t places[4] = { 0, 64, 128, 192 };
      for (uint32_t p = 2; p--; )
        for (size_t e = w.first; e < w.first + w.count; e++)
          if ((chosen[e] & 1) == p)
            WANT(S, 2)[w.index * 256 + places[index[e] % 4]++] = a[e];
    }
    run(i, KERNEL(compact), blocks_for(n, block), block,
        &(language_args){ .a = a, .index = index, .chosen = chosen, .n = n, .scratch = room });
    release();
  }
}
END_TEST
#endif

/* ---- The warp ---- */

TEST_OF(warp)
{
  EACH_BUILD(i) EACH_BLOCK(block) for (int kind = FINITE; kind <= MINUS_ZERO; kind++) {
    const size_t n = block < 64 ? elements_for(block) : 2 * block + block / 2 + 5;
    S *const a = FN(array)(n, kind), *const first = FN(array)(1, FINITE);
    const unsigned lane = (unsigned)(random_bits() % i->warp);
    outputs(19, n, 0);
    EACH_WARP(i, w, n, block) {
      S x[64] = { 0 }, y[3][64];
      memcpy(x, a + w.first, w.count * sizeof *x);
      for (int o = 0; o < 3; o++) {
        memcpy(y[o], x, sizeof x);
        FN(tree)(y[o], i->warp, FN(operations)[o]);
      }
      for (unsigned l = 0; l < w.count; l++) {
        const size_t e = w.first + l;
        FN(put)(WANT(S, 0) + e, x[lane]);
        FN(put)(WANT(S, 1) + e, x[i->warp - 1]);
        FN(put)(WANT(S, 2) + e, x[lane]);
        FN(put)(WANT(S, 3) + e, l ? x[l - 1] : *first);
        for (int o = 0; o < 3; o++) {
          S all = *first;
          for (size_t k = 0; k < i->warp; k++) {
            if (k == l)
              FN(put)(WANT(S, 16 + o) + e, all);
            all = FN(operations)[o](all, x[k]);
          }
          FN(put)(WANT(S, 13 + o) + e, all);
          FN(put)(WANT(S, 4 + o) + e, y[o][i->warp - 1]);
          FN(put)(WANT(S, 7 + o) + e, y[o][l]);
          FN(put)(WANT(S, 10 + o) + e, l ? y[o][l - 1] : FN(fronts)[o]);
        }
      }
    }
    run(i, KERNEL(warp), blocks_for(n, block), block,
        &(language_args){ .a = a, .b = first, .n = n, .thread = lane });
    release();
  }
}
END_TEST

/* Every width with every delta; at the larger blocks with some. */
TEST_OF(shuffle)
{
  static const uint32_t deltas[] = {
    0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000, P(31), UINT32_MAX,
  };
  EACH_BUILD(i) EACH_BLOCK(block) {
    const size_t n = block <= 64 ? 2 * block + block / 2 + 1 : block + 30;
    const unsigned all = sizeof deltas / sizeof deltas[0], count = block <= 64 ? all : 2;
    const size_t first = block <= 64 ? 0 : random_bits() % (all - 1);
    const uint32_t *const some = guarded_copy(deltas + first, count * sizeof *some);
    S *const a = FN(array)(n, SPECIAL);
    uint32_t *const index = random_words(n);
    outputs(7 * (1 + 3 * count), n, 0);
    EACH_WARP(i, w, n, block) {
      S x[64] = { 0 };
      unsigned c = 0;
      memcpy(x, a + w.first, w.count * sizeof *x);
      for (unsigned width = 1; width <= i->warp; width *= 2) {
        for (unsigned l = 0; l < w.count; l++)
          FN(put)(WANT(S, c) + w.first + l, x[l / width * width + index[w.first + l] % width]);
        c++;
        for (unsigned d = 0; d < count; d++, c += 3)
          for (unsigned l = 0; l < w.count; l++) {
            /* xor reads earlier segments, not later ones; a mask has as many bits as a lane's number */
            const unsigned other = l ^ some[d] % i->warp;
            FN(put)(WANT(S, c) + w.first + l, x[lane_from(l, width, (int64_t)l - some[d])]);
            FN(put)(WANT(S, c + 1) + w.first + l, x[lane_from(l, width, (int64_t)l + some[d])]);
            FN(put)(WANT(S, c + 2) + w.first + l, x[other / width > l / width ? l : other]);
          }
      }
    }
    run(i, KERNEL(shuffle), blocks_for(n, block), block,
        &(language_args){ .a = a, .index = index, .n = n, .deltas = some, .delta_count = count });
    release();
  }
}
END_TEST

#if !IS_FLOAT
TEST_OF(match)
{
  static const int64_t pool[] = { 1, 1 + (int64_t)P(40), 0, -1, INT32_MIN };
  EACH_BUILD(i) EACH_BLOCK(block) {
    const size_t n = block < 64 ? elements_for(block) : block + block / 2;
    S *const a = guarded(n * sizeof *a, 0);
    uint32_t *const chosen = random_words(n);
    outputs(2, n, 0);
    for (size_t e = 0; e < n; e++)
      a[e] = (S)pool[random_bits() % 5];
    EACH_WARP(i, w, n, block)
      for (unsigned l = 0; l < w.count; l++) {
        uint64_t same = 0, some = 0;
        for (unsigned k = 0; k < w.count; k++)
          if (a[w.first + k] == a[w.first + l]) {
            same |= P(k);
            some |= (uint64_t)(chosen[w.first + k] & 1) << k;
          }
        WANT(uint64_t, 0)[w.first + l] = chosen[w.first + l] & 1 ? some : 0;
        WANT(uint64_t, 1)[w.first + l] = same;
      }
    run(i, KERNEL(match), blocks_for(n, block), block, &(language_args){ .a = a, .chosen = chosen, .n = n });
    release();
  }
}
END_TEST
#endif

/* ---- The block ---- */

/* The threads that a block does not have hold what would show in every result. */
TEST_OF(block)
{
  EACH_BLOCK(block) for (int kind = FINITE; kind <= MINUS_ZERO; kind++) {
    const size_t grid = 2, n = grid * block - block / 3;
    S *const a = FN(array)(n, kind), *const poison = guarded(sizeof *poison, 0);
    S *const x = guarded(grid * block * sizeof *x, 0), y[1024];
    const unsigned thread = (unsigned)random_bits();
    *poison = IS_FLOAT ? (S)NAN : kind == LOWEST_ONLY ? HIGHEST : kind == HIGHEST_ONLY ? LOWEST : (S)~(uint64_t)0 / 3;
    memset(x, 0, grid * block * sizeof *x);
    memcpy(x, a, n * sizeof *x);
    outputs(13, n, 0);
    for (size_t g = 0; g < grid; g++) {
      const S *const mine = x + g * block;
      for (int o = 0; o < 3; o++) {
        memcpy(y, mine, block * sizeof *y);
        FN(tree)(y, block, FN(operations)[o]);
        for (size_t l = 0; l < block && g * block + l < n; l++) {
          const size_t e = g * block + l;
          FN(put)(WANT(S, o ? 1 + o : 0) + e, y[block - 1]);
          if (o == 0)
            FN(put)(WANT(S, 1) + e, y[block - 1]);
          FN(put)(WANT(S, 5 + o) + e, y[l]);
          FN(put)(WANT(S, 8 + o) + e, l ? y[l - 1] : FN(fronts)[o]);
        }
      }
      memcpy(y, mine, block * sizeof *y);
      FN(tree)(y, block, FN(greatest));
      memmove(y + 1, y, (block - 1) * sizeof *y);
      y[0] = LOWEST;
      FN(tree)(y, block, FN(least));
      for (size_t l = 0; l < block && g * block + l < n; l++) {
        FN(put)(WANT(S, 4) + g * block + l, mine[thread % block]);
        FN(put)(WANT(S, 11) + g * block + l, y[l]);
      }
      FN(tree)(y, block, FN(sum));
      for (size_t l = 0; l < block && g * block + l < n; l++)
        FN(put)(WANT(S, 12) + g * block + l, y[l]);
    }
    EACH_BUILD(i)
      run(i, KERNEL(block), grid, block,
          &(language_args){ .a = a, .b = poison, .n = n, .thread = thread });
    release();
  }
}
END_TEST

/* ---- Atomics ---- */

#if !IS_FLOAT
static int FN(order)(const void *a, const void *b)
{
  const S x = *(const S *)a, y = *(const S *)b;
  return (x > y) - (x < y);
}

static S FN(applied)(int j, S old, S v, S empty)
{
  switch (j) {
  case 0: return (S)((U)old + 1);
  case 1: return FN(sum)(old, v);
  case 2: return FN(least)(old, v);
  case 3: return FN(greatest)(old, v);
  case 4: return v;
  default: return old == empty ? v : old;
  }
}

/* Whether these lanes can have followed each other in some order on one slot: what they found is what
 * others left. */
static int FN(followed)(int j, S start, S end, const S *old, const S *v, size_t k)
{
  S *const found = malloc((2 * k + 2) * sizeof *found), *const left = found + k + 1;
  int right = 1;
  left[k] = start;
  found[k] = end;
  for (size_t e = 0; e < k; e++) {
    found[e] = old[e];
    left[e] = FN(applied)(j, old[e], v[e], start);
    int known = j < 2 || old[e] == start || (j == 5 && old[e] == end);
    for (size_t f = 0; f < k && !known; f++)
      known = j != 5 && old[e] == v[f];
    right = right && known;
  }
  qsort(found, k + 1, sizeof *found, FN(order));
  qsort(left, k + 1, sizeof *left, FN(order));
  right = right && memcmp(found, left, (k + 1) * sizeof *left) == 0;
  free(found);
  return right;
}

TEST_OF(atomics)
{
  const int kernel = KERNEL(atomics);
  EACH_BUILD(i) EACH_BLOCK(block) {
    const size_t n = block < 64 ? elements_for(block) : block + block / 3, grid = blocks_for(n, block);
    S *const a = FN(array)(n, FINITE), *const start = FN(array)(6, FINITE);
    S *const old = guarded(2 * n * sizeof *old, 0);
    S *const global = guarded(6 * LANGUAGE_SLOTS * sizeof *global, 0);
    uint32_t *const index = random_words(n), *const chosen = random_words(n);
    outputs(13, n + grid * 6 * LANGUAGE_SLOTS, 0);
    for (size_t e = 0; e < n; e++)
      a[e] = a[e] == start[5] ? (S)(a[e] + 1) : a[e];
    EACH_WAY(way, 1) {
      for (int k = 0; k < 6 * LANGUAGE_SLOTS; k++)
        global[k] = start[k / LANGUAGE_SLOTS];
      launch(i, kernel, way, grid, block,
             &(language_args){ .a = a, .b = start, .index = index, .chosen = chosen, .n = n, .scratch = global });
      for (size_t g = 0; g <= grid; g++) /* shared memory of each block, then global memory */
        for (int j = 0; j < 6; j++)
          for (uint32_t s = 0; s < LANGUAGE_SLOTS; s++) {
            const size_t first = g < grid ? g * block : 0, end = g < grid && first + block < n ? first + block : n;
            const S final = g < grid ? GOT(S, 12)[(g * 6 + (size_t)j) * LANGUAGE_SLOTS + s]
                                     : global[j * LANGUAGE_SLOTS + (int)s];
            const S *const column = GOT(S, g < grid ? j : 6 + j);
            size_t k = 0;
            for (size_t e = first; e < end; e++)
              if ((chosen[e] & 1) && index[e] % LANGUAGE_SLOTS == s) {
                old[k] = column[e];
                old[n + k++] = a[e];
              }
            ck_assert_msg(FN(followed)(j, start[j], final, old, old + n, k), HOW_FORMAT ": %s atomic %d of slot %u",
                          HOW(i), g < grid ? "shared" : "global", j, s);
          }
      for (int c = 0; c < 12; c++) /* nothing else was written */
        for (size_t e = 0; e < n + 80; e++) {
          S canary;
          memset(&canary, CANARY, sizeof canary);
          if (e >= n || !(chosen[e] & 1))
            ck_assert_msg(GOT(S, c)[e] == canary, HOW_FORMAT ": result %d, element %zu is not its own", HOW(i), c, e);
        }
    }
    release();
  }
}
END_TEST
#endif

/* ---- Between blocks ---- */

TEST_OF(chain)
{
  const int kernel = KERNEL(chain);
  EACH_BUILD(i) EACH_WAY(way, 1) {
    const size_t n = 150, grid = 23;
    void *const tickets = guarded(64, 0);
    uint64_t *const slots = guarded(2 * n * sizeof *slots, 0);
    S *const a = FN(array)(n, SPECIAL);
    uint32_t flags[4];
    memset(tickets, 0, 64);
    memset(slots, 0, 2 * n * sizeof *slots);
    outputs(2, n * 64, 0);
    for (unsigned time = 0; time < 4; time++) { /* nothing is cleared in between */
      const unsigned state = 1 + time % 3, block = time == 0 ? 1 : time == 1 ? 70 : 256;
      FN(values)(a, n, SPECIAL);
      launch(i, kernel, way, grid, block,
             &(language_args){ .a = a, .n = n, .scratch = tickets, .slots = slots, .thread = state, .skew = time & 1 });
      flags[time] = GOT(uint32_t, 1)[0];
      ck_assert_uint_eq(flags[time] % 4, state);
      ck_assert_uint_ge(flags[time] / 4, 1);
      for (unsigned before = 0; before < time; before++)
        ck_assert_uint_ne(flags[time] / 4, flags[before] / 4);
      for (size_t k = 0; k < n; k++) {
        WANT(uint32_t, 1)[k] = flags[time];
        for (size_t l = 0; l < i->warp; l++)
          FN(put)(WANT(S, 0) + k * 64 + l, k + l >= i->warp ? a[k + l - i->warp] : 0);
      }
      compare(i, kernel, way, block);
    }
    release();
  }
}
END_TEST

TEST_OF(rows_of_slots)
{
  const int kernel = KERNEL(rows_of_slots);
  EACH_BUILD(i) EACH_WAY(way, 1) for (unsigned absent = 0; absent < 3; absent++) {
    const size_t rows = 20, n = rows * i->warp, grid = 7;
    const unsigned block = absent ? 70 : 1;
    void *const tickets = guarded(64, 0);
    uint64_t *const slots = guarded(2 * n * sizeof *slots, 0);
    S *const a = FN(array)(n, SPECIAL);
    memset(tickets, 0, 64);
    memset(slots, 0, 2 * n * sizeof *slots);
    outputs(1, n, 0);
    launch(i, kernel, way, grid, block,
           &(language_args){ .a = a, .n = rows, .scratch = tickets, .slots = slots, .thread = 1 + absent, .skew = absent });
    for (size_t row = 1; row < rows; row++)
      for (size_t l = 0; l < i->warp - absent; l++)
        FN(put)(WANT(S, 0) + row * i->warp + l, a[(row - 1) * i->warp + l]);
    compare(i, kernel, way, block);
    release();
  }
}
END_TEST

/* ---- Rows ---- */

static void FN(want_rows)(const build *b, const S *a, size_t n, size_t rows, const S *fixed)
{
  const size_t size = 16 / sizeof(S) * b->warp;
  const S absent = fixed[0], front = fixed[1];
  for (size_t w = 0; w < rows; w++) {
    const size_t at = w * size, valid = n <= at ? 0 : n - at < size ? n - at : size;
    S x[256], y[256], greatest = front;
    for (size_t e = 0; e < size; e++) {
      x[e] = e < valid ? a[at + e] : absent;
      if (e < valid) {
        FN(put)(WANT(S, 0) + at + e, x[e]);
        FN(put)(WANT(S, 1) + at + e, x[e]);
        greatest = FN(greatest)(greatest, x[e]);
      }
      FN(put)(WANT(S, 2) + at + e, x[e]);
      FN(put)(WANT(S, 16) + at + e, x[e]);
      FN(put)(WANT(S, 9) + at + e, e ? x[e - 1] : front);
    }
    for (int o = 0; o < 3; o++) {
      memcpy(y, x, sizeof y);
      FN(tree)(y, size, FN(operations)[o]);
      for (size_t e = 0; e < size; e++) {
        FN(put)(WANT(S, 3 + o) + at + e, y[e]);
        FN(put)(WANT(S, 6 + o) + at + e, FN(operations)[o](front, x[e]));
      }
      FN(put)(WANT(S, 13 + o) + w, y[size - 1]);
    }
    FN(put)(WANT(S, 10) + w, x[size - 1]);
    WANT(uint32_t, 11)[w] = (uint32_t)valid;
    FN(put)(WANT(S, 12) + w, greatest);
  }
}

/* First every number of valid elements of two rows, in one way; then all ways. Input and output are off the
 * alignment of vectors half of the time. */
TEST_OF(rows)
{
  const int kernel = KERNEL(rows);
  EACH_BUILD(i) {
    const size_t size = 16 / sizeof(S) * i->warp;
    for (size_t n = 0; n <= 2 * size + 1; n += (sparse + 9) / 10) {
      const unsigned block = 2 * i->warp;
      const int way = n % 64 ? 0 : 5 % WAYS, kind = n % 3 ? FINITE : SPECIAL;
      S *const a = FN(array)(n, kind), *const fixed = FN(array)(2, kind);
      outputs(17, 2 * size, n / 2 % 2 * sizeof(S));
      FN(want_rows)(i, a, n, 2, fixed);
      launch(i, kernel, way, 1, block, &(language_args){ .a = a, .b = fixed, .n = n });
      compare(i, kernel, way, block);
      release();
    }
    EACH_BLOCK(block) {
      const size_t grid = 3, rows = grid * blocks_for(block, i->warp), n = rows * size - random_bits() % (2 * size);
      S *const a = FN(array)(n > rows * size ? 0 : n, MIXED), *const fixed = FN(array)(2, FINITE);
      outputs(17, rows * size, random_bits() % 2 * sizeof(S));
      FN(want_rows)(i, a, n > rows * size ? 0 : n, rows, fixed);
      run(i, kernel, grid, block, &(language_args){ .a = a, .b = fixed, .n = n > rows * size ? 0 : n });
      release();
    }
  }
}
END_TEST

/* The tree of a row where each sum that has a head keeps what it is. */
static void FN(want_segments)(const build *b, const S *a, size_t n, size_t rows, const S *fixed, const uint32_t *chosen,
                              const uint32_t *index)
{
  const size_t size = 16 / sizeof(S) * b->warp;
  for (size_t w = 0; w < rows; w++) {
    const size_t at = w * size, lane = w * b->warp;
    S x[256];
    int head[256], seen[256], first = (int)size;
    for (size_t e = size; e-- > 0;) {
      x[e] = at + e < n ? a[at + e] : fixed[0];
      if ((head[e] = chosen[(at + e) / 32] >> (at + e) % 32 & 1))
        first = (int)e;
    }
    WANT(uint32_t, 7)[w] = first < (int)size;
    for (int o = 0; o < 3; o++) {
      const FN(operation) op = FN(operations)[o];
      S y[256], all = fixed[1];
      memcpy(y, x, sizeof y);
      memcpy(seen, head, sizeof seen);
      for (size_t half = 1; half < size; half *= 2)
        for (size_t e = 0; e < size; e++)
          if (e & half) {
            const size_t end = e / (2 * half) * (2 * half) + half - 1;
            if (!seen[e])
              y[e] = op(y[end], y[e]);
            seen[e] |= seen[end];
          }
      for (size_t e = 0; e < size; e++) {
        FN(put)(WANT(S, o) + at + e, y[e]);
        FN(put)(WANT(S, 3 + o) + at + e, (int)e < first ? op(fixed[1], x[e]) : x[e]);
        FN(put)(WANT(S, 6) + at + e, head[e] ? fixed[1] : x[e]);
      }
      for (size_t l = 0; l < b->warp; l++) {
        const S v = lane + l < n ? a[lane + l] : 0;
        FN(put)(WANT(S, 11 + o) + lane + l, all);
        all = index[2 * w + l / 32] >> l % 32 & 1 ? v : op(all, v);
      }
      FN(put)(WANT(S, 8 + o) + w, all);
    }
    WANT(uint64_t, 14)[w] = 0;
    for (size_t l = 0; l < b->warp && lane + l < n; l++)
      WANT(uint64_t, 14)[w] |= (uint64_t)(((const uint8_t *)a)[lane + l] != 0) << l;
  }
}

/* No heads, one at each place, and any. */
TEST_OF(segments)
{
  const int kernel = KERNEL(segments);
  EACH_BUILD(i) {
    const size_t size = 16 / sizeof(S) * i->warp;
    for (size_t place = 0; place < 2 * size + 40; place += (sparse + 2) / 3) {
      const unsigned block = 2 * i->warp;
      const int way = place % 64 ? 0 : 5 % WAYS, kind = place % 3 ? FINITE : SPECIAL;
      const size_t n = place % 5 ? 2 * size : random_bits() % (2 * size + 1), words = size / 16 + 1;
      S *const a = FN(array)(n, kind), *const fixed = FN(array)(2, kind);
      uint32_t *const chosen = random_words(words), *const index = random_words(4);
      for (size_t k = 0; k < words; k++) {
        const uint32_t sparser = (uint32_t)random_bits();
        chosen[k] = place <= 2 * size ? place / 32 == k ? (uint32_t)1 << place % 32 : 0
                  : place % 2 ? chosen[k] : chosen[k] & sparser & (sparser >> 3);
      }
      for (size_t k = 0; k < 4; k++)
        index[k] = place % 3 == 0 ? 0 : place % 3 == 1 ? index[k] : (uint32_t)1 << index[k] % 32;
      outputs(15, 2 * size, 0);
      FN(want_segments)(i, a, n, 2, fixed, chosen, index);
      launch(i, kernel, way, 1, block, &(language_args){ .a = a, .b = fixed, .n = n, .chosen = chosen, .index = index });
      compare(i, kernel, way, block);
      release();
    }
  }
}
END_TEST

#undef BITS
#undef FN
#undef KERNEL
#undef LOWEST
#undef HIGHEST
#undef T
#undef S
#undef U
#undef IS_FLOAT
#undef IS_SIGNED
#undef IS_COMPACT
#undef CANONICAL
