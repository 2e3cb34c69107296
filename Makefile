# Needs only Python 3.11 or newer, git and make. Everything else goes into .venv, from hash-checked locks.
#
#   make run     set up, migrate the database and serve the app
#   make test    set up and run the whole test suite, browser and PostgreSQL included
#   make lint    style, types, templates and the layers' contracts
#   make bench   the speed ratios the README reports
#   make lock    after a change of dependencies in pyproject.toml (ARGS=--upgrade: to their newest versions)

PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --annotation-style line $(ARGS) --extra postgres pyproject.toml
APT := export DEBIAN_FRONTEND=noninteractive; test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	&& apt-get update -q && apt-get install -q -y --no-install-recommends

.PHONY: run test test-rest test-postgres test-browser lint bench lock chromium
.DELETE_ON_ERROR:

run: $(VENV)/installed-run
	@$(BIN)/scorekeeper serve

test: test-rest test-postgres test-browser

test-rest: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n logical --dist worksteal --ignore=tests/browser --ignore=tests/postgres

test-postgres: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n logical --dist worksteal --database=postgresql tests/http tests/migrations tests/postgres tests/services

# Two browsers at once on a small machine are slower than one after the other.
test-browser: $(VENV)/installed-dev chromium
	$(BIN)/python -m pytest tests/browser

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint --lint templates
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks

lock: $(BIN)/uv
	$(COMPILE) --group install -o requirements/run.txt
	$(COMPILE) --group dev --constraint requirements/run.txt -o requirements/dev.txt
	$(BIN)/python requirements/check.py --stamp

# A stamp is older than its lock or pyproject.toml as soon as one of them changes; otherwise there is nothing to do.
$(VENV)/installed-run: requirements/run.txt pyproject.toml | $(BIN)/python
	@$(BIN)/python requirements/check.py
	@echo "Installing what Scorekeeper needs into $(VENV) (under a minute) ..."
	@$(PIP) --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: requirements/dev.txt $(VENV)/installed-run | $(BIN)/python
	@echo "Installing what its tests need into $(VENV) (about a minute) ..."
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

# `make lock` must work while the locks are out of date, so it does not go through the stamps.
$(BIN)/uv: | $(BIN)/python
	@$(PIP) --require-hashes -r requirements/dev.txt

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Scorekeeper needs Python 3.11 or newer: install it, or name it as in: make $(MAKECMDGOALS) PYTHON=python3.13"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(APT) python3-venv; } \
		|| { echo "$(PYTHON) cannot make a virtual environment: install the package python3-venv"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

chromium: $(VENV)/installed-dev
	@command -v chromium >/dev/null || { $(APT) chromium; } || $(BIN)/playwright install chromium \
		|| { echo "The browser tests need Chromium: install the package chromium"; exit 1; }
