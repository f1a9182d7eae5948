/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads NumPy .npy files, raw binary, numbers in text, and columns of CSV. Regular files are mapped; pipes
 * and devices are read to the end first. */
#include "input.h"

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

/* ---- Bytes ---- */

/* Opens a file, sets its name for messages, and finds out about it. */
static int open_input(const char *path, bytes *b, struct stat *about)
{
  static int standard_input_used;
  int file = STDIN_FILENO;
  *b = (bytes){ .name = path, .data = "" };
  if (strcmp(path, "-") == 0) {
    b->name = "standard input";
    if (standard_input_used++)
      fail("'-' is given twice, but standard input can be read only once");
  } else if ((file = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
    fail("%s: %s", path, strerror(errno));
  }
  if (fstat(file, about) != 0)
    fail("%s: %s", b->name, strerror(errno));
  if (S_ISDIR(about->st_mode))
    fail("%s: is a directory", b->name);
  return file;
}

static void close_input(int file)
{
  if (file != STDIN_FILENO)
    close(file);
}

/* Maps a regular file that is read from its beginning; returns whether it is one. */
static int map_input(int file, const struct stat *about, bytes *b)
{
  if (!S_ISREG(about->st_mode) || about->st_size <= 0 || lseek(file, 0, SEEK_CUR) != 0)
    return 0;
  if ((uintmax_t)about->st_size > SIZE_MAX)
    fail("%s: %jd bytes are more than this machine can address", b->name, (intmax_t)about->st_size);
  void *const map = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (map == MAP_FAILED)
    return 0;
  b->data = map;
  b->size = (size_t)about->st_size;
  return 1;
}

/* Reads more bytes; returns 0 at the end. A 0 follows the bytes. */
static int read_more(int file, bytes *b, size_t *capacity)
{
  if (*capacity - b->size < 1 << 16)
    b->owned = need_more(b->owned, *capacity = *capacity ? 2 * *capacity : 1 << 17, 1);
  b->data = b->owned;
  ssize_t got;
  do {
    got = read(file, b->owned + b->size, *capacity - b->size - 1);
    if (got < 0 && errno != EINTR)
      fail("%s: %s", b->name, strerror(errno));
  } while (got < 0);
  b->size += (size_t)got;
  b->owned[b->size] = '\0';
  return got > 0;
}

static bytes load(const char *path)
{
  bytes b;
  size_t capacity = 0;
  struct stat about;
  const int file = open_input(path, &b, &about);
  if (!map_input(file, &about, &b))
    while (read_more(file, &b, &capacity))
      progress("reading", "B", b.size, 0);
  close_input(file);
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

void release(bytes *b)
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

void append(growing *g, const void *element)
{
  const size_t size = iw_type_size(g->array.type);
  if (g->array.n == g->capacity)
    g->data = need_more(g->data, g->capacity = g->capacity ? 2 * g->capacity : 1024, size);
  memcpy(g->data + size * g->array.n++, element, size);
}

array finished(growing *g)
{
  g->array.data = g->array.owned = g->data;
  progress_end();
  return g->array;
}

_Noreturn void bad_token(const bytes *b, size_t line, const char *text, const char *end, const char *wrong)
{
  int length = end - text > 40 ? 40 : (int)(end - text);
  fail("%s: line %zu: '%.*s%s' %s", b->name, line, length, text, end - text > 40 ? "..." : "", wrong);
}

int is_missing(const reading *r, const char *text, const char *end)
{
  static const char *const words[] = { "", "NA", "N/A", "null", "none" };
  const size_t length = (size_t)(end - text);
  for (size_t i = 0; r->skip_missing && i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0)
      return 1;
  return 0;
}

void note_missing(const bytes *b, size_t count)
{
  if (count > 0)
    note("%s: %zu missing values are skipped", b->name, count);
}

const char *text_start(const bytes *b)
{
  const int is_marked = b->lines_before == 0 && b->size >= 3 && memcmp(b->data, "\xef\xbb\xbf", 3) == 0;
  return is_marked ? b->data + 3 : b->data;
}

/* Adds the lines to b->lines_before, and the fields that were skipped to *missing. */
static array parse_text(bytes *b, const reading *reading, size_t *missing)
{
  const iw_type type = reading->type;
  growing g = { .array.type = type };
  const char *at = text_start(b), *end = b->data + b->size;
  size_t line = b->lines_before + 1;
  int line_start = 1; /* the line has had only blanks so far */

  for (;;) {
    for (; at < end && isspace((unsigned char)*at); at++)
      if (*at == '\n') {
        line++;
        line_start = 1;
      }
    if (at == end)
      break;
    if (*at == '#' && line_start) {
      at = memchr(at, '\n', (size_t)(end - at));
      if (at == NULL)
        break;
      continue;
    }
    const char *token = at;
    while (at < end && !isspace((unsigned char)*at))
      at++;
    value v;
    const char *wrong = parse_value(type, token, at, &v);
    if (wrong == NULL)
      append(&g, &v);
    else if (is_missing(reading, token, at))
      ++*missing;
    else
      bad_token(b, line, token, at,
                memchr(token, ',', (size_t)(at - token)) == NULL ? wrong : "is not a number; --column takes one column of a table");
    line_start = 0;
    if (g.array.n % 65536 == 0)
      progress("reading", "B", (size_t)(at - b->data), b->size);
  }
  b->lines_before = line - 1;
  return finished(&g);
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
    fail("%s: the .npy header has code %u at byte %zu, where %s should be", t->file->name,
         (unsigned char)*t->at, place, expected);
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

/* Replaces elements in Fortran order (the first index fastest) by a copy in C order (the last index). */
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
    fail("%s: dtype %s does not begin with <, which is little-endian, or >, which is big-endian", b->name,
         code);
  if (reading->has_type && reading->type != (iw_type)type && reading->member != NULL)
    fail("%s: contains %s, but the elements of '%s' are %s", b->name, iw_type_name((iw_type)type),
         reading->member, iw_type_name(reading->type));
  if (reading->has_type && reading->type != (iw_type)type)
    fail("%s: contains %s, but --type is %s", b->name, iw_type_name((iw_type)type),
         iw_type_name(reading->type));
  size_t there = b->size - start - length, size = iw_type_size((iw_type)type), n = header.n;
  if (n > SIZE_MAX / size || there != n * size)
    fail("%s: the .npy header says %zu elements of %zu bytes, but %zu bytes follow", b->name, n, size,
         there);
  array a = binary_array(b, start + length, (iw_type)type, n);
  if (code[0] == '>' && size > 1)
    swap_bytes(own(&a, b), size, n);
  if (header.fortran_order && n > 0)
    order_rows(&a, b, &header);
  return a;
}

/* The format of a file of which --format says none. */
static format find_format(const bytes *b, const reading *reading, int is_npy)
{
  if (is_npy)
    return FORMAT_NPY;
  if (reading->column != NULL)
    return FORMAT_CSV;
  if (is_text(b))
    return FORMAT_TEXT;
  if (!reading->has_type)
    fail("%s: is neither .npy nor text; for raw binary give --type", b->name);
  return FORMAT_RAW;
}

/* Whether the file is .npy. Replaces a .npz file by the array that is wanted of it. */
static int unpack(bytes *b, const reading *reading)
{
  if (is_npz(b->data, b->size) && (reading->format == FORMAT_AUTO || reading->format == FORMAT_NPY)) {
    bytes unpacked = { .name = b->name };
    unpacked.data = unpacked.owned = read_npz(b->name, b->data, b->size, reading->array, &unpacked.size);
    release(b);
    *b = unpacked;
    if (b->size < 6 || memcmp(b->data, "\x93NUMPY", 6) != 0)
      fail("%s: is not a .npy file", b->name);
  } else if (reading->array != NULL)
    fail("%s: --array is for .npz files, but this is none", b->name);
  return b->size >= 6 && memcmp(b->data, "\x93NUMPY", 6) == 0;
}

static array first_column(const bytes *b, const reading *reading)
{
  csv_field field = { .wanted = reading->column ? reading->column : "1", .option = "--column" };
  parse_csv(b, reading, &field, 1, NULL, NULL);
  free(field.name);
  return finished(&field.values);
}

/* Parses a whole file. The array has the bytes of a binary one. */
static array parse_file(bytes b, const reading *reading)
{
  size_t missing = 0;
  const int is_npy = unpack(&b, reading);
  const format format = reading->format == FORMAT_AUTO ? find_format(&b, reading, is_npy) : reading->format;
  if (reading->column != NULL && format != FORMAT_CSV)
    fail("%s: --column is for CSV, but the format is %s", b.name,
         format == FORMAT_NPY ? "npy" : "raw or text");
  if (format == FORMAT_NPY) {
    if (!is_npy)
      fail("%s: is not a .npy file", b.name);
    return parse_npy(&b, reading);
  }
  if (format == FORMAT_RAW) {
    if (!reading->has_type)
      fail("%s: raw binary needs --type", b.name);
    return parse_raw(&b, reading->type);
  }
  terminate(&b);
  const array a = format == FORMAT_CSV ? first_column(&b, reading) : parse_text(&b, reading, &missing);
  note_missing(&b, missing);
  release(&b);
  return a;
}

/* Elements of bool as the bytes 0 and 1, which are the only ones that the library takes for it: a file may have any byte, and
 * each but 0 is true. */
static array normalised(array a)
{
  const unsigned char *const in = a.data;
  uint64_t bits = 0, word;
  size_t i = 0;
  if (a.type != IW_BOOL)
    return a;
  for (; i + sizeof word <= a.n; i += sizeof word) {
    memcpy(&word, in + i, sizeof word);
    bits |= word;
  }
  for (; i < a.n; i++)
    bits |= in[i];
  if ((bits & 0xfefefefefefefefe) == 0)
    return a;
  unsigned char *const out = need(a.n, 1);
  for (i = 0; i < a.n; i++)
    out[i] = in[i] != 0;
  free(a.owned);
  return (array){ .type = a.type, .n = a.n, .data = out, .owned = out };
}

array read_array(const char *path, const reading *reading)
{
  const bytes b = load(path);
  progress_end();
  return normalised(parse_file(b, reading));
}

/* ---- Streams ---- */

enum { BATCH_BYTES = 1 << 20 };

struct stream {
  reading reading;
  int file;
  bytes bytes;      /* that are not parsed yet */
  size_t capacity, missing;
  int is_text, is_raw, ended;
  array whole;      /* of a file that is neither: all elements */
  size_t done;      /* of whole */
};

stream *stream_open(const char *path, const reading *r)
{
  stream *const s = need(1, sizeof *s);
  *s = (stream){ .reading = *r };
  struct stat about;
  s->file = open_input(path, &s->bytes, &about);
  if (!map_input(s->file, &about, &s->bytes)) {
    while (s->bytes.size < BATCH_BYTES && !s->ended)
      s->ended = !read_more(s->file, &s->bytes, &s->capacity);
    const int is_binary = (s->bytes.size >= 6 && memcmp(s->bytes.data, "\x93NUMPY", 6) == 0) ||
                          is_npz(s->bytes.data, s->bytes.size);
    const int is_auto = r->format == FORMAT_AUTO && !is_binary && r->column == NULL && r->array == NULL;
    s->is_text = r->format == FORMAT_TEXT || (is_auto && is_text(&s->bytes));
    s->is_raw = !s->is_text && r->has_type && (r->format == FORMAT_RAW || is_auto);
    if (s->is_text || s->is_raw)
      return s;
    while (read_more(s->file, &s->bytes, &s->capacity))
      ;
  }
  close_input(s->file);
  s->whole = normalised(parse_file(s->bytes, r));
  return s;
}

iw_type stream_type(const stream *s)
{
  return s->is_text || s->is_raw ? s->reading.type : s->whole.type;
}

/* The bytes that can be parsed: whole lines, or whole elements; all at the end. */
static size_t complete_bytes(const stream *s)
{
  if (s->ended)
    return s->bytes.size;
  if (s->is_raw)
    return s->bytes.size - s->bytes.size % iw_type_size(s->reading.type);
  size_t size = s->bytes.size; /* not memrchr(), which macOS does not have */
  while (size > 0 && s->bytes.data[size - 1] != '\n')
    size--;
  return size;
}

/* A batch of text or raw data, whose bytes are removed. */
static array parse_batch(stream *s, size_t size)
{
  const iw_type type = s->reading.type;
  bytes b = s->bytes;
  array a = { .type = type };
  b.size = size;
  if (s->is_text) {
    a = parse_text(&b, &s->reading, &s->missing);
    s->bytes.lines_before = b.lines_before;
  } else {
    if (size % iw_type_size(type) != 0)
      fail("%s: does not have a whole number of %s elements of %zu bytes", b.name, iw_type_name(type),
           iw_type_size(type));
    a.n = size / iw_type_size(type);
    a.data = a.owned = memcpy(need(size, 1), b.data, size);
  }
  s->bytes.size -= size;
  memmove(s->bytes.owned, s->bytes.owned + size, s->bytes.size);
  return a;
}

int stream_next(stream *s, array *batch)
{
  if (!s->is_text && !s->is_raw) {
    const size_t left = s->whole.n - s->done, n = left < PART ? left : PART;
    *batch = (array){ s->whole.type, n, element_at(s->whole.type, s->whole.data, s->done), NULL };
    s->done += n;
    return n > 0;
  }
  size_t size = 0;
  for (size_t wanted = BATCH_BYTES; size == 0; wanted = 2 * s->bytes.size) { /* a line may be longer */
    while (!s->ended && s->bytes.size < wanted)
      s->ended = !read_more(s->file, &s->bytes, &s->capacity);
    size = complete_bytes(s);
    if (s->ended)
      break;
  }
  *batch = normalised(parse_batch(s, size));
  return size > 0 || !s->ended;
}

void stream_close(stream *s)
{
  if (s->is_text || s->is_raw) {
    note_missing(&s->bytes, s->missing);
    close_input(s->file);
    release(&s->bytes);
  }
  free(s->whole.owned);
  free(s);
}

bytes load_csv(const char *path, const reading *reading)
{
  bytes b = load(path);
  progress_end();
  if (reading->format == FORMAT_AUTO && b.size >= 6 && memcmp(b.data, "\x93NUMPY", 6) == 0)
    fail("%s: %s is for CSV, but the format is npy", b.name, reading->column ? "--column" : "--columns");
  terminate(&b);
  return b;
}
