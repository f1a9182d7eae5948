#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program in a control group that has a third of a processor and 48 MB of memory or less, if groups can
# be made here (by root, with controllers of version 1 or 2); and on one processor. A call has the right
# result, a message, or is ended by the kernel because the group has no memory; it does not hang.
. "${srcdir:?}/tests/scripts/binary.sh"
set -u
work=$(mktemp -d) || exit 99
root=/sys/fs/cgroup
groups=
status=0
# shellcheck disable=SC2317 # by the trap
leave() {
  for group in $groups; do rmdir "$group" 2> /dev/null; done
  rm -rf "$work"
}
trap leave EXIT

# make_group FOLDER FILE VALUE...: a group with this limit
make_group() {
  group=$1/isowarp-$$
  mkdir "$group" 2> /dev/null || return 1
  groups="$groups $group"
  shift
  while [ $# -gt 0 ]; do
    { echo "$2" > "$group/$1"; } 2> /dev/null || return 1
    shift 2
  done
}

seq 1 2000000 > "$work/in"
right=$("$ISOWARP" reduce "$work/in")

# limited GROUP MAY_END ARGUMENT...
limited() {
  group=$1
  may_end=$2
  shift 2
  got=$(sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" timeout 120 "$ISOWARP" reduce "$@" "$work/in" \
    2> "$work/messages")
  code=$?
  [ "$code" -eq 0 ] && [ "$got" = "$right" ] && return
  if [ "$may_end" = 1 ] && { [ $code -eq 137 ] || grep -q '^isowarp: ' "$work/messages"; }; then
    echo "ended with status $code: $(cat "$work/messages")"
    return
  fi
  echo "FAILED: $group, $*: status $code, '$got', $(cat "$work/messages")"
  status=1
}

tried=0
if make_group $root/cpu cpu.cfs_period_us 30000 cpu.cfs_quota_us 10000 || make_group $root cpu.max "10000 30000"; then
  tried=$((tried + 1))
  for blocks in thread team; do limited "$group" 0 --threads 7 --blocks $blocks; done
fi
if make_group $root/memory memory.limit_in_bytes 48000000 || make_group $root memory.max 48000000; then
  tried=$((tried + 1))
  for blocks in thread team; do limited "$group" 0 --threads 7 --blocks $blocks; done
  for limit in 24000000 12000000 6000000 3000000; do
    for file in memory.limit_in_bytes memory.max; do
      [ ! -f "$group/$file" ] || echo $limit > "$group/$file"
    done
    for blocks in thread team; do limited "$group" 1 --threads 7 --blocks $blocks; done
  done
fi
if command -v taskset > /dev/null; then
  tried=$((tried + 1))
  for blocks in thread team; do
    got=$(timeout 120 taskset -c 0 "$ISOWARP" reduce --threads 7 --blocks $blocks "$work/in")
    [ "$got" = "$right" ] || { echo "FAILED: on one processor, $blocks: $got"; status=1; }
  done
fi
echo "$tried of 3 limits could be set:${groups:- no groups}"
[ $tried -gt 0 ] || exit 77
exit $status
