#!/usr/bin/env bash
# Fails if a program that Hashmark ships calls a function with a known vulnerability, and names
# it. If the database can't be reached, it prints NOT RUN with the reason and succeeds.
#
#   vulnerabilities.sh                   the programs of cmd/, and k6
#   vulnerabilities.sh FOLDER PACKAGE    one program
#
# GOVULNDB is the database, by default https://vuln.go.dev. PATIENCE is how many seconds its index
# may take.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tools/build/messages.sh
source "$root/tools/build/messages.sh"
database=${GOVULNDB:-https://vuln.go.dev}
patience=${PATIENCE:-5}

# reachable fetches the index of the database, and asks it for a module that it does not have.
# Go's HTTP client says Get if a request got no answer. An answer that is an error, and a
# certificate that is not trusted, are failures like any other.
reachable() {
  local said code=0
  said=$(timeout "$patience" "$govulncheck" -db "$database" -mode query -format json \
    github.com/hashmark-dev/hashmark@v0.0.0 2>&1 >/dev/null) || code=$?
  case "$code $said" in
    "0 "*) return ;;
    "124 "*) said="$database sent no index within $patience s" ;;
    *": tls: "*) die "can't check for vulnerabilities: $said" ;;
    *' Get "'*) ;;
    *) die "can't check for vulnerabilities: $said" ;;
  esac
  say "vulnerabilities: NOT RUN: $said"
  exit 0
}

# check FOLDER PACKAGE
check() {
  local found code=0
  found=$("$govulncheck" -C "$1" -db "$database" "$2") || code=$?
  ((code == 0)) || printf '%s\n' "$found" >&2
  case $code in
    0) say "vulnerabilities: $2 calls no vulnerable function that $database knows" ;;
    3) die "$2 calls functions with known vulnerabilities: $(sed -n 's/^Vulnerability #[0-9]*: //p' <<<"$found" | paste -sd' '); update what contains them" ;;
    *) die "can't check $2 for vulnerabilities; see above" ;;
  esac
}

govulncheck=$(go tool -n -modfile="$root/hack/tools/govulncheck/go.mod" govulncheck)
reachable
if (($# == 2)); then
  check "$1" "$2"
else
  check "$root" ./cmd/...
  check "$root/tools/build/k6" go.k6.io/k6
fi
