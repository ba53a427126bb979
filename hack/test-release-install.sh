#!/usr/bin/env bash
# Publishes a release to a registry that it starts in the local cluster's network, and installs the chart from
# there by its digest. It fails if a signature does not verify, if the operator does not start, if helm test or
# the quickstart has no result, if the nodes did not pull each image from that registry, if an own login service
# in a registry with a password is not measured, or is without the Secret that an administrator names, or if the
# operator that was built here does not start afterwards. In the end it removes the operator, the registry and its
# images; experiments stay. It needs root.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
source hack/packages.sh
source hack/registry.sh
source tools/cluster/settings.sh
export CLUSTER=local

# withdraw removes the operator, and the registry and its images from the nodes.
withdraw() {
  hack/demo.sh uninstall
  tools/cluster/cluster.sh forget-registry "$address"
  [[ -z $guarded ]] || tools/cluster/cluster.sh forget-registry "$guarded"
}

# finish removes what the run has made, however far it came.
finish() {
  [[ -z $address ]] || withdraw || true
  kubectl delete namespace/private clusterrole/private-experiments --ignore-not-found --wait=false >/dev/null 2>&1 || true
  kill "${servers[@]}" 2>/dev/null || true
  rm -rf "$work"
}

# pulled REFERENCE fails unless a pod started with an image that its node pulled, and the registry was asked
# for it since line $before of its log.
pulled() {
  local repository=${1%@*}
  kubectl get events --all-namespaces --field-selector reason=Pulled -o jsonpath='{range .items[*]}{.message}{"\n"}{end}' |
    grep -F "Successfully pulled image \"$1\"" >"$work/events" || die "no node pulled $1"
  tail -n "+$before" "$work/registry.log" | grep -E " (HEAD|GET) /v2/${repository#*/}/manifests/${1#*@}" >/dev/null ||
    die "nodes pulled $1, but not from the registry"
  say "${repository##*/}: pulled by digest, $(wc -l <"$work/events") times"
}

# private measures an image of a registry with a password, in a namespace whose user can't read the Secret.
private() {
  local user=(--as=ada --namespace=private)
  crane push "$(archive_of etcd)" "$address/examples/etcd:v1" >/dev/null
  guard "$API_ADDRESS" puller 's3cret' nsenter --net="/run/netns/$LAN_NETNS"
  tools/cluster/cluster.sh allow-registry "$guarded"
  helm upgrade hashmark "oci://$(chart_of release)" --plain-http --namespace hashmark-system --reuse-values --wait --timeout=5m --hide-notes \
    --set "trialPods.imagePullSecrets[0].name=company-registry,loginService.allowedImages={$guarded/examples}"
  kubectl create namespace private
  kubectl create clusterrole private-experiments --verb=get,list,watch,create,delete --resource=sizingexperiments.hashmark.dev --dry-run=client -o yaml | kubectl apply -f -
  kubectl --namespace=private create rolebinding ada --clusterrole=private-experiments --user=ada
  sed "s#hashmark.dev/examples/etcd:e2e#$guarded/examples/etcd:v1#; s/costs: \[8, 10\]/costs: [8]/" examples/etcd/experiment.yaml | kubectl "${user[@]}" create -f -
  kubectl --namespace=private wait --for=jsonpath='{.status.phase}'=Running --timeout=10m sizingexperiment/etcd
  kubectl --namespace=private wait --for=jsonpath='{.status.reason}'=ImagePull --timeout=10m sizingtrial --all ||
    die "without the Secret, the trial says: $(kubectl --namespace=private get sizingtrials -o jsonpath='{.items[*].status.message}')"
  say "without the Secret: $(kubectl --namespace=private get sizingtrials -o jsonpath='{.items[*].status.message}')"
  kubectl --namespace=private create secret docker-registry company-registry --docker-server="$guarded" --docker-username=puller --docker-password=s3cret
  ! kubectl "${user[@]}" get secret company-registry >/dev/null 2>&1 || die "the user can read the Secret"
  kubectl "${user[@]}" wait --for=condition=Finished --timeout=15m sizingexperiment/etcd
  kubectl --namespace=private get sizingexperiments,sizingtrials
  kubectl "${user[@]}" wait --for=condition=Ready --timeout=1s sizingexperiment/etcd
  grep -qE '^true (HEAD|GET) /v2/examples/etcd/manifests/' "$work/guard.log" || die "the nodes pulled the image, but not with the password"
}

# archive_of NAME builds an example, and prints its archive.
archive_of() {
  hack/images.sh examples "$1" >&2
  printf '%s\n' "dist/images/$1.tar"
}

guarded=''
trap finish EXIT
need buildah buildah
tools/cluster/cluster.sh up
way=$(hack/clusters.sh env)
eval "$way"
# Helm would refuse to install a second release of the name.
hack/demo.sh uninstall
serve "$API_ADDRESS" nsenter --net="/run/netns/$LAN_NETNS"
publish release
use_cosign
sign release
while read -r reference; do
  signed ours "$reference"
done <"$work/release"
tools/cluster/cluster.sh allow-registry "$address"
before=$(($(wc -l <"$work/registry.log") + 1))
# The definitions are those of an earlier release, if there was one.
helm install hashmark "oci://$(chart_of release)" --plain-http --namespace hashmark-system --create-namespace \
  --values tools/cluster/values.yaml --take-ownership --force-conflicts --wait --timeout=5m --hide-notes
say "the operator is running"
helm test hashmark --namespace hashmark-system --timeout=10m --logs
hack/demo.sh quickstart
images_of release | while read -r reference; do
  pulled "$reference"
done
private
# The images that were built here may have the contents of those that were pulled.
withdraw
hack/images.sh
hack/clusters.sh load-images dist/images/{operator,loginservice,generator}.tar
hack/demo.sh install
say "the nodes run the operator that was built here"
