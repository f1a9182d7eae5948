#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plain C of kernels on the simulated GPU (tests/plain_c): each planted bug is found at its line with its
# kind, and nothing is found in its twin. Skipped where the compiler has no hooks for it.
# PLAIN_C_OPTIMIZE='-O0 -O2' tries these.

folder=$(cd "$(dirname "$0")/.." && pwd)/plain_c
program=${ISOWARP:-${top_builddir:-.}/isowarp}
file=$folder/kernels.c
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

run() { # kernel, more options
  kernel=$1
  shift
  CFLAGS="$flags" "$program" run "$file" --backend sim --kernel "$kernel" --grid 2 --block 64 --arg in=0:128 \
    --arg "out=u32[${elements:-128}]" --arg n=128 "$@" >"$work/out" 2>"$work/err"
}

flags=
run clean_table --result out
case $? in
  0 | 3) ;;
  *) cat "$work/err"; echo "no C compiler: plain C of kernels is not tried"; exit 77 ;;
esac
run past_the_end
if [ $? -eq 0 ]; then
  case $(uname -sm) in
    'Linux x86_64' | 'Linux aarch64')
      case ${CC:-cc} in *gcc* | *clang* | cc) echo "FAILED: plain C is not checked"; exit 1 ;; esac ;;
  esac
  echo "the compiler has no hooks: plain C of kernels is not tried"
  exit 77
fi

failed=0
kernels=$(sed -n 's/^IW_KERNEL(\([a-z_]*\),.*/\1/p' "$file")
for optimize in ${PLAIN_C_OPTIMIZE:--O1}; do
  for kernel in $kernels; do
    expected=$(awk -v kernel="$kernel" '/^IW_KERNEL/ { is_in = index($0, "(" kernel ",") }
      is_in && match($0, /\/\/ BUG [a-z]+/) {
      print "^isowarp: " substr($0, RSTART + 7) ": kernels.c:" NR " " }' "$file") # one of the lines
    flags=$optimize
    run "$kernel"
    status=$?
    if [ -n "$expected" ]; then
      if [ $status -ne 3 ] || ! grep "$expected" "$work/err" >/dev/null; then
        echo "FAILED: $kernel $optimize: expected '$expected' and exit status 3, got $status"
        cat "$work/err"
        failed=1
      fi
    elif [ $status -ne 0 ] || [ -s "$work/err" ]; then
      echo "FAILED: $kernel $optimize: exit status $status, expected nothing"
      cat "$work/err"
      failed=1
    fi
    flags="$optimize -DFIXED"
    if ! run "$kernel" || [ -s "$work/err" ]; then
      echo "FAILED: the twin of $kernel $optimize"
      cat "$work/err"
      failed=1
    fi
  done
done

# An array that may lie directly behind a stack, which most accesses are to.
for elements in 32768 262144 1048576; do
  flags=-O1
  run blocks_write --result in
  grep '^isowarp: race: kernels.c:[0-9]* plain C: block 0 warp 1 ' "$work/err" >/dev/null || {
    echo "FAILED: blocks_write with an array of $elements elements"
    cat "$work/err"
    failed=1
  }
done

# Without the hooks, and with none of the checks, nothing is found.
elements=
flags=-fno-sanitize=thread
run lanes_update || { echo "FAILED: -fno-sanitize=thread leaves out the checks"; failed=1; }
flags=
ISOWARP_SIM_CHECKS=none run lanes_update || { echo "FAILED: checks that are off find something"; failed=1; }
exit $failed
