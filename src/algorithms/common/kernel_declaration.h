/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of operations.h: declares the kernel of FAMILY for a fold, for kernel_table.c.
 */
#ifdef DEVICE_KERNELS
DECLARE_DEVICE(KERNEL_OF(FAMILY, FOLD_NAME))
#else
DECLARE(KERNEL_OF(FAMILY, FOLD_NAME))
#endif
