#!/usr/bin/env bash
# Prometheus, its operator and, if images can be pulled, Grafana, in a cluster of
# hack/clusters.sh. See README.md in this folder.
#
#   monitoring.sh up       installs or upgrades them, and waits until they work
#   monitoring.sh values   prints Helm's arguments that make them monitor Hashmark
#   monitoring.sh await    waits until Prometheus reads the operator's metrics
#   monitoring.sh down     removes them, except the definitions of their kinds
#   monitoring.sh where    prints how to reach them, and a query
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/build/messages.sh
source hack/monitoring/versions.sh

# CUSTOM_RESOURCES are the kinds that the operator needs for one Prometheus.
readonly CUSTOM_RESOURCES=(prometheuses servicemonitors podmonitors probes prometheusrules)

# TARGETS is the path of Prometheus' targets through the API server, which is reachable in any
# cluster.
readonly TARGETS="/api/v1/namespaces/monitoring/services/prometheus:web/proxy/api/v1/targets?state=active"

CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
export CLUSTER

# definitions prints the folder of the operator's CRDs in its module.
definitions() {
  printf '%s/example/prometheus-operator-crd\n' \
    "$(cd tools/build/prometheus-operator && go mod download "$OPERATOR_MODULE" && go list -m -f '{{.Dir}}' "$OPERATOR_MODULE")"
}

# define installs the CRDs. They are applied server-side, because one of them is too large for
# the annotation that kubectl would store a copy in.
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

# rendered prints the objects with the releases filled in. The local cluster uses our own
# images, which are named after the upstream ones.
rendered() {
  local edits=(-e "s/OPERATOR_VERSION/$OPERATOR_VERSION/" -e "s/PROMETHEUS_VERSION/$PROMETHEUS_VERSION/")
  [[ $CLUSTER != local ]] || edits+=(-e 's#quay\.io/[a-z-]*/#hashmark.dev/#')
  kubectl kustomize "hack/monitoring/$CLUSTER" | sed "${edits[@]}"
}

# hand_over loads the images into the nodes of the local cluster, which can't pull.
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

# down makes room for the largest generator, which Prometheus takes from the node for load.
down() {
  [[ -n "$(kubectl get --ignore-not-found namespace monitoring -o name)" ]] || return 0
  say "removing Prometheus; MONITORING=true keeps it"
  rendered | kubectl delete --ignore-not-found --wait --timeout=120s -f - >/dev/null
}

values() {
  local address
  printf '%s\n' --values hack/monitoring/values.yaml
  if [[ $CLUSTER == local ]]; then
    address=$(pod_address)
    printf '%s\n' --set-string "k6.remoteWrite.url=http://$address:9090/api/v1/write"
  else
    printf '%s\n' --values hack/monitoring/kind/values.yaml
  fi
}

# pod_address prints the address of Prometheus' pod, to which k6 writes on the local cluster: it has no
# DNS, and NetworkPolicies are enforced after a Service's address was replaced by a pod's. Another pod
# needs another installation of the chart.
pod_address() {
  kubectl -n monitoring get pod -l operator.prometheus.io/name=prometheus -o 'jsonpath={.items[0].status.podIP}'
}

# await returns when Prometheus has scraped Hashmark's operator. A new configuration is in a
# Secret, which kubelet writes into an otherwise unchanged pod only after up to 90 seconds. A
# change of the pod makes kubelet write it now.
await() {
  local end=$((SECONDS + 180))
  until operator_read; do
    ((SECONDS < end)) || die "Prometheus has not scraped the operator's metrics in three minutes; see: kubectl get --raw $TARGETS"
    kubectl -n monitoring annotate --overwrite pod -l operator.prometheus.io/name=prometheus \
      "hashmark.dev/look-again=$SECONDS" >/dev/null
    sleep 3
  done
  say "Prometheus scrapes the operator's metrics"
}

operator_read() {
  kubectl get --raw "$TARGETS" 2>/dev/null | grep -qE '"scrapePool":"serviceMonitor/hashmark-system/hashmark-operator/0".*"health":"up"'
}

# where prints port-forward commands first if the addresses can't be reached directly.
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
  "local down" | "kind down") down ;;
  "local where" | "kind where") where ;;
  *) die "usage: monitoring.sh up|values|await|down|where, with CLUSTER=local or CLUSTER=kind" ;;
esac
