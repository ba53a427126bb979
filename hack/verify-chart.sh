#!/usr/bin/env bash
# Fails when the chart, what it renders or its alerts are not as they should be.
# It needs no cluster, and changes nothing in the tree.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=build/messages.sh
source hack/build/messages.sh

readonly chart=charts/hashmark
readonly sets=(test/chart/values/*.yaml hack/cluster/values.yaml hack/monitoring/values.yaml)
readonly folders=(config/{default,prometheus,grafana} hack/monitoring/{local,kind})
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

# template RELEASE FOLDER HELM writes what the chart renders by each set of values.
template() {
  local file
  "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" >"$2/chart.yaml"
  for file in "${sets[@]}"; do
    "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" -f "$file" >"$2/chart-${file//\//-}"
  done
}

# render RELEASE FOLDER writes all that users and the demo apply: the chart, the
# folders of kustomize, the samples, and the experiment that the notes propose.
render() {
  local folder
  template "$1" "$2" "$helm"
  for folder in "${folders[@]}"; do
    "$kubectl" kustomize "$folder" >"$2/${folder//\//-}.yaml"
  done
  cp config/samples/*.yaml "$2"
  KUBECONFIG=/dev/null "$helm" install hashmark "$chart" -n hashmark-system --dry-run=client |
    sed -n "/<<'END'\$/,/^END\$/{//!p}" >"$2/notes.yaml"
  grep -q '^kind: SizingExperiment' "$2/notes.yaml" || die "the chart's notes propose no experiment"
}

# conform RELEASE FOLDER MANIFESTS... holds manifests against the schemas in FOLDER.
conform() {
  go tool -modfile=hack/tools/chart/go.mod kubeconform -strict -kubernetes-version "${1#v}" -summary \
    -schema-location "$2/{{ .ResourceKind }}{{ .KindSuffix }}.json" "${@:3}"
}

# hold RELEASE holds all that is applied against the schemas of a release.
hold() {
  local folder=$work/$1 specification
  mkdir -p "$folder/manifests"
  specification=$(specification "$1")
  "$work/schemas" "$specification" "$folder/schemas"
  "$work/schemas" "$specification" "$folder/schemas" "${definitions[@]}"
  render "$1" "$folder/manifests"
  quiet conform "$1" "$folder/schemas" "$folder/manifests"
  say "  $(tail -1 "$work/said")"
  # What refuses nothing shows nothing.
  sed 's/^  replicas:/  replica:/' "$folder/manifests/chart.yaml" >"$folder/wrong.yaml"
  conform "$1" "$folder/schemas" "$folder/wrong.yaml" >"$work/said" 2>&1 || true
  grep -q "additional properties 'replica' not allowed" "$work/said" ||
    die "kubeconform let a field pass that Kubernetes $1 does not have"
}

say "chart: helm lint"
for set in "" "${sets[@]}"; do
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
template "$(releases | tail -1)" "$work/helm" "$helm"
template "$(releases | tail -1)" "$work/helm3" "$helm3"
# The two part documents by different numbers of empty lines.
diff -ruBZ "$work/helm" "$work/helm3" >&2 || die "Helm 4 (-) and Helm 3 (+) render different things"

go build -o "$work/schemas" ./hack/schemas
mapfile -t definitions < <(definitions)
for release in $(releases); do
  say "chart: schemas of Kubernetes $release"
  hold "$release"
done
say "chart: all is well"
