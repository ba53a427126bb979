#!/usr/bin/env bash
# Prometheus, its operator and, where images can be pulled, Grafana, in a
# cluster that hack/clusters.sh made. README.md beside this file says more.
#
#   monitoring.sh up       brings them up, or up to date, and waits until they work
#   monitoring.sh values   lists Helm's arguments that let Hashmark be watched by them
#   monitoring.sh await    waits until Prometheus reads the operator's metrics
#   monitoring.sh where    says how to reach them, and a query
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source hack/build/messages.sh
source hack/monitoring/versions.sh

# CUSTOM_RESOURCES are those that the operator needs for one Prometheus.
readonly CUSTOM_RESOURCES=(prometheuses servicemonitors podmonitors probes prometheusrules)

# TARGETS asks Prometheus by way of the API server, which any cluster's shell reaches.
readonly TARGETS="/api/v1/namespaces/monitoring/services/prometheus:web/proxy/api/v1/targets?state=active"

CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
export CLUSTER

# definitions prints the folder of the operator's own definitions, in its module.
definitions() {
  printf '%s/example/prometheus-operator-crd\n' \
    "$(cd hack/build/prometheus-operator && go mod download "$OPERATOR_MODULE" && go list -m -f '{{.Dir}}' "$OPERATOR_MODULE")"
}

# define installs them. Server-side, since one alone is too large for the
# annotation that kubectl would keep a copy in.
define() {
  local folder name
  folder=$(definitions)
  for name in "${CUSTOM_RESOURCES[@]}"; do
    kubectl apply --server-side --force-conflicts -f "$folder/monitoring.coreos.com_$name.yaml" >/dev/null
  done
  for name in "${CUSTOM_RESOURCES[@]}"; do
    kubectl wait --for=condition=Established --timeout=60s "crd/$name.monitoring.coreos.com" >/dev/null
  done
}

# rendered prints the objects with releases filled in. The local cluster is
# handed images of ours, which are called after the upstream ones.
rendered() {
  local edits=(-e "s/OPERATOR_VERSION/$OPERATOR_VERSION/" -e "s/PROMETHEUS_VERSION/$PROMETHEUS_VERSION/")
  [[ $CLUSTER != local ]] || edits+=(-e 's#quay\.io/[a-z-]*/#hashmark.dev/#')
  kubectl kustomize "hack/monitoring/$CLUSTER" | sed "${edits[@]}"
}

# hand_over gives the nodes of the local cluster what they can't pull.
hand_over() {
  [[ $CLUSTER == local ]] || return 0
  hack/images.sh monitoring
  hack/clusters.sh load-images dist/images/{prometheus-operator,prometheus-config-reloader,prometheus}.tar
}

up() {
  hand_over
  define
  rendered | kubectl apply --server-side --force-conflicts -f - >/dev/null
  kubectl -n monitoring rollout status deployment --timeout=300s | tail -n 1
  kubectl -n monitoring wait --for=condition=Available --timeout=300s prometheus/prometheus
}

values() {
  printf '%s\n' --values hack/monitoring/values.yaml
  [[ $CLUSTER == local ]] || printf '%s\n' --values hack/monitoring/kind/values.yaml
}

# await returns when Hashmark's operator has been read. A new configuration is
# in a Secret, which the kubelet writes into a pod it has no other business with
# only after up to a minute and a half; a change of the pod makes it look now.
await() {
  local end=$((SECONDS + 180))
  until operator_read; do
    ((SECONDS < end)) || die "Prometheus has not read the operator's metrics in three minutes; its own words: kubectl get --raw $TARGETS"
    kubectl -n monitoring annotate --overwrite pod -l operator.prometheus.io/name=prometheus \
      "hashmark.dev/look-again=$SECONDS" >/dev/null
    sleep 3
  done
  say "Prometheus reads the operator's metrics"
}

operator_read() {
  kubectl get --raw "$TARGETS" 2>/dev/null | grep -qE '"scrapePool":"serviceMonitor/hashmark-system/hashmark-operator/0".*"health":"up"'
}

# where begins with the way in, where there is no address that can be reached.
where() {
  local address=198.19.0.90:9090
  if [[ $CLUSTER == kind ]]; then
    address=localhost:9090
    cat <<'WORDS'
  kubectl -n monitoring port-forward service/prometheus 9090 &
  kubectl -n monitoring port-forward service/grafana 3000 &     # http://localhost:3000
WORDS
  fi
  cat <<WORDS
  curl -sG http://$address/api/v1/query \\
    --data-urlencode 'query=hashmark_variant_p95_seconds{namespace="hashmark-demo"}'
WORDS
}

case "$CLUSTER ${1:-}" in
  "local up" | "kind up") up ;;
  "local values" | "kind values") values ;;
  "local await" | "kind await") await ;;
  "local where" | "kind where") where ;;
  *) die "usage: monitoring.sh up|values|await|where, with CLUSTER=local or CLUSTER=kind" ;;
esac
