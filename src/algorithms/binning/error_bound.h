/* SPDX-License-Identifier: Apache-2.0
 *
 * The error bound of the guessed bin x*scale + offset, for binning_plan.c; included once for each KEY.
 * Runs on the host, in the kernels' own arithmetic: one multiplication and one addition, both rounded in the
 * GUESS type.
 *
 * Parameters, undefined at the end:
 *   KEY                   i32, u32, i64, u64, f32, f64, f16 or bf16
 *   VALUE                 the C type in which samples are compared with edges
 *   REAL                  the C type of the guess
 *   LOWEST, HIGHEST       the least and the greatest finite sample
 *   BELOW(x), ABOVE(x)    the next sample below x > LOWEST, and above x < HIGHEST
 */
#define NAME_(name, key) name##_##key
#define NAME(name, key) NAME_(name, key)

/* Returns tau: the largest distance by which the guess at edge(k) is below k, or the guess of the sample
 * just below edge(k) is above k; the top of the last bin counts as an edge. The guess is monotone in x, so
 * floor(guess) is the bin of every x whose guess is farther than tau from an integer, and a guess beyond
 * the bins belongs to an x that is out of range. Returns -1 if floor(guess) is the bin of every x, those on
 * edges too, and 1, which is too large to be used, if a guess is not finite. */
static double NAME(error_bound, KEY)(const VALUE *edges, size_t bins, VALUE top, REAL scale, REAL offset)
{
  /* The guess is monotone in x, so all guesses are finite if the first and the last are. */
  const REAL highest = (REAL)top * scale + offset, first = (REAL)edges[0] * scale + offset;
  const REAL outside = top < (HIGHEST) ? (REAL)(ABOVE(top)) * scale + offset : (REAL)bins;
  const REAL below_first = edges[0] > (LOWEST) ? (REAL)(BELOW(edges[0])) * scale + offset : (REAL)-1;
  double undershoot = (double)bins - (double)outside, overshoot = (double)below_first;
  undershoot = undershoot > -(double)first ? undershoot : -(double)first;
  for (int64_t k = 1; k < (int64_t)bins; k++) {
    const double under = (double)k - (double)((REAL)edges[k] * scale + offset);
    const double over = (double)((REAL)(BELOW(edges[k])) * scale + offset) - (double)k;
    undershoot = under > undershoot ? under : undershoot;
    overshoot = over > overshoot ? over : overshoot;
  }
  const int all_finite = isfinite(highest) && isfinite(first) && isfinite(below_first);
  const int exact = (double)highest < (double)bins && overshoot < 0;
  double tau = (double)highest > (double)bins ? (double)highest - (double)bins : 0;
  tau = undershoot > tau ? undershoot : tau;
  tau = overshoot > tau ? overshoot : tau;
  return !all_finite ? 1 : exact && tau == 0 ? -1 : tau;
}

#undef NAME
#undef NAME_
#undef KEY
#undef VALUE
#undef REAL
#undef LOWEST
#undef HIGHEST
#undef BELOW
#undef ABOVE
