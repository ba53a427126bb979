# shellcheck shell=bash
# Is the running cluster the one that is wanted, and is it well? These checks
# look and never act.

# component_names lists every process that the mode being run consists of.
component_names() {
  local number
  echo etcd kube-apiserver kube-controller-manager kube-scheduler
  for number in $(node_numbers); do
    echo "containerd-$number kubelet-$number kube-proxy-$number"
  done
}

# ailment prints the first thing that is wrong with the cluster, or nothing.
ailment() {
  local name number
  network_stands || { echo "a network namespace is gone" && return; }
  for name in $(component_names); do
    process_alive "$name" || { echo "$name does not run" && return; }
  done
  api_ready || { echo "the API server is not ready" && return; }
  for number in $(node_numbers); do
    runtime_answers "$number" || { echo "containerd of $(node_name "$number") does not answer" && return; }
    node_ready "$number" || { echo "$(node_name "$number") is not Ready" && return; }
  done
  # Pods of a namespace are refused until it has a service account.
  kubectl get serviceaccount default --namespace=default >/dev/null 2>&1 || echo "the controllers have not begun"
}

well() {
  [[ -z "$(ailment)" ]]
}

# node_ready asks the kubelet itself beside the node's condition, which goes on
# saying Ready for a while when no kubelet is there to say otherwise.
node_ready() {
  [[ "$(kubectl get --raw="/api/v1/nodes/$(node_name "$1")/proxy/healthz" 2>/dev/null)" == ok ]] || return 1
  [[ "$(kubectl get node "$(node_name "$1")" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null)" == True ]]
}

# made_before says whether a whole cluster was made and left its record; a
# run that was interrupted half-way leaves none.
made_before() {
  [[ -f "$STATE/complete" && -f "$STATE/settings" ]]
}

# as_wanted says whether the recorded cluster is the one wanted now.
as_wanted() {
  [[ "$(cat "$STATE/settings" 2>/dev/null)" == "$(wanted_settings)" ]]
}

# difference tells in a few words how the recorded cluster differs.
difference() {
  diff <(cat "$STATE/settings" 2>/dev/null) <(wanted_settings) | awk '/^[<>]/ {print $2}' | sort -u | paste -sd,
}

# print_status is for people: what runs, what each node says of itself.
print_status() {
  local name pid problem
  made_before || {
    echo "There is no cluster; make one with: cluster.sh up"
    return 1
  }
  cat "$STATE/settings"
  for name in $(component_names); do
    pid="$(process_id "$name")" || pid="does not run"
    printf '%-26s %s\n' "$name" "$pid"
  done
  kubectl get nodes -o wide 2>&1 || true
  problem="$(ailment)"
  printf '%s\n' "${problem:-Everything is well.}"
  [[ -z "$problem" ]]
}
