# SPDX-License-Identifier: Apache-2.0
#
# IW_NATIVE_ISA
#
# If with_isa is native, sets it to the best instruction set of this machine, or to all when cross-compiling.
AC_DEFUN([IW_NATIVE_ISA], [
  AS_IF([test "x$with_isa" = xnative], [
    AC_MSG_CHECKING([for the best instruction set of this machine])
    with_isa=all
    AC_RUN_IFELSE([AC_LANG_SOURCE([[
#include <stdio.h>
int main(void)
{
  const char *best = "generic";
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) best = "sse4";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
    best = "avx2";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
      && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512cd"))
    best = "avx512";
#elif defined(__aarch64__)
  best = "neon";
#endif
  FILE *const out = fopen("conftest.isa", "w");
  return !out || fputs(best, out) < 0 || fclose(out) != 0;
}]])], [with_isa=$(cat conftest.isa)], [], [:])
    rm -f conftest.isa
    AC_MSG_RESULT([$with_isa])
  ])
])

# IW_SET(NAME, FLAGS, KERNEL-FLAGS)
#
# A set of kernels (src/sets.am). For make: NAME_flags, the flags that choose its lanes, and
# NAME_kernel_flags, those of the library's own kernels.
AC_DEFUN([IW_SET], [
  AC_SUBST([$1_flags], ['$2'])
  AC_SUBST([$1_kernel_flags], ['$3'])
])

# IW_ISA(NAME, HOSTS, FLAGS, HEADER, EXPRESSION, [KERNEL-FLAGS])
#
# Tests whether the compiler can compile kernels for the instruction set NAME: EXPRESSION after HEADER with
# FLAGS has to compile. Only if with_isa contains NAME or is "all", and if host_cpu matches the shell
# pattern HOSTS.
#
# Sets NAME_CFLAGS (unless the user has; "no" disables the set), defines the set, and appends NAME to
# iw_isas, of which configure.ac makes ISAS for make, and IW_FOR_ISAS in config.h.
AC_DEFUN([IW_ISA], [
  m4_pushdef([iw_upper], m4_toupper([$1]))
  AC_ARG_VAR(iw_upper[_CFLAGS], [flags of the $1 kernels; "no" disables them])
  iw_have_$1=no
  AS_CASE([$host_cpu], [$2], [AS_CASE([" $with_isa "], [*" all "* | *" $1 "*], [
    AS_IF([test "x${iw_upper[]_CFLAGS+set}" != xset], [iw_upper[_CFLAGS]="$3"])
    AS_IF([test "x$iw_upper[]_CFLAGS" != xno], [
      AC_MSG_CHECKING([whether $CC compiles $1 kernels])
      iw_saved_CFLAGS=$CFLAGS
      CFLAGS="$iw_upper[]_CFLAGS $CFLAGS"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <$4>], [$5;])], [iw_have_$1=yes])
      CFLAGS=$iw_saved_CFLAGS
      AC_MSG_RESULT([$iw_have_$1])
    ])
  ])])
  IW_SET([$1], [$(]iw_upper[_CFLAGS)], [$6])
  AS_IF([test "x$iw_have_$1" = xyes], [iw_isas="$iw_isas $1"])
  m4_popdef([iw_upper])
])
