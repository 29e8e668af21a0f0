"""Operator libraries for tests: compiled against the headers that `cantik config` names, and used in
processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cantik
from cantik.commands import config

SOURCES = Path(__file__).resolve().parents[1] / 'plugin'
PACKAGE = str(Path(cantik.__file__).absolute().parents[1])

needs_compiler = pytest.mark.skipif(
    subprocess.run(['sh', '-c', 'command -v c++ cmake cc'], capture_output=True).returncode != 0,
    reason='needs compilers and CMake',
)


def compiled(target, *sources, flags=()):
    """The library `target` of these files."""
    include = ['-I' + str(config.folders()['include'])]
    plain = all(str(s).endswith('.c') for s in sources)
    command = ['cc', '-std=c11'] if plain else ['c++', '-std=c++20']
    done = subprocess.run(
        [
            *command,
            '-O1',
            '-Wall',
            '-Wextra',
            '-fPIC',
            '-fvisibility=hidden',
            '-shared',
            *flags,
            *include,
            *map(str, sources),
            '-o',
            str(target),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return str(target)


def run(program, *arguments, **environment):
    """What a program of Python prints."""
    done = subprocess.run(
        [sys.executable, '-c', program, *map(str, arguments)],
        env={**os.environ, 'PYTHONPATH': PACKAGE, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
