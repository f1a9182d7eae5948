/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of what nothing has written. */
#include "bug.cuh"

#if CASE == 1 /* shared memory that is not cleared */
__global__ void kernel(int *x)
{
  __shared__ int count[4];
  IF_FIXED(if (threadIdx.x < 4) count[threadIdx.x] = 0; __syncthreads();)
  atomicAdd(&count[threadIdx.x % 4], 1); // BUG undefined
  __syncthreads();
  if (threadIdx.x < 4)
    x[threadIdx.x] = count[threadIdx.x];
}
int main() { kernel<<<1, 32>>>(device<int>(4)); }
#elif CASE == 2 /* global memory */
__global__ void kernel(int *x)
{
  atomicAdd(x, 1); // BUG undefined
}
int main() { kernel<<<1, 32>>>(BUGGY(device<int>(1), zeros<int>(1))); }
#elif CASE == 3 /* the second block's shared memory */
__global__ void kernel(int *x)
{
  __shared__ int s;
  if (BUGGY(blockIdx.x == 0, true))
    s = 1;
  x[blockIdx.x] = s; // BUG undefined
}
int main() { kernel<<<2, 1>>>(device<int>(2)); }
#elif CASE == 4 /* a part of a copy */
__global__ void kernel(const int *x, int *out)
{
  out[threadIdx.x] = x[threadIdx.x]; // BUG undefined
}
int main()
{
  int host[32] = { 0 };
  int *const x = device<int>(32);
  cudaMemcpy(x, host, BUGGY(31, 32) * sizeof(int), cudaMemcpyHostToDevice);
  kernel<<<1, 32>>>(x, device<int>(32));
}
#endif
