/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams, events and graphs of the CUDA runtime. What is given to a stream runs at once; while a stream is
 * captured it becomes a node of a graph, whose nodes run in the order of the calls.
 */
#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>

enum {
  INVALID_VALUE = 1, INVALID_HANDLE = 400, CAPTURING = 900, INVALIDATED = 901, UNMATCHED = 903, UNJOINED = 904,
  IMPLICIT = 906, CAPTURED_EVENT = 907, UPDATE_FAILED = 910, RELAXED = 2
};

struct iw_simt_graph { iw_simt_node *nodes; size_t count, capacity; };

/* is_bad: a call was not allowed in it. */
typedef struct capture { uint64_t id; iw_simt_graph *graph; struct iw_simt_stream *origin; int mode, is_bad; } capture;

/* last: its last node and waits, counted; is_joined: another stream waits for it since. */
struct iw_simt_stream {
  unsigned flags;
  capture *capture;           /* NULL: none */
  uint64_t last;
  int is_joined;
  struct iw_simt_stream *next;
};
static struct iw_simt_stream legacy, of_thread = { .next = NULL }, *streams = &of_thread;

/* NULL: there is no such stream. */
static struct iw_simt_stream *find(void *stream)
{
  if ((uintptr_t)stream <= 1)
    return &legacy;
  if ((uintptr_t)stream == 2)
    return &of_thread;
  struct iw_simt_stream *s = streams;
  while (s && s != stream)
    s = s->next;
  return s;
}

static void *must(void *memory) { return iw_simt_must(memory, "a graph or a stream"); }

/* ---- Captures ---------------------------------------------------------------------------------------- */

int iw_simt_capture_forbids(int error)
{
  int is_forbidden = 0;
  for (struct iw_simt_stream *s = streams; s; s = s->next)
    if (s->capture && s->capture->mode != RELAXED && !(error == IMPLICIT && s->capture->origin->flags & 1)) {
      s->capture->is_bad = 1;
      is_forbidden = 1;
    }
  return is_forbidden ? error : 0;
}

static void add_node(iw_simt_graph *g, const iw_simt_node *node)
{
  if (g->count == g->capacity)
    g->nodes = iw_simt_more(g->nodes, &g->capacity, sizeof *g->nodes, "a graph or a stream");
  iw_simt_node *const n = &g->nodes[g->count++];
  *n = *node;
  if (n->closure_bytes) {
    n->closure = must(malloc(n->closure_bytes));
    memcpy(n->closure, node->closure, n->closure_bytes);
  }
}

static int capture_node(struct iw_simt_stream *s, const iw_simt_node *node)
{
  if (s->capture->is_bad)
    return INVALIDATED;
  add_node(s->capture->graph, node);
  s->last++;
  s->is_joined = 0;
  return 0;
}

int iw_simt_captured(const iw_simt_node *node)
{
  struct iw_simt_stream *const s = find(node->stream);
  if (!s)
    return INVALID_HANDLE;
  if (s->capture)
    return capture_node(s, node);
  const int error = s == &legacy ? iw_simt_capture_forbids(IMPLICIT) : 0;
  return error ? error : IW_SIMT_RUN_NOW;
}

int iw_simt_capture_begin(void *stream, int mode)
{
  static uint64_t ids;
  struct iw_simt_stream *const s = find(stream);
  if (!s || s == &legacy || s->capture)
    return !s ? INVALID_HANDLE : CAPTURING;
  s->capture = must(calloc(1, sizeof *s->capture));
  *s->capture = (capture){ ++ids, must(calloc(1, sizeof(iw_simt_graph))), s, mode, 0 };
  return 0;
}

int iw_simt_capture_end(void *stream, iw_simt_graph **graph)
{
  struct iw_simt_stream *const s = find(stream);
  *graph = NULL;
  if (!s || !s->capture || s->capture->origin != s)
    return !s ? INVALID_HANDLE : !s->capture ? INVALID_VALUE : UNMATCHED;
  capture *const c = s->capture;
  int error = c->is_bad ? INVALIDATED : 0;
  for (struct iw_simt_stream *other = streams; other; other = other->next)
    if (other->capture == c) {
      error = error ? error : other != s && !other->is_joined ? UNJOINED : 0;
      other->capture = NULL;
    }
  if (error)
    iw_simt_graph_free(c->graph);
  else
    *graph = c->graph;
  free(c);
  return error;
}

int iw_simt_capture_status(void *stream)
{
  const struct iw_simt_stream *const s = find(stream);
  return s && s->capture ? 1 + s->capture->is_bad : 0;
}

/* ---- Streams and events ------------------------------------------------------------------------------ */

void *iw_simt_stream_create(unsigned flags)
{
  struct iw_simt_stream *const s = must(calloc(1, sizeof *s));
  s->flags = flags;
  s->next = streams;
  return streams = s;
}

int iw_simt_stream_destroy(void *stream)
{
  struct iw_simt_stream **at = &streams;
  while (*at && *at != stream)
    at = &(*at)->next;
  if (!*at || *at == &of_thread)
    return INVALID_HANDLE;
  *at = (*at)->next;
  free(stream);
  return 0;
}

int iw_simt_stream_synchronize(void *stream)
{
  struct iw_simt_stream *const s = find(stream);
  if (!s)
    return INVALID_HANDLE;
  if (s->capture) {
    s->capture->is_bad = 1;
    return CAPTURING;
  }
  const int error = s == &legacy ? iw_simt_capture_forbids(IMPLICIT) : 0;
  return error ? error : iw_simt_error(0);
}

static capture *capture_of(uint64_t id)
{
  for (struct iw_simt_stream *s = streams; id && s; s = s->next)
    if (s->capture && s->capture->id == id)
      return s->capture;
  return NULL;
}

int iw_simt_event_record(iw_simt_event *event, void *stream)
{
  struct iw_simt_stream *const s = find(stream);
  if (!event || !s)
    return INVALID_HANDLE;
  event->time = iw_simt_time();
  event->capture = s->capture ? s->capture->id : 0;
  event->stream = s;
  event->last = s->last;
  return 0;
}

int iw_simt_event_synchronize(const iw_simt_event *event)
{
  capture *const c = event ? capture_of(event->capture) : NULL;
  if (!event)
    return INVALID_HANDLE;
  if (c)
    c->is_bad = 1;
  return c ? CAPTURED_EVENT : iw_simt_error(0);
}

/* A stream that waits for an event of a capture becomes part of it. */
int iw_simt_stream_wait(void *stream, const iw_simt_event *event)
{
  struct iw_simt_stream *const s = find(stream);
  if (!s || !event)
    return INVALID_HANDLE;
  capture *const c = capture_of(event->capture);
  if (!c)
    return 0;
  if (s == &legacy || (s->capture && s->capture != c)) {
    c->is_bad = 1;
    return s == &legacy ? IMPLICIT : CAPTURING;
  }
  s->capture = c;
  s->last++;
  s->is_joined = 0;
  struct iw_simt_stream *const from = find(event->stream);
  if (from && from != s && from->last == event->last)
    from->is_joined = 1;
  return 0;
}

/* ---- Graphs ------------------------------------------------------------------------------------------ */

void iw_simt_graph_free(iw_simt_graph *graph)
{
  for (size_t i = 0; graph && i < graph->count; i++)
    if (graph->nodes[i].closure_bytes)
      free(graph->nodes[i].closure);
  if (graph)
    free(graph->nodes);
  free(graph);
}

size_t iw_simt_graph_count(const iw_simt_graph *graph) { return graph->count; }

iw_simt_graph *iw_simt_graph_copy(const iw_simt_graph *from)
{
  iw_simt_graph *const g = must(calloc(1, sizeof *g));
  for (size_t i = 0; i < from->count; i++)
    add_node(g, &from->nodes[i]);
  return g;
}

int iw_simt_graph_update(iw_simt_graph *graph, const iw_simt_graph *from)
{
  int is_alike = graph->count == from->count;
  for (size_t i = 0; is_alike && i < from->count; i++)
    is_alike = graph->nodes[i].kind == from->nodes[i].kind && graph->nodes[i].call == from->nodes[i].call;
  if (!is_alike)
    return UPDATE_FAILED;
  iw_simt_graph *const copy = iw_simt_graph_copy(from), before = *graph;
  *graph = *copy;
  *copy = before;
  iw_simt_graph_free(copy);
  return 0;
}

int iw_simt_graph_launch(const iw_simt_graph *graph, void *stream)
{
  struct iw_simt_stream *const s = find(stream);
  int error = s ? 0 : INVALID_HANDLE;
  for (size_t i = 0; !error && i < graph->count; i++) {
    iw_simt_node n = graph->nodes[i];
    n.stream = n.config.stream = stream;
    switch (s->capture ? IW_SIMT_NODES : n.kind) {
      case IW_SIMT_LAUNCH: error = iw_simt_launch(&n.config, n.call, n.closure, n.closure_bytes, n.pc); break;
      case IW_SIMT_COPY: error = iw_simt_memcpy(n.to, n.from, n.bytes, n.value, n.pc); break;
      case IW_SIMT_SET: error = iw_simt_memset(n.to, n.value, n.bytes, n.pc); break;
      case IW_SIMT_HOST: n.call(n.closure); break;
      default: error = capture_node(s, &n); break; /* the nodes of a child */
    }
  }
  return error;
}
