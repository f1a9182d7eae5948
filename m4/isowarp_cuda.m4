# SPDX-License-Identifier: Apache-2.0
#
# IW_CUDA
#
# --with-cuda[=DIR], --without-cuda, --with-cuda-arch=LIST. Without an option CUDA is used where it is found; asked for and
# absent is an error. Gives NVCC, NVCCFLAGS (the user's), CUDA_GENCODE, the conditional HAVE_CUDA, and iw_cuda for the summary.
AC_DEFUN([IW_CUDA], [
  AC_ARG_VAR([NVCC], [the CUDA compiler])
  AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [use CUDA (of DIR); without this option: where it is found])],
    [], [with_cuda=auto])
  AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities to compile for, as "75 90" (which is the default)])],
    [], [with_cuda_arch="75 90"])

  CUDA_GENCODE=
  for iw_arch in $(echo "$with_cuda_arch" | tr ',' ' '); do
    AS_CASE([$iw_arch],
      [@<:@1-9@:>@@<:@0-9@:>@ | @<:@1-9@:>@@<:@0-9@:>@@<:@0-9a-z@:>@ | @<:@1-9@:>@@<:@0-9@:>@@<:@0-9@:>@@<:@a-z@:>@], [],
      [AC_MSG_ERROR([--with-cuda-arch: "$iw_arch" is no compute capability; expected numbers as in "75 90"])])
    CUDA_GENCODE="$CUDA_GENCODE -gencode=arch=compute_$iw_arch,code=sm_$iw_arch"
  done
  AC_SUBST([CUDA_GENCODE])

  # Where to look: the user's NVCC, or DIR alone, or the usual places.
  iw_cuda=no
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE([$with_cuda],
      [yes | auto], [iw_nvcc_path="${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin:/opt/cuda/bin"],
      [iw_nvcc_path="$with_cuda/bin"])
    AC_PATH_PROG([NVCC], [nvcc], [], [$iw_nvcc_path])
    AS_IF([test "x$NVCC" = x],
      [iw_cuda_lack="no nvcc in $iw_nvcc_path"],
      [AC_MSG_CHECKING([whether $NVCC compiles for $with_cuda_arch])
       echo '__global__ void probe(int *x) { *x = 1; }' > conftest.cu
       AS_IF([$NVCC -std=c++17 --fmad=false $CUDA_GENCODE $NVCCFLAGS -c -o conftest.o conftest.cu \
              >&AS_MESSAGE_LOG_FD 2>&1],
         [iw_cuda=yes], [iw_cuda_lack="$NVCC does not compile for $with_cuda_arch (config.log has its words)"])
       rm -f conftest.cu conftest.o
       AC_MSG_RESULT([$iw_cuda])])
    AS_IF([test "x$iw_cuda$with_cuda" = xnoauto], [AC_MSG_NOTICE([CUDA is left out: $iw_cuda_lack])],
          [test "x$iw_cuda" = xno], [AC_MSG_ERROR([CUDA was asked for, but $iw_cuda_lack])])
  ])
  AM_CONDITIONAL([HAVE_CUDA], [test "x$iw_cuda" = xyes])
])
