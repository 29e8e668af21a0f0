#!/usr/bin/env python3
"""Lays out C++ and Python as .clang-format and pyproject.toml say.

    tools/layout.py [--check] [FILES]     # without files: all that the tree has

--check writes nothing and exits with 1 where a file would change; `make test` does that.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent  # of the environment that tools/requirements/test.txt made
# The headers of the first release stay as they were released.
KEPT = 'tests/release_1/'
CPP, PYTHON = ('.cc', '.h'), ('.py', '.pyi')


def command(path):
    """The program that reads a file's text and writes it as it should be; None for other kinds of files."""
    if path.suffix in CPP:
        return [str(TOOLS / 'clang-format'), '--style=file', '--assume-filename', str(path)]
    if path.suffix in PYTHON:  # a stub is laid out in another way
        return [str(TOOLS / 'ruff'), 'format', '--quiet', '--stdin-filename', str(path)]
    return None


def laid_out(path, text):
    """The text of a file as it should be."""
    run = command(path)
    if run is None:
        return text
    return subprocess.run(run, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def tracked():
    names = subprocess.run(
        ['git', 'ls-files'], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    return [ROOT / n for n in names if not n.startswith(KEPT)]


def all_at_once(files, check):
    """Whether all files are as they should be; without `check`, makes them so."""
    cpp = [str(f) for f in files if f.suffix in CPP]
    python = [str(f) for f in files if f.suffix in PYTHON]
    runs = []
    if cpp:
        runs.append(
            [str(TOOLS / 'clang-format'), '--style=file']
            + (['--dry-run', '-Werror'] if check else ['-i'])
            + cpp
        )
    if python:
        runs.append([str(TOOLS / 'ruff'), 'format', '--quiet'] + (['--check'] if check else []) + python)
    return all([subprocess.run(run, cwd=ROOT, check=False).returncode == 0 for run in runs])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--check', action='store_true')
    parser.add_argument('files', nargs='*', type=Path)
    options = parser.parse_args()
    files = [f.resolve() for f in options.files] or tracked()
    return 0 if all_at_once([f for f in files if f.exists()], options.check) else 1


if __name__ == '__main__':
    sys.exit(main())
