/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector types of CUDA, and their make_ functions.
 */
#ifndef ISOWARP_CUDA_VECTOR_TYPES_H
#define ISOWARP_CUDA_VECTOR_TYPES_H

namespace iw_simt {
/* What a vector consists of. */
template <class T> struct number_of { typedef T type; };
}
#define IW_NUMBERS(vector, T) namespace iw_simt { template <> struct number_of<vector> { typedef T type; }; }
#define IW_VECTOR(name, T, alignment2, alignment4) \
  struct name##1 { T x; }; \
  struct __attribute__((aligned(alignment2))) name##2 { T x, y; }; \
  struct name##3 { T x, y, z; }; \
  struct __attribute__((aligned(alignment4))) name##4 { T x, y, z, w; }; \
  IW_NUMBERS(name##1, T) IW_NUMBERS(name##2, T) IW_NUMBERS(name##3, T) IW_NUMBERS(name##4, T) \
  static inline name##1 make_##name##1(T x) { return { x }; } \
  static inline name##2 make_##name##2(T x, T y) { return { x, y }; } \
  static inline name##3 make_##name##3(T x, T y, T z) { return { x, y, z }; } \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return { x, y, z, w }; }
IW_VECTOR(char, signed char, 2, 4)
IW_VECTOR(uchar, unsigned char, 2, 4)
IW_VECTOR(short, short, 4, 8)
IW_VECTOR(ushort, unsigned short, 4, 8)
IW_VECTOR(int, int, 8, 16)
IW_VECTOR(uint, unsigned, 8, 16)
IW_VECTOR(long, long, 16, 16)
IW_VECTOR(ulong, unsigned long, 16, 16)
IW_VECTOR(longlong, long long, 16, 16)
IW_VECTOR(ulonglong, unsigned long long, 16, 16)
IW_VECTOR(float, float, 8, 16)
IW_VECTOR(double, double, 16, 16)
#undef IW_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return { x, y, z }; }
};
IW_NUMBERS(dim3, unsigned)

#endif
