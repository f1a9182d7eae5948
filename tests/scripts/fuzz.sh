#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Fuzzes the readers of the program (target input) and the calls of the library (target calls) with
# libFuzzer for SECONDS each (60). It needs clang. Run it where the build shall be, in a folder of its own:
# it makes ./fuzz there. New inputs go to ./fuzz/TARGET; an input that fails is saved as
# ./fuzz/TARGET-crash-… (or leak, timeout, oom), and ./fuzz/fuzz_TARGET FILE repeats it.
# `od -An -v -tx1 FILE | tr -d ' \n'` is its line in tests/fuzz/TARGET.corpus.
#
# CC    clang of this version (clang)
# ISA   instruction sets of the kernels beside generic, as for configure --with-isa (native)
# RUNS  executions of a target, in place of seconds
# KERNELS  build tree with the same ISA whose kernels are used; else they are compiled, which takes minutes
# PROCESSES  of each target at a time, which share their inputs (1); RUNS is for each of them
# JOBS  of make (as many as there are processors)
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- input calls
CC=${CC:-clang}
case $(${CC} --version 2> /dev/null) in
  *clang*) ;;
  *)
    echo "fuzz.sh: $CC is not clang, which has libFuzzer"
    exit 77
    ;;
esac

# Kernels are not instrumented: arrays have pages beside them that cannot be accessed, and their code takes
# ten times as long to compile otherwise (make check-sanitizers does it).
flags='-g1 -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined'
[ -z "${KERNELS-}" ] || KERNELS=$(cd "$KERNELS" && pwd)
mkdir -p fuzz
cd fuzz
if [ ! -f config.status ]; then
  "$source/configure" --quiet --disable-shared --disable-bench --disable-openmp --without-cuda --without-mpi --with-isa="${ISA:-native}" CC="$CC" \
    CFLAGS="$flags -fsanitize=address,undefined,fuzzer-no-link"
fi
make_it() { make -s -j"${JOBS:-$(nproc)}" "$@" > make.log 2>&1 || { tail -n 30 make.log; exit 1; }; }
if [ -n "${KERNELS-}" ]; then
  make_it libwhole.la kernel_objects=
  mapfile -t libraries < <(find "$KERNELS/src" -name '*.o' '(' -path '*/kernels/*' -o -name 'kernel_table.*' ')')
  libraries=(.libs/libwhole.a "${libraries[@]}" .libs/libwhole.a)
else
  make_it libisowarp.la KERNEL_CFLAGS='-fno-sanitize=all' SIM_CFLAGS='-fno-sanitize=all' GENERIC_CFLAGS=
  libraries=(.libs/libisowarp.a)
fi

zip=
! grep -q '^#define HAVE_LIBZIP' config.h || zip=-lzip

# build TARGET FLAGS SOURCE...
build() {
  local objects=() file
  for file in "${@:3}"; do
    objects+=("$1-$(basename "$file").o")
    # shellcheck disable=SC2086
    $CC -std=gnu11 -D_GNU_SOURCE -Werror=incompatible-pointer-types $flags $2 -ffp-contract=off -I"$source/tools" -I"$source/include" -Iinclude \
      -I"$source/tests/suites" -I. -c "$file" -o "${objects[-1]}"
  done
  # shellcheck disable=SC2086
  $CC -fsanitize=address,undefined,fuzzer "${objects[@]}" "${libraries[@]}" $zip -lm -lpthread -o "fuzz_$1"
}
# The references of the calls are not what is tested. Instrumented, they take more time than the calls.
reference_flags='-O2 -fno-sanitize=all'
status=0
for target; do
  case $target in
    input) build input -fsanitize=address,undefined,fuzzer-no-link "$source/tests/fuzz/input.c" "$source/tools/io/numbers.c"
      options=(-max_len=600 -dict="$source/tests/fuzz/input.dict") ;;
    calls) build calls "$reference_flags" "$source/tests/fuzz/calls.c"
      options=(-max_len=128 -entropic=0) ;;
    *) echo "fuzz.sh: unknown target $target; valid are input and calls"; exit 2 ;;
  esac
  mkdir -p "$target" "$target.corpus"
  number=0
  while read -r digits; do # the saved inputs, as the files that libFuzzer reads
    printf '%b' "$(sed 's/../\\x&/g' <<< "$digits")" > "$target.corpus/$((number += 1))"
  done < "$source/tests/fuzz/$target.corpus"
  if [ -n "${RUNS-}" ]; then options+=(-runs="$RUNS"); else options+=(-max_total_time="$seconds"); fi
  printf '%s ... ' "$target"
  [ "${PROCESSES:-1}" -eq 1 ] || options+=(-jobs="$PROCESSES" -workers="$PROCESSES") # the log has those of all
  if "./fuzz_$target" "${options[@]}" -timeout=20 -artifact_prefix="$target-" -print_final_stats=1 "$target" \
    "$target.corpus" > "$target.log" 2>&1; then
    awk '/^Done / { runs += $2 } END { print runs, "executions" }' "$target.log"
  else
    echo "FAILED; the end of fuzz/$target.log:"
    tail -n 40 "$target.log"
    status=1
  fi
done
exit $status
