#!/usr/bin/env bash
# The demo: a cluster, the operator, the quickstart, its table.
#
#   hack/demo.sh run       everything, from nothing to the table
#   hack/demo.sh install   only the operator, into the cluster of KUBECONFIG
#   hack/demo.sh clean     removes all of it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CLUSTER=${CLUSTER:-$(hack/clusters.sh which)}
readonly namespace=hashmark-demo name=quickstart

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# enter gives this shell the cluster.
enter() {
	local way
	way=$(hack/clusters.sh env)
	eval "$way"
}

# install brings the operator up to date and waits until it works. It is
# restarted, since a new image has the same tag.
install() {
	kubectl apply --server-side --force-conflicts -k config/local >/dev/null
	kubectl -n hashmark-system rollout restart deployment/hashmark-operator >/dev/null
	kubectl -n hashmark-system rollout status deployment/hashmark-operator --timeout=180s
}

# begin puts the question anew: results of an earlier run go with their experiment.
begin() {
	kubectl create namespace "$namespace" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
	kubectl label --overwrite namespace "$namespace" pod-security.kubernetes.io/enforce=restricted >/dev/null
	kubectl -n "$namespace" delete --ignore-not-found --wait --timeout=60s szx "$name"
	kubectl -n "$namespace" apply -f config/samples/quickstart.yaml
}

field() { kubectl -n "$namespace" get szx "$name" -o jsonpath="{$1}"; }

# left says how long the experiment is likely to go on, by its own estimate.
left() {
	local end seconds
	end=$(field .status.progress.estimatedEndTime)
	[[ -n $end ]] || return 0
	seconds=$(($(date -d "$end" +%s) - $(date +%s)))
	((seconds > 0)) && printf ', about %d:%02d left' $((seconds / 60)) $((seconds % 60))
	return 0
}

# follow prints a line whenever something has changed, and at least once a
# minute, until the experiment has ended or its time is up.
follow() {
	local deadline=$((SECONDS + 1800)) said="" printed=0 line
	while ((SECONDS < deadline)); do
		line="$(field .status.phase): $(field '.status.conditions[?(@.type=="Progressing")].message')"
		if [[ $line != "$said" ]] || ((SECONDS - printed > 60)); then
			printf '%s  %s%s\n' "$(date +%H:%M:%S)" "$line" "$(left)"
			said=$line printed=$SECONDS
		fi
		# Returns at once when the experiment has ended, else looks again in a while.
		kubectl -n "$namespace" wait --for=condition=Finished --timeout=3s szx "$name" >/dev/null 2>&1 && return 0
	done
	echo "The experiment has not ended within 30 minutes; look at: kubectl -n $namespace describe szx $name" >&2
	return 1
}

show() {
	say "The experiment:"
	kubectl -n "$namespace" get szx "$name"
	say "What was measured, p95 at 70 % of each variant's bound:"
	kubectl -n "$namespace" get sizingtrials --sort-by='.spec.variant.cost' -o wide
}

# verdict fails the demo where the experiment failed, with what it says of itself.
verdict() {
	local phase
	phase=$(field .status.phase)
	if [[ $phase != Succeeded ]]; then
		echo "The experiment ended as $phase: $(field '.status.conditions[?(@.type=="Finished")].message')" >&2
		return 1
	fi
	say "Try next:"
	cat <<NEXT
  eval "\$(make -s cluster-env)"
  kubectl explain szx.spec.matrix.concurrency
  kubectl -n $namespace get szx $name -o yaml     # calibration, intervals, verdicts with their reasons
  make demo-clean                                 # removes everything
NEXT
}

run() {
	say "A cluster ($CLUSTER)"
	hack/clusters.sh up
	say "Images"
	hack/images.sh
	hack/clusters.sh load-images dist/images/operator.tar dist/images/loginservice.tar dist/images/generator.tar
	enter
	say "The operator"
	install
	say "The quickstart: bcrypt costs 8 and 10 on 250m, 500m and 1 CPU"
	begin
	follow
	show
	verdict
}

clean() {
	if [[ $CLUSTER == current ]]; then
		enter
		kubectl delete --ignore-not-found namespace "$namespace"
		kubectl delete --ignore-not-found -k config/local
	else
		hack/clusters.sh down
	fi
	rm -rf dist bin
}

case "${1:-}" in
run | install | clean) "$1" ;;
*)
	echo "usage: hack/demo.sh run|install|clean" >&2
	exit 2
	;;
esac
