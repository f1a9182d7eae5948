#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/run.sh [OPTION...]
#
# Measures all families on the CPU, writes measured.json and .csv and measured-FAMILY.png and .svg, and prints
# the tables; then NumPy if it is installed; and, if there are no options, calls beside busy processes.
# OPTION: an option of isowarp_bench (--help lists them); it overrides the options in this script.
# Environment: BENCH the program (default: isowarp_bench beside this script); BUSY bench/busy (default: busy
# beside this script); OUT the folder of the files (default: the program's); PYTHON a Python 3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${BENCH:-$here/isowarp_bench}
out=${OUT:-$(dirname "$program")}
began=$(date +%s)
"$program" --benchmark_enable_random_interleaving=true --benchmark_repetitions=7 --benchmark_min_time=0.01 \
  --benchmark_report_aggregates_only=true --benchmark_out="$out/measured-cpu.json" "$@" > "$out/measured-cpu.txt" ||
  { echo "run.sh: nothing was measured, or the program failed" >&2; exit 1; }
echo "run.sh: the program took $(($(date +%s) - began)) s" >&2
for python in ${PYTHON-} python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2> /dev/null || continue
  "$python" "$here/numpy_peer.py" "$out/measured-cpu.json"
  break
done
for python in ${PYTHON-} python3 /usr/bin/python3 python3; do # the first one with matplotlib, else the last
  "$python" -c 'import matplotlib' 2> /dev/null && break
done
"$python" "$here/report.py" --out "$out/measured" "$out/measured-cpu.json"
if [ $# -eq 0 ]; then
  echo
  "${BUSY:-$here/busy}" | tee "$out/measured-busy.txt"
fi
