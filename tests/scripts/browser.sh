#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The pages of isowarp run in headless Chromium: the interval that an address names is visible, the slider
# moves, and the counts stand beside their lines. BROWSER: the program (default: chromium).
set -u
program=${ISOWARP:-${top_builddir:-.}/isowarp}
browser=$(command -v "${BROWSER:-chromium}") || { echo "no chromium, so the pages are not tried"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
LC_ALL=C CFLAGS= TMPDIR=$work
export LC_ALL CFLAGS TMPDIR
checks=0
failures=0

cat > steps.c << 'END'
#include <isowarp/kernel.h>
typedef struct { const float *in; float *out; } steps_args;
typedef struct { float x[64]; } steps_shared;
IW_KERNEL(steps, steps_shared, steps_args)
{
  float *const to = shared->x + 32;
  IW_PHASE(warp) {
    iw_store(shared->x + warp * 8, iw_load(args->in + warp * 8, iw_active(warp)), iw_active(warp));
  }
  IW_PHASE(warp) {
    iw_store(to + warp * 8, iw_gather(shared->x, iw_xor(iw_lane(), 1), iw_active(warp)), iw_active(warp));
  }
  IW_PHASE(warp) {
    iw_store(args->out + warp * 8, iw_load(to + warp * 8, iw_active(warp)), iw_active(warp));
  }
}
END
"$program" run steps.c --grid 1 --block 16 --warp-size 8 --arg in=0:16 --arg 'out=[16]' --trace page.html \
  --count counts.html > out ||
  { echo "FAILED: isowarp run"; exit 1; }

# dom PAGE#FRAGMENT: the page as the browser has it when its scripts have run
dom() {
  "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --dump-dom "file://$work/$1" > dom 2> messages ||
    { echo "FAILED: $browser:"; cat messages; exit 1; }
}
# shows NUMBER OF PAGE: of the OF intervals the page shows this one alone, and says so
shows() {
  dom "$3"
  checks=$((checks + 1))
  visible=$(grep -o '<section[^>]*>' dom | grep -n -v hidden |
    sed 's/:.*interval \([0-9]*\)".*/ \1/' | tr '\n' ' ')
  if [ "$visible" != "$1 $1 " ] ||
     ! grep -qF "$1 of $2: launch 1: steps, block 0 of 1, interval $1</output>" dom; then
    failures=$((failures + 1))
    echo "FAILED: $3 shows '$visible' (place and number of each interval), not $1 alone:"
    grep -o '<section[^>]*>\|<output.*</output>' dom
  fi
}
# A page whose slider is moved, or whose address changes, when it has been loaded.
moved() {
  sed "s|</body>|<script>$1</script></body>|" page.html > moved.html
}

shows 1 3 page.html
shows 2 3 'page.html#interval=2'
shows 3 3 'page.html#interval=3'
shows 3 3 'page.html#interval=99'
shows 1 3 'page.html#interval=none'
moved 'at.value = 3; at.dispatchEvent(new Event("input")); document.title = location.hash'
shows 3 3 moved.html
checks=$((checks + 1))
grep -qF '<title>#interval=3</title>' dom ||
  { failures=$((failures + 1)); echo "FAILED: the slider does not change the address"; }
moved 'location.hash = "interval=2"; dispatchEvent(new Event("hashchange"))'
shows 2 3 moved.html

# The page of the counts is the same without and with scripts; its banks are there.
dom counts.html
checks=$((checks + 1))
if [ "$(grep -c '<tr class="counted"' dom)" -ne 6 ] ||
   [ "$(grep -o '<td[^>]*title="bank 31:' dom | wc -l)" -ne 3 ]; then
  failures=$((failures + 1))
  echo "FAILED: the counts of six lines and the banks of three are not in:"
  cat dom
fi
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
