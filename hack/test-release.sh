#!/usr/bin/env bash
# Publishes a release twice to a registry that it starts on loopback. It fails if the two differ, if an
# image lacks an architecture, if the architectures have other files, if a program for arm64 does not start
# under emulation, or if the chart, pulled by its digest, installs other images than those that were
# published. It needs buildah, and installs QEMU's user emulation if that is missing.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh
source hack/packages.sh

crane() { go tool "-modfile=$PWD/hack/tools/release/go.mod" crane "$@"; }

# serve starts an empty registry and sets its address.
serve() {
  local program log line
  # The go command would not hand on a signal, so crane is started without it.
  program=$(go tool "-modfile=$PWD/hack/tools/release/go.mod" -n crane)
  exec {log}< <(exec "$program" registry serve --address 127.0.0.1:0 2>&1)
  registry=$!
  while read -ru "$log" line; do
    if [[ $line =~ port[[:space:]]*([0-9]+) ]]; then
      address=127.0.0.1:${BASH_REMATCH[1]}
      cat <&"$log" >"$work/registry.log" &
      return
    fi
  done
  die "the registry did not start"
}

publish() {
  IMAGES=$address/$1 VERSION=v0.0.1 PLAIN_HTTP=true BUILDER=buildah hack/release.sh >&2
  mv dist/publish/published.txt "$work/$1"
}

# complete REFERENCE fails unless an index has both architectures with the same files, and programs of
# that architecture.
complete() {
  local repository=${1%@*} architecture root
  for architecture in amd64 arm64; do
    root=$work/$architecture
    rm -rf "$root"
    mkdir "$root"
    crane export --platform "linux/$architecture" "$1" - | tar -xC "$root"
    programs "$root" | while read -r program; do
      [[ $(go version -m "$program" | awk '$2 ~ /^GOARCH=/ { print substr($2, 8) }') == "$architecture" ]] ||
        die "${program#"$work/"} of ${repository##*/} is not compiled for $architecture"
    done
  done
  diff <(cd "$work/amd64" && find . | LC_ALL=C sort) <(cd "$work/arm64" && find . | LC_ALL=C sort) >&2 ||
    die "the images ${repository##*/} of the two architectures have different files"
  say "${repository##*/}: $(programs "$work/arm64" | wc -l) programs for each architecture, and the same files"
}

programs() {
  find "$1" -type f -perm -u+x
}

# started REFERENCE fails unless the programs of an image for arm64 start under emulation. The login service
# also calibrates and answers.
started() {
  local root=$work/arm64 name=${1##*/}
  case ${name%@*} in
    operator) [[ $(qemu-aarch64 "$root/operator" --help 2>&1) == *max-concurrent-trials* ]] || die "the operator for arm64 does not start" ;;
    generator)
      [[ $(qemu-aarch64 "$root/usr/local/bin/k6" version) == *linux/arm64* ]] || die "k6 for arm64 does not start"
      # It names the variables that it lacks.
      [[ $(qemu-aarch64 "$root/loadrunner" 2>&1) == *HASHMARK_TARGET* ]] || die "the load generator for arm64 does not start"
      ;;
    loginservice)
      [[ $(qemu-aarch64 "$root/loginservice" calibrate --cost=4 --time=500ms) == *'"hashMicroseconds":'[1-9]* ]] ||
        die "the login service for arm64 does not calibrate"
      answers "$root/loginservice"
      ;;
  esac
  say "${name%@*}: starts under the emulation of arm64"
}

# answers PROGRAM starts a login service and asks it whether it is ready.
answers() {
  local log line service outcome=1
  exec {log}< <(exec qemu-aarch64 "$1" serve --cost=4 --listen=127.0.0.1:0 2>&1)
  service=$!
  while read -ru "$log" line; do
    if [[ $line =~ address=([0-9.:]+) ]]; then
      curl --silent --show-error --fail "http://${BASH_REMATCH[1]}/readyz" >/dev/null && outcome=0
      break
    fi
  done
  kill "$service"
  ((outcome == 0)) || die "the login service for arm64 does not answer"
}

# installs REFERENCE fails unless the chart renders with exactly the published images.
installs() {
  local helm
  helm=$(hack/build/binaries.sh helm)/helm
  "$helm" template hashmark "oci://$1" --plain-http | grep -oE "$address/[^\"' ]+@sha256:[0-9a-f]{64}" | LC_ALL=C sort -u >"$work/rendered"
  diff <(grep -v /charts/ "$work/first" | LC_ALL=C sort) "$work/rendered" >&2 || die "the chart installs other images than those that were published"
  say "the chart, pulled by digest, installs the published images by digest"
}

need qemu-aarch64 qemu-user
work=$(mktemp -d)
trap 'kill "${registry:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
serve
publish first
rm -r dist/publish
publish second
diff <(sed 's#.*@##' "$work/first" | head -3) <(sed 's#.*@##' "$work/second" | head -3) >&2 || die "two releases of the same source have different digests"
grep -v /charts/ "$work/first" | while read -r reference; do
  complete "$reference"
  started "$reference"
done
installs "$(grep /charts/ "$work/first")"
