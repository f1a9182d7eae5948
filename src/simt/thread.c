/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of a launch, one after the other on the thread of the system that launches: stacks, schedules,
 * blocks, barriers. A stack serves one thread after the other until one has to wait, which then keeps it.
 */
#include "simt/simt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

iw_simt_dim iw_simt_thread_index, iw_simt_block_index, iw_simt_block_dim, iw_simt_grid_dim;

/* ---- Stacks ------------------------------------------------------------------------------------------ */

struct simt_fiber {
  char *low;                  /* SIMT_STACK bytes */
  simt_fiber *next;
};
enum { MOST_FIBERS = 1 << SIMT_GLOBAL_BITS / 2, GUARDED_FIBERS = 8192, STAGGER = 384, STAGGERS = 1 << 14 };
static simt_fiber *fibers, *unused_fibers;
static size_t fiber_count;

/* Saves the registers that a call keeps on the stack, whose pointer goes to *save, and goes on with another
 * stack. */
void iw_simt_switch(void **save, void *to);
#if defined __x86_64__
__asm__(".text\n.globl iw_simt_switch\n.type iw_simt_switch,@function\niw_simt_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\nmovq %rsp,(%rdi)\nmovq "
        "%rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n.size "
        "iw_simt_switch,.-iw_simt_switch\n");
enum { SAVED_WORDS = 7, ENTRY_WORD = 6 };
#define MACHINE_PC(context) ((uintptr_t)((ucontext_t *)(context))->uc_mcontext.gregs[REG_RIP])
#elif defined __aarch64__
__asm__(
  ".text\n.globl iw_simt_switch\n.type iw_simt_switch,%function\niw_simt_switch:\n"
  "sub sp,sp,#160\nstp x19,x20,[sp]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
  "stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\nstp "
  "d12,d13,[sp,#128]\n"
  "stp d14,d15,[sp,#144]\nmov x2,sp\nstr x2,[x0]\nmov sp,x1\nldp x19,x20,[sp]\nldp x21,x22,[sp,#16]\n"
  "ldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\nldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp "
  "d8,d9,[sp,#96]\n"
  "ldp d10,d11,[sp,#112]\nldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\nadd sp,sp,#160\nret\n");
enum { SAVED_WORDS = 20, ENTRY_WORD = 11 };
#define MACHINE_PC(context) ((uintptr_t)((ucontext_t *)(context))->uc_mcontext.pc)
#else
#error "CUDA C++ on the simulated GPU runs on x86-64 and aarch64"
#endif

static void serve(void);

static simt_fiber *fiber_new(void)
{
  if (!unused_fibers) {
    if (!fibers) {
      fibers = iw_simt_reserve(MOST_FIBERS * sizeof *fibers);
      iw_simt_now.stacks_bytes = (size_t)MOST_FIBERS * SIMT_STACK;
      iw_simt_now.stacks = (uintptr_t)iw_simt_reserve(iw_simt_now.stacks_bytes);
    }
    if (fiber_count == MOST_FIBERS)
      iw_simt_trap("more than 262144 threads wait at a time", NULL);
    simt_fiber *const fiber = &fibers[fiber_count];
    fiber->low = (char *)iw_simt_now.stacks + fiber_count * SIMT_STACK;
    if (fiber_count++ < GUARDED_FIBERS)
      (void)mprotect(fiber->low, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    return fiber;
  }
  simt_fiber *const fiber = unused_fibers;
  unused_fibers = fiber->next;
  return fiber;
}

static void fiber_free(simt_fiber *fiber)
{
  fiber->next = unused_fibers;
  unused_fibers = fiber;
}

/* The pointer of a stack on which serve() begins. Tops at the same place of a page would share lines of the
 * caches. */
static void *fresh_stack(const simt_fiber *fiber)
{
  const size_t top = SIMT_STACK - ((size_t)(fiber - fibers) * STAGGER & (STAGGERS - 1));
  uintptr_t *const sp = (uintptr_t *)(fiber->low + top - 64) - SAVED_WORDS - 1;
  memset(sp, 0, (SAVED_WORDS + 1) * sizeof *sp);
  sp[ENTRY_WORD] = (uintptr_t)serve;
  return sp;
}

/* ---- A launch ---------------------------------------------------------------------------------------- */

static struct {
  const iw_simt_config *config;
  void (*call)(void *);
  void *closure;
  uint64_t count, begun;      /* blocks */
  unsigned threads, resident, most_resident;
  size_t shared;              /* static and dynamic */
  simt_block *blocks;         /* that have begun */
  void *host_sp;
  uint64_t at_grid, alive;    /* threads */
  unsigned rounds;            /* in which nobody has done anything but poll */
  uint64_t polled;            /* iw_simt_now.writes at the last barren poll */
  uint64_t awaiting;          /* threads in iw_simt_await() since that many writes */
  int error;
} launch;
static simt_block *unused_blocks;
static int sticky_error;
static char *host_image;      /* the host's thread-local variables while kernels run */

simt_block *iw_simt_blocks(void) { return launch.blocks; }
const char *iw_simt_kernel(void) { return launch.config ? launch.config->name : "kernel"; }

int iw_simt_error(int set)
{
  if (set)
    sticky_error = set;
  return sticky_error;
}

static uint64_t random_state;
static uint64_t next_random(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static int is_random(void) { return iw_simt_schedule.policy == SIM_RANDOM; }

enum { QUANTUM = 16, LONG_QUANTUM = 100000, POISON = 0xa5, POLLS = 16, RANDOM_RESIDENT = 6 };

static void begin_quantum(void)
{
  iw_simt_now.countdown = is_random() ? (int64_t)(next_random() % QUANTUM) : LONG_QUANTUM;
}

/* ---- Blocks ------------------------------------------------------------------------------------------ */

enum { MOST_SHARED = 1 << 20 };

static simt_block *block_new(void)
{
  simt_block *block = unused_blocks;
  if (block) {
    unused_blocks = block->next;
    return block;
  }
  block = iw_simt_must(calloc(1, sizeof *block), "a block");
  block->shared = iw_simt_area_of(0, MOST_SHARED);
  return block;
}

/* The block whose shared memory is where kernels expect it. */
static void use_block(simt_block *block, int is_new)
{
  simt_block *const before = iw_simt_now.block;
  char *const fixed = (char *)iw_simt_now.shared.base;
  const size_t bytes = iw_simt_now.static_bytes;
  if (before == block && !is_new)
    return;
  if (before && before != block && launch.shared) {
    if (!before->saved)
      before->saved = iw_simt_must(malloc(MOST_SHARED), "the shared memory of a block");
    memcpy(before->saved, fixed, bytes);
    memcpy(before->saved + bytes, iw_simt_dynamic, launch.config->shared);
  }
  iw_simt_now.block = block;
  iw_simt_now.shared = block->shared;
  iw_simt_block_index = (iw_simt_dim){ block->dim[0], block->dim[1], block->dim[2] };
  if (!launch.shared)
    return;
  if (is_new) {
    memset(fixed, POISON, bytes);
    memset(iw_simt_dynamic, POISON, launch.config->shared);
    iw_simt_begin_shared();
  } else {
    memcpy(fixed, block->saved, bytes);
    memcpy(iw_simt_dynamic, block->saved + bytes, launch.config->shared);
  }
}

/* The bits of simt_block.ready are in the order in which threads run: of all, or backwards. */
static unsigned thread_of_bit(const simt_block *b, unsigned bit)
{
  return iw_simt_schedule.policy == SIM_DESCENDING ? b->count - 1 - bit : bit;
}

static void flip_ready(const simt_thread *t, int count)
{
  const unsigned bit = thread_of_bit(t->block, t->index);
  t->block->ready[bit / 64] ^= (uint64_t)1 << bit % 64;
  t->block->ready_count += (unsigned)count;
}

static void set_ready(const simt_thread *t) { flip_ready(t, 1); }
void iw_simt_clear_ready(const simt_thread *t) { flip_ready(t, -1); }

void iw_simt_make_ready(simt_thread *t)
{
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE) && (t->state == SIMT_AT_BARRIER || t->state == SIMT_AT_GRID))
    iw_simt_trace_goes_on(t);
  if (t->state == SIMT_AT_ACTIVE)
    t->block->active_count--;
  t->state = SIMT_READY;
  set_ready(t);
}

static simt_block *begin_block(void)
{
  simt_block *const b = block_new();
  const iw_simt_dim grid = launch.config->grid;
  const uint64_t index =
    iw_simt_schedule.policy == SIM_DESCENDING ? launch.count - 1 - launch.begun : launch.begun;
  launch.begun++;
  launch.resident++;
  launch.alive += launch.threads;
  memset(b, 0, offsetof(simt_block, shared));
  b->index = index;
  b->dim[0] = (unsigned)(index % grid.x);
  b->dim[1] = (unsigned)(index / grid.x % grid.y);
  b->dim[2] = (unsigned)(index / grid.x / grid.y);
  b->count = b->alive = launch.threads;
  b->shared.base = iw_simt_now.shared.base;
  b->shared.bytes = launch.shared;
  memset(b->shared.words, 0, (launch.shared + 3) / 4 * sizeof(simt_cell));
  memset(b->shared.defined, 0, launch.shared / 8 + 1);
  b->seg = iw_simt_new_seg(b);
  for (unsigned i = 0; i < b->count; i++) {
    b->who[i] = i << SIMT_THREAD_AT | 1u << SIMT_CLOCK_AT;
    b->thread[i] = (simt_thread){ .block = b, .index = (uint16_t)i };
    set_ready(&b->thread[i]);
  }
  for (unsigned w = 0; w * SIMT_LANES < b->count; w++) {
    const unsigned lanes = b->count - w * SIMT_LANES;
    b->warp[w] = (simt_warp){ .alive = lanes < SIMT_LANES ? (1u << lanes) - 1 : ~0u, .last = 1 };
  }
  b->current = b->count - 1;
  simt_block **end = &launch.blocks;
  while (*end)
    end = &(*end)->next;
  *end = b;
  use_block(b, 1);
  return b;
}

static void end_block(simt_block *b)
{
  simt_block **at = &launch.blocks;
  while (*at != b)
    at = &(*at)->next;
  *at = b->next;
  if (iw_simt_counting)
    iw_simt_count_end_block(b);
  iw_simt_order_end_block(b);
  if (iw_simt_now.block == b)
    iw_simt_now.block = NULL;
  b->next = unused_blocks;
  unused_blocks = b;
  launch.resident--;
}

/* ---- The next thread --------------------------------------------------------------------------------- */

/* Some thread of the block is ready. */
static simt_thread *next_of(simt_block *b)
{
  const unsigned words = (b->count + 63) / 64;
  if (is_random())
    b->current = (unsigned)(next_random() % b->count);
  const unsigned first = (b->current + 1) % (words * 64);
  unsigned w = first / 64;
  uint64_t bits = b->ready[w] & ~(uint64_t)0 << first % 64;
  while (!bits)
    bits = b->ready[w = w + 1 == words ? 0 : w + 1];
  b->current = w * 64 + (unsigned)__builtin_ctzll(bits);
  return &b->thread[thread_of_bit(b, b->current)];
}

static int may_run(const simt_block *b) { return b->ready_count > b->barren; }

static const char *waits_at(const simt_thread *t)
{
  return t->state == SIMT_AT_BARRIER                    ? "wait at a barrier of the block" :
         t->state == SIMT_AT_GRID                       ? "wait for the grid" :
         t->state == SIMT_READY || t->state == SIMT_NEW ? "poll" :
                                                          "wait for lanes of their warp";
}

/* Nobody can go on: says who waits where. */
_Noreturn static void no_progress(const char *what)
{
  struct { uint32_t pc; const char *what; uint64_t count; } groups[4];
  unsigned count = 0;
  char text[900];
  for (simt_block *b = launch.blocks; b; b = b->next)
    for (unsigned i = 0; i < b->count; i++) {
      const simt_thread *const t = &b->thread[i];
      unsigned k = 0;
      if (t->state == SIMT_ENDED || t->state == SIMT_NEW)
        continue;
      while (k < count && (groups[k].pc != t->pc || groups[k].what != waits_at(t)))
        k++;
      if (k == 4)
        continue;
      if (k == count) {
        groups[count].pc = t->pc;
        groups[count].what = waits_at(t);
        groups[count++].count = 0;
      }
      groups[k].count++;
    }
  int n = snprintf(text, sizeof text, "%s", what);
  for (unsigned k = 0; k < count; k++) {
    const sim_line *const line = iw_sim_line(groups[k].pc);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s %llu thread%s %s at %.150s:%d", k ? ";" : ":",
                  (unsigned long long)groups[k].count, groups[k].count == 1 ? "" : "s", groups[k].what,
                  iw_sim_short_name(line->file), line->line);
  }
  iw_simt_found(SIM_PROGRESS, 0, count ? groups[0].pc : 0, 0, "%s", text);
  iw_simt_stop_launch(702);
}

/* How many threads wait for a value that nobody has written so far. */
static uint64_t awaited(void) { return launch.polled == iw_simt_now.writes ? launch.awaiting : 0; }

static unsigned most_rounds(void)
{
  uint64_t ready = 1;
  for (simt_block *b = launch.blocks; b; b = b->next)
    ready += b->ready_count;
  const uint64_t rounds = 4000000 / ready;
  return rounds < 128 ? 128 : rounds > 8192 ? 8192 : (unsigned)rounds;
}

/* NULL: all have ended. */
static simt_thread *choose(void)
{
  for (;;) {
    simt_block *b = iw_simt_now.block;
    if (is_random() && next_random() % 16 == 0) {
      if (launch.begun < launch.count && launch.resident < launch.most_resident)
        return next_of(begin_block());
      b = NULL;
    }
    if (b && may_run(b))
      return next_of(b);
    if (b && b->active_count && b->ready_count <= b->barren) {
      iw_simt_resolve_active(b);
      continue;
    }
    unsigned skip = is_random() ? (unsigned)(next_random() % (launch.resident + 1)) : 0;
    if (launch.begun < launch.count && launch.resident < launch.most_resident &&
        (skip == launch.resident || !is_random())) {
      simt_block *other = launch.blocks; /* those that have begun first */
      while (other && !may_run(other))
        other = other->next;
      return next_of(other && !is_random() ? other : begin_block());
    }
    simt_block *found = NULL;
    for (simt_block *other = launch.blocks; other; other = other->next)
      if (may_run(other)) {
        found = other;
        if (skip-- == 0)
          break;
      }
    if (found)
      return next_of(found);
    if (launch.begun < launch.count && launch.resident < launch.most_resident)
      return next_of(begin_block());
    int active = 0;
    uint64_t ready = 0;
    for (simt_block *other = launch.blocks; other; other = other->next) {
      if (other->active_count) {
        iw_simt_resolve_active(other);
        active = 1;
      }
      ready += other->ready_count;
      other->barren = 0;
    }
    if (active)
      continue;
    if (!launch.blocks)
      return NULL;
    if (!ready)
      no_progress("threads wait for ever");
    /* Others may poll as often as they want to, and go on. */
    if (ready == awaited() || ++launch.rounds > most_rounds())
      no_progress("threads poll for ever what nobody can write any more");
  }
}

static void enter(simt_thread *t)
{
  simt_block *const b = t->block;
  use_block(b, 0);
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE) && t->state == SIMT_NEW)
    iw_simt_trace_begins(t);
  t->state = SIMT_READY;
  iw_simt_now.thread = t;
  iw_simt_now.seg = b->seg;
  iw_simt_now.who = b->who[t->index];
  const unsigned x = iw_simt_block_dim.x, y = iw_simt_block_dim.y;
  if (y == 1 && iw_simt_block_dim.z == 1)
    iw_simt_thread_index = (iw_simt_dim){ t->index, 0, 0 };
  else
    iw_simt_thread_index = (iw_simt_dim){ t->index % x, t->index / x % y, t->index / x / y };
  if (is_random())
    begin_quantum();
}

/* Goes on with another thread; returns when this one is chosen again. */
static void run(simt_thread *next, void **save)
{
  simt_thread *const t = iw_simt_now.thread;
  enter(next);
  if (next == t)
    return;
  if (next->fiber) {
    iw_simt_switch(save, next->sp);
    return;
  }
  next->fiber = fiber_new();
  iw_simt_switch(save, fresh_stack(next->fiber));
}

void iw_simt_run_next(void)
{
  simt_thread *const t = iw_simt_now.thread;
  iw_simt_judge_deferred();
  if (SIMT_UNLIKELY(iw_simt_counting))
    iw_simt_trace_stored();
  simt_thread *const next = choose();
  run(next, &t->sp);
}

void iw_simt_wait(simt_state state, uint32_t pc)
{
  simt_thread *const t = iw_simt_now.thread;
  t->state = (uint8_t)state;
  t->pc = pc;
  iw_simt_clear_ready(t);
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE) && (state == SIMT_AT_BARRIER || state == SIMT_AT_GRID))
    iw_simt_trace_waits(t);
  if (state == SIMT_AT_ACTIVE)
    t->block->active_count++;
  iw_simt_run_next();
}

/* Lets others run. Barren: what the thread polls cannot have changed, as nobody has written anything. */
static void poll_barren(uint32_t pc, int is_without_end)
{
  simt_thread *const t = iw_simt_now.thread;
  t->polls = 0;
  t->pc = pc;
  if (launch.polled != iw_simt_now.writes) {
    launch.polled = iw_simt_now.writes;
    launch.awaiting = 0;
    launch.rounds = 0;
    for (simt_block *b = launch.blocks; b; b = b->next)
      b->barren = 0;
  }
  t->block->barren++;
  if (is_without_end && t->awaits != iw_simt_now.writes + 1) {
    t->awaits = iw_simt_now.writes + 1;
    launch.awaiting++;
  }
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE))
    iw_simt_trace_polls(t, 1);
  iw_simt_run_next();
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE))
    iw_simt_trace_polls(t, 0);
}

/* Whether nobody has written anything since the thread polled last. */
static int is_unchanged(simt_thread *t)
{
  if (t->writes == iw_simt_now.writes)
    return 1;
  t->writes = iw_simt_now.writes;
  t->polls = 0;
  return 0;
}

void iw_simt_poll(uint32_t pc)
{
  simt_thread *const t = iw_simt_now.thread;
  if (is_unchanged(t) && ++t->polls >= POLLS)
    poll_barren(pc, 0);
}

/* The load polled: no write has come in between. */
void iw_simt_await(void *pc)
{
  simt_thread *const t = iw_simt_now.thread;
  if (t && is_unchanged(t))
    poll_barren(simt_pc(pc), 1);
}

void iw_simt_sleep(void *pc)
{
  if (!iw_simt_now.thread)
    return;
  iw_simt_now.thread->polls = POLLS;
  iw_simt_now.thread->writes = iw_simt_now.writes;
  iw_simt_poll(simt_pc(pc));
}

void iw_simt_preempt(uint32_t pc)
{
  simt_thread *const t = iw_simt_now.thread;
  iw_simt_judge_deferred();
  if (iw_simt_now.countdown >= 0)
    return;
  begin_quantum();
  t->pc = pc;
  iw_simt_run_next();
}

/* ---- The life of a thread ---------------------------------------------------------------------------- */

static void release_barrier(simt_block *b)
{
  b->barrier_result[IW_SIMT_COUNT] = (int)b->barrier_count;
  b->barrier_result[IW_SIMT_AND] = b->barrier_count == b->at_barrier;
  b->barrier_result[IW_SIMT_OR] = b->barrier_count > 0;
  b->at_barrier = 0;
  b->barren = 0;
  launch.rounds = 0;
  if (iw_simt_counting)
    iw_simt_count_barrier(b);
  b->interval++;
  iw_simt_order_barrier(b);
  for (unsigned i = 0; i < b->count; i++)
    if (b->thread[i].state == SIMT_AT_BARRIER)
      iw_simt_make_ready(&b->thread[i]);
}

static void release_grid(void)
{
  launch.at_grid = 0;
  launch.rounds = 0;
  iw_simt_order_grid();
  for (simt_block *b = launch.blocks; b; b = b->next)
    for (unsigned i = 0; i < b->count; i++)
      if (b->thread[i].state == SIMT_AT_GRID)
        iw_simt_make_ready(&b->thread[i]);
}

static void end_thread(void)
{
  simt_thread *const t = iw_simt_now.thread;
  simt_block *const b = t->block;
  iw_simt_judge_deferred();
  if (SIMT_UNLIKELY(iw_simt_counting))
    iw_simt_trace_stored();
  t->state = SIMT_ENDED;
  iw_simt_clear_ready(t);
  iw_simt_order_end(t);
  b->alive--;
  b->barren = 0;
  launch.rounds = 0;
  launch.alive--;
  b->warp[t->index / SIMT_LANES].alive &= ~(1u << t->index % SIMT_LANES);
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TIMELINE))
    iw_simt_trace_ends(t);
  if (b->warp[t->index / SIMT_LANES].group_count)
    iw_simt_warp_left(b, t->index / SIMT_LANES);
  if (b->alive && b->at_barrier == b->alive)
    release_barrier(b);
  if (launch.alive && launch.at_grid == launch.alive && launch.begun == launch.count)
    release_grid();
  t->fiber = NULL;
  if (!b->alive)
    end_block(b);
}

/* Runs threads until one has to wait; then another stack's serve() does. */
static void serve(void)
{
  for (;;) {
    void *nowhere;
    simt_thread *const t = iw_simt_now.thread;
    simt_fiber *const fiber = t->fiber;
    launch.call(launch.closure);
    (void)t;
    end_thread();
    iw_simt_now.thread = NULL;
    simt_thread *const next = choose();
    if (!next || next->fiber)
      fiber_free(fiber);
    if (!next)
      iw_simt_switch(&nowhere, launch.host_sp);
    enter(next);
    if (next->fiber)
      iw_simt_switch(&nowhere, next->sp);
    next->fiber = fiber;
  }
}

_Noreturn void iw_simt_stop_launch(int error)
{
  void *nowhere;
  iw_simt_judge_deferred();
  launch.error = iw_simt_error(error);
  for (simt_block *b = launch.blocks; b; b = b->next)
    for (unsigned i = 0; i < b->count; i++) {
      if (b->thread[i].fiber)
        fiber_free(b->thread[i].fiber);
      iw_simt_order_end(&b->thread[i]);
    }
  while (launch.blocks)
    end_block(launch.blocks);
  iw_simt_switch(&nowhere, launch.host_sp);
  __builtin_unreachable();
}

/* ---- Barriers ---------------------------------------------------------------------------------------- */

/* Whether two barriers are one in the source. A line is all that is known of those without a number. */
static int is_same_barrier(const simt_block *b, int number, uint32_t pc)
{
  if (number && b->barrier_number && number != b->barrier_number)
    return 0;
  return pc == b->barrier_pc || (number > 0 && number == b->barrier_number) || iw_simt_same_line(pc, b->barrier_pc);
}

int iw_simt_barrier(iw_simt_barrier_kind kind, int value, void *return_address)
{
  const uint32_t pc = simt_pc(return_address);
  const int number = kind == IW_SIMT_PLAIN ? value : -(int)kind;
  simt_thread *const t = iw_simt_now.thread;
  if (!t)
    return 0;
  simt_block *const b = t->block;
  if (b->at_barrier == 0) {
    b->barrier_pc = pc;
    b->barrier_number = number;
    b->barrier_count = 0;
    if (SIMT_UNLIKELY(b->alive < b->count))
      SIMT_FOUND(SIM_BARRIER, 1, pc, 0,
                 "%u of the %u threads of block %llu ended before this barrier, which does not wait for them",
                 b->count - b->alive, b->count, (unsigned long long)b->index);
  } else if (SIMT_UNLIKELY(!is_same_barrier(b, number, pc)))
    SIMT_FOUND(SIM_BARRIER, 0, pc, b->barrier_pc, "%s waits at this barrier, other threads of its block at %s%%s",
               iw_simt_me(), iw_simt_same_line(pc, b->barrier_pc) ? "another one of " : "");
  b->barrier_count += value != 0;
  if (++b->at_barrier == b->alive) {
    t->state = SIMT_AT_BARRIER;
    iw_simt_clear_ready(t);
    release_barrier(b);
    iw_simt_run_next();
  } else
    iw_simt_wait(SIMT_AT_BARRIER, pc);
  return b->barrier_result[kind];
}

void iw_simt_grid_barrier(void *return_address)
{
  const uint32_t pc = simt_pc(return_address);
  if (!iw_simt_now.thread)
    return;
  if (!launch.config->cooperative) {
    iw_simt_found(SIM_BARRIER, 0, pc, 0,
                  "a grid waits for itself only if it was launched by cudaLaunchCooperativeKernel()");
    iw_simt_stop_launch(719);
  }
  if (++launch.at_grid == launch.alive && launch.begun == launch.count) {
    iw_simt_now.thread->state = SIMT_AT_GRID;
    iw_simt_clear_ready(iw_simt_now.thread);
    release_grid();
    iw_simt_run_next();
  } else
    iw_simt_wait(SIMT_AT_GRID, pc);
}

/* ---- Signals ----------------------------------------------------------------------------------------- */

static void unblock(int number)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
  const simt_thread *const t = iw_simt_now.thread;
  if (!t) {
    signal(number, SIG_DFL); /* the program's own fault, which happens again */
    unblock(number);
    return;
  }
  unblock(number);
  const uint32_t pc = (uint32_t)MACHINE_PC(context);
  const uintptr_t at = (uintptr_t)info->si_addr;
  if (number == SIGFPE)
    iw_simt_found(SIM_UNDEFINED, 0, pc, 0, "%s divides an integer by 0", iw_simt_me());
  else if (at - (uintptr_t)t->fiber->low < 4096)
    iw_simt_found(SIM_BOUNDS, 0, pc, 0, "%s has more local variables than its stack of %d bytes", iw_simt_me(), SIMT_STACK);
  else
    iw_simt_found(SIM_BOUNDS, 0, pc, 0, "%s accesses the address %p, which is not mapped", iw_simt_me(), (void *)at);
  iw_simt_stop_launch(700);
}

static void on_time(int number, siginfo_t *info, void *context)
{
  static uint64_t hooks;
  static int seconds;
  (void)info;
  if (!iw_simt_now.thread || hooks != iw_simt_now.hooks || (uint32_t)MACHINE_PC(context) != MACHINE_PC(context)) {
    hooks = iw_simt_now.hooks;
    seconds = 0;
    return;
  }
  if (++seconds < SIMT_DEFAULT_WATCH)
    return;
  seconds = 0;
  unblock(number);
  iw_simt_found(SIM_PROGRESS, 0, (uint32_t)MACHINE_PC(context), 0,
                "%s has run for %d seconds without an access of memory or an operation that others see: a loop that does "
                "not end", iw_simt_me(), SIMT_DEFAULT_WATCH);
  iw_simt_stop_launch(702);
}

static void catch_signals(void)
{
  static int done;
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
  if (done++)
    return;
  enum { ALTERNATE = 1 << 16 };
  const stack_t stack = { .ss_sp = malloc(ALTERNATE), .ss_size = ALTERNATE };
  sigaltstack(&stack, NULL);
  struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
  action.sa_sigaction = on_time;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGVTALRM, &action, NULL);
  const struct itimerval each = { { 1, 0 }, { 1, 0 } };
  setitimer(ITIMER_VIRTUAL, &each, NULL);
}

/* ---- Launch ------------------------------------------------------------------------------------------ */

enum {
  INVALID_VALUE = 1,
  INVALID_CONFIGURATION = 9,
  TOO_LARGE = 720,
  SHARED_LIMIT = 227 << 10,
  RESIDENT_THREADS = 1 << 15,
  PROCESSORS = 16
};

/* A launch that CUDA does not run, which its error alone would tell a program that looks at it. */
static int refuse(int error, const iw_simt_config *config, uint32_t pc, const char *format, unsigned long long number)
{
  char why[96];
  snprintf(why, sizeof why, format, number);
  SIMT_FOUND(SIM_PROGRESS, 1, pc, 0, "the launch of %.60s is not run: %s", config->name, why);
  return error;
}

static uint64_t volume(iw_simt_dim d) { return (uint64_t)d.x * d.y * d.z; }

int iw_simt_launch(const iw_simt_config *config, void (*call)(void *), void *closure, size_t closure_bytes,
                   void *return_address)
{
  const uint64_t threads = volume(config->block);
  const uint32_t pc = simt_pc(return_address);
  if (iw_simt_now.thread)
    iw_simt_unsupported("a launch by a kernel (dynamic parallelism)", return_address);
  if (!pthread_equal(iw_simt_now.host, pthread_self()))
    iw_simt_unsupported("a launch by another thread of the host than the first", return_address);
  if (sticky_error)
    return sticky_error;
  if (threads == 0 || threads > SIMT_THREADS || config->block.z > 64)
    return refuse(INVALID_CONFIGURATION, config, pc, config->block.z > 64 ? "a block has at most 64 threads along z" :
                  "a block has 1 to 1024 threads, not %llu", threads);
  if (volume(config->grid) == 0 || config->grid.y > 65535 || config->grid.z > 65535 || config->grid.x > INT32_MAX)
    return refuse(INVALID_CONFIGURATION, config, pc, "a grid has 1 to 65535 blocks along y and z, and 1 to %llu along x",
                  INT32_MAX);
  if (config->shared > SHARED_LIMIT || config->shared + iw_simt_now.static_bytes > MOST_SHARED)
    return refuse(INVALID_VALUE, config, pc, "a block has at most %llu bytes of shared memory", SHARED_LIMIT);
  if (config->cooperative && volume(config->grid) * threads > PROCESSORS * 2048)
    return refuse(TOO_LARGE, config, pc, "of a cooperative grid at most %llu threads run at a time", PROCESSORS * 2048);
  const iw_simt_node node = { .kind = IW_SIMT_LAUNCH, .stream = config->stream, .pc = return_address, .config = *config, .call = call,
                              .closure = closure, .closure_bytes = closure_bytes };
  const int captured = iw_simt_captured(&node);
  if (captured != IW_SIMT_RUN_NOW)
    return captured;
  catch_signals();
  memset(&launch, 0, sizeof launch);
  launch.config = config;
  launch.call = call;
  launch.closure = closure;
  iw_simt_now.parameters = (uintptr_t)closure;
  iw_simt_now.parameters_bytes = closure_bytes;
  launch.count = volume(config->grid);
  launch.threads = (unsigned)threads;
  launch.shared = iw_simt_now.static_bytes + config->shared;
  launch.most_resident = config->cooperative ? (unsigned)launch.count :
                         is_random()         ? RANDOM_RESIDENT :
                                               RESIDENT_THREADS / (unsigned)threads;
  iw_simt_now.dynamic = (uintptr_t)iw_simt_dynamic;
  iw_simt_now.dynamic_bytes = config->shared;
  iw_simt_now.block = NULL;
  iw_simt_block_dim = config->block;
  iw_simt_grid_dim = config->grid;
  random_state = iw_simt_schedule.seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  iw_simt_order_launch();
  iw_simt_count_launch(config->name, launch.count, launch.threads, launch.shared);
  begin_quantum();
  if (iw_simt_now.static_bytes) {
    host_image = host_image ? host_image : malloc(MOST_SHARED);
    memcpy(host_image, (void *)iw_simt_now.shared.base, iw_simt_now.static_bytes);
  }
  const uintptr_t base = iw_simt_now.shared.base;
  run(choose(), &launch.host_sp);
  iw_simt_judge_held();
  iw_simt_count_end_launch();
  iw_simt_now.thread = NULL;
  iw_simt_now.block = NULL;
  iw_simt_now.shared = (simt_area){ .base = base };
  if (iw_simt_now.static_bytes)
    memcpy((void *)base, host_image, iw_simt_now.static_bytes);
  iw_simt_warp_end_launch();
  launch.config = NULL;
  return launch.error;
}
