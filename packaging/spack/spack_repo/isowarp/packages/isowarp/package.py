# SPDX-License-Identifier: Apache-2.0
#
# Spack's recipe, in a package repository of its own: packaging/README.md has the commands. There is no
# public archive yet, so `spack dev-build isowarp@main` builds a checkout. The first release adds url and a
# version with its sha256.

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Isowarp(AutotoolsPackage, CudaPackage):
    """Scan, reduce, histogram, partition and multisplit with the same bits on every CPU and GPU."""

    homepage = "https://example.org/isowarp"
    git = "https://example.org/isowarp.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("openmp", default=True, description="Take the number of threads from OpenMP")
    variant("mpi", default=False, description="Build the module for collectives over MPI")
    variant("plot", default=True, description="Draw pictures by cairo in the program")
    variant("npz", default=True, description="Read .npz files by libzip in the program")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("autoconf", type="build")
    depends_on("autoconf-archive", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    # The installed headers of the kernel language include SIMDe, so users need it too.
    depends_on("simde", type=("build", "link"))
    depends_on("mpi", when="+mpi")
    depends_on("cairo@1.14:", when="+plot")
    depends_on("libzip", when="+npz")

    # Without an architecture configure would choose all of them.
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU's architecture, as in cuda_arch=90")

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        # All instruction sets: the library chooses when it runs, so one build serves all machines of a
        # family.
        args = ["--with-isa=all", "--disable-bench", "--disable-tests"]
        args += self.enable_or_disable("openmp")
        args += self.with_or_without("cairo", variant="plot")
        args += self.with_or_without("libzip", variant="npz")
        args.append("--with-mpi=" + (self.spec["mpi"].mpicc if self.spec.satisfies("+mpi") else "no"))
        if self.spec.satisfies("+cuda"):
            args.append("--with-cuda=" + self.spec["cuda"].prefix)
            args.append("--with-cuda-arch=" + " ".join(self.spec.variants["cuda_arch"].value))
        else:
            args.append("--without-cuda")
        return args

    # The library's own check: digests that every machine must give.
    def check(self):
        Executable("./isowarp")("verify")
