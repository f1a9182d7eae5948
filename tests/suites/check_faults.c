/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and threads that cannot be had: every allocation and every thread of every public call is refused
 * once. And calls after iw_context_reserve(), which have no allocations.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <config.h>
#include "allocator.h"
#include "every_call.h"

/* ---- Contexts and data ------------------------------------------------------------------------------- */

enum { SMALL_N = 3000, N = 90000 };
static call_data small_data, data;
static expected_call small_expected[MOST_CALLS][ELEMENT_TYPES], expected[MOST_CALLS][ELEMENT_TYPES];

static void setup(void)
{
  plans_make(40, 2500);
  call_data_make(&small_data, SMALL_N);
  call_data_make(&data, N);
  expected_digests(&small_data, small_expected);
  expected_digests(&data, expected);
}

static void teardown(void)
{
  plans_free();
  call_data_free(&small_data);
  call_data_free(&data);
}

static iw_context *context_of(unsigned threads, iw_blocks blocks)
{
  iw_context *context;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = threads, .blocks = blocks };
  ck_assert_msg(iw_context_open(&context, &o) == IW_OK, "%s", iw_message());
  return context;
}

static int brief(void)
{
  return getenv("ISOWARP_TEST_BRIEF") != NULL;
}

/* ---- Faults ------------------------------------------------------------------------------------------ */

/* Makes a call again and again, in a new context each time, until it meets none of its allocator. warm: the
 * context has made the call with fewer elements before. Adds the numbers of allocations and of threads that
 * were refused. */
static void refuse_each(const every_call *call, unsigned k, iw_type type, unsigned threads, iw_blocks blocks, int warm,
                        unsigned *allocations, unsigned *created)
{
  for (uint32_t at = 1;; at++) {
    uint64_t digest;
    const long before = allocator.live;
    iw_context *const c = context_of(threads, blocks);
    if (warm)
      ck_assert_int_ne(run_call(call, c, type, &small_data, &digest), IW_ERROR_MEMORY);
    arm(at);
    const iw_status status = run_call(call, c, type, &data, &digest);
    disarm();
    const uint32_t met = allocator.refused;
    *created += allocator.threads_refused;
    *allocations += met - allocator.threads_refused;
    if (status == NO_CALL) {
      iw_context_close(c);
      return;
    }
    if (status != IW_OK) {
      ck_assert_msg(met, "%s of %s: %s", call->name, iw_type_name(type), iw_message());
      ck_assert_msg((status == IW_ERROR_MEMORY || status == IW_ERROR_LAUNCH) && *iw_message(), "%s of %s, allocation %u: %s, %s",
                    call->name, iw_type_name(type), at, iw_status_name(status), iw_message());
      ck_assert_msg(run_call(call, c, type, &data, &digest) == IW_OK, "%s of %s after allocation %u failed: %s", call->name,
                    iw_type_name(type), at, iw_message());
    }
    ck_assert_msg(digest == expected[k][type].digest, "%s of %s has other results after allocation %u failed", call->name,
                  iw_type_name(type), at);
    iw_context_close(c);
    ck_assert_msg(allocator.live == before, "%s of %s leaves %ld blocks behind after allocation %u failed", call->name,
                  iw_type_name(type), allocator.live - before, at);
    if (!met)
      return;
    ck_assert_uint_lt(at, 200);
  }
}

START_TEST(each_refused)
{
  const uint64_t inputs = digest_of_inputs(&data);
  unsigned allocations = 0, created = 0;
  /* The C library keeps memory of threads that have ended. */
  for (int i = 0; i < 3; i++) {
    iw_context *const c = context_of(3, IW_BLOCKS_TEAM);
    ck_assert_int_eq(make_fixed_call(&every_calls[0], c, IW_F32, &data), IW_OK);
    iw_context_close(c);
  }
  for (unsigned k = 0; k < every_call_count; k++)
    for (unsigned threads = 1; threads <= 3; threads += 2)
      for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
        const unsigned setting = threads / 2 * 2 + (unsigned)(blocks == IW_BLOCKS_TEAM); /* each has other types */
        const int warm = (k + threads / 2 + (unsigned)blocks) % 2;
        for (iw_type type = (iw_type)(IW_U8 + (k + setting) % 4); type <= IW_BF16; type = (iw_type)(type + (brief() ? 8 : 4)))
          refuse_each(&every_calls[k], k, type, threads, (iw_blocks)blocks, warm, &allocations, &created);
      }
  ck_assert_uint_eq(digest_of_inputs(&data), inputs);
  ck_assert_uint_gt(allocations, brief() ? 200 : 1000);
  ck_assert_uint_gt(created, brief() ? 25 : 100);
  printf("# refused: %u allocations, %u threads\n", allocations, created);
}
END_TEST

/* Opening a context, with each of its allocations refused. */
START_TEST(opening)
{
  for (uint32_t at = 1, met = 1; met; at++) {
    const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU };
    iw_context *c = (iw_context *)1;
    const long before = allocator.live;
    arm(at);
    const iw_status status = iw_context_open(&c, &o);
    disarm();
    met = allocator.refused;
    ck_assert_int_eq(status, met ? IW_ERROR_MEMORY : IW_OK);
    ck_assert(met ? c == NULL && *iw_message() : c != NULL);
    iw_context_close(c);
    ck_assert_int_eq(allocator.live, before);
    ck_assert(met || at > 3);
  }
}
END_TEST

/* Rows that a CPU sorts by lanes until it finds a NaN, and then by passes: whichever allocation is refused,
 * outputs are unchanged then, as they may be the inputs. */
START_TEST(rows_with_nan)
{
  enum { ROWS = 12, COLUMNS = 2100, KEYS = ROWS * COLUMNS };
  static double in[KEYS], before[KEYS], out[KEYS], right[KEYS];
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = COLUMNS };
  const iw_sort_options options = { .size = sizeof options, .segments = &rows };
  unsigned refusals = 0;
  for (size_t i = 0; i < KEYS; i++)
    in[i] = (double)((i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 11);
  in[KEYS - 1] = NAN;
  iw_context *c = context_of(1, IW_BLOCKS_THREAD);
  ck_assert_int_eq(iw_sort(c, IW_F64, in, KEYS, right, &options), IW_OK);
  iw_context_close(c);
  for (unsigned setting = 0; setting < 8; setting++)
    for (uint32_t at = 1, met = 1; met; at++) {
      const int in_place = setting & 1;
      c = context_of(setting & 2 ? 3 : 1, setting & 4 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD);
      if (in_place)
        memcpy(before, in, sizeof before);
      else
        memset(before, 0xa5, sizeof before);
      memcpy(out, before, sizeof out);
      arm(at);
      const iw_status status = iw_sort(c, IW_F64, in_place ? out : in, KEYS, out, &options);
      disarm();
      met = allocator.refused;
      refusals += status != IW_OK;
      ck_assert_msg(!memcmp(out, status == IW_OK ? right : before, sizeof out), "setting %u, allocation %u: %s, and outputs are changed",
                    setting, at, iw_status_name(status));
      iw_context_close(c);
    }
  ck_assert_uint_gt(refusals, 8);
}
END_TEST

/* ---- Reserved contexts ------------------------------------------------------------------------------- */

/* After iw_context_reserve() of the documented number of bytes no call allocates: not one, and if all were
 * refused, it would not matter. */
static unsigned reserved_call(unsigned k, iw_type type, unsigned threads, iw_blocks blocks, call_data *d,
                              expected_call right[MOST_CALLS][ELEMENT_TYPES])
{
  const every_call *const call = &every_calls[k];
  uint64_t digest;
  iw_context *const c = context_of(threads, blocks);
  ck_assert_msg(iw_context_reserve(c, right[k][type].reserve) == IW_OK, "%s", iw_message());
  arm(ALL);
  const iw_status status = run_call(call, c, type, d, &digest);
  disarm();
  ck_assert_msg(status == IW_OK || status == NO_CALL, "%s of %zu %s, %u threads: %s", call->name, d->n, iw_type_name(type), threads,
                iw_message());
  ck_assert_msg(allocator.count == 0, "%s of %zu %s, %u threads: %u allocations", call->name, d->n, iw_type_name(type), threads,
                allocator.count);
  ck_assert(digest == right[k][type].digest);
  iw_context_close(c);
  return status == IW_OK;
}

START_TEST(reserved)
{
  static const unsigned threads[] = { 1, 2, 3, 7 };
  unsigned calls = 0;
  for (unsigned k = 0; k < every_call_count; k++)
    for (unsigned t = 0; t < 4; t++)
      for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
        for (int small = 0; small < 2; small++)
          for (iw_type type = IW_U8; type <= IW_BF16; type++) {
            if (!expected[k][type].reserve || ((unsigned)type + k + t + (unsigned)blocks + (unsigned)small) % (brief() ? 6 : 3))
              continue;
            calls += reserved_call(k, type, threads[t], (iw_blocks)blocks, small ? &small_data : &data,
                                   small ? small_expected : expected);
          }
  ck_assert_uint_gt(calls, brief() ? 500 : 2500);
  printf("# %u calls without an allocation\n", calls);
}
END_TEST

/* With many threads, each with counters of its own. */
START_TEST(reserved_large)
{
  enum { LARGE_N = 600000, THREADS = 32 };
  static expected_call large_expected[MOST_CALLS][ELEMENT_TYPES];
  call_data large;
  call_data_make(&large, LARGE_N);
  expected_digests(&large, large_expected);
  for (unsigned k = 0; k < every_call_count; k++)
    for (iw_type type = (iw_type)(IW_U8 + k % 3); type <= IW_BF16; type = (iw_type)(type + 6))
      if (large_expected[k][type].reserve)
        reserved_call(k, type, THREADS, IW_BLOCKS_THREAD, &large, large_expected);
  call_data_free(&large);
}
END_TEST

/* So it is for a thread that has made no call before, and on little stack; though the C library allocates
 * for a moment where it is asked for a thread's stack. */
typedef struct fresh_job { iw_context *context; iw_status status; uint32_t refused_at; float total; char message[512]; } fresh_job;
static void *fresh_main(void *arg)
{
  fresh_job *const j = arg;
  arm(j->refused_at);
  j->status = iw_reduce(j->context, IW_SUM, IW_F32, data.in[IW_F32], N, &j->total, NULL);
  disarm();
  strcpy(j->message, iw_message());
  return NULL;
}
START_TEST(fresh_threads)
{
  float right;
  iw_context *c = context_of(1, IW_BLOCKS_THREAD);
  ck_assert_int_eq(iw_reduce(c, IW_SUM, IW_F32, data.in[IW_F32], N, &right, NULL), IW_OK);
  iw_context_close(c);
  for (unsigned threads = 1; threads <= 3; threads++)
    for (int reserve = 0; reserve < 2; reserve++)
      for (int little = 0; little < 2; little++)
        for (uint32_t at = 0; at <= 8; at++) {
          pthread_attr_t attributes;
          pthread_t thread;
          fresh_job j = { .context = context_of(threads, IW_BLOCKS_THREAD), .refused_at = at ? at : ALL };
          if (reserve)
            ck_assert_int_eq(iw_context_reserve(j.context, 2 << 20), IW_OK);
          pthread_attr_init(&attributes);
          pthread_attr_setstacksize(&attributes, little ? 64 << 10 : 8 << 20);
          ck_assert_int_eq(pthread_create(&thread, &attributes, fresh_main, &j), 0);
          pthread_join(thread, NULL);
          ck_assert_msg(j.status == IW_OK || (!reserve && *j.message), "%u threads, allocation %u: %s", threads, at, j.message);
          if (j.status != IW_OK)
            ck_assert_int_eq(iw_reduce(j.context, IW_SUM, IW_F32, data.in[IW_F32], N, &j.total, NULL), IW_OK);
          ck_assert_mem_eq(&j.total, &right, sizeof right);
          iw_context_close(j.context);
        }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("faults");
  TCase *c = new_case(suite, "allocations");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, opening);
  tcase_add_test(c, each_refused);
  c = new_case(suite, "rows");
  tcase_add_test(c, rows_with_nan);
  c = new_case(suite, "reserved");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, reserved);
  if (!brief())
    tcase_add_test(c, reserved_large);
  tcase_add_test(c, fresh_threads);
  return run_suite(suite);
}
