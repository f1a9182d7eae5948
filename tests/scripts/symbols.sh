#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The shared library exports exactly the names that the headers declare with IW_API. All global names of the
# static library begin with iw_. All global names of the kernels of an instruction set end in its name, so
# that the linker cannot take AVX-512 code for a baseline function of the same name.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# symbols FILE: prints its defined global names without their version, except that version
# (src/libisowarp.map) itself and DW.ref…, which nvcc's host compiler adds to C++ objects.
symbols() { $NM -g --defined-only "$@" | awk 'NF == 3 && $3 !~ /^DW\.ref\./ && $3 !~ /^ISOWARP_/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }

if test -f .libs/libisowarp.so; then
  symbols -D .libs/libisowarp.so > "$work/exported"
  for header in $PUBLIC_HEADERS $LANGUAGE_HEADERS; do cat "$srcdir/$header"; done |
    tr '\n' ' ' | grep -o 'IW_API [^;{]*[;{]' | grep -o 'iw_[a-z0-9_]* *(\|^[^(]*;' | sed 's/[ ;(]*$//; s/.*[* ]//' |
    sort -u > "$work/declared"
  if ! diff "$work/declared" "$work/exported"; then
    echo "symbols: names above with < are declared but not exported, with > exported but not declared"
    status=1
  fi
fi
for library in libisowarp.a .libs/libisowarp.a; do
  if test -f $library && symbols $library | grep -v '^iw_'; then
    echo "symbols: the global names above of the static library could conflict with a user's"
    status=1
  fi
done
for set in $MODULES; do
  exported=$(symbols -D "kernels-$set.so")
  test "$exported" = iw_kernel_module_here || { echo "symbols: kernels-$set.so exports: $exported"; status=1; }
done
for object in src/kernels/*.lo; do
  file=src/kernels/$(sed -n "s/^pic_object='\{0,1\}\([^']*\).*/\1/p" "$object")
  test "$file" != src/kernels/none || file=${object%.lo}.o
  set=${object%.lo} set=${set##*.}
  if symbols "$file" | grep -v "_$set\$"; then
    echo "symbols: the global names above of $object do not end in _$set"
    status=1
  fi
done
exit $status
