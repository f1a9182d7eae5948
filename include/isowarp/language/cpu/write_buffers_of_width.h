/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8, u16, u32, u64 or u128: write-combining buffers of elements of that width, and scatter
 * by counters. Included by scatter.h.
 */
#define BUFFER_LENGTH (IW_WRITE_BUFFER_BYTES / (int)sizeof(SCALAR))
IW_STATIC_ASSERT(IW_WRITE_BUFFER_BYTES % sizeof(SCALAR) == 0, "a write buffer holds whole elements");

/* Bucket d begins at out[places[d]]. */
IW_NOINLINE_FN void FN(write_buffers_open)(iw_write_buffers *buffers, SCALAR *out, const uint64_t *places,
                                           unsigned count, int stream)
{
  buffers->out = (unsigned char *)out;
  buffers->stream = stream && (uintptr_t)out % sizeof(SCALAR) == 0; /* u128 may be aligned to 8: its lines are not to 64 */
  for (unsigned d = 0; d < count; d++) {
    const uint32_t head = (uint32_t)((uintptr_t)(out + places[d]) / sizeof *out % BUFFER_LENGTH);
    buffers->to[d] = places[d] - head;
    buffers->head[d] = head;
    buffers->next[d] = d * BUFFER_LENGTH + head;
  }
}

/* Stores buffer d, which is filled up to element `end` of `lines`, because it is full or the bucket ends. */
IW_NOINLINE_FN void FN(write_buffer_flush)(iw_write_buffers *buffers, unsigned d, uint32_t end)
{
  unsigned char *const to = buffers->out + buffers->to[d] * sizeof(SCALAR);
  unsigned char *const line = buffers->lines + d * IW_WRITE_BUFFER_BYTES;
  const size_t head = buffers->head[d] * sizeof(SCALAR), size = (end - d * BUFFER_LENGTH) * sizeof(SCALAR);
  if (head == 0 && size == IW_WRITE_BUFFER_BYTES) iw_write_buffer_store_line_(to, line, buffers->stream);
  else memcpy(to + head, line + head, size - head);
  buffers->to[d] += BUFFER_LENGTH;
  buffers->head[d] = 0;
  buffers->next[d] = d * BUFFER_LENGTH;
}

IW_FN void FN(write_buffer_append_one)(iw_write_buffers *buffers, unsigned d, const SCALAR *x)
{
  const uint32_t at = buffers->next[d];
  ((SCALAR *)(void *)buffers->lines)[at] = *x;
  if (__builtin_expect((at + 1) % BUFFER_LENGTH == 0, 0)) FN(write_buffer_flush)(buffers, d, at + 1);
  else buffers->next[d] = at + 1;
}

/* Lane l's element in[l] goes to bucket index[l], in the order of the lanes. */
IW_FN void FN(write_buffer_append)(iw_write_buffers *buffers, const SCALAR *in, iw_u32 index, iw_pred some)
{
  IW_INDEX_PAIRS_(e, index)
  if (some.m == IW_ALL_LANES) {
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
      FN(write_buffer_append_one)(buffers, (uint32_t)e[l / 2], in + l);
      FN(write_buffer_append_one)(buffers, (uint32_t)(e[l / 2] >> 32), in + l + 1);
    }
  } else for (iw_bits m = some.m; m; m &= m - 1) {
    const unsigned l = iw_lowest(m);
    FN(write_buffer_append_one)(buffers, (uint32_t)(e[l / 2] >> l % 2 * 32), in + l);
  }
}

/* All lanes of two sequences at a time, into buffers of their own. */
IW_FN void FN(write_buffer_append_both)(iw_write_buffers *p, const SCALAR *in_p, iw_u32 index_p,
                                        iw_write_buffers *q, const SCALAR *in_q, iw_u32 index_q)
{
  IW_INDEX_PAIRS_(e_p, index_p)
  IW_INDEX_PAIRS_(e_q, index_q)
  IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    FN(write_buffer_append_one)(p, (uint32_t)e_p[l / 2], in_p + l);
    FN(write_buffer_append_one)(q, (uint32_t)e_q[l / 2], in_q + l);
    FN(write_buffer_append_one)(p, (uint32_t)(e_p[l / 2] >> 32), in_p + l + 1);
    FN(write_buffer_append_one)(q, (uint32_t)(e_q[l / 2] >> 32), in_q + l + 1);
  }
}

IW_NOINLINE_FN void FN(write_buffers_close)(iw_write_buffers *buffers, unsigned count)
{
  for (unsigned d = 0; d < count; d++)
    if (buffers->next[d] != d * BUFFER_LENGTH + buffers->head[d]) FN(write_buffer_flush)(buffers, d,
        buffers->next[d]);
}

/* Without buffers, for few and short buckets: lane l's element in[l] goes where the counter of its index
 * points, which advances. */
IW_FN void FN(scatter_ranked)(SCALAR *out, uint32_t *counters, const SCALAR *in, iw_u32 index, iw_pred some)
{
  IW_INDEX_PAIRS_(e, index)
  if (some.m == IW_ALL_LANES)
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
      out[counters[(uint32_t)e[l / 2]]++] = in[l];
      out[counters[e[l / 2] >> 32]++] = in[l + 1];
    }
  else for (iw_bits m = some.m; m; m &= m - 1) {
    const unsigned l = iw_lowest(m);
    out[counters[(uint32_t)(e[l / 2] >> l % 2 * 32)]++] = in[l];
  }
}

#undef BUFFER_LENGTH
