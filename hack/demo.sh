#!/usr/bin/env bash
# The demo: a cluster, the operator, the quickstart, and its recommendation.
#
#   demo.sh run         everything, up to the recommendation
#   demo.sh install     only the operator, into the cluster of KUBECONFIG
#   demo.sh uninstall   removes the operator; experiments stay
#   demo.sh clean       removes everything that the demo created
#
# MONITORING=true also installs Prometheus, and lets k6 write to it.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh

export CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
readonly namespace=hashmark-demo name=quickstart
readonly patience=1800

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
  [[ $CLUSTER == current ]] || printf '%s\n' --values hack/cluster/values.yaml
  ! monitored || hack/monitoring/monitoring.sh values
  # An image that was rebuilt under the same tag must replace the pod.
  [[ ! -f $seal ]] || printf '%s\n' --set-string "operator.podAnnotations.hashmark\\.dev/image=$(cut -d' ' -f2 "$seal")"
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
  ! monitored || hack/monitoring/monitoring.sh await
}

# uninstall keeps the CRDs, because deleting them would delete every experiment.
uninstall() {
  helm uninstall hashmark --namespace hashmark-system --ignore-not-found --wait
  say "experiments and their results are kept; to remove them too, run: kubectl delete crd sizingexperiments.hashmark.dev sizingtrials.hashmark.dev && kubectl delete namespace hashmark-system"
}

# begin creates the experiment again. The results of an earlier run are deleted with their
# experiment.
begin() {
  restricted_namespace "$namespace"
  # Foreground deletes its trials first, so that none of an earlier run remains.
  kubectl -n "$namespace" delete --ignore-not-found --cascade=foreground --wait --timeout=60s szx "$name"
  kubectl -n "$namespace" apply -f config/samples/quickstart.yaml
}

field() { kubectl -n "$namespace" get szx "$name" -o jsonpath="{$1}"; }

# progress prints the experiment's phase and the operator's message.
progress() {
  local phase
  phase=$(field .status.phase)
  if [[ -n $phase ]]; then
    printf '%s: %s' "$phase" "$(field '.status.conditions[?(@.type=="Progressing")].message')"
  else
    printf 'Waiting for the operator'
  fi
}

# left prints the operator's estimate of the remaining time.
left() {
  local end seconds
  end=$(field .status.progress.estimatedEndTime)
  [[ -n $end ]] || return 0
  seconds=$(($(date -d "$end" +%s) - $(date +%s)))
  ((seconds <= 0)) || printf ', about %d:%02d left' $((seconds / 60)) $((seconds % 60))
}

# follow prints a line whenever something changes, and at least once a minute, until the
# experiment has ended or the time limit is reached.
follow() {
  local deadline=$((SECONDS + patience)) last="" printed=0 line
  while ((SECONDS < deadline)); do
    line=$(progress)
    if [[ $line != "$last" ]] || ((SECONDS - printed > 60)); then
      printf '%s  %s%s\n' "$(date +%H:%M:%S)" "$line" "$(left)"
      last=$line printed=$SECONDS
    fi
    # Returns at once if the experiment has ended, and otherwise after the timeout.
    ! kubectl -n "$namespace" wait --for=condition=Finished --timeout=3s szx "$name" >/dev/null 2>&1 || return 0
  done
  die "the experiment has not ended within $((patience / 60)) minutes; run: kubectl -n $namespace describe szx $name"
}

show() {
  title "The experiment"
  kubectl -n "$namespace" get szx "$name" -o wide
  title "Measurements: RATE is 70 % of what the CPU can serve, and P95 is the latency at that rate"
  kubectl -n "$namespace" get sizingtrials --sort-by=.spec.variant.cost -o wide
  title "The recommendation"
  answer
}

# answer prints the recommendation: as the plugin's report if the plugin is in PATH, and
# otherwise as the sentence in the status. "Nothing fits" is also a valid result.
answer() {
  if command -v kubectl-hashmark >/dev/null; then
    kubectl hashmark report "$name" -n "$namespace" || true
  else
    printf '%s\n' "$(field .status.recommendation.reason)"
  fi
}

# verdict fails the demo if the experiment failed, with the experiment's own message.
verdict() {
  local phase
  phase=$(field .status.phase)
  [[ $phase == Succeeded ]] ||
    die "the experiment ended as $phase: $(field '.status.conditions[?(@.type=="Finished")].message')"
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
  title "The quickstart: which size serves 5 logins/s within a second on one CPU? bcrypt costs 8 and 10 on 250m, 500m and 1 CPU"
  aside
  begin
  follow
  show
  verdict
}

# clean keeps the operator in a cluster of your own, which may have experiments besides the
# demo's.
clean() {
  if [[ $CLUSTER == current ]]; then
    enter
    kubectl delete --ignore-not-found namespace "$namespace"
    say "the operator is still installed; to remove it, run: make uninstall CLUSTER=current"
  else
    hack/clusters.sh down
  fi
  rm -rf dist bin
}

# A wrong MONITORING is reported before anything is created.
monitored || true
case "${1:-}" in
  run | install | uninstall | clean) "$1" ;;
  *) die "usage: demo.sh run|install|uninstall|clean" ;;
esac
