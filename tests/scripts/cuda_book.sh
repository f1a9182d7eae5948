#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The kernels of doc/cuda-book.md, cut out of the page: what is found in them, at the lines that the page says, under each schedule,
# and the results of the right ones. Skipped without a C++ compiler. ISOWARP_BOOK=CHAPTER.txt takes the kernels from there.

srcdir=$(cd "${srcdir:-..}" && pwd) || exit 99
program=${ISOWARP:-${top_builddir:-.}/isowarp}
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
if ! ${CXX:-g++} --version >/dev/null 2>&1; then
  echo "no C++ compiler: the kernels of the page are not tried"
  exit 77
fi
cd "$work" || exit 99
page=${ISOWARP_BOOK:-$srcdir/doc/cuda-book.md}
{
  if [ -n "$ISOWARP_BOOK" ]; then printf '#define NUM_BINS 7\n#define CFACTOR 4\n'; fi
  awk '/^```cuda/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page"
} >letters.cu
failures=0
text='programming massively parallel processors'

# kernel NAME HISTOGRAM FINDING: FINDING is "", or a part of what is found
kernel() {
  for schedule in ascending descending "random ISOWARP_SIM_SEED=1" "random ISOWARP_SIM_SEED=2"; do
    env ISOWARP_SIM_SCHEDULE=$schedule "$program" run letters.cu --kernel "$1" --grid 2 --block 32 --arg "data=\"$text\"" --arg length=41 \
      --arg 'histo=i32[14]=0' >out 2>err
    status=$?
    if [ -n "$3" ]; then
      grep "^isowarp: $3" err >/dev/null && [ $status -eq 3 ] && continue
    elif [ $status -eq 0 ] && [ ! -s err ] && grep "^histo i32\[14\]: $2" out >/dev/null; then
      continue
    fi
    failures=$((failures + 1))
    echo "FAILED: $1 under $schedule: status $status"
    cat out err
  done
}

# The line of the first text that contains PART behind the kernel's name.
line() { awk -v name="$1" -v part="$2" 'index($0, name "(") { inside = 1 } inside && index($0, part) { print NR; exit }' letters.cu; }

# As a plain loop counts them.
right=$(echo "$text" | fold -w 1 | awk '{ k = index("abcdefghijklmnopqrstuvwxyz", $0); if (k) count[int((k - 1) / 4)]++ }
  END { for (i = 0; i < 7; i++) printf "%d%s", count[i], i < 6 ? " " : "" }')
kernel histogram_kernel "$right 0 0"
kernel histogram_privatized_kernel "" "race: letters.cu:\($(line histogram_privatized_kernel 'histo[binIdx]), privateVal')\|$(line histogram_privatized_kernel 'int privateVal')\) "
kernel histogram_privatized_shared_kernel "$right 0 0"
kernel histogram_coarsening_contiguous "0 0 0"
kernel histogram_coarsening_interleaved "0 0 0"
kernel histogram_aggregated_kernel "" "undefined: letters.cu:\($(line histogram_aggregated_kernel 'histo_s[prevBinIdx]), accumulator')\|$(awk '/histo_s\[prevBinIdx\]\), accumulator/ { n = NR } END { print n }' letters.cu)\) "
[ $failures -eq 0 ] || exit 1
echo "six kernels under four schedules"
