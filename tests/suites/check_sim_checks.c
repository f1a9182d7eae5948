/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of the simulated GPU below the language: single accesses of warps that do not run. For each
 * rule there is an access that breaks it, and beside it one that does not. The suite reaches into the
 * library.
 */
#define _DEFAULT_SOURCE
#include "assertions.h"
#include "sim/sim.h"
#include <isowarp/sim.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WARPS = 4, LANES = 32, BLOCKS = 4, SHARED_BYTES = 4096, ALL_CHECKS = SIM_CHECK_ALL };
#define ALL 0xffffffffu

static sim_state state;
static sim_launch launch;
static sim_block *block[BLOCKS];
static char arguments[64];
static char tables[64];
static iw_kernel kernel = { .name = "fake", .shared = SHARED_BYTES, .args = sizeof arguments };

static void begin_blocks(void)
{
  launch = (sim_launch){ .state = &state, .kernel = &kernel, .args = arguments, .grid = BLOCKS, .threads = WARPS * LANES,
                         .warp_size = LANES, .number = ++state.launches, .tables = tables, .tables_end = tables + sizeof tables };
  iw_sim_check_launch_begin(&launch);
  for (unsigned b = 0; b < BLOCKS; b++) {
    block[b] = calloc(1, sizeof **block + WARPS * sizeof *block[b]->warp);
    block[b]->launch = &launch;
    block[b]->index = b;
    block[b]->warps = WARPS;
    block[b]->interval = 1;
    block[b]->shared_bytes = SIM_SHARED_AT + SHARED_BYTES;
    block[b]->shared = aligned_alloc(128, (block[b]->shared_bytes + 127) / 128 * 128);
    ck_assert_int_eq(iw_sim_check_block_begin(block[b]), 1);
    for (unsigned w = 0; w < WARPS; w++) {
      block[b]->warp[w].self.owner = b * WARPS + w + 1;
      block[b]->warp[w].self.checks = state.checks;
      block[b]->warp[w].self.in_phase = 1;
      block[b]->warp[w].block = block[b];
      block[b]->warp[w].index = w;
    }
  }
}

static void end_blocks(void)
{
  for (unsigned b = 0; b < BLOCKS; b++) {
    iw_sim_check_block_end(block[b]);
    free(block[b]->shared);
    free(block[b]);
  }
  iw_sim_check_launch_end(&launch);
}

static void next_launch(void)
{
  end_blocks();
  begin_blocks();
}

static void barrier(unsigned b)
{
  block[b]->interval++;
  iw_sim_check_barrier(block[b]);
}

static void setup(void)
{
  memset(&state, 0, sizeof state);
  state.checks = ALL_CHECKS;
  state.seed = 17;
  strcpy(state.replay, "ISOWARP_SIM_SEED=17");
  ck_assert_int_eq(iw_sim_findings_open(&state), IW_OK);
  begin_blocks();
}

static void teardown(void)
{
  iw_sim_self = NULL;
  end_blocks();
  iw_sim_findings_close(&state);
  iw_sim_memory_release_all(&state);
}

/* ---- Accesses ---------------------------------------------------------------------------------------- */

static sim_warp *warp_of(unsigned b, unsigned w)
{
  iw_sim_self = &block[b]->warp[w].self;
  return &block[b]->warp[w];
}

static void *shared_at(unsigned b, size_t offset)
{
  return block[b]->shared + SIM_SHARED_AT + offset;
}

static void *device(size_t bytes)
{
  void *memory;
  ck_assert_int_eq(iw_sim_memory_allocate(&state, bytes, SIM_USER, &memory), IW_OK);
  return memory;
}

static void *zeroed(size_t bytes)
{
  void *const memory = device(bytes);
  memset(memory, 0, bytes);
  iw_sim_memory_define(&state, memory, bytes);
  return memory;
}

static uint64_t undefined_lanes;

static uint64_t perform(unsigned b, unsigned w, iw_sim_access a)
{
  warp_of(b, w);
  return iw_sim_access_memory(&a, &undefined_lanes);
}

/* A site of its own for each use. */
#define SITE(op) __extension__({ static iw_site site_ = { __FILE__, op, "shared->bins + 1, x, some", __LINE__, 0 }; &site_; })
#define BASIC(op, kind_, p, size_, lanes_) \
  .site = SITE(op), .extent = SIZE_MAX, .base = p, .stride = 1, .size = size_, .kind = kind_, .lanes = lanes_
#define LOAD(b, w, p, size, lanes) perform(b, w, (iw_sim_access){ BASIC("iw_load_u32", IW_SIM_LOAD, p, size, lanes) })
#define STORE(b, w, p, size, lanes) perform(b, w, (iw_sim_access){ BASIC("iw_store_u32", IW_SIM_STORE, p, size, lanes) })
#define ROW_STORE(b, w, p, size, lanes) \
  perform(b, w, (iw_sim_access){ BASIC("iw_row_store_u32", IW_SIM_STORE | IW_SIM_NO_SYNC, p, size, lanes) })
#define ATOMIC(b, w, p, size, lanes) \
  perform(b, w, (iw_sim_access){ BASIC("iw_shared_add_u32", IW_SIM_ATOMIC, p, size, lanes) })
/* Lane l at p[index[l]]. */
#define STORE_AT(b, w, p, index, values_, lanes) \
  perform(b, w, (iw_sim_access){ BASIC("iw_scatter_u32", IW_SIM_STORE, p, 4, lanes), .index_32 = index, .values = values_ })
#define LOAD_AT(b, w, p, index, lanes) \
  perform(b, w, (iw_sim_access){ BASIC("iw_gather_u32", IW_SIM_LOAD, p, 4, lanes), .index_32 = index })
#define ATOMIC_AT(b, w, p, index, lanes) \
  perform(b, w, (iw_sim_access){ BASIC("iw_shared_add_u32", IW_SIM_ATOMIC, p, 4, lanes), .index_32 = index })
/* One lane at p. */
#define LANE(l) ((uint64_t)1 << (l))
#define LANE_AT(macro, b, w, p, size, l) macro(b, w, (char *)(p) - (size_t)(l) * (size), size, LANE(l))

/* ---- Findings ---------------------------------------------------------------------------------------- */

static void expect_nothing(int line)
{
  const iw_status status = iw_sim_findings_status(&state);
  ck_assert_msg(status == IW_OK, "line %d: a false alarm: %s", line, iw_message());
}
#define NOTHING expect_nothing(__LINE__)

static void expect(const char *kind, const char *part, int line)
{
  const iw_status status = iw_sim_findings_status(&state);
  ck_assert_msg(status == IW_ERROR_FINDING, "line %d: status %s, not a finding of %s", line, iw_status_name(status), kind);
  ck_assert_msg(strncmp(iw_message(), kind, strlen(kind)) == 0, "line %d: not of %s: %s", line, kind, iw_message());
  ck_assert_msg(strstr(iw_message(), part) != NULL, "line %d: without \"%s\": %s", line, part, iw_message());
}
#define FINDS(kind, part) expect(kind, part, __LINE__)

/* ---- Bounds ------------------------------------------------------------------------------------------ */

START_TEST(bounds)
{
  uint32_t *const p = zeroed(40 * 4);
  static uint32_t host[64];
  ck_assert_uint_eq(LOAD(0, 0, p, 4, ALL), ALL);
  ck_assert_uint_eq(LOAD(0, 0, p + 8, 4, ALL), ALL);
  NOTHING;
  ck_assert_uint_eq(LOAD(0, 0, p + 10, 4, ALL), ALL >> 2);
  FINDS("bounds", "lane 30 reads (shared->bins + 1)[30] (4 bytes at offset 120): 0 bytes behind the end of an allocation of 160");
  ck_assert_uint_eq(STORE(0, 0, p + 39, 4, ALL), 1);
  FINDS("bounds", "behind the end");
  ck_assert_uint_eq(LOAD(0, 0, p + 39, 4, 1), 1); /* inactive lanes */
  NOTHING;
  ck_assert_uint_eq(LOAD(0, 0, p - 1, 4, 3), 2);
  FINDS("bounds", "4 bytes in front of an allocation");
  ck_assert_uint_eq(LOAD(0, 0, (char *)p + 2, 4, 1), 0);
  FINDS("bounds", "not a multiple of 4");
  ck_assert_uint_eq(LOAD(0, 0, (char *)p + 2, 2, ALL), ALL);
  ck_assert_uint_eq(LOAD(0, 0, p + 4, 16, 0xff), 0xff);
  NOTHING;
  ck_assert_uint_eq(LOAD(0, 0, p + 5, 16, 1), 0);
  FINDS("bounds", "not a multiple of 16");
  ck_assert_uint_eq(LOAD(0, 0, p + 36, 16, 3), 1);
  FINDS("bounds", "behind the end");
  ck_assert_uint_eq(LOAD(0, 0, host, 4, ALL), 0);
  FINDS("bounds", "host memory: a kernel on a GPU cannot access it");
  ck_assert_uint_eq(LOAD(0, 0, NULL, 4, 1), 0);
  FINDS("bounds", "a null pointer");
}
END_TEST

START_TEST(bounds_of_shared_memory)
{
  STORE(0, 0, shared_at(0, 0), 4, ALL);
  STORE(0, 0, shared_at(0, SHARED_BYTES - 128), 4, ALL);
  STORE(0, 0, block[0]->shared, 8, 7); /* the block's own words */
  NOTHING;
  ck_assert_uint_eq(STORE(0, 0, shared_at(0, SHARED_BYTES - 4), 4, 3), 1);
  FINDS("bounds", "0 bytes behind the end of the kernel's 4096 bytes of shared memory");
  ck_assert_uint_eq(LOAD(0, 0, shared_at(1, 0), 4, 1), 0);
  FINDS("bounds", "the shared memory of block 1");
  iw_sim_access a = { BASIC("iw_store_u32", IW_SIM_STORE, shared_at(0, 256), 4, ALL) };
  a.extent = 128;
  ck_assert_uint_eq(perform(0, 0, a), ALL);
  NOTHING;
  a.extent = 124;
  ck_assert_uint_eq(perform(0, 0, a), ALL >> 1);
  FINDS("bounds", "past the end of the array or member, of which 124 bytes begin here");
}
END_TEST

START_TEST(arguments_and_tables)
{
  ck_assert_uint_eq(LOAD(0, 0, arguments, 4, 0xff), 0xff);
  ck_assert_uint_eq(LOAD(0, 0, tables, 4, 0xffff), 0xffff);
  ck_assert_uint_eq(undefined_lanes, 0);
  NOTHING;
  ck_assert_uint_eq(STORE(0, 0, arguments, 4, 1), 0);
  FINDS("bounds", "the kernel's arguments of 64 bytes, which a kernel may only read");
  ck_assert_uint_eq(ATOMIC(0, 0, tables, 4, 1), 0);
  FINDS("bounds", "which a kernel may only read");
}
END_TEST

START_TEST(gather_over_two_allocations)
{
  uint32_t *const p = zeroed(64), *const q = zeroed(64);
  uint64_t index[LANES] = { 0, (uint64_t)(q - p), 0, 1000000 };
  iw_sim_access a = { BASIC("iw_gather_far_u32", IW_SIM_LOAD, p, 4, 5) };
  a.index_64 = index;
  ck_assert_uint_eq(perform(0, 0, a), 5);
  NOTHING;
  a.lanes = 7;
  ck_assert_uint_eq(perform(0, 0, a), 5);
  FINDS("bounds", "one into another allocation");
  iw_sim_access far = { BASIC("iw_gather_far_u32", IW_SIM_LOAD, p, 4, 13) };
  far.index_64 = index;
  ck_assert_uint_eq(perform(0, 0, far), 5);
  FINDS("bounds", "lane 3");
}
END_TEST

/* Arrays that share an allocation, as those of a call's scratch. */
START_TEST(arrays_of_an_allocation)
{
  enum { GAP = 64 };
  char *const p = zeroed(4096);
  const iw_layout layout = { .used = 1024, .gap = GAP, .count = 2, .array = { { "counts", 0, 256 }, { "bin indices", 512, 100 } } };
  iw_sim_memory_lay_out(&state, p, &layout, 1);
  ck_assert_uint_eq(LOAD(0, 0, p + 128, 4, ALL), ALL);
  ck_assert_uint_eq(undefined_lanes, 0); /* contents stay */
  ck_assert_uint_eq(STORE(0, 0, p + 512, 4, ALL), ALL >> 7);
  FINDS("bounds", "0 bytes behind the end of the array \"bin indices\" of 100 bytes");
  ck_assert_uint_eq(LOAD(0, 0, p + 132, 4, ALL), ALL >> 1);
  FINDS("bounds", "0 bytes behind the end of the array \"counts\" of 256 bytes");
  uint32_t index[LANES] = { 0, 512 / 4, 511 / 4 };
  ck_assert_uint_eq(LOAD_AT(0, 0, p, index, 1), 1);
  NOTHING;
  ck_assert_uint_eq(LOAD_AT(0, 0, p, index, 3), 1);
  FINDS("bounds", "byte 0 of the array \"bin indices\" of 100 bytes; the pointer is one into another array, \"counts\"");
  ck_assert_uint_eq(LOAD_AT(0, 0, p, index, 5), 1);
  FINDS("bounds", "252 bytes behind the end of the array \"counts\"");
  ck_assert_uint_eq(LOAD(0, 0, p + 2048, 4, 1), 0); /* in no array of the layout */
  FINDS("bounds", "behind the end of the array \"bin indices\"");

  /* The next call's layout replaces the first; what it holds is undefined. */
  const iw_layout next = { .used = 512, .gap = GAP, .count = 1, .array = { { "flag bits", 0, 300 } } };
  iw_sim_memory_lay_out(&state, p, &next, 0);
  ck_assert_uint_eq(LOAD(0, 0, p + 256, 4, 1), 1);
  ck_assert_uint_eq(undefined_lanes, 1);
  ck_assert_uint_eq(LOAD(0, 0, p + 512, 4, 1), 0);
  FINDS("bounds", "behind the end of the array \"flag bits\" of 300 bytes");

  /* A part of it gets a layout of its own, and again another one; the rest stays. */
  const iw_layout outer = { .used = 2048, .count = 2, .array = { { "counts", 0, 256 }, { "memory", 512, 1024 } } };
  const iw_layout inner = { .used = 512, .count = 2, .array = { { "first", 0, 64 }, { "second", 128, 64 } } };
  iw_sim_memory_lay_out(&state, p, &outer, 0);
  for (unsigned k = 0; k < 3; k++) {
    iw_sim_memory_lay_out(&state, p + 512, &inner, 0);
    ck_assert_uint_eq(STORE(0, 0, p, 4, ALL), ALL);
    ck_assert_uint_eq(STORE(0, 0, p + 512 + 128, 4, 0xffff), 0xffff);
    NOTHING;
    ck_assert_uint_eq(LOAD(0, 0, p + 512 + 64, 4, 1), 0);
    FINDS("bounds", "0 bytes behind the end of the array \"first\" of 64 bytes");
  }
}
END_TEST

/* Large arrays: the shadow of whole pages is given back. */
START_TEST(large_arrays_begin_undefined)
{
  enum { BYTES = 1 << 20 };
  char *const p = zeroed(2 * BYTES);
  const iw_layout layout = { .used = BYTES + 512, .count = 1, .array = { { "large", 0, BYTES + 100 } } };
  LOAD(0, 0, p + 4, 4, ALL);
  iw_sim_memory_lay_out(&state, p, &layout, 0);
  const size_t places[] = { 0, 4, 4096, BYTES / 2, BYTES - 128, BYTES - 28 };
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    ck_assert_uint_eq(LOAD(0, 0, p + places[i], 4, ALL), ALL);
    ck_assert_uint_eq(undefined_lanes, ALL);
  }
  NOTHING;
  next_launch(); /* what is behind the layout is as it was */
  const iw_layout all = { .used = 2 * BYTES, .count = 1, .array = { { "all", 0, 2 * BYTES } } };
  iw_sim_memory_lay_out(&state, p, &all, 1);
  LOAD(0, 0, p + BYTES + 512, 4, ALL);
  ck_assert_uint_eq(undefined_lanes, 0);
  NOTHING;
}
END_TEST

/* ---- Undefined --------------------------------------------------------------------------------------- */

START_TEST(undefined)
{
  uint32_t *const p = device(256), *const q = device(256);
  LOAD(0, 0, p, 4, 7);
  ck_assert_uint_eq(undefined_lanes, 7);
  iw_sim_access a = { BASIC("iw_store_u32", IW_SIM_STORE, q, 4, 15) };
  a.values_undefined = 2;
  perform(0, 0, a); /* a copy */
  LOAD(0, 0, q, 4, 0x1f);
  ck_assert_uint_eq(undefined_lanes, 0x12);
  NOTHING;
  a.undefined = 4;
  perform(0, 0, a);
  FINDS("undefined", "lane 2: a predicate or an index is undefined");
  iw_sim_memory_read_by_host(&state, q, 4, "a copy to the host");
  NOTHING;
  iw_sim_memory_read_by_host(&state, q, 8, "a copy to the host");
  FINDS("undefined", "a copy to the host: reads 4 undefined bytes, the first at byte 4 of an allocation of 256 bytes; a kernel wrote "
        "it at check_sim_checks.c");
  iw_sim_memory_read_by_host(&state, p, 256, "a copy to the host");
  FINDS("undefined", "which nothing has written");
  iw_sim_memory_copy(&state, p + 1, q, 8);
  LOAD(0, 0, p, 4, 7);
  ck_assert_uint_eq(undefined_lanes, 5);
  iw_sim_memory_define(&state, p, 9);
  LOAD(0, 0, p, 1, 0x7ff);
  ck_assert_uint_eq(undefined_lanes, 0x600);
  iw_sim_memory_undefine(&state, (char *)p + 1, 2);
  LOAD(0, 0, p, 1, 0xf);
  ck_assert_uint_eq(undefined_lanes, 6);
  NOTHING;
}
END_TEST

START_TEST(undefined_elements)
{
  char *const p = device(512);
  uint64_t elements[8] = { 0, 0, 4 };
  iw_sim_access a = { BASIC("iw_row_store_u16", IW_SIM_STORE | IW_SIM_NO_SYNC, p, 16, ALL) };
  a.element_undefined = elements;
  a.element_size = 2;
  a.values_undefined = 4;
  perform(0, 0, a);
  memset(elements, 0, sizeof elements);
  a.kind = IW_SIM_LOAD;
  perform(0, 0, a);
  ck_assert_uint_eq(undefined_lanes, 4);
  for (unsigned v = 0; v < 8; v++)
    ck_assert_uint_eq(elements[v], v == 2 ? 4 : 0);
  barrier(0);
  LOAD(0, 0, p + 2 * 16, 2, 0xff);
  ck_assert_uint_eq(undefined_lanes, 4);
  NOTHING;
}
END_TEST

START_TEST(undefined_atomics)
{
  uint32_t *const bins = shared_at(0, 0);
  ATOMIC(0, 0, bins, 4, 3);
  ck_assert_uint_eq(undefined_lanes, 3);
  LOAD(0, 0, bins, 4, 3);
  ck_assert_uint_eq(undefined_lanes, 3);
  STORE(0, 0, bins, 4, 3);
  barrier(0);
  ATOMIC(0, 0, bins, 4, 3);
  ck_assert_uint_eq(undefined_lanes, 0);
  NOTHING;
  perform(0, 0, (iw_sim_access){ BASIC("iw_fetch_add_relaxed_", IW_SIM_ATOMIC | IW_SIM_SLOT, device(16), 4, 1) });
  FINDS("undefined", "the word of tickets or of a counter");
}
END_TEST

START_TEST(uses)
{
  warp_of(0, 1);
  iw_sim_use(SITE("iw_ballot"), 0, block[0]->warp[1].self.owner, "the vote");
  iw_sim_use(SITE("iw_ballot"), 0, UINT32_MAX, "the vote");
  NOTHING;
  iw_sim_use(SITE("iw_ballot"), 8, 0, "the vote");
  FINDS("undefined", "block 0 warp 1 lane 3: the vote is undefined");
  iw_sim_use(SITE("iw_ballot"), 0, block[0]->warp[2].self.owner, "the vote");
  FINDS("ownership", "of warp 2");
  iw_sim_absent_lane(SITE("iw_shuffle_u32"), 32);
  FINDS("divergence", "32");
}
END_TEST

/* ---- Races in a block -------------------------------------------------------------------------------- */

static void races_at(void *at)
{
  uint32_t *const p = at;
  STORE(0, 0, p, 4, ALL);
  LOAD(0, 0, p, 4, ALL);                   /* the same warp */
  LOAD(0, 0, p + 1, 4, ALL >> 1);
  barrier(0);
  LOAD(0, 1, p, 4, ALL);                   /* after a barrier */
  LOAD(0, 2, p, 4, ALL);
  LOAD(0, 1, p, 4, ALL);
  barrier(0);
  STORE(0, 3, p, 4, ALL);
  NOTHING;
  LOAD(0, 1, p, 4, LANE(7));
  FINDS("race", "block 0 warp 1 lane 7 reads (shared->bins + 1)[7] (4 bytes at offset 28); block 0 warp 3 lane 7 wrote it at "
        "check_sim_checks.c");
  barrier(0);
  STORE(0, 1, p, 4, ALL);
  STORE(0, 2, p + 31, 4, 1);
  FINDS("race", "in the same interval (the 4th of block 0); no barrier in between. Replay: ISOWARP_SIM_SEED=17");
  barrier(0);
  LOAD(0, 1, p, 4, ALL);
  LOAD(0, 2, p, 4, ALL);
  LOAD(0, 3, p, 4, ALL);
  STORE(0, 1, p, 4, 1);                    /* the writer is among the readers */
  FINDS("race", "read it");
  barrier(0);
  LOAD(0, 2, p, 4, ALL);
  LOAD(0, 1, p, 4, ALL);
  STORE(0, 1, p, 4, 1);
  FINDS("race", "read it");
  barrier(0);
  ATOMIC(0, 1, p, 4, ALL);
  ATOMIC(0, 2, p, 4, ALL);
  ATOMIC(0, 1, p, 8, LANE(8));
  FINDS("race", "an atomic");
  barrier(0);
  ATOMIC(0, 1, p, 4, ALL);
  ATOMIC(0, 2, p, 4, ALL);
  NOTHING;
  LOAD(0, 2, p, 4, 1);                     /* the latest atomic is its own */
  FINDS("race", "by an atomic");
  LOAD(0, 3, p, 4, 1);
  FINDS("race", "changed it by an atomic");
  barrier(0);
  STORE(0, 0, p, 1, 1);                    /* neighbours in a word */
  STORE(0, 1, (char *)p + 1, 1, 1);
  STORE(0, 2, (char *)p + 2, 2, 1);
  LOAD(0, 1, (char *)p + 1, 1, 1);
  NOTHING;
  LOAD(0, 2, (char *)p + 1, 1, 1);
  FINDS("race", "warp 1 lane 0 wrote it");
  LOAD(0, 3, p, 4, 1);
  FINDS("race", "wrote it");
  barrier(0);
  LOAD(0, 0, p, 1, 1);
  LOAD(0, 1, (char *)p + 1, 1, 1);
  STORE(0, 1, (char *)p + 1, 1, 1);
  NOTHING;
  STORE(0, 1, p, 1, 1);
  FINDS("race", "warp 0 lane 0 read it");
}

START_TEST(race_in_shared_memory)
{
  races_at(shared_at(0, 64));
}
END_TEST
START_TEST(race_in_global_memory)
{
  races_at(zeroed(1024));
}
END_TEST

START_TEST(race_in_a_warp)
{
  uint32_t *const p = shared_at(0, 0);
  uint32_t index[LANES], values[LANES];
  for (uint32_t l = 0; l < LANES; l++)
    index[l] = values[l] = l;
  STORE_AT(0, 0, p, index, values, ALL);
  index[9] = 4;
  STORE_AT(0, 0, p, index, NULL, ALL);
  values[9] = values[4];
  STORE_AT(0, 0, p, index, values, ALL);
  NOTHING;
  values[9]++;
  STORE_AT(0, 0, p, index, values, ALL & ~LANE(9));
  NOTHING;
  for (unsigned i = 0; i < 2; i++) {      /* a note, then an error at the same line */
    values[9] = values[4] + i;
    STORE_AT(0, 0, p, index, values, ALL);
    if (i == 0)
      NOTHING;
  }
  FINDS("race", "lanes 4 and 9");
  STORE_AT(0, 0, p, index, values, ALL);
  FINDS("race", "lanes 4 and 9 of one store write different values to (shared->bins + 1)[4]");
}
END_TEST

START_TEST(atomics_do_not_synchronize_the_warp)
{
  uint32_t *const p = shared_at(0, 0), same[LANES] = { 0 };
  STORE(0, 0, p, 4, ALL);
  barrier(0);
  ATOMIC(0, 0, p, 4, ALL);
  LOAD(0, 0, p, 4, ALL);                  /* each lane its own */
  barrier(0);
  LOAD_AT(0, 0, p, same, ALL);
  STORE(0, 0, p, 4, ALL);
  LOAD_AT(0, 0, p, same, ALL);            /* a store does */
  NOTHING;
  barrier(0);
  ATOMIC(0, 0, p, 4, LANE(3));
  LANE_AT(LOAD, 0, 0, p + 3, 4, 5);
  FINDS("race", "block 0 warp 0 lane 5 reads");
  barrier(0);
  LANE_AT(LOAD, 0, 0, p + 3, 4, 5);
  ATOMIC(0, 0, p, 4, LANE(3));
  FINDS("race", "an atomic does not synchronise the warp");
  barrier(0);
  ATOMIC_AT(0, 0, p, same, 6);
  LANE_AT(LOAD, 0, 0, p, 4, 2);           /* the last one, but not the only one */
  FINDS("race", "other lanes changed it by an atomic");
}
END_TEST

START_TEST(rows_do_not_synchronize_the_warp)
{
  char *const p = shared_at(0, 0), *const q = shared_at(0, 1024);
  ROW_STORE(0, 0, p, 16, ALL);
  LOAD(0, 0, p, 16, ALL);                 /* the row that was stored */
  STORE(0, 0, q, 4, ALL);                 /* the warp meets */
  LOAD(0, 0, p, 4, ALL);
  NOTHING;
  ROW_STORE(0, 0, p, 16, ALL);
  LOAD(0, 0, p, 4, ALL);
  FINDS("race", "as part of a row");
  barrier(0);
  ROW_STORE(0, 0, p, 16, ALL);
  barrier(0);
  LOAD(0, 0, p, 4, ALL);
  NOTHING;
}
END_TEST

/* ---- Races between blocks ---------------------------------------------------------------------------- */

START_TEST(race_between_blocks)
{
  uint32_t *const p = zeroed(1024);
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned w = 0; w < WARPS; w++) {
      LOAD(b, w, p, 4, ALL);
      STORE(b, w, p + 64 + b * 32 + w * 8, 4, 0xff);
      ATOMIC(b, w, p + 32, 4, ALL);
    }
  NOTHING;
  LOAD(1, 0, p + 64, 4, 1);
  FINDS("race", "block 1 warp 0 lane 0 reads (shared->bins + 1)[0] (4 bytes at offset 0); block 0 warp 0 lane 0 wrote it at");
  STORE(3, 3, p, 4, 1);                   /* the last reader is the writer */
  FINDS("race", "nothing orders the two blocks");
  LOAD(2, 0, p + 32, 4, 1);
  FINDS("race", "by an atomic");
  barrier(0);
  STORE(0, 0, p + 64 + 32, 4, 1);         /* barriers of a block order nothing of others */
  FINDS("race", "block 1");
  next_launch();
  STORE(2, 1, p, 4, ALL);
  STORE(1, 1, p + 64, 4, ALL);
  NOTHING;
}
END_TEST

START_TEST(neighbours_of_blocks)
{
  uint8_t *const p = zeroed(1024);
  STORE(0, 0, p, 1, 1);
  barrier(0);
  STORE(0, 0, p + 1, 1, 1);
  STORE(1, 0, p + 2, 2, 1);
  LOAD(0, 1, p, 1, 1);
  NOTHING;
  LOAD(1, 0, p, 1, 1);                    /* of an interval that has ended */
  FINDS("race", "block 0 warp 0 lane 0 wrote it");
}
END_TEST

/* Block b publishes by warp w, and another block polls. */
static const iw_site publish_site = { "k.c", "iw_publish_release_u32", "args->slots, tile", 7, 0 };
static uint64_t publish_at(const iw_site *site, unsigned b, unsigned w, uint64_t *slot, uint32_t flag, uint64_t value, int release)
{
  const uint64_t word = (uint64_t)flag << 32 | value;
  sim_warp *const warp = warp_of(b, w);
  const uint64_t lanes = iw_sim_check_slots(warp, site, IW_SIM_STORE, slot, 0, 1, 1, &word);
  if (lanes && release)
    iw_sim_check_release(warp, slot);
  if (lanes)
    *slot = word;
  return lanes;
}
static void poll(unsigned b, unsigned w, uint64_t *slot, int acquire)
{
  sim_warp *const warp = warp_of(b, w);
  iw_sim_check_slots(warp, SITE("iw_poll_u32"), IW_SIM_LOAD, slot, 0, 1, 1, NULL);
  if (acquire && *slot >> 32)
    iw_sim_check_acquire(warp, slot);
}
static iw_site sites_of_publish[4];
static void publish(unsigned b, unsigned w, uint64_t *slot, uint32_t flag, int release)
{
  sites_of_publish[0] = publish_site;
  publish_at(&sites_of_publish[0], b, w, slot, flag, 0, release);
}

START_TEST(release_and_acquire)
{
  uint32_t *const p = zeroed(4096);
  uint64_t *const slots = zeroed(64);
  STORE(0, 1, p, 4, ALL);
  barrier(0);
  STORE(0, 0, p + 32, 4, ALL);
  STORE(0, 1, p + 64, 4, ALL);
  publish(0, 0, slots, 4, 1);
  STORE(0, 0, p + 96, 4, ALL);
  poll(1, 0, slots, 1);
  LOAD(1, 0, p, 4, ALL);                  /* of an interval that had ended */
  LOAD(1, 0, p + 32, 4, ALL);             /* of the publishing warp, before */
  NOTHING;
  LOAD(1, 0, p + 64, 4, ALL);             /* of another warp, in the same interval */
  FINDS("race", "block 0 warp 1 lane 0 wrote it");
  LOAD(1, 0, p + 96, 4, ALL);             /* after it */
  FINDS("race", "block 0 warp 0 lane 0 wrote it");
  LOAD(1, 1, p, 4, 1);                    /* another warp, before the end of its phase */
  FINDS("race", "wrote it");
  barrier(1);
  LOAD(1, 1, p, 4, ALL);
  NOTHING;
  publish(1, 2, slots + 1, 4, 1);         /* cumulative */
  poll(2, 3, slots + 1, 1);
  LOAD(2, 3, p, 4, ALL);
  LOAD(2, 3, p + 32, 4, ALL);
  STORE(2, 3, p + 32, 4, ALL);            /* block 1 has read it in an interval that had ended */
  NOTHING;
  publish(2, 3, slots + 2, 4, 1);         /* also what was acquired in the same interval */
  poll(3, 0, slots + 2, 1);
  LOAD(3, 0, p, 4, ALL);
  NOTHING;
}
END_TEST

/* A policy may hold back a publish: a poll then gets the one before. */
START_TEST(publish_that_is_held_back)
{
  uint32_t *const p = zeroed(4096);
  uint64_t *const slots = zeroed(64);
  STORE(0, 0, p, 4, ALL);
  publish(0, 0, slots, 4, 1);
  const uint64_t visible = slots[0];
  STORE(0, 0, p + 32, 4, ALL);
  publish(0, 0, slots, 5, 1);
  slots[0] = visible;
  poll(1, 0, slots, 1);
  LOAD(1, 0, p, 4, ALL);
  NOTHING;
  LOAD(1, 0, p + 32, 4, 1);
  FINDS("race", "no acquire of a release in between");
}
END_TEST

START_TEST(relaxed_orders_nothing)
{
  uint32_t *const p = zeroed(4096);
  uint64_t *const slots = zeroed(64);
  STORE(0, 0, p, 4, ALL);
  barrier(0);
  publish(0, 0, slots, 4, 0);
  poll(1, 0, slots, 1);
  LOAD(1, 0, p, 4, 1);
  FINDS("race", "no acquire of a release in between");
  STORE(0, 0, p + 32, 4, ALL);
  publish(0, 0, slots + 1, 4, 1);
  poll(1, 0, slots + 1, 0);
  LOAD(1, 0, p + 32, 4, 1);
  FINDS("race", "no acquire of a release in between");
  STORE(0, 0, p + 64, 4, ALL);
  publish(0, 0, slots + 1, 5, 0);         /* the flag that is got was not released */
  poll(1, 0, slots + 1, 1);
  LOAD(1, 0, p + 64, 4, 1);
  FINDS("race", "no acquire of a release in between");
}
END_TEST

START_TEST(last_block)
{
  uint32_t *const p = zeroed(4096), *const counter = p + 1000;
  for (unsigned b = 0; b < BLOCKS; b++) {
    STORE(b, 1, p + 32 * b, 4, ALL);
    LOAD(b, 0, p + 500, 4, ALL);
    barrier(b);
    perform(b, 0, (iw_sim_access){ BASIC("iw_is_last_block", IW_SIM_ATOMIC | IW_SIM_SLOT, counter, 4, 1) });
    iw_sim_check_release(warp_of(b, 0), counter);
    if (b == BLOCKS - 1)
      iw_sim_check_acquire(warp_of(b, 0), counter);
    barrier(b);
  }
  for (unsigned b = 0; b < BLOCKS; b++)
    LOAD(BLOCKS - 1, 2, p + 32 * b, 4, ALL);
  barrier(BLOCKS - 1);
  STORE(BLOCKS - 1, 3, p + 500, 4, ALL);  /* all have read it */
  NOTHING;
  LOAD(1, 2, p, 4, ALL);                  /* another block learns nothing */
  FINDS("race", "wrote it");
}
END_TEST

/* ---- Slots ------------------------------------------------------------------------------------------- */

START_TEST(slots)
{
  uint64_t *const s = zeroed(256);
  static iw_site site[12];
  for (unsigned i = 0; i < 12; i++)
    site[i] = (iw_site){ "k.c", "iw_publish_u32", "args->slots, tile", (int)i + 1, 0 };
  publish_at(&site[0], 0, 0, s, 4, 9, 0);  /* aggregate, then inclusive, by the owner */
  poll(1, 0, s, 0);
  publish_at(&site[0], 0, 0, s, 5, 9, 0);
  publish_at(&site[0], 0, 0, s, 5, 9, 0);  /* again, but equal */
  for (unsigned b = 0; b < BLOCKS; b++)
    poll(b, 1, s, 0);
  NOTHING;
  publish_at(&site[1], 0, 0, s, 5, 8, 0);
  FINDS("slots", "with another value");
  publish_at(&site[2], 0, 0, s, 4, 9, 0);
  FINDS("slots", "flags ascend");
  publish_at(&site[3], 1, 0, s, 6, 9, 0);
  FINDS("slots", "a slot has one publisher");
  publish_at(&site[4], 1, 0, s + 1, 0, 9, 0);
  FINDS("slots", "0 is the flag of a slot that was not published");
  LOAD(0, 0, s, 4, 1);
  FINDS("slots", "which was published or polled at");
  poll(0, 0, s + 2, 0);
  STORE(0, 0, s + 2, 8, 1);
  FINDS("slots", "which was published or polled at");
  STORE(0, 0, s + 3, 8, 1);
  publish_at(&site[5], 0, 0, s + 3, 4, 1, 0);
  FINDS("slots", "which was accessed otherwise at");
  next_launch();
  publish_at(&site[6], 2, 0, s, 4, 9, 0);  /* another launch, another publisher */
  LOAD(0, 0, s + 2, 8, 1);
  NOTHING;
  ck_assert_uint_eq(publish_at(&site[7], 2, 0, s + 32, 4, 9, 0), 0);
  FINDS("bounds", "behind the end");
}
END_TEST

/* ---- Findings ---------------------------------------------------------------------------------------- */

static unsigned reports;
static void count_report(void *user, const iw_sim_finding *f)
{
  ck_assert_ptr_eq(user, &reports);
  ck_assert_uint_eq(f->size, sizeof *f);
  ck_assert_uint_eq(f->seed, 17);
  ck_assert_str_eq(f->check_name, "bounds");
  ck_assert_int_eq(f->check, IW_SIM_CHECK_BOUNDS);
  ck_assert_uint_eq(f->count, 3);
  ck_assert_ptr_nonnull(strstr(f->file, "check_sim_checks.c"));
  reports++;
}

START_TEST(one_message_a_line)
{
  const iw_backend_ops ops = { .name = "sim" }, cpu = { .name = "cpu" };
  iw_context context = { .ops = &cpu, .state = &state };
  ck_assert_int_eq(iw_sim_set_report(&context, count_report, &reports), IW_ERROR_INVALID);
  ck_assert_int_eq(iw_sim_set_report(NULL, count_report, &reports), IW_ERROR_INVALID);
  context.ops = &ops;
  ck_assert_int_eq(iw_sim_set_report(&context, count_report, &reports), IW_OK);
  uint32_t *const p = zeroed(128);
  for (unsigned i = 0; i < 3; i++)
    LOAD(0, 0, p + 31, 4, 3);
  reports = 0;
  FINDS("bounds", "check_sim_checks.c");
  ck_assert_uint_eq(reports, 1);
  NOTHING;
  ck_assert_uint_eq(reports, 1);
  ck_assert_int_eq(iw_sim_set_report(&context, NULL, NULL), IW_OK);
}
END_TEST

START_TEST(names_of_files)
{
  ck_assert_str_eq(iw_sim_short_name("/x/src/algorithms/a.h"), "algorithms/a.h");
  ck_assert_str_eq(iw_sim_short_name("../src/include/isowarp/k.h"), "isowarp/k.h");
  ck_assert_str_eq(iw_sim_short_name("/home/me/kernel.c"), "kernel.c");
}
END_TEST

static char *written(const char *name)
{
  char *const content = calloc(1, 1 << 16);
  FILE *const file = fopen(name, "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_gt(fread(content, 1, (1 << 16) - 1, file), 0);
  fclose(file);
  unlink(name);
  return content;
}

START_TEST(reports_in_files)
{
  static iw_site quoted = { "a \"dir\"/k.c", "iw_load_u32", "p[\"\\\"]", 3, 0 };
  char name[] = "sim_report.sarif";
  setenv("ISOWARP_SIM_REPORT", name, 1);
  warp_of(0, 0);
  iw_sim_found(&state, SIM_RACE, &quoted, &quoted, "tab \t quote \" backslash \\");
  ck_assert_int_eq(iw_sim_findings_status(&state), IW_ERROR_FINDING);
  iw_sim_findings_close(&state);
  char *const text = written(name);
  ck_assert_ptr_nonnull(strstr(text, "\"version\": \"2.1.0\""));
  ck_assert_ptr_nonnull(strstr(text, "tab \\u0009 quote \\\" backslash \\\\"));
  ck_assert_ptr_nonnull(strstr(text, "a%20%22dir%22/k.c"));
  ck_assert_ptr_nonnull(strstr(text, "relatedLocations"));
  free(text);
  unsetenv("ISOWARP_SIM_REPORT");
  ck_assert_int_eq(iw_sim_findings_open(&state), IW_OK);
}
END_TEST

START_TEST(red_zones)
{
  char *const p = device(100), *const q = device(100);
  iw_sim_memory_release(&state, q);
  NOTHING;
  ck_assert_uint_eq((uintptr_t)p % 256, 0);
  p[103] = 0;
  ck_assert_ptr_nonnull(iw_sim_memory_find(&state, p + 103));
  iw_sim_memory_release(&state, p);
  FINDS("bounds", "the host wrote 3 bytes behind an allocation of 100 bytes");
}
END_TEST

START_TEST(many_allocations)
{
  enum { N = 300 };
  char *p[N];
  for (unsigned i = 0; i < N; i++)
    p[i] = device(i);
  for (unsigned i = 0; i < N; i++) {
    ck_assert_ptr_eq(iw_sim_memory_find(&state, p[i])->base, p[i]);
    ck_assert_ptr_eq(iw_sim_memory_find(&state, p[i] + i + 255)->base, p[i]);
  }
  for (unsigned i = 0; i < N; i += 2)
    iw_sim_memory_release(&state, p[i]);
  for (unsigned i = 1; i < N; i += 2)
    ck_assert_ptr_eq(iw_sim_memory_find(&state, p[i] + i / 2)->base, p[i]);
}
END_TEST

static volatile sig_atomic_t got, got_later;
static void on_signal(int signal) { got = signal; }
static void on_signal_later(int signal) { got_later = signal; }
static void on_signal_info(int signal, siginfo_t *info, void *machine)
{
  (void)machine;
  got = info->si_signo == signal && info->si_code <= 0 ? 1000 + signal : -1;
}

static void (*handler_of(int signal))(int)
{
  struct sigaction now;
  ck_assert_int_eq(sigaction(signal, NULL, &now), 0);
  return now.sa_handler;
}

/* The program's own handlers of signals get what is not a warp's, and are there again when no launch runs. */
START_TEST(signals_of_the_program)
{
  struct sigaction with_info = { .sa_sigaction = on_signal_info, .sa_flags = SA_SIGINFO };
  signal(SIGFPE, on_signal);
  ck_assert_int_eq(sigaction(SIGILL, &with_info, NULL), 0);
  signal(SIGBUS, SIG_IGN);
  iw_sim_traps_begin();
  iw_sim_traps_begin(); /* of another thread */
  ck_assert(handler_of(SIGFPE) != on_signal);
  for (unsigned k = 0; k < 2; k++) {
    got = 0;
    raise(SIGFPE);
    ck_assert_int_eq(got, SIGFPE);
    warp_of(0, 0);
    raise(SIGFPE); /* not by an instruction of the warp */
    iw_sim_self = NULL;
    raise(SIGILL);
    ck_assert_int_eq(got, 1000 + SIGILL);
    raise(SIGBUS);
    if (k == 0)
      iw_sim_traps_end();
  }
  signal(SIGSEGV, on_signal_later); /* the program changes its mind during the launch */
  iw_sim_traps_end();
  ck_assert(handler_of(SIGFPE) == on_signal);
  ck_assert(handler_of(SIGBUS) == SIG_IGN);
  ck_assert(handler_of(SIGTRAP) == SIG_DFL);
  ck_assert(handler_of(SIGSEGV) == on_signal_later);
  raise(SIGSEGV);
  ck_assert_int_eq(got_later, SIGSEGV);
  NOTHING;
}
END_TEST

/* ISOWARP_TEST_SPEED=1 prints nanoseconds of accesses. */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

START_TEST(speed)
{
  enum { WORDS = 1 << 16, ROUNDS = 50 };
  uint32_t *const p = zeroed(WORDS * 4);
  if (!getenv("ISOWARP_TEST_SPEED"))
    return;
  for (unsigned i = 0; i < WORDS; i += LANES)
    LOAD(0, 0, p + i, 4, ALL);
  for (unsigned store = 0; store < 6; store++) {
    const double start = now();
    for (unsigned r = 0; r < ROUNDS; r++) {
      for (unsigned i = 0; i < WORDS; i += LANES)
        if (store % 3 == 0)
          LOAD(0, 0, p + i, 4, ALL);
        else if (store % 3 == 1)
          STORE(0, 0, p + i, 4, ALL);
        else
          ATOMIC(0, 0, p + i, 4, ALL);
      if (store < 3)
        barrier(0);
      else
        next_launch();
    }
    printf("# %s of 32 words, again %s: %.0f ns\n", store % 3 == 0 ? "load" : store % 3 == 1 ? "store" : "atomic",
           store < 3 ? "in another interval" : "in another launch",
           (now() - start) / ROUNDS / (WORDS / LANES));
  }
  NOTHING;
}
END_TEST

int main(void)
{
  Suite *const suite = suite_create("sim_checks");
  TCase *const rules = tcase_create("rules");
  tcase_add_checked_fixture(rules, setup, teardown);
  const TTest *const all[] = {
    bounds, bounds_of_shared_memory, arguments_and_tables, gather_over_two_allocations,
    arrays_of_an_allocation, large_arrays_begin_undefined, undefined, undefined_elements,
    undefined_atomics, uses, race_in_shared_memory, race_in_global_memory, race_in_a_warp, atomics_do_not_synchronize_the_warp,
    rows_do_not_synchronize_the_warp, race_between_blocks, neighbours_of_blocks, release_and_acquire,
    publish_that_is_held_back, relaxed_orders_nothing,
    last_block, slots, one_message_a_line, names_of_files, reports_in_files, red_zones, many_allocations, signals_of_the_program, speed,
  };
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    tcase_add_test(rules, all[i]);
  suite_add_tcase(suite, rules);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
