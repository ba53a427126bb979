#!/usr/bin/env bash
# Runs benchmarks of test/bench against the operator in the cluster of KUBECONFIG, and over
# loopback. Tables are written to stdout and into dist/bench.
#
#   hack/bench.sh cut|whole NAME...
#
# NAME is again, arrivals, bound, corners, drift, generators, ladder, matrix, model,
# more, observer, queue, replicas, scale, start, or all, which are those; or accountHashTime,
# accountJBCrypt, accountPools, accountSpring, accountTLS, accountUnattended, or accounts, which are
# those; ladder/pool-1 is one cell of the ladder. A cut run takes minutes, a whole run up to hours.
# Everything is compiled first, so that nothing compiles during a measurement.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh
source hack/packages.sh
source hack/build/maven.sh

readonly usage="usage: hack/bench.sh cut|whole NAME..., where NAME is all or a benchmark such as arrivals"
(($# > 1)) || die "$usage"
case $1 in
  cut) arguments=(-cut -test.timeout=1h) ;;
  whole) arguments=(-test.timeout=12h) ;;
  *) die "$usage" ;;
esac
shift
accounts=(accountHashTime accountJBCrypt accountUnattended accountSpring accountPools accountTLS)
if [[ $1 == accounts ]]; then
  set -- "${accounts[@]}"
fi
if [[ $1 == all ]]; then
  arguments+=(-test.skip=^TestAccount)
else
  tests=("${@^}")
  cell=''
  if [[ $* == */* ]]; then
    (($# == 1)) || die "$usage"
    cell=/^${1#*/}\$
    tests=("${tests[0]%%/*}")
  fi
  arguments+=("-test.run=^Test($(IFS='|' && echo "${tests[*]}"))\$$cell")
fi

mkdir -p dist/bench
go build -o dist/bench/loginservice ./cmd/loginservice
go build -o dist/bench/operator ./cmd/operator
go test -c -tags=bench -o dist/bench/bench.test ./test/bench
HASHMARK_LOGINSERVICE=$PWD/dist/bench/loginservice
HASHMARK_OPERATOR=$PWD/dist/bench/operator
HASHMARK_K6=$(hack/build/binaries.sh k6)/k6
HASHMARK_FORTIO=$(go tool -modfile="$PWD/hack/tools/fortio/go.mod" -n fortio)
HASHMARK_CONTROLLER_MANAGER=$(hack/build/binaries.sh kubernetes)/kube-controller-manager
KUBEBUILDER_ASSETS=$(hack/build/binaries.sh assets)
if [[ ${tests[*]:-} == *AccountJBCrypt* ]]; then
  maven_package test/bench/jbcrypt jbcrypt
fi
HASHMARK_JBCRYPT=$PWD/dist/maven/jbcrypt/target
export HASHMARK_JBCRYPT HASHMARK_LOGINSERVICE HASHMARK_OPERATOR HASHMARK_K6 HASHMARK_FORTIO HASHMARK_CONTROLLER_MANAGER KUBEBUILDER_ASSETS

for test in "${tests[@]:-}"; do
  "$PWD/dist/bench/bench.test" -test.list="^Test${test:-.*}\$" | grep -q ^Test || die "there is no benchmark ${test,}; $usage"
done

# The benchmarks and their load generators stay off the measured CPU. They run in their own
# folder, as with go test, so that they find testdata. With scale alone no CPU is measured.
aside=(taskset -c 1)
if [[ ${tests[*]:-} == Scale ]]; then
  aside=()
fi
readonly binary=$PWD/dist/bench/bench.test
cd test/bench
exec "${aside[@]}" "$binary" "${arguments[@]}"
