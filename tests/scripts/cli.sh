# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts that check the program share: a folder of their own, checks that count, and their report.

. "${srcdir:?}/tests/scripts/binary.sh"
program=$ISOWARP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
LC_ALL=C
COLUMNS=60
export LC_ALL COLUMNS
checks=0
failures=0

complain() {
  failures=$((failures + 1))
  echo "FAILED: isowarp $*"
}

# good EXPECTED ARGUMENT…: exit status 0, and standard output is EXPECTED if its lines are joined by blanks
good() {
  expected=$1
  shift
  checks=$((checks + 1))
  "$program" "$@" >out 2>err
  status=$?
  got=$(tr '\n' ' ' <out)
  if [ $status -ne 0 ] || [ "${got% }" != "$expected" ]; then
    complain "$@"
    echo "  status $status, expected 0"
    echo "  got      ${got% }"
    echo "  expected $expected"
    cat err
  fi
}

# contains FILE PART ARGUMENT…: exit status 0, and the file out or err contains PART
contains() {
  file=$1
  part=$2
  shift 2
  checks=$((checks + 1))
  "$program" "$@" >out 2>err
  status=$?
  if [ $status -ne 0 ] || ! grep -qF -e "$part" "$file"; then
    complain "$@"
    echo "  status $status, expected 0 and '$part' in:"
    cat out err
  fi
}

# shows PART ARGUMENT…: exit status 0, and standard output contains PART. notes: standard error does
shows() { contains out "$@"; }
notes() { contains err "$@"; }

# quiet EXPECTED ARGUMENT…: as good, and nothing on standard error
quiet() {
  good "$@"
  checks=$((checks + 1))
  if [ -s err ]; then
    shift
    complain "$@"
    cat err
  fi
}

# also PART: the output of the last `shows` contains PART too
also() {
  checks=$((checks + 1))
  if ! grep -qF -e "$1" out; then
    complain "as above"
    echo "  expected '$1' in:"
    cat out
  fi
}

# bad PART ARGUMENT…: exit status 2, no standard output, and an error message that contains PART; getopt
# may print another message before it
bad() {
  part=$1
  shift
  checks=$((checks + 1))
  "$program" "$@" >out 2>err
  status=$?
  if [ $status -ne 2 ] || [ -s out ] || ! grep -qF -e "$part" err || grep -qv '^isowarp: ' err; then
    complain "$@"
    echo "  status $status, expected 2 and '$part' in:"
    cat out err
  fi
}

# is GOT EXPECTED NAME: the two strings are equal
is() {
  checks=$((checks + 1))
  if [ "$1" != "$2" ]; then
    failures=$((failures + 1))
    echo "FAILED: $3: got '$1', expected '$2'"
  fi
}

# report NAME: ends the script with the number of checks
report() {
  if [ $failures -gt 0 ]; then
    echo "$failures of $checks checks failed"
    exit 1
  fi
  echo "$checks checks of $1 passed"
  exit 0
}
