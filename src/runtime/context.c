/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts: opening, information, streams and closing. The backend, the instruction set and the number of
 * threads are chosen by the options, else the environment, else the machine. Runtime layer.
 */
#include "runtime/check.h"
#include "runtime/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024 };

static const iw_backend_ops *cpu_ops(const char **why)
{
  (void)why;
  return iw_backend_cpu();
}

/* The backends: a name for ISOWARP_BACKEND, one for messages, and a function that returns NULL and the
 * reason if the backend is not available. An AUTO context is one of the CPU. */
static const struct { const char *name, *title; const iw_backend_ops *(*ops)(const char **why); } backends[] = {
  [IW_BACKEND_AUTO] = { "auto", "CPU", cpu_ops },
  [IW_BACKEND_CPU] = { "cpu", "CPU", cpu_ops },
  [IW_BACKEND_CUDA] = { "cuda", "CUDA", iw_backend_cuda },
  [IW_BACKEND_SIM] = { "sim", "simulated GPU", iw_backend_sim },
};
enum { BACKENDS = sizeof backends / sizeof *backends };

/* Returns the option if it is set, else the environment variable, and in *from the name of its source, for
 * messages. */
static const char *option_or_environment(const char *option, const char *option_name, const char *variable,
                                         const char **from)
{
  *from = option ? option_name : variable;
  return option ? option : getenv(variable);
}

static iw_status choose_backend(iw_backend option, iw_backend *backend)
{
  *backend = option;
  if ((unsigned)option >= BACKENDS)
    return iw_fail_enum("options->backend", (int)option, "iw_backend", BACKENDS - 1);
  const char *name = getenv("ISOWARP_BACKEND");
  if (option != IW_BACKEND_AUTO || !name)
    return IW_OK;
  char valid[128] = "";
  for (unsigned i = 0; i < BACKENDS; i++) {
    if (!strcmp(name, backends[i].name)) {
      *backend = (iw_backend)i;
      return IW_OK;
    }
    const size_t length = strlen(valid);
    snprintf(valid + length, sizeof valid - length, "%s%s", length ? ", " : "", backends[i].name);
  }
  return iw_fail(IW_ERROR_UNAVAILABLE, "ISOWARP_BACKEND is \"%.64s\"; valid are %s", name, valid);
}

static iw_status choose_isa(const char *option, const iw_isa **isa, const char **from)
{
  const char *name = option_or_environment(option, "options->isa", "ISOWARP_ISA", from);
  char available[128] = "";
  const iw_isa *best = NULL;
  int known = 0;
  for (unsigned i = 0; i < iw_isa_count(); i++) {
    const iw_isa *here = iw_isa_at(i);
    const int named = name && !strcmp(name, here->name);
    known |= named;
    if (!here->available())
      continue;
    best = here;
    if (named) {
      *isa = here;
      return IW_OK;
    }
    const size_t length = strlen(available);
    snprintf(available + length, sizeof available - length, "%s%s", length ? ", " : "", here->name);
  }
  if (name)
    return iw_fail(IW_ERROR_UNAVAILABLE, "%s is \"%.64s\", which %s; valid here are %s", *from, name,
                   known ? "this machine cannot run" : "is not an instruction set of this library",
                   available);
  *isa = best;
  *from = NULL;
  return IW_OK;
}

static iw_status choose_threads(unsigned option, unsigned *threads)
{
  *threads = option;
  if (option > MAX_THREADS)
    return iw_fail(IW_ERROR_INVALID, "options->threads is %u; valid are 1 to %d, and 0 for the default",
                   option, MAX_THREADS);
  const char *text = getenv("ISOWARP_THREADS");
  if (option || !text)
    return IW_OK;
  unsigned value = 0;
  const char *digit = text;
  for (; *digit >= '0' && *digit <= '9' && value <= MAX_THREADS; digit++)
    value = value * 10 + (unsigned)(*digit - '0');
  if (digit == text || *digit || value < 1 || value > MAX_THREADS)
    return iw_fail(IW_ERROR_INVALID, "ISOWARP_THREADS is \"%.64s\"; valid are the numbers 1 to %d", text,
                   MAX_THREADS);
  *threads = value;
  return IW_OK;
}

static iw_status choose_openmp(unsigned option, unsigned *openmp)
{
  *openmp = option;
  if (option > 1)
    return iw_fail(IW_ERROR_INVALID, "options->openmp is %u; valid are 0 and 1", option);
  const char *text = getenv("ISOWARP_OPENMP");
  if (option || !text)
    return IW_OK;
  if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
    return iw_fail(IW_ERROR_INVALID, "ISOWARP_OPENMP is \"%.64s\"; valid are 0 and 1", text);
  *openmp = *text == '1';
  return IW_OK;
}

/* Allocates a context and opens its backend. options: complete and checked. cuda: the backend of the device
 * context of an AUTO context, or NULL. */
static iw_status open_backend(const iw_context_options *options, const iw_backend_ops *ops, const iw_backend_ops *cuda,
                              const iw_isa *isa, iw_context **context)
{
  iw_context *const made = calloc(1, sizeof *made);
  if (!made)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes for a context", sizeof *made);
  made->backend = options->backend;
  made->ops = ops;
  made->device_ops = cuda;
  made->options = *options;
  made->offload_threshold = SIZE_MAX;
  made->device_index = -1;
  made->isa = isa;
  made->blocks = options->blocks;
  made->team = 1;
  const iw_status status = ops->open(made, options);
  if (status != IW_OK) {
    free(made);
    return status;
  }
  *context = made;
  return IW_OK;
}

/* Writes iw_context_info.why. isa_from: what named the instruction set; NULL if it is the best one.
 * no_cuda: why there is no CUDA. */
static void write_why(iw_context *context, int automatic, const char *isa_from, const char *no_cuda)
{
  const iw_backend_ops *const ops = context->ops;
  char cpu[96];
  snprintf(cpu, sizeof cpu, "%s, %s%s; %u thread%s", context->isa->name,
           isa_from ? "named by " : "the best instruction set here", isa_from ? isa_from : "",
           context->threads, context->threads == 1 ? "" : "s");
  if (!automatic)
    snprintf(context->why, sizeof context->why, "%s, as requested; %s", ops->name, ops->isa ? context->label : cpu);
  else if (context->device_ops)
    snprintf(context->why, sizeof context->why, "host data on the CPU, device memory on CUDA; %s", cpu);
  else
    snprintf(context->why, sizeof context->why, "cpu, the only backend here (no CUDA, because %s); %s", no_cuda, cpu);
}

iw_status iw_context_open(iw_context **context, const iw_context_options *options)
{
  static const iw_context_options defaults = { .size = sizeof defaults };
  IW_TRY(iw_check_pointer("context", context));
  *context = NULL;
  if (!options)
    options = &defaults;
  IW_TRY(iw_check_struct("options->size", options, "iw_context_options", sizeof *options));
  IW_TRY(iw_check_enum("options->blocks", (int)options->blocks, "iw_blocks", IW_BLOCKS_TEAM));

  iw_context_options complete = *options;
  complete.size = sizeof complete;
  const iw_isa *isa = NULL;
  const char *isa_from, *unavailable = "", *no_cuda = "";
  IW_TRY(choose_backend(options->backend, &complete.backend));
  IW_TRY(choose_isa(options->isa, &isa, &isa_from));
  IW_TRY(choose_threads(options->threads, &complete.threads));
  IW_TRY(choose_openmp(options->openmp, &complete.openmp));
  complete.isa = isa->name;

  const iw_backend_ops *const ops = backends[complete.backend].ops(&unavailable);
  if (!ops)
    return iw_fail(IW_ERROR_UNAVAILABLE, "the %s backend is not available, because %s; valid here are auto, cpu and sim",
                   backends[complete.backend].title, unavailable);
  const int automatic = complete.backend == IW_BACKEND_AUTO;
  const iw_backend_ops *const cuda = automatic ? iw_backend_cuda(&no_cuda) : NULL;
  if (automatic)
    complete.backend = IW_BACKEND_CPU;
  if (complete.device < 0)
    return iw_fail(IW_ERROR_INVALID, "options->device is %d; devices are counted from 0", complete.device);
  IW_TRY(open_backend(&complete, ops, cuda, isa, context));
  write_why(*context, automatic, isa_from, no_cuda);
  return IW_OK;
}

iw_status iw_device_context(iw_context *context, iw_context **device)
{
  if (!context->device_context) {
    iw_context_options options = context->options;
    options.backend = IW_BACKEND_CUDA;
    IW_TRY(iw_context_open(&context->device_context, &options));
    if (context->reserved)
      IW_TRY(iw_context_reserve(context->device_context, context->reserved));
    if (context->stream)
      IW_TRY(iw_context_set_stream(context->device_context, context->stream));
  }
  *device = context->device_context;
  return IW_OK;
}

void iw_context_close(iw_context *context)
{
  if (!context)
    return;
  iw_context_close(context->device_context);
  void *const memory[] = { context->scratch, context->tickets, context->zeroed_counters, context->staging };
  for (unsigned i = 0; i < sizeof memory / sizeof *memory; i++)
    if (memory[i])
      context->ops->release(context, memory[i]);
  while (context->deferred_frees) {
    iw_deferred_free *const next = context->deferred_frees->next;
    context->ops->release(context, context->deferred_frees->memory);
    free(context->deferred_frees);
    context->deferred_frees = next;
  }
  context->ops->close(context);
  free(context->edges);
  free(context);
}

iw_status iw_context_get_info(const iw_context *context, iw_context_info *info)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("info", info));
  IW_TRY(iw_check_struct_size("info->size", info->size, "iw_context_info", sizeof *info));
  iw_clear_unknown(info, sizeof *info);
  info->backend = context->device_ops ? IW_BACKEND_AUTO : context->backend;
  info->isa = context->ops->isa ? context->ops->isa : context->isa->name;
  info->threads = context->threads;
  info->team = context->team;
  info->why = context->why;
  info->device = context->device_index;
  return IW_OK;
}

iw_status iw_context_set_stream(iw_context *context, void *stream)
{
  IW_TRY(iw_check_context(context));
  if (!context->device_ops)
    return context->ops->set_stream(context, stream);
  if (context->device_context)
    IW_TRY(iw_context_set_stream(context->device_context, stream));
  context->stream = stream;
  return IW_OK;
}

iw_status iw_context_synchronize(iw_context *context)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(context->ops->synchronize(context));
  return context->device_context ? iw_context_synchronize(context->device_context) : IW_OK;
}
