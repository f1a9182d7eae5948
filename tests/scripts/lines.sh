#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No kernel template tests its target.
exec "$srcdir/tests/scripts/lines" "$srcdir"
