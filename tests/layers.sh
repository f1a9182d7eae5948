#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Layers point one way (ARCHITECTURE.md): each file includes only what its layer may know, and no file includes itself by way of
# others. The names of backends appear nowhere in the algorithms.
set -eu
cd "$srcdir"
status=0

# "FILE INCLUDED" for each include of a file of this tree, both by their paths from the top.
includes() {
  find include src -name '*.[ch]' -o -name '*.hpp' -o -name '*.cu' | sort | while read -r file; do
    sed -n 's/^ *# *\(include\|define [A-Z_]*TEMPLATE\) *["<]\([^">]*\)[">].*/\2/p' "$file" | while read -r name; do
      for path in "$(dirname "$file")/$name" "include/$name" "src/$name" "src/${name#isowarp/}"; do
        test -f "$path" || continue
        echo "$file $(realpath --relative-to=. "$path")"
        break
      done
    done
  done
}

# What each layer may include, as extended regular expressions; the first row that matches the file counts.
rules() {
  cat << 'END'
^include/isowarp\.h$                            ^$
^include/isowarp/(descriptor|strategies|typed)\.h$ ^include/isowarp\.h$
^include/isowarp/isowarp\.hpp$                  ^include/isowarp(\.h|/strategies\.h)$
^include/isowarp/language/                      ^include/isowarp(\.h|/descriptor\.h|/language/.*)$
^include/isowarp/(kernel|primitives|operators)\.h$ ^include/isowarp(\.h|/(descriptor|kernel|primitives)\.h|/language/.*)$
^include/isowarp/(scan|partition|multisplit)\.h$ ^(include/isowarp/((kernel|primitives|operators)\.h|language/cpu/diagnostics.*)|src/algorithms/(common|scan|partition|multisplit)/.*)$
^src/runtime/                                   ^(include/isowarp(\.h|/descriptor\.h)|src/runtime/.*)$
^src/(cpu|cuda)/k_                              ^src/algorithms/
^src/(cpu|cuda)/                                ^(include/isowarp(\.h|/descriptor\.h)|src/runtime/.*)$
^src/algorithms/common/                         ^(include/isowarp.*|src/runtime/.*|src/algorithms/.*/(args|tuning_[a-z]*)\.h|src/algorithms/common/.*)$
^src/algorithms/scan/                           ^(include/isowarp.*|src/runtime/.*|src/algorithms/(common|scan)/.*)$
^src/algorithms/histogram/                      ^(include/isowarp.*|src/runtime/.*|src/algorithms/(common|scan|histogram)/.*|src/algorithms/multisplit/(args|bucket_ids.*)\.h)$
^src/algorithms/                                ^(include/isowarp.*|src/runtime/.*|src/algorithms/.*)$
END
}

includes > "${TMPDIR:-/tmp}/includes.$$"
trap 'rm -f "${TMPDIR:-/tmp}/includes.$$"' EXIT
rules | awk -v includes="${TMPDIR:-/tmp}/includes.$$" '
  { rule[NR] = $1; may[NR] = $2 }
  END {
    while ((getline < includes) > 0) {
      for (i = 1; i <= NR && $1 !~ rule[i]; i++);
      if (i > NR) { print $1 " belongs to no layer"; bad = 1 }
      else if ($2 !~ may[i]) { print $1 " may not include " $2; bad = 1 }
      count++
    }
    print count " includes"
    if (count < 100) { print "layers.sh found too few includes to be right"; bad = 1 }
    exit bad
  }' || status=1
if ! tsort "${TMPDIR:-/tmp}/includes.$$" > /dev/null; then
  echo "The files above include each other in a circle"
  status=1
fi
if grep -nE 'IW_BACKEND_|iw_backend_(cpu|cuda)|ops->name' -r src/algorithms; then
  echo "The algorithms above ask which backend they run on: make what they want to know data of iw_device (runtime/backend.h)"
  status=1
fi
exit $status
