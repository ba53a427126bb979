#!/usr/bin/env bash
# npm.sh FOLDER [FILE...] installs Node.js and the npm packages of the example in the working folder, in the versions and with
# the checksums of its package-lock.json, and copies files of it, unless the folder has them. It needs npm, which it installs on
# Debian.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(realpath "$1")
shift
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
source "$here/../tools/build/messages.sh"
source "$here/../hack/packages.sh"

# The seal is in the folder, because the folder is emptied when Debian's packages change.
seal=$(cat "$here/npm.sh" package.json package-lock.json "$@" | sha256sum | cut -d' ' -f1)
[[ $(cat "$folder/srv/seal" 2>/dev/null) != "$seal" ]] || exit 0

need npm nodejs npm
rm -rf "$folder/srv"
mkdir -p "$folder/bin" "$folder/srv"
cp package.json package-lock.json "$@" "$folder/srv"
# The packages need no scripts of their own to be installed, so that none runs on this machine. npm accepts the version of a
# tag in package-lock.json only if the address is there too, and looks for it in its own registry.
npm ci --prefix "$folder/srv" --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2 ||
  die "can't install the npm packages of $PWD; is the npm registry reachable?"
# npm installs the Node.js of this machine's architecture, and none if package.json does not name one.
mv "$folder"/srv/node_modules/node-linux-*/bin/node "$folder/bin/node" ||
  die "npm installed no Node.js for $(uname -m); the examples need x86_64 or aarch64"
rm -rf "$folder"/srv/node_modules/{node-linux-*,.bin/node}
echo "$seal" >"$folder/srv/seal"
