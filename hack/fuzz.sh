#!/usr/bin/env bash
# Runs every fuzz target, one after another, and prints for each how many inputs it tried and how
# many of them were new to it. An input that fails is written into testdata/fuzz of the target's
# package, where go test runs it from then on.
#
#   hack/fuzz.sh [PATTERN]   runs the targets that match, by default all
#
# FUZZ_SECONDS is the time for each target, by default 60.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly pattern=${1:-.} seconds=${FUZZ_SECONDS:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "FUZZ_SECONDS is \"$seconds\"; it must be a whole number of seconds"

# targets prints the package and the name of each target. go test -list would compile every
# package first.
targets() {
  git grep --untracked -oE '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (.*)|./\1 \2|' | sort
}

# fuzz PACKAGE NAME runs a target. A single worker leaves the other CPUs alone.
fuzz() {
  local log=dist/fuzz/$2.log code=0
  go test -run='^$' -fuzz="^$2\$" -fuzztime="${seconds}s" -parallel=1 "$1" >"$log" 2>&1 || code=$?
  sed -nE 's/.*execs: ([0-9]+) .*new interesting: ([0-9]+) .*/\1 \2/p' "$log" | tail -n1 |
    { read -r runs new || true; printf '%-45s %10s %6s  %s\n' "$2" "${runs:-0}" "${new:-0}" "${1#./}"; }
  ((code == 0)) || sed 's/^/  /' "$log"
  return "$code"
}

mkdir -p dist/fuzz
found=$(targets)
[[ -n $found ]] || die "there is no fuzz target"
printf '%-45s %10s %6s  %s\n' target runs new package
failed=0
while read -r package name; do
  [[ $name =~ $pattern ]] || continue
  fuzz "$package" "$name" || failed=$((failed + 1))
done <<<"$found"
((failed == 0)) || die "$failed targets failed; their inputs are in testdata/fuzz: fix the code and keep them"
