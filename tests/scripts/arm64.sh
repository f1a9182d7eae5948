#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/arm64.sh SOURCE JOBS (make check-arm64, in a folder of its own)
#
# Cross-compiles for arm64 and runs under qemu's user emulation: verify with NEON, a part of it with the
# generic kernels and in teams, the demo, some planted bugs in CUDA C++ if there is a cross compiler for C++, and
# the unit tests if Debian's package of Check for arm64 can be downloaded. The package is unpacked here, not
# installed.
set -eu
source=$1 jobs=$2
host=aarch64-linux-gnu
run="qemu-aarch64 -L /usr/$host"
for tool in $host-gcc qemu-aarch64; do
  command -v "$tool" > /dev/null ||
    { echo "check-arm64: no $tool here (Debian: gcc-$host libc6-dev-arm64-cross qemu-user)" >&2; exit 1; }
done

# SIMDe has only headers, so the native ones can be used, but the cross compiler does not search their folder.
mkdir -p include
simde=$(echo '#include <simde/simde-common.h>' | $NATIVE_CC -E - |
  sed -n 's,^#.*"\(.*/simde\)/simde-common.h".*,\1,p' | head -n 1)
rm -f include/simde
ln -s "$simde" include/simde

# apt-get with its own lists and cache, as on an arm64 machine.
fetch_check() {
  command -v apt-get > /dev/null || return 1
  mkdir -p apt/lists/partial apt/archives/partial
  apt="-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root
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
  echo "check-arm64: no unit tests, because Check for arm64 could not be downloaded (reason in fetch.log)"
fi

grep -qs -e "$tests" config.status ||
  "$source/configure" -q --host=$host --disable-shared --disable-bench --without-cuda --without-mpi $tests \
    CPPFLAGS="-I$PWD/include -DSIMT_GLOBAL_BITS=26" CFLAGS='-g -O2' GENERIC_CFLAGS='-Og -U__OPTIMIZE__' SIM_CFLAGS=-O0 # only the NEON kernels are under test
make -j"$jobs" isowarp

# Runs the program and prints the last line of its output; all of it after a failure.
check() {
  echo "check-arm64: isowarp $*, ISOWARP_ISA=${ISOWARP_ISA-}"
  $run ./isowarp "$@" > output.txt || { cat output.txt; exit 1; }
  tail -n 1 output.txt
}
check verify
ISOWARP_ISA=generic check verify 33 4097 8193 # sizes, of all calls
check verify --threads 3 --blocks team 33 4097 8193
check demo
check verify u8 --backend sim

# CUDA C++, whose runtime reserves less address space here (SIMT_GLOBAL_BITS), as the emulator has a record for
# each page. What the compiler makes is a script that runs the program by the emulator.
if command -v $host-g++ > /dev/null; then
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$run" "$PWD/isowarp" > emulated
  cat > cxx << END
#!/bin/sh
$host-g++ "\$@" || exit
case " \$* " in *' -no-pie '*) ;; *) exit 0 ;; esac
while [ "\$1" != -o ]; do shift; done
mv "\$2" "\$2.arm64"
printf '#!/bin/sh\nexec $run "\$0.arm64" "\$@"\n' > "\$2"
chmod +x "\$2"
END
  # The link to a process's program is the emulator's; its fourth word is the program.
  cat > addr2line << 'END'
#!/bin/sh
exec aarch64-linux-gnu-addr2line -e "$(tr '\0' '\n' < "${2%exe}cmdline" | sed -n 4p)"
END
  chmod +x emulated cxx addr2line
  CUDA_BUGS='race:1 race:8 barrier:1 barrier:4 fence:1 clean:11' ISOWARP=$PWD/emulated CXX=$PWD/cxx ADDR2LINE=$PWD/addr2line \
    ISOWARP_CFLAGS="-I$source/include" sh "$source/tests/scripts/cuda_bugs.sh"
else
  echo "check-arm64: no CUDA C++, because there is no $host-g++"
fi
if test $tests = --enable-tests; then
  make -j"$jobs" arm64-suites
  CK_FORK=no ISOWARP_TEST_BRIEF=1 ISOWARP_TEST_NO_SIM=1 make -j"$jobs" check-TESTS check_PROGRAMS= TESTS="$ARM64_SUITES" \
    LOG_COMPILER="$source/tests/scripts/time-limit.sh 1800 $run"
fi
