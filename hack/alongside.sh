#!/usr/bin/env bash
# Runs a target that needs no load while another one measures, which takes longer.
#
#   hack/alongside.sh QUIET MEASURING...   makes both targets; further arguments are MEASURING's
#
# In the local cluster QUIET gets only the time that nothing else wants (SCHED_IDLE), on the CPU
# that is not measured. Elsewhere the two run one after the other. The output of QUIET is printed
# at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh

readonly quiet=${1:?"usage: hack/alongside.sh QUIET MEASURING..."}
shift
if [[ ${CLUSTER:-$(hack/clusters.sh which)} != local ]] || ! taskset -c 1 chrt --idle 0 true 2>/dev/null; then
  make "$quiet"
  exec make "$@"
fi

mkdir -p dist/test
readonly log=dist/test/$quiet.log
setsid taskset -c 1 chrt --idle 0 make "$quiet" >"$log" 2>&1 &
aside=$!
trap 'kill -- "-$aside" 2>/dev/null || true' EXIT
say "$quiet runs alongside; its output is in $log"
make "$@"
code=0
wait "$aside" || code=$?
trap - EXIT
cat "$log"
exit "$code"
