#!/usr/bin/env bash
# Runs the end-to-end suite against the cluster of KUBECONFIG, and keeps what
# each test said in dist/test/e2e.json, which hack/verify-claims reads.
#
#   hack/e2e.sh [flags of go test, such as -run=Suspend]
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/images.sh e2e
hack/clusters.sh load-images dist/images/garbage.tar dist/images/silent.tar dist/images/failing-k6.tar

HASHMARK_OPERATOR_BINARY=$PWD/dist/linux-$(go env GOARCH)/operator
export HASHMARK_OPERATOR_BINARY
mkdir -p dist/test
# The JSON is turned back into go test's own words for whoever looks on.
go test -tags=e2e -count=1 -timeout=50m -json "$@" ./test/e2e/ |
	tee dist/test/e2e.json |
	go run ./hack/testwords
