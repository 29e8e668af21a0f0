"""Programs of documents that several workers run print what they print on CNTK 2.7 under its mpiexec
(tests/documents/workers.py)."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_distributed import AS_ROOT, MPIEXECS

TESTS = Path(__file__).resolve().parents[1]


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


figures = module('figures', TESTS / 'programs' / 'figures.py')
programs = module('workers_of_documents', TESTS / 'documents' / 'workers.py')


def launched(launcher, workers, program, folder):
    command = [sys.executable, '-m', 'cantik', 'launch'] if launcher == 'cantik launch' else [launcher]
    command += ['-n', str(workers)] + ([] if launcher == 'cantik launch' else [sys.executable])
    return subprocess.run(
        [*command, str(TESTS / 'documents' / 'workers.py'), program, str(folder)],
        env={**os.environ, **AS_ROOT, 'OMP_NUM_THREADS': '1'},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize('launcher', ['cantik launch', *MPIEXECS])
@pytest.mark.parametrize('workers', programs.COUNTS)
@pytest.mark.parametrize('program', programs.PROGRAMS)
def test_all_workers_print_what_they_print_on_cntk(program, workers, launcher, tmp_path):
    if program == 'source':
        programs.document('user_minibatch_sources.txt')  # skips the test where it is missing
    done = launched(launcher, workers, program, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    printed = programs.together(tmp_path).splitlines()
    ours = '\n'.join(line for line in printed if not line.startswith(' Worker '))  # which CNTK does not tell
    different = figures.differences(ours, programs.kept(program, workers).read_text())
    assert not different, '\n'.join(different[:10])
