#!/usr/bin/env bash
# Runs tests and writes their output to dist/test/NAME.json. It prints a line for each package and the
# tests that failed or, with -v, all of them. No result comes from Go's cache: its key has neither the
# scripts that tests run nor what TestMain reads, such as which API server to start.
#
#   hack/test.sh NAME [-v] [flags and packages of go test]
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=${1:?"usage: hack/test.sh NAME [-v] [flags and packages of go test]"}
format=pkgname
shift
if [[ ${1:-} == -v ]]; then
  format=standard-verbose
  shift
fi
mkdir -p dist/test
exec go tool "-modfile=$PWD/hack/tools/gotestsum/go.mod" gotestsum --format="$format" --jsonfile="dist/test/$name.json" -- -count=1 "$@"
