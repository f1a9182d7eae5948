/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8 or u16: loading rows whose vectors are u32 lanes. Included by rows.h.
 */
IW_FN ROW_TYPE(pending) FN(row_issue)(IW_AT_PARAMETERS_, const SCALAR *p, int64_t valid)
{ return IW_PASTE(FN(row_load), _)(IW_AT_, p, valid, 0); }
