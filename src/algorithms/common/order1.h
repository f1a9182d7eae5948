/* SPDX-License-Identifier: Apache-2.0
 *
 * Summation order 1 (doc/order1.md), the part that concerns one row: 128 elements, combined by the binary
 * tree. A part of the scan template (scan_kernel.h), which folds rows to tiles, tiles to groups and groups
 * from the left. It knows nothing of tiles, blocks or tickets.
 *
 * Parameters: T, OP          the element type and the operator
 *   ARGS           the type of the kernel's arguments, which has members init and twiddle as of iw_scan_args,
 *                  and for ROW_READ prefetches
 *   FROM           if defined, elements are loaded as this type and converted to T, or by a load transform
 *                  (IW_TRANSFORM)
 *   NARROW         if defined, rows may be stored as elements of type FROM
 *   TWIDDLED       1: the elements in memory differ from those that are combined by the bits of
 *                  args->twiddle (scan/args.h); 0: they are the same
 *   OF_USER        if defined, OP need not commute
 *   HAS_SEGMENTS   1: some elements are heads of segments, and nothing before a head is combined with it or
 *                  with what follows; 0: there are none, and every HEADS below is empty
 *   FN(name)       names what is made here
 * The including template undefines the parameters and the macros that are defined here.
 */
#define ROW_ELEMENTS 128
#ifdef FROM
#define T_FROM IW_JOIN(T, IW_JOIN(from, FROM))
#define ELEMENT IW_PASTE(iws_, FROM)
#else
#define T_FROM T
#define ELEMENT SCALAR
#endif
#define OF_T_FROM(name) IW_JOIN(name, T_FROM) /* iw_row_issue_f64, or iw_row_issue_f64_from_f32 */

/* A row of order 1 is one or two rows of the kernel language, its parts. */
#define PARTS (ROW_ELEMENTS / IW_ROW(T))
#define PART IW_PASTE(iw_row_, T)
#define EACH_PART(p) IW_UNROLL for (int p = 0; p < PARTS; p++)
/* How many elements part p has, and row r of consecutive rows, where `valid` are left from the first one on.
 */
#define PART_VALID(valid, p) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (p) * IW_ROW(T))
#define ROW_VALID(valid, r) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (r) * ROW_ELEMENTS)
static_assert(PARTS >= 1 && PARTS * IW_ROW(T) == ROW_ELEMENTS,
              "a row of order 1 is whole rows of the kernel language");

#define ROW FN(row)         /* 128 elements in registers */
#define HEADS FN(heads)     /* which of them are heads of segments */
#define PENDING FN(pending) /* a row whose load has been issued */
typedef struct { PART part[PARTS]; } ROW;

/* left OP right, or right alone if it contains a head. */
IW_FN SCALAR FN(combine)(SCALAR left, int right_has_head, SCALAR right)
{
  return right_has_head ? right : OF_OP(iws)(left, right);
}

#if HAS_SEGMENTS
typedef struct { IW_JOIN(PART, heads) part[PARTS]; } HEADS;

IW_FN HEADS FN(row_heads)(const uint32_t *head_bits, uint64_t at)
{
  HEADS heads;
  EACH_PART(p) heads.part[p] = OF_T(iw_row_heads)(head_bits, at + p * IW_ROW(T));
  return heads;
}

IW_FN int FN(part_has_head)(HEADS heads, int p) { return OF_T(iw_row_has_head)(heads.part[p]); }

IW_FN PART FN(part_apply_carry)(SCALAR carry, PART x, HEADS heads, int p)
{
  return OF_OP(iw_row_carry_in)(carry, x, heads.part[p]);
}

/* Combines init with the head of each segment, unless it is the identity. */
IW_FN PART FN(part_apply_init)(SCALAR init, PART x, HEADS heads, int p)
{
  return OF_OP(iws_is_identity)(init) ? x : OF_T(iw_row_select)(heads.part[p], OF_OP(iw_row)(init, x), x);
}

IW_FN PART FN(part_tree)(SCALAR init, PART x, HEADS heads, int p)
{
  return OF_OP(iw_row_segmented_prefix)(FN(part_apply_init)(init, x, heads, p), heads.part[p]);
}

IW_FN SCALAR FN(part_aggregate)(SCALAR init, PART x, HEADS heads, int p)
{
  return OF_OP(iw_row_last_segment_reduce)(FN(part_apply_init)(init, x, heads, p), heads.part[p]);
}

IW_FN PART FN(part_set_heads)(SCALAR value, PART x, HEADS heads, int p)
{
  return OF_T(iw_row_select)(heads.part[p], OF_T(iw_row_splat)(value), x);
}
#else
typedef struct { int none; } HEADS;
IW_FN HEADS FN(row_heads)(const uint32_t *head_bits, uint64_t at) { HEADS heads = { 0 }; return heads; }
IW_FN int FN(part_has_head)(HEADS heads, int p) { return 0; }
IW_FN PART FN(part_apply_carry)(SCALAR carry, PART x, HEADS heads, int p) { return OF_OP(iw_row)(carry, x); }
IW_FN PART FN(part_tree)(SCALAR init, PART x, HEADS heads, int p)
{
  return OF_OP(iw_row_inclusive_prefix)(x);
}
IW_FN SCALAR FN(part_aggregate)(SCALAR init, PART x, HEADS heads, int p) { return OF_OP(iw_row_reduce)(x); }
IW_FN PART FN(part_set_heads)(SCALAR value, PART x, HEADS heads, int p) { return x; }
#endif

typedef struct { IW_JOIN(IW_JOIN(iw_row, T_FROM), pending) part[PARTS]; HEADS heads; } PENDING;

#if TWIDDLED
#define TWIDDLE(args, x) OF_T(iws_flip_bits)(x, (args)->twiddle.T)
#define TWIDDLE_PART(args, x) OF_T(iw_row_flip_bits)(x, (args)->twiddle.T)
#else
#define TWIDDLE(args, x) (x)
#define TWIDDLE_PART(args, x) (x)
#endif

/* Issues the load of a row. Elements from `valid` on are the identity. */
IW_FN PENDING FN(row_issue)(const ARGS *args, const ELEMENT *in, int64_t valid, HEADS heads)
{
  PENDING pending;
  EACH_PART(p) pending.part[p] = OF_T_FROM(iw_row_issue)(in + p * IW_ROW(T), PART_VALID(valid, p),
                                                         TWIDDLE(args, OF_OP(iws_identity)()));
  pending.heads = heads;
  return pending;
}

/* Loads a row without prefetching what follows: one that is still in a cache, or by ROW_READ. */
IW_FN PENDING FN(row_reissue)(const ARGS *args, const ELEMENT *in, int64_t valid, HEADS heads)
{
  PENDING pending;
  EACH_PART(p) pending.part[p] = OF_T_FROM(iw_row_reissue)(in + p * IW_ROW(T), PART_VALID(valid, p),
                                                           TWIDDLE(args, OF_OP(iws_identity)()));
  pending.heads = heads;
  return pending;
}

/* Issues the load of a row by a CPU's kernel that does little but read. */
#define ROW_READ(args, in, valid, heads) \
  ((args)->prefetches ? FN(row_issue)(args, in, valid, heads) : FN(row_reissue)(args, in, valid, heads))

IW_FN int FN(row_has_head)(HEADS heads)
{
  int has_head = 0;
  EACH_PART(p) has_head |= FN(part_has_head)(heads, p);
  return has_head;
}

/* carry OP each element before the first head. */
IW_FN ROW FN(row_apply_carry)(SCALAR carry, ROW x, HEADS heads)
{
  EACH_PART(p) {
    x.part[p] = FN(part_apply_carry)(carry, x.part[p], heads, p);
    if (p + 1 < PARTS && FN(part_has_head)(heads, p)) carry = OF_OP(iws_identity)();
  }
  return x;
}

/* The elements of part p, as they are combined. */
IW_FN PART FN(part_wait)(const ARGS *args, PENDING pending, int p)
{
  return TWIDDLE_PART(args, OF_T_FROM(iw_row_wait)(pending.part[p]));
}

/* The inclusive prefixes of a row, by the tree. init is combined with the head of each segment. */
IW_FN ROW FN(row_tree)(const ARGS *args, PENDING pending)
{
  ROW x;
  EACH_PART(p) {
    x.part[p] = FN(part_tree)(args->init.T, FN(part_wait)(args, pending, p), pending.heads, p);
    if (p) x.part[p] = FN(part_apply_carry)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p], pending.heads, p);
  }
  return x;
}

IW_FN SCALAR FN(row_last)(ROW x) { return OF_T(iw_row_last)(x.part[PARTS - 1]); }

/* row_last of row_tree, without the other prefixes (doc/design/scan.md#row-aggregates). */
IW_FN SCALAR FN(row_aggregate)(const ARGS *args, PENDING pending)
{
  const SCALAR init = args->init.T;
  SCALAR aggregate = FN(part_aggregate)(init, FN(part_wait)(args, pending, 0), pending.heads, 0);
  IW_UNROLL for (int p = 1; p < PARTS; p++) {
    const SCALAR next = FN(part_aggregate)(init, FN(part_wait)(args, pending, p), pending.heads, p);
    aggregate = FN(combine)(aggregate, FN(part_has_head)(pending.heads, p), next);
  }
  return aggregate;
}

/* ---- Trees over the lanes, of several vectors at a time ---- */

/* own OP others, or in lanes of `upper` others OP own. Built-in operators commute, so their operands are
 * not swapped. */
IW_FN LANES FN(combine_lanes)(iw_pred upper, LANES own, LANES others)
{
#ifdef OF_USER
  return OF_OP(iw)(OF_T(iw_select)(upper, others, own), OF_T(iw_select)(upper, own, others));
#else
  return OF_OP(iw)(own, others);
#endif
}

/* One level of the trees, over lanes that differ in `bit`: halves the number of vectors to `half`, or
 * combines the lanes of a single one if half is 0. After it lanes whose bit is 0 have the sums of the first
 * of two vectors, the others those of the second. */
IW_FN void FN(reduce_level)(LANES *x, int half, unsigned bit)
{
  const iw_pred upper = iw_ne_u32(iw_and_u32(iw_lane(), iw_splat_u32(bit)), iw_splat_u32(0));
  if (half == 0) x[0] = FN(combine_lanes)(upper, x[0], OF_T(iw_shuffle_xor)(x[0], bit, 32));
  IW_UNROLL for (int i = 0; i < half; i++) {
    const LANES own = OF_T(iw_select)(upper, x[2 * i + 1], x[2 * i]);
    const LANES others = OF_T(iw_select)(upper, x[2 * i], x[2 * i + 1]);
    x[i] = FN(combine_lanes)(upper, own, OF_T(iw_shuffle_xor)(others, bit, 32));
  }
}

/* Lane l: the tree over the lanes of vector l % count. 32 vectors take 31 shuffles, not 160. count: a power
 * of two of at most 32. */
IW_FN LANES FN(reduce_vectors)(LANES *x, const int count)
{
  FN(reduce_level)(x, count / 2, 1); /* with a loop nvcc has x in local memory */
  FN(reduce_level)(x, count / 4, 2);
  FN(reduce_level)(x, count / 8, 4);
  FN(reduce_level)(x, count / 16, 8);
  FN(reduce_level)(x, count / 32, 16);
  return x[0];
}

IW_FN void FN(row_store_shared)(SCALAR *shared, ROW x)
{
  EACH_PART(p) OF_T(iw_row_store_shared)(shared + p * IW_ROW(T), x.part[p]);
}

IW_FN ROW FN(row_load_shared)(const SCALAR *shared)
{
  ROW x;
  EACH_PART(p) x.part[p] = OF_T(iw_row_load_shared)(shared + p * IW_ROW(T));
  return x;
}

/* The row moved up by one element, with `first` in front. */
IW_FN ROW FN(row_shift)(ROW x, SCALAR first)
{
  EACH_PART(p) {
    const SCALAR last = OF_T(iw_row_last)(x.part[p]);
    x.part[p] = OF_T(iw_row_shift)(x.part[p], first);
    first = last;
  }
  return x;
}

/* Replaces the heads of segments by `value`. */
IW_FN ROW FN(row_set_heads)(SCALAR value, ROW x, HEADS heads)
{
  EACH_PART(p) x.part[p] = FN(part_set_heads)(value, x.part[p], heads, p);
  return x;
}

#ifdef NARROW
/* The same as row_store, with elements rounded to FROM, or with their low bits. */
IW_FN void FN(row_store_narrow)(const ARGS *args, ELEMENT *out, ROW x, int64_t valid, int stream)
{
  EACH_PART(p) IW_JOIN(iw_row_store, IW_JOIN(FROM, IW_JOIN(from, T)))(out + p * IW_ROW(T), TWIDDLE_PART(args, x.part[p]),
                                                                      PART_VALID(valid, p), stream);
}
#endif

/* Stores the first `valid` elements, past the caches if `stream`. */
IW_FN void FN(row_store)(const ARGS *args, SCALAR *out, ROW x, int64_t valid, int stream)
{
  EACH_PART(p) OF_T(iw_row_store)(out + p * IW_ROW(T), TWIDDLE_PART(args, x.part[p]), PART_VALID(valid, p),
                                  stream);
}
