/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of <isowarp/math.h> and the operations of the language that are like them: errors on
 * samples, special values, and equal bits for all instruction sets, the simulated GPU and the scalar forms.
 * tests/suites/math_exhaustive.c takes all floats.
 */
#include <config.h>
#define IW_LANES_GENERIC
#include <isowarp/math.h>
#include "reference.h"
#include "math_reference.h"

#ifdef IW_HAVE_CUDA
static const math_build math_build_cuda = {
  "cuda", { FOR_MATH_FUNCTIONS(MATH_CUDA_ADDRESS) FOR_MATH_OPERATIONS(MATH_CUDA_ADDRESS) },
};
#endif
static const iw_kernel *kernel_for(const setting *at, unsigned which)
{
#define ADDRESS(name) &math_build_##name,
  static const math_build *const builds[] = {
    IW_FOR_ISAS(ADDRESS) &math_build_sim,
#ifdef IW_HAVE_CUDA
    &math_build_cuda,
#endif
  };
  for (unsigned i = 0; i < sizeof builds / sizeof *builds; i++)
    if (!strcmp(builds[i]->isa, at->isa))
      return builds[i]->kernels[which];
  ck_abort_msg("no kernels for %s", at->isa);
}

/* The scalar forms, on bits. */
#define SCALAR_1(name, t) iws_##name##_##t(iws_from_raw_##t(BITS_##t x))
#define SCALAR_2(name, t) iws_##name##_##t(iws_from_raw_##t(BITS_##t x), iws_from_raw_##t(BITS_##t y))
#define SCALAR_3(name, t) iws_##name##_##t(iws_from_raw_##t(BITS_##t x), iws_from_raw_##t(BITS_##t y), iws_from_raw_##t(BITS_##t z))
#define BITS_f32 (uint32_t)
#define BITS_f64 (uint64_t)
#define SCALAR(name, t, operands) \
static uint64_t scalar_##name##_##t(uint64_t x, uint64_t y, uint64_t z) \
{ (void)y; (void)z; return iws_raw_##t(iws_canonical_##t(SCALAR_##operands(name, t))); }
FOR_MATH_FUNCTIONS(SCALAR) FOR_MATH_OPERATIONS(SCALAR)
#define SCALAR_ROW(name, t, operands) { #name "_" #t, sizeof(iws_##t), scalar_##name##_##t },
static const struct { const char *name; size_t size; uint64_t (*scalar)(uint64_t, uint64_t, uint64_t); } forms[] = {
  FOR_MATH_FUNCTIONS(SCALAR_ROW) FOR_MATH_OPERATIONS(SCALAR_ROW)
};

/* Numbers at which functions change, in both types; also with the other sign, and with neighbours. The last
 * ones are the f64 that are closest to multiples of pi/2, by continued fractions of 2^e 2/pi. */
static const double edges_of_functions[] = {
  0, 0x1p-149, 0x1p-127, 0x1p-126, 0x1p-60, 0x1p-30, 0x1p-24, 0x1p-12, 0.25, 0.34657359, 0.5, 0.70710678118654752, 0.78539816339744831, 1,
  1.0397208, 1.4142135623730951, 1.5, 1.5707963267948966, 2, 2.5, 3, 3.1415926535897932, 3.92, 4, 9, 10, 16, 20, 40, 86.9, 87, 87.33654, 88,
  88.72283, 89, 103.27893, 103.97208, 104, 126, 127, 128, 148.5, 149, 150, 151, 200, 300, 0x1p19, 0x1p20, 1e6, 0x1p22, 0x1p23, 0x1p24, 16367173.0,
  0x1p31, 1e10, 0x1p62, 1.0e20, 0x1p100, 0x1.fffffep127, (double)INFINITY, (double)NAN, 707, 708, 708.39641853226408, 709.78271289338397, 709.8, 744.4400719213812,
  745.13321910194122, 746, 800, 1e5, 0x1p51, 0x1p52, 0x1p53, 0x1p63, 1e100, 6381956970095103.0 * 0x1p797, 1e308, 0x1.fffffffffffffp1023, 0x1p-1022,
  0x1p-1073, 0x1p-1074, 5e-310,
  0x1.6c6cbc45dc8dep+5, 0x1.6c6cbc45dc8dep+7, 0x1.6c6cbc45dc8dep+9, 0x1.b951f1572eba5p+23, 0x1.b951f1572eba5p+24, 0x1.504cac51f1eafp+131,
  0x1.e7e44a78ac18cp+197, 0x1.e7e44a78ac18cp+198, 0x1.4c96c11134d36p+577, 0x1.4c96c11134d36p+578, 0x1.db41f3cb71d7bp+680, 0x1.6ac5b262ca1ffp+850,
  0x1.6ac5b262ca1ffp+851, 0x1.cfe482285f8edp+860, 0x1.e009c53148be1p+991,
};
enum { EDGES = sizeof edges_of_functions / sizeof *edges_of_functions, CLOSE = 3, SPECIAL_COUNT = EDGES * 2 * (2 * CLOSE + 1) };

static uint64_t special_bits(size_t size, size_t i)
{
  const int beside = (int)(i % (2 * CLOSE + 1)) - CLOSE;
  const double v = edges_of_functions[i / (2 * CLOSE + 1) / 2 % EDGES] * (i / (2 * CLOSE + 1) % 2 ? -1 : 1);
  if (size == 8) return iws_raw_f64(v) + (uint64_t)(int64_t)beside;
  return (uint32_t)(iws_raw_f32((float)v) + (uint32_t)beside);
}

typedef struct operands { uint64_t x, y, z; } operands;
static operands operands_for(unsigned which, size_t i)
{
  const size_t size = forms[which].size;
  operands o = { 0, random_bits(), random_bits() };
  if (i < SPECIAL_COUNT) {
    o.x = special_bits(size, i);
    o.y = random_below(2) ? special_bits(size, random_below(SPECIAL_COUNT)) : random_bits();
  } else if (which < MATH_FUNCTIONS)
    o.x = math_sample(size == 8, math_functions[which].operands, random_bits() >> (size == 4 && math_functions[which].operands == 1 ? 32 : 0), &o.y);
  else {
    o.x = random_bits();
    if (random_below(2)) { /* exponents in the middle, where a product and an addend meet */
      const uint64_t few = size == 8 ? (uint64_t)0x7f << 52 : (uint64_t)0x1f << 23, half = size == 8 ? (uint64_t)0x3c0 << 52 : (uint64_t)0x38 << 24;
      const uint64_t rest = size == 8 ? 0x800fffffffffffff : 0x807fffff;
      o.x = (o.x & (few | rest)) + half;
      o.y = (o.y & (few | rest)) + half;
      o.z = (o.z & (few | rest)) + half;
    }
  }
  if (size == 4) { o.x = (uint32_t)o.x; o.y = (uint32_t)o.y; o.z = (uint32_t)o.z; }
  if (which >= MATH_FUNCTIONS && random_below(4) == 0) { /* a sum that cancels, but for the product's rounding error */
    if (size == 8) o.z = iws_raw_f64(-(iws_from_raw_f64(o.x) * iws_from_raw_f64(o.y)));
    else o.z = iws_raw_f32(-(iws_from_raw_f32((uint32_t)o.x) * iws_from_raw_f32((uint32_t)o.y)));
  }
  return o;
}

/* What C's own functions give for the operations. */
#define OPERATION_1(name, of_f32, of_f64) \
static uint64_t c_##name##_f32(operands o) { return iws_raw_f32(iws_canonical_f32(of_f32(iws_from_raw_f32((uint32_t)o.x)))); } \
static uint64_t c_##name##_f64(operands o) { return iws_raw_f64(iws_canonical_f64(of_f64(iws_from_raw_f64(o.x)))); }
OPERATION_1(sqrt, sqrtf, sqrt) OPERATION_1(rint, rintf, rint) OPERATION_1(trunc, truncf, trunc) OPERATION_1(ceil, ceilf, ceil)
OPERATION_1(floor, floorf, floor)
static uint64_t c_fma_f32(operands o)
{ return iws_raw_f32(iws_canonical_f32(fmaf(iws_from_raw_f32((uint32_t)o.x), iws_from_raw_f32((uint32_t)o.y), iws_from_raw_f32((uint32_t)o.z)))); }
static uint64_t c_fma_f64(operands o)
{ return iws_raw_f64(iws_canonical_f64(fma(iws_from_raw_f64(o.x), iws_from_raw_f64(o.y), iws_from_raw_f64(o.z)))); }
#define OPERATION_ROW(name, t, operands) c_##name##_##t,
static uint64_t (*const operations[])(operands) = { FOR_MATH_OPERATIONS(OPERATION_ROW) };

/* _i: the function or operation. The scalar form is right, and all kernels give its bits. */
START_TEST(samples)
{
  const unsigned which = (unsigned)_i;
  const size_t size = forms[which].size, many = getenv("ISOWARP_TEST_BRIEF") ? 2000 : 100000, n = SPECIAL_COUNT + many;
  settings all = settings_open();
  start_random(500 + which);
  char *const in = malloc(3 * n * size), *const expected = malloc(n * size), *const out = malloc(n * size);
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    const operands o = operands_for(which, i);
    const uint64_t found = forms[which].scalar(o.x, o.y, o.z);
    memcpy(in + i * size, &o.x, size);
    memcpy(in + (n + i) * size, &o.y, size);
    memcpy(in + (2 * n + i) * size, &o.z, size);
    memcpy(expected + i * size, &found, size);
    if (which >= MATH_FUNCTIONS) {
      const uint64_t want = operations[which - MATH_FUNCTIONS](o);
      ck_assert_msg(found == want, "%s(%llx, %llx, %llx) is %llx, and not %llx", forms[which].name, (unsigned long long)o.x,
                    (unsigned long long)o.y, (unsigned long long)o.z, (unsigned long long)found, (unsigned long long)want);
      continue;
    }
    const double error = i % 16 ? math_error(which, o.x, o.y, found) : math_error_exactly(which, o.x, o.y, found);
    worst = error > worst ? error : worst;
    ck_assert_msg(error <= 1, "%s(%llx, %llx) is %llx: wrong by %g ulp", forms[which].name, (unsigned long long)o.x,
                  (unsigned long long)o.y, (unsigned long long)found, error);
  }
  if (getenv("V")) printf("# %s: at most %.3f ulp\n", forms[which].name, worst);
  FOR_SETTINGS(at, &all, n) {
    void *there;
    MUST(at, iw_memory_allocate(at->context, 4 * n * size, &there));
    MUST(at, iw_memory_copy(at->context, there, in, 3 * n * size));
    const math_args args = { there, (char *)there + n * size, (char *)there + 2 * n * size, (char *)there + 3 * n * size, n };
    MUST(at, iw_launch(at->context, kernel_for(at, which), (n + 255) / 256, 256, &args, sizeof args));
    MUST(at, iw_memory_copy(at->context, out, args.out, n * size));
    MUST(at, iw_memory_free(at->context, there));
    SAME(at, forms[which].name, expected, out, n, size);
  }
  free(in);
  free(expected);
  free(out);
  settings_close(&all);
}
END_TEST

/* The cases that Annex F of the C standard names, by C's own functions: infinities, NaNs, and zeros with
 * their signs. */
START_TEST(special_values)
{
  static const float few[] = { 0, 0x1p-149f, 0x1p-126f, 0.5f, 0x1.fffffep-1f, 1, 0x1.000002p0f, 1.5f, 2, 3, 4, 5, 100.5f, 0x1.fffffep23f, 0x1p24f,
                               0x1.fffffep127f, INFINITY, NAN };
  enum { FEW = 2 * sizeof few / sizeof *few };
  for (unsigned which = 0; which < MATH_FUNCTIONS; which++)
    for (unsigned i = 0; i < FEW * FEW; i++) {
      const float x = few[i % FEW / 2] * (i & 1 ? -1 : 1), y = few[i / FEW / 2] * (i / FEW & 1 ? -1 : 1);
      const uint64_t bits = math_functions[which].is_f64 ? iws_raw_f64((double)x) : iws_raw_f32(x);
      const uint64_t found = forms[which].scalar(bits, iws_raw_f32(y), 0);
      const double error = math_error(which, bits, iws_raw_f32(y), found);
      ck_assert_msg(error <= 1, "%s(%a, %a) is %llx: wrong by %g ulp", forms[which].name, (double)x, (double)y, (unsigned long long)found, error);
    }
}
END_TEST

/* Results are the same whatever stands in the lanes beside. */
START_TEST(neighbours)
{
  enum { N = 64 };
  settings all = settings_open();
  start_random(600);
  FOR_SETTINGS(at, &all, N)
    for (unsigned which = 0; which < MATH_FUNCTIONS; which++) {
      const size_t size = forms[which].size;
      char in[2 * N * 8], expected[N * 8], out[N * 8];
      for (size_t i = 0; i < N; i++) { /* one lane in eight is not common */
        operands o = operands_for(which, random_below(8) ? SPECIAL_COUNT : random_below(SPECIAL_COUNT));
        if (math_functions[which].operands == 1 && random_below(8) && size == 4) o.x = iws_raw_f32((float)random_unit());
        const uint64_t found = forms[which].scalar(o.x, o.y, 0);
        memcpy(in + i * size, &o.x, size);
        memcpy(in + (N + i) * size, &o.y, size);
        memcpy(expected + i * size, &found, size);
      }
      void *there;
      MUST(at, iw_memory_allocate(at->context, 3 * N * size, &there));
      MUST(at, iw_memory_copy(at->context, there, in, 2 * N * size));
      const math_args args = { there, (char *)there + N * size, NULL, (char *)there + 2 * N * size, N };
      MUST(at, iw_launch(at->context, kernel_for(at, which), 1, N, &args, sizeof args));
      MUST(at, iw_memory_copy(at->context, out, args.out, N * size));
      MUST(at, iw_memory_free(at->context, there));
      SAME(at, forms[which].name, expected, out, (size_t)N, size);
    }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("math");
  TCase *c = new_case(suite, "functions");
  tcase_add_loop_test(c, samples, 0, MATH_FUNCTIONS + MATH_OPERATIONS);
  tcase_add_test(c, special_values);
  tcase_add_test(c, neighbours);
  return run_suite_on_all(suite);
}
