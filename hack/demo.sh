#!/usr/bin/env bash
# The demo: a cluster, the operator, the quickstart, its answer.
#
#   demo.sh run         everything, from nothing to the answer
#   demo.sh install     only the operator, into the cluster of KUBECONFIG
#   demo.sh uninstall   removes the operator, and no experiment
#   demo.sh clean       removes what the demo made
#
# MONITORING=true brings Prometheus too, and lets it and k6 find each other.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh

export CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
readonly namespace=hashmark-demo name=quickstart
readonly patience=1800

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# enter gives this shell the cluster.
enter() {
  local way
  way=$(hack/clusters.sh env)
  eval "$way"
}

# monitored says whether Prometheus is wanted.
monitored() {
  case ${MONITORING:-false} in
    true) [[ $CLUSTER != current ]] || die "MONITORING=true sets up local and kind clusters; on your own, turn on the chart's monitors for the Prometheus it has" ;;
    false) return 1 ;;
    *) die "MONITORING is \"$MONITORING\"; it may be true or false" ;;
  esac
}

# values lists the chart's values for this cluster, as arguments of Helm. A
# cluster of your own has no node that is kept for load.
values() {
  local seal=dist/images/operator.tar.seal
  printf '%s\n' --set-string "image.registry=${IMAGES:-hashmark.dev},image.tag=${TAG:-dev}"
  [[ $CLUSTER == current ]] || printf '%s\n' --values hack/cluster/values.yaml
  ! monitored || hack/monitoring/monitoring.sh values
  # An image that was built anew under the same tag is another pod.
  [[ ! -f $seal ]] || printf '%s\n' --set-string "operator.podAnnotations.hashmark\\.dev/image=$(cut -d' ' -f2 "$seal")"
}

# restricted_namespace NAME makes a namespace in which only pods that could do
# no harm are admitted.
restricted_namespace() {
  kubectl apply --server-side --force-conflicts -f - >/dev/null <<YAML
apiVersion: v1
kind: Namespace
metadata: {name: $1, labels: {pod-security.kubernetes.io/enforce: restricted}}
YAML
}

# managed_by OBJECT says what installed it, "." if nobody says so, and nothing
# where it is not there.
managed_by() {
  kubectl -n hashmark-system get --ignore-not-found "$1" \
    -o jsonpath='{.metadata.labels.app\.kubernetes\.io/managed-by}{"."}'
}

# install brings the operator up to date and waits until it works. Of what
# kubectl once installed Helm can take over all but the Deployment, whose
# selector cannot change. Conflicts are forced, since the API server goes on
# naming kubectl as an owner then.
install() {
  local arguments ownership=()
  case $(managed_by deployment/hashmark-operator) in
    "" | Helm.) ;;
    *) die "Hashmark was installed here without Helm; let go of that operator by \"kubectl -n hashmark-system delete deployment hashmark-operator\" and run this again, which takes over the rest, every experiment included" ;;
  esac
  [[ $(managed_by crd/sizingexperiments.hashmark.dev) != . ]] || ownership=(--take-ownership)
  ! monitored || hack/monitoring/monitoring.sh up
  restricted_namespace hashmark-system
  arguments=$(values)
  mapfile -t arguments <<<"$arguments"
  helm upgrade --install hashmark charts/hashmark --namespace hashmark-system --create-namespace \
    "${arguments[@]}" "${ownership[@]}" --force-conflicts --wait --timeout=3m --hide-notes >/dev/null ||
    die "the operator has not come up; Helm's words stand above, its own last ones are: $(kubectl -n hashmark-system logs deployment/hashmark-operator --tail=1 2>&1)"
  say "the operator is up"
  ! monitored || hack/monitoring/monitoring.sh await
}

# uninstall leaves the definitions, since every experiment would go with them.
uninstall() {
  helm uninstall hashmark --namespace hashmark-system --ignore-not-found --wait
  say "experiments and their results are still there; to remove them too: kubectl delete crd sizingexperiments.hashmark.dev sizingtrials.hashmark.dev && kubectl delete namespace hashmark-system"
}

# begin puts the question anew: results of an earlier run go with their experiment.
begin() {
  restricted_namespace "$namespace"
  # Foreground: its trials go before it does, so that none of an earlier run is
  # left beside the new ones.
  kubectl -n "$namespace" delete --ignore-not-found --cascade=foreground --wait --timeout=60s szx "$name"
  kubectl -n "$namespace" apply -f config/samples/quickstart.yaml
}

field() { kubectl -n "$namespace" get szx "$name" -o jsonpath="{$1}"; }

# progress says where the experiment stands, in the operator's own words.
progress() {
  local phase
  phase=$(field .status.phase)
  if [[ -n $phase ]]; then
    printf '%s: %s' "$phase" "$(field '.status.conditions[?(@.type=="Progressing")].message')"
  else
    printf 'Waiting for the operator to look at it'
  fi
}

# left says how long the experiment is likely to go on, by its own estimate.
left() {
  local end seconds
  end=$(field .status.progress.estimatedEndTime)
  [[ -n $end ]] || return 0
  seconds=$(($(date -d "$end" +%s) - $(date +%s)))
  ((seconds <= 0)) || printf ', about %d:%02d left' $((seconds / 60)) $((seconds % 60))
}

# follow prints a line whenever something has changed, and at least once a
# minute, until the experiment has ended or its time is up.
follow() {
  local deadline=$((SECONDS + patience)) said="" printed=0 line
  while ((SECONDS < deadline)); do
    line=$(progress)
    if [[ $line != "$said" ]] || ((SECONDS - printed > 60)); then
      printf '%s  %s%s\n' "$(date +%H:%M:%S)" "$line" "$(left)"
      said=$line printed=$SECONDS
    fi
    # Returns at once when the experiment has ended, else looks again in a while.
    ! kubectl -n "$namespace" wait --for=condition=Finished --timeout=3s szx "$name" >/dev/null 2>&1 || return 0
  done
  die "the experiment has not ended within $((patience / 60)) minutes; look at: kubectl -n $namespace describe szx $name"
}

show() {
  title "The experiment"
  kubectl -n "$namespace" get szx "$name" -o wide
  title "What was measured: RATE is 70 % of what the CPU could serve, P95 the latency there"
  kubectl -n "$namespace" get sizingtrials --sort-by=.spec.variant.cost -o wide
  title "The answer"
  answer
}

# answer tells what to run, in the plugin's words where it is in PATH, else in
# the status's own. That nothing fits is an answer too.
answer() {
  if command -v kubectl-hashmark >/dev/null; then
    kubectl hashmark report "$name" -n "$namespace" || true
  else
    printf '%s\n' "$(field .status.recommendation.reason)"
  fi
}

# verdict fails the demo where the experiment failed, with what it says of itself.
verdict() {
  local phase
  phase=$(field .status.phase)
  [[ $phase == Succeeded ]] ||
    die "the experiment ended as $phase: $(field '.status.conditions[?(@.type=="Finished")].message')"
  title "Try next"
  cat <<NEXT
  eval "\$(make -s cluster-env)"
  kubectl hashmark report $name -n $namespace -o html --output-file report.html
  kubectl hashmark recommend $name -n $namespace --rate 20 --max-total-cpu 4     # what if, from what was measured
  kubectl -n $namespace get szx $name -o yaml     # calibration, intervals, verdicts with their reasons
  kubectl explain szx.spec.demand
  make demo-clean                                 # removes what the demo made
NEXT
  ! monitored || hack/monitoring/monitoring.sh where
}

# aside keeps what this shell still does off the CPU that the local cluster
# keeps for the service that is measured.
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
  title "The quickstart: what serves 5 logins/s within a second on one CPU? bcrypt costs 8 and 10 on 250m, 500m and 1 CPU"
  aside
  begin
  follow
  show
  verdict
}

# clean leaves the operator in a cluster of your own, which may have other
# experiments than the demo's.
clean() {
  if [[ $CLUSTER == current ]]; then
    enter
    kubectl delete --ignore-not-found namespace "$namespace"
    say "the operator is still there; to remove it: make uninstall CLUSTER=current"
  else
    hack/clusters.sh down
  fi
  rm -rf dist bin
}

# A wrong MONITORING is told before anything is made.
monitored || true
case "${1:-}" in
  run | install | uninstall | clean) "$1" ;;
  *) die "usage: demo.sh run|install|uninstall|clean" ;;
esac
