# SPDX-License-Identifier: Apache-2.0
#
# IW_ISA(NAME, HOSTS, FLAGS, HEADER, EXPRESSION)
#
# Can the compiler make the kernels for the instruction set NAME? Asked where host_cpu matches the shell pattern HOSTS, by
# compiling EXPRESSION after HEADER with FLAGS. The CPU of the machine that builds is never asked: the library holds every
# set that the compiler knows, and chooses when it runs.
#
# Gives NAME_CFLAGS (which the user may set; "no" leaves the set out), the conditional HAVE_NAME, IW_HAVE_ISA_NAME in
# config.h, and appends to iw_isas for the summary.
AC_DEFUN([IW_ISA], [
  m4_pushdef([iw_upper], m4_toupper([$1]))
  AC_ARG_VAR(iw_upper[_CFLAGS], [flags of the $1 kernels; "no" leaves them out])
  iw_have_$1=no
  AS_CASE([$host_cpu], [$2], [
    AS_IF([test "x${iw_upper[]_CFLAGS+set}" != xset], [iw_upper[_CFLAGS]="$3"])
    AS_IF([test "x$iw_upper[]_CFLAGS" != xno], [
      AC_MSG_CHECKING([whether $CC makes $1 kernels])
      iw_saved_CFLAGS=$CFLAGS
      CFLAGS="$iw_upper[]_CFLAGS $CFLAGS"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <$4>], [$5;])], [iw_have_$1=yes])
      CFLAGS=$iw_saved_CFLAGS
      AC_MSG_RESULT([$iw_have_$1])
    ])
  ])
  AM_CONDITIONAL([HAVE_]iw_upper, [test "x$iw_have_$1" = xyes])
  AS_IF([test "x$iw_have_$1" = xyes], [
    iw_isas="$iw_isas $1"
    AC_DEFINE([IW_HAVE_ISA_]iw_upper, [1], [the $1 kernels are built])
  ])
  m4_popdef([iw_upper])
])
