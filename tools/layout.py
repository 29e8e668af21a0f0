#!/usr/bin/env python3
"""Lays out C++ and Python as .clang-format and pyproject.toml say.

    tools/layout.py [--check] [FILES]     # without files: all that the tree has

--check writes nothing and exits with 1 where a file would change; `make test` does that.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from checks.tree import tracked

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent  # of the environment that tools/requirements/test.txt made
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


def would_change(files):
    """Those of the files that are not as they should be."""
    cpp = [str(f) for f in files if f.suffix in CPP]
    python = [str(f) for f in files if f.suffix in PYTHON]
    found = set()
    if cpp:
        command = [str(TOOLS / 'clang-format'), '--style=file', '--dry-run', '-Werror', *cpp]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stderr
        found.update(re.findall(r'^(\S+?):\d+:\d+: error: code should be clang-formatted', said, re.M))
    if python:
        command = [
            str(TOOLS / 'ruff'),
            'format',
            '--check',
            '--no-cache',
            '--output-format',
            'concise',
            *python,
        ]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
        found.update(f for f in python if f in said or os.path.relpath(f, ROOT) in said)
    return sorted(os.path.relpath(f, ROOT) for f in found)


def lay_out(files):
    cpp = [str(f) for f in files if f.suffix in CPP]
    python = [str(f) for f in files if f.suffix in PYTHON]
    if cpp:
        subprocess.run([str(TOOLS / 'clang-format'), '--style=file', '-i', *cpp], cwd=ROOT, check=True)
    if python:
        subprocess.run([str(TOOLS / 'ruff'), 'format', '--quiet', *python], cwd=ROOT, check=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--check', action='store_true')
    parser.add_argument('files', nargs='*', type=Path)
    options = parser.parse_args()
    files = [f for f in [f.resolve() for f in options.files] or tracked() if f.exists()]
    if not options.check:
        lay_out(files)
        return 0
    changed = would_change(files)
    for name in changed:
        print(f'{name}: not laid out (tools/layout.py does it)')
    return 1 if changed else 0


if __name__ == '__main__':
    sys.exit(main())
