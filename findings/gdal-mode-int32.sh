#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# GDAL 3.6.2 (Debian 12's package 3.6.2+dfsg-1+b2): resampling of int32 by the mode, the most frequent value.
#
# Expected: the mode is one of the elements, as the minimum and the median are: labels of classes are
# resampled by it.
# Seen: it is found in float32. Four elements 16777217 have the mode 16777216, by gdalwarp and in overviews,
# while minimum, median and average of them are 16777217. So labels beyond 2^24 become others without a
# warning, and different labels are counted as one.
#
# Output: min 16777217 med 16777217 average 16777217 mode 16777216 overview 16777216
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s gdal-bin 2> /dev/null | grep -qF 'Version: 3.6.2+dfsg-1+b2' ||
  apt-get -qq install -y --no-install-recommends gdal-bin=3.6.2+dfsg-1+b2 > /dev/null
gdal_create -q -ot Int32 -outsize 2 2 -burn 16777217 -a_ullr 0 2 2 0 x.tif
seen=
for method in min med average mode; do
  gdalwarp -q -overwrite -ts 1 1 -r $method x.tif y.tif
  seen+="$method $(gdallocationinfo -valonly y.tif 0 0) "
done
gdaladdo -q -r mode x.tif 2
seen+="overview $(gdallocationinfo -valonly -overview 1 x.tif 0 0 | tail -n 1)"
echo "$seen"
test "$seen" = 'min 16777217 med 16777217 average 16777217 mode 16777216 overview 16777216'
