#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel language forbids does not compile, with gcc and with clang where they are there, and the errors are
# short: they name the mistake within a number of lines that is bounded here.
test -z "${ISOWARP_TEST_BRIEF-}" || { echo "left out of brief runs: instruction sets do not matter to it"; exit 77; }
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Each as NAME:MOST_LINES:COMMAND. gcc prints every macro of an expansion unless -ftrack-macro-expansion=0 says not to.
compilers="cc:45:$(echo "$CC" | tr ' ' %)"
for name in gcc clang; do
  case $CC in *$name*) continue;; esac
  command -v $name > /dev/null && compilers="$compilers $name:45:$name"
done
command -v gcc > /dev/null && compilers="$compilers gcc-short:20:gcc%-ftrack-macro-expansion=0"

# The statements stand in a phase, in front of it or behind it.
snippet() { # IN_PHASE BEHIND
  cat > "$work/snippet.c" << END
#include <isowarp/kernel.h>
typedef struct { int unused; } snippet_shared;
typedef struct { float *x; uint32_t *i; size_t n; } snippet_args;
IW_KERNEL(snippet, snippet_shared, snippet_args)
{
  IW_VAR(iw_f32, kept);
  IW_PHASE(warp) {
    iw_pred p = iw_active(warp);
    iw_f32 a = iw_load(args->x, p), b = iw_splat(1.0f);
    iw_u32 i = iw_load(args->i, p);
    IW_MY(kept) = a;
    $1
    iw_store(args->x, iw_add(a, b), p);
    iw_store(args->i, i, p);
  }
  $2
}
END
}

# Only an optimised build shows a phase that is left early.
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

takes() { # IN_PHASE BEHIND
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

rejects() { # IN_PHASE BEHIND [WORD: part of what every compiler prints]
  snippet "$1" "${2-}"
  case ${3-} in 'is left') how=$optimised;; *) how=-fsyntax-only;; esac
  for compiler in $compilers; do
    most=${compiler#*:}
    most=${most%%:*}
    if compile "$compiler" "-DIW_LANES_GENERIC $how"; then
      echo "COMPILES with ${compiler%%:*}, and should not: $1 ${2-}"
      status=1
    elif test "$(wc -l < "$work/messages")" -gt "$most"; then
      echo "TOO LONG with ${compiler%%:*}: $(wc -l < "$work/messages") lines for $1 ${2-}"
      status=1
    elif ! grep -q -e "${3-error}" "$work/messages"; then
      echo "${compiler%%:*} does not print ${3-}: $1 ${2-}"
      status=1
    fi
  done
  echo "rejected: $1 ${2-}"
}

takes 'a = iw_add(a, b);'
takes 'if (args->n > 1) a = b;'
takes 'if (iw_any(p)) a = iw_select(p, a, b);'
takes 'a = iw_add(iw_mul(a, 2), 1.0f); i = iw_shl(i, 1); p = iw_and(iw_lt(i, args->n), iw_not(p));' # scalars convert
takes 'for (int k = 0; k < 3; k++) { if (k == warp) break; a = b; } if (warp > 2) continue;' # loops in a phase
takes 'IW_MY(kept) = b;' 'if (args->n == 0) return; IW_WARPS(warp) { IW_MY(kept) = iw_splat(iw_get(args->x)); }'
rejects 'a = a + b;'                            # operators are C's, and the CPU's lanes are structs
rejects 'i = i << 1;'
rejects 'if (p) a = b;'                         # lanes do not branch
rejects 'a = p ? a : b;'
rejects 'while (p) a = b;'
rejects 'p = p && p;'
rejects 'if (iw_lt(a, b)) a = b;'
rejects 'a = iw_add(a, i);' '' iws_f32 # types do not mix
rejects 'i = iw_and(i, p);' '' iws_u32
rejects 'p = iw_and(p, i);'
rejects 'p = iw_lt(i, a);'
rejects 'i = iw_add(i, 1.5f);' '' iw_integer_scalar  # a lane of integers would drop the fraction
rejects 'a = iw_add(1, a);'                     # the first operand gives the type
rejects 'i = iw_shl(a, i);'                     # integers only
rejects 'i = iw_floor(i);'                      # floats only
rejects 'i = iw_popcount(a);'                   # u32 and u64 only
rejects 'a = iw_load(args->i, p);'              # memory has the type of the lanes
rejects 'iw_store(args->x, i, p);'
rejects 'iw_global_add(args->x, i, a, p);'      # atomics are for integers
rejects 'a = iw_select(a, a, b);'               # a predicate chooses
rejects 'a = kept;'                             # a variable of all warps is none of this warp
rejects 'const float s = iw_block_sum(kept); a = iw_splat(s);' '' iw_inside_a_phase # collectives stand between phases
rejects 'a = iw_splat(iw_block_get(args->x));' '' iw_inside_a_phase
rejects 'a = iw_splat(iw_posted_f32());' '' iw_inside_a_phase
rejects 'IW_PHASE(w) { }' '' iw_inside_a_phase  # phases do not nest
rejects '' 'iw_post_f32(1);' iw_inside_a_phase  # a value is posted in a phase
rejects 'if (args->n) return;' '' 'is left'     # a phase ends at its end
rejects 'if (args->n) break;' '' 'is left'
rejects 'if (args->n) goto behind;' 'behind: ;' 'is left'
exit $status
