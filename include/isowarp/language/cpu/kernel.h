/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel definitions on the CPU: IW_KERNEL_SIZED, which kernel.h's IW_KERNEL uses, and the descriptor that
 * the library launches. The last part of cpu.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_KERNEL_H
#define ISOWARP_LANGUAGE_CPU_KERNEL_H

#ifndef IW_KERNEL_PREFIX
#define IW_KERNEL_PREFIX
#endif
#ifndef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX
#endif
#define IW_KERNEL_NAME(name) IW_PASTE(IW_PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)
#define IW_UNUSED __attribute__((unused))

/* A build for one instruction set names it. The user's CFLAGS may choose wider registers than it has; none
 * but the generic set may have the generic ones. */
#ifdef IW_ISA_NAME
IW_STATIC_ASSERT(!__builtin_strcmp(IW_ISA_NAME, "generic") == !__builtin_strcmp(IW_LANES_ISA, "generic"),
                 "cpu.h has no registers for this instruction set, or they have another one's name");
#endif

/* If the block size is known, the kernel's body is compiled a second time for blocks of that size that
 * run on one thread: its loops over warps then have constant bounds, and warp variables stay in
 * registers. IW_KERNEL_NO_SPECIALIZATION leaves that out, for kernels that gain nothing from it. */
#define IW_KERNEL_SIZED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, threads_, IW_FN)
#define IW_KERNEL_NO_SPECIALIZATION(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, 0, static)
#define IW_KERNEL_OVERLAPPED IW_KERNEL_NO_SPECIALIZATION
IW_FN void iw_wait_for_previous_launch(void) {} /* launches do not overlap */
IW_FN void iw_begin_next_launch(void) {}
#define IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, whole_, body_fn_) \
  IW_KERNEL_BODY_(name, shared_type, args_type, body_fn_); \
  IW_KERNEL_RUN_(name, shared_type, args_type, threads_, whole_) \
  IW_KERNEL_DESCRIPTOR_(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_BODY_(name, shared_type, args_type, body_fn_)
#define IW_KERNEL_BODY_(name, shared_type, args_type, body_fn_) \
  body_fn_ void name##_body_(IW_UNUSED iw_block *block, IW_UNUSED shared_type *shared, \
                             IW_UNUSED const args_type *args)
#define IW_KERNEL_RUN_(name, shared_type, args_type, threads_, whole_) \
  static void name##_run_(iw_block *block, void *shared, const void *args) { \
    if ((whole_) && !block->is_team) { \
      iw_block whole = iw_whole_block_(block, threads_); \
      name##_body_(&whole, (shared_type *)shared, (const args_type *)args); \
    } else name##_body_(block, (shared_type *)shared, (const args_type *)args); }
#define IW_KERNEL_DESCRIPTOR_(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_EXTERN_CONST iw_kernel IW_KERNEL_NAME(name); \
  const iw_kernel IW_KERNEL_NAME(name) = { sizeof(iw_kernel), #name, IW_LANES_ISA, IW_WARP_SIZE, threads_, \
      blocks_per_processor_, \
    sizeof(shared_type), sizeof(args_type), name##_run_, iw_contracted_, 0, 0 };

/* A copy of a block of a known size that one thread runs, made anew so that the compiler knows its
 * members. */
IW_FN iw_block iw_whole_block_(const iw_block *block, unsigned threads)
{
  iw_block whole = { block->index, block->blocks, threads, (threads + IW_WARP_SIZE - 1) / IW_WARP_SIZE, 0,
      1, 0, 0,
                     block->memory, block->barrier, block->team };
  return whole;
}

#endif
