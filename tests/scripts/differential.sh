#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/differential.sh [ELEMENTS [SEED [CASE]]], in the build tree after make check TESTS=
#
# Random calls on every instruction set of this machine against scalar references, until each set has
# processed ELEMENTS elements (10^7). The seed is printed; SEED and CASE repeat a failure. Build with
# --with-isa=all for all sets.
set -u
elements=${1:-10000000}
[ $# -gt 0 ] || [ -z "${ISOWARP_TEST_BRIEF-}" ] || elements=1000000
program=${DIFFERENTIAL:-tests/suites/differential}
[ -x "$program" ] || { echo "differential.sh: no $program here: run make $program"; exit 1; }
exec "$program" "$elements" "${2:-${ISOWARP_TEST_SEED:-$(date +%s)}}" ${3+"$3"}
