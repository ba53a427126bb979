#!/usr/bin/env bash
# Measures a trial on a kernel with cgroup version 2 (test/cgroup2): it boots Debian's kernel for
# clouds in QEMU, without KVM, with an initial file system that has the service, the generator and k6.
# It installs QEMU and cpio if they are missing.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh
source hack/packages.sh

readonly work=$PWD/dist/cgroup2 kernel_package=linux-image-cloud-amd64

# newest prints the name of the current kernel's package, a dependency of $kernel_package. It
# prints nothing if the package lists are missing.
newest() {
  apt-cache depends --important "$kernel_package" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1
}

# kernel downloads and unpacks the kernel, which stays in dist, and prints its path.
kernel() {
  local name
  if [[ ! -f $work/vmlinuz ]]; then
    name=$(newest)
    if [[ -z $name ]]; then
      apt_get update
      name=$(newest)
    fi
    [[ -n $name ]] || die "found no kernel in the Debian package $kernel_package"
    (cd "$work" && apt-get download --quiet=2 "$name" 2>/dev/null) || die "can't download the Debian package $name; run apt-get update"
    dpkg-deb --extract "$work"/linux-image-*.deb "$work/kernel"
    mv "$work"/kernel/boot/vmlinuz-* "$work/vmlinuz"
    rm -r "$work"/kernel "$work"/linux-image-*.deb
  fi
  printf '%s\n' "$work/vmlinuz"
}

# initramfs packs the programs into a file system, and prints its path.
initramfs() {
  local root=$work/root
  rm -rf "$root"
  mkdir -p "$root"/{proc,sys,dev,tmp}
  export GOFLAGS='' CGO_ENABLED=0 GOOS=linux GOARCH=amd64
  go build -trimpath -o "$root/init" ./test/cgroup2/init
  go build -trimpath -o "$root/" ./cmd/loginservice ./cmd/loadrunner
  cp "$(hack/build/binaries.sh k6)/k6" "$root/k6"
  (cd "$root" && find . | cpio --create --quiet --format=newc | gzip -1) >"$work/initramfs.gz"
  printf '%s\n' "$work/initramfs.gz"
}

mkdir -p "$work"
need qemu-system-x86_64 qemu-system-x86
need cpio cpio
HASHMARK_KERNEL=$(kernel)
HASHMARK_INITRAMFS=$(initramfs)
export HASHMARK_KERNEL HASHMARK_INITRAMFS
hack/test.sh cgroup2 -v -tags=cgroup2 -count=1 -timeout=20m ./test/cgroup2
