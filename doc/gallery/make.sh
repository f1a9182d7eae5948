#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the gallery: README.md and its pictures, by the simulated GPU. tests/scripts/gallery.sh compares them with
# those of the tree.
#
# usage: make.sh [FOLDER]   (default: the folder of this script)
# ISOWARP: the program (default: build/isowarp of the source tree, if it is there, else isowarp)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here}" && pwd)
cd "$here/../.."
[ -n "${ISOWARP:-}" ] || ISOWARP=$(if [ -x build/isowarp ]; then echo build/isowarp; else echo isowarp; fi)

# Nothing of the environment may change a picture.
unset ISOWARP_BACKEND ISOWARP_SIM_CHECKS ISOWARP_SIM_COUNT ISOWARP_SIM_DEVICE ISOWARP_SIM_PROCESSORS \
  ISOWARP_SIM_REPORT ISOWARP_SIM_RESIDENT ISOWARP_SIM_SCHEDULE ISOWARP_SIM_SEED
LC_ALL=C CFLAGS=
export LC_ALL CFLAGS

page=$folder/README.md
text() { printf '%s\n' "$@" >> "$page"; }

# A shell command, with quotes where an argument needs them.
shown() {
  printf '    isowarp run'
  for argument; do
    case $argument in *[\[\]]*) printf " '%s'" "$argument" ;; *) printf ' %s' "$argument" ;; esac
  done
  echo
}

# picture NAME TITLE SENTENCE ARGUMENT…: adds NAME.svg of `isowarp run ARGUMENT… --trace`,
# with warps of 8 lanes
picture() {
  name=$1 title=$2 sentence=$3
  shift 3
  set -- "$@" --warp-size 8
  "$ISOWARP" run "$@" --trace "$folder/$name.svg" > /dev/null
  text '' "## $title" '' "$sentence" '' "$(shown "$@" --trace "$name.svg")" '' "![$title]($name.svg)"
}

# histogram KERNEL TITLE SENTENCE WORDS ARGUMENT…: the picture of a kernel that counts the words' letters
histogram() {
  kernel=$1 title=$2 sentence=$3 codes=$(letters "$4") length=${#4}
  shift 4
  picture "$kernel" "$title" "$sentence" examples/letters.c --kernel "$kernel" "$@" --arg "text=$codes" \
    --arg "n=$length" --arg 'counts=[7]=0' --arg 'copies=[14]=0' --arg coarsening=3
}

# The codes of a word's letters: "97,98,99".
letters() { printf %s "$1" | od -An -v -tu1 | tr -s ' \n' ',,' | sed 's/^,//;s/,$//'; }

: > "$page"
# REUSE-IgnoreStart: the page's licence, not this file's
text '<!-- SPDX-License-Identifier: Apache-2.0 -->' '<!-- Made by make.sh -->' '# Pictures of kernels' '' \
  'The simulated GPU drew these pictures: for each interval between two barriers, what each lane loaded,' \
  'stored, shuffled and held. Rows are warps, columns are lanes. `doc/run.md` explains `--trace`.' \
  'The kernels are those of `examples/`, with small grids and warps of 8 lanes, so that pictures are small.' \
  '' 'After a change of an example or of the pictures, `sh doc/gallery/make.sh` makes this page again.'
# REUSE-IgnoreEnd

picture warp_scan 'Scan of a warp' \
  'Each warp scans its own elements by one call, whose steps stay in registers; the second warp begins
with 9.' \
  examples/warp_scan.c --grid 1 --block 16 --arg in=1:15 --arg 'out=[14]' --arg n=14

picture butterfly_sum 'Butterfly sum' \
  'In each step a lane adds the value of its partner; after the last step all lanes store the same sum.' \
  examples/butterfly_sum.c --grid 1 --block 8 --arg in=1:9 --arg 'out=[8]' --arg n=8 --arg width=8

picture block_scan 'Scan of a block (Hillis and Steele)' \
  'In each step a thread adds the value of the thread `distance` before it, which it reads from shared memory
between two barriers.' \
  examples/block_scan.c --grid 1 --block 16 --arg in=1:17 --arg 'steps=[64]' --arg n=16

picture two_phase_scan 'Scan of several blocks in two phases' \
  'The blocks scan their elements, one block scans the sums of the blocks, and each block adds the sum of
those before it.' \
  examples/two_phase_scan.c --kernel scan_blocks,scan_sums:1,add_sums --grid 3 --block 8 \
  --arg in=1:23 --arg 'out=[22]' --arg n=22 --arg 'sums=[3]' --arg blocks=3

picture warp_partition 'Partition of a warp' \
  'Two prefix sums give each element its position on its side of the pivot, and a butterfly gives the number
of elements on the left.' \
  examples/warp_partition.c --grid 1 --block 8 --arg in=5,1,4,8,2,7,3,6 --arg 'out=[8]' \
  --arg 'left_places=[8]' --arg 'right_places=[8]' --arg n=8 --arg pivot=5

picture bin_extraction 'Extraction of a bin' \
  'A prefix sum over a block places the elements of bin 1 of 4; the second block waits for the number that
the first one has found.' \
  examples/bin_extraction.c --grid 2 --block 8 \
  --arg in=0.3,0.1,0.9,0.26,0.5,0.4,0.7,0.3,0.2,0.25,0.8,0.6,0.1,0.45 --arg n=14 --arg bins=4 --arg bin=1 \
  --arg 'out=[14]=0' --arg 'count=[1]=0' --arg 'tickets=[1]=0' --arg 'states=[4]=0'

some='we are all mad here'
histogram letters_basic 'Histogram: one atomic in global memory for each letter' \
  'The letters of "we are all mad here", four to a bin. Lanes of one atomic that have the same bin wait for
each other.' "$some" --grid 2 --block 16

histogram letters_private_shared 'Histogram: private counters in shared memory' \
  'Each block clears its own counters, its three warps count in them, and the counters that are not 0 are
added to the result.' "$some" --grid 1 --block 24

histogram letters_coarse_contiguous 'Histogram: each thread counts neighbouring letters' \
  'A thread counts three letters in succession, so the lanes of one load lie three bytes apart.' "$some" \
  --grid 1 --block 8

histogram letters_coarse_interleaved 'Histogram: threads take turns' \
  'A grid-stride loop: the lanes of one load have neighbouring letters; the next load is a block
further on.' \
  "$some" --grid 1 --block 8

histogram letters_aggregated 'Histogram: runs of equal bins' \
  'A thread counts in a register while its bin does not change; most of its atomics have no lane.' \
  aaaabbbbccccefgh --grid 1 --block 8

picture mean_normalisation 'Division by the mean' \
  'The sum of a block is the same in both of its warps, and lanes behind the last element take no part.' \
  examples/mean_normalisation.c --grid 1 --block 16 --arg in=2,4,6,8,2,4,6,8,2,4,6,8 \
  --arg 'out=[12]' --arg n=12

picture normalise_rows 'Rows of a matrix' \
  'A block goes through its row in steps of its threads, and shifts and scales it by the mean and the maximum
of the row.' \
  examples/normalise_rows.c --grid 2 --block 8 --arg in=0:24 --arg 'out=[24]' --arg columns=12

picture transpose 'Transposition through shared memory' \
  'Rows are stored and columns are gathered; the colours show which warp has written a row.' \
  doc/gallery/transpose.c --kernel transpose --grid 1 --block 16 --arg in=0:64 --arg 'out=[64]'

# counts NAME ARGUMENT…: adds the table of `isowarp run ARGUMENT… --count`
counts() {
  name=$1
  shift
  "$ISOWARP" run "$@" --count "$folder/$name.txt" > /dev/null
  text '' "$(shown "$@" --count "$name.txt")" '' '```'
  sed -n '/^ *memory/p;/iw_gather/p' "$folder/$name.txt" >> "$page"
  text '```'
}
text '' '## Conflicts of banks' '' \
  'With warps of 32 lanes a column of the tile lies in one bank: its 32 words take 32 wavefronts. One more' \
  'element in each row moves them to different banks. These are lines of what `--count` writes' \
  '(`doc/counters.md`).'
counts transpose doc/gallery/transpose.c --kernel transpose,transpose_padded --grid 1 --block 256 \
  --arg in=0:1024 --arg 'out=[1024]'
rm "$folder/transpose.txt"
