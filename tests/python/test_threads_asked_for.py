"""How many threads runs use where the program sets no limit: as the variable OMP_NUM_THREADS says."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    'asked, threads', [('3', 3), ('1', 1), ('', None), ('many', None), ('0', None), ('-2', None)]
)
def test_the_variable_of_openmp_counts(asked, threads):
    program = 'import cantik as C; print(C.cntk_py.get_max_num_cputhreads())'
    run = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'OMP_NUM_THREADS': asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) == (threads or len(os.sched_getaffinity(0)))
