#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The saved inputs of the fuzz targets, with this build's compiler. tests/scripts/fuzz.sh looks for more.
status=0
for target in input calls; do
  printf '%s: ' $target
  timeout 600 tests/fuzz/$target "${srcdir:?}/tests/fuzz/$target.corpus" || { echo "FAILED"; status=1; }
done
exit $status
