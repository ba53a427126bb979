#!/usr/bin/env bash
# Builds the image of kind's nodes, hashmark.dev/kind-node, into the Docker engine. kind builds its
# own from the same parts, but pulls or clones most of them.
#
# The files and services come from kind's Go module, the programs of Kubernetes from tools/build, and
# the rest from Debian packages. docs/support.md lists what differs from the image that kind publishes.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/build/messages.sh
source hack/packages.sh

readonly work=dist/kind archives=dist/kind/images
readonly files=$work/node/files

# system makes the root file system, which stays in dist, from the packages of kind's base image and
# those that it compiles instead. It is of this machine's release of Debian: systemd of later ones refuses
# version 1 of cgroups.
system() {
  [[ -f $work/debian.tar ]] ||
    debian "$work/debian.tar" bash ca-certificates conntrack e2fsprogs ethtool hostname \
      iproute2 iptables jq kmod libseccomp2 mount nftables pigz procps runc systemd systemd-sysv util-linux
  ln -f "$work/debian.tar" "$work/node/debian.tar"
}

# module FOLDER MODULE prints where the sources of a module of tools/build are.
module() {
  (cd "tools/build/$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2")
}

# kind_files copies the files of kind's base image. Those of a Go module are read-only.
kind_files() {
  local source
  source=$(module kind sigs.k8s.io/kind)/images/base/files
  rm -rf "$files"
  mkdir -p "$files"
  cp -r --no-preserve=mode "$source"/{etc,kind,usr} "$files"
  chmod 0755 "$files"/{usr/local/bin,kind/bin}/*
}

# programs adds Kubernetes, containerd and the CNI plugins.
programs() {
  local kubernetes kubeadm containerd cni
  kubernetes=$(tools/build/binaries.sh kubernetes)
  kubeadm=$(tools/build/binaries.sh kubeadm)
  containerd=$(tools/build/binaries.sh containerd)
  cni=$(tools/build/binaries.sh cni)
  mkdir -p "$files"/usr/bin "$files"/opt/cni/bin
  cp "$kubernetes"/{kubelet,kubectl} "$kubeadm/kubeadm" "$files/usr/bin"
  cp "$containerd"/* "$files/usr/local/bin"
  cp "$cni"/* "$files/opt/cni/bin"
  "$kubeadm/kubeadm" version -o short >"$files/kind/version"
}

# manifests writes what kind applies to a new cluster: kube-router, as its own module has it, with
# pods that reach themselves through a Service, as under kindnet; and a storage class without a provisioner.
manifests() {
  mkdir -p "$files/kind/manifests"
  sed -e 's/imagePullPolicy: Always/imagePullPolicy: IfNotPresent/' -e 's/"isDefaultGateway":true/&,"hairpinMode":true/' \
    "$(module kube-router github.com/cloudnativelabs/kube-router/v2)/daemonset/kubeadm-kuberouter.yaml" \
    >"$files/kind/manifests/default-cni.yaml"
  cat >"$files/kind/manifests/default-storage.yaml" <<'YAML'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: standard, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
YAML
}

# settings makes kubelet accept version 1 of cgroups, and containerd a root without CAP_SYS_RESOURCE,
# which can't lower OOM scores. The pause image is the one that kubeadm expects.
settings() {
  local pause
  pause=$("$files/usr/bin/kubeadm" config images list --kubernetes-version "$(cat "$files/kind/version")" | grep /pause:)
  mkdir -p "$files/etc/kubernetes/kubelet.conf.d"
  cat >"$files/etc/kubernetes/kubelet.conf.d/10-cgroups.conf" <<'YAML'
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
YAML
  sed -i 's#^KUBELET_EXTRA_ARGS=.*#& --config-dir=/etc/kubernetes/kubelet.conf.d#' "$files/etc/default/kubelet"
  sed -i -e 's#restrict_oom_score_adj = false#restrict_oom_score_adj = true#' -e "s#sandbox_image = .*#sandbox_image = \"$pause\"#" \
    "$files/etc/containerd/config.toml"
}

# fill imports the images into a container's containerd, as kind does, and makes an image of it.
fill() {
  local container archive
  container=$(docker run --detach --entrypoint=sleep --security-opt=seccomp=unconfined hashmark.dev/kind-base infinity)
  docker exec "$container" bash -c 'nohup containerd >/dev/null 2>&1 &'
  docker exec "$container" timeout 60 bash -c 'until ctr version >/dev/null 2>&1; do sleep 0.5; done'
  for archive in "$archives"/*.tar; do
    docker exec --interactive "$container" \
      ctr --namespace=k8s.io images import --all-platforms --no-unpack --digests - <"$archive" >/dev/null
  done
  docker exec "$container" pkill -x containerd
  docker commit --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' "$container" hashmark.dev/kind-node >/dev/null
  docker rm --force --volumes "$container" >/dev/null
}

mkdir -p "$work/node" "$archives"
need buildah buildah
BUILDER=buildah ARCHIVES=$archives hack/images.sh kind
system
kind_files
programs
manifests
settings
docker build --quiet --tag hashmark.dev/kind-base --file tools/kind/node.Dockerfile "$work/node" >/dev/null
fill
say "built hashmark.dev/kind-node"
