#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/installed.sh LIBDIR (make installcheck)
#
# A user's programs, outside the tree, build against the installed library with pkg-config's flags alone, in C and in C++,
# shared and static, and run: calls of the library, and README's kernel.
set -eu
libdir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
cp "$srcdir/tests/installed.c" "$srcdir/tests/installed_kernel.c" "$work"
cd "$work"
compile_flags=$($PKG_CONFIG --cflags isowarp)
link_flags=$($PKG_CONFIG --libs isowarp)
static_flags=$($PKG_CONFIG --static --libs isowarp | sed "s,-lisowarp,$libdir/libisowarp.a,")
warnings='-Wall -Wextra -Wno-unused-parameter -Wno-psabi -Werror'

for program in installed installed_kernel; do
  cp $program.c $program.cc
  if test -f "$libdir/libisowarp.so"; then
    $CC -std=c11 $warnings $compile_flags $program.c $link_flags -o $program
    LD_LIBRARY_PATH=$libdir ./$program
    if test -n "$CXX"; then
      $CXX -std=c++17 $warnings $compile_flags $program.cc $link_flags -o $program
      LD_LIBRARY_PATH=$libdir ./$program
    fi
  fi
  if test -f "$libdir/libisowarp.a"; then
    $CC -std=c11 $warnings $compile_flags $program.c $static_flags -o $program
    ./$program
  fi
done
echo "installed: builds and runs with pkg-config's flags"
