#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# SciPy 1.17.1, scipy.sparse: astype of an array that has a place twice.
#
# Expected: elements at one place count as their sum, as in toarray, in sum, and in all functions of
# elements: those add the duplicates before they are not linear (power, abs, sin). So astype(int) of 0.5 and
# 0.5 is 1.
# Seen: astype converts each of them first, and adds the results: 0. As booleans, 1 and -1 at one place are
# True, where toarray has a 0. A Matrix Market file may have such pairs, and mmread keeps them. Compressed
# rows (CSR) that were given such pairs are the same; sum_duplicates() before astype gives the expected
# result.
#
# Output: coo 1.0 int 0 int of toarray 1 bool True of toarray False csr 0 file 2.0 int 0 summed first 1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install scipy==1.17.1 numpy==2.4.6
cat > finding.py << 'END'
import io

import numpy as np, scipy.io, scipy.sparse as sp

place = np.array([0, 0])
halves = sp.coo_array((np.array([0.5, 0.5]), (place, place)), shape=(1, 1))
signs = sp.coo_array((np.array([1.0, -1.0]), (place, place)), shape=(1, 1))
rows = sp.csr_array((np.array([0.5, 0.5]), place, np.array([0, 2])), shape=(1, 1))
file = scipy.io.mmread(io.StringIO("%%MatrixMarket matrix coordinate real general\n1 1 4\n" + 4 * "1 1 0.5\n"))


def only(array):
    return array.toarray()[0, 0]


result = ["coo", only(halves), "int", only(halves.astype(int)), "int of toarray", halves.toarray().astype(int)[0, 0],
          "bool", only(signs.astype(bool)), "of toarray", signs.toarray().astype(bool)[0, 0],
          "csr", only(rows.astype(int)), "file", only(file), "int", only(file.astype(int)), "summed first"]
halves.sum_duplicates()
print(*result, only(halves.astype(int)))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'coo 1.0 int 0 int of toarray 1 bool True of toarray False csr 0 file 2.0 int 0 summed first 1'
