#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/program.sh   (make check runs it)
#        UPDATE=1 ISOWARP=build/isowarp srcdir=. tests/scripts/program.sh
#
# Runs the commands of doc/program.md in a copy of examples/data and compares what they print with the page.
# The pictures only have to be made, as they depend on the library that draws them. UPDATE=1 writes what was
# printed into the page, and the pictures into doc/program.
set -u
srcdir=$(cd "${srcdir:-..}" && pwd) || exit 99
. "$srcdir/tests/scripts/page.sh"
program=$(realpath "${ISOWARP:-${top_builddir:-.}/isowarp}") || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset ISOWARP_BACKEND ISOWARP_ISA ISOWARP_SIM_CHECKS ISOWARP_SIM_SCHEDULE ISOWARP_SIM_SEED ISOWARP_SIM_DEVICE \
  ISOWARP_SIM_RESIDENT ISOWARP_SIM_PROCESSORS ISOWARP_SIM_REPORT ISOWARP_SIM_COUNT
LC_ALL=C
export LC_ALL
mkdir "$work/bin" && cp -r "$srcdir/examples/data" "$work/data" && chmod -R u+w "$work/data" || exit 99
cd "$work/data" || exit 99
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" > "$work/bin/isowarp"
chmod +x "$work/bin/isowarp"
PATH=$work/bin:$PATH
isowarp histogram faithful.csv --column waiting --plot try.svg > try 2>&1 ||
  { cat try; echo "this build draws no pictures, so the page of the program is not tried"; exit 77; }
rm try try.svg
run_page "$srcdir/doc/program.md" > "$work/program.md" || exit 99
pictures=$(sed -n 's,.*](program/\(.*\.svg\)).*,\1,p' "$srcdir/doc/program.md")
if [ "${UPDATE:-}" ]; then
  cp "$work/program.md" "$srcdir/doc/program.md"
  for picture in $pictures; do cp "$picture" "$srcdir/doc/program/$picture" || exit 1; done
fi
status=0
diff -u "$srcdir/doc/program.md" "$work/program.md" ||
  { echo "FAILED: doc/program.md prints something else here; UPDATE=1 tests/scripts/program.sh writes it into the page"; status=1; }
for picture in $pictures; do
  grep -q '</svg>' "$picture" || { echo "FAILED: no picture $picture"; status=1; }
done
echo "$(wc -l < "$work/log") commands, $(echo "$pictures" | wc -l) pictures"
exit $status
