# Everything a person or a machine does with this repository, by name: `make help`.

VENV := .venv
BIN := $(VENV)/bin
CARGO ?= cargo

# One interpreter for the extension module, whatever is first in the path:
# cargo would rebuild the binding each time it saw another one.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# The extension module links against no Python, so it has no test program of its
# own; its tests are those in tests/python.
RUST_TESTS := --workspace --exclude anechoic-python

.DEFAULT_GOAL := help
.PHONY: help setup demo test verdicts lint format bench kernel docs site wheel endpoint clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.locked ## Install the locked Python environment and build the core
	@echo "setup: building the core (minutes the first time)"
	$(BIN)/maturin develop --release --uv --quiet

# Stands for the environment of the lock file; made again when that changes.
$(VENV)/.locked: uv.lock pyproject.toml
	@tools/need cc build-essential
	@tools/need $(CARGO) rustup "https://rustup.rs"
	@test -x $(BIN)/pip || python3 -m venv $(VENV) || { tools/need --install python3-venv && python3 -m venv $(VENV); }
	@test -x $(BIN)/uv || $(BIN)/pip install --quiet uv
	@echo "setup: the locked Python environment"
	$(BIN)/uv sync --locked --all-extras --no-install-project --inexact --quiet
	@touch $@

demo: setup ## Run the thesis's baseline; print the table and where the report is
	$(BIN)/anechoic run python/anechoic/studies/goel2006/goel-1.toml

test: setup endpoint ## Run all tests, Rust and Python
	@tools/need tshark tshark
	@tools/need chromium chromium
	@tools/need chromedriver chromium-driver
	@tools/need iperf3 iperf3
	@tools/need ping iputils-ping
	@tools/need snmpd snmpd
	@tools/need sshd openssh-server
	@tools/need curl curl
	@echo "test: building and running the tests in Rust (minutes the first time)"
	$(CARGO) test --quiet --locked $(RUST_TESTS)
	@echo "test: running the tests in Python"
	$(BIN)/pytest --quiet

verdicts: setup ## Judge the papers' stated results on one run of each cell; name those that have flipped
	@echo "verdicts: one run of each cell that a stated result needs"
	$(BIN)/python tests/quick_claims.py

lint: setup ## Check format, lints and types; a warning is an error
	@echo "lint: Rust"
	$(CARGO) fmt --all --check
	$(CARGO) clippy --quiet --locked --workspace --all-targets -- -D warnings
	@echo "lint: Python"
	$(BIN)/ruff check --quiet python tests benches docs
	$(BIN)/ruff format --quiet --check python tests benches docs
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/python -m mypy.stubtest anechoic._core

format: $(VENV)/.locked ## Put all sources into their format
	$(CARGO) fmt --all
	$(BIN)/ruff check --quiet --fix python tests benches docs
	$(BIN)/ruff format --quiet python tests benches docs

# The peers and the instruction count are worth having and can be missing: a
# row that cannot be measured says so.
bench: setup ## Measure the speed beside ns-3, ns-2, tshark and tcptrace; print one table
	-@tools/need valgrind valgrind
	-@tools/need ns ns2
	-@tools/need g++ g++
	-@test -d /usr/include/ns3 || tools/need --install libns3-dev
	-@tools/need tshark tshark
	-@tools/need tcptrace tcptrace
	$(CARGO) build --quiet --release --locked -p anechoic-lab --example bench
	$(CARGO) build --quiet --release --locked -p anechoic-analysis --example bench_capture
	$(CARGO) build --quiet --release --locked -p anechoic-tcp --example variants
	$(BIN)/python benches/speed.py

kernel: setup ## Compare the simulated Linux with the kernel's TCP; print one table (root, 8 min)
	@tools/need tc iproute2
	$(BIN)/python benches/kernel.py

docs: setup ## Write the reference pages and build the documentation of the crates
	$(BIN)/python docs/generate.py
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps
	@echo "docs/reference is written; open target/doc/lab/index.html"

# A link that leads nowhere is a warning, and a warning an error.
site: $(VENV)/.locked ## Build the documentation as a site, links checked
	$(BIN)/uv sync --locked --all-extras --group site --no-install-project --inexact --quiet
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going -b html docs target/site
	@echo "site: open target/site/index.html"

# Symbols for debuggers are half of the library, and nothing that a user runs reads them.
wheel: $(VENV)/.locked ## Build a wheel that pip installs without Rust into dist/, for this kind of system
	$(BIN)/maturin build --release --locked --strip --quiet --interpreter $(PYO3_PYTHON) --out dist
	@ls dist/anechoic-*.whl | sed -E 's/(.*manylinux_([0-9]+)_([0-9]+)_(.*)\.whl)/wheel: \1 needs Linux on \4 with glibc \2.\3 or later, and Python 3.11 or later/'

# Without a library of the machine that runs it: only what is built for a target that is named.
NATIVE = $(shell rustc -vV | sed -n 's/^host: //p')
endpoint: $(VENV)/.locked ## Build the endpoint as one static program, beside the environment's others
	RUSTFLAGS="-C target-feature=+crt-static -C strip=symbols" $(CARGO) build --quiet --release --locked --target $(NATIVE) -p anechoic-endpoint
	cp target/$(NATIVE)/release/anechoic-endpoint $(BIN)/

clean: ## Remove everything that was built
	rm -rf target $(VENV) dist results
	find python tests benches docs -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/anechoic/_core*.so
