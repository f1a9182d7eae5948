/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on the host side: identities, initial values and checks of operators (operation.h).
 */
#include "algorithms/scan/operation.h"
#include "runtime/launch.h"

#include <string.h>

/* Sums in a wider type than the elements', in the order of their kernel ids (IW_FOR_MIXED). */
static const struct { iw_type in, sum; } mixed[] = {
  { IW_U8, IW_U32 }, { IW_U8, IW_U64 }, { IW_I32, IW_I64 }, { IW_U32, IW_U64 }, { IW_F32, IW_F64 },
};
_Static_assert(IW_MIXED_SUMS == sizeof mixed / sizeof *mixed, "IW_MIXED_SUMS counts mixed[]");

unsigned iw_mixed_sum(iw_type in_type, iw_type type)
{
  unsigned k = 0;
  while (k < IW_MIXED_SUMS && (mixed[k].in != in_type || mixed[k].sum != type))
    k++;
  return k;
}

/* These three functions name every type, so that a new one, such as a 2-byte float, does not compile until
 * it is added. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

iw_scalar_bits iw_identity_of(iw_builtin_op op, iw_type type)
{
  const int is_sum = op == IW_BUILTIN_SUM, is_min = op == IW_BUILTIN_MIN;
  switch (type) {
  case IW_I32: return (iw_scalar_bits){ .i32 = is_sum ? 0 : is_min ? INT32_MAX : INT32_MIN };
  case IW_U32: return (iw_scalar_bits){ .u32 = is_min ? UINT32_MAX : 0 };
  case IW_I64: return (iw_scalar_bits){ .i64 = is_sum ? 0 : is_min ? INT64_MAX : INT64_MIN };
  case IW_U64: return (iw_scalar_bits){ .u64 = is_min ? UINT64_MAX : 0 };
  case IW_F32: return (iw_scalar_bits){ .u32 = is_sum ? 0x80000000u : is_min ? 0x7f800000u : 0xff800000u };
  case IW_F64:
    return (iw_scalar_bits){
      .u64 = is_sum ? 0x8000000000000000u : is_min ? 0x7ff0000000000000u : 0xfff0000000000000u,
    };
  case IW_U8: case IW_U16: case IW_I8: case IW_I16: case IW_BOOL: case IW_F16: case IW_BF16: break;
  }
  return (iw_scalar_bits){ .u64 = 0 };
}

iw_scalar_bits iw_twiddle_of(iw_builtin_op op, iw_type type)
{
  const int is_max = op == IW_BUILTIN_MAX;
  if (op == IW_BUILTIN_SUM)
    return (iw_scalar_bits){ .u64 = 0 };
  switch (type) {
  case IW_I32: return (iw_scalar_bits){ .u32 = is_max ? UINT32_MAX : 0 };
  case IW_U32: return (iw_scalar_bits){ .u32 = is_max ? INT32_MAX : 0x80000000u };
  case IW_I64: return (iw_scalar_bits){ .u64 = is_max ? UINT64_MAX : 0 };
  case IW_U64: return (iw_scalar_bits){ .u64 = is_max ? INT64_MAX : 0x8000000000000000u };
  case IW_F32: return (iw_scalar_bits){ .u32 = is_max ? 0x80000000u : 0 };
  case IW_F64: return (iw_scalar_bits){ .u64 = is_max ? 0x8000000000000000u : 0 };
  case IW_U8: case IW_U16: case IW_I8: case IW_I16: case IW_BOOL: case IW_F16: case IW_BF16: break;
  }
  return (iw_scalar_bits){ .u64 = 0 };
}

iw_scalar_bits iw_load_scalar_bits(iw_type type, const void *element)
{
  iw_scalar_bits bits = { .u64 = 0 };
  memcpy(&bits, element, iw_type_size(type));
  switch (type) {
  case IW_F32:
    if ((bits.u32 & 0x7fffffffu) > 0x7f800000u)
      bits.u32 = 0x7fc00000u;
    break;
  case IW_F64:
    if ((bits.u64 & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
      bits.u64 = 0x7ff8000000000000u;
    break;
  case IW_I8: case IW_I16: case IW_BOOL: case IW_F16: case IW_BF16:
  case IW_U8: case IW_U16: case IW_I32: case IW_U32: case IW_I64: case IW_U64: break;
  }
  return bits;
}
#pragma GCC diagnostic pop

iw_init_value iw_default_init(iw_builtin_op op, iw_type type)
{
  const iw_scalar_bits none = iw_identity_of(op, type);
  return (iw_init_value){ none, op == IW_BUILTIN_SUM ? (iw_scalar_bits){ .u64 = 0 } : none, NULL };
}

iw_init_value iw_default_init_by(const iw_operator *op)
{
  const char *const identity = op->identity, *const first_out = identity + iw_type_size(op->type);
  return (iw_init_value){ iw_load_scalar_bits(op->type, identity), iw_load_scalar_bits(op->type, first_out), NULL };
}

iw_status iw_resolve_init(iw_context *context, iw_type type, const iw_array *init, iw_init_value *value)
{
  int on_device;
  if (!init->at)
    return IW_OK;
  IW_TRY(iw_is_on_device(context, init, &on_device));
  if (!on_device) {
    value->init = value->first_out = iw_load_scalar_bits(type, init->at);
    return IW_OK;
  }
  value->device_ptr = init->at;
  return IW_OK;
}

iw_status iw_check_operation(iw_builtin_op op, iw_type in_type, iw_type type)
{
  if (in_type == type)
    return iw_check_type(type, IW_SIX_TYPES);
  IW_TRY(iw_check_named_type("spec->in_type", in_type, IW_EIGHT_TYPES));
  IW_TRY(iw_check_named_type("spec->type", type, IW_SIX_TYPES));
  if (op == IW_BUILTIN_SUM && iw_mixed_sum(in_type, type) < IW_MIXED_SUMS)
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID,
                 "spec->op is %s, spec->in_type %s and spec->type %s: if the types differ, valid are sums of u8 in "
                 "u32 and u64, i32 in i64, u32 in u64 and f32 in f64",
                 op == IW_BUILTIN_SUM ? "IW_SUM" : op == IW_BUILTIN_MIN ? "IW_MIN" : "IW_MAX",
                 iw_type_name(in_type), iw_type_name(type));
}

iw_status iw_check_operator(const iw_operator *op, const char *type_name, iw_type type)
{
  enum { FIRST_ADDRESS = 4096 }; /* no object has an address below it */
  if ((uintptr_t)op < FIRST_ADDRESS)
    return iw_fail(IW_ERROR_INVALID,
                   "op is the value %zu, which is no operator: valid are IW_SUM, IW_MIN, IW_MAX and the "
                   "address of an iw_operator",
                   (size_t)(uintptr_t)op);
  if (op->size != sizeof *op)
    return iw_fail(IW_ERROR_MISMATCH,
                   "the operator was built with another version of isowarp's headers: it has %zu bytes, "
                   "this library's %zu",
                   op->size, sizeof *op);
  const iw_kernel *const kernels[] = { op->scan, op->reduce };
  for (unsigned i = 0; i < 2; i++) {
    IW_TRY(iw_check_kernel(kernels[i]));
    if (kernels[i]->args != sizeof(iw_scan_args))
      return iw_fail(IW_ERROR_MISMATCH,
                     "kernel %s of operator %s takes arguments of %zu bytes: this library's scans have %zu",
                     kernels[i]->name, op->name, kernels[i]->args, sizeof(iw_scan_args));
  }
  IW_TRY(iw_check_named_type(type_name, type, IW_EIGHT_TYPES));
  if (type != op->type)
    return iw_fail(IW_ERROR_INVALID, "%s is %s, but operator %s is for %s", type_name, iw_type_name(type), op->name,
                   iw_type_name(op->type));
  return IW_OK;
}

iw_status iw_check_scan_spec(const iw_scan_spec *spec)
{
  iw_builtin_op builtin;
  IW_TRY(iw_check_pointer("spec", spec));
  IW_TRY(iw_check_struct("spec->size", spec, "iw_scan_spec", sizeof *spec));
  if (iw_is_builtin(spec->op, &builtin))
    return IW_OK;
  IW_TRY(iw_check_operator(spec->op, "spec->type", spec->type));
  IW_TRY(iw_check_named_type("spec->in_type", spec->in_type, IW_EIGHT_TYPES));
  if (spec->in_type == spec->op->in_type)
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "spec->in_type is %s, but operator %s loads elements of %s",
                 iw_type_name(spec->in_type), spec->op->name, iw_type_name(spec->op->in_type));
}
