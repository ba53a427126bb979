#!/usr/bin/env bash
# Compiles the binaries and builds the three images from the one Dockerfile,
# with docker where its engine answers, else with buildah, and writes each to
# dist/images/<name>.tar. What has not changed is not built again.
#
#   hack/images.sh [TAG]     TAG is dev unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=${1:-dev}
arch=$(go env GOARCH)
binaries=dist/linux-$arch
images=dist/images
mkdir -p "$binaries" "$images"

# Static and stripped, with no path of this machine in it.
compile() {
	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags '-s -w' -o "$binaries/$1" "./cmd/$1"
}

# The digest tells whether an image holds these very files already.
digest() {
	(cd "$binaries" && sha256sum "$@" ../../Dockerfile) | sha256sum | cut -d' ' -f1
}

build_with_docker() {
	docker build --quiet --target "$1" --tag "$2" --file Dockerfile "$binaries" >/dev/null
	docker save --output "$3" "$2"
}

# chroot isolation and the vfs driver need neither a user namespace nor overlay
# mounts; the storage is our own, so that nobody's images are touched.
build_with_buildah() {
	local storage=(--root "$PWD/dist/buildah/root" --runroot "$PWD/dist/buildah/run" --storage-driver vfs)
	buildah "${storage[@]}" build --isolation chroot --quiet --target "$1" --tag "$2" --file Dockerfile "$binaries" >/dev/null
	rm -f "$3"
	buildah "${storage[@]}" push --quiet "$2" "docker-archive:$3:$2"
}

# image NAME FILE...: builds target NAME unless its files are unchanged.
image() {
	local name=$1 reference=hashmark.dev/$1:$tag archive=$images/$1.tar seal
	shift
	seal="$reference $(digest "$@")"
	if [[ -f $archive && $(cat "$archive.seal" 2>/dev/null) == "$seal" ]]; then
		echo "$reference is up to date"
		return
	fi
	if docker info >/dev/null 2>&1; then
		build_with_docker "$name" "$reference" "$archive"
	else
		build_with_buildah "$name" "$reference" "$archive"
	fi
	echo "$seal" >"$archive.seal"
	echo "built $reference ($(du -h "$archive" | cut -f1))"
}

for name in operator loginservice loadrunner; do
	compile "$name"
done
k6=$(hack/build/binaries.sh k6)/k6
cmp -s "$k6" "$binaries/k6" || cp "$k6" "$binaries/k6"

if ! docker info >/dev/null 2>&1 && ! command -v buildah >/dev/null; then
	echo "Neither a Docker engine nor buildah is here; install one of them (on Debian: apt-get install buildah)" >&2
	exit 1
fi
image operator operator
image loginservice loginservice
image generator loadrunner k6
