#!/usr/bin/env bash
# Builds the three images twice, the second time from a copy of the sources in another folder,
# and fails if an archive has other bytes. Then it checks that each image has the licences of
# all modules in its programs. It needs buildah, because Docker puts the time into an image.
#
# The second build compiles with the cache of the first and links anew.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
export BUILDER=buildah

# same FOLDER compares the archives with those that were built in a folder.
same() {
  local name
  for name in operator loginservice generator; do
    cmp "dist/images/$name.tar" "$1/dist/images/$name.tar" >&2 ||
      die "two builds of $name from the same sources differ; compare the layers of both archives"
    say "$name: both builds have the same bytes"
  done
}

# licensed IMAGE PROGRAM FOLDER fails unless a folder of the image lists every module in one of
# its programs. Our own are under LICENSE.
licensed() {
  local root=$copy/$1 modules module version
  [[ -d $root ]] || unpack "$1" "$root"
  [[ -s $root/$3/LICENSE ]] || die "the image $1 has no $3/LICENSE"
  modules=$(go version -m "$root/$2" | awk '$1 == "dep" && $2 !~ "^github[.]com/hashmark-dev/" { print $2, $3 }')
  while read -r module version; do
    grep -q "^$module $version (" "$root/$3/THIRD_PARTY_NOTICES" ||
      die "the image $1 contains $module $version, but its $3/THIRD_PARTY_NOTICES does not"
  done <<<"${modules:?"$2 names no modules"}"
  say "$1: $3 has the licences of $(wc -l <<<"$modules") modules in $2"
}

# unpack IMAGE FOLDER
unpack() {
  local layer
  layer=$(tar -xOf "dist/images/$1.tar" manifest.json | sed 's/.*"Layers":\["\([^"]*\)"\].*/\1/')
  mkdir -p "$2"
  tar -xOf "dist/images/$1.tar" "$layer" | tar -xC "$2"
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
hack/images.sh
mkdir "$copy/sources"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy/sources"
(umask 077 && TZ=Asia/Tokyo "$copy/sources/hack/images.sh")
same "$copy/sources"
licensed operator operator licenses
licensed loginservice loginservice licenses
licensed generator loadrunner licenses
licensed generator usr/local/bin/k6 licenses/k6
