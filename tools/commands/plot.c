/* SPDX-License-Identifier: Apache-2.0
 *
 * --plot: a histogram, a scan or rates as a picture, which cairo draws: .svg, .png, .pdf, or .html with the
 * SVG. */
#include <config.h>

#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plot_check(const char *path)
{
  if (!ends_with(path, ".svg") && !ends_with(path, ".png") && !ends_with(path, ".pdf") &&
      !ends_with(path, ".html"))
    fail("--plot: '%s' does not end with .svg, .png, .pdf or .html", path);
#ifndef HAVE_CAIRO
  fail("--plot: isowarp was built without cairo (Debian: libcairo2-dev)");
#endif
}

#ifdef HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>

/* Points, or pixels of .png. */
enum { WIDTH = 900, HEIGHT = 500, LEFT = 80, RIGHT = 40, TOP = 40, BOTTOM = 60 };
enum { AREA_WIDTH = WIDTH - LEFT - RIGHT, AREA_HEIGHT = HEIGHT - TOP - BOTTOM };

/* The picture's bytes as cairo makes them. */
typedef struct picture_bytes { char *data; size_t size, capacity; } picture_bytes;

static cairo_status_t append_bytes(void *closure, const unsigned char *data, unsigned length)
{
  picture_bytes *const b = closure;
  if (b->size + length > b->capacity)
    b->data = need_more(b->data, b->capacity = 2 * (b->size + length), 1);
  memcpy(b->data + b->size, data, length);
  b->size += length;
  return CAIRO_STATUS_SUCCESS;
}

/* is_log: low, high and all places are decimal logarithms. */
typedef struct axis { double low, high; int is_log; } axis;

typedef struct picture {
  const char *path;
  picture_bytes bytes;
  cairo_surface_t *surface;
  cairo_t *cairo;
  axis x, y;
} picture;

/* Where a number lies on an axis, from 0 to 1; a number beyond its ends lies there. */
static double part_of(const axis *a, double number)
{
  const double at = a->is_log ? log10(number) : number;
  return (fmin(fmax(at, a->low), a->high) - a->low) / (a->high - a->low);
}

static double place_x(const picture *p, double x)
{
  return LEFT + AREA_WIDTH * part_of(&p->x, x);
}

static double place_y(const picture *p, double y)
{
  return TOP + AREA_HEIGHT * (1 - part_of(&p->y, y));
}

/* The surface keeps the address of p->bytes. */
static void begin_picture(picture *p)
{
  if (ends_with(p->path, ".png"))
    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  else if (ends_with(p->path, ".pdf"))
    p->surface = cairo_pdf_surface_create_for_stream(append_bytes, &p->bytes, WIDTH, HEIGHT);
  else
    p->surface = cairo_svg_surface_create_for_stream(append_bytes, &p->bytes, WIDTH, HEIGHT);
  p->cairo = cairo_create(p->surface);
  cairo_set_source_rgb(p->cairo, 1, 1, 1);
  cairo_paint(p->cairo);
  cairo_select_font_face(p->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(p->cairo, 13);
}

static void end_picture(picture *p)
{
  static const char before[] =
      "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
      "<title>isowarp</title>\n<style>svg { max-width: 100%; height: auto }</style>\n";
  static const char after[] = "</html>\n";
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  if (ends_with(p->path, ".png"))
    status = cairo_surface_write_to_png_stream(p->surface, append_bytes, &p->bytes);
  cairo_destroy(p->cairo);
  cairo_surface_finish(p->surface);
  status = status != CAIRO_STATUS_SUCCESS ? status : cairo_surface_status(p->surface);
  cairo_surface_destroy(p->surface);
  if (status != CAIRO_STATUS_SUCCESS)
    fail("--plot: %s", cairo_status_to_string(status));
  if (ends_with(p->path, ".html")) {
    append_bytes(&p->bytes, (const unsigned char *)"", 1);
    const char *const start = strstr(p->bytes.data, "<svg"); /* without the XML declaration */
    picture_bytes page = { NULL, 0, 0 };
    append_bytes(&page, (const unsigned char *)before, sizeof before - 1);
    append_bytes(&page, (const unsigned char *)start, (unsigned)strlen(start));
    append_bytes(&page, (const unsigned char *)after, sizeof after - 1);
    free(p->bytes.data);
    p->bytes = page;
  }
  write_bytes(p->path, p->bytes.data, p->bytes.size);
  free(p->bytes.data);
}

/* Text whose left end, middle or right end (0, 0.5, 1) is at x. Cairo draws nothing more after one that is
 * not UTF-8. */
static void put_text(const picture *p, double x, double y, double align, const char *given)
{
  char text[256];
  cairo_text_extents_t size;
  make_utf8(given, text, sizeof text);
  cairo_text_extents(p->cairo, text, &size);
  cairo_move_to(p->cairo, x - align * size.x_advance, y);
  cairo_show_text(p->cairo, text);
}

/* The step of about `count` ticks: 1, 2 or 5 times a power of 10. */
static double tick_step(const axis *a, int count)
{
  const double raw = (a->high - a->low) / count, power = pow(10, floor(log10(raw))), digit = raw / power;
  return power * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
}

/* Lists at most MOST_TICKS ticks of an axis, about `count`; returns their number. A logarithmic axis of less
 * than three powers of 10 has 1, 2 and 5 times each, a longer one powers of 10. */
enum { MOST_TICKS = 40 };
static size_t list_ticks(const axis *a, int count, double ticks[MOST_TICKS])
{
  static const double digits[] = { 1, 2, 5 };
  const double step = tick_step(a, count);
  size_t n = 0;
  if (!a->is_log) {
    for (double at = ceil(a->low / step) * step; at <= a->high + step / 1000 && n < MOST_TICKS; at += step)
      ticks[n++] = fabs(at) < step / 1000 ? 0 : at;
    return n;
  }
  const int is_short = a->high - a->low < 3;
  const double powers = is_short ? 1 : fmax(1, ceil(step));
  for (double power = floor(a->low / powers) * powers; power <= a->high; power += powers)
    for (int i = 0; i < (is_short ? 3 : 1); i++) {
      const double at = power + log10(digits[i]);
      if (at >= a->low - 1e-9 && at <= a->high + 1e-9 && n < MOST_TICKS)
        ticks[n++] = digits[i] * pow(10, power);
    }
  return n;
}

/* An axis has a length, and its ends are finite. */
static axis axis_of(double low, double high)
{
  low = isfinite(low) ? low : 0;
  high = isfinite(high) ? high : low;
  if (high - low > 1e-12 * (fabs(low) + fabs(high)) && isfinite(high - low))
    return (axis){ low, high, 0 };
  const double room = low == 0 ? 1 : fmin(fabs(low) / 2, 1e300);
  return (axis){ fmax(low, -1e300) - room, fmin(fmax(high, -1e300), 1e300) + room, 0 };
}

/* The same, logarithmic if is_log; low is above 0 then. */
static axis scaled_axis(int is_log, double low, double high)
{
  axis a = is_log ? axis_of(log10(low), log10(high)) : axis_of(low, high);
  a.is_log = is_log;
  return a;
}

/* The y axis with its lines, the line of the x axis, and the title. */
static void draw_frame(const picture *p, const char *title, const char *y_name)
{
  cairo_t *const c = p->cairo;
  char text[40];
  double ticks[MOST_TICKS];
  cairo_set_line_width(c, 1);
  const size_t y_count = list_ticks(&p->y, 6, ticks);
  for (size_t i = 0; i < y_count; i++) {
    const double at = floor(place_y(p, ticks[i])) + 0.5; /* a line of one pixel */
    cairo_set_source_rgb(c, 0.88, 0.88, 0.88);
    cairo_move_to(c, LEFT, at);
    cairo_line_to(c, WIDTH - RIGHT, at);
    cairo_stroke(c);
    cairo_set_source_rgb(c, 0.2, 0.2, 0.2);
    snprintf(text, sizeof text, "%.6g", ticks[i]);
    put_text(p, LEFT - 8, at + 4, 1, text);
  }
  cairo_set_source_rgb(c, 0.2, 0.2, 0.2);
  cairo_move_to(c, LEFT, HEIGHT - BOTTOM + 0.5);
  cairo_line_to(c, WIDTH - RIGHT, HEIGHT - BOTTOM + 0.5);
  cairo_stroke(c);
  put_text(p, LEFT, TOP - 14, 1, y_name);
  cairo_set_font_size(c, 15);
  put_text(p, LEFT + AREA_WIDTH / 2.0, TOP - 14, 0.5, title);
  cairo_set_font_size(c, 13);
}

static void draw_axes(const picture *p, const char *title, const char *x_name, const char *y_name)
{
  cairo_t *const c = p->cairo;
  char text[40];
  double ticks[MOST_TICKS];
  draw_frame(p, title, y_name);
  const size_t x_count = list_ticks(&p->x, 9, ticks);
  for (size_t i = 0; i < x_count; i++) {
    const double at = floor(place_x(p, ticks[i])) + 0.5;
    cairo_move_to(c, at, HEIGHT - BOTTOM);
    cairo_line_to(c, at, HEIGHT - BOTTOM + 5);
    cairo_stroke(c);
    snprintf(text, sizeof text, "%.6g", ticks[i]);
    put_text(p, at, HEIGHT - BOTTOM + 20, 0.5, text);
  }
  put_text(p, LEFT + AREA_WIDTH / 2.0, HEIGHT - 15, 0.5, x_name);
}

static double number_at(iw_type type, const void *data, size_t index)
{
  return number_value(type, element_at(type, data, index));
}

/* ---- A histogram ---- */

/* The count or the sum of weights of a bin; one that is not finite has no bar. */
static double bar_of(const histogram_table *t, size_t k)
{
  const double sum = t->sums ? number_at(t->sum_type, t->sums, k) : (double)t->counts[k];
  return isfinite(sum) ? sum : 0;
}

void plot_histogram(const char *path, const histogram_table *t)
{
  picture p = { .path = path };
  double most = 0, least = 0;
  char title[80];
  for (size_t k = 0; k < t->bins; k++) {
    most = fmax(most, bar_of(t, k));
    least = fmin(least, bar_of(t, k));
  }
  /* Bins of unequal width have their counts as heights, too: the values in the table. */
  const double low = t->edges ? number_at(t->type, t->edges, 0) : 0,
               high = t->edges ? number_at(t->type, t->edges, t->bins) : (double)t->bins;
  p.x = scaled_axis(t->is_log, low, high);
  p.y = axis_of(1.05 * least, 1.05 * most > 0 || least < 0 ? 1.05 * most : 1);
  begin_picture(&p);
  snprintf(title, sizeof title, "%zu samples in %zu bins", t->samples, t->bins);
  draw_axes(&p, title, t->edges ? iw_type_name(t->type) : "letters, by bin", t->sums ? "sum" : "count");
  cairo_set_source_rgb(p.cairo, 0.12, 0.47, 0.71);
  for (size_t k = 0; k < t->bins; k++) {
    double left = t->edges ? number_at(t->type, t->edges, k) : (double)k,
           right = t->edges ? number_at(t->type, t->edges, k + 1) : (double)k + 1;
    left = place_x(&p, left);
    right = place_x(&p, right);
    const double end = place_y(&p, bar_of(t, k)), gap = right - left > 4 ? 1 : 0;
    if (bar_of(t, k) != 0)
      cairo_rectangle(p.cairo, left, end, fmax(right - left - gap, 0.5), place_y(&p, 0) - end);
  }
  cairo_fill(p.cairo);
  end_picture(&p);
}

/* ---- A histogram of pairs: the darker, the more ---- */

void plot_histogram_2d(const char *path, const histogram_2d *t)
{
  picture p = { .path = path };
  uint64_t most = 1;
  char title[120];
  for (size_t i = 0; i < t->x_bins * t->y_bins; i++)
    most = t->counts[i] > most ? t->counts[i] : most;
  p.x = scaled_axis(t->x_is_log, number_at(t->x_type, t->x_edges, 0),
                    number_at(t->x_type, t->x_edges, t->x_bins));
  p.y = scaled_axis(t->y_is_log, number_at(t->y_type, t->y_edges, 0),
                    number_at(t->y_type, t->y_edges, t->y_bins));
  begin_picture(&p);
  snprintf(title, sizeof title, "%zu samples in %zu x %zu bins, darkest: %llu", t->samples, t->x_bins,
           t->y_bins, (unsigned long long)most);
  draw_axes(&p, title, "x", "y");
  cairo_set_antialias(p.cairo, CAIRO_ANTIALIAS_NONE); /* no seams between cells */
  for (size_t i = 0; i < t->x_bins; i++) {
    const double left = place_x(&p, number_at(t->x_type, t->x_edges, i)),
                 right = place_x(&p, number_at(t->x_type, t->x_edges, i + 1));
    for (size_t k = 0; k < t->y_bins; k++) {
      const uint64_t count = t->counts[i * t->y_bins + k];
      const double bottom = place_y(&p, number_at(t->y_type, t->y_edges, k)),
                   top = place_y(&p, number_at(t->y_type, t->y_edges, k + 1));
      const double share = 0.1 + 0.9 * (double)count / (double)most; /* a count of 1 is visible */
      if (count == 0)
        continue;
      cairo_set_source_rgb(p.cairo, 1 - 0.97 * share, 1 - 0.81 * share, 1 - 0.58 * share);
      cairo_rectangle(p.cairo, left, top, right - left, bottom - top);
      cairo_fill(p.cairo);
    }
  }
  end_picture(&p);
}

/* ---- Bars with names ---- */

/* A name below the middle of its bars, in a line for each of its parts with hyphens in between. */
static void put_bar_name(const picture *p, double x, const char *name)
{
  char part[40];
  for (int line = 0; *name != '\0'; line++) {
    const size_t length = strcspn(name, "-") + (name[strcspn(name, "-")] == '-');
    snprintf(part, sizeof part, "%.*s", (int)length, name);
    put_text(p, x, HEIGHT - BOTTOM + 18 + 15 * line, 0.5, part);
    name += length;
  }
}

static void set_series_colour(const picture *p, size_t series)
{
  static const double colours[][3] = { { 0.12, 0.47, 0.71 }, { 1, 0.5, 0.05 }, { 0.17, 0.63, 0.17 },
                                       { 0.84, 0.15, 0.16 }, { 0.58, 0.4, 0.74 }, { 0.55, 0.34, 0.29 } };
  const double *const colour = colours[series % (sizeof colours / sizeof *colours)];
  cairo_set_source_rgb(p->cairo, colour[0], colour[1], colour[2]);
}

void plot_bars(const char *path, const bar_chart *chart)
{
  picture p = { .path = path, .x = { 0, 1, 0 } };
  const double group = AREA_WIDTH / (double)chart->groups, width = 0.8 * group / (double)chart->series;
  double most = 0;
  for (size_t i = 0; i < chart->groups * chart->series; i++)
    most = isfinite(chart->values[i]) ? fmax(most, chart->values[i]) : most;
  p.y = axis_of(0, most > 0 ? 1.15 * most : 1); /* room for the names of series */
  begin_picture(&p);
  draw_frame(&p, chart->title, chart->unit);
  for (size_t g = 0; g < chart->groups; g++)
    put_bar_name(&p, LEFT + group * ((double)g + 0.5), chart->group_names[g]);
  for (size_t s = 0; s < chart->series; s++) {
    const double name_at = LEFT + 20 + 110 * (double)s;
    set_series_colour(&p, s);
    cairo_rectangle(p.cairo, name_at, TOP + 8, 12, 12);
    for (size_t g = 0; g < chart->groups; g++) {
      const double top = place_y(&p, chart->values[g * chart->series + s]);
      cairo_rectangle(p.cairo, LEFT + group * ((double)g + 0.1) + width * (double)s, top,
                      fmax(width - 1, 0.5), place_y(&p, 0) - top);
    }
    cairo_fill(p.cairo);
    cairo_set_source_rgb(p.cairo, 0.2, 0.2, 0.2);
    put_text(&p, name_at + 18, TOP + 18, 0, chart->series_names[s]);
  }
  end_picture(&p);
}

/* ---- A scan: each column of the picture has the smallest and largest of its outputs ---- */

static struct { const char *path; size_t n; double low[AREA_WIDTH], high[AREA_WIDTH]; } curve;

void plot_begin(const char *path, size_t n)
{
  curve.path = path;
  curve.n = n;
  for (int i = 0; i < AREA_WIDTH; i++) {
    curve.low[i] = (double)INFINITY;
    curve.high[i] = (double)-INFINITY;
  }
}

void plot_add(iw_type type, const void *data, size_t first, size_t n)
{
  if (curve.path == NULL)
    return;
  for (size_t i = 0; i < n; i++) {
    const double y = number_at(type, data, i);
    const size_t at = (size_t)((double)(first + i) / (double)curve.n * AREA_WIDTH);
    const size_t column = at < AREA_WIDTH ? at : AREA_WIDTH - 1;
    if (!isfinite(y))
      continue;
    curve.low[column] = fmin(curve.low[column], y);
    curve.high[column] = fmax(curve.high[column], y);
  }
}

void plot_end(const char *title)
{
  if (curve.path == NULL)
    return;
  picture p = { .path = curve.path };
  double low = (double)INFINITY, high = (double)-INFINITY;
  for (int i = 0; i < AREA_WIDTH; i++) {
    low = fmin(low, curve.low[i]);
    high = fmax(high, curve.high[i]);
  }
  p.x = axis_of(0, (double)curve.n);
  p.y = axis_of(low, high);
  begin_picture(&p);
  draw_axes(&p, title, "element", "output");
  cairo_set_source_rgb(p.cairo, 0.12, 0.47, 0.71);
  cairo_set_line_width(p.cairo, 1.5);
  cairo_set_line_join(p.cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path(p.cairo); /* text has left a current point */
  for (int i = 0; i < AREA_WIDTH; i++)
    if (curve.low[i] <= curve.high[i]) {
      cairo_line_to(p.cairo, LEFT + i + 0.5, place_y(&p, curve.low[i]));
      cairo_line_to(p.cairo, LEFT + i + 0.5, place_y(&p, curve.high[i]));
    }
  cairo_stroke(p.cairo);
  end_picture(&p);
}

#else

void plot_bars(const char *path, const bar_chart *chart)
{
  (void)chart;
  plot_check(path);
}

void plot_histogram_2d(const char *path, const histogram_2d *t)
{
  (void)t;
  plot_check(path);
}

void plot_histogram(const char *path, const histogram_table *t)
{
  (void)t;
  plot_check(path);
}

void plot_begin(const char *path, size_t n)
{
  (void)n;
  plot_check(path);
}

void plot_add(iw_type type, const void *data, size_t first, size_t n)
{
  (void)type, (void)data, (void)first, (void)n;
}

void plot_end(const char *title)
{
  (void)title;
}

#endif
