#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the program does with a finding of the simulated GPU: exit status 3, the message, and the reports
# that ISOWARP_SIM_REPORT names. The library's kernels are right, so that one is built with a bug
# (tests/scripts/mutations.py does so 447 times): the histogram of few samples loads the samples of all
# lanes.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ISOWARP_SIM_CHECKS ISOWARP_SIM_SCHEDULE ISOWARP_SIM_SEED ISOWARP_SIM_DEVICE ISOWARP_SIM_RESIDENT ISOWARP_SIM_REPORT
status=0
expect() { # TEXT FILE
  grep -q -- "$1" "$2" || { echo "no \"$1\" in:"; cat "$2"; status=1; }
}

mkdir -p "$work/algorithms/histogram"
sed 's/FN(iw_load)(samples, valid)/FN(iw_load)(samples, iw_lanes_below(32))/' "$srcdir/src/algorithms/histogram/small_n.h" \
  > "$work/algorithms/histogram/small_n.h"
if cmp -s "$srcdir/src/algorithms/histogram/small_n.h" "$work/algorithms/histogram/small_n.h"; then echo "small_n.h has no such load"; exit 1; fi
# shellcheck disable=SC2086
$CC -std=gnu11 -w -O0 -DHAVE_CONFIG_H -D_POSIX_C_SOURCE=200809L -DIW_API= -DIW_KERNEL_PREFIX=iw_k_ -DIW_KERNEL_SUFFIX=_sim -DIW_SIM \
  -ffp-contract=off -I"$work" -I. -I"$srcdir/include" -Iinclude -I"$srcdir/src" ${CPPFLAGS-} -x c -c -o "$work/kernels.o" \
  src/kernels/histogram_small.c
# The first definition of a symbol counts: the kernels with the bug, then the library's.
# shellcheck disable=SC2086
./libtool --quiet --tag=CC --mode=link $CC ${CFLAGS-} -o "$work/isowarp" tools/*.o tools/*/*.o examples/demo.o $PROGRAM_KERNELS "$work/kernels.o" -Wl,-z,muldefs libwhole.la \
  ${OPENMP_CFLAGS-} ${CUDA_LIBS-} ${CAIRO_LIBS-} ${LIBZIP_LIBS-} -lm -lpthread -ldl

numbers() { i=1; while [ $i -le 100 ]; do echo $((i * 7 % 50)); i=$((i + 1)); done; }
numbers > "$work/numbers.txt"
run() { # REPORT: the exit status
  got=0
  ISOWARP_SIM_REPORT=$1 "$work/isowarp" histogram --backend sim --bins 10 "$work/numbers.txt" > "$work/out" 2> "$work/errors" || got=$?
}
run "$work/report.txt"
[ $got = 3 ] || { echo "the exit status is $got, not 3"; status=1; }
expect '^isowarp: .*bounds: .*small_n\.h:[0-9]* iw_load.*behind the end of the array "a piece of the input" of 800 bytes' "$work/errors"
expect '^bounds: .*small_n\.h:[0-9]* iw_load.*Replay: ISOWARP_SIM_SEED=1 ([0-9]* times)$' "$work/report.txt"
ISOWARP_SIM_SEED=5 ISOWARP_SIM_SCHEDULE=random ISOWARP_SIM_RESIDENT=2 run "$work/replay.txt"
expect '^bounds: .*Replay: ISOWARP_SIM_SEED=5 ISOWARP_SIM_SCHEDULE=random ISOWARP_SIM_RESIDENT=2 ([0-9]* times)$' "$work/replay.txt"
[ ! -s "$work/out" ] || { echo "printed in spite of the finding:"; cat "$work/out"; status=1; }

# Wrong usage has another status, and the program without the bug none.
got=0; "$work/isowarp" histogram --backend none "$work/numbers.txt" > "$work/out" 2>&1 || got=$?
[ $got != 3 ] && [ $got != 0 ] || { echo "the exit status of wrong usage is $got"; status=1; }
got=0; ISOWARP_SIM_REPORT=$work/none.txt "$ISOWARP" histogram --backend sim --bins 10 "$work/numbers.txt" > "$work/out" 2>&1 || got=$?
[ $got = 0 ] && [ ! -s "$work/none.txt" ] || { echo "without the bug: status $got"; cat "$work/out"; status=1; }

run "$work/report.sarif"
[ $got = 3 ] || { echo "the exit status with a SARIF report is $got, not 3"; status=1; }
python=${PYTHON:-python3}
if "$python" -c 'import json' 2> /dev/null; then
  "$python" "$srcdir/tests/scripts/sarif.py" "$work/report.sarif" > "$work/results" || status=1
  expect '^bounds error small_n.h:[0-9]*$' "$work/results"
  # The places that mutations change are texts, which a change of the templates can lose.
  MUTATIONS_LIST=1 "$python" "$srcdir/tests/scripts/mutations.py" . > "$work/mutants" || status=1
  expect '^common/look_back.h:.* publish: ' "$work/mutants"
else echo "no python: neither the SARIF report nor the list of mutants is checked"
fi
[ $status = 0 ] && echo "a finding: status 3, its message, and reports as text and SARIF; each mutant has its place"
exit $status
