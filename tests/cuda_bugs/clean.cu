/* SPDX-License-Identifier: Apache-2.0
 *
 * Right programs that look suspicious: nothing may be found, with -DFIXED or without. */
#include "bug.cuh"

#if CASE == 1 /* a decoupled look-back with volatile flags */
struct state { int sum, flag; };
__global__ void kernel(volatile state *tiles, int *out)
{
  const int tile = blockIdx.x;
  int before = 0;
  if (threadIdx.x == 0) {
    if (tile > 0) {
      while (tiles[tile - 1].flag == 0) {}
      __threadfence();
      before = tiles[tile - 1].sum;
    }
    tiles[tile].sum = before + 1;
    __threadfence();
    tiles[tile].flag = 1;
    out[tile] = before;
  }
}
int main() { kernel<<<8, 32>>>(zeros<state>(8), device<int>(8)); }
#elif CASE == 2 /* the last block, with both fences */
__device__ unsigned done;
__global__ void kernel(int *x, int *sum)
{
  __shared__ bool is_last;
  x[blockIdx.x * 32 + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0)
    for (unsigned i = 0; i < 32 * gridDim.x; i++)
      *sum += x[i];
}
int main() { kernel<<<4, 32>>>(device<int>(128), zeros<int>(1)); }
#elif CASE == 3 /* bytes, structs, vectors, padding */
struct padded { char a; int b; };
__global__ void kernel(char *bytes, padded *p, float4 *v)
{
  bytes[threadIdx.x] = 'x';
  padded mine;
  mine.a = 1;
  mine.b = 2;
  p[threadIdx.x] = mine;
  v[threadIdx.x] = make_float4(1, 2, 3, 4);
  v[threadIdx.x].y += 1;
  __syncthreads();
  p[threadIdx.x] = p[threadIdx.x ^ 0];
}
int main() { kernel<<<1, 64>>>(device<char>(64), device<padded>(64), device<float4>(64)); }
#elif CASE == 4 /* a reduction by shuffles, votes in a part of a warp, an active mask */
__global__ void kernel(int *x)
{
  int v = (int)threadIdx.x;
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x < 8) {
    const unsigned votes = __ballot_sync(0xffu, threadIdx.x % 2);
    x[threadIdx.x] = (int)votes + v;
  } else if (threadIdx.x % 2) {
    const unsigned active = __activemask();
    x[threadIdx.x] = __popc(active);
  }
  __syncwarp();
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 5 /* ping-pong between kernels; an intra-warp lock */
__device__ int lock, total;
__global__ void step(const int *from, int *to) { to[threadIdx.x] = from[(threadIdx.x + 1) % 64]; }
__global__ void locked()
{
  bool done = false;
  while (!done)
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      total += 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
}
int main()
{
  int *a = zeros<int>(64), *b = device<int>(64);
  for (int i = 0; i < 4; i++) {
    step<<<1, 64>>>(a, b);
    int *const t = a;
    a = b;
    b = t;
  }
  locked<<<2, 32>>>();
  int host;
  cudaMemcpyFromSymbol(&host, total, sizeof host);
  return host != 64;
}
#elif CASE == 6 /* a finite loop of atomics that change nothing */
__global__ void kernel(int *most)
{
  for (int i = 0; i < 5000; i++)
    atomicMax(most, -1);
}
int main() { kernel<<<2, 32>>>(zeros<int>(1)); }
#elif CASE == 7 /* shared arrays of classes */
#include <cuda_fp16.h>
__global__ void kernel(half2 *out)
{
  __shared__ half2 sums[32];
  __shared__ half one;
  sums[threadIdx.x] = __float2half2_rn(1.0f);
  if (threadIdx.x == 0)
    one = __float2half(1.0f);
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = __hadd2(sums[31 - threadIdx.x], __half2half2(one));
}
int main() { kernel<<<2, 32>>>(device<half2>(64)); }
#endif
