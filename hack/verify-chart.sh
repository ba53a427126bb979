#!/usr/bin/env bash
# Fails if the chart or its alerts are wrong. It needs no cluster, and changes nothing in the tree. The
# integration tests apply what the chart renders.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../tools/build/messages.sh
source tools/build/messages.sh

readonly chart=charts/hashmark
# The chart has no registry by default.
readonly registry=charts/hashmark/tests/values/registry.yaml
readonly sets=(test/chart/values/*.yaml tools/cluster/values.yaml hack/monitoring/values.yaml)
helm=$(tools/build/binaries.sh helm)/helm
helm3=$(tools/build/binaries.sh helm3)/helm
promtool=$(tools/build/binaries.sh prometheus)/promtool
kubernetes=$(sed -nE 's/^\tk8s.io\/kubernetes (v[0-9.]+) .*/\1/p' tools/build/kubernetes/go.mod)
readonly helm helm3 promtool kubernetes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quiet runs a command and prints its output only if it fails.
quiet() {
  "$@" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    die "$1 failed; see its output above"
  }
}

# template HELM FOLDER writes what the chart renders with each set of values.
template() {
  local file
  "$1" template hashmark "$chart" -n hashmark-system --kube-version "$kubernetes" -f "$registry" >"$2/chart.yaml"
  for file in "${sets[@]}"; do
    "$1" template hashmark "$chart" -n hashmark-system --kube-version "$kubernetes" -f "$registry" -f "$file" >"$2/chart-${file//\//-}"
  done
}

say "chart: helm lint"
for set in "" "${sets[@]}"; do
  quiet "$helm" lint --strict "$chart" -f "$registry" ${set:+-f "$set"}
  quiet "$helm3" lint --strict "$chart" -f "$registry" ${set:+-f "$set"}
done

say "chart: unit tests"
quiet go tool -modfile=hack/tools/helm-unittest/go.mod helm-unittest --strict "$chart"

say "chart: alerts"
quiet "$promtool" check rules --lint=all --lint-fatal "$chart/files/rules/hashmark.yaml"
quiet "$promtool" test rules test/chart/rules/*.test.yaml

say "chart: Helm 3 renders the same"
mkdir "$work/helm" "$work/helm3"
template "$helm" "$work/helm"
template "$helm3" "$work/helm3"
# The two separate documents by different numbers of empty lines.
diff -ruBZ "$work/helm" "$work/helm3" >&2 || die "Helm 4 (-) and Helm 3 (+) render different things"

say "chart: all checks passed"
