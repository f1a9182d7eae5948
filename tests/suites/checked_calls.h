/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of rows.h with random values on CPUs, each call compared with what its row says: for
 * tests/suites/differential.c, where a generator makes the choices, and tests/fuzz/calls.c, where the bytes
 * of an input do. Outputs of which a row says nothing are the same in all settings.
 *
 * A case makes its choices and places its arrays when the row runs the first time, and gives the same ones
 * when it runs again in another setting. Arrays begin or end at a page that cannot be accessed, and have
 * known bytes beside them. Inputs have to be unchanged afterwards. A case may also be spoiled: one argument
 * is replaced by a bad one; the call then fails and leaves its outputs unchanged, or the argument was good
 * after all.
 *
 * Includers define WITHOUT_CHECK, and before the inclusion, if choices are not random: choice().
 */
#ifndef TESTS_CHECKED_CALLS_H
#define TESTS_CHECKED_CALLS_H

#include "rows.h"

#ifndef CHOOSE_DEFINED
static inline uint64_t choice(uint64_t n) { return random_below(n); }
static inline int choose_bytes(void *bytes, size_t n) { (void)bytes, (void)n; return 0; }
#endif

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Arrays ------------------------------------------------------------------------------------------ */

enum { ITEMS = 40, UNTOUCHED = 0x55, SIDE = 64, PAGE_BYTES = 1 << 16, MOST_BINS = 70000, MOST_FOUND = 8 };

/* An array of the case. */
typedef struct item {
  request of;
  unsigned char *at;
  size_t bytes, size;
  int is_output, is_right;  /* right is what the row says */
  unsigned char *right;     /* what an output should hold, at first what it holds before the call */
  unsigned char *initial;   /* NULL: UNTOUCHED */
  uint64_t sum;             /* of an input */
  const size_t *count;      /* of elements that are written, or n - *count if n is not 0 */
  size_t n;
} item;

static struct {
  env env; /* first */
  settings settings;
  size_t most;                          /* elements of an array */
  unsigned char *arenas[ITEMS];
  size_t room;
  item items[ITEMS];
  unsigned count, placed, run, runs[MOST_SETTINGS], run_count;
  uint64_t *recorded;                   /* choices of the first run */
  size_t choices, chosen, choice_room;
  char what[240];
  unsigned spoil;                       /* arguments before the one that is spoiled, from 1; 0: none */
  unsigned asked, spoiled;              /* arguments; which is spoiled; 0: none */
  const void *bad, *good;               /* the pointer that is spoiled */
  char structs[4096];
  iw_status status;
  uint64_t found[MOST_FOUND];
  unsigned found_count;
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
  the.most = most_elements > 4 * MOST_BINS ? most_elements : 4 * MOST_BINS;
  the.room = (the.most * 16 + 4 * SIDE + PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
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
static item *place(const request *of)
{
  const size_t size = of->size ? of->size : 1, n = of->size ? of->count : 0; /* 0: of a bad type */
  ck_assert_msg(the.count < ITEMS && n <= (the.room - 2 * SIDE) / size - 8, "too many arrays, or too large: %zu", n);
  item *const it = &the.items[the.count];
  unsigned char *const base = the.arenas[the.count++];
  const size_t where = choice(8), shift = where < 4 ? 0 : (where / 2 - 1) * (size > 8 ? 8 : size), bytes = n * size;
  *it = (item){ .of = *of, .bytes = bytes, .size = size, .is_output = of->use == OUT || of->use == NONE };
  it->at = where % 2 ? base + shift : base + the.room - bytes - shift;
  memset(it->at - (where % 2 ? shift : SIDE), FENCE_BYTE, where % 2 ? shift : SIDE);
  memset(it->at + bytes, FENCE_BYTE, where % 2 ? SIDE : shift);
  return it;
}

/* The values of an input that the row leaves open. */
static void fill_input(item *it)
{
  const request *const of = &it->of;
  const size_t size = it->size, parts = size > 8 ? size / 8 : 1;
  const iw_type type = (int)of->type ? of->type : size == 1 ? IW_U8 : size == 2 ? IW_U16 : size == 4 ? IW_U32 : IW_U64;
  const size_t n = of->count * parts;
  if (of->has_runs ? choice(3) != 0 : choice(FLAVOURS + 2) == 0)
    fill_runs(type, it->at, n);
  else if (of->is_small && choice(3))
    fill(type, it->at, n, choice(2) ? TINY : UNIT);
  else if (choice(FLAVOURS + 2) || type == IW_BOOL || !choose_bytes(it->at, it->bytes))
    fill(type, it->at, n, (int)choice(FLAVOURS));
}

static item *new_item(const request *of)
{
  item *const it = place(of);
  if (it->is_output) {
    it->right = malloc(it->bytes + 1);
    ck_assert_ptr_nonnull(it->right);
    memset(it->right, UNTOUCHED, it->bytes);
    if (of->given) {
      it->initial = malloc(it->bytes + 1);
      ck_assert_ptr_nonnull(it->initial);
      memcpy(it->initial, of->given, it->bytes);
      memcpy(it->right, of->given, it->bytes);
    }
    memcpy(it->at, it->right, it->bytes);
  } else {
    if (of->given)
      memcpy(it->at, of->given, it->bytes);
    else
      fill_input(it);
    it->sum = sum_of(it->at, it->bytes);
  }
  return it;
}

/* ---- The environment --------------------------------------------------------------------------------- */

/* A choice: made in the first run, and the same in the others. */
static uint64_t recorded(uint64_t (*make)(uint64_t), uint64_t of)
{
  if (the.run) {
    ck_assert(the.chosen < the.choices);
    return the.recorded[the.chosen++];
  }
  if (the.choices == the.choice_room) {
    the.choice_room = 2 * the.choice_room + 1024;
    the.recorded = realloc(the.recorded, the.choice_room * sizeof *the.recorded);
    ck_assert_ptr_nonnull(the.recorded);
  }
  return the.recorded[the.choices++] = make(of);
}
static uint64_t make_choice(uint64_t n) { return choice(n); }
static uint64_t make_word(uint64_t type)
{
  word w = { .u64 = 0 };
  put((iw_type)type, &w, 0, random_word((iw_type)type, (int)choice(FLAVOURS)));
  return w.u64;
}
#define CHOICE(n) recorded(make_choice, n)
static uint64_t checked_choose(env *e, uint64_t n) { (void)e; return CHOICE(n); }
static word checked_word(env *e, iw_type type) { (void)e; return (word){ .u64 = recorded(make_word, type) }; }

/* Whether the next argument is the one to spoil. */
static int is_bad(void)
{
  the.asked++;
  if (!the.run && the.spoil && !--the.spoil) {
    the.spoiled = the.asked;
    the.env.judges = 0;
  }
  return the.asked == the.spoiled;
}

static uint64_t checked_number(env *e, const char *name, kind kind, size_t limit, uint64_t value)
{
  (void)e, (void)name;
  if (!is_bad())
    return value;
  switch (kind) {
  case LENGTH: return CHOICE(2) ? SIZE_MAX - CHOICE(3) : (size_t)PTRDIFF_MAX + 1 + CHOICE(3); /* whatever the elements' size */
  case ALL_TYPES: case TYPE_OR_NONE: case SIX_TYPES: case FLOAT_TYPES: case ENUM: return CHOICE(2) ? 99 : (uint64_t)-1;
  case UNSIGNED: return CHOICE(2) ? limit + 1 : UINT32_MAX;
  case FROM_ONE: return CHOICE(2) ? 0 : limit + 1;
  case SIZE_AT_MOST: return CHOICE(2) ? limit + 1 : SIZE_MAX;
  case SIZE_FROM_ONE: return CHOICE(2) ? 0 : limit + 1;
  case SIZE_ZERO: return 7;
  case FORMAT: return limit + 1 + CHOICE(9);
  case FLAG_BITS: return value | (limit + 1) << CHOICE(20);
  case OPERATOR: return 0;
  default: return value;
  }
}

/* A struct or a pointer to one. */
static void *bad_struct(const request *of)
{
  const size_t size = CHOICE(8);
  if ((of->kind == READ || of->kind == WRITTEN) && CHOICE(2))
    return NULL;
  memcpy(the.structs, of->given, of->size * of->count);
  memcpy(the.structs, &size, sizeof size);
  return the.structs;
}
static void *bad_pointer(const request *of, void *good)
{
  the.good = good;
  if (of->kind == NULL_ONLY)
    the.bad = the.structs;
  else if (of->number > 1 && (of->kind == OPTIONAL || CHOICE(2)))
    the.bad = (char *)good + 1 + CHOICE(of->number - 1);
  else
    the.bad = of->kind == OPTIONAL ? good : NULL;
  return (void *)(uintptr_t)the.bad;
}

static void *checked_pointer(env *e, const request *of)
{
  const int is_spoiled = !of->is_prepared && is_bad();
  (void)e;
  if (of->kind >= READ)
    return is_spoiled ? bad_struct(of) : (void *)(uintptr_t)of->given;
  if (of->kind == NULL_ONLY || (of->kind == NEEDED && of->use == NONE))
    return is_spoiled ? bad_pointer(of, (void *)(uintptr_t)of->given) : (void *)(uintptr_t)of->given;
  item *const it = the.run ? &the.items[the.placed] : new_item(of);
  the.placed++;
  ck_assert_msg(it->of.size == of->size && it->of.count == of->count, "%s, then %s", it->of.name, of->name);
  return is_spoiled ? bad_pointer(of, it->at) : it->at;
}

static const void *checked_host(env *e, const void *array)
{
  (void)e;
  return array && array == the.bad ? the.good : array;
}
static item *item_at(const void *array)
{
  for (unsigned i = 0; i < the.count; i++)
    if (array && the.items[i].at == array)
      return &the.items[i];
  return NULL;
}
static void checked_has(env *e, const void *out, const size_t *count, size_t n, int is_tight)
{
  item *const it = item_at(checked_host(e, out)), *const of = item_at(checked_host(e, count));
  (void)is_tight;
  if (it && of) {
    it->count = (const size_t *)(void *)of->at;
    it->n = n;
  }
}
static void *checked_right(env *e, const void *out)
{
  item *const it = e->judges ? item_at(out) : NULL;
  if (it)
    it->is_right = 1;
  return it ? it->right : NULL;
}

#define CASE_IS(where, condition, ...) do { if (!(condition)) { char why_[600]; snprintf(why_, sizeof why_, __VA_ARGS__); \
  ck_abort_msg("%s, n = %zu%s, on %s: %s", the.what, the.n, the.spoiled ? ", spoiled" : "", shape(where).s, why_); } \
  } while (0)

static setting *this_setting(void) { return &the.settings.at[the.runs[the.run]]; }
static void checked_found(env *e, uint64_t value)
{
  const unsigned k = the.found_count++;
  (void)e;
  ck_assert(k < MOST_FOUND);
  CASE_IS(this_setting(), !the.run || the.spoiled || the.found[k] == value, "a number is %" PRIu64 ", was %" PRIu64, value, the.found[k]);
  the.found[k] = value;
}
static void checked_reserve(env *e, size_t bytes)
{
  CASE_IS(this_setting(), iw_context_reserve(e->context, bytes) == IW_OK, "%s", iw_message());
}

/* ---- Outcomes ---------------------------------------------------------------------------------------- */

static void judge_output(const setting *s, item *it)
{
  const size_t elements = it->bytes / it->size, part = it->size > 8 ? 8 : it->size;
  const size_t of = !it->count ? elements : it->n ? it->n - *it->count : *it->count;
  CASE_IS(s, of <= elements, "%s: %zu of %zu elements are written", it->of.name, of, elements);
  if (!the.run && !it->is_right)
    memcpy(it->right, it->at, of * it->size);
  /* Behind the elements that are written an output in place is unspecified, and another one is untouched. */
  const size_t at = first_difference(it->right, it->at, it->initial ? of : elements, it->size);
  CASE_IS(s, at == SIZE_MAX, "%s: element %zu of %zu is %s, should be %s", it->of.name, at, of,
          hex(it->at, at * (it->size / part), part).s, hex(it->right, at * (it->size / part), part).s);
}

/* What has to hold after each call. */
static void judge(const setting *s, iw_status status)
{
  int has_right = 0;
  the.calls++;
  the.refused += status != IW_OK;
  the.elements[s - the.settings.at] += status == IW_OK ? the.n : 0;
  for (unsigned i = 0; i < the.count; i++)
    has_right |= the.items[i].is_right;
  CASE_IS(s, the.spoiled || status == IW_OK || !has_right, "%s (%s)", iw_status_name(status), iw_message());
  CASE_IS(s, status == the.status, "%s, was %s (%s)", iw_status_name(status), iw_status_name(the.status), iw_message());
  CASE_IS(s, status == IW_OK || strlen(iw_message()) > 8, "%s without a message", iw_status_name(status));
  for (unsigned i = 0; i < the.count; i++) {
    item *const it = &the.items[i];
    const unsigned char *const base = the.arenas[i];
    for (size_t k = 1; k <= SIDE; k++) {
      CASE_IS(s, (size_t)(it->at - base) < k || it->at[-(ptrdiff_t)k] == FENCE_BYTE,
              "%s was written %zu bytes before its begin", it->of.name, k);
      CASE_IS(s, it->at + it->bytes + k > base + the.room || it->at[it->bytes + k - 1] == FENCE_BYTE,
              "%s was written %zu bytes behind its end", it->of.name, k);
    }
    if (!it->is_output)
      CASE_IS(s, it->sum == sum_of(it->at, it->bytes), "%s was changed, which is an input", it->of.name);
    else if (status == IW_OK && !the.spoiled)
      judge_output(s, it);
    else if (status / 100 == 1 && !it->of.is_prepared && the.env.call == 0)
      for (size_t k = 0; k < it->bytes; k++)
        CASE_IS(s, it->at[k] == (it->initial ? it->initial[k] : UNTOUCHED),
                "%s was changed by a call that is %s (%s)", it->of.name, iw_status_name(status), iw_message());
  }
}

static void end_case(void)
{
  for (unsigned i = 0; i < the.count; i++) {
    free(the.items[i].right);
    free(the.items[i].initial);
  }
  the.count = 0;
}

/* ---- One case ---------------------------------------------------------------------------------------- */

/* A size whose logarithm is uniform, often next to a power of two. */
static size_t choose_size(size_t most)
{
  unsigned bits = 0;
  while (bits < 60 && most >> bits)
    bits++;
  const unsigned e = (unsigned)choice(bits + 1);
  if (e == 0)
    return 0;
  const size_t power = (size_t)1 << (e - 1), n = choice(3) == 0 ? power + choice(3) - 1 : power + choice(power);
  return n < most ? n : most;
}

/* A form of a row. */
static const row *choose_row(unsigned *form)
{
  unsigned all = 0, k = 0;
  for (unsigned i = 0; i < ROW_COUNT; i++)
    all += rows[i].environments & FOR_RANDOM ? rows[i].forms : 0;
  *form = (unsigned)choice(all);
  for (; !(rows[k].environments & FOR_RANDOM) || *form >= rows[k].forms; k++)
    *form -= rows[k].environments & FOR_RANDOM ? rows[k].forms : 0;
  return &rows[k];
}

/* Runs the row in all settings of the case; whether there is such a call. */
static int run_case(const row *row)
{
  snprintf(the.what, sizeof the.what, "%.100s of %s, form %u", row->name, iw_type_name(the.env.type), the.env.form);
  the.spoiled = 0;
  the.choices = 0;
  the.bad = NULL;
  for (the.run = 0; the.run < the.run_count; the.run++) {
    setting *const s = this_setting();
    the.placed = the.asked = the.found_count = the.env.call = 0;
    the.chosen = 0;
    for (unsigned i = 0; i < the.count; i++)
      if (the.items[i].is_output && the.items[i].initial)
        memcpy(the.items[i].at, the.items[i].initial, the.items[i].bytes);
      else if (the.items[i].is_output)
        memset(the.items[i].at, UNTOUCHED, the.items[i].bytes);
    the.env.judges = !the.run;
    the.env.context = s->context;
    the.env.host_context = the.settings.at[the.runs[0]].context;
    const iw_status status = row->run(&the.env);
    for (unsigned a = 0; a < MOST_AXES; a++) {
      iw_histogram_plan_free(the.env.bins[a].plan);
      the.env.bins[a].plan = NULL;
    }
    if (status == NO_CALL && !the.spoiled)
      break;
    the.status = the.run ? the.status : status;
    judge(s, status);
  }
  const int is_made = the.run == the.run_count;
  end_case();
  return is_made;
}

static void one_call(void)
{
  enum { MOST_TRIES = 40 };
  const unsigned spoil = the.spoil;
  if (!the.env.scratch)
    the.env = (env){ .pointer = checked_pointer, .number = checked_number, .choose = checked_choose, .word = checked_word,
                     .host = checked_host, .has = checked_has, .reserve = checked_reserve, .found = checked_found,
                     .right = checked_right, .most_bins = MOST_BINS, .room = MOST_BINS + 2, .is_random = 1,
                     .scratch = malloc((MOST_BINS + 2) * 8), .more_scratch = malloc((MOST_BINS + 2) * 8) };
  ck_assert(the.env.scratch && the.env.more_scratch);
  the.env.n = the.n;
  const row *const row = choose_row(&the.env.form);
  for (unsigned i = 0; i < MOST_TRIES; i++) {
    the.spoil = spoil;
    the.env.type = (iw_type)(IW_U8 + choice(IW_BF16));
    if (run_case(row))
      return;
  }
}

#endif
