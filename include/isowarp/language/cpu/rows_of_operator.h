/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator: the tree over a row. Included by
 * row_operators.h.
 */
/* left op each element. */
IW_FN ROW OP_FN(row)(SCALAR left, ROW x)
{
  const LANES l = FN(splat)(left);
  EACH_VECTOR(v) EACH(i) x.v[v].r[i] = OP_REGISTERS(l.r[i], x.v[v].r[i]);
  return x;
}

IW_FN REGISTER OP_FN(row_broadcast_last)(LANES a)
{ return IW_WARP_SIZE < VL ? VFN(set1)(FN(last)(a)) : VFN(broadcast_last)(a.r[VECTORS - 1]); }

/* The tree over a row: within each vector, then over the vectors. */
IW_FN ROW OP_FN(row_inclusive_prefix)(ROW x)
{
  EACH_VECTOR(v) IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[v] = OP_FN(level)(x.v[v], b);
  IW_UNROLL for (int d = 1; d < ROW_VECTORS; d *= 2) EACH_VECTOR(v) if (v & d) {
    const REGISTER left = OP_FN(row_broadcast_last)(x.v[(v & ~(2 * d - 1)) + d - 1]);
    EACH(i) x.v[v].r[i] = OP_REGISTERS(left, x.v[v].r[i]);
  }
  return x;
}

/* 1: neither parentheses nor order matter: for integers, and for minima and maxima. The operator of 1 and 1
 * is 1 for these two, and 2 for sums. */
IW_FN int OP_FN(row_is_associative)(void) { return !((SCALAR)0.5 > 0) || OP_SCALARS(1, 1) == 1; }
/* 1: row_scan_halves is for these registers. */
IW_FN int OP_FN(row_has_halves)(void) { return IW_SHUFFLES_HALVES && sizeof(REGISTER) == 32 && sizeof(SCALAR) == 4; }
/* 1: row_scan is faster than the tree on rows (doc/design/scan.md#rows-on-cpus). */
IW_FN int OP_FN(row_scan_is_faster)(void) { return OP_FN(row_is_associative)() || sizeof(SCALAR) == 8 || OP_FN(row_has_halves)(); }

/* What row_scan stores: group op (tile op (left op x)) for each inclusive prefix x of the row, or if
 * `exclusive` these moved up by one with `first` in front. The bits of flip are inverted in elements and
 * outputs. */
typedef struct { SCALAR group, tile, left, first, flip; } OP_FN(row_scan_rule);

/* The inclusive prefixes of a register, from memory. */
IW_FN REGISTER OP_FN(row_scan_load)(const SCALAR *p, REGISTER flip)
{
  REGISTER x = VFN(flip_bits)(VFN(load)(p), flip);
  IW_UNROLL for (int b = 0; 1 << b < VL; b++)
    x = VFN(blend_level)(b, OP_REGISTERS(VFN(left_sibling)(b, x), x), x);
  return x;
}

/* Stores a register of row_scan; one_before: the register in front of it. */
IW_FN void OP_FN(row_scan_store)(SCALAR *out, REGISTER one_before, REGISTER x, REGISTER flip, int exclusive, int stream)
{
  x = VFN(flip_bits)(exclusive ? VFN(shift_in)(one_before, x) : x, flip);
  if (stream) VFN(stream)(out, x);
  else VFN(store)(out, x);
}

/* Where parentheses do not matter: returns left op the fold of the row. */
IW_FN SCALAR OP_FN(row_scan_in_turn)(const SCALAR *p, SCALAR *out, OP_FN(row_scan_rule) rule, int exclusive, int stream)
{
  const SCALAR before = OP_SCALARS(rule.group, OP_SCALARS(rule.tile, rule.left));
  const REGISTER flip = VFN(set1)(rule.flip);
  REGISTER fold = VFN(set1)(rule.left), carry = VFN(set1)(before), one_before = VFN(set1)(rule.first);
  SCALAR e[VL];
  for (int i = 0; i < 128; i += VL) {
    const REGISTER a = OP_FN(row_scan_load)(p + i, flip), last = VFN(broadcast_last)(a), x = OP_REGISTERS(carry, a);
    OP_FN(row_scan_store)(out + i, one_before, x, flip, exclusive, stream);
    one_before = x;
    carry = OP_REGISTERS(carry, last);
    fold = OP_REGISTERS(fold, last);
  }
  VFN(store)(e, fold);
  return e[0];
}

/* By the tree of order 1: at each level, `siblings` has the last element of the left block that was
 * completed last. */
IW_FN SCALAR OP_FN(row_scan_tree)(const SCALAR *p, SCALAR *out, OP_FN(row_scan_rule) rule, int exclusive, int stream)
{
  enum { REGISTERS = 128 / VL };
  const REGISTER left = VFN(set1)(rule.left), tile = VFN(set1)(rule.tile), group = VFN(set1)(rule.group);
  const REGISTER flip = VFN(set1)(rule.flip);
  REGISTER siblings[7], one_before = VFN(set1)(rule.first), x = left;
  SCALAR e[VL];
  IW_UNROLL for (int r = 0; r < REGISTERS; r++) {
    x = OP_FN(row_scan_load)(p + r * VL, flip);
    IW_UNROLL for (int d = 0; 1 << d < REGISTERS; d++) {
      if (r >> d & 1) x = OP_REGISTERS(siblings[d], x);
      else if ((r & ((1 << d) - 1)) == (1 << d) - 1) siblings[d] = VFN(broadcast_last)(x);
    }
    const REGISTER y = OP_REGISTERS(group, OP_REGISTERS(tile, OP_REGISTERS(left, x)));
    OP_FN(row_scan_store)(out + r * VL, one_before, y, flip, exclusive, stream);
    one_before = y;
  }
  VFN(store)(e, x);
  return OP_SCALARS(rule.left, e[VL - 1]);
}

/* The same in two passes over a row of f32: first the levels within the halves of registers, whose lanes take
 * one cycle to shuffle, then those above, which need the last elements of the halves only. These are
 * broadcast by loads, not by shuffles, and no register waits for the one in front of it. */
IW_FN SCALAR OP_FN(row_scan_halves)(const SCALAR *p, SCALAR *out, OP_FN(row_scan_rule) rule, int exclusive, int stream)
{
  enum { HALF = VL / 2, REGISTERS = 128 / VL, TOP = __builtin_ctz(REGISTERS) };
  const REGISTER left = VFN(set1)(rule.left), tile = VFN(set1)(rule.tile), group = VFN(set1)(rule.group);
  const REGISTER flip = VFN(set1)(rule.flip);
  REGISTER one_before = VFN(set1)(rule.first);
  SCALAR x[128], last[TOP + 1][REGISTERS]; /* last[d][k]: of block k of 2^d registers */
  IW_UNROLL for (int r = 0; r < REGISTERS; r++) {
    REGISTER a = VFN(flip_bits)(VFN(load)(p + r * VL), flip);
    IW_UNROLL for (int b = 0; 1 << b < HALF; b++) a = VFN(blend_level)(b, OP_REGISTERS(VFN(left_sibling)(b, a), a), a);
    VFN(store)(x + r * VL, a);
  }
  __asm__ volatile("" : "+m"(x)); /* here and below: or gcc takes lanes from registers, by shuffles */
  IW_UNROLL for (int r = 0; r < REGISTERS; r++) last[0][r] = OP_SCALARS(x[r * VL + HALF - 1], x[r * VL + VL - 1]);
  IW_UNROLL for (int d = 1; d <= TOP; d++)
    IW_UNROLL for (int k = 0; k < REGISTERS >> d; k++) last[d][k] = OP_SCALARS(last[d - 1][2 * k], last[d - 1][2 * k + 1]);
  __asm__ volatile("" : "+m"(last));
  IW_UNROLL for (int r = 0; r < REGISTERS; r++) {
    REGISTER y = VFN(load)(x + r * VL);
    y = VFN(blend_level)(__builtin_ctz(HALF), OP_REGISTERS(VFN(set1)(x[r * VL + HALF - 1]), y), y);
    IW_UNROLL for (int d = 0; d < TOP; d++)
      if (r >> d & 1) y = OP_REGISTERS(VFN(set1)(last[d][(r >> d) - 1]), y);
    y = OP_REGISTERS(group, OP_REGISTERS(tile, OP_REGISTERS(left, y)));
    OP_FN(row_scan_store)(out + r * VL, one_before, y, flip, exclusive, stream);
    one_before = y;
  }
  return OP_SCALARS(rule.left, last[TOP][0]);
}

/* Where parentheses do not matter, a NaN stays in all prefixes behind it. In a sum it may go, since the next
 * element's tree cancels less, but it comes of an infinity or a NaN in a left operand, which the prefixes
 * behind it have, too: the last one is not finite. */
IW_FN SCALAR OP_FN(row_scan_by)(const SCALAR *p, SCALAR *out, OP_FN(row_scan_rule) rule, int exclusive, int stream)
{
  const SCALAR fold = OP_FN(row_is_associative)() ? OP_FN(row_scan_in_turn)(p, out, rule, exclusive, stream)
    : OP_FN(row_has_halves)() ? OP_FN(row_scan_halves)(p, out, rule, exclusive, stream)
    : OP_FN(row_scan_tree)(p, out, rule, exclusive, stream);
  const SCALAR last = OP_SCALARS(rule.group, OP_SCALARS(rule.tile, fold));
  const SCALAR other = OP_FN(row_is_associative)() ? last : last - last + last; /* a NaN unless last is finite */
  if (!IW_PASTE(iws_eq_, T)(last, other)) FN(make_canonical)(out, 128);
  return fold;
}

/* Scans a row of order 1, 128 elements, from p to out, register by register: the tree on rows holds all of
 * them at a time, more than AVX2 has. Returns left op the row's fold. again, stream: see row_reissue and
 * row_store. */
IW_FN SCALAR OP_FN(row_scan)(const SCALAR *p, SCALAR *out, OP_FN(row_scan_rule) rule, int exclusive, int again, int stream)
{
  if (!again) iw_row_prefetch_bytes_(p, 128 * (int)sizeof *p);
  const int past = stream && ((uintptr_t)out & 63) == 0;
  if (exclusive) return OP_FN(row_scan_by)(p, out, rule, 1, past);
  return past ? OP_FN(row_scan_by)(p, out, rule, 0, 1) : OP_FN(row_scan_by)(p, out, rule, 0, 0);
}

/* The first `levels` levels of that tree: it ends at blocks of 2^levels elements. */
IW_FN ROW OP_FN(row_block_prefix)(ROW x, int levels)
{
  IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++)
    if (b < levels) EACH_VECTOR(v) x.v[v] = OP_FN(level)(x.v[v], b);
  IW_UNROLL for (int d = 1, b = IW_LOG_WARP; d < ROW_VECTORS; d *= 2, b++)
    if (b < levels) EACH_VECTOR(v) if (v & d) {
      const REGISTER left = OP_FN(row_broadcast_last)(x.v[(v & ~(2 * d - 1)) + d - 1]);
      EACH(i) x.v[v].r[i] = OP_REGISTERS(left, x.v[v].r[i]);
    }
  return x;
}

/* The last element of that tree alone: neighbours are combined pair by pair, in half as many registers
 * each time. step: see iwv_evens_T. */
IW_FN REGISTER OP_FN(row_combine_pairs)(int step, REGISTER a, REGISTER b)
{ return OP_REGISTERS(VFN(evens)(step, a, b), VFN(odds)(step, a, b)); }
/* Of `registers` registers, a power of two. */
IW_FN SCALAR OP_FN(row_reduce_registers)(REGISTER *a, int registers)
{
  SCALAR e[VL];
  int step = 0;
  if (OP_FN(row_is_associative)()) {
    IW_UNROLL for (int k = registers / 2; k > 0; k /= 2)
      IW_UNROLL for (int i = 0; i < k; i++) a[i] = OP_REGISTERS(a[i], a[k + i]);
  } else {
    IW_UNROLL for (int k = registers / 2; k > 0; k /= 2, step++)
      IW_UNROLL for (int i = 0; i < k; i++) a[i] = OP_FN(row_combine_pairs)(step, a[2 * i], a[2 * i + 1]);
  }
  IW_UNROLL for (int k = VL; k > 1; k /= 2, step++) a[0] = OP_FN(row_combine_pairs)(step, a[0], a[0]);
  VFN(store)(e, a[0]);
  return e[0];
}
IW_FN SCALAR OP_FN(row_reduce)(ROW x)
{
  REGISTER a[ROW_VECTORS * VECTORS];
  if (IW_WARP_SIZE < VL) return FN(row_last)(OP_FN(row_inclusive_prefix)(x));
  EACH_VECTOR(v) EACH(i) a[v * VECTORS + i] = x.v[v].r[i];
  return OP_FN(row_reduce_registers)(a, ROW_VECTORS * VECTORS);
}

/* The tree over the first `valid` elements at p, which are more than half of so many registers, with the
 * bits of flip inverted. The identity that a row has behind these registers changes no bit. */
IW_FN SCALAR OP_FN(row_reduce_some)(const SCALAR *p, int valid, SCALAR flip, int registers)
{
  REGISTER a[ROW_VECTORS * VECTORS];
  const REGISTER bits = VFN(set1)(flip), absent = VFN(set1)(IW_PASTE(IW_PASTE(IW_PASTE(iws_identity_, OP), _), T)());
  IW_UNROLL for (int i = 0; i < registers; i++) {
    const iw_pred some = iw_lanes_below(valid - i / VECTORS * IW_WARP_SIZE);
    if (i * (int)sizeof(REGISTER) % 64 == 0)
      __builtin_prefetch((const char *)p + IW_PREFETCH_DISTANCE + i * (int)sizeof(REGISTER));
    if (i < registers / 2) a[i] = VFN(flip_bits)(VFN(load)(p + i * VL), bits);
    else a[i] = VFN(select)(SOME(some, i % VECTORS), VFN(flip_bits)(VFN(load_masked)(p + i * VL, SOME(some,
        i % VECTORS)), bits), absent);
  }
  return OP_FN(row_reduce_registers)(a, registers);
}

/* The tree over the first `valid` elements at p, which are 1 … a row's, with the bits of flip inverted. */
IW_FN SCALAR OP_FN(row_reduce_first)(const SCALAR *p, int valid, SCALAR flip)
{
#ifdef IWV_HAS_MASKED_LOADS
  enum { ALL = ROW_VECTORS * VECTORS, LEAST = ALL > 16 ? ALL / 16 : 1 };
  if (IW_WARP_SIZE >= VL) {
    if (valid > ALL / 2 * VL) return OP_FN(row_reduce_some)(p, valid, flip, ALL);
    if (ALL >= 4 && valid > ALL / 4 * VL) return OP_FN(row_reduce_some)(p, valid, flip, ALL / 2);
    if (ALL >= 8 && valid > ALL / 8 * VL) return OP_FN(row_reduce_some)(p, valid, flip, ALL / 4);
    if (ALL >= 16 && valid > ALL / 16 * VL) return OP_FN(row_reduce_some)(p, valid, flip, ALL / 8);
    return OP_FN(row_reduce_some)(p, valid, flip, LEAST);
  }
#endif
  const SCALAR absent = SFN(flip_bits)(IW_PASTE(IW_PASTE(IW_PASTE(iws_identity_, OP), _), T)(), flip);
  return OP_FN(row_reduce)(FN(row_flip_bits)(FN(row_wait)(FN(row_issue)(p, valid, absent)), flip));
}
