# make demo     translate a sample and run it on this machine: needs Python >= 3.11 and g++
# make test     the test suite, but for tests that take long each
# make slow     these
# make check    what CI runs: lint, types, import contracts, all these tests, and thirty bugs planted in the translator
# make thorough the larger part of large families of tests, of which make test runs some
# make matrix   every combination of options, types and levels
# make mutate   planted bugs that the checks must find
# make mutate-translator   bugs planted in the translator, each of which a named fast test must notice
# make planted  faults planted by hand in C and in emitted CUDA, which --check or --compare must find (docs/check.md)
# make private  a million random sequences through the thread-private cache, and planted bugs that they must find
# make playground  hostile programs in the playground, and its exercises and the samples' pages in a browser; needs Chromium
# make nvcc     what nvcc makes of programs of all kinds: needs nvcc
# make cost     what emitted kernels cost a GPU, beside hand-written ones: needs nvcc, and no GPU (docs/performance.md)
# make ptx      larger kernels on both PTX machines; launches of many programs again from PTX: needs nvcc
# make fuzz N=20000 [OPTIONS="--compare --ptx"]   so many random programs (and by their values, from PTX); goes on where it stopped (build/fuzz)
# make preload N=5000  so many random CUDA kernels, as they are and with copies: what they leave must be the same
# make bypass N=200  how near accache bypass comes to the best of all subsets of loads, on so many random kernels and five caches
# make conformance SUITE=DIR [FLAGS=...]   build and run every C file of a folder; the table is build/conformance.txt
# make conformance-check SUITE=DIR [FLAGS=...] [OPTIONS=...]   run every .cu program of a folder under --check; their names tell the answers
# make conformance-ptx SUITE=DIR [FLAGS=...]   run every .cu program of a folder, its launches again from PTX
# make editor      the playground's editor anew, templates/html/editor.js; needs npm
# make manual      the manual pages and the shells' completions anew, from the commands (docs/man, docs/completion)
# make pictures   the documents' pictures anew, from pages of the samples; needs Chromium
# make format   lay out the Python sources
# All of it happens in a private environment, .venv, made on demand.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= auto
N ?= 1000
SEED ?= 1

# Tests start accache many times; without kept bytecode each start compiles some 260 modules.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test slow check first-mutants lint types contracts matrix nvcc mutate mutate-translator planted private playground ptx fuzz preload bypass conformance \
	conformance-check conformance-ptx cost editor manual pictures \
	format clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: $(VENV)/.installed
	$(BIN)/accache explain -DRADIUS=30 samples/stencil.c
	mkdir -p build
	$(BIN)/accache translate -q -DRADIUS=30 samples/stencil.c -o build/stencil.cu
	$(BIN)/accache run -q --check -DRADIUS=30 samples/stencil.c
	@echo "build/stencil.cu ran on this CPU, found no race, and gave the result of the sequential program"

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m slow tests

check: lint types contracts test slow first-mutants

# The first of make mutate-translator.
first-mutants: $(VENV)/.dev
	$(BIN)/python tests/translator_mutants/run.py --first 30

lint: $(VENV)/.dev
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports --no-logo

thorough: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m thorough tests

matrix: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m matrix tests/matrix tests/openacc tests/wild tests/bad_input

ptx: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m ptx tests

preload: $(VENV)/.dev
	$(BIN)/python tests/preload/random_copies.py --kernels $(N) --seed $(SEED) --folder build/preload

bypass: $(VENV)/.dev
	$(BIN)/python bench/bypass.py --kernels $(N)

fuzz: $(VENV)/.dev
	$(BIN)/python tests/fuzz/campaign.py --programs $(N) --seed $(SEED) --folder build/fuzz $(OPTIONS)

conformance: $(VENV)/.dev
	$(BIN)/python tests/conformance/runner.py $(SUITE) --flags='$(FLAGS)' --table=build/conformance.txt $(OPTIONS)

conformance-check: $(VENV)/.dev
	$(BIN)/python tests/conformance/check_runner.py $(SUITE) --flags='$(FLAGS)' --table=build/conformance-check.txt $(OPTIONS)

conformance-ptx: $(VENV)/.dev
	$(BIN)/python tests/conformance/ptx_runner.py $(SUITE) --flags='$(FLAGS)' --table=build/conformance-ptx.txt $(OPTIONS)

editor:
	cd editors/playground && npm install --no-package-lock --silent && \
	BANNER="/* CodeMirror 6 and Lezer, MIT licence: see editor.LICENSE. Made by make editor from editors/playground. */" \
	npm run --silent build

manual: $(VENV)/.dev
	$(BIN)/python docs/manual.py
	$(BIN)/python docs/explanations.py

pictures: $(VENV)/.dev
	$(BIN)/python docs/pictures/make.py

cost: $(VENV)/.dev
	$(BIN)/python bench/cost
	$(BIN)/python bench/cost --ranks

nvcc: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m nvcc

private: $(VENV)/.dev
	$(BIN)/python -m pytest -m private tests/private tests/bench

playground: $(VENV)/.dev
	$(BIN)/python -m pytest -m playground tests/serve tests/report

planted: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m planted tests/planted

mutate: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m mutate tests/mutate tests/private

mutate-translator: $(VENV)/.dev
	$(BIN)/python tests/translator_mutants/run.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(VENV)/.installed: setup.cfg pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable .
	touch $@

$(VENV)/.dev: setup.cfg pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.installed

# Debian's python3 comes without ensurepip: there virtualenv does the same, out of a folder of its own.
$(BIN)/pip:
	@echo "setting up $(VENV) (this downloads a few packages) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "accache needs Python 3.11 or later")'
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	    rm -rf $(VENV); \
	    $(PYTHON) -m pip install --quiet --target build/virtualenv virtualenv && \
	    PYTHONPATH=build/virtualenv $(PYTHON) -m virtualenv --quiet $(VENV); } || { \
	    echo "cannot make $(VENV): install python3-venv or python3-pip" >&2; exit 1; }
