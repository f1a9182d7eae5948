/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses the compiler's hooks cover: each is a race of two threads, so that a compiler that leaves one out is noticed. */
#include "bug.cuh"
#include <cstring>

struct pair { int a, b; };
struct bits { unsigned low : 5, high : 27; };
struct big { int x[20]; };

#if CASE == 1 /* bytes */
#define TYPE unsigned char
#define ACCESS(at) at = (unsigned char)threadIdx.x
#elif CASE == 2 /* 2 bytes */
#define TYPE short
#define ACCESS(at) at = (short)threadIdx.x
#elif CASE == 3 /* 8 bytes */
#define TYPE double
#define ACCESS(at) at = threadIdx.x
#elif CASE == 4 /* 16 bytes, and a member of them */
#define TYPE float4
#define ACCESS(at) at.z = threadIdx.x
#elif CASE == 5 /* read, change, write */
#define TYPE int
#define ACCESS(at) at += 2
#elif CASE == 6 /* a struct as a whole */
#define TYPE pair
#define ACCESS(at) at = pair{ (int)threadIdx.x, 1 }
#elif CASE == 7 /* bits of a word */
#define TYPE bits
#define ACCESS(at) at.low = threadIdx.x
#elif CASE == 8 /* memset() */
#define TYPE big
#define ACCESS(at) memset(&at, (int)threadIdx.x, sizeof at)
#elif CASE == 9 /* memcpy() */
#define TYPE big
#define ACCESS(at) big mine = { { (int)threadIdx.x } }; memcpy(&at, &mine, sizeof at)
#elif CASE == 10 /* volatile */
#define TYPE volatile int
#define ACCESS(at) at = (int)threadIdx.x
#endif

template <class T> __global__ void kernel(int which)
{
  __shared__ T shared[2];
  if (threadIdx.x == 0)
    memset((void *)shared, 0, sizeof shared);
  __syncthreads();
  ACCESS(shared[BUGGY(0, threadIdx.x)]); // BUG race
}

int main() { kernel<TYPE><<<1, 2>>>(0); }
