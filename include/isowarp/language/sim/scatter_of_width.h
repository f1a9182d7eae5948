/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8, u16, u32, u64 or u128: write-combining buffers and ranked scatter, from memory to
 * memory. Included by scatter.h.
 */
/* in[l] to out[at] for the lanes l of `some`. 16 bytes are two words, as they need not be aligned to more. */
IW_FN void IW_PASTE(FN(move), _)(IW_AT_PARAMETERS_, SCALAR *out, iw_u64 at, const SCALAR *in, iw_pred some)
{
  enum { WORD = sizeof(SCALAR) > 8 ? 8 : sizeof(SCALAR), WORDS = sizeof(SCALAR) / WORD };
  uint64_t x[WORDS][IW_WARP_SIZE], undefined[WORDS];
  memset(x, 0, sizeof x);
  for (unsigned w = 0; w < WORDS; w++) {
    const uint64_t m = iw_access_strided_(site, SIZE_MAX, IW_SIM_LOAD, in, WORD, w, WORDS, some, 0, WORD, &undefined[w]);
    IW_EACH_LANE_(l) if (m >> l & 1) memcpy(&x[w][l], (const char *)(in + l) + w * WORD, WORD);
  }
  for (unsigned w = 0; w < WORDS; w++) {
    uint64_t index[IW_WARP_SIZE];
    char values[IW_WARP_SIZE * WORD];
    IW_EACH_LANE_(l) { index[l] = at.e[l] * WORDS + w; memcpy(values + l * WORD, &x[w][l], WORD); }
    const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, out, WORD, NULL, index, at.undefined, at.owner, values,
                                  undefined[w], some);
    IW_EACH_LANE_(l) if (m >> l & 1) memcpy((char *)(out + at.e[l]) + w * WORD, values + l * WORD, WORD);
  }
}

IW_FN void FN(write_buffers_open)(const iw_site *site, iw_write_buffers *buffers, SCALAR *out, const uint64_t *places,
                                  unsigned count, int stream)
{ (void)stream; iw_write_buffers_open_(site, buffers, out, places, count); }
IW_FN void FN(write_buffer_append)(const iw_site *site, iw_write_buffers *buffers, const SCALAR *in, iw_u32 index, iw_pred some)
{
  const iw_u64 at = iw_write_buffer_position_(site, buffers->to, index, some);
  SCALAR *const out = (SCALAR *)iw_write_buffers_out_(site, buffers);
  if (out) IW_PASTE(FN(move), _)(site, SIZE_MAX, out, at, in, some);
}
IW_FN void FN(write_buffer_append_both)(const iw_site *site, iw_write_buffers *p, const SCALAR *in_p, iw_u32 index_p,
                                        iw_write_buffers *q, const SCALAR *in_q, iw_u32 index_q)
{
  FN(write_buffer_append)(site, p, in_p, index_p, iw_pred_(IW_ALL_LANES_, 0, 0));
  FN(write_buffer_append)(site, q, in_q, index_q, iw_pred_(IW_ALL_LANES_, 0, 0));
}
IW_FN void FN(write_buffers_close)(iw_write_buffers *buffers, unsigned count) { (void)buffers; (void)count; }

IW_FN void FN(scatter_ranked)(IW_AT_PARAMETERS_, SCALAR *out, uint32_t *counters, const SCALAR *in, iw_u32 index, iw_pred some)
{ IW_PASTE(FN(move), _)(IW_AT_, out, iw_convert_u32_u64((iw_rank_in)(site, SIZE_MAX, counters, index, some)), in, some); }
