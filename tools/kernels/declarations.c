/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of a preprocessed C file, and the names of the members of their argument structs. Only names
 * are read here: the compiler says what their types are (tools/kernels/compile.c). IW_KERNEL declares the
 * type iw_args_of_NAME for each kernel (language/sim/kernel.h), which leads to the struct. */
#include "kernels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct token {
  const char *at;
  size_t length;
} token;

typedef struct tokens {
  token *at;
  size_t count, capacity;
} tokens;

/* A struct at file scope: its tag, or none (length 0), and the tokens between its braces. */
typedef struct body {
  token tag;
  size_t first, end;
} body;

/* A name for another type, or for a struct without a tag. */
typedef struct alias {
  token name;
  size_t first, end; /* the tokens of the other type */
  size_t body;       /* index of the struct that the typedef declares, or NONE */
} alias;
#define NONE SIZE_MAX

typedef struct reader {
  tokens t;
  body *bodies;
  alias *aliases;
  size_t body_count, alias_count;
  declarations *result;
} reader;

static const char kernel_type[] = "iw_args_of_";

/* ---- Tokens ---- */

static int is(const token *t, const char *text)
{
  return t->length == strlen(text) && memcmp(t->at, text, t->length) == 0;
}

static int is_name(const token *t)
{
  return t->length > 0 && (isalpha((unsigned char)*t->at) || *t->at == '_');
}

static int same(const token *a, const token *b)
{
  return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

/* Notes the file of a line marker, # LINE "FILE" FLAGS. Flag 3 marks headers of the system. */
static void note_file(declarations *d, const char *at, const char *end)
{
  const char *const quote = memchr(at, '"', (size_t)(end - at));
  const char *stop = quote;
  if (quote == NULL)
    return;
  char *const name = need((size_t)(end - quote), 1);
  size_t length = 0;
  for (stop = quote + 1; stop < end && *stop != '"'; stop++) {
    if (*stop == '\\' && stop + 1 < end)
      stop++;
    name[length++] = *stop;
  }
  name[length] = '\0';
  int is_system = length == 0 || name[0] == '<';
  for (; stop < end; stop++)
    is_system |= *stop == '3';
  for (size_t i = 0; i < d->file_count && !is_system; i++)
    is_system = strcmp(d->files[i], name) == 0; /* or known */
  if (is_system) {
    free(name);
    return;
  }
  d->files = need_more(d->files, d->file_count + 1, sizeof *d->files);
  d->files[d->file_count++] = name;
}

static void add_token(tokens *t, const char *at, size_t length)
{
  if (t->count == t->capacity)
    t->at = need_more(t->at, t->capacity = t->capacity ? 2 * t->capacity : 1 << 14, sizeof *t->at);
  t->at[t->count++] = (token){ at, length };
}

static void read_tokens(reader *r, const char *text, size_t size)
{
  const char *at = text, *const end = text + size;
  int is_line_start = 1;
  while (at < end) {
    const char *const start = at;
    if (isspace((unsigned char)*at)) {
      is_line_start |= *at++ == '\n';
      continue;
    }
    if (*at == '#' && is_line_start) { /* a line marker or a pragma */
      const char *const line = memchr(at, '\n', (size_t)(end - at));
      at = line ? line : end;
      if (start + 2 < end && isdigit((unsigned char)start[2]))
        note_file(r->result, start, at);
      continue;
    }
    is_line_start = 0;
    at = token_end(start, end);
    add_token(&r->t, start, (size_t)(at - start));
  }
}

/* ---- Structs and typedefs ---- */

/* The token behind the bracket that closes the one at i. */
static size_t behind(const tokens *t, size_t i, size_t end)
{
  size_t depth = 0;
  for (; i < end; i++) {
    const char c = *t->at[i].at;
    depth += c == '(' || c == '[' || c == '{';
    if ((c == ')' || c == ']' || c == '}') && --depth == 0)
      return i + 1;
  }
  return end;
}

/* The token behind the attributes that begin at i. */
static size_t behind_attributes(const tokens *t, size_t i, size_t end)
{
  while (i + 1 < end &&
         (is(&t->at[i], "__attribute__") || is(&t->at[i], "__attribute") || is(&t->at[i], "_Alignas")) &&
         *t->at[i + 1].at == '(')
    i = behind(t, i + 1, end);
  return i;
}

/* If a struct or union begins at i: the token of its opening brace, and its tag. Else NONE. */
static size_t struct_at(const tokens *t, size_t i, size_t end, token *tag)
{
  *tag = (token){ NULL, 0 };
  if (!is(&t->at[i], "struct") && !is(&t->at[i], "union"))
    return NONE;
  i = behind_attributes(t, i + 1, end);
  if (i < end && is_name(&t->at[i])) {
    *tag = t->at[i];
    i = behind_attributes(t, i + 1, end);
  }
  return i < end && *t->at[i].at == '{' ? i : NONE;
}

/* Adds the names that a typedef [first, end) declares. made: the struct in it, or NONE, and the token behind
 * it. */
static void add_aliases(reader *r, size_t first, size_t end, size_t made, size_t behind_struct)
{
  const tokens *const t = &r->t;
  size_t name = NONE;
  for (size_t i = made == NONE ? first : behind_struct; i < end; i++) {
    i = behind_attributes(t, i, end);
    if (i < end && (*t->at[i].at == '(' || *t->at[i].at == '[' || *t->at[i].at == '*') && made == NONE)
      return; /* no struct */
    if (i < end && is_name(&t->at[i]))
      name = i;
    if (name == NONE || (i + 1 < end && *t->at[i + 1].at != ',') || *t->at[name - 1].at == '*')
      continue;
    r->aliases = need_more(r->aliases, r->alias_count + 1, sizeof *r->aliases);
    r->aliases[r->alias_count++] = (alias){ t->at[name], first, name, made };
    if (made == NONE)
      return;
  }
}

/* Notes the kernel if the typedef [first, end) is one of IW_KERNEL's. */
static void add_kernel(reader *r, size_t first, size_t end)
{
  const token *const name = &r->t.at[end - 1];
  const size_t prefix = sizeof kernel_type - 1;
  declarations *const d = r->result;
  if (end - first < 2 || name->length <= prefix || memcmp(name->at, kernel_type, prefix) != 0)
    return;
  d->kernels = need_more(d->kernels, d->kernel_count + 1, sizeof *d->kernels);
  d->kernels[d->kernel_count++] = (declared_kernel){ .name = copy_text(name->at + prefix, name->length - prefix) };
}

/* Reads one declaration at file scope; returns the token behind it. */
static size_t read_declaration(reader *r, size_t first)
{
  const tokens *const t = &r->t;
  size_t made = NONE, behind_struct = 0;
  while (first < t->count && is(&t->at[first], "__extension__"))
    first++;
  for (size_t i = first; i < t->count; i++) {
    token tag;
    const size_t brace = struct_at(t, i, t->count, &tag);
    if (brace != NONE) {
      behind_struct = behind(t, brace, t->count);
      made = r->body_count++;
      r->bodies = need_more(r->bodies, r->body_count, sizeof *r->bodies);
      r->bodies[made] = (body){ tag, brace + 1, behind_struct - 1 };
      i = behind_struct - 1;
      continue;
    }
    const char c = *t->at[i].at;
    if (c == '(' || c == '[') {
      i = behind(t, i, t->count) - 1;
    } else if (c == '{') { /* of an initialiser, an enum or a function */
      const int is_function = i > first && *t->at[i - 1].at == ')';
      i = behind(t, i, t->count) - 1;
      if (is_function)
        return i + 1;
    } else if (c == ';') {
      if (is(&t->at[first], "typedef")) {
        add_aliases(r, first + 1, i, made, behind_struct);
        add_kernel(r, first + 1, i);
      }
      return i + 1;
    }
  }
  return t->count;
}

/* The struct that a name of a type leads to, or NULL. */
static const body *find_body(const reader *r, const token *name, int is_tag)
{
  const tokens *const t = &r->t;
  for (size_t steps = 0; steps <= r->alias_count; steps++) {
    size_t i;
    if (is_tag) {
      for (i = 0; i < r->body_count && !same(&r->bodies[i].tag, name); i++)
        ;
      return i < r->body_count ? &r->bodies[i] : NULL;
    }
    for (i = 0; i < r->alias_count && !same(&r->aliases[i].name, name); i++)
      ;
    if (i == r->alias_count)
      return NULL;
    const alias *const a = &r->aliases[i];
    if (a->body != NONE)
      return &r->bodies[a->body];
    if (a->end == a->first)
      return NULL;
    name = &t->at[a->end - 1];
    is_tag = a->end - a->first > 1 && (is(&t->at[a->end - 2], "struct") || is(&t->at[a->end - 2], "union"));
  }
  return NULL;
}

/* ---- Members ---- */

/* The text of tokens, as it is usually written: "const float *in". */
static void append_text(char **text, const tokens *t, size_t first, size_t end)
{
  size_t length = *text ? strlen(*text) : 0;
  for (size_t i = first; i < end; i++) {
    const token *const a = &t->at[i];
    *text = need_more(*text, length + a->length + 2, 1);
    const int after_word = length > 0 && is_word((*text)[length - 1]);
    if (after_word && (is_name(a) || *a->at == '*' || *a->at == '('))
      (*text)[length++] = ' ';
    memcpy(*text + length, a->at, a->length);
    length += a->length;
    (*text)[length] = '\0';
  }
}

/* The name in a declarator, or NONE: the last word in front of brackets, or the one in (*name). */
static size_t declared_name(const tokens *t, size_t first, size_t end)
{
  size_t name = NONE;
  for (size_t i = first; i < end; i++) {
    i = behind_attributes(t, i, end);
    if (i >= end || *t->at[i].at == '[' || *t->at[i].at == ':')
      break;
    if (*t->at[i].at == '(')
      return declared_name(t, i + 1, behind(t, i, end) - 1);
    if (*t->at[i].at == '{') { /* a struct without a name may follow */
      i = behind(t, i, end) - 1;
      name = NONE;
    } else if (is_name(&t->at[i]))
      name = i;
  }
  return name;
}

/* Adds the members of one declaration of a struct: specifiers, then declarators with commas in between. */
static void add_members(const tokens *t, size_t first, size_t end, declared_kernel *kernel)
{
  size_t specifiers = NONE;
  if (first == end || is(&t->at[first], "_Static_assert"))
    return;
  for (size_t start = first; start < end; ) {
    size_t stop = start;
    while (stop < end && *t->at[stop].at != ',')
      stop = strchr("([{", *t->at[stop].at) ? behind(t, stop, end) : stop + 1;
    const size_t name = declared_name(t, start, stop);
    if (specifiers == NONE) { /* they end where the first declarator begins */
      specifiers = first;
      while (specifiers < stop && specifiers != name && !strchr("*(", *t->at[specifiers].at))
        specifiers = *t->at[specifiers].at == '{' ? behind(t, specifiers, stop) : specifiers + 1;
    }
    if (name != NONE) {
      member m = { .name = copy_text(t->at[name].at, t->at[name].length) };
      for (size_t i = name; i < stop; i++)
        m.is_bit_field |= *t->at[i].at == ':';
      append_text(&m.declaration, t, first, specifiers);
      append_text(&m.declaration, t, start == first ? specifiers : start, stop);
      kernel->members = need_more(kernel->members, kernel->member_count + 1, sizeof *kernel->members);
      kernel->members[kernel->member_count++] = m;
    }
    start = stop + 1;
  }
}

static void read_members(const reader *r, const body *b, declared_kernel *kernel)
{
  const tokens *const t = &r->t;
  for (size_t first = b->first; first < b->end; ) {
    size_t end = first;
    while (end < b->end && *t->at[end].at != ';')
      end = strchr("([{", *t->at[end].at) ? behind(t, end, b->end) : end + 1;
    add_members(t, first, end, kernel);
    first = end + 1;
  }
}

declarations read_declarations(const char *text, size_t size)
{
  declarations result = { .files = NULL };
  reader r = { .result = &result };
  read_tokens(&r, text, size);
  for (size_t i = 0; i < r.t.count; )
    i = read_declaration(&r, i);
  for (size_t k = 0; k < result.kernel_count; k++) {
    declared_kernel *const kernel = &result.kernels[k];
    char *const type = need(strlen(kernel->name) + sizeof kernel_type, 1);
    strcat(strcpy(type, kernel_type), kernel->name);
    const body *const b = find_body(&r, &(token){ type, strlen(type) }, 0);
    free(type);
    if (b != NULL)
      read_members(&r, b, kernel);
  }
  free(r.t.at);
  free(r.bodies);
  free(r.aliases);
  return result;
}
