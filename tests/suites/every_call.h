/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of rows.h with fixed inputs: for suites that ask what a call does beside its results, with
 * stacks, memory and faults. A call's outputs are compared with those of a call in another context. Nothing
 * here allocates during a call.
 */
#ifndef TESTS_EVERY_CALL_H
#define TESTS_EVERY_CALL_H

#include "rows.h"

/* The inputs, and an arena for the outputs of one call. */
enum { RAW_WIDTHS = 5 };
enum { SCRATCH = 64 };
typedef struct call_data {
  env env; /* first */
  size_t n;
  void *in[ELEMENT_TYPES];  /* by type: below the type's `hi` and a bit above */
  uint8_t *flags;
  void *raw[RAW_WIDTHS];    /* of 1, 2, 4, 8 and 16 bytes */
  char *arena;
  size_t capacity, used;
  unsigned choices;
  uint64_t scratch[SCRATCH], more_scratch[SCRATCH];
} call_data;

static const size_t raw_widths[RAW_WIDTHS] = { 1, 2, 4, 8, 16 };

static inline void *data_new(size_t bytes)
{
  void *const made = aligned_alloc(64, (bytes + 127) / 64 * 64);
  ck_assert_ptr_nonnull(made);
  return made;
}

static inline uint64_t digest_of(const void *memory, size_t bytes, uint64_t digest)
{
  const char *const at = memory;
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  return digest;
}

/* Of all inputs. */
static inline uint64_t digest_of_inputs(const call_data *d)
{
  uint64_t digest = digest_of(d->flags, d->n, 1);
  for (iw_type type = IW_U8; type <= IW_BF16; type++)
    digest = digest_of(d->in[type], d->n * iw_type_size(type), digest);
  for (unsigned w = 0; w < RAW_WIDTHS; w++)
    digest = digest_of(d->raw[w], d->n * raw_widths[w], digest);
  return digest;
}

/* ---- The environment --------------------------------------------------------------------------------- */

static inline void *fixed_pointer(env *e, const request *r)
{
  call_data *const d = (call_data *)e;
  const size_t bytes = r->size * r->count, room = (bytes + 63) / 64 * 64;
  if (r->kind >= READ || r->kind == NULL_ONLY || (r->use == VALUE && r->is_host) || (r->kind == NEEDED && r->use == NONE))
    return (void *)(uintptr_t)r->given;
  if (r->use == IN && !r->given) {
    unsigned w = 0;
    if ((int)r->type)
      return r->has_runs && r->type == IW_U8 ? d->flags : d->in[r->type];
    while (raw_widths[w] != r->size)
      w++;
    return d->raw[w];
  }
  void *const at = d->arena + d->used;
  d->used += room;
  ck_assert(d->used <= d->capacity);
  memset(at, 0, room);
  return r->given && bytes ? memcpy(at, r->given, bytes) : at;
}

static inline uint64_t fixed_number(env *e, const char *name, kind kind, size_t limit, uint64_t value)
{
  (void)e, (void)name, (void)kind, (void)limit;
  return value;
}

/* Other choices for each type and form, and the same each time. */
static inline uint64_t fixed_choose(env *e, uint64_t n)
{
  call_data *const d = (call_data *)e;
  return (uint64_t)(d->choices++ * 7 + (unsigned)e->type * 5 + e->form * 3) % n;
}

static inline word fixed_word(env *e, iw_type type)
{
  (void)e;
  return range_for(type).pivot;
}

static inline const void *fixed_host(env *e, const void *array) { (void)e; return array; }
static inline void fixed_has(env *e, const void *out, const size_t *count, size_t n, int is_tight)
{
  (void)e, (void)out, (void)count, (void)n, (void)is_tight;
}
static inline void fixed_found(env *e, uint64_t value)
{
  *(uint64_t *)fixed_pointer(e, &(request){ .kind = ALIGNED, .size = sizeof value, .count = 1, .given = &value }) = value;
}
static inline void fixed_reserve(env *e, size_t bytes) { (void)e, (void)bytes; }

/* Each form of each row. */
enum { MOST_CALLS = 200 };
typedef struct every_call { const char *name; const row *row; unsigned form; } every_call;
static every_call every_calls[MOST_CALLS];
static unsigned every_call_count;
static inline void list_calls(void)
{
  every_call_count = 0;
  for (unsigned k = 0; k < ROW_COUNT; k++)
    for (unsigned form = 0; form < rows[k].forms && rows[k].environments & FOR_FIXED; form++) {
      ck_assert(every_call_count < MOST_CALLS);
      every_calls[every_call_count++] = (every_call){ rows[k].name, &rows[k], form };
    }
}

static inline void call_data_make(call_data *d, size_t n)
{
  *d = (call_data){ .n = n, .capacity = 160 * n + (32 << 20) };
  d->env = (env){ .pointer = fixed_pointer, .number = fixed_number, .choose = fixed_choose, .word = fixed_word, .host = fixed_host,
                  .has = fixed_has, .reserve = fixed_reserve, .found = fixed_found, .right = no_right, .most_bins = 120000, .room = SCRATCH, .scratch = d->scratch,
                  .more_scratch = d->more_scratch, .n = n };
  start_random(7700 + n);
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    d->in[type] = data_new(n * iw_type_size(type));
    const uint64_t most = type == IW_U8 ? 210 : type == IW_I8 ? 110 : type == IW_BOOL ? 2 : type == IW_U16 ? 65000
      : type == IW_I16 ? 32000 : is_half(type) ? 1000 : 1000000;
    for (size_t i = 0; i < n; i++)
      put(type, d->in[type], i, word_of(type, (double)random_below(most)));
  }
  d->flags = data_new(n);
  for (size_t i = 0; i < n; i++)
    d->flags[i] = random_below(3) == 0;
  for (unsigned w = 0; w < RAW_WIDTHS; w++) {
    d->raw[w] = data_new(n * raw_widths[w]);
    for (size_t i = 0; i < n * raw_widths[w]; i++)
      ((unsigned char *)d->raw[w])[i] = (unsigned char)random_bits();
  }
  d->arena = data_new(d->capacity);
  list_calls();
}

static inline void call_data_free(call_data *d)
{
  for (iw_type type = IW_U8; type <= IW_BF16; type++)
    free(d->in[type]);
  for (unsigned w = 0; w < RAW_WIDTHS; w++)
    free(d->raw[w]);
  free(d->flags);
  free(d->arena);
}

/* ---- The calls --------------------------------------------------------------------------------------- */

/* Makes the call, without a look at its outputs. */
static inline iw_status make_fixed_call(const every_call *call, iw_context *c, iw_type type, call_data *d)
{
  d->used = d->choices = 0;
  d->env.context = d->env.host_context = c;
  d->env.type = type;
  d->env.form = call->form;
  return call->row->run(&d->env);
}

/* Makes the call. On success *digest is that of all outputs. */
static inline iw_status run_call(const every_call *call, iw_context *c, iw_type type, call_data *d, uint64_t *digest)
{
  const iw_status status = make_fixed_call(call, c, type, d);
  *digest = status == IW_OK ? digest_of(d->arena, d->used, 2) : 0;
  return status;
}

/* What to reserve for the call that was made last, with elements of this size. */
static inline size_t bytes_to_reserve(const env *e, size_t size)
{
  const size_t largest = e->n * (size > e->payload_reserved ? size : e->payload_reserved), bins = e->bins_reserved;
  const size_t plain = 2 * largest + 64 * bins + (1 << 20), more = 16 * (e->n + bins), most = 256 << 20;
  switch (e->formula) {
  case ND: return plain + (more < most ? more : most);
  case WEIGHTS: return plain + (more < most ? more : most) + 700 * bins;
  case SPLIT: return 2 * e->n * (size + e->payload_reserved) + 13 * e->n + 64 * bins + (1 << 20);
  case SORT: return 2 * e->n * (size + e->payload_reserved) + 20 * e->n + (1 << 20);
  case PLAIN: case ALLOCATES: break;
  }
  return plain;
}

/* What one call gives in all contexts. */
typedef struct expected_call { uint64_t digest; size_t reserve; /* 0: it allocates */ } expected_call;

/* Makes all calls in a context of one thread. */
static inline void expected_digests(call_data *d, expected_call expected[MOST_CALLS][ELEMENT_TYPES])
{
  iw_context *c;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  ck_assert_int_eq(iw_context_open(&c, &o), IW_OK);
  ck_assert_int_eq(iw_context_reserve(c, d->n * 8), IW_OK); /* for the calls in place */
  for (unsigned k = 0; k < every_call_count; k++)
    for (iw_type type = IW_U8; type <= IW_BF16; type++) {
      const iw_status status = run_call(&every_calls[k], c, type, d, &expected[k][type].digest);
      ck_assert_msg(status == IW_OK || status == NO_CALL, "%s of %s, form %u: %s", every_calls[k].name, iw_type_name(type),
                    every_calls[k].form, iw_message());
      expected[k][type].reserve = d->env.formula == ALLOCATES ? 0 : bytes_to_reserve(&d->env, iw_type_size(type));
    }
  iw_context_close(c);
}

#endif
