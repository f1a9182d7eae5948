# SPDX-License-Identifier: Apache-2.0
#
# IW_CUDA
#
# --with-cuda[=DIR], --without-cuda, --with-cuda-arch=LIST. By default CUDA is used if it is found; with
# --with-cuda its absence is an error. Sets NVCC, NVCCFLAGS (the user's), CUDA_GENCODE and CUDA_ARCHES,
# CUDA_CPPFLAGS and CUDA_LIBS for C code that calls the runtime, the conditional HAVE_CUDA, IW_HAVE_CUDA in
# config.h, and iw_cuda for the summary. The runtime is linked statically, so that the library also loads on
# machines without a driver.
AC_DEFUN([IW_CUDA], [
  AC_ARG_VAR([NVCC], [the CUDA compiler])
  AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
  AC_ARG_VAR([CUDA_CPPFLAGS], [preprocessor flags for the CUDA runtime; default: those of nvcc])
  AC_ARG_VAR([CUDA_LIBS], [linker flags for the static CUDA runtime; default: those of nvcc])
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [use CUDA (in DIR); default: if it is found])],
    [], [with_cuda=auto])
  AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities to compile for, as "75 90"; the last one
      also for later devices; default: 75 and the major ones that nvcc knows])],
    [], [with_cuda_arch=])

  # Search for the user's NVCC, in DIR, or in the usual folders.
  iw_cuda=no
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE([$with_cuda],
      [yes | auto], [iw_nvcc_path="${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin:/opt/cuda/bin"],
      [iw_nvcc_path="$with_cuda/bin"])
    AC_PATH_PROG([NVCC], [nvcc], [], [$iw_nvcc_path])
    AS_IF([test "x$NVCC" = x], [iw_cuda_missing="no nvcc in $iw_nvcc_path"], [_IW_CUDA_USABLE])
    AS_IF([test "x$iw_cuda$with_cuda" = xnoauto], [AC_MSG_NOTICE([no CUDA: $iw_cuda_missing])],
          [test "x$iw_cuda" = xno], [AC_MSG_ERROR([--with-cuda: $iw_cuda_missing])])
  ])
  AC_SUBST([CUDA_GENCODE])
  AC_SUBST([CUDA_ARCHES], [$with_cuda_arch])
  AM_CONDITIONAL([HAVE_CUDA], [test "x$iw_cuda" = xyes])
  AS_IF([test "x$iw_cuda" = xyes], [AC_DEFINE([IW_HAVE_CUDA], [1], [the CUDA backend and kernels are built])])
])

# Sets iw_cuda=yes if nvcc compiles for the architectures and the C compiler finds the CUDA runtime; else
# iw_cuda_missing is the reason.
AC_DEFUN([_IW_CUDA_USABLE], [
  AS_IF([test "x$with_cuda_arch" = x], [
    for iw_arch in $($NVCC --list-gpu-arch 2>&AS_MESSAGE_LOG_FD |
                     sed -n 's/^compute_\([[0-9]]*\)$/\1/p' | sort -n); do
      AS_CASE([$iw_arch], [75 | *0],
        [AS_IF([test $iw_arch -ge 75], [AS_VAR_APPEND([with_cuda_arch], [" $iw_arch"])])])
    done])
  with_cuda_arch=$(echo $with_cuda_arch | tr ',' ' ')
  CUDA_GENCODE=
  for iw_arch in $with_cuda_arch; do
    AS_CASE([$iw_arch],
      [@<:@1-9@:>@@<:@0-9@:>@ | @<:@1-9@:>@@<:@0-9@:>@@<:@0-9@:>@], [],
      [AC_MSG_ERROR([--with-cuda-arch: "$iw_arch" is not a compute capability; valid is a list as "75 90"])])
    AS_VAR_APPEND([CUDA_GENCODE], [" -gencode=arch=compute_$iw_arch,code=sm_$iw_arch"])
  done
  AS_VAR_APPEND([CUDA_GENCODE], [" -gencode=arch=compute_$iw_arch,code=compute_$iw_arch"])

  AC_MSG_CHECKING([whether $NVCC compiles for $with_cuda_arch])
  echo '__global__ void probe(int *x) { *x = 1; }' > conftest.cu
  iw_compile="$NVCC -std=c++17 --fmad=false $CUDA_GENCODE $NVCCFLAGS -c -o conftest.o conftest.cu"
  AS_IF([$iw_compile >&AS_MESSAGE_LOG_FD 2>&1],
    [iw_cuda=yes], [iw_cuda_missing="$NVCC does not compile for $with_cuda_arch (see config.log)"])
  AC_MSG_RESULT([$iw_cuda])
  # The GPU code takes less than half of the bytes then.
  AC_MSG_CHECKING([whether $NVCC compresses for size])
  CUDA_COMPRESS=--compress-mode=size
  AS_IF([$iw_compile $CUDA_COMPRESS >&AS_MESSAGE_LOG_FD 2>&1],
    [AC_MSG_RESULT([yes])], [CUDA_COMPRESS=; AC_MSG_RESULT([no])])
  AC_SUBST([CUDA_COMPRESS])

  # nvcc --dryrun prints the options for its headers and libraries.
  iw_nvcc_dryrun=$($NVCC --dryrun -o conftest conftest.cu 2>&1 | tr -d '"')
  AS_IF([test "x$CUDA_CPPFLAGS" = x],
    [CUDA_CPPFLAGS=$(echo "$iw_nvcc_dryrun" | sed -n 's/^.. INCLUDES= *//p')])
  AS_IF([test "x$CUDA_LIBS" = x],
    [CUDA_LIBS=$(echo "$iw_nvcc_dryrun" | sed -n 's/^.. LIBRARIES= *//p')
     CUDA_LIBS="$CUDA_LIBS -lcudart_static -lstdc++ -ldl -lrt -lpthread"])
  CUDA_LIBS=$(echo $CUDA_LIBS)
  rm -f conftest.cu conftest.o
  AS_IF([test $iw_cuda = yes], [
    AC_MSG_CHECKING([whether $CC finds the CUDA runtime])
    iw_saved_CPPFLAGS=$CPPFLAGS iw_saved_LIBS=$LIBS
    CPPFLAGS="$CUDA_CPPFLAGS $CPPFLAGS" LIBS="$CUDA_LIBS $LIBS"
    AC_LINK_IFELSE(
      [AC_LANG_PROGRAM([#include <cuda_runtime_api.h>], [int n; return (int)cudaGetDeviceCount(&n);])], [],
      [iw_cuda=no iw_cuda_missing="$CC cannot link the CUDA runtime (see config.log)"])
    CPPFLAGS=$iw_saved_CPPFLAGS LIBS=$iw_saved_LIBS
    AC_MSG_RESULT([$iw_cuda])
  ])
])
