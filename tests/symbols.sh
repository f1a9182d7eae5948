#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The shared library exports what the headers declare with IW_API, no more and no less; the static one defines no global
# names but iw_…, its kernels' iw_k_… among them; and the objects of an instruction set define nothing but names
# that end in its own name, so that no AVX-512 code can stand in for a baseline function of the same name.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# "symbols FILE": its defined global names. DW.ref… is hidden and the same in all C++ objects: nvcc's host compiler adds it.
symbols() { $NM -g --defined-only "$@" | awk 'NF == 3 && $3 !~ /^DW\.ref\./ { print $3 }' | sort -u; }

if test -f .libs/libisowarp.so; then
  symbols -D .libs/libisowarp.so > "$work/exported"
  for header in $PUBLIC_HEADERS $LANGUAGE_HEADERS; do cat "$srcdir/$header"; done |
    tr '\n' ' ' | grep -o 'IW_API [^;{]*' | grep -o 'iw_[a-z0-9_]* *(' | tr -d ' (' | sort -u > "$work/declared"
  if ! diff "$work/declared" "$work/exported"; then
    echo "symbols: above, < is declared with IW_API only, > is exported only"
    status=1
  fi
fi
if test -f .libs/libisowarp.a && symbols .libs/libisowarp.a | grep -v '^iw_'; then
  echo "symbols: the names above are global in the static library and could meet a user's"
  status=1
fi
for library in $KERNEL_LIBRARIES; do
  isa=${library#libkernels_} isa=${isa%.la}
  if symbols ".libs/libkernels_$isa.a" | grep -v "_$isa\$"; then
    echo "symbols: the names above are global in the $isa kernels without ending in _$isa"
    status=1
  fi
done
exit $status
