# shellcheck shell=bash
# What the scripts of this folder and of hack/cluster say to people.
#
# Everything goes to standard error: standard output belongs to the answers
# that other programs read, such as a folder of binaries or shell exports.

# say prints one line of progress.
say() {
  printf 'hashmark: %s\n' "$*" >&2
}

# die ends the script with one sentence that tells what to do about it.
die() {
  say "$*"
  exit 1
}
