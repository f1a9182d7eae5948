/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of operations.h: the entry of the kernel of FAMILY for a fold, for kernel_table.c.
 */
[PASTE(IW_K_, FAMILY) + PASTE(IW_FOLD_, FOLD_NAME)] = &NAME(KERNEL_OF(FAMILY, FOLD_NAME)),
