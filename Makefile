# `make help` lists the usual targets, `make help-all` every one. They work in a fresh clone with
# make, Python 3.11 or later, Rust and a C linker; `make setup` says which of them is missing.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/python

# CI fails if Cargo.lock is out of date; elsewhere cargo updates it.
LOCKED := $(if $(CI),--locked)

# All tools build the bindings for one interpreter, so that none builds them again.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
unexport CONDA_PREFIX PYTHONHOME

# maturin would install the newest of the group `dev`, and describe the interpreter in a file of its
# own. With this file, cargo compiles before there is an interpreter what maturin then takes.
STABLE_ABI := PYO3_CONFIG_FILE=$(CURDIR)/crates/python/stable-abi.txt
develop = $(STABLE_ABI) $(RUN) -m maturin develop --uv --group none $(LOCKED)

# The tests start thousands of processes: without bytecode, each compiles everything it imports.
unexport PYTHONDONTWRITEBYTECODE

# Runs a command, and prints its output only if it fails.
quietly = mkdir -p build && { $(1) >build/log-of-$(@F) 2>&1 || { cat build/log-of-$(@F) >&2; exit 1; }; }

# uv builds PySpark again for each install with hashes, and caches every copy: 2.6 GB each time.
install = $(RUN) -m uv pip install --quiet --require-hashes $(1) -r $< \
    && $(RUN) -m uv cache clean --quiet pyspark

# The bindings for JavaScript are a workspace of their own.
OF_WASM      := $(shell find crates/wasm -name '*.rs') crates/wasm/Cargo.toml
RUST_SOURCES := $(filter-out $(OF_WASM),$(shell find crates/*/src -name '*.rs') $(wildcard crates/*/Cargo.toml)) \
    Cargo.toml Cargo.lock

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# --- setting up ---------------------------------------------------------------------------

## setup: the virtual environment, with every tool and verger
.PHONY: setup
setup: $(VENV)/stamp-dev build
	$(if $(filter setup,$(MAKECMDGOALS)),@echo '$(NEXT)')

NEXT := next: $(BIN)/verger --help, `make run` (the main job), `make test` (the tests), `make help` (more)

$(BIN)/python:
	@sh tools/doctor.sh $(PYTHON)
	@echo "==> virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

# pip installs uv alone, and uv the rest: three times as fast.
$(VENV)/stamp-run: requirements/run.txt | $(BIN)/python
	@echo "==> what building and running need"
	@sed -n '/^uv==/,/[^\\]$$/p' $< >$(VENV)/uv.txt
	@$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt
	@$(call install)
	@touch $@

$(VENV)/stamp-dev: requirements/dev.txt $(VENV)/stamp-run
	@echo "==> tools of development"
	@$(call install)
	@touch $@

## build: the extension, compiled with optimisation into the virtual environment
.PHONY: build
build: $(VENV)/stamp-build

$(VENV)/stamp-build: $(VENV)/stamp-run $(RUST_SOURCES) pyproject.toml
	@sh tools/doctor.sh $(PYTHON)
	@echo "==> verger (the first build takes a minute or two)"
	@$(call quietly,$(develop) --release)
	@touch $@ $(VENV)/stamp-some

## dev: rebuild the extension after a change, in seconds; slower code than `make build`
.PHONY: dev
dev: $(VENV)/stamp-run
	@$(call quietly,$(develop) --profile quick)
	@touch $(VENV)/stamp-build $(VENV)/stamp-some

# The first `make run` compiles while packages are installed. It says nothing: maturin, which waits
# for it and takes what it made, repeats what fails.
.PHONY: crates
crates:
	@CARGO_INCREMENTAL=0 $(STABLE_ABI) PYO3_BUILD_EXTENSION_MODULE=1 cargo build --profile quick --lib \
	    --manifest-path crates/python/Cargo.toml $(LOCKED) >/dev/null 2>&1 || true

# An extension that is up to date; if there is none, one that compiles in half of the time: what
# incremental builds write for the next one costs the first a sixth.
$(VENV)/stamp-some: $(VENV)/stamp-run $(RUST_SOURCES) pyproject.toml
	@sh tools/doctor.sh $(PYTHON)
	@echo "==> verger, compiled quickly (a minute; \`make build\` makes faster code)"
	@rm -f $(VENV)/stamp-build
	@$(call quietly,CARGO_INCREMENTAL=0 $(develop) --profile quick)
	@touch $@

# What imports verger, and does not measure it: whatever extension is up to date.
some := $(VENV)/stamp-dev $(VENV)/stamp-some

# Packages that verger does not need are installed in environments of their own. What niquests brings
# would put itself in the place of urllib3 when Python starts, for all other programs as well.
build/%-venv/stamp: requirements/%.txt | $(VENV)/stamp-run
	@echo "==> requirements/$*.txt in build/$*-venv"
	@$(RUN) -m uv venv --quiet --clear --python $(RUN) build/$*-venv
	@$(call install,--python build/$*-venv)
	@rm -f build/$*-venv/lib/python*/site-packages/urllib3_future.pth
	@touch $@

## docs: the generated pages of docs/ and man/, and the files of the test suite
.PHONY: docs
docs: $(some)
	@$(RUN) tools/suite.py
	@$(RUN) tools/stances.py
	@$(RUN) tools/pages.py
	@$(RUN) tools/man.py
	@$(RUN) tools/completion.py

# A release publishes with SITE_URL and TO, a copy of the folder that its web server serves. Without
# Node, or with WITHOUT_TESTER=1, it does not build the tester that it embeds.
BUILDER ?= zensical
build_site := cd build/website && NO_MKDOCS_2_WARNING=1 ../site-venv/bin/$(BUILDER) build --strict --clean

## site: the website of docs/ and all references, in build/site (or TO), with every link checked
.PHONY: site
site: $(some) build/site-venv/stamp $(if $(WITHOUT_TESTER),,$(if $(shell command -v npm),page))
	@echo "==> $(or $(TO),build/site), by $(BUILDER)"
	@rm -rf build/website
	@build/site-venv/bin/python tools/website/api_pages.py build/website/docs/reference/python
	@PYTHONPATH=tools $(RUN) tools/website
	@$(call quietly,( $(build_site) --config-file mkdocs.yml ))
	@$(RUN) tools/website/publishing.py build/website/html $(or $(TO),build/site)

## suite: the robots.txt test suite for other parsers, packed in build/suite
.PHONY: suite
suite: $(VENV)/stamp-some
	@$(RUN) tools/suite.py
	@$(RUN) tools/suite.py --archive

## man: the manual pages, in build/man
.PHONY: man
man: $(some)
	@$(RUN) tools/man.py build/man

## corpus: 4,231 real robots.txt files, fetched once, into .cache
.PHONY: corpus
corpus: $(VENV)/stamp-run
	@$(RUN) tools/corpus.py

## sarif: the schema of SARIF 2.1.0, which the tests of `verger lint` read, fetched once
.PHONY: sarif
sarif:
	@sh tools/sarif.sh $(if $(CI),,|| true)

# --- using --------------------------------------------------------------------------------

## run: the main job: what may a crawler fetch on 4,231 real sites, over HTTP and from the cache?
.PHONY: run
run:
	@$(MAKE) --no-print-directory -j3 $(if $(wildcard $(VENV)/stamp-some),,crates) corpus $(VENV)/stamp-some
	@$(RUN) tools/run_corpus.py

## bench: verger beside its peers, and its commands beside the core; prints ratios, writes build/bench
.PHONY: bench
bench: setup corpus
	@$(RUN) -m benchmarks
	@$(RUN) -m benchmarks.commands --protego

## bench-peers: verger beside parsers in five languages; writes docs/benchmarks.md
.PHONY: bench-peers
bench-peers: setup corpus
	@$(RUN) -m benchmarks.languages
	@$(RUN) -m benchmarks.languages --write-docs

## scoreboard: parsers in five languages through the test suite; writes docs/scoreboard.md
.PHONY: scoreboard
scoreboard: setup build/dropins-venv/stamp
	@$(RUN) -m benchmarks.scoreboard

## bench-peers-quick: the same in a minute, to see that every harness works
.PHONY: bench-peers-quick
bench-peers-quick: setup corpus
	@$(RUN) -m benchmarks.languages --quick --require-all

## load: verger beside bare aiohttp and Scrapy, on loopback; writes build/bench/load.json
.PHONY: load
load: setup corpus build/frameworks-venv/stamp
	@$(RUN) -m benchmarks.load

## bench-clients: aiohttp crawls without and with the guard, on loopback; writes build/bench/clients.json
.PHONY: bench-clients
bench-clients: setup corpus
	@$(RUN) -m benchmarks.clients

## bench-frameworks: crawls by Scrapy and Crawlee over real hosts, with and without verger
.PHONY: bench-frameworks
bench-frameworks: setup corpus build/frameworks-venv/stamp
	@$(RUN) -m benchmarks.frameworks

## bench-lsp: how soon the language server is up, and answers a keystroke; writes build/bench/lsp.json
.PHONY: bench-lsp
bench-lsp: setup corpus
	@$(RUN) -m benchmarks.lsp

## upstream: the tests of the originals of the drop-ins, and reppy, fetched and built once
.PHONY: upstream
upstream: build/dropins-venv/stamp
	@build/dropins-venv/bin/python tools/upstream.py $(if $(CI),,|| true)

## bench-dropins: each drop-in beside its original; writes the tables of docs/compat
.PHONY: bench-dropins
bench-dropins: setup corpus upstream
	@build/dropins-venv/bin/python -m benchmarks.dropins --write-docs

## bench-data-tools: verger and Protego in polars, DuckDB, pandas and Ray Data; writes build/bench/data_tools.json
.PHONY: bench-data-tools
bench-data-tools: build corpus build/ray-venv/stamp
	@PYTHONPATH=python build/ray-venv/bin/python -m benchmarks.data_tools

# --- checking -----------------------------------------------------------------------------

# Tests of Python run in four processes beside each other, each with folders of its own; the last has
# what the others leave, and one has those that wait for servers. (The workers of pytest-xdist told each other so much about 22,000 tests that it
# was a quarter of all work.) Each shows its result when it ends; the stderr of libraries goes to a file.
FOLDERS_1 := $(addprefix tests/,cli files service testing)
FOLDERS_2 := $(addprefix tests/,analysis bulk cache captures lint snapshots)
FOLDERS_3 := $(addprefix tests/,integrations serve watch)
FOLDERS_4 := tests $(addprefix --ignore=,$(FOLDERS_1) $(FOLDERS_2) $(FOLDERS_3))

TEST_PARTS  := test-python-3 test-rust test-python-1 test-python-2 test-python-4
in_parallel := $(MAKE) --no-print-directory -j5 $(TEST_PARTS)

# Without a network, tests that need the real files are skipped with a message; in CI they must run.
.PHONY: real-files
real-files: $(VENV)/stamp-run
	@$(RUN) tools/corpus.py $(if $(CI),,|| true)

## test: the tests, Rust and Python, but for the exhaustive ones (make test-all)
.PHONY: test
test: setup
	@$(in_parallel)

# Every seed of the fuzz targets, and every input that once was a finding, without a fuzzer.
SEEDS := cargo test --quiet --manifest-path fuzz/Cargo.toml --target-dir target $(LOCKED)

.PHONY: test-rust
test-rust: $(VENV)/stamp-dev real-files
	@echo "==> cargo test"
	@$(call quietly,{ cargo test --quiet --workspace $(LOCKED) && $(SEEDS); })

TESTS := -m "not (slow or dropins)"

OF_PYTHON := $(filter test-python-%,$(TEST_PARTS))
.PHONY: $(OF_PYTHON)
$(OF_PYTHON): test-python-%: sarif setup real-files | build/
	@echo "==> pytest, part $* of $(words $(OF_PYTHON))"
	@$(RUN) -m pytest -q $(TESTS) $(FOLDERS_$*) >build/$@.log 2>build/$@.stderr; result=$$?; \
	    sed '/%]$$/d' build/$@.log; test $$result -eq 0 || \
	    { echo "hint: build/$@.stderr holds what the tests wrote to stderr" >&2; exit $$result; }

## test-room: the tests of one ROOM, a folder of tests (`make test-room ROOM=lint`); without one, its list
.PHONY: test-room
test-room: $(if $(ROOM),sarif setup real-files)
	@$(if $(ROOM),$(RUN) -m pytest -q $(TESTS) tests/$(ROOM),ls -d tests/*/ | xargs -n1 basename | grep -v __)

## test-differential: 300,000 answers beside those of Google's parser
.PHONY: test-differential
test-differential: setup
	@echo "==> pytest, the differential"
	@$(RUN) -m pytest -q tests/test_differential.py

## test-all: every test
.PHONY: test-all
test-all: setup
	@$(in_parallel) TESTS="--hypothesis-profile exhaustive"

build/:
	@mkdir -p $@

## test-dropins: the drop-ins, with the tests of their originals and beside them
.PHONY: test-dropins
test-dropins: setup upstream
	@echo "==> pytest, tests/compat"
	@$(RUN) -m pytest -q tests/compat
	@PYTHONPATH=python build/dropins-venv/bin/python -m pytest -q -p no:cacheprovider \
	    tests/compat/test_beside_originals.py tests/compat/test_differences.py

# What the extras promise to work with; Python finds verger itself in the tree.
LOWEST_TESTS := tests/fetching/test_aiohttp_transport.py tests/fetching/test_secure.py tests/cache/test_redis.py \
    tests/integrations/test_httpx.py tests/integrations/test_requests.py \
    tests/integrations/test_aiohttp.py tests/integrations/test_guard_options.py \
    tests/integrations/test_urllib3.py \
    tests/captures/test_warc.py tests/captures/test_tables.py tests/bulk/report/test_page.py \
    tests/bulk/spark/test_frames.py

## test-lowest: the extras' tests with the lowest versions that pyproject.toml allows
.PHONY: test-lowest
test-lowest: build build/lowest-venv/stamp
	@echo "==> pytest, lowest versions"
	@PYTHONPATH=python build/lowest-venv/bin/python -m pytest -q -p no:cacheprovider $(LOWEST_TESTS)

# niquests is in no other environment.
OF_EXTRACTORS := $(addprefix tests/integrations/,extractors test_guard_options.py test_clients.py test_client_faults.py)

## test-extractors: the adapters for text extractors, and a farm that real programs crawl
.PHONY: test-extractors
test-extractors: build build/extractors-venv/stamp
	@echo "==> pytest, text extractors and programs"
	@PYTHONPATH=python build/extractors-venv/bin/python -m pytest -q -p no:cacheprovider \
	    -k "extractors or niquests" $(OF_EXTRACTORS)

INTEGRATION_TESTS := $(addprefix tests/integrations/test_,scrapy.py scrapy_suites.py crawlee.py \
    crawl4ai.py framework_faults.py framework_guides.py notebook.py)

## test-integrations: the integrations with Scrapy, Crawlee, Crawl4AI and Jupyter, in their own environment
.PHONY: test-integrations
test-integrations: build build/frameworks-venv/stamp
	@echo "==> pytest, with Scrapy, Crawlee, Crawl4AI and Jupyter"
	@build/frameworks-venv/bin/python tools/suites.py
	@PYTHONPATH=python build/frameworks-venv/bin/python -m pytest -q -p no:cacheprovider -p no:twisted \
	    -o asyncio_default_fixture_loop_scope=function -m "not slow" $(INTEGRATION_TESTS)

## test-ray: the example with Ray Data of docs/guides/data-tools.md, with the real package
.PHONY: test-ray
test-ray: build build/ray-venv/stamp
	@echo "==> pytest, Ray"
	@PYTHONPATH=python build/ray-venv/bin/python -m pytest -q -p no:cacheprovider tests/bulk/ray

## test-site: the website, as `make site` builds it, in a browser
.PHONY: test-site
test-site: site
	@echo "==> pytest, the website"
	@VERGER_SITE=$(or $(TO),build/site) $(RUN) -m pytest -q -p no:cacheprovider tests/website

## growth: work of the core and of commands on hostile files, in instructions under valgrind; it must grow linearly
.PHONY: growth
growth: build growth-core
	@$(RUN) -m benchmarks.command_growth
	@$(RUN) -m benchmarks.site_growth

## growth-core: that of the core alone (in one DIALECT, over so many DOUBLINGS)
.PHONY: growth-core
growth-core: $(VENV)/stamp-dev
	@$(RUN) -m benchmarks.growth $(if $(DIALECT),--dialect $(DIALECT)) $(if $(DOUBLINGS),--doublings $(DOUBLINGS))

## instructions: the usual work of the core, in instructions; none may have grown by a tenth
.PHONY: instructions
instructions: $(VENV)/stamp-dev
	@$(RUN) -m benchmarks.instructions

## fuzz: every fuzz target for SECONDS (60), or one TARGET; see fuzz/README.md
.PHONY: fuzz
fuzz: $(VENV)/stamp-dev
	@echo "==> fuzz targets"
	@$(RUN) tools/fuzz.py --seconds $(or $(SECONDS),60) $(TARGET)

## format: format all code, Python and Rust
.PHONY: format
format: $(VENV)/stamp-dev
	@$(RUN) -m ruff check --quiet --fix-only .
	@$(RUN) -m ruff format --quiet .
	@cargo fmt --all
	@cargo fmt --manifest-path fuzz/Cargo.toml
	@cargo fmt --manifest-path crates/wasm/Cargo.toml

## miri: tests of unsafe code under Miri; needs Rust's nightly, as does `make asan`
.PHONY: miri
miri:
	@bash tools/miri.sh

## asan: tests of crates that read other programs' memory, with AddressSanitizer
.PHONY: asan
asan:
	@bash tools/asan.sh

## lint: every linter, for Python and Rust, and checks of generated and committed files
.PHONY: lint
lint: lint-files lint-rust lint-types notices-check

.PHONY: lint-files
lint-files: $(VENV)/stamp-dev
	@echo "==> pre-commit"
	@$(BIN)/pre-commit run --all-files

.PHONY: lint-rust
lint-rust: $(VENV)/stamp-dev
	@echo "==> rustfmt, clippy"
	@cargo fmt --all --check -- -l
	@cargo fmt --manifest-path fuzz/Cargo.toml --check -- -l
	@cargo fmt --manifest-path crates/wasm/Cargo.toml --check -- -l
	@cargo clippy --quiet --workspace --all-targets $(LOCKED) -- -D warnings
	@cargo clippy --quiet --manifest-path fuzz/Cargo.toml --target-dir target --all-targets $(LOCKED) -- -D warnings
	@cargo clippy --quiet --manifest-path crates/wasm/Cargo.toml --target-dir target --all-targets $(LOCKED) -- -D warnings
	@echo "==> rustdoc"
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --package verger-core $(LOCKED)

.PHONY: lint-types
lint-types: setup
	@echo "==> mypy"
	@$(RUN) -m mypy --no-error-summary
	@$(RUN) -m mypy --no-error-summary --strict tools
	@$(RUN) -m pytest -q -m slow tests/test_typed_programs.py
	@echo "==> mypy.stubtest"
	@$(RUN) -m mypy.stubtest --concise --mypy-config-file tools/stubtest.ini --allowlist tools/stubtest-allowed.txt verger._core
	@echo "==> docstrings"
	@$(RUN) tools/docstrings.py --check
	@echo "==> pyright"
	@$(BIN)/basedpyright --level error

## msrv: all Rust code compiles with the oldest Rust that Cargo.toml promises
.PHONY: msrv
msrv: $(VENV)/stamp-dev
	@bash tools/msrv.sh

## test-wheel: the wheel alone, in fresh environments: without extras, with each of them, with `cli`
.PHONY: test-wheel
test-wheel: setup wheel
	@echo "==> pytest, the wheel in environments of its own"
	@VERGER_WHEEL=$$(echo build/wheels/*.whl) $(RUN) -m pytest -q -p no:cacheprovider tests/wheel
	@$(RUN) -m uv cache clean --quiet pyspark

# --- editors ------------------------------------------------------------------------------

editors/vscode/node_modules/.package-lock.json: editors/vscode/package-lock.json
	@echo "==> npm, for the extension of VS Code"
	@npm ci --prefix editors/vscode --ignore-scripts --silent
	@touch $@

## vscode: the extension of VS Code, in editors/vscode/dist; needs Node 20 or later
.PHONY: vscode
vscode: editors/vscode/node_modules/.package-lock.json
	@echo "==> editors/vscode/dist/verger.vsix"
	@$(call quietly,npm run --prefix editors/vscode --silent package)

## test-vscode: its language client against the server, and its grammar; needs Node 20 or later
.PHONY: test-vscode
test-vscode: build vscode
	@echo "==> node --test, editors/vscode"
	@VERGER_COMMAND='["$(CURDIR)/$(BIN)/verger", "lsp"]' npm run --prefix editors/vscode --silent test

# --- for JavaScript -----------------------------------------------------------------------

npm/node_modules/.package-lock.json: npm/package-lock.json
	@echo "==> npm, for the package of JavaScript"
	@npm ci --prefix npm --ignore-scripts --silent
	@touch $@

build/npm-stage/verger.wasm: npm/node_modules/.package-lock.json tools/wasm.sh crates/wasm/Cargo.lock \
    $(OF_WASM) $(shell find crates/core/src -name '*.rs')
	@bash tools/wasm.sh

# What compiles for the package, without Python.
.PHONY: wasm
wasm: build/npm-stage/verger.wasm

# The registry of crawlers, as one JSON, by the package of Python, which need not be compiled for it.
build/npm-stage/crawlers.json: tools/crawlers_json.py tools/crawlers.toml crates/core/src/vocabulary.rs \
    $(wildcard python/verger/crawlers/*) | $(BIN)/python
	@mkdir -p $(@D)
	@$(RUN) tools/crawlers_json.py >$@

build/npm-stage/THIRD-PARTY-NOTICES.md: tools/notices.py crates/wasm/Cargo.lock | $(BIN)/python
	@mkdir -p $(@D)
	@$(RUN) tools/notices.py --wasm $@

build/npm/package.json: $(addprefix build/npm-stage/,verger.wasm crawlers.json THIRD-PARTY-NOTICES.md) \
    $(wildcard npm/src/* npm/*.js npm/*.json) npm/README.md
	@echo "==> build/npm"
	@npm run --prefix npm --silent build
	@ln -sfn ../../build/npm npm/node_modules/verger

## npm: the package of JavaScript, in build/npm; needs Node 20 or later
.PHONY: npm
npm: build/npm/package.json

## test-npm: the package of JavaScript beside Python, Google's recorded answers, and the test suite
.PHONY: test-npm
test-npm: setup npm real-files
	@echo "==> node --test, npm"
	@$(call quietly,npm run --prefix npm --silent test)
	@echo "==> pytest, npm"
	@$(RUN) -m pytest -q -p no:cacheprovider npm/test

## bench-npm: the package of JavaScript beside others of npm; writes build/bench/packages.json
.PHONY: bench-npm
bench-npm: page real-files
	@CHROMIUM="$(CHROMIUM)" node web/bench/packages.js .cache/protego-0.7.0/tests/test_data

# --- the tester page -------------------------------------------------------------------------

web/node_modules/.package-lock.json: web/package-lock.json
	@echo "==> npm, for the tester page"
	@npm ci --prefix web --ignore-scripts --silent
	@touch $@

web/dist/index.html: build/npm/package.json web/node_modules/.package-lock.json \
    python/verger/crawlers/registry.json tools/notices.py $(wildcard web/src/* web/src/view/* web/*.js web/*.json)
	@echo "==> web/dist/index.html"
	@ln -sfn ../../build/npm web/node_modules/verger
	@$(call quietly,npm run --prefix web --silent check)
	@folders=$$(npm run --prefix web --silent build) && cd web && \
	    ../$(RUN) ../tools/notices.py --wasm dist/THIRD-PARTY-NOTICES.txt $$folders

## page: the tester page, one file in web/dist; needs Node 20 or later
.PHONY: page
page: web/dist/index.html

## test-page: the tester page in Chromium; CHROMIUM=/path/to/it; VERGER_EVERYTHING=1 takes minutes
.PHONY: test-page
test-page: setup page real-files
	@echo "==> node --test, web"
	@$(call quietly,CHROMIUM="$(CHROMIUM)" npm run --prefix web --silent $(if $(VERGER_EVERYTHING),test-all,test))
	@echo "==> pytest, web"
	@CHROMIUM="$(CHROMIUM)" $(RUN) -m pytest -q -p no:cacheprovider web/test

## page-images: the pictures of the tester page in docs/images
.PHONY: page-images
page-images: page
	@node web/shots.js

## bench-page: how soon the tester page is there, and answers a keystroke; writes build/bench/pages.json; OTHERS="ruff=FOLDER"
.PHONY: bench-page
bench-page: page bench-npm
	@CHROMIUM="$(CHROMIUM)" node web/bench/pages.js $(OTHERS)
	@CHROMIUM="$(CHROMIUM)" node web/bench/lists.js

# --- for releases ---------------------------------------------------------------------------

## changelog: what changed since the last version; with VERSION=1.2.0, written into CHANGELOG.md
.PHONY: changelog
changelog: $(VENV)/stamp-dev
	@$(BIN)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

# --- for packagers ------------------------------------------------------------------------

## wheel: the wheel in build/wheels, its size and contents checked
.PHONY: wheel
wheel: $(VENV)/stamp-run
	@echo "==> wheel"
	@rm -rf build/wheels
	@$(call quietly,$(STABLE_ABI) $(RUN) -m maturin build --release --compression-level 9 --out build/wheels $(LOCKED))
	@$(RUN) tools/check_wheel.py build/wheels

## vendor: the sources of every crate in build/vendor, for a build without network
.PHONY: vendor
vendor: build/vendor/config.toml

build/vendor/config.toml: Cargo.lock tools/vendor.sh
	@bash tools/vendor.sh

## offline: build and import verger from build/vendor alone, with the network cut off
.PHONY: offline
offline: vendor $(VENV)/stamp-dev
	@bash tools/offline.sh

## notices: write THIRD-PARTY-NOTICES.md anew
.PHONY: notices
notices: | $(BIN)/python
	@$(RUN) tools/notices.py

.PHONY: notices-check
notices-check: | $(BIN)/python
	@echo "==> third-party notices"
	@$(RUN) tools/notices.py --check

## requirements: pin the dependency groups of pyproject.toml anew, with hashes and without addresses
.PHONY: requirements
requirements: $(VENV)/stamp-run
	@bash tools/pin.sh

# --- cleaning -----------------------------------------------------------------------------

## clean: remove everything that make wrote, except downloads
.PHONY: clean
clean:
	@rm -rf $(VENV) build target .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find python -name '*.so' -delete

## help: the usual targets
.PHONY: help
help:
	@for target in run test test-room lint format docs; do \
	    sed -n "s/^## \($$target\): /\1\t/p" Makefile; \
	done | expand -t 14
	@echo '`make help-all` lists every target.'

## help-all: every target, by purpose
.PHONY: help-all
help-all:
	@sed -n -e 's/^# --- \([a-z ]*\) -*$$/\n\1:/p' -e 's/^## \([a-z-]*\): /  \1\t/p' Makefile | expand -t 22
