#!/usr/bin/env bash
# Compiles the binaries and builds the images, with docker if its engine is running and
# otherwise with buildah, and writes each to dist/images/<name>.tar, or into the folder ARCHIVES. What has
# not changed is not built again. GOARCH selects the architecture. On one machine, buildah gives the same source the same digests: no path, time
# or commit gets into an image, but for the database of examples/keycloak.
#
#   images.sh              the three images of Dockerfile, as $IMAGES/<name>:$TAG
#   images.sh e2e          the generators and login services of test/e2e/images
#   images.sh examples     the login services of examples/; with NAME... only these
#   images.sh monitoring   Prometheus and its operator, for a cluster that can't
#                          pull images
#   images.sh kind         Kubernetes' control plane and kube-router, for the nodes of tools/kind
#
# The defaults of IMAGES and TAG, hashmark.dev and dev, are not a registry: they are for
# clusters that import the archives. BUILDER is docker or buildah; by default what was found.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
source hack/packages.sh

prefix=${IMAGES:-hashmark.dev}
tag=${TAG:-dev}
binaries=dist/linux-$(go env GOARCH)
archives=${ARCHIVES:-dist/images}
# The schedules of test/drift.
readonly drifts=(steady sawtooth slower faster busy10 busy30 busy45)

# compile PACKAGE [TAG NAME] builds a static, stripped program. It contains no path and no
# commit, so that the same sources give the same bytes and the same image. With a build tag the
# program has the given name.
compile() {
  GOFLAGS='' CGO_ENABLED=0 GOOS=linux \
    go build -trimpath -buildvcs=false -ldflags '-s -w' -tags "${2:-}" \
    -o "$binaries/${3:-$(basename "$1")}" "./$1"
}

# ship PROGRAM compiles a program of cmd/, and collects the licences that go along with it.
ship() {
  compile "cmd/$1"
  licenses "$1"
}

licenses() {
  GOOS=linux hack/notices.sh "$1" "$binaries/licenses/$1"
}

# image REFERENCE DOCKERFILE FILE... builds the target with the reference's name, unless an
# archive of exactly these files exists. A folder stands for all files in it.
image() {
  local reference=$1 dockerfile=$2 name archive seal
  shift 2
  name=$(basename "${reference%:*}")
  archive=$archives/$name.tar
  seal="$builder $reference $(
    find "$dockerfile" "${@/#/$binaries/}" -type f | LC_ALL=C sort | xargs -d '\n' cat | sha256sum | cut -d' ' -f1
  )"
  if [[ -f $archive && $(cat "$archive.seal" 2>/dev/null) == "$seal" ]]; then
    say "$reference is up to date"
    return
  fi
  rm -f "$archive.partial"
  "build_with_$builder" "$name" "$reference" "$dockerfile" "$archive.partial"
  mv "$archive.partial" "$archive"
  echo "$seal" >"$archive.seal"
  say "built $reference ($(du -h "$archive" | cut -f1))"
}

build_with_docker() {
  local target=$1 reference=$2 dockerfile=$3 archive=$4
  docker build --quiet --platform "linux/$(go env GOARCH)" --target "$target" --tag "$reference" --file "$dockerfile" "$binaries" >/dev/null
  docker save --output "$archive" "$reference"
}

# chroot isolation and the vfs driver need neither a user namespace nor overlay mounts. The
# storage is separate from the user's images, and is emptied each time because only the archive
# is needed. All times in the image are 0, so that the digest depends on nothing but the files.
build_with_buildah() {
  local target=$1 reference=$2 dockerfile=$3 archive=$4
  local storage=(--root "$PWD/dist/buildah/root" --runroot "$PWD/dist/buildah/run" --storage-driver vfs)
  buildah "${storage[@]}" build --isolation chroot --quiet --timestamp 0 --arch "$(go env GOARCH)" --target "$target" --tag "$reference" \
    --file "$dockerfile" "$binaries" >/dev/null
  buildah "${storage[@]}" push --quiet "$reference" "docker-archive:$archive:$reference"
  buildah "${storage[@]}" rmi --all --force >/dev/null
}

which_builder() {
  if docker info >/dev/null 2>&1; then
    echo docker
  elif command -v buildah >/dev/null; then
    echo buildah
  else
    die "found neither a Docker engine nor buildah; install one of them (on Debian: apt-get install buildah)"
  fi
}

# compiled RECIPE BINARY NAME copies a program of tools/build as NAME.
compiled() {
  local folder
  folder=$(tools/build/binaries.sh "$1")
  cmp -s "$folder/$2" "$binaries/$3" || cp "$folder/$2" "$binaries/$3"
}

# example NAME builds the login service of examples/NAME: from the Debian packages in packages.txt, and
# from what build.sh adds to the folder that it is given.
example() {
  local packages source=examples/$1 folder=$binaries/examples/$1
  [[ -f $source/Dockerfile ]] || die "there is no $source/Dockerfile"
  mkdir -p "$folder"
  if [[ -f $source/packages.txt ]]; then
    mapfile -t packages <"$source/packages.txt"
    unpack_packages "$folder" "${packages[@]}"
  fi
  [[ ! -f $source/build.sh ]] || "$source/build.sh" "$folder"
  image "hashmark.dev/examples/$1:e2e" "$source/Dockerfile" "examples/$1"
}

examples() {
  local name names=("$@")
  ((${#names[@]})) || mapfile -t names < <(basename -a examples/*/)
  for name in "${names[@]}"; do
    example "$name"
  done
}

# compile_generator builds the load generator's programs, which two sets of images need.
compile_generator() {
  compile cmd/loadrunner
  compiled k6 k6 k6
}

hashmark_images() {
  compile_generator
  licenses loadrunner
  licenses k6
  ship operator
  ship loginservice
  image "$prefix/operator:$tag" Dockerfile operator licenses/operator
  image "$prefix/loginservice:$tag" Dockerfile loginservice licenses/loginservice
  image "$prefix/generator:$tag" Dockerfile loadrunner k6 licenses/loadrunner licenses/k6
}

e2e_images() {
  compile_generator
  compile test/e2e/images/failingk6
  compile cmd/loginservice
  compile cmd/loginservice drift driftingservice
  image hashmark.dev/failing-k6:e2e test/e2e/images/Dockerfile loadrunner k6 failingk6
  image hashmark.dev/brief:e2e test/e2e/images/Dockerfile loginservice
  example etcd
  local schedule
  for schedule in "${drifts[@]}"; do
    image "hashmark.dev/drift-$schedule:e2e" test/e2e/images/Dockerfile driftingservice
  done
}

monitoring_images() {
  source hack/monitoring/versions.sh
  compiled prometheus-operator operator prometheus-operator
  compiled prometheus-operator prometheus-config-reloader prometheus-config-reloader
  compiled prometheus prometheus prometheus
  image "hashmark.dev/prometheus-operator:$OPERATOR_VERSION" hack/monitoring/Dockerfile prometheus-operator
  image "hashmark.dev/prometheus-config-reloader:$OPERATOR_VERSION" hack/monitoring/Dockerfile prometheus-config-reloader
  image "hashmark.dev/prometheus:$PROMETHEUS_VERSION" hack/monitoring/Dockerfile prometheus
}

# kind_references prints the names that kubeadm and the manifest of kube-router use.
kind_references() {
  local kubeadm
  kubeadm=$(tools/build/binaries.sh kubeadm)/kubeadm
  "$kubeadm" config images list --kubernetes-version "$("$kubeadm" version -o short)"
  echo docker.io/cloudnativelabs/kube-router:latest
}

# kind_images has a build context of its own: Docker would send a large one with each of the user's images.
kind_images() {
  binaries=dist/kind/programs
  local references reference name packages tools=$binaries/kind-tools
  mkdir -p "$binaries"
  mapfile -t packages <tools/kind/packages.txt
  unpack_packages "$tools" "${packages[@]}"
  for name in ip{,6}tables{,-save,-restore}; do ln -sf xtables-nft-multi "$tools/usr/sbin/$name"; done
  for name in sh cp mv rm; do ln -sf busybox "$tools/bin/$name"; done
  mapfile -t references < <(kind_references)
  for reference in "${references[@]}"; do
    name=$(basename "${reference%:*}")
    case $name in
      kube-router | etcd | coredns | pause) compiled "$name" "$name" "$name" ;;
      *) compiled kubernetes "$name" "$name" ;;
    esac
  done
  for reference in "${references[@]}"; do
    name=$(basename "${reference%:*}")
    case $name in
      kube-router | kube-proxy) image "$reference" tools/kind/Dockerfile "$name" kind-tools ;;
      *) image "$reference" tools/kind/Dockerfile "$name" ;;
    esac
  done
}

builder=${BUILDER:-$(which_builder)}
# Modes are a part of the digest.
umask 022
mkdir -p "$binaries" "$archives"
# Two runs at the same time would empty each other's storage.
exec {lock}>"$archives/.lock"
flock "$lock"
case "${1:-}" in
  "") hashmark_images ;;
  e2e) e2e_images ;;
  examples) examples "${@:2}" ;;
  monitoring) monitoring_images ;;
  kind) kind_images ;;
  *) die "usage: images.sh [e2e|examples [NAME...]|monitoring|kind]" ;;
esac
