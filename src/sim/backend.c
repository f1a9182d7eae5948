/* SPDX-License-Identifier: Apache-2.0
 *
 * The backend of the simulated GPU: devices by profile, memory, copies and launches. Each context has a
 * device of its own. The host takes the paths that it takes for a CUDA device: host arrays are staged,
 * kernels are those of the GPU's schedules. Backend layer; knows no algorithm.
 */
#include <config.h>
#include "runtime/arithmetic.h"
#include "runtime/context.h"
#include "runtime/kernel_sets.h"
#include "sim/fiber.h"
#include "sim/profiles.h"
#include "sim/sim.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 20 }; /* of a piece of an input that is staged piece by piece: several, also of small inputs */

/* Between two arrays of scratch or staging memory: as much as a few rows beyond the end of one touch. */
enum { ARRAY_GAP = 4 << 10 };

/* All devices of the process. A plan keeps copies of its tables on devices, and frees them when no context
 * is known. */
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static sim_state *devices;
static int devices_opened;

static iw_status choose_profile(sim_profile *profile)
{
  const char *const name = getenv("ISOWARP_SIM_DEVICE");
  char valid[128] = "";
  *profile = profiles[0];
  for (unsigned i = 0; name && i < PROFILES; i++) {
    if (!strcmp(name, profiles[i].name)) {
      *profile = profiles[i];
      return IW_OK;
    }
    iw_sim_list_name(valid, sizeof valid, profiles[i].name);
  }
  return name ? iw_fail(IW_ERROR_UNAVAILABLE, "ISOWARP_SIM_DEVICE is \"%.64s\"; valid are %s", name, valid) : IW_OK;
}

/* ---- Opening and closing ----------------------------------------------------------------------------- */

static void add_device(sim_state *state)
{
  pthread_mutex_lock(&devices_lock);
  state->serial = devices_opened++;
  state->next = devices;
  devices = state;
  pthread_mutex_unlock(&devices_lock);
}

static void remove_device(sim_state *state)
{
  pthread_mutex_lock(&devices_lock);
  sim_state **link = &devices;
  while (*link != state)
    link = &(*link)->next;
  *link = state->next;
  pthread_mutex_unlock(&devices_lock);
}

static iw_status choose_all(sim_state *state)
{
  unsigned long long seed, resident, processors;
  IW_TRY(choose_profile(&state->profile));
  IW_TRY(iw_sim_choose_number("ISOWARP_SIM_PROCESSORS", 1, 1024, state->profile.processors, &processors));
  IW_TRY(iw_sim_choose_policy(SIM_POLICIES, &state->policy));
  IW_TRY(iw_sim_choose_checks(SIM_CHECK_ALL, &state->checks));
  IW_TRY(iw_sim_choose_number("ISOWARP_SIM_SEED", 0, ULLONG_MAX, 1, &seed));
  IW_TRY(iw_sim_choose_number("ISOWARP_SIM_RESIDENT", 1, INT_MAX, 0, &resident));
  state->profile.processors = (unsigned)processors;
  state->seed = seed;
  state->resident = (size_t)resident;
  iw_sim_write_replay(state, 0);
  IW_TRY(iw_sim_counters_open(state));
  const iw_status status = iw_sim_findings_open(state);
  if (status != IW_OK)
    iw_sim_counters_close(state);
  return status;
}

static iw_status sim_open(iw_context *context, const iw_context_options *options)
{
  if (options->device != 0)
    return iw_fail(IW_ERROR_UNAVAILABLE, "options->device is %d; a simulated GPU is device 0", options->device);
  sim_state *const state = context->state = calloc(1, sizeof *state);
  if (!state)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *state);
  state->context = context;
  const iw_status status = choose_all(state);
  if (status != IW_OK) {
    free(state);
    return status;
  }
  add_device(state);
  const sim_profile *const profile = &state->profile;
  snprintf(context->label, sizeof context->label, "a simulated %s (compute capability %u.%u), schedule %s, seed %llu",
           profile->title, profile->capability / 10, profile->capability % 10, iw_sim_policy_names[state->policy],
           (unsigned long long)state->seed);
  /* most_short_runs: few on one device, so that tests of short arrays meet what is for long ones. */
  context->device = (iw_device){
    .processors = profile->processors, .shared_per_block = profile->shared_per_block - 4096,
    .shared_per_processor = profile->shared_per_processor, .min_bytes_per_block = 1, .prefers_global_atomics = 1,
    .scan_pipelines = 1, .short_calls_wait = 1, .passes_per_merge = 1, .most_short_runs = (size_t)(profile->capability >= 80 ? 160 : 32) << 10, .most_short_top_k = 1 << 20,
    .bytes_per_tile_state = 128,
    .array_gap = ARRAY_GAP,
  };
  context->device_index = state->serial;
  context->threads = 1;
  context->team = 1;
  return IW_OK;
}

static void sim_close(iw_context *context)
{
  sim_state *const state = context->state;
  iw_sim_counters_close(state);
  iw_sim_findings_close(state);
  free(state->pending);
  remove_device(state);
  iw_sim_memory_release_all(state);
  for (sim_fiber *fiber; (fiber = iw_sim_fiber_pop(&state->fibers)) != NULL;)
    iw_sim_fiber_free(fiber);
  free(state);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static int is_capturing(const iw_context *context) { return ((const sim_state *)context->state)->is_capturing; }

static iw_status sim_allocate(iw_context *context, size_t bytes, void **memory)
{
  *memory = NULL;
  if (is_capturing(context))
    return iw_fail(IW_ERROR_MEMORY, "%zu bytes are needed while the context's stream is being captured: allocate them before the "
                   "capture, scratch by iw_context_reserve()", bytes);
  return iw_sim_memory_allocate(context->state, bytes, SIM_USER, memory);
}

static void sim_release(iw_context *context, void *memory)
{
  if (context && iw_sim_memory_find(context->state, memory)) {
    iw_sim_memory_release(context->state, memory);
    return;
  }
  /* A plan's table, which belongs to the device of another context, or of none any more. */
  pthread_mutex_lock(&devices_lock);
  for (sim_state *state = devices; state; state = state->next)
    if (iw_sim_memory_find(state, memory)) {
      iw_sim_memory_release(state, memory);
      break;
    }
  pthread_mutex_unlock(&devices_lock);
}

static iw_status sim_owns(iw_context *context, const void *memory, int *owns)
{
  *owns = iw_sim_memory_find(context->state, memory) != NULL;
  return IW_OK;
}

static iw_status sim_locate(iw_context *context, const char *name, const void *memory, int *accessible)
{
  *accessible = iw_sim_memory_find(context->state, memory) != NULL;
  if (!*accessible && is_capturing(context))
    return iw_fail(IW_ERROR_INVALID, "%s is host memory, which cannot be used while the stream is being captured", name);
  return IW_OK;
}

/* Refuses a copy that leaves an allocation. */
static iw_status check_range(const sim_region *region, const void *at, size_t bytes)
{
  const size_t from = (size_t)((const char *)at - region->base);
  if ((const char *)at < region->base || from > region->bytes || bytes > region->bytes - from)
    return iw_fail(IW_ERROR_INVALID, "a copy of %zu bytes at %p leaves the allocation of %zu bytes at %p", bytes, at,
                   region->bytes, (void *)region->base);
  return IW_OK;
}

static iw_status copy(sim_state *state, const sim_region *there, const sim_region *here, void *to, const void *from, size_t bytes)
{
  if (there)
    IW_TRY(check_range(there, to, bytes));
  if (here)
    IW_TRY(check_range(here, from, bytes));
  if (here && !there)
    iw_sim_memory_read_by_host(state, from, bytes, "a copy to the host");
  memmove(to, from, bytes);
  if (there && here)
    iw_sim_memory_copy(state, to, from, bytes);
  else if (there)
    iw_sim_memory_define(state, to, bytes);
  return iw_sim_findings_status(state);
}

static iw_status sim_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  sim_state *const state = context->state;
  if (!bytes)
    return IW_OK;
  const sim_region *const there = iw_sim_memory_find(state, to), *const here = iw_sim_memory_find(state, from);
  if (state->is_capturing && !(there && here))
    return iw_fail(IW_ERROR_INVALID, "the call copies %zu bytes between host and device, which is not possible while its "
                   "stream is being captured", bytes);
  return copy(state, there, here, to, from, bytes);
}

/* A table that the caller may free: a captured graph would keep a copy of it. */
static iw_status sim_upload(iw_context *context, void *to, const void *from, size_t bytes)
{
  sim_state *const state = context->state;
  return bytes ? copy(state, iw_sim_memory_find(state, to), iw_sim_memory_find(state, from), to, from, bytes) : IW_OK;
}

static void sim_lay_out(iw_context *context, void *memory, const iw_layout *layout, int contents)
{
  iw_sim_memory_lay_out(context->state, memory, layout, contents);
}

static iw_status sim_zero(iw_context *context, void *memory, size_t bytes)
{
  memset(memory, 0, bytes);
  iw_sim_memory_define(context->state, memory, bytes);
  return IW_OK;
}

static iw_status sim_for_each_piece(iw_context *context, const void *host, size_t bytes, size_t unit, iw_piece_fn use,
                                    void *job)
{
  const size_t piece = iw_min(iw_max(PIECE_BYTES / unit, 1), iw_ceil_div(bytes, unit)) * unit;
  void *memory;
  iw_status status = IW_OK;
  IW_TRY(sim_allocate(context, piece, &memory));
  for (size_t at = 0; at < bytes && status == IW_OK; at += piece) {
    const size_t here = iw_min(bytes - at, piece);
    const iw_layout layout = { .used = piece, .count = 1, .array = { { "a piece of the input", 0, here } } };
    sim_lay_out(context, memory, &layout, 0); /* the last one is shorter */
    status = sim_copy(context, memory, (const char *)host + at, here);
    if (status == IW_OK)
      status = use(job, memory, at, here);
  }
  sim_release(context, memory);
  return status;
}

/* ---- Streams and launches ---------------------------------------------------------------------------- */

/* All streams are in order, as one. */
static iw_status sim_set_stream(iw_context *context, void *stream)
{
  if (stream != context->stream && is_capturing(context))
    return iw_fail(IW_ERROR_INVALID, "the context's stream is being captured: end the capture before you set another stream");
  context->stream = stream;
  return IW_OK;
}

static iw_status sim_synchronize(iw_context *context)
{
  return is_capturing(context) ? iw_fail(IW_ERROR_LAUNCH, "the context's stream is being captured, and cannot be waited for")
                               : IW_OK;
}

iw_status iw_sim_set_capture(iw_context *context, int on)
{
  const int captures = on != 0;
  if (!context)
    return iw_fail(IW_ERROR_INVALID, "context is NULL");
  if (strcmp(context->ops->name, "sim") != 0)
    return iw_fail(IW_ERROR_INVALID, "the context's backend is %s; only a stream of the simulated GPU (IW_BACKEND_SIM) is "
                   "captured by this call", context->ops->name);
  if (is_capturing(context) == captures)
    return iw_fail(IW_ERROR_INVALID, captures ? "the context's stream is being captured already" : "there is no capture to end");
  ((sim_state *)context->state)->is_capturing = captures;
  return IW_OK;
}

/* Not when the context is opened, since users' kernels need none of the library's. */
static iw_status sim_load(iw_context *context)
{
  sim_state *const state = context->state;
  if (context->kernels)
    return IW_OK;
  IW_TRY(iw_find_kernel_set("sim", &context->kernels));
  return state->profile.capability < 80 ? iw_find_kernel_set("sim75", &state->older_kernels) : IW_OK;
}

static const iw_kernel *sim_kernel(iw_context *context, unsigned id)
{
  if (sim_load(context) != IW_OK)
    return NULL;
  const sim_state *const state = context->state;
  const iw_kernel *const older = state->older_kernels ? state->older_kernels[id] : NULL;
  return older ? older : context->kernels[id];
}

static iw_status sim_launch_kernel(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned threads,
                                   size_t shared, const void *args)
{
  if (!kernel->run_warp)
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for %s, but the context runs on the simulated GPU: compile it with -DIW_SIM too",
                   kernel->name, kernel->isa);
  if (grid > INT_MAX)
    return iw_fail(IW_ERROR_INVALID, "the grid is %zu blocks; CUDA allows at most %d", grid, INT_MAX);
  if (shared > context->device.shared_per_block)
    return iw_fail(IW_ERROR_LAUNCH, "kernel %s needs %zu bytes of shared memory for a block; %s has %zu", kernel->name,
                   shared, context->label, context->device.shared_per_block);
  if (kernel->shared > shared && shared == context->device.shared_per_block)
    return iw_fail(IW_ERROR_LAUNCH, "kernel %s was built for devices with %zu bytes of shared memory for a block; %s has %zu: "
                   "compile it with -DIW_SIM_CAPABILITY=%u", kernel->name, kernel->shared, context->label, shared,
                   ((const sim_state *)context->state)->profile.capability);
  if (grid == 0)
    return IW_OK;
  context->has_captured_graph |= is_capturing(context);
  return iw_sim_run(context->state, kernel, grid, threads, shared, args);
}

static const iw_backend_ops sim = {
  .name = "sim", .isa = "sim",
  .open = sim_open, .close = sim_close, .allocate = sim_allocate, .release = sim_release, .owns = sim_owns,
  .locate = sim_locate, .copy = sim_copy, .upload = sim_upload, .zero = sim_zero, .for_each_piece = sim_for_each_piece,
  .lay_out = sim_lay_out,
  .set_stream = sim_set_stream, .synchronize = sim_synchronize, .kernel = sim_kernel, .load = sim_load, .launch = sim_launch_kernel,
};

const iw_backend_ops *iw_backend_sim(const char **why)
{
  (void)why;
  return &sim;
}
