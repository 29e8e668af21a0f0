"""The package that is tested: of PYTHONPATH or the environment, else that of the build folder. Every test
begins with the same seeds."""

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
