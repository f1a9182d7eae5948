#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The recipes of packaging/ have the version of configure.ac and pass options that configure has.
set -eu
command -v python3 > /dev/null || { echo 'recipes: there is no python3'; exit 77; }
[ -x "$srcdir/configure" ] || { echo 'recipes: there is no configure'; exit 77; }
help=$(mktemp)
trap 'rm -f "$help"' EXIT
"$srcdir/configure" --help > "$help"
python3 "$srcdir/tests/scripts/recipes.py" "$srcdir" "$help"
