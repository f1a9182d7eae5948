/* SPDX-License-Identifier: Apache-2.0
 *
 * Built by an MPI compiler as mpi-KIND.so, which `isowarp --mpi` loads. */
#include "mpi_module.h"

#include <isowarp/mpi.h>

static iw_mpi mpi;

static void close_mpi(void)
{
  iw_mpi_close(&mpi);
  MPI_Finalize();
}

static void abort_mpi(int status)
{
  MPI_Abort(MPI_COMM_WORLD, status);
}

mpi_module_open isowarp_mpi_module_open;

const char *isowarp_mpi_module_open(mpi_module *module)
{
  int level;
  /* The program's threads make no calls of MPI. */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED)
    return "MPI_Init_thread: MPI does not start, or not for a program with threads";
  if (iw_mpi_open(&mpi, MPI_COMM_WORLD, &module->peers) != IW_OK)
    return mpi.message;
  module->close = close_mpi;
  module->abort = abort_mpi;
  return NULL;
}
