#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Automake 1.16.5 (Debian's package 1:1.16.5-1.3), libtool objects: a line that only sets a variable for one object, inside a conditional,
# takes the object's rule away where the conditional holds.
#
# Expected: `libl_la-second.lo: CPPFLAGS += -DX` is a variable of one target of GNU make, so that the object has its rule and the variable
# too.
# Seen: Automake takes the line for the object's rule. It writes its own rule for the case in which the conditional does not hold, but
# puts only the line with the target under the condition: the recipe stays, and belongs to the rule in front. With the conditional true,
# making the first object compiles both sources, and there is no rule for the second. For objects of programs (.$(OBJEXT), .o) the rule
# stays, and a pattern, `libl_la-sec%.lo: CPPFLAGS += -DX`, has no such effect.
#
# Output: first: compiles first.c second.c; second: No rule to make target
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq download automake=1:1.16.5-1.3 2> /dev/null
dpkg -x automake_*.deb automake
share=$work/automake/usr/share
export PERL5LIB=$share/automake-1.16 AUTOMAKE_LIBDIR=$share/automake-1.16 ACLOCAL_AUTOMAKE_DIR=$share/aclocal-1.16
cat > configure.ac << 'END'
AC_INIT([finding], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
LT_INIT
AM_CONDITIONAL([ON], [true])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat > Makefile.am << 'END'
lib_LTLIBRARIES = libl.la
libl_la_SOURCES = first.c
libl_la_CPPFLAGS = -DY
if ON
libl_la_SOURCES += second.c
libl_la-second.lo: CPPFLAGS += -DX
endif
END
echo 'int first;' > first.c
echo 'int second;' > second.c
{ libtoolize --copy --install && "$work/automake/usr/bin/aclocal-1.16" && autoconf && "$work/automake/usr/bin/automake-1.16" --add-missing --copy && ./configure; } > log 2>&1 ||
  { cat log; exit 1; }
first=$(make -n libl_la-first.lo | grep -o '[a-z]*\.c\b' | sort -u | tr '\n' ' ')
rm -f libl_la-second.lo
second=$(LC_ALL=C make libl_la-second.lo 2>&1 | grep -o 'No rule to make target' || :)
seen="first: compiles ${first% }; second: ${second:-has a rule}"
echo "$seen"
test "$seen" = 'first: compiles first.c second.c; second: No rule to make target'
