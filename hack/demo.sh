#!/usr/bin/env bash
# The demo: a cluster, the operator, the quickstart, its table.
#
#   demo.sh run       everything, from nothing to the table
#   demo.sh install   only the operator, into the cluster of KUBECONFIG
#   demo.sh clean     removes what the demo made
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

# rendered prints the operator's objects with the images' names filled in. A
# cluster of your own has no node that is kept for load.
rendered() {
  local folder=config/local
  [[ $CLUSTER != current ]] || folder=config/default
  kubectl kustomize "$folder" |
    sed -E "s#hashmark\.dev/(operator|loginservice|generator):dev#${IMAGES:-hashmark.dev}/\1:${TAG:-dev}#"
}

# install brings the operator up to date and waits until it works. It is
# restarted, since a new image may have the same tag.
install() {
  rendered | kubectl apply --server-side --force-conflicts -f - >/dev/null
  kubectl -n hashmark-system rollout restart deployment/hashmark-operator >/dev/null
  kubectl -n hashmark-system rollout status deployment/hashmark-operator --timeout=180s | tail -n 1
}

# begin puts the question anew: results of an earlier run go with their experiment.
begin() {
  kubectl create namespace "$namespace" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  kubectl label --overwrite namespace "$namespace" pod-security.kubernetes.io/enforce=restricted >/dev/null
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
  kubectl -n "$namespace" get szx "$name"
  title "What was measured: RATE is 70 % of what the CPU could serve, P95 the latency there"
  kubectl -n "$namespace" get sizingtrials --sort-by=.spec.variant.cost -o wide
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
  kubectl -n $namespace get szx $name -o yaml     # calibration, intervals, verdicts with their reasons
  kubectl explain szx.spec.matrix.concurrency
  make demo-clean                                 # removes what the demo made
NEXT
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
  title "The quickstart: bcrypt costs 8 and 10 on 250m, 500m and 1 CPU"
  aside
  begin
  follow
  show
  verdict
}

# clean leaves the operator in a cluster of your own: with it would go every
# experiment there is, the demo's or not.
clean() {
  if [[ $CLUSTER == current ]]; then
    enter
    kubectl delete --ignore-not-found namespace "$namespace"
    say "the operator is still there; to remove it and every experiment: make uninstall CLUSTER=current"
  else
    hack/clusters.sh down
  fi
  rm -rf dist bin
}

case "${1:-}" in
  run | install | clean) "$1" ;;
  *) die "usage: demo.sh run|install|clean" ;;
esac
