/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of one type T, whose scalar is S; for floats U is the integer of its size. Included once for
 * each type.
 */
#define L LANGUAGE_PASTE(iw, T)
#define A ((const S *)args->a)
#define B ((const S *)args->b)

/* Lane by lane: what all types have. */
#define COMPARED(p, bit) iw_select(p, SPLAT_U32(bit), SPLAT_U32(0))
IW_KERNEL(OF(numbers), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some), b = iw_load(B + at, some);
    PUT(S, 0, iw_add(a, b));
    PUT(S, 1, iw_sub(a, b));
    PUT(S, 2, iw_mul(a, b));
    PUT(S, 3, iw_div(a, b));
    PUT(S, 4, iw_min(a, b));
    PUT(S, 5, iw_max(a, b));
    PUT(S, 6, iw_neg(a));
    PUT(S, 7, iw_select(CHOSEN(1), a, b));
    PUT(uint32_t, 8, iw_or(iw_or(iw_or(COMPARED(iw_eq(a, b), 1), COMPARED(iw_ne(a, b), 2)),
                                 iw_or(COMPARED(iw_lt(a, b), 4), COMPARED(iw_le(a, b), 8))),
                           iw_or(COMPARED(iw_gt(a, b), 16), COMPARED(iw_ge(a, b), 32))));
    PUT(S, 9, iw_splat(iw_get(A)));
  }
}

IW_KERNEL(OF(convert), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some);
    PUT(float, 0, iw_to_f32(a));
    PUT(double, 1, iw_to_f64(a));
    PUT(int32_t, 2, iw_to_i32(a));
    PUT(uint32_t, 3, iw_to_u32(a));
    PUT(int64_t, 4, iw_to_i64(a));
    PUT(uint64_t, 5, iw_to_u64(a));
  }
}

/* Operands that are scalars; index is a permutation of 0 … n-1. */
IW_KERNEL(OF(scalars), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some);
    const iw_pred p = CHOSEN(1);
    const S s = iw_get(B);
    PUT(S, 0, iw_add(a, -3));
    PUT(S, 1, iw_sub(a, 3));
    PUT(S, 2, iw_mul(a, 3u));
    PUT(S, 3, iw_div(a, (short)3));
    PUT(S, 4, iw_min(a, s));
    PUT(S, 5, iw_max(a, s));
    PUT(S, 6, iw_select(p, a, 7ull));
    PUT(uint32_t, 7, iw_or(iw_or(iw_or(COMPARED(iw_eq(a, s), 1), COMPARED(iw_ne(a, s), 2)),
                                 iw_or(COMPARED(iw_lt(a, s), 4), COMPARED(iw_le(a, s), 8))),
                           iw_or(COMPARED(iw_gt(a, s), 16), COMPARED(iw_ge(a, s), 32))));
    iw_store(COLUMN(S, 8) + at, 5, p);
    iw_scatter(COLUMN(S, 9), iw_load(args->index + at, some), 9, p);
    iw_scatter_far(COLUMN(S, 10), iw_to_u64(iw_load(args->index + at, some)), s, p);
#ifndef IS_FLOAT
    PUT(S, 11, iw_rem(a, 7));
    PUT(S, 12, iw_and(a, 0x55));
    PUT(S, 13, iw_or(a, s));
    PUT(S, 14, iw_xor(a, -1));
    PUT(S, 15, iw_shl(a, 3));
    PUT(S, 16, iw_shr(a, 3u));
#endif
  }
}

/* What one warp posts, or has written to shared memory, and what stands in global memory, for the whole
 * block. */
typedef struct { S value; } OF(uniform_shared);
IW_KERNEL(OF(uniform), OF(uniform_shared), language_args)
{
  IW_VAR(L, x);
  S posted[3];
  const S first = iw_block_get(B);
  IW_PHASE(warp) {
    HERE;
    IW_MY(x) = iw_load(A + at, some);
  }
  for (uint32_t round = 0; round < 3; round++) { /* one directly after the other, by different warps */
    IW_PHASE(warp) {
      if (warp == (args->thread + round) % block->warps)
        LANGUAGE_PASTE(iw_post, T)(iw_at(IW_MY(x), round));
    }
    posted[round] = LANGUAGE_PASTE(iw_posted, T)();
  }
  IW_PHASE(warp) {
    if (warp == args->thread % block->warps)
      iw_set(&shared->value, iw_last(IW_MY(x)));
  }
  const S written = iw_block_get(&shared->value), second = iw_block_get(B + 1);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, second); /* what was read before this phase stays what it was */
    HERE;
    PUT(S, 0, iw_splat(first));
    PUT(S, 1, iw_splat(posted[0]));
    PUT(S, 2, iw_splat(posted[1]));
    PUT(S, 3, iw_splat(posted[2]));
    PUT(S, 4, iw_splat(written));
    PUT(S, 5, iw_splat(second));
  }
}

/* index is a permutation of 0 … n-1. */
IW_KERNEL(OF(memory), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const iw_pred p = CHOSEN(1);
    const iw_u32 i = iw_load(args->index + at, some);
    const L a = iw_load(A + at, some);
    iw_store(COLUMN(S, 0) + at, iw_load(A + at, p), p);
    PUT(S, 1, iw_load(A + at, p));
    PUT(S, 2, iw_gather(A, i, p));
    PUT(S, 3, iw_gather_far(A, iw_to_u64(i), p));
    iw_scatter(COLUMN(S, 4), i, a, p);
    iw_scatter_far(COLUMN(S, 5), iw_to_u64(i), a, p);
    iw_set(COLUMN(S, 6) + WARP_OF_GRID, iw_get(A + WARP_OF_GRID % args->n));
    PUT(S, 7, a);
  }
}

/* Indexes above 2^32. */
IW_KERNEL(OF(far), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const iw_u64 i = iw_add(iw_to_u64(iw_load(args->index + at, some)), iw_splat((uint64_t)1 << 32));
    PUT(S, 0, iw_gather_far((const S *)args->scratch, i, some));
    iw_scatter_far((S *)args->scratch, iw_add(i, iw_splat((uint64_t)args->n)), iw_load(A + at, some), some);
  }
}

/* thread is a lane; lanes without an element have 0. */
IW_KERNEL(OF(warp), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some);
    PUT(S, 0, iw_splat(iw_at(a, args->thread)));
    PUT(S, 1, iw_splat(iw_last(a)));
    PUT(S, 2, iw_broadcast(a, args->thread));
    PUT(S, 3, iw_shift(a, iw_get(B)));
    PUT(S, 4, iw_splat(iw_warp_sum(a)));
    PUT(S, 5, iw_splat(iw_warp_min(a)));
    PUT(S, 6, iw_splat(iw_warp_max(a)));
    PUT(S, 7, iw_inclusive_prefix_sum(a));
    PUT(S, 8, iw_inclusive_prefix_min(a));
    PUT(S, 9, iw_inclusive_prefix_max(a));
    PUT(S, 10, iw_exclusive_prefix_sum(a));
    PUT(S, 11, iw_exclusive_prefix_min(a));
    PUT(S, 12, iw_exclusive_prefix_max(a));
    L before;
#define FOLD(c, call) { const S all = iw_fold_##call(iw_get(B), a, &before); PUT(S, c, iw_splat(all)); PUT(S, c + 3, before); }
    FOLD(13, sum) FOLD(14, min) FOLD(15, max)
#undef FOLD
  }
}

IW_KERNEL(OF(shuffle), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some);
    const iw_u32 i = iw_load(args->index + at, some);
    unsigned c = 0;
    for (unsigned width = 1; width <= IW_WARP_SIZE; width *= 2) {
      PUT(S, c++, iw_shuffle(a, i, width));
      for (unsigned d = 0; d < args->delta_count; d++) {
        const uint32_t delta = iw_get(args->deltas + d);
        PUT(S, c++, iw_shuffle_up(a, delta, width));
        PUT(S, c++, iw_shuffle_down(a, delta, width));
        PUT(S, c++, iw_shuffle_xor(a, delta, width));
      }
    }
  }
}

/* Threads that the block does not have hold *b, which must not be seen. */
IW_KERNEL(OF(block), language_nothing, language_args)
{
  IW_VAR(L, a);
  IW_VAR(L, to);
  IW_PHASE(warp) {
    HERE;
    IW_MY(a) = iw_select(iw_active(warp), iw_load(A + at, some), iw_splat(iw_get(B)));
  }
  const S sum = iw_block_sum(a), again = iw_block_sum(a), least = iw_block_min(a), greatest = iw_block_max(a);
  const S one = iw_block_broadcast(a, args->thread % block->threads);
  IW_PHASE(warp) {
    HERE;
    PUT(S, 0, iw_splat(sum));
    PUT(S, 1, iw_splat(again));
    PUT(S, 2, iw_splat(least));
    PUT(S, 3, iw_splat(greatest));
    PUT(S, 4, iw_splat(one));
  }
#define PREFIX(c, call) iw_block_##call(to, a); IW_PHASE(warp) { HERE; PUT(S, c, IW_MY(to)); }
  PREFIX(5, inclusive_prefix_sum) PREFIX(6, inclusive_prefix_min) PREFIX(7, inclusive_prefix_max)
  PREFIX(8, exclusive_prefix_sum) PREFIX(9, exclusive_prefix_min) PREFIX(10, exclusive_prefix_max)
#undef PREFIX
  iw_block_exclusive_prefix_max(a, a); /* in place, one right after the other */
  iw_block_inclusive_prefix_min(a, a);
  iw_block_inclusive_prefix_sum(to, a);
  IW_PHASE(warp) { HERE; PUT(S, 11, IW_MY(a)); PUT(S, 12, IW_MY(to)); }
}

/* Each ticket publishes its element and waits for as many smaller tickets as a warp has lanes. */
IW_KERNEL(OF(chain), language_nothing, language_args)
{
  iw_tickets *const tickets = (iw_tickets *)args->scratch;
  uint32_t k, flag;
  if (args->skew) { /* either way to begin */
    flag = iw_tickets_epoch(tickets) * 4 + args->thread;
    k = iw_ticket_next(tickets);
  } else
    flag = iw_tickets_open(tickets, &k) * 4 + args->thread;
  for (; k < args->n; k = args->skew ? iw_ticket_next(tickets) : iw_ticket_receive()) { /* … and to get another one */
    IW_PHASE(warp) {
      if (warp == 0) {
        const int first = k < IW_WARP_SIZE ? (int)(IW_WARP_SIZE - k) : 0;
        const int64_t base = (int64_t)k - IW_WARP_SIZE;
        unsigned spins = 0;
        L value;
        if (k % 2) LANGUAGE_PASTE(iw_publish_lanes, T)(args->slots, k, 1, flag, iw_splat(iw_get(A + k)));
        else iw_publish(args->slots, k, flag, iw_get(A + k));
        for (;;) {
          const LANGUAGE_PASTE(iw_polled, T) seen = LANGUAGE_PASTE(iw_poll, T)(args->slots, base, first, IW_WARP_SIZE);
          value = seen.value;
          if (iw_all(iw_or_pred(iw_eq(seen.flag, SPLAT_U32(flag)), iw_lanes_below(first))))
            break;
          iw_pause(&spins);
        }
        iw_store(COLUMN(S, 0) + (size_t)k * 64, value, iw_lanes_below(IW_WARP_SIZE));
        iw_set(COLUMN(uint32_t, 1) + k, flag);
        if (!args->skew)
          iw_ticket_post(iw_ticket_request(tickets));
      }
    }
  }
  iw_tickets_close(tickets);
}

/* Each ticket publishes a row by its lanes, all but the last few, and stores what the row before has. */
IW_KERNEL(OF(rows_of_slots), language_nothing, language_args)
{
  iw_tickets *const tickets = (iw_tickets *)args->scratch;
  uint32_t row;
  const uint32_t flag = iw_tickets_open(tickets, &row) * 4 + args->thread;
  const int lanes = IW_WARP_SIZE - (int)args->skew;
  for (; row < args->n; row = iw_ticket_next(tickets)) {
    IW_PHASE(warp) {
      if (warp == block->warps - 1) {
        const int64_t at = (int64_t)row * IW_WARP_SIZE;
        const iw_pred there = iw_lanes_below(lanes);
        LANGUAGE_PASTE(iw_publish_lanes, T)(args->slots, at, lanes, flag, iw_load(A + at, iw_lanes_below(IW_WARP_SIZE)));
        for (unsigned spins = 0; row > 0;) {
          const LANGUAGE_PASTE(iw_polled, T) seen = LANGUAGE_PASTE(iw_poll, T)(args->slots, at - IW_WARP_SIZE, 0, lanes);
          if (iw_all(iw_or_pred(iw_eq(seen.flag, SPLAT_U32(flag)), iw_not_pred(there)))) {
            iw_store(COLUMN(S, 0) + at, seen.value, there);
            break;
          }
          iw_pause(&spins);
        }
      }
    }
  }
  iw_tickets_close(tickets);
}

/* A row a warp; b has what stands for absent elements, and a value to put in front. */
typedef struct { S row[1024 / IW_WARP_SIZE][16 / sizeof(S) * IW_WARP_SIZE]; } OF(rows_shared);
IW_KERNEL(OF(rows), OF(rows_shared), language_args)
{
  IW_PHASE(warp) {
    const size_t w = WARP_OF_GRID, at = w * IW_ROW(T);
    const int64_t left = (int64_t)args->n - (int64_t)at;
    const S absent = iw_get(B), front = iw_get(B + 1);
    typedef LANGUAGE_PASTE(iw_row, T) row;
#define ROW(call) LANGUAGE_PASTE(iw_row_##call, T)
#define PUT_ROW(c, r, valid, stream) ROW(store)(COLUMN(S, c) + at, r, valid, stream)
    const LANGUAGE_PASTE(iw_row, LANGUAGE_PASTE(T, pending)) pending = ROW(issue)(A + at, left, absent);
    const row r = ROW(wait)(pending);
    PUT_ROW(0, r, left, 0);
    PUT_ROW(1, r, left, 1);
    ROW(store_shared)(shared->row[warp], r);
    PUT_ROW(2, ROW(load_shared)(shared->row[warp]), IW_ROW(T), 1);
    PUT_ROW(3, ROW(inclusive_prefix_sum)(r), IW_ROW(T), 0);
    PUT_ROW(4, ROW(inclusive_prefix_min)(r), IW_ROW(T), 0);
    PUT_ROW(5, ROW(inclusive_prefix_max)(r), IW_ROW(T), 0);
    PUT_ROW(6, ROW(sum)(front, r), IW_ROW(T), 0);
    PUT_ROW(7, ROW(min)(front, r), IW_ROW(T), 0);
    PUT_ROW(8, ROW(max)(front, r), IW_ROW(T), 0);
    PUT_ROW(9, ROW(shift)(r, front), IW_ROW(T), 0);
    iw_set(COLUMN(S, 10) + w, ROW(last)(r));
    uint32_t count = 0;
    S greatest = front;
    IW_EACH_VECTOR(T, v) {
      const iw_pred valid = ROW(valid)(v, left);
      count += iw_popcount_of(valid);
      greatest = iw_warp_max(iw_max(iw_splat(greatest), iw_select(valid, ROW(vector)(r, v), iw_splat(front))));
    }
    iw_set(COLUMN(uint32_t, 11) + w, count);
    iw_set(COLUMN(S, 12) + w, greatest);
    iw_set(COLUMN(S, 13) + w, ROW(reduce_sum)(r));
    iw_set(COLUMN(S, 14) + w, ROW(reduce_min)(r));
    iw_set(COLUMN(S, 15) + w, ROW(reduce_max)(r));
    const LANGUAGE_PASTE(iw_row, LANGUAGE_PASTE(T, pending)) again =
      ROW(issue)(A + at, left >= IW_ROW(T) && iw_row_can_vectorize(A + at) ? IW_FULL_ROW : left, absent);
    PUT_ROW(16, ROW(wait)(again), iw_row_can_vectorize(COLUMN(S, 16) + at) ? IW_FULL_ROW : IW_ROW(T), 0);
#undef ROW
#undef PUT_ROW
  }
}

/* A row a warp, its heads the bits of `chosen`; a fold of the warp's lanes, two words of `index` its heads;
 * and bytes of a. */
IW_KERNEL(OF(segments), language_nothing, language_args)
{
  IW_PHASE(warp) {
    const size_t w = WARP_OF_GRID, at = w * IW_ROW(T), lane = w * IW_WARP_SIZE;
    const S front = iw_get(B + 1);
#define ROW(call) LANGUAGE_PASTE(iw_row_##call, T)
#define PUT_ROW(c, r) ROW(store)(COLUMN(S, c) + at, r, IW_ROW(T), 0)
    const LANGUAGE_PASTE(iw_row, T) r = ROW(wait)(ROW(issue)(A + at, (int64_t)args->n - (int64_t)at, iw_get(B)));
    const LANGUAGE_PASTE(iw_row, LANGUAGE_PASTE(T, heads)) h = ROW(heads)(args->chosen, at);
    PUT_ROW(0, ROW(segmented_prefix_sum)(r, h));
    PUT_ROW(1, ROW(segmented_prefix_min)(r, h));
    PUT_ROW(2, ROW(segmented_prefix_max)(r, h));
    PUT_ROW(3, ROW(carry_in_sum)(front, r, h));
    PUT_ROW(4, ROW(carry_in_min)(front, r, h));
    PUT_ROW(5, ROW(carry_in_max)(front, r, h));
    PUT_ROW(6, ROW(select)(h, ROW(splat)(front), r));
    iw_set(COLUMN(uint32_t, 7) + w, (uint32_t)(ROW(has_head)(h) != 0));
    const iw_pred some = iw_lanes_below((int64_t)args->n - (int64_t)lane), all = iw_lanes_below(IW_WARP_SIZE);
    const L a = iw_load(A + lane, some);
    const iw_mask heads = iw_get(args->index + 2 * w) | (iw_mask)iw_get(args->index + 2 * w + 1) << 32;
    L before;
#define FOLD(c, call) { const S total = iw_fold_segments_##call(front, a, heads, &before); \
    iw_set(COLUMN(S, c) + w, total); iw_store(COLUMN(S, c + 3) + lane, before, all); }
    FOLD(8, sum) FOLD(9, min) FOLD(10, max)
    iw_set(COLUMN(uint64_t, 14) + w, (uint64_t)iw_ballot_u8((const uint8_t *)args->a + lane, some));
#undef FOLD
#undef ROW
#undef PUT_ROW
  }
}

#ifdef IS_FLOAT
IW_KERNEL(OF(floats), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some), b = iw_load(B + at, some);
    PUT(S, 0, iw_floor(a));
    PUT(S, 1, iw_abs(a));
    PUT(U, 2, iw_as_bits(a));
    PUT(S, 3, LANGUAGE_PASTE(iw_from_bits, T)(iw_load((const U *)args->a + at, some)));
    PUT(U, 4, iw_load((const U *)args->a + at, some)); /* moved as integers, bits are kept */
    PUT(S, 5, iw_add(iw_mul(a, b), a));                /* two roundings */
    PUT(S, 6, iw_sub(a, iw_mul(a, b)));
    PUT(U, 7, iw_as_bits(iw_neg(a)));
    PUT(uint32_t, 8, iw_to_index(a, 250));
    PUT(uint32_t, 9, iw_to_index(a, INT32_MAX));
    PUT(U, 10, iw_raw_bits(iw_select(iw_eq(a, a), a, iw_splat((S)0))));
  }
}

IW_KERNEL(OF(floor), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    L past;
    PUT(uint32_t, 0, iw_floor_index(iw_load(A + at, some), &past));
    PUT(S, 1, past);
  }
}

/* Numbers of two arrays in 0 … 999 and not near an integer, or not; and even edges, by `index`, which is at
 * most 32. */
IW_KERNEL(OF(guesses), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
#define FLOORS(call) LANGUAGE_PASTE(iw_floors_##call, T)
    const S range = sizeof(S) == 4 ? (S)4194304 : (S)2147483647;
    const iw_u32 k = iw_load(args->index + at, some);
    const L between = iw_splat((S)0.5);
    const L a = iw_select(some, iw_load(A + at, some), between), b = iw_select(some, iw_load(B + at, some), between);
    LANGUAGE_PASTE(iw_floors, T) guesses;
    FLOORS(open)(&guesses);
    const iw_u32 first = FLOORS(add)(&guesses, a), second = FLOORS(add)(&guesses, b);
    const int all = FLOORS(unambiguous)(&guesses, 1000, (S)0.125);
    PUT(uint32_t, 0, SPLAT_U32(all));
    PUT(uint32_t, 1, iw_select(all ? some : iw_lanes_below(0), iw_add(first, iw_shl(second, SPLAT_U32(16))), SPLAT_U32(0)));
    const iw_u32 nearest = LANGUAGE_PASTE(iw_nearest_index, T)(a);
    PUT(uint32_t, 2, iw_select(iw_lt(iw_abs(a), iw_splat(range)), nearest, iw_shr(nearest, SPLAT_U32(22))));
    for (uint32_t few = 0; few < 2; few++) {
      LANGUAGE_PASTE(iw_edges, T) edges;
      LANGUAGE_PASTE(iw_edges_open, T)(&edges, few ? 32 : 4000, 0.1, 0.1 / 3);
      PUT(S, 3 + few, LANGUAGE_PASTE(iw_edges_at, T)(&edges, few ? iw_min(k, SPLAT_U32(31)) : iw_mul(k, SPLAT_U32(125))));
    }
#undef FLOORS
  }
}
#else
IW_KERNEL(OF(integers), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some), b = iw_load(B + at, some);
    PUT(S, 0, iw_rem(a, b));
    PUT(S, 1, iw_and(a, b));
    PUT(S, 2, iw_or(a, b));
    PUT(S, 3, iw_xor(a, b));
    PUT(S, 4, iw_not(a));
    PUT(S, 5, iw_shl(a, b));
    PUT(S, 6, iw_shr(a, b));
  }
}

IW_KERNEL(OF(match), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    PUT(uint64_t, 0, iw_match(iw_load(A + at, some), CHOSEN(1)));
    PUT(uint64_t, 1, iw_match(iw_load(A + at, some), some));
  }
}

/* Operation j of the list works on slots 8j …, which begin as *(b + j): in shared memory, then in global
 * memory. */
typedef struct { S slot[6][LANGUAGE_SLOTS]; } OF(atomics_shared);
IW_KERNEL(OF(atomics), OF(atomics_shared), language_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      for (int j = 0; j < 6; j++)
        for (int i = 0; i < LANGUAGE_SLOTS; i++)
          iw_set(&shared->slot[j][i], iw_get(B + j));
  }
  IW_PHASE(warp) {
    HERE;
    const iw_pred p = CHOSEN(1);
    const iw_u32 i = iw_and(iw_load(args->index + at, some), SPLAT_U32(LANGUAGE_SLOTS - 1));
    const L a = iw_load(A + at, some), one = iw_splat((S)1), empty = iw_splat(iw_get(B + 5));
    S (*const global)[LANGUAGE_SLOTS] = (S (*)[LANGUAGE_SLOTS])args->scratch;
#define OLD(c, call) iw_store(COLUMN(S, c) + at, call, p)
    OLD(0, iw_shared_add(shared->slot[0], i, 1, p));
    OLD(1, iw_shared_add(shared->slot[1], i, a, p));
    OLD(2, iw_shared_min(shared->slot[2], i, a, p));
    OLD(3, iw_shared_max(shared->slot[3], i, a, p));
    OLD(4, iw_shared_exchange(shared->slot[4], i, a, p));
    OLD(5, iw_shared_compare_exchange(shared->slot[5], i, iw_get(B + 5), a, p));
    OLD(6, iw_global_add(global[0], i, one, p));
    OLD(7, iw_global_add(global[1], i, a, p));
    OLD(8, iw_global_min(global[2], i, a, p));
    OLD(9, iw_global_max(global[3], i, a, p));
    OLD(10, iw_global_exchange(global[4], i, a, p));
    OLD(11, iw_global_compare_exchange(global[5], i, empty, a, p));
#undef OLD
  }
  IW_PHASE(warp) {
    if (warp == 0)
      for (int j = 0; j < 6; j++)
        for (int i = 0; i < LANGUAGE_SLOTS; i++)
          iw_set(COLUMN(S, 12) + (block->index * 6 + j) * LANGUAGE_SLOTS + i, iw_get(&shared->slot[j][i]));
  }
}
#endif

#ifdef IS_SIGNED
IW_KERNEL(OF(abs), language_nothing, language_args)
{
  IW_PHASE(warp) { HERE; PUT(S, 0, iw_abs(iw_load(A + at, some))); }
}
#endif

#ifdef IS_COMPACT
IW_KERNEL(OF(bits), language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const L a = iw_load(A + at, some);
    PUT(uint32_t, 0, iw_popcount(a));
    PUT(uint32_t, 1, iw_clz(a));
    PUT(uint32_t, 2, iw_ctz(a));
  }
}

/* Every warp packs into room of its own, 512 elements of scratch, and shows what it packed: the chosen;
 * behind the first 128 the elements by the last bits of their index, 64 for each of four; the chosen again,
 * and behind 384 the others. */
typedef struct { uint32_t of[1024 / 8][4]; } OF(compact_shared);
IW_KERNEL(OF(compact), OF(compact_shared), language_args)
{
  IW_PHASE(warp) {
    HERE;
    const size_t w = WARP_OF_GRID;
    S *const room = (S *)args->scratch + w * 512;
    const uint32_t count = iw_compact(room, iw_load(A + at, some), CHOSEN(1));
    iw_store(COLUMN(S, 0) + w * 64, iw_load(room, iw_lanes_below(count)), iw_lanes_below(count));
    iw_set(COLUMN(uint32_t, 1) + w, count);
    for (uint32_t i = 0; i < 4; i++)
      iw_set(shared->of[warp] + i, 64 * i);
    for (int part = 1; part <= 2; part++) { /* those that are chosen, then those that are not */
      const iw_u32 i = iw_and(iw_load(args->index + at, some), SPLAT_U32(3));
      const iw_pred p = part == 1 ? CHOSEN(1) : iw_and_pred(some, iw_not_pred(CHOSEN(1)));
      iw_append(room + 128, shared->of[warp], i, iw_load(A + at, some), p);
    }
    for (uint32_t i = 0; i < 256; i += IW_WARP_SIZE)
      iw_store(COLUMN(S, 2) + w * 256 + i, iw_load(room + 128 + i, iw_lanes_below(64)), iw_lanes_below(64));
    const uint32_t chosen = iw_compact_both(room, room + 384, iw_load(A + at, some), CHOSEN(1), some);
    const uint32_t others = iw_popcount_of(some) - chosen;
    iw_store(COLUMN(S, 3) + w * 64, iw_load(room, iw_lanes_below(chosen)), iw_lanes_below(chosen));
    iw_store(COLUMN(S, 3) + w * 64 + chosen, iw_load(room + 384, iw_lanes_below(others)), iw_lanes_below(others));
    iw_set(COLUMN(uint32_t, 4) + w, chosen);
  }
}
#endif

#undef L
#undef A
#undef B
#undef COMPARED
#undef T
#undef S
#undef U
#undef IS_FLOAT
#undef IS_SIGNED
#undef IS_COMPACT
