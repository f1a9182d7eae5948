#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The files that use the system compile where the C library is another one: musl's by musl-gcc, and that of
# macOS on arm64 by zig, which has its headers (pip install ziglang). ZIG: the command. What is not
# installed is left out. All of the library and the program links for macOS, in an hour:
#
#   configure --host=aarch64-apple-darwin --disable-static --disable-tests --disable-bench --without-cuda \
#     CC='zig cc -target aarch64-macos' AR='zig ar' RANLIB='zig ranlib' NM=llvm-nm CPPFLAGS=-I/folder/of/simde
#   make isowarp
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
compilers=
files=$(cd "$srcdir" && grep -lE '#include <(pthread|sys/|unistd|signal|dlfcn|sched|semaphore|spawn|getopt|fcntl)' \
  src/cpu/*.c src/sim/*.c src/runtime/*.c src/peers/*.c tools/*.c tools/*/*.c | grep -v mpi)
simde=$(printf '#include <simde/x86/avx2.h>\n' | ${CC:-cc} ${CPPFLAGS-} -E -M - | tr ' ' '\n' | sed -n 's,/simde/x86/avx2\.h$,,p' | head -n 1)
mkdir -p "$work/simde" "$work/include/isowarp"
ln -s "$simde/simde" "$work/simde/simde"
ln -s "$(cd "$srcdir" && pwd)/src/algorithms" "$work/include/isowarp/algorithms"

# compile NAME EDITS COMMAND...: with the config.h of this build, edited by sed, as configure makes it there
compile() {
  name=$1
  mkdir "$work/$name"
  sed -e 's/^#define \(HAVE_MAKECONTEXT\|HAVE_CAIRO\|HAVE_LIBZIP\|HAVE_MPFR\) .*//' -e "$2" config.h > "$work/$name/config.h"
  shift 2
  for file in $files; do
    "$@" -c -o "$work/object.o" -std=gnu11 -ffp-contract=off -DIW_FP_CONTRACT_OFF -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE \
      -Wall -Wextra -Wno-unused-parameter -Wno-psabi -Wno-unused-command-line-argument -Werror \
      -DINCLUDEDIR='""' -DLIBDIR='""' -DPKGLIBDIR='""' -DEXEC_PREFIX='""' -D'IW_LINKED_SETS(X)=' -DIW_LOADS_MODULES \
      -I"$work/$name" -I"$srcdir/include" -I"$work/include" -I"$srcdir/src" -isystem "$work/simde" "$srcdir/$file" ||
      { echo "FAILED: $file, $name"; status=1; }
  done
  compilers="$compilers $name"
}

if command -v musl-gcc > /dev/null; then compile musl '' musl-gcc; fi
if [ -z "${ZIG-}" ]; then
  if command -v zig > /dev/null; then ZIG=zig
  elif python3 -c 'import ziglang' 2> /dev/null; then ZIG='python3 -m ziglang'; fi
fi
macos='s/X(generic).*/X(generic) X(neon)/
/HAVE_PTHREAD_GETATTR_NP\|HAVE_GETAUXVAL/d
s/.*\(HAVE_PTHREAD_GET_STACKADDR_NP\|HAVE_PTHREAD_MAIN_NP\|HAVE__NSGETEXECUTABLEPATH\|HAVE_STRUCT_STAT_ST_MTIMESPEC\).*/#define \1 1/'
# shellcheck disable=SC2086
if [ -n "${ZIG-}" ]; then compile macos "$macos" $ZIG cc -target aarch64-macos; fi
[ -n "$compilers" ] || { echo 'there is neither musl-gcc nor zig'; exit 77; }
echo "$(echo "$files" | wc -l) files:$compilers"
exit $status
