/* SPDX-License-Identifier: Apache-2.0
 *
 * Random calls on every instruction set of this machine, with 1, 2, 3 and 7 threads and in both block
 * modes, each compared with a scalar reference.
 *
 * usage: differential [ELEMENTS [SEED [CASE]]]
 *
 * Runs cases until each instruction set has processed ELEMENTS elements (10^6), or CASE alone. Each case has
 * a seed of its own, so it does not depend on those before it. A case runs on all sets, in another shape
 * each.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#define WITHOUT_CHECK 1
#include "checked_calls.h"
#include <signal.h>

enum { MOST_ELEMENTS = 1 << 20 };

static uint64_t seed, number;

/* A failure, or who loses patience, is told where it was. */
static void stopped(int signal_number)
{
  char text[120];
  const int length = snprintf(text, sizeof text, "stopped in: differential 1 %" PRIu64 " %" PRIu64 "\n", seed, number);
  signal(signal_number, SIG_DFL);
  if (write(STDERR_FILENO, text, (size_t)length) != length)
    _exit(2);
  raise(signal_number);
}

int main(int argc, char **argv)
{
  const unsigned long long wanted = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
  static const int ends[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM };
  seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
  const uint64_t only = argc > 3 ? strtoull(argv[3], NULL, 0) : UINT64_MAX;
  const double begin = now();
  unsigned long long done = 0, cases = 0;
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  setenv("ISOWARP_TEST_SEED", text, 1);
  calls_open(MOST_ELEMENTS + 4096);
  const unsigned sets = the.settings.cpus / SHAPES;
  for (unsigned i = 0; i < COUNT(ends); i++)
    signal(ends[i], stopped);
  for (number = only != UINT64_MAX ? only : 0; done < wanted; number++, cases++) {
    start_random(1000000 + number);
    the.n = choose_size(MOST_ELEMENTS);
    the.run_count = sets;
    for (unsigned set = 0; set < sets; set++)
      the.runs[set] = set * SHAPES + (unsigned)choice(SHAPES);
    the.spoil = choice(16) == 0 ? 1 + (unsigned)choice(20) : 0;
    one_call();
    done = ~0ull;
    for (unsigned set = 0; set < sets; set++) {
      unsigned long long of_set = 0;
      for (unsigned i = 0; i < SHAPES; i++)
        of_set += the.elements[set * SHAPES + i];
      done = of_set < done ? of_set : done;
    }
    if (only != UINT64_MAX)
      break;
  }
  printf("%llu cases, %llu calls (%llu refused), %.0f s, seed %" PRIu64 "; elements:\n", cases, the.calls, the.refused,
         now() - begin, seed);
  for (unsigned i = 0; i < the.settings.cpus; i++)
    printf("  %-28s %llu\n", shape(&the.settings.at[i]).s, the.elements[i]);
  settings_close(&the.settings);
  return 0;
}
