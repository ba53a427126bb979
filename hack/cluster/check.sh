#!/usr/bin/env bash
# Tries on this machine what cluster.sh promises: that "up" puts right whatever
# has happened, and that "down" leaves nothing. It takes about two minutes,
# ends whatever runs in the cluster, and leaves the cluster up.
#
# Processes are killed here without a word, as a crash would; pods keep running
# meanwhile, so that it also shows what a repair spares.
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

# crash NAME... kills recorded processes of the cluster.
crash() {
  local name
  for name in "$@"; do
    kill -KILL "$(process_id "$name")"
    wait_until 10 process_gone "$name"
  done
}

# expect_well SENTENCE brings the cluster up and fails unless it is well then.
expect_well() {
  "$CLUSTER" up
  "$CLUSTER" status >/dev/null || die "NOT SO: up puts it right when $1"
  echo "ok: up puts it right when $1"
}

# expect_pods_spared SENTENCE NAME... kills processes of the cluster and expects
# that it is put right without any pod noticing.
expect_pods_spared() {
  local before after
  before="$(pods)"
  crash "${@:2}"
  expect_well "$1"
  after="$(pods)"
  [[ "$before" == "$after" ]] || die "NOT SO: pods are spared when $1: $before became $after"
}

# admin calls the cluster, which is another one after each start.
admin() {
  "$(cat "$STATE/binaries")/kubectl" --kubeconfig="$ADMIN_KUBECONFIG" "$@"
}

# pods lists each pod's identity and how often it was started.
pods() {
  admin get pods --all-namespaces \
    -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[0].restartCount}{"\n"}{end}'
}

# start_pod runs a pod that only waits, and returns when it does.
start_pod() {
  admin delete pod waiting --ignore-not-found --now >/dev/null
  admin run waiting --image="$PAUSE_IMAGE" --image-pull-policy=Never >/dev/null
  admin wait --for=condition=Ready pod/waiting --timeout=60s >/dev/null
}

# leftovers prints all that "down" should have removed and has not.
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
  [[ -z "$left" ]] || die "NOT SO: $1; there is still: $left"
  echo "ok: $1"
}

# interrupt COMMAND SECONDS begins a command of cluster.sh and kills it.
interrupt() {
  "$CLUSTER" "$1" &
  sleep "$2"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
}

main() {
  expect_well "anything at all was there before"
  start_pod
  expect_pods_spared "nothing is wrong"
  expect_pods_spared "etcd and a kubelet were killed" etcd kubelet-1
  expect_pods_spared "a containerd and a kube-proxy were killed" containerd-1 kube-proxy-1
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
