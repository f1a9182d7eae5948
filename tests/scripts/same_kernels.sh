#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/same_kernels.sh BEFORE AFTER
#
# Whether the kernels of two build trees are the same code: compares the kernels' names and, function by
# function, the disassembly of the objects of all sets. Prints what was lost, what is new and what differs.
# The names and places of constants do not count, nor which unit has a function and where in it. So units may
# be divided or joined; but then the compiler may decide otherwise what it inlines.
set -eu
test $# = 2 || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# list TREE: a line "SET FUNCTION instructions" for each function, and "SET iw_k_KERNEL descriptor" for each
# kernel.
list() {
  find "$1/src" -name '*.o' | sort | while read -r object; do
    kernels=$(nm --defined-only "$object" | sed -n 's/.* D \(iw_k_.*\)/\1/p')
    test -n "$kernels" || continue
    set=$(echo "$kernels" | sed -n '1s/.*_//p')
    echo "$kernels" | sed "s/.*/$set & descriptor/"
    objdump -dr --no-addresses --no-show-raw-insn "$object" | sed 's/\.\(LC\|rodata\|data\|bss\)[-+.a-z0-9_]*/CONSTANT/g
      s/-\{0,1\}0x[0-9a-f]*\((%rip).*# <\)/\1/
      s/\.\(constprop\|isra\|part\|cold\)\.[0-9]*/.\1/g' | awk -v set="$set" '
        function flush() { if (name) print set, name, code; code = "" }
        /^<.*>:$/ { flush(); name = substr($1, 2, length($1) - 3); next }
        /[ \t](nop|nopw|nopl|data16|xchg +%ax,%ax)/ { next }
        NF { gsub(/[ \t]+/, " "); code = code $0 ";" }
        END { flush() }'
  done | sort -u
}
list "$1" > "$work/before"
list "$2" > "$work/after"
for tree in before after; do cut -d ' ' -f 1,2 "$work/$tree" | sort -u > "$work/$tree.names"; done
comm -23 "$work/before.names" "$work/after.names" > "$work/lost"
comm -13 "$work/before.names" "$work/after.names" > "$work/new"
comm -3 "$work/before" "$work/after" | sed 's/^\t//' | cut -d ' ' -f 1,2 | sort -u | comm -12 - "$work/before.names" |
  comm -12 - "$work/after.names" > "$work/differ"
for list in lost new differ; do sed "s/^/$list: /" "$work/$list"; done
echo "$(wc -l < "$work/before.names") functions and kernels before, $(wc -l < "$work/after.names") after;" \
  "$(wc -l < "$work/lost") lost, $(wc -l < "$work/new") new, $(wc -l < "$work/differ") differ"
test ! -s "$work/lost" && test ! -s "$work/new" && test ! -s "$work/differ"
