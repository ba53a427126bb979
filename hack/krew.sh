#!/usr/bin/env bash
# Builds the kubectl plugin, for this machine or for a release.
#
#   krew.sh build     compiles it into dist/cli, with its completion for kubectl
#   krew.sh folder    the same, and prints the folder
#   krew.sh release   builds the archives for all platforms and the manifest for krew in
#                     dist/release, and installs each of them with krew
#
# VERSION is the release; by default the chart's. make cli is also for macOS, whose bash is 3.2: this script and
# clusters.sh use nothing newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

version=${VERSION:-v$(sed -n 's/^appVersion: //p' charts/hashmark/Chart.yaml)}
tool=(go tool "-modfile=$PWD/hack/tools/krew/go.mod")

build() {
  GOFLAGS='' CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X main.version=$version" -o dist/cli/kubectl-hashmark ./cmd/kubectl-hashmark
  dist/cli/kubectl-hashmark completion kubectl >dist/cli/kubectl_complete-hashmark
  chmod +x dist/cli/kubectl_complete-hashmark
}

# release builds everything with GoReleaser (.goreleaser.yaml), which replaces dist/release.
release() {
  [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
    die "VERSION is \"$version\"; krew requires a semantic version with a v, such as v0.1.0"
  COMMIT_TIMESTAMP=$(git log -1 --format=%ct)
  COMMIT_DATE=$(git log -1 --format=%cI)
  export COMMIT_TIMESTAMP COMMIT_DATE
  notices
  VERSION=$version go tool "-modfile=$PWD/hack/tools/goreleaser/go.mod" goreleaser \
    release --snapshot --clean --skip=publish
  "${tool[@]}" validate-krew-manifest -manifest dist/release/krew/hashmark.yaml -skip-install
  try
  say "created dist/release/krew/hashmark.yaml and $(find dist/release -name '*.tar.gz' | wc -l) archives of $version"
}

# notices collects the licences for the archive of each platform, as .goreleaser.yaml takes them.
notices() {
  local os arch
  for os in darwin linux windows; do
    for arch in amd64 arm64; do
      GOOS=$os GOARCH=$arch hack/notices.sh kubectl-hashmark "dist/notices/${os}_$arch"
    done
  done
}

# try installs each archive with krew, and runs the one for this machine. krew uses a temporary
# folder. It requires git, which it would fetch its index with.
try() {
  local root archive platform file
  root=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$root'" RETURN
  for archive in dist/release/*.tar.gz; do
    platform=$(basename "$archive" .tar.gz)
    platform=${platform#"kubectl-hashmark_${version}_"}
    KREW_ROOT=$root/$platform KREW_OS=${platform%_*} KREW_ARCH=${platform#*_} \
      "${tool[@]}" krew install --manifest=dist/release/krew/hashmark.yaml --archive="$archive" >/dev/null
    ls "$root/$platform"/bin/kubectl-hashmark* >/dev/null
    for file in LICENSE THIRD_PARTY_NOTICES; do
      ls "$root/$platform"/store/hashmark/*/"$file" >/dev/null || die "$archive has no $file"
    done
  done
  "$root/$(go env GOOS)_$(go env GOARCH)/bin/kubectl-hashmark" version >&2
}

case "${1:-}" in
  build | release) "$1" ;;
  folder)
    build >&2
    printf '%s\n' "$PWD/dist/cli"
    ;;
  *) die "usage: krew.sh build|folder|release" ;;
esac
