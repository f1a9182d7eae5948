/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes a square of IW_WARP_SIZE columns through shared memory: rows are stored, columns are gathered. A
 * row of the padded tile has one more element, so that the elements of a column lie in different banks.
 */
#include <isowarp/kernel.h>

typedef struct transpose_args {
  const float *in;
  float *out;
} transpose_args;

typedef struct transpose_shared { float tile[64 * 65]; } transpose_shared;

IW_FN void transpose_rows(const iw_block *block, unsigned warp, const transpose_args *args, float *tile,
                          unsigned pitch)
{
  for (unsigned row = warp; row < IW_WARP_SIZE; row += block->warps)
    iw_store(tile + row * pitch, iw_load(args->in + row * IW_WARP_SIZE, iw_active(warp)), iw_active(warp));
}

IW_KERNEL(transpose, transpose_shared, transpose_args)
{
  const unsigned pitch = IW_WARP_SIZE;
  IW_PHASE(warp) { transpose_rows(block, warp, args, shared->tile, pitch); }
  IW_PHASE(warp) {
    for (unsigned row = warp; row < IW_WARP_SIZE; row += block->warps) {
      const iw_u32 column = iw_add(iw_mul(iw_lane(), iw_splat(pitch)), iw_splat(row));
      const iw_f32 x = iw_gather(shared->tile, column, iw_active(warp));
      iw_store(args->out + row * IW_WARP_SIZE, x, iw_active(warp));
    }
  }
}

IW_KERNEL(transpose_padded, transpose_shared, transpose_args)
{
  const unsigned pitch = IW_WARP_SIZE + 1;
  IW_PHASE(warp) { transpose_rows(block, warp, args, shared->tile, pitch); }
  IW_PHASE(warp) {
    for (unsigned row = warp; row < IW_WARP_SIZE; row += block->warps) {
      const iw_u32 column = iw_add(iw_mul(iw_lane(), iw_splat(pitch)), iw_splat(row));
      const iw_f32 x = iw_gather(shared->tile, column, iw_active(warp));
      iw_store(args->out + row * IW_WARP_SIZE, x, iw_active(warp));
    }
  }
}
