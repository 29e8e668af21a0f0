"""Programs as MXNet's users write them print what they print on MXNet 1.9.1 (tests/programs/mxnet/*.txt, kept
by record.py there)."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / 'programs'


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


figures = module(FOLDER / 'figures.py')
PROGRAMS = module(FOLDER / 'mxnet' / 'record.py').programs()


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name, tmp_path):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    program = FOLDER / 'mxnet' / name
    run = subprocess.run(
        [sys.executable, '-W', 'ignore', '-m', 'cantik', 'run', str(program.with_suffix('.py'))],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    different = figures.differences(run.stdout, program.with_suffix('.txt').read_text())
    assert not different, '\n'.join(different[:10])
