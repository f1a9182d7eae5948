#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The typed interfaces of C (typed.c) and C++ (typed.cc) give the right results, and calls with wrong types
# do not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs() { # NAME COMPILER FLAGS...
  name=$1 compiler=$2
  shift 2
  $compiler "$@" $CFLAGS -Wall -Wextra -Werror -I"$srcdir/include" -c "$srcdir/tests/$name" -o "$work/$name.o"
  ./libtool --quiet --tag=CC --mode=link $compiler $CFLAGS $OPENMP_CFLAGS -no-install \
    -o "$work/program" "$work/$name.o" libisowarp.la
  "$work/program"
}
runs typed.c "$CC" -std=c11 -Wpedantic
languages=c
if test -n "$CXX"; then
  runs typed.cc "$CXX" -std=c++17
  languages="c c++"
fi

status=0
compiles() { # LANGUAGE STATEMENT: CALL_ is the prefix of the layer's names
  if test $1 = c; then
    compiler="$CC -std=c11" header=typed.h prefix=iwt_
  else
    compiler="$CXX -std=c++17" header=isowarp.hpp prefix=isowarp::
  fi
  statement=$(echo "$2" | sed "s/CALL_/$prefix/g")
  printf '#include <isowarp/%s>\n%s;\n%s { %s; }\n' $header \
    'void f(iw_context *, size_t, float *, double *, char *, size_t *)' \
    'void f(iw_context *c, size_t n, float *f, double *d, char *s, size_t *k)' \
    "(void)n; (void)f; (void)d; (void)s; (void)k; $statement" > "$work/code.$1"
  $compiler -Werror -I"$srcdir/include" -x $1 -fsyntax-only "$work/code.$1" 2> "$work/errors"
}
pair() { # RIGHT WRONG
  for language in $languages; do
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
pair 'CALL_inclusive_scan(c, IW_SUM, f, n, f, NULL)' 'CALL_inclusive_scan(c, IW_SUM, f, n, d, NULL)'
pair 'CALL_inclusive_scan(c, IW_SUM, f, n, f, f)' 'CALL_inclusive_scan(c, IW_SUM, f, n, f, d)'
pair 'CALL_exclusive_scan(c, IW_SUM, d, n, d, NULL)' 'CALL_exclusive_scan(c, IW_SUM, s, n, s, NULL)'
pair 'CALL_argmin(c, f, n, k, NULL)' 'CALL_argmin(c, f, n, k, d)'
pair 'CALL_histogram(c, NULL, d, n, (uint64_t *)0, NULL)' 'CALL_histogram(c, NULL, d, n, f, NULL)'
pair 'CALL_histogram(c, NULL, d, n, (uint32_t *)0, NULL)' 'CALL_histogram(c, NULL, s, n, (uint32_t *)0, NULL)'
pair 'CALL_histogram_edges(NULL, d)' 'CALL_histogram_edges(NULL, s)'
pair 'CALL_histogram_range(c, f, n, f, f)' 'CALL_histogram_range(c, f, n, f, d)'
pair 'CALL_histogram_plan_make(c, NULL, f, n, NULL)' 'CALL_histogram_plan_make(c, NULL, s, n, NULL)'
pair 'CALL_histogram_weighted(c, NULL, d, f, n, f)' 'CALL_histogram_weighted(c, NULL, d, f, n, d)'
pair 'CALL_histogram_weighted(c, NULL, d, (int32_t *)0, n, (int64_t *)0)' \
  'CALL_histogram_weighted(c, NULL, d, (int32_t *)0, n, (int32_t *)0)'
pair 'CALL_histogram_pairs(c, NULL, d, NULL, f, n, (uint64_t *)0)' \
  'CALL_histogram_pairs(c, NULL, d, NULL, f, n, (int64_t *)0)'
pair 'CALL_histogram_rows(c, NULL, d, n, n, (uint64_t *)0)' 'CALL_histogram_rows(c, NULL, d, n, n, f)'
pair 'CALL_partition(c, NULL, d, n, d, NULL, k)' 'CALL_partition(c, NULL, d, n, f, NULL, k)'
pair 'CALL_partition(c, NULL, d, n, d, d, k)' 'CALL_partition(c, NULL, d, n, d, f, k)'
pair 'CALL_select_if(c, NULL, d, n, d, k)' 'CALL_select_if(c, NULL, d, n, f, k)'
pair 'CALL_unique(c, f, n, NULL, k, NULL, 0)' 'CALL_unique(c, f, n, d, k, NULL, 0)'
pair 'CALL_run_lengths(c, f, n, f, (uint32_t *)0, k)' 'CALL_run_lengths(c, f, n, f, s, k)'
pair 'CALL_select_if(c, NULL, (int8_t *)0, n, (int8_t *)0, k)' 'CALL_select_if(c, NULL, (int8_t *)0, n, (uint8_t *)0, k)'
pair 'CALL_select_if(c, NULL, (int16_t *)0, n, (int16_t *)0, k)' 'CALL_select_if(c, NULL, (int16_t *)0, n, (uint16_t *)0, k)'
pair 'CALL_multisplit(c, NULL, f, n, f, k)' 'CALL_multisplit(c, NULL, f, n, d, k)'
pair 'CALL_select_payloads(c, NULL, f, n, NULL, 1, k)' 'CALL_select_payloads(c, NULL, s, n, NULL, 1, k)'
# Calls whose optional parameters are the last ones in C++ only.
languages=c
pair 'iwt_reduce(c, IW_SUM, f, n, f, NULL)' 'iwt_reduce(c, IW_SUM, f, n, d, NULL)'
pair 'iwt_scan_with(c, NULL, f, n, d)' 'iwt_scan_with(c, NULL, f, n, s)'
pair 'iwt_reduce_with(c, NULL, f, n, d)' 'iwt_reduce_with(c, NULL, s, n, d)'
pair 'iwt_reduce_by_key(c, NULL, f, n, NULL, d, k)' 'iwt_reduce_by_key(c, NULL, s, n, NULL, d, k)'
pair 'iw_payload p = IWT_PAYLOAD(f, f, NULL); (void)p' 'iw_payload p = IWT_PAYLOAD(f, d, NULL); (void)p'
pair 'iw_payload p = IWT_INDICES((uint32_t *)0, NULL); (void)p' 'iw_payload p = IWT_INDICES(f, NULL); (void)p'
test -n "$CXX" || exit $status
languages=c++
pair 'isowarp::reduce(c, IW_SUM, f, n, f)' 'isowarp::reduce(c, IW_SUM, f, n, d)'
pair 'isowarp::scan_with(c, iw_scan_spec(), f, n, d)' 'isowarp::scan_with(c, iw_scan_spec(), f, n, s)'
pair 'isowarp::reduce_with(c, iw_scan_spec(), f, n, d)' 'isowarp::reduce_with(c, iw_scan_spec(), s, n, d)'
pair 'isowarp::reduce_by_key(c, iw_scan_spec(), f, n, NULL, d, k)' 'isowarp::reduce_by_key(c, iw_scan_spec(), s, n, NULL, d, k)'
pair 'isowarp::payload(f, f)' 'isowarp::payload(f, d)'
pair 'isowarp::indices((uint32_t *)0)' 'isowarp::indices(f)'
exit $status
