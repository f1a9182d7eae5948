#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No kernel text asks which target it is on.
exec "$srcdir/tests/lines" "$srcdir"
