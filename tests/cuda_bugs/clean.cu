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
#elif CASE == 3 /* bytes, structs, vectors, padding; atomics and numbers of 8 bytes in dynamic shared memory */
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
  extern __shared__ double dynamic[];
  dynamic[threadIdx.x] = v[63 - threadIdx.x].y;
  __syncthreads();
  atomicAdd(&dynamic[63 - threadIdx.x], 1.0);
}
int main() { kernel<<<1, 64, 64 * sizeof(double)>>>(device<char>(64), device<padded>(64), device<float4>(64)); }
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
#elif CASE == 8 /* a graph of two streams: kernels, a copy, a memset, a function of the host; calls that a capture forbids */
__global__ void add(int *x, int v) { x[threadIdx.x] += v; }
static int called;
static void count(void *by) { called += *(int *)by; }
int main()
{
  int *x = zeros<int>(64), *y = device<int>(64), got[64], seven = 7;
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaGraphExec_t run;
  size_t nodes;
  cudaStreamCreate(&s), cudaStreamCreate(&t), cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 64, 0, s>>>(x, 1);
  cudaEventRecord(fork, s), cudaStreamWaitEvent(t, fork, 0);
  cudaMemsetAsync(y, 1, 4 * 64, t);
  add<<<1, 64, 0, s>>>(x, 2);
  cudaEventRecord(join, t), cudaStreamWaitEvent(s, join, 0);
  cudaMemcpyAsync(got, x, sizeof got, cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(s, count, &seven);
  if (cudaStreamEndCapture(s, &g) || cudaGraphGetNodes(g, nullptr, &nodes) || nodes != 5 || called || cudaGraphInstantiate(&run, g, 0))
    return 1;
  for (int i = 1; i < 4; i++)
    if (cudaGraphLaunch(run, s) || cudaStreamSynchronize(s) || got[63] != 3 * i || called != 7 * i)
      return 2;
  cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost);
  if (got[5] != 0x01010101)
    return 3;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s), cudaStreamWaitEvent(t, fork, 0);
  add<<<1, 64, 0, t>>>(x, 1);
  if (cudaStreamEndCapture(s, &g) != cudaErrorStreamCaptureUnjoined)
    return 4;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (cudaDeviceSynchronize() != cudaErrorStreamCaptureUnsupported || cudaStreamEndCapture(s, &g) != cudaErrorStreamCaptureInvalidated)
    return 5;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 64>>>(x, 1);
  if (cudaGetLastError() != cudaErrorStreamCaptureImplicit || cudaStreamEndCapture(s, &g) != cudaErrorStreamCaptureInvalidated)
    return 6;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 64, 0, s>>>(x, 5);
  add<<<1, 64, 0, s>>>(x, 5);
  cudaMemsetAsync(y, 1, 4 * 64, s);
  add<<<1, 64, 0, s>>>(x, 5);
  cudaStreamEndCapture(s, &g);
  cudaGraphExecUpdateResultInfo about;
  if (cudaGraphExecUpdate(run, g, &about) != cudaErrorGraphExecUpdateFailure || about.result == cudaGraphExecUpdateSuccess)
    return 7;
  return cudaStreamDestroy(t);
}
#elif CASE == 9 /* idioms: a variable without a value in a shuffle, a loop of atomicCAS() behind a plain read, constants of the program */
#include <cooperative_groups.h>
#include <cuda/std/type_traits>
#include <cuda/std/atomic>
#include <cuda_bf16.h>
#include <memory> /* has __attribute__((__noinline__)) */
namespace cg = cooperative_groups;
struct pair { double a, b; };
struct holder { long first; pair second; };
__device__ __noinline__ double add(double *at, double v)
{
  unsigned long long *const p = (unsigned long long *)at;
  unsigned long long old = *p, expected;
  do {
    expected = old;
    old = atomicCAS(p, expected, (unsigned long long)__double_as_longlong(v + __longlong_as_double((long long)expected)));
  } while (expected != old);
  return __longlong_as_double((long long)old);
}
__global__ void keep(const int *in, int *out, int *count)
{
  if (in[threadIdx.x] % 3 == 0) {
    const cg::coalesced_group g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0)
      base = atomicAdd(count, (int)g.size());
    base = g.shfl(base, 0);
    out[base + g.thread_rank()] = in[threadIdx.x];
  }
}
__global__ void idioms(double *sum, char *text, holder *h, float4 *v, __half *halves)
{
  __shared__ float4 tile[64];
  add(sum, isnan(0.5f) ? 1 : 0.5);
  const int table[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
  if (threadIdx.x == 0)
    memcpy(text, "constant", 9);
  h[threadIdx.x].second = h[threadIdx.x + 64].second;
  tile[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  float4 mine = tile[63 - threadIdx.x];
  mine.w = (float)table[threadIdx.x % 20];
  v[threadIdx.x] = mine;
  const __half2 both = __halves2half2(__float2half(1.5f), __habs(__hneg(__float2half(0.5f))));
  if (__hle(both.y, both.x) && cuda::std::is_same<int, int>::value)
    halves[threadIdx.x] = __hadd(__low2half(both), hsqrt(__high2half(both) * both.y));
}
__global__ void plus(int *x, int v) { x[threadIdx.x] += v; }
int main()
{
  int h[64], *in = device<int>(64), *out = device<int>(64), *count = zeros<int>(1);
  for (int i = 0; i < 64; i++)
    h[i] = i;
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  keep<<<1, 64>>>(in, out, count);
  void (*const kernels[])(int *, int) = { plus };
  struct { void (*kernel)(int *, int); } chosen = { plus };
  kernels[0]<<<1, 64>>>(in, 1);
  chosen.kernel<<<1, 64>>>(in, 2);
  double *const sum = zeros<double>(1), got = 0;
  __half *const halves = device<__half>(64);
  idioms<<<1, 64>>>(sum, device<char>(16), zeros<holder>(128), zeros<float4>(64), halves);
  cudaMemcpy(h, count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(h + 1, in + 1, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy((void *)&got, sum, sizeof got, cudaMemcpyDeviceToHost);
  __half one;
  cudaMemcpy(&one, halves, sizeof one, cudaMemcpyDeviceToHost);
  return h[0] != 22 || h[1] != 4 || got != 32 || (float)one != 2;
}
#elif CASE == 10 /* the last block resets the counter behind a barrier; blocks hand on a value by cuda::atomic */
#include <cuda/atomic>
typedef cuda::atomic<int, cuda::thread_scope_device> turn;
__device__ unsigned done;
__global__ void kernel(volatile int *x, int *sum, turn *now)
{
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    while (now->load(cuda::memory_order_acquire) != (int)blockIdx.x) {}
    *sum += blockIdx.x;
    *now = blockIdx.x + 1;
    x[blockIdx.x] = 1;
    __threadfence();
    is_last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    __threadfence();
    if (threadIdx.x == 0) {
      for (unsigned i = 0; i < gridDim.x; i++)
        *sum += x[i];
      done = 0;
    }
  }
}
__global__ void learns_twice(int *x, turn *flag, int *sum) // of what block 0 did
{
  for (unsigned i = 0; blockIdx.x < 2 && i < 2 - blockIdx.x; i++) {
    x[2 * blockIdx.x + i] = 1;
    flag[2 * blockIdx.x + i].store(1, cuda::memory_order_release);
  }
  for (int i = 0; blockIdx.x == 2 && i < 3; i++)
    while (flag[2 * i % 3].load(cuda::memory_order_acquire) == 0) {}
  if (blockIdx.x == 2)
    *sum += x[0] + x[1] + x[2];
}
int main()
{
  turn *now;
  int *sum;
  cudaMallocManaged(&now, sizeof *now);
  cudaMallocManaged(&sum, sizeof *sum);
  new (now) turn(0);
  *sum = 0;
  for (int i = 0; i < 2; i++) {
    kernel<<<4, 64>>>(device<int>(4), sum, now);
    cudaDeviceSynchronize();
    *now = 0;
  }
  learns_twice<<<3, 1>>>(device<int>(3), (turn *)zeros<int>(3), sum);
  cudaDeviceSynchronize();
  return *sum != 2 * (6 + 4) + 3;
}
#elif CASE == 11 /* results: predicates of barriers, votes and values of groups, a flag behind fences of a block */
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void kernel()
{
  __shared__ int data, flag;
  const int t = threadIdx.x;
  const bool is_odd = t % 2;
  if (t == 0)
    flag = 0;
  assert(__syncthreads_count(t < 5) == 5);
  assert(__syncthreads_and(t < 64) && !__syncthreads_and(t < 63));
  assert(__syncthreads_or(t == 63) && !__syncthreads_or(t == 64));
  if (t == 0) {
    data = 42;
    __threadfence_block();
    atomicExch_block(&flag, 1);
  } else if (t == 32) {
    while (atomicAdd_block(&flag, 0) == 0) {}
    __threadfence_block();
    assert(data == 42);
  }
  assert(__ballot_sync(0xffffffffu, is_odd) == 0xaaaaaaaau);
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  assert(tile.ballot(is_odd) == 0xaa && tile.any(is_odd) && !tile.all(is_odd) && tile.all(t >= 0) && !tile.any(t < 0));
  assert(tile.match_any(is_odd) == (is_odd ? 0xaau : 0x55u));
  assert(tile.shfl(t, 3) == t / 8 * 8 + 3 && cg::reduce(tile, 1, cg::plus<int>()) == 8);
  assert(cg::binary_partition(tile, is_odd).size() == 4);
}
int main() { kernel<<<2, 64>>>(); }
#elif CASE == 12 /* waits for one thread that changes nothing for long, then arrives */
#include <cuda/atomic>
#include <cuda/barrier>
__global__ void kernel(int *most, int *out)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  cuda::atomic_ref<int, cuda::thread_scope_device> blocks(*most);
  const int t = threadIdx.x;
  if (t == 0)
    init(&all, blockDim.x);
  __syncthreads();
  for (int i = 0; t == 40 && i < 2000; i++)
    blocks.fetch_max(-1);
  if (t % 2)
    all.wait(all.arrive());
  else
    all.arrive_and_wait();
  if (t == 0 && blockIdx.x == 0)
    blocks.store(1);
  blocks.wait(0);
  if (t == 0)
    out[blockIdx.x] = blocks.load();
}
int main() { kernel<<<4, 64>>>(zeros<int>(1), device<int>(4)); }
#endif
