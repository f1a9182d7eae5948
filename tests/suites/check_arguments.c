/* SPDX-License-Identifier: Apache-2.0
 *
 * Every argument of every row of rows.h, one wrong value at a time: the call is refused, the message has
 * the argument's name, the value and the limit, and nothing is written. The wrong values are made by the
 * kinds of arguments. Also: results and arrays that overlap, structs of a later version, and messages under
 * a caller's rounding mode and locale.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "rows.h"

#include <fenv.h>
#include <float.h>
#include <isowarp/descriptor.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- The environment --------------------------------------------------------------------------------- */

enum { N = 8, POOL = 1024, MOST = 64, MOST_CALLS = 200, SCRATCH = 64 };

/* An argument that a row has asked for. */
typedef struct argument {
  const char *name;
  kind kind;
  size_t number;
  use use;
  size_t bytes;         /* of the array or value, if it may overlap */
  unsigned call;
  void *at;             /* a pointer, before it is changed */
  uint64_t value;       /* a number */
  uint64_t content[8];  /* what a VALUE holds */
  int is_pooled, is_prepared, is_given;
} argument;

/* What one run changes: the argument of number `target` becomes `value`; lies in argument `other`, `place`
 * bytes from its begin, with what it holds (or does not, but is written there too); or is a struct, whose
 * size becomes `value`. */
typedef enum how { AS_IT_IS, REPLACED, ELSEWHERE, WRITTEN_ELSEWHERE, MOVED, WRONG_SIZE } how;
typedef struct change { how how; unsigned target; uint64_t value; unsigned other; size_t place; } change;
#define AS_IS ((change){ .how = AS_IT_IS })

/* Each array and result has a pool of its own, in the middle of which it begins, so that a neighbour may
 * overlap it. */
static uint64_t pools[MOST][POOL], pools_before[MOST][POOL];
static struct {
  env env;
  uint64_t scratch[SCRATCH], more_scratch[SCRATCH];
  argument now[MOST];       /* of the last run */
  unsigned count, plain_count;
  argument plain[MOST];     /* of the run without a change */
  change change;
  char structs[8192];
} w;

static uint64_t *pool(unsigned i) { return pools[i] + POOL / 2; }

static argument *next_argument(const char *name, kind kind, size_t limit)
{
  ck_assert_uint_lt(w.count, MOST);
  argument *const a = &w.now[w.count++];
  *a = (argument){ .name = name, .kind = kind, .number = limit, .call = w.env.call };
  return a;
}

/* Fills a pool: elements are 0, 1, 2, 3, and so on; flags are 1. */
static void fill_pool(unsigned i, const request *r)
{
  char *const at = (char *)pool(i);
  const int is_flag = r->has_runs && r->size == 1;
  const unsigned values = r->type == IW_BOOL ? 2 : 4;
  for (unsigned k = 0; k < POOL; k++)
    pools[i][k] = k % 4;
  if (r->given)
    memcpy(at, r->given, r->size * r->count);
  else if ((int)r->type)
    for (size_t k = 0; k < r->count; k++)
      put(r->type, at, k, word_of(r->type, is_flag ? 1 : (double)(k % values)));
}

/* The pointer that this run changes. */
static void *changed(const argument *a, void *at)
{
  const change *const c = &w.change;
  switch (c->how) {
  case REPLACED: return (void *)(uintptr_t)c->value;
  case MOVED: return (char *)at + c->value;
  case ELSEWHERE: return (char *)pool(c->other) + c->place;
  case WRONG_SIZE:
    memcpy(w.structs, at, a->number);
    memcpy(w.structs, &c->value, sizeof c->value);
    return w.structs;
  case AS_IT_IS: case WRITTEN_ELSEWHERE: break;
  }
  return at;
}

static void *argument_pointer(env *e, const request *r)
{
  const unsigned i = w.count;
  argument *const a = next_argument(r->name, r->kind, r->number);
  const change *const c = &w.change;
  (void)e;
  a->use = r->use;
  a->bytes = r->size * r->count;
  a->is_prepared = r->is_prepared;
  a->is_given = r->given != NULL;
  a->is_pooled = r->kind < READ && r->kind != NULL_ONLY && !(r->kind == NEEDED && r->use == NONE);
  a->at = (void *)(uintptr_t)r->given;
  if (a->is_pooled) {
    ck_assert_uint_le(a->bytes, sizeof *pools / 2);
    fill_pool(i, r);
    a->at = pool(i);
    if (a->use == VALUE && a->bytes <= sizeof a->content)
      memcpy(a->content, a->at, a->bytes);
    if ((c->how == WRITTEN_ELSEWHERE || c->how == ELSEWHERE) && i == c->other && w.plain[c->target].use == VALUE)
      memcpy((char *)a->at + c->place, w.plain[c->target].content, w.plain[c->target].bytes);
    memcpy(pools_before[i], pools[i], sizeof *pools);
  }
  return i == c->target ? changed(a, a->at) : a->at;
}

static uint64_t argument_number(env *e, const char *name, kind kind, size_t limit, uint64_t value)
{
  const unsigned i = w.count;
  (void)e;
  next_argument(name, kind, limit)->value = value;
  return i == w.change.target && w.change.how == REPLACED ? w.change.value : value;
}

static uint64_t first_choice(env *e, uint64_t n) { (void)e, (void)n; return 0; }
static word some_word(env *e, iw_type type) { (void)e; return word_of(type, 0); }
static const void *no_host(env *e, const void *array) { (void)e, (void)array; return NULL; }
static void has_nothing(env *e, const void *out, const size_t *count, size_t n, int is_tight)
{
  (void)e, (void)out, (void)count, (void)n, (void)is_tight;
}
static void reserve_nothing(env *e, size_t bytes) { (void)e, (void)bytes; }
static void find_nothing(env *e, uint64_t value) { (void)e, (void)value; }

/* ---- The calls --------------------------------------------------------------------------------------- */

static void run_nothing(iw_block *block, void *shared, const void *args)
{
  (void)block;
  (void)shared;
  (void)args;
}
static int not_contracted(void) { return 0; }
static const iw_kernel kernel_of_nothing = {
  .size = sizeof kernel_of_nothing, .name = "nothing", .isa = "generic", .warp_size = 32, .blocks_per_processor = 1,
  .args = sizeof(uint32_t), .run = run_nothing, .fp_contracted = not_contracted,
};
/* A kernel is no array: this row is for arguments alone. */
ROW(launch)
{
  static uint32_t args;
  return iw_launch(CONTEXT, needed(e, "kernel", &kernel_of_nothing), 1, (unsigned)NUMBER("block", FROM_ONE, 1024, 32),
                   needed(e, "args", &args), sizeof args);
}
static const row launch_row = { "iw_launch", row_launch, 1, FOR_ARGUMENTS };

/* Each form of each row, of the first of some types that it takes. */
typedef struct call { const char *name; const row *row; unsigned form; iw_type type; } call;
static call calls[MOST_CALLS];
static unsigned call_count;

static iw_status run_with(const call *of, change c)
{
  w.change = c;
  w.count = w.env.call = 0;
  w.env.form = of->form;
  w.env.type = of->type;
  if (c.how == AS_IT_IS)
    w.change.target = MOST;
  return of->row->run(&w.env);
}

static void add_calls(const row *row)
{
  static const iw_type types[] = { IW_I64, IW_F64, IW_F32, IW_I32, IW_U8 };
  for (unsigned form = 0; form < row->forms; form++)
    for (unsigned t = 0; t < COUNT(types); t++) {
      const call made = { row->name, row, form, types[t] };
      if (run_with(&made, AS_IS) == NO_CALL)
        continue;
      ck_assert_uint_lt(call_count, MOST_CALLS);
      calls[call_count++] = made;
      break;
    }
}

static void run_well(const call *of, const char *why)
{
  const iw_status status = run_with(of, AS_IS);
  ck_assert_msg(status == IW_OK, "%s of %s, form %u, %s: %s", of->name, iw_type_name(of->type), of->form, why, iw_message());
}

/* Runs the call, and keeps what it has asked for. */
static const call *plainly(unsigned k)
{
  run_well(&calls[k], "as it should be");
  memcpy(w.plain, w.now, sizeof w.plain);
  w.plain_count = w.count;
  return &calls[k];
}
/* The first one from here on that is of the call itself. */
static const argument *own_argument(const argument *from)
{
  while (from < w.plain + w.plain_count && from->is_prepared)
    from++;
  return from;
}
#define FOR_CALLS(of) for (const call *of = calls; of < calls + call_count && (of = plainly((unsigned)(of - calls))); of++)
#define FOR_ARGUMENTS_OF(p) for (const argument *p = own_argument(w.plain); p < w.plain + w.plain_count; p = own_argument(p + 1))
#define INDEX(p) ((unsigned)((p) - w.plain))

static iw_context *context;

static void setup(void)
{
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  range_begin = 0; /* so that all elements are in the first bin */
  plans_make(4, 4);
  w.env = (env){ .pointer = argument_pointer, .number = argument_number, .choose = first_choice, .word = some_word, .host = no_host,
                 .has = has_nothing, .reserve = reserve_nothing, .found = find_nothing, .right = no_right, .context = context,
                 .host_context = context, .n = N, .most_bins = 4, .room = SCRATCH, .scratch = w.scratch, .more_scratch = w.more_scratch, .is_checked = 1 };
  call_count = 0;
  for (unsigned k = 0; k < ROW_COUNT; k++)
    if (rows[k].environments & FOR_ARGUMENTS)
      add_calls(&rows[k]);
  add_calls(&launch_row);
}

static void teardown(void)
{
  plans_free();
  iw_context_close(context);
}

/* ---- One wrong value at a time ----------------------------------------------------------------------- */

static unsigned refusals;

/* Nothing was written. */
static void unchanged(const call *of, const argument *p, const char *what)
{
  for (unsigned i = 0; i < w.count; i++)
    ck_assert_msg(!w.now[i].is_pooled || w.now[i].is_prepared || !memcmp(pools[i], pools_before[i], sizeof *pools),
                  "%s with %s = %s has written %s", of->name, p->name, what, w.now[i].name);
}

/* The call is refused, says these words, and has written nothing. */
static void refused(const call *of, const argument *p, change c, const char *const words[4])
{
  c.target = INDEX(p);
  const iw_status status = run_with(of, c);
  /* what cannot be allocated is not an argument's fault */
  const int is_amount = !strcmp(p->name, "reserve") || !strcmp(p->name, "allocate");
  ck_assert_msg(status == (is_amount ? IW_ERROR_MEMORY : IW_ERROR_INVALID),
                "%s, form %u, with %s = %s is %s (%s)", of->name, of->form, p->name, words[1], iw_status_name(status), iw_message());
  for (unsigned k = 0; k < 4; k++)
    ck_assert_msg(strstr(iw_message(), words[k]) != NULL, "%s, form %u, with %s = %s says \"%s\", without \"%s\"", of->name, of->form,
                  p->name, words[1], iw_message(), words[k]);
  unchanged(of, p, words[1]);
  refusals++;
}

typedef struct text { char s[64]; } text;
__attribute__((format(printf, 1, 2))) static text text_of(const char *format, ...)
{
  text t;
  va_list list;
  va_start(list, format);
  vsnprintf(t.s, sizeof t.s, format, list);
  va_end(list);
  return t;
}

#define REFUSED_WITH(wrong, ...) \
  refused(of, p, (change){ .how = REPLACED, .value = (uint64_t)(wrong) }, (const char *const[4]){ p->name, __VA_ARGS__ })

static void wrong_size(const call *of, const argument *p, size_t size)
{
  const text value = text_of("%zu", size), known = text_of("%zu", p->number), name = text_of("%s->size", p->name);
  refused(of, p, (change){ .how = WRONG_SIZE, .value = size }, (const char *const[4]){ name.s, value.s, known.s, "4096" });
}

/* Whether an argument of one of the kinds ALL_TYPES to FLOAT_TYPES may be the type. */
static int takes(const argument *p, iw_type type)
{
  const int is_float = type == IW_F32 || type == IW_F64, is_six = type >= IW_I32 && type <= IW_F64;
  const int is_half = type == IW_F16 || type == IW_BF16;
  return p->kind == ALL_TYPES || p->kind == TYPE_OR_NONE || (p->kind == SIX_TYPES && is_six)
         || (p->kind == FLOAT_TYPES && (is_half ? p->number != IW_F64 : is_float && type <= (iw_type)p->number));
}

static void wrong_values(const call *of, const argument *p)
{
  static const int types[] = { -1, 0, SCANNED_TYPES + 1, 99, INT_MAX, INT_MIN };
  static const uintptr_t ops[] = { 0, 8, 99, 4095 };
  const size_t number = p->number, sizes[] = { 0, 1, number - 1, 4097, SIZE_MAX };
  const text limit = text_of("%zu", number), most = text_of("%zu", (size_t)PTRDIFF_MAX / (number ? number : 1));
  switch (p->kind) {
  case NEEDED:
    REFUSED_WITH(NULL, "NULL", "", "");
    break;
  case ALIGNED:
    REFUSED_WITH(NULL, "NULL", "", "");
    /* fall through */
  case OPTIONAL:
    for (size_t by = 1; by < number; by *= 2) {
      refused(of, p, (change){ .how = MOVED, .value = by }, (const char *const[4]){ p->name,
        text_of("%p", (void *)((char *)p->at + by)).s, "not aligned", limit.s });
    }
    break;
  case LENGTH:
    REFUSED_WITH(SIZE_MAX, "18446744073709551615", most.s, "at most");
    REFUSED_WITH(PTRDIFF_MAX / number + 1, text_of("%zu", PTRDIFF_MAX / number + 1).s, most.s, "at most");
    break;
  case ALL_TYPES: case SIX_TYPES: case FLOAT_TYPES: case TYPE_OR_NONE:
    for (unsigned i = 0; i < COUNT(types); i++)
      if (types[i] || p->kind != TYPE_OR_NONE)
        REFUSED_WITH(types[i], text_of("%d", types[i]).s, "iw_type", "is not an");
    for (iw_type type = IW_U8; type <= IW_BF16; type++)
      if (!takes(p, type))
        REFUSED_WITH(type, iw_type_name(type), p->kind == FLOAT_TYPES ? "f32" : "i32",
                     p->kind == FLOAT_TYPES ? "f64" : "i64");
    break;
  case ENUM:
    REFUSED_WITH(-1, "-1", limit.s, "valid are");
    REFUSED_WITH((int)number + 1, text_of("%zu", number + 1).s, limit.s, "valid are");
    REFUSED_WITH(INT_MAX, "2147483647", limit.s, "valid are");
    break;
  case FROM_ONE:
    REFUSED_WITH(0, "0", limit.s, "valid are 1 to");
    /* fall through */
  case UNSIGNED:
    REFUSED_WITH((unsigned)number + 1, text_of("%zu", number + 1).s, limit.s, "valid are");
    REFUSED_WITH(UINT_MAX, "4294967295", limit.s, "valid are");
    break;
  case SIZE_FROM_ONE:
    REFUSED_WITH(0, "0", limit.s, "1 to");
    /* fall through */
  case SIZE_AT_MOST:
    REFUSED_WITH(number + 1, text_of("%zu", number + 1).s, limit.s, "");
    REFUSED_WITH(SIZE_MAX, "18446744073709551615", limit.s, "");
    break;
  case FORMAT:
    REFUSED_WITH(0, "0", limit.s, "knows");
    REFUSED_WITH((uint32_t)number + 1, text_of("%zu", number + 1).s, limit.s, "knows");
    break;
  case SIZE_ZERO:
    REFUSED_WITH(7, "7", "valid is", "");
    break;
  case NULL_ONLY:
    REFUSED_WITH(pool(3), text_of("%p", (void *)pool(3)).s, "valid is NULL", "");
    break;
  case FLAG_BITS:
    REFUSED_WITH((unsigned)number + 1, text_of("0x%x", (unsigned)number + 1).s, text_of("0x%x", (unsigned)number).s, "unknown");
    REFUSED_WITH(0x80000001, "0x80000000", text_of("0x%x", (unsigned)number).s, "unknown");
    break;
  case OPERATOR:
    for (unsigned i = 0; i < COUNT(ops); i++)
      REFUSED_WITH(ops[i], text_of("%u", (unsigned)ops[i]).s, all_ops[0].constant, all_ops[ALL_OPS - 1].constant);
    break;
  case READ: case WRITTEN:
    REFUSED_WITH(NULL, "NULL", "", "");
    /* fall through */
  case MAY_READ: case MAY_WRITE:
    for (unsigned i = 0; i < COUNT(sizes); i++)
      wrong_size(of, p, sizes[i]);
    break;
  }
}

START_TEST(messages)
{
  FOR_CALLS(of)
    FOR_ARGUMENTS_OF(p)
      wrong_values(of, p);
  printf("# %u wrong values in %u calls\n", refusals, call_count);
}
END_TEST

/* Whether a list of names has this one. */
static int is_named(const char *names, const char *name)
{
  const size_t length = strlen(name);
  const char *at = names;
  while ((at = strstr(at, name)) && ((at > names && at[-1] != ' ') || (at[length] && at[length] != ',')))
    at++;
  return at != NULL;
}

/* The calls of a file and of the headers that it includes. */
static unsigned calls_with_rows(const char *path)
{
  static const char begin[] = "IW_API iw_status ";
  const char *const srcdir = getenv("srcdir");
  char line[256], header[64];
  unsigned found = 0;
  FILE *const file = fopen(text_of("%s/%s", srcdir ? srcdir : "..", path).s, "r");
  if (!file) {
    printf("# skipped: no %s (srcdir is not set)\n", path);
    return 1;
  }
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "#include <isowarp%63[a-z_/.]>", header) == 1)
      found += calls_with_rows(text_of("include/isowarp%s", header).s);
    else if (!strncmp(line, begin, strlen(begin))) {
      unsigned k = 0;
      line[strcspn(line, "(")] = 0;
      while (k < call_count && !is_named(calls[k].name, line + strlen(begin)))
        k++;
      ck_assert_msg(k < call_count, "%s has no row", line + strlen(begin));
      found++;
    }
  fclose(file);
  return found;
}

/* Each call that returns a status has a row. */
START_TEST(completeness)
{
  ck_assert_uint_gt(calls_with_rows("tests/suites/rows.h"), 0);
}
END_TEST

/* Each call with results has a digest in `isowarp verify`; iw_memory_copy only moves bytes. */
START_TEST(digests)
{
  const char *const srcdir = getenv("srcdir");
  FILE *const file = fopen(text_of("%s/tools/commands/verify.c", srcdir ? srcdir : "..").s, "r");
  static char code[1 << 18];
  if (!file) {
    printf("# skipped: no verify.c (srcdir is not set)\n");
    return;
  }
  const size_t length = fread(code, 1, sizeof code - 1, file);
  fclose(file);
  ck_assert_uint_lt(length, sizeof code - 1);
  for (unsigned r = 0; r < ROW_COUNT; r++) {
    char names[256], *rest = names;
    snprintf(names, sizeof names, "%s", rows[r].environments & FOR_RANDOM ? rows[r].name : "");
    for (char *name; (name = strtok_r(rest, ", ", &rest)) != NULL;)
      ck_assert_msg(strstr(code, text_of("%s(", name).s) || !strcmp(name, "iw_memory_copy"), "%s has no digest", name);
  }
}
END_TEST

/* Calls of all types take each of them, and so do calls of fewer. */
START_TEST(types)
{
  unsigned made = 0;
  for (unsigned k = 0; k < call_count; k++)
    for (iw_type type = IW_U8; type <= IW_BF16; type++) {
      const call of_type = { calls[k].name, calls[k].row, calls[k].form, type };
      const iw_status status = run_with(&of_type, AS_IS);
      ck_assert_msg(status == IW_OK || status == NO_CALL, "%s of %s, form %u: %s", of_type.name, iw_type_name(type), of_type.form,
                    iw_message());
      made += status == IW_OK;
    }
  ck_assert_uint_gt(made, 10 * call_count);
}
END_TEST

/* Bins of another type than the elements: both types are named. */
START_TEST(types_of_bins)
{
  const int64_t lo = 0, hi = 100, in[N] = { 0 };
  int64_t out[N];
  size_t count[5];
  iw_histogram_spec spec = { .size = sizeof spec, .type = IW_I64, .bins = 4, .lo = &lo, .hi = &hi };
  const iw_test test = { .size = sizeof test, .type = IW_F32, .bins = &spec };
  const iw_buckets buckets = { .size = sizeof buckets, .type = IW_F32, .bins = &spec };
  ck_assert_int_eq(iw_select_if(context, &test, in, N, out, count, NULL), IW_ERROR_INVALID);
  ck_assert_str_eq(iw_message(), "test->bins: spec->type is i64, but the elements are of f32");
  ck_assert_int_eq(iw_multisplit(context, &buckets, in, N, out, count, NULL), IW_ERROR_INVALID);
  ck_assert_str_eq(iw_message(), "buckets->bins: spec->type is i64, but the elements are of f32");
  const iw_histogram_spec planned = iw_spec_of_plan(plan_few[IW_I64]);
  const iw_histogram_spec other = { .size = sizeof other, .type = IW_F32, .bins = 4, .lo = &lo, .hi = &hi };
  void *const counts[] = { out, count };
  const iw_histogram_spec *const specs[] = { &planned, &other };
  ck_assert_int_eq(iw_histogram_channels(context, specs, 2, in, N / 2, counts), IW_ERROR_INVALID);
  ck_assert_msg(strstr(iw_message(), "specs[1] is of f32") && strstr(iw_message(), "i64"), "%s", iw_message());
  spec = planned;
  ck_assert_int_eq(iw_select_if(context, &test, in, N, out, count, NULL), IW_ERROR_INVALID);
  ck_assert_msg(strstr(iw_message(), "type is f32") && strstr(iw_message(), "was made for i64"), "%s", iw_message());
}
END_TEST

/* ---- Overlaps ---------------------------------------------------------------------------------------- */

static void overlapping(const call *of, const argument *out, const argument *other)
{
  const iw_status status = run_with(of, (change){ .how = ELSEWHERE, .target = INDEX(out), .other = INDEX(other),
                                                  .place = other->bytes > 8 ? other->bytes - 8 : 0 });
  ck_assert_msg(status == IW_ERROR_OVERLAP && strstr(iw_message(), out->name) && strstr(iw_message(), other->name),
                "%s, form %u, with %s in %s is %s (%s)", of->name, of->form, out->name, other->name, iw_status_name(status),
                status ? iw_message() : "");
  unchanged(of, out, other->name);
}

/* Results and output arrays that overlap each other or an input are refused; inputs may overlap. */
START_TEST(overlaps)
{
  unsigned refused_pairs = 0, input_pairs = 0;
  FOR_CALLS(of)
    FOR_ARGUMENTS_OF(p)
      FOR_ARGUMENTS_OF(q)
        if (p->use == OUT && q != p && q->call == p->call && (q->use == IN || q->use == OUT)) {
          overlapping(of, p, q);
          refused_pairs++;
        } else if (p->use == IN && q->use == IN && q != p && q->call == p->call && !p->is_given) {
          const iw_status status = run_with(of, (change){ .how = ELSEWHERE, .target = INDEX(p), .other = INDEX(q) });
          ck_assert_msg(status == IW_OK, "%s, form %u, with equal inputs %s and %s: %s", of->name, of->form,
                        p->name, q->name, iw_message());
          input_pairs++;
        }
  printf("# %u pairs refused, %u pairs of inputs accepted\n", refused_pairs, input_pairs);
  ck_assert_uint_ge(refused_pairs, 330);
  ck_assert_uint_ge(input_pairs, 94);
}
END_TEST

/* Reports are results. */
START_TEST(reports_overlap)
{
  const int64_t lo = 0, hi = 100;
  static uint64_t samples[64], counts[64];
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_I64, .bins = 4, .lo = &lo, .hi = &hi };
  iw_histogram_report *const report = (iw_histogram_report *)(void *)(samples + 6);
  iw_histogram_report *const of_counts = (iw_histogram_report *)(void *)(counts + 2);
  report->size = sizeof *report;
  ck_assert_int_eq(iw_histogram(context, &spec, samples, N, counts, IW_OPTIONS(iw_histogram_options, .report = report)), IW_ERROR_OVERLAP);
  ck_assert_ptr_nonnull(strstr(iw_message(), "report"));
  of_counts->size = sizeof *of_counts;
  ck_assert_int_eq(iw_histogram(context, &spec, samples, N, counts, IW_OPTIONS(iw_histogram_options, .report = of_counts)), IW_ERROR_OVERLAP);
  ck_assert_ptr_nonnull(strstr(iw_message(), "report"));
}
END_TEST

/* Single values and tables are read before anything is written: they may lie in what is written. */
START_TEST(values_in_outputs)
{
  unsigned pairs = 0;
  FOR_CALLS(of)
    FOR_ARGUMENTS_OF(p)
      FOR_ARGUMENTS_OF(q)
        if (p->use == VALUE && q->use == OUT && q->call == p->call && q->bytes >= p->bytes && p->bytes <= sizeof p->content)
          for (size_t place = 0; place <= q->bytes - p->bytes; place += 8) {
            char expected[sizeof *pools];
            /* some of q may not be written */
            change c = { .how = WRITTEN_ELSEWHERE, .target = INDEX(p), .other = INDEX(q), .place = place };
            ck_assert_msg(run_with(of, c) == IW_OK, "%s: %s", of->name, iw_message());
            memcpy(expected, q->at, q->bytes);
            c.how = ELSEWHERE;
            ck_assert_msg(run_with(of, c) == IW_OK, "%s with %s in %s: %s", of->name, p->name, q->name, iw_message());
            ck_assert_msg(!memcmp(expected, q->at, q->bytes), "%s with %s in %s has another result", of->name, p->name, q->name);
            pairs++;
          }
  printf("# %u places of values in results\n", pairs);
  ck_assert_uint_gt(pairs, 50);
}
END_TEST

/* ---- Structs of a later version ---------------------------------------------------------------------- */

/* Two pages, of which the second cannot be accessed. */
static char *page;
static size_t page_size;

static void *before_the_end(size_t bytes)
{
  if (!page) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(page != MAP_FAILED);
    ck_assert_int_eq(mprotect(page + page_size, page_size, PROT_NONE), 0);
  }
  memset(page, 0, page_size);
  return page + page_size - bytes;
}

/* A struct of a later version, which is `size` bytes, as the row fills it in. */
static char *larger_copy(const call *of, const argument *p, size_t size)
{
  char *const larger = before_the_end(size);
  run_with(of, (change){ .how = WRONG_SIZE, .target = INDEX(p), .value = size }); /* into w.structs */
  memcpy(larger, w.structs, p->number);
  return larger;
}

START_TEST(larger_structs)
{
  unsigned structs = 0;
  FOR_CALLS(of)
    FOR_ARGUMENTS_OF(p) {
      if (p->kind < READ)
        continue;
      const size_t more[] = { 0, 8, 24, 4096 - p->number };
      const int written = p->kind == WRITTEN || p->kind == MAY_WRITE;
      const text name = text_of("%s->size", p->name);
      structs++;
      for (unsigned m = 0; m < COUNT(more); m++) {
        const size_t size = p->number + more[m];
        char *const larger = larger_copy(of, p, size);
        if (written)
          memset(larger + p->number, 0x99, more[m]);
        const iw_status status = run_with(of, (change){ .how = REPLACED, .target = INDEX(p), .value = (uintptr_t)larger });
        ck_assert_msg(status == IW_OK, "%s with a larger %s: %s", of->name, p->name, iw_message());
        for (size_t i = p->number; i < size; i++)
          ck_assert_msg(larger[i] == 0, "%s leaves byte %zu of %s", of->name, i, p->name);
        for (size_t i = p->number; !written && i < size; i += more[m] / 8) {
          const text byte = text_of("byte %zu is 153", i), known = text_of("%zu bytes", p->number);
          memset(larger + p->number, 0, more[m]);
          larger[i] = (char)0x99;
          refused(of, p, (change){ .how = REPLACED, .value = (uintptr_t)larger },
                  (const char *const[4]){ name.s, text_of("%zu", size).s, byte.s, known.s });
        }
      }
      if (!written) { /* too small: no byte past it is read */
        char *const small = before_the_end(sizeof(size_t));
        memcpy(small, &(size_t){ sizeof(size_t) }, sizeof(size_t));
        refused(of, p, (change){ .how = REPLACED, .value = (uintptr_t)small }, (const char *const[4]){ name.s, "8: set it to sizeof(", "valid are", "4096" });
      }
    }
  ck_assert_uint_gt(structs, 20);
}
END_TEST

/* Payloads have the size of the first. */
START_TEST(larger_payloads)
{
  typedef struct later { iw_payload known; uint64_t unknown; } later;
  unsigned lists = 0;
  FOR_CALLS(of)
    FOR_ARGUMENTS_OF(p) {
      uint64_t expected[2][N];
      char *out[2] = { NULL, NULL };
      FOR_ARGUMENTS_OF(q)
        for (unsigned i = 0; i < 2; i++)
          if (!strcmp(q->name, i ? "payloads[1].out" : "payloads[0].out"))
            out[i] = q->at;
      if (strcmp(p->name, "payloads") != 0 || !out[1])
        continue;
      lists++;
      run_well(of, "with payloads");
      memcpy(expected[0], out[0], sizeof *expected);
      memcpy(expected[1], out[1], sizeof *expected);
      later *const list = before_the_end(2 * sizeof *list);
      for (unsigned i = 0; i < 2; i++) {
        list[i].known = w.env.payloads[i];
        list[i].known.size = sizeof *list;
      }
      const change larger = { .how = REPLACED, .target = INDEX(p), .value = (uintptr_t)list };
      ck_assert_msg(run_with(of, larger) == IW_OK, "%s with larger payloads: %s", of->name, iw_message());
      ck_assert_mem_eq(expected[0], out[0], sizeof *expected);
      ck_assert_mem_eq(expected[1], out[1], sizeof *expected);
      list[1].unknown = 5;
      refused(of, p, larger, (const char *const[4]){ "payloads[1].size", "48", "byte 40 is 5", "40 bytes" });
      list[1].unknown = 0;
      list[1].known.size = sizeof(iw_payload);
      refused(of, p, larger, (const char *const[4]){ "payloads[1].size", "40", "payloads[0].size", "48" });
    }
  ck_assert_uint_gt(lists, 3);
}
END_TEST

/* ---- The caller's rounding mode and locale ----------------------------------------------------------- */

/* Numbers that end differently in each rounding mode, and a decimal point. */
static void say_numbers(char *said, size_t room)
{
  const float samples[] = { 1, 2, 2, 3 }, lo = 0.1f, hi = 3.3f;
  const double low = 1.0 / 3, high = 0.1;
  iw_histogram_spec spec = { .size = sizeof spec, .bins = 5, .lo = &low, .hi = &high };
  iw_histogram_plan_info info = { .size = sizeof info };
  iw_histogram_plan *made;
  double edges[6];
  ck_assert_int_eq(write_edges_of(IW_F64, &spec, edges), IW_ERROR_INVALID);
  snprintf(said, room, "%s", iw_message());
  spec.lo = &lo;
  spec.hi = &hi;
  ck_assert_int_eq(plan_of(context, IW_F32, &spec, samples, 3, &made), IW_OK);
  ck_assert_int_eq(iw_histogram_plan_get_info(context, made, 1000000, &info), IW_OK);
  iw_histogram_plan_free(made);
  snprintf(said + strlen(said), room - strlen(said), "; %s", info.why);
}

START_TEST(rounding_modes)
{
#ifdef FE_UPWARD
  static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD };
  char said[COUNT(modes)][1024];
  for (unsigned m = 0; m < COUNT(modes); m++) {
    fesetround(modes[m]);
    say_numbers(said[m], sizeof *said);
    const int kept = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(kept, modes[m]);
    ck_assert_str_eq(said[m], said[0]);
  }
  ck_assert_ptr_nonnull(strstr(said[0], "0.33333333333333331"));
#endif
}
END_TEST

START_TEST(decimal_comma)
{
  char plain[1024], said[1024], folder[] = "/tmp/isowarp-locale-XXXXXX", command[512];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(command, sizeof command, "cd %s && printf 'comment_char %%%%\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
           "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n' > comma && "
           "localedef -c -i ./comma -f ANSI_X3.4-1968 ./xx_XX > log 2>&1; test -e xx_XX/LC_NUMERIC", folder);
  say_numbers(plain, sizeof plain);
  const int made = system(command) == 0;
  setenv("LOCPATH", folder, 1);
  if (!made || !setlocale(LC_ALL, "xx_XX"))
    printf("# skipped: no locale with a decimal comma\n");
  else {
    ck_assert_str_eq(text_of("%.1f", 0.5).s, "0,5");
    say_numbers(said, sizeof said);
    ck_assert_str_eq(text_of("%.1f", 0.5).s, "0,5"); /* the caller keeps its locale */
    setlocale(LC_ALL, "C");
    ck_assert_str_eq(said, plain);
  }
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

/* ---- Other points of the contract -------------------------------------------------------------------- */

/* HI_INCLUDED includes CLOSED_TOP; with edges of integers they are the same, and a map has no top. */
START_TEST(closed_tops)
{
  const int32_t samples[] = { 0, 5, 9, 10, 11 }, lo = 0, hi = 10, edges[] = { 0, 5, 10 };
  static const uint16_t map_of_bytes[256] = { 1, 2, 3 };
  const uint8_t bytes[] = { 0, 1, 2, 3, 255 };
  static const unsigned flags[] = {
    0, IW_HIST_CLOSED_TOP, IW_HIST_HI_INCLUDED, IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED,
  };
  iw_histogram_spec even = { .size = sizeof even, .bins = 2, .lo = &lo, .hi = &hi };
  iw_histogram_spec by_edge = { .size = sizeof by_edge, .kind = IW_HISTOGRAM_EDGES, .bins = 2, .edges = edges };
  iw_histogram_spec map = { .size = sizeof map, .kind = IW_HISTOGRAM_MAP, .bins = 4, .map = map_of_bytes };
  uint64_t found[4][3][4] = { { { 0 } } };
  int32_t written[4][3];
  for (unsigned f = 0; f < COUNT(flags); f++) {
    even.flags = by_edge.flags = map.flags = flags[f];
    ck_assert_int_eq(histogram_of(context, IW_I32, &even, samples, 5, found[f][0], NULL), IW_OK);
    ck_assert_int_eq(histogram_of(context, IW_I32, &by_edge, samples, 5, found[f][1], NULL), IW_OK);
    ck_assert_int_eq(histogram_of(context, IW_U8, &map, bytes, 5, found[f][2], NULL), IW_OK);
    ck_assert_int_eq(write_edges_of(IW_I32, &even, written[f]), IW_OK);
    ck_assert_uint_eq(found[f][0][0] + found[f][0][1], f ? 4 : 3);
    ck_assert_uint_eq(found[f][1][0] + found[f][1][1], f ? 4 : 3);
    ck_assert_mem_eq(found[f][2], found[0][2], sizeof *found[0]);
    ck_assert_int_eq(written[f][2], f < 2 ? 10 : 11);
  }
  ck_assert_mem_eq(found[3], found[2], sizeof *found);
}
END_TEST

/* An init that is a NaN is the canonical one, and so is what it is combined with. */
START_TEST(nan_init)
{
  const uint32_t payload = 0xffc12345u, signaling = 0x7f800001u, *const inits[] = { &payload, &signaling };
  const uint64_t wide = 0xfff8000000001234u;
  const float in[3] = { 1, 2, 3 };
  const double wide_in[3] = { 1, 2, 3 };
  for (unsigned i = 0; i < 6; i++) {
    uint32_t out[3], none, all;
    uint64_t wide_out[3];
    ck_assert_int_eq(iw_exclusive_scan(context, op_at(i % 3), IW_F32, in, 3, out,
                                       IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_reduce(context, op_at(i % 3), IW_F32, NULL, 0, &none,
                               IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_reduce(context, op_at(i % 3), IW_F32, in, 3, &all,
                               IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_exclusive_scan(context, op_at(i % 3), IW_F64, wide_in, 3, wide_out,
                                       IW_OPTIONS(iw_scan_options, .init = &wide)), IW_OK);
    ck_assert(out[0] == 0x7fc00000u && out[2] == 0x7fc00000u && none == 0x7fc00000u && all == 0x7fc00000u);
    ck_assert(wide_out[0] == 0x7ff8000000000000u && wide_out[2] == 0x7ff8000000000000u);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("arguments");
  TCase *c = new_case(suite, "arguments");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, messages);
  tcase_add_test(c, completeness);
  tcase_add_test(c, digests);
  tcase_add_test(c, types);
  tcase_add_test(c, types_of_bins);
  tcase_add_test(c, overlaps);
  tcase_add_test(c, reports_overlap);
  tcase_add_test(c, values_in_outputs);
  tcase_add_test(c, larger_structs);
  tcase_add_test(c, larger_payloads);
  tcase_add_test(c, rounding_modes);
  tcase_add_test(c, decimal_comma);
  tcase_add_test(c, closed_tops);
  tcase_add_test(c, nan_init);
  return run_suite_on_all(suite);
}
