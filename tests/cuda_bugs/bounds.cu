/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses beyond arrays, misaligned, of freed memory, of the host's memory by kernels and of the device's by the host. */
#include "bug.cuh"

#if CASE == 1 /* the last block is not full */
__global__ void kernel(int *x, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BUGGY(i <= n, i < n))
    x[i] = i; // BUG bounds
}
int main() { kernel<<<4, 32>>>(device<int>(100), 100); }
#elif CASE == 2 /* an index of a shared array, into the array behind it */
__global__ void kernel(int *x)
{
  __shared__ int a[32], b[32];
  a[threadIdx.x] = 1;
  b[threadIdx.x] = 2;
  __syncthreads();
  x[threadIdx.x] = a[threadIdx.x + BUGGY(1, 0)] + b[threadIdx.x]; // BUG bounds
}
int main() { kernel<<<1, 32>>>(device<int>(32)); }
#elif CASE == 3 /* dynamic shared memory that is too small */
__global__ void kernel(int *x)
{
  extern __shared__ int s[];
  s[threadIdx.x] = 1; // BUG bounds
  x[threadIdx.x] = s[threadIdx.x];
}
int main() { kernel<<<1, 32, BUGGY(31, 32) * sizeof(int)>>>(device<int>(32)); }
#elif CASE == 4 /* a local array */
__global__ void kernel(int *x, int n)
{
  int last[4] = { 0, 0, 0, 0 };
  for (int i = 0; i < n; i++)
    last[i] = i; // BUG bounds
  x[threadIdx.x] = last[threadIdx.x % 4];
}
int main() { kernel<<<1, 4>>>(device<int>(4), BUGGY(5, 4)); }
#elif CASE == 5 /* misaligned */
__global__ void kernel(char *x)
{
  *(int *)(x + threadIdx.x * BUGGY(1, 4)) = 1; // BUG bounds
}
int main() { kernel<<<1, 2>>>(device<char>(16)); }
#elif CASE == 12 /* a misaligned vector, of which one member is accessed */
__global__ void kernel(float *x)
{
  float4 *const v = (float4 *)(x + BUGGY(2, 4));
  v[threadIdx.x].w = 4; // BUG bounds
}
int main() { kernel<<<1, 2>>>(device<float>(16)); }
#elif CASE == 13 /* memory of malloc() in a kernel */
__global__ void kernel(int *x)
{
  int *const mine = (int *)malloc(16);
  mine[threadIdx.x + BUGGY(1, 0)] = 1; // BUG bounds
  x[threadIdx.x] = mine[threadIdx.x];
  free(mine);
}
int main() { kernel<<<1, 4>>>(device<int>(4)); }
#elif CASE == 6 /* freed memory */
__global__ void kernel(int *x)
{
  x[threadIdx.x] = 1; // BUG bounds
}
int main()
{
  int *const x = device<int>(32);
  BUGGY(cudaFree(x), (void)0);
  kernel<<<1, 32>>>(x);
}
#elif CASE == 14 /* freed memory, by elements of 8 bytes */
__global__ void kernel(double *x)
{
  x[threadIdx.x] = 1; // BUG bounds
}
int main()
{
  double *const x = device<double>(32);
  BUGGY(cudaFree(x), (void)0);
  kernel<<<1, 32>>>(x);
}
#elif CASE == 15 /* an element of which the end is outside */
__global__ void kernel(double *x)
{
  x[threadIdx.x] = 1; // BUG bounds
}
int main() { kernel<<<1, 8>>>((double *)device<char>(BUGGY(60, 64))); }
#elif CASE == 7 /* a host pointer */
__global__ void kernel(int *x)
{
  x[threadIdx.x] = 1; // BUG bounds
}
int main()
{
  static int host[32];
  int *const heap = (int *)malloc(sizeof host);
  kernel<<<1, 32>>>(BUGGY(heap, device<int>(32)));
}
#elif CASE == 8 /* a null pointer */
__global__ void kernel(int *x)
{
  *x = 1; // BUG bounds
}
int main() { kernel<<<1, 1>>>(BUGGY(nullptr, device<int>(1))); }
#elif CASE == 9 /* the host reads the device's memory */
__global__ void kernel(int *x) { *x = 1; }
int main()
{
  int *const x = device<int>(1);
  int host;
  kernel<<<1, 1>>>(x);
  cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
  return BUGGY(*x, host) - 1; // BUG bounds
}
#elif CASE == 10 /* a copy that is too long */
int main()
{
  int host[8] = { 0 };
  int *const x = device<int>(BUGGY(7, 8));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice); // BUG bounds
}
#elif CASE == 11 /* freed twice */
int main()
{
  int *const x = device<int>(8);
  cudaFree(x);
  cudaFree(BUGGY(x, nullptr)); // BUG bounds
}
#endif
