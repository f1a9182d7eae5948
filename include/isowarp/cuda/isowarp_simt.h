/* SPDX-License-Identifier: Apache-2.0
 *
 * What the headers of CUDA C++ call of the simulated GPU's runtime (libisowarp-simt). Not for users.
 */
#ifndef ISOWARP_SIMT_H
#define ISOWARP_SIMT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define IW_SIMT_NORETURN [[noreturn]]
#else
#define IW_SIMT_NORETURN _Noreturn
#endif

typedef struct iw_simt_dim { unsigned x, y, z; } iw_simt_dim;

/* Set for the thread that runs. */
extern iw_simt_dim iw_simt_thread_index, iw_simt_block_index, iw_simt_block_dim, iw_simt_grid_dim;

/* ---- Launches ---- */

typedef struct iw_simt_config {
  iw_simt_dim grid, block;
  size_t shared;
  void *stream;
  int cooperative;
  const char *name;
} iw_simt_config;
/* Each thread calls call(closure). Returns a cudaError. */
int iw_simt_launch(const iw_simt_config *config, void (*call)(void *closure), void *closure, size_t closure_bytes, void *pc);
extern char iw_simt_dynamic[] __attribute__((aligned(1024)));

/* ---- Streams, events and graphs: graph.c. Returns are cudaErrors. ---- */

typedef enum iw_simt_node_kind { IW_SIMT_LAUNCH, IW_SIMT_COPY, IW_SIMT_SET, IW_SIMT_HOST, IW_SIMT_NODES } iw_simt_node_kind;
/* What a stream is given: call(closure) by each thread, or by the host (closure_bytes is 0); a copy, whose
 * kind is `value`; a memset of `value`. */
typedef struct iw_simt_node {
  iw_simt_node_kind kind;
  void *stream, *pc;
  iw_simt_config config;
  void (*call)(void *);
  void *closure, *to;
  const void *from;
  size_t closure_bytes, bytes;
  int value;
} iw_simt_node;
typedef struct iw_simt_event { int64_t time; uint64_t capture, last; void *stream; } iw_simt_event;
typedef struct iw_simt_graph iw_simt_graph;
enum { IW_SIMT_RUN_NOW = -1 };
/* If the node's stream is captured, adds the node to the graph; else IW_SIMT_RUN_NOW. */
int iw_simt_captured(const iw_simt_node *node);
int iw_simt_capture_begin(void *stream, int mode);
int iw_simt_capture_end(void *stream, iw_simt_graph **graph);
/* 0: is not captured; 1: is; 2: is, but in vain. */
int iw_simt_capture_status(void *stream);
/* A call that no capture allows: `error`, or 0 if there is none. */
int iw_simt_capture_forbids(int error);
void *iw_simt_stream_create(unsigned flags);
int iw_simt_stream_destroy(void *stream);
int iw_simt_stream_synchronize(void *stream);
int iw_simt_stream_wait(void *stream, const iw_simt_event *event);
int iw_simt_event_record(iw_simt_event *event, void *stream);
int iw_simt_event_synchronize(const iw_simt_event *event);
void iw_simt_graph_free(iw_simt_graph *graph);
size_t iw_simt_graph_count(const iw_simt_graph *graph);
iw_simt_graph *iw_simt_graph_copy(const iw_simt_graph *from);
/* The nodes of `from` take the place of equal ones. */
int iw_simt_graph_update(iw_simt_graph *graph, const iw_simt_graph *from);
int iw_simt_graph_launch(const iw_simt_graph *graph, void *stream);

/* ---- Operations of threads. pc: the return address of the user's call. ---- */

typedef enum iw_simt_barrier_kind { IW_SIMT_PLAIN, IW_SIMT_COUNT, IW_SIMT_AND, IW_SIMT_OR } iw_simt_barrier_kind;
/* value: the predicate, or of a plain barrier its number in the program; 0: it has none. */
int iw_simt_barrier(iw_simt_barrier_kind kind, int value, void *pc);
void iw_simt_grid_barrier(void *pc);
/* Scope: 0 the block, 1 the device, 2 the system. Does nothing on the host. */
void iw_simt_fence(int scope);
/* COMPARE: writes only if memory has the value that the thread expects. */
enum { IW_SIMT_LOAD = 1, IW_SIMT_STORE = 2, IW_SIMT_RMW = 3, IW_SIMT_ACQUIRE = 4, IW_SIMT_RELEASE = 8, IW_SIMT_COMPARE = 16 };
/* An access of memory that the caller performs itself. */
void iw_simt_access(const void *at, size_t bytes, int is_write, void *pc);
/* Before and after an atomic access, which the caller performs itself. changed: whether memory has another
 * value. */
void iw_simt_atomic(void *at, size_t bytes, int kind, int scope, void *pc);
void iw_simt_atomic_end(int kind, int scope, int changed);
/* The lanes of the mask meet. Each gives a value, and returns the lanes that took part. The result of a
 * shuffle is the value of the lane `from`; of a ballot, whose values have the type int, the lanes whose
 * value is not 0; of an exchange the value of each lane: result[lane]. */
typedef enum iw_simt_warp_kind { IW_SIMT_SYNC, IW_SIMT_SHUFFLE, IW_SIMT_BALLOT, IW_SIMT_EXCHANGE } iw_simt_warp_kind;
uint32_t iw_simt_warp(iw_simt_warp_kind kind, uint32_t mask, const void *value, size_t bytes, unsigned from, void *result,
                      void *pc);
uint32_t iw_simt_active_mask(void *pc);
unsigned iw_simt_lane(void);
int64_t iw_simt_time(void);
void iw_simt_sleep(void *pc);
/* The thread waits without end for a value, and an atomic load has just not found it. */
void iw_simt_await(void *pc);
IW_SIMT_NORETURN void iw_simt_trap(const char *what, void *pc);
void iw_simt_unsupported(const char *what, void *pc);

/* ---- The host's calls ---- */

void *iw_simt_malloc(size_t bytes, int is_managed, void *pc); /* NULL: no memory */
int iw_simt_free(void *memory, void *pc);
enum { IW_SIMT_TO_DEVICE = 1, IW_SIMT_TO_HOST = 2, IW_SIMT_ON_DEVICE = 3 };
/* Returns a cudaError. */
int iw_simt_memcpy(void *to, const void *from, size_t bytes, int kind, void *pc);
int iw_simt_memset(void *to, int value, size_t bytes, void *pc);
/* The error of the launches, which stays; set: 0, or what it becomes. */
int iw_simt_error(int set);
/* Of the other calls, until the program asks for it. */
extern int iw_simt_last_error;
size_t iw_simt_free_memory(void);
int iw_simt_is_device_memory(const void *at, int *is_managed);
/* isowarp run: reads arguments, and writes what pointers lead to. */
typedef struct iw_simt_parameter { char kind; size_t size, element; int is_const; const char *type, *name; } iw_simt_parameter;
int iw_simt_run_begin(int argc, char **argv, const iw_simt_parameter *parameters, size_t count, void **values,
                      iw_simt_config *config);
int iw_simt_run_end(const iw_simt_parameter *parameters, size_t count, void **values);

#ifdef __cplusplus
}
#endif

#endif
