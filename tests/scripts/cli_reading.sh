#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How the program reads text, CSV and .npy, as doc/input.md describes it. The kinds of cases are those of
# csv-spectrum, of CPython's tests of csv, and of pandas' tests of its parser in C; the files are our own.

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
# shellcheck source=tests/scripts/cli.sh
. "$srcdir/tests/scripts/cli.sh"

# file TEXT NAME: writes what printf makes of the text
file() {
  # shellcheck disable=SC2059
  printf "$1" >"$2"
}

# ---- Line ends ----
for end in '\n' '\r\n' '\r'; do
  file "a,b${end}1,2${end}${end}3,\"4\"${end}5,6" lines.csv
  quiet '9' reduce --column a lines.csv
  quiet '12' reduce --column 2 lines.csv
  file "a  b${end}1\t2 ${end}  ${end}3  4" lines
  quiet '6' reduce --column b --delimiter blanks lines
  file "# 7${end}1 2${end}# 8${end}3${end}" lines
  good '6' reduce lines
  file "1${end}2${end}x${end}" lines
  bad "line 3: 'x' is not a number" reduce lines
  file "a${end}\"1\"${end}#${end}${end}x" lines
  bad "line 5: 'x' is not a number" reduce --column a lines
  file "a,b${end}\"x${end}y\",1${end}z,q" lines
  bad "line 4: 'q' is not a number" reduce --column b lines
done
file '1,2\r3,4\n5,6\r\n7,8' mixed.csv
quiet '16' reduce --column 1 mixed.csv
file '1\r2\n3\r\n4\n\r5\r\r\n6' mixed
quiet '21' reduce mixed
file '1\r2\n3\r\n4\n\r5\r\r\nx' mixed
bad "line 8: 'x'" reduce mixed
bad "line 8: 'x'" reduce --column 1 mixed

# Pieces of a pipe end anywhere: with one more blank each time also between \r and \n.
awk 'BEGIN { for (i = 0; i < 400000; i++) print 10000 + i % 1000 }' >many
"$program" histogram --csv --grow 100 many >expected
for end in '\n' '\r' '\r\n'; do
  awk -v end="$end" 'BEGIN { ORS = end } { print }' many >ends
  for before in '' ' ' '  ' '   ' '    ' '     ' '      '; do
    { printf '%s' "$before"; cat ends; echo x; } >padded # one file, as the pipe's pieces are those that cat writes
    head -c -2 padded | "$program" histogram --csv --grow 100 - >out 2>err
    is "$(cksum <out)" "$(cksum <expected)" "a pipe, '$end' and '$before'"
    is "$(cat padded | "$program" histogram --grow 1 - 2>&1)" \
      "isowarp: standard input: line 400001: 'x' is not a number; --skip-missing=x skips it" "the line of a pipe, '$end'"
  done
done

# ---- Quotes ----
file 'first,last,address,city,zip\nJohn,Doe,120 any st.,"Anytown, WW",08123\n' case.csv
quiet 'city,sum(zip) "Anytown, WW",8123' reduce --csv --group-by city --column zip case.csv
file 'a,b\n1,"ha ""ha"" ha"\n3,4\n' case.csv
quiet 'b,sum(a) 4,3 "ha ""ha"" ha",1' reduce --csv --group-by b --column a case.csv
file 'key,val\n1,"{""type"": ""Point"", ""coordinates"": [102.0, 0.5]}"\n' case.csv
quiet '1' reduce --column key case.csv
file 'a,b,c\n1,2,3\n"Once upon \na time",5,6\n7,8,9\n' case.csv
quiet '15' reduce --column 2 case.csv
file 'a,b\n1,"ha \n""ha"" \nha"\n3,4\n' case.csv
quiet '4' reduce --column a case.csv
file 'a,b,c\n1,2,3\n4,5,\312\244\n' case.csv
quiet 'c,sum(b) 3,2 ʤ,5' reduce --csv --group-by c --column b case.csv
file 'k,v\nab"c,1\na b,2\n"",3\n" a ",4\n a ,5\n' case.csv # a quote within a field is a character of it
good 'k,sum(v) ,3  a ,4 a,5 a b,2 "ab""c",1' reduce --csv --group-by k --column v case.csv
file '"v"\n"1"\n  "2"  \n"  3 "\n"\t4"\n' case.csv
quiet '10' reduce --column v case.csv
file 'a,b\n"1" , "2"\n"3"\t,"4"' case.csv
quiet '6' reduce --column b case.csv
file 'a\n1\n"b"c\n' case.csv
bad "line 3: 'c' follows a closing quote; --quote none takes quotes as other characters" reduce --column a case.csv
file 'a\n1\n"2' case.csv
bad "line 3: a quoted field has no closing quote; --quote none takes" reduce --column a case.csv
file 'k,v\n5" nail,1\n"x" y",2\n' case.csv
good 'k,sum(v) """x"" y""",2 "5"" nail",1' reduce --csv --quote none --group-by k --column v case.csv
file "k,v\n'a,b',1\n'it''s',2\n" case.csv
quiet "k,sum(v) \"a,b\",1 it's,2" reduce --csv --quote "'" --group-by k --column v case.csv
bad "line 2: has 3 fields, but the first row has 2; --ragged takes" reduce --column v case.csv
bad '--delimiter, --quote and --comment: one character cannot be two of them' reduce --column v --quote , case.csv
bad "--quote: 'xy' is not one character, or none" reduce --column v --quote xy case.csv
bad '--quote is for CSV; it needs --column or --format csv' reduce --quote none many

# ---- The first row ----
file 'region,2023,2024\nnorth,1,2\nsouth,3,4\n' years.csv
notes 'line 1, the first row, has numbers and other fields, and is read as data; --header yes says' reduce --column 3 years.csv
quiet '4' reduce --op max --column 3 --header yes years.csv
quiet '2024' reduce --op max --column 3 --header no years.csv
quiet '6' reduce --column name=2024 years.csv
quiet 'column,sum 2023,4 2024,6' reduce --csv --columns name=2023,name=2024 years.csv
quiet 'region,sum(2024) north,2 south,4' reduce --csv --group-by name=region --column name=2024 years.csv
quiet 'lo,hi,sum 1,3,6' histogram --csv --column name=2023 --weights name=2024 --bins 1 years.csv
bad "no column has the name '2025'; there are: region, 2023, 2024" reduce --column name=2025 years.csv
bad "'region' is a name, but --header no says that there are none" reduce --header no --column region years.csv
bad "line 1: has 3 fields, but --column is 4; --header yes takes the row as names" reduce --column 4 years.csv
bad "line 1: 'region' is not a number; --header yes takes the first row as names" reduce --header no --column 1 years.csv
bad "--header: 'maybe' is not one of auto, yes, no" reduce --header maybe --column 1 years.csv
file ',2023\n0,1\n1,2\n' index.csv # a table of pandas
notes 'is read as data' reduce --column 2 index.csv
notes 'is read as names' reduce --column 1 years.csv --skip-missing=north,south
# Integers may be hexadecimal; a 0 in front is no octal.
file '0x10\n-0x1\n010\n0XfF\n' base
quiet 280 reduce --type i32 base
file '0x100\n' base
bad "'0x100' is outside u8" reduce --type u8 base
file '0x\n' base
bad "'0x' is not an integer" reduce --type u8 base
# What is a number of another type, or with other separators, is no name.
file '1.5\n2\n' first.csv
bad "line 1: '1.5' is not an integer; --type f64 takes it" reduce --type i32 --column 1 first.csv
file '1e999\n2\n' first.csv
bad "line 1: '1e999' is outside f64" reduce --column 1 first.csv
file '"1,000"\n2\n' first.csv
bad "line 1: '1,000' is not a number; --decimal , reads decimal commas, and --thousands ," reduce --column 1 first.csv
file ',5\n1,6\n' first.csv
bad "line 1: '' (an empty field) is not a number; --skip-missing skips it" reduce --column 1 first.csv
file 'a,b\n' first.csv
quiet '0' reduce --column a first.csv
file '' first.csv
quiet '0' reduce --column 1 first.csv
bad "no column has the name 'a'; there are: ; the file has no rows" reduce --column a first.csv
file '\n\r\n  \n' first.csv
quiet '0' reduce --column 1 first.csv
file ' a,b,c\r"a,b","e,d","f,f"' first.csv
bad "line 2: 'f,f' is not a number" reduce --column c first.csv

# ---- Rows of other widths ----
file 'a,b\n1,2,\n3,4,\n' wide.csv # a delimiter behind each row
quiet '6' reduce --column b wide.csv
file 'a,b,\n1,2\n3,4\n' wide.csv
quiet '6' reduce --column b wide.csv
file '1,2,\n3,4\n5,6,\n' wide.csv
quiet '12' reduce --column 2 wide.csv
file 'x y\n1 3 4\n' r.txt # a table of R, whose first column has no name
bad 'line 2: has 3 fields, but the first row has 2; --ragged' reduce --delimiter blanks --column x r.txt
file '1,2,3\n1,2,3,4\n1,2\n' ragged.csv
bad 'line 2: has 4 fields, but the first row has 3; --ragged takes rows of any number' reduce --column 1 ragged.csv
quiet '6' reduce --ragged --column 2 ragged.csv
bad 'line 3: has 2 fields, but --column is 3; --skip-missing skips it' reduce --ragged --column 3 ragged.csv
good '6' reduce --ragged --skip-missing --column 3 ragged.csv
file 'a,b\n1\n' ragged.csv
bad 'line 2: has 1 field, but the first row has 2' reduce --column a ragged.csv
bad 'line 2: has 1 field, but --column is 2' reduce --column b ragged.csv

# ---- Comments ----
file '#time,value\n1,2\n#3,4\n5,6\n' comments.csv
notes "1 line that begins with '#' is skipped; --comment none reads them, --comment '#' is to skip them" reduce --column 2 \
  comments.csv
quiet '8' reduce --column 2 --comment '#' comments.csv
quiet '12' reduce --column value --comment none comments.csv
bad "no column has the name 'value'; there are: 1, 2; the first line is a comment, which --comment none reads" \
  reduce --column value comments.csv
file '# units: m\n# x\n1 2\n' comments
quiet '3' reduce comments
file '1\n#2\n3\n' comments
notes "1 line that begins with '#' is skipped" reduce comments
file '1\n# x\n2\n' comments
notes "1 line that begins with '#' is skipped" reduce comments
notes "1 line that begins with '#' is skipped" reduce --column 1 comments
file '#2\n3\n' comments
notes "1 line that begins with '#' is skipped" reduce comments
bad "line 1: '#2' is not a number" reduce --comment none comments
file '%% x\n1 2\n' comments
quiet '3' reduce --comment % comments
file '1 2 # 3\n' comments
bad "'#' is not a number; a comment has lines of its own" reduce comments
file 'v\n"#1"\n' comments.csv # what begins with a quote is no comment
bad "line 2: '#1' is not a number" reduce --column v comments.csv

# ---- Missing values ----
file 'a,b\n1,2\nNA,3\n4,\n5,6\n' missing.csv
bad "line 3: 'NA' is not a number; --skip-missing skips it" reduce --column a missing.csv
bad "line 4: '' (an empty field) is not a number; --skip-missing skips it" reduce --column b missing.csv
good '10' reduce --skip-missing --column a missing.csv
good 'lo,hi,sum 1,3,2 3,5,6' histogram --csv --column a --weights b --bins 2 --skip-missing missing.csv
good 'x_lo,x_hi,y_lo,y_hi,count 1,5,2,6,2' histogram --csv --column a --y b --bins 1 --skip-missing missing.csv
notes 'missing.csv: 2 missing values are skipped' histogram --column a --y b --bins 1 --skip-missing missing.csv
file '1\nNA\n3\n4\n' missing
file '10\n20\nnull\n40\n' weights
bad "missing: line 2: 'NA' is not a number; --skip-missing skips it" reduce missing
good 'lo,hi,sum 1,4,50' histogram --csv --weights weights --bins 1 --skip-missing missing
good 'x_lo,x_hi,y_lo,y_hi,count 1,4,10,40,2' histogram --csv --y weights --bins 1 --skip-missing missing
good 'group,sum 10,1 40,4' reduce --csv --group-by weights --skip-missing missing
"$program" scan --type i32 --op max - -o i32.npy <<END
10 20 30 40
END
good 'lo,hi,sum 1,4,80' histogram --csv --weights i32.npy --bins 1 --skip-missing missing
good 'x_lo,x_hi,y_lo,y_hi,count 10,40,10,40,3' histogram --csv --y weights --type i32 --bins 1 --skip-missing i32.npy
bad 'weights: has 4 elements, but there are 3 samples' histogram --weights weights --skip-missing - <<END
1 2 3
END
# What stands beside a missing element goes with it, and the other way round.
file '5\nNA\n3\n1\n2\n' holes
file '0 1 1 NA 1\n' flags
file '1 7 2 2 null\n' keys
good '3 2' select --flags flags --skip-missing holes
good '3 2 5' partition --flags flags --skip-missing holes
good '5 3 2' scan --flags flags --skip-missing holes
good '5 3 4' scan --keys keys --skip-missing holes
good '5 3 1' sort --by keys --skip-missing holes
good '1 2 0' sort --descending --argsort --by keys --skip-missing holes
good '3 2' select --flags flags --column 1 --skip-missing holes
notes 'keys: 1 missing value is skipped, and not counted by indices' sort --argsort --by keys --skip-missing holes
file '1\n2\n3\n4\n5\n' five
bad "flags: line 1: 'NA' is not a number; --skip-missing skips it" sort --by flags five
file '1 0 1 1\n' flags
bad 'flags: has 4 flags, but there are 5 elements, with those that are missing' select --flags flags --skip-missing holes
bad 'keys: has 5 keys, but there are 4 elements' scan --type u8 --keys keys --skip-missing flags
good '0' reduce --op argmax --skip-missing holes
notes 'holes: 1 missing value is skipped, and not counted by indices' reduce --op argmax --skip-missing holes
notes 'not counted by indices' nth -k 0 --skip-missing holes
notes 'not counted by indices' median --skip-missing holes
notes 'not counted by indices' top-k -k 1 --argsort --skip-missing holes
notes 'not counted by indices' multisplit --order --bins 2 --skip-missing holes
bad '--row-length cannot be combined with --skip-missing' scan --row-length 2 --skip-missing holes
bad '--row-length cannot be combined with --skip-missing' sort --row-length 2 --skip-missing holes
bad '--row-length cannot be combined with --skip-missing' top-k -k 1 --row-length 2 --skip-missing holes
bad '--offsets cannot be combined with --skip-missing' scan --offsets five --skip-missing holes
# Options of text are no options of other files.
"$program" sort --type i32 keys --skip-missing -o sorted.npy 2>err
tail -c 16 sorted.npy >sorted.raw
for options in --skip-missing '--comment %' '--decimal ,' '--thousands _' '--skip-lines 1'; do
  # shellcheck disable=SC2086
  {
    bad "sorted.npy: ${options%% *} is for text and CSV, but the file is .npy" reduce $options sorted.npy
    bad 'is for text and CSV, but the file is .npy' histogram --grow 1 $options sorted.npy
    bad "${options%% *} is for text and CSV, but no file is" histogram --weights sorted.npy $options sorted.npy
    bad "${options%% *} is for text and CSV, but no file is" merge $options sorted.npy sorted.npy
    bad "sorted.raw: ${options%% *} is for text and CSV, but the file is raw binary" reduce --type i32 $options sorted.raw
  }
done
is "$("$program" histogram --type i32 --grow 1 --skip-missing - <sorted.raw 2>&1)$(
  cat sorted.raw | "$program" histogram --type i32 --grow 1 --skip-missing - 2>&1)" \
  'isowarp: standard input: --skip-missing is for text and CSV, but the file is raw binaryisowarp: standard input: --skip-missing is for text and CSV, but the file is raw binary' \
  'raw data and an option of text'
good '1 2 7' select --flags flags --skip-missing sorted.npy
file 'k,x,w\na,1,1\nb,NA,2\na,3,\nNA,4,4\nb,5,5\n' groups.csv
good 'k,lo,hi,sum a,1,5,1 b,1,5,5' histogram --csv --column x --group-by k --weights w --bins 1 --skip-missing groups.csv
file 'x\n1\n-999\n?\n3\n.\n' words.csv
bad "line 4: '?' is not a number; --skip-missing=? skips it" reduce --column x words.csv
good '4' reduce --skip-missing='?,.,-999' --column x words.csv
good '4' reduce --skip-missing=-999,x,?,. --format text words.csv
file 'id,y\n#a,1\n#b,2\nc,4\n' under
notes "2 lines that begin with '#' are skipped" reduce --column y under
file '#c\nid,y\nc,4\n' above
quiet '4' reduce --column y above
file 'a,b\n1\n' short
bad '--column is 2; --ragged with --skip-missing skips it' reduce --column b short
file '5 -999.00 -9.99e2 -99.9\n' sentinels
good '-94.9' reduce --skip-missing=-999 sentinels
bad "--thousands ' ' is for CSV, as blanks divide the numbers of text" reduce --thousands ' ' sentinels

# ---- Lines before ----
for end in '\n' '\r\n' '\r'; do
  file "Report${end}\"${end}a,b${end}1,2${end}x,4" skip.csv
  quiet '6' reduce --skip-lines 2 --column b skip.csv
  quiet '6' reduce --skip-lines 3 --column 2 skip.csv
  quiet '0' reduce --skip-lines 9 --column 2 skip.csv
  bad "line 5: 'x' is not a number" reduce --skip-lines 2 --column a skip.csv
  bad "there are: Report; --skip-lines N skips lines before the names" reduce --column b skip.csv
  bad 'line 1: has 1 field, but --column is 2; --header yes takes the row as names, and --skip-lines 1 skips it' \
    reduce --column 2 skip.csv
  file "Report${end}1 2${end}x" skip
  bad "line 3: 'x' is not a number" reduce --skip-lines 1 skip
  file "Report${end}\"${end}1 2${end}3" skip
  quiet '6' reduce --skip-lines 2 skip
  is "$("$program" histogram --csv --grow 9 --skip-lines 2 - <skip | tail -n 1)" '0,9,3' "lines before of a pipe, '$end'"
done
file '1;2\n' other.csv
bad "line 1: has 1 field, but --column is 2; --delimiter ';' divides it" reduce --column 2 other.csv
file 'x y  z\n1  2   3\n' other.csv
bad '--ragged takes rows of any number, and --delimiter blanks any number of blanks' reduce --delimiter ' ' --column 2 other.csv

# ---- Separators ----
file '1;2,5\n3;4,25\n' comma.csv
bad "line 1: '2,5' is not a number; --decimal , reads decimal commas" reduce --delimiter ';' --column 2 --header no comma.csv
quiet '6.75' reduce --delimiter ';' --decimal , --column 2 comma.csv
bad '--decimal , needs a --delimiter' reduce --decimal , --column 2 comma.csv
file '1,5 2.5\n' comma
bad "'2.5' is not a number" reduce --decimal , comma
bad "'1,5' is not a number; --column takes one column of a table, --decimal , decimal commas" reduce comma
file 'A|B\n1|2,334.01\n10|-1,013,000\n' thousands
bad "line 2: '2,334.01' is not a number; --thousands , reads it" reduce --delimiter '|' --column B thousands
quiet '-1010665.99' reduce --thousands , --delimiter '|' --column B thousands
file 'A|B\n1|2.334,01\n10|13,\n' thousands
quiet '2347.01' reduce --thousands . --decimal , --delimiter '|' --column B thousands
for number in 12,34 1234,567 ,123 1,2345 1,,234 1,; do
  file "$number" thousands
  bad 'is not a number' reduce --thousands , thousands
done
bad '--thousands . needs another --decimal' reduce --thousands . thousands
file 'x;y\n1;2\n' other.csv
bad "there are: x;y; --delimiter ';' divides it" reduce --column y other.csv
file '1\t2\n' other.csv
bad "'1\\x092' is not a number; --delimiter '\\t' divides it" reduce --column 1 --header no other.csv
file 'x y\n1 2\n' other.csv
bad "there are: x y; --delimiter blanks divides it" reduce --column y other.csv

# ---- Numbers ----
# numbers TEXT F64 I64: what a field is, "-": no number
numbers() {
  file "v\n\"$1\"\n" number.csv
  for case in "f64:$2" "i64:$3"; do
    if [ "${case#*:}" = - ]; then
      bad "is not a" reduce --type "${case%%:*}" --column v number.csv
    else
      good "${case#*:}" reduce --type "${case%%:*}" --column v number.csv
    fi
  done
}
numbers 0x1p3 8 -
numbers +5 5 5
numbers .5 0.5 -
numbers 5. 5 -
numbers -0 -0 0
numbers inf inf -
numbers -Infinity -inf -
numbers NaN nan -
numbers 00012 12 12
numbers 1e-400 0 -
numbers -.5e-3 -0.0005 -
for text in 1_000 1e 1e+ - + . 1d5 '1 000' TRUE 1.2.3 '#N/A' 5% '$5'; do
  file "%s" format
  printf 'v\n"%s"\n' "$text" >number.csv
  bad "is not a number" reduce --column v --comment none number.csv
done
file '9223372036854775808' number
bad "is outside i64, -9223372036854775808 to 9223372036854775807; --type f64 takes it" reduce --type i64 number
quiet '9223372036854775808' reduce --type u64 number
file '300' number
bad "'300' is outside u8, 0 to 255; --type f64 takes it" reduce --type u8 number
file '9007199254740993 -9007199254740993 18446744073709551615 1e300 9007199254740992\n' long
notes '3 integers are too long for f64 and rounded; --type i64 or u64 keeps all digits' reduce long
quiet '1e+300' reduce --op max --type f64 long
file '9007199254740993 0.5\n' keys
notes '1 integer is too long for f64 and rounded, as neither i64 nor u64 has all numbers; a .npy' sort --by keys - <<END
1 2
END
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "1 " }' >line # one line, without an end
quiet '200000' reduce line
quiet '200000' reduce --type i64 - <line
awk 'BEGIN { printf "a"; for (i = 0; i < 20000; i++) printf ",b%d", i; printf "\n1"; for (i = 0; i < 20000; i++) printf ",%d", i }' >line.csv
quiet '19999' reduce --column b19999 line.csv
quiet '19999' reduce --column 20001 line.csv

# ---- Encodings, and files that are no text ----
file '\357\273\277"a",b\n1,2\n' bom.csv
quiet '1' reduce --column a bom.csv
file '\357\273\2771\n' bom.csv
quiet '1' reduce --column 1 bom.csv
file '\377\3761\000,\0002\000\n\000' utf16
for arguments in '' '--column 1' '--columns 1' '--type f64' '--format text'; do
  # shellcheck disable=SC2086
  bad "is UTF-16, but text is read as UTF-8: 'iconv -f UTF-16 -t UTF-8 FILE' converts it" reduce $arguments utf16
done
good '662' reduce --type u8 --format raw utf16
file '1\0002\000\n\000' utf16
bad "line 1: has a byte 0, which text does not have; 'iconv -f UTF-16LE -t UTF-8 FILE' converts UTF-16" reduce --column 1 utf16
file 'k,v\na\000b,1\na\000c,2\n' zeros
bad 'line 2: has a byte 0' reduce --group-by k --column v zeros
file 'k,v\n"a\000b",1\n' zeros
bad 'line 2: has a byte 0' reduce --group-by k --column v zeros
file '1 2 3 4 5 6\032' control # what a program of DOS ends a text with
bad 'is text but for 1 control character; --format raw or --format text says how to read it' reduce --type u8 control
bad "'6\\x1a' is not an integer" reduce --type u8 --format text control
file '\200\201' raw
bad '; --format raw takes binary data' reduce --type u8 raw
good '257' reduce --type u8 --format raw raw
file '\037\213\010\000' packed
bad "is compressed; 'gzip -dc FILE | isowarp ... -' reads it" reduce packed
bad "is compressed; 'gzip -dc" reduce --column 1 packed
file 'PAR1\025\000' packed
bad 'is a Parquet file, which has to be converted' reduce packed

# ---- .npy as others write it ----
# npy FILE DESCR SHAPE VERSION: a header, of version 1 without VERSION; the elements follow by >>
npy() {
  case ${4-1} in
    1) printf '\223NUMPY\001\000\346\001' >"$1" ;;
    *) printf "\\223NUMPY\\00$4\\000\\346\\001\\000\\000" >"$1" ;;
  esac
  printf '%-485s\n' "{'descr': $2, 'fortran_order': False, 'shape': $3, }" >>"$1"
}
for dtype in '<f4' '=f4' '|f4' 'f4' 'float32' 'single' 'f'; do
  npy x.npy "'$dtype'" '(2,)'
  printf '\000\000\200\077\000\000\000\100' >>x.npy
  quiet '3' reduce x.npy
done
npy x.npy "'>f4'" '(2,)' && printf '\077\200\000\000\100\000\000\000' >>x.npy
quiet '3' reduce x.npy
npy x.npy "'int16'" '(2L,1L)' && printf '\001\000\002\000' >>x.npy # of Python 2
quiet '3' reduce x.npy
npy x.npy "'bool'" '(2,)' && printf '\001\001' >>x.npy
quiet '2' reduce x.npy
npy x.npy "'?'" '(2,)' && printf '\001\001' >>x.npy
quiet '2' reduce x.npy
for dtype in c8 '<c16' S4 '<U1' O float128 f16 x 'i' '<' '' b2 i12 i4x; do
  npy x.npy "'$dtype'" '(1,)' && printf '\001\001' >>x.npy
  bad 'x.npy: ' reduce x.npy
done
# bfloat16 of ml_dtypes has no name in NumPy, nor have float8 and dates here.
npy x.npy "'<V2'" '(3,)' && printf '\200\077\000\300\000\100' >>x.npy
good '-2 1 2' partition --pivot 0 --type bf16 x.npy
bad 'dtype <V2 does not say what its 2 bytes are; --type bf16 reads bfloat16' reduce x.npy
bad 'dtype <V2 does not say' reduce --type f32 x.npy
npy x.npy "'<V1'" '(1,)' && printf '\070' >>x.npy
bad 'float8, which NumPy writes so, is not read; --type u8 reads its bits' reduce x.npy
npy x.npy "'<M8[ns]'" '(1,)' && printf '\001\000\000\000\000\000\000\000' >>x.npy
bad '--type i64 reads dates as integers' reduce x.npy
quiet '1' reduce --type i64 x.npy
# Several arrays behind one another.
npy x.npy "'u1'" '(2,)' && printf '\001\002' >>x.npy
npy y.npy "'c8'" '(1,)' && printf '12345678' >>y.npy
npy z.npy "'<u2'" '(2,)' && printf '\004\000\005\000' >>z.npy
cat x.npy y.npy z.npy >several.npy
notes 'other arrays follow the first, which is read; --array 2 reads the second' reduce several.npy
good '3' reduce several.npy
quiet '3' reduce --array 1 several.npy
quiet '9' reduce --array 3 several.npy
is "$("$program" reduce --array 3 - <several.npy)$(cat several.npy | "$program" reduce --array 3 -)" 99 'several arrays of a pipe'
bad 'has 3 arrays, but --array is 4' reduce --array 4 several.npy
bad 'dtype c8 is not one of' reduce --array 2 several.npy
bad "a .npy file has arrays without names: 'x' is not one of 1 to" reduce --array x several.npy
{ cat x.npy; echo x; } >rest.npy
bad 'says 2 elements of 1 bytes, but 4 bytes follow' reduce rest.npy
# Records.
npy r.npy "[('a', 'u1'), ('', '|V1'), ('b', '>i2', (2,)), ('c', [('x', '<u2'), ('y', 'u1')])]" '(2,)'
printf '\001\000\000\002\000\003\004\000\005\006\000\000\007\000\010\011\000\012' >>r.npy
quiet '1 6' scan --op max --field a r.npy
quiet '2 3 7 8' scan --op max --keep-type --field b r.npy
quiet '4 9' scan --op max --field c.x r.npy
quiet '5 10' scan --op max --field c.y --type u8 r.npy
bad 'the elements are records; choose a field by --field: a, b, c' reduce r.npy
for field in c d a.x '' x; do
  bad "no field of numbers has the name '$field'; there are: a, b, c" reduce --field "$field" r.npy
done
bad '--field is for records, but the dtype is u1' reduce --field a x.npy
bad '--field is for .npy files of records' reduce --field a many
bad '--weights: u16 is not one of i32' histogram --field a --weights c.x r.npy
good 'x_lo,x_hi,y_lo,y_hi,count 1,6,5,10,2' histogram --csv --field a --y c.y --bins 1 r.npy
good 'group,sum 5,1 10,6' reduce --csv --field a --group-by c.y r.npy
npy r.npy "[(('title', 'a'), 'u1')]" '(1,)' && printf '\007' >>r.npy
quiet '7' reduce --field a r.npy
npy r.npy "[('a', [('x', 'u1')], (2,))]" '(1,)' && printf '\007\010' >>r.npy
bad 'is within records of which each item has several' reduce --field a.x r.npy
bad "there are: a" reduce --field b r.npy
is "$(cat err)" "isowarp: r.npy: no field of numbers has the name 'b'; there are: a (of records within them, --field A.B)" 'fields within records'
# Names are Latin-1 in versions 1 and 2, UTF-8 in version 3, and as long as they are.
long=$(printf '%0100d' 0)
for version in 1 2 3; do
  o=$(printf 'gr\366\337e') && [ $version -lt 3 ] || o=größe
  npy r.npy "[('$o', 'u1'), ('a${long}1', 'u1'), ('a${long}2', 'u1')]" '(1,)' $version && printf '\001\002\003' >>r.npy
  good '1' reduce --field größe r.npy
  good '3' reduce --field "a${long}2" r.npy
  bad "no field of numbers has the name 'b'; there are: größe, a00" reduce --field b r.npy
done
for descr in "[('a', 'u1'" "[('a')]" "[('a', 'u1', (2,)" "[('a', 'u1') ('b', 'u1')]" "['a']" "[((((" "[]" \
  "[('a', 'u1', (99999999999, 99999999999))]"; do
  npy r.npy "$descr" '(1,)' && printf '\007' >>r.npy
  bad 'r.npy: ' reduce --field a r.npy
done

# ---- Options that an error names take the file ----
file 'hello' hint
is "$("$program" reduce hint 2>&1)" "isowarp: hint: line 1: 'hello' is not a number; --skip-missing=hello skips it" 'a word alone'
good '0' reduce --skip-missing=hello hint
file 'hello\n1\n2\n' hint
bad "'hello' is not a number; --column 1 takes names above numbers" reduce hint
good '3' reduce --column 1 hint
bad "'hello' is not an integer; --column 1 takes names above numbers" reduce --type i32 hint # 10 bytes are no elements of 4
is "$(cat err)" "isowarp: hint: line 1: 'hello' is not an integer; --column 1 takes names above numbers" 'no whole elements'
file '1,5,7\n' hint
bad "'1,5,7' is not a number; --column takes one column of a table" reduce hint
is "$(cat err)" "isowarp: hint: line 1: '1,5,7' is not a number; --column takes one column of a table" 'no number with separators'
quiet '5' reduce --column 2 hint
file 'a\n1\000\n' hint
bad 'line 2: has a byte 0' reduce --column a hint
is "$(cat err)" 'isowarp: hint: line 2: has a byte 0, which text does not have' 'no raw data of columns'
npy e.npy "'<f8'" '(2,)' && printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\360\077' >>e.npy
bad 'e.npy: contains f64, where u8 is needed' select --flags e.npy hint --format raw --type u8
printf '%s\n' -1.7e308 1.7e308 >wide
bad 'the samples have the range [' histogram wide
bad '--range gives the range [' histogram --range -1.7e308:1.7e308 wide
bad '--y-range gives the range [' histogram --y wide --y-range -1.7e308:1.7e308 --range 0:1 wide
bad 'the samples have the range [' histogram --y wide --range 0:1 wide

# ---- Ways out ----
file '1 # a\n2\n' commented.csv
bad "line 1: '1 # a' is not a number; a comment has lines of its own" reduce --column 1 commented.csv
file 'x,y\n3,1 # a\n' commented.csv
bad "line 2: '1 # a' is not a number; a comment has lines of its own" reduce --column y commented.csv
quiet '3' reduce --column x commented.csv
file '1 %% a\n2\n' commented.csv
bad 'a comment has lines of its own' reduce --column 1 --comment % commented.csv
quiet '2' reduce --column 1 --comment none commented.csv
file 'x # unit\n2\n' commented.csv
quiet '2' reduce --column 1 commented.csv

file '2022,2023\n1,2\n3,4\n' years.csv
for options in '' '--header yes' '--header no'; do
  # shellcheck disable=SC2086
  bad 'has 2 fields, but --column is 2023; --column name=2023 takes the column of this name' reduce --column 2023 $options years.csv
done
bad '--columns name=2022 takes' reduce --columns 2022,2023 years.csv
bad '--group-by name=2023 takes' reduce --column 1 --group-by 2023 years.csv
quiet '6' reduce --column name=2023 years.csv
bad '--header yes takes the row as names' reduce --column 2024 years.csv

file 'a,b\n1,#N/A\n2,3\n4,#DIV/0!\n' sheet.csv
bad "line 2: '#N/A' is not a number; --skip-missing='#N/A' skips it" reduce --column b --skip-missing sheet.csv
bad "line 4: '#DIV/0!' is not a number; --skip-missing='#DIV/0!' skips it" reduce --column b --skip-missing='#N/A' sheet.csv
good '3' reduce --column b --skip-missing='#N/A,#DIV/0!' sheet.csv
file 'a,b\n1,$x\n' sheet.csv
bad "--skip-missing='\$x' skips it" reduce --column b sheet.csv

# ---- What is not seen ----
file '1\302\2402\n' unseen
bad "line 1: '1\\u00a02' is not a number" reduce unseen
file 'v\n1\342\200\2132\n' unseen.csv
bad "line 2: '1\\u200b2' is not a number" reduce --column v unseen.csv
file '\302\240v,w\n1,2\n' unseen.csv
bad "there are: \\u00a0v, w" reduce --column v unseen.csv
file 'v\n\351\1\n' unseen.csv
bad "line 2: '\\xe9\\x01' is not a number" reduce --column v unseen.csv
file 'v\n\303\251 \342\202\254\n' unseen.csv
bad "line 2: 'é €' is not a number" reduce --column v unseen.csv
bad "'1\\u00a02' is not a number" histogram --edges "$(printf '0,1\302\2402')" unseen

# ---- A second file of two-byte fields ----
npy bf.npy "'<V2'" '(3,)' && printf '\100\100\200\077\000\100' >>bf.npy # 3, 1, 2
good '1 2 3' sort --by bf.npy --type bf16 bf.npy
bad 'if FILE is of it, too' sort --by bf.npy years.csv --column 1

# ---- Random files, by the definition and as Python's csv module writes them ----
if "${PYTHON:-python3}" -c '' 2>/dev/null; then
  seed=${ISOWARP_TEST_SEED:-$(date +%s)}
  echo "seed $seed"
  checks=$((checks + 1))
  "${PYTHON:-python3}" "$srcdir/tests/scripts/cli_reading.py" "$program" "$seed" || complain 'random files'
else
  echo "random files are skipped: there is no python3"
fi

report 'reading'
