/* SPDX-License-Identifier: Apache-2.0
 *
 * README's rule for buckets and its use, C and C++, as a user's program: the elements and where they came
 * from. Built by tests/scripts/installed.sh.
 */
#include <stdio.h>
#include <isowarp/operators.h>
IW_FN iw_u32 last_digit(iw_u32 x) { return iw_rem(x, iw_splat(10u)); }
IW_BUCKET(last_digit, u32)
#define IW_MULTISPLIT_BUCKET last_digit
#define IW_MULTISPLIT_TYPE u32
#include <isowarp/make_bucket_rule.h>

int main(void)
{
  enum { N = 10007, BUCKETS = 10 };
  static uint32_t in[N], out[N], from[N];
  size_t offsets[BUCKETS + 1];
  iw_buckets digits = { sizeof digits, IW_U32, NULL, NULL, 0, 0, &last_digit_rule, BUCKETS };
  iw_payload moved[] = { { sizeof *moved, in, out, NULL, sizeof *in }, { sizeof *moved, NULL, from, NULL, sizeof *from } };
  iw_move_options moves = { sizeof moves, moved, 2, NULL };
  iw_context *context;
  int wrong = 0;
  for (uint32_t i = 0; i < N; i++)
    in[i] = i * 7919;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_multisplit(context, &digits, in, N, NULL, offsets, &moves) != IW_OK) {
    printf("rule: %s\n", iw_message());
    return 1;
  }
  for (size_t k = 0; k < BUCKETS; k++)
    for (size_t i = offsets[k]; i < offsets[k + 1]; i++)
      wrong += out[i] % 10 != k || out[i] != in[from[i]] || (i > offsets[k] && from[i - 1] >= from[i]);
  wrong += offsets[0] != 0 || offsets[BUCKETS] != N;
  iw_context_close(context);
  printf("rule: %d wrong\n", wrong);
  return wrong != 0;
}
