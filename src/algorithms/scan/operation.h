/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host side of scans and reductions knows of an operation: its types, identity and init, and how a
 * caller's operator, spec, init and offsets are checked. It knows no call and no kernel. Algorithms layer;
 * not installed.
 */
#ifndef IW_ALGORITHMS_SCAN_OPERATION_H
#define IW_ALGORITHMS_SCAN_OPERATION_H

#include <isowarp/scans.h>

#include "algorithms/common/args.h"
#include "algorithms/common/kernel_ids.h"
#include "runtime/check.h"
#include "runtime/staging.h"

/* What a scan or a reduction is: the arguments of a call and its options together. */
typedef struct iw_scan_spec {
  iw_op op;
  iw_type in_type, type;       /* of in; of out, init and results */
  int exclusive;               /* of scans */
  const void *init;
  const iw_segments *segments;
} iw_scan_spec;

/* Returns whether an operator is built in, and sets *builtin to its index. */
static inline int iw_is_builtin(iw_op op, iw_builtin_op *builtin)
{
  const uintptr_t index = (uintptr_t)op - (uintptr_t)IW_SUM;
  *builtin = (iw_builtin_op)index;
  return index < IW_BUILTIN_OPS;
}

/* How a built-in operation is computed: by the kernels of a fold (common/operations.h). */
typedef struct iw_operation {
  iw_builtin_op op;
  iw_type in_type, type; /* of the elements, and of the outputs or results, as the caller sees them */
  iw_type wide;          /* in which elements are combined: `type`, or if that has 1 or 2 bytes a type of 4 */
  iw_fold fold;          /* of elements; IW_NO_FOLD for a user's operator */
  iw_fold fold_of_wide;  /* of values of type `wide` */
  iw_scalar_bits twiddle; /* the bits that kernels of minima, maxima and the bitwise AND twiddle (scan/args.h) */
} iw_operation;

/* The operation of these types; they have been checked. */
iw_operation iw_operation_of(iw_builtin_op op, iw_type in_type, iw_type type);

/* Whether outputs are narrower than what elements are combined in. */
static inline int iw_is_narrow(const iw_operation *o) { return iw_type_size(o->type) < iw_type_size(o->wide); }

static inline iw_scalar_bits iw_flip_scalar_bits(iw_scalar_bits x, iw_scalar_bits bits)
{
  return (iw_scalar_bits){ .u64 = x.u64 ^ bits.u64 };
}

/* The element that changes no bit of another one that it is combined with. Of sums of floats that is -0. */
iw_scalar_bits iw_identity_of(iw_builtin_op op, iw_type type);
/* Reads one element, with the canonical NaN in place of any other. */
iw_scalar_bits iw_load_scalar_bits(iw_type type, const void *element);
/* An element of a type as it is combined: one of 1 or 2 bytes in 4; and back, of a result. */
iw_scalar_bits iw_widen_scalar_bits(iw_type type, iw_scalar_bits bits);
iw_scalar_bits iw_narrow_scalar_bits(iw_type type, iw_scalar_bits bits);

/* What is combined with element 0, and what an exclusive scan stores there, of the type of outputs; or one
 * element in device memory that is both. */
typedef struct iw_init_value { iw_scalar_bits init, first_out; const void *device_ptr; } iw_init_value;

/* The init of a call without one. The sum of no elements is +0, though its identity is -0. */
iw_init_value iw_default_init(iw_builtin_op op, iw_type type);
/* op->identity: two elements, the identity and the first output of an exclusive scan without init. */
iw_init_value iw_default_init_by(const iw_operator *op);

/* Checks an init, if there is one. */
static inline iw_status iw_check_init(const void *init, size_t size)
{
  return init ? iw_check_single("options->init", init, size) : IW_OK;
}

/* The same for a scan: its init does not lie in out, which on a device the kernel may write before all of
 * its blocks have read init. */
static inline iw_status iw_check_init_of_scan(const void *init, size_t size, const void *out, size_t out_bytes)
{
  IW_TRY(iw_check_init(init, size));
  return init ? iw_check_no_overlap("options->init", init, size, "out", out, out_bytes) : IW_OK;
}

static inline iw_array iw_init_array(const void *init, iw_type type)
{
  return (iw_array){ "options->init", init, 1, iw_type_size(type), IW_READ | IW_SINGLE | IW_OPTIONAL, NULL };
}

/* Sets *value to a caller's init, if there is one. An init in host memory is read now. One in device memory
 * may not have been computed yet, so the kernel reads it (doc/design/scan.md#initial-values), except one of 1
 * or 2 bytes, for which the call waits. */
iw_status iw_resolve_init(iw_context *context, iw_type type, const iw_array *init, iw_init_value *value);

/* An init or a first output as kernels take it. */
static inline iw_scalar_bits iw_kernel_init(const iw_operation *o, iw_scalar_bits bits)
{
  return iw_flip_scalar_bits(iw_is_narrow(o) ? iw_widen_scalar_bits(o->type, bits) : bits, o->twiddle);
}

/* Checks that there is a kernel that combines elements of in_type in type. */
iw_status iw_check_operation(iw_builtin_op op, iw_type in_type, iw_type type);
/* Checks that an operator is an address and was made for this library. */
iw_status iw_check_operator(const iw_operator *op);
/* Checks that an operator's kernels can run, and take argument structs of the size that this library's
 * `calls` have. */
iw_status iw_check_operator_kernels(const iw_operator *op, const iw_kernel *const *kernels, unsigned count, size_t args,
                                    const char *calls);
/* The part of iw_make_scan_spec for calls with options, or with a user's operator: not inline, so that other
 * calls of few elements are short. */
iw_status iw_complete_scan_spec(const iw_scan_options *options, iw_scan_spec *spec);
/* Makes the spec of a call, and checks its options and that a user's operator is for these types. */
static inline iw_status iw_make_scan_spec(iw_op op, iw_type type, int exclusive, const iw_scan_options *options, iw_scan_spec *spec)
{
  iw_builtin_op builtin;
  *spec = (iw_scan_spec){ op, type, type, exclusive, NULL, NULL };
  return options || !iw_is_builtin(op, &builtin) ? iw_complete_scan_spec(options, spec) : IW_OK;
}
/* The error of iw_check_no_runs. */
iw_status iw_fail_runs(const iw_scan_options *options, const char *what);
/* Checks that options ask for no runs. what: the calls that have none. */
static inline iw_status iw_check_no_runs(const iw_scan_options *options, const char *what)
{
  return options && (options->run_keys || options->run_count) ? iw_fail_runs(options, what) : IW_OK;
}

/* Checks the type, number and address of segments->offsets. */
iw_status iw_check_offsets_array(const iw_segments *segments);
/* Checks offsets in host memory: that they ascend, up to at most n. */
iw_status iw_check_offsets(const iw_segments *segments, size_t n);

/* IW_ERROR_INVALID unless segments by flags and keys can be scanned by the operator. */
iw_status iw_check_operator_of_scanned_heads(iw_op op, iw_builtin_op *builtin);

#endif
