#!/usr/bin/env bash
# Tests on this machine that "cluster.sh up" repairs every kind of damage, and that "down"
# leaves nothing behind. It takes about two minutes, ends everything that runs in the cluster,
# and leaves the cluster running.
#
# Processes are killed with SIGKILL, as in a crash. Pods keep running meanwhile, so the test
# also shows what a repair does not interrupt.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit

CLUSTER_FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
CLUSTER="$CLUSTER_FOLDER/cluster.sh"

source "$CLUSTER_FOLDER/../build/messages.sh"
source "$CLUSTER_FOLDER/settings.sh"
source "$CLUSTER_FOLDER/processes.sh"
source "$CLUSTER_FOLDER/cgroups.sh"
source "$CLUSTER_FOLDER/node.sh"

# expect_well SENTENCE runs "up" and fails unless the cluster is healthy then.
expect_well() {
  "$CLUSTER" up
  "$CLUSTER" status >/dev/null || die "FAILED: up repairs the cluster when $1"
  echo "ok: up repairs the cluster when $1"
}

# expect_pods_spared SENTENCE NAME... kills processes of the cluster and expects that it is
# repaired without a restart of any pod.
expect_pods_spared() {
  local before after
  before="$(pods)"
  crash "${@:2}"
  expect_well "$1"
  after="$(pods)"
  [[ "$before" == "$after" ]] || die "FAILED: pods keep running when $1: $before became $after"
}

# admin runs kubectl on the current cluster, which may be a new one after each start.
admin() {
  "$(head -1 "$STATE/binaries")/kubectl" --kubeconfig="$ADMIN_KUBECONFIG" "$@"
}

# pods prints each pod's UID and restart count.
pods() {
  admin get pods --all-namespaces \
    -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[0].restartCount}{"\n"}{end}'
}

# start_pod starts a pod that only waits, and returns when it is ready.
start_pod() {
  admin delete pod waiting --ignore-not-found --now >/dev/null
  admin run waiting --image="$PAUSE_IMAGE" --image-pull-policy=Never >/dev/null
  admin wait --for=condition=Ready pod/waiting --timeout=60s >/dev/null
}

# leftovers prints all that "down" should have removed and did not.
leftovers() {
  local number
  grep -F "$STATE/" /proc/self/mountinfo || true
  find /run/netns -name 'hm-*' 2>/dev/null || true
  ip -brief link show "$HOST_LINK" 2>/dev/null || true
  node_cgroup_folders
  find /var/lib/cni/results -name 'hashmark-*' 2>/dev/null || true
  find /var/log/containers -lname "$STATE/*" 2>/dev/null || true
  find "$KUBELET_FOLDER" -mindepth 1 2>/dev/null || true
  find "$STATE" -mindepth 1 -maxdepth 1 ! -name logs.previous 2>/dev/null || true
  for number in 1 2; do shims_of "$(node_runtime "$number")"; done
}

expect_nothing_left() {
  "$CLUSTER" down
  local left
  left="$(leftovers)"
  [[ -z "$left" ]] || die "FAILED: $1; still left: $left"
  echo "ok: $1"
}

# interrupt COMMAND SECONDS starts a command of cluster.sh and kills it.
interrupt() {
  "$CLUSTER" "$1" &
  sleep "$2"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
}

main() {
  expect_well "it starts in any state"
  start_pod
  expect_pods_spared "nothing is wrong"
  expect_pods_spared "etcd and a kubelet were killed" etcd kubelet-1
  expect_pods_spared "a containerd, a kube-proxy and a kube-router were killed" containerd-1 kube-proxy-1 kube-router-1
  expect_pods_spared "the rest of the control plane was killed" \
    kube-apiserver kube-controller-manager kube-scheduler
  ip netns delete "$(node_netns 1)"
  expect_well "a network namespace was deleted"
  start_pod
  expect_nothing_left "down removes a running cluster"
  expect_nothing_left "down does nothing the second time"
  interrupt up 5
  expect_well "an earlier start was killed half-way"
  start_pod
  interrupt down 1
  expect_well "a stop was killed half-way"
}

main "$@"
