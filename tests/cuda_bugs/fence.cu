/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences that are missing or too narrow behind the read that waits for a flag. With --check fence,... they are errors. */
#include "bug.cuh"

#if CASE == 1
__global__ void kernel(int *data, int *flag, int *out)
{
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    IF_FIXED(__threadfence();)
    *out = *data; // BUG fence
  }
}
int main() { kernel<<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
#elif CASE == 2
__global__ void kernel(int *data, int *flag, int *out)
{
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    BUGGY(__threadfence_block(), __threadfence());
    *out = *data; // BUG fence
  }
}
int main() { kernel<<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
#elif CASE == 3 /* the last block sums what the others wrote */
__device__ unsigned done;
__global__ void kernel(int *x, int *sum)
{
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    x[blockIdx.x] = 1;
    __threadfence();
    is_last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
    IF_FIXED(__threadfence();)
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0)
    for (unsigned i = 0; i < gridDim.x; i++)
      *sum += x[i]; // BUG fence
}
int main() { kernel<<<4, 32>>>(zeros<int>(4), zeros<int>(1)); }
#endif
