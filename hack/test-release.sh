#!/usr/bin/env bash
# Publishes a release twice to a registry that it starts on loopback. It fails if the two differ, if an
# image lacks an architecture, if the architectures have other files, if a program for arm64 does not start
# under emulation, or if the chart, pulled by its digest, installs other images than those that were
# published. Then it signs the release with a key of its own, and fails if a signature or an SBOM does not
# verify, if an SBOM is not valid or lists other modules than those in the programs, if a forgery verifies,
# or if anything connects to another machine. It needs Python 3 with venv and PyPI, and installs buildah and
# QEMU's user emulation if they are missing.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
source hack/packages.sh
source hack/python.sh
source hack/registry.sh

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
    operator) [[ $(qemu-aarch64 "$root/operator" --help 2>&1) == *OperatorConfiguration* ]] || die "the operator for arm64 does not start" ;;
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

# installs NAME fails unless standard input, which is what installs a release, has exactly its images.
installs() {
  grep -oE "$address/[^\"' ]+@sha256:[0-9a-f]{64}" | LC_ALL=C sort -u >"$work/rendered"
  diff <(images_of "$1" | LC_ALL=C sort) "$work/rendered" >&2 || die "what installs the release $1 has other images than those that were published"
}

# isolate lets all programs that are started from here on reach only loopback: a proxy refuses the rest, and
# lists it in $work/proxy.log. What they are built from has to be there.
isolate() {
  go tool "-modfile=$PWD/hack/tools/syft/go.mod" -n syft >/dev/null
  mkdir "$work/empty"
  listen proxy.log "$python" -u -m http.server 0 --bind 127.0.0.1 --directory "$work/empty"
  unset NO_PROXY no_proxy
  export HTTP_PROXY=http://127.0.0.1:$port HTTPS_PROXY=http://127.0.0.1:$port
}

# annotated REFERENCE fails unless Artifact Hub can read the chart's lists of changes, images and screenshots.
annotated() {
  local helm annotation screenshot
  helm=$(tools/build/binaries.sh helm)/helm
  "$helm" show chart "oci://$1" --plain-http >"$work/chart.yaml"
  annotation='.annotations."artifacthub.io/'
  yq "$annotation"'changes" | from_yaml | .[] |
    (.kind | test("^(added|changed|deprecated|removed|fixed|security)$")) and (.description | length) > 0' "$work/chart.yaml" >"$work/answers"
  [[ $(sort -u "$work/answers") == true ]] || die "artifacthub.io/changes is empty, or has an entry without a description, or of a kind that Artifact Hub does not know"
  diff <(images_of first | LC_ALL=C sort) <(yq "$annotation"'images" | from_yaml | .[].image' "$work/chart.yaml" | LC_ALL=C sort) >&2 ||
    die "artifacthub.io/images lists other images than those that were published"
  for screenshot in $(yq "$annotation"'screenshots" | from_yaml | .[].url' "$work/chart.yaml"); do
    [[ $screenshot == https://raw.githubusercontent.com/*/v0.0.1/* && -f ${screenshot#*/v0.0.1/} ]] ||
      die "artifacthub.io/screenshots names $screenshot, which is not a file of this version"
  done
  say "the chart has annotations for Artifact Hub"
}

# lists REFERENCE fails unless the SBOM of each architecture is valid, and lists the modules of the programs
# that "complete" has unpacked, in the same versions.
lists() {
  local repository=${1%@*} architecture digest
  for architecture in amd64 arm64; do
    digest=$(crane digest --platform "linux/$architecture" "$1")
    described ours "$repository@$digest" | yq -p=json -o=json '.payload | @base64d | from_json | .predicate' >"$work/sbom.spdx.json"
    "$python" -m spdx_tools.spdx.clitools.pyspdxtools --infile "$work/sbom.spdx.json" >&2 || die "the SBOM of ${repository##*/} is not valid"
    programs "$work/$architecture" | linked >"$work/linked"
    listed <"$work/sbom.spdx.json" >"$work/listed"
    [[ -s $work/linked ]] || die "the programs of ${repository##*/} name no modules"
    diff "$work/linked" "$work/listed" >&2 ||
      die "the SBOM of ${repository##*/} for $architecture (>) lists other modules than its programs (<)"
    # The comparison must also find something.
    ! diff <(sed 1d "$work/linked") "$work/listed" >/dev/null || die "a module that an SBOM lacks is not found"
    say "${repository##*/}: the SBOM for $architecture is valid, and lists the $(wc -l <"$work/linked") modules of its programs"
  done
}

# linked prints the modules in the programs that standard input lists, and Go itself. Our own have no version.
linked() {
  xargs --delimiter='\n' go version -m | awk '
    /^[^\t].*: go/ { print "stdlib", $NF }
    $1 == "mod" || $1 == "dep" { print $2, ($3 == "(devel)" || $2 ~ "^github[.]com/hashmark-dev/" ? "UNKNOWN" : $3) }
  ' | LC_ALL=C sort -u
}

# listed prints the Go modules in an SBOM.
listed() {
  yq -p=json -o=tsv '[.packages[] | select(.externalRefs[].referenceLocator | test("^pkg:golang/")) | [.name, .versionInfo]]' |
    tr '\t' ' ' | LC_ALL=C sort -u
}

# sealed KEY FILE fails unless a file has a signature by a key.
sealed() {
  "$cosign" verify-blob --key "$work/$1.pub" --insecure-ignore-tlog --bundle "$2.sigstore.json" "$2"
}

# refused WORDS COMMAND... fails unless a command fails with these words.
refused() {
  local words=$1
  shift
  ! "$@" >"$work/refusal" 2>&1 || die "cosign accepts a forgery: $*"
  grep -qF "$words" "$work/refusal" || {
    cat "$work/refusal" >&2
    die "cosign refuses a forgery for another reason than \"$words\"; see above"
  }
}

# What cosign says about each forgery.
readonly wrong_key='accepted signatures do not match threshold'
readonly unsigned='no signatures found'
readonly undescribed='no matching attestations'
readonly wrong_signature='invalid signature'
readonly other_digest='provided artifact digest does not match any digest in statement'

# forged REFERENCE fails if cosign accepts another key, an image without a signature, or an image with the
# signature of another one.
forged() {
  local repository=${1%@*} image forgery
  image=$repository@$(crane digest --platform linux/amd64 "$1")
  refused "$wrong_key" signed other "$1"
  refused "$wrong_key" described other "$image"
  forgery=$(crane index append --manifest "$image" --tag "$repository:forged")
  refused "$unsigned" signed ours "$forgery"
  crane copy "$repository:${1/*@sha256:/sha256-}" "$repository:${forgery/*@sha256:/sha256-}"
  refused "$other_digest" signed ours "$forgery"
  forgery=$(crane mutate --env FORGED=true --tag "$repository:forged" "$image")
  refused "$undescribed" described ours "$forgery"
  crane copy "$repository:${image/*@sha256:/sha256-}" "$repository:${forgery/*@sha256:/sha256-}"
  refused "$other_digest" described ours "$forgery"
  say "${repository##*/}: forgeries are refused"
}

trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
need buildah buildah
need qemu-aarch64 qemu-user
python=$(python_environment spdx hack/spdx/requirements.txt)/bin/python
serve 127.0.0.1
publish first
rm -r dist/publish
publish second
diff <(sed 's#.*@##' "$work/first" | head -3) <(sed 's#.*@##' "$work/second" | head -3) >&2 || die "two releases of the same source have different digests"
installs second <dist/publish/manifests/install.yaml
"$(tools/build/binaries.sh helm)/helm" template hashmark "oci://$(chart_of first)" --plain-http | installs first
say "the chart, pulled by digest, and install.yaml install the published images by digest"
annotated "$(chart_of first)"
use_cosign
isolate
sign first
images_of first | while read -r reference; do
  complete "$reference"
  started "$reference"
  signed ours "$reference"
  lists "$reference"
  forged "$reference"
done
signed ours "$(chart_of first)"
refused "$wrong_key" signed other "$(chart_of first)"
cp LICENSE "$work/file"
COSIGN_KEY=$work/ours.key hack/sign.sh "$work/file"
sealed ours "$work/file"
refused "$wrong_signature" sealed other "$work/file"
echo >>"$work/file"
refused "$wrong_signature" sealed ours "$work/file"
say "files are signed, and forgeries are refused"
# The proxy has to notice another machine.
! signed ours registry.invalid/image:v1 2>/dev/null || die "cosign verifies an image that does not exist"
# The logs are complete once the servers have ended.
kill "${servers[@]}"
wait
grep -q '"CONNECT registry\.invalid:' "$work/proxy.log" || die "the proxy does not notice what cosign asks other machines"
others=$(grep -E '"[A-Z]+ ' "$work/proxy.log" | grep -v 'registry\.invalid' || true)
[[ -z $others ]] || die "cosign or syft asks other machines: $others"
say "all images and the chart are signed, and nothing connects to other machines"
