# shellcheck shell=bash
# The configuration files of a node's programs. Each setting that is not a
# matter of course has its reason beside it.

# write_containerd_config NUMBER keeps all that containerd makes under the
# node's folder, where it is found again and removed.
#
# restrict_oom_score_adj: a shell without CAP_SYS_RESOURCE may not lower an OOM
# score, and runc would fail with "can't get final child's PID from pipe".
write_containerd_config() {
  local folder
  folder="$(node_folder "$1")"
  cat <<TOML
version = 2
root = "$folder/containerd"
state = "$folder/run"
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
  address = "$(node_runtime "$1")"

[plugins."io.containerd.internal.v1.opt"]
  path = "$folder/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$CNI_BIN"
    conf_dir = "$folder/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = "$folder/runc"
        SystemdCgroup = false
TOML
}

# write_cni_config NUMBER gives pods addresses of the node's range on a bridge.
# hairpinMode lets a pod reach itself through its Service.
write_cni_config() {
  cat <<JSON
{
  "cniVersion": "0.4.0",
  "name": "hashmark-$(node_name "$1")",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "cni0",
      "isGateway": true,
      "hairpinMode": true,
      "ipam": {
        "type": "host-local",
        "dataDir": "$(node_folder "$1")/addresses",
        "ranges": [[{"subnet": "$(node_pods "$1")"}]],
        "routes": [{"dst": "0.0.0.0/0"}]
      }
    }
  ]
}
JSON
}

# write_kubelet_config NUMBER. There is no cluster DNS. Naming the pod's own
# loopback as one makes a look-up fail at once rather than after its timeout,
# and spares every pod a warning event. Images are never collected as garbage,
# since no registry could give them back. Pods' logs have a folder for each
# node: in a common one, each kubelet removes what the other's pods have said.
write_kubelet_config() {
  cat <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $(node_address "$1")
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $PKI/ca.crt}
authorization: {mode: Webhook}
cgroupDriver: cgroupfs
cgroupRoot: $(node_cgroup "$1")
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix://$(node_runtime "$1")
clusterDNS: [127.0.0.1]
clusterDomain: cluster.local
resolvConf: ""
podLogsDir: $(node_folder "$1")/pod-logs
evictionHard: {memory.available: 100Mi}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
$(kubelet_cpu_settings "$1")
YAML
}

# kubelet_cpu_settings NUMBER gives each node of two its own CPU, and all of
# it: strict reservation keeps even pods without a request off the others. A
# shared node leaves CPUs alone, so that bursts and quotas show as they would
# on an ordinary node.
kubelet_cpu_settings() {
  [[ "$CPU_MODE" == split ]] || {
    echo "cpuManagerPolicy: none"
    return
  }
  cat <<YAML
cpuManagerPolicy: static
cpuManagerPolicyOptions: {strict-cpu-reservation: "true"}
reservedSystemCPUs: "$(node_reserved "$1")"
YAML
  [[ "$1" == 1 ]] || cat <<YAML
registerWithTaints:
- {key: hashmark.dev/load, value: "true", effect: NoSchedule}
YAML
}

# node_labels NUMBER says what the node is for; a shared one is for everything.
node_labels() {
  [[ "$CPU_MODE" == split ]] || return 0
  if [[ "$1" == 1 ]]; then echo hashmark.dev/role=service; else echo hashmark.dev/role=load; fi
}

# write_proxy_config NUMBER. Connection tracking limits stay as they are: they
# are read-only in a namespace other than the machine's.
write_proxy_config() {
  cat <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $KUBECONFIGS/kube-proxy}
hostnameOverride: $(node_name "$1")
mode: iptables
clusterCIDR: $POD_RANGE
conntrack:
  maxPerCore: 0
  min: 0
  tcpEstablishedTimeout: 0s
  tcpCloseWaitTimeout: 0s
YAML
}
