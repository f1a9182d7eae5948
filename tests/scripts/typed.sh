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

# The arrays of these: f float, d double, s char (no element type), u uint32_t, v uint64_t, i int32_t, l
# int64_t, k size_t.
pair c 'iwt_inclusive_scan(c, IW_SUM, f, n, d, NULL)' 'iwt_inclusive_scan(c, IW_SUM, d, n, f, NULL)'
pair c 'iwt_inclusive_scan(c, IW_SUM, i, n, l, NULL)' 'iwt_inclusive_scan(c, IW_SUM, i, n, v, NULL)'
pair c 'iwt_exclusive_scan(c, IW_SUM, d, n, d, NULL)' 'iwt_exclusive_scan(c, IW_SUM, s, n, s, NULL)'
pair c 'iwt_inclusive_scan(c, IW_SUM, f, n, f, IWT_INIT(f, 1))' 'iwt_inclusive_scan(c, IW_SUM, f, n, f, f)'
pair c 'iwt_reduce(c, IW_SUM, f, n, f, NULL)' 'iwt_reduce(c, IW_SUM, f, n, i, NULL)'
pair c 'iwt_argmin(c, f, n, k, NULL, NULL)' 'iwt_argmin(c, f, n, k, d, NULL)'
pair c 'iwt_keys_by_value(c, f, n, f)' 'iwt_keys_by_value(c, f, n, d)'
pair c 'iwt_histogram(c, NULL, d, n, v, NULL)' 'iwt_histogram(c, NULL, d, n, f, NULL)'
pair c 'iwt_histogram(c, NULL, d, n, u, NULL)' 'iwt_histogram(c, NULL, s, n, u, NULL)'
pair c 'iwt_histogram_edges(NULL, d)' 'iwt_histogram_edges(NULL, s)'
pair c 'iwt_histogram_range(c, f, n, f, f)' 'iwt_histogram_range(c, f, n, f, d)'
pair c 'iwt_histogram_plan_make(c, NULL, f, n, NULL)' 'iwt_histogram_plan_make(c, NULL, s, n, NULL)'
pair c 'iwt_histogram_weighted(c, NULL, d, f, n, f)' 'iwt_histogram_weighted(c, NULL, d, f, n, d)'
pair c 'iwt_histogram_weighted(c, NULL, d, i, n, l)' 'iwt_histogram_weighted(c, NULL, d, i, n, i)'
pair c 'iwt_histogram_nd(c, NULL, 2, n, v)' 'iwt_histogram_nd(c, NULL, 2, n, l)'
pair c 'iwt_histogram_nd_weighted(c, NULL, 2, f, n, f)' 'iwt_histogram_nd_weighted(c, NULL, 2, f, n, d)'
pair c 'iwt_histogram_rows(c, NULL, d, n, n, v, NULL)' 'iwt_histogram_rows(c, NULL, d, n, n, f, NULL)'
pair c 'iwt_partition(c, NULL, d, n, d, k, NULL)' 'iwt_partition(c, NULL, d, n, f, k, NULL)'
pair c 'iwt_select_if(c, NULL, d, n, d, k, NULL)' 'iwt_select_if(c, NULL, d, n, f, k, NULL)'
pair c 'iwt_select_if(c, NULL, (int8_t *)0, n, (int8_t *)0, k, NULL)' 'iwt_select_if(c, NULL, (int8_t *)0, n, (uint8_t *)0, k, NULL)'
pair c 'iwt_select_if(c, NULL, (int16_t *)0, n, (int16_t *)0, k, NULL)' \
  'iwt_select_if(c, NULL, (int16_t *)0, n, (uint16_t *)0, k, NULL)'
pair c 'iwt_unique(c, f, n, NULL, k, NULL)' 'iwt_unique(c, f, n, d, k, NULL)'
pair c 'iwt_run_lengths(c, f, n, f, u, k)' 'iwt_run_lengths(c, f, n, f, s, k)'
pair c 'iwt_run_lengths_decode(c, f, u, n, f, n)' 'iwt_run_lengths_decode(c, f, u, n, d, n)'
pair c 'iwt_multisplit(c, NULL, f, n, f, k, NULL)' 'iwt_multisplit(c, NULL, f, n, d, k, NULL)'
pair c 'iwt_sort(c, f, n, f, NULL)' 'iwt_sort(c, f, n, d, NULL)'
pair c 'iwt_argsort(c, f, n, u, NULL)' 'iwt_argsort(c, f, n, i, NULL)'
pair c 'iwt_lower_bound(c, f, n, f, n, v, NULL)' 'iwt_lower_bound(c, f, n, d, n, v, NULL)'
pair c 'iwt_merge(c, f, n, f, n, f, u, NULL)' 'iwt_merge(c, f, n, f, n, d, u, NULL)'
pair c 'iwt_top_k(c, f, n, n, f, NULL)' 'iwt_top_k(c, f, n, n, d, NULL)'
pair c 'iwt_median(c, f, n, f, NULL)' 'iwt_median(c, f, n, d, NULL)'
pair c 'iw_payload p = IWT_PAYLOAD(f, f, NULL); (void)p' 'iw_payload p = IWT_PAYLOAD(f, d, NULL); (void)p'
pair c 'iw_payload p = IWT_INDICES(u, NULL); (void)p' 'iw_payload p = IWT_INDICES(f, NULL); (void)p'

pair c++ 'isowarp::inclusive_scan(c, IW_SUM, F, D)' 'isowarp::inclusive_scan(c, IW_SUM, D, F)'
pair c++ 'isowarp::inclusive_scan(c, IW_SUM, I, L)' 'isowarp::inclusive_scan(c, IW_SUM, I, V)'
pair c++ 'isowarp::exclusive_scan(c, IW_SUM, D, D)' 'isowarp::exclusive_scan(c, IW_SUM, S, S)'
pair c++ 'isowarp::inclusive_scan(c, IW_SUM, F, F, { f, {}, {} })' 'isowarp::inclusive_scan(c, IW_SUM, F, F, { d, {}, {} })'
pair c++ 'isowarp::reduce(c, IW_SUM, F, D)' 'isowarp::reduce(c, IW_SUM, F, I)'
pair c++ 'isowarp::reduce<double>(c, IW_SUM, F)' 'isowarp::reduce<int32_t>(c, IW_SUM, F)'
pair c++ 'isowarp::argmin(c, F, K, F)' 'isowarp::argmin(c, F, K, D)'
pair c++ 'isowarp::segments::keys(I, I)' 'isowarp::segments::keys(I, U)'
pair c++ 'isowarp::segments::offsets(U)' 'isowarp::segments::offsets(I)'
pair c++ 'isowarp::keys_by_value(c, F, F)' 'isowarp::keys_by_value(c, F, D)'
pair c++ 'isowarp::histogram(c, {}, D, V)' 'isowarp::histogram(c, {}, D, F)'
pair c++ 'isowarp::histogram(c, {}, D, U)' 'isowarp::histogram(c, {}, S, U)'
pair c++ 'isowarp::histogram(c, isowarp::histogram_spec<double>(), D, U)' 'isowarp::histogram(c, isowarp::histogram_spec<float>(), D, U)'
pair c++ 'isowarp::histogram_edges(isowarp::histogram_spec<float>(), F)' 'isowarp::histogram_edges(isowarp::histogram_spec<float>(), D)'
pair c++ 'isowarp::histogram_plan<float>::make(c, {}, F)' 'isowarp::histogram_plan<float>::make(c, {}, D)'
pair c++ 'isowarp::histogram_weighted(c, {}, D, F, F)' 'isowarp::histogram_weighted(c, {}, D, F, D)'
pair c++ 'isowarp::histogram_weighted(c, {}, D, I, L)' 'isowarp::histogram_weighted(c, {}, D, I, I)'
pair c++ 'isowarp::histogram_nd(c, { { {}, F }, { {}, D } }, V)' 'isowarp::histogram_nd(c, { { {}, F }, { {}, D } }, L)'
pair c++ 'isowarp::histogram_rows(c, {}, D, n, n, V)' 'isowarp::histogram_rows(c, {}, D, n, n, F)'
pair c++ 'isowarp::digitize(c, {}, D, U)' 'isowarp::digitize(c, {}, D, V)'
pair c++ 'isowarp::partition(c, { IW_LESS, 1.f }, F, F)' 'isowarp::partition(c, { IW_LESS, 1.f }, F, D)'
pair c++ 'isowarp::partition(c, {}, F, F, { {}, F })' 'isowarp::partition(c, {}, F, F, { {}, D })'
pair c++ 'isowarp::partition(c, {}, F, F, {}, K)' 'isowarp::partition(c, {}, F, F, {}, I)'
pair c++ 'isowarp::unique(c, F, {})' 'isowarp::unique(c, F, D)'
pair c++ 'isowarp::run_lengths(c, F, F, U)' 'isowarp::run_lengths(c, F, F, I)'
pair c++ 'isowarp::run_lengths_decode(c, F, U, F)' 'isowarp::run_lengths_decode(c, F, U, D)'
pair c++ 'isowarp::multisplit(c, {}, F, F, K)' 'isowarp::multisplit(c, {}, F, D, K)'
pair c++ 'isowarp::sort(c, F, F)' 'isowarp::sort(c, F, D)'
pair c++ 'const isowarp::span<const float> in(F); isowarp::sort(c, in, F)' 'const isowarp::span<const float> in(F); isowarp::sort(c, F, in)'
pair c++ 'isowarp::argsort(c, F, U)' 'isowarp::argsort(c, F, I)'
pair c++ 'isowarp::lower_bound(c, F, F, V)' 'isowarp::lower_bound(c, F, D, V)'
pair c++ 'isowarp::merge(c, F, F, F)' 'isowarp::merge(c, F, F, D)'
pair c++ 'isowarp::top_k(c, F, n, F)' 'isowarp::top_k(c, F, n, D)'
pair c++ 'isowarp::sum_exact<double>(c, F)' 'isowarp::sum_exact<char>(c, F)'
pair c++ 'isowarp::dot_exact(c, F, F, D)' 'isowarp::dot_exact(c, F, D, D)'
pair c++ 'isowarp::payload(F, F)' 'isowarp::payload(F, D)'
pair c++ 'isowarp::payload::indices(U)' 'isowarp::payload::indices(F)'
exit $status
