#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/arm64.sh SOURCE JOBS (make check-arm64, in a folder of its own)
#
# Builds for arm64 with the cross compiler and runs under qemu's user emulation: verify, for NEON and for generic C; the
# demo; and the unit tests where Debian's Check for arm64 can be had (it is unpacked here, nothing is installed).
set -eu
source=$1 jobs=$2
host=aarch64-linux-gnu
run="qemu-aarch64 -L /usr/$host"
for tool in $host-gcc qemu-aarch64; do
  command -v "$tool" > /dev/null ||
    { echo "check-arm64: no $tool here (Debian: gcc-$host libc6-dev-arm64-cross qemu-user)" >&2; exit 1; }
done

# SIMDe is headers only, so that the native ones will do; a cross compiler does not look where they are.
mkdir -p include
simde=$(echo '#include <simde/simde-common.h>' | $NATIVE_CC -E - | sed -n 's,^#.*"\(.*/simde\)/simde-common.h".*,\1,p' | head -n 1)
rm -f include/simde
ln -s "$simde" include/simde

# apt-get with a memory of its own, as if this were an arm64 machine.
fetch_check() {
  command -v apt-get > /dev/null || return 1
  mkdir -p apt/lists/partial apt/archives/partial
  apt="-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Debug::NoLocking=1 -o APT::Sandbox::User=root
    -o Dir::State::Lists=$PWD/apt/lists -o Dir::State::status=/dev/null -o Dir::Cache=$PWD/apt"
  (cd apt && apt-get $apt update && apt-get $apt download check libsubunit-dev) || return 1
  for package in apt/*_arm64.deb; do dpkg -x "$package" check || return 1; done
}
test -f check/usr/include/check.h || fetch_check > fetch.log 2>&1 || rm -rf check
if test -f check/usr/include/check.h; then
  tests=--enable-tests
  libraries=$PWD/check/usr/lib/$host
  CHECK_CFLAGS="-I$PWD/check/usr/include"
  CHECK_LIBS="$libraries/libcheck.a $libraries/libsubunit.a -lrt -lm -pthread"
  export CHECK_CFLAGS CHECK_LIBS
else
  tests=--disable-tests
  echo "check-arm64: Check for arm64 cannot be had here (fetch.log has the reason): the unit tests are left out"
fi

grep -qs -e "$tests" config.status ||
  "$source/configure" -q --host=$host --disable-shared --disable-bench --without-cuda $tests CPPFLAGS="-I$PWD/include" CFLAGS='-g -O2'
make -j"$jobs" isowarp

# Only the last lines are shown where all is well.
check() {
  echo "check-arm64: isowarp $*, ISOWARP_ISA=${ISOWARP_ISA-}"
  $run ./isowarp "$@" > output.txt || { cat output.txt; exit 1; }
  tail -n 1 output.txt
}
check verify
ISOWARP_ISA=generic check verify
check verify --threads 3 --blocks team
check demo
if test $tests = --enable-tests; then
  make -j"$jobs" arm64-suites
  ISOWARP_TEST_BRIEF=1 make -j1 check-TESTS TESTS="$ARM64_SUITES" LOG_COMPILER="$run"
fi
