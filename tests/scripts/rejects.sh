#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel language forbids does not compile, with $CC, gcc and clang, and the error messages are
# short: the number of their lines is bounded here.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# NAME:MAX_LINES:COMMAND each. gcc prints every macro of an expansion, unless -ftrack-macro-expansion=0.
compilers="cc:45:$(echo "$CC" | tr ' ' %)"
for name in gcc clang; do
  case $CC in *$name*) continue;; esac
  command -v $name > /dev/null && compilers="$compilers $name:45:$name"
done
command -v gcc > /dev/null && compilers="$compilers gcc-short:20:gcc%-ftrack-macro-expansion=0"

. "$srcdir/tests/scripts/snippet.sh"
snippet() { write_snippet "$work/snippet.c" "$1" "$2"; } # IN_PHASE AFTER_PHASE

# Only an optimised build finds a phase that is left early.
optimised="-O1 -c -o $work/snippet.o"
compile() { # COMPILER OPTIONS: COMPILER is an entry of $compilers
  $(echo "${1##*:}" | tr % ' ') -std=c11 -Wno-psabi -ffp-contract=off -I"$work/${1%%:*}" -I"$srcdir/include" \
    $2 "$work/snippet.c" > "$work/messages" 2>&1
}

# Most of a compilation is kernel.h, so gcc compiles it beforehand, with each set of options, and takes from
# the directory the file that was made with its own.
for compiler in $compilers; do
  $(echo "${compiler##*:}" | tr % ' ') --version | grep -q 'Free Software Foundation' || continue
  headers=$work/${compiler%%:*}/isowarp/kernel.h.gch
  mkdir -p "$headers"
  for options in '-O1' '-O1 -DIW_LANES_GENERIC' '-DIW_LANES_GENERIC'; do
    $(echo "${compiler##*:}" | tr % ' ') -std=c11 -Wno-psabi -ffp-contract=off -I"$srcdir/include" $options \
      -x c-header "$srcdir/include/isowarp/kernel.h" -o "$headers/$(echo "$options" | tr -d ' ')"
  done
done

accepts() { # IN_PHASE [AFTER_PHASE]
  snippet "$1" "${2-}"
  for compiler in $compilers; do
    for lanes in -DIW_LANES_GENERIC ''; do
      compile "$compiler" "$lanes $optimised" && test ! -s "$work/messages" && continue
      echo "DOES NOT COMPILE CLEANLY with ${compiler%%:*} $lanes, and should: $1 ${2-}"
      head -n 5 "$work/messages"
      status=1
    done
  done
  echo "compiles: $1 ${2-}"
}

rejects() { # IN_PHASE [AFTER_PHASE [a part of the message of every compiler]]
  snippet "$1" "${2-}"
  case ${3-} in 'is left') how=$optimised;; *) how=-fsyntax-only;; esac
  for compiler in $compilers; do
    max_lines=${compiler#*:}
    max_lines=${max_lines%%:*}
    if compile "$compiler" "-DIW_LANES_GENERIC $how"; then
      echo "COMPILES with ${compiler%%:*}, and should not: $1 ${2-}"
      status=1
    elif test "$(wc -l < "$work/messages")" -gt "$max_lines"; then
      echo "TOO LONG with ${compiler%%:*}: $(wc -l < "$work/messages") lines for $1 ${2-}"
      status=1
    elif ! grep -q -e "${3-error}" "$work/messages"; then
      echo "${compiler%%:*} does not print ${3-}: $1 ${2-}"
      status=1
    fi
  done
  echo "rejected: $1 ${2-}"
}

accepts 'a = iw_add(a, b);'
accepts 'if (args->n > 1) a = b;'
accepts 'if (iw_any(p)) a = iw_select(p, a, b);'
# Scalars convert.
accepts 'a = iw_add(iw_mul(a, 2), 1.0f); i = iw_shl(i, 1); p = iw_and(iw_lt(i, args->n), iw_not(p));'
# Loops in a phase.
accepts 'for (int k = 0; k < 3; k++) { if (k == warp) break; a = b; } if (warp > 2) continue;'
accepts 'IW_MY(saved) = b;' \
  'if (args->n == 0) return; IW_WARPS(warp) { IW_MY(saved) = iw_splat(iw_get(args->x)); }'
rejects 'a = a + b;'                            # C's operators do not take lanes
rejects 'i = i << 1;'
rejects 'if (p) a = b;'                         # a predicate is not a condition
rejects 'a = p ? a : b;'
rejects 'while (p) a = b;'
rejects 'p = p && p;'
rejects 'if (iw_lt(a, b)) a = b;'
rejects 'a = iw_add(a, i);' '' iws_f32 # types do not mix
rejects 'i = iw_and(i, p);' '' iws_u32
rejects 'p = iw_and(p, i);'
rejects 'p = iw_lt(i, a);'
rejects 'i = iw_add(i, 1.5f);' '' iw_integer_scalar  # an integer lane would drop the fraction
rejects 'a = iw_add(1, a);'                     # the first operand is a lane value
rejects 'i = iw_shl(a, i);'                     # integers only
rejects 'i = iw_floor(i);'                      # floats only
rejects 'i = iw_sqrt(i);'
rejects 'a = iw_fma(a, i, a);'
rejects 'i = iw_popcount(a);'                   # u32 and u64 only
rejects 'a = iw_load(args->i, p);'              # memory has the type of the lanes
rejects 'iw_store(args->x, i, p);'
rejects 'iw_global_add(args->x, i, a, p);'      # atomics are for integers
rejects 'a = iw_select(a, a, b);'               # a predicate chooses
rejects 'a = saved;'                             # IW_MY() selects the variable of this warp
# Block collectives are called between phases only.
rejects 'const float s = iw_block_sum(saved); a = iw_splat(s);' '' iw_inside_a_phase
rejects 'a = iw_splat(iw_block_get(args->x));' '' iw_inside_a_phase
rejects 'a = iw_splat(iw_posted_f32());' '' iw_inside_a_phase
rejects 'IW_PHASE(w) { }' '' iw_inside_a_phase  # phases do not nest
# Nor under a predicate, and no phase begins there: some warps might not reach its barrier.
rejects 'if (iw_wanted(p)) a = iw_splat(iw_block_sum(saved));' '' iw_inside_a_phase
rejects 'if (iw_wanted(p)) IW_PHASE(w) { }' '' iw_inside_a_phase
rejects 'if (warp == 0) { if (iw_is_last_block((uint32_t *)args->i)) a = b; }' '' iw_inside_a_phase
rejects '' 'iw_ticket_post(1);' iw_inside_a_phase
rejects '' 'IW_MY(saved) = iw_splat(1.0f);' warp # a variable of each warp is set in a phase
rejects '' 'iw_post_f32(1);' iw_inside_a_phase  # a value is posted in a phase
rejects 'if (args->n) return;' '' 'is left'     # a phase must not be left early
rejects 'if (args->n) break;' '' 'is left'
rejects 'if (args->n) goto behind;' 'behind: ;' 'is left'
exit $status
