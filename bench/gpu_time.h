/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of one file that measure a GPU share: a stream, calls that have to succeed, and times
 * between two events.
 */
#ifndef BENCH_GPU_TIME_H
#define BENCH_GPU_TIME_H

#include <isowarp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define FINE(call) do { if ((call) != 0) { fprintf(stderr, "%s failed: %s\n", #call, iw_message()); exit(1); } } while (0)

static cudaStream_t stream;

/* The median of 21 runs after 3 others, in milliseconds. */
template <class Call> static double median_ms(Call call)
{
  enum { RUNS = 21 };
  float ms[RUNS];
  cudaEvent_t begin, end;
  FINE(cudaEventCreate(&begin));
  FINE(cudaEventCreate(&end));
  for (int warm = 0; warm < 3; warm++) call();
  for (int run = 0; run < RUNS; run++) {
    FINE(cudaEventRecord(begin, stream));
    call();
    FINE(cudaEventRecord(end, stream));
    FINE(cudaEventSynchronize(end));
    FINE(cudaEventElapsedTime(&ms[run], begin, end));
  }
  std::sort(ms, ms + RUNS);
  return ms[RUNS / 2];
}

#endif
