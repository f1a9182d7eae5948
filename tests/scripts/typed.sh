#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The typed interfaces of C (typed.c) and C++ (typed.cc) give the right results, and calls with wrong types
# do not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs() { # FILE COMPILER FLAGS...: compiles, links and runs a program, whose optimisation takes 40 s
  file=$1 compiler=$2
  shift 2
  $compiler "$@" $CFLAGS -O0 -g0 -Wall -Wextra -Werror -I"$srcdir/include" -c "$file" -o "$work/program.o"
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

# compiles LANGUAGE LINES: each line as a function of its own. Messages have the line's number in "lines".
compiles() {
  if test $1 = c; then
    compiler="$CC -std=c11" header=typed.h views=
  else
    compiler="$CXX -std=c++17" header=isowarp.hpp views=
    for array in f d s k u v i l; do
      views="$views const auto $(echo $array | tr a-z A-Z) = isowarp::span($array, n);"
    done
  fi
  case $($compiler --version) in *clang*) compiler="$compiler -ferror-limit=0" ;; esac
  { echo "#include <isowarp/$header>"
    awk -v arguments="iw_context *c, size_t n, $arrays" -v views="$views" '{
      printf "void f_%d(%s);\nvoid f_%d(%s) { %s\n#line %d \"lines\"\n%s; }\n", NR, arguments, NR, arguments, views, NR, $0
    }' "$2"; } > "$work/code"
  $compiler -Werror -Wno-psabi -I"$srcdir/include" -x $1 -fsyntax-only "$work/code" 2> "$work/errors"
}

# Of each pair in the comment at a file's end the first line compiles, and the second, behind "not", does not.
# Most of a compilation is the header, so a file's lines are compiled together. Of wrong ones that instantiate
# the same template a compiler may name the first one alone: those that it does not name are compiled again.
pairs() { # LANGUAGE FILE
  sed -n '/^\/\* Pairs/,/^ \*\//s/^ \*   //p' "$2" > "$work/pairs"
  test -s "$work/pairs" || { echo "$2 has no pairs"; status=1; }
  sed -n 'p; n' "$work/pairs" > "$work/right"
  sed -n 'n; s/^not //p' "$work/pairs" > "$work/wrong"
  test "$(wc -l < "$work/right")" -eq "$(wc -l < "$work/wrong")" || { echo "$2: a second line has no \"not\""; status=1; }
  if ! compiles $1 "$work/right"; then
    echo "does not compile in $1, but should:"
    cat "$work/errors"
    status=1
  fi
  ! compiles $1 "$work/wrong" || : > "$work/errors"
  named=$(sed -n 's/^lines:\([0-9]*\):[0-9:]* error.*/\1d/p; s/^lines:\([0-9]*\):[0-9:]*  *required from here.*/\1d/p' "$work/errors" | sort -u)
  sed "$named" "$work/wrong" > "$work/unnamed"
  while IFS= read -r line; do
    echo "$line" > "$work/line"
    if compiles $1 "$work/line"; then
      echo "compiles in $1, but should not: $line"
      status=1
    fi
  done < "$work/unnamed"
}
pairs c "$srcdir/tests/scripts/typed.c"
test -z "$CXX" || pairs c++ "$srcdir/tests/scripts/typed.cc"
exit $status
