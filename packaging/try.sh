#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/try.sh FOLDER
#
# Installs the packages of FOLDER (packaging/debian.sh) in a new chroot of the running Debian release, and
# uses them there: the program, a C program by pkg-config, a CMake project, an Autotools project and a
# Python script, each with a kernel that also runs on the simulated GPU. Needs root and Debian's mmdebstrap.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
. /etc/os-release
mkdir "$work/debs" "$work/files"
cp "$folder"/isowarp_*.deb "$folder"/isowarp-doc_*.deb "$folder"/libisowarp0_*.deb "$folder"/libisowarp-dev_*.deb \
  "$folder"/python3-isowarp_*.deb "$work/debs"
cp -R "$source/examples/standalone" "$source/examples/data/faithful.csv" "$work/files"
cat > "$work/files/inside.sh" << 'END'
#!/bin/sh
set -eu
cd /files
test -s /usr/share/man/man1/isowarp-scan.1.gz
isowarp info
isowarp histogram faithful.csv --column waiting --bins 12 > chart
isowarp histogram faithful.csv --column waiting --bins 12 --plot chart.png > /dev/null
test -s chart.png
isowarp top-k -k 3 faithful.csv --column waiting | isowarp merge --descending - > largest
isowarp verify inclusive/ exact > digests || isowarp verify exact > digests
tail -n 1 digests
isowarp run standalone/dot.c --help > /dev/null

echo '== a C program, by its Makefile and pkg-config'
cd standalone
make CC=gcc dot
./dot
ISOWARP_BACKEND=sim ./dot

echo '== a CMake project'
mkdir /files/cmake && cd /files/cmake
cp ../standalone/*.[ch] .
cat > CMakeLists.txt << 'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(dot LANGUAGES C)
find_package(isowarp 0.1 REQUIRED)
add_executable(dot main.c)
isowarp_add_kernels(dot dot.c)
add_executable(dot_static main.c)
isowarp_add_kernels(dot_static dot.c)
target_link_libraries(dot_static PRIVATE isowarp::static)
CMAKE
cmake -S . -B build > log && cmake --build build >> log
build/dot
build/dot_static

echo '== an Autotools project'
mkdir /files/autotools && cd /files/autotools
cp ../standalone/*.[ch] .
cat > configure.ac << 'CONFIGURE'
AC_INIT([dot], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
IW_CHECK_ISOWARP([0.1])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
CONFIGURE
cat > Makefile.am << 'MAKEFILE'
bin_PROGRAMS = dot
dot_SOURCES = main.c dot.c dot.h
dot_LDADD = libsim.a $(ISOWARP_LIBS)
AM_CFLAGS = $(ISOWARP_CFLAGS)
noinst_LIBRARIES = libsim.a
libsim_a_SOURCES = dot.c
libsim_a_CPPFLAGS = -DIW_SIM -DIW_KERNEL_SUFFIX=_sim
MAKEFILE
sed -i 's/AC_PROG_CC/AC_PROG_CC\nAC_PROG_RANLIB\nAM_PROG_AR/' configure.ac
autoreconf -i > log 2>&1 && ./configure > log && make > log
./dot

echo '== a Python script'
cat > /files/script.py << 'PYTHON'
import numpy as np
import isowarp

waiting = np.loadtxt("/files/faithful.csv", delimiter=",", skiprows=1, usecols=1, dtype="f4")
counts, edges = isowarp.histogram(waiting, bins=12)
assert counts.tolist() == np.histogram(waiting, edges)[0].tolist()
assert isowarp.topk(waiting, 5)[0].tolist() == np.sort(waiting)[:-6:-1].tolist() and isowarp.median(waiting) == 76
print("bins:", *counts)
results = set()
for backend in "cpu", "sim":
    dot = isowarp.kernel("/files/standalone/dot.c", backend=backend)
    product = dot[1, 512](waiting, waiting / 3, waiting.size, isowarp.unwritten(1))
    with isowarp.Context(backend):
        results.add((float(isowarp.sum(waiting / 3)).hex(), float(product[0]).hex()))
assert len(results) == 1, results
print("sum and product:", *results.pop())
PYTHON
python3 /files/script.py
echo '== all of them use the packages'
END
mmdebstrap --variant=minbase --quiet \
  --include=gcc,libc6-dev,make,cmake,pkg-config,autoconf,automake,libtool,libsimde-dev \
  --customize-hook="copy-in $work/debs $work/files /" \
  --customize-hook='chroot "$1" sh -c "apt-get -qq install -y --no-install-recommends /debs/*.deb > /apt.log 2>&1 || { cat /apt.log; exit 1; }"' \
  --customize-hook='chroot "$1" sh /files/inside.sh' \
  --customize-hook='chroot "$1" sh -c "apt-get -qq purge -y libisowarp0 isowarp-doc > /apt.log 2>&1 && ! ls /usr/bin/isowarp /usr/include/isowarp.h /usr/lib/python3/dist-packages/isowarp/__init__.py 2> /dev/null"' \
  "$VERSION_CODENAME" /dev/null
echo 'the packages install, work, and go away'
