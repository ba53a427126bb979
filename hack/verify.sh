#!/usr/bin/env bash
# Fails if anything that is generated, formatted or rendered is out of date, and says what to
# run. It also runs the linters, compiles the plugin for other systems, and looks for known
# vulnerabilities. It changes nothing in the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stale() {
  echo "$1 is out of date; run: $2" >&2
  exit 1
}

# Code is generated into a copy, so that the tree is not changed.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for code in api/*/zz_generated.deepcopy.go; do
  package=${code%/*}
  go tool -modfile=hack/tools/go.mod controller-gen object "paths=./$package" "output:object:dir=$copy/$package"
  diff -u "$code" "$copy/$code" || stale "Generated code" "make generate"
done
hack/api.sh "$copy"
for made in config/crd/*_*.yaml docs/api.md; do
  diff -u "$made" "$copy/$made" || stale "$made" "make generate"
done

go test -run='^TestTheChartShipsTheseDashboards$' ./hack/dashboards || stale "charts/hashmark/files/dashboards" "make generate"

unformatted=$(gofmt -l api cmd config controllers hack internal loadtests test tools)
[[ -z $unformatted ]] || stale "The format of $unformatted" "make fmt"

for module in . api hack/tools hack/tools/*/ tools/build/*/; do
  # To tidy them, all modules of the older Kubernetes releases would have to be downloaded. test-long NAME=minors
  # compiles them, which fails if they lack anything.
  [[ $module != tools/build/kubernetes-1.* ]] || continue
  (cd "$module" && go mod tidy -diff) || stale "$module/go.mod" "go mod tidy there"
done

hack/timed.sh linters hack/lint.sh

# The kubectl plugin also runs on macOS and Windows. All other tests are for Linux.
for system in darwin windows; do
  echo "compiling the kubectl plugin for $system"
  GOOS=$system go build -o /dev/null ./cmd/kubectl-hashmark
done
hack/timed.sh vulnerabilities hack/vulnerabilities.sh

hack/chart.sh "$copy"
for made in charts/hashmark/{files/crds,README.md}; do
  diff -ruN "$made" "$copy/$made" || stale "$made" "make generate"
done

# Checks that need Helm, promtool and an earlier operator come last, because .ci/run compiles these meanwhile.
hack/compatibility.sh
hack/verify-chart.sh
echo "Everything generated, formatted and rendered is up to date, and the linters found nothing"
