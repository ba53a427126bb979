#!/usr/bin/env bash
# Runs tests and writes their output to dist/test/NAME.json, which hack/verify-claims reads. It
# prints the output of go test: only the tests that failed or, with -v, all of them.
#
#   hack/test.sh NAME [-v] [flags and packages of go test]
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=${1:?"usage: hack/test.sh NAME [-v] [flags and packages of go test]"}
words=(-brief)
shift
if [[ ${1:-} == -v ]]; then
  words=()
  shift
fi
mkdir -p dist/test
go test -json "$@" | tee "dist/test/$name.json" | go run ./hack/testwords "${words[@]}"
