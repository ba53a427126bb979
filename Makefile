# Commands for developing Hashmark. `make help` lists them.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The cluster: local (built from source on this machine), kind (needs Docker and kind), or
# current (your own kubeconfig, which may cost money).
CLUSTER ?= $(shell hack/clusters.sh which)
export CLUSTER
# MONITORING=true adds Prometheus (and with kind Grafana) to demo and install; test-e2e sets it
# itself.
export MONITORING
# The names of the images: for your own registry, set IMAGES=registry.example.com/team TAG=v1.
# One set of flags for everything that is compiled here, so that it is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false
TOOL := go tool -modfile=$(CURDIR)/hack/tools/go.mod
# The integration tests, and with which older minors of Kubernetes test-minors runs them.
INTEGRATION = -tags=integration -timeout=20m ./cmd/kubectl-hashmark/... ./cmd/operator/... ./controllers/... ./test/integration/...
MINORS = 1.34 1.35 1.36
CLUSTER_ENV = eval "$$(hack/clusters.sh env)"

##@ Try it
.PHONY: demo accounts examples gallery demo-clean
demo: ## Set up a cluster, measure the quickstart, print its recommendation; with MONITORING=true also install Prometheus
	hack/timed.sh demo hack/demo.sh run

accounts: cluster-up install ## Repeat the published accounts and write their tables into docs/accounts (an hour)
	$(CLUSTER_ENV) && hack/demo.sh example-images && { \
		outcome=0; hack/bench.sh whole accounts || outcome=$$?; hack/bench-docs.sh; exit $$outcome; }

examples: cluster-up install ## Measure the login services of examples/: etcd, Apache httpd, Spring Boot, FastAPI and Verdaccio
	$(CLUSTER_ENV) && hack/demo.sh examples

gallery: cluster-up install ## Measure the experiments of docs/gallery, and take the pictures of their reports (half an hour)
	$(CLUSTER_ENV) && hack/gallery.sh
	hack/screenshot.sh docs

demo-clean: ## Remove everything that the demo created, including a local or kind cluster
	hack/demo.sh clean

##@ Cluster
.PHONY: cluster-up cluster-down cluster-env images load-images install uninstall
cluster-up: ## Create the cluster, or repair it
	hack/clusters.sh up

cluster-down: ## Remove the cluster completely
	hack/clusters.sh down

cluster-env: ## Print KUBECONFIG and PATH for the cluster: eval "$$(make -s cluster-env)"
	@hack/clusters.sh env

images: ## Compile the binaries and build the three images into dist/images
	hack/images.sh

load-images: images ## Load the images into the cluster's nodes
	hack/clusters.sh load-images dist/images/operator.tar dist/images/loginservice.tar dist/images/generator.tar

install: load-images ## Install the operator into the cluster with Helm
	$(CLUSTER_ENV) && hack/demo.sh install

uninstall: ## Remove the operator from the cluster; CRDs and experiments are kept
	$(CLUSTER_ENV) && hack/demo.sh uninstall

##@ Release
.PHONY: release-local release-sign cli cli-release
release-local: ## Build images for amd64 and arm64, and push them and the chart to your registry: IMAGES=registry.example.com/team
	hack/release.sh

release-sign: ## Sign what release-local pushed, and attach SBOMs; with a key: COSIGN_KEY=cosign.key
	hack/sign.sh

cli: ## Compile the plugin for this machine, into dist/cli
	hack/krew.sh build

cli-release: ## Build archives of the plugin for all platforms and krew's manifest, tested with krew, into dist/release
	hack/krew.sh release

##@ Test
.PHONY: test test-unit test-report test-dashboards test-integration test-upgrade test-minors test-fuzz test-specs test-faults test-e2e test-e2e-drift test-e2e-disturbed test-chaos test-race test-kind test-cgroup2 test-cgroup2-cluster test-images test-release test-release-install test-synthetic verify-claims
test: ## Everything: unit, real browser, real API server, cgroup v2, real cluster
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-integration test-unit test-upgrade test-report test-dashboards test-cgroup2
	$(MAKE) --no-print-directory test-e2e

test-unit: ## The core, the scripts with real k6, the chart with real Helm, the dashboards with real Prometheus
	HASHMARK_PROMETHEUS="$$(hack/build/binaries.sh prometheus)" HASHMARK_K6="$$(hack/build/binaries.sh k6)/k6" HASHMARK_HELM="$$(hack/build/binaries.sh helm)/helm" HASHMARK_HELM3="$$(hack/build/binaries.sh helm3)/helm" hack/timed.sh test-unit hack/test.sh unit -tags=helm,k6,prometheus ./api/... ./cmd/... ./config/... ./controllers/... ./hack/... ./internal/... ./loadtests/... ./test/bench/... ./test/chart/... ./test/docs/... ./test/drift/... ./test/lab/... ./test/rights/... ./test/specs/... ./test/supply/...
	hack/timed.sh test-unit-drift hack/test.sh drift -tags=drift ./internal/password/

test-report: ## The HTML report in a real Chromium without a network; writes screenshots to dist/report
	hack/timed.sh test-report hack/screenshot.sh

test-dashboards: ## The dashboards, drawn with Grafana's npm packages in a real Chromium; writes pictures to dist/dashboards
	hack/timed.sh test-dashboards hack/dashboards/render.sh

test-integration: ## The API's rules and the reconcilers against a real API server
	KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets)" hack/timed.sh test-integration hack/test.sh integration $(INTEGRATION)

test-upgrade: ## An earlier operator is replaced by this one, and back, in each phase of a trial, with Kubernetes' own controllers (2 minutes)
	go build -o dist/upgrade/operator ./cmd/operator
	HASHMARK_BASE="$$(hack/build/binaries.sh base)" HASHMARK_OPERATOR=$(CURDIR)/dist/upgrade/operator HASHMARK_CONTROLLER_MANAGER="$$(hack/build/binaries.sh kubernetes)/kube-controller-manager" KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets)" hack/timed.sh test-upgrade hack/test.sh upgrade -v -tags=upgrade -timeout=10m ./test/upgrade/...

test-minors: ## test-integration against the API servers of older MINORS of Kubernetes, by default 1.34 to 1.36 (30 minutes the first time)
	for minor in $(MINORS); do KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets kubernetes-$$minor)" hack/timed.sh "test-integration-$$minor" hack/test.sh "integration-$$minor" $(INTEGRATION); done

test-fuzz: ## Every fuzz target for FUZZ_SECONDS, by default 60 (half an hour); TARGET=Plan for some of them
	hack/fuzz.sh "$(or $(TARGET),.)"

test-specs: ## SPECS mutated experiments, by default 10000, against a real API server and the reconcilers (3 to 30 minutes)
	KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets)" hack/timed.sh test-specs hack/test.sh specs -v -tags=integration -timeout=2h -run=TestNoSpecIsAcceptedAndThenStuck ./controllers -specs=$(or $(SPECS),10000) -spec-seed=$(or $(SEED),1)

test-faults: ## Every fault at every write, watch and event, and every refusal, with Kubernetes' own controllers; prints the counts (an hour)
	rm -f dist/test/faults.txt; code=0; HASHMARK_FAULTS=all HASHMARK_FAULTS_REPORT=$(CURDIR)/dist/test/faults.txt HASHMARK_CONTROLLER_MANAGER="$$(hack/build/binaries.sh kubernetes)/kube-controller-manager" KUBEBUILDER_ASSETS="$$(hack/build/binaries.sh assets)" hack/timed.sh test-faults hack/test.sh faults -tags=integration -timeout=6h -run='^(TestNoFaultChangesTheOutcome|TestNobodyHoldsUpOthers)$$' ./controllers/... || code=$$?; cat dist/test/faults.txt; exit $$code

test-e2e: MONITORING = true
test-e2e: demo ## The quickstart and faults on a real cluster with a real Prometheus
	$(CLUSTER_ENV) && hack/timed.sh test-e2e hack/e2e.sh

test-e2e-drift: cluster-up install ## Login services whose CPU changes its speed on every schedule (6 minutes)
	$(CLUSTER_ENV) && hack/e2e.sh -run=TestADriftingCPU -every-schedule=true

test-e2e-disturbed: ## The suite of test-e2e while another process uses the generator's CPU and memory for ten seconds of every minute
	$(CLUSTER_ENV) && hack/disturbed.sh hack/e2e.sh

test-chaos: cluster-up install ## Faults on the local cluster: operator, API server, etcd, nodes, memory, users (half an hour)
	$(CLUSTER_ENV) && hack/timed.sh test-chaos hack/e2e.sh chaos

test-kind: ## The demo and a sample of the end-to-end suite on kind, with a Docker engine and a node image of its own; as root
	hack/timed.sh test-kind hack/kind/kind.sh test

test-cgroup2: ## A trial on a kernel with cgroup version 2, in QEMU, which it installs (a minute)
	hack/timed.sh test-cgroup2 hack/cgroup2.sh trial

test-cgroup2-cluster: ## An experiment on a cluster with cgroup version 2, in QEMU (10 to 20 minutes)
	hack/timed.sh test-cgroup2-cluster hack/cgroup2.sh cluster

test-images: ## Build the images twice, compare them, and check the licences in them; needs buildah
	hack/test-images.sh

test-release: ## Publish a release twice to a registry on loopback, sign it, and check all that is in it (5 minutes, once all is compiled)
	hack/test-release.sh

test-release-install: ## Install a release by digest from a registry in the local cluster's network, and run the quickstart (10 minutes, once all is compiled)
	hack/test-release-install.sh

test-synthetic: ## The verdicts on hundreds of synthetic runs on drifting machines (5 minutes)
	go test -v -count=1 -timeout=60m -run='Drifting|Intervals|Disturbance' ./internal/verdict -whole

verify-claims: ## Report for each claim whether the last run of the tests showed it
	hack/verify-claims

test-race: ## The concurrent packages, with the race detector; needs a C compiler
	CGO_ENABLED=1 go test -race ./controllers/... ./internal/login/... ./internal/generator/... ./internal/telemetry/...

##@ Measure Hashmark itself, on an otherwise idle machine
.PHONY: bench bench-core bench-cluster bench-arrivals bench-generators bench-bound bench-model bench-again bench-more bench-ladder bench-matrix bench-corners bench-drift bench-replicas bench-start bench-queue bench-scale bench-quota bench-observer bench-docs
bench: bench-core bench-cluster ## The core, and a short run of every benchmark below (90 minutes)

bench-core: ## Speed and memory of the code that runs in every pass
	go test -run='^$$' -bench=. -benchmem ./internal/...

bench-cluster: cluster-up install ## A short run of every benchmark below
	$(CLUSTER_ENV) && hack/bench.sh cut all

bench-arrivals: ## How late k6 sends logins (4 minutes, without the cluster)
	hack/bench.sh whole arrivals

bench-generators: ## k6 compared with fortio and a replay (25 minutes, without the cluster)
	hack/bench.sh whole generators

bench-bound: cluster-up install ## Maximum compared with the CPU-bound rate (11 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole bound

bench-model: cluster-up install ## Predicted compared with measured p95 (14 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole model

bench-again: cluster-up install ## The same variant measured twice (40 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole again

bench-more: cluster-up install ## Whether 10 % more CPU is detected (12 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole more

bench-ladder: cluster-up install ## Capacity compared with an exhaustive search (100 minutes; CELL=pool-1 for one of the four cells)
	$(CLUSTER_ENV) && hack/bench.sh whole ladder$(addprefix /,$(CELL))

bench-matrix: cluster-up install ## Twelve variants, and the overhead of each trial (17 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole matrix

bench-corners: cluster-up install ## The rest of a matrix predicted from its corners (10 to 30 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole corners

bench-drift: cluster-up install ## The quickstart with a third CPU limit three times, on a CPU that changes its speed (30 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole drift

bench-replicas: cluster-up install ## Three replicas at three times the rate of one (20 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole replicas

bench-start: cluster-up install ## Seconds from the operator's start to ready (1 minute)
	$(CLUSTER_ENV) && hack/bench.sh whole start

bench-queue: cluster-up install ## The quickstart while 400 experiments wait (20 minutes)
	$(CLUSTER_ENV) && hack/bench.sh whole queue

bench-scale: ## What 5,500 experiments cost the operator (25 minutes, without the cluster)
	hack/bench.sh whole scale

bench-quota: ## The simulation compared with real quotas (7 minutes, without the cluster, as root)
	go build -o dist/bench/loginservice ./cmd/loginservice
	go test -c -tags=bench -o dist/bench/quota.test ./test/bench/model
	HASHMARK_LOGINSERVICE=$(CURDIR)/dist/bench/loginservice chrt --fifo 20 taskset -c 1 dist/bench/quota.test -test.v

bench-observer: ## What Hashmark's program takes from a user's own service (5 minutes, without the cluster, as root)
	hack/bench.sh whole observer

bench-docs: ## Write the last tables into docs/benchmarks.md
	hack/bench-docs.sh

##@ Develop
.PHONY: build generate docs fmt lint verify help
build: ## Compile everything
	go build ./...

generate: ## Regenerate the code, CRDs, dashboards, manifests and the chart's README
	$(TOOL) controller-gen object paths=./api/...
	$(TOOL) controller-gen crd paths=./api/... output:crd:dir=config/crd
	go run ./hack/dashboards/generate charts/hashmark/files/dashboards
	hack/chart.sh

docs: ## Write the site of docs/ into dist/site; fails on dead links and pages that nothing leads to. Needs Python 3 and PyPI
	hack/docs.sh

fmt: ## Format the Go code
	gofmt -w api cmd config controllers hack internal loadtests test

lint: ## Run the linters
	hack/lint.sh

verify: ## Fail if anything generated, formatted or rendered is out of date, or a known vulnerability is called; run the linters
	hack/timed.sh verify hack/verify.sh

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {gsub(/[$$]+/, "$$", $$2); printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
