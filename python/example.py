# SPDX-License-Identifier: Apache-2.0
"""What `./quickstart python` shows: a histogram and reproducible sums of the eruptions of the Old Faithful
geyser."""

import pathlib

import numpy as np

import isowarp as iw

data = np.genfromtxt(
    pathlib.Path(__file__).parents[1] / "examples" / "data" / "faithful.csv", delimiter=",", names=True
)
waiting, eruptions = data["waiting"], data["eruptions"].astype("f4")

print(">>> counts, edges = iw.histogram(waiting, bins=12)   # minutes from one eruption to the next")
counts, edges = iw.histogram(waiting, bins=12)
for low, high, count in zip(edges, edges[1:], counts):
    print(f"{low:6.2f} to {high:6.2f} {count:4d} {'#' * count}")
print("equal to numpy.histogram:", np.array_equal(counts, np.histogram(waiting, 12)[0]))

print("\n>>> iw.cumulative_sum(eruptions)   # minutes of eruptions so far, in float32")
with np.printoptions(threshold=10, edgeitems=4):
    print(iw.cumulative_sum(eruptions))
print("The last sum, to the bit, on this CPU with 1 and 2 threads, and on the simulated GPU:")
for backend, threads in (("cpu", 1), ("cpu", 2), ("sim", 0)):
    with iw.Context(backend, threads=threads) as context:
        print(
            f"  {float(iw.cumulative_sum(eruptions)[-1]).hex():22} {context.isa}{f', threads={threads}' if threads else ''}"
        )
shuffle = np.random.default_rng(1).permutation
orders = [shuffle(eruptions) for _ in range(100)]
print("Different sums of 100 orders of the elements:")
print(
    f"  numpy.sum {len({np.sum(x) for x in orders})}, iw.sum(exact=True) {len({iw.sum(x, exact=True) for x in orders})}"
)
