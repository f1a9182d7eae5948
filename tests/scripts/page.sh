# SPDX-License-Identifier: Apache-2.0
#
# For tutorial.sh and program.sh, which read this file with `.`: pages whose commands are run.
#
# In a page, a command is a line `$ command` of a fenced block; it continues behind a backslash at the line's
# end. The lines up to the next command are its output, of which long lines are folded.

# run_page PAGE: prints PAGE with what its commands print here; appends `status command` to $work/log.
run_page() {
  awk -v work="$work" '
    function run(command,   line, file) {
      file = work "/command"
      print command > file
      close(file)
      while ((("sh " file " 2>&1; echo $? > " work "/status") | getline line) > 0)
        print line | fold
      close("sh " file " 2>&1; echo $? > " work "/status")
      close(fold)
      getline line < (work "/status")
      close(work "/status")
      print line " " command >> (work "/log")
      fflush()
    }
    BEGIN { fold = "fold -s -w 110 | sed \"s/ *$//\"" }
    /^```/ { fenced = !fenced; running = 0 }
    continued { print; command = command $0 }
    !continued && fenced && /^\$ / { print; command = substr($0, 3); running = continued = 1 }
    continued && sub(/\\$/, "", command) { next }
    continued { continued = 0; fflush(); run(command); next }
    !running { print }' "$1"
}
