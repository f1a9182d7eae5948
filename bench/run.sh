#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/run.sh [OPTION...]
#
# Measures scan and reduce and leaves scan.json, scan.csv, scan.png and scan.svg; prints the table. The CPU's part and the
# GPU's run one after the other, because a GPU that waits lowers its clock. OPTION: of isowarp_bench, whose --help lists
# them; they override those that stand here.
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
    --benchmark_report_aggregates_only=true --benchmark_out="$out/$name.json" "$@" > "$out/$name.txt" || status=$?
  test $status = 77 || echo "run.sh: the part \"$name\" took $(($(date +%s) - began)) s" >&2
  case $status in
    0) files="$files $out/$name.json" ;;
    77) rm -f "$out/$name.json" "$out/$name.txt" ;;
    *) exit $status ;;
  esac
}

part cpu "$@" --device_sizes=none
part cuda "$@" --sizes=none
test -n "$files" || { echo "run.sh: nothing was measured" >&2; exit 1; }
for python in ${PYTHON-} python3 /usr/bin/python3 python3; do # the first one that can plot
  "$python" -c 'import matplotlib' 2> /dev/null && break
done
# shellcheck disable=SC2086
"$python" "$here/report.py" --out "$out/scan" $files
