#!/usr/bin/env bash
# Fails when the chart, what it renders or its alerts are not as they should be.
# It needs no cluster, and changes nothing in the tree.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=build/messages.sh
source hack/build/messages.sh

readonly chart=charts/hashmark values=test/chart/values
helm=$(hack/build/binaries.sh helm)/helm
helm3=$(hack/build/binaries.sh helm3)/helm
promtool=$(hack/build/binaries.sh prometheus)/promtool
kubectl=$(hack/build/binaries.sh assets)/kubectl
readonly helm helm3 promtool kubectl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quiet runs a command whose words matter only if it fails.
quiet() {
  "$@" >"$work/said" 2>&1 || {
    cat "$work/said" >&2
    die "$1 found something, see above"
  }
}

# releases prints the releases of Kubernetes that the chart is held against.
releases() {
  sed -nE 's/^(v[0-9.]+) .*/\1/p' hack/schemas/releases
}

# word KEY prints what the JSON of `go mod download` on its input says of a key.
word() {
  sed -nE "s/^[[:space:]]*\"$1\": \"(.*)\",?\$/\1/p"
}

# specification RELEASE prints the folder in which Kubernetes describes its API.
specification() {
  local downloaded
  downloaded=$(go mod download -json "k8s.io/kubernetes@$1")
  [[ $(word Sum <<<"$downloaded") == "$(sed -n "s/^$1 //p" hack/schemas/releases)" ]] ||
    die "the module of Kubernetes $1 is not the one that hack/schemas/releases names"
  printf '%s/api/openapi-spec/v3\n' "$(word Dir <<<"$downloaded")"
}

# definitions prints the files of those kinds that Kubernetes does not have.
definitions() {
  local operator
  operator=$(cd hack/build/prometheus-operator && go mod download -json github.com/prometheus-operator/prometheus-operator | word Dir)
  printf '%s\n' config/crd/*_*.yaml "$operator"/example/prometheus-operator-crd/*.yaml
}

# chart RELEASE FOLDER HELM writes what the chart renders by each set of values.
chart() {
  local file
  "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" >"$2/defaults.yaml"
  for file in "$values"/*.yaml; do
    "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" -f "$file" >"$2/$(basename "$file")"
  done
}

# render RELEASE FOLDER writes all that is installed there: the chart, config and
# the samples.
render() {
  chart "$1" "$2" "$helm"
  "$kubectl" kustomize config/default >"$2/config.yaml"
  cp config/samples/*.yaml "$2"
}

# conform RELEASE FOLDER MANIFESTS... holds manifests against the schemas in FOLDER.
conform() {
  go tool -modfile=hack/tools/chart/go.mod kubeconform -strict -kubernetes-version "${1#v}" -summary \
    -schema-location "$2/{{ .ResourceKind }}{{ .KindSuffix }}.json" "${@:3}"
}

say "chart: helm lint"
for set in "" "$values"/*.yaml; do
  quiet "$helm" lint --strict "$chart" ${set:+-f "$set"}
  quiet "$helm3" lint --strict "$chart" ${set:+-f "$set"}
done

say "chart: unit tests"
quiet go tool -modfile=hack/tools/helm-unittest/go.mod helm-unittest --strict "$chart"

say "chart: alerts"
quiet "$promtool" check rules --lint=all --lint-fatal "$chart/files/rules/hashmark.yaml"
quiet "$promtool" test rules test/chart/rules/*.test.yaml

say "chart: the same by Helm 3"
mkdir "$work/helm" "$work/helm3"
chart "$(releases | tail -1)" "$work/helm" "$helm"
chart "$(releases | tail -1)" "$work/helm3" "$helm3"
# The two part documents by different numbers of empty lines.
diff -ruBZ "$work/helm" "$work/helm3" >&2 || die "Helm 4 (-) and Helm 3 (+) render different things"

go build -o "$work/schemas" ./hack/schemas
mapfile -t definitions < <(definitions)
for release in $(releases); do
  say "chart: schemas of Kubernetes $release"
  mkdir -p "$work/$release/manifests"
  specification=$(specification "$release")
  "$work/schemas" "$specification" "$work/$release/schemas"
  "$work/schemas" "$specification" "$work/$release/schemas" "${definitions[@]}"
  render "$release" "$work/$release/manifests"
  quiet conform "$release" "$work/$release/schemas" "$work/$release/manifests"
  # What refuses nothing shows nothing.
  sed 's/^  replicas:/  replica:/' "$work/$release/manifests/defaults.yaml" >"$work/$release/wrong.yaml"
  ! conform "$release" "$work/$release/schemas" "$work/$release/wrong.yaml" >"$work/said" 2>&1 ||
    die "kubeconform let a field pass that Kubernetes $release does not have"
done
say "chart: all is well"
