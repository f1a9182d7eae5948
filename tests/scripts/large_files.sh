#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program processes long inputs in parts (tools/io/parts.c): outputs are those of two short inputs put
# together, and a run needs less memory than its output has.
. "${srcdir:?}/tests/scripts/binary.sh"
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
checks=0

fail() {
  echo "FAILED: $*"
  status=1
}

# same WORDS FILE FILE
same() {
  checks=$((checks + 1))
  cmp "$2" "$3" || fail "$1"
}

# run ARGUMENT…: the program; data NAME: the elements of a .npy file
run() {
  "$ISOWARP" "$@" 2> "$work/messages" || fail "isowarp $*: $(cat "$work/messages")"
}
data() {
  tail -c +129 "$1"
}

# As bytes: the program's own, again and again. 12000000 elements are more than a part and less than two;
# halves are less than one, and are cut at a multiple of 2^17 elements.
n=12000000 cut=6029312
while [ ! -f "$work/bytes" ] || [ "$(wc -c < "$work/bytes")" -lt $((4 * n)) ]; do
  cat "$ISOWARP" >> "$work/bytes"
done
# halves NAME SIZE: NAME of n elements of SIZE bytes, NAME.1 and NAME.2
halves() {
  head -c $((n * $2)) "$work/bytes" > "$work/$1"
  head -c $((cut * $2)) "$work/$1" > "$work/$1.1"
  tail -c +$((cut * $2 + 1)) "$work/$1" > "$work/$1.2"
}
halves u8 1
halves u32 4

# Scans: the second half begins with the last output of the first.
# scanned TYPE FILE OPTION…
scanned() {
  type=$1 file=$2
  shift 2
  run scan --type "$type" --format raw "$@" "$work/$file" -o "$work/whole"
  run scan --type "$type" --format raw "$@" "$work/$file.1" -o "$work/first"
  run scan --type "$type" --format raw "$@" "$work/$file.2" -o "$work/second" \
    --init "$(run reduce --type "$type" --format raw --op "$operation" "$work/$file.1")"
  { data "$work/first"; data "$work/second"; } > "$work/expected"
  data "$work/whole" > "$work/got"
  same "scan $type $*" "$work/got" "$work/expected"
}
operation=sum
scanned u32 u32
scanned u8 u8 --exclusive
operation=max
scanned i8 u8 --op max
# Small numbers among the bytes as floats: their sums have no NaN.
operation=sum
run extract --type f32 --format raw --edges -1,1 -k 0 "$work/u32" -o "$work/floats.npy"
small=$(run extract --type f32 --format raw --edges -1,1 -k 0 --count "$work/u32")
data "$work/floats.npy" > "$work/f32"
[ "$small" -gt 2000000 ] || fail "only $small floats"
while [ "$small" -lt $n ]; do
  cat "$work/f32" "$work/f32" > "$work/twice" && mv "$work/twice" "$work/f32"
  small=$((2 * small))
done
head -c $((4 * n)) "$work/f32" > "$work/bytes"
halves f32 4
scanned f32 f32
scanned f32 f32 --exclusive
run reduce --type f32 --format raw "$work/f32" > "$work/got"
run reduce --type f32 --format raw "$work/f32.2" --init "$(run reduce --type f32 --format raw "$work/f32.1")" > "$work/expected"
same 'reduce f32' "$work/got" "$work/expected"

# Partition and select: the sides of the halves, one behind the other, in a file and through a pipe.
# sides OPTION…: cuts partitions of the halves into expected
sides() {
  for half in 1 2; do
    flags=${flagged:+--flags $work/u8.$half}
    # shellcheck disable=SC2086
    count=$(run partition --type f32 --format raw --count $flags "$@" "$work/f32.$half")
    # shellcheck disable=SC2086
    run partition --type f32 --format raw $flags "$@" "$work/f32.$half" -o "$work/part"
    data "$work/part" | head -c $((4 * count)) > "$work/left.$half"
    data "$work/part" | tail -c +$((4 * count + 1)) > "$work/right.$half"
  done
  cat "$work/left.1" "$work/left.2" > "$work/left"
  cat "$work/left" "$work/right.1" "$work/right.2" > "$work/expected"
}
flagged=
sides --pivot 1e-20
run partition --type f32 --format raw --pivot 1e-20 "$work/f32" -o "$work/whole"
data "$work/whole" > "$work/got"
same partition "$work/got" "$work/expected"
cp "$work/messages" "$work/message"
run partition --type f32 --format raw --pivot 1e-20 "$work/f32" -o - > "$work/pipe"
same 'partition to a pipe' "$work/pipe" "$work/whole"
same 'the number of elements on the left' "$work/messages" "$work/message"
flagged=1
sides
run partition --type f32 --format raw --flags "$work/u8" "$work/f32" -o "$work/whole"
data "$work/whole" > "$work/got"
same 'partition by flags' "$work/got" "$work/expected"
run select --type f32 --format raw --flags "$work/u8" "$work/f32" -o "$work/whole"
data "$work/whole" > "$work/got"
same select "$work/got" "$work/left"
run select --type f32 --format raw --flags "$work/u8" "$work/f32" -o - > "$work/pipe"
same 'select to a pipe' "$work/pipe" "$work/whole"

# Multisplit: the buckets of the halves.
for half in 1 2; do
  run multisplit --type u32 --format raw --bits 3:2 --offsets "$work/f32.$half" > "$work/offsets.$half"
  run multisplit --type u32 --format raw --bits 3:2 "$work/f32.$half" -o "$work/split.$half"
done
: > "$work/expected"
for bucket in 1 2 3 4; do
  for half in 1 2; do
    low=$(sed -n ${bucket}p "$work/offsets.$half") high=$(sed -n $((bucket + 1))p "$work/offsets.$half")
    data "$work/split.$half" | tail -c +$((4 * low + 1)) | head -c $((4 * (high - low))) >> "$work/expected"
  done
done
run multisplit --type u32 --format raw --bits 3:2 "$work/f32" -o "$work/whole"
data "$work/whole" > "$work/got"
same multisplit "$work/got" "$work/expected"
run multisplit --type u32 --format raw --bits 3:2 "$work/f32" -o - > "$work/pipe"
same 'multisplit to a pipe' "$work/pipe" "$work/whole"
run multisplit --type u32 --format raw --bits 3:2 --order "$work/f32" -o "$work/whole"
run multisplit --type u32 --format raw --bits 3:2 --order "$work/f32" -o - > "$work/pipe"
same 'the order of a multisplit' "$work/pipe" "$work/whole"
# The range of the data is found in parts, too.
run histogram --json --type f32 --format raw --bins 7 "$work/f32" > "$work/got"
ends=$(run reduce --op min --type f32 --format raw "$work/f32"):$(run reduce --op max --type f32 --format raw "$work/f32")
run histogram --json --type f32 --format raw --bins 7 --range "$ends" --closed-top "$work/f32" > "$work/expected"
same 'the range of a histogram' "$work/got" "$work/expected"

# The address space has room for the input, which is mapped, and not for the output.
rm -f "$work/bytes"
truncate -s 400M "$work/zeros"
case $(ulimit -v) in
  unlimited)
    for command in 'scan' 'partition --pivot 1' 'multisplit --bits 0:4'; do
      checks=$((checks + 1))
      # shellcheck disable=SC2086
      (ulimit -v 700000 && exec "$ISOWARP" $command --threads 2 --type u8 --format raw "$work/zeros" -o "$work/whole") \
        2> "$work/messages" || fail "$command in 700000 KB: $(cat "$work/messages")"
    done
    ;;
  *) echo 'not run: the address space is limited here' ;;
esac
[ $status -ne 0 ] || echo "$checks checks of inputs of several parts passed"
exit $status
