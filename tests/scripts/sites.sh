#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The headers that language/sim/make-sites makes are those that are tracked, and each operation of the
# simulated GPU that takes its place in the source has a macro there.
set -eu
sim=$srcdir/include/isowarp/language/sim
command -v bash > /dev/null || { echo "no bash"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for kind in core collectives primitives; do
  file=sites_of_$kind.h
  test $kind != core || file=sites.h
  bash "$sim/make-sites" $kind > "$work/$file"
  if cmp "$work/$file" "$sim/$file"; then echo "$file is what make-sites $kind prints"
  else
    echo "$file is not: make-sites $kind > include/isowarp/language/sim/$file"
    status=1
  fi
done

# Functions whose parameters begin with a site, as the compiler sees them without the macros, but for those
# whose names end in an underscore.
printf '#include <isowarp/primitives.h>\n' > "$work/all.c"
$CC -E -P -DIW_SIM -I"$srcdir/include" "$work/all.c" |
  tr '\n' ' ' | grep -oE 'iw_[a-z0-9_]+\( *const iw_site \*site' | sed 's/(.*//' | sort -u > "$work/operations"
cat "$work"/sites*.h | sed -n 's/^#define \(iw_[a-z0-9_]*\)(.*/\1/p' | sort -u > "$work/macros"
count=$(wc -l < "$work/operations")
if test "$count" -lt 300; then
  echo "sites.sh: too few operations were found"
  status=1
fi
if grep -vE '^iw_sim_|_$' "$work/operations" | comm -23 - "$work/macros" | grep .; then
  echo "The operations above take a site, and make-sites has no macro for them"
  status=1
fi
echo "$count operations take a site"
exit $status
