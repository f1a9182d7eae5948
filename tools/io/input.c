/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files: finds out what they are, and parses raw binary and numbers in text; npy.c and csv.c parse the
 * others. Regular files are mapped; pipes and devices are read to the end first. */
#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* ---- What a file is ---- */

/* The first bytes of a file, which say what it is. */
enum { SAMPLE = 1 << 16 };

/* The number of control characters, which text does not have, among the first bytes. */
static size_t count_controls(const bytes *b)
{
  size_t count = 0, size = b->size < SAMPLE ? b->size : SAMPLE;
  for (size_t i = 0; i < size; i++) {
    const char c = b->data[i];
    count += c == 0x7f || ((unsigned char)c < ' ' && !is_blank(c) && !is_line_end(c));
  }
  return count;
}

static int is_text(const bytes *b)
{
  return count_controls(b) == 0;
}

static int is_utf16(const bytes *b)
{
  return b->size >= 2 && b->lines_before == 0 &&
         (memcmp(b->data, "\xff\xfe", 2) == 0 || memcmp(b->data, "\xfe\xff", 2) == 0);
}

/* Whether the bytes after UTF-16's byte order mark are ASCII characters, as f32 and others never are. */
static int has_utf16_letters(const bytes *b)
{
  size_t i = 2;
  const size_t zero = b->data[0] == '\xff';
  for (; i + 1 < b->size && i < 66; i += 2)
    if (b->data[i + zero] != '\0' || b->data[i + !zero] <= 0)
      return 0;
  return i > 2;
}

_Noreturn static void fail_utf16(const bytes *b)
{
  fail("%s: is UTF-16, but text is read as UTF-8: 'iconv -f UTF-16 -t UTF-8 FILE' converts it", b->name);
}

/* Fails if the file is of another kind than numbers, by its first bytes. */
static void check_kind(const bytes *b)
{
  static const struct { const char *bytes; size_t count; const char *what; } kinds[] = {
    { "\x1f\x8b\x08", 3, "compressed; 'gzip -dc FILE | isowarp ... -' reads it" },
    { "\x28\xb5\x2f\xfd", 4, "compressed; 'zstd -dc FILE | isowarp ... -' reads it" },
    { "\xfd" "7zXZ", 6, "compressed; 'xz -dc FILE | isowarp ... -' reads it" },
    { "BZh91AY&SY", 10, "compressed; 'bzip2 -dc FILE | isowarp ... -' reads it" },
    { "PAR1", 4, "a Parquet file, which has to be converted to CSV or .npy" },
    { "ARROW1", 6, "an Arrow file, which has to be converted to CSV or .npy" },
    { "\x89HDF\r\n\x1a\n", 8, "an HDF5 file, whose arrays have to be converted to .npy" },
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (b->size >= kinds[i].count && memcmp(b->data, kinds[i].bytes, kinds[i].count) == 0)
      fail("%s: is %s (--format says otherwise)", b->name, kinds[i].what);
}

/* Fails if a file that is not text should not be taken as raw binary. */
static void check_raw(const bytes *b, const reading *r)
{
  const size_t size = b->size < SAMPLE ? b->size : SAMPLE;
  size_t ascii = 0;
  if (is_utf16(b) && has_utf16_letters(b))
    fail_utf16(b);
  for (size_t i = 0; i < size; i++)
    ascii += (b->data[i] >= ' ' && b->data[i] < 0x7f) || is_line_end(b->data[i]) || b->data[i] == '\t';
  if (ascii >= size - size / 10 && r->has_type && !r->beside_raw)
    fail("%s: is text but for %zu control character%s; --format raw or --format text says how to read it",
         b->name, count_controls(b), count_controls(b) == 1 ? "" : "s");
  if (!r->has_type)
    fail("%s: is neither .npy nor text; for raw binary give --type", b->name);
}

void check_text(const bytes *b, int is_csv)
{
  if (is_utf16(b))
    fail_utf16(b);
  const char *const zero = memchr(b->data, '\0', b->size);
  if (zero == NULL)
    return;
  size_t line = b->lines_before + 1;
  for (const char *at = b->data; at < zero; at++)
    line += *at == '\n' || (*at == '\r' && at[1] != '\n');
  fail("%s: line %zu: has a byte 0, which text does not have%s", b->name, line,
       zero - b->data < 2 ? "; 'iconv -f UTF-16LE -t UTF-8 FILE' converts UTF-16"
       : is_csv           ? ""
                          : "; --format raw with --type reads binary data");
}

const char *text_start(const bytes *b)
{
  const int is_marked = b->lines_before == 0 && b->size >= 3 && memcmp(b->data, "\xef\xbb\xbf", 3) == 0;
  return is_marked ? b->data + 3 : b->data;
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

/* ---- Fields ---- */

const dialect plain_dialect = { .delimiter = ',', .quote = '"', .comment = '#', .decimal = '.' };

_Noreturn void bad_field(const bytes *b, size_t line, const char *text, const char *end, const char *wrong,
                         const char *way)
{
  int length = end - text > 40 ? 40 : (int)(end - text);
  while (length > 0 && text + length < end && (text[length] & 0xc0) == 0x80) /* not within a character of UTF-8 */
    length--;
  fail("%s: line %zu: '%.*s%s' %s%s%s", b->name, line, length, text, end - text > length ? "..." : "", wrong,
       way ? "; " : "", way ? way : "");
}

static int is_in_list(const char *list, const char *text, size_t length)
{
  while (list != NULL) {
    const char *const comma = strchr(list, ',');
    if ((comma ? (size_t)(comma - list) : strlen(list)) == length && strncasecmp(list, text, length) == 0)
      return 1;
    list = comma ? comma + 1 : NULL;
  }
  return 0;
}

int is_missing_word(const reading *r, const char *text, const char *end)
{
  return is_in_list(",NA,N/A,null,none", text, (size_t)(end - text)) ||
         is_in_list(r->missing, text, (size_t)(end - text));
}

size_t copy_number(const dialect *d, const char *text, const char *end, char *copy)
{
  const char *at = text;
  size_t n = 0, digits = 0;
  int groups = 0;
  if (at < end && (*at == '-' || *at == '+'))
    copy[n++] = *at++;
  for (; at < end && (isdigit((unsigned char)*at) || (*at == d->thousands && *at != d->decimal)); at++)
    if (*at != d->thousands) {
      copy[n++] = *at;
      digits++;
    } else if (digits == 0 || digits > 3 || (groups++ > 0 && digits != 3))
      return 0;
    else
      digits = 0;
  if (groups > 0 && digits != 3)
    return 0;
  for (; at < end; at++) {
    if (*at == '.' && d->decimal != '.')
      return 0;
    copy[n++] = *at == d->decimal ? '.' : *at;
  }
  copy[n] = '\0';
  return n;
}

static const char *parse_field(const reading *r, iw_type type, const char *text, const char *end,
                               void *element)
{
  const dialect *const d = &r->dialect;
  if (d->decimal == '.' && d->thousands == NO_CHARACTER)
    return parse_value(type, text, end, element);
  char *const copy = need((size_t)(end - text) + 1, 1);
  const size_t length = copy_number(d, text, end, copy);
  const char *const wrong = length > 0 ? parse_value(type, copy, copy + length, element) : "is not a number";
  free(copy);
  return wrong;
}

/* Whether a number is one of those that --skip-missing=LIST lists. */
static int is_missing_number(const reading *r, iw_type type, const value *v)
{
  for (const char *word = r->missing; word != NULL;) {
    const char *const comma = strchr(word, ','), *const end = comma ? comma : word + strlen(word);
    value listed;
    if (word < end && parse_field(r, type, word, end, &listed) == NULL && memcmp(&listed, v, iw_type_size(type)) == 0)
      return 1;
    word = comma ? comma + 1 : NULL;
  }
  return 0;
}

static uint64_t rounded_plain_integer(const char *text, const char *end)
{
  char *stop;
  if (end - text <= 15 || (*text != '-' && *text != '+' && !isdigit((unsigned char)*text)))
    return 0;
  errno = 0;
  const int has_sign = !isdigit((unsigned char)*text);
  const unsigned long long n = isdigit((unsigned char)text[has_sign]) ? strtoull(text + has_sign, &stop, 10) : 0;
  if (n == 0 || stop != end || errno == ERANGE)
    return 0;
  unsigned long long odd = n;
  while (odd % 2 == 0)
    odd /= 2;
  return odd >> 53 != 0 ? n : 0;
}

uint64_t rounded_integer(const reading *r, const char *text, const char *end)
{
  if (r->dialect.thousands == NO_CHARACTER || end - text <= 15)
    return rounded_plain_integer(text, end);
  char *const copy = need((size_t)(end - text) + 1, 1);
  const size_t length = copy_number(&r->dialect, text, end, copy);
  const uint64_t magnitude = rounded_plain_integer(copy, copy + length);
  free(copy);
  return magnitude;
}

void keep_integer(integers *kept, uint64_t magnitude, size_t place)
{
  const uint64_t at = place;
  kept->places.array.type = kept->magnitudes.array.type = IW_U64;
  append(&kept->places, &at);
  append(&kept->magnitudes, &magnitude);
}

/* Makes magnitudes of doubles, but for those that are kept; returns whether all are integers of 64 bits.
 * *most: no magnitude or, if are_summed, none of a sum is larger, but for the least one of i64. */
static int make_magnitudes(const double *column, size_t n, const integers *kept, int are_summed, uint64_t *magnitudes, uint64_t *most)
{
  const uint64_t *const places = (const void *)kept->places.data;
  size_t next = 0;
  *most = 0;
  for (size_t i = 0; i < n; i++) {
    const double x = fabs(column[i]);
    if (next < kept->places.array.n && places[next] == i)
      memcpy(&magnitudes[i], kept->magnitudes.data + 8 * next++, 8);
    else if (x < 0x1p64 && x == trunc(x))
      magnitudes[i] = (uint64_t)x;
    else
      return 0;
    const uint64_t least = magnitudes[i] - (column[i] < 0);
    if (are_summed && magnitudes[i] > UINT64_MAX - *most)
      return 0;
    *most = are_summed ? *most + magnitudes[i] : least > *most ? least : *most;
  }
  return 1;
}

array with_integers(array column, integers *kept, int are_summed, const char *option)
{
  const size_t rounded = kept->places.array.n;
  if (rounded > 0) {
    const double *const from = column.data;
    uint64_t *const to = need(column.n, sizeof *to), most;
    int fits = make_magnitudes(from, column.n, kept, are_summed, to, &most);
    for (size_t i = 0; fits && i < column.n; i++) {
      fits = most <= INT64_MAX || from[i] >= 0;
      to[i] = from[i] < 0 ? 0 - to[i] : to[i];
    }
    if (fits) {
      free(column.owned);
      column = (array){ most <= INT64_MAX ? IW_I64 : IW_U64, column.n, to, to };
    } else {
      free(to);
      note("%s: %zu integer%s too long for f64 and rounded, as %s; a .npy file of i64 or u64 keeps all digits", option, rounded,
           rounded == 1 ? " is" : "s are",
           are_summed ? "not all are integers or their sum may be too large" : "neither i64 nor u64 has all numbers");
    }
  }
  free(kept->places.data);
  free(kept->magnitudes.data);
  return column;
}

field_kind read_field(const reading *r, iw_type type, const char *text, const char *end, value *v,
                      const char **wrong, tally *t)
{
  if (r->missing != NULL && is_missing_word(r, text, end)) /* which may be a number */
    return FIELD_MISSING;
  *wrong = parse_field(r, type, text, end, v);
  if (*wrong == NULL) {
    if (is_missing_number(r, type, v))
      return FIELD_MISSING;
    if (type == IW_F64 && !r->has_type && r->integers == NULL)
      t->rounded += rounded_integer(r, text, end) != 0;
    return FIELD_NUMBER;
  }
  return r->skip_missing && is_missing_word(r, text, end) ? FIELD_MISSING : FIELD_WRONG;
}

int is_commented_number(const reading *r, const char *text, const char *end)
{
  value v;
  const char *const comment = r->dialect.comment == NO_CHARACTER ? NULL : memchr(text, r->dialect.comment, (size_t)(end - text));
  const char *stop = comment;
  while (stop != NULL && stop > text && is_blank(stop[-1]))
    stop--;
  return stop != NULL && stop > text && parse_field(r, IW_F64, text, stop, &v) == NULL;
}

/* Whether a field that begins as a comment looks like a spreadsheet's error: #N/A, #DIV/0!, #NAME?. */
static int is_sheet_error(const char *text, const char *end)
{
  const char *at = text + 1;
  while (at < end && (isupper((unsigned char)*at) || isdigit((unsigned char)*at) || strchr("/!?_", *at) != NULL))
    at++;
  return at == end && end - text > 2 && isupper((unsigned char)text[1]);
}

/* Whether a shell takes a character as it is. */
static int is_plain_for_shells(char c)
{
  return isalnum((unsigned char)c) || strchr("-+_.:/%@=?^", c) != NULL;
}

const char *way_out(const reading *r, iw_type type, const char *text, const char *end)
{
  static char way[80];
  value v;
  if (r->takes_skip && is_missing_word(r, text, end))
    return "--skip-missing skips it";
  if (r->takes_type && type != IW_F64 && parse_field(r, IW_F64, text, end, &v) == NULL)
    return "--type f64 takes it";
  if (text < end && *text == r->dialect.comment ? !is_sheet_error(text, end) : is_commented_number(r, text, end))
    return "a comment has lines of its own";
  const char *plain = text;
  int is_quoted = 0;
  for (; plain < end && isgraph((unsigned char)*plain) && *plain != ',' && *plain != '\''; plain++)
    is_quoted |= !is_plain_for_shells(*plain);
  if (r->takes_skip && plain == end && end - text <= 24) {
    const char *const quote = is_quoted ? "'" : "";
    snprintf(way, sizeof way, "--skip-missing=%s%.*s%s skips it", quote, (int)(end - text), text, quote);
    return way;
  }
  return NULL;
}

const char *separator_way_out(const reading *r, iw_type type, const char *text, const char *end)
{
  static const struct { char decimal, thousands; const char *way; } others[] = {
    { ',', NO_CHARACTER, "--decimal , reads decimal commas, and --thousands , commas between thousands" },
    { '.', ',', "--thousands , reads it" }, { ',', '.', "--decimal , with --thousands . reads it" },
    { '.', '\'', "--thousands \"'\" reads it" }, { '.', '_', "--thousands _ reads it" },
    { '.', ' ', "--thousands ' ' reads it" }, { ',', ' ', "--decimal , with --thousands ' ' reads it" },
  };
  reading other = *r;
  value v;
  for (size_t i = 0; i < sizeof others / sizeof *others && r->takes_type; i++) {
    other.dialect.decimal = others[i].decimal;
    other.dialect.thousands = others[i].thousands;
    if (parse_field(&other, type, text, end, &v) == NULL)
      return others[i].way;
  }
  return NULL;
}

int is_doubtful_comment(const char *text, const char *end)
{
  for (text++; text < end && is_blank(*text); text++)
    ;
  text += text < end && strchr("+-.", *text) != NULL;
  return text < end && isdigit((unsigned char)*text);
}

void note_tally(const bytes *b, const reading *r, const tally *t)
{
  const char comment = r->dialect.comment;
  if (t->missing > 0)
    note("%s: %zu missing value%s skipped%s", b->name, t->missing, t->missing == 1 ? " is" : "s are",
         r->finds_places ? ", and not counted by indices" : "");
  if (t->comments > 0 && !r->dialect.is_comment_given)
    note("%s: %zu line%s that begin%s with '%c' %s skipped; --comment none reads them, --comment '%c' is to "
         "skip them", b->name, t->comments, t->comments == 1 ? "" : "s", t->comments == 1 ? "s" : "",
         comment, t->comments == 1 ? "is" : "are", comment);
  if (t->rounded > 0)
    note("%s: %zu integer%s too long for f64 and rounded; %s i64 or u64 keeps all digits", b->name,
         t->rounded, t->rounded == 1 ? " is" : "s are", r->takes_type ? "--type" : "a .npy file of");
}

/* ---- Text ---- */

/* Where a line ends, or the end of the text. */
static const char *line_end(const char *at, const char *end)
{
  while (at < end && !is_line_end(*at))
    at++;
  return at;
}

/* Whether the field that begins the line behind this one is a number, as under a row of names. */
static int is_above_number(const reading *r, const char *at, const char *text_end)
{
  value v;
  at = line_end(at, text_end);
  while (at < text_end && (is_blank(*at) || is_line_end(*at)))
    at++;
  const char *const field = at;
  while (at < text_end && !is_blank(*at) && !is_line_end(*at) && *at != r->dialect.delimiter)
    at++;
  return parse_field(r, r->type, field, at, &v) == NULL;
}

/* What option would take a token of text. */
static const char *text_way_out(const bytes *b, const reading *r, size_t line, const char *token, const char *end)
{
  static char way[80];
  const size_t length = (size_t)(end - token);
  static const char separators[] = ";|";
  for (const char *c = separators; *c; c++)
    if (r->takes_type && memchr(token, *c, length) != NULL) {
      snprintf(way, sizeof way, "--column with --delimiter '%c' takes one column of a table", *c);
      return way;
    }
  const char *const separator = separator_way_out(r, r->type, token, end);
  if (r->takes_type && memchr(token, ',', length) != NULL)
    return separator == NULL ? "--column takes one column of a table"
                             : "--column takes one column of a table, --decimal , decimal commas, and --thousands , commas "
                               "between thousands";
  if (separator != NULL)
    return separator;
  const char *const other = way_out(r, r->type, token, end);
  if (line > 1 || !r->takes_type || (other != NULL && strncmp(other, "--skip-missing=", 15) != 0))
    return other;
  const int may_be_raw = r->has_type && r->format == FORMAT_AUTO && b->size % iw_type_size(r->type) == 0;
  if (is_above_number(r, end, b->data + b->size))
    return may_be_raw ? "--column 1 takes names above numbers, and --format raw binary data"
                      : "--column 1 takes names above numbers";
  return may_be_raw ? "--format raw takes binary data" : other;
}

const char *skip_lines(const reading *r, const char *at, const char *end, size_t *line)
{
  for (; *line <= r->skip_lines && at < end; ++*line) {
    at = line_end(at, end);
    at += at == end ? 0 : *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
  }
  return at;
}

/* Adds the lines to b->lines_before, and what is no number to *t. holes: as of read_array_holes(). */
static array parse_text(bytes *b, const reading *reading, tally *t, growing *holes)
{
  const iw_type type = reading->any_type && !is_float(reading->type) ? IW_F64 : reading->type;
  growing g = { .array.type = type };
  const char *at = text_start(b), *end = b->data + b->size;
  size_t line = b->lines_before + 1;
  int line_start = 1; /* the line has had only blanks so far */

  check_text(b, 0);
  at = skip_lines(reading, at, end, &line);
  for (;;) {
    for (; at < end && (is_blank(*at) || is_line_end(*at)); at++)
      if (is_line_end(*at)) {
        line += *at == '\r' || at == b->data || at[-1] != '\r';
        line_start = 1;
      }
    if (at == end)
      break;
    const char *token = at;
    if (*at == reading->dialect.comment && line_start) {
      at = line_end(at, end);
      t->comments += g.array.n > 0 || b->lines_before > 0 || is_doubtful_comment(token, at);
      continue;
    }
    while (at < end && !is_blank(*at) && !is_line_end(*at))
      at++;
    value v = { 0 };
    const char *wrong;
    const field_kind kind = read_field(reading, type, token, at, &v, &wrong, t);
    if (kind == FIELD_WRONG)
      bad_field(b, line, token, at, wrong, text_way_out(b, reading, line, token, at));
    if (kind == FIELD_MISSING)
      t->missing++;
    if (kind == FIELD_MISSING && holes != NULL) {
      const uint64_t place = g.array.n;
      append(holes, &place);
    }
    const uint64_t rounded = kind == FIELD_NUMBER && reading->integers != NULL ? rounded_integer(reading, token, at) : 0;
    if (rounded != 0)
      keep_integer(reading->integers, rounded, g.array.n);
    if (kind == FIELD_NUMBER || holes != NULL)
      append(&g, &v);
    line_start = 0;
    if (g.array.n % 65536 == 0)
      progress("reading", "B", (size_t)(at - b->data), b->size);
  }
  b->lines_before = line - 1;
  return finished(&g);
}

/* ---- Binary ---- */

array binary_array(bytes *b, size_t offset, iw_type type, size_t n)
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

/* The format of a file of which --format says none. */
static format find_format(const bytes *b, const reading *reading)
{
  if (is_npy(b->data, b->size))
    return FORMAT_NPY;
  check_kind(b);
  if (reading->column != NULL)
    return FORMAT_CSV;
  if (is_text(b))
    return FORMAT_TEXT;
  check_raw(b, reading);
  return FORMAT_RAW;
}

/* Replaces a .npz file by the array that is wanted of it. Returns which array of a .npy file is wanted; 0:
 * none is named. */
static size_t unpack(bytes *b, const reading *reading)
{
  if (is_npz(b->data, b->size) && (reading->format == FORMAT_AUTO || reading->format == FORMAT_NPY)) {
    bytes unpacked = { .name = b->name };
    unpacked.data = unpacked.owned = read_npz(b->name, b->data, b->size, reading->array, &unpacked.size);
    release(b);
    *b = unpacked;
    if (!is_npy(b->data, b->size))
      fail("%s: is not a .npy file", b->name);
    return 0;
  }
  if (reading->array == NULL)
    return 0;
  if (!is_npy(b->data, b->size))
    fail("%s: --array is for .npz files and .npy files of several arrays, but this is none", b->name);
  return parse_count(reading->array, "--array: a .npy file has arrays without names", 1, 1000000);
}

static array first_column(const bytes *b, const reading *reading, growing *holes)
{
  csv_field field = { .wanted = reading->column ? reading->column : "1", .option = "--column",
                      .type = reading->type, .integers = reading->integers };
  csv_columns table = { .fields = &field, .count = 1, .holes = holes };
  parse_csv(b, reading, &table);
  free(field.name);
  return finished(&field.values);
}

/* A file that is no text: fails if an option that was given does nothing then. */
static void check_binary(const bytes *b, const reading *r, format format)
{
  if (r->text_option != NULL && r->texts == NULL)
    fail("%s: --%s is for text and CSV, but the file is %s", b->name, r->text_option,
         format == FORMAT_NPY ? ".npy" : "raw binary");
}

/* Parses a whole file. The array has the bytes of a binary one. */
static array parse_file(bytes b, const reading *reading, growing *holes)
{
  tally t = { 0 };
  const size_t number = unpack(&b, reading);
  const format format = reading->format == FORMAT_AUTO ? find_format(&b, reading) : reading->format;
  if (reading->column != NULL && format != FORMAT_CSV)
    fail("%s: --column is for CSV, but the format is %s", b.name,
         format == FORMAT_NPY ? "npy" : "raw or text");
  if (format == FORMAT_NPY) {
    if (!is_npy(b.data, b.size))
      fail("%s: is not a .npy file", b.name);
    check_binary(&b, reading, format);
    return parse_npy(&b, reading, number);
  }
  if (reading->field != NULL)
    fail("%s: --field is for .npy files of records, but this is none", b.name);
  if (format == FORMAT_RAW) {
    if (!reading->has_type)
      fail("%s: raw binary needs --type", b.name);
    check_binary(&b, reading, format);
    return parse_raw(&b, reading->type);
  }
  if (reading->texts != NULL)
    ++*reading->texts;
  terminate(&b);
  const array a = format == FORMAT_CSV ? first_column(&b, reading, holes)
                                       : parse_text(&b, reading, &t, holes);
  note_tally(&b, reading, &t);
  release(&b);
  return a;
}

/* Elements of bool as the bytes 0 and 1, which are the only ones that the library takes for it: a file may
 * have any byte, and each but 0 is true. */
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

array read_array_holes(const char *path, const reading *reading, growing *holes)
{
  const bytes b = load(path);
  progress_end();
  return normalised(parse_file(b, reading, holes));
}

array read_array(const char *path, const reading *reading)
{
  return read_array_holes(path, reading, NULL);
}

array read_compared(const char *path, const reading *r, const char *option)
{
  integers kept = { 0 };
  reading of_numbers = *r;
  of_numbers.integers = &kept;
  return with_integers(read_array(path, &of_numbers), &kept, 0, option);
}

/* ---- Streams ---- */

#ifndef BATCH_BYTES /* tests/fuzz/input.c has fewer */
#define BATCH_BYTES ((size_t)1 << 20)
#endif

struct stream {
  reading reading;
  int file;
  bytes bytes;      /* that are not parsed yet */
  size_t capacity;
  tally tally;
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
    const int is_binary = is_npy(s->bytes.data, s->bytes.size) || is_npz(s->bytes.data, s->bytes.size);
    const int is_auto = r->format == FORMAT_AUTO && !is_binary && r->column == NULL && r->array == NULL;
    s->is_text = r->format == FORMAT_TEXT || (is_auto && find_format(&s->bytes, r) == FORMAT_TEXT);
    s->is_raw = !s->is_text && r->has_type && (r->format == FORMAT_RAW || is_auto);
    if (s->is_raw)
      check_binary(&s->bytes, r, FORMAT_RAW);
    if (s->is_text || s->is_raw)
      return s;
    while (read_more(s->file, &s->bytes, &s->capacity))
      ;
  }
  close_input(s->file);
  s->whole = normalised(parse_file(s->bytes, r, NULL));
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
  const char *const data = s->bytes.data;
  size_t size = s->bytes.size; /* not memrchr(), which macOS does not have */
  /* A \r at the end may be the first byte of a line end of two. */
  while (size > 0 && data[size - 1] != '\n' &&
         (data[size - 1] != '\r' || size == s->bytes.size || data[size] == '\n'))
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
    a = parse_text(&b, &s->reading, &s->tally, NULL);
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
    note_tally(&s->bytes, &s->reading, &s->tally);
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
  if (reading->format == FORMAT_AUTO && (is_npy(b.data, b.size) || is_npz(b.data, b.size)))
    fail("%s: %s is for CSV, but the format is npy", b.name, reading->column ? "--column" : "--columns");
  if (reading->format == FORMAT_AUTO)
    check_kind(&b);
  terminate(&b);
  return b;
}
