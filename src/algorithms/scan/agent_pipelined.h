/* SPDX-License-Identifier: Apache-2.0
 *
 * "Park and trail", the schedule of blocks of many warps (scan.h).
 */
#ifndef IW_KERNELS_PARK_H
#define IW_KERNELS_PARK_H
/* A reduction stores nothing, so that a prefetch would only be in the way of its loads. */
#define ASK_EARLY (STORES && SCAN_ASK_EARLY)
enum { SCAN_SLOTS = SCAN_TRAIL + SCAN_PARK_EARLY, SCAN_TURNS = SCAN_TRAIL + 1 };
/* What a block knows of heads; nothing where there are none. And what becomes of a row, which is compiled once in segments. */
#if SEGMENTS
#define HEADED(place) iw_get_u32(&shared->place)
#define KEEP_HEADED(place, what) iw_set_u32(&shared->place, (uint32_t)(what))
#define KEEP_TREE(x, coming) OF_TEXT(scan_row)(args, &(coming), &(x), 0, 0, 0, (coming).heads, 0, 0, 0)
#define FINISH_TREE(before, headed, rows, x, h, at, valid, exclusive) do { \
    ROW tree_ = x; \
    OF_TEXT(scan_row)(args, 0, &tree_, before, headed, rows, h, at, valid, exclusive); \
  } while (0)
static_assert(TILE_ROWS == 32, "a tile's rows have a bit each in 32");
#else
#define HEADED(place) 0u
#define KEEP_HEADED(place, what) ((void)(what))
#define KEEP_TREE(x, coming) (x) = OF_TEXT(row_tree)(args->init.T, coming)
#define FINISH_TREE(before, headed, rows, x, h, at, valid, exclusive) \
    OF_TEXT(scan_finish)(args, before, headed, rows, x, h, at, valid, exclusive)
#endif

/* Which of a tile's rows have a head. */
IW_FN iw_mask scan_rows_headed(const iw_scan_args *args, uint64_t tile)
{
#if SEGMENTS
  const iw_u32 row = iw_mul_u32(iw_lane(), iw_splat_u32(ORDER_ROW / 32));
  iw_u32 heads = iw_splat_u32(0);
  for (unsigned w = 0; w < ORDER_ROW / 32; w++)
    heads = iw_or_u32(heads, iw_gather_u32(args->heads + tile * (TILE / 32) + w, row, iw_lanes_below(IW_WARP_SIZE)));
  return iw_ballot(iw_ne_u32(heads, iw_splat_u32(0)));
#else
  return 0;
#endif
}
#endif

typedef struct {
#if STORES
  SCALAR parked[SCAN_SLOTS][TILES * TILE]; /* tiles that wait for what comes before them */
#endif
  SCALAR rows[SCAN_TURNS][TILES * TILE_ROWS]; /* totals of a tile's rows; then what is in front of each, in its tile */
  SCALAR tile_total[SCAN_TURNS][TILES];
  SCALAR tiles_before, groups_before;         /* of the first tile to finish */
#if SEGMENTS
  uint32_t headed[SCAN_TURNS][TILES];         /* which rows of a tile have a head, a bit each */
  uint32_t headed_before;                     /* whether one of the tiles of tiles_before does */
#endif
} SHARED;

/* The fold over the tiles of a group before this one, if all are published. */
IW_FN int OF_TEXT(scan_tiles_known)(const iw_scan_args *args, uint64_t tile, uint32_t partial, SCALAR *before, int *headed)
{
  const unsigned j = (unsigned)(tile % GROUP_TILES);
  IW_JOIN(iw_polled, T) words;
  iw_mask heads;
  LANES unused;
  if (!OF_T(tiles_known)(args->tile_words, tile - j, j, partial, SEGMENTS, &words, &heads)) return 0;
  *before = FOLD(OF_OP(iws_identity)(), OF_T(iw_select)(iw_lanes_below(j), words.value, OF_T(iw_splat)(OF_OP(iws_identity)())),
                 heads, &unused);
  *headed = heads != 0;
  return 1;
}

/* The same, when all are there. */
IW_FN SCALAR OF_TEXT(scan_tiles)(const iw_scan_args *args, uint64_t tile, uint32_t partial, int *headed)
{
  SCALAR before;
  for (unsigned spins = 0; !OF_TEXT(scan_tiles_known)(args, tile, partial, &before, headed);) iw_pause(&spins);
  return before;
}

/* The fold over the groups before, from the last one whose fold is known. */
IW_FN SCALAR OF_TEXT(scan_groups)(const iw_scan_args *args, uint64_t group, uint32_t partial, uint32_t inclusive)
{
  unsigned from = 0;
  const IW_JOIN(iw_polled, T) words = OF_T(groups_known)(args->group_words, group, partial, inclusive, &from);
  SCALAR prefix = OF_T(iw_at)(words.value, from);
  for (unsigned q = from + 1; q < 32; q++) prefix = OF_OP(iws)(prefix, OF_T(iw_at)(words.value, q));
  return prefix;
}

/* what(k, valid, exclusive) takes each row of a chunk that has elements. Where it pays (SCAN_SPLIT), whole rows have loops of
 * their own, which know that they are whole, one for inclusive and one for exclusive scans. */
#define OVER_WHOLE(what, exclusive) do { \
    IW_UNROLL_ROWS for (int k_ = 0; k_ < CHUNK_ROWS; k_ += AHEAD) what(k_, IW_WHOLE, exclusive); \
  } while (0)
#define OVER_CHUNK(at, valid, what, exclusive) do { \
    if (SCAN_SPLIT && (valid) >= CHUNK && iw_row_fits(at)) { if (exclusive) OVER_WHOLE(what, 1); else OVER_WHOLE(what, 0); } \
    else IW_UNROLL_ROWS for (int k_ = 0; k_ < CHUNK_ROWS; k_ += AHEAD) \
      if (k_ * ORDER_ROW < (valid)) what(k_, (valid) - k_ * ORDER_ROW, exclusive); \
  } while (0)
/* AHEAD rows on their way at a time; what(k, coming, valid, exclusive) takes each. */
#define FETCHED(what, in, at, k, valid, exclusive) do { \
    COMING coming_[AHEAD]; \
    IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) \
      coming_[r_] = OF_TEXT(row_fetch)((in) + ((k) + r_) * ORDER_ROW, ROW_VALID(valid, r_), \
                                       OF_TEXT(row_heads)(args->heads, (at) + (uint64_t)((k) + r_) * ORDER_ROW)); \
    IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) what((k) + r_, coming_[r_], ROW_VALID(valid, r_), exclusive); \
  } while (0)

/* A round loads TILES tiles and finishes those of SCAN_TRAIL rounds ago; the last rounds only finish, the first only load. */
IW_KERNEL_ONCE(KERNEL, SHARED, iw_scan_args, WARPS * 32, NUMBER(_BLOCKS))
{
#if STORES
  IW_VAR_ARRAY(ROW, rows, SCAN_PARK_EARLY ? 1 : CHUNK_ROWS);
#endif
  uint32_t first;
  const uint32_t epoch = iw_open(args->tickets, &first), partial = epoch * 4 + PARTIAL, inclusive = epoch * 4 + INCLUSIVE;
  const uint32_t none = (uint32_t)args->tiles;     /* as tickets, which are of 32 bits */
  uint32_t tile = first * SCAN_RUN * TILES, trail[SCAN_TURNS];  /* trail[SCAN_TRAIL] is the round's own */
  IW_UNROLL for (int d = 0; d < SCAN_TURNS; d++) trail[d] = none;
  for (unsigned round = 0, behind = 0; tile < none || behind > 0;) {
    const unsigned turn = round % SCAN_TURNS;
    const int loading = tile < none;
    trail[SCAN_TRAIL] = loading ? tile : none;
    const uint32_t done = trail[0], group = done / GROUP_TILES;
    const unsigned done_turn = (round + 1) % SCAN_TURNS;
    const int finishing = done < none, ends = (done + TILES) % GROUP_TILES == 0, last = done + TILES >= none;

#if STORES
    const unsigned slot = round % SCAN_SLOTS, done_slot = (round + SCAN_SLOTS - SCAN_TRAIL) % SCAN_SLOTS;
#endif
    const int resolving = finishing && (STORES || ends || last);

    IW_PHASE(warp) {                                      /* the tree in each row */
      if (loading) {
        const uint64_t at = (uint64_t)tile * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        const ELEMENT *const in = (const ELEMENT *)args->in + at;
        SCALAR *const totals = shared->rows[turn] + warp * CHUNK_ROWS;
#if !STORES
#define KEEP_ROW(k, coming, row_valid, unused) OF_T(iw_set)(&totals[k], OF_TEXT(row_total)(args->init.T, coming))
#else
#define KEEP_ROW(k, coming, row_valid, unused) do { \
          ROW x_; \
          KEEP_TREE(x_, coming); \
          OF_T(iw_set)(&totals[k], OF_TEXT(row_last)(x_)); \
          if (SCAN_PARK_EARLY) OF_TEXT(row_park)(shared->parked[slot] + warp * CHUNK + (k) * ORDER_ROW, x_); \
          else IW_MY(rows)[SCAN_PARK_EARLY ? 0 : (k)] = x_; \
        } while (0)
#endif
#define KEEP(k, row_valid, unused) FETCHED(KEEP_ROW, in, at, k, row_valid, unused)
        OVER_CHUNK(in, valid, KEEP, 0);
#undef KEEP
#undef KEEP_ROW
      }
    }

    const uint32_t next = tile + TILES;              /* of a run, or else of a ticket */
    const int over = !loading || next % (SCAN_RUN * TILES) == 0 || next >= none;
    const int asking = over && none > block->blocks * (SCAN_RUN * TILES); /* else every block has had its one */
    uint32_t coming = over ? none : next;
    IW_PHASE(warp) {
      const uint32_t mine = tile + warp;
      const int asks = ASK_EARLY && asking && warp == (WARPS - 1) / 2;
      const uint32_t asked = asks ? iw_ask(args->tickets) : 0;
      if (loading && (int)warp < TILES && mine < none) { /* the fold over the rows; publish at once */
        SCALAR total = OF_OP(iws_identity)();
        const iw_mask heads = scan_rows_headed(args, mine);
        SCALAR *const rows_of = shared->rows[turn] + warp * TILE_ROWS;
        const int64_t rows_here = (int64_t)(args->n - (uint64_t)mine * TILE + ORDER_ROW - 1) / ORDER_ROW;
        IW_UNROLL for (int k = 0; k < TILE_ROWS; k += IW_WARP_SIZE) {
          const iw_pred some = iw_lanes_below(rows_here - k);
          LANES before;
          total = FOLD(total, OF_T(iw_select)(some, OF_T(iw_load)(rows_of + k, some), OF_T(iw_splat)(OF_OP(iws_identity)())),
                       heads, &before);
          if (STORES) OF_T(iw_store)(rows_of + k, before, some);
        }
        OF_T(iw_publish)(args->tile_words, (size_t)mine, heads ? inclusive : partial, total);
        OF_T(iw_set)(&shared->tile_total[turn][warp], total);
        KEEP_HEADED(headed[turn][warp], heads);
      }
      if (resolving) {
        if (warp == WARPS / 2) {
          int headed = 0;
          OF_T(iw_set)(&shared->tiles_before, OF_TEXT(scan_tiles)(args, done, partial, &headed));
          KEEP_HEADED(headed_before, headed);
        }
        if (warp == WARPS - 1)
          OF_T(iw_set)(&shared->groups_before, group ? OF_TEXT(scan_groups)(args, group, partial, inclusive)
                                                     : OF_TEXT(scan_init)(args));
      }
      if (asks) iw_bring(asked);
    }
    if (ASK_EARLY && asking) coming = iw_brought() * (SCAN_RUN * TILES);

    IW_PHASE(warp) {
      const uint64_t ahead = (uint64_t)coming * TILE + warp * CHUNK;
      if (ASK_EARLY && coming < none && ahead + CHUNK <= args->n)
        iw_prefetch((const ELEMENT *)args->in + ahead, CHUNK * sizeof(ELEMENT));
      BEFORE before = { done, OF_OP(iws_identity)(), OF_OP(iws_identity)() };
      if (resolving) {
        before.tiles = OF_T(iw_get)(&shared->tiles_before);
        before.groups = HEADED(headed_before) ? OF_OP(iws_identity)() : OF_T(iw_get)(&shared->groups_before);
      }
      if (resolving && (ends || last) && warp == 0) {
        SCALAR end = before.tiles;
        uint32_t headed = 0;
        IW_UNROLL for (int t = 0; t < TILES; t++)
          if (done + (unsigned)t < none) {
            end = JOINED(end, HEADED(headed[done_turn][t]), OF_T(iw_get)(&shared->tile_total[done_turn][t]));
            headed |= HEADED(headed[done_turn][t]);
          }
        end = JOINED(before.groups, headed, end);
        OF_T(iw_publish)(args->group_words, (size_t)group, inclusive, end);
        if (last && args->result) OF_T(iw_set)((SCALAR *)args->result, end);
      }
      /* The fold of a group that ends here, before its turn; after all that the others may wait for who publish its tiles. */
      const uint32_t mine = tile + warp;
      if (loading && (int)warp < TILES && mine % GROUP_TILES == GROUP_TILES - 1 && mine + 1 < none) {
        int headed = 0;
        const int heads = HEADED(headed[turn][warp]) != 0, is_first = mine < GROUP_TILES;
        SCALAR fold = OF_TEXT(scan_tiles)(args, mine, partial, &headed);
        fold = JOINED(fold, heads, OF_T(iw_get)(&shared->tile_total[turn][warp]));
        headed |= heads;
        if (is_first) fold = JOINED(OF_TEXT(scan_init)(args), headed, fold);
        OF_T(iw_publish)(args->group_words, (size_t)(mine / GROUP_TILES), headed || is_first ? inclusive : partial, fold);
      }
#if STORES
      if (resolving) {
        IW_UNROLL for (int t = 0; t + 1 < TILES; t++)
          if (t < (int)warp * CHUNK / TILE) {
            before.tiles = JOINED(before.tiles, HEADED(headed[done_turn][t]), OF_T(iw_get)(&shared->tile_total[done_turn][t]));
            if (HEADED(headed[done_turn][t])) before.groups = OF_OP(iws_identity)();
          }
        const uint64_t at = (uint64_t)done * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        const SCALAR *const parked = shared->parked[done_slot] + warp * CHUNK;
        const SCALAR *const starts = shared->rows[done_turn] + warp * CHUNK_ROWS;
        const unsigned of_tile = warp * CHUNK_ROWS % TILE_ROWS; /* the chunk's first row */
        const uint32_t heads = HEADED(headed[done_turn][warp * CHUNK / TILE]);
#define FINISH_PARKED(k, row_valid, exclusive) \
        IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) \
          FINISH_TREE(&before, (heads & (((uint32_t)1 << (of_tile + (k) + r_)) - 1)) != 0, \
                      OF_T(iw_get)(&starts[(k) + r_]), OF_TEXT(row_unpark)(parked + ((k) + r_) * ORDER_ROW), \
                      OF_TEXT(row_heads)(args->heads, at + (uint64_t)((k) + r_) * ORDER_ROW), \
                      at + (uint64_t)((k) + r_) * ORDER_ROW, ROW_VALID(row_valid, r_), exclusive)
        OVER_CHUNK((const SCALAR *)args->out + at, valid, FINISH_PARKED, args->exclusive);
#undef FINISH_PARKED
      }
      if (loading && !SCAN_PARK_EARLY)
        IW_UNROLL_ROWS for (int k = 0; k < (SCAN_PARK_EARLY ? 1 : CHUNK_ROWS); k++)
          OF_TEXT(row_park)(shared->parked[slot] + warp * CHUNK + k * ORDER_ROW, IW_MY(rows)[k]);
#endif
      if (!ASK_EARLY && asking && warp == 0) iw_bring(iw_ask(args->tickets));
    }
    tile = ASK_EARLY || !asking ? coming : iw_brought() * (SCAN_RUN * TILES);
    behind += (unsigned)loading - (unsigned)finishing;
    do { /* at the end, rounds with nothing to do are none */
      IW_UNROLL for (int d = 0; d < SCAN_TRAIL; d++) trail[d] = trail[d + 1];
      trail[SCAN_TRAIL] = none;
      round++;
    } while (tile >= none && behind > 0 && trail[0] >= none);
  }
  iw_close(args->tickets);
}

#undef OVER_CHUNK
#undef OVER_WHOLE
#undef FETCHED
