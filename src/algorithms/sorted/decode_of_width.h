/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template decode_kernel.h, included once for each width of values: T is u8, u16, u32 or u64.
 */
IW_FN void IW_JOIN(decode_store, T)(const iw_decode_args *args, uint64_t at, iw_u64 run, iw_pred some)
{
  OF_T(iw_store)((SCALAR *)args->out + at, OF_T(iw_gather_far)((const SCALAR *)args->values, run, some), some);
}
