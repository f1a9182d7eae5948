/* SPDX-License-Identifier: Apache-2.0
 *
 * For LD_PRELOAD, by tests/scripts/file_faults.sh: one call of the C library fails, number FAULT_AT of
 * those of a FAULT_KIND, and the function's name is written to the file FAULT_REPORT. Kinds: files (with
 * errno FAULT_ERRNO), short (reads and writes of one byte) and memory. Calls are counted from the program's
 * first one in main(), setlocale(), on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OFF, FILES, SHORT, MEMORY };
static int kind, error;
static unsigned at, count;

char *setlocale(int category, const char *locale)
{
  static char *(*next)(int, const char *);
  *(void **)&next = dlsym(RTLD_NEXT, "setlocale");
  const char *const name = getenv("FAULT_KIND"), *const number = getenv("FAULT_AT"), *const code = getenv("FAULT_ERRNO");
  at = number ? (unsigned)atoi(number) : 0;
  error = code ? atoi(code) : EIO;
  kind = !name ? OFF : !strcmp(name, "files") ? FILES : !strcmp(name, "short") ? SHORT : MEMORY;
  return next(category, locale);
}

/* Whether this call is to fail. Makes no call of the C library that could be one of those counted. */
static int fails(int of_kind, const char *name)
{
  if (kind != of_kind || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != at)
    return 0;
  const char *const report = getenv("FAULT_REPORT");
  const long file = report ? syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0) {
    syscall(SYS_write, file, name, strlen(name));
    syscall(SYS_close, file);
  }
  errno = error;
  return 1;
}

#define NEXT(type, name, ...) static type (*next)(__VA_ARGS__); if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name)

int open(const char *path, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(list, int) : 0;
  va_end(list);
  NEXT(int, open, const char *, int, ...);
  return fails(FILES, "open") ? -1 : next(path, flags, mode);
}
ssize_t read(int file, void *to, size_t bytes)
{
  NEXT(ssize_t, read, int, void *, size_t);
  return fails(FILES, "read") ? -1 : next(file, to, bytes && fails(SHORT, "read") ? 1 : bytes);
}
ssize_t write(int file, const void *from, size_t bytes)
{
  NEXT(ssize_t, write, int, const void *, size_t);
  return fails(FILES, "write") ? -1 : next(file, from, bytes && fails(SHORT, "write") ? 1 : bytes);
}
ssize_t pwrite(int file, const void *from, size_t bytes, off_t to)
{
  NEXT(ssize_t, pwrite, int, const void *, size_t, off_t);
  return fails(FILES, "pwrite") ? -1 : next(file, from, bytes && fails(SHORT, "pwrite") ? 1 : bytes, to);
}
int close(int file)
{
  NEXT(int, close, int);
  const int written = (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
  const int failed = fails(FILES, written ? "close of a written file" : "close"), result = next(file); /* it is closed nevertheless, as Linux does */
  errno = failed ? error : errno;
  return failed ? -1 : result;
}
int fstat(int file, struct stat *about)
{
  NEXT(int, fstat, int, struct stat *);
  return fails(FILES, "fstat") ? -1 : next(file, about);
}
int stat(const char *path, struct stat *about)
{
  NEXT(int, stat, const char *, struct stat *);
  return fails(FILES, "stat") ? -1 : next(path, about);
}
off_t lseek(int file, off_t to, int from)
{
  NEXT(off_t, lseek, int, off_t, int);
  return fails(FILES, "lseek") ? -1 : next(file, to, from);
}
void *mmap(void *where, size_t bytes, int protection, int flags, int file, off_t from)
{
  NEXT(void *, mmap, void *, size_t, int, int, int, off_t);
  return fails(FILES, "mmap") ? MAP_FAILED : next(where, bytes, protection, flags, file, from);
}
int mkstemp(char *name)
{
  NEXT(int, mkstemp, char *);
  return fails(FILES, "mkstemp") ? -1 : next(name);
}
int fchmod(int file, mode_t mode)
{
  NEXT(int, fchmod, int, mode_t);
  return fails(FILES, "fchmod") ? -1 : next(file, mode);
}
int rename(const char *from, const char *to)
{
  NEXT(int, rename, const char *, const char *);
  return fails(FILES, "rename") ? -1 : next(from, to);
}
ssize_t readlink(const char *path, char *to, size_t bytes)
{
  NEXT(ssize_t, readlink, const char *, char *, size_t);
  return fails(FILES, "readlink") ? -1 : next(path, to, bytes);
}
int fflush(FILE *stream)
{
  NEXT(int, fflush, FILE *);
  return stream == stdout && fails(FILES, "fflush") ? EOF : next(stream);
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
static int no_memory(const char *name)
{
  const int failed = fails(MEMORY, name);
  if (failed)
    errno = ENOMEM;
  return failed;
}
void *malloc(size_t bytes) { return no_memory("malloc") ? NULL : __libc_malloc(bytes); }
void *calloc(size_t number, size_t size) { return no_memory("calloc") ? NULL : __libc_calloc(number, size); }
void *realloc(void *memory, size_t bytes) { return no_memory("realloc") ? NULL : __libc_realloc(memory, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
  void *const made = no_memory("posix_memalign") ? NULL : __libc_memalign(alignment, bytes);
  if (made)
    *memory = made;
  return made ? 0 : ENOMEM;
}
