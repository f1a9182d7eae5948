#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The numbers of vm/tuning_cpu.h change no bit of a scan, a reduction or a partition (tests/tuning.c), and those that could
# do not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# The best set that this build and this machine have.
simd=-DIW_LANES_GENERIC
for isa in sse4 avx2 avx512 neon; do
  ISOWARP_ISA=$isa "$ISOWARP" info > /dev/null 2>&1 || continue
  case $isa in
    sse4)   simd=$SSE4_CFLAGS;;
    avx2)   simd=$AVX2_CFLAGS;;
    avx512) simd=$AVX512_CFLAGS;;
    neon)   simd=$NEON_CFLAGS;;
  esac
done

cat > "$work/text.c" << 'END'
#define OP sum
#define T f32
#include <isowarp/algorithms/scan/scan_kernel.h>
#ifndef SEGMENTED
#undef T
#define T f64
#include <isowarp/algorithms/scan/scan_kernel.h>
#endif
END

cat > "$work/sides.c" << 'END'
#include <isowarp/operators.h>
IW_FN iw_pred is_odd(iw_u32 x) { return iw_eq(iw_and(x, iw_splat(1u)), iw_splat(1u)); }
IW_PREDICATE(is_odd, u32)
#define IW_PARTITION_PREDICATE is_odd
#define IW_PARTITION_TYPE u32
#include <isowarp/partition.h>
IW_FN iw_pred is_odd_too(iw_u64 x) { return iw_eq(iw_and(x, iw_splat((uint64_t)1)), iw_splat((uint64_t)1)); }
IW_PREDICATE(is_odd_too, u64)
#define IW_PARTITION_PREDICATE is_odd_too
#define IW_PARTITION_TYPE u64
#include <isowarp/partition.h>
END
text=text

compile() { # OPTION...: numbers by short names, and what the compiler takes
  for option; do
    case $option in
      warps=*)  set -- "$@" "-DSCAN_WARPS(size)=${option#*=}" "-DREDUCE_WARPS(size)=${option#*=}" "-DSEGMENTED_WARPS(size)=${option#*=}";;
      tiles=*)  set -- "$@" "-DSCAN_TILES(size)=${option#*=}" "-DREDUCE_TILES(size)=${option#*=}" "-DSEGMENTED_TILES(size)=${option#*=}";;
      trail=*)  set -- "$@" -DSCAN_PIPELINE_DEPTH="${option#*=}";;
      early=*)  set -- "$@" -DSCAN_STAGE_AT_LOAD="${option#*=}";;
      alone=*)  set -- "$@" -DSCAN_SINGLE_WARP="${option#*=}";;
      wait=*)   set -- "$@" "-DSCAN_QUEUE_TILES(size)=${option#*=}";;
      ahead=*)  set -- "$@" -DSCAN_ROWS_IN_FLIGHT="${option#*=}";;
      ask=*)    set -- "$@" -DSCAN_EARLY_TICKET="${option#*=}";;
      split=*)  set -- "$@" -DSCAN_FULL_ROW_LOOPS="${option#*=}";;
      run=*)    set -- "$@" -DSCAN_TILES_PER_TICKET="${option#*=}";;
      tile=*)   set -- "$@" -DPARTITION_TILE_BYTES="${option#*=}";;
      sides=*)  set -- "$@" -DPARTITION_WARPS="${option#*=}";;
      direct=*) set -- "$@" -DPARTITION_REREAD="${option#*=}";;
      behind=*) set -- "$@" -DPARTITION_PIPELINE_DEPTH="${option#*=}";;
      piece=*)  set -- "$@" -DPARTITION_STRIP_BYTES="${option#*=}";;
      hold=*)   set -- "$@" -DPARTITION_QUEUE_TILES="${option#*=}";;
      past=*)   set -- "$@" -DPARTITION_NONTEMPORAL_STRIP_BYTES="${option#*=}";;
      many=*)   set -- "$@" -DPARTITION_BLOCKS="${option#*=}";;
      blocks=*) set -- "$@" "-DSCAN_BLOCKS(size)=${option#*=}" "-DREDUCE_BLOCKS(size)=${option#*=}" "-DSEGMENTED_BLOCKS(size)=${option#*=}";;
      *)        set -- "$@" "$option";;
    esac
    shift
  done
  $CC -std=c11 -Wno-psabi -ffp-contract=off -O1 -I"$srcdir/include" \
    "$@" "$work/$text.c"
}

number=0
takes() { # generic|simd OPTION...
  vm=$1; shift
  if test "$vm" = simd; then flags=$simd; else flags=-DIW_LANES_GENERIC; fi
  number=$((number + 1))
  for kind in '' -DREDUCE -DSEGMENTED; do
    # shellcheck disable=SC2086
    compile "$@" $flags $kind -DIW_KERNEL_SUFFIX="_$number" -c -o "$work/$number$kind.o" ||
      { echo "DOES NOT COMPILE: $*"; status=1; }
  done
  echo "CHOICE(_$number, \"$vm: ${*:-as vm/tuning_cpu.h has them}\")" >> "$work/choices.h"
}
parts() { # the same, of a partition
  vm=$1; shift
  if test "$vm" = simd; then flags=$simd; else flags=-DIW_LANES_GENERIC; fi
  number=$((number + 1))
  # shellcheck disable=SC2086
  compile "$@" $flags -DIW_KERNEL_SUFFIX="_$number" -c -o "$work/$number.o" || { echo "DOES NOT COMPILE: $*"; status=1; }
  echo "CHOICE(_$number, \"$vm: a partition, ${*:-as vm/tuning_cpu.h has it}\")" >> "$work/sides.h"
}
rejects() { # REASON OPTION...
  reason=$1; shift
  if compile "$@" -DIW_LANES_GENERIC -fsyntax-only 2> "$work/errors"; then echo "COMPILES, and should not: $*"; status=1
  elif grep -q "$reason" "$work/errors"; then echo "rejected: $*: $reason"
  else cat "$work/errors"; echo "REJECTED, but not because $reason: $*"; status=1; fi
}

rejects 'one warp and one tile'  alone=1 warps=2
rejects 'one warp and one tile'  alone=1 warps=2 tiles=2
rejects 'whole rows of one tile' alone=0 warps=1 tiles=2
rejects 'whole rows of one tile' alone=0 warps=3
rejects 'whole rows of one tile' alone=0 warps=64
rejects 'tiles of one group'     alone=0 warps=3 tiles=3
rejects 'rows of a chunk'        ahead=3
rejects 'are at least 1'         trail=0
rejects 'are at least 1'         run=0
rejects 'are at least 1'         wait=0

takes generic
takes generic warps=4 alone=0 trail=2 early=0 ahead=2 split=1 run=3
takes simd wait=1 run=1
takes simd wait=3 run=7 blocks=4
takes simd alone=0 trail=5 run=4 split=1 ahead=2 early=0 blocks=4
takes simd alone=0 trail=2 run=3 ahead=4
takes simd warps=2 alone=0 early=0
takes simd warps=4 alone=0 'tiles=(8/size)' trail=5 run=4
takes simd warps=8 alone=0 tiles=4 trail=2 run=2 blocks=2
takes simd warps=8 alone=0 'tiles=(8/size)' early=0 split=1 ahead=64 blocks=3 ask=1 trail=3
takes simd 'warps=(size)' alone=0 trail=2 ask=1 early=0 split=1 ahead=64 'blocks=(size)==4?5:2' # as on CUDA

text=sides
rejects 'is at least 1'     direct=0 behind=0
rejects 'is at least 1'     hold=0
rejects 'for one warp'      direct=1 sides=2
rejects 'there are words'   tile=16384
rejects 'whole rows'        direct=0 sides=3
rejects 'room for it'       piece=512 past=4096
rejects 'whole warps'       piece=4100

parts generic
parts simd tile=32768 piece=512 past=256 many=3 hold=1
parts simd tile=131072 piece=8192 past=8192 hold=9
parts generic direct=0 tile=32768 sides=8 many=3 # as on CUDA
parts simd direct=0 behind=3
parts simd direct=0 tile=32768 sides=4 behind=2 many=2
test $status = 0 || exit $status

$CC -std=gnu11 $CFLAGS -I"$srcdir/include" -I"$work" -c "$srcdir/tests/tuning.c" -o "$work/tuning.o"
./libtool --quiet --tag=CC --mode=link $CC $CFLAGS $OPENMP_CFLAGS -no-install \
  -o "$work/tuning" "$work"/*.o libisowarp.la
"$work/tuning"
