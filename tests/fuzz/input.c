/* SPDX-License-Identifier: Apache-2.0
 *
 * A target for libFuzzer: the readers of the program isowarp (tools/io/input.c, csv.c, npy.c, beside.c,
 * dictionary.c, npz.c, numbers.c). Three bytes choose the options, the others are the file. The file is no
 * file: each read of it is bounded by the sanitizer, as the bytes are alone in memory of their size.
 * Without libFuzzer, replay.c runs it on saved inputs.
 *
 * What is checked besides addresses: memory is freed; elements are aligned and readable; an element of text
 * has the same bits when it is formatted and parsed again; text that arrives in pieces has the same
 * elements; messages are short.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAVE_ASAN 1
#endif
#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REQUIRE(condition) do { if (!(condition)) { \
  fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); abort(); } } while (0)

/* ---- Memory ---- */

enum { MOST_LIVE = 24 };
static void *live[MOST_LIVE];

/* before: the address that the memory had, as a number, since the pointer may not be used any more; 0 for
 * none. */
static void record(void *memory, uintptr_t before)
{
  for (unsigned i = 0; i < MOST_LIVE; i++)
    if ((uintptr_t)live[i] == before) {
      live[i] = memory;
      return;
    }
  REQUIRE(!"memory that is not known");
}

void *need_more(void *memory, size_t count, size_t size)
{
  /* As in the program. A file of a few KB does not need more than this. */
  if (size && count > ((size_t)1 << 26) / size)
    fail("cannot allocate memory for %zu elements of %zu bytes", count, size);
  const uintptr_t before = (uintptr_t)memory;
  void *const more = realloc(memory, count && size ? count * size : 1);
  REQUIRE(more);
  record(more, before);
  return more;
}

void *need(size_t count, size_t size) { return need_more(NULL, count, size); }

static void release_memory(void *memory)
{
  if (memory)
    record(NULL, (uintptr_t)memory);
  free(memory);
}

/* ---- The file ---- */

static const uint8_t *file_bytes;
static size_t file_size, file_at, mapped_size;
static int file_is_pipe, reads;

static int open_file(const char *path, int flags)
{
  (void)path, (void)flags;
  file_at = 0;
  return 99;
}
static int close_file(int file) { return file - 99; }
static off_t seek_file(int file, off_t at, int from) { (void)file, (void)at, (void)from; return 0; }

static int stat_file(int file, struct stat *about)
{
  memset(about, 0, sizeof *about);
  about->st_mode = file_is_pipe ? S_IFIFO : S_IFREG;
  about->st_size = file_is_pipe ? 0 : (off_t)file_size;
  return file - 99;
}

/* Pieces of 1, 3, 9, … bytes, an interruption before every second one. */
static ssize_t read_file(int file, void *to, size_t room)
{
  size_t most = 1;
  (void)file;
  if (reads++ % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  for (int i = 0; i < reads / 2 && most < room; i++)
    most *= 3;
  size_t bytes = file_size - file_at < most ? file_size - file_at : most;
  bytes = bytes < room ? bytes : room;
  if (bytes)
    memcpy(to, file_bytes + file_at, bytes);
  file_at += bytes;
  return (ssize_t)bytes;
}

/* Zeros follow the bytes up to the end of the page, of which text may read the first. */
enum { PAGE = 4096 };
static void *map_file(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
  const size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
  char *map;
  (void)at, (void)protection, (void)flags, (void)file, (void)offset;
  REQUIRE(bytes == file_size && !mapped_size);
  REQUIRE(posix_memalign((void **)(void *)&map, PAGE, room) == 0);
  memcpy(map, file_bytes, bytes);
  memset(map + bytes, 0, room - bytes);
  if (room > bytes + 1)
    ASAN_POISON_MEMORY_REGION(map + bytes + 1, room - bytes - 1);
  mapped_size = bytes;
  record(map, 0);
  return map;
}

static int unmap_file(void *map, size_t bytes)
{
  REQUIRE(bytes == mapped_size);
  ASAN_UNPOISON_MEMORY_REGION(map, (bytes + PAGE - 1) / PAGE * PAGE);
  mapped_size = 0;
  release_memory(map);
  return 0;
}

/* ---- The program ---- */

static jmp_buf failed;

_Noreturn void fail(const char *format, ...)
{
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  REQUIRE(length > 0 && (size_t)length < sizeof text);
  longjmp(failed, 1);
}

void progress(const char *what, const char *unit, size_t done, size_t total)
{
  (void)what, (void)unit, (void)done, (void)total;
}
void progress_end(void) {}
void note(const char *format, ...) { (void)format; }

#define free(memory) release_memory(memory)
#define open(path, flags) open_file(path, flags)
#define close(file) close_file(file)
#define fstat(file, about) stat_file(file, about)
#define lseek(file, at, from) seek_file(file, at, from)
#define read(file, to, room) read_file(file, to, room)
#define mmap(at, bytes, protection, flags, file, offset) map_file(at, bytes, protection, flags, file, offset)
#define munmap(map, bytes) unmap_file(map, bytes)
const char *input_file(const settings *s) { (void)s; return "file"; }
#define BATCH_BYTES 4
#include "../../tools/io/input.c"
#include "../../tools/io/csv.c"
#include "../../tools/io/npy.c"
#include "../../tools/io/beside.c"
#include "../../tools/io/dictionary.c"
#include "../../tools/io/npz.c"

/* ---- One input ---- */

/* Every element is readable, and the same after it was text. */
static void check_elements(const array *a, int text)
{
  const size_t size = iw_type_size(a->type);
  REQUIRE(size && (uintptr_t)a->data % size == 0);
  for (size_t i = 0; i < a->n; i++) {
    char written[NUMBER_CHARS + 1];
    value v = { 0 }, again = { 0 };
    memcpy(&v, element_at(a->type, a->data, i), size);
    if (a->type == IW_BOOL)
      v.u8 = v.u8 != 0;
    if (!text && i >= 16)
      continue;
    const int length = format_value(a->type, &v, written);
    REQUIRE(length > 0 && length < NUMBER_CHARS);
    const char *const wrong = parse_value(a->type, written, written + length, &again);
    REQUIRE(!wrong);
    const double number = number_value(a->type, &v);
    REQUIRE(number != number || !memcmp(&v, &again, size));
  }
}

/* Two columns with keys: each value has a key, whose place in the order is one of those of all keys. */
static void read_groups_of(const reading *how, const char *keys)
{
  csv_field fields[] = { { .wanted = how->column, .option = "--columns", .type = how->type },
                         { .wanted = "2", .option = "--columns", .type = IW_F64 } };
  csv_field key = { .wanted = keys, .option = "--group-by" };
  struct bytes file = load_csv("file", how);
  dictionary *const d = dictionary_make();
  parse_csv(&file, how, &(csv_columns){ .fields = fields, .count = 2, .key = &key, .keys = d });
  release(&file);
  uint32_t *const ranks = dictionary_ranks(d, &how->dialect);
  for (int i = 0; i < 2; i++) {
    const array values = finished(&fields[i].values), numbers = finished(&fields[i].keys);
    REQUIRE(values.n == numbers.n);
    check_elements(&values, 1);
    for (size_t k = 0; k < numbers.n; k++)
      REQUIRE(ranks[((const uint32_t *)numbers.data)[k]] < dictionary_count(d));
    free(values.owned);
    free(numbers.owned);
    free(fields[i].name);
  }
  free(ranks);
  free(key.name);
  dictionary_free(d);
}

/* Two columns, or text as both the elements and what stands beside them. */
static void read_two(const reading *how)
{
  const settings s = { .input = *how };
  beside other = { .option = "--weights", .name = how->column != NULL ? "2" : "file",
                   .same_type = how->type & 1 };
  const array elements = read_with(&s, &other, 1);
  REQUIRE(elements.n == other.values.n);
  check_elements(&elements, 1);
  check_elements(&other.values, 1);
  free(elements.owned);
  free(other.values.owned);
}

/* Text of a pipe has the same elements in pieces. */
static void check_stream(const reading *how, const array *whole)
{
  const size_t size = iw_type_size(whole->type);
  size_t done = 0;
  array batch;
  stream *const s = stream_open("file", how);
  for (int more = 1; more;) {
    more = stream_next(s, &batch);
    REQUIRE(batch.n <= whole->n - done);
    for (size_t i = 0; i < batch.n; i++)
      REQUIRE(memcmp(element_at(batch.type, batch.data, i), element_at(whole->type, whole->data, done + i), size) == 0);
    done += batch.n;
    free(batch.owned);
  }
  REQUIRE(done == whole->n);
  stream_close(s);
}
#undef free

/* How text is divided: as it is without options, or as with many. */
static dialect dialect_of(unsigned choice, char delimiter)
{
  dialect d = plain_dialect;
  d.delimiter = delimiter;
  if (choice == 1) {
    d.quote = d.comment = NO_CHARACTER;
    d.header = HEADER_YES;
    d.ragged = 1;
  } else if (choice == 2) {
    d.quote = '\'';
    d.comment = '%';
    d.decimal = ',';
    d.thousands = '.';
    d.header = HEADER_NO;
    d.delimiter = delimiter == ',' ? ';' : delimiter;
  }
  return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char delimiters[] = { ',', ';', '\t', ' ' };
  static const char *const columns[] = { NULL, "1", "2", "x", "3", "a b", "", "1000000000" };
  static const char *const arrays[] = { NULL, NULL, "x", "y" };
  if (size < 3)
    return 0;
  const unsigned first = bytes[0], second = bytes[1], third = bytes[2];
  reading how = {
    .has_type = first & 1, .type = IW_F64, .format = (format)(first >> 1 & 7) % (FORMAT_CSV + 1),
    .column = columns[third & 7], .truth = second >> 5 & 1,
    .array = arrays[second >> 6], .skip_missing = first >> 6 & 1, .missing = third >> 6 == 1 ? "-,0" : NULL,
    .takes_type = 1, .takes_skip = 1, .skip_lines = third >> 6 == 2,
    .dialect = dialect_of(third >> 6, first & 128 ? BLANKS : delimiters[second >> 3 & 3]),
  };
  if (third >> 6 == 3) { /* a .npy file of records, or of several arrays */
    how.field = second & 8 ? "a" : second & 16 ? "a.b" : NULL;
    how.array = second & 8 ? NULL : "2";
  }
  if (how.has_type)
    how.type = (iw_type)(IW_U8 + (second & 7));
  file_bytes = bytes + 3;
  file_size = size - 3;
  file_at = mapped_size = 0;
  file_is_pipe = first >> 4 & 1;
  reads = 0;
  if (how.column != NULL && columns[third >> 3 & 7] != NULL && first & 32) {
    if (!setjmp(failed)) {
      read_groups_of(&how, columns[third >> 3 & 7]);
      for (unsigned i = 0; i < MOST_LIVE; i++)
        REQUIRE(live[i] == NULL);
    }
  } else if (first & 32 && (how.column != NULL || (how.format == FORMAT_TEXT && file_is_pipe))) {
    if (!setjmp(failed)) {
      read_two(&how);
      for (unsigned i = 0; i < MOST_LIVE; i++)
        REQUIRE(live[i] == NULL);
    }
  } else if (!setjmp(failed)) {
    array a = read_array("file", &how);
    check_elements(&a, how.format == FORMAT_TEXT || how.format == FORMAT_CSV);
    /* What is left is the array's, or the mapping that its elements are in. */
    unsigned left = 0;
    for (unsigned i = 0; i < MOST_LIVE; i++)
      left += live[i] != NULL;
    REQUIRE(left == (a.owned || mapped_size));
    if (file_is_pipe && how.format == FORMAT_TEXT && how.column == NULL) {
      reads = 0;
      if (setjmp(failed))
        REQUIRE(!"text in pieces is refused");
      check_stream(&how, &a);
    }
    if (a.owned)
      release_memory(a.owned);
  }
  for (unsigned i = 0; i < MOST_LIVE; i++)
    if (live[i]) {
      if (mapped_size && (uintptr_t)live[i] % PAGE == 0)
        ASAN_UNPOISON_MEMORY_REGION(live[i], (mapped_size + PAGE - 1) / PAGE * PAGE);
      free(live[i]);
      live[i] = NULL;
    }
  return 0;
}
