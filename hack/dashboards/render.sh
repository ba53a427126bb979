#!/usr/bin/env bash
# Draws the dashboards with Grafana's npm packages (@grafana/ui and @grafana/data, Apache-2.0) in
# a headless Chromium, light and dark, and fails if a panel has an error, no data or clipped text.
# Pictures are written to dist/dashboards. It needs Node.js and npm, which it installs on Debian, and the npm registry.
#
#   hack/dashboards/render.sh        the recorded history of hack/dashboards/history_test.go
#   hack/dashboards/render.sh docs   the quickstart, as the demo's Prometheus has it; also updates
#                                    the pictures of docs/monitoring.md. With an address in
#                                    HASHMARK_PROMETHEUS_URL, another Prometheus
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source tools/build/messages.sh
source hack/packages.sh

readonly page=dist/dashboards/page

# packages prints the folder of the npm packages of package-lock.json. It is either complete or
# absent.
packages() {
  local folder lock
  folder=$CACHE/grafana-$(sha256sum hack/dashboards/render/package-lock.json | cut -c1-12)
  if [[ ! -d $folder ]]; then
    mkdir -p "$CACHE"
    exec {lock}>"$CACHE/.grafana.lock"
    flock "$lock"
    if [[ ! -d $folder ]]; then
      say "installing Grafana's npm packages"
      rm -rf "$folder.partial"
      mkdir "$folder.partial"
      cp hack/dashboards/render/package{,-lock}.json "$folder.partial"
      npm ci --prefix "$folder.partial" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
        die "can't install Grafana's npm packages; is the npm registry reachable?"
      mv "$folder.partial" "$folder"
    fi
    exec {lock}>&-
  fi
  printf '%s\n' "$folder/node_modules"
}

# bundle writes the page. What is only imported when it is needed, such as the editor of queries,
# is in files of its own that are never loaded. The packages look for the icons and the font of
# Grafana's themes below public.
bundle() {
  local modules font
  modules=$(packages)
  rm -rf "$page"
  mkdir -p "$page/public/build" "$page/public/fonts/inter"
  NODE_PATH=$modules "$modules/.bin/esbuild" hack/dashboards/render/main.jsx --bundle --splitting --format=esm --minify \
    --jsx=automatic --loader:.ttf=empty '--define:process.env.NODE_ENV="production"' --define:global=globalThis \
    --entry-names=page --outdir="$page" --log-level=warning
  cp hack/dashboards/render/index.html "$page"
  cp -r "$modules/@grafana/ui/dist/public/img" "$page/public/build"
  for font in 400-normal:Regular 500-normal:Medium 400-italic:Italic 500-italic:MediumItalic; do
    cp "$modules/@fontsource/inter/files/inter-latin-${font%:*}.woff2" "$page/public/fonts/inter/Inter-${font#*:}.woff2"
  done
}

# demo starts a way to the demo's Prometheus through the API server, which works in any cluster.
demo() {
  output=$(mktemp)
  kubectl proxy --port=0 >"$output" &
  proxy=$!
  trap 'kill "$proxy" 2>/dev/null || true; rm -f "$output"' EXIT
  until grep -q 127.0.0.1 "$output"; do
    kill -0 "$proxy" 2>/dev/null || die "kubectl proxy ended; select the demo's cluster with: eval \"\$(make -s cluster-env)\""
    sleep 0.1
  done
  HASHMARK_PROMETHEUS_URL=http://$(grep -o '127.0.0.1:[0-9]*' "$output")/api/v1/namespaces/monitoring/services/prometheus:web/proxy
}

need npm nodejs npm
need_chromium
bundle
export HASHMARK_PAGE=$PWD/$page HASHMARK_PICTURES=$PWD/dist/dashboards
if [[ ${1:-} == docs ]]; then
  [[ -n ${HASHMARK_PROMETHEUS_URL:-} ]] || demo
  export HASHMARK_PROMETHEUS_URL
  rm -f dist/dashboards/demo-*.png
  hack/test.sh dashboards-demo -tags=grafana -run='^TestGrafanaDrawsTheQuickstart$' ./hack/dashboards
  mkdir -p docs/images
  for picture in dist/dashboards/demo-*.png; do
    cp "$picture" "docs/images/dashboard-${picture#*/demo-}"
  done
else
  HASHMARK_PROMETHEUS=${HASHMARK_PROMETHEUS:-$(tools/build/binaries.sh prometheus)}
  export HASHMARK_PROMETHEUS
  hack/test.sh dashboards -tags=grafana -run='^TestGrafanaDrawsTheHistory$' ./hack/dashboards
fi
