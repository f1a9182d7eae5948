#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# JAX 0.10.2 on a CPU: subnormal float32.
#
# Expected: subnormals are kept, as NumPy keeps them; only GPU compilers with fast-math options flush them.
# Seen: arithmetic and comparisons take a subnormal for 0: 1e-40 times 1 is 0, the sum of two of them is 0,
# and 1e-40 == 0 is true. sort compares in the same way, so that 1e-40, 0, -1e-40 are equal to it and stay
# as they are: the result is not sorted for NumPy or for any other program that reads it, and a binary
# search in it goes wrong there.
#
# Output: times one 0.0 sum 0.0 equals zero True sorted [1e-40, 0.0, -1e-40]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
cat > finding.py << 'END'
import jax.numpy as jnp, numpy as np

x = jnp.array(np.array([1e-40, 0, -1e-40], "f4"))
shortest = [float(str(v)) for v in np.asarray(jnp.sort(x))]
print("times one", float(np.asarray(x * 1)[0]), "sum", float(jnp.sum(x[:1].repeat(2))),
      "equals zero", bool((x == 0)[0]), "sorted", shortest)
END
seen=$(JAX_PLATFORMS=cpu v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'times one 0.0 sum 0.0 equals zero True sorted [1e-40, 0.0, -1e-40]'
