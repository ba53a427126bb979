#!/usr/bin/env bash
# build.sh FOLDER copies the etcd that is compiled for the local cluster.
set -euo pipefail
program=$("$(dirname "${BASH_SOURCE[0]}")/../../tools/build/binaries.sh" etcd)/etcd
cmp -s "$program" "$1/etcd" || cp "$program" "$1/etcd"
