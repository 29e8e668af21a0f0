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


@pytest.mark.skipif(os.getuid() != 0, reason='limits a process by the number of a user of its own')
def test_where_the_system_gives_no_threads_runs_have_those_there_are():
    program = """
import os, resource
import cantik as C, numpy as np
x = C.input_variable(400)
f = C.times(x, C.parameter((400, 400), init=0.5))
os.setgid(65534), os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
for _ in range(20):
    assert f.eval({x: np.ones((256, 400), np.float32)})[0, 0] == 200
"""
    run = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'OMP_NUM_THREADS': '4'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
