#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each public header compiles alone, twice included, without a warning, in C11 and in C++: typed.h in C11 only, *.hpp in C++.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

alone() { # LANGUAGE HEADER COMPILER...
  language=$1 header=$2
  shift 2
  # A phase shadows on purpose (language/phase.h): that is how a collective inside a phase becomes an error.
  case $header in isowarp/kernel.h | isowarp/primitives.h | isowarp/operators.h) shadow=-Wno-shadow ;; *) shadow=-Wshadow ;; esac
  printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" > "$work/alone.$language"
  if "$@" -Wall -Wextra $shadow -Wundef -Wno-psabi -Werror -ffp-contract=off -I"$srcdir/include" \
    -fsyntax-only "$work/alone.$language"; then
    echo "alone in $language: <$header>"
  else
    echo "NOT alone in $language: <$header>"
    status=1
  fi
}

for header in $PUBLIC_HEADERS; do
  header=${header#include/}
  case $header in *.hpp) ;; *) alone c "$header" $CC -std=c11 -Wpedantic -Wstrict-prototypes -Wmissing-prototypes;; esac
  if test -n "$CXX" && test "$header" != isowarp/typed.h; then
    alone cc "$header" $CXX -std=c++17
  fi
done
exit $status
