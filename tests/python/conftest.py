"""Every test begins with the same seeds."""
import pytest

import cantik as C


@pytest.fixture(autouse=True)
def seeds():
    C.cntk_py.reset_random_seed(0)
    yield
    C.set_default_unit_gain_value(True)
