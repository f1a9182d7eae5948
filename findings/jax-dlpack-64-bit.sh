#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# JAX 0.10.2, arrays of 64-bit elements that NumPy exports by DLPack.
#
# Expected: DLPack hands over memory with its type, so that jax.dlpack.from_dlpack of a float64 or int64
# array keeps it, or refuses; the rule that JAX makes no 64-bit arrays unless told to is about arrays that
# it makes.
# Seen: the array is converted to 32 bits without an error: 2^40 becomes 0, and 1e300 inf. Sums and labels
# that come from another library by the protocol have to be checked, or jax_enable_x64 set, before the
# exchange.
#
# Output: int32 [0] float32 [inf] with x64 int64 [1099511627776] float64 [1e+300]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
cat > finding.py << 'END'
import jax, numpy as np

received = [jax.dlpack.from_dlpack(np.array([x])) for x in (2**40, 1e300)]
jax.config.update("jax_enable_x64", True)
wide = [jax.dlpack.from_dlpack(np.array([x])) for x in (2**40, 1e300)]
text = lambda arrays: " ".join(f"{a.dtype} {np.asarray(a).tolist()}" for a in arrays)
print(text(received), "with x64", text(wide))
END
seen=$(JAX_PLATFORMS=cpu v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'int32 [0] float32 [inf] with x64 int64 [1099511627776] float64 [1e+300]'
