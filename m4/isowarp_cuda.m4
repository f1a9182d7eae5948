# SPDX-License-Identifier: Apache-2.0
#
# IW_CUDA
#
# --with-cuda[=DIR], --without-cuda, --with-cuda-arch=LIST. Without an option CUDA is used where it is found; asked for and
# absent is an error. Gives NVCC, NVCCFLAGS (the user's), CUDA_GENCODE, CUDA_ARCHES, CUDA_CPPFLAGS and CUDA_LIBS (for C that
# calls the runtime, which is linked statically, so that the library loads where there is no driver), the conditional
# HAVE_CUDA, IW_HAVE_CUDA in config.h, and iw_cuda for the summary.
AC_DEFUN([IW_CUDA], [
  AC_ARG_VAR([NVCC], [the CUDA compiler])
  AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
  AC_ARG_VAR([CUDA_CPPFLAGS], [where the headers of the CUDA runtime are; asked of nvcc unless given])
  AC_ARG_VAR([CUDA_LIBS], [how to link the static CUDA runtime; asked of nvcc unless given])
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [use CUDA (of DIR); without this option: where it is found])],
    [], [with_cuda=auto])
  AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities to compile for, as "75 90"; the last one also for later
      devices. Default: the major ones that nvcc has, from 75 on])],
    [], [with_cuda_arch=])

  # Where to look: the user's NVCC, or DIR alone, or the usual places.
  iw_cuda=no
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE([$with_cuda],
      [yes | auto], [iw_nvcc_path="${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin:/opt/cuda/bin"],
      [iw_nvcc_path="$with_cuda/bin"])
    AC_PATH_PROG([NVCC], [nvcc], [], [$iw_nvcc_path])
    AS_IF([test "x$NVCC" = x], [iw_cuda_lack="no nvcc in $iw_nvcc_path"], [_IW_CUDA_USABLE])
    AS_IF([test "x$iw_cuda$with_cuda" = xnoauto], [AC_MSG_NOTICE([CUDA is left out: $iw_cuda_lack])],
          [test "x$iw_cuda" = xno], [AC_MSG_ERROR([CUDA was asked for, but $iw_cuda_lack])])
  ])
  AC_SUBST([CUDA_GENCODE])
  AC_SUBST([CUDA_ARCHES], [$with_cuda_arch])
  AM_CONDITIONAL([HAVE_CUDA], [test "x$iw_cuda" = xyes])
  AS_IF([test "x$iw_cuda" = xyes], [AC_DEFINE([IW_HAVE_CUDA], [1], [the CUDA backend and kernels are built])])
])

# Does that nvcc compile for the architectures, and does the C compiler find the runtime?
AC_DEFUN([_IW_CUDA_USABLE], [
  AS_IF([test "x$with_cuda_arch" = x], [
    for iw_arch in $($NVCC --list-gpu-arch 2>&AS_MESSAGE_LOG_FD | sed -n 's/^compute_\([[0-9]]*\)$/\1/p' | sort -n); do
      AS_CASE([$iw_arch], [75 | *0], [AS_IF([test $iw_arch -ge 75], [AS_VAR_APPEND([with_cuda_arch], [" $iw_arch"])])])
    done])
  with_cuda_arch=$(echo $with_cuda_arch | tr ',' ' ')
  CUDA_GENCODE=
  for iw_arch in $with_cuda_arch; do
    AS_CASE([$iw_arch],
      [@<:@1-9@:>@@<:@0-9@:>@ | @<:@1-9@:>@@<:@0-9@:>@@<:@0-9@:>@], [],
      [AC_MSG_ERROR([--with-cuda-arch: "$iw_arch" is no compute capability; expected numbers as in "75 90"])])
    AS_VAR_APPEND([CUDA_GENCODE], [" -gencode=arch=compute_$iw_arch,code=sm_$iw_arch"])
  done
  AS_VAR_APPEND([CUDA_GENCODE], [" -gencode=arch=compute_$iw_arch,code=compute_$iw_arch"])

  AC_MSG_CHECKING([whether $NVCC compiles for $with_cuda_arch])
  echo '__global__ void probe(int *x) { *x = 1; }' > conftest.cu
  AS_IF([$NVCC -std=c++17 --fmad=false $CUDA_GENCODE $NVCCFLAGS -c -o conftest.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
    [iw_cuda=yes], [iw_cuda_lack="$NVCC does not compile for $with_cuda_arch (config.log has its words)"])
  AC_MSG_RESULT([$iw_cuda])

  # nvcc says by itself where its headers and libraries are.
  iw_nvcc_says=$($NVCC --dryrun -o conftest conftest.cu 2>&1 | tr -d '"')
  AS_IF([test "x$CUDA_CPPFLAGS" = x], [CUDA_CPPFLAGS=$(echo "$iw_nvcc_says" | sed -n 's/^.. INCLUDES= *//p')])
  AS_IF([test "x$CUDA_LIBS" = x],
    [CUDA_LIBS="$(echo "$iw_nvcc_says" | sed -n 's/^.. LIBRARIES= *//p') -lcudart_static -lstdc++ -ldl -lrt -lpthread"])
  CUDA_LIBS=$(echo $CUDA_LIBS)
  rm -f conftest.cu conftest.o
  AS_IF([test $iw_cuda = yes], [
    AC_MSG_CHECKING([whether $CC finds the CUDA runtime])
    iw_saved_CPPFLAGS=$CPPFLAGS iw_saved_LIBS=$LIBS
    CPPFLAGS="$CUDA_CPPFLAGS $CPPFLAGS" LIBS="$CUDA_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <cuda_runtime_api.h>], [int n; return (int)cudaGetDeviceCount(&n);])], [],
      [iw_cuda=no iw_cuda_lack="$CC cannot link the CUDA runtime (config.log has its words)"])
    CPPFLAGS=$iw_saved_CPPFLAGS LIBS=$iw_saved_LIBS
    AC_MSG_RESULT([$iw_cuda])
  ])
])
