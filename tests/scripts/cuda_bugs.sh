#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Planted bugs in CUDA C++ (tests/cuda_bugs): each is found at its line with its kind, and nothing is found
# in its twin. A bug's line has the comment "// BUG kind". Skipped without a C++ compiler.
# CUDA_BUGS='race:3 bounds:1' runs only these cases.

folder=$(cd "$(dirname "$0")/.." && pwd)/cuda_bugs
program=${ISOWARP:-${top_builddir:-.}/isowarp}
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

if ! ${CXX:-g++} --version >/dev/null 2>&1; then
  echo "no C++ compiler: planted bugs in CUDA C++ are not tried"
  exit 77
fi
if ! echo 'int main() { return 0; }' >"$work/probe.cu" || ! "$program" cuda "$work/probe.cu" >"$work/probe" 2>&1; then
  echo "the C++ compiler does not build programs for the simulated GPU here: planted bugs are not tried"
  cat "$work/probe"
  exit 77
fi

# one FILE CASE: prints FAILED and what was found, or nothing.
cat >"$work/one" <<'END'
# The twins of tests of the compiler are tried by hand: CUDA_BUGS_TWINS=all.
name=$1
number=$2
file=$folder/$name.cu
out=$work/$name-$number
# The line "// BUG kind" of the case: behind its #if or #elif.
[ "$name" = hooks ] && is_of_all=1 || is_of_all=0 # behind its last #endif
expected=$(awk -v is_of_all=$is_of_all -v wanted="CASE == $number" '/^#(if|elif) CASE/ { is_in = $0 ~ wanted "( |$)" } /^#endif/ { is_in = is_of_all } is_in && match($0, /\/\/ BUG [a-z]+/) {
  print substr($0, RSTART + 7) ": '"$name"'.cu:" NR }' "$file")
check=all
[ "$name" = fence ] && check=all,fence
fixed_too=-DFIXED
[ "$name" = clean ] && fixed_too=
[ "$name" = hooks ] && [ -z "$CUDA_BUGS_TWINS" ] && fixed_too=
for fixed in '' $fixed_too; do
  CXXFLAGS="$CXXFLAGS -DCASE=$number $fixed" "$program" cuda --check $check "$file" >"$out" 2>"$out.err"
  status=$?
  if [ -z "$fixed" ] && [ -n "$expected" ]; then
    kind=${expected%%: *}
    place=${expected#*: }
    if [ $status -ne 3 ] || ! grep -v '^isowarp: note' "$out.err" | grep "^isowarp: $kind: .*$place\\b" >/dev/null; then
      echo "FAILED: case $number of $name: expected '$expected' and exit status 3, got $status"
      cat "$out.err"
    fi
  elif [ $status -ne 0 ] || grep -v '^isowarp: note: \(barrier\|race\|undefined\)' "$out.err" >/dev/null; then
    echo "FAILED: case $number of $name $fixed: exit status $status, expected none"
    cat "$out.err"
  fi
done
END

cases=${CUDA_BUGS:-$(for file in "$folder"/*.cu; do
  awk -v name="$(basename "$file" .cu)" '/^#(if|elif) CASE ==/ { print name ":" $4 }' "$file"
done)}
# What cannot run is one sentence with the line.
refused() {
  printf '%s\n' "$2" >"$work/refused.cu"
  "$program" cuda "$work/refused.cu" >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne 2 ] || ! grep "refused.cu:$1" "$work/err" >/dev/null || ! grep "cannot run" "$work/err" >/dev/null; then
    echo "FAILED: exit status $status of: $2"
    cat "$work/err"
  fi
}
refused 2 '__global__ void kernel(int *x) {
  asm("mov.u32 %0, %laneid;" : "=r"(*x)); }
int main() {}' >"$work/refusals"
refused 2 '
texture<float, 1> table;
int main() {}' >>"$work/refusals"
refused 2 '__global__ void inner() {} __global__ void kernel() {
  inner<<<1, 1>>>(); }
int main() { kernel<<<1, 1>>>(); }' >>"$work/refusals"
refused 1 '#include <cublas_v2.h>
int main() {}' >>"$work/refusals"
# What a user wrote wrongly is an error that says so, and nothing runs.
wrong() { # WORDS VARIABLE=VALUE... COMMAND...
  words=$1
  shift
  env "$@" >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne 2 ] || [ -s "$work/out" ] || ! grep -F -- "$words" "$work/err" >/dev/null; then
    echo "FAILED: exit status $status, without '$words', of: $*"
    cat "$work/out" "$work/err"
  fi
}
cat >"$work/wrong.cu" <<'END'
#include <cstdio>
int main() { puts("ran"); }
END
echo '__global__ void kernel(int *x) { x[0] = 1; }' >"$work/kernel.cu"
"$program" cuda -o "$work/wrong" "$work/wrong.cu"
for value in SEED=abc SEED=-1 SEED=99999999999999999999 SCHEDULE=up SCHEDULE=priority CHECKS=racing REPORT="$work/no/report"; do
  wrong "ISOWARP_SIM_${value%%=*}" "ISOWARP_SIM_$value" "$work/wrong"
done >>"$work/refusals"
for sizes in '1 2000' '1 32,33' '1 1,1,65' '1,65536 1' '0 1' '1 0'; do
  wrong 'isowarp: --' "$program" run "$work/kernel.cu" --kernel kernel --grid "${sizes% *}" --block "${sizes#* }" --arg 'x=i32[1]=0'
done >>"$work/refusals"
printf '%s\n' '__global__ void kernel(int *x) { x[0] = 1; }' 'int main() { return 0; }' >"$work/whole.cu"
wrong "whole.cu:2: the file has a main(), which 'isowarp cuda" "$program" run "$work/whole.cu" \
  --kernel kernel --grid 1 --block 1 --arg 'x=i32[1]=0' >>"$work/refusals"
wrong "has no main(), which a program begins with; 'isowarp run $work/kernel.cu --kernel NAME' runs" "$program" cuda "$work/kernel.cu" \
  >>"$work/refusals"
wrong "wrong.cu:2: the program has a second main(), beside that of $work/whole.cu:2" "$program" cuda "$work/whole.cu" "$work/kernel.cu" \
  "$work/wrong.cu" >>"$work/refusals"
wrong "100: No such file or directory; arguments of the program stand behind --, as in 'isowarp cuda $work/whole.cu -- 100'" \
  "$program" cuda "$work/whole.cu" 100 >>"$work/refusals"
# A file with main() is one of kernels once the preprocessor has given main another name.
CXXFLAGS="$CXXFLAGS -Dmain=program" "$program" run "$work/whole.cu" --kernel kernel --grid 1 --block 1 --arg 'x=i32[1]=0' >"$work/out" 2>&1
grep '^x i32\[1\]: 1$' "$work/out" >/dev/null || { echo "FAILED: -Dmain=program"; cat "$work/out"; } >>"$work/refusals"

# A program without its runtime says so before it compiles anything.
cat >"$work/cxx" <<END
#!/bin/sh
echo "\$*" >>"$work/compiled"
exec ${CXX:-g++} "\$@"
END
chmod +x "$work/cxx"
mkdir "$work/bare" "$work/bare/bin"
copied=${program%/*}/.libs/isowarp # the program itself is a script of libtool
[ -x "$copied" ] || copied=$program
cp "$copied" "$work/bare/bin/isowarp"
source=$(cd "$(dirname "$0")/../.." && pwd)
for how in "cuda $work/wrong.cu" "run $work/kernel.cu --kernel kernel --grid 1 --block 1 --arg x=i32[1]=0"; do
  # shellcheck disable=SC2086
  LD_LIBRARY_PATH=${copied%/*}:$LD_LIBRARY_PATH ISOWARP_CFLAGS="-I$source/include" CXX=$work/cxx \
    "$work/bare/bin/isowarp" $how >"$work/out" 2>"$work/err"
  status=$?
  # Another runtime may be installed.
  if [ $status -ne 0 ] && { ! grep 'libisowarp-simt.a is missing' "$work/err" >/dev/null || [ -e "$work/compiled" ]; }; then
    echo "FAILED: exit status $status of '$how' without the runtime, which compiled"
    cat "$work/err" "$work/compiled"
  fi
done >>"$work/refusals"

# What CUDA tells only a program that looks at its errors is a note, and a place is named by what is nearest.
cat >"$work/says.cu" <<'END'
__global__ void kernel(int *x) { x[(int)threadIdx.x - 3] = 1; }
__global__ void previous(int *x) { x[blockIdx.x - 2] = 1; }
__global__ void next(int *x, int by)
{
  __shared__ int s[128];
  s[threadIdx.x] = 1;
  __syncthreads();
  if (s[threadIdx.x + by] == 7)
    x[0] = 1;
}
__global__ void between(int *x)
{
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = *(int *)((char *)&s[threadIdx.x] + (threadIdx.x == 3));
}
__global__ void sizes(int *x) // blockDim and gridDim where a dim3 is expected
{
  const dim3 &a = blockDim;
  const dim3 b = threadIdx.x > 99 ? blockDim : gridDim, c(gridDim);
  x[threadIdx.x] = a.x + b.x + c.x;
}
int main(int, char **arguments)
{
  int h[64] = {}, *a, *b; cudaStream_t s;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 256);
  cudaMemset(a, 0, 256);
  switch (arguments[1][0]) {
  case '0': kernel<<<1, 2048>>>(a); break;
  case '1': kernel<<<0, 32>>>(a); break;
  case '2': kernel<<<1, 32, 1 << 20>>>(a); break;
  case '3': cudaMemcpy(h, a, 256, cudaMemcpyHostToDevice); break;
  case '4': cudaMemcpy(a, 0, 256, cudaMemcpyHostToDevice); break;
  case '5': kernel<<<1, 1>>>(b); break;
  case '6': previous<<<1, 1>>>(b); break;
  case '7': next<<<1, 128>>>(a, 1); break;
  case '8': cudaStreamCreate(&s), cudaStreamDestroy(s), fputs(cudaGetErrorName(cudaStreamSynchronize(s)), stderr); break;
  case '9': between<<<1, 32>>>(a), sizes<<<1, 32>>>(a); break;
  }
}
END
"$program" cuda -o "$work/says" "$work/says.cu"
says() { # CASE STATUS WORDS
  "$work/says" "$1" >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne "$2" ] || ! grep -F -- "$3" "$work/err" >/dev/null; then
    echo "FAILED: exit status $status, without '$3', of case $1 of says.cu"
    cat "$work/err"
  fi
}
{
  says 0 0 'note: progress: says.cu:31 kernel: the launch of kernel is not run: a block has 1 to 1024 threads, not 2048'
  says 1 0 'the launch of kernel is not run: a grid has'
  says 2 0 'the launch of kernel is not run: a block has at most 232448 bytes of shared'
  says 3 0 'note: bounds: says.cu:34 kernel: nothing is copied, as the destination is no memory of the device'
  says 4 0 'nothing is copied, as the source is a null pointer'
  says 5 3 'writes 4 bytes at 12 bytes in front of 256 bytes of global memory (allocated at says.cu:28)'
  says 6 3 'writes 4 bytes at 8 bytes in front of 256 bytes of global memory (allocated at says.cu:28): the index -2 without a sign'
  says 7 3 'bounds: says.cu:8 next: block 0 thread 127 (warp 3 lane 31) uses the index 128 of'
  [ "$(wc -l <"$work/err")" -eq 1 ] || { echo "FAILED: more than the index is found"; cat "$work/err"; }
  says 8 0 'cudaErrorInvalidResourceHandle'
  says 9 3 "misaligned: block 0 thread 3 (warp 0 lane 3) accesses 'int' at byte 13 of shared"
  [ "$(wc -l <"$work/err")" -eq 1 ] || { echo "FAILED: more than the misaligned access is found"; cat "$work/err"; }
} >>"$work/refusals"

# What an access conflicts with need not be the last one of the word, which one schedule shows.
cat >"$work/cells.cu" <<'END'
__global__ void kernel(int *x, int *out, int how)
{
  const int t = threadIdx.x, b = blockIdx.x;
  if (how < 2 && b == 0) {
    out[t] = *x;
    if (t == blockDim.x - 1)
      *x = 1; // BUG 0 1
  }
  if (how == 2)
    atomicAdd(x, 1);
  if (how == 3 && b == 0 && t == 0)
    *(volatile int *)x = 1;
  if (how == 3 && b == 1)
    atomicAdd(x, 1);
  if (how == 4 && b == 0 && t < 64)
    out[t] = *x;
  __syncthreads();
  if (how == 4 && b == 0 && t == 64)
    out[t] = *x;
  if (how == 4 && b == 0 && t == 96)
    *x = *x + 1; // BUG 4
  if (how == 2 && b == 1 && t == 0)
    *out = *x; // BUG 2
  if (how == 3 && b == 1 && t == 0)
    *x = 5; // BUG 3
}
int main(int, char **arguments)
{
  int *x;
  cudaMalloc(&x, 1024);
  cudaMemset(x, 0, 1024);
  const int how = arguments[1][0] - '0';
  kernel<<<2, how == 1 ? 32 : how == 4 ? 128 : 64>>>(x, x + 1, how);
}
END
"$program" cuda -o "$work/cells" "$work/cells.cu"
for how in 0 1 2 3 4; do
  ISOWARP_SIM_SCHEDULE=ascending "$work/cells" $how >"$work/out" 2>"$work/err"
  line=$(grep -n "// BUG.* $how" "$work/cells.cu" | cut -d: -f1)
  if ! grep "^isowarp: race: cells.cu:$line " "$work/err" >/dev/null; then
    echo "FAILED: no race in line $line of case $how of cells.cu"
    cat "$work/err"
  fi
done >>"$work/refusals"

# A shuffle takes a value from a lane that has ended: an error if what the kernel leaves in memory depends on it, and
# otherwise a note, also in a program whose memory differs from run to run.
cat >"$work/shuffled.cu" <<'END'
__device__ int *place; // memory holds an address, which is the same in each run
__global__ void kernel(int *x, int how)
{
  const int lane = threadIdx.x;
  int v = lane + 1, t;
  if (how == 3 && lane == 0)
    x[1] = (int)clock64();
  if (lane >= 10)
    return;
  for (int o = 16; o > 0; o /= 2) {
    t = __shfl_down_sync(0xffffffffu, v, o); // taken
    v = how == 0 ? v + t : how == 1 ? max(v, t) : how == 2 ? min(v, t) : lane + o < 10 ? v + t : v;
  }
  if (lane == 0 && (how < 4 || t > 0))
    x[0] = v;
}
int main(int, char **arguments)
{
  int *x, h;
  cudaMalloc(&x, 8);
  cudaMemset(x, 0, 8);
  cudaMemcpyToSymbol(place, &x, sizeof x);
  kernel<<<1, 32>>>(x, arguments[1][0] - '0');
  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
  return arguments[1][0] > '2' && h != 55; // 1 + 2 + … + 10
}
END
"$program" cuda -o "$work/shuffled" "$work/shuffled.cu"
line=$(grep -n '// taken' "$work/shuffled.cu" | cut -d: -f1)
shuffled() { # HOW STATUS
  for schedule in ISOWARP_SIM_SCHEDULE=random all=; do
    env "$schedule" "$work/shuffled" "$1" >"$work/out" 2>"$work/err"
    status=$?
    grep "^isowarp: divergence: shuffled.cu:$line kernel: .* has ended, and what .* depends on this value" "$work/err" >/dev/null
    is_found=$?
    if [ $status -ne "$2" ] || [ $is_found -ne $(($2 == 0)) ] ||
      ! grep "^isowarp: note: divergence: shuffled.cu:$line .* where it is used, the result is wrong" "$work/err" >/dev/null; then
      echo "FAILED: exit status $status of case $1 of shuffled.cu, $schedule"
      cat "$work/err"
    fi
  done
}
for how in 0 1 2; do shuffled $how 3; done >>"$work/refusals"
for how in 3 4; do shuffled $how 0; done >>"$work/refusals"

# A kernel that the preprocessor has emptied is told, and no other.
printf '%s\n' '__global__ void left_out()' '{' '#if __CUDA_ARCH__ >= 700' '  __syncthreads();' '#endif' '}' \
  '__global__ void empty() {}' 'int main() {}' >"$work/left_out.cu"
"$program" cuda -o "$work/left_out" "$work/left_out.cu" 2>"$work/err"
if [ "$(grep -c 'left_out.cu:2: nothing of the kernel left_out is compiled' "$work/err")" -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ]; then
  echo "FAILED: a kernel within #if __CUDA_ARCH__ is not told"
  cat "$work/err"
fi >>"$work/refusals"

# An overrun of the program's variables is found, and changes nothing that findings are made of.
cat >"$work/overrun.cu" <<'END'
#include <cstdlib>
#include <cstring>
__device__ int d[4] = { 1 };
__managed__ int z[4];
__constant__ int c[4];
__global__ void kernel(int how, int n)
{
  extern __shared__ int s[];
  int *const p = how == 0 ? d : how == 1 ? z : how == 2 ? (int *)c : s;
  const uint3 &thread = threadIdx;
  for (int i = thread.x; how < 4 && i < n; i += blockDim.x)
    p[i] = i << 24 | 1000000; // BUG
  if (how == 4 && thread.x < n)
    z[thread.x] = 1000000; // BUG
  if (how == 5 && thread.x == 0)
    memset(z, 1, n); // BUG
  if (how == 6)
    atomicAdd(&d[n], 1); // BUG
}
int main(int, char **arguments)
{
  void *const h = calloc(1, 1 << 20);
  const int how = atoi(arguments[1]), n = atoi(arguments[2]);
  if (how == 7)
    return cudaMemcpyToSymbol(z, h, n) != cudaErrorInvalidValue; // BUG
  kernel<<<1, 1024, 16>>>(how, n);
  return 0;
}
END
"$program" cuda -o "$work/overrun" "$work/overrun.cu"
lines="overrun.cu:\\($(grep -n '// BUG' "$work/overrun.cu" | cut -d: -f1 | paste -sd'|' | sed 's/|/\\|/g')\\)"
for case in '0 300' '0 200000' '1 300' '1 20000' '1 200000' '2 300' '2 200000' '3 300' '3 200000' '4 44' '4 1024' '5 2000' \
            '5 800000' '6 200' '6 20000' '7 2000' '7 800000'; do
  # shellcheck disable=SC2086
  (ulimit -t 20; "$work/overrun" $case) >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne 3 ] || grep -v "^isowarp: bounds: $lines [a-z]*: " "$work/err" >/dev/null; then
    echo "FAILED: exit status $status of case $case of overrun.cu"
    cat "$work/err"
  fi
done >>"$work/refusals"
"$work/overrun" 1 300 2>&1 | grep -E 'behind the end of [cz] \(16 bytes\)' >/dev/null ||
  echo "FAILED: an overrun of a variable is not told by its name" >>"$work/refusals"

# A wait that cannot end is a finding at once, however many threads wait.
cat >"$work/waits.cu" <<'END'
#include <cuda/barrier>
__device__ cuda::atomic<int> never;
__global__ void kernel(int how)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0)
    init(&all, blockDim.x + 1);
  __syncthreads();
  switch (how) {
  case 0: all.arrive_and_wait(); break;
  case 1: all.wait(all.arrive()); break;
  case 2: all.wait_parity(false); break;
  case 3: never.wait(0); break;
  }
}
int main(int, char **arguments) { kernel<<<4, 512>>>(arguments[1][0] - '0'); }
END
"$program" cuda -o "$work/waits" "$work/waits.cu"
for how in 0 1 2 3; do
  for schedule in ascending random; do
    (ulimit -t 4; ISOWARP_SIM_SCHEDULE=$schedule "$work/waits" $how) >"$work/out" 2>"$work/err"
    status=$?
    if [ $status -ne 3 ] || ! grep "2048 threads poll at waits.cu:1[0-3]" "$work/err" >/dev/null; then
      echo "FAILED: exit status $status of case $how of waits.cu, $schedule"
      cat "$work/err"
    fi
  done
done >>"$work/refusals"

# --explore runs a program until a schedule has a finding, and gives each run its input from the beginning.
cat >"$work/explored.cu" <<'END'
#include <cstdio>
__global__ void order(int *first, int *bad, int steps)
{
  const int mine = atomicAdd(first, 1);
  if (blockIdx.x == 0 && mine == steps)
    bad[0] = 1;
}
int main()
{
  int *x, steps;
  if (scanf("%d", &steps) != 1)
    return 1;
  cudaMallocManaged(&x, 8);
  order<<<8, 1>>>(x, x + 1, steps);
  cudaDeviceSynchronize();
  return x[1] ? 4 : 0;
}
END
explored() { # STATUS WORDS INPUT OPTION…
  expected=$1 words=$2 input=$3
  shift 3
  echo "$input" >"$work/input"
  "$program" cuda "$@" "$work/explored.cu" <"$work/input" >"$work/out" 2>&1
  status=$?
  if [ $status -ne "$expected" ] || ! grep -- "$words" "$work/out" >/dev/null; then
    echo "FAILED: exit status $status, without '$words', of --explore"
    cat "$work/out"
  fi
}
explored 4 'run 2 differs or has a finding. Replay: ISOWARP_SIM_SEED=1 ISOWARP_SIM_SCHEDULE=descending$' 7 --explore 60 >>"$work/refusals"
explored 0 'nothing was found in [0-9]* runs under [0-9]* schedules' 9 --explore 1 >>"$work/refusals"
explored 2 'takes none of --watch' 9 --explore 1 --count >>"$work/refusals"

export folder program work CXXFLAGS
echo "$cases" | tr ' ' '\n' | sed 's/:/ /' >"$work/cases"
xargs -P 2 -n 2 sh "$work/one" <"$work/cases" >"$work/failures"
# Clang threads jumps at -O2 only.
if [ -z "$CUDA_BUGS" ] && clang++ --version >/dev/null 2>&1; then
  CXX=clang++ CXXFLAGS="$CXXFLAGS -O2" sh "$work/one" race 14 >>"$work/failures"
fi
cat "$work/refusals" >>"$work/failures"
cat "$work/failures"
if grep FAILED "$work/failures" >/dev/null; then
  echo "$(grep -c FAILED "$work/failures") of $(wc -l <"$work/cases") cases failed"
  exit 1
fi
echo "$(wc -l <"$work/cases") planted bugs and their twins"
