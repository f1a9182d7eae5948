#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/random_kernels.sh [SEED [KERNELS [SIZES]]]
#
# Random kernels in the kernel language (tests/scripts/random_kernels.py) give the same bits on the CPU,
# generic with warps of 8, 32 and 64 lanes and with the best instruction set here, and on the simulated GPU,
# which finds nothing. Default: seed 1, 12 kernels, 3 sizes each. Runs in the build tree; see
# AM_TESTS_ENVIRONMENT for the variables.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
seed=${1-1} kernels=${2-12} sizes=${3-3}
python=
for name in "${PYTHON-}" python3; do
  [ -n "$name" ] && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null && python=$name && break
done
[ -n "$python" ] || { echo "no Python 3"; exit 77; }

# The best instruction set that this build and this machine have.
simd=-DIW_LANES_GENERIC
for isa in ${ISAS-}; do
  if ISOWARP_ISA=$isa "$ISOWARP" info > /dev/null 2>&1; then eval "simd=\$flags_$isa"; fi
done

"$python" "${srcdir:?}/tests/scripts/random_kernels.py" "$seed" "$kernels" > "$work/kernels.c" || exit 1
options="-std=gnu11 -g1 -Iinclude -I$srcdir/include -I$srcdir/tests/scripts"
# shellcheck disable=SC2086
build() { # SUFFIX OPTIONS
  $CC $options -O0 -DIW_NO_FORCED_INLINING -ffp-contract=off -Wno-psabi -DIW_KERNEL_SUFFIX=_"$1" $2 -c "$work/kernels.c" \
    -o "$work/$1.o"
}
build generic -DIW_LANES_GENERIC || exit 1
build w8 '-DIW_LANES_GENERIC -DIW_WARP_SIZE=8' || exit 1
build w64 '-DIW_LANES_GENERIC -DIW_WARP_SIZE=64' || exit 1
build native "$simd" || exit 1
build sim -DIW_SIM || exit 1
# shellcheck disable=SC2086
./libtool --quiet --tag=CC --mode=link $CC $options $CFLAGS -DRANDOM_KERNELS_FILE="\"$work/kernels.c\"" \
  "$srcdir/tests/scripts/random_kernels.c" -o "$work/random_kernels" "$work"/*.o libisowarp.la || exit 1
"$work/random_kernels" "$seed" "$sizes"
status=$?
if [ $status -ne 0 ]; then
  cp "$work/kernels.c" "random_kernels_$seed.c" && echo "the kernels: random_kernels_$seed.c"
fi
exit $status
