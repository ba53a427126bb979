#!/usr/bin/env bash
# Generates JSON schemas of Grafana's own types (the npm package @grafana/schema, which is
# Apache-2.0; Grafana itself is AGPL and is not used). The tests of hack/dashboards check
# the dashboards against them.
#
# Run it by hand, with node and npm, to support another release of Grafana or to use another
# kind of panel. The schemas are committed, so that the tests need neither.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/schema"

# The oldest and the newest supported release.
readonly releases=(11.6.16 13.2.3) generator=2.9.0
target=$(cd ../../../hack/dashboards/testdata/schema && pwd)
readonly target

folders=$(mktemp -d)
trap 'rm -rf "$folders"' EXIT
for release in "${releases[@]}"; do
  work=$folders/$release
  mkdir "$work"
  echo '{"private": true}' >"$work/package.json"
  cp dashboard.ts "$work"
  (
    cd "$work"
    npm install --silent --ignore-scripts --no-audit --no-fund --save-exact \
      "@grafana/schema@$release" "ts-json-schema-generator@$generator"
    # Before 12 the package exports its files under their file names.
    [[ $release != 11.* ]] || sed -i "s/_types\.gen'/_types.gen.js'/" dashboard.ts
    cat >tsconfig.json <<'CONFIG'
{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler", "strict": true, "skipLibCheck": true, "types": []}, "files": ["dashboard.ts"]}
CONFIG
    node_modules/.bin/ts-json-schema-generator --path dashboard.ts --tsconfig tsconfig.json --type Dashboard \
      --expose none --jsDoc none --no-top-ref --minify --out schema.json
  )
  cp "$work/schema.json" "$target/grafana-$release.json"
  echo "$target/grafana-$release.json" >&2
done
