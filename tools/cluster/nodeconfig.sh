# shellcheck shell=bash
# The configuration files of a node's programs, with the reasons for settings that are not
# obvious.

# write_containerd_config NUMBER keeps everything that containerd creates in the node's folder,
# where it can be removed.
#
# config_path: where allow_registry says which registry the node may pull from.
#
# restrict_oom_score_adj: a shell without CAP_SYS_RESOURCE can't lower an OOM score, and runc
# would fail with "can't get final child's PID from pipe".
#
# runtime_path: the shim is not in PATH.
#
# io.containerd.nri.v1.nri: its socket would have the same path on both nodes.
write_containerd_config() {
  local folder
  folder="$(node_folder "$1")"
  cat <<TOML
version = 4
root = "$folder/containerd"
state = "$folder/run"
oom_score = 0

[plugins."io.containerd.server.v1.grpc"]
  address = "$(node_runtime "$1")"

[plugins."io.containerd.server.v1.ttrpc"]
  address = "$(node_runtime "$1").ttrpc"

[plugins."io.containerd.shim.v1.manager"]
  socket_dir = "$folder/s"

[plugins."io.containerd.internal.v1.opt"]
  path = "$folder/opt"

[plugins."io.containerd.nri.v1.nri"]
  disable = true

[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "$PAUSE_IMAGE"
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = "$(node_registries "$1")"

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["$CNI_BIN"]
    conf_dir = "$folder/cni"
    use_internal_loopback = true
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    runtime_path = "$CONTAINERD_BIN/containerd-shim-runc-v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      Root = "$folder/runc"
      SystemdCgroup = false
TOML
}

# write_cni_config NUMBER gives pods addresses of the node's range on a bridge. hairpinMode
# lets a pod reach itself through its Service.
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

# write_kubelet_config NUMBER prints kubelet's configuration. There is no cluster DNS: with the
# pod's own loopback address as its server, a look-up fails at once and not after a timeout,
# and pods get no warning events. Images are never garbage collected, because there is no
# registry to pull them again. Each node has its own folder for pod logs, because in a shared
# one each kubelet deletes the logs of the other's pods.
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
imagePullCredentialsVerificationPolicy: NeverVerify
$(kubelet_cpu_settings "$1")
YAML
}

# kubelet_cpu_settings NUMBER gives each of two nodes its own CPU, and an exclusive node all but the
# control CPU. Strict reservation keeps even pods without a request off the others. A shared node
# does not assign CPUs, so that bursts and quotas behave as on an ordinary node.
kubelet_cpu_settings() {
  [[ "$CPU_MODE" != shared ]] || {
    echo "cpuManagerPolicy: none"
    return
  }
  cat <<YAML
cpuManagerPolicy: static
cpuManagerPolicyOptions: {strict-cpu-reservation: "true"}
reservedSystemCPUs: "$(node_reserved "$1")"
YAML
  [[ "$CPU_MODE" != split || "$1" == 1 ]] || cat <<YAML
registerWithTaints:
- {key: hashmark.dev/load, value: "true", effect: NoSchedule}
YAML
}

# node_labels NUMBER prints the label of the node's purpose; a single node has none.
node_labels() {
  [[ "$CPU_MODE" == split ]] || return 0
  if [[ "$1" == 1 ]]; then echo hashmark.dev/role=service; else echo hashmark.dev/role=load; fi
}

# write_proxy_config NUMBER prints kube-proxy's configuration. It does not change connection
# tracking limits, which are read-only outside of the machine's own network namespace.
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
