/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs in plain C of kernels, for tests/scripts/plain_c.sh: -DFIXED compiles the twin of each kernel. The
 * line with the mistake has the comment "BUG kind"; kernels without one are right and look suspicious. Blocks
 * have 64 threads.
 */
#include <isowarp/kernel.h>

#ifdef FIXED
#define BUG(wrong, right) right
#else
#define BUG(wrong, right) wrong
#endif

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } plain_args;
typedef struct { uint32_t tile[64], total; uint8_t flags[8]; uint32_t behind; } plain_shared;
typedef struct { uint32_t x, y, z; } triple;

/* In front of each kernel's own code: out is in. */
#define COPY() \
  const size_t first = block->index * block->threads + warp * IW_WARP_SIZE; \
  iw_store(args->out + first, iw_load(args->in + first, iw_active(warp)), iw_active(warp))

IW_KERNEL(past_the_end, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (first + IW_WARP_SIZE == args->n)
      args->out[BUG(args->n, args->n - 1)] = 0; // BUG bounds
  }
}

IW_KERNEL(in_front, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (args->in[(ptrdiff_t)warp - BUG(1, 0)] == 77) // BUG bounds
      args->out[first] = 1;
  }
}

IW_KERNEL(past_a_member, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (warp == 0)
      shared->tile[BUG(block->threads, block->threads - 1)] = 1; // BUG bounds
  }
}

IW_KERNEL(past_shared_memory, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    uint32_t *const words = shared->tile;
    if (warp == 0)
      for (unsigned i = 0; i < BUG(6000, 64); i++)
        words[i] = i; // BUG bounds
  }
}

IW_KERNEL(in_front_of_shared_memory, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    const uint32_t *const words = shared->tile;
    if (warp == 0) {
      shared->tile[0] = 1;
      if (words[-(ptrdiff_t)BUG(args->n * 6, 0)] == 77) // BUG bounds
        args->out[first] = 1;
    }
  }
}

IW_KERNEL(misaligned, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (*(const uint32_t *)((const char *)args->in + BUG(2, 4)) == 77) // BUG bounds
      args->out[first] = 1;
  }
}

IW_KERNEL(struct_past_the_end, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (first == 0) {
      const triple *const from = (const triple *)(args->in + args->n - BUG(2, 3));
      *(triple *)args->out = *from; // BUG bounds
    }
  }
}

IW_KERNEL(writes_its_arguments, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    plain_args *const mine = (plain_args *)(uintptr_t)args;
    BUG(mine->n, mine->out[first]) = 3; // BUG bounds
  }
}

IW_KERNEL(shared_unwritten, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (BUG(1, 0) == 0 && warp == 0)
      shared->total = 1;
  }
  IW_PHASE(warp) {
    if (BUG(shared->total, args->in[0]) == 77) // BUG undefined
      args->out[block->index * block->threads + warp] = 1;
  }
}

IW_KERNEL(global_unwritten, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    if (BUG(args->out, args->in)[first] == 77) // BUG undefined
      iw_store(args->out + first, iw_splat(1u), iw_active(warp));
    iw_store(args->out + first, iw_load(args->in + first, iw_active(warp)), iw_active(warp));
  }
}

IW_KERNEL(vector_unwritten, plain_shared, plain_args)
{
  typedef uint32_t four __attribute__((vector_size(16)));
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    const four x = *(const four *)(const void *)(BUG(args->out, args->in) + first); // BUG undefined
    iw_store(args->out + first, iw_splat(x[0] + x[3]), iw_active(warp));
  }
}

/* A struct that is copied before it is whole. */
IW_KERNEL(clean_copy_of_half_a_struct, plain_shared, plain_args)
{
  typedef struct { uint32_t *at; uint32_t x, y; } pointed;
  IW_PHASE(warp) {
    COPY();
    if (warp == 0) {
      pointed *const all = (pointed *)(void *)shared->tile;
      all[0].x = 1;
      __asm__ volatile("" : : : "memory");
      all[1] = all[0];
    }
  }
}

IW_KERNEL(warps_write, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    shared->tile[BUG(0, warp)] = (uint32_t)first; // BUG race
  }
}

IW_KERNEL(blocks_write, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    iw_store(args->out + first, iw_load(args->in + first, iw_active(warp)), iw_active(warp));
    args->out[BUG(args->n - 1, first)] = 5; // BUG race
  }
}

/* Without a barrier behind the store of the other warp. */
IW_KERNEL(reads_a_store, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_u32 mine = iw_load(args->in + first, iw_active(warp));
    iw_store(shared->tile + warp * IW_WARP_SIZE, mine, iw_active(warp)); // BUG race
#ifdef FIXED
  }
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
#endif
    const uint32_t x = shared->tile[(warp * IW_WARP_SIZE + IW_WARP_SIZE) % block->threads]; // BUG race
    iw_store(args->out + first, iw_splat(x), iw_active(warp));
  }
}

/* A sum that each lane of the warp adds to. */
IW_KERNEL(lanes_update, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    uint32_t sum = 0;
    for (unsigned k = 0; k < 4; k++)
      BUG(args->out[first], sum) += k; // BUG race
    args->out[first + 1] = sum;
  }
}

IW_KERNEL(bytes_of_warps, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    shared->flags[BUG(1, warp)] = (uint8_t)(1 + warp); // BUG race
  }
}

IW_KERNEL(between_phases, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
  }
  if (BUG(block->first_warp == 0, 0))
    shared->total = 1; // BUG phase
}

/* Right: a table that one warp makes and all read, local arrays; a struct with an unwritten member. */
IW_KERNEL(clean_table, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    uint32_t local[8];
    for (unsigned k = 0; k < 8; k++)
      local[k] = k * k;
    if (warp == 0)
      for (unsigned k = 0; k < 64; k++)
        shared->tile[k] = local[k % 8];
    shared->flags[warp] = (uint8_t)warp;
  }
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    const uint32_t x = shared->tile[warp] + shared->flags[1 - warp];
    iw_store(args->out + first, iw_splat(x), iw_active(warp));
    args->out[first + 1] = args->in[first];
  }
}

IW_KERNEL(clean_struct, plain_shared, plain_args)
{
  IW_PHASE(warp) {
    COPY();
    if (warp == 0)
      shared->tile[0] = shared->tile[2] = 1;
  }
  IW_PHASE(warp) {
    if (warp == 0)
      *(triple *)(shared->tile + 4) = *(const triple *)shared->tile;
    if (warp == 0)
      args->out[block->index * block->threads] = shared->tile[6];
  }
}
