#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The pictures and the page of doc/gallery/ are those that its script makes, and the chart of speeds is that
# of bench/README.md.
set -u
srcdir=$(cd "${srcdir:-..}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
sh "$srcdir/doc/gallery/make.sh" "$work" || { echo "FAILED: doc/gallery/make.sh"; exit 1; }
status=0
for file in "$work"/* "$srcdir"/doc/gallery/*.svg; do
  name=$(basename "$file")
  cmp "$work/$name" "$srcdir/doc/gallery/$name" || status=1
done
[ $status -eq 0 ] ||
  echo "FAILED: doc/gallery/ is not what the simulated GPU draws; 'sh doc/gallery/make.sh' makes it again"
if command -v "${PYTHON:-python3}" > /dev/null; then "${PYTHON:-python3}" "$srcdir/bench/chart.py" --check || status=1; fi
exit $status
