/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs between the types of samples. The templates of bins and of histograms are compiled once per T
 * and read these facts by T's name, so that a type which is missing here does not compile. i8 and bool have
 * the kernels of u8: the host orders the table of bins (binning_plan.c). Kernel templates; know no schedule
 * and no target.
 *
 *   KEY     the type in which samples are compared with edges, and of which the edges are
 *   GUESS   the float type in which the bin is guessed; its rounding errors are bounded on the host
 *           (binning_plan.c)
 *   LEADING_BITS_KEY  the upper 32 bits of a key as a float, without the sign: they ascend with keys that
 *                     are not negative
 *   EVEN    1 if edges of equal distance can be computed in a kernel as k*step + first, rounded to T
 *   BYTES   1 if a sample is a byte: its bin is looked up in a table of 256, and counters may count bytes
 *           instead of bins
 *   ABSENT  the argument of iw_row_issue_T for the elements that a partial row lacks, where it has one
 */
#ifndef IW_BINNING_SAMPLE_TYPES_H
#define IW_BINNING_SAMPLE_TYPES_H

#include <isowarp/algorithms/common/names.h>

#define KEY_u8 u32
#define KEY_u16 i32
#define KEY_i16 i32
#define KEY_f16 f32
#define KEY_bf16 f32
#define KEY_i32 i32
#define KEY_u32 u32
#define KEY_i64 i64
#define KEY_u64 u64
#define KEY_f32 f32
#define KEY_f64 f64

#define GUESS_u8 f32
#define GUESS_u16 f64
#define GUESS_i16 f64
#define GUESS_f16 f32
#define GUESS_bf16 f32
#define GUESS_i32 f64
#define GUESS_u32 f64
#define GUESS_i64 f64
#define GUESS_u64 f64
#define GUESS_f32 f32
#define GUESS_f64 f64

#define LEADING_BITS_f32(x) iw_and(iw_as_bits_f32(x), iw_splat(0x7fffffffu))
#define LEADING_BITS_f64(x) iw_and(iw_to_u32(iw_shr(iw_as_bits_f64(x), iw_splat((uint64_t)32))), iw_splat(0x7fffffffu))
#define LEADING_BITS_i32(x) LEADING_BITS_f64(iw_to_f64(x))
#define LEADING_BITS_u32(x) LEADING_BITS_f64(iw_to_f64(x))
#define LEADING_BITS_i64(x) LEADING_BITS_f64(iw_to_f64(x))
#define LEADING_BITS_u64(x) LEADING_BITS_f64(iw_to_f64(x))

enum { EVEN_u8 = 0, EVEN_u16 = 0, EVEN_i16 = 0, EVEN_f16 = 0, EVEN_bf16 = 0, EVEN_i32 = 0, EVEN_u32 = 0, EVEN_i64 = 0,
       EVEN_u64 = 0, EVEN_f32 = 1, EVEN_f64 = 1 };
enum { BYTES_u8 = 1, BYTES_u16 = 0, BYTES_i16 = 0, BYTES_f16 = 0, BYTES_bf16 = 0, BYTES_i32 = 0, BYTES_u32 = 0,
       BYTES_i64 = 0, BYTES_u64 = 0, BYTES_f32 = 0, BYTES_f64 = 0 };

#define ABSENT_u8
#define ABSENT_i8
#define ABSENT_u16
#define ABSENT_i16
#define ABSENT_f16
#define ABSENT_bf16
#define ABSENT_i32 , 0
#define ABSENT_u32 , 0
#define ABSENT_i64 , 0
#define ABSENT_u64 , 0
#define ABSENT_f32 , 0
#define ABSENT_f64 , 0

#define KEY IW_PASTE(KEY_, T)
#define GUESS IW_PASTE(GUESS_, T)
#define EVEN IW_PASTE(EVEN_, T)
#define BYTES IW_PASTE(BYTES_, T)
#define SAMPLE_LANES IW_PASTE(iw_, IW_PASTE(IW_LANES_FOR_, T)) /* a warp's samples: iw_u32 for u8 */
#define KEY_LANES IW_PASTE(iw_, KEY)
#define KEY_SCALAR IW_PASTE(iws_, KEY)
#define GUESS_LANES IW_PASTE(iw_, GUESS)
#define GUESS_SCALAR IW_PASTE(iws_, GUESS)
#define TO_KEY(x) IW_JOIN(iw_to, KEY)(x)
#define SAMPLE_VECTORS ((int)(16 / sizeof(SCALAR))) /* of a row */
#define SAMPLE_ROW IW_PASTE(iw_row_, T)
#define PENDING_ROW IW_PASTE(IW_PASTE(iw_row_, T), _pending)
#define ISSUE_ROW(p, valid) IW_JOIN(iw_row_issue, T)(p, valid IW_PASTE(ABSENT_, T))

#endif
