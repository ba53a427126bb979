#!/usr/bin/env bash
# Signs what a release published, and attaches an SBOM in SPDX to the image of each architecture, which lists
# the Go modules in its programs.
#
#   sign.sh [REFERENCE...]   images and charts by digest; by default what dist/publish/published.txt lists
#   sign.sh FILE...          files, whose signatures get the names FILE.sigstore.json
#
# Signatures are keyless: in GitHub Actions they name the workflow, and elsewhere the account that cosign asks
# for in the browser. Sigstore's public log lists each of them. COSIGN_KEY is a key of "cosign
# generate-key-pair" to sign with instead, and COSIGN_PASSWORD its password: then cosign asks no service but
# the registry. PLAIN_HTTP=true is for a registry without TLS.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly architectures=(amd64 arm64)

cosign() { go tool "-modfile=$PWD/hack/tools/cosign/go.mod" cosign "$@"; }
syft() { go tool "-modfile=$PWD/hack/tools/syft/go.mod" syft "$@"; }
crane() { go tool "-modfile=$PWD/hack/tools/release/go.mod" crane "$@"; }

# choose_signer sets the arguments that cosign signs with. By default it downloads the addresses and keys of
# Sigstore's services; with a key it gets empty lists of both.
choose_signer() {
  signer=(--yes)
  [[ -n ${COSIGN_KEY:-} ]] || return 0
  cosign signing-config create --out "$work/services.json"
  cosign trusted-root create --out "$work/keys.json"
  signer+=(--key "$COSIGN_KEY" --signing-config "$work/services.json" --trusted-root "$work/keys.json")
}

# describe REFERENCE attaches the SBOM to the image of each architecture.
describe() {
  local repository=${1%@*} architecture digest
  for architecture in "${architectures[@]}"; do
    digest=$(crane "${crane_http[@]}" digest --platform "linux/$architecture" "$1")
    SYFT_REGISTRY_INSECURE_USE_HTTP=${PLAIN_HTTP:-false} SYFT_CHECK_FOR_APP_UPDATE=false \
      syft scan --quiet "registry:$repository@$digest" --output "spdx-json=$work/sbom.json"
    cosign attest "${signer[@]}" "${cosign_http[@]}" --type spdxjson --predicate "$work/sbom.json" "$repository@$digest"
    say "attached the SBOM of ${repository##*/} for $architecture"
  done
}

crane_http=() cosign_http=()
[[ ${PLAIN_HTTP:-false} != true ]] || crane_http=(--insecure) cosign_http=(--allow-http-registry)
(($# > 0)) || {
  [[ -f dist/publish/published.txt ]] || die "nothing was published from here; run make release-local first"
  mapfile -t published <dist/publish/published.txt
  set -- "${published[@]}"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
choose_signer
for subject in "$@"; do
  if [[ -f $subject ]]; then
    cosign sign-blob "${signer[@]}" --bundle "$subject.sigstore.json" "$subject" >/dev/null
  elif [[ $subject == *@sha256:* ]]; then
    cosign sign "${signer[@]}" "${cosign_http[@]}" "$subject"
    [[ $subject == */charts/hashmark@* ]] || describe "$subject"
  else
    die "\"$subject\" is neither a file nor a reference by digest, such as registry.example.com/team/operator@sha256:..."
  fi
  say "signed $subject"
done
