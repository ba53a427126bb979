#!/usr/bin/env bash
# Generates the CRDs and their reference from the types in api/.
#
#   api.sh          writes them into the tree
#   api.sh FOLDER   writes them into a folder instead, under the same paths
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly target=${1:-$PWD}

# joined FILE prints a definition with each paragraph of a description in one line, because kubectl explain
# wraps the lines again. Items of a list, which begin with a dash, keep lines of their own.
joined() {
  awk '
    function finish() { if (text != "") print text; text = "" }
    { match($0, /^ */) }
    inside && NF && RLENGTH <= depth { finish(); inside = 0 }
    inside && !NF { finish(); print ""; next }
    inside {
      line = substr($0, RLENGTH + 1)
      if (line ~ /^- /) finish()
      text = text == "" ? $0 : text " " line
      next
    }
    { print }
    /^ *description: \|-$/ { inside = 1; depth = RLENGTH }
    END { finish() }
  ' "$1"
}

mkdir -p "$target"/{config/crd,docs}
go tool -modfile=hack/tools/go.mod controller-gen crd paths=./api/... "output:crd:dir=$target/config/crd"
for definition in "$target"/config/crd/*_*.yaml; do
  text=$(joined "$definition")
  printf '%s\n' "$text" >"$definition"
done
go tool -modfile=hack/tools/crd-ref-docs/go.mod crd-ref-docs --log-level=ERROR --max-depth=20 --source-path=api \
  --config=hack/reference/config.yaml --templates-dir=hack/reference --renderer=markdown --output-path="$target/docs/api.md"
