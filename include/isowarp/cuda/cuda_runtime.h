/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA C++ on the simulated GPU: the language and the functions of the CUDA runtime. `isowarp cuda` puts
 * this folder in front of all others and this header in front of each file. doc/cuda.md says what there is.
 */
#ifndef ISOWARP_CUDA_RUNTIME_H
#define ISOWARP_CUDA_RUNTIME_H

#include <stddef.h>
/* Copies are accesses of a kernel's, too. */
extern "C" void *memcpy(void *, const void *, size_t) noexcept __asm__("iw_simt_memcpy_hook");
extern "C" void *memmove(void *, const void *, size_t) noexcept __asm__("iw_simt_memcpy_hook");
extern "C" void *memset(void *, int, size_t) noexcept __asm__("iw_simt_memset_hook");
/* So is the memory that it allocates. */
extern "C" void *malloc(size_t) noexcept __asm__("iw_simt_malloc_hook");
extern "C" void free(void *) noexcept __asm__("iw_simt_free_hook");
#ifdef __clang__ /* it makes calls of these, too, of copies of structs */
__asm__(".set memcpy, iw_simt_memcpy_hook\n.set memmove, iw_simt_memcpy_hook\n.set memset, iw_simt_memset_hook");
#endif

#include "isowarp_simt.h"
#include "vector_types.h"
#include <cstdio>
#include <cstring>
#include <new> /* as nvcc */
#include <math.h> /* abs(), isnan() and kin of any type without std:: */
#include <stdlib.h>
#include <time.h>
#include <type_traits>
#include <utility>

#ifdef ISOWARP_CU /* not for the C++ of a program's other files */
#define __CUDACC__ 1
#define __NVCC__ 1
#endif
#define __DRIVER_TYPES_H__ 1 /* headers of programs ask for these */
#define __CUDA_RUNTIME_H__ 1
#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4

/* Words that the rewriter of launches looks for (tools/kernels/launches.c). */
#define __global__ __iw_global__
#define __shared__ __iw_shared__
#define __constant__ __iw_constant__
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDART_CB
#define CUDARTAPI
#ifndef __restrict__
#define __restrict__ __restrict
#endif

/* Operations that the runtime performs: what they access is reported by the runtime, with the line of the
 * call, which clang would make one of several. */
#define IW_OP __attribute__((noinline, nomerge, no_sanitize("thread")))
#define IW_PC __builtin_return_address(0)
#define IW_QUIET __attribute__((no_sanitize("thread")))

extern const uint3 threadIdx __asm__("iw_simt_thread_index");
extern const uint3 blockIdx __asm__("iw_simt_block_index");
extern const uint3 blockDim __asm__("iw_simt_block_dim");
extern const uint3 gridDim __asm__("iw_simt_grid_dim");
static const int warpSize = 32;

/* ---- Barriers, fences, warps ---- */

IW_OP inline void __syncthreads(int number = 0) { iw_simt_barrier(IW_SIMT_PLAIN, number, IW_PC); }
IW_OP inline int __syncthreads_count(int x) { return iw_simt_barrier(IW_SIMT_COUNT, x, IW_PC); }
IW_OP inline int __syncthreads_and(int x) { return iw_simt_barrier(IW_SIMT_AND, x, IW_PC); }
IW_OP inline int __syncthreads_or(int x) { return iw_simt_barrier(IW_SIMT_OR, x, IW_PC); }
IW_OP inline void __threadfence_block() { iw_simt_fence(0); }
IW_OP inline void __threadfence() { iw_simt_fence(1); }
IW_OP inline void __threadfence_system() { iw_simt_fence(2); }
IW_OP inline void __syncwarp(unsigned mask = 0xffffffffu) { iw_simt_warp(IW_SIMT_SYNC, mask, 0, 0, 0, 0, IW_PC); }
IW_OP inline unsigned __activemask() { return iw_simt_active_mask(IW_PC); }
#define IW_VOTE(R, name, result) \
  IW_OP inline R name(unsigned mask, int p) \
  { unsigned r; const unsigned present = iw_simt_warp(IW_SIMT_BALLOT, mask, &p, sizeof p, 0, &r, IW_PC); (void)present; return result; }
IW_VOTE(unsigned, __ballot_sync, r) IW_VOTE(int, __any_sync, r != 0) IW_VOTE(int, __all_sync, r == present)
IW_VOTE(int, __uni_sync, r == 0 || r == present)
#undef IW_VOTE
#define IW_SHUFFLE(name, D, from) \
  template <class T> IW_OP T name(unsigned mask, T v, D d, int width = 32) \
  { \
    const unsigned n = (unsigned)width, lane = iw_simt_lane(), first = lane & ~(n - 1), in = lane - first; \
    T r = v; \
    (void)in; \
    iw_simt_warp(IW_SIMT_SHUFFLE, mask, &v, sizeof v, from, &r, IW_PC); \
    return r; \
  }
IW_SHUFFLE(__shfl_sync, int, first | ((unsigned)d & (n - 1)))
IW_SHUFFLE(__shfl_up_sync, unsigned, in >= d ? lane - d : lane)
IW_SHUFFLE(__shfl_down_sync, unsigned, in + d < n ? lane + d : lane)
IW_SHUFFLE(__shfl_xor_sync, int, ((lane ^ (unsigned)d) & ~(n - 1)) <= first ? (lane ^ (unsigned)d) & 31 : lane)
#undef IW_SHUFFLE
namespace iw_simt {
/* The lanes whose value is this one's. */
template <class T> IW_QUIET inline unsigned equal_lanes(unsigned mask, T v, unsigned *present, void *pc)
{
  T all[32];
  unsigned same = 0;
  *present = iw_simt_warp(IW_SIMT_EXCHANGE, mask, &v, sizeof v, 0, all, pc);
  for (unsigned m = *present; m; m &= m - 1)
    same |= (unsigned)(memcmp(&all[__builtin_ctz(m)], &v, sizeof v) == 0) << __builtin_ctz(m);
  return same;
}
/* Of the lanes `of`; none: r. */
template <class T, class F>
IW_QUIET inline T reduce(unsigned mask, T v, F f, void *pc, unsigned of = 0xffffffffu, T r = T())
{
  T all[32];
  bool first = true;
  for (unsigned m = iw_simt_warp(IW_SIMT_EXCHANGE, mask, &v, sizeof v, 0, all, pc) & of; m; m &= m - 1, first = false)
    r = first ? all[__builtin_ctz(m)] : f(r, all[__builtin_ctz(m)]);
  return r;
}
}
template <class T> IW_OP unsigned __match_any_sync(unsigned mask, T v)
{
  unsigned present;
  return iw_simt::equal_lanes(mask, v, &present, IW_PC);
}
template <class T> IW_OP unsigned __match_all_sync(unsigned mask, T v, int *p)
{
  unsigned present;
  *p = iw_simt::equal_lanes(mask, v, &present, IW_PC) == present;
  return *p ? mask : 0;
}
#define IW_REDUCE(name, T, expression) \
  IW_OP inline T name(unsigned mask, T v) { return iw_simt::reduce(mask, v, [](T a, T b) IW_QUIET { return (T)(expression); }, IW_PC); }
IW_REDUCE(__reduce_add_sync, unsigned, a + b)
IW_REDUCE(__reduce_add_sync, int, (unsigned)a + (unsigned)b)
IW_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
IW_REDUCE(__reduce_min_sync, int, a < b ? a : b)
IW_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
IW_REDUCE(__reduce_max_sync, int, a > b ? a : b)
IW_REDUCE(__reduce_and_sync, unsigned, a & b)
IW_REDUCE(__reduce_or_sync, unsigned, a | b)
IW_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef IW_REDUCE
IW_OP inline void __nanosleep(unsigned) { iw_simt_sleep(IW_PC); }
IW_OP inline long long clock64() { return iw_simt_time(); }
IW_OP inline unsigned long long __globaltimer() { return (unsigned long long)iw_simt_time(); }
IW_OP inline void __trap() { iw_simt_trap("__trap()", IW_PC); }

/* ---- Atomics ---- */

namespace iw_simt {
template <class T> struct same { typedef T type; };
template <class T> using same_t = typename same<T>::type;
/* What f makes of the old value is written. */
template <class T, class F> __attribute__((no_sanitize("thread"))) inline T atomic(T *p, F f, int scope, int order, void *pc)
{
  iw_simt_atomic((void *)p, sizeof(T), IW_SIMT_RMW | order, scope, pc);
  T before, after;
  __builtin_memcpy((void *)&before, (const void *)p, sizeof(T));
  after = f(before);
  __builtin_memcpy((void *)p, (const void *)&after, sizeof(T));
  iw_simt_atomic_end(IW_SIMT_RMW | order, scope, __builtin_memcmp((const void *)&before, (const void *)&after, sizeof(T)) != 0);
  return before;
}
}
#define IW_ATOMIC(name, suffix, scope, expression) \
  template <class T> IW_OP T name##suffix(T *p, iw_simt::same_t<T> v) \
  { \
    return iw_simt::atomic(p, [=](T old) IW_QUIET { return (T)(expression); }, scope, 0, IW_PC); \
  }
#define IW_ATOMICS(suffix, scope) \
  IW_ATOMIC(atomicAdd, suffix, scope, old + v) \
  IW_ATOMIC(atomicSub, suffix, scope, old - v) \
  IW_ATOMIC(atomicMin, suffix, scope, v < old ? v : old) \
  IW_ATOMIC(atomicMax, suffix, scope, v > old ? v : old) \
  IW_ATOMIC(atomicAnd, suffix, scope, old & v) \
  IW_ATOMIC(atomicOr, suffix, scope, old | v) \
  IW_ATOMIC(atomicXor, suffix, scope, old ^ v) \
  IW_ATOMIC(atomicExch, suffix, scope, (void(old), v)) \
  IW_ATOMIC(atomicInc, suffix, scope, old >= v ? 0 : old + 1) \
  IW_ATOMIC(atomicDec, suffix, scope, old == 0 || old > v ? v : old - 1) \
  template <class T> IW_OP T atomicCAS##suffix(T *p, iw_simt::same_t<T> compare, iw_simt::same_t<T> v) \
  { \
    return iw_simt::atomic(p, [=](T old) IW_QUIET { return old == compare ? v : old; }, scope, IW_SIMT_COMPARE, IW_PC); \
  }
IW_ATOMICS(, 1)
IW_ATOMICS(_block, 0)
IW_ATOMICS(_system, 2)
#undef IW_ATOMICS
#undef IW_ATOMIC

/* ---- Loads and stores with hints ---- */

#define IW_LOAD(name) \
  template <class T> IW_OP T name(const T *p) { iw_simt_access(p, sizeof(T), 0, IW_PC); return *p; }
IW_LOAD(__ldg) IW_LOAD(__ldcg) IW_LOAD(__ldca) IW_LOAD(__ldcs) IW_LOAD(__ldlu) IW_LOAD(__ldcv)
#undef IW_LOAD
#define IW_STORE(name) \
  template <class T> IW_OP void name(T *p, iw_simt::same_t<T> v) { iw_simt_access(p, sizeof(T), 1, IW_PC); *p = v; }
IW_STORE(__stwb) IW_STORE(__stcg) IW_STORE(__stcs) IW_STORE(__stwt)
#undef IW_STORE

#include "device_functions.h"
#include "cuda_runtime_api.h"

/* ---- Launches ---- */

/* K<<<grid, block, shared, stream>>>(arguments) becomes iw_simt::config(…).plain(K, "K")(arguments). */

namespace iw_simt {

/* The arguments of a launch. Not std::tuple, whose header declares names such as std::array, which programs
 * use themselves. */
template <class... T> struct pack {};
template <class H, class... R> struct pack<H, R...> {
  H head;
  pack<R...> rest;
};
inline pack<> make_pack() { return {}; }
template <class H, class... R> pack<H, R...> make_pack(H head, R... rest) { return { head, make_pack(rest...) }; }
template <class F, class... D> inline void apply(F &f, const pack<> &, const D &...done) { f(done...); }
template <class F, class H, class... R, class... D> inline void apply(F &f, const pack<H, R...> &p, const D &...done)
{
  apply(f, p.rest, done..., p.head);
}

template <class F, class... A> IW_OP inline void launch(const iw_simt_config &config, void *pc, F f, A... arguments)
{
  struct closure { F f; pack<A...> arguments; } all = { f, make_pack(arguments...) };
  cudaError_t e = (cudaError_t)iw_simt_launch(&config, [](void *c) { apply(((closure *)c)->f, ((closure *)c)->arguments); }, &all,
                                              sizeof all, pc);
  if (e != cudaSuccess)
    set_error(e);
}

template <class... P> struct plain_launch {
  iw_simt_config config;
  void (*kernel)(P...);
  IW_OP void operator()(P... p) const { launch(config, IW_PC, kernel, p...); }
};
template <class F> struct template_launch {
  iw_simt_config config;
  F kernel;
  template <class... A> IW_OP void operator()(A... a) const { launch(config, IW_PC, kernel, a...); }
};

struct config {
  iw_simt_config c;
  config(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
    : c{ { grid.x, grid.y, grid.z }, { block.x, block.y, block.z }, shared, (void *)stream, 0, "" } {}
  template <class... P> plain_launch<P...> plain(void (*kernel)(P...), const char *name)
  {
    c.name = name;
    return { c, kernel };
  }
  template <class F> template_launch<F> of_template(F kernel, const char *name)
  {
    c.name = name;
    return { c, kernel };
  }
};

template <class... P, size_t... I>
cudaError_t launch_by_pointers(iw_simt_config c, void (*kernel)(P...), void **arguments, std::index_sequence<I...>)
{
  (void)arguments;
  launch(c, IW_PC, kernel, *(typename std::remove_cv<P>::type *)arguments[I]...);
  return cudaPeekAtLastError();
}

/* ---- isowarp run ---- */

template <class T> constexpr const char *type_name()
{
  typedef typename std::remove_cv<T>::type U;
  return std::is_same<U, float>::value ? "f32" : std::is_same<U, double>::value ? "f64" : std::is_same<U, bool>::value ? "bool" :
         std::is_same<U, char>::value ? "u8" : !std::is_integral<U>::value ? "-" :
         sizeof(U) == 1 ? (std::is_signed<U>::value ? "i8" : "u8") : sizeof(U) == 2 ? (std::is_signed<U>::value ? "i16" : "u16") :
         sizeof(U) == 4 ? (std::is_signed<U>::value ? "i32" : "u32") : std::is_signed<U>::value ? "i64" : "u64";
}
template <> constexpr const char *type_name<void>() { return "void"; }
template <class T> struct size_of { enum { value = sizeof(T) }; };
template <> struct size_of<void> { enum { value = 1 }; };
template <> struct size_of<const void> { enum { value = 1 }; };
template <class T> constexpr iw_simt_parameter parameter(const char *name)
{
  typedef typename std::remove_cv<T>::type V;
  typedef typename std::remove_all_extents<typename std::remove_pointer<V>::type>::type U;
  typedef typename number_of<typename std::remove_cv<U>::type>::type N;
  const bool is_number = type_name<N>()[0] != '-';
  return { std::is_pointer<V>::value ? 'p' : !is_number ? 'o' : std::is_same<N, V>::value ? 's' : 'a', sizeof(T), (size_t)size_of<N>::value,
           std::is_const<U>::value, type_name<N>(), name };
}
/* What `isowarp run` gives values to: parameters, members of those that are structs, constants. */
struct slots {
  enum { MOST = 128 };
  iw_simt_parameter parameters[MOST];
  void *at[MOST];
  size_t count = 0;
  template <class T> void add(T &value, const char *name)
  {
    if (count == MOST)
      iw_simt_trap("more than 128 arguments", 0);
    parameters[count] = parameter<T>(name);
    at[count++] = (void *)&value;
  }
};
/* A parameter without a name has its members given. */
inline void add(slots &, const pack<> &, const char *const *) {}
template <class H, class... R> void add(slots &to, pack<H, R...> &values, const char *const *names)
{
  if (*names)
    to.add(values.head, *names);
  add(to, values.rest, names + 1);
}
template <size_t I, class H, class... R> auto &get(pack<H, R...> &all)
{
  if constexpr (I == 0)
    return all.head;
  else
    return get<I - 1>(all.rest);
}
/* more(values, slots) adds members and constants. */
template <class More, class... P>
int run(void (*kernel)(P...), const char *name, const char *const *names, int argc, char **argv, const More &more)
{
  static pack<typename std::remove_cv<P>::type...> values;
  static slots all;
  add(all, values, names);
  more(values, all);
  iw_simt_config c = {};
  iw_simt_run_begin(argc, argv, all.parameters, all.count, all.at, &c);
  c.name = name;
  const auto call = [&](const auto &...p) { launch(c, IW_PC, kernel, p...); };
  apply(call, values);
  if (cudaPeekAtLastError() != cudaSuccess)
    fprintf(stderr, "isowarp: %s: %s\n", name, cudaGetErrorString(cudaPeekAtLastError()));
  return iw_simt_run_end(all.parameters, all.count, all.at);
}

}

#define IW_LAUNCH(name, is_cooperative, shown) \
  template <class... P> cudaError_t name(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0, \
                                         cudaStream_t stream = 0) \
  { \
    iw_simt_config c = { { grid.x, grid.y, grid.z }, { block.x, block.y, block.z }, shared, (void *)stream, is_cooperative, \
                         shown }; \
    return iw_simt::launch_by_pointers(c, kernel, arguments, std::index_sequence_for<P...>()); \
  }
IW_LAUNCH(cudaLaunchCooperativeKernel, 1, "a cooperative kernel")
IW_LAUNCH(cudaLaunchKernel, 0, "a kernel")
#undef IW_LAUNCH

#endif
