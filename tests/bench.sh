#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The bench program measures what it should and finds every result right; report.py makes its files of it. Says nothing of speed.
set -eu
test -n "$BENCH" || { echo "skipped: no bench program: make bench says what it lacks"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BENCH" --sizes=10 --device_sizes=none --threads=1,all --isas=generic --benchmark_filter='/(1|2|31|64|1024)/real_time' \
  --benchmark_min_time=0.0001 --benchmark_out="$work/cpu.json" > "$work/out" 2>&1 || { cat "$work/out"; exit 1; }
measured() { grep -q "^$1/1024/real_time " "$work/out" || { echo "not measured: $1"; exit 1; }; }
for who in isowarp-generic plain std-par std-par_unseq tbb openmp; do
  measured "scan/f32/cpu/$who/1"
  for type in f32 i32 u32 u64 i64 f64; do measured "scan/$type/cpu/$who/[0-9]*"; done
done
for type in f32 i32 u32 u64 i64 f64; do
  for what in reduce segmented by_key; do measured "$what/$type/cpu/isowarp-generic/[0-9]*"; done
done
for what in user_scan user_reduce; do measured "$what/f32/cpu/isowarp-generic/1"; done
if grep ERROR "$work/out"; then exit 1; fi

test -n "$PYTHON" || { echo "report.py is not tried: no Python"; exit 0; }
"$PYTHON" "$srcdir/bench/report.py" --out "$work/scan" "$work/cpu.json" > "$work/table"
grep '^| CPU, .*n of 1 to 2^10' "$work/table"
grep -q '^Scan of segments on the CPU' "$work/table"
grep -q "^By a user's operator + on the CPU" "$work/table"
grep -q ',scan,u64,cpu,plain,1,1024,' "$work/scan.csv"
# What it wrote it reads too.
"$PYTHON" "$srcdir/bench/report.py" "$work/scan.json" | cmp - "$work/table"
