/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on the host side: identities, initial values and checks of operators (operation.h).
 */
#include "algorithms/scan/operation.h"
#include "algorithms/common/half.h"
#include "runtime/launch.h"
#include "runtime/type_facts.h"

#include <inttypes.h>
#include <string.h>

/* Whose rows of IW_FOR_OPERATIONS an operator has. */
static const iw_builtin_op stands[IW_BUILTIN_OPS] = {
#define STANDS(op, of, identity) [IW_BUILTIN_##op] = IW_BUILTIN_##of,
  IW_FOR_SERVED_OPERATORS(STANDS)
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

/* The bits that kernels twiddle, so that those of the minimum of i32, i64, f32 and f64 give all minima and
 * maxima, and those of the bitwise OR the AND. */
static iw_scalar_bits twiddle_of(iw_builtin_op op, iw_type type)
{
  if (stands[op] != IW_BUILTIN_MIN)
    return (iw_scalar_bits){ .u64 = op == IW_BUILTIN_AND ? UINT64_MAX : 0 };
  const iw_type_facts facts = iw_facts_of(type);
  const uint64_t sign = iw_sign_bit(type), all = facts.bits == 64 ? UINT64_MAX : UINT32_MAX;
  const int is_max = op == IW_BUILTIN_MAX, is_narrow = facts.bits < 32;
  if (facts.is_float) /* the lanes of narrow floats are f32 */
    return (iw_scalar_bits){ .u64 = !is_max ? 0 : is_narrow ? 0x80000000u : sign };
  /* What is narrow is loaded as unsigned integers, and compared as i32. */
  return (iw_scalar_bits){ .u64 = (facts.is_signed == is_narrow ? sign : 0) ^ (is_max ? all : 0) };
}

iw_operation iw_operation_of(iw_builtin_op op, iw_type in_type, iw_type type)
{
  const iw_type wide = iw_type_size(type) >= 4 ? type : iw_facts_of(type).is_float ? IW_F32
    : stands[op] == IW_BUILTIN_MIN ? IW_I32 : IW_U32;
  return (iw_operation){
    op, in_type, type, wide, fold_of(op, in_type, type), fold_of(op, wide, wide), twiddle_of(op, type),
  };
}

/* The identities of IW_FOR_SERVED_OPERATORS. NEGATIVE_ZERO: of integers 0. */
typedef enum identity { ZERO, NEGATIVE_ZERO, ONE, ALL_BITS, GREATEST, LEAST } identity;
static const identity identities[IW_BUILTIN_OPS] = {
#define IDENTITY(op, of, identity) [IW_BUILTIN_##op] = identity,
  IW_FOR_SERVED_OPERATORS(IDENTITY)
#undef IDENTITY
};

iw_scalar_bits iw_identity_of(iw_builtin_op op, iw_type type)
{
  const identity kind = identities[op];
  const iw_type_facts facts = iw_facts_of(type);
  const uint64_t sign = iw_sign_bit(type);
  uint64_t bits = 0;
  switch (kind) {
  case ZERO: break;
  case NEGATIVE_ZERO: bits = facts.is_float ? sign : 0; break;
  case ONE: bits = facts.is_float ? facts.of.one : 1; break;
  case ALL_BITS: bits = type == IW_BOOL ? 1 : UINT64_MAX; break;
  case GREATEST: bits = facts.is_float ? facts.of.infinity : type == IW_BOOL ? 1 : facts.is_signed ? sign - 1 : 2 * sign - 1; break;
  case LEAST: bits = facts.is_float ? sign | facts.of.infinity : facts.is_signed ? sign : 0; break;
  }
  return (iw_scalar_bits){ .u64 = bits };
}

iw_scalar_bits iw_load_scalar_bits(iw_type type, const void *element)
{
  iw_scalar_bits bits = { .u64 = 0 };
  memcpy(&bits, element, iw_type_size(type));
  const iw_type_facts facts = iw_facts_of(type);
  if (facts.is_float && (bits.u64 & (iw_sign_bit(type) - 1)) > facts.of.infinity)
    bits.u64 = facts.of.nan;
  return bits;
}

iw_scalar_bits iw_widen_scalar_bits(iw_type type, iw_scalar_bits bits)
{
  const iw_type_facts facts = iw_facts_of(type);
  if (facts.bits >= 32)
    return bits;
  return facts.is_float ? (iw_scalar_bits){ .f32 = (float)iw_half_value(type, bits.u16) }
    : (iw_scalar_bits){ .u32 = bits.u32 & (uint32_t)(2 * iw_sign_bit(type) - 1) };
}

iw_scalar_bits iw_narrow_scalar_bits(iw_type type, iw_scalar_bits bits)
{
  const iw_type_facts facts = iw_facts_of(type);
  if (facts.bits >= 32)
    return bits;
  return facts.is_float ? (iw_scalar_bits){ .u16 = iw_half_of_f32(type, bits.f32) }
    : (iw_scalar_bits){ .u32 = bits.u32 & (uint32_t)(2 * iw_sign_bit(type) - 1) };
}
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
#define NAME(op, name, takes, result) "IW_" #op,
  IW_BUILTIN_OPERATORS(NAME)
#undef NAME
};

iw_status iw_check_operation(iw_builtin_op op, iw_type in_type, iw_type type)
{
  if (iw_is_one_of(in_type, IW_SCANNED_TYPES) && iw_is_one_of(type, IW_SCANNED_TYPES) && fold_of(op, in_type, type))
    return IW_OK;
  IW_TRY(iw_check_named_type("type", in_type, IW_SCANNED_TYPES));
  IW_TRY(iw_check_named_type("options->out_type", type, IW_SCANNED_TYPES));
  if (in_type == type)
    return iw_fail(IW_ERROR_INVALID, "op is %s and type %s: IW_SUM and IW_PRODUCT take all types but bool (which is summed up in "
                   "options->out_type u32 and u64), bitwise operators integers and bool", op_names[op],
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

iw_status iw_complete_scan_spec(const iw_scan_options *options, iw_scan_spec *spec)
{
  const iw_op op = spec->op;
  const iw_type type = spec->in_type;
  iw_builtin_op builtin;
  if (options) {
    IW_TRY(iw_check_struct("options->size", options, "iw_scan_options", sizeof *options));
    spec->init = options->init;
    spec->segments = options->segments;
    if ((int)options->out_type) {
      IW_TRY(iw_check_named_type("options->out_type", options->out_type, IW_SCANNED_TYPES));
      spec->type = options->out_type;
    }
  }
  if (iw_is_builtin(op, &builtin))
    return IW_OK;
  IW_TRY(iw_check_operator(op));
  IW_TRY(iw_check_type(type, IW_SCANNED_TYPES));
  if (type != op->in_type)
    return iw_fail(IW_ERROR_INVALID, "type is %s, but operator %s loads elements of %s", iw_type_name(type), op->name,
                   iw_type_name(op->in_type));
  if (options && (int)options->out_type && options->out_type != op->type)
    return iw_fail(IW_ERROR_INVALID, "options->out_type is %s, but operator %s is for %s; valid are this and 0",
                   iw_type_name(options->out_type), op->name, iw_type_name(op->type));
  spec->type = op->type;
  return IW_OK;
}

iw_status iw_fail_runs(const iw_scan_options *options, const char *what)
{
  return iw_fail(IW_ERROR_INVALID, "options->%s is %p; valid is NULL: %s have no runs", options->run_keys ? "run_keys" : "run_count",
                 options->run_keys ? options->run_keys : (void *)options->run_count, what);
}
