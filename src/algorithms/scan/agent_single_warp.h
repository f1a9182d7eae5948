/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a warp alone (scan.h). It takes runs of tiles, by tickets. A tile with nothing unknown in front of it is
 * finished as it is loaded. Any other one's total is made and published, and the tile waits, in the cache; while the total of a
 * next tile is made, row by row, the first that waits is finished, so that memory is read and written at a time.
 *
 * A warp waits only for tiles in front of the first one that it has not finished. The warp that holds the first of all tiles
 * that are not published has thus nothing to wait for, and the others do not wait for ever.
 */
#define ALONE OF_TEXT(alone)

#ifndef IW_KERNELS_ALONE_H
#define IW_KERNELS_ALONE_H
/* A row's tree, finished and stored. */
#if SEGMENTS
#define DO_ROW(last, coming, before, headed, rows, at, valid) \
    last = OF_TEXT(scan_row)(args, &(coming), 0, before, headed, rows, (coming).heads, at, valid, args->exclusive)
#else
#define DO_ROW(last, coming, before, headed, rows, at, valid) do { \
    const ROW tree_ = OF_TEXT(row_tree)(args->init.T, coming); \
    OF_TEXT(scan_finish)(args, before, headed, rows, tree_, (coming).heads, at, valid, args->exclusive); \
    last = OF_TEXT(row_last)(tree_); \
  } while (0)
#endif
#endif

typedef struct { uint32_t unused; } SHARED;

/* What a warp knows, and has yet to do. */
typedef struct {
  uint32_t partial, inclusive;                /* the launch's flags */
  BEFORE here;                                /* of the first tile that it has not finished, or of an earlier one */
  uint64_t waiting[SCAN_WAIT(sizeof(SCALAR))]; /* tiles that are published and not finished, at their number modulo these */
  unsigned first, end;
} ALONE;

/* From a tile, whose total it is, to the next. */
IW_FN void OF_TEXT(go_on)(const iw_scan_args *args, uint32_t inclusive, BEFORE *before, int headed, SCALAR total)
{
  before->tile++;
  before->tiles = JOINED(before->tiles, headed, total);
  if (headed) before->groups = OF_OP(iws_identity)();
  if (before->tile % GROUP_TILES == 0 || before->tile == args->tiles) {
    before->groups = OF_OP(iws)(before->groups, before->tiles);
    before->tiles = OF_OP(iws_identity)();
    OF_T(iw_publish)(args->group_words, (size_t)((before->tile - 1) / GROUP_TILES), inclusive, before->groups);
  }
}

/* To `tile`, which is in the same group or begins the next one, if the tiles in between are published. */
IW_FN int OF_TEXT(go_over)(const iw_scan_args *args, const ALONE *my, BEFORE *before, uint64_t tile)
{
  const int count = (int)(tile - before->tile);
  if (count == 0) return 1;
  const iw_pred some = iw_lanes_below(count);
  const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->tile_words, (int64_t)before->tile, 0, count);
  const iw_mask heads = SEGMENTS ? iw_ballot(iw_both(some, iw_eq_u32(words.flag, iw_splat_u32(my->inclusive)))) : 0;
  const iw_pred known = iw_either(iw_eq_u32(words.flag, iw_splat_u32(my->partial)), iw_pred_of(heads));
  LANES unused;
  if (!iw_all(iw_either(iw_unless(some), known))) return 0;
  const SCALAR all = FOLD(before->tiles, OF_T(iw_select)(some, words.value, OF_T(iw_splat)(OF_OP(iws_identity)())), heads,
                          &unused);
  before->tile = tile - 1;
  before->tiles = OF_OP(iws_identity)();
  OF_TEXT(go_on)(args, my->inclusive, before, heads != 0, all);
  return 1;
}

/* To `tile`, if all in front of it is published: from the last group whose fold is known. Else as far as a group's end. */
IW_APART int OF_TEXT(go_to)(const iw_scan_args *args, ALONE *my, uint64_t tile)
{
  BEFORE *const here = &my->here;
  const uint64_t group = tile / GROUP_TILES;
  for (uint64_t g = group; g > here->tile / GROUP_TILES; g--) {
    const IW_JOIN(iw_polled, T) word = OF_T(iw_poll)(args->group_words, (int64_t)g - 1, 0, 1);
    if (iw_at_u32(word.flag, 0) != my->inclusive) continue;
    here->tile = g * GROUP_TILES;
    here->tiles = OF_OP(iws_identity)();
    here->groups = OF_T(iw_at)(word.value, 0);
  }
  while (here->tile / GROUP_TILES < group)
    if (!OF_TEXT(go_over)(args, my, here, (here->tile / GROUP_TILES + 1) * GROUP_TILES)) return 0;
  return OF_TEXT(go_over)(args, my, here, tile);
}

/* Makes and publishes the total of a tile, and finishes another one, in front of which is `here`; args->tiles: none. */
IW_APART void OF_TEXT(do_tiles)(const iw_scan_args *args, ALONE *my, uint64_t load, uint64_t finish)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  const uint64_t none = args->tiles, at = load * TILE, done = finish * TILE;
  const int64_t here = load < none ? (int64_t)(args->n - at) : 0, there = finish < none ? (int64_t)(args->n - done) : 0;
  SCALAR total = OF_OP(iws_identity)(), done_total = total;
  int headed = 0, done_headed = 0;
  const int64_t most = here > there ? here : there;
  for (int64_t k = 0; k < TILE && k < most; k += ORDER_ROW) {
    if (k < here) {
      const COMING coming = OF_TEXT(row_fetch)(in + at + k, here - k, OF_TEXT(row_heads)(args->heads, at + (uint64_t)k));
      const SCALAR last = OF_TEXT(row_total)(args->init.T, coming);
      total = JOINED(total, OF_TEXT(row_headed)(coming.heads), last);
      headed |= OF_TEXT(row_headed)(coming.heads);
    }
    if (k < there) {
      SCALAR last;
      const HEADS heads = OF_TEXT(row_heads)(args->heads, done + (uint64_t)k);
      const COMING coming = here ? OF_TEXT(row_again)(in + done + k, there - k, heads)
                                 : OF_TEXT(row_fetch)(in + done + k, there - k, heads);
      if (STORES) DO_ROW(last, coming, &my->here, done_headed, done_total, done + (uint64_t)k, there - k);
      else last = OF_TEXT(row_total)(args->init.T, coming);
      done_total = JOINED(done_total, OF_TEXT(row_headed)(coming.heads), last);
      done_headed |= OF_TEXT(row_headed)(coming.heads);
    }
  }
  if (load < none) OF_T(iw_publish)(args->tile_words, (size_t)load, headed ? my->inclusive : my->partial, total);
  if (finish < none) {
    OF_T(iw_publish)(args->tile_words, (size_t)finish, done_headed ? my->inclusive : my->partial, done_total);
    OF_TEXT(go_on)(args, my->inclusive, &my->here, done_headed, done_total);
    if (finish + 1 == none && args->result) OF_T(iw_set)((SCALAR *)args->result, my->here.groups);
  }
}

/* A tile that was taken, or none any more: one of those that wait has to be finished then. */
IW_FN void OF_TEXT(take)(const iw_scan_args *args, ALONE *my, uint64_t tile)
{
  enum { PLACES = SCAN_WAIT(sizeof(SCALAR)) };
  const uint64_t none = args->tiles;
  const int behind = my->first < my->end;
  const uint64_t front = behind ? my->waiting[my->first % PLACES] : tile;
  int known = my->here.tile == front || OF_TEXT(go_to)(args, my, front);
  if (tile == none || my->end - my->first == PLACES)
    for (unsigned spins = 0; !known; known = OF_TEXT(go_to)(args, my, front)) iw_pause(&spins);
  if (known && behind) my->first++;
  if (tile < none && (behind || !known) && (STORES || tile + 1 == none)) my->waiting[my->end++ % PLACES] = tile;
  OF_TEXT(do_tiles)(args, my, known && !behind ? none : tile, known ? front : none);
}

IW_KERNEL_ONCE(KERNEL, SHARED, iw_scan_args, WARPS * 32, NUMBER(_BLOCKS))
{
  IW_VAR(ALONE, my);
  uint32_t first;
  const uint32_t epoch = iw_open(args->tickets, &first);
  const uint64_t none = args->tiles;
  uint64_t run = SCAN_RUN;                /* but eight for each block, so that none is left with much at the end */
  while (run > 1 && block->blocks * run * 8 > none) run /= 2;
  IW_WARPS(warp) {
    ALONE *const mine = &IW_MY(my);
    mine->partial = epoch * 4 + PARTIAL;
    mine->inclusive = epoch * 4 + INCLUSIVE;
    mine->here.tile = 0;
    mine->here.tiles = OF_OP(iws_identity)();
    mine->here.groups = OF_TEXT(scan_init)(args);
    mine->first = mine->end = 0;
  }
  for (uint64_t tile = first * run, loading = 1; loading;) { /* a run; and at last what still waits */
    const uint64_t end = tile + run < none ? tile + run : none;
    const int asking = tile < none && none > block->blocks * run; /* else every block has had its one */
    loading = tile < none;
    IW_PHASE(warp) {
      ALONE *const mine = &IW_MY(my);
      for (uint64_t t = tile; loading ? t < end : mine->first < mine->end; t++) OF_TEXT(take)(args, mine, loading ? t : none);
      if (asking && warp == 0) iw_bring(iw_ask(args->tickets));
    }
    tile = asking ? (uint64_t)iw_brought() * run : none;
  }
  iw_close(args->tickets);
}

#undef ALONE
