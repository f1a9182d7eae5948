#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/gpu/ncu_counters.sh [BUILD [OUT]]
#
# Counts the kernels of tests/gpu/count_probes.c on the simulated GPU and by Nsight Compute on a device, and
# prints both columns with their difference (tests/gpu/ncu_counters.py, if there is Python). It takes about
# two minutes, needs no Check and no libtool, and Nsight Compute's right to read the device's counters.
#
# BUILD: a folder with count_probes and libisowarp, or a build tree in which `make tests/gpu/count_probes`
# ran; default: the folder of this script. If it has a sim.csv, that is the simulated column: the simulator
# reads the kernels' source to see which results of atomics are dropped, so the column has to be made in the
# folder where they were compiled. OUT: where the files go, default ./ncu_counters: sim.csv,
# profile.ncu-rep, raw.csv (one row a launch), source.csv (one row an instruction), log. Environment: NCU
# the program; CASES the cases, default all; NOTHING=1 leaves out the comparison. Exit status: 0 profiled
# and compared, 1 a step failed, 77 no device or no Nsight Compute.
set -u
LC_ALL=C; export LC_ALL
unset ISOWARP_BACKEND ISOWARP_SIM_DEVICE ISOWARP_SIM_PROCESSORS ISOWARP_SIM_SCHEDULE ISOWARP_SIM_COUNT
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here}" && pwd) || exit 1
out=${2:-ncu_counters}
probes=$build/count_probes
[ -x "$probes" ] || probes=$build/tests/gpu/count_probes
[ -x "$probes" ] || { echo "ncu_counters.sh: there is no count_probes in $build"; exit 1; }
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; export LD_LIBRARY_PATH
ncu=${NCU-$(command -v ncu || ls -d /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2> /dev/null | tail -n 1)}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
: > "$out/log"
cases=${CASES-}

if [ -f "$build/sim.csv" ]; then
  awk -F, -v wanted=" $cases " 'wanted !~ /[a-z]/ || index(wanted, " " $1 " ")' "$build/sim.csv" > "$out/sim.csv"
else
  # shellcheck disable=SC2086
  (cd "$build" && "$probes" sim $cases) > "$out/sim.csv"
fi || { echo "ncu_counters.sh: the simulated run failed"; exit 1; }
[ -n "$ncu" ] || { echo "ncu_counters.sh: skipped, there is no ncu"; exit 77; }
"$ncu" --version | tail -n 2 | tee -a "$out/log"
"$probes" cuda load_stride_1 >> "$out/log" 2>&1 || { tail -n 3 "$out/log"; echo "ncu_counters.sh: skipped, no device"; exit 77; }

# What the simulated GPU counts and ncu may know, and what explains a difference. A metric that this ncu
# does not have is left out: it refuses all for one.
metrics=$(cut -d, -f3 "$out/sim.csv" | sort -u | grep -E '^(smsp__|l1tex__|memory_)')
metrics="$metrics sass__inst_executed_per_opcode sass__thread_inst_executed_true_per_opcode inst_executed thread_inst_executed
  thread_inst_executed_true l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
  smsp__inst_executed_op_shared_atom_dot_alu.sum smsp__inst_executed_op_shared_atom_dot_cas.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum lts__t_sectors_op_red.sum lts__t_sectors_op_atom.sum
  gpu__time_duration.sum dram__bytes_read.sum dram__bytes_write.sum"
# shellcheck disable=SC2086
list() { printf '%s\n' $metrics | sort -u | paste -sd, -; }
profile() { # REPORT CASE...
  report=$1
  shift
  # shellcheck disable=SC2086
  "$ncu" --clock-control none --cache-control all --metrics "$(list)" --force-overwrite -o "$report" "$probes" cuda "$@" \
    >> "$out/log" 2>&1
}
tries=0
until profile "$out/one" load_stride_1; do
  unknown=$(sed -n 's/.*[Ff]ailed to find metrics*[: ]*\([A-Za-z0-9_.]*\).*/\1/p' "$out/log" | sort -u)
  tries=$((tries + 1))
  if [ -z "$unknown" ] && [ $tries -eq 1 ]; then # without those that no version's list of metrics names
    metrics=$(printf '%s\n' $metrics | grep -vE '^sass__|^inst_|^thread_inst')
    continue
  fi
  [ -n "$unknown" ] && [ $tries -lt 20 ] || { tail -n 15 "$out/log"; echo "ncu_counters.sh: ncu failed"; exit 1; }
  for name in $unknown; do metrics=$(printf '%s\n' $metrics | grep -vx "${name%.sum}\|$name"); done
done
echo "metrics: $(list | tr ',' '\n' | wc -l); unknown: $(sed -n 's/.*[Ff]ailed to find metrics*[: ]*\([A-Za-z0-9_.]*\).*/\1/p' "$out/log" | sort -u | tr '\n' ' ')"
# shellcheck disable=SC2086
profile "$out/profile" $cases || { tail -n 15 "$out/log"; echo "ncu_counters.sh: ncu failed"; exit 1; }
"$ncu" --import "$out/profile.ncu-rep" --csv --page raw --print-units base --print-fp --print-metric-instances details \
  > "$out/raw.csv" 2>> "$out/log" ||
  "$ncu" --import "$out/profile.ncu-rep" --csv --page raw --print-units base > "$out/raw.csv" 2>> "$out/log"
"$ncu" --import "$out/profile.ncu-rep" --csv --page source --print-units base > "$out/source.csv" 2>> "$out/log" ||
  echo "no source page" >> "$out/log"
rm -f "$out/one.ncu-rep"
python=${PYTHON-$(command -v python3)}
compare=$here/ncu_counters.py
[ -f "$compare" ] || compare=$here/tests/gpu/ncu_counters.py
if [ -n "$python" ] && [ -z "${NOTHING-}" ]; then
  "$python" "$compare" "$out/sim.csv" "$out/raw.csv"
else
  echo "compare elsewhere: python3 tests/gpu/ncu_counters.py $out/sim.csv $out/raw.csv"
fi
