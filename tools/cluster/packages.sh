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
  local line missing=()
  for line in "${NEEDED[@]}"; do
    command -v "${line% *}" >/dev/null || missing+=("${line#* }")
  done
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  # If these are kernel modules, only the first one is loaded on demand.
  modprobe -qa overlay br_netfilter 2>/dev/null || true
}
