#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the table of `isowarp verify` anew from the definitions, and compares it with the one that ships.

top=${top_srcdir:-${srcdir:-$(dirname "$0")/../..}}

for python in "$PYTHON" python3 /usr/bin/python3; do
  case $python in '' | :) continue ;; esac
  if "$python" -c 'import numpy' 2>/dev/null; then
    "$python" "$top/tests/reference/reference.py" | cmp - "$top/tools/verify_table.inc" || {
      echo "tools/verify_table.inc is not what tests/reference/reference.py makes" >&2
      exit 1
    }
    echo "tools/verify_table.inc is what the definitions give"
    exit 0
  fi
done
echo "skipped: there is no python3 with NumPy (Debian: python3-numpy)"
exit 77
