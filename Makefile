# Hashmark's workshop. `make help` lists what can be done here.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Which cluster: local (built from source on this machine), kind (needs Docker
# and kind), or current (your own kubeconfig, which may bill you).
CLUSTER ?= $(shell hack/clusters.sh which)
export CLUSTER
# MONITORING=true adds Prometheus (and under kind Grafana) to demo and install;
# test-e2e has it by itself.
export MONITORING
# What the images are called: IMAGES=registry.example.com/team TAG=v1 for a
# registry of yours.
# One set of flags for all that is compiled here, so that it is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false
TOOL := go tool -modfile=$(CURDIR)/hack/tools/go.mod
CLUSTER_ENV = eval "$$(hack/clusters.sh env)"

##@ Try it
.PHONY: demo demo-clean
demo: ## Set up a cluster, measure the quickstart, print the answer; with MONITORING=true also in Prometheus
	hack/timed.sh demo hack/demo.sh run

demo-clean: ## Remove what the demo made, a local or kind cluster included
	hack/demo.sh clean

##@ Cluster
.PHONY: cluster-up cluster-down cluster-env images load-images install uninstall
cluster-up: ## Bring the cluster up, or put a half-dead one right
	hack/clusters.sh up

cluster-down: ## Take the cluster down and leave nothing behind
	hack/clusters.sh down

cluster-env: ## Print KUBECONFIG and PATH for it: eval "$$(make -s cluster-env)"
	@hack/clusters.sh env

images: ## Compile the binaries and build the three images into dist/images
	hack/images.sh

load-images: images ## Give the cluster's nodes the images
	hack/clusters.sh load-images dist/images/operator.tar dist/images/loginservice.tar dist/images/generator.tar

install: load-images ## Install the operator into the cluster by Helm
	$(CLUSTER_ENV) && hack/demo.sh install

uninstall: ## Remove the operator from the cluster; definitions and experiments stay
	$(CLUSTER_ENV) && hack/demo.sh uninstall

##@ kubectl hashmark
.PHONY: cli cli-release
cli: ## Compile the plugin for this machine, into dist/cli
	hack/krew.sh build

cli-release: ## Archives of the plugin for all platforms and krew's manifest, tried by krew, into dist/krew
	hack/krew.sh release

##@ Test
.PHONY: test test-unit test-report test-integration test-e2e test-e2e-disturbed test-race test-synthetic verify-claims
test: test-unit test-report test-integration test-e2e ## Everything: unit, real browser, real API server, real cluster

test-unit: ## The core by itself, the scripts under real k6, the chart under real Helm, the dashboards on real Prometheus
	HASHMARK_PROMETHEUS="$$(hack/build/binaries.sh prometheus)" HASHMARK_K6="$$(hack/build/binaries.sh k6)/k6" HASHMARK_HELM="$$(hack/build/binaries.sh helm)/helm" HASHMARK_HELM3="$$(hack/build/binaries.sh helm3)/helm" hack/timed.sh test-unit hack/test.sh unit -tags=helm,k6,prometheus ./api/... ./cmd/... ./config/... ./controllers/... ./hack/... ./internal/... ./loadtests/... ./test/bench/... ./test/chart/... ./test/lab/... ./test/rights/...
	hack/timed.sh test-unit-drift hack/test.sh drift -tags=drift ./internal/password/

test-report: ## The HTML report in a real Chromium without a network; leaves pictures in dist/report
	hack/timed.sh test-report hack/screenshot.sh

test-integration: ## The API's rules and the reconcilers against a real API server
	KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets)" hack/timed.sh test-integration hack/test.sh integration -tags=integration -timeout=20m ./cmd/kubectl-hashmark/... ./cmd/operator/... ./controllers/... ./test/integration/...

test-e2e: MONITORING = true
test-e2e: demo ## The quickstart and the faults on a real cluster, watched by a real Prometheus
	$(CLUSTER_ENV) && hack/timed.sh test-e2e hack/e2e.sh

test-e2e-disturbed: ## The suite of test-e2e once more, while something else uses the generator's CPU and memory now and then
	$(CLUSTER_ENV) && hack/disturbed.sh hack/e2e.sh

test-synthetic: ## Hundreds of synthetic runs on drifting machines through the judge (10 minutes)
	go test -v -count=1 -timeout=60m -run='Drifting|Intervals|Disturbance' ./internal/verdict -whole

verify-claims: ## Say of each claim which test showed it, from the last run
	hack/verify-claims

test-race: ## The parts that run things at once, under the race detector; needs a C compiler
	CGO_ENABLED=1 go test -race ./controllers/... ./internal/login/... ./internal/loadrun/... ./internal/k6/... ./internal/telemetry/...

##@ Measure Hashmark itself, on a machine that does nothing else
.PHONY: bench bench-core bench-cluster bench-arrivals bench-generators bench-bound bench-model bench-again bench-more bench-ladder bench-matrix bench-corners bench-drift bench-replicas bench-account bench-start bench-quota bench-docs
bench: bench-core bench-cluster ## The core, and a cut of every bench below: an hour

bench-core: ## Speed and memory of what runs in every pass
	go test -run='^$$' -bench=. -benchmem ./internal/...

bench-cluster: cluster-up install ## A cut of every bench below
	$(CLUSTER_ENV) && hack/bench.sh cut all

bench-arrivals: ## When k6 really sends what is due (4 minutes, without the cluster)
	hack/bench.sh whole arrivals

bench-generators: ## k6 against fortio and a replay (25 minutes, without the cluster)
	hack/bench.sh whole generators

bench-bound: cluster-up install ## Maximum against bound (11 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole bound

bench-model: cluster-up install ## Predicted against measured p95 (14 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole model

bench-again: cluster-up install ## The same thing twice (40 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole again

bench-more: cluster-up install ## 10 % more CPU, which must be found (12 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole more

bench-ladder: cluster-up install ## Capacity against an exhaustive search (100 minutes; CELL=pool-1 for one of the four cells)
	$(CLUSTER_ENV) && hack/bench.sh whole ladder$(addprefix /,$(CELL))

bench-matrix: cluster-up install ## Twelve variants, and the overhead of each trial (17 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole matrix

bench-corners: cluster-up install ## What the corners of a matrix predict of the rest (15 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole corners

bench-drift: cluster-up install ## The quickstart three times, on a CPU that changes its speed (30 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole drift

bench-replicas: cluster-up install ## Three replicas at three times the rate of one (20 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole replicas

bench-account: cluster-up install ## Goroutines against worker pools (20 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole account

bench-start: cluster-up install ## Seconds from the operator's start to ready (a minute)
	$(CLUSTER_ENV) && hack/bench.sh whole start

bench-quota: ## The simulation under real quotas (7 minutes, without the cluster, as root)
	go build -o dist/bench/loginservice ./cmd/loginservice
	go test -c -tags=bench -o dist/bench/quota.test ./test/bench/model
	HASHMARK_LOGINSERVICE=$(CURDIR)/dist/bench/loginservice chrt --fifo 20 taskset -c 1 dist/bench/quota.test -test.v

bench-docs: ## Write the last tables into docs/benchmarks.md
	hack/bench-docs.sh

##@ Develop
.PHONY: build generate fmt lint verify help
build: ## Compile everything, to see that it does
	go build ./...

generate: ## Write the generated code, definitions, dashboards, manifests and the chart's README anew
	$(TOOL) controller-gen object paths=./api/...
	$(TOOL) controller-gen crd paths=./api/... output:crd:dir=config/crd
	go run ./hack/dashboards charts/hashmark/files/dashboards
	hack/chart.sh

fmt: ## Format the Go code
	gofmt -w api cmd config controllers hack internal loadtests test

lint: ## Run the linters
	hack/lint.sh

verify: ## Fail if anything generated, formatted or rendered is out of date, and lint
	hack/timed.sh verify hack/verify.sh

help: ## Show this
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {gsub(/[$$]+/, "$$", $$2); printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
