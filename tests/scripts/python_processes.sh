#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Python's multiprocessing, with each way to start a process, on the shared library.
library=$PWD/.libs/libisowarp.so
if [ ! -f "$library" ] || ! "${PYTHON:-python3}" -c 'import ctypes, multiprocessing' 2> /dev/null; then
  echo "skipped: it needs Python 3 and the shared library"
  exit 77
fi
status=0
for method in fork spawn forkserver; do
  timeout 300 "${PYTHON:-python3}" "${srcdir:?}/tests/scripts/python_processes.py" "$library" $method || status=1
done
exit $status
