/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes C++ of CUDA C++ that has been preprocessed: launches become calls, shared arrays thread-local
 * variables (all threads of a block run on one thread of the system), and what cannot run is said with its
 * line. Text of system headers is copied. */
#include "kernels.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
  char *at;
  size_t size, capacity;
} text;

static void put(text *t, const char *from, size_t size)
{
  if (t->size + size + 1 > t->capacity) {
    t->capacity = 2 * (t->size + size) + 256;
    t->at = need_more(t->at, t->capacity, 1);
  }
  memcpy(t->at + t->size, from, size);
  t->size += size;
  t->at[t->size] = '\0';
}

static void put_text(text *t, const char *from) { put(t, from, strlen(from)); }

/* Where a token is in the output. */
typedef struct token { size_t from, to; } token;

typedef struct rewriter {
  const char *in, *end;
  text out;
  token *tokens;        /* of the statement that is read */
  size_t count, capacity;
  int is_user, line;    /* whether this is text of the user's; its line */
  char file[1024];
  cuda_kernels *kernels;
  const char *headers;  /* the folder of CUDA's headers */
} rewriter;

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the token that begins at `at`: a word, a number, a literal or one character. */
static const char *token_end(const char *at, const char *end)
{
  const char *c = at;
  if (is_word(*c)) {
    while (c < end && is_word(*c))
      c++;
    if (c < end && *c == '"' && c[-1] == 'R') { /* a raw string */
      const char *const open = memchr(c, '(', (size_t)(end - c));
      char close[32];
      if (open != NULL && open - c < 18) {
        snprintf(close, sizeof close, ")%.*s\"", (int)(open - c - 1), c + 1);
        const char *const found = memmem(open, (size_t)(end - open), close, strlen(close));
        return found != NULL ? found + strlen(close) : end;
      }
    }
    return c;
  }
  if (*c == '"' || *c == '\'') {
    for (c++; c < end && *c != *at && *c != '\n'; c++)
      if (*c == '\\' && c + 1 < end)
        c++;
    return c < end ? c + 1 : end;
  }
  return c + 1;
}

static int is_token(const char *at, const char *to, const char *word)
{
  return strlen(word) == (size_t)(to - at) && memcmp(at, word, (size_t)(to - at)) == 0;
}

/* "# 12 "file" 1 3" at the beginning of a line. */
static void read_marker(rewriter *r, const char *line, const char *end)
{
  char *after;
  const long number = strtol(line + 1, &after, 10);
  const char *const open = memchr(after, '"', (size_t)(end - after));
  const char *const close = open != NULL ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
  if (close == NULL)
    return;
  snprintf(r->file, sizeof r->file, "%.*s", (int)(close - open - 1), open + 1);
  r->line = (int)number - 1;
  r->is_user = 1;
  for (const char *c = close + 1; c < end; c++)
    if (*c == '3')
      r->is_user = 0;
  if (r->file[0] == '<' || strncmp(r->file, r->headers, strlen(r->headers)) == 0)
    r->is_user = 0;
}

/* Skips blanks, newlines and markers; the lines are counted. */
static const char *skip_blanks(rewriter *r, const char *at)
{
  while (at < r->end && isspace((unsigned char)*at)) {
    if (*at == '\n') {
      r->line++;
      if (at + 1 < r->end && at[1] == '#') {
        const char *const newline = memchr(at + 1, '\n', (size_t)(r->end - at - 1));
        const char *const end = newline != NULL ? newline : r->end;
        read_marker(r, at + 1, end);
        at = end;
        continue;
      }
    }
    at++;
  }
  return at;
}

_Noreturn static void refuse(const rewriter *r, const char *what)
{
  fail("%s:%d: the simulated GPU cannot run %s", r->file, r->line, what);
}

/* The end of a parenthesis that `at` opens. */
static const char *close_of(const char *at, const char *end)
{
  int depth = 0;
  for (const char *c = at; c < end; c = token_end(c, end)) {
    depth += strchr("([{", *c) != NULL;
    depth -= strchr(")]}", *c) != NULL;
    if (depth == 0)
      return c;
  }
  return end;
}

/* ---- Kernels ---- */

static void add_kernel(rewriter *r, const char *at, int is_template)
{
  const char *name = NULL, *name_end = NULL;
  for (at = skip_blanks(r, at); at < r->end && *at != '{' && *at != ';'; ) {
    const char *const to = token_end(at, r->end);
    if (is_token(at, to, "__attribute__") || is_token(at, to, "alignas")) {
      while (*at != '(')
        at++;
      at = close_of(at, r->end) + 1;
    } else if (*at == '(')
      break;
    else {
      if (isalpha((unsigned char)*at) || *at == '_')
        name = at, name_end = to;
      at = to;
    }
    while (at < r->end && isspace((unsigned char)*at))
      at++;
  }
  if (name == NULL || at >= r->end || *at != '(')
    return;
  cuda_kernels *const all = r->kernels;
  const size_t length = (size_t)(name_end - name);
  for (size_t i = 0; i < all->count; i++)
    if (strlen(all->at[i].name) == length && memcmp(all->at[i].name, name, length) == 0) {
      const char *const close = close_of(at, r->end);
      /* Two definitions with one name are overloaded: what is launched depends on the arguments. */
      const char *const known = all->at[i].parameters;
      all->at[i].is_template |= is_template || strlen(known) != (size_t)(close - at - 1) ||
                                memcmp(known, at + 1, (size_t)(close - at - 1)) != 0;
      return;
    }
  all->at = need_more(all->at, all->count + 1, sizeof *all->at);
  const char *const close = close_of(at, r->end);
  cuda_kernel *const k = &all->at[all->count++];
  const char *const body = skip_blanks(r, close < r->end ? close + 1 : r->end);
  *k = (cuda_kernel){ .body = body, .body_size = body < r->end && *body == '{' ? (size_t)(close_of(body, r->end) - body) : 0 };
  /* A call has default arguments, a pointer to a function has not. */
  k->is_template = is_template || memchr(at, '=', (size_t)(close - at)) != NULL;
  k->name = memcpy(memset(need(length + 1, 1), 0, length + 1), name, length);
  k->parameters =
    memcpy(memset(need((size_t)(close - at), 1), 0, (size_t)(close - at)), at + 1, (size_t)(close - at - 1));
}

/* __constant__ float name[N] = …; */
static void add_constant(rewriter *r, const char *at)
{
  cuda_kernels *const all = r->kernels;
  const char *name = NULL, *name_end = NULL;
  for (at = skip_blanks(r, at); at < r->end && strchr("[=;{(", *at) == NULL; at = skip_blanks(r, at)) {
    const char *const to = token_end(at, r->end);
    if (is_word(*at))
      name = at, name_end = to;
    at = to;
  }
  const size_t length = name != NULL ? (size_t)(name_end - name) : 0;
  while (at < r->end && *at == '[')
    at = skip_blanks(r, close_of(at, r->end) + 1);
  if (length == 0 || at >= r->end || *at == '(')
    return;
  all->constants = need_more(all->constants, all->constant_count + 1, sizeof *all->constants);
  all->constants[all->constant_count++] = (struct cuda_constant){
    memcpy(memset(need(length + 1, 1), 0, length + 1), name, length), *at == '=' || *at == '{'
  };
}

static const cuda_kernel *find_kernel(const cuda_kernels *all, const char *name, size_t length)
{
  for (size_t i = 0; i < all->count; i++)
    if (strlen(all->at[i].name) == length && memcmp(all->at[i].name, name, length) == 0)
      return &all->at[i];
  return NULL;
}

/* ---- Launches ---- */

/* The first token of the expression that ends with the last token: NAME, A::NAME, NAME<…>, NAME[…], A.NAME,
 * A->NAME, (…). */
static size_t first_of_callee(const rewriter *r)
{
  const char *const out = r->out.at;
  size_t k = r->count - 1;
  const char last = out[r->tokens[k].from];
  if (last == ')') {
    for (int depth = 0; ; k--) {
      depth += out[r->tokens[k].from] == ')';
      depth -= out[r->tokens[k].from] == '(';
      if (depth == 0 || k == 0)
        return k;
    }
  }
  if (last == ']')
    for (int depth = 0; k > 0; k--) {
      depth += out[r->tokens[k].from] == ']';
      depth -= out[r->tokens[k].from] == '[';
      if (depth == 0) {
        k--;
        break;
      }
    }
  if (last == '>') {
    for (int depth = 0; k > 0; k--) {
      depth += out[r->tokens[k].from] == '>';
      depth -= out[r->tokens[k].from] == '<';
      if (depth == 0)
        break;
    }
    k = k > 0 ? k - 1 : 0;
  }
  while (k >= 2 && out[r->tokens[k - 1].from] == ':' && out[r->tokens[k - 2].from] == ':') {
    k -= 2;
    if (k >= 1 && is_word(out[r->tokens[k - 1].from]) &&
        !is_token(out + r->tokens[k - 1].from, out + r->tokens[k - 1].to, "return"))
      k--;
  }
  if (k >= 2 && out[r->tokens[k - 1].from] == '.' && is_word(out[r->tokens[k - 2].from]))
    k -= 2;
  else if (k >= 3 && out[r->tokens[k - 1].from] == '>' && out[r->tokens[k - 2].from] == '-' && is_word(out[r->tokens[k - 3].from]))
    k -= 3;
  return k;
}

static const char *rewrite_launch(rewriter *r, const char *at)
{
  const char *c = at + 3, *close = NULL;
  int depth = 0;
  if (r->count == 0)
    refuse(r, "a launch without a kernel");
  for (; c < r->end && close == NULL; c = token_end(c, r->end)) {
    depth += strchr("([{", *c) != NULL;
    depth -= strchr(")]}", *c) != NULL;
    if (depth == 0 && r->end - c > 3 && memcmp(c, ">>>", 3) == 0)
      close = c;
  }
  if (close == NULL)
    refuse(r, "a launch whose '<<<' has no '>>>'");
  const size_t k = first_of_callee(r), from = r->tokens[k].from, length = r->out.size - from;
  char *const callee = memcpy(memset(need(length + 1, 1), 0, length + 1), r->out.at + from, length);
  char *name_end = callee + length;
  while (name_end > callee && isspace((unsigned char)name_end[-1]))
    *--name_end = '\0';
  /* The name without qualifiers and template arguments. */
  const char *base = callee;
  size_t base_length = strlen(callee);
  const char *const angle = strchr(callee, '<');
  if (angle != NULL)
    base_length = (size_t)(angle - callee);
  while (base_length > 0 && isspace((unsigned char)base[base_length - 1]))
    base_length--;
  for (size_t i = base_length; i > 0 && is_word(callee[i - 1]); i--)
    base = callee + i - 1;
  base_length -= (size_t)(base - callee);
  const cuda_kernel *const kernel = find_kernel(r->kernels, base, base_length);
  r->out.size = from;
  r->count = k;
  put_text(&r->out, "iw_simt::config(");
  put(&r->out, at + 3, (size_t)(close - at - 3));
  if ((kernel != NULL && kernel->is_template) || (kernel == NULL && angle != NULL)) {
    put_text(&r->out, ").of_template([](auto... iw_a) { ");
    put_text(&r->out, callee);
    put_text(&r->out, "(iw_a...); }, \"");
  } else {
    put_text(&r->out, ").plain(");
    put_text(&r->out, callee);
    put_text(&r->out, ", \"");
  }
  put(&r->out, base, base_length);
  put_text(&r->out, "\")");
  free(callee);
  for (const char *n = at; n < close; n++)
    r->line += *n == '\n';
  return close + 3;
}

/* ---- Shared memory ---- */

static void put_without_words(text *t, const char *from, const char *end, int *is_extern)
{
  while (from < end) {
    const char *const to = token_end(from, end);
    if (is_token(from, to, "extern") || is_token(from, to, "__iw_shared__"))
      *is_extern |= is_token(from, to, "extern");
    else if (is_token(from, to, "__attribute__") || is_token(from, to, "alignas")) {
      while (from < end && *from != '(')
        from++;
      from = close_of(from, end) + 1;
      continue;
    } else
      put(t, from, (size_t)(to - from));
    from = to;
  }
}

/* extern __shared__ T x[]; is a pointer to the block's dynamic shared memory. */
static const char *rewrite_shared(rewriter *r, const char *at, const char *to)
{
  const size_t from = r->count > 0 ? r->tokens[0].from : r->out.size;
  const char *const end = memchr(to, ';', (size_t)(r->end - to));
  int is_extern = 0;
  text type = { 0 };
  const char *after = skip_blanks(r, to);
  for (size_t i = 0; i < r->count; i++)
    is_extern |= is_token(r->out.at + r->tokens[i].from, r->out.at + r->tokens[i].to, "extern");
  is_extern |= (size_t)(r->end - after) > 6 && memcmp(after, "extern", 6) == 0 && !is_word(after[6]);
  if (!is_extern || end == NULL) {
    put_text(&r->out, "thread_local");
    return to;
  }
  const char *open = after;
  for (; open < end && *open != '['; open = token_end(open, end))
    if (*open == '(')
      open = close_of(open, end);
  const char *name_end = open, *name;
  while (name_end > after && isspace((unsigned char)name_end[-1]))
    name_end--;
  for (name = name_end; name > after && is_word(name[-1]); name--)
    ;
  if (open >= end || name == name_end)
    refuse(r, "an extern __shared__ variable that is no array");
  put_without_words(&type, r->out.at + from, r->out.at + r->out.size, &is_extern);
  put_text(&type, " ");
  put_without_words(&type, after, name, &is_extern);
  const char *const dimensions = close_of(open, end) + 1;
  const int size = (int)(end - dimensions);
  r->out.size = from;
  char *const buffer = need(2 * type.size + 2 * (size_t)size + (size_t)(name_end - name) + 200, 1);
  if (size > 0 && memchr(dimensions, '[', (size_t)size) != NULL)
    sprintf(buffer, "__attribute__((unused)) static %s (*const %.*s)%.*s = (%s (*)%.*s)iw_simt_dynamic",
            type.at, (int)(name_end - name), name, size, dimensions, type.at, size, dimensions);
  else
    sprintf(buffer, "__attribute__((unused)) static %s *const %.*s = (%s *)iw_simt_dynamic", type.at,
            (int)(name_end - name), name, type.at);
  put_text(&r->out, buffer);
  for (const char *n = at; n < end; n++)
    if (*n == '\n') {
      put_text(&r->out, "\n");
    }
  free(buffer);
  free(type.at);
  return end;
}

/* ---- Words ---- */

/* (void *)kernel, as the first argument of a launch: the types of the parameters are needed. */
static const char *skip_cast(const char *at, const char *end)
{
  const char *c = at;
  while (c < end && isspace((unsigned char)*c))
    c++;
  if (c >= end || *c != '(')
    return at;
  const char *const open = c++;
  while (c < end && isspace((unsigned char)*c))
    c++;
  if (c >= end || *c != '(')
    return at;
  const char *const close = close_of(c, end);
  const size_t length = (size_t)(close - c);
  if (length > 24 || memmem(c, length, "void", 4) == NULL || memchr(c, '*', length) == NULL)
    return at;
  (void)open;
  return close + 1;
}

static const char *rewrite_word(rewriter *r, const char *at, const char *to)
{
  static const struct { const char *word, *what;
  } cannot[] = {
    { "asm", "inline PTX (asm)" },
    { "__asm__", "inline PTX (asm)" },
    { "__asm", "inline PTX (asm)" },
    { "texture", "textures" },
    { "tex1Dfetch", "textures" },
    { "tex1D", "textures" },
    { "tex2D", "textures" },
    { "tex3D", "textures" },
    { "surf2Dwrite", "surfaces" },
    { "cudaTextureObject_t", "textures" },
    { "cudaSurfaceObject_t", "surfaces" },
    { "nvcuda", "tensor cores (wmma)" },
    { "cudaGraphAddKernelNode", "graphs that are made of nodes; it runs those of a captured stream (cudaStreamBeginCapture)" },
  };
  static const char *const libraries[] = {
    "thrust",         "cub",    "cublasCreate", "cublasCreate_v2", "curandCreateGenerator", "cufftPlan1d",
    "cusparseCreate", "cutlass"
  };
  const char *const next = skip_blanks(&(rewriter){ .in = r->in, .end = r->end, .headers = r->headers }, to);
  for (size_t i = 0; i < sizeof cannot / sizeof *cannot; i++)
    if (is_token(at, to, cannot[i].word) && (i < 3 || i > 3 || *next == '<'))
      refuse(r, cannot[i].what);
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (is_token(at, to, libraries[i]) && (*next == ':' || *next == '('))
      fail("%s:%d: the simulated GPU cannot run code of libraries such as %s", r->file, r->line,
           libraries[i]);
  if (is_token(at, to, "__iw_global__")) {
    const int is_template =
      r->count > 0 && is_token(r->out.at + r->tokens[0].from, r->out.at + r->tokens[0].to, "template");
    rewriter ahead = *r;
    add_kernel(&ahead, to, is_template);
    return to;
  }
  /* Within __attribute__((…)) it is the compiler's. */
  if (is_token(at, to, "__noinline__") && (r->count == 0 || strchr("(,", r->out.at[r->tokens[r->count - 1].from]) == NULL)) {
    put_text(&r->out, "__attribute__((noinline))");
    return to;
  }
  if (is_token(at, to, "__iw_constant__")) {
    rewriter ahead = *r;
    add_constant(&ahead, to);
    return to;
  }
  if (is_token(at, to, "__iw_shared__"))
    return rewrite_shared(r, at, to);
  if (is_token(at, to, "cudaLaunchCooperativeKernel") || is_token(at, to, "cudaLaunchKernel")) {
    put(&r->out, at, (size_t)(to - at));
    const char *const after = skip_cast(to, r->end);
    if (after != to)
      put_text(&r->out, "(");
    return after;
  }
  if (is_token(at, to, "main") && *next == '(' && r->count > 0 && r->kernels->main_line == 0 &&
      is_token(r->out.at + r->tokens[r->count - 1].from, r->out.at + r->tokens[r->count - 1].to, "int"))
    r->kernels->main_line = r->line;
  r->tokens =
    need_more(r->tokens, r->count + 1 > r->capacity ? r->capacity = 2 * r->count + 64 : r->capacity,
              sizeof *r->tokens);
  r->tokens[r->count++] = (token){ r->out.size, r->out.size + (size_t)(to - at) };
  put(&r->out, at, (size_t)(to - at));
  return to;
}

static void rewrite_user(rewriter *r, const char *at, const char *to)
{
  r->end = to;
  if (*at == '#') {
    const char *const newline = memchr(at, '\n', (size_t)(to - at));
    read_marker(r, at, newline != NULL ? newline : to);
    put(&r->out, at, (size_t)((newline != NULL ? newline : to) - at));
    at = newline != NULL ? newline : to;
  }
  while (at < to) {
    if (isspace((unsigned char)*at)) {
      if (*at == '\n') {
        r->line++;
        const char *const newline =
          at + 1 < to && at[1] == '#' ? memchr(at + 1, '\n', (size_t)(to - at - 1)) : NULL;
        if (newline != NULL) { /* a marker */
          read_marker(r, at + 1, newline);
          put(&r->out, at, (size_t)(newline - at));
          at = newline;
          continue;
        }
      }
      put(&r->out, at++, 1);
      continue;
    }
    if (to - at > 3 && memcmp(at, "<<<", 3) == 0) {
      at = rewrite_launch(r, at);
      continue;
    }
    const char *const end = token_end(at, to);
    if (is_word(*at)) {
      at = rewrite_word(r, at, end);
      continue;
    }
    if (r->count + 1 > r->capacity)
      r->tokens = need_more(r->tokens, r->capacity = 2 * r->count + 64, sizeof *r->tokens);
    r->tokens[r->count++] = (token){ r->out.size, r->out.size + (size_t)(end - at) };
    put(&r->out, at, (size_t)(end - at));
    if (*at == ';' || *at == '{' || *at == '}')
      r->count = 0;
    at = end;
  }
}

char *rewrite_launches(const char *in, size_t size, const char *headers, cuda_kernels *kernels,
                       size_t *out_size)
{
  rewriter r = { .in = in, .headers = headers, .end = in + size, .kernels = kernels, .is_user = 0 };
  const char *const end = in + size;
  const char *at = in;
  while (at < end) {
    /* As far as text of one kind goes. */
    const char *to = at;
    int kind = r.is_user;
    rewriter ahead = r;
    while (to < end) {
      const char *const newline = memchr(to, '\n', (size_t)(end - to));
      const char *const next = newline != NULL ? newline + 1 : end;
      if (*to == '#') {
        read_marker(&ahead, to, next);
        if (ahead.is_user != kind && to > at)
          break;
        kind = ahead.is_user;
      }
      to = next;
    }
    if (kind)
      rewrite_user(&r, at, to);
    else
      put(&r.out, at, (size_t)(to - at));
    if (*at == '#' && !kind)
      read_marker(&r, at, to);
    r.is_user = kind;
    if (to < end && *to == '#') {
      const char *const newline = memchr(to, '\n', (size_t)(end - to));
      const char *const next = newline != NULL ? newline + 1 : end;
      read_marker(&r, to, next);
      put(&r.out, to, (size_t)(next - to));
      to = next;
      r.line++;
    }
    at = to;
  }
  free(r.tokens);
  *out_size = r.out.size;
  return r.out.at;
}
