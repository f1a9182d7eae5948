#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Layers point one way (ARCHITECTURE.md): each file includes only headers that its layer may know, there is
# no cycle of includes, and the algorithms do not name backends.
set -eu
cd "$srcdir"
status=0

# Prints "FILE INCLUDED" for each include of a file of this tree, both by their paths from the top.
includes() {
  find include src -name '*.[ch]' -o -name '*.hpp' -o -name '*.cu' | sort | while read -r file; do
    sed -n 's/^ *# *\(include\|define [A-Z_]*TEMPLATE\) *["<]\([^">]*\)[">].*/\2/p' "$file" |
    while read -r name; do
      for path in "$(dirname "$file")/$name" "include/$name" "src/$name" "src/${name#isowarp/}"; do
        test -f "$path" || continue
        echo "$file $(realpath --relative-to=. "$path")"
        break
      done
    done
  done
}

# Each row has an extended regular expression of files and one of the headers that they may include. The
# first row that matches a file decides. I stands for include/isowarp, A for src/algorithms, K for
# the headers of kernels.
rules() {
  sed -e 's,\([(^|]\)I,\1include/isowarp,g' -e 's,\([(^|]\)A,\1src/algorithms,g' \
    -e 's/(K)/(kernel|primitives|operators|math)/g' << 'END'
^I\.h$               ^$
^I/(descriptor|exact|histograms|segments|strategies|sim)\.h$ ^I\.h$
^I/peers\.h$       ^I(\.h|/(exact|segments|sort)\.h)$
^I/threads\.h$     ^I/peers\.h$
^I/(mpi|nccl)\.h$   ^I/(peers|mpi)\.h$
^I/sort\.h$        ^I/segments\.h$
^I/(sorted|top_k)\.h$ ^I/sort\.h$
^I/typed\.h$        ^I(\.h|/(histograms|segments|sort|sorted|top_k)\.h)$
^I/isowarp\.hpp$     ^I(\.h|/(histograms|segments|sort|sorted|strategies|top_k)\.h)$
^I/language/         ^I(\.h|/descriptor\.h|/language/.*)$
^I/(K)\.h$           ^I(\.h|/(descriptor|kernel|primitives)\.h|/language/.*)$
^I/sort_key\.h$    ^(I/(sort\.h|(K)\.h|language/cpu/diagnostics.*)|A/(common|sort)/.*)$
^I/(scan|partition|multisplit)\.h$ ^(I/((K)\.h|language/cpu/diagnostics.*)|A/(common|scan|reduce_segments|partition|multisplit)/.*)$
^I/sort_key\.h$     ^(I/sort\.h|I/language/cpu/diagnostics.*|A/(common|sort)/.*)$
^src/runtime/        ^(I(\.h|/descriptor\.h)|src/runtime/.*)$
^src/kernels/        ^A/
^src/cpu/            ^(I(\.h|/descriptor\.h)|src/runtime/.*|src/cpu/(stack|team|wake)\.h)$
^src/cuda/           ^(I(\.h|/descriptor\.h)|src/runtime/.*)$
^src/sim/kernels_75  ^(I/descriptor\.h|A/common/.*)$
^src/sim/            ^(I(\.h|/descriptor\.h|/sim\.h|/language/sim/runtime\.h)|src/runtime/.*|src/sim/.*)$
^src/peers/          ^(I(\.h|/(peers|threads)\.h)|src/runtime/.*)$
^A/common/           ^(I.*|src/runtime/.*|A/.*/(args|tuning_[a-z]*)\.h|A/common/.*)$
^A/scan/             ^(I.*|src/runtime/.*|A/(common|scan)/.*)$
^A/exact_sum/        ^(I.*|src/runtime/.*|A/(common|scan|exact_sum)/.*)$
^A/binning/          ^(I.*|src/runtime/.*|A/(common|scan|binning)/.*)$
^A/partition/        ^(I.*|src/runtime/.*|A/(common|scan|binning|partition)/.*)$
^A/reduce_segments/  ^(I.*|src/runtime/.*|A/(common|scan|partition|reduce_segments)/.*)$
^A/multisplit/       ^(I.*|src/runtime/.*|A/(common|scan|binning|partition|multisplit)/.*)$
^A/histogram/        ^(I.*|src/runtime/.*|A/(common|scan|exact_sum|binning|partition|reduce_segments|histogram)/.*)$
^A/sort/             ^(I.*|src/runtime/.*|A/(common|scan|multisplit|sort)/.*)$
^A/sorted/           ^(I.*|src/runtime/.*|A/(common|scan|multisplit|sort|sorted)/.*)$
^A/top_k/            ^(I.*|src/runtime/.*|A/(common|scan|multisplit|sort|top_k)/.*)$
^A/distributed/      ^(I.*|src/runtime/.*|A/.*)$
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
    if (count < 100) { print "layers.sh: too few includes were found"; bad = 1 }
    exit bad
  }' || status=1
if ! tsort "${TMPDIR:-/tmp}/includes.$$" > /dev/null; then
  echo "The files above include each other"
  status=1
fi
if grep -nE 'IW_BACKEND_|iw_backend_(cpu|cuda|sim)|ops->name' -r src/algorithms; then
  echo "The algorithms above name a backend: describe the capability in iw_device (runtime/backend.h)"
  status=1
fi
exit $status
