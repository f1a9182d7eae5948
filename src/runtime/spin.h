/* SPDX-License-Identifier: Apache-2.0
 *
 * How a thread that waits for another one spins before it sleeps, which is fastest where each thread has a
 * processor: doc/design/cpu.md#threads has the measurements. Runtime layer.
 */
#ifndef IW_RUNTIME_SPIN_H
#define IW_RUNTIME_SPIN_H

/* IW_MOST_SPINS: how often a thread looks before it sleeps. PROBE: one wait in so many spins for the full
 * time, though the waits before it slept. */
enum { IW_MOST_SPINS = 2000, IW_SPIN_PROBE = 16 };

/* Of a thread: how often it looks, and how many times it has waited. Begins with IW_MOST_SPINS and 0. */
typedef struct iw_spinner { unsigned spins, waits; } iw_spinner;

static inline void iw_pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns whether *value has become another one than `old`; what was written before the change is visible
 * then. Looks at most `most` times. Spinning in vain means that other programs have the processors, and
 * takes them from the thread that is waited for: the next wait spins less. */
static inline int iw_spin(iw_spinner *self, unsigned most, const unsigned *value, unsigned old)
{
  const unsigned spins = ++self->waits % IW_SPIN_PROBE == 0 || self->spins > most ? most : self->spins;
  for (unsigned i = 0; i < spins; i++) {
    if (__atomic_load_n(value, __ATOMIC_ACQUIRE) != old) {
      self->spins = most;
      return 1;
    }
    iw_pause_briefly();
  }
  self->spins = spins / 4;
  return 0;
}

#endif
