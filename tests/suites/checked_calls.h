/* SPDX-License-Identifier: Apache-2.0
 *
 * Random calls of all of isowarp.h, each compared with a scalar reference: for tests/suites/differential.c,
 * where a generator makes the choices, and tests/fuzz/calls.c, where the bytes of an input do.
 * tests/suites/check_cuda.c has random calls that compare a device with a CPU.
 *
 * A case makes its choices, places its arrays, computes what its outputs should be, and runs the call in
 * one or more settings. Arrays begin or end at a page that cannot be accessed, and have known bytes beside
 * them. Inputs have to be unchanged afterwards. A case may also be spoiled: one argument is replaced by a
 * bad one; the call then fails and leaves its outputs unchanged, or the argument was good after all.
 *
 * Includers define WITHOUT_CHECK, and before the inclusion, if choices are not random: choice().
 */
#ifndef TESTS_CHECKED_CALLS_H
#define TESTS_CHECKED_CALLS_H

#include "reference.h"
#include "reference_segments.h"
#include "reference_sort.h"
#include "reference_sums.h"
#include <isowarp/strategies.h>

#ifndef CHOOSE_DEFINED
static inline uint64_t choice(uint64_t n) { return random_below(n); }
static inline int choose_bytes(void *bytes, size_t n) { (void)bytes, (void)n; return 0; }
#endif

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Arrays ------------------------------------------------------------------------------------------ */

enum { ITEMS = 40, UNTOUCHED = 0x55, SIDE = 64, PAGE_BYTES = 1 << 16 };

/* An array of the case. */
typedef struct item {
  const char *name;
  unsigned char *at;
  size_t bytes, size;
  int output;
  unsigned char *right;    /* what an output should hold, at first what it holds before the call */
  unsigned char *initial;  /* NULL: UNTOUCHED */
  uint64_t sum;            /* of an input */
} item;

static struct {
  settings settings;
  size_t most;                          /* elements of an array */
  unsigned char *arenas[ITEMS];
  size_t room;
  item items[ITEMS];
  unsigned count, run, runs[MOST_SETTINGS], run_count;
  char what[240];
  unsigned spoil;                       /* arguments before the one that is spoiled, from 1; 0: none */
  int spoiled;
  size_t n;
  unsigned long long calls, refused, elements[MOST_SETTINGS];
} the;

/* Opens a context on every instruction set of this machine with 1, 2, 3 and 7 threads, in both block
 * modes. */
static void calls_open(size_t most_elements)
{
  static const unsigned threads[] = { 1, 2, 3, 7 };
  for (unsigned i = 0; iw_isa_name(i); i++)
    for (unsigned shape = 0; iw_isa_available(iw_isa_name(i)) && shape < SHAPES; shape++) {
      setting *const s = &the.settings.at[the.settings.count++];
      *s = (setting){ .isa = iw_isa_name(i), .threads = threads[shape / 2],
                      .blocks = shape % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD };
      const iw_context_options options = {
        .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = s->isa, .threads = s->threads, .blocks = s->blocks,
      };
      ck_assert_msg(iw_context_open(&s->context, &options) == IW_OK, "%s", iw_message());
    }
  the.settings.cpus = the.settings.count;
  the.most = most_elements;
  the.room = (most_elements * 16 + 4 * SIDE + PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
  for (unsigned i = 0; i < ITEMS; i++) {
    unsigned char *const map = mmap(NULL, the.room + 2 * PAGE_BYTES, PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_msg(map != MAP_FAILED && !mprotect(map + PAGE_BYTES, the.room, PROT_READ | PROT_WRITE),
                  "no address space for arrays of %zu bytes", the.room);
    the.arenas[i] = map + PAGE_BYTES;
  }
}

static uint64_t sum_of(const unsigned char *bytes, size_t n)
{
  uint64_t sum = n, word;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&word, bytes + i, 8);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  for (; i < n; i++)
    sum = (sum ^ bytes[i]) * 0xd1342543de82ef95u;
  return sum;
}

/* Begins where an arena begins or ends where it ends, or a few elements from there. */
static item *place(const char *name, size_t size, size_t n, int output)
{
  ck_assert_msg(the.count < ITEMS && n <= (the.room - 2 * SIDE) / size - 8, "too many arrays, or too large: %zu", n);
  item *const it = &the.items[the.count];
  unsigned char *const base = the.arenas[the.count++];
  const size_t where = choice(8), shift = where < 4 ? 0 : (where / 2 - 1) * (size > 8 ? 8 : size), bytes = n * size;
  *it = (item){ .name = name, .bytes = bytes, .size = size, .output = output };
  it->at = where % 2 ? base + shift : base + the.room - bytes - shift;
  memset(it->at - (where % 2 ? shift : SIDE), FENCE_BYTE, where % 2 ? shift : SIDE);
  memset(it->at + bytes, FENCE_BYTE, where % 2 ? SIDE : shift);
  if (output) {
    it->right = malloc(bytes + 1);
    ck_assert_ptr_nonnull(it->right);
    memset(it->right, UNTOUCHED, bytes);
  }
  return it;
}

/* An array that the call may not change; NULL now and then if it has no elements. */
static void *input(const char *name, size_t size, size_t n) { return place(name, size, n, 0)->at; }

/* An array that the call writes to, of which ->right has what should be there. */
static item *output(const char *name, size_t size, size_t n) { return place(name, size, n, 1); }

/* The output begins with these values. */
static void begin_with(item *it, const void *values)
{
  it->initial = malloc(it->bytes + 1);
  ck_assert_ptr_nonnull(it->initial);
  memcpy(it->initial, values, it->bytes);
  memcpy(it->right, values, it->bytes);
}

/* ---- Settings and outcomes --------------------------------------------------------------------------- */

static void seal(void)
{
  for (unsigned i = 0; i < the.count; i++)
    the.items[i].sum = the.items[i].output ? 0 : sum_of(the.items[i].at, the.items[i].bytes);
}

static setting *next_run(void)
{
  if (the.run == 0)
    seal();
  if (the.run == the.run_count)
    return NULL;
  for (unsigned i = 0; i < the.count; i++) {
    item *const it = &the.items[i];
    if (it->output && it->initial)
      memcpy(it->at, it->initial, it->bytes);
    else if (it->output)
      memset(it->at, UNTOUCHED, it->bytes);
  }
  return &the.settings.at[the.runs[the.run++]];
}
#define FOR_RUNS(s) for (setting *s; (s = next_run()) != NULL;)

#define CASE_IS(s, condition, ...) do { if (!(condition)) { char why_[600]; snprintf(why_, sizeof why_, __VA_ARGS__); \
  ck_abort_msg("%s, n = %zu%s, on %s: %s", the.what, the.n, the.spoiled ? ", spoiled" : "", shape(s).s, why_); } \
  } while (0)

/* What has to hold after each call. may_fail: arguments that the reference does not judge. */
static void judge_any(const setting *s, iw_status status, int may_fail)
{
  the.calls++;
  the.refused += status != IW_OK;
  the.elements[s - the.settings.at] += status == IW_OK ? the.n : 0;
  const int checked = status / 100 == 1;
  CASE_IS(s, the.spoiled || may_fail || status == IW_OK, "%s (%s)", iw_status_name(status), iw_message());
  CASE_IS(s, status == IW_OK || strlen(iw_message()) > 8, "%s without a message", iw_status_name(status));
  for (unsigned i = 0; i < the.count; i++) {
    const item *const it = &the.items[i];
    const unsigned char *const base = the.arenas[i];
    for (size_t k = 1; k <= SIDE; k++) {
      CASE_IS(s, (size_t)(it->at - base) < k || it->at[-(ptrdiff_t)k] == FENCE_BYTE,
              "%s was written %zu bytes before its begin", it->name, k);
      CASE_IS(s, it->at + it->bytes + k > base + the.room || it->at[it->bytes + k - 1] == FENCE_BYTE,
              "%s was written %zu bytes behind its end", it->name, k);
    }
    if (!it->output)
      CASE_IS(s, it->sum == sum_of(it->at, it->bytes), "%s was changed, which is an input", it->name);
    else if (status == IW_OK && !the.spoiled) {
      const size_t at = first_difference(it->right, it->at, it->bytes / it->size, it->size);
      const size_t part = it->size > 8 ? 8 : it->size;
      CASE_IS(s, at == SIZE_MAX, "%s: element %zu of %zu is %s, should be %s", it->name, at, it->bytes / it->size,
              hex(it->at, at * (it->size / part), part).s, hex(it->right, at * (it->size / part), part).s);
    } else if (checked) {
      for (size_t k = 0; k < it->bytes; k++)
        CASE_IS(s, it->at[k] == (it->initial ? it->initial[k] : UNTOUCHED),
                "%s was changed by a call that is %s (%s)", it->name, iw_status_name(status), iw_message());
    }
  }
}
static void judge(const setting *s, iw_status status) { judge_any(s, status, 0); }

static void end_case(void)
{
  for (unsigned i = 0; i < the.count; i++) {
    free(the.items[i].right);
    free(the.items[i].initial);
  }
  the.count = the.run = 0;
}

/* ---- Bad arguments ----------------------------------------------------------------------------------- */

static int spoil_this(void)
{
  if (!the.spoil || --the.spoil)
    return 0;
  return the.spoiled = 1;
}

/* NULL, or between two elements. */
static void *bad_pointer(const void *good, size_t size)
{
  return size > 1 && choice(2) ? (void *)((uintptr_t)good + 1 + choice(size - 1)) : NULL;
}
#define SPOIL_POINTER(pointer, size) do { if (spoil_this()) (pointer) = bad_pointer(pointer, size); } while (0)
#define SPOIL_NULL(pointer) do { if (spoil_this()) (pointer) = NULL; } while (0)
/* No array has so many elements, whatever their size. */
#define SPOIL_N(n) do { if (spoil_this()) \
  (n) = choice(2) ? SIZE_MAX - choice(3) : (size_t)PTRDIFF_MAX + 1 + choice(3); } while (0)
/* Not larger: a struct of a newer header is larger, and all of it may be read. */
#define SPOIL_SIZE(size) do { if (spoil_this()) (size) = choice(8); } while (0)
/* In no enumeration. */
#define SPOIL_ENUM(type, value) do { if (spoil_this()) (value) = (type)(choice(2) ? 99 : -1); } while (0)
/* An output that begins one of its elements behind the begin of an input of `bytes`, in that input. */
#define SPOIL_OVERLAP(out, in, size, bytes) do { if ((size) < (bytes) && spoil_this()) \
  (out) = (void *)((uintptr_t)(in) + (size)); } while (0)

/* ---- Choices ----------------------------------------------------------------------------------------- */

enum { TYPES = IW_F64 + 1, RUNS = FLAVOURS, BYTES, ALL_FLAVOURS };

static inline int one_in(size_t n) { return choice(n) == 0; }
static inline iw_type choose_type(size_t smallest) { return (iw_type)(smallest + choice(TYPES - smallest)); }
static inline iw_type choose_any_type(void) { return (iw_type)(IW_U8 + choice(IW_BF16)); }

/* A size whose logarithm is uniform, often next to a power of two. */
static size_t choose_size(size_t most)
{
  unsigned bits = 0;
  while (bits < 60 && most >> bits)
    bits++;
  const unsigned e = (unsigned)choice(bits + 1);
  if (e == 0)
    return 0;
  const size_t power = (size_t)1 << (e - 1), n = one_in(3) ? power + choice(3) - 1 : power + choice(power);
  return n < most ? n : most;
}

static int fill_any(iw_type type, void *values, size_t n)
{
  const int flavour = (int)choice(ALL_FLAVOURS);
  if (flavour == BYTES && choose_bytes(values, n * iw_type_size(type)))
    return flavour;
  if (flavour >= RUNS)
    fill_runs(type, values, n);
  else
    fill(type, values, n, flavour);
  return flavour;
}

static void *any_input(const char *name, iw_type type, size_t n, int *flavour)
{
  void *const values = input(name, iw_type_size(type), n);
  const int filled = fill_any(type, values, n);
  if (flavour)
    *flavour = filled;
  return values;
}

/* A value of the array's, or one like them. */
static word any_word(iw_type type, const void *values, size_t n)
{
  word w = { .u64 = 0 };
  if (n && one_in(2))
    memcpy(&w, (const char *)values + choice(n) * iw_type_size(type), iw_type_size(type));
  else
    put(type, &w, 0, random_word(type, (int)choice(FLAVOURS)));
  return w;
}

/* ---- Scan and reduce --------------------------------------------------------------------------------- */


/* The elements in a wider type. */
static void *widened(iw_type in_type, iw_type type, const void *in, size_t n)
{
  char *const out = malloc(n * 8 + 1);
  for (size_t i = 0; i < n; i++)
    put(type, out, i, widened_word(in_type, in, i, type));
  return out;
}

/* Of the first `ops` operators one that takes the type. */
static iw_op choose_op(iw_type type, unsigned ops)
{
  const iw_op op = op_at((unsigned)choice(ops));
  return has_operation(op, type) ? op : IW_MAX;
}

/* Where segments begin, and where the last one ends, in room for 301 places. Returns the number of
 * segments. */
static size_t choose_places(size_t n, size_t *places)
{
  size_t at = choice(n + 1), count = 0;
  for (const size_t most = choice(300); count < most && at <= n; at += choice(one_in(3) ? n / 2 + 2 : 5))
    places[count++] = at;
  places[count] = count ? places[count - 1] : at < n ? at : n; /* the last segment is empty */
  return count;
}

/* Offsets of a type as an input. */
static void *offsets_input(iw_type type, const size_t *places, size_t count)
{
  void *const offsets = input("offsets", iw_type_size(type), count + 1);
  for (size_t k = 0; k <= count; k++)
    put(type, offsets, k, (word){ .u64 = places[k] });
  return offsets;
}

enum { PLAIN, WIDER, SPEC, BY_FLAGS, BY_KEYS, BY_ROWS, BY_PLACES, SCAN_FORMS };

static void scan_case(void)
{
  static const char *const forms[] = { "scan", "sum in a wider type", "scan by a spec", "segments by flags",
                                       "segments by keys", "segments by rows", "segments by offsets" };
  const int form = (int)choice(SCAN_FORMS), exclusive = one_in(2), with_init = one_in(2);
  iw_type type = choose_any_type(), in_type = type, key_type = choose_any_type();
  iw_op op = form == WIDER ? IW_SUM : choose_op(type, form == BY_FLAGS || form == BY_KEYS ? SEGMENT_OPS : ALL_OPS);
  if (form == WIDER) {
    const size_t pair = choice(WIDER_SUMS);
    in_type = wider_sums[pair].in;
    type = wider_sums[pair].sum;
  }
  size_t n = the.n, columns = 0;
  if (form == BY_ROWS) {
    columns = 1 + choose_size(n);
    the.n = n = n / columns * columns;
  }
  const size_t size = iw_type_size(type);
  const int in_place = form != WIDER && one_in(3);
  const void *in = any_input("in", in_type, n, NULL), *init = NULL;
  if (with_init) {
    word *const first = input("init", size, 1);
    const word w = any_word(type, in, in_type == type ? n : 0);
    memcpy(first, &w, size);
    init = first;
  }
  uint8_t *heads = NULL;
  iw_segments segments = { .size = sizeof segments };
  size_t places[301], count = 0;
  if (form == BY_ROWS)
    segments = by_rows(columns);
  else if (form == BY_PLACES) {
    const iw_type offset_type = one_in(2) ? IW_U32 : IW_U64;
    count = choose_places(n, places);
    segments = by_offsets(offset_type, offsets_input(offset_type, places, count), count);
  }
  else if (form >= BY_FLAGS) {
    heads = form == BY_FLAGS ? any_input("flags", IW_U8, n, NULL) : calloc(n + 1, 1);
    if (form == BY_FLAGS)
      segments = by_flags(heads);
    else
      segments = by_keys(key_type, any_input("keys", key_type, n, NULL));
    const size_t key = iw_type_size(key_type);
    for (size_t i = 0; form != BY_FLAGS && i < n; i++)
      heads[i] = i == 0 || memcmp((const char *)segments.keys + i * key, (const char *)segments.keys + (i - 1) * key, key);
  }
  snprintf(the.what, sizeof the.what, "%s%s by %s of %s%s%s", exclusive ? "exclusive " : "", forms[form], op_name(op),
           iw_type_name(in_type), init ? ", init" : "", in_place ? ", in place" : "");
  item *const result = output("out", size, n);
  if (in_place)
    begin_with(result, in);
  void *const other = malloc(n * size + 1), *const inclusive = exclusive ? other : result->right;
  void *const exclusives = exclusive ? (void *)result->right : other;
  if (form == WIDER) {
    void *const wide_in = widened(in_type, type, in, n);
    reference_scan(op, type, wide_in, n, init, inclusive, exclusives, NULL);
    free(wide_in);
  } else if (form == BY_ROWS)
    reference_rows(op, type, in, n, columns, init, inclusive, exclusives);
  else if (form == BY_PLACES)
    for (size_t k = 0; k < count; k++)
      reference_scan(op, type, (const char *)in + places[k] * size, places[k + 1] - places[k], init,
                     (char *)inclusive + places[k] * size, (char *)exclusives + places[k] * size, NULL);
  else if (heads)
    reference_segments(op, type, in, heads, n, init, inclusive, exclusives);
  else
    reference_scan(op, type, in, n, init, inclusive, exclusives, NULL);
  free(other);
  if (heads && form != BY_FLAGS)
    free(heads);

  void *out = result->at;
  in = in_place ? out : in;
  iw_scan_options options = { .size = sizeof options, .init = init, .out_type = type, .segments = form >= BY_FLAGS ? &segments : NULL };
  SPOIL_OVERLAP(out, in, size, n * iw_type_size(in_type));
  SPOIL_POINTER(in, iw_type_size(in_type));
  SPOIL_POINTER(out, size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_POINTER(init, size);
  SPOIL_SIZE(options.size);
  SPOIL_ENUM(iw_type, options.out_type);
  SPOIL_ENUM(iw_type, in_type);
  SPOIL_POINTER(options.init, size);
  SPOIL_SIZE(segments.size);
  SPOIL_ENUM(iw_segments_kind, segments.kind);
  SPOIL_NULL(segments.flags);
  SPOIL_POINTER(segments.keys, iw_type_size(key_type));
  SPOIL_ENUM(iw_type, segments.key_type);
  if (form == BY_PLACES) {
    SPOIL_POINTER(segments.offsets, iw_type_size(segments.offset_type));
    SPOIL_ENUM(iw_type, segments.offset_type);
  }
  if (form == BY_ROWS && n > 1 && spoil_this())
    segments.columns = choice(2) ? 0 : SIZE_MAX;
  SPOIL_NULL(op);
  FOR_RUNS(s)
    judge(s, (exclusive ? iw_exclusive_scan : iw_inclusive_scan)(s->context, op, in_type, in, n, out, &options));
}

static void reduce_case(void)
{
  const int form = (int)choice(3), with_init = one_in(2); /* PLAIN, WIDER, SPEC */
  iw_type type = choose_any_type(), in_type = type;
  iw_op op = form == WIDER ? IW_SUM : choose_op(type, ALL_OPS);
  if (form == WIDER) {
    const size_t pair = choice(WIDER_SUMS);
    in_type = wider_sums[pair].in;
    type = wider_sums[pair].sum;
  }
  size_t n = the.n;
  const size_t size = iw_type_size(type);
  const void *in = any_input("in", in_type, n, NULL), *init = NULL;
  const word first = any_word(type, in, in_type == type ? n : 0);
  const int own = with_init && one_in(3); /* the result may be the init */
  snprintf(the.what, sizeof the.what, "reduce by %s of %s in %s%s", op_name(op), iw_type_name(in_type),
           iw_type_name(type), with_init ? ", init" : "");
  item *const out = output("result", size, 1);
  if (own) {
    begin_with(out, &first);
    init = out->at;
  } else if (with_init)
    init = memcpy(input("init", size, 1), &first, size);
  void *const values = widened(in_type, type, in, form == WIDER ? n : 0), *const scanned = malloc(n * size + 1);
  reference_scan(op, type, form == WIDER ? values : in, n, with_init ? &first : NULL, scanned, NULL, out->right);
  free(values);
  free(scanned);
  void *result = out->at;
  iw_scan_options options = { .size = sizeof options, .init = init, .out_type = form == PLAIN ? (iw_type)0 : type };
  SPOIL_POINTER(in, iw_type_size(in_type));
  SPOIL_POINTER(result, size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, in_type);
  SPOIL_POINTER(options.init, size);
  SPOIL_SIZE(options.size);
  if (form != PLAIN)
    SPOIL_ENUM(iw_type, options.out_type);
  FOR_RUNS(s)
    judge(s, iw_reduce(s->context, op, in_type, in, n, result, &options));
}

/* The index of the first of n elements that is *value, 0 if n is 0. */
static size_t first_equal(iw_type type, const char *in, size_t n, const void *value)
{
  const size_t size = iw_type_size(type);
  size_t first = 0;
  for (; first < n; first++) {
    word w = { .u64 = 0 };
    memcpy(&w, in + first * size, size);
    w = one_nan(type, w);
    if (!memcmp(&w, value, size))
      break;
  }
  return n ? first : 0;
}

/* Reductions, argmin and argmax of rows and columns, of segments by offsets, and of runs by key and by
 * flags. */
static void segments_case(void)
{
  enum { BY_ROWS, BY_COLUMNS, BY_OFFSETS, BY_KEYS, BY_FLAGS };
  const unsigned form = (unsigned)choice(5);
  const int is_wider = one_in(3), wants_init = one_in(2), wants_keys = form == BY_KEYS && !one_in(3);
  iw_type type = choose_any_type(), in_type = type;
  iw_op op = is_wider ? IW_SUM : choose_op(type, ALL_OPS);
  const int finds = !is_wider && (op == IW_MIN || op == IW_MAX) && one_in(2), wants_values = !finds || !one_in(4);
  const int with_init = wants_init && !finds;
  const iw_type key_type = form == BY_KEYS ? choose_any_type() : IW_U8, offset_type = one_in(2) ? IW_U32 : IW_U64;
  if (is_wider) {
    const size_t pair = choice(WIDER_SUMS);
    in_type = wider_sums[pair].in;
    type = wider_sums[pair].sum;
  }
  const size_t columns = form <= BY_COLUMNS ? 1 + choice(one_in(2) ? 300 : the.n + 1) : 0;
  size_t n = columns ? the.n / columns * columns : the.n, count = 0;
  const size_t size = iw_type_size(type), in_size = iw_type_size(in_type), key_size = iw_type_size(key_type);
  const void *in = any_input("in", in_type, n, NULL), *init = NULL;
  const word init_word = any_word(type, in, in_type == type ? n : 0);
  snprintf(the.what, sizeof the.what, "%s by %s of %s in %s%s, of segments of kind %u", finds ? "find" : "reduce", op_name(op),
           iw_type_name(in_type), iw_type_name(type), with_init ? ", init" : "", form);
  if (with_init)
    init = memcpy(input("init", size, 1), &init_word, size);
  /* Where segments begin, and behind them where the last one ends. */
  size_t *const places = malloc((the.n + 302) * sizeof *places);
  const char *runs = NULL;
  if (form >= BY_KEYS)
    runs = any_input(form == BY_KEYS ? "keys" : "flags", key_type, n, NULL);
  /* Of columns, in the transposed matrix. */
  const size_t length = form == BY_COLUMNS ? n / columns : columns;
  if (form <= BY_COLUMNS)
    for (; count < (form == BY_COLUMNS ? columns : n / columns); count++)
      places[count] = count * length;
  else if (form == BY_OFFSETS)
    count = choose_places(n, places);
  else
    for (size_t i = 0; i < n; i++)
      if (i == 0 || (form == BY_FLAGS ? runs[i] != 0 : memcmp(runs + i * key_size, runs + (i - 1) * key_size, key_size) != 0))
        places[count++] = i;
  if (form != BY_OFFSETS)
    places[count] = n;
  void *offsets = form == BY_OFFSETS ? offsets_input(offset_type, places, count) : NULL;
  item *const out = output("results", size, count), *const unique = output("unique_keys", key_size, wants_keys ? count : 0);
  item *const count_item = output("count", sizeof(size_t), form >= BY_KEYS), *const first = output("indices", sizeof(size_t), finds ? count : 0);
  if (form >= BY_KEYS)
    memcpy(count_item->right, &count, sizeof count);
  void *const values = widened(in_type, type, in, is_wider ? n : 0), *const scanned = malloc(n * size + 1);
  char *const turned = malloc(form == BY_COLUMNS ? n * size + 1 : 1);
  const char *elements = is_wider ? values : in;
  if (form == BY_COLUMNS) {
    for (size_t i = 0; i < n; i++)
      memcpy(turned + (i % columns * length + i / columns) * size, elements + i * size, size);
    elements = turned;
  }
  for (size_t k = 0; k < count; k++) {
    reference_scan(op, type, elements + places[k] * size, places[k + 1] - places[k],
                   with_init ? &init_word : NULL, scanned, NULL, out->right + k * size);
    const size_t index = finds ? first_equal(type, elements + places[k] * size, places[k + 1] - places[k], out->right + k * size) : 0;
    if (finds)
      memcpy(first->right + k * sizeof index, &index, sizeof index);
    if (wants_keys)
      memcpy(unique->right + k * key_size, runs + places[k] * key_size, key_size);
  }
  if (!wants_values)
    memset(out->right, UNTOUCHED, count * size);
  free(values);
  free(turned);
  free(scanned);
  free(places);
  iw_segments segments = form == BY_ROWS ? by_rows(columns) : form == BY_COLUMNS ? by_columns(columns) : form == BY_OFFSETS ? by_offsets(offset_type, offsets, count)
                         : form == BY_KEYS ? by_keys(key_type, runs) : by_flags((const uint8_t *)runs);
  void *results = wants_values ? out->at : NULL, *keys_out = wants_keys ? unique->at : NULL;
  size_t *counted = (size_t *)(void *)count_item->at, *indices = (size_t *)(void *)first->at;
  iw_scan_options options = { .size = sizeof options, .init = init, .out_type = type, .segments = &segments };
  SPOIL_POINTER(in, in_size);
  if (wants_values)
    SPOIL_POINTER(results, size);
  if (finds) {
    SPOIL_POINTER(indices, sizeof *indices);
    SPOIL_ENUM(iw_type, type);
  } else {
    SPOIL_POINTER(options.init, size);
    SPOIL_SIZE(options.size);
    SPOIL_ENUM(iw_type, in_type);
    SPOIL_ENUM(iw_type, options.out_type);
  }
  SPOIL_SIZE(segments.size);
  SPOIL_ENUM(iw_segments_kind, segments.kind);
  SPOIL_N(n);
  if (form == BY_KEYS) {
    SPOIL_POINTER(segments.keys, key_size);
    SPOIL_ENUM(iw_type, segments.key_type);
  }
  if (form == BY_OFFSETS) {
    SPOIL_POINTER(segments.offsets, iw_type_size(offset_type));
    SPOIL_ENUM(iw_type, segments.offset_type);
  }
  if (form >= BY_KEYS)
    SPOIL_POINTER(counted, sizeof *counted);
  if (form >= BY_KEYS) {
    options.run_keys = keys_out;
    options.run_count = counted;
  }
  if (finds)
    options.init = NULL, options.out_type = (iw_type)0;
  FOR_RUNS(s)
    judge(s, finds ? (op == IW_MIN ? iw_argmin : iw_argmax)(s->context, type, in, n, indices, results, &options)
                   : iw_reduce(s->context, op, in_type, in, n, results, &options));
}

static void arg_case(void)
{
  const iw_op op = op_at(1 + (unsigned)choice(2));
  iw_type type = choose_any_type();
  size_t n = the.n;
  const size_t size = iw_type_size(type);
  const void *in = any_input("in", type, n, NULL);
  item *const index_item = output("index", sizeof(size_t), 1), *const value_item = output("value", size, 1);
  void *const scanned = malloc(n * size + 1);
  snprintf(the.what, sizeof the.what, "arg%s of %s", op_name(op), iw_type_name(type));
  reference_scan(op, type, in, n, NULL, scanned, NULL, value_item->right);
  free(scanned);
  const size_t first = first_equal(type, in, n, value_item->right);
  memcpy(index_item->right, &first, sizeof first);
  size_t *index = (size_t *)(void *)index_item->at;
  void *value = value_item->at;
  if (one_in(4)) {
    value = NULL;
    memset(value_item->right, UNTOUCHED, size);
  }
  SPOIL_POINTER(in, size);
  SPOIL_POINTER(index, sizeof *index);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  FOR_RUNS(s)
    judge(s, (op == IW_MIN ? iw_argmin : iw_argmax)(s->context, type, in, n, index, value, NULL));
}

/* ---- Bins -------------------------------------------------------------------------------------------- */

enum { MOST_BINS = 70000 };

/* A spec and what it points to. */
typedef struct bins { iw_histogram_spec spec; word lo, hi; uint16_t map[256]; void *edges; char text[100]; } bins;

/* Edges out of the values of an input: sorted, each once. Their number. */
static size_t choose_edges(iw_type type, const void *values, size_t n, size_t wanted, char *edges)
{
  const size_t size = iw_type_size(type);
  size_t found = 0;
  for (size_t i = 0; i < wanted && n; i++) {
    memcpy(edges + found * size, (const char *)values + (size_t)random_below(n) * size, size);
    found += !is_float(type) || isfinite(real_of(type, edges, found));
  }
  return sort_values(type, edges, found);
}

/* Even bins between two values of the input or over a neat range, the caller's edges, or a map. Kinds EVEN
 * and EDGES only, if `maps` is 0; `most` bins. */
static void choose_bins(bins *b, iw_type type, const void *values, size_t n, size_t most, int maps)
{
  const size_t size = iw_type_size(type);
  const unsigned kind = (unsigned)choice(8);
  iw_histogram_spec *const s = &b->spec;
  *b = (bins){ .spec = { .size = sizeof *s, .bins = 1 + choose_size(most - 1), .policy = (iw_policy)choice(3),
                         .flags = (unsigned)choice(8) } };
  const char *name = "even";
  if (type == IW_U8 && maps && kind >= 6) {
    name = "map";
    s->kind = IW_HISTOGRAM_MAP;
    s->flags &= ~(unsigned)IW_HIST_CLOSED_TOP;
    s->policy = one_in(2) ? IW_POLICY_DROP : IW_POLICY_COUNT;
    s->map = b->map;
    if (s->bins > 65535)
      s->bins = 65535;
    for (unsigned v = 0; v < 256; v++)
      b->map[v] = random_below(5) ? (uint16_t)random_below(s->bins) : IW_MAP_NONE;
  } else if (kind >= 4) {
    name = "edges";
    char *const found_edges = malloc((most + 2) * size);
    const size_t found = choose_edges(type, values, n, 2 + choose_size(most - 1), found_edges);
    if (found > 1) {
      s->kind = IW_HISTOGRAM_EDGES;
      s->edges = memcpy(input("edges", size, found), found_edges, found * size);
      s->bins = found - 1;
    }
    free(found_edges);
  } else {
    s->lo = &b->lo, s->hi = &b->hi;
    if (n && one_in(2)) {
      memcpy(&b->lo, (const char *)values + choice(n) * size, size);
      memcpy(&b->hi, (const char *)values + choice(n) * size, size);
      if (by_value(type, &b->lo, &b->hi) > 0) {
        const word other = b->lo;
        b->lo = b->hi, b->hi = other;
      }
    } else if (type == IW_F32)
      b->lo.f32 = one_in(2) ? 0 : -1, b->hi.f32 = one_in(2) ? 1 : 0.7f;
    else if (type == IW_F64)
      b->lo.f64 = one_in(2) ? 0 : -1, b->hi.f64 = one_in(2) ? 1 : 0.7;
    else if (is_half(type))
      b->lo.u16 = half_of(type, one_in(2) ? 0 : -1), b->hi.u16 = half_of(type, one_in(2) ? 1 : 0.7);
    else {
      put(type, &b->lo, 0, (word){ .u64 = choice(9) });
      put(type, &b->hi, 0, (word){ .u64 = 200 + choice(50) });
    }
  }
  if (!is_float(type) && s->kind == IW_HISTOGRAM_EVEN && one_in(4))
    s->flags |= IW_HIST_HI_INCLUDED;
  void *const scratch = malloc((s->bins + 1) * size);
  if (s->kind != IW_HISTOGRAM_MAP && (!(s->lo || s->edges) || write_edges_of(type, s, scratch) != IW_OK)) {
    name = "a few even"; /* the others cannot be had */
    s->kind = IW_HISTOGRAM_EVEN;
    s->edges = NULL;
    s->flags &= ~(unsigned)IW_HIST_HI_INCLUDED;
    s->lo = &b->lo, s->hi = &b->hi;
    s->bins = 1 + choose_size(99 < most - 1 ? 99 : most - 1);
    b->lo = b->hi = (word){ .u64 = 0 };
    put(type, &b->hi, 0, type == IW_F32 ? (word){ .f32 = 3 } : type == IW_F64 ? (word){ .f64 = 3 }
        : is_half(type) ? (word){ .u16 = half_of(type, 3) } : (word){ .u64 = 101 });
  }
  free(scratch);
  snprintf(b->text, sizeof b->text, "%zu bins (%s, policy %d, flags %u)", s->bins, name, (int)s->policy, s->flags);
}

static size_t most_bins(void)
{
  return the.n < 1000 ? 300 : one_in(20) && the.most > MOST_BINS ? MOST_BINS : one_in(4) && the.most > 20000 ? 20000 : 500;
}

static edges edges_if_any(iw_type type, const iw_histogram_spec *spec)
{
  return spec->kind == IW_HISTOGRAM_MAP ? (edges){ NULL, NULL, 0, 0 } : edges_of(type, spec);
}

static size_t outputs_of(const iw_histogram_spec *spec)
{
  return spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
}

/* A spec, and the pointers of it, with something wrong. */
static void spoil_bins(bins *b, iw_type type)
{
  iw_histogram_spec *const s = &b->spec;
  const size_t size = iw_type_size(type);
  SPOIL_SIZE(s->size);
  SPOIL_ENUM(iw_histogram_kind, s->kind);
  SPOIL_ENUM(iw_policy, s->policy);
  if (spoil_this())
    s->bins = choice(2) ? 0 : choice(2) ? SIZE_MAX - choice(2) : (size_t)1 << 31;
  if (spoil_this())
    s->flags |= 1u << (4 + choice(28));
  SPOIL_POINTER(s->lo, size);
  SPOIL_POINTER(s->hi, size);
  SPOIL_POINTER(s->edges, size);
  if (s->map && spoil_this())
    b->map[choice(256)] = (uint16_t)(s->bins + choice(2));
  if (s->lo && s->hi && spoil_this()) { /* an empty range */
    const void *const lo = s->lo;
    s->lo = s->hi;
    s->hi = lo;
  }
}

/* Counters of that size, and what they hold before. */
static item *counters(const char *name, size_t n, unsigned flags, size_t size)
{
  item *const it = output(name, size, n);
  if (flags & IW_HIST_ACCUMULATE) {
    unsigned char *const before = malloc(n * size + 1);
    for (size_t k = 0; k < n; k++)
      put(size == 4 ? IW_U32 : IW_U64, before, k, (word){ .u64 = k * 7 + 1 });
    begin_with(it, before);
    free(before);
  } else
    memset(it->right, 0, n * size);
  return it;
}

static void add_to(item *it, size_t k, uint64_t count)
{
  if (it->size == 4)
    ((uint32_t *)(void *)it->right)[k] += (uint32_t)count;
  else
    ((uint64_t *)(void *)it->right)[k] += count;
}

static size_t counter_size(const iw_histogram_spec *spec) { return spec->flags & IW_HIST_COUNTERS_32 ? 4 : 8; }

static iw_histogram_plan *plan_of_bins(const bins *b, iw_type type, const void *sample, size_t n)
{
  iw_histogram_plan *plan;
  setting *const s = &the.settings.at[the.runs[0]];
  CASE_IS(s, plan_of(s->context, type, &b->spec, sample, one_in(2) ? n : 0, &plan) == IW_OK, "%s",
          iw_message());
  return plan;
}

static void histogram_case(void)
{
  enum { SPECIFIED, PLANNED, STRATEGY };
  const int how = (int)choice(3), with_report = one_in(2);
  iw_type type = choose_any_type();
  size_t n = the.n;
  const void *samples = any_input("samples", type, n, NULL);
  bins b;
  choose_bins(&b, type, samples, n, most_bins(), 1);
  iw_strategy_options options = { .size = sizeof options, .coarsening = (unsigned)(one_in(2) ? choice(20) : 0) };
  if (n <= 1 << 13)
    options.strategy = (iw_strategy)choice(IW_STRATEGY_DIRECT + 1);
  snprintf(the.what, sizeof the.what, "histogram of %s, %s, %s", iw_type_name(type), b.text,
           how == SPECIFIED ? "spec" : how == PLANNED ? "plan" : iw_strategy_name(options.strategy));
  item *const out = counters("counts", outputs_of(&b.spec), b.spec.flags, counter_size(&b.spec));
  uint64_t *const right = malloc((b.spec.bins + 2) * sizeof *right), outside[3];
  reference_histogram(type, samples, n, &b.spec, right, outside);
  for (size_t k = 0; k < outputs_of(&b.spec); k++)
    add_to(out, k, right[k]);
  free(right);
  iw_histogram_plan *const plan = how == PLANNED ? plan_of_bins(&b, type, samples, n) : NULL;
  iw_histogram_spec by_plan = iw_spec_of_plan(plan);
  const iw_histogram_spec *given = plan ? &by_plan : &b.spec;
  void *counts = out->at;
  size_t report_size = sizeof(iw_histogram_report), strategy_report_size = sizeof(iw_strategy_report);
  if (!plan)
    spoil_bins(&b, type);
  SPOIL_POINTER(samples, iw_type_size(type));
  SPOIL_POINTER(counts, out->size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_NULL(given);
  SPOIL_SIZE(report_size);
  SPOIL_SIZE(strategy_report_size);
  SPOIL_SIZE(options.size);
  SPOIL_ENUM(iw_strategy, options.strategy);
  if (spoil_this())
    options.coarsening = UINT32_MAX - (unsigned)choice(2);
  if (plan && spoil_this())
    by_plan.bins = 1 + choice(3);
  FOR_RUNS(s) {
    iw_histogram_report report = { .size = report_size };
    iw_strategy_report strategy_report = { .size = strategy_report_size };
    const iw_status status = how == STRATEGY
      ? histogram_by_strategy_of(s->context, type, given, samples, n, counts, &strategy_report,
                                 one_in(8) ? NULL : &options)
      : histogram_of(s->context, type, given, samples, n, counts, with_report ? &report : NULL);
    judge_any(s, status, how == STRATEGY); /* a strategy's tables may be too large */
    const int reported = how == STRATEGY || with_report;
    const uint64_t under = how == STRATEGY ? strategy_report.underflow : report.underflow,
        over = how == STRATEGY ? strategy_report.overflow : report.overflow,
        nan = how == STRATEGY ? strategy_report.nan : report.nan;
    CASE_IS(s, the.spoiled || status != IW_OK || !reported
               || (under == outside[0] && over == outside[1] && nan == outside[2]),
            "outside are %" PRIu64 ", %" PRIu64 " and %" PRIu64 ", not %" PRIu64 ", %" PRIu64 " and %" PRIu64, under,
            over, nan, outside[0], outside[1], outside[2]);
  }
  iw_histogram_plan_free(plan);
}

/* The range of the samples, and even bins over it. */
static void range_case(void)
{
  iw_type type = choose_any_type();
  size_t n = the.n, finite = 0;
  const size_t size = iw_type_size(type), many = 1 + choose_size(99);
  const void *samples = any_input("samples", type, n, NULL);
  const void *least = samples, *most = samples;
  for (size_t i = 0; i < n; i++) {
    const void *const x = (const char *)samples + i * size;
    finite += !is_float(type) || isfinite(real_of(type, x, 0));
    least = by_value(type, x, least) < 0 ? x : least;
    most = by_value(type, x, most) > 0 ? x : most;
  }
  snprintf(the.what, sizeof the.what, "range of %s", iw_type_name(type));
  item *const lo_item = output("lo", size, 1), *const hi_item = output("hi", size, 1),
      *const out = output("counts", 8, many);
  void *lo = lo_item->at, *hi = hi_item->at;
  SPOIL_POINTER(samples, size);
  SPOIL_POINTER(lo, size);
  SPOIL_POINTER(hi, size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  iw_histogram_spec spec = { .size = sizeof spec, .bins = many };
  uint64_t *const right = malloc((many + 2) * sizeof *right), outside[3];
  FOR_RUNS(s) {
    const iw_status status = iw_histogram_range(s->context, type, samples, n, lo, hi);
    if (the.spoiled) {
      judge(s, status);
      continue;
    }
    CASE_IS(s, (status == IW_OK) == (finite == n), "%s (%s), and %zu of the samples are finite", iw_status_name(status),
            iw_message(), finite);
    memcpy(lo_item->right, lo, size);
    memcpy(hi_item->right, hi, size);
    if (status == IW_OK && n && by_value(type, least, most) < 0)
      CASE_IS(s, by_value(type, lo, least) == 0 && by_value(type, hi, most) == 0, "the range is %s to %s, should be %s to %s",
              hex(lo, 0, size).s, hex(hi, 0, size).s, hex(least, 0, size).s, hex(most, 0, size).s);
    else if (status == IW_OK)
      CASE_IS(s, !n || by_value(type, lo, least) <= 0, "the range begins above the samples");
    const iw_status counted = histogram_of(s->context, type, &spec, samples, n, out->at, NULL);
    if (status != IW_OK)
      CASE_IS(s, counted == status, "the histogram is %s, the range %s", iw_status_name(counted), iw_status_name(status));
    else if (counted == IW_OK && n && by_value(type, least, most) < 0) {
      const iw_histogram_spec same = { .size = sizeof same, .bins = many, .lo = least, .hi = most,
                                       .flags = IW_HIST_CLOSED_TOP };
      reference_histogram(type, samples, n, &same, right, outside);
      memcpy(out->right, right, many * 8);
    } else
      memcpy(out->right, out->at, many * 8);
    judge(s, IW_OK); /* lo and hi were written, whether there can be so many bins or not */
  }
  free(right);
}

/* ---- Weights, pairs, rows, channels ------------------------------------------------------------------ */

enum { WEIGHTED, PAIRS, ROWS, CHANNELS, ND_FORMS };

static void weighted_case(void)
{
  iw_type type = choose_any_type(), weight_type = choose_type(IW_I32);
  size_t n = the.n > 1 << 16 ? the.n >> 4 : the.n; /* the reference is slow */
  the.n = n;
  const void *samples = any_input("samples", type, n, NULL), *weights = any_input("weights", weight_type, n, NULL);
  bins b;
  choose_bins(&b, type, samples, n, 40, 1);
  b.spec.flags &= ~(unsigned)IW_HIST_COUNTERS_32;
  const int accumulate = (b.spec.flags & IW_HIST_ACCUMULATE) != 0;
  const size_t size = weight_type == IW_F32 ? 4 : 8, many = outputs_of(&b.spec);
  const iw_type sum_type = weight_type == IW_F32 || weight_type == IW_F64 ? weight_type : IW_U64;
  snprintf(the.what, sizeof the.what, "weights of %s of samples of %s, %s", iw_type_name(weight_type), iw_type_name(type),
           b.text);
  item *const out = output("sums", size, many);
  unsigned char *const before = malloc(many * size + 1);
  fill(sum_type, before, many, UNIT);
  begin_with(out, before);
  edges e = edges_if_any(type, &b.spec);
  exact *const sums = calloc(is_float(weight_type) ? many : 0, sizeof *sums);
  uint64_t *const whole = calloc(many, sizeof *whole);
  for (size_t k = 0; k < many && accumulate; k++) {
    word w = { .u64 = 0 };
    memcpy(&w, before + k * size, size);
    if (is_float(weight_type))
      exact_add(&sums[k], weight_type, w);
    else
      whole[k] = w.u64;
  }
  for (size_t i = 0; i < n; i++) {
    const size_t k = bin_by_policy(type, samples, i, &b.spec, &e);
    word w = { .u64 = 0 };
    if (k >= many || k == b.spec.bins + NOT_A_NUMBER)
      continue;
    memcpy(&w, (const char *)weights + i * iw_type_size(weight_type), iw_type_size(weight_type));
    if (is_float(weight_type))
      exact_add(&sums[k], weight_type, w);
    else
      whole[k] += (uint64_t)integer_of(weight_type, &w, 0);
  }
  for (size_t k = 0; k < many; k++)
    put(sum_type, out->right, k, is_float(weight_type) ? exact_round(&sums[k], weight_type) : (word){ .u64 = whole[k] });
  free(before);
  free(sums);
  free(whole);
  edges_free(&e);
  iw_histogram_plan *const plan = plan_of_bins(&b, type, samples, n);
  const iw_histogram_plan *given = plan;
  void *result = out->at;
  SPOIL_POINTER(samples, iw_type_size(type));
  SPOIL_POINTER(weights, iw_type_size(weight_type));
  SPOIL_POINTER(result, size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_ENUM(iw_type, weight_type);
  SPOIL_NULL(given);
  FOR_RUNS(s)
    judge(s, iw_histogram_weighted(s->context,
                                   IW_OPTIONS(iw_histogram_spec, .plan = given),
                                   samples, weight_type, weights, n, result));
  iw_histogram_plan_free(plan);
}

static void pairs_case(void)
{
  iw_type type[2] = { choose_any_type(), choose_any_type() };
  size_t n = the.n;
  bins b[2];
  edges e[2];
  iw_histogram_plan *plans[2];
  iw_histogram_axis axis[2];
  iw_histogram_spec planned[2];
  const unsigned shared = (unsigned)choice(4) * 2;
  for (int i = 0; i < 2; i++) {
    const void *const samples = any_input(i ? "y" : "x", type[i], n, NULL);
    choose_bins(&b[i], type[i], samples, n, n < 1000 ? 20 : 200, 1);
    b[i].spec.flags = (b[i].spec.flags & ~(unsigned)(IW_HIST_COUNTERS_32 | IW_HIST_ACCUMULATE)) | shared;
    e[i] = edges_if_any(type[i], &b[i].spec);
    plans[i] = plan_of_bins(&b[i], type[i], samples, n);
    planned[i] = iw_spec_of_plan(plans[i]);
    axis[i] = (iw_histogram_axis){ .size = sizeof *axis, .spec = &planned[i], .samples = samples };
  }
  const size_t columns = outputs_of(&b[1].spec);
  snprintf(the.what, sizeof the.what, "pairs of %s and %s, %s", iw_type_name(type[0]), iw_type_name(type[1]), b[0].text);
  item *const out = counters("counts", outputs_of(&b[0].spec) * columns, shared, counter_size(&b[0].spec));
  for (size_t i = 0; i < n; i++) {
    size_t k[2];
    for (int a = 0; a < 2; a++) {
      k[a] = bin_by_policy(type[a], axis[a].samples, i, &b[a].spec, &e[a]);
      k[a] = k[a] == b[a].spec.bins + NOT_A_NUMBER ? SIZE_MAX : k[a];
    }
    if (k[0] < outputs_of(&b[0].spec) && k[1] < columns)
      add_to(out, k[0] * columns + k[1], 1);
  }
  void *counts = out->at;
  const int spoilt = (int)choice(2);
  SPOIL_SIZE(axis[spoilt].size);
  SPOIL_NULL(axis[spoilt].spec);
  SPOIL_SIZE(planned[spoilt].size);
  SPOIL_POINTER(axis[spoilt].samples, iw_type_size(type[spoilt]));
  SPOIL_POINTER(counts, out->size);
  SPOIL_N(n);
  const iw_histogram_axis *axes = axis;
  SPOIL_NULL(axes);
  FOR_RUNS(s)
    judge(s, iw_histogram_nd(s->context, axes, 2, n, counts));
  for (int i = 0; i < 2; i++) {
    iw_histogram_plan_free(plans[i]);
    edges_free(&e[i]);
  }
}

static void rows_case(void)
{
  iw_type type = choose_any_type();
  size_t columns = 1 + choose_size(the.n), rows = the.n / columns;
  if (rows > the.most / 512)
    rows = the.most / 512;
  if (one_in(16))
    columns = 0;
  const size_t n = the.n = rows * columns;
  const void *samples = any_input("samples", type, n, NULL);
  bins b;
  choose_bins(&b, type, samples, n, 200, 1);
  edges e = edges_if_any(type, &b.spec);
  const size_t many = outputs_of(&b.spec);
  snprintf(the.what, sizeof the.what, "%zu rows of %zu %s, %s", rows, columns, iw_type_name(type), b.text);
  item *const out = counters("counts", rows * many, b.spec.flags, counter_size(&b.spec));
  for (size_t i = 0; i < n; i++) {
    const size_t k = bin_by_policy(type, samples, i, &b.spec, &e);
    if (k < many && k != b.spec.bins + NOT_A_NUMBER)
      add_to(out, i / columns * many + k, 1);
  }
  iw_histogram_plan *const plan = plan_of_bins(&b, type, samples, n);
  const iw_histogram_plan *given = plan;
  void *counts = out->at;
  SPOIL_POINTER(samples, iw_type_size(type));
  SPOIL_POINTER(counts, out->size);
  SPOIL_ENUM(iw_type, type);
  SPOIL_NULL(given);
  if (rows > 1)
    SPOIL_N(columns);
  if (columns > 1)
    SPOIL_N(rows);
  FOR_RUNS(s)
    judge(s, iw_histogram_rows(s->context,
                               IW_OPTIONS(iw_histogram_spec, .plan = given), samples,
                               rows, columns, counts, NULL));
  iw_histogram_plan_free(plan);
  edges_free(&e);
}

static void channels_case(void)
{
  enum { MOST = 5 };
  iw_type type = choose_any_type();
  unsigned channels = 1 + (unsigned)choice(MOST);
  size_t n = the.n / channels;
  the.n = n * channels;
  const void *samples = any_input("samples", type, n * channels, NULL);
  bins b[MOST];
  iw_histogram_plan *plans[MOST];
  iw_histogram_spec specs[MOST];
  const iw_histogram_spec *given[MOST];
  void *counts[MOST];
  snprintf(the.what, sizeof the.what, "%u channels of %s", channels, iw_type_name(type));
  for (unsigned c = 0; c < channels; c++) {
    choose_bins(&b[c], type, samples, n * channels, 200, 1);
    edges e = edges_if_any(type, &b[c].spec);
    const size_t many = outputs_of(&b[c].spec);
    const int counted = !one_in(4);
    item *const out = counters("counts", many, b[c].spec.flags, counter_size(&b[c].spec));
    if (!counted && !out->initial)
      memset(out->right, UNTOUCHED, out->bytes);
    for (size_t i = 0; i < n && counted; i++) {
      const size_t k = bin_by_policy(type, samples, i * channels + c, &b[c].spec, &e);
      if (k < many && k != b[c].spec.bins + NOT_A_NUMBER)
        add_to(out, k, 1);
    }
    plans[c] = plan_of_bins(&b[c], type, samples, n);
    specs[c] = iw_spec_of_plan(plans[c]);
    given[c] = counted ? &specs[c] : NULL;
    counts[c] = out->at;
    edges_free(&e);
  }
  const unsigned made = channels;
  const size_t spoilt = choice(channels);
  SPOIL_POINTER(samples, iw_type_size(type));
  SPOIL_POINTER(counts[spoilt], b[spoilt].spec.flags & IW_HIST_COUNTERS_32 ? 4 : 8);
  SPOIL_SIZE(specs[spoilt].size);
  SPOIL_N(n);
  if (spoil_this())
    channels = choice(2) ? 0 : 24 + (unsigned)choice(1000);
  FOR_RUNS(s)
    judge(s, iw_histogram_channels(s->context, given, channels, samples, n, counts));
  for (unsigned c = 0; c < made; c++)
    iw_histogram_plan_free(plans[c]);
}

/* ---- Partition, select, unique ----------------------------------------------------------------------- */

static const size_t widths[] = { 1, 2, 4, 8, 16 };
enum { MOST_PAYLOADS = 4 };

/* Value i of a payload: element i of `values`, or i. */
static void payload_value(const void *values, size_t i, size_t width, void *to)
{
  const uint32_t narrow = (uint32_t)i;
  const uint64_t broad = i;
  memcpy(to, values ? (const char *)values + i * width : width == 4 ? (const void *)&narrow : (const void *)&broad, width);
}

/* The bytes of payloads that are in place, for iw_context_reserve(). */
static size_t in_place_bytes;

/* A payload of a call that moves element order[to] to `to`, the first `front` of them to out and the next
 * `behind` to rest (or, if there is none, to out as well). Both outputs of a partition into two have room
 * for n. */
static iw_payload choose_payload(size_t n, const size_t *order, size_t front, size_t behind, int two)
{
  const int indices = one_in(3), in_place = !indices && !two && one_in(4);
  const size_t width = indices ? 4 + 4 * choice(2) : widths[choice(5)], first = two ? front : front + behind;
  void *const values = indices ? NULL : input("payload's in", width, n);
  fill(IW_U8, values ? values : &(char){ 0 }, values ? n * width : 0, WIDE);
  item *const out = output("payload's out", width, in_place || two ? n : first);
  item *const rest = two ? output("payload's rest", width, n) : NULL;
  if (in_place) {
    begin_with(out, values);
    in_place_bytes += n * width;
  }
  for (size_t to = 0; to < front + behind; to++)
    payload_value(values, order[to], width, to < first ? out->right + to * width : rest->right + (to - first) * width);
  return payload_of(indices ? NULL : in_place ? out->at : values, out->at, two ? rest->at : NULL, width);
}

static void spoil_payload(iw_payload *p)
{
  SPOIL_SIZE(p->size);
  SPOIL_POINTER(p->in, p->width < 8 ? p->width : 8);
  SPOIL_POINTER(p->out, p->width < 8 ? p->width : 8);
  if (spoil_this())
    p->width = choice(2) ? 0 : 3 + choice(2) * 29;
  if (p->rest && spoil_this())
    p->rest = p->out;
}

static void sides_case(void)
{
  enum { ONE, TWO, SELECT };
  static const char *const names[] = { "partition", "partition into two", "select" };
  const int kind = (int)choice(3), by = (int)choice(3); /* constant, flags, bins */
  iw_type type = choose_any_type();
  size_t n = the.n, bin = 0, front = 0;
  const size_t size = iw_type_size(type);
  const void *in = any_input("in", type, n, NULL);
  bins b;
  word *const constant = input("constant", size, 1);
  const word chosen = any_word(type, in, n);
  memcpy(constant, &chosen, size);
  iw_test test = { .size = sizeof test, .compare = (iw_compare)choice(6) };
  edges e = { NULL, NULL, 0, 0 };
  if (by == 0)
    test.constant = constant;
  else if (by == 1)
    test.flags = any_input("flags", IW_U8, n, NULL);
  else {
    choose_bins(&b, type, in, n, most_bins(), 0);
    e = edges_of(type, &b.spec);
    test.bins = &b.spec;
    test.bin = bin = one_in(3) ? 0 : one_in(2) ? b.spec.bins - 1 : choice(b.spec.bins);
  }
  snprintf(the.what, sizeof the.what, "%s of %s by %s", names[kind], iw_type_name(type),
           by == 0 ? "a constant" : by == 1 ? "flags" : b.text);
  size_t *const order = malloc((n + 1) * sizeof *order), *const others = malloc((n + 1) * sizeof *others);
  size_t behind = 0;
  for (size_t i = 0; i < n; i++) {
    const int selected = by == 0 ? compared(type, in, i, test.compare, constant) : by == 1 ? test.flags[i] != 0
      : bin_by_policy(type, in, i, &b.spec, &e) == bin;
    if (selected)
      order[front++] = i;
    else
      others[behind++] = i;
  }
  edges_free(&e);
  memcpy(order + front, others, behind * sizeof *order);
  free(others);
  if (kind == SELECT)
    behind = 0;
  item *const count_item = output("count", sizeof(size_t), 1);
  memcpy(count_item->right, &front, sizeof front);
  size_t *count = (size_t *)(void *)count_item->at;
  iw_payload payloads[MOST_PAYLOADS];
  size_t payload_count = one_in(2) ? 0 : 1 + choice(MOST_PAYLOADS);
  const int in_place = !payload_count && kind != TWO && one_in(4);
  item *out = NULL, *rest = NULL;
  in_place_bytes = 0;
  if (payload_count) {
    for (size_t i = 0; i < payload_count; i++)
      payloads[i] = choose_payload(n, order, front, behind, kind == TWO);
  } else {
    out = output("front", size, in_place || kind != SELECT ? n : front);
    rest = output("rest", size, kind == TWO ? n : 0);
    if (in_place) {
      begin_with(out, in);
      in_place_bytes = n * size;
    }
    for (size_t to = 0; to < front + behind; to++)
      memcpy(kind == TWO && to >= front ? rest->right + (to - front) * size : out->right + to * size,
             (const char *)in + order[to] * size, size);
  }
  free(order);
  void *to = out ? out->at : NULL, *to_rest = kind == TWO && rest ? rest->at : NULL;
  if (in_place)
    in = to;
  const int behind_is_free = kind == SELECT && in_place_bytes != 0;
  const iw_test *given = &test;
  SPOIL_POINTER(in, size);
  SPOIL_NULL(given);
  SPOIL_SIZE(test.size);
  SPOIL_POINTER(test.constant, size);
  SPOIL_NULL(test.flags);
  SPOIL_ENUM(iw_compare, test.compare);
  if (by == 2 && spoil_this())
    test.bin = b.spec.bins + choice(3);
  SPOIL_POINTER(count, sizeof *count);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  if (payload_count) {
    spoil_payload(&payloads[choice(payload_count)]);
    if (spoil_this())
      payload_count = choice(2) ? 0 : 9 + choice(2) * (SIZE_MAX - 9);
  } else {
    SPOIL_OVERLAP(to, in, size, n * size);
    SPOIL_POINTER(to, size);
    if (kind == TWO)
      SPOIL_POINTER(to_rest, size);
  }
  FOR_RUNS(s) {
    if (in_place_bytes && !the.spoiled)
      CASE_IS(s, iw_context_reserve(s->context, in_place_bytes) == IW_OK, "%s", iw_message());
    const iw_status status = payload_count || !to
      ? (kind == SELECT ? select_payloads_of : partition_payloads_of)(s->context, type, given, in, n, payloads,
                                                                      payload_count, count)
      : kind == SELECT ? select_of(s->context, type, given, in, n, to, count)
                       : partition_of(s->context, type, given, in, n, to, to_rest, count);
    for (unsigned k = 0; k < the.count && behind_is_free && status == IW_OK; k++)
      if (the.items[k].initial && the.items[k].output) { /* unspecified behind the outputs */
        item *const it = &the.items[k];
        memcpy(it->right + front * it->size, it->at + front * it->size, it->bytes - front * it->size);
      }
    judge(s, status);
  }
}

static void unique_case(void)
{
  const int lengths = one_in(2);
  iw_type type = choose_any_type(), length_type = one_in(2) ? IW_U32 : IW_U64;
  size_t n = the.n, runs = 0;
  const size_t size = iw_type_size(type), length_size = iw_type_size(length_type);
  const void *in = any_input("in", type, n, NULL);
  size_t *const order = malloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || memcmp((const char *)in + i * size, (const char *)in + (i - 1) * size, size))
      order[runs++] = i;
  snprintf(the.what, sizeof the.what, "%s of %s", lengths ? "run lengths" : "unique", iw_type_name(type));
  item *const count_item = output("count", sizeof(size_t), 1);
  memcpy(count_item->right, &runs, sizeof runs);
  const int wanted = !one_in(4);
  item *const values = output("out", size, runs), *const how_long = output("lengths", length_size, lengths ? runs : 0);
  for (size_t r = 0; r < runs; r++) {
    if (wanted)
      memcpy(values->right + r * size, (const char *)in + order[r] * size, size);
    if (lengths)
      put(length_type, how_long->right, r, (word){ .u64 = (r + 1 < runs ? order[r + 1] : n) - order[r] });
  }
  iw_payload payloads[MOST_PAYLOADS];
  size_t payload_count = lengths ? 0 : !wanted ? 1 + choice(2) : choice(3);
  in_place_bytes = 0;
  for (size_t i = 0; i < payload_count; i++)
    payloads[i] = choose_payload(n, order, runs, 0, 0);
  free(order);
  const int some_in_place = in_place_bytes != 0;
  void *out = wanted ? values->at : NULL, *to = how_long->at;
  size_t *count = (size_t *)(void *)count_item->at;
  SPOIL_POINTER(in, size);
  SPOIL_OVERLAP(out, in, size, n * size);
  if (wanted && spoil_this())
    out = size > 1 ? bad_pointer(out, size) : out;
  SPOIL_POINTER(to, length_size);
  SPOIL_POINTER(count, sizeof *count);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_ENUM(iw_type, length_type);
  if (payload_count)
    spoil_payload(&payloads[choice(payload_count)]);
  FOR_RUNS(s) {
    if (in_place_bytes && !the.spoiled)
      CASE_IS(s, iw_context_reserve(s->context, in_place_bytes) == IW_OK, "%s", iw_message());
    const iw_status status = lengths ? iw_run_lengths(s->context, type, in, n, out,
                                                      (iw_indices){ to, (unsigned)iw_type_size(length_type) },
                                                      count)
      : iw_unique(s->context, type, in, n, out, count,
                  IW_OPTIONS(iw_move_options, .payloads = payload_count ? payloads : NULL, .payload_count = payload_count));
    for (unsigned k = 0; k < the.count && some_in_place && status == IW_OK; k++)
      if (the.items[k].initial && the.items[k].output) {
        item *const it = &the.items[k];
        memcpy(it->right + runs * it->size, it->at + runs * it->size, it->bytes - runs * it->size);
      }
    judge(s, status);
  }
}

/* ---- Multisplit -------------------------------------------------------------------------------------- */

static void multisplit_case(void)
{
  enum { BINS, PIVOT, BITS };
  const int by = (int)choice(3);
  iw_type type = choose_any_type();
  size_t n = the.n, buckets_count;
  const size_t size = iw_type_size(type);
  const void *in = any_input("in", type, n, NULL);
  bins b;
  edges e = { NULL, NULL, 0, 0 };
  iw_buckets buckets = { .size = sizeof buckets };
  if (by == BINS) {
    choose_bins(&b, type, in, n, most_bins(), 0);
    e = edges_of(type, &b.spec);
    buckets.bins = &b.spec;
    buckets_count = b.spec.bins;
  } else if (by == PIVOT) {
    const word pivot = any_word(type, in, n);
    buckets.pivot = memcpy(input("pivot", size, 1), &pivot, size);
    buckets_count = 3;
  } else {
    const unsigned all = (unsigned)size * 8, most = all < 16 ? all : the.n < 1000 ? 10 : the.most > MOST_BINS ? 16 : 14;
    buckets.bits = 1 + (unsigned)choice(most);
    buckets.bit = (unsigned)choice(all - buckets.bits + 1);
    buckets_count = (size_t)1 << buckets.bits;
  }
  snprintf(the.what, sizeof the.what, "multisplit of %s by %s (%zu)", iw_type_name(type),
           by == BINS ? b.text : by == PIVOT ? "pivot" : "bits", buckets_count);
  size_t *const ids = malloc((n + 1) * sizeof *ids), *const order = malloc((n + 1) * sizeof *order),
      *const next = calloc(buckets_count + 2, sizeof *next);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)in + i * size, size);
    ids[i] = by == BINS ? bin_by_policy(type, in, i, &b.spec, &e)
      : by == BITS ? (size_t)(bits >> buckets.bit) & (buckets_count - 1)
      : compared(type, in, i, IW_LESS, buckets.pivot) ? 0 : compared(type, in, i, IW_EQUAL, buckets.pivot) ? 1 : 2;
    ids[i] = ids[i] < buckets_count ? ids[i] : buckets_count;
    next[ids[i] + 1]++;
  }
  for (size_t k = 0; k <= buckets_count; k++)
    next[k + 1] += next[k];
  item *const offsets_item = output("offsets", sizeof(size_t), buckets_count + 1);
  memcpy(offsets_item->right, next, (buckets_count + 1) * sizeof *next);
  for (size_t i = 0; i < n; i++)
    order[next[ids[i]]++] = i;
  free(ids);
  free(next);
  edges_free(&e);
  iw_payload payloads[MOST_PAYLOADS];
  const int moves_payloads = one_in(2);
  size_t payload_count = moves_payloads ? choice(MOST_PAYLOADS) : 0;
  const int in_place = !moves_payloads && one_in(4);
  item *const out = output("out", size, moves_payloads ? 0 : n);
  in_place_bytes = in_place ? n * size : 0;
  if (in_place)
    begin_with(out, in);
  for (size_t k = 0; k < n && !moves_payloads; k++)
    memcpy(out->right + k * size, (const char *)in + order[k] * size, size);
  for (size_t i = 0; i < payload_count; i++)
    payloads[i] = choose_payload(n, order, n, 0, 0);
  free(order);
  void *to = out->at;
  size_t *offsets = (size_t *)(void *)offsets_item->at;
  if (in_place)
    in = to;
  const iw_buckets *given = &buckets;
  if (!moves_payloads)
    SPOIL_OVERLAP(to, in, size, n * size);
  SPOIL_POINTER(in, size);
  SPOIL_POINTER(to, size);
  SPOIL_POINTER(offsets, sizeof *offsets);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_NULL(given);
  SPOIL_SIZE(buckets.size);
  if (spoil_this())
    buckets.bits = choice(2) ? 17 + (unsigned)choice(100) : UINT32_MAX;
  if (spoil_this())
    buckets.bit = choice(2) ? 64 : UINT32_MAX;
  SPOIL_POINTER(buckets.pivot, size);
  if (spoil_this())
    buckets.count = 1 + choice(4);
  if (by == BINS)
    spoil_bins(&b, type);
  if (payload_count)
    spoil_payload(&payloads[choice(payload_count)]);
  FOR_RUNS(s) {
    if (in_place_bytes && !the.spoiled)
      CASE_IS(s, iw_context_reserve(s->context, in_place_bytes) == IW_OK, "%s", iw_message());
    judge(s, moves_payloads ? multisplit_payloads_of(s->context, type, given, in, n,
                                                     payload_count ? payloads : NULL, payload_count, offsets)
                            : multisplit_of(s->context, type, given, in, n, to, offsets));
  }
}

/* ---- Sort -------------------------------------------------------------------------------------------- */

static void sort_case(void)
{
  iw_type type = choose_any_type(), index_type = one_in(2) ? IW_U32 : IW_U64;
  size_t n = the.n, payload_count = choice(MOST_PAYLOADS);
  const size_t size = iw_type_size(type), index_size = iw_type_size(index_type);
  const void *in = any_input("in", type, n, NULL);
  const int argsort = one_in(4), in_place = !argsort && one_in(3);
  iw_sort_options options = { .size = sizeof options, .descending = (int)choice(2) };
  if (!is_float(type) && one_in(3)) {
    options.begin_bit = (unsigned)choice(8 * size);
    options.end_bit = options.begin_bit + 1 + (unsigned)choice(8 * size - options.begin_bit);
  }
  snprintf(the.what, sizeof the.what, "%s of %s, descending %d, bits %u to %u", argsort ? "argsort" : "sort", iw_type_name(type),
           options.descending, options.begin_bit, options.end_bit);
  size_t *const order = malloc((n + 1) * sizeof *order);
  reference_sort(type, in, 0, n, &options, order);
  item *const out = output("out", argsort ? index_size : size, n);
  if (in_place)
    begin_with(out, in);
  for (size_t k = 0; k < n; k++) {
    const uint64_t index = order[k];
    memcpy(out->right + k * out->size, argsort ? (const char *)&index : (const char *)in + order[k] * size, out->size);
  }
  iw_payload payloads[MOST_PAYLOADS];
  for (size_t i = 0; i < payload_count && !argsort; i++)
    payloads[i] = choose_payload(n, order, n, 0, 0);
  free(order);
  void *to = out->at;
  if (in_place)
    in = to;
  else
    SPOIL_OVERLAP(to, in, out->size, n * size);
  SPOIL_POINTER(in, size);
  SPOIL_POINTER(to, out->size);
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_SIZE(options.size);
  if (spoil_this())
    options.end_bit = choice(2) ? 65 + (unsigned)choice(100) : UINT32_MAX;
  if (argsort)
    SPOIL_ENUM(iw_type, index_type);
  else if (payload_count)
    spoil_payload(&payloads[choice(payload_count)]);
  FOR_RUNS(s)
    judge(s, argsort ? iw_argsort(s->context, type, in, n, (iw_indices){ to, (unsigned)iw_type_size(index_type) }, &options)
             : payload_count ? sort_payloads(s->context, type, in, n, to, payloads, payload_count, &options)
                             : iw_sort(s->context, type, in, n, to, &options));
}

/* ---- Contexts and plans ------------------------------------------------------------------------------ */

static void plan_case(void)
{
  iw_type type = choose_any_type();
  size_t n = the.n;
  const void *samples = any_input("sample", type, n, NULL);
  bins b;
  choose_bins(&b, type, samples, n, most_bins(), 1);
  const size_t many = b.spec.bins;
  const int map = b.spec.kind == IW_HISTOGRAM_MAP;
  item *const out = output("edges of a spec", iw_type_size(type), many + 1);
  void *edges_at = out->at;
  iw_histogram_plan_info info = { .size = sizeof info };
  snprintf(the.what, sizeof the.what, "plan of %s, %s", iw_type_name(type), b.text);
  spoil_bins(&b, type);
  SPOIL_POINTER(samples, iw_type_size(type));
  SPOIL_POINTER(edges_at, iw_type_size(type));
  SPOIL_N(n);
  SPOIL_ENUM(iw_type, type);
  SPOIL_SIZE(info.size);
  FOR_RUNS(s) {
    iw_histogram_plan *plan = (iw_histogram_plan *)&info;
    const iw_status status = plan_of(s->context, type, &b.spec, samples, n, &plan);
    CASE_IS(s, status == IW_OK || (the.spoiled && !plan), "%s (%s), plan %p", iw_status_name(status), iw_message(),
            (void *)plan);
    if (status == IW_OK && iw_histogram_plan_get_info(s->context, plan, n, &info) == IW_OK)
      CASE_IS(s, info.type == type && info.bins == many && info.why[0] && info.rule && info.ambiguous >= 0
                 && info.ambiguous <= 1, "the plan has %zu bins of type %d", info.bins, (int)info.type);
    else
      CASE_IS(s, the.spoiled, "%s", iw_message());
    iw_histogram_plan_free(plan);
    const iw_status written = write_edges_of(type, &b.spec, edges_at);
    if (written == IW_OK)
      memcpy(out->right, out->at, out->bytes);
    CASE_IS(s, the.spoiled || (written == IW_OK) == !map, "%s (%s)", iw_status_name(written), iw_message());
    judge_any(s, written, 1);
  }
}

/* A context with any options; memory, copies, reservations and information of one that there is. */
static void context_case(void)
{
  static const char *const names[] = { NULL, "generic", "sse4", "avx2", "avx512", "neon", "", "cuda", "AVX2" };
  static const size_t amounts[] = { 0, 1, 63, 64, 4096, 100000, SIZE_MAX, SIZE_MAX / 2, (size_t)PTRDIFF_MAX + 1 };
  const size_t bytes = choose_size(the.most);
  const unsigned char *const from = any_input("from", IW_U8, bytes, NULL);
  item *const to = output("to", 1, bytes);
  memcpy(to->right, from, bytes);
  const size_t amount = amounts[choice(COUNT(amounts))];
  iw_context_options o = {
    .size = sizeof o, .backend = (iw_backend)choice(2), .isa = names[choice(COUNT(names))],
    .threads = (unsigned)choice(4), .blocks = (iw_blocks)choice(3), .openmp = 0,
  };
  snprintf(the.what, sizeof the.what, "context, %zu bytes", amount);
  SPOIL_SIZE(o.size);
  SPOIL_ENUM(iw_backend, o.backend);
  SPOIL_ENUM(iw_blocks, o.blocks);
  if (spoil_this())
    o.threads = 1025 + (unsigned)choice(2) * (UINT32_MAX - 1025);
  if (spoil_this())
    o.openmp = 2 + (unsigned)choice(9);
  size_t copied = bytes;
  if (bytes)
    SPOIL_N(copied);
  FOR_RUNS(s) {
    iw_context *other = (iw_context *)&o;
    const iw_status opened = iw_context_open(&other, &o);
    CASE_IS(s, (opened == IW_OK) == (other != NULL), "%s, but the context is %p", iw_status_name(opened), (void *)other);
    iw_context_info info = { .size = sizeof info };
    CASE_IS(s, iw_context_get_info(other ? other : s->context, &info) == IW_OK && info.isa && info.why && *info.why
               && info.threads, "%s", iw_message());
    if (other) {
      const float values[] = { 1, 2, 3 };
      float sum = 0;
      CASE_IS(s, iw_reduce(other, IW_SUM, IW_F32, values, 3, &sum, NULL) == IW_OK && sum == 6, "the sum is %g", (double)sum);
    }
    iw_context_close(other);
    void *memory = &o;
    const iw_status allocated = amount > (size_t)1 << 32 && amount <= PTRDIFF_MAX ? IW_ERROR_MEMORY
      : iw_memory_allocate(s->context, amount, &memory);
    CASE_IS(s, allocated != IW_OK || (memory != NULL) == (amount != 0), "%zu bytes at %p", amount, memory);
    CASE_IS(s, amount < 1 << 20 || allocated != IW_OK, "%zu bytes were allocated", amount);
    if (allocated == IW_OK) {
      if (amount)
        memset(memory, 1, amount);
      CASE_IS(s, iw_memory_free(s->context, memory) == IW_OK, "%s", iw_message());
    }
    const iw_status reserved = amount > (size_t)1 << 32 && amount <= PTRDIFF_MAX ? IW_OK
      : iw_context_reserve(s->context, amount);
    CASE_IS(s, reserved == IW_OK || amount > 1 << 20, "%s", iw_message());
    CASE_IS(s, iw_context_set_stream(s->context, NULL) == IW_OK, "%s", iw_message());
    CASE_IS(s, iw_context_set_stream(s->context, &memory) != IW_OK, "a CPU context has a stream");
    CASE_IS(s, iw_context_synchronize(s->context) == IW_OK, "%s", iw_message());
    for (int i = -2; i < 16; i++) {
      CASE_IS(s, iw_type_name((iw_type)i)[0] && iw_status_name((iw_status)(i * 100))[0], "no name of %d", i);
      CASE_IS(s, ((iw_type_size)((iw_type)i) != 0) == (i >= IW_U8 && i <= IW_BF16), "type %d", i);
      (void)iw_strategy_name((iw_strategy)i);
      (void)iw_isa_available(i < 0 ? NULL : names[i < (int)COUNT(names) ? i : 0]);
    }
    judge(s, iw_memory_copy(s->context, to->at, from, copied));
  }
}

/* ---- One case ---------------------------------------------------------------------------------------- */

static void one_call(void)
{
  static void (*const cases[])(void) = {
    scan_case, scan_case, scan_case, scan_case, reduce_case, reduce_case, segments_case, segments_case, arg_case, histogram_case,
    histogram_case,
    histogram_case, range_case, plan_case, weighted_case, pairs_case, rows_case, channels_case, sides_case, sides_case,
    sides_case, unique_case, multisplit_case, multisplit_case, multisplit_case, sort_case,
    context_case,
  };
  the.spoiled = 0;
  cases[choice(COUNT(cases))]();
  end_case();
}

#endif
