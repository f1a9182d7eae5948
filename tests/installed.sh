#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/installed.sh LIBDIR ACLOCALDIR (make installcheck)
#
# Users' programs outside the tree build against the installed library with pkg-config's flags only, in C
# and C++, shared and static, and run: calls of the library, the kernel of README, examples/standalone, and
# a project with its own configure script. If configure found nvcc, the last two have a build of their
# kernel for CUDA.
set -eu
libdir=$1 aclocaldir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
cp "$srcdir/tests/installed.c" "$srcdir/tests/installed_kernel.c" "$srcdir/tests/installed_operator.c" \
  "$srcdir/tests/installed_rule.c" "$work"
sed -n '/^    #include <isowarp\/kernel.h>/,/^    }$/s/^    //p' "$srcdir/README.md" > "$work/readme_kernel.h"
cp -R "$srcdir/examples/standalone" "$work/standalone"
chmod -R u+w "$work/standalone"
cd "$work"
compile_flags=$($PKG_CONFIG --cflags isowarp)
link_flags=$($PKG_CONFIG --libs isowarp)
static_flags=$($PKG_CONFIG --static --libs isowarp | sed "s,-lisowarp,$libdir/libisowarp.a,")
warnings='-Wall -Wextra -Wno-psabi -Werror'

for program in installed installed_kernel installed_operator installed_rule; do
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

# The Makefile of examples/standalone. Without a shared library it links the static one.
unset MAKEFLAGS MAKELEVEL MFLAGS
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
test -f "$libdir/libisowarp.so" || PKG_CONFIG="$PKG_CONFIG --static"
cd "$work/standalone"
make CC="$CC" PKG_CONFIG="$PKG_CONFIG"
./dot
if test -n "$NVCC"; then
  cuda_home=$(dirname "$(dirname "$NVCC")")
  make CC="$CC" PKG_CONFIG="$PKG_CONFIG" CUDA_HOME="$cuda_home" NVCC="$NVCC" cuda
  ./dot_cuda
  ./dot_cuda cpu
else
  echo "installed: no nvcc, so examples/standalone is not built for CUDA"
fi

# A project whose configure script uses IW_CHECK_ISOWARP.
if autoconf --version > /dev/null 2>&1 && aclocal --version > /dev/null 2>&1; then
  mkdir "$work/project"
  cd "$work/project"
  cp "$work"/standalone/*.[ch] .
  cat > configure.ac << 'END'
AC_INIT([dot], [1])
AC_PROG_CC
IW_CHECK_ISOWARP([0.1])
AC_MSG_NOTICE([kernels for CUDA: $isowarp_cuda])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
  cat > Makefile.in << 'END'
dot: main.c dot.c
	@CC@ @CFLAGS@ @ISOWARP_CFLAGS@ main.c dot.c @ISOWARP_LIBS@ -o $@
dot_cuda: main.c dot.c
	@NVCC@ -x cu @ISOWARP_NVCCFLAGS@ @NVCCFLAGS@ -DIW_KERNEL_SUFFIX=_cuda -c dot.c -o dot_nvcc.o
	@CC@ @CFLAGS@ -DWITH_CUDA @ISOWARP_CFLAGS@ main.c dot.c dot_nvcc.o @ISOWARP_LIBS@ @ISOWARP_CUDA_LIBS@ -o $@
END
  aclocal -I "$aclocaldir"
  autoconf
  ./configure CC="$CC" PKG_CONFIG="$PKG_CONFIG" NVCC="${NVCC:-no}" > configured
  make dot
  ./dot
  if test -n "$NVCC"; then
    grep 'kernels for CUDA: yes' configured
    make dot_cuda
    ./dot_cuda
  else
    grep 'kernels for CUDA: no' configured
  fi
  sed 's/\[0\.1\]/[999], [touch found], [touch missing]/' configure.ac > configure.new
  mv configure.new configure.ac
  autoconf
  ./configure CC="$CC" PKG_CONFIG="$PKG_CONFIG" > configured
  test -f missing && test ! -f found
else
  echo "installed: no autoconf and aclocal, so IW_CHECK_ISOWARP is not tested"
fi
echo "installed: builds and runs with pkg-config's flags"
