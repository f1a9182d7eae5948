#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each file that can have a comment says its licence; .reuse/dep5 has that of the others
# (https://reuse.software). reuse checks the whole where it is installed. `make sbom` lists all files with
# their licences and sums (SPDX).
set -eu
cd "$srcdir"
git rev-parse --is-inside-work-tree > /dev/null 2>&1 && [ -e .git ] || { echo 'licenses: not a git checkout'; exit 77; }
status=0
for file in $(git ls-files '*.c' '*.h' '*.cc' '*.hpp' '*.cu' '*.inc' '*.sh' '*.py' '*.pyi' '*.am' '*.ac' '*.m4' '*.awk' '*.map' \
    '*.in' '*.toml' '*.build' quickstart bootstrap .ci/run); do
  case $file in *.pc.in) continue ;; esac
  head -n 6 "$file" | grep -q 'SPDX-License-Identifier' || { echo "$file: has no SPDX-License-Identifier in its first lines"; status=1; }
done
if command -v reuse > /dev/null; then
  report=$(LC_ALL=C.UTF-8 reuse lint 2>&1) || { echo "$report"; status=1; }
else
  echo 'licenses: there is no reuse'
fi
[ $status = 0 ] && echo 'all files say their licence'
exit $status
