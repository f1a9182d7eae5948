#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The tuning numbers of src/algorithms/*/tuning_cpu.h do not change a bit of a scan, a reduction, also of
# segments, or a partition (tests/scripts/tuning.c), and numbers that are not valid do not compile. Those of
# tuning_cuda.h run on the simulated GPU.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# The best instruction set that this build and this machine have.
simd=-DIW_LANES_GENERIC
for isa in ${ISAS-}; do
  if ISOWARP_ISA=$isa "$ISOWARP" info > /dev/null 2>&1; then eval "simd=\$flags_$isa"; fi
done

cat > "$work/scan.c" << 'END'
#define OP sum
#define T f32
#include <isowarp/algorithms/scan/scan_kernel.h>
#define SEGMENTED
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef SEGMENTED
#define REDUCE
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef T
#define T f64
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef REDUCE
#include <isowarp/algorithms/scan/scan_kernel.h>
END

cat > "$work/partition.c" << 'END'
#include <isowarp/operators.h>
IW_FN iw_pred is_odd(iw_u32 x) { return iw_eq(iw_and(x, iw_splat(1u)), iw_splat(1u)); }
IW_PREDICATE(is_odd, u32)
#define IW_PARTITION_PREDICATE is_odd
#define IW_PARTITION_TYPE u32
#include <isowarp/make_predicate.h>
IW_FN iw_pred is_odd_too(iw_u64 x) { return iw_eq(iw_and(x, iw_splat((uint64_t)1)), iw_splat((uint64_t)1)); }
IW_PREDICATE(is_odd_too, u64)
#define IW_PARTITION_PREDICATE is_odd_too
#define IW_PARTITION_TYPE u64
#include <isowarp/make_predicate.h>
END
cat > "$work/segments.c" << 'END'
#include <isowarp/operators.h>
#define IW_SCAN_OPERATOR sum
#define IW_SCAN_TYPE f32
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>
#define IW_SCAN_OPERATOR sum
#define IW_SCAN_TYPE f64
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>
END
template=scan

compile() { # OPTION...: tuning numbers by short names, and options of the compiler
  for option; do
    value=${option#*=}
    case $option in
      warps=* | tiles=* | blocks=*)
        name=$(echo "${option%%=*}" | tr a-z A-Z)
        set -- "$@" "-DSCAN_$name(size)=$value" "-DSEGMENTED_$name(size)=$value";;
      depth=*)      set -- "$@" -DSCAN_PIPELINE_DEPTH="$value";;
      stage=*)      set -- "$@" -DSCAN_STAGE_AT_LOAD="$value";;
      single=*)     set -- "$@" -DSCAN_SINGLE_WARP="$value";;
      queue=*)      set -- "$@" "-DSCAN_QUEUE_TILES(size)=$value";;
      parts=*)      set -- "$@" -DSCAN_PARTS_FROM="$value";;
      rows=*)       set -- "$@" -DSCAN_ROWS_IN_FLIGHT="$value";;
      ticket=*)     set -- "$@" -DSCAN_EARLY_TICKET="$value";;
      loops=*)      set -- "$@" -DSCAN_FULL_ROW_LOOPS="$value";;
      tickettiles=*)set -- "$@" -DSCAN_TILES_PER_TICKET="$value";;
      tilebytes=*)  set -- "$@" -DPARTITION_TILE_BYTES="$value";;
      partwarps=*)  set -- "$@" -DPARTITION_WARPS="$value";;
      reread=*)     set -- "$@" -DPARTITION_REREAD="$value";;
      partdepth=*)  set -- "$@" -DPARTITION_PIPELINE_DEPTH="$value";;
      strip=*)      set -- "$@" -DPARTITION_STRIP_BYTES="$value";;
      partqueue=*)  set -- "$@" -DPARTITION_QUEUE_TILES="$value";;
      ntstrip=*)    set -- "$@" -DPARTITION_NONTEMPORAL_STRIP_BYTES="$value";;
      partblocks=*) set -- "$@" -DPARTITION_BLOCKS="$value";;
      inlanes=*)    set -- "$@" -DSEGMENTS_IN_LANES="$value";;
      vectors=*)    set -- "$@" "-DSEGMENTS_VECTORS(size)=$value";;
      pieces=*)     set -- "$@" -DSEGMENTS_PIECES="$value";;
      segwarps=*)   set -- "$@" -DSEGMENTS_WARPS="$value";;
      tilewarps=*)  set -- "$@" -DSEGMENTS_TILE_WARPS="$value";;
      tilesrun=*)   set -- "$@" -DSEGMENTS_TILES_PER_RUN="$value";;
      columnloads=*)  set -- "$@" -DSEGMENTS_COLUMN_LOADS="$value";;
      columnstrip=*)  set -- "$@" "-DSEGMENTS_COLUMN_STRIP(size)=$value";;
      gathercolumns=*) set -- "$@" -DSEGMENTS_GATHER_COLUMNS="$value";;
      *)            set -- "$@" "$option";;
    esac
    shift
  done
  $CC -std=c11 -Wno-psabi -ffp-contract=off -O1 -DIW_NO_FORCED_INLINING -I"$srcdir/include" -Iinclude \
    "$@" "$work/$template.c"
}

number=0
accepts_in() { # LIST TITLE generic|simd OPTION...
  list=$1 title=$2 lanes=$3; shift 3
  if test "$lanes" = simd; then flags=$simd; else flags=-DIW_LANES_GENERIC; fi
  number=$((number + 1))
  # shellcheck disable=SC2086
  compile "$@" $flags -DIW_KERNEL_SUFFIX="_$number" -c -o "$work/$number.o" ||
    { echo "DOES NOT COMPILE: $*"; status=1; }
  case " $* " in *' single=0 '*) pipelines=1;; *) pipelines=0;; esac
  echo "CHOICE(_$number, \"$lanes: $title${*:-the policy of tuning_cpu.h}\", $pipelines)" >> "$work/$list.h"
}
accepts() { accepts_in choices '' "$@"; }
accepts_partition() { accepts_in sides 'partition, ' "$@"; }
accepts_segments() { accepts_in lists 'segments, ' "$@"; }
rejects() { # REASON OPTION...
  reason=$1; shift
  if compile "$@" -DIW_LANES_GENERIC -fsyntax-only 2> "$work/errors"; then
    echo "COMPILES, and should not: $*"
    status=1
  elif grep -q "$reason" "$work/errors"; then echo "rejected: $*: $reason"
  else cat "$work/errors"; echo "REJECTED, but not because $reason: $*"; status=1; fi
}

rejects 'one warp and one tile'  single=1 warps=2
rejects 'one warp and one tile'  single=1 warps=2 tiles=2
rejects 'whole rows of one tile' single=0 warps=1 tiles=2
rejects 'whole rows of one tile' single=0 warps=3
rejects 'whole rows of one tile' single=0 warps=64
rejects 'tiles of one group'     single=0 warps=3 tiles=3
rejects 'so many words at a time' single=0 warps=32
rejects 'rows of a chunk'        rows=3
rejects 'are at least 1'         depth=0
rejects 'are at least 1'         tickettiles=0
rejects 'are at least 1'         queue=0

accepts generic
accepts generic warps=4 single=0 depth=2 stage=0 rows=2 loops=1 tickettiles=3
accepts simd queue=1 tickettiles=1
accepts simd queue=3 tickettiles=7 blocks=4
accepts simd queue=64 blocks=4 parts=2
accepts simd single=0 depth=5 tickettiles=4 loops=1 rows=2 stage=0 blocks=4
accepts simd single=0 depth=2 tickettiles=3 rows=4
accepts simd warps=2 single=0 stage=0
accepts simd warps=4 single=0 'tiles=(8/size)' depth=5 tickettiles=4
accepts simd warps=8 single=0 tiles=4 depth=2 tickettiles=2 blocks=2
accepts simd warps=8 single=0 'tiles=(8/size)' stage=0 loops=1 rows=64 blocks=3 ticket=1 depth=3

template=partition
rejects 'is at least 1'     reread=0 partdepth=0
rejects 'is at least 1'     partqueue=0
rejects 'for one warp'      reread=1 partwarps=2
rejects 'allocates tile states'   tilebytes=16384
rejects 'whole rows'        reread=0 partwarps=3
rejects 'room for it'       strip=512 ntstrip=4096
rejects 'whole warps'       strip=4100

accepts_partition generic
accepts_partition simd tilebytes=32768 strip=512 ntstrip=256 partblocks=3 partqueue=1
accepts_partition simd tilebytes=131072 strip=8192 ntstrip=8192 partqueue=9
accepts_partition simd reread=0 partdepth=3
accepts_partition simd reread=0 tilebytes=32768 partwarps=4 partdepth=2 partblocks=2

template=segments
rejects 'a chunk is whole rows' inlanes=1 vectors=2 pieces=64
rejects 'less than a chunk'            inlanes=1 vectors=32 pieces=16
rejects 'are stored 32 at'      inlanes=1 vectors=32 pieces=80

accepts_segments generic
accepts_segments simd tilesrun=1 columnloads=4 'columnstrip=(8/size)' gathercolumns=1
accepts_segments simd inlanes=1 'vectors=(128/size)' pieces=256 segwarps=2 tilewarps=8 tilesrun=2 columnloads=16 columnstrip=1
accepts_segments generic inlanes=1 vectors=4 pieces=32 segwarps=4 tilewarps=2 tilesrun=3 gathercolumns=1
test $status = 0 || exit $status

$CC -std=gnu11 $CFLAGS -I"$srcdir/include" -Iinclude -I"$work" -c "$srcdir/tests/scripts/tuning.c" -o "$work/tuning.o"
./libtool --quiet --tag=CC --mode=link $CC $CFLAGS $OPENMP_CFLAGS -no-install \
  -o "$work/tuning" "$work"/*.o libisowarp.la
"$work/tuning"
