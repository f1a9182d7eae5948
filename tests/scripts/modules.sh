#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The kernels that the shared library loads (runtime/kernel_sets.c): from the build tree, from beside the
# library wherever it lies, by two threads at once; and what is said where they are not, or are those of
# another version.
set -eu
test -n "$MODULES" || { echo "no kernels that the library loads were built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
$CC -std=gnu11 -Wall -Wextra -Iinclude -I"$srcdir/include" "$srcdir/tests/scripts/modules.c" -L.libs -lisowarp -lpthread -o "$work/modules"
mkdir "$work/lib"
cp -P .libs/libisowarp.so* "$work/lib"

# with FOLDER COMMAND...: with the library of that folder.
with() { folder=$1; shift; env LD_LIBRARY_PATH="$folder" "$@"; }
expect() { # WORDS PATTERN COMMAND...
  words=$1 pattern=$2; shift 2
  "$@" > "$work/output" 2>&1 || :
  if grep -q "$pattern" "$work/output"; then echo "$words"
  else
    echo "NOT SO: $words; there is no \"$pattern\" in:"
    cat "$work/output"
    status=1
  fi
}

for set in $MODULES; do
  expect "$set: of the build tree" "^$set: equal sums" with "$PWD/.libs" "$work/modules" "$set"
  expect "$set: a message without the module" "kernels-$set.so, which is neither in $work/lib/isowarp nor in .*: make modules, in the build folder, builds it" \
    with "$work/lib" "$work/modules" "$set"
  mkdir -p "$work/lib/isowarp"
  cp "kernels-$set.so" "$work/lib/isowarp"
  expect "$set: beside the library, in isowarp/" "^$set: equal sums" with "$work/lib" "$work/modules" "$set"
  mv "$work/lib" "$work/moved"
  expect "$set: where both were moved" "^$set: equal sums" with "$work/moved" "$work/modules" "$set"
  mv "$work/moved" "$work/lib"
  echo "not an object" > "$work/lib/isowarp/kernels-$set.so"
  expect "$set: a message if it cannot be loaded" "kernels of set $set cannot be loaded: $work/lib/isowarp/kernels-$set.so" \
    with "$work/lib" "$work/modules" "$set"
  echo 'extern const struct { const char *version; const void *sets; } iw_kernel_module_here = { "0.0.0", 0 };' |
    $CC -shared -fPIC -w -x c - -o "$work/lib/isowarp/kernels-$set.so"
  expect "$set: a message if it is another version's" "is of isowarp 0.0.0, and this library is isowarp" \
    with "$work/lib" "$work/modules" "$set"
  rm -r "$work/lib/isowarp"
done
for set in $MODULES; do
  [ "$set" = sim ] || expect "info tells that the module of $set is not there" "instruction sets built:.* $set (its module is not found)" \
    with "$work/lib" .libs/isowarp info
done
# Users' kernels need no module.
for options in '--backend sim' '--isa generic'; do
  # shellcheck disable=SC2086
  if with "$work/lib" .libs/isowarp demo $options > "$work/output" 2>&1; then echo "demo $options: users' kernels without a module"
  else
    echo "NOT SO: demo $options runs without a module:"
    tail -n 3 "$work/output"
    status=1
  fi
done
exit $status
