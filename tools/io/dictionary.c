/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for texts: each text that differs from all before it gets the next number. A hash table with
 * linear probing, and the texts one after the other. */
#include "input.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dictionary {
  char *texts;             /* each with its 0 */
  size_t size, capacity;   /* bytes of texts */
  size_t *starts;          /* by number */
  uint32_t count;
  uint32_t *slots;         /* number + 1, or 0; a power of two of them, at least twice count */
  size_t slot_count;
};

dictionary *dictionary_make(void)
{
  dictionary *const d = need(1, sizeof *d);
  *d = (dictionary){ .slot_count = 1024 };
  d->slots = memset(need(d->slot_count, sizeof *d->slots), 0, d->slot_count * sizeof *d->slots);
  d->starts = need(d->slot_count / 2, sizeof *d->starts);
  return d;
}

void dictionary_free(dictionary *d)
{
  if (d == NULL)
    return;
  free(d->texts);
  free(d->starts);
  free(d->slots);
  free(d);
}

size_t dictionary_count(const dictionary *d)
{
  return d->count;
}

const char *dictionary_text(const dictionary *d, size_t number)
{
  return d->texts + d->starts[number];
}

static uint64_t hash(const char *text, size_t length) /* FNV-1a, of 64 bits */
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 32;
}

/* The slot that has the text, or the empty one for it. */
static uint32_t *find_slot(const dictionary *d, const char *text, size_t length)
{
  for (size_t i = hash(text, length);; i++) {
    uint32_t *const slot = &d->slots[i & (d->slot_count - 1)];
    if (*slot == 0)
      return slot;
    const char *const there = dictionary_text(d, *slot - 1);
    if (strncmp(there, text, length) == 0 && there[length] == '\0')
      return slot;
  }
}

static void grow(dictionary *d)
{
  free(d->slots);
  d->slot_count *= 2;
  d->slots = memset(need(d->slot_count, sizeof *d->slots), 0, d->slot_count * sizeof *d->slots);
  d->starts = need_more(d->starts, d->slot_count / 2, sizeof *d->starts);
  for (uint32_t i = 0; i < d->count; i++) {
    const char *const text = dictionary_text(d, i);
    *find_slot(d, text, strlen(text)) = i + 1;
  }
}

uint32_t dictionary_add(dictionary *d, const char *text, size_t length)
{
  const char *const end = memchr(text, '\0', length); /* a text ends at its first 0 */
  length = end != NULL ? (size_t)(end - text) : length;
  uint32_t *slot = find_slot(d, text, length);
  if (*slot != 0)
    return *slot - 1;
  if (d->count == UINT32_MAX - 1)
    fail("there are more than %u different keys", UINT32_MAX - 1);
  if (d->count + (size_t)1 > d->slot_count / 2) {
    grow(d);
    slot = find_slot(d, text, length);
  }
  if (d->size + length + 1 > d->capacity)
    d->texts = need_more(d->texts, d->capacity = 2 * (d->size + length + 1), 1);
  memcpy(d->texts + d->size, text, length);
  d->texts[d->size + length] = '\0';
  d->starts[d->count] = d->size;
  d->size += length + 1;
  return (*slot = ++d->count) - 1;
}

/* ---- Their order ---- */

typedef struct ranked_text {
  const char *text, *plain; /* plain: a number as C writes it */
  double number;
  int is_number; /* all are, or none */
  uint32_t index;
} ranked_text;

/* A decimal number: 0.DIGITS times 10^power, with a point anywhere. digits: NULL of one that is hexadecimal
 * or infinite. */
typedef struct decimal {
  int is_negative;
  const char *digits;
  long long power;
} decimal;

static decimal decimal_of(const char *text)
{
  decimal d = { .is_negative = *text == '-' };
  text += *text == '-' || *text == '+';
  const char *const exponent = strpbrk(text, "eE");
  if ((!isdigit((unsigned char)*text) && *text != '.') || strpbrk(text, "xX") != NULL)
    return d;
  d.power = (long long)strspn(text, "0123456789") + (exponent != NULL ? strtoll(exponent + 1, NULL, 10) : 0);
  for (; *text == '0' || *text == '.'; text++)
    d.power -= *text == '0';
  d.digits = text;
  return d;
}

/* The next digit of a decimal, or '0' behind its end. */
static char next_digit(const char **at)
{
  *at += **at == '.';
  return isdigit((unsigned char)**at) ? *(*at)++ : '0';
}

/* Compares numbers that are equal as f64 by all their digits. Those that are not decimal come first. */
static int compare_digits(const char *x, const char *y)
{
  decimal a = decimal_of(x), b = decimal_of(y);
  int order = a.power < b.power ? -1 : a.power > b.power;
  if (a.digits == NULL || b.digits == NULL)
    return (a.digits != NULL) - (b.digits != NULL);
  if (a.is_negative != b.is_negative)
    return b.is_negative - a.is_negative;
  while (order == 0 && (isdigit((unsigned char)*a.digits) || isdigit((unsigned char)*b.digits)))
    order = next_digit(&a.digits) - next_digit(&b.digits);
  return a.is_negative ? -order : order;
}

static int ascending(const void *a, const void *b)
{
  const ranked_text *const x = a, *const y = b;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  const int order = x->is_number ? compare_digits(x->plain, y->plain) : 0;
  return order != 0 ? order : strcmp(x->text, y->text);
}

uint32_t *dictionary_ranks(const dictionary *d, const dialect *dialect)
{
  ranked_text *const texts = need(d->count, sizeof *texts);
  uint32_t *const ranks = need(d->count, sizeof *ranks);
  char *const plain = need(d->size + 1, 1), *to = plain; /* which are at most as long */
  int are_numbers = 1;
  for (uint32_t i = 0; i < d->count; i++) {
    const char *const text = dictionary_text(d, i);
    const size_t length = copy_number(dialect, text, text + strlen(text), to);
    value v = { .f64 = 0 };
    are_numbers &= length > 0 && parse_value(IW_F64, to, to + length, &v) == NULL && !isnan(v.f64);
    texts[i] = (ranked_text){ .text = text, .plain = to, .number = v.f64, .index = i };
    to += strlen(text) + 1;
  }
  for (uint32_t i = 0; i < d->count; i++) {
    texts[i].is_number = are_numbers;
    texts[i].number = are_numbers ? texts[i].number : 0;
  }
  qsort(texts, d->count, sizeof *texts, ascending);
  for (uint32_t i = 0; i < d->count; i++)
    ranks[texts[i].index] = i;
  free(texts);
  free(plain);
  return ranks;
}
