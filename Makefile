# The two commands that matter: `make run` and `make test`. Each makes its own .venv; a second call is fast.
PYTHON ?= python3
BIN := .venv/bin
SCENARIO ?= classroom
# Most of the tests' time is waiting for runs to pass, so three processes of them are no load too much for two cores.
TEST_PROCESSES ?= 3
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: run test lint bench schemas lock audit clean

run: .venv/.run-ready ## Forecast, run, measure, compare and report SCENARIO on the local sandbox
	@$(BIN)/meshcap run $(SCENARIO)

test: lint ## Everything that must hold: formatting, types, import rules, tests
	@$(BIN)/pytest --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

lint: .venv/.test-ready
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: .venv/.test-ready ## Speed as ratios to a peer or a floor; JSON lines on stdout
	@for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

schemas: .venv/.test-ready ## Write the published JSON Schemas anew
	@$(BIN)/python -m meshcap.schemas

lock: .venv/.test-ready ## Pin every dependency anew
	@$(BIN)/uv pip compile pyproject.toml --upgrade --generate-hashes --no-header --universal --python-version 3.11 \
		-q -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --group dev --upgrade --generate-hashes --no-header --universal \
		--python-version 3.11 -c requirements.lock -q -o requirements-dev.lock

audit: .venv/.test-ready ## Ask the advisory database about every pinned version; needs the network
	@$(BIN)/python -m tests.dependency_audit

clean:
	rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "meshcap needs Python 3.11 or newer: set PYTHON, as in make run PYTHON=python3.12")'
	@$(PYTHON) -m venv .venv

.venv/.run-ready: .venv/bin/python requirements.lock pyproject.toml
	@echo "Installing meshcap into .venv ..." >&2
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --editable .
	@touch $@

.venv/.test-ready: .venv/.run-ready requirements-dev.lock
	@echo "Installing what the tests need into .venv ..." >&2
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@
