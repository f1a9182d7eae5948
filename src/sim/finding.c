/* SPDX-License-Identifier: Apache-2.0
 *
 * What the checks of the simulated GPU found: one message for each pair of source lines, with a count, and
 * the report as text or SARIF 2.1.0. Strings are copied, so that findings outlive the object that holds a
 * kernel. Backend layer; knows no check.
 */
#include "sim/sim.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const iw_sim_kind_names[SIM_KINDS] = {
  "bounds", "undefined", "race", "slots", "barrier", "divergence", "ownership", "phase", "overflow", "progress", "fence",
};
_Static_assert((int)SIM_PROGRESS == (int)IW_SIM_CHECK_PROGRESS && (int)SIM_RACE == (int)IW_SIM_CHECK_RACE,
               "the kinds of <isowarp/sim.h> are these");

typedef struct finding {
  sim_kind kind;
  int is_note;
  char *message, *file, *other_file; /* the files: NULL for none */
  int line, other_line;
  uint64_t count;
  int is_reported;
} finding;

typedef struct sim_findings {
  finding *all;
  size_t count, capacity;
  size_t first;               /* the first since the last call of iw_sim_findings_status(); SIZE_MAX: none */
  size_t unreported;          /* findings from here on are not reported */
  void (*report)(void *, const iw_sim_finding *);
  void *user;
} sim_findings;

/* ---- Findings ---------------------------------------------------------------------------------------- */

static int same_place(const char *file, int line, const iw_site *site)
{
  return site ? file && line == site->line && strcmp(file, site->file) == 0 : !file;
}

/* A race is the same with its lines exchanged. */
static int is_same(const finding *f, sim_kind kind, int is_note, const iw_site *site, const iw_site *other)
{
  if (f->kind != kind || f->is_note != is_note)
    return 0;
  return (same_place(f->file, f->line, site) && same_place(f->other_file, f->other_line, other)) ||
         (kind == SIM_RACE && same_place(f->file, f->line, other) && same_place(f->other_file, f->other_line, site));
}

static void count(sim_findings *all, size_t k)
{
  all->all[k].count++;
  if (!all->all[k].is_note && k < all->first)
    all->first = k;
}

static int count_known(sim_findings *all, sim_kind kind, const char *where, const iw_site *site, const iw_site *other,
                       int is_note)
{
  if (!all)
    return 1;
  for (size_t k = 0; k < all->count; k++)
    if (is_same(&all->all[k], kind, is_note, site, other) &&
        (!where || (strncmp(all->all[k].message + strlen(iw_sim_kind_names[kind]) + 2, where, strlen(where)) == 0))) {
      count(all, k);
      return 1;
    }
  return 0;
}

int iw_sim_finding_again(sim_state *state, sim_kind kind, const iw_site *site, const iw_site *other, int is_note)
{
  return count_known(state->findings, kind, NULL, iw_sim_site(site), other, is_note);
}

static char *copy(const char *text)
{
  char *const memory = text ? malloc(strlen(text) + 1) : NULL;
  return memory ? strcpy(memory, text) : NULL;
}

/* where: at no place of a kernel; else NULL. */
static void add(sim_state *state, sim_kind kind, int is_note, int is_new, const char *where,
                const iw_site *site, const iw_site *other, const char *format, va_list list)
{
  sim_findings *const all = state->findings;
  char message[1536];
  if (!where)
    site = iw_sim_site(site);
  if (!all || (!is_new && count_known(all, kind, where, site, other, is_note)))
    return;
  if (all->count == all->capacity) {
    const size_t capacity = all->capacity ? 2 * all->capacity : 16;
    finding *const more = realloc(all->all, capacity * sizeof *more);
    if (!more)
      return;
    all->all = more;
    all->capacity = capacity;
  }
  int n;
  if (site)
    n = snprintf(message, sizeof message, "%s: %s:%d %s: ", iw_sim_kind_names[kind], iw_sim_short_name(site->file), site->line,
                 site->operation);
  else
    n = snprintf(message, sizeof message, "%s: %s: ", iw_sim_kind_names[kind], where ? where : "the launch");
  n += vsnprintf(message + n, sizeof message - 256 - (size_t)n, format, list);
  if ((size_t)n > sizeof message - 256)
    n = (int)sizeof message - 257;
  if (where && other)
    n += snprintf(message + n, sizeof message - (size_t)n, " at %.128s:%d", iw_sim_short_name(other->file), other->line);
  snprintf(message + n, sizeof message - (size_t)n, ". Replay: %s", state->replay);
  all->all[all->count] = (finding){
    .kind = kind, .is_note = is_note, .message = copy(message),
    .file = copy(site ? site->file : NULL), .line = site ? site->line : 0,
    .other_file = copy(other ? other->file : NULL), .other_line = other ? other->line : 0,
  };
  if (!all->all[all->count].message)
    return;
  count(all, all->count++);
}

void iw_sim_found(sim_state *state, sim_kind kind, const iw_site *site, const iw_site *other, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add(state, kind, 0, 0, NULL, site, other, format, list);
  va_end(list);
}

void iw_sim_note(sim_state *state, sim_kind kind, const iw_site *site, const iw_site *other, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add(state, kind, 1, 0, NULL, site, other, format, list);
  va_end(list);
}

void iw_sim_finding_of_host(sim_state *state, sim_kind kind, int is_new, const char *where,
                            const iw_site *other, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add(state, kind, 0, is_new, where, NULL, other, format, list);
  va_end(list);
}

/* ---- What the caller gets ---------------------------------------------------------------------------- */

static void report_new(sim_state *state, sim_findings *all)
{
  for (; all->unreported < all->count; all->unreported++) {
    const finding *const f = &all->all[all->unreported];
    const iw_sim_finding public = {
      .size = sizeof public, .check = (iw_sim_check)f->kind, .severity = f->is_note ? IW_SIM_NOTE : IW_SIM_ERROR,
      .check_name = iw_sim_kind_names[f->kind], .message = f->message, .file = f->file, .line = f->line,
      .other_file = f->other_file, .other_line = f->other_line, .count = f->count, .seed = state->seed,
    };
    if (all->report)
      all->report(all->user, &public);
  }
}

iw_status iw_sim_findings_status(sim_state *state)
{
  sim_findings *const all = state->findings;
  if (!all)
    return IW_OK;
  report_new(state, all);
  const size_t first = all->first;
  all->first = SIZE_MAX;
  return first == SIZE_MAX ? IW_OK : iw_fail(IW_ERROR_FINDING, "%s", all->all[first].message);
}

iw_status iw_sim_findings_open(sim_state *state)
{
  state->findings = calloc(1, sizeof *state->findings);
  if (!state->findings)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *state->findings);
  state->findings->first = SIZE_MAX;
  return IW_OK;
}

iw_status iw_sim_set_report(iw_context *context, void (*report)(void *, const iw_sim_finding *), void *user)
{
  if (!context)
    return iw_fail(IW_ERROR_INVALID, "context is NULL");
  if (strcmp(context->ops->name, "sim") != 0)
    return iw_fail(IW_ERROR_INVALID, "the context's backend is %s; only the simulated GPU (IW_BACKEND_SIM) has findings",
                   context->ops->name);
  sim_findings *const all = ((sim_state *)context->state)->findings;
  all->report = report;
  all->user = user;
  return IW_OK;
}

/* ---- Report files ------------------------------------------------------------------------------------ */

static void write_text(FILE *file, const sim_findings *all)
{
  for (size_t k = 0; k < all->count; k++) {
    const finding *const f = &all->all[k];
    fprintf(file, "%s%s (%llu times)\n", f->is_note ? "note: " : "", f->message, (unsigned long long)f->count);
  }
}

static void write_json_string(FILE *file, const char *text)
{
  putc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(file, "\\%c", *c);
    else if (*c < 0x20 || *c == 0x7f)
      fprintf(file, "\\u%04x", *c);
    else
      putc(*c, file);
  putc('"', file);
}

/* A path as a reference of RFC 3986. */
static void write_location(FILE *file, const char *path, int line)
{
  fputs("{ \"physicalLocation\": { \"artifactLocation\": { \"uri\": \"", file);
  if (*path == '/')
    fputs("file://", file);
  for (const unsigned char *c = (const unsigned char *)path; *c; c++)
    if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("/._-~", *c))
      putc(*c, file);
    else
      fprintf(file, "%%%02X", *c);
  fprintf(file, "\" }, \"region\": { \"startLine\": %d } } }", line > 0 ? line : 1);
}

static void write_sarif(FILE *file, const sim_findings *all, uint64_t seed)
{
  fputs("{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [ {\n"
        "    \"tool\": { \"driver\": { \"name\": \"isowarp-sim\", \"version\": \"" ISOWARP_VERSION_STRING "\", \"rules\": [\n", file);
  for (unsigned k = 0; k < SIM_KINDS; k++)
    fprintf(file, "      { \"id\": \"%s\" }%s\n", iw_sim_kind_names[k], k + 1 < SIM_KINDS ? "," : "");
  fputs("    ] } },\n    \"results\": [", file);
  for (size_t k = 0; k < all->count; k++) {
    const finding *const f = &all->all[k];
    fprintf(file, "%s\n      { \"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"%s\",\n        \"message\": { \"text\": ",
            k ? "," : "", iw_sim_kind_names[f->kind], (int)f->kind, f->is_note ? "note" : "error");
    write_json_string(file, f->message);
    fprintf(file, " },\n        \"occurrenceCount\": %llu, \"properties\": { \"seed\": %llu }", (unsigned long long)f->count,
            (unsigned long long)seed);
    if (f->file) {
      fputs(",\n        \"locations\": [ ", file);
      write_location(file, f->file, f->line);
      fputs(" ]", file);
    }
    if (f->other_file) {
      fputs(",\n        \"relatedLocations\": [ ", file);
      write_location(file, f->other_file, f->other_line);
      fputs(" ]", file);
    }
    fputs(" }", file);
  }
  fputs("\n    ]\n  } ]\n}\n", file);
}

static int ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void write_report(const sim_findings *all, uint64_t seed)
{
  static _Atomic unsigned written;
  const char *const name = getenv("ISOWARP_SIM_REPORT");
  char numbered[4096];
  if (!name || !*name)
    return;
  const unsigned number = atomic_fetch_add(&written, 1) + 1;
  const int is_sarif = ends_with(name, ".sarif");
  int n;
  if (number == 1)
    n = snprintf(numbered, sizeof numbered, "%s", name);
  else if (is_sarif)
    n = snprintf(numbered, sizeof numbered, "%.*s-%u.sarif", (int)strlen(name) - 6, name, number);
  else
    n = snprintf(numbered, sizeof numbered, "%s-%u", name, number);
  FILE *const file = (size_t)n < sizeof numbered ? fopen(numbered, "w") : NULL;
  if (!file)
    return; /* a close has no status */
  if (is_sarif)
    write_sarif(file, all, seed);
  else
    write_text(file, all);
  fclose(file);
}

void iw_sim_findings_close(sim_state *state)
{
  sim_findings *const all = state->findings;
  if (!all)
    return;
  report_new(state, all);
  write_report(all, state->seed);
  for (size_t k = 0; k < all->count; k++) {
    free(all->all[k].message);
    free(all->all[k].file);
    free(all->all[k].other_file);
  }
  free(all->all);
  free(all);
  state->findings = NULL;
}
