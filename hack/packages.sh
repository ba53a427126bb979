# shellcheck shell=bash
# Debian packages that some scripts need. It is sourced after messages.sh.

# need COMMAND PACKAGE installs a package if its command is missing.
need() {
  if command -v "$1" >/dev/null; then
    return
  fi
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    die "$1 was not found; install it (on Debian: apt-get install $2)"
  fi
  say "installing $2 (Debian packages)"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$2" >/dev/null
}
