#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Columns, groups, logarithmic and other edges, bin indices and segments by offsets of the program, against
# awk.

# shellcheck source=tests/scripts/cli.sh
. "${srcdir:-.}/tests/scripts/cli.sh"

# same NAME: out is expected, byte by byte
same() {
  checks=$((checks + 1))
  if ! cmp -s expected out; then
    failures=$((failures + 1))
    echo "FAILED: $1"
    diff expected out | head -n 10
  fi
}

# neat EXPECTED ARGUMENT…: as good, but several blanks in a table count as one
neat() {
  expected=$1
  shift
  into "$@"
  is "$(tr -s ' \n' ' ' <out)" "$expected " "isowarp $*"
}

# into ARGUMENT…: writes what the program prints to out
into() {
  checks=$((checks + 1))
  "$program" "$@" >out 2>err || { complain "$@"; cat err; }
}

echo '3 7 1 8 2 9 4 6' >eight
echo '-1 1 1 1 1 1 1 1' >negative
echo '1 1 3 3' >first
echo '0 1 1 3' >second
: >empty

# ---- Columns ----

cat >small.csv <<'END'
species,length,"a ""width"""
b,1.5,2
a,2.5,NA
"c, ""d""",3,4
b,4,5
a,,6
a,7,1
END
good 'column,sum length,18 "a ""width""",18' reduce --csv --columns 'length,a "width"' --skip-missing \
  small.csv
neat 'column sum length 18 a "width" 18' reduce --columns 2,3 --skip-missing small.csv
good '{"operation": "reduce", "op": "argmax", "type": "u64", "columns": '\
'[{"column": "length", "argmax": 4}, {"column": "a \"width\"", "argmax": 3}]}' \
  reduce --json --op argmax --columns length,3 --skip-missing small.csv
good 'sum 40' reduce --csv - <<END
3 7 1 8 2 9 4 6
END
good 'column,count,nan,sum,mean,variance,deviation,min,max,q0.5 '\
'length,5,0,18,3.6,4.425,2.103568396796263,1.5,7,3' \
  describe --csv --columns length --quantiles 0.5 --skip-missing small.csv
bad "no column has the name 'x'; there are: species, length" reduce --columns length,x small.csv
bad "'length,' has an empty name" reduce --columns length, small.csv
bad "line 3: 'NA' is not a number" reduce --columns 2,3 small.csv
bad "line 2: has 3 fields, but --columns is 7" reduce --columns 2,7 small.csv
bad "line 2: has 3 fields, but --group-by is 9" reduce --columns 2 --group-by 9 small.csv
bad '--column cannot be combined with --columns' reduce --columns 1 --column 2 small.csv
bad '--columns is for CSV, but --format is text' reduce --columns 1 --format text small.csv
bad '--delimiter is for CSV' reduce --delimiter ';' small.csv
"$program" scan --type u8 - -o x.npy <<END || complain 'scan -o'
1 2
END
bad 'x.npy: --columns is for CSV, but the format is npy' reduce --columns 1 x.npy
printf '  a  b\n 1   2\t\r\n\n# 7 7\n3\t4   \n\t5 6' >blanks
good 'column,sum a,9 b,12' reduce --csv --delimiter blanks --columns a,b blanks
bad 'line 1: has 2 fields' reduce --delimiter blanks --columns 3 blanks
printf '1\t\t2\n3\t\t4\n' >tabs.csv
good '6' reduce --delimiter '\t' --column 3 tabs.csv
bad '(an empty field) is not a number' reduce --delimiter '\t' --columns 1,2 tabs.csv

# ---- Groups ----

good 'species,sum(length) a,9.5 b,5.5 "c, ""d""",3' reduce --csv --group-by species --column 2 \
  --skip-missing small.csv
good '{"operation": "reduce", "op": "argmin", "type": "u64", "groups": [{"species": "a", '\
'"argmin(length)": 1}, '\
'{"species": "b", "argmin(length)": 0}, {"species": "c, \"d\"", "argmin(length)": 2}]}' \
  reduce --json --op argmin --group-by 1 --column length --skip-missing small.csv
good 'species,lo,hi,count' histogram --csv --group-by 1 --column 2 --range 0:1 --bins 1 - <<END
species,length
END
good 'species,lo,hi,count a,1,4,1 a,4,7,1 b,1,4,1 b,4,7,1 "c, ""d""",1,4,1 "c, ""d""",4,7,0' \
  histogram --csv --group-by 1 --column 2 --skip-missing --range 1:7 --bins 2 --closed-top small.csv
good '{"operation": "histogram", "samples": 3, "type": "u8", "edges": [0, 2, 4], "closed_top": false, "groups": [{"key": "", '\
'"counts": [1, 0]}, '\
'{"key": "x", "counts": [1, 1]}], "below": 0, "above": 0, "nan": 0}' \
  histogram --json --type u8 --group-by 2 --column 1 --range 0:4 --bins 2 - <<END
1,x
3,x
1,
END
# Keys are ordered as numbers if all are numbers; equal ones of other text are other keys.
printf '10,1\n9,2\n-1,4\n9.0,8\n10,16\n' >numbers.csv
good '1,sum(2) -1,4 9,2 9.0,8 10,17' reduce --csv --group-by 1 --column 2 numbers.csv
printf '10,1\n9,2\nx,4\n' >mixed.csv
good '1,sum(2) 10,1 9,2 x,4' reduce --csv --group-by 1 --column 2 mixed.csv
# A group may have no elements in a column. Keys that are missing are skipped with --skip-missing only.
printf 'k,a,b\nx,1,\ny,,2\n,4,8\nNA,16,32\n' >holes.csv
good 'k,sum(a),sum(b) x,1,0 y,0,2' reduce --csv --group-by k --columns a,b --skip-missing holes.csv
good 'k,argmax(a),argmax(b) x,0, y,,0' reduce --csv --op argmax --group-by k --columns a,b --skip-missing \
  holes.csv
printf 'k,a\n,4\nNA,16\n' >keys.csv
good 'k,sum(a) ,4 NA,16' reduce --csv --group-by k --column a keys.csv
good '{"operation": "describe", "type": "f64", "groups": [{"column": "a", "k": "x", "count": 1, "nan": 0, '\
'"sum": 1, '\
'"mean": 1, "variance": "nan", "deviation": "nan", "min": 1, "max": 1, "q0.5": 1}, {"column": "b", "k": '\
'"x", "count": 0, '\
'"nan": 0, "sum": 0, "mean": "nan", "variance": "nan", "deviation": "nan", "min": null, "max": null, '\
'"q0.5": "nan"}]}' \
  describe --json --quantiles 0.5 --group-by k --columns a,b --skip-missing - <<END
k,a,b
x,1,
END
echo '1 2 1 2 10 10 1 nan' >keys
"$program" select --type u8 --less 10 eight -o u8.npy 2>err || complain 'select -o'
neat 'group sum 1 8 2 15 10 11 nan 6' reduce --group-by keys eight
good 'group,max 1,4 2,8 10,9 nan,6' reduce --csv --op max --group-by keys eight
neat 'group [1, 5) [5, 9] 1 3 0 2 0 2 10 1 1 nan 0 1' histogram --bins 2 --group-by keys eight
"$program" reduce --group-by keys eight -o sums.npy || complain 'reduce --group-by -o'
good '8 23 34 40' scan sums.npy
"$program" histogram --bins 2 --group-by keys eight -o counts.npy || complain 'histogram --group-by -o'
good '3 0 0 2 1 1 0 1' partition --pivot 0 --type u64 counts.npy
neat 'group max 1 5 2 8 10 9 nan 6' reduce --op max --init 5 --type i64 --group-by keys eight
neat 'group sum' reduce --group-by empty empty
bad 'has 8 elements, but there are 2 samples' reduce --group-by keys - <<END
1 2
END
bad '--group-by: without --column or --columns it is a file with a key for each element, but species: No such file' \
  reduce --group-by species small.csv
bad '--group-by: without --column it is a file' histogram --group-by species small.csv
neat 'group [0, 5) [5, 10) 1 1 0 2 0 2 10 1 1 nan 0 1' histogram --bins 2 --range 0:10 --group-by keys --weights negative eight
printf 'k,x,w\na,1,0.5\nb,2,4\na,3,0.25\n' >weighted.csv
good 'k,lo,hi,sum a,0,2,0.5 a,2,4,0.25 b,0,2,0 b,2,4,4' \
  histogram --csv --column x --group-by k --weights w --range 0:4 --bins 2 weighted.csv
printf '3,1,1\n1,2,1\n' >one.csv
good '{"operation": "histogram", "samples": 2, "type": "f64", "edges": [0, 2, 4], "closed_top": false, "groups": [{"key": "1", '\
'"sums": [2, 1]}], "below": 0, "above": 0, "nan": 0}' histogram --json --column 1 --group-by 3 --weights 2 --range 0:4 --bins 2 one.csv
bad '--weights: u8 is not one of i32' histogram --group-by keys --weights u8.npy eight
if [ -n "${CAIRO_LIBS-}" ]; then
  checks=$((checks + 1))
  "$program" histogram --bins 3 --group-by keys --plot plot.svg eight >out 2>err || complain 'histogram --group-by --plot'
  grep -q '^<svg ' plot.svg || complain 'histogram --group-by --plot: no picture'
  bad '--plot: 8 groups cannot be told apart in a picture; at most 6 can' \
    histogram --bins 3 --group-by eight --plot x.svg eight
fi
bad '--policy count cannot be combined with --group-by' histogram --group-by keys --policy count eight
bad '--init cannot be combined with --op argmin' reduce --op argmin --init 3 --group-by keys eight
bad '--op and: is for integers and bool' reduce --op and --group-by keys eight

# Random tables: 4000 rows, whose keys are texts; sums of integers are exact in awk.
seed=${ISOWARP_TEST_SEED:-$(date +%s)}
echo "seed $seed"
awk -v seed="$seed" 'BEGIN {
  srand(seed)
  print "key,x,y"
  for (i = 0; i < 4000; i++)
    printf "k%d,%d,%d\n", int(rand() * rand() * 100), int(rand() * 20001) - 10000, int(rand() * 1000)
}' >random.csv
awk -F, 'NR > 1 { n[$1]++; x[$1] += $2; y[$1] += $3 }
         END { for (k in n) print k "," x[k] "," y[k] }' random.csv | sort >sums
{ echo 'key,sum(x),sum(y)'; cat sums; } >expected
for arguments in '' '--type i32' '--type f64 --threads 3' '--type i64 --backend sim'; do
  case ${ISOWARP_TEST_BRIEF-},$arguments in machine,*sim) continue ;; esac # its kernels are not built then
  # shellcheck disable=SC2086 # several arguments
  into reduce --csv --group-by key --columns x,y $arguments random.csv
  same "reduce --group-by $arguments"
done
for op in min max; do
  awk -F, -v op=$op 'NR > 1 && (!($1 in m) || (op == "min" ? $2 < m[$1] : $2 > m[$1])) {
                       m[$1] = $2
                       at[$1] = NR - 2
                     }
                     END { for (k in m) print k "," m[k] "," at[k] }' random.csv | sort >ends
  { echo "key,$op(x)"; cut -d, -f1,2 ends; } >expected
  into reduce --csv --op $op --group-by key --column x random.csv
  same "reduce --op $op --group-by"
  { echo "key,arg$op(x)"; cut -d, -f1,3 ends; } >expected
  into reduce --csv --op arg$op --group-by key --column x random.csv
  same "reduce --op arg$op --group-by"
done
# A group's result has the bits that its elements alone give.
into reduce --csv --op sum --type f32 --group-by key --column x random.csv
key=$(sed -n 3p out | cut -d, -f1)
awk -F, -v key="$key" '$1 == key { print $2 }' random.csv >alone
is "$(sed -n 3p out | cut -d, -f2)" "$("$program" reduce --type f32 alone)" 'a group alone'
into describe --csv --group-by key --column x --quantiles 0,0.1,0.5 random.csv
is "$(grep "^$key," out | cut -d, -f2-)" \
  "$("$program" describe --csv --quantiles 0,0.1,0.5 alone | tail -n 1)" \
  'a group alone is described'
into describe --csv --group-by key --columns y,x --quantiles 0.5 random.csv
is "$(grep "^x,$key," out | cut -d, -f3-)" "$("$program" describe --csv --quantiles 0.5 alone | tail -n 1)" \
  'a group of the second column is described'
awk -F, 'NR > 1 { n[$1 "," int(($2 + 10000) / 5000)]++; keys[$1] = 1 }
  END {
    for (k in keys)
      for (b = 0; b < 4; b++)
        print k "," b * 5000 - 10000 "," b * 5000 - 5000 "," n[k "," b] + 0
  }' random.csv | sort -t, -k1,1 -k2,2n >counts
{ echo 'key,lo,hi,count'; cat counts; } >expected
into histogram --csv --group-by key --column x --range -10000:10000 --bins 4 random.csv
same 'histogram --group-by'

# ---- Logarithmic edges and edges of powers ----
good 'lo,hi,count 1,10,2 10,100,1 100,1000,1' histogram --csv --log --bins 3 --range 1:1000 - <<END
1 9.99 10 999 1000
END
good 'lo,hi,count 1,8,1 8,64,1' histogram --csv --log --bins 2 --type i32 - <<END
1 64
END
good 'lo,hi,count 0,5,1 5,20,1 20,45,2' histogram --csv --power 0.5 --bins 3 --range 0:45 - <<END
0 19 20 44.5 45
END
good 'x_lo,x_hi,y_lo,y_hi,count 1,2,0,1,1 1,2,1,4,1 2,4,0,1,0 2,4,1,4,2' \
  histogram --csv --log --range 1:4 --y second --y-power 0.5 --y-range 0:4 --bins 2 first
shows '[3, 5.196)' histogram --log --bins 4 eight
bad '--log: the samples begin at 0; give a --range that begins above 0' histogram --log - <<END
0 1
END
bad '--y-power: the samples begin at -1; give a --y-range that begins at 0 or above' \
  histogram --y negative --y-power 3 eight
bad '--range gives the range [0, 4]: lo must be positive' histogram --log --range 0:4 eight
bad '--bins is 20: too many for this range' histogram --log --range 1:9 --bins 20 --type i32 eight
bad '--power is 200' histogram --power 200 eight
bad "--power: 'x' is not a number" histogram --power x eight
bad '--log cannot be combined with --power' histogram --log --power 2 eight
bad '--power: 0; give --log' histogram --power 0 --range 1:4 --bins 2 eight
bad '--edges cannot be combined with --log' extract --edges 1,2 --log -k 0 eight
good '3' extract --log --range 2:8 --bins 2 -k 0 - <<END
1 3 4.5 4 8
END
if [ -n "${CAIRO_LIBS-}" ]; then
  for axis in '--log' '--log --range 2:3' '--log --range 1e-200:1e200' '--y eight --y-log' '--power 3'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$program" histogram --plot plot.svg $axis eight >out 2>err || complain "$axis --plot"
    grep -q '^<svg ' plot.svg || complain "$axis --plot: no picture"
  done
fi

# ---- Bins that grow with a stream ----
good 'lo,hi,count 0,2,1 2,4,2 4,6,1 6,8,2 8,10,2' histogram --csv --grow 2 eight
good '{"operation": "histogram", "samples": 8, "type": "f64", "edges": [0, 4, 8, 12, 16], "closed_top": false, "counts": '\
'[3, 3, 2, 0], "below": 0, "above": 0, "nan": 0}' histogram --json --grow 1 --bins 4 eight
good '{"operation": "histogram", "samples": 0, "type": "f64", "edges": [0], "closed_top": false, "counts": [], "below": 0, '\
'"above": 0, "nan": 0}' histogram --json --grow 1 empty
shows 'samples: 0' histogram --grow 1 empty
shows 'NaN: 1 (in no bin)' histogram --grow 1 - <<END
1 nan -inf
END
also 'below: 1, above: 0'
printf '\377\376\001' >raw
shows '[250, 255]      2' histogram --grow 10 --type u8 --format raw raw
good 'lo,hi,count 250,255,1' histogram --csv --grow 5 --type u8 - <<END
254
END
shows '[250, 255)      1' histogram --grow 5 --type u8 - <<END
254
END
# Several batches of a pipe, in lines and in one line; bins are those of all.
awk -v seed="$seed" 'BEGIN {
  srand(seed)
  for (i = 0; i < 300000; i++)
    print int(rand() * rand() * 100000)
}' >many
awk '{ b = int($1 / 7000); n[b]++; most = b > most ? b : most }
     END {
       print "lo,hi,count"
       for (b = 0; b <= most; b++)
         print b * 7000 "," (b + 1) * 7000 "," n[b] + 0
     }' many >expected
cat many | "$program" histogram --csv --grow 7000 - >out 2>err || complain 'histogram --grow of a pipe'
same 'histogram --grow of a pipe'
tr '\n' ' ' <many | "$program" histogram --csv --grow 7000 --type i32 - >out 2>err ||
  complain 'histogram --grow of a line'
same 'histogram --grow of a line'
into histogram --csv --grow 7000 many
same 'histogram --grow of a file'
"$program" partition --pivot 0 --type i32 many -o many.npy 2>err || complain 'partition -o many.npy'
tail -c +129 many.npy | "$program" histogram --csv --grow 7000 --type i32 - >out 2>err ||
  complain '--grow of raw data'
same 'histogram --grow of raw data of a pipe'
cat many.npy | "$program" histogram --csv --grow 7000 - >out 2>err || complain '--grow of .npy of a pipe'
same 'histogram --grow of .npy of a pipe'
{ echo '# x'; cat many; echo NA; } | "$program" histogram --csv --grow 7000 --skip-missing - >out 2>err
same 'histogram --grow --skip-missing'
is "$(cat err)" 'isowarp: standard input: 1 missing value is skipped' 'missing values of a stream'
is "$({ cat many; echo x; } | "$program" histogram --grow 1 - 2>&1)" \
  "isowarp: standard input: line 300001: 'x' is not a number; --skip-missing=x skips it" 'the line of a stream'
is "$(printf abc | "$program" histogram --type i16 --format raw --grow 1 - 2>&1)" \
  'isowarp: standard input: does not have a whole number of i16 elements of 2 bytes' 'a part of an element'
bad "--grow: '-1' is not a finite width above 0" histogram --grow -1 eight
bad '--bins is 3; valid are even numbers' histogram --grow 1 --bins 3 eight
bad 'need more than the 1048576 bins' histogram --grow 1e-6 eight
bad '--grow cannot be combined with --range' histogram --grow 1 --range 1:2 eight

# ---- Bin indices ----
good '0 1 2 2 0 2 0 1' digitize --bins 2 --range 2:8 eight
good '0 1 0 1 0 1 0 1' digitize --bins 2 --range 2:8 --policy clamp eight
good '0 1 2 3 0 3 0 1' digitize --bins 2 --range 2:8 --policy count eight
good '4 1' digitize --edges 1,2,3 --policy count - <<END
nan 2
END
good '' digitize --range 0:1 empty
"$program" digitize --bins 2 --range 2:8 eight -o indices.npy || complain 'digitize -o'
good '8' reduce indices.npy
is "$(head -c 25 indices.npy | tail -c 5)" "'<u4'" 'dtype of digitize'
awk -F, 'NR > 1 { b = int(($2 + 8000) / 2000); print ($2 < -8000 || b > 7 ? 8 : b) }' random.csv >expected
into digitize --bins 8 --range -8000:8000 --column x random.csv
same digitize

# ---- Segments by offsets ----
echo '0 2 2 5' >offsets
good '3 10 1 9 11 9 4 6' scan --offsets offsets eight
good '0 3 0 1 9 9 4 6' scan --exclusive --offsets offsets eight
good '3 21 1 8 16 9 4 6' scan --op product --offsets offsets eight
good '5 8 5 6 14 9 4 6' scan --exclusive --init 5 --offsets offsets eight
good '3 7 1 8 8 9 4 6' scan --op max --type u8 --keep-type --offsets offsets eight
"$program" partition --pivot 0 --type u32 offsets -o offsets.npy 2>err || complain 'partition -o offsets.npy'
good '3 10 1 9 11 9 4 6' scan --offsets offsets.npy eight
echo '3' >one
good '3 7 1 8 2 9 4 6' scan --offsets one eight
echo '0 3 2' >falling
bad '--offsets[2] is 2, which is less than --offsets[1], which is 3' scan --offsets falling eight
echo '0 9' >large
bad '--offsets[1] is 9' scan --offsets large eight
bad "'-1' is outside u64" scan --offsets negative eight
bad '--offsets: empty has 0 offsets' scan --offsets empty eight
bad '--flags cannot be combined with --offsets' scan --flags eight --offsets offsets eight

report 'columns and groups'
