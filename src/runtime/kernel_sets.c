/* SPDX-License-Identifier: Apache-2.0
 *
 * The sets of kernels, linked and loaded. Compiled for the library whose sets all are linked, and with
 * IW_LOADS_MODULES for the shared one. Runtime layer.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <config.h>
#include "runtime/error.h"
#include "runtime/kernel_sets.h"

#include <string.h>

IW_DEFINE_LINKED_SETS(linked)

static const iw_kernel *const *find(const iw_kernel_set *sets, const char *name)
{
  for (; sets->name; sets++)
    if (!strcmp(sets->name, name))
      return sets->kernels;
  return NULL;
}

#ifdef IW_LOADS_MODULES
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_MODULES = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const iw_kernel_module *loaded[MAX_MODULES]; /* the first `modules` */
static unsigned modules;

/* Writes the folder of modules that belongs to this library wherever it lies: its own in a build tree, else
 * one beside it. */
static void find_folder(char *folder)
{
  Dl_info library;
  const char *const path = dladdr((const void *)linked, &library) && library.dli_fname ? library.dli_fname : "";
  const char *const slash = strrchr(path, '/');
  const int length = slash ? (int)(slash - path) : 1;
  const char *const here = slash ? path : ".";
  const int is_build_tree = length >= 5 && !strncmp(here + length - 5, ".libs", 5);
  snprintf(folder, MAX_PATH, is_build_tree ? "%.*s/.." : "%.*s/isowarp", length, here);
}

/* Sets *module if the folder has kernels-NAME.so; fails if it is there and of no use. */
static iw_status load_from(const char *folder, const char *name, const iw_kernel_module **module)
{
  char path[MAX_PATH + 64];
  snprintf(path, sizeof path, "%s/kernels-%s.so", folder, name);
  *module = NULL;
  if (access(path, F_OK) != 0)
    return IW_OK;
  void *const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const iw_kernel_module *const found = object ? dlsym(object, IW_KERNEL_MODULE) : NULL;
  if (!found)
    return iw_fail(IW_ERROR_UNAVAILABLE, "the kernels of set %s cannot be loaded: %s", name, dlerror());
  if (strcmp(found->version, PACKAGE_VERSION) != 0) {
    const iw_status status = iw_fail(IW_ERROR_UNAVAILABLE, "%s is of isowarp %s, and this library is isowarp %s", path, found->version,
                                     PACKAGE_VERSION);
    dlclose(object);
    return status;
  }
  *module = found;
  return IW_OK;
}

/* The caller has the lock. A module stays loaded, as contexts refer to it. */
static iw_status load(const char *name, const iw_kernel *const **kernels)
{
  char folder[MAX_PATH];
  const iw_kernel_module *module = NULL;
  for (unsigned m = 0; m < modules && !*kernels; m++)
    *kernels = find(loaded[m]->sets, name);
  if (*kernels)
    return IW_OK;
  find_folder(folder);
  IW_TRY(load_from(folder, name, &module));
  if (!module)
    IW_TRY(load_from(PKGLIBDIR, name, &module));
  if (module)
    *kernels = find(module->sets, name);
  if (!*kernels || modules == MAX_MODULES)
    return iw_fail(IW_ERROR_UNAVAILABLE, "the kernels of set %s are in kernels-%s.so, which is neither in %s nor in %s: make modules, in "
                   "the build folder, builds it, and make install installs it", name, name, folder, PKGLIBDIR);
  loaded[modules++] = module;
  return IW_OK;
}
#endif

iw_status iw_find_kernel_set(const char *name, const iw_kernel *const **kernels)
{
  *kernels = find(linked, name);
  if (*kernels)
    return IW_OK;
#ifdef IW_LOADS_MODULES
  pthread_mutex_lock(&lock);
  const iw_status status = load(name, kernels);
  pthread_mutex_unlock(&lock);
  return status;
#else
  return iw_fail(IW_ERROR_UNAVAILABLE, "this library was built without kernels of set %s", name);
#endif
}
