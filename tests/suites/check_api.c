/* SPDX-License-Identifier: Apache-2.0
 *
 * The public calls before a kernel runs: names, contexts, memory, the environment and every invalid
 * argument. Results do not depend on the caller's threads or floating-point state.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <isowarp/descriptor.h>
#include <isowarp/typed.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#if defined __x86_64__ || defined __i386__
#include <xmmintrin.h>
#endif

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The call fails so, with a message that has those words in it. */
#define REFUSED_WITH_WORDS(call, status, ...) do { \
  const iw_status status_ = (call); \
  const char *const words_[] = { __VA_ARGS__ }; \
  ck_assert_msg(status_ == (status), "%s is %s, not %s (%s)", #call, iw_status_name(status_), iw_status_name(status), \
                iw_message()); \
  for (size_t w_ = 0; w_ < COUNT(words_); w_++) \
    ck_assert_msg(strstr(iw_message(), words_[w_]) != NULL, "%s says \"%s\", without \"%s\"", #call, iw_message(), \
                  words_[w_]); \
} while (0)
#define INVALID(call, ...) REFUSED_WITH_WORDS(call, IW_ERROR_INVALID, __VA_ARGS__)
#define FINE(call) ck_assert_msg((call) == IW_OK, "%s: %s", #call, iw_message())

static iw_context *open_default(void)
{
  iw_context *context;
  FINE(iw_context_open(&context, NULL));
  return context;
}

/* ---- Names ------------------------------------------------------------------------------------------- */

START_TEST(names)
{
  static const char *const type_names[] = { "u8", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "i8", "i16", "bool",
                                            "f16", "bf16" };
  static const size_t sizes[] = { 1, 2, 4, 4, 8, 8, 4, 8, 1, 2, 1, 2, 2 };
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", ISOWARP_VERSION_MAJOR, ISOWARP_VERSION_MINOR,
           ISOWARP_VERSION_PATCH);
  ck_assert_str_eq(version, ISOWARP_VERSION_STRING);
  ck_assert_str_eq(iw_version(), ISOWARP_VERSION_STRING);
  for (unsigned t = 0; t < COUNT(type_names); t++) {
    ck_assert_str_eq(iw_type_name((iw_type)(t + IW_U8)), type_names[t]);
    ck_assert_uint_eq(iw_type_size((iw_type)(t + IW_U8)), sizes[t]);
  }
  ck_assert_str_eq(iw_type_name((iw_type)(SCANNED_TYPES + 1)), "?");
  ck_assert_str_eq(iw_type_name((iw_type)0), "?");
  ck_assert_uint_eq(iw_type_size((iw_type)0), 0);
  ck_assert_uint_eq(iw_type_size((iw_type)(SCANNED_TYPES + 1)), 0);
  ck_assert_uint_eq(iw_type_size((iw_type)-1), 0);
#define NAMED(status) ck_assert_str_eq(iw_status_name(status), #status)
  NAMED(IW_OK);
  NAMED(IW_ERROR_INVALID);
  NAMED(IW_ERROR_OVERLAP);
  NAMED(IW_ERROR_OVERFLOW);
  NAMED(IW_ERROR_UNAVAILABLE);
  NAMED(IW_ERROR_MISMATCH);
  NAMED(IW_ERROR_MEMORY);
  NAMED(IW_ERROR_LAUNCH);
  NAMED(IW_ERROR_FINDING);
  NAMED(IW_ERROR_PEER);
  ck_assert_str_eq(iw_status_name((iw_status)12345), "unknown status");
  ck_assert_int_eq(IW_OK, 0);
}
END_TEST

START_TEST(instruction_sets)
{
  ck_assert_str_eq(iw_isa_name(0), "generic");
  ck_assert_int_eq(iw_isa_available("generic"), 1);
  ck_assert_int_eq(iw_isa_available("nonsense"), 0);
  ck_assert_int_eq(iw_isa_available(""), 0);
  ck_assert_int_eq(iw_isa_available(NULL), 0);
  unsigned known = 0;
  while (iw_isa_name(known))
    known++;
  ck_assert_uint_ge(known, 1);
  ck_assert_uint_le(known, 5);
  ck_assert_ptr_null(iw_isa_name(known + 1));
}
END_TEST

/* A thread's message stays until its next failure, and is no other thread's. */
static void *message_of_thread(void *ignored)
{
  (void)ignored;
  return iw_message()[0] ? "not empty" : NULL;
}

START_TEST(messages)
{
  pthread_t thread;
  void *found = "not joined";
  ck_assert_str_eq(iw_message(), "");
  INVALID(iw_context_open(NULL, NULL), "context", "NULL");
  char kept[512];
  snprintf(kept, sizeof kept, "%s", iw_message());
  iw_context_close(open_default());
  ck_assert_str_eq(iw_message(), kept); /* a success changes nothing */
  ck_assert_int_eq(pthread_create(&thread, NULL, message_of_thread, NULL), 0);
  ck_assert_int_eq(pthread_join(thread, &found), 0);
  ck_assert_ptr_null(found);
}
END_TEST

/* ---- Contexts ---------------------------------------------------------------------------------------- */

static iw_context_info info_of(const iw_context *context)
{
  iw_context_info info = { .size = sizeof info };
  FINE(iw_context_get_info(context, &info));
  return info;
}

START_TEST(options)
{
  iw_context *context = NULL;
  iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .isa = "generic", .threads = 3 };
  FINE(iw_context_open(&context, &o));
  const iw_context_info info = info_of(context);
  ck_assert_int_eq(info.backend, IW_BACKEND_CPU);
  ck_assert_str_eq(info.isa, "generic");
  ck_assert_uint_eq(info.threads, 3);
  ck_assert_uint_ge(info.team, 1);
  ck_assert_ptr_nonnull(strstr(info.why, "generic"));
  iw_context_close(context);
  iw_context_close(NULL);

#define BAD_OPTION(status, field, value, ...) do { \
    iw_context_options bad = { .size = sizeof bad }; \
    bad.field = value; \
    context = (iw_context *)&o; \
    REFUSED_WITH_WORDS(iw_context_open(&context, &bad), status, __VA_ARGS__); \
    ck_assert_ptr_null(context); \
  } while (0)
  BAD_OPTION(IW_ERROR_INVALID, size, 3, "size", "3");
  BAD_OPTION(IW_ERROR_INVALID, size, 0, "size", "0");
  BAD_OPTION(IW_ERROR_INVALID, backend, (iw_backend)7, "backend", "7");
  BAD_OPTION(IW_ERROR_INVALID, backend, (iw_backend)-1, "backend", "-1");
  BAD_OPTION(IW_ERROR_INVALID, blocks, (iw_blocks)3, "blocks", "3");
  BAD_OPTION(IW_ERROR_INVALID, threads, 1025, "threads", "1025", "1024");
  BAD_OPTION(IW_ERROR_INVALID, threads, 4294967295u, "threads", "4294967295");
  BAD_OPTION(IW_ERROR_UNAVAILABLE, isa, "mmx", "mmx", "generic");
  BAD_OPTION(IW_ERROR_UNAVAILABLE, isa, "", "generic");
  BAD_OPTION(IW_ERROR_UNAVAILABLE, isa, "Generic", "Generic");
  /* Every name of the library opens a context where this machine has it, and is refused with the list where
   * not. */
  for (unsigned i = 0; iw_isa_name(i); i++) {
    const char *name = iw_isa_name(i);
    if (iw_isa_available(name)) {
      o.isa = name;
      FINE(iw_context_open(&context, &o));
      ck_assert_str_eq(info_of(context).isa, name);
      iw_context_close(context);
    } else
      BAD_OPTION(IW_ERROR_UNAVAILABLE, isa, name, name, "generic");
  }
  INVALID(iw_context_get_info(NULL, NULL), "context");
  context = open_default();
  INVALID(iw_context_get_info(context, NULL), "info");
  iw_context_info small = { .size = 8 };
  INVALID(iw_context_get_info(context, &small), "size", "8");
  iw_context_close(context);
}
END_TEST

/* Without CUDA, asking for it is an error that says why; with it, it opens or says why. */
START_TEST(cuda)
{
  iw_context *context;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CUDA };
  const iw_status status = iw_context_open(&context, &o);
  if (status == IW_OK) {
    ck_assert_int_eq(info_of(context).backend, IW_BACKEND_CUDA);
    ck_assert_str_eq(info_of(context).isa, "cuda");
    ck_assert_int_eq(info_of(context).device, 0);
    ck_assert_ptr_nonnull(strstr(info_of(context).why, "cuda"));
    iw_context_close(context);
  } else {
    ck_assert_int_eq(status, IW_ERROR_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(iw_message(), "CUDA"));
    ck_assert_ptr_nonnull(strstr(iw_message(), "cpu"));
    ck_assert_ptr_null(context);
  }
}
END_TEST

START_TEST(environment)
{
  iw_context *context;
  const char *const variables[] = { "ISOWARP_ISA", "ISOWARP_THREADS", "ISOWARP_BACKEND", "ISOWARP_OPENMP" };
  char *kept[COUNT(variables)];
  for (unsigned i = 0; i < COUNT(variables); i++) {
    kept[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
    unsetenv(variables[i]);
  }
  setenv("ISOWARP_ISA", "generic", 1);
  setenv("ISOWARP_THREADS", "5", 1);
  setenv("ISOWARP_BACKEND", "cpu", 1);
  context = open_default();
  iw_context_info info = info_of(context);
  ck_assert_str_eq(info.isa, "generic");
  ck_assert_uint_eq(info.threads, 5);
  ck_assert_int_eq(info.backend, IW_BACKEND_CPU);
  iw_context_close(context);
  /* Options come first. */
  setenv("ISOWARP_ISA", "nonsense", 1);
  setenv("ISOWARP_THREADS", "nonsense", 1);
  setenv("ISOWARP_BACKEND", "nonsense", 1);
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .isa = "generic",
                                .threads = 2 };
  FINE(iw_context_open(&context, &o));
  ck_assert_uint_eq(info_of(context).threads, 2);
  iw_context_close(context);
  REFUSED_WITH_WORDS(iw_context_open(&context, NULL), IW_ERROR_UNAVAILABLE, "ISOWARP_BACKEND", "nonsense", "auto",
          "cpu", "cuda");
  setenv("ISOWARP_BACKEND", "auto", 1);
  REFUSED_WITH_WORDS(iw_context_open(&context, NULL), IW_ERROR_UNAVAILABLE, "ISOWARP_ISA", "nonsense", "generic");
  unsetenv("ISOWARP_ISA");
  static const char *const bad[] = {
    "nonsense", "", "0", "-1", "1025", "99999999999999999999", "4294967297", "2x", " 2", "2 ", "0x10", "1.5",
        "+3",
  };
  for (unsigned i = 0; i < COUNT(bad); i++) {
    setenv("ISOWARP_THREADS", bad[i], 1);
    INVALID(iw_context_open(&context, NULL), "ISOWARP_THREADS", bad[i], "1024");
    ck_assert_ptr_null(context);
  }
  unsetenv("ISOWARP_THREADS");
  setenv("ISOWARP_OPENMP", "yes", 1);
  INVALID(iw_context_open(&context, NULL), "ISOWARP_OPENMP", "yes", "0 and 1");
  const iw_context_options neither = { .size = sizeof neither, .openmp = 2 };
  INVALID(iw_context_open(&context, &neither), "options->openmp", "2", "0 and 1");
  for (unsigned i = 0; i < COUNT(variables); i++) {
    if (kept[i])
      setenv(variables[i], kept[i], 1);
    else
      unsetenv(variables[i]);
    free(kept[i]);
  }
}
END_TEST

/* The team that shares a block is real: as many threads as were asked for, and one where blocks are whole. */
START_TEST(teams)
{
  settings all = settings_open();
  static uint32_t in[40000], out[40000];
  for (unsigned i = 0; i < all.count; i++) {
    const setting *at = &all.at[i];
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_U32, in, 40000, out, NULL));
    ck_assert_uint_eq(info_of(at->context).threads, at->threads);
#ifdef _OPENMP
    if (at->blocks == IW_BLOCKS_TEAM)
      ck_assert_msg(info_of(at->context).team == at->threads, "a team of %u was asked for, %u came",
                    at->threads,
                    info_of(at->context).team);
    else
      ck_assert_uint_eq(info_of(at->context).team, 1);
#endif
  }
  settings_close(&all);
}
END_TEST

START_TEST(memory)
{
  iw_context *context = open_default();
  void *memory = &context, *other = NULL;
  unsigned char bytes[100];
  FINE(iw_memory_allocate(context, 100, &memory));
  ck_assert_ptr_nonnull(memory);
  ck_assert_uint_eq((uintptr_t)memory % 64, 0);
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 7);
  FINE(iw_memory_copy(context, memory, bytes, sizeof bytes));
  memset(bytes, 0, sizeof bytes);
  FINE(iw_memory_copy(context, bytes, memory, sizeof bytes));
  ck_assert_uint_eq(bytes[99], (unsigned char)(99 * 7));
  FINE(iw_memory_copy(context, NULL, NULL, 0));
  INVALID(iw_memory_copy(context, NULL, bytes, 1), "to", "NULL");
  INVALID(iw_memory_copy(context, bytes, NULL, 1), "from", "NULL");
  INVALID(iw_memory_copy(NULL, bytes, bytes, 1), "context");
  REFUSED_WITH_WORDS(iw_memory_copy(context, bytes, bytes + 1, 50), IW_ERROR_OVERLAP, "overlap");
  FINE(iw_memory_free(context, memory));
  FINE(iw_memory_free(context, NULL));
  INVALID(iw_memory_free(NULL, NULL), "context");
  other = bytes;
  FINE(iw_memory_allocate(context, 0, &other));
  ck_assert_ptr_null(other);
  other = bytes;
  REFUSED_WITH_WORDS(iw_memory_allocate(context, SIZE_MAX, &other), IW_ERROR_MEMORY, "18446744073709551615");
  ck_assert_ptr_null(other);
  REFUSED_WITH_WORDS(iw_memory_allocate(context, (size_t)1 << 62, &other), IW_ERROR_MEMORY, "4611686018427387904");
  INVALID(iw_memory_allocate(context, 1, NULL), "memory");
  INVALID(iw_memory_allocate(NULL, 1, &other), "context");
  /* What cannot be reserved leaves the context as it was. */
  const uint32_t in[] = { 3, 1, 2 }, pivot = 2;
  uint32_t out[3];
  size_t count;
  FINE(iw_context_reserve(context, 0));
  FINE(iw_context_reserve(context, 1 << 20));
  FINE(iw_context_reserve(context, 100));
  REFUSED_WITH_WORDS(iw_context_reserve(context, SIZE_MAX), IW_ERROR_MEMORY, "");
  REFUSED_WITH_WORDS(iw_context_reserve(context, (size_t)1 << 62), IW_ERROR_MEMORY, "");
  INVALID(iw_context_reserve(NULL, 1), "context");
  memcpy(out, in, sizeof in);
  FINE(partition_by_pivot(context, IW_U32, out, 3, &pivot, out, &count)); /* still has 1 << 20 */
  ck_assert_uint_eq(count, 1);
  FINE(iw_context_set_stream(context, NULL));
  if (info_of(context).backend == IW_BACKEND_CPU)
    INVALID(iw_context_set_stream(context, &context), "stream");
  INVALID(iw_context_set_stream(NULL, NULL), "context");
  FINE(iw_context_synchronize(context));
  INVALID(iw_context_synchronize(NULL), "context");
  iw_context_close(context);
}
END_TEST

/* ---- Arguments --------------------------------------------------------------------------------------- */

START_TEST(bad_scans)
{
  iw_context *c = open_default();
  int64_t a[64] = { 0 };
  char *const odd = (char *)a + 1;
  iw_status (*const scans[])(iw_context *, iw_op, iw_type, const void *, size_t, void *, const iw_scan_options *) = {
    iw_inclusive_scan, iw_exclusive_scan,
  };
  a[20] = 42;
  for (unsigned i = 0; i < 2; i++) {
    INVALID(scans[i](NULL, IW_SUM, IW_I64, a, 8, a + 8, NULL), "context");
    INVALID(scans[i](c, NULL, IW_I64, a, 8, a + 8, NULL), "op", "0");
    INVALID(scans[i](c, (iw_op)8, IW_I64, a, 8, a + 8, NULL), "op", "8");
    INVALID(scans[i](c, (iw_op)11, IW_I64, a, 8, a + 8, NULL), "op", "11");
    INVALID(scans[i](c, (iw_op)4095, IW_I64, a, 8, a + 8, NULL), "op", "4095");
    INVALID(scans[i](c, IW_SUM, (iw_type)(SCANNED_TYPES + 1), a, 8, a + 8, NULL), "type", "not an iw_type");
    INVALID(scans[i](c, IW_SUM, (iw_type)-1, a, 8, a + 8, NULL), "type", "-1");
    INVALID(scans[i](c, IW_SUM, IW_BOOL, a, 8, a + 8, NULL), "bool");
    INVALID(scans[i](c, IW_AND, IW_F16, a, 8, a + 8, NULL), "f16");
    INVALID(scans[i](c, IW_SUM, IW_I64, NULL, 8, a, NULL), "in", "NULL", "8");
    INVALID(scans[i](c, IW_SUM, IW_I64, a, 8, NULL, NULL), "out", "NULL", "8");
    INVALID(scans[i](c, IW_SUM, IW_I64, odd, 8, a + 16, NULL), "in", "aligned");
    INVALID(scans[i](c, IW_SUM, IW_I64, a, 8, odd + 128, NULL), "out", "aligned");
    INVALID(scans[i](c, IW_SUM, IW_F32, (char *)a + 2, 8, a + 16, NULL), "in", "aligned");
    INVALID(scans[i](c, IW_SUM, IW_I64, a, SIZE_MAX, a + 8, NULL), "18446744073709551615");
    INVALID(scans[i](c, IW_SUM, IW_I64, a, SIZE_MAX / 8 + 2, a + 8, NULL), "2305843009213693953"); /* * 8: 8 */
    INVALID(scans[i](c, IW_SUM, IW_I32, a, SIZE_MAX / 4 + 2, a + 8, NULL), "4611686018427387905");
    REFUSED_WITH_WORDS(scans[i](c, IW_SUM, IW_I64, a, 8, a + 1, NULL), IW_ERROR_OVERLAP, "in", "out");
    REFUSED_WITH_WORDS(scans[i](c, IW_SUM, IW_I64, a + 7, 8, a, NULL), IW_ERROR_OVERLAP, "in", "out");
    REFUSED_WITH_WORDS(scans[i](c, IW_SUM, IW_I32, a, 2, (char *)a + 4, NULL), IW_ERROR_OVERLAP, "in", "out");
    FINE(scans[i](c, IW_SUM, IW_I64, a, 8, a + 8, NULL)); /* side by side */
    ck_assert_int_eq(a[20], 42);
  }
  INVALID(iw_reduce(NULL, IW_SUM, IW_I64, a, 8, a, NULL), "context");
  INVALID(iw_reduce(c, (iw_op)9, IW_I64, a, 8, a, NULL), "op", "9");
  INVALID(iw_reduce(c, NULL, IW_I64, a, 8, a, NULL), "op", "0");
  for (uintptr_t value = 0; value < 4096; value += value < 12 ? 1 : 511)
    if (value == 0 || value > 7) {
      const scan_arguments spec = { .op = (iw_op)value, .in_type = IW_I64,
                                 .type = IW_I64 };
      INVALID(scan_with(c, &spec, a, 8, a + 8), "op");
      INVALID(reduce_with(c, &spec, a, 8, a), "op");
    }
  for (int exclusive = 0; exclusive < 2; exclusive++) {
    scan_arguments spec = { .op = IW_SUM, .in_type = IW_I64, .type = IW_I64,
                         .exclusive = exclusive };
    INVALID(scan_with(NULL, &spec, a, 8, a + 8), "context");
    const iw_scan_options small = { .size = 8 };
    INVALID(iw_inclusive_scan(c, IW_SUM, IW_I64, a, 8, a + 8, &small), "options->size", "8");
    INVALID(iw_reduce(c, IW_SUM, IW_I64, a, 8, a, &small), "options->size", "8");
    spec.in_type = (iw_type)(SCANNED_TYPES + 1);
    INVALID(scan_with(c, &spec, a, 8, a + 8), "type", "not an iw_type");
    spec.in_type = IW_I64;
    spec.type = (iw_type)-1;
    INVALID(scan_with(c, &spec, a, 8, a + 8), "type", "-1");
    spec.type = IW_I64;
    INVALID(scan_with(c, &spec, NULL, 8, a), "in", "NULL");
    INVALID(scan_with(c, &spec, a, 8, NULL), "out", "NULL");
    REFUSED_WITH_WORDS(scan_with(c, &spec, a, 8, a + 1), IW_ERROR_OVERLAP, "in", "out");
    FINE(scan_with(c, &spec, a, 8, a));
    FINE(scan_with(c, &spec, NULL, 0, NULL));
    iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_ROWS, .columns = 4 };
    spec.segments = &segments;
    REFUSED_WITH_WORDS(reduce_with(c, &spec, a, 8, a), IW_ERROR_OVERLAP, "in", "result");
    FINE(reduce_with(c, &spec, a, 8, a + 8));
    FINE(scan_with(c, &spec, a, 8, a));
    segments.columns = 3;
    INVALID(scan_with(c, &spec, a, 8, a), "columns", "3", "8");
    segments.columns = 0;
    INVALID(scan_with(c, &spec, a, 8, a), "columns", "0");
  }
  INVALID(iw_reduce(c, IW_SUM, IW_BOOL, a, 8, a, NULL), "bool");
  for (uintptr_t op = 1; op <= 7; op++)
    for (int type = 14; type < 300; type++)
      INVALID(iw_reduce(c, (iw_op)op, (iw_type)type, a, 8, a, NULL), "type");
  INVALID(iw_reduce(c, IW_SUM, IW_I64, NULL, 8, a, NULL), "in", "NULL");
  INVALID(iw_reduce(c, IW_SUM, IW_I64, odd, 8, a, NULL), "in", "aligned");
  INVALID(iw_reduce(c, IW_SUM, IW_I64, a, 8, odd, NULL), "result", "aligned");
  INVALID(iw_reduce(c, IW_SUM, IW_I64, a, SIZE_MAX / 8 + 2, a, NULL), "in");
  INVALID(iw_reduce(c, IW_SUM, IW_I64, a, 8, NULL, NULL), "result", "NULL");
  iw_context_close(c);
}
END_TEST

/* A spec that is right, for one field at a time to be made wrong. */
static const double zero = 0, one = 1, infinite = (double)INFINITY, not_a_number = (double)NAN;
static iw_histogram_spec good_spec(void)
{
  return (iw_histogram_spec){ .size = sizeof(iw_histogram_spec), .bins = 4, .lo = &zero, .hi = &one };
}

/* Refused by all calls that take a spec, before anything is written. */
static void bad_spec_of(iw_context *c, iw_type type, const iw_histogram_spec *spec, const char *word,
                        const char *another, int line)
{
  uint64_t memory[512], before[512];
  size_t count = 4242, offsets[8] = { 99 };
  iw_histogram_report report = { .size = sizeof report, .nan = 31 };
  memset(memory, 0x11, sizeof memory);
  memcpy(before, memory, sizeof memory);
  iw_histogram_plan *plan = (iw_histogram_plan *)(void *)memory;
  iw_status found[5];
  found[0] = histogram_of(c, type, spec, memory, 16, memory + 100, &report);
  ck_assert_msg(found[0] != IW_OK && strstr(iw_message(), word) && strstr(iw_message(), another),
                "line %d: the message is \"%s\"", line,
                iw_message());
  found[1] = write_edges_of(type, spec, memory + 100);
  found[2] = iw_type_size(type) >= 4 ? select_bin(c, type, memory, 16, spec, 0, memory + 100, &count)
    : IW_ERROR_INVALID;
  found[3] = iw_type_size(type) >= 4 ? multisplit_by_bins(c, type, memory, 16, spec, memory + 100, offsets)
    : IW_ERROR_INVALID;
  found[4] = plan_of(c, type, spec, NULL, 0, &plan);
  ck_assert_ptr_null(plan);
  for (unsigned i = 0; i < 5; i++)
    ck_assert_msg(found[i] == IW_ERROR_INVALID, "line %d: call %u is %s", line, i, iw_status_name(found[i]));
  ck_assert_mem_eq(memory, before, sizeof memory);
  ck_assert_uint_eq(count, 4242);
  ck_assert_uint_eq(offsets[0], 99);
  ck_assert_uint_eq(report.nan, 31);
}

START_TEST(bad_specs)
{
  iw_context *c = open_default();
#define BAD_SPEC(type, word, another, ...) do { \
    iw_histogram_spec s = good_spec(); \
    __VA_ARGS__; \
    bad_spec_of(c, type, &s, word, another, __LINE__); \
  } while (0)
  bad_spec_of(c, IW_F64, NULL, "spec", "NULL", __LINE__);
  BAD_SPEC(IW_F64, "size", "1", s.size = 1);
  BAD_SPEC(IW_F64, "kind", "3", s.kind = (iw_histogram_kind)3);
  BAD_SPEC(IW_F64, "kind", "-1", s.kind = (iw_histogram_kind)-1);
  BAD_SPEC(IW_F64, "bins", "0", s.bins = 0);
  BAD_SPEC(IW_F64, "bins", "2147483648", s.bins = (size_t)1 << 31);
  BAD_SPEC(IW_F64, "bins", "18446744073709551615", s.bins = SIZE_MAX);
  BAD_SPEC(IW_F64, "policy", "3", s.policy = (iw_policy)3);
  BAD_SPEC(IW_F64, "policy", "-1", s.policy = (iw_policy)-1);
  BAD_SPEC(IW_F64, "flags", "0x10", s.flags = 16);
  BAD_SPEC(IW_F64, "counter_width", "2", s.counter_width = 2);
  BAD_SPEC(IW_F64, "counter_width", "16", s.counter_width = 16);
  BAD_SPEC(IW_F64, "counter_width", "18446744073709551615", s.counter_width = SIZE_MAX);
  BAD_SPEC(IW_F64, "flags", "0x80000000", s.flags = 0x80000001);
  BAD_SPEC(IW_F64, "IW_HIST_HI_INCLUDED", "f64", s.flags = IW_HIST_HI_INCLUDED);
  /* Ranges. */
  BAD_SPEC(IW_F64, "hi", "NULL", s.hi = NULL);
  BAD_SPEC(IW_F64, "lo", "NULL", s.lo = NULL);
  BAD_SPEC(IW_F64, "range", "nan", s.lo = &not_a_number);
  BAD_SPEC(IW_F64, "range", "nan", s.hi = &not_a_number);
  BAD_SPEC(IW_F64, "range", "inf", s.hi = &infinite);
  const double minus_infinite = -(double)INFINITY, most = DBL_MAX, least = -DBL_MAX, next = nextafter(1, 2),
    minus_zero = -0.0;
  BAD_SPEC(IW_F64, "range", "-inf", s.lo = &minus_infinite);
  BAD_SPEC(IW_F64, "lo must be below hi", "1", s.lo = &one);
  BAD_SPEC(IW_F64, "lo must be below hi", "0", s.lo = &one, s.hi = &zero);
  BAD_SPEC(IW_F64, "lo must be below hi", "0", s.lo = &minus_zero, s.hi = &zero);
  BAD_SPEC(IW_F64, "range", "e+308", s.lo = &least, s.hi = &most); /* hi - lo is no number */
  BAD_SPEC(IW_F64, "bins", "4", s.lo = &one, s.hi = &next);        /* no room for four */
  const float f[] = { 1, nextafterf(1, 2), NAN, INFINITY };
  BAD_SPEC(IW_F32, "bins", "f32", s.lo = &f[0], s.hi = &f[1]);
  BAD_SPEC(IW_F32, "range", "nan", s.lo = &f[0], s.hi = &f[2]);
  BAD_SPEC(IW_F32, "range", "inf", s.lo = &f[0], s.hi = &f[3]);
  const int32_t i[] = { 5, 8, -7, INT32_MAX, INT32_MIN };
  BAD_SPEC(IW_I32, "bins", "3", s.lo = &i[0], s.hi = &i[1]);
  BAD_SPEC(IW_I32, "lo must be below hi", "5", s.lo = &i[0], s.hi = &i[0]);
  BAD_SPEC(IW_I32, "lo must be below hi", "-7", s.lo = &i[0], s.hi = &i[2]);
  BAD_SPEC(IW_I32, "lo must be below hi", "2147483647", s.lo = &i[3], s.hi = &i[4]);
  BAD_SPEC(IW_I32, "lo must be below hi", "2147483647", s.lo = &i[3], s.hi = &i[4],
           s.flags = IW_HIST_HI_INCLUDED);
  BAD_SPEC(IW_I32, "IW_HIST_HI_INCLUDED", "hi", s.lo = NULL, s.hi = NULL, s.flags = IW_HIST_HI_INCLUDED);
  const uint64_t u[] = { UINT64_MAX, 0, UINT64_MAX - 2 };
  BAD_SPEC(IW_U64, "18446744073709551615", "0", s.lo = &u[0], s.hi = &u[1]);
  BAD_SPEC(IW_U64, "18446744073709551613", "bins", s.lo = &u[2], s.hi = &u[0],
           s.flags = IW_HIST_HI_INCLUDED);
  const uint8_t b[] = { 9, 200 };
  BAD_SPEC(IW_U8, "bins", "300", s.lo = &b[0], s.hi = &b[1], s.bins = 300);
  /* Edges. */
  const double e[] = { 0, 1, 2, 3, 4 }, e_nan[] = { 0, 1, (double)NAN, 3, 4 },
               e_inf[] = { 0, 1, 2, 3, (double)INFINITY },
               e_equal[] = { 0, 1, 1, 3, 4 }, e_falls[] = { 0, 1, 2, 3, 2.5 },
                   e_first[] = { (double)NAN, 1, 2, 3, 4 },
               e_minus[] = { -(double)INFINITY, 1, 2, 3, 4 }, e_zeros[] = { -0.0, 0.0, 2, 3, 4 };
  BAD_SPEC(IW_F64, "edges", "NULL", s.kind = IW_HISTOGRAM_EDGES, s.edges = NULL);
  BAD_SPEC(IW_F64, "edge 2", "nan", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_nan);
  BAD_SPEC(IW_F64, "edge 0", "nan", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_first);
  BAD_SPEC(IW_F64, "edge 4", "inf", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_inf);
  BAD_SPEC(IW_F64, "edge 0", "-inf", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_minus);
  BAD_SPEC(IW_F64, "edge 1", "increase", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_equal);
  BAD_SPEC(IW_F64, "edge 4", "increase", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_falls);
  BAD_SPEC(IW_F64, "edge 1", "increase", s.kind = IW_HISTOGRAM_EDGES, s.edges = e_zeros);
  BAD_SPEC(IW_F64, "edges", "aligned", s.kind = IW_HISTOGRAM_EDGES, s.edges = (const char *)e + 4,
           s.bins = 2);
  const int64_t down[] = { 5, 4, 3, 2, 1 };
  BAD_SPEC(IW_I64, "edge 0 is 5", "edge 1 is 4", s.kind = IW_HISTOGRAM_EDGES, s.edges = down);
  const uint16_t same[] = { 5, 5, 6, 7, 8 };
  BAD_SPEC(IW_U16, "edge 0 is 5", "edge 1 is 5", s.kind = IW_HISTOGRAM_EDGES, s.edges = same);
  /* Maps. */
  uint16_t map[256] = { 0 }, wrong[256] = { 0 };
  wrong[200] = 4;
  BAD_SPEC(IW_F64, "map", "f64", s.kind = IW_HISTOGRAM_MAP, s.map = map);
  BAD_SPEC(IW_U16, "map", "u16", s.kind = IW_HISTOGRAM_MAP, s.map = map);
  BAD_SPEC(IW_U8, "map", "NULL", s.kind = IW_HISTOGRAM_MAP);
  BAD_SPEC(IW_U8, "map[200]", "4", s.kind = IW_HISTOGRAM_MAP, s.map = wrong);
  BAD_SPEC(IW_U8, "65536", "65535", s.kind = IW_HISTOGRAM_MAP, s.map = map, s.bins = 65536);
  BAD_SPEC(IW_U8, "map", "clamp", s.kind = IW_HISTOGRAM_MAP, s.map = map, s.policy = IW_POLICY_CLAMP);
  iw_context_close(c);
}
END_TEST

START_TEST(bad_histograms)
{
  iw_context *c = open_default();
  double x[16] = { 0 }, edges[8];
  uint64_t counts[8];
  const iw_histogram_spec s = good_spec();
  iw_histogram_spec other = s;
  iw_histogram_report report = { .size = 5 };
  INVALID(histogram_of(NULL, IW_F64, &s, x, 16, counts, NULL), "context");
  INVALID(histogram_of(c, (iw_type)(SCANNED_TYPES + 1), &s, x, 16, counts, NULL), "type", "not an iw_type");
  INVALID(histogram_of(c, IW_F64, &s, NULL, 16, counts, NULL), "samples", "NULL");
  INVALID(histogram_of(c, IW_F64, &s, (char *)x + 4, 15, counts, NULL), "samples", "aligned");
  INVALID(histogram_of(c, IW_F64, &s, x, SIZE_MAX / 8 + 2, counts, NULL), "samples");
  INVALID(histogram_of(c, IW_F64, &s, x, 16, NULL, NULL), "counts", "NULL");
  INVALID(histogram_of(c, IW_F64, &s, x, 16, (char *)counts + 4, NULL), "counts", "aligned");
  INVALID(histogram_of(c, IW_F64, &s, x, 16, counts, &report), "report", "size", "5");
  REFUSED_WITH_WORDS(histogram_of(c, IW_F64, &s, x, 16, x, NULL), IW_ERROR_OVERLAP, "samples", "counts");
  REFUSED_WITH_WORDS(histogram_of(c, IW_F64, &s, x, 16, x + 15, NULL), IW_ERROR_OVERLAP, "samples", "counts");
  other.counter_width = 4;
  INVALID(histogram_of(c, IW_F64, &other, x, 16, (char *)counts + 2, NULL), "counts", "aligned");
  FINE(histogram_of(c, IW_F64, &other, x, 16, (char *)counts + 4, NULL)); /* 32 bits are enough then */
  /* Policy COUNT writes two more. */
  other = s;
  other.policy = IW_POLICY_COUNT;
  FINE(histogram_of(c, IW_F64, &s, x + 6, 10, x + 2, NULL));
  REFUSED_WITH_WORDS(histogram_of(c, IW_F64, &other, x + 6, 10, x + 2, NULL), IW_ERROR_OVERLAP, "samples", "counts");

  INVALID(write_edges_of((iw_type)(SCANNED_TYPES + 1), &s, edges), "type", "not an iw_type");
  INVALID(write_edges_of(IW_F64, &s, NULL), "edges", "NULL");
  INVALID(write_edges_of(IW_F64, &s, (char *)edges + 1), "edges", "aligned");
  other = s;
  other.lo = other.hi = NULL;
  INVALID(write_edges_of(IW_F64, &other, edges), "range");
  uint16_t map[256] = { 0 };
  other = (iw_histogram_spec){ .size = sizeof other, .kind = IW_HISTOGRAM_MAP, .bins = 1, .map = map };
  INVALID(write_edges_of(IW_U8, &other, edges), "map");

  double lo, hi;
  INVALID(iw_histogram_range(NULL, IW_F64, x, 1, 16, &lo, &hi), "context");
  INVALID(iw_histogram_range(c, (iw_type)-1, x, 1, 16, &lo, &hi), "type");
  INVALID(iw_histogram_range(c, IW_F64, NULL, 1, 16, &lo, &hi), "samples", "NULL");
  INVALID(iw_histogram_range(c, IW_F64, x, 1, 16, NULL, &hi), "lo", "NULL");
  INVALID(iw_histogram_range(c, IW_F64, x, 1, 16, &lo, NULL), "hi", "NULL");
  iw_context_close(c);
}
END_TEST

/* More samples than a 32-bit counter holds are refused before one of them is read: these cannot be. */
START_TEST(narrow_counters)
{
  iw_context *c = open_default();
  const size_t n = (size_t)1 << 32;
  uint8_t *unreadable = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  uint32_t counts[4] = { 11, 22, 33, 44 };
  const uint8_t lo = 0, hi = 200;
  iw_histogram_spec s = {
    .size = sizeof s, .bins = 4, .lo = &lo, .hi = &hi, .counter_width = 4,
  };
  if (unreadable == MAP_FAILED)
    printf("# skipped: no address space for %zu bytes\n", n);
  else {
    REFUSED_WITH_WORDS(histogram_of(c, IW_U8, &s, unreadable, n, counts, NULL), IW_ERROR_OVERFLOW, "4294967296",
            "4294967295");
    s.flags |= IW_HIST_ACCUMULATE;
    REFUSED_WITH_WORDS(histogram_of(c, IW_U8, &s, unreadable, n, counts, NULL), IW_ERROR_OVERFLOW, "4294967296");
    s.lo = s.hi = NULL; /* nor for a range */
    REFUSED_WITH_WORDS(histogram_of(c, IW_U8, &s, unreadable, n, counts, NULL), IW_ERROR_OVERFLOW, "4294967296");
    ck_assert_mem_eq(counts, ((uint32_t[]){ 11, 22, 33, 44 }), sizeof counts);
    munmap(unreadable, n);
  }
  iw_context_close(c);
}
END_TEST

START_TEST(bad_partitions)
{
  iw_context *c = open_default();
  int64_t in[16] = { 0 }, out[16] = { 7 }, pivot = 3;
  uint8_t flags[16] = { 1 };
  size_t count = 55, offsets[8];
  char *const odd = (char *)in + 1;
  const int64_t lo = 0, hi = 100;
  const iw_histogram_spec s = { .size = sizeof s, .bins = 4, .lo = &lo, .hi = &hi };

  INVALID(partition_by_pivot(NULL, IW_I64, in, 16, &pivot, out, &count), "context");
  INVALID(partition_by_pivot(c, (iw_type)(SCANNED_TYPES + 1), in, 16, &pivot, out, &count), "type", "not an iw_type");
  INVALID(partition_by_pivot(c, IW_I64, NULL, 16, &pivot, out, &count), "in", "NULL");
  INVALID(partition_by_pivot(c, IW_I64, in, 16, NULL, out, &count), "test has 0 of ");
  INVALID(partition_by_pivot(c, IW_I64, in, 16, &pivot, NULL, &count), "out", "NULL");
  INVALID(partition_by_pivot(c, IW_I64, in, 16, &pivot, out, NULL), "count", "NULL");
  INVALID(partition_by_pivot(c, IW_I64, odd, 15, &pivot, out, &count), "in", "aligned");
  INVALID(partition_by_pivot(c, IW_I64, in, 15, &pivot, (char *)out + 1, &count), "out", "aligned");
  INVALID(partition_by_pivot(c, IW_I64, in, SIZE_MAX / 8 + 2, &pivot, out, &count), "in");

  INVALID(partition_by_flags(NULL, IW_I64, in, flags, 16, out, &count), "context");
  INVALID(partition_by_flags(c, (iw_type)-1, in, flags, 16, out, &count), "type");
  INVALID(partition_by_flags(c, IW_I64, in, NULL, 16, out, &count), "test has 0 of ");
  INVALID(partition_by_flags(c, IW_I64, NULL, flags, 16, out, &count), "in", "NULL");
  INVALID(partition_by_flags(c, IW_I64, in, flags, 16, NULL, &count), "out", "NULL");
  INVALID(partition_by_flags(c, IW_I64, in, flags, 16, out, NULL), "count", "NULL");

  INVALID(select_by_flags(NULL, IW_I64, in, flags, 16, out, &count), "context");
  INVALID(select_by_flags(c, (iw_type)-1, in, flags, 16, out, &count), "type");
  INVALID(select_by_flags(c, IW_I64, in, NULL, 16, out, &count), "test has 0 of ");
  INVALID(select_by_flags(c, IW_I64, NULL, flags, 16, out, &count), "in", "NULL");
  INVALID(select_by_flags(c, IW_I64, in, flags, 16, NULL, &count), "out", "NULL"); /* one is selected */
  INVALID(select_by_flags(c, IW_I64, in, flags, 16, (char *)out + 1, &count), "out", "aligned");
  INVALID(select_by_flags(c, IW_I64, in, flags, 16, out, NULL), "count", "NULL");

  INVALID(select_bin(NULL, IW_I64, in, 16, &s, 0, out, &count), "context");
  INVALID(select_bin(c, (iw_type)(SCANNED_TYPES + 1), in, 16, &s, 0, out, &count), "not an", "iw_type");
  INVALID(select_bin(c, IW_I64, NULL, 16, &s, 0, out, &count), "in", "NULL");
  INVALID(select_bin(c, IW_I64, in, 16, &s, 4, out, &count), "bin", "4", "3");
  INVALID(select_bin(c, IW_I64, in, 16, &s, SIZE_MAX, out, &count), "bin", "18446744073709551615");
  INVALID(select_bin(c, IW_I64, in, 16, &s, 0, NULL, &count), "out", "NULL");
  INVALID(select_bin(c, IW_I64, in, 16, &s, 0, out, NULL), "count", "NULL");

  INVALID(multisplit_by_bins(NULL, IW_I64, in, 16, &s, out, offsets), "context");
  INVALID(multisplit_by_bins(c, (iw_type)77, in, 16, &s, out, offsets), "type", "77");
  INVALID(multisplit_by_bins(c, (iw_type)-1, in, 16, &s, out, offsets), "-1", "iw_type");
  INVALID(multisplit_by_bins(c, IW_I64, NULL, 16, &s, out, offsets), "in", "NULL");
  INVALID(multisplit_by_bins(c, IW_I64, in, 16, &s, NULL, offsets), "out", "NULL");
  INVALID(multisplit_by_bins(c, IW_I64, in, 16, &s, out, NULL), "offsets", "NULL");
  INVALID(multisplit_by_bins(c, IW_I64, in, 16, &s, out, (size_t *)(void *)((char *)offsets + 4)), "offsets",
          "aligned");
  ck_assert_uint_eq(count, 55);
  ck_assert_int_eq(out[0], 7);
  iw_context_close(c);
}
END_TEST

/* A kernel by its descriptor alone, as another compiler might have left it. */
static size_t blocks_run;
static void count_blocks(iw_block *block, void *shared, const void *args)
{
  (void)shared;
  (void)args;
  blocks_run += block->first_warp == 0;
}
static int not_contracted(void) { return 0; }
static int contracted(void) { return 1; }

START_TEST(bad_launches)
{
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  const iw_kernel good = {
    .size = sizeof good, .name = "count_blocks", .isa = "generic", .warp_size = 32,
        .blocks_per_processor = 1,
    .args = sizeof(int), .run = count_blocks, .fp_contracted = not_contracted,
  };
  const int args = 0;
  iw_kernel other = good;
  iw_context *c;
  FINE(iw_context_open(&c, &o));
  INVALID(iw_launch(NULL, &good, 1, 32, &args, sizeof args), "context");
  INVALID(iw_launch(c, NULL, 1, 32, &args, sizeof args), "kernel", "NULL");
  INVALID(iw_launch(c, &good, 1, 32, NULL, 0), "args", "NULL");
  INVALID(iw_launch(c, &good, 1, 0, &args, sizeof args), "block", "0", "1024");
  INVALID(iw_launch(c, &good, 1, 1025, &args, sizeof args), "block", "1025", "1024");
  other.block = 64;
  INVALID(iw_launch(c, &other, 1, 32, &args, sizeof args), "count_blocks", "64", "32");
#define MISMATCH(field, value, ...) do { \
    other = good; \
    other.field = value; \
    REFUSED_WITH_WORDS(iw_launch(c, &other, 1, 32, &args, sizeof args), IW_ERROR_MISMATCH, __VA_ARGS__); \
  } while (0)
  MISMATCH(size, sizeof good - 8, "headers");
  MISMATCH(isa, "cuda", "count_blocks", "cuda");
  MISMATCH(isa, "mmx", "count_blocks", "mmx");
  MISMATCH(fp_contracted, contracted, "count_blocks", "-ffp-contract=off");
  other = good;
  REFUSED_WITH_WORDS(iw_launch(c, &good, 1, 32, &args, sizeof args + 4), IW_ERROR_MISMATCH, "count_blocks", "8", "4");
  REFUSED_WITH_WORDS(iw_launch(c, &good, 1, 32, &args, 0), IW_ERROR_MISMATCH, "count_blocks", "0", "4");
  ck_assert_uint_eq(blocks_run, 0);
  other.shared = PTRDIFF_MAX; /* more than there is: this launch fails, and the next does not */
  REFUSED_WITH_WORDS(iw_launch(c, &other, 1, 32, &args, sizeof args), IW_ERROR_MEMORY, "memory");
  FINE(iw_launch(c, &good, 0, 32, &args, sizeof args));
  ck_assert_uint_eq(blocks_run, 0);
  FINE(iw_launch(c, &good, 5, 32, &args, sizeof args));
  ck_assert_uint_eq(blocks_run, 5);
  iw_context_close(c);
}
END_TEST

/* ---- Where memory ends ------------------------------------------------------------------------------- */

/* The library's arrays come from posix_memalign, and here that is this one, for a shared library too: it
 * fails when told to. */
static unsigned allocations, allocations_left = UINT32_MAX;
__attribute__((visibility("default"))) int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
  allocations++;
  if (allocations_left == 0)
    return ENOMEM;
  allocations_left--;
  void *const made = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!made)
    return ENOMEM;
  *memory = made;
  return 0;
}

/* Every operation, by number; all write to out, and some to words. */
enum { ELEMENTS = 20000, WORDS_OUT = 1024, OPERATIONS = 10 };
static iw_status operation(iw_context *c, unsigned which, const float *in, const uint8_t *flags, float *out,
                           uint64_t *words)
{
  const float range[] = { 0.25f, 0.75f };
  iw_histogram_spec s = { .size = sizeof s, .bins = 300, .lo = &range[0], .hi = &range[1] };
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = 300 };
  const size_t n = ELEMENTS;
  switch (which) {
  case 0: return iw_inclusive_scan(c, IW_SUM, IW_F32, in, n, out, NULL);
  case 1: return iw_exclusive_scan(c, IW_MIN, IW_F32, in, n, out, NULL);
  case 2: return iw_reduce(c, IW_MAX, IW_F32, in, n, out, NULL);
  case 3: return histogram_of(c, IW_F32, &s, in, n, words, NULL);
  case 4: return histogram_of(c, IW_F32, &automatic, in, n, words, NULL);
  case 5: return partition_by_pivot(c, IW_F32, in, n, &range[0], out, words);
  case 6: return partition_by_flags(c, IW_F32, in, flags, n, out, words);
  case 7: return select_by_flags(c, IW_F32, in, flags, n, out, words);
  case 8: return select_bin(c, IW_F32, in, n, &s, 7, out, words);
  default: return multisplit_by_bins(c, IW_F32, in, n, &s, out, words);
  }
}

/* Whichever of its allocations fails: a status and a message, nothing is written, and the context is as
 * good as new. */
START_TEST(no_memory)
{
  static float in[ELEMENTS], in_before[ELEMENTS], out[ELEMENTS], untouched[ELEMENTS], right[ELEMENTS];
  static uint64_t words[WORDS_OUT], words_untouched[WORDS_OUT], words_right[WORDS_OUT];
  static uint8_t flags[ELEMENTS];
  start_random(902);
  fill(IW_F32, in, ELEMENTS, UNIT);
  memcpy(in_before, in, sizeof in);
  for (size_t i = 0; i < ELEMENTS; i++)
    flags[i] = (uint8_t)random_below(2);
  memset(untouched, 0x5a, sizeof untouched);
  memset(words_untouched, 0x5a, sizeof words_untouched);
  for (iw_blocks blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
    for (unsigned which = 0; which < OPERATIONS; which++) {
      const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1,
                                    .blocks = blocks };
      iw_context *c = open_default();
      memcpy(right, untouched, sizeof right);
      memcpy(words_right, words_untouched, sizeof words_right);
      FINE(operation(c, which, in, flags, right, words_right));
      iw_context_close(c);
      iw_status status = IW_ERROR_MEMORY;
      for (unsigned first = 0; status != IW_OK; first++) {
        ck_assert_uint_lt(first, 20);
        memcpy(out, untouched, sizeof out);
        memcpy(words, words_untouched, sizeof words);
        FINE(iw_context_open(&c, &o));
        allocations = 0;
        allocations_left = first;
        status = operation(c, which, in, flags, out, words);
        allocations_left = UINT32_MAX;
        if (status != IW_OK) {
          REFUSED_WITH_WORDS(status, IW_ERROR_MEMORY, "bytes");
          ck_assert_msg(!memcmp(out, untouched, sizeof out) && !memcmp(words, words_untouched, sizeof words),
                        "operation %u wrote, and then had no memory for allocation %u", which, first + 1);
          ck_assert_uint_eq(allocations, first + 1); /* it stopped there */
          FINE(operation(c, which, in, flags, out, words));
        } else
          ck_assert_msg(first > 0, "operation %u takes no memory", which);
        ck_assert_msg(!memcmp(out, right, sizeof out) && !memcmp(words, words_right, sizeof words),
                      "operation %u is wrong after allocation %u failed", which, first + 1);
        iw_context_close(c);
      }
    }
  ck_assert_mem_eq(in, in_before, sizeof in);
  iw_context *c;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  FINE(iw_context_open(&c, &o));
  void *memory = &c;
  allocations_left = 0;
  REFUSED_WITH_WORDS(iw_memory_allocate(c, 1000, &memory), IW_ERROR_MEMORY, "1000");
  ck_assert_ptr_null(memory);
  REFUSED_WITH_WORDS(iw_context_reserve(c, 1 << 20), IW_ERROR_MEMORY, "bytes");
  allocations_left = UINT32_MAX;
  memcpy(out, in, sizeof in);
  size_t count = 99;
  REFUSED_WITH_WORDS(partition_by_pivot(c, IW_F32, out, ELEMENTS, &in[0], out, &count), IW_ERROR_OVERLAP, ""); /* not reserved */
  ck_assert_uint_eq(count, 99);
  iw_context_close(c);
}
END_TEST

/* More edges than there is address space for. */
START_TEST(no_address_space)
{
  const char *brief = getenv("ISOWARP_TEST_BRIEF");
  const int64_t lo = INT64_MIN, hi = INT64_MAX, in[] = { 1, 2, 3 };
  const iw_histogram_spec s = { .size = sizeof s, .bins = 0x7fffffff, .lo = &lo, .hi = &hi };
  struct rlimit limit, kept;
  iw_context *c = open_default();
  int64_t out[3] = { 7, 7, 7 };
  size_t count = 99;
#ifdef __SANITIZE_ADDRESS__
  brief = "its shadow is larger than any limit";
#endif
  if (brief && *brief && *brief != '0')
    printf("# skipped: no room for a limit\n");
  else {
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &kept), 0);
    limit = kept;
    limit.rlim_cur = (rlim_t)8 << 30;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    const iw_status extracted = select_bin(c, IW_I64, in, 3, &s, 5, out, &count);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &kept), 0);
    REFUSED_WITH_WORDS(extracted, IW_ERROR_MEMORY, "2147483648 edges");
    ck_assert_uint_eq(count, 99);
    ck_assert_int_eq(out[0], 7);
    FINE(iw_inclusive_scan(c, IW_SUM, IW_I64, in, 3, out, NULL));
    ck_assert_int_eq(out[2], 6);
  }
  iw_context_close(c);
}
END_TEST

/* ---- The caller's threads and floating-point state --------------------------------------------------- */

typedef struct work { const float *in; size_t n; int ok; pthread_barrier_t *start; } work;

static void *work_of_thread(void *data)
{
  work *w = data;
  iw_context *context = NULL;
  float *const inclusive = malloc(w->n * sizeof(float)), *const out = malloc(w->n * sizeof(float));
  const float pivot = 0.5f;
  size_t count, right = 0;
  reference_scan(IW_SUM, IW_F32, w->in, w->n, NULL, inclusive, out, &(float){ 0 });
  for (size_t i = 0; i < w->n; i++)
    right += w->in[i] < pivot;
  const iw_context_options o = { .size = sizeof o, .threads = 2 };
  w->ok = iw_context_open(&context, &o) == IW_OK;
  pthread_barrier_wait(w->start);
  for (unsigned round = 0; w->ok && round < 20; round++) {
    w->ok = iw_inclusive_scan(context, IW_SUM, IW_F32, w->in, w->n, out, NULL) == IW_OK
      && !memcmp(out, inclusive, w->n * sizeof(float));
    w->ok = w->ok && partition_by_pivot(context, IW_F32, w->in, w->n, &pivot, out,
                                        &count) == IW_OK && count == right;
  }
  iw_context_close(context);
  free(inclusive);
  free(out);
  return NULL;
}

START_TEST(two_threads)
{
  enum { N = 100000 };
  static float in[2][N];
  pthread_t threads[2];
  pthread_barrier_t barrier;
  work works[2];
  start_random(900);
  fill(IW_F32, in[0], N, WIDE);
  fill(IW_F32, in[1], N, UNIT);
  pthread_barrier_init(&barrier, NULL, 2);
  for (unsigned i = 0; i < 2; i++) {
    works[i] = (work){ in[i], N, 0, &barrier };
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work_of_thread, &works[i]), 0);
  }
  for (unsigned i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    ck_assert_int_eq(works[i].ok, 1);
  }
  pthread_barrier_destroy(&barrier);
}
END_TEST

/* Many contexts at once on one thread, used in turn. */
START_TEST(many_contexts)
{
  enum { MANY = 50 };
  iw_context *contexts[MANY];
  uint32_t in[100], out[100];
  for (unsigned i = 0; i < 100; i++)
    in[i] = 1;
  for (unsigned i = 0; i < MANY; i++)
    contexts[i] = open_default();
  for (unsigned i = 0; i < 2 * MANY; i++) {
    FINE(iw_inclusive_scan(contexts[i % MANY], IW_SUM, IW_U32, in, 100, out, NULL));
    ck_assert_uint_eq(out[99], 100);
  }
  for (unsigned i = 0; i < MANY; i++)
    iw_context_close(contexts[i]);
}
END_TEST

#if defined __aarch64__
static uint64_t get_float_state(void) { uint64_t r; __asm__ volatile("mrs %0, fpcr" : "=r"(r)); return r; }
static void set_float_state(uint64_t r) { __asm__ volatile("msr fpcr, %0" : : "r"(r)); }
static uint64_t flushing(uint64_t state) { return state | (uint64_t)1 << 24; }
#elif defined __x86_64__ || defined __i386__
static uint64_t get_float_state(void) { return _mm_getcsr(); }
static void set_float_state(uint64_t r) { _mm_setcsr((unsigned)r); }
static uint64_t flushing(uint64_t state) { return state | 0x8040; } /* FTZ and DAZ */
#endif

/* Whatever the caller does with subnormals and rounding: results are the same, and it finds its state as it
 * left it. */
START_TEST(float_state)
{
#ifdef FE_UPWARD
  enum { N = 5000, BINS = 33 };
  static float in[N], right[N], out[N];
  float tiny[2] = { 0, 0 }, edges_right[BINS + 1], edges[BINS + 1], lo = 0.1f, hi = 0.9f, total, total_right;
  uint64_t counts_right[BINS], counts[BINS];
  const iw_histogram_spec s = { .size = sizeof s, .bins = BINS, .lo = &lo, .hi = &hi };
  /* Subnormal ranges: lo < hi only where subnormals are numbers. */
  const iw_histogram_spec small = { .size = sizeof small, .bins = 2, .lo = &tiny[0], .hi = &tiny[1] };
  const float one_subnormal[] = { 1e-45f, 4e-45f };
  settings all = settings_open();
  start_random(901);
  fill(IW_F32, in, N / 2, TINY);
  fill(IW_F32, in + N / 2, N - N / 2, UNIT);
  memcpy(&tiny[1], &(uint32_t){ 4 }, 4);
  reference_scan(IW_SUM, IW_F32, in, N, NULL, right, out, &(float){ 0 });
  FINE(write_edges_of(IW_F32, &s, edges_right));
  FINE(histogram_of(all.at[0].context, IW_F32, &s, in, N, counts_right, NULL));
  FINE(iw_reduce(all.at[0].context, IW_MIN, IW_F32, in, N, &total_right, NULL));
  for (int mode = 0; mode < 4; mode++)
    FOR_SETTINGS(at, &all, N) {
      const int rounding = (const int[]){ FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD }[mode];
      fesetround(rounding);
#if defined __aarch64__ || defined __x86_64__ || defined __i386__
      const uint64_t state = flushing(get_float_state());
      set_float_state(state);
#endif
      const iw_status scanned = iw_inclusive_scan(at->context, IW_SUM, IW_F32, in, N, out, NULL);
      const iw_status counted = histogram_of(at->context, IW_F32, &s, in, N, counts, NULL);
      const iw_status edged = write_edges_of(IW_F32, &s, edges);
      const iw_status reduced = iw_reduce(at->context, IW_MIN, IW_F32, in, N, &total, NULL);
      uint64_t two[2] = { 0 };
      const iw_status tiny_one = histogram_of(at->context, IW_F32, &small, one_subnormal, 1, two, NULL);
      const int kept_rounding = fegetround();
#if defined __aarch64__ || defined __x86_64__ || defined __i386__
      const uint64_t control = get_float_state();
      set_float_state(state & ~flushing(0));
#if defined __x86_64__ || defined __i386__
      ck_assert_msg((control & ~(uint64_t)0x3f) == (state & ~(uint64_t)0x3f),
                    "the caller's state 0x%x came back as 0x%x",
                    (unsigned)state, (unsigned)control); /* the lowest bits say what happened */
#else
      ck_assert_uint_eq(control, state);
#endif
#endif
      fesetround(FE_TONEAREST);
      ck_assert_int_eq(kept_rounding, rounding);
      ck_assert_int_eq(scanned + counted + edged + reduced + tiny_one, IW_OK);
      SAME(at, "scan under the caller's state", right, out, N, 4);
      SAME(at, "edges under the caller's state", edges_right, edges, BINS + 1, 4);
      SAME(at, "counts under the caller's state", counts_right, counts, BINS, 8);
      SAME(at, "min under the caller's state", &total_right, &total, 1, 4);
      ck_assert_uint_eq(two[0], 1);
      ck_assert_uint_eq(two[1], 0);
    }
  settings_close(&all);
#endif
}
END_TEST

/* Traps that the caller enabled do not fire for the library's own NaN and overflows. */
START_TEST(float_traps)
{
#if defined __x86_64__
  settings all = settings_open();
  const float in[] = { NAN, INFINITY, -INFINITY, 1e38f, 3e38f, 1e-45f, 1 }, pivot = 0;
  float out[7];
  size_t count;
  const iw_histogram_spec s = { .size = sizeof s, .bins = 3, .lo = &in[6], .hi = &in[3] };
  uint64_t counts[3];
  FOR_SETTINGS(at, &all, 7) {
    if (on_cuda(at)) /* the driver's own arithmetic is not the library's to guard */
      continue;
    const unsigned state = _mm_getcsr();
    _mm_setcsr(state & ~0x1f80u); /* all exceptions trap */
    iw_status status = iw_inclusive_scan(at->context, IW_SUM, IW_F32, in, 7, out, NULL);
    status += iw_reduce(at->context, IW_MAX, IW_F32, in, 7, out, NULL);
    status += partition_by_pivot(at->context, IW_F32, in, 7, &pivot, out, &count);
    status += histogram_of(at->context, IW_F32, &s, in, 7, counts, NULL);
    _mm_setcsr(state);
    ck_assert_int_eq(status, IW_OK);
  }
  settings_close(&all);
#endif
}
END_TEST

/* ---- The typed layer: every type; tests/scripts/typed.c has every call ------------------------------- */

START_TEST(typed)
{
  iw_context *c = open_default();
  const uint8_t flags[8] = { 1, 0, 255, 0, 128, 0, 0, 2 };
  const iw_test flagged = { .size = sizeof flagged, .flags = flags };
#define X(name, T, element, R) { \
    const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, lo = 0, hi = 9; \
    T out[8], rest[8], total = 3; \
    size_t count, offsets[4]; \
    uint64_t counts[2]; \
    uint32_t narrow[2]; \
    iw_histogram_spec s = { .size = sizeof s, .type = element, .bins = 2, .lo = &lo, .hi = &hi }; \
    T *const none = NULL; \
    iw_histogram_report report = { .size = sizeof report }; \
    ck_assert_int_eq(IWT_TYPE(in), element); \
    FINE(iwt_inclusive_scan(c, IW_SUM, in, 8, out, NULL)); \
    ck_assert(out[7] == 40 && out[2] == 12); \
    FINE(iwt_inclusive_scan(c, IW_SUM, in, 8, out, IW_OPTIONS(iw_scan_options, .init = &total))); \
    ck_assert(out[7] == 43 && out[2] == 15); \
    FINE(iwt_exclusive_scan(c, IW_MAX, in, 8, out, IWT_INIT(in, 5))); \
    ck_assert(out[0] == 5 && out[1] == 5 && out[7] == 9); \
    FINE(iwt_reduce(c, IW_SUM, in, 8, &total, IW_OPTIONS(iw_scan_options, .init = &total))); \
    ck_assert(total == 43); \
    FINE(iwt_argmin(c, in, 8, &count, &total, NULL)); \
    ck_assert(in[count] == 1 && total == 1); \
    FINE(iwt_argmax(c, in, 8, &count, NULL, NULL)); \
    ck_assert(in[count] == 9); \
    FINE(iwt_histogram(c, &s, in, 8, counts, IW_OPTIONS(iw_histogram_options, .report = &report))); \
    ck_assert(counts[0] == 4 && counts[1] == 3 && report.overflow == 1 && report.underflow == 0); \
    FINE(iwt_histogram(c, &s, in, 8, narrow, NULL)); \
    ck_assert(narrow[0] == 4 && narrow[1] == 3); \
    FINE(iwt_partition(c, IWT_COMPARE(in, IW_LESS, 5), in, 8, out, &count, NULL)); \
    ck_assert(count == 4 && out[3] == 4 && out[4] == 9); \
    FINE(iwt_partition(c, &flagged, in, 8, out, &count, IW_OPTIONS(iw_move_options, .rest = rest))); \
    ck_assert(count == 4 && out[2] == 3 && out[3] == 6 && rest[0] == 9); \
    FINE(iwt_select_if(c, &flagged, in, 8, out, &count, NULL)); \
    ck_assert(count == 4 && out[3] == 6); \
    FINE(iwt_select_if(c, (&(iw_test){ .size = sizeof(iw_test), .bins = &s, .bin = 1 }), in, 8, out, &count, NULL)); \
    ck_assert(count == 3 && out[0] == 8 && out[2] == 6); \
    FINE(iwt_multisplit(c, (&(iw_buckets){ .size = sizeof(iw_buckets), .bins = &s }), in, 8, out, offsets, NULL)); \
    ck_assert(offsets[1] == 4 && offsets[2] == 7 && out[0] == 1 && out[6] == 6 && out[7] == 9); \
    FINE(iwt_multisplit(c, (&(iw_buckets){ .size = sizeof(iw_buckets), .pivot = &in[7] }), in, 8, out, offsets, NULL)); \
    ck_assert(offsets[1] == 4 && offsets[2] == 5 && offsets[3] == 8 && out[4] == 6); \
    const struct sixteen { char at[16]; } values[8] = { { "a" }, { "b" }, { "c" }, { "d" }, { "e" }, { "f" }, { "g" }, { "h" } }; \
    struct sixteen moved[8], others[8]; \
    uint32_t permutation[8]; \
    uint64_t indices[8]; \
    const iw_payload split[] = { IWT_PAYLOAD(in, out, NULL), IWT_PAYLOAD(values, moved, NULL), IWT_INDICES(permutation, NULL) }; \
    FINE(iwt_multisplit(c, (&(iw_buckets){ .size = sizeof(iw_buckets), .bins = &s }), in, 8, none, offsets, \
                        IW_OPTIONS(iw_move_options, .payloads = split, .payload_count = 3))); \
    ck_assert(out[4] == 8 && moved[0].at[0] == 'a' && moved[4].at[0] == 'd' && permutation[4] == 3); \
    const iw_payload sides[] = { IWT_PAYLOAD(in, out, rest), IWT_PAYLOAD(values, moved, others) }; \
    FINE(iwt_partition(c, IWT_COMPARE(in, IW_LESS, 3), in, 8, none, &count, IW_OPTIONS(iw_move_options, .payloads = sides, .payload_count = 2))); \
    ck_assert(count == 2 && out[1] == 2 && moved[1].at[0] == 'c' && rest[0] == 9 && others[0].at[0] == 'b'); \
    FINE(iwt_select_if(c, IWT_COMPARE(in, IW_LESS, 3), in, 8, none, &count, \
                       IW_OPTIONS(iw_move_options, .payloads = (&(iw_payload)IWT_INDICES(indices, NULL)), .payload_count = 1))); \
    ck_assert(count == 2 && indices[0] == 0 && indices[1] == 2); \
    FINE(iwt_unique(c, in, 8, out, &count, NULL)); \
    ck_assert(count == 8 && out[7] == 6); \
    FINE(iwt_run_lengths(c, in, 8, out, indices, &count)); \
    ck_assert(count == 8 && indices[7] == 1); \
  }
  FOR_6_TYPES(X)
#undef X
  const uint8_t bytes[] = { 1, 2, 250 }, lo8 = 0, hi8 = 4;
  const uint16_t words[] = { 1, 2, 60000 }, lo16 = 0, hi16 = 4;
  uint64_t counts[2];
  iw_histogram_spec s = { .size = sizeof s, .bins = 2, .lo = &lo8, .hi = &hi8 };
  FINE(iwt_histogram(c, &s, bytes, 3, counts, NULL));
  ck_assert(counts[0] == 1 && counts[1] == 1);
  s.lo = &lo16, s.hi = &hi16;
  FINE(iwt_histogram(c, &s, words, 3, counts, NULL));
  ck_assert(counts[0] == 1 && counts[1] == 1);
  iw_context_close(c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("api");
  TCase *c = new_case(suite, "names, contexts and memory");
  tcase_add_test(c, messages); /* first: no call failed yet */
  tcase_add_test(c, names);
  tcase_add_test(c, instruction_sets);
  tcase_add_test(c, options);
  tcase_add_test(c, cuda);
  tcase_add_test(c, environment);
  tcase_add_test(c, teams);
  tcase_add_test(c, memory);
  c = new_case(suite, "arguments");
  tcase_add_test(c, bad_scans);
  tcase_add_test(c, bad_specs);
  tcase_add_test(c, bad_histograms);
  tcase_add_test(c, narrow_counters);
  tcase_add_test(c, bad_partitions);
  tcase_add_test(c, bad_launches);
  c = new_case(suite, "where memory ends");
  tcase_add_test(c, no_memory);
  tcase_add_test(c, no_address_space);
  c = new_case(suite, "the caller");
  tcase_add_test(c, two_threads);
  tcase_add_test(c, many_contexts);
  tcase_add_test(c, float_state);
  tcase_add_test(c, float_traps);
  tcase_add_test(c, typed);
  return run_suite_on_all(suite);
}
