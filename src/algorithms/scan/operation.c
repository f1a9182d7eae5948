/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on the host side: identities, initial values and checks of operators (operation.h).
 */
#include "algorithms/scan/operation.h"
#include "runtime/launch.h"

#include <isowarp/language/scalar.h>
#include <inttypes.h>
#include <string.h>

/* Whose rows of IW_FOR_OPERATIONS an operator has. */
static const iw_builtin_op stands[IW_BUILTIN_OPS] = {
#define STANDS(op, of, identity) [IW_BUILTIN_##op] = IW_BUILTIN_##of,
  IW_FOR_OPERATORS(STANDS)
#undef STANDS
};
/* The fold of each operation, by types of elements and of outputs; else IW_NO_FOLD. */
static const uint8_t folds[IW_BUILTIN_OPS][IW_TYPE_COUNT + 1][IW_TYPE_COUNT + 1] = {
#define FOLD_OF(op, in, out, fold) [IW_BUILTIN_##op][IW_##in][IW_##out] = IW_FOLD_##fold,
  IW_FOR_OPERATIONS(FOLD_OF)
#undef FOLD_OF
};

/* The types are types. */
static iw_fold fold_of(iw_builtin_op op, iw_type in_type, iw_type type)
{
  return (iw_fold)folds[stands[op]][in_type][type];
}

/* These functions name every type, so that a new one does not compile until it is added. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

/* The bits that kernels twiddle, so that those of the minimum of i32, i64, f32 and f64 give all minima and maxima, and those
 * of the bitwise OR the AND. */
static iw_scalar_bits twiddle_of(iw_builtin_op op, iw_type type)
{
  const int is_max = op == IW_BUILTIN_MAX;
  if (op != IW_BUILTIN_MIN && op != IW_BUILTIN_MAX)
    return (iw_scalar_bits){ .u64 = op == IW_BUILTIN_AND ? UINT64_MAX : 0 };
  switch (type) {
  case IW_I32: return (iw_scalar_bits){ .u32 = is_max ? UINT32_MAX : 0 };
  case IW_U32: return (iw_scalar_bits){ .u32 = is_max ? INT32_MAX : 0x80000000u };
  case IW_I64: return (iw_scalar_bits){ .u64 = is_max ? UINT64_MAX : 0 };
  case IW_U64: return (iw_scalar_bits){ .u64 = is_max ? INT64_MAX : 0x8000000000000000u };
  case IW_F32: case IW_F16: case IW_BF16: return (iw_scalar_bits){ .u32 = is_max ? 0x80000000u : 0 };
  case IW_F64: return (iw_scalar_bits){ .u64 = is_max ? 0x8000000000000000u : 0 };
  case IW_U8: case IW_U16: case IW_BOOL: return (iw_scalar_bits){ .u32 = is_max ? UINT32_MAX : 0 };
  case IW_I8: return (iw_scalar_bits){ .u32 = is_max ? ~0x80u : 0x80u };
  case IW_I16: return (iw_scalar_bits){ .u32 = is_max ? ~0x8000u : 0x8000u };
  }
  return (iw_scalar_bits){ .u64 = 0 };
}

iw_operation iw_operation_of(iw_builtin_op op, iw_type in_type, iw_type type)
{
  const iw_type wide = iw_type_size(type) >= 4 ? type : iw_is_one_of(type, IW_SET_OF(IW_F16) | IW_SET_OF(IW_BF16)) ? IW_F32
    : stands[op] == IW_BUILTIN_MIN ? IW_I32 : IW_U32;
  return (iw_operation){
    op, in_type, type, wide, fold_of(op, in_type, type), fold_of(op, wide, wide), twiddle_of(op, type),
  };
}

/* The identities of IW_FOR_OPERATORS. NEGATIVE_ZERO: of integers 0. */
typedef enum identity { ZERO, NEGATIVE_ZERO, ONE, ALL_BITS, GREATEST, LEAST } identity;
static const identity identities[IW_BUILTIN_OPS] = {
#define IDENTITY(op, of, identity) [IW_BUILTIN_##op] = identity,
  IW_FOR_OPERATORS(IDENTITY)
#undef IDENTITY
};

iw_scalar_bits iw_identity_of(iw_builtin_op op, iw_type type)
{
  const identity kind = identities[op];
  const int is_sum = kind == NEGATIVE_ZERO, is_min = kind == GREATEST;
  if (kind == ONE)
    return type == IW_F32 ? (iw_scalar_bits){ .f32 = 1 } : type == IW_F64 ? (iw_scalar_bits){ .f64 = 1 }
      : (iw_scalar_bits){ .u64 = type == IW_F16 ? 0x3c00 : type == IW_BF16 ? 0x3f80 : 1 };
  if (kind == ZERO || kind == ALL_BITS)
    return (iw_scalar_bits){ .u64 = kind == ZERO ? 0 : type == IW_BOOL ? 1 : UINT64_MAX };
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
  case IW_U8: return (iw_scalar_bits){ .u8 = is_min ? UINT8_MAX : 0 };
  case IW_U16: return (iw_scalar_bits){ .u16 = is_min ? UINT16_MAX : 0 };
  case IW_I8: return (iw_scalar_bits){ .u8 = is_sum ? 0 : is_min ? 0x7f : 0x80 };
  case IW_I16: return (iw_scalar_bits){ .u16 = is_sum ? 0 : is_min ? 0x7fff : 0x8000 };
  case IW_BOOL: return (iw_scalar_bits){ .u8 = is_min };
  case IW_F16: return (iw_scalar_bits){ .u16 = is_sum ? 0x8000 : is_min ? 0x7c00 : 0xfc00 };
  case IW_BF16: return (iw_scalar_bits){ .u16 = is_sum ? 0x8000 : is_min ? 0x7f80 : 0xff80 };
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
  case IW_F16:
    if ((bits.u16 & 0x7fff) > 0x7c00)
      bits.u16 = 0x7e00;
    break;
  case IW_BF16:
    if ((bits.u16 & 0x7fff) > 0x7f80)
      bits.u16 = 0x7fc0;
    break;
  case IW_U8: case IW_U16: case IW_I32: case IW_U32: case IW_I64: case IW_U64: case IW_I8: case IW_I16: case IW_BOOL: break;
  }
  return bits;
}

iw_scalar_bits iw_widen_scalar_bits(iw_type type, iw_scalar_bits bits)
{
  switch (type) {
  case IW_U8: case IW_I8: case IW_BOOL: return (iw_scalar_bits){ .u32 = bits.u8 };
  case IW_U16: case IW_I16: return (iw_scalar_bits){ .u32 = bits.u16 };
  case IW_F16: return (iw_scalar_bits){ .f32 = iws_widen_f16(bits.u16) };
  case IW_BF16: return (iw_scalar_bits){ .f32 = iws_widen_bf16(bits.u16) };
  case IW_I32: case IW_U32: case IW_I64: case IW_U64: case IW_F32: case IW_F64: break;
  }
  return bits;
}

iw_scalar_bits iw_narrow_scalar_bits(iw_type type, iw_scalar_bits bits)
{
  switch (type) {
  case IW_U8: case IW_I8: case IW_BOOL: return (iw_scalar_bits){ .u8 = (uint8_t)bits.u32 };
  case IW_U16: case IW_I16: return (iw_scalar_bits){ .u16 = (uint16_t)bits.u32 };
  case IW_F16: return (iw_scalar_bits){ .u16 = iws_narrow_f16(bits.f32) };
  case IW_BF16: return (iw_scalar_bits){ .u16 = iws_narrow_bf16(bits.f32) };
  case IW_I32: case IW_U32: case IW_I64: case IW_U64: case IW_F32: case IW_F64: break;
  }
  return bits;
}
#pragma GCC diagnostic pop

iw_init_value iw_default_init(iw_builtin_op op, iw_type type)
{
  const iw_scalar_bits none = iw_identity_of(op, type);
  iw_init_value value = { none, op == IW_BUILTIN_SUM ? (iw_scalar_bits){ .u64 = 0 } : none, NULL };
  if (type == IW_BOOL && none.u8) /* of MIN and AND; what is combined must not change bytes other than 0 and 1 */
    value.init.u8 = UINT8_MAX;
  return value;
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
  if (iw_type_size(type) < 4) {
    iw_scalar_bits host_init = { .u64 = 0 };
    IW_TRY(context->ops->copy(context, &host_init, init->at, iw_type_size(type)));
    value->init = value->first_out = iw_load_scalar_bits(type, &host_init);
    return IW_OK;
  }
  value->device_ptr = init->at;
  return IW_OK;
}

static const char *const op_names[] = {
#define NAME(op, of, identity) "IW_" #op,
  IW_FOR_OPERATORS(NAME)
#undef NAME
};

iw_status iw_check_operation(iw_builtin_op op, iw_type in_type, iw_type type)
{
  if (in_type == type)
    IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_named_type("type", in_type, IW_ALL_TYPES));
  IW_TRY(iw_check_named_type("options->out_type", type, IW_ALL_TYPES));
  if (fold_of(op, in_type, type))
    return IW_OK;
  if (in_type == type)
    return iw_fail(IW_ERROR_INVALID, "op is %s and type %s: IW_SUM and IW_PRODUCT take all types but bool (which is summed up in "
                   "options->out_type u32 and u64), IW_AND, IW_OR and IW_XOR integers and bool", op_names[op],
                   iw_type_name(type));
  return iw_fail(IW_ERROR_INVALID,
                 "op is %s, type %s and options->out_type %s: if the types differ, valid are sums of u8, u16 and "
                 "bool in u32 and u64, i8 and i16 in i32 and i64, i32 in i64, u32 in u64, f16 and bf16 in f32 and f32 in f64",
                 op_names[op], iw_type_name(in_type), iw_type_name(type));
}

iw_status iw_check_operator_of_scanned_heads(iw_op op, iw_builtin_op *builtin)
{
  if (iw_is_builtin(op, builtin) && *builtin <= IW_BUILTIN_MAX)
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "op is %s%s, but segments by flags and keys are scanned by IW_SUM, IW_MIN and IW_MAX only",
                 iw_is_builtin(op, builtin) ? "" : "operator ", iw_is_builtin(op, builtin) ? op_names[*builtin] : op->name);
}

iw_status iw_check_offsets_array(const iw_segments *segments)
{
  const size_t count = segments->count;
  IW_TRY(iw_check_named_type("segments->offset_type", segments->offset_type, IW_SET_OF(IW_U32) | IW_SET_OF(IW_U64)));
  if (count == SIZE_MAX)
    return iw_fail(IW_ERROR_INVALID, "segments->count is %zu: count + 1 offsets exceed the address space", count);
  return iw_check_array("segments->offsets", segments->offsets, count ? count + 1 : 0, iw_type_size(segments->offset_type));
}

iw_status iw_check_offsets(const iw_segments *segments, size_t n)
{
  const size_t count = segments->count;
  const uint32_t *const narrow = segments->offsets;
  const uint64_t *const wide = segments->offsets;
  size_t k = 0;
#define OFFSET(k) (segments->offset_type == IW_U32 ? narrow[k] : wide[k])
  if (segments->offset_type == IW_U32)
    while (k < count && narrow[k] <= narrow[k + 1])
      k++;
  else
    while (k < count && wide[k] <= wide[k + 1])
      k++;
  if (k < count)
    return iw_fail(IW_ERROR_INVALID, "segments->offsets[%zu] is %" PRIu64 ", which is less than segments->offsets[%zu], which is %" PRIu64,
                   k + 1, (uint64_t)OFFSET(k + 1), k, (uint64_t)OFFSET(k));
  if (OFFSET(count) > n)
    return iw_fail(IW_ERROR_INVALID, "segments->offsets[%zu] is %" PRIu64 ", which is more than n, which is %zu", count,
                   (uint64_t)OFFSET(count), n);
#undef OFFSET
  return IW_OK;
}

iw_status iw_check_operator_kernels(const iw_operator *op, const iw_kernel *const *kernels, unsigned count, size_t args,
                                    const char *calls)
{
  for (unsigned i = 0; i < count; i++) {
    IW_TRY(iw_check_kernel(kernels[i]));
    if (kernels[i]->args != args)
      return iw_fail(IW_ERROR_MISMATCH, "kernel %s of operator %s takes arguments of %zu bytes: this library's %s have %zu",
                     kernels[i]->name, op->name, kernels[i]->args, calls, args);
  }
  return IW_OK;
}

iw_status iw_check_operator(const iw_operator *op)
{
  enum { FIRST_ADDRESS = 4096 }; /* no object has an address below it */
  if ((uintptr_t)op < FIRST_ADDRESS)
    return iw_fail(IW_ERROR_INVALID,
                   "op is the value %zu, which is no operator: valid are %s (1) to %s (%d) and the address "
                   "of an iw_operator",
                   (size_t)(uintptr_t)op, op_names[0], op_names[IW_BUILTIN_OPS - 1], IW_BUILTIN_OPS);
  if (op->size != sizeof *op)
    return iw_fail(IW_ERROR_MISMATCH,
                   "the operator was built with another version of isowarp's headers: it has %zu bytes, "
                   "this library's %zu",
                   op->size, sizeof *op);
  const iw_kernel *const kernels[] = { op->scan, op->reduce };
  return iw_check_operator_kernels(op, kernels, 2, sizeof(iw_scan_args), "scans");
}

iw_status iw_make_scan_spec(iw_op op, iw_type type, int exclusive, const iw_scan_options *options, iw_scan_spec *spec)
{
  iw_builtin_op builtin;
  *spec = (iw_scan_spec){ op, type, type, exclusive, NULL, NULL };
  if (options) {
    IW_TRY(iw_check_struct("options->size", options, "iw_scan_options", sizeof *options));
    spec->init = options->init;
    spec->segments = options->segments;
    if ((int)options->out_type) {
      IW_TRY(iw_check_named_type("options->out_type", options->out_type, IW_ALL_TYPES));
      spec->type = options->out_type;
    }
  }
  if (iw_is_builtin(op, &builtin))
    return IW_OK;
  IW_TRY(iw_check_operator(op));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  if (type != op->in_type)
    return iw_fail(IW_ERROR_INVALID, "type is %s, but operator %s loads elements of %s", iw_type_name(type), op->name,
                   iw_type_name(op->in_type));
  if (options && (int)options->out_type && options->out_type != op->type)
    return iw_fail(IW_ERROR_INVALID, "options->out_type is %s, but operator %s is for %s; valid are this and 0",
                   iw_type_name(options->out_type), op->name, iw_type_name(op->type));
  spec->type = op->type;
  return IW_OK;
}

iw_status iw_check_no_runs(const iw_scan_options *options, const char *what)
{
  if (!options || (!options->run_keys && !options->run_count))
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "options->%s is %p; valid is NULL: %s have no runs", options->run_keys ? "run_keys" : "run_count",
                 options->run_keys ? options->run_keys : (void *)options->run_count, what);
}
