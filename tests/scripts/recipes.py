# SPDX-License-Identifier: Apache-2.0
#
# usage: recipes.py SOURCE CONFIGURE_HELP
#
# Compares the recipes of packaging/ with configure: each file parses, names the version of configure.ac,
# and uses only options that `configure --help` lists. It runs neither Spack nor vcpkg.

import ast
import json
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
packaging = source / "packaging"
# A help text of --without-x or --disable-x stands for both spellings, as in configure itself.
known = {re.sub(r"^(without|disable)-", lambda m: {"without": "with-", "disable": "enable-"}[m[1]], option)
         for option in re.findall(r"(?m)^  (?:-., )?--([a-z][a-z-]*)", pathlib.Path(sys.argv[2]).read_text())}
version = re.search(r"AC_INIT\(\[isowarp\], \[([^]]*)\]", (source / "configure.ac").read_text())[1]
problems = []


def check_options(name, options):
    if not options:
        problems.append(f"{name}: passes no option to configure")
    for option in options:
        positive = re.sub(r"^without-", "with-", re.sub(r"^disable-", "enable-", option))
        if positive not in known:
            problems.append(f"{name}: configure has no --{option}")


def check_version(name, found):
    if found != version:
        problems.append(f"{name}: has version {found}, configure.ac has {version}")


# Spack: the options are strings, or made from the first argument of with_or_without() and
# enable_or_disable().
options = []
for node in ast.walk(ast.parse((packaging / "spack/spack_repo/isowarp/packages/isowarp/package.py").read_text())):
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("--"):
        options.append(node.value[2:].split("=")[0])
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("with_or_without", "enable_or_disable"):
        options.append(("with-" if node.func.attr == "with_or_without" else "enable-") + node.args[0].value)
check_options("spack/package.py", options)

port = json.loads((packaging / "vcpkg/isowarp/vcpkg.json").read_text())
check_version("vcpkg.json", port["version"])
check_options("portfile.cmake", re.findall(r" --((?:with|enable|disable)[a-z-]*)",
                                           re.sub(r"#.*", "", (packaging / "vcpkg/isowarp/portfile.cmake").read_text())))

changelog = (packaging / "debian/changelog").read_text()
check_version("debian/changelog", re.match(r"isowarp \((.*)-[^-]*\)", changelog)[1])

print("\n".join(problems) or "the recipes fit configure")
sys.exit(bool(problems))
