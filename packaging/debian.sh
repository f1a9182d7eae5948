#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/debian.sh FOLDER [CONFIGURE_OPTION...]
#
# Makes the Debian packages from this source tree in FOLDER, and checks them with lintian where it is
# installed. Needs Debian's debhelper and the packages of Build-Depends in debian/control. For a quick try
# of the packaging: --with-isa=generic GENERIC_CFLAGS=-O0 SIM_CFLAGS=-O0
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$folder"
rm -rf archive isowarp-*
git clone -q "$source" archive
(cd archive && ./bootstrap > ../bootstrap.log 2>&1 && mkdir build && cd build &&
  ../configure --without-cuda --disable-tests --disable-bench --with-isa=generic > ../../configure.log 2>&1 && make dist-xz > ../../dist.log 2>&1)
version=$(sed -n 's/^isowarp (\(.*\)-[^-]*).*/\1/p' archive/packaging/debian/changelog)
cp "archive/build/isowarp-$version.tar.xz" "isowarp_$version.orig.tar.xz"
tar xf "isowarp_$version.orig.tar.xz"
cd "isowarp-$version"
cp -R packaging/debian debian
ISOWARP_CONFIGURE="$*" dpkg-buildpackage -us -uc > ../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
cd ..
if command -v lintian > /dev/null; then
  lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs isowarp_*.changes
else
  echo 'debian.sh: there is no lintian'
fi
ls -- *.deb
