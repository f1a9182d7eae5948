/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h, one row each: what four kinds of tests know of a call. A row is a
 * function that asks its environment for every argument, by name and kind, says what its outputs should
 * hold, and makes the call. The environments decide what the arguments are:
 *
 *   check_arguments.c  one wrong value at a time, arrays that overlap, structs of a later version
 *   every_call.h       fixed inputs: refused allocations and threads, reserved contexts, little stack, failing CUDA runtimes
 *   random_calls.h     random values, on two contexts whose results have to be equal: a CPU and a GPU, or a CPU and the simulated GPU
 *   checked_calls.h    random or a fuzzer's values, good and bad, on all instruction sets; outputs are as the row says
 *
 * A row has forms, the ways in which one call is used; all are tried. What else may differ it takes from
 * choose(), of which 0 is the plainest. To add a call: write its row below and its line in `rows`, at the
 * end.
 */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include "row_references.h"
#include <isowarp.h>

/* Kinds of arguments. number: bytes of an element or value, of a struct, or the largest value. */
typedef enum kind {
  NEEDED,     /* a pointer that is not NULL */
  OPTIONAL,   /* a pointer that may be NULL, and is aligned to `number` */
  ALIGNED,    /* both: not NULL, and aligned to `number` */
  LENGTH,     /* n elements of `number` bytes; the message names the array */
  ALL_TYPES,  /* an iw_type */
  TYPE_OR_NONE, /* the same, or 0 */
  SIX_TYPES,  /* i32, u32, i64, u64, f32 or f64 */
  FLOAT_TYPES, /* number IW_BF16: any; IW_F32: any but f64; IW_F64: f32 and f64 */
  ENUM,       /* an enumeration of 0 to `number` */
  UNSIGNED,   /* an unsigned of at most `number` */
  FROM_ONE,   /* an unsigned of 1 to `number` */
  SIZE_AT_MOST, /* a size_t of at most `number` */
  SIZE_FROM_ONE,
  SIZE_ZERO,  /* a size_t or a pointer that is 0 in this call */
  NULL_ONLY,  /* a pointer that is NULL in this call */
  FORMAT,     /* a uint32_t that is `number` */
  FLAG_BITS,  /* an unsigned with the bits of `number` */
  OPERATOR,
  READ,       /* a struct that the call reads, by the pointer to it; `number` is its size */
  MAY_READ,   /* a struct that the call reads, or NULL */
  WRITTEN,    /* a struct that the call writes */
  MAY_WRITE   /* a struct that the call writes, or NULL */
} kind;

/* How a call uses an array or value: whether it may overlap another argument. */
typedef enum use { NONE, IN, VALUE /* read before anything is written */, OUT } use;

/* A pointer that a row asks for. */
typedef struct request {
  const char *name;    /* as in messages */
  kind kind;
  size_t number;
  use use;
  iw_type type;        /* of elements; 0: bytes */
  size_t size, count;  /* of an element, of elements */
  const void *given;   /* what it holds; NULL: what the environment likes, or for an output whatever */
  int is_host;         /* it has to be in host memory */
  int has_runs;        /* neighbours are often equal */
  int is_small;        /* many elements are small numbers */
  int is_prepared;     /* an argument of a call that prepares this one */
} request;

/* What iw_context_reserve() has to be given before the call, so that it does not allocate: the formula of
 * isowarp.h, of N-D and weighted histograms, of a multisplit, or of a sort. ALLOCATES: the call allocates
 * what it returns. */
typedef enum reserve_formula { PLAIN, ND, WEIGHTS, SPLIT, SORT, ALLOCATES } reserve_formula;

enum { MOST_AXES = 4, ROW_PAYLOADS = 4 };
typedef struct row_bins {
  iw_histogram_spec spec, own; /* own: what a plan was made of */
  word lo, hi;
  size_t bins, outputs;
  uint16_t map[256];
  iw_histogram_plan *plan; /* of the environment, which frees it */
} row_bins;

typedef struct env env;
struct env {
  void *(*pointer)(env *, const request *);
  uint64_t (*number)(env *, const char *name, kind, size_t limit, uint64_t value);
  uint64_t (*choose)(env *, uint64_t n);          /* less than n */
  word (*word)(env *, iw_type);                   /* some element */
  const void *(*host)(env *, const void *array);  /* what an input holds, in host memory; NULL: not known */
  /* An output has *count elements; if n is not 0, n - *count. is_tight: it need not have room for more, if
   * count is in host memory. */
  void (*has)(env *, const void *out, const size_t *count, size_t n, int is_tight);
  void (*reserve)(env *, size_t bytes);           /* for calls in place */
  void (*found)(env *, uint64_t value);           /* a result that is in no array */
  /* Where to write what an output should hold, or of one with a count its first elements. Until then it is
   * what the output holds before the call. NULL if nobody looks, or out is NULL. */
  void *(*right)(env *, const void *out);
  iw_context *context, *host_context;             /* of the call; of calls that prepare it */
  iw_type type;
  size_t n;
  unsigned form, call;                            /* call: arguments of one call have the same number */
  size_t most_bins, room;                         /* room: of scratch */
  int is_checked;                                 /* arguments are wrong: no call is in place */
  int is_random;                                  /* specs and offsets are chosen from large sets */
  int judges;                                     /* right() is not NULL */
  uint64_t *scratch, *more_scratch;
  row_bins bins[MOST_AXES];
  word constant;
  iw_payload payloads[ROW_PAYLOADS];
  /* Set by the row. */
  reserve_formula formula;
  size_t bins_reserved, payload_reserved;
};

/* No iw_status: the row has no call for this type or length. */
#define NO_CALL ((iw_status)-1)
#define ROW(name) static inline iw_status row_##name(env *e)

/* ---- What rows ask for ------------------------------------------------------------------------------- */

#define ASK(name_, kind_, number_, ...) \
  e->pointer(e, &(request){ .name = (name_), .kind = (kind_), .number = (number_), __VA_ARGS__ })
static inline size_t alignment(size_t size) { return size < 8 ? size : 8; }
static inline void *array_in(env *e, const char *name, iw_type type, size_t n)
{
  const size_t size = iw_type_size(type);
  return ASK(name, ALIGNED, size, .use = IN, .type = type, .size = size, .count = n);
}
static inline void *runs_in(env *e, const char *name, iw_type type, size_t n)
{
  const size_t size = iw_type_size(type);
  return ASK(name, size == 1 ? NEEDED : ALIGNED, size, .use = IN, .type = type, .size = size, .count = n, .has_runs = 1);
}
static inline void *small_in(env *e, const char *name, iw_type type, size_t n)
{
  const size_t size = iw_type_size(type);
  return ASK(name, ALIGNED, size, .use = IN, .type = type, .size = size, .count = n, .is_small = 1);
}
/* An input that holds these elements. */
static inline void *given_in(env *e, const char *name, size_t size, size_t n, const void *given)
{
  return ASK(name, ALIGNED, alignment(size), .use = IN, .size = size, .count = n, .given = given);
}
/* One value or a table in host memory. */
static inline void *host_value(env *e, const char *name, kind kind, size_t size, size_t n, const void *given)
{
  return ASK(name, kind, size, .use = VALUE, .size = size, .count = n, .given = given, .is_host = 1);
}
static inline void *array_out(env *e, const char *name, size_t size, size_t n)
{
  return ASK(name, ALIGNED, alignment(size), .use = OUT, .size = size, .count = n);
}
static inline void *host_out(env *e, const char *name, size_t size, size_t n)
{
  return ASK(name, ALIGNED, alignment(size), .use = OUT, .size = size, .count = n, .is_host = 1);
}
/* maybe_out: an output that may be NULL, and is not. optional_out: one that is NULL now and then. */
static inline void *maybe_out(env *e, const char *name, size_t size, size_t n)
{
  return ASK(name, OPTIONAL, alignment(size), .use = OUT, .size = size, .count = n);
}
static inline void *optional_out(env *e, const char *name, size_t size, size_t n)
{
  return e->choose(e, 4) == 3 ? NULL : maybe_out(e, name, size, n);
}
/* An output that holds these elements before the call. */
static inline void *filled_out(env *e, const char *name, size_t size, size_t n, const void *given)
{
  return ASK(name, ALIGNED, alignment(size), .use = OUT, .size = size, .count = n, .given = given);
}
#define COUNT_OUT(name) ((size_t *)array_out(e, name, sizeof(size_t), 1))
static inline void *no_right(env *e, const void *out) { (void)e, (void)out; return NULL; }
static inline void right_number(env *e, const size_t *out, size_t number)
{
  size_t *const right = e->right(e, out);
  if (right)
    *right = number;
}

/* A struct of the row's. */
static inline void *struct_of(env *e, const char *name, kind kind, size_t size, void *at)
{
  return ASK(name, kind, size, .size = 1, .count = size, .given = at, .is_host = 1);
}
#define STRUCT(name, kind, object) struct_of(e, name, kind, sizeof(object), &(object))
/* A pointer to something that is neither an array nor has a size. */
static inline void *needed(env *e, const char *name, const void *at)
{
  return ASK(name, NEEDED, 0, .given = at, .is_host = 1);
}
static inline void *null_only(env *e, const char *name)
{
  return ASK(name, NULL_ONLY, 0, .is_host = 1);
}
#define ZERO(name) ((void *)(uintptr_t)e->number(e, name, SIZE_ZERO, 0, 0))
static inline iw_context *context_of_call(env *e) { return needed(e, "context", e->context); }
#define CONTEXT context_of_call(e)
#define NUMBER(name, kind, limit, value) e->number(e, name, kind, limit, (uint64_t)(value))
#define LENGTH_OF(name, size, n) ((size_t)NUMBER(name, LENGTH, size, n))
#define TYPE_OF(name, type) ((iw_type)NUMBER(name, ALL_TYPES, 0, type))
static inline iw_type type_of_call(env *e) { return TYPE_OF("type", e->type); }
#define TYPE type_of_call(e)

static inline iw_indices indices_of(env *e, const char *name, const char *width_name, unsigned most, unsigned width, size_t n,
                                    int is_optional)
{
  void *const at = is_optional ? optional_out(e, name, width, n) : array_out(e, name, width, n);
  return (iw_indices){ at, (unsigned)NUMBER(width_name, UNSIGNED, most, width) };
}
static inline unsigned index_width(env *e) { return e->choose(e, 2) ? 4 : 8; }

static inline void needs(env *e, reserve_formula formula, size_t bins, size_t payload)
{
  e->formula = formula;
  e->bins_reserved = bins;
  e->payload_reserved = payload;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* An element of the array, or some other value. */
static inline word word_like(env *e, iw_type type, const void *array, size_t n)
{
  const void *const host = e->host(e, array);
  word w = e->word(e, type);
  if (host && n && e->choose(e, 2))
    memcpy(&w, (const char *)host + e->choose(e, n) * iw_type_size(type), iw_type_size(type));
  return w;
}

/* Chooses one of the first `ops` operators that takes the type. */
static inline iw_op choose_op(env *e, iw_type type, unsigned ops)
{
  unsigned i = (unsigned)e->choose(e, ops);
  while (!has_operation(op_at(i), type))
    i = (i + 1) % ops;
  return (iw_op)(uintptr_t)NUMBER("op", OPERATOR, 0, (uintptr_t)op_at(i));
}

/* A wider type for sums of this one; 0: there is none. */
static inline iw_type choose_wider(env *e, iw_type type)
{
  const unsigned begin = (unsigned)e->choose(e, WIDER_SUMS);
  for (unsigned i = 0; i < WIDER_SUMS; i++)
    if (wider_sums[(begin + i) % WIDER_SUMS].in == type)
      return wider_sums[(begin + i) % WIDER_SUMS].sum;
  return (iw_type)0;
}

static inline iw_type choose_any_type(env *e)
{
  return (iw_type)(IW_U8 + (IW_I64 - IW_U8 + e->choose(e, IW_BF16)) % IW_BF16); /* 0: i64 */
}

/* Even bins of a type: from lo to hi, and the most that there may be. Of all types but bool lo is this: */
static double range_begin = 10;
typedef struct bin_range { word lo, hi, pivot; size_t most; } bin_range;
static inline bin_range range_for(iw_type type)
{
  static const struct { double hi, pivot; size_t most; } ranges[] = {
    [IW_U8] = { 200, 99, 190 }, [IW_I8] = { 100, 50, 85 }, [IW_BOOL] = { 1, 1, 1 }, [IW_U16] = { 60000, 99, 50000 },
    [IW_I16] = { 30000, 99, 25000 }, [IW_F16] = { 900, 99, 200 }, [IW_BF16] = { 900, 99, 90 },
  };
  const int is_small = iw_type_size(type) < 4;
  const double lo = type == IW_BOOL ? 0 : range_begin, hi = is_small ? ranges[type].hi : 900000;
  const double pivot = is_small ? ranges[type].pivot : 99;
  return (bin_range){ word_of(type, lo), word_of(type, hi), word_of(type, pivot), is_small ? ranges[type].most : 120000 };
}

/* So many bins as automatic ranges of a type have room for, at most `bins`. */
static inline size_t automatic_bins(iw_type type, size_t bins)
{
  const size_t most = type == IW_BOOL ? 1 : iw_type_size(type) == 1 || is_half(type) ? 80 : bins;
  return bins < most ? bins : most;
}

/* Plans that are made before a call that takes one, as making one allocates. */
enum { ELEMENT_TYPES = IW_BF16 + 1 };
static iw_histogram_plan *plan_few[ELEMENT_TYPES], *plan_many[ELEMENT_TYPES];
static inline iw_histogram_plan *plan_new(iw_context *c, iw_type type, size_t bins, const void *sample, size_t n)
{
  const bin_range r = range_for(type);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins < r.most ? bins : r.most, .lo = &r.lo, .hi = &r.hi };
  iw_histogram_plan *plan;
  return plan_of(c, type, &spec, sample, n, &plan) == IW_OK ? plan : NULL;
}
static size_t few_bins, many_bins;
static inline void plans_make(size_t few, size_t many)
{
  iw_context *c;
  few_bins = few;
  many_bins = many;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU };
  ck_assert(iw_context_open(&c, &o) == IW_OK);
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    ck_assert_ptr_nonnull(plan_few[type] = plan_new(c, type, few, NULL, 0));
    ck_assert_ptr_nonnull(plan_many[type] = plan_new(c, type, many, NULL, 0));
  }
  iw_context_close(c);
}
static inline void plans_free(void)
{
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    iw_histogram_plan_free(plan_few[type]);
    iw_histogram_plan_free(plan_many[type]);
  }
}

/* ---- Bins -------------------------------------------------------------------------------------------- */

/* Edges out of the values of an input: sorted, each once. Their number. */
static inline size_t choose_edges(env *e, iw_type type, const void *values, size_t n, size_t wanted)
{
  char *const edges = (char *)e->scratch;
  const size_t size = iw_type_size(type);
  size_t found = 0;
  for (size_t i = 0; i < wanted && n; i++) {
    memcpy(edges + found * size, (const char *)values + e->choose(e, n) * size, size);
    found += !is_float(type) || isfinite(real_of(type, edges, found));
  }
  return sort_values(type, edges, found);
}

/* A range between two values of the input, or a neat one. */
static inline void choose_range(env *e, row_bins *b, iw_type type, const void *values, size_t n)
{
  const size_t size = iw_type_size(type);
  b->lo = b->hi = (word){ .u64 = 0 };
  if (n && e->choose(e, 2)) {
    memcpy(&b->lo, (const char *)values + e->choose(e, n) * size, size);
    memcpy(&b->hi, (const char *)values + e->choose(e, n) * size, size);
    if (by_value(type, &b->lo, &b->hi) > 0) {
      const word other = b->lo;
      b->lo = b->hi, b->hi = other;
    }
  } else if (is_float(type)) {
    put(type, &b->lo, 0, word_of(type, e->choose(e, 2) ? 0 : -1));
    put(type, &b->hi, 0, word_of(type, e->choose(e, 2) ? 1 : 0.7));
  } else {
    put(type, &b->lo, 0, (word){ .u64 = e->choose(e, 9) });
    put(type, &b->hi, 0, (word){ .u64 = 200 + e->choose(e, 50) });
  }
}

enum { EVEN, EVEN_SOME, EVEN_MANY, EVEN_MOST, EDGES, AUTOMATIC, PLANNED, MAP, SPECS };
static inline size_t random_bins(env *e, unsigned how)
{
  const size_t most = how == EVEN_MOST ? e->most_bins : how == EVEN_MANY ? 20000 : e->n < 1000 ? 300 : 500;
  return 1 + (size_t)e->choose(e, e->choose(e, 2) ? most : 1 + most / 16);
}

/* A spec that there may not be becomes one of a few even bins. */
static inline void make_possible(env *e, row_bins *b, iw_type type)
{
  iw_histogram_spec *const s = &b->spec;
  if (s->bins <= e->room && write_edges_of(type, s, e->more_scratch) == IW_OK)
    return;
  s->kind = IW_HISTOGRAM_EVEN;
  s->edges = NULL;
  s->lo = &b->lo, s->hi = &b->hi;
  s->bins = 1 + (size_t)e->choose(e, 99);
  b->lo = b->hi = (word){ .u64 = 0 };
  put(type, &b->hi, 0, word_of(type, is_float(type) ? 3 : 101));
}

static inline void choose_random_spec(env *e, row_bins *b, iw_type type, const void *samples, unsigned how)
{
  iw_histogram_spec *const s = &b->spec;
  const void *const values = e->host(e, samples);
  const size_t n = values ? e->n / 2 : 0; /* whole rows and channels may be fewer than e->n, but not than half */
  s->bins = random_bins(e, how);
  if (how == EDGES) {
    const size_t found = choose_edges(e, type, values, n, 2 + (size_t)e->choose(e, s->bins < 5000 ? s->bins : 5000));
    s->kind = IW_HISTOGRAM_EDGES;
    s->edges = e->scratch;
    s->bins = found > 1 ? found - 1 : 1;
    if (found <= 1)
      put(type, e->scratch, 0, word_of(type, 0)), put(type, e->scratch, 1, word_of(type, 1));
  } else {
    choose_range(e, b, type, values, n);
    s->lo = &b->lo, s->hi = &b->hi;
    if (!is_float(type) && e->choose(e, 4) == 3)
      s->flags |= IW_HIST_HI_INCLUDED;
  }
  make_possible(e, b, type);
}

static inline void choose_fixed_spec(env *e, row_bins *b, iw_type type, unsigned how)
{
  static const size_t most[] = { 20, 1500, 30000, 120000 };
  iw_histogram_spec *const s = &b->spec;
  const bin_range r = range_for(type);
  const size_t wanted = how <= EVEN_MOST ? most[how] : 300, bins = wanted < e->most_bins ? wanted : e->most_bins;
  b->lo = r.lo, b->hi = r.hi;
  s->bins = bins < r.most ? bins : r.most;
  s->lo = &b->lo, s->hi = &b->hi;
  if (how == EDGES) {
    s->kind = IW_HISTOGRAM_EDGES;
    s->lo = s->hi = NULL;
    s->edges = e->scratch;
    s->bins = type == IW_BOOL ? 1 : 4;
    for (size_t k = 0; k <= s->bins; k++)
      put(type, e->scratch, k, word_of(type, type == IW_BOOL ? (double)k : 20.0 * (double)k));
  }
}

static inline void fixed_plan(row_bins *b, iw_type type, int has_few)
{
  const size_t bins = has_few ? few_bins : many_bins;
  b->spec = iw_spec_of_plan(has_few ? plan_few[type] : plan_many[type]);
  b->bins = b->outputs = range_for(type).most < bins ? range_for(type).most : bins;
}

/* The bytes of a counter, and whether IW_HIST_ACCUMULATE adds to it. */
typedef struct row_counters { size_t size; unsigned flags; } row_counters;
#define NEW_COUNTERS ((row_counters){ 8, 0 })
static inline row_counters choose_counters(env *e)
{
  const size_t size = e->choose(e, 2) ? 4 : 8;
  return (row_counters){ size, e->choose(e, 2) ? IW_HIST_ACCUMULATE : 0 };
}

/* A spec for samples of a type. Its members are arguments, unless it is of another axis than the first.
 * kind: READ, or MAY_READ of a member that may be NULL. */
static inline const iw_histogram_spec *spec_of(env *e, unsigned axis, kind kind, iw_type type, const void *samples, unsigned how,
                                               row_counters counters)
{
  row_bins *const b = &e->bins[axis];
  iw_histogram_spec *const s = &b->spec;
  const size_t size = iw_type_size(type);
  *s = (iw_histogram_spec){ .size = sizeof *s };
  if (how == PLANNED && !e->is_random) {
    fixed_plan(b, type, axis != 0);
    return axis ? s : STRUCT("spec", kind, *s);
  }
  s->policy = (iw_policy)e->choose(e, 3);
  s->flags = counters.flags | (e->choose(e, 2) ? IW_HIST_CLOSED_TOP : 0);
  s->counter_width = counters.size;
  if (how == AUTOMATIC)
    s->bins = automatic_bins(type, e->is_random ? 1 + (size_t)e->choose(e, 100) : e->most_bins < 100 ? e->most_bins : 100);
  else if (how == MAP) {
    s->kind = IW_HISTOGRAM_MAP;
    s->bins = e->most_bins < 65535 ? e->most_bins : 1 + (size_t)e->choose(e, e->choose(e, 4) ? 256 : 65535);
    s->flags &= ~(unsigned)IW_HIST_CLOSED_TOP;
    s->policy = s->policy == IW_POLICY_CLAMP ? IW_POLICY_DROP : s->policy;
    for (unsigned v = 0; v < 256; v++)
      b->map[v] = v % 5 ? (uint16_t)(v * 200 % s->bins) : IW_MAP_NONE;
    s->map = host_value(e, "spec->map", ALIGNED, 2, 256, b->map);
  } else if (e->is_random)
    choose_random_spec(e, b, type, samples, how);
  else
    choose_fixed_spec(e, b, type, how);
  b->bins = s->bins;
  b->outputs = s->bins + (s->policy == IW_POLICY_COUNT ? 2 : 0);
  s->type = type;
  b->own = *s;
  if (how == PLANNED) {
    const iw_status made = plan_of(e->host_context, type, s, NULL, 0, &b->plan);
    ck_assert_msg(made == IW_OK, "%s", iw_message());
    *s = iw_spec_of_plan(b->plan);
  }
  if (axis || how == PLANNED)
    return s;
  if (s->lo) {
    s->lo = host_value(e, "spec->lo", ALIGNED, size, 1, &b->lo);
    s->hi = host_value(e, "spec->hi", ALIGNED, size, 1, &b->hi);
  }
  if (s->edges)
    s->edges = host_value(e, "spec->edges", ALIGNED, size, s->bins + 1, s->edges);
  b->own = *s;
  s->type = how == MAP ? type : TYPE_OF("spec->type", type);
  s->bins = NUMBER("spec->bins", SIZE_FROM_ONE, how == MAP ? 65535 : 0x7fffffff, s->bins);
  s->kind = (iw_histogram_kind)NUMBER("spec->kind", ENUM, 2, s->kind);
  s->policy = (iw_policy)NUMBER("spec->policy", ENUM, 2, s->policy);
  s->flags = (unsigned)NUMBER("spec->flags", FLAG_BITS, 7, s->flags);
  s->counter_width = NUMBER("spec->counter_width", SIZE_AT_MOST, 8, counters.size == 8 && e->choose(e, 2) ? 0 : counters.size);
  return STRUCT("spec", kind, *s);
}
#define OUTPUTS(axis) (e->bins[axis].outputs)
/* Whether a reference knows the bins: they have no automatic range. */
#define HAS_BINS(axis) (e->judges && (e->bins[axis].own.kind != IW_HISTOGRAM_EVEN || e->bins[axis].own.lo))
#define HOST(array) e->host(e, array)

/* ---- Segments ---------------------------------------------------------------------------------------- */

/* Ascending positions up to n; is_cover: from 0 to n. Their number less 1. */
static inline size_t choose_offsets(env *e, size_t n, int is_cover)
{
  uint64_t *const offsets = e->scratch;
  const size_t most = 1 + (size_t)e->choose(e, e->room - 2), each = e->choose(e, 2) ? n / most : 0;
  size_t count = 0;
  uint64_t at = is_cover ? 0 : e->choose(e, n / 4 + 1);
  for (; count < most; count++) {
    const uint64_t length = each ? each : e->choose(e, 50) == 49 ? e->choose(e, n + 1) : e->choose(e, 2 * (n / most) + 3);
    offsets[count] = at;
    if (length > n - at)
      break;
    at += length;
  }
  count += !count;
  offsets[count] = is_cover ? n : at;
  return count;
}

enum { WHOLE, FLAGS, KEYS, ROWS, COLUMNS, OFFSETS };
/* Segments of *n elements, of rows and columns of whole ones. Returns their number, of flags and keys the
 * most. */
enum { FOR_SCAN = 1, FOR_REDUCE = 0, FOR_SORT = 2 };
static inline size_t segments_of(env *e, unsigned how, size_t *n, int use, iw_segments *s)
{
  static const iw_segments_kind kinds[] = { IW_SEGMENTS_FLAGS, IW_SEGMENTS_FLAGS, IW_SEGMENTS_KEYS, IW_SEGMENTS_ROWS,
                                            IW_SEGMENTS_COLUMNS, IW_SEGMENTS_OFFSETS };
  size_t count = *n;
  *s = (iw_segments){ .size = sizeof *s, .kind = kinds[how] };
  if (use != FOR_SORT) /* which takes rows and offsets alone */
    s->kind = (iw_segments_kind)NUMBER("segments->kind", ENUM, 4, kinds[how]);
  if (how == FLAGS)
    s->flags = runs_in(e, "flags", IW_U8, *n);
  else if (how == KEYS) {
    const iw_type key_type = choose_any_type(e);
    s->keys = runs_in(e, "keys", key_type, *n);
    s->key_type = TYPE_OF("segments->key_type", key_type);
  } else if (how == OFFSETS) {
    const unsigned width = index_width(e);
    s->count = count = choose_offsets(e, *n, use != FOR_REDUCE);
    for (size_t k = 0; k <= count && width == 4; k++)
      put(IW_U32, e->more_scratch, k, (word){ .u64 = e->scratch[k] });
    s->offsets = given_in(e, "offsets", width, count + 1, width == 4 ? e->more_scratch : e->scratch);
    s->offset_type = width == 4 ? IW_U32 : IW_U64;
  } else {
    const size_t columns = 1 + (size_t)e->choose(e, e->choose(e, 2) ? *n + 1 : 300);
    s->columns = columns <= *n ? columns : 1;
    *n = *n / s->columns * s->columns;
    count = how == COLUMNS ? s->columns : *n / s->columns;
  }
  return count;
}

/* ---- Scans ------------------------------------------------------------------------------------------- */

static inline void *init_of(env *e, iw_type type, use use)
{
  const word w = e->word(e, type);
  if (e->choose(e, 3) == 2)
    return NULL;
  return ASK("init", OPTIONAL, iw_type_size(type), .use = use, .size = iw_type_size(type), .count = 1, .given = &w);
}

enum { SCAN_FORMS = 6, REDUCE_FORMS = 7 };
static inline iw_status scan_row(env *e, int is_exclusive)
{
  static const unsigned forms[SCAN_FORMS] = { WHOLE, WHOLE, FLAGS, KEYS, ROWS, OFFSETS };
  const int is_wider = e->form == 1;
  const unsigned by = forms[e->form];
  const iw_type sum = is_wider ? choose_wider(e, e->type) : e->type;
  size_t n = e->n;
  iw_segments segments;
  iw_scan_options o = { .size = sizeof o };
  if (!(int)sum)
    return NO_CALL;
  if (by != WHOLE) {
    segments_of(e, by, &n, FOR_SCAN, &segments);
    o.segments = STRUCT("segments", MAY_READ, segments);
  } else {
    o.run_keys = null_only(e, "run_keys");
    o.run_count = null_only(e, "run_count");
  }
  const iw_op op = is_wider ? IW_SUM : choose_op(e, e->type, by == FLAGS || by == KEYS ? SEGMENT_OPS : ALL_OPS);
  const void *in = array_in(e, "in", e->type, n);
  o.init = init_of(e, sum, IN);
  o.out_type = (iw_type)NUMBER("options->out_type", TYPE_OR_NONE, 0, is_wider ? sum : 0);
  const int is_in_place = !is_wider && e->choose(e, 3) == 2;
  void *const out = is_in_place ? filled_out(e, "out", iw_type_size(sum), n, e->host(e, in)) : array_out(e, "out", iw_type_size(sum), n);
  needs(e, PLAIN, 0, 8);
  if (e->judges)
    right_scan(op, e->type, sum, HOST(in), n, by == WHOLE ? NULL : &segments, HOST(o.init), is_exclusive, e->right(e, out));
  return (is_exclusive ? iw_exclusive_scan : iw_inclusive_scan)(CONTEXT, op, TYPE, is_in_place ? out : in,
                                                                LENGTH_OF("in", iw_type_size(e->type), n), out,
                                                                STRUCT("options", MAY_READ, o));
}
ROW(inclusive_scan) { return scan_row(e, 0); }
ROW(exclusive_scan) { return scan_row(e, 1); }

static const unsigned reduce_forms[REDUCE_FORMS] = { WHOLE, ROWS, COLUMNS, OFFSETS, FLAGS, KEYS, WHOLE };
/* Segments of a reduction or a search into the options: whether there is a count of runs, and room for
 * results. */
static inline size_t reduced(env *e, size_t *n, unsigned by, iw_segments *segments, iw_scan_options *o)
{
  if (by == WHOLE) {
    o->run_keys = null_only(e, "run_keys");
    o->run_count = null_only(e, "run_count");
    return 1;
  }
  const size_t count = segments_of(e, by, n, FOR_REDUCE, segments);
  o->segments = STRUCT("segments", MAY_READ, *segments);
  if (by == KEYS || by == FLAGS)
    o->run_count = COUNT_OUT("run_count");
  if (by == KEYS) {
    o->run_keys = optional_out(e, "run_keys", iw_type_size(segments->key_type), count);
    if (o->run_keys)
      e->has(e, o->run_keys, o->run_count, 0, 1);
  }
  needs(e, PLAIN, 0, 8);
  return count;
}

ROW(reduce)
{
  const unsigned by = reduce_forms[e->form];
  const iw_type wider = e->form == REDUCE_FORMS - 1 || e->choose(e, 4) == 3 ? choose_wider(e, e->type) : e->type;
  const iw_type sum = (int)wider ? wider : e->type;
  size_t n = e->n;
  iw_segments segments;
  iw_scan_options o = { .size = sizeof o };
  if (e->form == REDUCE_FORMS - 1 && !(int)wider)
    return NO_CALL;
  needs(e, PLAIN, 0, 0);
  const iw_op op = sum != e->type ? IW_SUM : choose_op(e, e->type, ALL_OPS);
  const size_t count = reduced(e, &n, by, &segments, &o), size = iw_type_size(sum);
  const void *const in = array_in(e, "in", e->type, n);
  const int is_own = by == WHOLE && e->choose(e, 4) == 3; /* the result is init */
  const word first = e->word(e, sum);
  o.init = is_own ? NULL : init_of(e, sum, by == WHOLE ? VALUE : NONE);
  o.out_type = (iw_type)NUMBER("options->out_type", TYPE_OR_NONE, 0, sum != e->type ? sum : 0);
  void *const results = is_own ? filled_out(e, "results", size, 1, &first) : array_out(e, "results", size, count);
  o.init = is_own ? results : o.init;
  if (o.run_count)
    e->has(e, results, o.run_count, 0, 1);
  if (e->judges)
    right_reduction(op, e->type, sum, HOST(in), n, by == WHOLE ? NULL : &segments, HOST(o.init),
                    (reduction){ e->right(e, results), NULL, e->right(e, o.run_keys), e->right(e, o.run_count) });
  return iw_reduce(CONTEXT, op, TYPE, in, LENGTH_OF("in", iw_type_size(e->type), n), results, STRUCT("options", MAY_READ, o));
}

static inline iw_status find_row(env *e, int is_max)
{
  const unsigned by = reduce_forms[e->form];
  size_t n = e->n;
  iw_segments segments;
  iw_scan_options o = { .size = sizeof o };
  needs(e, PLAIN, 0, 0);
  const size_t count = reduced(e, &n, by, &segments, &o);
  const void *const in = array_in(e, "in", e->type, n);
  o.init = null_only(e, "init");
  o.out_type = (iw_type)NUMBER("options->out_type", TYPE_OR_NONE, 0, 0);
  size_t *const indices = array_out(e, "indices", sizeof *indices, count);
  void *const values = optional_out(e, "values", iw_type_size(e->type), count);
  if (o.run_count)
    e->has(e, indices, o.run_count, 0, 1);
  if (o.run_count && values)
    e->has(e, values, o.run_count, 0, 1);
  if (e->judges)
    right_reduction(is_max ? IW_MAX : IW_MIN, e->type, e->type, HOST(in), n, by == WHOLE ? NULL : &segments, NULL,
                    (reduction){ e->right(e, values), e->right(e, indices), e->right(e, o.run_keys), e->right(e, o.run_count) });
  return (is_max ? iw_argmax : iw_argmin)(CONTEXT, TYPE, in, LENGTH_OF("in", iw_type_size(e->type), n), indices, values,
                                          STRUCT("options", MAY_READ, o));
}
ROW(argmin) { return find_row(e, 0); }
ROW(argmax) { return find_row(e, 1); }

ROW(keys_by_value)
{
  const void *const in = array_in(e, "in", e->type, e->n);
  void *const out = array_out(e, "out", iw_type_size(e->type), e->n), *const right = e->right(e, out);
  for (size_t i = 0; right && i < e->n; i++) {
    const word w = element(e->type, HOST(in), i);
    put(e->type, right, i, is_float(e->type) && real_of(e->type, &w, 0) == 0 ? (word){ .u64 = 0 } : w);
  }
  needs(e, PLAIN, 0, 0);
  return iw_keys_by_value(CONTEXT, TYPE, in, LENGTH_OF("in", iw_type_size(e->type), e->n), out);
}

/* ---- Exact sums -------------------------------------------------------------------------------------- */

#define FLOAT_TYPE(name, type, most) ((iw_type)NUMBER(name, FLOAT_TYPES, most, type))
static inline iw_type choose_float(env *e)
{
  static const iw_type floats[] = { IW_F64, IW_F32, IW_F16, IW_BF16 };
  return floats[e->choose(e, 4)];
}
/* A sum that is added to, of some numbers; arrays may overlap it. */
static inline iw_exact_sum *sum_out(env *e, const char *name, const char *format_name, const char *nonfinite_name, exact *of)
{
  *of = (exact){ .nan = 0 };
  for (uint64_t left = e->is_random ? e->choose(e, 4) : 0; left > 0; left--)
    exact_add(of, IW_F64, e->word(e, IW_F64));
  iw_exact_sum sum = exact_unrounded(of);
  sum.format = (uint32_t)NUMBER(format_name, FORMAT, IW_EXACT_SUM_FORMAT, sum.format);
  sum.nonfinite = (uint32_t)NUMBER(nonfinite_name, UNSIGNED, 7, sum.nonfinite);
  return ASK(name, ALIGNED, 8, .size = sizeof sum, .count = 1, .given = &sum, .is_host = 1);
}
#define SUM_OUT(name, of) sum_out(e, name, name "->format", name "->nonfinite", of)
static inline void right_sum(env *e, const exact *of, const iw_exact_sum *sum)
{
  iw_exact_sum *const right = e->right(e, sum);
  if (right)
    *right = exact_unrounded(of);
}
/* The sum of an input, or with others of products, rounded. */
static inline void right_rounded(env *e, const void *in, const void *others, iw_type to, const void *result)
{
  void *const right = e->right(e, result);
  exact of = { .nan = 0 };
  if (!right)
    return;
  exact_add_all(&of, e->type, HOST(in), others ? HOST(others) : NULL, e->n);
  put(to, right, 0, exact_round(&of, to));
}

ROW(sum_exact)
{
  const iw_type to = choose_float(e);
  if (!is_float(e->type))
    return NO_CALL;
  needs(e, PLAIN, 0, 0);
  const void *const in = array_in(e, "in", e->type, e->n);
  void *const result = array_out(e, "result", iw_type_size(to), 1);
  right_rounded(e, in, NULL, to, result);
  return iw_sum_exact(CONTEXT, FLOAT_TYPE("type", e->type, IW_BF16), in, LENGTH_OF("in", iw_type_size(e->type), e->n),
                      FLOAT_TYPE("result_type", to, IW_BF16), result);
}
ROW(dot_exact)
{
  const iw_type to = choose_float(e);
  if (!is_float(e->type) || e->type == IW_F64)
    return NO_CALL;
  needs(e, PLAIN, 0, 0);
  const void *const a = array_in(e, "a", e->type, e->n), *const b = array_in(e, "b", e->type, e->n);
  void *const result = array_out(e, "result", iw_type_size(to), 1);
  right_rounded(e, a, b, to, result);
  return iw_dot_exact(CONTEXT, FLOAT_TYPE("type", e->type, IW_F32), a, b, LENGTH_OF("a", iw_type_size(e->type), e->n),
                      FLOAT_TYPE("result_type", to, IW_BF16), result);
}
ROW(exact_sum_add)
{
  if (!is_float(e->type))
    return NO_CALL;
  needs(e, PLAIN, 0, 0);
  const void *const in = array_in(e, "in", e->type, e->n);
  exact of;
  iw_exact_sum *const sum = SUM_OUT("sum", &of);
  if (e->judges)
    exact_add_all(&of, e->type, HOST(in), NULL, e->n);
  right_sum(e, &of, sum);
  return iw_exact_sum_add(CONTEXT, FLOAT_TYPE("type", e->type, IW_BF16), in, LENGTH_OF("in", iw_type_size(e->type), e->n), sum);
}
ROW(exact_sum_add_products)
{
  if (!is_float(e->type) || e->type == IW_F64)
    return NO_CALL;
  needs(e, PLAIN, 0, 0);
  const void *const a = array_in(e, "a", e->type, e->n), *const b = array_in(e, "b", e->type, e->n);
  exact of;
  iw_exact_sum *const sum = SUM_OUT("sum", &of);
  if (e->judges)
    exact_add_all(&of, e->type, HOST(a), HOST(b), e->n);
  right_sum(e, &of, sum);
  return iw_exact_sum_add_products(CONTEXT, FLOAT_TYPE("type", e->type, IW_F32), a, b, LENGTH_OF("a", iw_type_size(e->type), e->n), sum);
}
ROW(exact_sum_merge)
{
  exact of, more;
  iw_exact_sum *const sum = SUM_OUT("sum", &of);
  e->call++; /* they may overlap */
  const iw_exact_sum *const other = SUM_OUT("other", &more);
  for (unsigned k = 0; k < 2; k++)
    of.part[k] = big_plus(&of.part[k], &more.part[k]);
  for (unsigned k = 0; k < 2; k++)
    of.infinite[k] |= more.infinite[k];
  of.nan |= more.nan;
  right_sum(e, &of, sum);
  return iw_exact_sum_merge(sum, other);
}
ROW(exact_sum_round)
{
  if (!is_float(e->type))
    return NO_CALL;
  exact of;
  iw_exact_sum *const sum = SUM_OUT("sum", &of);
  e->call++;
  void *const result = host_out(e, "result", iw_type_size(e->type), 1), *const right = e->right(e, result);
  if (right)
    put(e->type, right, 0, exact_round(&of, e->type));
  return iw_exact_sum_round(sum, FLOAT_TYPE("type", e->type, IW_BF16), result);
}

/* ---- Histograms -------------------------------------------------------------------------------------- */

#define SAMPLES(name, n) array_in(e, name, e->type, n)
#define SAMPLES_LENGTH(name, n) LENGTH_OF(name, iw_type_size(e->type), n)

/* The counters of one histogram of all samples; whether they are known. */
static inline int right_histogram(env *e, const void *samples, void *counts, uint64_t outside[3])
{
  const iw_histogram_spec *const own = &e->bins[0].own;
  if (!HAS_BINS(0))
    return 0;
  uint64_t *const found = malloc((own->bins + 2) * sizeof *found);
  const right_counts c = right_counts_of(own, e->right(e, counts), OUTPUTS(0));
  reference_histogram(own->type, HOST(samples), e->n, own, found, outside);
  for (size_t k = 0; k < c.n; k++)
    put(c.size == 4 ? IW_U32 : IW_U64, c.right, k,
        (word){ .u64 = element(c.size == 4 ? IW_U32 : IW_U64, c.right, k).u64 + found[k] });
  free(found);
  return 1;
}

ROW(histogram)
{
  iw_histogram_report report = { .size = sizeof report };
  if ((e->form == MAP && e->type != IW_U8) || (e->form == EDGES && e->type == IW_BOOL))
    return NO_CALL;
  const row_counters counters = e->form == PLANNED && !e->is_random ? NEW_COUNTERS : choose_counters(e);
  const void *const samples = SAMPLES("samples", e->n);
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, e->form, counters);
  needs(e, PLAIN, OUTPUTS(0), 0);
  void *const counts = array_out(e, "counts", counters.size, OUTPUTS(0));
  uint64_t outside[3];
  const int is_known = right_histogram(e, samples, counts, outside), has_report = !e->choose(e, 2);
  iw_histogram_options o = { .size = sizeof o, .report = has_report ? STRUCT("report", MAY_WRITE, report) : NULL };
  const iw_status status = iw_histogram(CONTEXT, spec, samples, SAMPLES_LENGTH("samples", e->n), counts, STRUCT("options", MAY_READ, o));
  if (is_known && has_report && e->judges)
    ck_assert_msg(!memcmp(&report.underflow, outside, sizeof outside), "a histogram reports %" PRIu64 ", %" PRIu64 ", %" PRIu64
                  " outside", report.underflow, report.overflow, report.nan);
  e->found(e, report.underflow);
  e->found(e, report.overflow);
  e->found(e, report.nan);
  return status;
}

ROW(histogram_edges)
{
  const unsigned how = e->form ? EDGES : EVEN;
  if (how == EDGES && e->type == IW_BOOL)
    return NO_CALL;
  needs(e, ALLOCATES, 0, 0);
  const void *const samples = e->is_random ? SAMPLES("samples", e->n) : NULL;
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, how, NEW_COUNTERS);
  return iw_histogram_edges(spec, host_out(e, "edges", iw_type_size(e->type), e->bins[0].bins + 1));
}

/* The range of n elements, if it is that of the least and the greatest one. */
static inline void check_range(iw_type type, const char *from, size_t n, const void *lo, const void *hi)
{
  const size_t size = iw_type_size(type);
  const char *least = from, *most = from;
  for (const char *x = from, *const end = x + n * size; x < end; x += size) {
    least = by_value(type, x, least) < 0 ? x : least;
    most = by_value(type, x, most) > 0 ? x : most;
  }
  ck_assert_msg(by_value(type, least, most) == 0 || (by_value(type, lo, least) == 0 && by_value(type, hi, most) == 0),
                "the range of %zu samples of %s is not that of the least and the greatest", n, iw_type_name(type));
}
/* Of one row, and of several. */
ROW(histogram_range)
{
  const size_t rows = !e->form || e->n < 4 ? 1 : 2 + (size_t)e->choose(e, e->n / 4), columns = e->n / rows, size = iw_type_size(e->type);
  needs(e, e->form ? ALLOCATES : PLAIN, 0, 0);
  const void *const samples = SAMPLES("samples", rows * columns);
  char *const lo = host_out(e, "lo", size, rows), *const hi = host_out(e, "hi", size, rows);
  const iw_status status = iw_histogram_range(CONTEXT, TYPE, samples, rows, SAMPLES_LENGTH("samples", columns), lo, hi);
  for (size_t r = 0; e->judges && status == IW_OK && columns && r < rows; r++)
    check_range(e->type, (const char *)HOST(samples) + r * columns * size, columns, lo + r * size, hi + r * size);
  return status;
}

ROW(histogram_plan_make)
{
  needs(e, ALLOCATES, 3000, 0);
  const void *const sample = SAMPLES("sample", e->n);
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, sample, e->is_random ? EVEN_MANY : EVEN_SOME, NEW_COUNTERS);
  const size_t outputs = OUTPUTS(0);
  iw_histogram_plan *none = NULL, **plan = ASK("plan", ALIGNED, 8, .use = OUT, .size = 8, .count = 1, .given = &none,
                                               .is_host = 1);
  iw_status status = iw_histogram_plan_make(CONTEXT, spec, sample, SAMPLES_LENGTH("sample", e->n), plan);
  if (status != IW_OK)
    return status;
  const iw_histogram_spec planned = iw_spec_of_plan(*plan);
  e->call++;
  status = iw_histogram(e->context, &planned, sample, e->n, array_out(e, "counts", 8, outputs), NULL);
  iw_histogram_plan_free(*plan);
  *plan = NULL;
  return status;
}

ROW(histogram_plan_get_info)
{
  iw_histogram_plan_info info = { .size = sizeof info };
  needs(e, PLAIN, 2500, 0);
  return iw_histogram_plan_get_info(CONTEXT, needed(e, "plan", plan_many[e->type]), e->n, STRUCT("info", WRITTEN, info));
}

enum { MOST_SUMMED = 1 << 16, MOST_ROUNDED = 1 << 12 }; /* the references of exact sums are slow */
/* Weights, and the type of their sums. */
static inline iw_type choose_weights(env *e, iw_type *sum)
{
  static const iw_type weights[] = { IW_I64, IW_F64, IW_U32, IW_F32, IW_I32, IW_U64 };
  const iw_type type = weights[e->choose(e, 6)];
  *sum = is_float(type) ? type : IW_U64;
  return type;
}
#define SIX(name, type) ((iw_type)NUMBER(name, SIX_TYPES, 0, type))

ROW(histogram_weighted)
{
  iw_type sum;
  const iw_type weight_type = choose_weights(e, &sum);
  const void *const samples = SAMPLES("samples", e->n);
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, e->form ? PLANNED : EVEN,
                                                (row_counters){ 8, e->choose(e, 2) ? IW_HIST_ACCUMULATE : 0 });
  const void *const weights = array_in(e, "options->weights", weight_type, e->n);
  needs(e, e->form ? WEIGHTS : ALLOCATES, OUTPUTS(0), 8); /* a spec becomes a plan */
  void *const sums = array_out(e, "counts", iw_type_size(sum), OUTPUTS(0));
  if (HAS_BINS(0) && e->n <= MOST_SUMMED) {
    right_bins b = right_bins_of(e->type, &e->bins[0].own);
    size_t *const at = cells_of(&b, 1, (const void *[]){ HOST(samples) }, e->n);
    right_sums(at, b.outputs, (b.spec->flags & IW_HIST_ACCUMULATE) != 0, weight_type, sum, HOST(weights), e->n, e->right(e, sums));
    free(at);
    edges_free(&b.e);
  }
  iw_histogram_options o = { .size = sizeof o, .weight_type = SIX("options->weight_type", weight_type), .weights = weights,
                             .report = null_only(e, "options->report") };
  return iw_histogram(CONTEXT, spec, samples, SAMPLES_LENGTH("samples", e->n), sums, STRUCT("options", MAY_READ, o));
}

ROW(histogram_exact)
{
  enum { MOST_SUMS = 64 };
  static iw_exact_sum sums[MOST_SUMS];
  const iw_type weight_type = e->choose(e, 2) ? IW_F32 : IW_F64;
  const void *const samples = SAMPLES("samples", e->n);
  const size_t most = e->most_bins;
  e->most_bins = most < MOST_SUMS - 2 ? most : MOST_SUMS - 2;
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, e->is_random ? AUTOMATIC : EVEN, NEW_COUNTERS);
  e->most_bins = most;
  if (e->is_random || OUTPUTS(0) > MOST_SUMS)
    return NO_CALL; /* of 280 bytes each, in host memory; check_exact has random ones */
  const void *const weights = array_in(e, "options->weights", weight_type, e->n);
  for (unsigned k = 0; k < OUTPUTS(0); k++)
    sums[k] = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
  const char *const format = e->type == IW_BOOL ? "exact_sums[0].format" : "exact_sums[3].format";
  sums[OUTPUTS(0) - 1].format = (uint32_t)NUMBER(format, FORMAT, IW_EXACT_SUM_FORMAT, IW_EXACT_SUM_FORMAT);
  needs(e, ALLOCATES, OUTPUTS(0), 8);
  iw_exact_sum *const out = ASK("options->exact_sums", OPTIONAL, 8, .size = sizeof *sums, .count = OUTPUTS(0), .given = sums, .is_host = 1);
  iw_histogram_options o = { .size = sizeof o, .weight_type = FLOAT_TYPE("options->weight_type", weight_type, IW_F64),
                             .weights = weights, .exact_sums = out };
  return iw_histogram(CONTEXT, spec, samples, SAMPLES_LENGTH("samples", e->n), null_only(e, "counts"), STRUCT("options", MAY_READ, o));
}

ROW(histogram_rows)
{
  iw_histogram_ranges ranges = { .size = sizeof ranges };
  const size_t rows = e->form == 3 ? 2 : e->n < 4 ? 1 : 2 + (size_t)e->choose(e, e->n / 4), columns = e->n / rows;
  const size_t type_size = iw_type_size(e->type);
  static const unsigned specs[] = { EVEN, AUTOMATIC, AUTOMATIC, PLANNED };
  const row_counters counters = e->form == 3 && !e->is_random ? NEW_COUNTERS : choose_counters(e);
  const void *const samples = SAMPLES("samples", rows * columns);
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, specs[e->form], counters);
  if (rows * OUTPUTS(0) > (size_t)70000 || (e->form == 2 && rows > e->room / 2))
    return NO_CALL;
  if (e->form == 2) {
    for (size_t r = 0; r < rows; r++) {
      put(e->type, e->scratch, r, word_of(e->type, 0));
      put(e->type, e->more_scratch, r, word_of(e->type, e->type == IW_BOOL ? 1 : 100));
    }
    ranges.lo = host_value(e, "ranges->lo", ALIGNED, type_size, rows, e->scratch);
    ranges.hi = host_value(e, "ranges->hi", ALIGNED, type_size, rows, e->more_scratch);
  }
  needs(e, e->form == 3 ? ND : ALLOCATES, OUTPUTS(0), 8);
  void *const counts = array_out(e, "counts", counters.size, rows * OUTPUTS(0));
  if (HAS_BINS(0)) {
    right_bins b = right_bins_of(e->type, &e->bins[0].own);
    const right_counts c = right_counts_of(b.spec, e->right(e, counts), rows * b.outputs);
    for (size_t i = 0; i < rows * columns; i++) {
      const size_t k = counter_of(&b, HOST(samples), i);
      count_there(c, k < b.outputs ? i / columns * b.outputs + k : SIZE_MAX);
    }
    edges_free(&b.e);
  }
  return iw_histogram_rows(CONTEXT, spec, samples, rows, SAMPLES_LENGTH("samples", columns), counts,
                           e->form == 2 ? STRUCT("ranges", MAY_READ, ranges) : NULL);
}

ROW(histogram_channels)
{
  enum { CHANNELS = 3 };
  static const char *const names[CHANNELS] = { "counts[0]", "counts[1]", "counts[2]" };
  const unsigned channels = 2 + (unsigned)e->choose(e, 2);
  const size_t n = e->n / channels;
  const iw_histogram_spec *specs[CHANNELS];
  void *counts[CHANNELS] = { NULL };
  const void *const samples = SAMPLES("samples", n * channels);
  size_t all = 0;
  for (unsigned c = 0; c < channels; c++) {
    const int is_none = e->choose(e, 4) == 3;
    const unsigned how = !e->is_random || e->choose(e, 2) ? PLANNED : EVEN;
    const row_counters counters = e->is_random ? choose_counters(e) : NEW_COUNTERS;
    spec_of(e, 1 + c, READ, e->type, n ? samples : NULL, how, counters); /* not the first: its members are no arguments */
    specs[c] = is_none ? NULL : &e->bins[1 + c].spec;
    counts[c] = is_none ? NULL : array_out(e, names[c], counters.size, OUTPUTS(1 + c));
    all += OUTPUTS(1 + c);
    if (HAS_BINS(1 + c) && counts[c]) {
      right_bins b = right_bins_of(e->type, &e->bins[1 + c].own);
      const right_counts found = right_counts_of(b.spec, e->right(e, counts[c]), b.outputs);
      for (size_t i = 0; i < n; i++)
        count_there(found, counter_of(&b, HOST(samples), i * channels + c));
      edges_free(&b.e);
    }
  }
  needs(e, ND, all, 0);
  return iw_histogram_channels(CONTEXT, needed(e, "specs", specs), (unsigned)NUMBER("channels", FROM_ONE, 23, channels), samples, n,
                               needed(e, "counts", counts));
}

ROW(digitize)
{
  static const unsigned specs[] = { EVEN, AUTOMATIC, EDGES, PLANNED };
  const unsigned width = e->is_random ? (unsigned[]){ 4, 2, 1 }[e->choose(e, 3)] : 4;
  if (e->form == 2 && e->type == IW_BOOL)
    return NO_CALL;
  const void *const samples = SAMPLES("samples", e->n);
  const iw_histogram_spec *const spec = spec_of(e, 0, READ, e->type, samples, specs[e->form], NEW_COUNTERS);
  needs(e, PLAIN, OUTPUTS(0), 0);
  const iw_indices indices = indices_of(e, "indices", "indices.width", 4, width, e->n, 0);
  void *const right = HAS_BINS(0) && (width == 4 || OUTPUTS(0) >> (8 * width) == 0) ? e->right(e, indices.at) : NULL;
  if (right) {
    right_bins b = right_bins_of(e->type, &e->bins[0].own);
    for (size_t i = 0; i < e->n; i++) {
      const size_t k = counter_of(&b, HOST(samples), i), of = k < b.outputs ? k : b.outputs;
      put(width == 4 ? IW_U32 : width == 2 ? IW_U16 : IW_U8, right, i, (word){ .u64 = of });
    }
    edges_free(&b.e);
  }
  return iw_digitize(CONTEXT, spec, samples, SAMPLES_LENGTH("samples", e->n), indices);
}

/* A spec of at most `most` bins for small samples. */
static inline void small_spec(env *e, row_bins *b, iw_type type, size_t most, row_counters counters)
{
  const size_t width = type == IW_BOOL ? 1 : 1 + (size_t)e->choose(e, 100);
  const size_t apart = is_half(type) ? 60 : is_float(type) ? 20000 : width; /* so many edges are different values */
  b->lo = word_of(type, is_float(type) && e->choose(e, 2) ? -0.25 * (double)width : 0);
  b->hi = word_of(type, (is_float(type) ? 0.25 : 1) * (double)width);
  b->spec = (iw_histogram_spec){ .size = sizeof b->spec, .type = type, .lo = &b->lo, .hi = &b->hi,
                                 .bins = 1 + (size_t)e->choose(e, most < apart ? most : apart), .policy = (iw_policy)e->choose(e, 3),
                                 .flags = counters.flags | (e->choose(e, 2) ? IW_HIST_CLOSED_TOP : 0), .counter_width = counters.size };
  b->outputs = b->spec.bins + (b->spec.policy == IW_POLICY_COUNT ? 2 : 0);
}

/* Axes of samples of any types. All have these counters. Returns the number of cells. */
static inline size_t axes_of(env *e, unsigned dimensions, row_counters counters, iw_histogram_axis *axes)
{
  static const char *const samples_names[] = { "axes[0].samples", "axes[1].samples", "axes[2].samples", "axes[3].samples" };
  static const char *const spec_names[] = { "axes[0].spec", "axes[1].spec", "axes[2].spec", "axes[3].spec" };
  static const char *const size_names[] = { "axes[0].size", "axes[1].size", "axes[2].size", "axes[3].size" };
  static const size_t most[] = { 20000, 200, 30, 12 }; /* bins of an axis: their product and outliers are few enough */
  size_t cells = 1;
  for (unsigned d = 0; d < dimensions; d++) {
    const iw_type type = d ? choose_any_type(e) : e->type;
    row_bins *const b = &e->bins[d];
    const void *const samples = small_in(e, samples_names[d], type, e->n);
    if (e->is_random)
      small_spec(e, b, type, most[dimensions - 1], counters);
    if (!e->is_random)
      fixed_plan(b, type, dimensions > 1);
    b->own = b->spec;
    if (e->is_random && e->choose(e, 2)) {
      ck_assert(plan_of(e->host_context, type, &b->spec, NULL, 0, &b->plan) == IW_OK);
      b->spec = iw_spec_of_plan(b->plan);
    }
    cells *= b->outputs;
    axes[d] = (iw_histogram_axis){ .size = (size_t)NUMBER(size_names[d], SIZE_AT_MOST, sizeof *axes, sizeof *axes), .samples = samples };
    axes[d].spec = needed(e, spec_names[d], &b->spec);
  }
  return cells;
}
static inline unsigned choose_dimensions(env *e) /* 0: two */
{
  return e->is_random ? 1 + (unsigned)e->choose(e, MOST_AXES) : 1 + (1 + (unsigned)e->choose(e, 3)) % 3;
}

/* The cells of the samples. */
static inline size_t *right_cells(env *e, unsigned dimensions, const iw_histogram_axis *axes)
{
  right_bins b[MOST_AXES];
  const void *samples[MOST_AXES];
  for (unsigned d = 0; d < dimensions; d++) {
    b[d] = right_bins_of(e->bins[d].own.type, &e->bins[d].own);
    samples[d] = HOST(axes[d].samples);
  }
  size_t *const cells = cells_of(b, dimensions, samples, e->n);
  for (unsigned d = 0; d < dimensions; d++)
    edges_free(&b[d].e);
  return cells;
}

ROW(histogram_nd)
{
  iw_histogram_axis axes[MOST_AXES];
  const unsigned dimensions = choose_dimensions(e);
  const row_counters counters = e->is_random ? choose_counters(e) : NEW_COUNTERS;
  const size_t cells = axes_of(e, dimensions, counters, axes);
  needs(e, ND, cells, 8);
  void *const counts = array_out(e, "counts", counters.size, cells);
  size_t *const at = e->judges ? right_cells(e, dimensions, axes) : NULL;
  const right_counts c = right_counts_of(&e->bins[0].own, e->right(e, counts), cells);
  for (size_t i = 0; at && i < e->n; i++)
    count_there(c, at[i]);
  free(at);
  return iw_histogram_nd(CONTEXT, needed(e, "axes", axes), (unsigned)NUMBER("dimensions", FROM_ONE, 4, dimensions),
                         LENGTH_OF("axes[0].samples", iw_type_size(e->type), e->n), counts, NULL);
}
ROW(histogram_nd_weighted)
{
  iw_histogram_axis axes[MOST_AXES];
  iw_type sum;
  const unsigned dimensions = choose_dimensions(e);
  const iw_type weight_type = choose_weights(e, &sum);
  const row_counters counters = { 8, e->choose(e, 2) ? IW_HIST_ACCUMULATE : 0 };
  const size_t cells = axes_of(e, dimensions, counters, axes);
  const void *const weights = array_in(e, "options->weights", weight_type, e->n);
  needs(e, WEIGHTS, cells, 8);
  void *const sums = array_out(e, "counts", iw_type_size(sum), cells);
  if (e->judges && e->n <= MOST_SUMMED && cells <= MOST_ROUNDED) {
    size_t *const at = right_cells(e, dimensions, axes);
    right_sums(at, cells, counters.flags != 0, weight_type, sum, HOST(weights), e->n, e->right(e, sums));
    free(at);
  }
  iw_histogram_options o = { .size = sizeof o, .weight_type = SIX("options->weight_type", weight_type), .weights = weights,
                             .report = null_only(e, "options->report") };
  return iw_histogram_nd(CONTEXT, needed(e, "axes", axes), (unsigned)NUMBER("dimensions", FROM_ONE, 4, dimensions),
                         LENGTH_OF("axes[0].samples", iw_type_size(e->type), e->n), sums, STRUCT("options", MAY_READ, o));
}

/* Axes of a table of at most `most` cells; returns the number of cells, and that of the table's that is
 * made of it. */
static inline size_t table_axes(env *e, unsigned dimensions, size_t most, iw_table_axis *axes, size_t *outputs)
{
  size_t cells = *outputs = 1;
  for (unsigned d = 0; d < dimensions; d++) {
    const size_t room = most / cells, factor = e->is_random ? (size_t)e->choose(e, 5) : 2, of = factor ? factor : 1;
    const int has_outliers = room > 8 && e->choose(e, 2);
    const size_t groups = room / of > 4 ? 1 + (size_t)e->choose(e, room / of - 3) : 1;
    axes[d] = (iw_table_axis){ .size = sizeof *axes, .bins = room < 8 ? 1 : groups * of, .outliers = has_outliers,
                               .factor = room < 8 ? 1 : factor };
    cells *= axes[d].bins + 2 * (size_t)has_outliers;
    *outputs *= axes[d].factor ? axes[d].bins / axes[d].factor + 2 * (size_t)has_outliers : 1;
  }
  return cells;
}
ROW(histogram_project)
{
  iw_table_axis axes[MOST_AXES];
  size_t outputs;
  const size_t most = e->is_random ? (e->n < 64 ? 64 : e->n < e->room ? e->n : e->room) : 4000;
  const unsigned dimensions = choose_dimensions(e), flags = e->choose(e, 2) ? IW_HIST_ACCUMULATE : 0;
  if (e->type != IW_I64 && e->type != IW_U32 && e->type != IW_U64 && e->type != IW_F32 && e->type != IW_F64)
    return NO_CALL;
  const size_t cells = table_axes(e, dimensions, e->n < most ? e->n : most, axes, &outputs), size = iw_type_size(e->type);
  needs(e, WEIGHTS, cells, 8);
  const void *const in = array_in(e, "in", e->type, cells);
  void *const out = array_out(e, "out", size, outputs);
  if (e->judges && (!is_float(e->type) || outputs <= MOST_ROUNDED)) {
    size_t *const at = projected_cells(axes, dimensions, cells);
    right_sums(at, outputs, flags != 0, e->type, e->type, HOST(in), cells, e->right(e, out));
    free(at);
  }
  axes[0].size = (size_t)NUMBER("axes[0].size", SIZE_AT_MOST, sizeof *axes, sizeof *axes);
  if (e->is_checked)
    axes[1].bins = (size_t)NUMBER("axes[1].bins", SIZE_FROM_ONE, 0x7ffffffc, axes[1].bins);
  return iw_histogram_project(CONTEXT, TYPE, needed(e, "axes", axes), (unsigned)NUMBER("dimensions", FROM_ONE, 4, dimensions), in,
                              out, flags);
}

ROW(power_edges)
{
  const size_t size = iw_type_size(e->type), bins = e->type == IW_BOOL ? 1 : 4;
  const word least = word_of(e->type, 1), most = word_of(e->type, 100);
  needs(e, ALLOCATES, 4, 0);
  if (e->type == IW_BOOL)
    return NO_CALL;
  const void *const lo = host_value(e, "lo", ALIGNED, size, 1, &least), *const hi = host_value(e, "hi", ALIGNED, size, 1, &most);
  const size_t count = (size_t)NUMBER("bins", SIZE_FROM_ONE, 0x7fffffff, bins);
  void *const edges = host_out(e, "edges", size, bins + 1);
  return iw_histogram_power_edges(TYPE, lo, hi, count, e->form ? 0.5 : 0, edges);
}

/* Batches added to a growing histogram, and one merged with it. */
static inline iw_status fill_growing(env *e, const void *samples, iw_growing_histogram *h, iw_growing_histogram *other)
{
  iw_growing_histogram_info info = { .size = sizeof info };
  const size_t size = iw_type_size(e->type), first = (size_t)e->choose(e, e->n + 1);
  iw_status status = iw_growing_histogram_add(e->context, h, samples, first);
  if (status == IW_OK)
    status = iw_growing_histogram_add(CONTEXT, needed(e, "histogram", h), (const char *)samples + first * size,
                                      SAMPLES_LENGTH("samples", e->n - first));
  if (status == IW_OK)
    status = iw_growing_histogram_add(e->context, other, samples, e->n / 2);
  if (status == IW_OK)
    status = iw_growing_histogram_merge(CONTEXT, h, needed(e, "other", other));
  if (status == IW_OK)
    status = iw_growing_histogram_get_info(h, STRUCT("info", WRITTEN, info));
  return status;
}
/* What it should hold of these samples, of which the first half was counted twice. */
static inline void right_growing(env *e, const lattice *l, const void *samples, size_t bins, iw_growth growth,
                                 const iw_growing_histogram_info *info, const void *edges, const uint64_t *counts)
{
  const size_t bytes = iw_type_size(e->type) * (e->n / 2);
  char *const all = joined(samples, samples, iw_type_size(e->type) * e->n, bytes);
  const size_t n = e->n + e->n / 2;
  const right_growth right = growth_by_definition(l, all, n, bins, growth);
  ck_assert_msg(info->bins == right.bins && (!right.bins || (info->level == right.level && info->first == right.first)) &&
                info->below == right.outside[0] && info->above == right.outside[1] && info->nan == right.outside[2],
                "a growing histogram of %zu samples of %s has %zu bins, level %u and first %lld; should be %zu, %u and %lld", n,
                iw_type_name(e->type), info->bins, info->level, (long long)info->first, right.bins, right.level, (long long)right.first);
  write_growth(l, &right, all, n, e->right(e, edges), e->right(e, counts));
  free(all);
}
ROW(growing)
{
  const iw_growth growth = e->form ? IW_GROW_BINS : IW_GROW_RANGE;
  const word origin = word_of(e->type, (double)e->choose(e, e->type == IW_BOOL ? 2 : 3));
  const word width = word_of(e->type, e->type == IW_BOOL ? 1 : 1 + (double)e->choose(e, 5));
  const size_t size = iw_type_size(e->type), bins = 4 + 2 * (size_t)e->choose(e, e->is_random ? 2000 : 30);
  iw_growing_histogram *h = NULL, *other = NULL;
  iw_growing_histogram_info info = { .size = sizeof info };
  needs(e, ALLOCATES, 64, 0);
  if (e->form && !e->is_random)
    return NO_CALL; /* there may be more bins than fit */
  const void *const samples = small_in(e, "samples", e->type, e->n);
  iw_status status = iw_growing_histogram_make(e->type, &origin, &width, bins, growth, &h);
  if (status == IW_OK)
    status = iw_growing_histogram_make(e->type, &origin, &width, bins, growth, &other);
  if (status == IW_OK)
    status = fill_growing(e, samples, h, other);
  if (status == IW_OK)
    status = iw_growing_histogram_get_info(h, &info);
  if (status == IW_OK) {
    e->call++;
    e->found(e, info.level);
    e->found(e, (uint64_t)info.first);
    e->found(e, info.below);
    e->found(e, info.above);
    e->found(e, info.nan);
    void *const edges = ASK("edges", OPTIONAL, size, .use = OUT, .size = size, .count = info.bins ? info.bins + 1 : 0,
                            .is_host = 1);
    uint64_t *const counts = ASK("counts", OPTIONAL, 8, .use = OUT, .size = 8, .count = info.bins, .is_host = 1);
    if (e->judges && e->n <= MOST_SUMMED)
      right_growing(e, &(lattice){ e->type, origin, width }, HOST(samples), bins, growth, &info, edges, counts);
    status = iw_growing_histogram_read(h, edges, counts);
  }
  iw_growing_histogram_free(h);
  iw_growing_histogram_free(other);
  return status;
}
ROW(growing_make)
{
  const word origin = word_of(e->type, 1), width = word_of(e->type, e->type == IW_BOOL ? 1 : 100);
  iw_growing_histogram *none = NULL;
  needs(e, ALLOCATES, 4, 0);
  const void *const from = ASK("origin", ALIGNED, iw_type_size(e->type), .size = iw_type_size(e->type), .count = 1,
                               .given = &origin, .is_host = 1);
  const void *const step = ASK("width", ALIGNED, iw_type_size(e->type), .size = iw_type_size(e->type), .count = 1,
                               .given = &width, .is_host = 1);
  iw_growing_histogram **const made = ASK("histogram", ALIGNED, 8, .size = 8, .count = 1, .given = &none, .is_host = 1);
  const iw_status status = iw_growing_histogram_make(TYPE, from, step, (size_t)NUMBER("bins", SIZE_FROM_ONE, 0x7ffffffe, 4),
                                                     (iw_growth)NUMBER("growth", ENUM, 1, IW_GROW_BINS), made);
  if (status == IW_OK) {
    iw_growing_histogram_free(*made);
    *made = NULL;
  }
  return status;
}

/* ---- Moves ------------------------------------------------------------------------------------------- */

/* Where elements go: `to` gets number order[to], `front` of them in out and `behind` in rest, or if there is
 * none in out too. order NULL: nobody asks. */
typedef struct moves { size_t *order, front, behind; } moves;

/* What out and rest should hold of values of `width` bytes, or without values of indices. */
static inline void right_moves(env *e, const moves *m, const void *values, size_t width, const void *out, const void *rest)
{
  if (!m->order || !e->judges)
    return;
  right_moved(e->right(e, out), HOST(values), width, m->order, rest ? m->front : m->front + m->behind);
  right_moved(e->right(e, rest), HOST(values), width, m->order + m->front, m->behind);
}

/* Payloads of any width, and now and then indices. Returns the bytes of an element of all. selected: how
 * many elements out has. */
typedef enum rest { NO_REST, REST, REST_IS_WRONG } rest;
static inline size_t payloads_of(env *e, size_t n, size_t count, rest rest, const size_t *selected, const moves *m)
{
  static const char *const in_names[] = { "payloads[0].in", "payloads[1].in", "payloads[2].in", "payloads[3].in" };
  static const char *const out_names[] = { "payloads[0].out", "payloads[1].out", "payloads[2].out", "payloads[3].out" };
  static const char *const rest_names[] = { "payloads[0].rest", "payloads[1].rest", "payloads[2].rest", "payloads[3].rest" };
  static const char *const size_names[] = { "payloads[0].size", "payloads[1].size", "payloads[2].size", "payloads[3].size" };
  static const char *const width_names[] = { "payloads[0].width", "payloads[1].width", "payloads[2].width", "payloads[3].width" };
  static const size_t widths[] = { 8, 1, 4, 16, 2 };
  size_t all = 0;
  for (size_t i = 0; i < count; i++) {
    const int is_indices = e->choose(e, 3) == 2;
    const size_t width = is_indices ? index_width(e) : widths[e->choose(e, 5)];
    iw_payload *const p = &e->payloads[i];
    *p = (iw_payload){ .size = (size_t)NUMBER(size_names[i], SIZE_AT_MOST, sizeof *p, sizeof *p) };
    if (!is_indices)
      p->in = ASK(in_names[i], OPTIONAL, alignment(width), .use = IN, .size = width, .count = n);
    p->out = array_out(e, out_names[i], width, n);
    p->rest = rest == REST ? maybe_out(e, rest_names[i], width, n)
      : rest == REST_IS_WRONG ? ZERO(rest_names[i]) : NULL;
    p->width = (size_t)NUMBER(width_names[i], SIZE_AT_MOST, 16, width);
    if (selected)
      e->has(e, p->out, selected, 0, 0);
    if (selected && rest == REST)
      e->has(e, p->rest, selected, n, 0);
    right_moves(e, m, p->in, width, p->out, rest == REST ? p->rest : NULL);
    all += width;
  }
  return all;
}
#define PAYLOADS_ARGUMENT(most, count) \
  .payloads = needed(e, "payloads", e->payloads), .payload_count = (size_t)NUMBER("payload_count", SIZE_AT_MOST, most, count)

enum { BY_CONSTANT, BY_FLAGS, BY_BIN, BY_BIN_OF_PLAN };
static inline const iw_test *test_of(env *e, unsigned by, const void *in, iw_test *t)
{
  const size_t size = iw_type_size(e->type);
  *t = (iw_test){ .size = sizeof *t };
  if (by == BY_CONSTANT) {
    e->constant = word_like(e, e->type, in, e->n);
    t->constant = ASK("test->constant", OPTIONAL, size, .use = VALUE, .size = size, .count = 1, .given = &e->constant,
                      .is_host = 1);
    t->compare = (iw_compare)NUMBER("test->compare", ENUM, IW_GREATER_EQUAL, (IW_GREATER_EQUAL + e->choose(e, 6)) % 6);
  } else if (by == BY_FLAGS)
    t->flags = ASK("flags", OPTIONAL, 1, .use = IN, .type = IW_U8, .size = 1, .count = e->n, .has_runs = 1);
  else {
    const unsigned how = e->is_random && e->choose(e, 3) == 2 ? EDGES : e->choose(e, 2) ? AUTOMATIC : EVEN;
    t->bins = spec_of(e, 0, MAY_READ, e->type, in, by == BY_BIN_OF_PLAN ? PLANNED : how, NEW_COUNTERS);
    const size_t known = e->bins[0].bins;
    t->bin = (size_t)NUMBER("test->bin", SIZE_AT_MOST, known - 1, e->choose(e, 3) ? e->choose(e, known) : 0);
  }
  t->type = TYPE_OF("test->type", e->type);
  return STRUCT("test", READ, *t);
}

/* The elements that the test selects, and those that it does not, if they are wanted; of a test by known
 * bins, of flags or of a constant. */
static inline moves sides_of(env *e, const void *in, const iw_test *test, int is_select)
{
  moves m = { NULL, 0, 0 };
  if (!e->judges || (test->bins && !HAS_BINS(0)))
    return m;
  right_bins b = { 0 };
  if (test->bins)
    b = right_bins_of(e->type, &e->bins[0].own);
  size_t *const others = malloc((e->n + 1) * sizeof *others);
  m.order = malloc((e->n + 1) * sizeof *m.order);
  for (size_t i = 0; i < e->n; i++)
    if (test->bins ? counter_of(&b, HOST(in), i) == test->bin
                   : test->flags ? ((const uint8_t *)HOST(test->flags))[i] != 0
                                 : compared(e->type, HOST(in), i, test->compare, &e->constant))
      m.order[m.front++] = i;
    else
      others[m.behind++] = i;
  memcpy(m.order + m.front, others, m.behind * sizeof *others);
  m.behind = is_select ? 0 : m.behind;
  free(others);
  edges_free(&b.e);
  return m;
}

enum { TO_OUT, TO_OUT_AND_REST, TO_PAYLOADS, TO_PAYLOADS_TOO, IN_PLACE };
typedef struct move_form { unsigned by, to; } move_form;
enum { PARTITION_FORMS = 8, SELECT_FORMS = 7 };
static inline iw_status sides_row(env *e, const move_form *form, int is_select)
{
  const size_t n = e->n, size = iw_type_size(e->type);
  const int is_in_place = form->to == IN_PLACE, has_payloads = form->to == TO_PAYLOADS || form->to == TO_PAYLOADS_TOO;
  iw_test test;
  iw_move_options o = { .size = sizeof o };
  if (is_in_place && (e->is_checked || n * size > (size_t)64 << 20))
    return NO_CALL;
  const void *in = array_in(e, "in", e->type, n);
  const iw_test *const given = test_of(e, form->by, in, &test);
  size_t *const count = COUNT_OUT("count"), payload = 0;
  moves m = sides_of(e, in, given, is_select);
  if (m.order)
    right_number(e, count, m.front);
  void *const out = form->to == TO_PAYLOADS ? NULL
    : is_in_place ? filled_out(e, "out", size, n, e->host(e, in))
    : has_payloads ? maybe_out(e, "out", size, n)
                   : array_out(e, "out", size, n);
  if (form->to == TO_OUT_AND_REST) {
    o.rest = maybe_out(e, "rest", size, n);
    e->has(e, o.rest, count, n, 0);
  } else if (is_select)
    o.rest = ZERO("rest");
  if (out && (is_select || o.rest))
    e->has(e, out, count, 0, is_select && !is_in_place);
  if (out)
    right_moves(e, &m, in, size, out, o.rest);
  if (has_payloads) {
    const size_t payloads = 2 + (size_t)e->choose(e, 3);
    payload = payloads_of(e, n, payloads, is_select ? REST_IS_WRONG : out ? NO_REST : REST, is_select || !out ? count : NULL, &m);
    o = (iw_move_options){ .size = sizeof o, PAYLOADS_ARGUMENT(IW_MAX_PAYLOADS, payloads), .rest = o.rest };
  }
  needs(e, PLAIN, form->by >= BY_BIN ? 2500 : 0, payload < 16 ? payload : 16);
  free(m.order);
  if (is_in_place) {
    in = out;
    e->reserve(e, n * size);
  }
  const iw_status status = (is_select ? iw_select_if : iw_partition)(CONTEXT, given, in, LENGTH_OF("in", size, n), out, count,
                                                                     STRUCT("options", MAY_READ, o));
  return is_in_place && status == IW_ERROR_OVERLAP ? NO_CALL : status; /* only after iw_context_reserve() */
}
ROW(partition)
{
  static const move_form forms[PARTITION_FORMS] = { { BY_CONSTANT, TO_OUT_AND_REST }, { BY_FLAGS, TO_OUT }, { BY_CONSTANT, TO_OUT },
    { BY_FLAGS, TO_OUT_AND_REST }, { BY_BIN, TO_OUT }, { BY_CONSTANT, TO_PAYLOADS }, { BY_CONSTANT, TO_PAYLOADS_TOO },
    { BY_CONSTANT, IN_PLACE } };
  return sides_row(e, &forms[e->form], 0);
}
ROW(select_if)
{
  static const move_form forms[SELECT_FORMS] = { { BY_CONSTANT, TO_OUT }, { BY_FLAGS, TO_OUT }, { BY_BIN, TO_OUT },
    { BY_BIN_OF_PLAN, TO_OUT }, { BY_CONSTANT, TO_PAYLOADS }, { BY_FLAGS, TO_PAYLOADS_TOO }, { BY_FLAGS, IN_PLACE } };
  return sides_row(e, &forms[e->form], 1);
}

/* The heads of runs of equal neighbours. */
static inline moves runs_of(env *e, const void *in)
{
  const iw_segments runs = { .kind = IW_SEGMENTS_KEYS, .keys = HOST(in), .key_type = e->type };
  moves m = { NULL, 0, 0 };
  if (e->judges)
    m.order = places_of(&runs, e->n, &m.front);
  return m;
}

ROW(unique)
{
  const size_t n = e->n, size = iw_type_size(e->type), payloads = 2 + (size_t)e->choose(e, 3);
  const void *const in = runs_in(e, "in", e->type, n);
  size_t *const count = COUNT_OUT("count");
  void *const out = optional_out(e, "out", size, n);
  iw_move_options o = { .size = sizeof o };
  const moves m = runs_of(e, in);
  if (m.order)
    right_number(e, count, m.front);
  right_moves(e, &m, in, size, out, NULL);
  payloads_of(e, n, payloads, REST_IS_WRONG, count, &m);
  free(m.order);
  o = (iw_move_options){ .size = sizeof o, PAYLOADS_ARGUMENT(IW_MAX_PAYLOADS, payloads), .rest = ZERO("rest") };
  if (out)
    e->has(e, out, count, 0, 0);
  needs(e, PLAIN, 0, 16);
  return iw_unique(CONTEXT, TYPE, in, LENGTH_OF("in", size, n), out, count, STRUCT("options", MAY_READ, o));
}

ROW(run_lengths)
{
  const size_t n = e->n, size = iw_type_size(e->type);
  const void *const in = runs_in(e, "in", e->type, n);
  size_t *const count = COUNT_OUT("count");
  void *const values = optional_out(e, "values", size, n);
  const iw_indices lengths = indices_of(e, "lengths", "lengths.width", 8, index_width(e), n, 0);
  e->has(e, lengths.at, count, 0, 0);
  if (values)
    e->has(e, values, count, 0, 0);
  const moves m = runs_of(e, in);
  void *const right = m.order ? e->right(e, lengths.at) : NULL;
  if (m.order)
    right_number(e, count, m.front);
  right_moves(e, &m, in, size, values, NULL);
  for (size_t r = 0; right && r < m.front; r++)
    put_index(right, r, lengths.width, m.order[r + 1] - m.order[r]);
  free(m.order);
  needs(e, PLAIN, 0, 0);
  return iw_run_lengths(CONTEXT, TYPE, in, LENGTH_OF("in", size, n), values, lengths, count);
}

ROW(run_lengths_decode)
{
  const size_t runs = e->is_checked ? 4 : 1 + (size_t)e->choose(e, e->n < e->room ? e->n + 1 : e->room), size = iw_type_size(e->type);
  const unsigned width = index_width(e);
  size_t n = 0;
  for (size_t r = 0; r < runs; n += r % 4 * (1 + r % 3 / 2), r++)
    put(width == 4 ? IW_U32 : IW_U64, e->scratch, r, (word){ .u64 = r % 4 * (1 + r % 3 / 2) });
  const void *const values = array_in(e, "values", e->type, runs), *const lengths = given_in(e, "lengths", width, runs, e->scratch);
  void *const out = array_out(e, "out", size, n);
  char *const right = e->right(e, out);
  for (size_t r = 0, to = 0; right && r < runs; r++)
    for (uint64_t k = element(width == 4 ? IW_U32 : IW_U64, e->scratch, r).u64; k; k--)
      memcpy(right + to++ * size, (const char *)HOST(values) + r * size, size);
  const iw_elements run_values = { values, LENGTH_OF("values", size, runs) };
  needs(e, PLAIN, 0, 8);
  return iw_run_lengths_decode(CONTEXT, TYPE, run_values, lengths, (unsigned)NUMBER("length_width", UNSIGNED, 8, width), out,
                               LENGTH_OF("out", size, n));
}

/* ---- Multisplit -------------------------------------------------------------------------------------- */

enum { BY_BITS, BY_PIVOT, BY_BINS, BY_MANY_BITS, BY_PLAN };
enum { MULTISPLIT_FORMS = 7 };
/* The elements by their buckets, those in none last; offsets: where each bucket begins. */
static inline moves split_of(env *e, const void *in, const iw_buckets *by, size_t buckets, const size_t *offsets)
{
  moves m = { NULL, e->n, 0 };
  if (!e->judges || (by->bins && !HAS_BINS(0)))
    return m;
  right_bins b = { 0 };
  if (by->bins)
    b = right_bins_of(e->type, &e->bins[0].own);
  size_t *const ids = malloc((e->n + 1) * sizeof *ids), *const next = calloc(buckets + 2, sizeof *next);
  m.order = malloc((e->n + 1) * sizeof *m.order);
  for (size_t i = 0; i < e->n; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)HOST(in) + i * iw_type_size(e->type), iw_type_size(e->type));
    ids[i] = by->bins ? counter_of(&b, HOST(in), i)
      : by->bits ? (size_t)(bits >> by->bit) & (buckets - 1)
      : compared(e->type, HOST(in), i, IW_LESS, &e->constant) ? 0 : compared(e->type, HOST(in), i, IW_EQUAL, &e->constant) ? 1 : 2;
    ids[i] = ids[i] < buckets ? ids[i] : buckets;
    next[ids[i] + 1]++;
  }
  for (size_t k = 0; k <= buckets; k++)
    next[k + 1] += next[k];
  memcpy(e->right(e, offsets), next, (buckets + 1) * sizeof *next);
  for (size_t i = 0; i < e->n; i++)
    m.order[next[ids[i]]++] = i;
  free(ids);
  free(next);
  edges_free(&b.e);
  return m;
}

ROW(multisplit)
{
  static const move_form forms[MULTISPLIT_FORMS] = { { BY_BITS, TO_OUT }, { BY_PIVOT, TO_OUT }, { BY_BINS, TO_OUT },
    { BY_BITS, TO_PAYLOADS }, { BY_BITS, TO_PAYLOADS_TOO }, { BY_MANY_BITS, TO_OUT }, { BY_PLAN, TO_OUT } };
  const move_form form = forms[e->form];
  const size_t n = e->n, size = iw_type_size(e->type);
  size_t buckets = 3, payload = 0;
  iw_buckets b = { .size = sizeof b };
  iw_move_options o = { .size = sizeof o };
  if ((form.by == BY_MANY_BITS && size == 1) || (form.by == BY_PLAN && e->type == IW_BOOL))
    return NO_CALL;
  const void *const in = array_in(e, "in", e->type, n);
  if (form.by == BY_PIVOT) {
    e->constant = word_like(e, e->type, in, n);
    b.pivot = ASK("buckets->pivot", OPTIONAL, size, .use = VALUE, .size = size, .count = 1, .given = &e->constant,
                  .is_host = 1);
  } else if (form.by == BY_BITS || form.by == BY_MANY_BITS) {
    const unsigned bits = form.by == BY_MANY_BITS ? (e->n < 1000 ? 4 : 16) : 2 + (unsigned)e->choose(e, 6);
    b.bits = (unsigned)NUMBER("buckets->bits", UNSIGNED, 16, bits);
    b.bit = (unsigned)NUMBER("buckets->bit", UNSIGNED, 63, e->choose(e, 8 * size - bits + 1));
    buckets = (size_t)1 << bits;
  } else {
    static const unsigned specs[] = { EVEN, AUTOMATIC, EDGES, EVEN_MANY };
    const unsigned how = e->is_random ? specs[e->choose(e, 4)] : e->is_checked ? EVEN : AUTOMATIC;
    b.bins = spec_of(e, 0, MAY_READ, e->type, in, form.by == BY_PLAN ? PLANNED : how, NEW_COUNTERS);
    buckets = e->bins[0].bins;
  }
  b.type = TYPE_OF("buckets->type", e->type);
  b.count = (size_t)NUMBER("buckets->count", SIZE_ZERO, 0, 0);
  size_t *const offsets = array_out(e, "offsets", sizeof *offsets, buckets + 1);
  void *const out = form.to == TO_PAYLOADS ? NULL
    : maybe_out(e, "out", size, n);
  const moves m = split_of(e, in, &b, buckets, offsets);
  right_moves(e, &m, in, size, out, NULL);
  if (form.to != TO_OUT) {
    const size_t payloads = 2 + (size_t)e->choose(e, 3);
    payload = payloads_of(e, n, payloads, REST_IS_WRONG, NULL, &m);
    o = (iw_move_options){ .size = sizeof o, PAYLOADS_ARGUMENT(IW_MAX_PAYLOADS, payloads) };
  }
  free(m.order);
  o.rest = ZERO("rest");
  needs(e, SPLIT, buckets + 1, payload);
  return iw_multisplit(CONTEXT, STRUCT("buckets", READ, b), in, LENGTH_OF("in", size, n), out, offsets, STRUCT("options", MAY_READ, o));
}

/* ---- Sorts ------------------------------------------------------------------------------------------- */

static inline iw_sort_options sort_options(env *e)
{
  iw_sort_options o = { .size = sizeof o, .descending = (int)e->choose(e, 2) };
  unsigned end = 0;
  if (!is_float(e->type) && e->choose(e, 3) == 2) {
    const unsigned bits = 8 * (unsigned)iw_type_size(e->type);
    o.begin_bit = (unsigned)e->choose(e, bits);
    end = o.begin_bit + 1 + (unsigned)e->choose(e, bits - o.begin_bit);
  }
  o.end_bit = (unsigned)NUMBER("options->end_bit", UNSIGNED, 64, end);
  return o;
}

enum { SORT_FORMS = 6 };
ROW(sort)
{
  enum { ALONE, WITH_PAYLOADS, WITH_SEGMENTS, SORT_IN_PLACE, WITH_OFFSETS, SEGMENTS_ALONE };
  size_t n = e->n, payload = 0;
  const size_t size = iw_type_size(e->type);
  iw_segments segments;
  if (e->is_checked && e->form == SORT_IN_PLACE)
    return NO_CALL;
  iw_sort_options o = sort_options(e);
  if (e->form == WITH_SEGMENTS || e->form >= WITH_OFFSETS) {
    segments_of(e, e->form == WITH_OFFSETS ? OFFSETS : ROWS, &n, FOR_SORT, &segments);
    o.segments = STRUCT("segments", MAY_READ, segments);
  }
  const void *in = array_in(e, "in", e->type, n);
  moves m = { NULL, n, 0 };
  if (e->judges)
    m.order = sorted_order(e->type, HOST(in), n, o.segments ? &segments : NULL, &o);
  if (e->form == WITH_PAYLOADS || e->form == WITH_SEGMENTS || e->form == WITH_OFFSETS) {
    const size_t payloads = 2 + (size_t)e->choose(e, 3);
    payload = payloads_of(e, n, payloads, REST_IS_WRONG, NULL, &m);
    o.payloads = needed(e, "payloads", e->payloads);
    o.payload_count = (size_t)NUMBER("payload_count", SIZE_AT_MOST, IW_MAX_PAYLOADS, payloads);
  }
  const int is_in_place = e->form == SORT_IN_PLACE;
  void *const out = is_in_place ? filled_out(e, "out", size, n, e->host(e, in)) : payload ? maybe_out(e, "out", size, n)
                                                                               : array_out(e, "out", size, n);
  right_moves(e, &m, in, size, out, NULL);
  free(m.order);
  needs(e, SORT, 0, payload);
  return iw_sort(CONTEXT, TYPE, is_in_place ? out : in, LENGTH_OF("in", size, n), out, STRUCT("options", MAY_READ, o));
}

ROW(argsort)
{
  const size_t n = e->n, size = iw_type_size(e->type), payloads = e->form ? 2 + (size_t)e->choose(e, 3) : 0;
  iw_sort_options o = sort_options(e);
  const void *const in = array_in(e, "in", e->type, n);
  size_t payload = 0;
  moves m = { NULL, n, 0 };
  if (e->judges)
    m.order = sorted_order(e->type, HOST(in), n, NULL, &o);
  if (payloads) {
    payload = payloads_of(e, n, payloads, REST_IS_WRONG, NULL, &m);
    o.payloads = needed(e, "payloads", e->payloads);
    o.payload_count = (size_t)NUMBER("payload_count", SIZE_AT_MOST, IW_MAX_PAYLOADS - 1, payloads);
  }
  const iw_indices indices = indices_of(e, "indices", "indices.width", 8, index_width(e), n, 0);
  right_moves(e, &m, NULL, indices.width, indices.at, NULL);
  free(m.order);
  needs(e, SORT, 0, 8 + payload);
  return iw_argsort(CONTEXT, TYPE, in, LENGTH_OF("in", size, n), indices, STRUCT("options", MAY_READ, o));
}

static inline const void *unsorted_in(env *e, size_t n)
{
  const size_t size = iw_type_size(e->type);
  return ASK("unsorted", ALIGNED, size, .use = IN, .type = e->type, .size = size, .count = n, .is_prepared = 1);
}
/* *sorted = the elements, sorted by these options. */
static inline iw_status sorted_in(env *e, const char *name, const void *from, size_t n, const iw_sort_options *o, const void **sorted)
{
  const size_t size = iw_type_size(e->type);
  void *const room = ASK("prepared", OPTIONAL, size, .size = size, .count = n, .is_host = 1, .is_prepared = 1);
  const void *const values = e->host(e, from);
  const iw_status status = iw_sort(e->host_context, e->type, values ? values : from, n, room, o);
  *sorted = status == IW_OK ? given_in(e, name, size, n, room) : NULL;
  return status;
}

ROW(bounds)
{
  const iw_bound bound = (iw_bound)e->form;
  const size_t size = iw_type_size(e->type), n = e->n, count = e->is_random ? (size_t)e->choose(e, n + 1000) : n;
  const iw_sort_options ordered = { .size = sizeof ordered, .descending = (int)e->choose(e, 2) };
  iw_sort_options o = ordered;
  const void *const in = e->is_random ? unsorted_in(e, n) : NULL;
  const void *sorted = NULL;
  const iw_status status = e->is_random ? sorted_in(e, "sorted", in, n, &ordered, &sorted) : IW_OK;
  if (status != IW_OK)
    return status;
  sorted = e->is_random ? sorted : array_in(e, "sorted", e->type, n);
  const void *const values = array_in(e, "values", e->type, count);
  o.end_bit = (unsigned)NUMBER("options->end_bit", UNSIGNED, 64, 0);
  const iw_indices indices = indices_of(e, "indices", "indices.width", 8, index_width(e), count, 0);
  needs(e, PLAIN, 0, 0);
  if (e->judges)
    right_bounds(e->type, (iw_elements){ HOST(sorted), n }, (iw_elements){ HOST(values), count }, bound == IW_UPPER_BOUND, &ordered, indices.width,
                 e->right(e, indices.at));
  const iw_elements array = { sorted, LENGTH_OF("sorted", size, n) }, wanted = { values, LENGTH_OF("values", size, count) };
  return iw_bounds(CONTEXT, (iw_bound)NUMBER("bound", ENUM, 1, bound), TYPE, array, wanted, indices, STRUCT("options", MAY_READ, o));
}

ROW(is_sorted_until)
{
  iw_sort_options o = sort_options(e);
  const void *const in = array_in(e, "in", e->type, e->n);
  size_t *const until = COUNT_OUT("until"), first = 1;
  while (e->judges && first < e->n && !comes_before(e->type, HOST(in), first, first - 1, &o))
    first++;
  right_number(e, until, first < e->n ? first : e->n);
  needs(e, PLAIN, 0, 0);
  return iw_is_sorted_until(CONTEXT, TYPE, in, LENGTH_OF("in", iw_type_size(e->type), e->n), until, STRUCT("options", MAY_READ, o));
}

ROW(merge)
{
  const size_t size = iw_type_size(e->type), first = e->is_random ? (size_t)e->choose(e, e->n + 1) : e->n / 2, second = e->n - first;
  iw_sort_options o = { .size = sizeof o, .descending = (int)e->choose(e, 2) };
  needs(e, SORT, 0, 8);
  const void *const in = unsorted_in(e, e->n);
  const void *const other = (const char *)in + first * size, *const host = e->host(e, in);
  const void *a = NULL, *b = NULL;
  iw_status status = sorted_in(e, "a", host ? host : in, first, &o, &a);
  if (status == IW_OK)
    status = sorted_in(e, "b", host ? (const char *)host + first * size : other, second, &o, &b);
  if (status != IW_OK)
    return status;
  o.end_bit = (unsigned)NUMBER("options->end_bit", UNSIGNED, 64, 0);
  void *const out = maybe_out(e, "out", size, e->n);
  const iw_indices indices = indices_of(e, "indices", "indices.width", 8, index_width(e), e->n, 1);
  if (e->judges) {
    char *const both = joined(HOST(a), HOST(b), first * size, second * size);
    const moves m = { sorted_order(e->type, both, e->n, NULL, &o), e->n, 0 };
    right_moved(e->right(e, out), both, size, m.order, e->n);
    right_moves(e, &m, NULL, indices.width, indices.at, NULL);
    free(m.order);
    free(both);
  }
  const iw_elements first_of = { a, LENGTH_OF("a", size, first) }, second_of = { b, LENGTH_OF("b", size, second) };
  return iw_merge(CONTEXT, TYPE, first_of, second_of, out, indices, STRUCT("options", MAY_READ, o));
}

ROW(top_k)
{
  const size_t size = iw_type_size(e->type), width = index_width(e);
  size_t n = e->n;
  iw_segments segments;
  iw_sort_options o = { .size = sizeof o, .descending = (int)e->choose(e, 2) };
  const size_t rows = e->form ? segments_of(e, ROWS, &n, FOR_SORT, &segments) : 1, columns = e->form ? segments.columns : n;
  if (e->form)
    o.segments = STRUCT("segments", MAY_READ, segments);
  const size_t most = columns > 4096 && e->choose(e, 2) ? 4096 : columns;
  const size_t k = e->choose(e, 2) ? (size_t)e->choose(e, most + 1) : most < 3 ? most : 3, outputs = rows * k;
  const void *const in = array_in(e, "in", e->type, n);
  void *const values = optional_out(e, "values", size, outputs);
  e->payloads[0] = (iw_payload){ .size = sizeof *e->payloads, .in = ZERO("payloads[0].in"), .rest = ZERO("payloads[0].rest"),
                                 .width = (size_t)NUMBER("payloads[0].width", SIZE_AT_MOST, 8, width) };
  e->payloads[0].out = maybe_out(e, "payloads[0].out", width, outputs);
  o.payloads = needed(e, "payloads", e->payloads);
  o.payload_count = (size_t)NUMBER("payload_count", SIZE_AT_MOST, 1, 1);
  for (size_t row = 0; e->judges && row < rows; row++) {
    const char *const from = (const char *)HOST(in) + row * columns * size;
    size_t *const order = sorted_order(e->type, from, columns, NULL, &o);
    char *const right = e->right(e, values), *const places = e->right(e, e->payloads[0].out);
    right_moved(right ? right + row * k * size : NULL, from, size, order, k);
    right_moved(places ? places + row * k * width : NULL, NULL, width, order, k);
    free(order);
  }
  needs(e, SORT, 0, 8);
  return iw_top_k(CONTEXT, TYPE, in, LENGTH_OF("in", size, n), (size_t)NUMBER("k", SIZE_AT_MOST, columns, k), values,
                  STRUCT("options", MAY_READ, o));
}
static inline void right_nth(env *e, const void *in, size_t nth, const void *value, const size_t *index)
{
  const iw_sort_options ascending = { .size = sizeof ascending };
  if (!e->judges)
    return;
  size_t *const order = sorted_order(e->type, HOST(in), e->n, NULL, &ascending);
  right_moved(e->right(e, value), HOST(in), iw_type_size(e->type), order + nth, 1);
  right_number(e, index, order[nth]);
  free(order);
}
ROW(nth_element)
{
  const size_t size = iw_type_size(e->type);
  if (!e->n)
    return NO_CALL;
  needs(e, SORT, 0, 8);
  const void *const in = array_in(e, "in", e->type, e->n);
  void *const value = array_out(e, "value", size, 1);
  size_t *const index = optional_out(e, "index", sizeof *index, 1), nth = (size_t)e->choose(e, e->n);
  right_nth(e, in, nth, value, index);
  return iw_nth_element(CONTEXT, TYPE, in, LENGTH_OF("in", size, e->n), (size_t)NUMBER("nth", SIZE_AT_MOST, e->n - 1, nth), value, index);
}

/* ---- Contexts ---------------------------------------------------------------------------------------- */

ROW(context_open)
{
  iw_context_info info = { .size = sizeof info };
  iw_context *none = NULL, **const opened = ASK("context", NEEDED, 0, .size = 8, .count = 1, .given = &none, .is_host = 1);
  needs(e, ALLOCATES, 0, 0);
  iw_status status = iw_context_get_info(e->context, &info);
  iw_context_options o = { .size = sizeof o, .backend = (iw_backend)NUMBER("options->backend", ENUM, 3, IW_BACKEND_CPU),
                           .blocks = (iw_blocks)NUMBER("options->blocks", ENUM, 2, 0),
                           .threads = (unsigned)NUMBER("options->threads", UNSIGNED, 1024, info.threads),
                           .openmp = (int)NUMBER("options->openmp", UNSIGNED, 1, 0) };
  if (status == IW_OK)
    status = iw_context_open(opened, STRUCT("options", MAY_READ, o));
  if (status != IW_OK)
    return status;
  status = iw_context_set_stream(*opened, NULL);
  if (status == IW_OK)
    status = iw_context_synchronize(*opened);
  iw_context_close(*opened);
  *opened = NULL;
  return status;
}
ROW(context_get_info)
{
  iw_context_info info = { .size = sizeof info };
  needs(e, PLAIN, 0, 0);
  return iw_context_get_info(CONTEXT, STRUCT("info", WRITTEN, info));
}
ROW(context_reserve)
{
  needs(e, ALLOCATES, 0, 0);
  return iw_context_reserve(CONTEXT, (size_t)NUMBER("reserve", SIZE_AT_MOST, PTRDIFF_MAX / 2, e->n * 8));
}
ROW(context_set_stream) { needs(e, PLAIN, 0, 0); return iw_context_set_stream(CONTEXT, NULL); }
ROW(context_synchronize) { needs(e, PLAIN, 0, 0); return iw_context_synchronize(CONTEXT); }
ROW(context_threshold)
{
  return iw_context_measure_offload_threshold(CONTEXT, host_out(e, "bytes", sizeof(size_t), 1));
}
ROW(memory_allocate)
{
  const size_t bytes = e->n * iw_type_size(e->type);
  void *memory;
  needs(e, ALLOCATES, 0, 0);
  iw_status status = iw_memory_allocate(CONTEXT, (size_t)NUMBER("allocate", SIZE_AT_MOST, PTRDIFF_MAX, bytes), &memory);
  if (status != IW_OK || e->is_checked)
    return status == IW_OK ? iw_memory_free(e->context, memory) : status;
  const void *const in = array_in(e, "in", e->type, e->n);
  status = iw_memory_copy(e->context, memory, in, bytes);
  if (status == IW_OK) {
    void *const out = array_out(e, "out", iw_type_size(e->type), e->n);
    status = iw_memory_copy(e->context, out, memory, bytes);
  }
  return iw_memory_free(e->context, memory) == IW_OK ? status : IW_ERROR_LAUNCH;
}
ROW(memory_free) { needs(e, PLAIN, 0, 0); return iw_memory_free(CONTEXT, NULL); }
ROW(memory_copy)
{
  const size_t size = iw_type_size(e->type);
  const void *const from = ASK("from", NEEDED, 0, .use = IN, .type = e->type, .size = size, .count = e->n);
  void *const to = ASK("to", NEEDED, 0, .use = OUT, .size = size, .count = e->n), *const right = e->right(e, to);
  if (right)
    memcpy(right, HOST(from), e->n * size);
  needs(e, PLAIN, 0, 0);
  return iw_memory_copy(CONTEXT, to, from, LENGTH_OF("to", 1, e->n * size));
}

/* ---- The rows ---------------------------------------------------------------------------------------- */

/* Environments that a row is for: with random values on two contexts only calls that have results, and one
 * that takes seconds, or is launched with kernels, not with fixed inputs either. */
enum { FOR_ARGUMENTS = 1, FOR_FIXED = 2, FOR_RANDOM = 4, FOR_ALL = 7 };
typedef struct row {
  const char *name; /* of the call, or of all that it makes: completeness() looks for them */
  iw_status (*run)(env *);
  unsigned forms, environments;
} row;

static const row rows[] = {
  { "iw_inclusive_scan", row_inclusive_scan, SCAN_FORMS, FOR_ALL },
  { "iw_exclusive_scan", row_exclusive_scan, SCAN_FORMS, FOR_ALL },
  { "iw_reduce", row_reduce, REDUCE_FORMS, FOR_ALL },
  { "iw_argmin", row_argmin, REDUCE_FORMS - 1, FOR_ALL },
  { "iw_argmax", row_argmax, REDUCE_FORMS - 1, FOR_ALL },
  { "iw_keys_by_value", row_keys_by_value, 1, FOR_ALL },
  { "iw_sum_exact", row_sum_exact, 1, FOR_ALL },
  { "iw_dot_exact", row_dot_exact, 1, FOR_ALL },
  { "iw_exact_sum_add", row_exact_sum_add, 1, FOR_ALL },
  { "iw_exact_sum_add_products", row_exact_sum_add_products, 1, FOR_ALL },
  { "iw_exact_sum_merge", row_exact_sum_merge, 1, FOR_ARGUMENTS | FOR_RANDOM },
  { "iw_exact_sum_round", row_exact_sum_round, 1, FOR_ARGUMENTS | FOR_RANDOM },
  { "iw_histogram", row_histogram, SPECS, FOR_ALL },
  { "iw_histogram_edges", row_histogram_edges, 2, FOR_ALL },
  { "iw_histogram_range", row_histogram_range, 2, FOR_ALL },
  { "iw_histogram_plan_make", row_histogram_plan_make, 1, FOR_ALL },
  { "iw_histogram_plan_get_info", row_histogram_plan_get_info, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_histogram", row_histogram_weighted, 2, FOR_ALL },
  { "iw_histogram", row_histogram_exact, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_histogram_rows", row_histogram_rows, 4, FOR_ALL },
  { "iw_histogram_channels", row_histogram_channels, 1, FOR_ALL },
  { "iw_digitize", row_digitize, 4, FOR_ALL },
  { "iw_histogram_nd", row_histogram_nd, 1, FOR_ALL },
  { "iw_histogram_nd", row_histogram_nd_weighted, 1, FOR_ALL },
  { "iw_histogram_project", row_histogram_project, 1, FOR_ALL },
  { "iw_histogram_power_edges", row_power_edges, 2, FOR_ALL },
  { "iw_growing_histogram_make", row_growing_make, 1, FOR_ARGUMENTS },
  { "iw_growing_histogram_add, iw_growing_histogram_merge, iw_growing_histogram_get_info, iw_growing_histogram_read", row_growing, 2,
    FOR_ALL },
  { "iw_partition", row_partition, PARTITION_FORMS, FOR_ALL },
  { "iw_select_if", row_select_if, SELECT_FORMS, FOR_ALL },
  { "iw_unique", row_unique, 1, FOR_ALL },
  { "iw_run_lengths", row_run_lengths, 1, FOR_ALL },
  { "iw_run_lengths_decode", row_run_lengths_decode, 1, FOR_ALL },
  { "iw_multisplit", row_multisplit, MULTISPLIT_FORMS, FOR_ALL },
  { "iw_sort", row_sort, SORT_FORMS, FOR_ALL },
  { "iw_argsort", row_argsort, 2, FOR_ALL },
  { "iw_bounds", row_bounds, 2, FOR_ALL },
  { "iw_is_sorted_until", row_is_sorted_until, 1, FOR_ALL },
  { "iw_merge", row_merge, 1, FOR_ALL },
  { "iw_top_k", row_top_k, 2, FOR_ALL },
  { "iw_nth_element", row_nth_element, 1, FOR_ALL },
  { "iw_context_open", row_context_open, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_context_get_info", row_context_get_info, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_context_reserve", row_context_reserve, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_context_set_stream", row_context_set_stream, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_context_synchronize", row_context_synchronize, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_context_measure_offload_threshold", row_context_threshold, 1, FOR_ARGUMENTS },
  { "iw_memory_allocate", row_memory_allocate, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_memory_free", row_memory_free, 1, FOR_ARGUMENTS | FOR_FIXED },
  { "iw_memory_copy", row_memory_copy, 1, FOR_ALL },
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

#endif
