# From a bare machine with Rust and Python 3.11 or newer: `make demo` shows the main job, `make check` passes the gate.
# What is already set up and built is not done again; the checks themselves always run.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
# The peers of the benchmarks bring much that the gate should not have: an environment of their own.
BENCH_VENV := .venv-bench
BENCH := $(BENCH_VENV)/bin/python -m
# `make bench` at these sizes takes some 25 minutes on two cores; `make bench-large` is a million, hours with all peers.
BENCH_SIZES ?= 10000,100000
BENCH_START ?= 100000
BENCH_KERNELS ?= all
BENCH_OPTIONS ?=
RESULTS ?= bench-results.jsonl
LARGE_PEERS ?= --only hand-written --only chromadb
# One interpreter for all of cargo's runs, so that none of them rebuilds what another built.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

RUST_SOURCES := $(shell find rust_core -name '*.rs') Cargo.toml Cargo.lock rust_core/Cargo.toml pyproject.toml

.NOTPARALLEL:
.PHONY: help setup build lint lint-text lint-code test test-rust test-levels test-python bench bench-large bench-quality bench-tables demo check tables lock clean

help:
	@echo "make demo    set up, then ingest a sample conversation, ask it questions and say why each answer is there"
	@echo "make check   set up, then pass the gate: formats, linters, types, layers, tests"
	@echo "make setup   the virtual environment .venv with the locked versions"
	@echo "make build   the compiled core, in release mode"
	@echo "make lint    everything of the gate that is not a test"
	@echo "make test    the Rust tests, the kernels at every level of instructions, then the Python tests"
	@echo "make bench   times of the kernels, of whole searches and of starts beside their peers; some 25 minutes"
	@echo "make bench-large   what is measured at a million, added to the same results; needs some 12 GB and an hour or more"
	@echo "make bench-tables   write the tables of docs/benchmarks.md and its plot from what make bench measured"
	@echo "make bench-quality FILES=\"...\"   recall and ranking on evaluation files"
	@echo "make tables  write the README's table of parameters and docs/curves.svg again"
	@echo "make lock    resolve requirements-dev.lock again"
	@echo "make clean   remove what was built"

setup: $(STAMPS)/setup
build: $(STAMPS)/build

$(STAMPS)/setup: requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "memcore needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "memcore needs Rust; see https://rustup.rs" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: $(STAMPS)/setup $(RUST_SOURCES)
	env -u CONDA_PREFIX VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release
	@touch $@

# Cheap first: what can fail in a second is not found after five minutes.
lint: lint-text lint-code

lint-text: $(STAMPS)/setup
	cargo fmt --all --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-code: $(STAMPS)/build
	$(BIN)/lint-imports
	$(BIN)/mypy
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --all-targets --features python -- -D warnings
	$(BIN)/stubtest memcore._core --mypy-config-file pyproject.toml

test: test-rust test-levels test-python

test-rust: $(STAMPS)/build
	cargo test --locked --no-default-features --features snapshot

# Scalar, SSE2, AVX2, AVX-512 with VNNI, as far as this processor has them; then an emulated processor without AVX.
# Without qemu-user that last one is not run, and the gate says so; with OLD_PROCESSOR=required it fails.
test-levels: $(STAMPS)/build
	$(BIN)/python tests/levels/run.py $(if $(OLD_PROCESSOR),--old-processor)

test-python: $(STAMPS)/build
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

check: lint test
	@test "$$(uname -sm)" != "Linux x86_64" || command -v qemu-x86_64 >/dev/null \
		|| echo "NOT RUN: the emulated old processor; install qemu-user (apt-get install qemu-user)"

demo: $(STAMPS)/build
	@$(BIN)/python -m memcore demo

$(BENCH_VENV)/.peers: $(STAMPS)/build
	$(PYTHON) -m venv $(BENCH_VENV)
	env -u CONDA_PREFIX VIRTUAL_ENV=$(CURDIR)/$(BENCH_VENV) $(BIN)/maturin develop --release
	$(BENCH) benches.install
	@touch $@

bench: $(BENCH_VENV)/.peers
	rm -f $(RESULTS)
	$(BENCH) benches.kernels $(BENCH_KERNELS) --json $(RESULTS)
	$(BENCH) benches.search --sizes $(BENCH_SIZES) --json $(RESULTS) $(BENCH_OPTIONS)
	$(BENCH) benches.start --sizes $(BENCH_START) --json $(RESULTS)

# The rows of the million: all cores for the search, as its goal says.
bench-large: $(BENCH_VENV)/.peers
	$(BENCH) benches.kernels vectors --sizes 1000000x384,1000000x1024 --json $(RESULTS)
	$(BENCH) benches.search --sizes 1000000 --rows search $(LARGE_PEERS) --json $(RESULTS)
	$(BENCH) benches.search --others 1000000 --rows others --json $(RESULTS)

bench-tables: $(STAMPS)/build
	$(BIN)/python -m benches.tables $(RESULTS)

bench-quality: $(STAMPS)/build
	$(BIN)/python -m benches.retrieval $(FILES)

tables: $(STAMPS)/build
	$(BIN)/python docs/tables.py
	$(BIN)/python docs/plot_curves.py

lock:
	uv pip compile pyproject.toml --extra dev --no-emit-index-url --no-header --universal --output-file requirements-dev.lock

clean:
	rm -rf $(VENV) $(BENCH_VENV) target python/memcore/_core*.so
