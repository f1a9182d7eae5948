/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of operations.h: FOLD(name) for each fold, for lists.
 */
FOLD(FOLD_NAME)
