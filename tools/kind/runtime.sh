#!/usr/bin/env bash
# An OCI runtime: runc without the capabilities that this machine's root lacks itself.
#
# Privileged containers, such as kind's nodes, ask for all capabilities. In a virtual machine or
# container where root lacks one, such as CAP_SYS_RESOURCE, runc then fails with "unable to apply
# caps: operation not permitted". Docker passes the capabilities in the bundle's config.json, and
# those of docker exec in a file of their own.
set -euo pipefail

# trim FILE removes them from a container's configuration or from a process.
trim() {
  local own
  own=$(capsh --decode="$(sed -n 's/^CapBnd:\s*//p' /proc/self/status)")
  jq --arg own "${own#*=}" '
    ($own | ascii_upcase / ",") as $allowed
    | (.process // .).capabilities[]? |= map(select(IN($allowed[])))
  ' "$1" >"$1.trimmed"
  cat "$1.trimmed" >"$1"
  rm "$1.trimmed"
}

previous='' file=''
for argument in "$@"; do
  case $previous in
    --bundle) file=$argument/config.json ;;
    --process) file=$argument ;;
  esac
  previous=$argument
done
[[ ! -f $file ]] || trim "$file"
exec runc "$@"
