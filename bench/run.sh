#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/run.sh [OPTION...]
#
# Measures all families, writes measured.json and .csv and measured-FAMILY.png and .svg, and prints the
# tables. The CPU part and the GPU part run one after the other, because a GPU lowers its clock while it
# waits; then NumPy if it is installed; and, if there are no options, calls beside busy processes. OPTION:
# an option of isowarp_bench (--help lists them); it overrides the options in this script. Environment:
# BENCH the program (default: isowarp_bench beside this script); BUSY bench/busy (default: busy beside this
# script); OUT the folder of the files (default: the program's); PYTHON a Python 3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${BENCH:-$here/isowarp_bench}
out=${OUT:-$(dirname "$program")}
files=

# "part NAME OPTION...": one run of the program. Its exit status 77 means that there was nothing to measure.
part() {
  name=$1 status=0 began=$(date +%s)
  shift
  "$program" --benchmark_enable_random_interleaving=true --benchmark_repetitions=7 --benchmark_min_time=0.01 \
    --benchmark_report_aggregates_only=true --benchmark_out="$out/measured-$name.json" "$@" \
    > "$out/measured-$name.txt" || status=$?
  test $status = 77 || echo "run.sh: the part \"$name\" took $(($(date +%s) - began)) s" >&2
  case $status in
    0) files="$files $out/measured-$name.json" ;;
    77) rm -f "$out/measured-$name.json" "$out/measured-$name.txt" ;;
    *) exit $status ;;
  esac
}

part cpu "$@" --device_sizes=none
part cuda "$@" --sizes=none
test -n "$files" || { echo "run.sh: nothing was measured" >&2; exit 1; }
for python in ${PYTHON-} python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2> /dev/null || continue
  case $files in *cpu.json*) "$python" "$here/numpy_peer.py" "$out/measured-cpu.json" ;; esac
  break
done
for python in ${PYTHON-} python3 /usr/bin/python3 python3; do # the first one with matplotlib, else the last
  "$python" -c 'import matplotlib' 2> /dev/null && break
done
# shellcheck disable=SC2086
"$python" "$here/report.py" --out "$out/measured" $files
if [ $# -eq 0 ]; then
  echo
  "${BUSY:-$here/busy}" | tee "$out/measured-busy.txt"
fi
