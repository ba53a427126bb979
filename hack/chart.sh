#!/usr/bin/env bash
# Generates what follows from the Helm chart, so that chart and config never diverge:
# config/{rbac,admission,own-service,manager,prometheus,grafana} are rendered from the chart, the chart's CRDs are
# copies of config/crd, and its README describes its values.
#
#   chart.sh          writes them into the tree
#   chart.sh FOLDER   writes them into a folder instead, under the same paths
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly target=${1:-$PWD} chart=charts/hashmark

# values prints the values that config is rendered with: everything that the operator needs,
# and what is optional, in folders of its own.
values() {
  cat <<VALUES
image: {tag: dev}
crds: {enabled: false}
loginService: {requirePermission: true}
metrics:
  serviceMonitor: {enabled: true, renderMode: alwaysRender}
  podMonitor: {enabled: true, renderMode: alwaysRender}
  prometheusRule: {enabled: true, renderMode: alwaysRender}
dashboards: {enabled: true}
VALUES
}

# bare removes what only Helm needs: its labels, the names of templates, and the empty lines
# that they leave.
bare() {
  sed -E -e '1{/^---$/d}' -e '/^# Source: /d' -e '/^ *$/d' \
    -e '/^ +(helm\.sh\/chart|app\.kubernetes\.io\/(instance|managed-by|version)): /d' "$1"
}

# kustomization prints a kustomization of the files in a folder.
kustomization() {
  printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n'
  (cd "$1" && printf -- '- %s\n' *.yaml)
}

# manifests writes the folders of config. The chart's templates are in folders of the same
# names.
manifests() {
  local folder template
  values | "$(hack/build/binaries.sh helm)/helm" template hashmark "$chart" \
    --namespace hashmark-system --values - --output-dir "$rendered" >/dev/null
  for folder in rbac admission own-service manager prometheus grafana; do
    rm -rf "$target/config/$folder"
    mkdir -p "$target/config/$folder"
    [[ -d $rendered/hashmark/templates/$folder ]] || continue
    for template in "$rendered/hashmark/templates/$folder"/*.yaml; do
      bare "$template" >"$target/config/$folder/$(basename "$template")"
    done
    kustomization "$target/config/$folder" >"$rendered/kustomization.yaml"
    mv "$rendered/kustomization.yaml" "$target/config/$folder/"
  done
}

definitions() {
  rm -rf "$target/$chart/files/crds"
  mkdir -p "$target/$chart/files/crds"
  cp config/crd/*_*.yaml "$target/$chart/files/crds/"
}

readme() {
  go tool -modfile=hack/tools/chart/go.mod helm-docs --chart-search-root "$chart" --sort-values-order file \
    --log-level warning --dry-run >"$rendered/README.md"
  mv "$rendered/README.md" "$target/$chart/"
}

rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
definitions
manifests
readme
