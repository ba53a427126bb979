#!/usr/bin/env bash
# Runs the end-to-end suite against the cluster of KUBECONFIG.
#
#   hack/e2e.sh [flags of go test, such as -run=Suspend]
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/images.sh e2e
hack/clusters.sh load-images dist/images/garbage.tar dist/images/silent.tar dist/images/failing-k6.tar

HASHMARK_OPERATOR_BINARY=$PWD/dist/linux-$(go env GOARCH)/operator
export HASHMARK_OPERATOR_BINARY

# The suite, its operator and its kubectl keep off the CPU that is measured.
aside=()
if [[ ${CLUSTER:-$(hack/clusters.sh which)} == local ]] && taskset -c 1 true 2>/dev/null; then
  aside=(-exec "taskset -c 1")
fi
exec hack/test.sh e2e -v -tags=e2e -count=1 -timeout=50m "${aside[@]}" "$@" ./test/e2e/
