/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a target of libFuzzer on saved inputs, with any compiler: replay FILE-OR-DIRECTORY…
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned long inputs;
static const char *current;

/* The target does not return if something is wrong. */
static void name_input(int signal_number)
{
  signal(signal_number, SIG_DFL);
  if (write(STDERR_FILENO, current, strlen(current)) < 0 || write(STDERR_FILENO, " failed\n", 8) < 0)
    _exit(2);
  raise(signal_number);
}

/* 0: it cannot be read. */
static int replay_file(const char *path)
{
  FILE *const file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    return 0;
  const long size = ftell(file);
  uint8_t *const bytes = malloc((size_t)size + (size == 0)); /* alone, for the tools that look at addresses */
  rewind(file);
  if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
    return 0;
  fclose(file);
  current = path;
  LLVMFuzzerTestOneInput(bytes, (size_t)size);
  free(bytes);
  inputs++;
  return 1;
}

static int replay(const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0)
    return 0;
  if (!S_ISDIR(about.st_mode))
    return replay_file(path);
  DIR *const directory = opendir(path);
  int good = directory != NULL;
  for (struct dirent *entry; good && (entry = readdir(directory));) {
    char name[4096];
    if (entry->d_name[0] != '.')
      good = snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name && replay(name);
  }
  if (directory)
    closedir(directory);
  return good;
}

int main(int argc, char **argv)
{
  static const int ends[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    signal(ends[i], name_input);
  for (int i = 1; i < argc; i++)
    if (!replay(argv[i])) {
      fprintf(stderr, "replay: cannot read %s\n", argv[i]);
      return 2;
    }
  printf("%lu inputs\n", inputs);
  return 0;
}
