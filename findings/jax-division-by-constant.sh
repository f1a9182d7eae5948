#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# JAX 0.10.2 on a CPU: division of float32 by a constant, and mean.
#
# Expected: / is the division of IEEE 754, so that 7 x / 7 has the bits of x for integers below 2^20, and the
# mean of seven equal numbers is that number.
# Seen: a division by a constant is a product with its reciprocal, also outside jit. A division by an array
# is right. On a GPU (JAX 0.11.2, H100) that is not right either: 1205043 of 4194303 quotients of normals
# differ from NumPy's.
#
# Output: by 7 54266 by an array 0 mean 56301
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
cat > finding.py << 'END'
import jax.numpy as jnp, numpy as np

x = np.arange(1, 100001, dtype="f4")
right, seven = x / np.float32(7), jnp.full(x.size, 7, "f4")
wrong = lambda ours, right: int((np.asarray(ours) != right).sum())
print("by 7", wrong(jnp.asarray(x) / 7, right), "by an array", wrong(jnp.asarray(x) / seven, right),
      "mean", wrong(jnp.mean(jnp.stack([jnp.asarray(x)] * 7), 0), x))
END
seen=$(JAX_PLATFORMS=cpu v/bin/python finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'by 7 54266 by an array 0 mean 56301'
