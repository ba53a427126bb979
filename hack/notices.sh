#!/usr/bin/env bash
# Writes the licences that go along with a program into a folder, which is replaced.
#
#   notices.sh PROGRAM FOLDER   a program of cmd/, or k6, for the platform of GOOS and GOARCH:
#                               LICENSE and THIRD_PARTY_NOTICES; for k6 also SOURCE, which says
#                               where its source is, and the go.mod and go.sum to build it with
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
BUILD_FOLDER=$PWD/tools/build
source tools/build/messages.sh
source tools/build/recipes.sh

# notices runs hack/notices, which is compiled for this machine.
notices() {
  local program
  program=$(mktemp -d)/notices
  GOOS='' GOARCH='' GOFLAGS='' CGO_ENABLED=0 go build -o "$program" ./hack/notices
  GOFLAGS='' CGO_ENABLED=0 "$program" "$@" || die "the licences of ${*: -1} are not in order; see above"
  rm -r "$(dirname "$program")"
}

# k6_notices writes what the AGPL requires of whoever hands on k6's binary.
k6_notices() {
  local binary package source
  recipe k6
  binary=$(tools/build/binaries.sh k6)/k6
  package=${packages#* }
  source=$(cd tools/build/k6 && GOFLAGS='' go list -m -f '{{.Dir}}' "$package")
  install -m 0644 "$source/LICENSE.md" "$1/LICENSE"
  cp tools/build/k6/go.{mod,sum} "$1"
  cat >"$1/SOURCE" <<TEXT
k6 $release in this image is an unmodified build of public source code. It is free software under the
GNU Affero General Public License, version 3, whose text is in the file LICENSE. Hashmark runs it
as a program of its own.

Its source is at https://github.com/grafana/k6, under the tag $release, and is published as the Go
module $package $release. The files go.mod and go.sum name the version and the checksum of each
module that it was built from. In a folder with these two files,

    go mod download

fetches the source of all of them, and with $(go version "$binary" | sed 's/.*: //') these commands build the same binary:

    export CGO_ENABLED=0 GOOS=$(go env GOOS) GOARCH=$(go env GOARCH)
    go build ${BUILD_FLAGS[*]} -ldflags '$ldflags' -o k6 $package

    sha256 of k6: $(sha256sum "$binary" | cut -d' ' -f1)

If you can't get the source there, ask those who gave you this image, or Hashmark's maintainers at
https://github.com/hashmark-dev/hashmark.
TEXT
}

program=${1:?"usage: notices.sh PROGRAM FOLDER"} folder=${2:?"usage: notices.sh PROGRAM FOLDER"}
rm -rf "$folder"
mkdir -p "$folder"
if [[ $program == k6 ]]; then
  # What k6 contains is under its own licence, or one that is compatible with it.
  notices -C tools/build/k6 -also AGPL-3.0,NOASSERTION go.k6.io/k6 >"$folder/THIRD_PARTY_NOTICES"
  k6_notices "$folder"
else
  notices "./cmd/$program" >"$folder/THIRD_PARTY_NOTICES"
  cp LICENSE "$folder"
fi
