/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the arrays of a .npy file that NumPy's np.load() reads and whose elements are of a type of ours:
 * also fields of records, arrays behind one another, and dtypes as Python 2 and other writers name them. */
#include "input.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The header: a dictionary in Python's syntax ---- */

/* What is left to parse. */
typedef struct npy_text {
  const bytes *file;
  const char *at, *end;
  int is_latin1;          /* versions 1 and 2; version 3 is UTF-8 */
} npy_text;

enum { MOST_DIMENSIONS = 64, MOST_DEPTH = 16 }; /* of shapes, as in NumPy 2; of records within records */

/* The elements that are wanted of each item of the array. */
typedef struct npy_element {
  char dtype[24];         /* for messages: "<f4" */
  char order, kind;       /* '<' or '>'; a letter as in the dtype: 'f' */
  size_t size;            /* of one element */
  size_t count, offset;   /* in an item, which is more than one element if a field has a shape */
} npy_element;

typedef struct npy_header {
  npy_element element;
  int is_record, is_found; /* whether the item has fields, and the wanted one */
  char names[200];        /* of the fields, for messages */
  int has_inner;          /* a field is a record */
  size_t item;            /* bytes of one */
  size_t n;               /* items */
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

/* A string without escapes as UTF-8, of which `capacity` bytes are kept, the terminator included. */
static void npy_string(npy_text *t, const char *expected, char *kept, size_t capacity)
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
  size_t n = 0;
  for (const char *c = first; c < t->at && n + 2 < capacity; c++)
    if (t->is_latin1 && (unsigned char)*c >= 0x80) {
      kept[n++] = (char)(0xc0 | (unsigned char)*c >> 6);
      kept[n++] = (char)(0x80 | (*c & 0x3f));
    } else
      kept[n++] = *c;
  kept[n] = '\0';
  npy_expect(t, quote, "the closing quote");
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

_Noreturn static void fail_large(const npy_text *t)
{
  fail("%s: the .npy header's shape has more elements than this machine can address", t->file->name);
}

/* A dimension, which Python 2 may have written with an L behind it. */
static size_t npy_dimension(npy_text *t)
{
  size_t dimension = 0;
  npy_blanks(t);
  const char *const first = t->at;
  for (; t->at < t->end && isdigit((unsigned char)*t->at); t->at++) {
    if (dimension > (SIZE_MAX - 9) / 10)
      fail_large(t);
    dimension = 10 * dimension + (size_t)(*t->at - '0');
  }
  if (t->at == first)
    npy_fail(t, "a number of elements");
  if (t->at < t->end && *t->at == 'L')
    t->at++;
  return dimension;
}

/* (), (5,), (2, 3), (2, 3,): a tuple. (5) is a number in Python. Returns the number of elements. */
static size_t npy_shape(npy_text *t, size_t shape[MOST_DIMENSIONS], int *dimensions)
{
  size_t n = 1;
  *dimensions = 0;
  npy_expect(t, '(', "a tuple");
  for (int comma = 1; !npy_next(t, ')'); ++*dimensions) {
    if (!comma || *dimensions == MOST_DIMENSIONS)
      npy_fail(t, comma ? "the end of a shape of at most 64 dimensions" : "a comma or )");
    const size_t dimension = npy_dimension(t);
    if (dimension != 0 && n > SIZE_MAX / dimension)
      fail_large(t);
    n *= dimension;
    shape[*dimensions] = dimension;
    comma = npy_next(t, ',');
    if (*dimensions == 0 && !comma)
      npy_fail(t, "a comma");
  }
  return n;
}

/* ---- dtypes ---- */

/* Names of NumPy that are no letter and size. Those of C are as on this machine, as for NumPy. */
static const struct { const char *name; char kind; size_t size; } dtype_names[] = {
  { "?", 'b', 1 }, { "bool", 'b', 1 }, { "bool_", 'b', 1 },
  { "b", 'i', 1 }, { "byte", 'i', 1 }, { "int8", 'i', 1 },
  { "B", 'u', 1 }, { "ubyte", 'u', 1 }, { "uint8", 'u', 1 },
  { "h", 'i', 2 }, { "short", 'i', 2 }, { "int16", 'i', 2 },
  { "H", 'u', 2 }, { "ushort", 'u', 2 }, { "uint16", 'u', 2 },
  { "i", 'i', 4 }, { "intc", 'i', 4 }, { "int32", 'i', 4 },
  { "I", 'u', 4 }, { "uintc", 'u', 4 }, { "uint32", 'u', 4 },
  { "q", 'i', 8 }, { "longlong", 'i', 8 }, { "int64", 'i', 8 },
  { "Q", 'u', 8 }, { "ulonglong", 'u', 8 }, { "uint64", 'u', 8 },
  { "l", 'i', sizeof(long) }, { "long", 'i', sizeof(long) },
  { "L", 'u', sizeof(long) }, { "ulong", 'u', sizeof(long) },
  { "int", 'i', sizeof(void *) }, { "int_", 'i', sizeof(void *) }, { "intp", 'i', sizeof(void *) },
  { "uint", 'u', sizeof(void *) }, { "uintp", 'u', sizeof(void *) },
  { "e", 'f', 2 }, { "half", 'f', 2 }, { "float16", 'f', 2 },
  { "f", 'f', 4 }, { "single", 'f', 4 }, { "float32", 'f', 4 },
  { "d", 'f', 8 }, { "double", 'f', 8 }, { "float", 'f', 8 }, { "float_", 'f', 8 }, { "float64", 'f', 8 },
};

_Noreturn static void fail_dtype(const bytes *file, const char *dtype)
{
  fail("%s: dtype %.40s is not one of b1 i1 u1 i2 u2 f2 i4 u4 f4 i8 u8 f8", file->name, dtype);
}

/* Sets all of *e but its place in the item from a dtype: an order, if there is one, and a name, or a letter
 * and a size, behind which datetime64 has its unit. */
static void npy_dtype_of(const bytes *file, const char *dtype, npy_element *e)
{
  const char *name = dtype;
  snprintf(e->dtype, sizeof e->dtype, "%.23s", dtype);
  e->order = '<';
  if (strchr("<>=|", *name) != NULL && *name != '\0')
    e->order = *name++ == '>' ? '>' : '<'; /* = and | are this machine's */
  for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++)
    if (strcmp(name, dtype_names[i].name) == 0) {
      e->kind = dtype_names[i].kind;
      e->size = dtype_names[i].size;
      return;
    }
  e->kind = *name;
  e->size = 0;
  const char *digit = name + (*name != '\0');
  for (; isdigit((unsigned char)*digit) && e->size < INT_MAX / 10; digit++)
    e->size = 10 * e->size + (size_t)(*digit - '0');
  const int has_unit = (*name == 'M' || *name == 'm') && *digit == '[';
  if (*name == '\0' || strchr("biufcSUVMmO", *name) == NULL || !isdigit((unsigned char)name[1]) ||
      (*digit != '\0' && !has_unit))
    fail_dtype(file, dtype);
  if (*name == 'U')
    e->size *= 4;
}

/* The part of the wanted field's path that follows this name: "" if it is the whole, NULL: another field. */
static const char *rest_of_path(const char *wanted, const char *name)
{
  const size_t length = strlen(name);
  if (wanted == NULL || length == 0 || strncmp(wanted, name, length) != 0)
    return NULL;
  return wanted[length] == '.' ? wanted + length + 1 : wanted[length] == '\0' ? wanted + length : NULL;
}

static void list_field(npy_header *header, const char *name)
{
  const size_t used = strlen(header->names);
  if (*name != '\0' && used + strlen(name) + 8 < sizeof header->names)
    strcat(strcat(header->names, used > 0 ? ", " : ""), name);
}

static size_t npy_descr(npy_text *t, npy_header *header, const char *wanted, size_t offset, int depth);

/* ('name', dtype) or ('name', dtype, shape). The name may be ('title', 'name'). Returns the bytes. */
static size_t npy_field(npy_text *t, npy_header *header, const char *wanted, size_t offset, int depth)
{
  char name[1024];        /* a longer one is cut */
  size_t shape[MOST_DIMENSIONS], count = 1;
  int dimensions;
  npy_expect(t, '(', "a field");
  const int has_title = npy_next(t, '(');
  npy_string(t, "the name of a field in quotes", name, sizeof name);
  if (has_title) {
    npy_expect(t, ',', "a comma");
    npy_string(t, "the name of a field in quotes", name, sizeof name);
    npy_expect(t, ')', ")");
  }
  npy_expect(t, ',', "a comma");
  if (depth == 1)
    list_field(header, name);
  header->has_inner |= depth > 1;
  const char *const rest = rest_of_path(wanted, name);
  const int was_found = header->is_found;
  const size_t bytes = npy_descr(t, header, rest, offset, depth);
  const int is_here = header->is_found && !was_found;
  const int is_leaf = is_here && *rest == '\0';
  if (!npy_next(t, ','))
    npy_expect(t, ')', "a comma or )");
  else if (!npy_next(t, ')')) {
    npy_blanks(t);
    count = t->at < t->end && *t->at == '(' ? npy_shape(t, shape, &dimensions) : npy_dimension(t);
    npy_next(t, ',');
    npy_expect(t, ')', ")");
    if (is_here && !is_leaf)
      fail("%s: the field '%s' is within records of which each item has several", t->file->name, wanted);
    if (is_leaf)
      header->element.count = count;
  }
  if (bytes != 0 && count > SIZE_MAX / bytes)
    fail_large(t);
  return bytes * count;
}

/* A dtype: a string, or a list of fields. wanted: the path of the field in it, "" for this dtype itself,
 * NULL: none of it is wanted. Returns the bytes of an item. */
static size_t npy_descr(npy_text *t, npy_header *header, const char *wanted, size_t offset, int depth)
{
  size_t bytes = 0;
  if (!npy_next(t, '[')) {
    char dtype[48];
    npy_element e;
    npy_string(t, "a dtype in quotes", dtype, sizeof dtype);
    npy_dtype_of(t->file, dtype, &e);
    e.count = 1;
    e.offset = offset;
    if (wanted != NULL && *wanted == '\0' && !header->is_found) {
      header->element = e;
      header->is_found = 1;
    }
    return e.size;
  }
  if (depth == MOST_DEPTH)
    npy_fail(t, "a dtype of fewer records within records");
  header->is_record = 1;
  for (int comma = 1; !npy_next(t, ']'); comma = npy_next(t, ',')) {
    if (!comma)
      npy_fail(t, "a comma or ]");
    const size_t field = npy_field(t, header, wanted, offset + bytes, depth + 1);
    if (field > PTRDIFF_MAX - offset - bytes)
      fail_large(t);
    bytes += field;
  }
  return bytes;
}

/* ---- The whole header ---- */

static void check_fields(const bytes *file, const npy_header *header, const char *field)
{
  if (!header->is_record && field != NULL)
    fail("%s: --field is for records, but the dtype is %s", file->name, header->element.dtype);
  if (header->is_record && field == NULL)
    fail("%s: the elements are records; choose a field by --field: %s", file->name, header->names);
  if (!header->is_found)
    fail("%s: no field of numbers has the name '%s'; there are: %s%s", file->name, field, header->names,
         header->has_inner ? " (of records within them, --field A.B)" : "");
}

static npy_header parse_npy_header(const bytes *file, size_t start, size_t length, int is_latin1, const char *field)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape" };
  npy_header header = { .n = 0 };
  npy_text t = { file, (const char *)file->data + start, (const char *)file->data + start + length, is_latin1 };
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
      const int is_record = t.at < t.end && *t.at == '[';
      header.item = npy_descr(&t, &header, is_record ? field : "", 0, 0);
    } else if (which == 1)
      header.fortran_order = npy_truth(&t);
    else
      header.n = npy_shape(&t, header.shape, &header.dimensions);
  }
  for (unsigned which = 0; which < 3; which++)
    if (!(seen & 1u << which))
      fail("%s: the .npy header has no '%s'", file->name, keys[which]);
  npy_blanks(&t);
  if (t.at != t.end)
    npy_fail(&t, "the header's end");
  return header;
}

/* ---- Elements ---- */

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

/* Replaces items in Fortran order (the first index fastest) by a copy in C order (the last index). */
static void order_rows(array *a, bytes *b, const npy_header *header)
{
  const size_t size = header->element.count * iw_type_size(a->type);
  size_t index[MOST_DIMENSIONS] = { 0 }, stride[MOST_DIMENSIONS], from = 0;
  for (int d = 0; d < header->dimensions; d++)
    stride[d] = d == 0 ? 1 : stride[d - 1] * header->shape[d - 1];
  char *const ordered = need(header->n, size);
  for (size_t i = 0; i < header->n; i++) {
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

/* The field of all records behind one another. */
static array gather_field(bytes *b, size_t start, iw_type type, const npy_header *header)
{
  const npy_element *const e = &header->element;
  const size_t size = e->count * e->size;
  array a = { type, header->n * e->count, NULL, NULL };
  char *const field = need(header->n, size);
  for (size_t i = 0; i < header->n; i++)
    memcpy(field + i * size, b->data + start + i * header->item + e->offset, size);
  a.data = a.owned = field;
  release(b);
  return a;
}

/* The type of the elements. */
static iw_type type_of(const bytes *b, const reading *reading, const npy_element *e)
{
  static const iw_type types[] = { IW_BOOL, IW_I8, IW_U8, IW_I16, IW_U16, IW_F16, IW_I32, IW_U32, IW_F32,
                                   IW_I64, IW_U64, IW_F64 };
  int type = -1;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (npy_code(types[i]).s[1] == e->kind && iw_type_size(types[i]) == e->size)
      type = (int)types[i];
  if (reading->truth && type == IW_BOOL)
    type = IW_U8;
  /* NumPy says of types that it does not know only how many bytes they have; dates are 64-bit integers. */
  const int is_opaque = e->kind == 'V' || ((e->kind == 'M' || e->kind == 'm') && e->size == 8);
  const iw_type given = reading->has_type ? reading->type : reading->opaque;
  if (is_opaque && (reading->has_type || reading->has_opaque) && iw_type_size(given) == e->size &&
      (e->kind == 'V' || given == IW_I64))
    type = (int)given;
  if (type < 0 && is_opaque)
    fail("%s: dtype %s does not say what its %zu byte%s; %s", b->name, e->dtype, e->size,
         e->size == 1 ? " is" : "s are",
         e->kind != 'V'      ? "--type i64 reads dates as integers"
         : e->size == 2 && !reading->takes_type ? "--type bf16 reads bfloat16, which NumPy writes so, if FILE is of it, too"
         : e->size == 2      ? "--type bf16 reads bfloat16, which NumPy writes so"
         : e->size == 1      ? "float8, which NumPy writes so, is not read; --type u8 reads its bits"
                             : "--type takes types of as many bytes");
  if (type < 0)
    fail_dtype(b, e->dtype);
  if (reading->has_type && reading->type != (iw_type)type && reading->member != NULL)
    fail("%s: contains %s, but the elements of '%s' are %s", b->name, iw_type_name((iw_type)type),
         reading->member, iw_type_name(reading->type));
  if (reading->has_type && reading->type != (iw_type)type && !reading->any_type && !reading->takes_type)
    fail("%s: contains %s, where %s is needed", b->name, iw_type_name((iw_type)type), iw_type_name(reading->type));
  if (reading->has_type && reading->type != (iw_type)type && !reading->any_type)
    fail("%s: contains %s, but --type is %s; a .npy file needs no --type", b->name,
         iw_type_name((iw_type)type), iw_type_name(reading->type));
  return (iw_type)type;
}

/* ---- Arrays behind one another ---- */

int is_npy(const char *data, size_t size)
{
  return size >= 6 && memcmp(data, "\x93NUMPY", 6) == 0;
}

/* The header of the array at `start`, and where its data begin. */
static npy_header read_header(const bytes *b, size_t start, const char *field, size_t *data)
{
  const unsigned char *const raw = (const unsigned char *)b->data + start;
  const size_t there = b->size - start;
  const unsigned version = there > 7 ? raw[6] : 0;
  const size_t lead = version == 1 ? 10 : 12;
  if (there < lead)
    fail("%s: a .npy header of %zu bytes is truncated", b->name, there);
  if (version < 1 || version > 3)
    fail("%s: .npy version %u.%u is not one of 1 to 3", b->name, version, raw[7]);
  size_t length = raw[8] | (size_t)raw[9] << 8;
  if (version > 1)
    length |= (size_t)raw[10] << 16 | (size_t)raw[11] << 24;
  if (length > there - lead)
    fail("%s: the .npy header says %zu bytes, but %zu follow", b->name, length, there - lead);
  *data = start + lead + length;
  return parse_npy_header(b, start + lead, length, version < 3, field);
}

array parse_npy(bytes *b, const reading *reading, size_t number)
{
  npy_header header;
  size_t data, end = 0, k = 0;
  do {
    if (k > 0 && !is_npy(b->data + end, b->size - end))
      fail("%s: has %zu array%s, but --array is %zu", b->name, k, k == 1 ? "" : "s", number);
    header = read_header(b, end, reading->field, &data);
    const size_t there = b->size - data, item = header.item;
    if (item != 0 && header.n > SIZE_MAX / item)
      fail("%s: the .npy header's shape has more elements than this machine can address", b->name);
    const size_t size = header.n * item;
    end = data + (size < there ? size : there);
    if (there < size || (there > size && !is_npy(b->data + end, b->size - end)))
      fail("%s: the .npy header says %zu elements of %zu bytes, but %zu bytes follow", b->name, header.n,
           item, there);
  } while (++k < number);
  if (number == 0 && end < b->size)
    note("%s: other arrays follow the first, which is read; --array 2 reads the second", b->name);
  check_fields(b, &header, reading->field);
  const npy_element *const e = &header.element;
  const iw_type type = type_of(b, reading, e);
  if (header.n != 0 && e->count > SIZE_MAX / e->size / header.n)
    fail("%s: the .npy header's shape has more elements than this machine can address", b->name);
  array a = header.is_record ? gather_field(b, data, type, &header) : binary_array(b, data, type, header.n);
  if (e->order == '>' && e->size > 1)
    swap_bytes(own(&a, b), e->size, a.n);
  if (header.fortran_order && a.n > 0)
    order_rows(&a, b, &header);
  return a;
}
