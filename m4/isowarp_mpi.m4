# SPDX-License-Identifier: Apache-2.0
#
# IW_MPI
#
# --with-mpi[=LIST], --without-mpi. By default MPI is used if it is found; with --with-mpi its absence is an
# error. The library and the program do not depend on MPI: for each compiler of LIST a module is built that
# `isowarp --mpi` loads. Sets MPI_COMPILERS, a list of KIND=PATH with KIND openmpi, mpich or mpi, and iw_mpi
# for the summary. Only make and the shell use the list.
AC_DEFUN([IW_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi@<:@=LIST@:>@], [build what 'isowarp --mpi' loads, with these MPI compilers, as
      "mpicc.openmpi mpicc.mpich"; default: those that are found])],
    [], [with_mpi=auto])
  AS_CASE([$with_mpi,$cross_compiling],
    [no,*], [iw_mpicc=],
    [auto,yes], [iw_mpicc=], # a wrapper compiler is of one machine
    [auto,* | yes,*], [iw_mpicc="mpicc.openmpi mpicc.mpich mpicc"],
    [iw_mpicc=$with_mpi])
  MPI_COMPILERS= iw_mpi=
  for iw_name in $iw_mpicc; do
    AS_UNSET([iw_path])
    AS_CASE([$iw_name], [*/*], [iw_path=$iw_name], [_IW_WHICH([iw_path], [$iw_name])])
    AS_IF([test "x$iw_path" = x], [iw_kind=no], [_IW_MPI_KIND])
    AS_CASE(["$iw_kind,$MPI_COMPILERS"],
      [no,*], [AS_CASE([$with_mpi], [auto | yes], [], [AC_MSG_ERROR([--with-mpi: $iw_name builds no MPI program (see config.log)])])],
      [*" $iw_kind="*], [], # plain mpicc is one of the others
      [AS_VAR_APPEND([MPI_COMPILERS], [" $iw_kind=$iw_path"])
       AS_VAR_APPEND([iw_mpi], ["${iw_mpi:+, }$iw_kind ($iw_path)"])])
  done
  AS_IF([test "x$iw_mpi$with_mpi" = xyes],
    [AC_MSG_ERROR([--with-mpi: no MPI compiler is found (Debian: apt-get install libopenmpi-dev openmpi-bin)])])
  AS_IF([test "x$iw_mpi" = x], [iw_mpi=no])
  AC_SUBST([MPI_COMPILERS])
])

# _IW_WHICH(VARIABLE, NAME): sets the variable to the program's path, if there is one. AC_PATH_PROG would
# cache it under a name that is known here only at run time.
AC_DEFUN([_IW_WHICH], [
  iw_save_IFS=$IFS; IFS=$PATH_SEPARATOR
  for iw_folder in $PATH; do
    AS_IF([test "x$$1" = x && test -x "$iw_folder/$2" && test -f "$iw_folder/$2"], [$1=$iw_folder/$2])
  done
  IFS=$iw_save_IFS
])

# Sets iw_kind to the kind of MPI of $iw_path if it builds a program of MPI 3 with the user's flags, else to
# no.
AC_DEFUN([_IW_MPI_KIND], [
  AC_MSG_CHECKING([which MPI $iw_path has])
  cat > conftest.c << 'END'
#include <mpi.h>
#if MPI_VERSION < 3
#error "MPI 3 is needed"
#endif
#if defined OPEN_MPI
iw_kind openmpi
#elif defined MPICH_NAME || defined MPICH_VERSION
iw_kind mpich
#else
iw_kind mpi
#endif
END
  iw_kind=$($iw_path $CPPFLAGS -E conftest.c 2>&AS_MESSAGE_LOG_FD | sed -n 's/^iw_kind //p')
  AS_ECHO(['#include <mpi.h>
int main(void) { return MPI_Finalize(); }']) > conftest.c
  AS_IF([test "x$iw_kind" != x &&
    $iw_path -std=c11 $CPPFLAGS $CFLAGS $LDFLAGS conftest.c -o conftest$ac_exeext >&AS_MESSAGE_LOG_FD 2>&1], [], [iw_kind=no])
  rm -f conftest.c conftest$ac_exeext
  AC_MSG_RESULT([$iw_kind])
])
