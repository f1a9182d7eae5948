/* SPDX-License-Identifier: Apache-2.0
 *
 * IW_ISSUE_KEYS(T)(p, valid): iw_row_issue_T of keys as bits, T one of u8 u16 u32 u64. Absent elements of
 * wide rows are 0; those of narrow rows are unspecified.
 */
#ifndef IW_ALGORITHMS_ISSUE_KEYS_H
#define IW_ALGORITHMS_ISSUE_KEYS_H

#define IW_ISSUE_KEYS(T) IW_PASTE(IW_ISSUE_KEYS_, T)
#define IW_ISSUE_KEYS_u8(p, valid) iw_row_issue_u8(p, valid)
#define IW_ISSUE_KEYS_u16(p, valid) iw_row_issue_u16(p, valid)
#define IW_ISSUE_KEYS_u32(p, valid) iw_row_issue_u32(p, valid, 0)
#define IW_ISSUE_KEYS_u64(p, valid) iw_row_issue_u64(p, valid, 0)

#endif
