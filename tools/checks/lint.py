"""ruff finds no fault with Python's files: pyproject.toml has the rules, and says why some do not hold."""

import importlib.util
import subprocess
import sys

from checks.tree import ROOT


def problems():
    if importlib.util.find_spec('ruff') is None:
        yield f'ruff is not installed for {sys.executable}: `make setup` installs it for .venv/bin/python'
        return
    command = [sys.executable, '-m', 'ruff', 'check', '--no-cache', '--quiet', '--output-format', 'concise']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    yield from done.stdout.splitlines()
    if done.returncode not in (0, 1):
        yield f'ruff: exit status {done.returncode}: {done.stderr.strip()}'
