#!/usr/bin/env bash
# One way to every kind of cluster, named by CLUSTER:
#
#   local     built from source on this machine (hack/cluster); needs root
#   kind      two nodes in Docker; needs Docker's engine and kind
#   current   the cluster of your own kubeconfig; nothing of it is made or removed
#
#   hack/clusters.sh which|up|down|env|load-images FILE...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	echo "$*" >&2
	exit 1
}

# kind where it is there, since it asks for no root; else the local cluster.
which_cluster() {
	if command -v kind >/dev/null && docker info >/dev/null 2>&1; then
		echo kind
	else
		echo local
	fi
}

# The node without a control plane serves; the other carries everything else.
kind_up() {
	kind get clusters 2>/dev/null | grep -qx hashmark || kind create cluster --name hashmark --config hack/kind.yaml --wait 120s
	kind get kubeconfig --name hashmark >dist/kind.kubeconfig
}

kind_env() {
	echo "export KUBECONFIG=$PWD/dist/kind.kubeconfig"
}

kind_load() {
	local archive
	for archive in "$@"; do
		kind load image-archive --name hashmark "$archive"
	done
}

# A cluster of your own pulls its images from your registry: hack can't push there.
current_load() {
	echo "CLUSTER=current: the nodes must be able to pull the images that config/manager/deployment.yaml names; push $* to your registry if they can't" >&2
}

mkdir -p dist
action=${1:-}
[[ $# -gt 0 ]] && shift
case "${CLUSTER:-$(which_cluster)}/$action" in
*/which) which_cluster ;;
local/*) exec hack/cluster/cluster.sh "$action" "$@" ;;
kind/up) kind_up ;;
kind/down) kind delete cluster --name hashmark ;;
kind/env) kind_env ;;
kind/load-images) kind_load "$@" ;;
current/up) kubectl version >/dev/null || fail "Your kubeconfig leads to no cluster; set KUBECONFIG, or use CLUSTER=local" ;;
current/down) echo "CLUSTER=current: your own cluster is left as it is" ;;
current/env) echo "export KUBECONFIG=${KUBECONFIG:-$HOME/.kube/config}" ;;
current/load-images) current_load "$@" ;;
local* | kind* | current*) fail "Unknown action '$action'; one of which, up, down, env, load-images" ;;
*) fail "CLUSTER is '${CLUSTER}'; it must be local, kind or current" ;;
esac
