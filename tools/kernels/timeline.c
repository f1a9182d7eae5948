/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp run --timeline: when each warp was in its phases, and when it waited, as JSON in the Trace Event
 * format, which Perfetto opens. A process is a launch, a thread is a warp. The events come from the
 * simulated GPU. */
#include "kernels.h"
#include <isowarp/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WARPS = 1 << 20, MOST_EVENTS = 1 << 21 };

/* The begin or the end of a slice. The kernel's object stays loaded, and with it the strings. */
typedef struct mark {
  uint64_t step;
  uint32_t launch, thread; /* thread 0: the launch itself; else 1 + block * warps + warp */
  unsigned interval;
  int is_begin, line;
  iw_sim_slice slice;
  const char *file, *operation;
} mark;

typedef struct timeline_launch {
  const char *kernel;
  size_t grid;
  unsigned threads, warps;
} timeline_launch;

static struct {
  mark *marks;
  size_t count, capacity;
  timeline_launch *launches;
  size_t launch_count;
  /* Of each thread of the launch that runs: slices that have begun, of which the last `left_out` are not
   * recorded. */
  struct {
    unsigned char open, left_out;
  } * threads;
  size_t thread_count;
  int is_cut;
} t;

static void add_mark(const iw_sim_event *e, uint32_t thread, int is_begin)
{
  if (t.count == t.capacity)
    t.marks = need_more(t.marks, t.capacity = t.capacity ? 2 * t.capacity : 1024, sizeof *t.marks);
  t.marks[t.count++] = (mark){
    e->step, (uint32_t)t.launch_count, thread, e->interval, is_begin, e->line, e->slice, e->file,
    e->operation
  };
}

static void begin_launch(const iw_sim_event *e)
{
  const unsigned warps = (e->threads + e->warp_size - 1) / e->warp_size;
  if (e->grid > MOST_WARPS / warps)
    fail("--timeline: %zu blocks of %u warps are more than %d warps", e->grid, warps, MOST_WARPS);
  t.launches = need_more(t.launches, t.launch_count + 1, sizeof *t.launches);
  t.launches[t.launch_count++] = (timeline_launch){ e->kernel, e->grid, e->threads, warps };
  t.thread_count = 1 + e->grid * warps;
  t.threads = need_more(t.threads, t.thread_count, sizeof *t.threads);
  memset(t.threads, 0, t.thread_count * sizeof *t.threads);
  add_mark(e, 0, 1);
}

/* A finding may have stopped the launch: what has begun and not ended ends with it. */
static void end_launch(const iw_sim_event *e)
{
  for (size_t thread = 1; thread < t.thread_count; thread++)
    for (; t.threads[thread].open > t.threads[thread].left_out; t.threads[thread].open--)
      add_mark(e, (uint32_t)thread, 0);
  add_mark(e, 0, 0);
}

void timeline_event(const iw_sim_event *e)
{
  if (e->kind == IW_SIM_EVENT_LAUNCH)
    begin_launch(e);
  if (e->kind == IW_SIM_EVENT_LAUNCH_END)
    end_launch(e);
  if (e->kind != IW_SIM_EVENT_BEGIN && e->kind != IW_SIM_EVENT_END)
    return;
  const uint32_t thread = (uint32_t)(1 + e->block * t.launches[t.launch_count - 1].warps + e->warp);
  const int is_begin = e->kind == IW_SIM_EVENT_BEGIN;
  if (is_begin) {
    t.threads[thread].open++;
    if (t.count >= MOST_EVENTS || t.threads[thread].left_out > 0) {
      t.threads[thread].left_out++;
      t.is_cut = 1;
      return;
    }
  } else {
    t.threads[thread].open--;
    if (t.threads[thread].left_out > 0) {
      t.threads[thread].left_out--;
      return;
    }
  }
  add_mark(e, thread, is_begin);
}

/* ---- JSON ---- */

static void put_string(FILE *out, const char *text)
{
  fputc('"', out);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < ' ')
      fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
    else
      fputc(*text, out);
  fputc('"', out);
}

static const char *const slice_names[] = { "kernel", "phase", "barrier", "poll" }; /* by iw_sim_slice */

static void put_name(FILE *out, const mark *m)
{
  char name[300];
  if (m->thread == 0 || m->slice == IW_SIM_SLICE_KERNEL) {
    put_string(out, t.launches[m->launch - 1].kernel);
    return;
  }
  const char *const slash = m->file ? strrchr(m->file, '/') : NULL, *const file = slash     ? slash + 1
                                                                                  : m->file ? m->file
                                                                                            : "";
  const int is_named =
      m->slice != IW_SIM_SLICE_PHASE && m->operation && strcmp(m->operation, "iw_barrier_") != 0;
  snprintf(name, sizeof name, "%s %.100s:%d%s%.100s", slice_names[m->slice], file, m->line,
           is_named ? " " : "", is_named ? m->operation : "");
  put_string(out, name);
}

static int object_count;

static void begin_object(FILE *out) { fputs(object_count++ ? ",\n" : "\n", out); }

static void put_mark(FILE *out, const mark *m)
{
  begin_object(out);
  if (!m->is_begin) {
    fprintf(out, "{\"ph\":\"E\",\"pid\":%u,\"tid\":%u,\"ts\":%llu}", m->launch, m->thread,
            (unsigned long long)m->step);
    return;
  }
  fputs("{\"name\":", out);
  put_name(out, m);
  fprintf(out, ",\"cat\":\"%s\",\"ph\":\"B\",\"pid\":%u,\"tid\":%u,\"ts\":%llu",
          m->thread == 0 ? "launch" : slice_names[m->slice], m->launch, m->thread,
          (unsigned long long)m->step);
  if (m->thread != 0)
    fprintf(out, ",\"args\":{\"interval\":%u}", m->interval);
  fputc('}', out);
}

/* The name of a process or a thread, and its place among the others: metadata. */
static void put_label(FILE *out, const char *of, size_t process, size_t thread, const char *label)
{
  begin_object(out);
  fprintf(out, "{\"name\":\"%s_name\",\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"args\":{\"name\":", of, process,
          thread);
  put_string(out, label);
  fprintf(
      out,
      "}},\n{\"name\":\"%s_sort_index\",\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"args\":{\"sort_index\":%zu}}",
      of, process, thread, strcmp(of, "process") == 0 ? process : thread);
}

static void put_labels(FILE *out)
{
  char label[300];
  for (size_t i = 0; i < t.launch_count; i++) {
    const timeline_launch *const l = &t.launches[i];
    snprintf(label, sizeof label, "launch %zu: %.200s, %zu block%s of %u threads", i + 1, l->kernel, l->grid,
             l->grid == 1 ? "" : "s", l->threads);
    put_label(out, "process", i + 1, 0, label);
    put_label(out, "thread", i + 1, 0, "launch");
  }
  for (size_t i = 0; i < t.count; i++) {
    const mark *const m = &t.marks[i];
    if (!m->is_begin || m->thread == 0 || m->slice != IW_SIM_SLICE_KERNEL)
      continue;
    const unsigned warps = t.launches[m->launch - 1].warps;
    snprintf(label, sizeof label, "block %u warp %u", (m->thread - 1) / warps, (m->thread - 1) % warps);
    put_label(out, "thread", m->launch, m->thread, label);
  }
}

static void write_json(FILE *out)
{
  fputs("{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"time\":\"1 us is one step of the simulator, which "
        "runs one warp at a time; it is "
        "not the time of a GPU\"},\n\"traceEvents\":[",
        out);
  put_labels(out);
  for (size_t i = 0; i < t.count; i++)
    put_mark(out, &t.marks[i]);
  fputs("\n]}\n", out);
}

void timeline_check(const char *path)
{
  if (!ends_with(path, ".json"))
    fail("--timeline: '%s' does not end with .json", path);
}

void timeline_write(const char *path)
{
  write_made("--timeline", path, write_json);
  if (t.is_cut)
    fprintf(stderr, "isowarp: --timeline: %s has the first %d begins and ends of slices only\n", path,
            MOST_EVENTS);
}
