#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A file that includes one public header twice compiles without a warning in C11 and in C++ (typed.h in C11
# only, *.hpp in C++ only).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

compiles_alone() { # LANGUAGE HEADER COMPILER...
  language=$1 header=$2
  shift 2
  # A phase shadows a name on purpose, so that a collective inside a phase is an error (language/phase.h).
  case $header in
    isowarp/kernel.h | isowarp/math.h | isowarp/primitives.h | isowarp/operators.h) shadow=-Wno-shadow ;;
    *) shadow=-Wshadow ;;
  esac
  printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" \
    > "$work/alone.$language"
  if "$@" -Wall -Wextra $shadow -Wundef -Wno-psabi -Werror -ffp-contract=off -I"$srcdir/include" \
    -fsyntax-only "$work/alone.$language"; then
    echo "compiles in $language: <$header>"
  else
    echo "DOES NOT COMPILE in $language: <$header>"
    status=1
  fi
}

for header in $PUBLIC_HEADERS; do
  header=${header#include/}
  case $header in
    *.hpp) ;;
    *) compiles_alone c "$header" $CC -std=c11 -Wpedantic -Wstrict-prototypes -Wmissing-prototypes ;;
  esac
  if test -n "$CXX" && test "$header" != isowarp/typed.h; then
    compiles_alone cc "$header" $CXX -std=c++17
  fi
done

# With AVX2, kernel.h includes a part of <immintrin.h> (language/cpu/intrinsics.h). A program gets the rest.
if test -n "${flags_avx2-}"; then
  cat > "$work/rest.c" << 'END'
#include <isowarp/kernel.h>
#include <immintrin.h>
__attribute__((target("avx512f"))) void add(int *a) { _mm512_storeu_si512(a, _mm512_add_epi32(_mm512_loadu_si512(a), _mm512_loadu_si512(a))); }
END
  # shellcheck disable=SC2086
  if $CC -std=c11 -Werror $flags_avx2 -ffp-contract=off -I"$srcdir/include" -fsyntax-only "$work/rest.c"; then
    echo "compiles: <immintrin.h> behind <isowarp/kernel.h>"
  else
    echo "DOES NOT COMPILE: <immintrin.h> behind <isowarp/kernel.h>"
    status=1
  fi
fi
exit $status
