/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that a kernel's plain C raises: an integer division by 0, an address that is not mapped, and the
 * checks that a compiler inserts with -fsanitize=bounds -fsanitize-undefined-trap-on-error. While a launch
 * runs, the process has handlers of these signals; a signal of any other code goes to the handler that was
 * there before (doc/design/simulator.md#signals). Backend layer.
 */
#define _GNU_SOURCE
#include "sim/fiber.h"
#include "sim/sim.h"

#include <pthread.h>
#include <signal.h>

static const int signals[] = { SIGFPE, SIGILL, SIGTRAP, SIGSEGV, SIGBUS };
enum { SIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned launches;     /* that run, in all threads; under the lock */
static struct sigaction previous[SIGNALS]; /* written while there is none */

static void on_signal(int signal, siginfo_t *info, void *machine);

static int is_ours(const struct sigaction *action)
{
  return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

static void pass_on(int signal, siginfo_t *info, void *machine, const struct sigaction *to)
{
  if (to->sa_flags & SA_SIGINFO)
    to->sa_sigaction(signal, info, machine);
  else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN)
    to->sa_handler(signal);
  else if (to->sa_handler == SIG_DFL || info->si_code > 0) {
    (void)sigaction(signal, to, NULL); /* what trapped does so again */
    if (info->si_code <= 0)
      (void)raise(signal);
  }
}

/* The running warp has raised a signal: it is never run again, and its launch stops. What this calls is a
 * jump. */
static _Noreturn void end_warp(sim_warp *warp, int signal)
{
  warp->trapped = signal;
  for (;;) {
    warp->block->launch->stop = 1;
    iw_sim_fiber_yield(warp->fiber);
  }
}

/* A positive code: an instruction of this thread trapped. It is the kernel's if a warp runs, and then
 * neither the simulator nor the C library is in the middle of anything. */
static void on_signal(int signal, siginfo_t *info, void *machine)
{
  if (iw_sim_self && info->si_code > 0) {
    /* This handler does not return, so that the signals that were blocked for it stay so otherwise. */
    (void)pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)machine)->uc_sigmask, NULL);
    end_warp(sim_self(), signal);
  }
  for (unsigned i = 0; i < SIGNALS; i++)
    if (signals[i] == signal)
      pass_on(signal, info, machine, &previous[i]);
}

void iw_sim_traps_begin(void)
{
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; launches == 0 && i < SIGNALS; i++) {
    struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    sigemptyset(&action.sa_mask);
    (void)sigaction(signals[i], NULL, &previous[i]);
    (void)sigaction(signals[i], &action, NULL);
  }
  launches++;
  pthread_mutex_unlock(&lock);
}

void iw_sim_traps_end(void)
{
  pthread_mutex_lock(&lock);
  launches--;
  for (unsigned i = 0; launches == 0 && i < SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(signals[i], NULL, &now) == 0 && is_ours(&now)) /* else the program has set one meanwhile */
      (void)sigaction(signals[i], &previous[i], NULL);
  }
  pthread_mutex_unlock(&lock);
}
