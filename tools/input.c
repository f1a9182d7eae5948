/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads NumPy .npy files, raw binary, numbers in text, and a column of CSV. Regular files are mapped; pipes
 * and devices are read to the end first. */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of a file. terminate() makes a 0 follow the last one, for the text parsers. */
typedef struct bytes {
  const char *name; /* for messages */
  const char *data;
  size_t size;
  char *owned;      /* NULL: mapped */
} bytes;

/* ---- Bytes ---- */

static bytes load(const char *path)
{
  static int standard_input_used;
  bytes b = { path, "", 0, NULL };
  struct stat about;
  int file = STDIN_FILENO;

  if (strcmp(path, "-") == 0) {
    b.name = "standard input";
    if (standard_input_used++)
      fail("'-' is given twice, but standard input can be read only once");
  } else if ((file = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
    fail("%s: %s", path, strerror(errno));
  }
  if (fstat(file, &about) != 0)
    fail("%s: %s", b.name, strerror(errno));
  if (S_ISDIR(about.st_mode))
    fail("%s: is a directory", b.name);

  if (S_ISREG(about.st_mode) && about.st_size > 0 && lseek(file, 0, SEEK_CUR) == 0) {
    if ((uintmax_t)about.st_size > SIZE_MAX)
      fail("%s: %jd bytes are more than this machine can address", b.name, (intmax_t)about.st_size);
    void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map != MAP_FAILED) {
      b.data = map;
      b.size = (size_t)about.st_size;
      close(file);
      return b;
    }
  }
  size_t capacity = 0;
  ssize_t got;
  do {
    if (capacity - b.size < 1 << 16)
      b.owned = need_more(b.owned, capacity = capacity ? 2 * capacity : 1 << 17, 1);
    got = read(file, b.owned + b.size, capacity - b.size - 1);
    if (got < 0 && errno != EINTR)
      fail("%s: %s", b.name, strerror(errno));
    b.size += got > 0 ? (size_t)got : 0;
    if (got > 0)
      progress("reading", "B", b.size, 0);
  } while (got != 0);
  b.owned[b.size] = '\0';
  b.data = b.owned;
  if (file != STDIN_FILENO)
    close(file);
  return b;
}

/* Makes a 0 follow the bytes. A mapped file needs a copy for that only if it fills its last page. */
static void terminate(bytes *b)
{
  if (b->owned != NULL || b->size % (size_t)sysconf(_SC_PAGESIZE) != 0)
    return;
  b->owned = need(b->size + 1, 1);
  memcpy(b->owned, b->data, b->size);
  b->owned[b->size] = '\0';
  if (b->size > 0)
    munmap((void *)b->data, b->size);
  b->data = b->owned;
}

void read_ahead(const array *a, size_t first, size_t n)
{
  const size_t size = iw_type_size(a->type), page = (size_t)sysconf(_SC_PAGESIZE);
  if (a->owned != NULL || first >= a->n)
    return;
  n = a->n - first < n ? a->n - first : n;
  const uintptr_t start = (uintptr_t)element_at(a->type, a->data, first);
  posix_madvise((void *)(start - start % page), n * size + start % page, POSIX_MADV_WILLNEED);
}

static void release(bytes *b)
{
  if (b->owned != NULL)
    free(b->owned);
  else if (b->size > 0)
    munmap((void *)b->data, b->size);
}

static int is_text(const bytes *b)
{
  size_t size = b->size < 1 << 16 ? b->size : 1 << 16;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)b->data[i];
    if (c == 0x7f || (c < ' ' && !isspace(c)))
      return 0;
  }
  return 1;
}

/* ---- Arrays that grow number by number ---- */

typedef struct column {
  array array;
  char *data;
  size_t capacity;
} column;

static void append(column *c, const value *v)
{
  size_t size = iw_type_size(c->array.type);
  if (c->array.n == c->capacity)
    c->data = need_more(c->data, c->capacity = c->capacity ? 2 * c->capacity : 1024, size);
  memcpy(c->data + size * c->array.n++, v, size);
}

static array finished(column *c)
{
  c->array.data = c->array.owned = c->data;
  progress_end();
  return c->array;
}

_Noreturn static void bad_token(const bytes *b, size_t line, const char *text, const char *end,
                                const char *wrong)
{
  int length = end - text > 40 ? 40 : (int)(end - text);
  fail("%s: line %zu: '%.*s%s' %s", b->name, line, length, text, end - text > 40 ? "..." : "", wrong);
}

static size_t missing; /* fields that were skipped */

/* Whether a field that is no number stands for one that is missing. */
static int is_missing(const reading *r, const char *text, const char *end)
{
  static const char *const words[] = { "", "NA", "N/A", "null", "none" };
  for (size_t i = 0; r->skip_missing && i < sizeof words / sizeof *words; i++)
    if ((size_t)(end - text) == strlen(words[i]) && strncasecmp(text, words[i], (size_t)(end - text)) == 0) {
      missing++;
      return 1;
    }
  return 0;
}

/* The first byte of the text, after a byte order mark if there is one. */
static const char *text_start(const bytes *b)
{
  return b->size >= 3 && memcmp(b->data, "\xef\xbb\xbf", 3) == 0 ? b->data + 3 : b->data;
}

static array parse_text(const bytes *b, const reading *reading)
{
  const iw_type type = reading->type;
  column c = { .array.type = type };
  const char *at = text_start(b), *end = b->data + b->size;
  size_t line = 1;
  int line_start = 1; /* the line has had only blanks so far */

  for (;;) {
    for (; at < end && isspace((unsigned char)*at); at++)
      if (*at == '\n') {
        line++;
        line_start = 1;
      }
    if (at == end)
      return finished(&c);
    if (*at == '#' && line_start) {
      at = memchr(at, '\n', (size_t)(end - at));
      if (at == NULL)
        return finished(&c);
      continue;
    }
    const char *token = at;
    while (at < end && !isspace((unsigned char)*at))
      at++;
    value v;
    const char *wrong = parse_value(type, token, at, &v);
    if (wrong == NULL)
      append(&c, &v);
    else if (!is_missing(reading, token, at))
      bad_token(b, line, token, at, wrong);
    line_start = 0;
    if (c.array.n % 65536 == 0)
      progress("reading", "B", (size_t)(at - b->data), b->size);
  }
}

/* ---- CSV ---- */

typedef struct csv {
  const bytes *bytes;
  const char *at, *end;
  size_t line;
  char delimiter;
  char *scratch; /* a quoted field without its quotes */
  size_t capacity;
} csv;

/* Reads the next field, sets [*text, *stop) to it, and returns 1 if it is the last of its row. */
static int next_field(csv *c, const char **text, const char **stop)
{
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t') && *c->at != c->delimiter)
    c->at++;
  if (c->at < c->end && *c->at == '"') {
    size_t length = 0, first_line = c->line;
    for (c->at++;; c->at++) {
      if (c->at == c->end)
        fail("%s: line %zu: a quoted field has no closing quote", c->bytes->name, first_line);
      if (*c->at == '"' && !(c->at + 1 < c->end && c->at[1] == '"'))
        break;
      if (*c->at == '"')
        c->at++;
      c->line += *c->at == '\n';
      if (length + 2 > c->capacity)
        c->scratch = need_more(c->scratch, c->capacity = 2 * c->capacity + 64, 1);
      c->scratch[length++] = *c->at;
    }
    c->at++;
    if (c->scratch == NULL)
      c->scratch = need(c->capacity = 64, 1);
    c->scratch[length] = '\0';
    *text = c->scratch;
    *stop = c->scratch + length;
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\r' || *c->at == '\t') && *c->at != c->delimiter)
      c->at++;
    if (c->at < c->end && *c->at != c->delimiter && *c->at != '\n')
      fail("%s: line %zu: '%c' follows a closing quote", c->bytes->name, c->line, *c->at);
  } else {
    *text = c->at;
    while (c->at < c->end && *c->at != c->delimiter && *c->at != '\n')
      c->at++;
    *stop = c->at;
    while (*stop > *text && isspace((unsigned char)(*stop)[-1]))
      --*stop;
  }
  if (c->at < c->end && *c->at == c->delimiter) {
    c->at++;
    return 0;
  }
  return 1;
}

/* Skips the end of the row. */
static void end_row(csv *c)
{
  if (c->at < c->end) {
    c->at++;
    c->line++;
  }
}

/* Skips empty lines and lines that start with '#'; returns 0 at the end of the file. */
static int start_row(csv *c)
{
  while (c->at < c->end) {
    const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
    const char *text = c->at;
    if (stop == NULL)
      stop = c->end;
    while (text < stop && isspace((unsigned char)*text) && *text != c->delimiter)
      text++;
    if (text < stop && *text != '#')
      return 1;
    c->at = stop;
    end_row(c);
  }
  return 0;
}

/* Reads the row of names and returns the number of the column with this name, from 1. */
static size_t find_column(csv *c, const char *name)
{
  char list[200] = "";
  size_t found = 0, number = 0, matches = 0;
  int last = !start_row(c);
  while (!last) {
    const char *text, *stop;
    last = next_field(c, &text, &stop);
    number++;
    if ((size_t)(stop - text) == strlen(name) && memcmp(text, name, strlen(name)) == 0) {
      found = number;
      matches++;
    }
    if (strlen(list) + (size_t)(stop - text) + 8 < sizeof list) {
      size_t length = strlen(list);
      snprintf(list + length, sizeof list - length, "%s%.*s", number > 1 ? ", " : "", (int)(stop - text),
               text);
    } else if (strlen(list) + 6 < sizeof list) {
      strcat(list, ", ...");
    }
  }
  if (matches == 0)
    fail("%s: no column has the name '%s'; there are: %s", c->bytes->name, name, list);
  if (matches > 1)
    fail("%s: %zu columns have the name '%s'; give the column's number", c->bytes->name, matches, name);
  end_row(c);
  return found;
}

static array parse_csv(const bytes *b, const reading *reading)
{
  const iw_type type = reading->type;
  const char *const name = reading->column ? reading->column : "1";
  column c = { .array.type = type };
  csv csv = { b, text_start(b), b->data + b->size, 1, reading->delimiter, NULL, 0 };
  size_t wanted;
  int first = 1;

  if (name[strspn(name, "0123456789")] == '\0' && *name != '\0')
    wanted = parse_count(name, "--column", 1, 1000000000);
  else {
    wanted = find_column(&csv, name);
    first = 0;
  }
  while (start_row(&csv)) {
    size_t number = 0, line = csv.line;
    int last = 0;
    while (!last) {
      const char *text, *stop;
      value v;
      last = next_field(&csv, &text, &stop);
      if (++number != wanted)
        continue;
      const char *wrong = parse_value(type, text, stop, &v);
      if (wrong == NULL)
        append(&c, &v);
      else if (is_missing(reading, text, stop))
        continue;
      else if (!first || strstr(wrong, "outside") != NULL) /* the first row may have names */
        bad_token(b, line, text, stop, text == stop ? "(an empty field) is not a number" : wrong);
    }
    if (number < wanted)
      fail("%s: line %zu: has %zu field%s, but --column is %zu", b->name, line, number,
           number == 1 ? "" : "s", wanted);
    end_row(&csv);
    first = 0;
    if (c.array.n % 65536 == 0)
      progress("reading", "B", (size_t)(csv.at - b->data), b->size);
  }
  free(csv.scratch);
  return finished(&c);
}

/* ---- Binary ---- */

/* The elements in place, or a copy if they are not aligned to their type. */
static array binary_array(bytes *b, size_t offset, iw_type type, size_t n)
{
  array a = { type, n, b->data + offset, b->owned };
  if ((uintptr_t)a.data % iw_type_size(type) != 0) {
    a.data = a.owned = memcpy(need(n, iw_type_size(type)), b->data + offset, n * iw_type_size(type));
    release(b);
  }
  return a;
}

static array parse_raw(bytes *b, iw_type type)
{
  size_t size = iw_type_size(type);
  if (b->size % size != 0)
    fail("%s: %zu bytes are not a whole number of %s elements of %zu bytes", b->name, b->size,
         iw_type_name(type), size);
  return binary_array(b, 0, type, b->size / size);
}

/* ---- The header of .npy: a dictionary in Python's syntax ---- */

/* What is left to parse. */
typedef struct npy_text { const bytes *file; const char *at, *end; } npy_text;

enum { MOST_DIMENSIONS = 64 }; /* as in NumPy 2 */

typedef struct npy_header {
  char code[8];           /* of the dtype: "<f4" */
  size_t n;
  size_t shape[MOST_DIMENSIONS];
  int dimensions;
  int fortran_order;
} npy_header;

_Noreturn static void npy_fail(const npy_text *t, const char *expected)
{
  const size_t place = (size_t)(t->at - (const char *)t->file->data);
  if (t->at >= t->end)
    fail("%s: the .npy header ends at byte %zu, where %s should be", t->file->name, place, expected);
  if ((unsigned char)*t->at < ' ' || (unsigned char)*t->at > '~')
    fail("%s: the .npy header has code %u at byte %zu, where %s should be", t->file->name, (unsigned char)*t->at,
         place, expected);
  fail("%s: the .npy header has %c at byte %zu, where %s should be", t->file->name, *t->at, place, expected);
}

static void npy_blanks(npy_text *t)
{
  while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r' || *t->at == '\n'))
    t->at++;
}

/* Whether the next character is that one, which is passed then. */
static int npy_next(npy_text *t, char c)
{
  npy_blanks(t);
  if (t->at >= t->end || *t->at != c)
    return 0;
  t->at++;
  return 1;
}

static void npy_expect(npy_text *t, char c, const char *expected)
{
  if (!npy_next(t, c))
    npy_fail(t, expected);
}

/* A string without escapes; `capacity` bytes are kept, the terminator included. Returns its length. */
static size_t npy_string(npy_text *t, const char *expected, char *kept, size_t capacity)
{
  npy_blanks(t);
  const char quote = t->at < t->end ? *t->at : 0;
  if (quote != '\'' && quote != '"')
    npy_fail(t, expected);
  const char *const first = ++t->at;
  while (t->at < t->end && *t->at != quote) {
    if (*t->at == '\\' || *t->at == '\n')
      npy_fail(t, "a plain character or the closing quote");
    t->at++;
  }
  const size_t length = (size_t)(t->at - first), copied = length < capacity ? length : capacity - 1;
  npy_expect(t, quote, "the closing quote");
  memcpy(kept, first, copied);
  kept[copied] = '\0';
  return length;
}

static int npy_truth(npy_text *t)
{
  static const char *const words[] = { "False", "True" };
  npy_blanks(t);
  for (int value = 0; value < 2; value++) {
    const size_t length = strlen(words[value]);
    if ((size_t)(t->end - t->at) >= length && !memcmp(t->at, words[value], length)) {
      t->at += length;
      return value;
    }
  }
  npy_fail(t, "True or False");
}

/* (), (5,), (2, 3), (2, 3,): a tuple. (5) is a number in Python. */
static void npy_shape(npy_text *t, npy_header *header)
{
  npy_expect(t, '(', "a tuple");
  header->n = 1;
  for (int comma = 1; !npy_next(t, ')'); header->dimensions++) {
    if (!comma || header->dimensions == MOST_DIMENSIONS)
      npy_fail(t, comma ? "the end of a shape of at most 64 dimensions" : "a comma or )");
    size_t dimension = 0;
    const char *const first = t->at;
    for (; t->at < t->end && isdigit((unsigned char)*t->at); t->at++) {
      if (dimension > (SIZE_MAX - 9) / 10)
        fail("%s: the .npy header's shape has more elements than this machine can address", t->file->name);
      dimension = 10 * dimension + (size_t)(*t->at - '0');
    }
    if (t->at == first)
      npy_fail(t, "a number of elements");
    if (dimension != 0 && header->n > SIZE_MAX / dimension)
      fail("%s: the .npy header's shape has more elements than this machine can address", t->file->name);
    header->n *= dimension;
    header->shape[header->dimensions] = dimension;
    comma = npy_next(t, ',');
    if (header->dimensions == 0 && !comma)
      npy_fail(t, "a comma");
  }
}

static npy_header parse_npy_header(const bytes *file, size_t start, size_t length)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape" };
  npy_header header = { .n = 0 };
  npy_text t = { file, (const char *)file->data + start, (const char *)file->data + start + length };
  unsigned seen = 0;
  npy_expect(&t, '{', "{");
  for (int comma = 1; !npy_next(&t, '}'); comma = npy_next(&t, ',')) {
    char key[16];
    if (!comma)
      npy_fail(&t, "a comma or }");
    const npy_text before = t;
    npy_string(&t, "a key in quotes or }", key, sizeof key);
    unsigned which = 0;
    while (which < 3 && strcmp(key, keys[which]) != 0)
      which++;
    if (which == 3 || (seen & 1u << which) != 0)
      npy_fail(&before, which == 3 ? "'descr', 'fortran_order' or 'shape'" : "another key than before");
    seen |= 1u << which;
    npy_expect(&t, ':', "a colon");
    npy_blanks(&t);
    if (which == 0) {
      if (t.at < t.end && *t.at == '[')
        fail("%s: structured dtypes are not supported", file->name);
      char whole[48];
      if (npy_string(&t, "a dtype in quotes", whole, sizeof whole) >= sizeof header.code)
        fail("%s: dtype %.40s is not one of b1 i1 u1 i2 u2 f2 i4 u4 f4 i8 u8 f8", file->name, whole);
      strcpy(header.code, whole);
    } else if (which == 1)
      header.fortran_order = npy_truth(&t);
    else
      npy_shape(&t, &header);
  }
  for (unsigned which = 0; which < 3; which++)
    if (!(seen & 1u << which))
      fail("%s: the .npy header has no '%s'", file->name, keys[which]);
  npy_blanks(&t);
  if (t.at != t.end)
    npy_fail(&t, "the header's end");
  return header;
}

/* Makes the elements ones that may be changed; a mapped file is copied. */
static char *own(array *a, bytes *b)
{
  if (a->owned == NULL) {
    const size_t size = a->n * iw_type_size(a->type);
    a->owned = memcpy(need(a->n, iw_type_size(a->type)), a->data, size);
    a->data = a->owned;
    release(b);
  }
  return (char *)a->data;
}

static void swap_bytes(char *elements, size_t size, size_t n)
{
  for (char *at = elements; n > 0; n--, at += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const char byte = at[low];
      at[low] = at[high];
      at[high] = byte;
    }
}

/* Replaces elements in Fortran order, the first index fastest, by a copy in C order, the last index fastest. */
static void order_rows(array *a, bytes *b, const npy_header *header)
{
  const size_t size = iw_type_size(a->type);
  size_t index[MOST_DIMENSIONS] = { 0 }, stride[MOST_DIMENSIONS], from = 0;
  for (int d = 0; d < header->dimensions; d++)
    stride[d] = d == 0 ? 1 : stride[d - 1] * header->shape[d - 1];
  char *const ordered = need(a->n, size);
  for (size_t i = 0; i < a->n; i++) {
    memcpy(ordered + i * size, (const char *)a->data + from * size, size);
    for (int d = header->dimensions - 1; d >= 0; d--) { /* the next index, as of an odometer */
      from += stride[d];
      if (++index[d] < header->shape[d])
        break;
      from -= stride[d] * header->shape[d];
      index[d] = 0;
    }
  }
  if (a->owned != NULL)
    free(a->owned);
  else
    release(b);
  a->data = a->owned = ordered;
}

static array parse_npy(bytes *b, const reading *reading)
{
  const unsigned char *raw = (const unsigned char *)b->data;
  unsigned version = b->size > 7 ? raw[6] : 0;
  size_t start = version == 1 ? 10 : 12, length;

  if (b->size < start)
    fail("%s: a .npy header of %zu bytes is truncated", b->name, b->size);
  if (version < 1 || version > 3)
    fail("%s: .npy version %u.%u is not one of 1 to 3", b->name, version, raw[7]);
  length = raw[8] | (size_t)raw[9] << 8;
  if (version > 1)
    length |= (size_t)raw[10] << 16 | (size_t)raw[11] << 24;
  if (length > b->size - start)
    fail("%s: the .npy header says %zu bytes, but %zu follow", b->name, length, b->size - start);
  const npy_header header = parse_npy_header(b, start, length);
  const char *const code = header.code;

  int type = -1;
  for (int i = 0; iw_type_size((iw_type)i) != 0; i++)
    if (strlen(code) == 3 && npy_code((iw_type)i).s[0] && strcmp(code + 1, npy_code((iw_type)i).s + 1) == 0)
      type = i;
  if (reading->truth && strcmp(code, "|b1") == 0)
    type = IW_U8;
  if (type < 0)
    fail("%s: dtype %s is not one of b1 i1 u1 i2 u2 f2 i4 u4 f4 i8 u8 f8", b->name, code);
  if (strchr(iw_type_size((iw_type)type) > 1 ? "<>" : "<>|", code[0]) == NULL)
    fail("%s: dtype %s does not begin with <, which is little-endian, or >, which is big-endian", b->name, code);
  if (reading->has_type && reading->type != (iw_type)type && reading->member != NULL)
    fail("%s: contains %s, but the elements of '%s' are %s", b->name, iw_type_name((iw_type)type), reading->member,
         iw_type_name(reading->type));
  if (reading->has_type && reading->type != (iw_type)type)
    fail("%s: contains %s, but --type is %s", b->name, iw_type_name((iw_type)type),
         iw_type_name(reading->type));
  size_t there = b->size - start - length, size = iw_type_size((iw_type)type), n = header.n;
  if (n > SIZE_MAX / size || there != n * size)
    fail("%s: the .npy header says %zu elements of %zu bytes, but %zu bytes follow", b->name, n, size, there);
  array a = binary_array(b, start + length, (iw_type)type, n);
  if (code[0] == '>' && size > 1)
    swap_bytes(own(&a, b), size, n);
  if (header.fortran_order && n > 0)
    order_rows(&a, b, &header);
  return a;
}

array read_array(const char *path, const reading *reading)
{
  bytes b = load(path);
  const iw_type type = reading->type;
  format format = reading->format;
  array a;

  progress_end();
  if (is_npz(b.data, b.size) && (format == FORMAT_AUTO || format == FORMAT_NPY)) {
    bytes unpacked = { .name = b.name };
    unpacked.data = unpacked.owned = read_npz(b.name, b.data, b.size, reading->array, &unpacked.size);
    release(&b);
    b = unpacked;
    format = FORMAT_NPY;
  } else if (reading->array != NULL)
    fail("%s: --array is for .npz files, but this is none", b.name);
  const int is_npy = b.size >= 6 && memcmp(b.data, "\x93NUMPY", 6) == 0;
  if (format == FORMAT_AUTO) {
    if (is_npy)
      format = FORMAT_NPY;
    else if (reading->column != NULL)
      format = FORMAT_CSV;
    else if (is_text(&b))
      format = FORMAT_TEXT;
    else if (reading->has_type)
      format = FORMAT_RAW;
    else
      fail("%s: is neither .npy nor text; for raw binary give --type", b.name);
  }
  if (reading->column != NULL && format != FORMAT_CSV)
    fail("%s: --column is for CSV, but the format is %s", b.name,
         format == FORMAT_NPY ? "npy" : "raw or text");
  switch (format) {
  case FORMAT_NPY:
    if (!is_npy)
      fail("%s: is not a .npy file", b.name);
    return parse_npy(&b, reading);
  case FORMAT_RAW:
    if (!reading->has_type)
      fail("%s: raw binary needs --type", b.name);
    return parse_raw(&b, type);
  case FORMAT_CSV:
    terminate(&b);
    a = parse_csv(&b, reading);
    break;
  default:
    terminate(&b);
    a = parse_text(&b, reading);
  }
  if (missing > 0)
    note("%s: %zu missing values are skipped", b.name, missing);
  missing = 0;
  release(&b);
  return a;
}
