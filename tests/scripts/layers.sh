#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Layers point one way (ARCHITECTURE.md): each file includes only headers that its layer may know, and uses
# only functions and variables of such layers; neither files nor folders use each other in a circle; and the
# algorithms do not name backends. Runs in the build tree.
set -eu
status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$PWD
cd "$srcdir"

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

# Prints "FILE OTHER NAME" for each name that the host's object of FILE takes from that of OTHER.
references() {
  (cd "$build" && find src -name 'libisowarp_la-*.o') | while read -r object; do
    file=$(echo "$object" | sed 's,\.libs/,,; s,libisowarp_la-,,; s,o$,c,')
    if test -f "$file"; then ${NM:-nm} -g "$build/$object" | awk -v file="$file" 'NF > 1 { print file, $(NF - 1), $NF }'; fi
  done | awk '
    $2 == "U" { user[++n] = $1; name[n] = $3; next }
    $2 ~ /[A-Z]/ { place[$3] = $1 }
    END { for (i = 1; i <= n; i++) if (name[i] in place && place[name[i]] != user[i]) print user[i], place[name[i]], name[i] }' |
    sort -u
}

# Each row has an extended regular expression of files and one of the files that they may include or use. The
# first row that matches a file decides. I stands for include/isowarp, A for src/algorithms, K for
# the headers of kernels.
rules() {
  sed -e 's,\([(^|]\)I,\1include/isowarp,g' -e 's,\([(^|]\)A,\1src/algorithms,g' \
    -e 's/\bK)/kernel|primitives|operators|math)/g' << 'END'
^I\.h$               ^I/(context|exact|histograms|moves|scans|sorts)\.h$
^I/context\.h$       ^$
^I/(scans|histograms)\.h$ ^I/context\.h$
^I/(moves|exact)\.h$ ^I/histograms\.h$
^I/descriptor\.h$    ^I/context\.h$
^I/(peers|sim)\.h$   ^I\.h$
^I/threads\.h$     ^I/peers\.h$
^I/(mpi|nccl_peers)\.h$  ^I/(peers|mpi)\.h$
^I/nccl\.h$         ^I/nccl_peers\.h$
^I/sorts\.h$        ^I/(moves|scans)\.h$
^I/typed\.h$        ^I\.h$
^I/context\.hpp$     ^I/context\.h$
^I/histograms\.hpp$  ^I/(context\.hpp|histograms\.h)$
^I/moves\.hpp$       ^I/(histograms\.hpp|moves\.h)$
^I/isowarp\.hpp$     ^I(\.h|/(context|moves)\.hpp)$
^I/cuda/             ^I/cuda/.*$
^I/language/         ^I/(descriptor\.h|language/.*)$
^I/(K)\.h$           ^I/((context|descriptor|kernel|primitives)\.h|language/.*)$
^I/make_sort_key\.h$ ^(I/(sorts\.h|(K)\.h|language/cpu/diagnostics.*)|A/(common|sort)/.*)$
^I/make_(operator|predicate|bucket_rule)\.h$ ^(I/((scans|moves|K)\.h|language/cpu/diagnostics.*)|A/(common|scan|reduce_segments|partition|multisplit)/.*)$
^src/runtime/        ^(I(\.h|/descriptor\.h)|src/runtime/.*)$
^src/cpu/            ^(I(\.h|/descriptor\.h)|src/runtime/.*|src/cpu/(isa|place|stack|team|wake)\.[ch])$
^src/cuda/           ^(I(\.h|/descriptor\.h)|src/runtime/.*)$
^src/sim/            ^(I(\.h|/descriptor\.h|/sim\.h|/language/sim/runtime\.h)|src/runtime/.*|src/sim/.*)$
^src/simt/            ^(I(\.h|/(descriptor|sim)\.h|/language/sim/(runtime|thread_hooks)\.h|/cuda/isowarp_simt\.h)|src/runtime/.*|src/sim/(sim|profiles)\.h|src/simt/.*)$
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

# References to a higher layer that are meant: extended regular expressions of the file, of the other file
# and of the name, and the reason. They are no part of a circle.
upward() {
  cat << 'END'
^src/runtime/ ^src/(cpu|cuda|sim)/ ^iw_(backend_(cpu|cuda|sim)|cuda_device_of|isa_(at|available|count))$ Backends define what the runtime declares.
END
}

# Prints which pairs of the file $1, "FILE OTHER" or "FILE OTHER NAME", are not as the rules say, and how
# many there are.
check_rules() {
  rules | awk -v pairs="$1" '
    { rule[NR] = $1; may[NR] = $2 }
    END {
      while ((getline < pairs) > 0) {
        for (i = 1; i <= NR && $1 !~ rule[i]; i++);
        if (i > NR) { print $1 " belongs to no layer"; bad = 1 }
        else if ($2 !~ may[i]) { print $1 " may not " (NF == 3 ? "use " $3 " of " : "include ") $2; bad = 1 }
        count++
      }
      print count " " (NF == 3 ? "references" : "includes")
      if (count < 100) { print "layers.sh: too few were found"; bad = 1 }
      exit bad
    }'
}

# Prints each reference of "FILE OTHER NAME" lines that is part of a circle.
find_circles() {
  awk '
    !(($1, $2) in name) { name[$1, $2] = $3; users[++edges] = $1; used[edges] = $2; next_of[$1] = next_of[$1] " " $2 }
    function reaches(from, to,    list, n, i, seen, queue, head, tail) {
      queue[tail = 1] = from
      for (head = 1; head <= tail; head++) {
        if (queue[head] == to) return 1
        n = split(next_of[queue[head]], list, " ")
        for (i = 1; i <= n; i++) if (!(list[i] in seen)) { seen[list[i]]; queue[++tail] = list[i] }
      }
      return 0
    }
    END {
      for (e = 1; e <= edges; e++)
        if (reaches(used[e], users[e])) { print "in a circle: " users[e] " uses " name[users[e], used[e]] " of " used[e]; bad = 1 }
      exit bad
    }'
}

includes > "$work/includes"
check_rules "$work/includes" || status=1
if ! tsort "$work/includes" > /dev/null; then
  echo "The files above include each other"
  status=1
fi
upward > "$work/upward"
references | awk 'NR == FNR { user[NR] = $1; used[NR] = $2; name[NR] = $3; n = NR; next }
  { for (i = 1; i <= n; i++) if ($1 ~ user[i] && $2 ~ used[i] && $3 ~ name[i]) next } 1' "$work/upward" - > "$work/references"
check_rules "$work/references" || status=1
find_circles < "$work/references" || status=1
# Between folders.
awk '{ sub(/\/[^\/]*$/, "", $1); sub(/\/[^\/]*$/, "", $2) } $1 != $2' "$work/references" | find_circles || status=1
if grep -nE 'IW_BACKEND_|iw_backend_(cpu|cuda|sim)|ops->name' -r src/algorithms; then
  echo "The algorithms above name a backend: describe the capability in iw_device (runtime/backend.h)"
  status=1
fi
exit $status
