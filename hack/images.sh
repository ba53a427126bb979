#!/usr/bin/env bash
# Compiles the binaries and builds the images, with docker where its engine
# answers, else with buildah, and writes each to dist/images/<name>.tar. What
# has not changed is not built again.
#
#   hack/images.sh        the three images of Dockerfile, tagged dev
#   hack/images.sh e2e    the failing generators of test/e2e/images, tagged e2e
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binaries=dist/linux-$(go env GOARCH)
images=dist/images
mkdir -p "$binaries" "$images"

# compile PACKAGE: static and stripped, with no path of this machine in it.
compile() {
	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags '-s -w' -o "$binaries/$(basename "$1")" "./$1"
}

has_docker() { docker info >/dev/null 2>&1; }

build_with_docker() {
	local target=$1 reference=$2 dockerfile=$3 archive=$4
	docker build --quiet --target "$target" --tag "$reference" --file "$dockerfile" "$binaries" >/dev/null
	docker save --output "$archive" "$reference"
}

# chroot isolation and the vfs driver need neither a user namespace nor overlay
# mounts; the storage is our own, so that nobody's images are touched.
build_with_buildah() {
	local target=$1 reference=$2 dockerfile=$3 archive=$4
	local storage=(--root "$PWD/dist/buildah/root" --runroot "$PWD/dist/buildah/run" --storage-driver vfs)
	buildah "${storage[@]}" build --isolation chroot --quiet --target "$target" --tag "$reference" --file "$dockerfile" "$binaries" >/dev/null
	rm -f "$archive"
	buildah "${storage[@]}" push --quiet "$reference" "docker-archive:$archive:$reference"
}

# image REFERENCE DOCKERFILE FILE...: builds the target that the reference is
# named after, unless the files in it are those of the last time.
image() {
	local reference=$1 dockerfile=$2 name archive seal
	shift 2
	name=$(basename "${reference%:*}")
	archive=$images/$name.tar
	seal="$reference $({ cat "$dockerfile"; cd "$binaries" && cat "$@"; } | sha256sum)"
	if [[ -f $archive && $(cat "$archive.seal" 2>/dev/null) == "$seal" ]]; then
		echo "$reference is up to date"
		return
	fi
	if has_docker; then
		build_with_docker "$name" "$reference" "$dockerfile" "$archive"
	else
		build_with_buildah "$name" "$reference" "$dockerfile" "$archive"
	fi
	echo "$seal" >"$archive.seal"
	echo "built $reference ($(du -h "$archive" | cut -f1))"
}

if ! has_docker && ! command -v buildah >/dev/null; then
	echo "Neither a Docker engine nor buildah is here; install one of them (on Debian: apt-get install buildah)" >&2
	exit 1
fi

compile cmd/loadrunner
k6=$(hack/build/binaries.sh k6)/k6
cmp -s "$k6" "$binaries/k6" || cp "$k6" "$binaries/k6"

case "${1:-}" in
"")
	compile cmd/operator
	compile cmd/loginservice
	image hashmark.dev/operator:dev Dockerfile operator
	image hashmark.dev/loginservice:dev Dockerfile loginservice
	image hashmark.dev/generator:dev Dockerfile loadrunner k6
	;;
e2e)
	compile test/e2e/images/unreadable
	compile test/e2e/images/failingk6
	image hashmark.dev/garbage:e2e test/e2e/images/Dockerfile unreadable
	image hashmark.dev/silent:e2e test/e2e/images/Dockerfile unreadable
	image hashmark.dev/failing-k6:e2e test/e2e/images/Dockerfile loadrunner k6 failingk6
	;;
*)
	echo "usage: hack/images.sh [e2e]" >&2
	exit 2
	;;
esac
