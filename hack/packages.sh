# shellcheck shell=bash
# Debian packages that some scripts need. It is sourced after messages.sh.

# apt_get runs apt-get once no other script runs it: apt-get update fails while another one holds
# the lock of its lists.
apt_get() {
  DEBIAN_FRONTEND=noninteractive flock "${BASH_SOURCE[0]}" apt-get -o DPkg::Lock::Timeout=300 -qq "$@"
}

# need COMMAND PACKAGE... installs packages if a command is missing.
need() {
  command -v "$1" >/dev/null || install_packages "${@:2}"
}

# install_packages PACKAGE... does not start their services, which would only use CPU time during a measurement.
install_packages() (
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    die "this machine lacks $*; install them (on Debian, as root: apt-get install $*)"
  fi
  say "installing $* (Debian packages)"
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 0755 /usr/sbin/policy-rc.d
  fi
  apt_get update
  apt_get install --no-install-recommends "$@" >/dev/null </dev/null
)

# need_chromium installs Chromium if no browser that the tests can drive is there.
need_chromium() {
  command -v chromium-browser google-chrome >/dev/null || need chromium chromium fonts-dejavu-core
}

# unpack_packages FOLDER PACKAGE... downloads packages and unpacks them into a folder, without installing
# anything, unless it has their current versions.
unpack_packages() {
  local folder=$1 seal package
  seal=$(apt-cache policy "${@:2}" | { grep -E '^[a-z]|Candidate' || true; } | sha256sum | cut -d' ' -f1)
  [[ $(cat "$folder.seal" 2>/dev/null) != "$seal" ]] || return 0
  rm -rf "$folder" "$folder.debs"
  mkdir -p "$folder" "$folder.debs"
  (cd "$folder.debs" && apt-get download --quiet=2 "${@:2}" 2>/dev/null) ||
    die "can't download the Debian packages ${*:2}; on Debian, run apt-get update"
  for package in "$folder.debs"/*.deb; do
    dpkg-deb --extract "$package" "$folder"
  done
  rm -rf "$folder.debs"
  echo "$seal" >"$folder.seal"
}

# debian FILE PACKAGE... makes an archive of a root file system with this machine's release of Debian and
# some packages.
debian() {
  need mmdebstrap mmdebstrap
  say "a file system with Debian (a minute)"
  apt_get update
  # shellcheck disable=SC2016 # apt-get replaces these
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    mmdebstrap --variant=minbase --mode=root --quiet --format=tar --include="$(IFS=, && echo "${*:2}")" \
      "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$1.partial" -
  mv "$1.partial" "$1"
}
