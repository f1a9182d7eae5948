/* SPDX-License-Identifier: Apache-2.0
 *
 * Results for other programs: JSON (RFC 8259) and CSV (RFC 4180). Numbers have the fewest digits that f64
 * parses to the same number, also those of narrower types. JSON has no numbers for NaN and infinities, which
 * are the strings "nan", "inf" and "-inf". */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_reduction(const char *op, iw_type in_type, size_t n, iw_type type, const void *result,
                    const uint64_t *index)
{
  printf("{\"operation\": \"reduce\", \"op\": \"%s\", \"elements\": %zu, \"element_type\": \"%s\", ", op, n,
         iw_type_name(in_type));
  if (index != NULL)
    printf("\"index\": %" PRIu64 ", ", *index);
  printf("\"type\": \"%s\", \"result\": ", iw_type_name(type));
  put_number(type, result, 1);
  printf("}\n");
  finish_output();
}

/* The bins' letters: "a-d". */
static void put_letters(unsigned first, unsigned count)
{
  const unsigned last = first + count - 1 > 25 ? 25 : first + count - 1;
  printf(first == last ? "%c" : "%c-%c", 'a' + (int)first, 'a' + (int)last);
}

void put_edges(const histogram_table *t)
{
  put_list("edges", t->type, t->edges, t->bins + 1);
  printf(", \"closed_top\": %s", t->is_closed ? "true" : "false");
}

void put_outside(const histogram_table *t)
{
  printf("\"below\": %" PRIu64 ", \"above\": %" PRIu64 ", \"nan\": %" PRIu64 "}\n", t->below, t->above, t->nan);
}

void json_histogram(const histogram_table *t)
{
  printf("{\"operation\": \"histogram\", \"samples\": %zu, \"type\": \"%s\", ", t->samples,
         iw_type_name(t->type));
  if (t->edges != NULL)
    put_edges(t);
  else {
    printf("\"letters\": [");
    for (size_t k = 0; k < t->bins; k++) {
      fputs(k ? ", \"" : "\"", stdout);
      put_letters((unsigned)k * t->letters, t->letters);
      putchar('"');
    }
    putchar(']');
  }
  fputs(", ", stdout);
  if (t->sums != NULL)
    put_list("sums", t->sum_type, t->sums, t->bins);
  else
    put_list("counts", IW_U64, t->counts, t->bins);
  fputs(", ", stdout);
  put_outside(t);
  finish_output();
}

void csv_histogram(const histogram_table *t)
{
  puts(t->sums != NULL ? "lo,hi,sum" : t->edges != NULL ? "lo,hi,count" : "letters,count");
  for (size_t k = 0; k < t->bins; k++) {
    if (t->edges != NULL) {
      put_number(t->type, element_at(t->type, t->edges, k), 0);
      putchar(',');
      put_number(t->type, element_at(t->type, t->edges, k + 1), 0);
    } else
      put_letters((unsigned)k * t->letters, t->letters);
    putchar(',');
    if (t->sums != NULL)
      put_number(t->sum_type, element_at(t->sum_type, t->sums, k), 0);
    else
      printf("%" PRIu64, t->counts[k]);
    putchar('\n');
  }
  finish_output();
}

void note_dropped(const histogram_table *t, iw_policy policy)
{
  const uint64_t dropped = t->nan + (policy == IW_POLICY_DROP ? t->below + t->above : 0);
  if (dropped > 0)
    note("%" PRIu64 " of %zu samples are in no bin", dropped, t->samples);
}

void json_histogram_2d(const histogram_2d *t)
{
  printf("{\"operation\": \"histogram\", \"samples\": %zu, \"types\": [\"%s\", \"%s\"], ", t->samples,
         iw_type_name(t->x_type), iw_type_name(t->y_type));
  put_list("x_edges", t->x_type, t->x_edges, t->x_bins + 1);
  fputs(", ", stdout);
  put_list("y_edges", t->y_type, t->y_edges, t->y_bins + 1);
  printf(", \"closed_tops\": [%s, %s], \"counts\": [", t->x_is_closed ? "true" : "false",
         t->y_is_closed ? "true" : "false");
  for (size_t i = 0; i < t->x_bins; i++) {
    for (size_t k = 0; k < t->y_bins; k++)
      printf("%s%" PRIu64, k ? ", " : i ? ", [" : "[", t->counts[i * t->y_bins + k]);
    putchar(']');
  }
  fputs("]}\n", stdout);
  finish_output();
}

void csv_histogram_2d(const histogram_2d *t)
{
  puts("x_lo,x_hi,y_lo,y_hi,count");
  for (size_t i = 0; i < t->x_bins; i++)
    for (size_t k = 0; k < t->y_bins; k++) {
      for (size_t end = 0; end < 2; end++) {
        put_number(t->x_type, element_at(t->x_type, t->x_edges, i + end), 0);
        putchar(',');
      }
      for (size_t end = 0; end < 2; end++) {
        put_number(t->y_type, element_at(t->y_type, t->y_edges, k + end), 0);
        putchar(',');
      }
      printf("%" PRIu64 "\n", t->counts[i * t->y_bins + k]);
    }
  finish_output();
}
