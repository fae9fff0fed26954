# Everything happens in .venv: nothing but git, make and Python >= 3.11 has to be there.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
DATA := notebooks/data
CODE := langchain_mchunk tests benchmarks

.PHONY: demo test lint format bench clean

demo: $(VENV)/installed
	$(RUN)/mchunk --chunk-size 600 $(DATA)

test: $(VENV)/installed-test
	$(RUN)/python -m pytest

lint: $(VENV)/installed-lint
	$(RUN)/ruff check $(CODE)
	$(RUN)/ruff format --check $(CODE)
	$(RUN)/mypy

format: $(VENV)/installed-lint
	$(RUN)/ruff check --fix $(CODE)
	$(RUN)/ruff format $(CODE)

bench: $(VENV)/installed-bench
	$(RUN)/python benchmarks

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# One rule for each set of extras.
$(VENV)/installed-%: $(VENV)/installed
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	touch $@
