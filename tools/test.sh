#!/bin/sh
# All checks of a commit, on a finished build: test.sh PRESET
set -eu
cd "$(dirname "$0")/.."
preset=$1
say() { printf '\n== %s\n' "$*"; }
say "the tree: its layout and its rules, headers that compile, files written from the registry"
.venv/bin/python tools/layout.py --check
.venv/bin/python tools/check_tree.py --headers
.venv/bin/python tools/generate --build "build/$preset" --check
say "C++ tests"
ctest --preset "$preset" -j "$(nproc)"
say "an unrelated project uses the installed library"
sh tests/install_test.sh "build/$preset"
say "a library of operators outside the tree, built with GCC and with Clang"
sh tests/plugin_test.sh "build/$preset" .venv/bin/python
say "Python tests"
# The documents whose programs are run: beside the tree, where CANTIK_DOCUMENTS names no other folder.
[ -n "${CANTIK_DOCUMENTS+set}" ] || [ ! -d ../shared/seeds ] || export CANTIK_DOCUMENTS="$(cd ../shared/seeds && pwd)"
# Two files at a time: much of what they wait for is a compiler or a process that uses one core.
.venv/bin/python -m pytest -q -n 2 --dist loadfile tests/python
