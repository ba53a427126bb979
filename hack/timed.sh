#!/usr/bin/env bash
# Measures where the time of a run, such as one of .ci/run, is spent.
#
#   hack/timed.sh NAME COMMAND...   runs the command, and writes its time into the
#                                   file $HASHMARK_TIMES, if that is set
#   hack/timed.sh                   prints a table of these times, one of the slowest
#                                   end-to-end tests, and what the tests said that failed
#
# A line of the file is: start, end (both in seconds), exit code, name.
set -euo pipefail

readonly slowest=15

# table prints the times. What ran within something else is indented.
table() {
  printf '\n%7s  %s\n' minutes "where the time was spent"
  sort -t$'\t' -k1,1n -k2,2nr "$HASHMARK_TIMES" | awk -F'\t' '
    !began || $1 < began { began = $1 }
    $2 > ended { ended = $2 }
    {
      while (depth && $2 > outer[depth]) depth--
      failed = $3 == 0 ? "" : ", failed with " $3
      printf "%7.1f  %*s%s%s\n", ($2 - $1) / 60, 2 * depth, "", $4, failed
      if ($4 !~ /^compiling /) outer[++depth] = $2
    }
    END { printf "%7.1f  total\n", (ended - began) / 60 }
  '
}

# tests prints the slowest end-to-end tests of the last run, without subtests.
tests() {
  [[ -s dist/test/e2e.json && dist/test/e2e.json -nt $1 ]] || return 0
  printf '\n%7s  %s\n' seconds "the $slowest slowest end-to-end tests"
  sed -nE '/"Action":"(pass|fail)"/s/.*"Test":"([^"/]*)","Elapsed":([0-9.]+).*/\2 \1/p' dist/test/e2e.json |
    sort -rn | awk -v most="$slowest" 'NR <= most { printf "%7.0f  %s\n", $1, $2 }'
}

# failures prints the lines of failed tests that name a line of a test's file. The logs around
# them can be thousands of lines long.
failures() {
  command -v jq >/dev/null || return 0
  local results
  for results in dist/test/*.json; do
    [[ $results -nt $1 ]] || continue
    jq --raw-input --null-input --raw-output --arg suite "$(basename "$results" .json)" '
      [inputs | fromjson?] as $events # a suite that was killed leaves half a line
      | [$events[] | select(.Action == "fail" and .Test).Test] as $failed
      | $events[] | select(.Action == "output" and (.Test | IN($failed[])) and (.Output | test("^ +[a-z0-9_]+_test[.]go:[0-9]+: ")))
      | "\($suite)  \(.Test):\(.Output[0:1000] | rtrimstr("\n"))"' "$results" || true
  done
}

if (($# == 0)); then
  [[ -s ${HASHMARK_TIMES:?"must be the file of times"} ]] || exit 0
  table >&2
  tests "$HASHMARK_TIMES.began" >&2
  failures "$HASHMARK_TIMES.began" >&2
  exit
fi

name=$1 began=$(date +%s) code=0
shift
"$@" || code=$?
[[ -z ${HASHMARK_TIMES:-} ]] ||
  printf '%s\t%s\t%s\t%s\n' "$began" "$(date +%s)" "$code" "$name" >>"$HASHMARK_TIMES"
exit "$code"
