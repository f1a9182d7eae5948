#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program and the library where a process has little: address space, thread stacks, room for files;
# signals; and the library loaded and unloaded a thousand times. Nothing but the library's own messages is
# printed.
. "${srcdir:?}/tests/scripts/binary.sh"
program=$ISOWARP
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0

fail() {
  echo "FAILED: $*"
  status=1
}

# As many numbers as make eight threads worth it.
"$ISOWARP" info > /dev/null || exit 1
seq 1 2000000 > "$work/in"
right=$("$ISOWARP" reduce --threads 8 "$work/in")

# few DESCRIPTION LIMIT [OPTION...]: the sum under that limit of ulimit; or a message of the program's
succeeded=0
few() {
  description=$1
  limit=$2
  shift 2
  got=$( (ulimit $limit && exec "$ISOWARP" reduce --threads 8 "$@" "$work/in") 2> "$work/messages")
  code=$?
  if [ $code -eq 0 ]; then
    succeeded=$((succeeded + 1))
    [ "$got" = "$right" ] && [ ! -s "$work/messages" ] || fail "$description: $got; $(cat "$work/messages")"
  elif [ $code -ne 2 ] || [ "$(grep -vc '^isowarp: ' "$work/messages")" -ne 0 ]; then
    grep -q 'error while loading shared libraries' "$work/messages" ||
      fail "$description: status $code; $(cat "$work/messages")"
  fi
}

case $(ulimit -v) in
  unlimited)
    for kilobytes in 40000 50000 60000 70000 80000 85000 90000 95000 100000 105000 110000 115000 120000 130000 150000 \
      200000 400000; do
      few "$kilobytes KB of address space" "-v $kilobytes" --blocks thread
      few "$kilobytes KB of address space, team" "-v $kilobytes" --blocks team
    done
    [ $succeeded -gt 8 ] || fail "only $succeeded runs had memory enough"
    ;;
  *) echo "not run: the address space is limited here" ;;
esac
OMP_STACKSIZE=16k few "OMP_STACKSIZE=16k" "-s unlimited"
OMP_STACKSIZE=1000g few "OMP_STACKSIZE=1000g" "-s unlimited"
OMP_THREAD_LIMIT=2 few "OMP_THREAD_LIMIT=2" "-s unlimited"
OMP_DYNAMIC=true few "OMP_DYNAMIC=true" "-s unlimited"
# Kernels that need more stack than OpenMP's threads have run on others.
if ISOWARP_OPENMP=1 "$ISOWARP" info > /dev/null 2>&1; then
  "$ISOWARP" histogram --type u32 --bins 100 "$work/in" > "$work/right"
  for blocks in thread team; do
    ISOWARP_OPENMP=1 OMP_STACKSIZE=40k "$ISOWARP" histogram --type u32 --bins 100 --threads 8 --blocks $blocks "$work/in" |
      cmp - "$work/right" || fail "OpenMP's threads with stacks of 40 KB, $blocks"
  done
fi

# interrupted SIGNAL: no incomplete file is left by a program that the signal ends while it writes. The loop
# that waits for the file forks nothing, so that the signal comes in time on a machine that does other work
# too.
truncate -s 100M "$work/zeros"
interrupted() {
  for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$program" scan --type f32 --format raw "$work/zeros" -o "$work/out.npy" 2> /dev/null &
    written=
    while [ -d /proc/$! ] && [ ! -e "$written" ]; do
      for written in "$work"/out.npy.*; do :; done
    done
    kill -"$1" $! 2> /dev/null
    wait $! 2> /dev/null
    ended=$?
    rest=$(ls "$work"/out.npy.* 2> /dev/null)
    rm -f "$work"/out.npy*
    [ -z "$rest" ] || { fail "SIG$1 left $rest"; return; }
    [ $ended -le 128 ] || { echo "SIG$1 ended it, attempt $attempt"; return; }
  done
  fail "SIG$1 never came while a file was written"
}
# Not INT and QUIT, which a script's background processes ignore; nor HUP where this script was begun with
# nohup.
if grep -q '^SigIgn:.*[13579bdf]$' /proc/self/status; then echo "not run: SIGHUP is ignored here"
else interrupted HUP
fi
for name in TERM USR1 XCPU ALRM; do interrupted $name; done
# A file that may not become so large is an error with a message.
if (ulimit -f 1000 && exec "$program" scan --type f32 --format raw "$work/zeros" -o "$work/out.npy") 2> "$work/messages"; then
  fail "a file past its limit"
fi
grep -q 'out.npy: File too large' "$work/messages" || fail "a file past its limit: $(cat "$work/messages")"
[ -z "$(ls "$work"/out.npy* 2> /dev/null)" ] || fail "a file past its limit left $(ls "$work"/out.npy*)"

library=.libs/libisowarp.so
if [ -f $library ]; then
  # shellcheck disable=SC2086
  $CC -std=gnu11 $CFLAGS -I"$srcdir/include" "$srcdir/tests/scripts/unload.c" -o "$work/unload" -ldl &&
    "$work/unload" $PWD/$library 1000 || fail "loading and unloading"
fi
exit $status
