#!/usr/bin/env bash
# build.sh FOLDER installs Node.js and the packages of package-lock.json from npm's registry, unless the
# folder has them. It needs neither Node.js nor npm on this machine.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../hack/build/messages.sh

readonly node_version=22.23.3 npm_version=10.9.4
readonly npm_checksum=3a7506f37e85c1ba1021baad79f0cd9724748131f321fc117c4dc3ba235ec01be7327584a41d15117c01945560aa9373220628fcc1e1dddd877a5fe9b336a900
readonly downloads=../../dist/npm

# fetch PACKAGE VERSION SHA512 prints the file of a package without a scope. It is downloaded once.
fetch() {
  local file=$downloads/$1-$2.tgz
  if ! sha512sum --check --status <<<"$3  $file" 2>/dev/null; then
    mkdir -p "$downloads"
    curl -sSfL --retry 3 -o "$file" "https://registry.npmjs.org/$1/-/$1-$2.tgz" ||
      die "can't download $1 $2 from npm's registry; see curl's output above"
    sha512sum --check --status <<<"$3  $file" || die "$file is not the $1 $2 that build.sh names; remove it, and try again"
  fi
  printf '%s\n' "$file"
}

case $(uname -m) in
  x86_64) platform=linux-x64 node_checksum=a879f3e6d16c1e88ff58cfae4443558d638d8b9855be6c2b82af00e15efa2a9b95340738fa3c0af31e20c1ba1b13d06d1cd83f00a476e7cdde628acb17f73b9e ;;
  aarch64) platform=linux-arm64 node_checksum=9770c01d9adeca5a3ea7d4170edb0eae31b625726a5736179c01a621034e50d01170ca694ced9c99ec1540ffb7ead8c99d213e773a4c36d816f9cde8883bd7b4 ;;
  *) die "the example of Verdaccio needs Node.js for x86_64 or aarch64, and this machine is $(uname -m)" ;;
esac

# The seal is in the folder, because the folder is emptied when Debian's packages change.
seal=$(cat build.sh package.json package-lock.json | sha256sum | cut -d' ' -f1)
[[ $(cat "$folder/srv/seal" 2>/dev/null) != "$seal" ]] || exit 0

node=$(fetch "node-$platform" "$node_version" "$node_checksum")
npm=$(fetch npm "$npm_version" "$npm_checksum")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
tar --extract --file "$npm" --directory "$temporary" --no-same-owner
rm -rf "$folder/srv"
mkdir -p "$folder/bin" "$folder/srv"
tar --extract --file "$node" --directory "$folder" --no-same-owner --strip-components 1 package/bin/node
cp package.json package-lock.json "$folder/srv"
# The packages need no scripts of their own to be installed, so that none runs on this machine.
PATH=$folder/bin:$PATH node "$temporary/package/bin/npm-cli.js" ci --prefix "$folder/srv" --cache "$temporary/cache" \
  --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2 ||
  die "npm can't install Verdaccio; see its output above"
echo "$seal" >"$folder/srv/seal"
