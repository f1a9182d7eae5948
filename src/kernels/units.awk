# SPDX-License-Identifier: Apache-2.0
#
# awk -v out=FOLDER -f units.awk operations.h kernels.txt
#
# Makes of kernels.txt, which says how, FOLDER/UNIT.c of each unit, and FOLDER/kernel_list.h for ids and
# tables. Leaves alone files that would not change. Prints the names of units for make, or nothing if a row
# is wrong.

# Sets of folds: folds["narrow_sums"] is " narrow_sums/sum_u32_from_u8 ...", as IW_NARROW_SUMS(X) lists them.
FNR == NR {
  if (/^#define/) { set = tolower(substr($2, 4)); sub(/[(].*/, "", set) }
  while (match($0, /X[(][a-z0-9_]+[)]/)) {
    folds[set] = folds[set] " " set "/" substr($0, RSTART + 2, RLENGTH - 3)
    $0 = substr($0, RSTART + RLENGTH)
  }
  next
}

/^#/ || !NF { next }
sub(/\\$/, "") { begun = begun $0; next } # the row goes on
{ $0 = begun $0; begun = "" }
$1 == "types" { types[$2] = $3; next }
/^[^ ]/ { unit = $1; $1 = ""; $0 = $0 }
{
  template = $1; list = parameters = sets = kernels = ""; split("", value)
  for (i = 2; i <= NF; i++)
    if ($i ~ /:$/) {
      list = $i == ":" ? "common:" : $i
      if (list !~ /^(common|gpu|cpu|pipelined):$/) fail("no kernels are listed by " $i)
    }
    else if (list) kernels = kernels " " list $i
    else if ($i in folds) sets = sets folds[$i]
    else parameters = parameters " " $i
  count = split(sets, set_and_fold)
  for (i = 1; i <= count; i++) combine(parameters parameters_of(set_and_fold[i]), "")
  if (!count) combine(parameters, "")
}

function fail(message) {
  print FILENAME ":" FNR ": " message > "/dev/stderr"
  failed = 1; exit 1
}

function parameters_of(set_and_fold,    part, set, type, op) {
  split(set_and_fold, part, "/")
  set = part[1]; value["FOLD"] = part[2]
  split(part[2], part, "_from_")
  type = op = part[1]; sub(/.*_/, "", type); sub(/_[^_]*$/, "", op)
  return " OP=" op " T=" type (part[2] ? " FROM=" part[2] : "") (set ~ /^narrow/ ? " NARROW" : "") \
    (op == "min" ? " MINIMUM" : "") (set ~ /operators$/ ? " OF_LANES" : "") \
    (index(folds["twiddling"] " ", "/" op " ") ? " TWIDDLE_BITS" : "")
}

# Includes the template for each combination of parameters. defined: those that have got a value.
function combine(parameters, defined,    name, count, values, i) {
  if (!match(parameters, /[^ ]+/)) { include(defined); return }
  name = substr(parameters, RSTART, RLENGTH); parameters = substr(parameters, RSTART + RLENGTH)
  count = split(substr(name, index(name "=", "=") + 1), values, ","); sub(/=.*/, "", name)
  if (!count) combine(parameters, defined " " name)
  for (i = 1; i <= count; i++)
    if (values[i] in types) combine(name "=" types[values[i]] parameters, defined)
    else { value[name] = values[i]; combine(parameters, defined " " name "=" values[i]) }
}

function include(defined,    count, word, i, text, end, part) {
  count = split(defined, word)
  for (i = 1; i <= count; i++) {
    sub(/=/, " ", word[i]); text = text "#define " word[i] "\n"
    sub(/ .*/, "", word[i]); end = end "#undef " word[i] "\n"
  }
  text = text "#include \"algorithms/" template "\"\n" end
  if (kernels && kernels !~ /common:|pipelined:|gpu:/) text = "#ifndef IW_GPU_SCHEDULES /* kernel.h */\n" text "#endif\n"
  if (kernels && kernels !~ /common:|pipelined:|cpu:/) text = "#ifdef IW_GPU_SCHEDULES /* kernel.h */\n" text "#endif\n"
  code[unit] = code[unit] text
  count = split(kernels, word)
  for (i = 1; i <= count; i++) { split(word[i], part, ":"); kernel(part[1], part[2]) }
}

function kernel(list, name,    part, last, i, id) {
  lists[unit] = lists[unit] " " list
  if (split(name, part, "+") == 2) { # a family
    id = "IW_K_" part[1]; name = part[1] "_" value[part[2]]
    last = part[2] == "FOLD" ? "IW_FOLDS - 1" : "IW_LAST_TYPE"
    if (!(id in families)) ids = ids " \\\n  " id ", IW_LAST_K_" part[1] " = " id " + " last ","
    families[id]
    if (part[2] == "T" && list == "common" && !types_served[part[1]]++)
      families_of_samples = families_of_samples " " part[1]
    id = id " + " (part[2] == "FOLD" ? "IW_FOLD_" value["FOLD"] : "IW_" toupper(value["T"]))
  } else {
    last = split(name, part, "_"); name = part[1]
    for (i = 2; i <= last; i++) name = name "_" (part[i] in value ? value[part[i]] : part[i])
    id = "IW_K_" name; ids = ids " \\\n  " id ","
  }
  if (name in listed) fail("a second row makes the kernel " name)
  row(list, id, name)
}

function row(list, id, name) { rows[list] = rows[list] " \\\n  X(" id ", " name ")"; listed[name] }

function write(file, text,    line, old) {
  while ((getline line < file) > 0) old = old line "\n"
  close(file)
  if (old != text) printf "%s", text > file
}

END {
  if (failed) exit 1
  if (begun) fail("the last row goes on behind the end of the file")
  # A family of T that CPUs have too serves all types, as kernels.txt says.
  count = split(families_of_samples, family)
  for (i = 1; i <= count; i++) {
    name = family[i]
    row("common", "IW_K_" name " + IW_BOOL", name "_u8")
    if (!(name "_i8" in listed)) { row("common", "IW_K_" name " + IW_I8", name "_u8"); types_served[name]++ }
    checks = checks "_Static_assert(" types_served[name] + 1 " == IW_LAST_TYPE, " \
      "\"" name " serves all types of samples\");\n"
  }
  made = "/* Made of src/kernels/kernels.txt. */\n"
  write(out "/kernel_list.h", made "#define IW_KERNEL_IDS" ids "\n/* X(id, name) */" \
    "\n#define IW_COMMON_KERNELS(X)" rows["common"] "\n#define IW_GPU_KERNELS(X)" rows["gpu"] \
    "\n#define IW_CPU_KERNELS(X)" rows["cpu"] "\n#define IW_PIPELINED_KERNELS(X)" rows["pipelined"] "\n" checks)
  for (unit in code) {
    write(out "/" unit ".c", made code[unit])
    print lists[unit] ~ /common|cpu|pipelined/ ? "every:" unit : "device:" unit
    if (lists[unit] ~ /pipelined/) print "sim75:" unit
  }
}
