/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the kernels of a set are: linked with this library, or in a module, kernels-SET.so, that is loaded
 * by the first context that needs it. Runtime layer; knows no kernel.
 */
#ifndef IW_RUNTIME_KERNEL_SETS_H
#define IW_RUNTIME_KERNEL_SETS_H

#include <isowarp.h>
#include <isowarp/descriptor.h>

typedef struct iw_kernel_set {
  const char *name;
  const iw_kernel *const *kernels; /* by kernel id; behind the last one is one of size 0 */
} iw_kernel_set;

/* What a module exports. */
typedef struct iw_kernel_module {
  const char *version;       /* of isowarp: ids and arguments of kernels differ between versions */
  const iw_kernel_set *sets; /* behind the last one is one without a name */
} iw_kernel_module;
#define IW_KERNEL_MODULE "iw_kernel_module_here"
extern IW_API const iw_kernel_module iw_kernel_module_here;

/* Sets *kernels to the table of a set of CPU kernels or of the simulated GPU. Fails if it is in a module
 * that cannot be loaded. May be called by several threads at a time. */
iw_status iw_find_kernel_set(const char *name, const iw_kernel *const **kernels);

/* A table of the sets of which make says that they are linked together, IW_LINKED_SETS(X): X(NAME) for
 * each. */
#define IW_DECLARE_SET(name) extern const iw_kernel *const iw_kernels_##name[];
#define IW_SET_ENTRY(name) { #name, iw_kernels_##name },
#define IW_DEFINE_LINKED_SETS(table) \
  IW_LINKED_SETS(IW_DECLARE_SET) static const iw_kernel_set table[] = { IW_LINKED_SETS(IW_SET_ENTRY) { NULL, NULL } };

#endif
