#!/usr/bin/env bash
# Publishes the three images for amd64 and arm64, and the chart that installs exactly these images, to a
# registry.
#
#   IMAGES=registry.example.com/team [VERSION=v0.1.0] release.sh
#
# By default VERSION is the chart's. docker login or crane auth login says who pushes. What was
# published is listed in dist/publish/published.txt, a reference by digest per line, the chart last. Manifests
# for kubectl and kustomize, which also name the images by digest, are in dist/publish/manifests. PLAIN_HTTP=true pushes to a registry without TLS. hack/sign.sh signs what was published.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly architectures=(amd64 arm64) names=(operator loginservice generator)
readonly work=dist/publish
version=${VERSION:-v$(sed -n 's/^version: //p' charts/hashmark/Chart.yaml)}
[[ ${IMAGES:-} == */* ]] || die "set IMAGES to a registry and a path that you can push to, such as registry.example.com/team"
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
  die "VERSION is \"$version\"; use a semantic version with a v, such as v0.1.0"
export IMAGES TAG=$version
helm_http=() crane_http=()
[[ ${PLAIN_HTTP:-false} != true ]] || helm_http=(--plain-http) crane_http=(--insecure)

crane() { go tool "-modfile=$PWD/hack/tools/release/go.mod" crane "${crane_http[@]}" "$@"; }
yq() { go tool "-modfile=$PWD/hack/tools/release/go.mod" yq "$@"; }

# publish NAME pushes the images of a name, and an index of them under the version. It prints the
# index's reference by digest.
publish() {
  local architecture image images=()
  for architecture in "${architectures[@]}"; do
    image=$(crane push "$work/$architecture/$1.tar" "$IMAGES/$1:$version-$architecture")
    images+=(--manifest "$image")
  done
  crane index append "${images[@]}" --tag "$IMAGES/$1:$version"
}

# changes prints what CHANGELOG.md says about this version, or else about the next one, as Artifact Hub
# reads it: a list in YAML, in plain text.
changes() {
  local section=Unreleased
  ! grep -qxF "## ${version#v}" CHANGELOG.md || section=${version#v}
  awk -v section="## $section" '
    function finish() { if (text != "") print kind "|" text; text = "" }
    /^## / { finish(); inside = $0 == section; next }
    !inside { next }
    /^### / { finish(); kind = tolower($2); next }
    /^- / { finish(); text = substr($0, 3); next }
    /^  / { text = text " " substr($0, 3); next }
    /./ { finish() }
    END { finish() }
  ' CHANGELOG.md |
    sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/[`*]//g; s/\\/\\\\/g; s/"/\\"/g; s/^([a-z]+)\|(.*)/- kind: \1\n  description: "\2"/'
}

# of_this_version FILE makes links to the repository's main branch lead to the tag, in a fork to its own.
of_this_version() {
  local repository=${GITHUB_REPOSITORY:-hashmark-dev/hashmark}
  sed -i -E "s#hashmark-dev/hashmark/(blob/)?main/#$repository/\1$version/#" "$1"
}

# chart packages the chart, whose values and annotations name the images by digest, and pushes it. It
# prints the chart's reference by digest.
chart() {
  local name helm reference changed pushed listed=''
  helm=$(tools/build/binaries.sh helm)/helm
  rm -rf "$work/chart"
  cp -r charts/hashmark "$work/chart"
  while read -r reference; do
    name=${reference##*/} name=${name%@*}
    listed+="- name: $name"$'\n'"  image: $reference"$'\n'"  platforms: [linux/amd64, linux/arm64]"$'\n'
    [[ $name != loginservice ]] || name=loginService
    name=$name digest=${reference#*@} yq --inplace \
      '.image.registry = strenv(IMAGES) | .[strenv(name)].image.digest = strenv(digest)' "$work/chart/values.yaml"
  done <"$work/published.txt"
  of_this_version "$work/chart/Chart.yaml"
  changed=$(changes)
  listed=$listed changed=$changed yq --inplace '.annotations."artifacthub.io/images" = strenv(listed) |
    .annotations."artifacthub.io/changes" = strenv(changed)' "$work/chart/Chart.yaml"
  "$helm" package "$work/chart" --version "${version#v}" --app-version "${version#v}" --destination "$work" >&2
  pushed=$("$helm" push "${helm_http[@]}" "$work/hashmark-${version#v}.tgz" "oci://$IMAGES/charts" 2>&1) || die "can't push the chart: $pushed"
  sed -n "s#^Digest: #$IMAGES/charts/hashmark@#p" <<<"$pushed"
}

rm -rf "$work/published.txt"
for architecture in "${architectures[@]}"; do
  GOARCH=$architecture ARCHIVES=$work/$architecture hack/images.sh
done
for name in "${names[@]}"; do
  publish "$name" >>"$work/published.txt"
done
chart >>"$work/published.txt"
hack/manifests.sh "$work/chart" "$work/manifests"
say "published $version:"
cat "$work/published.txt"
cat <<TEXT

helm install hashmark oci://$IMAGES/charts/hashmark --version ${version#v} --namespace hashmark-system --create-namespace
TEXT
