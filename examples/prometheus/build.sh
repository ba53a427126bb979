#!/usr/bin/env bash
# build.sh FOLDER copies the Prometheus that is compiled for the local cluster.
set -euo pipefail
program=$("$(dirname "${BASH_SOURCE[0]}")/../../tools/build/binaries.sh" prometheus)/prometheus
cmp -s "$program" "$1/prometheus" || cp "$program" "$1/prometheus"
