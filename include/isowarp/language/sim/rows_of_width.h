/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types or one of 1 or 2 bytes: rows, their vectors, and loading them.
 * IW_WIDEN_(e): an element as that of a lane. Included by rows.h.
 */
/* Elements in the order of memory. undefined[v]: the lanes whose element v is undefined. */
typedef struct { SCALAR e[ROW_LENGTH]; uint64_t undefined[ROW_VECTORS]; uint32_t owner; } ROW;
typedef ROW ROW_TYPE(pending);

IW_FN ROW IW_PASTE(FN(row_load), _)(IW_AT_PARAMETERS_, const SCALAR *p, int64_t valid, SCALAR absent)
{
  ROW x;
  x.owner = iw_self_();
  if (iw_row_is_whole_(p, ROW_LENGTH, valid)) iw_row_load_parts_(IW_AT_, x.e, p, 16, sizeof *p, ROW_VECTORS, x.undefined);
  else {
    for (int i = 0; i < ROW_LENGTH; i++) x.e[i] = absent;
    iw_row_load_elements_(IW_AT_, x.e, p, sizeof *p, ROW_VECTORS, valid, x.undefined);
  }
  return x;
}
IW_FN ROW FN(row_wait)(ROW_TYPE(pending) pending) { return pending; }

IW_FN LANES FN(row_vector)(ROW x, int v)
{
  LANES a;
  IW_EACH_LANE_(l) a.e[l] = IW_WIDEN_(x.e[l * (unsigned)ROW_VECTORS + (unsigned)v]);
  a.undefined = x.undefined[v];
  a.owner = x.owner;
  return a;
}
IW_FN iw_pred FN(row_valid)(int v, int64_t valid) { return iw_row_valid_(ROW_VECTORS, v, valid); }

IW_FN uint64_t IW_PASTE(FN(row_undefined), _)(const ROW *x)
{ uint64_t any = 0; EACH_VECTOR(v) any |= x->undefined[v]; return any; }
/* Whether element i is undefined. */
IW_FN int IW_PASTE(FN(row_undefined_at), _)(const ROW *x, int i)
{ return (int)(x->undefined[i % ROW_VECTORS] >> i / ROW_VECTORS & 1); }
