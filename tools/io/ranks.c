/* SPDX-License-Identifier: Apache-2.0
 *
 * --mpi: the program as several ranks, each of which reads and writes its part of the files. Without --mpi
 * there is one rank.
 *
 * Errors: a rank that fails tells the others in ranks_agree(), which all ranks call before they communicate
 * in another way; the first one that has failed prints its message, and all end. So fail() may be called
 * anywhere but between communications that no ranks_agree() separates; a distributed call that fails does
 * so on all ranks. */
#include "mpi_module.h"
#include "io.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int are_open;
static mpi_module module;
static iw_distributed *handle;

unsigned ranks_rank(void)
{
  return are_open ? module.peers.rank : 0;
}

unsigned ranks_count(void)
{
  return are_open ? module.peers.count : 1;
}

int ranks_are_open(void)
{
  return are_open;
}

/* ---- Modules ---- */

/* The kind of MPI whose mpiexec has started this process, and its variable with the rank; NULL: unknown. */
static const char *starter(const char **rank)
{
  static const char *const variables[][2] = { { "OMPI_COMM_WORLD_RANK", "openmpi" },
                                              { "PMI_RANK", "mpich" } };
  *rank = NULL;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if ((*rank = getenv(variables[i][0])) != NULL)
      return variables[i][1];
  return NULL;
}

int ranks_are_started(void)
{
  const char *rank;
  return starter(&rank) != NULL;
}

/* The path of the module of a kind, in a build tree or installed, perhaps under another prefix than
 * configure was told; NULL: there is none. */
static char *module_path(const char *kind)
{
  char program[4096], *const path = need(sizeof program + strlen(kind) + 16 + strlen(PKGLIBDIR), 1);
  const size_t prefix =
      strncmp(PKGLIBDIR, EXEC_PREFIX "/", strlen(EXEC_PREFIX "/")) == 0 ? strlen(EXEC_PREFIX) : 0;
  find_program(program, sizeof program);
  for (int up = 0; up < 2 && strrchr(program, '/') != NULL; up++) {
    /* The program is BUILD/isowarp, BUILD/.libs/isowarp or PREFIX/bin/isowarp. */
    *strrchr(program, '/') = '\0';
    sprintf(path, "%s/mpi-%s.so", program, kind);
    if (access(path, R_OK) == 0)
      return path;
    sprintf(path, "%s%s/mpi-%s.so", program, &PKGLIBDIR[prefix], kind);
    if (up == 1 && prefix > 0 && access(path, R_OK) == 0)
      return path;
  }
  sprintf(path, "%s/mpi-%s.so", PKGLIBDIR, kind);
  if (access(path, R_OK) == 0)
    return path;
  free(path);
  return NULL;
}

/* Before MPI has started: the other ranks would say the same. They end as if nothing were wrong: mpiexec ends
 * all ranks once one has failed, and the first one might not have printed its message yet. mpiexec's status
 * is then the first one's. */
static void quit_unless_first(const char *rank)
{
  if (rank != NULL && strcmp(rank, "0") != 0)
    _exit(STATUS_GOOD);
}

/* Loads the module and starts MPI. */
static void open_module(const char *kind, const char *rank)
{
  static const char *const kinds[] = { "openmpi", "mpich", "mpi" };
  char built[64] = "";
  char *path = kind != NULL ? module_path(kind) : NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char *const other = module_path(kinds[i]);
    if (other != NULL)
      strcat(strcat(built, *built ? ", " : ""), kinds[i]);
    if (kind == NULL && path == NULL)
      path = other;
    else
      free(other);
  }
  if (path == NULL)
    quit_unless_first(rank);
  if (path == NULL && kind != NULL)
    fail("--mpi: isowarp was not built for %s, but for: %s", kind, *built ? built : "no MPI");
  if (path == NULL)
    fail("--mpi: isowarp was built without MPI");
  void *const object = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* plug-ins of MPI find its functions then */
  mpi_module_open *open_it = NULL;
  if (object != NULL)
    *(void **)&open_it = dlsym(object, MPI_MODULE_OPEN);
  if (open_it == NULL)
    fail("--mpi: %s", dlerror());
  const char *const wrong = open_it(&module);
  if (wrong != NULL)
    fail("--mpi: %s", wrong);
  free(path);
}

void ranks_open(const char *kind)
{
  const char *rank;
  const char *const started = starter(&rank);
  if (are_open)
    return;
  if (kind != NULL && started != NULL && strcmp(kind, "mpi") != 0 && strcmp(kind, started) != 0) {
    quit_unless_first(rank);
    fail("--mpi=%s: the processes were started by mpiexec of %s", kind, started);
  }
  open_module(kind != NULL ? kind : started, rank);
  are_open = 1;
  if (module.peers.rank > 0 && freopen("/dev/null", "w", stdout) == NULL) /* rank 0 prints */
    fail("/dev/null: cannot be opened");
}

void ranks_close(void)
{
  if (!are_open)
    return;
  ranks_agree();
  are_open = 0;
  module.close();
}

/* ---- Errors ---- */

/* Exchanges whether a rank has failed; returns the first one that has, or the number of ranks. */
static unsigned first_failure(int failed)
{
  const unsigned count = module.peers.count;
  const char mine = (char)failed;
  char *const all = malloc(count);
  size_t *const bytes = malloc(count * sizeof *bytes);
  unsigned first = 0;
  if (all == NULL || bytes == NULL)
    module.abort(STATUS_BAD);
  for (unsigned r = 0; r < count; r++)
    bytes[r] = 1;
  if (module.peers.all_gather(module.peers.self, &mine, all, bytes, NULL) != IW_OK)
    module.abort(STATUS_BAD);
  while (first < count && !all[first])
    first++;
  free(all);
  free(bytes);
  return first;
}

void ranks_agree(void)
{
  if (!are_open || first_failure(0) == module.peers.count)
    return;
  discard_output();
  module.close();
  _exit(STATUS_BAD);
}

int ranks_failure(void)
{
  return !are_open || first_failure(1) == module.peers.rank;
}

void ranks_end_failure(void)
{
  if (are_open)
    module.close();
}

/* A communication of the program's own has this status. */
static void check(iw_status status)
{
  if (status != IW_OK)
    fail("--mpi: %s", module.peers.describe(module.peers.self));
}

/* ---- Communication ---- */

iw_distributed *ranks_handle(void)
{
  return handle;
}

void ranks_open_handle(iw_context *context)
{
  if (!are_open)
    return;
  ranks_agree();
  must(iw_distributed_open(context, &module.peers, &handle));
}

void ranks_close_handle(void)
{
  iw_distributed_close(handle);
  handle = NULL;
}

void ranks_range(size_t n, size_t *begin, size_t *end)
{
  const size_t group = (size_t)1 << 17, count = ranks_count();
  const size_t groups = n / group + (n % group != 0),
               share = (groups / count + (groups % count != 0)) * group;
  *begin = share * ranks_rank() < n ? share * ranks_rank() : n;
  *end = n - *begin < share ? n : *begin + share;
}

void ranks_gather(const void *mine, void *all, size_t size)
{
  if (!are_open) {
    memcpy(all, mine, size);
    return;
  }
  size_t *const bytes = need(module.peers.count, sizeof *bytes);
  for (unsigned r = 0; r < module.peers.count; r++)
    bytes[r] = size;
  ranks_agree();
  check(module.peers.all_gather(module.peers.self, mine, all, bytes, NULL));
  free(bytes);
}

void ranks_sum(uint64_t *values, size_t n)
{
  ranks_agree();
  if (are_open)
    check(module.peers.all_reduce_u64(module.peers.self, values, n, NULL));
}

uint64_t ranks_before(uint64_t mine, uint64_t *total)
{
  uint64_t *const all = need(ranks_count(), sizeof *all), before = 0;
  ranks_gather(&mine, all, sizeof mine);
  *total = 0;
  for (unsigned r = 0; r < ranks_count(); r++) {
    before += r < ranks_rank() ? all[r] : 0;
    *total += all[r];
  }
  free(all);
  return before;
}
