#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The small programs of examples/calls, in C and with the strictest warnings, print what their head comments
# say; that of examples/mpi compiles, where there is an MPI.
set -eu
srcdir=$(cd "$srcdir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for file in "$srcdir"/examples/calls/*.c; do
  name=$(basename "$file" .c)
  $CC -std=c11 -Wall -Wextra -Wpedantic -Werror $CFLAGS -I"$srcdir/include" -c "$file" -o "$work/$name.o"
  ./libtool --quiet --tag=CC --mode=link $CC $CFLAGS $OPENMP_CFLAGS -no-install -o "$work/$name" "$work/$name.o" libisowarp.la
  sed -n '/^ \* Prints:/,/^ \*\//s/^ \*   //p' "$file" > "$work/expected"
  command=$(sed -n "s|.*Run: \./$name||p" "$file")
  # shellcheck disable=SC2086
  (cd "$srcdir/examples/calls" && "$work/$name" $command) > "$work/printed"
  if ! test -s "$work/expected" || ! diff -u "$work/expected" "$work/printed"; then
    echo "examples/calls/$name.c does not print this"
    status=1
  fi
  if test "$(wc -l < "$file")" -gt 60; then
    echo "examples/calls/$name.c has more than 60 lines"
    status=1
  fi
done
if command -v mpicc > /dev/null; then
  mpicc -std=c11 -Wall -Wextra -Werror -I"$srcdir/include" -fsyntax-only "$srcdir/examples/mpi/sums.c" || status=1
fi
exit $status
