#!/usr/bin/env bash
# kind on a Linux machine without Docker and without a registry, to test what its users get. It needs
# root, Go and Debian packages, which it installs if they are missing.
#
#   kind.sh up               starts a Docker engine, and builds the image of the nodes
#   kind.sh run COMMAND...   runs a command with this engine, kind, and the image
#   kind.sh sample           a part of the end-to-end suite, within run
#   kind.sh down             removes the clusters, the engine and what it stored
#   kind.sh test             the demo and a sample of the end-to-end suite, and then down
#
# The engine is Debian's, in a network namespace of its own without a way out: load stays on this
# machine, and its routes and firewall do not change. What is compiled or downloaded stays in
# dist/kind and in the cache of tools/build. Everything else is the user's path, from hack/clusters.sh on.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/build/messages.sh
source hack/packages.sh

readonly namespace=hashmark-kind state=/run/hashmark-kind work=$PWD/dist/kind
readonly pid=$state/docker.pid
export DOCKER_HOST=unix://$state/docker.sock

inside() { nsenter "--net=/run/netns/$namespace" "$@"; }

engine_runs() { docker info >/dev/null 2>&1; }

# start_engine starts dockerd with the runtime of this folder, unless it runs.
start_engine() {
  ! engine_runs || return 0
  [[ -e /run/netns/$namespace ]] || ip netns add "$namespace"
  inside ip link set lo up
  mkdir -p "$state" "$work"
  inside setsid dockerd --host="$DOCKER_HOST" --pidfile="$pid" --exec-root="$state/exec" --data-root="$work/docker" \
    --add-runtime=trimmed="$PWD/tools/kind/runtime.sh" --default-runtime=trimmed >"$work/dockerd.log" 2>&1 </dev/null &
  timeout 120 bash -c 'until docker info >/dev/null 2>&1; do sleep 0.5; done' ||
    die "dockerd did not start; see $work/dockerd.log"
}

# stop_engine ends dockerd, which ends its containers, and everything that a crash of it has left: the
# children of its shims, which have other namespaces, and all else in this one.
stop_engine() {
  [[ -e /run/netns/$namespace ]] || return 0
  if [[ -f $pid ]]; then
    kill "$(cat "$pid")" 2>/dev/null || true
    timeout 60 tail --pid="$(cat "$pid")" -f /dev/null || true
  fi
  local processes
  mapfile -t processes < <(ip netns pids "$namespace")
  ((${#processes[@]} == 0)) || {
    pkill -KILL -P "$(IFS=, && echo "${processes[*]}")" || true
    kill -KILL "${processes[@]}" 2>/dev/null || true
  }
}

# down removes all but the caches.
down() {
  ! engine_runs || run kind delete clusters --all
  stop_engine
  awk -v state="$state/" -v docker="$work/docker/" 'index($5, state) == 1 || index($5, docker) == 1 { print $5 }' /proc/self/mountinfo |
    tac | xargs -r -n 1 umount --lazy
  [[ ! -e /run/netns/$namespace ]] || ip netns delete "$namespace"
  # Docker leaves its own, empty cgroup in each hierarchy. One that is in use can't be removed.
  rmdir /sys/fs/cgroup{,/*}/docker 2>/dev/null || true
  rm -rf "$state" "$work/docker"
}

up() {
  [[ $EUID -eq 0 ]] || die "this starts a Docker engine and must run as root; with a Docker engine, kind needs no root"
  need dockerd docker.io
  need jq jq
  need capsh libcap2-bin
  need ip iproute2
  start_engine
  tools/kind/node.sh
}

# run runs a command as a user would who has Docker, kind and kubectl.
run() {
  local kind kubectl
  kind=$(tools/build/binaries.sh kind)
  kubectl=$(tools/build/binaries.sh kubernetes)
  CLUSTER=kind KIND_NODE_IMAGE=hashmark.dev/kind-node PATH=$kind:$kubectl:$PATH inside "$@"
}

# fetch downloads and compiles what the demo and the suite would otherwise download inside.
fetch() {
  local name
  for name in . hack/tools/gotestsum; do
    (cd "$name" && go mod download)
  done
  for name in kind kubernetes helm helm3; do
    tools/build/binaries.sh "$name" >/dev/null
  done
  hack/krew.sh folder >/dev/null
  hack/images.sh
  hack/images.sh e2e
}

# sample runs the tests that need neither Prometheus nor a CPU for each node, in the environment of run.
sample() {
  local way IFS='|'
  local tests=(
    TestTheQuickstartDecides
    TestTheQuickstartsAnswerWasVerified
    TestTheExitCodeOfARunIsItsAnswer
    TestHelmWaitsUntilAnExperimentHasEnded
    TestWhatIsSuspendedOrDeletedTakesItsLoadAway
    TestATrialThatCannotSucceedFailsWithAReason
  )
  way=$(hack/clusters.sh env)
  eval "$way"
  hack/timed.sh "end-to-end sample on kind" hack/e2e.sh -run="^(${tests[*]})\$"
}

case "${1:-}" in
  up | down | sample) "$1" ;;
  run) "$@" ;;
  test)
    trap down EXIT
    up
    fetch
    run make demo
    run tools/kind/kind.sh sample
    ;;
  *) die "usage: kind.sh up|run COMMAND...|sample|down|test" ;;
esac
