#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No option of the program is ignored beside another one: tests/scripts/cli_options.py tries all pairs.
set -eu
PYTHON=${PYTHON:-python3}
"$PYTHON" -c '' 2> /dev/null || { echo "there is no $PYTHON"; exit 77; }
. "${srcdir:?}/tests/scripts/binary.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" "$srcdir/tests/scripts/cli_options.py" "$ISOWARP" "$work"
