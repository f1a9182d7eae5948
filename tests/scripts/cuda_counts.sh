#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What kernels in CUDA C++ cost (isowarp run --count, isowarp cuda --count): the numbers follow from the
# definitions, for a transposition of 32 x 32 floats by one block, with and without padding, and for a loop
# whose lanes leave one by one; and what a trace shows.

program=${ISOWARP:-${top_builddir:-.}/isowarp}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
echo 'int main() { return 0; }' >"$work/probe.cu"
if ! "$program" cuda "$work/probe.cu" >"$work/probe" 2>&1; then
  echo "the C++ compiler does not build programs for the simulated GPU here: costs are not tried"
  exit 77
fi

cat >"$work/counts.cu" <<'END'
#ifndef PAD
#define PAD 0
#endif
__global__ void transpose(const float *in, float *out, unsigned *bins)
{
  __shared__ float tile[32][32 + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  __syncthreads();
  out[x * 32 + y] = tile[y][x];
  out[1024 + y * 32 + x] = tile[x][y];
  atomicAdd(&bins[x % 4], 1u);
}
__global__ void leaves(const float *in, float *out)
{
  float sum = 0;
  for (int i = 0; i <= threadIdx.x % 4; i++)
    sum += in[i * 32 + threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + __shfl_xor_sync(0xffffffffu, sum, 1);
}
#ifdef PROGRAM
int main()
{
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  for (int i = 0; i < 3; i++)
    leaves<<<1, 32>>>(in, out);
  return cudaDeviceSynchronize();
}
#endif
END

failed=0
# expect NAME PATTERN: a line of the report, in which each blank stands for one or more.
expect() {
  if ! tr -s ' ' <"$work/out" | grep -e "$2" >/dev/null; then
    echo "FAILED: $1: there is no '$2' in"
    cat "$work/out"
    failed=1
  fi
}
transpose() {
  CXXFLAGS="-DPAD=$1" "$program" run "$work/counts.cu" --kernel transpose --grid 1 --block 32,32 \
    --arg 'in=f32[1024]=1' --arg 'out=f32[2048]=0' --arg 'bins=u32[4]=0' --result bins --count \
    >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
}
# Columns: memory, lanes, requests, sectors, ideal, wavefronts, ideal, rounds, barriers, between.
transpose 0
expect 'a row is 4 sectors' '^ counts.cu:8 load 32 32.0 32 128 128 0 0 0 0 0$'
expect 'a row is one wavefront' '^ counts.cu:8 store 32 32.0 0 0 0 32 32 0 0 0$'
expect 'a barrier of 32 warps' '^ counts.cu:9 warp 0 0.0 0 0 0 0 0 0 32 0$'
expect 'a column is 32 sectors' '^ counts.cu:10 store 32 32.0 32 1024 128 0 0 0 0 0$'
expect 'a column is 32 wavefronts' '^ counts.cu:11 load 32 32.0 0 0 0 1024 32 0 0 0$'
expect 'eight lanes have one bin' '^ counts.cu:12 atomic 32 32.0 32 32 32 0 0 256 0 0$'
expect 'bytes, each sector once' '^ isowarp__bytes_read 4128$'
expect 'bytes that are written' '^ isowarp__bytes_written 8224$'
transpose 1
expect 'a padded column is one wavefront' '^ counts.cu:11 load 32 32.0 0 0 0 32 32 0 0 0$'

CXXFLAGS=-DPROGRAM "$program" cuda --count "$work/counts.cu" >"$work/out" 2>&1 ||
  { cat "$work/out"; failed=1; }
expect 'three launches' '^leaves: 3 launches, the last with 1 blocks of 32 threads$'
expect 'lanes leave: 32, 24, 16 and 8' '^ counts.cu:18 load 12 20.0 12 48 '
expect 'blockIdx and blockDim are no memory' '^ smsp__inst_executed_op_global_ld.sum 12$'
expect 'a shuffle' '^ counts.cu:19 warp 0 0.0 0 0 0 0 0 0 0 3$'
CXXFLAGS=-DPROGRAM "$program" cuda --count="$work/file.txt" "$work/counts.cu" >"$work/out" 2>&1
cmp -s "$work/out" /dev/null || { echo "FAILED: --count=FILE prints"; failed=1; }
cp "$work/file.txt" "$work/out"
expect 'the file names the device' '^a simulated NVIDIA H200$'
expect 'the file has the launches' '^leaves: 3 launches, the last with 1 block of 32 threads; at least '
expect 'the file has the counts beside the source' '^ 12 32.0 20.0 12 48 30 18 sum += in'
CXXFLAGS=-DPROGRAM "$program" cuda --count="$work/file.html" "$work/counts.cu" >"$work/out" 2>&1
cmp -s "$work/out" /dev/null || { echo "FAILED: --count=FILE prints"; cat "$work/out"; failed=1; }
cp "$work/file.html" "$work/out"
expect 'a page has the lines with counts' '<tr class="counted" title="load"><td>12</td>'
expect 'a page has the source' 'sum += in\[i'

# Pictures of what the lanes held: loads, shuffles with their sources, stores, and the array that they wrote.
cat >"$work/sums.cu" <<'END'
__global__ void sums(const float *in, int *out)
{
  __shared__ float part[4];
  float x = in[threadIdx.x];
  for (int d = 4; d > 0; d /= 2)
    x += __shfl_down_sync(0xffffffff, x, d, 8);
  if (threadIdx.x % 8 == 0)
    part[threadIdx.x / 8] = x;
  __syncthreads();
  if (threadIdx.x < 4)
    out[threadIdx.x] = part[3 - threadIdx.x];
  if (threadIdx.x < 2)
    atomicAdd(&out[4], 1);
}
#ifdef PROGRAM
int main()
{
  float *in, host[32] = { 7 };
  int *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sums<<<1, 32>>>(in, out);
}
#endif
END
"$program" run "$work/sums.cu" --grid 1 --block 32 --arg in=0:32 --arg 'out=i32[5]=0' --trace "$work/out.txt" \
  >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
cp "$work/out.txt" "$work/out"
expect 'a load' '^ sums.cu:4 load(in)$'
expect 'its lanes' '^ warp 0 0 1 2 3 4 5 6 7 8 9 10 .* 31$'
expect 'sources of a shuffle' '^ from 1 2 3 4 5 6 7 7 9 10 .* 31 31$'
expect 'values of a shuffle' '^ warp 0 16 16 20 20 24 24 28 28 48 '
expect 'a store' '^ warp 0 28 \. \. \. \. \. \. \. 92 \. '
expect 'what an interval wrote' '^ 0 28 92 156 220$'
expect 'the next interval' '^launch 1: sums, block 0 of 1, interval 2$'
expect 'values of atomics' '^ warp 0 1 2 \. \. '
expect 'a result' '^ 0 220 156 92 28 2$'
CXXFLAGS=-DPROGRAM "$program" cuda --trace "$work/page.html" "$work/sums.cu" >"$work/out" 2>&1
expect 'a note of what nothing has written' 'reads 4 bytes at byte 16 of'
cp "$work/page.html" "$work/out"
expect 'memory of a program' 'sums.cu:11 store(memory of line 21)'

# When warps waited: at a barrier, and for what another block writes.
cat >"$work/chain.cu" <<'END'
__global__ void chain(volatile int *flag, int *data)
{
  __shared__ int part[64];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (flag[blockIdx.x] == 0) {}
    __threadfence();
    data[blockIdx.x + 1] = data[blockIdx.x] + part[63];
    __threadfence();
    flag[blockIdx.x + 1] = 1;
  }
}
END
timeline() { # STATUS FLAG SCHEDULE
  ISOWARP_SIM_SCHEDULE=$3 "$program" run "$work/chain.cu" --grid 4 --block 64 --arg "flag=$2" --arg 'data=i32[5]=0' \
    --timeline "$work/out.json" --trace "$work/beside.txt" >"$work/out" 2>&1
  [ $? -eq "$1" ] || { echo "FAILED: a timeline"; cat "$work/out"; failed=1; }
  ${PYTHON:-python3} "$(dirname "$0")/timeline.py" "$work/out.json" >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
  expect 'a timeline' "^launch 1: chain, 4 blocks of 64 threads; 4 barrier, 8 kernel, 1 launch, [0-9]* poll\$"
}
if ${PYTHON:-python3} -c 'import json' 2>/dev/null; then
  timeline 0 1,0,0,0,0 descending
  timeline 3 0,0,0,0,0 ascending
  cp "$work/beside.txt" "$work/out"
  expect 'a trace beside a timeline' ' chain.cu:4 store(part)$'
  printf '__global__ void nothing() {}\nint main() { nothing<<<2, 64>>>(); nothing<<<2, 64>>>(); cudaDeviceSynchronize(); }\n' >"$work/two.cu"
  "$program" cuda --timeline "$work/out.json" "$work/two.cu" >/dev/null 2>&1 &&
    ${PYTHON:-python3} "$(dirname "$0")/timeline.py" "$work/out.json" >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
  expect 'a timeline of two launches' '^launch 2: nothing, 2 blocks of 64 threads; 4 kernel, 1 launch$'
fi
exit $failed
