#!/usr/bin/env bash
# Compiles the binaries and builds the three images from the one Dockerfile,
# with docker where its engine answers, else with buildah, and writes each to
# dist/images/<name>.tar. What has not changed is not built again.
#
# An image is called $IMAGES/<name>:$TAG. The defaults, hashmark.dev and dev,
# name no registry: they are for clusters that are handed the archives.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh

prefix=${IMAGES:-hashmark.dev}
tag=${TAG:-dev}
binaries=dist/linux-$(go env GOARCH)
archives=dist/images

# compile NAME makes a static, stripped program. No path and no commit is in
# it, so that the same sources give the same bytes, and those the same image.
compile() {
  GOFLAGS='' CGO_ENABLED=0 GOOS=linux \
    go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$binaries/$1" "./cmd/$1"
}

# image NAME FILE... builds the Dockerfile's target NAME, which copies these
# files, unless an archive of these very files is there already.
image() {
  local name=$1 reference=$prefix/$1:$tag archive=$archives/$1.tar seal
  shift
  seal="$reference $(digest "$@")"
  if [[ -f $archive && $(cat "$archive.seal" 2>/dev/null) == "$seal" ]]; then
    say "$reference is up to date"
    return
  fi
  "build_with_$builder" "$name" "$reference" "$archive.partial"
  mv "$archive.partial" "$archive"
  echo "$seal" >"$archive.seal"
  say "built $reference ($(du -h "$archive" | cut -f1))"
}

digest() {
  (cd "$binaries" && sha256sum "$@" ../../Dockerfile) | sha256sum | cut -d' ' -f1
}

build_with_docker() {
  docker build --quiet --target "$1" --tag "$2" --file Dockerfile "$binaries" >/dev/null
  docker save --output "$3" "$2"
}

# chroot isolation and the vfs driver need neither a user namespace nor overlay
# mounts. The storage is our own, so that nobody's images are touched, and it is
# emptied each time: the archive is what counts.
build_with_buildah() {
  local storage=(--root "$PWD/dist/buildah/root" --runroot "$PWD/dist/buildah/run" --storage-driver vfs)
  rm -f "$3"
  buildah "${storage[@]}" build --isolation chroot --quiet --target "$1" --tag "$2" --file Dockerfile "$binaries" >/dev/null
  buildah "${storage[@]}" push --quiet "$2" "docker-archive:$3:$2"
  buildah "${storage[@]}" rmi --all --force >/dev/null
}

which_builder() {
  if docker info >/dev/null 2>&1; then
    echo docker
  elif command -v buildah >/dev/null; then
    echo buildah
  else
    die "neither a Docker engine nor buildah is here; install one of them (on Debian: apt-get install buildah)"
  fi
}

builder=$(which_builder)
mkdir -p "$binaries" "$archives"
for name in operator loginservice loadrunner; do
  compile "$name"
done
k6=$(hack/build/binaries.sh k6)/k6
cmp -s "$k6" "$binaries/k6" || cp "$k6" "$binaries/k6"

image operator operator
image loginservice loginservice
image generator loadrunner k6
