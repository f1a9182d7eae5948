#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pkg-config finds the library in its build folder, by isowarp-uninstalled.pc.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$PWD
export PKG_CONFIG_PATH
unset PKG_CONFIG_DISABLE_UNINSTALLED
command -v pkg-config > /dev/null || { echo 'no pkg-config'; exit 77; }
test -f .libs/libisowarp.so || { echo 'the library is not shared'; exit 77; }
# shellcheck disable=SC2046
$CC -std=c11 -Wall -Werror $(pkg-config --cflags isowarp) "$srcdir/tests/scripts/installed.c" $(pkg-config --libs isowarp) -o "$work/program"
LD_LIBRARY_PATH=$PWD/.libs "$work/program"
echo 'pkg-config finds the library in its build folder'
