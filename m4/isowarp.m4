# SPDX-License-Identifier: Apache-2.0
#
# IW_CHECK_ISOWARP([MINIMUM-VERSION], [IF-FOUND], [IF-NOT-FOUND])
#
# For the configure script of a program that uses isowarp, with or without its own kernels. Finds the
# library by pkg-config and sets ISOWARP_CFLAGS and ISOWARP_LIBS. If it is not found, IF-NOT-FOUND is run,
# or configure stops if that is not given.
#
# Then searches nvcc, which builds the program's kernels for CUDA: the user's NVCC, or in CUDA_HOME, PATH
# and the usual folders; not if NVCC=no. If nvcc compiles a kernel, isowarp_cuda is yes, else no. Sets
#
#   NVCC                 the compiler
#   NVCCFLAGS            the user's flags for it; -arch=sm_75 unless given
#   ISOWARP_NVCCFLAGS    the flags that kernels need; -DIW_KERNEL_SUFFIX=… has to be added
#   ISOWARP_CUDA_LIBS    the libraries of a program with nvcc's objects, besides ISOWARP_LIBS
#
# An object of a kernel is built by
#
#   $(NVCC) -x cu $(ISOWARP_NVCCFLAGS) $(NVCCFLAGS) -DIW_KERNEL_SUFFIX=_cuda -c -o kernel_cuda.o kernel.c
AC_DEFUN([IW_CHECK_ISOWARP], [
  AC_REQUIRE([PKG_PROG_PKG_CONFIG])
  AC_ARG_VAR([NVCC], [the CUDA compiler; "no" for none])
  AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
  isowarp_cuda=no
  m4_pushdef([iw_wanted], m4_ifval([$1], [[isowarp >= $1]], [[isowarp]]))
  m4_ifval([$3],
    [PKG_CHECK_MODULES([ISOWARP], iw_wanted, [_IW_CHECK_NVCC
      $2], [$3])],
    [PKG_CHECK_MODULES([ISOWARP], iw_wanted, [_IW_CHECK_NVCC
      $2])])
  m4_popdef([iw_wanted])
  AC_SUBST([ISOWARP_NVCCFLAGS])
  AC_SUBST([ISOWARP_CUDA_LIBS])
])

AC_DEFUN([_IW_CHECK_NVCC], [
  AS_IF([test "x$NVCC" != xno], [
    AC_PATH_PROG([NVCC], [nvcc], [no],
      [${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin:/opt/cuda/bin])])
  AS_IF([test "x$NVCC" != xno], [
    # nvcc does not accept isowarp's other flags.
    ISOWARP_NVCCFLAGS="-std=c++17 --fmad=false $($PKG_CONFIG --cflags-only-I isowarp)"
    : ${NVCCFLAGS=-arch=sm_75}
    AC_MSG_CHECKING([whether $NVCC compiles kernels])
    cat > conftest.cu << 'END_OF_KERNEL'
#include <isowarp/kernel.h>
typedef struct { float *x; } probe_args;
typedef struct { int unused; } probe_shared;
IW_KERNEL(probe, probe_shared, probe_args)
{
  IW_PHASE(warp) { iw_store(args->x, iw_splat(1.0f), iw_active(warp)); }
}
END_OF_KERNEL
    AS_IF([$NVCC $ISOWARP_NVCCFLAGS $NVCCFLAGS -c -o conftest.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
      [isowarp_cuda=yes])
    # nvcc --dryrun prints the options for its libraries.
    ISOWARP_CUDA_LIBS=$($NVCC --dryrun -o conftest conftest.cu 2>&1 | tr -d '"' |
      sed -n 's/^.. LIBRARIES= *//p')
    ISOWARP_CUDA_LIBS=$(echo $ISOWARP_CUDA_LIBS -lcudart_static -lstdc++ -ldl -lrt -lpthread)
    rm -f conftest.cu conftest.o
    AC_MSG_RESULT([$isowarp_cuda])
  ])
])
