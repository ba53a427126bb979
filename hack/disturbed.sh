#!/usr/bin/env bash
# Runs a command while another process uses the CPU of the generator, and memory,
# for ten seconds of every minute (test/e2e/disturber). The other process ends with
# the command.
#
#   hack/disturbed.sh COMMAND...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

(($# > 0)) || die "usage: hack/disturbed.sh COMMAND..."
[[ ${CLUSTER:-$(hack/clusters.sh which)} == local ]] ||
  die "this script needs the local cluster, whose generator runs on CPU 1; set CLUSTER=local"
taskset -c 1 true || die "this machine has no CPU 1"

mkdir -p dist
go build -o dist/disturber ./test/e2e/disturber
taskset -c 1 dist/disturber &
disturber=$!
trap 'kill "$disturber" 2>/dev/null || true' EXIT
say "process $disturber disturbs CPU 1 for ten seconds of every minute"
"$@"
kill -0 "$disturber" 2>/dev/null || die "the disturber ended before the command, so the result is not valid"
