SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test check sim canary model fuzz sanitize abuse peers bench build install \
  uninstall deb stick programs format proto deps clean

# Every swift command uses these flags: a change of flags rebuilds all dependencies.
FLAGS := --explicit-target-dependency-import-check error
# Generated code is not formatted.
SWIFT_FILES = find Package.swift Sources Tests Benchmarks -name '*.swift' ! -name '*.pb.swift'

# Arguments of `make demo` and `make bench`: make demo DEMO="--directory /tmp/valley"
DEMO ?=
# make demo KEEP=1 keeps its nodes running until Ctrl-C, with a dashboard in the browser.
KEEP ?=
BENCH ?= all
SEED ?= 1
# Total minutes for all targets of `make fuzz`; a filter for the tests of `make sanitize`.
MINUTES ?= 7
FILTER ?= .
# Destination of `make install`; DESTDIR replaces / when a package is built.
export PREFIX ?= /usr/local
export DESTDIR ?=
# Destination of `make stick`, and a map that it carries: REGION=valley.pmtiles.
STICK ?= .build/stick
REGION ?=
# `make deb PROGRAMS=FOLDER` packages programs that were built before, such as by another make deb.
PROGRAMS ?=
# `make install ARCHIVE=no` leaves out the archive's program, which needs libpq to run.
ARCHIVE ?=
# Rows that `make abuse` or `make peers` runs, all by default.
ROWS ?=
# Arguments of `make canary`: CANARY="--bug skip-signature" searches for new seeds.
CANARY ?= --replay
# The seed that `make check` runs besides its 200 seeds: different for each commit.
COMMIT_SEED = $$(printf '%d' 0x$$(git rev-parse --short=12 HEAD))

help: ## list these targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 17

demo: deps ## run three nodes on this computer through a partition and back
	@Scripts/build.sh "muster and its demo" "5 minutes" swift build $(FLAGS) --product muster-demo
	@.build/debug/muster-demo $(if $(KEEP),--keep) $(DEMO)

test: deps ## build and run all tests; install the programs that they need
	@Scripts/test-environment.sh
	@Scripts/build.sh "the tests" "7 minutes" swift build $(FLAGS) --build-tests
	@Scripts/test.sh $(FLAGS)

check: export MUSTER_STRICT := 1
check: deps ## check what a change must pass: format, all tests, the simulator
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

sim: deps ## run a random simulated mesh: make sim SEED=7
	@Scripts/build.sh "the simulator" "5 minutes" \
	  swift build -c release $(FLAGS) --product muster-sim
	.build/release/muster-sim swarm --seeds 1 --first $(SEED)

canary: deps ## plant bugs, one at a time; the recorded seeds must catch each
	@Scripts/build.sh "the simulator with planted bugs" "5 minutes" \
	  swift build -c release $(FLAGS) --traits Canary --scratch-path .build/canary \
	  --product muster-sim
	.build/canary/release/muster-sim canary $(CANARY)

model: deps ## check the rule of councils on every set and order of votes
	@Scripts/build.sh "the tests, optimized" "15 minutes" \
	  swift build -c release $(FLAGS) -Xswiftc -enable-testing --scratch-path .build/model \
	  --build-tests
	MUSTER_MODEL=full swift test -c release $(FLAGS) -Xswiftc -enable-testing \
	  --scratch-path .build/model --skip-build --disable-xctest --filter CouncilModelTests

fuzz: deps ## fuzz every entry point: make fuzz MINUTES=60
	@Scripts/fuzz.sh $(MINUTES)

sanitize: deps ## run all tests under the address and thread sanitizers
	@Scripts/sanitize.sh "$(FILTER)"

abuse: deps ## test faults on real nodes, as root: make abuse ROWS="A2 S3"
	@Scripts/abuse.sh $(ROWS)

peers: deps ## test beside QGIS and phones, as root: make peers ROWS=qgis
	@Scripts/build.sh "muster" "5 minutes" swift build $(FLAGS) --product muster
	@Scripts/build.sh "the archive" "2 minutes" swift build $(FLAGS) --product muster-archive
	@Scripts/test-environment.sh
	@.build/python/bin/python3 Tests/Peers/peers.py $(ROWS)

bench: deps ## run benchmarks, a release build: make bench BENCH="ingest"
	@Scripts/build.sh "the benchmarks" "11 minutes" \
	  swift build -c release $(FLAGS) --product muster-bench
	.build/release/muster-bench $(BENCH)

build: deps ## build all programs in debug mode
	@Scripts/maplibre.sh
	@Scripts/build.sh "all programs" "5 minutes" swift build $(FLAGS)

# The programs that are installed: release builds with Swift's libraries in them, stripped.
ifneq ($(PROGRAMS),)
programs:
else
programs: deps
	@Scripts/build.sh "the program" "11 minutes" \
	  swift build -c release $(FLAGS) --static-swift-stdlib --scratch-path .build/install \
	  --product muster
	@for program in muster-image muster-file; do \
	  Scripts/build.sh "$$program" "11 minutes" \
	  swift build -c release $(FLAGS) --static-swift-stdlib --scratch-path .build/install \
	  --product $$program || exit 1; done
ifneq ($(ARCHIVE),no)
	@Scripts/build.sh "the archive" "11 minutes" \
	  swift build -c release $(FLAGS) --static-swift-stdlib --scratch-path .build/install \
	  --product muster-archive
endif
endif
	@Scripts/maplibre.sh
	@mkdir -p .build/install && rm -f .build/install/muster-archive
	@for program in muster muster-image muster-file $(if $(filter no,$(ARCHIVE)),,muster-archive); do \
	  strip -o .build/install/$$program \
	    $(if $(PROGRAMS),"$(PROGRAMS)",.build/install/release)/$$program; done

install: programs ## install programs, manual, service: make install PREFIX=/usr
	@Scripts/install.sh .build/install/muster

deb: programs ## build Debian packages, in .build/deb
	@Scripts/deps.sh dpkg-dev
	@Scripts/deb.sh .build/install/muster

# Before the packages, which take long.
.PHONY: region
region:
	@$(if $(REGION),test -f "$(REGION)" || { echo "stick: there is no map $(REGION): name a file" >&2; exit 1; },:)

stick: region deb ## make a folder that installs offline: make stick STICK=/mnt/usb
	@Scripts/stick.sh .build/deb $(STICK) $(if $(REGION),"$(REGION)")

uninstall: ## remove what `make install` installed, with the same PREFIX
	@Scripts/uninstall.sh

format: ## format all Swift files
	$(SWIFT_FILES) -print0 | xargs -0 swift format --in-place --parallel

proto: deps ## generate the Swift code of .proto files (needs protoc)
	@Scripts/proto.sh

deps: ## install missing libraries with apt
	@Scripts/deps.sh

clean: ## remove build products, and the demo's nodes and keys
	swift package clean
	rm -rf .demo
	@for marker in keys/demo-*/.muster-demo; do [[ ! -e $$marker ]] || rm -rf "$${marker%/*}"; done
