#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program and the library where a process has little: address space, thread stacks; and the library loaded and
# unloaded a thousand times. Nothing but the library's own messages is printed, and no signal ends a process.
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
  elif [ $code -ne 1 ] || [ "$(grep -vc '^isowarp' "$work/messages")" -ne 0 ]; then
    grep -q 'error while loading shared libraries\|failed to map\|cannot allocate\|Cannot allocate' "$work/messages" &&
      ! grep -q libgomp: "$work/messages" || fail "$description: status $code; $(cat "$work/messages")"
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

library=.libs/libisowarp.so
if [ -f $library ]; then
  # shellcheck disable=SC2086
  $CC -std=gnu11 $CFLAGS -I"$srcdir/include" "$srcdir/tests/unload.c" -o "$work/unload" -ldl &&
    "$work/unload" $PWD/$library 1000 || fail "loading and unloading"
fi
exit $status
