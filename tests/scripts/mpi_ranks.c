/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests/scripts/mpi.sh, under mpiexec: the functions of <isowarp/mpi.h>, distributed calls by them, and
 * their errors. Compiled with messages of few bytes (IW_MPI_PIECE), so that long ones are sent in
 * pieces. */
#include "peers_functions.h"

#include <isowarp/mpi.h>

static iw_mpi mpi;
static iw_peers peers;
static int failures, *const wrong = &failures;

/* A rank's error is one on all ranks, and they can go on. */
static void check_errors(iw_distributed *ranks)
{
  const float x[2] = { 1, 2 };
  float y[2];
  double sum;
  const unsigned last = peers.count - 1;
  iw_status status =
      iw_distributed_inclusive_scan(ranks, IW_SUM, IW_F32, peers.rank == last ? NULL : x, 2, y, NULL);
  IS(&peers, status == (peers.rank == last ? IW_ERROR_INVALID : IW_ERROR_PEER));
  char name[32];
  snprintf(name, sizeof name, "rank %u", last);
  IS(&peers, peers.rank == last || strstr(iw_message(), name) != NULL);
  if (peers.count > 1) {
    status =
        iw_distributed_inclusive_scan(ranks, peers.rank == last ? IW_MAX : IW_SUM, IW_F32, x, 2, y, NULL);
    IS(&peers, status == IW_ERROR_MISMATCH);
  }
  const double one = 1;
  IS(&peers,
     iw_distributed_reduce(ranks, IW_SUM, IW_F64, &one, 1, &sum, NULL) == IW_OK && sum == peers.count);
}

/* An error of MPI has MPI's text. */
static void check_mpi_errors(void)
{
  iw_mpi other;
  iw_peers unused;
  IS(&peers, iw_mpi_open(&other, MPI_COMM_WORLD, &unused) == IW_OK);
  iw_mpi broken = other;
  broken.comm = MPI_COMM_NULL;
  /* On a communicator that is none, MPI calls the handler of MPI_COMM_WORLD, or of MPI_COMM_SELF. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  uint64_t value = 0;
  IS(&peers, iw_mpi_all_reduce_u64(&broken, &value, 1, NULL) == IW_ERROR_PEER);
  IS(&peers,
     strstr(iw_mpi_describe(&broken), "MPI_Allreduce: ") != NULL && strlen(iw_mpi_describe(&broken)) > 20);
  iw_mpi_close(&other);
}

int main(int argc, char **argv)
{
  iw_context *context;
  iw_distributed *ranks;
  const iw_context_options options = { sizeof options, IW_BACKEND_CPU, NULL, 1, IW_BLOCKS_AUTO, 0, 0 };
  static const struct { size_t n; int first, last;
  } cases[] = { { 0, CUT_EVEN, CUT_EVEN },
                { 2, CUT_ONES, CUT_ONES },
                { 131072, CUT_EVEN, CUT_EVEN },
                { 400003, CUT_EVEN, CUT_ONES } };

  if (iw_mpi_open(&mpi, MPI_COMM_WORLD, &peers) != IW_ERROR_PEER ||
      strstr(mpi.message, "not initialised") == NULL)
    return 1;
  MPI_Init(&argc, &argv);
  if (iw_mpi_open(&mpi, MPI_COMM_WORLD, &peers) != IW_OK)
    return 1;
  static const size_t scales[] = {
    0, 1, 100, IW_MPI_PIECE - 1, IW_MPI_PIECE, IW_MPI_PIECE + 1, 3 * IW_MPI_PIECE, 5 * IW_MPI_PIECE + 7
  };
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    check_all_gather(&peers, scales[i], 0, NULL, wrong);
    check_all_gather(&peers, scales[i], 1, NULL, wrong);
    check_all_reduce(&peers, scales[i], NULL, wrong);
    check_all_to_all(&peers, 1 + (unsigned)i, scales[i], NULL, wrong);
  }
  check_mpi_errors();
  if (iw_context_open(&context, &options) != IW_OK ||
      iw_distributed_open(context, &peers, &ranks) != IW_OK) {
    fprintf(stderr, "rank %u: %s\n", peers.rank, iw_message());
    return 1;
  }
  check_errors(ranks);
  rank k = { ranks, context, peers.rank, peers.count, 0, 0, 0, 0 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int cut = cases[i].first; cut <= cases[i].last; cut++)
      check_cut(&k, cases[i].n, cut, 10 * i + (unsigned)cut);
  iw_distributed_close(ranks);
  iw_context_close(context);
  iw_mpi_close(&mpi);
  int all = 0;
  failures += k.wrong;
  MPI_Allreduce(wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
