#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the table of `isowarp verify` from the definitions and compares it with
# tools/commands/verify_table.inc. Compares the code in doc/order1.md with the code that the tests use.

top=${top_srcdir:-${srcdir:-$(dirname "$0")/../..}}

order1() { sed -n '/^enum/p; /^static/,/^}/p'; }
in_doc=$(sed -n 's/^    //p' "$top/doc/order1.md" | order1)
in_tests=$(cat "$top/tests/suites/order1.h" "$top/tests/suites/order1_segments.h" | order1)
if test -z "$in_doc" || test "$in_doc" != "$in_tests"; then
  echo "the references in doc/order1.md are not what tests/suites/order1.h and order1_segments.h have" >&2
  exit 1
fi

for python in "$PYTHON" python3 /usr/bin/python3; do
  case $python in '' | :) continue ;; esac
  if "$python" -c 'import numpy' 2>/dev/null; then
    "$python" "$top/tests/reference/reference.py" | cmp - "$top/tools/commands/verify_table.inc" || {
      echo "tools/commands/verify_table.inc is not what tests/reference/reference.py makes" >&2
      exit 1
    }
    echo "tools/commands/verify_table.inc is what the definitions give"
    exit 0
  fi
done
echo "skipped: there is no python3 with NumPy (Debian: python3-numpy)"
exit 77
