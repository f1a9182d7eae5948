# SPDX-License-Identifier: Apache-2.0
"""Kernels from C files."""

import pathlib

import numpy as np
import pytest

import isowarp as iw
from conftest import same

PAIRS = """
#include <isowarp/kernel.h>
typedef struct { const float *in; float *out; size_t n; } pairs_args;
typedef struct { float x[1024]; } pairs_shared;
IW_KERNEL(pairs, pairs_shared, pairs_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(shared->x + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), iw_active(warp));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 other = iw_xor(iw_iota_u32(warp * IW_WARP_SIZE), 1);
    const iw_f32 own = iw_load(shared->x + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->out + here.first, iw_add(own, iw_gather(shared->x, other, iw_active(warp))), here.valid);
  }
}
"""
SCALED = """
#include <isowarp/kernel.h>
typedef struct { int factors[2]; double unused; int *x; unsigned char which; size_t n; } scaled_args;
typedef struct { int unused; } scaled_shared;
IW_KERNEL(scaled, scaled_shared, scaled_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_i32 x = iw_load(args->x + here.first, here.valid);
    iw_store(args->x + here.first, iw_mul(x, iw_splat(args->factors[args->which])), here.valid);
  }
}
IW_KERNEL(again, scaled_shared, scaled_args)
{
  (void)args;
  (void)shared;
  IW_PHASE(warp) { (void)warp; }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "pairs.c").write_text(PAIRS)
    (folder / "race.c").write_text(
        PAIRS.replace("  }\n  IW_PHASE(warp) {\n", "", 1)
        .replace(
            "    const iw_span here = iw_elements(warp, args->n);\n    const iw_u32", "    const iw_u32"
        )
        .replace("warp * IW_WARP_SIZE), 1)", "warp * IW_WARP_SIZE), IW_WARP_SIZE)")
    )
    (folder / "scaled.c").write_text(SCALED)
    (folder / "wrong.c").write_text("#include <isowarp/kernel.h>\nint x = ;\n")
    return folder


@pytest.mark.parametrize("backend", ["sim", "cpu"])
def test_runs(folder, backend):
    k = iw.kernel(folder / "pairs.c", backend=backend)
    assert k.name == "pairs" and "const float *in" in repr(k)
    x = np.arange(6, dtype="f4")
    same(k[1, 64](x, iw.unwritten(6), 6), np.array([1, 1, 5, 5, 9, 9], "f4"))
    out = np.zeros(6, "f4")
    assert k.launch(1, 64, x, n=6, out=out) is None
    same(out, np.array([1, 1, 5, 5, 9, 9], "f4"))
    with pytest.raises(TypeError, match="n: is missing"):
        k[1, 64](x, out)
    with pytest.raises(TypeError, match="m: is not one of in, out, n"):
        k[1, 64](x, out, m=6)
    with pytest.raises(TypeError, match="in: .* needs elements of float32, not float64"):
        k[1, 64](x.astype("f8"), out, 6)
    with pytest.raises(ValueError, match="out: the kernel may write"):
        k[1, 64](x, np.zeros(12, "f4")[::2], 6)
    with pytest.raises(ValueError, match="n: -1 is no u64"):
        k[1, 64](x, out, -1)
    with pytest.raises(ValueError, match="block"):
        k[1](x, out, 6)
    with pytest.raises(ValueError):
        k[1, 2000](x, out, 6)


@pytest.mark.parametrize("backend", ["sim", "cpu"])
def test_numbers_and_arrays_in_the_struct(folder, backend):
    with pytest.raises(iw.Error, match="scaled, again"):
        iw.kernel(folder / "scaled.c", backend=backend)
    k = iw.kernel(folder / "scaled.c", "scaled", backend=backend)
    x = np.arange(100, dtype="i4")
    k[2, 64]([2, -3], 0.5, x, 1, x.size)
    same(x, -3 * np.arange(100, dtype="i4"))
    with pytest.raises(ValueError, match="factors: 3 elements"):
        k[2, 64]([2, 3, 4], 0.5, x, 1, x.size)


def test_findings(folder):
    k = iw.kernel(folder / "race.c")
    with pytest.raises(iw.FindingError) as caught:
        k[1, 64](np.arange(64, dtype="f4"), iw.unwritten(64), 64)
    finding = caught.value.findings[0]
    assert finding.check in ("race", "undefined") and finding.severity == "error"
    assert pathlib.Path(finding.file).name == "race.c" and finding.line > 0 and "race.c" in str(caught.value)
    with pytest.raises(iw.FindingError, match="out: "):  # an element that nothing writes
        iw.kernel(folder / "pairs.c")[1, 64](np.arange(6, dtype="f4"), iw.unwritten(7), 6)
    with pytest.raises(iw.FindingError, match="bounds"):
        iw.kernel(folder / "pairs.c")[1, 64](np.arange(6, dtype="f4"), iw.unwritten(6), 7)


def test_errors(folder):
    with pytest.raises(iw.Error, match="wrong.c"):
        iw.kernel(folder / "wrong.c")
    with pytest.raises(iw.Error, match="none.c"):
        iw.kernel(folder / "none.c")
    with pytest.raises(iw.Error, match="'sums' is not one of pairs"):
        iw.kernel(folder / "pairs.c", "sums")
    with pytest.raises(ValueError, match="backend: 'gpu'"):
        iw.kernel(folder / "pairs.c", backend="gpu")


def test_device_arrays(folder):
    k = iw.kernel(folder / "pairs.c")
    x, out = (iw.to_device(np.arange(6, dtype="f4"), k.context) for _ in range(2))
    assert k[1, 64](x, out, 6) is None
    same(out.to_host(), np.array([1, 1, 5, 5, 9, 9], "f4"))


def test_warp_size(folder):
    k = iw.kernel(folder / "pairs.c", warp_size=8)
    same(k[1, 8](np.arange(6, dtype="f4"), iw.unwritten(6), 6), np.array([1, 1, 5, 5, 9, 9], "f4"))


def test_integers_are_integers(folder):
    k = iw.kernel(folder / "scaled.c", name="scaled")
    arguments = dict(factors=[3, 5], unused=0, x=np.arange(8, dtype="i4"), which=1, n=8)
    for number in (4.5, "4", -0.5, b"4", None, np.float32(4)):
        for member in ("n", "which"):
            with pytest.raises(TypeError, match=f"{member}: an integer is needed"):
                k[1, 64](*{**arguments, member: number}.values())
    with pytest.raises(TypeError, match="unused: a number is needed"):
        k[1, 64](*{**arguments, "unused": "4"}.values())
    with pytest.raises(ValueError, match="which: 256 is no"):
        k[1, 64](*{**arguments, "which": 256}.values())
    with pytest.raises(ValueError, match="n: -1 is no"):
        k[1, 64](*{**arguments, "n": -1}.values())
