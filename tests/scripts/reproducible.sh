#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/reproducible.sh [BUILD]
#
# Two release archives of one commit, made in two folders under different umasks and at different times, are
# equal to the byte. The first is that of the build tree BUILD, if the source tree is as it was committed; else
# both are made. Takes a minute, so it is a stage of .ci/run, not of make check.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_archives() { # FOLDER UMASK
  git clone -q "$source" "$work/$1"
  (
    umask "$2"
    cd "$work/$1"
    ./bootstrap > log 2>&1 && mkdir build && cd build &&
      ../configure --without-cuda --disable-tests --disable-bench --with-isa=generic > log 2>&1 && make dist > log 2>&1 ||
      { tail -n 20 log; exit 1; }
  )
}
first=${1-}
if [ -z "$first" ] || [ -n "$(git -C "$source" status --porcelain)" ]; then
  make_archives first "$(umask)"
  first=$work/first/build
  sleep 1
fi
make_archives second-try 077
for archive in "$first"/isowarp-*.tar.*; do
  cmp "$archive" "$work/second-try/build/${archive##*/}"
  echo "${archive##*/}: twice the same $(wc -c < "$archive") bytes"
done
