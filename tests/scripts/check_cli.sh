#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks what the program prints for good and bad input, and its exit status.

# shellcheck source=tests/scripts/cli.sh
. "${srcdir:-.}/tests/scripts/cli.sh"

echo '3 7 1 8 2 9 4 6' >eight
: >empty

# ---- Help and usage ----
shows 'Usage: isowarp SUBCOMMAND' --help
shows 'isowarp ' --version
for command in histogram scan reduce describe partition select unique run-lengths extract multisplit \
  digitize sort merge top-k nth median verify info demo run compile; do
  shows 'Example:' $command --help
done
bad 'no subcommand'
bad "help: 'nosuch' is not a subcommand" help nosuch
[ "$("$program" help reduce)" = "$("$program" reduce --help)" ] || complain 'help reduce'
bad "unknown subcommand 'frobnicate'" frobnicate
bad "takes no --bins" scan --bins 4 eight
bad 'lists the options' scan --wrong eight
bad "needs a FILE" scan
bad "there is also 'eight'" scan eight eight
bad "takes no operand" info eight
bad 'warps of 32 lanes' scan --warp-size 8 eight
bad "is not one of 8, 16, 32, 64" demo --warp-size 12
shows 'instruction sets built: generic' info
shows 'backend: cpu' info --backend cpu
shows 'host data: always on the CPU' info --backend cpu
shows 'host data: ' info --measure

# ---- Locales ----

# A decimal comma changes neither what is read nor what is written, charts and messages included.
cat >comma <<'EOF'
comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
EOF
echo '0.5 1.25 1e3' >halves
localedef -c -i ./comma -f ANSI_X3.4-1968 ./xx_XX >log 2>&1
if [ -e xx_XX/LC_NUMERIC ]; then
  for arguments in 'scan --type f32 halves' 'histogram --bins 3 --range 0.25:1000.5 halves' \
    'histogram --bins 2 halves' \
    'reduce --type f64 halves' 'histogram --bins 3 --range 1.5:0.5 halves' 'partition --pivot 1.5 halves'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086 # several arguments
    "$program" $arguments >plain 2>&1
    # shellcheck disable=SC2086
    LOCPATH=$work LC_ALL=xx_XX "$program" $arguments >out 2>&1
    if ! cmp -s plain out; then
      complain "$arguments, with a decimal comma"
      cat plain out
    fi
  done
else
  echo 'a decimal comma is skipped: localedef makes no locale'
fi

# ---- Scan and reduce ----
good '3 10 11 19 21 30 34 40' scan eight
good '3 10 11 19 21 30 34 40' scan --op sum --type i32 --threads 2 --blocks team --isa generic eight
good '0 3 10 11 19 21 30 34' scan --exclusive eight
good '5 8 15 16 24 26 35 39' scan --exclusive --init 5 eight
good '3 3 1 1 1 1 1 1' scan --op min eight
good '3 7 7 8 8 9 9 9' scan --op max --type u64 eight
good '' scan empty
good '40' reduce eight
good '1' reduce --op min eight
good '-3' reduce --op min --init -3 eight
good '0' reduce empty
good 'inf' reduce --op min empty
good '4294967295' reduce --op min --type u32 empty
good '7' reduce --init 7 empty
printf '2147483647 1' >wrap
good '2147483648' reduce --type i32 wrap
good '-2147483648' reduce --keep-type --type i32 wrap
good '2147483647 2147483648' scan --type i32 wrap
good '2147483647 -2147483648' scan --keep-type --type i32 wrap
good '2147483647 2147483648' scan --row-length 2 --type i32 wrap
good '2147483647 -2147483648' scan --row-length 2 --keep-type --type i32 wrap
echo '-128 -128 2' >small
good '-254' reduce --type i8 small
good '32768' reduce --op product --type i8 small
good '-128' reduce --op min --type i8 small
good '0' reduce --op product --keep-type --type i8 small
echo '255 255 3' >bytes
for type in u8 u16 u32 u64; do good '513' reduce --type $type bytes; done
for type in i16 i32 i64; do good '513' reduce --type $type --init 0 bytes; done
echo '1 0 1' >truths
good '2' reduce --type bool truths
good '1 1 2' scan --type bool truths
good '1' reduce --op or --type bool truths
bad '--keep-type: the sum of bool has another type' reduce --keep-type --type bool truths
bad '--op and: is for integers and bool, but the elements are f64' scan --op and eight
"$program" scan --type u8 bytes -o sums.npy || complain 'scan --type u8 -o'
good '513' reduce --op max --type u64 sums.npy
printf '0.1 0.2\n0.3\r\n1e-45 -0 nan inf' >floats
good '0.1 0.3 0.6 0.6 0.6 nan nan' scan --type f32 floats
printf '0.1 0.2' >two
good '0.1 0.30000000000000004' scan two
printf '%s\n' -0.0 1e-45 3.4028235e38 16777217 >exact
good '-0' reduce --op min --type f32 two --init -0
good '-0 -0 -0 -0' scan --op min --type f32 exact
good '-0 1e-45 3.4028235e+38 3.4028235e+38' scan --op max --type f32 exact
bad "is not one of sum, min, max" scan --op mean eight
bad "is not one of sum, min, max" scan --op argmin eight
good '2' reduce --op argmin eight
is "$(cat err)" 'isowarp: element 2 is 1' 'the value of argmin'
good '5' reduce --op argmax --type u32 eight
printf '2 1 1 nan 3 nan' >places
good '3' reduce --op argmin --type f32 places
bad 'no elements, so there is no maximum' reduce --op argmax empty
bad '--init cannot be combined with --op argmin' reduce --op argmin --init 3 eight
echo '0 0 1 0 9 0 0 0' >starts
good '3 10 1 9 2 11 15 21' scan --flags starts eight
good '5 8 5 6 5 7 16 20' scan --exclusive --init 5 --flags starts eight
echo '-1 -1 5 5 5 -1 -1 7' >keys
good '3 7 1 8 8 9 9 6' scan --op max --type i32 --keys keys eight
"$program" scan --op max --type i32 keys -o keys.npy || complain 'scan -o keys.npy'
good '3 10 1 9 11 20 24 6' scan --keys keys.npy eight
"$program" scan --op max keys -o real.npy || complain 'scan -o real.npy'
good '3 10 1 9 11 20 24 6' scan --keys real.npy eight
good '0 3 10 11 0 2 11 15' scan --exclusive --row-length 4 eight
good '' scan --row-length 4 empty
bad '--row-length: 8 elements are not a multiple of 3' scan --row-length 3 eight
bad "--row-length: '0' is not one of" scan --row-length 0 eight
bad '--flags cannot be combined with --row-length' scan --row-length 2 --flags starts eight
echo '1 2' >twokeys
bad 'twokeys: has 2 keys, but there are 8 elements' scan --keys twokeys eight
bad "--init: '1.5' is not an integer" scan --type i32 --init 1.5 eight
bad "--init: '' is not a number" scan --init '' eight

# ---- Reading text ----
printf '# a comment\n1 2\n  # another\n3\n' >comments
good '1 2 3' scan --op max comments
printf '\357\273\2771 2' >marked
good '1 2' scan --op max marked
printf '1\n2 3x 4\n' >token
bad "token: line 2: '3x' is not a number" scan token
printf '1 300\n' >large
bad "'300' is outside u8, 0 to 255" histogram --type u8 large
printf '1 -1\n' >negative
bad "'-1' is outside u64" reduce --type u64 negative
printf '1e999\n' >huge
bad "'1e999' is outside f64" reduce huge
printf '1e39\n' >huge32
bad "'1e39' is outside f32" reduce --type f32 huge32
printf '1.0\n' >fraction
bad "'1.0' is not an integer" reduce --type i32 fraction
printf '1 2 # 3\n' >late
bad "'#' is not a number" reduce late
bad 'nothere: No such file' scan nothere
bad 'is a directory' scan .
is "$(echo 1 2 3 | "$program" reduce -)" 6 'standard input'
is "$("$program" reduce - <eight)" 40 'standard input from a file'
is "$("$program" reduce --type i64 - </dev/null)" 0 'standard input, empty'
# a file that fills its last page: no zeros follow it in memory
awk 'BEGIN { for (i = 0; i < 4096; i++) print "1" }' >pages # 8192 bytes
good 4096 reduce pages
printf '%08191d7' 0 >page # one token as long as two pages
good 7 reduce --type u32 page

# ---- CSV ----
cat >table.csv <<'END'
# measured
name,"the ""value""", count
a,1.5,10

"b, or
c",2.5,20
d,"-4",30
END
good '0' reduce --column 'the "value"' table.csv
good '60' reduce --column count --type i32 table.csv
good '60' reduce --column 3 table.csv
bad "no column has the name 'size'; there are: name, the \"value\", count" reduce --column size table.csv
bad "line 3: 'a' is not a number" reduce --column 1 table.csv
bad "is not a number; --column takes one column of a table" reduce table.csv
bad 'has 3 fields, but --column is 4' reduce --column 4 table.csv
printf 'x;y\n1;2\n3;4' >semicolon.csv
good '6' reduce --column y --delimiter ';' semicolon.csv
printf 'x\n1\n\n""\n' >hole.csv
bad 'an empty field' reduce --column x hole.csv
printf 'x\n"1' >open.csv
bad 'a quoted field has no closing quote' reduce --column x open.csv
printf 'x,x\n1,2\n' >twice.csv
bad '2 columns have the name' reduce --column x twice.csv
bad '--delimiter' reduce --column x --delimiter ab table.csv
# Terminals obey control characters, so messages have none of the file's.
printf 'a\033[31m,b\n1,2\n' >control.csv
bad 'there are: a\x1b[31m, b' reduce --column x control.csv
printf '"1"\033[31m' >quoted.csv
bad "'\\x1b' follows a closing quote" reduce --column 1 quoted.csv

# ---- .npy and raw ----
"$program" scan eight -o eight.npy || complain 'scan -o'
is "$(ls)" "$(ls | grep -v 'eight.npy\.')" 'no temporary file is left'
is "$(wc -c <eight.npy | tr -d ' ')" 192 'size of eight.npy'
good '40' reduce --op max eight.npy
is "$("$program" reduce --op max - <eight.npy)" 40 '.npy from standard input'
is "$(cat eight.npy | "$program" reduce --op max -)" 40 '.npy from a pipe'
bad 'contains f64, but --type is f32' reduce --type f32 eight.npy
bad '--column is for CSV' reduce --column 1 eight.npy
head -c 190 eight.npy >cut.npy
bad '8 elements of 8 bytes, but 62 bytes follow' reduce cut.npy
head -c 50 eight.npy >cut2.npy
bad 'header says 118 bytes, but 40 follow' reduce cut2.npy
good '3 10 11 19 21 30 34 40' partition --pivot 50 eight.npy
if "${PYTHON:-python3}" -c '' 2>/dev/null; then
"${PYTHON:-python3}" - << 'END' || complain 'python3 writes big.npy'
import struct
def npy(name, code, order, shape, data):
    header = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (code, order, shape)).ljust(117) + "\n"
    open(name, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data)
numbers = range(1, 25)
npy("big.npy", ">i4", False, "(24,)", struct.pack(">24i", *numbers))
npy("big8.npy", ">f8", False, "(24,)", struct.pack(">24d", *numbers))
npy("big1.npy", "|u1", False, "(24,)", bytes(numbers))
# Element (i, j, k) of shape (2, 3, 4) is 1 + 12 i + 4 j + k; the first index is the fastest in the file.
columns = [1 + 12 * i + 4 * j + k for k in range(4) for j in range(3) for i in range(2)]
npy("fortran.npy", "<i2", True, "(2, 3, 4)", struct.pack("<24h", *columns))
npy("both.npy", ">u4", True, "(2, 3, 4)", struct.pack(">24I", *columns))
npy("flat.npy", "<i2", True, "(24,)", struct.pack("<24h", *numbers))
npy("none.npy", "<i2", True, "(2, 0, 4)", b"")
npy("native.npy", "=i2", False, "(24,)", bytes(48))
npy("deep.npy", "<i2", True, "(" + "1, " * 65 + ")", bytes(2))
END
numbers=$(seq 1 24 | tr '\n' ' ')
for file in big big8 big1 fortran both flat; do good "${numbers% }" partition --pivot 0 $file.npy; done
good '0' reduce none.npy
good '0' reduce native.npy
bad 'a shape of at most 64 dimensions' reduce deep.npy
else
  echo 'big-endian and Fortran-order .npy files are skipped: there is no python3'
fi
sed 's/<f8/<c8/' eight.npy >complex.npy
bad 'dtype <c8 is not one of' reduce complex.npy
sed 's/(8,), /(2,4),/' eight.npy >matrix.npy
good '40' reduce --op max matrix.npy
# header NAME HEADER: a version 1.0 file with that header, of up to 118 characters, and six numbers f4
header() {
  { printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$2"; head -c 24 /dev/zero; } >"$1"
}
header good.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }"
good '0' reduce good.npy
header good.npy '{"shape":(2,3) ,"fortran_order":False,"descr":"<f4"}'
good '0' reduce good.npy
header good.npy "{ 'fortran_order' : True, 'shape': (1, 6,), 'descr': '<f4' , }"
good '0' reduce good.npy
# As MLX 0.32 writes it: the header ends at byte 70, so that the elements 1 and 2 are not aligned.
{
  printf '\223NUMPY\001\000\074\000'
  printf '%-59s\n' "{'descr': '<f4', 'fortran_order': True, 'shape': (2, )}"
  printf '\000\000\200\077\000\000\000\100'
} >short.npy
good '3' reduce short.npy
good '1 3' scan short.npy
bad_header() { # MESSAGE HEADER
  header bad.npy "$2"
  bad "$1" reduce bad.npy
}
bad_header "has ' at byte 11, where 'descr', 'fortran_order' or 'shape' should be" \
  "{'Descr': '<f4', 'fortran_order': False, 'shape': (6,), }"
bad_header "has no 'descr'" "{'fortran_order': False, 'shape': (6,)}"
bad_header "has no 'shape'" "{'fortran_order': False, 'descr': '<f4'}"
bad_header "has ' at byte 11, where 'descr'" \
  "{'a': \"'descr': '<f4'\", 'descr': '<i4', 'fortran_order': False, 'shape': (6,)}"
bad_header "has ' at byte 27, where another key than before" \
  "{'descr': '<f4', 'descr': '<i4', 'fortran_order': False, 'shape': (6,)}"
bad_header "has ' at byte 10, where { should be" "'descr': '<f4', 'fortran_order': False, 'shape': (6,)"
bad_header 'ends at byte 128, where a comma or } should be' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)"
bad_header 'has , at byte 63, where a number of elements should be' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (2,,3)}"
bad_header 'has - at byte 61, where a number of elements should be' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}"
bad_header 'has ) at byte 62, where a comma should be' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}"
bad_header 'has 6 at byte 60, where a tuple should be' "{'descr': '<f4', 'fortran_order': False, 'shape': 6}"
bad_header 'has T at byte 49, where a comma or } should be' \
  "{'descr': '<f4', 'fortran_order': FalseTrue, 'shape': (6,)}"
bad_header 'has 0 at byte 44, where True or False should be' \
  "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}"
bad_header "has x at byte 66, where the header's end should be" \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x"
bad_header 'the elements are records; choose a field by --field: a' \
  "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}"
bad_header 'has \ at byte 22, where a plain character or the closing quote' \
  "{'descr': '<\\f4', 'fortran_order': False, 'shape': (6,)}"
bad_header 'more elements than this machine can address' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"
bad_header 'more elements than this machine can address' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"
# Links are followed, and stay; the file keeps its mode.
mkdir links && ln -s ../linked.npy links/a && ln -s links/a b
"$program" scan eight -o b || complain 'scan -o LINK'
is "$(readlink b) $(readlink links/a)" 'links/a ../linked.npy' 'links are still links'
good '40' reduce --op max linked.npy
chmod 640 linked.npy
"$program" scan --exclusive eight -o b || complain 'scan -o LINK, again'
is "$(stat -c %a linked.npy)" 640 'mode of a file that is replaced'
good '34' reduce --op max b
ln -s loop loop
bad 'Too many levels of symbolic links' scan eight -o loop
for type in i32 u32 i64 u64 f32 f64; do
  "$program" scan --keep-type --type $type eight -o $type.npy || complain "scan --type $type -o"
  good '40' reduce --op max --type $type $type.npy
  tail -c +129 $type.npy >$type.raw
  good '40' reduce --op max --type $type $type.raw
  good '40' reduce --op max --type $type --format raw $type.raw
done
# Narrow types are moved, not scanned.
echo '1 0 1 0 1 0 1 255' >flags
for type in i8 u8 i16 u16 f16 bf16; do
  good '3 1 2 4 6' select --type $type --flags flags eight
  good '3 1 2 4 7 8 9 6' partition --type $type --pivot 5 eight
  test $type != bf16 || continue
  "$program" select --type $type --flags flags eight -o $type.npy || complain "select --type $type -o"
  good '1 2 3 4 6' partition --pivot 3 $type.npy
  tail -c +129 $type.npy >$type.raw
  good '1 2 3 4 6' partition --pivot 3 --type $type --format raw $type.raw
done
echo '0 1 1 0 0 0 1 1' >truths
good '0 1 0 1 1' select --type bool --flags flags truths
"$program" select --type bool --flags flags truths -o bool.npy || complain 'select --type bool -o'
good '0 0 1 1 1' partition --pivot 1 bool.npy
is "$(head -c 25 bool.npy | tail -c 5)" "'|b1'" 'dtype of bool'
is "$(head -c 25 f16.npy | tail -c 5)" "'<f2'" 'dtype of f16'
is "$(head -c 25 i8.npy | tail -c 5)" "'|i1'" 'dtype of i8'
bad '.npy files have no dtype for bf16' select --type bf16 --flags flags eight -o bf16.npy
bad 'contains f16, but --type is bf16' partition --pivot 3 --type bf16 f16.npy
printf '\200\077\000\300\001\000\377\177' >bf16.raw
good '-2 1 9e-41 nan' partition --pivot 0 --type bf16 bf16.raw
# The fewest digits that give the same bits; ties to even, and a number next to a tie.
printf '%s\n' 0.1 -0 65504 65519.99 6e-8 2e-8 1e-5 inf nan 2049 2051 2049.0000000000000000001 \
  1e-400 0.333 1023.5 >numbers
all() { "$program" partition --pivot -inf "$@" | tr '\n' ' '; }
is "$(all --type f16 numbers)" '0.1 -0 65500 65500 6e-08 0 1e-05 inf nan 2048 2052 2050 0 0.333 1023.5 ' \
  'f16 as text'
printf '%s\n' 0.1 -0 3.38e38 257 259 257.00000000000000000000001 1e-40 inf nan 0.333 >numbers
is "$(all --type bf16 numbers)" '0.1 -0 3.38e+38 256 260 258 9e-41 inf nan 0.332 ' 'bf16 as text'
echo 65520 >large
bad "'65520' is outside f16, -65504 to 65504" partition --pivot 1 --type f16 large
echo -3.4e38 >large
bad "'-3.4e38' is outside bf16" partition --pivot 1 --type bf16 large
echo 2 >large
bad "'2' is outside bool, 0 and 1" partition --pivot 1 --type bool large
echo -129 >large
bad "'-129' is outside i8, -128 to 127" partition --pivot 1 --type i8 large
echo 32768 >large
bad "'32768' is outside i16, -32768 to 32767" partition --pivot 1 --type i16 large
echo 1 >ones
bad '--keep-type: the sum of bool' scan --keep-type --type bool ones
tail -c +129 eight.npy >raw
bad 'neither .npy nor text' reduce raw
bad 'raw binary needs --type' reduce --format raw raw
printf '\001\002\003' >three
bad '3 bytes are not a whole number of f32 elements of 4 bytes' reduce --type f32 three
bad 'is not a .npy file' reduce --format npy raw
bad 'nowhere/x.npy: No such file' scan eight -o nowhere/x.npy
if [ -w /dev/full ]; then
  bad 'No space left' scan eight -o /dev/full
  checks=$((checks + 1))
  "$program" scan eight >/dev/full 2>err && complain 'scan >/dev/full'
  grep -q 'isowarp: standard output: ' err || complain 'scan >/dev/full: message'
fi
awk 'BEGIN { for (i = 0; i < 200000; i++) print i }' >long
checks=$((checks + 1))
{ "$program" scan long 2>err; echo $? >status; } | head -n 1 >/dev/null
is "$(cat status)" 141 'a closed pipe'
is "$(cat err)" '' 'the message of a closed pipe'
checks=$((checks + 1))
{ (trap '' PIPE; "$program" scan long 2>err; echo $? >status); } | head -n 1 >/dev/null
is "$(cat status)" 2 'a closed pipe of a program whose parent ignores SIGPIPE'

# ---- Histogram ----
shows 'samples: 8' histogram eight
shows '[3, 5)      2   25.0%' histogram --bins 2 --range 1:5 --type i32 eight
shows 'below: 0, above: 4 (in no bin)' histogram --bins 2 --range 1:5 --type i32 eight
shows 'above: 4 (counted in the end bins)' histogram --bins 2 --range 1:5 --policy clamp eight
shows '[7, 9]      3' histogram --bins 4 eight
shows '####' histogram eight
shows 'samples: 0' histogram empty
printf 'nan 1 2' >nan
shows 'NaN: 1 (in no bin)' histogram --range 0:4 nan
"$program" histogram --bins 2 --range 1:5 --policy count --type i32 eight -o counts.npy ||
  complain 'histogram -o'
shows 'bin 1 has 2 samples:' histogram --bins 2 --range 1:5 --extract 1 eight
printf 'programming massively parallel processors' >text
"$program" histogram --letters text >out || complain 'histogram --letters'
is "$(awk 'NR > 1 && NR < 9 { printf "%s ", $2 }' out)" '5 5 6 10 10 1 1 ' 'letters'
printf 'PROGRAMMING Massively Parallel Processors' >capitals
"$program" histogram --letters=4 capitals >out || complain 'histogram --letters=4'
is "$(awk 'NR > 1 && NR < 9 { printf "%s ", $2 }' out)" '5 5 6 10 10 1 1 ' 'capital letters'
shows 'not letters: 3 (7.3%)' histogram --letters capitals
bad "--bins: '0' is not one of 1 to" histogram --bins 0 eight
bad "--bins: '2147483648' is not one of" histogram --bins 2147483648 eight
bad "--range: '5' is not LO:HI" histogram --range 5 eight
bad "--range: 'a' is not a number" histogram --range a:5 eight
bad "--range: '300' is outside u8, 0 to 255 (the samples' type is u8; edges of --edges may be any numbers)" histogram --type u8 --range 0:300 eight
bad '--range gives the range [5, 5), which is empty: lo must be below hi' histogram --range 5:5 eight
bad '--range gives the range [0, inf), which has a NaN or an infinity' histogram --range 0:inf eight
bad '--edges: edge 0 is 1 and edge 1 is 1' histogram --edges 1,1 eight
bad '--bins is 20, but each bin of integers needs a value of its own, and [0, 10) has 10' histogram --bins 20 --range 0:10 --type i32 eight
bad 'the input has a NaN or an infinity, so its range is not known (min nan, max nan): give --range' histogram nan
bad 'give --y-range' histogram --y nan nan --range 0:1
bad 'at least 2 are needed' histogram --edges 1 eight
bad '--edges cannot be combined with --bins' histogram --edges 1,2 --bins 3 eight
bad '--letters cannot be combined with' histogram --letters --bins 3 text
bad "is not one of drop, clamp, count" histogram --policy keep eight
bad 'there is no bin 10; the last of 10 bins is 9' histogram --extract 10 eight
bad "is not one of auto, cpu, cuda" histogram --backend tpu eight
bad "is not one of 1 to 1024" histogram --threads 0 eight
bad "is not one of auto, thread, team" histogram --blocks grid eight
bad '--isa is "mmx", which is not an instruction set of this library' histogram --isa mmx eight

bad '--isa is for the CPU backend, but --backend is sim' scan --backend sim --isa generic eight
bad '--blocks is for the CPU backend, but --backend is sim' info --blocks team --backend sim
bad '--isa is for the CPU backend, but --backend is sim by default' run --isa generic kernel.c
bad '--measure cannot be combined with --backend cpu' info --backend cpu --measure

# Messages name options, not members of the library's structs.
bad '--range gives the range [5, 1), which is empty' histogram --range 5:1 eight
bad '--edges: edge 0 is 3 and edge 1 is 2' histogram --edges 3,2 eight
bad '--bins is 300, but each bin of integers needs a value of its own, and [0, 200) has 200' histogram --type u8 --bins 300 --range 0:200 eight
bad '--bits is 16; valid are 1 to 13' multisplit --type u16 --bits 3:16 eight
bad 'the first bit of --bits is 16; valid are 0 to 15 for u16' multisplit --type u16 --bits 16:1 eight
bad '--isa is "nope"' scan --isa nope eight
bad '--op is product, but segments by flags and keys are scanned by sum, min and max' \
  scan --op product --flags starts eight
good '3 21 1 8 2 18 4 24' scan --op product --row-length 2 eight

# ---- JSON, CSV and pictures ----
good '{"operation": "reduce", "op": "sum", "elements": 8, "element_type": "f64", "type": "f64", '\
'"result": 40}' \
  reduce --json eight
good '{"operation": "reduce", "op": "argmin", "elements": 8, "element_type": "i8", "index": 2, "type": '\
'"i8", "result": 1}' \
  reduce --json --op argmin --type i8 eight
good '{"operation": "reduce", "op": "max", "elements": 7, "element_type": "f32", "type": "f32", "result": '\
'"nan"}' \
  reduce --json --op max --type f32 floats
good '{"operation": "histogram", "samples": 8, "type": "f64", "edges": [2, 5, 8], "closed_top": false, "counts": [3, 2], '\
'"below": 1, "above": 2, "nan": 0}' \
  histogram --json --bins 2 --range 2:8 eight
good 'lo,hi,count 2,5,3 5,8,2' histogram --csv --bins 2 --range 2:8 eight
echo 'Abc z' >words
good 'letters,count a-m,3 n-z,1' histogram --csv --letters=13 words
shows '"letters": ["a-m", "n-z"], "counts": [3, 1]' histogram --json --letters=13 words
bad '--json cannot be combined with --csv' histogram --json --csv eight
bad '--json cannot be combined with --output' reduce --json -o x.npy eight
bad "--plot: 'x.bmp' does not end with .svg, .png, .pdf or .html" histogram --plot x.bmp eight
if [ -n "${CAIRO_LIBS-}" ]; then
  for plot in 'histogram --bins 3' 'histogram --letters' scan 'scan --op max --exclusive'; do
    for ending in svg png pdf html; do
      checks=$((checks + 1))
      # shellcheck disable=SC2086
      "$program" $plot --plot plot.$ending eight >out 2>err || complain "$plot --plot plot.$ending"
      case $ending in
        svg) grep -q '^<svg ' plot.svg && tail -n 1 plot.svg | grep -q '</svg>' ;;
        png) head -c 8 plot.png | cmp -s - "$(printf '\211PNG\r\n\032\n' >magic; echo magic)" ;;
        pdf) head -c 5 plot.pdf | grep -q '%PDF-' ;;
        html) head -n 1 plot.html | grep -q '<!DOCTYPE html>' && grep -q '</svg>' plot.html ;;
      esac || complain "plot.$ending of $plot"
    done
  done
  for file in empty floats; do
    checks=$((checks + 1))
    "$program" scan --type f32 --plot plot.png $file >out 2>err || complain "scan --plot of $file"
  done
  checks=$((checks + 1))
  "$program" histogram --plot plot.png --bins 2 --range 0:1 empty >out 2>err ||
    complain 'histogram --plot of no samples'
else
  bad 'built without cairo' histogram --plot x.svg eight
fi

# Bars have colour on a terminal only, and not if NO_COLOR is set.
on_terminal() { # ENVIRONMENT…: counts the lines with colour
  env "$@" "${PYTHON:-python3}" -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
    "$program" histogram --bins 2 eight 2>err </dev/null |
    grep -c "$(printf '\033\\[34m')"
}
if "${PYTHON:-python3}" -c 'import pty' 2>err; then
  is "$(on_terminal TERM=xterm)" 2 'colour on a terminal'
  is "$(on_terminal TERM=xterm NO_COLOR=1)" 0 'colour with NO_COLOR'
  is "$(on_terminal TERM=dumb)" 0 'colour with TERM=dumb'
fi
is "$(TERM=xterm "$program" histogram --bins 2 eight | grep -c "$(printf '\033')")" 0 'colour in a pipe'

# ---- Histogram of pairs ----
printf 'a,b\n1,2\n3,4\n1,2.5\n2,9\n' >pairs.csv
good 'x_lo,x_hi,y_lo,y_hi,count 1,2,2,3,2 1,2,3,4,0 2,3,2,3,0 2,3,3,4,1' \
  histogram --csv --column a --y b --bins 2 --y-range 2:4 --closed-top pairs.csv
good '{"operation": "histogram", "samples": 4, "types": ["f64", "f64"], "x_edges": [0, 2, 4], "y_edges": '\
'[2, 4, 5, 9], '\
'"closed_tops": [false, false], "counts": [[2, 0, 0], [0, 1, 0]]}' \
  histogram --json --column 1 --y 2 --edges 0,2,4 --y-edges 2,4,5,9 pairs.csv
# In eight each number is its own partner: 1 to 4 and 6 to 9.
"$program" histogram --y eight --edges 0,5,10 --y-range 0:8 --y-bins 4 eight | tr -s ' ' >words
is "$(tr '\n' ' ' <words)" 'x\y [0, 2) [2, 4) [4, 6) [6, 8) [0, 5) 1 2 1 0 [5, 10) 0 0 0 2 samples: 8 in no bin: 2 ' 'histogram --y'
bad '--y-edges cannot be combined with --y-bins' histogram --y eight --y-edges 1,2 --y-bins 3 eight
bad "--y-range: '3' is not LO:HI" histogram --y eight --y-range 3 eight
bad '--y-range gives the range [3, 1)' histogram --y eight --y-range 3:1 eight
bad '--range gives the range [3, 1)' histogram --y eight --range 3:1 eight
bad '--y-edges: edge 0 is 3' histogram --y eight --y-edges 3,1 eight
bad 'has 0 elements, but there are 8 samples' histogram --y empty eight
bad '100000 x 100000 bins are more than 2147483644' histogram --y eight --bins 100000 eight
bad '--y-bins needs --y' histogram --y-bins 3 eight
bad '--letters cannot be combined with --y' histogram --y eight --letters eight
bad '--policy count cannot be combined with --y' histogram --y eight --policy count eight
"$program" histogram --y eight --bins 2 --y-bins 1 -o counts.npy eight || complain 'histogram --y -o'
good '4 4' select --greater 0 counts.npy
if [ -n "${CAIRO_LIBS-}" ]; then
  checks=$((checks + 1))
  "$program" histogram --y eight --plot pairs.svg eight >out 2>err || complain 'histogram --y --plot'
  grep -q '^<svg ' pairs.svg || complain 'histogram --y --plot: no picture'
fi

# ---- Weights ----
echo '1e100 1 -1e100' >cancel
"$program" scan --keep-type --type i16 eight -o short.npy || complain 'scan -o short.npy'
good 'lo,hi,sum 1,2,4.5 2,3,13' histogram --csv --column a --weights b --bins 2 pairs.csv
good '{"operation": "histogram", "samples": 8, "type": "f64", "edges": [2, 5, 8], "closed_top": false, "sums": [9, 13], "below": 1, "above": 2, "nan": 0}' \
  histogram --json --weights eight --bins 2 --range 2:8 eight
"$program" histogram --weights eight --bins 2 --range 2:8 eight | tr -s ' ' >words
is "$(tr '\n' ' ' <words)" 'bin sum of weights [2, 5) 9 [5, 8) 13 samples: 8 below: 1, above: 2 (in no bin) ' 'histogram --weights'
# Dropped samples of weights are told in all forms.
for options in --csv '-o sums.npy' '--group-by eight' '--group-by eight --csv' '--group-by eight -o sums.npy'; do
  # shellcheck disable=SC2086
  notes '3 of 8 samples are in no bin' histogram --weights eight --bins 2 --range 2:8 $options eight
  # shellcheck disable=SC2086
  quiet "$("$program" histogram --weights eight --bins 2 --range 2:8 --policy clamp $options eight | tr '\n' ' ' | sed 's/ $//')" \
    histogram --weights eight --bins 2 --range 2:8 --policy clamp $options eight
done
shows '], "below": 1, "above": 2, "nan": 0}' histogram --json --group-by eight --weights eight --bins 2 --range 2:8 eight
shows '], "below": 1, "above": 2, "nan": 0}' histogram --json --group-by eight --bins 2 --range 2:8 eight
# Sums are exact: 1e100 + 1 - 1e100 is 1.
echo '1 1 1' >ones
good 'lo,hi,sum 1,2,1' histogram --csv --weights cancel --edges 1,2 ones
"$program" scan --keep-type --type i32 eight -o weights.npy || complain 'scan -o weights.npy'
"$program" histogram --weights weights.npy --edges 0,100 -o counts.npy eight ||
  complain 'histogram --weights -o'
good '168' reduce --type i64 counts.npy
bad 'weights.npy: has 8 elements, but there are 3 samples' histogram --weights weights.npy ones
bad '--weights: i16 is not one of i32' histogram --weights short.npy eight
bad '--weights cannot be combined with --y' histogram --y eight --weights eight eight
bad '--policy count cannot be combined with --weights' histogram --weights eight --policy count eight
if [ -n "${CAIRO_LIBS-}" ]; then
  echo '1 -2 3 -4 nan 5 6 7' >signed
  checks=$((checks + 1))
  "$program" histogram --weights signed --plot sums.svg --bins 4 eight >out 2>err ||
    complain 'histogram --weights --plot'
  grep -q '^<svg ' sums.svg || complain 'histogram --weights --plot: no picture'
fi

# ---- Describe ----
# Values from the definitions: numpy.var(ddof=1), numpy.quantile
"$program" describe eight | tr -s ' ' >words
is "$(tr '\n' ' ' <words)" \
  'count 8 nan 0 sum 40 mean 5 variance 8.57142857142857 deviation 2.9277002188456 '\
'min 1 max 9 q0.25 2.75 q0.5 5 q0.75 7.25 ' 'describe'
good '{"operation": "describe", "type": "f32", "count": 5, "nan": 2, "sum": 21, "mean": 4.2, "variance": '\
'9.7, '\
'"deviation": 3.1144823004794873, "min": 1, "max": 8, "quantiles": {"0": 1, "1": 8, "0.9": 7.6}}' \
  describe --json --type f32 --quantiles 0,1,0.9 - <<END
3 nan 7 1 8 2 nan
END
good '{"operation": "describe", "type": "f64", "count": 0, "nan": 0, "sum": 0, "mean": "nan", "variance": '\
'"nan", '\
'"deviation": "nan", "min": null, "max": null, "quantiles": {"0.5": "nan"}}' describe --json --quantiles 0.5 empty
# Sums are exact: 1e100 + 1 - 1e100 is 1, and sums of 64-bit integers do not wrap.
echo '1e100 1 -1e100' >cancel
printf '65472 65504\n' >halves
shows '"min": 65472, "max": 65504, ' describe --json --type f16 halves
shows '"sum": 1,' describe --json cancel
echo '9223372036854775807 9223372036854775807 -9223372036854775808' >large
shows '"sum": 9223372036854775806,' describe --json --type i64 large
bad "--quantiles: '1.5' is not from 0 to 1" describe --quantiles 0.5,1.5 eight
bad "--quantiles: 'x' is not a number" describe --quantiles x eight
bad "takes no --output" describe -o x.npy eight

# ---- .npz ----
if [ -n "${LIBZIP_LIBS-}" ] && "${PYTHON:-python3}" -c 'import zipfile' 2>err; then
  "$program" scan --keep-type --type i16 eight -o x.npy || complain 'scan -o x.npy'
  "$program" scan --type f32 eight -o y.npy || complain 'scan -o y.npy'
  "${PYTHON:-python3}" - <<END || complain 'zipfile'
import zipfile
for name, members, how in (('one', 'x', 8), ('two', 'xy', 0), ('none', '', 0)):
    with zipfile.ZipFile(name + '.npz', 'w', how) as archive:
        for member in members:
            archive.write(member + '.npy')
whole = bytearray(open('two.npz', 'rb').read())
whole[100] ^= 1
open('changed.npz', 'wb').write(whole)
END
  good '168' reduce one.npz
  good '40' reduce --op max --array x two.npz
  good '40' reduce --op max --array y --type f32 two.npz
  cat one.npz | good '168' reduce -
  bad 'several arrays; choose one by --array: x, y' reduce two.npz
  bad "no array has the name 'z'; there are: x, y" reduce --array z two.npz
  bad 'has no arrays' reduce none.npz
  bad "array 'x': " reduce --array x changed.npz
  head -c 50 two.npz >short.npz
  bad 'short.npz: as a .npz file: ' reduce short.npz
elif [ -z "${LIBZIP_LIBS-}" ]; then
  printf 'PK\003\004' >x.npz
  bad 'built without libzip' reduce x.npz
fi
bad '--array is for .npz files' reduce --array x eight
bad '--column cannot be combined with --array' reduce --array x --column 1 eight

# ---- Partition, select, extract, multisplit ----
good '3 1 2 4 7 8 9 6' partition --pivot 5 eight
good '3 1 2 4 7 8 9 6' partition --pivot 5 --type u32 eight
good '4' partition --pivot 5 --count eight
good '' partition --pivot 5 empty
good '3 7 1 8 2 9 4 6' partition --pivot nan eight
echo '1 0 1 0 1 0 1 255' >flags
good '3 1 2 4 6 7 8 9' partition --flags flags eight
good '3 1 2 4 6' select --flags flags eight
good '5' select --flags flags --count eight
echo '1 0' >few
bad 'few: has 2 flags, but there are 8 elements' select --flags few eight
bad "'select' needs one of --flags, --less" select eight
bad "'partition' needs one of --flags, --less" partition eight
bad '--flags cannot be combined with --pivot' partition --pivot 1 --flags flags eight
bad '--less and --greater: one comparison is enough' select --less 1 --greater 3 eight
bad "--not-equal: 'x' is not a number" select --not-equal x eight
echo '1 1 2 2 2 1 0 -0 nan nan' >runs
good '0 -0' select --less 1 runs
good '1 1 1 0 -0' select --less-equal 1 runs
good '0 -0' select --equal 0 runs
good '1 1 2 2 2 1 nan nan' select --not-equal 0 runs
good '2 2 2' select --greater 1 runs
good '1 1 2 2 2 1' select --greater-equal 1 runs
good '3' select --greater 1 --count runs
good '7 8 9 6 3 1 2 4' partition --greater 5 eight
good '1 2 1 0 -0 nan' unique runs
good '6' unique --count runs
good '1 2 2 3 1 1 0 1 -0 1 nan 2' run-lengths runs
good '1 2 2 3' run-lengths --type u8 - <<END
1 1 2 2 2
END
"$program" run-lengths runs -o lengths.npy || complain 'run-lengths -o'
good '10' reduce --type u64 lengths.npy
good '' unique empty
good '' run-lengths empty
bad '--count cannot be combined with --output' unique --count -o x.npy runs
bad "takes no --mpi" unique --mpi runs
printf '3\nNA\n\n1 null\nn/a\nNone 2\n' >holes
bad "line 2: 'NA' is not a number" reduce holes
good '6' reduce --skip-missing holes
is "$("$program" reduce --skip-missing holes 2>&1 >/dev/null)" \
  'isowarp: holes: 4 missing values are skipped' 'the number of missing values'
printf 'a,b\n1,2\n,3\n4,NA\n5,x\n' >holes.csv
bad "line 3: '' (an empty field) is not a number" reduce --column a holes.csv
good '10' reduce --column a --skip-missing holes.csv
bad "line 5: 'x' is not a number" reduce --column b --skip-missing holes.csv
bad "--pivot: 'x' is not a number" partition --pivot x eight
bad "'-' is given twice" partition --flags - - </dev/null
good '7 8 6' extract --bins 2 --range 3:9 -k 1 eight
good '7 8 9 6' extract --bins 2 --range 3:9 --policy clamp --bin 1 eight
good '7 8 9 6' extract --edges 3,6,9 --closed-top -k 1 eight
good '3 4' extract --bins 2 --range 3:9 -k 0 eight
echo '3 6 9' >edges
good '3 4 7 8 6 1 2 9' multisplit --edges @edges eight
good '0 2 5' multisplit --edges @edges --offsets eight
good '0 6 1 3 7 2 4 5' multisplit --edges @edges --order eight
good '8 2 4 6 3 7 1 9' multisplit --type u8 --bits 0:1 eight
good '0 4 8' multisplit --type u8 --bits 0:1 --offsets eight
bad "is not B:N" multisplit --bits 3 eight
bad '--offsets cannot be combined with --order' multisplit --bits 0:1 --offsets --order eight
bad '--count cannot be combined with --output' partition --pivot 5 --count -o x.npy eight
bad '--count cannot be combined with --output' select --flags flags -o x.npy --count eight

printf '%s\n' 2 nan -0 0 -inf -nan 2 1 >keys
good '1 2 3 4 6 7 8 9' sort eight
good '9 8 7 6 4 3 2 1' sort --descending eight
good '2 4 0 6 7 1 3 5' sort --argsort eight
good '3 7 1 8 2 9 4 6' sort --row-length 1 eight
good '3 7 1 8 2 9 4 6' sort --row-length 2 eight
good '-inf -0 0 1 2 2 nan nan' sort keys
good '4 2 3 7 0 6 1 5' sort --argsort keys
good '1 5 0 6 7 3 2 4' sort --argsort --descending keys
good '2 1 8 6 3 4 7 9' sort --by keys eight
printf '1 2 3' >three
bad 'has 8 keys, but there are 3 elements' sort --by keys three
bad 'not a multiple of 3' sort --row-length 3 eight
good '9 8 7' top-k -k 3 eight
good '1 2 3' top-k --smallest --number 3 eight
good '5 3 1' top-k -k 3 --argsort eight
good '8 7 9 6' top-k -k 2 --row-length 4 eight
good '0 2 4 6' top-k -k 2 --row-length 4 --smallest --argsort - <<END
1 3 2 3
4 5 4 6
END
good '1 5 0 6' top-k -k 4 --argsort keys
good '' top-k -k 0 eight
bad "'top-k' needs -k" top-k eight
bad '-k: 9 is more than 8, the number of elements' top-k -k 9 eight
bad '-k: 5 is more than 4, the elements of a row' top-k -k 5 --row-length 4 eight
bad 'not a multiple of 3' top-k -k 1 --row-length 3 eight
good '4' nth --index 3 eight
good '{"operation": "nth", "elements": 8, "nth": 7, "index": 5, "type": "f64", "result": "nan"}' nth -k 7 --json keys
bad '-k: 8 is more than 7, the last index' nth -k 8 eight
bad 'there are no elements' nth -k 0 empty
good '4' median eight
is "$(cat err)" 'isowarp: element 6 is 4' 'the index of a median'
good '{"operation": "median", "elements": 8, "nth": 3, "index": 7, "type": "f64", "result": 1}' median --json keys
bad 'there are no elements, so there is no median' median empty
echo '1 3 5' >odd
echo '5 4 3' >down
good '1 1 2 3 3 3 5' merge odd three - <<END
3
END
good '5 4 3 2 2' merge --descending down - <<END
2 2
END
good '1 3 5' merge odd
bad 'eight: is not sorted: element 2 comes before the one in front of it' merge odd eight
bad 'odd: is not sorted as --descending says: element 1' merge --descending odd
"$program" merge --type u8 odd three -o both.npy || complain 'merge -o'
good '1 1 2 3 3 5' sort both.npy
bad 'both.npy: has elements of type u8, but those of odd are f64' merge odd both.npy
bad "'merge' needs a FILE" merge
bad 'takes no --mpi' digitize --mpi eight
bad '--bits cannot be combined with' multisplit --bits 0:1 --bins 3 eight
bad 'bits is 8; valid are 1 to 4 for i64 from bit 60 on' multisplit --type i64 --bits 60:8 eight
bad "'extract' needs -k" extract eight
bad 'there is no bin 2; the last of 2 bins is 1' extract --bins 2 -k 2 eight

# ---- Verify ----
shows 'of' verify reduce/sum/f32/wide/33
checks=$((checks + 1))
"$program" verify inclusive/sum/f32/wide/33/ >out 2>err || complain 'verify inclusive/sum/f32/wide/33/'
is "$(tail -n 1 out)" '2 of 2 digests equal' 'the last line of verify'
"$program" verify --print inclusive/sum/f32/wide/33/ >out 2>err || complain 'verify --print'
is "$(wc -l <out | tr -d ' ')" 2 'lines of verify --print'
bad "no case has 'nothing' in its name" verify nothing
bad "no case has 'nothing' in its name" verify sort nothing
bad 'operations: inclusive, exclusive, reduce, ' verify nothing

# ---- Demo ----
for lanes in 8 16 32 64; do
  shows 'butterfly-sum: 4 4 4 4 4 4 4 4' demo --warp-size $lanes
done
shows 'two-phase-scan, block sums: 28 77' demo two-phase-scan --blocks team --threads 2
if "$program" info --backend cuda >out 2>&1; then
  shows 'butterfly-sum: 4 4 4 4 4 4 4 4' demo --backend cuda
  bad 'a warp of CUDA has 32 lanes, not 8' demo --backend cuda --warp-size 8
else
  echo "isowarp demo --backend cuda is skipped: $(cat out)"
fi
# What a small device has no room for is named, and the others run.
ISOWARP_SIM_DEVICE=t4 "$program" demo --backend sim >out 2>&1
is "$(grep -c 'prefix-hash: not run: kernel .* -DIW_SIM_CAPABILITY=75$' out) $(grep -c 'log-sum-exp: 0.0 0.693' out)" '1 1' 'demos of a T4'
bad "unknown demo 'nothing'; there are: warp-scan" demo nothing
bad 'takes one NAME' demo warp-scan letters

report 'the program'
