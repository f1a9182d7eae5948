/* SPDX-License-Identifier: Apache-2.0
 *
 * Races: within a warp, a block, between blocks, of bytes, of scopes. */
#include "bug.cuh"

#if CASE == 1 /* a barrier is missing between the writes of a tile and its reads */
__global__ void kernel(int *x)
{
  __shared__ int tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  IF_FIXED(__syncthreads();)
  x[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}
int main() { kernel<<<1, 64>>>(zeros<int>(64)); }
#elif CASE == 2 /* a lost update of global memory */
__global__ void kernel(int *count)
{
  BUGGY(*count += 1, atomicAdd(count, 1)); // BUG race
}
int main() { kernel<<<2, 32>>>(zeros<int>(1)); }
#elif CASE == 3 /* lanes of a warp without __syncwarp() */
__global__ void kernel(int *x)
{
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  IF_FIXED(__syncwarp();)
  x[threadIdx.x] = s[threadIdx.x ^ 1]; // BUG race
}
int main() { kernel<<<1, 32>>>(zeros<int>(32)); }
#elif CASE == 4 /* the pre-Volta reduction, whose lanes are thought to go together */
__global__ void kernel(float *x)
{
  __shared__ volatile float s[64];
  const unsigned t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = 0;
  IF_FIXED(__syncwarp();)
  for (unsigned o = 16; o > 0; o /= 2) {
    const float v = s[t + o]; // BUG race
    IF_FIXED(__syncwarp();)
    s[t] = s[t] + v;
    IF_FIXED(__syncwarp();)
  }
  x[t] = s[t];
}
int main() { kernel<<<1, 32>>>(zeros<float>(32)); }
#elif CASE == 5 /* one block reads what another one wrote */
__global__ void kernel(int *x)
{
  x[blockIdx.x] = 1;
  x[2 + blockIdx.x] = x[BUGGY(1 - blockIdx.x, blockIdx.x)]; // BUG race
}
int main() { kernel<<<2, 1>>>(zeros<int>(4)); }
#elif CASE == 6 /* bytes of one word by four threads are none; a byte by two is */
__global__ void kernel(char *x)
{
  x[BUGGY(threadIdx.x / 2, threadIdx.x)] = (char)threadIdx.x; // BUG race
}
int main() { kernel<<<1, 8>>>(zeros<char>(8)); }
#elif CASE == 7 /* atomics of a block's scope by several blocks */
__global__ void kernel(int *count)
{
  BUGGY(atomicAdd_block(count, 1), atomicAdd(count, 1)); // BUG race
}
int main() { kernel<<<2, 1>>>(zeros<int>(1)); }
#elif CASE == 8 /* a flag without a fence in front of it */
__global__ void kernel(int *data, int *flag, int *out)
{
  if (blockIdx.x == 0) {
    *data = 42;
    IF_FIXED(__threadfence();)
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    *out = *data; // BUG race
  }
}
int main() { kernel<<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
#elif CASE == 9 /* a private histogram in the output: blocks add to block 0's while it merges */
__global__ void kernel(int *histogram)
{
  const int bins = 4;
  int *const mine = histogram + (blockIdx.x + BUGGY(0, 1)) * bins;
  atomicAdd(&mine[threadIdx.x % bins], 1);
  __syncthreads();
  if (threadIdx.x < bins) {
    const int count = mine[threadIdx.x]; // BUG race
    atomicAdd(&histogram[threadIdx.x], count);
  }
}
int main() { kernel<<<2, 32>>>(zeros<int>(12)); }
#elif CASE == 10 /* the second barrier of a loop is missing */
__global__ void kernel(int *x)
{
  __shared__ int tile[64];
  int sum = 0;
  for (int k = 0; k < 2; k++) {
    tile[threadIdx.x] = x[k * 64 + threadIdx.x]; // BUG race
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    IF_FIXED(__syncthreads();)
  }
  x[threadIdx.x] = sum;
}
int main() { kernel<<<1, 64>>>(zeros<int>(128)); }
#elif CASE == 11 /* a lock that is not taken by all */
__device__ int lock;
__global__ void kernel(int *x)
{
  if (BUGGY(blockIdx.x == 0, true)) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
  }
  *x += 1; // BUG race
  if (BUGGY(blockIdx.x == 0, true)) {
    __threadfence();
    atomicExch(&lock, 0);
  }
}
int main() { kernel<<<3, 1>>>(zeros<int>(1)); }
#elif CASE == 12 /* an atomic beside a plain read */
__global__ void kernel(int *x, int *out)
{
  atomicAdd(x, 1);
  IF_FIXED(__syncthreads();)
  out[threadIdx.x] = *x; // BUG race
}
int main() { kernel<<<1, 64>>>(zeros<int>(1), zeros<int>(64)); }
#elif CASE == 13 /* cuda::atomic_ref: relaxed where acquire is needed */
#include <cuda/atomic>
__global__ void kernel(int *data, int *flag, int *out)
{
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    f.store(1, BUGGY(cuda::memory_order_relaxed, cuda::memory_order_release));
  } else {
    while (f.load(cuda::memory_order_acquire) == 0) {}
    *out = *data; // BUG race
  }
}
int main() { kernel<<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
#elif CASE == 14 /* a condition of a flag and the thread, of which a compiler can evaluate the second one first */
__device__ unsigned done;
__global__ void kernel(int *part, int *sum)
{
  __shared__ bool is_last;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    part[blockIdx.x] = 1;
    __threadfence();
    is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    __threadfence();
  }
  IF_FIXED(__syncthreads();)
  if (is_last && t == 0) // BUG race
    for (int i = 0; i < gridDim.x; i++)
      *sum += part[i];
}
int main() { kernel<<<4, 64>>>(device<int>(4), zeros<int>(1)); }
#endif
