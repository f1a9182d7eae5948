# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# For scripts that start the program often, or whose limits and signals are for it: ISOWARP is the program
# itself then, in place of libtool's script, which takes four times as long as a short run.
if [ -x "$(dirname "$ISOWARP")/.libs/isowarp" ]; then
  ISOWARP=$(dirname "$ISOWARP")/.libs/isowarp
  LD_LIBRARY_PATH=$(dirname "$ISOWARP")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export ISOWARP LD_LIBRARY_PATH
fi
