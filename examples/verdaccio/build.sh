#!/usr/bin/env bash
# build.sh FOLDER installs Node.js and Verdaccio from the npm registry, in the versions and with the checksums
# of package-lock.json, unless the folder has them. It needs npm, which it installs on Debian.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../tools/build/messages.sh
source ../../hack/packages.sh

# The seal is in the folder, because the folder is emptied when Debian's packages change.
seal=$(cat build.sh package.json package-lock.json | sha256sum | cut -d' ' -f1)
[[ $(cat "$folder/srv/seal" 2>/dev/null) != "$seal" ]] || exit 0

need npm nodejs npm
rm -rf "$folder/srv"
mkdir -p "$folder/bin" "$folder/srv"
cp package.json package-lock.json "$folder/srv"
# The packages need no scripts of their own to be installed, so that none runs on this machine. Verdaccio wants
# a tag of node-fetch. npm accepts the version in package-lock.json only if the address is there too, and looks
# for it in its own registry.
npm ci --prefix "$folder/srv" --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2 ||
  die "can't install Verdaccio's npm packages; is the npm registry reachable?"
# npm installs the Node.js of this machine's architecture, and none if package.json does not name one.
mv "$folder"/srv/node_modules/node-linux-*/bin/node "$folder/bin/node" ||
  die "npm installed no Node.js for $(uname -m); the example of Verdaccio needs x86_64 or aarch64"
rm -rf "$folder"/srv/node_modules/{node-linux-*,.bin/node}
echo "$seal" >"$folder/srv/seal"
