/* SPDX-License-Identifier: Apache-2.0
 *
 * Histogram of pairs with weights: sums[i][j] is that of the pairs with x in bin i and y in bin j. Run: ./weighted_pairs
 * Prints:
 *   1.5 0 2
 *   0 4.25 0
 */
#include <isowarp.h>
#include <stdio.h>

enum { N = 5, X_BINS = 2, Y_BINS = 3 };

int main(void)
{
  static const float x[N] = { 0.5f, 0.25f, 1.5f, 1.75f, 0.5f }, x_lo = 0, x_hi = 2;
  static const int32_t y[N] = { 1, 0, 4, 5, 7 }, y_lo = 0, y_hi = 9;
  static const double weights[N] = { 1, 0.5, 4, 0.25, 2 };
  double sums[X_BINS][Y_BINS];
  const iw_histogram_spec x_spec = { .size = sizeof x_spec, .type = IW_F32, .bins = X_BINS, .lo = &x_lo, .hi = &x_hi };
  const iw_histogram_spec y_spec = { .size = sizeof y_spec, .type = IW_I32, .bins = Y_BINS, .lo = &y_lo, .hi = &y_hi };
  const iw_histogram_axis axes[] = {
    { .size = sizeof *axes, .spec = &x_spec, .samples = x }, { .size = sizeof *axes, .spec = &y_spec, .samples = y }
  };
  const iw_histogram_options by_weights = { .size = sizeof by_weights, .weight_type = IW_F64, .weights = weights };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_histogram_nd(context, axes, 2, N, sums, &by_weights) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < X_BINS; i++)
    for (int j = 0; j < Y_BINS; j++)
      printf("%g%c", sums[i][j], j < Y_BINS - 1 ? ' ' : '\n');
  iw_context_close(context);
  return 0;
}
