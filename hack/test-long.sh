#!/usr/bin/env bash
# Runs the suites that CI leaves out, and keeps in the cache which were green at this commit.
#
#   hack/test-long.sh         all that are not green at this commit; prints a table at the end
#   hack/test-long.sh NAME    one of those below, in any case
#
# The suites need root and Debian, unless they say something else.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly integration=(-tags=integration -timeout=20m ./cmd/kubectl-hashmark/... ./cmd/operator/... ./controllers/... ./test/integration/...)

# on_cluster makes sure that the operator of this tree is on the cluster, and enters it.
on_cluster() {
  make --no-print-directory cluster-up deploy
  eval "$(hack/clusters.sh env)"
}

assets() {
  KUBEBUILDER_ASSETS=$(tools/build/binaries.sh assets "$@")
  HASHMARK_CONTROLLER_MANAGER=$(tools/build/binaries.sh kubernetes)/kube-controller-manager
  HASHMARK_HELM=$(tools/build/binaries.sh helm)/helm
  export KUBEBUILDER_ASSETS HASHMARK_CONTROLLER_MANAGER HASHMARK_HELM
}

# The verdicts on hundreds of synthetic runs on drifting machines, and on disturbed ones.
synthetic() { hack/test.sh synthetic -v -timeout=1h -run='Drifting|Intervals|Disturbance' ./internal/verdict -whole; }

# Hundreds of questions to simulated machines: what measure: Decision recommends and how long it takes, beside All (two hours).
questions() { hack/test.sh questions -v -timeout=6h -run='ADecision|HowLong' ./internal/verdict -whole; }

# The concurrent packages with the race detector; needs a C compiler, and no root.
race() {
  CGO_ENABLED=1 hack/test.sh race -race ./controllers/... ./internal/login/... ./internal/generator/... ./internal/follow/... ./internal/telemetry/...
}

# Every fuzz target for FUZZ_SECONDS, by default 60 (half an hour); TARGET=Plan for some of them.
fuzz() { hack/fuzz.sh "${TARGET:-.}"; }

# SPECS mutated experiments, by default 10000, and a fifth as many edits, against a real API server and the
# reconcilers (4 to 40 minutes).
specs() {
  assets
  hack/test.sh specs -v -tags=integration -timeout=2h -run='^TestNo(Spec|Edit)IsAcceptedAndThenStuck$' ./controllers \
    -specs="${SPECS:-10000}" -spec-seed="${SEED:-1}"
}

# The integration tests against the API servers of older MINORS of Kubernetes (30 minutes the first time).
minors() {
  local minor
  for minor in ${MINORS:-1.34 1.35 1.36}; do
    assets "kubernetes-$minor"
    hack/test.sh "integration-$minor" "${integration[@]}"
  done
}

# Two builds give the same images, and these have the licences of everything in them; needs buildah.
images() { hack/test-images.sh; }

# A release, published twice to a registry on loopback, signed, and checked (5 minutes once all is compiled).
release() { hack/test-release.sh; }

# A trial with two CPUs of its own, and an experiment, on a cluster with cgroup version 2, in QEMU (20 minutes).
cgroup2-cluster() { hack/cgroup2.sh cluster; }

# The demo and a sample of the end-to-end suite on kind, with a Docker engine and a node image of its own (20 minutes).
kind() { tools/kind/kind.sh test; }

# Every fault at every write, watch and event, with Kubernetes' own controllers (an hour); prints the counts.
faults() {
  local code=0
  assets
  rm -f dist/test/faults.txt
  HASHMARK_FAULTS=all HASHMARK_FAULTS_REPORT=$PWD/dist/test/faults.txt hack/test.sh faults -tags=integration -timeout=6h \
    -run='^(TestNoFaultChangesTheOutcome|TestNobodyHoldsUpOthers)$' ./controllers/... || code=$?
  cat dist/test/faults.txt
  return "$code"
}

# Login services whose CPU changes its speed on every schedule (8 minutes).
drift() {
  on_cluster
  hack/e2e.sh -run=TestADriftingCPU -every-schedule=true
}

# The quickstart twelve more times, each decision compared with all others (50 minutes).
decisions() {
  on_cluster
  hack/demo.sh quickstart
  hack/demo.sh compare
  hack/e2e.sh -run=TestTheQuickstartDecidesAsIfItHadMeasuredEveryVariant -decisions=12
}

# Faults on the local cluster: operator, API server, etcd, nodes, memory, users (half an hour).
chaos() {
  on_cluster
  hack/e2e.sh chaos
}

# The suite of test-e2e while another process uses the generator's CPU and memory (40 minutes).
disturbed() {
  MONITORING=true hack/demo.sh run
  eval "$(hack/clusters.sh env)"
  hack/demo.sh compare
  hack/disturbed.sh hack/e2e.sh
}

# A release, installed by digest from a registry in the local cluster's network, with the quickstart (10 minutes).
# It removes the operator, so it is the last one.
release-install() {
  on_cluster
  hack/test-release-install.sh
}

readonly suites=(synthetic questions race fuzz specs minors images release cgroup2-cluster kind faults drift decisions chaos disturbed release-install)

# commit prints what is tested. A tree with changes has no commit.
commit() {
  if [[ -n $(git status --porcelain) ]]; then
    echo changed
  else
    git rev-parse --short=12 HEAD
  fi
}

# ledger prints the folder with the results of the tree as it is now.
ledger() {
  mkdir -p "$CACHE/test-long/$(commit)"
  echo "$CACHE/test-long/$(commit)"
}

# record NAME runs a suite, and writes its line.
record() {
  local began=$SECONDS result=green folder
  folder=$(ledger)
  say "test-long: $1"
  # In a process of its own, so that a failed command of the suite ends the suite and not the others.
  hack/test-long.sh --only "$1" || result=failed
  [[ $result == failed || -z ${TARGET:-}${FUZZ_SECONDS:-}${SPECS:-}${MINORS:-} ]] || result=partial
  printf '%s\t%s\t%d\t%s\n' "$1" "${folder##*/}" $(((SECONDS - began + 30) / 60)) "$result" >"$folder/$1"
  [[ $result != failed ]]
}

green() { [[ $(commit) != changed && $(cut -f4 "$(ledger)/$1" 2>/dev/null) == green ]]; }

table() {
  printf '\n%-16s %-13s %7s  %s\n' suite commit minutes result
  local suite folder
  folder=$(ledger)
  for suite in "${suites[@]}"; do
    awk -F'\t' '{ printf "%-16s %-13s %7s  %s\n", $1, $2, $3, $4 }' "$folder/$suite" 2>/dev/null ||
      printf '%-16s %-13s %7s  %s\n' "$suite" - - "not run"
  done
}

case "${1:-}" in
  --only) "$2" ;;
  '')
    failed=0
    for suite in "${suites[@]}"; do
      green "$suite" || record "$suite" || failed=1
    done
    table
    exit "$failed"
    ;;
  *)
    [[ " ${suites[*]} " == *" $1 "* ]] || die "there is no suite $1; there are ${suites[*]}"
    record "$1"
    ;;
esac
