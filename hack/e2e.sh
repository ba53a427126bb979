#!/usr/bin/env bash
# Runs the end-to-end suite against the cluster of KUBECONFIG.
#
#   hack/e2e.sh [flags of go test, such as -run=Suspend]
#   hack/e2e.sh chaos [flags of go test]   the faults on the local cluster instead
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

export CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}

suite=e2e tags=e2e only=()
if [[ ${1:-} == chaos ]]; then
  shift
  [[ $CLUSTER == local ]] || die "only the local cluster's processes can be killed; set CLUSTER=local"
  suite=chaos tags=e2e,chaos only=(-run=TestChaos)
fi

# put_back reinstalls the demo's release if an interrupted run has left one of the tests' in
# its place.
put_back() {
  local namespace installed
  installed=$(kubectl -n hashmark-system get --ignore-not-found deployment hashmark-operator -o name)
  [[ -z "$installed" ]] || return 0
  say "the demo's operator is missing; reinstalling it"
  helm list --all-namespaces --filter '^hashmark$' --no-headers | while read -r _ namespace _; do
    helm uninstall hashmark --namespace "$namespace" --wait
  done
  # Helm takes over only objects that are annotated with its release.
  kubectl get --ignore-not-found crd sizingexperiments.hashmark.dev sizingtrials.hashmark.dev -o name |
    xargs -I{} kubectl annotate --overwrite {} meta.helm.sh/release-namespace=hashmark-system
  hack/demo.sh install
}

hack/timed.sh "images of the suite" hack/images.sh e2e
hack/clusters.sh load-images dist/images/{failing-k6,brief,drift-{steady,sawtooth,slower,faster,busy10,busy30,busy45},etcd}.tar

HASHMARK_OPERATOR_BINARY=$PWD/dist/linux-$(go env GOARCH)/operator
HASHMARK_HELM3=$(tools/build/binaries.sh helm3)/helm
put_back
PATH=$(hack/krew.sh folder):$PATH
export HASHMARK_OPERATOR_BINARY HASHMARK_HELM3 PATH

# Tests look into the networks of pods, which are in the nodes' containers, as root.
if [[ $CLUSTER == kind ]]; then
  HASHMARK_NODE_ROOTS=$(kind get nodes --name hashmark | xargs docker inspect --format '/proc/{{.State.Pid}}/root')
  HASHMARK_PAUSE_IMAGE=$(kubectl get nodes -o yaml | grep -o -m1 'registry.k8s.io/pause:[0-9.]*')
  export HASHMARK_NODE_ROOTS HASHMARK_PAUSE_IMAGE
  # They try dozens of connections a second that policies refuse, and each has to be told so, as on the
  # local cluster's nodes.
  kind get nodes --name hashmark | xargs -I{} docker exec {} sysctl -qw net.ipv4.icmp_ratelimit=0
fi

# The suite, its operator and its kubectl stay off the measured CPU.
aside=()
if [[ $CLUSTER == local ]] && taskset -c 1 true 2>/dev/null; then
  aside=(-exec "taskset -c 1")
fi
failed=0
# The package comes before the flags, because go test takes all after a flag of the suite's own for the suite.
hack/test.sh "$suite" -v -tags="$tags" -timeout=60m "${aside[@]}" ./test/e2e/ "${only[@]}" "$@" || failed=1
put_back
exit "$failed"
