#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/installed.sh LIBDIR ACLOCALDIR BINDIR (make installcheck)
#
# Users' programs outside the tree build against the installed library with pkg-config's flags only, in C
# and C++, shared and static, and run: calls of the library, the kernel of README, examples/standalone, and
# a project with its own configure script. If configure found nvcc, the last two have a build of their
# kernel for CUDA.
set -eu
libdir=$1 aclocaldir=$2 bindir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
cp "$srcdir/tests/scripts/installed.c" "$srcdir/tests/scripts/installed_kernel.c" "$srcdir/tests/scripts/installed_operator.c" \
  "$srcdir/tests/scripts/installed_rule.c" "$work"
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

# The installed library finds the kernels that it loads.
if test -f "$libdir/libisowarp.so"; then
  echo 1 2 3 | ISOWARP_ISA=generic LD_LIBRARY_PATH=$libdir "$bindir/isowarp" scan - | grep 6
  echo 1 2 3 | LD_LIBRARY_PATH=$libdir "$bindir/isowarp" scan - --backend sim | grep 6
fi

# On the simulated GPU a kernel that was built for the CPU is an error that says how to build it, and one
# that was built for the simulated GPU runs.
program=installed_kernel
flags=$link_flags
test -f "$libdir/libisowarp.so" || flags=$static_flags
$CC -std=c11 $warnings $compile_flags $program.c $flags -o $program
if ISOWARP_BACKEND=sim LD_LIBRARY_PATH=$libdir ./$program > message; then
  echo "installed: a kernel for the CPU ran on the simulated GPU"
  exit 1
fi
grep 'divide_by_mean was built for .*: compile it with -DIW_SIM too' message
$CC -std=c11 $warnings -DIW_SIM $compile_flags $program.c $flags -o $program
if LD_LIBRARY_PATH=$libdir ISOWARP_BACKEND=cpu ./$program > message; then
  echo "installed: a kernel for the simulated GPU ran on the CPU"
  exit 1
fi
grep 'divide_by_mean was built for the simulated GPU' message

# The program runs the kernel of README without a host program, and finds the installed headers.
cp readme_kernel.h readme_kernel.c
LD_LIBRARY_PATH=$libdir "$bindir/isowarp" run readme_kernel.c --grid 2 --block 4 --arg in=1,2,3,4,5 --arg 'out=[5]' --arg n=5 \
  --expect out=0.4,0.8,1.2,1.6,1

# The Makefile of examples/standalone. Without a shared library it links the static one.
unset MAKEFLAGS MAKELEVEL MFLAGS
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
test -f "$libdir/libisowarp.so" || PKG_CONFIG="$PKG_CONFIG --static"
cd "$work/standalone"
make CC="$CC" PKG_CONFIG="$PKG_CONFIG"
./dot
ISOWARP_BACKEND=sim ./dot > on_sim
grep 'dot product on the simulated GPU: 1750' on_sim
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
dot_sim.o: dot.c
	@CC@ @CFLAGS@ -DIW_SIM -DIW_KERNEL_SUFFIX=_sim @ISOWARP_CFLAGS@ -c dot.c -o $@
dot: main.c dot.c dot_sim.o
	@CC@ @CFLAGS@ @ISOWARP_CFLAGS@ main.c dot.c dot_sim.o @ISOWARP_LIBS@ -o $@
dot_cuda: main.c dot.c dot_sim.o
	@NVCC@ -x cu @ISOWARP_NVCCFLAGS@ @NVCCFLAGS@ -DIW_KERNEL_SUFFIX=_cuda -c dot.c -o dot_nvcc.o
	@CC@ @CFLAGS@ -DWITH_CUDA @ISOWARP_CFLAGS@ main.c dot.c dot_sim.o dot_nvcc.o @ISOWARP_LIBS@ @ISOWARP_CUDA_LIBS@ -o $@
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
# A project that uses CMake; with nvcc, one that enables CUDA, too.
if cmake --version > /dev/null 2>&1; then
  build_by_cmake() { # LANGUAGES [OPTION...]
    languages=$1
    shift
    rm -rf "$work/cmake"
    mkdir "$work/cmake"
    cd "$work/cmake"
    cp "$work"/standalone/*.[ch] .
    cat > CMakeLists.txt << END
cmake_minimum_required(VERSION 3.18)
project(dot LANGUAGES $languages)
find_package(isowarp 0.1 REQUIRED)
add_executable(dot main.c)
isowarp_add_kernels(dot dot.c)
END
    cmake -S . -B build -DCMAKE_C_COMPILER="${CC%% *}" -Disowarp_DIR="$libdir/cmake/isowarp" "$@" > configured 2>&1 || { cat configured; exit 1; }
    cmake --build build > built 2>&1 || { cat built; exit 1; }
    build/dot
    ISOWARP_BACKEND=sim build/dot > on_sim
    grep 'dot product on the simulated GPU: 1750' on_sim
  }
  build_by_cmake C
  if test -n "$NVCC"; then
    build_by_cmake 'C CUDA' -DCMAKE_CUDA_COMPILER="$cuda_home/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75
  fi
  sed 's/isowarp 0.1 /isowarp 0.2 /' CMakeLists.txt > CMakeLists.new
  mv CMakeLists.new CMakeLists.txt
  if cmake -S . -B other -Disowarp_DIR="$libdir/cmake/isowarp" > configured 2>&1; then
    echo "installed: CMake takes version 0.1 for 0.2"
    exit 1
  fi
  grep -q 'compatible with requested version "0.2"' configured
else
  echo "installed: no CMake, so its package is not tested"
fi
echo "installed: builds and runs with pkg-config's flags"
