# shellcheck shell=bash disable=SC2034
# The names, addresses and CPUs of the cluster, for the other files.
#
# 198.18.0.0/15 is the range for benchmarks, so the cluster's addresses do not conflict with
# the machine's own network.

# A machine has one cluster for all clones, because addresses and namespaces belong to the
# machine. The folder is therefore outside of every clone.
STATE=/var/lib/hashmark-cluster
LOCK_FILE=/run/hashmark-cluster.lock
LOGS="$STATE/logs"
PKI="$STATE/pki"
KUBECONFIGS="$STATE/kubeconfigs"
ADMIN_KUBECONFIG="$STATE/kubeconfig"

LAN_NETNS=hm-lan
LAN_BRIDGE=hm-bridge
HOST_LINK=hm-host
HOST_ADDRESS=198.18.0.254
API_ADDRESS=198.18.0.1
API_URL="https://$API_ADDRESS:6443"
POD_RANGE=198.18.16.0/20
SERVICE_RANGE=198.19.0.0/16
API_SERVICE_ADDRESS=198.19.0.1

# CONTROL_CPU runs everything but pods. With two nodes, node-1, on CPU 0, runs only the service.
CONTROL_CPU=1
PAUSE_IMAGE=hashmark.dev/pause:local

# Otherwise ctr warns at each call that version 1 of cgroups is deprecated.
export CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS=1

# cpu_mode prints "split" if each of two nodes has a CPU of its own, which is the default with
# two CPUs, "shared" for one node on all CPUs, or "exclusive" for one node that keeps CONTROL_CPU for
# everything but pods and gives containers with a limit of whole CPUs their own.
cpu_mode() {
  local two=yes
  taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null || two=no
  case "${CPUS:-}" in
    shared | exclusive) echo "$CPUS" ;;
    split | "")
      if [[ "$two" == yes ]]; then
        echo split
      elif [[ -z "${CPUS:-}" ]]; then
        echo shared
      else
        die "CPUS=split needs CPUs 0 and 1, which this shell may not use; leave CPUS out"
      fi
      ;;
    *) die "CPUS is \"$CPUS\"; it may be split, shared or exclusive" ;;
  esac
}

# node_numbers prints the nodes of the current mode.
node_numbers() {
  if [[ "$CPU_MODE" == split ]]; then echo 1 2; else echo 1; fi
}

node_name() { echo "node-$1"; }
node_netns() { echo "hm-node-$1"; }
node_address() { echo "198.18.0.1$1"; }
node_pods() { echo "198.18.$((15 + $1)).0/24"; }
node_cgroup() { echo "/hashmark-node-$1"; }
node_folder() { echo "$STATE/node-$1"; }
node_registries() { echo "$(node_folder "$1")/registries"; }
node_runtime() { echo "$(node_folder "$1")/containerd.sock"; }

# node_reserved NUMBER prints the CPUs that the node reserves from its pods: of two nodes all but its
# own, including CPUs above the second.
node_reserved() {
  local own=$(($1 - 1)) last
  [[ "$CPU_MODE" == split ]] || {
    echo "$CONTROL_CPU"
    return
  }
  last=$(($(nproc --all) - 1))
  seq 0 "$last" | grep -vx "$own" | paste -sd,
}

# wanted_settings prints what a cluster that is created now would be: the mode, the binaries,
# and the scripts that configure it. If this differs from the record, the running cluster is
# another one. The boot ID is included because namespaces and cgroups do not survive a boot,
# but the state folder does.
wanted_settings() {
  local shape=(settings.sh network.sh certificates.sh controlplane.sh audit-policy.yaml node.sh nodeconfig.sh enforcer.sh)
  printf 'cpus %s\n' "$CPU_MODE"
  printf 'kubernetes %s\n' "$(basename "$KUBERNETES_BIN")"
  printf 'etcd %s\n' "$(basename "$ETCD_BIN")"
  printf 'containerd %s\n' "$(basename "$CONTAINERD_BIN")"
  printf 'cni %s\n' "$(basename "$CNI_BIN")"
  printf 'kube-router %s\n' "$(basename "$KUBE_ROUTER_BIN")"
  printf 'pause %s\n' "$(basename "$PAUSE_BIN")"
  printf 'scripts %s\n' "$(cd "$CLUSTER_FOLDER" && cat "${shape[@]}" | grep -vE '^[[:space:]]*(#|$)' | sha256sum | cut -c1-12)"
  printf 'boot %s\n' "$(cat /proc/sys/kernel/random/boot_id)"
}
