#!/usr/bin/env bash
# Runs benchmarks. Tables are written to stdout and into dist/bench.
#
#   hack/bench.sh [NAME]
#
# NAME is one of those below, or ladder/pool-1 for one of the four cells of the ladder. Without one, core
# and a short run of the others follow each other. Everything is compiled first, so that nothing compiles
# during a measurement.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh

readonly on_cluster=' bound drift ladder model ' alone=' arrivals generators quota scale '
name=${1:-all}
case " ${name%%/*} " in
  ' core ') exec go test -run='^$' -bench=. -benchmem ./internal/... ;;
  ' all ')
    "${BASH_SOURCE[0]}" core
    arguments=(-cut -test.timeout=1h '-test.skip=^TestQuota$')
    ;;
  *)
    [[ $on_cluster$alone == *" ${name%%/*} "* ]] || die "there is no benchmark $name; there are core,$on_cluster and$alone"
    test=${name%%/*} cell=''
    [[ $name != */* ]] || cell=/^${name#*/}\$
    arguments=(-test.timeout=12h "-test.run=^Test${test^}\$$cell")
    ;;
esac
if [[ $alone != *" $name "* ]]; then
  make --no-print-directory cluster-up deploy
  eval "$(hack/clusters.sh env)"
fi

mkdir -p dist/bench
go build -o dist/bench/loginservice ./cmd/loginservice
go build -o dist/bench/operator ./cmd/operator
go test -c -tags=bench -o dist/bench/bench.test ./tools/bench
HASHMARK_LOGINSERVICE=$PWD/dist/bench/loginservice
HASHMARK_OPERATOR=$PWD/dist/bench/operator
HASHMARK_K6=$(tools/build/binaries.sh k6)/k6
HASHMARK_FORTIO=$(go tool -modfile="$PWD/hack/tools/fortio/go.mod" -n fortio)
HASHMARK_CONTROLLER_MANAGER=$(tools/build/binaries.sh kubernetes)/kube-controller-manager
KUBEBUILDER_ASSETS=$(tools/build/binaries.sh assets)
export HASHMARK_LOGINSERVICE HASHMARK_OPERATOR HASHMARK_K6 HASHMARK_FORTIO HASHMARK_CONTROLLER_MANAGER KUBEBUILDER_ASSETS

# The benchmarks and their load generators stay off the measured CPU. They run in their own
# folder, as with go test, so that they find testdata. With scale alone no CPU is measured. With quota the
# login service must never be late, and the test must never disturb it.
aside=(taskset -c 1)
case $name in
  scale) aside=() ;;
  quota) aside=(chrt --fifo 20 taskset -c 1) ;;
esac
readonly binary=$PWD/dist/bench/bench.test
cd tools/bench
exec "${aside[@]}" "$binary" "${arguments[@]}"
