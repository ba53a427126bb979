#!/usr/bin/env bash
# Generates the chart's copies of config/crd, and its README, which describes its values.
#
#   chart.sh          writes them into the tree
#   chart.sh FOLDER   writes them into a folder instead, under the same paths
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly chart=charts/hashmark target=${1:-$PWD}/charts/hashmark
rm -rf "$target/files/crds"
mkdir -p "$target/files/crds"
cp config/crd/*_*.yaml "$target/files/crds/"
readme=$(go tool -modfile=hack/tools/chart/go.mod helm-docs --chart-search-root "$chart" --sort-values-order file \
  --log-level warning --dry-run)
printf '%s\n' "$readme" >"$target/README.md"
