# Each target is one plain command; CI calls the same ones.

.DEFAULT_GOAL := help

# What test, test-race and lint look at, for example PKGS=./guard/...
PKGS ?= ./...
# Further flags for go test, for example TESTFLAGS=-v
TESTFLAGS ?=
# How long each fuzz target runs.
FUZZTIME ?= 60s

# Modules of their own, each with tests.
MODULES := build/image examples/grafana test/kubernetes

# Compiled on first use; Go's build cache keeps the program from then on.
GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: help build peers test conformance test-kubernetes prove-kubernetes test-race fuzz lint fmt bench load image demo clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build Caddy with the guard into bin/caddy-a2a-guard
	go build -o bin/caddy-a2a-guard .

peers: ## Install the JavaScript, Java and Python SDKs for the tests, where their tools are there
	@if command -v npm >/dev/null; then $(MAKE) -s test/peers/js/node_modules; else echo "no Node: its tests are skipped"; fi
	@if command -v mvn >/dev/null; then $(MAKE) -s test/peers/java/target/classes; else echo "no Maven: the tests of Java are skipped"; fi
	@if python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then $(MAKE) -s $(PYTHON_PEERS)/v10/.installed $(PYTHON_PEERS)/v03/.installed; else echo "no Python 3.11 with venv: its tests are skipped"; fi

test/peers/js/node_modules: test/peers/js/package-lock.json
	npm ci --prefix test/peers/js --no-audit --no-fund
	@touch $@

test/peers/java/target/classes: $(wildcard test/peers/java/pom.xml test/peers/java/src/main/java/peers/*.java)
	mvn --batch-mode --no-transfer-progress --quiet --file test/peers/java/pom.xml compile
	@touch $@

# The folder is outside the tree; agents_test.go looks there, too.
PYTHON_PEERS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/caddy-a2a-guard/python

$(PYTHON_PEERS)/%/.installed: test/peers/python/%/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps --requirement $<
	@touch $@

test: peers ## Run every test (needs Go; the peers need Node, Java, Maven and Python)
	go test $(TESTFLAGS) $(PKGS)
	@[ "$(PKGS)" != ./... ] || for module in $(MODULES); do (cd $$module && go test $(TESTFLAGS) ./...) || exit 1; done

conformance: ## Run the official conformance kit with and without the guard (needs git, Python 3.11)
	go test -tags conformance -count=1 $(TESTFLAGS) ./test/peers -run ConformanceKit

test-kubernetes: ## Apply examples/kubernetes to a real API server (needs etcd; builds the server once, in a quarter of an hour)
	cd test/kubernetes && PATH="$$(./binaries.sh):$$PATH" go test -tags cluster -count=1 -v $(TESTFLAGS) -run APIServer .

prove-kubernetes: ## Run the guard in a real cluster of one node on this machine (root on Linux; see test/kubernetes/cluster.sh)
	cd build/image && go run . -out ../../bin/images -platforms linux/$$(go env GOARCH) -proof
	test/kubernetes/cluster.sh "$$(mktemp -d)" $(addprefix bin/images/,caddy-a2a-guard.oci.tar a2a-order-desk.oci.tar pause.oci.tar)

test-race: peers ## Run every test under the race detector (needs a C compiler)
	go test -race $(TESTFLAGS) $(PKGS)

fuzz: ## Fuzz every target for FUZZTIME each
	@set -e; \
	folders=$$(grep -rl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -rn1 dirname | sort -u); \
	test -n "$$folders" || { echo "fuzz: found no target"; exit 1; }; \
	for folder in $$folders; do \
		listed=$$(go test -list '^Fuzz' $$folder); \
		for target in $$(echo "$$listed" | grep '^Fuzz'); do \
			echo "fuzz $$folder $$target for $(FUZZTIME)"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$folder; \
		done; \
	done

lint: ## Run go vet and golangci-lint
	go vet $(PKGS)
	$(GOLANGCI_LINT) run $(PKGS)
	for module in $(MODULES); do (cd $$module && $(GOLANGCI_LINT) run) || exit 1; done

fmt: ## Format the sources as lint wants them
	$(GOLANGCI_LINT) fmt

bench: ## Run the core's benchmarks
	go test -run '^$$' -bench . -benchmem ./policy/... ./guard/...

load: ## Measure the guard beside bare Caddy under load
	go run ./test/load

image: ## Build the images as OCI archives into bin, without Docker
	cd build/image && go run . -out ../../bin

demo: ## Show the example agent's faults, direct beside guarded
	go run . demo

clean: ## Remove what the other targets left in the tree
	rm -rf bin *.out *.prof *.test
