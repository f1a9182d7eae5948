/* SPDX-License-Identifier: Apache-2.0
 *
 * Argsort: the order of temperatures, the hottest first, and the names of their cities in that order. Run: ./argsort_payload
 * Prints:
 *   2 Cairo
 *   0 Rome
 *   3 Paris
 *   1 Oslo
 */
#include <isowarp.h>
#include <stdio.h>

typedef struct name { char text[8]; } name;

int main(void)
{
  static const float degrees[] = { 24.5f, 11, 35, 19 };
  static const uint64_t names[] = { 0, 1, 2, 3 }; /* indices of texts; a payload's values have 1 to 16 bytes */
  static const name texts[] = { { "Rome" }, { "Oslo" }, { "Cairo" }, { "Paris" } };
  uint32_t order[4];
  uint64_t sorted[4];
  const iw_payload payload = { .size = sizeof payload, .in = names, .out = sorted, .width = sizeof *names };
  const iw_sort_options options = { .size = sizeof options, .descending = 1, .payloads = &payload, .payload_count = 1 };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_argsort(context, IW_F32, degrees, 4, iw_indices_u32(order), &options) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < 4; i++)
    printf("%u %s\n", order[i], texts[sorted[i]].text);
  iw_context_close(context);
  return 0;
}
