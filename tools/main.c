/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp: the program. Finds the subcommand and ends with its exit status. */
#include "tool.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const command commands[] = {
  { "histogram", HISTOGRAM, "FILE", "count samples into bins and draw a chart",
    "Bins are half open: a sample x is in bin k when edge(k) <= x < edge(k+1). Without --range or --edges\n"
    "the range is that of the data, and its end belongs to the last bin. With -o the counts are written as\n"
    "u64, and no chart is drawn.",
    "isowarp histogram --bins 8 --range 0:1 samples.npy", run_histogram },
  { "scan", SCAN, "FILE", "running sum, minimum or maximum",
    "Float sums have the same bits on every machine: the order of additions is fixed. With one of --flags,\n"
    "--keys and --row-length it starts anew, from --init where there is one, at the places that these name.",
    "isowarp scan --op sum --exclusive samples.npy -o sums.npy", run_scan },
  { "reduce", REDUCE, "FILE", "sum, minimum or maximum of all elements",
    "The result is the last output of the scan, to the bit. For argmin and argmax the first NaN is what counts,\n"
    "where there is one, and the value goes to standard error.", "isowarp reduce --op max samples.npy", run_reduce },
  { "partition", PARTITION, "FILE", "put some elements before the others, each in their order",
    "One of --pivot and --flags is needed. A line on standard error says how many stand on the left.",
    "isowarp partition --pivot 0.5 samples.npy -o sides.npy", run_partition },
  { "select", SELECT, "FILE", "keep the elements with a flag, in their order",
    "--flags is needed. A line on standard error says how many there are.",
    "isowarp select --flags good.npy samples.npy", run_select },
  { "extract", EXTRACT, "FILE", "keep the elements of one bin, in their order",
    "-k is needed; bins count from 0. A line on standard error says how many elements there are.",
    "isowarp extract --bins 8 --range 0:1 -k 6 samples.npy", run_extract },
  { "multisplit", MULTISPLIT, "FILE", "put elements in the order of their bins, or of some of their bits",
    "Elements of no bin come last. Inside a bin the order of the input stays.",
    "isowarp multisplit --bins 8 --range 0:1 --offsets samples.npy", run_multisplit },
  { "verify", VERIFY, "[PART...]", "check that this machine gives the bits that every machine must give",
    "Runs every operation, type and a spread of sizes, prints 'name digest' lines and compares them with the\n"
    "table that is built in. With PARTs, only cases with a PART in their name. Exit status 1: a digest differs.",
    "isowarp verify --isa generic --threads 3 histogram/f32", run_verify },
  { "info", INFO, "", "show what the library runs on, and why", "", "isowarp info --threads 2", run_info },
  { "demo", DEMO, "[NAME]", "run the example kernels and check their values",
    "With --backend cuda the warp size is 32, and the scan of 64 lanes is one of a block. Exit status 1: a value\n"
    "is not what it must be.", "isowarp demo --blocks team", run_demo },
  { "bench", BENCH, "histogram", "show the strategies of a histogram side by side",
    "--strategies is needed. Each strategy counts data of several kinds, from bins in turn to one bin alone, and says how\n"
    "many atomic operations it did, merging included. Times are medians, with the report's way back. Exit status 1:\n"
    "two strategies counted otherwise.", "isowarp bench histogram --strategies --backend cuda", run_bench },
  { NULL, 0, NULL, NULL, NULL, NULL, NULL }
};

_Noreturn void fail(const char *format, ...)
{
  va_list arguments;
  progress_end();
  fflush(stdout);
  fputs("isowarp: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  discard_output();
  _exit(STATUS_BAD);
}

void must(iw_status status)
{
  if (status != IW_OK)
    fail("%s (%s)", iw_message(), iw_status_name(status));
}

void *need_more(void *memory, size_t count, size_t size)
{
  void *more = NULL;
  if (size == 0 || count <= SIZE_MAX / size)
    more = realloc(memory, count > 0 && size > 0 ? count * size : 1);
  if (more == NULL)
    fail("no memory for %zu elements of %zu bytes", count, size);
  return more;
}

void *need(size_t count, size_t size)
{
  return need_more(NULL, count, size);
}

static void stop(int signal_number)
{
  discard_output();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void print_help(void)
{
  printf("isowarp %s: scan, reduce, histogram and partition with the same bits on every machine\n\n"
         "Usage: isowarp SUBCOMMAND [OPTION...] [FILE]\n\n", iw_version());
  for (const command *c = commands; c->name != NULL; c++)
    printf("  %-11s %s\n", c->name, c->summary);
  printf("\n'isowarp SUBCOMMAND --help' has the options and an example. Exit statuses: 0 good, 1 a check failed,\n"
         "2 bad usage or input.\n");
}

int main(int argc, char **argv)
{
  setlocale(LC_CTYPE, ""); /* the chart asks for UTF-8; numbers stay as in C */
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
  signal(SIGINT, stop);
  signal(SIGTERM, stop);

  if (argc < 2)
    fail("no subcommand; 'isowarp --help' lists them");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help();
    finish_output();
    return STATUS_GOOD;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("isowarp %s\n", iw_version());
    finish_output();
    return STATUS_GOOD;
  }
  for (const command *c = commands; c->name != NULL; c++)
    if (strcmp(c->name, argv[1]) == 0) {
      settings settings = read_options(c, argc - 1, argv + 1);
      int status = c->run(&settings);
      progress_end();
      finish_output();
      return status;
    }
  fail("unknown subcommand '%s'; 'isowarp --help' lists them", argv[1]);
}
