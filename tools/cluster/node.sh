# shellcheck shell=bash
# A node: containerd, kubelet and kube-proxy in a network namespace of their
# own, with folders, sockets and cgroups of their own.

# start_node NUMBER starts what is not running on a node.
start_node() {
  local folder
  folder="$(node_folder "$1")"
  mkdir -p "$folder/cni"
  make_node_cgroup "$1"
  write_cni_config "$1" >"$folder/cni/10-hashmark.conflist"
  write_containerd_config "$1" >"$folder/containerd.toml"
  write_kubelet_config "$1" >"$folder/kubelet.yaml"
  write_proxy_config "$1" >"$folder/kube-proxy.yaml"
  start_process "containerd-$1" "$(node_netns "$1")" "$CONTAINERD_BIN/containerd" --config "$folder/containerd.toml"
  wait_until 60 runtime_answers "$1" || return 1
  import_pause "$1"
  start_kubelet "$1"
  start_process "kube-proxy-$1" "$(node_netns "$1")" "$KUBERNETES_BIN/kube-proxy" --config="$folder/kube-proxy.yaml"
}

# start_kubelet NUMBER starts kubelet without its CPU manager's state. If a pod has exclusive
# use of the only CPU, kubelet refuses its own state file ("default cpuset cannot be empty");
# without the file it derives the state from the pods.
start_kubelet() {
  local folder
  process_alive "kubelet-$1" && return 0
  folder="$(node_folder "$1")"
  rm -f "$folder/kubelet/cpu_manager_state"
  start_process "kubelet-$1" "$(node_netns "$1")" "$KUBERNETES_BIN/kubelet" \
    --config="$folder/kubelet.yaml" \
    --kubeconfig="$KUBECONFIGS/$(node_name "$1")" \
    --root-dir="$folder/kubelet" \
    --cert-dir="$folder/kubelet-pki" \
    --hostname-override="$(node_name "$1")" \
    --node-ip="$(node_address "$1")" \
    --node-labels="$(node_labels "$1")"
}

# runtime NUMBER ARGUMENTS... runs ctr on the node's containerd, in Kubernetes' namespace.
runtime() {
  local socket
  socket="$(node_runtime "$1")"
  shift
  timeout 300 "$CONTAINERD_BIN/ctr" --address "$socket" --namespace k8s.io "$@"
}

runtime_answers() {
  [[ -S "$(node_runtime "$1")" ]] &&
    timeout 5 "$CONTAINERD_BIN/ctr" --address "$(node_runtime "$1")" version >/dev/null 2>&1
}

# stop_nodes ends kubelet first, which would otherwise restart pods, then the pods, and then
# the rest. It removes what a cluster of either mode may have left, whatever the current mode
# is.
stop_nodes() {
  local number
  for number in 1 2; do stop_process "kubelet-$number" 5; done
  end_pod_processes
  for number in 1 2; do
    end_shims "$number"
    stop_process "containerd-$number" 10
    stop_process "kube-proxy-$number" 5
    stop_process "kube-router-$number" 5
  done
  remove_mounts
  remove_node_cgroups
  remove_traces
}

# KUBELET_FOLDER is where every kubelet listens for device plugins, independent of its
# --root-dir.
KUBELET_FOLDER=/var/lib/kubelet

# remove_traces deletes what programs write outside of their configured folders: the CNI
# library's results, and kubelet's links to pod logs and its plugin socket. refuse_occupied has
# checked that kubelet's folder was empty before the nodes were created, so everything in it is
# theirs.
remove_traces() {
  rm -f /var/lib/cni/results/hashmark-node-*-eth0
  [[ ! -d /var/log/containers ]] || find /var/log/containers -lname "$STATE/*" -delete
  [[ ! -d "$(node_folder 1)" ]] || rm -rf "$KUBELET_FOLDER/device-plugins"
}

# end_shims NUMBER ends the node's containerd-shim processes. Each has the socket of its
# containerd as an argument, and that socket is in the node's folder, so no other process of
# the machine matches.
end_shims() {
  wait_until 20 shims_killed "$(node_runtime "$1")" || die "containerd shims of $(node_name "$1") do not end"
}

shims_killed() {
  local pids
  mapfile -t pids < <(shims_of "$1")
  ((${#pids[@]} > 0)) || return 0
  kill -KILL "${pids[@]}" 2>/dev/null || true
  return 1
}

# shims_of SOCKET prints the shims with the socket as an argument. The whole argument must
# match, because another argument could contain the path.
shims_of() {
  local folder words
  for folder in /proc/[0-9]*; do
    # A process may end between the listing and this read.
    words="$({ tr '\0' '\n' <"$folder/cmdline"; } 2>/dev/null)" || continue
    if [[ "$words" == *containerd-shim* ]] && grep -qxF -- "$1" <<<"$words"; then
      echo "${folder#/proc/}"
    fi
  done
}

# remove_mounts unmounts what is mounted in the state folder, innermost first.
remove_mounts() {
  local mount
  while read -r mount; do
    umount "$mount" 2>/dev/null || umount --lazy "$mount"
  done < <(awk -v state="$STATE/" 'index($5, state) == 1 {print $5}' /proc/self/mountinfo | sort -r)
}
