#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/installed.sh LIBDIR (make installcheck)
#
# A user's program, outside the tree, builds against the installed library with pkg-config's flags alone, shared and static,
# and runs.
set -eu
libdir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
cp "$srcdir/tests/installed.c" "$work"
cd "$work"
flags=$($PKG_CONFIG --cflags --libs isowarp)
$CC -std=c11 -Wall -Wextra -Wno-psabi -Werror installed.c $flags -o shared
LD_LIBRARY_PATH=$libdir ./shared
if test -f "$libdir/libisowarp.a"; then
  $CC -std=c11 installed.c $($PKG_CONFIG --cflags isowarp) "$libdir/libisowarp.a" \
    $($PKG_CONFIG --static --libs isowarp | sed 's/-lisowarp//') -o static
  ./static
fi
if test -n "$CXX"; then
  cp installed.c installed.cc
  $CXX -std=c++17 -Wall -Wextra -Wno-psabi -Werror installed.cc $flags -o shared_cc
  LD_LIBRARY_PATH=$libdir ./shared_cc
fi
echo "installed: builds and runs with pkg-config"
