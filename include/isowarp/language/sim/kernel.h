/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: IW_KERNEL makes a function that runs one warp, and the descriptor by
 * which a context launches it. Mirrors language/cuda/kernel.h. The last part of sim.h.
 */
#ifndef ISOWARP_LANGUAGE_SIM_KERNEL_H
#define ISOWARP_LANGUAGE_SIM_KERNEL_H

#ifndef IW_KERNEL_PREFIX
#define IW_KERNEL_PREFIX
#endif
#ifndef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX
#endif
#define IW_KERNEL_NAME(name) IW_PASTE(IW_PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)
#define IW_UNUSED __attribute__((unused))

/* The tables (IW_TABLE) of this object's library or program: names that the linker makes, of Mach-O or of
 * ELF. */
#ifndef __ELF__
extern const char __start_iw_tables[] __asm__("section$start$__DATA$iw_tables");
extern const char __stop_iw_tables[] __asm__("section$end$__DATA$iw_tables");
#else
extern const char __start_iw_tables[] __attribute__((weak, visibility("hidden")));
extern const char __stop_iw_tables[] __attribute__((weak, visibility("hidden")));
#endif

/* The typedef leads `isowarp run` to the argument struct. */
#define IW_KERNEL_NO_SPECIALIZATION IW_KERNEL_SIZED
#define IW_KERNEL_OVERLAPPED IW_KERNEL_SIZED
IW_FN void iw_wait_for_previous_launch(void) {} /* launches do not overlap */
IW_FN void iw_begin_next_launch(void) {}
#define IW_KERNEL_SIZED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_)
#define IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_) \
  typedef args_type iw_args_of_##name; \
  static void name##_body_(IW_UNUSED iw_block *block, IW_UNUSED shared_type *shared, IW_UNUSED const args_type *args); \
  static void name##_run_(iw_block *block, void *shared, const void *args) \
  { iw_sim_tables(__start_iw_tables, __stop_iw_tables); \
    name##_body_(block, (shared_type *)shared, (const args_type *)args); } \
  IW_EXTERN_CONST iw_kernel IW_KERNEL_NAME(name); \
  const iw_kernel IW_KERNEL_NAME(name) = { sizeof(iw_kernel), #name, IW_LANES_ISA, IW_WARP_SIZE, threads_, \
    blocks_per_processor_, sizeof(shared_type), sizeof(args_type), 0, iw_contracted_, 0, name##_run_ }; \
  static void name##_body_(IW_UNUSED iw_block *block, IW_UNUSED shared_type *shared, IW_UNUSED const args_type *args)

#endif
