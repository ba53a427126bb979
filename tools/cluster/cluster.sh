#!/usr/bin/env bash
# The local cluster: a real Kubernetes on this machine, without Docker.
# README.md in this folder describes it.
#
#   cluster.sh up                    creates or repairs it; takes seconds if it is healthy
#   cluster.sh down                  ends and removes it, in any state
#   cluster.sh env                   prints exports for the shell: eval "$(cluster.sh env)"
#   cluster.sh status                prints what is running; fails if something is not
#   cluster.sh load-images FILE...   imports image archives into every node
#   cluster.sh allow-registry ADDRESS    lets the nodes pull from a registry without TLS
#   cluster.sh forget-registry ADDRESS   takes that back, and removes what they pulled from it
#   cluster.sh crash PROCESS...      kills processes, such as kube-apiserver, which up restarts
#   cluster.sh crash-node NUMBER     kills everything on a node, as if it lost power
#
# CPUS=shared creates one node on all CPUs instead of two with one CPU each. CPUS=exclusive does too, but
# a container with a limit of whole CPUs has them for itself.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit

CLUSTER_FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
BINARIES="$CLUSTER_FOLDER/../build/binaries.sh"

source "$CLUSTER_FOLDER/../build/messages.sh"
source "$CLUSTER_FOLDER/../../hack/packages.sh"
source "$CLUSTER_FOLDER/settings.sh"
source "$CLUSTER_FOLDER/processes.sh"
source "$CLUSTER_FOLDER/packages.sh"
source "$CLUSTER_FOLDER/cgroups.sh"
source "$CLUSTER_FOLDER/network.sh"
source "$CLUSTER_FOLDER/certificates.sh"
source "$CLUSTER_FOLDER/controlplane.sh"
source "$CLUSTER_FOLDER/nodeconfig.sh"
source "$CLUSTER_FOLDER/node.sh"
source "$CLUSTER_FOLDER/enforcer.sh"
source "$CLUSTER_FOLDER/images.sh"
source "$CLUSTER_FOLDER/health.sh"

# up leaves a healthy cluster, with as little change as possible: none, a restart of what has
# died, or a new cluster.
up() {
  require_root
  lock
  mkdir -p "$LOGS"
  CPU_MODE="$(cpu_mode)"
  ensure_packages
  use_binaries
  if keep_running; then
    say "the cluster is running; to use it, run: eval \"\$($CLUSTER_FOLDER/cluster.sh env)\""
    return
  fi
  recreate
}

# keep_running reports whether the existing cluster can be kept, and restarts what has died.
# Objects and images survive that.
keep_running() {
  local problem
  if ! cluster_recorded; then
    [[ ! -e "$STATE/settings" ]] || say "an earlier start or stop was interrupted; recreating the cluster"
    return 1
  elif ! settings_match; then
    say "the running cluster has other settings ($(difference)); recreating it"
    return 1
  fi
  problem="$(first_problem)"
  [[ -n "$problem" ]] || return 0
  # Processes can't move to a new namespace, so a missing one requires a new cluster.
  if network_stands; then
    say "$problem; restarting what has died"
    # After an outage of the API server, kubelets may report nothing for more than a minute.
    start_everything && wait_until 180 healthy && return 0
    problem="$(first_problem)"
  fi
  say "$problem; recreating the cluster"
  return 1
}

# recreate removes what is left of a cluster and creates another.
recreate() {
  local began=$SECONDS
  take_down
  refuse_occupied
  say "starting the cluster, $CPU_MODE CPUs (under a minute)"
  mkdir -p "$LOGS"
  wanted_settings >"$STATE/settings"
  printf '%s\n' "$KUBERNETES_BIN" "$CONTAINERD_BIN" >"$STATE/binaries"
  make_network
  make_certificates 2>>"$LOGS/certificates.log"
  if ! start_everything || ! wait_until 300 healthy; then
    die "$(first_problem) after five minutes; see the logs in $LOGS"
  fi
  touch "$STATE/complete"
  say "the cluster is running after $((SECONDS - began)) s; to use it, run: eval \"\$($CLUSTER_FOLDER/cluster.sh env)\""
}

# refuse_occupied ends the script on machines that the cluster would disturb: its kubelets
# would share the folder of the machine's own kubelet, and it must not use addresses that are
# already routed.
refuse_occupied() {
  local routes
  [[ -z "$(ls -A "$KUBELET_FOLDER" 2>/dev/null)" ]] ||
    die "$KUBELET_FOLDER is not empty, so another kubelet uses this machine; use that cluster, or empty the folder if the kubelet is gone"
  routes="$(ip -4 route show root 198.18.0.0/15)"
  [[ -z "$routes" ]] || die "this machine already routes addresses of 198.18.0.0/15, which the local cluster needs: $routes"
}

start_everything() {
  local number
  start_control_plane || return 1
  for number in $(node_numbers); do
    start_node "$number" || return 1
  done
  permit_enforcers
  for number in $(node_numbers); do
    start_enforcer "$number" || return 1
  done
}

# take_down ends and removes everything that a cluster may have created. It needs no record of
# how far the start got. The logs of the last cluster are kept.
take_down() {
  # From here on the cluster is incomplete: a stop that is killed is not repaired.
  rm -f "$STATE/complete"
  stop_nodes
  stop_control_plane
  remove_network
  if [[ -d "$STATE" ]]; then
    keep_logs
    find "$STATE" -mindepth 1 -maxdepth 1 ! -name logs.previous -exec rm -rf --one-file-system {} +
  fi
}

# keep_logs keeps the logs of the last cluster, if there are any.
keep_logs() {
  [[ -n "$(find "$LOGS" -type f -print -quit 2>/dev/null)" ]] || return 0
  rm -rf "$STATE/logs.previous"
  mv "$LOGS" "$STATE/logs.previous"
}

down() {
  require_root
  lock
  take_down
  say "the cluster is removed; the logs of its last run are in $STATE/logs.previous"
}

# crash_node NUMBER ends kubelet first, which would otherwise report what happens to the pods.
crash_node() {
  crash "kubelet-$1"
  end_pod_processes "$1"
  end_shims "$1"
  crash "containerd-$1" "kube-proxy-$1" "kube-router-$1"
}

# lock keeps two runs from changing the cluster at the same time.
lock() {
  exec {LOCK}>"$LOCK_FILE"
  flock -n "$LOCK" || {
    say "waiting for another run of cluster.sh"
    flock "$LOCK"
  }
}

# use_binaries compiles what is not cached and sets each program's folder.
use_binaries() {
  KUBERNETES_BIN="$("$BINARIES" kubernetes)"
  ETCD_BIN="$("$BINARIES" etcd)"
  CONTAINERD_BIN="$("$BINARIES" containerd)"
  CNI_BIN="$("$BINARIES" cni)"
  KUBE_ROUTER_BIN="$("$BINARIES" kube-router)"
  PAUSE_BIN="$("$BINARIES" pause)"
  PIN=()
  [[ "$CPU_MODE" == shared ]] || PIN=(taskset -c "$CONTROL_CPU")
}

# use_recorded uses the settings of the existing cluster.
use_recorded() {
  cluster_recorded || die "there is no cluster; create one with: $CLUSTER_FOLDER/cluster.sh up"
  CPU_MODE="$(awk '$1 == "cpus" {print $2}' "$STATE/settings")"
  { read -r KUBERNETES_BIN && read -r CONTAINERD_BIN; } <"$STATE/binaries"
}

# print_environment prints exports and nothing else, because a shell evaluates it. It includes
# Helm, which installs the chart here.
print_environment() {
  local helm
  use_recorded
  helm="$("$BINARIES" helm)"
  printf 'export KUBECONFIG=%q\n' "$ADMIN_KUBECONFIG"
  # shellcheck disable=SC2016 # the reading shell expands its own PATH
  printf 'export PATH=%q:%q:%q:"$PATH"\n' "$KUBERNETES_BIN" "$CONTAINERD_BIN" "$helm"
}

main() {
  local command="${1:-}"
  (($# == 0)) || shift
  case "$command" in
    up) up ;;
    down) down ;;
    env) print_environment ;;
    status)
      use_recorded
      print_status
      ;;
    load-images)
      require_root
      use_recorded
      load_images "$@"
      ;;
    allow-registry | forget-registry | crash | crash-node)
      require_root
      use_recorded
      "${command/-/_}" "$@"
      ;;
    *) die "usage: cluster.sh up|down|env|status|load-images FILE...|allow-registry ADDRESS|forget-registry ADDRESS|crash PROCESS...|crash-node NUMBER" ;;
  esac
}

main "$@"
