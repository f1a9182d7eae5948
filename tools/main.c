/* SPDX-License-Identifier: Apache-2.0
 *
 * The program isowarp: calls the subcommand and exits with its status. */
#include <config.h>
#include "commands/commands.h"
#include "kernels/kernels.h"

#include <locale.h>
#ifdef HAVE__NSGETEXECUTABLEPATH
#include <mach-o/dyld.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const command commands[] = {
  { "histogram", HISTOGRAM, "FILE", "count samples into bins and draw a chart",
    "Bins are half open: a sample x is in bin k if edge(k) <= x < edge(k+1). Without --range or --edges\n"
    "the bins cover the range of the data, and its end belongs to the last bin. Output says which: [a, b)\n"
    "is without b, [a, b] with it, which is closed_top in JSON. With -o the counts are written as u64, and\n"
    "no chart is drawn. Samples in no bin are counted on standard error where the output has no line for\n"
    "them.",
    "isowarp histogram --bins 8 --range 0:1 samples.npy", run_histogram },
  { "scan", SCAN, "FILE", "running sum, minimum, maximum or product",
    "Float sums have the same bits on every machine, because the order of additions is fixed. --flags,\n"
    "--keys, --row-length and --offsets divide the elements into segments; the scan starts again at\n"
    "each segment, from --init if it is given.",
    "isowarp scan --op sum --exclusive samples.npy -o sums.npy", run_scan },
  { "reduce", REDUCE, "FILE", "sum, minimum, maximum or product of all elements",
    "The result is equal to the last output of the scan, to the bit. argmin and argmax print the index\n"
    "of the first NaN if there is one. They print the element to standard error. A group of --group-by\n"
    "has the bits that its elements alone give, in their order, and its argmin counts all elements. Of no\n"
    "elements the result is 0 for sum, 1 for product, the largest value of the type or inf for min, and its\n"
    "smallest value or -inf for max; argmin and argmax give 0.",
    "isowarp reduce --op max samples.npy", run_reduce },
  { "describe", DESCRIBE, "FILE", "number, sum, mean, variance, quantiles, smallest and largest element",
    "NaNs are counted and left out. Sums are exact and rounded once, so that the order of the\n"
    "elements does not matter. The variance is that of a sample (divided by count - 1), deviation is\n"
    "its square root. Mean and variance are rounded once, too. Quantiles lie between the two nearest\n"
    "elements, by linear interpolation, and are printed as the element where they are one; of 64-bit\n"
    "integers all digits are right. Halfway between -inf and inf is 0. With --columns and --group-by each\n"
    "column and group has a line; a key with the name of a result is printed as \"count (key)\".",
    "isowarp describe --quantiles 0.01,0.5,0.99 samples.npy", run_describe },
  { "partition", PARTITION, "FILE", "move selected elements to the left of the others, both in their order",
    "A comparison such as --less or --flags is needed. The number of elements on the left is printed to\n"
    "standard error.",
    "isowarp partition --pivot 0.5 samples.npy -o sides.npy", run_partition },
  { "select", SELECT, "FILE", "write the elements with a flag or that compare, in their order",
    "A comparison such as --less or --flags is needed. The number of selected elements is printed to\n"
    "standard error.",
    "isowarp select --greater-equal 0.5 samples.npy", run_select },
  { "unique", UNIQUE, "FILE", "write the first element of each run of equal neighbours",
    "Elements are equal if their bits are, or with --by-value their values. The elements are not sorted\n"
    "before.",
    "isowarp unique --count samples.npy", run_unique },
  { "run-lengths", RUN_LENGTHS, "FILE", "write each run of equal neighbours and its length",
    "Text has a value and a length in each line. With -o the lengths are written as u64; 'isowarp unique'\n"
    "writes the values.",
    "isowarp run-lengths states.npy", run_run_lengths },
  { "extract", EXTRACT, "FILE", "write the elements of one bin, in their order",
    "-k is needed; bins are counted from 0. The number of elements is printed to standard error.",
    "isowarp extract --bins 8 --range 0:1 -k 6 samples.npy", run_extract },
  { "multisplit", MULTISPLIT, "FILE", "sort elements by bin, or by some of their bits",
    "The sort is stable. Elements in no bin come last.",
    "isowarp multisplit --bins 8 --range 0:1 --offsets samples.npy", run_multisplit },
  { "digitize", DIGITIZE, "FILE", "write the index of each sample's bin",
    "Bins are counted from 0, and are those of 'isowarp histogram' with the same options. With -o the\n"
    "indices are written as u32.",
    "isowarp digitize --bins 8 --range 0:1 samples.npy -o indices.npy", run_digitize },
  { "sort", SORT, "FILE", "sort elements, or their indices, or elements by other keys",
    "The sort is stable, also with --descending. -0 comes before +0, and NaN last, with --descending\n"
    "first. Input and output have to fit into memory.",
    "isowarp sort --descending samples.npy -o sorted.npy", run_sort },
  { "merge", MERGE, "FILE...", "merge sorted files",
    "Each file is checked to be sorted as 'isowarp sort' sorts, with --descending greatest first. Elements of\n"
    "all files have one type. Equal elements keep the order of the files. Inputs and output have to fit into\n"
    "memory.",
    "isowarp merge monday.npy tuesday.npy -o both.npy", run_merge },
  { "top-k", TOP_K, "FILE", "write the k largest or smallest elements, or their indices",
    "-k is needed. The elements are those that 'isowarp sort --descending' writes first, with --smallest\n"
    "'isowarp sort'; of equal elements those of smaller index come first, and NaN is the largest.",
    "isowarp top-k -k 10 samples.npy", run_top_k },
  { "nth", NTH, "FILE", "print the element that a sort moves to an index",
    "-k is needed; indices are counted from 0. The element's index in FILE is printed to standard error.",
    "isowarp nth -k 100 samples.npy", run_nth },
  { "median", MEDIAN, "FILE", "print the middle element",
    "Of an even number of elements the lower one of the two in the middle; NaN is larger than all numbers.\n"
    "The element's index is printed to standard error. The quantile 0.5 of 'isowarp describe' lies between\n"
    "the two, leaves NaN out, and is that of each group with --group-by.",
    "isowarp median samples.npy", run_median },
  { "verify", VERIFY, "[PART...]", "check that this machine gives the bits that every machine must give",
    "Runs every operation and type with a range of sizes, prints 'name digest' lines and compares the\n"
    "digests with the built-in table. With PARTs it runs the cases that have a PART in their name. Exit\n"
    "status 1: a digest differs.",
    "isowarp verify --isa generic --threads 3 histogram/f32", run_verify },
  { "info", INFO, "", "show what the library runs on, and why", "", "isowarp info --threads 2", run_info },
  { "demo", DEMO, "[NAME]", "run the example kernels and check their values",
    "With --backend cuda the warp size is 32, and a block of two warps scans the 64 lanes. Exit status\n"
    "1: a value is wrong.",
    "isowarp demo --blocks team", run_demo },
  { "run", RUN, "FILE", "compile a kernel, run it, and print or compare what it writes",
    "FILE.c is a kernel of isowarp's language, FILE.cu one of CUDA C++, which runs on the simulated GPU only.\n"
    "The default backend is sim, a simulated GPU with all checks. FILE.c needs no main function. Each\n"
    "member of the kernel's argument struct needs one --arg. VALUE is\n"
    "  for a number       256\n"
    "  for an array       @FILE (as of the other subcommands), 3,1,4 or 0:256 (0 to 255)\n"
    "  for an array       f32[256], which nothing has written (the name of the type may be left out),\n"
    "                     or f32[256]=0, whose elements are all 0\n"
    "What the arrays hold afterwards is printed, except of pointers to const. Exit status 1: --expect\n"
    "found a difference; 3: the simulated GPU found an error in the kernel.",
    "isowarp run kernel.c --grid 4 --block 64 --arg in=@data.npy --arg out=f32[256] --arg n=256", run_run },
  { "cuda", CUDA, "FILE.cu... [-- ARG...]", "compile a program in CUDA C++, and run it on the simulated GPU with all checks",
    "Needs a C++ compiler (g++, or CXX) and nothing else. The program runs under four schedules; what it\n"
    "prints is that of the first. CXXFLAGS may have -I and -D. ISOWARP_SIM_SCHEDULE (ascending, descending,\n"
    "random) and ISOWARP_SIM_SEED choose one schedule, ISOWARP_SIM_REPORT a file for all findings. Exit\n"
    "status 3: an error was found in a kernel; else the program's.",
    "isowarp cuda program.cu -- 1000", run_cuda },
  { "compile", COMPILE, "FILE.c", "compile a kernel, and print what its arguments are as JSON",
    "-o is needed; the shared object is written there, for programs that load kernels, such as the Python\n"
    "package. The default backend is sim.",
    "isowarp compile kernel.c --backend cpu -o kernel.so", run_compile },
  { NULL, 0, NULL, NULL, NULL, NULL, NULL }
};

static void print_error(const char *format, va_list arguments)
{
  static char text[1 << 14]; /* room for two paths; what is longer is cut */
  progress_end();
  fflush(stdout);
  vsnprintf(text, sizeof text, format, arguments);
  if (ranks_failure()) {
    fputs("isowarp: ", stderr);
    put_seen(stderr, text);
    fputc('\n', stderr);
  }
  discard_compilation();
  discard_output();
  ranks_end_failure();
}

_Noreturn void fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_error(format, arguments);
  va_end(arguments);
  _exit(STATUS_BAD);
}

static _Noreturn void fail_finding(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_error(format, arguments);
  va_end(arguments);
  close_context(); /* writes the report of ISOWARP_SIM_REPORT */
  _exit(STATUS_FINDING);
}

/* Words of the library's messages, and what the user of the program has typed instead. */
static const struct { const char *member, *option; } typed[] = {
  { "test->bins: ", "" }, { "buckets->bins: ", "" },
  { "spec->lo and spec->hi give", "--range gives" },
  { "spec->bins", "--bins" },
  { "lo and hi give", "--range gives" },
  { "give lo and hi", "give --range" },
  { "samples has", "the input has" },
  { "plan has", "there are" },
  { "bins is ", "--bins is " },
  { "power is ", "--power is " },
  { "segments->offsets[", "--offsets[" },
  { "segments->offsets is", "--offsets is" }, { "segments->flags is", "--flags is" }, { "segments->keys is", "--keys is" },
  { "spec->edges", "--edges" },
  { "spec->policy", "--policy" },
  { "op is ", "--op is " },
  { "buckets->bits", "--bits" }, { "buckets->bit is", "the first bit of --bits is" },
  { "options->isa", "--isa" },
  { "options->threads", "--threads" },
  { "options->blocks", "--blocks" },
  { "options->backend", "--backend" },
#define OPERATOR(NAME, name, takes, result) { "IW_" #NAME, #name },
  IW_BUILTIN_OPERATORS(OPERATOR)
#undef OPERATOR
};

static const char *typed_axis; /* "y-" while --y-range, --y-bins and --y-edges are what was typed */
static int range_of_samples;   /* 1 if no range was typed */

void name_axis(const char *axis)
{
  typed_axis = axis;
}

void name_range(int is_of_samples)
{
  range_of_samples = is_of_samples;
}

/* The library's message in words of the command line. */
static const char *typed_message(char *text, size_t capacity)
{
  size_t length = 0;
  for (const char *at = iw_message(); *at != '\0' && length + 40 < capacity;) {
    size_t i = 0;
    while (i < sizeof typed / sizeof *typed && strncmp(at, typed[i].member, strlen(typed[i].member)) != 0)
      i++;
    if (i < sizeof typed / sizeof *typed) {
      const char *const option = strstr(typed[i].option, "--");
      if (range_of_samples && strcmp(typed[i].option, "--range gives") == 0)
        length += (size_t)sprintf(text + length, "the samples have");
      else if (typed_axis != NULL && option != NULL)
        length += (size_t)sprintf(text + length, "%.*s--%s%s", (int)(option - typed[i].option), typed[i].option,
                                  typed_axis, option + 2);
      else
        length += (size_t)sprintf(text + length, "%s", typed[i].option);
      at += strlen(typed[i].member);
    } else
      text[length++] = *at++;
  }
  text[length] = '\0';
  return text;
}

void must(iw_status status)
{
  static char text[1 << 14];
  if (status == IW_ERROR_FINDING)
    fail_finding("%s (%s)", iw_message(), iw_status_name(status));
  if (status != IW_OK)
    fail("%s", typed_message(text, sizeof text));
}

void *need_more(void *memory, size_t count, size_t size)
{
  void *more = NULL;
  if (size == 0 || count <= SIZE_MAX / size)
    more = realloc(memory, count > 0 && size > 0 ? count * size : 1);
  if (more == NULL)
    fail("cannot allocate memory for %zu elements of %zu bytes", count, size);
  return more;
}

void *need(size_t count, size_t size)
{
  return need_more(NULL, count, size);
}

void find_program(char *path, size_t capacity)
{
#ifdef HAVE__NSGETEXECUTABLEPATH
  uint32_t bytes = (uint32_t)capacity;
  if (_NSGetExecutablePath(path, &bytes) != 0)
    *path = '\0';
#else
  const ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
  path[length > 0 ? length : 0] = '\0';
#endif
}

static void stop(int signal_number)
{
  discard_compilation();
  discard_output();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static int ignores_pipes; /* whether SIGPIPE was ignored when the program began */

void end_by_pipe(void)
{
  if (ignores_pipes)
    return;
  progress_end();
  stop(SIGPIPE);
}

/* No signal that can be caught leaves an incomplete or a temporary file behind. Signals that are ignored, or
 * that a tool handles, stay so. */
static void catch_signals(void)
{
  static const int ends[] = {
    SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM,
    SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF, SIGSYS,
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
#ifdef SIGPOLL
    SIGPOLL,
#endif
#ifdef SIGPWR
    SIGPWR,
#endif
  };
  struct sigaction action = { .sa_handler = stop }, before;
  sigfillset(&action.sa_mask);
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ends[i], &action, NULL);
#ifdef SIGRTMIN
  for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
    if (sigaction(i, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(i, &action, NULL);
#endif
  ignores_pipes = sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
  signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe, or past a limit, then returns an error */
  signal(SIGXFSZ, SIG_IGN);
}

static void print_subcommands(void)
{
  printf("isowarp %s: scan, reduce, histogram and partition with the same bits on every machine\n\n"
         "Usage: isowarp SUBCOMMAND [OPTION...] [FILE]\n\n", iw_version());
  for (const command *c = commands; c->name != NULL; c++)
    printf("  %-12s %s\n", c->name, c->summary);
  printf("\n'isowarp SUBCOMMAND --help' lists the options. 'isowarp completion bash' and 'zsh' print\n"
         "completions for these shells, 'isowarp manual [SUBCOMMAND]' prints a man page.\n"
         "Exit status: 0 success, 1 a check failed, 2 wrong usage or input, 3 the simulated GPU\n"
         "(--backend sim) found an error in a kernel.\n");
}

/* isowarp completion SHELL */
static int print_completion(const char *shell)
{
  if (strcmp(shell, "bash") == 0)
    print_completion_bash();
  else if (strcmp(shell, "zsh") == 0)
    print_completion_zsh();
  else
    fail("completion: '%s' is not one of bash, zsh", shell);
  finish_output();
  return STATUS_GOOD;
}

/* The subcommand that is the operand of `of`. */
static const command *named_command(const char *of, const char *name)
{
  const command *c = commands;
  while (c->name != NULL && strcmp(c->name, name) != 0)
    c++;
  if (c->name == NULL)
    fail("%s: '%s' is not a subcommand; 'isowarp --help' lists them", of, name);
  return c;
}

/* isowarp manual [SUBCOMMAND]: a man page, from which the installed ones are made. */
static int print_page(const char *name)
{
  print_manual(name == NULL ? NULL : named_command("manual", name));
  finish_output();
  return STATUS_GOOD;
}

int main(int argc, char **argv)
{
  setlocale(LC_CTYPE, "");  /* for the chart's characters; numbers are formatted as in the C locale */
  catch_signals();

  if (argc < 2)
    fail("no subcommand; 'isowarp --help' lists them");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    if (argc > 2)
      print_help(named_command("help", argv[2]));
    else
      print_subcommands();
    finish_output();
    return STATUS_GOOD;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("isowarp %s\n", iw_version());
    finish_output();
    return STATUS_GOOD;
  }
  if (argc >= 3 && strcmp(argv[1], "completion") == 0)
    return print_completion(argv[2]);
  if (strcmp(argv[1], "manual") == 0)
    return print_page(argc > 2 ? argv[2] : NULL);
  for (const command *c = commands; c->name != NULL; c++)
    if (strcmp(c->name, argv[1]) == 0) {
      /* MPI is started first, so that an error is printed once: also that a subcommand takes no --mpi. */
      const int opens_ranks = c->bit & WITH_RANKS || ranks_are_started();
      for (int i = 2; i < argc && opens_ranks && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--mpi") == 0)
          ranks_open(NULL);
        else if (strncmp(argv[i], "--mpi=", 6) == 0)
          ranks_open(argv[i] + 6);
      settings settings = read_options(c, argc - 1, argv + 1);
      int status = c->run(&settings);
      progress_end();
      finish_output();
      ranks_close();
      return status;
    }
  fail("unknown subcommand '%s'; 'isowarp --help' lists them", argv[1]);
}
