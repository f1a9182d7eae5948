/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp run --trace: what the lanes of a kernel held, as text, SVG or HTML. One table for each operation
 * in each interval between two barriers: rows are warps, columns are lanes. The events come from the
 * simulated GPU. */
#include "kernels.h"
#include <isowarp/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 20000, MOST_CELLS = 1024, CELLS_OF_ROW = 32 };

/* An operation, or a variable, in all warps of a block that had it; occurrence: the how many-th time in the
 * interval. */
typedef struct table {
  const iw_sim_event *first;
  unsigned occurrence;
  const iw_sim_event **rows; /* by warp; NULL: the warp did not do it */
} table;

/* What happened in a block between two barriers. */
typedef struct interval {
  size_t launch;
  const iw_sim_event *first; /* block, interval */
  table *tables;
  size_t count;
} interval;

/* An element that was written: its last value, and the event that wrote it. Events lie in the order in which
 * they happened. */
typedef struct cell {
  uint64_t value;
  const iw_sim_event *by; /* NULL: not written */
  int is_undefined;
} cell;

static struct {
  iw_sim_event *events; /* launches too */
  size_t count, capacity;
  int is_cut;
  interval *intervals;
  size_t interval_count;
} t;

static struct { const void *memory; const char *name; iw_type type; int has_type; } *arrays;
static size_t array_count;

/* ---- Recording ---- */

void trace_array(const void *memory, const char *name, int has_type, iw_type type)
{
  arrays = need_more(arrays, array_count + 1, sizeof *arrays);
  arrays[array_count].memory = memory;
  arrays[array_count].name = name;
  arrays[array_count].has_type = has_type;
  arrays[array_count++].type = type;
}

/* Whether a warp polls tile states again, and they are as they were. */
static int is_repeated_poll(const iw_sim_event *e)
{
  for (size_t i = t.count;
       e->kind == IW_SIM_EVENT_POLL && i-- > 0 && t.events[i].kind != IW_SIM_EVENT_LAUNCH;) {
    const iw_sim_event *const before = &t.events[i];
    if (before->block == e->block && before->warp == e->warp)
      return before->kind == e->kind && before->lanes == e->lanes &&
             memcmp(before->offsets, e->offsets, sizeof e->offsets) == 0 &&
             memcmp(before->flags, e->flags, sizeof e->flags) == 0 &&
             memcmp(before->values, e->values, sizeof e->values) == 0;
  }
  return 0;
}

/* The kernel's object stays loaded, and with it the strings. */
void trace_event(const iw_sim_event *e)
{
  if (e->kind >= IW_SIM_EVENT_BEGIN || is_repeated_poll(e)) /* BEGIN and after: slices of a warp's time */
    return;
  if (t.count == MOST_EVENTS && e->kind != IW_SIM_EVENT_LAUNCH) {
    t.is_cut = 1;
    return;
  }
  if (t.count == t.capacity)
    t.events = need_more(t.events, t.capacity = t.capacity ? 2 * t.capacity : 256, sizeof *t.events);
  t.events[t.count++] = *e;
}

char *read_seen_text(FILE *in)
{
  size_t length;
  if (fread(&length, sizeof length, 1, in) != 1)
    return NULL;
  char *const text = need(length, 1);
  if (fread(text, 1, length, in) == length)
    return text;
  free(text);
  return NULL;
}

/* The array of an event of another process: its name is known, or new. */
static void name_array(const iw_sim_event *e)
{
  size_t i = 0;
  while (i < array_count && arrays[i].memory != e->array)
    i++;
  for (size_t k = 0; i == array_count && k < array_count; k++)
    if (arrays[k].memory == NULL && strcmp(arrays[k].name, e->arguments) == 0) {
      arrays[k].memory = e->array;
      return;
    }
  if (i == array_count)
    trace_array(e->array, e->arguments, 0, IW_U8);
}

void trace_read(const char *path, void (*use)(void *, const iw_sim_event *), void *user)
{
  FILE *const in = fopen(path, "r");
  const char *texts[4] = { "", "", "", "" };
  iw_sim_event e = { .size = sizeof e };
  while (in != NULL && fread(&e, offsetof(iw_sim_event, values), 1, in) == 1 &&
         fread(&e.slice, sizeof e - offsetof(iw_sim_event, slice), 1, in) == 1) {
    const int is_access = e.kind != IW_SIM_EVENT_LAUNCH && e.kind < IW_SIM_EVENT_BEGIN;
    if (is_access && fread(e.values, offsetof(iw_sim_event, slice) - offsetof(iw_sim_event, values), 1, in) != 1)
      break;
    for (int i = 0; i < 4 && texts[i] != NULL; i++) {
      char *const text = read_seen_text(in);
      if (text == NULL || strcmp(text, texts[i]) != 0)
        texts[i] = text;
      else
        free(text);
    }
    if (texts[0] == NULL || texts[1] == NULL || texts[2] == NULL || texts[3] == NULL)
      break;
    e.kernel = texts[0], e.file = texts[1], e.operation = texts[2], e.arguments = texts[3];
    if (is_access && e.array != NULL)
      name_array(&e);
    use(user, &e);
  }
  if (in != NULL)
    fclose(in);
}

static unsigned warps_of(const iw_sim_event *e)
{
  return (e->threads + e->warp_size - 1) / e->warp_size;
}

static int same_place(const iw_sim_event *a, const iw_sim_event *b)
{
  return a->kind == b->kind && a->line == b->line && strcmp(a->operation, b->operation) == 0 &&
         strcmp(a->arguments, b->arguments) == 0 && strcmp(a->file, b->file) == 0;
}

static interval *interval_of(size_t launch, const iw_sim_event *e)
{
  for (size_t i = t.interval_count; i-- > 0; )
    if (t.intervals[i].launch == launch && t.intervals[i].first->block == e->block &&
        t.intervals[i].first->interval == e->interval)
      return &t.intervals[i];
  t.intervals = need_more(t.intervals, t.interval_count + 1, sizeof *t.intervals);
  t.intervals[t.interval_count] = (interval){ .launch = launch, .first = e };
  return &t.intervals[t.interval_count++];
}

static void add_event(size_t launch, const iw_sim_event *e)
{
  interval *const in = interval_of(launch, e);
  unsigned occurrence = 0;
  for (size_t i = 0; i < in->count; i++)
    occurrence += same_place(in->tables[i].first, e) && in->tables[i].rows[e->warp] != NULL;
  for (size_t i = 0; i < in->count; i++)
    if (same_place(in->tables[i].first, e) && in->tables[i].occurrence == occurrence) {
      in->tables[i].rows[e->warp] = e;
      return;
    }
  in->tables = need_more(in->tables, in->count + 1, sizeof *in->tables);
  /* Variables are in the order of lines, behind the operations, which are in that of the first warp. */
  size_t at = in->count++;
  while (at > 0 && e->kind == IW_SIM_EVENT_VARIABLE &&
         in->tables[at - 1].first->kind == IW_SIM_EVENT_VARIABLE &&
         in->tables[at - 1].first->line > e->line) {
    in->tables[at] = in->tables[at - 1];
    at--;
  }
  table *const made = &in->tables[at];
  const size_t bytes = warps_of(e) * sizeof *made->rows;
  *made = (table){ .first = e, .occurrence = occurrence, .rows = memset(need(bytes, 1), 0, bytes) };
  made->rows[e->warp] = e;
}

static int by_place(const void *a, const void *b)
{
  const interval *const x = a, *const y = b;
  if (x->launch != y->launch)
    return x->launch < y->launch ? -1 : 1;
  if (x->first->block != y->first->block)
    return x->first->block < y->first->block ? -1 : 1;
  return x->first->interval < y->first->interval ? -1 : x->first->interval > y->first->interval;
}

/* Whether a variable has the values that it had before. */
static int is_unchanged(const table *now, const interval *before)
{
  for (size_t i = 0; i < before->count; i++) {
    const table *const then = &before->tables[i];
    int equal = same_place(then->first, now->first);
    for (unsigned w = 0; equal && w < warps_of(now->first); w++) {
      const iw_sim_event *const a = now->rows[w], *const b = then->rows[w];
      equal = a == b || (a != NULL && b != NULL && a->undefined == b->undefined &&
                         memcmp(a->values, b->values, sizeof a->values) == 0);
    }
    if (equal)
      return 1;
  }
  return 0;
}

/* Removes intervals in which nothing is to be seen: those between the barriers of a collective, and behind
 * the last one. */
static void remove_empty(void)
{
  size_t kept = 0;
  for (size_t i = 0; i < t.interval_count; i++) {
    interval *const in = &t.intervals[i];
    int is_empty = 1;
    for (size_t k = 0; k < in->count && is_empty; k++)
      is_empty = in->tables[k].first->kind == IW_SIM_EVENT_VARIABLE && kept > 0 &&
                 t.intervals[kept - 1].launch == in->launch &&
                 t.intervals[kept - 1].first->block == in->first->block &&
                 is_unchanged(&in->tables[k], &t.intervals[kept - 1]);
    if (!is_empty)
      t.intervals[kept++] = *in;
  }
  t.interval_count = kept;
}

static void make_intervals(void)
{
  size_t launch = 0;
  for (size_t i = 0; i < t.count; i++)
    if (t.events[i].kind == IW_SIM_EVENT_LAUNCH)
      launch++;
    else
      add_event(launch, &t.events[i]);
  if (t.interval_count > 0)
    qsort(t.intervals, t.interval_count, sizeof *t.intervals, by_place);
  remove_empty();
}

/* ---- Values ---- */

/* The type that an operation's name ends with, or a variable has. */
static int named_type(const char *name, iw_type *type)
{
  for (int i = IW_U8; iw_type_size((iw_type)i) != 0; i++) {
    const char *const here = iw_type_name((iw_type)i);
    const size_t length = strlen(name), last = strlen(here);
    if (length > last && name[length - last - 1] == '_' && strcmp(name + length - last, here) == 0) {
      *type = (iw_type)i;
      return 1;
    }
  }
  return 0;
}

static int type_of_event(const iw_sim_event *e, iw_type *type)
{
  if (named_type(e->kind == IW_SIM_EVENT_VARIABLE ? e->arguments : e->operation, type))
    return 1;
  for (size_t i = 0; i < array_count && e->array != NULL; i++)
    if (arrays[i].memory == e->array && arrays[i].has_type) {
      *type = arrays[i].type;
      return 1;
    }
  return 0;
}

/* Without a type the bits are taken for a small integer, else for a float that is neither huge nor tiny. */
static void format_bits(const iw_sim_event *e, uint64_t bits, char text[NUMBER_CHARS])
{
  iw_type type;
  value v = { .u64 = bits };
  if (!type_of_event(e, &type)) {
    const int64_t number = e->element_size == 4 ? v.i32 : v.i64;
    const double real = e->element_size == 4 ? (double)v.f32 : v.f64;
    const int is_small = number > -(1 << 24) && number < 1 << 24;
    const int is_real = e->element_size >= 4 && !is_small && fabs(real) > 1e-12 && fabs(real) < 1e15;
    type = e->element_size == 1   ? IW_U8
           : e->element_size == 2 ? IW_U16
           : e->element_size == 4 ? (is_real ? IW_F32 : is_small ? IW_I32 : IW_U32)
           : is_real              ? IW_F64
           : is_small             ? IW_I64
                                  : IW_U64;
  }
  if (type == IW_F32 || type == IW_F64)
    format_rounded(type, &v, 4, text);
  else
    format_value(type, &v, text);
}

/* What a lane of a row shows, and why: '.' takes no part, '?' undefined, '=' a value. */
static char lane_text(const iw_sim_event *e, unsigned lane, char text[NUMBER_CHARS])
{
  strcpy(text, ".");
  if (e == NULL || !(e->lanes >> lane & 1))
    return '.';
  strcpy(text, "?");
  if (e->undefined >> lane & 1)
    return '?';
  format_bits(e, e->values[lane], text);
  return '=';
}

static void title_of(const table *a, char text[400])
{
  const iw_sim_event *const e = a->first;
  if (e->kind == IW_SIM_EVENT_VARIABLE)
    snprintf(text, 400, "%.200s at the end", e->arguments);
  else
    snprintf(text, 400, "%.100s:%d %.60s(%.180s)",
             strrchr(e->file, '/') ? strrchr(e->file, '/') + 1 : e->file, e->line, e->operation,
             e->arguments);
}

/* ---- Memory that an interval wrote ---- */

typedef struct memory {
  char name[80];
  const iw_sim_event *like; /* says what the elements are */
  uint64_t from;            /* byte of the first cell */
  size_t count;
  cell *cells;
} memory;

static void memory_name(const iw_sim_event *e, char name[80])
{
  for (size_t i = 0; i < array_count && e->array != NULL; i++)
    if (arrays[i].memory == e->array) {
      snprintf(name, 80, "%s", arrays[i].name);
      return;
    }
  snprintf(name, 80, "%.*s",
           (int)strcspn(e->arguments, " +,(") > 60 ? 60 : (int)strcspn(e->arguments, " +,("), e->arguments);
}

/* The k-th array that an interval writes; 0: there is none. */
static int written_memory(const interval *in, size_t k, memory *m)
{
  const iw_sim_event *seen[64];
  size_t count = 0;
  char name[80];
  memset(m, 0, sizeof *m);
  for (size_t i = 0; i < in->count && m->like == NULL; i++) {
    const iw_sim_event *const e = in->tables[i].first;
    if (e->kind != IW_SIM_EVENT_STORE && e->kind != IW_SIM_EVENT_ATOMIC)
      continue;
    size_t s = 0;
    memory_name(e, m->name);
    for (; s < count; s++) {
      memory_name(seen[s], name);
      if (strcmp(name, m->name) == 0 && seen[s]->array == e->array &&
          seen[s]->element_size == e->element_size)
        break;
    }
    if (s == count && count < 64) {
      if (count == k)
        m->like = e;
      seen[count++] = e;
    }
  }
  if (m->like == NULL)
    return 0;
  uint64_t low = UINT64_MAX, high = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < in->count; i++) {
      const iw_sim_event *const first = in->tables[i].first;
      if ((first->kind != IW_SIM_EVENT_STORE && first->kind != IW_SIM_EVENT_ATOMIC) ||
          first->array != m->like->array || first->element_size != m->like->element_size)
        continue;
      memory_name(first, name);
      if (strcmp(name, m->name) != 0)
        continue;
      for (unsigned w = 0; w < warps_of(first); w++) {
        const iw_sim_event *const e = in->tables[i].rows[w];
        for (unsigned l = 0; e != NULL && l < e->warp_size; l++) {
          if (!(e->lanes >> l & 1))
            continue;
          low = e->offsets[l] < low ? e->offsets[l] : low;
          high = e->offsets[l] > high ? e->offsets[l] : high;
          const uint64_t at = pass == 0 ? 0 : (e->offsets[l] - m->from) / e->element_size;
          if (pass == 1 && at < m->count && (m->cells[at].by == NULL || m->cells[at].by <= e))
            m->cells[at] = (cell){ e->values[l], e, e->undefined >> l & 1 };
        }
      }
    }
    if (low == UINT64_MAX)
      return 1; /* no lane took part */
    if (pass == 0) {
      m->from = low;
      m->count = (size_t)((high - low) / m->like->element_size + 1);
      m->count = m->count < MOST_CELLS ? m->count : MOST_CELLS;
      m->cells = memset(need(m->count, sizeof *m->cells), 0, m->count * sizeof *m->cells);
    }
  }
  return 1;
}

static void cell_text(const memory *m, size_t i, char text[NUMBER_CHARS])
{
  strcpy(text, m->cells[i].by == NULL ? "." : "?");
  if (m->cells[i].by != NULL && !m->cells[i].is_undefined)
    format_bits(m->like, m->cells[i].value, text);
}

/* ---- Text ---- */

/* The rows of a table above that of the values: where a shuffle's values come from; which tile states, and
 * their flags. */
static int rows_above(const iw_sim_event *e)
{
  return e->kind == IW_SIM_EVENT_SHUFFLE                                   ? 1
         : e->kind == IW_SIM_EVENT_PUBLISH || e->kind == IW_SIM_EVENT_POLL ? 2
                                                                           : 0;
}

static const char *row_name(const iw_sim_event *e, int row)
{
  return e->kind == IW_SIM_EVENT_SHUFFLE ? "from" : row == 0 ? "slot" : "flag";
}

static void row_text(const iw_sim_event *e, int row, unsigned lane, char text[NUMBER_CHARS])
{
  if (e->kind == IW_SIM_EVENT_SHUFFLE)
    snprintf(text, NUMBER_CHARS, "%u", e->sources[lane]);
  else if (!(e->lanes >> lane & 1))
    strcpy(text, ".");
  else if (row == 0)
    snprintf(text, NUMBER_CHARS, "%llu", (unsigned long long)e->offsets[lane]);
  else
    snprintf(text, NUMBER_CHARS, "%u", (unsigned)e->flags[lane]);
}

static void print_table(FILE *out, const table *a)
{
  char text[NUMBER_CHARS], title[400];
  const iw_sim_event *const e = a->first;
  size_t width = 2;
  title_of(a, title);
  fprintf(out, "  %s\n", title);
  for (unsigned w = 0; w < warps_of(e); w++)
    for (unsigned l = 0; l < e->warp_size; l++) {
      lane_text(a->rows[w], l, text);
      width = strlen(text) > width ? strlen(text) : width;
      for (int row = 0; a->rows[w] != NULL && row < rows_above(e); row++) {
        row_text(a->rows[w], row, l, text);
        width = strlen(text) > width ? strlen(text) : width;
      }
    }
  fprintf(out, "    lane   ");
  for (unsigned l = 0; l < e->warp_size; l++)
    fprintf(out, " %*u", (int)width, l);
  for (unsigned w = 0; w < warps_of(e); w++) {
    if (a->rows[w] == NULL)
      continue;
    for (int row = 0; row < rows_above(e); row++) {
      fprintf(out, "\n    %-7s", row_name(e, row));
      for (unsigned l = 0; l < e->warp_size; l++) {
        row_text(a->rows[w], row, l, text);
        fprintf(out, " %*s", (int)width, text);
      }
    }
    fprintf(out, "\n    warp %-2u", w);
    for (unsigned l = 0; l < e->warp_size; l++) {
      lane_text(a->rows[w], l, text);
      fprintf(out, " %*s", (int)width, text);
    }
  }
  fprintf(out, "\n");
}

static void print_memory(FILE *out, const memory *m)
{
  char text[NUMBER_CHARS];
  size_t width = 2;
  for (size_t i = 0; i < m->count; i++) {
    cell_text(m, i, text);
    width = strlen(text) > width ? strlen(text) : width;
  }
  fprintf(out, "  %s as this interval wrote it, from byte %llu on\n", m->name, (unsigned long long)m->from);
  for (size_t row = 0; row < m->count; row += CELLS_OF_ROW) {
    for (int line = 0; line < 2; line++) {
      fprintf(out, line ? "    by warp" : "    %-7zu", row);
      for (size_t i = row; i < m->count && i < row + CELLS_OF_ROW; i++) {
        cell_text(m, i, text);
        if (line)
          snprintf(text, sizeof text, m->cells[i].by != NULL ? "%u" : ".",
                   m->cells[i].by != NULL ? m->cells[i].by->warp : 0);
        fprintf(out, " %*s", (int)width, text);
      }
      fprintf(out, "\n");
    }
  }
}

static void interval_title(const interval *in, char text[200])
{
  snprintf(text, 200, "launch %zu: %.100s, block %zu of %zu, interval %u", in->launch, in->first->kernel,
           in->first->block, in->first->grid, in->first->interval);
}

static void write_text(FILE *out)
{
  char title[200];
  for (size_t i = 0; i < t.interval_count; i++) {
    memory m;
    interval_title(&t.intervals[i], title);
    fprintf(out, "%s%s\n", i ? "\n" : "", title);
    for (size_t k = 0; k < t.intervals[i].count; k++)
      print_table(out, &t.intervals[i].tables[k]);
    for (size_t k = 0; written_memory(&t.intervals[i], k, &m); k++) {
      if (m.count > 0)
        print_memory(out, &m);
      free(m.cells);
    }
  }
}

/* ---- SVG ---- */

enum { CELL_WIDTH = 46, CELL_HEIGHT = 18, LEFT = 80, ARROWS = 36 };

static int right; /* where the drawing ends */

static void reach(double x)
{
  right = x > right ? (int)x + 1 : right;
}

static void put_text(FILE *out, int x, int y, const char *class, const char *text)
{
  /* As wide as characters of 15 or 12 pixels may be. */
  if (strcmp(class, "c") != 0 && strcmp(class, "l") != 0)
    reach(x + (double)strlen(text) * (*class == 'h' ? 9.2 : 7.4));
  fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
  put_escaped(out, text);
  fprintf(out, "</text>\n");
}

/* One cell; hue: of the warp that wrote it, or -1. */
static void put_cell(FILE *out, int column, int y, const char *class, int hue, const char *text)
{
  const int x = LEFT + column * CELL_WIDTH;
  reach(x + CELL_WIDTH);
  fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"", x, y, CELL_WIDTH,
          CELL_HEIGHT, class);
  if (hue >= 0)
    fprintf(out, " style=\"fill:hsl(%d,70%%,82%%)\"", hue);
  fprintf(out, "/>");
  put_text(out, x + CELL_WIDTH / 2, y + 13, "c", text);
}

static int hue_of(unsigned warp)
{
  return (int)((210 + 137 * warp) % 360); /* neighbours are far from each other */
}

static int drawing; /* the number of the SVG element: names are unique in a page */

static const char *class_of(char state)
{
  return state == '.' ? "off" : state == '?' ? "undefined" : "on";
}

/* Where a shuffle's values come from: a line from each lane to those that have got its value. */
static int put_arrows(FILE *out, const iw_sim_event *e, int y)
{
  char text[NUMBER_CHARS];
  put_text(out, 4, y + 13, "w", "had");
  for (unsigned from = 0; from < e->warp_size; from++) {
    /* What a lane had is known if another one has got it. */
    unsigned l = 0;
    while (l < e->warp_size && !(e->lanes >> l & 1 && e->sources[l] == from))
      l++;
    const char state = l < e->warp_size ? lane_text(e, l, text) : '.';
    put_cell(out, (int)from, y, class_of(state), -1, state == '.' ? "" : text);
  }
  y += CELL_HEIGHT;
  for (unsigned l = 0; l < e->warp_size; l++)
    if (e->lanes >> l & 1)
      fprintf(out,
              "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\" marker-end=\"url(#head%d)\"/>\n",
              LEFT + e->sources[l] * CELL_WIDTH + CELL_WIDTH / 2, y,
              LEFT + (int)l * CELL_WIDTH + CELL_WIDTH / 2, y + ARROWS - 2,
              e->sources[l] == l ? "own" : "move", drawing);
  return y + ARROWS;
}

static int put_table(FILE *out, const table *a, int y)
{
  char text[NUMBER_CHARS], title[400];
  const iw_sim_event *const e = a->first;
  title_of(a, title);
  put_text(out, 4, y + 14, "t", title);
  y += 20;
  for (unsigned l = 0; l < e->warp_size; l++) {
    snprintf(text, sizeof text, "%u", l);
    put_text(out, LEFT + (int)l * CELL_WIDTH + CELL_WIDTH / 2, y + 10, "l", text);
  }
  y += 14;
  for (unsigned w = 0; w < warps_of(e); w++) {
    if (a->rows[w] == NULL)
      continue;
    if (e->kind == IW_SIM_EVENT_SHUFFLE)
      y = put_arrows(out, a->rows[w], y);
    for (int row = 0; e->kind != IW_SIM_EVENT_SHUFFLE && row < rows_above(e); row++) {
      put_text(out, 4, y + 13, "w", row_name(e, row));
      for (unsigned l = 0; l < e->warp_size; l++) {
        row_text(a->rows[w], row, l, text);
        put_cell(out, (int)l, y, class_of(a->rows[w]->lanes >> l & 1 ? '=' : '.'), -1, text);
      }
      y += CELL_HEIGHT;
    }
    snprintf(text, sizeof text, "warp %u", w);
    put_text(out, 4, y + 13, "w", text);
    for (unsigned l = 0; l < e->warp_size; l++)
      put_cell(out, (int)l, y, class_of(lane_text(a->rows[w], l, text)), -1, text);
    y += CELL_HEIGHT + (e->kind == IW_SIM_EVENT_SHUFFLE ? 4 : 0);
  }
  return y + 10;
}

static int put_memory(FILE *out, const memory *m, int y)
{
  char text[NUMBER_CHARS], title[200];
  const unsigned cells = m->like->warp_size; /* of a row, so that columns are lanes above and here */
  snprintf(title, sizeof title,
           "%s as this interval wrote it, from byte %llu on; the colour is the writer's", m->name,
           (unsigned long long)m->from);
  put_text(out, 4, y + 14, "t", title);
  y += 20;
  for (size_t row = 0; row < m->count; row += cells) {
    snprintf(text, sizeof text, "%zu", row);
    put_text(out, 4, y + 13, "w", text);
    for (size_t i = row; i < m->count && i < row + cells; i++) {
      const cell *const c = &m->cells[i];
      cell_text(m, i, text);
      put_cell(out, (int)(i - row), y, c->is_undefined ? "undefined" : c->by != NULL ? "on" : "off",
               c->by != NULL && !c->is_undefined ? hue_of(c->by->warp) : -1, text);
    }
    y += CELL_HEIGHT;
  }
  const unsigned warps = warps_of(m->like);
  for (unsigned w = 0; w < warps; w++) {
    snprintf(text, sizeof text, "warp %u", w);
    put_cell(out, (int)(w % cells), y + 4 + (int)(w / cells) * CELL_HEIGHT, "on", hue_of(w), text);
  }
  return y + (int)((warps + cells - 1) / cells) * CELL_HEIGHT + 14;
}

static int put_interval(FILE *out, const interval *in, int y)
{
  char title[200];
  memory m;
  interval_title(in, title);
  put_text(out, 4, y + 16, "h", title);
  y += 26;
  for (size_t k = 0; k < in->count; k++)
    y = put_table(out, &in->tables[k], y);
  for (size_t k = 0; written_memory(in, k, &m); k++) {
    if (m.count > 0)
      y = put_memory(out, &m, y);
    free(m.cells);
  }
  return y;
}

/* The height of an interval's drawing; moves `right` to its width. */
static int height_of(const interval *in)
{
  FILE *const nowhere = fopen("/dev/null", "w");
  if (nowhere == NULL)
    fail("--trace: /dev/null cannot be opened");
  const int height = put_interval(nowhere, in, 0);
  fclose(nowhere);
  return height;
}

/* What the colours mean. */
static int put_legend(FILE *out, int y)
{
  static const struct { const char *class; int hue; const char *text; int width; } keys[] = {
    { "off", -1, "takes no part", 96 }, { "undefined", -1, "undefined", 70 },
    { "on", 210, "memory, in the colour of the warp that wrote it", 0 },
  };
  int x = 4;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"12\" class=\"%s key\"", x, y + 4,
            keys[k].class);
    if (keys[k].hue >= 0)
      fprintf(out, " style=\"fill:hsl(%d,70%%,82%%)\"", keys[k].hue);
    fputs("/>", out);
    put_text(out, x + 22, y + 14, "w", keys[k].text);
    x += 22 + 16 + keys[k].width;
  }
  return y + 24;
}

static void begin_svg(FILE *out, int width, int height)
{
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
          width, height, width, height);
  fputs("<style>text{font:11px "
        "monospace;fill:#222}.h{font-size:15px;font-weight:bold}.t{font-size:12px;font-weight:bold}"
        ".c,.l{text-anchor:middle}.l{fill:#888;font-size:9px}rect{stroke:#999;stroke-width:.5}.on{fill:#fff}"
        ".off{fill:#d4d4d4}"
        ".undefined{fill:#f66}.move{stroke:#06c}.own{stroke:#ccc}</style>\n",
        out);
  fprintf(out,
          "<defs><marker id=\"head%d\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"5\" "
          "markerHeight=\"5\" orient=\"auto\">"
          "<path d=\"M0 0L6 3L0 6z\" fill=\"#06c\"/></marker></defs>\n<rect width=\"100%%\" "
          "height=\"100%%\" style=\"fill:#fff;stroke:none\"/>\n",
          ++drawing);
}

static void write_svg(FILE *out)
{
  int height = 30, y = 0;
  for (size_t i = 0; i < t.interval_count; i++)
    height += height_of(&t.intervals[i]) + 10;
  begin_svg(out, right + 4, height);
  y = put_legend(out, y);
  for (size_t i = 0; i < t.interval_count; i++)
    y = put_interval(out, &t.intervals[i], y) + 10;
  fputs("</svg>\n", out);
}

/* ---- HTML: the drawings, and a slider that shows one of them ---- */

static void write_html(FILE *out)
{
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>isowarp run</title>\n"
      "<style>body{font-family:sans-serif;margin:12px}#bar{position:sticky;top:0;background:#fff;padding:"
      "6px 0}"
      "#at{width:40%;vertical-align:middle}section{overflow-x:auto}</style></head><body>\n<div id=\"bar\">",
      out);
  fprintf(out,
          "<input id=\"at\" type=\"range\" min=\"1\" max=\"%zu\" value=\"1\" aria-label=\"interval\"> "
          "<output id=\"what\"></output>",
          t.interval_count ? t.interval_count : 1);
  fputs("<br><small>The arrow keys move the slider. <span style=\"background:#d4d4d4\">Grey</span>: takes "
        "no part. "
        "<span style=\"background:#f66\">Red</span>: undefined. "
        "<span style=\"background:hsl(210,70%,82%)\">Other colours</span>: memory, by the warp that wrote "
        "it.</small></div>\n",
        out);
  for (size_t i = 0; i < t.interval_count; i++) {
    char title[200];
    interval_title(&t.intervals[i], title);
    fprintf(out, "<section data-title=\"");
    put_escaped(out, title);
    fprintf(out, "\">\n");
    right = 0;
    const int height = height_of(&t.intervals[i]) + 4;
    begin_svg(out, right + 4, height);
    put_interval(out, &t.intervals[i], 0);
    fputs("</svg>\n</section>\n", out);
  }
  fputs("<script>\nconst all = document.querySelectorAll('section'), at = document.getElementById('at');\n"
        "function show() {\n  all.forEach((s, i) => { s.hidden = i != at.value - 1; });\n"
        "  if (all.length) document.getElementById('what').textContent = `${at.value} of ${all.length}: "
        "${all[at.value - 1].dataset.title}`;\n}\n"
        "function go() { // to the picture that the address names\n"
        "  at.value = parseInt(new URLSearchParams(location.hash.slice(1)).get('interval')) || 1;\n  "
        "show();\n}\n"
        "at.addEventListener('input', () => { show(); history.replaceState(null, '', '#interval=' + "
        "at.value); });\n"
        "addEventListener('hashchange', go);\ngo();\nat.focus();\n</script>\n</body></html>\n",
        out);
}

void trace_check(const char *path)
{
  if (!ends_with(path, ".txt") && !ends_with(path, ".svg") && !ends_with(path, ".html"))
    fail("--trace: '%s' does not end with .txt, .svg or .html", path);
}

void trace_write(const char *path)
{
  make_intervals();
  write_made("--trace", path,
             ends_with(path, ".txt")   ? write_text
             : ends_with(path, ".svg") ? write_svg
                                       : write_html);
  if (t.is_cut)
    fprintf(stderr, "isowarp: --trace: %s has the first %d operations of warps only\n", path, MOST_EVENTS);
}
