#!/usr/bin/env bash
# Measures the experiments of docs/gallery on the local cluster, whose operator `make deploy` has
# installed, and saves each with its trials in docs/gallery as NAME.json. Then hack/screenshot.sh docs
# takes the pictures. Names select some of them. An experiment that has finished in the namespace of
# the demo is saved as it is.
#
#   hack/gallery.sh [quickstart] [nothing-fits] [etcd] [drifting]
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly namespace=hashmark-demo
declare -rA experiments=(
  [quickstart]=config/samples/quickstart.yaml
  [nothing-fits]=docs/gallery/nothing-fits.yaml
  [etcd]=examples/etcd/experiment.yaml
  [drifting]=docs/gallery/drifting.yaml
)

# measured NAME reports whether an experiment has a result.
measured() {
  [[ $(kubectl -n "$namespace" get --ignore-not-found szx "$1" -o jsonpath='{.status.phase}') == Succeeded ]]
}

# measure NAME measures an experiment and saves it. That no size fits is a result, too.
measure() {
  local outcome=0
  if ! measured "$1"; then
    kubectl -n "$namespace" delete --ignore-not-found --cascade=foreground --wait --timeout=60s szx "$1"
    kubectl hashmark run -f "${experiments[$1]}" -n "$namespace" --timeout 30m || outcome=$?
    ((outcome < 2)) || die "$1 has no result; run: kubectl -n $namespace describe szx $1"
  fi
  kubectl hashmark report "$1" -n "$namespace" -o json --output-file "docs/gallery/$1.json"
}

# drift makes the operator deploy a login service whose hashes take more or less CPU time, as if the
# speed of the CPU changed (test/drift). put_back undoes it.
drift() {
  revision=$(helm list --namespace hashmark-system --filter '^hashmark$' --no-headers | awk '{ print $3 }')
  trap put_back EXIT
  helm upgrade hashmark charts/hashmark --namespace hashmark-system --reuse-values --wait --timeout=3m --hide-notes \
    --set loginService.image.repository=drift-sawtooth --set loginService.image.tag=e2e >/dev/null
}

put_back() {
  trap - EXIT
  helm rollback hashmark "$revision" --namespace hashmark-system --wait --timeout=3m
}

(($# > 0)) || set -- quickstart nothing-fits etcd drifting
for name; do
  [[ -v experiments[$name] ]] || die "there is no experiment $name; usage: hack/gallery.sh [${!experiments[*]}]"
done
hack/images.sh e2e
hack/clusters.sh load-images dist/images/{drift-sawtooth,etcd}.tar
kubectl create namespace "$namespace" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
# This shell stays off the CPU that is measured.
taskset -cp 1 $$ >/dev/null 2>&1 || true
for name; do
  if [[ $name == drifting ]] && ! measured drifting; then
    drift
    measure drifting
    put_back
  else
    measure "$name"
  fi
done
say "saved $* in docs/gallery; to take the pictures, run: hack/screenshot.sh docs"
