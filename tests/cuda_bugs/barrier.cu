/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers that not all threads reach, masks of warps, and what waits for ever. */
#include "bug.cuh"

#if CASE == 1 /* two barriers */
__global__ void kernel(int *x)
{
  if (threadIdx.x < 32) {
    x[threadIdx.x] = 1;
    BUGGY(__syncthreads(), (void)0); // BUG barrier
  } else {
    BUGGY(__syncthreads(), (void)0);
  }
  __syncthreads();
}
int main() { kernel<<<1, 64>>>(device<int>(64)); }
#elif CASE == 2 /* some threads wait, others for them */
__device__ int flag;
__global__ void kernel()
{
  if (threadIdx.x == 0) {
    BUGGY(__syncthreads(), (void)0);
    atomicExch(&flag, 1);
  } else
    while (atomicAdd(&flag, 0) == 0) {} // BUG progress
}
int main() { kernel<<<1, 2>>>(); }
#elif CASE == 3 /* a lane that is not in its mask */
__global__ void kernel(int *x)
{
  x[threadIdx.x] = __shfl_sync(BUGGY(0xfffffffeu, 0xffffffffu), (int)threadIdx.x, 1); // BUG divergence
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 4 /* a lane of the mask never comes */
__global__ void kernel(int *x)
{
  if (threadIdx.x < 16)
    x[threadIdx.x] = __ballot_sync(BUGGY(0xffffffffu, 0xffffu), 1); // BUG progress
  __syncthreads();
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 5 /* a flag that nobody sets */
__global__ void kernel(volatile int *flag)
{
  if (BUGGY(false, threadIdx.x == 32)) {
    __threadfence();
    *flag = 1;
  }
  if (threadIdx.x == 0)
    while (*flag == 0) {} // BUG progress
}
int main() { kernel<<<1, 64>>>(zeros<int>(1)); }
#elif CASE == 6 /* a grid that waits for itself, launched as any other */
#include <cooperative_groups.h>
__global__ void kernel(int *x)
{
  x[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync(); // BUG barrier
}
int main()
{
  int *x = device<int>(4);
  void *arguments[] = { &x };
  BUGGY((kernel<<<4, 1>>>(x)), (cudaLaunchCooperativeKernel((void *)kernel, dim3(4), dim3(1), arguments)));
}
#elif CASE == 7 /* a spin lock that a block's thread never gives back */
__device__ int lock;
__global__ void kernel(int *x)
{
  while (atomicCAS(&lock, 0, 1) != 0) {} // BUG progress
  __threadfence();
  *x += 1;
  __threadfence();
  BUGGY((void)0, atomicExch(&lock, 0));
}
int main() { kernel<<<4, 1>>>(zeros<int>(1)); }
#elif CASE == 8 /* an assertion */
#include <cassert>
__global__ void kernel(int *x)
{
  assert(*x == BUGGY(1, 0)); // BUG progress
}
int main() { kernel<<<1, 1>>>(zeros<int>(1)); }
#elif CASE == 9 /* an arrival without a wait */
#include <cuda/barrier>
#include <utility>
__global__ void kernel(int *x)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int tile[64];
  if (threadIdx.x == 0)
    init(&all, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = i + threadIdx.x;
    auto token = all.arrive();
    IF_FIXED(all.wait(std::move(token)));
    (void)token;
    x[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
    all.arrive_and_wait();
  }
}
int main() { kernel<<<1, 64>>>(device<int>(64)); }
#elif CASE == 10 /* a barrier of more threads than come */
#include <cuda/barrier>
__global__ void kernel(int *x)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0)
    init(&all, BUGGY(33, 32));
  __syncthreads();
  all.arrive_and_wait(); // BUG progress
  x[threadIdx.x] = 1;
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 11 /* memory that a kernel allocates */
__global__ void kernel(int *x)
{
  int *const mine = new int[4];
  for (int i = 0; i < 4; i++)
    mine[i] = i;
  x[threadIdx.x] = mine[BUGGY(4, 3)]; // BUG bounds
  delete[] mine;
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 12 /* two barriers in one line, which compilers make one call */
__global__ void kernel(int *x)
{
  const int is_first = threadIdx.x < 32;
  if (is_first) { x[threadIdx.x] = 1; BUGGY(__syncthreads(), (void)0); } else { BUGGY(__syncthreads(), (void)0); } // BUG barrier
  BUGGY((void)0, __syncthreads());
  if (!is_first)
    x[threadIdx.x] = x[threadIdx.x - 32];
}
int main() { kernel<<<1, 64>>>(device<int>(64)); }
#endif
