#!/usr/bin/env bash
# The local cluster: a real Kubernetes on this machine, made without Docker.
# README.md beside this file says what it consists of.
#
#   cluster.sh up                    makes it, or puts it right; seconds if it is well
#   cluster.sh down                  ends and removes it, in whatever state it is
#   cluster.sh env                   prints the shell's way in: eval "$(cluster.sh env)"
#   cluster.sh status                says what runs; fails when something does not
#   cluster.sh load-images FILE...   gives image archives to every node
#
# CPUS=shared makes one node on all CPUs instead of two with one CPU each.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit

CLUSTER_FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
BINARIES="$CLUSTER_FOLDER/../build/binaries.sh"

source "$CLUSTER_FOLDER/../build/messages.sh"
source "$CLUSTER_FOLDER/settings.sh"
source "$CLUSTER_FOLDER/processes.sh"
source "$CLUSTER_FOLDER/packages.sh"
source "$CLUSTER_FOLDER/cgroups.sh"
source "$CLUSTER_FOLDER/network.sh"
source "$CLUSTER_FOLDER/certificates.sh"
source "$CLUSTER_FOLDER/controlplane.sh"
source "$CLUSTER_FOLDER/nodeconfig.sh"
source "$CLUSTER_FOLDER/node.sh"
source "$CLUSTER_FOLDER/images.sh"
source "$CLUSTER_FOLDER/health.sh"

# up leaves a cluster that is well, by the least that does it: nothing, a start
# of what has died, or a new cluster.
up() {
  require_root
  lock
  mkdir -p "$LOGS"
  CPU_MODE="$(cpu_mode)"
  ensure_packages
  use_binaries
  if keep_running; then
    say "the cluster is up; to use it: eval \"\$($CLUSTER_FOLDER/cluster.sh env)\""
    return
  fi
  make_anew
}

# keep_running says whether the cluster there is could be kept, and starts what
# has died of it. Objects and images survive that.
keep_running() {
  local problem
  if ! made_before; then
    [[ ! -e "$STATE/settings" ]] || say "an earlier start or stop was interrupted; making the cluster anew"
    return 1
  elif ! as_wanted; then
    say "the running cluster is another one ($(difference)); making it anew"
    return 1
  fi
  problem="$(ailment)"
  [[ -n "$problem" ]] || return 0
  # Processes cannot move to a new namespace, so one that is gone takes all.
  if network_stands; then
    say "$problem; starting what has died"
    start_everything && wait_until 60 well && return 0
    problem="$(ailment)"
  fi
  say "$problem; making the cluster anew"
  return 1
}

# make_anew ends whatever is left of a cluster and makes another.
make_anew() {
  local began=$SECONDS
  take_down
  refuse_occupied
  say "starting the cluster, $CPU_MODE CPUs (under a minute)"
  mkdir -p "$LOGS"
  wanted_settings >"$STATE/settings"
  printf '%s\n' "$KUBERNETES_BIN" >"$STATE/binaries"
  make_network
  make_certificates 2>>"$LOGS/certificates.log"
  if ! start_everything || ! wait_until 120 well; then
    die "$(ailment) after two minutes; its words are in $LOGS"
  fi
  touch "$STATE/complete"
  say "the cluster is up after $((SECONDS - began)) s; to use it: eval \"\$($CLUSTER_FOLDER/cluster.sh env)\""
}

# refuse_occupied keeps away from machines where the cluster would do harm: a
# kubelet of the machine's own has a folder that ours would share, and addresses
# that something else routes are not ours to take.
refuse_occupied() {
  local routes
  [[ -z "$(ls -A "$KUBELET_FOLDER" 2>/dev/null)" ]] ||
    die "another kubelet uses this machine, since $KUBELET_FOLDER is not empty; use that cluster, or empty the folder if it is gone"
  routes="$(ip -4 route show root 198.18.0.0/15)"
  [[ -z "$routes" ]] || die "this machine already routes addresses of 198.18.0.0/15, which the local cluster needs: $routes"
}

start_everything() {
  local number
  start_control_plane || return 1
  for number in $(node_numbers); do
    start_node "$number" || return 1
  done
}

# take_down ends and removes everything a cluster may have made, needing no
# record of how far it came. The logs of the last one are kept for a look back.
take_down() {
  # From here on it is no whole cluster: a stop that is killed is not mended.
  rm -f "$STATE/complete"
  stop_nodes
  stop_control_plane
  remove_network
  if [[ -d "$STATE" ]]; then
    keep_logs
    find "$STATE" -mindepth 1 -maxdepth 1 ! -name logs.previous -exec rm -rf --one-file-system {} +
  fi
}

# keep_logs puts the logs aside, unless the run that asks has only begun.
keep_logs() {
  [[ -n "$(find "$LOGS" -type f -print -quit 2>/dev/null)" ]] || return 0
  rm -rf "$STATE/logs.previous"
  mv "$LOGS" "$STATE/logs.previous"
}

down() {
  require_root
  lock
  take_down
  say "the cluster is down; the logs of its last run are in $STATE/logs.previous"
}

# lock keeps two runs from changing the cluster at one time.
lock() {
  exec {LOCK}>"$LOCK_FILE"
  flock -n "$LOCK" || {
    say "waiting for another run of cluster.sh"
    flock "$LOCK"
  }
}

# use_binaries compiles what is not cached and finds each program's folder.
use_binaries() {
  KUBERNETES_BIN="$("$BINARIES" kubernetes)"
  ETCD_BIN="$("$BINARIES" etcd)"
  PAUSE_BIN="$("$BINARIES" pause)"
  PIN=()
  [[ "$CPU_MODE" == shared ]] || PIN=(taskset -c "$CONTROL_CPU")
}

# use_recorded speaks to the cluster there is, whatever would be made now.
use_recorded() {
  made_before || die "there is no cluster; make one with: $CLUSTER_FOLDER/cluster.sh up"
  CPU_MODE="$(awk '$1 == "cpus" {print $2}' "$STATE/settings")"
  KUBERNETES_BIN="$(cat "$STATE/binaries")"
}

# print_environment is read by a shell, so it prints exports and nothing else.
# Helm belongs to the way in: what is installed here is installed by it.
print_environment() {
  local helm
  use_recorded
  helm="$("$BINARIES" helm)"
  printf 'export KUBECONFIG=%q\n' "$ADMIN_KUBECONFIG"
  # shellcheck disable=SC2016 # the reading shell expands its own PATH
  printf 'export PATH=%q:%q:"$PATH"\n' "$KUBERNETES_BIN" "$helm"
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
    *) die "usage: cluster.sh up|down|env|status|load-images FILE..." ;;
  esac
}

main "$@"
