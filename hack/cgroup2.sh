#!/usr/bin/env bash
# Measures on a kernel with cgroup version 2 (test/cgroup2): it boots Debian's kernel for clouds in
# QEMU, without KVM. It installs what is missing of QEMU and the programs that make file systems.
#
#   cgroup2.sh trial     one trial, without Kubernetes: the service, the generator and k6
#   cgroup2.sh cluster   an experiment on the cluster of tools/cluster with four virtual CPUs
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
source hack/packages.sh

readonly work=$PWD/dist/cgroup2 kernel_package=linux-image-cloud-amd64

# newest prints the name of the current kernel's package, a dependency of $kernel_package. It
# prints nothing if the package lists are missing.
newest() {
  apt-cache depends --important "$kernel_package" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1
}

# kernel unpacks the kernel and its modules, which stay in dist.
kernel() {
  local name
  name=$(newest)
  if [[ -z $name ]]; then
    apt_get update
    name=$(newest)
  fi
  [[ -n $name ]] || die "found no kernel in the Debian package $kernel_package"
  unpack_packages "$work/kernel" "$name"
  cp "$work"/kernel/boot/vmlinuz-* "$work/vmlinuz"
}

# pack FOLDER FILE packs an initial file system.
pack() {
  (cd "$1" && find . | cpio --create --quiet --format=newc | gzip -1) >"$2"
}

# program OUTPUT PACKAGE... compiles programs for the machine.
program() {
  GOFLAGS='' CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -o "$@"
}

trial() {
  local root=$work/root
  rm -rf "$root"
  mkdir -p "$root"/{proc,sys,dev,tmp}
  program "$root/init" ./test/cgroup2/init
  program "$root/" ./cmd/loginservice ./cmd/loadrunner
  cp "$(tools/build/binaries.sh k6)/k6" "$root/k6"
  pack "$root" "$work/trial.gz"
  HASHMARK_KERNEL=$work/vmlinuz HASHMARK_INITRAMFS=$work/trial.gz \
    hack/test.sh cgroup2 -v -tags=cgroup2 -timeout=20m -run=TestATrial ./test/cgroup2
}

# opener makes an initial file system that does nothing but mount the disk, whose driver is a module.
opener() {
  local root=$work/opener version modules module
  rm -rf "$root"
  mkdir -p "$root"/{bin,dev,disk,modules,proc}
  unpack_packages "$work/busybox" busybox-static
  cp "$work/busybox/bin/busybox" "$root/bin/busybox"
  ln -s busybox "$root/bin/sh"
  version=$(ls "$work/kernel/lib/modules")
  depmod --basedir "$work/kernel" "$version"
  modules=$(for module in virtio_pci virtio_blk ext4; do
    modprobe --dirname "$work/kernel" --set-version "$version" --show-depends "$module"
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
  {
    printf '#!/bin/sh\nbusybox mount -t devtmpfs none /dev\n'
    for module in $modules; do
      cp "$module" "$root/modules/"
      printf 'busybox insmod /modules/%s\n' "$(basename "$module")"
    done
    printf 'busybox mount -t ext4 /dev/vda /disk && exec busybox switch_root /disk /hashmark/test/cgroup2/cluster.sh\n'
  } >"$root/init"
  chmod +x "$root/init"
  pack "$root" "$work/opener.gz"
}

# disk makes the machine's disk: Debian, the kernel's modules, this project with its images, and the
# compiled programs of tools/cluster with the go command, which its scripts ask for the platform.
disk() {
  local root=$work/disk name cache
  rm -rf "$root"
  mkdir -p "$root/hashmark/dist/images" "$root/root/.cache/hashmark" "$root"/usr/local/go/{bin,pkg/tool}
  tar --extract --file="$work/debian.tar" --directory="$root"
  cp -r "$work/kernel/lib/modules" "$root/lib/"
  git ls-files -z charts go.mod hack tools test/cgroup2 | xargs -0 cp --parents --target-directory="$root/hashmark"
  cp dist/images/{operator,loginservice,generator}.tar "$root/hashmark/dist/images/"
  for name in kubernetes etcd containerd cni kube-router pause helm; do
    cache=$(tools/build/binaries.sh "$name")
    cp -r "$cache" "$root/root/.cache/hashmark/"
  done
  cp "$(go env GOROOT)/bin/go" "$root/usr/local/go/bin/"
  cp "$(go env GOROOT)/VERSION" "$root/usr/local/go/"
  cp "$(go env GOROOT)/go.env" "$root/usr/local/go/"
  rm -f "$work/disk.ext4"
  mke2fs -q -t ext4 -d "$root" "$work/disk.ext4" 8G
  rm -rf "$root"
}

cluster() {
  local code=0
  need depmod kmod
  hack/images.sh
  opener
  # The root file system stays in dist, with what tools/cluster needs.
  [[ -f $work/debian.tar ]] ||
    debian "$work/debian.tar" buildah conntrack iproute2 ipset iptables kmod openssl procps runc util-linux
  disk
  rm -rf "$work/results"
  HASHMARK_KERNEL=$work/vmlinuz HASHMARK_INITRAMFS=$work/opener.gz HASHMARK_DISK=$work/disk.ext4 HASHMARK_RESULTS=$work/results \
    hack/test.sh cgroup2-cluster -v -tags=cgroup2 -timeout=90m -run=TestAnExperiment ./test/cgroup2 || code=$?
  rm "$work/disk.ext4"
  return "$code"
}

mkdir -p "$work"
need qemu-system-x86_64 qemu-system-x86
need cpio cpio
kernel
case ${1:-} in
  trial) trial ;;
  cluster) cluster ;;
  *) die "usage: cgroup2.sh trial|cluster" ;;
esac
