/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp digitize: the index of each sample's bin. Long inputs are processed in parts. */
#include "commands.h"

#include <isowarp.h>
#include <stdlib.h>

int run_digitize(const settings *s)
{
  const array in = read_array(input_file(s), &s->input);
  iw_context *const context = open_context(s);
  bins b;
  iw_histogram_plan *plan;
  double seconds = 0;
  read_bins(&b, s, context, &in);
  must(iw_histogram_plan_make(context, &b.spec, in.data, in.n < PART ? in.n : PART, &plan));
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  parts *const out = parts_open(s, IW_U32, in.n, in.n < PART ? in.n : PART);
  for (size_t done = 0, n; done < in.n; done += n) {
    n = in.n - done < PART ? in.n - done : PART;
    read_ahead(&in, done + n, PART);
    const double start = seconds_now();
    must(iw_digitize(context, &planned, element_at(in.type, in.data, done), n,
                     (iw_indices){ parts_buffer(out), 4 }));
    seconds += seconds_now() - start;
    parts_write(out, &(piece){ done, 0, n }, 1, done + n < in.n);
    progress("writing", "elements", done + n, in.n);
  }
  progress_end();
  parts_close(out, in.n);
  print_stats(s, in.n, in.type, seconds);
  iw_histogram_plan_free(plan);
  free(b.edges.owned);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}
