#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# manual.sh PROGRAM SOURCE FOLDER: writes into FOLDER what the program and the headers say: man pages
# (doc/man), of the program from its table of options and libisowarp.3 from the headers; completions
# (tools/completion); and the operators in the stub of the Python package. They are kept in the source,
# because a cross-compiled program cannot make them: `make manual` renews them, tests/scripts/manual.sh
# compares them.
set -eu
program=$1 source=$2 folder=$(cd "$3" && pwd)
mkdir -p "$folder/doc/man" "$folder/tools/completion"
"$program" manual > "$folder/doc/man/isowarp.1"
subcommands=$("$program" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
for name in $subcommands; do
  "$program" manual "$name" > "$folder/doc/man/isowarp-$name.1"
done
"$program" completion bash > "$folder/tools/completion/isowarp"
"$program" completion zsh > "$folder/tools/completion/_isowarp"
# The operators that Python's type checkers know.
stub=python/src/isowarp/__init__.pyi
operators=$("$program" scan --op '?' 2>&1 | sed -n 's/.* is not one of //p' | sed 's/product/prod/; s/[a-z][a-z]*/"&"/g')
mkdir -p "$folder/${stub%/*}"
stub_text=$(sed "s/^_Operator: .*/_Operator: TypeAlias = Literal[$operators]/" "$source/$stub")
printf '%s\n' "$stub_text" > "$folder/$stub"
version=$("$program" --version | sed 's/^isowarp //')
cd "$source/include"
# Headers with calls, in the order in which isowarp.h names them, then others.
headers=$({ tr -cs 'a-z_/.' '\n' < isowarp.h; ls isowarp/*.h; } | grep '^isowarp/[a-z_]*\.h$' | ${AWK:-awk} '!seen[$0]++' | xargs grep -l '^IW_API')
# shellcheck disable=SC2086
${AWK:-awk} -v version="$version" -f ../doc/man/libisowarp.awk isowarp.h $headers > "$folder/doc/man/libisowarp.3"
