SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test check sim canary fuzz sanitize abuse bench build install format proto deps \
  clean

# The same for every swift command: a change of flags rebuilds all dependencies.
FLAGS := --explicit-target-dependency-import-check error
# Generated code is as its generator writes it.
SWIFT_FILES = find Package.swift Sources Tests Benchmarks -name '*.swift' ! -name '*.pb.swift'

# What `make demo` and `make bench` pass on: make demo DEMO="--directory /tmp/valley"
DEMO ?=
# make demo KEEP=1 lets its nodes run on until Ctrl-C, with a dashboard in the browser.
KEEP ?=
BENCH ?= all
SEED ?= 1
# In all, shared by the targets of `make fuzz`; and which tests `make sanitize` runs.
MINUTES ?= 7
FILTER ?= .
# Where `make install` puts things; DESTDIR stands for / while a package is made.
export PREFIX ?= /usr/local
export DESTDIR ?=
# Which rows `make abuse` plays, all where none is named; `--full` for the whole volumes.
ROWS ?=
# What `make canary` passes on: CANARY="--bug skip-signature" looks for new seeds.
CANARY ?= --replay
# What `make check` draws beside its 200 seeds: another one for each commit.
COMMIT_SEED = $$(printf '%d' 0x$$(git rev-parse --short=12 HEAD))

help: ## this list
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

demo: deps ## three laptops on this computer: one is cut off, all go on, then they agree
	@Scripts/build.sh "muster" "5 minutes" swift build $(FLAGS) --product muster
	@Scripts/build.sh "the demo" "a minute" swift build $(FLAGS) --product muster-demo
	@.build/debug/muster-demo $(if $(KEEP),--keep) $(DEMO)

test: deps ## builds and runs every test; installs the programs that tests need
	@Scripts/test-environment.sh
	@Scripts/build.sh "the tests" "7 minutes" swift build $(FLAGS) --build-tests
	@Scripts/test.sh $(FLAGS)

check: export MUSTER_STRICT := 1
check: deps ## format, warnings as errors, every test: what a change must pass
	$(SWIFT_FILES) -print0 | xargs -0 swift format lint --strict --parallel
	@$(MAKE) --no-print-directory test
	@Scripts/build.sh "the simulator" "5 minutes" \
	  swift build -c release $(FLAGS) --product muster-sim
	@for file in simulations/regressions/*.yaml simulations/canary/*.yaml; do \
	  echo "$$file"; .build/release/muster-sim run "$$file" > /dev/null || exit 1; done
	.build/release/muster-sim swarm --seeds 1 --first $(COMMIT_SEED)
	@.build/release/muster-sim swarm --seeds 100 --first 101 & other=$$!; \
	  .build/release/muster-sim swarm --seeds 100 && wait $$other
	@$(MAKE) --no-print-directory canary

sim: deps ## plays a simulated mesh that is drawn with a seed: make sim SEED=7
	@Scripts/build.sh "the simulator" "5 minutes" \
	  swift build -c release $(FLAGS) --product muster-sim
	.build/release/muster-sim swarm --seeds 1 --first $(SEED)

canary: deps ## plants bugs, one at a time: the seeds on record must still catch each
	@Scripts/build.sh "the simulator with planted bugs" "5 minutes" \
	  swift build -c release $(FLAGS) --traits Canary --scratch-path .build/canary \
	  --product muster-sim
	.build/canary/release/muster-sim canary $(CANARY)

fuzz: deps ## throws bytes at every way in, for a while: make fuzz MINUTES=60
	@Scripts/fuzz.sh $(MINUTES)

sanitize: deps ## every test under the address and the thread sanitizer
	@Scripts/sanitize.sh "$(FILTER)"

abuse: deps ## abuses real nodes, row by row, in 20 minutes: make abuse ROWS="A2 S3" (root)
	@Scripts/abuse.sh $(ROWS)

bench: deps ## measures a release build: make bench, or make bench BENCH="ingest"
	@Scripts/build.sh "the benchmarks" "11 minutes" \
	  swift build -c release $(FLAGS) --product muster-bench
	.build/release/muster-bench $(BENCH)

build: deps ## all programs, for debugging
	@Scripts/build.sh "all programs" "5 minutes" swift build $(FLAGS)

install: deps ## program, dashboard, manual, systemd unit: make install PREFIX=/usr DESTDIR=pkg
	@Scripts/build.sh "the program" "11 minutes" \
	  swift build -c release $(FLAGS) --static-swift-stdlib --scratch-path .build/install \
	  --product muster
	@strip -o .build/install/muster .build/install/release/muster
	@Scripts/install.sh .build/install/muster

format: ## puts every Swift file in the project's format
	$(SWIFT_FILES) -print0 | xargs -0 swift format --in-place --parallel

proto: deps ## generates the Swift code of the .proto files anew (needs protoc)
	@Scripts/proto.sh

deps: ## installs the libraries that are missing, with apt
	@Scripts/deps.sh

clean: ## removes what was built, and the demo's nodes and keys
	swift package clean
	rm -rf .demo
	@for marker in keys/demo-*/.muster-demo; do [[ ! -e $$marker ]] || rm -rf "$${marker%/*}"; done
