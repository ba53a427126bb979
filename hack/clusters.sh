#!/usr/bin/env bash
# Commands for every kind of cluster, selected by CLUSTER:
#
#   local     built from source on this machine (tools/cluster); needs root
#   kind      three nodes in Docker; needs Docker's engine and kind. KIND_NODE_IMAGE is the image of
#             the nodes, by default kind's own
#   current   the cluster of your own kubeconfig, which is neither created nor removed
#
#   clusters.sh which                prints the default of CLUSTER
#   clusters.sh up|down|env          as in tools/cluster/cluster.sh
#   clusters.sh load-images FILE...
#
# Every target of make runs it, also with the bash of macOS, as in krew.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

# kind if it is available, because it does not need root; otherwise the local cluster.
which_cluster() {
  if command -v kind >/dev/null && docker info >/dev/null 2>&1; then
    echo kind
  else
    echo local
  fi
}

# Its kubeconfig is in dist, so that kubectl's current context stays yours.
kind_up() {
  mkdir -p dist
  kind get clusters 2>/dev/null | grep -qx hashmark ||
    kind create cluster --name hashmark --config hack/kind.yaml --kubeconfig dist/kind.kubeconfig --wait 120s \
      ${KIND_NODE_IMAGE:+--image="$KIND_NODE_IMAGE"}
  kind get kubeconfig --name hashmark >dist/kind.kubeconfig
}

kind_load() {
  local archive
  for archive in "$@"; do
    kind load image-archive --name hashmark "$archive"
  done
}

current_up() {
  kubectl version >/dev/null || die "your kubeconfig does not reach a cluster; set KUBECONFIG, or leave CLUSTER out"
}

# Only you can push to your registry.
current_load() {
  say "CLUSTER=current: its nodes must be able to pull ${IMAGES:-hashmark.dev}/{operator,loginservice,generator}:${TAG:-dev}; push these archives: $*"
}

# helm_way prints the export that adds Helm, in the version of these scripts, to PATH.
helm_way() {
  local folder
  folder=$(tools/build/binaries.sh helm)
  # shellcheck disable=SC2016 # the reading shell expands its own PATH
  printf 'export PATH=%q:"$PATH"\n' "$folder"
}

# plugin_way prints the export that adds "kubectl hashmark" to PATH. If the plugin does not
# compile, the cluster can still be used.
plugin_way() {
  local folder
  folder=$(hack/krew.sh folder) || return 0
  # shellcheck disable=SC2016 # the reading shell expands its own PATH
  printf 'export PATH=%q:"$PATH"\n' "$folder"
}

action=${1:-}
(($# == 0)) || shift
[[ "$action" != which ]] || {
  which_cluster
  exit
}
case "${CLUSTER:=$(which_cluster)} $action" in
  "local env")
    tools/cluster/cluster.sh env
    plugin_way
    ;;
  "local "*) exec tools/cluster/cluster.sh "$action" "$@" ;;
  "kind up") kind_up ;;
  "kind down") kind delete cluster --name hashmark --kubeconfig dist/kind.kubeconfig ;;
  "kind env")
    printf 'export KUBECONFIG=%q\n' "$PWD/dist/kind.kubeconfig"
    helm_way
    plugin_way
    ;;
  "kind load-images") kind_load "$@" ;;
  "current up") current_up ;;
  "current down") say "CLUSTER=current: your own cluster is not changed" ;;
  "current env")
    printf 'export KUBECONFIG=%q\n' "${KUBECONFIG:-$HOME/.kube/config}"
    helm_way
    plugin_way
    ;;
  "current load-images") current_load "$@" ;;
  "kind "* | "current "*) die "usage: clusters.sh which|up|down|env|load-images FILE..." ;;
  *) die "CLUSTER is \"$CLUSTER\"; it must be local, kind or current" ;;
esac
