/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of families.h: the ids of a family, one for each fold, for kernel_ids.h.
 */
IW_PASTE_IDS(IW_K_, FAMILY), IW_PASTE_IDS(IW_LAST_K_, FAMILY) = IW_PASTE_IDS(IW_K_, FAMILY) + IW_FOLDS - 1,
#undef FAMILY
#undef FOLD_SETS
