#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# manual.sh PROGRAM SOURCE FOLDER: writes the man pages and the completion into FOLDER/doc/man and FOLDER/tools/completion:
# the program's from its table of options, libisowarp.3 from the headers. They are kept in the source, because a cross-compiled
# program cannot make them: `make manual` renews them, tests/scripts/manual.sh compares them.
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
version=$("$program" --version | sed 's/^isowarp //')
cd "$source/include"
headers=isowarp.h
for name in context scans histograms moves sorts exact strategies peers threads sim; do
  [ ! -e "isowarp/$name.h" ] || headers="$headers isowarp/$name.h"
done
# shellcheck disable=SC2086
${AWK:-awk} -v version="$version" -f ../doc/man/libisowarp.awk $headers > "$folder/doc/man/libisowarp.3"
