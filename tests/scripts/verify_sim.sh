#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# All digests on the simulated GPU, with all its checks, as each of its devices, by three schedules; and the
# example kernels give on it what they give on the CPU. With ISOWARP_TEST_BRIEF all digests as one device,
# those of exclusive scans as one that has kernels of its own for scans (compute capability 7.5), which
# serve inclusive ones too, and those of one type as each of the others.

program=${ISOWARP:-${top_builddir:-.}/isowarp}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
unset ISOWARP_SIM_CHECKS ISOWARP_SIM_RESIDENT
export ISOWARP_SIM_DEVICE ISOWARP_SIM_SCHEDULE

for lanes in 8 16 32 64; do
  "$program" demo --warp-size $lanes --backend cpu > "$work/cpu" || status=1
  "$program" demo --warp-size $lanes --backend sim > "$work/sim" || status=1
  if cmp "$work/cpu" "$work/sim"; then echo "isowarp demo --backend sim --warp-size $lanes: equal"
  else status=1
  fi
done
for ISOWARP_SIM_DEVICE in h200 a100 l4 t4; do
  for ISOWARP_SIM_SCHEDULE in ascending random adversarial; do
    cases=
    case ${ISOWARP_TEST_BRIEF:+$ISOWARP_SIM_DEVICE-$ISOWARP_SIM_SCHEDULE} in
      '' | h200-adversarial) ;;
      t4-random) cases=exclusive ;;
      a100-random) cases=/f64/ ;;
      l4-ascending) cases=/u32/ ;;
      *) continue ;;
    esac
    # shellcheck disable=SC2086
    result=$("$program" verify --backend sim $cases) || status=1
    echo "isowarp verify --backend sim $cases, $ISOWARP_SIM_DEVICE, $ISOWARP_SIM_SCHEDULE: $(echo "$result" | tail -n 1)"
    echo "$result" | grep -E ' differs from | error: ' | head -n 5
  done
done
exit $status
