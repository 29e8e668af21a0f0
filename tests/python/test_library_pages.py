"""Pages on libraries in C++, followed from an empty folder: their files written, their commands run, their
programs executed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cantik

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not shutil.which('c++') or not shutil.which('cmake'), reason='needs a C++ compiler and CMake'
)


def environment(folder):
    """With this package as `cantik`, on the command line too."""
    tools = folder / '.tools'
    tools.mkdir()
    (tools / 'cantik').write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cantik "$@"\n')
    (tools / 'cantik').chmod(0o755)
    package = str(Path(cantik.__file__).absolute().parents[1])
    return {**os.environ, 'PATH': '{}:{}'.format(tools, os.environ['PATH']), 'PYTHONPATH': package}


@pytest.mark.parametrize(
    'page, programs, count', [('docs/cpp_operators.md', 8, 26), ('docs/dev/add_a_backend.md', 1, 3)]
)
def test_page(tmp_path, page, programs, count):
    settings = environment(tmp_path)
    blocks = re.findall(r'^```(\w+)(?: (\S+))?\n(.*?)^```', (ROOT / page).read_text(), re.M | re.S)
    assert [kind for kind, _, _ in blocks].count('python') == programs and len(blocks) == count
    for kind, name, text in blocks:
        if name:
            (tmp_path / name).write_text(text)
        command = ['sh', '-e'] if kind == 'sh' else [sys.executable, name] if kind == 'python' else None
        if not command:
            continue
        done = subprocess.run(
            command,
            input=text if kind == 'sh' else None,
            cwd=tmp_path,
            env=settings,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, text + done.stdout + done.stderr
        for shown in re.findall(r'print\(.*#  ?(.+)$', text, re.M):  # what the page says is printed
            assert shown in done.stdout, (shown, done.stdout)
