#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# With each MPI that configure has found, on 1, 2, 3 and 5 ranks: <isowarp/mpi.h> and distributed calls
# (tests/scripts/mpi_ranks.c), examples/mpi, and isowarp --mpi, whose files are those of one process. A rank
# that fails ends all, with one message, and no incomplete file is left. On up to 16 ranks, the digests of a
# part of verify's cases; with ISOWARP_TEST_LARGE=1 of all.
set -u
[ -n "${MPI_COMPILERS# }" ] || { echo 'configure has found no MPI compiler'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
checks=0
ran=0

fail() {
  echo "FAILED, $kind: $*"
  status=1
}

# What both need on a machine with fewer processors than ranks, and as root.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_orte_tmpdir_base=$work MPIR_CVAR_POLLS_BEFORE_YIELD=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_mpi_yield_when_idle
export OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_btl OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_orte_tmpdir_base
export MPIR_CVAR_POLLS_BEFORE_YIELD
ISOWARP_THREADS=1
export ISOWARP_THREADS

. "${srcdir:?}/tests/scripts/binary.sh"
program=$ISOWARP
library=$PWD/.libs/libisowarp.so
[ -f "$library" ] || library="$PWD/.libs/libisowarp.a $CUDA_LIBS -lpthread"

# build NAME SOURCE FLAG…
build() {
  name=$1 source=$2
  shift 2
  # shellcheck disable=SC2086
  "$mpicc" -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $CFLAGS -O1 "$@" -I"$srcdir/include" "$srcdir/$source" \
    -o "$work/$name" $library -lm > "$work/log" 2>&1 || { cat "$work/log"; fail "$source is not built"; return 1; }
}

# ranks N PROGRAM ARGUMENT…: runs it; standard output and error are the files out and err
ranks() {
  number=$1
  shift
  LD_PRELOAD=$yield "$mpiexec" -n "$number" "$@" < /dev/null > "$work/out" 2> "$work/err"
}

# same OUTPUT ARGUMENT…: the program writes the same with --mpi as without; OUTPUT: the file of -o, or stdout
same() {
  output=$1
  shift
  "$program" "$@" > "$work/right.out" 2> "$work/right.err" || fail "isowarp $*: $(cat "$work/right.err")"
  [ "$output" = stdout ] || mv "$work/$output" "$work/right.file"
  for n in $numbers; do
    checks=$((checks + 1))
    ranks "$n" "$program" "$@" --mpi || { fail "isowarp $* --mpi, $n ranks: $(cat "$work/err")"; continue; }
    cmp "$work/out" "$work/right.out" && cmp "$work/err" "$work/right.err" || fail "isowarp $* --mpi, $n ranks: other text"
    [ "$output" = stdout ] || cmp "$work/$output" "$work/right.file" || fail "isowarp $* --mpi, $n ranks: another file"
  done
}

# wrong PART ARGUMENT…: with --mpi, all ranks end with a status other than 0, and the program prints one
# line, which has PART
wrong() {
  part=$1
  shift
  checks=$((checks + 1))
  ranks 3 "$program" "$@" && fail "isowarp $*: is no error"
  # Before its own message getopt prints one.
  [ "$(grep '^isowarp: ' "$work/err" | grep -vc ': unrecognized option')" -eq 1 ] && grep -qF -e "$part" "$work/err" ||
    fail "isowarp $*: $(cat "$work/err")"
  rest=$(ls "$work"/result.npy* 2> /dev/null)
  [ -z "$rest" ] || fail "isowarp $*: left $rest"
}

inputs() {
  n=700001
  while [ ! -f "$work/bytes" ] || [ "$(wc -c < "$work/bytes")" -lt 20000000 ]; do cat "$program" >> "$work/bytes"; done
  head -c $((4 * n)) "$work/bytes" > "$work/u32"
  head -c $n "$work/bytes" > "$work/flags"
  head -c 20000000 "$work/bytes" > "$work/long"
  head -c $((8 * n)) "$work/bytes" > "$work/i64"
  : > "$work/empty"
  seq 1 1000 > "$work/text"
  "$program" scan --op max --type i64 --format raw "$work/i64" -o "$work/runs.npy"
  "$program" scan --op xor --type i64 --format raw "$work/i64" -o "$work/keys.npy"
  "$program" extract --type f32 --format raw --edges -1,1 -k 0 "$work/u32" -o "$work/some.npy" 2> /dev/null
  tail -c +129 "$work/some.npy" > "$work/some"
  while [ "$(wc -c < "$work/some")" -lt $((4 * n)) ]; do cat "$work/some" "$work/some" > "$work/twice" && mv "$work/twice" "$work/some"; done
  head -c $((4 * n)) "$work/some" > "$work/f32"
}

# RANKS:EVERY: one of EVERY cases, others each time.
digests() {
  verify=tests/suites/.libs/verify_distributed
  [ -x $verify ] || verify=tests/suites/verify_distributed
  for run in 1:60 2:60 3:60 5:80 8:400 16:800; do
    every=${run#*:}
    [ "${ISOWARP_TEST_LARGE-0}" != 1 ] || every=1
    checks=$((checks + 1))
    first=$((first + 7))
    ranks "${run%:*}" "$verify" --mpi "$PWD/mpi-$kind.so" "$every" "$first" || fail "digests of ${run%:*} ranks: $(head -n 30 "$work/out" "$work/err")"
  done
}

programs() {
  raw="--format raw"
  out="-o $work/result.npy"
  # shellcheck disable=SC2086
  {
    same result.npy scan --type f32 $raw --exclusive --init 0.1 "$work/f32" $out
    same stdout reduce --type f32 $raw --init 3 "$work/f32"
    same result.npy histogram --type u32 $raw --range 0:100000 --policy count "$work/u32" $out
    same result.npy partition --type f32 $raw --pivot 1e-9 "$work/f32" $out
    same result.npy multisplit --type u32 $raw --bits 3:8 "$work/u32" $out
    numbers=3
    same result.npy scan --type f32 $raw "$work/f32" $out
    same result.npy scan --op max --type u32 $raw "$work/u32" $out
    same result.npy scan --type i64 $raw "$work/i64" $out
    same result.npy scan --type i32 "$work/text" $out
    same result.npy scan --type f32 $raw "$work/empty" $out
    same stdout reduce --op argmax --type u32 $raw "$work/u32"
    same stdout reduce --type f32 $raw "$work/empty"
    same stdout histogram --type f32 $raw --bins 9 "$work/f32"
    same result.npy partition --type f32 $raw --flags "$work/flags" "$work/f32" $out
    same result.npy select --type f32 $raw --flags "$work/flags" "$work/f32" $out
    same stdout select --type f32 $raw --count --flags "$work/flags" "$work/f32"
    same result.npy extract --type u32 $raw --bins 3 -k 0 "$work/u32" $out
    same result.npy multisplit --type u32 $raw --bits 0:13 --order "$work/u32" $out
    same stdout multisplit --type u32 $raw --bins 5 --offsets "$work/u32"
    same result.npy scan --type f32 $raw --flags "$work/flags" "$work/f32" $out
    same result.npy scan --exclusive --op max --type i64 $raw --keys "$work/runs.npy" "$work/i64" $out
    same result.npy sort --type f32 $raw "$work/f32" $out
    same result.npy sort --type u32 $raw --argsort --descending "$work/u32" $out
    same result.npy sort --type f32 $raw --by "$work/keys.npy" "$work/f32" $out
    same stdout describe --type u32 $raw --quantiles 0,0.3,1 "$work/u32"
    same stdout describe --json --type i64 $raw "$work/i64"
    same stdout describe --type f32 $raw "$work/empty"
    numbers=2 # the ranks share more than one part
    same result.npy scan --exclusive --type u8 $raw "$work/long" $out
    same result.npy partition --type u8 $raw --pivot 100 "$work/long" $out
  }
}

faults() {
  rm -f "$work"/result.npy*
  wrong 'No such file' scan --mpi "$work/nothing" -o "$work/result.npy"
  wrong "unrecognized option '--wrong'" scan --mpi "$work/text" -o "$work/result.npy" --wrong
  wrong "--pivot: 'x' is not a number" partition --mpi --pivot x "$work/text" -o "$work/result.npy"
  wrong 'has 20000000 flags, but there are 700001 elements' select --mpi --flags "$work/long" --format raw --type u32 "$work/u32" -o "$work/result.npy"
  wrong 'nowhere/result.npy: No such file' scan --mpi "$work/text" -o "$work/nowhere/result.npy"
  wrong 'give -o FILE' scan --mpi "$work/text"
  wrong 'standard input cannot be read by several ranks' scan --mpi - -o "$work/result.npy"
  wrong 'regular file only' scan --mpi "$work/text" -o /dev/null
  wrong '--bits is 8; valid are' multisplit --mpi --type u32 --bits 30:8 "$work/text" -o "$work/result.npy"
  wrong '--mpi=other: the processes were started by mpiexec of ' scan --mpi=other "$work/text" -o "$work/result.npy"
  wrong 'cannot be combined with --mpi' scan --mpi --row-length 10 "$work/text" -o "$work/result.npy"
  wrong "'unique' takes no --mpi" unique --mpi "$work/text" -o "$work/result.npy"
  # One rank alone differs: the third one is in another folder, or cannot write the last third of a file, or
  # the first one is late with its message. The limit leaves room for the files through which MPI
  # communicates.
  cat > "$work/one_differs" << 'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK-}${PMI_RANK-}" != "$RANK" ] || eval "$DIFFERENCE"
exec "$@"
END
  chmod +x "$work/one_differs"
  truncate -s 400M "$work/zeros"
  for case in '2:cd /:text: No such file' '2:ulimit -f 350000:result.npy: File too large' '0:sleep 2:--mpi=other: the processes'; do
    checks=$((checks + 1))
    RANK=${case%%:*} message=${case#*:*:}
    DIFFERENCE=${case#*:}
    DIFFERENCE=${DIFFERENCE%%:*}
    export RANK DIFFERENCE
    (cd "$work" && case $DIFFERENCE in
      cd*) set -- scan --mpi text ;;
      ulimit*) set -- scan --mpi --op max --type u8 --format raw zeros ;;
      *) set -- scan --mpi=other text ;;
    esac && ranks 3 ./one_differs "$program" "$@" -o "$work/result.npy") && fail "$DIFFERENCE: no error"
    [ "$(grep -c '^isowarp: ' "$work/err")" -eq 1 ] && grep -qF -e "$message" "$work/err" || fail "$DIFFERENCE: $(cat "$work/err")"
    [ -z "$(ls "$work"/result.npy* 2> /dev/null)" ] || fail "$DIFFERENCE: left $(ls "$work"/result.npy*)"
  done
  # One rank is killed while it writes. mpiexec of MPICH kills the others, which cannot remove the
  # incomplete file then.
  "$mpiexec" -n 2 "$program" scan --mpi --type u8 --format raw "$work/zeros" -o "$work/result.npy" < /dev/null > "$work/out" 2>&1 &
  started=$!
  while [ -d /proc/$started ] && ! ls "$work"/result.npy.* > /dev/null 2>&1; do sleep 0.05; done
  for process in $(pgrep -f "$work/zeros"); do
    [ "$(readlink "/proc/$process/exe")" != "$(readlink -f "$program")" ] || { kill -9 "$process"; break; }
  done
  checks=$((checks + 1))
  wait $started && fail 'a killed rank: status 0'
  name=result.npy
  [ $kind = mpich ] || name=result.npy*
  for attempt in 1 2 3 4 5 6 7 8 9 10; do # the other ranks may still be ending
    [ -n "$(find "$work" -name "$name")" ] || break
    sleep 0.5
  done
  [ -z "$(find "$work" -name "$name")" ] || fail "a killed rank left $(find "$work" -name "$name")"
  rm -f "$work/zeros" "$work"/result.npy*
}

kind=none
yield=
first=0
inputs
# shellcheck disable=SC2086
$CC $CFLAGS -O1 -shared -fPIC "$srcdir/tests/scripts/mpi_yield.c" -o "$work/yield.so" -ldl > "$work/log" 2>&1 || { cat "$work/log"; fail 'mpi_yield.c is not built'; }
for entry in $MPI_COMPILERS; do
  kind=${entry%%=*} mpicc=${entry#*=}
  mpiexec=$(dirname "$mpicc")/$(basename "$mpicc" | sed 's/mpicc/mpiexec/')
  [ -x "$mpiexec" ] || { echo "$kind is skipped: there is no $mpiexec"; continue; }
  ran=$((ran + 1))
  yield=
  [ $kind != mpich ] || yield=$work/yield.so
  build mpi_ranks tests/scripts/mpi_ranks.c "-DIW_MPI_PIECE=((size_t)3000)" && for n in 1 2 3 5; do
    checks=$((checks + 1))
    ranks $n "$work/mpi_ranks" || fail "mpi_ranks on $n ranks: $(head -n 30 "$work/err")"
  done
  build sums examples/mpi/sums.c && for n in 1 2 3; do
    checks=$((checks + 1))
    ranks $n "$work/sums" || fail "examples/mpi on $n ranks: $(cat "$work/err")"
    [ $n -ne 1 ] || cp "$work/out" "$work/one"
    grep -q '^the sum 0x1\.' "$work/out" && cmp "$work/out" "$work/one" || fail "examples/mpi on $n ranks: $(cat "$work/out")"
  done
  digests
  numbers='1 2 3 5'
  programs
  faults
done
[ $ran -gt 0 ] || exit 77
[ $status -ne 0 ] || echo "$checks checks with $ran kinds of MPI passed"
exit $status
