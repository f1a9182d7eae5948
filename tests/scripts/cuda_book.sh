#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The kernels of doc/cuda-book.md, cut out of the page: what is found in them, at the lines that the page
# says, under each schedule, and the results of the right ones. Skipped without a C++ compiler.
# ISOWARP_BOOK=CHAPTER.txt takes the kernels from there.

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
  # A run without a schedule has all four; what is wrong has to be found under each.
  for schedule in ${3:+ISOWARP_SIM_SCHEDULE=ascending ISOWARP_SIM_SCHEDULE=descending ISOWARP_SIM_SCHEDULE=random} all=; do
    env "$schedule" "$program" run letters.cu --kernel "$1" --grid 2 --block 32 --arg "data=\"$text\"" --arg length=41 \
      --arg 'histo=i32[14]=0' --result histo >out 2>err
    status=$?
    if [ -n "$3" ]; then
      cat err >>found
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
if [ -z "$ISOWARP_BOOK" ]; then
  # shows NAME STATUS PART OPTION…: in what `isowarp run` prints of a kernel
  shows() {
    name=$1 expected=$2 part=$3
    shift 3
    "$program" run letters.cu --kernel "$name" "$@" >out 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -- "$part" out >/dev/null && return
    failures=$((failures + 1))
    echo "FAILED: $name: status $status, without '$part'"
    cat out
  }
  # The weights of the mask whose neighbours are inside.
  convolved=$(awk 'BEGIN { for (i = 0; i < 64; i++) { r = int(i / 8); c = i % 8; printf " %d", 4 + (r > 0) + (r < 7) + (c > 0) + (c < 7) } }')
  shows convolution 0 "^out f32\[64\]:$convolved\$" --grid 2,2 --block 6,6 --arg 'in=f32[64]=1' \
    --arg 'out=f32[64]' --arg width=8 --arg height=8 --arg mask=0,1,0,1,4,1,0,1,0
  shows convolution 0 'nothing sets the __constant__ variable mask' --grid 2,2 --block 6,6 --arg 'in=f32[64]=1' \
    --arg 'out=f32[64]' --arg width=8 --arg height=8
  shows spmv_csr 0 '^y f32\[4\]: 3 3 0 10$' --grid 1 --block 32 --arg matrix.numRows=4 --arg matrix.rowPtrs=0,2,3,3,5 \
    --arg matrix.colIdx=0,1,2,0,3 --arg matrix.value=1,1,1,2,2 --arg x=1,2,3,4 --arg 'y=f32[4]' --result y
  shows spmv_csr 2 'give its members, each by --arg NAME.MEMBER=VALUE' --grid 1 --block 32 --arg matrix=1 --arg x=1,2,3,4 --arg 'y=f32[4]'
  shows kogge_stone 3 "^isowarp: race: letters.cu:$(line kogge_stone 'xy[threadIdx.x] += ') .* nor __syncwarp" --grid 1 --block 64 \
    --arg x=0:64 --arg 'y=f32[64]' --arg n=64
  cat out >>found
  # A null pointer is none of the results, and leads nowhere.
  echo '__global__ void copy(int *to, const int *from, int *also) { to[0] = from ? from[0] : 5; if (also) also[0] = 1; }' >null.cu
  null() { # OUTPUT STATUS FROM ALSO OPTION…
    output=$1 expected=$2 from=$3 also=$4
    shift 4
    "$program" run null.cu --kernel copy --grid 1 --block 1 --arg to=0 --arg from="$from" --arg also="$also" "$@" >out 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -x -- "$output" out >/dev/null && return
    failures=$((failures + 1))
    echo "FAILED: null.cu with $from $also: status $status"
    cat out
  }
  null 'to i32\[1\]: 5' 0 NULL nullptr
  null 'to i32\[1\]: 7' 0 7 NULL
  null 'also i32\[1\]: 1' 0 7 0
  null '.*also is a null pointer, which leads to no elements' 2 7 NULL --save also=@also.npy
  # The whole program.
  awk '/^```cpp/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >program.cu
  "$program" cuda program.cu -- 100 >printed 2>>found
  status=$?
  if [ $status -ne 3 ] || ! grep -F -- "\`$(cat printed)\`" "$page" >/dev/null; then
    echo "FAILED: program.cu: status $status"
    cat printed found
    failures=$((failures + 1))
  fi
  # What the pages show of findings is what is found, word by word. Another compiler may attribute an access to another line.
  if ! ${CXX:-g++} --version | grep clang >/dev/null; then
    awk '/^    isowarp: [a-z]*: / { shown = $0; next } /^    / && shown { shown = shown $0; next } shown { print shown; shown = "" }' \
      "$page" "$srcdir/doc/cuda.md" | tr -s ' ' | sed 's/^ //' >shown
    [ "$(wc -l <shown)" -eq 5 ] || { echo "FAILED: the pages show $(wc -l <shown) findings, expected 5"; failures=$((failures + 1)); }
    while read -r finding; do
      grep -F -x -- "$finding" found >/dev/null || { echo "FAILED: a page shows what is not found: $finding"; failures=$((failures + 1)); }
    done <shown
  fi
  # Vectors, 16-bit floats, structs in templates.
  cat >vectors.cu <<'END'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct twice { int by; __device__ int operator()(int v) const { return v * by; } };
template <typename T, int N, class F> __global__ void map(T *x, const float4 *p, float3 g, dim3 d, half a, __nv_bfloat16 *b, half2 *c, F f)
{
  const int i = threadIdx.x;
  if (i < N) {
    x[i] = f(p[i].x + p[i].w + g.y + d.z);
    b[i] = __float2bfloat16(__half2float(a) * i);
    c[i] = half2(a, i);
  }
}
END
  # mapped RESULT OPTION…
  mapped() {
    printf '%s\n' "$1" >right
    shift
    "$program" run vectors.cu --kernel 'map<int, 2, twice>' --grid 1 --block 32 --arg x=0,0 --arg p=0:8 --arg g=0,10,0 --arg d=1,1,2 \
      --arg a=1.5 --arg 'b=[2]' --arg 'c=[4]' --arg f.by=2 "$@" >out 2>&1
    cmp out right || { echo "FAILED: vectors.cu $*"; cat out; failures=$((failures + 1)); }
  }
  mapped 'x i32[2]: 30 46
b bf16[2]: 0 1.5
c f16[4]: 1.5 0 1.5 1'
  mapped 'b bf16[2]: 0 1.5' --result b
fi
[ $failures -eq 0 ] || exit 1
echo "six kernels under four schedules, and four more"
