/* SPDX-License-Identifier: Apache-2.0
 *
 * Running sums of an array that is distributed over the ranks of MPI. It prints the same for any number of ranks:
 *     make && mpiexec -n 3 ./sums */
#include <isowarp/mpi.h>

enum { TOTAL = 1000000 };

static iw_mpi mpi;

/* Ends all ranks. */
static void fail(const char *message)
{
  fprintf(stderr, "rank %u: %s\n", mpi.rank, message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(iw_status status)
{
  if (status != IW_OK)
    fail(iw_message());
}

int main(int argc, char **argv)
{
  iw_peers peers;
  iw_context *context;
  iw_distributed *ranks;
  uint64_t begin, total, at;
  float sum, largest;

  MPI_Init(&argc, &argv);
  if (iw_mpi_open(&mpi, MPI_COMM_WORLD, &peers) != IW_OK)
    fail(mpi.message);
  must(iw_context_open(&context, NULL));
  must(iw_distributed_open(context, &peers, &ranks));

  /* This rank's part of the array: 1, 1/2, 1/3, … */
  const size_t n = (size_t)iw_distributed_share(TOTAL, peers.rank, peers.count);
  float *x = malloc((n + 1) * sizeof *x), *sums = malloc((n + 1) * sizeof *sums);
  if (x == NULL || sums == NULL)
    fail("no memory");
  must(iw_distributed_extent(ranks, n, &begin, &total));
  for (size_t i = 0; i < n; i++)
    x[i] = 1 / (float)(begin + i + 1);

  must(iw_distributed_inclusive_scan(ranks, IW_SUM, IW_F32, x, n, sums, NULL));
  must(iw_distributed_reduce(ranks, IW_SUM, IW_F32, x, n, &sum, NULL));
  must(iw_distributed_argmax(ranks, IW_F32, sums, n, &at, &largest, NULL));
  if (begin <= at && at < begin + n) /* the rank that has it */
    printf("the sum %a is reached at element %llu: %a\n", sum, (unsigned long long)at, sums[at - begin]);

  free(x);
  free(sums);
  iw_distributed_close(ranks);
  iw_context_close(context);
  iw_mpi_close(&mpi);
  MPI_Finalize();
  return 0;
}
