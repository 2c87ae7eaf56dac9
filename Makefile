# Every target sets up what it needs in .venv; a second run does no set-up work.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python \
	--constraint requirements.lock --build-constraint requirements.lock

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-fast check bench pictures paper-small results lock clean

demo: $(VENV)/.main
	$(BIN)/mrtune search fashion
	$(BIN)/mrtune report --out demo.html
	@echo "Look at demo.html in a browser; the same, live, while a search runs: $(BIN)/mrtune dashboard"

test: check
	$(PYTEST)

test-fast: check
	$(PYTEST) -m "not slow"

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.roaming
	$(BIN)/python -m benchmarks.step
	$(BIN)/python -m benchmarks.data
	$(BIN)/python -m benchmarks.search
	$(BIN)/python -m benchmarks.search_quality
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.ray_alone

pictures: $(VENV)/.dev
	$(BIN)/python -m docs.pictures

paper-small: $(VENV)/.main
	@for name in p delta-r selection benchmark attributes; do \
		$(BIN)/mrtune paper run $$name --workload fashion --scale small --resume --quiet || exit $$?; \
	done

results: $(VENV)/.dev
	$(BIN)/python -m docs.results

lock: $(VENV)/.uv
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --all-extras --upgrade \
		--python-version 3.11 --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache demo.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.uv:
	@echo "==> creating $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "mrtune needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a venv; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.7
	@touch $@

$(VENV)/.main: $(VENV)/.uv pyproject.toml requirements.lock
	@echo "==> installing mrtune and its dependencies (torch is large: about a minute)"
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.main
	@echo "==> installing the tools for tests, lint and types"
	@$(INSTALL) --editable '.[dev]'
	@touch $@
