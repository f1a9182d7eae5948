#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/scripts/mutations.sh [BUILD_DIR] [PATTERN]: which planted mistakes in the GPU's templates the
# simulated GPU finds (tests/scripts/mutations.py). All 448 take minutes on 16 cores and hours on two, so it
# is not part of make check.
make -C "${1:-build}" libwhole.la isowarp > /dev/null
exec python3 "$(dirname "$0")/mutations.py" "$@"
