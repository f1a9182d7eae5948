# SPDX-License-Identifier: Apache-2.0
#
# Makes libisowarp.3 from the public headers: the rules that hold for every call, and each header's calls by the groups that its
# section comments name. awk -v version=0.1.0 -f libisowarp.awk isowarp.h isowarp/context.h isowarp/scans.h ...

function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}

BEGIN {
  print ".\\\" Made from the headers by libisowarp.awk."
  print ".TH LIBISOWARP 3 \"\" \"isowarp " version "\" \"Library Functions\""
  print ".SH NAME"
  print "libisowarp \\- scan, reduce, count, partition and split arrays with the same bits on CPUs and GPUs"
  print ".SH SYNOPSIS"
  print ".nf"
  print "\\fB#include <isowarp.h>\\fR"
  print ".sp"
  print "\\fBcc\\fR file.c $(\\fBpkg\\-config\\fR \\-\\-cflags \\-\\-libs isowarp)"
  print ".fi"
  print ".SH DESCRIPTION"
  print "The headers have each call's contract: parameters, result, errors, streams, scratch and the source of the"
  print "algorithm. This page has the rules that hold for every call, and lists the calls."
}

FNR == 1 {
  header = FILENAME
  sub(/^.*include\//, "", header)
  group = ""
  section_is_open = rules = 0
}

# The rules: paragraphs of the head of isowarp.h.
header == "isowarp.h" && /^ \* Rules that hold for every call/ { rules = 1; print ".SH RULES FOR EVERY CALL"; next }
rules && /^ \* -+$/ { next }
rules && /^ \*\/$/ { rules = 0; next }
rules {
  line = $0
  sub(/^ \* ?/, "", line)
  if (line ~ /^[A-Z]/ && line !~ /^  /) print ".PP"
  sub(/^ +/, "", line)
  print roff(line)
  next
}

/^\/\* ---- / {
  group = $0
  sub(/^\/\* -+ /, "", group)
  sub(/ -+ \*\/$/, "", group)
}

# A declaration ends with a semicolon.
/^IW_API / || in_declaration {
  if (!in_declaration) declaration = ""
  line = $0
  sub(/^ +/, " ", line)
  declaration = declaration line
  in_declaration = line !~ /; *(\/\*.*)?$/
  if (in_declaration) next
  sub(/; *\/\*.*$/, ";", declaration)
  sub(/^IW_API /, "", declaration)
  if (!section_is_open) { print ".SH <" header ">"; section_is_open = 1 }
  if (group != "") { print ".SS " roff(group); group = "" }
  name = declaration
  sub(/\(.*/, "", name)
  sub(/^.*[ *]/, "", name)
  at = index(declaration, name)
  print ".HP 4"
  print roff(substr(declaration, 1, at - 1)) "\\fB" name "\\fR" roff(substr(declaration, at + length(name)))
}

END {
  print ".SH SEE ALSO"
  print "\\fBisowarp\\fR(1)"
}
