/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: publish and poll. Included by grid.h.
 */
typedef struct { iw_u32 flag; LANES value; } FN(polled);

IW_FN void IW_PASTE(FN(publish_ordered), _)(const iw_site *site, uint64_t *slots, size_t i, uint32_t flag, SCALAR v, int release)
{
  uint32_t halves[sizeof v / 4];
  uint64_t words[sizeof v / 4];
  v = SFN(canonical)(v); /* the compiler may exchange operands, and the bits of a NaN depend on their order */
  memcpy(halves, &v, sizeof v);
  for (unsigned k = 0; k < sizeof v / 4; k++) words[k] = (uint64_t)flag << 32 | halves[k];
  iw_sim_publish(site, slots, i * (sizeof v / 4), sizeof v / 4, words, release);
}

/* Lanes 0 ... count - 1 write slot base + lane. */
IW_FN void FN(publish_lanes)(const iw_site *site, uint64_t *slots, int64_t base, int count, uint32_t flag, LANES v)
{
  enum { WORDS = sizeof(SCALAR) / 4 };
  uint64_t words[IW_WARP_SIZE * WORDS];
  IW_EACH_LANE_(l) {
    uint32_t halves[WORDS];
    const SCALAR x = SFN(canonical)(v.e[l]);
    memcpy(halves, &x, sizeof x);
    for (unsigned k = 0; k < WORDS; k++) words[l * WORDS + k] = (uint64_t)flag << 32 | halves[k];
  }
  iw_sim_publish_lanes(site, slots, base * WORDS, WORDS, iw_lanes_below(count).m, words);
}

/* Lanes first ... end - 1 read slot base + lane; the others have flag 0 and value 0. */
IW_FN FN(polled) IW_PASTE(FN(poll_ordered), _)(const iw_site *site, const uint64_t *slots, int64_t base, int first, int end,
                                               int acquire)
{
  enum { WORDS = sizeof(SCALAR) / 4 };
  uint64_t words[IW_WARP_SIZE * WORDS] = { 0 };
  const uint64_t lanes = iw_lanes_below(end).m & ~iw_lanes_below(first).m;
  FN(polled) r;
  iw_sim_poll(site, slots, base * WORDS, WORDS, lanes, words, acquire);
  r.flag.undefined = r.value.undefined = 0;
  r.flag.owner = r.value.owner = iw_self_();
  IW_EACH_LANE_(l) {
    const uint64_t *const word = words + l * WORDS;
    uint32_t halves[WORDS];
    r.flag.e[l] = (uint32_t)(word[0] >> 32);
    for (unsigned k = 0; k < WORDS; k++) {
      halves[k] = (uint32_t)word[k];
      if (word[k] >> 32 != r.flag.e[l]) r.flag.e[l] = 0; /* half written */
    }
    memcpy(&r.value.e[l], halves, sizeof(SCALAR));
  }
  return r;
}

IW_FN void FN(publish)(const iw_site *site, uint64_t *slots, size_t i, uint32_t flag, SCALAR v)
{ IW_PASTE(FN(publish_ordered), _)(site, slots, i, flag, v, 0); }
IW_FN FN(polled) FN(poll)(const iw_site *site, const uint64_t *slots, int64_t base, int first, int end)
{ return IW_PASTE(FN(poll_ordered), _)(site, slots, base, first, end, 0); }
IW_FN void FN(publish_release)(const iw_site *site, uint64_t *slots, size_t i, uint32_t flag, SCALAR v)
{ IW_PASTE(FN(publish_ordered), _)(site, slots, i, flag, v, 1); }
IW_FN FN(polled) FN(poll_acquire)(const iw_site *site, const uint64_t *slots, int64_t base, int first, int end)
{ return IW_PASTE(FN(poll_ordered), _)(site, slots, base, first, end, 1); }
