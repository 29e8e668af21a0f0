"""Programs in the idioms of CNTK's users, and the chapters of the guided tour, print what they print on CNTK
2.7 (tests/programs/*.txt, kept by record.py there)."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cantik

FOLDER = Path(__file__).resolve().parents[1] / 'programs'
PACKAGES = Path(cantik.__file__).absolute().parents[1]  # where it was imported from, not where links lead


def module(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / (name + '.py'))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


figures = module('figures')
PROGRAMS = module('record').programs()


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name, tmp_path):
    program, kept = PROGRAMS[name]
    paths = [str(PACKAGES), os.environ.get('PYTHONPATH', '')]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in paths if p))
    run = subprocess.run(
        [sys.executable, '-W', 'ignore', program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    different = figures.differences(run.stdout, Path(kept).read_text())
    assert not different, '\n'.join(different[:10])


# ---- the comparison itself


@pytest.mark.parametrize(
    'ours, theirs',
    [
        ('loss 0.693147', 'loss 0.693147'),
        ('loss 0.693147', 'loss 0.693148'),  # one in the last place
        ('[ 1.  2.]', '[1. 2.]'),  # NumPy's white space
        ("Input('Input7', [#], [3])", "Input('Input1203', [#], [3])"),
        ('1.5 * 20 0.003s (6666.7 samples/s)', '1.5 * 20 1.250s ( 16.0 samples/s)'),
        ('3.00001e+02', '3.00003e+02'),
    ],
)
def test_figures_that_agree(ours, theirs):
    assert figures.differences(ours, theirs) == []


@pytest.mark.parametrize(
    'ours, theirs',
    [
        ('loss 0.693147', 'loss 0.693200'),
        ('samples 100', 'samples 101'),  # a whole number is exact
        ('loss 0.5', 'error 0.5'),
        ('loss 0.5', ''),
        ('loss nan', 'loss 0.5'),
        ("Input('x', [#], [3])", "Input('y', [#], [3])"),
        ('error 12.00% * 50', 'error 14.00% * 50'),
    ],
)
def test_figures_that_do_not(ours, theirs):
    assert len(figures.differences(ours, theirs)) == 1
