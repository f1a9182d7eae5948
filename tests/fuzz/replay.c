/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a target of libFuzzer on saved inputs, with any compiler: replay FILE…. A file NAME.corpus has an
 * input in each line, as hexadecimal digits; any other file is one input.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
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

static void run_input(const char *name, const uint8_t *bytes, size_t size)
{
  uint8_t *const alone = malloc(size + (size == 0)); /* for the tools that look at addresses */
  if (!alone)
    abort();
  memcpy(alone, bytes, size);
  current = name;
  LLVMFuzzerTestOneInput(alone, size);
  free(alone);
  inputs++;
}

/* The inputs of a corpus: a line each, as hexadecimal digits. A line of another form is an error. */
static int replay_corpus(const char *path, FILE *file)
{
  char *line = NULL;
  size_t room = 0;
  unsigned long number = 0;
  int good = 1;
  for (ssize_t length; good && (length = getline(&line, &room, file)) > 0;) {
    char name[4096];
    const size_t size = strcspn(line, "\n") / 2;
    good = line[2 * size] == '\n' && line[strspn(line, "0123456789abcdef")] == '\n'
      && snprintf(name, sizeof name, "%s:%lu", path, ++number) < (int)sizeof name;
    for (size_t i = 0; good && i < size; i++) {
      const char digits[] = { line[2 * i], line[2 * i + 1], 0 };
      ((uint8_t *)line)[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    if (good)
      run_input(name, (const uint8_t *)line, size);
  }
  free(line);
  return good && number > 0;
}

/* One input, as libFuzzer saves it. */
static int replay_bytes(const char *path, FILE *file)
{
  if (fseek(file, 0, SEEK_END) != 0)
    return 0;
  const long size = ftell(file);
  uint8_t *const bytes = malloc((size_t)size + 1);
  rewind(file);
  const int good = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  if (good)
    run_input(path, bytes, (size_t)size);
  free(bytes);
  return good;
}

/* 0: it cannot be read. */
static int replay(const char *path)
{
  const char *const suffix = strrchr(path, '.');
  FILE *const file = fopen(path, "rb");
  if (!file)
    return 0;
  const int good = suffix && strcmp(suffix, ".corpus") == 0 ? replay_corpus(path, file) : replay_bytes(path, file);
  fclose(file);
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
