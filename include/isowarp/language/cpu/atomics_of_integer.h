/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the four integer types: atomic add, exchange, minimum, maximum and compare-and-
 * exchange in shared and in global memory. Included by atomics.h.
 */
/* One element, with its old value as the result: with an atomic instruction, or with a loop of compare-
 * and-exchange. */
IW_FN SCALAR FN(fetch_add)(SCALAR *p, SCALAR v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }
IW_FN SCALAR FN(fetch_exchange)(SCALAR *p, SCALAR v) { return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL); }
IW_FN SCALAR FN(fetch_min)(SCALAR *p, SCALAR v)
{
  SCALAR old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, SFN(min)(old, v), 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) { }
  return old;
}
IW_FN SCALAR FN(fetch_max)(SCALAR *p, SCALAR v)
{
  SCALAR old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, SFN(max)(old, v), 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) { }
  return old;
}

/* The new value of an element that no other thread uses. */
IW_FN SCALAR FN(after_add)(SCALAR old, SCALAR v) { return SFN(add)(old, v); }
IW_FN SCALAR FN(after_exchange)(SCALAR old, SCALAR v) { (void)old; return v; }
IW_FN SCALAR FN(after_min)(SCALAR old, SCALAR v) { return SFN(min)(old, v); }
IW_FN SCALAR FN(after_max)(SCALAR old, SCALAR v) { return SFN(max)(old, v); }

#define OP add
#include <isowarp/language/cpu/atomics_of_operator.h>
#undef OP
#define OP exchange
#include <isowarp/language/cpu/atomics_of_operator.h>
#undef OP
#define OP min
#include <isowarp/language/cpu/atomics_of_operator.h>
#undef OP
#define OP max
#include <isowarp/language/cpu/atomics_of_operator.h>
#undef OP

IW_FN LANES FN(global_compare_exchange)(const iw_block *block, SCALAR *p, iw_u32 index, LANES expected,
                                        LANES value, iw_pred some)
{
  SCALAR x[PADDED], e[PADDED], old[PADDED] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  (void)block;
  FN(to_array)(x, value);
  FN(to_array)(e, expected);
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) {
    const unsigned l = iw_lowest(m);
    old[l] = e[l];
    __atomic_compare_exchange_n(p + at[l], &old[l], x[l], 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  return FN(from_array)(old);
}
IW_FN LANES FN(shared_compare_exchange)(const iw_block *block, SCALAR *p, iw_u32 index, LANES expected,
                                        LANES value, iw_pred some)
{ return FN(global_compare_exchange)(block, p, index, expected, value, some); }
