# shellcheck shell=bash
# What all scripts share: their messages and the folder of the cache.
#
# Messages are written to standard error. Standard output is for results that other programs
# read, such as a folder of binaries or shell exports.

# shellcheck disable=SC2034
CACHE="${HASHMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hashmark}"

# say prints one line of progress.
say() {
  printf 'hashmark: %s\n' "$*" >&2
}

# die prints one sentence that says what is wrong and what to do, and ends the script.
die() {
  say "$*"
  exit 1
}
