# shellcheck shell=bash
# The cgroups under which each node keeps its pods, on cgroup v1 and v2.
#
# Two kubelets on one kernel need a root each. It must be there beforehand, and
# it gives no cpuset of its own: a kubelet under a narrower one fails.

# cgroup_roots lists the mount point of every hierarchy: one on v2; on v1 one
# for each controller, and beside them often a unified one, in which the
# runtime makes its groups too.
cgroup_roots() {
  awk '$3 == "cgroup" || $3 == "cgroup2" {print $2}' /proc/mounts
}

# make_node_cgroup NUMBER makes the node's root in every hierarchy.
make_node_cgroup() {
  local root folder controllers
  for root in $(cgroup_roots); do
    folder="$root$(node_cgroup "$1")"
    # On v2 a controller reaches a group only if its parent hands it down.
    if [[ "$root" == /sys/fs/cgroup ]]; then
      controllers="$(sed -E 's/[a-z_]+/+&/g' "$root/cgroup.controllers")"
      echo "$controllers" >"$root/cgroup.subtree_control"
    fi
    mkdir -p "$folder"
    # On v1 a new cpuset is empty, and nothing can run in an empty one.
    if [[ -f "$root/cpuset.mems" ]]; then
      cat "$root/cpuset.cpus" >"$folder/cpuset.cpus"
      cat "$root/cpuset.mems" >"$folder/cpuset.mems"
    fi
  done
}

# node_cgroup_folders lists every cgroup of the nodes, innermost first.
node_cgroup_folders() {
  local root number
  for root in $(cgroup_roots); do
    for number in 1 2; do
      [[ ! -d "$root$(node_cgroup "$number")" ]] ||
        find "$root$(node_cgroup "$number")" -depth -type d 2>/dev/null || true
    done
  done
}

# cgroup_processes lists who runs in the nodes' cgroups: the pods' processes
# and nobody else, so that this needs no record and works after any crash.
cgroup_processes() {
  local folder
  for folder in $(node_cgroup_folders); do
    cat "$folder/cgroup.procs" 2>/dev/null || true
  done | sort -un
}

# end_pod_processes ends all pods at once.
end_pod_processes() {
  wait_until 20 pod_processes_killed || die "processes in the nodes' cgroups do not end: $(cgroup_processes | paste -sd' ')"
}

# pod_processes_killed kills whom it finds and says whether nobody was left. A
# pod may be forking meanwhile, hence more than one look.
pod_processes_killed() {
  local pids
  mapfile -t pids < <(cgroup_processes)
  ((${#pids[@]} > 0)) || return 0
  kill -KILL "${pids[@]}" 2>/dev/null || true
  return 1
}

# remove_node_cgroups removes them. The kernel takes a moment to let go of a
# group whose last process has just ended.
remove_node_cgroups() {
  wait_until 20 node_cgroups_removed || die "cgroups are left: $(node_cgroup_folders | paste -sd' ')"
}

node_cgroups_removed() {
  local folder
  for folder in $(node_cgroup_folders); do
    rmdir "$folder" 2>/dev/null || true
  done
  [[ -z "$(node_cgroup_folders)" ]]
}
