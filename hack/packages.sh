# shellcheck shell=bash
# Debian packages that some scripts need. It is sourced after messages.sh.

# apt_get runs apt-get once no other script runs it: apt-get update fails while another one holds
# the lock of its lists.
apt_get() {
  DEBIAN_FRONTEND=noninteractive flock "${BASH_SOURCE[0]}" apt-get -o DPkg::Lock::Timeout=300 -qq "$@"
}

# need COMMAND PACKAGE... installs packages if a command is missing.
need() {
  if command -v "$1" >/dev/null; then
    return
  fi
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    die "$1 was not found; install it (on Debian: apt-get install ${*:2})"
  fi
  say "installing ${*:2} (Debian packages)"
  apt_get update
  apt_get install --no-install-recommends "${@:2}" >/dev/null
}

# need_chromium installs Chromium if no browser that the tests can drive is there.
need_chromium() {
  command -v chromium-browser google-chrome >/dev/null || need chromium chromium fonts-dejavu-core
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
