#!/usr/bin/env bash
# The demo: a cluster, the operator, the quickstart, and its recommendation.
#
#   demo.sh run         everything, up to the recommendation
#   demo.sh install     only the operator, into the cluster of KUBECONFIG
#   demo.sh quickstart  only the quickstart, with an installed operator
#   demo.sh compare     measures every variant of the quickstart, with an installed operator
#   demo.sh uninstall   removes the operator; experiments stay
#   demo.sh examples    measures the login services of examples/, with an installed operator
#   demo.sh example-images  builds and loads the images of examples/
#   demo.sh clean       removes everything that the demo created
#
# MONITORING=true also installs Prometheus, and lets k6 write to it. Without it, a Prometheus from
# an earlier run is removed.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

export CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
readonly namespace=hashmark-demo name=quickstart
readonly patience=30m

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# enter sets KUBECONFIG and PATH of this shell for the cluster.
enter() {
  local way
  way=$(hack/clusters.sh env)
  eval "$way"
}

# monitored reports whether Prometheus is wanted.
monitored() {
  case ${MONITORING:-false} in
    true) [[ $CLUSTER != current ]] || die "MONITORING=true works with local and kind clusters; on your own cluster, turn on the chart's monitors for its Prometheus" ;;
    false) return 1 ;;
    *) die "MONITORING is \"$MONITORING\"; it must be true or false" ;;
  esac
}

# values prints the chart's values for this cluster, as arguments of Helm. A cluster of your
# own has no node that is reserved for load.
values() {
  local seal=dist/images/operator.tar.seal
  printf '%s\n' --set-string "image.registry=${IMAGES:-hashmark.dev},image.tag=${TAG:-dev}"
  [[ $CLUSTER == current ]] || printf '%s\n' --values tools/cluster/values.yaml
  ! monitored || hack/monitoring/monitoring.sh values
  # An image that was rebuilt under the same tag must replace the pod.
  [[ ! -f $seal ]] || printf '%s\n' --set-string "operator.podAnnotations.hashmark\\.dev/image=$(cut -d' ' -f3 "$seal")"
}

# restricted_namespace NAME creates a namespace that enforces the restricted Pod Security
# Standard.
restricted_namespace() {
  kubectl apply --server-side --force-conflicts -f - >/dev/null <<YAML
apiVersion: v1
kind: Namespace
metadata: {name: $1, labels: {pod-security.kubernetes.io/enforce: restricted}}
YAML
}

# managed_by OBJECT prints what installed an object, "." if that is unknown, and nothing if the
# object does not exist.
managed_by() {
  kubectl -n hashmark-system get --ignore-not-found "$1" \
    -o jsonpath='{.metadata.labels.app\.kubernetes\.io/managed-by}{"."}'
}

# install installs or upgrades the operator and waits until it works. Helm can take over
# everything that was installed with kubectl, except the Deployment, whose selector can't
# change. Conflicts are forced, because the API server still lists kubectl as an owner then.
install() {
  local arguments ownership=()
  case $(managed_by deployment/hashmark-operator) in
    "" | Helm.) ;;
    *) die "Hashmark was installed here without Helm; run \"kubectl -n hashmark-system delete deployment hashmark-operator\", and then this again, which takes over the rest, including all experiments" ;;
  esac
  [[ $(managed_by crd/sizingexperiments.hashmark.dev) != . ]] || ownership=(--take-ownership)
  ! monitored || hack/monitoring/monitoring.sh up
  restricted_namespace hashmark-system
  arguments=$(values)
  mapfile -t arguments <<<"$arguments"
  helm upgrade --install hashmark charts/hashmark --namespace hashmark-system --create-namespace \
    "${arguments[@]}" "${ownership[@]}" --force-conflicts --wait --timeout=3m --hide-notes >/dev/null ||
    die "the operator did not start; see Helm's output above. The operator's last log line is: $(kubectl -n hashmark-system logs deployment/hashmark-operator --tail=1 2>&1)"
  say "the operator is running"
  if monitored; then
    hack/monitoring/monitoring.sh await
  elif [[ $CLUSTER != current ]]; then
    hack/monitoring/monitoring.sh down
  fi
}

# uninstall keeps the CRDs, because deleting them would delete every experiment.
uninstall() {
  helm uninstall hashmark --namespace hashmark-system --ignore-not-found --wait
  say "experiments and their results are kept; to remove them too, run: kubectl delete crd sizingexperiments.hashmark.dev sizingtrials.hashmark.dev && kubectl delete namespace hashmark-system"
}

# measure FILE NAME runs an experiment with the plugin, which shows the progress, and leaves its
# report in $report. "No size fits" is also a valid result. Without a result, as on a laptop that does
# other work, the report says what disturbed each variant.
measure() {
  local outcome=0
  # Foreground deletes the trials of an earlier run first, so that none remains.
  kubectl -n "$namespace" delete --ignore-not-found --cascade=foreground --wait --timeout=60s szx "$2"
  report=$(kubectl hashmark run -f "$1" -n "$namespace" --timeout "$patience") || outcome=$?
  ((outcome < 2)) || {
    kubectl hashmark report "$2" -n "$namespace" >&2 || true
    die "the experiment has no result; the report above has the reasons, and this command measures again"
  }
}

# quickstart measures the sample, and prints its report in the end.
quickstart() {
  local report
  aside
  restricted_namespace "$namespace"
  measure config/samples/quickstart.yaml "$name"
  title "The experiment"
  kubectl -n "$namespace" get szx "$name" -o wide
  title "Measurements: RATE is 70 % of what the CPU can serve, and in the verification the demanded rate"
  kubectl -n "$namespace" get sizingtrials --sort-by=.spec.variant.hash.bcrypt.cost -o wide
  title "The recommendation"
  printf '%s\n' "$report"
}

# compare measures every variant of the quickstart.
compare() {
  local report
  aside
  restricted_namespace "$namespace"
  measure config/samples/compare-variants.yaml compare-variants
  printf '%s\n' "$report"
}

# example_images builds the login services of examples/, and loads them into the cluster.
example_images() {
  local example images=()
  hack/images.sh examples
  for example in examples/*/; do
    images+=("dist/images/$(basename "$example").tar")
  done
  hack/clusters.sh load-images "${images[@]}"
}

# examples measures each of examples/, with each of its experiments, and prints the tables.
examples() {
  local report experiment measured
  example_images
  restricted_namespace "$namespace"
  aside
  for experiment in examples/*/experiment*.yaml; do
    measured=$(kubectl create --dry-run=client -f "$experiment" -o jsonpath='{.metadata.name}')
    title "$measured"
    measure "$experiment" "$measured"
    printf '%s\n' "$report"
  done
}

# next prints what to try next.
next() {
  title "Try next"
  cat <<NEXT
  eval "\$(make -s cluster-env)"
  kubectl hashmark report $name -n $namespace -o html --output-file report.html
  kubectl hashmark recommend $name -n $namespace --rate 20 --max-total-cpu 4     # what if, from the measurements
  kubectl -n $namespace get szx $name -o yaml     # calibration, intervals, verdicts with their reasons
  kubectl explain szx.spec.demand
  make demo-clean                                 # removes everything that the demo created
NEXT
  ! monitored || hack/monitoring/monitoring.sh where
}

# aside keeps this shell off the CPU that the local cluster reserves for the measured service.
aside() {
  [[ $CLUSTER != local ]] || taskset -cp 1 $$ >/dev/null 2>&1 || true
}

run() {
  title "A cluster ($CLUSTER)"
  hack/clusters.sh up
  title "Images"
  hack/images.sh
  hack/clusters.sh load-images dist/images/{operator,loginservice,generator}.tar
  enter
  title "The operator"
  install
  title "The quickstart: which size serves 5 logins/s within a second on one CPU? bcrypt costs 8 and 10 on 500m and 1 CPU"
  quickstart
  next
}

# clean keeps the operator in a cluster of your own, which may have experiments besides the
# demo's.
clean() {
  if [[ $CLUSTER == current ]]; then
    enter
    kubectl delete --ignore-not-found namespace "$namespace"
    say "the operator is still installed; to remove it, run: make undeploy CLUSTER=current"
  else
    hack/clusters.sh down
  fi
  rm -rf dist bin
}

# A wrong MONITORING is reported before anything is created.
monitored || true
case "${1:-}" in
  run | install | quickstart | compare | uninstall | examples | clean) "$1" ;;
  example-images) example_images ;;
  *) die "usage: demo.sh run|install|quickstart|compare|uninstall|examples|example-images|clean" ;;
esac
