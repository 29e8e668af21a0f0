"""Pages whose shell commands are run: their blocks as one script, in an empty folder, with `cantik` of this
build."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import cantik

ROOT = Path(__file__).resolve().parents[2]


def blocks(page):
    """The blocks of a page, without the indentation of a list."""
    found = re.findall(r'^( *)```sh\n(.*?)^ *```$', (ROOT / 'docs' / page).read_text(), re.M | re.S)
    return [textwrap.dedent(block) for _, block in found]


def shell(script, folder):
    """Runs a script in a folder; each command has to succeed."""
    programs = folder / 'programs'
    programs.mkdir(exist_ok=True)
    program = programs / 'cantik'
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m cantik "$@"\n')
    program.chmod(0o755)
    package = str(Path(cantik.__file__).absolute().parents[1])
    environment = {
        **os.environ,
        'PATH': f'{programs}{os.pathsep}{os.environ["PATH"]}',
        'PYTHONPATH': os.pathsep.join([package, os.environ.get('PYTHONPATH', '')]),
    }
    command = ['bash', '-euo', 'pipefail', '-c', script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
