#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/tutorial.sh   (make check runs it)
#        UPDATE=1 ISOWARP=build/isowarp srcdir=. tests/scripts/tutorial.sh
#
# Runs the commands of the pages of doc/tutorial in a copy of that folder and compares what they print with
# the pages. An exercise as it stands has to fail, and its solution to pass by the same command. UPDATE=1
# writes what was printed into the pages.
#
# tests/scripts/page.sh says what a command is. A block of C is a part of one of the step's files. Lines
# have at most 110 columns.
set -u
srcdir=$(cd "${srcdir:-..}" && pwd) || exit 99
. "$srcdir/tests/scripts/page.sh"
program=$(realpath "${ISOWARP:-${top_builddir:-.}/isowarp}") || exit 99
tutorial=$srcdir/doc/tutorial
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset ISOWARP_BACKEND ISOWARP_SIM_CHECKS ISOWARP_SIM_SCHEDULE ISOWARP_SIM_SEED ISOWARP_SIM_DEVICE \
  ISOWARP_SIM_RESIDENT ISOWARP_SIM_PROCESSORS ISOWARP_SIM_REPORT ISOWARP_SIM_COUNT
LC_ALL=C CFLAGS=
export LC_ALL CFLAGS
mkdir "$work/bin" && cp -r "$tutorial" "$work/tutorial" && chmod -R u+w "$work/tutorial" || exit 99
cd "$work/tutorial" || exit 99
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" > "$work/bin/isowarp"
chmod +x "$work/bin/isowarp"
PATH=$work/bin:$PATH
checks=0
failures=0

# check WHAT COMMAND…: counts a failure, and says WHAT, if COMMAND fails
check() {
  what=$1
  shift
  checks=$((checks + 1))
  "$@" || { failures=$((failures + 1)); echo "FAILED: $what"; }
}

# has_code PAGE FILE…: whether each block of C of the page is a part of a file
has_code() {
  awk '
    FILENAME == ARGV[1] && /^```c$/ { blocks++; inside = 1; next }
    FILENAME == ARGV[1] && /^```/ { inside = 0 }
    FILENAME == ARGV[1] { if (inside) block[blocks] = block[blocks] $0 "\n"; next }
    { text[FILENAME] = text[FILENAME] $0 "\n" }
    END {
      for (b = 1; b <= blocks; b++) {
        found = 0
        for (f in text) found = found || index("\n" text[f], "\n" block[b])
        if (!found) { printf "no file has these lines:\n%s", block[b]; status = 1 }
      }
      exit status
    }' "$@"
}

has_short_lines() { ! grep -nE '.{111}' "$1"; }

# has_quoted_brackets LOG: zsh takes [ for a pattern unless it is quoted.
has_quoted_brackets() { ! sed "s/'[^']*'//g" "$1" | grep -F '['; }

# without_gap FILE: what an exercise and its solution have in common
without_gap() { sed '/\/\* Exercise: /,/\/\* End of the exercise\. \*\//d' "$1"; }

is_gap_only() {
  without_gap "$1" > "$work/a"
  without_gap "$2" > "$work/b"
  grep -q 'Exercise: ' "$1" && cmp -s "$work/a" "$work/b"
}

# Status 1: other results than expected; 3: a finding. 2 is a wrong option, or a file that does not compile.
failed() { [ "$1" = 1 ] || [ "$1" = 3 ]; }

runs() { grep -q "$1" "$work/log"; }

for page in README.md [0-9]*.md; do
  step=${page%.md}
  number=${step%%-*}
  : > "$work/log"
  run_page "$page" > "$work/$page"
  if [ "${UPDATE:-}" ]; then
    cp "$work/$page" "$tutorial/$page"
  else
    check "$page prints something else here; UPDATE=1 tests/scripts/tutorial.sh writes it into the page" \
      diff -u "$page" "$work/$page"
  fi
  check "$page: a line of more than 110 columns" has_short_lines "$work/$page"
  check "$page: a command with a [ outside of quotation marks" has_quoted_brackets "$work/log"
  if [ "$page" = README.md ]; then
    continue
  fi
  check "$page: a block of C is not from its files" \
    has_code "$page" exercises/$step.c solutions/$step.c mistakes/$number-*.c
  check "$step.c: the exercise differs from its solution outside the gap" \
    is_gap_only exercises/$step.c solutions/$step.c
  check "$page: a compiler warns" sh -c "! grep warning: '$work/$page'"
  check "$page: no picture" runs ' --trace '
  check "$page: a solution fails" sh -c "! grep -v '^0 ' '$work/log' | grep -q ' solutions/'"
  check "$page: no mistake fails" runs "^[13] .* mistakes/"
  for mistake in mistakes/$number-*.c; do
    check "$page does not run $mistake" runs " $mistake"
  done
  # The test of the exercise fails as it stands, and passes with the solution.
  check "$page: no test of the exercise" runs " exercises/$step.c .*--expect "
  grep " exercises/" "$work/log" > "$work/tests"
  while read -r status command; do
    check "exercises/$step.c is not completed, but its status is $status" failed "$status"
    printf '%s\n' "$command" | sed 's,exercises/,solutions/,' > "$work/command"
    sh "$work/command" > "$work/out" 2>&1
    check "solutions/$step.c fails: $(cat "$work/out")" [ $? -eq 0 ]
    check "solutions/$step.c is not compared" grep -q 'is as expected' "$work/out"
  done < "$work/tests"
done
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
