#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# isowarp run: kernels without a host program. What it prints, saves and compares; its messages; planted
# bugs, which the simulated GPU finds; that it runs again when a file changes; and that no temporary file
# stays.
set -u
srcdir=$(cd "${srcdir:-..}" && pwd) || exit 99
PYTHON=${PYTHON:-python3}
program=${ISOWARP:-${top_builddir:-.}/isowarp}
work=$(mktemp -d) || exit 99
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$work"' EXIT
mkdir "$work/temporary" && cd "$work" || exit 99
TMPDIR=$work/temporary
LC_ALL=C
CFLAGS=
export TMPDIR LC_ALL CFLAGS
checks=0
failures=0

# run STATUS PART ARGUMENT…: the exit status, and a part of what is printed: to standard error if the status
# is 2 or 3
run() {
  expected=$1 part=$2
  shift 2
  checks=$((checks + 1))
  "$program" run "$@" > out 2> err
  status=$?
  case $expected in 0 | 1) where=out ;; *) where=err ;; esac
  if [ $status -ne "$expected" ] || ! grep -qF -e "$part" $where || [ -n "$(ls "$TMPDIR")" ]; then
    failures=$((failures + 1))
    echo "FAILED: isowarp run $*"
    echo "  status $status, expected $expected and '$part' in:"
    cat out err
    ls "$TMPDIR"
  fi
}

# also PART: what the last run printed contains PART too
also() {
  checks=$((checks + 1))
  if ! cat out err | grep -qF -e "$1"; then
    failures=$((failures + 1))
    echo "FAILED: expected '$1' in:"
    cat out err
  fi
}

# A kernel that is right, with a header of its own: it adds up pairs within a block.
mkdir 'a folder'
echo 'enum { FACTOR = 1 };' > 'a folder/factor.h'
cat > 'a folder/sums.c' << 'END'
#include <isowarp/kernel.h>
#include "factor.h"
typedef struct { const float *in; float *out; size_t n; } sums_args;
typedef struct { float x[1024]; } sums_shared;
IW_KERNEL(sums, sums_shared, sums_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(shared->x + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), iw_active(warp));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 thread = iw_iota_u32(warp * IW_WARP_SIZE);
    const iw_f32 pair = iw_gather(shared->x, iw_xor(thread, 1), iw_active(warp));
    const iw_f32 own = iw_load(shared->x + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->out + here.first, iw_mul(iw_add(own, pair), (float)FACTOR), here.valid);
  }
}
END
sums='a folder/sums.c'

# ---- Arguments in, results out ----
run 0 'out f32[6]: 1 1 5 5 9 9' "$sums" --grid 1 --block 64 --arg in=0:6 --arg 'out=f32[6]' --arg n=6
run 0 'out f32[100]: 1 1 5 5 9 9 13 13 17 17 21 21 25 25 29 29 ... 193 193 197 197' "$sums" --grid 2 --block 64 \
  --arg in=0:100 --arg 'out=[100]' --arg n=100 --backend cpu
echo '1 2 3 4' > four
run 0 'out is as expected (4 elements)' "$sums" --grid 1 --block 4 --arg in=@four --arg 'out=[4]' --arg n=4 \
  --expect out=3,3,7,7 --save out=@saved.npy
"$program" scan saved.npy > scanned
[ "$(tr '\n' ' ' < scanned)" = '3 6 13 20 ' ] || { echo "FAILED: --save wrote something else"; failures=$((failures + 1)); }
run 0 'out is as expected' "$sums" --grid 1 --block 4 --arg in=@four --arg 'out=[4]' --arg n=4 --expect out=@saved.npy --warp-size 8

checks=$((checks + 1))
run 0 'out f32[2]: 1 1' "$sums" --grid 1 --block 2 --arg in=0,1 --arg 'out=[2]' --arg n=2 --blocks team --isa generic --backend cpu
[ "$(wc -l < out)" -eq 1 ] || { echo "FAILED: more is printed than what the kernel may write"; failures=$((failures + 1)); }
run 0 'out f32[2]: 5 5' "$sums" --grid 1 --block 2 --arg in=NULL --arg 'out=[2]=5' --arg n=0
run 3 'load' "$sums" --grid 1 --block 2 --arg in=nullptr --arg 'out=[2]=5' --arg n=2

# ---- The documents' examples ----
awk '/^```c/ { on = 1; next } /^```/ { on = 0 } on' "$srcdir/doc/run.md" > pairs.c
run 0 'out f32[6]: 1 1 5 5 9 9' pairs.c --grid 1 --block 64 --arg in=0:6 --arg 'out=f32[6]' --arg n=6
sed -n '/^    #include <isowarp\/kernel.h>/,/^    }$/s/^    //p' "$srcdir/README.md" > divide.c
run 0 'out f32[3]: 1 0.33333334 1.6666666' divide.c --grid 1 --block 64 --arg in=3,1,5 --arg 'out=f32[3]' --arg n=3

# ---- Bits that differ ----
run 1 'out[1] is 3 (0x40400000), expected 4 (0x40800000)' "$sums" --grid 1 --block 4 --arg in=1,2,-0,0 --arg 'out=[4]=7' \
  --arg n=4 --expect out=3,4,-0,0,5 --backend cpu
also 'out[2] is 0 (0x00000000), expected -0 (0x80000000)'
also 'out has 4 elements, expected 5'
also 'out differs in 2 of 4 elements'

# ---- Planted bugs ----
cat > race.c << 'END'
#include <isowarp/kernel.h>
typedef struct { const float *in; float *out; size_t n; } reverse_args;
typedef struct { float x[1024]; } reverse_shared;
IW_KERNEL(reverse, reverse_shared, reverse_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(warp * IW_WARP_SIZE));
    iw_store(shared->x + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), iw_active(warp));
    iw_store(args->out + here.first, iw_gather(shared->x, from, iw_active(warp)), here.valid);
  }
}
END
run 3 'race: race.c:9 iw_store: ' race.c --grid 1 --block 64 --arg in=0:64 --arg 'out=[64]' --arg n=64 --trace race.txt
grep -q 'interval 1' race.txt || { echo "FAILED: no trace beside a finding"; failures=$((failures + 1)); }
also 'read it at race.c:10'
run 0 'out f32[64]: ' race.c --grid 1 --block 64 --arg in=0:64 --arg 'out=[64]' --arg n=64 --check bounds,slots
run 3 '--arg out: undefined: a copy to the host: reads 8 undefined bytes, the first at byte 16' "$sums" --grid 1 --block 4 \
  --arg in=@four --arg 'out=[6]' --arg n=4
run 3 'bounds: ' "$sums" --grid 1 --block 4 --arg in=@four --arg 'out=[3]' --arg n=4
[ ! -s out ] || { echo "FAILED: results are printed in spite of a finding"; failures=$((failures + 1)); }

# ---- Structs of all kinds ----
cat > shapes.c << 'END'
#include <isowarp/kernel.h>
#include <stdbool.h>
enum color { RED, GREEN = 7 };
typedef float real, *reals;
typedef struct shapes shapes;
typedef struct { uint32_t a, b; } two;
struct __attribute__((aligned(32))) shapes {
  double *out; const volatile uint16_t *in16, *in16_too;
  reals real_pointer; real numbers[3];
  bool yes; char letter; unsigned short small; enum color color;
  const long wide; unsigned long long wider; _Alignas(16) double last;
  two *pairs; void *any; uint8_t bytes[4];
  _Static_assert(sizeof(two) == 8, "a declaration; that is no member");
};
typedef const shapes shapes_too;
IW_KERNEL(show, two, shapes_too)
{
  IW_PHASE(warp) {
    const double all[] = { args->in16[1], args->in16_too[0], args->numbers[2], args->yes, args->letter, args->small, args->color,
      (double)args->wide, (double)args->wider, args->last, args->bytes[2] };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
      iw_set(args->out + i, all[i]);
    iw_set(args->real_pointer, iw_get((const float *)args->any));
    iw_set(&args->pairs[1].b, 5u);
  }
}
IW_KERNEL(other, two, two)
{
  IW_PHASE(warp) {
  }
}
END
run 0 'out f64[11]: 30000 4 1.5 1 65 9 7 -5 1.8446744073709552e+19 0.25 3' shapes.c --kernel show --grid 1 --block 1 --arg 'out=[11]' \
  --arg in16=1,30000 --arg in16_too=4:6 --arg 'real_pointer=f32[1]' --arg numbers=0,1,1.5 --arg yes=1 --arg letter=65 \
  --arg small=9 --arg color=7 --arg wide=-5 --arg wider=18446744073709551615 --arg last=0.25 --arg 'pairs=[2]=0' \
  --arg 'any=f32[2]=2.5' --arg bytes=1,2,3,4
also 'real_pointer f32[1]: 2.5'
also 'any f32[2]: 2.5 2.5'
cat > signed.c << 'END'
#include <isowarp/kernel.h>
typedef struct { double *out; const int8_t *bytes; const short *words; int8_t byte; int16_t word; } signed_args;
typedef struct { int unused; } nothing;
IW_KERNEL(show_signed, nothing, signed_args)
{
  IW_PHASE(warp) {
    const double all[] = { args->bytes[1], args->words[1], args->byte, args->word };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
      iw_set(args->out + i, all[i]);
  }
}
END
run 0 'out f64[4]: -128 -300 -1 32767' signed.c --grid 1 --block 1 --arg 'out=[4]' --arg bytes=127,-128 --arg words=-301:-299 \
  --arg byte=-1 --arg word=32767
run 2 "'128' is outside i8" signed.c --grid 1 --block 1 --arg 'out=[4]' --arg bytes=128 --arg words=0 --arg byte=0 --arg word=0
cat > bytes.c << 'END'
#include <isowarp/kernel.h>
typedef struct { const uint8_t *in; uint8_t *out; size_t n; } bytes_args;
IW_KERNEL(upper, int, bytes_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store_u8(args->out + here.first, iw_sub(iw_load_u8(args->in + here.first, here.valid), 32), here.valid);
  }
}
END
run 0 'out is as expected (5 elements)' bytes.c --grid 1 --block 8 --arg 'in="a[b]:"' --arg 'out=[5]' --arg n=5 \
  --expect 'out=65,59,66,61,26'
run 0 'out is as expected (3 elements)' bytes.c --grid 1 --block 8 --arg 'in="abc"' --arg 'out=[3]' --arg n=3 --expect 'out="ABC"'
run 0 'out u8[0]:' bytes.c --grid 1 --block 8 --arg 'in=""' --arg 'out=[0]' --arg n=0
run 2 "--arg in: '\"abc' has no quotation mark at its end" bytes.c --grid 1 --block 8 --arg 'in="abc' --arg 'out=[3]' --arg n=3
run 2 "--arg in: the elements of 'const float *in' are f32, but those of a text are u8" "$sums" --grid 1 --block 8 --arg 'in="abc"' \
  --arg 'out=[3]' --arg n=3
run 2 "shapes.c: has 2 kernels; --kernel chooses among show, other" shapes.c --grid 1 --block 1
run 2 "argument structs of show and other have other members" shapes.c --kernel show,other --grid 1 --block 1
run 2 "--kernel: 'nothing' is not one of show, other" shapes.c --kernel nothing --grid 1 --block 1
cat > unnamed.c << 'END'
#include <isowarp/kernel.h>
typedef struct { float *out; union { int a; float b; }; int c; } unnamed_args;
IW_KERNEL(unnamed, int, unnamed_args) { }
END
run 2 'bytes 8 to' unnamed.c --grid 1 --block 1
sed 's/union.*; int c/int bits : 3/' unnamed.c > bits.c
run 2 "the member int bits:3 is a bit-field" bits.c --grid 1 --block 1
sed 's/union.*; int c/int rows[2][2]/;s/float \*out;//' unnamed.c > rows.c
echo 'int x;' > none.c
run 2 'none.c: has no kernel' none.c --grid 1 --block 1

# ---- Several launches ----
cat > steps.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint32_t *x; } steps_args;
IW_KERNEL_SIZED(add, int, steps_args, 1, 1) { IW_PHASE(warp) { if (block->index == 0) iw_set(args->x, iw_get(args->x) + block->blocks); } }
IW_KERNEL_SIZED(twice, int, steps_args, 1, 1) { IW_PHASE(warp) { iw_set(args->x, iw_get(args->x) * 2); } }
END
run 0 'x u32[1]: 13' steps.c --kernel add,twice:1,add:3 --grid 5 --arg x=0
run 2 "--kernel: '0' is not one of 1 to 2147483647" steps.c --kernel add:0 --grid 5 --arg x=0

# ---- What the lanes held ----
cat > moves.c << 'END'
#include <isowarp/kernel.h>
typedef struct { const float *in; float *out; size_t n; } moves_args;
typedef struct { float x[64], y[64]; } moves_shared;
IW_KERNEL(moves, moves_shared, moves_args)
{
  IW_VAR(iw_f32, half);
  IW_VAR(iw_f32, never);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_f32 x = iw_load(args->in + here.first, here.valid);
    IW_MY(half) = iw_mul(iw_shuffle_xor(x, 1, IW_WARP_SIZE), 0.5f);
    iw_store(shared->y + warp * IW_WARP_SIZE, IW_MY(half), iw_eq(iw_and(iw_lane(), 1), 1));
    (void)IW_MY(never);
  }
  const float sum = iw_block_sum(half);
  IW_PHASE(warp) {
    iw_store(args->out + iw_elements(warp, args->n).first, iw_add(IW_MY(half), sum), iw_elements(warp, args->n).valid);
  }
}
END
moves() {
  run 0 'out f32[14]: 46 45.5' moves.c --grid 1 --block 16 --warp-size 8 --arg in=0:14 --arg 'out=[14]' --arg n=14 --trace "$1"
}
# holds FILE TEXT: the lines of the text stand in the file, one after the other
holds() {
  checks=$((checks + 1))
  case "$(cat "$1")" in
  *"$2"*) ;;
  *) failures=$((failures + 1)); echo "FAILED: the trace has no '$2':"; cat "$1" ;;
  esac
}
moves lanes.txt
holds lanes.txt 'launch 1: moves, block 0 of 1, interval 1
  moves.c:10 iw_load(args->in + here.first, here.valid)
    lane     0  1  2  3  4  5  6  7
    warp 0   0  1  2  3  4  5  6  7
    warp 1   8  9 10 11 12 13  .  .
  moves.c:11 iw_shuffle_xor(x, 1, IW_WARP_SIZE)
    lane     0  1  2  3  4  5  6  7
    from     1  0  3  2  5  4  7  6
    warp 0   1  0  3  2  5  4  7  6
'
holds lanes.txt '  half, iw_f32 at the end
    lane      0   1   2   3   4   5   6   7
    warp 0  0.5   0 1.5   1 2.5   2 3.5   3
    warp 1  4.5   4 5.5   5 6.5   6   0   0
  never, iw_f32 at the end
    lane     0  1  2  3  4  5  6  7
    warp 0   ?  ?  ?  ?  ?  ?  ?  ?
'
holds lanes.txt '    0        0  .  1  .  2  .  3  .  4  .  5  .  6  .  0
    by warp  0  .  0  .  0  .  0  .  1  .  1  .  1  .  1
'
holds lanes.txt '  args->out as this interval wrote it, from byte 0 on
    0         46 45.5'
cat > atomics.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint32_t *out; } atomics_args;
typedef struct { uint32_t count; } atomics_shared;
IW_KERNEL(atomics, atomics_shared, atomics_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->count, 0u);
  }
  IW_PHASE(warp) {
    iw_shared_add(&shared->count, iw_splat_u32(0), 1, iw_lanes_below(3));
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, iw_get(&shared->count));
  }
}
END
# Memory has what its last writer left there, which need not be the last warp.
for schedule in ascending descending; do
  (ISOWARP_SIM_SCHEDULE=$schedule; export ISOWARP_SIM_SCHEDULE
  run 0 'out u32[1]: 6' atomics.c --grid 1 --block 16 --warp-size 8 --arg 'out=[1]' --trace atomics.txt; exit $failures) ||
    failures=$((failures + 1))
  holds atomics.txt '&shared->count as this interval wrote it, from byte 0 on
    0        6
'
done
# Tile states: of 4 and of 8 bytes; a poll that finds nothing new is shown once.
cat > states.c << 'END'
#include <isowarp/kernel.h>
typedef struct { iw_tickets *tickets; uint64_t *states; double *out; } states_args;
IW_KERNEL(states, int, states_args)
{
  uint32_t tile;
  const uint32_t flag = iw_tickets_open(args->tickets, &tile) * 4 + 3;
  IW_PHASE(warp) {
    double before = 0.5;
    while (tile > 0) {
      const iw_polled_f64 got = iw_poll_f64(args->states, 0, 0, 2);
      before = iw_at(got.value, 0);
      if (iw_at(got.flag, 0) == flag)
        break;
    }
    iw_publish(args->states, tile, flag, before + tile);
    if (tile == 1)
      iw_set(args->out, before + tile);
  }
  iw_tickets_close(args->tickets);
}
END
(ISOWARP_SIM_SCHEDULE=adversarial; export ISOWARP_SIM_SCHEDULE
run 0 'out f64[1]: 1.5' states.c --grid 2 --block 8 --warp-size 8 --arg 'tickets=[1]=0' --arg 'states=[4]=0' --arg 'out=[1]' \
  --trace states.txt; exit $failures) || failures=$((failures + 1))
holds states.txt '  states.c:10 iw_poll_f64(args->states, 0, 0, 2)
    lane     0  1  2  3  4  5  6  7
    slot     0  1  .  .  .  .  .  .
    flag     0  0  .  .  .  .  .  .
    warp 0   0  0  .  .  .  .  .  .
  states.c:10 iw_poll_f64(args->states, 0, 0, 2)
    lane      0   1   2   3   4   5   6   7
    slot      0   1   .   .   .   .   .   .
    flag      7   0   .   .   .   .   .   .
    warp 0  0.5   0   .   .   .   .   .   .
  states.c:15 iw_publish(args->states, tile, flag, before + tile)
    lane      0   1   2   3   4   5   6   7
    slot      1   .   .   .   .   .   .   .
    flag      7   .   .   .   .   .   .   .
    warp 0  1.5   .   .   .   .   .   .   .
'
[ "$(grep -c iw_poll_f64 states.txt)" -eq 2 ] || { echo "FAILED: repeated polls in a trace"; failures=$((failures + 1)); }
moves lanes.svg
moves lanes.html
# count NUMBER PATTERN FILE
count() {
  checks=$((checks + 1))
  found=$(grep -o -e "$2" "$3" | wc -l)
  [ "$found" -eq "$1" ] || { failures=$((failures + 1)); echo "FAILED: $found times '$2' in $3, not $1"; }
}
count 16 'class="move"' lanes.svg
count 32 'class="undefined"' lanes.svg
count 2 '<section' lanes.html
count 0 'src=' lanes.html
count 0 'https' lanes.html
if "$PYTHON" -c '' 2> /dev/null; then
  "$PYTHON" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' lanes.svg || failures=$((failures + 1))
fi
run 0 'memory_l1_wavefronts_shared ' moves.c --grid 1 --block 16 --arg in=0:14 --arg 'out=[14]' --arg n=14 --count
also 'moves.c:11 iw_shuffle_xor'
run 2 "--count: the cpu backend has none" moves.c --grid 1 --count --backend cpu
run 2 "--trace: 'lanes.png' does not end with .txt, .svg or .html" moves.c --grid 1 --trace lanes.png

# An element that several warps change is the last one's, not that of the last warp: here warp 1 is in front
# of warp 0.
cat > last.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint32_t *out; } last_args;
typedef struct { uint32_t x; } last_shared;
IW_KERNEL(last, last_shared, last_args)
{
  IW_PHASE(warp) { if (warp == 0) iw_set(&shared->x, 0u); }
  IW_PHASE(warp) { iw_shared_add(&shared->x, iw_splat(0u), iw_splat(1u + warp), iw_lanes_below(1)); }
  IW_PHASE(warp) { if (warp == 0) iw_set(args->out, iw_get(&shared->x)); }
}
END
run 0 'out u32[1]: 3' last.c --grid 1 --block 16 --warp-size 8 --arg 'out=[1]' --trace last.txt
holds last.txt '    warp 0   3  .  .  .  .  .  .  .
    warp 1   2  .  .  .  .  .  .  .
'
holds last.txt '    0        3
    by warp  0
'

# ---- Counts beside the source ----
cp "$srcdir/doc/gallery/transpose.c" .
transpose='--kernel transpose,transpose_padded --grid 1 --block 256 --arg in=0:1024'
run 0 'out f32[1024]: 0 32 64' transpose.c $transpose --arg 'out=[1024]' --count beside.txt
[ "$(wc -l < out)" -eq 1 ] || { echo "FAILED: --count FILE prints more than the results"; failures=$((failures + 1)); }
# beside LINE CELLS: the columns of a line in beside.txt
beside() {
  checks=$((checks + 1))
  cells=$(sed -n "/^Banks/q;s/  *$1  .*//p" beside.txt | tr -s ' ' | sed 's/^ //')
  [ "$cells" = "$2" ] || { failures=$((failures + 1)); echo "FAILED: line $1 has '$cells', not '$2', in:"; cat beside.txt; }
}
beside 1 ''
beside 19 '128 32.0 32.0 64 256 256 64 64'
beside 26 '8'
beside 29 '32 32.0 32.0 1024 32'
beside 30 '32 32.0 32.0 32 128 128'
beside 42 '32 32.0 32.0 32 32'
holds beside.txt 'transpose: 1 launch, the last with 1 block of 256 threads; at least'
holds beside.txt '(4096 bytes read, 4096 written); 0 of 256 sectors and 992 of 1056 wavefronts are excessive'
bank() { awk -v line="transpose.c:$1" -v row="$2" '$1 == line { at = NR } at && NR < at + 2 && (row == "words" ? $2 : $1) == row' beside.txt; }
checks=$((checks + 2))
[ "$(bank 29 conflicts | grep -o ' 31' | wc -l)" -eq 32 ] ||
  { failures=$((failures + 1)); echo "FAILED: each of the 32 banks has 31 conflicts in line 29 of:"; cat beside.txt; }
[ "$(bank 42 conflicts | grep -o ' 0' | wc -l)" -eq 32 ] && [ "$(bank 42 words | grep -o ' 32' | wc -l)" -eq 32 ] ||
  { failures=$((failures + 1)); echo "FAILED: each bank serves 32 words without conflicts in line 42 of:"; cat beside.txt; }
run 0 'out f32[1024]: 0 32 64' transpose.c $transpose --arg 'out=[1024]' --count=beside.html
count 9 '<tr class="counted"' beside.html
count 1 'style="background:rgba([^>]*>1024</td>' beside.html
count 36 'style="background:rgba([0-9., ]*)"[ >]' beside.html
count 96 'title="bank [0-9]*: [0-9]* words' beside.html
count 0 'src=\|<script\|https*:' beside.html
# Counts of a header, and of a file that is not there when they are written.
cat > tile.h << 'END'
IW_FN void put(float *p) { iw_store(p, iw_to_f32(iw_lane()), iw_lanes_below(32)); }
END
cat > include.c << 'END'
#include <isowarp/kernel.h>
#include "tile.h"
typedef struct { float *out; } include_args;
#line 77 "generated.c"
IW_KERNEL(include, int, include_args) { IW_PHASE(warp) { put(args->out); iw_set(args->out + 32, 1.0f); } }
END
run 0 'out f32[33]:' include.c --grid 1 --block 32 --arg 'out=[33]' --count beside.txt
beside 77 '1 32.0 1.0 1 1 1 1'
holds beside.txt '  77  barrier, iw_set

tile.h
'
holds beside.txt '     1   32.0 32.0        1       4     4                                                      1  IW_FN void put('
run 2 "--count: 'counts.csv' does not end with .txt or .html" moves.c --grid 1 --count=counts.csv
(cd / && "$program" partition --count=x.txt --pivot 1 "$work/four") > out 2>&1
grep -qF "option '--count' doesn't allow an argument" out || { echo "FAILED: partition --count=x.txt"; cat out; failures=$((failures + 1)); }
run 2 "--trace: the cpu backend has none" moves.c --grid 1 --trace lanes.txt --backend cpu

# ---- A timeline ----
run 2 "--timeline: 'lanes.txt' does not end with .json" moves.c --grid 1 --timeline lanes.txt
run 2 "--timeline: the cpu backend has none" moves.c --grid 1 --timeline lanes.json --backend cpu
run 2 "--timeline: 1048577 blocks of 1 warps are more than 1048576 warps" steps.c --kernel twice --grid 1048577 --arg x=1 --timeline t.json
cat > queue.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint64_t *states; iw_tickets *tickets; uint32_t *out; } queue_args;
IW_KERNEL(queue, int, queue_args)
{
  uint32_t tile;
  const uint32_t done = iw_tickets_open(args->tickets, &tile) * 4 + 1;
  IW_PHASE(warp) {
    if (warp == 0) {
      unsigned spins = 0;
      uint32_t before = 0;
      if (tile > 0) {
        iw_polled_u32 seen = iw_poll_u32(args->states, (int64_t)tile - 1, 0, 1);
        while (iw_at(seen.flag, 0) != done) {
          iw_pause(&spins);
          seen = iw_poll_u32(args->states, (int64_t)tile - 1, 0, 1);
        }
        before = iw_at(seen.value, 0);
      }
      iw_publish(args->states, tile, done, before + 1);
      iw_set(args->out + tile, before + 1);
    }
  }
  iw_tickets_close(args->tickets);
}
END
if "$PYTHON" -c '' 2> /dev/null; then
  # slices FILE WHAT…: the timeline is valid, and has these processes and slices
  slices() {
    file=$1
    shift
    checks=$((checks + 1))
    printf '%s\n' "$@" > expected
    "$PYTHON" "$srcdir/tests/scripts/timeline.py" "$file" > slices 2>&1 && cmp -s expected slices ||
      { failures=$((failures + 1)); echo "FAILED: $file has not $*, but:"; cat slices; }
  }
  run 0 'out f32[14]: 46 45.5' moves.c --grid 1 --block 16 --warp-size 8 --arg in=0:14 --arg 'out=[14]' --arg n=14 --timeline t.json \
    --trace both.txt
  cmp -s lanes.txt both.txt || { failures=$((failures + 1)); echo "FAILED: --trace is another one beside --timeline"; }
  slices t.json 'launch 1: moves, 1 block of 16 threads; 6 barrier, 2 kernel, 1 launch, 6 phase'
  run 0 'x u32[1]: 13' steps.c --kernel add,twice:1,add:3 --grid 5 --arg x=0 --timeline t.json
  slices t.json 'launch 1: add, 5 blocks of 1 threads; 5 barrier, 5 kernel, 1 launch, 5 phase' \
    'launch 2: twice, 1 block of 1 threads; 1 barrier, 1 kernel, 1 launch, 1 phase' \
    'launch 3: add, 3 blocks of 1 threads; 3 barrier, 3 kernel, 1 launch, 3 phase'
  queue="queue.c --grid 3 --block 32 --arg states=[6]=0 --arg tickets=[1]=0 --arg out=[3]"
  for schedule in adversarial random; do
    (ISOWARP_SIM_SCHEDULE=$schedule; export ISOWARP_SIM_SCHEDULE; run 0 'out u32[3]: 1 2 3' $queue --timeline t.json; exit $failures) ||
      failures=$((failures + 1))
    "$PYTHON" "$srcdir/tests/scripts/timeline.py" t.json > slices && grep -qE '[1-9] poll' slices ||
      { failures=$((failures + 1)); echo "FAILED: no polls in the timeline of schedule $schedule:"; cat slices; }
  done
  # A finding stops this launch: both waits, and what is around them, end with it.
  sed 's/(int64_t)tile - 1/(int64_t)tile + 1/g;s/tile > 0/tile < 3/' queue.c > endless.c
  run 3 'progress' endless.c --grid 2 --block 32 --arg 'states=[8]=0' --arg 'tickets=[1]=0' --arg 'out=[3]' --timeline t.json
  "$PYTHON" "$srcdir/tests/scripts/timeline.py" t.json > slices || { failures=$((failures + 1)); echo "FAILED: after a finding:"; cat slices; }
fi

# ---- Wrong options ----
run 2 "needs a FILE.c" --grid 1
run 2 "there is also b.c" a.c b.c --grid 1
run 2 "needs --grid" "$sums"
run 2 "--block: '1025' is not one of 1 to 1024" "$sums" --grid 1 --block 1025
run 2 "missing.c: No such file" missing.c --grid 1 --block 1
run 2 "'run' takes no --bins" "$sums" --grid 1 --bins 2
run 2 "--check: the cpu backend has no checks" "$sums" --grid 1 --backend cpu --check race
run 2 '--check: "races"; valid are all, none, bounds' "$sums" --grid 1 --check races
(ISOWARP_BACKEND=gpu; export ISOWARP_BACKEND; run 2 'ISOWARP_BACKEND is "gpu"' "$sums" --grid 1; exit $failures) || failures=$((failures + 1))

# ---- Wrong arguments: one compilation each, so only those that the library's other messages do not cover
# ----
run 2 "needs --block: kernel sums runs with blocks of any size" "$sums" --grid 1
run 2 "there is no 'output'; kernel sums takes const float *in, float *out, size_t n" "$sums" --grid 1 --block 4 --arg 'output=[4]'
run 2 "there is no --arg for n; kernel sums takes const float *in, float *out, size_t n" "$sums" --grid 1 --block 4 \
  --arg in=@four --arg 'out=[4]'
run 2 "--arg: n is given twice" "$sums" --grid 1 --block 4 --arg n=4 --arg n=4
run 2 "'int rows[2][2]' is neither a number nor an array of numbers nor a pointer" rows.c --grid 1 --block 1 --arg rows=1,2,3,4
run 2 "the elements of 'float *out' are f32, not f64" "$sums" --grid 1 --block 4 --arg in=0:4 --arg 'out=f64[4]' --arg n=4
"$program" scan --type f64 four -o double.npy
run 2 "double.npy: contains f64, but the elements of 'const float *in' are f32" "$sums" --grid 1 --block 4 --arg in=@double.npy \
  --arg 'out=[4]' --arg n=4
run 2 "--arg n: '-1' is outside u64" "$sums" --grid 1 --block 4 --arg in=@four --arg 'out=[4]' --arg n=-1
run 2 "--arg in: '4:2' is not LO:HI" "$sums" --grid 1 --block 4 --arg in=4:2 --arg 'out=[4]' --arg n=4
run 2 "--expect: 'size_t n' is no pointer" "$sums" --grid 1 --block 4 --arg in=@four --arg 'out=[4]' --arg n=4 --expect n=4

# ---- The compiler ----
cp 'a folder/factor.h' .
sed 's/iw_add(own/own + (own/' "$sums" > wrong.c
run 2 "wrong.c: '" wrong.c --grid 1 --block 4
also 'wrong.c:16:'
also 'error: '
checks=$((checks + 1))
[ "$(wc -l < err)" -lt 30 ] || { echo "FAILED: a message of the compiler has $(wc -l < err) lines"; failures=$((failures + 1)); }
(CC='no-such-compiler -O2'; export CC; run 2 'no-such-compiler: No such file' "$sums" --grid 1 --block 4; exit $failures) || failures=$((failures + 1))
(ISOWARP_CFLAGS=-DNOTHING; export ISOWARP_CFLAGS; run 2 'isowarp/kernel.h: No such file' "$sums" --grid 1 --block 4; exit $failures) ||
  failures=$((failures + 1))

# ---- Again on every change ----

# until TEXT FILE: waits until a line of the file is TEXT; at most half a minute
until_line() {
  checks=$((checks + 1))
  tries=0
  until grep -qF -e "$1" "$2"; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ]; then
      echo "FAILED: --watch: no '$1' in:"
      cat "$2" messages
      failures=$((failures + 1))
      return
    fi
    sleep 0.1
  done
}
: > messages
"$program" run steps.c --kernel add --grid 5 --arg x=@start --watch > watched 2> messages &
running=$!
until_line 'start: No such file' messages
echo 10 > start
until_line 'x u32[1]: 15' watched
sed 's/+ block->blocks/- 1/' steps.c > changed.c && mv changed.c steps.c
until_line 'x u32[1]: 9' watched
echo 'IW_KERNEL(' >> steps.c
until_line 'steps.c:' messages
kill $running
wait $running
code=$?
running=
[ $code -eq 143 ] || { echo "FAILED: --watch ends with status $code when it is terminated"; failures=$((failures + 1)); }

# ---- --explore and --result ----
cat > order.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint32_t *out; uint64_t *slots; uint32_t *scratch; } order_args;
typedef struct { int unused; } nothing;
IW_KERNEL(order, nothing, order_args)
{
  IW_PHASE(warp) {
    iw_polled_u32 got;
    if (block->index > 0)
      for (unsigned spins = 0; got = iw_poll_u32(args->slots, block->index - 1, 0, 1), iw_at(got.flag, 0) != 7;)
        iw_pause(&spins);
    iw_publish(args->slots, block->index, 7, 1);
    iw_store(args->out + 32 * block->index, iw_splat_u32(1), iw_active(warp));
  }
}
END
order() { # STATUS PART SLOTS OPTION…
  expected=$1 part=$2 slots=$3
  shift 3
  run "$expected" "$part" order.c --grid 4 --block 32 --arg 'out=u32[128]' --arg 'scratch=u32[4]' --arg "slots=$slots" "$@"
}
order 3 'reads 16 undefined bytes' 'u64[4]=0'
order 0 'out u32[128]: 1 1' 'u64[4]=0' --result out
order 3 'waits here for what nobody can write' 'u64[4]=0' --result out --explore 60
also 'Replay: ISOWARP_SIM_SEED=1 ISOWARP_SIM_SCHEDULE=descending ISOWARP_SIM_RESIDENT=1'
order 0 'out u32[128]: 1 1' 'u64[4]=30064771073' --result out --explore 1
also 'nothing was found in'
order 1 'out differs' 'u64[4]=30064771073' --result out --expect 'out=[128]=2' --explore 60
order 2 "--result: 'none' is no array" 'u64[4]=0' --result none
order 2 'the cpu backend has no schedules' 'u64[4]=0' --backend cpu --explore 1

# ---- compile: the object, and what its arguments are ----
compile() { # STATUS PART ARGUMENT…
  expected=$1 part=$2
  shift 2
  checks=$((checks + 1))
  "$program" compile "$@" > out 2> err
  status=$?
  if [ $status -ne "$expected" ] || ! cat out err | grep -qF -e "$part" || [ -n "$(ls "$TMPDIR")" ]; then
    failures=$((failures + 1))
    echo "FAILED: isowarp compile $*"
    cat out err
  fi
}
compile 0 '{"name": "in", "declaration": "const float *in", "offset": 0, "size": 8, "kind": "pointer", "element_size": 4, "type": "f32", "const": true}' "$sums" -o sums.so
also '"kernel": "sums", "isa": "sim"'
also '"name": "n", "declaration": "size_t n", "offset": 16, "size": 8, "kind": "scalar", "element_size": 8, "type": "u64", "const": false}]}'
compile 0 '"isa": "generic", "warp_size": 8' "$sums" --backend cpu --isa generic --warp-size 8 -o sums.so
[ -s sums.so ] || { echo "FAILED: no sums.so"; failures=$((failures + 1)); }
compile 2 "needs -o and a file" "$sums"
compile 2 "needs -o and a file" "$sums" -o -
compile 2 "needs a FILE.c" -o sums.so
compile 2 "there is also b.c" a.c b.c -o sums.so
compile 2 "takes one name, not 'add,twice'" steps.c --kernel add,twice -o steps.so
compile 2 "no-folder/sums.so" "$sums" -o no-folder/sums.so
compile 2 "'compile' takes no --grid" "$sums" --grid 1 -o sums.so

# ---- What is meant by a pointer, and which array a message names ----
cat > objects.c << 'END'
#include <isowarp/kernel.h>
typedef struct { uint32_t x, y; } pair;
typedef struct { uint32_t tile[8][33]; pair items[64]; } objects_shared;
typedef struct { uint32_t *a, *b; } objects_args;
#define OBJECT(name, place) \
  IW_KERNEL(name, objects_shared, objects_args) \
  { \
    IW_PHASE(warp) { \
      const unsigned r = 3 * warp + 2; \
      iw_store(args->a + warp * IW_WARP_SIZE, iw_splat(1u), iw_active(warp)); \
      iw_store(args->b + warp * IW_WARP_SIZE, iw_splat(1u), iw_active(warp)); \
      iw_store(place, iw_splat(r), iw_active(warp)); \
    } \
  }
OBJECT(flattened, &shared->tile[0][0] + r * 33)
OBJECT(by_a_cast, (uint32_t *)shared->tile + r * 33)
OBJECT(words_of_structs, &shared->items[0].x + r * 16)
OBJECT(past_a_row, &shared->tile[r][20])
OBJECT(far, args->b + 64 + 128 + 32 * warp)
IW_KERNEL(unwritten, objects_shared, objects_args)
{
  IW_PHASE(warp) (void)args;
}
IW_KERNEL(unclear_counts, objects_shared, objects_args)
{
  IW_PHASE(warp) {
    iw_store(args->a + warp * IW_WARP_SIZE, iw_splat(1u), iw_active(warp));
    iw_global_add(args->b, iw_iota_u32(warp * IW_WARP_SIZE), iw_splat(1u), iw_active(warp)); // line 28
  }
}
END
objects='objects.c --backend sim --grid 1 --block 64 --arg a=u32[64] --arg b=u32[64]'
run 0 'a u32[64]: 1 1' $objects --kernel flattened
run 0 'a u32[64]: 1 1' $objects --kernel by_a_cast
run 0 'a u32[64]: 1 1' $objects --kernel words_of_structs
if ! ${CC:-cc} --version | grep -q clang; then
  run 3 'past the end of the array or member, of which 52 bytes begin here' $objects --kernel past_a_row
fi
run 3 '512 bytes behind the end of an allocation of 256 bytes' $objects --kernel far
run 3 '--arg a: undefined: a copy to the host: reads 256 undefined bytes' $objects --kernel unwritten
run 3 '--arg b: undefined: a copy to the host: reads 256 undefined bytes' $objects --kernel unwritten
run 3 'note: undefined: objects.c:28 iw_global_add: block 0 warp 0 lane 0 changes by an atomic args->b[0]' $objects \
  --kernel unclear_counts

# ---- Signals: the compiler is ended too, and no file stays ----
cat > slow-compiler << 'END'
#!/bin/sh
[ "$1" != --version ] || exit 0
echo $$ >> slow-processes
while :; do sleep 1; done
END
chmod +x slow-compiler
for watch in '' --watch; do
  : > slow-processes
  CC=./slow-compiler "$program" run steps.c --kernel add --grid 5 --arg x=0 $watch > /dev/null 2>&1 &
  running=$!
  until_line '' slow-processes
  sleep 0.2 # the second one may begin
  kill $running
  wait $running
  running=
  for process in $(cat slow-processes); do
    ! kill -0 "$process" 2> /dev/null || { echo "FAILED: a compiler still runs after a signal"; failures=$((failures + 1)); }
  done
done
[ -z "$(ls "$TMPDIR")" ] || { echo "FAILED: temporary files stay: $(ls "$TMPDIR")"; failures=$((failures + 1)); }

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
