"""The set-up says what is missing where it cannot install it; a build shows how far it is."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))
import build


def setup(tmp_path, what, *, root, more=()):
    """Runs the set-up of a copy of the tree where next to nothing is installed."""
    tools, programs = tmp_path / 'tools', tmp_path / 'bin'
    shutil.copytree(ROOT / 'tools' / 'requirements', tools / 'requirements')
    shutil.copy(ROOT / 'tools' / 'setup.sh', tools)
    programs.mkdir()
    for name in ('sh', 'dirname', 'cat', 'sed', 'cksum'):
        (programs / name).symlink_to(shutil.which(name))
    for name, text in {'id': f'echo {0 if root else 1000}', **dict(more)}.items():
        (programs / name).write_text(f'#!/bin/sh\n{text}\n')
        (programs / name).chmod(0o755)
    return subprocess.run(
        [shutil.which('sh'), str(tools / 'setup.sh'), what],
        env={'PATH': str(programs)},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize('what', ['tour', 'test', 'fuzz', 'bench', 'wheel'])
def test_without_root_the_packages_are_named(tmp_path, what):
    done = setup(tmp_path, what, root=False, more={'apt-get': 'exit 0'}.items())
    assert done.returncode == 1 and done.stdout == ''
    assert (
        f'make {what} needs' in done.stderr and 'not root' in done.stderr and 'not found' not in done.stderr
    )
    command = [line for line in done.stderr.splitlines() if line.strip().startswith('apt-get install')]
    assert len(command) == 1 and ' g++ ' in command[0] and ' cmake ' in command[0]
    assert (' clang' in command[0]) == (
        what in ('test', 'fuzz')
    )  # what a target does not use is not asked for
    assert (' graphviz' in command[0]) == (what == 'test')


def test_another_distribution(tmp_path):
    done = setup(tmp_path, 'tour', root=True)
    assert done.returncode == 1 and 'no apt-get' in done.stderr and ' g++ ' in done.stderr


def test_an_installation_that_fails_says_why(tmp_path):
    done = setup(
        tmp_path,
        'tour',
        root=True,
        more={'apt-get': 'case $* in *-y*) echo no such disk; exit 100 ;; esac'}.items(),
    )
    assert (
        done.returncode == 1
        and 'system packages: ' in done.stdout
        and 'no such disk' in done.stderr
        and 'apt-get install' in done.stderr
    )


def test_an_unknown_target(tmp_path):
    done = setup(tmp_path, 'dinner', root=True)
    assert done.returncode == 2 and "'dinner'" in done.stderr and 'tour' in done.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line():
    out = Terminal()
    progress = build.Progress(out)
    for done in range(1, 21):
        progress.show(done, 20, done == 1)
    progress.tell('a.cc: warning\n')
    assert (
        out.getvalue().count('\n') == 2
        and out.getvalue().count('\r') == 20
        and 'building: 20 of 20' in out.getvalue()
    )


def test_a_file_has_a_line_for_each_tenth():
    out = io.StringIO()
    progress = build.Progress(out)
    for done in range(1, 201):
        progress.show(done, 200, done == 1)
    progress.end()
    lines = out.getvalue().splitlines()
    assert (
        len(lines) == 11
        and lines[0].startswith('building: 1 of 200, ')
        and lines[-1].startswith('building: 200 of 200, ')
    )


def test_the_command_line_is_in_the_environment():
    command = Path(sys.executable).parent / 'cantik'
    if not command.exists():
        pytest.skip('this Python is not that of .venv, which make setup makes')
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    assert (
        'Commands:'
        in subprocess.run([str(command), '--help'], capture_output=True, text=True, env=environment).stdout
    )
