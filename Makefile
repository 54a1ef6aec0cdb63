# `make audit` and `make test` set up everything they need; `make help` lists the rest.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
LAKE := lake-sample
ROUNDS := 5000000
WITH_ATHERIS := sys_platform == 'linux' and platform_machine == 'x86_64' and python_version < '3.14'
SPARK := build/spark
# A file stays with one worker, so that what its tests share is made once; tests/conftest.py has the order.
SPREAD := --dist loadfile --no-loadscope-reorder
# Many a slow test waits, for processes that it kills, for a cluster or a store: one more than processors.
WAITING = -n $$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)')
HAS_BROWSER := { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null \
	&& command -v chromedriver >/dev/null

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes; each would compile the project anew that may not keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: audit test test-slow test-spark browser java compile corpus lint types contracts security odds bench bench-scale lock clean help

audit: $(READY) ## ingest the bundled samples into a lake and run the nightly audit over them
	@$(BIN)/pontoon-audit ingest data_samples/nights --lake $(LAKE)
	@status=0; $(BIN)/pontoon-audit run --lake $(LAKE) || status=$$?; \
	[ $$status -le 1 ] || exit $$status; \
	echo "Findings: $(LAKE)/findings (Parquet), $(LAKE)/report/exceptions.xlsx and .csv"; \
	echo "DuckDB: $(LAKE)/audit.duckdb"; \
	[ $$status = 0 ] || echo "The run exited with 1 because it found breaches. The samples hold faults put in on purpose."

test: $(READY) browser ## run the tests, all but the slow ones
	@marks="not slow"; \
	if ! { $(HAS_BROWSER); }; then \
		echo "The browser test is NOT run: no Chromium and chromedriver here. Install both to run it."; \
		[ -z "$$CI" ] || exit 1; \
		marks="not slow and not browser"; \
	fi; \
	$(BIN)/pytest -n auto $(SPREAD) --hypothesis-profile=brief -m "$$marks"

# The properties once more, with fifty examples in place of 25.
test-slow: $(READY) ## run the slow tests, and those by examples with all of theirs
	@echo "The tests of Spark are NOT among them: make test-spark runs them."
	@$(BIN)/pytest $(WAITING) $(SPREAD) -m "(slow or hypothesis) and not spark"

test-spark: $(SPARK)/.ready java ## run the tests of Spark, which need Java; PySpark is 450 MB
	@PYTHONPATH="$(CURDIR)/$(SPARK)" $(BIN)/pytest -m spark tests/test_engine_spark.py

java: # Spark needs Java
	@if ! command -v java >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Java for the tests of Spark."; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get -qq update && apt-get -qq install -y --no-install-recommends default-jre-headless >/dev/null; \
	fi
	@command -v java >/dev/null || { echo "The tests of Spark need Java, 17 or newer; install it."; exit 1; }

browser: # the browser test needs Chromium and its driver
	@if ! { $(HAS_BROWSER); } && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser test."; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get -qq update && \
		  apt-get -qq install -y --no-install-recommends chromium chromium-driver >/dev/null; } || true; \
	fi

compile: $(READY) ## compile the fast engine, for which the first run would take minutes
	@$(BIN)/python -c 'from tests.kernel.parity import compile_kernel; compile_kernel()'

corpus: $(READY) ## deal 20,000 rounds a rulebook with faults, audit them, write docs/corpus.md
	@$(BIN)/python -m data_samples.corpus docs/corpus.md

lint: $(READY) ## check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY) ## check types, strictly, over code and tests
	@$(BIN)/mypy

contracts: $(READY) ## check which package may import which
	@$(BIN)/lint-imports

security: $(READY) ## look for insecure code, and for known weaknesses of what is locked
	@$(BIN)/bandit -q -c pyproject.toml -r rules_replay audit expectations data_samples
	@$(BIN)/python -m tests.advisories

odds: $(READY) ## derive the strategies and house edges anew into docs/odds.md; takes some ten minutes
	@$(BIN)/python -m data_samples.odds docs

bench: $(READY) ## measure everything beside its reference, write docs/performance.md; ROUNDS=5000000
	@$(BIN)/python -m tests.bench bench --rounds $(ROUNDS)
	@$(BIN)/python -m tests.bench findings

bench-scale: $(READY) ## measure ingest and run at 0.1, 1 and 10 million rounds; needs 40 GB of disk
	@$(BIN)/python -m tests.bench scale

lock: ## lock the newest dependencies that pyproject.toml allows
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/pip install -qq pip-tools
	@CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --upgrade --extra dev \
		--generate-hashes --allow-unsafe --strip-extras \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
		--output-file requirements.lock pyproject.toml
	@# pip-compile drops the markers of extras; elsewhere there is no wheel of it.
	@sed -i "s/^atheris==\([0-9.]*\) /atheris==\1 ; $(WITH_ATHERIS) /" requirements.lock
	@printf 'pyspark>=4.0\nsetuptools\n' > build/spark.in
	@CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --upgrade \
		--generate-hashes --allow-unsafe --strip-extras --no-annotate \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
		--output-file requirements-spark.lock build/spark.in

clean: ## remove everything that make made, the sample lake included
	@rm -rf .venv build dist $(LAKE) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3.11"; exit 2; }
	@echo "Setting up .venv from requirements.lock; the first time takes a minute or two."
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --require-hashes -r requirements.lock
	@$(BIN)/pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

# PySpark comes as source, so what builds it is locked as well, and installed first.
$(SPARK)/.ready: requirements-spark.lock $(READY)
	@echo "Setting up Spark from requirements-spark.lock; the first time takes a minute or two."
	@rm -rf $(SPARK)
	@mkdir -p $(SPARK)
	@sed -n '/^setuptools==/,$$p' requirements-spark.lock > $(SPARK)/build.lock
	@$(BIN)/pip install -qq --require-hashes --no-deps --target $(SPARK) -r $(SPARK)/build.lock
	@PYTHONPATH="$(CURDIR)/$(SPARK)" $(BIN)/pip install -qq --require-hashes --no-deps --no-build-isolation \
		--target $(SPARK) -r requirements-spark.lock
	@touch $@
