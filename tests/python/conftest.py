"""The package that is tested: of PYTHONPATH or the environment, else that of the build folder. Every test
begins with the same seeds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

try:
    import cantik as C
except ModuleNotFoundError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'build' / 'release' / 'python'))
    import cantik as C


@pytest.fixture(autouse=True)
def seeds():
    C.cntk_py.reset_random_seed(0)
    yield
    C.set_default_unit_gain_value(True)


def pytest_configure(config):
    config.addinivalue_line('markers', 'alone: in a process of its own')


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test marked `alone` in a process of its own: what it measures is the whole process's, and the
    heap that other tests have used in turns grows and shrinks by itself."""
    if pyfuncitem.get_closest_marker('alone') is None or 'CANTIK_ALONE' in os.environ:
        return None
    test = f'{pyfuncitem.path}::{pyfuncitem.nodeid.split("::", 1)[1]}'
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'no:xdist', test],
        cwd=pyfuncitem.config.invocation_params.dir,  # where a relative PYTHONPATH leads to the same package
        env={**os.environ, 'CANTIK_ALONE': '1'},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and '1 passed' in done.stdout, done.stdout + done.stderr
    return True


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    """A server of all the models of serving_models, over HTTP."""
    from serving import PROGRAM, Server, save
    from serving_models import MODELS

    if not PROGRAM.exists():
        pytest.skip('the server is not built: its libraries are missing')
    folder = tmp_path_factory.mktemp('models')
    for name, model in MODELS.items():
        save(model, folder / name)
    save(MODELS['mlp'], folder / 'onnx', ending='onnx')
    with Server(folder) as running:
        yield running
