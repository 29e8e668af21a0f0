# Everything a person needs: `make tour` shows Cantik at work, `make test` checks it. `make help` lists the rest.
PYTHON := .venv/bin/python
JOBS   ?= $(shell nproc)
PRESET ?= release
SWEEPS ?= 10
FUZZ_SECONDS ?= 60
GRAPHS ?= 1000
ATTACK_SECONDS ?= 600
WHAT   ?= test

.PHONY: help setup build tour docs test unit python-test distributed check layout tidy coverage sanitize threads bench graphs par interop wheel wheel-test sdist release-check packages fuzz attack clean

help:            ## What can be made
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  +##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 16

setup:           ## Install what a target needs and is missing: system packages, and Python in .venv (WHAT=tour, test, docs, tidy, coverage, fuzz, bench, wheel)
	@tools/setup.sh $(WHAT)

BUILD := tools/build.py --jobs $(JOBS)
PYTHON_TOO := -DCANTIK_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)

build: setup     ## Build the library, the Python package and the tests
	@$(BUILD) $(PRESET) $(PYTHON_TOO) -DCANTIK_BUILD_TESTS=ON $(CMAKE_ARGUMENTS) $(TARGETS)

tour: WHAT := tour
tour: setup      ## Train, test, save and load the guided tour's network on MNIST, from Python and from C++
	@echo "the library and the Python package (the first time about 7 minutes on two cores)"
	@$(BUILD) $(PRESET) $(PYTHON_TOO) -DCANTIK_BUILD_TESTS=OFF $(CMAKE_ARGUMENTS) --target cantik --target _cantik --target tour_scores
	@$(PYTHON) examples/tour.py --sweeps $(SWEEPS) --cpp build/$(PRESET)/examples/cpp/tour_scores

docs: WHAT := docs
docs: setup      ## The documents as a site, with the references of C++ and Python, in build/site
	@$(BUILD) $(PRESET) $(PYTHON_TOO) -DCANTIK_BUILD_TESTS=OFF $(CMAKE_ARGUMENTS) --target _cantik
	@$(PYTHON) tools/build_site.py --build build/$(PRESET)

test: build      ## All checks of a commit
	@tools/test.sh $(PRESET)

layout: setup    ## Lay out C++ and Python as .clang-format and pyproject.toml say
	@$(PYTHON) tools/layout.py

tidy: WHAT := tidy
tidy: setup      ## What clang-tidy says of the library and the binding (minutes; FILES=src/compile/fuse.cc says it of one)
	@mkdir -p build && cmake --preset single $(PYTHON_TOO) $(CMAKE_ARGUMENTS) >build/configure.log || { cat build/configure.log; exit 1; }
	@$(PYTHON) tools/tidy.py --build build/single $(FILES)

coverage: WHAT := coverage
coverage: setup  ## Which lines of the library the C++ and Python tests run: build/coverage/report/index.html
	@$(BUILD) coverage $(PYTHON_TOO) $(CMAKE_ARGUMENTS)
	@ctest --preset coverage -j $(JOBS)
	@PYTHONPATH=build/coverage/python $(PYTHON) -m pytest -q -p no:cacheprovider tests/python
	@mkdir -p build/coverage/report
	@$(PYTHON) -m gcovr --root . --filter src/ --filter include/ --html-details build/coverage/report/index.html --print-summary build/coverage

sanitize: setup  ## The C++ tests, and the Python tests of extensions, under the address and undefined-behaviour sanitizers
	@$(BUILD) sanitize $(PYTHON_TOO) $(CMAKE_ARGUMENTS)
	@ctest --preset sanitize -j $(JOBS)
	@sh tests/sanitize/python.sh build/sanitize $(CURDIR)/$(PYTHON) $(TESTS)

threads: setup   ## The C++ tests under the thread sanitizer, a C++ program with Python inside among them
	@$(BUILD) threads $(PYTHON_TOO) $(CMAKE_ARGUMENTS)
	@ctest --preset threads -j $(JOBS)

fuzz: WHAT := fuzz
fuzz: setup      ## Any bytes as models, dictionaries and data, for FUZZ_SECONDS each (Clang); finds go to build/fuzz/found
	@$(BUILD) fuzz $(CMAKE_ARGUMENTS)
	@tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

bench: WHAT := bench
bench: setup     ## Measure against the peers in one run; writes docs/benchmarks.md (BENCH_ARGUMENTS="--peers ... --torch ... --cntk ...")
	@$(BUILD) $(PRESET) $(PYTHON_TOO) -DCANTIK_BUILD_TESTS=OFF $(CMAKE_ARGUMENTS) --target cantik --target _cantik
	@$(PYTHON) benchmarks/bench.py $(BENCH_ARGUMENTS)

graphs: build    ## A thousand random graphs over sequences against a naive evaluator (GRAPHS=1000)
	@CANTIK_RANDOM_GRAPHS=$(GRAPHS) $(PYTHON) -m pytest -q tests/python/test_random_graphs.py

attack: build    ## A server under all that clients do wrong, at once, for ATTACK_SECONDS (600)
	@PYTHONPATH=build/$(PRESET)/python $(PYTHON) benchmarks/serving/attack.py $(ATTACK_SECONDS)

distributed: build  ## Training in several processes, over TCP and each MPI that is here (minutes)
	@CANTIK_MPIEXECS=$$(ls .venv/mpi/*/bin/mpiexec /usr/bin/mpiexec 2>/dev/null | tr '\n' ':') $(PYTHON) -m pytest -q tests/python/test_distributed.py tests/python/test_workers_of_documents.py
	@$(PYTHON) tests/python/faults.py 20

par: build       ## CNTK's own Python tests against the table of those that pass (CNTK=folder of the real CNTK)
	@$(PYTHON) tools/par.py $(PAR_ARGUMENTS)

interop: build   ## Models and trainings of CNTK 2.7 against ours, both ways (CNTK=its python)
	@rm -rf build/interop && mkdir -p build/interop
	@$(CNTK) tests/interop/compare.py build/release/tests/model_tool
	@$(PYTHON) tests/interop/operators.py write build/interop/ours && $(CNTK) tests/interop/operators.py check build/interop/ours
	@$(CNTK) tests/interop/operators.py write build/interop/theirs && $(PYTHON) tests/interop/operators.py check build/interop/theirs
	@$(PYTHON) tests/interop/saved_early.py write build/interop/early && $(CNTK) tests/interop/saved_early.py check build/interop/early
	@$(PYTHON) tests/interop/sequences.py write build/interop/our_sequences && $(CNTK) tests/interop/sequences.py check build/interop/our_sequences
	@$(CNTK) tests/interop/sequences.py write build/interop/their_sequences && $(PYTHON) tests/interop/sequences.py check build/interop/their_sequences
	@$(PYTHON) tests/interop/training.py run build/interop/a && $(CNTK) tests/interop/training.py run build/interop/b
	@$(PYTHON) tests/interop/training.py compare build/interop/a build/interop/b
	@$(PYTHON) tests/interop/atis_losses.py run build/interop/our_atis && $(CNTK) tests/interop/atis_losses.py run build/interop/their_atis
	@$(PYTHON) tests/interop/atis_losses.py compare build/interop/our_atis build/interop/their_atis
	@$(PYTHON) tests/interop/crops.py > build/interop/our_crops && $(CNTK) tests/interop/crops.py > build/interop/their_crops && cmp build/interop/our_crops build/interop/their_crops
	@OF=$$($(CNTK) -c 'import cntk; print(cntk.__path__[0])') && $(PYTHON) tests/interop/docstrings.py $$OF > build/interop/our_docstrings && \
		$(CNTK) tests/interop/docstrings.py $$OF > build/interop/their_docstrings && cmp build/interop/our_docstrings build/interop/their_docstrings

wheel wheel-test: WHAT := wheel
wheel: setup     ## A wheel in dist/, for this machine and others (FOR=python3.12 builds it for that interpreter)
	@REPAIR=$(PYTHON) tools/wheel.sh $(or $(FOR),$(PYTHON))

sdist: setup     ## The sources in dist/, of which pip builds a wheel
	@$(PYTHON) -m build --sdist -o dist . >/dev/null

wheel-test: setup  ## Build a wheel, install it in an environment of its own, train and save with it (minutes; WHEEL=file tests that one)
	@sh tests/wheel_test.sh $(PYTHON) $(WHEEL)

release-check: setup  ## What has to hold before a release, docs/dev/releasing.md (long; --quick: RELEASE_ARGUMENTS=--quick)
	@$(PYTHON) tools/release_check.py $(RELEASE_ARGUMENTS)

packages: build  ## Debian packages in build/release/packages, installed into an empty root and used there
	@sh tests/packages_test.sh build/$(PRESET)

clean:           ## Remove what was built
	@rm -rf build dist
