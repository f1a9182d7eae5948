/* SPDX-License-Identifier: Apache-2.0
 *
 * A scatter of elements together with an array of 4 bytes, such as their indices, on CPUs; included once for
 * each width of elements: T is u8, u16, u32, u64 or u128. Part of kernel templates.
 */
#define FN(name) IW_JOIN(IW_JOIN(scatter, name), T)

/* iw_scatter_ranked of keys and of their indices. */
IW_FN void FN(with_indices)(SCALAR *out, uint32_t *out_indices, uint32_t *counters, const SCALAR *keys, const uint32_t *indices,
                              iw_u32 digit, iw_pred some)
{
  IW_INDEX_PAIRS_(e, digit)
  if (some.m == IW_ALL_LANES) IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) {
    const uint32_t to = counters[(uint32_t)(e[l / 2] >> l % 2 * 32)]++;
    out[to] = keys[l];
    out_indices[to] = indices[l];
  } else for (iw_bits m = some.m; m; m &= m - 1) {
    const unsigned l = iw_lowest(m);
    const uint32_t to = counters[(uint32_t)(e[l / 2] >> l % 2 * 32)]++;
    out[to] = keys[l];
    out_indices[to] = indices[l];
  }
}

#undef FN
