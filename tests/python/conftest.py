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
