#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The binary interface against that of the last release, tests/abi/x86_64.abi, by abidiff (Debian:
# abigail-tools). What is added is no error; what is removed or changed is one, after which doc/abi.md says
# what becomes of the soname. There has been no release yet: the file is of 29 November 2026, and `make abi`
# renews it.
#
# usage: tests/scripts/abi.sh [FILE]   FILE: write the interface there instead
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "abi: $1, so the interface is not compared"; exit 77; }
command -v abidiff > /dev/null || skip 'there is no abidiff (Debian: abigail-tools)'
test -f .libs/libisowarp.so || skip 'the library is not shared'
case $(uname -m)/$($CC -dumpmachine) in x86_64/x86_64-*linux-gnu) ;; *) skip 'the interface of x86-64 is stored only' ;; esac
$CC -dM -E -x c /dev/null | grep -q __clang__ && skip 'gcc and clang describe the types of enumerations differently'
readelf -S .libs/libisowarp.so | grep -q '\.debug_info' || skip 'the library has no debug information'

mkdir -p "$work/include/isowarp"
cp "$srcdir/include/isowarp.h" "$work/include"
cp "$srcdir"/include/isowarp/*.h "$work/include/isowarp"
abidw --headers-dir "$work/include" --drop-private-types --no-show-locs --no-comp-dir-path --no-corpus-path --type-id-style hash \
  .libs/libisowarp.so > "$work/now.abi"
if [ $# -gt 0 ]; then
  cp "$work/now.abi" "$1"
  exit 0
fi
# A context is opaque. The file that defines it has the name of a public header, so abidw describes it.
printf '[suppress_type]\n  name = iw_context\n' > "$work/opaque"
status=0
abidiff --suppressions "$work/opaque" --no-added-syms "$srcdir/tests/abi/x86_64.abi" "$work/now.abi" || status=$?
# 4: the interface has changed, 8: incompatibly; 1 and 2 are errors of abidiff.
[ $status = 0 ] || { echo "abi: the interface differs from tests/abi/x86_64.abi (abidiff: $status); if that is meant: make abi"; exit 1; }
echo 'the binary interface has all of the last one'
