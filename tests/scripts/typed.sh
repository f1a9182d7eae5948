#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The typed interfaces of C (typed.c) and C++ (typed.cc) give the right results, and calls with wrong types
# do not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs() { # FILE COMPILER FLAGS...: compiles, links and runs a program
  file=$1 compiler=$2
  shift 2
  $compiler "$@" $CFLAGS -Wall -Wextra -Werror -I"$srcdir/include" -c "$file" -o "$work/program.o"
  ./libtool --quiet --tag=CC --mode=link $compiler $CFLAGS $OPENMP_CFLAGS -no-install -o "$work/program" "$work/program.o" libisowarp.la
  "$work/program"
}
runs "$srcdir/tests/scripts/typed.c" "$CC" -std=c11 -Wpedantic
if test -n "$CXX"; then
  runs "$srcdir/tests/scripts/typed.cc" "$CXX" -std=c++17 -Wno-psabi
  runs "$srcdir/tests/scripts/typed.cc" "$CXX" -std=c++17 -Wno-psabi -fno-exceptions
  # The example in the head comment.
  sed -n '/^ \*   #include <isowarp/,/^ \*   }/s/^ \*   //p' "$srcdir/include/isowarp/isowarp.hpp" > "$work/example.cc"
  test "$(runs "$work/example.cc" "$CXX" -std=c++17 -Wno-psabi)" = '3, 2'
fi

status=0
arrays='float *f, double *d, char *s, size_t *k, uint32_t *u, uint64_t *v, int32_t *i, int64_t *l'
# The header once: g++ reads isowarp.hpp.gch in the place of isowarp.hpp.
if test -n "$CXX"; then
  mkdir "$work/isowarp"
  $CXX -std=c++17 -Werror -Wno-psabi -I"$srcdir/include" -x c++-header "$srcdir/include/isowarp/isowarp.hpp" \
    -o "$work/isowarp/isowarp.hpp.gch"
fi
compiles() { # LANGUAGE STATEMENT
  if test $1 = c; then
    compiler="$CC -std=c11" header=typed.h views=
  else
    compiler="$CXX -std=c++17" header=isowarp.hpp views=
    for array in f d s k u v i l; do
      views="$views const auto $(echo $array | tr a-z A-Z) = isowarp::span($array, n);"
    done
  fi
  printf '#include <isowarp/%s>\nvoid f(iw_context *c, size_t n, %s);\nvoid f(iw_context *c, size_t n, %s)\n{\n%s\n%s;\n}\n' $header \
    "$arrays" "$arrays" "$views" "$2" > "$work/code.$1"
  $compiler -Werror -Wno-psabi -I"$work" -I"$srcdir/include" -x $1 -fsyntax-only "$work/code.$1" 2> "$work/errors"
}
pair() { # LANGUAGE RIGHT WRONG
  if test $1 = c++ && test -z "$CXX"; then
    return
  fi
  if ! compiles $1 "$2"; then
    echo "does not compile in $1: $2"
    cat "$work/errors"
    status=1
  fi
  if compiles $1 "$3"; then
    echo "compiles in $1, but should not: $3"
    status=1
  fi
}

# Of each pair in the comment at a file's end the first line compiles, and the second, behind "not", does not.
pairs() { # LANGUAGE FILE
  sed -n '/^\/\* Pairs/,/^ \*\//s/^ \*   //p' "$2" > "$work/pairs"
  test -s "$work/pairs" || { echo "$2 has no pairs"; status=1; }
  while IFS= read -r right && IFS= read -r wrong; do
    pair $1 "$right" "${wrong#not }"
  done < "$work/pairs"
}
pairs c "$srcdir/tests/scripts/typed.c"
pairs c++ "$srcdir/tests/scripts/typed.cc"
exit $status
