#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# libabigail 2.2 (Debian's package 2.2-2), abidw: which headers are public is told by their names, not by their paths.
#
# Expected: with --headers-dir include --drop-private-types the type of a struct that only a private header defines
# (src/context.h) is not described, as the manual says, but declared: its members are not part of the interface.
# Seen: if a public header has the same name (include/context.h, which declares the struct), the private one passes for
# public, and the struct is described with its members. With the private header renamed the struct is only declared.
# `--header-file include/context.h`, as the compiler was given it, drops the opaque struct and keeps the public one; the
# same file by its absolute path drops both.
#
# Output: folder: secret size; folder, other name: size; file: size; file by its absolute path: nothing
set -euo pipefail
command -v abidw > /dev/null || { echo "install Debian's package abigail-tools" >&2; exit 1; }
case $(dpkg-query -W -f '${Version}' abigail-tools) in 2.2-2*) ;; *) echo "this finding is of abigail-tools 2.2-2" >&2; exit 1 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir include src
cat > include/context.h << 'END'
typedef struct context context;
typedef struct options { int size; } options;
int run(context *c, const options *o);
END
cat > src/context.h << 'END'
struct context { int secret; };
END
cp src/context.h src/inside.h
for private in context inside; do
  printf '#include "include/context.h"\n#include "src/%s.h"\nint run(context *c, const options *o) { return c->secret + o->size; }\n' $private > $private.c
  gcc -g -shared -fPIC -I. -o lib$private.so $private.c
done
members() { # LIBRARY OPTION...: the members that abidw describes
  abidw --drop-private-types "${@:2}" "$1" | sed -n "s/.*<var-decl name='\\([a-z]*\\)'.*/\\1/p" | sort | xargs
}
named() { local is; is=$(members "${@:2}"); echo "$1: ${is:-nothing}"; }
seen="$(named folder libcontext.so --headers-dir include); $(named 'folder, other name' libinside.so --headers-dir include)"
seen="$seen; $(named file libcontext.so --header-file include/context.h)"
seen="$seen; $(named 'file by its absolute path' libcontext.so --header-file "$work/include/context.h")"
echo "$seen"
[ "$seen" = 'folder: secret size; folder, other name: size; file: size; file by its absolute path: nothing' ]
