#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two release archives of one commit, made in two folders under different umasks and at different times, are
# equal to the byte. Takes a minute, so it is a stage of .ci/run, not of make check.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for try in first second-try; do
  git clone -q "$source" "$work/$try"
  (
    [ $try = first ] || umask 077
    cd "$work/$try"
    ./bootstrap > log 2>&1 && mkdir build && cd build &&
      ../configure --without-cuda --disable-tests --disable-bench --with-isa=generic > log 2>&1 && make dist > log 2>&1 ||
      { tail -n 20 log; exit 1; }
  )
  sleep 1
done
for archive in "$work"/first/build/isowarp-*.tar.*; do
  cmp "$archive" "$work/second-try/build/${archive##*/}"
  echo "${archive##*/}: twice the same $(wc -c < "$archive") bytes"
done
