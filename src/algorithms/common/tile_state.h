/* SPDX-License-Identifier: Apache-2.0
 *
 * Publishing and reading tile states of values of one type: the part of the look-back that depends on the
 * type. look_back.h includes this template once per type and explains tile states, groups, flags and the
 * order of publication. Whole warps call these functions.
 *
 * Parameter: TILE_STATE_TYPE, one of i32 u32 i64 u64 f32 f64; the including file undefines it.
 */
#define FN(name) IW_JOIN(name, TILE_STATE_TYPE)
#define POLLED IW_JOIN(iw_polled, TILE_STATE_TYPE)
#define VALUE IW_PASTE(iws_, TILE_STATE_TYPE)

/* A state is one 64-bit word, the flag and a 4-byte value, or two such words with half of an 8-byte value
 * each. iw_publish and iw_poll are relaxed (doc/memory-model.md): each word carries its own flag. */
static_assert(sizeof(VALUE) == 4 || sizeof(VALUE) == 8, "a tile state holds a value of 4 or 8 bytes");

IW_FN void FN(publish_tile)(const iw_look_back *look_back, uint64_t tile, int status, VALUE value)
{
  FN(iw_publish)(look_back->tile_states, (size_t)tile, tile_flag(look_back, status), value);
}

IW_FN void FN(publish_group)(const iw_look_back *look_back, uint64_t group, int status, VALUE value)
{
  FN(iw_publish)(look_back->group_states, (size_t)group, tile_flag(look_back, status), value);
}

/* Reads the states of the tiles first … first + count - 1, at most 32, into the lanes of *states: 1 if all
 * of them have been published, else 0. With `with_heads` a tile may be inclusive, since it contains a
 * segment head: its bit in *heads is then set. Without, every tile publishes its aggregate, and *heads is 0.
 */
IW_NOINLINE_FN int FN(try_load_tile_states)(const iw_look_back *look_back, uint64_t first, unsigned count,
                                            int with_heads, POLLED *states, iw_mask *heads)
{
  const iw_pred in_range = iw_lanes_below(count);
  *states = FN(iw_poll)(look_back->tile_states, (int64_t)first, 0, (int)count);
  *heads = with_heads ? iw_ballot(have_status(look_back, states->flag, TILE_INCLUSIVE)) : 0;
  const iw_pred valid = iw_or_pred(have_status(look_back, states->flag, TILE_AGGREGATE), iw_pred_of(*heads));
  return iw_all(iw_or_pred(iw_not_pred(in_range), valid));
}

/* Waits for the aggregates of the tiles first … first + count - 1, at most 32: their states. */
IW_FN POLLED FN(wait_tile_states)(const iw_look_back *look_back, uint64_t first, unsigned count)
{
  POLLED states;
  iw_mask heads;
  for (unsigned spins = 0; !FN(try_load_tile_states)(look_back, first, count, 0, &states, &heads);) iw_pause(&spins);
  return states;
}

/* The look-back window of `group`: the states of the 32 groups before it, the nearest in lane 31. Waits
 * until one of them is inclusive and all after it are published. Returns the states, and in *inclusive_lane
 * the last inclusive one: the group's exclusive prefix is the left fold of the values from that lane on. */
IW_FN POLLED FN(wait_look_back_window)(const iw_look_back *look_back, uint64_t group,
                                       unsigned *inclusive_lane)
{
  const int64_t first = (int64_t)group - 32;
  for (unsigned spins = 0;; iw_pause(&spins)) {
    const POLLED states = FN(iw_poll)(look_back->group_states, first, first < 0 ? (int)-first : 0, 32);
    const iw_mask inclusive_lanes = iw_ballot(have_status(look_back, states.flag, TILE_INCLUSIVE));
    const iw_mask aggregate_lanes = iw_ballot(have_status(look_back, states.flag, TILE_AGGREGATE));
    const iw_mask valid_lanes = inclusive_lanes | aggregate_lanes;
    if (inclusive_lanes == 0) continue;
    *inclusive_lane = iw_highest(inclusive_lanes);
    const iw_mask needed_lanes = 0xffffffffu & ~(((iw_mask)2 << *inclusive_lane) - 1);
    if ((valid_lanes & needed_lanes) == needed_lanes) return states;
  }
}

/* Looks back from `group`, one group at a time and no further than to `first`, for an inclusive prefix,
 * without waiting. Returns the group whose exclusive prefix it found and stored in *prefix, or `first` if
 * there is none. */
IW_NOINLINE_FN uint64_t FN(find_inclusive_prefix)(const iw_look_back *look_back, uint64_t first,
                                                  uint64_t group, VALUE *prefix)
{
  const uint32_t inclusive_flag = tile_flag(look_back, TILE_INCLUSIVE);
  for (; group > first; group--) {
    const POLLED state = FN(iw_poll)(look_back->group_states, (int64_t)group - 1, 0, 1);
    if (iw_at_u32(state.flag, 0) != inclusive_flag) continue;
    *prefix = FN(iw_at)(state.value, 0);
    break;
  }
  return group;
}

#undef FN
#undef POLLED
#undef VALUE
