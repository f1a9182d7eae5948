/* SPDX-License-Identifier: Apache-2.0
 *
 * The context: a backend, its device and the memory that calls reuse. Runtime layer; it does not know the
 * algorithms.
 */
#ifndef IW_RUNTIME_CONTEXT_H
#define IW_RUNTIME_CONTEXT_H

#include "runtime/backend.h"
#include "runtime/error.h"

/* Memory that a captured graph may still use, freed with the context. */
typedef struct iw_deferred_free {
  struct iw_deferred_free *next;
  void *memory;
} iw_deferred_free;

struct iw_context {
  const iw_backend_ops *ops;
  iw_backend backend;
  const iw_isa *isa;          /* of CPU kernels */
  const iw_kernel *const *kernels; /* the library's for the backend, by id: see iw_kernel_set; NULL: not loaded yet */
  iw_device device;           /* set by the backend's open(), as is state */
  unsigned threads;           /* CPU threads that a launch may use */
  unsigned team;              /* threads that shared the blocks of the last launch; set by launch() */
  iw_blocks blocks;
  void *stream;               /* set by the caller, for a device context that is opened later */
  void *state;                /* owned by the backend */

  void *scratch;              /* contents unspecified between calls */
  size_t scratch_bytes;
  size_t reserved;            /* the largest number of bytes of iw_context_reserve() */
  void *tickets;              /* an iw_tickets, followed by tile states: see iw_tile_states() */
  size_t tile_state_capacity;
  void *zeroed_counters;      /* zero between calls: see iw_zeroed_counters() */
  void *staging;              /* device copies of the caller's host arrays */
  size_t staging_bytes;
  void *edges;                /* host memory, see iw_edges_memory() */
  size_t edges_bytes;
  int has_captured_graph;     /* a captured graph may use the memory above, which must not be freed */
  iw_deferred_free *deferred_frees;

  /* An AUTO context runs on the CPU and opens a second context for the device when it first meets device
   * memory. */
  const iw_backend_ops *device_ops; /* NULL: not an AUTO context, or there is no device */
  iw_context *device_context;
  iw_context_options options;
  size_t offload_threshold;   /* bytes of host data from which on the device is faster, transfers included */
  int device_index;           /* of the CUDA device, or of the simulated one; -1: none */
  char label[128];            /* name and version of the device, for messages */
  char why[512];              /* the reason for the choice of the backend: iw_context_info.why */
  size_t call_bytes;          /* of the arrays of the call that launches; 0: unknown */
};

/* The device context of an AUTO context; opened by the first call. */
iw_status iw_device_context(iw_context *context, iw_context **device);

#endif
