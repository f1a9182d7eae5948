/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program loads for --mpi: an object that an MPI compiler has made, so that only it depends on
 * MPI. */
#ifndef ISOWARP_MPI_MODULE_H
#define ISOWARP_MPI_MODULE_H

#include <isowarp/peers.h>

typedef struct mpi_module {
  iw_peers peers;            /* of this process, one of the ranks that mpiexec has started */
  void (*close)(void);       /* ends MPI; a collective */
  void (*abort)(int status); /* ends all ranks */
} mpi_module;

/* The function that a module has, by the name MPI_MODULE_OPEN. Starts MPI. Returns NULL, or
 * what is wrong. */
typedef const char *mpi_module_open(mpi_module *module);
#define MPI_MODULE_OPEN "isowarp_mpi_module_open"

#endif
