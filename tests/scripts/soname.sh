#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The soname is libisowarp.so.(current - age), and the header has the version of the package.
set -eu
test -f .libs/libisowarp.so || { echo "no shared library was built"; exit 77; }
command -v readelf > /dev/null || { echo "no readelf here"; exit 77; }
soname=$(readelf -d .libs/libisowarp.so | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
test "$soname" = "libisowarp.so.$SONAME_NUMBER" ||
  { echo "the soname is $soname, expected libisowarp.so.$SONAME_NUMBER"; exit 1; }
header=$(sed -n 's/^#define ISOWARP_VERSION_STRING "\(.*\)"/\1/p' "$srcdir/include/isowarp/context.h")
package=$(sed -n 's/^Version: //p' isowarp.pc)
test "$header" = "$package" || { echo "context.h says version $header, configure.ac $package"; exit 1; }
echo "$soname, version $package"
