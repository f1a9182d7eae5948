#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/time-limit.sh SECONDS COMMAND [ARGUMENT...]
#
# Runs a test under an emulator, which may hang: qemu's user emulation did so once in some 1600 forked
# tests, in one that passes in a second. A command that takes longer than SECONDS is stopped and run once
# more; what the first run printed goes to stderr. The exit status is the last run's, 124 if it was stopped
# too.
seconds=$1
shift
output=$(mktemp) || exit 99
trap 'rm -f "$output"' EXIT
timeout -k 10 "$seconds" "$@" > "$output"
status=$?
if [ $status -eq 124 ] || [ $status -eq 137 ]; then
  { echo "time-limit.sh: stopped after $seconds s, and run again: $*"; cat "$output"; } >&2
  timeout -k 10 "$seconds" "$@" > "$output"
  status=$?
fi
cat "$output"
exit $status
