#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the program prints of numbers is what exact arithmetic gives (tests/scripts/cli_numbers.py).
set -eu
PYTHON=${PYTHON:-python3}
"$PYTHON" -c '' 2> /dev/null || { echo "there is no $PYTHON"; exit 77; }
. "${srcdir:?}/tests/scripts/binary.sh"
ISOWARP_THREADS=1 "$PYTHON" "$srcdir/tests/scripts/cli_numbers.py" "$ISOWARP"
