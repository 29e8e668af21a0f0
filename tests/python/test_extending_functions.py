"""The user functions of "Extending CNTK": every program of the text, with the figures that CNTK 2.7 gives for
them."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import cantik as C

FOLDER = Path(__file__).resolve().parents[1] / 'documents'


@pytest.fixture(scope='module')
def programs():
    spec = importlib.util.spec_from_file_location('extending_functions', FOLDER / 'extending_functions.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def close(ours, cntk, path):
    if isinstance(cntk, dict):
        assert ours.keys() == cntk.keys(), path
        for key in cntk:
            close(ours[key], cntk[key], path + '.' + key)
    elif isinstance(cntk, str):
        assert ours == cntk, path
    elif isinstance(cntk, list) and any(isinstance(item, list) for item in cntk):
        assert len(ours) == len(cntk), path
        for i, (a, b) in enumerate(zip(ours, cntk)):
            close(a, b, f'{path}[{i}]')
    else:
        np.testing.assert_allclose(ours, cntk, rtol=2e-5, atol=1e-6, err_msg=path)


def test_figures(programs):
    close(programs.figures(), json.loads((FOLDER / 'extending_functions.json').read_text()), 'figures')


def test_debugger_is_entered_once_the_variance_is_large(programs, monkeypatch):
    # The text's own example: pdb.set_trace() is called with the frame of the user function below it.
    import pdb

    entered = []
    monkeypatch.setattr(pdb, 'set_trace', lambda: entered.append(True))
    x = C.input_variable(2)
    out = C.user_function(programs.debugged(x * 4)) + 1
    assert (
        out.eval({x: np.array([[0.1, 0.2]], np.float32)}) == pytest.approx(np.array([[1.4, 1.8]]))
        and not entered
    )
    assert out.eval({x: np.array([[1, 2]], np.float32)}) == pytest.approx(np.array([[5, 9]])) and entered == [
        True
    ]
