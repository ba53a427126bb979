#!/usr/bin/env bash
# Writes what Helm would install into a folder, as manifests for kubectl and kustomize.
#
#   manifests.sh CHART FOLDER [flags of helm template, such as --set=image.tag=v1]
#
#   install.yaml      the namespace, the definitions, and what the chart installs by default
#   admission.yaml    the admission policy, for operators with rbac.namespaced
#   own-service.yaml  the policy of loginService.requirePermission
#   monitoring.yaml   what a Prometheus Operator and Grafana's sidecar find
set -euo pipefail
shopt -s inherit_errexit
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly usage="usage: manifests.sh CHART FOLDER [flags of helm template]"
chart=${1:?$usage} folder=${2:?$usage} flags=("${@:3}")
helm=$("$root/tools/build/binaries.sh" helm)/helm

# render FLAG... prints what the chart renders, without the labels that are only for Helm.
render() {
  "$helm" template hashmark "$chart" --namespace hashmark-system --no-hooks --set crds.enabled=false "${flags[@]}" "$@" |
    sed -E '/^ +(helm\.sh\/chart|app\.kubernetes\.io\/(instance|managed-by|version)): /d'
}

mkdir -p "$folder"
{
  cat <<'YAML'
apiVersion: v1
kind: Namespace
metadata: {name: hashmark-system, labels: {pod-security.kubernetes.io/enforce: restricted}}
YAML
  cat "$chart"/files/crds/*.yaml
  render
} >"$folder/install.yaml"
# What a cluster has once does not depend on the flags for the operator.
cluster_wide=(--set "rbac.namespaced=false,watchNamespaces=null,admissionPolicy.enabled=true,loginService.requirePermission=true")
render --show-only templates/admission/policy.yaml "${cluster_wide[@]}" >"$folder/admission.yaml"
render --show-only templates/own-service/policy.yaml "${cluster_wide[@]}" >"$folder/own-service.yaml"
monitors=(--set "dashboards.enabled=true,metrics.enabled=true")
for kind in serviceMonitor podMonitor prometheusRule; do
  monitors+=(--set "metrics.$kind.enabled=true,metrics.$kind.renderMode=alwaysRender")
done
render --show-only 'templates/prometheus/*.yaml' --show-only 'templates/grafana/*.yaml' "${monitors[@]}" >"$folder/monitoring.yaml"
