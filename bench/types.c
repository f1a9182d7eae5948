/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and inclusive scans of each element type by each operator that it has, and sums in wider types
 * ("Element types, exact sums, functions" of bench/README.md).
 *
 * usage: types [LOG2_BYTES [REPETITIONS]]   (28, of the input; 7)
 *
 * Runs where a context runs (ISOWARP_BACKEND, ISOWARP_ISA, ISOWARP_THREADS), on data in its own memory.
 * Each number is GB/s of the bytes that are read and, by scans, written, in the least time of the
 * repetitions.
 */
#include "measure.h"
#include <isowarp.h>

#include <math.h>
#include <string.h>

enum { LARGEST = 34 };
static iw_context *context;
static int repetitions = 7;
static void *in, *out;

static const struct { iw_op op; const char *name; } ops[] = {
  { IW_SUM, "sum" }, { IW_MIN, "min" }, { IW_PRODUCT, "product" }, { IW_XOR, "xor" },
};
static const struct { iw_type in, out; } types[] = {
  { IW_U8, IW_U8 }, { IW_I8, IW_I8 }, { IW_U16, IW_U16 }, { IW_I16, IW_I16 }, { IW_U32, IW_U32 }, { IW_U64, IW_U64 },
  { IW_F16, IW_F16 }, { IW_BF16, IW_BF16 }, { IW_F32, IW_F32 }, { IW_F64, IW_F64 }, { IW_U8, IW_U32 }, { IW_U8, IW_U64 },
  { IW_I8, IW_I32 }, { IW_I8, IW_I64 }, { IW_U16, IW_U32 }, { IW_I16, IW_I64 }, { IW_U32, IW_U64 }, { IW_F16, IW_F32 },
  { IW_BF16, IW_F32 }, { IW_F32, IW_F64 },
};

/* GB/s of one call, or 0 if there is no such operation. */
static double speed(iw_op op, iw_type in_type, iw_type type, size_t n, int is_scan)
{
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type);
  const iw_scan_options options = { .size = sizeof options, .out_type = type };
  double least = INFINITY;
  for (int r = 0; r < repetitions; r++) {
    const double start = now();
    if ((is_scan ? iw_inclusive_scan : iw_reduce)(context, op, in_type, in, n, out, &options) == IW_ERROR_INVALID)
      return 0;
    must(iw_context_synchronize(context));
    least = fmin(least, now() - start);
  }
  return (double)(n * in_size + (is_scan ? n * size : 0)) * 1e-9 / least;
}

int main(int argc, char **argv)
{
  const int log2_bytes = argc > 1 ? atoi(argv[1]) : 28;
  if (argc > 3 || log2_bytes < 16 || log2_bytes > LARGEST || (argc > 2 && (repetitions = atoi(argv[2])) < 1)) {
    fprintf(stderr, "usage: types [LOG2_BYTES [REPETITIONS]]; LOG2_BYTES: 16 to %d\n", LARGEST);
    return 2;
  }
  const size_t bytes = (size_t)1 << log2_bytes;
  const iw_context_options options = { .size = sizeof options };
  must(iw_context_open(&context, &options));
  must(iw_memory_allocate(context, bytes, &in));
  must(iw_memory_allocate(context, 8 * bytes, &out)); /* for sums of u8 in u64 */
  uint32_t *const host = malloc(bytes);
  if (host == NULL) {
    fprintf(stderr, "types: no memory for 2^%d bytes\n", log2_bytes);
    return 1;
  }
  for (size_t i = 0; i < bytes / 4; i++) /* as f16, bf16 and f32 numbers of moderate size */
    host[i] = (uint32_t)random_word(i) & 0xbfffbfff;
  must(iw_memory_copy(context, in, host, bytes));
  free(host);
  printf("%-14s", "type");
  for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
    printf(" %9s %9s", ops[o].name, "scan");
  printf("\n");
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    const iw_type in_type = types[t].in, type = types[t].out;
    char name[20];
    snprintf(name, sizeof name, in_type == type ? "%s" : "%s in %s", iw_type_name(in_type), iw_type_name(type));
    printf("%-14s", name);
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
      for (int is_scan = 0; is_scan < 2; is_scan++) {
        const double found = speed(ops[o].op, in_type, type, bytes / iw_type_size(in_type), is_scan);
        if (found > 0)
          printf(" %9.1f", found);
        else
          printf(" %9s", "");
      }
    printf("\n");
    fflush(stdout);
  }
  must(iw_memory_free(context, in));
  must(iw_memory_free(context, out));
  iw_context_close(context);
  return 0;
}
