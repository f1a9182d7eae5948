// SPDX-License-Identifier: Apache-2.0
//
// What bench/tune.cu and bench/prove/prove.cu share: calls that have to succeed, and a time.
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) do { const cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); std::exit(1); } } while (0)

// The median time, in ms, of what run() queues on the stream; three runs before warm up.
template <class F> static float median(cudaStream_t stream, F run, int times = 21)
{
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
  std::vector<float> ms;
  for (int i = -3; i < times; i++) {
    float t;
    CHECK(cudaEventRecord(a, stream));
    run();
    CHECK(cudaEventRecord(b, stream));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaGetLastError()); CHECK(cudaEventElapsedTime(&t, a, b));
    if (i >= 0) ms.push_back(t);
  }
  std::sort(ms.begin(), ms.end());
  CHECK(cudaEventDestroy(a)); CHECK(cudaEventDestroy(b));
  return ms[ms.size() / 2];
}
#endif
