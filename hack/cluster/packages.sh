# shellcheck shell=bash disable=SC2034
# What the cluster needs from the machine: root, and some Debian packages.

# NEEDED maps required commands to their packages.
NEEDED=(
  "runc runc"
  "iptables iptables"
  "ipset ipset"
  "conntrack conntrack"
  "ip iproute2"
  "sysctl procps"
  "nsenter util-linux"
  "openssl openssl"
  "buildah buildah"
)

# require_root comes first in all commands that change the machine.
require_root() {
  [[ "$(id -u)" == 0 ]] || die "the local cluster creates network namespaces and cgroups and must run as root; with Docker, use kind, which needs no root"
}

# ensure_packages installs what is missing.
ensure_packages() {
  local missing
  mapfile -t missing < <(missing_packages | sort -u)
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  # If these are kernel modules, only the first one is loaded on demand.
  modprobe -qa overlay br_netfilter 2>/dev/null || true
}

missing_packages() {
  local line
  for line in "${NEEDED[@]}"; do
    command -v "${line% *}" >/dev/null || echo "${line#* }"
  done
}

# install_packages NAME... installs Debian packages without starting services, which would only use CPU
# time during a measurement.
install_packages() {
  command -v apt-get >/dev/null || die "this machine lacks $* and has no apt-get; install them otherwise, or use a Debian machine"
  say "installing $* (Debian packages)"
  mkdir -p "$LOGS"
  (
    if [[ ! -e /usr/sbin/policy-rc.d ]]; then
      trap 'rm -f /usr/sbin/policy-rc.d' EXIT
      printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
      chmod 0755 /usr/sbin/policy-rc.d
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && apt-get install -yq -o DPkg::Lock::Timeout=300 --no-install-recommends "$@"
  ) >>"$LOGS/packages.log" 2>&1 </dev/null || die "apt-get could not install $*; see $LOGS/packages.log"
}
