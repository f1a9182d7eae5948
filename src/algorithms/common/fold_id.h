/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of operations.h: the enumerator of a fold, for kernel_ids.h.
 */
IW_PASTE_IDS(IW_FOLD_, FOLD_NAME),
