#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The cases of isowarp verify for four types, by ranks. tests/suites/verify_distributed without arguments
# has all cases.
set -eu
"${top_builddir:-.}/tests/suites/verify_distributed" /f32/ /bf16/ /u8/ /i64/ > verify_distributed.txt || status=$?
grep -E ' differs from | error: ' verify_distributed.txt | head -n 5 || :
tail -n 2 verify_distributed.txt
rm verify_distributed.txt
exit "${status:-0}"
