#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each file operation and each allocation of the program fails once (tests/scripts/file_faults.c), and each
# read and write is a short one. The result is the right output, or a message and the output file as it was
# before.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
points=0
report=$work/report
LC_ALL=C # else the program finds its characters in a file, and does without if that fails
export LC_ALL

. "${srcdir:?}/tests/scripts/binary.sh"
program=$ISOWARP
# shellcheck disable=SC2086
$CC -std=gnu11 -O1 -fPIC -shared "$srcdir/tests/scripts/file_faults.c" -o "$work/faults.so" -ldl ||
  { echo "a shared object cannot be built"; exit 77; }
if ! LD_PRELOAD=$work/faults.so "$program" --version > "$work/version" 2>&1 || ! grep -q '^isowarp [0-9]' "$work/version"; then
  echo "the program cannot have another library first: $(cat "$work/version")"
  exit 77
fi

EIO=5 EINTR=4
seq 1 60000 > "$work/text"
"$program" scan --type u32 "$work/text" -o "$work/in.npy" || exit 1
seq 1 60000 | awk '{ print $1 % 3 % 2 }' | "$program" multisplit --type u8 --bits 0:1 - -o "$work/flags.npy" || exit 1

# each KIND ERRNO OUTPUT ARGUMENT…: runs the program, whose file of output is OUTPUT (-: standard output),
# again and again
each() {
  kind=$1 error=$2 output=$3
  shift 3
  [ "$output" = - ] || rm -f "$output"
  "$program" "$@" < "$work/text" > "$work/right.stdout" 2> /dev/null || { echo "FAILED: $*"; status=1; return; }
  [ "$output" = - ] || cp "$output" "$work/right.file"
  point=0
  while :; do
    point=$((point + 1))
    rm -f "$report"
    [ "$output" = - ] || echo before > "$output"
    LD_PRELOAD=$work/faults.so FAULT_KIND=$kind FAULT_ERRNO=$error FAULT_AT=$point FAULT_REPORT=$report \
      "$program" "$@" < "$work/text" > "$work/stdout" 2> "$work/messages"
    code=$?
    where="$* ($kind $error, call $point, $(cat "$report" 2> /dev/null)): status $code, $(head -n 3 "$work/messages")"
    if [ $code -eq 0 ]; then
      # What the program can do without: a file that cannot be mapped is read, and so on.
      [ "$kind" != files ] || [ "$error" != $EIO ] || [ ! -f "$report" ] || grep -Eqx 'mmap|lseek|close|readlink|stat' "$report" ||
        { echo "FAILED: nothing is said: $where"; status=1; }
      if [ "$output" != - ]; then
        cmp -s "$output" "$work/right.file" || { echo "FAILED: another file: $where"; status=1; }
      else
        cmp -s "$work/stdout" "$work/right.stdout" || { echo "FAILED: another output: $where"; status=1; }
      fi
    elif [ $code -ne 2 ] || ! grep -q '^isowarp: ' "$work/messages" || [ "$kind" = short ] ||
      { [ "$error" = $EINTR ] && grep -Eq '^(read|p?write)$' "$report"; }; then
      echo "FAILED: $where"
      status=1
    elif [ "$output" != - ] && [ "$(cat "$report")" = fflush ]; then # of standard output, after all else
      cmp -s "$output" "$work/right.file" || { echo "FAILED: another file: $where"; status=1; }
    elif [ "$output" != - ] && [ "$(head -c 7 "$output")" != before ]; then
      echo "FAILED: the file is changed: $where"
      status=1
    fi
    rest=$(ls "$work"/out.npy.* 2> /dev/null)
    [ -z "$rest" ] || { echo "FAILED: $rest is left: $where"; status=1; rm -f "$rest"; }
    [ -f "$report" ] || break # there is no such call
    [ $code -eq 0 ] || failed=$((failed + 1))
    points=$((points + 1))
    [ $point -lt 500 ] || { echo "FAILED: no end: $where"; status=1; break; }
  done
}

all() {
  failed=0
  before=$points
  each "$1" "$2" "$work/out.npy" scan "$work/in.npy" -o "$work/out.npy"
  each "$1" "$2" "$work/out.npy" scan --type u32 - -o "$work/out.npy"
  each "$1" "$2" "$work/link" partition --flags "$work/flags.npy" "$work/in.npy" -o "$work/link"
  each "$1" "$2" "$work/out.npy" histogram --bins 20 "$work/in.npy" -o "$work/out.npy"
  each "$1" "$2" - reduce --type f64 -
  each "$1" "$2" - multisplit --bits 0:4 "$work/in.npy"
  echo "$1 (errno $2): $((points - before)) calls failed, and with $failed of them the program"
}

ln -s out.npy "$work/link"
all files $EIO
all files $EINTR
all short 0
all memory 0
[ $points -gt 200 ] || { echo "FAILED: only $points points"; status=1; }
exit $status
