/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp run --count=FILE: the kernel's source with the counts of the simulated GPU beside each line, and
 * what the banks of shared memory served for each line, as text or as a page. The counts are those of
 * iw_sim_for_each_count(). */
#include "kernels.h"
#include <isowarp/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

/* A column is a sum of metrics, or such a sum for each instruction on memory. */
typedef enum column_id {
  MEMORY, ACTIVE, ON, REQUESTS, SECTORS, SECTORS_IDEAL, WAVEFRONTS, WAVEFRONTS_IDEAL, ATOMICS, ROUNDS,
  BARRIERS, BETWEEN, COLUMNS
} column_id;

static const struct column {
  const char *title, *meaning;
  const char *metrics[8];
} columns[COLUMNS] = {
  [MEMORY] = { "memory",
               "instructions of warps on global and shared memory",
               { "smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
                 "sass__inst_executed_per_opcode.ATOMG", "smsp__inst_executed_op_global_red.sum",
                 "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
                 "smsp__inst_executed_op_shared_atom.sum" } },
  [ACTIVE] = { "active", "active lanes for each of them", { "thread_inst_executed" } },
  [ON] = { "on", "lanes with the predicate on for each of them", { "thread_inst_executed_true" } },
  [REQUESTS] = { "requests",
                 "instructions on global memory that have a lane",
                 { "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                   "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                   "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                   "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum" } },
  [SECTORS] = { "sectors",
                "sectors of 32 bytes of global memory",
                { "memory_l2_theoretical_sectors_global" } },
  [SECTORS_IDEAL] = { "ideal",
                      "sectors that the bytes of the lanes need",
                      { "memory_l2_theoretical_sectors_global_ideal" } },
  [WAVEFRONTS] = { "wavefronts", "cycles of shared memory", { "memory_l1_wavefronts_shared" } },
  [WAVEFRONTS_IDEAL] = { "ideal",
                         "cycles of shared memory without conflicts of banks",
                         { "memory_l1_wavefronts_shared_ideal" } },
  [ATOMICS] = { "atomics",
                "atomic instructions",
                { "sass__inst_executed_per_opcode.ATOMG", "smsp__inst_executed_op_global_red.sum",
                  "smsp__inst_executed_op_shared_atom.sum" } },
  [ROUNDS] = { "rounds",
               "how many lanes of an atomic have one address, at most, added up",
               { "isowarp__atomic_rounds_global", "isowarp__atomic_rounds_shared" } },
  [BARRIERS] = { "barriers",
                 "barriers of the block, counted by each warp",
                 { "sass__inst_executed_per_opcode.BAR" } },
  [BETWEEN] = { "between",
                "shuffles, votes, matches and reductions of a warp",
                { "sass__inst_executed_per_opcode.SHFL", "sass__inst_executed_per_opcode.VOTE",
                  "sass__inst_executed_per_opcode.MATCH", "sass__inst_executed_per_opcode.REDUX" } },
};

/* ---- What was counted ---- */

/* The counts of one line of a file. */
typedef struct line_counts {
  char *file;
  int line;
  char *operations; /* "iw_load, iw_store" */
  uint64_t sums[COLUMNS], bank_words[IW_SIM_BANKS], bank_conflicts[IW_SIM_BANKS];
} line_counts;

static struct {
  char **kernels; /* a sentence for each */
  size_t kernel_count;
  line_counts *lines; /* by file, then by line */
  size_t count;
  uint64_t sums[COLUMNS];
  char device[200];
} all;

static uint64_t metric_of(const iw_sim_count *c, const char *name)
{
  for (size_t m = 0; m < c->metrics; m++)
    if (strcmp(iw_sim_metric_name(m), name) == 0)
      return c->values[m];
  return 0;
}

static uint64_t sum_of(const iw_sim_count *c, column_id column)
{
  uint64_t sum = 0;
  for (const char *const *name = columns[column].metrics; *name != NULL; name++)
    sum += metric_of(c, *name);
  return sum;
}

static void add_kernel(void *user, const iw_sim_count *c)
{
  char text[600];
  const uint64_t sectors = sum_of(c, SECTORS), wavefronts = sum_of(c, WAVEFRONTS);
  (void)user;
  snprintf(text, sizeof text,
           "%.200s: %llu launch%s, the last with %zu block%s of %u threads; at least %.3g us, limited by %s "
           "(%llu bytes read, %llu written); %llu of %llu sectors and %llu of %llu wavefronts are excessive",
           c->kernel, (unsigned long long)c->launches, c->launches == 1 ? "" : "es", c->grid,
           c->grid == 1 ? "" : "s", c->threads, c->seconds * 1e6, c->limit,
           (unsigned long long)metric_of(c, "isowarp__bytes_read"),
           (unsigned long long)metric_of(c, "isowarp__bytes_written"),
           (unsigned long long)(sectors - sum_of(c, SECTORS_IDEAL)), (unsigned long long)sectors,
           (unsigned long long)(wavefronts - sum_of(c, WAVEFRONTS_IDEAL)), (unsigned long long)wavefronts);
  all.kernels = need_more(all.kernels, all.kernel_count + 1, sizeof *all.kernels);
  all.kernels[all.kernel_count++] = copy_string(text);
}

/* The kernels come one after the other, so a line may come again. */
static line_counts *line_of(const char *file, int line)
{
  for (size_t i = 0; i < all.count; i++)
    if (all.lines[i].line == line && strcmp(all.lines[i].file, file) == 0)
      return &all.lines[i];
  all.lines = need_more(all.lines, all.count + 1, sizeof *all.lines);
  line_counts *const made = memset(&all.lines[all.count++], 0, sizeof *made);
  made->file = copy_string(file);
  made->line = line;
  made->operations = copy_string("");
  return made;
}

static void add_line(void *user, const iw_sim_count *c)
{
  const char *const operation =
      c->operation == NULL || strcmp(c->operation, "iw_barrier_") == 0 ? "barrier" : c->operation;
  (void)user;
  line_counts *const l = line_of(c->file ? c->file : "", c->line);
  if (strstr(l->operations, operation) == NULL) {
    const size_t length = strlen(l->operations);
    l->operations = need_more(l->operations, length + strlen(operation) + 3, 1);
    sprintf(l->operations + length, "%s%s", length ? ", " : "", operation);
  }
  for (int k = 0; k < COLUMNS; k++) {
    const uint64_t sum = sum_of(c, (column_id)k);
    l->sums[k] += sum;
    all.sums[k] += sum;
  }
  for (int b = 0; b < IW_SIM_BANKS; b++) {
    l->bank_words[b] += c->bank_words[b];
    l->bank_conflicts[b] += c->bank_conflicts[b];
  }
}

static int by_place(const void *a, const void *b)
{
  const line_counts *const x = a, *const y = b;
  const int files = strcmp(x->file, y->file);
  return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* A count as it is shown; empty if the line has nothing of the kind. */
static void cell_text(const line_counts *l, column_id column, char text[32])
{
  const int is_mean = column == ACTIVE || column == ON;
  const column_id of = is_mean                      ? MEMORY
                       : column == SECTORS_IDEAL    ? SECTORS
                       : column == WAVEFRONTS_IDEAL ? WAVEFRONTS
                                                    : column;
  if (l->sums[of] == 0)
    *text = '\0';
  else if (is_mean)
    snprintf(text, 32, "%.1f", (double)l->sums[column] / (double)l->sums[MEMORY]);
  else
    snprintf(text, 32, "%llu", (unsigned long long)l->sums[column]);
}

static int has_bank(const line_counts *l)
{
  for (int b = 0; b < IW_SIM_BANKS; b++)
    if (l->bank_words[b] != 0)
      return 1;
  return 0;
}

static int any_has_bank(void)
{
  for (size_t i = 0; i < all.count; i++)
    if (has_bank(&all.lines[i]))
      return 1;
  return 0;
}

static const char *short_name(const char *path)
{
  const char *const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- The source ---- */

/* Calls row(out, counts or NULL, line, source) for each line of a file; if it cannot be read, for each that
 * has counts. */
static void for_each_line(FILE *out, size_t first, size_t end,
                          void (*row)(FILE *, const line_counts *, int, const char *))
{
  char *text = NULL;
  size_t capacity = 0, at = first;
  ssize_t length;
  FILE *const source = fopen(all.lines[first].file, "r");
  for (int line = 1; source != NULL && (length = getline(&text, &capacity, source)) >= 0; line++) {
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
      text[--length] = '\0';
    const int has_counts = at < end && all.lines[at].line == line;
    row(out, has_counts ? &all.lines[at] : NULL, line, text);
    at += (size_t)has_counts;
  }
  if (source != NULL)
    fclose(source);
  free(text);
  for (; at < end; at++)
    row(out, &all.lines[at], all.lines[at].line, all.lines[at].operations);
}

static size_t end_of_file(size_t first)
{
  size_t end = first;
  while (end < all.count && strcmp(all.lines[end].file, all.lines[first].file) == 0)
    end++;
  return end;
}

/* ---- Text ---- */

static size_t widths[COLUMNS];

static void print_row(FILE *out, const line_counts *l, int line, const char *source)
{
  char text[32] = "";
  for (int k = 0; k < COLUMNS; k++) {
    if (l != NULL)
      cell_text(l, (column_id)k, text);
    fprintf(out, "%*s ", (int)widths[k], text);
  }
  fprintf(out, "%5d  %s\n", line, source);
}

static void print_banks(FILE *out)
{
  char place[80];
  int width = 4;
  for (size_t i = 0; i < all.count; i++)
    for (int b = 0; b < IW_SIM_BANKS; b++) {
      const int digits = snprintf(NULL, 0, "%llu", (unsigned long long)all.lines[i].bank_words[b]);
      width = digits > width ? digits : width;
    }
  fprintf(
      out,
      "\nBanks of shared memory: the words that each has served, and those that took a further wavefront "
      "because of a conflict\n"
      "%-24s %-9s",
      "", "bank");
  for (int b = 0; b < IW_SIM_BANKS; b++)
    fprintf(out, " %*d", width, b);
  fputc('\n', out);
  for (size_t i = 0; i < all.count; i++) {
    const line_counts *const l = &all.lines[i];
    snprintf(place, sizeof place, "%.60s:%d", short_name(l->file), l->line);
    for (int row = 0; row < 2 && has_bank(l); row++) {
      fprintf(out, "%-24s %-9s", row ? "" : place, row ? "conflicts" : "words");
      for (int b = 0; b < IW_SIM_BANKS; b++)
        fprintf(out, " %*llu", width, (unsigned long long)(row ? l->bank_conflicts : l->bank_words)[b]);
      fputc('\n', out);
    }
  }
}

static void write_text(FILE *out)
{
  char text[32];
  for (int k = 0; k < COLUMNS; k++) {
    widths[k] = strlen(columns[k].title);
    for (size_t i = 0; i < all.count; i++) {
      cell_text(&all.lines[i], (column_id)k, text);
      widths[k] = strlen(text) > widths[k] ? strlen(text) : widths[k];
    }
  }
  fprintf(out, "%s\n", all.device);
  for (size_t i = 0; i < all.kernel_count; i++)
    fprintf(out, "%s\n", all.kernels[i]);
  for (size_t first = 0; first < all.count; first = end_of_file(first)) {
    fprintf(out, "\n%s\n", *all.lines[first].file ? all.lines[first].file : "(between phases)");
    for (int k = 0; k < COLUMNS; k++)
      fprintf(out, "%*s ", (int)widths[k], columns[k].title);
    fprintf(out, "%5s\n", "line");
    for_each_line(out, first, end_of_file(first), print_row);
  }
  if (any_has_bank())
    print_banks(out);
}

/* ---- The page ---- */

/* Which part of all sectors, or wavefronts, this line has in excess. */
static double excess(const line_counts *l, column_id column)
{
  return all.sums[column] ? (double)(l->sums[column] - l->sums[column + 1]) / (double)all.sums[column] : 0;
}

/* A background from pale to strong; nothing below half a percent. */
static void put_heat(FILE *out, double share)
{
  if (share >= 0.005)
    fprintf(out, " style=\"background:rgba(230,60,0,%.2f)\"", 0.12 + 0.68 * share);
}

static void put_row(FILE *out, const line_counts *l, int line, const char *source)
{
  char text[32] = "";
  const double sectors = l ? excess(l, SECTORS) : 0, wavefronts = l ? excess(l, WAVEFRONTS) : 0;
  fprintf(out, l ? "<tr class=\"counted\" title=\"" : "<tr");
  if (l != NULL) {
    put_escaped(out, l->operations);
    fputc('"', out);
  }
  fputc('>', out);
  for (int k = 0; k < COLUMNS; k++) {
    fputs(k == SECTORS_IDEAL || k == WAVEFRONTS_IDEAL ? "<td class=\"ideal\"" : "<td", out);
    if (k == SECTORS || k == WAVEFRONTS)
      put_heat(out, k == SECTORS ? sectors : wavefronts);
    if (l != NULL)
      cell_text(l, (column_id)k, text);
    fprintf(out, ">%s</td>", text);
  }
  fprintf(out, "<td class=\"line\">%d</td><td class=\"source\"", line);
  put_heat(out, sectors > wavefronts ? sectors : wavefronts);
  fputc('>', out);
  put_escaped(out, source);
  fputs("</td></tr>\n", out);
}

static void put_source(FILE *out, size_t first)
{
  fputs("<h2>", out);
  put_escaped(out, *all.lines[first].file ? all.lines[first].file : "Between phases");
  fputs("</h2>\n<table><thead><tr>", out);
  for (int k = 0; k < COLUMNS; k++) {
    fprintf(out, "<th%s title=\"%s:", k == SECTORS_IDEAL || k == WAVEFRONTS_IDEAL ? " class=\"ideal\"" : "",
            columns[k].meaning);
    for (const char *const *name = columns[k].metrics; *name != NULL; name++)
      fprintf(out, " %s", *name);
    fprintf(out, "\">%s</th>", columns[k].title);
  }
  fputs("<th>line</th><th class=\"source\">source</th></tr></thead>\n<tbody>\n", out);
  for_each_line(out, first, end_of_file(first), put_row);
  fputs("</tbody></table>\n", out);
}

/* At most four characters: 9999, 16k, 3M. */
static void put_short(FILE *out, uint64_t count)
{
  static const char units[] = " kMGTPE";
  int unit = 0;
  while (count >= (unit ? 1000 : 10000)) {
    count /= 1000;
    unit++;
  }
  fprintf(out, unit ? "%llu%c" : "%llu", (unsigned long long)count, units[unit]);
}

static void put_banks(FILE *out)
{
  fputs(
      "<h2>Banks of shared memory</h2>\n<p>Words that each of the 32 banks has served for a line. "
      "<span class=\"none\">Grey</span>: none. White: no word took a further wavefront. "
      "<span style=\"background:rgba(230,60,0,.5)\">The stronger the red</span>, the more of the bank's "
      "words took a further wavefront, as the bank had another word of the same instruction to serve.</p>\n"
      "<table class=\"banks\"><thead><tr><th>bank</th>",
      out);
  for (int b = 0; b < IW_SIM_BANKS; b++)
    fprintf(out, "<th>%d</th>", b);
  fputs("</tr></thead>\n<tbody>\n", out);
  for (size_t i = 0; i < all.count; i++) {
    const line_counts *const l = &all.lines[i];
    if (!has_bank(l))
      continue;
    fputs("<tr><th title=\"", out);
    put_escaped(out, l->operations);
    fputs("\">", out);
    put_escaped(out, short_name(l->file));
    fprintf(out, ":%d</th>", l->line);
    for (int b = 0; b < IW_SIM_BANKS; b++) {
      const uint64_t words = l->bank_words[b], conflicts = l->bank_conflicts[b];
      fprintf(out, "<td%s title=\"bank %d: %llu words, %llu took a further wavefront\"",
              words ? "" : " class=\"none\"", b, (unsigned long long)words, (unsigned long long)conflicts);
      if (words != 0)
        put_heat(out, (double)conflicts / (double)words);
      fputc('>', out);
      if (words != 0)
        put_short(out, words);
      fputs("</td>", out);
    }
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table>\n", out);
}

static void write_html(FILE *out)
{
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>isowarp run --count</title>\n"
      "<style>body{font-family:sans-serif;margin:12px}table{border-collapse:collapse;font:12px monospace}"
      "td,th{padding:1px 6px;text-align:right;border-left:1px solid #eee}"
      "th{background:#eef2f6;position:sticky;top:0;white-space:nowrap}.ideal{color:#777}.line{color:#777}"
      "td.source,th.source{text-align:left;white-space:pre;tab-size:8}tr.counted:hover td{outline:1px solid "
      "#bbb}"
      ".banks td{width:30px;padding:2px;text-align:center;font-size:10px;border:1px solid #ccc}.banks "
      "th{position:static}"
      ".none{background:#d4d4d4}</style></head><body>\n<h1>Counts</h1>\n<p>",
      out);
  put_escaped(out, all.device);
  fputs("</p>\n<ul>\n", out);
  for (size_t i = 0; i < all.kernel_count; i++) {
    fputs("<li>", out);
    put_escaped(out, all.kernels[i]);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n<p>Counts of a GPU, by the rules of Nsight Compute. <span "
        "style=\"background:rgba(230,60,0,.5)\">The stronger the "
        "red</span>, the larger the part of all sectors or wavefronts that the line has in excess of the "
        "ideal. "
        "A column's name shows its metrics, and a line its operations, under the pointer.</p>\n",
        out);
  for (size_t first = 0; first < all.count; first = end_of_file(first))
    put_source(out, first);
  if (any_has_bank())
    put_banks(out);
  fputs("</body></html>\n", out);
}

void counts_check(const char *path)
{
  if (!ends_with(path, ".txt") && !ends_with(path, ".html"))
    fail("--count: '%s' does not end with .txt or .html", path);
}

void counts_of_context(iw_context *context)
{
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  const char *const device = strstr(info.why, "a simulated ");
  snprintf(all.device, sizeof all.device, "%s", device ? device : info.why);
  must(iw_sim_for_each_count(context, IW_SIM_KERNELS, add_kernel, NULL));
  must(iw_sim_for_each_count(context, IW_SIM_LINES, add_line, NULL));
}

void counts_read(const char *path)
{
  FILE *const in = fopen(path, "r");
  uint64_t banks[2][IW_SIM_BANKS];
  iw_sim_count c;
  char *const title = in != NULL ? read_seen_text(in) : NULL;
  snprintf(all.device, sizeof all.device, "a simulated %.180s", title != NULL ? title : "GPU");
  free(title);
  while (in != NULL && fread(&c, sizeof c, 1, in) == 1) {
    uint64_t *const values = need(c.metrics, sizeof *values);
    if (fread(values, sizeof *values, c.metrics, in) != c.metrics || fread(banks, sizeof banks, 1, in) != 1)
      break;
    c.values = values;
    c.bank_words = banks[0];
    c.bank_conflicts = banks[1];
    c.kernel = read_seen_text(in);
    c.file = read_seen_text(in);
    c.operation = read_seen_text(in);
    c.limit = read_seen_text(in);
    (*c.operation != '\0' ? add_line : add_kernel)(NULL, &c);
    free(values);
  }
  if (in != NULL)
    fclose(in);
}

void counts_write(const char *path)
{
  if (all.count > 0)
    qsort(all.lines, all.count, sizeof *all.lines, by_place);
  write_made("--count", path, ends_with(path, ".txt") ? write_text : write_html);
}
