#!/usr/bin/env bash
# Runs the linters over the Go code and over the shell scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh
source hack/packages.sh

go vet -tags=bench,browser,cgroup2,chaos,drift,integration,e2e,grafana,helm,k6,prometheus,upgrade ./...
go tool -modfile=hack/tools/golangci-lint/go.mod golangci-lint run

need shellcheck shellcheck
# -x also checks the files that a script sources.
git ls-files -z '*.sh' .ci/run hack/verify-claims | xargs -0 shellcheck -x
# With shellcheck it also checks the scripts in the workflow.
go tool -modfile=hack/tools/actionlint/go.mod actionlint
