#!/usr/bin/env bash
# Runs the linters over the Go code, the shell scripts and the workflows, and looks for registries of packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly root=$PWD
source tools/build/messages.sh
source hack/packages.sh

go vet -tags=bench,browser,cgroup2,chaos,drift,integration,e2e,grafana,helm,k6,prometheus,upgrade ./... github.com/hashmark-dev/hashmark/api/...
for module in . api; do
  (cd "$module" && go tool "-modfile=$root/hack/tools/golangci-lint/go.mod" golangci-lint run)
done

need shellcheck shellcheck
# -x also checks the files that a script sources.
git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck -x
# With shellcheck it also checks the scripts in the workflows.
go tool -modfile=hack/tools/actionlint/go.mod actionlint

# Packages come from the registry that each client is configured with. Lock files name the default one.
registries='registry\.(npmjs|yarnpkg)\.|pypi\.(python\.)?org|files\.pythonhosted\.|(proxy|sum)\.golang\.|goproxy\.(cn|io)'
registries+='|repo1?\.maven\.|crates\.io|(deb|ftp|security|snapshot)(\.[a-z]+)?\.debian\.|(archive|ports|security)\.ubuntu\.'
found=0
git grep --untracked --line-number -I --extended-regexp "$registries" -- ':!*package-lock.json' >&2 || found=$?
((found == 1)) ||
  die "the lines above name a registry of packages; download with its client, which knows the registry of this machine"
