#!/usr/bin/env bash
# Runs the linters over the Go code and over the shell scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

go vet -tags=bench,browser,chaos,drift,integration,e2e,helm,k6,prometheus ./...
go tool -modfile=hack/tools/golangci-lint/go.mod golangci-lint run

if ! command -v shellcheck >/dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "shellcheck was not found; install it (on Debian: apt-get install shellcheck)" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends shellcheck >/dev/null
fi
# -x also checks the files that a script sources.
git ls-files -z '*.sh' .ci/run hack/verify-claims | xargs -0 shellcheck -x
