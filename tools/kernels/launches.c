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

int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

const char *token_end(const char *at, const char *end)
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

static int is_text(const char *word, const char *at, size_t length)
{
  return strlen(word) == length && memcmp(at, word, length) == 0;
}

static int is_token(const char *at, const char *to, const char *word) { return is_text(word, at, (size_t)(to - at)); }

/* "# 12 "file" 1 3" at the beginning of a line. */
static void read_marker(rewriter *r, const char *line, const char *end)
{
  char *after;
  const long number = strtol(line + 1, &after, 10);
  const char *const open = memchr(after, '"', (size_t)(end - after));
  const char *const close = open != NULL ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
  if (close == NULL || after == line + 1) /* "#pragma" */
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

static cuda_kernel *find_kernel(const cuda_kernels *all, const char *name, size_t length)
{
  for (size_t i = 0; i < all->count; i++)
    if (is_text(all->at[i].name, name, length))
      return &all->at[i];
  return NULL;
}

/* The word in front of the first of `ends`, without attributes; *to: its end, *at: what follows. */
static const char *last_word(rewriter *r, const char **at, const char **to, const char *ends)
{
  const char *name = NULL;
  for (const char *c = *at = skip_blanks(r, *at); c < r->end && strchr(ends, *c) == NULL; *at = c = skip_blanks(r, c)) {
    const char *const end = token_end(c, r->end);
    if (is_token(c, end, "__attribute__") || is_token(c, end, "alignas")) {
      c = close_of(skip_blanks(r, end), r->end) + 1;
      continue;
    }
    if (isalpha((unsigned char)*c) || *c == '_')
      name = c, *to = end;
    c = end;
  }
  return name;
}

static void add_kernel(rewriter *r, const char *at, int is_template)
{
  const char *name_end;
  const char *const name = last_word(r, &at, &name_end, "({;");
  if (name == NULL || at >= r->end || *at != '(')
    return;
  cuda_kernels *const all = r->kernels;
  const size_t length = (size_t)(name_end - name);
  const char *const close = close_of(at, r->end);
  cuda_kernel *const known = find_kernel(all, name, length);
  if (known != NULL) {
    /* Two definitions with one name are overloaded: what is launched depends on the arguments. */
    known->is_template |= is_template || !is_text(known->parameters, at + 1, (size_t)(close - at - 1));
    return;
  }
  const char *const body = skip_blanks(r, close < r->end ? close + 1 : r->end);
  const int line = r->line;
  const char *const first = body < r->end && *body == '{' ? skip_blanks(r, body + 1) : r->end;
  if (first < r->end && *first == '}' && memchr(body, '\n', (size_t)(first - body)) != NULL)
    fprintf(stderr, "isowarp: note: %s:%d: nothing of the kernel %.*s is compiled; __CUDA_ARCH__, if #if asks for it, is "
            "defined by CXXFLAGS=-D__CUDA_ARCH__=900\n", r->file, line, (int)length, name);
  all->at = need_more(all->at, all->count + 1, sizeof *all->at);
  all->at[all->count++] = (cuda_kernel){
    .name = copy_text(name, length), .parameters = copy_text(at + 1, (size_t)(close - at - 1)), .body = body,
    .body_size = body < r->end && *body == '{' ? (size_t)(close_of(body, r->end) - body) : 0,
    /* A call has default arguments, a pointer to a function has not. */
    .is_template = is_template || memchr(at, '=', (size_t)(close - at)) != NULL
  };
}

/* __constant__ float name[N] = …; */
static void add_constant(rewriter *r, const char *at)
{
  cuda_kernels *const all = r->kernels;
  const char *name_end;
  const char *const name = last_word(r, &at, &name_end, "[=;{(");
  while (at < r->end && *at == '[')
    at = skip_blanks(r, close_of(at, r->end) + 1);
  if (name == NULL || at >= r->end || *at == '(')
    return;
  all->constants = need_more(all->constants, all->constant_count + 1, sizeof *all->constants);
  all->constants[all->constant_count++] =
    (struct cuda_constant){ copy_text(name, (size_t)(name_end - name)), *at == '=' || *at == '{' };
}

/* ---- Launches ---- */

/* A token of the statement: its first letter, and whether it is a word. */
static char letter(const rewriter *r, size_t k) { return r->out.at[r->tokens[k].from]; }
static int is_word_at(const rewriter *r, size_t k, const char *word)
{
  return is_token(r->out.at + r->tokens[k].from, r->out.at + r->tokens[k].to, word);
}

/* The token that opens what token k closes. */
static size_t opener(const rewriter *r, size_t k, char open)
{
  const char close = letter(r, k);
  for (int depth = 0; k > 0; k--) {
    depth += letter(r, k) == close;
    depth -= letter(r, k) == open;
    if (depth == 0)
      break;
  }
  return k;
}

/* The first token of the expression that ends with the last token: NAME, A::NAME, NAME<…>, NAME[…], A.NAME,
 * A->NAME, (…). */
static size_t first_of_callee(const rewriter *r)
{
  size_t k = r->count - 1;
  if (letter(r, k) == ')')
    return opener(r, k, '(');
  if ((letter(r, k) == ']' || letter(r, k) == '>') && k > 0) {
    k = opener(r, k, letter(r, k) == ']' ? '[' : '<');
    k -= k > 0;
  }
  while (k >= 2 && letter(r, k - 1) == ':' && letter(r, k - 2) == ':') {
    k -= 2;
    if (k >= 1 && is_word(letter(r, k - 1)) && !is_word_at(r, k - 1, "return"))
      k--;
  }
  if (k >= 2 && letter(r, k - 1) == '.' && is_word(letter(r, k - 2)))
    k -= 2;
  else if (k >= 3 && letter(r, k - 1) == '>' && letter(r, k - 2) == '-' && is_word(letter(r, k - 3)))
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
  const size_t k = first_of_callee(r), from = r->tokens[k].from;
  char *const callee = copy_text(r->out.at + from, r->out.size - from);
  for (size_t n = strlen(callee); n > 0 && isspace((unsigned char)callee[n - 1]); n--)
    callee[n - 1] = '\0';
  /* The name without qualifiers and template arguments. */
  const char *const angle = strchr(callee, '<');
  const char *base_end = angle != NULL ? angle : strchr(callee, '\0');
  while (base_end > callee && isspace((unsigned char)base_end[-1]))
    base_end--;
  const char *base = base_end;
  while (base > callee && is_word(base[-1]))
    base--;
  const size_t base_length = (size_t)(base_end - base);
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
    is_extern |= is_word_at(r, i, "extern");
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
  /* T *const x, or for T x[][N]: T (*const x)[N] */
  const int is_flat = memchr(dimensions, '[', (size_t)size) == NULL, length = (int)(name_end - name);
  const char *const open_star = is_flat ? "*" : "(*", *const close_star = is_flat ? "" : ")";
  char *const buffer = need(2 * type.size + 2 * (size_t)size + (size_t)length + 200, 1);
  sprintf(buffer, "__attribute__((unused)) static %s %sconst %.*s%s%.*s = (%s %s%s%.*s)iw_simt_dynamic", type.at, open_star,
          length, name, close_star, is_flat ? 0 : size, dimensions, type.at, open_star, close_star, is_flat ? 0 : size,
          dimensions);
  put_text(&r->out, buffer);
  for (const char *n = at; n < end; n++)
    if (*n == '\n')
      put_text(&r->out, "\n");
  free(buffer);
  free(type.at);
  return end;
}

/* ---- Words ---- */

/* (void *)kernel, as the first argument of a launch: the types of the parameters are needed. */
static const char *skip_cast(rewriter *r, const char *at)
{
  const char *const open = skip_blanks(r, at);
  const char *const cast = open < r->end && *open == '(' ? skip_blanks(r, open + 1) : r->end;
  if (cast >= r->end || *cast != '(')
    return at;
  const char *const close = close_of(cast, r->end);
  const size_t length = (size_t)(close - cast);
  return length > 24 || memmem(cast, length, "void", 4) == NULL || memchr(cast, '*', length) == NULL ? at : close + 1;
}

static void add_token(rewriter *r, const char *at, const char *to)
{
  if (r->count + 1 > r->capacity)
    r->tokens = need_more(r->tokens, r->capacity = 2 * r->count + 64, sizeof *r->tokens);
  r->tokens[r->count++] = (token){ r->out.size, r->out.size + (size_t)(to - at) };
  put(&r->out, at, (size_t)(to - at));
}

static const char *rewrite_word(rewriter *r, const char *at, const char *to)
{
  /* after: what has to follow; 0: anything. */
  static const struct { const char *word, *after, *what; } cannot[] = {
    { "asm", 0, "inline PTX (asm)" }, { "__asm__", 0, "inline PTX (asm)" }, { "__asm", 0, "inline PTX (asm)" },
    { "texture", "<", "textures" }, { "tex1Dfetch", 0, "textures" }, { "tex1D", 0, "textures" }, { "tex2D", 0, "textures" },
    { "tex3D", 0, "textures" }, { "cudaTextureObject_t", 0, "textures" }, { "surf2Dwrite", 0, "surfaces" },
    { "cudaSurfaceObject_t", 0, "surfaces" }, { "nvcuda", 0, "tensor cores (wmma)" },
    { "cudaGraphAddKernelNode", 0,
      "graphs that are made of nodes; it runs those of a captured stream (cudaStreamBeginCapture)" },
    { "thrust", ":(", "Thrust" }, { "cub", ":(", "CUB" }, { "cublasCreate", ":(", "cuBLAS" },
    { "cublasCreate_v2", ":(", "cuBLAS" }, { "curandCreateGenerator", ":(", "cuRAND" }, { "cufftPlan1d", ":(", "cuFFT" },
    { "cusparseCreate", ":(", "cuSPARSE" }, { "cutlass", ":(", "CUTLASS" }
  };
  rewriter ahead = *r;
  const char *const next = skip_blanks(&ahead, to);
  ahead = *r;
  for (size_t i = 0; i < sizeof cannot / sizeof *cannot; i++)
    if (is_token(at, to, cannot[i].word) && (cannot[i].after == NULL || (next < r->end && strchr(cannot[i].after, *next) != NULL)))
      refuse(r, cannot[i].what);
  if (is_token(at, to, "__iw_global__")) {
    add_kernel(&ahead, to, r->count > 0 && is_word_at(r, 0, "template"));
    return to;
  }
  /* Within __attribute__((…)) it is the compiler's. */
  if (is_token(at, to, "__noinline__") && (r->count == 0 || strchr("(,", letter(r, r->count - 1)) == NULL)) {
    put_text(&r->out, "__attribute__((noinline))");
    return to;
  }
  if (is_token(at, to, "__iw_constant__")) {
    add_constant(&ahead, to);
    return to;
  }
  if (is_token(at, to, "__iw_shared__"))
    return rewrite_shared(r, at, to);
  if (is_token(at, to, "cudaLaunchCooperativeKernel") || is_token(at, to, "cudaLaunchKernel")) {
    put(&r->out, at, (size_t)(to - at));
    const char *const after = skip_cast(&ahead, to);
    if (after != to)
      put_text(&r->out, "(");
    return after;
  }
  if (is_token(at, to, "__syncthreads") && next < r->end && *next == '(') {
    /* Each has a number, as a compiler may make several calls of one, and one call of several. */
    const char *const close = skip_blanks(&ahead, next + 1);
    char call[40];
    if (close < r->end && *close == ')') {
      snprintf(call, sizeof call, "__syncthreads(%u)", ++r->kernels->barriers);
      put_text(&r->out, call);
      for (const char *n = to; n < close; n++)
        if (*n == '\n')
          r->line++, put_text(&r->out, "\n");
      return close + 1;
    }
  }
  if (is_token(at, to, "main") && *next == '(' && r->count > 0 && r->kernels->main_line == 0 &&
      is_word_at(r, r->count - 1, "int"))
    r->kernels->main_line = r->line;
  add_token(r, at, to);
  return to;
}

char *rewrite_launches(const char *in, size_t size, const char *headers, cuda_kernels *kernels, size_t *out_size)
{
  rewriter r = { .in = in, .headers = headers, .end = in + size, .kernels = kernels };
  for (const char *at = in; at < r.end; ) {
    const char *const newline = memchr(at, '\n', (size_t)(r.end - at));
    const char *const line_end = newline != NULL ? newline + 1 : r.end;
    const int begins_line = at == in || at[-1] == '\n';
    if (begins_line && (*at == '#' || !r.is_user)) { /* a marker, or a line of other text */
      if (*at == '#')
        read_marker(&r, at, line_end);
      put(&r.out, at, (size_t)(line_end - at));
      r.line += newline != NULL;
      at = line_end;
      continue;
    }
    const char *const end = token_end(at, r.end);
    if (r.end - at > 3 && memcmp(at, "<<<", 3) == 0)
      at = rewrite_launch(&r, at);
    else if (is_word(*at))
      at = rewrite_word(&r, at, end);
    else if (isspace((unsigned char)*at)) {
      r.line += *at == '\n';
      put(&r.out, at++, 1);
    } else {
      add_token(&r, at, end);
      r.count = strchr(";{}", *at) != NULL ? 0 : r.count;
      at = end;
    }
  }
  free(r.tokens);
  *out_size = r.out.size;
  return r.out.at;
}
