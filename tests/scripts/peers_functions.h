/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of the three functions of an iw_peers, for adapters. Counts in `wrong`. */
#ifndef TESTS_PEERS_FUNCTIONS_H
#define TESTS_PEERS_FUNCTIONS_H

#include "../suites/distributed_calls.h"

#define IS(peers, condition)                                                                                \
  ((condition) ? (void)0                                                                                    \
               : (void)((*wrong)++, fprintf(stderr, "rank %u of %u, line %d: not so: %s\n", (peers)->rank,  \
                                            (peers)->count, __LINE__, #condition)))

/* Bytes that differ for each sender, receiver and place. */
static inline char byte_of(unsigned from, unsigned to, size_t i)
{
  return (char)mix(from * 1000003u + to * 10007u + i);
}

static inline void check_all_gather(const iw_peers *peers, size_t scale, int equal, void *stream, int *wrong)
{
  size_t bytes[64], all = 0, at = 0;
  for (unsigned r = 0; r < peers->count; r++)
    all += bytes[r] = equal ? scale : scale * ((r + 1) % 3);
  const size_t mine = bytes[peers->rank];
  char *const send = malloc(mine + 1), *const receive = malloc(all + 1);
  for (size_t i = 0; i < mine; i++)
    send[i] = byte_of(peers->rank, 0, i);
  memset(receive, 0, all + 1);
  IS(peers, peers->all_gather(peers->self, mine ? send : NULL, receive, bytes, stream) == IW_OK);
  for (unsigned r = 0; r < peers->count; r++)
    for (size_t i = 0; i < bytes[r]; i++, at++)
      if (receive[at] != byte_of(r, 0, i)) {
        IS(peers, !"the bytes of another rank");
        return;
      }
  IS(peers, receive[all] == 0);
  free(send);
  free(receive);
}

static inline void check_all_reduce(const iw_peers *peers, size_t n, void *stream, int *wrong)
{
  uint64_t *const values = malloc(8 * (n + 1));
  for (size_t i = 0; i <= n; i++)
    values[i] = (uint64_t)mix(i) << 32 | (peers->rank + 1);
  IS(peers, peers->all_reduce_u64(peers->self, values, n, stream) == IW_OK);
  for (size_t i = 0; i < n; i++)
    if (values[i] != (((uint64_t)mix(i) << 32) * peers->count) + peers->count * (peers->count + 1) / 2) {
      IS(peers, !"a sum over ranks");
      break;
    }
  IS(peers, values[n] == ((uint64_t)mix(n) << 32 | (peers->rank + 1)));
  free(values);
}

/* Bytes that rank `from` sends to rank `to`: none to many of them. */
static inline size_t size_of(unsigned from, unsigned to, size_t scale)
{
  return (from + to) % 3 == 1 ? 0 : scale + 17 * from + to;
}

static inline void check_all_to_all(const iw_peers *peers, unsigned messages, size_t scale, void *stream, int *wrong)
{
  size_t send_bytes[256], send_offsets[256], receive_bytes[256], receive_offsets[256], sent = 0, received = 0;
  const unsigned count = peers->count, all = messages * count;
  for (unsigned k = 0; k < all; k++) { /* in the order of ranks, and against it */
    const unsigned back = all - 1 - k;
    send_offsets[k] = sent + 3;
    sent += 3 + (send_bytes[k] = size_of(peers->rank, k, scale));
    receive_offsets[back] = received + 1;
    received += 1 + (receive_bytes[back] = size_of(back % count, back / count * count + peers->rank, scale));
  }
  char *const send = malloc(sent + 1), *const receive = malloc(received + 1);
  memset(receive, 0, received + 1);
  for (unsigned k = 0; k < all; k++)
    for (size_t i = 0; i < send_bytes[k]; i++)
      send[send_offsets[k] + i] = byte_of(peers->rank, k, i);
  const iw_all_to_all x = { messages, send, send_bytes, send_offsets, receive, receive_bytes, receive_offsets };
  IS(peers, peers->all_to_all(peers->self, &x, stream) == IW_OK);
  for (unsigned k = 0; k < all; k++) {
    IS(peers, receive[receive_offsets[k] - 1] == 0); /* between what ranks send */
    for (size_t i = 0; i < receive_bytes[k]; i++)
      if (receive[receive_offsets[k] + i] != byte_of(k % count, k / count * count + peers->rank, i)) {
        IS(peers, !"the bytes for this rank");
        break;
      }
  }
  free(send);
  free(receive);
}

#endif
