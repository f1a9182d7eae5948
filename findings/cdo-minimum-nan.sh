#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CDO 2.1.1 (Debian 12's package 2.1.1-1+deb12u1): minima of a field with a NaN, which is not the file's
# missing value.
#
# Expected: NaN is skipped, so that the minimum of 1, NaN, 3, 2 is 1; or else it is the result.
# Seen: timmin is 2. Each comparison with a NaN lets the later value stay, so a NaN takes the place of what
# was before it and is replaced by what comes behind it: the result is the minimum of the numbers behind the
# last NaN, and NaN if that stands last. Along a line of one latitude, fldmin has the same rule and zonmin
# another: of 5, 1, NaN fldmin is NaN and zonmin 5, the first number, which is not the minimum of anything.
#
# Output: timmin 2 fldmin NaNf zonmin 5
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in cdo=2.1.1-1+deb12u1 netcdf-bin; do
  dpkg -s "${package%%=*}" 2> /dev/null | grep -qF "Version: ${package#*=}" ||
    apt-get -qq install -y --no-install-recommends "$package" > /dev/null
done
# minimum OPERATOR LENGTHS VALUES: of the values, along time or along a line of longitudes.
minimum() {
  ncgen -o in.nc << FILE
netcdf in {
dimensions: time = $2; lat = 1; lon = $3;
variables: double time(time); time:units = "days since 2000-01-01"; double lat(lat); lat:units = "degrees_north";
  double lon(lon); lon:units = "degrees_east"; float x(time, lat, lon);
data: time = $(seq -s, 0 $(($2 - 1))); lat = 0; lon = $(seq -s, 0 $(($3 - 1))); x = $4;
}
FILE
  cdo -s "$1" in.nc out.nc
  ncdump -v x out.nc | sed -n '/^ x =/,$p' | tr -d '\n;} ' | sed 's/x=//'
}
seen="timmin $(minimum timmin 4 1 1,NaNf,3,2) fldmin $(minimum fldmin 1 3 5,1,NaNf) zonmin $(minimum zonmin 1 3 5,1,NaNf)"
echo "$seen"
test "$seen" = 'timmin 2 fldmin NaNf zonmin 5'
