#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The man pages, completions and the Python stub in the source are those that the program and the headers
# make; the pages have no error, and bash completes as it should.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
"${SHELL:-sh}" "$srcdir/tools/manual.sh" "$ISOWARP" "$srcdir" "$work"
for file in "$work"/doc/man/* "$work"/tools/completion/* "$work"/python/src/isowarp/*; do
  name=${file#"$work"/}
  cmp -s "$file" "$srcdir/$name" || { echo "$name differs from what is made now: make manual"; status=1; }
done
for file in "$srcdir"/doc/man/*.[13]; do
  [ -e "$work/doc/man/${file##*/}" ] || { echo "${file##*/}: there is no such subcommand"; status=1; }
done

if command -v mandoc > /dev/null; then
  mandoc -T lint -W error "$work"/doc/man/*.[13] || status=1
elif command -v groff > /dev/null; then
  for file in "$work"/doc/man/*.[13]; do
    groff -K utf8 -man -Tutf8 -ww -z "$file" 2> "$work/warnings" || true
    [ ! -s "$work/warnings" ] || { cat "$work/warnings"; status=1; }
  done
else echo 'neither mandoc nor groff: the pages are not checked'
fi

# completes WORD... = EXPECTED...: what the last word is completed to
completes() {
  bash -c '
    source "$1"; shift
    COMP_WORDS=(isowarp "$@"); COMP_CWORD=$#
    _isowarp
    printf "%s " "${COMPREPLY[@]}"' - "$work/tools/completion/isowarp" "$@"
}
expect() { # EXPECTED WORD...
  expected=$1; shift
  got=$(completes "$@")
  [ "$got" = "$expected " ] || { echo "completion of 'isowarp $*': '$got', not '$expected '"; status=1; }
}
if command -v bash > /dev/null; then
  expect 'histogram' hist
  expect '--exclusive' scan --exc
  expect 'argmin argmax' reduce --op arg
  expect 'sum' scan --op s
  expect 'i32 i64 i8 i16' scan --type i
  echo 1 > "$work/numbers.txt"
  expect "$work/numbers.txt" scan --op sum "$work/num"
else echo 'no bash: its completion is not checked'
fi
if command -v zsh > /dev/null; then
  zsh -n "$work/tools/completion/_isowarp" || status=1
else echo 'no zsh: its completion is not parsed'
fi
[ $status = 0 ] && echo 'the man pages and completions are those of the program'
exit $status
