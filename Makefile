# Commands for developing Hashmark. `make help` lists them.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The cluster: local (built from source on this machine), kind (needs Docker and kind), or
# current (your own kubeconfig, which may cost money).
CLUSTER ?= $(shell hack/clusters.sh which)
export CLUSTER
# MONITORING=true adds Prometheus (and with kind Grafana) to demo and deploy; test-e2e sets it
# itself.
export MONITORING
# The names of the images: for your own registry, set IMAGES=registry.example.com/team TAG=v1.
# One set of flags for everything that is compiled here, so that it is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false
TOOL := go tool -modfile=$(CURDIR)/hack/tools/go.mod
CLUSTER_ENV = eval "$$(hack/clusters.sh env)"

##@ Try it
.PHONY: demo demo-clean
demo: ## Set up a cluster, measure the quickstart, print its recommendation; with MONITORING=true also install Prometheus
	hack/timed.sh demo hack/demo.sh run

demo-clean: ## Remove everything that the demo created, including a local or kind cluster
	hack/demo.sh clean

##@ Cluster
.PHONY: cluster-up cluster-down cluster-env install deploy undeploy
cluster-up: ## Create the cluster, or repair it
	hack/clusters.sh up

cluster-down: ## Remove the cluster completely
	hack/clusters.sh down

cluster-env: ## Print KUBECONFIG and PATH for the cluster: eval "$$(make -s cluster-env)"
	@hack/clusters.sh env

install: ## Install only the CRDs into the cluster
	$(CLUSTER_ENV) && kubectl apply --server-side -f config/crd

deploy: docker-build ## Load the images into the cluster's nodes, and install CRDs and operator with Helm
	hack/clusters.sh load-images dist/images/{operator,loginservice,generator}.tar
	$(CLUSTER_ENV) && hack/demo.sh install

undeploy: ## Remove the operator from the cluster; CRDs and experiments are kept
	$(CLUSTER_ENV) && hack/demo.sh uninstall

##@ Images and releases
.PHONY: docker-build cli release-local release-sign
docker-build: ## Compile the binaries and build the three images into dist/images; it needs no Docker
	hack/images.sh

cli: ## Compile the plugin for this machine, into dist/cli
	hack/krew.sh build

release-local: ## Build images for amd64 and arm64, and push them and the chart to your registry: IMAGES=registry.example.com/team
	hack/release.sh

release-sign: ## Sign what release-local pushed, and attach SBOMs; with a key: COSIGN_KEY=cosign.key
	hack/sign.sh

##@ Test
.PHONY: test test-unit test-integration test-upgrade test-browser test-cgroup2 test-e2e test-long
test: ## Everything: unit, real browser, real API server, cgroup v2, real cluster
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-integration test-unit test-upgrade test-browser test-cgroup2
	$(MAKE) --no-print-directory test-e2e

test-unit: ## The core, the scripts with real k6, the chart with real Helm, the dashboards with real Prometheus
	HASHMARK_PROMETHEUS="$$(tools/build/binaries.sh prometheus)" HASHMARK_K6="$$(tools/build/binaries.sh k6)/k6" HASHMARK_HELM="$$(tools/build/binaries.sh helm)/helm" HASHMARK_HELM3="$$(tools/build/binaries.sh helm3)/helm" hack/timed.sh test-unit hack/test.sh unit -tags=helm,k6,prometheus github.com/hashmark-dev/hashmark/api/... ./cmd/... ./config/... ./controllers/... ./hack/... ./internal/... ./loadtests/... ./tools/bench/... ./test/chart/... ./test/docs/... ./test/drift/... ./tools/lab/... ./test/specs/... ./test/supply/...
	hack/timed.sh test-unit-drift hack/test.sh drift -tags=drift ./internal/password/

test-integration: ## The API's rules, what the chart renders, and the reconcilers against a real API server
	HASHMARK_HELM="$$(tools/build/binaries.sh helm)/helm" KUBEBUILDER_ASSETS="$$(tools/build/binaries.sh assets)" hack/timed.sh test-integration hack/test.sh integration -tags=integration -timeout=20m ./cmd/kubectl-hashmark/... ./cmd/operator/... ./controllers/... ./test/integration/...

test-upgrade: ## An earlier operator is replaced by this one, and back, in each phase of a trial, with Kubernetes' own controllers (2 minutes)
	go build -o dist/upgrade/operator ./cmd/operator
	HASHMARK_BASE="$$(tools/build/binaries.sh base)" HASHMARK_OPERATOR=$(CURDIR)/dist/upgrade/operator HASHMARK_CONTROLLER_MANAGER="$$(tools/build/binaries.sh kubernetes)/kube-controller-manager" KUBEBUILDER_ASSETS="$$(tools/build/binaries.sh assets)" hack/timed.sh test-upgrade hack/test.sh upgrade -v -tags=upgrade -timeout=10m ./test/upgrade/...

test-browser: ## The HTML report and the dashboards in a real Chromium; writes pictures to dist/report and dist/dashboards
	hack/timed.sh test-report hack/screenshot.sh
	hack/timed.sh test-dashboards hack/dashboards/render.sh

test-cgroup2: ## A trial on a kernel with cgroup version 2, in QEMU, which it installs (a minute)
	hack/timed.sh test-cgroup2 hack/cgroup2.sh trial

test-e2e: MONITORING = true
test-e2e: demo ## The quickstart and faults on a real cluster with a real Prometheus
	$(CLUSTER_ENV) && hack/timed.sh compare-variants hack/demo.sh compare && hack/timed.sh test-e2e hack/e2e.sh

test-long: ## All suites that CI leaves out and that are not green at this commit; or one: NAME=chaos, drift, faults, fuzz, kind, minors …
	hack/test-long.sh $(NAME)

##@ Measure Hashmark itself, on an otherwise idle machine
.PHONY: bench
bench: ## The core, and a short run of every benchmark (an hour); or one: NAME=core, arrivals, generators, quota, scale, bound, model, drift, ladder or ladder/pool-1
	hack/bench.sh $(NAME)

##@ Develop
.PHONY: build run generate manifests fmt vet lint verify help
build: ## Compile everything
	go build ./...

run: docker-build install ## Run the operator on this machine, against the cluster, whose nodes get the other images
	hack/clusters.sh load-images dist/images/{loginservice,generator}.tar
	printf '%s\n' 'apiVersion: config.hashmark.dev/v1beta1' 'kind: OperatorConfiguration' \
		'leaderElection: {namespace: default}' 'metrics: {bindAddress: "0"}' \
		"loginService: {image: '$${IMAGES:-hashmark.dev}/loginservice:$${TAG:-dev}'}" \
		"generator: {image: '$${IMAGES:-hashmark.dev}/generator:$${TAG:-dev}'}" >dist/operator.yaml
	$(CLUSTER_ENV) && go run ./cmd/operator --log-format=text --config=dist/operator.yaml

generate: ## Regenerate the code, the CRDs with their reference, dashboards and the chart's README
	$(TOOL) controller-gen object paths=./api/...
	$(MAKE) --no-print-directory manifests

manifests: ## Regenerate the CRDs with their reference, dashboards and the chart's README
	hack/api.sh
	go test -run='^TestTheChartShipsTheseDashboards$$' ./hack/dashboards -update
	hack/chart.sh

fmt: ## Format the Go code
	gofmt -w api cmd config controllers hack internal loadtests test tools

vet: ## Run go vet with all build tags
	go vet -tags=bench,browser,cgroup2,chaos,drift,e2e,grafana,helm,integration,k6,prometheus,upgrade ./... github.com/hashmark-dev/hashmark/api/...

lint: ## Run the linters
	hack/lint.sh

verify: ## Fail if anything generated, formatted or rendered is out of date, or a known vulnerability is called; run the linters
	hack/timed.sh verify hack/verify.sh

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {gsub(/[$$]+/, "$$", $$2); printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
