#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The bench program measures the cases that it should, and finds all results right; report.py makes its
# files and tables. Speed is not tested.
set -eu
test -n "$BENCH" || { echo "skipped: no bench program; make bench prints the reason"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BENCH" --sizes=10 --threads=1,all --isas=generic --benchmark_min_time=0.0001 \
  --benchmark_filter='/(1|2|31|64|1024)/real_time' --benchmark_out="$work/cpu.json" > "$work/out" 2>&1 ||
  { cat "$work/out"; exit 1; }
measured() { grep -q "^$1/1024/real_time " "$work/out" || { echo "not measured: $1"; exit 1; }; }
for who in isowarp-generic plain std-par std-par_unseq tbb openmp; do
  measured "scan/f32/$who/1"
  for type in f32 i32 u32 u64 i64 f64; do measured "scan/$type/$who/[0-9]*"; done
done
for type in f32 i32 u32 u64 i64 f64; do
  for what in reduce segmented by_key; do measured "$what/$type/isowarp-generic/[0-9]*"; done
done
for what in user_scan user_reduce; do measured "$what/f32/isowarp-generic/1"; done
for who in isowarp-generic/1 plain/1 openmp/1; do
  measured "histogram-256-uniform/f32/$who"
done
for spread in uniform ninety same zipf edges; do
  measured "histogram-2048-$spread/f32/isowarp-generic/[0-9]*"
done
for bins in 7 16 256; do measured "histogram-$bins-uniform/u8/isowarp-generic/[0-9]*"; done
for who in isowarp-generic std-par std; do
  for what in partition_two partition select select_flags; do
    measured "$what-50-random/f32/$who/[0-9]*"
  done
done
for part in 1-random 99-random 50-sorted 50-clustered; do
  measured "select-$part/f32/isowarp-generic/[0-9]*"
done
for what in partition_two partition select select_flags; do
  measured "$what-50-random/u64/isowarp-generic/[0-9]*"
done
for what in multisplit-2 multisplit-256 multisplit_pairs-8 multisplit_pairs-256 multisplit_bins-256; do
  measured "$what-ninety/u32/isowarp-generic/[0-9]*"
done
for what in multisplit multisplit_pairs; do measured "$what-256-ninety/u32/plain/1"; done
for what in histogram partition_two select; do measured "small_$what/f32/isowarp-generic/[0-9]*"; done
if grep ERROR "$work/out"; then exit 1; fi

test -n "$PYTHON" || { echo "report.py is not tested: no Python"; exit 0; }
report() { "$PYTHON" "${srcdir:?}/bench/report.py" "$@"; }
# report.py fails unless NumPy has the same counts.
if "$PYTHON" -c 'import numpy' 2> /dev/null; then
  "$PYTHON" "$srcdir/bench/numpy_peer.py" "$work/cpu.json"
  grep -q '"histogram-256-uniform/f32/numpy/1/1024/real_time"' "$work/cpu.json"
fi
printf '<!-- here -->\nold\n<!-- /here -->\n' > "$work/page.md"
report --out "$work/measured" --into "$work/page.md" here "$work/cpu.json" > "$work/table"
grep '^| CPU, .*n of 1 to 2^10' "$work/table"
for caption in 'Scan of segments on the CPU' "By a user's operator + on the CPU" \
  'Histogram on the CPU, 2^10' 'Partition and select on the CPU, 2^10' \
  'Multisplit of u32 on the CPU' 'A call of generic'; do
  grep -q "^$caption" "$work/table" || { echo "no table: $caption"; exit 1; }
done
grep -q ',scan,,u64,plain,1,1024,' "$work/measured.csv"
grep -q ',histogram,256-edges,f32,plain,1,1024,' "$work/measured.csv"
# The page has the brief form: one table for each family, of one set and the most threads.
test "$(grep -c '^|.*---' "$work/page.md")" = 5
for caption in 'Scan on the CPU' 'Reduce on the CPU' 'Histogram on the CPU, 2^10' 'Partition and select on the CPU, 2^10' \
  'Multisplit of u32 on the CPU'; do
  grep -q "^$caption" "$work/page.md" || { echo "no table in the brief form: $caption"; exit 1; }
done
if grep -E '^old$|256 \| ninety|^\| CPU|u64' "$work/page.md"; then echo "too much in the brief form"; exit 1; fi
# report.py also reads the file that it has written, and finds a result that differs.
report "$work/measured.json" | cmp - "$work/table"
sed 's/^\( *"label": "\)[0-9a-f]/\1x/' "$work/cpu.json" > "$work/other.json"
if report "$work/cpu.json" "$work/other.json" > "$work/table" 2> "$work/differ"; then
  echo "report.py does not find a wrong result"; exit 1
fi
grep -q 'results differ' "$work/differ"
