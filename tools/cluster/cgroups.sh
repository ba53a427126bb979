# shellcheck shell=bash
# The cgroups of each node's pods, on cgroup v1 and v2.
#
# Two kubelets on one kernel need a root cgroup each. It must exist beforehand and must not
# have a narrower cpuset, with which kubelet fails.

# cgroup_roots prints the mount point of every hierarchy: one on v2. On v1 there is one for
# each controller, and often a unified one in addition, in which the runtime also creates its
# groups.
cgroup_roots() {
  awk '$3 == "cgroup" || $3 == "cgroup2" {print $2}' /proc/mounts
}

# make_node_cgroup NUMBER creates the node's root in every hierarchy.
make_node_cgroup() {
  local root folder controllers
  for root in $(cgroup_roots); do
    folder="$root$(node_cgroup "$1")"
    # On v2 a group has a controller only if its parent enables it.
    if [[ "$root" == /sys/fs/cgroup ]]; then
      controllers="$(sed -E 's/[a-z_]+/+&/g' "$root/cgroup.controllers")"
      echo "$controllers" >"$root/cgroup.subtree_control"
    fi
    mkdir -p "$folder"
    # On v1 a new cpuset is empty, and no process can run in it.
    if [[ -f "$root/cpuset.mems" ]]; then
      cat "$root/cpuset.cpus" >"$folder/cpuset.cpus"
      cat "$root/cpuset.mems" >"$folder/cpuset.mems"
    fi
  done
}

# node_cgroup_folders [NUMBER] prints every cgroup of the nodes, or of one, innermost first.
node_cgroup_folders() {
  local root number
  for root in $(cgroup_roots); do
    for number in ${1:-1 2}; do
      [[ ! -d "$root$(node_cgroup "$number")" ]] ||
        find "$root$(node_cgroup "$number")" -depth -type d 2>/dev/null || true
    done
  done
}

# cgroup_processes [NUMBER] prints the processes in the cgroups of the nodes, or of one. These
# are only the pods' processes, so it needs no record and works after any crash.
cgroup_processes() {
  local folder
  for folder in $(node_cgroup_folders "$@"); do
    cat "$folder/cgroup.procs" 2>/dev/null || true
  done | sort -un
}

# end_pod_processes [NUMBER] ends all pods, or those of one node, at once.
end_pod_processes() {
  wait_until 20 pod_processes_killed "$@" || die "these processes in the nodes' cgroups do not end: $(cgroup_processes "$@" | paste -sd' ')"
}

# pod_processes_killed kills the processes that it finds, and reports whether none was left. It
# is repeated, because a pod may be forking meanwhile.
pod_processes_killed() {
  local pids
  mapfile -t pids < <(cgroup_processes "$@")
  ((${#pids[@]} > 0)) || return 0
  kill -KILL "${pids[@]}" 2>/dev/null || true
  return 1
}

# remove_node_cgroups removes the nodes' cgroups. The kernel takes a moment to release a group
# whose last process has just ended.
remove_node_cgroups() {
  wait_until 20 node_cgroups_removed || die "these cgroups can't be removed: $(node_cgroup_folders | paste -sd' ')"
}

node_cgroups_removed() {
  local folder
  for folder in $(node_cgroup_folders); do
    rmdir "$folder" 2>/dev/null || true
  done
  [[ -z "$(node_cgroup_folders)" ]]
}
