"""The command line: what it prints, and that a mistake is a line of text, not a traceback."""

import subprocess
import sys

import pytest


def cantik(*arguments):
    return subprocess.run([sys.executable, '-m', 'cantik', *arguments], capture_output=True, text=True)


def test_operators_that_are_built_in():
    done = cantik('operators')
    assert done.returncode == 0 and 'relu(x' in done.stdout and not done.stderr


@pytest.mark.parametrize(
    'content',
    [None, b'', b'not a library', b'\x7fELF' + bytes(60)],
    ids=['no file', 'empty', 'text', 'cut off'],
)
def test_a_library_that_is_none(content, tmp_path):
    path = tmp_path / 'operators.so'
    if content is not None:
        path.write_bytes(content)
    done = cantik('operators', str(path))
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith('cantik operators: ') and str(path) in done.stderr
    assert 'Traceback' not in done.stderr


@pytest.mark.parametrize(
    'arguments', [['no_such_command'], ['run', 'no_such_script.py'], ['run', '-m'], ['config']]
)
def test_mistakes(arguments):
    done = cantik(*arguments)
    assert done.returncode == 2 and 'Traceback' not in done.stderr


def test_help():
    assert 'commands:' in cantik('--help').stdout
