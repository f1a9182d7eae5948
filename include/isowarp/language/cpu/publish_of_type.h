/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: publish and poll. A slot is one word of tile state for a type of 4
 * bytes, two for one of 8, each with the flag: a value whose two flags differ is half written and counts as
 * not published. Included by grid.h.
 */
IW_STATIC_ASSERT(sizeof(SCALAR) == 4 || sizeof(SCALAR) == 8,
                 "a published value is one or two halves of 32 bits");

typedef struct { iw_u32 flag; LANES value; } FN(polled);

IW_FN void IW_PASTE(FN(publish_ordered), _)(uint64_t *slots, size_t i, uint32_t flag, SCALAR v, int release)
{
  if (sizeof v == 4) {
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    iw_tile_state_store_(slots + i, (uint64_t)flag << 32 | u, release);
  } else {
    uint64_t u = 0;
    memcpy(&u, &v, sizeof v);
    iw_tile_state_store_(slots + 2 * i, (uint64_t)flag << 32 | (uint32_t)u, release);
    iw_tile_state_store_(slots + 2 * i + 1, (uint64_t)flag << 32 | u >> 32, release);
  }
}

/* Lanes 0 … count - 1 write slot base + lane. */
IW_FN void FN(publish_lanes)(uint64_t *slots, int64_t base, int count, uint32_t flag, LANES v)
{
  SCALAR x[PADDED];
  FN(to_array)(x, v);
  for (int l = 0; l < count; l++)
    IW_PASTE(FN(publish_ordered), _)(slots, (size_t)(base + l), flag, x[l], IW_PUBLISH_ORDERED);
}

/* Lanes first … end - 1 read slot base + lane; the others have flag 0 and value 0. */
IW_FN FN(polled) IW_PASTE(FN(poll_ordered), _)(const uint64_t *slots, int64_t base, int first, int end, int acquire)
{
  SCALAR x[PADDED] = { 0 };
  uint32_t f[IW_PADDED(u32)] = { 0 };
  FN(polled) r;
  for (int l = first > 0 ? first : 0; l < end; l++) {
    if (sizeof *x == 4) {
      const uint64_t w = iw_tile_state_load_(slots + (base + l), acquire);
      const uint32_t u = (uint32_t)w;
      memcpy(x + l, &u, sizeof u);
      f[l] = (uint32_t)(w >> 32);
    } else {
      const uint64_t high = iw_tile_state_load_(slots + 2 * (base + l) + 1, acquire),
          low = iw_tile_state_load_(slots + 2 * (base + l), acquire);
      const uint64_t u = high << 32 | (uint32_t)low;
      memcpy(x + l, &u, sizeof *x);
      f[l] = high >> 32 == low >> 32 ? (uint32_t)(high >> 32) : 0;
    }
  }
  r.flag = iw_from_array_u32(f);
  r.value = FN(from_array)(x);
  return r;
}

/* Relaxed: the value arrives whole, and nothing else is ordered. */
IW_FN void FN(publish)(uint64_t *slots, size_t i, uint32_t flag, SCALAR v)
{ IW_PASTE(FN(publish_ordered), _)(slots, i, flag, v, IW_PUBLISH_ORDERED); }
IW_FN FN(polled) FN(poll)(const uint64_t *slots, int64_t base, int first, int end)
{ return IW_PASTE(FN(poll_ordered), _)(slots, base, first, end, IW_PUBLISH_ORDERED); }

/* These hand over memory: a warp whose poll_acquire finds the flag sees all that the publishing warp wrote
 * before, and all that its block wrote in phases that had ended. */
IW_FN void FN(publish_release)(uint64_t *slots, size_t i, uint32_t flag, SCALAR v)
{ IW_PASTE(FN(publish_ordered), _)(slots, i, flag, v, 1); }
IW_FN FN(polled) FN(poll_acquire)(const uint64_t *slots, int64_t base, int first, int end)
{ return IW_PASTE(FN(poll_ordered), _)(slots, base, first, end, 1); }
