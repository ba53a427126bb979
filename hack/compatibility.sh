#!/usr/bin/env bash
# Fails if the CRDs are incompatible with earlier ones: if they lack a version or a field, refuse what was
# accepted, or set another default. Rules in CEL are not compared.
#
#   compatibility.sh           compares config/crd with that of the commit in tools/build/base/commit
#   compatibility.sh OLD NEW   compares the CRDs in two folders
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

# document FILE prints a CRD as an OpenAPI document in which each version is a path, and objects are the bodies of
# requests: a later version must accept those bodies too.
document() {
  go tool -modfile=hack/tools/release/go.mod yq '{"openapi": "3.0.3", "info": {"title": .metadata.name, "version": ""}, "paths": (
    [.spec.versions[] | {"key": "/" + .name, "value": {"put": {
      "requestBody": {"content": {"application/json": {"schema": .schema.openAPIV3Schema}}},
      "responses": {"200": {"description": ""}}}}}] | from_entries)}' "$1"
}

# binaries.sh keeps the CRDs of that commit with its operator, also where the clone has no history.
old=${1:-$(tools/build/binaries.sh base)/crd} new=${2:-config/crd}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'request-property-default-value-%s err\n' added changed removed >"$work/severities"
for definition in "$old"/*_*.yaml; do
  name=${definition##*/}
  [[ -f $new/$name ]] || die "$new has no $name, which an earlier version has"
  document "$definition" >"$work/old.yaml"
  document "$new/$name" >"$work/new.yaml"
  go tool -modfile=hack/tools/oasdiff/go.mod oasdiff breaking --fail-on WARN --severity-levels "$work/severities" \
    "$work/old.yaml" "$work/new.yaml" >"$work/changes" || {
    cat "$work/changes" >&2
    die "$name is incompatible with an earlier version; see above and docs/api-stability.md"
  }
done
say "the CRDs are compatible with those in $old"
