#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The typed calls: in C++ they give the right results; and what should not compile does not, in C and in C++.
set -eu
if test -z "$CXX"; then
  echo "no C++ compiler"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$CXX -std=c++17 $CFLAGS -Wall -Wextra -Werror -I"$srcdir/include" -c "$srcdir/tests/typed.cc" -o "$work/typed.o"
./libtool --quiet --tag=CC --mode=link $CXX $CFLAGS $OPENMP_CFLAGS -no-install \
  -o "$work/typed" "$work/typed.o" libisowarp.la
"$work/typed"

status=0
compiles() { # LANGUAGE STATEMENT
  if test $1 = c; then compiler="$CC -std=c11"; else compiler="$CXX -std=c++17"; fi
  printf '#include <isowarp.h>\nvoid f(iw_context *, size_t, float *, double *, char *, size_t *);\n%s { %s; }\n' \
    'void f(iw_context *c, size_t n, float *f, double *d, char *s, size_t *k)' \
    "(void)n; (void)f; (void)d; (void)s; (void)k; $2" > "$work/code.$1"
  $compiler -Werror -I"$srcdir/include" -x $1 -fsyntax-only "$work/code.$1" 2> "$work/errors"
}
pair() { # RIGHT WRONG
  for language in c c++; do
    if ! compiles $language "$1"; then
      echo "does not compile in $language: $1"
      cat "$work/errors"
      status=1
    fi
    if compiles $language "$2"; then
      echo "compiles in $language, but should not: $2"
      status=1
    fi
  done
}
pair 'iw_inclusive_scan(c, IW_SUM, f, f, n)' 'iw_inclusive_scan(c, IW_SUM, f, d, n)'
pair 'iw_exclusive_scan(c, IW_SUM, d, d, n)' 'iw_exclusive_scan(c, IW_SUM, s, s, n)'
pair 'iw_reduce(c, IW_SUM, f, n, f)' 'iw_reduce(c, IW_SUM, f, n, d)'
pair 'iw_inclusive_scan_as(c, IW_SUM, f, d, n)' 'iw_inclusive_scan_as(c, IW_SUM, f, s, n)'
pair 'iw_exclusive_scan_as(c, IW_SUM, f, d, n)' 'iw_exclusive_scan_as(c, IW_SUM, s, d, n)'
pair 'iw_reduce_as(c, IW_SUM, f, n, d)' 'iw_reduce_as(c, IW_SUM, f, n, s)'
pair 'iw_inclusive_scan_segments(c, IW_SUM, f, 0, f, n)' 'iw_inclusive_scan_segments(c, IW_SUM, f, 0, d, n)'
pair 'iw_exclusive_scan_by_key(c, IW_SUM, f, (int64_t *)0, f, n)' 'iw_exclusive_scan_by_key(c, IW_SUM, f, s, f, n)'
pair 'iw_inclusive_scan_rows(c, IW_SUM, d, d, n, n)' 'iw_inclusive_scan_rows(c, IW_SUM, d, f, n, n)'
pair 'iw_partition(c, d, n, 1, d, k)' 'iw_partition(c, d, n, 1, f, k)'
pair 'iw_multisplit(c, f, n, 0, f, k)' 'iw_multisplit(c, f, n, 0, d, k)'
pair 'iw_histogram(c, d, n, 0, (uint64_t *)0)' 'iw_histogram(c, d, n, 0, f)'
pair 'iw_histogram_plan_run(c, 0, d, n, (uint64_t *)0)' 'iw_histogram_plan_run(c, 0, d, n, f)'
pair 'iw_histogram_weighted(c, 0, d, f, n, f)' 'iw_histogram_weighted(c, 0, d, f, n, d)'
pair 'iw_histogram_weighted(c, 0, d, (int32_t *)0, n, (int64_t *)0)' 'iw_histogram_weighted(c, 0, d, (int32_t *)0, n, (int32_t *)0)'
pair 'iw_histogram_pairs(c, 0, d, 0, f, n, (uint64_t *)0)' 'iw_histogram_pairs(c, 0, d, 0, f, n, (uint32_t *)0)'
pair 'iw_histogram_rows(c, 0, d, n, n, (uint64_t *)0)' 'iw_histogram_rows(c, 0, d, n, n, f)'
pair 'iw_multisplit_planned(c, 0, f, n, f, k)' 'iw_multisplit_planned(c, 0, f, n, d, k)'
pair 'iw_multisplit_by(c, f, n, 0, f, k)' 'iw_multisplit_by(c, f, n, 0, d, k)'
pair 'iw_multisplit_pairs(c, f, d, n, 0, f, d, k)' 'iw_multisplit_pairs(c, f, d, n, 0, f, f, k)'
pair 'iw_multisplit_order(c, f, n, 0, (uint32_t *)0, k)' 'iw_multisplit_order(c, f, n, 0, f, k)'
exit $status
