#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/gpu/gpu.sh [BUILD [STAGE...]]
#
# All tests that need a CUDA device: the suites, verify and demo on the device, random calls compared with
# the CPU, and compute-sanitizer's four tools over a part of these. Prints one line with its time per stage,
# and a summary. Exit status: 0 all passed, 1 a stage failed, 77 no device.
#
# BUILD: a folder with the programs, a build tree or an unpacked archive of `make gpu-bundle`, which needs
# neither Check nor libtool. Default: the folder of this script if it has the programs, else the source tree
# is built in ./build-gpu. STAGE: suites verify demo random memcheck racecheck initcheck synccheck (default:
# all). A stage whose tool is missing is skipped. Environment: CASES the number of random cases (10000);
# SIZES the sizes with which each random kernel is launched (20); LIMIT the seconds that a program may take
# (1200); ISOWARP_TEST_SEED; ISOWARP_TEST_BRIEF=1 shortens the suites; COMPUTE_SANITIZER the program.
set -u
LC_ALL=C; export LC_ALL
OMP_WAIT_POLICY=${OMP_WAIT_POLICY-passive}; export OMP_WAIT_POLICY
unset ISOWARP_BACKEND ISOWARP_ISA ISOWARP_THREADS ISOWARP_TEST_ON ISOWARP_TEST_CASE

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 0 ]; then
  build=$1
  shift
elif [ -x "$here/isowarp" ]; then
  build=$here
else
  build=build-gpu
  mkdir -p $build || exit 1
  ( cd $build && { [ -f config.status ] || "$here/../../configure" --quiet --with-cuda --disable-shared; } \
    && make -s -j"$(nproc)" all && make -s -j"$(nproc)" gpu-programs ) ||
    { echo "gpu.sh: the build failed"; exit 1; }
fi
build=$(cd "$build" && pwd) || exit 1
isowarp=$build/isowarp
# The programs of a bundle share the library in its folder.
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; export LD_LIBRARY_PATH
tests=$build
[ ! -d "$build/tests" ] || tests=$build/tests/suites
random_kernels=$build/random_kernels
[ -x "$random_kernels" ] || random_kernels=$build/tests/scripts/random_kernels
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
stages=${*:-suites verify demo random memcheck racecheck initcheck synccheck}
sanitizer=${COMPUTE_SANITIZER:-$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)}

# ---- The machine ----

echo "date: $(date -u +%Y-%m-%d)"
echo "version: $("$isowarp" info | sed -n 's/^version: //p')"
command -v nvidia-smi > /dev/null \
  && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader |
    sed 's/^/GPU, driver, memory: /'
command -v nvcc > /dev/null && nvcc --version | sed -n 's/^Cuda compilation tools, /toolkit here: /p'
[ -x "$sanitizer" ] && "$sanitizer" --version | sed -n 's/^Version /compute-sanitizer: /p'
sed -n 's/^model name[^:]*: /CPU: /p' /proc/cpuinfo | head -n 1
echo "CPUs: $(nproc)"
"$isowarp" info --backend cuda > "$work/info" 2>&1 || {
  sed "s|$build/||g" "$work/info"
  echo "gpu.sh: skipped, there is no CUDA device"
  exit 77
}
grep -E '^(why|instruction sets built):' "$work/info"

# ---- Stages ----

limited=
command -v timeout > /dev/null && limited="timeout -k 10 ${LIMIT:-1200}" # then the exit status is 124

passed=0 failed=0 skipped=0 began=$(date +%s)

# run NAME COMMAND...: runs the command with its output in $work/out, and returns its status.
run() {
  name=$1 start=$(date +%s)
  shift
  case $1 in
    clean) "$@" ;;
    *) $limited "$@" ;;
  esac > "$work/out" 2>&1
  status=$?
  seconds=$(($(date +%s) - start))
  return $status
}

# done_with STATUS [REMARKS]: prints the line of a stage; after a failure also its output, without paths.
done_with() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
    echo "PASS: $name${2:+: $2} ($seconds s)"
  else
    failed=$((failed + 1))
    echo "FAIL: $name${2:+: $2} ($seconds s), exit status $1:"
    sed "s|$build/||g; s|$work/||g; s/^/    /" "$work/out" |
      grep -Ev '^ +[a-z]+/[^ ]+ [0-9a-f]{16}$' | tail -n 60
  fi
}

last() { tail -n 1 "$work/out"; }
joined() { awk 'NR > 1 { printf "; " } { printf "%s", $0 }'; }
found() { sed -n "s/^# \($1\)/\1/p" "$work/out" | joined; }

# unit NAME PATTERN COMMAND...: a stage of unit tests, at least one of which has to run. PATTERN: remarks to
# print.
unit() {
  pattern=$2
  name=$1
  shift 2
  run "$name" "$@"
  status=$?
  checks=$(grep '^[0-9]*%: Checks' "$work/out")
  case $checks in
    *"Checks: 0,"* | "") [ $status -ne 0 ] || { echo "no test ran" >> "$work/out"; status=1; } ;;
  esac
  remarks=$(found "$pattern") summaries=$(summary)
  done_with $status "$checks${remarks:+; $remarks}${summaries:+; $summaries}"
}

# Each suite in one process, because initialising a device takes long.
suites() {
  for program in "$tests"/check_*; do
    case $program in
      *.* | *check_cuda) continue ;;
    esac
    test -x "$program" || continue
    unit "$(basename "$program")" 'on CUDA.*\|not on CUDA.*\|skipped:.*' env CK_FORK=no "$program"
  done
}

verify() {
  run "isowarp verify --backend cuda" "$isowarp" verify --backend cuda
  done_with $? "$(last)"
}

demo() {
  "$isowarp" demo --backend cpu > "$work/cpu" 2>&1
  run "isowarp demo --backend cuda" "$isowarp" demo --backend cuda
  status=$?
  [ $status -ne 0 ] || cat "$work/out"
  if [ $status -eq 0 ] && ! cmp -s "$work/cpu" "$work/out"; then
    diff "$work/cpu" "$work/out" | sed 's/^</CPU:  /; s/^>/CUDA: /'
    status=1
  fi
  done_with $status "$(wc -l < "$work/out") lines, and the same on the CPU"
}

random() {
  if [ -x "$random_kernels" ]; then
    run "random kernels" "$random_kernels" "${ISOWARP_TEST_SEED:-1}" "${SIZES:-20}" cpu cuda
    done_with $? "$(last)"
    run "random kernels, also on the simulated GPU" "$random_kernels" "${ISOWARP_TEST_SEED:-2}" 2 cpu sim cuda
    done_with $? "$(last)"
  fi
  unit "check_cuda, random" '.*random cases.*' \
    env CK_FORK=no CK_RUN_CASE=random ISOWARP_TEST_CASES="${CASES:-10000}" "$tests/check_cuda"
  unit "check_cuda, device" '.*replays.*\|.*runs of.*\|offload threshold.*\|others use.*\|a kernel that.*' \
    env CK_FORK=yes CK_RUN_CASE=device "$tests/check_cuda"
  if [ "$(nvidia-smi -L 2> /dev/null | wc -l)" -gt 1 ]; then
    unit "check_cuda, two devices" ' ' env CK_FORK=no CK_RUN_CASE="two devices" "$tests/check_cuda"
  else
    skipped=$((skipped + 1))
    echo "SKIP: check_cuda, two devices: there is one"
  fi
}

# clean COMMAND...: fails if the tool's status is not 0 or if one of its summaries has a finding, also one
# that the tool does not count as an error.
clean() {
  $limited "$@" > "$work/tool" 2>&1
  status=$?
  cat "$work/tool"
  [ $status -eq 0 ] || return $status
  grep -q 'SUMMARY: ' "$work/tool" || return 1
  ! grep 'SUMMARY: ' "$work/tool" | grep -Evq 'SUMMARY: 0 (errors|hazards|bytes)'
}
summary() { sed -n 's/^=* *\(.*SUMMARY: .*\)/\1/p' "$work/out" | joined; }

# sanitized TOOL OPTION...: small random calls of all kinds and types and a user's kernel, some cases of
# verify, and the demo, under a tool of compute-sanitizer.
sanitized() {
  tool=$1
  if [ ! -x "$sanitizer" ]; then
    skipped=$((skipped + 1))
    echo "SKIP: $tool: there is no compute-sanitizer"
    return
  fi
  shift
  unit "$tool of random calls" '.*random cases.*' clean \
    env CK_FORK=no CK_RUN_CASE=random ISOWARP_TEST_BRIEF=1 ISOWARP_TEST_CASES=250 ISOWARP_TEST_MOST=13 \
    "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 10 "$@" "$tests/check_cuda"
  run "$tool of verify" clean \
    "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 10 "$isowarp" verify --backend cuda \
    f32/wide/8193 i64/wide/33 f64/nan/1000 histogram/u8/near histogram/f32/runs multisplit/f32/nan/8193 \
    partition/f32/nan bf16/nan/33 f16/unit/129 i8/wide/129 u16/wide/33 bool/wide/33
  done_with $? "$(grep 'digests equal' "$work/out"); $(summary)"
  run "$tool of demo" clean \
    "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 10 "$isowarp" demo --backend cuda
  done_with $? "$(summary)"
}

for stage in $stages; do
  case $stage in
    suites | verify | demo | random) $stage ;;
    memcheck) sanitized memcheck --leak-check full ;;
    racecheck | initcheck | synccheck) sanitized $stage ;;
    *) echo "gpu.sh: there is no stage $stage"; exit 1 ;;
  esac
done

echo "gpu.sh: $passed passed, $failed failed, $skipped skipped, in $(($(date +%s) - began)) s"
[ $failed -eq 0 ]
