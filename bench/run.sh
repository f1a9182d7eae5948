#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/run.sh [OPTION...]
#
# Measures all families and leaves measured.json and .csv, and measured-FAMILY.png and .svg; prints the tables. The CPU's part
# and the GPU's run one after the other, because a GPU that waits lowers its clock; then NumPy, where it is there. OPTION: of
# isowarp_bench, whose --help lists them; they override those that stand here.
# Environment: BENCH the program (isowarp_bench beside this script); OUT where the files go (the program's folder); PYTHON
# a Python 3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${BENCH:-$here/isowarp_bench}
out=${OUT:-$(dirname "$program")}
files=

# "part NAME OPTION...": one run, which may have nothing to do.
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
for python in ${PYTHON-} python3 /usr/bin/python3 python3; do # the first one that can plot
  "$python" -c 'import matplotlib' 2> /dev/null && break
done
# shellcheck disable=SC2086
"$python" "$here/report.py" --out "$out/measured" $files
