/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes text to standard output and .npy files, which are renamed when they are complete. Shows progress
 * and times. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- .npy ---- */

static char *volatile half_written; /* the name of an incomplete file, or NULL */

void discard_output(void)
{
  if (half_written != NULL)
    unlink(half_written);
  half_written = NULL;
}

void note_incomplete(char *name)
{
  half_written = name;
}

/* A closed pipe, as of "isowarp scan x.npy | head", ends the program as it ends others: quietly, by its
 * signal. */
_Noreturn static void fail_writing(const char *name, int error)
{
  if (error == EPIPE && !ranks_are_open())
    end_by_pipe();
  fail("%s: %s", name, strerror(error));
}

void write_all(int file, const char *name, const void *data, size_t bytes)
{
  const char *at = data;
  size_t left = bytes;
  while (left > 0) {
    ssize_t wrote = write(file, at, left < 1 << 24 ? left : 1 << 24);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      fail_writing(name, errno);
    at += wrote;
    left -= (size_t)wrote;
    progress("writing", "B", bytes - left, bytes);
  }
  progress_end();
}

void make_npy_header(char header[NPY_HEADER + 1], iw_type type, size_t n)
{
  int length = snprintf(header + 10, NPY_HEADER - 9,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", npy_code(type).s, n);
  memcpy(header, "\x93NUMPY\1\0\166\0", 10); /* version 1.0; 118 bytes follow */
  memset(header + 10 + length, ' ', (size_t)(NPY_HEADER - 10 - length));
  header[NPY_HEADER - 1] = '\n';
}

static void write_npy(int file, const char *name, iw_type type, const void *data, size_t n)
{
  char header[NPY_HEADER + 1];
  make_npy_header(header, type, n);
  write_all(file, name, header, NPY_HEADER);
  write_all(file, name, data, n * iw_type_size(type));
}

/* The file that a path names, behind any symbolic links; it need not exist. */
static char *behind_links(const char *path)
{
  enum { MOST_LINKS = 40, MOST_BYTES = 4096 };
  char *at = strcpy(need(strlen(path) + 1, 1), path), link[MOST_BYTES];
  for (int links = 0; ; links++) {
    const ssize_t length = readlink(at, link, sizeof link);
    if (length < 0)
      return at;
    if (length == MOST_BYTES || links == MOST_LINKS)
      fail("%s: %s", path, strerror(length == MOST_BYTES ? ENAMETOOLONG : ELOOP));
    const char *const slash = strrchr(at, '/');
    const size_t folder = slash && link[0] != '/' ? (size_t)(slash - at) + 1 : 0;
    char *const next = need(folder + (size_t)length + 1, 1);
    memcpy(next, at, folder);
    memcpy(next + folder, link, (size_t)length);
    next[folder + (size_t)length] = '\0';
    free(at);
    at = next;
  }
}

/* What write_file() and write_made() write. */
typedef struct content {
  const iw_type *type; /* of elements of .npy; NULL: bytes as they are */
  const void *data;
  size_t n;
} content;

static void write_content(int file, const char *name, const content *c)
{
  if (c->type != NULL)
    write_npy(file, name, *c->type, c->data, c->n);
  else
    write_all(file, name, c->data, c->n);
}

int is_pipe(const char *path)
{
  struct stat about;
  return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)); /* a device, too */
}

destination begin_file(const char *path)
{
  destination d = { .path = path, .file = STDOUT_FILENO };
  struct stat about;
  if (strcmp(path, "-") == 0) {
    finish_output();
    d.path = "standard output";
    return d;
  }
  if (is_pipe(path)) {
    if ((d.file = open(path, O_WRONLY | O_CLOEXEC)) < 0)
      fail("%s: %s", path, strerror(errno));
    return d;
  }
  d.target = behind_links(path);
  d.name = need(strlen(d.target) + 8, 1);
  strcat(strcpy(d.name, d.target), ".XXXXXX");
  /* Signals wait while the file exists and its name is not known to discard_output(). */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if ((d.file = mkstemp(d.name)) >= 0)
    half_written = d.name;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (d.file < 0)
    fail("%s: %s", path, strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(d.file, stat(d.target, &about) == 0 ? about.st_mode & 07777 : 0666 & ~mask) != 0)
    fail("%s: %s", path, strerror(errno));
  return d;
}

void end_file(destination *d)
{
  if (d->file == STDOUT_FILENO)
    return;
  if (close(d->file) != 0 || (d->name != NULL && rename(d->name, d->target) != 0))
    fail("%s: %s", d->path, strerror(errno));
  half_written = NULL;
  free(d->name);
  free(d->target);
}

static void write_to(const char *path, const content *c)
{
  if (ranks_rank() > 0)
    return;
  destination d = begin_file(path);
  write_content(d.file, d.path, c);
  end_file(&d);
}

void check_dtype(const char *path, iw_type type)
{
  if (!npy_code(type).s[0])
    fail("%s: .npy files have no dtype for %s, which is written as text only", path, iw_type_name(type));
}

void write_file(const char *path, iw_type type, const void *data, size_t n)
{
  check_dtype(path, type);
  write_to(path, &(content){ &type, data, n });
}

void write_bytes(const char *path, const void *data, size_t size)
{
  write_to(path, &(content){ NULL, data, size });
}

void write_made(const char *option, const char *path, void (*make)(FILE *out))
{
  char *text = NULL;
  size_t size = 0;
  FILE *const out = open_memstream(&text, &size);
  if (out == NULL)
    fail("%s: cannot allocate memory", option);
  make(out);
  const int failed = ferror(out);
  if (fclose(out) != 0 || failed)
    fail("%s: cannot allocate memory", option);
  write_to(path, &(content){ NULL, text, size });
  free(text);
}

void put_escaped(FILE *out, const char *text)
{
  for (; *text; text++)
    switch (*text) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    case '"': fputs("&quot;", out); break;
    default:
      if ((unsigned char)*text >= ' ' || *text == '\t')
        fputc(*text, out);
    }
}

int ends_with(const char *name, const char *end)
{
  return strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

/* ---- Text ---- */

void write_numbers(iw_type type, const void *data, size_t n)
{
  char text[NUMBER_CHARS];
  for (size_t i = 0; i < n; i++) {
    int length = format_value(type, element_at(type, data, i), text);
    text[length] = '\n';
    if (fwrite(text, 1, (size_t)length + 1, stdout) != (size_t)length + 1)
      break; /* finish_output() reports it */
    if (i % 65536 == 65535)
      progress("writing", "elements", i + 1, n);
  }
  progress_end();
}

void write_array(const settings *s, iw_type type, const void *data, size_t n)
{
  if (s->output != NULL) {
    write_file(s->output, type, data, n);
    return;
  }
  write_numbers(type, data, n);
  finish_output();
}

void finish_output(void)
{
  if (fflush(stdout) != 0 || ferror(stdout))
    fail_writing("standard output", errno);
}

/* The character of UTF-8 at the beginning of a text, and its bytes; 0 of them if it is none. */
static unsigned long utf8_character(const char *text, size_t *bytes)
{
  const unsigned char first = (unsigned char)*text;
  const size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  unsigned long character = more == 0 ? first : first & (0x3fu >> more);
  *bytes = 0;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4)
    return first;
  for (size_t i = 1; i <= more; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return first;
    character = character << 6 | ((unsigned char)text[i] & 0x3fu);
  }
  *bytes = more + 1;
  return character;
}

/* All but controls, blanks other than the space, and marks without a width. */
static int is_seen(unsigned long c)
{
  return c >= ' ' && !(c >= 0x7f && c <= 0xa0) && c != 0xad && c != 0x1680 && !(c >= 0x2000 && c <= 0x200f) &&
         !(c >= 0x2028 && c <= 0x202f) && !(c >= 0x205f && c <= 0x206f) && c != 0x3000 && c != 0xfeff;
}

void put_seen(FILE *out, const char *text)
{
  for (size_t bytes; *text; text += bytes) {
    const unsigned long character = utf8_character(text, &bytes);
    if (bytes > 0 && is_seen(character))
      fwrite(text, 1, bytes, out);
    else
      fprintf(out, bytes > 1 ? "\\u%04lx" : "\\x%02lx", character);
    bytes += bytes == 0;
  }
}

void note(const char *format, ...)
{
  static char text[1 << 14]; /* what is longer is cut */
  va_list arguments;
  if (ranks_rank() > 0)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fputs("isowarp: ", stderr);
  put_seen(stderr, text);
  fputc('\n', stderr);
}

/* ---- Progress and times ---- */

double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct { int initialised, wanted, shown; double start, latest; } bar;

/* "1.23 G": three digits and the prefix of a power of 1000. */
static void put_magnitude(double x)
{
  static const char *const prefixes[] = { "", "k", "M", "G", "T" };
  int power = 0;
  for (; x >= 999.5 && power < 4; power++)
    x /= 1000;
  fprintf(stderr, "%.*f %s", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x, prefixes[power]);
}

void progress(const char *what, const char *unit, size_t done, size_t total)
{
  double now;
  if (!bar.initialised) {
    bar.initialised = 1;
    bar.wanted = isatty(STDERR_FILENO) && ranks_rank() == 0;
  }
  if (!bar.wanted)
    return;
  now = seconds_now();
  if (bar.start == 0)
    bar.start = now;
  const double passed = now - bar.start;
  if (passed < 2 || now - bar.latest < 0.1)
    return;
  bar.latest = now;
  bar.shown = 1;
  fprintf(stderr, "\risowarp: %s ", what);
  if (total > 0)
    fprintf(stderr, "%3.0f%%, ", 100.0 * (double)done / (double)total);
  else {
    put_magnitude((double)done);
    fprintf(stderr, "%s, ", unit);
  }
  put_magnitude((double)done / passed);
  fprintf(stderr, "%s/s", unit);
  if (total > 0 && done > 0)
    fprintf(stderr, ", %.0f s left", passed * (double)(total - done) / (double)done);
  fputs("\033[K", stderr);
}

void progress_end(void)
{
  if (bar.shown)
    fputs("\r\033[K", stderr);
  bar.shown = 0;
  bar.start = 0;
}

void print_stats(const settings *s, size_t elements, iw_type type, double seconds)
{
  if (s->stats)
    note("%zu elements of %s in %.6f s, %.3f GB/s of input", elements, iw_type_name(type), seconds,
         seconds > 0 ? 1e-9 * (double)elements * (double)iw_type_size(type) / seconds : 0);
}

/* ---- Numbers in JSON and CSV ---- */

void put_number_text(const char *text, int quoted)
{
  printf(quoted && strchr(text, 'n') != NULL ? "\"%s\"" : "%s", text);
}

void put_number(iw_type type, const void *element, int quoted)
{
  put_number_text(element_text(type, element).s, quoted);
}

void put_list(const char *name, iw_type type, const void *data, size_t n)
{
  printf("\"%s\": [", name);
  for (size_t i = 0; i < n; i++) {
    fputs(i ? ", " : "", stdout);
    put_number(type, element_at(type, data, i), 1);
  }
  putchar(']');
}
