#!/usr/bin/env bash
# Writes the tables of dist/bench into docs/benchmarks.md, each between "<!-- figures: NAME -->" and "<!--
# end -->". A section without a new table stays unchanged.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly page=docs/benchmarks.md
written=$(mktemp)
trap 'rm -f "$written"' EXIT
awk '
  /^<!-- figures: [a-z-]+ -->$/ {
    print
    table = "dist/bench/" $3 ".md"
    replaced = 0
    while ((getline line < table) > 0) {
      if (!replaced) print ""
      print line
      replaced = 1
    }
    if (replaced) print ""
    next
  }
  /^<!-- end -->$/ { replaced = 0 }
  !replaced
' "$page" >"$written"
cat "$written" >"$page"
