#!/usr/bin/env bash
# Fails if the chart, its rendered objects or its alerts are wrong. It needs no cluster, and
# changes nothing in the tree.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=build/messages.sh
source hack/build/messages.sh

readonly chart=charts/hashmark
readonly sets=(test/chart/values/*.yaml hack/cluster/values.yaml hack/monitoring/values.yaml)
readonly folders=(config/{default,own-service,prometheus,grafana} hack/monitoring/{local,kind})
helm=$(hack/build/binaries.sh helm)/helm
helm3=$(hack/build/binaries.sh helm3)/helm
promtool=$(hack/build/binaries.sh prometheus)/promtool
kubectl=$(hack/build/binaries.sh assets)/kubectl
readonly helm helm3 promtool kubectl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quiet runs a command and prints its output only if it fails.
quiet() {
  "$@" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    die "$1 failed; see its output above"
  }
}

# releases prints the releases of Kubernetes that the chart is checked against.
releases() {
  sed -nE 's/^(v[0-9.]+) .*/\1/p' hack/schemas/releases
}

# word KEY prints a key's value from the JSON of `go mod download` on standard input.
word() {
  sed -nE "s/^[[:space:]]*\"$1\": \"(.*)\",?\$/\1/p"
}

# specification RELEASE prints the folder with Kubernetes' OpenAPI specification.
specification() {
  local downloaded
  downloaded=$(go mod download -json "k8s.io/kubernetes@$1")
  [[ $(word Sum <<<"$downloaded") == "$(sed -n "s/^$1 //p" hack/schemas/releases)" ]] ||
    die "the checksum of the module of Kubernetes $1 differs from hack/schemas/releases"
  printf '%s/api/openapi-spec/v3\n' "$(word Dir <<<"$downloaded")"
}

# definitions prints the files of the CRDs.
definitions() {
  local operator
  operator=$(cd hack/build/prometheus-operator && go mod download -json github.com/prometheus-operator/prometheus-operator | word Dir)
  printf '%s\n' config/crd/*_*.yaml "$operator"/example/prometheus-operator-crd/*.yaml
}

# template RELEASE FOLDER HELM writes what the chart renders with each set of values.
template() {
  local file
  "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" >"$2/chart.yaml"
  for file in "${sets[@]}"; do
    "$3" template hashmark "$chart" -n hashmark-system --kube-version "$1" -f "$file" >"$2/chart-${file//\//-}"
  done
}

# render RELEASE FOLDER writes all that users and the demo apply: the chart, the kustomize
# folders, the samples, and the experiment in the chart's notes.
render() {
  local folder
  template "$1" "$2" "$helm"
  for folder in "${folders[@]}"; do
    "$kubectl" kustomize "$folder" >"$2/${folder//\//-}.yaml"
  done
  cp config/samples/*.yaml config/samples/accounts/*.yaml "$2"
  KUBECONFIG=/dev/null "$helm" install hashmark "$chart" -n hashmark-system --dry-run=client |
    sed -n "/<<'END'\$/,/^END\$/{//!p}" >"$2/notes.yaml"
  grep -q '^kind: SizingExperiment' "$2/notes.yaml" || die "the chart's notes contain no experiment"
}

# conform RELEASE FOLDER MANIFESTS... checks manifests against the schemas in FOLDER.
conform() {
  go tool -modfile=hack/tools/chart/go.mod kubeconform -strict -kubernetes-version "${1#v}" -summary \
    -schema-location "$2/{{ .ResourceKind }}{{ .KindSuffix }}.json" "${@:3}"
}

# check_release RELEASE checks all that is applied against the schemas of a release.
check_release() {
  local folder=$work/$1 specification
  mkdir -p "$folder/manifests"
  specification=$(specification "$1")
  "$work/schemas" "$specification" "$folder/schemas"
  "$work/schemas" "$specification" "$folder/schemas" "${definitions[@]}"
  render "$1" "$folder/manifests"
  quiet conform "$1" "$folder/schemas" "$folder/manifests"
  say "  $(tail -1 "$work/output")"
  # The check must also refuse something wrong.
  sed 's/^  replicas:/  replica:/' "$folder/manifests/chart.yaml" >"$folder/wrong.yaml"
  conform "$1" "$folder/schemas" "$folder/wrong.yaml" >"$work/output" 2>&1 || true
  grep -q "additional properties 'replica' not allowed" "$work/output" ||
    die "kubeconform accepted a field that Kubernetes $1 does not have"
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

say "chart: Helm 3 renders the same"
mkdir "$work/helm" "$work/helm3"
template "$(releases | tail -1)" "$work/helm" "$helm"
template "$(releases | tail -1)" "$work/helm3" "$helm3"
# The two separate documents by different numbers of empty lines.
diff -ruBZ "$work/helm" "$work/helm3" >&2 || die "Helm 4 (-) and Helm 3 (+) render different things"

go build -o "$work/schemas" ./hack/schemas
mapfile -t definitions < <(definitions)
for release in $(releases); do
  say "chart: schemas of Kubernetes $release"
  check_release "$release"
done
say "chart: all checks passed"
