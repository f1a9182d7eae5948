/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs and their twins, in CUDA C++: without -DFIXED each program has one mistake, at the line that its comment
 * "BUG kind" marks; with it, none. tests/scripts/cuda_bugs.sh compiles both for each case (-DCASE=n) and compares. */
#ifdef FIXED
#define IF_FIXED(x) x
#define BUGGY(bug, fixed) fixed
#else
#define IF_FIXED(x)
#define BUGGY(bug, fixed) bug
#endif
#include <cstdio>
#include <cstdlib>

template <class T> T *device(size_t n, const T *from = nullptr)
{
  T *p;
  if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess)
    exit(1);
  if (from)
    cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T> T *zeros(size_t n)
{
  T *p = device<T>(n);
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}
