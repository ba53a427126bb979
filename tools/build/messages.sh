# shellcheck shell=bash
# Messages of the scripts in this folder and in tools/cluster.
#
# Everything is written to standard error. Standard output is for results that other programs
# read, such as a folder of binaries or shell exports.

# say prints one line of progress.
say() {
  printf 'hashmark: %s\n' "$*" >&2
}

# die prints one sentence that says what is wrong and what to do, and ends the script.
die() {
  say "$*"
  exit 1
}
