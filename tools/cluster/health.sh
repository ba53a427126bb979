# shellcheck shell=bash
# Checks whether the running cluster is the wanted one, and whether it is healthy. The checks
# change nothing.

# component_names prints every process of the cluster in its mode.
component_names() {
  local number
  echo etcd kube-apiserver kube-controller-manager kube-scheduler
  for number in $(node_numbers); do
    echo "containerd-$number kubelet-$number kube-proxy-$number kube-router-$number"
  done
}

# first_problem prints the first problem of the cluster, or nothing.
first_problem() {
  local name number
  network_stands || { echo "a network namespace is missing" && return; }
  for name in $(component_names); do
    process_alive "$name" || { echo "$name is not running" && return; }
  done
  api_ready || { echo "the API server is not ready" && return; }
  for number in $(node_numbers); do
    runtime_answers "$number" || { echo "containerd of $(node_name "$number") does not respond" && return; }
    node_ready "$number" || { echo "$(node_name "$number") is not Ready" && return; }
    enforces "$number" || { echo "$(node_name "$number") does not enforce NetworkPolicies" && return; }
  done
  # A namespace admits no pods until it has a service account.
  kubectl get serviceaccount default --namespace=default >/dev/null 2>&1 || echo "the controllers have not started"
}

healthy() {
  [[ -z "$(first_problem)" ]]
}

# node_ready asks kubelet itself in addition to the node's condition, which stays Ready for a
# while after kubelet has died.
node_ready() {
  [[ "$(kubectl get --raw="/api/v1/nodes/$(node_name "$1")/proxy/healthz" 2>/dev/null)" == ok ]] || return 1
  [[ "$(kubectl get node "$(node_name "$1")" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null)" == True ]]
}

# cluster_recorded reports whether a complete cluster was recorded. A run that was interrupted
# leaves no record.
cluster_recorded() {
  [[ -f "$STATE/complete" && -f "$STATE/settings" ]]
}

# settings_match reports whether the recorded cluster has the wanted settings.
settings_match() {
  [[ "$(cat "$STATE/settings" 2>/dev/null)" == "$(wanted_settings)" ]]
}

# difference prints which settings of the recorded cluster differ.
difference() {
  diff <(cat "$STATE/settings" 2>/dev/null) <(wanted_settings) | awk '/^[<>]/ {print $2}' | sort -u | paste -sd,
}

# print_status prints for people what is running, and the nodes.
print_status() {
  local name pid problem
  cluster_recorded || {
    echo "There is no cluster; create one with: cluster.sh up"
    return 1
  }
  cat "$STATE/settings"
  for name in $(component_names); do
    pid="$(process_id "$name")" || pid="not running"
    printf '%-26s %s\n' "$name" "$pid"
  done
  kubectl get nodes -o wide 2>&1 || true
  problem="$(first_problem)"
  printf '%s\n' "${problem:-The cluster is healthy.}"
  [[ -z "$problem" ]]
}
